#include "visualizer/shell/driver.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"
#include "visualizer/widgets/steady.h"

namespace hloscope {
namespace {

enum QuickModifier { kCtrl = 1, kShift, kAlt };  // numbers that no key has

// The first word, and what stands after it.
std::string TakeWord(std::string& text) {
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(text);
  const size_t end = std::min(rest.find(' '), rest.size());
  std::string word(rest.substr(0, end));
  text = std::string(absl::StripAsciiWhitespace(rest.substr(end)));
  return word;
}

// What is drawn, as a number: of the places and colours of all that was given to the renderer.
uint64_t Drawn() {
  const ImDrawData* data = ImGui::GetDrawData();
  uint64_t hash = 1469598103934665603u;
  for (int k = 0; data != nullptr && k < data->CmdListsCount; ++k) {
    const ImVector<ImDrawVert>& vertices = data->CmdLists[k]->VtxBuffer;
    for (const ImDrawVert& v : vertices) {
      uint64_t words[3] = {0, 0, 0};
      static_assert(sizeof(v) <= sizeof(words));
      std::memcpy(words, &v, sizeof(v));
      for (const uint64_t word : words) hash = (hash ^ word) * 1099511628211u;
    }
  }
  return hash;
}

// Since the system began this process.
double MsOfProcess() {
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  constexpr int kStart = 20;  // of the fields behind the name and the blank
  const std::vector<std::string> fields = absl::StrSplit(text.substr(name_end + 2), ' ');
  double ticks = 0;
  if (fields.size() < kStart || !absl::SimpleAtod(fields[kStart - 1], &ticks)) return 0;
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (static_cast<double>(now.tv_sec) - ticks / static_cast<double>(sysconf(_SC_CLK_TCK))) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace

void Driver::Add(const std::string& name, const std::string& script) {
  int number = 0;
  for (absl::string_view line : absl::StrSplit(script, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line.front() == '#') continue;
    const char* folder = std::getenv("HLOSCOPE_SCENARIO");
    lines_.push_back({absl::StrCat(name, ":", number), absl::StrReplaceAll(line, {{"$HLOSCOPE_SCENARIO", folder != nullptr ? folder : "/tmp"}})});
  }
}

void Driver::Fail(const std::string& why) {
  hooks_.print(absl::StrCat(lines_.front().place, ": ", lines_.front().text, "\n  ", why));
  failed_ = true;
}

void Driver::Next() {
  lines_.pop_front();
  begun_ = false;
  settle_ = 1;
}

bool Driver::FindTag(const std::string& name, ImVec2* center, double fx, double fy) {
  const ui::TagRect* rect = ui::TheTags().Find(name);
  if (rect == nullptr) return false;
  *center = {rect->min.x + (rect->max.x - rect->min.x) * static_cast<float>(fx), rect->min.y + (rect->max.y - rect->min.y) * static_cast<float>(fy)};
  return true;
}

bool Driver::Still(std::string* why) const {
  // Longer than hints and what is read beside the window need.
  constexpr double kStill = 0.6;
  const double now = ImGui::GetTime();
  *why = "something still runs";
  if (!shell_.engine().idle()) return false;
  *why = "the text is still being read";
  if (!shell_.document().empty() && !shell_.document().reading_is_current()) return false;
  *why = "the graph is still being laid out";
  if (const std::string* graph = ui::TheTags().Fact("graph/state"); graph != nullptr && *graph != "ready" && shell_.document().reading() != nullptr && shell_.document().reading()->ok) return false;
  *why = "the picture still changes";
  return now - drawn_since_ >= kStill && now - waited_since_ >= kStill;
}

bool Driver::Holds(const std::string& state, std::string* why) const {
  std::string rest = state;
  const std::string kind = TakeWord(rest);
  if (kind == "idle") {
    *why = "something still runs";
    return shell_.engine().idle();
  }
  if (kind == "still") return Still(why);
  if (kind == "tag" || kind == "gone") {
    const bool there = ui::TheTags().Find(rest) != nullptr;
    *why = absl::StrCat(rest, there ? " is still there" : " is not there");
    return there == (kind == "tag");
  }
  if (kind == "fact") {
    const std::string name = TakeWord(rest);
    const std::string relation = TakeWord(rest);
    const std::string* fact = ui::TheTags().Fact(name);
    *why = fact == nullptr ? absl::StrCat("nothing is said of ", name) : absl::StrCat(name, " is \"", *fact, "\"");
    if (fact == nullptr) return false;
    if (relation == "~") return absl::StrContains(*fact, rest);
    if (relation == "!=") return *fact != rest;
    return relation == "=" && *fact == rest;
  }
  *why = absl::StrCat("'", kind, "' is no state");
  return false;
}

void Driver::Begin(const std::string& text) {
  std::string rest = text;
  const std::string word = TakeWord(rest);
  begun_ = true;
  waiting_.clear();
  pressing_.clear();
  looking_for_.clear();
  steps_.clear();
  may_pass_ = false;
  if (word == "click" || word == "hover" || word == "drag" || word == "scroll") {
    const std::string name = TakeWord(rest);
    double fx = 0.5, fy = 0.5;
    std::string more = rest;
    if (absl::StartsWith(more, "at ")) {
      TakeWord(more);
      if (!absl::SimpleAtod(TakeWord(more), &fx) || !absl::SimpleAtod(TakeWord(more), &fy)) return Fail("at takes two numbers from 0 to 1");
    }
    looking_for_ = name;
    looked_at_ = {-1, -1};
    looked_since_ = ImGui::GetTime();
    // The first step is taken when the tag is there.
    steps_.push_back([this, name, fx, fy] { FindTag(name, &mouse_, fx, fy); });
    // Hovering; what still moves is followed until it stands, for a while.
    for (int k = 0; k < 3; ++k) steps_.push_back([this, name, fx, fy] { FindTag(name, &mouse_, fx, fy); });
    if (word == "click") {
      const int button = absl::StrContains(more, "right") ? 1 : absl::StrContains(more, "middle") ? 2 : 0;
      const bool ctrl = absl::StrContains(more, "ctrl"), shift = absl::StrContains(more, "shift");
      const bool twice = absl::StrContains(more, "double");
      for (int times = twice ? 2 : 1; times > 0; --times) {
        // However long a frame takes; and two clicks that are meant as two are no double one.
        steps_.push_back([twice] { ImGui::GetIO().MouseDoubleClickTime = twice ? 60.0f : 0.0f; });
        steps_.push_back([this, button, ctrl, shift] {
          button_[button] = true;
          ctrl_ = ctrl;
          shift_ = shift;
        });
        steps_.push_back([this, button] {
          button_[button] = false;
          ctrl_ = shift_ = false;
        });
      }
    } else if (word == "scroll") {
      double lines = 0;
      if (!absl::SimpleAtod(more, &lines)) return Fail("scroll takes a name and a number of lines");
      steps_.push_back([this, lines] { wheel_ = static_cast<float>(-lines); });
    } else if (word == "drag") {
      steps_.push_back([this] { button_[0] = true; });
      const std::string how = TakeWord(more);
      if (how == "by") {
        double dx = 0, dy = 0;
        if (!absl::SimpleAtod(TakeWord(more), &dx) || !absl::SimpleAtod(TakeWord(more), &dy)) return Fail("by takes two numbers");
        for (int k = 0; k < 8; ++k) {
          steps_.push_back([this, dx, dy] {
            mouse_.x += static_cast<float>(dx / 8);
            mouse_.y += static_cast<float>(dy / 8);
          });
        }
      } else if (how == "to") {
        const std::string to = TakeWord(more);
        double tx = 0.5, ty = 0.5;
        if (absl::StartsWith(more, "at ")) {
          TakeWord(more);
          if (!absl::SimpleAtod(TakeWord(more), &tx) || !absl::SimpleAtod(TakeWord(more), &ty)) return Fail("at takes two numbers from 0 to 1");
        }
        for (int k = 8; k > 0; --k) {
          steps_.push_back([this, to, tx, ty, k] {
            ImVec2 end;
            if (!FindTag(to, &end, tx, ty)) return Fail(absl::StrCat(to, " is not there"));
            mouse_.x += (end.x - mouse_.x) / static_cast<float>(k);
            mouse_.y += (end.y - mouse_.y) / static_cast<float>(k);
          });
        }
      } else {
        return Fail("drag NAME to NAME, or by DX DY");
      }
      steps_.push_back([] {});
      steps_.push_back([this] { button_[0] = false; });
    }
    steps_.push_back([] {});
  } else if (word == "type") {
    std::string typed;
    for (size_t k = 0; k < rest.size(); ++k) {
      if (rest[k] == '\\' && k + 1 < rest.size() && rest[k + 1] == 'n') {
        const std::string before = std::exchange(typed, "");
        steps_.push_back([this, before] { typed_ = before; });
        steps_.push_back([this] { key_ = ui::ParseChord("Enter")->key; });
        steps_.push_back([this] { key_ = -1; });
        ++k;
      } else {
        typed += rest[k];
      }
    }
    if (!typed.empty()) steps_.push_back([this, typed] { typed_ = typed; });
    steps_.push_back([] {});
  } else if (word == "key") {
    const std::optional<ui::Chord> chord = ui::ParseChord(rest);
    if (!chord.has_value()) return Fail(absl::StrCat("'", rest, "' is no key"));
    steps_.push_back([this, chord = *chord] {
      ctrl_ = chord.ctrl;
      shift_ = chord.shift;
      alt_ = chord.alt;
      key_ = chord.key;
    });
    steps_.push_back([this] {
      ctrl_ = shift_ = alt_ = false;
      key_ = -1;
    });
  } else if (word == "quick") {
    const std::string keys = TakeWord(rest);
    const std::optional<ui::Chord> chord = ui::ParseChord(keys);
    if (!chord.has_value()) return Fail(absl::StrCat("'", keys, "' is no key"));
    steps_.push_back([this, chord = *chord, rest] { TypeQuickly(chord, rest); });
    steps_.push_back([] {});
  } else if (word == "press") {
    const size_t until = rest.find(" until ");
    if (until == std::string::npos || !ui::ParseChord(rest.substr(0, until)).has_value()) return Fail("press CHORD until STATE");
    pressing_ = rest.substr(0, until);
    waiting_ = rest.substr(until + 7);
    waited_since_ = ImGui::GetTime();
    wait_limit_ = patience * 3;
  } else if (word == "run") {
    steps_.push_back([this, rest] { shell_.Run(rest); });
    steps_.push_back([] {});
  } else if (word == "command") {
    commanded_ = true;
    steps_.push_back([this, rest] {
      console_seen_ = shell_.console().size();
      shell_.Run(rest);
    });
    steps_.push_back([] {});
  } else if (word == "answered") {
    for (size_t k = std::min(console_seen_, shell_.console().size()); k < shell_.console().size(); ++k) {
      const ConsoleLine& line = shell_.console()[k];
      if (line.kind != ConsoleLine::kError) continue;
      hooks_.complain(absl::StrCat(rest, ": ", line.text));
      refused_ = true;
    }
  } else if (word == "wait" || word == "expect") {
    double seconds = 0;
    if (absl::StartsWith(rest, "seconds ") && absl::SimpleAtod(rest.substr(8), &seconds)) {
      waiting_ = "seconds";
      wait_limit_ = seconds;
    } else {
      waiting_ = rest;
      wait_limit_ = word == "expect" ? 1 : patience;
    }
    waited_since_ = ImGui::GetTime();
  } else if (word == "settle") {
    waiting_ = "still";
    wait_limit_ = 8;
    may_pass_ = true;
    waited_since_ = ImGui::GetTime();
  } else if (word == "mask") {
    masks_.push_back(rest);
  } else if (word == "drop") {
    steps_.push_back([this, rest] { hooks_.drop(rest); });
    for (int k = 0; k < 3; ++k) steps_.push_back([] {});
  } else if (word == "shot") {
    steps_.push_back([this, rest] {
      std::vector<ui::TagRect> varying = ui::TheSteady().varying;
      for (const std::string& mask : masks_) {
        const bool begins = absl::EndsWith(mask, "*");
        for (const std::string& name : ui::TheTags().Names()) {
          if (begins ? !absl::StartsWith(name, mask.substr(0, mask.size() - 1)) : name != mask) continue;
          if (const ui::TagRect* rect = ui::TheTags().Find(name)) varying.push_back(*rect);
        }
      }
      const absl::Status written = hooks_.shot(rest, varying);
      if (!written.ok()) Fail(std::string(written.message()));
    });
  } else if (word == "size") {
    int width = 0, height = 0;
    if (!absl::SimpleAtoi(TakeWord(rest), &width) || !absl::SimpleAtoi(rest, &height) || width < 100 || height < 100) return Fail("size takes a width and a height");
    steps_.push_back([this, width, height] { hooks_.resize(width, height); });
    for (int k = 0; k < 4; ++k) steps_.push_back([] {});
  } else if (word == "names") {
    for (const std::string& name : ui::TheTags().Names()) {
      if (absl::StartsWith(name, rest)) hooks_.print(name);
    }
  } else if (word == "write" || word == "delete") {
    const std::string path(TakeWord(rest));
    if (word == "delete") {
      if (std::remove(path.c_str()) != 0) return Fail(absl::StrCat("cannot delete ", path));
    } else {
      std::ofstream file(path, std::ios::app);
      file << absl::StripAsciiWhitespace(rest) << "\n";
      file.close();
      if (!file) return Fail(absl::StrCat("cannot write ", path));
    }
  } else if (word == "die") {
    std::raise(SIGKILL);
  } else if (word == "elapsed") {
    elapsed_ = rest;
  } else if (word == "frames") {
    if (!absl::SimpleAtoi(rest, &frames_left_) || frames_left_ < 1) return Fail("frames takes a count");
    frame_ms_.clear();
  } else {
    return Fail(absl::StrCat("'", word, "' is not understood"));
  }
}

void Driver::TypeQuickly(const ui::Chord& chord, const std::string& text) {
  using Kind = InputEvent::Kind;
  const std::pair<bool, int> modifiers[] = {{chord.ctrl, kCtrl}, {chord.shift, kShift}, {chord.alt, kAlt}};
  for (const auto& [held, code] : modifiers) {
    if (held) quick_.Add({.kind = Kind::kPress, .code = code, .modifier = true});
  }
  quick_.Add({.kind = Kind::kPress, .code = chord.key});
  quick_.Add({.kind = Kind::kRelease, .code = chord.key});
  for (const auto& [held, code] : modifiers) {
    if (held) quick_.Add({.kind = Kind::kRelease, .code = code, .modifier = true});
  }
  for (const char letter : text) quick_.Add({.kind = Kind::kLetter, .code = letter});
}

void Driver::TakeQuick() {
  if (quick_.empty() || !shell_.TakesKeys()) return;
  for (const InputEvent& e : quick_.TakeFrame()) {
    const bool down = e.kind == InputEvent::Kind::kPress;
    if (e.kind == InputEvent::Kind::kLetter) typed_ += static_cast<char>(e.code);
    else if (!e.modifier) key_ = down ? e.code : -1;
    else (e.code == kCtrl ? ctrl_ : e.code == kShift ? shift_ : alt_) = down;
  }
}

void Driver::Step() {
  if (done() || !quick_.empty()) return;
  if (!begun_) {
    if (settle_-- > 0) return;
    Begin(lines_.front().text);
    if (failed_) return;
  }
  if (!looking_for_.empty()) {
    ImVec2 there;
    if (FindTag(looking_for_, &there, 0.5, 0.5)) {
      // What glides is waited for.
      const bool stands = there.x == looked_at_.x && there.y == looked_at_.y;
      looked_at_ = there;
      if (!stands && ImGui::GetTime() - looked_since_ < 2) return;
      looking_for_.clear();
    } else {
      if (ImGui::GetTime() - looked_since_ > 5) Fail(absl::StrCat("nothing is named ", looking_for_));
      return;
    }
  }
  if (!steps_.empty()) {
    const std::function<void()> step = std::move(steps_.front());
    steps_.pop_front();
    step();
    if (failed_ || !steps_.empty()) return;
    return Next();
  }
  if (!waiting_.empty()) {
    const double waited = ImGui::GetTime() - waited_since_;
    if (waiting_ == "seconds") {
      if (waited >= wait_limit_) Next();
      return;
    }
    std::string why;
    const bool pressed = key_ >= 0;
    ctrl_ = shift_ = alt_ = false;
    key_ = -1;
    if (!pressing_.empty() && !pressed && !shell_.engine().idle()) return;  // the answer of the last one is still to come
    if (Holds(waiting_, &why)) return Next();
    if (!pressing_.empty() && !pressed && settle_-- <= 0) {
      const ui::Chord chord = *ui::ParseChord(pressing_);
      ctrl_ = chord.ctrl;
      shift_ = chord.shift;
      alt_ = chord.alt;
      key_ = chord.key;
      settle_ = 2;
    }
    if (waited > wait_limit_ && may_pass_) return Next();
    if (waited > wait_limit_) Fail(absl::StrCat(why, " (after ", absl::StrFormat("%.0f", waited), " s)"));
    return;
  }
  if (frames_left_ > 0) return;
  Next();
}

void Driver::BeforeFrame() {
  typed_.clear();
  wheel_ = 0;
  const int key_before = key_;
  Step();
  TakeQuick();
  ui::TheSteady().varying.clear();
  ImGuiIO& io = ImGui::GetIO();
  io.MousePos = mouse_;
  for (int k = 0; k < 3; ++k) io.MouseDown[k] = button_[k];
  io.MouseWheel = wheel_;
  io.KeyCtrl = ctrl_;
  io.KeyShift = shift_;
  io.KeyAlt = alt_;
  io.KeySuper = false;
  if (key_before >= 0) io.KeysDown[key_before] = false;
  if (key_ >= 0) io.KeysDown[key_] = true;
  if (!typed_.empty()) io.AddInputCharactersUTF8(typed_.c_str());
}

void Driver::AfterFrame(double own_ms) {
  if (waiting_ == "still") {
    if (const uint64_t drawn = Drawn(); drawn != drawn_) {
      drawn_ = drawn;
      drawn_since_ = ImGui::GetTime();
    }
  }
  if (!elapsed_.empty()) hooks_.print(absl::StrFormat("elapsed %.0f ms  %s", MsOfProcess(), std::exchange(elapsed_, "")));
  if (frames_left_ <= 0) return;
  frame_ms_.push_back(own_ms);
  if (--frames_left_ > 0) return;
  std::sort(frame_ms_.begin(), frame_ms_.end());
  const auto at = [this](double q) { return frame_ms_[std::min(frame_ms_.size() - 1, static_cast<size_t>(q * static_cast<double>(frame_ms_.size())))]; };
  hooks_.print(absl::StrFormat("frames %d  median %.2f ms  p99 %.2f ms  worst %.2f ms", frame_ms_.size(), at(0.5), at(0.99), frame_ms_.back()));
}

}  // namespace hloscope
