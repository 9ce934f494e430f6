#include "backends/jit_cpu/kernels/patterns.h"

#include "backends/jit_cpu/kernels/rows.h"

namespace hloscope {
namespace {

struct Row {
  Opcode opcode;
  bool (*match)(const Instruction&);
  std::unique_ptr<LibraryKernel> (*make)(const Instruction&, ThreadPool&);
};

constexpr Row kRows[] = {
    {Opcode::kDot, MatchDot, MakeDot},
    {Opcode::kConvolution, MatchConvolution, MakeConvolution},
    {Opcode::kConcatenate, MatchConcatenate, MakeConcatenate},
    {Opcode::kPad, MatchPad, MakePad},
    {Opcode::kTranspose, MatchTranspose, MakeTranspose},
    {Opcode::kDynamicUpdateSlice, MatchDynamicUpdateSlice, MakeDynamicUpdateSlice},
    {Opcode::kReduceWindow, MatchPrefix, MakePrefix},
};

const Row* Find(const Instruction& instruction) {
  for (const Row& row : kRows) {
    if (row.opcode == instruction.opcode) return row.match(instruction) ? &row : nullptr;
  }
  return nullptr;
}

}  // namespace

bool HasLibraryKernel(const Instruction& instruction) { return Find(instruction) != nullptr; }

std::unique_ptr<LibraryKernel> MakeLibraryKernel(const Instruction& instruction, ThreadPool& pool) {
  const Row* row = Find(instruction);
  return row == nullptr ? nullptr : row->make(instruction, pool);
}

}  // namespace hloscope
