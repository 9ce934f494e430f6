// sparse<indices, values> : type: the elements at some indices; all others are zero. The value is an ordinary dense one.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/text/mlir/reader.h"

namespace hloscope::mlir {

// The characters text_[begin, end) between the brackets: `[[0, 1], [2, 3]], [1.0, 2.0]`; both may be one element instead of a list.
bool Reader::ReadSparseElements(int32_t begin, int32_t end, const Type& type, Attr* attr) {
  const ElementType element = type.shape.element_type();
  const int64_t bytes = StorageBytes(element);
  const int rank = type.shape.rank();
  Value value = Value::Allocate(type.shape);
  std::memset(value.mutable_data(), 0, value.byte_size());
  int32_t i = AfterSpace(begin, end);
  const int32_t indices_begin = i;

  // The indices, flat: those of an element stand together.
  std::vector<int64_t> indices;
  int depth = 0, deepest = 0;
  bool want = true;
  for (; i < end; i = AfterSpace(i, end)) {
    const char c = text_[i];
    if (c == '[' && want && depth < 2) {
      deepest = std::max(deepest, ++depth);
      ++i;
    } else if (c == ']' && depth > 0) {
      --depth;
      want = false;
      ++i;
    } else if (c == ',' && depth == 0) {
      break;
    } else if (c == ',' && !want) {
      want = true;
      ++i;
    } else if (want && (IsDigit(c) || c == '-' || c == '+')) {
      const int32_t first = i;
      while (i < end && (IsNameCharacter(text_[i]) || text_[i] == '-' || text_[i] == '+')) ++i;
      int64_t index = 0;
      double unused = 0;
      if (!ParseNumberIn(Text(first, i), {first, i}, ElementType::kS64, &index, &unused)) return false;
      indices.push_back(index);
      want = false;
    } else {
      return Error({i, i + 1}, HLO_LABEL("mlir.constant-literal"), absl::StrCat("'", absl::string_view(&c, 1), "' does not belong here among the indices"));
    }
  }
  const SourceRange indices_range = {indices_begin, i};
  const bool none = i >= end && indices.empty() && deepest == 0;  // sparse<>
  if (!none && (i >= end || text_[i] != ','))
    return Error({i, std::min(end, i + 1)}, HLO_LABEL("mlir.constant-literal"), "the values are missing", "write sparse<[[0, 1], [2, 3]], [1.0, 2.0]>");
  if (deepest == 0 && !none) indices.assign(rank, indices.empty() ? 0 : indices[0]);  // one number for all
  const int64_t count = rank == 0 ? (indices.empty() && deepest == 0 && !none ? 1 : 0) : static_cast<int64_t>(indices.size()) / rank;
  if (rank > 0 && static_cast<int64_t>(indices.size()) % rank != 0)
    return ShapeProblem(indices_range, absl::StrCat("each element needs ", rank, " indices, but there are ", indices.size(), " in all"), type);

  // The values, as many as there are indices.
  Type list = type;
  list.kind = Type::Kind::kTensor;
  list.shape = Shape::Array(element, {count});
  list.text = absl::StrCat("tensor<", count, "x", Name(element), ">");
  Attr values;
  if (!none && !ReadElements(i + 1, end, list, &values)) return false;
  for (int64_t k = 0; k < count; ++k) {
    int64_t linear = 0;
    for (int d = 0; d < rank; ++d) {
      const int64_t index = indices[k * rank + d], size = type.shape.dim(d);
      if (index < 0 || index >= size)
        return ShapeProblem(indices_range, absl::StrCat("index ", index, " of element ", k, " lies outside of dimension ", d, ", which has ", size, " elements"), type);
      linear = linear * size + index;
    }
    std::memcpy(value.mutable_data() + linear * bytes, values.value.data() + k * bytes, bytes);
  }
  attr->value = std::move(value);
  return true;
}

}  // namespace hloscope::mlir
