#include "visualizer/model/value_view.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/debug/color_scale.h"
#include "core/debug/compare_values.h"
#include "core/debug/device_readers.h"
#include "core/debug/session_state.h"
#include "core/debug/set_readers.h"
#include "core/debug/slice_instructions.h"
#include "core/debug/slice_command.h"
#include "core/debug/slice_text.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/debug/why.h"
#include "core/exec/error_place.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"
#include "core/shape/layout_map.h"
#include "core/shape/layout_util.h"
#include "visualizer/model/frame_moment.h"

namespace hloscope {
namespace {

constexpr int64_t kMostInHistogram = int64_t{1} << 24;

// A dense value that somebody had to make from another layout, kept while the same is asked for. What the machine holds itself is not kept
// here, so that its kernels may go on in place.
struct MadeDense {
  FrameMoment moment;
  const Instruction* of = nullptr;
  Value value;
};

// The value of another moment that was asked for last.
struct ThenValue {
  ValueName name;
  const Machine* machine = nullptr;
  int64_t executed = -1;
  Value value;
  std::string by_hand;
};

absl::StatusOr<Value> DenseLeaf(const Value& value, int number) {
  if (number >= LeafCountOf(value.shape())) return absl::OutOfRangeError("the tuple has no such part");
  const Value& leaf = LeafOf(value, number);
  if (!leaf.shape().IsArray()) return absl::InvalidArgumentError(absl::StrCat("a ", leaf.shape().ToString(false), " has no elements"));
  return ToDense(leaf);
}

uint64_t RawBits(ElementType type, const std::byte* storage) {
  uint64_t bits = 0;
  std::memcpy(&bits, storage, std::min<size_t>(8, static_cast<size_t>(StorageBytes(type))));
  const int width = BitWidth(type);
  return width >= 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

std::string BitText(uint64_t bits, int from, int count) {
  std::string text;
  for (int k = from + count - 1; k >= from; --k) text.push_back((bits >> k & 1) != 0 ? '1' : '0');
  return text;
}

void AppendFloatGroups(ElementType type, const std::byte* storage, NumberBits* out) {
  const uint64_t bits = RawBits(type, storage);
  const FloatFields fields = FieldsOf(type);
  const int below = fields.exponent_bits + fields.mantissa_bits;
  const double value = DecodeFloat(type, bits);
  const uint64_t exponent = bits >> fields.mantissa_bits & ((uint64_t{1} << fields.exponent_bits) - 1);
  const uint64_t mantissa = fields.mantissa_bits == 0 ? 0 : bits & ((uint64_t{1} << fields.mantissa_bits) - 1);
  const bool has_sign = below < BitWidth(type), negative = has_sign && (bits >> below & 1) != 0;
  // A type without a sign and a mantissa has no zero and no denormals: its exponent 0 counts as any other.
  const bool lowest = exponent == 0 && has_sign;
  out->kind = std::isnan(value) ? "NaN" : std::isinf(value) ? "infinity" : value == 0 ? "zero" : lowest ? "denormal" : "normal";
  const bool special = !std::isfinite(value);
  if (has_sign) out->groups.push_back({BitGroup::kSign, BitText(bits, below, 1), negative ? "-" : "+"});
  const int64_t power = (lowest ? 1 : static_cast<int64_t>(exponent)) - fields.bias;
  out->groups.push_back({BitGroup::kExponent, BitText(bits, fields.mantissa_bits, fields.exponent_bits), special ? "special" : value == 0 ? "0" : absl::StrCat("2^", power)});
  if (fields.mantissa_bits > 0) {
    const double fraction = std::ldexp(static_cast<double>(mantissa), -fields.mantissa_bits) + (lowest ? 0 : 1);
    out->groups.push_back({BitGroup::kMantissa, BitText(bits, 0, fields.mantissa_bits), special ? (std::isnan(value) ? "payload" : "") : absl::StrFormat("%.9g", fraction)});
  }
}

// In a frame that has ended: the program goes there, and comes back.
absl::StatusOr<Value> ValueOfThen(Session::State& s, const ValueName& name, std::string* by_hand) {
  const Instruction& instruction = *name.instruction;
  if (!s.visible()) return absl::FailedPreconditionError("the program is not running");
  const std::string expression = absl::StrCat("%", instruction.name);
  if (const absl::StatusOr<Mark> mark = ParseMoment(s, name.moment, expression); !mark.ok()) return mark.status();
  absl::StatusOr<Value> value = absl::NotFoundError("");
  // What is said on the way is for the console's own commands.
  const std::function<void(absl::string_view)> out = std::exchange(s.out, [](absl::string_view) {});
  const absl::Status looked = LookBack(s, name.moment, expression, [&](absl::string_view) -> absl::Status {
    const int depth = s.FrameThatShows(instruction);
    if (depth < 0) return absl::NotFoundError(absl::StrCat(name.moment, " is not in ", instruction.parent->name));
    value = s.machine->ValueOf(depth, instruction.index);
    *by_hand = SetMarkOf(s, depth, instruction);
    return value.status();
  });
  s.out = out;
  if (!looked.ok()) return looked;
  return value;
}

}  // namespace

absl::StatusOr<Value> ValueOfLeaf(Session::State& s, const ValueName& name) {
  const Instruction& instruction = *name.instruction;
  if (!name.moment.empty()) {
    // Asked for again and again while one looks at it: the last one stays.
    if (s.machine == nullptr) return absl::FailedPreconditionError("the program is not running");
    ThenValue& then = s.Extension<ThenValue>();
    if (!(then.name == name) || then.executed != s.machine->executed() || then.machine != s.machine.get()) {
      std::string by_hand;
      absl::StatusOr<Value> made = ValueOfThen(s, name, &by_hand);
      if (!made.ok()) return made.status();
      then = {name, s.machine.get(), s.machine->executed(), *std::move(made), std::move(by_hand)};
    }
    return DenseLeaf(then.value, name.leaf);
  }
  const int depth = s.FrameThatShows(instruction);
  absl::StatusOr<Value> value = absl::FailedPreconditionError("");
  if (depth >= 0) {
    MadeDense& made = s.Extension<MadeDense>();
    const Frame& frame = s.machine->frames()[depth];
    const FrameMoment moment = FrameMomentOf(s, depth);
    if (made.value.has_value() && made.moment == moment && made.of == &instruction) {
      value = made.value;
    } else {
      made = MadeDense();
      // Arguments are there before their turn.
      const bool before = instruction.index >= frame.position && (name.ahead || instruction.parameter_number >= 0);
      value = before ? s.machine->ValueAhead(depth, instruction.index) : s.machine->ValueOf(depth, instruction.index);
      if (value.ok() && value->shape().IsArray() && value->unique()) made = {moment, &instruction, *value};
    }
  }
  if (!value.ok() && instruction.literal != nullptr && instruction.literal->value.has_value()) value = instruction.literal->value;
  if (!value.ok() && depth < 0) {
    value = absl::FailedPreconditionError(s.visible() ? absl::StrCat(ShownName(instruction), " belongs to ", instruction.parent->name, ", which does not run now") : "the program is not running");
  }
  if (!value.ok()) return value.status();
  return DenseLeaf(*value, name.leaf);
}

std::string ValueSetMark(Session::State& s, const ValueName& name) {
  if (!name.moment.empty()) {
    const ThenValue& then = s.Extension<ThenValue>();
    return then.name == name ? then.by_hand : "";
  }
  const int depth = s.FrameThatShows(*name.instruction);
  return depth < 0 ? "" : SetMarkOf(s, depth, *name.instruction);
}

namespace {

// The loop whose body the instruction lies in, if there is one such loop.
void FindLoop(const Session::State& s, const Instruction& instruction, Standing* standing) {
  for (const Computation* computation : s.module->computations) {
    for (const Instruction* i : computation->instructions) {
      if (Def(*i).control != ControlKind::kWhile || i->Called(AttrId::kBody) != instruction.parent) continue;
      if (standing->loop != nullptr) return void(standing->loop = nullptr);
      standing->loop = i;
    }
  }
  if (standing->loop == nullptr) return;
  const std::vector<Frame>& frames = s.machine->frames();
  for (size_t depth = 0; depth < frames.size(); ++depth) {
    if (frames[depth].computation != standing->loop->parent) continue;
    if (const std::optional<int64_t> trips = s.machine->TripCount(static_cast<int>(depth), standing->loop->index)) standing->iterations = *trips;
  }
}

}  // namespace

Standing StandingOf(const Session::State& s, const Instruction& instruction) {
  Standing standing;
  standing.of = &instruction;
  const int depth = s.FrameThatShows(instruction);
  const auto there = [&](const Instruction& i) {
    if (i.literal != nullptr && i.literal->value.has_value()) return true;
    return depth >= 0 && (i.index < s.machine->frames()[depth].position || i.parameter_number >= 0);
  };
  standing.there = there(instruction);
  if (depth >= 0) standing.iteration = LoopsText(LoopsAround(absl::MakeConstSpan(s.machine->frames()).first(static_cast<size_t>(depth) + 1)));
  for (const Instruction* operand : instruction.operands) standing.operands_there.push_back(there(*operand));
  if (standing.there) return standing;
  if (!s.visible()) standing.why = "the program is not running";
  else if (depth < 0) {
    standing.why = absl::StrCat(instruction.parent->name, " does not run now");
    standing.ended = true;
    FindLoop(s, instruction, &standing);
  }
  else if (s.error_stop && instruction.index == s.machine->frames()[depth].position) standing.why = "failed here";
  else standing.why = "not executed yet";
  return standing;
}

Histogram MakeHistogram(const Value& array, double low, double high, int most) {
  Histogram h;
  h.low = low;
  h.high = high;
  const ElementType type = array.shape().element_type();
  const bool whole = !IsFloat(type) && !IsComplex(type);
  if (whole && high - low < most) {
    h.whole = true;
    h.high = high + 1;
    h.bins.assign(static_cast<size_t>(high - low) + 1, 0);
  } else {
    h.bins.assign(static_cast<size_t>(high > low ? most : 1), 0);
  }
  const int64_t count = array.element_count();
  const int64_t stride = (count + kMostInHistogram - 1) / std::max<int64_t>(1, kMostInHistogram);
  h.sampled = stride > 1;
  constexpr int64_t kPiece = 4096;
  double piece[kPiece];
  const auto bins = static_cast<int64_t>(h.bins.size());
  for (int64_t begin = 0; begin < count; begin += kPiece * std::max<int64_t>(1, stride)) {
    const int64_t n = std::min<int64_t>(kPiece, (count - begin + stride - 1) / std::max<int64_t>(1, stride));
    ReadNumbers(array, begin, std::max<int64_t>(1, stride), n, piece);
    for (int64_t k = 0; k < n; ++k) {
      if (!std::isfinite(piece[k])) continue;
      ++h.looked;
      ++h.bins[static_cast<size_t>(BinInRange(piece[k], h.low, h.high, bins))];
    }
  }
  return h;
}

NumberBits BitsOf(ElementType type, const std::byte* storage) {
  NumberBits out;
  if (IsComplex(type)) {
    const ElementType part = RealTypeOf(type);
    const std::byte* imaginary = storage + StorageBytes(part);
    AppendFloatGroups(part, storage, &out);
    const std::string kind = out.kind;
    AppendFloatGroups(part, imaginary, &out);
    if (kind != out.kind) out.kind = absl::StrCat(kind, ", ", out.kind);
    out.hex = absl::StrCat(absl::StrFormat("0x%0*x", BitWidth(part) / 4, RawBits(part, storage)), " ", absl::StrFormat("0x%0*x", BitWidth(part) / 4, RawBits(part, imaginary)));
    return out;
  }
  const uint64_t bits = RawBits(type, storage);
  const int width = BitWidth(type);
  out.hex = absl::StrFormat("0x%0*x", (width + 3) / 4, bits);
  if (IsFloat(type)) {
    AppendFloatGroups(type, storage, &out);
    return out;
  }
  if (IsSigned(type)) {
    const bool negative = (bits >> (width - 1) & 1) != 0;
    out.groups.push_back({BitGroup::kSign, BitText(bits, width - 1, 1), negative ? absl::StrCat("-2^", width - 1) : "+"});
    if (width > 1) out.groups.push_back({BitGroup::kWhole, BitText(bits, 0, width - 1), absl::StrCat(bits & ((uint64_t{1} << (width - 1)) - 1))});
  } else {
    out.groups.push_back({BitGroup::kWhole, BitText(bits, 0, width), absl::StrCat(bits)});
  }
  return out;
}

ElementFacts FactsOfElement(const ValueName& name, const Value& array, const std::vector<int64_t>& index) {
  ElementFacts facts;
  facts.of = name;
  facts.index = index;
  const Shape& shape = array.shape();
  const ElementType type = shape.element_type();
  facts.linear = LinearIndex(shape.dimensions(), index);
  const std::byte* storage = array.data() + facts.linear * StorageBytes(type);
  facts.text = ToText(LoadScalar(type, storage));
  ReadNumbers(array, facts.linear, 1, 1, &facts.number);
  facts.bits = BitsOf(type, storage);
  const Shape& laid = LeafShape(name.instruction->shape, name.leaf);
  facts.physical = facts.linear;
  facts.bit = facts.linear * StorageBytes(type) * 8;
  if (const Shape sized = laid.IsArray() ? WithSizes(laid, shape.dimensions()) : shape; sized.layout() != nullptr) {
    const LayoutMap map(sized);
    facts.physical = map.PhysicalOf(index);
    facts.bit = map.BitOf(index);
  }
  facts.byte = facts.bit / 8;
  facts.bit %= 8;
  return facts;
}

namespace {

// Whatever part of complex numbers is looked at: a number with a part that is no number has a NaN, one with an infinite part an infinity.
void CountNonFinite(const Value& array, ValueFacts* facts) {
  constexpr int64_t kPiece = 4096;
  double piece[kPiece];
  const ElementType type = array.shape().element_type();
  const auto count = [](int64_t at, int64_t* number, int64_t* first) {
    if ((*number)++ == 0) *first = at;
  };
  for (int64_t begin = 0; begin < array.element_count(); begin += kPiece) {
    const int64_t n = std::min<int64_t>(kPiece, array.element_count() - begin);
    ReadNumbers(array, begin, 1, n, piece);
    for (int64_t k = 0; k < n; ++k) {
      if (std::isfinite(piece[k])) continue;
      bool inf = std::isinf(piece[k]);
      if (IsComplex(type)) {
        const std::complex<double> z = LoadScalar(type, array.data() + (begin + k) * StorageBytes(type)).c();
        inf |= std::isinf(z.real()) || std::isinf(z.imag());
      }
      if (inf) count(begin + k, &facts->inf, &facts->first_inf);
      if (std::isnan(piece[k])) count(begin + k, &facts->nan, &facts->first_nan);
    }
  }
}

}  // namespace

ValueFacts FactsOfValue(const ValueName& name, const Value& whole, ComplexPart part) {
  ValueFacts facts;
  facts.of = name;
  facts.part = part;
  const Value array = part != ComplexPart::kMagnitude && IsComplex(whole.shape().element_type()) ? PartOfComplex(whole, part) : whole;
  facts.shape = LeafShape(name.instruction->shape, name.leaf);
  if (!facts.shape.IsArray()) facts.shape = whole.shape();
  else if (!Shape::SameDimensions(facts.shape, whole.shape())) facts.shape = WithSizes(facts.shape, whole.shape().dimensions());  // those of the run
  facts.statistics = Summarize(array);
  facts.bytes = facts.shape.ByteSize();
  const bool truth = array.shape().element_type() == ElementType::kPred;  // false and true have their places
  facts.histogram = MakeHistogram(array, truth ? 0 : facts.statistics.min, truth ? 1 : facts.statistics.max, 64);
  facts.least_size = LeastSize(array);
  if (IsComplex(whole.shape().element_type()) || facts.statistics.nan + facts.statistics.inf > 0) CountNonFinite(whole, &facts);
  return facts;
}

absl::StatusOr<Value> ValueOfExpression(Session::State& s, const std::string& text) {
  absl::StatusOr<ExpressionResult> result = EvaluateExpression(text, s);
  if (!result.ok()) return result.status();
  absl::StatusOr<Value> value = ToValue(*std::move(result));
  if (!value.ok()) return value.status();
  if (!value->shape().IsArray()) return absl::InvalidArgumentError(absl::StrCat(text, " is ", ShapeText(value->shape()), ", not an array"));
  return ToDense(*value);
}

absl::StatusOr<ComparisonFacts> CompareWith(const Value& array, const Value& other, const std::string& text) {
  if (!Shape::SameDimensions(array.shape(), other.shape())) {
    return absl::InvalidArgumentError(absl::StrCat(text, " is ", ShapeText(other.shape()), "; to compare, it must have the dimensions of ", ShapeText(array.shape())));
  }
  ComparisonFacts facts;
  facts.with = text;
  facts.exact_type = array.shape().element_type() == other.shape().element_type();
  const ArrayDifference difference = CompareArrays(array, other, Budget());
  facts.elements = difference.elements;
  facts.different = difference.other_bits;
  facts.zero_signs = difference.zero_signs;
  facts.worst_ulp = difference.worst_ulp;
  facts.largest = difference.largest_absolute;
  if (difference.worst >= 0 && difference.other_bits > 0) {
    facts.worst = IndexOf(array.shape(), difference.worst);
    facts.worst_here = ToText(difference.worst_got);
    facts.worst_there = ToText(difference.worst_expected);
    if (difference.largest >= 0 && difference.largest != difference.worst) {
      facts.largest_at = IndexOf(array.shape(), difference.largest);
      facts.largest_here = ToText(difference.largest_got);
      facts.largest_there = ToText(difference.largest_expected);
    }
  }
  return facts;
}

std::string PlaneText(const Value& array, const PlaneAxes& axes, int64_t most) {
  const Shape& shape = array.shape();
  PlaneWindow window;
  window.rows = PlaneRows(shape, axes);
  window.columns = std::min(PlaneColumns(shape, axes), most);
  window.rows = std::min(window.rows, std::max<int64_t>(1, most / std::max<int64_t>(1, window.columns)));
  const std::vector<std::string> texts = WindowTexts(array, axes, window);
  std::string text;
  for (int64_t r = 0; r < window.rows; ++r) {
    absl::StrAppend(&text, absl::StrJoin(texts.begin() + r * window.columns, texts.begin() + (r + 1) * window.columns, "\t"), "\n");
  }
  return text;
}

std::vector<std::string> WindowTexts(const Value& array, const PlaneAxes& axes, const PlaneWindow& window) {
  std::vector<std::string> texts;
  const ElementType type = array.shape().element_type();
  for (int64_t r = 0; r < window.rows; ++r) {
    for (int64_t c = 0; c < window.columns; ++c) {
      const int64_t linear = LinearIndex(array.shape().dimensions(), PlaneIndex(axes, window.row + r, window.column + c));
      texts.push_back(ToText(LoadScalar(type, array.data() + linear * StorageBytes(type))));
    }
  }
  return texts;
}

absl::StatusOr<WhyRows> AskWhy(Session::State& s, const ValueName& name, const std::vector<int64_t>& index) {
  if (const absl::Status there = s.NeedFrames(); !there.ok()) return there;
  ElementPlace place;
  if (!name.moment.empty()) return absl::FailedPreconditionError(absl::StrCat("what made it is in the console: why asked there of ", name.moment));
  place.frame = s.FrameThatShows(*name.instruction);
  if (place.frame < 0) return absl::FailedPreconditionError(absl::StrCat(ShownName(*name.instruction), " is not in a frame that runs now"));
  place.instruction = name.instruction;
  place.leaf = name.leaf;
  const Shape& shape = LeafShape(name.instruction->shape, name.leaf);
  if (!shape.IsArray() || shape.rank() != static_cast<int>(index.size())) return absl::InvalidArgumentError("why takes one element");
  place.linear = LinearIndex(shape.dimensions(), index);
  s.machine->interrupt().store(false);
  DeviceReaders readers(s);
  place.device = readers.selected();
  const SliceFrames frames = readers.frames();
  WhyOptions options;
  options.nodes = 400;
  absl::StatusOr<Slice> slice = BuildWhy([&readers](int device) -> ElementReader& { return readers.of(device); }, place, options);
  if (!slice.ok()) return slice.status();
  WhyRows out;
  out.cut = slice->cut;
  SliceParts parts;
  AddPartsOfWhy(frames, *slice, SliceRequest(), 0, &parts);
  out.parts = std::make_shared<const SliceParts>(std::move(parts));
  std::vector<bool> birth(slice->nodes.size(), false);
  for (const SliceBirth& b : slice->births) {
    if (!b.path.empty()) birth[b.path.back()] = true;
  }
  const auto add = [&](int node_index, int depth, std::string note) {
    const SliceNode& node = slice->nodes[node_index];
    WhyRow row;
    row.instruction = node.place.instruction;
    row.index = node.index;
    row.place = PlaceText(node.place);
    row.value = node.known ? ToText(node.value) : "?";
    row.formula = node.numbers.empty() ? node.formula : node.formula.empty() ? node.numbers : absl::StrCat(node.formula, "  =  ", node.numbers);
    if (node.formula == row.place) row.formula.clear();
    if (!node.terms.empty()) row.formula = absl::StrCat(node.fold.empty() ? "fold" : node.fold, " of ", Count(node.term_count, "term"));
    if (node.place.device != place.device && frames.name != nullptr) row.note = frames.name(node.place.device);
    if (const std::string frame = FrameText(frames.of(node.place.device), node.place.frame); !frame.empty()) absl::StrAppend(&row.note, row.note.empty() ? "" : ", ", frame);
    if (!node.note.empty()) absl::StrAppend(&row.note, row.note.empty() ? "" : "; ", node.note);
    if (!note.empty()) absl::StrAppend(&row.note, row.note.empty() ? "" : "; ", note);
    row.depth = depth;
    row.birth = birth[node_index];
    out.rows.push_back(std::move(row));
    if (std::find(out.slice.begin(), out.slice.end(), node.place.instruction) == out.slice.end()) out.slice.push_back(node.place.instruction);
  };
  std::vector<bool> seen(slice->nodes.size(), false);
  if (!slice->births.empty()) {
    // From the element asked for to the birth, and what the birth was computed from.
    const SliceBirth& b = slice->births.front();
    for (size_t k = 0; k < b.path.size(); ++k) {
      add(b.path[k], static_cast<int>(k), "");
      seen[b.path[k]] = true;
    }
    if (!b.path.empty()) {
      for (const SliceEdge& edge : slice->nodes[b.path.back()].edges) {
        if (edge.to >= 0 && !seen[edge.to]) add(edge.to, static_cast<int>(b.path.size()), "");
      }
    }
    return out;
  }
  std::vector<std::pair<int, int>> stack = {{0, 0}};
  while (!stack.empty() && out.rows.size() < 200) {
    const auto [node, depth] = stack.back();
    stack.pop_back();
    if (seen[node]) continue;
    seen[node] = true;
    add(node, depth, "");
    const SliceNode& n = slice->nodes[node];
    for (auto edge = n.edges.rbegin(); edge != n.edges.rend(); ++edge) {
      if (edge->to >= 0 && !seen[edge->to]) stack.emplace_back(edge->to, depth + 1);
    }
  }
  return out;
}

std::string IndexText(const std::vector<int64_t>& index) { return index.empty() ? "" : absl::StrCat("[", absl::StrJoin(index, ","), "]"); }

}  // namespace hloscope
