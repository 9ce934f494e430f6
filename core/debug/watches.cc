// Watches: stops where an expression's value is another than it was when it was computed last (in the iteration before, say), or where a
// condition has become true. What the expression reads is armed behind the instructions that compute it; nothing is compared elsewhere.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/instruction_names.h"
#include "core/debug/stop_check.h"
#include "core/debug/stop_walk.h"
#include "core/debug/subscript.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

bool SameFloat(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b); }

// Bit for bit, but that one NaN is as good as another: nobody sees its bits, and kernels make different ones.
bool SameElement(const Value& a, const Value& b, int64_t at) {
  const ElementType type = a.shape().element_type();
  const int bytes = StorageBytes(type);
  if (std::memcmp(a.data() + at * bytes, b.data() + at * bytes, bytes) == 0) return true;
  if (!IsFloat(type) && !IsComplex(type)) return false;
  const Scalar x = LoadScalar(type, a.data() + at * bytes), y = LoadScalar(type, b.data() + at * bytes);
  return SameFloat(x.re, y.re) && SameFloat(x.im, y.im);
}

bool SameValue(const Value& a, const Value& b) {
  if (!Shape::Compatible(a.shape(), b.shape())) return false;
  if (a.shape().IsTuple()) {
    for (size_t k = 0; k < a.elements().size(); ++k) {
      if (!SameValue(a.elements()[k], b.elements()[k])) return false;
    }
    return true;
  }
  if (!a.shape().IsArray()) return true;
  const size_t bytes = static_cast<size_t>(a.element_count()) * StorageBytes(a.shape().element_type());
  if (a.data() == b.data() || std::memcmp(a.data(), b.data(), bytes) == 0) return true;
  for (int64_t at = 0; at < a.element_count(); ++at) {
    if (!SameElement(a, b, at)) return false;
  }
  return true;
}

bool SameNumbers(const std::vector<double>& a, const std::vector<double>& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameFloat); }

bool Same(const ExpressionResult& a, const ExpressionResult& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == ExpressionResult::kShape) return Shape::Compatible(a.shape, b.shape);
  if (a.kind == ExpressionResult::kValue) return SameValue(a.value, b.value);
  if (a.value.has_value() != b.value.has_value() || (a.value.has_value() && !SameValue(a.value, b.value))) return false;
  return a.dimensions == b.dimensions && a.integers == b.integers && SameNumbers(a.re, b.re) && SameNumbers(a.im, b.im);
}

std::string Element(const Value& value, int64_t at) {
  const ElementType type = value.shape().element_type();
  return ToText(LoadScalar(type, value.data() + at * StorageBytes(type)));
}

// "was 1, is 2"; of many elements, how many differ and the first that does.
std::string ChangeText(const Value& old, const Value& now) {
  // Integers that an expression computes are s64 or u64, as they need.
  const bool other_type = !Shape::Compatible(old.shape(), now.shape());
  if (other_type && old.shape().IsArray() && now.shape().IsArray() && old.shape().dimensions() == now.shape().dimensions()) {
    if (now.element_count() == 1) return absl::StrCat("was ", Element(old, 0), ", is ", Element(now, 0));
    return now.element_count() <= 6 && now.shape().rank() == 1 ? absl::StrCat("was ", FormatValue(old), ", is ", FormatValue(now)) : "has changed";
  }
  if (other_type) return absl::StrCat("was ", old.shape().ToString(false), ", is ", now.shape().ToString(false));
  if (now.shape().IsTuple()) {
    for (size_t k = 0; k < now.elements().size(); ++k) {
      if (!SameValue(old.elements()[k], now.elements()[k])) return absl::StrCat("[", k, "] ", ChangeText(old.elements()[k], now.elements()[k]));
    }
    return "is the same";
  }
  if (now.element_count() == 1) return absl::StrCat("was ", Element(old, 0), ", is ", Element(now, 0));
  if (now.element_count() <= 6 && now.shape().rank() == 1) return absl::StrCat("was ", FormatValue(old), ", is ", FormatValue(now));
  int64_t differ = 0, first = -1;
  for (int64_t i = 0; i < now.element_count(); ++i) {
    if (SameElement(old, now, i)) continue;
    if (first < 0) first = i;
    ++differ;
  }
  return absl::StrCat(differ, " of ", Count(now.element_count(), "element"), " changed, first ", IndexText(now.shape(), first), ": was ", Element(old, first), ", is ",
                      Element(now, first));
}

std::string ValueText(const ExpressionResult& result) {
  if (result.kind == ExpressionResult::kValue && !result.value.shape().IsArray()) return ShapeText(result.value.shape());
  return Cut(ToText(result, 16), 120);
}

// In a watch $_ is the expression's value and $old the one before.
class WatchHost : public ExpressionHost {
 public:
  WatchHost(const Session::State& s, const ExpressionResult& now, const StopMemory::Seen& seen, int64_t hits) : s_(s), now_(now), seen_(seen), hits_(hits) {}
  bool IsName(absl::string_view name) const override { return name == "$old" || s_.IsName(name); }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override {
    if (name == "$_") return ToValue(now_);
    if (name != "$old") return s_.ValueOf(name);
    if (!seen_.known) return absl::FailedPreconditionError("there is no value before this one");
    return ToValue(seen_.value);
  }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override {
    if (name != "$_" && name != "$old") return s_.ShapeOf(name);
    const absl::StatusOr<Value> value = ValueOf(name);
    if (!value.ok()) return value.status();
    return value->shape();
  }
  absl::StatusOr<bool> StoppedAt(absl::string_view location) const override { return s_.StoppedAt(location); }
  bool Finished() const override { return s_.Finished(); }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override {
    return name == "hits" ? static_cast<double>(hits_) : s_.Fact(name, argument);
  }

 private:
  const Session::State& s_;
  const ExpressionResult& now_;
  const StopMemory::Seen& seen_;
  const int64_t hits_;
};

// Not computed yet in the frames that are there: that is no trouble, only a moment at which there is nothing to see.
bool NotThere(const absl::Status& status) { return absl::IsFailedPrecondition(status) || absl::IsNotFound(status); }

}  // namespace

absl::StatusOr<std::optional<Stop>> EvaluateWatch(Session::State& s, Breakpoint& b, StopMemory& memory, int64_t hits) {
  absl::StatusOr<ExpressionResult> now = EvaluateAtStop(s, hits, b.expression);
  if (!now.ok()) return NotThere(now.status()) ? absl::StatusOr<std::optional<Stop>>(std::nullopt) : now.status();
  StopMemory::Seen& seen = memory.watches[b.number];
  std::optional<Stop> stop;
  absl::Status trouble;
  const bool changed = seen.known && !Same(seen.value, *now);
  bool holds = true;
  if (!b.condition.empty() && (b.becomes || changed || !seen.known)) {
    const absl::StatusOr<Claim> claim = EvaluateClaim(b.condition, WatchHost(s, *now, seen, hits), false);
    holds = claim.ok() && claim->holds;
    if (!claim.ok() && !NotThere(claim.status())) trouble = claim.status();
  }
  if (b.becomes) {
    if (holds && !(seen.known && seen.held)) {
      const std::string value = b.expression == b.condition ? "" : absl::StrCat(": ", b.expression, " is ", ValueText(*now));
      stop = Stop{&b, absl::StrCat("Watch ", b.number, ": ", b.condition, " has become true", value), !seen.known};
    }
  } else if (!seen.known && holds) {
    stop = Stop{&b, absl::StrCat("Watch ", b.number, ": ", b.expression, " is ", ValueText(*now)), true};
  } else if (changed && holds) {
    const absl::StatusOr<Value> before = ToValue(seen.value), after = ToValue(*now);
    std::string text = before.ok() && after.ok() ? ChangeText(*before, *after) : "has changed";
    // One number that an expression computes has the digits that print gives it, if these tell the two apart.
    const bool wide = !seen.value.integers.empty() || !now->integers.empty();  // more than a value holds
    const bool one = wide ? seen.value.re.size() == 1 && now->re.size() == 1
                          : before.ok() && after.ok() && before->shape().IsArray() && after->shape().IsArray() && before->element_count() == 1 && after->element_count() == 1;
    if (const std::string old = ValueText(seen.value), as_printed = ValueText(*now); one && now->kind != ExpressionResult::kValue && old != as_printed)
      text = absl::StrCat("was ", old, ", is ", as_printed);
    stop = Stop{&b, absl::StrCat("Watch ", b.number, ": ", b.expression, " ", text), false};
  }
  if (changed || !seen.known) seen.value = *std::move(now);
  seen.known = true;
  seen.held = holds;
  if (!trouble.ok()) return trouble;
  return stop;
}

std::optional<std::string> WatchChange(const Breakpoint& b, const StopMemory::Seen* before, const StopMemory::Seen& first, const std::string& note) {
  if (b.becomes) return first.held && (before == nullptr || !before->held) ? std::make_optional(note) : std::nullopt;
  if (before == nullptr || !first.held || Same(before->value, first.value)) return std::nullopt;
  const absl::StatusOr<Value> old = ToValue(before->value), now = ToValue(first.value);
  return absl::StrCat("Watch ", b.number, ": ", b.expression, " ", old.ok() && now.ok() ? ChangeText(*old, *now) : "has changed");
}

absl::Status CheckWatchCondition(Session::State& s, const Breakpoint& b) {
  if (b.condition.empty()) return absl::OkStatus();
  return CheckConditionAt(s, b.condition, *b.home, true, b.expression).status();
}

namespace {

// The words `in`, `if`, `when` and `-if`, which is when, that stand outside of brackets divide what follows watch.
struct WatchText {
  absl::string_view expression, home, condition;
  bool becomes = false;
};

absl::StatusOr<WatchText> Divide(absl::string_view args) {
  WatchText text;
  absl::string_view rest = absl::StripAsciiWhitespace(args), first = rest;
  if (const absl::string_view option = TakeWord(first); option == "-if" || option == "if" || option == "when") {
    text.becomes = true;
    rest = absl::StripAsciiWhitespace(first);
  }
  absl::string_view* part = &text.expression;
  size_t begin = 0;
  int depth = 0;
  bool conditional = false;
  for (size_t i = 0; i <= rest.size(); ++i) {
    const char c = i < rest.size() ? rest[i] : ' ';
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth > 0 || !absl::ascii_isspace(c) || i == 0 || absl::ascii_isspace(rest[i - 1])) continue;
    size_t start = i;
    while (start > begin && !absl::ascii_isspace(rest[start - 1])) --start;
    const absl::string_view word = rest.substr(start, i - start);
    absl::string_view* next = word == "in" ? &text.home : word == "if" || word == "when" || word == "-if" ? &text.condition : nullptr;
    if (next == nullptr) continue;
    if (next == &text.condition && text.becomes) return absl::InvalidArgumentError("watch -if takes one condition");
    *part = absl::StripAsciiWhitespace(rest.substr(begin, start - begin));
    conditional |= next == &text.condition;
    if (word == "when" || word == "-if") text.becomes = true;
    part = next;
    begin = i;
  }
  *part = absl::StripAsciiWhitespace(rest.substr(begin));
  if (conditional && text.condition.empty()) return absl::InvalidArgumentError("a condition is expected after if or when, as: watch max(abs(%y)) when $_ > 1e4");
  if (text.becomes && text.condition.empty()) text.condition = text.expression;
  if (text.expression.empty() || (part != &text.expression && part->empty())) {
    return absl::InvalidArgumentError("watch takes an expression, as: watch %x[0,1]; watch max(abs(%y)) when $_ > 1e4; watch -if nan(%y) > 0 (see: help watch)");
  }
  return text;
}

bool ReadsOf(absl::Span<const Instruction* const> read, const Computation& home) {
  return std::any_of(read.begin(), read.end(), [&](const Instruction* i) { return i->parent == &home; });
}

// The computation in whose frames the expression is meant: the one named, else the selected frame's, else the only one that it can be.
absl::StatusOr<const Computation*> FindHome(Session::State& s, const WatchText& text) {
  if (!text.home.empty()) {
    if (const Computation* named = s.module->FindComputation(absl::StripPrefix(text.home, "%"))) {
      const absl::StatusOr<std::vector<const Instruction*>> read = CheckAt(s, text.expression, *named, false);
      // What is only around the computation is not what was asked for.
      if (read.ok() && !read->empty() && !ReadsOf(*read, *named)) return NoSuchNamed(*s.module, {named->name, read->front()->name});
      return named;
    }
    int64_t budget = 1 << 20;
    NearestName nearest(text.home, &budget);
    for (const Computation* computation : s.module->computations) nearest.Offer(computation->name);
    return absl::NotFoundError(absl::StrCat("there is no computation '", text.home, "'", nearest.Hint().empty() ? "" : "; ", nearest.Hint()));
  }
  if (s.visible()) {
    for (int depth = s.selected; depth >= 0; --depth) {
      const Computation* around = s.machine->frames()[std::min<size_t>(depth, s.machine->frames().size() - 1)].computation;
      const absl::StatusOr<std::vector<const Instruction*>> read = CheckAt(s, text.expression, *around, false);
      if (!read.ok()) continue;
      if (ReadsOf(*read, *around)) return around;
    }
  }
  std::vector<const Computation*> homes;
  absl::Status first;
  bool any = false;
  for (const Computation* computation : s.module->computations) {
    const absl::StatusOr<std::vector<const Instruction*>> read = CheckAt(s, text.expression, *computation, false);
    if (!read.ok()) {
      // What is wrong where the names are known says more than that they are not known elsewhere.
      const bool says_more = !NotThere(read.status()), said_more = !first.ok() && !NotThere(first);
      if (first.ok() || (says_more && !said_more) || (computation == s.module->entry && says_more == said_more)) first = read.status();
      continue;
    }
    any = true;
    if (ReadsOf(*read, *computation)) homes.push_back(computation);
  }
  if (homes.empty() && !any) return first;
  if (homes.empty()) return absl::InvalidArgumentError(absl::StrCat(text.expression, " reads no value of the program, so it never changes"));
  if (homes.size() > 1) {
    std::vector<std::string> names;
    for (const Computation* home : homes) names.push_back(std::string(home->name));
    return absl::InvalidArgumentError(absl::StrCat(text.expression, " can be meant in ", absl::StrJoin(names, ", "), "; say which, as: watch ", text.expression, " in ", names[0]));
  }
  return homes[0];
}

}  // namespace

absl::Status CommandWatch(Session::State& s, absl::string_view args) {
  const absl::StatusOr<WatchText> text = Divide(args);
  if (!text.ok()) return text.status();
  const absl::StatusOr<const Computation*> home = FindHome(s, *text);
  if (!home.ok()) return home.status();
  absl::StatusOr<std::vector<const Instruction*>> read = CheckAt(s, text->expression, **home, text->becomes);
  if (!read.ok()) return read.status();
  auto b = std::make_unique<Breakpoint>();
  b->kind = Breakpoint::kWatch;
  b->home = *home;
  b->expression = std::string(text->expression);
  b->condition = std::string(text->condition);
  b->becomes = text->becomes;
  if (const absl::Status checked = CheckWatchCondition(s, *b); !checked.ok()) return checked;
  if (b->becomes && b->condition != b->expression) {  // the condition may read more
    const absl::StatusOr<std::vector<const Instruction*>> more = CheckAt(s, b->condition, **home, true);
    if (more.ok()) read->insert(read->end(), more->begin(), more->end());
  }
  absl::flat_hash_set<const Instruction*> seen;
  bool repeats = false;
  for (const Instruction* i : *read) {
    if (i->literal != nullptr || !seen.insert(i).second) continue;
    b->locations.push_back({i->parent, i->index});
    repeats |= CallsOf(s).repeats[i->parent->id];
  }
  if (b->locations.empty()) return absl::InvalidArgumentError(absl::StrCat(b->expression, " reads constants only, so it never changes"));
  b->after.assign(b->locations.size(), true);
  b->number = s.next_breakpoint++;
  s.Say("Watch ", b->number, ": ", b->becomes && b->condition != b->expression ? absl::StrCat(b->expression, " when ", b->condition) : b->expression, ", read from ",
        Describe(*s.module, b->locations[0]));
  if (b->locations.size() > 1) s.Say(" and ", Count(static_cast<int64_t>(b->locations.size()) - 1, "other place"));
  s.Say(b->becomes || b->condition.empty() ? "" : absl::StrCat(", only if ", b->condition), "\n");
  SayPassedBy(s, *b);
  if (!repeats && !b->becomes) s.Say("note: ", b->locations[0].computation->name, " runs once, so the value will not change; watch EXPR when CONDITION stops at a value\n");
  Breakpoint& watch = Adopt(s, std::move(b));
  if (s.visible() && !s.Finished()) {
    (void)EvaluateWatch(s, watch, PresentMemory(s), 0);
    SeeLast(s, watch, true);
    Ledger(s).AddOne(PresentMark(s), watch.number, PresentMemory(s));
  }
  return absl::OkStatus();
}

}  // namespace hloscope
