// CHLO: operations of clients above StableHLO. Where HLO has the operation it is that one; else a call of a computation that says what it
// means (a composite, so that the name stays). Broadcasting forms make both sides equal first, by NumPy's rules.
#include <algorithm>
#include <functional>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/literal/scalar.h"
#include "core/text/stablehlo/convert.h"
#include "core/text/stablehlo/special_functions.h"

namespace hloscope::stablehlo {
namespace {

// -- Elementwise functions, on operands of equal dimensions --

// A call of a computation named after the operation; `fill` gets its parameters, in their own types, and returns the result.
Instruction* CallFunction(OpContext& c, absl::string_view name, const Operands& operands, const std::function<Ex(const std::vector<Ex>&)>& fill) {
  std::string key(name);
  for (const Instruction* x : operands) {
    if (x == nullptr) {
      c.e.computation()->in_error = true;
      return nullptr;
    }
    absl::StrAppend(&key, ";", x->shape.ToString(false));
  }
  const Origin origin = c.e.origin();
  Computation* f = c.c.Helper(key, absl::StrReplaceAll(name, {{"chlo.", ""}}), [&](Emitter& e, Computation*) {
    e.set_origin(origin);
    std::vector<Ex> parameters;
    for (const Instruction* x : operands) parameters.push_back({&e, e.Parameter(x->shape.WithoutLayouts(), operands.size() == 1 ? "x" : absl::StrCat("x", parameters.size()))});
    return fill(parameters).i;
  });
  if (f->root == nullptr) return nullptr;
  const Shape shape = f->root->shape.WithoutLayouts();
  Instruction* call = c.e.Add(Opcode::kCall, operands, {ComputationAttribute(AttrId::kToApply, f), IntAttribute(AttrId::kIsComposite, 1)}, &shape, c.name());
  if (call != nullptr) call->frontend_attributes = c.c.module().Intern(absl::StrCat("{composite.name=", Quoted(name), ",composite.attributes={},composite.version=\"1\"}"));
  return call;
}

using Function = Instruction* (*)(OpContext&, const Operands&);

bool AllFloats(OpContext& c, const Operands& operands) {
  for (const Instruction* x : operands) {
    if (x == nullptr) return false;
    if (x->shape.IsArray() && IsFloat(x->shape.element_type())) continue;
    c.Error(HLO_LABEL("chlo.float-operand"), absl::StrCat(c.op.name, " takes arrays of floats, not ", x->shape.ToString(false)));
    return false;
  }
  return true;
}

// Through f64 and back: narrower types get the rounded result of the wide one.
template <Ex (*function)(const Ex&)>
Instruction* Wide(OpContext& c, const Operands& operands) {
  if (!AllFloats(c, operands)) return nullptr;
  return CallFunction(c, c.op.name, operands, [](const std::vector<Ex>& x) { return function(x[0].As(ElementType::kF64)).As(x[0].i->shape.element_type()); });
}
template <Ex (*function)(const Ex&, const Ex&)>
Instruction* Wide2(OpContext& c, const Operands& operands) {
  if (!AllFloats(c, operands)) return nullptr;
  return CallFunction(c, c.op.name, operands,
                      [](const std::vector<Ex>& x) { return function(x[0].As(ElementType::kF64), x[1].As(ElementType::kF64)).As(x[0].i->shape.element_type()); });
}

template <Opcode opcode>
Instruction* Same(OpContext& c, const Operands& operands) {
  return c.e.Add(opcode, operands, {}, nullptr, c.name());
}

Instruction* NextAfterOf(OpContext& c, const Operands& operands) {
  if (!AllFloats(c, operands)) return nullptr;
  if (const ElementType type = operands[0]->shape.element_type(); BitWidth(type) == 6 || type == ElementType::kF8E8M0FNU) {
    c.Error(HLO_LABEL("chlo.next-after-type"), absl::StrCat("neighbours in ", Name(type), " are not defined here"));
    return nullptr;
  }
  return CallFunction(c, c.op.name, operands, [](const std::vector<Ex>& x) { return NextAfter(x[0], x[1]); });
}

Instruction* Conj(OpContext& c, const Operands& operands) {
  if (operands[0] == nullptr || !IsComplex(operands[0]->shape.element_type())) return operands[0];
  const Ex z = {&c.e, operands[0]};
  return Complex(Real(z), -Imag(z)).i;
}

Instruction* Square(OpContext& c, const Operands& operands) {
  const Ex z = {&c.e, operands[0]};
  if (z.i == nullptr) return nullptr;
  if (!IsComplex(z.i->shape.element_type())) return (z * z).i;
  return CallFunction(c, c.op.name, operands, [](const std::vector<Ex>& all) {
    // (x - y)(x + y) cancels less than x x - y y; equal magnitudes give 0 also where they are infinite.
    const Ex x = Real(all[0]), y = Imag(all[0]);
    const Ex real = Select(Abs(x) == Abs(y), 0.0, (x - y) * (x + y));
    return Complex(real, (x + x) * y);
  });
}

// Infinite: not finite and no NaN. Types without infinities have none.
Instruction* IsInfinite(OpContext& c, const Operands& operands, int sign) {
  if (!AllFloats(c, operands)) return nullptr;
  const Ex x = {&c.e, operands[0]};
  Ex infinite = !IsFinite(x) && (x == x);
  if (sign > 0) infinite = infinite && (x > 0);
  if (sign < 0) infinite = infinite && (x < 0);
  return infinite.i;
}
Instruction* IsInf(OpContext& c, const Operands& o) { return IsInfinite(c, o, 0); }
Instruction* IsPosInf(OpContext& c, const Operands& o) { return IsInfinite(c, o, 1); }
Instruction* IsNegInf(OpContext& c, const Operands& o) { return IsInfinite(c, o, -1); }

// w with asin z = (atan2(Re z, Re w), sign(Im z) Im w): Kahan's formulas.
Instruction* AsinAcosKernel(OpContext& c, const Operands& operands) {
  if (operands[0] == nullptr) return nullptr;
  if (!IsComplex(operands[0]->shape.element_type())) {
    c.Error(HLO_LABEL("chlo.complex-operand"), absl::StrCat(c.op.name, " takes arrays of complex numbers, not ", operands[0]->shape.ToString(false)));
    return nullptr;
  }
  return CallFunction(c, c.op.name, operands, [](const std::vector<Ex>& all) {
    const Ex& z = all[0];
    const Ex one = z.Like(1);
    return Complex(Real(Sqrt(one - z) * Sqrt(one + z)), Abs(Imag(z.Un(Opcode::kAsin))));
  });
}

Instruction* CompareOf(OpContext& c, const Operands& operands) {
  const mlir::Attr* direction = c.Need("comparison_direction");
  if (direction == nullptr) return nullptr;
  return c.e.Compare(WordOf(*direction), operands[0], operands[1], c.Word("compare_type") == "TOTALORDER" ? "TOTALORDER" : "");
}

struct Elementwise {
  absl::string_view name;  // without "chlo." and "broadcast_"
  Function function;
  int arity;
};
constexpr Elementwise kFunctions[] = {
    {"acos", Same<Opcode::kAcos>, 1},
    {"acosh", Same<Opcode::kAcosh>, 1},
    {"asin", Same<Opcode::kAsin>, 1},
    {"asinh", Same<Opcode::kAsinh>, 1},
    {"atan", nullptr, 1},
    {"atanh", Same<Opcode::kAtanh>, 1},
    {"cosh", Same<Opcode::kCosh>, 1},
    {"sinh", Same<Opcode::kSinh>, 1},
    {"tan", Same<Opcode::kTan>, 1},
    {"erf", Same<Opcode::kErf>, 1},
    {"erfc", Wide<Erfc>, 1},
    {"erf_inv", Wide<ErfInv>, 1},
    {"lgamma", Wide<Lgamma>, 1},
    {"digamma", Wide<Digamma>, 1},
    {"bessel_i1e", Wide<BesselI1e>, 1},
    {"conj", Conj, 1},
    {"square", Square, 1},
    {"is_inf", IsInf, 1},
    {"is_pos_inf", IsPosInf, 1},
    {"is_neg_inf", IsNegInf, 1},
    {"_asin_acos_kernel", AsinAcosKernel, 1},
    {"polygamma", Wide2<Polygamma>, 2},
    {"zeta", Wide2<Zeta>, 2},
    {"next_after", NextAfterOf, 2},
    {"mulhi", Same<Opcode::kMulhi>, 2},
    {"add", Same<Opcode::kAdd>, 2},
    {"and", Same<Opcode::kAnd>, 2},
    {"atan2", Same<Opcode::kAtan2>, 2},
    {"compare", CompareOf, 2},
    {"complex", Same<Opcode::kComplex>, 2},
    {"divide", Same<Opcode::kDivide>, 2},
    {"maximum", Same<Opcode::kMaximum>, 2},
    {"minimum", Same<Opcode::kMinimum>, 2},
    {"multiply", Same<Opcode::kMultiply>, 2},
    {"or", Same<Opcode::kOr>, 2},
    {"power", Same<Opcode::kPower>, 2},
    {"remainder", Same<Opcode::kRemainder>, 2},
    {"shift_left", Same<Opcode::kShiftLeft>, 2},
    {"shift_right_arithmetic", Same<Opcode::kShiftRightArithmetic>, 2},
    {"shift_right_logical", Same<Opcode::kShiftRightLogical>, 2},
    {"subtract", Same<Opcode::kSubtract>, 2},
    {"xor", Same<Opcode::kXor>, 2},
    {"select", Same<Opcode::kSelect>, 3},
};

// atan z = atan2(z, 1), for complex z too.
Instruction* Atan(OpContext& c, const Operands& operands) {
  const Ex x = {&c.e, operands[0]};
  return x.i == nullptr ? nullptr : c.e.Add(Opcode::kAtan2, {x.i, x.Like(1).i}, {}, nullptr, c.name());
}

Instruction* Apply(OpContext& c, absl::string_view name, const Operands& operands) {
  for (const Instruction* x : operands) {
    if (x == nullptr) {
      c.e.computation()->in_error = true;
      return nullptr;
    }
  }
  for (const Elementwise& f : kFunctions) {
    if (f.name != name) continue;
    return f.function == nullptr ? Atan(c, operands) : f.function(c, operands);
  }
  return nullptr;
}

absl::string_view BareName(absl::string_view name) {
  const size_t dot = name.find('.');
  return dot == absl::string_view::npos ? name : name.substr(dot + 1);
}

void Plain(OpContext& c) {
  // A custom call of the same name comes here too: then the name is its target's.
  absl::string_view name = BareName(c.op.name);
  if (const mlir::Attr* target = c.attr("call_target_name")) name = BareName(target->text);
  if (c.result_count() != 1) return c.Error(HLO_LABEL("stablehlo.results"), absl::StrCat(c.op.name, " has one result, not ", c.result_count()));
  c.Set(0, Apply(c, name, c.ins()));
}

// Operands of one shape, by NumPy's rules or with the smaller one's dimensions placed by broadcast_dimensions.
Operands MadeEqual(OpContext& c, Operands operands) {
  int rank = 0;
  for (const Instruction* x : operands) {
    if (x == nullptr || !x->shape.IsArray()) return {};
    rank = std::max(rank, x->shape.rank());
  }
  const std::vector<int64_t> given = c.Ints("broadcast_dimensions");
  std::vector<std::vector<int64_t>> places;
  std::vector<int64_t> sizes(rank, 1);
  for (const Instruction* x : operands) {
    std::vector<int64_t> place;
    const bool placed = x->shape.rank() < rank && c.attr("broadcast_dimensions") != nullptr && static_cast<int>(given.size()) == x->shape.rank();
    for (int d = 0; d < x->shape.rank(); ++d) place.push_back(placed ? given[d] : d + rank - x->shape.rank());
    for (int d = 0; d < x->shape.rank(); ++d) {
      if (place[d] < 0 || place[d] >= rank || (d > 0 && place[d] <= place[d - 1])) {
        c.Error(HLO_LABEL("chlo.broadcast-dimensions"), absl::StrCat("broadcast_dimensions must increase and name dimensions of the result of rank ", rank));
        return {};
      }
      int64_t& size = sizes[place[d]];
      const int64_t here = x->shape.dim(d);
      if (size != 1 && here != 1 && size != here) {
        c.Error(HLO_LABEL("chlo.broadcast-sizes"), absl::StrCat("dimension ", place[d], " has the sizes ", size, " and ", here, ", and neither is 1"));
        return {};
      }
      if (size == 1) size = here;
    }
    places.push_back(std::move(place));
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k]->shape.dimensions() == absl::Span<const int64_t>(sizes)) continue;
    operands[k] = c.e.Broadcast(operands[k], Shape::Array(operands[k]->shape.element_type(), sizes), places[k]);
  }
  return operands;
}

void Broadcasting(OpContext& c) {
  absl::string_view name = BareName(c.op.name);
  absl::ConsumePrefix(&name, "broadcast_");
  if (c.result_count() != 1) return c.Error(HLO_LABEL("stablehlo.results"), absl::StrCat(c.op.name, " has one result, not ", c.result_count()));
  const Operands equal = MadeEqual(c, c.ins());
  if (!equal.empty()) c.Set(0, Apply(c, name, equal));
}

// -- The others --

void ConstantLike(OpContext& c) {
  const mlir::Attr* value = c.Need("value");
  if (value == nullptr || c.in(0) == nullptr) return;
  const Shape& like = c.in(0)->shape;
  Instruction* scalar = nullptr;
  if (value->kind == mlir::Attr::Kind::kElements && value->value.has_value() && value->value.element_count() == 1) {
    scalar = c.e.Convert(c.e.Constant(value->value.WithShape(Shape::Scalar(value->value.shape().element_type()))), like.element_type());
  } else if (value->kind == mlir::Attr::Kind::kInteger) {
    scalar = c.e.ScalarInt(like.element_type(), value->integer);
  } else if (const auto number = NumberOf(*value)) {
    scalar = c.e.Scalar(like.element_type(), *number);
  } else {
    return c.Error(HLO_LABEL("chlo.constant-like"), "the value must be a number");
  }
  c.Set(0, c.e.Splat(scalar, like));
}

void TopK(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr || c.result_count() < 1) return;
  // As a custom call its attributes are one level deeper.
  const mlir::Attr* inner = c.attr("mhlo.attributes");
  const int64_t k = inner == nullptr ? c.Int("k", -1) : IntField(*inner, "k", -1);
  const bool largest = inner == nullptr ? c.Bool("largest", true) : IntField(*inner, "largest", 1) != 0;
  Instruction* top = c.e.Add(Opcode::kTopk, {x}, {IntAttribute(AttrId::kK, k), IntAttribute(AttrId::kLargest, largest)});
  if (top == nullptr) return;
  if (c.result_count() == 1) return c.Set(0, top);
  c.Set(0, c.e.Element(top, 0, CleanName(c.op.results[0]->name)));
  c.Set(1, c.e.Convert(c.e.Element(top, 1, CleanName(c.op.results[1]->name)), c.WrittenElement(1)));
}

void RaggedDot(OpContext& c) {
  const mlir::Attr* n = c.Need("ragged_dot_dimension_numbers");
  if (n == nullptr) return;
  Attributes attributes;
  const struct {
    AttrId id;
    const char* field;
  } lists[] = {{AttrId::kLhsBatchDims, "lhs_batching_dimensions"},      {AttrId::kRhsBatchDims, "rhs_batching_dimensions"},
               {AttrId::kLhsContractingDims, "lhs_contracting_dimensions"}, {AttrId::kRhsContractingDims, "rhs_contracting_dimensions"},
               {AttrId::kLhsRaggedDims, "lhs_ragged_dimensions"},       {AttrId::kRhsGroupDims, "rhs_group_dimensions"}};
  for (const auto& list : lists) {
    std::vector<int64_t> dims = IntsField(*n, list.field);
    if (!dims.empty() || list.id == AttrId::kLhsRaggedDims) attributes.push_back(IntsAttribute(list.id, std::move(dims)));
  }
  c.Simple(Opcode::kRaggedDot, c.ins(0, 3), std::move(attributes));
}

void DynamicReshape(OpContext& c) {
  std::optional<Shape> shape = c.Written();
  if (!shape) {
    const auto sizes = c.KnownInts(1, "the result's shape");
    if (!sizes) return;
    if (std::any_of(sizes->begin(), sizes->end(), [](int64_t s) { return s < 0; })) return c.Error(HLO_LABEL("stablehlo.negative-size"), "a size of the result is negative");
    shape = Shape::Array(c.WrittenElement(), *sizes);
  }
  c.Set(0, c.e.Add(Opcode::kReshape, {c.in(0)}, {}, &*shape, c.name()));
}

constexpr Row kRows[] = {
    {"chlo.acos", Plain, 1, 1},
    {"chlo.acosh", Plain, 1, 1},
    {"chlo.asin", Plain, 1, 1},
    {"chlo.asinh", Plain, 1, 1},
    {"chlo.atan", Plain, 1, 1},
    {"chlo.atanh", Plain, 1, 1},
    {"chlo.cosh", Plain, 1, 1},
    {"chlo.sinh", Plain, 1, 1},
    {"chlo.tan", Plain, 1, 1},
    {"chlo.erf", Plain, 1, 1},
    {"chlo.erfc", Plain, 1, 1},
    {"chlo.erf_inv", Plain, 1, 1},
    {"chlo.lgamma", Plain, 1, 1},
    {"chlo.digamma", Plain, 1, 1},
    {"chlo.bessel_i1e", Plain, 1, 1},
    {"chlo.conj", Plain, 1, 1},
    {"chlo.square", Plain, 1, 1},
    {"chlo.is_inf", Plain, 1, 1},
    {"chlo.is_pos_inf", Plain, 1, 1},
    {"chlo.is_neg_inf", Plain, 1, 1},
    {"chlo._asin_acos_kernel", Plain, 1, 1},
    {"chlo.polygamma", Plain, 2, 2},
    {"chlo.zeta", Plain, 2, 2},
    {"chlo.next_after", Plain, 2, 2},
    {"chlo.mulhi", Plain, 2, 2},
    {"chlo.broadcast_add", Broadcasting, 2, 2},
    {"chlo.broadcast_and", Broadcasting, 2, 2},
    {"chlo.broadcast_atan2", Broadcasting, 2, 2},
    {"chlo.broadcast_compare", Broadcasting, 2, 2},
    {"chlo.broadcast_complex", Broadcasting, 2, 2},
    {"chlo.broadcast_divide", Broadcasting, 2, 2},
    {"chlo.broadcast_maximum", Broadcasting, 2, 2},
    {"chlo.broadcast_minimum", Broadcasting, 2, 2},
    {"chlo.broadcast_multiply", Broadcasting, 2, 2},
    {"chlo.broadcast_next_after", Broadcasting, 2, 2},
    {"chlo.broadcast_or", Broadcasting, 2, 2},
    {"chlo.broadcast_polygamma", Broadcasting, 2, 2},
    {"chlo.broadcast_power", Broadcasting, 2, 2},
    {"chlo.broadcast_remainder", Broadcasting, 2, 2},
    {"chlo.broadcast_select", Broadcasting, 3, 3},
    {"chlo.broadcast_shift_left", Broadcasting, 2, 2},
    {"chlo.broadcast_shift_right_arithmetic", Broadcasting, 2, 2},
    {"chlo.broadcast_shift_right_logical", Broadcasting, 2, 2},
    {"chlo.broadcast_subtract", Broadcasting, 2, 2},
    {"chlo.broadcast_xor", Broadcasting, 2, 2},
    {"chlo.broadcast_zeta", Broadcasting, 2, 2},
    {"chlo.constant_like", ConstantLike, 1, 1},
    {"chlo.top_k", TopK, 1, 1},
    {"chlo.topk", TopK, 1, 1},  // its name as a custom call
    {"chlo.ragged_dot", RaggedDot, 3, 3},
    {"chlo.dynamic_reshape", DynamicReshape, 2, 2},
};

}  // namespace

absl::Span<const Row> ChloRows() { return kRows; }

}  // namespace hloscope::stablehlo
