// What `hloscope export` draws. Asked for here, drawn in the window's part (app/gui), which has Graphviz, typefaces and pictures.
#ifndef HLOSCOPE_APP_CLI_EXPORT_H_
#define HLOSCOPE_APP_CLI_EXPORT_H_

#include <string>
#include <vector>

#include "app/cli/arguments.h"

namespace hloscope::cli {

struct DrawRequest {
  std::string file, out;
  std::string picture;               // "graph", or a picture's id; empty: by the other options
  // A picture of an instruction.
  std::string at, select;            // "%x" or "%x[0,1]"; a cell: "1[2]"
  std::vector<std::string> picture_options;  // NAME=VALUE
  int step = -1;
  double width = 0;                  // 0: the default
  std::string language = "en";       // of what the picture says
  // The graph.
  std::string computation, around, why, influence, color = "class";
  std::vector<std::string> path;
  std::string device;                   // of several, whose run is drawn: "1" or "1.0"; empty: the first
  int depth = -1, hops = 2, boxes = 0;  // 0: the default
  bool light = false, dark = false;
  double scale = 0;                  // 0: the ending's own
  bool values = false, no_run = false;
  ProgramOptions program;
};
// The endings that are drawn: .dot, .svg, .png, .pdf, .html.
bool IsDrawn(const std::string& out);
// Returns the exit status.
int Draw(const DrawRequest& request);
int DrawPicture(const DrawRequest& request);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_EXPORT_H_
