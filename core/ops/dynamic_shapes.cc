#include "core/ops/dynamic_shapes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ops/op.h"
#include "core/shape/layout_util.h"

namespace hloscope {
namespace {

// Runs of dimensions of both sides that cover the same elements: [begin, end) of each.
struct ReshapeGroup {
  int from_begin, from_end, to_begin, to_end;
};

std::vector<ReshapeGroup> GroupsOf(const Shape& from, const Shape& to) {
  std::vector<ReshapeGroup> groups;
  const auto has_zero = [](const Shape& s) { return std::any_of(s.dimensions().begin(), s.dimensions().end(), [](int64_t d) { return d == 0; }); };
  if (has_zero(from) || has_zero(to)) return {{0, from.rank(), 0, to.rank()}};
  int i = 0, j = 0;
  while (i < from.rank() && j < to.rank()) {
    ReshapeGroup group{i, 0, j, 0};
    int64_t have = from.dim(i++), want = to.dim(j++);
    while (have != want && i <= from.rank() && j <= to.rank()) {
      if (have < want) {
        if (i == from.rank()) break;
        have *= from.dim(i++);
      } else {
        if (j == to.rank()) break;
        want *= to.dim(j++);
      }
    }
    group.from_end = i;
    group.to_end = j;
    groups.push_back(group);
  }
  if (i < from.rank() || j < to.rank()) groups.push_back({i, from.rank(), j, to.rank()});  // what is left has size 1
  return groups;
}

std::string Dims(const Shape& shape) { return shape.ToString(false); }

// The one dimension of `to` in the group that takes up what is dynamic; -1: none is needed; -2: it cannot be told.
int TakerOf(const ReshapeGroup& g, const Shape& from, const Shape& to) {
  bool dynamic = false;
  for (int d = g.from_begin; d < g.from_end; ++d) dynamic |= from.is_dynamic(d);
  int taker = -1, takers = 0;
  for (int d = g.to_begin; d < g.to_end; ++d) {
    if (to.is_dynamic(d)) taker = d, ++takers;
  }
  if (!dynamic) return takers == 0 ? -1 : -2;
  if (takers == 1) return taker;
  if (takers > 1) return -2;
  // None is marked: clear only where one dimension is there to take it.
  int candidate = -1, candidates = 0;
  for (int d = g.to_begin; d < g.to_end; ++d) {
    if (to.dim(d) != 1 || g.to_end - g.to_begin == 1) candidate = d, ++candidates;
  }
  return candidates == 1 ? candidate : -2;
}

absl::StatusOr<Shape> ReshapeResult(const Shape& from, const Shape& actual, const Shape& to) {
  std::vector<int64_t> sizes(to.dimensions().begin(), to.dimensions().end());
  for (const ReshapeGroup& g : GroupsOf(from, to)) {
    const int taker = TakerOf(g, from, to);
    __int128 have = 1, rest = 1;
    for (int d = g.from_begin; d < g.from_end; ++d) have *= actual.dim(d);
    for (int d = g.to_begin; d < g.to_end; ++d) rest *= d == taker ? 1 : sizes[d];
    if (taker == -2 || (taker == -1 && have != rest)) {
      return absl::InvalidArgumentError(absl::StrCat("reshaping ", Dims(actual), " (written as ", Dims(from), ") to ", Dims(to),
                                                     " leaves open which dimension takes the run-time size"));
    }
    if (taker < 0) continue;
    if (rest == 0 || have % rest != 0) {
      return absl::InvalidArgumentError(absl::StrCat("the ", Dims(actual), " of this run cannot be reshaped to ", Dims(to), ": ", static_cast<int64_t>(have),
                                                     " elements do not fill rows of ", static_cast<int64_t>(rest)));
    }
    sizes[taker] = static_cast<int64_t>(have / rest);
  }
  return Shape::Array(to.element_type(), sizes);
}

// The dimensions from the most major to the most minor, and behind them how many `unit` bits an element takes.
Shape InMemory(const Shape& shape, absl::Span<const int64_t> dimensions, absl::Span<const int64_t> order, int64_t unit) {
  std::vector<int64_t> sizes;
  std::vector<bool> dynamic;
  for (const int64_t d : order) {
    sizes.push_back(dimensions[d]);
    dynamic.push_back(shape.is_dynamic(static_cast<int>(d)));
  }
  if (const int64_t units = BitWidth(shape.element_type()) / unit; units > 1) {
    sizes.push_back(units);
    dynamic.push_back(false);
  }
  return Shape::Array(shape.element_type(), sizes, std::nullopt, std::move(dynamic));
}

// What a run leaves of a bitcast's result: memory is a reshape of memory, so the dimensions are matched as they lie there. Of all that
// is written, or of an operand that leaves nothing to the run, it is the whole.
absl::StatusOr<Shape> BitcastResult(const Shape& from, const Shape& actual, const Shape& to) {
  if (actual.dimensions() == from.dimensions()) return WithSizes(to, to.dimensions());
  const int64_t unit = std::min(BitWidth(from.element_type()), BitWidth(to.element_type()));
  const std::vector<int64_t> from_order = MajorToMinor(from), to_order = MajorToMinor(to);
  absl::StatusOr<Shape> sizes = ReshapeResult(InMemory(from, from.dimensions(), from_order, unit), InMemory(from, actual.dimensions(), from_order, unit),
                                              InMemory(to, to.dimensions(), to_order, unit));
  if (!sizes.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("a bitcast of ", Dims(actual), " (written as ", from.ToString(), ") to ", to.ToString(),
                                                   ", both in the order of memory: ", sizes.status().message()));
  }
  std::vector<int64_t> dimensions(to.rank());
  for (int k = 0; k < to.rank(); ++k) dimensions[to_order[k]] = sizes->dim(k);
  return WithSizes(to, dimensions);
}

// Is the operation elementwise, as the table of operations has it?
bool IsPointwise(Opcode opcode) {
  static constexpr absl::string_view kDefinitions[] = {
#define X(enumerator, text, definition) #definition,
#include "core/ir/operations.def"
#undef X
  };
  const absl::string_view definition = kDefinitions[static_cast<int>(opcode)];
  return definition == "Pointwise" || definition == "Map" || definition == "Sort";
}

class Sizes {
 public:
  Sizes(const Instruction& instruction, absl::Span<const Shape> actual) : i_(instruction), actual_(actual) {
    for (const Shape& shape : actual) out_.operands.push_back(shape);
    out_.attributes = instruction.attributes;
  }

  absl::StatusOr<ConcreteShapes> Work() {
    if (absl::Status status = Align(); !status.ok()) return status;
    CutSlices();
    absl::StatusOr<Shape> result = Result();
    if (!result.ok()) return result.status();
    out_.result = *std::move(result);
    if (i_.opcode == Opcode::kBitcast) {
      out_.reads_memory = true;
      for (int k = 0; k < count(); ++k) out_.operands[k] = WithSizes(Declared(k), out_.operands[k].dimensions());
    }
    return std::move(out_);
  }

 private:
  const Shape& Declared(int k) const { return i_.operands[k]->shape; }
  int count() const { return static_cast<int>(i_.operands.size()); }

  struct Place {
    int operand, dimension;
  };
  // These dimensions have one size: that of the dynamic ones among them. The static ones are cut to it.
  absl::Status Tie(absl::Span<const Place> places) {
    int64_t size = -1;
    int first = -1;
    for (const Place& p : places) {
      const int64_t here = out_.operands[p.operand].dim(p.dimension);
      if (!Declared(p.operand).is_dynamic(p.dimension) && here == Declared(p.operand).dim(p.dimension)) continue;
      if (size >= 0 && here != size) {
        return absl::InvalidArgumentError(absl::StrCat("operands ", first, " and ", p.operand, " have the run-time sizes ", size, " and ", here,
                                                       " where they must be equal"));
      }
      if (size < 0) first = p.operand;
      size = here;
    }
    if (size < 0) return absl::OkStatus();
    for (const Place& p : places) {
      const Shape& shape = out_.operands[p.operand];
      if (shape.dim(p.dimension) <= size) continue;
      std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
      sizes[p.dimension] = size;
      out_.operands[p.operand] = Shape::Array(shape.element_type(), sizes);
    }
    return absl::OkStatus();
  }

  // Dimension d of the operands [0, n) with as many dimensions as the largest.
  absl::Status TieAll(int n, int without = -1) {
    int rank = 0;
    for (int k = 0; k < n; ++k) rank = std::max(rank, actual_[k].rank());
    for (int d = 0; d < rank; ++d) {
      if (d == without) continue;
      std::vector<Place> places;
      for (int k = 0; k < n; ++k) {
        if (actual_[k].IsArray() && actual_[k].rank() == rank) places.push_back({k, d});
      }
      if (absl::Status status = Tie(places); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status TiePairs(AttrId left, AttrId right) {
    const absl::Span<const int64_t> a = i_.Ints(left), b = i_.Ints(right);
    for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      if (absl::Status status = Tie({Place{0, static_cast<int>(a[k])}, Place{1, static_cast<int>(b[k])}}); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status Align() {
    if (IsPointwise(i_.opcode)) return TieAll(count());
    switch (i_.opcode) {
      case Opcode::kReduce:
      case Opcode::kReduceWindow: return TieAll(count() / 2);
      case Opcode::kConcatenate: {
        const absl::Span<const int64_t> along = i_.Ints(AttrId::kDimensions);
        return TieAll(count(), along.empty() ? -1 : static_cast<int>(along[0]));
      }
      case Opcode::kDot:
        if (absl::Status status = TiePairs(AttrId::kLhsContractingDims, AttrId::kRhsContractingDims); !status.ok()) return status;
        return TiePairs(AttrId::kLhsBatchDims, AttrId::kRhsBatchDims);
      default: return absl::OkStatus();
    }
  }

  // A slice that takes the whole of a dynamic dimension takes what there is of it.
  void CutSlices() {
    for (Attribute& attribute : out_.attributes) {
      if (attribute.id == AttrId::kSlice) {
        auto* slices = std::get_if<std::vector<SliceDimension>>(&attribute.value);
        for (size_t d = 0; slices != nullptr && d < slices->size(); ++d) {
          SliceDimension& s = (*slices)[d];
          if (Whole(static_cast<int>(d), s.limit) && s.start == 0 && s.stride == 1) s.limit = out_.operands[0].dim(static_cast<int>(d));
        }
      } else if (attribute.id == AttrId::kDynamicSliceSizes || attribute.id == AttrId::kSliceSizes) {
        auto* sizes = std::get_if<std::vector<int64_t>>(&attribute.value);
        for (size_t d = 0; sizes != nullptr && d < sizes->size(); ++d) {
          if (Whole(static_cast<int>(d), (*sizes)[d])) (*sizes)[d] = out_.operands[0].dim(static_cast<int>(d));
        }
      }
    }
  }
  bool Whole(int d, int64_t limit) const {
    return !actual_.empty() && d < Declared(0).rank() && Declared(0).is_dynamic(d) && limit == Declared(0).dim(d);
  }

  absl::StatusOr<Shape> Result() const {
    switch (i_.opcode) {
      case Opcode::kReshape: return ReshapeResult(Declared(0), actual_[0], i_.shape);
      case Opcode::kBitcast: return BitcastResult(Declared(0), actual_[0], i_.shape);
      case Opcode::kBroadcast: return BroadcastResult();
      case Opcode::kCustomCall:
        if (i_.shape.IsArray() && !actual_.empty() && Declared(0).IsArray() && Declared(0).dimensions() == i_.shape.dimensions()) {
          return Shape::Array(i_.shape.element_type(), actual_[0].dimensions());
        }
        break;
      default: break;
    }
    return i_.shape;
  }

  absl::StatusOr<Shape> BroadcastResult() const {
    std::vector<int64_t> sizes(i_.shape.dimensions().begin(), i_.shape.dimensions().end());
    std::vector<bool> given(sizes.size(), false);
    const absl::Span<const int64_t> dimensions = i_.Ints(AttrId::kDimensions);
    for (size_t d = 0; d < dimensions.size(); ++d) {
      const int to = static_cast<int>(dimensions[d]), from = static_cast<int>(d);
      if (Declared(0).dim(from) != i_.shape.dim(to)) continue;  // size 1, repeated
      sizes[to] = actual_[0].dim(from);
      given[to] = true;
    }
    for (int d = 0; d < i_.shape.rank(); ++d) {
      if (!i_.shape.is_dynamic(d) || given[d]) continue;
      return absl::InvalidArgumentError(absl::StrCat("nothing says how large dimension ", d, " of ", i_.shape.ToString(false), " is in this run"));
    }
    return Shape::Array(i_.shape.element_type(), sizes);
  }

  const Instruction& i_;
  absl::Span<const Shape> actual_;
  ConcreteShapes out_;
};

}  // namespace

absl::StatusOr<ConcreteShapes> ConcreteShapesOf(const Instruction& instruction, absl::Span<const Shape> actual) { return Sizes(instruction, actual).Work(); }

Instruction* AddParameter(Module& module, Computation* computation, absl::string_view name, const Shape& shape, int64_t number) {
  Instruction* parameter = module.AddInstruction(computation);
  parameter->opcode = Opcode::kParameter;
  parameter->name = name;
  parameter->shape = shape;
  parameter->parameter_number = number;
  return parameter;
}

std::optional<std::vector<bool>> ReshapeDynamic(const Shape& from, const Shape& to, std::string* why) {
  std::vector<bool> dynamic(to.rank(), false);
  for (const ReshapeGroup& g : GroupsOf(from, to)) {
    const int taker = TakerOf(g, from, to);
    if (taker == -2) {
      *why = absl::StrCat("it cannot be told which dimension of ", Dims(to), " takes the run-time size of ", Dims(from));
      return std::nullopt;
    }
    if (taker >= 0) dynamic[taker] = true;
  }
  return dynamic;
}

}  // namespace hloscope
