// What the tests of the JIT backend share: modules from text, made-up values, comparison with the interpreter.
#ifndef HLOSCOPE_TESTS_JIT_CPU_SUPPORT_H_
#define HLOSCOPE_TESTS_JIT_CPU_SUPPORT_H_

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/element/interpret.h"
#include "core/exec/backend.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {

inline std::unique_ptr<Module> Parse(const std::string& text) {
  DiagnosticSink sink;
  auto source = std::make_shared<const SourceText>("test", text);
  std::unique_ptr<Module> module = ReadHloText(source, sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.severity == Severity::kError) ADD_FAILURE() << Render(d, *source);
  }
  return sink.error_count() == 0 ? std::move(module) : nullptr;
}

// Wraps instructions into a module with one entry computation.
inline std::unique_ptr<Module> ParseEntry(const std::string& body, const std::string& before = "") {
  return Parse("HloModule test\n\n" + before + "\nENTRY main {\n" + body + "\n}\n");
}

inline int At(const Module& module, const std::string& name) { return module.entry->FindInstruction(name)->index; }

// Small numbers; exact in every float type when `whole`.
inline Value RandomValue(const Shape& shape, uint64_t seed, bool whole = false) {
  std::mt19937_64 random(seed);
  Value value = Value::Allocate(shape);
  const ElementType type = shape.element_type();
  for (int64_t i = 0; i < value.element_count(); ++i) {
    Scalar s;
    if (IsFloat(type)) {
      s = whole ? Scalar::Float(type, static_cast<double>(static_cast<int64_t>(random() % 9) - 4))
                : Scalar::Float(type, static_cast<double>(random() % 2001) / 1000 - 1);
    } else if (IsComplex(type)) {
      s = Scalar::Complex(type, {static_cast<double>(random() % 17) / 8 - 1, static_cast<double>(random() % 17) / 8 - 1});
    } else {
      s = Scalar::Int(type, static_cast<int64_t>(random() % 100));
    }
    StoreScalar(s, value.mutable_data() + i * StorageBytes(type));
  }
  return value;
}

// Compares elements of `result` (at most `samples`, spread evenly) with the interpreter, within its bounds.
inline void ExpectMatches(const Program& program, const std::vector<Value>& operands, const Value& result, InterpretOptions options,
                          int64_t samples = 400) {
  std::vector<const Value*> pointers;
  for (const Value& operand : operands) pointers.push_back(&operand);
  Interpreter interpreter(program, options);
  const Shape& shape = result.shape();
  const int64_t count = shape.ElementCount(), step = std::max<int64_t>(1, count / samples) | 1;
  std::vector<int64_t> index(shape.rank());
  int wrong = 0;
  for (int64_t e = 0; e < count && wrong < 5; e += step) {
    DelinearizeIndex(shape.dimensions(), e, absl::MakeSpan(index));
    auto expected = interpreter.At(pointers, index);
    ASSERT_TRUE(expected.ok()) << expected.status();
    const Scalar got = LoadScalar(shape.element_type(), result.data() + e * StorageBytes(shape.element_type()));
    const BoundedScalar& want = (*expected)[0];
    const bool same = IsFloat(got.type) ? std::abs(got.re - want.value.re) <= want.bound ||
                                              (std::isnan(got.re) && std::isnan(want.value.re)) || got.re == want.value.re
                                        : got.i == want.value.i && got.re == want.value.re && got.im == want.value.im;
    if (!same) {
      ++wrong;
      ADD_FAILURE() << "element " << e << " of " << shape.ToString(false) << ": got " << ToText(got) << ", expected " << ToText(want.value)
                    << " within " << want.bound;
    }
  }
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_JIT_CPU_SUPPORT_H_
