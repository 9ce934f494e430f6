// Whether results have the types that the text gives them, and which were meant.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {

using mlir::Op;
using mlir::Type;

namespace {

// The same element types and sizes; bounds count as sizes.
bool SameSizes(const Shape& a, const Shape& b) {
  if (a.element_type() != b.element_type() || a.IsTuple() != b.IsTuple()) return false;
  if (!a.IsTuple()) return !a.IsArray() || a.dimensions() == b.dimensions();
  const auto left = a.tuple_shapes(), right = b.tuple_shapes();
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), SameSizes);
}

// What the rule of an operation gives where its instruction was made with the type that is written; that one where the rule refuses it, which is
// the verifier's to say. Of one of several results, what the operation as a whole gives there.
Shape ShapeByRule(const Instruction& made) {
  const bool element = made.opcode == Opcode::kGetTupleElement && made.operands[0]->range.begin == made.range.begin;
  DiagnosticSink unheard;
  const std::optional<Shape> inferred = InferShape(element ? *made.operands[0] : made, unheard);
  if (!inferred.has_value() || unheard.error_count() > 0) return made.shape;
  if (!element) return *inferred;
  const int64_t index = made.Int(AttrId::kIndex);
  return inferred->IsTuple() && index >= 0 && index < static_cast<int64_t>(inferred->tuple_shapes().size()) ? inferred->tuple_shapes()[index] : made.shape;
}

// The verifier would say the same again.
void TakeShapeOfRule(Instruction& made, const Shape& given) {
  if (made.opcode == Opcode::kGetTupleElement && made.operands[0]->range.begin == made.range.begin) {
    DiagnosticSink unheard;
    if (const std::optional<Shape> whole = InferShape(*made.operands[0], unheard)) made.operands[0]->shape = *whole;
  }
  made.shape = given;
}

// Whether the type of a result is written for it alone, behind an arrow: of one type for all, the operands' are meant, too.
bool IsResultTypeAlone(const Op& op, const Type& type, absl::string_view text) {
  if (!type.range.valid() || type.range.begin < op.name_range.end || type.range.end > op.range.end) return false;
  return absl::StrContains(text.substr(static_cast<size_t>(op.name_range.end), static_cast<size_t>(type.range.begin - op.name_range.end)), "->");
}

}  // namespace

void Converter::CheckResultTypes(Scope& scope, const Op& op) {
  for (const auto& result : op.results) {
    Instruction*& made = scope.values[result.get()];
    const std::optional<Shape> written = IsQuantized(result->type) ? std::nullopt : StaticShape(result->type);
    if (made == nullptr || !written) continue;
    const Shape given = SameSizes(*written, made->shape) ? ShapeByRule(*made) : made->shape;
    if (SameSizes(*written, given)) continue;
    scope.emit.computation()->in_error = true;
    const std::string meant = IsResultTypeAlone(op, result->type, source().text()) ? mlir::TypeText(given) : "";
    sink_.Error(meant.empty() ? PlaceOf(op) : result->type.range, HLO_LABEL("stablehlo.result-type"),
                absl::StrCat(op.name, " gives ", given.ToString(false), " as ", result->name.empty() ? "its result" : result->name, ", which is written as ", mlir::TypeText(result->type)),
                meant.empty() ? "write the type that the operands and attributes lead to" : absl::StrCat("did you mean '", meant, "'?"));
    TakeShapeOfRule(*made, given);
    made = nullptr;  // what uses it would report the same again
  }
}

}  // namespace hloscope::stablehlo
