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

// The marks of one frame.
SetMarks MarksOf(Session::State& s, int depth) {
  const Frame& frame = s.machine->frames()[static_cast<size_t>(depth)];
  std::vector<SetFlow::Numbered> sets;
  std::vector<std::string> names;
  for (HandSet& set : SetsOfFrame(s, depth)) {
    if (frame.computation->FindInstruction(set.instruction) == nullptr) continue;
    names.push_back(set.name);
    sets.emplace_back(std::move(set), static_cast<int>(sets.size()));
  }
  // What was set inside of the calls and loops of the frame, by where these stand.
  std::set<int> positions;
  for (const HandSet& set : AllSets(s)) {
    if (set.depth > depth) positions.insert(set.mark.levels[static_cast<size_t>(depth)].position);
  }
  for (const int position : positions) {
    if (position >= static_cast<int>(frame.computation->schedule.size())) continue;
    const Instruction& caller = *frame.computation->schedule[static_cast<size_t>(position)];
    if (caller.CalledComputations().empty()) continue;
    for (HandSet& set : SetsOfFrame(s, depth, &caller)) {
      names.push_back(SetText(*s.module, set));
      sets.emplace_back(std::move(set), static_cast<int>(sets.size()));
    }
  }
  const int own = static_cast<int>(names.size());
  ExchangedSets exchanged(s, own);
  SetFlow flow(*frame.computation, static_cast<size_t>(depth), sets, Several(s) ? &exchanged : nullptr);
  flow.Follow();
  const auto name_of = [&](int number) -> const std::string& { return number < own ? names[static_cast<size_t>(number)] : exchanged.name(number); };
  SetMarks marks;
  for (const Instruction* i : frame.computation->schedule) {
    if (i->index >= frame.position && i->parameter_number < 0 && !flow.HasOwn(*i)) continue;
    SetMark mark;
    for (const int number : flow.Own(*i)) mark.own.push_back(name_of(number));
    for (const int number : flow.In(*i)) {
      const std::string& name = name_of(number);
      const auto said = [&](const std::vector<std::string>& list) { return std::find(list.begin(), list.end(), name) != list.end(); };
      if (!said(mark.own) && !said(mark.from)) mark.from.push_back(name);
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
