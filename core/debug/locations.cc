// Each form of a location has its function; ResolveLocations chooses among them by the text alone.
#include "core/debug/locations.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <regex>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/ops/op.h"
#include "core/text/nearest_name.h"

namespace hloscope {
namespace {

using Locations = std::vector<Location>;

template <typename Predicate>
Locations Select(const Module& module, Predicate predicate) {
  Locations found;
  for (const Computation* computation : module.computations) {
    for (const Instruction* instruction : computation->schedule) {
      if (predicate(*instruction)) found.push_back({computation, instruction->index});
    }
  }
  return found;
}

// Where a run of instructions for which `predicate` holds begins; handles that touch no element (parameters, tuples, constants) neither
// begin nor break a run.
template <typename Predicate>
Locations SelectEntries(const Module& module, Predicate predicate) {
  Locations found;
  for (const Computation* computation : module.computations) {
    bool inside = false;
    for (const Instruction* instruction : computation->schedule) {
      if (Def(*instruction).op_class == OpClass::kStructural) continue;
      const bool now = predicate(*instruction);
      if (now && !inside) found.push_back({computation, instruction->index});
      inside = now;
    }
  }
  return found;
}

absl::Status NotFound(absl::string_view what, absl::string_view hint = "") {
  return absl::NotFoundError(absl::StrCat(what, hint.empty() ? "" : "; ", hint));
}

std::string NearestOperation(absl::string_view name) {
  int64_t budget = 1 << 20;
  NearestName nearest(name, &budget);
  for (int i = 0; i < kOpcodeCount; ++i) nearest.Offer(Name(static_cast<Opcode>(i)));
  return nearest.Hint();
}

std::string NearestInModule(const Module& module, absl::string_view name) {
  int64_t budget = 20 << 20;
  NearestName nearest(name, &budget);
  for (const Computation* computation : module.computations) {
    nearest.Offer(computation->name);
    for (const Instruction* instruction : computation->instructions) nearest.Offer(instruction->name);
  }
  const std::string hint = nearest.Hint();
  return hint.empty() ? "list shows the program's text, info source its Python frames" : hint;
}

absl::StatusOr<Locations> ByOperation(const Module& module, absl::string_view name) {
  const std::optional<Opcode> opcode = OpcodeFromName(name);
  if (!opcode) return NotFound(absl::StrCat("there is no operation '", name, "'"), NearestOperation(name));
  Locations found = Select(module, [&](const Instruction& i) { return i.opcode == *opcode; });
  if (found.empty()) return NotFound(absl::StrCat("no instruction of this program is a ", name));
  return found;
}

absl::StatusOr<Locations> ByRegex(const Module& module, absl::string_view pattern) {
  std::regex regex;
  try {
    regex.assign(std::string(pattern), std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& e) {
    return absl::InvalidArgumentError(absl::StrCat("/", pattern, "/ is no regular expression: ", e.what()));
  }
  Locations found = Select(module, [&](const Instruction& i) { return std::regex_search(i.name.begin(), i.name.end(), regex); });
  if (found.empty()) return NotFound(absl::StrCat("no instruction's name matches /", pattern, "/"));
  return found;
}

bool InScope(absl::string_view op_name, absl::string_view scope) {
  for (size_t at = op_name.find(scope); at != absl::string_view::npos; at = op_name.find(scope, at + 1)) {
    const size_t end = at + scope.size();
    if ((at == 0 || op_name[at - 1] == '/') && (end == op_name.size() || op_name[end] == '/')) return true;
  }
  return false;
}

absl::StatusOr<Locations> ByScope(const Module& module, absl::string_view scope) {
  while (absl::ConsumeSuffix(&scope, "/")) {
  }
  if (scope.empty()) return absl::InvalidArgumentError("scope: takes a part of op_name, as scope:jit(f)/attention");
  Locations found = SelectEntries(module, [&](const Instruction& i) { return InScope(i.metadata.op_name, scope); });
  if (found.empty()) {
    const bool any = !Select(module, [](const Instruction& i) { return !i.metadata.op_name.empty(); }).empty();
    return NotFound(absl::StrCat("no instruction's op_name is in the scope '", scope, "'"), any ? "info op shows an instruction's op_name" : "this program has no op_names");
  }
  return found;
}

bool FileMatches(absl::string_view path, absl::string_view wanted) {
  return absl::EndsWith(path, wanted) && (path.size() == wanted.size() || path[path.size() - wanted.size() - 1] == '/');
}

absl::StatusOr<Locations> BySourceLine(const Module& module, absl::string_view file, int line) {
  // The innermost frame where some instruction has it there, else any frame.
  for (const bool innermost : {true, false}) {
    Locations found = SelectEntries(module, [&](const Instruction& i) {
      if (i.metadata.stack_frame_id == 0 && i.metadata.source_file.empty()) return false;
      for (const PythonFrame& frame : module.PythonFrames(i)) {
        if (frame.line == line && FileMatches(frame.file, file)) return true;
        if (innermost) break;
      }
      return false;
    });
    if (!found.empty()) return found;
  }
  // Say which lines of that file there are.
  int nearest = 0;
  bool file_known = false, any = false;
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->schedule) {
      if (i->metadata.stack_frame_id == 0 && i->metadata.source_file.empty()) continue;
      for (const PythonFrame& frame : module.PythonFrames(*i)) {
        any = true;
        if (!FileMatches(frame.file, file)) continue;
        if (!file_known || std::abs(frame.line - line) < std::abs(nearest - line)) nearest = frame.line;
        file_known = true;
      }
    }
  }
  if (file_known) return NotFound(absl::StrCat("no instruction comes from ", file, ":", line), absl::StrCat("the nearest line is ", nearest));
  return NotFound(absl::StrCat("no instruction comes from a file ", file), any ? "info source shows an instruction's frames" : "this program's text names no source files");
}

absl::StatusOr<Locations> ByTextLine(const Module& module, int line) {
  Locations found = Select(module, [&](const Instruction& i) { return LineOf(module, i) == line; });
  if (found.empty()) return NotFound(absl::StrCat("no instruction begins on line ", line, " of the text"), "list shows the text");
  return found;
}

absl::StatusOr<Locations> ByName(const Module& module, absl::string_view spec, const Computation* current) {
  absl::string_view name = absl::StripPrefix(spec, "%");
  const size_t colon = name.find(':');
  if (colon != absl::string_view::npos) {
    const absl::string_view computation_name = name.substr(0, colon), instruction_name = absl::StripPrefix(name.substr(colon + 1), "%");
    const Computation* computation = module.FindComputation(computation_name);
    if (computation == nullptr) return NotFound(absl::StrCat("there is no computation '", computation_name, "'"), NearestInModule(module, computation_name));
    const Instruction* instruction = computation->FindInstruction(instruction_name);
    if (instruction != nullptr) return Locations{{computation, instruction->index}};
    int64_t budget = 1 << 20;
    NearestName nearest(instruction_name, &budget);
    for (const Instruction* i : computation->instructions) nearest.Offer(i->name);
    return NotFound(absl::StrCat("the computation ", computation_name, " has no instruction '", instruction_name, "'"), nearest.Hint());
  }
  if (current != nullptr) {
    if (const Instruction* instruction = current->FindInstruction(name)) return Locations{{current, instruction->index}};
  }
  Locations found;
  for (const Computation* computation : module.computations) {
    if (const Instruction* instruction = computation->FindInstruction(name)) found.push_back({computation, instruction->index});
  }
  if (!found.empty()) return found;
  if (const Computation* computation = module.FindComputation(name)) {
    if (!computation->schedule.empty()) return Locations{{computation, FirstStop(*computation)}};
  }
  return NotFound(absl::StrCat("there is no instruction or computation '", name, "'"), NearestInModule(module, name));
}

}  // namespace

absl::StatusOr<std::vector<Location>> ResolveLocations(const Module& module, absl::string_view spec, const Computation* current) {
  spec = absl::StripAsciiWhitespace(spec);
  if (spec.empty()) return absl::InvalidArgumentError("a location is missing: an instruction, a computation, op:dot, /regex/, model.py:142, scope:NAME (see: help break)");
  if (absl::ConsumePrefix(&spec, "op:")) return ByOperation(module, spec);
  if (absl::ConsumePrefix(&spec, "scope:")) return ByScope(module, spec);
  if (spec.size() >= 2 && spec.front() == '/' && spec.back() == '/') return ByRegex(module, spec.substr(1, spec.size() - 2));
  int line = 0;
  if (absl::SimpleAtoi(spec, &line)) return ByTextLine(module, line);
  const size_t colon = spec.rfind(':');
  if (colon != absl::string_view::npos && absl::SimpleAtoi(spec.substr(colon + 1), &line)) {
    const absl::string_view file = spec.substr(0, colon);
    if (module.source != nullptr && FileMatches(module.source->name(), file)) return ByTextLine(module, line);
    // "body:5" could name an instruction called 5; a file has a dot or a slash.
    if (module.FindComputation(absl::StripPrefix(file, "%")) == nullptr) return BySourceLine(module, file, line);
  }
  return ByName(module, spec, current);
}

int LineOf(const Module& module, const Instruction& instruction) {
  if (module.source == nullptr || !instruction.range.valid()) return 0;
  return module.source->Locate(instruction.range.begin).line;
}

absl::string_view Basename(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

std::string Describe(const Module& module, const Location& location) {
  std::string text = absl::StrCat("%", location.instruction().name, " in ", location.computation->name);
  const int line = LineOf(module, location.instruction());
  if (line > 0) absl::StrAppend(&text, ", ", Basename(module.source->name()), ":", line);
  return text;
}

int FirstStop(const Computation& computation) {
  for (const Instruction* instruction : computation.schedule) {
    if (instruction->parameter_number < 0) return instruction->index;
  }
  return std::max<int>(0, static_cast<int>(computation.schedule.size()) - 1);
}

}  // namespace hloscope
