#include "core/debug/renames.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "core/debug/expression_functions.h"

namespace hloscope {
namespace {

constexpr int kMostPairs = 200'000;  // that are looked at in a computation: a program of which all is new is no renamed one

bool AlikeButNames(const Computation& a, const Computation& b) {
  if (a.instructions.size() != b.instructions.size()) return false;
  for (size_t k = 0; k < a.instructions.size(); ++k) {
    if (a.instructions[k]->opcode != b.instructions[k]->opcode) return false;
  }
  return true;
}

}  // namespace

Renames::Renames(const Module& before, const Module& after) : before_(&before), after_(&after) {
  std::vector<const Computation*> fresh;
  for (const Computation* c : after.computations) {
    if (before.FindComputation(c->name) == nullptr) fresh.push_back(c);
  }
  for (const Computation* c : before.computations) {
    if (after.FindComputation(c->name) != nullptr) continue;
    for (const Computation*& now : fresh) {
      if (now == nullptr || now->is_entry != c->is_entry || !(c->is_entry || AlikeButNames(*c, *now))) continue;
      computations_[c] = now;
      computations_were_[now] = c;
      now = nullptr;
      break;
    }
  }
  for (const Computation* c : before.computations) {
    if (const Computation* now = Now(*c)) Pair(*c, *now);
  }
}

void Renames::Pair(const Computation& before, const Computation& after) {
  std::vector<const Instruction*> gone, fresh;
  for (const Instruction* i : before.instructions) {
    if (after.FindInstruction(i->name) == nullptr) gone.push_back(i);
  }
  if (gone.empty()) return;
  for (const Instruction* i : after.instructions) {
    if (before.FindInstruction(i->name) == nullptr) fresh.push_back(i);
  }
  const auto same = [&](const Instruction& a, const Instruction& b) {
    if (a.opcode != b.opcode || a.parameter_number != b.parameter_number || a.operands.size() != b.operands.size()) return false;
    if (a.shape.ToString(false) != b.shape.ToString(false)) return false;
    for (size_t k = 0; k < a.operands.size(); ++k) {
      if (Now(*a.operands[k]) != b.operands[k]) return false;
    }
    return true;
  };
  int looked = 0;
  for (const Instruction* i : gone) {
    for (const Instruction*& now : fresh) {
      if (++looked > kMostPairs) return;
      if (now == nullptr || !same(*i, *now)) continue;
      instructions_[i] = now;
      were_[now] = i;
      now = nullptr;
      break;
    }
  }
}

const Computation* Renames::Now(const Computation& before) const {
  const auto found = computations_.find(&before);
  return found != computations_.end() ? found->second : after_ != nullptr ? after_->FindComputation(before.name) : nullptr;
}

const Instruction* Renames::Now(const Instruction& before) const {
  const auto found = instructions_.find(&before);
  if (found != instructions_.end()) return found->second;
  const Computation* computation = Now(*before.parent);
  return computation == nullptr ? nullptr : computation->FindInstruction(before.name);
}

const Instruction* Renames::Before(const Instruction& now) const {
  const auto found = were_.find(&now);
  if (found != were_.end()) return found->second;
  const auto was = computations_were_.find(now.parent);
  const Computation* computation = was != computations_were_.end() ? was->second : before_ != nullptr ? before_->FindComputation(now.parent->name) : nullptr;
  return computation == nullptr ? nullptr : computation->FindInstruction(now.name);
}

std::string Renames::Rewritten(absl::string_view text, const Computation* home, bool place) const {
  if (!any()) return std::string(text);
  const auto instruction = [&](absl::string_view name, const Computation* within) -> const Instruction* {
    const Instruction* found = within != nullptr ? within->FindInstruction(name) : nullptr;
    if (found != nullptr) return found;
    for (const Computation* c : before_->computations) {
      found = c->FindInstruction(name);
      if (found != nullptr && instructions_.contains(found)) return found;
    }
    return nullptr;
  };
  std::string rewritten;
  const Computation* within = nullptr;  // that was named before a colon
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && expression::IsNameChar(text[end])) ++end;
    if (end == at) {
      rewritten += text[at++];
      continue;
    }
    const absl::string_view word = text.substr(at, end - at);
    const char last = at > 0 ? text[at - 1] : 0, next = end < text.size() ? text[end] : 0;
    const bool named = last == '%', pattern = next == '*' || next == '?' || next == '/' || last == '*' || last == '?' || last == '/';
    const Computation* computation = next == ':' ? before_->FindComputation(word) : nullptr;
    if (computation != nullptr) {
      rewritten += std::string(Now(*computation) != nullptr ? Now(*computation)->name : word);
      within = computation;
    } else {
      const bool may_be = named || (place && next != ':' && !pattern && (last != ':' || within != nullptr));
      const Instruction* was = may_be ? instruction(word, within != nullptr ? within : home) : nullptr;
      const Instruction* now = was == nullptr ? nullptr : Now(*was);
      rewritten += std::string(now != nullptr ? now->name : word);
      within = nullptr;
    }
    at = end;
  }
  return rewritten;
}

}  // namespace hloscope
