#include "visualizer/model/session_keeper.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/debug/session_state.h"
#include "core/debug/stops.h"
#include "core/debug/travel.h"
#include "visualizer/model/whole_file.h"

namespace hloscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json ReadJson(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return json::parse(text.str(), nullptr, false);
}

// What was kept about the program; silent, but for one line.
void Restore(const std::string& folder, const std::string& path, Session::State& s) {
  const json kept = ReadJson(KeptFileOf(folder, path, ".json"));
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
  if (restored + bookmarks == 0) return;
  const auto count = [](int64_t n, absl::string_view one, absl::string_view many) {
    return n == 0 ? "" : absl::StrCat(n, " ", n == 1 ? one : many);
  };
  const std::string stops = count(restored, "stop or display", "stops and displays"), marks = count(bookmarks, "bookmark", "bookmarks");
  s.Say("From the last session: ", stops, restored > 0 && bookmarks > 0 ? " and " : "", marks,
        lost > 0 ? absl::StrCat("; ", lost, lost == 1 ? " does" : " do", " not fit the program any more") : "", "\n");
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

SessionKeeper::SessionKeeper(Engine& engine, KeptText& text) : engine_(engine), text_(text), folder_(text.folder()) {
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
      (void)WriteWholeFile(KeptFileOf(folder, path, ".json"), kept.dump(1, ' ', false, json::error_handler_t::replace));
    });
  }
  if (text_changed) (void)KeepTyped(document);
}

absl::Status SessionKeeper::KeepTyped(const Document& document) {
  kept_version_ = document.version();
  kept_unsaved_ = document.unsaved();
  if (!document.unsaved()) {
    text_.Drop(document.name());
    return absl::OkStatus();
  }
  const absl::Status written = text_.Keep(document.name(), document.file().Base(), document.text());
  if (!written.ok() && failure_ != written.message()) engine_.AddConsole(ConsoleLine::kError, absl::StrCat("what is typed cannot be kept for the next start: ", written.message()));
  failure_ = std::string(written.message());
  return written;
}

absl::Status SessionKeeper::Finish(const Document& document) {
  if (document.name().empty() || !document.unsaved()) return absl::OkStatus();
  return KeepTyped(document);
}

std::string SessionKeeper::LastProgram(const KeptText& kept) {
  if (kept.folder().empty()) return "";
  std::ifstream file(kept.folder() + "/last");
  std::string path;
  std::getline(file, path);
  std::error_code error;
  return fs::exists(path, error) || kept.Look(path).has_value() ? path : "";
}

}  // namespace hloscope
