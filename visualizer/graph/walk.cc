#include "visualizer/graph/walk.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
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

// Breadth first from `from` until `to`; the way, or nothing. A computation may be called from many places: a way that went into it and came out
// would have to come out at the call that it went in by, which is one step without going in. So none that has gone in comes out again.
std::vector<const Instruction*> Way(const Hierarchy& h, const Instruction& from, const Instruction& to, bool after, bool before) {
  // Of each instruction two places: it was come to without going in, and (odd) after that.
  std::vector<int> came(2 * static_cast<size_t>(h.instruction_count()), -1), open = {2 * h.Number(from)};
  const int goal = 2 * h.Number(to);
  came[open[0]] = open[0];
  for (size_t k = 0; k < open.size() && came[goal] < 0 && came[goal + 1] < 0; ++k) {
    const int place = open[k], in = place % 2;
    const auto reach = [&](const Instruction& next, Step step, const Instruction*) {
      if (in != 0 && step == Step::kOut) return;
      const int there = 2 * h.Number(next) + (step == Step::kIn ? 1 : in);
      if (came[there] >= 0) return;
      came[there] = place;
      open.push_back(there);
    };
    const Instruction& at = h.At(place / 2);
    if (after) EachAfter(h, at, reach);
    if (before) EachBefore(h, at, reach);
  }
  std::vector<const Instruction*> way;
  const int end = came[goal] >= 0 ? goal : goal + 1;
  if (came[end] < 0) return way;
  for (int k = end;; k = came[k]) {
    way.push_back(&h.At(k / 2));
    if (came[k] == k) break;
  }
  std::reverse(way.begin(), way.end());
  return way;
}

// With the calls through which the way goes into a computation or out of it, so that one sees where.
std::vector<const Instruction*> WithCalls(const Hierarchy& h, const std::vector<const Instruction*>& way) {
  std::vector<const Instruction*> whole;
  for (const Instruction* i : way) {
    const Instruction* last = whole.empty() ? nullptr : whole.back();
    if (last != nullptr && last->parent != i->parent) {
      // From what is given to the parameter that it is given to, or against that.
      const bool in = i->parameter_number >= 0;
      const Instruction &parameter = in ? *i : *last, &given = in ? *last : *i;
      if (parameter.parameter_number >= 0) {
        for (const CalledBy& call : h.CallersOf(*parameter.parent)) {
          if (Given(call, *parameter.parent, static_cast<size_t>(parameter.parameter_number)) != &given) continue;
          if (call.caller != last && call.caller != i) whole.push_back(call.caller);
          break;
        }
      }
    }
    whole.push_back(i);
  }
  return whole;
}

}  // namespace

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
    case WayKind::kMixed: return "the shortest way, along and against the flow of values, from";
  }
  return "";
}

std::vector<const Instruction*> ShortestPath(const Hierarchy& h, const Instruction& from, const Instruction& to, WayKind* kind) {
  *kind = WayKind::kAlong;
  std::vector<const Instruction*> way = Way(h, from, to, true, false);
  if (way.empty()) {
    *kind = WayKind::kAgainst;
    way = Way(h, to, from, true, false);
    std::reverse(way.begin(), way.end());
  }
  if (way.empty()) {
    *kind = WayKind::kMixed;
    way = Way(h, from, to, true, true);
  }
  return WithCalls(h, way);
}

}  // namespace hloscope
