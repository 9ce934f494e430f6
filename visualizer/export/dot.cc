#include "visualizer/export/dot.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

// Between quotes; a backslash is one, not the beginning of one of Graphviz's escapes.
std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

// A tuple of many would make a box as wide as its shape is long; the tooltip has all of it.
std::string Short(const std::string& text) {
  constexpr size_t kMost = 60;
  if (text.size() <= kMost) return text;
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a letter
  return absl::StrCat(text.substr(0, end), "\u2026");
}

class DotWriter {
 public:
  DotWriter(const Scene& scene, const SceneTints& tints, PaletteScheme scheme) : scene_(scene), tints_(tints), scheme_(scheme), inside_(scene.boxes.size()) {}

  std::string Write(const std::string& heading) {
    for (size_t k = 0; k < scene_.boxes.size(); ++k) {
      if (scene_.boxes[k].parent >= 0) inside_[scene_.boxes[k].parent].push_back(static_cast<int>(k));
    }
    absl::StrAppend(&out_, "digraph ", Quoted(heading), " {\n", "  graph [compound=true, fontname=\"Inter,Helvetica,Arial,sans-serif\", fontsize=12, fontcolor=", Color(Ink::kDim), ", bgcolor=", Color(Ink::kPanel),
                    ", ranksep=0.4, nodesep=0.25, label=", Quoted(heading), ", labelloc=t, labeljust=l];\n", "  node [shape=box, style=\"rounded,filled\", fontname=\"Inter,Helvetica,Arial,sans-serif\", fontsize=11, fontcolor=",
                    Color(Ink::kText), ", fillcolor=", Color(Ink::kRaised), ", color=", Color(Ink::kFaint), ", margin=\"0.12,0.06\", height=0.3];\n", "  edge [color=", Color(Ink::kFaint), ", arrowsize=0.6, fontname=\"JetBrains Mono,monospace\", fontsize=9, fontcolor=",
                    Color(Ink::kFaint), "];\n");
    if (!scene_.boxes.empty()) Fill(0, 1);
    for (const SceneArrow& arrow : scene_.arrows) Put(arrow);
    return out_ + "}\n";
  }

 private:
  std::string Color(Ink ink) const { return absl::StrFormat("\"#%06x\"", ColorOf(ink, scheme_)); }

  bool IsCluster(int box) const { return scene_.boxes[box].expanded && !inside_[box].empty(); }

  void Fill(int box, int depth) {
    const std::string indent(static_cast<size_t>(2 * depth), ' ');
    for (const int k : inside_[box]) {
      const SceneBox& b = scene_.boxes[k];
      const std::string color = absl::StrFormat("\"#%06x\"", Rgb(tints_.boxes[k].bar, scheme_));
      if (IsCluster(k)) {
        const std::string& note = tints_.boxes[k].note;
        absl::StrAppend(&out_, indent, "subgraph cluster_", k, " {\n", indent,
                        "  label=", Quoted(absl::StrCat(b.title, b.detail.empty() ? "" : " ", b.detail, note.empty() ? "" : "  ", note)),
                        "; style=\"rounded,filled\"; color=", color, "; fillcolor=", Color(depth % 2 == 1 ? Ink::kSunken : Ink::kPanel),
                        ";\n");
        Fill(k, depth + 1);
        absl::StrAppend(&out_, indent, "}\n");
        continue;
      }
      const std::string& below = tints_.boxes[k].note.empty() ? b.below : tints_.boxes[k].note;
      std::string label = absl::StrCat(b.title, b.detail.empty() ? "" : " ", b.detail);
      if (!below.empty()) absl::StrAppend(&label, "\n", Short(below));
      absl::StrAppend(
          &out_, indent, "n", k, " [label=", Quoted(label), ", color=", color, ", penwidth=1.6, tooltip=",
          Quoted(absl::StrCat(b.instruction != nullptr ? ShownName(*b.instruction) : b.name, Short(below) == below ? "" : absl::StrCat(" ", below))),
          b.instruction == nullptr ? ", peripheries=2" : "", "];\n");
    }
  }

  // A box in it that is no cluster: Graphviz has arrows between nodes only.
  int Node(int box, bool last) const {
    while (IsCluster(box)) box = last ? inside_[box].back() : inside_[box].front();
    return box;
  }

  bool IsAround(int outer, int inner) const {
    while (inner >= 0 && inner != outer) inner = scene_.boxes[inner].parent;
    return inner == outer;
  }

  void Put(const SceneArrow& arrow) {
    const int from = Node(arrow.from, true), to = Node(arrow.to, false);
    if (from == to || scene_.boxes[from].node < 0 || scene_.boxes[to].node < 0) return;
    const bool nested = IsAround(arrow.from, arrow.to) || IsAround(arrow.to, arrow.from);
    const double weight = arrow.bytes <= 0 ? 0 : std::clamp(std::log2(1.0 + static_cast<double>(arrow.bytes) / 1024) / 9, 0.0, 2.2);
    absl::StrAppend(&out_, "  n", from, " -> n", to, absl::StrFormat(" [penwidth=%.2f", 0.8 + weight));
    if (!arrow.label.empty()) absl::StrAppend(&out_, ", ", scene_.arrows.size() > 200 ? "tooltip=" : "label=", Quoted(arrow.label));
    if (arrow.order_only) out_ += ", style=dashed";
    if (arrow.minor) out_ += ", constraint=false, style=dotted";
    if (!nested && IsCluster(arrow.from)) absl::StrAppend(&out_, ", ltail=cluster_", arrow.from);
    if (!nested && IsCluster(arrow.to)) absl::StrAppend(&out_, ", lhead=cluster_", arrow.to);
    out_ += "];\n";
  }

  const Scene& scene_;
  const SceneTints& tints_;
  PaletteScheme scheme_;
  std::vector<std::vector<int>> inside_;
  std::string out_;
};

}  // namespace

std::string WriteDot(const Scene& scene, const SceneTints& tints, PaletteScheme scheme, const std::string& heading) { return DotWriter(scene, tints, scheme).Write(heading); }

}  // namespace hloscope
