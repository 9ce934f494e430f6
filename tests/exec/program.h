// A module read from text, verified, on a fake backend with a Machine: what the tests of exec start from.
#ifndef HLOSCOPE_TESTS_EXEC_PROGRAM_H_
#define HLOSCOPE_TESTS_EXEC_PROGRAM_H_

#include <memory>
#include <string>
#include <vector>

#include "core/exec/machine.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"
#include "tests/exec/fake_backend.h"

namespace hloscope {

struct Program_ {
  explicit Program_(std::string text, bool fuse = false, MachineOptions options = {}) : backend(fuse) {
    DiagnosticSink sink;
    auto source = std::make_shared<SourceText>("<test>", std::move(text));
    module = ReadHloText(source, sink);
    if (sink.error_count() == 0) Verify(*module, sink);
    for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << Render(d, *source);
    machine = std::make_unique<Machine>(*module, backend, std::move(options));
  }
  const Instruction& at(absl::string_view name, absl::string_view computation = "") const {
    const Computation* c = computation.empty() ? module->entry : module->FindComputation(computation);
    return *c->FindInstruction(name);
  }
  void Break(absl::string_view name, absl::string_view computation = "") {
    const Instruction& i = at(name, computation);
    machine->Arm(*i.parent, i.index);
  }
  Value Of(int depth, absl::string_view name) {
    absl::StatusOr<Value> value = machine->ValueOf(depth, machine->frames()[depth].computation->FindInstruction(name)->index);
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? *value : Value();
  }
  std::unique_ptr<Module> module;
  FakeBackend backend;
  std::unique_ptr<Machine> machine;
};

inline Value F32(std::vector<float> x) {
  return Value::FromBytes(Shape::Array(ElementType::kF32, {static_cast<int64_t>(x.size())}), absl::MakeConstSpan(reinterpret_cast<const std::byte*>(x.data()), x.size() * 4));
}
inline std::vector<float> Floats(const Value& v) { return v.has_value() ? std::vector<float>(v.as<float>(), v.as<float>() + v.element_count()) : std::vector<float>(); }
inline Value S32(int32_t x) { return Value::Scalar<int32_t>(ElementType::kS32, x); }

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_EXEC_PROGRAM_H_
