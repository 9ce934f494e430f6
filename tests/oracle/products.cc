// dot, ragged-dot and convolution of the oracle: for every element of the result the list of its products, then their sum in any order.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "tests/oracle/arrays.h"
#include "tests/oracle/scalars.h"

namespace hloscope::oracle {
namespace {

// a * b, exact where the type holds it, else with the rounding as its bound: an implementation may or may not round it.
Number Product(ElementType type, const Number& a, const Number& b) {
  if (!IsFloat(type) && !IsComplex(type)) return Binary(Opcode::kMultiply, type, a, b);
  if (a.unknown() || b.unknown()) return Unknown();
  if (IsComplex(type)) {
    const ElementType r = RealTypeOf(type);
    Number p = Binary(Opcode::kMultiply, type, a, b);
    if (p.unknown()) return p;
    const double parts[] = {a.re * b.re, a.im * b.im, a.re * b.im, a.im * b.re};
    double lost = 0;
    for (double x : parts) lost += Round(r, x) == x && type != ElementType::kC128 ? 0 : 2 * Ulp(r, x);
    const double re = parts[0] - parts[1], im = parts[2] + parts[3];
    if (Round(r, re) != re || Round(r, im) != im) lost += 2 * Ulp(r, std::abs(re) + std::abs(im));
    const double small = type == ElementType::kC128 && a.error == 0 && b.error == 0 ? std::abs(re) + std::abs(im) : 0;
    // In c128 the products of small whole numbers are exact; nothing finer is looked at.
    auto whole = [](const Number& x) { return x.re == std::trunc(x.re) && x.im == std::trunc(x.im) && std::abs(x.re) + std::abs(x.im) < 1e6; };
    if (small != 0 && whole(a) && whole(b)) lost = 0;
    return Complex(re, im, lost + (a.error + b.error != 0 ? p.error : 0));
  }
  Number p = Binary(Opcode::kMultiply, type, a, b);
  if (p.unknown()) return p;
  const long double exact = static_cast<long double>(a.re) * b.re;
  if (std::isfinite(exact) && exact != p.re) {
    if (!std::isfinite(p.re)) return Unknown();
    p.error += 2 * Ulp(type, p.re);
  } else if (type == ElementType::kF64 && std::isfinite(exact) && std::fma(a.re, b.re, -p.re) != 0) {
    p.error += 2 * Ulp(type, p.re);
  }
  return p;
}

Number Sum(ElementType type, std::vector<Number> terms) {
  if (IsFloat(type) || IsComplex(type)) {
    terms.insert(terms.begin(), IsFloat(type) ? Convert(ElementType::kF64, type, Real(0)) : Number());
    return SumInAnyOrder(type, terms);
  }
  Number sum;
  for (const Number& t : terms) sum = Binary(Opcode::kAdd, type, sum, t);
  return sum;
}

Index FreeDims(int rank, absl::Span<const int64_t> a, absl::Span<const int64_t> b, absl::Span<const int64_t> c = {}) {
  Index free;
  for (int d = 0; d < rank; ++d) {
    if (!Contains(a, d) && !Contains(b, d) && !Contains(c, d)) free.push_back(d);
  }
  return free;
}
Index SizesOf(const Shape& shape, absl::Span<const int64_t> dims) {
  Index sizes;
  for (int64_t d : dims) sizes.push_back(shape.dim(static_cast<int>(d)));
  return sizes;
}

struct DotDims {
  absl::Span<const int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
  explicit DotDims(const Instruction& i)
      : lhs_contracting(i.Ints(AttrId::kLhsContractingDims)), rhs_contracting(i.Ints(AttrId::kRhsContractingDims)),
        lhs_batch(i.Ints(AttrId::kLhsBatchDims)), rhs_batch(i.Ints(AttrId::kRhsBatchDims)) {}
};

// Instructions that sum products of bf16 take denormals as zeros, and make zeros of them: how much of x y that may cost.
double LostDenormals(double x, double y) {
  const double product = std::abs(x * y), least = 0x1p-126;
  if (product == 0 || !std::isfinite(product)) return 0;
  if (std::abs(x) < least || std::abs(y) < least) return product;
  return product < 0x1p-100 ? least : 0;
}

Array Dot(const Instruction& instruction, const Array& lhs, const Array& rhs) {
  Array out(instruction.shape);
  const DotDims dims(instruction);
  const Index lhs_free = FreeDims(lhs.shape.rank(), dims.lhs_contracting, dims.lhs_batch);
  const Index rhs_free = FreeDims(rhs.shape.rank(), dims.rhs_contracting, dims.rhs_batch);
  const Index depth = SizesOf(lhs.shape, dims.lhs_contracting);
  const size_t batches = dims.lhs_batch.size();
  ForEach(out.shape.dimensions(), [&](const Index& o) {
    Index l(lhs.shape.rank()), r(rhs.shape.rank());
    for (size_t k = 0; k < batches; ++k) l[dims.lhs_batch[k]] = r[dims.rhs_batch[k]] = o[k];
    for (size_t k = 0; k < lhs_free.size(); ++k) l[lhs_free[k]] = o[batches + k];
    for (size_t k = 0; k < rhs_free.size(); ++k) r[rhs_free[k]] = o[batches + lhs_free.size() + k];
    std::vector<Number> terms;
    double lost = 0;
    ForEach(depth, [&](const Index& c) {
      for (size_t k = 0; k < c.size(); ++k) l[dims.lhs_contracting[k]] = r[dims.rhs_contracting[k]] = c[k];
      if (lhs.type() == ElementType::kBF16) lost += LostDenormals(lhs.at(l).re, rhs.at(r).re);
      terms.push_back(Product(out.type(), Convert(lhs.type(), out.type(), lhs.at(l)), Convert(rhs.type(), out.type(), rhs.at(r))));
    });
    const bool sums = terms.size() > 1;
    out.at(o) = Sum(out.type(), std::move(terms));
    if (sums) out.at(o).error += lost;
  });
  return out;
}

// The group that row `row` of the ragged dimension is in, from the sizes at `prefix`; -1: in none.
int64_t GroupOf(const Array& sizes, Index prefix, int64_t row) {
  prefix.resize(sizes.shape.rank() - 1);  // shared sizes have no leading dimensions
  prefix.push_back(0);
  int64_t end = 0;
  const int64_t groups = sizes.shape.dim(sizes.shape.rank() - 1);
  for (int64_t g = 0; g < groups; ++g) {
    prefix.back() = g;
    end += sizes.at(prefix).i;
    if (row < end) return g;
  }
  return -1;
}

absl::StatusOr<Array> RaggedDot(const Instruction& instruction, Operands operands) {
  const Array &lhs = *operands[0], &rhs = *operands[1], &sizes = *operands[2];
  Array out(instruction.shape);
  if (HasUnknown(sizes)) {
    SetUnknown(out);
    return out;
  }
  const DotDims dims(instruction);
  const int64_t ragged = instruction.Ints(AttrId::kLhsRaggedDims)[0];
  const auto group_dims = instruction.Ints(AttrId::kRhsGroupDims);
  const Index lhs_free = FreeDims(lhs.shape.rank(), dims.lhs_contracting, dims.lhs_batch);
  const Index rhs_free = FreeDims(rhs.shape.rank(), dims.rhs_contracting, dims.rhs_batch, group_dims);
  const Index depth = SizesOf(lhs.shape, dims.lhs_contracting);
  const bool contracting = Contains(dims.lhs_contracting, ragged), batch = Contains(dims.lhs_batch, ragged);
  const size_t batches = dims.lhs_batch.size(), front = contracting ? 1 : 0;
  ForEach(out.shape.dimensions(), [&](const Index& o) {
    Index l(lhs.shape.rank()), r(rhs.shape.rank()), prefix;
    for (size_t k = 0; k < batches; ++k) {
      l[dims.lhs_batch[k]] = r[dims.rhs_batch[k]] = o[front + k];
      if (!batch || dims.lhs_batch[k] < ragged) prefix.push_back(o[front + k]);
    }
    for (size_t k = 0; k < lhs_free.size(); ++k) l[lhs_free[k]] = o[front + batches + k];
    for (size_t k = 0; k < rhs_free.size(); ++k) r[rhs_free[k]] = o[front + batches + lhs_free.size() + k];
    if (!contracting && !batch) {
      for (int64_t d : lhs_free) {
        if (d < ragged) prefix.push_back(l[d]);
      }
      const int64_t group = GroupOf(sizes, prefix, l[ragged]);
      if (group < 0) {
        out.at(o) = Number();
        return;
      }
      if (!group_dims.empty()) r[group_dims[0]] = group;
    }
    std::vector<Number> terms;
    ForEach(depth, [&](const Index& c) {
      Index inner = prefix;
      for (size_t k = 0; k < c.size(); ++k) {
        l[dims.lhs_contracting[k]] = r[dims.rhs_contracting[k]] = c[k];
        if (dims.lhs_contracting[k] < ragged) inner.push_back(c[k]);
      }
      if (contracting && GroupOf(sizes, inner, l[ragged]) != o[0]) return;
      terms.push_back(Product(out.type(), Convert(lhs.type(), out.type(), lhs.at(l)), Convert(rhs.type(), out.type(), rhs.at(r))));
    });
    out.at(o) = Sum(out.type(), std::move(terms));
  });
  return out;
}

absl::StatusOr<Array> Convolution(const Instruction& instruction, const Array& lhs, const Array& rhs) {
  const ConvDimensionNumbers* labels = instruction.GetDimLabels();
  if (labels == nullptr) return absl::InvalidArgumentError("a convolution without dim_labels");
  Array out(instruction.shape);
  const size_t spatial = labels->input_spatial.size();
  Window window(spatial);
  if (instruction.GetWindow() != nullptr && instruction.GetWindow()->size() == spatial) window = *instruction.GetWindow();
  const int64_t feature_groups = instruction.Int(AttrId::kFeatureGroupCount, 1), batch_groups = instruction.Int(AttrId::kBatchGroupCount, 1);
  auto dim = [](const Shape& s, int64_t d) { return s.dim(static_cast<int>(d)); };
  const int64_t features_out = dim(out.shape, labels->output_feature), batch_in = dim(lhs.shape, labels->input_batch);
  const int64_t features_in = dim(rhs.shape, labels->kernel_input_feature);
  Index kernel;
  for (int64_t d : labels->kernel_spatial) kernel.push_back(dim(rhs.shape, d));
  kernel.push_back(features_in);
  ForEach(out.shape.dimensions(), [&](const Index& o) {
    const int64_t feature = o[labels->output_feature];
    Index l(lhs.shape.rank()), r(rhs.shape.rank());
    l[labels->input_batch] = o[labels->output_batch];
    if (batch_groups > 1) l[labels->input_batch] += feature / (features_out / batch_groups) * (batch_in / batch_groups);
    const int64_t first_feature = feature_groups > 1 ? feature / (features_out / feature_groups) * features_in : 0;
    r[labels->kernel_output_feature] = feature;
    std::vector<Number> terms;
    bool zero_times_special = false;
    ForEach(kernel, [&](const Index& k) {
      bool inside = true;
      for (size_t d = 0; d < spatial; ++d) {
        const WindowDimension& w = window[d];
        const int64_t x = o[labels->output_spatial[d]] * w.stride + k[d] * w.window_dilation - w.padding_low;
        inside = inside && x >= 0 && x % w.base_dilation == 0 && x / w.base_dilation < dim(lhs.shape, labels->input_spatial[d]);
        l[labels->input_spatial[d]] = x / w.base_dilation;
        r[labels->kernel_spatial[d]] = w.reversal ? kernel[d] - 1 - k[d] : k[d];
      }
      l[labels->input_feature] = first_feature + k[spatial];
      r[labels->kernel_input_feature] = k[spatial];
      if (!inside) {
        // Padding is zeros, and whether they are multiplied or left out is free: an infinity of the kernel then tells the two apart.
        zero_times_special |= !std::isfinite(rhs.at(r).re) || !std::isfinite(rhs.at(r).im);
        return;
      }
      terms.push_back(Product(out.type(), Convert(lhs.type(), out.type(), lhs.at(l)), Convert(rhs.type(), out.type(), rhs.at(r))));
    });
    out.at(o) = zero_times_special ? Unknown() : Sum(out.type(), std::move(terms));
  });
  return out;
}

}  // namespace

absl::StatusOr<Array> MultiplyData(const Instruction& instruction, Operands operands) {
  switch (instruction.opcode) {
    case Opcode::kDot: return Dot(instruction, *operands[0], *operands[1]);
    case Opcode::kRaggedDot: return RaggedDot(instruction, operands);
    case Opcode::kConvolution: return Convolution(instruction, *operands[0], *operands[1]);
    default: return absl::NotFoundError("no product");
  }
}

}  // namespace hloscope::oracle
