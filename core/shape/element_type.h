// The element types, from the table element_types.def. Not for arithmetic on elements (see literal/scalar.h).
#ifndef HLOSCOPE_CORE_SHAPE_ELEMENT_TYPE_H_
#define HLOSCOPE_CORE_SHAPE_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace hloscope {

enum class ElementType : uint8_t {
#define X(enumerator, text, bits, bytes, kind) enumerator,
#include "core/shape/element_types.def"
#undef X
};

enum class TypeKind : uint8_t { Pred, Signed, Unsigned, Float, Complex, Token, Opaque, Tuple };

struct ElementTypeInfo {
  absl::string_view name;
  int bits;
  int bytes;
  TypeKind kind;
};

inline constexpr ElementTypeInfo kElementTypeInfo[] = {
#define X(enumerator, text, bits, bytes, kind) {text, bits, bytes, TypeKind::kind},
#include "core/shape/element_types.def"
#undef X
};
inline constexpr int kElementTypeCount = sizeof(kElementTypeInfo) / sizeof(kElementTypeInfo[0]);

constexpr const ElementTypeInfo& Info(ElementType t) { return kElementTypeInfo[static_cast<int>(t)]; }
constexpr absl::string_view Name(ElementType t) { return Info(t).name; }
// Bytes that one element takes in a Value's buffer.
constexpr int StorageBytes(ElementType t) { return Info(t).bytes; }
constexpr int BitWidth(ElementType t) { return Info(t).bits; }
constexpr bool IsPred(ElementType t) { return Info(t).kind == TypeKind::Pred; }
constexpr bool IsSigned(ElementType t) { return Info(t).kind == TypeKind::Signed; }
constexpr bool IsUnsigned(ElementType t) { return Info(t).kind == TypeKind::Unsigned; }
constexpr bool IsInteger(ElementType t) { return IsSigned(t) || IsUnsigned(t); }  // pred is not an integer
constexpr bool IsFloat(ElementType t) { return Info(t).kind == TypeKind::Float; }
constexpr bool IsComplex(ElementType t) { return Info(t).kind == TypeKind::Complex; }
// Types that an array may have.
constexpr bool IsArrayType(ElementType t) { return Info(t).kind < TypeKind::Token; }
// c64 -> f32, c128 -> f64.
constexpr ElementType RealTypeOf(ElementType t) { return t == ElementType::kC128 ? ElementType::kF64 : t == ElementType::kC64 ? ElementType::kF32 : t; }

std::optional<ElementType> ElementTypeFromName(absl::string_view name);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_SHAPE_ELEMENT_TYPE_H_
