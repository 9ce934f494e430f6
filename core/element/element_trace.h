// Evaluates single elements of element programs and tells a visitor every load and every scalar operation on the way: for finding the
// element, and the operation, where something went wrong. Slow and plain; for whole results and bounds there is interpret.h.
#ifndef HLOSCOPE_CORE_ELEMENT_ELEMENT_TRACE_H_
#define HLOSCOPE_CORE_ELEMENT_ELEMENT_TRACE_H_

#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/element/program.h"
#include "core/literal/value.h"

namespace hloscope {

class ElementTrace {
 public:
  // `operands` are dense, by the program's operands; one that has no value must not be read. Both outlive the trace.
  ElementTrace(const Program& program, absl::Span<const Value> operands);

  using OnLoad = std::function<void(int operand, int64_t linear, const Scalar& value)>;
  // `in_fold`: the operation belongs to a fold's body.
  using OnOp = std::function<void(const Node& node, absl::Span<const Scalar> in, const Scalar& out, bool in_fold)>;
  void set_on_load(OnLoad f) { on_load_ = std::move(f); }
  void set_on_op(OnOp f) { on_op_ = std::move(f); }

  // Output `o` at `index`. Pull programs, and of push programs what the output starts as.
  Scalar At(int o, absl::Span<const int64_t> index);
  // Push programs: every update in order. `each` is told the target's row-major index after its loads and operations were; the running
  // values start as At says and are kept by the trace. False from `each` ends the walk.
  void Updates(const std::function<bool(int64_t target)>& each);
  // Nodes evaluated so far.
  int64_t work() const { return work_; }

 private:
  Scalar Get(NodeId id);
  Scalar Compute(NodeId id, const Node& node);
  std::vector<Scalar> Fold(const Node& node);
  Scalar Load(const Node& node);
  void NextElement() { ++epoch_; }

  const Program& program_;
  const ExprGraph& graph_;
  absl::Span<const Value> operands_;
  OnLoad on_load_;
  OnOp on_op_;
  std::vector<int64_t> vars_;
  absl::flat_hash_map<int32_t, std::vector<Scalar>> accumulators_;  // by fold id
  std::vector<Scalar> memo_;       // of nodes outside folds
  std::vector<int64_t> memo_epoch_;
  std::vector<std::vector<Scalar>> folds_;
  std::vector<int64_t> fold_epoch_;
  int64_t epoch_ = 0, work_ = 0;
  int fold_depth_ = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_ELEMENT_TRACE_H_
