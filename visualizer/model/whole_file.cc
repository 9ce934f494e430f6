#include "visualizer/model/whole_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace hloscope {

absl::Status WriteWholeFile(const std::string& path, const std::string& text) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  const std::string beside = path + ".new";
  {
    std::ofstream file(beside, std::ios::binary);
    file << text;
    file.flush();
    if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", beside));
  }
  std::filesystem::rename(beside, path, error);
  return error ? absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", error.message())) : absl::OkStatus();
}

}  // namespace hloscope
