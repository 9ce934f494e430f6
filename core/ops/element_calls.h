// The calls that an instruction makes of its scalar computation (a reducer, a comparator, a combiner, a map's body), one by one, in the
// order that the operation defines, for its first result elements: what a debugger steps through. Also the way to the result of an instruction
// whose computation no expression can be made of (a loop in a reducer), call by call: much slower than a kernel.
#ifndef HLOSCOPE_CORE_OPS_ELEMENT_CALLS_H_
#define HLOSCOPE_CORE_OPS_ELEMENT_CALLS_H_

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "core/ops/merge_steps.h"
#include "core/ops/op.h"
#include "core/ops/scan.h"

namespace hloscope {

class ElementCalls {
 public:
  // Null for operations whose calls are not spelled out here.
  static std::unique_ptr<ElementCalls> Make(const Instruction& instruction, std::vector<Value> operands);
  // Only the calls that element `output` of the result is made of (of a scatter: of all updates that hit it). Not of sort and scan.
  static std::unique_ptr<ElementCalls> MakeFor(const Instruction& instruction, std::vector<Value> operands, int64_t output);
  // Of what MakeFor gave: those of another element are next.
  void BeginFor(int64_t output);
  // Of the call that Next gave last.
  const Computation& computation() const { return *computation_; }
  // Arguments of the next call, one scalar a parameter; nullopt after the last one. `previous`: what the call before returned
  // (a tuple for several results), null for the first.
  std::optional<std::vector<Value>> Next(const Value* previous);

  // How many calls Next gives from the first one on, and how many of them are run at least on the way to the last one (see Skip).
  struct Length {
    int64_t calls = 0, to_last = 0;
  };
  Length Count() const;
  // Passes over the call that Next gave last and calls after it that nothing later follows from, `most` calls at most; says how many. After
  // any Next is given no result.
  int64_t Skip(int64_t most);

  // Of a scatter: updates that were looked at so far, whatever they hit.
  int64_t updates_seen() const;
  // Where the arguments that Next gave last come from: an operand and its element, or -1 for what a call returned.
  const std::vector<std::pair<int, int64_t>>& sources() const { return sources_; }

  // The instruction's result from all of its calls. `call` runs a computation on scalars. Empty where the memory is not there.
  static absl::StatusOr<Value> Evaluate(const EvalContext& context);

 private:
  // An argument is the result (part) of an earlier call that was kept in a slot, or else an element of an operand.
  struct Argument {
    int64_t slot = -1;
    int part = 0;
    int operand = 0;
    int64_t linear = 0;
  };
  struct Call {
    std::vector<Argument> arguments;
    int64_t slot = 0;
  };
  ElementCalls(const Instruction& instruction, std::vector<Value> operands);
  std::optional<std::vector<Value>> NextOfWindows(const Value* previous);  // select-and-scatter: what comes next follows from a result
  std::optional<std::vector<Value>> NextOfScan(const Value* previous);
  std::optional<std::vector<Value>> NextOfSort(const Value* previous);  // as above
  bool BeginLine();  // of a sort: the line next_; false: there is none
  int64_t CountComparisons() const;
  int64_t CountInterpreted() const;
  bool Fill();  // more calls into calls_ or fold_; false: there are none
  // Of operations whose result elements have nothing to do with each other: how many there are to walk through; -1: of others.
  int64_t Outputs() const;
  int64_t CallsOf(int64_t output) const;
  void FillReduce(int64_t output);
  void FillWindow(int64_t output);
  bool FillScatter(int64_t update);
  std::vector<int64_t> InsideOfWindow(int64_t place, const Shape& places) const;  // row-major positions in operand 0
  // The calls of one fold, made when they are asked for: there may be very many.
  struct FoldOf {
    int64_t count = 0, next = 0;         // of calls, as many as elements
    int64_t innermost = 1;
    std::vector<int64_t> elements;       // row-major positions in the operands; empty: from `base` on, those of a box
    int64_t base = 0;
    std::vector<int64_t> extents, steps;
    int64_t ElementAt(int64_t e) const;
  };
  Call CallOfFold(int64_t number) const;
  int64_t pending() const { return static_cast<int64_t>(calls_.size()) + fold_.count - fold_.next; }
  void DropPending();

  const Instruction& instruction_;
  std::vector<Value> operands_;
  const Computation* computation_ = nullptr;
  std::deque<Call> calls_;
  FoldOf fold_;
  int64_t only_ = -1;  // the one output whose calls are wanted; -1: all
  std::vector<std::pair<int, int64_t>> sources_;
  int64_t next_ = 0;  // result element, line of a sort, or update
  int64_t slot_ = 0;  // of the call that was handed out
  bool interleaved_ = false;
  // select-and-scatter: the window at hand, the element it keeps and the one it is compared with.
  std::vector<int64_t> window_;
  size_t compared_ = 0;
  int64_t kept_ = 0, source_ = 0;
  bool selecting_ = false;
  // scan: the states of each element of a slice (or of the one slice).
  std::unique_ptr<ScanForm> scan_;
  std::vector<std::vector<Value>> states_;
  absl::flat_hash_map<int64_t, std::vector<Value>> slots_;
  // sort: the line at hand, its elements' places in it as far as they are ordered, and how many comparisons were asked for so far.
  std::vector<int64_t> order_;
  std::unique_ptr<MergeSteps> merge_;
  int64_t base_ = 0, stride_ = 1, asked_ = 0;
  // For Evaluate: all elements, and where the finished ones go.
  void Keep(int64_t slot, int64_t output);
  int64_t limit_;
  std::vector<Value>* results_ = nullptr;
};

// Whether the scalar computations that an instruction calls can be written as expressions, so that it has an element program (or a
// comparator). Those of instructions that call whole computations (scan, async) do not count.
bool CallsAreExpressions(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_ELEMENT_CALLS_H_
