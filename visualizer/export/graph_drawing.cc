#include "visualizer/export/graph_drawing.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

constexpr float kMargin = 24, kHeading = 44, kLegendRow = 22;
constexpr float kTitleSize = 13, kDetailSize = 11, kLabelSize = 10;

// Cut at `width`, with an ellipsis; empty where not even that fits.
std::string Fitting(absl::string_view text, Face face, float size, float width) {
  if (TextWidth(text, face, size) <= width) return std::string(text);
  size_t low = 0, high = text.size();  // bytes that fit
  while (low < high) {
    const size_t middle = (low + high + 1) / 2;
    if (TextWidth(absl::StrCat(text.substr(0, middle), "\u2026"), face, size) <= width) low = middle;
    else high = middle - 1;
  }
  while (low > 0 && (static_cast<unsigned char>(text[low]) & 0xc0) == 0x80) --low;  // not within a letter
  return low == 0 ? "" : absl::StrCat(text.substr(0, low), "\u2026");
}

class GraphDrawer {
 public:
  GraphDrawer(const Scene& scene, const SceneTints& tints, const GraphDrawingOptions& options) : scene_(scene), tints_(tints), o_(options) {}

  Drawing Draw() {
    const bool framed = !o_.heading.empty();
    left_ = kMargin;
    top_ = framed ? kHeading + 8 : kMargin;
    const float least = framed ? TextWidth(o_.heading, Face::kStrong, 17) + TextWidth(o_.subject, Face::kUi, 12.5f) + 2 * kMargin + 14 : 0;
    const float width = std::max(scene_.width + 2 * kMargin, std::max(least, framed ? 360.0f : 0.0f));
    left_ = (width - scene_.width) / 2;
    d_.SetSize(width, top_ + scene_.height + kMargin);
    if (framed) {
      d_.AddText({kMargin, 30}, o_.heading, {.size = 17, .face = Face::kStrong});
      d_.AddText({kMargin + TextWidth(o_.heading, Face::kStrong, 17) + 12, 30}, o_.subject, {.size = 12.5f, .paint = Ink::kDim});
    }
    for (size_t k = 0; k < scene_.boxes.size(); ++k) {
      if (scene_.boxes[k].expanded && scene_.boxes[k].parent >= 0) DrawClusterGround(scene_.boxes[k]);
    }
    for (const SceneArrow& arrow : scene_.arrows) {
      if (!arrow.minor) DrawArrow(arrow);
    }
    for (const SceneArrow& arrow : scene_.arrows) {
      if (!arrow.minor && arrow.labelled) DrawLabel(arrow);
    }
    // Over the arrows that come in.
    for (size_t k = 0; k < scene_.boxes.size(); ++k) {
      if (scene_.boxes[k].expanded && scene_.boxes[k].parent >= 0) DrawClusterTitle(scene_.boxes[k], tints_.boxes[k]);
    }
    for (size_t k = 0; k < scene_.boxes.size(); ++k) {
      if (scene_.boxes[k].node >= 0 && !scene_.boxes[k].expanded) DrawCard(scene_.boxes[k], tints_.boxes[k]);
    }
    // Over all that lies near them, but for the ends of arrows.
    for (const SceneArrow& arrow : scene_.arrows) {
      if (arrow.minor || arrow.curve.empty()) continue;
      ends_out_[arrow.from].push_back(left_ + arrow.curve.front().x);
      ends_in_[arrow.to].push_back(left_ + arrow.curve.back().x);
    }
    for (const SceneBox& box : scene_.boxes) {
      if (box.parent < 0) continue;
      const int number = static_cast<int>(&box - scene_.boxes.data());
      if (box.more_in > 0) DrawHidden(box, box.more_in, At(box).y - 3, ends_in_[number]);
      if (box.more_out > 0) DrawHidden(box, box.more_out, At(box).bottom() + 3, ends_out_[number]);
    }
    if (framed) DrawLegend(width, top_ + scene_.height + kMargin);
    d_.title = o_.heading;
    // Frames around chosen instructions are none of them.
    const auto boxes = std::count_if(scene_.boxes.begin(), scene_.boxes.end(), [&](const SceneBox& box) { return box.parent >= 0 && (!scene_.focused || box.instruction != nullptr); });
    d_.description = absl::StrCat(o_.subject, ": ", boxes, boxes == 1 ? " box, " : " boxes, ", scene_.arrows.size(), scene_.arrows.size() == 1 ? " arrow" : " arrows");
    return std::move(d_);
  }

 private:
  Box At(const SceneBox& box) const { return {left_ + box.x, top_ + box.y, box.width, box.height}; }

  // A colour and what lies over it, each as an ink, so that one drawing does in dark and in light.
  void Tint(Box box, const TintColor& color, float radius, float strength = 1) {
    d_.AddBox(box, {color.ink, strength}, {}, radius);
    if (color.over != Ink::kNone) d_.AddBox(box, {color.over, strength * color.over_share}, {}, radius);
    if (color.top != Ink::kNone) d_.AddBox(box, {color.top, strength * color.top_share}, {}, radius);
  }

  void DrawClusterGround(const SceneBox& box) {
    const Box at = At(box);
    d_.AddBox(at, {Ink::kFaint, 0.06f}, {}, 7);
    const bool here = o_.here != nullptr && !scene_.sliced && box.instruction == o_.here;
    d_.AddBox(at, {}, here ? Paint(Ink::kAmber) : Paint(Ink::kFaint, 0.45f), 7, here ? 2.0f : 1.0f);
  }

  void DrawClusterTitle(const SceneBox& box, const GraphTint& tint) {
    const Box at = At(box);
    const float room = at.width - 24;
    const std::string title = NameIn(room, box.title, Face::kStrong, 12);
    const float used = TextWidth(title, Face::kStrong, 12) + 8;
    // Where not both fit, the measure that was asked for.
    std::string beside = tint.note.empty() ? box.detail : absl::StrCat(box.detail, box.detail.empty() ? "" : "  ", tint.note);
    if (!tint.note.empty() && TextWidth(beside, Face::kMono, kLabelSize) > room - used) beside = tint.note;
    const std::string more = Fitting(beside, Face::kMono, kLabelSize, room - used);
    const Box band = {at.x + 4, at.y + 5, used + TextWidth(more, Face::kMono, kLabelSize) + (more.empty() ? 6.0f : 14.0f), 20};
    d_.AddBox(band, {Ink::kPanel, 0.92f}, {}, 4);
    Tint({at.x + 4, at.y + 8, 3, 14}, tint.bar, 1.5f);
    d_.AddText({at.x + 12, at.y + 19}, title, {.size = 12, .face = Face::kStrong, .paint = Ink::kDim});
    d_.AddText({at.x + 12 + used, at.y + 19}, more, {.size = kLabelSize, .face = Face::kMono, .paint = Ink::kFaint});
  }

  void DrawCard(const SceneBox& box, const GraphTint& tint) {
    const Box at = At(box);
    const bool here = box.asked || (o_.here != nullptr && !scene_.sliced && box.instruction == o_.here), marked = !scene_.sliced && box.instruction != nullptr && o_.marked.contains(box.instruction);
    // What is folded away stands behind, as a second card.
    if (box.expandable && box.instruction == nullptr) {
      d_.AddBox({at.x + 3, at.y + 3, at.width, at.height}, Ink::kPanel, {}, 5);
      d_.AddBox({at.x + 3, at.y + 3, at.width, at.height}, {Ink::kRaised, 0.7f}, Ink::kBorder, 5);
    }
    d_.AddBox(at, Ink::kRaised, {Ink::kFaint, 0.55f}, 5);
    if (here) d_.AddBox(at, {Ink::kAmber, 0.17f}, Ink::kAmber, 5, 2);
    else if (marked) d_.AddBox(at, {Ink::kBlue, 0.12f}, {Ink::kBlue, 0.8f}, 5);
    Tint({at.x, at.y, 4, at.height}, tint.bar, 2);
    const float x = at.x + 13, right = at.right() - 8 - (box.expandable ? 14.0f : 0.0f);
    const float first = at.height <= 30 ? at.y + at.height / 2 + 4.5f : at.y + 18;
    if (box.expandable) {
      const float cx = at.right() - 13, cy = first - 4.5f;
      d_.AddPath({{cx - 2, cy - 4}, {cx + 2, cy}, {cx - 2, cy + 4}}, {.paint = Ink::kFaint, .width = 1.5f});
    }
    const std::string title = NameIn(right - x, box.title, Face::kUi, kTitleSize);
    d_.AddText({x, first}, title, {.size = kTitleSize});
    const float used = TextWidth(title, Face::kUi, kTitleSize) + 6;
    d_.AddText({x + used, first}, at.height > 30 || tint.note.empty() ? NameIn(right - x - used, box.detail, Face::kMono, kDetailSize) : Fitting(tint.note, Face::kMono, kDetailSize, right - x - used), {.size = kDetailSize, .face = Face::kMono, .paint = Ink::kFaint});
    const std::string& below = tint.note.empty() ? box.below : tint.note;
    if (at.height > 30) {
      d_.AddText({x, at.y + 35}, Fitting(below, Face::kMono, kDetailSize, at.right() - 6 - x),
                 {.size = kDetailSize, .face = Face::kMono, .paint = box.instruction != nullptr && tint.note.empty() ? Ink::kTeal : Ink::kDim});
    }
    Spot spot;
    spot.box = at;
    spot.hint = box.instruction != nullptr ? absl::StrCat(ShownName(*box.instruction), " = ", box.instruction->shape.ToString(false), " ", box.title) : absl::StrCat(box.name, ": ", box.detail);
    if (!tint.note.empty()) absl::StrAppend(&spot.hint, "\n", tint.note);
    d_.AddSpot(std::move(spot));
  }

  // On the box's edge: so many arrows come in there, or go out, and are not drawn.
  void DrawHidden(const SceneBox& box, int count, float edge, const std::vector<float>& ends) {
    const std::string text = absl::StrCat("+", count, " \u2193");
    const float width = TextWidth(text, Face::kMono, kLabelSize) + 8, first = At(box).x + 7;
    // The first place along the edge where no arrow ends.
    float x = first;
    const auto taken = [&] { return std::any_of(ends.begin(), ends.end(), [&](float end) { return end > x - 6 && end < x + width + 6; }); };
    while (taken() && x + width + 15 < At(box).right()) x += 8;
    if (taken()) x = first;
    d_.AddBox({x, edge - 6, width, 12}, Ink::kPanel, {Ink::kFaint, 0.55f}, 6);
    d_.AddText({x + 4, edge + 3.5f}, text, {.size = kLabelSize, .face = Face::kMono, .paint = Ink::kDim});
    hidden_ = true;
  }

  void DrawArrow(const SceneArrow& arrow) {
    std::vector<Place> points;
    for (const Point& p : arrow.curve) points.push_back({left_ + p.x, top_ + p.y});
    const float weight = arrow.bytes <= 0 ? 0 : std::clamp(static_cast<float>(std::log2(1.0 + static_cast<double>(arrow.bytes) / 1024) / 9), 0.0f, 2.2f);
    const SceneBox &from = scene_.boxes[arrow.from], &to = scene_.boxes[arrow.to];
    const bool lit = from.instruction != nullptr && to.instruction != nullptr && o_.marked.contains(from.instruction) && o_.marked.contains(to.instruction) &&
                     (o_.hops.empty() || o_.hops.contains({from.instruction, to.instruction}));
    LineStyle style{.paint = lit ? Paint(Ink::kBlue, 0.8f) : Paint(Ink::kFaint, arrow.order_only ? 0.4f : 0.75f), .width = 0.9f + weight, .kind = arrow.order_only ? LineKind::kDashed : LineKind::kSolid, .arrow = true};
    d_.AddPath(std::move(points), style, true);
  }

  void DrawLabel(const SceneArrow& arrow) {
    const float width = TextWidth(arrow.label, Face::kMono, kLabelSize) + 6, x = left_ + arrow.label_at.x, y = top_ + arrow.label_at.y;
    d_.AddBox({x - width / 2, y - 7, width, 14}, {Ink::kPanel, 0.88f}, {}, 3);
    d_.AddText({x, y + 3.5f}, arrow.label, {.size = kLabelSize, .face = Face::kMono, .paint = Ink::kFaint, .align = Align::kCenter});
  }

  void DrawLegend(float width, float y) {
    float x = kMargin;
    d_.AddLine({kMargin, y - 10}, {width - kMargin, y - 10}, {.paint = Ink::kBorder});
    y += 6;
    for (const TintLegendRow& row : tints_.legend) {
      const float wide = 16 + TextWidth(row.text, Face::kUi, 12) + 18;
      if (x + wide > width - kMargin && x > kMargin) {
        x = kMargin;
        y += kLegendRow;
      }
      Tint({x, y, 10, 10}, row.color, 2.5f);
      d_.AddText({x + 16, y + 9.5f}, row.text, {.size = 12, .paint = Ink::kDim});
      x += wide;
    }
    if (hidden_) {
      const std::string text = "+N \u2193  N more arrows, not drawn";
      if (x + TextWidth(text, Face::kUi, 12) > width - kMargin && x > kMargin) {
        x = kMargin;
        y += kLegendRow;
      }
      d_.AddText({x, y + 9.5f}, text, {.size = 12, .paint = Ink::kDim});
    }
    d_.SetSize(width, y + kLegendRow + 6);
  }

  const Scene& scene_;
  const SceneTints& tints_;
  const GraphDrawingOptions& o_;
  Drawing d_;
  float left_ = 0, top_ = 0;
  bool hidden_ = false;  // an arrow is not drawn
  std::map<int, std::vector<float>> ends_in_, ends_out_;  // of arrows at a box, from the left
};

}  // namespace

void MeasureLetters(SceneWish* wish) {
  wish->title_letter = TextWidth("broadcast convert dot", Face::kUi, kTitleSize) / 21 + 0.8f;
  wish->title_width = [](absl::string_view title) { return TextWidth(title, Face::kUi, kTitleSize) + 2; };
  wish->small_letter = TextWidth("m", Face::kMono, kDetailSize);
}

Drawing DrawGraph(const Scene& scene, const SceneTints& tints, const GraphDrawingOptions& options) { return GraphDrawer(scene, tints, options).Draw(); }

}  // namespace hloscope
