#include "core/ir/written_names.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

constexpr size_t kMostLookedThrough = 4096;  // names of a computation that are gone through for one; those of a larger one once for all

// What readers make of a name that has no letter in front, or a result's number: v6 of 6, r.1 of r#1, and v6.2 where there are several.
absl::string_view Usual(const Computation& computation, const Instruction& instruction) {
  const auto means = [&](absl::string_view text) -> absl::string_view {
    const auto found = computation.by_name.find(text);
    return found != computation.by_name.end() && found->second == &instruction && found->first != instruction.name ? absl::string_view(found->first) : "";
  };
  const absl::string_view name = instruction.name;
  const size_t dot = name.rfind('.');
  const absl::string_view stem = dot == absl::string_view::npos ? "" : name.substr(0, dot);
  const std::string result = stem.empty() ? "" : absl::StrCat(stem, "#", name.substr(dot + 1));
  for (absl::string_view text : {name, stem, absl::string_view(result)}) {
    if (text.size() > 1 && text[0] == 'v' && absl::ascii_isdigit(text[1])) text.remove_prefix(1);
    if (const absl::string_view found = text.empty() ? "" : means(text); !found.empty()) return found;
  }
  return "";
}

bool IsBetter(absl::string_view name, absl::string_view found) { return found.empty() || name.size() < found.size() || (name.size() == found.size() && name < found); }

// Of a large computation, by instruction. The one that was asked about last is kept: lists of names ask about one after the other.
const absl::flat_hash_map<const Instruction*, absl::string_view>& AllWritten(const Computation& computation) {
  struct Kept {
    const Computation* of = nullptr;
    uint64_t module = 0;  // its serial: the place in memory may be another computation's by now
    size_t names = 0, instructions = 0;
    absl::flat_hash_map<const Instruction*, absl::string_view> written;
  };
  thread_local Kept kept;
  const uint64_t module = computation.module != nullptr ? computation.module->serial : 0;
  if (module != 0 && kept.of == &computation && kept.module == module && kept.names == computation.by_name.size() && kept.instructions == computation.instructions.size()) return kept.written;
  kept = {&computation, module, computation.by_name.size(), computation.instructions.size(), {}};
  for (const auto& [written, named] : computation.by_name) {
    if (written == named->name) continue;
    absl::string_view& found = kept.written[named];
    if (IsBetter(written, found)) found = written;
  }
  return kept.written;
}

}  // namespace

absl::string_view WrittenName(const Instruction& instruction) {
  absl::string_view found;
  const Computation* computation = instruction.parent;
  if (computation == nullptr || computation->by_name.size() == computation->instructions.size()) return found;
  if (found = Usual(*computation, instruction); !found.empty()) return found;
  if (computation->by_name.size() > kMostLookedThrough) {
    const auto& all = AllWritten(*computation);
    const auto known = all.find(&instruction);
    return known != all.end() ? known->second : found;
  }
  for (const auto& [written, named] : computation->by_name) {
    if (named != &instruction || written == instruction.name) continue;
    if (IsBetter(written, found)) found = written;
  }
  return found;
}

std::string NameInText(const Instruction& instruction) {
  const absl::string_view written = WrittenName(instruction);
  return std::string(written.empty() ? instruction.name : written);
}

std::string ShownName(const Instruction& instruction) { return absl::StrCat("%", NameInText(instruction)); }

std::vector<absl::string_view> WrittenNames(const Computation& computation) {
  std::vector<absl::string_view> names;
  if (computation.by_name.size() == computation.instructions.size()) return names;
  for (const auto& [written, named] : computation.by_name) {
    if (written != named->name) names.push_back(written);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace hloscope
