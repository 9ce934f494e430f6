// Scalar operations on whole arrays: by native kernels and by the interpreter, from one program.
#ifndef HLOSCOPE_TESTS_NUMERICS_NATIVE_H_
#define HLOSCOPE_TESTS_NUMERICS_NATIVE_H_

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "backends/jit_cpu/lower/lower.h"
#include "core/element/interpret.h"
#include "core/element/program.h"
#include "core/element/scalar_eval.h"

namespace hloscope {

// results[k] = op_k(operands...) for arrays of n elements of one type.
struct ArrayOp {
  ScalarOp op;
  ElementType result;
  int64_t aux = 0;
};

inline Program ArrayProgram(absl::Span<const ArrayOp> ops, ElementType type, int64_t n, int operands) {
  std::vector<Shape> shapes(operands, Shape::Array(type, {n}));
  Program p = Program::Pull(shapes, Shape::Array(ops[0].result, {n}));
  const NodeId i = p.graph->Index(0);
  p.outputs.clear();
  for (const ArrayOp& o : ops) {
    std::vector<NodeId> in;
    for (int k = 0; k < Arity(o.op); ++k) in.push_back(p.graph->Load(k, type, {i}));
    NodeId v;
    if (o.op == ScalarOp::kConvert) {
      v = p.graph->Convert(o.result, in[0]);
    } else if (o.op == ScalarOp::kBitcast) {
      v = p.graph->Bitcast(o.result, in[0]);
    } else if (o.op == ScalarOp::kReducePrecision) {
      v = p.graph->ReducePrecision(in[0], static_cast<int>(o.aux >> 8), static_cast<int>(o.aux & 255));
    } else {
      v = p.graph->Op(o.op, in);
    }
    p.outputs.push_back({Shape::Array(o.result, {n}), v});
  }
  return p;
}

inline ArrayOp Plain(ScalarOp op, ElementType type) { return {op, ResultType(op, type)}; }

class Native {
 public:
  Native(absl::Span<const ArrayOp> ops, ElementType type, int64_t n, int operands) : program_(ArrayProgram(ops, type, n, operands)) {
    static Compiler* compiler = Compiler::Create(true).value().release();
    auto kernel = compiler->CompileAndLoad(program_);
    if (!kernel.ok()) {
      std::fprintf(stderr, "%s\n", kernel.status().ToString().c_str());
      std::abort();
    }
    kernel_ = *kernel;
  }
  std::vector<Value> Run(const std::vector<Value>& operands) const {
    std::vector<Value> outputs;
    std::vector<const void*> in;
    std::vector<void*> out;
    for (const Value& v : operands) in.push_back(v.data());
    for (const Program::Output& o : program_.outputs) {
      outputs.push_back(Value::Allocate(o.shape));
      out.push_back(outputs.back().mutable_data());
    }
    kernel_.fn(in.data(), out.data(), 0, kernel_.info.extent);
    return outputs;
  }
  std::vector<Value> Interpret(const std::vector<Value>& operands) const {
    std::vector<const Value*> pointers;
    for (const Value& v : operands) pointers.push_back(&v);
    InterpretOptions options;
    options.bounds = false;
    return Interpreter(program_, options).All(pointers).value();
  }

 private:
  Program program_;
  CompiledKernel kernel_;
};

inline Scalar At(const Value& v, int64_t i) {
  const ElementType type = v.shape().element_type();
  return LoadScalar(type, v.data() + i * StorageBytes(type));
}
inline void Set(Value& v, int64_t i, const Scalar& s) { StoreScalar(s, v.mutable_data() + i * StorageBytes(v.shape().element_type())); }

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_NUMERICS_NATIVE_H_
