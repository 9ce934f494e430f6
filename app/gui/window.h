// The real window: GLFW and OpenGL around the shell. Redraws when something happens, and not otherwise.
#ifndef HLOSCOPE_APP_GUI_WINDOW_H_
#define HLOSCOPE_APP_GUI_WINDOW_H_

#include <string>
#include <vector>

#include "app/cli/arguments.h"

namespace hloscope::gui {

struct WindowOptions {
  std::string file;                     // opened at the start; empty: none
  cli::ProgramOptions program;          // inputs, backend
  std::vector<std::string> commands;    // console commands to execute after opening, in order
  std::string drive;                    // a driver's script (a file); the window closes at its end
  std::string drive_text;               // the same as text
  int width = 0, height = 0;            // 0: as kept
  float scale = 0;                      // 0: the screen's, times the kept factor
  int scheme = -1;                      // 0 dark, 1 light, -1 as kept
  std::string only_panel;
  bool keep = true;                     // settings and recovery are read and written
  bool steady = false;                  // pictures for comparing: beside each a file that tells what differs from run to run
};

// Returns the exit status. Says what is wrong (no display) on standard error.
int ShowWindow(const WindowOptions& options);

}  // namespace hloscope::gui

#endif  // HLOSCOPE_APP_GUI_WINDOW_H_
