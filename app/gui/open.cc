// hloscope [FILE]: opens the desktop program.
#include "app/cli/verb.h"
#include "app/gui/window.h"

namespace hloscope::cli {

int OpenWindow(const std::vector<std::string>& args) {
  CLI::App app("Opens the desktop program.", "hloscope");
  gui::WindowOptions options;
  std::string screen;
  app.add_option("FILE", options.file, "the program");
  app.add_option("--ex", options.commands, "a console command to execute after opening; several in order")->type_name("COMMAND")->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--scale", options.scale, "size of everything; 1 is 96 dots an inch")->check(CLI::Range(0.5, 4.0));
  app.add_option("--drive", options.drive, "a script of clicks and keys (see visualizer/shell/driver.h); the window closes at its end")->check(CLI::ExistingFile);
  options.program.AddTo(app);
  if (const auto status = Parse(app, args)) return *status;
  return gui::ShowWindow(options);
}

}  // namespace hloscope::cli
