// Mistakes in conditions, watches and logpoints that can be told when they are defined: names that no frame there knows, iterations where
// there is no loop, values that are not there yet. And what such an expression reads, which decides where its stop is.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/debug/stop_check.h"
#include "core/debug/text_util.h"
#include "core/text/nearest_name.h"

namespace hloscope {
namespace {

class CheckHost : public ExpressionHost {
 public:
  CheckHost(Session::State& s, const Computation& home, bool watch, std::vector<const Instruction*>* read) : s_(s), home_(home), watch_(watch), read_(read) {}
  bool IsName(absl::string_view name) const override { return name == "$old" || s_.IsName(name); }
  absl::StatusOr<Value> ValueOf(absl::string_view) const override { return absl::UnavailableError(""); }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override {
    const absl::StatusOr<const Instruction*> found = Find(name);
    if (!found.ok()) return found.status();
    return (*found)->shape;
  }
  absl::StatusOr<Shape> FormOf(absl::string_view name) const override {
    if (name == "$_" || (name == "$old" && watch_)) return absl::UnavailableError("");
    if (name == "$old") return absl::InvalidArgumentError("$old is known in watches only");
    const absl::StatusOr<const Instruction*> found = Find(name);
    if (!found.ok()) return found.status();
    if (std::find(read_->begin(), read_->end(), *found) == read_->end()) read_->push_back(*found);
    return (*found)->shape;
  }
  absl::StatusOr<bool> StoppedAt(absl::string_view location) const override { return s_.StoppedAt(location); }
  bool Finished() const override { return false; }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override {
    if (name != "iteration") return 0;
    const CallGraph& calls = CallsOf(s_);
    if (argument.empty()) {
      if (calls.in_loop[home_.id]) return 0;
      return absl::InvalidArgumentError(absl::StrCat("there is no iteration in ", home_.name, ": no loop runs it"));
    }
    const absl::StatusOr<const Instruction*> loop = FindLoop(*s_.module, argument);
    if (!loop.ok()) return loop.status();
    const std::vector<Computation*> called = (*loop)->CalledComputations();
    for (const Computation* around : Surroundings(calls, home_)) {
      if (std::find(called.begin(), called.end(), around) != called.end()) return 0;
    }
    return absl::InvalidArgumentError(absl::StrCat(home_.name, " does not run inside the loop %", (*loop)->name));
  }
  bool form_only() const override { return true; }

 private:
  absl::StatusOr<const Instruction*> Find(absl::string_view name) const {
    if (name == "$result") return absl::InvalidArgumentError("$result is there when the program has finished, and then nothing stops");
    if (const Instruction* found = ResolveFrom(CallsOf(s_), home_, name)) return found;
    for (const Computation* computation : s_.module->computations) {
      if (computation->FindInstruction(name) == nullptr) continue;
      return absl::FailedPreconditionError(absl::StrCat("%", name, " is an instruction of ", computation->name, ", which is never around ", home_.name, ", where this stops"));
    }
    int64_t budget = 20 << 20;
    NearestName nearest(name, &budget);
    for (const Computation* around : Surroundings(CallsOf(s_), home_)) {
      for (const Instruction* i : around->instructions) nearest.Offer(i->name);
    }
    const std::string hint = nearest.Hint();
    return absl::NotFoundError(absl::StrCat("there is no instruction '", name, "'", hint.empty() ? "" : absl::StrCat("; ", hint)));
  }

  Session::State& s_;
  const Computation& home_;
  const bool watch_;
  std::vector<const Instruction*>* read_;
};

}  // namespace

absl::Status CheckCatchCondition(Session::State& s, Breakpoint& b) {
  b.looked_into.clear();
  if (b.condition.empty()) return absl::OkStatus();
  absl::Status first;
  bool any = false;
  for (const Computation* computation : s.module->computations) {
    const absl::StatusOr<std::vector<const Instruction*>> read = CheckAt(s, b.condition, *computation, false);
    if (!read.ok()) {
      if (first.ok() || computation->is_entry) first = read.status();
      continue;
    }
    any = true;
    for (const Instruction* i : *read) {
      if (std::find(b.looked_into.begin(), b.looked_into.end(), i->parent) == b.looked_into.end()) b.looked_into.push_back(i->parent);
    }
  }
  return any ? absl::OkStatus() : first;
}

absl::StatusOr<std::vector<const Instruction*>> CheckAt(Session::State& s, absl::string_view text, const Computation& home, bool watch) {
  std::vector<const Instruction*> read;
  const absl::StatusOr<ExpressionResult> result = EvaluateExpression(text, CheckHost(s, home, watch, &read));
  if (!result.ok()) return result.status();
  return read;
}

absl::Status CheckStopExpressions(Session::State& s, Breakpoint& b, bool narrow) {
  std::vector<absl::string_view> texts = LogExpressions(b.text);
  if (!b.condition.empty()) texts.push_back(b.condition);
  b.after.clear();
  b.looked_into.clear();
  if (texts.empty()) return absl::OkStatus();
  // The places' computations: right in one of them is right enough, for /regex/ may name places where it makes no sense.
  absl::flat_hash_map<const Computation*, absl::flat_hash_set<const Instruction*>> read_in;
  absl::flat_hash_set<const Computation*> looked;
  absl::Status first;
  for (const Location& location : b.locations) {
    if (!looked.insert(location.computation).second) continue;
    absl::flat_hash_set<const Instruction*> read;
    absl::Status status;
    for (absl::string_view text : texts) {
      absl::StatusOr<std::vector<const Instruction*>> one = CheckAt(s, text, *location.computation, false);
      if (status.ok()) status = one.status();
      if (one.ok()) read.insert(one->begin(), one->end());
    }
    if (status.ok()) read_in[location.computation] = std::move(read);
    if (!status.ok() && first.ok()) first = status;
  }
  if (read_in.empty()) return first;
  if (const size_t before = b.locations.size(); narrow && read_in.size() < looked.size()) {
    const auto senseless = [&](const Location& location) { return !read_in.contains(location.computation); };
    b.locations.erase(std::remove_if(b.locations.begin(), b.locations.end(), senseless), b.locations.end());
    s.Say("note: left out ", Count(static_cast<int64_t>(before - b.locations.size()), "place"), ": ", first.message(), "\n");
  }
  absl::flat_hash_set<const Computation*> looked_into;
  for (const auto& [home, read] : read_in) {
    for (const Instruction* i : read) looked_into.insert(i->parent);
  }
  b.looked_into.assign(looked_into.begin(), looked_into.end());
  bool any = false;
  const Instruction *early = nullptr, *place = nullptr;
  b.after.assign(b.locations.size(), false);
  for (size_t k = 0; k < b.locations.size(); ++k) {
    const auto read = read_in.find(b.locations[k].computation);
    if (read == read_in.end()) continue;
    b.after[k] = read->second.contains(&b.locations[k].instruction());
    any |= b.after[k];
    for (const Instruction* i : read->second) {
      if (i->parent != b.locations[k].computation || i->index <= b.locations[k].position || i->literal != nullptr || i->parameter_number >= 0) continue;
      early = i;
      place = &b.locations[k].instruction();
    }
  }
  if (!any) b.after.clear();
  if (early != nullptr) s.Say("note: %", early->name, " is computed only after %", place->name, ", so it will not be there\n");
  return absl::OkStatus();
}

}  // namespace hloscope
