// Who holds a place is told by a lock on one byte of a file that all windows share: the system takes it back when a process ends, however
// it ends, so nothing has to be tidied up after a crash. The locks belong to the open file (F_OFD), not to the process.
#include "visualizer/model/kept_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "visualizer/model/whole_file.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

constexpr int kMostPlaces = 64;  // windows that have one program
constexpr char kEnding[] = ".text";

uint64_t NumberOf(absl::string_view whole_path) {
  uint64_t hash = 1469598103934665603u;
  for (const char c : whole_path) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

struct flock ByteOf(const std::string& whole_path, int place, int16_t type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(NumberOf(whole_path) >> 2) + place;
  lock.l_len = 1;
  return lock;
}

}  // namespace

std::string WholePath(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : whole.string();
}

std::string KeptFileOf(const std::string& folder, const std::string& path, const std::string& ending) {
  const std::string whole = WholePath(path);
  return absl::StrCat(folder, "/sessions/", fs::path(whole).filename().string(), "-", absl::StrFormat("%016x", NumberOf(whole)), ending);
}

KeptText::~KeptText() {
  if (file_ >= 0) close(file_);
}

int KeptText::File() const {
  if (file_ >= 0 || folder_.empty()) return file_;
  std::error_code error;
  fs::create_directories(folder_ + "/sessions", error);
  return file_ = open((folder_ + "/sessions/held").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

bool KeptText::Lock(const std::string& path, int place, bool lock) const {
  struct flock byte = ByteOf(WholePath(path), place, lock ? F_WRLCK : F_UNLCK);
  if (File() < 0 || fcntl(file_, F_OFD_SETLK, &byte) == 0) return true;
  return errno != EAGAIN && errno != EACCES;  // a disk without locks: as if there were no other window
}

bool KeptText::HeldElsewhere(const std::string& path, int place) const {
  struct flock byte = ByteOf(WholePath(path), place, F_WRLCK);
  return File() >= 0 && fcntl(file_, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

std::string KeptText::Place(const std::string& path, int place) const {
  return KeptFileOf(folder_, path, place == 1 ? kEnding : absl::StrCat("-", place, kEnding));
}

// The first that no other window holds: one with a text, or one without.
int KeptText::PlaceOf(const std::string& path, bool with_text) const {
  std::error_code error;
  for (int place = 1; place <= kMostPlaces; ++place) {
    if (fs::exists(Place(path, place), error) == with_text && !HeldElsewhere(path, place)) return place;
  }
  return 0;
}

void KeptText::Hold(const std::string& path, int place) {
  if (!held_.empty()) (void)Lock(held_, held_place_, false);
  held_.clear();
  // Another window may have been quicker.
  for (; place > 0 && place <= kMostPlaces; ++place) {
    if (!Lock(path, place, true)) continue;
    held_ = WholePath(path);
    held_place_ = place;
    return;
  }
}

std::optional<KeptText::Unsaved> KeptText::Look(const std::string& path) const {
  if (folder_.empty() || path.empty()) return std::nullopt;
  const int place = held_ == WholePath(path) ? held_place_ : PlaceOf(path, true);
  if (place == 0) return std::nullopt;
  std::ifstream file(Place(path, place), std::ios::binary);
  Unsaved unsaved;
  if (!std::getline(file, unsaved.base)) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  unsaved.text = text.str();
  return unsaved;
}

std::optional<KeptText::Unsaved> KeptText::Take(const std::string& path) {
  if (folder_.empty() || path.empty()) return std::nullopt;
  if (held_ != WholePath(path)) {
    const int place = PlaceOf(path, true);
    Hold(path, place > 0 ? place : PlaceOf(path, false));
  }
  return held_ == WholePath(path) ? Look(path) : std::nullopt;
}

bool KeptText::ChangedElsewhere(const std::string& path) const {
  std::error_code error;
  for (int place = 1; !folder_.empty() && place <= kMostPlaces; ++place) {
    if (fs::exists(Place(path, place), error) && HeldElsewhere(path, place)) return true;
  }
  return false;
}

absl::Status KeptText::Keep(const std::string& path, absl::string_view base, absl::string_view text) {
  if (folder_.empty()) return absl::FailedPreconditionError("nothing is kept between starts here");
  if (held_ != WholePath(path)) Hold(path, PlaceOf(path, false));
  if (held_ != WholePath(path)) return absl::ResourceExhaustedError("too many windows have this program");
  // One file, so that both are of the same moment: the base is its first line.
  return WriteWholeFile(Place(path, held_place_), absl::StrCat(base, "\n", text));
}

void KeptText::Drop(const std::string& path) {
  if (folder_.empty() || path.empty() || held_ != WholePath(path)) return;
  std::error_code error;
  fs::remove(Place(path, held_place_), error);
}

bool KeptText::IsDraft(const std::string& path) const {
  return !folder_.empty() && absl::StartsWith(path, WholePath(folder_) + "/drafts/");
}

std::string KeptText::DraftName(const std::string& name, const std::string& taken) const {
  const fs::path wanted = folder_.empty() ? fs::path(name) : fs::path(WholePath(folder_)) / "drafts" / name;
  std::error_code error;
  for (int k = 1;; ++k) {
    fs::path path = wanted;
    if (k > 1) path.replace_filename(absl::StrCat(wanted.stem().string(), "-", k, wanted.extension().string()));
    const std::string draft = path.string();
    if (draft != taken && (folder_.empty() || (!fs::exists(Place(draft, 1), error) && !HeldElsewhere(draft, 1)))) return draft;
  }
}

std::vector<std::string> KeptText::Drafts() const {
  std::vector<std::string> drafts;
  if (folder_.empty()) return drafts;
  std::error_code error;
  for (fs::directory_iterator it(folder_ + "/sessions", error), end; !error && it != end; it.increment(error)) {
    // NAME-HASH.text; the hash says whether it is a draft's. No two windows have a draft, so it is in the first place.
    const std::string file = it->path().filename().string();
    if (!absl::EndsWith(file, kEnding) || file.size() < 23) continue;
    const std::string path = (fs::path(WholePath(folder_)) / "drafts" / file.substr(0, file.size() - 22)).string();
    if (Place(path, 1) == it->path().string() && !HeldElsewhere(path, 1)) drafts.push_back(path);
  }
  std::sort(drafts.begin(), drafts.end());
  return drafts;
}

}  // namespace hloscope
