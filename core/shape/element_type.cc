#include "core/shape/element_type.h"

namespace hloscope {

std::optional<ElementType> ElementTypeFromName(absl::string_view name) {
  for (int i = 0; i < kElementTypeCount; ++i) {
    ElementType type = static_cast<ElementType>(i);
    if (type != ElementType::kTuple && Name(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace hloscope
