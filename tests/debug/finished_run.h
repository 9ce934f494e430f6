// A program that has run to its end on the reference backend, for tests of slices; and programs that several of them use.
#ifndef HLOSCOPE_TESTS_DEBUG_FINISHED_RUN_H_
#define HLOSCOPE_TESTS_DEBUG_FINISHED_RUN_H_

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/debug/slice_text.h"
#include "core/debug/why.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {

class Finished {
 public:
  explicit Finished(const std::string& text, uint64_t seed = 1) {
    DiagnosticSink sink;
    module = ReadHloText(std::make_shared<SourceText>("test.hlo", text), sink);
    if (sink.error_count() == 0) Verify(*module, sink);
    EXPECT_EQ(sink.error_count(), 0) << text;
    absl::StatusOr<std::unique_ptr<Backend>> made = MakeReferenceBackend(BackendOptions());
    EXPECT_TRUE(made.ok());
    backend = *std::move(made);
    MachineOptions options;
    options.retain_bytes = int64_t{1} << 30;
    machine = std::make_unique<Machine>(*module, *backend, options);
    std::mt19937_64 random(seed);
    for (const Instruction* parameter : module->entry->parameters) parameters.push_back(Made(parameter->shape, random));
    Again(parameters);
  }

  static Value Made(const Shape& shape, std::mt19937_64& random) {
    if (shape.IsTuple()) {
      std::vector<Value> elements;
      for (const Shape& element : shape.tuple_shapes()) elements.push_back(Made(element, random));
      return Value::Tuple(shape, std::move(elements));
    }
    Value value = Value::Allocate(shape);
    const ElementType type = shape.element_type();
    for (int64_t k = 0; k < value.element_count(); ++k) {
      const int64_t n = static_cast<int64_t>(random() % 4000);
      const Scalar s = IsPred(type) ? Scalar::Int(type, n & 1) : IsInteger(type) ? Scalar::Int(type, n % 4) : Scalar::Float(type, n / 1000.0 + 0.25);
      StoreScalar(s, value.mutable_data() + k * StorageBytes(type));
    }
    return value;
  }

  void Again(std::vector<Value> with) {
    ASSERT_TRUE(machine->Start(std::move(with)).ok());
    const StopReason reason = machine->Run();
    ASSERT_EQ(reason, StopReason::kFinished) << machine->status().message();
  }

  ElementPlace Place(absl::string_view name, int64_t linear = 0, int leaf = 0) {
    const Instruction* found = module->entry->FindInstruction(name);
    EXPECT_NE(found, nullptr) << name;
    return {0, found, leaf, linear};
  }
  std::string Why(absl::string_view name, int64_t linear = 0, WhyOptions options = {}) {
    ElementReader reader(*machine, int64_t{1} << 28);
    absl::StatusOr<Slice> slice = BuildWhy(reader, Place(name, linear), options);
    if (!slice.ok()) return std::string(slice.status().message());
    return SliceText(*module, reader.history(), *slice, {});
  }

  std::unique_ptr<Module> module;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Machine> machine;
  std::vector<Value> parameters;
};

inline constexpr char kAdd[] = R"(
sum {
  sa = f32[] parameter(0)
  sb = f32[] parameter(1)
  ROOT ss = f32[] add(sa, sb)
}
most {
  ma = f32[] parameter(0)
  mb = f32[] parameter(1)
  ROOT mm = f32[] maximum(ma, mb)
}
second {
  qa = f32[] parameter(0)
  ROOT qb = f32[] parameter(1)
}
less {
  la = f32[] parameter(0)
  lb = f32[] parameter(1)
  ROOT ll = pred[] compare(la, lb), direction=LT
}
)";

inline std::string Entry(absl::string_view body) { return absl::StrCat("HloModule t\n", kAdd, "ENTRY main {\n", body, "}\n"); }

// A thousand iterations, each of which stores an element.
inline constexpr char kCounting[] = R"(HloModule t
body {
  p = (s32[], f32[2], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[2] get-tuple-element(p), index=1
  w = f32[1000] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  half = f32[] constant(0.5)
  halves = f32[2] broadcast(half), dimensions={}
  m = f32[2] multiply(v, halves)
  a = f32[2] add(m, halves)
  s = f32[1] slice(a), slice={[0:1]}
  u = f32[1000] dynamic-update-slice(w, s, i)
  ROOT carry = (s32[], f32[2], f32[1000]) tuple(next, a, u)
}
condition {
  p = (s32[], f32[2], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant(1000)
  ROOT less = pred[] compare(i, limit), direction=LT
}
ENTRY main {
  x = f32[2] parameter(0)
  z = f32[1000] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[2], f32[1000]) tuple(zero, x, z)
  loop = (s32[], f32[2], f32[1000]) while(init), condition=condition, body=body
  v = f32[2] get-tuple-element(loop), index=1
  ROOT w = f32[1000] get-tuple-element(loop), index=2
}
)";

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_DEBUG_FINISHED_RUN_H_
