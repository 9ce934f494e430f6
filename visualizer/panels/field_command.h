// A command that a panel's field sends: what was typed stays until it has been understood, and what is wrong with it stands at the field, not
// in another panel.
#ifndef HLOSCOPE_VISUALIZER_PANELS_FIELD_COMMAND_H_
#define HLOSCOPE_VISUALIZER_PANELS_FIELD_COMMAND_H_

#include <string>

#include "visualizer/panels/panel.h"

namespace hloscope {

class FieldCommand {
 public:
  // `typed`: what the field holds.
  void Send(PanelContext& context, std::string command, std::string typed);
  // What was typed cannot be sent, and why.
  void Refuse(absl::string_view why, std::string typed);
  // Once a frame, with what the field holds: a message is about what was typed and goes when that changes. True: it has been done.
  bool Done(const PanelContext& context, const std::string& typed);
  const std::string& error() const { return error_; }  // empty: none
  // Right before the field is drawn: once it is answered the field has the keyboard again.
  void GiveKeyboard();
  // Draws the message, cut to the width that there is; one line of small type.
  void DrawError() const;

 private:
  std::string command_, typed_, error_;
  size_t from_ = 0;  // lines of the console when it was sent
  bool waiting_ = false, focus_ = false;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_FIELD_COMMAND_H_
