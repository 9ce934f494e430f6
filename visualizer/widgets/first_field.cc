#include "visualizer/widgets/first_field.h"

#include "visualizer/widgets/controls.h"

namespace hloscope::ui {
namespace {

bool waits = false;

}  // namespace

FirstFieldTakesKeyboard::FirstFieldTakesKeyboard(bool on) { waits = on; }
FirstFieldTakesKeyboard::~FirstFieldTakesKeyboard() { waits = false; }
bool FirstFieldTakesKeyboard::waiting() const { return waits; }

void GiveFirstFieldKeyboard() { waits = true; }

void TakeKeyboardIfFirst() {
  if (!waits) return;
  waits = false;
  FocusNext();
}

}  // namespace hloscope::ui
