#include "core/ops/check_starts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/exchange_def.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// Who takes what a start gives, beside its done.
enum class Takers {
  kAny,    // a value that is there
  kNone,   // its value has not come yet
  kWhole,  // the same, but tuples carry it to a done elsewhere: out of a loop, or into its next iteration
};
struct TwoHalves {
  Opcode start, done;
  Takers takers = Takers::kAny;
};
constexpr TwoHalves kHalves[] = {
    {Opcode::kAllReduceStart, Opcode::kAllReduceDone, Takers::kNone},
    {Opcode::kAllGatherStart, Opcode::kAllGatherDone, Takers::kNone},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermuteDone, Takers::kNone},
    {Opcode::kCopyStart, Opcode::kCopyDone},
    {Opcode::kAsyncStart, Opcode::kAsyncDone, Takers::kNone},
    {Opcode::kAsyncUpdate, Opcode::kAsyncDone, Takers::kNone},
    {Opcode::kSend, Opcode::kSendDone, Takers::kWhole},
    {Opcode::kRecv, Opcode::kRecvDone, Takers::kWhole},
};

const TwoHalves* HalvesOf(Opcode start) {
  static const std::array<const TwoHalves*, kOpcodeCount> all = [] {
    std::array<const TwoHalves*, kOpcodeCount> table{};
    for (const TwoHalves& halves : kHalves) table[static_cast<int>(halves.start)] = &halves;
    return table;
  }();
  return all[static_cast<int>(start)];
}

// An update stands between start and done.
bool Completes(const Instruction& i, const TwoHalves& halves) {
  return i.opcode == halves.done || (halves.done == Opcode::kAsyncDone && i.opcode == Opcode::kAsyncUpdate);
}

void ReportNeverCompleted(const Instruction& start, const TwoHalves& halves, DiagnosticSink& sink) {
  sink.Error(start.range, HLO_LABEL("verify.never-completed"), absl::StrCat("nothing completes ", ShownName(start), ": no ", Name(halves.done), " takes what it gives"),
             absl::StrCat("add ", Name(halves.done), "(", start.name, ")"));
}

// The arrays of sends and receives that are on their way (Takers::kWhole), as a module's computations hand them on.
class OnTheWay {
 public:
  OnTheWay(const Module& module, DiagnosticSink& sink) : sink_(sink) {
    FindHolders(module);
    for (const Computation* c : module.computations) {
      if (!holds_any_.contains(c)) continue;
      settled_.clear();
      (void)ResultOf(*c, {}, /*own=*/true);
      for (const Instruction* i : c->schedule) {
        if (IsStart(*i) && !settled_.contains(i)) ReportNeverCompleted(*i, *HalvesOf(i->opcode), sink_);
      }
    }
  }

 private:
  void FindHolders(const Module& module) {
    for (size_t before = 1; before != holds_any_.size();) {  // in whatever order they stand
      before = holds_any_.size();
      for (const Computation* c : module.computations) {
        bool any = false;
        for (const Instruction* i : c->schedule) {
          any |= IsStart(*i);
          if (before == 0 || i->attributes.empty()) continue;
          for (const Computation* called : i->CalledComputations()) any |= holds_any_.contains(called);
        }
        if (any) holds_any_.insert(c);
      }
    }
  }

  using Leaves = std::vector<const Instruction*>;  // whose array each is, or null; none at all: it holds none
  // Of an instruction's operands, or a computation's parameters, by number.
  using Given = std::vector<Leaves>;
  static constexpr int kMostRuns = 10'000;  // of computations, by what they are given
  static constexpr int kDeepest = 200;      // calls in calls

  static bool IsStart(const Instruction& i) { return HalvesOf(i.opcode) != nullptr && HalvesOf(i.opcode)->takers == Takers::kWhole; }
  static bool IsDone(const Instruction& i) {
    return std::any_of(std::begin(kHalves), std::end(kHalves), [&](const TwoHalves& halves) { return halves.done == i.opcode; });
  }
  static bool Any(const Given& given) {
    return std::any_of(given.begin(), given.end(), [](const Leaves& leaves) { return !leaves.empty(); });
  }
  // Adds what `from` holds where `to` has nothing. True: there was something.
  static bool Join(const Leaves& from, Leaves& to) {
    bool more = false;
    if (to.size() < from.size()) to.resize(from.size());
    for (size_t k = 0; k < from.size(); ++k) {
      if (from[k] == nullptr || to[k] != nullptr) continue;
      to[k] = from[k];
      more = true;
    }
    return more;
  }

  // What a computation's result holds where its parameters hold that. `own`: it is the one that is looked at, whose starts have to be completed.
  Leaves ResultOf(const Computation& computation, const Given& parameters, bool own) {
    const auto key = std::make_pair(&computation, parameters);
    if (const auto known = results_.find(key); known != results_.end() && !own) return known->second;
    if (!own && (static_cast<int>(results_.size()) >= kMostRuns || depth_ > kDeepest)) return {};
    ++depth_;
    std::vector<Leaves> held(computation.schedule.size());
    for (const Instruction* i : computation.schedule) Look(*i, parameters, held);
    --depth_;
    const Leaves result = computation.root == nullptr ? Leaves() : held[computation.root->index];
    settled_.insert(result.begin(), result.end());
    return results_[key] = result;
  }

  void Look(const Instruction& i, const Given& parameters, std::vector<Leaves>& held) {
    Leaves& here = held[i.index];
    if (IsStart(i)) {
      here.resize(LeafCountOf(i.shape));
      std::fill_n(here.begin(), LeafCountOf(i.shape.tuple_shapes()[0]), &i);
      return;
    }
    if (i.parameter_number >= 0) {
      if (i.parameter_number < static_cast<int64_t>(parameters.size())) here = parameters[i.parameter_number];
    } else {
      Given given;
      for (const Instruction* operand : i.operands) given.push_back(held[operand->index]);
      if (!i.CalledComputations().empty()) here = ResultOfCall(i, std::move(given));
      else if (Any(given)) here = HandedOn(i, given);
    }
    if (here.empty() || !i.shape.IsArray()) return;
    if (here[0] != nullptr) Read(i, *here[0]);
    here.clear();
  }

  // An instruction that calls nothing: what it hands on; else it reads.
  Leaves HandedOn(const Instruction& i, const Given& given) {
    if (IsDone(i)) {
      for (const Leaves& leaves : given) settled_.insert(leaves.begin(), leaves.end());
      return {};
    }
    const std::vector<LeafSource> sources = SourcesOfLeaves(i);
    Leaves here;
    for (size_t leaf = 0; leaf < sources.size(); ++leaf) {
      const LeafSource& from = sources[leaf];
      if (from.operand < 0 || given[from.operand].empty() || given[from.operand][from.leaf] == nullptr) continue;
      here.resize(sources.size());
      here[leaf] = given[from.operand][from.leaf];
    }
    for (size_t k = 0; k < given.size() && sources.empty(); ++k) {
      for (const Instruction* start : given[k]) {
        if (start != nullptr) Read(i, *start);
      }
    }
    return here;
  }

  // What is given to a computation may be completed there.
  Leaves ResultOfCall(const Instruction& i, Given given) {
    for (const Leaves& leaves : given) settled_.insert(leaves.begin(), leaves.end());
    const std::vector<Computation*> called = i.CalledComputations();
    const bool any = Any(given);
    const auto result = [&](const Computation& c, const Given& parameters) { return any || holds_any_.contains(&c) ? ResultOf(c, parameters, false) : Leaves(); };
    Leaves here;
    switch (Def(i).control) {
      case ControlKind::kWhile: {
        const Computation& body = *i.Called(AttrId::kBody);
        while (Join(result(body, given), given[0])) continue;  // each iteration gets what the one before gave
        (void)result(*i.Called(AttrId::kCondition), given);
        return given[0];
      }
      case ControlKind::kConditional:
        for (size_t k = 0; k < called.size() && k + 1 < given.size(); ++k) Join(result(*called[k], {given[k + 1]}), here);
        return here;
      case ControlKind::kCall: {
        const Leaves inside = result(*called[0], given);
        if (i.opcode != Opcode::kAsyncStart) return inside;
        const std::vector<LeafSource> sources = SourcesOfLeaves(i);
        for (size_t leaf = 0; leaf < sources.size(); ++leaf) {
          const LeafSource& from = sources[leaf];
          const Leaves& leaves = from.operand == LeafSource::kCalled ? inside : from.operand >= 0 ? given[from.operand] : Leaves();
          if (leaves.empty() || leaves[from.leaf] == nullptr) continue;
          here.resize(sources.size());
          here[leaf] = leaves[from.leaf];
        }
        return here;
      }
      default: return {};
    }
  }

  void Read(const Instruction& i, const Instruction& start) {
    settled_.insert(&start);
    if (!told_.insert({&i, &start}).second) return;
    const absl::string_view done = Name(HalvesOf(start.opcode)->done);
    const bool receives = start.opcode == Opcode::kRecv, here = start.parent == i.parent;
    sink_.Error(i.range, HLO_LABEL("verify.read-before-done"),
                absl::StrCat(ShownName(i), " (", Name(i.opcode), ") reads the array of ", ShownName(start), " (", Name(start.opcode), here ? "" : absl::StrCat(", in ", start.parent->name), "), which ",
                             receives ? "has not come yet" : "is on its way", ": only ", done, " takes what ", Name(start.opcode), " gives"),
                !receives ? "read what is sent instead" : here ? absl::StrCat("read get-tuple-element(", done, "(", start.name, ")), index=0 instead") : absl::StrCat("read what its ", done, " gives instead"));
  }

  DiagnosticSink& sink_;
  int depth_ = 0;
  absl::flat_hash_set<const Computation*> holds_any_;  // starts stand in it, or in what it calls
  std::map<std::pair<const Computation*, Given>, Leaves> results_;
  absl::flat_hash_set<const Instruction*> settled_;  // of the computation that is looked at: it is completed, or may be elsewhere, or what is wrong was said
  std::set<std::pair<const Instruction*, const Instruction*>> told_;
};

}  // namespace

bool IsHalf(Opcode opcode) {
  return std::any_of(std::begin(kHalves), std::end(kHalves), [&](const TwoHalves& halves) { return halves.start == opcode || halves.done == opcode; });
}

void CheckTransfersOnTheWay(const Module& module, DiagnosticSink& sink) { OnTheWay(module, sink); }

void CheckStarts(const Computation& computation, DiagnosticSink& sink) {
  std::vector<const Instruction*> starts;
  for (const Instruction* i : computation.schedule) {
    if (HalvesOf(i->opcode) != nullptr) starts.push_back(i);
  }
  if (starts.empty()) return;
  std::vector<const Instruction*> taker(computation.schedule.size());  // by index: who completes it, else anybody
  for (const Instruction* i : computation.schedule) {
    for (const Instruction* operand : i->operands) {
      const TwoHalves* halves = HalvesOf(operand->opcode);
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
    const TwoHalves& halves = *HalvesOf(start->opcode);
    if (taker[start->index] != nullptr || start == computation.root || halves.takers == Takers::kWhole || start->in_error) continue;
    ReportNeverCompleted(*start, halves, sink);
  }
}

}  // namespace hloscope
