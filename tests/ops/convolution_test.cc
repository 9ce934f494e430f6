// convolution: plain loops over groups, dilations, reversal, padding and orders of dimensions; each requirement.
#include "tests/ops/running.h"

namespace hloscope {
namespace {

struct Case {
  int n, h, w, ci, co, kh, kw;
  int stride[2], low[2], high[2], base[2], kernel[2];
  bool reverse[2];
  int feature_groups, batch_groups;
};

// Plain loops over b01f, 01io -> b01f.
std::vector<double> Plain(const Case& c, const Value& x, const Value& k, int oh, int ow) {
  const int gi = c.ci / c.feature_groups, on = c.n / c.batch_groups;
  std::vector<double> out;
  for (int n = 0; n < on; ++n) {
    for (int y = 0; y < oh; ++y) {
      for (int z = 0; z < ow; ++z) {
        for (int o = 0; o < c.co; ++o) {
          double sum = 0;
          const int fg = o / (c.co / c.feature_groups), bg = o / (c.co / c.batch_groups);
          for (int i = 0; i < c.kh; ++i) {
            for (int j = 0; j < c.kw; ++j) {
              const int a = y * c.stride[0] + i * c.kernel[0] - c.low[0], b = z * c.stride[1] + j * c.kernel[1] - c.low[1];
              if (a < 0 || b < 0 || a % c.base[0] != 0 || b % c.base[1] != 0 || a / c.base[0] >= c.h || b / c.base[1] >= c.w) continue;
              const int ki = c.reverse[0] ? c.kh - 1 - i : i, kj = c.reverse[1] ? c.kw - 1 - j : j;
              for (int f = 0; f < gi; ++f) {
                sum += double{x.as<float>()[(((bg * on + n) * c.h + a / c.base[0]) * c.w + b / c.base[1]) * c.ci + fg * gi + f]} *
                       k.as<float>()[((ki * c.kw + kj) * gi + f) * c.co + o];
              }
            }
          }
          out.push_back(sum);
        }
      }
    }
  }
  return out;
}

int Places(int n, const Case& c, int d, int k) {
  const int padded = (n - 1) * c.base[d] + 1 + c.low[d] + c.high[d], reach = (k - 1) * c.kernel[d] + 1;
  return padded < reach ? 0 : (padded - reach) / c.stride[d] + 1;
}

TEST(Convolution, LikePlainLoops) {
  const Case cases[] = {
      {2, 5, 6, 3, 4, 3, 2, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, {false, false}, 1, 1},
      {2, 5, 6, 3, 4, 3, 3, {2, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {false, false}, 1, 1},
      {1, 4, 4, 2, 2, 3, 2, {1, 2}, {2, 1}, {0, 3}, {2, 3}, {1, 1}, {false, true}, 1, 1},
      {1, 7, 8, 2, 3, 3, 3, {1, 2}, {1, 0}, {2, 2}, {1, 1}, {2, 3}, {true, true}, 1, 1},
      {2, 5, 5, 6, 4, 2, 2, {1, 1}, {0, 1}, {1, 0}, {1, 1}, {1, 1}, {false, false}, 2, 1},
      {1, 5, 5, 4, 4, 3, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {false, false}, 4, 1},
      {1, 5, 5, 3, 6, 3, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {false, false}, 3, 1},
      {6, 4, 4, 2, 6, 2, 2, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, {false, false}, 1, 3},
      {2, 6, 6, 2, 2, 2, 2, {1, 1}, {-1, 2}, {-2, 0}, {1, 1}, {1, 1}, {false, false}, 1, 1},
      {1, 1, 5, 20, 2, 1, 1, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, {false, false}, 1, 1},
  };
  int number = 0;
  for (const Case& c : cases) {
    SCOPED_TRACE(number++);
    const Value x = RandomF32({c.n, c.h, c.w, c.ci}, number), k = RandomF32({c.kh, c.kw, c.ci / c.feature_groups, c.co}, 100 + number);
    const int oh = Places(c.h, c, 0, c.kh), ow = Places(c.w, c, 1, c.kw);
    const std::string text =
        absl::StrCat("  x = f32[", c.n, ",", c.h, ",", c.w, ",", c.ci, "] parameter(0)\n  k = f32[", c.kh, ",", c.kw, ",",
                     c.ci / c.feature_groups, ",", c.co, "] parameter(1)\n  ROOT r = f32[", c.n / c.batch_groups, ",", oh, ",", ow, ",",
                     c.co, "] convolution(x, k), window={size=", c.kh, "x", c.kw, " stride=", c.stride[0], "x", c.stride[1],
                     " pad=", c.low[0], "_", c.high[0], "x", c.low[1], "_", c.high[1], " lhs_dilate=", c.base[0], "x", c.base[1],
                     " rhs_dilate=", c.kernel[0], "x", c.kernel[1], " rhs_reversal=", c.reverse[0] ? 1 : 0, "x", c.reverse[1] ? 1 : 0,
                     "}, dim_labels=b01f_01io->b01f, feature_group_count=", c.feature_groups, ", batch_group_count=", c.batch_groups);
    auto r = RunText(text, {x, k});
    ASSERT_TRUE(r.ok()) << r.status();
    ExpectNear(*r, Plain(c, x, k, oh, ow), 1e-5);
  }
}

TEST(Convolution, DimensionsInAnyOrder) {
  const Value x = RandomF32({2, 3, 4, 5}, 1), k = RandomF32({6, 3, 2, 2}, 2);  // bf01, oi01
  auto r = RunText(
      "  x = f32[2,3,4,5] parameter(0)\n  k = f32[6,3,2,2] parameter(1)\n  ROOT r = f32[6,3,4,2] convolution(x, k), window={size=2x2}, "
      "dim_labels=bf01_oi01->f01b",
      {x, k});
  ASSERT_TRUE(r.ok()) << r.status();
  std::vector<double> wanted;
  for (int o = 0; o < 6; ++o) {
    for (int y = 0; y < 3; ++y) {
      for (int z = 0; z < 4; ++z) {
        for (int n = 0; n < 2; ++n) {
          double sum = 0;
          for (int f = 0; f < 3; ++f) {
            for (int i = 0; i < 2; ++i) {
              for (int j = 0; j < 2; ++j)
                sum += double{x.as<float>()[((n * 3 + f) * 4 + y + i) * 5 + z + j]} * k.as<float>()[((o * 3 + f) * 2 + i) * 2 + j];
            }
          }
          wanted.push_back(sum);
        }
      }
    }
  }
  ExpectNear(*r, wanted, 1e-5);
}

TEST(Convolution, OneDimensionAndNone) {
  ExpectValue(
      "  x = s32[1,5,1] constant({{{1},{2},{3},{4},{5}}})\n  k = s32[2,1,1] constant({{{10}},{{1}}})\n  ROOT r = s32[1,4,1] convolution(x, "
      "k), window={size=2}, dim_labels=b0f_0io->b0f",
      "s32[1,4,1] constant({{{12},{23},{34},{45}}})");
  ExpectValue(
      "  x = f32[2,2] constant({{1,2},{3,4}})\n  k = f32[2,1] constant({{10},{1}})\n  ROOT r = f32[2,1] convolution(x, k), "
      "dim_labels=bf_io->bf",
      "f32[2,1] constant({{12},{34}})");
}

TEST(Convolution, Requirements) {
  const std::string x =
      "  x = f32[2,5,4] parameter(0)\n  k = f32[3,4,6] parameter(1)\n  n = s32[3,4,6] parameter(2)\n  t = (f32[3]) parameter(3)\n  g = "
      "f32[3,2,6] parameter(4)\n  o = f32[3,2,5] parameter(5)\n"
      "  m = f32[3,5,4] parameter(6)\n  ROOT r = f32[2,3,6] ";
  const std::string labels = ", dim_labels=b0f_0io->b0f";
  ExpectAccepted(x + "convolution(x, k), window={size=3}" + labels);
  ExpectError(x + "convolution(x, t), window={size=3}" + labels, "convolution.operand-arrays");
  ExpectError(x + "convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f, feature_group_count=0", "convolution.group-counts");
  ExpectError(x + "convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f", "convolution.dim-labels");
  ExpectError(x + "convolution(x, n), window={size=3}" + labels, "convolution.element-types");
  ExpectError(x + "convolution(x, k), window={size=3x1}" + labels, "convolution.window-rank");
  ExpectError(x + "convolution(x, k), window={size=3 stride=0}" + labels, "convolution.window-numbers");
  ExpectError(x + "convolution(x, k), window={size=2}" + labels, "convolution.window-size");
  ExpectError(x + "convolution(x, g), window={size=3}" + labels, "convolution.input-features");
  ExpectError(x + "convolution(x, o), window={size=3}, feature_group_count=2" + labels, "convolution.output-features");
  ExpectError(x + "convolution(m, k), window={size=3}, batch_group_count=2" + labels, "convolution.batch-groups");
  ExpectError(
      "  x = f32[2,5,4] parameter(0)\n  k = f32[3,4,6] parameter(1)\n  ROOT r = s32[2,3,6] convolution(x, k), window={size=3}" + labels,
      "convolution.result-type");
}

// The reader always gives dim_labels where they are required, so this requirement is asked of a built instruction.
TEST(Convolution, DimLabelsMissing) {
  CheckedModule checked = CheckText(
      "  x = f32[2,5,4] parameter(0)\n  k = f32[3,4,6] parameter(1)\n  ROOT r = f32[2,3,6] convolution(x, k), window={size=3}, "
      "dim_labels=b0f_0io->b0f");
  ASSERT_EQ(checked.sink.error_count(), 0) << checked.Problems();
  Instruction& i = *checked.module->entry->root;
  for (Attribute& a : i.attributes) {
    if (a.id == AttrId::kDimLabels) a.id = AttrId::kUnknown;
  }
  DiagnosticSink sink;
  ShapeContext context(i, sink);
  EXPECT_FALSE(Def(i).infer(context).has_value());
  ASSERT_EQ(sink.error_count(), 1);
  EXPECT_EQ(sink.diagnostics()[0].label, "convolution.dim-labels-missing");
}

}  // namespace
}  // namespace hloscope
