#include "core/ops/check_starts.h"

#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/ops/exchange_def.h"

namespace hloscope {
namespace {

struct Halves {
  Opcode start, done;
  bool may_stay_open = false;  // what is sent and received is seen on the channel
  bool alone = false;          // nothing else reads what the start gives: its value has not come yet
};
constexpr Halves kHalves[] = {
    {Opcode::kAllReduceStart, Opcode::kAllReduceDone, false, true},
    {Opcode::kAllGatherStart, Opcode::kAllGatherDone, false, true},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermuteDone, false, true},
    {Opcode::kCopyStart, Opcode::kCopyDone},
    {Opcode::kAsyncStart, Opcode::kAsyncDone, false, true},
    {Opcode::kAsyncUpdate, Opcode::kAsyncDone, false, true},
    {Opcode::kSend, Opcode::kSendDone, true},
    {Opcode::kRecv, Opcode::kRecvDone, true},
};

const Halves* HalvesOf(Opcode start) {
  static const std::array<const Halves*, kOpcodeCount> all = [] {
    std::array<const Halves*, kOpcodeCount> table{};
    for (const Halves& halves : kHalves) table[static_cast<int>(halves.start)] = &halves;
    return table;
  }();
  return all[static_cast<int>(start)];
}

// An update stands between start and done.
bool Completes(const Instruction& i, const Halves& halves) {
  return i.opcode == halves.done || (halves.done == Opcode::kAsyncDone && i.opcode == Opcode::kAsyncUpdate);
}

}  // namespace

void CheckStarts(const Computation& computation, DiagnosticSink& sink) {
  std::vector<const Instruction*> starts;
  for (const Instruction* i : computation.schedule) {
    if (HalvesOf(i->opcode) != nullptr) starts.push_back(i);
  }
  if (starts.empty()) return;
  std::vector<const Instruction*> taker(computation.schedule.size());  // by index: who completes it, else anybody
  for (const Instruction* i : computation.schedule) {
    for (const Instruction* operand : i->operands) {
      const Halves* halves = HalvesOf(operand->opcode);
      if (halves == nullptr || operand->index < 0) continue;
      const Instruction*& before = taker[operand->index];
      if (halves->alone && CollectiveOf(*operand).collective != nullptr && !Completes(*i, *halves)) {
        sink.Error(i->range, HLO_LABEL("verify.read-before-done"), absl::StrCat("%", i->name, " (", Name(i->opcode), ") reads %", operand->name, ", whose value has not come yet: only ", Name(halves->done), " takes what ", Name(operand->opcode), " gives"),
                   absl::StrCat("read ", Name(halves->done), "(", operand->name, ") instead"));
      }
      if (before != nullptr && before != i && Completes(*before, *halves) && Completes(*i, *halves)) {
        sink.Error(i->range, HLO_LABEL("verify.completed-twice"), absl::StrCat("%", operand->name, " is completed twice, by %", before->name, " and here by %", i->name),
                   absl::StrCat("one ", Name(halves->done), " takes what each ", Name(operand->opcode), " gives; others read its result"));
      }
      if (before == nullptr || !Completes(*before, *halves)) before = i;
    }
  }
  for (const Instruction* start : starts) {
    const Halves& halves = *HalvesOf(start->opcode);
    if (taker[start->index] != nullptr || start == computation.root || halves.may_stay_open || start->in_error) continue;
    sink.Error(start->range, HLO_LABEL("verify.never-completed"), absl::StrCat("nothing completes %", start->name, ": no ", Name(halves.done), " takes what it gives"),
               absl::StrCat("add ", Name(halves.done), "(", start->name, ")"));
  }
}

}  // namespace hloscope
