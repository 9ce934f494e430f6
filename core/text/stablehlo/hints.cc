// What was meant by a name of an operation, an attribute or a function that is not known.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/text/stablehlo/convert.h"
#include "core/text/stablehlo/operation_names.h"

namespace hloscope::stablehlo {

std::string Converter::HintForOperation(absl::string_view name) {
  const std::vector<std::string>& names = StableHloOperationNames();
  absl::string_view dialect = name.substr(0, name.find('.') + 1);
  if (std::none_of(names.begin(), names.end(), [&](const std::string& n) { return absl::StartsWith(n, dialect); })) dialect = "";
  NearestName nearest(name.substr(dialect.size()), &suggestion_budget_);
  for (absl::string_view other : names) {
    if (absl::ConsumePrefix(&other, dialect)) nearest.Offer(other);
  }
  return nearest.Hint(dialect);
}

std::string Converter::HintForFunction(absl::string_view name) {
  NearestName nearest(name, &suggestion_budget_);
  std::vector<std::string> names;
  for (const mlir::Op* function : functions_) names.push_back(SymbolOf(*function));
  for (const std::string& other : names) nearest.Offer(other);
  return nearest.Hint("@");
}

const mlir::Attr* OpContext::Need(absl::string_view name) const {
  const mlir::Attr* a = attr(name);
  if (a != nullptr) return a;
  const std::string message = absl::StrCat(op.name, " needs the attribute ", name);
  // One that is written and nearly called so is the place of the mistake.
  int64_t budget = 1 << 16;
  NearestName nearest(name, &budget);
  for (const mlir::NamedAttr& written : op.attributes) nearest.Offer(written.name);
  for (const mlir::NamedAttr& written : op.attributes) {
    if (written.name != nearest.best() || !written.name_range.valid()) continue;
    scope.emit.computation()->in_error = true;
    c.sink().Error(written.name_range, HLO_LABEL("stablehlo.missing-attribute"), message, absl::StrCat("did you mean '", name, "'?"));
    return nullptr;
  }
  Error(HLO_LABEL("stablehlo.missing-attribute"), message);
  return nullptr;
}

std::optional<std::vector<int64_t>> OpContext::NeedInts(absl::string_view name) const {
  if (Need(name) == nullptr) return std::nullopt;
  return Ints(name);
}

void Converter::ReportUnknown(const mlir::Op& op) {
  const std::string hint = HintForOperation(op.name);
  if (hint.empty() && absl::StartsWith(op.name, "sdy.")) {
    return sink_.Error(PlaceOf(op), HLO_LABEL("stablehlo.before-partitioner"),
                       absl::StrCat(op.name, " is of Shardy: this is a program before XLA's SPMD partitioner, which says what each device computes, and it is not executed"),
                       "dump the program after it: XLA_FLAGS=--xla_dump_to=DIR writes DIR/*after_optimizations.txt, which run, debug and check read as HLO text; --partitions N runs it on N devices");
  }
  sink_.Error(PlaceOf(op), HLO_LABEL("stablehlo.unknown-operation"), absl::StrCat("the operation ", op.name, " is not known"),
              hint.empty() ? "operations of the stablehlo, chlo, func and check dialects are read" : hint);
}

void OpContext::TellMisspelt() const {
  for (const mlir::NamedAttr& written : op.attributes) {
    if (!written.name_range.valid() || std::find(asked_.begin(), asked_.end(), written.name) != asked_.end()) continue;
    int64_t budget = 1 << 16;
    NearestName nearest(written.name, &budget);
    for (absl::string_view name : asked_) {
      if (op.Find(name) == nullptr) nearest.Offer(name);
    }
    if (!nearest.best().empty()) c.sink().Warning(written.name_range, HLO_LABEL("stablehlo.unknown-attribute"), absl::StrCat("the attribute ", written.name, " is not known and is ignored"), nearest.Hint());
  }
}

}  // namespace hloscope::stablehlo
