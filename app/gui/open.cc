// hloscope [FILE]: opens the desktop program.
#include "app/cli/verb.h"
#include "app/gui/window.h"

namespace hloscope::cli {

int OpenWindow(const std::vector<std::string>& args) {
  OptionParser app("Opens the desktop program.", "hloscope");
  gui::WindowOptions options;
  std::string screen;
  app.add_option("FILE", options.file, "the program");
  app.add_option("--ex", options.commands, "a console command to execute after opening; several in order")->type_name("COMMAND")->repeated_one_each();
  app.add_option("--scale", options.scale, "size of everything; 1 is 96 dots an inch")->range(0.5, 4.0);
  app.add_option("--drive", options.drive, "a script of clicks and keys (see visualizer/shell/driver.h); the window closes at its end")->existing_file();
  options.program.AddTo(app);
  if (const auto status = app.Parse(args)) return *status;
  return gui::ShowWindow(options);
}

}  // namespace hloscope::cli
