// Numeric catches: looks at every region that a Machine runs and stops it after the instruction that first introduced what is looked for.
// Not for the console's commands (catch_commands.cc).
#ifndef HLOSCOPE_CORE_DEBUG_CATCHES_H_
#define HLOSCOPE_CORE_DEBUG_CATCHES_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/debug/catch_find.h"
#include "core/debug/catch_given.h"
#include "core/exec/machine.h"
#include "core/exec/watch.h"

namespace hloscope {

// A frame of the stack at a catch, outermost first: "iteration 17 of %while.3".
struct CaughtFrame {
  FrameKind kind = FrameKind::kEntry;
  const Instruction* caller = nullptr;  // null: the entry
  int64_t iteration = 0;
};

struct Caught {
  CatchKind kind{};
  int number = 0;
  const Instruction* instruction = nullptr;
  std::vector<CaughtFrame> frames;
  Finding finding;
};

class Catches {
 public:
  Catches(const Module& module, Backend& backend);
  ~Catches();

  // What is looked for. Call Attach after a change.
  std::vector<CatchRequest>& requests() { return requests_; }
  // Observes the machine from now on; nothing to look for: leaves it alone. The machine must not outlive this without Detach.
  void Attach(Machine& machine);
  void Detach(Machine& machine);
  // With several devices: from which elements, of whichever devices, elements of what an instruction exchanged were made.
  using ExchangedReads = std::function<std::vector<std::vector<CaughtRead>>(const Instruction& instruction, int leaf, absl::Span<const int64_t> elements)>;
  void set_exchanged(ExchangedReads reads) { exchanged_ = std::move(reads); }
  // A machine was started anew: what was caught before counts again.
  void Restarted();
  // All that it has stopped the machine for since this was asked last, by the order of the requests: what one instruction introduced.
  std::vector<Caught> TakeFresh() { return std::exchange(fresh_, {}); }
  // The stop of the last StopReason::kCaught, the first of it.
  const std::optional<Caught>& caught() const { return caught_; }
  // Things said once, as what parameters bring; cleared by the taker.
  std::vector<std::string> TakeNotices();
  // Looks at the parameters that this run has read so far, each once: at the first nan (or inf) that comes up, and by who is at the end, where
  // none may have.
  void LookAtParameters(const Machine& machine);
  const std::vector<GivenBad>& given() const { return given_; }

 private:
  struct RegionFacts {
    bool concerns = false;        // some member may introduce something
    bool only_nonfinite = true;   // and only nan or inf
    bool always_look = false;     // the kernel's watch may miss it: elements are left unread, a constant is mixed in by a move
    bool calls = false;           // an infinity made in there may have become a NaN
    bool hides = false;           // members besides the root concern: without a watch the result does not say enough
  };
  absl::Status Observe(const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result);
  bool ExamineExchange(const Instruction& instruction, const Value& value);
  void ExamineExchanged(const CatchRequest& r, const Instruction& instruction, int output, const Value& leaf, std::optional<Finding>* found);
  const Instruction& InProgram(const Instruction& shown) const;
  void Note(const CatchRequest& request, const Instruction& instruction, Finding finding);
  const RegionFacts& FactsOf(const Computation& computation, const Region& region);
  bool Flagged(const RegionFacts& facts, const Kernel* kernel, const Value& result);
  bool IsClean(const Computation& computation, const Region& region, absl::Span<const Value> inputs);
  // Adds to fresh_ what the instruction introduced.
  bool Examine(const Instruction& instruction, absl::Span<const Value> operands, const Value& value);

  const Module& module_;
  Backend& backend_;
  WatchingBackend* watching_;
  CatchFinder finder_;
  ExchangedReads exchanged_;
  std::vector<CatchRequest> requests_;
  Machine* machine_ = nullptr;
  bool nonfinite_wanted_ = false, others_wanted_ = false;
  bool dirty_ = false;  // something that is looked for has come up in this run
  absl::flat_hash_map<const Instruction*, std::map<size_t, RegionFacts>> facts_;  // by root and how many members
  std::optional<Caught> caught_;
  std::vector<Caught> fresh_;
  std::pair<uint64_t, int> fresh_at_ = {0, -1};  // the frame and the instruction that they are of
  absl::flat_hash_set<const Instruction*> parameters_;  // that were looked at
  std::vector<GivenBad> given_;                          // what they have
  std::set<std::pair<const Instruction*, CatchKind>> said_not_all_;  // of what was reduced over devices
  std::vector<std::string> notices_;
};

// One or several lines without a line break at the end.
std::string CaughtText(const Module& module, const Caught& caught);
// "caught nan: %divide.7 in body, model.hlo:31 made [3,4] = nan": its first line, for one-line places.
std::string CaughtHeadline(const Module& module, const Caught& caught);
// The line of the model's source; line 0: none is named.
std::pair<std::string, int> CaughtSource(const Module& module, const Caught& caught);
// "%x[3,4] = 0".
std::string ToText(const CaughtRead& read);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_CATCHES_H_
