// What could stand behind `window` in the console: made of the tables of commands and panels and of how the commands are written there.
#include <algorithm>
#include <functional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/completion.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/panel_commands.h"
#include "visualizer/shell/actions.h"
#include "visualizer/shell/layout.h"
#include "visualizer/shell/window_commands.h"

namespace hloscope {
namespace {

using Offer = std::function<void(absl::string_view)>;

void OfferInstructions(const Snapshot& now, absl::string_view word, const Offer& offer) {
  if (now.module == nullptr || word.empty()) return;
  absl::ConsumePrefix(&word, "%");
  for (const Computation* computation : now.module->computations) {
    for (const Instruction* i : computation->instructions) {
      if (absl::StartsWith(i->name, word)) offer(CommandName(now, *i));
    }
  }
}

// What the graph shows by a name: instructions, computations, scopes.
void OfferNodes(const Snapshot& now, absl::string_view word, const Offer& offer) {
  if (now.module == nullptr || word.empty()) return;
  std::set<absl::string_view> scopes;
  for (const Computation* computation : now.module->computations) {
    offer(computation->name);
    for (const Instruction* i : computation->instructions) {
      offer(i->name);
      if (word[0] == '%' && absl::StartsWith(i->name, word.substr(1))) offer(absl::StrCat("%", i->name));
      for (absl::string_view scope : absl::StrSplit(absl::string_view(i->metadata.op_name), '/', absl::SkipEmpty())) scopes.insert(scope);
    }
  }
  for (absl::string_view scope : scopes) offer(scope);
}

// The words that a table means by one in capitals; empty: it has no list.
std::vector<absl::string_view> ListOf(absl::string_view what) {
  std::vector<absl::string_view> words;
  if (what == "PANEL" || what == "OTHER") {
    for (const PanelRow& row : PanelRows()) words.push_back(row.id);
  } else if (what == "WHERE") {
    words.assign(std::begin(kSideWords), std::end(kSideWords));
  } else if (what == "MENU") {
    words.assign(MenuNames().begin(), MenuNames().end());
  } else {
    return PanelWords(what);
  }
  return words;
}

}  // namespace

std::vector<std::string> CompleteWindowCommand(const Snapshot& now, absl::string_view line) {
  std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  if (line.empty() || line.back() == ' ') words.emplace_back();
  if (words.size() < 2) return {};
  const FrameRow* frame = now.frame();
  const CompletionScope scope = {now.module, frame != nullptr ? frame->computation : nullptr};
  const OwnPlaces own = [&](absl::string_view what, const Offer& offer) {
    if (absl::StartsWith(what, "%"))
      OfferInstructions(now, words.back(), offer);
    else if (what == "NODE")
      OfferNodes(now, words.back(), offer);
    for (absl::string_view word : ListOf(what)) offer(word);
    return absl::StartsWith(what, "%");
  };
  const absl::Span<const std::string> all(words);
  const std::vector<WindowCommandRow>& rows = WindowCommandRows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const WindowCommandRow& r) { return words[1] == r.name; });
  if (words.size() == 2) {
    std::vector<absl::string_view> names;
    for (const WindowCommandRow& r : rows) names.push_back(r.name);
    for (const PanelRow& panel : PanelRows()) names.push_back(panel.id);
    return CompletePlaces(scope, absl::StrJoin(names, " | "), all.subspan(1));
  }
  if (row != rows.end()) return CompletePlaces(scope, row->synopsis, all.subspan(2), own);
  if (words.size() > 3) {
    const PanelCommandRow* command = FindPanelCommand(words[1], words[2]);
    return command != nullptr ? CompletePlaces(scope, command->synopsis, all.subspan(3), own) : std::vector<std::string>();
  }
  std::vector<absl::string_view> names;
  for (const PanelCommandRow& r : PanelCommandRows()) {
    if (words[1] == r.panel) names.push_back(r.name);
  }
  return CompletePlaces(scope, absl::StrJoin(names, " | "), all.subspan(2), own);
}

}  // namespace hloscope
