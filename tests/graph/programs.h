// Programs of the graph's tests: reading them, and one with scopes and a loop.
#ifndef HLOSCOPE_TESTS_GRAPH_PROGRAMS_H_
#define HLOSCOPE_TESTS_GRAPH_PROGRAMS_H_

#include <memory>
#include <string>
#include <utility>

#include "core/text/hlo_text.h"
#include "gtest/gtest.h"
#include "visualizer/graph/scene.h"

namespace hloscope {

inline std::shared_ptr<const Module> Read(std::string text) {
  DiagnosticSink sink;
  std::shared_ptr<const Module> module = ReadHloText(std::make_shared<SourceText>("test", std::move(text)), sink);
  EXPECT_EQ(sink.error_count(), 0);
  return module;
}

inline std::shared_ptr<const Hierarchy> HierarchyOf(const std::shared_ptr<const Module>& module) { return Hierarchy::Make(*module, module); }

inline const Instruction& At(const Module& module, absl::string_view computation, absl::string_view name) { return *module.FindComputation(computation)->FindInstruction(name); }

inline constexpr char kLoop[] = R"(HloModule loop
condition {
  c = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  limit = s32[] constant(3)
  ROOT less = pred[] compare(i, limit), direction=LT
}
body {
  b = (s32[], f32[4]) parameter(0)
  j = s32[] get-tuple-element(b), index=0
  one = s32[] constant(1)
  next = s32[] add(j, one), metadata={op_name="jit(f)/while/body/inner/add"}
  x = f32[4] get-tuple-element(b), index=1
  y = f32[4] multiply(x, x), metadata={op_name="jit(f)/while/body/inner/mul"}
  ROOT r = (s32[], f32[4]) tuple(next, y)
}
ENTRY main {
  p = f32[4] parameter(0), metadata={op_name="x"}
  zero = s32[] constant(0)
  a = f32[4] add(p, p), metadata={op_name="jit(f)/head/add"}
  s = f32[4] subtract(a, p), metadata={op_name="jit(f)/head/sub"}
  t = (s32[], f32[4]) tuple(zero, s), metadata={op_name="jit(f)/tuple"}
  w = (s32[], f32[4]) while(t), condition=condition, body=body, metadata={op_name="jit(f)/while"}
  ROOT out = f32[4] get-tuple-element(w), index=1, metadata={op_name="jit(f)/out[axes=(0, 1)/2]/get"}
}
)";

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_GRAPH_PROGRAMS_H_
