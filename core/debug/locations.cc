// Locations by name and line, and the choice among the forms of a location (location_kinds.h) by the text alone.
#include "core/debug/locations.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/file_words.h"
#include "core/debug/instruction_names.h"
#include "core/debug/location_kinds.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

std::string NearestInModule(const Module& module, absl::string_view name) {
  int64_t budget = 20 << 20;
  NearestName nearest(name, &budget);
  for (const Computation* computation : module.computations) {
    nearest.Offer(computation->name);
    for (const Instruction* instruction : computation->instructions) OfferName(nearest, *instruction);
  }
  const std::string hint = nearest.Hint();
  return hint.empty() ? "list shows the program's text, info source its Python frames" : hint;
}

absl::StatusOr<Locations> ByTextLine(const Module& module, int line) {
  Locations found = Select(module, [&](const Instruction& i) { return LineOf(module, i) == line; });
  if (found.empty()) return NoLocation(absl::StrCat("no instruction begins on line ", line, " of the text"), "list shows the text");
  return found;
}

// What was meant by words that are no name; empty: nothing is known.
std::string HintFor(const Module& module, absl::string_view name) {
  const size_t space = name.find(' ');
  if (space != absl::string_view::npos) {
    const absl::string_view first = name.substr(0, space);
    absl::string_view rest = absl::StripLeadingAsciiWhitespace(name.substr(space));
    if (first == "line") return absl::StrCat("a line of the text is meant by its number alone: ", rest);
    (void)(absl::ConsumePrefix(&rest, "when ") || absl::ConsumePrefix(&rest, "where ") || absl::ConsumePrefix(&rest, "if "));
    if (rest == "if") return absl::StrCat("a condition comes after if: ", first, " if iteration == 2");
    return absl::StrCat("a condition comes after if: ", first, " if ", rest);
  }
  if (OpcodeFromAnyName(absl::StripPrefix(name, "op=")).has_value())
    return absl::StrCat("did you mean op:", absl::StripPrefix(name, "op="), ", all instructions of that operation?");
  return NearestInModule(module, name);
}

absl::StatusOr<Locations> ByName(const Module& module, absl::string_view spec, const Computation* current) {
  absl::string_view name = absl::StripPrefix(spec, "%");
  if (const InstructionName parsed = ParseInstructionName(name); !parsed.computation.empty()) {
    const Computation* computation = module.FindComputation(parsed.computation);
    const Instruction* instruction = computation == nullptr ? nullptr : computation->FindInstruction(parsed.name);
    if (instruction != nullptr) return Locations{{computation, instruction->index}};
    return NoSuchNamed(module, parsed);
  } else {
    name = parsed.name;  // without its quotes
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
  return NoLocation(absl::StrCat("there is no instruction or computation '", name, "'"), HintFor(module, name));
}

// "%a,%body:b"; nothing: that is no list of names.
std::optional<absl::StatusOr<Locations>> ByNames(const Module& module, absl::string_view spec, const Computation* current) {
  const std::vector<absl::string_view> names = absl::StrSplit(spec, ',');
  if (names.size() < 2 || !std::all_of(names.begin(), names.end(), [](absl::string_view name) { return absl::StartsWith(absl::StripAsciiWhitespace(name), "%"); })) return std::nullopt;
  Locations found;
  for (absl::string_view name : names) {
    absl::StatusOr<Locations> one = ByName(module, absl::StripAsciiWhitespace(name), current);
    if (!one.ok()) return one;
    found.insert(found.end(), one->begin(), one->end());
  }
  const auto order = [](const Location& l) { return std::pair(l.computation->id, l.position); };
  std::sort(found.begin(), found.end(), [&](const Location& a, const Location& b) { return order(a) < order(b); });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

std::optional<int> TextLineOf(const Module& module, absl::string_view spec) {
  spec = absl::StripAsciiWhitespace(spec);
  int line = 0;
  if (absl::SimpleAtoi(spec, &line)) return line;
  std::string unquoted;
  if (absl::StartsWith(spec, "\"")) {
    absl::StatusOr<std::string> file = TakeQuoted(spec);
    if (!file.ok()) return std::nullopt;
    unquoted = absl::StrCat(*file, spec);
    spec = unquoted;
  }
  const size_t colon = spec.rfind(':');
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(spec.substr(colon + 1), &line)) return std::nullopt;
  if (module.source == nullptr || !FileMatches(module.source->name(), spec.substr(0, colon))) return std::nullopt;
  return line;
}

absl::StatusOr<std::vector<Location>> ResolveLocations(const Module& module, absl::string_view spec, const Computation* current) {
  spec = absl::StripAsciiWhitespace(spec);
  if (spec.empty()) return absl::InvalidArgumentError("a location is missing: an instruction, a computation, op:dot, shape:f32[*,3], call:NAME, /regex/, model.py:142, scope:NAME (see: help break)");
  if (spec[0] == '"') {  // a file with a space in its name, with its line or before it
    absl::StatusOr<std::string> unquoted = TakeQuoted(spec);
    if (!unquoted.ok()) return unquoted.status();
    return ResolveLocations(module, absl::StrCat(*unquoted, spec), current);
  }
  if (absl::ConsumePrefix(&spec, "op:")) return ByOperation(module, spec);
  if (absl::ConsumePrefix(&spec, "shape:")) return ByShape(module, spec);
  if (absl::ConsumePrefix(&spec, "call:")) return ByCalled(module, spec);
  if (absl::ConsumePrefix(&spec, "scope:")) return ByScope(module, spec);
  if (absl::ConsumePrefix(&spec, "file:")) return BySourceFile(module, spec);
  if (absl::ConsumePrefix(&spec, "function:") || absl::ConsumePrefix(&spec, "func:")) return ByFunction(module, "", spec);
  if (absl::ConsumePrefix(&spec, "re:")) return ByWholeText(module, spec);
  if (spec.size() >= 2 && spec.front() == '/' && spec.back() == '/') return ByRegex(module, spec.substr(1, spec.size() - 2));
  if (const std::optional<int> line = TextLineOf(module, spec); line.has_value()) return ByTextLine(module, *line);
  int line = 0;
  const size_t colon = spec.rfind(':');
  const absl::string_view file = spec.substr(0, colon);
  if (colon != absl::string_view::npos && absl::SimpleAtoi(spec.substr(colon + 1), &line)) {
    // "body:5" could name an instruction called 5; a file has a dot or a slash.
    if (module.FindComputation(absl::StripPrefix(file, "%")) == nullptr) return BySourceLine(module, file, line);
  }
  if (spec[0] == '@') {
    Locations found = EntriesOf(module, spec);
    return found.empty() ? ByFunction(module, "", spec) : absl::StatusOr<Locations>(std::move(found));
  }
  if (std::optional<absl::StatusOr<Locations>> several = ByNames(module, spec, current); several.has_value()) return *std::move(several);
  absl::StatusOr<Locations> named = ByName(module, spec, current);
  if (named.ok() || absl::StartsWith(spec, "%")) return named;
  if (colon != absl::string_view::npos && NamesSourceFile(module, file)) return ByFunction(module, file, spec.substr(colon + 1));
  if (colon == absl::string_view::npos && NamesSourceFile(module, spec)) return BySourceFile(module, spec);
  return named;
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
  std::string text = absl::StrCat(ShownName(location.instruction()), " in ", location.computation->name);
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
