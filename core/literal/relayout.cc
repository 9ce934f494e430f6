// Moving elements between layouts. Where no tile joins dimensions, an element's position is a sum of one number for each dimension, so
// tables of these numbers serve every order, padding and tiling alike; the rest asks the LayoutMap for every element.
#include "core/literal/relayout.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/shape/layout_map.h"
#include "core/shape/layout_util.h"

namespace hloscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kBlock = 32;  // of a transposing loop

Scalar ExtremeFloat(ElementType type, bool high) {
  const Scalar infinite = Scalar::Float(type, high ? kInfinity : -kInfinity);
  if (std::isinf(infinite.re)) return infinite;
  // Types without infinities have at most eight bits.
  double best = high ? -kInfinity : kInfinity;
  for (uint64_t code = 0; code < uint64_t{1} << std::min(BitWidth(type), 8); ++code) {
    const double v = DecodeFloat(type, code);
    if (std::isnan(v)) continue;
    best = high ? std::max(best, v) : std::min(best, v);
  }
  return Scalar::Float(type, best);
}

Scalar ExtremeInteger(ElementType type, bool high) {
  const int bits = IsPred(type) ? 1 : BitWidth(type);
  if (!IsSigned(type)) return Scalar::Int(type, high ? static_cast<int64_t>(~uint64_t{0} >> (64 - bits)) : 0);
  const int64_t top = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
  return Scalar::Int(type, bits == 1 ? (high ? 0 : -1) : high ? top : -top - 1);
}

// One element's storage out of, and into, `bits` bits at bit position `at`; bits above the storage are zero.
void ReadBits(const std::byte* from, int64_t at, int64_t bits, ElementType type, std::byte* storage) {
  const int bytes = StorageBytes(type);
  if (bits >= 8) {
    std::memset(storage, 0, bytes);
    std::memcpy(storage, from + at / 8, std::min<int64_t>(bytes, bits / 8));
  } else {
    const unsigned raw = (std::to_integer<unsigned>(from[at / 8]) >> (at % 8)) & ((1u << bits) - 1);
    *storage = static_cast<std::byte>(raw);
  }
  if (IsSigned(type) && BitWidth(type) < 8) {  // storage holds the value, not only its bits
    const int shift = 8 - BitWidth(type);
    *reinterpret_cast<int8_t*>(storage) = static_cast<int8_t>(static_cast<int8_t>(std::to_integer<uint8_t>(*storage) << shift) >> shift);
  }
}

void WriteBits(std::byte* to, int64_t at, int64_t bits, ElementType type, const std::byte* storage) {
  const int bytes = StorageBytes(type);
  if (bits >= 8) {
    std::memset(to + at / 8, 0, bits / 8);
    std::memcpy(to + at / 8, storage, std::min<int64_t>(bytes, bits / 8));
    return;
  }
  const unsigned mask = ((1u << bits) - 1) << (at % 8);
  const unsigned raw = (std::to_integer<unsigned>(*storage) << (at % 8)) & mask;
  to[at / 8] = static_cast<std::byte>((std::to_integer<unsigned>(to[at / 8]) & ~mask) | raw);
}

bool IsSeparable(const LayoutMap& map) {
  for (const LayoutMap::Stage& stage : map.stages()) {
    for (const LayoutMap::Stage::Group& group : stage.groups) {
      if (group.count != 1) return false;
    }
  }
  return true;
}

// By dimension: what each index adds to the position.
std::vector<std::vector<int64_t>> Tables(const LayoutMap& map) {
  std::vector<std::vector<int64_t>> tables(map.rank());
  std::vector<int64_t> index(map.rank(), 0);
  for (int d = 0; d < map.rank(); ++d) {
    tables[d].resize(map.dimensions()[d]);
    for (int64_t i = 0; i < map.dimensions()[d]; ++i) {
      index[d] = i;
      tables[d][i] = map.PhysicalOf(index);
    }
    index[d] = 0;
  }
  return tables;
}

// Visits every element with its positions on both sides.
class Walk {
 public:
  Walk(const LayoutMap& from, const LayoutMap& to) : from_(from), to_(to) {
    separable_ = IsSeparable(from) && IsSeparable(to);
    if (!separable_ || from.rank() == 0) return;
    from_tables_ = Tables(from);
    to_tables_ = Tables(to);
    for (int64_t d : to.major_to_minor()) order_.push_back(static_cast<int>(d));
    const int read_minor = static_cast<int>(from.major_to_minor().back());
    if (order_.back() != read_minor) {
      order_.erase(std::find(order_.begin(), order_.end(), read_minor));
      order_.insert(order_.end() - 1, read_minor);
      blocked_ = true;
    }
  }

  template <typename Visit>
  void Run(const Visit& visit) const {
    for (int64_t d : from_.dimensions()) {
      if (d == 0) return;
    }
    if (from_.rank() == 0) {
      visit(from_.PhysicalOf({}), to_.PhysicalOf({}));
    } else if (separable_) {
      Nest(0, 0, 0, visit);
    } else {
      std::vector<int64_t> index(from_.rank(), 0);
      do {
        visit(from_.PhysicalOf(index), to_.PhysicalOf(index));
      } while (NextIndex(from_.dimensions(), absl::MakeSpan(index)));
    }
  }

 private:
  template <typename Visit>
  void Nest(size_t depth, int64_t read, int64_t write, const Visit& visit) const {
    const std::vector<int64_t>& from = from_tables_[order_[depth]];
    const std::vector<int64_t>& to = to_tables_[order_[depth]];
    const int64_t n = static_cast<int64_t>(from.size());
    if (depth + 1 == order_.size()) {
      for (int64_t i = 0; i < n; ++i) visit(read + from[i], write + to[i]);
    } else if (blocked_ && depth + 2 == order_.size()) {
      const std::vector<int64_t>& inner_from = from_tables_[order_[depth + 1]];
      const std::vector<int64_t>& inner_to = to_tables_[order_[depth + 1]];
      const int64_t m = static_cast<int64_t>(inner_from.size());
      for (int64_t i0 = 0; i0 < n; i0 += kBlock) {
        for (int64_t j0 = 0; j0 < m; j0 += kBlock) {
          for (int64_t i = i0; i < std::min(n, i0 + kBlock); ++i) {
            for (int64_t j = j0; j < std::min(m, j0 + kBlock); ++j) visit(read + from[i] + inner_from[j], write + to[i] + inner_to[j]);
          }
        }
      }
    } else {
      for (int64_t i = 0; i < n; ++i) Nest(depth + 1, read + from[i], write + to[i], visit);
    }
  }

  const LayoutMap& from_;
  const LayoutMap& to_;
  bool separable_ = false, blocked_ = false;
  std::vector<int> order_;
  std::vector<std::vector<int64_t>> from_tables_, to_tables_;
};

template <typename T>
void CopyWhole(const Walk& walk, const std::byte* from, std::byte* to) {
  const T* read = reinterpret_cast<const T*>(from);
  T* write = reinterpret_cast<T*>(to);
  walk.Run([=](int64_t source, int64_t target) { write[target] = read[source]; });
}

struct Pair {
  uint64_t low, high;
};

void Copy(ElementType type, const LayoutMap& from_map, const LayoutMap& to_map, const std::byte* from, std::byte* to) {
  const Walk walk(from_map, to_map);
  const int64_t bytes = StorageBytes(type), from_bits = from_map.ElementBits(), to_bits = to_map.ElementBits();
  if (from_bits != 8 * bytes || to_bits != 8 * bytes) {
    walk.Run([=](int64_t source, int64_t target) {
      std::byte element[16];
      ReadBits(from, source * from_bits, from_bits, type, element);
      WriteBits(to, target * to_bits, to_bits, type, element);
    });
    return;
  }
  switch (bytes) {
    case 1: return CopyWhole<uint8_t>(walk, from, to);
    case 2: return CopyWhole<uint16_t>(walk, from, to);
    case 4: return CopyWhole<uint32_t>(walk, from, to);
    case 8: return CopyWhole<uint64_t>(walk, from, to);
    default: return CopyWhole<Pair>(walk, from, to);
  }
}

void FillPadding(const Shape& shape, const LayoutMap& map, std::byte* to) {
  const int64_t total = map.ByteSize();
  std::memset(to, 0, total);
  if (!map.HasPadding()) return;
  const ElementType type = shape.element_type();
  std::byte element[16] = {};
  StoreScalar(PaddingScalar(type, shape.layout()->padding_value), element);
  const bool zero = std::all_of(element, element + StorageBytes(type), [](std::byte b) { return b == std::byte{0}; });
  if (zero) return;
  const int64_t bits = map.ElementBits();
  for (int64_t p = 0; p < map.PhysicalSize(); ++p) WriteBits(to, p * bits, bits, type, element);
}

Value Moved(const Value& value, const Shape& shape, MemoryAccount* account) {
  Value result = Value::AllocateInLayout(shape, account);
  if (!result.has_value()) return result;
  const LayoutMap from(value.shape()), to(shape);
  assert(from.dimensions() == to.dimensions());
  if (to.HasPadding() || to.ElementBits() < 8) FillPadding(shape, to, result.mutable_physical_data());
  Copy(shape.element_type(), from, to, value.physical_data(), result.mutable_physical_data());
  return result;
}

// `value` may be the actual, smaller array of a bounded dynamic shape: then it is dense.
Shape Wanted(const Value& value, const Shape& shape) {
  if (value.shape().dimensions() == shape.dimensions()) return shape;
  return shape.IsStoredDense() ? value.shape().WithLayout(std::nullopt) : WithLayoutOf(value.shape(), shape);
}

}  // namespace

Scalar PaddingScalar(ElementType type, PaddingValue value) {
  const bool high = value == PaddingValue::kHighest;
  if (value == PaddingValue::kLowest || high) {
    if (IsFloat(type)) return ExtremeFloat(type, high);
    if (IsComplex(type)) return Scalar::Complex(type, {high ? kInfinity : -kInfinity, high ? kInfinity : -kInfinity});
    return ExtremeInteger(type, high);
  }
  const int number = value == PaddingValue::kOne ? 1 : 0;
  if (IsFloat(type)) return Scalar::Float(type, number);
  if (IsComplex(type)) return Scalar::Complex(type, {static_cast<double>(number), 0});
  return Scalar::Int(type, number);
}

bool IsInLayoutOf(const Value& value, const Shape& shape) {
  if (shape.IsTuple()) {
    const absl::Span<const Value> elements = value.elements();
    if (elements.size() != shape.tuple_shapes().size()) return true;
    for (size_t i = 0; i < elements.size(); ++i) {
      if (!IsInLayoutOf(elements[i], shape.tuple_shapes()[i])) return false;
    }
    return true;
  }
  if (!value.has_value() || !shape.IsArray() || (value.shape().IsStoredDense() && shape.IsStoredDense())) return true;
  return SameStorage(value.shape(), Wanted(value, shape));
}

Value ToDense(const Value& value, MemoryAccount* account) { return value.IsDense() ? value : ToLayout(value, DenseShape(value.shape()), account); }

Value ToLayout(const Value& value, const Shape& shape, MemoryAccount* account) {
  if (IsInLayoutOf(value, shape)) return value;
  if (!shape.IsTuple()) return Moved(value, Wanted(value, shape), account);
  std::vector<Value> elements;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < value.elements().size(); ++i) {
    elements.push_back(ToLayout(value.elements()[i], shape.tuple_shapes()[i], account));
    if (!elements.back().has_value()) return Value();
    shapes.push_back(elements.back().shape());
  }
  return Value::Tuple(Shape::Tuple(std::move(shapes)), std::move(elements));
}

Scalar PhysicalElement(const Value& value, int64_t position) {
  const LayoutMap map(value.shape());
  std::byte element[16] = {};
  ReadBits(value.physical_data(), position * map.ElementBits(), map.ElementBits(), value.shape().element_type(), element);
  return LoadScalar(value.shape().element_type(), element);
}

Value ConvertValue(const Value& value, ElementType to, MemoryAccount* account) {
  const ElementType from = value.shape().element_type();
  if (from == to) return value;
  const Value dense = ToDense(value, account);
  Value converted = Value::Allocate(dense.shape().WithElementType(to).WithLayout(std::nullopt), account);
  if (!converted.has_value()) return converted;
  const int64_t count = dense.element_count();
  const int step = StorageBytes(from), other = StorageBytes(to);
  for (int64_t i = 0; i < count; ++i) StoreScalar(ConvertScalar(LoadScalar(from, dense.data() + i * step), to), converted.mutable_data() + i * other);
  return converted;
}

}  // namespace hloscope
