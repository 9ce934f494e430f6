#include "visualizer/pictures/collective_values.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/exchange_def.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {
namespace {

constexpr size_t kMostArrays = 4;                        // of a device on each side
constexpr int kFirstArray = kOwnArray + 100, kOfMember = 16, kAfterArrays = 8;  // their numbers
constexpr size_t kMostTransfers = 16;
constexpr float kHigh = 230, kHighest = 420, kOfAll = 1400;  // a row; the rows of all devices
constexpr float kLongTitle = 215;

struct Side {
  bool after = false;
  int member = 0;            // whose; of transfers which of them
  int array = 0;             // among those of the side
  std::vector<int64_t> dims;
};

// Of a ragged all-to-all: so many rows of a member's input, and where another one's output has them.
struct RowsSent {
  int from = 0, to = 0;
  int64_t first = 0, at = 0, count = 0;
};

std::vector<RowsSent> RowsSentBy(const Instruction& brings, size_t members, int from, const PictureData::OfDevice& of) {
  std::vector<RowsSent> sent;
  std::vector<PictureArray> vectors;  // input offsets, send sizes, output offsets
  for (size_t k = 2; k < 5; ++k) {
    if (k >= of.operands.size() || !of.operands[k].has_value()) return sent;
    vectors.emplace_back(0, "", of.operands[k].shape().WithoutLayouts(), of.operands[k]);
  }
  const int64_t each = EntriesOfMember(brings, members);
  for (int64_t b = 0; b < each * static_cast<int64_t>(members); ++b) {
    const std::optional<Scalar> first = vectors[0].At(b), count = vectors[1].At(b), at = vectors[2].At(b);
    if (first && count && at && count->i > 0) sent.push_back({from, static_cast<int>(b / each), first->i, at->i, count->i});
  }
  return sent;
}

class DeviceValues {
 public:
  // The leaves of the result that were exchanged: so many from the first.
  DeviceValues(Board& board, const DeviceRows& rows, int first_leaf, int leaves)
      : board_(board),
        r_(rows),
        first_leaf_(first_leaf),
        leaves_(leaves),
        data_(board.scene().data()),
        brings_(CollectiveOf(*data_.instruction).brings != nullptr ? *CollectiveOf(*data_.instruction).brings : *data_.instruction),
        members_(static_cast<int64_t>(rows.members.size())),
        rows_(static_cast<int>(Transfers() ? std::min<size_t>(data_.transfers.size(), kMostTransfers) : rows.names.size())),
        end_(rows.first + rows_) {
    for (int m = 0; r_.exchange == Exchange::kRagged && m < static_cast<int>(members_); ++m) {
      const PictureData::OfDevice* of = DataOf(r_.members[static_cast<size_t>(m)]);
      if (of == nullptr) continue;
      const std::vector<RowsSent> sent = RowsSentBy(brings_, r_.members.size(), m, *of);
      std::copy_if(sent.begin(), sent.end(), std::back_inserter(sent_), [&](const RowsSent& s) { return IsDrawn(s.to); });
    }
  }

  std::optional<Cell> Draw() {
    Select();
    const Captions& tr = board_.captions();
    if (!Any()) return selected_;
    board_.Skip(6);
    if (Transfers())
      board_.Say(tr("The numbers of this run, what was sent and what has arrived, in the colour of the device from which they come:"),
                 Ink::kText);
    else
      board_.Say(r_.exchange == Exchange::kReduce || r_.exchange == Exchange::kReduceScatter
                     ? tr("The numbers of this run, before and after:")
                     : tr("The numbers of this run, before and after, in the colour of the device from which they come:"),
                 Ink::kText);
    std::vector<std::vector<Board::Piece>> rows;
    for (int m = r_.first; m < end_; ++m) {
      if (!Transfers() && DataOf(r_.members[m]) == nullptr) continue;
      std::vector<Board::Piece>& row = rows.emplace_back();
      AddSide(m, false, &row);
      row.push_back(std::string("->"));
      AddSide(m, true, &row);
    }
    SplitLongTitles(&rows);
    board_.Rows(std::move(rows), std::clamp(kOfAll / static_cast<float>(std::max(rows_, 1)), kHigh, kHighest));
    if (Transfers() && rows_ < static_cast<int>(data_.transfers.size()))
      board_.Say(tr("The first $0 of $1 transfers are drawn.", rows_, data_.transfers.size()));
    if (!r_.around.empty())
      board_.Say(rows_ == 1 ? tr("The numbers of 1 of $0 devices are drawn: $1, which exchanges with no other one.", members_, r_.around)
                            : tr("The numbers of $0 of $1 devices are drawn: $2 and those that its numbers come from or go to, the nearest first.", rows_, members_, r_.around));
    if (!r_.around.empty() && !board_.selection().live) board_.Say(tr("The option member=N tells of device N."));
    return selected_;
  }

 private:
  bool Transfers() const { return r_.exchange == Exchange::kTransfer; }
  // Operands whose numbers are drawn: those of a ragged all-to-all that say which rows are not.
  int Brought() const { return r_.exchange == Exchange::kRagged ? 2 : static_cast<int>(brings_.operands.size()); }
  bool Any() const {
    if (Transfers())
      return std::any_of(data_.transfers.begin(), data_.transfers.end(),
                         [](const PictureData::Transfer& t) { return t.sent.has_value() || t.arrived.has_value(); });
    return std::any_of(r_.members.begin(), r_.members.end(), [&](const Device& d) {
      const PictureData::OfDevice* of = DataOf(d);
      return of != nullptr && (of->result.has_value() ||
                               std::any_of(of->operands.begin(), of->operands.end(), [](const Value& v) { return v.has_value(); }));
    });
  }

  // Rather in two lines than cut: the device, and under it the name; of all where one needs that, so that they stand on one line.
  static void SplitLongTitles(std::vector<std::vector<Board::Piece>>* rows) {
    const auto each = [rows](const auto& visit) {
      for (std::vector<Board::Piece>& row : *rows) {
        for (Board::Piece& piece : row) {
          if (const size_t colon = piece.grid.title.find(": %"); piece.is_grid && colon != std::string::npos) visit(piece.grid, colon);
        }
      }
    };
    bool any = false;
    each([&](const GridSpec& spec, size_t) { any = any || TextWidth(spec.title, Face::kMonoStrong, 13) > kLongTitle; });
    if (!any) return;
    each([](GridSpec& spec, size_t colon) {
      spec.note = absl::StrCat(spec.title.substr(colon + 2), spec.note.empty() ? "" : ", ", spec.note);
      spec.title.resize(colon);
    });
  }

  static int ArrayOf(const Side& side) { return kFirstArray + side.member * kOfMember + (side.after ? kAfterArrays : 0) + side.array; }

  // An element of the operand or result is that of the device that the session looks at; others are selected where they are drawn.
  void Select() {
    const Cell* cell = board_.cell();
    if (cell == nullptr) return;
    Side side;
    if (cell->array >= kFirstArray + r_.first * kOfMember && cell->array < kFirstArray + end_ * kOfMember) {
      const int within = (cell->array - kFirstArray) % kOfMember;
      side = {within >= kAfterArrays, (cell->array - kFirstArray) / kOfMember, within % kAfterArrays, {}};
    } else if (board_.scene().Has(*cell) && Transfers()) {
      if (!SelectTransfer(*cell, &side)) return;
    } else if (board_.scene().Has(*cell)) {
      side.after = cell->array >= kResultArray && cell->array < kOwnArray;
      side.array = side.after ? cell->array - kResultArray - first_leaf_ : cell->array % kOperandLeaf;
      if (side.array < 0 || (!side.after && &brings_ != data_.instruction)) return;
      for (side.member = r_.first; side.member < end_; ++side.member) {
        const Device& d = r_.members[side.member];
        if (d.replica * data_.partitions + d.partition == data_.selected) break;
      }
      if (side.member == end_) return;
    } else {
      return;
    }
    const Shape* shape = ShapeOf(side);
    if (shape == nullptr || !shape->IsArray() || static_cast<int>(cell->index.size()) != shape->rank()) return;
    side.dims.assign(shape->dimensions().begin(), shape->dimensions().end());
    selected_ = Cell{ArrayOf(side), cell->index};
    for (const Cell& other : OtherSide(side, cell->index)) related_.AddBox({other.array, other.index, other.index, LoadRole::kValue});
    board_.set_related(related_);
  }

  // The transfer of the device that the session looks at, or the first where that has none. What a receive gives has no data yet.
  bool SelectTransfer(const Cell& cell, Side* side) const {
    const ExchangeRole role = ExchangeOf(*data_.instruction).role;
    side->after = role == ExchangeRole::kReceiveDone;
    if (side->after ? cell.array < kResultArray || cell.array >= kOwnArray : role != ExchangeRole::kSend) return false;
    side->array = cell.array >= kOperandLeaf ? cell.array / kOperandLeaf : cell.array >= kResultArray ? cell.array - kResultArray : 0;
    for (int k = rows_; k-- > 0;) {
      const PictureData::Transfer& t = data_.transfers[k];
      if (k == 0 || (side->after ? t.to : t.from) == data_.selected) side->member = k;
    }
    return rows_ > 0;
  }

  // Of an array of a side; null: there is none.
  const Shape* ShapeOf(const Side& side) const {
    if (side.array >= static_cast<int>(kMostArrays)) return nullptr;
    if (Transfers()) {
      const Shape* data = DataShape(side);
      return data != nullptr && side.array < LeafCountOf(*data) ? &LeafShape(*data, side.array) : nullptr;
    }
    const Shape& of = side.after ? data_.instruction->shape : brings_.operands[0]->shape;
    if (side.after ? !of.IsArray() && side.array >= leaves_ : side.array >= Brought()) return nullptr;
    return side.after ? &LeafShape(of, first_leaf_ + side.array) : &brings_.operands[side.array]->shape;
  }
  // What a transfer moves, as the sender or the receiver has it; null: that is not known.
  const Shape* DataShape(const Side& side) const {
    const PictureData::Transfer& t = data_.transfers[side.member];
    if (!side.after) return t.sends == nullptr ? nullptr : &t.sends->operands[0]->shape;
    return t.takes == nullptr ? nullptr : &t.takes->operands[0]->shape.tuple_shapes()[0];
  }

  // The elements on the other side that an element goes to, or comes from.
  std::vector<Cell> OtherSide(const Side& side, std::vector<int64_t> index) const {
    std::vector<Cell> cells;
    const int members = end_ - r_.outsiders;
    if (side.member >= members) return cells;
    const auto add = [&](int member, int array, const std::vector<int64_t>& at) {
      if (member >= r_.first && member < members) cells.push_back({ArrayOf({!side.after, member, array, {}}), at});
    };
    const auto to_all = [&](const std::vector<int64_t>& at) {
      for (int m = r_.first; m < members; ++m) add(m, side.array, at);
    };
    const bool cut = r_.dim >= 0 && r_.dim < static_cast<int64_t>(index.size());
    int64_t none = 0;
    int64_t& at = cut ? index[static_cast<size_t>(r_.dim)] : none;
    const int64_t size = cut ? side.dims[static_cast<size_t>(r_.dim)] : 0, part = std::max<int64_t>(size / std::max<int64_t>(members_, 1), 1);
    switch (r_.exchange) {
      case Exchange::kReduce: to_all(index); break;
      case Exchange::kGather:
        if (!cut) break;
        if (side.after) {
          const int from = static_cast<int>(at / part);
          at %= part;
          add(from, side.array, index);
        } else {
          at += side.member * size;
          to_all(index);
        }
        break;
      case Exchange::kReduceScatter:
        if (!cut) break;
        if (side.after) {
          at += side.member * size;
          to_all(index);
        } else {
          const int to = static_cast<int>(at / part);
          at %= part;
          add(to, side.array, index);
        }
        break;
      case Exchange::kAllToAll:
        // Block b of member m is block m of member b; without a dimension the arrays are the blocks.
        if (cut) {
          const int other = static_cast<int>(at / part);
          at = side.member * part + at % part;
          add(other, side.array, index);
        } else {
          add(side.array, side.member, index);
        }
        break;
      case Exchange::kBroadcast:
        if (RootOf(side.array) < 0) break;
        if (side.after) add(RootOf(side.array), side.array, index);
        else if (side.member == RootOf(side.array)) to_all(index);
        break;
      case Exchange::kPermute:
        for (const auto& [from, to] : r_.sends) {
          if ((side.after ? to : from) == side.member) add(side.after ? from : to, side.array, index);
        }
        break;
      case Exchange::kRagged: {
        // Rows that nobody sends stay as they were in the member's own output.
        if (index.empty()) break;
        const int64_t row = index[0];
        const RowsSent* got = side.after || side.array == 1 ? RowsGot(side.member, row) : nullptr;
        if (side.after && got != nullptr) {
          index[0] = got->first + row - got->at;
          add(got->from, 0, index);
        } else if (side.after) {
          add(side.member, 1, index);
        } else if (side.array == 1 && got == nullptr) {
          add(side.member, 0, index);
        }
        for (const RowsSent& s : sent_) {
          if (side.after || side.array != 0 || s.from != side.member || row < s.first || row - s.first >= s.count) continue;
          index[0] = s.at + row - s.first;
          add(s.to, 0, index);
        }
        break;
      }
      case Exchange::kTransfer: add(side.member, side.array, index); break;
      default: break;
    }
    return cells;
  }

  const PictureData::OfDevice* DataOf(const Device& device) const {
    const int64_t place = device.replica * data_.partitions + device.partition;
    return place >= 0 && place < static_cast<int64_t>(data_.devices.size()) ? &data_.devices[static_cast<size_t>(place)] : nullptr;
  }

  void AddSide(int member, bool after, std::vector<Board::Piece>* row) const {
    std::vector<std::pair<std::string, PictureArray>> arrays;
    const PictureData::Transfer* transfer = Transfers() ? &data_.transfers[member] : nullptr;
    const int device = transfer == nullptr ? member : after ? transfer->to : transfer->from;
    const std::string whose = device >= 0 ? r_.names[device - r_.first] : board_.captions()("nobody yet");
    // `named`: "" where that is not known.
    const auto add = [&](absl::string_view named, const Shape& shape, const Value& value, int first, int leaves) {
      for (int leaf = first; leaf < first + leaves && arrays.size() < kMostArrays; ++leaf) {
        const Shape& written = LeafShape(shape, leaf);
        if (!written.IsArray()) continue;
        const Value of_leaf = value.has_value() ? LeafOf(value, leaf) : Value();
        std::string name = named.empty() ? whose : absl::StrCat(whose, ": %", named, LeafPathText(shape, leaf));
        if (transfer != nullptr && transfer->unsent && !after) absl::StrAppend(&name, board_.captions()(", not sent yet"));
        const int id = kFirstArray + member * kOfMember + (after ? kAfterArrays : 0) + static_cast<int>(arrays.size());
        arrays.emplace_back(name, PictureArray(id, name, of_leaf.has_value() ? of_leaf.shape().WithoutLayouts() : written.WithoutLayouts(), of_leaf));
        arrays.back().second.result = after;
      }
    };
    const Instruction& i = *data_.instruction;
    if (transfer != nullptr) {
      const Shape* moved = DataShape({after, member, 0, {}});
      if (moved == nullptr)
        row->push_back(whose);
      else
        add(NameInText(after ? *transfer->takes : *transfer->sends->operands[0]), after ? transfer->takes->shape : transfer->sends->operands[0]->shape,
            after ? transfer->arrived : transfer->sent, 0, LeafCountOf(*moved));
    } else if (const PictureData::OfDevice& of = *DataOf(r_.members[member]); after) {
      add(of.other_instruction ? of.result_name : NameInText(i), i.shape, of.result, first_leaf_, leaves_);
    } else {
      for (size_t k = 0; k < static_cast<size_t>(Brought()); ++k) {
        const Instruction& operand = *brings_.operands[k];
        const absl::string_view there = k < of.operand_names.size() ? absl::string_view(of.operand_names[k]) : absl::string_view();
        add(of.other_instruction ? std::string(there) : NameInText(operand), operand.shape, k < of.operands.size() ? of.operands[k] : Value(), 0, LeafCountOf(operand.shape));
      }
    }
    for (size_t k = 0; k < arrays.size(); ++k) {
      if (k > 0) row->push_back(std::string());
      row->push_back(SpecOf(arrays[k].second, {after, member, static_cast<int>(k), {}}));
    }
  }

  GridSpec SpecOf(const PictureArray& array, Side side) const {
    side.dims.assign(array.shape.dimensions().begin(), array.shape.dimensions().end());
    GridSpec spec = GridOf(array, nullptr, board_.captions());
    if (r_.exchange != Exchange::kReduce && r_.exchange != Exchange::kReduceScatter && IsExchanged(side)) spec.scales = {side.array};
    spec.cell = [this, side, there = array.has_value() || !Transfers(), inner = std::move(spec.cell)](absl::Span<const int64_t> index) {
      GridCell cell = inner(index);
      const int from = side.after || Transfers() ? CameFrom(side, index) : IsExchanged(side) && !IsOutsider(side.member) ? side.member : -1;
      if (from >= 0 && there && InkOf(from) >= 0) cell.tint = Paint(GroupInk(InkOf(from)), 0.3f);
      if (InStep(side, index)) cell.mark = CellMark::kNow;
      if (related_.RoleOf(cell.cell)) cell.mark = CellMark::kRelated;
      if (selected_ && cell.cell == *selected_) cell.mark = CellMark::kSelected;
      return cell;
    };
    if (selected_ && board_.selection().pinned) spec.focus = selected_->array == array.id ? selected_->index : related_.FirstOf(array.id);
    return spec;
  }

  int InkOf(int member) const { return !r_.inks.empty() ? r_.inks[static_cast<size_t>(member)] : IsDrawn(member) ? member : -1; }
  bool IsOutsider(int member) const { return member >= end_ - r_.outsiders; }
  bool IsDrawn(int member) const { return member >= r_.first && member < end_; }
  int RootOf(int array) const { return array < static_cast<int>(r_.roots.size()) ? r_.roots[static_cast<size_t>(array)] : -1; }
  // What says who sends is not sent, nor is what stays where nothing comes to.
  bool IsExchanged(const Side& side) const {
    if (side.after) return true;
    if (r_.exchange == Exchange::kRagged) return side.array == 0;
    return r_.exchange != Exchange::kBroadcast || side.array < static_cast<int>(r_.roots.size());
  }
  // Whose rows a row of a member's output is of, those of the last where several have written it; null: nobody's.
  const RowsSent* RowsGot(int member, int64_t row) const {
    const auto of = std::find_if(sent_.rbegin(), sent_.rend(), [&](const RowsSent& s) { return s.to == member && row >= s.at && row - s.at < s.count; });
    return of == sent_.rend() ? nullptr : &*of;
  }

  // Which of so many equal blocks along the dimension an element is in.
  int BlockOf(const Side& side, absl::Span<const int64_t> index) const {
    if (r_.dim < 0 || r_.dim >= static_cast<int64_t>(index.size())) return side.array;
    const int64_t each = side.dims[static_cast<size_t>(r_.dim)] / std::max<int64_t>(members_, 1);
    return each > 0 ? static_cast<int>(index[static_cast<size_t>(r_.dim)] / each) : -1;
  }

  // The member whose number an element of a result is; -1: of no single one.
  int CameFrom(const Side& side, absl::Span<const int64_t> index) const {
    switch (r_.exchange) {
      case Exchange::kGather:
      case Exchange::kAllToAll: return BlockOf(side, index);
      case Exchange::kBroadcast: return IsOutsider(side.member) ? -1 : RootOf(side.array);
      case Exchange::kPermute:
        for (const auto& [from, to] : r_.sends) {
          if (to == side.member) return from;
        }
        return -1;
      case Exchange::kRagged: {
        const RowsSent* got = index.empty() ? nullptr : RowsGot(side.member, index[0]);
        return got != nullptr ? got->from : -1;
      }
      case Exchange::kTransfer: return data_.transfers[side.member].from;
      default: return -1;
    }
  }

  // What the shown step moves: of groups to one member, of pairs those of one pair.
  bool InStep(const Side& side, absl::Span<const int64_t> index) const {
    if (board_.step() < 0) return false;
    const int step = r_.first + board_.step();
    if (Transfers()) return side.member == step;
    if (r_.exchange == Exchange::kPermute) return step < static_cast<int>(r_.sends.size()) && (side.after ? r_.sends[step].second : r_.sends[step].first) == side.member;
    if (side.after) return side.member == step;
    if (r_.exchange == Exchange::kBroadcast) return side.member == RootOf(side.array);
    if (r_.exchange == Exchange::kRagged) {
      return side.array == 0 ? std::any_of(sent_.begin(), sent_.end(), [&](const RowsSent& s) {
               return s.from == side.member && s.to == step && !index.empty() && index[0] >= s.first && index[0] - s.first < s.count;
             })
                             : side.member == step;
    }
    return r_.exchange == Exchange::kGather || r_.exchange == Exchange::kReduce || BlockOf(side, index) == step;
  }

  Board& board_;
  std::optional<Cell> selected_;
  Related related_;
  const DeviceRows& r_;
  const int first_leaf_, leaves_;
  const PictureData& data_;
  const Instruction& brings_;  // itself, or what it waits for: its operands are brought
  const int64_t members_;
  const int rows_;  // that are drawn
  const int end_;   // after the last member that is drawn
  std::vector<RowsSent> sent_;  // to those
};

}  // namespace

int64_t EntriesOfMember(const Instruction& i, size_t members) {
  const int64_t all = std::max<int64_t>(1, static_cast<int64_t>(members));
  if (i.operands.size() < 3 || !i.operands[2]->shape.IsArray()) return 1;
  return std::max<int64_t>(1, i.operands[2]->shape.ElementCount() / all);
}

bool OutsidersGetZeros(const Instruction& instruction) { return ExchangeOf(instruction).outsiders_get_zeros; }

std::vector<int> RootsOf(const Instruction& instruction, const PictureData& data) {
  if (!HasDynamicRoot(instruction)) return std::vector<int>(instruction.operands.size(), 0);
  std::vector<int> roots(instruction.operands.size() - 1, -1);
  Value said = !data.operands.empty() ? data.operands.back() : Value();
  for (const PictureData::OfDevice& of : data.devices) {
    if (!said.has_value() && !of.operands.empty()) said = of.operands.back();
  }
  if (!said.has_value()) return roots;
  const PictureArray array(0, "", said.shape(), said);
  for (size_t k = 0; k < roots.size(); ++k) {
    if (const std::optional<Scalar> root = array.At(static_cast<int64_t>(k))) roots[k] = static_cast<int>(root->i);
  }
  return roots;
}

std::optional<Cell> DrawDeviceValues(Board& board, const DeviceRows& rows) {
  const PictureData& data = board.scene().data();
  if (rows.exchange == Exchange::kTransfer) return data.transfers.empty() ? std::nullopt : DeviceValues(board, rows, 0, 0).Draw();
  if (data.devices.empty() || rows.names.empty()) return std::nullopt;
  const CollectivePart part = CollectiveOf(*data.instruction);
  if (part.collective == nullptr) return std::nullopt;
  const int sent = static_cast<int>(part.brings->operands.size()) - (HasDynamicRoot(*part.collective) ? 1 : 0);
  const int leaves = data.instruction->shape.IsArray() ? 1 : LeafCountOf(data.instruction->shape);
  // An asynchronous start has a tuple of what it took, what it gives, and maybe contexts, which are no numbers of the exchange.
  const bool starts = leaves != sent && leaves >= 2 * sent && data.instruction->shape.IsTuple();
  if (leaves != sent && !starts && !data.instruction->shape.IsArray()) return std::nullopt;
  return DeviceValues(board, rows, starts ? sent : 0, starts ? sent : leaves).Draw();
}

}  // namespace hloscope
