// Slices are copied element by element: what people look at is small.
#include "core/debug/subscript.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace hloscope {
namespace {

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(what, "; a subscript is like [0, 1:3, :] or [-1], a tuple's element like [2]"));
}

absl::StatusOr<SubscriptItem> ParseItem(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  SubscriptItem item;
  if (text == "...") {
    item.kind = SubscriptItem::kEllipsis;
    return item;
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  std::optional<int64_t> numbers[3];
  if (parts.size() > 3) return Bad(absl::StrCat("'", text, "' has too many colons"));
  for (size_t i = 0; i < parts.size(); ++i) {
    const absl::string_view part = absl::StripAsciiWhitespace(parts[i]);
    int64_t n = 0;
    if (part.empty() && parts.size() > 1) continue;
    if (!absl::SimpleAtoi(part, &n)) return Bad(absl::StrCat("'", part, "' is no index"));
    numbers[i] = n;
  }
  if (parts.size() == 1) {
    item.index = *numbers[0];
    return item;
  }
  item.kind = SubscriptItem::kSlice;
  item.start = numbers[0];
  item.stop = numbers[1];
  item.step = numbers[2].value_or(1);
  if (item.step == 0) return Bad("a step of 0");
  return item;
}

// Start and count of a Python slice over `size` entries.
std::pair<int64_t, int64_t> Resolve(const SubscriptItem& item, int64_t size) {
  const bool forward = item.step > 0;
  const int64_t low = forward ? 0 : -1, high = forward ? size : size - 1;
  const auto bound = [&](std::optional<int64_t> given, int64_t otherwise) {
    if (!given) return otherwise;
    return std::clamp(*given < 0 ? *given + size : *given, low, high);
  };
  const int64_t start = bound(item.start, forward ? low : high), stop = bound(item.stop, forward ? high : low);
  const int64_t distance = forward ? stop - start : start - stop;
  const int64_t step = forward ? item.step : -item.step;
  return {start, distance <= 0 ? 0 : (distance - 1) / step + 1};
}

absl::StatusOr<int64_t> CheckedIndex(int64_t index, int64_t size, absl::string_view what) {
  const int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) return absl::OutOfRangeError(absl::StrCat("index ", index, " is outside of ", what, ", which has size ", size));
  return at;
}

}  // namespace

absl::StatusOr<Subscript> ParseSubscript(absl::string_view& text) {
  const size_t close = text.find(']');
  if (text.empty() || text[0] != '[' || close == absl::string_view::npos) return Bad("the closing ] is missing");
  const absl::string_view inside = text.substr(1, close - 1);
  text.remove_prefix(close + 1);
  Subscript subscript;
  if (absl::StripAsciiWhitespace(inside).empty()) return subscript;
  for (absl::string_view part : absl::StrSplit(inside, ',')) {
    absl::StatusOr<SubscriptItem> item = ParseItem(part);
    if (!item.ok()) return item.status();
    subscript.push_back(*item);
  }
  return subscript;
}

namespace {

// One slice a dimension of an array; `dimensions` leaves out those where an index was given.
struct Slices {
  std::vector<int64_t> start, count, step, dimensions;
};

absl::StatusOr<Slices> SlicesOf(const Shape& shape, const Subscript& subscript) {
  if (!shape.IsArray()) return Bad(absl::StrCat("a ", shape.ToString(false), " has no elements"));
  const absl::Span<const int64_t> dims = shape.dimensions();
  const int64_t given = std::count_if(subscript.begin(), subscript.end(), [](const SubscriptItem& i) { return i.kind != SubscriptItem::kEllipsis; });
  if (given > static_cast<int64_t>(dims.size())) {
    return absl::OutOfRangeError(absl::StrCat("the subscript has ", given, " entries, but ", shape.ToString(false), " has ", dims.size(), " dimensions"));
  }
  if (subscript.size() - given > 1) return Bad("more than one ...");
  Slices slices;
  const auto add = [&](int64_t start, int64_t count, int64_t step) {
    slices.start.push_back(start);
    slices.count.push_back(count);
    slices.step.push_back(step);
  };
  const auto whole = [&] {
    const int64_t size = dims[slices.start.size()];
    add(0, size, 1);
    slices.dimensions.push_back(size);
  };
  for (const SubscriptItem& item : subscript) {
    const size_t d = slices.start.size();
    if (item.kind == SubscriptItem::kEllipsis) {
      for (size_t n = dims.size() - given; n > 0; --n) whole();
    } else if (item.kind == SubscriptItem::kSlice) {
      const auto [first, n] = Resolve(item, dims[d]);
      add(first, n, item.step);
      slices.dimensions.push_back(n);
    } else {
      absl::StatusOr<int64_t> at = CheckedIndex(item.index, dims[d], absl::StrCat("dimension ", d));
      if (!at.ok()) return at.status();
      add(*at, 1, 1);
    }
  }
  while (slices.start.size() < dims.size()) whole();
  return slices;
}

absl::StatusOr<int64_t> TupleIndex(const Subscript& subscript, int64_t size) {
  if (subscript.size() != 1 || subscript[0].kind != SubscriptItem::kIndex) return Bad("a tuple takes one index");
  return CheckedIndex(subscript[0].index, size, "the tuple");
}

}  // namespace

absl::StatusOr<Shape> ApplySubscript(const Shape& shape, const Subscript& subscript) {
  if (shape.IsTuple()) {
    const absl::StatusOr<int64_t> at = TupleIndex(subscript, static_cast<int64_t>(shape.tuple_shapes().size()));
    if (!at.ok()) return at.status();
    return Shape(shape.tuple_shapes()[*at]);
  }
  const absl::StatusOr<Slices> slices = SlicesOf(shape, subscript);
  if (!slices.ok()) return slices.status();
  return Shape::Array(shape.element_type(), slices->dimensions);
}

absl::StatusOr<Value> ApplySubscript(const Value& value, const Subscript& subscript) {
  if (value.shape().IsTuple()) {
    const absl::StatusOr<int64_t> at = TupleIndex(subscript, static_cast<int64_t>(value.elements().size()));
    if (!at.ok()) return at.status();
    return value.elements()[*at];
  }
  const absl::StatusOr<Slices> slices = SlicesOf(value.shape(), subscript);
  if (!slices.ok()) return slices.status();
  const absl::Span<const int64_t> dims = value.shape().dimensions();
  const Value result = Value::Allocate(Shape::Array(value.shape().element_type(), slices->dimensions));
  std::byte* to = Value(result).mutable_data();
  const int bytes = StorageBytes(value.shape().element_type());
  const std::vector<int64_t> strides = RowMajorStrides(dims);
  std::vector<int64_t> at(dims.size(), 0);
  for (int64_t n = result.element_count(); n > 0; --n) {
    int64_t linear = 0;
    for (size_t d = 0; d < dims.size(); ++d) linear += (slices->start[d] + at[d] * slices->step[d]) * strides[d];
    std::memcpy(to, value.data() + linear * bytes, bytes);
    to += bytes;
    for (int d = static_cast<int>(dims.size()) - 1; d >= 0 && ++at[d] == slices->count[d]; --d) at[d] = 0;
  }
  return result;
}

absl::StatusOr<int64_t> ElementIndex(const Shape& shape, const Subscript& subscript) {
  if (!shape.IsArray() || static_cast<int>(subscript.size()) != shape.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("name one element of ", shape.ToString(false), " with ", shape.rank(), " indices"));
  }
  std::vector<int64_t> index;
  for (int d = 0; d < shape.rank(); ++d) {
    if (subscript[d].kind != SubscriptItem::kIndex) return Bad("one element is needed, not a slice");
    absl::StatusOr<int64_t> at = CheckedIndex(subscript[d].index, shape.dim(d), absl::StrCat("dimension ", d));
    if (!at.ok()) return at.status();
    index.push_back(*at);
  }
  return LinearIndex(shape.dimensions(), index);
}

std::string IndexText(const Shape& shape, int64_t linear) {
  std::vector<int64_t> index(shape.rank());
  DelinearizeIndex(shape.dimensions(), linear, absl::MakeSpan(index));
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
}

}  // namespace hloscope
