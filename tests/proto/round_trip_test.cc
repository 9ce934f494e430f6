// Text to message to text gives equal modules: seeds of our own, the samples, and the corpus where it is there.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "core/text/proto/hlo_proto.h"
#include "core/text/proto/hloscope.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> Files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

fs::path Corpus() {
  const char* from_environment = std::getenv("HLOSCOPE_CORPUS");
  return fs::path(from_environment != nullptr ? from_environment : "../shared/corpus") / "models";
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string Problems(const DiagnosticSink& sink, const SourceText& source) {
  std::string text;
  for (const Diagnostic& d : sink.diagnostics()) {
    text += Render(d, source);
    if (text.size() > 4000) break;
  }
  return text;
}

std::unique_ptr<Module> Read(const std::string& text) {
  DiagnosticSink sink;
  auto source = std::make_shared<SourceText>("seed", text);
  std::unique_ptr<Module> module = ReadHloText(source, sink);
  EXPECT_EQ(sink.error_count(), 0) << Problems(sink, *source);
  DiagnosticSink ignored;
  Verify(*module, ignored);  // gives omitted shapes
  return module;
}

// Writes, reads and compares. `fields_suffice`: also without the fields of our own. Gives the number of instructions that need them.
int RoundTrip(const Module& module, bool fields_suffice) {
  const std::string bytes = WriteHloProto(module);
  EXPECT_TRUE(IsHloProto(bytes));
  DiagnosticSink sink;
  ProtoProgram program = ReadHloProto(bytes, "again", sink);
  EXPECT_EQ(program.format, "hlo proto");
  EXPECT_EQ(sink.error_count(), 0) << Problems(sink, *program.source);
  if (program.module == nullptr) return 0;
  std::string why;
  EXPECT_TRUE(ModulesEqual(module, *program.module, &why)) << why;

  pb::HloProto message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  int own = 0;
  for (auto& computation : *message.mutable_hlo_module()->mutable_computations()) {
    for (auto& instruction : *computation.mutable_instructions()) {
      own += instruction.has_attributes_text();
      if (instruction.has_attributes_text() && fields_suffice) {
        ADD_FAILURE() << instruction.name() << ": " << instruction.attributes_text();
        if (own > 3) return own;
      }
    }
  }
  return own;
}

// Every operation, its attributes in the form of XLA's own printer: the fields alone say everything.
constexpr absl::string_view kSeed = R"(HloModule seed, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {0}, may-alias) }, buffer_donor={ (2, {1}) }, entry_computation_layout={(f32[2,3]{1,0}, f32[4]{0})->f32[2,3]{1,0}}, frontend_attributes={a="x",b={"y":1}}

FileNames
1 "a \"quoted\" file.py"
2 "b.py"

FunctionNames
1 "main"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=4 column=5 end_column=6}
2 {file_name_id=2 function_name_id=1 line=7 end_line=7 column=1 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GE, type=TOTALORDER
}

body {
  ROOT p = (s32[], f32[2,3]{1,0}) parameter(0)
}

condition {
  p = (s32[], f32[2,3]{1,0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(10)
  ROOT lt = pred[] compare(i, n), direction=LT
}

one {
  ROOT x = f32[2,3]{1,0} parameter(0)
}

two {
  x = f32[2,3]{1,0} parameter(0)
  ROOT y = f32[2,3]{1,0} negate(x)
}, execution_thread="side"

ENTRY main {
  x = f32[2,3]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}, parameter_replication={true}
  y = f32[4]{0} parameter(1), sharding={replicated}
  z = f32[2,3]{0,1:T(2,128)S(5)} copy(x), metadata={op_type="t" op_name="it\'s" source_file="f.py" source_line=7 stack_frame_id=2}
  c = f32[2,3]{0,1} constant({ { 1, 2, 3 }, { 4, 5, nan } })
  big = s32[40]{0} constant({ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39 })
  elided = f32[100]{0} constant({...})
  zero = f32[] constant(0)
  p = pred[2]{0} constant({ 1, 0 })
  tup = (f32[], s32[]) constant((1, 2))
  b = f32[2,3,4]{2,1,0} broadcast(y), dimensions={2}
  b0 = f32[5]{0} broadcast(zero), dimensions={}
  t = f32[3,2]{1,0} transpose(x), dimensions={1,0}
  r = f32[6]{0} reshape(x)
  rv = f32[2,3]{1,0} reverse(x), dimensions={0,1}
  sl = f32[1,2]{1,0} slice(x), slice={[0:1], [0:3:2]}
  i = s32[] constant(1)
  ds = f32[1,2]{1,0} dynamic-slice(x, i, i), dynamic_slice_sizes={1,2}
  dus = f32[2,3]{1,0} dynamic-update-slice(x, ds, i, i)
  cat = f32[4,3]{1,0} concatenate(x, x), dimensions={0}
  pd = f32[5,3]{1,0} pad(x, zero), padding=1_2x0_0
  pd2 = f32[3,2]{1,0} pad(x, zero), padding=0_0_1x-1_0
  io = s32[2,3]{1,0} iota(), iota_dimension=1
  idx = s32[2,1]{1,0} constant({ { 0 }, { 1 } })
  g = f32[2,3]{1,0} gather(x, idx), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}, indices_are_sorted=true
  s = f32[2,3]{1,0} scatter(x, idx, x), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=add
  gds = s32[] get-dimension-size(x), dimensions={1}
  red = f32[2]{0} reduce(x, zero), dimensions={1}, to_apply=add
  rw = f32[1,2]{1,0} reduce-window(x, zero), window={size=2x2 pad=0_0x0_0}, to_apply=add
  rw2 = f32[2,3]{1,0} reduce-window(x, zero), window={size=3x2 stride=1x2 pad=1_1x2_2 lhs_dilate=1x1 rhs_dilate=1x2}, to_apply=add
  sas = f32[2,3]{1,0} select-and-scatter(x, rw, zero), window={size=2x2}, select=ge, scatter=add
  srt = (f32[2,3]{1,0}, s32[2,3]{1,0}) sort(x, io), dimensions={1}, is_stable=true, to_apply=ge2
  mp = f32[2,3]{1,0} map(x, x), dimensions={0,1}, to_apply=add
  d = f32[3,3]{1,0} dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}, operand_precision={highest,default}
  d2 = f32[2,3,3]{2,1,0} dot(b, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={2}, algorithm=dot_bf16_bf16_f32_x3
  im = f32[1,4,4,2]{3,2,1,0} constant({...})
  ker = f32[2,2,1,2]{3,2,1,0} constant({...})
  conv = f32[1,2,3,2]{3,2,1,0} convolution(im, ker), window={size=2x2 stride=2x1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, feature_group_count=2, operand_precision={high,high}
  bnt = (f32[2,3]{1,0}, f32[3]{0}, f32[3]{0}) batch-norm-training(x, v3, v3), epsilon=0.001, feature_index=1
  v3 = f32[3]{0} constant({ 1, 2, 3 })
  cmp = pred[2,3]{1,0} compare(x, x), direction=NE
  rp = f32[2,3]{1,0} reduce-precision(x), exponent_bits=5, mantissa_bits=10
  gte = f32[3]{0} get-tuple-element(bnt), index=2
  fus = f32[2,3]{1,0} fusion(x), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, calls=one
  cl = f32[2,3]{1,0} call(x), to_apply=one
  init = (s32[], f32[2,3]{1,0}) tuple(i, x)
  wh = (s32[], f32[2,3]{1,0}) while(init), condition=condition, body=body, backend_config={"known_trip_count":{"n":"10"}}
  pr = pred[] constant(true)
  cond = f32[2,3]{1,0} conditional(pr, x, x), true_computation=one, false_computation=two
  cond2 = f32[2,3]{1,0} conditional(i, x, x, x), branch_computations={one, two, one}
  cc = (f32[2,3]{1,0}, s32[]) custom-call(x, y), custom_call_target="a\"b", custom_call_has_side_effect=true, operand_layout_constraints={f32[2,3]{1,0}, f32[4]{0}}, schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, called_computations={add, one}, backend_config="raw \001"
  ft = c64[2]{0} fft(y2), fft_type=RFFT, fft_length={2}
  y2 = f32[2]{0} constant({ 1, 2 })
  sq = f32[2,2]{1,0} constant({ { 4, 0 }, { 1, 3 } })
  ts = f32[2,2]{1,0} triangular-solve(sq, sq), left_side=true, lower=true, unit_diagonal=false, transpose_a=ADJOINT
  ch = f32[2,2]{1,0} cholesky(sq), lower=true
  key = u64[2]{0} constant({ 1, 2 })
  rbg = (u64[2]{0}, u32[4]{0}) rng-bit-generator(key), algorithm=rng_three_fry
  rn = f32[4]{0} rng(zero, zero), distribution=rng_normal
  rg = u64[2]{0} rng-get-and-update-state(), delta=3
  tk = (f32[2]{0}, s32[2]{0}) topk(y), k=2, largest=true
  tok = token[] after-all()
  inf = (f32[2]{0}, token[]) infeed(tok), infeed_config="cfg"
  outf = token[] outfeed(y, tok), outfeed_shape=f32[4]{0}, outfeed_config="o"
  snd = (f32[4]{0}, u32[], token[]) send(y, tok), channel_id=3, is_host_transfer=true
  sd = token[] send-done(snd), channel_id=3, is_host_transfer=true
  ar = f32[2,3]{1,0} all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=add
  ar2 = f32[2,3]{1,0} all-reduce(x), replica_groups=[2,2]<=[4], to_apply=add
  ag = f32[4,3]{1,0} all-gather(x), replica_groups=[2,2]<=[2,2]T(1,0), dimensions={0}
  cp = f32[2,3]{1,0} collective-permute(x), channel_id=2, source_target_pairs={{0,1},{1,0}}
  a2a = f32[2,3]{1,0} all-to-all(x), replica_groups={}, dimensions={0}
  dm = f32[2,3]{1,0} domain(x), domain={kind="sharding", entry={replicated}, exit={maximal device=1}}
  as = ((f32[2,3]{1,0}), f32[2,3]{1,0}, u32[]) async-start(x), async_execution_thread="side", calls=two
  ad = f32[2,3]{1,0} async-done(as)
  bc = s32[2,3]{1,0} bitcast-convert(x), control-predecessors={ar, cp}, statistics={visualizing_index=1,a=2.5,b=3}
  ex = f32[2,3]{1,0} exponential(x), result_accuracy={tolerance={atol=0,rtol=0.5,ulps=2}}, sharding={devices=[1,2,2]0,2,1,3 last_tile_dim_replicate}
  ex2 = f32[2,3]{1,0} exponential(x), sharding={devices=[2,1,1,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated} shard_as 4}
  tu = (f32[2,3]{1,0}, f32[4]{0}) tuple(x, y), sharding={{maximal device=3}, {manual}}
  dyn = f32[2,<=3]{1,0} set-dimension-size(x, i), dimensions={1}
  ROOT out = f32[2,3]{1,0} add(x, x), frontend_attributes={k="a b"}, origin={{"orig" {1}}}
}
)";

std::string SeedText() {
  // Computations that others call stand before them; the second comparison takes the indices along.
  std::string text(kSeed);
  const size_t at = text.find("body {");
  text.insert(at, "ge2 {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n"
                  "  ROOT r = pred[] compare(a, b), direction=GT\n}\n\n");
  return text;
}

TEST(RoundTrip, EveryAttributeHasItsField) {
  const std::unique_ptr<Module> module = Read(SeedText());
  EXPECT_LE(RoundTrip(*module, /*fields_suffice=*/false), 2);  // origin has another form in text than in fields
}

TEST(RoundTrip, WhatHasNoFieldIsKeptAsText) {
  for (absl::string_view line : {"a = f32[2]{0} negate(x), my_attribute={1, 2}", "a = f32[2]{0} negate(x), sharding={mesh['x'=2], [{'x'}]}",
                                 "a = f32[2]{0} negate(x), metadata={op_name=\"n\" future=3}", "a = f32[2]{0} negate(x), backend_config='q\"'",
                                 "a = f32[2]{0} sort(x), is_stable=false, dimensions={0}, to_apply=lt",
                                 "a = f32[2]{0:L(4)} copy(x)", "a = f32[2]{0:T(128)#(u16)*(u8)E(64)} copy(x)"}) {
    SCOPED_TRACE(std::string(line));
    const std::unique_ptr<Module> module = Read(absl::StrCat("HloModule m, num_partitions=4, replica_count=2\n\nlt {\n  p = f32[] parameter(0)\n"
                                                             "  q = f32[] parameter(1)\n  ROOT l = pred[] compare(p, q), direction=LT\n}\n\n"
                                                             "ENTRY e {\n  x = f32[2]{0} parameter(0)\n  ", line, "\n  ROOT r = f32[2]{0} add(x, x)\n}\n"));
    RoundTrip(*module, false);
  }
}

// XLA refuses a module whose arrays have no layouts, in which two instructions have one name, whose shapes of programs name fewer
// parameters than there are, or in which a convolution has no window. What was not given is not there when it is read again.
TEST(RoundTrip, WhatXlaWantsIsThere) {
  const std::unique_ptr<Module> module = Read(
      "HloModule m, entry_computation_layout={(f32[2,3]{1,0}, f32[3,2]{1,0})->(f32[2,2]{1,0}, f32[])}\n\n"
      "f {\n  x = f32[] parameter(0)\n  y.1 = f32[] constant(2)\n  ROOT y = f32[] multiply(x, y.1)\n}\n\n"
      "ENTRY e {\n  x = f32[2,3] parameter(0)\n  k = f32[3,2] parameter(1)\n  y = f32[2,2] convolution(x, k), dim_labels=bf_io->bf\n"
      "  c = f32[] constant(1)\n  z = f32[] call(c), to_apply=f\n  ROOT t = (f32[2,2], f32[]) tuple(y, z)\n}\n");
  RoundTrip(*module, true);
  pb::HloProto message;
  ASSERT_TRUE(message.ParseFromString(WriteHloProto(*module)));
  const pb::HloModuleProto& m = message.hlo_module();
  EXPECT_EQ(m.host_program_shape().parameter_names_size(), 2);
  std::vector<std::string> names;
  for (const pb::HloComputationProto& computation : m.computations()) {
    EXPECT_EQ(computation.program_shape().parameter_names_size(), computation.program_shape().parameters_size());
    for (const pb::HloInstructionProto& i : computation.instructions()) {
      names.push_back(i.name());
      EXPECT_EQ(i.shape().has_layout(), i.opcode() != "tuple") << i.name();
      if (i.opcode() == "constant") EXPECT_TRUE(i.literal().shape().has_layout());
      if (i.opcode() == "convolution") {
        EXPECT_TRUE(i.has_window());
        EXPECT_THAT(i.shape().layout().minor_to_major(), testing::ElementsAre(1, 0));
      }
    }
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("x", "y.1", "y", "x.1", "k", "y.2", "c", "z", "t"));
}

TEST(RoundTrip, TextsWithoutAHeaderOrAnEntry) {
  RoundTrip(*Read("f {\n  ROOT x = f32[] parameter(0)\n}\n"), true);
  RoundTrip(*Read("HloModule onlyname\n\nENTRY f {\n  ROOT \"odd name\" = f32[] parameter(0)\n}, execution_thread=\"main\"\n"), true);
}

TEST(RoundTrip, LiteralsOfEveryType) {
  std::string text = "HloModule literals\n\nENTRY e {\n";
  const std::pair<absl::string_view, absl::string_view> literals[] = {
      {"pred", "1, 0, 1"},        {"s1", "0, -1, 0"},        {"s2", "1, -2, -1"},      {"s4", "7, -8, -1"},       {"s8", "127, -128, -1"},
      {"s16", "32767, -32768, 2"}, {"s32", "1, -2, 3"},       {"s64", "1, -2, 9223372036854775807"}, {"u1", "1, 0, 1"}, {"u2", "3, 0, 1"},
      {"u4", "15, 0, 9"},         {"u8", "255, 0, 9"},       {"u16", "65535, 0, 9"},   {"u32", "4294967295, 0, 9"},
      {"u64", "18446744073709551615, 0, 9"}, {"f4e2m1fn", "6, -0.5, 0"}, {"f6e2m3fn", "7.5, -0.125, 0"}, {"f6e3m2fn", "28, -0.0625, 0"}, {"f8e3m4", "1.5, nan, -0"}, {"f8e4m3", "1.5, inf, -0"},
      {"f8e4m3fn", "448, nan, -0"}, {"f8e4m3b11fnuz", "1.5, nan, 0"}, {"f8e4m3fnuz", "1.5, nan, 0"}, {"f8e5m2", "57344, -inf, -0"},
      {"f8e5m2fnuz", "1.5, nan, 0"}, {"f8e8m0fnu", "2, 0.5, nan"}, {"bf16", "1.5, nan(0x1), -0"}, {"f16", "65504, -inf, -nan"},
      {"f32", "1.5, nan(0x7), -0"}, {"f64", "0.1, -nan, -inf"}, {"c64", "(1, -0), (nan, 2), (0, inf)"}, {"c128", "(0.1, 2), (3, 4), (5, -inf)"}};
  for (const auto& [type, values] : literals) {
    absl::StrAppend(&text, "  ", type, "_v = ", type, "[3]{0} constant({ ", values, " })\n");
    if (type == "pred") continue;
    // Many elements go past the text; so does every order of them.
    std::string many;
    for (int i = 0; i < 16; ++i) absl::StrAppend(&many, i > 0 ? ", " : "", "{ ", values, " }");
    absl::StrAppend(&text, "  ", type, "_m = ", type, "[16,3]{0,1} constant({ ", many, " })\n");
  }
  text += "  none = f32[0,3]{1,0} constant({ })\n  ROOT out = f32[] constant(1)\n}\n";
  RoundTrip(*Read(text), true);
}

TEST(RoundTrip, Seeds) {
  for (const fs::path& path : Files("tests/text/seeds")) {
    SCOPED_TRACE(path.string());
    RoundTrip(*Read(ReadFile(path)), false);
  }
}

TEST(RoundTrip, Samples) {
  for (const fs::path& path : Files("assets")) {
    SCOPED_TRACE(path.string());
    RoundTrip(*Read(ReadFile(path)), false);
  }
}

TEST(RoundTrip, Corpus) {
  const std::vector<fs::path> files = Files(Corpus());
  if (files.empty()) GTEST_SKIP() << "no corpus at " << Corpus();
  for (const fs::path& path : files) {
    SCOPED_TRACE(path.filename().string());
    // Dumps of XLA itself: the fields that XLA has say everything.
    RoundTrip(*Read(ReadFile(path)), true);
  }
}

}  // namespace
}  // namespace hloscope
