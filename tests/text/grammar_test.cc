// The grammar, feature by feature: what is written, and what it prints as. Everything printed reads back equal.
#include <cmath>
#include <cstring>

#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

std::unique_ptr<Module> Read(const std::string& text) {
  auto source = std::make_shared<SourceText>("t", text);
  DiagnosticSink sink;
  auto module = ReadHloText(source, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << Render(d, *source);
  auto again_source = std::make_shared<SourceText>("printed", PrintHloText(*module));
  DiagnosticSink again_sink;
  auto again = ReadHloText(again_source, again_sink);
  for (const Diagnostic& d : again_sink.diagnostics()) ADD_FAILURE() << Render(d, *again_source);
  std::string why;
  EXPECT_TRUE(ModulesEqual(*module, *again, &why)) << why << "\n" << again_source->text();
  return module;
}

// One instruction `x` in a computation with the operands p (f32[2,3]), q (s32[]), t (a tuple of both) and the computation f to call.
std::string Print(const std::string& instruction) {
  auto module = Read("f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n" +
                     std::string("ENTRY e {\n p = f32[2,3] parameter(0)\n q = s32[] parameter(1)\n t = (f32[2,3], s32[]) tuple(p, q)\n ") +
                     instruction + "\n z = s32[] copy(q)\n}\n");
  const Instruction* x = module->entry->FindInstruction("x");
  return x == nullptr ? "no x" : PrintInstruction(*x);
}

struct GrammarCase {
  const char* text;
  const char* printed;  // "": as written
};

TEST(Grammar, Instructions) {
  const GrammarCase cases[] = {
      // Names, operands, comments.
      {"ROOT x = f32[2,3] add(p, p)", ""},
      {"%x = f32[2,3] add(%p, %p)", "x = f32[2,3] add(p, p)"},
      {"x = f32[2,3] add(f32[2,3] %p, f32[2,3]{1,0} p)", "x = f32[2,3] add(p, p)"},
      {"x = f32[2,3] add(p, /*index=1*/p) // said twice", "x = f32[2,3] add(p, p)"},
      {"x=f32[2,3]add(p,p)", "x = f32[2,3] add(p, p)"},
      {"x\n = // the sum\n f32[2,3]\n /* of */ add (\np ,\n p\n)", "x = f32[2,3] add(p, p)"},
      {"x = add(p, p)", ""},
      {"%\"a b\" = f32[2,3] negate(p)\n x = f32[2,3] negate(%\"a b\")", "x = f32[2,3] negate(%\"a b\")"},
      {"a:0 = f32[2,3] negate(p)\n x = f32[2,3] negate(%a:0)", "x = f32[2,3] negate(a:0)"},
      {"%7 = f32[2,3] negate(p)\n x = f32[2,3] negate(7)", "x = f32[2,3] negate(%7)"},
      {"ROOT = f32[2,3] negate(p)\n x = f32[2,3] negate(ROOT)", "x = f32[2,3] negate(%\"ROOT\")"},
      {"x = f32[2,3] negate(later)\n later = f32[2,3] copy(p)", "x = f32[2,3] negate(later)"},
      {"x = f32[2,3] copy(p), control-predecessors={%q, t}", "x = f32[2,3] copy(p), control-predecessors={q, t}"},
      // Shapes.
      {"x = f32[2,3]{0,1} copy(p)", ""},
      {"x = f32[]{} copy(q)", "x = f32[] copy(q)"},
      {"x = f32[]{:T(128)} copy(q)", ""},
      {"x = bf16[8,128]{1,0:T(8,128)(2,1)S(1)} copy(p)", ""},
      {"x = bf16[8,128]{1,0:T(8,128)(*,1)E(16)} copy(p)", ""},
      {"x = u4[2,3]{0,1:PAD(3,5)=oneE(4)S(1)} copy(p)", ""},
      {"x = f32[2,3]{0,1:PAD(3,5)=zero} copy(p)", ""},
      {"x = f32[2,3]{1,0:D(D,C)#(u32)*(s32)L(2)M(7)P((f32[2]))SC(0:4)} copy(p)", ""},
      {"x = f32[<=2,?,3] copy(p)", ""},
      {"x = (f32[2,3]{1,0}, (s32[], token[]), /*index=2*/pred[0]) custom-call(), custom_call_target=\"t\"",
       "x = (f32[2,3]{1,0}, (s32[], token[]), pred[0]) custom-call(), custom_call_target=\"t\""},
      {"x = () tuple()", ""},
      {"x = opaque[] custom-call(), custom_call_target=\"t\"", ""},
      {"x = token[] after-all()", ""},
      {"x = f32[9223372036854775807,2] broadcast(q), dimensions={}", ""},
      // Attributes of each kind.
      {"x = s32[] get-tuple-element(t), index=1", ""},
      {"x = (f32[2,3]) batch-norm-training(p, p, p), epsilon=1e-05, feature_index=1", ""},
      {"x = f32[2,3] sort(p), dimensions={1}, is_stable=true, to_apply=%f",
       "x = f32[2,3] sort(p), dimensions={1}, is_stable=true, to_apply=f"},
      {"x = f32[2,3] call(p), to_apply={%f}", "x = f32[2,3] call(p), to_apply=f"},
      {"x = f32[2] conditional(q, p, p), branch_computations={%f, f}", "x = f32[2] conditional(q, p, p), branch_computations={f, f}"},
      {"x = f32[2] custom-call(p), custom_call_target=\"a \\\"b\\\" {\", called_computations={}", ""},
      {"x = f32[2] custom-call(p), called_computations=f, custom_call_target=\"\"",
       "x = f32[2] custom-call(p), called_computations={f}, custom_call_target=\"\""},
      {"x = pred[2,3] compare(p, p), direction=LT, type=TOTALORDER", ""},
      {"x = f32[1,2] slice(p), slice={[0:1], [0:3:2]}", ""},
      {"x = f32[1,2] slice(p), slice={[0:1:1],[0:3]}", "x = f32[1,2] slice(p), slice={[0:1], [0:3]}"},
      {"x = f32[5,9] pad(p, q), padding=1_2x-1_0_3", ""},
      {"x = s32[] pad(q, q), padding=", ""},
      {"x = f32[2,3] collective-permute(p), channel_id=5, source_target_pairs={{0,1},{1,0}}", ""},
      {"x = f32[2,3] all-reduce(p), replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=f", ""},
      {"x = f32[2,3] all-reduce(p), replica_groups=[2,4]<=[4,2]T(1,0), to_apply=f", ""},
      {"x = f32[2,3] reduce-window(p, q), window={size=1x2 stride=1x2 pad=0_0x-1_3}, to_apply=f", ""},
      {"x = f32[2,3] reduce-window(p, q), window={stride=1x1 size=1x2}, to_apply=f",
       "x = f32[2,3] reduce-window(p, q), window={size=1x2}, to_apply=f"},
      {"x = f32[2] convolution(p, p), window={size=3x3 pad=1_1x1_1 lhs_dilate=2x1 rhs_dilate=1x2 rhs_reversal=1x0}, "
       "dim_labels=b01f_01io->b01f, "
       "feature_group_count=2",
       ""},
      {"x = f32[2] convolution(p, p), dim_labels=bf_io->bf", ""},
      {"x = f32[2] convolution(p, p), dim_labels=b?0f_0io->f0b", ""},
      {"x = f32[2] convolution(p, p), window={}, dim_labels=bf_io->bf, operand_precision={highest,highest}", ""},
      {"x = f32[3] parameter(2), parameter_replication={true,false}", ""},
      {"x = f32[2,3] domain(p), domain={kind=\"sharding\", entry={maximal device=0}, exit={}}", ""},
      {"x = f32[2,3] negate(p), never_heard_of={a=[1,2], b=\"}\"}, other=word-1.5", ""},
      {"x = token[] outfeed(p, q), outfeed_shape=f32[2,3]{1,0}, outfeed_config=\"x\"", ""},
      {"x = f32[3] negate(p), output_to_operand_aliasing={{}: (0, {}), {1}: (1, {0})}", ""},
      {"x = f32[3] custom-call(p), custom_call_target=\"t\", literal=s32[2]{0} {1, 2}, api_version=A", ""},
      {"x = f32[3] custom-call(p), custom_call_target=\"t\", literal=f32[] -0.1", ""},
      {"x = f32[3] custom-call(p), literal=( s32[2]{0} {4, 1}, pred[] true ), custom_call_target=\"t\"", ""},
      {"x = f32[3] custom-call(p), custom_call_target='say \"t\"', backend_config='{\"a\": \"}\"}'", ""},
      {"x = f32[3] custom-call(p), custom_call_target='t'", "x = f32[3] custom-call(p), custom_call_target=\"t\""},
      {"x = f32[3] negate(p), origin={({\"v1\"}, {\"v2\" {1}})}", ""},
      {"x = f32[8] collective-permute(p), source_target_pairs={{0,1}}, slice_sizes={{1,8},{2,8}}", ""},
      // Operands that are instructions themselves.
      {"x = add(f32[2,3] negate(p), negate(negate(p)))", "x = add(negate.anon, negate.anon.1)"},
      {"x = f32[2,3] add(%p, f32[2,3] constant({...}))", "x = f32[2,3] add(p, constant.anon)"},
      // Attributes with a field of their own.
      {"x = f32[2,3] negate(p), metadata={op_type=\"neg\" op_name=\"jit(f)/neg\" source_file=\"a.py\" source_line=7 profile_type={1}}", ""},
      {"x = f32[2,3] negate(p), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}", ""},
      {"x = f32[2,3] negate(p), frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"a\\\"}, {?}]>\",b={c=[]}}", ""},
      {"x = f32[2,3] negate(p), backend_config=\"opaque \\\"text\\\"\"", ""},
      {"x = f32[2,3] negate(p), backend_config={\"known_trip_count\":{\"n\":\"5\"}}, statistics={visualizing_index=0,stat-1=33}", ""},
      {"x = f32[2,3] negate(p), backend_config={\"a\": {kind: \"b\"}},\n   sharding={replicated}",
       "x = f32[2,3] negate(p), sharding={replicated}, backend_config={\"a\": {kind: \"b\"}}"},
      // Asynchronous operations, in full and in short.
      {"x = ((f32[2,3]), f32[2,3], u32[]) async-start(p), calls=f, async_execution_thread=\"host\"", ""},
      {"x = ((f32[2,3]), f32[2,3], u32[]) custom-call-start(p), custom_call_target=\"t\", async_execution_thread=\"host\"",
       "x = ((f32[2,3]), f32[2,3], u32[]) async-start(p), async_execution_thread=\"host\", calls=async_wrapped.x"},
      {"x = f32[2,3] negate-done(t)", "x = f32[2,3] async-done(t)"},
      {"x = (f32[2,3], s32[]) negate-update(t)", "x = (f32[2,3], s32[]) async-update(t)"},
      {"x = (f32[2,3], f32[2,3], u32[]) copy-start(p), cross_program_prefetch_index=0", ""},
      {"x = (f32[2,3], f32[2,3]) all-gather-start(p), dimensions={0}", ""},
  };
  for (const GrammarCase& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(Print(c.text), *c.printed ? c.printed : c.text);
  }
}

TEST(Grammar, Literals) {
  const GrammarCase cases[] = {
      {"f32[] constant(1)", ""},
      {"f32[] constant(-1.5)", ""},
      {"f32[] constant(+1.50)", "f32[] constant(1.5)"},
      {"f32[] constant(0.1)", ""},
      {"f32[] constant(-0)", ""},
      {"f32[] constant(3.4028235e+38)", ""},
      {"f32[] constant(1e-45)", ""},
      {"f32[] constant(1e-60)", "f32[] constant(0)"},
      {"f64[] constant(0.1)", ""},
      {"f64[] constant(1e-400)", "f64[] constant(0)"},
      {"f64[] constant(1.7976931348623157e+308)", ""},
      {"f32[] constant(0x1p-3)", "f32[] constant(0.125)"},
      {"f32[] constant(-0x1.8p1)", "f32[] constant(-3)"},
      {"bf16[] constant(0.01001)", "bf16[] constant(0.010009766)"},
      {"f16[] constant(0.3333)", "f16[] constant(0.33325195)"},
      {"f8e4m3fn[] constant(448)", ""},
      {"f8e5m2[] constant(-inf)", ""},
      {"f8e8m0fnu[] constant(0.5)", ""},
      {"f4e2m1fn[3] constant({0.5, -6, 1.5})", ""},
      {"f32[5] constant({nan, -nan, inf, -inf, 0})", ""},
      {"f32[3] constant({nan(0x400000), nan(0x1), -nan(0x7fffff)})", "f32[3] constant({nan, nan(0x1), -nan(0x7fffff)})"},
      {"f64[2] constant({nan(0x8000000000000), nan(12)})", "f64[2] constant({nan, nan(0xc)})"},
      {"bf16[2] constant({nan(0x41), -nan})", ""},
      {"f8e5m2[2] constant({nan(0x1), nan(0x3)})", ""},
      {"f8e4m3fn[2] constant({nan, -nan})", ""},
      {"f8e4m3fnuz[2] constant({nan, -nan})", "f8e4m3fnuz[2] constant({nan, nan})"},
      {"f8e8m0fnu[] constant(nan)", ""},
      {"s32[] constant(-2147483648)", ""},
      {"u64[] constant(18446744073709551615)", ""},
      {"s64[2] constant({-9223372036854775808, 9223372036854775807})", ""},
      {"s4[2] constant({-8, 7})", ""},
      {"s1[2] constant({-1, 0})", ""},
      {"u2[4] constant({0, 1, 2, 3})", ""},
      {"u8[2] constant({0xfF, 0x0})", "u8[2] constant({255, 0})"},
      {"u64[] constant(-1)", "u64[] constant(18446744073709551615)"},
      {"pred[] constant(true)", ""},
      {"pred[] constant(0)", "pred[] constant(false)"},
      {"pred[3] constant({true, 0, 1})", "pred[3] constant({1, 0, 1})"},
      {"pred[2,3] constant({ {101}, {010} })", "pred[2,3] constant({ {1, 0, 1}, {0, 1, 0} })"},
      {"c64[] constant((1, -2.5))", ""},
      {"c128[2] constant({(0.1, nan), (-inf, -0)})", ""},
      {"c64[2] constant({3, (4, 5)})", "c64[2] constant({(3, 0), (4, 5)})"},
      {"s32[2,3] constant({ { 1, 2, 3 }, { 4, 5, 6 } })", "s32[2,3] constant({ {1, 2, 3}, {4, 5, 6} })"},
      {"s32[2,2,1] constant({{{1},{2}},{{3},{4}}})", "s32[2,2,1] constant({ { {1}, {2} }, { {3}, {4} } })"},
      {"s32[2,2] constant({ /*i0=0*/ {1, 2}, /*i0=1*/\n {3, 4} })", "s32[2,2] constant({ {1, 2}, {3, 4} })"},
      {"s32[2,2] constant({1, 2, 3, 4})", "s32[2,2] constant({ {1, 2}, {3, 4} })"},
      {"s32[2] constant(s32[2] {1, 2})", "s32[2] constant({1, 2})"},
      {"s32[0] constant({})", ""},
      {"s32[0,3] constant({})", ""},
      {"s32[2,0] constant({ {}, {} })", "s32[2,0] constant({})"},
      {"f32[1000,1000] constant({...})", ""},
      {"f32[1000] constant({1, 2, ...})", "f32[1000] constant({...})"},
      {"f32[2,9] constant({ {...}, {...} })", "f32[2,9] constant({...})"},
      {"(s32[], f32[2]) constant((1, {2, 3}))", ""},
      {"(s32[], (pred[2])) constant((s32[] 1, ({10})))", "(s32[], (pred[2])) constant((1, ({1, 0})))"},
      {"(s32[], f32[2]) constant({...})", ""},
      {"(s32[], f32[2]) constant((1, {...}))", "(s32[], f32[2]) constant({...})"},
      {"() constant(())", ""},
  };
  for (const GrammarCase& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(Print(std::string("x = ") + c.text), std::string("x = ") + (*c.printed ? c.printed : c.text));
  }
}

TEST(Grammar, LiteralBytes) {
  auto module = Read(R"(e {
    a = f32[2,2] constant({ {1, 2}, {-3.5, nan(0x1)} })
    b = bf16[2] constant({1.00390625, -nan})
    c = s4[2] constant({-1, 7})
    ROOT d = c64[] constant((1, 2))
  })");
  auto value = [&](const char* name) { return module->entry->FindInstruction(name)->literal->value; };
  const uint32_t a[] = {0x3f800000, 0x40000000, 0xc0600000, 0x7f800001};
  EXPECT_EQ(std::memcmp(value("a").data(), a, sizeof(a)), 0);
  EXPECT_EQ(value("b").as<uint16_t>()[0], 0x3f80);  // a tie: to even
  EXPECT_EQ(value("b").as<uint16_t>()[1], 0xffc0);
  EXPECT_EQ(value("c").as<int8_t>()[0], -1);
  EXPECT_EQ(value("d").as<float>()[1], 2.0f);
}

TEST(Grammar, ModuleHeaderTablesAndComputations) {
  const char* text =
      R"(HloModule jit_f.1, is_scheduled=true, input_output_alias={ {0}: (1, {}, may-alias) }, entry_computation_layout={(f32[2]{0})->f32[]}, frontend_attributes={m={a = #sdy.mesh<["x"=2]>}}, num_partitions=8

FileNames
1 "a/b.py"
2 "<module \'x\'>"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=4 column=5 end_column=6}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

add (a: f32[], b: f32[]) -> f32[] {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}, execution_thread="host", note={1}

ENTRY main (p: f32[2]) -> f32[] {
  p = f32[2]{0} parameter(0), metadata={op_name="p" stack_frame_id=2}
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(p, zero), dimensions={0}, to_apply=add
}

)";
  auto module = Read(text);
  EXPECT_EQ(PrintHloText(*module), text);
  EXPECT_EQ(module->name, "jit_f.1");
  EXPECT_EQ(*module->FindHeader("num_partitions"), "8");
  EXPECT_EQ(module->frames.file_names[1], "<module 'x'>");
  EXPECT_EQ(module->frames.stack_frames[1].parent_frame_id, 2);
  EXPECT_EQ(module->entry->name, "main");
  EXPECT_EQ(module->FindComputation("add")->execution_thread, "host");
  EXPECT_EQ(module->entry->root->Called(AttrId::kToApply), module->FindComputation("add"));
  EXPECT_EQ(module->entry->FindInstruction("p")->metadata.stack_frame_id, 2);
  EXPECT_EQ(module->PythonFrames(*module->entry->FindInstruction("p")).size(), 2u);
}

TEST(Grammar, OrderOfComputationsIsFree) {
  auto module = Read(R"(
// Before the header.
/* And
   this. */
HloModule m

ENTRY %main.5 (Arg_0: f32[2], /*index=1*/Arg_1:f32[2]) -> f32[2] {
  ROOT %r = f32[2] call(%x, f32[2] %Arg_1), to_apply=%later
  %x = f32[2] negate(%Arg_0)
  %Arg_1 = f32[2] parameter(1)
  %Arg_0 = f32[2] parameter(0)
} // main.5

%later {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  c = f32[2] add(a, b)
}
)");
  EXPECT_EQ(module->entry->name, "main.5");
  EXPECT_EQ(module->computations.size(), 2u);
  EXPECT_EQ(module->entry->root->name, "r");
  EXPECT_EQ(module->entry->schedule.back()->name, "r");
  EXPECT_EQ(module->FindComputation("later")->root->name, "c");
  EXPECT_EQ(module->entry->parameters[1]->name, "Arg_1");
}

TEST(Grammar, Fragments) {
  auto computations = Read("f { a = f32[] parameter(0) }\ng { b = s32[] parameter(0) }");
  EXPECT_EQ(computations->entry->name, "g");
  auto instructions = Read("a = f32[2] parameter(0)\nROOT b = f32[2] add(a, a)\nc = f32[2] negate(b)\n");
  ASSERT_EQ(instructions->computations.size(), 1u);
  EXPECT_EQ(instructions->entry->instructions.size(), 3u);
  EXPECT_EQ(instructions->entry->root->name, "b");
  auto mixed = Read(
      "f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] add(a, b) }\nx = f32[] constant(1)\ny = f32[] call(x, x), "
      "to_apply=f\n");
  EXPECT_EQ(mixed->entry->root->name, "y");
}

TEST(Grammar, OperandsOfAFragmentWithShapesAreItsParameters) {
  auto module = Read("%m = f32[2,4]{1,0} multiply(f32[2,4]{1,0} %a, f32[2,4] b)\nROOT n = f32[2,4] add(f32[2,4] %a, f32[2,4])\n");
  ASSERT_EQ(module->entry->parameters.size(), 3u);
  EXPECT_EQ(module->entry->instructions[0]->name, "parameter.anon");
  EXPECT_EQ(module->entry->instructions[1]->name, "a");
  EXPECT_EQ(module->entry->instructions[1]->shape.ToString(), "f32[2,4]{1,0}");
  EXPECT_EQ(module->entry->root->name, "n");
  EXPECT_EQ(module->entry->root->operands[0]->name, "a");
}

TEST(Grammar, NestedInstructionsStandBeforeTheirUser) {
  auto module = Read("e {\n ROOT r = add(f32[2] parameter(0), multiply(f32[2] parameter(1), f32[2] parameter(2)))\n}");
  std::string names;
  for (const Instruction* i : module->entry->instructions) names += std::string(i->name) + " ";
  EXPECT_EQ(names, "parameter.anon parameter.anon.1 parameter.anon.2 multiply.anon r ");
  EXPECT_EQ(module->entry->root->operands[1]->name, "multiply.anon");
  EXPECT_EQ(module->entry->parameters.size(), 3u);
}

TEST(Grammar, ComputationsInsideAttributes) {
  auto module = Read(R"(HloModule m
z.calls { a = f32[4] parameter(0) }
e {
  y = f32[4] parameter(0)
  z = f32[4] fusion(y), kind=kLoop, calls={ p = f32[4] parameter(0) ROOT q = f32[4] negate(p) }, metadata={op_name="n"}
  w = f32[4] while(z), condition={ c = f32[4] parameter(0) ROOT t = pred[] constant(true) }, body=
  {
    %b = f32[4] parameter(0)
    ROOT y = f32[4] map(%b), dimensions={0}, to_apply={ f32[] negate(f32[] parameter(0)) }
  }
  i = s32[] constant(0)
  v = f32[4] conditional(i, w, w), branch_computations={ {k = f32[4] parameter(0)}, z.calls, {(f32[4]) parameter(0)} }
  ROOT f32[4] add(v, z)
  add.anon = f32[4] copy(y)
}
)");
  std::string names;
  for (const Computation* c : module->computations) names += std::string(c->name) + " ";
  EXPECT_EQ(names, "z.calls z.calls.1 w.condition y.to_apply w.body v.branch_computations.0 v.branch_computations.2 e ");
  EXPECT_EQ(module->entry->name, "e");
  EXPECT_EQ(module->entry->root->name, "add.anon.1");
  const Instruction* z = module->entry->FindInstruction("z");
  EXPECT_EQ(z->Called(AttrId::kCalls)->root->name, "q");
  EXPECT_EQ(z->metadata.op_name, "n");
  const Instruction* map = module->FindComputation("w.body")->root;
  EXPECT_EQ(map->Called(AttrId::kToApply)->root->name, "negate.anon");
  EXPECT_EQ(module->entry->FindInstruction("v")->CalledComputations()[1]->name, "z.calls");
}

TEST(Grammar, InstructionsWithoutNames) {
  auto module = Read("e {\n a = f32[2] parameter(0)\n (f32[2], f32[2]) tuple(a, a)\n ROOT negate(a)\n f32[2] negate(a)\n}");
  std::string names;
  for (const Instruction* i : module->entry->instructions) names += std::string(i->name) + " ";
  EXPECT_EQ(names, "a tuple.anon negate.anon negate.anon.1 ");
  EXPECT_EQ(module->entry->root->name, "negate.anon");
  auto alone = Read("f32[2] fusion(f32[4], f32[4]), kind=kLoop, calls={ t0 = f32[4] parameter(0)\n ROOT t1 = f32[2] slice(t0), slice={[0:2]}\n}");
  EXPECT_EQ(alone->entry->parameters.size(), 2u);
  EXPECT_EQ(alone->entry->root->name, "fusion.anon");
}

TEST(Grammar, RangesPointIntoTheText) {
  std::string text = "e {\n  ROOT %abc = f32[] parameter(0), sharding={replicated}\n  d = f32[] negate(%abc), index=5\n}\n";
  auto module = Read(text);
  auto at = [&](SourceRange r) { return text.substr(r.begin, r.end - r.begin); };
  const Instruction* abc = module->entry->FindInstruction("abc");
  const Instruction* d = module->entry->FindInstruction("d");
  EXPECT_EQ(at(abc->range), "ROOT %abc = f32[] parameter(0), sharding={replicated}");
  EXPECT_EQ(at(abc->name_range), "abc");
  EXPECT_EQ(at(d->range), "d = f32[] negate(%abc), index=5");
  EXPECT_EQ(at(d->operand_ranges[0]), "%abc");
  EXPECT_EQ(at(d->attributes[0].range), "index=5");
  EXPECT_EQ(at(module->entry->name_range), "e");
  EXPECT_EQ(at(module->entry->range), text.substr(0, text.size() - 1));
}

TEST(Grammar, EqualTextsShareShapes) {
  auto module = Read("e {\n a = f32[2,3]{1,0} parameter(0)\n b = f32[2,3]{1,0} negate(a)\n}");
  EXPECT_EQ(module->entry->instructions[0]->shape.id(), module->entry->instructions[1]->shape.id());
}

TEST(Grammar, AsyncSugarMakesTheWrappedComputation) {
  auto module = Read(
      "e {\n p = f32[2] parameter(0)\n s = ((f32[2]), f32[2], u32[]) all-to-all-start(p), dimensions={0}\n d = f32[2] "
      "all-to-all-done(s)\n}");
  const Instruction* s = module->FindComputation("e")->FindInstruction("s");
  const Computation* wrapped = s->Called(AttrId::kCalls);
  ASSERT_NE(wrapped, nullptr);
  EXPECT_EQ(wrapped->root->opcode, Opcode::kAllToAll);
  EXPECT_EQ(wrapped->root->shape.ToString(), "f32[2]");
  EXPECT_EQ(wrapped->root->Ints(AttrId::kDimensions).size(), 1u);
  EXPECT_EQ(wrapped->parameters.at(0)->shape.ToString(), "f32[2]");
  EXPECT_FALSE(s->Has(AttrId::kDimensions));
}

TEST(Printing, Options) {
  auto module =
      Read("e {\n p = f32[2]{0} parameter(0), metadata={op_name=\"n\"}\n c = f32[2]{0} constant({1, 2})\n ROOT r = f32[2]{0} add(p, c)\n}");
  const Computation& e = *module->entry;
  EXPECT_EQ(PrintInstruction(*e.instructions[0], {.metadata = false, .percent = true, .layouts = false}), "%p = f32[2] parameter(0)");
  EXPECT_EQ(PrintInstruction(*e.instructions[1], {.max_literal_elements = 1}), "c = f32[2]{0} constant({...})");
  EXPECT_EQ(PrintInstruction(*e.instructions[1], {.max_literal_elements = 2}), "c = f32[2]{0} constant({1, 2})");
  EXPECT_EQ(PrintInstruction(*e.root, {.percent = true, .operand_shapes = true}), "ROOT %r = f32[2]{0} add(f32[2]{0} %p, f32[2]{0} %c)");
  EXPECT_EQ(PrintInstruction(*e.root, {.operand_shapes = true, .layouts = false}), "ROOT r = f32[2] add(f32[2] p, f32[2] c)");
}

TEST(Equality, SaysWhatDiffers) {
  const std::string base =
      "e {\n a = f32[2] parameter(0), sharding={x}\n b = f32[2] constant({1, 2})\n ROOT c = f32[2] add(a, b), index=1, other={1, 2}\n}";
  struct Change {
    const char *from, *to, *why;
  };
  const Change changes[] = {
      {"e {", "g {", "e: the name is g"},
      {"e {", "HloModule m\ne {", "module name"},
      {"{1, 2})", "{1, 3})", "e/b: literal differs"},
      {"{1, 2})", "{...})", "e/b: literal differs"},
      {"add(a, b)", "add(b, a)", "e/c: operands differ"},
      {"add(", "subtract(", "e/c: opcode add against subtract"},
      {"index=1", "index=2", "e/c: attribute index differs"},
      {"other={1, 2}", "other={12}", "e/c: attribute other differs"},
      {", index=1", "", "e/c: 2 attributes against 1"},
      {"sharding={x}", "sharding={y}", "e/a: sharding differs"},
      {"f32[2] parameter", "f32[2]{0} parameter", "e/a: shape"},
      {"ROOT c", "c", nullptr},  // the last is the root anyway
      {" ROOT c", " d = f32[] parameter(1)\n ROOT c", "3 instructions against 4"},
      {"other={1, 2}", "other={ 1 , /* hm */ 2}", nullptr},
  };
  auto a = Read(base);
  for (const Change& change : changes) {
    std::string text = base;
    text.replace(text.find(change.from), std::strlen(change.from), change.to);
    SCOPED_TRACE(text);
    auto b = Read(text);
    std::string why;
    EXPECT_EQ(ModulesEqual(*a, *b, &why), change.why == nullptr) << why;
    EXPECT_NE(why.find(change.why == nullptr ? "" : change.why), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace hloscope
