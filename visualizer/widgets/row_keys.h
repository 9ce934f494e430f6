// Lists by keyboard: while rows (Row in controls.h) have it, the arrows go from one to the next, Enter clicks and Delete removes.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_ROW_KEYS_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_ROW_KEYS_H_

#include "absl/strings/string_view.h"

namespace hloscope::ui {

// Rows have the keyboard from here on, those of this list (a panel). Null: none have.
void RowsHaveKeyboard(const char* list);
// Delete was pressed on this row.
bool RowRemoved(absl::string_view name);

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_ROW_KEYS_H_
