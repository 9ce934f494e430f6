// Completion in StableHLO text: operations behind `=`, names behind `%`. Types and attributes are not offered.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/text/stablehlo/operation_names.h"
#include "visualizer/model/completion.h"

namespace hloscope {
namespace {

constexpr size_t kMost = 200;

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' || c == '-'; }

// The values that the text defines: %names before `=` and of parameters, the newest first.
std::vector<std::string> NamesIn(absl::string_view scope) {
  std::vector<std::string> names;
  absl::flat_hash_set<std::string> seen;
  for (size_t at = scope.size(); at-- > 0;) {
    if (scope[at] != '%') continue;
    size_t end = at + 1;
    while (end < scope.size() && IsWord(scope[end])) ++end;
    const absl::string_view behind = absl::StripLeadingAsciiWhitespace(scope.substr(end));
    const bool defines = absl::StartsWith(behind, "=") || absl::StartsWith(behind, ": ") || absl::StartsWith(behind, ":");
    std::string name(scope.substr(at, end - at));
    if (name.size() > 1 && defines && seen.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Completions CompleteStableHlo(absl::string_view before, absl::string_view scope, bool asked) {
  Completions result;
  size_t begin = before.size();
  while (begin > 0 && (IsWord(before[begin - 1]) || before[begin - 1] == '%')) {
    --begin;
    if (before[begin] == '%') break;
  }
  const absl::string_view word = before.substr(begin), head = absl::StripTrailingAsciiWhitespace(before.substr(0, begin));
  result.replace = static_cast<int>(word.size());
  if (absl::StartsWith(word, "%")) {
    if (head.empty()) return result;  // a new name
    for (std::string& name : NamesIn(scope)) {
      if (result.items.size() < kMost && name != word && absl::StartsWithIgnoreCase(name, word)) result.items.push_back({CompletionItem::kInstruction, std::move(name), ""});
    }
    return result;
  }
  // An operation stands behind `=`, or begins its line.
  const bool place = absl::EndsWith(head, "=") ? absl::StrContains(head, '%') : head.empty() && !word.empty();
  if (!place || (word.empty() && !asked)) return result;
  for (const absl::string_view name : StableHloOperationNames()) {
    absl::string_view bare = name;
    bare = bare.substr(bare.find('.') + 1);
    const bool fits = absl::StartsWithIgnoreCase(name, word) || absl::StartsWithIgnoreCase(bare, word);
    if (fits && name != word && result.items.size() < kMost) result.items.push_back({CompletionItem::kWord, std::string(name), ""});
  }
  return result;
}

}  // namespace hloscope
