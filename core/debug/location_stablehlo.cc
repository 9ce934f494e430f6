// Operations as StableHLO text calls them, in programs that were read from it: stablehlo.dot_general, dot_general. What one became may be
// several instructions; the one that makes its result is meant, and not what takes it apart or what it runs.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/debug/location_kinds.h"
#include "core/text/mlir/mlir.h"
#include "core/text/stablehlo/operation_names.h"

namespace hloscope {
namespace {

absl::string_view WithoutDialect(absl::string_view name) {
  const size_t dot = name.find('.');
  return dot == absl::string_view::npos ? name : name.substr(dot + 1);
}

// With the dialect where `like` has one.
bool Means(absl::string_view like, absl::string_view operation) {
  return !operation.empty() && GlobMatches(absl::StrContains(like, '.') ? operation : WithoutDialect(operation), like);
}

absl::string_view WrittenOperation(const Module& module, const Instruction& i) {
  const absl::string_view text = module.source->text();
  if (i.parameter_number >= 0 || !i.name_range.valid() || i.name_range.end > static_cast<int64_t>(text.size())) return "";
  absl::string_view name = text.substr(i.name_range.begin, i.name_range.end - i.name_range.begin);
  if (absl::ConsumePrefix(&name, "\"")) absl::ConsumeSuffix(&name, "\"");
  return absl::StartsWith(name, "@") ? absl::string_view() : name;
}

// Computations with the operations, by where they begin in the text, that run them: what is of the same operation in there is a part of it.
using CalledFor = absl::flat_hash_set<std::pair<const Computation*, int32_t>>;
CalledFor CallsOf(const Module& module) {
  CalledFor calls;
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->schedule) {
      for (const Computation* called : i->CalledComputations()) calls.insert({called, i->range.begin});
    }
  }
  return calls;
}

}  // namespace

Locations ByWrittenOperation(const Module& module, absl::string_view name) {
  Locations found;
  if (module.source == nullptr || !mlir::LooksLikeMlir(module.source->text())) return found;
  const CalledFor called_for = CallsOf(module);
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->schedule) {
      if (!Means(name, WrittenOperation(module, *i)) || called_for.contains({computation, i->range.begin})) continue;
      const bool same =
          !found.empty() && found.back().computation == computation && found.back().instruction().range.begin == i->range.begin;
      if (!same) found.push_back({computation, i->index});
      else if (Def(*i).op_class != OpClass::kStructural) found.back().position = i->index;
    }
  }
  return found;
}

std::optional<Opcode> OpcodeFromAnyName(absl::string_view name) {
  if (const std::optional<Opcode> opcode = OpcodeFromName(name)) return opcode;
  absl::ConsumePrefix(&name, "stablehlo.") || absl::ConsumePrefix(&name, "mhlo.");
  constexpr std::pair<absl::string_view, absl::string_view> kOthers[] = {
      {"dot_general", "dot"}, {"broadcast_in_dim", "broadcast"}, {"case", "conditional"}, {"if", "conditional"}};
  for (const auto& [theirs, ours] : kOthers) {
    if (name == theirs) name = ours;
  }
  return OpcodeFromName(absl::StrReplaceAll(name, {{"_", "-"}}));
}

bool IsStableHloOperation(absl::string_view name) {
  const std::vector<std::string>& names = StableHloOperationNames();
  return std::any_of(names.begin(), names.end(), [&](const std::string& each) { return !IsGlob(name) && Means(name, each); });
}

}  // namespace hloscope
