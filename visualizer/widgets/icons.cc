#include "visualizer/widgets/icons.h"

#include <algorithm>
#include <cmath>

namespace hloscope::ui {
namespace {

// Draws on a square of 16 units.
class Pen {
 public:
  Pen(ImDrawList* list, ImVec2 at, float size, ImU32 color) : list_(list), at_(at), unit_(size / 16), color_(color), width_(std::max(1.0f, size / 16 * 1.5f)) {}
  ImVec2 P(float x, float y) const { return {at_.x + x * unit_, at_.y + y * unit_}; }
  void Line(float x1, float y1, float x2, float y2) { list_->AddLine(P(x1, y1), P(x2, y2), color_, width_); }
  void Path(std::initializer_list<ImVec2> points, bool closed = false) {
    for (const ImVec2& p : points) list_->PathLineTo(P(p.x, p.y));
    list_->PathStroke(color_, closed ? ImDrawFlags_Closed : 0, width_);
  }
  void Fill(std::initializer_list<ImVec2> points) {
    for (const ImVec2& p : points) list_->PathLineTo(P(p.x, p.y));
    list_->PathFillConvex(color_);
  }
  void Circle(float x, float y, float r) { list_->AddCircle(P(x, y), r * unit_, color_, 0, width_); }
  void Disc(float x, float y, float r) { list_->AddCircleFilled(P(x, y), r * unit_, color_); }
  void Rect(float x1, float y1, float x2, float y2, float round = 1) { list_->AddRect(P(x1, y1), P(x2, y2), color_, round * unit_, 0, width_); }
  void Block(float x1, float y1, float x2, float y2, float round = 0.5f) { list_->AddRectFilled(P(x1, y1), P(x2, y2), color_, round * unit_); }
  void Arc(float x, float y, float r, float from, float to) {  // degrees, clockwise from the right
    list_->PathArcTo(P(x, y), r * unit_, from * 3.14159265f / 180, to * 3.14159265f / 180);
    list_->PathStroke(color_, 0, width_);
  }
  void Head(float x, float y, float dx, float dy, float s = 3.2f) {  // an arrow's head that points along (dx, dy)
    const float n = std::sqrt(dx * dx + dy * dy);
    dx /= n;
    dy /= n;
    Fill({{x, y}, {x - dx * s - dy * s * 0.75f, y - dy * s + dx * s * 0.75f}, {x - dx * s + dy * s * 0.75f, y - dy * s - dx * s * 0.75f}});
  }

 private:
  ImDrawList* list_;
  ImVec2 at_;
  float unit_;
  ImU32 color_;
  float width_;
};

// Steps: a dot is the instruction, the arrow what is done; backwards the picture is mirrored.
void DrawStep(Pen& pen, Icon icon, bool back) {
  const auto x = [back](float v) { return back ? 16 - v : v; };
  const auto arc = [&](float cx, float cy, float r, float from, float to) { back ? pen.Arc(x(cx), cy, r, 180 - to, 180 - from) : pen.Arc(cx, cy, r, from, to); };
  const float d = back ? -1.0f : 1.0f;
  switch (icon) {
    case Icon::kNext:
    case Icon::kBackNext:
      arc(8, 8.5f, 5, 190, 335);
      pen.Head(x(13.6f), 8.2f, d * 0.4f, 1);
      pen.Disc(8, 12.2f, 1.7f);
      break;
    case Icon::kStep:
    case Icon::kBackStep:
      pen.Line(x(8), 2, x(8), 7.5f);
      pen.Head(x(8), 9.6f, 0, 1, 3.6f);
      pen.Disc(8, 12.6f, 1.7f);
      if (back) pen.Line(3, 2, 8, 2);
      break;
    default:
      pen.Line(x(8), 9, x(8), 4);
      pen.Head(x(8), 1.6f, 0, -1, 3.6f);
      pen.Disc(8, 12.6f, 1.7f);
      if (back) pen.Line(3, 9, 8, 9);
      break;
  }
}

}  // namespace

void DrawIcon(ImDrawList* list, Icon icon, ImVec2 at, float size, ImU32 color) {
  Pen pen(list, at, size, color);
  switch (icon) {
    case Icon::kNone: break;
    case Icon::kContinue: pen.Fill({{4, 2.5f}, {13, 8}, {4, 13.5f}}); break;
    case Icon::kPause:
      pen.Block(4, 3, 6.6f, 13);
      pen.Block(9.4f, 3, 12, 13);
      break;
    case Icon::kBack: pen.Fill({{12, 2.5f}, {12, 13.5f}, {3, 8}}); break;
    case Icon::kNext:
    case Icon::kStep:
    case Icon::kFinish: DrawStep(pen, icon, false); break;
    case Icon::kBackNext:
    case Icon::kBackStep:
    case Icon::kBackFinish: DrawStep(pen, icon, true); break;
    case Icon::kRestart:
      pen.Arc(8, 8, 5, -50, 230);
      pen.Head(10.8f, 2.2f, 1, 0.7f);
      break;
    case Icon::kSearch:
      pen.Circle(7, 7, 4.3f);
      pen.Line(10.2f, 10.2f, 14, 14);
      break;
    case Icon::kClose:
      pen.Line(4.5f, 4.5f, 11.5f, 11.5f);
      pen.Line(11.5f, 4.5f, 4.5f, 11.5f);
      break;
    case Icon::kPlus: pen.Line(8, 3.5f, 8, 12.5f); [[fallthrough]];
    case Icon::kMinus: pen.Line(3.5f, 8, 12.5f, 8); break;
    case Icon::kMore:
      for (float x : {4.0f, 8.0f, 12.0f}) pen.Disc(x, 8, 1.3f);
      break;
    case Icon::kFile: pen.Path({{4, 2}, {9.5f, 2}, {12.5f, 5}, {12.5f, 14}, {4, 14}}, true); break;
    case Icon::kOpen: pen.Path({{2, 13}, {2, 3.5f}, {6.5f, 3.5f}, {8, 5.5f}, {13.5f, 5.5f}, {13.5f, 13}}, true); break;
    case Icon::kSave:
      pen.Line(8, 2.5f, 8, 9);
      pen.Head(8, 11, 0, 1, 3.6f);
      pen.Path({{2.5f, 10.5f}, {2.5f, 13.5f}, {13.5f, 13.5f}, {13.5f, 10.5f}});
      break;
    case Icon::kGraph:
      pen.Rect(5.5f, 1.5f, 10.5f, 5.5f);
      pen.Rect(1.5f, 10.5f, 6.5f, 14.5f);
      pen.Rect(9.5f, 10.5f, 14.5f, 14.5f);
      pen.Line(7, 5.5f, 4.5f, 10.5f);
      pen.Line(9, 5.5f, 11.5f, 10.5f);
      break;
    case Icon::kTable:
      pen.Rect(2, 3, 14, 13);
      pen.Line(2, 6.3f, 14, 6.3f);
      pen.Line(2, 9.6f, 14, 9.6f);
      pen.Line(6.5f, 3, 6.5f, 13);
      break;
    case Icon::kChart:
      pen.Block(2.5f, 9, 5, 13.5f);
      pen.Block(6.7f, 3, 9.2f, 13.5f);
      pen.Block(11, 6.5f, 13.5f, 13.5f);
      break;
    case Icon::kConsole:
      pen.Path({{3, 4.5f}, {6.5f, 8}, {3, 11.5f}});
      pen.Line(8, 12, 13.5f, 12);
      break;
    case Icon::kBreakpoint: pen.Disc(8, 8, 4.6f); break;
    case Icon::kConditional:
      pen.Circle(8, 8, 4.6f);
      list->PathArcTo(pen.P(8, 8), size / 16 * 4.6f, 1.5708f, 4.7124f);
      list->PathFillConvex(color);
      break;
    case Icon::kWatch:
      pen.Path({{1.5f, 8}, {4.5f, 4.6f}, {8, 3.6f}, {11.5f, 4.6f}, {14.5f, 8}, {11.5f, 11.4f}, {8, 12.4f}, {4.5f, 11.4f}}, true);
      pen.Disc(8, 8, 2.1f);
      break;
    case Icon::kStack:
      pen.Path({{2, 6}, {8, 3}, {14, 6}, {8, 9}}, true);
      pen.Path({{2, 10}, {8, 13}, {14, 10}});
      break;
    case Icon::kWarning:
      pen.Path({{8, 2.5f}, {14.5f, 13.5f}, {1.5f, 13.5f}}, true);
      pen.Line(8, 6.3f, 8, 9.6f);
      pen.Disc(8, 11.6f, 0.9f);
      break;
    case Icon::kError:
      pen.Circle(8, 8, 6);
      pen.Line(8, 4.6f, 8, 8.8f);
      pen.Disc(8, 11.1f, 0.9f);
      break;
    case Icon::kInfo:
      pen.Circle(8, 8, 6);
      pen.Disc(8, 5, 0.9f);
      pen.Line(8, 7.4f, 8, 11.4f);
      break;
    case Icon::kCheck: pen.Path({{3, 8.5f}, {6.5f, 12}, {13, 4.5f}}); break;
    case Icon::kClock:
      pen.Circle(8, 8, 6);
      pen.Path({{8, 4.5f}, {8, 8}, {10.6f, 9.6f}});
      break;
    case Icon::kMemory:
      pen.Rect(3.5f, 3.5f, 12.5f, 12.5f);
      for (float p : {6.0f, 10.0f}) {
        pen.Line(p, 1.5f, p, 3.5f);
        pen.Line(p, 12.5f, p, 14.5f);
        pen.Line(1.5f, p, 3.5f, p);
        pen.Line(12.5f, p, 14.5f, p);
      }
      break;
    case Icon::kSun:
      pen.Circle(8, 8, 3);
      for (int k = 0; k < 8; ++k) {
        const float a = static_cast<float>(k) * 0.785398f;
        pen.Line(8 + 5 * std::cos(a), 8 + 5 * std::sin(a), 8 + 7 * std::cos(a), 8 + 7 * std::sin(a));
      }
      break;
    case Icon::kMoon:
      pen.Arc(8, 8, 5.5f, 30, 285);
      pen.Arc(11.5f, 4.8f, 5, 70, 210);
      break;
    case Icon::kChevronRight: pen.Path({{6, 4}, {10, 8}, {6, 12}}); break;
    case Icon::kChevronDown: pen.Path({{4, 6}, {8, 10}, {12, 6}}); break;
    case Icon::kLink:
      pen.Path({{7, 4}, {4, 4}, {4, 12}, {12, 12}, {12, 9}});
      pen.Line(7.5f, 8.5f, 12.5f, 3.5f);
      pen.Path({{9, 3.2f}, {12.8f, 3.2f}, {12.8f, 7}});
      break;
    case Icon::kPin:
      pen.Line(8, 9.5f, 8, 14.5f);
      pen.Path({{4.5f, 9.5f}, {11.5f, 9.5f}, {10, 6.5f}, {10, 2}, {6, 2}, {6, 6.5f}}, true);
      break;
    case Icon::kCopy:
      pen.Rect(5.5f, 5.5f, 13.5f, 13.5f);
      pen.Path({{10.5f, 5}, {10.5f, 2.5f}, {2.5f, 2.5f}, {2.5f, 10.5f}, {5, 10.5f}});
      break;
    case Icon::kEdit:
      pen.Path({{2.5f, 13.5f}, {3.5f, 10}, {11, 2.5f}, {13.5f, 5}, {6, 12.5f}}, true);
      break;
    case Icon::kUndo:
      pen.Arc(8, 9, 4.5f, -180, 90);
      pen.Head(3.5f, 11.6f, 0, 1, 3.6f);
      break;
    case Icon::kRedo:
      pen.Arc(8, 9, 4.5f, 90, 360);
      pen.Head(12.5f, 11.6f, 0, 1, 3.6f);
      break;
    case Icon::kFit:
      pen.Path({{2.5f, 6}, {2.5f, 2.5f}, {6, 2.5f}});
      pen.Path({{10, 2.5f}, {13.5f, 2.5f}, {13.5f, 6}});
      pen.Path({{13.5f, 10}, {13.5f, 13.5f}, {10, 13.5f}});
      pen.Path({{6, 13.5f}, {2.5f, 13.5f}, {2.5f, 10}});
      break;
    case Icon::kHere: pen.Fill({{3, 4}, {9.5f, 4}, {13.5f, 8}, {9.5f, 12}, {3, 12}}); break;
    case Icon::kBookmark: pen.Path({{4.5f, 2}, {11.5f, 2}, {11.5f, 14}, {8, 10.8f}, {4.5f, 14}}, true); break;
    case Icon::kStop: pen.Block(3.5f, 3.5f, 12.5f, 12.5f, 1); break;
    case Icon::kBook:
      pen.Path({{8, 4}, {5.5f, 2.8f}, {2, 2.8f}, {2, 12.6f}, {5.5f, 12.6f}, {8, 13.8f}, {10.5f, 12.6f}, {14, 12.6f}, {14, 2.8f}, {10.5f, 2.8f}}, true);
      pen.Line(8, 4, 8, 13.8f);
      break;
  }
}

}  // namespace hloscope::ui
