// hloscope export: writes a program in another form, chosen by the ending of the output: HLO text or an HloProto.
#include <cstdio>
#include <fstream>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "app/cli/arguments.h"
#include "app/cli/load.h"
#include "app/cli/verb.h"
#include "core/text/hlo_text.h"
#include "core/text/proto/hlo_proto.h"

namespace hloscope::cli {

int Run_export(const std::vector<std::string>& args) {
  CLI::App app("Writes a program in the form that the output's ending names: .hlo (HLO text), .pb (HloProto).", "hloscope export");
  std::string file, out;
  PrintOptions options;
  bool no_metadata = false;
  app.add_option("FILE", file, "a program; - reads standard input")->required();
  app.add_option("-o,--output", out, "the output; - writes HLO text to standard output")->required();
  app.add_flag("--percent", options.percent, "names with %");
  app.add_flag("--operand-shapes", options.operand_shapes, "operands with their shapes");
  app.add_flag("--no-metadata", no_metadata, "leave metadata out");
  app.add_option("--max-literal-elements", options.max_literal_elements, "elide larger constants as {...}");
  if (const auto status = Parse(app, args)) return *status;
  options.metadata = !no_metadata;
  const bool proto = absl::EndsWith(out, ".pb");
  if (out != "-" && !proto && !absl::EndsWith(out, ".hlo") && !absl::EndsWith(out, ".txt")) {
    return UsageError(absl::StrCat("cannot write ", out, ": only HLO text (.hlo) and HloProto (.pb) can be exported yet; pictures and graphs come with the window"));
  }
  Loaded loaded;
  int status = kOk;
  const std::unique_ptr<Module> module = LoadOrReport(file, loaded, status);
  if (module == nullptr) return status;
  const std::string text = proto ? WriteHloProto(*module) : PrintHloText(*module, options);
  if (out == "-") {
    std::cout << text << std::flush;
    return kOk;
  }
  std::ofstream stream(out, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) return UsageError(absl::StrCat("cannot write ", out));
  return kOk;
}

}  // namespace hloscope::cli
