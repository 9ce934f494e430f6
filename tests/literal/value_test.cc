#include "core/literal/value.h"

#include <cmath>
#include <cstring>

#include "gtest/gtest.h"

namespace hloscope {
namespace {

TEST(Value, CountsLiveBytesAndThePeak) {
  MemoryAccount account;
  Shape shape = Shape::Array(ElementType::kF32, {1000});
  {
    Value a = Value::Allocate(shape, &account);
    Value b = a;
    EXPECT_EQ(account.live(), 4000);
    EXPECT_FALSE(a.unique());
    b = Value();
    EXPECT_TRUE(a.unique());
    Value c = Value::Allocate(shape, &account);
    EXPECT_EQ(account.live(), 8000);
  }
  EXPECT_EQ(account.live(), 0);
  EXPECT_EQ(account.peak(), 8000);
}

TEST(Value, OutlivesTheAccountThatItIsBookedOn) {
  auto account = std::make_unique<MemoryAccount>();
  Value value = Value::Allocate(Shape::Array(ElementType::kF32, {1000}), account.get());
  Value other = Value::Allocate(Shape::Array(ElementType::kF32, {10}), account.get());
  EXPECT_EQ(account->live(), 4040);
  account.reset();
  value.mutable_as<float>()[999] = 1;
  other = value;  // the small one goes after its account
  EXPECT_EQ(other.as<float>()[999], 1);
}

TEST(Value, BlocksAreAlignedWithReadableSlackInEverySizeClass) {
  for (int64_t n : {0, 1, 63, 64, 65, 192, 256, 257, 320, 5000, 70001, 4 << 20, (8 << 20) + 3}) {
    for (int round = 0; round < 2; ++round) {  // fresh and recycled
      Value v = Value::Allocate(Shape::Array(ElementType::kU8, {n}));
      ASSERT_TRUE(v.has_value());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(v.data()) % 64, 0u);
      memset(v.mutable_data(), 0x5a, n);
      volatile std::byte last = v.data()[n + 63];
      (void)last;
    }
  }
}

// Many sizes, taken and given back in random order: no two live values may share bytes, whatever block serves them.
TEST(Value, RecycledBlocksNeverOverlap) {
  uint64_t state = 1;
  const auto next = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  std::vector<std::pair<Value, uint8_t>> live;
  for (int round = 0; round < 400; ++round) {
    if (live.size() > 6 || (!live.empty() && next() % 2 == 0)) {
      const size_t at = next() % live.size();
      const auto& [value, mark] = live[at];
      const int64_t n = value.element_count();
      for (int64_t i : {int64_t{0}, n / 2, n - 1}) ASSERT_EQ(value.as<uint8_t>()[i], mark) << n;
      live.erase(live.begin() + at);
    } else {
      const int64_t n = 1 + static_cast<int64_t>(next() % (int64_t{12} << 20));
      Value value = Value::Allocate(Shape::Array(ElementType::kU8, {n}));
      ASSERT_TRUE(value.has_value());
      memset(value.mutable_data(), round & 0xff, n);
      live.emplace_back(std::move(value), static_cast<uint8_t>(round & 0xff));
    }
  }
}

TEST(Value, TuplesShareAndMoveElements) {
  Value x = Value::Scalar(ElementType::kS32, int32_t{7});
  Shape shape = Shape::Tuple({x.shape(), x.shape()});
  Value t = Value::Tuple(shape, {x, Value::Scalar(ElementType::kS32, int32_t{8})});
  EXPECT_EQ(t.elements()[1].as<int32_t>()[0], 8);
  std::vector<Value> taken = std::move(t).TakeElements();
  EXPECT_TRUE(taken[1].unique());
  EXPECT_FALSE(taken[0].unique());
}

TEST(Value, BitEqualLooksAtBitsNotNumbers) {
  auto f = [](float v) { return Value::Scalar(ElementType::kF32, v); };
  EXPECT_TRUE(Value::BitEqual(f(1), f(1)));
  EXPECT_FALSE(Value::BitEqual(f(0.0f), f(-0.0f)));
  EXPECT_TRUE(Value::BitEqual(f(NAN), f(NAN)));
  EXPECT_FALSE(Value::BitEqual(f(1), Value::Scalar(ElementType::kS32, int32_t{0x3f800000})));
  EXPECT_FALSE(Value::BitEqual(f(1), Value()));
  EXPECT_TRUE(Value::BitEqual(Value::Token(), Value::Token()));
}

}  // namespace
}  // namespace hloscope
