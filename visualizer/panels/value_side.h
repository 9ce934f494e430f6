// The column beside the picture of a value: one element with its bits and places, statistics, histogram, comparison, what made it, files.
#ifndef HLOSCOPE_VISUALIZER_PANELS_VALUE_SIDE_H_
#define HLOSCOPE_VISUALIZER_PANELS_VALUE_SIDE_H_

#include <memory>
#include <string>
#include <vector>

#include "visualizer/model/live.h"
#include "visualizer/model/value_view.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/value_canvas.h"

namespace hloscope {

struct SideInput {
  PanelContext& context;
  ValueName name;
  const std::string& key;  // of questions about the value
  const std::string& iteration;  // that it is of, as Standing has it
  const ValueFacts& facts;
  const PlaneAxes& axes;
  const std::vector<int64_t>& selected;  // element; empty: none
  const std::vector<int64_t>& hovered;
  PlaneOf* what;                         // the picture shows
  int channel = -1;                      // dimension of an image's channels, while it is shown as one
  ColorScale scale;                      // of the picture
  CellShows shows = CellShows::kMean;
};

// Of one number it; of a whole array with NaN or infinities the first of them is meant.
inline bool HasElementToAskOf(const ValueFacts& facts) { return facts.shape.rank() == 0 || facts.first_nan >= 0 || facts.first_inf >= 0; }

class SideLine;  // value_side.cc

class ValueSide {
 public:
  void Draw(const SideInput& in);
  void Clear();
  void WantWhy() { want_why_ = true; }
  void WantCopy() { ++copy_wanted_; }
  void Compare(std::string text) {
    compare_ = typed_ = std::move(text);
    refused_ = false;
  }
  // Also while the answer is on its way; not: what cannot be compared.
  bool comparing() const { return !compare_.empty() && !refused_; }
  const std::string& compared_with() const { return compare_; }
  const ElementFacts* element() const { return element_.get(); }

 private:
  void DrawAsked(const SideInput& in);
  void DrawElement(const SideInput& in);
  void DrawBits(const NumberBits& bits);
  void DrawStatistics(const SideInput& in, bool short_of_room);
  static void DrawSize(const SideInput& in, SideLine& line);
  void DrawHistogram(const SideInput& in);
  void DrawCompare(const SideInput& in, bool short_of_room);
  void DrawButtons(const SideInput& in);
  void DrawSave(const SideInput& in);
  void DrawWhy(const SideInput& in);
  static std::string PictureOptionsOf(const SideInput& in);
  // "%x[1]": in commands.
  std::string Named(const SideInput& in) const;

  bool log_count_ = true;
  std::shared_ptr<const ElementFacts> element_;
  std::string element_key_;                         // whose element's lines have had that height, in that width
  float element_height_ = 0, element_width_ = 0;
  bool element_is_hovered_ = false;
  std::string compare_, typed_;
  bool refused_ = false;  // to compare with that
  std::string answered_;  // the comparison whose answer was brought into view
  std::string asked_;     // typed into the field here and not answered yet; empty: nothing
  bool refocus_ = false;  // the field has the keyboard again, to mend what was refused
  std::string path_;
  bool save_picture_ = false;
  bool want_why_ = false;
  ValueName why_of_;
  std::string why_iteration_;
  std::vector<int64_t> why_index_;
  std::string why_key_;
  std::shared_ptr<const WhyRows> why_shown_;
  int copy_wanted_ = 0, copied_ = 0;
  Live<ElementFacts> elements_;
  Live<ComparisonFacts> comparison_;
  Live<WhyRows> why_;
  Live<std::string> copy_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_VALUE_SIDE_H_
