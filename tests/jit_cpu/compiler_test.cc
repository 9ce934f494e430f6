// What the compiler keeps, shows and promises of a kernel.
#include <cmath>
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "core/element/interpret.h"
#include "core/element/scalar_eval.h"
#include "gtest/gtest.h"
#include "tests/jit_cpu/kernel_check.h"

namespace hloscope {
namespace {

using T = ElementType;

TEST(Compiler, SavedKernelsRunAgain) {
  const Program p = Pointwise(ScalarOp::kMultiply, T::kF32, T::kF32, 50);
  auto code = TheCompiler().Compile(p);
  ASSERT_TRUE(code.ok());
  const std::string bytes = Serialize(*code);
  auto back = DeserializeKernelCode(bytes);
  ASSERT_TRUE(back.ok());
  auto other = Compiler::Create();
  ASSERT_TRUE(other.ok());
  auto kernel = (*other)->Load(*back);
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  Random random(17);
  const Value a = random.Array(p.operands[0], false), b = random.Array(p.operands[1], false);
  const std::vector<Value> got = RunKernel(*kernel, p, {a, b}, 100);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(got[0].as<float>()[i], a.as<float>()[i] * b.as<float>()[i]);
  for (size_t cut : {size_t{0}, size_t{5}, size_t{40}, bytes.size() - 1}) EXPECT_FALSE(DeserializeKernelCode(absl::string_view(bytes).substr(0, cut)).ok());
  std::string damaged = bytes;
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_FALSE(DeserializeKernelCode(damaged).ok());
}

TEST(Compiler, TextShowsIrAndAssembly) {
  auto text = TheCompiler().Text(Pointwise(ScalarOp::kAdd, T::kF32, T::kF32, 1000));
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->ir.find("fadd <16 x float>"), std::string::npos);
  EXPECT_NE(text->assembly.find("vaddps"), std::string::npos);
}

TEST(Compiler, LargeOutputsGoPastTheCaches) {
  const int64_t n = 16 << 20;
  const Program p = Pointwise(ScalarOp::kNegate, T::kF32, T::kF32, n);
  auto text = TheCompiler().Text(p);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->assembly.find("vmovntps"), std::string::npos);
  EXPECT_NE(text->assembly.find("sfence"), std::string::npos);
  Value x = Value::Allocate(p.operands[0]);
  for (int64_t i = 0; i < n; ++i) x.mutable_as<float>()[i] = static_cast<float>(i % 1001);
  Check(p, {x}, "streamed", 100);
}

TEST(Compiler, AliasIsAllowedWhereElementsStayInPlace) {
  auto add = TheCompiler().Compile(Pointwise(ScalarOp::kAdd, T::kF32, T::kF32, 100));
  ASSERT_TRUE(add.ok());
  EXPECT_EQ(add->info.may_alias, (std::vector<bool>{true, true}));
  Program p = Program::Pull({Shape::Array(T::kF32, {8, 8})}, Shape::Array(T::kF32, {8, 8}));
  p.outputs[0].value = p.graph->Load(0, T::kF32, {p.graph->Index(1), p.graph->Index(0)});
  auto transpose = TheCompiler().Compile(p);
  ASSERT_TRUE(transpose.ok());
  EXPECT_EQ(transpose->info.may_alias, std::vector<bool>{false});
}

}  // namespace
}  // namespace hloscope
