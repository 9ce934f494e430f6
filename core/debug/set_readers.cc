#include "core/debug/set_readers.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/hand_sets.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {
namespace {

using Numbers = std::set<int>;  // of sets

class Marker {
 public:
  Marker(Session::State& s, int depth) : s_(s), depth_(depth), frame_(s.machine->frames()[static_cast<size_t>(depth)]) {}

  SetMarks Mark() {
    for (HandSet& set : SetsOfFrame(s_, depth_)) {
      const Instruction* of = frame_.computation->FindInstruction(set.instruction);
      if (of == nullptr) continue;
      own_[of].push_back({LeafNumber(of->shape, set.path), ReadFrom(set), set.places.empty(), static_cast<int>(names_.size())});
      names_.push_back(set.name);
    }
    FindInside();
    if (names_.empty()) return {};
    for (const Instruction* i : frame_.computation->schedule) Follow(*i);
    const int now = static_cast<int>(frame_.computation->schedule.size());  // who looks at them reads what was set
    SetMarks marks;
    for (const Instruction* i : frame_.computation->schedule) {
      if (i->index >= frame_.position && i->parameter_number < 0 && !own_.contains(i)) continue;
      SetMark mark;
      for (const Own& own : OwnOf(*i)) mark.own.push_back(names_[static_cast<size_t>(own.number)]);
      for (const int number : ReadWhole(*i, now)) {
        const std::string& name = names_[static_cast<size_t>(number)];
        if (std::find(mark.own.begin(), mark.own.end(), name) == mark.own.end()) mark.from.push_back(name);
      }
      if (!mark.own.empty() || !mark.from.empty()) marks.emplace(i, std::move(mark));
    }
    return marks;
  }

 private:
  struct Own {
    int leaf = 0;
    int read_from = 0;   // position
    bool whole = false;  // all elements of the leaf
    int number = 0;
  };

  // What was set inside of the calls and loops of the frame.
  void FindInside() {
    std::set<int> positions;
    for (const HandSet& set : AllSets(s_)) {
      if (set.depth > depth_) positions.insert(set.mark.levels[static_cast<size_t>(depth_)].position);
    }
    for (const int position : positions) {
      if (position >= static_cast<int>(frame_.computation->schedule.size())) continue;
      const Instruction& caller = *frame_.computation->schedule[static_cast<size_t>(position)];
      if (caller.CalledComputations().empty()) continue;
      for (const HandSet& set : SetsOfFrame(s_, depth_, &caller)) {
        inside_[&caller].insert(static_cast<int>(names_.size()));
        names_.push_back(SetText(*s_.module, set));
      }
    }
  }

  const std::vector<Own>& OwnOf(const Instruction& i) const {
    static const std::vector<Own>& none = *new std::vector<Own>;
    const auto it = own_.find(&i);
    return it == own_.end() ? none : it->second;
  }
  // What the instruction at `position` reads with a leaf of the value.
  void Read(const Instruction& value, int leaf, int position, Numbers* out) const {
    bool replaced = false;
    for (const Own& own : OwnOf(value)) {
      if (own.leaf != leaf || position < own.read_from) continue;
      out->insert(own.number);
      replaced |= own.whole;
    }
    const auto made = made_.find(&value);
    if (!replaced && made != made_.end()) out->insert(made->second[static_cast<size_t>(leaf)].begin(), made->second[static_cast<size_t>(leaf)].end());
  }
  Numbers ReadWhole(const Instruction& value, int position) const {
    Numbers all;
    if (!own_.contains(&value) && !made_.contains(&value)) return all;
    for (int leaf = 0; leaf < LeafCountOf(value.shape); ++leaf) Read(value, leaf, position, &all);
    return all;
  }

  void Follow(const Instruction& i) {
    Numbers all;
    for (const Instruction* operand : i.operands) all.merge(ReadWhole(*operand, i.index));
    const auto inside = inside_.find(&i);
    if (inside != inside_.end()) all.insert(inside->second.begin(), inside->second.end());
    if (all.empty()) return;
    const int count = LeafCountOf(i.shape);
    std::vector<Numbers> leaves(static_cast<size_t>(count), all);
    const std::vector<LeafSource> sources = SourcesOfLeaves(i);
    for (size_t leaf = 0; leaf < sources.size() && leaf < leaves.size(); ++leaf) {
      if (sources[leaf].operand < 0) continue;
      leaves[leaf].clear();
      Read(*i.operands[static_cast<size_t>(sources[leaf].operand)], sources[leaf].leaf, i.index, &leaves[leaf]);
    }
    if (std::any_of(leaves.begin(), leaves.end(), [](const Numbers& leaf) { return !leaf.empty(); })) made_.emplace(&i, std::move(leaves));
  }

  Session::State& s_;
  const int depth_;
  const Frame& frame_;
  std::vector<std::string> names_;
  absl::flat_hash_map<const Instruction*, std::vector<Own>> own_;
  absl::flat_hash_map<const Instruction*, Numbers> inside_;
  absl::flat_hash_map<const Instruction*, std::vector<Numbers>> made_;  // by leaf, as the instruction made it
};

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
  if (s.machine == nullptr || depth < 0 || depth >= static_cast<int>(s.machine->frames().size()) || AllSets(s).empty()) return {};
  return Marker(s, depth).Mark();
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
  if (s.machine == nullptr || AllSets(s).empty()) return "";
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
