// Sizes that follow from another one: of what is concatenated, reshaped, padded, or gone over by a window, where a dimension gets smaller. For
// making programs smaller (minimize_sizes.h).
#ifndef HLOSCOPE_CORE_DEBUG_MINIMIZE_FOLLOW_H_
#define HLOSCOPE_CORE_DEBUG_MINIMIZE_FOLLOW_H_

#include <cstdint>
#include <map>
#include <optional>

#include "core/debug/dimension_classes.h"
#include "core/ir/rewrite.h"

namespace hloscope {

using ClassSizes = std::map<int, int64_t>;  // by class of dimensions

// The sizes of all classes that are others where one is `to`, that one included. Nothing: none fit together.
std::optional<ClassSizes> SizesThatFollow(const Module& module, const DimensionClasses& classes, int of_class, int64_t to);
// Says so what sizes there are in the copy.
void ResizeClasses(const DimensionClasses& classes, const ClassSizes& sizes, Rewrite* rewrite);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MINIMIZE_FOLLOW_H_
