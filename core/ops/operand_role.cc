// The roles, by operation.
#include "core/ops/operand_role.h"

#include <algorithm>

#include "core/ops/op.h"

namespace hloscope {
namespace {

int64_t Product(const Shape& shape, absl::Span<const int64_t> dimensions) {
  int64_t product = 1;
  for (int64_t d : dimensions) product *= std::max<int64_t>(1, shape.dim(static_cast<int>(d)));
  return product;
}

int64_t SmallestDimension(const Shape& shape, absl::Span<const int64_t> dimensions) {
  int64_t smallest = INT64_MAX;
  for (int64_t d : dimensions) smallest = std::min(smallest, shape.dim(static_cast<int>(d)));
  return smallest == INT64_MAX ? 1 : std::max<int64_t>(1, smallest);
}

// The number of values of an iota that reaches `instruction` through broadcasts and reshapes; 0: none does.
int64_t IotaExtent(const Instruction* instruction) {
  for (int hops = 0; hops < 6; ++hops) {
    switch (instruction->opcode) {
      case Opcode::kIota:
        return instruction->shape.rank() == 0 ? 1 : instruction->shape.dim(static_cast<int>(instruction->Int(AttrId::kIotaDimension)));
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kBitcast:
      case Opcode::kConvert:
      case Opcode::kCopy:
      case Opcode::kTranspose:
        instruction = instruction->operands[0];
        break;
      default:
        return 0;
    }
  }
  return 0;
}

RoleOfOperand ConvolutionRole(const Instruction& c, int operand) {
  const ConvDimensionNumbers* labels = c.GetDimLabels();
  if (operand != 1 || labels == nullptr) return {};
  const Shape& kernel = c.operands[1]->shape;
  return {OperandRole::kWeights, Product(kernel, labels->kernel_spatial) * kernel.dim(static_cast<int>(labels->kernel_input_feature))};
}

}  // namespace

RoleOfOperand RoleOf(const Instruction& i, int operand) {
  switch (i.opcode) {
    case Opcode::kDot: {
      const Shape& shape = i.operands[operand]->shape;
      return {OperandRole::kWeights, Product(shape, i.Ints(operand == 0 ? AttrId::kLhsContractingDims : AttrId::kRhsContractingDims))};
    }
    case Opcode::kRaggedDot:
      if (operand > 1) return {};
      return {OperandRole::kWeights, Product(i.operands[operand]->shape, i.Ints(operand == 0 ? AttrId::kLhsContractingDims : AttrId::kRhsContractingDims))};
    case Opcode::kConvolution:
      return ConvolutionRole(i, operand);
    case Opcode::kGather:
      if (operand == 1) return {OperandRole::kIndex, SmallestDimension(i.operands[0]->shape, i.Ints(AttrId::kStartIndexMap))};
      return {OperandRole::kThrough};
    case Opcode::kScatter: {
      const int inputs = static_cast<int>(i.operands.size()) / 2;
      if (operand == inputs) return {OperandRole::kIndex, SmallestDimension(i.operands[0]->shape, i.Ints(AttrId::kScatterDimsToOperandDims))};
      return {OperandRole::kThrough};
    }
    case Opcode::kDynamicSlice: {
      if (operand == 0) return {OperandRole::kThrough};
      const Shape& shape = i.operands[0]->shape;
      if (i.operands[1]->shape.rank() == 1) return {OperandRole::kIndex, shape.rank() == 0 ? 1 : *std::min_element(shape.dimensions().begin(), shape.dimensions().end())};
      return {OperandRole::kIndex, std::max<int64_t>(1, shape.dim(operand - 1) - i.shape.dim(operand - 1) + 1)};
    }
    case Opcode::kDynamicUpdateSlice: {
      if (operand < 2) return {OperandRole::kThrough};
      const Shape& shape = i.operands[0]->shape;
      if (i.operands[2]->shape.rank() == 1) return {OperandRole::kIndex, shape.rank() == 0 ? 1 : *std::min_element(shape.dimensions().begin(), shape.dimensions().end())};
      return {OperandRole::kIndex, std::max<int64_t>(1, shape.dim(operand - 2) - i.operands[1]->shape.dim(operand - 2) + 1)};
    }
    case Opcode::kCompare: {
      int64_t extent = IotaExtent(i.operands[1 - operand]);
      return extent > 0 ? RoleOfOperand{OperandRole::kIndex, extent} : RoleOfOperand{};
    }
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kCbrt:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
      return {OperandRole::kPositive};
    case Opcode::kPower:
      return operand == 0 ? RoleOfOperand{OperandRole::kPositive} : RoleOfOperand{};
    case Opcode::kBatchNormInference:
      return operand == 4 ? RoleOfOperand{OperandRole::kPositive} : RoleOfOperand{};
    case Opcode::kBatchNormGrad:
      return operand == 3 ? RoleOfOperand{OperandRole::kPositive} : RoleOfOperand{};
    case Opcode::kDivide:
    case Opcode::kRemainder:
      return {operand == 1 ? OperandRole::kDivisor : OperandRole::kArithmetic};
    case Opcode::kMultiply:
      // A square is positive whatever its operand.
      return i.operands[0] == i.operands[1] ? RoleOfOperand{} : RoleOfOperand{OperandRole::kArithmetic};
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return {OperandRole::kArithmetic};
    case Opcode::kSelect:
      return operand > 0 ? RoleOfOperand{OperandRole::kThrough} : RoleOfOperand{};
    case Opcode::kClamp:
      return operand == 1 ? RoleOfOperand{OperandRole::kThrough} : RoleOfOperand{};
    case Opcode::kPad:
      return operand == 0 ? RoleOfOperand{OperandRole::kThrough} : RoleOfOperand{};
    case Opcode::kConvert:
    case Opcode::kReducePrecision:
    case Opcode::kCopy:
    case Opcode::kCopyStart:
    case Opcode::kCopyDone:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kCollectivePermute:
    case Opcode::kAllToAll:
    case Opcode::kSort:
      return {OperandRole::kThrough};
    case Opcode::kCustomCall:  // annotations of placement keep the shape
      return i.operands.size() == 1 && Shape::Compatible(i.operands[0]->shape, i.shape) ? RoleOfOperand{OperandRole::kThrough} : RoleOfOperand{};
    default:
      return {Def(i).movement == Movement::kMove && i.shape.IsArray() ? OperandRole::kThrough : OperandRole::kData};
  }
}

}  // namespace hloscope
