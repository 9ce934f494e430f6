#include "visualizer/model/session_keeper.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/debug/session_state.h"
#include "core/debug/stops.h"
#include "core/debug/travel.h"
#include "visualizer/model/whole_file.h"

namespace hloscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string WholePath(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : whole.string();
}

// The file about a program: its name, and a number that its whole path makes.
std::string FileOf(const std::string& folder, const std::string& path, const char* ending) {
  uint64_t hash = 1469598103934665603u;
  const std::string whole = WholePath(path);
  for (const char c : whole) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return absl::StrCat(folder, "/sessions/", fs::path(whole).filename().string(), "-", absl::StrFormat("%016x", hash), ending);
}

json ReadJson(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return json::parse(text.str(), nullptr, false);
}

// What was kept about the program; silent, but for one line.
void Restore(const std::string& folder, const std::string& path, Session::State& s) {
  const json kept = ReadJson(FileOf(folder, path, ".json"));
  if (!kept.is_object()) return;
  int64_t restored = 0, lost = 0;
  if (kept.contains("stops") && kept["stops"].is_string()) {
    const std::function<void(absl::string_view)> out = std::exchange(s.out, [](absl::string_view) {});
    bool collecting = false;
    for (const absl::string_view line : absl::StrSplit(kept["stops"].get<std::string>(), '\n', absl::SkipEmpty())) {
      const CommandResult result = s.session->Execute(line);
      if (!collecting) (result.ok ? restored : lost) += 1;
      collecting = !Stops(s).collecting.empty();
    }
    Stops(s).collecting.clear();
    s.repeat.clear();
    s.out = out;
  }
  int64_t bookmarks = 0;
  if (kept.contains("bookmarks") && kept["bookmarks"].is_object()) {
    for (const auto& [name, text] : kept["bookmarks"].items()) {
      Mark mark;
      if (!text.is_string() || !ParseMarkText(text.get<std::string>(), &mark)) continue;
      s.Extension<Travel>().bookmarks[name] = mark;
      ++bookmarks;
    }
  }
  if (restored + bookmarks > 0) {
    s.Say("From the last session: ", restored, " of stops and displays", bookmarks > 0 ? absl::StrCat(", ", bookmarks, " bookmarks") : "",
          lost > 0 ? absl::StrCat("; ", lost, " do not fit the program any more") : "", "\n");
  }
}

}  // namespace

std::string MarkText(const Mark& mark) {
  std::string text;
  for (const Mark::Level& level : mark.levels) {
    absl::StrAppend(&text, text.empty() ? "" : " ", static_cast<int>(level.kind), ":", level.iteration, ":", level.branch, ":", level.position);
  }
  return text;
}

bool ParseMarkText(const std::string& text, Mark* mark) {
  mark->levels.clear();
  for (const absl::string_view part : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::vector<absl::string_view> numbers = absl::StrSplit(part, ':');
    int kind = 0;
    Mark::Level level;
    if (numbers.size() != 4 || !absl::SimpleAtoi(numbers[0], &kind) || !absl::SimpleAtoi(numbers[1], &level.iteration) || !absl::SimpleAtoi(numbers[2], &level.branch) ||
        !absl::SimpleAtoi(numbers[3], &level.position) || kind < 0 || kind > static_cast<int>(FrameKind::kElement) || level.position < 0) {
      return false;
    }
    level.kind = static_cast<FrameKind>(kind);
    mark->levels.push_back(level);
  }
  return !mark->levels.empty();
}

SessionKeeper::SessionKeeper(Engine& engine, std::string folder) : engine_(engine), folder_(std::move(folder)) {
  if (!folder_.empty()) engine_.set_on_opened([folder = folder_](const std::string& path, Session::State& s) { Restore(folder, path, s); });
}

void SessionKeeper::Keep(const Snapshot& now, const Document& document) {
  waiting_ = false;
  if (folder_.empty() || now.path.empty()) return;
  const bool session_changed = now.generation != kept_generation_ && now.session != nullptr;
  const bool text_changed = document.version() != kept_version_ || document.unsaved() != kept_unsaved_;
  if (!session_changed && !text_changed) return;
  const auto time = std::chrono::steady_clock::now();
  // Large texts, which take a while to write, less often.
  const auto pause = std::chrono::milliseconds(500 + static_cast<int64_t>(text_changed ? document.text().size() >> 14 : 0));
  if (time - last_ < pause) {
    waiting_ = true;
    return;
  }
  last_ = time;
  if (now.path != kept_path_) {
    kept_path_ = now.path;
    (void)WriteWholeFile(absl::StrCat(folder_, "/last"), WholePath(now.path));
  }
  if (session_changed) {
    kept_generation_ = now.generation;
    engine_.Ask("keep", [folder = folder_, path = now.path](Session::State& s) {
      json bookmarks = json::object();
      for (const auto& [name, mark] : s.Extension<Travel>().bookmarks) bookmarks[name] = MarkText(mark);
      const json kept = {{"path", WholePath(path)}, {"stops", StopsAsCommands(s)}, {"bookmarks", bookmarks}};
      (void)WriteWholeFile(FileOf(folder, path, ".json"), kept.dump(1, ' ', false, json::error_handler_t::replace));
    });
  }
  if (text_changed) (void)KeepText(document);
}

absl::Status SessionKeeper::KeepText(const Document& document) {
  kept_version_ = document.version();
  kept_unsaved_ = document.unsaved();
  const std::string file = FileOf(folder_, document.name(), ".text");
  std::error_code error;
  if (!document.unsaved()) {
    fs::remove(file, error);
    return absl::OkStatus();
  }
  // One file, so that both are of the same moment: the base is its first line.
  const absl::Status written = WriteWholeFile(file, absl::StrCat(document.file().Base(), "\n", document.text()));
  if (!written.ok() && failure_ != written.message()) engine_.AddConsole(ConsoleLine::kError, absl::StrCat("what is typed cannot be kept for the next start: ", written.message()));
  failure_ = std::string(written.message());
  return written;
}

absl::Status SessionKeeper::Finish(const Document& document) {
  if (document.name().empty() || !document.unsaved()) return absl::OkStatus();
  if (folder_.empty()) return absl::FailedPreconditionError("nothing is kept between starts here");
  return KeepText(document);
}

bool SessionKeeper::IsDraft(const std::string& folder, const std::string& path) { return !folder.empty() && absl::StartsWith(path, WholePath(folder) + "/drafts/"); }

std::string SessionKeeper::DraftName(const std::string& folder, const std::string& name, const std::string& taken) {
  const fs::path wanted = folder.empty() ? fs::path(name) : fs::path(WholePath(folder)) / "drafts" / name;
  std::error_code error;
  for (int k = 1;; ++k) {
    fs::path path = wanted;
    if (k > 1) path.replace_filename(absl::StrCat(wanted.stem().string(), "-", k, wanted.extension().string()));
    if (path.string() != taken && (folder.empty() || !fs::exists(FileOf(folder, path.string(), ".text"), error))) return path.string();
  }
}

std::vector<std::string> SessionKeeper::Drafts(const std::string& folder) {
  std::vector<std::string> drafts;
  if (folder.empty()) return drafts;
  std::error_code error;
  for (fs::directory_iterator it(folder + "/sessions", error), end; !error && it != end; it.increment(error)) {
    // NAME-HASH.text; the hash says whether it is a draft's.
    const std::string file = it->path().filename().string();
    if (!absl::EndsWith(file, ".text") || file.size() < 23) continue;
    const std::string path = (fs::path(WholePath(folder)) / "drafts" / file.substr(0, file.size() - 22)).string();
    if (FileOf(folder, path, ".text") == it->path().string()) drafts.push_back(path);
  }
  std::sort(drafts.begin(), drafts.end());
  return drafts;
}

std::optional<SessionKeeper::UnsavedText> SessionKeeper::Unsaved(const std::string& folder, const std::string& path) {
  if (folder.empty() || path.empty()) return std::nullopt;
  std::ifstream file(FileOf(folder, path, ".text"), std::ios::binary);
  UnsavedText unsaved;
  if (!std::getline(file, unsaved.base)) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  unsaved.text = text.str();
  return unsaved;
}

void SessionKeeper::Drop(const std::string& folder, const std::string& path) {
  std::error_code error;
  if (!folder.empty() && !path.empty()) fs::remove(FileOf(folder, path, ".text"), error);
}

std::string SessionKeeper::LastProgram(const std::string& folder) {
  if (folder.empty()) return "";
  std::ifstream file(folder + "/last");
  std::string path;
  std::getline(file, path);
  std::error_code error;
  return fs::exists(path, error) || Unsaved(folder, path).has_value() ? path : "";
}

}  // namespace hloscope
