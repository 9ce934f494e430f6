// A loop of a fork on several devices walked through once, from its first iteration to its last: of each what it carries and what the selected
// device brings to exchanges and gets there, at any depth, as numbers that are the same where all bits are.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/debug/compare_forks.h"
#include "core/debug/devices.h"
#include "core/debug/occurrences.h"
#include "core/debug/stop_walk.h"
#include "core/debug/travel.h"
#include "core/exec/not_on_the_way.h"
#include "core/literal/element_at.h"
#include "core/literal/relayout.h"
#include "core/ops/branches.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

uint64_t HashOf(const Value& value) {
  if (!value.has_value()) return 0;
  if (value.shape().IsTuple()) {
    uint64_t hash = 1;
    for (const Value& element : value.elements()) hash = MixHash(hash, HashOf(element));
    return hash;
  }
  if (!value.shape().IsArray()) return 2;
  const Value dense = ToDense(value);
  return dense.has_value() ? HashBytes(dense.data(), static_cast<size_t>(dense.byte_size())) : 3;
}

// What is exchanged in a computation, and what runs others that exchange.
struct Watched {
  std::vector<const Instruction*> exchanged, callers;
};
Watched FindWatched(const Computation& computation) {
  Watched watched;
  for (const Instruction* i : computation.schedule) {
    if (CollectiveOf(*i).collective != nullptr || ExchangeOf(*i).role >= ExchangeRole::kSend) {
      watched.exchanged.insert(watched.exchanged.end(), i->operands.begin(), i->operands.end());
      watched.exchanged.push_back(i);
    } else if (Def(*i).control != ControlKind::kNone) {
      for (const Computation* called : i->CalledComputations()) {
        if (ExchangesIn(*called).empty()) continue;
        watched.callers.push_back(i);
        break;
      }
    }
  }
  return watched;
}

bool Alike(const std::vector<const Instruction*>& a, const std::vector<const Instruction*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Instruction* x, const Instruction* y) {
    return x->name == y->name && Def(*x).control == Def(*y).control && Shape::Compatible(x->shape, y->shape);
  });
}

// A walk looks at values of the same names in both, one after the other.
bool WalksAlike(const Computation& a, const Computation& b) {
  const Watched x = FindWatched(a), y = FindWatched(b);
  if (!Alike(x.exchanged, y.exchanged) || !Alike(x.callers, y.callers)) return false;
  for (size_t k = 0; k < x.callers.size(); ++k) {
    const std::vector<Computation*> of_x = x.callers[k]->CalledComputations(), of_y = y.callers[k]->CalledComputations();
    const auto alike = [](const Computation* c, const Computation* d) {
      return (c->parameters.empty() || d->parameters.empty() || Shape::Compatible(c->parameters[0]->shape, d->parameters[0]->shape)) && WalksAlike(*c, *d);
    };
    if (!std::equal(of_x.begin(), of_x.end(), of_y.begin(), of_y.end(), alike)) return false;
  }
  return true;
}

// The loop that a path leads to; null: there is none.
const Instruction* LoopAt(const Module& module, const ForkPath& path, const std::string& caller) {
  const auto around = PlaceOf(module, path, "");
  const Instruction* loop = around.has_value() ? around->second->FindInstruction(caller) : nullptr;
  return loop != nullptr && Def(*loop).control == ControlKind::kWhile ? loop : nullptr;
}

class LoopWalk {
 public:
  explicit LoopWalk(Session::State& s) : s_(s), timeline_(*s.Extension<Travel>().timeline) {}

  // Up to where the run has come, or the iteration `last` (-1: all). False: the run has not come behind it.
  absl::StatusOr<bool> Walk(const ForkPath& path, const Instruction& loop, int64_t last, std::vector<LoopIteration>& all) {
    const Computation &condition = *loop.Called(AttrId::kCondition), &body = *loop.Called(AttrId::kBody);
    for (int64_t k = 0; last < 0 || k <= last; ++k) {
      LoopIteration iteration;
      absl::StatusOr<bool> there = InFrame(With(path, FrameKind::kWhileCondition, k, -1, loop), condition, &iteration.condition);
      if (!there.ok() || !*there) return there;
      iteration.carried = HashOf(ValueOf(*condition.parameters[0]));
      const Value goes_on = ValueOf(*condition.root);
      all.push_back(iteration);
      if (!goes_on.has_value() || ElementAt(goes_on, 0).i == 0) return goes_on.has_value();
      if (k == last) return true;  // the run may stand in its body
      uint64_t exchanged = 0;
      there = InFrame(With(path, FrameKind::kWhileBody, k, -1, loop), body, &exchanged);
      if (!there.ok() || !*there) return there;
      all.back().body = exchanged;
    }
    return true;
  }

 private:
  static ForkPath With(ForkPath path, FrameKind kind, int64_t iteration, int branch, const Instruction& caller) {
    path.push_back({kind, iteration, branch, std::string(caller.name)});
    return path;
  }

  // Of the frame in which the program stands.
  Value ValueOf(const Instruction& i) const {
    absl::StatusOr<Value> value = s_.machine->ValueOf(static_cast<int>(s_.machine->frames().size()) - 1, i.index);
    return value.ok() ? *std::move(value) : Value();
  }

  // False: the run does not come there, or has not yet.
  absl::StatusOr<bool> Seek(const ForkPath& path, absl::string_view at) {
    const auto place = PlaceOf(*s_.module, path, at);
    if (!place.has_value()) return false;
    const StopReason reason = timeline_.Seek(AfterEdits(timeline_, place->first));
    if (reason == StopReason::kWaiting || (reason == StopReason::kError && IsNotOnTheWay(s_.machine->status()))) return false;
    const absl::Status status = SeekStatus(s_, reason);
    return status.ok() ? absl::StatusOr<bool>(true) : status;
  }

  const Watched& WatchedIn(const Computation& computation) {
    const auto [at, is_new] = watched_.try_emplace(&computation);
    if (is_new) at->second = FindWatched(computation);
    return at->second;
  }

  absl::StatusOr<bool> InCalled(const ForkPath& path, const Instruction& caller, uint64_t* hash) {
    const std::vector<Computation*> called = caller.CalledComputations();
    switch (Def(caller).control) {
      case ControlKind::kWhile: {
        std::vector<LoopIteration> inner;
        const absl::StatusOr<bool> walked = Walk(path, caller, -1, inner);
        for (const LoopIteration& k : inner) *hash = MixHash(MixHash(MixHash(*hash, k.carried), k.condition), k.body.value_or(0));
        return walked;
      }
      case ControlKind::kConditional: {
        const absl::StatusOr<bool> there = Seek(path, caller.name);
        if (!there.ok() || !*there) return there;
        const Value selector = ValueOf(*caller.operands[0]);
        if (!selector.has_value()) return false;
        const int branch = TakenBranch(caller, selector);
        *hash = MixHash(*hash, static_cast<uint64_t>(branch));
        return InFrame(With(path, FrameKind::kBranch, 0, branch, caller), *called[branch], hash);
      }
      case ControlKind::kCall:
        return InFrame(With(path, called[0]->is_fusion ? FrameKind::kFusion : FrameKind::kCall, 0, -1, caller), *called[0], hash);
      case ControlKind::kNone: break;
    }
    return true;
  }

  // To its end.
  absl::StatusOr<bool> InFrame(const ForkPath& path, const Computation& computation, uint64_t* hash) {
    const Watched& watched = WatchedIn(computation);
    for (const Instruction* caller : watched.callers) {
      const absl::StatusOr<bool> there = InCalled(path, *caller, hash);
      if (!there.ok() || !*there) return there;
    }
    const absl::StatusOr<bool> there = Seek(path, "");
    if (!there.ok() || !*there) return there;
    for (const Instruction* i : watched.exchanged) *hash = MixHash(*hash, HashOf(ValueOf(*i)));
    return true;
  }

  Session::State& s_;
  Timeline& timeline_;
  std::map<const Computation*, Watched> watched_;
};

}  // namespace

bool LoopsWalkAlike(const Module& a, const Module& b, const ForkPath& path, const std::string& caller) {
  const Instruction *x = LoopAt(a, path, caller), *y = LoopAt(b, path, caller);
  if (x == nullptr || y == nullptr || !Shape::Compatible(x->shape, y->shape)) return false;
  for (const AttrId called : {AttrId::kCondition, AttrId::kBody}) {
    if (!WalksAlike(*x->Called(called), *y->Called(called))) return false;
  }
  return true;
}

absl::StatusOr<WalkedLoop> WalkLoop(Session::State& s, const std::string& fork, const ForkPath& path, const std::string& caller, int64_t last) {
  if (absl::Status there = SwitchTo(s, fork); !there.ok()) return there;
  WalkedLoop walked;
  walked.module = s.module.get();
  const Instruction* loop = LoopAt(*s.module, path, caller);
  if (loop == nullptr) return walked;
  const absl::Status looked = LookAround(s, [&] { return LoopWalk(s).Walk(path, *loop, last, walked.iterations).status(); });
  return looked.ok() ? absl::StatusOr<WalkedLoop>(std::move(walked)) : looked;
}

}  // namespace hloscope
