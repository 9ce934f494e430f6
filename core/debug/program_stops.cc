// Breakpoints that the program itself asks for: frontend_attributes={breakpoint="true"}, as JAX writes for set_xla_metadata(x, breakpoint=True).
#include "absl/strings/match.h"
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

void AddProgramBreakpoints(Session::State& s) {
  constexpr size_t kMostNumbers = 20;  // beyond it they share one number
  std::vector<Location> found;
  for (const Computation* computation : s.module->computations) {
    for (const Instruction* instruction : computation->schedule) {
      if (!instruction->frontend_attributes.empty() && AsksForStop(instruction->frontend_attributes)) found.push_back({computation, instruction->index});
    }
  }
  const size_t each = found.size() > kMostNumbers ? found.size() : 1;
  for (size_t k = 0; k < found.size(); k += each) {
    const std::string spec = each > 1 ? "breakpoint=\"true\"" : ShownName(found[k].instruction());
    s.AddBreakpoint(spec, std::vector<Location>(found.begin() + k, found.begin() + std::min(found.size(), k + each))).from_program = true;
  }
}

}  // namespace hloscope
