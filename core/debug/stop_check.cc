// Mistakes in conditions, watches and logpoints that can be told when they are defined: names that no frame there knows, iterations where
// there is no loop, values that are not there yet. And what such an expression reads, which decides where its stop is.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "core/debug/instruction_names.h"
#include "core/debug/stop_check.h"
#include "core/debug/text_util.h"
#include "core/text/nearest_name.h"

namespace hloscope {
namespace {

class CheckHost : public ExpressionHost {
 public:
  // `last`: the instruction whose value $_ is; null: that is not known.
  CheckHost(Session::State& s, const Computation& home, bool watch, const Instruction* last, std::vector<const Instruction*>* read)
      : s_(s), home_(home), watch_(watch), last_(last), read_(read) {}
  bool IsName(absl::string_view name) const override { return name == "$old" || s_.IsName(name); }
  absl::StatusOr<Value> ValueOf(absl::string_view) const override { return absl::UnavailableError(""); }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override {
    if (name == "$_") return FormOf(name);
    const absl::StatusOr<const Instruction*> found = Find(name);
    if (!found.ok()) return found.status();
    return (*found)->shape;
  }
  absl::StatusOr<Shape> FormOf(absl::string_view name) const override {
    if (name == "$_" && last_ != nullptr) return last_->shape;
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
      if (FindNamed(*computation, name) == nullptr) continue;
      return absl::FailedPreconditionError(absl::StrCat("%", ParseInstructionName(name).name, " is an instruction of ", computation->name, ", which is never around ", home_.name, ", where this stops"));
    }
    if (const InstructionName parsed = ParseInstructionName(name); !parsed.computation.empty()) return NoSuchNamed(*s_.module, parsed);
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
  const Instruction* last_;
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

namespace {

absl::StatusOr<std::vector<const Instruction*>> CheckWithLast(Session::State& s, absl::string_view text, const Computation& home, bool watch, const Instruction* last) {
  std::vector<const Instruction*> read;
  const absl::StatusOr<ExpressionResult> result = EvaluateExpression(text, CheckHost(s, home, watch, last, &read));
  if (!result.ok()) return result.status();
  return read;
}

// What the texts read where they are evaluated at `location`.
absl::StatusOr<absl::flat_hash_set<const Instruction*>> ReadAt(Session::State& s, const std::vector<absl::string_view>& texts, const Location& location, bool last) {
  absl::flat_hash_set<const Instruction*> read;
  for (absl::string_view text : texts) {
    const absl::StatusOr<std::vector<const Instruction*>> one = CheckWithLast(s, text, *location.computation, false, last ? &location.instruction() : nullptr);
    if (!one.ok()) return one.status();
    read.insert(one->begin(), one->end());
  }
  if (last) read.insert(&location.instruction());
  return read;
}

}  // namespace

absl::StatusOr<std::vector<const Instruction*>> CheckAt(Session::State& s, absl::string_view text, const Computation& home, bool watch) {
  return CheckWithLast(s, text, home, watch, nullptr);
}

absl::Status CheckStopExpressions(Session::State& s, Breakpoint& b, bool narrow) {
  std::vector<absl::string_view> texts = LogExpressions(b.text);
  if (!b.condition.empty()) texts.push_back(b.condition);
  b.after.clear();
  b.looked_into.clear();
  if (texts.empty()) return absl::OkStatus();
  // Right at one place is right enough, for /regex/ may name places where they make no sense. What is read is the same all over a
  // computation, unless $_ is: that is the place's own value.
  const bool last = std::any_of(texts.begin(), texts.end(), [](absl::string_view text) { return absl::StrContains(text, "$_"); });
  using Read = absl::StatusOr<absl::flat_hash_set<const Instruction*>>;
  std::vector<Read> reads;
  std::vector<int> read_of;  // by location
  absl::flat_hash_map<const Computation*, int> known;
  absl::Status first;
  bool any = false;
  for (const Location& location : b.locations) {
    const auto [at, added] = known.try_emplace(location.computation, static_cast<int>(reads.size()));
    if (added || last) {
      at->second = static_cast<int>(reads.size());
      reads.push_back(ReadAt(s, texts, location, last));
      any |= reads.back().ok();
      if (first.ok()) first = reads.back().status();
    }
    read_of.push_back(at->second);
  }
  if (!any) return first;
  if ((narrow || last) && !first.ok()) {
    size_t kept = 0;
    const size_t before = b.locations.size();
    for (size_t k = 0; k < before; ++k) {
      if (!reads[read_of[k]].ok()) continue;
      b.locations[kept] = b.locations[k];
      read_of[kept++] = read_of[k];
    }
    b.locations.resize(kept);
    s.Say("note: left out ", Count(static_cast<int64_t>(before - kept), "place"), ": ", first.message(), "\n");
  }
  absl::flat_hash_set<const Computation*> looked_into;
  for (const Read& read : reads) {
    if (!read.ok()) continue;
    for (const Instruction* i : *read) looked_into.insert(i->parent);
  }
  b.looked_into.assign(looked_into.begin(), looked_into.end());
  bool after = false;
  const Instruction *early = nullptr, *place = nullptr;
  b.after.assign(b.locations.size(), false);
  for (size_t k = 0; k < b.locations.size(); ++k) {
    const Read& read = reads[read_of[k]];
    if (!read.ok()) continue;
    b.after[k] = read->contains(&b.locations[k].instruction());
    after |= b.after[k];
    for (const Instruction* i : *read) {
      if (i->parent != b.locations[k].computation || i->index <= b.locations[k].position || i->literal != nullptr || i->parameter_number >= 0) continue;
      early = i;
      place = &b.locations[k].instruction();
    }
  }
  if (!after) b.after.clear();
  if (early != nullptr) s.Say("note: %", early->name, " is computed only after %", place->name, ", so it will not be there\n");
  return absl::OkStatus();
}

}  // namespace hloscope
