#include "visualizer/model/document.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace hloscope {

Document::Document(Wiring wiring, std::function<void()> wake) : wiring_(std::move(wiring)), wake_(std::move(wake)), watch_(wake_) {
  reader_ = std::thread([this] { Loop(); });
}

Document::~Document() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    quitting_ = true;
  }
  wanted_.notify_all();
  reader_.join();
}

void Document::Reset(std::string name, std::string text) {
  name_ = std::move(name);
  text_ = std::move(text);
  starts_ = {0};
  const char* base = text_.data();
  const char* end = base + text_.size();
  for (const char* p = base; p < end;) {
    p = static_cast<const char*>(std::memchr(p, '\n', end - p));
    if (p == nullptr) break;
    starts_.push_back(++p - base);
  }
  undo_.clear();
  redo_.clear();
  version_ = run_version_ = saved_version_ = next_version_++;
  AskForReading();
}

void Document::WatchFile() {
  watch_.Watch(file_.path());
  if (watch_.Take()) file_.Look();
}

void Document::Rename(std::string name) {
  name_ = std::move(name);
  fresh_ = nullptr;
  AskForReading();  // what the reader says is said of this name
}

absl::string_view Document::line(int line) const {
  if (line < 0 || line >= line_count()) return "";
  const int64_t begin = starts_[line];
  int64_t end = line + 1 < line_count() ? starts_[line + 1] - 1 : static_cast<int64_t>(text_.size());
  if (end > begin && text_[end - 1] == '\r') --end;
  return absl::string_view(text_).substr(begin, end - begin);
}

int Document::LineAt(int64_t offset) const {
  return static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin()) - 1;
}

void Document::Apply(int64_t at, int64_t removed, absl::string_view added) {
  const int first = LineAt(at);
  // The starts of lines that begin within what goes; those behind it move.
  const auto begin = starts_.begin() + first + 1;
  const auto end = std::upper_bound(begin, starts_.end(), at + removed);
  const int64_t shift = static_cast<int64_t>(added.size()) - removed;
  for (auto it = end; it != starts_.end(); ++it) *it += shift;
  std::vector<int64_t> fresh;
  for (size_t k = 0; k < added.size(); ++k) {
    if (added[k] == '\n') fresh.push_back(at + static_cast<int64_t>(k) + 1);
  }
  const auto place = starts_.erase(begin, end);
  starts_.insert(place, fresh.begin(), fresh.end());
  text_.replace(at, removed, added.data(), added.size());
}

void Document::Replace(int64_t begin, int64_t end, absl::string_view text, int64_t cursor_before, int64_t cursor_after, absl::string_view join) {
  begin = std::clamp<int64_t>(begin, 0, text_.size());
  end = std::clamp<int64_t>(end, begin, text_.size());
  Change change;
  change.at = begin;
  change.removed = text_.substr(begin, end - begin);
  change.added = std::string(text);
  if (change.removed == change.added) return;
  change.cursor_before = cursor_before;
  change.cursor_after = cursor_after;
  change.join = std::string(join);
  change.version_before = version_;
  Apply(begin, end - begin, text);
  version_ = change.version_after = next_version_++;
  redo_.clear();
  Change* last = undo_.empty() ? nullptr : &undo_.back();
  // Typing on where the caret was left, or behind a bracket that closed itself and was typed over.
  const auto goes_on = [&] {
    if (last == nullptr || join.empty() || last->join != join || !change.removed.empty()) return false;
    const int64_t from = last->cursor_after - last->at, to = begin - last->at;
    if (from < 0 || to < from || to > static_cast<int64_t>(last->added.size())) return false;
    return last->added.find_first_not_of(")]}", static_cast<size_t>(from)) >= static_cast<size_t>(to);
  };
  if (goes_on()) {
    last->added.insert(static_cast<size_t>(begin - last->at), change.added);
    last->cursor_after = cursor_after;
    last->version_after = version_;
  } else {
    undo_.push_back(std::move(change));
  }
  AskForReading();
}

Document::Cursor Document::Undo() {
  if (undo_.empty()) return {};
  Change change = std::move(undo_.back());
  undo_.pop_back();
  Apply(change.at, change.added.size(), change.removed);
  version_ = change.version_before;
  const Cursor cursor = {true, change.cursor_before};
  redo_.push_back(std::move(change));
  AskForReading();
  return cursor;
}

Document::Cursor Document::Redo() {
  if (redo_.empty()) return {};
  Change change = std::move(redo_.back());
  redo_.pop_back();
  Apply(change.at, change.removed.size(), change.added);
  version_ = change.version_after;
  const Cursor cursor = {true, change.cursor_after};
  undo_.push_back(std::move(change));
  AskForReading();
  return cursor;
}

void Document::MarkSent() {
  constexpr size_t kMostSent = 8;  // one that is refused is never heard of
  sent_.push_back({version_, text_});
  if (sent_.size() > kMostSent) sent_.pop_front();
}

bool Document::RunsSent(absl::string_view text) {
  const auto found = std::find_if(sent_.rbegin(), sent_.rend(), [text](const Sent& sent) { return sent.text == text; });
  if (found == sent_.rend()) return false;
  run_version_ = found->version;
  sent_.erase(sent_.begin(), found.base());
  return true;
}

std::shared_ptr<const Reading> Document::reading() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return reading_;
}

bool Document::reading_is_current() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return reading_ != nullptr && reading_->version == version_;
}

std::shared_ptr<const Reading> Document::FreshReading() {
  if (text_.empty() && name_.empty()) return nullptr;
  if (reading_is_current()) return reading();
  if (fresh_ != nullptr && fresh_->version == version_) return fresh_;
  constexpr size_t kShort = 64 << 10;
  if (text_.size() > kShort) return nullptr;
  fresh_ = Read(version_, name_, text_);
  return fresh_;
}

std::shared_ptr<const Reading> Document::Read(uint64_t version, const std::string& name, std::string text) const {
  ReadProgram program = wiring_.read_text(name, std::move(text));
  auto reading = std::make_shared<Reading>();
  reading->version = version;
  reading->ok = program.ok();
  reading->source = program.source;
  reading->module = std::move(program.module);
  reading->problems = std::move(program.problems);
  return reading;
}

void Document::AskForReading() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    wants_reading_ = true;
    wanted_version_ = version_;
    wanted_name_ = name_;
    wanted_text_ = text_;
  }
  wanted_.notify_all();
}

void Document::Loop() {
  while (true) {
    uint64_t version = 0;
    std::string name, text;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wanted_.wait(lock, [this] { return quitting_ || wants_reading_; });
      if (quitting_) return;
      wants_reading_ = false;
      version = wanted_version_;
      name = wanted_name_;
      text = std::move(wanted_text_);
    }
    std::shared_ptr<const Reading> reading = Read(version, name, std::move(text));
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (quitting_) return;
      reading_ = std::move(reading);
    }
    wake_();
  }
}

}  // namespace hloscope
