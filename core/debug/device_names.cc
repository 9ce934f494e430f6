#include "core/debug/device_names.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace hloscope {

absl::string_view BetweenNames(absl::string_view name) { return absl::StrContains(name, ',') ? "; " : ", "; }

std::string ListOfNames(absl::Span<const std::string> names) {
  return names.empty() ? std::string() : absl::StrJoin(names, BetweenNames(names[0]));
}

std::string FileOfDevice(const std::string& path, absl::string_view device) {
  const size_t slash = path.rfind('/'), dot = path.rfind('.');
  const size_t at = dot == std::string::npos || (slash != std::string::npos && dot < slash) ? path.size() : dot;
  return absl::StrCat(path.substr(0, at), "_", absl::StrReplaceAll(device, {{", ", "_"}, {" ", "_"}}), path.substr(at));
}

}  // namespace hloscope
