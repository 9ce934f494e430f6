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
