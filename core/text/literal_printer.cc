// Prints literals so that they read back bit for bit.
#include <charconv>
#include <cmath>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/literal/scalar.h"
#include "core/text/hlo_text.h"
#include "core/text/literal_text.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

template <typename T>
T Get(const std::byte* storage) {
  T value;
  std::memcpy(&value, storage, sizeof(T));
  return value;
}

template <typename T>
void AppendNumber(T value, std::string* out) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, end - buffer);
}

uint64_t LoadBits(int bytes, const std::byte* storage) {
  uint64_t bits = 0;
  std::memcpy(&bits, storage, bytes);
  return bits;
}

int64_t LoadSigned(int bytes, const std::byte* storage) {
  uint64_t bits = LoadBits(bytes, storage);
  int shift = 64 - 8 * bytes;
  return static_cast<int64_t>(bits << shift) >> shift;
}

// Number of mantissa bits where all-ones exponents hold several NaNs; 0 for the types with one NaN or none.
int PayloadBits(ElementType type) {
  switch (type) {
    case ElementType::kF64: return 52;
    case ElementType::kF32: return 23;
    case ElementType::kF16: return 10;
    case ElementType::kBF16: return 7;
    case ElementType::kF8E5M2: return 2;
    case ElementType::kF8E4M3: return 3;
    case ElementType::kF8E3M4: return 4;
    default: return 0;
  }
}

void AppendNan(ElementType type, uint64_t bits, std::string* out) {
  const int payload_bits = PayloadBits(type);
  const bool has_sign = payload_bits > 0 || type == ElementType::kF8E4M3FN;
  if (has_sign && (bits >> (BitWidth(type) - 1) & 1) != 0) out->push_back('-');
  out->append("nan");
  if (payload_bits == 0) return;
  const uint64_t payload = bits & ((uint64_t{1} << payload_bits) - 1);
  if (payload != uint64_t{1} << (payload_bits - 1)) absl::StrAppend(out, "(0x", absl::Hex(payload), ")");
}

void AppendFloat(ElementType type, const std::byte* storage, std::string* out) {
  const uint64_t bits = LoadBits(StorageBytes(type), storage);
  const double value = DecodeFloat(type, bits);
  if (std::isnan(value)) {
    AppendNan(type, bits, out);
  } else if (type == ElementType::kF64) {
    AppendNumber(value, out);
  } else if (type == ElementType::kF32 || !std::isfinite(value)) {
    AppendNumber(static_cast<float>(value), out);
  } else if (value == std::floor(value) && std::fabs(value) < 65536) {
    AppendNumber(value, out);  // as it is, not a shorter one that rounds to it
  } else {
    out->append(ToText(LoadScalar(type, storage)));
  }
}

// The braces of an array: one opens wherever a dimension begins anew, one closes where it ends.
void AppendArray(const Value& value, std::string* out) {
  const Shape& shape = value.shape();
  const int64_t count = shape.ElementCount();
  const int rank = shape.rank();
  const int bytes = StorageBytes(shape.element_type());
  if (count == 0) {
    out->append("{}");
    return;
  }
  if (rank == 0) {
    AppendElement(shape.element_type(), value.data(), /*in_array=*/false, out);
    return;
  }
  const std::vector<int64_t> strides = RowMajorStrides(shape.dimensions());
  for (int64_t i = 0; i < count; ++i) {
    // How many dimensions begin here: those whose block of strides[d] * dim(d) elements starts at i.
    int begins = 0;
    while (begins < rank && i % (strides[rank - 1 - begins] * shape.dim(rank - 1 - begins)) == 0) ++begins;
    if (i > 0) out->append(", ");
    for (int b = begins; b > 0; --b) out->append(b > 1 ? "{ " : "{");
    AppendElement(shape.element_type(), value.data() + i * bytes, /*in_array=*/true, out);
    int ends = 0;
    while (ends < rank && (i + 1) % (strides[rank - 1 - ends] * shape.dim(rank - 1 - ends)) == 0) ++ends;
    for (int e = 0; e < ends; ++e) out->append(e == 0 ? "}" : " }");
  }
}

void AppendLiteral(const Value& value, int64_t max_elements, std::string* out) {
  if (!value.has_value() || (max_elements >= 0 && value.shape().IsArray() && value.element_count() > max_elements)) {
    out->append("{...}");
  } else if (value.shape().IsTuple()) {
    out->push_back('(');
    for (size_t i = 0; i < value.elements().size(); ++i) {
      if (i > 0) out->append(", ");
      AppendLiteral(value.elements()[i], max_elements, out);
    }
    out->push_back(')');
  } else if (value.shape().IsArray()) {
    AppendArray(value, out);
  } else {
    out->append("token");
  }
}

}  // namespace

void AppendElement(ElementType type, const std::byte* storage, bool in_array, std::string* out) {
  switch (Info(type).kind) {
    case TypeKind::Pred: {
      bool value = *storage != std::byte{0};
      out->append(in_array ? (value ? "1" : "0") : (value ? "true" : "false"));
      return;
    }
    case TypeKind::Signed: AppendNumber(LoadSigned(StorageBytes(type), storage), out); return;
    case TypeKind::Unsigned: AppendNumber(LoadBits(StorageBytes(type), storage), out); return;
    case TypeKind::Float: AppendFloat(type, storage, out); return;
    case TypeKind::Complex:
      out->push_back('(');
      AppendFloat(RealTypeOf(type), storage, out);
      out->append(", ");
      AppendFloat(RealTypeOf(type), storage + StorageBytes(RealTypeOf(type)), out);
      out->push_back(')');
      return;
    default: return;
  }
}

void AppendDouble(double value, std::string* out) { AppendNumber(value, out); }

std::string PrintLiteral(const Value& value, int64_t max_elements) {
  if (!value.IsDense()) return PrintLiteral(ToDense(value), max_elements);
  std::string out;
  AppendLiteral(value, max_elements, &out);
  return out;
}

}  // namespace hloscope
