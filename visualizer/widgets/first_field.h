// What a key brought to the front has the keyboard in its first field, wherever in the panel that stands: behind a list that scrolls, or in
// one. Fields ask (ui::Field does); who brings something to the front does not need to know where its fields are.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_FIRST_FIELD_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_FIRST_FIELD_H_

namespace hloscope::ui {

// The first field that is drawn while this lives takes the keyboard.
class FirstFieldTakesKeyboard {
 public:
  explicit FirstFieldTakesKeyboard(bool on);
  ~FirstFieldTakesKeyboard();
  // There was none.
  bool waiting() const;
};

// The same from inside of that: the first field from here on.
void GiveFirstFieldKeyboard();

// Right before a field: gives it the keyboard where it is the one.
void TakeKeyboardIfFirst();

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_FIRST_FIELD_H_
