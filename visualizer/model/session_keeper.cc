#include "visualizer/model/session_keeper.h"

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/debug/devices.h"
#include "core/debug/session_state.h"
#include "core/debug/stops.h"
#include "core/debug/travel.h"
#include "visualizer/model/whole_file.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

// Bookmarks are of one device's run: "1:m1" is that of the second device; without a number of the first or only one.
std::string KeptName(int device, const std::string& name) { return device == 0 ? name : absl::StrCat(device, ":", name); }

// -1: none has that name.
int DeviceOf(const std::string& kept_name) {
  const size_t colon = kept_name.find(':');
  int device = 0;
  return colon == std::string::npos ? 0 : absl::SimpleAtoi(kept_name.substr(0, colon), &device) ? device : -1;
}

// Those of devices that have not been started yet wait for them.
struct WaitingBookmarks {
  std::map<std::string, std::string> marks;  // by KeptName
};

// How many have been given to their devices.
int64_t GiveBookmarks(Session::State& s) {
  int64_t given = 0;
  ForEachRun(s, [&](int device) {
    std::erase_if(s.Extension<WaitingBookmarks>().marks, [&](const auto& kept) {
      const std::string name = kept.first.substr(kept.first.rfind(':') + 1);
      Mark mark;
      if (KeptName(device, name) != kept.first || !ParseMarkText(kept.second, &mark)) return false;
      s.Extension<Travel>().bookmarks.emplace(name, mark);
      ++given;
      return true;
    });
  });
  return given;
}

// What there is to be kept of the session.
KeptStops StopsOf(Session::State& s) {
  GiveBookmarks(s);
  KeptStops now{StopsAsCommands(s), s.Extension<WaitingBookmarks>().marks};
  ForEachRun(s, [&](int device) {
    for (const auto& [name, mark] : s.Extension<Travel>().bookmarks) now.bookmarks[KeptName(device, name)] = MarkText(mark);
  });
  return now;
}

// What was kept about the program; silent, but for one line.
void Restore(const KeptStops& kept, Session::State& s) {
  int64_t restored = 0, lost = 0, bookmarks = 0;  // also of devices that are not started yet
  const std::function<void(absl::string_view)> out = std::exchange(s.out, [](absl::string_view) {});
  for (const std::string& stop : kept.stops) {
    bool ok = true;
    for (const absl::string_view line : absl::StrSplit(stop, '\n', absl::SkipEmpty())) {
      if (!ok) break;  // the rest is about what could not be made: "last" is another one
      ok = s.session->Execute(line).ok;
    }
    (ok ? restored : lost) += 1;
    Stops(s).collecting.clear();
  }
  s.repeat.clear();
  s.out = out;
  std::map<std::string, std::string>& waiting = s.Extension<WaitingBookmarks>().marks;
  waiting = kept.bookmarks;
  bookmarks += GiveBookmarks(s);
  std::erase_if(waiting, [&](const auto& mark) { return DeviceOf(mark.first) < 1 || DeviceOf(mark.first) >= s.options.devices.count(); });
  bookmarks += static_cast<int64_t>(waiting.size());
  const auto count = [](int64_t n, absl::string_view one, absl::string_view many) { return absl::StrCat(n, " ", n == 1 ? one : many); };
  std::vector<std::string> back;
  if (restored > 0) back.push_back(count(restored, "stop or display", "stops and displays"));
  if (bookmarks > 0) back.push_back(count(bookmarks, "bookmark", "bookmarks"));
  std::vector<std::string> parts;
  if (!back.empty()) parts.push_back(absl::StrJoin(back, " and "));
  if (lost > 0) parts.push_back(count(lost, "does not fit the program any more", "do not fit the program any more"));
  if (!parts.empty()) s.Say("From the last session: ", absl::StrJoin(parts, "; "), "\n");
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
  if (folder_.empty()) return;
  engine_.set_on_opened([folder = folder_, seen = seen_](const std::string& path, Session::State& s) {
    seen->path = path;
    seen->kept = ReadKeptStops(folder, path);
    Restore(seen->kept, s);
  });
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
    AskToKeep(now.path, [] {});
  }
  if (text_changed) (void)KeepTyped(document);
}

void SessionKeeper::AskToKeep(const std::string& path, std::function<void()> done) {
  engine_.Ask("keep", [folder = folder_, seen = seen_, path, done = std::move(done)](Session::State& s) {
    if (seen->path != path)
      *seen = {path, ReadKeptStops(folder, path)};  // it has another name now: what is kept of that is of another program
    KeptStops now = StopsOf(s);
    if (!(now == seen->kept) && KeepStops(folder, path, seen->kept, now).ok()) seen->kept = std::move(now);
    done();
  });
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

// The engine is asked once more; a run that goes on is interrupted for it, and a machine that does not answer is not waited for.
void SessionKeeper::FinishStops() {
  const std::shared_ptr<const Snapshot> now = engine_.snapshot();
  if (folder_.empty() || now == nullptr || now->path.empty() || now->session == nullptr) return;
  struct Wait {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  };
  const auto wait = std::make_shared<Wait>();
  AskToKeep(now->path, [wait] {
    const std::lock_guard<std::mutex> lock(wait->mutex);
    wait->done = true;
    wait->changed.notify_all();
  });
  if (!engine_.idle()) engine_.Cancel();
  std::unique_lock<std::mutex> lock(wait->mutex);
  wait->changed.wait_for(lock, std::chrono::seconds(1), [&] { return wait->done; });
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
