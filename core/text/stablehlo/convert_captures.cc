// Scalar computations of regions, and what they take from outside. Computations of HLO are closed, so a value that only a run knows goes in as
// one more operand of the operation, which is the same at every index.
#include "absl/strings/str_cat.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {

using mlir::Region;
using mlir::SsaValue;

Computation* OpContext::ScalarRegion(int index, absl::string_view name, Captures form, Operands* captured) const {
  if (index >= static_cast<int>(op.regions.size())) return nullptr;
  const Region& region = *op.regions[index];
  std::vector<std::pair<const SsaValue*, const Value*>> repeated;
  std::vector<const SsaValue*> passed;
  for (const SsaValue* value : FreeValues(op, region)) {
    Instruction* outside = Lookup(value);
    if (outside == nullptr) {
      scope.emit.computation()->in_error = true;
      return nullptr;
    }
    if (const Value* known = outside->shape.IsArray() ? c.folder().Fold(outside) : nullptr; known != nullptr) {
      repeated.push_back({value, known});
    } else if (captured != nullptr && outside->shape.IsScalar()) {
      passed.push_back(value);
      captured->push_back(outside);
    } else {
      Error(HLO_LABEL("stablehlo.capture"), absl::StrCat("the computation of ", op.name, " uses ", value->name, ", which is computed outside of it"),
            captured != nullptr ? "only constants and scalars can be used from outside here; pass the array as a further operand" : "only constants can be used from outside here");
      return nullptr;
    }
  }
  const size_t half = form == Captures::kHalves ? region.arguments.size() / 2 : region.arguments.size();
  return c.ConvertRegion(
      region, name,
      [&](Scope& inner) {
        const auto add_passed = [&](bool used) {
          for (const SsaValue* value : passed) {
            Instruction* parameter = inner.emit.Parameter(Lookup(value)->shape.WithoutLayouts(), CleanName(value->name));
            if (used) inner.values[value] = parameter;
            if (form == Captures::kPairs) inner.emit.Parameter(Lookup(value)->shape.WithoutLayouts(), CleanName(value->name));
          }
        };
        for (size_t i = 0; i < region.arguments.size(); ++i) {
          if (form == Captures::kHalves && i == half) add_passed(true);
          const auto& argument = region.arguments[i];
          const std::optional<Shape> shape = StaticShape(argument->type);
          inner.values[argument.get()] = shape ? inner.emit.Parameter(*shape, CleanName(argument->name)) : nullptr;
        }
        add_passed(form != Captures::kHalves);
        for (const auto& [value, known] : repeated) {
          Instruction* copy = inner.emit.Constant(*known, CleanName(value->name));
          if (const Instruction* outside = Lookup(value); outside->literal != nullptr) {  // from the same place of the text
            copy->range = outside->range;
            copy->name_range = outside->name_range;
          }
          inner.values[value] = copy;
        }
      },
      [&](Scope& inner, const Operands& results) -> Instruction* {
        Operands all = results;
        if (form == Captures::kHalves) {
          for (const SsaValue* value : passed) all.push_back(inner.values[value]);
        }
        return all.size() == 1 ? all[0] : inner.emit.Tuple(all);
      });
}

RegionCaptures FindCaptures(OpContext& c) {
  RegionCaptures captures;
  for (const mlir::SsaValue* value : FreeValues(c.op)) {
    Instruction* outside = c.Lookup(value);
    if (outside == nullptr) {
      captures.ok = false;
      c.e.computation()->in_error = true;
      continue;
    }
    const bool scalar = outside->literal != nullptr && outside->shape.IsArray() && outside->shape.ElementCount() == 1 && !outside->literal->elided;
    if (scalar) {
      captures.repeated.push_back({value, outside});
    } else {
      captures.passed.push_back(value);
    }
  }
  return captures;
}

void Repeat(Scope& inner, const RegionCaptures& captures) {
  for (const auto& [value, outside] : captures.repeated) {
    Instruction* copy = inner.emit.Constant(outside->literal->value, CleanName(value->name));
    // From the same place of the text: who changes the one finds the other.
    copy->range = outside->range;
    copy->name_range = outside->name_range;
    inner.values[value] = copy;
  }
}

}  // namespace hloscope::stablehlo
