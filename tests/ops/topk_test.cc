// topk: order, ties, NaNs, both directions, and each requirement.
#include <algorithm>
#include <limits>

#include "tests/ops/running.h"

namespace hloscope {
namespace {

std::string Part(const std::string& operand, const std::string& attributes, int k, const std::string& type, int part) {
  return absl::StrCat("  x = ", operand, "\n  t = (", type, "[", k, "], s32[", k, "]) topk(x), k=", k, attributes,
                      "\n  ROOT g = ", part == 0 ? type : "s32", "[", k, "] get-tuple-element(t), index=", part);
}

TEST(TopK, ValuesAndIndices) {
  ExpectValue(Part("f32[5] constant({3,1,4,1,5})", "", 3, "f32", 0), "f32[3] constant({5,4,3})");
  ExpectValue(Part("f32[5] constant({3,1,4,1,5})", "", 3, "f32", 1), "s32[3] constant({4,2,0})");
  ExpectValue(Part("s32[5] constant({3,-1,4,-1,5})", ", largest=false", 3, "s32", 0), "s32[3] constant({-1,-1,3})");
  ExpectValue(Part("s32[5] constant({3,-1,4,-1,5})", ", largest=false", 3, "s32", 1), "s32[3] constant({1,3,0})");
  ExpectValue(Part("u8[4] constant({7,255,7,7})", ", largest=true", 4, "u8", 1), "s32[4] constant({1,0,2,3})");
  ExpectValue(Part("f32[2] constant({7,8})", "", 0, "f32", 1), "s32[0] constant({})");
}

TEST(TopK, WideLinesLikeAStableSort) {
  const int n = 3000;
  for (int k : {1, 10, 2000}) {
    std::mt19937 random(k);
    std::vector<float> x(2 * n);
    for (float& v : x) v = static_cast<float>(random() % 500);
    x[17] = std::numeric_limits<float>::quiet_NaN();
    auto r = RunText(
        absl::StrCat("  x = f32[2,", n, "] parameter(0)\n  ROOT t = (f32[2,", k, "], s32[2,", k, "]) topk(x), k=", k, ", largest=true"),
        {FromVector<float>(ElementType::kF32, {2, n}, x)});
    ASSERT_TRUE(r.ok()) << r.status();
    for (int row = 0; row < 2; ++row) {
      std::vector<int> order(n);
      for (int e = 0; e < n; ++e) order[e] = e;
      const auto key = [&](int e) { return std::isnan(x[row * n + e]) ? 1e30f : x[row * n + e]; };
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) > key(b); });
      for (int e = 0; e < k; ++e) ASSERT_EQ(r->elements()[1].as<int32_t>()[row * k + e], order[e]);
    }
    EXPECT_TRUE(std::isnan(r->elements()[0].as<float>()[0]));
  }
}

TEST(TopK, Requirements) {
  ExpectError("  x = f32[4] parameter(0)\n  ROOT r = (f32[5], s32[5]) topk(x), k=5", "topk.k");
  ExpectError("  x = f32[] parameter(0)\n  ROOT r = (f32[], s32[]) topk(x), k=0", "topk.operand-array");
  ExpectError("  x = (f32[4]) parameter(0)\n  ROOT r = (f32[2], s32[2]) topk(x), k=2", "topk.operand-array");
}

}  // namespace
}  // namespace hloscope
