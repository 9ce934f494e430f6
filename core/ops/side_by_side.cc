#include "core/ops/side_by_side.h"

#include "core/ir/opcode.h"

namespace hloscope {
namespace {

SidePlace InTurns(int k, int arrays) { return {k % arrays, k / arrays}; }     // all arrays, then all that belongs to them
SidePlace InPairs(int k, int /*arrays*/) { return {k / 2, k % 2}; }           // of each array the left one and the right one
SidePlace AroundIndices(int k, int arrays) {
  if (k == arrays) return {-1, 2};
  return k < arrays ? SidePlace{k, 0} : SidePlace{k - arrays - 1, 1};
}

}  // namespace

SideBySide SideBySideOf(const Instruction& instruction) {
  const int operands = static_cast<int>(instruction.operands.size());
  SideBySide found;
  switch (instruction.opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow: found = {operands / 2, true, false, nullptr, InTurns, InTurns}; break;
    case Opcode::kSort: found = {operands, true, true, nullptr, InTurns, InPairs}; break;
    case Opcode::kScatter: found = {(operands - 1) / 2, true, false, nullptr, AroundIndices, InTurns}; break;
    case Opcode::kMap: found = {operands, false, false, nullptr, InTurns, InTurns}; break;
    default: return found;
  }
  found.computation = instruction.Called(AttrId::kToApply);
  if (found.computation == nullptr || found.computation->root == nullptr) found.arrays = 0;
  return found;
}

}  // namespace hloscope
