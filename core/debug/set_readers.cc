#include "core/debug/set_readers.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/devices.h"
#include "core/debug/exchanged_sets.h"
#include "core/debug/hand_sets.h"
#include "core/debug/set_flow.h"

namespace hloscope {
namespace {

// Of a set inside of what the frame at `level` ran: what ran it is still there.
bool HasRunner(const Computation& computation, const HandSet& set, size_t level) {
  const size_t position = static_cast<size_t>(set.mark.levels[level].position);
  return position < computation.schedule.size() && !computation.schedule[position]->CalledComputations().empty();
}

// The marks of one frame.
SetMarks MarksOf(Session::State& s, int depth) {
  const Frame& frame = s.machine->frames()[static_cast<size_t>(depth)];
  const size_t level = static_cast<size_t>(depth);
  const Mark now = s.machine->Where();
  const std::vector<HandSet> all = AllSets(s);  // numbered as they stand there
  std::vector<SetFlow::Numbered> sets;
  std::set<int> of_frame;
  for (int number = 0; number < static_cast<int>(all.size()); ++number) {
    const HandSet& set = all[static_cast<size_t>(number)];
    if (!IsOfFrame(set, now, depth)) continue;
    if (set.depth == depth ? frame.computation->FindInstruction(set.instruction) == nullptr : !HasRunner(*frame.computation, set, level)) continue;
    if (set.depth == depth) of_frame.insert(number);
    sets.emplace_back(set, number);
  }
  ExchangedSets exchanged(s);
  SetFlow flow(*frame.computation, level, sets, Several(s) ? &exchanged : nullptr);
  flow.Follow();
  const auto name_of = [&](int number) -> std::string {
    if (number >= static_cast<int>(all.size())) return exchanged.name(number);
    const HandSet& set = all[static_cast<size_t>(number)];
    return of_frame.contains(number) ? set.name : SetText(*s.module, set);
  };
  const Since here = SinceOf(now, level);
  SetMarks marks;
  for (const Instruction* i : frame.computation->schedule) {
    if (i->index >= frame.position && i->parameter_number < 0 && !flow.HasOwn(*i)) continue;
    SetMark mark;
    const SetNumbers own = flow.Own(*i);
    for (const auto& [number, since] : own) mark.own.push_back(name_of(number));
    for (const auto& [number, since] : flow.In(*i)) {
      if (!own.contains(number) && !(here < SeenFrom(since, level))) mark.from.push_back(name_of(number));
    }
    if (!mark.own.empty() || !mark.from.empty()) marks.emplace(i, std::move(mark));
  }
  return marks;
}

std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kNamed = 3;
  std::string text;
  const size_t named = names.size() > kNamed + 1 ? kNamed : names.size();
  for (size_t k = 0; k < named; ++k) absl::StrAppend(&text, k == 0 ? "" : k + 1 == names.size() ? " and " : ", ", names[k]);
  if (named < names.size()) absl::StrAppend(&text, " and ", names.size() - named, " more");
  return text;
}

// Answers for the session, and notes whose values are asked for.
class Listener : public ExpressionHost {
 public:
  explicit Listener(const ExpressionHost& host) : host_(host) {}
  bool IsName(absl::string_view name) const override { return host_.IsName(name); }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override {
    asked.emplace(name);
    return host_.ValueOf(name);
  }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override { return host_.ShapeOf(name); }
  absl::StatusOr<bool> StoppedAt(absl::string_view location) const override { return host_.StoppedAt(location); }
  bool Finished() const override { return host_.Finished(); }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override { return host_.Fact(name, argument); }

  mutable std::set<std::string> asked;

 private:
  const ExpressionHost& host_;
};

}  // namespace

SetMarks MarksOfSets(Session::State& s, int depth) {
  if (s.machine == nullptr || depth < 0 || depth >= static_cast<int>(s.machine->frames().size()) || !AnySets(s)) return {};
  return MarksOf(s, depth);
}

std::string SetMarkText(const SetMark& mark) {
  const std::string own = mark.own.empty() ? "" : absl::StrCat(Listed(mark.own), " set by hand");
  if (mark.from.empty()) return own;
  return absl::StrCat(own, own.empty() ? "" : "; ", "from ", Listed(mark.from), own.empty() ? ", set by hand" : "");
}

std::string SetMarkOf(Session::State& s, int depth, const Instruction& value) {
  const SetMarks marks = MarksOfSets(s, depth);
  const auto mark = marks.find(&value);
  return mark == marks.end() ? "" : SetMarkText(mark->second);
}

std::string SetMarksOfExpression(Session::State& s, absl::string_view expression) {
  if (s.machine == nullptr || !AnySets(s)) return "";
  const Listener listener(s);
  if (!EvaluateExpression(expression, listener).ok()) return "";
  std::map<int, SetMarks> by_frame;
  // Alone it needs no name; of a part of it that is not said that it is this part.
  absl::string_view alone = absl::StripAsciiWhitespace(expression);
  absl::ConsumePrefix(&alone, "%");
  std::string text;
  for (const std::string& name : listener.asked) {
    std::pair<int, const Instruction*> value = {0, s.module->entry->root};
    if (name != "$result") {
      const absl::StatusOr<std::pair<int, const Instruction*>> found = s.FindValue(name);
      if (!found.ok()) continue;
      value = *found;
    }
    const auto [marks, fresh] = by_frame.try_emplace(value.first);
    if (fresh) marks->second = MarksOfSets(s, value.first);
    const auto mark = marks->second.find(value.second);
    if (mark == marks->second.end()) continue;
    absl::StrAppend(&text, "  ", alone != name ? absl::StrCat(name[0] == '$' ? "" : "%", name, ": ") : "", SetMarkText(mark->second), "\n");
  }
  return text;
}

}  // namespace hloscope
