// What the app gives the window: reading programs of all formats, and sessions on the chosen backend.
#ifndef HLOSCOPE_APP_GUI_WIRING_H_
#define HLOSCOPE_APP_GUI_WIRING_H_

#include "app/cli/arguments.h"
#include "visualizer/model/engine.h"

namespace hloscope::gui {

Wiring MakeWiring(const cli::ProgramOptions& options);

// For the small programs of lessons.
std::unique_ptr<Backend> MakeInterpreter();
// Where lessons lie: $HLOSCOPE_LESSONS_FOLDER, or where they were built from.
std::string LessonsFolder();

}  // namespace hloscope::gui

#endif  // HLOSCOPE_APP_GUI_WIRING_H_
