// What conversion makes: text of the HLO, names, attributes, places; and every diagnostic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stablehlo/running.h"

namespace hloscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Converted {
  std::shared_ptr<SourceText> source;
  DiagnosticSink sink;
  std::unique_ptr<Module> module;
  std::string text;
  bool Has(absl::string_view label) const {
    for (const Diagnostic& d : sink.diagnostics()) {
      if (d.label == label) return true;
    }
    return false;
  }
};

std::unique_ptr<Converted> Convert(const std::string& text) {
  auto c = std::make_unique<Converted>();
  c->source = std::make_shared<SourceText>("t.mlir", text);
  c->module = ReadStableHlo(c->source, c->sink);
  if (c->sink.error_count() == 0) Verify(*c->module, c->sink);
  c->text = PrintHloText(*c->module);
  return c;
}

std::string Text(const std::string& mlir) {
  const auto c = Convert(mlir);
  EXPECT_EQ(Problems(c->sink, *c->source), "");
  // What was printed is HLO text that reads back as the same module.
  auto printed = std::make_shared<SourceText>("t.hlo", c->text);
  DiagnosticSink reread;
  const std::unique_ptr<Module> again = ReadHloText(printed, reread);
  Verify(*again, reread);
  EXPECT_EQ(Problems(reread, *printed), "");
  return c->text;
}

TEST(StableHloConvert, NamesAndEntry) {
  const std::string text = Text(R"(
module @jit_f attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 4 : i32} {
  func.func private @helper(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func public @main(%arg0: tensor<2xf32> {mhlo.sharding = "{replicated}", jax.arg_info = "x"}, %f32: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2xf32> {jax.result_info = "y"}, tensor<2xf32>) {
    %0 = call @helper(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
    %1:2 = stablehlo.optimization_barrier %0, %f32 : tensor<2xf32>, tensor<2xf32>
    return %1#0, %1#1 : tensor<2xf32>, tensor<2xf32>
  }
})");
  EXPECT_THAT(text, HasSubstr("HloModule jit_f"));
  EXPECT_THAT(text, HasSubstr("replica_count=4"));
  EXPECT_THAT(text, HasSubstr("num_partitions=2"));
  EXPECT_THAT(text, HasSubstr("input_output_alias={ {0}: (1, {}, may-alias) }"));
  EXPECT_THAT(text, HasSubstr("ENTRY main"));
  EXPECT_THAT(text, HasSubstr("arg0 = f32[2] parameter(0), sharding={replicated}, frontend_attributes={jax.arg_info=\"x\"}"));
  EXPECT_THAT(text, HasSubstr("f32_ = f32[2] parameter(1)"));
  EXPECT_THAT(text, HasSubstr("v0 = f32[2] call(arg0), to_apply=helper"));
  EXPECT_THAT(text, HasSubstr("jax.result_info=\"y\""));
  EXPECT_LT(text.find("helper"), text.find("ENTRY"));
}

TEST(StableHloConvert, LocationsBecomeMetadata) {
  const std::string text = Text(R"(
#loc1 = loc("model.py":7:3)
#loc2 = loc("jit(f)/add"(#loc1))
func.func @main(%x: tensor<f32> loc("the_x")) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32> loc(#loc2)
  return %0 : tensor<f32>
})");
  EXPECT_THAT(text, HasSubstr("metadata={op_name=\"jit(f)/add\" source_file=\"model.py\" source_line=7}"));
  EXPECT_THAT(text, HasSubstr("op_name=\"the_x\""));
}

TEST(StableHloConvert, CallsInLocationsBecomeStackFrames) {
  const std::string text = Text(R"(
#main = loc(callsite("main"("train.py":9:4) at "<module>"("train.py":12:0)))
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32> loc("jit(f)/add"(callsite("f"("model.py":3:11 to :20) at #main)))
  %1 = stablehlo.multiply %0, %0 : tensor<f32> loc("jit(f)/mul"(callsite("f"("model.py":4:11) at #main)))
  return %1 : tensor<f32>
}
#unused = loc(callsite("g"("other.py":1:1) at #main))
)");
  EXPECT_THAT(text, HasSubstr("FileNames\n1 \"train.py\"\n2 \"model.py\"\n\nFunctionNames\n1 \"<module>\"\n2 \"main\"\n3 \"f\"\n\n"));
  EXPECT_THAT(text, HasSubstr("3 {file_name_id=2 function_name_id=3 line=3 end_line=3 column=11 end_column=20}\n"));
  EXPECT_THAT(text, HasSubstr("StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n"
                              "3 {file_location_id=3 parent_frame_id=3}\n4 {file_location_id=4 parent_frame_id=3}\n\n"));
  EXPECT_THAT(text, HasSubstr("op_name=\"jit(f)/add\" source_file=\"model.py\" source_line=3 stack_frame_id=3}"));
  EXPECT_THAT(text, HasSubstr("op_name=\"jit(f)/mul\" source_file=\"model.py\" source_line=4 stack_frame_id=4}"));
}

TEST(StableHloConvert, RangesPointIntoTheText) {
  const auto c = Convert("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.negate %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n");
  ASSERT_EQ(c->sink.error_count(), 0);
  EXPECT_EQ(c->source->Locate(c->module->entry->root->range.begin).line, 2);
}

TEST(StableHloConvert, Composite) {
  const std::string text = Text(R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "foo.bar" %x {composite_attributes = {n = 1 : i32, tensor = dense<1> : tensor<i32>}, decomposition = @foo_bar, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @foo_bar(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
})");
  EXPECT_THAT(text, HasSubstr("to_apply=foo_bar, is_composite=true, frontend_attributes={composite.name=\"foo.bar\",composite.attributes={n = 1 : i32, tensor = "
                              "dense<1> : tensor<i32>},composite.version=\"1\"}"));
}

TEST(StableHloConvert, CustomCallsKeepTheirAttributes) {
  const std::string text = Text(R"(
func.func private @called(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>) {
  %0:2 = stablehlo.custom_call @target(%x) {has_side_effect = true, backend_config = "a \"quoted\" text", api_version = 2 : i32, called_computations = [@called],
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>)
  %1 = stablehlo.custom_call @ffi(%x) {api_version = 4 : i32, backend_config = {alpha = 1 : i64}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<f32>
})");
  EXPECT_THAT(text, HasSubstr("custom_call_target=\"target\""));
  EXPECT_THAT(text, HasSubstr("custom_call_has_side_effect=true"));
  EXPECT_THAT(text, HasSubstr("operand_layout_constraints={f32[2,3]{0,1}}"));
  EXPECT_THAT(text, HasSubstr("f32[2,3]{1,0}"));
  EXPECT_THAT(text, HasSubstr("output_to_operand_aliasing={{0}: (0, {})}"));
  EXPECT_THAT(text, HasSubstr("api_version=API_VERSION_STATUS_RETURNING"));
  EXPECT_THAT(text, HasSubstr("called_computations={called}"));
  EXPECT_THAT(text, HasSubstr("backend_config=\"a \\\"quoted\\\" text\""));
  EXPECT_THAT(text, HasSubstr("api_version=API_VERSION_TYPED_FFI"));
  EXPECT_THAT(text, HasSubstr("backend_config={alpha = 1 : i64}"));
}

TEST(StableHloConvert, Transfers) {
  const std::string text = Text(R"(
func.func @main(%x: tensor<2xf32>, %t: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %1:2 = "stablehlo.recv"(%0) {channel_handle = #stablehlo.channel_handle<handle = 4, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %2:3 = "stablehlo.infeed"(%1#1) {infeed_config = "q", layout = [[0], []]} : (!stablehlo.token) -> (tensor<2xf32>, tensor<i32>, !stablehlo.token)
  return %2#0, %2#2 : tensor<2xf32>, !stablehlo.token
})");
  EXPECT_THAT(text, HasSubstr("(f32[2], u32[], token[]) send("));
  EXPECT_THAT(text, HasSubstr("channel_id=3, is_host_transfer=true"));
  EXPECT_THAT(text, HasSubstr("send-done("));
  EXPECT_THAT(text, HasSubstr("(f32[2], u32[], token[]) recv("));
  EXPECT_THAT(text, HasSubstr("recv-done("));
  EXPECT_THAT(text, HasSubstr("((f32[2], s32[]), token[]) infeed("));
  EXPECT_THAT(text, HasSubstr("infeed_config=\"q\""));
}

TEST(StableHloConvert, Collectives) {
  const std::string text = Text(R"(
module @m attributes {mhlo.num_replicas = 4 : i32} {
func.func @main(%x: tensor<4x8xf32>) -> tensor<16x2xf32> {
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4x8xf32>) -> tensor<16x2xf32>
  %1 = "stablehlo.all_reduce"(%0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>} : (tensor<16x2xf32>) -> tensor<16x2xf32>
  %2 = "stablehlo.collective_broadcast"(%1) {replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>} : (tensor<16x2xf32>) -> tensor<16x2xf32>
  return %0 : tensor<16x2xf32>
}
})");
  EXPECT_THAT(text, HasSubstr("f32[16,2] all-to-all("));
  EXPECT_THAT(text, HasSubstr("replica_groups={{0,1,2,3}}, channel_id=1, dimensions={0}"));
  EXPECT_THAT(text, HasSubstr("f32[4,4,2] reshape("));
  EXPECT_THAT(text, HasSubstr("f32[4,4,2] transpose("));
  EXPECT_THAT(text, HasSubstr("f32[16,2] reshape("));
  EXPECT_THAT(text, HasSubstr("replica_groups={{0,1},{2,3}}, channel_id=2, use_global_device_ids=true"));
  EXPECT_THAT(text, HasSubstr("replica_groups={{0,1},{2}}"));
}

TEST(StableHloConvert, AsynchronousCollectives) {
  const std::string text = Text(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<4xf32>):
    %g = "stablehlo.all_gather"(%y) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %g : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
})");
  EXPECT_THAT(text, HasSubstr("all-gather("));
}

TEST(StableHloConvert, QuantizedTypesAreReadAndRefused) {
  const std::string mlir = R"(
func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.add %0, %0 : tensor<2x!quant.uniform<i8:f32, 0.5>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
})";
  EXPECT_THAT(Text(mlir), HasSubstr("s8[2] custom-call"));
  const auto c = Convert(mlir);
  EXPECT_THAT(RunModule(*c->module, *AllBackends()[0]), HasSubstr("quantized types are not executed"));
}

TEST(StableHloConvert, SeveralDevicesAreSkippedByTheirNumber) {
  DiagnosticSink sink;
  auto source = std::make_shared<SourceText>("t.mlir", R"(
func.func @f(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }
func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@f], [@f]]} : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  check.expect_eq_const %r#0, dense<1> : tensor<i32>
  func.return
})");
  const std::vector<StableHloTest> tests = ReadStableHloTests(source, sink);
  EXPECT_EQ(Problems(sink, *source), "");
  ASSERT_EQ(tests.size(), 1u);
  EXPECT_EQ(tests[0].name, "main");
  EXPECT_EQ(tests[0].num_replicas, 2);
  EXPECT_EQ(RunModule(*tests[0].module, *AllBackends()[0]), "");
}

// What no test reaches is looked through: functions with arguments, and those that call each other in a circle.
TEST(StableHloConvert, ErrorsThatNoTestReachesAreReported) {
  struct Case {
    const char* text;
    const char* label;
    std::vector<std::string> names;  // of the tests; those that are only there because of their errors behind a '!'
  };
  const Case cases[] = {
      {"func.func @a() { call @b() : () -> () return }\nfunc.func private @b() { call @a() : () -> () return }\nfunc.func @ok() { return }\n", "stablehlo.recursive-call", {"ok", "!a"}},
      {"func.func @main() { func.call @main() : () -> () return }\n", "stablehlo.recursive-call", {"!main"}},
      {"func.func @ok() { return }\nfunc.func private @bad(%x: tensor<2xf32>) -> tensor<3xf32> {\n  %0 = stablehlo.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>\n"
       "  return %0 : tensor<3xf32>\n}\n", "stablehlo.result-type", {"ok", "!bad"}},
      {"func.func @ok() { return }\nfunc.func private @fine(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }\n", "", {"ok"}},
  };
  for (const Case& one : cases) {
    DiagnosticSink sink;
    auto source = std::make_shared<SourceText>("t.mlir", one.text);
    std::vector<std::string> names;
    for (const StableHloTest& test : ReadStableHloTests(source, sink)) names.push_back(test.reached ? test.name : absl::StrCat("!", test.name));
    EXPECT_EQ(names, one.names) << one.text;
    EXPECT_EQ(sink.diagnostics().empty() ? "" : sink.diagnostics()[0].label, one.label) << one.text;
  }
}

TEST(StableHloConvert, PartsAreNumberedWhereNamesRepeat) {
  DiagnosticSink sink;
  const std::string part = "func.func @main() {\n  %x = stablehlo.constant dense<1> : tensor<i32>\n  %p = \"interpreter.probe\"(%x) {probe_id = \"a\"} : (tensor<i32>) -> tensor<i32>\n  func.return\n}\n";
  auto source = std::make_shared<SourceText>("t.mlir", "func.func @main() {\n  func.return\n}\n// -----\n" + part);
  const std::vector<StableHloTest> tests = ReadStableHloTests(source, sink);
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_EQ(tests[0].name, "main#0");
  EXPECT_EQ(tests[1].name, "main#1");
  EXPECT_FALSE(tests[0].asserts);
  EXPECT_EQ(tests[1].part, 1);
}

TEST(StableHloConvert, RareOperations) {
  const std::string text = Text(R"(
func.func @main(%x: tensor<4xf32>, %r: tensor<4xui32>, %n: tensor<i32>) -> tensor<4xbf16> {
  %0 = "stablehlo.stochastic_convert"(%x, %r) : (tensor<4xf32>, tensor<4xui32>) -> tensor<4xbf16>
  %1 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  "check.expect_serialized_eq"(%x) {iteration = 1 : i32, probe_id = "p"} : (tensor<4xf32>) -> ()
  return %0 : tensor<4xbf16>
})");
  EXPECT_THAT(text, HasSubstr("bf16[4] stochastic-convert(x, r)"));
  EXPECT_THAT(text, HasSubstr("f32[<=4] set-dimension-size(x, n), dimensions={0}"));
  EXPECT_THAT(text, HasSubstr("custom_call_target=\"check.expect_serialized_eq\""));
}

// -- Diagnostics --

struct Wrong {
  const char* label;
  const char* body;  // of @main(%x: tensor<4xf32>, %n: tensor<1xi64>, %d: tensor<2x2xf32>), or a whole file when it begins with "func" or "module"
};

const Wrong kWrong[] = {
    {"stablehlo.unknown-operation", "%0 = \"stablehlo.frobnicate\"(%x) : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.operands", "%0 = \"stablehlo.add\"(%x) : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.regions", "%0 = \"stablehlo.reduce\"(%x, %x) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>"},
    {"stablehlo.missing-attribute", "%0 = \"stablehlo.compare\"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"},
    {"stablehlo.results", "%0:2 = \"stablehlo.negate\"(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)"},
    {"stablehlo.constant-value", "%0 = \"stablehlo.constant\"() {value = \"text\"} : () -> tensor<4xf32>"},
    {"stablehlo.constant-shape", "%0 = \"stablehlo.constant\"() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<4xf32>"},
    {"stablehlo.unknown-sizes", "%0 = \"stablehlo.iota\"() {iota_dimension = 0 : i64} : () -> tensor<?xf32>"},
    {"stablehlo.broadcast-dimensions", "%0 = \"stablehlo.broadcast_in_dim\"(%x) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<4xf32>) -> tensor<4x4xf32>"},
    {"stablehlo.slice-lists", "%0 = \"stablehlo.slice\"(%x) {start_indices = array<i64: 0>, limit_indices = array<i64: 1, 2>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<1xf32>"},
    {"stablehlo.pad-lists", "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = \"stablehlo.pad\"(%x, %c) {edge_padding_low = array<i64: 0>, edge_padding_high = array<i64>, interior_padding = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>"},
    {"stablehlo.index-select", "%0 = \"stablehlo.torch_index_select\"(%x, %n) {dim = 3 : i64, batch_dims = 0 : i64} : (tensor<4xf32>, tensor<1xi64>) -> tensor<1xf32>"},
    {"stablehlo.shape-differs", "%c = stablehlo.constant dense<2> : tensor<1xi64>\n%0 = stablehlo.dynamic_iota %c, dim = 0 : (tensor<1xi64>) -> tensor<3xf32>"},
    {"stablehlo.negative-size", "%c = stablehlo.constant dense<-2> : tensor<1xi64>\n%0 = stablehlo.dynamic_iota %c, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>"},
    {"stablehlo.dynamic-shape", "%0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>"},
    {"stablehlo.capture", "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = \"stablehlo.reduce\"(%x, %c) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n %s = \"stablehlo.slice\"(%x) {start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<1xf32>\n %k = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>\n %m = stablehlo.multiply %a, %k : tensor<f32>\n stablehlo.return %m : tensor<f32>\n}) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>"},
    {"stablehlo.window-lists", "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = \"stablehlo.reduce_window\"(%x, %c) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n stablehlo.return %a : tensor<f32>\n}) {window_dimensions = array<i64: 1, 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>"},
    {"stablehlo.window-padding", "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = \"stablehlo.reduce_window\"(%x, %c) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n stablehlo.return %a : tensor<f32>\n}) {window_dimensions = array<i64: 1>, padding = dense<0> : tensor<1x3xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>"},
    {"stablehlo.while-arguments", "%0 = \"stablehlo.while\"(%x) ({\n^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):\n %t = stablehlo.constant dense<false> : tensor<i1>\n stablehlo.return %t : tensor<i1>\n}, {\n^bb0(%a: tensor<4xf32>):\n stablehlo.return %a : tensor<4xf32>\n}) : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.while-results", "%0 = \"stablehlo.while\"(%x) ({\n^bb0(%a: tensor<4xf32>):\n %t = stablehlo.constant dense<false> : tensor<i1>\n stablehlo.return %t : tensor<i1>\n}, {\n^bb0(%a: tensor<4xf32>):\n stablehlo.return %a, %a : tensor<4xf32>, tensor<4xf32>\n}) : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.convolution-dimensions", "%0 = \"stablehlo.convolution\"(%d, %d) {dimension_numbers = #stablehlo.conv<nonsense>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>"},
    {"stablehlo.convolution-window", "%0 = \"stablehlo.convolution\"(%d, %d) {window_strides = array<i64: 1, 2>, dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>"},
    {"stablehlo.convolution-kernel", "%0 = \"stablehlo.convolution\"(%d, %d) {dimension_numbers = #stablehlo.conv<[b, f, 0]x[i, o, 0]->[b, f, 0]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>"},
    {"stablehlo.replica-groups", "%0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = \"all\"} : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.all-to-all", "%0 = \"stablehlo.all_to_all\"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.run-parallel", "%0:3 = \"interpreter.run_parallel\"() {programs = [[@f, @f], [@f]]} : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)"},
    {"stablehlo.source-target-pairs", "%0 = \"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.dimension-number", "%c = arith.constant 3 : index\n%0 = \"tensor.dim\"(%x, %c) : (tensor<4xf32>, index) -> index"},
    {"stablehlo.before-partitioner", "%0 = \"sdy.all_gather\"(%x) : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.unknown-function", "%0 = func.call @nowhere(%x) : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.layout", "%0 = stablehlo.custom_call @f(%d) {operand_layouts = [dense<[1, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x2xf32>) -> tensor<2x2xf32>"},
    {"stablehlo.shape-assertion", "%c = stablehlo.constant dense<false> : tensor<i1>\nstablehlo.custom_call @shape_assertion(%c) {error_message = \"sizes differ\", has_side_effect = true} : (tensor<i1>) -> ()"},
    {"stablehlo.check-value", "\"check.expect_eq_const\"(%x) {value = 1 : i32} : (tensor<4xf32>) -> ()"},
    {"stablehlo.call-arguments", "func.func @g(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\nfunc.func @main(%x: tensor<f32>) -> tensor<f32> {\n %0 = \"func.call\"(%x, %x) {callee = @g} : (tensor<f32>, tensor<f32>) -> tensor<f32>\n return %0 : tensor<f32>\n}"},
    {"stablehlo.recursive-call", "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n %0 = func.call @main(%x) : (tensor<f32>) -> tensor<f32>\n return %0 : tensor<f32>\n}"},
    {"stablehlo.dynamic-argument", "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n return %x : tensor<?xf32>\n}"},
    {"stablehlo.after-return", "func.func @main() {\n return\n %0 = stablehlo.constant dense<1> : tensor<i32>\n return\n}"},
    {"stablehlo.no-return", "func.func @main() -> tensor<i32> {\n %0 = stablehlo.constant dense<1> : tensor<i32>\n}"},
    {"stablehlo.return-count", "func.func @main() -> tensor<i32> {\n return\n}"},
    {"stablehlo.return-type", "func.func @main(%x: tensor<i32>) -> tensor<4xf32> {\n return %x : tensor<i32>\n}"},
    {"stablehlo.return-type", "func.func @main() {\n return\n}\nfunc.func @unused(%x: tensor<i32>) -> tensor<f32> {\n return %x : tensor<i32>\n}"},
    {"stablehlo.call-argument-type", "func.func private @f(%a: tensor<i32>) -> tensor<i32> {\n return %a : tensor<i32>\n}\nfunc.func @main(%a: tensor<f32>) {\n %0 = call @f(%a) : (tensor<f32>) -> tensor<i32>\n return\n}"},
    {"stablehlo.call-result-type", "func.func private @f(%a: tensor<i32>) -> tensor<i32> {\n return %a : tensor<i32>\n}\nfunc.func @main(%a: tensor<i32>) {\n %0 = call @f(%a) : (tensor<i32>) -> tensor<f32>\n return\n}"},
    {"stablehlo.call-result-type", "func.func private @f(%a: tensor<i32>) -> tensor<i32> {\n return %a : tensor<i32>\n}\nfunc.func @main(%a: tensor<i32>) {\n %0 = stablehlo.composite \"my.f\" %a {decomposition = @f} : (tensor<i32>) -> tensor<i64>\n return\n}"},
    {"stablehlo.call-result-count", "func.func private @f(%a: tensor<i32>) -> tensor<i32> {\n return %a : tensor<i32>\n}\nfunc.func @main(%a: tensor<i32>) {\n %0:2 = call @f(%a) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)\n return\n}"},
    {"stablehlo.result-type", "%0:2 = stablehlo.optimization_barrier %x, %d : (tensor<4xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<4xf32>)"},
    {"stablehlo.result-type", "%0 = stablehlo.tuple %x, %n : tuple<tensor<4xf32>, tensor<1xi64>>\n%1 = \"stablehlo.get_tuple_element\"(%0) {index = 0 : i32} : (tuple<tensor<4xf32>, tensor<1xi64>>) -> tensor<4xi32>"},
    {"stablehlo.attribute-word", "%0 = \"stablehlo.compare\"(%x, %x) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FOO>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"},
    {"stablehlo.compare-type", "%0 = stablehlo.compare EQ, %x, %x, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"},
    {"stablehlo.signed-operand", "%c = stablehlo.constant dense<1> : tensor<2xui32>\n%0 = stablehlo.abs %c : tensor<2xui32>"},
    {"stablehlo.precision-count", "%0 = stablehlo.dot_general %d, %d, contracting_dims = [1] x [0], precision = [DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>"},
    {"stablehlo.dot-algorithm", "%0 = stablehlo.dot_general %d, %d, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>"},
    {"stablehlo.rng-shape", "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n%0 = stablehlo.rng %c, %c, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x3xf32>"},
    {"stablehlo.init-type", "%c = stablehlo.constant dense<0> : tensor<i32>\n%0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<i32>) -> tensor<f32>"},
    {"stablehlo.branch-selector", "%c = stablehlo.constant dense<0> : tensor<i32>\n%0 = \"stablehlo.if\"(%c) ({\n stablehlo.return %x : tensor<4xf32>\n}, {\n stablehlo.return %x : tensor<4xf32>\n}) : (tensor<i32>) -> tensor<4xf32>"},
    {"stablehlo.branch-arguments", "%c = stablehlo.constant dense<true> : tensor<i1>\n%0 = \"stablehlo.if\"(%c) ({\n^bb0(%a: tensor<f32>):\n stablehlo.return %x : tensor<4xf32>\n}, {\n stablehlo.return %x : tensor<4xf32>\n}) : (tensor<i1>) -> tensor<4xf32>"},
    {"stablehlo.global-ids", "%0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.check-shapes", "check.expect_eq %x, %d : tensor<4xf32>, tensor<2x2xf32>"},
    {"stablehlo.check-shapes", "stablehlo.custom_call @check.expect_close(%x, %d) {has_side_effect = true} : (tensor<4xf32>, tensor<2x2xf32>) -> ()"},
    {"stablehlo.no-function", "module @empty {\n}"},
    {"stablehlo.repeated-name", "func.func @main() { return }\nfunc.func @main() { return }"},
    {"stablehlo.einsum-config", "%0 = stablehlo.einsum %x, %x, config = \"ab,a->b\" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.einsum-sizes", "%0 = stablehlo.einsum %x, %d, config = \"a,ab->b\" : (tensor<4xf32>, tensor<2x2xf32>) -> tensor<2xf32>"},
    {"stablehlo.einsum-result", "%0 = stablehlo.unary_einsum %x, config = \"a->a\" : (tensor<4xf32>) -> tensor<3xf32>"},
    {"stablehlo.dynamic-call", "%0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x) : (tensor<4xf32>) -> (tensor<?xf32>, tensor<?xi32>)"},
    {"stablehlo.mesh-groups", "%0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh_name = @mesh, axes = [#stablehlo.axis_ref<name = \"x\">]>} : (tensor<4xf32>) -> tensor<4xf32>"},
    {"stablehlo.select-source", "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%r = stablehlo.reshape %n : (tensor<1xi64>) -> tensor<i64>\n%k = stablehlo.convert %r : (tensor<i64>) -> tensor<f32>\n%0 = \"stablehlo.select_and_scatter\"(%x, %x, %c) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n %s = stablehlo.compare GE, %a, %k : (tensor<f32>, tensor<f32>) -> tensor<i1>\n stablehlo.return %s : tensor<i1>\n}, {\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n stablehlo.return %b : tensor<f32>\n}) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>"},
    {"chlo.float-operand", "%0 = chlo.lgamma %n : tensor<1xi64> -> tensor<1xi64>"},
    {"chlo.next-after-type", "%c = stablehlo.constant dense<1.0> : tensor<2xf6E3M2FN>\n%0 = chlo.next_after %c, %c : tensor<2xf6E3M2FN>, tensor<2xf6E3M2FN> -> tensor<2xf6E3M2FN>"},
    {"chlo.complex-operand", "%0 = \"chlo._asin_acos_kernel\"(%x) : (tensor<4xf32>) -> tensor<4xf32>"},
    {"chlo.broadcast-dimensions", "%c = stablehlo.constant dense<0.0> : tensor<2xf32>\n%0 = \"chlo.broadcast_add\"(%d, %c) {broadcast_dimensions = array<i64: 5>} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>"},
    {"chlo.broadcast-sizes", "%0 = chlo.broadcast_add %x, %d : (tensor<4xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>"},
    {"chlo.constant-like", "%0 = \"chlo.constant_like\"(%x) {value = \"one\"} : (tensor<4xf32>) -> tensor<4xf32>"},
    {"chlo.scan-arguments", "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%0:2 = \"chlo.scan\"(%x, %c) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({\n^bb0(%a: tensor<f32>):\n stablehlo.return %a, %a : tensor<f32>, tensor<f32>\n}) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)"},
    {"chlo.scan-results", "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%0:2 = \"chlo.scan\"(%x, %c) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n stablehlo.return %a : tensor<f32>\n}) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)"},
    {"chlo.scan-dimension", "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%0:2 = \"chlo.scan\"(%x, %c) <{dimension = 2 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n stablehlo.return %a, %b : tensor<f32>, tensor<f32>\n}) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)"},
};

TEST(StableHloDiagnostics, EachIsProvoked) {
  for (const Wrong& wrong : kWrong) {
    const absl::string_view body = wrong.body;
    const bool whole = body.substr(0, 4) == "func" || body.substr(0, 6) == "module";
    const std::string text =
        whole ? std::string(body) : absl::StrCat("func.func @main(%x: tensor<4xf32>, %n: tensor<1xi64>, %d: tensor<2x2xf32>) {\n  ", body, "\n  func.return\n}\n");
    const auto c = Convert(text);
    EXPECT_TRUE(c->Has(wrong.label)) << wrong.label << " was not reported; there is\n" << Problems(c->sink, *c->source) << "\nfor\n" << text;
  }
}

TEST(StableHloDiagnostics, CallDepth) {
  std::string text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n %0 = func.call @f0(%x) : (tensor<f32>) -> tensor<f32>\n return %0 : tensor<f32>\n}\n";
  for (int k = 0; k < 300; ++k) {
    absl::StrAppend(&text, "func.func private @f", k, "(%x: tensor<f32>) -> tensor<f32> {\n %0 = func.call @f", k + 1, "(%x) : (tensor<f32>) -> tensor<f32>\n return %0 : tensor<f32>\n}\n");
  }
  absl::StrAppend(&text, "func.func private @f300(%x: tensor<f32>) -> tensor<f32> {\n return %x : tensor<f32>\n}\n");
  EXPECT_TRUE(Convert(text)->Has("stablehlo.call-depth"));
}

TEST(StableHloDiagnostics, OneProblemHidesNoOther) {
  const auto c = Convert("func.func @main(%x: tensor<f32>) {\n  %0 = \"stablehlo.one\"(%x) : (tensor<f32>) -> tensor<f32>\n  %1 = stablehlo.negate %0 : tensor<f32>\n"
                         "  %2 = \"stablehlo.two\"(%1) : (tensor<f32>) -> tensor<f32>\n  func.return\n}\n");
  EXPECT_EQ(c->sink.error_count(), 2);
}

TEST(StableHloDiagnostics, Garbage) {
  for (const char* text : {"", "func.func", "module", "func.func @main() {", "func.func @main() { stablehlo.return }", "\"builtin.module\"() ({}) : () -> ()",
                           "func.func @main() -> tensor<f32> { return }", "func.func @main(%a: tensor<f32>) -> tensor<f32> { %0 = stablehlo.while(%i = %a) : tensor<f32> cond { } do { } return %0 : tensor<f32> }",
                           "func.func @main(%a: tensor<f32>) -> tensor<f32> { %0 = \"stablehlo.reduce\"(%a, %a) ({}) : (tensor<f32>, tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }"}) {
    const auto c = Convert(text);
    ASSERT_NE(c->module, nullptr);
  }
}

}  // namespace
}  // namespace hloscope
