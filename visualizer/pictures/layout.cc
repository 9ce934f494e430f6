// How an array lies in memory: the logical grid with the customary letters, minor_to_major as an order that can be dragged, padding, tiles, and
// the memory as a strip of numbered cells. Of a copy into another layout both memories, and where each element goes.
#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/literal/relayout.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"
#include "core/shape/layout_map.h"
#include "core/shape/layout_util.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/layout_controls.h"
#include "visualizer/pictures/memory_strip.h"

namespace hloscope {
namespace {

constexpr float kLeft = 14;
constexpr int kPaddingCells = kOwnArray + 90;  // cells of the grid that padding adds
constexpr int64_t kMostSteps = 4096;
constexpr int64_t kMostTints = 8;
constexpr int64_t kMostMoves = 64;       // elements of a copy with a line each
constexpr int64_t kMostTinted = 4096;    // of larger arrays cells are heat, where the rows' colours only disturb

int64_t Count(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t n : dims) count *= n;
  return count;
}

class LayoutPicture {
 public:
  LayoutPicture(Board& board, const PictureData& data, const PictureSelection& selection)
      : board_(board), d_(board.drawing()), data_(data), selection_(selection), tr_(selection.captions), width_(std::max(selection.width, 320.0f) - 2 * kLeft) {}

  absl::StatusOr<MadePicture> Draw() {
    const PictureScene& scene = board_.scene();
    board_.Headline();
    const std::optional<int> shown = ChooseArray();
    if (!shown.has_value()) {
      board_.Say(tr_("There is no array that could lie in memory."));
      return board_.Finish();
    }
    array_ = scene.Find(*shown);
    dims_.assign(array_->shape.dimensions().begin(), array_->shape.dimensions().end());
    type_ = array_->shape.element_type();
    controls_.emplace(board_, selection_, array_->name, type_, dims_, LayoutOfArray(*array_));
    map_ = &controls_->map();
    source_ = SourceArray();
    DrawTabs();
    controls_->Draw();
    DrawSizes();
    if (map_->PhysicalSize() == 0) {
      board_.Say(tr_("It has no elements, and takes no memory."));
      return board_.Finish();
    }
    ChooseElement();
    DrawGrid();
    DrawMemory();
    Tell();
    return board_.Finish();
  }

 private:
  const Layout& layout() const { return controls_->layout(); }

  // -- What is shown --
  std::optional<int> ChooseArray() const {
    const PictureScene& scene = board_.scene();
    if (const auto of = selection_.options.find("of"); of != selection_.options.end()) {
      int id = 0;
      if (absl::SimpleAtoi(of->second, &id) && scene.Find(id) != nullptr) return id;
    }
    if (!scene.results().empty()) return scene.results().front().id;
    if (!scene.operands().empty()) return scene.operands().front().id;
    return std::nullopt;
  }
  // As the program writes it, for the sizes of the run.
  // With the bounds of its dynamic dimensions.
  const Shape& WrittenShape(const PictureArray& array) const {
    const Instruction& i = *data_.instruction;
    const bool result = array.id >= kResultArray && array.id < kOwnArray;
    const Shape& whole = result ? i.shape : i.operands[array.id % kOperandLeaf]->shape;
    return LeafShape(whole, result ? array.id - kResultArray : array.id / kOperandLeaf);
  }
  Layout LayoutOfArray(const PictureArray& array) const { return LayoutOf(WithSizes(WrittenShape(array), array.shape.dimensions())); }
  // Of an instruction that moves the same elements into another layout: where they come from.
  const PictureArray* SourceArray() {
    const PictureScene& scene = board_.scene();
    if (array_->id != kResultArray || scene.operands().size() != 1 || !data_.instruction->shape.IsArray()) return nullptr;
    const PictureArray& operand = scene.operands().front();
    if (operand.id != 0 || Def(*data_.instruction).movement != Movement::kMove || !Shape::SameDimensions(operand.shape, array_->shape) || operand.shape.element_type() != type_) return nullptr;
    // Only copies: a reversed array has the same dimensions too.
    if (data_.instruction->opcode != Opcode::kCopy && data_.instruction->opcode != Opcode::kBitcast) return nullptr;
    source_map_.emplace(type_, dims_, LayoutOfArray(operand));
    return &operand;
  }

  void ChooseElement() {
    const Cell* cell = board_.cell();
    const int64_t steps = map_->PhysicalSize();
    if (steps <= kMostSteps) board_.set_steps(static_cast<int>(steps));
    if (const int step = board_.step(); step >= 0) {
      now_ = step;
      now_index_ = map_->LogicalOfPhysical(now_);
      board_.set_step_text(now_index_.has_value() ? tr_("Place $0 in memory holds $1.", now_, absl::StrCat(array_->name, IndexText(*now_index_), ValueText(*now_index_)))
                                                  : tr_("Place $0 in memory is padding.", now_));
    }
    if (cell == nullptr) return;
    if (cell->array == array_->id || (source_ != nullptr && cell->array == source_->id)) {
      if (cell->index.size() == dims_.size()) element_ = cell->index;
    } else if (cell->array == kPaddingCells || cell->array == kOwnArray || cell->array == kOwnArray + 1) {
      padding_ = *cell;
    }
  }
  std::string ValueText(const std::vector<int64_t>& index) const {
    const std::optional<Scalar> s = array_->At(index);
    return s.has_value() ? absl::StrCat(" = ", ToText(*s)) : "";
  }

  // -- The parts --
  void DrawTabs() {
    const PictureScene& scene = board_.scene();
    std::vector<const PictureArray*> arrays;
    for (const PictureArray& a : scene.results()) arrays.push_back(&a);
    for (const PictureArray& a : scene.operands()) arrays.push_back(&a);
    if (arrays.size() < 2) return;
    float x = kLeft;
    board_.Skip(4);
    for (size_t k = 0; k < std::min<size_t>(arrays.size(), 8); ++k) {
      const std::string text = absl::StrCat(arrays[k]->result ? absl::StrCat(tr_("result"), " ") : "", arrays[k]->name);
      const Box box{x, board_.y(), TextWidth(text, Face::kMono, 12) + 16, 22};
      if (box.right() > kLeft + width_) break;
      const bool on = arrays[k] == array_;
      if (!on && !selection_.live) continue;
      d_.AddBox(box, on ? Paint(Ink::kActive) : Paint(Ink::kRaised), {}, 4);
      d_.AddTextIn(box, text, {12, Face::kMono, on ? Ink::kText : Ink::kDim});
      if (!on) d_.AddSpot({.box = box, .hint = tr_("Shows how it lies in memory"), .action = absl::StrCat("of=", arrays[k]->id, ";", kForgetTriedLayout)});
      x = box.right() + 4;
    }
    board_.Skip(28);
  }

  // Not all is not 100, and not nothing not 0.
  static std::string PercentText(double share) {
    const double percent = share * 100;
    if (percent > 99.95 && share < 1) return "> 99.9";
    if (percent < 0.05 && share > 0) return "< 0.1";
    const bool near = (percent > 99.5 && share < 1) || (percent < 0.5 && share > 0);
    return near ? absl::StrFormat("%.1f", percent) : absl::StrFormat("%.0f", percent);
  }

  // Bytes, and how many of them padding takes.
  void DrawSizes() {
    int64_t elements = 1;
    for (const int64_t n : dims_) elements *= n;
    const int64_t bits = map_->ElementBits(), places = map_->PhysicalSize(), bytes = map_->ByteSize();
    const double share = places > 0 ? static_cast<double>(elements) / static_cast<double>(places) : 1;
    const Box bar{kLeft, board_.y() + 6, std::min(width_, 340.0f), 10};
    const float used = bar.width * static_cast<float>(share);
    d_.AddBox({bar.x, bar.y, used, bar.height}, Paint(Ink::kTeal, 0.55f), {}, 2);
    if (places > elements) d_.AddHatchedBox({bar.x + used, bar.y, bar.width - used, bar.height}, Paint(Ink::kSunken), Paint(Ink::kOrange, 0.7f), 2);
    board_.Skip(22);
    const auto in_bytes = [&](int64_t n) { return tr_.Counted(n, "$0 byte", "$0 bytes"); };
    const std::string each = bits % 8 == 0 ? in_bytes(bits / 8) : tr_.Counted(bits, "$0 bit", "$0 bits");
    const std::string of = tr_.Counted(elements, "$0 element of $1", "$0 elements of $1", each);
    const int64_t rest = bytes * 8 - places * bits;  // elements of some bits do not always fill the last byte
    const int64_t wasted = (places - elements) * bits;
    const std::string padding = wasted % 8 == 0 ? in_bytes(wasted / 8) : tr_.Counted(wasted, "$0 bit", "$0 bits");
    std::string said = places != elements ? tr_("$0: $1 in memory, $2 of them padding ($3 %).", of, in_bytes(bytes), padding, PercentText(1 - share))
                       : rest == 0        ? tr_("$0: $1, none wasted.", of, in_bytes(bytes))
                                          : tr_("$0: $1.", of, in_bytes(bytes));
    if (rest > 0) absl::StrAppend(&said, " ", tr_.Counted(rest, "$0 bit of the last byte is not used.", "$0 bits of the last byte are not used."));
    board_.Say(said);
    SayBound(bytes);
  }

  // Of a dynamic size: what is drawn is what this run has of it.
  void SayBound(int64_t bytes) {
    const Shape& written = WrittenShape(*array_);
    if (!written.has_dynamic_dimension()) return;
    const std::string text = written.ToString(false);
    const bool bounded = std::all_of(written.dimensions().begin(), written.dimensions().end(), [](int64_t n) { return n >= 0; });
    const bool least = bounded && !std::equal(dims_.begin(), dims_.end(), written.dimensions().begin());
    if (!least) return board_.Say(bounded ? tr_("Written $0: this is the most that it can have.", text) : tr_("Written $0: this is what it has in this run.", text));
    const int64_t room = LayoutMap(WithSizes(written, written.dimensions())).ByteSize();
    board_.Say(tr_("Written $0: this is what it has in this run. Room for the most that it can have takes $1, $2 more.", text, tr_.Counted(room, "$0 byte", "$0 bytes"), room - bytes));
  }

  Paint Tint(const std::vector<int64_t>& index) const {
    // By row, so that one sees rows in memory.
    const size_t rank = dims_.size();
    if (rank < 2 || Count(dims_) > kMostTinted || dims_[rank - 2] > kMostTints || dims_[rank - 2] < 2) return {};
    return Paint(GroupInk(static_cast<int>(index[rank - 2])), 0.22f);
  }

  std::string PaddingText() const {
    if (layout().padding_value == PaddingValue::kUnknown) return "?";
    return ShortText(PaddingScalar(type_, layout().padding_value));
  }

  void DrawGrid() {
    GridSpec spec = board_.SpecOf(*array_);
    const std::vector<int64_t> dims = dims_;
    for (size_t d = 0; d < dims_.size(); ++d) spec.dims[d] = controls_->Padded(static_cast<int>(d));
    spec.focus = element_;
    if (now_index_.has_value() && !spec.focus.has_value()) spec.focus = now_index_;
    spec.cell = [this, dims](absl::Span<const int64_t> at) {
      std::vector<int64_t> index(at.begin(), at.end());
      bool inside = true;
      for (size_t d = 0; d < dims.size(); ++d) inside = inside && index[d] < dims[d];
      if (!inside) {
        GridCell cell;
        cell.cell = {kPaddingCells, index};
        cell.state = CellState::kPadding;
        cell.text = PaddingText();
        cell.hint = tr_("padding at $0", IndexText(index));
        if (padding_.has_value() && padding_->array == kPaddingCells && padding_->index == index) cell.mark = CellMark::kSelected;
        return cell;
      }
      GridCell cell = CellOf(*array_, index, {}, tr_);
      cell.tint = Tint(index);
      cell.mark = MarkOf(index, std::nullopt);
      if (!cell.value) cell.text = absl::StrJoin(index, ",");
      return cell;
    };
    board_.Row({std::move(spec)}, 320);
    DrawTileEdges();
  }

  CellMark MarkOf(const std::vector<int64_t>& index, std::optional<int64_t> place) const {
    if (element_.has_value() && *element_ == index) return CellMark::kSelected;
    if (now_ >= 0) {
      const int64_t at = place.has_value() ? *place : map_->PhysicalOf(index);
      if (at == now_) return CellMark::kNow;
      if (at < now_) return CellMark::kDone;
    }
    return CellMark::kNone;
  }

  // Where one tile ends and the next begins, in the grid's plane: the first tile, of plain numbers. Those after it order what is inside.
  void DrawTileEdges() {
    const Grid* grid = board_.GridOfArray(array_->id);
    if (grid == nullptr || layout().tiles.empty() || dims_.size() != 2) return;
    const std::vector<int64_t>& tile = layout().tiles[0].dimensions;
    if (tile.size() > 2 || std::find(tile.begin(), tile.end(), Tile::kCombine) != tile.end()) return;
    const std::vector<int64_t>& order = map_->major_to_minor();
    const Box body = grid->body();
    for (size_t k = 0; k < tile.size(); ++k) {
      const auto d = static_cast<size_t>(order[order.size() - tile.size() + k]);
      // Only what is seen of it: padded sizes may be anything.
      const int64_t first = std::max<int64_t>(grid->first(static_cast<int>(d)), 1);
      for (int64_t at = first + (tile[k] - first % tile[k]) % tile[k]; at < controls_->Padded(static_cast<int>(d)); at += tile[k]) {
        std::vector<int64_t> index = {grid->first(0), grid->first(1)};
        index[d] = at;
        const std::optional<Box> box = grid->BoxOf(index);
        if (!box.has_value()) break;
        if (d == 0) d_.AddLine({body.x, box->y}, {body.right(), box->y}, {Ink::kTeal, 2});
        else d_.AddLine({box->x, body.y}, {box->x, body.bottom()}, {Ink::kTeal, 2});
      }
    }
  }

  // One strip of the memory, or two where a copy is made.
  StripSpec SpecOfStrip(const LayoutMap& map, int number, const Layout& layout, bool tiled) {
    StripSpec strip;
    strip.number = number;
    strip.count = tiled ? map.PhysicalSize() : map.LinearSize();
    strip.group = 0;
    if (tiled && !layout.tiles.empty()) {
      strip.group = 1;
      for (const int64_t t : layout.tiles[0].dimensions) strip.group *= t == Tile::kCombine ? 1 : t;
    }
    if (!layout.minor_to_major.empty()) {
      const auto minor = static_cast<size_t>(layout.minor_to_major[0]);
      strip.line = layout.padded_dimensions.empty() ? dims_[minor] : layout.padded_dimensions[minor];
    }
    const LayoutMap* at = &map;
    const std::string padding = layout.padding_value == PaddingValue::kUnknown ? "?" : ShortText(PaddingScalar(type_, layout.padding_value));
    strip.cell = [this, at, tiled, number, padding](int64_t place) {
      StripCell cell;
      const std::optional<std::vector<int64_t>> index = tiled ? at->LogicalOfPhysical(place) : at->LogicalOfLinear(place);
      const int64_t bit = place * at->ElementBits();
      const std::string where = at->ElementBits() % 8 == 0 ? tr_("byte $0", bit / 8) : tr_("bit $0", bit);
      if (!index.has_value()) {
        cell.padding = true;
        board_.Saw(CellState::kPadding);
        cell.cell = {kOwnArray + number, {place}};
        cell.text = padding;
        cell.hint = tr_("place $0 ($1): padding", place, where);
        if (padding_.has_value() && *padding_ == cell.cell) cell.mark = CellMark::kSelected;
        else if (tiled && number == 0 && place == now_) cell.mark = CellMark::kNow;
        else if (tiled && number == 0 && place < now_) cell.mark = CellMark::kDone;
        return cell;
      }
      const PictureArray& array = number == 1 && source_ != nullptr ? *source_ : *array_;
      cell.cell = {array.id, *index};
      if (const std::optional<Scalar> s = array.At(*index)) cell.text = ShortText(*s);
      else cell.text = absl::StrJoin(*index, ",");
      cell.hint = tr_("place $0 ($1): $2", place, where, absl::StrCat(array.name, IndexText(*index), ValueText(*index)));
      cell.tint = Tint(*index);
      cell.mark = number == 0 && tiled ? MarkOf(*index, place) : MarkOf(*index, std::nullopt);
      return cell;
    };
    if (element_.has_value()) strip.focus = tiled ? map.PhysicalOf(*element_) : map.LinearOf(*element_);
    else if (now_ >= 0 && number == 0 && tiled) strip.focus = now_;
    return strip;
  }

  void Caption(absl::string_view text, absl::string_view more) {
    board_.Skip(6);
    d_.AddText({kLeft, board_.y() + 12}, text, {12, Face::kStrong, Ink::kText});
    d_.AddText({kLeft + TextWidth(text, Face::kStrong, 12) + 10, board_.y() + 12}, more, {12, Face::kUi, Ink::kDim});
    board_.Skip(20);
  }

  MemoryStrip PutStrip(StripSpec spec) {
    MemoryStrip strip(std::move(spec), selection_, width_);
    strip.Draw({kLeft, board_.y()}, &d_);
    board_.Skip(strip.height() + 8);
    return strip;
  }

  void DrawMemory() {
    if (source_ != nullptr) {
      Caption(tr_("Memory of $0", source_->name), tr_("before: $0", LayoutOfArray(*source_).ToString()));
      const MemoryStrip before = PutStrip(SpecOfStrip(*source_map_, 1, LayoutOfArray(*source_), true));
      StripSpec spec = SpecOfStrip(*map_, 0, layout(), true);
      const std::string caption = tr_("Memory of $0", array_->name), more = tr_("after: $0", layout().ToString());
      const bool rows = before.one_row() && MemoryStrip(spec, selection_, width_).one_row();
      // Where lines run, or may when somebody points at a cell, the caption stands below.
      if (!selection_.live && !element_.has_value() && !now_index_.has_value() && !(rows && Count(dims_) <= kMostMoves)) {
        Caption(caption, more);
        PutStrip(std::move(spec));
        return;
      }
      board_.Skip(rows ? 44 : 34);
      spec.note_below = true;
      const MemoryStrip after = PutStrip(std::move(spec));
      DrawMoves(before, after);
      board_.Skip(-8);
      Caption(caption, more);
      board_.Skip(4);
      return;
    }
    if (!layout().tiles.empty()) {
      Caption(tr_("Linear order"), tr_("before tiling: the dimensions, padded, from the most major to the most minor"));
      PutStrip(SpecOfStrip(*map_, 2, layout(), false));
      Caption(tr_("Memory"), tr_("tile after tile"));
    } else {
      Caption(tr_("Memory"), tr_("each cell with its value and its place"));
    }
    PutStrip(SpecOfStrip(*map_, 0, layout(), true));
  }

  // Where each element goes.
  void DrawMoves(const MemoryStrip& before, const MemoryStrip& after) {
    const auto line = [&](const std::vector<int64_t>& index, Paint paint, float width, bool arrow) {
      const std::optional<Box> a = before.BoxOf(source_map_->PhysicalOf(index)), b = after.BoxOf(map_->PhysicalOf(index));
      if (!a.has_value() || !b.has_value()) return;
      // Through other rows on the lines between their cells.
      const bool leaves = a->bottom() + 24 < before.bottom(), enters = b->y > after.top() + 1;
      std::vector<Place> points = {leaves ? Place{a->right(), a->bottom()} : Place{a->x + a->width / 2, a->bottom() + 12}};
      const auto straight = [&points](float y) {
        const Place at = points.back();
        points.insert(points.end(), {{at.x, at.y + (y - at.y) / 3}, {at.x, y - (y - at.y) / 3}, {at.x, y}});
      };
      if (leaves) straight(before.bottom());
      const Place from = points.back(), to = enters ? Place{b->x, after.top() - 2} : Place{b->x + b->width / 2, b->y};
      const float bend = (to.y - from.y) * 0.45f;
      points.insert(points.end(), {{from.x, from.y + bend}, {to.x, to.y - bend}, to});
      if (enters) {
        straight(b->y - 6);
        points.insert(points.end(), {{b->x, b->y - 2}, {b->x + 2, b->y}, {b->x + 5, b->y + 4}});
      }
      d_.AddPath(std::move(points), {.paint = paint, .width = width, .arrow = arrow}, true);
    };
    if (before.one_row() && after.one_row() && Count(dims_) <= kMostMoves) {
      std::vector<int64_t> index(dims_.size(), 0);
      do {
        const Paint tint = Tint(index);
        line(index, tint.none() ? Paint(Ink::kDim, 0.5f) : Paint(tint.ink, 0.75f), 1, false);
      } while (NextIndex(dims_, absl::MakeSpan(index)));
    }
    if (element_.has_value()) line(*element_, Ink::kBlue, 2, true);
    if (now_index_.has_value()) line(*now_index_, Ink::kAmber, 2, true);
  }

  // Logical to linear to physical, of the selected element.
  void Tell() {
    if (padding_.has_value()) {
      board_.Say(padding_->array == kPaddingCells ? tr_("$0 is padding, beyond the array's dimensions.", IndexText(padding_->index))
                                                  : tr_("Place $0 in memory is padding.", padding_->index.empty() ? 0 : padding_->index[0]));
    }
    if (!element_.has_value()) {
      if (!padding_.has_value() && now_ < 0 && selection_.live) board_.Say(tr_("Hover a cell: where it lies in memory is told here."), Ink::kFaint);
      return;
    }
    const std::vector<int64_t>& index = *element_;
    const int64_t linear = map_->LinearOf(index), physical = map_->PhysicalOf(index);
    std::string sum, numbers;
    for (const int64_t d : map_->major_to_minor()) {
      absl::StrAppend(&sum, sum.empty() ? "" : " + ", controls_->axes()[d].letter, " × ", controls_->Stride(static_cast<int>(d)));
      absl::StrAppend(&numbers, numbers.empty() ? "" : " + ", index[d], " × ", controls_->Stride(static_cast<int>(d)));
    }
    // In columns, whatever the language calls them.
    const std::string names[] = {tr_("logical"), tr_("linear"), tr_("physical")};
    float indent = 0;
    for (const std::string& name : names) indent = std::max(indent, TextWidth(name, Face::kMono, 12) + 14);
    board_.CodeAfter(names[0], indent, absl::StrCat(array_->name, IndexText(index), ValueText(index)));
    board_.CodeAfter(names[1], indent, absl::StrCat(dims_.empty() ? "" : absl::StrCat(sum, " = ", numbers, " = "), linear));
    const int64_t bits = map_->ElementBits(), bit = physical * bits;
    const std::string bytes = bits == 8 ? tr_("byte $0", bit / 8) : bits % 8 == 0 ? tr_("bytes $0 to $1", bit / 8, bit / 8 + bits / 8 - 1) : tr_("bits $0 to $1", bit, bit + bits - 1);
    std::string tile;
    if (const std::vector<LayoutMap::Stage>& stages = map_->stages(); stages.size() == 1) {
      const LayoutMap::Stage& stage = stages[0];
      // The dimensions as the tile sees them, with the ones put in front.
      std::vector<int64_t> place(stage.added, 0);
      for (const int64_t d : map_->major_to_minor()) place.push_back(index[d]);
      std::vector<int64_t> which, in;
      for (const LayoutMap::Stage::Group& group : stage.groups) {
        int64_t at = 0;
        for (int k = 0; k < group.count; ++k) at = at * stage.before[group.first + k] + place[group.first + k];
        which.push_back(at / group.tile);
        in.push_back(at % group.tile);
      }
      // Dimensions that are not tiled say which tile as well.
      if (!stage.groups.empty()) which.insert(which.begin(), place.begin(), place.begin() + stage.groups.front().first);
      tile = absl::StrCat("   ", tr_("tile ($0), place ($1) in it", absl::StrJoin(which, ","), absl::StrJoin(in, ",")));
    }
    board_.CodeAfter(names[2], indent, absl::StrCat(physical, "   ", bytes, tile));
  }

  Board& board_;
  Drawing& d_;
  const PictureData& data_;
  const PictureSelection& selection_;
  const Captions& tr_;
  float width_;
  const PictureArray *array_ = nullptr, *source_ = nullptr;
  std::vector<int64_t> dims_;
  ElementType type_ = ElementType::kF32;
  std::optional<LayoutControls> controls_;
  const LayoutMap* map_ = nullptr;
  std::optional<LayoutMap> source_map_;
  std::optional<std::vector<int64_t>> element_, now_index_;
  std::optional<Cell> padding_;
  int64_t now_ = -1;  // the step's place in memory
};

bool LayoutChanges(const Instruction& i) {
  return i.operands.size() == 1 && i.shape.IsArray() && i.operands[0]->shape.IsArray() && (i.opcode == Opcode::kCopy || i.opcode == Opcode::kBitcast) && Shape::SameDimensions(i.shape, i.operands[0]->shape) &&
         !SameStorage(i.shape, i.operands[0]->shape);
}

}  // namespace

int SuitsLayout(const Instruction& instruction) {
  if (LayoutChanges(instruction)) return 90;
  if (instruction.shape.IsArray()) {
    if (instruction.operands.empty()) return 15;  // parameters, constants: how they lie is all there is to say
    return instruction.shape.layout() != nullptr && !instruction.shape.layout()->IsPlainRowMajor() ? 8 : 6;
  }
  for (const Instruction* operand : instruction.operands) {
    if (operand->shape.IsArray()) return 3;
  }
  return LeafCountOf(instruction.shape) > 0 && LeafShape(instruction.shape, 0).IsArray() ? 3 : 0;
}

absl::StatusOr<MadePicture> DrawLayout(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  return LayoutPicture(*made, data, selection).Draw();
}

}  // namespace hloscope
