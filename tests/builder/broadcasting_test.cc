// Every rule and vector of spec/broadcasting.md through the builder, and what it refuses.
#include "tests/builder/building.h"

namespace hloscope {
namespace {

Op Matrix23(Builder* b) { return ConstantR2<int32_t>(b, {{1, 2, 3}, {4, 5, 6}}); }
// The shape of Add of zeros of these shapes.
void ExpectSum(std::vector<int64_t> l, std::vector<int64_t> r, std::vector<int64_t> dims, const std::string& expected) {
  ExpectShape([&](Builder* b) { return Add(Parameter(b, 0, S(F32, l), "l"), Parameter(b, 1, S(F32, r), "r"), dims); }, expected);
  ExpectShape([&](Builder* b) { return Add(Parameter(b, 0, S(F32, r), "r"), Parameter(b, 1, S(F32, l), "l"), dims); }, expected);
}
void ExpectNoSum(std::vector<int64_t> l, std::vector<int64_t> r, std::vector<int64_t> dims, const std::string& label) {
  ExpectBuildError([&](Builder* b) { return Add(Parameter(b, 0, S(F32, l), "l"), Parameter(b, 1, S(F32, r), "r"), dims); }, label);
}

TEST(Broadcasting, ScalarWithArray) {
  ExpectBuilt([](Builder* b) { return Add(Matrix23(b), ConstantR0<int32_t>(b, 7)); }, "s32[2,3] constant({{8, 9, 10}, {11, 12, 13}})");
  ExpectBuilt([](Builder* b) { return Sub(ConstantR0<int32_t>(b, 7), Matrix23(b)); }, "s32[2,3] constant({{6, 5, 4}, {3, 2, 1}})");
  ExpectBuilt([](Builder* b) { return Add(ConstantR0<int32_t>(b, 7), ConstantR0<int32_t>(b, 1)); }, "s32[] constant(8)");
}

TEST(Broadcasting, LowerRankIntoHigher) {
  ExpectBuilt(
      [](Builder* b) {
        return Add(Matrix23(b), ConstantR1<int32_t>(b, {7, 8, 9}), {1});
      },
      "s32[2,3] constant({{8, 10, 12}, {11, 13, 15}})");
  ExpectNoSum({2, 3}, {3}, {}, "broadcasting.dimensions-needed");
  const auto zeros = [](Builder* b) { return Broadcast(ConstantR0<int32_t>(b, 0), {3, 3}); };
  ExpectBuilt(
      [&](Builder* b) {
        return Add(zeros(b), ConstantR1<int32_t>(b, {7, 8, 9}), {1});
      },
      "s32[3,3] constant({{7,8,9},{7,8,9},{7,8,9}})");
  ExpectBuilt(
      [&](Builder* b) {
        return Add(ConstantR1<int32_t>(b, {7, 8, 9}), zeros(b), {0});
      },
      "s32[3,3] constant({{7,7,7},{8,8,8},{9,9,9}})");
  ExpectSum({3, 4}, {2, 3, 4}, {1, 2}, "f32[2,3,4]");
}

TEST(Broadcasting, MatchedSizesMustAgree) {
  // T into MxNxPxQ: T in turn the size of dimension 0, 1, 2, 3.
  const std::vector<int64_t> sizes = {5, 6, 7, 8};
  for (int d = 0; d < 4; ++d) {
    for (int other = 0; other < 4; ++other) {
      if (d == other) {
        ExpectSum({sizes[d]}, sizes, {d}, "f32[5,6,7,8]");
      } else {
        ExpectNoSum({sizes[d]}, sizes, {other}, "broadcasting.sizes");
      }
    }
  }
  for (int d = 0; d < 4; ++d) {
    for (int e = d + 1; e < 4; ++e) ExpectSum({sizes[d], sizes[e]}, sizes, {d, e}, "f32[5,6,7,8]");
  }
  ExpectNoSum({8, 6}, sizes, {3, 1}, "broadcasting.dimension-order");  // V to N with T to P
  ExpectNoSum({6, 6}, sizes, {1, 1}, "broadcasting.dimension-order");  // both to N
  ExpectNoSum({5}, sizes, {4}, "broadcasting.dimension-range");
  ExpectNoSum({5}, sizes, {-1}, "broadcasting.dimension-range");
  ExpectNoSum({5, 6}, sizes, {0}, "broadcasting.dimension-count");
}

TEST(Broadcasting, DegenerateDimensions) {
  ExpectSum({2, 1}, {2, 3}, {}, "f32[2,3]");
  ExpectSum({1, 2, 5}, {7, 2, 5}, {}, "f32[7,2,5]");
  ExpectSum({7, 2, 5}, {7, 1, 5}, {}, "f32[7,2,5]");
  ExpectNoSum({7, 2, 5}, {7, 2, 6}, {}, "broadcasting.sizes");
  ExpectSum({2, 1}, {1, 3}, {}, "f32[2,3]");
  ExpectSum({1, 3}, {0, 3}, {}, "f32[0,3]");
  ExpectBuilt(
      [](Builder* b) {
        return Mul(ConstantR2<int32_t>(b, {{1}, {10}}), ConstantR2<int32_t>(b, {{1, 2, 3}}));
      },
      "s32[2,3] constant({{1, 2, 3}, {10, 20, 30}})");
  ExpectSum({2, 3}, {2, 3}, {0, 1}, "f32[2,3]");
  ExpectNoSum({2, 2}, {2, 2}, {1, 0}, "broadcasting.equal-ranks");
}

TEST(Broadcasting, BothInOneOperation) {
  ExpectBuilt(
      [](Builder* b) {
        return Add(ConstantR1<int32_t>(b, {1, 2, 3, 4}), ConstantR2<int32_t>(b, {{5, 6}}), {0});
      },
      "s32[4,2] constant({{6, 7}, {7, 8}, {8, 9}, {9, 10}})");
  ExpectSum({1, 2}, {4, 3, 1}, {1, 2}, "f32[4,3,2]");
}

// The steps stand in the module, so that a picture can show each: in-dim, then a reshape and a broadcast for each stretched operand.
TEST(Broadcasting, StepsAreInstructions) {
  const std::unique_ptr<Module> module = Build([](Builder* b) {
    const Op l = Parameter(b, 0, S(F32, {1, 2}), "l"), r = Parameter(b, 1, S(F32, {4, 3, 1}), "r");
    return Add(l, r, {1, 2});
  });
  ASSERT_NE(module, nullptr);
  std::vector<std::string> steps;
  for (const Instruction* i : module->entry->instructions) steps.push_back(absl::StrCat(Name(i->opcode), " ", i->shape.ToString(false)));
  EXPECT_EQ(steps, (std::vector<std::string>{"parameter f32[1,2]", "parameter f32[4,3,1]", "broadcast f32[4,1,2]", "reshape f32[4,2]",
                                             "broadcast f32[4,3,2]", "reshape f32[4,3]", "broadcast f32[4,3,2]", "add f32[4,3,2]"}));
}

TEST(Broadcasting, ComparisonsAndTypes) {
  ExpectBuilt(
      [](Builder* b) {
        return Gt(Matrix23(b), ConstantR1<int32_t>(b, {3, 3, 3}), {1});
      },
      "pred[2,3] constant({{0, 0, 0}, {1, 1, 1}})");
  ExpectBuildError([](Builder* b) { return Add(ConstantR0<int32_t>(b, 1), ConstantR1<float>(b, {1})); }, "pointwise.same-type");
}

}  // namespace
}  // namespace hloscope
