// The table of pretty forms: which attributes an operation's short spelling states, and how its types are spread.
// One row an operation whose form differs from the default (operands, attribute dictionary, `:` types), which serves all others.
#ifndef HLOSCOPE_CORE_TEXT_MLIR_PRETTY_FORMS_H_
#define HLOSCOPE_CORE_TEXT_MLIR_PRETTY_FORMS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hloscope::mlir {

// How the types after the colon are meant when they are neither `(operands) -> results` nor `operands -> results`.
enum class TypeRule : uint8_t {
  kDefault,       // one type: every operand's and every result's; as many as operands: each its own (of operand and result)
  kOperands,      // the operands' types; there are no results
  kComplex,       // the result's; operands have the real type of it
  kSelect,        // the predicate's, then that of all others
  kTuple,         // the result's; operands have the types of its elements
  kFromConstant,  // none are written: operands and results have the type of the constant
};

enum class FieldKind : uint8_t {
  kInteger,           // 5 as i64
  kInteger32,         // 5 as i32
  kAttribute,         // any attribute, its type not written
  kConstant,          // an elements attribute with its type
  kIntegers,          // [0, 1] as array<i64: 0, 1>
  kEnum,              // LT as #stablehlo<comparison_direction LT>; `type_name` is "stablehlo.comparison_direction"
  kString,            // "text"
  kSymbol,            // @f
  kSymbolAsString,    // @f as "f"
  kDialect,           // <...> as #type_name<...>
  kPrecisions,        // [DEFAULT, HIGH] as [#stablehlo<precision DEFAULT>, ...]
  kExponentMantissa,  // e5m10 as exponent_bits and mantissa_bits
  kContracting,       // [1] x [0] as two fields of dot_dimension_numbers
  kBatching,
  kSliceRanges,  // [0:2, 1:4:2] as start_indices, limit_indices, strides
  kConvolution,  // [b, 0, f]x[0, i, o]->[b, 0, f] as #stablehlo.conv<...>
  kWindow,       // {stride = [1], pad = [[0, 0]], lhs_dilate = .., rhs_dilate = .., reverse = ..} as attributes of their own
};

// keyword: "dim" for `dim = 0`; "" for one without a keyword; "[" for what stands in brackets right after an operand.
struct FieldForm {
  absl::string_view keyword;
  absl::string_view attribute;
  FieldKind kind = FieldKind::kAttribute;
  absl::string_view type_name = "";
};

enum class SpecialForm : uint8_t { kNone, kConstant, kWhile, kReduce, kScan, kFunction, kModule, kMesh, kManualComputation };

struct PrettyForm {
  absl::string_view name;
  TypeRule types = TypeRule::kDefault;
  absl::Span<const FieldForm> fields = {};
  SpecialForm special = SpecialForm::kNone;
};

// The row of an operation ("stablehlo.iota"; mhlo operations have those of stablehlo), or null for the default form.
const PrettyForm* FindPrettyForm(absl::string_view operation);
// "return" to "func.return" and the like: operations that are written without their dialect. Empty for any other name.
absl::string_view FullOperationName(absl::string_view name);

}  // namespace hloscope::mlir

#endif  // HLOSCOPE_CORE_TEXT_MLIR_PRETTY_FORMS_H_
