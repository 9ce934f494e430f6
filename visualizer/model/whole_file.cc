#include "visualizer/model/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

absl::Status Cannot(const std::string& path, int error) { return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(error))); }

// All of it; the descriptor is closed. `lasts`: it is on the disk then, whatever becomes of the machine. 0, or what went wrong.
int WriteAndClose(int descriptor, const std::string& text, bool lasts) {
  int error = 0;
  for (size_t done = 0; done < text.size() && error == 0;) {
    const ssize_t n = write(descriptor, text.data() + done, text.size() - done);
    if (n >= 0) done += static_cast<size_t>(n);
    else if (errno != EINTR) error = errno;
  }
  if (lasts && error == 0 && fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) error = errno;
  if (close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

// Through a file of its own beside it. `beside`: one could be made.
int Replace(const std::string& path, const std::string& text, bool lasts, bool* beside) {
  std::string fresh = (fs::path(path).parent_path() / absl::StrCat(".", fs::path(path).filename().string(), ".", std::string(6, 'X'))).string();
  const int descriptor = mkstemp(fresh.data());
  *beside = descriptor >= 0;
  if (descriptor < 0) return errno;
  struct stat before;
  if (stat(path.c_str(), &before) == 0) {
    (void)fchmod(descriptor, before.st_mode & 07777);
    if (fchown(descriptor, before.st_uid, before.st_gid) != 0) (void)fchmod(descriptor, before.st_mode & 0777);
  } else {
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
  }
  int error = WriteAndClose(descriptor, text, lasts);
  if (error == 0 && std::rename(fresh.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(fresh.c_str());
  return error;
}

}  // namespace

absl::Status WriteWholeFile(const std::string& path, const std::string& text) {
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, ignored);
  bool beside = false;
  const int error = Replace(path, text, /*lasts=*/false, &beside);
  return error != 0 ? Cannot(path, error) : absl::OkStatus();
}

absl::Status SaveFile(const std::string& path, const std::string& text) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(path, ignored);
  const std::string target = whole.empty() ? path : whole.string();
  if (fs::is_directory(target, ignored)) return absl::UnavailableError(absl::StrCat("cannot write ", path, ": it is a folder"));
  const std::string folder = fs::absolute(target, ignored).parent_path().string();
  if (!fs::exists(folder, ignored)) return absl::UnavailableError(absl::StrCat("cannot write ", path, ": the folder ", folder, " is not there"));
  // Who may not write the file does not put another one in its place.
  if (fs::exists(target, ignored) && access(target.c_str(), W_OK) != 0) return Cannot(path, errno);
  bool beside = false;
  int error = Replace(target, text, /*lasts=*/true, &beside);
  if (error != 0 && !beside && (error == EACCES || error == EPERM) && fs::exists(target, ignored)) {
    const int descriptor = open(target.c_str(), O_WRONLY | O_TRUNC);
    error = descriptor < 0 ? errno : WriteAndClose(descriptor, text, /*lasts=*/true);
  }
  return error != 0 ? Cannot(path, error) : absl::OkStatus();
}

}  // namespace hloscope
