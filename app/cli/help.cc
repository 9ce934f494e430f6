// hloscope, hloscope help, hloscope --version: choosing the verb and saying what there is.
#include <cstdio>
#include <cstring>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "app/cli/verb.h"

namespace hloscope::cli {
namespace {

struct Verb {
  const char* name;
  const char* synopsis;
  const char* summary;
  int (*run)(const std::vector<std::string>&);
};
constexpr Verb kVerbs[] = {
#define X(verb, synopsis, summary) {#verb, synopsis, summary, Run_##verb},
#include "app/cli/verbs.def"
#undef X
};

const Verb* Find(const std::string& name) {
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return &verb;
  }
  return nullptr;
}

std::string HelpText() {
  std::string text = "hloscope - a debugger for tensor programs\n\nusage:\n";
  absl::StrAppendFormat(&text, "  hloscope %-36s %s\n", "[FILE]", "opens the desktop program");
  for (const Verb& verb : kVerbs) absl::StrAppendFormat(&text, "  hloscope %-36s %s\n", absl::StrCat(verb.name, " ", verb.synopsis), verb.summary);
  absl::StrAppend(&text, "  hloscope --version                            shows the version\n\n",
                  "A file - is standard input. Options of a verb: hloscope help VERB. The console's commands: help, in the console.\n",
                  "Exit status: 0 all well; 1 the program, a check or an assertion failed; 2 bad usage or unreadable input.\n");
  return text;
}

}  // namespace

int UsageError(const std::string& text) {
  std::cout.flush();
  std::fprintf(stderr, "hloscope: %s\n", text.c_str());
  return kUsage;
}

int Run_help(const std::vector<std::string>& args) {
  if (args.empty() || args[0] == "help" || args[0] == "--help") {
    std::fputs(HelpText().c_str(), stdout);
    return kOk;
  }
  if (const Verb* verb = Find(args[0])) return verb->run({"--help"});
  return UsageError(absl::StrCat("there is no verb ", args[0], "; see: hloscope help"));
}

int Main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (args.empty()) return OpenWindow({});
  if (args[0] == "--help" || args[0] == "-h") return Run_help({});
  if (args[0] == "--version") {
    std::printf("hloscope %s\n", HLOSCOPE_VERSION);
    return kOk;
  }
  const std::vector<std::string> rest(args.begin() + 1, args.end());
  if (const Verb* verb = Find(args[0])) return verb->run(rest);
  if (absl::StartsWith(args[0], "-") && args[0] != "-") return OpenWindow(args);
  if (std::FILE* file = args[0] == "-" ? stdin : std::fopen(args[0].c_str(), "rb")) {
    if (file != stdin) std::fclose(file);
    return OpenWindow(args);
  }
  return UsageError(absl::StrCat("there is neither a verb nor a file ", args[0], "; see: hloscope help"));
}

}  // namespace hloscope::cli
