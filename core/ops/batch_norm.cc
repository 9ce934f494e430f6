// Batch normalisation: training and grad with their own code (their results differ in shape), inference as an element program.
//
// Sums of a channel are kept in f64 in sixteen lanes: the channel's elements, row-major, go round the lanes; lanes are joined pairwise
// (l with l+8, then +4, +2, +1). The variance is taken about the mean, in a second pass. Results round once to the type.
#include <cmath>

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
  c.FailAttribute(AttrId::kFeatureIndex, feature_label, absl::StrCat("feature_index must be a dimension of ", TypeText(c.operand(0)), ", it is ", f));
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
  if (!CheckOperandAndFeature(c, HLO_LABEL("batch-norm-training.operand-arrays"), HLO_LABEL("batch-norm-training.feature-index"))) return std::nullopt;
  if (!CheckVectors(c, 1, 2, HLO_LABEL("batch-norm-training.feature-vectors"))) return std::nullopt;
  const Shape v = FeatureVector(c, c.operand(1).element_type());
  return Shape::Tuple({c.operand(0).WithoutLayouts(), v, v});
}

std::optional<Shape> InferInference(ShapeContext& c) {
  if (!CheckOperandAndFeature(c, HLO_LABEL("batch-norm-inference.operand-arrays"), HLO_LABEL("batch-norm-inference.feature-index"))) return std::nullopt;
  if (!CheckVectors(c, 1, 4, HLO_LABEL("batch-norm-inference.feature-vectors"))) return std::nullopt;
  return c.operand(0).WithoutLayouts();
}

std::optional<Shape> InferGrad(ShapeContext& c) {
  if (!CheckOperandAndFeature(c, HLO_LABEL("batch-norm-grad.operand-arrays"), HLO_LABEL("batch-norm-grad.feature-index"))) return std::nullopt;
  bool ok = CheckVectors(c, 1, 3, HLO_LABEL("batch-norm-grad.feature-vectors"));
  if (!Shape::SameDimensions(c.operand(4), c.operand(0)) || !IsFloat(c.operand(4).element_type())) {
    c.FailOperand(4, HLO_LABEL("batch-norm-grad.grad-output"),
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

// sums[c] += the lanes' total, for term(linear index, channel) of every element.
template <typename Term>
std::vector<double> ChannelSums(const Geometry& g, Term term) {
  std::vector<double> sums(g.channels, 0.0);
  if (g.inner >= kLanes) {
    // Long runs of one channel: walk each channel with its lanes in registers.
    for (int64_t c = 0; c < g.channels; ++c) {
      double lanes[kLanes] = {};
      int64_t at = 0;  // ordinal of the element in its channel
      for (int64_t o = 0; o < g.outer; ++o) {
        const int64_t base = (o * g.channels + c) * g.inner;
        int64_t i = 0;
        for (; i < g.inner && at % kLanes != 0; ++i, ++at) lanes[at % kLanes] += term(base + i, c);
        for (; i + kLanes <= g.inner; i += kLanes, at += kLanes) {
          for (int l = 0; l < kLanes; ++l) lanes[l] += term(base + i + l, c);
        }
        for (; i < g.inner; ++i, ++at) lanes[at % kLanes] += term(base + i, c);
      }
      for (int width = kLanes / 2; width > 0; width /= 2) {
        for (int l = 0; l < width; ++l) lanes[l] += lanes[l + width];
      }
      sums[c] = lanes[0];
    }
    return sums;
  }
  // Channels lie close together: walk memory in order, lanes of all channels side by side.
  std::vector<double> lanes(kLanes * g.channels, 0.0);
  for (int64_t o = 0; o < g.outer; ++o) {
    for (int64_t i = 0; i < g.inner; ++i) {
      double* lane = &lanes[((o * g.inner + i) % kLanes) * g.channels];
      const int64_t base = o * g.channels * g.inner + i;
      for (int64_t c = 0; c < g.channels; ++c) lane[c] += term(base + c * g.inner, c);
    }
  }
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t k = 0; k < width * g.channels; ++k) lanes[k] += lanes[width * g.channels + k];
  }
  for (int64_t c = 0; c < g.channels; ++c) sums[c] = lanes[c];
  return sums;
}

// out(linear, channel) for every element, in order of memory.
template <typename Body>
void ForEachElement(const Geometry& g, Body body) {
  if (g.inner == 1) {
    for (int64_t o = 0; o < g.outer; ++o) {
      for (int64_t c = 0; c < g.channels; ++c) body(o * g.channels + c, c);
    }
    return;
  }
  for (int64_t o = 0; o < g.outer; ++o) {
    for (int64_t c = 0; c < g.channels; ++c) {
      const int64_t base = (o * g.channels + c) * g.inner;
      for (int64_t i = 0; i < g.inner; ++i) body(base + i, c);
    }
  }
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
  std::vector<double> mean = ChannelSums(g, [x](int64_t e, int64_t) { return static_cast<double>(x[e]); });
  for (double& m : mean) m /= n;
  const double* m = mean.data();
  std::vector<double> variance = ChannelSums(g, [x, m](int64_t e, int64_t ch) {
    const double d = x[e] - m[ch];
    return d * d;
  });
  std::vector<double> factor(g.channels);
  for (int64_t ch = 0; ch < g.channels; ++ch) {
    variance[ch] /= n;
    factor[ch] = scale[ch] / std::sqrt(variance[ch] + epsilon);
  }
  Value out = Value::Allocate(shapes[0], c.account);
  const ElementType type = shapes[0].element_type();
  if (sizeof(T) == StorageBytes(type)) {
    T* y = out.mutable_as<T>();
    ForEachElement(g, [&](int64_t e, int64_t ch) { y[e] = static_cast<T>((x[e] - mean[ch]) * factor[ch] + offset[ch]); });
  } else {
    ForEachElement(g, [&](int64_t e, int64_t ch) { StoreFloatAt(type, out.mutable_data(), e, (x[e] - mean[ch]) * factor[ch] + offset[ch]); });
  }
  return Value::Tuple(i.shape, {std::move(out), FromDoubles(shapes[1], mean, c.account), FromDoubles(shapes[2], variance, c.account)});
}

template <typename T>
absl::StatusOr<Value> Grad(const EvalContext& c) {
  const Instruction& i = c.instruction;
  const auto shapes = i.shape.tuple_shapes();
  const Geometry g = GeometryOf(c.operands[0].shape(), static_cast<int>(i.Int(AttrId::kFeatureIndex)));
  const double n = static_cast<double>(g.count()), epsilon = i.Float(AttrId::kEpsilon);
  const Elements<T> operand(c.operands[0]), grad(c.operands[4]);
  const T* x = operand.data();
  const T* dy = grad.data();
  const std::vector<double> scale = Doubles(c.operands[1]), mean = Doubles(c.operands[2]), variance = Doubles(c.operands[3]);
  const double* m = mean.data();
  std::vector<double> sum_dy = ChannelSums(g, [dy](int64_t e, int64_t) { return static_cast<double>(dy[e]); });
  std::vector<double> sum_dy_x = ChannelSums(g, [x, dy, m](int64_t e, int64_t ch) { return dy[e] * (x[e] - m[ch]); });
  // dx = a (dy - mean(dy) - b (x - mu))
  std::vector<double> a(g.channels), b(g.channels), d(g.channels), scale_grad(g.channels);
  for (int64_t ch = 0; ch < g.channels; ++ch) {
    const double v = variance[ch] + epsilon;
    a[ch] = scale[ch] / std::sqrt(v);
    b[ch] = sum_dy_x[ch] / v / n;
    d[ch] = sum_dy[ch] / n;
    scale_grad[ch] = sum_dy_x[ch] / std::sqrt(v);
  }
  Value out = Value::Allocate(shapes[0], c.account);
  const ElementType type = shapes[0].element_type();
  const auto at = [&](int64_t e, int64_t ch) { return a[ch] * (dy[e] - d[ch] - b[ch] * (x[e] - mean[ch])); };
  if (sizeof(T) == StorageBytes(type)) {
    T* y = out.mutable_as<T>();
    ForEachElement(g, [&](int64_t e, int64_t ch) { y[e] = static_cast<T>(at(e, ch)); });
  } else {
    ForEachElement(g, [&](int64_t e, int64_t ch) { StoreFloatAt(type, out.mutable_data(), e, at(e, ch)); });
  }
  return Value::Tuple(i.shape, {std::move(out), FromDoubles(shapes[1], scale_grad, c.account), FromDoubles(shapes[2], sum_dy, c.account)});
}

absl::StatusOr<Value> EvaluateTraining(const EvalContext& c) {
  return c.operands[0].shape().element_type() == ElementType::kF64 ? Training<double>(c) : Training<float>(c);
}
absl::StatusOr<Value> EvaluateGrad(const EvalContext& c) {
  return c.operands[0].shape().element_type() == ElementType::kF64 || c.operands[4].shape().element_type() == ElementType::kF64 ? Grad<double>(c) : Grad<float>(c);
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

}  // namespace

void DefineBatchNorm(OpRegistry& r) {
  const std::vector<AttrSpec> attributes = {{AttrId::kEpsilon, true}, {AttrId::kFeatureIndex, true}};
  OpDef& training = r.Define(Opcode::kBatchNormTraining);
  training.op_class = OpClass::kOpaque;
  training.min_operands = training.max_operands = 3;
  training.attributes = attributes;
  training.infer = InferTraining;
  training.evaluate = EvaluateTraining;
  training.opaque_reason = "its three results differ in shape and share their sums";
  training.summary = "normalises each feature by the mean and variance of this batch";
  training.doc =
      "Operands: operand, scale, offset. Results: the normalised array, and each feature's mean and variance over all other dimensions. "
      "`y = (x - mean) * scale / sqrt(variance + epsilon) + offset`. Sums run in f64, the variance about the mean; each result rounds once.";
  training.spec = "operations.md: Linear algebra and others";
  OpDef& inference = r.Define(Opcode::kBatchNormInference);
  inference.op_class = OpClass::kPull;
  inference.min_operands = inference.max_operands = 5;
  inference.attributes = attributes;
  inference.infer = InferInference;
  inference.program = InferenceProgram;
  inference.summary = "normalises each feature by given moments";
  inference.doc = "Operands: operand, scale, offset, mean, variance. `y = (x - mean) / sqrt(variance + epsilon) * scale + offset`, each step rounded to the type.";
  inference.spec = "operations.md: Linear algebra and others";
  OpDef& grad = r.Define(Opcode::kBatchNormGrad);
  grad.op_class = OpClass::kOpaque;
  grad.min_operands = grad.max_operands = 5;
  grad.attributes = attributes;
  grad.infer = InferGrad;
  grad.evaluate = EvaluateGrad;
  grad.opaque_reason = "its three results differ in shape and share their sums";
  grad.summary = "the gradients of batch-norm-training";
  grad.doc =
      "Operands: operand, scale, mean, variance, grad_output. Results: the gradients of operand, scale and offset. Sums run in f64; each "
      "result rounds once.";
  grad.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
