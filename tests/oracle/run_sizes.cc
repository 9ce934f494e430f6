// Sizes of one run, see run_sizes.h.
#include "tests/oracle/run_sizes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace hloscope::oracle {
namespace {

Array FirstElements(const Array& array, const Index& sizes) {
  Array out(Shape::Array(array.type(), sizes));
  ForEach(sizes, [&](const Index& at) { out.at(at) = array.at(at); });
  return out;
}

// Cuts dimension `d` of the operands to the size of the smallest.
void Tie(std::vector<Array>& operands, absl::Span<const std::pair<int, int64_t>> places) {
  int64_t least = INT64_MAX;
  for (const auto& [operand, d] : places) least = std::min(least, operands[operand].shape.dim(static_cast<int>(d)));
  for (const auto& [operand, d] : places) {
    Index sizes = Dims(operands[operand].shape);
    if (sizes[d] == least) continue;
    sizes[d] = least;
    operands[operand] = FirstElements(operands[operand], sizes);
  }
}
void TieAll(std::vector<Array>& operands, size_t n, int64_t without = -1) {
  int rank = 0;
  for (size_t k = 0; k < n; ++k) rank = std::max(rank, operands[k].shape.rank());
  for (int d = 0; d < rank; ++d) {
    std::vector<std::pair<int, int64_t>> places;
    for (size_t k = 0; k < n; ++k) {
      if (operands[k].shape.rank() == rank && d != without) places.push_back({static_cast<int>(k), d});
    }
    if (!places.empty()) Tie(operands, places);
  }
}

absl::StatusOr<Index> ResultSizes(const Instruction& i, std::vector<Array>& in) {
  const Index written = Dims(i.shape);
  const auto dimensions = i.Ints(AttrId::kDimensions);
  const Shape& declared = i.operands[0]->shape;
  switch (i.opcode) {
    case Opcode::kBroadcast: {
      Index out = written;
      for (size_t d = 0; d < dimensions.size(); ++d) {
        if (declared.is_dynamic(static_cast<int>(d))) out[dimensions[d]] = in[0].shape.dim(static_cast<int>(d));
      }
      return out;
    }
    case Opcode::kTranspose: {
      Index out;
      for (int64_t d : dimensions) out.push_back(in[0].shape.dim(static_cast<int>(d)));
      return out;
    }
    case Opcode::kReduce: {
      TieAll(in, in.size() / 2);
      Index out;
      for (int d = 0; d < in[0].shape.rank(); ++d) {
        if (!Contains(dimensions, d)) out.push_back(in[0].shape.dim(d));
      }
      return out;
    }
    case Opcode::kConcatenate: {
      TieAll(in, in.size(), dimensions[0]);
      Index out = Dims(in[0].shape);
      for (size_t k = 1; k < in.size(); ++k) out[dimensions[0]] += in[k].shape.dim(static_cast<int>(dimensions[0]));
      return out;
    }
    case Opcode::kSlice: {
      Index out = written;
      for (int d = 0; d < declared.rank(); ++d) {
        if (declared.is_dynamic(d)) out[d] = in[0].shape.dim(d);  // only whole dimensions
      }
      return out;
    }
    case Opcode::kPad: {
      Index out;
      for (int d = 0; d < declared.rank(); ++d) {
        const PaddingDimension& p = i.GetPadding()[d];
        const int64_t n = in[0].shape.dim(d);
        out.push_back(std::max<int64_t>(0, p.low + p.high + n + std::max<int64_t>(0, n - 1) * p.interior));
      }
      return out;
    }
    case Opcode::kReshape: {
      // One dimension is not fixed: it takes what there is.
      Index out = written;
      int64_t rest = 1, open = -1;
      for (int d = 0; d < i.shape.rank(); ++d) {
        if (!i.shape.is_dynamic(d)) rest *= written[d];
        else if (open >= 0) return absl::UnimplementedError("a reshape with several bounds");
        else open = d;
      }
      if (open < 0 || rest == 0) return absl::UnimplementedError("a reshape with an open size");
      out[open] = in[0].size() / rest;
      return out;
    }
    case Opcode::kDot: {
      const auto lc = i.Ints(AttrId::kLhsContractingDims), rc = i.Ints(AttrId::kRhsContractingDims);
      const auto lb = i.Ints(AttrId::kLhsBatchDims), rb = i.Ints(AttrId::kRhsBatchDims);
      for (size_t k = 0; k < lc.size(); ++k) Tie(in, {{0, lc[k]}, {1, rc[k]}});
      for (size_t k = 0; k < lb.size(); ++k) Tie(in, {{0, lb[k]}, {1, rb[k]}});
      Index out;
      for (int64_t d : lb) out.push_back(in[0].shape.dim(static_cast<int>(d)));
      for (int d = 0; d < in[0].shape.rank(); ++d) {
        if (!Contains(lc, d) && !Contains(lb, d)) out.push_back(in[0].shape.dim(d));
      }
      for (int d = 0; d < in[1].shape.rank(); ++d) {
        if (!Contains(rc, d) && !Contains(rb, d)) out.push_back(in[1].shape.dim(d));
      }
      return out;
    }
    case Opcode::kReverse:
    case Opcode::kSort:
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
    case Opcode::kAddDependency: break;
    default:
      // Elementwise: the shapes are those of the result.
      for (const Instruction* o : i.operands) {
        if (o->shape.rank() != 0 && o->shape.dimensions() != i.shape.dimensions()) {
          return absl::UnimplementedError(absl::StrCat("sizes of the run in ", std::string(Name(i.opcode))));
        }
      }
      TieAll(in, in.size());
  }
  Index out;
  for (const Array& a : in) {
    if (a.shape.rank() >= static_cast<int>(out.size())) out = Dims(a.shape);
  }
  return out;
}

}  // namespace

bool HasBounds(const Instruction& instruction) {
  if (instruction.shape.IsArray() && instruction.shape.has_dynamic_dimension()) return true;
  for (const Instruction* o : instruction.operands) {
    if (o->shape.IsArray() && o->shape.has_dynamic_dimension()) return true;
  }
  return false;
}

absl::StatusOr<OfThisRun> SizesOfThisRun(const Instruction& i, Operands operands) {
  OfThisRun run;
  for (const Array* o : operands) run.operands.push_back(*o);
  if (!i.shape.IsArray()) return absl::UnimplementedError("several results with sizes of the run");
  const absl::StatusOr<Index> sizes = ResultSizes(i, run.operands);
  if (!sizes.ok()) return sizes.status();
  run.instruction = std::make_unique<Instruction>();
  run.instruction->opcode = i.opcode;
  run.instruction->name = i.name;
  run.instruction->operands = i.operands;
  run.instruction->attributes = i.attributes;
  run.instruction->parent = i.parent;
  run.instruction->index = i.index;
  run.instruction->shape = Shape::Array(i.shape.element_type(), *sizes);
  return run;
}

absl::StatusOr<Array> SetDimensionSize(const Instruction& i, Operands operands) {
  const Number& size = operands[1]->elements[0];
  if (size.unknown()) return absl::AbortedError("a size is undecided");
  const int64_t d = i.Ints(AttrId::kDimensions)[0];
  Index sizes = Dims(operands[0]->shape);
  if (size.i < 0 || size.i > sizes[d]) return absl::InvalidArgumentError(absl::StrCat("size ", size.i, " of ", sizes[d]));
  sizes[d] = size.i;
  return FirstElements(*operands[0], sizes);
}

absl::StatusOr<Array> DynamicReshape(const Instruction& i, Operands operands) {
  Index sizes;
  int64_t count = 1;
  for (size_t k = 1; k < operands.size(); ++k) {
    const Number& size = operands[k]->elements[0];
    if (size.unknown()) return absl::AbortedError("a size is undecided");
    sizes.push_back(size.i);
    count *= size.i;
  }
  if (count != operands[0]->size()) return absl::InvalidArgumentError(absl::StrCat(operands[0]->size(), " elements for ", count));
  Array out = *operands[0];
  out.shape = Shape::Array(i.shape.element_type(), sizes);
  return out;
}

}  // namespace hloscope::oracle
