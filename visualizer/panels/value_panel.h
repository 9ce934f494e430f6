// The value of the selected instruction: any rank, two dimensions of it at a time; its statistics, one element's bits, and why it is what it is.
// value.cc: what is shown, and its commands; value_standing.cc: values that are not there (yet); value_axes.cc: the tools and the axes;
// value_plane.cc: the plane that is looked at. Only for these files.
#ifndef HLOSCOPE_VISUALIZER_PANELS_VALUE_PANEL_H_
#define HLOSCOPE_VISUALIZER_PANELS_VALUE_PANEL_H_

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/debug/known_values.h"
#include "core/debug/picture.h"
#include "core/debug/session_state.h"
#include "core/ir/written_names.h"
#include "visualizer/model/live.h"
#include "visualizer/model/value_view.h"
#include "visualizer/panels/chips.h"
#include "visualizer/panels/followed.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/value_canvas.h"
#include "visualizer/panels/value_side.h"

namespace hloscope {

// Words of its commands, in the order of what they choose from.
inline constexpr absl::string_view kValueRoles[] = {"rows", "columns", "slide", "channels"};
inline constexpr absl::string_view kValueRamps[] = {"sign", "one", "two", "gray"};
inline constexpr absl::string_view kValueRanges[] = {"whole", "seen"};
inline constexpr absl::string_view kValueShows[] = {"mean", "least", "greatest"};

class ValuePanel : public Panel {
 public:
  void Draw(PanelContext& context) override;

  std::string Title(const PanelContext& context) const override {
    const Instruction* next = followed_.Next(context);
    return next == nullptr ? "" : absl::StrCat("Value ", NameInText(*next));
  }
  float padding() const override { return 10; }
  bool Settled(const PanelContext& context) const override { return followed_.UpToDate(context) && standing_.fresh() && facts_.fresh(); }

  void Save(nlohmann::json& to) const override;
  void Load(const nlohmann::json& from) override;

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override;

 private:
  std::string WhyNot(absl::string_view word) const;
  const Instruction* target() const { return followed_.target(); }
  // -- What is shown --
  void Follow(PanelContext& context);
  // What the program has come to, where nothing else was chosen.
  static const Instruction* Result(const Snapshot& now) {
    return now.phase == Phase::kFinished && now.module != nullptr && now.module->entry != nullptr ? now.module->entry->root : nullptr;
  }
  void KeepChip(const Instruction* instruction);  // among the chips
  int LeafOfView(const Instruction& instruction);
  CanvasView& ViewOf(const ValueName& name);

  void DrawHistory(PanelContext& context);

  // Of a frame that has ended: which moment is looked at, and the way to others and back.
  void DrawMoment(PanelContext& context, const Standing& standing);

  // The value is of a frame that has ended (or has not begun): how to look at it there.
  void DrawEnded(PanelContext& context, const Standing& standing);

  // Its operands' values stand in for one that is not there. False: nothing to show.
  bool DrawStanding(PanelContext& context, const Standing& standing, const std::string& moment);

  static void Waiting(const std::string& text);

  // -- One value --
  void DrawValue(PanelContext& context);

  // Where it was set by hand, or comes from what was.
  static void DrawSetMark(const ValueFacts& f);

  // The arrows go from element to element.
  void MoveByKeys(PanelContext& context, const CanvasView& view, const Shape& shape);

  // Of a tuple: the array at a path, as "[0][2]". What is wrong; empty: nothing.
  std::string ChooseLeaf(PanelContext& context, absl::string_view path);
  void DrawLeaves(PanelContext& context, const Shape& whole);

  // 0: rows, 1: columns, 2: slides, 3: channels of the image.
  void SetRole(CanvasView& view, int dimension, int role);

  void DrawTools(PanelContext& context, CanvasView& view, const ValueFacts& f);

  // What stands for a complex number in the picture and the figures.
  void DrawParts(PanelContext& context);

  void TellSliding(PanelContext& context, const CanvasView& view);
  void DrawAxis(PanelContext& context, CanvasView& view, const Shape& shape, int d, Flow& flow);

  void DrawColours(PanelContext& context);

  ColorScale ScaleFor(const ValueFacts& f) const;

  void DrawCanvas(PanelContext& context, CanvasView& view, const ValueFacts& f, float height);

  void DrawLegend(const ColorScale& scale);

  void Ask(PanelContext& context, CanvasView& view, const ValueFacts& f, int64_t rows, int64_t columns, ImVec2 room);

  void Reveal(CanvasView& view);
  CanvasMarks Marks(const CanvasView& view) const;

  // -- State --
  Followed followed_;
  ValueName name_;                       // what is shown: the target, or an operand of it
  std::string key_;                      // of questions about it
  std::string iteration_;                // that it is of; empty: outside of loops
  std::string ahead_key_;                // the moment and instruction that is looked at ahead
  bool reveal_ = false;
  std::deque<const Instruction*> history_;
  std::map<std::pair<const Instruction*, int>, CanvasView> views_;
  std::map<const Instruction*, int> leaves_, operand_;
  CanvasMode mode_ = CanvasMode::kMap;
  bool log_ = false;
  ComplexPart part_ = ComplexPart::kMagnitude;
  std::string moment_, typed_moment_;          // looked at instead of now; empty: now
  const Computation* moment_of_ = nullptr;     // of values in this computation
  int ramp_ = 0, range_ = 0, shows_ = 0;       // into kValueRamps, kValueRanges, kValueShows
  int slid_dimension_ = -1;                    // that is being slid, and since when it rests
  double slid_since_ = 0;
  PlaneOf what_ = PlaneOf::kValue;
  ValueCanvas canvas_;
  std::vector<int64_t> selected_, hovered_;
  float slid_ = 0;
  int64_t slid_from_ = 0;
  ValueSide side_;
  std::shared_ptr<const CanvasData> data_;
  std::shared_ptr<const ValueFacts> facts_shown_;
  Live<Standing> standing_;
  Live<ValueFacts> facts_;
  Live<CanvasData> planes_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_VALUE_PANEL_H_
