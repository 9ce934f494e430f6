#include "visualizer/widgets/keys.h"

#include <GLFW/glfw3.h>

#include <map>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "imgui.h"

namespace hloscope::ui {

std::optional<Chord> ParseChord(absl::string_view text) {
  Chord chord;
  while (true) {
    if (absl::ConsumePrefix(&text, "Ctrl+")) {
      chord.ctrl = true;
    } else if (absl::ConsumePrefix(&text, "Shift+")) {
      chord.shift = true;
    } else if (absl::ConsumePrefix(&text, "Alt+")) {
      chord.alt = true;
    } else {
      break;
    }
  }
  static const auto& names = *new std::map<std::string, int>{
      {"Escape", GLFW_KEY_ESCAPE}, {"Enter", GLFW_KEY_ENTER},   {"Tab", GLFW_KEY_TAB},           {"Backspace", GLFW_KEY_BACKSPACE}, {"Delete", GLFW_KEY_DELETE},
      {"Up", GLFW_KEY_UP},         {"Down", GLFW_KEY_DOWN},     {"Left", GLFW_KEY_LEFT},         {"Right", GLFW_KEY_RIGHT},         {"Home", GLFW_KEY_HOME},
      {"End", GLFW_KEY_END},       {"PageUp", GLFW_KEY_PAGE_UP}, {"PageDown", GLFW_KEY_PAGE_DOWN}, {"Space", GLFW_KEY_SPACE},       {"Insert", GLFW_KEY_INSERT},
      {"Pause", GLFW_KEY_PAUSE},   {"Plus", GLFW_KEY_EQUAL},    {"Minus", GLFW_KEY_MINUS}};
  int number = 0;
  if (text.size() == 1 && (absl::ascii_isalnum(text[0]) || text[0] == '/' || text[0] == ',' || text[0] == '.' || text[0] == '=' || text[0] == '-' || text[0] == '`')) {
    chord.key = absl::ascii_toupper(text[0]);
  } else if (text.size() > 1 && text[0] == 'F' && absl::SimpleAtoi(text.substr(1), &number) && number >= 1 && number <= 12) {
    chord.key = GLFW_KEY_F1 + number - 1;
  } else if (const auto it = names.find(std::string(text)); it != names.end()) {
    chord.key = it->second;
  } else {
    return std::nullopt;
  }
  return chord;
}

bool Pressed(const Chord& chord, bool repeat) {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeyCtrl == chord.ctrl && io.KeyShift == chord.shift && io.KeyAlt == chord.alt && ImGui::IsKeyPressed(chord.key, repeat);
}

bool Pressed(const char* chord, bool repeat) {
  const std::optional<Chord> parsed = ParseChord(chord);
  return parsed.has_value() && Pressed(*parsed, repeat);
}

}  // namespace hloscope::ui
