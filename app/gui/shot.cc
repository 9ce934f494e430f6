// hloscope shot: the window, or one panel, as a picture; without a screen too.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "app/cli/verb.h"
#include "app/gui/screen.h"
#include "app/gui/window.h"
#include "visualizer/panels/panel.h"

namespace hloscope::cli {
namespace {

// Why no picture can be written there, before anything is drawn for it; empty: it can.
std::string WhyNotWritten(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  if (there && std::filesystem::is_directory(path, error)) return absl::StrCat("cannot write ", path, ": ", std::strerror(EISDIR));
  if (access(there ? path.c_str() : folder.empty() ? "." : folder.c_str(), W_OK) != 0) return absl::StrCat("cannot write ", path, ": ", std::strerror(errno));
  return there || folder.empty() || std::filesystem::is_directory(folder, error) ? "" : absl::StrCat("cannot write ", path, ": ", std::strerror(ENOTDIR));
}

// A command of the console, which a scenario runs and judges.
std::string CommandLines(const std::string& command) { return absl::StrCat("command ", command, "\nwait idle\nanswered ", command, "\n"); }

}  // namespace

int Run_shot(const std::vector<std::string>& args) {
  OptionParser app("Draws the window, or one panel, into a picture.", "hloscope shot");
  gui::WindowOptions options;
  options.keep = false;
  options.scheme = 0;
  std::vector<std::string> scripts, drives;
  std::string out;
  bool light = false;
  options.width = 1600;
  options.height = 1000;
  options.scale = 1;
  app.add_option("FILE", options.file, "the program");
  app.add_option("-o", out, "the picture")->type_name("OUT.png")->required();
  app.add_option("--script", scripts, "a file of console commands to execute first; several in order")->type_name("SCRIPT")->repeated_one_each();
  app.add_option("--ex", options.commands, "a console command to execute after the scripts; several in order")->type_name("COMMAND")->repeated_one_each();
  app.add_option("--drive", drives, "a script of clicks and keys to follow before the picture")->type_name("SCRIPT")->repeated_one_each()->existing_file();
  app.add_option("--panel", options.only_panel, "draws this panel alone");
  app.add_option("--width", options.width, "of the window, in pixels at scale 1")->range(200, 8000);
  app.add_option("--height", options.height, "of the window")->range(40, 8000);
  app.add_option("--scale", options.scale, "size of everything")->range(0.5, 4.0);
  app.add_flag("--keep", options.keep, "with the settings and the session of the window, which are kept again");
  app.add_flag("--light", light, "light colours");
  app.add_flag("--steady", options.steady, "for comparing pictures: OUT.png.varies lists the rectangles that differ from run to run (times, temporary files); frames that no picture is taken of are not painted");
  options.program.AddTo(app);
  if (const auto status = app.Parse(args)) return *status;
  if (!options.file.empty() && options.file != "-") {
    std::error_code error;
    if (std::filesystem::is_directory(options.file, error)) return UsageError(absl::StrCat(options.file, " is a folder; name a program in it"));
    std::ifstream readable(options.file);
    if (!readable) return UsageError(absl::StrCat("cannot open ", options.file, ": ", std::strerror(errno)));
    if (readable.peek() == std::ifstream::traits_type::eof()) return UsageError(absl::StrCat(options.file, " is empty: it holds no program"));
  }
  if (options.file == "-" && std::cin.peek() == std::char_traits<char>::eof()) return UsageError("standard input is empty: it holds no program");
  if (!absl::EndsWith(out, ".png")) return UsageError("shot writes .png; -o OUT.png");
  if (const std::string why = WhyNotWritten(out); !why.empty()) return UsageError(why);
  if (!options.only_panel.empty() && FindPanelRow(options.only_panel) == nullptr) {
    std::string names;
    for (const PanelRow& row : PanelRows()) absl::StrAppend(&names, names.empty() ? "" : ", ", row.id);
    return UsageError(absl::StrCat("there is no panel ", options.only_panel, "; there are ", names));
  }
  options.scheme = light ? 1 : options.keep ? -1 : 0;
  if (options.keep && app.count("--width") + app.count("--height") == 0) options.width = options.height = 0;  // as it was kept
  options.width = static_cast<int>(static_cast<float>(options.width) * options.scale);
  options.height = static_cast<int>(static_cast<float>(options.height) * options.scale);
  std::string drive = options.file.empty() ? "" : "wait fact phase != empty\nwait idle\n";
  for (const std::string& script : scripts) {
    std::ifstream file(script);
    if (!file) return UsageError(absl::StrCat("cannot open ", script));
    for (std::string line; std::getline(file, line);) {
      if (!line.empty() && line[0] != '#') absl::StrAppend(&drive, CommandLines(line));
    }
  }
  for (const std::string& command : options.commands) absl::StrAppend(&drive, CommandLines(command));
  options.commands.clear();
  for (const std::string& name : drives) {
    std::ifstream file(name);
    std::stringstream text;
    text << file.rdbuf();
    absl::StrAppend(&drive, text.str(), "\n");
  }
  // What is asked by panels that were just drawn comes a few frames later.
  absl::StrAppend(&drive, "settle\nshot ", out, "\n");
  options.drive_text = drive;
  // A screen of our own: the picture does not depend on the person's.
  const int wide = options.width > 0 ? options.width : 2560, high = options.height > 0 ? options.height : 1600;
  absl::StatusOr<gui::VirtualScreen> screen = gui::VirtualScreen::Start(wide, high);
  if (!screen.ok()) {
    if (std::getenv("DISPLAY") == nullptr) return UsageError(std::string(screen.status().message()));
    return gui::ShowWindow(options);
  }
  return gui::ShowWindow(options);
}

}  // namespace hloscope::cli
