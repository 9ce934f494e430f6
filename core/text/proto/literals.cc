// Literals of the messages: one repeated field a type, elements in the order of the literal's layout.
#include <cstring>

#include "core/literal/relayout.h"
#include "core/text/proto/convert.h"

namespace hloscope {
namespace {

constexpr int kMaxDepth = 64;

// The types whose elements are kept as bytes, and their fields.
#define HLOSCOPE_BYTE_FIELDS(X)                                                                                                       \
  X(kS1, s1s) X(kS2, s2s) X(kS4, s4s) X(kS8, s8s) X(kS16, s16s) X(kU1, u1s) X(kU2, u2s) X(kU4, u4s) X(kU8, u8s) X(kU16, u16s)          \
  X(kF4E2M1FN, f4e2m1fns) X(kF8E3M4, f8e3m4s) X(kF8E4M3, f8e4m3s) X(kF8E4M3FN, f8e4m3fns) X(kF8E4M3B11FNUZ, f8e4m3b11fnuzs)            \
  X(kF8E4M3FNUZ, f8e4m3fnuzs) X(kF8E5M2, f8e5m2s) X(kF8E5M2FNUZ, f8e5m2fnuzs) X(kF8E8M0FNU, f8e8m0fnus) X(kBF16, bf16s) X(kF16, f16s)  \
  X(kF6E2M3FN, f6e2m3fns) X(kF6E3M2FN, f6e3m2fns)

// The field of a type that keeps its elements as bytes; null for the others.
const std::string* BytesOf(const pb::LiteralProto& p, ElementType type) {
  switch (type) {
#define X(enumerator, field) \
  case ElementType::enumerator: return &p.field();
    HLOSCOPE_BYTE_FIELDS(X)
#undef X
    default: return nullptr;
  }
}

// Elements in the order of the message as they lie in memory: count of them, and where.
struct Elements {
  int64_t count = 0;
  const std::byte* data = nullptr;
  std::vector<std::byte> own;  // where the message has them in another form
};

template <typename Field>
Elements Numbers(const Field& field, int per_element) {
  return {field.size() / per_element, reinterpret_cast<const std::byte*>(field.data()), {}};
}

Elements ElementsOf(const pb::LiteralProto& p, ElementType type, int64_t count) {
  switch (type) {
    case ElementType::kPred: {
      Elements e{p.preds_size(), nullptr, {}};
      for (bool b : p.preds()) e.own.push_back(std::byte{b});
      return e;
    }
    case ElementType::kS32: return Numbers(p.s32s(), 1);
    case ElementType::kS64: return Numbers(p.s64s(), 1);
    case ElementType::kU32: return Numbers(p.u32s(), 1);
    case ElementType::kU64: return Numbers(p.u64s(), 1);
    case ElementType::kF32: return Numbers(p.f32s(), 1);
    case ElementType::kF64: return Numbers(p.f64s(), 1);
    case ElementType::kC64: return Numbers(p.c64s(), 2);
    case ElementType::kC128: return Numbers(p.c128s(), 2);
    default: break;
  }
  const std::string& bytes = *BytesOf(p, type);
  const int64_t size = static_cast<int64_t>(bytes.size());
  const int bits = BitWidth(type);
  if (bits >= 8) return {size / StorageBytes(type), reinterpret_cast<const std::byte*>(bytes.data()), {}};
  // One element a byte, or packed from the lowest bits up.
  Elements e{size, nullptr, {}};
  const bool packed = size != count && size == (count * bits + 7) / 8;
  if (packed) e.count = count;
  for (int64_t i = 0; i < e.count; ++i) {
    uint8_t b = static_cast<uint8_t>(packed ? bytes[i * bits / 8] : bytes[i]);
    if (packed) b = static_cast<uint8_t>(b >> (i * bits % 8));
    b = static_cast<uint8_t>(b & ((1 << bits) - 1));
    if (IsSigned(type) && (b >> (bits - 1)) != 0) b = static_cast<uint8_t>(b | (0xff << bits));
    e.own.push_back(std::byte{b});
  }
  return e;
}

template <typename T>
struct Two {
  T re, im;
};

// Calls f(row-major linear index) for each element in the order of `minor_to_major`.
template <typename F>
void InLayoutOrder(const Shape& shape, const Layout* layout, F f) {
  const int64_t count = shape.ElementCount();
  const int rank = shape.rank();
  if (layout == nullptr || layout->minor_to_major == Layout::RowMajor(rank).minor_to_major) {
    for (int64_t i = 0; i < count; ++i) f(i);
    return;
  }
  const std::vector<int64_t> strides = RowMajorStrides(shape.dimensions());
  std::vector<int64_t> index(rank, 0);
  int64_t linear = 0;
  for (int64_t i = 0; i < count; ++i) {
    f(linear);
    for (int64_t d : layout->minor_to_major) {
      linear += strides[d];
      if (++index[d] < shape.dim(static_cast<int>(d))) break;
      linear -= strides[d] * index[d];
      index[d] = 0;
    }
  }
}

}  // namespace

bool HasElements(const pb::LiteralProto& proto) {
  const absl::StatusOr<ElementType> type = ElementTypeOf(proto.shape().element_type());
  if (!type.ok() || !IsArrayType(*type)) return true;
  for (int64_t d : proto.shape().dimensions()) {
    if (d == 0) return true;
  }
  return ElementsOf(proto, *type, 0).count > 0;
}

absl::StatusOr<Value> LiteralOf(const pb::LiteralProto& proto, const Shape& shape, int depth) {
  if (depth > kMaxDepth) return absl::InvalidArgumentError("the tuples of a literal are nested too deeply");
  if (shape.IsToken()) return Value::Token();
  if (shape.IsTuple()) {
    const absl::Span<const Shape> parts = shape.tuple_shapes();
    if (proto.tuple_literals_size() != static_cast<int>(parts.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("a literal of ", shape.ToString(false), " has ", proto.tuple_literals_size(), " parts"));
    }
    std::vector<Value> elements;
    for (size_t i = 0; i < parts.size(); ++i) {
      absl::StatusOr<Value> element = LiteralOf(proto.tuple_literals(static_cast<int>(i)), parts[i], depth + 1);
      if (!element.ok()) return element;
      elements.push_back(*std::move(element));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  if (!shape.IsArray()) return absl::InvalidArgumentError(absl::StrCat("a literal has the shape ", shape.ToString(false)));
  absl::StatusOr<Shape> stored = ShapeOf(proto.shape());
  if (!stored.ok()) return stored.status();
  if (shape.has_dynamic_dimension() && stored->rank() == shape.rank()) {  // the literal has the size
    const Shape sized = Shape::Array(shape.element_type(), stored->dimensions());
    bool fits = true;
    for (int d = 0; d < shape.rank(); ++d) fits &= sized.dim(d) == shape.dim(d) || (shape.is_dynamic(d) && sized.dim(d) < shape.dim(d));
    if (fits) return LiteralOf(proto, sized, depth);
  }
  if (stored->has_dynamic_dimension()) *stored = Shape::Array(stored->element_type(), stored->dimensions());
  if (!Shape::Compatible(*stored, shape)) {
    return absl::InvalidArgumentError(absl::StrCat("a literal of ", shape.ToString(false), " holds ", stored->ToString(false)));
  }
  const int64_t count = shape.ElementCount();
  const Elements elements = ElementsOf(proto, shape.element_type(), count);
  if (elements.count != count) {
    return absl::InvalidArgumentError(absl::StrCat("a literal of ", shape.ToString(false), " has ", elements.count, " elements"));
  }
  const int bytes = StorageBytes(shape.element_type());
  const std::byte* from = elements.data != nullptr ? elements.data : elements.own.data();
  std::vector<std::byte> row_major(count * bytes);
  InLayoutOrder(shape, stored->layout(), [&](int64_t linear) {
    std::memcpy(row_major.data() + linear * bytes, from, bytes);
    from += bytes;
  });
  return Value::FromBytes(shape, row_major);
}

// Row by row, whatever the layout of the value.
void FillLiteral(const Value& laid, pb::LiteralProto* proto) {
  const Value value = ToDense(laid);
  const bool array = value.shape().IsArray();
  const Shape shape = array ? Shape::Array(value.shape().element_type(), value.shape().dimensions(), Layout::RowMajor(value.shape().rank())) : value.shape();
  FillShape(shape, proto->mutable_shape());
  if (shape.IsTuple()) {
    for (const Value& element : value.elements()) FillLiteral(element, proto->add_tuple_literals());
    return;
  }
  if (!array) return;
  const ElementType type = shape.element_type();
  const std::byte* data = value.data();
  const auto each = [&](auto sample, auto add) {
    using T = decltype(sample);
    InLayoutOrder(shape, shape.layout(), [&](int64_t linear) {
      T x;
      std::memcpy(&x, data + linear * sizeof(T), sizeof(T));
      add(x);
    });
  };
  switch (type) {
    case ElementType::kPred: return each(uint8_t{}, [&](uint8_t x) { proto->add_preds(x != 0); });
    case ElementType::kS32: return each(int32_t{}, [&](int32_t x) { proto->add_s32s(x); });
    case ElementType::kS64: return each(int64_t{}, [&](int64_t x) { proto->add_s64s(x); });
    case ElementType::kU32: return each(uint32_t{}, [&](uint32_t x) { proto->add_u32s(x); });
    case ElementType::kU64: return each(uint64_t{}, [&](uint64_t x) { proto->add_u64s(x); });
    case ElementType::kF32: return each(float{}, [&](float x) { proto->add_f32s(x); });
    case ElementType::kF64: return each(double{}, [&](double x) { proto->add_f64s(x); });
    case ElementType::kC64:
      return each(Two<float>(), [&](const auto& x) {
        proto->add_c64s(x.re);
        proto->add_c64s(x.im);
      });
    case ElementType::kC128:
      return each(Two<double>(), [&](const auto& x) {
        proto->add_c128s(x.re);
        proto->add_c128s(x.im);
      });
    default: break;
  }
  std::string packed;
  const int size = StorageBytes(type);
  InLayoutOrder(shape, shape.layout(), [&](int64_t linear) { packed.append(reinterpret_cast<const char*>(data) + linear * size, size); });
  switch (type) {
#define X(enumerator, field) \
  case ElementType::enumerator: return proto->set_##field(std::move(packed));
    HLOSCOPE_BYTE_FIELDS(X)
#undef X
    default: return;
  }
}

}  // namespace hloscope
