#include "core/debug/stop_counts.h"

#include "absl/strings/ascii.h"

namespace hloscope {
namespace {

constexpr size_t kMostEntries = 2000;
constexpr int64_t kSmallBytes = 4096;  // of what a watch saw, to be kept for many moments

const Breakpoint::Rule* InForce(const std::vector<Breakpoint::Rule>& rules, size_t taken) {
  return taken == 0 || taken > rules.size() ? nullptr : &rules[taken - 1];
}

bool MentionsHits(const std::string& text) {
  for (size_t at = text.find("hits"); at != std::string::npos; at = text.find("hits", at + 1)) {
    const auto part_of_name = [&](size_t k) { return k < text.size() && (absl::ascii_isalnum(text[k]) || text[k] == '_' || text[k] == '.' || text[k] == '%'); };
    if (!part_of_name(at + 4) && (at == 0 || !part_of_name(at - 1))) return true;
  }
  return false;
}

bool Small(const ExpressionResult& result) {
  const int64_t numbers = static_cast<int64_t>((result.re.size() + result.im.size()) * sizeof(double) + result.integers.size() * sizeof(expression::Wide));
  return numbers <= kSmallBytes && (!result.value.has_value() || result.value.byte_size() <= kSmallBytes);
}

// Takes over what `memory` knows of the number.
void TakeOver(int number, const StopMemory& memory, StopMemory& into) {
  const auto counts = memory.counts.find(number);
  if (counts == memory.counts.end()) return;
  const auto seen = memory.watches.find(number);
  if (seen != memory.watches.end()) {
    if (!Small(seen->second.value)) return;
    into.watches[number] = seen->second;
  }
  into.counts[number] = counts->second;
}

}  // namespace

bool TakeUpRules(const Breakpoint& b, StopCounts& counts, const Mark& now) {
  while (counts.ignore_rule < b.ignores.size() && b.ignores[counts.ignore_rule].from < now) {
    ++counts.ignore_rule;
    counts.ignored = 0;
  }
  bool woken = false;
  while (counts.limit_rule < b.limits.size() && b.limits[counts.limit_rule].from < now) {
    woken |= Sleeps(b, counts);
    ++counts.limit_rule;
    counts.stops = 0;
  }
  return woken;
}

bool Sleeps(const Breakpoint& b, const StopCounts& counts) {
  const Breakpoint::Rule* rule = InForce(b.limits, counts.limit_rule);
  return rule != nullptr && rule->count >= 0 && counts.stops >= rule->count;
}

bool Passes(const Breakpoint& b, const StopCounts& counts) {
  const Breakpoint::Rule* rule = InForce(b.ignores, counts.ignore_rule);
  return rule != nullptr && counts.ignored < rule->count;
}

int64_t PassedYet(const Breakpoint& b, StopCounts counts, const Mark& now) {
  while (counts.ignore_rule < b.ignores.size() && !(now < b.ignores[counts.ignore_rule].from)) {
    ++counts.ignore_rule;
    counts.ignored = 0;
  }
  const Breakpoint::Rule* rule = InForce(b.ignores, counts.ignore_rule);
  return rule == nullptr ? 0 : std::max<int64_t>(0, rule->count - counts.ignored);
}

int64_t StopsYet(const Breakpoint& b, StopCounts counts, const Mark& now) {
  while (counts.limit_rule < b.limits.size() && !(now < b.limits[counts.limit_rule].from)) {
    ++counts.limit_rule;
    counts.stops = 0;
  }
  const Breakpoint::Rule* rule = InForce(b.limits, counts.limit_rule);
  return rule == nullptr || rule->count < 0 ? -1 : std::max<int64_t>(0, rule->count - counts.stops);
}

void AddRule(std::vector<Breakpoint::Rule>& rules, const Mark& now, int64_t count) {
  while (!rules.empty() && !(rules.back().from < now)) rules.pop_back();
  rules.push_back({now, count});
}

bool Decisive(const Breakpoint& b) {
  return b.enabled && (!b.ignores.empty() || !b.limits.empty() || MentionsHits(b.condition) || MentionsHits(b.text) || MentionsHits(b.expression));
}

// ---- The ledger ----

void StopLedger::Add(const Mark& mark, const StopMemory& memory) {
  StopMemory& entry = entries_[{mark, memory.judged == mark}];
  for (const auto& [number, counts] : memory.counts) TakeOver(number, memory, entry);
  if (entries_.size() <= kMostEntries) return;
  bool goes = false;
  for (auto at = entries_.begin(); at != entries_.end(); goes = !goes) at = goes ? entries_.erase(at) : std::next(at);
}

void StopLedger::AddOne(const Mark& now, int number, const StopMemory& memory) { TakeOver(number, memory, entries_[{now, true}]); }

const std::pair<const StopLedger::Key, StopMemory>* StopLedger::Before(const Key& key, int number) const {
  for (auto at = entries_.upper_bound(key); at != entries_.begin();) {
    --at;
    if (at->second.counts.contains(number)) return &*at;
  }
  return nullptr;
}

void StopLedger::Forget(int number) {
  for (auto& [key, memory] : entries_) {
    memory.counts.erase(number);
    memory.watches.erase(number);
  }
}

void StopLedger::ForgetAfter(int number, const Mark& mark) {
  for (auto at = entries_.upper_bound({mark, true}); at != entries_.end(); ++at) {
    at->second.counts.erase(number);
    at->second.watches.erase(number);
  }
}

void StopLedger::DropAfter(const Mark& mark) { entries_.erase(entries_.upper_bound({mark, true}), entries_.end()); }

}  // namespace hloscope
