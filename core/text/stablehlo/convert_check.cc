// Assertions: custom calls with side effects, whose meaning is core/ops/check_calls.h. Numbers like tolerances stand in their backend_config.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {
namespace {

void AddCheck(OpContext& c, absl::string_view target, Operands operands, const std::string& config) {
  const Shape none = Shape::Tuple({});
  Instruction* call = c.e.Add(Opcode::kCustomCall, std::move(operands),
                              {c.Text(AttrId::kCustomCallTarget, target), IntAttribute(AttrId::kCustomCallHasSideEffect, 1)}, &none, target);
  if (call != nullptr && !config.empty()) call->backend_config = c.c.module().Intern(Quoted(config));
}

// The expected value of the forms that hold it as an attribute.
Instruction* Expected(OpContext& c) {
  const mlir::Attr* value = c.Need("value");
  if (value == nullptr || c.op.in_error) return nullptr;
  if (!value->value.has_value()) {
    c.Error(HLO_LABEL("stablehlo.check-value"), "the expected value must be dense<...> elements");
    return nullptr;
  }
  return c.e.Constant(value->value, "expected");
}

std::string Tolerance(const OpContext& c) {
  const mlir::Attr* tolerance = c.attr("tolerance");
  const auto number = tolerance == nullptr ? std::nullopt : NumberOf(*tolerance);
  return number ? absl::StrFormat("tolerance=%.17g", *number) : std::string();
}

void ExpectEq(OpContext& c) {
  if (ComparesLike(c)) AddCheck(c, "check.expect_eq", c.ins(), "");
}
void ExpectEqConst(OpContext& c) { AddCheck(c, "check.expect_eq", {c.in(0), Expected(c)}, ""); }
void ExpectAlmostEq(OpContext& c) {
  if (ComparesLike(c)) AddCheck(c, "check.expect_almost_eq", c.ins(), Tolerance(c));
}
void ExpectAlmostEqConst(OpContext& c) { AddCheck(c, "check.expect_almost_eq", {c.in(0), Expected(c)}, Tolerance(c)); }
void ExpectClose(OpContext& c) {
  if (!ComparesLike(c)) return;
  std::vector<std::string> parts;
  for (const char* name : {"max_ulp_difference", "min_ulp_difference"}) {
    if (c.attr(name) != nullptr) parts.push_back(absl::StrCat(name, "=", static_cast<uint64_t>(c.Int(name, 0))));
  }
  AddCheck(c, "check.expect_close", c.ins(), absl::StrJoin(parts, ","));
}
void ExpectSerialized(OpContext& c) { AddCheck(c, "check.expect_serialized_eq", c.ins(), ""); }

constexpr Row kRows[] = {
    {"check.expect_eq", ExpectEq, 2, 2},
    {"check.expect_eq_const", ExpectEqConst, 1, 1},
    {"check.expect_almost_eq", ExpectAlmostEq, 2, 2},
    {"check.expect_almost_eq_const", ExpectAlmostEqConst, 1, 1},
    {"check.expect_close", ExpectClose, 2, 2},
    {"check.expect_serialized_eq", ExpectSerialized, 1, 1},
};

}  // namespace

absl::Span<const Row> CheckRows() { return kRows; }

bool ComparesLike(OpContext& c) {
  const Instruction* a = c.in(0);
  const Instruction* b = c.in(1);
  if (a == nullptr || b == nullptr || Shape::Compatible(a->shape, b->shape)) return true;
  c.Error(HLO_LABEL("stablehlo.check-shapes"), absl::StrCat("values of one type are compared, not ", a->shape.ToString(false), " with ", b->shape.ToString(false)));
  return false;
}

}  // namespace hloscope::stablehlo
