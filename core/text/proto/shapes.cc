// Shapes and layouts of the messages.
#include "core/text/proto/convert.h"
#include "core/text/proto/raw_cursor.h"

namespace hloscope {
namespace {

constexpr int kMaxDepth = 64;  // of tuples

struct TypeRow {
  ElementType type;
  int number;
};
constexpr TypeRow kTypes[] = {
    {ElementType::kPred, 1},      {ElementType::kS8, 2},       {ElementType::kS16, 3},          {ElementType::kS32, 4},
    {ElementType::kS64, 5},       {ElementType::kU8, 6},       {ElementType::kU16, 7},          {ElementType::kU32, 8},
    {ElementType::kU64, 9},       {ElementType::kF16, 10},     {ElementType::kF32, 11},         {ElementType::kF64, 12},
    {ElementType::kTuple, 13},    {ElementType::kOpaque, 14},  {ElementType::kC64, 15},         {ElementType::kBF16, 16},
    {ElementType::kToken, 17},    {ElementType::kC128, 18},    {ElementType::kF8E5M2, 19},      {ElementType::kF8E4M3FN, 20},
    {ElementType::kS4, 21},       {ElementType::kU4, 22},      {ElementType::kF8E4M3B11FNUZ, 23}, {ElementType::kF8E5M2FNUZ, 24},
    {ElementType::kF8E4M3FNUZ, 25}, {ElementType::kS2, 26},    {ElementType::kU2, 27},          {ElementType::kF8E4M3, 28},
    {ElementType::kF8E3M4, 29},   {ElementType::kS1, 30},      {ElementType::kU1, 31},          {ElementType::kF4E2M1FN, 32},
    {ElementType::kF8E8M0FNU, 33},
    {ElementType::kF6E2M3FN, 536000001}, {ElementType::kF6E3M2FN, 536000002},  // of our own: XLA's messages have no number for them
};

constexpr PaddingValue kPaddingValues[] = {PaddingValue::kUnknown, PaddingValue::kZero,    PaddingValue::kOne,
                                           PaddingValue::kLowest,  PaddingValue::kHighest, PaddingValue::kUnknown};

std::string OtherParts(const pb::LayoutProto& proto) {
  if (proto.has_other_text()) return proto.other_text();
  std::string text;
  if (proto.tail_padding_alignment_in_elements() > 1) absl::StrAppend(&text, "L(", proto.tail_padding_alignment_in_elements(), ")");
  const auto type = [&](absl::string_view mark, int number) {
    const absl::StatusOr<ElementType> t = ElementTypeOf(number);
    if (number != 0 && t.ok()) absl::StrAppend(&text, mark, "(", Name(*t), ")");
  };
  type("#", proto.index_primitive_type());
  type("*", proto.pointer_primitive_type());
  return text;
}

std::string LateParts(const pb::LayoutProto& proto) {
  std::string text;
  if (proto.has_other_text()) return text;
  if (proto.split_configs_size() > 0) {
    absl::StrAppend(&text, "SC");
    for (const pb::SplitConfigProto& split : proto.split_configs()) {
      absl::StrAppend(&text, "(", split.dimension(), ":", absl::StrJoin(split.split_indices(), ","), ")");
    }
  }
  if (proto.dynamic_shape_metadata_prefix_bytes() > 0) absl::StrAppend(&text, "M(", proto.dynamic_shape_metadata_prefix_bytes(), ")");
  return text;
}

absl::StatusOr<Layout> LayoutOf(const pb::LayoutProto& proto, int rank) {
  Layout layout;
  layout.minor_to_major.assign(proto.minor_to_major().begin(), proto.minor_to_major().end());
  std::vector<bool> seen(rank, false);
  bool ok = static_cast<int>(layout.minor_to_major.size()) == rank;
  for (int64_t d : layout.minor_to_major) {
    ok = ok && d >= 0 && d < rank && !seen[d];
    if (ok) seen[d] = true;
  }
  if (!ok) {
    return absl::InvalidArgumentError(absl::StrCat("the layout ", ListText(layout.minor_to_major), " is no order of ", rank, " dimensions"));
  }
  for (const pb::TileProto& tile : proto.tiles()) layout.tiles.push_back({{tile.dimensions().begin(), tile.dimensions().end()}});
  layout.element_size_in_bits = proto.element_size_in_bits();
  layout.memory_space = proto.memory_space();
  if (proto.padded_dimensions_size() == rank) {
    layout.padded_dimensions.assign(proto.padded_dimensions().begin(), proto.padded_dimensions().end());
    const int value = proto.padding_value();
    layout.padding_value = value >= 0 && value <= 5 ? kPaddingValues[value] : PaddingValue::kUnknown;
  }
  layout.other = OtherParts(proto) + LateParts(proto);
  return layout;
}

void FillLayout(const Layout& layout, pb::LayoutProto* proto) {
  for (int64_t d : layout.minor_to_major) proto->add_minor_to_major(d);
  for (const Tile& tile : layout.tiles) {
    pb::TileProto* t = proto->add_tiles();
    for (int64_t d : tile.dimensions) t->add_dimensions(d);
  }
  if (layout.element_size_in_bits != 0) proto->set_element_size_in_bits(layout.element_size_in_bits);
  if (layout.memory_space != 0) proto->set_memory_space(layout.memory_space);
  for (int64_t d : layout.padded_dimensions) proto->add_padded_dimensions(d);
  if (!layout.padded_dimensions.empty()) {
    for (int v = 1; v <= 5; ++v) {
      if (kPaddingValues[v] == layout.padding_value) proto->set_padding_value(v);
    }
  }
  RawCursor other(layout.other);
  int64_t number;
  if (other.Take("L") && other.Take("(") && other.Integer(&number) && number > 0) proto->set_tail_padding_alignment_in_elements(number);
  if (!layout.other.empty() && OtherParts(*proto) != layout.other) proto->set_other_text(layout.other);
}

}  // namespace

int PrimitiveType(ElementType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.number;
  }
  return 0;
}

absl::StatusOr<ElementType> ElementTypeOf(int primitive_type) {
  for (const TypeRow& row : kTypes) {
    if (row.number == primitive_type) return row.type;
  }
  return absl::InvalidArgumentError(absl::StrCat("no element type has the number ", primitive_type));
}

absl::StatusOr<Shape> ShapeOf(const pb::ShapeProto& proto, int depth) {
  if (depth > kMaxDepth) return absl::InvalidArgumentError("the tuples of a shape are nested too deeply");
  const absl::StatusOr<ElementType> type = ElementTypeOf(proto.element_type());
  if (!type.ok()) return type.status();
  if (*type == ElementType::kToken) return Shape::Token();
  if (*type == ElementType::kOpaque) return Shape::Opaque();
  if (*type == ElementType::kTuple) {
    std::vector<Shape> elements;
    for (const pb::ShapeProto& element : proto.tuple_shapes()) {
      absl::StatusOr<Shape> shape = ShapeOf(element, depth + 1);
      if (!shape.ok()) return shape;
      elements.push_back(*std::move(shape));
    }
    return Shape::Tuple(std::move(elements));
  }
  const int rank = proto.dimensions_size();
  std::vector<int64_t> dimensions(proto.dimensions().begin(), proto.dimensions().end());
  std::vector<bool> dynamic;
  if (proto.is_dynamic_dimension_size() > 0) {
    if (proto.is_dynamic_dimension_size() != rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("a shape has ", rank, " dimensions but says of ", proto.is_dynamic_dimension_size(), " whether they are dynamic"));
    }
    for (bool d : proto.is_dynamic_dimension()) dynamic.push_back(d);
  }
  for (int d = 0; d < rank; ++d) {
    const bool unbounded = !dynamic.empty() && dynamic[d] && (dimensions[d] == Shape::kUnbounded || dimensions[d] == -1);
    if (unbounded) {
      dimensions[d] = Shape::kUnbounded;
    } else if (dimensions[d] < 0) {
      return absl::InvalidArgumentError(absl::StrCat("a shape has the size ", dimensions[d], " in dimension ", d));
    }
  }
  std::optional<Layout> layout;
  if (proto.has_layout() && !proto.layout_not_given()) {
    absl::StatusOr<Layout> read = LayoutOf(proto.layout(), rank);
    if (!read.ok()) return read.status();
    layout = *std::move(read);
  }
  return Shape::Array(*type, dimensions, std::move(layout), std::move(dynamic));
}

void FillShape(const Shape& shape, pb::ShapeProto* proto) {
  proto->set_element_type(PrimitiveType(shape.element_type()));
  for (const Shape& element : shape.tuple_shapes()) FillShape(element, proto->add_tuple_shapes());
  for (int d = 0; d < shape.rank(); ++d) {
    proto->add_dimensions(shape.dim(d));
    if (shape.IsArray()) proto->add_is_dynamic_dimension(shape.is_dynamic(d));
  }
  if (shape.layout() != nullptr) {
    FillLayout(*shape.layout(), proto->mutable_layout());
  } else if (shape.IsArray()) {
    pb::LayoutProto* const layout = proto->mutable_layout();
    for (int d = shape.rank() - 1; d >= 0; --d) layout->add_minor_to_major(d);
    proto->set_layout_not_given(true);
  }
}

}  // namespace hloscope
