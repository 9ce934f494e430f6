// Breakpoints that the program itself asks for: frontend_attributes={breakpoint="true"}, as JAX writes for set_xla_metadata(x, breakpoint=True).
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "core/debug/stops.h"

namespace hloscope {
namespace {

absl::string_view Unquoted(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

// {key="value",...}, raw as written.
bool AsksForStop(absl::string_view raw) {
  if (!absl::StrContains(raw, "breakpoint")) return false;
  raw = absl::StripSuffix(absl::StripPrefix(absl::StripAsciiWhitespace(raw), "{"), "}");
  bool quoted = false;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= raw.size(); ++i) {
    const char c = i < raw.size() ? raw[i] : ',';
    if (c == '\\' && quoted) {
      ++i;
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '{' || c == '[')) ++depth;
    if (!quoted && (c == '}' || c == ']')) --depth;
    if (i < raw.size() && (c != ',' || quoted || depth > 0)) continue;
    const absl::string_view item = raw.substr(begin, i - begin);
    begin = i + 1;
    const size_t equals = item.find('=');
    if (equals == absl::string_view::npos || Unquoted(item.substr(0, equals)) != "breakpoint") continue;
    const absl::string_view value = Unquoted(item.substr(equals + 1));
    return absl::EqualsIgnoreCase(value, "true") || value == "1";
  }
  return false;
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
    const std::string spec = each > 1 ? "breakpoint=\"true\"" : absl::StrCat("%", found[k].instruction().name);
    s.AddBreakpoint(spec, std::vector<Location>(found.begin() + k, found.begin() + std::min(found.size(), k + each))).from_program = true;
  }
}

}  // namespace hloscope
