// sort: lines along one dimension, N arrays at once, ordered by a comparator. Always stable.
#include <algorithm>

#include "core/ops/comparator.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("sort.operand-arrays"))) return std::nullopt;
  const int n = c.operand_count();
  bool ok = true;
  for (int k = 1; k < n; ++k) {
    if (Shape::SameDimensions(c.operand(k), c.operand(0))) continue;
    c.FailOperand(k, HLO_LABEL("sort.same-dimensions"),
                  absl::StrCat("all arrays must have equal dimensions: operand 0 is ", TypeText(c.operand(0)), ", operand ", k, " is ", TypeText(c.operand(k))));
    ok = false;
  }
  const auto dims = c.instruction().Ints(AttrId::kDimensions);
  const int rank = c.operand(0).rank();
  if (dims.size() > 1 || (dims.size() == 1 && (dims[0] < 0 || dims[0] >= std::max(rank, 1)))) {
    c.FailAttribute(AttrId::kDimensions, HLO_LABEL("sort.dimension"), absl::StrCat("one dimension of ", TypeText(c.operand(0)), " is needed, not ", ListText(dims)));
    ok = false;
  }
  const Computation* f = c.instruction().Called(AttrId::kToApply);
  std::string why;
  if (f == nullptr || f->root == nullptr) {
    why = "a comparator is needed";
  } else if (static_cast<int>(f->parameters.size()) != 2 * n) {
    why = absl::StrCat("the comparator of ", n, " arrays takes ", 2 * n, " scalars, this one takes ", f->parameters.size());
  } else if (!f->root->shape.IsScalar() || !IsPred(f->root->shape.element_type())) {
    why = absl::StrCat("the comparator must return pred[], it returns ", TypeText(f->root->shape));
  } else {
    for (int p = 0; p < 2 * n && why.empty(); ++p) {
      const Shape& s = f->parameters[p]->shape;
      if (s.IsScalar() && s.element_type() == c.operand(p / 2).element_type()) continue;
      why = absl::StrCat("the comparator's parameter ", p, " must be ", Name(c.operand(p / 2).element_type()), "[], it is ", TypeText(s));
    }
  }
  if (!why.empty()) {
    c.FailAttribute(AttrId::kToApply, HLO_LABEL("sort.comparator-signature"), why);
    ok = false;
  }
  if (!ok) return std::nullopt;
  std::vector<Shape> shapes;
  for (int k = 0; k < n; ++k) shapes.push_back(c.operand(k).WithoutLayouts());
  return n == 1 ? shapes[0] : Shape::Tuple(shapes);
}

struct Keyed {
  uint64_t key;
  int64_t index;
};

// Stable order of keys: counting passes over the bytes that differ; comparisons for short lines.
void OrderByKeys(const std::vector<uint64_t>& keys, std::vector<int64_t>* order) {
  const int64_t n = static_cast<int64_t>(keys.size());
  std::vector<Keyed> a(n);
  for (int64_t e = 0; e < n; ++e) a[e] = {keys[e], e};
  if (n < 256) {
    std::stable_sort(a.begin(), a.end(), [](const Keyed& x, const Keyed& y) { return x.key < y.key; });
  } else {
    std::vector<int64_t> counts(8 * 256, 0);
    for (int64_t e = 0; e < n; ++e) {
      for (int byte = 0; byte < 8; ++byte) ++counts[byte * 256 + ((keys[e] >> (8 * byte)) & 255)];
    }
    std::vector<Keyed> b(n);
    for (int byte = 0; byte < 8; ++byte) {
      int64_t* count = &counts[byte * 256];
      if (count[(keys[0] >> (8 * byte)) & 255] == n) continue;
      int64_t at = 0;
      for (int v = 0; v < 256; ++v) {
        const int64_t here = count[v];
        count[v] = at;
        at += here;
      }
      for (int64_t e = 0; e < n; ++e) b[count[(a[e].key >> (8 * byte)) & 255]++] = a[e];
      a.swap(b);
    }
  }
  for (int64_t e = 0; e < n; ++e) (*order)[e] = a[e].index;
}

// Merge sort, right before left only where less(right, left): stable, and safe for comparators that are no order at all.
template <typename Less>
absl::Status MergeOrder(absl::Span<int64_t> order, Less less) {
  const int64_t n = static_cast<int64_t>(order.size());
  constexpr int64_t kRun = 8;
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t end = std::min(begin + kRun, n);
    for (int64_t i = begin + 1; i < end; ++i) {
      const int64_t x = order[i];
      int64_t j = i;
      for (; j > begin; --j) {
        auto before = less(x, order[j - 1]);
        if (!before.ok()) return before.status();
        if (!*before) break;
        order[j] = order[j - 1];
      }
      order[j] = x;
    }
  }
  if (n <= kRun) return absl::OkStatus();
  std::vector<int64_t> other(n);
  for (int64_t width = kRun; width < n; width *= 2) {
    for (int64_t begin = 0; begin < n; begin += 2 * width) {
      const int64_t middle = std::min(begin + width, n), end = std::min(begin + 2 * width, n);
      int64_t l = begin, r = middle, out = begin;
      while (l < middle && r < end) {
        auto before = less(order[r], order[l]);
        if (!before.ok()) return before.status();
        other[out++] = *before ? order[r++] : order[l++];
      }
      while (l < middle) other[out++] = order[l++];
      while (r < end) other[out++] = order[r++];
    }
    std::copy(other.begin(), other.end(), order.begin());
  }
  return absl::OkStatus();
}

// A bool that looks like a StatusOr, so that the quick comparator costs no status.
struct PlainBool {
  bool value;
  bool ok() const { return true; }
  bool operator*() const { return value; }
  absl::Status status() const { return absl::OkStatus(); }
};

template <typename T>
void Permute(const std::byte* from, std::byte* to, const std::vector<int64_t>& order, int64_t stride) {
  const T* f = reinterpret_cast<const T*>(from);
  T* t = reinterpret_cast<T*>(to);
  const int64_t n = static_cast<int64_t>(order.size());
  for (int64_t e = 0; e < n; ++e) t[e * stride] = f[order[e] * stride];
}

struct Bytes16 {
  uint64_t half[2];
};

void PermuteLine(int bytes, const std::byte* from, std::byte* to, const std::vector<int64_t>& order, int64_t stride) {
  switch (bytes) {
    case 1: return Permute<uint8_t>(from, to, order, stride);
    case 2: return Permute<uint16_t>(from, to, order, stride);
    case 4: return Permute<uint32_t>(from, to, order, stride);
    case 8: return Permute<uint64_t>(from, to, order, stride);
    case 16: return Permute<Bytes16>(from, to, order, stride);
    default: return;
  }
}

Value ElementAt(const Value& v, int64_t linear) {
  const int bytes = StorageBytes(v.shape().element_type());
  return Value::FromBytes(Shape::Scalar(v.shape().element_type()), absl::MakeConstSpan(v.data() + linear * bytes, bytes));
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) {
  const Instruction& i = c.instruction;
  const int count = static_cast<int>(c.operands.size());
  const Shape& shape = c.operands[0].shape();
  const auto dims = i.Ints(AttrId::kDimensions);
  const int dim = dims.empty() ? shape.rank() - 1 : static_cast<int>(dims[0]);
  const Computation& f = *i.Called(AttrId::kToApply);
  std::vector<ElementType> types;
  std::vector<Value> results;
  for (int k = 0; k < count; ++k) {
    types.push_back(c.operands[k].shape().element_type());
    results.push_back(Value::Allocate(count == 1 ? i.shape : i.shape.tuple_shapes()[k], c.account));
  }
  const int64_t n = shape.rank() == 0 ? 1 : shape.dim(dim);
  int64_t stride = 1;
  for (int d = dim + 1; d < shape.rank(); ++d) stride *= shape.dim(d);
  const int64_t total = shape.ElementCount();
  const int64_t lines = n == 0 ? 0 : total / n;
  std::optional<Comparator> fast = Comparator::Make(f, types);
  if (!fast && !c.call) return absl::UnimplementedError(absl::StrCat("sort ", i.name, ": comparator ", f.name, " does not inline and nothing can call it here"));
  std::vector<int64_t> order(n);
  std::vector<uint64_t> keys;
  std::vector<const std::byte*> data(count);
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t base = (line / stride) * n * stride + line % stride;
    for (int64_t e = 0; e < n; ++e) order[e] = e;
    for (int k = 0; k < count; ++k) data[k] = c.operands[k].data() + base * StorageBytes(types[k]);
    if (fast) {
      fast->Load(data, n, stride);
      const auto less = [&](int64_t a, int64_t b) { return PlainBool{fast->Less(a, b)}; };
      bool whole = false;
      if (!fast->Keys(&keys, &whole)) {
        MergeOrder(absl::MakeSpan(order), less).IgnoreError();
        keys.clear();
      } else {
        OrderByKeys(keys, &order);
      }
      for (int64_t begin = 0, end; !whole && !keys.empty() && begin < n; begin = end) {
        for (end = begin + 1; end < n && keys[order[end]] == keys[order[begin]]; ++end) {
        }
        if (end - begin > 1) MergeOrder(absl::MakeSpan(order).subspan(begin, end - begin), less).IgnoreError();
      }
    } else {
      const absl::Status status = MergeOrder(absl::MakeSpan(order), [&](int64_t a, int64_t b) -> absl::StatusOr<bool> {
        std::vector<Value> arguments;
        for (int k = 0; k < count; ++k) {
          arguments.push_back(ElementAt(c.operands[k], base + a * stride));
          arguments.push_back(ElementAt(c.operands[k], base + b * stride));
        }
        auto r = c.call(f, arguments);
        if (!r.ok()) return r.status();
        return *r->as<uint8_t>() != 0;
      });
      if (!status.ok()) return status;
    }
    for (int k = 0; k < count; ++k) {
      const int bytes = StorageBytes(types[k]);
      PermuteLine(bytes, data[k], results[k].mutable_data() + base * bytes, order, stride);
    }
  }
  return count == 1 ? results[0] : Value::Tuple(i.shape, std::move(results));
}

}  // namespace

void DefineSort(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kSort);
  d.op_class = OpClass::kOpaque;
  d.min_operands = 1;
  d.max_operands = -1;
  d.attributes = {{AttrId::kDimensions}, {AttrId::kToApply, true}, {AttrId::kIsStable}};
  d.infer = Infer;
  d.evaluate = Evaluate;
  d.opaque_reason = "where an element goes depends on all the others of its line";
  d.summary = "orders lines along one dimension by a comparator, N arrays at once";
  d.doc =
      "Each line along the dimension (the last when none is given) is ordered by the comparator, which takes the left and right element "
      "of every array in turn and says whether the left stands before the right. All arrays are rearranged alike. The order is stable whether "
      "`is_stable` says so or not. NaNs stand where the comparator puts them; under a plain `<`, which leaves them unordered, the result is some fixed "
      "rearrangement.";
  d.spec = "operations.md: Reductions, windows, sorting";
}

}  // namespace hloscope
