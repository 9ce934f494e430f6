#include "core/debug/instruction_names.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/ir/written_names.h"

namespace hloscope {

InstructionName ParseInstructionName(absl::string_view text) {
  text = absl::StripPrefix(absl::StripAsciiWhitespace(text), "%");
  if (text.size() > 2 && text.front() == '"' && text.find('"', 1) == text.size() - 1) return {"", text.substr(1, text.size() - 2)};  // with spaces in it
  const size_t end = std::min(text.find_first_of(" \t:"), text.size());
  absl::string_view rest = text.substr(end);
  const absl::string_view first = text.substr(0, end);
  if (absl::ConsumePrefix(&rest, ":")) return {first, absl::StripPrefix(rest, "%")};
  absl::string_view behind = rest;
  const absl::string_view in = TakeIn(behind);
  if (!in.empty() && behind.empty()) return {in, first};
  return {"", text};
}

const Instruction* FindNamed(const Computation& computation, absl::string_view text) {
  const InstructionName name = ParseInstructionName(text);
  return name.computation.empty() || name.computation == computation.name ? computation.FindInstruction(name.name) : nullptr;
}

absl::Status NoSuchNamed(const Module& module, const InstructionName& name) {
  constexpr size_t kMost = 4;
  int64_t budget = 20 << 20;
  const Computation* home = module.FindComputation(name.computation);
  std::vector<std::string> places;  // where an instruction of that name is
  for (const Computation* computation : module.computations) {
    if (places.size() <= kMost && computation->FindInstruction(name.name) != nullptr) places.push_back(absl::StrCat(computation->name, ":", name.name));
  }
  if (places.size() > kMost) places.back() = "...";
  std::string hint = places.empty() ? "" : absl::StrCat("there is ", absl::StrJoin(places, ", "));
  if (home != nullptr) {
    NearestName nearest(name.name, &budget);
    for (const Instruction* i : home->instructions) OfferName(nearest, *i);
    const std::string near = nearest.Hint();
    if (!near.empty()) hint = absl::StrCat(near, hint.empty() ? "" : "; ", hint);
    return absl::NotFoundError(absl::StrCat("the computation ", name.computation, " has no instruction '", name.name, "'", hint.empty() ? "" : "; ", hint));
  }
  const bool instruction = std::any_of(module.computations.begin(), module.computations.end(), [&](const Computation* c) { return c->FindInstruction(name.computation) != nullptr; });
  if (hint.empty()) {
    NearestName nearest(name.computation, &budget);
    for (const Computation* computation : module.computations) nearest.Offer(computation->name);
    hint = nearest.Hint();
  }
  return absl::NotFoundError(absl::StrCat(instruction ? absl::StrCat("%", name.computation, " is an instruction, no computation") : absl::StrCat("there is no computation '", name.computation, "'"),
                                          hint.empty() ? "" : "; ", hint));
}

absl::string_view TakeIn(absl::string_view& text) {
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(text);
  if (rest.size() == text.size() || !absl::ConsumePrefix(&rest, "in") || rest.empty() || !absl::ascii_isspace(rest[0])) return "";
  rest = absl::StripPrefix(absl::StripLeadingAsciiWhitespace(rest), "%");
  const auto is_name = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-'; };
  const size_t end = static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), is_name) - rest.begin());
  if (end == 0) return "";
  text = rest.substr(end);
  return rest.substr(0, end);
}

void OfferName(NearestName& nearest, const Instruction& instruction) {
  const absl::string_view written = WrittenName(instruction);
  nearest.Offer(written.empty() ? instruction.name : written);
}

}  // namespace hloscope
