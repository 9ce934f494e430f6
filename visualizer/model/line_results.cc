#include "visualizer/model/line_results.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

constexpr int kMost = 64;  // results: more have no room anywhere

// What the text before "=" names, with the name of each as it is found by: {"0#0", "#0"}, {"0#1", "#1"}. Fewer than two: no such line.
std::vector<std::pair<std::string, std::string>> SeveralResults(absl::string_view line) {
  std::vector<std::pair<std::string, std::string>> names;
  line = absl::StripLeadingAsciiWhitespace(line);
  const size_t end = line.find('=');
  if (line.empty() || line[0] != '%' || end == absl::string_view::npos) return names;
  const std::vector<absl::string_view> written = absl::StrSplit(line.substr(0, end), ',');
  for (absl::string_view name : written) {
    name = absl::StripAsciiWhitespace(name);
    if (name.size() < 2 || name[0] != '%') return {};
    const size_t colon = name.find(':');
    const absl::string_view stem = name.substr(1, colon == absl::string_view::npos ? colon : colon - 1);
    int count = 1;
    if (colon != absl::string_view::npos && (!absl::SimpleAtoi(name.substr(colon + 1), &count) || count < 1)) return {};
    const std::string before = written.size() > 1 ? absl::StrCat("%", stem) : "";
    for (int k = 0; k < count && names.size() < kMost; ++k) {
      if (count == 1) names.emplace_back(stem, before);
      else names.emplace_back(absl::StrCat(stem, "#", k), absl::StrCat(before, "#", k));
    }
  }
  return names;
}

}  // namespace

std::vector<LineResult> ResultsOfLine(absl::string_view line, const std::vector<const Instruction*>& beginning) {
  if (beginning.empty()) return {};
  const std::vector<std::pair<std::string, std::string>> names = SeveralResults(line);
  const Computation* tried = nullptr;
  // What an operation calls may begin on its line too.
  for (size_t k = beginning.size(); names.size() > 1 && k > 0; --k) {
    const Computation* computation = beginning[k - 1]->parent;
    if (computation == nullptr || computation == tried) continue;
    tried = computation;
    std::vector<LineResult> results;
    for (const auto& [name, label] : names) {
      const Instruction* found = computation->FindInstruction(name);
      if (found != nullptr) results.push_back({found, label});
    }
    if (results.size() == names.size()) return results;
  }
  // The parameters of a function, which its line names all.
  const auto is_parameter = [&](const Instruction* i) { return i->parameter_number >= 0 && i->parent == beginning[0]->parent; };
  if (beginning.size() > 1 && std::all_of(beginning.begin(), beginning.end(), is_parameter)) {
    std::vector<LineResult> results;
    for (const Instruction* i : beginning) results.push_back({i, ShownName(*i)});
    return results;
  }
  // Not the one that a reducer written on the same line consists of.
  for (const Instruction* i : beginning) {
    if (names.size() == 1 && i->parent != nullptr && i->parent->FindInstruction(names[0].first) == i) return {{i, ""}};
  }
  return {{beginning.back(), ""}};
}

const Instruction& OperationWritten(absl::string_view line, const Instruction& instruction) {
  if (instruction.operands.size() != 1 || instruction.operands[0] == nullptr || !instruction.operands[0]->shape.IsTuple() || instruction.shape.IsTuple()) return instruction;
  const std::vector<LineResult> results = ResultsOfLine(line, {&instruction});
  const bool one_of = std::any_of(results.begin(), results.end(), [&](const LineResult& r) { return r.instruction == &instruction; });
  return results.size() > 1 && one_of ? *instruction.operands[0] : instruction;
}

}  // namespace hloscope
