// Drives the window as a person would, from a script: finds what has a name (widgets/tags.h), moves the mouse there, clicks, drags, types,
// presses keys, waits for a state, and takes pictures. For tests, for `hloscope shot`, and for measuring frames.
//
// A script is lines: a word and its arguments; # begins a comment; $HLOSCOPE_SCENARIO is the folder that a scenario may write into. Names may end in * (the first that begins so).
//   click NAME [right | middle | double | ctrl | shift]      hover NAME      drag NAME to NAME | by DX DY      scroll NAME LINES
//   click NAME at FX FY           at a place within it, from 0 to 1
//   type TEXT                     into what has the keyboard; \n is Enter
//   key CHORD                     Ctrl+Shift+P, F10, Escape
//   quick CHORD TEXT              a chord and a text right behind it, as a hand types that does not wait for what is drawn
//   press CHORD until STATE       again and again, each time when nothing runs; STATE as for wait
//   run COMMAND                   as if typed into the console
//   command COMMAND               the same; after it has run, `answered COMMAND` tells on standard error what was wrong with it
//   wait idle | tag NAME | gone NAME | fact NAME = TEXT | fact NAME ~ TEXT (contains) | seconds N
//   expect ...                    as wait, but must hold within a second
//   wait still                    nothing runs, and the picture has not changed for a while
//   settle                        the same, but goes on after some seconds though something moves
//   mask NAME                     what has the name differs from run to run: left out where pictures are compared
//   drop FILE                     a file dragged onto the window
//   write FILE TEXT               another program writes a line at the end of a file;  delete FILE
//   shot FILE.png                 the window, as it is
//   size WIDTH HEIGHT             of the window
//   names [PREFIX]                prints what has a name
//   die                           ends the process as kill -9 does, for tests of what is kept
//   frames N                      draws N frames and prints what they took of our own time: median, 99th percentile
//   elapsed TEXT                  prints how long ago the process began, once this frame is drawn
#ifndef HLOSCOPE_VISUALIZER_SHELL_DRIVER_H_
#define HLOSCOPE_VISUALIZER_SHELL_DRIVER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "imgui.h"
#include "visualizer/model/input_queue.h"
#include "visualizer/shell/shell.h"
#include "visualizer/widgets/keys.h"
#include "visualizer/widgets/tags.h"

namespace hloscope {

class Driver {
 public:
  struct Hooks {
    // Writes what was drawn last; `varying` are the rectangles that differ from run to run.
    std::function<absl::Status(const std::string& path, const std::vector<ui::TagRect>& varying)> shot;
    std::function<void(int width, int height)> resize;
    std::function<void(const std::string& path)> drop;
    std::function<void(const std::string& line)> print;
    std::function<void(const std::string& line)> complain;  // of commands that failed
  };
  Driver(Shell& shell, Hooks hooks) : shell_(shell), hooks_(std::move(hooks)) {}

  // `name` is for messages.
  void Add(const std::string& name, const std::string& script);
  bool done() const { return lines_.empty() || failed_; }
  bool failed() const { return failed_; }
  // There were `command` lines; one of them was refused.
  bool commanded() const { return commanded_; }
  bool refused() const { return refused_; }
  // It only waits for something: frames need not follow each other at once.
  bool waiting() const { return begun_ && steps_.empty() && frames_left_ <= 0 && (!waiting_.empty() || !looking_for_.empty()); }
  // Seconds that a `wait` may take.
  double patience = 20;

  // Between the window system's input and ImGui's frame: puts the script's input in place of the person's.
  void BeforeFrame();
  // After a frame was drawn, which took `own_ms` of our own time.
  void AfterFrame(double own_ms);

 private:
  struct Line {
    std::string place, text;
  };
  void Begin(const std::string& text);
  void Step();
  bool Holds(const std::string& state, std::string* why) const;
  bool FindTag(const std::string& name, ImVec2* center, double fx, double fy);
  void Fail(const std::string& why);
  void Next();
  void TypeQuickly(const ui::Chord& chord, const std::string& text);
  void TakeQuick();  // what of it comes in this frame
  // Nothing runs in any thread, and the picture stands.
  bool Still(std::string* why) const;

  Shell& shell_;
  Hooks hooks_;
  std::deque<Line> lines_;
  bool begun_ = false, failed_ = false, refused_ = false, commanded_ = false;
  size_t console_seen_ = 0;  // lines of the console, when a `command` was sent
  // What the present line still does, a step a frame.
  std::deque<std::function<void()>> steps_;
  std::string waiting_;     // a state
  std::string pressing_;    // the key of `press`; empty: none
  double waited_since_ = 0, wait_limit_ = 0;
  bool may_pass_ = false;   // the wait ends after its limit without a mistake
  uint64_t drawn_ = 0;      // a number that what was drawn last makes, and since when
  double drawn_since_ = 0;
  std::vector<std::string> masks_;
  int settle_ = 0;          // frames before the next line
  std::string looking_for_; // a tag
  ImVec2 looked_at_;        // where it was in the frame before
  double looked_since_ = 0;
  int frames_left_ = 0;
  std::vector<double> frame_ms_;
  std::string elapsed_;     // what is said of the time once the frame is drawn
  // The mouse and the keys.
  ImVec2 mouse_ = {-1, -1};
  bool button_[3] = {false, false, false};
  float wheel_ = 0;
  bool ctrl_ = false, shift_ = false, alt_ = false;
  int key_ = -1;
  std::string typed_;
  InputQueue quick_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_SHELL_DRIVER_H_
