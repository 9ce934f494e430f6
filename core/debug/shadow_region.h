// The f64 shadow of one region: elements of the instructions in it, each as the region makes it and as f64 would from the same operands.
// What is inside a fused region is made by need: of each value only the elements that the chosen ones are made of, by the element programs
// of the members, so that looking costs no more than the elements do. Not for choosing what to look at, nor for adding up (shadow.h).
#ifndef HLOSCOPE_CORE_DEBUG_SHADOW_REGION_H_
#define HLOSCOPE_CORE_DEBUG_SHADOW_REGION_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/element/interpret.h"
#include "core/exec/backend.h"
#include "core/exec/fuse.h"
#include "core/ir/module.h"

namespace hloscope {

// The backend's own code of single functions (exp, tanh, ...), which may round otherwise than the interpreter's.
class NativeFunctions {
 public:
  explicit NativeFunctions(Backend& backend) : backend_(backend) {}
  // Null: the backend's is the interpreter's, or it has none.
  const Kernel* Find(ScalarOp op, int64_t aux, ElementType type, absl::Span<const ElementType> operands);
  // results[k] = function(operands[0][k], operands[1][k], ...).
  static absl::Status Call(const Kernel& function, absl::Span<const std::vector<Scalar>> operands, std::vector<Scalar>& results);
  double compile_seconds() const { return seconds_; }

 private:
  Backend& backend_;
  absl::flat_hash_map<std::string, std::shared_ptr<const Kernel>> kernels_;  // by function; null: none
  double seconds_ = 0;
};

struct ShadowElement {
  const Instruction* instruction;
  const Shape* shape;  // of the array that the element is of, one of several where the result is a tuple
  int64_t linear;
  Scalar got, exact;
};

class RegionShadow {
 public:
  // All must outlive it.
  RegionShadow(NativeFunctions& functions, const Computation& computation, const Region& region);
  ~RegionShadow();

  // Instructions with results to look at that cannot be, and why.
  const std::vector<std::pair<const Instruction*, std::string>>& failures() const { return failures_; }
  // Those that can.
  const std::vector<const Instruction*>& instructions() const { return instructions_; }
  // About how many nodes of element programs one execution of the region stands for, and one look.
  double steps_of_run() const { return steps_of_run_; }
  double StepsOfLook(int64_t samples, double most) const;

  struct Look {
    int64_t samples;  // of each result; -1: all
    double most;      // steps: where that is not enough, fewer samples, but not fewer than a handful
    uint64_t seed;
    int threads;
    absl::Span<const Value> inputs;
    const Value* result;
    const std::atomic<bool>* cancel = nullptr;
  };
  // Calls `take` for each element, in an order of its own that is always the same. An error is of the first instruction that failed.
  absl::Status At(const Look& look, const std::function<void(const ShadowElement&)>& take);
  // Of how many instructions a look takes fewer elements than asked for; the first of them, and how many.
  int64_t Fewer(int64_t samples, double most, const Instruction** first, int64_t* taken) const;

 private:
  struct Group;
  struct Member;
  void Add(const Instruction& instruction, bool exact_before);
  void CountStepsOfRoot();
  Group& GroupOf(const Shape& shape);
  absl::Status AddPull(const Instruction& instruction, const Program& program, bool exact_before);
  absl::Status AddPush(const Instruction& instruction, const Program& program, bool exact_before);
  absl::Status LookAtPush(const Group& group, const Look& look, absl::Span<const Value* const> operands,
                          const std::function<void(const ShadowElement&)>& take);
  absl::Status LookAtPull(Group& group, const Look& look, absl::Span<const Value* const> operands,
                          const std::function<void(const ShadowElement&)>& take);
  absl::Status Evaluate(Group& group, const Look& look, absl::Span<const Value* const> operands, const int64_t* list, int64_t from, int64_t n,
                        std::vector<Scalar>& made);
  int64_t SamplesOf(const Group& group, int64_t samples, double most) const;

  NativeFunctions& functions_;
  const Computation& computation_;
  const Region region_;
  std::unique_ptr<ElementPrograms> programs_ = std::make_unique<ElementPrograms>();  // while it is being made
  std::vector<std::unique_ptr<Group>> groups_;  // results of the same dimensions
  std::vector<const Instruction*> instructions_;
  std::vector<std::pair<const Instruction*, std::string>> failures_;
  double steps_of_run_ = 0;
};

// Whether the shadow looks at a result at all: floats narrower than f64 that are computed, not copied.
bool IsShadowed(const Instruction& instruction);
bool IsNarrowNumber(ElementType type);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SHADOW_REGION_H_
