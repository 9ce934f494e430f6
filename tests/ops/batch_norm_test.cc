// Batch normalisation: plain loops over each place of the feature dimension, narrow types, and each requirement.
#include "tests/ops/running.h"

namespace hloscope {
namespace {

struct Moments {
  std::vector<double> mean, variance;
};
int Feature(int linear, const std::vector<int64_t>& dims, int feature) {
  int64_t inner = 1;
  for (size_t d = feature + 1; d < dims.size(); ++d) inner *= dims[d];
  return static_cast<int>(linear / inner % dims[feature]);
}
Moments MomentsOf(const Value& x, const std::vector<int64_t>& dims, int feature) {
  const int64_t n = x.element_count(), channels = dims[feature];
  Moments m{std::vector<double>(channels), std::vector<double>(channels)};
  const double count = static_cast<double>(n / channels);
  for (int e = 0; e < n; ++e) m.mean[Feature(e, dims, feature)] += x.as<float>()[e] / count;
  for (int e = 0; e < n; ++e)
    m.variance[Feature(e, dims, feature)] += std::pow(x.as<float>()[e] - m.mean[Feature(e, dims, feature)], 2) / count;
  return m;
}
std::string ShapeText(const std::vector<int64_t>& dims) { return absl::StrCat("f32[", absl::StrJoin(dims, ","), "]"); }

const std::vector<std::pair<std::vector<int64_t>, int>> kCases = {{{4, 3, 5, 7}, 1}, {{6, 5, 3}, 2}, {{3, 4, 20}, 0}, {{50, 2}, 1}};

TEST(BatchNorm, TrainingLikePlainLoops) {
  for (const auto& [dims, feature] : kCases) {
    const Value x = RandomF32(dims, 1), scale = RandomF32({dims[feature]}, 2), offset = RandomF32({dims[feature]}, 3);
    const std::string v = absl::StrCat("f32[", dims[feature], "]");
    auto r = RunText(
        absl::StrCat("  x = ", ShapeText(dims), " parameter(0)\n  s = ", v, " parameter(1)\n  o = ", v, " parameter(2)\n  ROOT r = (",
                     ShapeText(dims), ", ", v, ", ", v, ") batch-norm-training(x, s, o), epsilon=0.001, feature_index=", feature),
        {x, scale, offset});
    ASSERT_TRUE(r.ok()) << r.status();
    const Moments m = MomentsOf(x, dims, feature);
    std::vector<double> wanted;
    for (int e = 0; e < x.element_count(); ++e) {
      const int f = Feature(e, dims, feature);
      wanted.push_back((x.as<float>()[e] - m.mean[f]) / std::sqrt(m.variance[f] + 0.001) * scale.as<float>()[f] + offset.as<float>()[f]);
    }
    ExpectNear(r->elements()[0], wanted, 1e-6);
    ExpectNear(r->elements()[1], m.mean, 1e-7);
    ExpectNear(r->elements()[2], m.variance, 1e-7);
  }
}

TEST(BatchNorm, InferenceWithGivenMoments) {
  for (const auto& [dims, feature] : kCases) {
    const Value x = RandomF32(dims, 1), scale = RandomF32({dims[feature]}, 2), offset = RandomF32({dims[feature]}, 3),
                mean = RandomF32({dims[feature]}, 4);
    Value variance = RandomF32({dims[feature]}, 5);
    for (int f = 0; f < dims[feature]; ++f) variance.mutable_as<float>()[f] = std::fabs(variance.as<float>()[f]);
    const std::string v = absl::StrCat("f32[", dims[feature], "]");
    auto r = RunText(absl::StrCat("  x = ", ShapeText(dims), " parameter(0)\n  s = ", v, " parameter(1)\n  o = ", v,
                                  " parameter(2)\n  m = ", v, " parameter(3)\n  v = ", v, " parameter(4)\n  ROOT r = ", ShapeText(dims),
                                  " batch-norm-inference(x, s, o, m, v), epsilon=0.01, feature_index=", feature),
                     {x, scale, offset, mean, variance});
    ASSERT_TRUE(r.ok()) << r.status();
    std::vector<double> wanted;
    for (int e = 0; e < x.element_count(); ++e) {
      const int f = Feature(e, dims, feature);
      wanted.push_back((double{x.as<float>()[e]} - mean.as<float>()[f]) / std::sqrt(variance.as<float>()[f] + 0.01) * scale.as<float>()[f] +
                       offset.as<float>()[f]);
    }
    ExpectNear(*r, wanted, 1e-5);
  }
}

TEST(BatchNorm, GradIsTheDerivativeOfTraining) {
  for (const auto& [dims, feature] : kCases) {
    const Value x = RandomF32(dims, 1), scale = RandomF32({dims[feature]}, 2), dy = RandomF32(dims, 6);
    const Moments m = MomentsOf(x, dims, feature);
    const int64_t channels = dims[feature];
    std::vector<float> mean(m.mean.begin(), m.mean.end()), variance(m.variance.begin(), m.variance.end());
    const std::string v = absl::StrCat("f32[", channels, "]");
    auto r = RunText(
        absl::StrCat("  x = ", ShapeText(dims), " parameter(0)\n  s = ", v, " parameter(1)\n  m = ", v, " parameter(2)\n  v = ", v,
                     " parameter(3)\n  d = ", ShapeText(dims), " parameter(4)\n  ROOT r = (", ShapeText(dims), ", ", v, ", ", v,
                     ") batch-norm-grad(x, s, m, v, d), epsilon=0.001, feature_index=", feature),
        {x, scale, FromVector<float>(ElementType::kF32, {channels}, mean), FromVector<float>(ElementType::kF32, {channels}, variance), dy});
    ASSERT_TRUE(r.ok()) << r.status();
    const double n = static_cast<double>(x.element_count() / channels);
    std::vector<double> c(channels), d(channels), dscale(channels), doffset(channels), wanted;
    for (int e = 0; e < x.element_count(); ++e) {
      const int f = Feature(e, dims, feature);
      const double centered = x.as<float>()[e] - double{mean[f]}, v2 = variance[f] + 0.001;
      c[f] += dy.as<float>()[e] * centered / v2 / n;
      d[f] += dy.as<float>()[e] / n;
      dscale[f] += dy.as<float>()[e] * centered / std::sqrt(v2);
      doffset[f] += dy.as<float>()[e];
    }
    for (int e = 0; e < x.element_count(); ++e) {
      const int f = Feature(e, dims, feature);
      wanted.push_back(scale.as<float>()[f] / std::sqrt(variance[f] + 0.001) *
                       (dy.as<float>()[e] - d[f] - c[f] * (x.as<float>()[e] - double{mean[f]})));
    }
    ExpectNear(r->elements()[0], wanted, 1e-5);
    ExpectNear(r->elements()[1], dscale, 1e-5);
    ExpectNear(r->elements()[2], doffset, 1e-5);
  }
}

TEST(BatchNorm, NarrowTypesRoundOnce) {
  ExpectValue(
      "  x = bf16[4,1] constant({{1},{2},{3},{6}})\n  s = bf16[1] constant({2})\n  o = bf16[1] constant({1})\n"
      "  b = (bf16[4,1], bf16[1], bf16[1]) batch-norm-training(x, s, o), epsilon=0.5, feature_index=1\n  ROOT r = bf16[4,1] "
      "get-tuple-element(b), index=0",
      "bf16[4,1] constant({{-1},{0},{1},{4}})");  // mean 3, variance 3.5, deviation 2
}

TEST(BatchNorm, Requirements) {
  const std::string x =
      "  x = f32[2,3] parameter(0)\n  v = f32[3] parameter(1)\n  w = f32[2] parameter(2)\n  n = s32[2,3] parameter(3)\n  g = f32[3,2] "
      "parameter(4)\n  t = (f32[3]) parameter(5)\n  ROOT r = ";
  const std::string three = "(f32[2,3], f32[3], f32[3]) ", a = ", epsilon=0.1, feature_index=1", b = ", epsilon=0.1, feature_index=2";
  ExpectError(x + three + "batch-norm-training(n, v, v)" + a, "batch-norm-training.operand-arrays");
  ExpectError(x + three + "batch-norm-training(x, t, v)" + a, "batch-norm-training.operand-arrays");
  ExpectError(x + three + "batch-norm-training(x, v, v)" + b, "batch-norm-training.feature-index");
  ExpectError(x + three + "batch-norm-training(x, v, w)" + a, "batch-norm-training.feature-vectors");
  ExpectError(x + "f32[2,3] batch-norm-inference(n, v, v, v, v)" + a, "batch-norm-inference.operand-arrays");
  ExpectError(x + "f32[2,3] batch-norm-inference(x, v, v, v, v)" + b, "batch-norm-inference.feature-index");
  ExpectError(x + "f32[2,3] batch-norm-inference(x, v, v, w, v)" + a, "batch-norm-inference.feature-vectors");
  ExpectError(x + three + "batch-norm-grad(n, v, v, v, x)" + a, "batch-norm-grad.operand-arrays");
  ExpectError(x + three + "batch-norm-grad(x, v, v, v, x)" + b, "batch-norm-grad.feature-index");
  ExpectError(x + three + "batch-norm-grad(x, v, w, v, x)" + a, "batch-norm-grad.feature-vectors");
  ExpectError(x + three + "batch-norm-grad(x, v, v, v, g)" + a, "batch-norm-grad.grad-output");
}

}  // namespace
}  // namespace hloscope
