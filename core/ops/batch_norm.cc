// Batch normalisation: training and grad with their own code (their results differ in shape), inference as an element program.
//
// Sums of a channel are kept in f64 in sixteen lanes: the channel's elements, row-major, go round the lanes; lanes are joined pairwise
// (l with l+8, then +4, +2, +1). Moments are sums about the channel's first element: that one is a sample, so its squared distance from
// the mean is at most n times the variance, and the subtraction at the end loses no more than n units of f64. Results round once to the
// type.
#include <algorithm>
#include <cmath>

#include "core/base/clones.h"
#include "core/ops/rules.h"
#include "core/ops/typed.h"

namespace hloscope {
namespace {

bool CheckOperandAndFeature(ShapeContext& c, absl::string_view arrays_label, absl::string_view feature_label) {
  if (!RequireArrays(c, arrays_label)) return false;
  if (!IsFloat(c.operand(0).element_type())) {
    c.FailOperand(0, arrays_label, absl::StrCat("the operand must be an array of floats, it is ", TypeText(c.operand(0))));
    return false;
  }
  const int64_t f = c.instruction().Int(AttrId::kFeatureIndex, -1);
  if (f >= 0 && f < c.operand(0).rank()) return true;
  c.FailAttribute(AttrId::kFeatureIndex, feature_label,
                  absl::StrCat("feature_index must be a dimension of ", TypeText(c.operand(0)), ", it is ", f));
  return false;
}

bool CheckVectors(ShapeContext& c, int first, int last, absl::string_view label) {
  bool ok = true;
  const Shape& s = c.operand(0);
  const int64_t n = s.dim(static_cast<int>(c.instruction().Int(AttrId::kFeatureIndex)));
  for (int k = first; k <= last; ++k) {
    const Shape& v = c.operand(k);
    if (v.rank() == 1 && v.dim(0) == n && IsFloat(v.element_type())) continue;
    c.FailOperand(k, label, absl::StrCat("operand ", k, " must have one float for each of the ", n, " features, it is ", TypeText(v)));
    ok = false;
  }
  return ok;
}

Shape FeatureVector(const ShapeContext& c, ElementType type) {
  return Shape::Array(type, {c.operand(0).dim(static_cast<int>(c.instruction().Int(AttrId::kFeatureIndex)))});
}

std::optional<Shape> InferTraining(ShapeContext& c) {
  if (!CheckOperandAndFeature(c, HLO_LABEL("batch-norm-training.operand-arrays"), HLO_LABEL("batch-norm-training.feature-index")))
    return std::nullopt;
  if (!CheckVectors(c, 1, 2, HLO_LABEL("batch-norm-training.feature-vectors"))) return std::nullopt;
  const Shape v = FeatureVector(c, c.operand(1).element_type());
  return Shape::Tuple({c.operand(0).WithoutLayouts(), v, v});
}

std::optional<Shape> InferInference(ShapeContext& c) {
  if (!CheckOperandAndFeature(c, HLO_LABEL("batch-norm-inference.operand-arrays"), HLO_LABEL("batch-norm-inference.feature-index")))
    return std::nullopt;
  if (!CheckVectors(c, 1, 4, HLO_LABEL("batch-norm-inference.feature-vectors"))) return std::nullopt;
  return c.operand(0).WithoutLayouts();
}

std::optional<Shape> InferGrad(ShapeContext& c) {
  if (!CheckOperandAndFeature(c, HLO_LABEL("batch-norm-grad.operand-arrays"), HLO_LABEL("batch-norm-grad.feature-index")))
    return std::nullopt;
  bool ok = CheckVectors(c, 1, 3, HLO_LABEL("batch-norm-grad.feature-vectors"));
  if (!Shape::SameDimensions(c.operand(4), c.operand(0)) || !IsFloat(c.operand(4).element_type())) {
    c.FailOperand(
        4, HLO_LABEL("batch-norm-grad.grad-output"),
        absl::StrCat("grad_output must have the operand's dimensions ", TypeText(c.operand(0)), ", it is ", TypeText(c.operand(4))));
    ok = false;
  }
  if (!ok) return std::nullopt;
  const Shape v = FeatureVector(c, c.operand(1).element_type());
  return Shape::Tuple({c.operand(0).WithoutLayouts(), v, v});
}

// Channel c's elements are at (o * channels + c) * inner + i.
struct Geometry {
  int64_t outer = 1, channels = 1, inner = 1;
  int64_t count() const { return outer * inner; }
};
Geometry GeometryOf(const Shape& s, int feature) {
  Geometry g;
  for (int d = 0; d < feature; ++d) g.outer *= s.dim(d);
  g.channels = s.dim(feature);
  for (int d = feature + 1; d < s.rank(); ++d) g.inner *= s.dim(d);
  return g;
}

constexpr int kLanes = 16;


// Both sums of a step: of u, and of u v. Moments: u = v = x - k. Gradients: u = dy, v = x - k.
template <bool kGrad, typename T>
HLOSCOPE_INLINE void AddTo(const T* x, const T* dy, int64_t e, double k, double& first, double& second) {
  const double v = x[e] - k;
  const double u = kGrad ? static_cast<double>(dy[e]) : v;
  first += u;
  second += u * v;
}

// n elements of one channel, n a multiple of the lanes; the first goes to lane 0.
template <bool kGrad, typename T>
HLOSCOPE_INLINE void Run(const T* x, const T* dy, int64_t n, double k, double* __restrict first, double* __restrict second) {
  double a[kLanes], b[kLanes];
  for (int l = 0; l < kLanes; ++l) a[l] = first[l], b[l] = second[l];
  for (int64_t i = 0; i < n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) AddTo<kGrad>(x, dy, i + l, k, a[l], b[l]);
  }
  for (int l = 0; l < kLanes; ++l) first[l] = a[l], second[l] = b[l];
}

// One element of each of n neighbouring channels.
template <bool kGrad, typename T>
HLOSCOPE_INLINE void Row(const T* x, const T* dy, int64_t n, const double* __restrict k, double* __restrict first, double* __restrict second) {
  int64_t c = 0;
  for (; c + kLanes <= n; c += kLanes) {
    for (int l = 0; l < kLanes; ++l) AddTo<kGrad>(x, dy, c + l, k[c + l], first[c + l], second[c + l]);
  }
  for (; c < n; ++c) AddTo<kGrad>(x, dy, c, k[c], first[c], second[c]);
}

// factor * (x - k) + offset; gradients: factor * (dy - offset - slope * (x - k)).
struct Line {
  double k = 0, factor = 0, offset = 0, slope = 0;
};
template <bool kGrad, typename T>
HLOSCOPE_INLINE T Place(T x, T dy, const Line& l) {
  return static_cast<T>(kGrad ? l.factor * (dy - l.offset - l.slope * (x - l.k)) : (x - l.k) * l.factor + l.offset);
}
template <bool kGrad, typename T>
HLOSCOPE_INLINE void PlaceRun(const T* x, const T* dy, T* __restrict out, int64_t n, const Line line) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) out[i + l] = Place<kGrad>(x[i + l], dy[i + l], line);
  }
  for (; i < n; ++i) out[i] = Place<kGrad>(x[i], dy[i], line);
}

// `rows` rows of n neighbouring channels; the numbers of the lines lie one after the other.
struct LineArrays {
  const double *k, *factor, *offset, *slope;
};
template <bool kGrad, typename T>
HLOSCOPE_INLINE void PlaceRows(const T* x, const T* dy, T* __restrict out, int64_t rows, int64_t n, const LineArrays lines) {
  const double* __restrict k = lines.k, * __restrict factor = lines.factor, * __restrict offset = lines.offset, * __restrict slope = lines.slope;
  for (int64_t r = 0; r < rows; ++r, x += n, dy += n, out += n) {
    int64_t c = 0;
    for (; c + kLanes <= n; c += kLanes) {
      for (int l = 0; l < kLanes; ++l)
        out[c + l] = Place<kGrad>(x[c + l], dy[c + l], Line{k[c + l], factor[c + l], offset[c + l], slope[c + l]});
    }
    for (; c < n; ++c) out[c] = Place<kGrad>(x[c], dy[c], Line{k[c], factor[c], offset[c], slope[c]});
  }
}

// The clones, by type; without dy they make moments and training's places, with dy gradients.
#define HLO_LOOPS(T)                                                                                                                        \
  HLOSCOPE_CLONES void SumRun(const T* x, const T* dy, int64_t n, double k, double* a, double* b) {                                              \
    dy == nullptr ? Run<false>(x, x, n, k, a, b) : Run<true>(x, dy, n, k, a, b);                                                            \
  }                                                                                                                                         \
  HLOSCOPE_CLONES void SumRow(const T* x, const T* dy, int64_t n, const double* k, double* a, double* b) {                                       \
    dy == nullptr ? Row<false>(x, x, n, k, a, b) : Row<true>(x, dy, n, k, a, b);                                                            \
  }                                                                                                                                         \
  HLOSCOPE_CLONES void WriteRows(const T* x, const T* dy, T* out, int64_t rows, int64_t n, const LineArrays& l) {                                \
    dy == nullptr ? PlaceRows<false>(x, x, out, rows, n, l) : PlaceRows<true>(x, dy, out, rows, n, l);                                      \
  }                                                                                                                                         \
  HLOSCOPE_CLONES void WriteRun(const T* x, const T* dy, T* out, int64_t n, const Line& line) {                                                  \
    dy == nullptr ? PlaceRun<false>(x, x, out, n, line) : PlaceRun<true>(x, dy, out, n, line);                                              \
  }
HLO_LOOPS(float)
HLO_LOOPS(double)
#undef HLO_LOOPS

struct Sums {
  std::vector<double> first, second;  // by channel
};

void JoinLanes(double* lanes, int64_t channels) {
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t i = 0; i < width * channels; ++i) lanes[i] += lanes[width * channels + i];
  }
}

template <typename T>
const T* From(const T* data, int64_t at) {
  return data == nullptr ? nullptr : data + at;
}

// dy null: moments about k.
template <typename T>
Sums ChannelSums(const EvalContext& context, const Geometry& g, const T* x, const T* dy, const std::vector<double>& k) {
  Sums sums{std::vector<double>(g.channels), std::vector<double>(g.channels)};
  if (g.inner >= kLanes) {
    // Long runs of one channel: each channel on its own.
    context.ParallelFor(g.channels, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, g.count())), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        double a[kLanes] = {}, b[kLanes] = {};
        int64_t at = 0;  // ordinal of the element in its channel
        for (int64_t o = 0; o < g.outer; ++o) {
          const int64_t base = (o * g.channels + c) * g.inner;
          int64_t i = 0;
          const auto one = [&] {
            const double v = x[base + i] - k[c], u = dy == nullptr ? v : dy[base + i];
            a[at % kLanes] += u;
            b[at % kLanes] += u * v;
            ++i, ++at;
          };
          while (i < g.inner && at % kLanes != 0) one();
          const int64_t n = (g.inner - i) / kLanes * kLanes;
          SumRun(x + base + i, From(dy, base + i), n, k[c], a, b);
          i += n, at += n;
          while (i < g.inner) one();
        }
        JoinLanes(a, 1);
        JoinLanes(b, 1);
        sums.first[c] = a[0];
        sums.second[c] = b[0];
      }
    });
    return sums;
  }
  // Channels lie close together: walk memory in order, the lanes of all channels side by side; every piece owns four lanes.
  std::vector<double> a(kLanes * g.channels), b(kLanes * g.channels);
  context.ParallelFor(kLanes, 4, [&](int64_t begin, int64_t end) {
    for (int64_t e = 0; e < g.count(); e += kLanes) {
      for (int64_t lane = begin; lane < end && e + lane < g.count(); ++lane) {
        const int64_t at = (e + lane) / g.inner * g.channels * g.inner + (e + lane) % g.inner;
        double* first = &a[lane * g.channels];
        double* second = &b[lane * g.channels];
        if (g.inner == 1) {
          SumRow(x + at, From(dy, at), g.channels, k.data(), first, second);
          continue;
        }
        for (int64_t c = 0; c < g.channels; ++c) {
          const double v = x[at + c * g.inner] - k[c], u = dy == nullptr ? v : dy[at + c * g.inner];
          first[c] += u;
          second[c] += u * v;
        }
      }
    }
  });
  JoinLanes(a.data(), g.channels);
  JoinLanes(b.data(), g.channels);
  std::copy_n(a.begin(), g.channels, sums.first.begin());
  std::copy_n(b.begin(), g.channels, sums.second.begin());
  return sums;
}

// out = the line of each element's channel, rounded once to `type`.
template <typename T>
void PlaceAll(const EvalContext& context, const Geometry& g, const T* x, const T* dy, const std::vector<Line>& lines, Value& out) {
  const ElementType type = out.shape().element_type();
  const bool same = sizeof(T) == static_cast<size_t>(StorageBytes(type));
  const int64_t rows = g.inner == 1 ? g.outer : g.outer * g.channels;
  const int64_t length = g.inner == 1 ? g.channels : g.inner;
  if (same && g.inner == 1) {
    std::vector<double> k, factor, offset, slope;
    for (const Line& l : lines) k.push_back(l.k), factor.push_back(l.factor), offset.push_back(l.offset), slope.push_back(l.slope);
    const LineArrays arrays{k.data(), factor.data(), offset.data(), slope.data()};
    context.ParallelFor(rows, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, length)), [&](int64_t begin, int64_t end) {
      const int64_t at = begin * length;
      WriteRows(x + at, From(dy, at), out.mutable_as<T>() + at, end - begin, length, arrays);
    });
    return;
  }
  context.ParallelFor(rows, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, length)), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t base = r * length;
      if (same) {
        WriteRun(x + base, From(dy, base), out.mutable_as<T>() + base, length, lines[r % g.channels]);
        continue;
      }
      for (int64_t i = 0; i < length; ++i) {
        const Line& line = lines[g.inner == 1 ? i : r % g.channels];
        const double v = x[base + i] - line.k;
        const double y = dy == nullptr ? v * line.factor + line.offset : line.factor * (dy[base + i] - line.offset - line.slope * v);
        StoreFloatAt(type, out.mutable_data(), base + i, y);
      }
    }
  });
}

std::vector<double> Doubles(const Value& v) {
  std::vector<double> out(v.element_count());
  for (int64_t i = 0; i < v.element_count(); ++i) out[i] = LoadFloatAt(v.shape().element_type(), v.data(), i);
  return out;
}

Value FromDoubles(const Shape& shape, const std::vector<double>& x, MemoryAccount* account) {
  Value v = Value::Allocate(shape, account);
  for (size_t i = 0; i < x.size(); ++i) StoreFloatAt(shape.element_type(), v.mutable_data(), static_cast<int64_t>(i), x[i]);
  return v;
}

// Elements of an array as T: its own memory, or a copy for the narrow types.
template <typename T>
class Elements {
 public:
  explicit Elements(const Value& v) {
    const ElementType t = v.shape().element_type();
    if ((sizeof(T) == 4 && t == ElementType::kF32) || (sizeof(T) == 8 && t == ElementType::kF64)) {
      data_ = v.as<T>();
      return;
    }
    copy_.resize(v.element_count());
    for (int64_t i = 0; i < v.element_count(); ++i) copy_[i] = static_cast<T>(LoadFloatAt(t, v.data(), i));
    data_ = copy_.data();
  }
  const T* data() const { return data_; }

 private:
  const T* data_ = nullptr;
  std::vector<T> copy_;
};

template <typename T>
absl::StatusOr<Value> Training(const EvalContext& c) {
  const Instruction& i = c.instruction;
  const auto shapes = i.shape.tuple_shapes();
  const Geometry g = GeometryOf(c.operands[0].shape(), static_cast<int>(i.Int(AttrId::kFeatureIndex)));
  const double n = static_cast<double>(g.count()), epsilon = i.Float(AttrId::kEpsilon);
  const Elements<T> elements(c.operands[0]);
  const T* x = elements.data();
  const std::vector<double> scale = Doubles(c.operands[1]), offset = Doubles(c.operands[2]);
  std::vector<double> first(g.channels);
  for (int64_t ch = 0; ch < g.channels && g.count() > 0; ++ch) first[ch] = x[ch * g.inner];
  const Sums sums = ChannelSums<T>(c, g, x, nullptr, first);
  std::vector<double> mean(g.channels), variance(g.channels);
  std::vector<Line> lines(g.channels);
  for (int64_t ch = 0; ch < g.channels; ++ch) {
    const double shift = sums.first[ch] / n;
    mean[ch] = first[ch] + shift;
    variance[ch] = sums.second[ch] / n - shift * shift;
    if (variance[ch] < 0) variance[ch] = 0;
    lines[ch] = {mean[ch], scale[ch] / std::sqrt(variance[ch] + epsilon), offset[ch], 0};
  }
  Value out = Value::Allocate(shapes[0], c.account);
  PlaceAll<T>(c, g, x, nullptr, lines, out);
  return Value::Tuple(i.shape, {std::move(out), FromDoubles(shapes[1], mean, c.account), FromDoubles(shapes[2], variance, c.account)});
}

template <typename T>
absl::StatusOr<Value> Grad(const EvalContext& c) {
  const Instruction& i = c.instruction;
  const auto shapes = i.shape.tuple_shapes();
  const Geometry g = GeometryOf(c.operands[0].shape(), static_cast<int>(i.Int(AttrId::kFeatureIndex)));
  const double n = static_cast<double>(g.count()), epsilon = i.Float(AttrId::kEpsilon);
  const Elements<T> operand(c.operands[0]), grad(c.operands[4]);
  const std::vector<double> scale = Doubles(c.operands[1]), mean = Doubles(c.operands[2]), variance = Doubles(c.operands[3]);
  const Sums sums = ChannelSums<T>(c, g, operand.data(), grad.data(), mean);  // dy and dy (x - mu)
  std::vector<double> scale_grad(g.channels);
  std::vector<Line> lines(g.channels);
  for (int64_t ch = 0; ch < g.channels; ++ch) {
    const double v = variance[ch] + epsilon;
    scale_grad[ch] = sums.second[ch] / std::sqrt(v);
    lines[ch] = {mean[ch], scale[ch] / std::sqrt(v), sums.first[ch] / n, sums.second[ch] / v / n};
  }
  Value out = Value::Allocate(shapes[0], c.account);
  PlaceAll<T>(c, g, operand.data(), grad.data(), lines, out);
  return Value::Tuple(i.shape,
                      {std::move(out), FromDoubles(shapes[1], scale_grad, c.account), FromDoubles(shapes[2], sums.first, c.account)});
}

absl::StatusOr<Value> EvaluateTraining(const EvalContext& c) {
  return c.operands[0].shape().element_type() == ElementType::kF64 ? Training<double>(c) : Training<float>(c);
}
absl::StatusOr<Value> EvaluateGrad(const EvalContext& c) {
  return c.operands[0].shape().element_type() == ElementType::kF64 || c.operands[4].shape().element_type() == ElementType::kF64
             ? Grad<double>(c)
             : Grad<float>(c);
}

absl::StatusOr<Program> InferenceProgram(const Instruction& i) {
  std::vector<Shape> operands;
  for (const Instruction* o : i.operands) operands.push_back(o->shape);
  Program p = Program::Pull(operands, i.shape);
  ExprGraph& g = *p.graph;
  const ElementType type = i.shape.element_type();
  std::vector<NodeId> index;
  for (int d = 0; d < i.shape.rank(); ++d) index.push_back(g.Index(d));
  const NodeId feature = g.Index(static_cast<int32_t>(i.Int(AttrId::kFeatureIndex)));
  const auto vector = [&](int k) { return g.Convert(type, g.Load(k, operands[k].element_type(), {feature})); };
  const NodeId epsilon = g.Constant(Scalar::Float(type, i.Float(AttrId::kEpsilon)));
  const NodeId centered = g.Sub(g.Load(0, type, index), vector(3));
  const NodeId deviation = g.Unary(ScalarOp::kSqrt, g.Add(vector(4), epsilon));
  p.outputs[0].value = g.Add(g.Mul(g.Binary(ScalarOp::kDivide, centered, deviation), vector(1)), vector(2));
  return p;
}

// One normalisation for each feature. The sums are made from the arrays alone, the normalised values and gradients from all.
std::vector<Reach> ReachOfFeature(const ReachQuestion& q, bool reads) {
  if (!reads) return {};
  const int feature = static_cast<int>(q.instruction.Int(AttrId::kFeatureIndex));
  const bool vector_from = q.operand != 0 && q.operand != 4, vector_to = q.leaf != 0;
  Reach reach = q.Whole();
  reach.relation.Equal(IndexRelation::From(vector_from ? 0 : feature), IndexRelation::To(vector_to ? 0 : feature));
  return {reach};
}

// Leaf 0 is normalised; the mean and the variance follow.
std::vector<Reach> ReachOfTraining(const ReachQuestion& q) {
  return ReachOfFeature(q, q.leaf == 0 || q.operand == 0);
}

// The gradients of operand, scale and offset.
std::vector<Reach> ReachOfGrad(const ReachQuestion& q) {
  return ReachOfFeature(q, q.leaf == 0 || (q.leaf == 1 ? q.operand != 1 : q.operand == 4));
}

}  // namespace

void DefineBatchNorm(OpRegistry& r) {
  const std::vector<AttrSpec> attributes = {{AttrId::kEpsilon, true}, {AttrId::kFeatureIndex, true}};
  OpDef& training = r.Define(Opcode::kBatchNormTraining);
  training.op_class = OpClass::kOpaque;
  training.min_operands = training.max_operands = 3;
  training.attributes = attributes;
  training.infer = InferTraining;
  training.evaluate = EvaluateTraining;
  training.reach = ReachOfTraining;
  training.opaque_reason = "its three results differ in shape and share their sums";
  training.summary = "normalises each feature by the mean and variance of this batch";
  training.doc =
      "Operands: operand, scale, offset. Results: the normalised array, and each feature's mean and variance over all other dimensions. "
      "`y = (x - mean) * scale / sqrt(variance + epsilon) + offset`. Sums run in f64; each result rounds once.";
  training.spec = "operations.md: Linear algebra and others";
  OpDef& inference = r.Define(Opcode::kBatchNormInference);
  inference.op_class = OpClass::kPull;
  inference.min_operands = inference.max_operands = 5;
  inference.attributes = attributes;
  inference.infer = InferInference;
  inference.program = InferenceProgram;
  inference.summary = "normalises each feature by given moments";
  inference.doc =
      "Operands: operand, scale, offset, mean, variance. `y = (x - mean) / sqrt(variance + epsilon) * scale + offset`, each step rounded "
      "to the type.";
  inference.spec = "operations.md: Linear algebra and others";
  OpDef& grad = r.Define(Opcode::kBatchNormGrad);
  grad.op_class = OpClass::kOpaque;
  grad.min_operands = grad.max_operands = 5;
  grad.attributes = attributes;
  grad.infer = InferGrad;
  grad.evaluate = EvaluateGrad;
  grad.reach = ReachOfGrad;
  grad.opaque_reason = "its three results differ in shape and share their sums";
  grad.summary = "the gradients of batch-norm-training";
  grad.doc =
      "Operands: operand, scale, mean, variance, grad_output. Results: the gradients of operand, scale and offset. Sums run in f64; each "
      "result rounds once.";
  grad.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
