// Two programs run side by side on the same inputs, one instruction at a time, and every pair of matched instructions is compared as soon as
// both values are there. Neither runs far ahead of the other, and what is the same in both is held once, so that programs that agree take
// the memory of one. Not for finding the pairs (match.h).
#ifndef HLOSCOPE_CORE_DEBUG_LOCKSTEP_H_
#define HLOSCOPE_CORE_DEBUG_LOCKSTEP_H_

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/compare_values.h"
#include "core/debug/match.h"
#include "core/debug/program_inputs.h"
#include "absl/container/flat_hash_map.h"
#include "core/exec/backend.h"
#include "core/exec/machine.h"

namespace hloscope {

struct LockstepOptions {
  BudgetTable budgets;             // by the instructions of either program; where none speaks: the same bits, or of numbers of different
                                   // types what sums in another order may be off by in the narrower one
  bool keep_going = false;         // past the first divergence, to the end
  size_t keep = 100;               // divergences kept; beyond them the first that tells something of each further instruction
  int64_t waiting_bytes = int64_t{256} << 20;  // of values that wait in memory for their like; beyond it they wait in a file
  MachineOptions machine;          // of both
  ExchangePort* exchange_b = nullptr;  // of b, where the devices of a exchange through machine.exchange
  std::function<void(int64_t compared)> progress;
  // Told of every pair, also of those that agree.
  std::function<void(const Instruction& a, const Instruction& b, const ArrayDifference& difference)> on_pair;
  // Takes the comparing over: nothing is compared here then, and nothing diverges. Dense arrays with the same dimensions.
  // `frames`: the stack of the program whose value completes the pair, as it is now; what is seen where it is read may be of one further
  // out.
  std::function<void(const Instruction& a, const Value& of_a, const Value& of_b, absl::Span<const Frame> frames)> on_values;
  const std::atomic<bool>* cancel = nullptr;
};

// Two matched instructions with different values.
struct Divergence {
  const Instruction* a = nullptr;
  const Instruction* b = nullptr;
  int output = -1;                 // which leaf of a tuple; -1: an array
  bool result = false;             // of the programs' results, not of a pair
  bool operand = false;            // seen where it is read: the result of a loop, a parameter of its body
  std::string where;               // "in f (call of %c) in body (loop body of %while.3, iteration 4)", in a; empty: the entry
  std::string where_b;             // in b, as far as its loops are called as those of a
  Shape shape;                     // in a
  ArrayDifference difference;      // expected is a's, got is b's
  std::string sizes;               // where no elements are compared: how the run-time sizes of bounded dimensions differ, or how often a loop runs
  // The pairs that this one reads all agree: it is where the programs part. Else it only inherits.
  bool own = false;
  std::vector<const Instruction*> only_a, only_b;  // between it and the pairs that agree: instructions of one program only
  std::vector<std::string> changed;                // what differs in the instruction itself
  // It inherits, and is another operation besides: that may add to what it inherits.
  bool besides() const { return !own && (!changed.empty() || !only_a.empty() || !only_b.empty()); }
};

// A pair of loops of which one runs more iterations than the other.
struct UnequalLoops {
  const Instruction* a = nullptr;
  const Instruction* b = nullptr;
  std::string where;  // as of a divergence
  int64_t iterations_a = 0, iterations_b = 0;
};

struct LockstepReport {
  int64_t pairs = 0, elements = 0;     // compared
  int64_t other_bits = 0;              // pairs with other bits, within the budget or not
  int64_t diverging = 0, own = 0;
  int64_t unlike = 0;                  // pairs of other dimensions: not compared
  int64_t only_a = 0, only_b = 0;      // results of instructions that have no partner: not compared
  int64_t without_partner = 0;         // arrays in tuples of a pair that the other one has no like for: not compared
  int64_t spilled_bytes = 0;
  int64_t peak_bytes = 0;              // of the values of both machines together
  bool results_compared = false;
  std::string results_why;             // why not, if not
  bool results_agree = false;          // they were compared, and do
  std::vector<Divergence> divergences; // as found; the first is own
  int64_t besides = 0;                 // that inherit, and are other operations besides
  // Pairs that differ and do not count, with those that only inherit it: what the other operations that read them make of them agrees.
  int64_t rewritten_pairs = 0;
  std::vector<Divergence> rewritten;   // of their own
  struct Telling {
    int64_t all = 0, own = 0;  // that are own, or other operations besides; own
  };
  absl::flat_hash_map<std::pair<const Instruction*, const Instruction*>, Telling> telling;  // by the two instructions
  std::string error_a, error_b;        // where and how a program stopped, if it did
  double worst_ulp = 0;                // of all pairs within their budgets
  const Instruction* worst = nullptr;
  int64_t unequal = 0;                 // runs of loops that are UnequalLoops
  std::vector<UnequalLoops> loops;     // the first run of each of them
  bool cancelled = false;
  std::vector<std::string> notes;
};

// `inputs_a` gives the inputs of both: parameter k of b is parameter k of a, converted where the types differ (both then hold numbers that
// the narrower type has). `inputs_b` serves parameters that a has none for. One
// backend may serve both: only one program runs at a time.
absl::StatusOr<LockstepReport> RunLockstep(const Module& a, const Module& b, const ProgramMatch& match, const ProgramInputs& inputs_a, const ProgramInputs& inputs_b,
                                           Backend& backend_a, Backend& backend_b, LockstepOptions options);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOCKSTEP_H_
