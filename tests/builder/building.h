// For the tests of the builder: build, verify, print, read back, compare, run on the reference backend, compare with a literal.
#ifndef HLOSCOPE_TESTS_BUILDER_BUILDING_H_
#define HLOSCOPE_TESTS_BUILDER_BUILDING_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/exec/machine.h"
#include "core/ops/builder/constants.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {

using namespace hlo;  // NOLINT: these tests are about it

inline absl::StatusOr<Value> RunModule(const Module& module) {
  std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Machine machine(module, *backend, MachineOptions());
  if (absl::Status s = machine.Start(std::vector<Value>()); !s.ok()) return s;
  if (machine.Run() != StopReason::kFinished) return machine.status();
  return machine.result();
}

struct Reread {
  std::shared_ptr<SourceText> source;
  std::unique_ptr<Module> module;
};

inline Reread ReadText(const std::string& text) {
  DiagnosticSink sink;
  Reread r;
  r.source = std::make_shared<SourceText>("<test>", text);
  r.module = ReadHloText(r.source, sink);
  if (sink.error_count() == 0) Verify(*r.module, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << Render(d, *r.source);
  return r;
}

// The entry's root value of a text of instructions, as literals are written: "s32[2] constant({1, 2})".
inline std::string Evaluated(const std::string& literal) {
  const Reread r = ReadText("HloModule expected\n\nENTRY main {\n  ROOT x = " + literal + "\n}\n");
  absl::StatusOr<Value> v = RunModule(*r.module);
  return v.ok() ? absl::StrCat(v->shape().ToString(false), " ", PrintLiteral(*v)) : v.status().ToString();
}

// Builds what `body` returns, or what it added last; checks that the text reads back to the same module. Null after a failure.
inline std::unique_ptr<Module> Build(const std::function<Op(Builder* b)>& body) {
  Builder b("test");
  const Op root = body(&b);
  absl::StatusOr<std::unique_ptr<Module>> module = b.Build(root);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return nullptr;
  const std::string text = PrintHloText(**module);
  const Reread again = ReadText(text);
  std::string why;
  EXPECT_TRUE(ModulesEqual(**module, *again.module, &why)) << why << "\n" << text;
  return *std::move(module);
}

// ... and its value is this.
inline void ExpectBuilt(const std::function<Op(Builder* b)>& body, const std::string& expected) {
  const std::unique_ptr<Module> module = Build(body);
  if (module == nullptr) return;
  const absl::StatusOr<Value> value = RunModule(*module);
  ASSERT_TRUE(value.ok()) << value.status() << "\n" << PrintHloText(*module);
  EXPECT_EQ(absl::StrCat(value->shape().ToString(false), " ", PrintLiteral(*value)), Evaluated(expected)) << PrintHloText(*module);
}

inline void ExpectShape(const std::function<Op(Builder* b)>& body, const std::string& expected) {
  const std::unique_ptr<Module> module = Build(body);
  if (module == nullptr) return;
  EXPECT_EQ(module->entry->root->shape.ToString(false), expected) << PrintHloText(*module);
}

// Building fails under this label, at a call of this file.
inline void ExpectBuildError(const std::function<Op(Builder* b)>& body, const std::string& label) {
  Builder b("test");
  const Op root = body(&b);
  EXPECT_FALSE(b.Build(root).ok()) << "expected " << label;
  EXPECT_EQ(b.error_label(), label) << b.status();
}

inline Shape S(ElementType type, std::vector<int64_t> dims) { return Shape::Array(type, dims); }

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_BUILDER_BUILDING_H_
