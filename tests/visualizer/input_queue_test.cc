// What comes between two frames of the window reaches it as it was typed.
#include "visualizer/model/input_queue.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace hloscope {
namespace {

constexpr int kControl = 341, kEnter = 257, kBackspace = 259;

// "q": a letter with its key; "E" and "B": Enter and Backspace; "^a": Control with a key. All pressed and released at once.
InputQueue Typed(const std::string& keys) {
  using Kind = InputEvent::Kind;
  InputQueue queue;
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto tap = [&](int code, bool types, bool letter) {
      queue.Add({.kind = Kind::kPress, .code = code, .types = types});
      if (letter) queue.Add({.kind = Kind::kLetter, .code = code});
      queue.Add({.kind = Kind::kRelease, .code = code, .types = types});
    };
    if (keys[i] == 'E') {
      tap(kEnter, false, false);
    } else if (keys[i] == 'B') {
      tap(kBackspace, false, false);
    } else if (keys[i] == '^') {
      queue.Add({.kind = Kind::kPress, .code = kControl, .modifier = true});
      tap(keys[++i], false, false);
      queue.Add({.kind = Kind::kRelease, .code = kControl, .modifier = true});
    } else {
      tap(keys[i], true, true);
    }
  }
  return queue;
}

// What a toolkit that looks once a frame sees: the letters of the frame, and the keys that went down.
std::string Seen(InputQueue queue) {
  std::string seen;
  std::set<int> down;
  for (int frames = 0; !queue.empty() && frames < 1000; ++frames) {
    const std::set<int> before = down;
    std::string letters;
    for (const InputEvent& e : queue.TakeFrame()) {
      if (e.kind == InputEvent::Kind::kLetter) letters += static_cast<char>(e.code);
      else if (e.kind == InputEvent::Kind::kPress) down.insert(e.code);
      else down.erase(e.code);
    }
    seen += letters;
    for (int key : down) {
      if (before.contains(key) || key == kControl) continue;
      if (down.contains(kControl)) seen += '^';
      if (key == kEnter) seen += 'E';
      else if (key == kBackspace) seen += 'B';
      else if (down.contains(kControl)) seen += static_cast<char>(key);
    }
  }
  return seen;
}

TEST(InputQueue, AllThatIsTypedBetweenTwoFramesIsSeenInItsOrder) {
  for (const char* keys : {"q", "E", "qEqE", "xBxBxB", "EE", "BBB", "^a", "^aB", "ab^aEc", "q^a^cE", "^a^a", "hello worldEBB^zx"}) EXPECT_EQ(Seen(Typed(keys)), keys);
}

TEST(InputQueue, LettersTakeAFrameEach) {
  InputQueue queue = Typed("abcdefgh");
  int frames = 0;
  for (; !queue.empty(); ++frames) queue.TakeFrame();
  EXPECT_EQ(frames, 9);  // the last one's key comes up in one of its own
}

}  // namespace
}  // namespace hloscope
