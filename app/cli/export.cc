// hloscope export: writes a program in another form, chosen by the ending of the output: HLO text or an HloProto here, drawings and pages in
// the window's part (export.h).
#include "app/cli/export.h"

#include <cstdio>
#include <fstream>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "app/cli/load.h"
#include "app/cli/verb.h"
#include "core/text/hlo_text.h"
#include "core/text/proto/hlo_proto.h"

namespace hloscope::cli {

bool IsDrawn(const std::string& out) {
  for (const char* ending : {".dot", ".svg", ".png", ".pdf", ".html"}) {
    if (absl::EndsWith(out, ending)) return true;
  }
  return false;
}

namespace {

// What the output is, for which options mean something.
enum Output : unsigned { kText = 1, kProto = 2, kPicture = 4, kDot = 8, kGraph = 16, kPage = 32 };

Output OutputOf(const DrawRequest& draw) {
  const bool picture = draw.picture.empty() ? !draw.at.empty() : draw.picture != "graph";
  if (picture) return kPicture;
  if (absl::EndsWith(draw.out, ".html")) return kPage;
  if (absl::EndsWith(draw.out, ".dot")) return kDot;
  return IsDrawn(draw.out) ? kGraph : absl::EndsWith(draw.out, ".pb") ? kProto : kText;
}

struct OptionUse {
  const char* name;
  unsigned outputs;
  const char* with;  // what it goes with
};
constexpr unsigned kAnyGraph = kDot | kGraph | kPage;
constexpr const char* kGraphs = "a graph as .dot, .svg, .png, .pdf or .html";
constexpr const char* kPictures = "a picture of an instruction (--at)";
constexpr const char* kDrawn = "what is drawn: .dot, .svg, .png, .pdf or .html";
constexpr OptionUse kUses[] = {
    {"--percent", kText, "HLO text"},
    {"--operand-shapes", kText, "HLO text"},
    {"--no-metadata", kText, "HLO text"},
    {"--max-literal-elements", kText, "HLO text"},
    {"--picture", kPicture | kAnyGraph, ".dot, .svg, .png, .pdf or .html"},
    {"--at", kPicture, "a picture of an instruction; --around is the graph's"},
    {"--select", kPicture, kPictures},
    {"--step", kPicture, kPictures},
    {"--option", kPicture, kPictures},
    {"--width", kPicture, kPictures},
    {"--language", kPicture, kPictures},
    {"--computation", kAnyGraph, kGraphs},
    {"--depth", kAnyGraph, kGraphs},
    {"--boxes", kAnyGraph, kGraphs},
    {"--around", kAnyGraph, kGraphs},
    {"--hops", kDot | kGraph, "a graph as .dot, .svg, .png or .pdf"},
    {"--path", kAnyGraph, kGraphs},
    {"--slice", kAnyGraph, kGraphs},
    {"--influence", kAnyGraph, kGraphs},
    {"--color", kAnyGraph, kGraphs},
    {"--device", kAnyGraph, kGraphs},
    {"--light", kPicture | kAnyGraph, kDrawn},
    {"--dark", kPicture | kAnyGraph, kDrawn},
    {"--scale", kPicture | kGraph, ".svg, .png or .pdf"},
    {"--values", kPage, ".html"},
    {"--no-run", kPicture | kAnyGraph, kDrawn},
};

// An option that the output has no use for; empty: none.
std::string WithoutUse(const OptionParser& app, const DrawRequest& draw) {
  const Output output = OutputOf(draw);
  for (const OptionUse& use : kUses) {
    if (app.count(use.name) > 0 && (use.outputs & output) == 0) {
      return absl::StrCat(use.name, " goes with ", use.with, ", not with ", output == kPicture ? "a picture of an instruction (--at, --picture)" : draw.out);
    }
  }
  if (app.count("--hops") > 0 && draw.around.empty()) return "--hops goes with --around: so far around that instruction";
  return "";
}

}  // namespace

int Run_export(const std::vector<std::string>& args) {
  OptionParser app("Writes a program in the form that the output's ending names: .hlo (HLO text), .pb (HloProto), the graph as .dot, .svg, .png, .pdf or as an .html page, a picture of an instruction as .svg, .png or .pdf.", "hloscope export");
  DrawRequest draw;
  PrintOptions options;
  bool no_metadata = false;
  app.add_option("FILE", draw.file, "a program; - reads standard input")->required();
  app.add_option("-o,--output", draw.out, "the output; - writes HLO text to standard output");
  app.add_flag("--percent", options.percent, "text: names with %");
  app.add_flag("--operand-shapes", options.operand_shapes, "text: operands with their shapes");
  app.add_flag("--no-metadata", no_metadata, "text: leave metadata out");
  app.add_option("--max-literal-elements", options.max_literal_elements, "text: elide larger constants as {...}");
  app.add_option("--picture", draw.picture, "what is drawn: graph (the default without --at), or a picture of an instruction by its name (layout, numbers, broadcast, gather, ...); list prints those that suit")->type_name("graph | ID | list");
  app.add_option("--at", draw.at,
                 "picture: of this instruction, as the command break takes places ('%dot.5', 'op:gather', 'body:x', '%y if iteration == "
                 "2'; the first time it is reached without a condition); %x[0,1] selects an element, %x[1][0] one of a tuple's element 1; runs the program so far. Without "
                 "--picture the one that suits best")
      ->type_name("INSTRUCTION");
  app.add_option("--select", draw.select, "picture: the selected cell: result[0,1], 1[2] of operand 1, or in a tuple first its element: result[1][0,1]")->type_name("CELL");
  app.add_option("--step", draw.step, "picture: one step of those that have an order")->type_name("N")->range(0, 1 << 30);
  app.add_option("--option", draw.picture_options, "picture: what its buttons set (minor_to_major=0,1)")->type_name("NAME=VALUE")->repeated_one_each();
  app.add_option("--width", draw.width, "picture: that there is room for (900)")->range(100, 20000);
  app.add_option("--language,--lang", draw.language, "picture: the language of its captions (en, es, ...)")->type_name("LANG")->capture_default_str();
  app.add_option("--computation", draw.computation, "graph: this computation, not the entry")->type_name("NAME");
  app.add_option("--depth", draw.depth, "graph: scopes and calls are open down to this depth; with --slice and --influence: no more than so many hops")->type_name("N")->range(0, 1000);
  app.add_option("--boxes", draw.boxes, "graph: at most about so many boxes (150): what there is no room for stays closed; the top level is whole also where it has more")->type_name("N")->range(1, 100000);
  app.add_option("--around", draw.around, "graph: what lies around this instruction")->type_name("INSTRUCTION");
  app.add_option("--hops", draw.hops, "graph: so far around it")->type_name("N")->range(0, 1000)->capture_default_str();
  app.add_option("--path", draw.path, "graph: the shortest way from one instruction to another (in .html marked in the whole)")->type_name("FROM TO")->expected(2);
  app.add_option("--slice,--why", draw.why, "graph: what an element was made from, as the command why takes it: '%y[0,1]', '/depth 5 %loss @ iteration 3'; runs the program (in .html marked in the whole)")->type_name("ELEMENT");
  app.add_option("--influence", draw.influence, "graph: what an element goes on to influence; runs the program")->type_name("ELEMENT");
  app.add_option("--color,--colour", draw.color, "graph: by class (or opcode), type, memory; or time, health, error, which run the program")->capture_default_str();
  app.add_option("--device", draw.device,
                 "graph: where a program runs on several devices: of this replica (and its partition) are times, health, errors, values "
                 "and the ELEMENT of a slice (0.0)")
      ->type_name("R[.P]");
  app.add_flag("--light", draw.light, "light colours");
  app.add_flag("--dark", draw.dark, "dark colours (else light ones; of .html those that the reader prefers)")->excludes("--light");
  app.add_option("--scale", draw.scale, "png, svg, pdf: size of everything (png 2, else 1)")->range(0.1, 8.0);
  app.add_flag("--values", draw.values, "html: with the values of a run, however long it takes");
  app.add_flag("--no-run", draw.no_run, "html: without a run; picture: shapes without values")->excludes("--values");
  draw.program.AddTo(app);
  if (const auto status = app.Parse(args)) return *status;
  if (draw.out.empty() && draw.picture != "list") return UsageError("--output is required; see: hloscope export --help");
  if (const std::string unused = WithoutUse(app, draw); !unused.empty()) return UsageError(unused);
  const bool picture = draw.picture == "list" || !draw.at.empty() || (!draw.picture.empty() && draw.picture != "graph");
  if (picture && draw.picture != "graph") {
    const bool has_ending = absl::EndsWith(draw.out, ".svg") || absl::EndsWith(draw.out, ".png") || absl::EndsWith(draw.out, ".pdf");
    if (draw.picture == "list" || has_ending) return DrawPicture(draw);
    return UsageError(absl::StrCat("a picture of an instruction goes with .svg, .png or .pdf, not with ", draw.out));
  }
  if (IsDrawn(draw.out)) return Draw(draw);
  options.metadata = !no_metadata;
  const std::string& out = draw.out;
  const bool proto = absl::EndsWith(out, ".pb");
  if (out != "-" && !proto && !absl::EndsWith(out, ".hlo") && !absl::EndsWith(out, ".txt")) {
    return UsageError(absl::StrCat("cannot write ", out, ": name it .hlo or .txt (HLO text), .pb (HloProto), .dot, .svg, .png, .pdf or .html"));
  }
  Loaded loaded;
  int status = kOk;
  const std::unique_ptr<Module> module = LoadOrReport(draw.file, loaded, status);
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
