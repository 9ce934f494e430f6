#include "core/ir/written_names.h"
#include "core/ops/check_starts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/ops/exchange_def.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {
namespace {

// Who takes what a start gives, beside its done.
enum class Takers {
  kAny,    // a value that is there
  kNone,   // its value has not come yet
  kWhole,  // the same, but tuples carry it to a done elsewhere: out of a loop, or into its next iteration
};
struct AsyncHalves {
  Opcode start, done;
  Takers takers = Takers::kAny;
};
constexpr AsyncHalves kHalves[] = {
    {Opcode::kAllReduceStart, Opcode::kAllReduceDone, Takers::kNone},
    {Opcode::kAllGatherStart, Opcode::kAllGatherDone, Takers::kNone},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermuteDone, Takers::kNone},
    {Opcode::kCopyStart, Opcode::kCopyDone},
    {Opcode::kAsyncStart, Opcode::kAsyncDone, Takers::kNone},
    {Opcode::kAsyncUpdate, Opcode::kAsyncDone, Takers::kNone},
    {Opcode::kSend, Opcode::kSendDone, Takers::kWhole},
    {Opcode::kRecv, Opcode::kRecvDone, Takers::kWhole},
};

const AsyncHalves* HalvesOf(Opcode start) {
  static const std::array<const AsyncHalves*, kOpcodeCount> all = [] {
    std::array<const AsyncHalves*, kOpcodeCount> table{};
    for (const AsyncHalves& halves : kHalves) table[static_cast<int>(halves.start)] = &halves;
    return table;
  }();
  return all[static_cast<int>(start)];
}

// An update stands between start and done.
bool Completes(const Instruction& i, const AsyncHalves& halves) {
  return i.opcode == halves.done || (halves.done == Opcode::kAsyncDone && i.opcode == Opcode::kAsyncUpdate);
}

void ReportNeverCompleted(const Instruction& start, const AsyncHalves& halves, DiagnosticSink& sink) {
  sink.Error(start.range, HLO_LABEL("verify.never-completed"), absl::StrCat("nothing completes ", ShownName(start), ": no ", Name(halves.done), " takes what it gives"),
             absl::StrCat("add ", Name(halves.done), "(", start.name, ")"));
}

// The arrays of sends and receives that are on their way (Takers::kWhole), as a computation hands them on.
class OnTheWay {
 public:
  OnTheWay(const Computation& computation, DiagnosticSink& sink) : sink_(sink), root_(computation.root), held_(computation.schedule.size()) {
    for (const Instruction* i : computation.schedule) Look(*i);
    if (root_ != nullptr) SettleAll(root_->index);
    for (const Instruction* start : starts_) {
      if (!settled_.contains(start)) ReportNeverCompleted(*start, *HalvesOf(start->opcode), sink_);
    }
  }

 private:
  void Look(const Instruction& i) {
    if (const AsyncHalves* halves = HalvesOf(i.opcode); halves != nullptr && halves->takers == Takers::kWhole) {
      starts_.push_back(&i);
      held_[i.index].resize(LeafCountOf(i.shape));
      std::fill_n(held_[i.index].begin(), LeafCountOf(i.shape.tuple_shapes()[0]), &i);
      return;
    }
    const auto holds = [this](const Instruction* operand) { return !held_[operand->index].empty(); };
    if (std::none_of(i.operands.begin(), i.operands.end(), holds)) return;
    const std::vector<LeafSource> sources = i.CalledComputations().empty() ? SourcesOfLeaves(i) : std::vector<LeafSource>();
    for (size_t leaf = 0; leaf < sources.size() && !IsDone(i); ++leaf) {
      const LeafSource& from = sources[leaf];
      if (from.operand < 0 || held_[i.operands[from.operand]->index].empty()) continue;
      const Instruction* start = held_[i.operands[from.operand]->index][from.leaf];
      if (start == nullptr) continue;
      held_[i.index].resize(sources.size());
      held_[i.index][leaf] = start;
    }
    if (!held_[i.index].empty() && i.shape.IsArray()) {
      Read(i, *held_[i.index][0]);
      held_[i.index].clear();
    }
    if (!sources.empty() && !IsDone(i)) return;
    for (const Instruction* operand : i.operands) {
      if (IsDone(i) || !i.CalledComputations().empty()) {
        SettleAll(operand->index);
        continue;
      }
      for (const Instruction* start : held_[operand->index]) {
        if (start != nullptr) Read(i, *start);
      }
    }
  }

  static bool IsDone(const Instruction& i) {
    return std::any_of(std::begin(kHalves), std::end(kHalves), [&](const AsyncHalves& halves) { return halves.done == i.opcode; });
  }

  void SettleAll(int index) { settled_.insert(held_[index].begin(), held_[index].end()); }

  void Read(const Instruction& i, const Instruction& start) {
    settled_.insert(&start);
    const absl::string_view done = Name(HalvesOf(start.opcode)->done);
    const bool receives = start.opcode == Opcode::kRecv;
    sink_.Error(i.range, HLO_LABEL("verify.read-before-done"),
                absl::StrCat(ShownName(i), " (", Name(i.opcode), ") reads the array of ", ShownName(start), " (", Name(start.opcode), "), which ",
                             receives ? "has not come yet" : "is on its way", ": only ", done, " takes what ", Name(start.opcode), " gives"),
                receives ? absl::StrCat("read get-tuple-element(", done, "(", start.name, ")), index=0 instead") : "read what is sent instead");
  }

  DiagnosticSink& sink_;
  const Instruction* root_;
  std::vector<std::vector<const Instruction*>> held_;  // by index and leaf: whose array it is; empty: it holds none
  std::vector<const Instruction*> starts_;
  absl::flat_hash_set<const Instruction*> settled_;  // it is completed, or may be elsewhere, or what is wrong was said
};

}  // namespace

void CheckTransfersOnTheWay(const Computation& computation, DiagnosticSink& sink) { OnTheWay(computation, sink); }

void CheckStarts(const Computation& computation, DiagnosticSink& sink) {
  std::vector<const Instruction*> starts;
  for (const Instruction* i : computation.schedule) {
    if (HalvesOf(i->opcode) != nullptr) starts.push_back(i);
  }
  if (starts.empty()) return;
  std::vector<const Instruction*> taker(computation.schedule.size());  // by index: who completes it, else anybody
  for (const Instruction* i : computation.schedule) {
    for (const Instruction* operand : i->operands) {
      const AsyncHalves* halves = HalvesOf(operand->opcode);
      if (halves == nullptr || operand->index < 0) continue;
      const Instruction*& before = taker[operand->index];
      if (halves->takers == Takers::kNone && CollectiveOf(*operand).collective != nullptr && !Completes(*i, *halves)) {
        sink.Error(i->range, HLO_LABEL("verify.read-before-done"), absl::StrCat(ShownName(*i), " (", Name(i->opcode), ") reads ", ShownName(*operand), ", whose value has not come yet: only ", Name(halves->done), " takes what ", Name(operand->opcode), " gives"),
                   absl::StrCat("read ", Name(halves->done), "(", operand->name, ") instead"));
      }
      if (before != nullptr && before != i && Completes(*before, *halves) && Completes(*i, *halves)) {
        sink.Error(i->range, HLO_LABEL("verify.completed-twice"), absl::StrCat(ShownName(*operand), " is completed twice, by ", ShownName(*before), " and here by ", ShownName(*i)),
                   absl::StrCat("one ", Name(halves->done), " takes what each ", Name(operand->opcode), " gives; others read its result"));
      }
      if (before == nullptr || !Completes(*before, *halves)) before = i;
    }
  }
  for (const Instruction* start : starts) {
    const AsyncHalves& halves = *HalvesOf(start->opcode);
    if (taker[start->index] != nullptr || start == computation.root || halves.takers == Takers::kWhole || start->in_error) continue;
    ReportNeverCompleted(*start, halves, sink);
  }
}

}  // namespace hloscope
