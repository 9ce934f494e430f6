#include "core/debug/calls.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/instruction_names.h"
#include "core/ir/written_names.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"

namespace hloscope {

bool CallsElements(const Instruction& instruction) {
  return Def(instruction).control == ControlKind::kNone && ExchangeOf(instruction).role == ExchangeRole::kNone && !instruction.CalledComputations().empty();
}

CallGraph MakeCallGraph(const Module& module) {
  CallGraph graph;
  const size_t count = module.computations.size();
  graph.callers.resize(count);
  graph.in_loop.assign(count, false);
  graph.repeats.assign(count, false);
  std::vector<int> looped, repeated;
  for (const Computation* computation : module.computations) {
    for (const Instruction* instruction : computation->schedule) {
      if (instruction->attributes.empty()) continue;
      const ControlKind control = Def(*instruction).control;
      for (const Computation* called : instruction->CalledComputations()) {
        std::vector<const Instruction*>& callers = graph.callers[called->id];
        callers.push_back(instruction);
        if (control == ControlKind::kWhile) looped.push_back(called->id);
        if (control == ControlKind::kWhile || control == ControlKind::kNone || callers.size() > 1) repeated.push_back(called->id);
      }
    }
  }
  const auto spread = [&](std::vector<int> work, std::vector<bool>& marked) {
    while (!work.empty()) {
      const int id = work.back();
      work.pop_back();
      if (marked[id]) continue;
      marked[id] = true;
      for (const Instruction* instruction : module.computations[id]->schedule) {
        if (instruction->attributes.empty()) continue;
        for (const Computation* called : instruction->CalledComputations()) work.push_back(called->id);
      }
    }
  };
  spread(std::move(looped), graph.in_loop);
  spread(std::move(repeated), graph.repeats);
  graph.element_callers.resize(count);
  for (const Computation* computation : module.computations) {
    for (const Instruction* instruction : computation->schedule) {
      if (instruction->attributes.empty() || !CallsElements(*instruction)) continue;
      std::vector<int> inside;
      for (const Computation* called : instruction->CalledComputations()) inside.push_back(called->id);
      while (!inside.empty()) {
        const int id = inside.back();
        inside.pop_back();
        std::vector<const Instruction*>& callers = graph.element_callers[id];
        if (!callers.empty() && callers.back() == instruction) continue;  // it has been here
        callers.push_back(instruction);
        for (const Instruction* i : module.computations[id]->schedule) {
          if (i->attributes.empty()) continue;
          for (const Computation* called : i->CalledComputations()) inside.push_back(called->id);
        }
      }
    }
  }
  return graph;
}

std::vector<const Instruction*> CombinedBy(const CallGraph& calls, const Computation& home) {
  std::vector<const Instruction*> found;
  for (const Computation* around : Surroundings(calls, home)) {
    for (const Instruction* caller : calls.callers[around->id]) {
      if (ExchangeOf(*caller).role == ExchangeRole::kCollective) found.push_back(caller);
    }
  }
  return found;
}

std::vector<const Computation*> Surroundings(const CallGraph& calls, const Computation& home) {
  std::vector<const Computation*> found = {&home};
  absl::flat_hash_set<const Computation*> seen = {&home};
  for (size_t k = 0; k < found.size(); ++k) {
    for (const Instruction* caller : calls.callers[found[k]->id]) {
      if (seen.insert(caller->parent).second) found.push_back(caller->parent);
    }
  }
  return found;
}

const Instruction* ResolveFrom(const CallGraph& calls, const Computation& home, absl::string_view name) {
  if (const Instruction* found = FindNamed(home, name)) return found;
  for (const Computation* computation : Surroundings(calls, home)) {
    if (const Instruction* found = FindNamed(*computation, name)) return found;
  }
  return nullptr;
}

bool IsCalled(const Instruction& loop, absl::string_view name) {
  if (FindNamed(*loop.parent, name) == &loop) return true;
  const std::vector<Computation*> called = loop.CalledComputations();
  return std::any_of(called.begin(), called.end(), [&](const Computation* c) { return c->name == name; });
}

absl::StatusOr<std::vector<const Instruction*>> FindLoops(const Module& module, absl::string_view name) {
  name = absl::StripPrefix(name, "%");
  int64_t budget = 1 << 20;
  NearestName nearest(name, &budget);
  bool any = false;
  std::vector<const Instruction*> found;
  for (const Computation* computation : module.computations) {
    for (const Instruction* instruction : computation->schedule) {
      if (Def(*instruction).control != ControlKind::kWhile) continue;
      any = true;
      if (IsCalled(*instruction, name)) found.push_back(instruction);
      OfferName(nearest, *instruction);
      for (const Computation* called : instruction->CalledComputations()) nearest.Offer(called->name);
    }
  }
  if (!found.empty()) return found;
  if (!any) return absl::NotFoundError("this program has no loop");
  const std::string hint = nearest.Hint();
  return absl::NotFoundError(absl::StrCat("there is no loop '", name, "'", hint.empty() ? "" : "; ", hint));
}

std::string NameAmong(const Instruction& instruction, absl::Span<const Instruction* const> among) {
  const bool shared = std::any_of(among.begin(), among.end(), [&](const Instruction* other) {
    return other != nullptr && other != &instruction && other->name == instruction.name;
  });
  const std::string name = NameInText(instruction);
  return shared ? absl::StrCat(instruction.parent->name, ":", name) : name;
}

std::string LoopName(const Module& module, const Instruction& loop) {
  const bool shared = module.FindComputation(loop.name) != nullptr ||
                      std::any_of(module.computations.begin(), module.computations.end(), [&](const Computation* computation) {
                        const Instruction* other = computation->FindInstruction(loop.name);
                        return other != nullptr && other != &loop && Def(*other).control == ControlKind::kWhile;
                      });
  return shared ? absl::StrCat(loop.parent->name, ":", NameInText(loop)) : NameInText(loop);
}

absl::Status SeveralLoops(absl::string_view name, absl::Span<const Instruction* const> loops) {
  std::vector<std::string> choices;
  for (const Instruction* loop : loops) choices.push_back(absl::StrCat("iteration(", loop->parent->name, ":", NameInText(*loop), ")"));
  return absl::InvalidArgumentError(absl::StrCat("iteration(", name, ") may mean the loops of that name in each other; write ", absl::StrJoin(choices, " or ")));
}

bool IsUsed(const Instruction& instruction) {
  absl::flat_hash_set<const Instruction*> from = {&instruction};
  for (const Instruction* i : instruction.parent->schedule) {
    if (std::any_of(i->operands.begin(), i->operands.end(), [&](const Instruction* operand) { return from.contains(operand); }))
      from.insert(i);
    if (from.contains(i) && (i == i->parent->root || MustRun(*i))) return true;
  }
  return false;
}

namespace {

absl::flat_hash_set<const Instruction*> UsedOf(const Computation& computation) {
  absl::flat_hash_set<const Instruction*> used = {computation.root};
  for (auto i = computation.schedule.rbegin(); i != computation.schedule.rend(); ++i) {
    if (used.contains(*i) || MustRun(**i)) used.insert((*i)->operands.begin(), (*i)->operands.end());
    if (MustRun(**i)) used.insert(*i);
  }
  return used;
}

}  // namespace

std::vector<const Instruction*> PassedBy(const CallGraph& calls, const Computation& home) {
  absl::flat_hash_map<const Computation*, absl::flat_hash_set<const Instruction*>> used;
  std::vector<const Instruction*> passed;
  for (const Computation* computation : Surroundings(calls, home)) {
    for (const Instruction* caller : calls.callers[computation->id]) {
      const auto [known, fresh] = used.try_emplace(caller->parent);
      if (fresh) known->second = UsedOf(*caller->parent);
      if (!known->second.contains(caller) && std::find(passed.begin(), passed.end(), caller) == passed.end()) passed.push_back(caller);
    }
  }
  return passed;
}

}  // namespace hloscope
