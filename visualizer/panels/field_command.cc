#include "visualizer/panels/field_command.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

void FieldCommand::Send(PanelContext& context, std::string command, std::string typed) {
  command_ = std::move(command);
  typed_ = std::move(typed);
  error_.clear();
  from_ = context.console.size();
  waiting_ = true;
  context.run_here(command_);
}

void FieldCommand::Refuse(absl::string_view why, std::string typed) {
  typed_ = std::move(typed);
  error_ = std::string(why);
  waiting_ = false;
  focus_ = true;
  ui::WantFrame();
}

bool FieldCommand::Done(const PanelContext& context, const std::string& typed) {
  if (typed != typed_) error_.clear();
  if (!waiting_) return false;
  ui::WantFrame();
  const std::vector<ConsoleLine>& lines = context.console;
  size_t at = std::min(from_, lines.size());
  while (at < lines.size() && !(lines[at].kind == ConsoleLine::kCommand && lines[at].text == command_)) ++at;
  if (at == lines.size() || !context.engine.idle()) return false;
  for (++at; at < lines.size() && lines[at].kind != ConsoleLine::kCommand; ++at) {
    if (lines[at].kind == ConsoleLine::kError) absl::StrAppend(&error_, error_.empty() ? "" : "\n", lines[at].text);
  }
  waiting_ = false;
  focus_ = true;
  return error_.empty();
}

void FieldCommand::GiveKeyboard() {
  if (std::exchange(focus_, false)) ui::FocusNext();
}

void FieldCommand::DrawError() const {
  ui::TagFact("wrong", error_);
  if (error_.empty()) return;
  ui::TextCut(error_, ui::Colors().red, ui::Type().small);
  ui::Tooltip(error_);
}

}  // namespace hloscope
