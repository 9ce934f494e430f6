#include "tests/jit_cpu/kernel_check.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/element/interpret.h"
#include "core/element/scalar_eval.h"
#include "gtest/gtest.h"

namespace hloscope {

Compiler& TheCompiler() {
  static Compiler* compilers[2] = {Compiler::Create(false).value().release(), Compiler::Create(true).value().release()};
  static int turn = 0;
  return *compilers[turn++ % 2];
}

std::vector<Value> RunKernel(const CompiledKernel& kernel, const Program& program, const std::vector<Value>& operands, int64_t chunk) {
  std::vector<Value> outputs;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Value& v : operands) in.push_back(v.data());
  for (const Program::Output& o : program.outputs) {
    outputs.push_back(Value::Allocate(o.shape));
    if (o.shape.ByteSize() > 0) std::memset(outputs.back().mutable_data(), 0xa5, o.shape.ByteSize());
    out.push_back(outputs.back().mutable_data());
  }
  for (int64_t i = 0; i < kernel.info.extent; i += chunk) kernel.fn(in.data(), out.data(), i, std::min(i + chunk, kernel.info.extent));
  for (int64_t i = 0; i < kernel.info.update_extent; i += chunk) kernel.update(in.data(), out.data(), i, std::min(i + chunk, kernel.info.update_extent));
  return outputs;
}

namespace {

bool Within(double got, double want, double bound) {
  if (std::isinf(bound)) return true;
  if (std::isnan(want)) return std::isnan(got);
  if (got == want) return bound > 0 || std::signbit(got) == std::signbit(want);
  return std::fabs(got - want) <= bound;
}

}  // namespace

void Check(const Program& program, const std::vector<Value>& operands, const std::string& what, int64_t limit) {
  auto kernel = TheCompiler().CompileAndLoad(program);
  ASSERT_TRUE(kernel.ok()) << what << ": " << kernel.status().ToString();
  const std::vector<Value> got = RunKernel(*kernel, program, operands, std::max<int64_t>(1, kernel->info.extent));
  for (int64_t chunk : {1, 3}) {
    const std::vector<Value> again = RunKernel(*kernel, program, operands, chunk);
    for (size_t o = 0; o < got.size(); ++o) EXPECT_TRUE(Value::BitEqual(got[o], again[o])) << what << ": bits depend on the split";
  }
  Interpreter interpreter(program);
  std::vector<const Value*> pointers;
  for (const Value& v : operands) pointers.push_back(&v);
  const Shape& shape = program.outputs[0].shape;
  const int64_t n = shape.ElementCount();
  const int64_t step = std::max<int64_t>(1, n / limit);
  std::vector<std::vector<int64_t>> indices;
  for (int64_t i = 0; i < n; i += step) {
    indices.emplace_back(shape.rank());
    DelinearizeIndex(shape.dimensions(), i, absl::MakeSpan(indices.back()));
  }
  std::vector<std::vector<BoundedScalar>> wanted;
  if (program.is_push) {
    auto r = interpreter.AtMany(pointers, indices);
    ASSERT_TRUE(r.ok()) << r.status().ToString();
    wanted = *std::move(r);
  } else {
    for (const auto& index : indices) {
      auto r = interpreter.At(pointers, index);
      ASSERT_TRUE(r.ok()) << r.status().ToString();
      wanted.push_back(*std::move(r));
    }
  }
  int shown = 0;
  for (size_t k = 0; k < indices.size(); ++k) {
    const int64_t i = LinearIndex(shape.dimensions(), indices[k]);
    for (size_t o = 0; o < got.size(); ++o) {
      const ElementType type = program.outputs[o].shape.element_type();
      const hloscope::Scalar g = LoadScalar(type, got[o].data() + i * StorageBytes(type));
      const BoundedScalar& w = wanted[k][o];
      const bool same = IsFloat(type) || IsComplex(type) ? Within(g.re, w.value.re, w.bound) && Within(g.im, w.value.im, w.bound) : g.i == w.value.i || std::isinf(w.bound);
      if (same) continue;
      std::string inputs;
      for (const Value& v : operands) {
        if (v.element_count() == n) absl::StrAppend(&inputs, " ", ToText(LoadScalar(v.shape().element_type(), v.data() + i * StorageBytes(v.shape().element_type()))));
      }
      ADD_FAILURE() << what << ": output " << o << " element " << i << ": got " << ToText(g) << ", want " << ToText(w.value) << " within " << w.bound << ", from" << inputs;
      if (++shown == 5) return;
    }
  }
}

Program Pointwise(ScalarOp op, ElementType type, ElementType result, int64_t n, int64_t aux) {
  std::vector<Shape> operands(Arity(op), Shape::Array(type, {n}));
  Program p = Program::Pull(operands, Shape::Array(result, {n}));
  std::vector<NodeId> in;
  const NodeId i = p.graph->Index(0);
  for (int k = 0; k < Arity(op); ++k) in.push_back(p.graph->Load(k, type, {i}));
  NodeId v;
  if (op == ScalarOp::kConvert) v = p.graph->Convert(result, in[0]);
  else if (op == ScalarOp::kBitcast) v = p.graph->Bitcast(result, in[0]);
  else if (op == ScalarOp::kReducePrecision) v = p.graph->ReducePrecision(in[0], static_cast<int>(aux >> 8), static_cast<int>(aux & 255));
  else v = p.graph->Op(op, in);
  p.outputs[0].value = v;
  return p;
}

}  // namespace hloscope
