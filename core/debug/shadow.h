// The f64 shadow: how far numbers are from what exact arithmetic would give. An operation's own error is its result against its element
// program interpreted in f64 on the very operands that it read; the accumulated error is the whole program against itself in f64 (twin.h).
#ifndef HLOSCOPE_CORE_DEBUG_SHADOW_H_
#define HLOSCOPE_CORE_DEBUG_SHADOW_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "core/debug/compare_values.h"
#include "core/debug/record.h"
#include "core/debug/ways.h"
#include "core/exec/backend.h"
#include "core/exec/machine.h"
#include "core/ir/call_tree.h"

namespace hloscope {

// Errors in ULP: exact, up to 1/2, 1, 2, 4, ... 2^12 and beyond, not finite.
inline constexpr int kErrorBins = 17;
int ErrorBin(double ulp);
std::string ErrorBinText(int bin);

struct ErrorStatistics {
  int64_t elements = 0;
  double sum_ulp = 0;      // of the finite ones
  double worst_ulp = 0;
  std::vector<int64_t> worst_index;
  Scalar worst_got, worst_exact;
  std::vector<PastFrame> worst_frames;  // in which it was seen
  std::string worst_where;              // "iteration 3,17 call 2", as goto takes it; by NameMoments
  std::array<int64_t, kErrorBins> bins{};
  double mean_ulp() const { return elements > 0 ? sum_ulp / static_cast<double>(elements) : 0; }
};

struct ShadowRow {
  const Instruction* instruction = nullptr;
  int64_t times = 0;        // executions looked at
  ErrorStatistics own;
  absl::flat_hash_map<int, double> worst_by_call;  // of its own, in ULP; calls as in ShadowReport::calls
  ErrorStatistics accumulated;
};

struct ShadowReport {
  std::vector<ShadowRow> rows;  // in the order first met
  CallTree calls;
  int64_t elements = 0;         // looked at for their own error
  // Instructions with float results that have no element program (or none that could be interpreted), and why; in the order first met.
  std::vector<std::pair<const Instruction*, std::string>> unmeasured;
  bool accumulated = false;
  std::string accumulated_why;  // why not, if it was asked for and is not there
  double accumulate_seconds = 0;  // of both programs, instruction by instruction beside each other
  double run_seconds = 0;       // of the program
  double seconds = 0;           // of the measuring beside it
  double prepare_seconds = 0;   // in these: until an instruction can be looked at
  double compile_seconds = 0;   // of code that only the measuring runs; not in these
  int64_t executions = 0, looks = 0;  // of regions with something to look at, and how many of them were
  int64_t fewer = 0;                  // instructions of which fewer elements than asked for were looked at: each costs too much
  std::string first_fewer;            // "%sum: 5"
  absl::Status ended;                 // with which error the program stopped; what is here was measured before
};

struct ShadowOptions {
  int64_t samples = 16;   // of each result, fewer where an element is made of very many; -1: all
  int threads = 0;        // 0: all
  double most_times = 1;  // of the steps that the program itself stands for, beyond the first look at each instruction; with all: no limit
  const std::atomic<bool>* cancel = nullptr;  // set from elsewhere: Observe ends soon with CancelledError
};

class NativeFunctions;
class RegionShadow;

// The programs in f64 of a module's regions, kept for its later runs. Module and backend must outlive it.
class ShadowPrograms {
 public:
  explicit ShadowPrograms(Backend& backend);
  ~ShadowPrograms();
  size_t regions() const { return regions_.size(); }

 private:
  friend class ShadowWatcher;
  std::unique_ptr<NativeFunctions> functions_;
  std::map<std::pair<const Instruction*, std::vector<int>>, std::shared_ptr<RegionShadow>> regions_;  // by root and members
};

// Observes a Machine, fused regions as they run.
class ShadowWatcher {
 public:
  // `kept`: takes what is made and gives it again; null: it is dropped as soon as it has been used.
  ShadowWatcher(const Machine& machine, Backend& backend, ShadowOptions options, ShadowPrograms* kept = nullptr);
  ~ShadowWatcher();
  absl::Status Observe(const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result);
  ShadowReport TakeReport();

 private:
  struct Entry;
  std::shared_ptr<RegionShadow> ShadowOf(const Frame& frame, const Region& region);
  void Look(Entry& entry, std::shared_ptr<RegionShadow>& shadow, const Frame& frame, const Region& region, absl::Span<const Value> inputs,
            const Value& result);
  void LookAtMembers(Entry& entry, const Frame& frame, const Region& region, absl::Span<const Value> inputs);
  void Failed(const Instruction& instruction, absl::string_view why);
  // Of sizes known only now, it is a copy that runs: the row is the program's.
  ShadowRow& Row(const Instruction& instruction);
  int CallOfFrame();
  bool Cancelled() const { return options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed); }

  const Machine& machine_;
  Backend& backend_;
  ShadowOptions options_;
  ShadowReport report_;
  std::unique_ptr<ShadowPrograms> own_;
  ShadowPrograms* kept_;
  NativeFunctions& functions_;
  double compiled_before_ = 0;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Entry>> entries_;  // by root
  absl::flat_hash_map<const Instruction*, size_t> rows_;
  absl::flat_hash_set<const Instruction*> failed_;
  double run_steps_ = 0, look_steps_ = 0;  // of the program (as the interpreter's), and of looking
  double spent_ = 0;
  uint64_t serial_ = 0;  // of the frame that `call_` is of
  int call_ = CallTree::kEntry;
};

// A whole run, watched. Where it stops with an error, what was measured before; the error where that is nothing.
absl::StatusOr<ShadowReport> RunShadow(WatchedRun run, ShadowOptions options, ShadowPrograms* kept = nullptr);
// "1234 elements of 56 instructions against f64; own error up to 1.2 ulp".
std::string ShadowSummary(const ShadowReport& report);

// When the worst errors were seen, in words.
void NameMoments(const Module& module, ShadowReport& report);

// The error of `got` against `exact` (f64), in ULP of got's type, is put into `ulp`, where it is not null. Whether it is the worst now.
bool AddError(ErrorStatistics& statistics, const Scalar& got, const Scalar& exact, const Shape& shape, int64_t linear,
              double* ulp = nullptr);

// Rows with the largest errors first, "ulp worst, mean, accumulated, instruction"; with JSON as an array's text.
std::string ShadowTable(const ShadowReport& report, size_t most);
std::string ShadowDetails(const ShadowRow& row);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SHADOW_H_
