#include "core/debug/written_names.h"

#include <algorithm>

namespace hloscope {

absl::string_view WrittenName(const Instruction& instruction) {
  absl::string_view found;
  const Computation* computation = instruction.parent;
  if (computation == nullptr || computation->by_name.size() == computation->instructions.size()) return found;
  for (const auto& [written, named] : computation->by_name) {
    if (named != &instruction || written == instruction.name) continue;
    if (found.empty() || written.size() < found.size() || (written.size() == found.size() && written < found)) found = written;
  }
  return found;
}

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
