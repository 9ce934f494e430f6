#include "core/debug/run_values.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <tuple>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/base/processor_time.h"
#include "core/debug/text_util.h"
#include "core/debug/watched_run.h"
#include "core/literal/format.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kMostLooked = 1 << 15;  // elements for a histogram
constexpr int64_t kMostKept = 64;         // elements of a value of which a summary is made only where it is the newest

// Which leaf of the instruction a place ("while.3[17]/sort.2{1}") names.
int LeafOfPlace(const Instruction& instruction, const std::string& place) {
  if (!instruction.shape.IsTuple()) return 0;
  const size_t end = place.rfind('/') == std::string::npos ? 0 : place.rfind('/') + 1;
  const std::string path = absl::StrReplaceAll(place.substr(std::min(place.size(), end + instruction.name.size())), {{"{", "["}, {"}", "]"}});
  const int leaves = LeafCountOf(instruction.shape);
  for (int k = 0; k < leaves; ++k) {
    if (LeafPathText(instruction.shape, k) == path) return k;
  }
  return 0;
}

// What no region makes, and nothing else tells: the results of loops and calls, and what branches are handed, which run at some of the times alone
// at which their operand is made.
absl::flat_hash_set<const Instruction*> MadeByNoRegion(const Module& module) {
  absl::flat_hash_set<const Instruction*> made;
  for (const Computation* c : module.computations) {
    for (const Instruction* i : c->schedule) {
      const ControlKind kind = Def(*i).control;
      if (kind != ControlKind::kNone) made.insert(i);
      if (kind != ControlKind::kConditional) continue;
      for (const Computation* branch : i->CalledComputations()) {
        if (branch != nullptr) made.insert(branch->parameters.begin(), branch->parameters.end());
      }
    }
  }
  return made;
}

// What they are is known before anything runs.
void AddConstants(const Module& module, RunValues* values) {
  for (const Computation* c : module.computations) {
    for (const Instruction* i : c->schedule) {
      if (i->literal == nullptr || !i->literal->value.has_value() || !i->shape.IsArray()) continue;
      ValueSummary summary = SummarizeValue(i->literal->value);
      summary.nan_times = summary.last.nan > 0;
      summary.inf_times = summary.last.inf > 0;
      values->of[i].leaves = {std::move(summary)};
    }
  }
}

// What a run shows, as it goes by. Of small values, which loops make very many of, summaries are made of the newest alone, at the end.
class Summaries {
 public:
  explicit Summaries(RunValues* values) : values_(values) {}

  void Add(const Machine& machine, const Instruction& instruction, const std::string& place, const Value& array) {
    InstructionRun& entry = values_->of[&instruction];
    const int leaf = LeafOfPlace(instruction, place);
    if (leaf >= static_cast<int>(entry.leaves.size())) entry.leaves.resize(leaf + 1);
    ValueSummary& known = entry.leaves[leaf];
    if (leaf == 0) ++entry.times;
    bool nan = false, inf = false;
    if (array.element_count() <= kMostKept) {
      const NonFinite trouble = FindNonFinite(array);
      nan = trouble.nan;
      inf = trouble.inf;
      known.nan_times += nan;
      known.inf_times += inf;
      std::vector<Value>& newest = newest_[&instruction];
      if (leaf >= static_cast<int>(newest.size())) newest.resize(leaf + 1);
      newest[leaf] = array;
    } else {
      Replace(SummarizeValue(array), &known, /*seen=*/false);
      nan = known.last.nan > 0;
      inf = known.last.inf > 0;
    }
    LeafHealth& health = HealthOf(machine, instruction, leaf);
    health.seen = true;
    health.nan = nan;
    health.inf = inf;
    health.nan_times += nan;
    health.inf_times += inf;
  }

  void Finish() {
    for (const auto& [instruction, newest] : newest_) {
      InstructionRun& entry = values_->of[instruction];
      for (size_t leaf = 0; leaf < newest.size(); ++leaf) {
        if (newest[leaf].has_value()) Replace(SummarizeValue(newest[leaf]), &entry.leaves[leaf], /*seen=*/true);
      }
    }
    newest_.clear();
  }

 private:
  LeafHealth& HealthOf(const Machine& machine, const Instruction& instruction, int leaf) {
    const std::vector<Frame>& frames = machine.frames();
    if (const uint64_t serial = frames.empty() ? 0 : frames.back().serial; serial != serial_) {
      serial_ = serial;
      call_ = CallOf(frames, &values_->calls);
    }
    std::vector<LeafHealth>& of = values_->health[{call_, &instruction}];
    if (leaf >= static_cast<int>(of.size())) of.resize(leaf + 1);
    return of[leaf];
  }

  // `seen`: it is counted already.
  static void Replace(ValueSummary fresh, ValueSummary* known, bool seen) {
    fresh.nan_times = known->nan_times + (!seen && fresh.last.nan > 0);
    fresh.inf_times = known->inf_times + (!seen && fresh.last.inf > 0);
    *known = std::move(fresh);
  }

  RunValues* values_;
  uint64_t serial_ = 0;  // of the frame that `call_` is of
  int call_ = CallTree::kEntry;
  absl::flat_hash_map<const Instruction*, std::vector<Value>> newest_;
};

}  // namespace

ValueSummary SummarizeValue(const Value& array) {
  ValueSummary summary;
  summary.last = Summarize(array);
  const int64_t count = array.element_count();
  for (int64_t k = 0; k < std::min<int64_t>(count, ValueSummary::kFirst); ++k) summary.first.push_back(FormatDouble(ElementAsDouble(array, k), 5));
  const Statistics& s = summary.last;
  if (s.finite == 0 || !(s.max > s.min)) return summary;
  // An odd step, so that rows of even length are not sampled in one column.
  const int64_t step = count <= kMostLooked ? 1 : (count / kMostLooked) | 1;
  for (int64_t k = 0; k < count; k += step) {
    const double x = ElementAsDouble(array, k);
    if (!std::isfinite(x)) continue;
    const double at = (x / 2 - s.min / 2) / (s.max / 2 - s.min / 2) * ValueSummary::kBins;  // halves: the range of f64 may overflow
    ++summary.bins[std::clamp(static_cast<int>(at), 0, ValueSummary::kBins - 1)];
  }
  return summary;
}

const ValueSummary* RunValues::Find(const Instruction& instruction, int leaf) const {
  const Instruction* at = &instruction;
  for (int hops = 0; hops < 1000; ++hops) {
    if (const auto it = of.find(at); it != of.end() && leaf < static_cast<int>(it->second.leaves.size()) && it->second.leaves[leaf].last.count > 0) return &it->second.leaves[leaf];
    const std::vector<LeafSource> sources = SourcesOfLeaves(*at);
    if (leaf >= static_cast<int>(sources.size())) return nullptr;
    const LeafSource& source = sources[leaf];
    if (source.operand < 0 || source.operand >= static_cast<int>(at->operands.size()) || at->operands[source.operand] == nullptr) return nullptr;
    leaf = source.leaf;
    at = at->operands[source.operand];
  }
  return nullptr;
}

namespace {

// Whether it makes anything of its own that a run shows.
bool Makes(const Computation& computation) {
  for (const Instruction* i : computation.schedule) {
    if (i->literal == nullptr && Def(*i).op_class != OpClass::kStructural) return true;
  }
  return false;
}

// How bad the values of instructions have been, in each call by itself. No region makes the parameters of a called computation: what they
// are handed is known.
class HealthWalk {
 public:
  HealthWalk(const RunValues& values, const Module& module) : values_(values), module_(module), tree_(values.calls) {}

  InstructionFigures Walk() {
    InstructionFigures figures;
    for (int call = 0; call < tree_.size(); ++call) {
      const Computation* computation = ComputationOf(call);
      if (computation == nullptr) continue;
      for (const Instruction* i : computation->schedule) {
        AddSilent(call, *i);
        if (const double worst = Of(call, *i); worst > kUnknown) figures.by_call.of[{call, i}] = worst;
      }
    }
    figures.by_call.tree = std::move(tree_);
    return figures;
  }

 private:
  static constexpr double kUnknown = 0;

  const Computation* ComputationOf(int call) const { return call == CallTree::kEntry ? module_.entry : tree_.call(call).computation; }

  // What makes nothing has run unseen where its caller has. Of branches, which are chosen, nothing else is known.
  void AddSilent(int call, const Instruction& caller) {
    const ControlKind kind = Def(caller).control;
    if ((kind != ControlKind::kCall && kind != ControlKind::kConditional) || !values_.health.contains({call, &caller})) return;
    const std::vector<Computation*> called = caller.CalledComputations();
    for (size_t k = 0; k < called.size(); ++k) {
      if (called[k] != nullptr && !Makes(*called[k])) tree_.Add(call, caller, static_cast<int>(k));
    }
  }

  double Of(int call, const Instruction& instruction) {
    double worst = kUnknown;
    const int leaves = LeafCountOf(instruction.shape);
    for (int leaf = 0; leaf < leaves; ++leaf) {
      seen_.clear();
      worst = std::max(worst, OfLeaf(call, instruction, leaf));
    }
    return worst;
  }

  // `but_last`: all that it has been but the newest.
  static double Judge(const LeafHealth& h, bool but_last) {
    if (h.nan_times > (but_last && h.nan)) return kNotANumber;
    return h.inf_times > (but_last && h.inf) ? kInfinite : kFine;
  }

  double OfLeaf(int call, const Instruction& start, int leaf, bool but_last = false) {
    const Instruction* at = &start;
    while (seen_.insert({call, at, leaf}).second) {
      const auto it = values_.health.find({call, at});
      if (it != values_.health.end() && leaf < static_cast<int>(it->second.size()) && it->second[leaf].seen)
        return Judge(it->second[leaf], but_last);
      if (at->literal != nullptr) return OfConstant(*at, leaf);
      if (at->parameter_number >= 0) return Handed(call, *at, leaf);
      const std::vector<LeafSource>& sources = Sources(*at);
      if (leaf >= static_cast<int>(sources.size())) return kUnknown;
      const LeafSource& source = sources[leaf];
      if (source.operand < 0 || source.operand >= static_cast<int>(at->operands.size()) || at->operands[source.operand] == nullptr)
        return kUnknown;
      at = at->operands[source.operand];
      leaf = source.leaf;
    }
    return kUnknown;
  }

  double OfConstant(const Instruction& constant, int leaf) const {
    const ValueSummary* known = values_.Find(constant, leaf);
    return known == nullptr ? kUnknown : known->last.nan > 0 ? kNotANumber : known->last.inf > 0 ? kInfinite : kFine;
  }

  // Asked for each leaf of what may be a very long tuple.
  const std::vector<LeafSource>& Sources(const Instruction& instruction) {
    const auto [it, fresh] = sources_.try_emplace(&instruction);
    if (fresh) it->second = std::make_unique<std::vector<LeafSource>>(SourcesOfLeaves(instruction));
    return *it->second;
  }

  // What the caller gives to a parameter. The body of a loop gets what it made in the iteration before, too; its condition all that it
  // made.
  double Handed(int call, const Instruction& parameter, int leaf) {
    const CallTree::Call from = tree_.call(call);
    if (from.caller == nullptr) return kUnknown;
    const ControlKind kind = Def(*from.caller).control;
    if (kind == ControlKind::kNone) return kUnknown;
    const size_t operand = kind == ControlKind::kCall          ? static_cast<size_t>(parameter.parameter_number)
                           : kind == ControlKind::kConditional ? static_cast<size_t>(from.which) + 1
                                                               : 0;
    double worst = kUnknown;
    const Instruction& caller = *from.caller;
    if (operand < caller.operands.size() && caller.operands[operand] != nullptr)
      worst = OfLeaf(from.parent, *caller.operands[operand], leaf);
    const Computation* body = kind == ControlKind::kWhile ? caller.Called(AttrId::kBody) : nullptr;
    if (body == nullptr || body->root == nullptr) return worst;
    const std::vector<Computation*> called = caller.CalledComputations();
    for (size_t k = 0; k < called.size(); ++k) {
      const int inside = called[k] == body ? tree_.Inside(from.parent, caller, static_cast<int>(k)) : -1;
      if (inside >= 0) worst = std::max(worst, OfLeaf(inside, *body->root, leaf, body == parameter.parent));
    }
    return worst;
  }

  const RunValues& values_;
  const Module& module_;
  CallTree tree_;
  absl::flat_hash_set<std::tuple<int, const Instruction*, int>> seen_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<std::vector<LeafSource>>> sources_;
};

}  // namespace

InstructionFigures RunValues::Health(const Module& module) const { return HealthWalk(*this, module).Walk(); }

absl::StatusOr<RunValues> WatchValues(Session::State& s, const RunLimits& limits) {
  absl::StatusOr<WatchedRun> run = WholeRun(s);
  if (!run.ok()) return run.status();
  InterruptKeeper keeper(s);
  RunValues values;
  values.inputs = s.inputs != nullptr ? s.inputs->Summary() : "";
  values.backend = std::string(s.backend->name());
  const absl::flat_hash_set<const Instruction*> halts = MadeByNoRegion(*s.module);
  run->halts = &halts;
  MemoryAccount account;
  run->options.account = &account;
  const auto begin = std::chrono::steady_clock::now();
  const double processor = ProcessorSeconds();  // this thread takes part in all that it waits for
  Summaries summaries(&values);
  const absl::Status ran = Watch(
      *std::move(run),
      [&](const Machine& machine, const Instruction& instruction, const std::string& place, const Value& array) -> absl::Status {
        summaries.Add(machine, instruction, place, array);
        if (limits.seconds > 0 && ProcessorSeconds() - processor > limits.seconds)
          return absl::CancelledError(absl::StrCat("the run was ended after ", limits.seconds, " s of processor time"));
        if (limits.bytes > 0 && account.live() > limits.bytes)
          return absl::CancelledError(absl::StrCat("the run was ended when its values took more than ", FormatByteCount(limits.bytes)));
        return absl::OkStatus();
      });
  summaries.Finish();
  values.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!ran.ok()) values.error = std::string(ran.message());
  values.ended = absl::IsCancelled(ran);
  AddConstants(*s.module, &values);
  return values;
}

}  // namespace hloscope
