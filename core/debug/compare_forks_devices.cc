// Forks of a program on several devices compared: on which device a difference begins, and which ones have got it from others by an exchange.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/compare_forks.h"
#include "core/debug/device_names.h"
#include "core/debug/devices.h"
#include "core/debug/hand_sets.h"
#include "core/debug/travel.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/ops/exchange_def.h"
#include "core/ops/exchange_origin.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// "%y in body (iteration 1 of %loop)".
std::string PlaceText(const Module& module, const ForkPlace& place) {
  const std::string inside = InsideText(module, place.mark);
  return absl::StrCat(ShownName(*place.instruction), " in ", place.instruction->parent->name, inside.empty() ? "" : absl::StrCat(" (", inside, ")"));
}

// The exchange that made the value there on the selected device; null: none did.
std::shared_ptr<const ExchangePast> ExchangeAt(Session::State& s, const ForkPlace& place) {
  Devices& all = DevicesOf(s);
  const Instruction& i = *place.instruction;
  if (auto past = all.room->PastAt(all.selected, place.mark)) return past;
  const CollectivePart part = CollectiveOf(i);
  if (part.collective == nullptr || part.begins == nullptr) return nullptr;
  Mark mark = place.mark;  // where it was begun: here, or in the computation that it calls
  mark.levels.back().position = part.begins->index;
  if (part.collective != part.begins) mark.levels.push_back({FrameKind::kCall, 0, -1, part.collective->index});
  return all.room->PastAt(all.selected, mark);
}

// What the member brought to the exchange, in the present fork; empty: it has gone back to before that and does not get there.
std::vector<Value> BroughtBy(Session::State& s, const ExchangePast::Member& member) {
  std::vector<Value> values;
  SwapTo(s, member.device);
  (void)LookAround(s, [&] {
    const absl::Status there = GoTo(s, member.mark);
    if (!there.ok()) return there;
    const int depth = static_cast<int>(s.machine->frames().size()) - 1;
    for (const Instruction* operand : member.instruction->operands) {
      absl::StatusOr<Value> value = s.machine->ValueOf(depth, operand->index);
      values.push_back(value.ok() ? *std::move(value) : Value());
    }
    return absl::OkStatus();
  });
  return values;
}

// Of which members something comes to this one; all, where that is not known.
std::vector<bool> ComesFrom(const ExchangePast& past, int device, const std::vector<std::vector<Value>>& brought) {
  constexpr int64_t kMostElements = int64_t{1} << 16;
  const std::vector<bool> all(past.members.size(), true);
  const auto at = std::find_if(past.members.begin(), past.members.end(), [device](const ExchangePast::Member& m) { return m.device == device; });
  if (at == past.members.end() || past.transfer) return all;
  const Instruction& i = *at->instruction;
  if (ExchangeOf(i).role != ExchangeRole::kCollective || ExchangeOf(i).begins) return all;
  const auto value = [&](int m, int operand) -> absl::StatusOr<Value> {
    const std::vector<Value>& values = brought[m];  // none, where it has gone back to before that
    if (operand >= static_cast<int>(values.size()) || !values[operand].has_value()) return absl::NotFoundError("it is not held");
    return ToDense(values[operand]);
  };
  const int member = past.outsider ? -1 : static_cast<int>(at - past.members.begin());
  const auto origins = ExchangeOrigins::Of(i, static_cast<int>(past.members.size()), member, past.sends, value);
  if (!origins.ok()) return all;
  std::vector<bool> comes(past.members.size(), false);
  int64_t left = kMostElements;
  const int leaves = i.shape.IsTuple() ? static_cast<int>(i.shape.tuple_shapes().size()) : 1;
  for (int leaf = 0; leaf < leaves; ++leaf) {
    const Shape& shape = LeafShape(i.shape, leaf);
    if (!shape.IsArray() || (left -= shape.ElementCount()) < 0) return all;
    for (int64_t e = 0; e < shape.ElementCount(); ++e) {
      for (const ExchangeOrigin& origin : (*origins)->At(leaf, e)) comes[origin.member] = true;
    }
  }
  return comes;
}

// The devices that brought other values in one fork than in the other, of those from which something comes to this one.
absl::StatusOr<std::vector<int>> GiversOf(Session::State& s, const std::string& a, const std::string& b, int device, const ExchangePast& past) {
  std::vector<int> givers;
  std::vector<std::vector<Value>> brought;  // in fork a, by member
  if (absl::Status there = SwitchTo(s, a); !there.ok()) return there;
  for (const ExchangePast::Member& member : past.members) brought.push_back(BroughtBy(s, member));
  const std::vector<bool> comes = ComesFrom(past, device, brought);
  if (absl::Status there = SwitchTo(s, b); !there.ok()) return there;
  for (size_t m = 0; m < past.members.size(); ++m) {
    const ExchangePast::Member& member = past.members[m];
    if (member.device == device || !comes[m]) continue;
    const std::vector<Value> other = BroughtBy(s, member);
    bool differs = false;
    for (size_t k = 0; k < brought[m].size() && k < other.size(); ++k) {
      std::vector<ForkRow> rows;
      if (brought[m][k].has_value() && other[k].has_value()) differs |= !CompareLeaves("", brought[m][k], other[k], rows) || !rows.empty();
    }
    if (differs) givers.push_back(member.device);
  }
  return givers;
}

}  // namespace

absl::Status SayWhereItBegins(Session::State& s, const std::string& a, const std::string& b, const std::vector<std::optional<ForkPlace>>& first) {
  std::vector<std::string> begins, inherited;
  for (size_t d = 0; d < first.size(); ++d) {
    if (!first[d].has_value()) continue;
    const int device = static_cast<int>(d);
    if (absl::Status there = SwitchTo(s, a); !there.ok()) return there;
    SwapTo(s, device);
    const std::string place = PlaceText(*s.module, *first[d]);
    const std::shared_ptr<const ExchangePast> past = ExchangeAt(s, *first[d]);
    std::vector<int> givers;
    if (past != nullptr) {
      absl::StatusOr<std::vector<int>> found = GiversOf(s, a, b, device, *past);
      if (!found.ok()) return found.status();
      givers = *std::move(found);
    }
    const std::string on = s.options.devices.Name(device);
    std::vector<std::string> from;
    for (const int giver : givers) from.push_back(s.options.devices.Name(giver));
    if (givers.empty()) begins.push_back(absl::StrCat("on ", on, " at ", place));
    else inherited.push_back(absl::StrCat("  ", on, " has got it from ", ListOfNames(from), ", at ", place, "\n"));
  }
  if (!begins.empty()) s.Say("It begins ", absl::StrJoin(begins, "; "), ".\n");
  for (const std::string& line : inherited) s.Say(line);
  return absl::OkStatus();
}

}  // namespace hloscope
