// What stands in a box, how large it is, and which arrows of a crowded level are laid out.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "visualizer/graph/scene.h"

namespace hloscope {
namespace {

constexpr float kHeight = 44, kLowHeight = 26;
constexpr float kLeast = 96, kMost = 236, kMostSpelled = 384, kMostOfSlice = 460;  // widths

// What follows the opcode in a name: ".5" of "add.5"; the whole name where it is another.
std::string Rest(absl::string_view opcode, absl::string_view name) {
  std::string plain(opcode);
  for (char& c : plain) c = c == '-' ? '_' : c;
  std::string other(name.substr(0, plain.size()));
  for (char& c : other) c = c == '-' ? '_' : c;
  const absl::string_view rest = name.substr(std::min(name.size(), plain.size()));
  return plain != other || (!rest.empty() && rest[0] != '.') ? std::string(name) : std::string(rest);
}

// The text of a scalar constant, as it was written; empty: none, or it is long.
std::string ScalarText(const Instruction& i) {
  const Module* module = i.parent->module;
  if (!i.operands.empty() || i.parameter_number >= 0 || !i.shape.IsScalar() || module == nullptr || module->source == nullptr || !i.range.valid()) return "";
  absl::string_view text = module->source->text();
  if (i.range.end <= i.range.begin || static_cast<size_t>(i.range.end) > text.size()) return "";
  text = text.substr(i.range.begin, i.range.end - i.range.begin);
  const std::string call = absl::StrCat(Name(i.opcode), "(");
  const size_t at = text.find(call);
  if (at == absl::string_view::npos) return "";
  text = text.substr(at + call.size());
  text = text.substr(0, text.find(')'));
  return text.size() > 24 ? "" : std::string(absl::StripAsciiWhitespace(text));
}

// "12 dot, 8 add": what a scope is mostly made of.
std::string MostlyText(const Hierarchy& h, int node) {
  std::map<Opcode, int> counts;
  h.ForEachInstruction(node, [&](const Instruction& i) {
    if (Def(i).op_class != OpClass::kStructural) ++counts[i.opcode];
  });
  std::vector<std::pair<int, Opcode>> sorted;
  for (const auto& [opcode, count] : counts) sorted.push_back({count, opcode});
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (size_t k = 0; k < sorted.size() && k < 2; ++k) absl::StrAppend(&text, k > 0 ? ", " : "", sorted[k].first, " ", Name(sorted[k].second));
  return text;
}

}  // namespace

SceneBox MakeSceneBox(const Hierarchy& h, int node, const SceneWish& wish) {
  const GraphNode& from = h.node(node);
  SceneBox box;
  box.node = node;
  box.instruction = from.instruction;
  if (from.instruction != nullptr) {
    const Instruction& i = *from.instruction;
    box.name = std::string(i.name);
    box.title = std::string(Name(i.opcode));
    box.detail = Rest(Name(i.opcode), NameInText(i));
    box.below = i.shape.ToString(false);
    if (const std::string scalar = ScalarText(i); !scalar.empty()) {
      box.title = scalar;
      box.detail = std::string(Name(i.shape.element_type()));
      box.below.clear();
    }
    box.expandable = !Hierarchy::Called(i).empty();
  } else {
    box.title = from.title;
    box.name = from.path.empty() ? from.title : from.path;
    box.detail = absl::StrCat(from.count, !wish.spell_counts ? "" : from.count == 1 ? " instruction" : " instructions");
    box.below = MostlyText(h, node);
    if (box.below.empty()) {
      // Parameters, constants: how much they hold.
      int64_t bytes = 0;
      h.ForEachInstruction(node, [&](const Instruction& i) { bytes += i.shape.ByteSize(); });
      box.below = absl::StrCat(BytesText(bytes), " in all");
    }
    box.expandable = true;
  }
  MeasureBox(wish, &box);
  return box;
}

void MeasureBox(const SceneWish& wish, SceneBox* box) {
  const auto letters = [](absl::string_view text) { return static_cast<float>(text.size()); };
  // A note stands in place of the second line; where there is none, of what follows the title.
  const auto note = static_cast<size_t>(wish.note_letters);
  const size_t beside = box->below.empty() ? std::max(box->detail.size(), note) : box->detail.size();
  const float title = std::max(letters(box->title) * wish.title_letter, wish.title_width == nullptr ? 0.0f : wish.title_width(box->title));
  const float first = title + (beside == 0 ? 0 : static_cast<float>(beside) * wish.small_letter + 8);
  const float second = box->below.empty() ? 0 : static_cast<float>(std::max(box->below.size(), note)) * wish.small_letter;
  const float most = !wish.spell_counts ? kMost : !wish.parts.empty() ? kMostOfSlice : box->instruction == nullptr ? kMostSpelled : kMost;
  box->width = std::clamp(std::round(std::max(first, second)) + 26 + (box->expandable ? 16.0f : 0.0f), box->below.empty() ? 52.0f : kLeast, most);
  box->height = box->below.empty() ? kLowHeight : kHeight;
}

std::vector<int> ThinOut(size_t n, std::vector<LevelGraph::Arrow>* of) {
  std::vector<LevelGraph::Arrow>& arrows = *of;
  std::vector<int> kept(arrows.size());
  for (size_t e = 0; e < arrows.size(); ++e) kept[e] = static_cast<int>(e);
  if (n < 6 || static_cast<double>(arrows.size()) < 2.2 * static_cast<double>(n)) return kept;
  // By the order of the boxes arrows make no circles; reached[a] has what more than one step from a leads to.
  std::vector<std::vector<int>> down(n);
  for (const LevelGraph::Arrow& a : arrows) {
    if (a.from < a.to) down[a.from].push_back(a.to);
  }
  std::vector<std::vector<bool>> all(n, std::vector<bool>(n, false)), far = all;
  for (size_t k = n; k-- > 0;) {
    for (const int to : down[k]) {
      all[k][to] = true;
      for (size_t j = 0; j < n; ++j) {
        if (all[to][j]) all[k][j] = far[k][j] = true;
      }
    }
  }
  std::vector<LevelGraph::Arrow> left;
  for (size_t e = 0; e < arrows.size(); ++e) {
    if (!arrows[e].needed && arrows[e].from < arrows[e].to && far[arrows[e].from][arrows[e].to]) {
      kept[e] = -1;
      continue;
    }
    kept[e] = static_cast<int>(left.size());
    left.push_back(arrows[e]);
  }
  arrows = std::move(left);
  return kept;
}

}  // namespace hloscope
