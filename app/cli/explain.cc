// hloscope explain: the page of an operation, or of an instruction of a program.
#include "core/debug/explain.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "app/cli/arguments.h"
#include "app/cli/load.h"
#include "app/cli/verb.h"
#include "app/reference/pages.h"
#include "core/base/nearest_name.h"
#include "core/debug/locations.h"
#include "core/ops/builder/methods.h"

namespace hloscope::cli {
namespace {

// What names have in common however they are spelled: opt-barrier, opt_barrier, OptBarrier.
std::string Letters(absl::string_view name) {
  std::string letters;
  for (char c : name) {
    if (absl::ascii_isalnum(c)) letters.push_back(absl::ascii_tolower(c));
  }
  return letters;
}

// "Clz" of "Op Clz(Op x)".
absl::string_view MethodName(absl::string_view signature) {
  signature = signature.substr(0, signature.find('('));
  return signature.substr(signature.rfind(' ') + 1);
}

// Names that an operation has elsewhere, in StableHLO or the specification, where they are more than another spelling.
constexpr std::pair<absl::string_view, absl::string_view> kOtherNames[] = {
    {"optimization-barrier", "opt-barrier"}, {"clz", "count-leading-zeros"}, {"ceiling", "ceil"}, {"sin", "sine"}, {"cos", "cosine"}, {"exp", "exponential"},
    {"expm1", "exponential-minus-one"}, {"log1p", "log-plus-one"}, {"neg", "negate"}, {"sub", "subtract"}, {"mul", "multiply"}, {"div", "divide"},
    {"rem", "remainder"}, {"pow", "power"}, {"max", "maximum"}, {"min", "minimum"}, {"conv", "convolution"}, {"dot-general", "dot"}, {"broadcast-in-dim", "broadcast"},
    {"case", "conditional"}, {"if", "conditional"}, {"population-count", "popcnt"}, {"create-token", "after-all"},
    {"bitcast-convert-type", "bitcast-convert"}, {"convert-element-type", "convert"}, {"composite", "call"},
    {"real-dynamic-slice", "dynamic-slice"}, {"dynamic-pad", "pad"}, {"dynamic-gather", "gather"}, {"dynamic-conv", "convolution"}, {"dynamic-iota", "iota"},
    {"dynamic-broadcast-in-dim", "broadcast"}, {"einsum", "dot"}, {"unary-einsum", "dot"}, {"torch-index-select", "gather"},
    {"logical-and", "and"}, {"logical-or", "or"}, {"logical-not", "not"}};

// The operation that a name in another spelling, a function of the builder or another dialect means.
std::optional<Opcode> OpcodeFromAlias(absl::string_view name) {
  for (absl::string_view dialect : {"stablehlo.", "mhlo.", "chlo.", "hlo::", "xla::"}) absl::ConsumePrefix(&name, dialect);
  const std::string letters = Letters(name);
  for (int i = 0; i < kOpcodeCount; ++i) {
    if (Letters(Name(static_cast<Opcode>(i))) == letters) return static_cast<Opcode>(i);
  }
  for (int i = 0; i < kOpcodeCount; ++i) {
    for (absl::string_view method : hlo::MethodsOf(static_cast<Opcode>(i))) {
      if (Letters(MethodName(method)) == letters) return static_cast<Opcode>(i);
    }
  }
  for (const auto& [other, known] : kOtherNames) {
    if (Letters(other) == letters) return OpcodeFromName(known);
  }
  return std::nullopt;
}

// "; did you mean ...?" among all names that would have been understood.
std::string Suggestion(absl::string_view wanted) {
  int64_t budget = 1 << 20;
  NearestName nearest(wanted, &budget);
  for (int i = 0; i < kOpcodeCount; ++i) nearest.Offer(Name(static_cast<Opcode>(i)));
  for (int i = 0; i < kOpcodeCount; ++i) {
    for (absl::string_view method : hlo::MethodsOf(static_cast<Opcode>(i))) nearest.Offer(MethodName(method));
  }
  for (const auto& [other, known] : kOtherNames) nearest.Offer(other);
  const absl::string_view best = nearest.best();
  if (best.empty()) return "";
  const std::optional<Opcode> opcode = OpcodeFromAlias(best);
  return absl::StrCat("; did you mean '", best, "'", opcode && Name(*opcode) != best ? absl::StrCat(", the operation '", Name(*opcode), "'") : "", "?");
}

}  // namespace

int Run_explain(const std::vector<std::string>& args) {
  OptionParser app("Shows an operation's page, or an instruction's formula, shapes, layout and requirements.", "hloscope explain");
  std::vector<std::string> what;
  app.add_option("WHAT", what, "OP, or FILE INSTRUCTION")->required()->expected(1, 2);
  if (const auto status = app.Parse(args)) return *status;

  if (what.size() == 1) {
    if (const std::optional<Opcode> opcode = OpcodeFromName(what[0]); opcode.has_value() && Name(*opcode) == what[0]) {
      std::fputs(OperationPage(*opcode).c_str(), stdout);
      return kOk;
    }
    if (const std::optional<Opcode> opcode = OpcodeFromAlias(what[0])) {
      std::printf("'%s' is the operation '%s':\n\n%s", what[0].c_str(), std::string(Name(*opcode)).c_str(), OperationPage(*opcode).c_str());
      return kOk;
    }
    return UsageError(absl::StrCat("there is no operation '", what[0], "'", Suggestion(what[0])));
  }
  Loaded loaded;
  int status = kOk;
  const std::unique_ptr<Module> module = LoadOrReport(what[0], loaded, status);
  if (module == nullptr) return status;
  const absl::StatusOr<std::vector<Location>> found = ResolveLocations(*module, what[1], module->entry);
  if (!found.ok()) return UsageError(std::string(found.status().message()));
  for (size_t i = 0; i < found->size(); ++i) {
    std::printf("%s%s", i > 0 ? "\n" : "", ExplainInstruction(*module, (*found)[i].instruction()).c_str());
    if (i == 9 && found->size() > 10) {
      std::printf("\n(and %zu more)\n", found->size() - 10);
      break;
    }
  }
  return kOk;
}

}  // namespace hloscope::cli
