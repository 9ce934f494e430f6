// Packed operands: kept from the second use on, never stale, let go with their operand.
#include "backends/jit_cpu/kernels/packed_operands.h"

#include <gtest/gtest.h>

namespace hloscope {
namespace {

// "Packs" by copying, and counts.
struct Packer {
  PackedOperands packed;
  int calls = 0;
  float First(const Value& operand) {
    absl::StatusOr<Value> value = packed.Get(operand, nullptr, [&](MemoryAccount*) -> absl::StatusOr<Value> {
      ++calls;
      return Value::FromBytes(operand.shape(), absl::MakeConstSpan(operand.data(), operand.byte_size()));
    });
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? value->as<float>()[0] : 0;
  }
};

Value Array(float first) {
  Value value = Value::Allocate(Shape::Array(ElementType::kF32, {4}));
  value.mutable_as<float>()[0] = first;
  return value;
}

TEST(PackedOperands, AreKeptFromTheSecondUseOn) {
  Packer packer;
  const Value weights = Array(3), holder = weights;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(packer.First(weights), 3);
  EXPECT_EQ(packer.calls, 2);
}

TEST(PackedOperands, OfAnOperandThatNobodyElseHoldsAreNotKept) {
  Packer packer;
  for (int i = 0; i < 5; ++i) {
    Value passing = Array(static_cast<float>(i));
    EXPECT_EQ(packer.First(passing), i);
    EXPECT_TRUE(passing.unique());
  }
  EXPECT_EQ(packer.calls, 5);
}

TEST(PackedOperands, HoldTheirOperandSoThatItCannotBeWrittenOver) {
  Packer packer;
  Value weights = Array(1);
  {
    const Value holder = weights;
    packer.First(weights);
    weights.mutable_as<float>()[0] = 2;  // between the first use and the second anything may happen
    EXPECT_EQ(packer.First(weights), 2);
  }
  EXPECT_FALSE(weights.unique());
  EXPECT_EQ(packer.First(weights), 2);
  EXPECT_EQ(packer.calls, 2);
}

TEST(PackedOperands, LetGoOfWhatNobodyElseHolds) {
  Packer packer;
  MemoryAccount account;
  Value weights = Value::Allocate(Shape::Array(ElementType::kF32, {4}), &account);
  {
    const Value holder = weights;
    packer.First(weights);
    packer.First(weights);
  }
  weights = Value();
  const Value other = Array(5), holder = other;
  EXPECT_GT(account.live(), 0);
  EXPECT_EQ(packer.First(other), 5);
  EXPECT_EQ(account.live(), 0);
  EXPECT_EQ(packer.First(other), 5);
  EXPECT_EQ(packer.First(other), 5);
  EXPECT_EQ(packer.calls, 4);
}

}  // namespace
}  // namespace hloscope
