// topk: the k largest or smallest elements of each line, with their places.
#include "core/ops/topk.h"

#include <algorithm>

#include "core/ops/comparator.h"
#include "core/ops/rules.h"
#include "core/ops/typed.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("topk.operand-array"))) return std::nullopt;
  const Shape& s = c.operand(0);
  if (s.rank() == 0 || IsComplex(s.element_type())) {
    return c.FailOperand(0, HLO_LABEL("topk.operand-array"),
                         absl::StrCat("an array of rank 1 or more of ordered numbers is needed, not ", TypeText(s)));
  }
  const int64_t k = c.instruction().Int(AttrId::kK, -1);
  const int last = s.rank() - 1;
  if (k < 0 || k > s.dim(last)) {
    return c.FailAttribute(AttrId::kK, HLO_LABEL("topk.k"),
                           absl::StrCat("k must lie between 0 and the last dimension's size ", s.dim(last), ", it is ", k));
  }
  DimensionList list;
  for (int d = 0; d < last; ++d) list.AddFrom(s, d);
  list.Add(k);
  return Shape::Tuple({list.Build(s.element_type()), list.Build(ElementType::kS32)});
}

struct Entry {
  uint64_t key;  // larger stands first
  int32_t index;
  bool Before(const Entry& o) const { return key != o.key ? key > o.key : index < o.index; }
};
bool Before(const Entry& a, const Entry& b) { return a.Before(b); }

uint64_t KeyAt(ElementType type, const std::byte* data, int64_t e) {
  if (IsFloat(type)) return TotalOrderKey(LoadFloatAt(type, data, e));
  const int64_t v = LoadIntAt(type, data, e);
  return IsSigned(type) ? static_cast<uint64_t>(v) ^ (uint64_t{1} << 63) : static_cast<uint64_t>(v);
}

// The first k of a line of n in order of Before.
void Select(ElementType type, const std::byte* data, int64_t n, int64_t k, bool largest, std::vector<Entry>* best) {
  best->clear();
  if (k == 0) return;
  const uint64_t flip = largest ? 0 : ~uint64_t{0};
  if (k * 8 > n) {
    for (int64_t e = 0; e < n; ++e) best->push_back({KeyAt(type, data, e) ^ flip, static_cast<int32_t>(e)});
    std::partial_sort(best->begin(), best->begin() + k, best->end(), Before);
    best->resize(k);
    return;
  }
  // A heap with the last of the k on top; an element enters when it stands before that one. Later ones of equal key never do.
  for (int64_t e = 0; e < n; ++e) {
    const Entry x{KeyAt(type, data, e) ^ flip, static_cast<int32_t>(e)};
    if (static_cast<int64_t>(best->size()) < k) {
      best->push_back(x);
      std::push_heap(best->begin(), best->end(), Before);
    } else if (x.key > best->front().key) {
      std::pop_heap(best->begin(), best->end(), Before);
      best->back() = x;
      std::push_heap(best->begin(), best->end(), Before);
    }
  }
  std::sort_heap(best->begin(), best->end(), Before);
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) { return TopK(c, c.instruction.Bool(AttrId::kLargest, true)); }

}  // namespace

std::vector<Reach> ReachOfTopK(const ReachQuestion& q) { return {q.Line(q.from.rank() - 1, q.leaf == 0 ? Reach::Kind::kOrdered : Reach::Kind::kValue)}; }

std::string TopKProblem(const Shape& operand, const Shape& result) {
  const std::string shapes = absl::StrCat(TypeText(operand), " cannot give ", TypeText(result));
  if (!operand.IsArray() || operand.rank() == 0 || IsComplex(operand.element_type())) return absl::StrCat("an array of ordered numbers is needed: ", shapes);
  if (!result.IsTuple() || result.tuple_shapes().size() != 2) return absl::StrCat("the result is (values, indices): ", shapes);
  const Shape& values = result.tuple_shapes()[0];
  const Shape& indices = result.tuple_shapes()[1];
  const int last = operand.rank() - 1;
  bool fits = values.IsArray() && indices.IsArray() && values.element_type() == operand.element_type() &&
              indices.element_type() == ElementType::kS32 && Shape::SameDimensions(values, indices) && values.rank() == operand.rank() &&
              values.dim(last) <= operand.dim(last);
  for (int d = 0; fits && d < last; ++d) fits = values.dim(d) == operand.dim(d);
  return fits ? "" : shapes;
}

absl::StatusOr<Value> TopK(const EvalContext& context, bool largest) {
  const Value& operand = context.operands[0];
  const Shape& result = context.instruction.shape;
  MemoryAccount* account = context.account;
  const Shape& s = operand.shape();
  if (const std::string problem = TopKProblem(s, result); !problem.empty()) return absl::InvalidArgumentError(problem);
  const ElementType type = s.element_type();
  const Shape& vs = result.tuple_shapes()[0];
  const Shape& is = result.tuple_shapes()[1];
  const int64_t n = s.dim(s.rank() - 1), k = vs.dim(vs.rank() - 1);
  const int64_t lines = n == 0 ? 0 : s.ElementCount() / n;
  Value values = Value::Allocate(vs, account);
  Value indices = Value::Allocate(is, account);
  const int bytes = StorageBytes(type);
  std::byte* to_values = values.mutable_data();
  int32_t* to_indices = indices.mutable_as<int32_t>();
  context.ParallelFor(lines, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, n)), [&](int64_t begin, int64_t end) {
    std::vector<Entry> best;
    for (int64_t line = begin; line < end; ++line) {
      const std::byte* from = operand.data() + line * n * bytes;
      Select(type, from, n, k, largest, &best);
      for (int64_t j = 0; j < k; ++j) {
        std::memcpy(to_values + (line * k + j) * bytes, from + best[j].index * int64_t{bytes}, bytes);
        to_indices[line * k + j] = best[j].index;
      }
    }
  });
  return Value::Tuple(result, {std::move(values), std::move(indices)});
}

void DefineTopK(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kTopk);
  d.op_class = OpClass::kOpaque;
  d.min_operands = d.max_operands = 1;
  d.attributes = {{AttrId::kK, true}, {AttrId::kLargest}};
  d.infer = Infer;
  d.evaluate = Evaluate;
  d.reach = ReachOfTopK;
  d.opaque_reason = "which elements stay depends on all the others of their line";
  d.summary = "the k largest (or smallest) elements of each line, with their indices";
  d.doc =
      "Along the last dimension: the k largest elements in descending order (the smallest in ascending order with `largest=false`), and "
      "their indices as s32. Floats are ordered totally, so +NaN counts as largest; among equals the lower index comes first.";
  d.spec = "operations.md: Reductions, windows, sorting";
}

}  // namespace hloscope
