#include "core/text/stablehlo/signatures.h"

#include "absl/strings/str_cat.h"

namespace hloscope::stablehlo {
namespace {

using mlir::Attr;
using mlir::Op;
using mlir::Region;
using mlir::Type;

const Type* TypeOf(const Op& function) {
  const Attr* type = function.Find("function_type");
  return type == nullptr || type->kind != Attr::Kind::kType || type->type.kind != Type::Kind::kFunction ? nullptr : &type->type;
}

// The same type, or one that the other refines: a size that is known here may be `?` there.
bool Fits(const Type& a, const Type& b) {
  if (mlir::SameType(a, b)) return true;
  const auto tensor = [](const Type& t) { return t.kind == Type::Kind::kTensor || t.kind == Type::Kind::kUnranked; };
  if (!tensor(a) || !tensor(b) || a.shape.element_type() != b.shape.element_type()) return false;
  if (a.kind == Type::Kind::kUnranked || b.kind == Type::Kind::kUnranked) return true;
  if (a.shape.rank() != b.shape.rank()) return false;
  for (int d = 0; d < a.shape.rank(); ++d) {
    if (a.shape.dim(d) != b.shape.dim(d) && a.shape.dim(d) != Shape::kUnbounded && b.shape.dim(d) != Shape::kUnbounded) return false;
  }
  return true;
}

// `has` are values or results as they are written, `wants` the types that they must have.
template <typename List>
bool Agree(const List& has, const std::vector<Type>& wants, size_t* at) {
  for (*at = 0; *at < wants.size(); ++*at) {
    const auto& value = has[*at];
    if (value == nullptr || value->type.kind == Type::Kind::kNone || wants[*at].kind == Type::Kind::kNone) continue;
    if (!Fits(value->type, wants[*at])) return false;
  }
  return true;
}

std::string Counted(size_t n, absl::string_view what) { return absl::StrCat(n, " ", what, n == 1 ? "" : "s"); }

void CheckReturn(const Op& function, DiagnosticSink& sink) {
  const auto& ops = function.regions[0]->ops;
  for (size_t k = 0; k + 1 < ops.size(); ++k) {
    if (!IsReturn(*ops[k])) continue;
    sink.Error(PlaceOf(*ops[k + 1]), HLO_LABEL("stablehlo.after-return"), absl::StrCat("nothing can follow the return of @", SymbolOf(function)),
               "a function has one return, at its end");
    return;
  }
  if (ops.empty() || !IsReturn(*ops.back())) {
    if (!ops.empty() && ops.back()->in_error) return;
    sink.Error(PlaceOf(function), HLO_LABEL("stablehlo.no-return"), absl::StrCat("the function @", SymbolOf(function), " has no return at its end"),
               "write `return` with its results behind the last operation");
    return;
  }
  const Op& end = *ops.back();
  const Type* type = TypeOf(function);
  if (type == nullptr || end.in_error) return;
  size_t at = 0;
  if (end.operands.size() != type->results.size()) {
    sink.Error(PlaceOf(end), HLO_LABEL("stablehlo.return-count"),
               absl::StrCat("@", SymbolOf(function), " has ", Counted(type->results.size(), "result"), ", but ", end.operands.size(), end.operands.size() == 1 ? " is" : " are", " returned"));
  } else if (!Agree(end.operands, type->results, &at)) {
    sink.Error(at < end.operand_ranges.size() ? end.operand_ranges[at] : PlaceOf(end), HLO_LABEL("stablehlo.return-type"),
               absl::StrCat("@", SymbolOf(function), " gives ", mlir::TypeText(type->results[at]), ", but ", end.operands[at]->name, " has the type ", mlir::TypeText(end.operands[at]->type)),
               "mend the function's type or what it returns");
  }
}

void CheckCall(const Op& call, const Op& callee, DiagnosticSink& sink) {
  const Type* type = TypeOf(callee);
  if (type == nullptr || call.in_error) return;
  const std::string name = absl::StrCat("@", SymbolOf(callee));
  size_t at = 0;
  // The number of arguments is looked at where the callee is converted.
  if (call.operands.size() == type->elements.size() && !Agree(call.operands, type->elements, &at)) {
    sink.Error(at < call.operand_ranges.size() ? call.operand_ranges[at] : PlaceOf(call), HLO_LABEL("stablehlo.call-argument-type"),
               absl::StrCat(name, " takes ", mlir::TypeText(type->elements[at]), " as argument ", at, ", but ", call.operands[at]->name, " has the type ",
                            mlir::TypeText(call.operands[at]->type)));
  }
  if (call.results.size() != type->results.size()) {
    sink.Error(PlaceOf(call), HLO_LABEL("stablehlo.call-result-count"),
               absl::StrCat(name, " has ", Counted(type->results.size(), "result"), ", but its call is written with ", call.results.size()));
  } else if (!Agree(call.results, type->results, &at)) {
    const SourceRange written = call.results[at]->type.range;
    const bool mends = written.valid() && !type->results[at].text.empty();
    sink.Error(mends ? written : PlaceOf(call), HLO_LABEL("stablehlo.call-result-type"),
               absl::StrCat(name, " gives ", mlir::TypeText(type->results[at]), ", but its call is written as giving ", mlir::TypeText(call.results[at]->type)),
               mends ? absl::StrCat("did you mean '", type->results[at].text, "'?") : "");
  }
}

void CheckCalls(const Converter& converter, const Region& region, DiagnosticSink& sink) {
  for (const auto& op : region.ops) {
    const Attr* symbol = op->name == "func.call" || op->name == "call" ? op->Find("callee") : op->name == "stablehlo.composite" ? op->Find("decomposition") : nullptr;
    const Op* callee = symbol == nullptr ? nullptr : converter.FindFunction(symbol->text);
    if (callee != nullptr) CheckCall(*op, *callee, sink);
    for (const auto& inner : op->regions) CheckCalls(converter, *inner, sink);
  }
}

}  // namespace

void CheckSignatures(const Converter& converter, DiagnosticSink& sink) {
  for (const Op* function : converter.functions()) {
    CheckReturn(*function, sink);
    CheckCalls(converter, *function->regions[0], sink);
  }
}

}  // namespace hloscope::stablehlo
