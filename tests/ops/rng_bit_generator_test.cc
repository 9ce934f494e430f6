// rng-bit-generator: the published known answers of Philox4x32-10 and Threefry2x32-20, states, narrow and wide types; requirements.
#include "core/ops/counter_rng.h"
#include "tests/ops/running.h"

namespace hloscope {
namespace {

TEST(CounterRng, KnownAnswers) {
  using P = std::array<uint32_t, 4>;
  using T = std::array<uint32_t, 2>;
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}), (P{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (P{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (P{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  EXPECT_EQ(Threefry2x32({0, 0}, {0, 0}), (T{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(Threefry2x32({~0u, ~0u}, {~0u, ~0u}), (T{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(Threefry2x32({0x243f6a88, 0x85a308d3}, {0x13198a2e, 0x03707344}), (T{0xc4923a9c, 0x483df7a0}));
}

std::string Generate(const std::string& state, const std::string& algorithm, const std::string& bits, int part) {
  const std::string s = state.substr(0, state.find(']') + 1);
  return "  s = " + state + "\n  g = (" + s + ", " + bits + ") rng-bit-generator(s), algorithm=" + algorithm +
         "\n  ROOT r = " + (part == 0 ? s : bits) + " get-tuple-element(g), index=" + std::to_string(part);
}

TEST(RngBitGenerator, PhiloxGivesTheBlocksInOrder) {
  for (const char* algorithm : {"rng_philox", "rng_default"}) {
    // 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8
    ExpectValue(Generate("u64[3] constant({0,0,0})", algorithm, "u32[2,2]", 1),
                "u32[2,2] constant({{1713891541,3781805453},{3159862348,2600524760}})");
    ExpectValue(Generate("u64[3] constant({0,0,0})", algorithm, "u32[5]", 0), "u64[3] constant({0,2,0})");
  }
  ExpectValue(Generate("u64[2] constant({0,0})", "rng_default", "u32[3]", 1), "u32[3] constant({1713891541,3781805453,3159862348})");
  ExpectValue(Generate("u64[3] constant({9,18446744073709551615,4})", "rng_philox", "u64[3]", 0), "u64[3] constant({9,1,5})");
  // Two words make a u64, the first one its low half.
  auto r = RunText(Generate("u64[3] constant({0,0,0})", "rng_philox", "u64[2]", 1));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->as<uint64_t>()[0], 0xe169c58d6627e8d5u);
  EXPECT_EQ(r->as<uint64_t>()[1], 0x9b00dbd8bc57ac4cu);
}

TEST(RngBitGenerator, ThreeFryPairsAlongAnEvenDimension) {
  auto r = RunText(Generate("u64[2] constant({0,0})", "rng_three_fry", "u32[3,4]", 1));
  ASSERT_TRUE(r.ok()) << r.status();
  for (uint32_t row = 0; row < 3; ++row) {
    for (uint32_t pair = 0; pair < 2; ++pair) {
      const auto w = Threefry2x32({row * 2 + pair, 0}, {0, 0});
      EXPECT_EQ(r->as<uint32_t>()[row * 4 + pair * 2], w[0]);
      EXPECT_EQ(r->as<uint32_t>()[row * 4 + pair * 2 + 1], w[1]);
    }
  }
  ExpectValue(Generate("u64[2] constant({3,10})", "rng_three_fry", "u32[3,4]", 0), "u64[2] constant({3,16})");
  ExpectValue(Generate("u64[2] constant({3,10})", "rng_three_fry", "u32[5]", 0), "u64[2] constant({3,13})");
  ExpectValue(Generate("u64[2] constant({3,10})", "rng_three_fry", "u64[5]", 0), "u64[2] constant({3,15})");
  r = RunText(Generate("u64[2] constant({0,0})", "rng_three_fry", "u64[]", 1));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->as<uint64_t>()[0], 0x99ba4efe6b200159u);
  r = RunText(Generate("u64[2] constant({0,0})", "rng_three_fry", "u8[]", 1));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->as<uint8_t>()[0], 0x59);
}

TEST(RngBitGenerator, TheNextStateContinuesTheStream) {
  auto whole = RunText(Generate("u64[3] constant({5,6,7})", "rng_philox", "u32[16]", 1));
  auto rest = RunText(
      "  s = u64[3] constant({5,6,7})\n  g = (u64[3], u32[8]) rng-bit-generator(s), algorithm=rng_philox\n  n = u64[3] "
      "get-tuple-element(g), index=0\n"
      "  h = (u64[3], u32[8]) rng-bit-generator(n), algorithm=rng_philox\n  ROOT r = u32[8] get-tuple-element(h), index=1");
  ASSERT_TRUE(whole.ok() && rest.ok());
  for (int k = 0; k < 8; ++k) EXPECT_EQ(rest->as<uint32_t>()[k], whole->as<uint32_t>()[8 + k]);
}

TEST(RngBitGenerator, Requirements) {
  const std::string x = "  s = u64[2] parameter(0)\n  t = u64[3] parameter(1)\n  u = u32[2] parameter(2)\n  ROOT r = ";
  ExpectError(x + "(u64[2], u32[2]) rng-bit-generator(s), algorithm=rng_mersenne", "rng-bit-generator.algorithm");
  ExpectError(x + "(u64[3], u32[2]) rng-bit-generator(t), algorithm=rng_three_fry", "rng-bit-generator.state");
  ExpectError(x + "(u32[2], u32[2]) rng-bit-generator(u), algorithm=rng_philox", "rng-bit-generator.state");
  ExpectError(x + "u32[2] rng-bit-generator(s), algorithm=rng_philox", "rng-bit-generator.shape");
}

}  // namespace
}  // namespace hloscope
