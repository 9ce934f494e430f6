// The sampled check: elements of what kernels computed, compared with the reference, within a bound that follows from the operation.
// First the fused region as it ran, against its fused program interpreted on the region's own inputs; then each of its instructions
// singly. Not for comparing two runs, and not for choosing what to run (it observes a Machine).
#ifndef HLOSCOPE_CORE_DEBUG_CHECK_H_
#define HLOSCOPE_CORE_DEBUG_CHECK_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/element/interpret.h"
#include "core/exec/backend.h"
#include "core/exec/machine.h"

namespace hloscope {

struct Mismatch {
  std::string instruction;
  std::string device;          // whose, where a program runs functions on several ("replica 1"); else empty
  bool fused = false;          // as part of a region that ran fused; else executed alone
  int output = -1;             // leaf of a tuple result; -1: the result is an array
  std::vector<int64_t> index;
  Scalar got, expected;
  double ulp = 0;              // |got - expected| in units of expected's last place
  double bound = 0;            // what was allowed; 0: bit for bit
};

struct CheckOptions {
  int64_t samples = 64;        // of each result; the first and the last element are always among them; -1: all
  int times = 2;               // how often each region of a computation that runs many times is checked
  int threads = 0;             // 0: all
  size_t keep_mismatches = 100;
  const std::atomic<bool>* cancel = nullptr;   // set from elsewhere: Observe ends soon with CancelledError
  std::function<void(double steps)> progress;  // of the reference, as StepsToCheck counts them, since the beginning; null: nobody asks
};

struct CheckReport {
  int64_t devices = 0;                      // whose functions are in it, where a program runs such; RegionChecker leaves it 0
  int64_t regions = 0, instructions = 0;    // checked
  int64_t checked_elements = 0;
  int64_t unchecked_nonfinite = 0;          // not finite on both sides
  std::map<std::string, int64_t> nonfinite_by_instruction;  // those samples, by the instruction's name
  int64_t undecided = 0;                    // the reference's bound says nothing about them
  int64_t unchecked_opaque = 0;             // results of operations without a cheap reference
  int64_t unchecked_exchanged = 0;          // what came from other devices: one alone cannot make it again
  int64_t unchecked_failed = 0;             // the reference could not compute them; `first_failure` says why for one
  std::string first_failure;
  int64_t split_differences = 0;            // regions whose result, executed one instruction at a time, has other bits
  std::string first_split_difference;
  int64_t mismatch_count = 0;
  std::vector<Mismatch> mismatches;         // the first ones
};

// About how much there is to evaluate for Observe of one execution of a region.
double StepsToCheck(const Computation& computation, const Region& region, int64_t samples);

// "2 results of exchanges with other devices"; "": there were none.
std::string ExchangedText(const CheckReport& report);

class RegionChecker {
 public:
  RegionChecker(Backend& backend, CheckOptions options);
  ~RegionChecker();
  // For Machine::set_region_observer. Never fails because of a mismatch.
  absl::Status Observe(const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result);
  const CheckReport& report() const { return report_; }

 private:
  struct Entry {
    int times = 0;
    std::vector<absl::StatusOr<Program>> programs;  // of the region, then of each member
  };
  void CheckProgram(const absl::StatusOr<Program>& program, const Kernel& kernel, absl::Span<const Value> operands, const Value& result,
                    const Instruction& instruction, bool fused);
  absl::Status CheckEach(const Program& program, const InterpretOptions& interpret, absl::Span<const Value* const> operands,
                         const Value& result, const Instruction& instruction, bool fused);
  absl::Status CheckPush(const Program& program, const InterpretOptions& interpret, absl::Span<const Value* const> operands,
                         int64_t samples, uint64_t seed,
                         const std::function<void(int64_t at, int64_t output, const BoundedScalar& expected)>& compare);
  bool Cancelled() const { return options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed); }
  void Progressed(double steps);
  void CheckOpaque(const Instruction& instruction, absl::Span<const Value> inputs, const Region& region, const Value& result);
  void CheckMembers(Entry& entry, const Computation& computation, const Region& region, absl::Span<const Value> inputs, const Value& result);
  void Compare(const Instruction& instruction, bool fused, int output, const Value& got, int64_t linear, const BoundedScalar& expected);
  void Failed(const Instruction& instruction, const absl::Status& status);

  Backend& backend_;
  CheckOptions options_;
  CheckReport report_;
  double steps_ = 0;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Entry>> entries_;  // by root
};

// How a comparison ends.
enum class Agreement : uint8_t { kAgrees, kNotFinite, kUndecided, kMismatch };
Agreement CompareScalars(const Scalar& got, const BoundedScalar& expected);
// Row-major indices to look at, ascending, without repeats: all when there are few.
std::vector<int64_t> SampleIndices(int64_t count, int64_t samples, uint64_t seed);
// Calls `each` with these of the shape's elements, row-major and as indices, as many at a time as take a few dozen MB.
absl::Status ForEachSlab(
    const Shape& shape, int64_t samples, uint64_t seed,
    const std::function<absl::Status(absl::Span<const int64_t> linear, absl::Span<const std::vector<int64_t>> indices)>& each);

// The member of `region` (a schedule position) that first makes a nan (or an infinity) out of finite operands, found by executing the
// members one by one; -1 when none does.
absl::StatusOr<int> FindOrigin(Backend& backend, const Computation& computation, const Region& region, absl::Span<const Value> inputs, bool nan, bool inf);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_CHECK_H_
