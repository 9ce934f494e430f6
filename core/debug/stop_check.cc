// Mistakes in conditions, watches and logpoints that can be told when they are defined: names that no frame there knows, iterations where
// there is no loop, values that are not there yet. And what such an expression reads, which decides where its stop is.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "core/base/nearest_name.h"
#include "core/debug/calls.h"
#include "core/debug/instruction_names.h"
#include "core/debug/stop_check.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

class CheckHost : public ExpressionHost {
 public:
  // `last`: the shape that $_ has, and $old in a watch; none: it is not known.
  CheckHost(Session::State& s, const Computation& home, bool watch, std::optional<Shape> last, std::vector<const Instruction*>* read)
      : s_(s), home_(home), watch_(watch), last_(std::move(last)), read_(read) {}
  bool IsName(absl::string_view name) const override { return name == "$old" || s_.IsName(name); }
  absl::StatusOr<Value> ValueOf(absl::string_view) const override { return absl::UnavailableError(""); }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override {
    if (name == "$_") return FormOf(name);
    const absl::StatusOr<const Instruction*> found = Find(name);
    if (!found.ok()) return found.status();
    return (*found)->shape;
  }
  absl::StatusOr<Shape> FormOf(absl::string_view name) const override {
    if (name == "$_" || (name == "$old" && watch_)) return last_.has_value() ? absl::StatusOr<Shape>(*last_) : absl::UnavailableError("");
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
    const absl::StatusOr<std::vector<const Instruction*>> loops = FindLoops(*s_.module, argument);
    if (!loops.ok()) return loops.status();
    const std::vector<const Computation*> surroundings = Surroundings(calls, home_);
    std::vector<const Instruction*> around;
    for (const Instruction* loop : *loops) {
      if (RunsIn(surroundings, *loop)) around.push_back(loop);
    }
    if (around.empty()) return absl::InvalidArgumentError(absl::StrCat(home_.name, " does not run inside the loop ", ShownName(*loops->front())));
    for (const Instruction* inner : around) {
      const std::vector<const Computation*> outside = Surroundings(calls, *inner->parent);
      if (std::any_of(around.begin(), around.end(), [&](const Instruction* outer) { return outer != inner && RunsIn(outside, *outer); })) return SeveralLoops(argument, around);
    }
    return 0;
  }
  bool form_only() const override { return true; }

 private:
  static bool RunsIn(const std::vector<const Computation*>& surroundings, const Instruction& loop) {
    const std::vector<Computation*> called = loop.CalledComputations();
    return std::any_of(surroundings.begin(), surroundings.end(), [&](const Computation* c) { return std::find(called.begin(), called.end(), c) != called.end(); });
  }
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
      for (const Instruction* i : around->instructions) OfferName(nearest, *i);
    }
    const std::string hint = nearest.Hint();
    return absl::NotFoundError(absl::StrCat("there is no instruction '", name, "'", hint.empty() ? "" : absl::StrCat("; ", hint)));
  }

  Session::State& s_;
  const Computation& home_;
  const bool watch_;
  const std::optional<Shape> last_;
  std::vector<const Instruction*>* read_;
};

}  // namespace

absl::Status CheckCatchCondition(Session::State& s, Breakpoint& b) {
  b.looked_into.clear();
  if (b.condition.empty()) return absl::OkStatus();
  absl::Status first;
  bool any = false;
  for (const Computation* computation : s.module->computations) {
    const absl::StatusOr<std::vector<const Instruction*>> read = CheckConditionAt(s, b.condition, *computation, false, std::nullopt);
    if (!read.ok()) {
      if (first.ok() || computation == s.module->entry) first = read.status();
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

// What the expressions read where they are evaluated at `location`; a condition is one truth value.
absl::StatusOr<absl::flat_hash_set<const Instruction*>> ReadAt(Session::State& s, const std::vector<absl::string_view>& texts, absl::string_view condition,
                                                               const Location& location, bool last) {
  std::vector<const Instruction*> all;
  const std::optional<Shape> shape = last ? std::make_optional(location.instruction().shape) : std::nullopt;
  const CheckHost host(s, *location.computation, false, shape, &all);
  for (absl::string_view text : texts) {
    if (absl::Status one = EvaluateExpression(text, host).status(); !one.ok()) return one;
  }
  if (!condition.empty()) {
    if (absl::Status one = EvaluateClaim(condition, host, false).status(); !one.ok()) return one;
  }
  absl::flat_hash_set<const Instruction*> read(all.begin(), all.end());
  if (last) read.insert(&location.instruction());
  return read;
}

// The shape of what an expression gives, as far as it is known before anything runs.
std::optional<Shape> FormOf(const absl::StatusOr<ExpressionResult>& result) {
  if (!result.ok() || result->any_dimensions || result->kind == ExpressionResult::kShape) return std::nullopt;
  if (result->kind == ExpressionResult::kValue) return result->unknown ? result->shape : result->value.shape();
  return Shape::Array(result->is_bool ? ElementType::kPred : result->im.empty() ? ElementType::kF64 : ElementType::kC128, result->dimensions);
}

}  // namespace

absl::StatusOr<std::vector<const Instruction*>> CheckAt(Session::State& s, absl::string_view text, const Computation& home, bool watch) {
  std::vector<const Instruction*> read;
  const absl::StatusOr<ExpressionResult> result = EvaluateExpression(text, CheckHost(s, home, watch, std::nullopt, &read));
  if (!result.ok()) return result.status();
  return read;
}

absl::StatusOr<std::vector<const Instruction*>> CheckConditionAt(Session::State& s, absl::string_view text, const Computation& home, bool watch,
                                                                 std::optional<absl::string_view> watched) {
  std::vector<const Instruction*> read, of_watched;
  std::optional<Shape> value;
  if (watched.has_value()) value = FormOf(EvaluateExpression(*watched, CheckHost(s, home, false, std::nullopt, &of_watched)));
  const absl::StatusOr<Claim> claim = EvaluateClaim(text, CheckHost(s, home, watch, std::move(value), &read), false);
  if (!claim.ok()) return claim.status();
  return read;
}

absl::Status CheckStopExpressions(Session::State& s, Breakpoint& b, bool narrow) {
  const std::vector<absl::string_view> texts = LogExpressions(b.text);
  b.after.clear();
  b.looked_into.clear();
  if (texts.empty() && b.condition.empty()) return absl::OkStatus();
  // Right at one place is right enough, for /regex/ may name places where they make no sense. What is read is the same all over a
  // computation, unless $_ is: that is the place's own value.
  const auto reads_last = [](absl::string_view text) { return absl::StrContains(text, "$_"); };
  const bool last = reads_last(b.condition) || std::any_of(texts.begin(), texts.end(), reads_last);
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
      reads.push_back(ReadAt(s, texts, b.condition, location, last));
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
  if (early != nullptr) s.Say("note: ", ShownName(*early), " is computed only after ", ShownName(*place), ", so it will not be there\n");
  return absl::OkStatus();
}

void SayPassedBy(Session::State& s, const Breakpoint& b) {
  constexpr size_t kMostHomes = 20, kMost = 3;
  std::vector<const Computation*> homes;
  std::vector<std::string> passed, combined;
  const auto name_once = [](const Instruction& caller, std::vector<std::string>& names) {
    std::string name = absl::StrCat(ShownName(caller), " in ", caller.parent->name);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  };
  for (const Location& location : b.locations) {
    if (std::find(homes.begin(), homes.end(), location.computation) != homes.end()) continue;
    if (homes.size() == kMostHomes) break;
    homes.push_back(location.computation);
    for (const Instruction* caller : PassedBy(CallsOf(s), *location.computation)) {
      const absl::StatusOr<std::unique_ptr<Plan>> plan = s.backend->MakePlan(*caller->parent);
      if (!plan.ok() || (*plan)->region_at[caller->index] >= 0) continue;  // some backends execute everything
      name_once(*caller, passed);
    }
    for (const Instruction* collective : CombinedBy(CallsOf(s), *location.computation)) name_once(*collective, combined);
  }
  const auto shorten = [](std::vector<std::string>& names) {
    if (names.size() <= kMost) return;
    names.resize(kMost);
    names.push_back("...");
  };
  const bool one = passed.size() == 1;
  shorten(passed);
  shorten(combined);
  if (!combined.empty()) {
    s.Say("  not where ", absl::StrJoin(combined, ", "), combined.size() == 1 ? " combines" : " combine",
          " with it what devices bring: that is done for all of them at once, without steps; what it makes there catch counts, too\n");
  }
  if (passed.empty()) return;
  s.Say("  not in the calls that a run passes by, because nothing uses ",
        one ? "its result: " : "their results: ", absl::StrJoin(passed, ", "), "; step goes into them\n");
}

}  // namespace hloscope
