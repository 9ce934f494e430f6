// Breakpoints that the program itself asks for: frontend_attributes={breakpoint="true"}, as JAX writes for set_xla_metadata(x, breakpoint=True).
#include <utility>

#include "absl/strings/match.h"
#include "core/debug/stop_check.h"
#include "core/debug/stops.h"
#include "core/ir/frontend_attributes.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

bool AsksForStop(absl::string_view frontend_attributes) {
  const std::optional<absl::string_view> value = FrontendAttribute(frontend_attributes, "breakpoint");
  return value && (absl::EqualsIgnoreCase(*value, "true") || *value == "1");
}

}  // namespace

std::vector<std::vector<Location>> StopsOfProgram(const Module& module) {
  constexpr size_t kMostNumbers = 20;  // beyond it they share one number
  std::vector<std::vector<Location>> stops;
  for (const Computation* computation : module.computations) {
    for (const Instruction* instruction : computation->schedule) {
      if (!instruction->frontend_attributes.empty() && AsksForStop(instruction->frontend_attributes)) stops.push_back({{computation, instruction->index}});
    }
  }
  if (stops.size() <= kMostNumbers) return stops;
  std::vector<Location> all;
  for (const std::vector<Location>& stop : stops) all.push_back(stop[0]);
  return {std::move(all)};
}

void AddProgramBreakpoints(Session::State& s) {
  for (std::vector<Location>& stop : StopsOfProgram(*s.module)) {
    const std::string spec = stop.size() > 1 ? "breakpoint=\"true\"" : ShownName(stop[0].instruction());
    s.AddBreakpoint(spec, std::move(stop)).from_program = true;
  }
}

}  // namespace hloscope
