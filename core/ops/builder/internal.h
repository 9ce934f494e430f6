// What the files of this room share: finding the builder of some operands, and short ways to attributes. Not for other rooms.
#ifndef HLOSCOPE_CORE_OPS_BUILDER_INTERNAL_H_
#define HLOSCOPE_CORE_OPS_BUILDER_INTERNAL_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ops/builder/operations.h"

namespace hloscope::hlo {

inline std::vector<int64_t> List(Dims dims) { return {dims.begin(), dims.end()}; }

inline Attribute Ints(AttrId id, Dims dims) { return {id, {}, List(dims), {}}; }
inline Attribute Int(AttrId id, int64_t value) { return {id, {}, value, {}}; }
inline Attribute Flag(AttrId id, bool value) { return {id, {}, int64_t{value}, {}}; }
inline Attribute Text(AttrId id, absl::string_view text) { return {id, {}, text, {}}; }  // copied when the instruction is made
inline Attribute Callee(AttrId id, Computation* computation) { return {id, {}, computation, {}}; }

// The builder of the first operand that has one; null when none has. An operand after an error has one as well.
inline Builder* BuilderOf(Ops operands) {
  for (const Op& op : operands) {
    if (op.builder() != nullptr) return op.builder();
  }
  return nullptr;
}

inline bool AllValid(Ops operands) {
  for (const Op& op : operands) {
    if (!op.valid()) return false;
  }
  return true;
}

// Adds the instruction to the operands' builder. Operands without an instruction give none; without an error so far that is one.
inline Op Make(Opcode opcode, Ops operands, std::vector<Attribute> attributes, std::optional<Shape> shape, Place place) {
  Builder* builder = BuilderOf(operands);
  return builder == nullptr ? Op() : builder->Add(opcode, operands, std::move(attributes), std::move(shape), place);
}
inline Op Make(Opcode opcode, std::initializer_list<Op> operands, std::vector<Attribute> attributes, std::optional<Shape> shape,
               Place place) {
  return Make(opcode, absl::MakeConstSpan(operands.begin(), operands.size()), std::move(attributes), std::move(shape), place);
}
// An Op for "an operand is missing": through Add, which says so.
inline Op Missing(Opcode opcode, Ops operands, Place place) { return Make(opcode, operands, {}, std::nullopt, place); }

// Low and high padding of each dimension for kSame or kValid.
std::vector<std::pair<int64_t, int64_t>> MakePadding(Dims sizes, Dims window, Dims strides, Padding padding);
// A window attribute; empty lists mean ones (paddings: zeros). Nullopt, and the builder's error, when a list is of another length.
std::optional<Window> MakeWindow(Builder* builder, Dims sizes, Dims strides, Pairs padding, Dims base_dilations, Dims window_dilations,
                                 const std::vector<bool>& reversal, Place place);

}  // namespace hloscope::hlo

#endif  // HLOSCOPE_CORE_OPS_BUILDER_INTERNAL_H_
