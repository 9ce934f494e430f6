// For the tests of programs of several devices: a program's text, run on a grid of them, with inputs that tell devices apart.
#ifndef HLOSCOPE_TESTS_EXCHANGE_DEVICES_H_
#define HLOSCOPE_TESTS_EXCHANGE_DEVICES_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/exchange/replicas.h"
#include "backends/reference/backend.h"
#include "core/literal/scalar.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "core/text/literal_text.h"
#include "gtest/gtest.h"

namespace hloscope {

// Instructions of an entry, with a sum and a maximum to reduce with; or a whole module.
inline std::string WholeModule(const std::string& text) {
  if (text.find("ENTRY") != std::string::npos) return text;
  return absl::StrCat(
      "HloModule m\n\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
      "sub { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] subtract(a, b) }\n"
      "sum_s32 { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT c = s32[] add(a, b) }\n\nENTRY main {\n",
      text, "\n}\n");
}

struct DevicesResult {
  std::string problems;              // of reading; else of the run: "replica 1 at %x: why"
  std::vector<Value> results;        // by device
};

// `input`: parameter k of device d.
inline DevicesResult RunOn(int64_t replicas, int64_t partitions, const std::string& text, const std::function<Value(int d, int k, const Shape&)>& input, int threads = 2,
                           Backend* backend = nullptr) {
  DevicesResult all;
  auto source = std::make_shared<const SourceText>("<test>", WholeModule(text));
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(source, sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.severity == Severity::kError) all.problems += Render(d, *source);
  }
  if (!all.problems.empty()) return all;
  static Backend& reference = *MakeReferenceBackend({}).release();
  ReplicasOptions options;
  options.replicas = replicas;
  options.partitions = partitions;
  options.threads = threads;
  Replicas run(*module, backend != nullptr ? *backend : reference, options);
  for (int d = 0; d < run.device_count(); ++d) {
    std::vector<Value> parameters;
    for (const Instruction* p : module->entry->parameters) parameters.push_back(input(d, static_cast<int>(p->parameter_number), p->shape));
    const absl::Status started = run.machine(d).Start(std::move(parameters));
    if (!started.ok()) all.problems = started.ToString();
  }
  if (!all.problems.empty()) return all;
  const Replicas::Outcome outcome = run.Run();
  if (!outcome.finished) {
    all.problems =
        absl::StrCat(run.Name(outcome.device), outcome.at.instruction != nullptr ? absl::StrCat(" at %", outcome.at.instruction->name) : "",
                     ": ", outcome.status.message());
    return all;
  }
  for (int d = 0; d < run.device_count(); ++d) all.results.push_back(run.machine(d).result());
  return all;
}

// 100 * d + 10 * k + e for element e, modulo what the type holds.
inline Value Telling(int d, int k, const Shape& shape) {
  Value v = Value::Allocate(shape);
  for (int64_t e = 0; e < v.element_count(); ++e) {
    const int64_t n = 100 * d + 10 * k + e;
    if (shape.element_type() == ElementType::kF32) v.mutable_as<float>()[e] = static_cast<float>(n);
    else if (shape.element_type() == ElementType::kS32) v.mutable_as<int32_t>()[e] = static_cast<int32_t>(n);
    else ADD_FAILURE() << "f32 and s32 only";
  }
  return v;
}

inline std::vector<double> Numbers(const Value& v) {
  std::vector<double> numbers;
  for (const Value& element : v.elements()) {
    const std::vector<double> inner = Numbers(element);
    numbers.insert(numbers.end(), inner.begin(), inner.end());
  }
  if (!v.shape().IsArray()) return numbers;
  for (int64_t e = 0; e < v.element_count(); ++e) {
    const Scalar s = LoadScalar(v.shape().element_type(), v.data() + e * StorageBytes(v.shape().element_type()));
    numbers.push_back(IsFloat(s.type) ? s.re : static_cast<double>(s.i));
  }
  return numbers;
}

using Rows = std::vector<std::vector<double>>;
// The numbers of each device's result.
inline Rows RowsOf(const DevicesResult& r) {
  EXPECT_EQ(r.problems, "");
  Rows rows;
  for (const Value& v : r.results) rows.push_back(Numbers(v));
  return rows;
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_EXCHANGE_DEVICES_H_
