#include "visualizer/model/input_queue.h"

#include <set>

namespace hloscope {

std::vector<InputEvent> InputQueue::TakeFrame() {
  using Kind = InputEvent::Kind;
  std::vector<InputEvent> frame;
  std::set<int> changed;  // keys
  bool letters = false, pressed = false, command = false;
  for (; !waiting_.empty(); waiting_.pop_front()) {
    const InputEvent& e = waiting_.front();
    const bool commands = e.kind == Kind::kPress && !e.modifier && !e.types;
    if (e.kind == Kind::kLetter) {
      if (command) break;
      letters = true;
    } else {
      if (changed.contains(e.code) || (e.modifier && pressed) || (commands && (letters || command))) break;
      changed.insert(e.code);
      pressed = pressed || (e.kind == Kind::kPress && !e.modifier);
      command = command || commands;
    }
    frame.push_back(e);
  }
  return frame;
}

}  // namespace hloscope
