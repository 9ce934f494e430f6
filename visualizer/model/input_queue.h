// Keys and letters in the order in which they came, given to the window frame by frame. The toolkit looks once a frame at which keys are down: a
// key that comes and goes between two frames would be none, and of a letter and a key in one frame it could not tell which was first.
#ifndef HLOSCOPE_VISUALIZER_MODEL_INPUT_QUEUE_H_
#define HLOSCOPE_VISUALIZER_MODEL_INPUT_QUEUE_H_

#include <deque>
#include <vector>

namespace hloscope {

struct InputEvent {
  enum class Kind { kLetter, kPress, kRelease };
  Kind kind;
  int code = 0;           // the letter's code point, or the key's number
  int scancode = 0;       // of keys, as modifiers
  int modifiers = 0;
  bool modifier = false;  // Shift, Control, ...
  bool types = false;     // a key that makes a letter, which comes by itself
};

class InputQueue {
 public:
  void Add(const InputEvent& event) { waiting_.push_back(event); }
  // What one frame can tell apart: no key changes twice, a modifier keeps what it was for the keys that came before it changed, one key that is
  // not for a letter, and letters either before it or after it.
  std::vector<InputEvent> TakeFrame();
  bool empty() const { return waiting_.empty(); }

 private:
  std::deque<InputEvent> waiting_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_INPUT_QUEUE_H_
