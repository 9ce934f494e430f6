// What a program needs before its loops are laid out: loads by one linear index, dimensions collapsed, and who depends on what.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_LOWER_PREPARE_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_LOWER_PREPARE_H_

#include <cstdint>
#include <vector>

#include "core/element/program.h"
#include "llvm/ADT/BitVector.h"

namespace hloscope {

// A program rewritten for loops: every load has one index, the row-major linear one, and the output's dimensions are the loops'.
struct LoopProgram {
  std::shared_ptr<ExprGraph> graph;
  std::vector<Shape> operands;
  std::vector<Shape> output_shapes;   // the program's own; buffers
  std::vector<int64_t> extents;       // of the loops; variable d is extents[d]'s
  std::vector<NodeId> values;         // by output
  bool scalar_rows = false;           // no lanes over outputs: the folds have them
  // Push:
  Program::Push push;                 // over `graph`; target emptied
  std::vector<NodeId> push_targets;   // the one linear target (all outputs have equal dimensions)
  std::vector<bool> may_alias;        // see KernelInfo
  std::vector<bool> may_alias_by_row; // the same where whoever writes a row has read all of it: no other reads or writes there
  std::vector<int32_t> starts_as;
};

LoopProgram PrepareLoops(const Program& program);

// By node: index variables and folds that its value depends on (bit v: variable v; bit var_count + id: the accumulators of fold id),
// and whether it holds a load that may lie outside its operand unless a select guards it.
struct NodeFacts {
  std::vector<bool> reachable;
  std::vector<llvm::BitVector> depends;
  std::vector<bool> guarded;
  std::vector<bool> has_fold;
  int bits = 0;
  int FoldBit(int fold_id) const { return var_count + fold_id; }
  int var_count = 0;
  int reachable_count = 0;
};
NodeFacts ComputeFacts(const ExprGraph& graph, absl::Span<const NodeId> roots, const std::vector<Shape>& operands);

// How a load's index moves with variable `var`: 0 invariant, 1 contiguous, 2 anything else.
int Movement(const ExprGraph& graph, const NodeFacts& facts, const Node& load, int var);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_LOWER_PREPARE_H_
