// Attributes of instructions as typed values. Which exist: attributes.def. Which an operation takes: its OpDef (core/ops).
#ifndef HLOSCOPE_CORE_IR_ATTRIBUTES_H_
#define HLOSCOPE_CORE_IR_ATTRIBUTES_H_

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/boxed.h"
#include "core/base/source.h"

namespace hloscope {

struct Computation;

enum class AttrKind : uint8_t {
  Int, Float, Bool, String, Word, Ints, Computation, Computations, Window, DimLabels, Padding, Slices, Pairs, Raw
};

enum class AttrId : uint8_t {
#define X(enumerator, text, kind) enumerator,
#include "core/ir/attributes.def"
#undef X
  kUnknown,  // kept by name
};

struct AttrInfo {
  absl::string_view name;
  AttrKind kind;
};
const AttrInfo& Info(AttrId id);                    // kUnknown: {"", Raw}
AttrId AttrIdFromName(absl::string_view name);      // kUnknown when not in the table

// window={size=.. stride=.. pad=..x.. lhs_dilate=.. rhs_dilate=.. rhs_reversal=..}, one entry a dimension.
struct WindowDimension {
  int64_t size = 1, stride = 1, padding_low = 0, padding_high = 0, base_dilation = 1, window_dilation = 1;
  bool reversal = false;
  bool operator==(const WindowDimension&) const = default;
};
using Window = std::vector<WindowDimension>;

// dim_labels=b01f_01io->b01f.
struct ConvDimensionNumbers {
  int64_t input_batch = 0, input_feature = 0, kernel_input_feature = 0, kernel_output_feature = 0, output_batch = 0, output_feature = 0;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;
  bool operator==(const ConvDimensionNumbers&) const = default;
};

struct PaddingDimension {
  int64_t low = 0, high = 0, interior = 0;
  bool operator==(const PaddingDimension&) const = default;
};
struct SliceDimension {
  int64_t start = 0, limit = 0, stride = 1;
  bool operator==(const SliceDimension&) const = default;
};

using AttrValue = std::variant<int64_t,                        // Int, Bool (0 or 1)
                               double,                         // Float
                               absl::string_view,              // String (unescaped source text between the quotes), Word, Raw
                               std::vector<int64_t>,           // Ints
                               Computation*,                   // Computation
                               std::vector<Computation*>,      // Computations
                               Window, Boxed<ConvDimensionNumbers>, std::vector<PaddingDimension>, std::vector<SliceDimension>,
                               std::vector<std::pair<int64_t, int64_t>>>;  // Pairs

struct Attribute {
  AttrId id = AttrId::kUnknown;
  absl::string_view name;  // as written
  AttrValue value;
  SourceRange range;  // from the name to the end of the value
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_IR_ATTRIBUTES_H_
