// hloscope check: reads and verifies files, and says what is wrong with each.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "app/cli/arguments.h"
#include "app/cli/load.h"
#include "app/cli/verb.h"
#include "core/debug/program_inputs.h"
#include "core/debug/text_util.h"
#include "core/ops/custom_call_targets.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;

ordered_json FileJson(const std::string& path, const Loaded& loaded) {
  ordered_json file;
  file["file"] = path;
  file["ok"] = loaded.ok();
  file["format"] = loaded.format;
  file["instructions"] = loaded.module ? loaded.module->instruction_count() : 0;
  file["computations"] = loaded.module ? loaded.module->computations.size() : 0;
  ordered_json errors = ordered_json::array(), warnings = ordered_json::array();
  if (!loaded.open.ok()) errors.push_back({{"line", 0}, {"column", 0}, {"message", std::string(loaded.open.message())}});
  for (const Diagnostic& d : loaded.sink.diagnostics()) {
    const LineColumn place = d.range.valid() ? loaded.source->Locate(d.range.begin) : LineColumn();
    (d.severity == Severity::kError ? errors : warnings).push_back({{"line", place.line}, {"column", place.column}, {"message", d.message}});
  }
  file["errors"] = std::move(errors);
  file["warnings"] = std::move(warnings);
  file["elided_constants"] = loaded.ok() ? CountElidedConstants(*loaded.module) : 0;
  file["load_ms"] = loaded.load_ms + loaded.verify_ms;
  return file;
}

// What can be read and not run: how many instructions, and the first one.
struct NotExecuted {
  int64_t count = 0;
  const Instruction* first = nullptr;
};

NotExecuted FindQuantized(const Module& module) {
  NotExecuted found;
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      if (!IsQuantizedOperation(*i)) continue;
      if (found.count++ == 0) found.first = i;
    }
  }
  return found;
}

std::string Summary(const std::string& path, const Loaded& loaded) {
  const int errors = loaded.sink.error_count();
  if (errors > 0) return absl::StrFormat("%s: %d error%s\n", path, errors, errors == 1 ? "" : "s");
  const int64_t warnings = static_cast<int64_t>(loaded.sink.diagnostics().size());
  return absl::StrFormat("%s: %s, %d instructions in %d computations, read in %.1f ms, verified in %.1f ms\n", path, warnings > 0 ? Count(warnings, "warning") : "ok",
                         loaded.module->instruction_count(), loaded.module->computations.size(), loaded.load_ms, loaded.verify_ms);
}

}  // namespace

int Run_check(const std::vector<std::string>& args) {
  OptionParser app("Reads and verifies programs.", "hloscope check");
  std::vector<std::string> files;
  bool json = false;
  app.add_option("FILE", files, "programs; - reads standard input")->required();
  app.add_flag("--json", json, "one JSON object on standard output");
  if (const auto status = app.Parse(args)) return *status;

  int status = kOk;
  ordered_json list = ordered_json::array();
  for (const std::string& path : files) {
    const Loaded loaded = Load(path);
    ReportProblems(loaded);
    if (!loaded.open.ok()) {
      status = kUsage;
    } else if (!loaded.sink.diagnostics().empty() && status == kOk) {
      status = kFailed;
    }
    const int elided = loaded.ok() ? CountElidedConstants(*loaded.module) : 0;
    if (elided > 0) {
      std::fprintf(stderr, "%s: warning: %s elided in the text ({...}): a run makes them up and IS NOT A REPRODUCTION\n", path.c_str(),
                   absl::StrCat(Count(elided, "constant"), elided == 1 ? " is" : " are").c_str());
    }
    const NotExecuted quantized = loaded.ok() ? FindQuantized(*loaded.module) : NotExecuted();
    if (quantized.count > 0) {
      const std::string text = absl::StrCat("operations on quantized types are read, but not executed: there ", quantized.count == 1 ? "is " : "are ", quantized.count, ", and a run stops at the first");
      const Instruction& at = *quantized.first;
      std::fputs(Render({Severity::kNote, "", text, at.name_range.valid() ? at.name_range : at.range, ""}, *loaded.source).c_str(), stderr);
    }
    if (json) {
      list.push_back(FileJson(path, loaded));
      if (quantized.count > 0) list.back()["not_executed"] = quantized.count;
    } else if (loaded.open.ok()) {
      const std::string line = Summary(path, loaded);
      std::fwrite(line.data(), 1, line.size(), stdout);
      std::fflush(stdout);
    }
  }
  if (json) {
    const std::string text = ordered_json{{"files", std::move(list)}}.dump(2, ' ', false, ordered_json::error_handler_t::replace);
    std::printf("%s\n", text.c_str());
  }
  return status;
}

}  // namespace hloscope::cli
