// What the app gives the window: reading programs of all formats, and sessions on the chosen backend.
#ifndef HLOSCOPE_APP_GUI_WIRING_H_
#define HLOSCOPE_APP_GUI_WIRING_H_

#include "app/cli/arguments.h"
#include "visualizer/model/engine.h"

namespace hloscope::gui {

Wiring MakeWiring(const cli::ProgramOptions& options);

// For the small programs of lessons.
std::unique_ptr<Backend> MakeInterpreter();
// Where lessons lie: $HLOSCOPE_LESSONS_FOLDER, else as samples do.
std::string LessonsFolder();
// Where samples lie: $HLOSCOPE_ASSETS/samples, ../assets/samples or ../share/hloscope/samples from the program's own folder, or where they were
// built from. Where none of these is there: all of them, for a message.
std::string SamplesFolder();

}  // namespace hloscope::gui

#endif  // HLOSCOPE_APP_GUI_WIRING_H_
