#include "backends/jit_cpu/kernels/traits.h"

#include <cstring>

#include "backends/jit_cpu/kernels/patterns.h"
#include "core/ops/element_calls.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kSmallElements = 4096;     // a transpose this small is an index map like another
constexpr int64_t kContiguousElements = 16;  // a transpose that keeps this many elements together may be fused
constexpr int64_t kConstantBytes = 4096;     // larger constants are not searched for a repeated element

bool IsSplat(const Value& value) {
  if (!value.has_value() || !value.shape().IsArray() || value.element_count() == 0) return false;
  if (value.element_count() == 1) return true;
  if (value.byte_size() > kConstantBytes) return false;
  const int64_t size = StorageBytes(value.shape().element_type());
  return std::memcmp(value.data(), value.data() + size, value.byte_size() - size) == 0;
}

FusionTraits Constant(const Instruction& i) {
  if (i.literal != nullptr && IsSplat(i.literal->value)) return {.kind = FusionKind::kConstant, .same_index = false, .duplicable = true};
  return {};
}

bool IsCheap(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kNegate:
    case Opcode::kAbs:
    case Opcode::kCompare:
    case Opcode::kSelect:
    case Opcode::kConvert: return true;
    default: return false;
  }
}

FusionTraits Pointwise(const Instruction& i) {
  for (const Instruction* operand : i.operands) {
    if (!operand->shape.IsArray()) return {};
    if (operand->shape.rank() != i.shape.rank()) {
      // Clamp's bounds and select's predicate may be scalars: they are demanded over and over.
      if (!operand->shape.IsScalar()) return {.kind = FusionKind::kRoot, .repeats = true};
      return {.kind = FusionKind::kElementwise, .repeats = true, .same_index = true};
    }
  }
  if (i.operands.empty()) return {};
  return {.kind = FusionKind::kElementwise, .same_index = true, .cheap = IsCheap(i.opcode)};
}

FusionTraits Broadcast(const Instruction& i) {
  const bool expands = i.operands[0]->shape.ElementCount() < i.shape.ElementCount();
  const absl::Span<const int64_t> dimensions = i.Ints(AttrId::kDimensions);
  int leading = 0;
  while (leading < static_cast<int>(dimensions.size()) && dimensions[leading] == leading) ++leading;
  if (leading < static_cast<int>(dimensions.size())) leading = -1;
  return {.kind = FusionKind::kMovement, .repeats = expands, .duplicable = true, .leading = leading};
}

FusionTraits Reduce(const Instruction& i) {
  // The dimensions that are left are the first ones, in their order.
  bool last = i.shape.IsArray() && i.operands.size() == 2 && i.shape.rank() >= 1;
  for (int64_t d : i.Ints(AttrId::kDimensions)) last = last && d >= i.shape.rank();
  return {.kind = FusionKind::kRoot, .row_fold = last};
}

FusionTraits Movement1(const Instruction&) { return {.kind = FusionKind::kMovement}; }

FusionTraits Bitcast(const Instruction& i) {
  return i.operands[0]->shape.element_type() == i.shape.element_type() ? FusionTraits{.kind = FusionKind::kMovement}
                                                                       : FusionTraits{.kind = FusionKind::kRoot};
}

FusionTraits Transpose(const Instruction& i) {
  if (i.shape.ElementCount() <= kSmallElements) return {.kind = FusionKind::kMovement};
  const absl::Span<const int64_t> permutation = i.Ints(AttrId::kDimensions);
  int64_t together = 1;
  for (int d = static_cast<int>(permutation.size()) - 1; d >= 0; --d) {
    if (permutation[d] != d && i.shape.dim(d) != 1) break;
    together *= i.shape.dim(d);
  }
  // Dimensions of size 1 do not count: what moves is the order of the others.
  int64_t last = -1;
  bool moves = false;
  for (int64_t p : permutation) {
    if (i.operands[0]->shape.dim(static_cast<int>(p)) == 1) continue;
    if (p < last) moves = true;
    last = p;
  }
  if (!moves || together >= kContiguousElements) return {.kind = FusionKind::kMovement};
  return {.kind = FusionKind::kAlone};
}

FusionTraits Iota(const Instruction&) { return {.kind = FusionKind::kIndexOnly, .duplicable = true}; }
FusionTraits RepeatingRoot(const Instruction&) { return {.kind = FusionKind::kRoot, .repeats = true}; }
FusionTraits Alone(const Instruction&) { return {}; }

// Copies of whole blocks are faster than selects, element by element: see copy.cc.
FusionTraits LibraryOr(const Instruction& i, FusionTraits otherwise) { return HasLibraryKernel(i) ? FusionTraits{} : otherwise; }
FusionTraits Dot(const Instruction& i) { return LibraryOr(i, {.kind = FusionKind::kRoot, .repeats = true}); }
FusionTraits Blocks(const Instruction& i) { return LibraryOr(i, {.kind = FusionKind::kRoot}); }
FusionTraits Windows(const Instruction& i) { return LibraryOr(i, {.kind = FusionKind::kRoot, .repeats = true}); }

struct Row {
  Opcode opcode;
  FusionTraits (*traits)(const Instruction&);
};
// Operations without a row are alone, except the pointwise family (below).
constexpr Row kRows[] = {
    {Opcode::kConstant, Constant},
    {Opcode::kIota, Iota},
    {Opcode::kBroadcast, Broadcast},
    {Opcode::kReshape, Movement1},
    {Opcode::kBitcast, Bitcast},
    {Opcode::kTranspose, Transpose},
    {Opcode::kReverse, Movement1},
    {Opcode::kSlice, Movement1},
    {Opcode::kDynamicSlice, Movement1},
    {Opcode::kConcatenate, Blocks},
    {Opcode::kPad, Blocks},
    {Opcode::kDynamicUpdateSlice, Blocks},
    {Opcode::kGather, RepeatingRoot},
    {Opcode::kReduce, Reduce},
    {Opcode::kReduceWindow, Windows},
    {Opcode::kDot, Dot},
    {Opcode::kConvolution, Dot},
    {Opcode::kMap, Alone},
};

using TraitsFunction = FusionTraits (*)(const Instruction&);
struct Table {
  TraitsFunction rows[kOpcodeCount];
  Table() {
#define X(enumerator, text, family) \
  rows[static_cast<int>(Opcode::enumerator)] = absl::string_view(#family) == "Pointwise" ? Pointwise : Alone;
#include "core/ir/operations.def"
#undef X
    for (const Row& row : kRows) rows[static_cast<int>(row.opcode)] = row.traits;
    rows[static_cast<int>(Opcode::kStochasticConvert)] = Alone;
    rows[static_cast<int>(Opcode::kBitcastConvert)] = [](const Instruction& i) {
      return i.operands[0]->shape.rank() == i.shape.rank() ? Pointwise(i) : FusionTraits{.kind = FusionKind::kRoot};
    };
  }
};

}  // namespace

FusionTraits TraitsOf(const Instruction& instruction) {
  static const Table& table = *new Table;
  if (!instruction.shape.IsArray() && instruction.opcode != Opcode::kReduce) return {};
  const FusionTraits traits = table.rows[static_cast<int>(instruction.opcode)](instruction);
  return traits.kind == FusionKind::kAlone || CallsAreExpressions(instruction) ? traits : FusionTraits();  // call by call: no kernel
}

}  // namespace hloscope
