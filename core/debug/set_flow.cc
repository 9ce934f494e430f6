#include "core/debug/set_flow.h"

#include <algorithm>
#include <map>

#include "core/debug/hand_sets.h"
#include "core/ops/exchange_def.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

bool Any(const LeafNumbers& leaves) {
  return std::any_of(leaves.begin(), leaves.end(), [](const SetNumbers& leaf) { return !leaf.empty(); });
}

void Trim(Since* since) {
  while (!since->empty() && since->back() == 0) since->pop_back();
}

// True where that added something, or something is there earlier.
bool Add(int number, const Since& since, SetNumbers* to) {
  const auto [known, fresh] = to->try_emplace(number, since);
  if (fresh || !(since < known->second)) return fresh;
  known->second = since;
  return true;
}
bool Add(const SetNumbers& numbers, SetNumbers* to) {
  bool more = false;
  for (const auto& [number, since] : numbers) more |= Add(number, since, to);
  return more;
}
bool Add(const LeafNumbers& leaves, LeafNumbers* to) {
  bool more = false;
  for (size_t leaf = 0; leaf < std::min(leaves.size(), to->size()); ++leaf) more |= Add(leaves[leaf], &(*to)[leaf]);
  return more;
}
// What decides decides about every leaf.
bool Decide(const SetNumbers& numbers, LeafNumbers* leaves) {
  bool more = false;
  for (SetNumbers& leaf : *leaves) more |= Add(numbers, &leaf);
  return more;
}
SetNumbers All(const LeafNumbers& leaves) {
  SetNumbers all;
  for (const SetNumbers& leaf : leaves) Add(leaf, &all);
  return all;
}

// What an iteration of the loop whose frames are at `level` makes, as the next one gets it.
LeafNumbers ToNext(LeafNumbers made, size_t level) {
  for (SetNumbers& leaf : made) {
    for (auto& [number, since] : leaf) {
      since.resize(level);
      ++since.back();
    }
  }
  return made;
}

// One run of what a caller runs: of which level of a moment, with the sets in it.
struct RunOf {
  Mark::Level level;  // without its position
  std::vector<SetFlow::Numbered> sets;
};
std::vector<RunOf> RunsOf(size_t level, absl::Span<const SetFlow::Numbered> inside) {
  std::vector<RunOf> runs;
  for (const SetFlow::Numbered& set : inside) {
    Mark::Level at = set.first.mark.levels[level];
    at.position = 0;
    auto run = std::find_if(runs.begin(), runs.end(), [&](const RunOf& r) { return r.level == at; });
    if (run == runs.end()) run = runs.insert(runs.end(), RunOf{at, {}});
    run->sets.push_back(set);
  }
  return runs;
}

}  // namespace

Since SinceOf(const Mark& mark, size_t level) {
  Since since;
  for (size_t k = 1; k <= level && k < mark.levels.size(); ++k) {
    const Mark::Level& at = mark.levels[k];
    since.push_back(at.kind == FrameKind::kWhileBody || at.kind == FrameKind::kWhileCondition ? at.iteration : 0);
  }
  Trim(&since);
  return since;
}

Since SeenFrom(Since since, size_t level) {
  if (since.size() > level) since.resize(level);
  Trim(&since);
  return since;
}

// What the frames inside have made, for this one.
LeafNumbers SetFlow::Outside(LeafNumbers inside) const {
  for (SetNumbers& leaf : inside) {
    for (auto& [number, since] : leaf) since = SeenFrom(std::move(since), level_);
  }
  return inside;
}

LeafNumbers SetFlow::ResultOf(const Computation& computation, absl::Span<const Numbered> sets, absl::Span<const LeafNumbers> parameters) const {
  SetFlow flow(computation, level_ + 1, sets, exchanges_);
  for (size_t p = 0; p < parameters.size(); ++p) flow.Bring(static_cast<int>(p), parameters[p]);
  flow.Follow();
  return flow.Result();
}

bool SetFlow::Exchanging(const Instruction& i) const {
  if (exchanges_ == nullptr) return false;
  const std::vector<Computation*> called = i.CalledComputations();
  return std::any_of(called.begin(), called.end(), [](const Computation* c) { return !ExchangesIn(*c).empty(); });
}

SetFlow::SetFlow(const Computation& computation, size_t level, absl::Span<const Numbered> sets, Exchanges* exchanges)
    : computation_(computation), exchanges_(exchanges), level_(level), end_(static_cast<int>(computation.schedule.size())) {
  for (const auto& [set, number] : sets) {
    if (set.depth == static_cast<int>(level)) {
      const Instruction* of = computation.FindInstruction(set.instruction);
      if (of != nullptr) own_[of].push_back({LeafNumber(of->shape, set.path), ReadFrom(set), set.places.empty(), number, SinceOf(set.mark, level)});
      continue;
    }
    const int position = set.mark.levels[level].position;
    if (position < end_) inside_[computation.schedule[static_cast<size_t>(position)]].emplace_back(set, number);
  }
}

void SetFlow::Bring(int parameter, LeafNumbers leaves) {
  if (!Any(leaves)) return;
  for (const Instruction* i : computation_.schedule) {
    if (i->parameter_number == parameter) made_.emplace(i, std::move(leaves));
    if (i->parameter_number == parameter) return;
  }
}

void SetFlow::Follow() {
  for (const Instruction* i : computation_.schedule) FollowInstruction(*i);
}

SetNumbers SetFlow::Own(const Instruction& value) const {
  SetNumbers numbers;
  const auto own = own_.find(&value);
  if (own != own_.end()) {
    for (const OwnSet& set : own->second) Add(set.number, set.since, &numbers);
  }
  return numbers;
}

// What the instruction at `position` reads with a leaf of the value.
void SetFlow::Read(const Instruction& value, int leaf, int position, SetNumbers* out) const {
  bool replaced = false;
  if (const auto own = own_.find(&value); own != own_.end()) {
    for (const OwnSet& set : own->second) {
      if (set.leaf != leaf || position < set.read_from) continue;
      Add(set.number, set.since, out);
      replaced |= set.whole;
    }
  }
  const auto made = made_.find(&value);
  if (!replaced && made != made_.end()) Add(made->second[static_cast<size_t>(leaf)], out);
}

LeafNumbers SetFlow::Leaves(const Instruction& value, int position) const {
  LeafNumbers leaves(static_cast<size_t>(LeafCountOf(value.shape)));
  if (!own_.contains(&value) && !made_.contains(&value)) return leaves;
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) Read(value, static_cast<int>(leaf), position, &leaves[leaf]);
  return leaves;
}

SetNumbers SetFlow::ReadWhole(const Instruction& value, int position) const { return All(Leaves(value, position)); }

void SetFlow::FollowInstruction(const Instruction& i) {
  const auto found = inside_.find(&i);
  const absl::Span<const Numbered> inside = found == inside_.end() ? absl::Span<const Numbered>() : found->second;
  SetNumbers all;
  for (const Instruction* operand : i.operands) Add(ReadWhole(*operand, i.index), &all);
  const ExchangeRole role = exchanges_ == nullptr ? ExchangeRole::kNone : ExchangeOf(i).role;
  const bool exchanges = role == ExchangeRole::kCollective || role == ExchangeRole::kSend || role == ExchangeRole::kReceiveDone;
  if (exchanges) all = exchanges_->Exchange(i, all);
  if (all.empty() && inside.empty() && !Exchanging(i)) return;
  LeafNumbers leaves;
  const OpDef& def = Def(i);
  if (def.control == ControlKind::kWhile) {
    leaves = OfLoop(i, inside);
  } else if (def.control == ControlKind::kCall && def.evaluate == nullptr) {  // what evaluates the result makes more of it
    leaves = OfCall(i, inside);
  } else if (def.control == ControlKind::kConditional) {
    leaves = OfConditional(i, inside);
  } else {
    for (const auto& [set, number] : inside) Add(number, SinceOf(set.mark, level_), &all);
    if (AsyncStartOf(i) == &i && Exchanging(i)) Add(All(OfCall(i, inside)), &all);
    leaves.assign(static_cast<size_t>(LeafCountOf(i.shape)), all);
    const std::vector<LeafSource> sources = SourcesOfLeaves(i);
    for (size_t leaf = 0; leaf < sources.size() && leaf < leaves.size() && !exchanges; ++leaf) {
      if (sources[leaf].operand < 0) continue;
      leaves[leaf].clear();
      Read(*i.operands[static_cast<size_t>(sources[leaf].operand)], sources[leaf].leaf, i.index, &leaves[leaf]);
    }
  }
  if (Any(leaves)) made_.emplace(&i, std::move(leaves));
}

LeafNumbers SetFlow::OfLoop(const Instruction& loop, absl::Span<const Numbered> inside) const {
  const Computation &body = *loop.Called(AttrId::kBody), &condition = *loop.Called(AttrId::kCondition);
  LeafNumbers carried = Leaves(*loop.operands[0], loop.index);
  std::vector<RunOf> runs = RunsOf(level_ + 1, inside);
  // Iterations in which nothing was set, of either.
  runs.push_back({{.kind = FrameKind::kWhileCondition}, {}});
  runs.push_back({{.kind = FrameKind::kWhileBody}, {}});
  for (bool more = true; more;) {
    more = false;
    for (const RunOf& run : runs) {
      const bool decides = run.level.kind == FrameKind::kWhileCondition;
      const LeafNumbers result = ResultOf(decides ? condition : body, run.sets, {carried});
      more |= decides ? Decide(All(result), &carried) : Add(ToNext(result, level_ + 1), &carried);
    }
  }
  return Outside(std::move(carried));
}

LeafNumbers SetFlow::OfCall(const Instruction& call, absl::Span<const Numbered> inside) const {
  std::vector<LeafNumbers> parameters;
  for (const Instruction* operand : call.operands) parameters.push_back(Leaves(*operand, call.index));
  return Outside(ResultOf(*call.CalledComputations()[0], inside, parameters));
}

LeafNumbers SetFlow::OfConditional(const Instruction& conditional, absl::Span<const Numbered> inside) const {
  LeafNumbers leaves(static_cast<size_t>(LeafCountOf(conditional.shape)));
  const std::vector<Computation*> branches = conditional.CalledComputations();
  const std::vector<RunOf> runs = RunsOf(level_ + 1, inside);
  for (size_t b = 0; b < branches.size(); ++b) {
    // One branch ran; where something was set in one it is that one.
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const RunOf& r) { return r.level.branch == static_cast<int>(b); });
    if (!runs.empty() && run == runs.end()) continue;
    Add(Outside(ResultOf(*branches[b], run == runs.end() ? absl::Span<const Numbered>() : run->sets, {Leaves(*conditional.operands[b + 1], conditional.index)})), &leaves);
  }
  Decide(ReadWhole(*conditional.operands[0], conditional.index), &leaves);
  return leaves;
}

}  // namespace hloscope
