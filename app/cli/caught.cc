#include "app/cli/caught.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "app/cli/number_json.h"
#include "core/base/diagnostic.h"
#include "core/debug/locations.h"
#include "core/ir/written_names.h"

namespace hloscope::cli {

using nlohmann::ordered_json;

std::string ErrorAt(const Module& module, const Instruction& at, const std::string& text) {
  if (module.source == nullptr) return absl::StrCat("hloscope: ", text, "\n");
  const size_t first = std::min(text.find('\n'), text.size());
  std::string all =
      Render({Severity::kError, "", text.substr(0, first), at.name_range.valid() ? at.name_range : at.range, ""}, *module.source);
  if (first < text.size()) absl::StrAppend(&all, text.substr(first + 1), "\n");
  return all;
}

std::string CaughtDiagnostic(const Module& module, const Caught& caught, const std::string& device) {
  return ErrorAt(module, *caught.instruction, absl::StrCat(device, device.empty() ? "" : ": ", CaughtText(module, caught)));
}

ordered_json CaughtJson(const Module& module, const Caught& caught) {
  const Finding& f = caught.finding;
  ordered_json j = {{"kind", std::string(Name(caught.kind))},
                    {"instruction", NameInText(*caught.instruction)},
                    {"computation", std::string(caught.instruction->parent->name)}};
  j["output"] = f.output >= 0 ? ordered_json(f.output) : ordered_json();
  j["index"] = f.index;
  j["value"] = f.has_value ? Number(f.value) : ordered_json();
  j["why"] = f.why;
  j["operands"] = ordered_json::array();
  for (const CaughtRead& read : f.read)
    j["operands"].push_back({{"instruction", NameInText(*read.instruction)}, {"index", read.index}, {"value", Number(read.value)}});
  j["inner"] = ordered_json();
  if (f.inner.has_value()) {
    j["inner"] = {{"instruction", NameInText(*f.inner->instruction)},
                  {"computation", std::string(f.inner->instruction->parent->name)},
                  {"value", Number(f.inner->value)}};
    j["inner"]["operands"] = ordered_json::array();
    for (const auto& [from, value] : f.inner->read)
      j["inner"]["operands"].push_back({{"instruction", NameInText(*from)}, {"value", Number(value)}});
    j["inner"]["hidden"] = f.hidden;
  }
  j["constant"] = f.constant != nullptr ? ordered_json(NameInText(*f.constant)) : ordered_json();
  j["loops"] = ordered_json::array();
  j["calls"] = ordered_json::array();
  for (const CaughtFrame& frame : caught.frames) {
    if (frame.kind == FrameKind::kCall) j["calls"].push_back({{"instruction", NameInText(*frame.caller)}, {"computation", std::string(frame.caller->parent->name)}});
    if (!IsLoop(frame.kind)) continue;
    j["loops"].push_back({{"instruction", NameInText(*frame.caller)},
                          {"iteration", frame.iteration},
                          {"condition", frame.kind == FrameKind::kWhileCondition}});
  }
  j["further"] = f.further;
  j["inherited"] = f.inherited;
  j["line"] = LineOf(module, *caught.instruction);
  const auto [file, line] = CaughtSource(module, caught);
  j["source"] = line > 0 ? ordered_json({{"file", file}, {"line", line}}) : ordered_json();
  return j;
}

ordered_json GivenJson(absl::Span<const GivenBad> given) {
  ordered_json j = ordered_json::array();
  for (const GivenBad& g : given) {
    j.push_back({{"kind", std::string(Name(g.kind))},
                 {"parameter", g.parameter->parameter_number},
                 {"instruction", NameInText(*g.parameter)},
                 {"output", g.parameter->shape.IsTuple() ? ordered_json(g.leaf) : ordered_json()},
                 {"index", g.index},
                 {"count", g.count}});
  }
  return j;
}

}  // namespace hloscope::cli
