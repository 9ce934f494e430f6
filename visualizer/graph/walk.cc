#include "visualizer/graph/walk.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// The operand that a call gives a parameter; null where it is not one for one (reducers).
const Instruction* Given(const CalledBy& call, const Computation& called, size_t parameter) {
  const auto& operands = call.caller->operands;
  size_t number = parameter;
  switch (Def(*call.caller).control) {
    case ControlKind::kWhile: number = 0; break;
    case ControlKind::kConditional: number = static_cast<size_t>(call.which) + 1; break;
    default:
      if (called.parameters.size() != operands.size()) return nullptr;
  }
  return number < operands.size() ? operands[number] : nullptr;
}

// Calls f with each instruction that reads what `i` makes, or is given it as a parameter, or returns it.
template <typename F>
void EachAfter(const Hierarchy& h, const Instruction& i, const F& f) {
  const auto into = [&](const Instruction& user) {
    f(user);
    // The parameters inside that stand for this operand.
    int which = 0;
    for (const Computation* called : Hierarchy::Called(user)) {
      for (size_t k = 0; k < called->parameters.size(); ++k) {
        const Instruction* given = Given({&user, which}, *called, k);
        if (given == &i && called->parameters[k] != nullptr) f(*called->parameters[k]);
      }
      ++which;
    }
  };
  for (const int user : h.Users(h.Number(i))) into(h.At(user));
  if (i.parent->root == &i) {
    for (const CalledBy& call : h.CallersOf(*i.parent)) f(*call.caller);
  }
}

template <typename F>
void EachBefore(const Hierarchy& h, const Instruction& i, const F& f) {
  for (const Instruction* operand : i.operands) {
    if (operand != nullptr && operand->parent == i.parent && operand->index >= 0) f(*operand);
  }
  for (const Instruction* before : i.control_predecessors) {
    if (before != nullptr && before->parent == i.parent && before->index >= 0) f(*before);
  }
  for (const Computation* called : Hierarchy::Called(i)) {
    if (called->root != nullptr) f(*called->root);
  }
  if (i.parameter_number < 0) return;
  for (const CalledBy& call : h.CallersOf(*i.parent)) {
    if (const Instruction* given = Given(call, *i.parent, static_cast<size_t>(i.parameter_number))) f(*given);
  }
}

// Breadth first from `from` until `to`; the way, or nothing.
std::vector<const Instruction*> Way(const Hierarchy& h, const Instruction& from, const Instruction& to, bool after, bool before) {
  std::vector<int> came(h.instruction_count(), -1), open = {h.Number(from)};
  const int goal = h.Number(to);
  came[open[0]] = open[0];
  for (size_t k = 0; k < open.size() && came[goal] < 0; ++k) {
    const Instruction& at = h.At(open[k]);
    const auto reach = [&](const Instruction& next) {
      const int number = h.Number(next);
      if (came[number] >= 0) return;
      came[number] = open[k];
      open.push_back(number);
    };
    if (after) EachAfter(h, at, reach);
    if (before) EachBefore(h, at, reach);
  }
  std::vector<const Instruction*> way;
  if (came[goal] < 0) return way;
  for (int k = goal;; k = came[k]) {
    way.push_back(&h.At(k));
    if (came[k] == k) break;
  }
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace

std::vector<const Instruction*> Neighbourhood(const Hierarchy& h, const Instruction& of, int hops, size_t most) {
  std::vector<const Instruction*> found = {&of};
  absl::flat_hash_map<const Instruction*, int> distance = {{&of, 0}};
  for (size_t k = 0; k < found.size() && found.size() < most; ++k) {
    const int next = distance[found[k]] + 1;
    if (next > hops) break;
    const auto reach = [&](const Instruction& i) {
      if (found.size() >= most || !distance.try_emplace(&i, next).second) return;
      found.push_back(&i);
    };
    const Instruction& at = *found[k];
    EachBefore(h, at, reach);
    EachAfter(h, at, reach);
  }
  return found;
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
  return way;
}

}  // namespace hloscope
