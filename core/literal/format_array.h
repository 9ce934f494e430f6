// Arrays of what no Value holds, written as FormatValue (format.h) writes those that one does.
#ifndef HLOSCOPE_CORE_LITERAL_FORMAT_ARRAY_H_
#define HLOSCOPE_CORE_LITERAL_FORMAT_ARRAY_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "core/literal/format.h"

namespace hloscope {

// `element`: the text of the element at a row-major place. Of no dimensions: that of the only one.
std::string FormatArray(absl::Span<const int64_t> dimensions, const FormatOptions& options, absl::FunctionRef<std::string(int64_t)> element);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_FORMAT_ARRAY_H_
