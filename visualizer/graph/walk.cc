#include "visualizer/graph/walk.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// The operand that a call gives a parameter; null where it is not one for one (reducers).
const Instruction* Given(const CalledBy& call, const Computation& called, size_t parameter) {
  const int operand = Hierarchy::GivenOperand(*call.caller, call.which, called, static_cast<int>(parameter));
  return operand < 0 ? nullptr : call.caller->operands[static_cast<size_t>(operand)];
}

// A step of a walk: within a computation, into one that is called, or out of it to a call.
enum class Step : uint8_t { kAlong, kIn, kOut };

// Calls f with each instruction that reads what `i` makes, or is given it as a parameter, or returns it; and with what calls where the step goes
// into a computation or out of it.
template <typename F>
void EachAfter(const Hierarchy& h, const Instruction& i, const F& f) {
  const auto into = [&](const Instruction& user) {
    f(user, Step::kAlong, nullptr);
    // The parameters inside that stand for this operand.
    int which = 0;
    for (const Computation* called : Hierarchy::Called(user)) {
      for (size_t k = 0; k < called->parameters.size(); ++k) {
        const Instruction* given = Given({&user, which}, *called, k);
        if (given == &i && called->parameters[k] != nullptr) f(*called->parameters[k], Step::kIn, &user);
      }
      ++which;
    }
  };
  for (const int user : h.Users(h.Number(i))) into(h.At(user));
  if (i.parent->root == &i) {
    for (const CalledBy& call : h.CallersOf(*i.parent)) f(*call.caller, Step::kOut, call.caller);
  }
}

template <typename F>
void EachBefore(const Hierarchy& h, const Instruction& i, const F& f) {
  for (const Instruction* operand : i.operands) {
    if (operand != nullptr && operand->parent == i.parent && operand->index >= 0) f(*operand, Step::kAlong, nullptr);
  }
  for (const Instruction* before : i.control_predecessors) {
    if (before != nullptr && before->parent == i.parent && before->index >= 0) f(*before, Step::kAlong, nullptr);
  }
  for (const Computation* called : Hierarchy::Called(i)) {
    // What a reducer makes is an element, not the value.
    if (called->root != nullptr && Def(i).control != ControlKind::kNone) f(*called->root, Step::kIn, &i);
  }
  if (i.parameter_number < 0) return;
  for (const CalledBy& call : h.CallersOf(*i.parent)) {
    if (const Instruction* given = Given(call, *i.parent, static_cast<size_t>(i.parameter_number))) f(*given, Step::kOut, call.caller);
  }
}

// Calls f with the parameters that get what `i` made in an iteration before: of the body and of the condition.
template <typename F>
void EachNext(const Hierarchy& h, const Instruction& i, const F& f) {
  if (i.parent->root != &i) return;
  for (const CalledBy& call : h.CallersOf(*i.parent)) {
    const std::vector<const Computation*> called = Hierarchy::Called(*call.caller);
    if (Def(*call.caller).control != ControlKind::kWhile || called.size() != 2 || called[1] != i.parent) continue;
    for (const Computation* c : called) {
      if (c->parameters.size() == 1 && c->parameters[0] != nullptr && c->parameters[0] != &i) f(*c->parameters[0], Step::kAlong, call.caller);
    }
  }
}

// A place of a way: an instruction, the part of its value that the way goes through (a leaf of a tuple; kWhole: all of it, or any), and whether the
// way has gone into a computation before.
struct WayPlace {
  int number, leaf, from;  // `from`: the place before it, the first one's is its own
  bool in;
};
constexpr int kWhole = -1;

// The parts of `user` that this part of `i`, one of what it reads, goes into, to `f`. What hands parts on untouched says which.
template <typename F>
void EachPartAlong(const Instruction& i, int leaf, const Instruction& user, const F& f) {
  const std::vector<LeafSource> sources = SourcesOfLeaves(user);
  const bool operand = std::find(user.operands.begin(), user.operands.end(), &i) != user.operands.end();
  if (sources.empty() || !operand) return f(kWhole);
  for (size_t k = 0; k < sources.size(); ++k) {
    const LeafSource& source = sources[k];
    const bool handed = source.operand >= 0 && user.operands[static_cast<size_t>(source.operand)] == &i && (leaf == kWhole || leaf == source.leaf);
    if (handed || source.operand < 0) f(static_cast<int>(k));
  }
}

// Breadth first from `from` until `to`; the way, or nothing. A computation may be called from many places: a way that went into it and came out
// would have to come out at the call that it went in by, which is one step without going in. So none that has gone in comes out again. `kAlong`: it
// goes through the parts of tuples that are handed on: who takes one part of a tuple reads nothing of the others.
std::vector<const Instruction*> Way(const Hierarchy& h, const Instruction& from, const Instruction& to, WayKind kind) {
  const bool parts = kind == WayKind::kAlong, before = kind == WayKind::kMixed;
  std::vector<WayPlace> places = {{h.Number(from), kWhole, 0, false}};
  // Of each instruction twice: come to without going in, and after that.
  std::vector<bool> whole(2 * static_cast<size_t>(h.instruction_count()), false);
  absl::flat_hash_set<std::pair<int, int>> seen;
  whole[2 * static_cast<size_t>(places[0].number)] = true;
  const int goal = h.Number(to);
  int end = places[0].number == goal ? 0 : -1;
  for (int k = 0; k < static_cast<int>(places.size()) && end < 0; ++k) {
    const WayPlace at = places[static_cast<size_t>(k)];
    const auto come = [&](const Instruction& next, int leaf, bool in) {
      const int number = h.Number(next), there = 2 * number + (in ? 1 : 0);
      if (!parts || !next.shape.IsTuple() || leaf >= LeafCountOf(next.shape)) leaf = kWhole;
      if (end >= 0 || whole[static_cast<size_t>(there)] || (leaf != kWhole && !seen.insert({there, leaf}).second)) return;
      if (leaf == kWhole) whole[static_cast<size_t>(there)] = true;
      if (number == goal) end = static_cast<int>(places.size());
      places.push_back({number, leaf, k, in});
    };
    const Instruction& i = h.At(at.number);
    const auto reach = [&](const Instruction& next, Step step, const Instruction*) {
      if (at.in && step == Step::kOut) return;
      const bool in = at.in || step == Step::kIn;
      // A call gives its operands to the parameters as they are, and returns what the root is, unless it makes more of it.
      if (step == Step::kIn || (step == Step::kOut && Shape::Compatible(next.shape, i.shape))) come(next, at.leaf, in);
      else if (step == Step::kOut || !parts) come(next, kWhole, in);
      else EachPartAlong(i, at.leaf, next, [&](int leaf) { come(next, leaf, in); });
    };
    EachAfter(h, i, reach);
    EachNext(h, i, [&](const Instruction& next, Step, const Instruction*) { come(next, at.leaf, at.in); });
    if (before) EachBefore(h, i, reach);
  }
  std::vector<const Instruction*> way;
  for (int k = end; k >= 0; k = k == 0 ? -1 : places[static_cast<size_t>(k)].from) way.push_back(&h.At(places[static_cast<size_t>(k)].number));
  std::reverse(way.begin(), way.end());
  return way;
}

// What calls the one computation and the other; null: nothing.
const Instruction* CallOfBoth(const Hierarchy& h, const Computation& one, const Computation& other) {
  for (const CalledBy& call : h.CallersOf(one)) {
    for (const CalledBy& also : h.CallersOf(other)) {
      if (call.caller == also.caller) return call.caller;
    }
  }
  return nullptr;
}

// The call that gives a parameter this; null: none does.
const Instruction* GivingCall(const Hierarchy& h, const Instruction& parameter, const Instruction& given) {
  if (parameter.parameter_number < 0) return nullptr;
  for (const CalledBy& call : h.CallersOf(*parameter.parent)) {
    if (Given(call, *parameter.parent, static_cast<size_t>(parameter.parameter_number)) == &given) return call.caller;
  }
  return nullptr;
}

// With the calls through which the way goes into a computation or out of it, so that one sees where.
std::vector<const Instruction*> WithCalls(const Hierarchy& h, const std::vector<const Instruction*>& way) {
  std::vector<const Instruction*> whole;
  for (const Instruction* i : way) {
    const Instruction* last = whole.empty() ? nullptr : whole.back();
    if (last != nullptr && last->parent != i->parent) {
      // From what is given to the parameter that it is given to, or against that; or from a loop's body to its condition.
      const Instruction* call = GivingCall(h, *i, *last);
      if (call == nullptr) call = GivingCall(h, *last, *i);
      if (call == nullptr) call = CallOfBoth(h, *last->parent, *i->parent);
      if (call != nullptr && call != last && call != i) whole.push_back(call);
    }
    whole.push_back(i);
  }
  return whole;
}

bool Calls(const Instruction& caller, const Computation& called) {
  const std::vector<const Computation*> all = Hierarchy::Called(caller);
  return std::find(all.begin(), all.end(), &called) != all.end();
}

bool Reads(const Instruction& user, const Instruction& value) {
  const auto has = [&](const auto& list) { return std::find(list.begin(), list.end(), &value) != list.end(); };
  return has(user.operands) || has(user.control_predecessors);
}

// Whether values flow from the one to the other where a way goes on from it.
bool Flows(const Instruction& from, const Instruction& to) {
  if (Reads(to, from)) return true;
  if (Reads(from, to)) return false;
  if (Calls(to, *from.parent)) return from.parent->root == &from;
  return to.parameter_number >= 0 && !Calls(to, *from.parent);
}

// Whether an arrow leads from `a` to `b`, one of which is inside of the call that stands between them (scene_fill.cc: Targets, Source).
bool LeadsThrough(const Hierarchy& h, const Instruction& a, const Instruction& call, const Instruction& b) {
  if (Calls(call, *b.parent) && b.parameter_number >= 0 && Reads(call, a)) {
    const std::vector<CalledBy>& calls = h.CallersOf(*b.parent);
    return std::any_of(calls.begin(), calls.end(), [&](const CalledBy& c) { return c.caller == &call && Given(c, *b.parent, static_cast<size_t>(b.parameter_number)) == &a; });
  }
  if (!Calls(call, *a.parent) || a.parent->root != &a) return false;
  const ControlKind control = Def(call).control;
  const std::vector<const Computation*> called = Hierarchy::Called(call);
  if (control != ControlKind::kCall && (control != ControlKind::kWhile || called.back() != a.parent)) return false;
  return Reads(b, call) || Calls(b, *call.parent) || (Calls(call, *b.parent) && b.parameter_number >= 0);
}

}  // namespace

std::vector<SceneHop> HopsOf(const Hierarchy& h, const std::vector<const Instruction*>& way) {
  std::vector<SceneHop> hops;
  for (size_t k = 0; k + 1 < way.size();) {
    const bool along = Flows(*way[k], *way[k + 1]);
    // Through calls in calls: from where it went in or out last.
    size_t next = k + 1;
    while (next + 1 < way.size()) {
      const Instruction &before = *way[next - 1], &call = *way[next], &after = *way[next + 1];
      if (!(along ? LeadsThrough(h, before, call, after) : LeadsThrough(h, after, call, before))) break;
      ++next;
    }
    hops.push_back(along ? SceneHop{way[k], way[next]} : SceneHop{way[next], way[k]});
    k = next;
  }
  return hops;
}

// A computation that is called from several places is seen in one call: the one by which the walk goes into it first, and by no other it comes out.
Neighbours Neighbourhood(const Hierarchy& h, const Instruction& of, int hops, size_t most, const SeenIn& in) {
  Neighbours near;
  std::vector<const Instruction*>& found = near.found = {&of};
  // Null: in all calls, for the walk began inside and nobody says in which.
  SeenIn call_of = in;
  call_of.try_emplace(of.parent, nullptr);
  absl::flat_hash_map<const Instruction*, int> distance = {{&of, 0}};
  for (size_t k = 0; k < found.size() && found.size() < most; ++k) {
    const Instruction& at = *found[k];
    const int next = distance[&at] + 1;
    if (next > hops) break;
    const auto reach = [&](const Instruction& i, Step step, const Instruction* caller) {
      if (found.size() >= most) return;
      if (step != Step::kAlong) {
        const Instruction* seen_in = step == Step::kIn ? call_of.try_emplace(i.parent, caller).first->second : call_of[at.parent];
        if (seen_in != nullptr && seen_in != caller) return;
        if (step == Step::kOut) call_of.try_emplace(i.parent, nullptr);
      }
      if (distance.try_emplace(&i, next).second) found.push_back(&i);
    };
    EachBefore(h, at, reach);
    EachAfter(h, at, reach);
  }
  for (const auto& [computation, caller] : call_of) {
    if (caller != nullptr) near.seen_in[computation] = caller;
  }
  return near;
}

absl::string_view ShortestWayFrom(WayKind kind) {
  switch (kind) {
    case WayKind::kAlong: return "the shortest way from";
    case WayKind::kAgainst: return "the shortest way, against the flow of values, from";
    case WayKind::kOtherParts: return "the shortest way, from one part of a tuple to another, from";
    case WayKind::kMixed: return "the shortest way, along and against the flow of values, from";
  }
  return "";
}

std::vector<const Instruction*> ShortestPath(const Hierarchy& h, const Instruction& from, const Instruction& to, WayKind* kind) {
  std::vector<const Instruction*> way;
  for (const WayKind one : {WayKind::kAlong, WayKind::kAgainst, WayKind::kOtherParts, WayKind::kMixed}) {
    *kind = one;
    way = one == WayKind::kAgainst ? Way(h, to, from, WayKind::kAlong) : Way(h, from, to, one);
    if (one == WayKind::kAgainst) std::reverse(way.begin(), way.end());
    if (!way.empty()) break;
  }
  return WithCalls(h, way);
}

}  // namespace hloscope
