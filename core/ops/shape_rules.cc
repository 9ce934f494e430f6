// See shape_rules.h. Nothing is worded unless a requirement fails.
#include "core/ops/shape_rules.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hloscope {

std::string DimensionsText(absl::Span<const int64_t> dimensions) { return absl::StrCat("[", absl::StrJoin(dimensions, ","), "]"); }
std::string ListText(absl::Span<const int64_t> values) { return absl::StrCat("{", absl::StrJoin(values, ","), "}"); }

bool CheckArrayOperand(ShapeContext& c, int i, absl::string_view label) {
  if (c.operand(i).IsArray()) return true;
  c.FailOperand(i, label, absl::StrCat("operand ", i, " must be an array but is ", c.operand(i).ToString(false)));
  return false;
}

bool CheckArrayOperands(ShapeContext& c, absl::string_view label) {
  for (int i = 0; i < c.operand_count(); ++i) {
    if (!CheckArrayOperand(c, i, label)) return false;
  }
  return true;
}

bool CheckSameDimensions(ShapeContext& c, int i, int reference, absl::string_view label) {
  if (c.operand(i).id() == c.operand(reference).id() || c.operand(i).dimensions() == c.operand(reference).dimensions()) return true;
  c.FailOperand(i, label, absl::StrCat("operand ", i, " has dimensions ", DimensionsText(c.operand(i).dimensions()), " but operand ", reference, " has ",
                                       DimensionsText(c.operand(reference).dimensions())),
                "nothing is broadcast implicitly: put a broadcast in between");
  return false;
}

bool CheckSameType(ShapeContext& c, int i, int reference, absl::string_view label) {
  const ElementType type = c.operand(i).element_type();
  const ElementType expected = c.operand(reference).element_type();
  if (type == expected) return true;
  c.FailOperand(i, label, absl::StrCat("operand ", i, " has element type ", Name(type), " but operand ", reference, " has ", Name(expected)),
                "put a convert in between");
  return false;
}

bool CheckInRange(ShapeContext& c, AttrId attribute, int64_t rank, absl::string_view label) {
  for (int64_t d : c.instruction().Ints(attribute)) {
    if (d >= 0 && d < rank) continue;
    c.FailAttribute(attribute, label, absl::StrCat(Info(attribute).name, " names dimension ", d, " but there are ", rank, " dimensions"));
    return false;
  }
  return true;
}

bool CheckDistinct(ShapeContext& c, AttrId attribute, absl::string_view label) {
  const absl::Span<const int64_t> list = c.instruction().Ints(attribute);
  absl::InlinedVector<int64_t, 16> sorted(list.begin(), list.end());
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] != sorted[i - 1]) continue;
    c.FailAttribute(attribute, label, absl::StrCat(Info(attribute).name, "=", ListText(list), " names dimension ", sorted[i], " twice"));
    return false;
  }
  return true;
}

bool CheckIncreasing(ShapeContext& c, AttrId attribute, absl::string_view label) {
  const absl::Span<const int64_t> list = c.instruction().Ints(attribute);
  for (size_t i = 1; i < list.size(); ++i) {
    if (list[i - 1] < list[i]) continue;
    c.FailAttribute(attribute, label, absl::StrCat(Info(attribute).name, "=", ListText(list), " must increase"));
    return false;
  }
  return true;
}

bool CheckCount(ShapeContext& c, AttrId attribute, int64_t count, absl::string_view label) {
  const absl::Span<const int64_t> list = c.instruction().Ints(attribute);
  if (static_cast<int64_t>(list.size()) == count) return true;
  const absl::string_view name = Info(attribute).name;
  c.FailAttribute(attribute, label, !c.instruction().Has(attribute) ? absl::StrCat(Name(c.instruction().opcode), " needs the attribute ", name, ", of ", count, count == 1 ? " entry" : " entries")
                                                                    : absl::StrCat(name, "=", ListText(list), " has ", list.size(), list.size() == 1 ? " entry" : " entries", " where ", count, count == 1 ? " is needed" : " are needed"));
  return false;
}

bool CheckParameters(ShapeContext& c, AttrId attribute, const Computation& computation, absl::Span<const Shape> expected,
                     absl::string_view count_label, absl::string_view type_label) {
  if (computation.parameters.size() != expected.size()) {
    c.FailAttribute(attribute, count_label,
                    absl::StrCat("computation %", computation.name, " has ", computation.parameters.size(), " parameters where ", expected.size(), " are needed"));
    return false;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const Shape& found = computation.parameters[i]->shape;
    if (Shape::Compatible(found, expected[i]) || SameUpToDynamic(found, expected[i])) continue;
    c.FailAttribute(attribute, type_label,
                    absl::StrCat("parameter ", i, " of computation %", computation.name, " is ", found.ToString(false), " but gets ",
                                 expected[i].ToString(false)));
    return false;
  }
  return true;
}

bool CheckResult(ShapeContext& c, AttrId attribute, const Computation& computation, const Shape& expected, absl::string_view label) {
  const Shape& found = computation.root->shape;
  if (Shape::Compatible(found, expected) || SameUpToDynamic(found, expected)) return true;
  c.FailAttribute(attribute, label,
                  absl::StrCat("computation %", computation.name, " returns ", found.ToString(false), " where ", expected.ToString(false), " is needed"));
  return false;
}

bool SameUpToDynamic(const Shape& a, const Shape& b) {
  if (a.id() == b.id()) return true;
  if (a.element_type() != b.element_type() || a.dimensions() != b.dimensions() || a.tuple_shapes().size() != b.tuple_shapes().size()) return false;
  for (size_t i = 0; i < a.tuple_shapes().size(); ++i) {
    if (!SameUpToDynamic(a.tuple_shapes()[i], b.tuple_shapes()[i])) return false;
  }
  return true;
}

Shape MergeDynamic(const Shape& shape, const ShapeContext& c) {
  std::vector<bool> dynamic;
  for (int i = 0; i < c.operand_count(); ++i) {
    const Shape& operand = c.operand(i);
    if (!operand.has_dynamic_dimension() || operand.rank() != shape.rank()) continue;
    dynamic.resize(shape.rank());
    for (int d = 0; d < shape.rank(); ++d) dynamic[d] = dynamic[d] || operand.is_dynamic(d);
  }
  if (dynamic.empty()) return shape;
  return Shape::Array(shape.element_type(), shape.dimensions(), std::nullopt, std::move(dynamic));
}

std::optional<int64_t> ToDimension(__int128 size) {
  if (size < 0 || size > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(size);
}

}  // namespace hloscope
