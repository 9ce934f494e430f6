#include "core/debug/device_names.h"

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"

namespace hloscope {

absl::string_view BetweenNames(absl::string_view name) { return absl::StrContains(name, ',') ? "; " : ", "; }

std::string ListOfNames(absl::Span<const std::string> names) {
  return names.empty() ? std::string() : absl::StrJoin(names, BetweenNames(names[0]));
}

}  // namespace hloscope
