// What could stand behind `window` in the console: made of the tables of commands and panels and of how the commands are written there.
#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "visualizer/panels/panel.h"
#include "visualizer/shell/actions.h"
#include "visualizer/shell/layout.h"
#include "visualizer/shell/window_commands.h"

namespace hloscope {
namespace {

constexpr size_t kMost = 500;

// What a word of a synopsis stands for: PANEL, OTHER, WHERE and MENU have a list, small letters are themselves, all else is free.
void OfferWordsOf(absl::string_view wanted, const std::function<void(absl::string_view)>& offer) {
  if (wanted == "PANEL" || wanted == "OTHER") {
    for (const PanelRow& row : PanelRows()) offer(row.id);
  } else if (wanted == "WHERE") {
    for (absl::string_view side : kSideWords) offer(side);
  } else if (wanted == "MENU") {
    for (const char* menu : MenuNames()) offer(menu);
  } else if (!wanted.empty() &&
             std::all_of(wanted.begin(), wanted.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '/'; })) {
    offer(wanted);
  }
}

void OfferInstructions(const Snapshot& now, absl::string_view word, const std::function<void(absl::string_view)>& offer) {
  if (now.module == nullptr) return;
  for (const Computation* computation : now.module->computations) {
    for (const Instruction* i : computation->instructions) {
      if (absl::StartsWith(i->name, word.substr(1))) offer(CommandName(now, *i));
    }
  }
}

}  // namespace

std::vector<std::string> CompleteWindowCommand(const Snapshot& now, absl::string_view line) {
  std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  if (line.empty() || line.back() == ' ') words.emplace_back();
  const std::string word = words.back();
  std::vector<std::string> found;
  const auto offer = [&](absl::string_view candidate) {
    if (found.size() < kMost && absl::StartsWith(candidate, word)) found.emplace_back(candidate);
  };
  if (words.size() < 2) return found;
  const std::vector<WindowCommandRow>& rows = WindowCommandRows();
  if (words.size() == 2) {
    for (const WindowCommandRow& row : rows) offer(row.name);
    for (const PanelRow& row : PanelRows()) {
      if (std::none_of(rows.begin(), rows.end(), [&](const WindowCommandRow& r) { return absl::string_view(r.name) == row.id; }))
        offer(row.id);
    }
    return found;
  }
  if (absl::StartsWith(word, "%")) {
    OfferInstructions(now, word, offer);
    return found;
  }
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const WindowCommandRow& r) { return words[1] == r.name; });
  if (row == rows.end()) return found;
  // The synopsis word by word; a | stands between what one word may be.
  std::vector<std::vector<absl::string_view>> places;
  bool or_else = false;
  for (absl::string_view part : absl::StrSplit(row->synopsis, ' ', absl::SkipEmpty())) {
    if (part == "|") {
      or_else = true;
      continue;
    }
    if (!std::exchange(or_else, false) || places.empty()) places.emplace_back();
    absl::ConsumePrefix(&part, "[");
    absl::ConsumeSuffix(&part, "]");
    places.back().push_back(part);
  }
  if (const size_t place = words.size() - 3; place < places.size()) {
    for (absl::string_view wanted : places[place]) OfferWordsOf(wanted, offer);
  }
  return found;
}

}  // namespace hloscope
