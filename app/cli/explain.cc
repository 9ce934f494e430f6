// hloscope explain: the page of an operation, or of an instruction of a program.
#include "core/debug/explain.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "app/cli/arguments.h"
#include "app/cli/load.h"
#include "app/cli/verb.h"
#include "app/reference/pages.h"
#include "core/debug/locations.h"
#include "core/text/nearest_name.h"

namespace hloscope::cli {

int Run_explain(const std::vector<std::string>& args) {
  CLI::App app("Shows an operation's page, or an instruction's formula, shapes, layout and requirements.", "hloscope explain");
  std::vector<std::string> what;
  app.add_option("WHAT", what, "OP, or FILE INSTRUCTION")->required()->expected(1, 2);
  if (const auto status = Parse(app, args)) return *status;

  if (what.size() == 1) {
    if (const std::optional<Opcode> opcode = OpcodeFromName(what[0])) {
      std::fputs(OperationPage(*opcode).c_str(), stdout);
      return kOk;
    }
    int64_t budget = 1 << 20;
    NearestName nearest(what[0], &budget);
    for (int i = 0; i < kOpcodeCount; ++i) nearest.Offer(Name(static_cast<Opcode>(i)));
    const std::string hint = nearest.Hint();
    return UsageError(absl::StrCat("there is no operation '", what[0], "'", hint.empty() ? "" : absl::StrCat("; ", hint)));
  }
  Loaded loaded;
  int status = kOk;
  const std::unique_ptr<Module> module = LoadOrReport(what[0], loaded, status);
  if (module == nullptr) return status;
  const absl::StatusOr<std::vector<Location>> found = ResolveLocations(*module, what[1], module->entry);
  if (!found.ok()) return UsageError(std::string(found.status().message()));
  for (size_t i = 0; i < found->size(); ++i) {
    std::printf("%s%s", i > 0 ? "\n" : "", ExplainInstruction(*module, (*found)[i].instruction()).c_str());
    if (i == 9 && found->size() > 10) {
      std::printf("\n(and %zu more)\n", found->size() - 10);
      break;
    }
  }
  return kOk;
}

}  // namespace hloscope::cli
