// What a panel shows: the selected instruction, unless it is pinned to one. Shared by the panels that follow the selection and can be pinned.
#ifndef HLOSCOPE_VISUALIZER_PANELS_FOLLOWED_H_
#define HLOSCOPE_VISUALIZER_PANELS_FOLLOWED_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "visualizer/panels/panel.h"

namespace hloscope {

class Followed {
 public:
  struct News {
    bool program = false;    // another program: nothing is shown, and nothing pinned
    bool selection = false;  // something was selected, or the same again
  };
  // Once a frame. `own`: a selection that was made from here, which does not change what is shown.
  News Look(const PanelContext& context, const Instruction* own = nullptr);
  // What Look makes of it: its tab says so while the panel is behind others. Null before it was drawn with this program, too.
  const Instruction* Next(const PanelContext& context, const Instruction* own = nullptr) const;
  // What is shown is what Look would make of it: it was drawn since something else was selected.
  bool UpToDate(const PanelContext& context, const Instruction* own = nullptr) const;
  uint64_t program() const { return program_; }
  const Instruction* target() const { return target_; }  // null: nothing
  void Show(const Instruction* instruction) { target_ = instruction; }
  bool pinned() const { return pinned_; }
  void Pin(bool on) { pinned_ = on; }
  // The button that pins; once more: what is selected is shown again. `what`: "value".
  void DrawPin(const PanelContext& context, absl::string_view what);

 private:
  uint64_t program_ = 0, seen_ = ~uint64_t{0};
  const Instruction* target_ = nullptr;
  bool pinned_ = false;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_FOLLOWED_H_
