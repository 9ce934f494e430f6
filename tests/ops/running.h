// For the tests of operations that need inputs, or that call computations: runs a module's entry on given values.
#ifndef HLOSCOPE_TESTS_OPS_RUNNING_H_
#define HLOSCOPE_TESTS_OPS_RUNNING_H_

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/ops/testing.h"

namespace hloscope {

inline absl::StatusOr<Value> RunComputation(const Computation& computation, absl::Span<const Value> arguments, uint64_t seed = 0) {
  std::vector<Value> values(computation.schedule.size());
  for (const Instruction* i : computation.schedule) {
    if (i->parameter_number >= 0) {
      values[i->index] = arguments[i->parameter_number];
      continue;
    }
    std::vector<Value> operands;
    for (const Instruction* o : i->operands) operands.push_back(values[o->index]);
    const OpDef& def = Def(*i);
    absl::StatusOr<Value> v = absl::UnimplementedError(std::string(Name(i->opcode)));
    if (def.control == ControlKind::kCall && def.evaluate == nullptr) {
      v = RunComputation(*i->CalledComputations()[0], operands, seed);
    } else if (def.op_class == OpClass::kOpaque || def.op_class == OpClass::kStructural) {
      EvalContext context{*i, operands};
      context.stream_seed = seed;
      context.call = [seed](const Computation& c, absl::Span<const Value> a) { return RunComputation(c, a, seed); };
      if (def.evaluate != nullptr) v = def.evaluate(context);
    } else {
      v = EvaluateInstruction(*i, operands);
    }
    if (!v.ok()) return v.status();
    if (!Shape::Compatible(v->shape(), i->shape))
      return absl::InternalError(absl::StrCat(i->name, " has shape ", v->shape().ToString(), ", not ", i->shape.ToString()));
    values[i->index] = *std::move(v);
  }
  return values[computation.root->index];
}

inline absl::StatusOr<Value> RunText(const std::string& text, absl::Span<const Value> arguments = {}, uint64_t seed = 0) {
  const CheckedModule checked = CheckText(text);
  if (checked.sink.error_count() != 0) return absl::InvalidArgumentError(checked.Problems());
  return RunComputation(*checked.module->entry, arguments, seed);
}

// Computations, then the instructions of the entry.
inline std::string ModuleText(const std::string& computations, const std::string& entry) {
  return absl::StrCat("HloModule test\n\n", computations, "\nENTRY main {\n", entry, "\n}\n");
}
// "name { p0 op p1 }" of a scalar type.
inline std::string ScalarFunction(const std::string& name, const std::string& type, const std::string& op, const std::string& result = "",
                                  const std::string& attributes = "") {
  return absl::StrCat(name, " {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                      "[] parameter(1)\n  ROOT r = ", result.empty() ? type : result, "[] ", op, "(a, b)", attributes, "\n}\n\n");
}

inline Value RandomF32(const std::vector<int64_t>& dims, uint32_t seed) {
  Value v = Value::Allocate(Shape::Array(ElementType::kF32, dims));
  std::mt19937 random(seed);
  for (int64_t i = 0; i < v.element_count(); ++i) v.mutable_as<float>()[i] = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  return v;
}

template <typename T>
Value FromVector(ElementType type, const std::vector<int64_t>& dims, const std::vector<T>& x) {
  Value v = Value::Allocate(Shape::Array(type, dims));
  for (size_t i = 0; i < x.size(); ++i) v.mutable_as<T>()[i] = x[i];
  return v;
}

inline void ExpectNear(const Value& v, const std::vector<double>& wanted, double tolerance) {
  ASSERT_EQ(v.element_count(), static_cast<int64_t>(wanted.size())) << v.shape().ToString();
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Scalar s = LoadScalar(v.shape().element_type(), v.data() + i * StorageBytes(v.shape().element_type()));
    const double x = IsFloat(s.type) ? s.re : static_cast<double>(s.i);
    ASSERT_NEAR(x, wanted[i], tolerance) << "element " << i;
  }
}

// The text verifies and running it fails with a message that contains `part`.
inline void ExpectRunError(const std::string& text, const std::string& part) {
  const absl::StatusOr<Value> v = RunText(text);
  ASSERT_FALSE(v.ok());
  EXPECT_NE(v.status().ToString().find(part), std::string::npos) << v.status();
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_OPS_RUNNING_H_
