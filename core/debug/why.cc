// The slice is grown breadth first. Between two steps of computation lies any amount of data movement, tuples, calls and iterations that
// hand a number on: one walk (element_walk.h), so neither long chains nor long loops nest.
#include "core/debug/why.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/debug/element_walk.h"
#include "core/debug/slice_text.h"
#include "core/debug/text_util.h"
#include "core/element/scalar_eval.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr size_t kEdges = 12;  // of a node without terms, as shown
constexpr size_t kBirthPath = 4000;

struct PlaceHash {
  size_t operator()(const ElementPlace& p) const { return absl::HashOf(p.device, p.frame, p.instruction, p.leaf, p.linear); }
};

bool IsBad(const Scalar& s, bool nan) { return nan ? s.IsNaN() : (IsFloat(s.type) || IsComplex(s.type)) && !s.IsNaN() && !s.IsFinite(); }

ElementType TypeAt(const ElementPlace& place) { return LeafShape(place.instruction->shape, place.leaf).element_type(); }

double Magnitude(const Scalar& s) {
  if (s.IsNaN()) return HUGE_VAL;
  if (IsComplex(s.type)) return std::abs(s.c());
  if (IsFloat(s.type)) return std::fabs(s.re);
  return IsUnsigned(s.type) ? static_cast<double>(s.u()) : std::fabs(static_cast<double>(s.i));
}

absl::string_view FoldWord(ScalarOp op) {
  switch (op) {
    case ScalarOp::kAdd: return "sum";
    case ScalarOp::kMultiply: return "product";
    case ScalarOp::kMaximum: return "maximum";
    case ScalarOp::kMinimum: return "minimum";
    case ScalarOp::kAnd: return "and";
    case ScalarOp::kOr: return "or";
    default: return "fold";
  }
}

class WhyBuilder {
 public:
  WhyBuilder(const ReaderOf& readers, const WhyOptions& options) : readers_(readers), options_(options) {}

  absl::StatusOr<Slice> Build(const ElementPlace& place) {
    absl::StatusOr<Scalar> value = Reader(place).Element(place);
    if (!value.ok()) return value.status();
    AddNode(place, 0);
    const bool nan = value->IsNaN(), inf = IsBad(*value, false);
    if (options_.births && (nan || inf)) {
      FillFormula(0);
      if (absl::Status status = FindBirths(place, nan); !status.ok()) return status;
      return std::move(slice_);
    }
    queue_.push_back(0);
    if (absl::Status status = Grow(); !status.ok()) return status;
    return std::move(slice_);
  }

 private:
  ElementReader& Reader(const ElementPlace& place) { return readers_(place.device); }
  bool SetByHand(const ElementPlace& p) { return Reader(p).history().SetByHand(p.frame, *p.instruction, p.leaf, p.linear); }
  ElementWalker& Walker(const ElementPlace& place) { return walkers_.try_emplace(place.device, Reader(place), options_.control).first->second; }

  // `was`: what it was before it was set by hand; such a node is not the one of what it is now.
  int AddNode(const ElementPlace& place, int depth, const std::optional<Scalar>& was = std::nullopt) {
    if (was.has_value()) return AddPast(place, depth, *was);
    const auto [entry, fresh] = numbers_.try_emplace(place, static_cast<int>(slice_.nodes.size()));
    if (!fresh) return entry->second;
    SliceNode node;
    node.place = place;
    node.depth = depth;
    const Shape& shape = LeafShape(place.instruction->shape, place.leaf);
    node.index = IndexOfPlace(shape, place.linear);
    absl::StatusOr<Scalar> value = Reader(place).Element(place);
    node.known = value.ok();
    if (value.ok()) node.value = *value;
    if (!value.ok()) node.note = std::string(value.status().message());
    slice_.nodes.push_back(std::move(node));
    return entry->second;
  }

  int AddPast(const ElementPlace& place, int depth, const Scalar& was) {
    SliceNode node;
    node.place = place;
    node.depth = depth;
    node.index = IndexOfPlace(LeafShape(place.instruction->shape, place.leaf), place.linear);
    node.value = was;
    node.known = true;
    const absl::StatusOr<Scalar> now = Reader(place).Element(place);
    const bool other = !now.ok() || ToText(*now) != ToText(was);  // another element may have been set
    if (other) node.note = absl::StrCat("before it was set by hand", now.ok() ? absl::StrCat(" to ", ToText(*now)) : "");
    past_.insert(static_cast<int>(slice_.nodes.size()));
    if (!Reader(place).history().ComputedBefore(place.frame, *place.instruction, place.leaf, place.linear)) {
      node.kind = SliceNode::kCreated;
      node.expanded = true;
      absl::StrAppend(&node.note, other ? "; " : "", "set by hand");
    }
    slice_.nodes.push_back(std::move(node));
    return static_cast<int>(slice_.nodes.size()) - 1;
  }

  absl::Status Grow() {
    while (!queue_.empty()) {
      const int number = queue_.front();
      queue_.pop_front();
      if (slice_.nodes[number].expanded) continue;
      if (static_cast<int64_t>(slice_.nodes.size()) >= options_.nodes) {
        slice_.cut = true;
        return absl::OkStatus();
      }
      if (absl::Status status = Expand(number); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ElementReads> ReadsOf(const ElementPlace& place) {
    if (const ElementReads* known = Walker(place).KnownReads(place)) return *known;
    return Reader(place).Reads(place, limits_);
  }

  absl::Status Expand(int number) {
    slice_.nodes[number].expanded = true;
    const ElementPlace place = slice_.nodes[number].place;
    if (!past_.contains(number) && SetByHand(place)) {
      slice_.nodes[number].kind = SliceNode::kCreated;
      slice_.nodes[number].note = "set by hand";
      return absl::OkStatus();
    }
    if (place.instruction->literal != nullptr) {
      slice_.nodes[number].kind = SliceNode::kConstant;
      return absl::OkStatus();
    }
    // A result that is handed on or moved: one edge to where it was made.
    if (options_.terms >= 0) {
      absl::StatusOr<std::optional<ElementReader::TermList>> terms = Reader(place).Terms(place, options_.terms);
      if (!terms.ok()) return terms.status();
      if (terms->has_value()) {
        FillFormula(number);
        return ExpandTerms(number, **terms);
      }
    }
    absl::StatusOr<ElementReads> reads = ReadsOf(place);
    if (!reads.ok()) {
      if (!absl::IsResourceExhausted(reads.status())) return reads.status();
      slice_.nodes[number].kind = SliceNode::kUnknown;
      slice_.nodes[number].note = std::string(reads.status().message());
      return absl::OkStatus();
    }
    SliceNode& node = slice_.nodes[number];
    node.kind = reads->kind;
    node.reads = reads->total;
    if (!reads->note.empty()) node.note = reads->note;
    if (reads->moved >= 0) {
      absl::StatusOr<Walked> walked = Walker(place).Walk(place, past_.contains(number));
      if (!walked.ok()) return walked.status();
      if (walked->edge.moves > 0) return Connect(number, ReadRole::kValue, -1, *std::move(walked));
      // A fold over nothing: it is what it would have started from, and its formula says so.
    }
    FillFormula(number);
    return ExpandReads(number, *reads);
  }

  absl::Status ExpandReads(int number, const ElementReads& reads) {
    std::vector<ElementRead> chosen = reads.reads;
    if (options_.terms >= 0 && chosen.size() > kEdges) {  // the largest
      std::vector<std::pair<double, size_t>> order;
      for (size_t k = 0; k < chosen.size(); ++k) {
        if (chosen[k].role != ReadRole::kValue) continue;
        absl::StatusOr<Scalar> value = Reader(chosen[k].place).Element(chosen[k].place);
        order.push_back({value.ok() ? -Magnitude(*value) : 0, k});
      }
      const size_t most = std::min<size_t>(order.size(), std::max(1, options_.terms));
      std::partial_sort(order.begin(), order.begin() + most, order.end());
      std::vector<ElementRead> largest;
      for (size_t k = 0; k < most; ++k) largest.push_back(chosen[order[k].second]);
      chosen.swap(largest);
    }
    for (const ElementRead& read : chosen) {
      if (absl::Status status = ConnectRead(number, read, -1); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ExpandTerms(int number, ElementReader::TermList& list) {
    const ElementPlace place = slice_.nodes[number].place;
    {
      SliceNode& node = slice_.nodes[number];
      node.term_count = list.count;
      node.other_terms = list.other;
      node.padding_terms = list.padding;
      node.fold = list.op.has_value() ? std::string(FoldWord(*list.op)) : "updates";
      node.terms = std::move(list.terms);
      if (!list.formula.empty()) node.formula = std::move(list.formula);
      if (!list.numbers.empty()) node.numbers = std::move(list.numbers);
      if (list.padding > 0 && list.count - list.padding == static_cast<int64_t>(node.terms.size()) && std::all_of(node.terms.begin(), node.terms.end(), [](const SliceTerm& term) { return term.initial; })) {
        node.formula.clear();  // it tells of nothing else than zeros
        node.numbers.clear();
        node.note = absl::StrCat(place.instruction->GetWindow() != nullptr ? "the window lies in padding alone" : "none of its terms counts", ": no element is read, and the result is ",
                                 node.terms.empty() ? absl::StrCat("the ", node.fold, " of nothing") : "the initial value");
      }
    }
    for (size_t t = 0; t < list.loads.size(); ++t) {
      std::set<std::pair<const Instruction*, int64_t>> read_already;  // x * x
      for (const TracedLoad& load : list.loads[t]) {
        if (!read_already.insert({place.instruction->operands[load.operand], load.linear}).second) continue;
        const ReadRole role = load.role == LoadRole::kValue ? ReadRole::kValue : load.role == LoadRole::kPredicate ? ReadRole::kPredicate : ReadRole::kIndex;
        const ElementRead read{{place.frame, place.instruction->operands[load.operand], 0, load.linear, place.device}, role};
        if (absl::Status status = ConnectRead(number, read, static_cast<int>(t)); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status ConnectRead(int number, const ElementRead& read, int term) {
    const bool follows = options_.control || read.role == ReadRole::kValue || read.role == ReadRole::kPredicate;
    Walked walked;
    walked.place = read.place;
    walked.was = Walker(read.place).WasFor(slice_.nodes[number].place, read);
    if (follows && !walked.was.has_value()) {
      absl::StatusOr<Walked> found = Walker(read.place).Walk(read.place);
      if (!found.ok()) return found.status();
      walked = *std::move(found);
    }
    if (read.role == ReadRole::kIndex) {
      absl::StatusOr<Scalar> value = Reader(read.place).Element(read.place);
      const std::string displaced = value.ok() ? DisplacedText(Reader(slice_.nodes[number].place), slice_.nodes[number].place, read.place, *value) : "";
      if (!displaced.empty()) walked.edge.notes.push_back(absl::StrCat("index ", PlaceText(read.place), " = ", ToText(*value), displaced));
    }
    return Connect(number, read.role, term, std::move(walked));
  }

  absl::Status Connect(int number, ReadRole role, int term, Walked walked) {
    const int depth = slice_.nodes[number].depth + 1;
    for (const Walked::Side& side : walked.sides) {  // what decided on the way
      Walked at;
      at.place = side.read.place;
      if (!side.further.empty()) at.edge.notes.push_back(side.further);
      Link(number, side.read.role, term, std::move(at), depth);
    }
    Link(number, role, term, std::move(walked), depth);
    return absl::OkStatus();
  }

  void Link(int number, ReadRole role, int term, Walked walked, int depth) {
    const int to = AddNode(walked.place, depth, walked.was);
    SliceEdge edge = std::move(walked.edge);
    edge.to = to;
    edge.role = role;
    edge.term = term;
    slice_.nodes[number].edges.push_back(std::move(edge));
    const bool follows = options_.control || role == ReadRole::kValue || role == ReadRole::kPredicate;
    SliceNode& child = slice_.nodes[to];
    const Instruction& i = *child.place.instruction;
    if (i.literal != nullptr) child.kind = SliceNode::kConstant;
    if (!follows) return;
    child.depth = std::min(child.depth, depth);
    if (!past_.contains(to) && SetByHand(child.place)) {
      child.kind = SliceNode::kCreated;
      child.note = "set by hand";
      child.expanded = true;
    }
    if (i.parameter_number >= 0) {
      const FrameKind kind = Reader(child.place).history().place(child.place.frame).kind;
      if (kind == FrameKind::kEntry || kind == FrameKind::kElement) child.kind = SliceNode::kParameter;
    }
    if (!child.expanded && (options_.depth < 0 || depth < options_.depth)) {
      queue_.push_back(to);
    } else if (!child.expanded && child.formula.empty() && child.kind == SliceNode::kComputed) {
      FillFormula(to);
    }
  }

  void FillFormula(int number) {
    const ElementPlace place = slice_.nodes[number].place;
    if (const int64_t along = place.instruction->Int(AttrId::kIotaDimension, -1); along >= 0) {  // it has no operands to name
      slice_.nodes[number].formula = absl::StrCat("the index in dimension ", along);
      return;
    }
    const ElementReader::Prepared* written = Reader(place).ProgramOf(*place.instruction);
    if (written == nullptr || written->program.is_push || slice_.nodes.size() > 2000) return;
    const absl::StatusOr<const ElementReader::Prepared*> in_run = Reader(place).ProgramIn(place.frame, *place.instruction);
    const ElementReader::Prepared* prepared = in_run.ok() ? *in_run : written;
    std::vector<std::string> names;
    for (const Instruction* operand : place.instruction->operands) names.push_back(ShownName(*operand));
    const ElementLoader load = Reader(place).LoaderOf(place.frame, *place.instruction, *prepared);
    slice_.nodes[number].formula = prepared->tracer->Formula(place.leaf, slice_.nodes[number].index, names, false, load);
    if (prepared->cheap[place.leaf]) slice_.nodes[number].numbers = prepared->tracer->Formula(place.leaf, slice_.nodes[number].index, names, true, load);
  }

  // ---- Births ----

  absl::Status FindBirths(const ElementPlace& place, bool nan) {
    std::optional<std::pair<ElementPlace, bool>> next = std::make_pair(place, nan);
    for (int leg = 0; leg < 2 && next.has_value(); ++leg) {
      absl::StatusOr<std::optional<ElementPlace>> infinite = FindBirth(next->first, next->second);
      if (!infinite.ok()) return infinite.status();
      next.reset();
      if (infinite->has_value()) next = std::make_pair(**infinite, false);
    }
    return absl::OkStatus();
  }

  // Whether the element is of that kind also where the elements of that kind that it reads are ordinary numbers: then it does not come from them.
  bool StaysBad(const ElementPlace& place, bool nan) {
    const absl::StatusOr<const ElementReader::Prepared*> prepared = Reader(place).ProgramIn(place.frame, *place.instruction);
    if (!prepared.ok() || *prepared == nullptr) return false;
    const ElementLoader load = Reader(place).LoaderOf(place.frame, *place.instruction, **prepared);
    const ElementLoader ordinary = [&load, nan](int operand, int64_t linear) -> absl::StatusOr<Scalar> {
      absl::StatusOr<Scalar> value = load(operand, linear);
      if (!value.ok() || !IsBad(*value, nan)) return value;
      return IsComplex(value->type) ? Scalar::Complex(value->type, 1) : Scalar::Float(value->type, 1);
    };
    const std::vector<int64_t> index = IndexOfPlace(LeafShape(place.instruction->shape, place.leaf), place.linear);
    const absl::StatusOr<TracedElement> again = (*prepared)->tracer->At(place.leaf, index, ordinary, limits_.points);
    return again.ok() && IsBad(again->value, nan);
  }

  // An element that `place` reads and that is of that kind; none: it is born here.
  absl::StatusOr<std::optional<ElementRead>> BadRead(const ElementPlace& place, const ElementReads& reads, bool nan) {
    const absl::StatusOr<Scalar> here = Reader(place).Element(place);
    std::optional<ElementRead> found, other_sign;
    for (const ElementRead& read : reads.reads) {
      if (read.role == ReadRole::kControl || read.role == ReadRole::kOrder) continue;
      const std::optional<Scalar> was = Walker(read.place).WasFor(place, read);
      absl::StatusOr<Scalar> value = was.has_value() ? absl::StatusOr<Scalar>(*was) : Reader(read.place).Element(read.place);
      if (!value.ok()) return value.status();
      if (!IsBad(*value, nan)) continue;
      const bool opposite = !nan && here.ok() && IsFloat(here->type) && IsFloat(value->type) && IsBad(*here, false) && std::signbit(here->re) != std::signbit(value->re);
      if (!opposite) return std::optional<ElementRead>(read);
      if (!other_sign.has_value()) other_sign = read;
    }
    // The other infinity may have been turned round, or have lost: a maximum begins with -inf.
    if (other_sign.has_value()) return StaysBad(place, nan) ? found : other_sign;
    if (reads.kind != SliceNode::kOpaque) return found;
    for (const ElementRead& read : reads.reads) {  // what decides whether there is a result at all
      if (read.role != ReadRole::kOrder) continue;
      const absl::StatusOr<Scalar> value = Reader(read.place).Element(read.place);
      if (!value.ok()) return value.status();
      if (IsBad(*value, nan)) return std::optional<ElementRead>(read);
    }
    return found;
  }

  absl::StatusOr<ElementReads> ReadsForBirth(const ElementPlace& place) {
    absl::StatusOr<ElementReads> reads = Reader(place).Reads(place, limits_);
    if (reads.ok() || !absl::IsResourceExhausted(reads.status())) return reads;
    // Too many to look at one by one: a NaN or an infinity is among the largest terms.
    absl::StatusOr<std::optional<ElementReader::TermList>> terms = Reader(place).Terms(place, 8);
    if (!terms.ok()) return terms.status();
    if (!terms->has_value()) return reads;
    ElementReads few;
    few.total = (*terms)->count;
    for (const auto& loads : (*terms)->loads) {
      for (const TracedLoad& load : loads) few.reads.push_back({{place.frame, place.instruction->operands[load.operand], 0, load.linear, place.device}, ReadRole::kValue});
    }
    return few;
  }

  // Returns an infinity that a NaN was made from.
  absl::StatusOr<std::optional<ElementPlace>> FindBirth(const ElementPlace& start, bool nan) {
    SliceBirth birth;
    birth.nan = nan;
    birth.path.push_back(AddNode(start, 0));
    ElementPlace at = start;
    std::optional<Scalar> at_was;
    while (true) {
      absl::StatusOr<ElementReads> reads = ReadsForBirth(at);
      if (!reads.ok()) return reads.status();
      std::optional<ElementRead> bad;
      const bool set = !at_was.has_value() && SetByHand(at);
      const ElementRead* moved = reads->moved >= 0 && !set ? &reads->reads[reads->moved] : nullptr;
      if (moved != nullptr && TypeAt(moved->place) == TypeAt(at)) {
        bad = *moved;
      } else if (!set) {  // a conversion may make one: of what has no place in its type
        absl::StatusOr<std::optional<ElementRead>> found = BadRead(at, *reads, nan);
        if (!found.ok()) return found.status();
        bad = *found;
        if (bad.has_value() && moved == nullptr) ++birth.hops;
      }
      if (!bad.has_value()) {
        const int number = AddNode(at, 0, at_was);
        if (moved != nullptr) FillFormula(number);
        if (birth.path.back() != number) birth.path.push_back(number);
        birth.given = set || reads->kind == SliceNode::kParameter || reads->kind == SliceNode::kConstant;
        std::optional<ElementPlace> infinite;
        if (nan && !birth.given) {
          absl::StatusOr<std::optional<ElementRead>> found = BadRead(at, *reads, false);
          if (!found.ok()) return found.status();
          if (found->has_value()) infinite = (*found)->place;
        }
        slice_.births.push_back(std::move(birth));
        slice_.nodes[number].depth = options_.depth < 0 ? 0 : options_.depth - 1;  // the elements that it was made from, and no more
        const absl::Status status = Expand(number);
        queue_.clear();
        if (!status.ok()) return status;
        return infinite;
      }
      if (reads->moved < 0 && birth.path.size() < kBirthPath) {
        const int number = AddNode(at, 0, at_was);
        if (birth.path.back() != number) birth.path.push_back(number);
      }
      at_was = Walker(bad->place).WasFor(at, *bad);
      at = bad->place;
    }
  }

  const ReaderOf& readers_;
  const WhyOptions options_;
  const ReadLimits limits_;
  std::map<int, ElementWalker> walkers_;  // by device
  Slice slice_;
  absl::flat_hash_map<ElementPlace, int, PlaceHash> numbers_;
  std::deque<int> queue_;
  std::set<int> past_;  // nodes of values that were set by hand later
};

}  // namespace

absl::StatusOr<Slice> BuildWhy(const ReaderOf& readers, const ElementPlace& place, const WhyOptions& options) { return WhyBuilder(readers, options).Build(place); }

absl::StatusOr<Slice> BuildWhy(ElementReader& reader, const ElementPlace& place, const WhyOptions& options) {
  return BuildWhy([&reader](int) -> ElementReader& { return reader; }, place, options);
}

}  // namespace hloscope
