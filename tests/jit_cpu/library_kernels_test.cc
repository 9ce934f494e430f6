// Library kernels against the interpreter: every way to write a dot or a convolution, and the copies of blocks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "backends/jit_cpu/kernels/blas.h"
#include "backends/jit_cpu/kernels/gemm.h"
#include "backends/jit_cpu/kernels/patterns.h"
#include "backends/jit_cpu/kernels/small_gemm.h"
#include "core/exec/machine.h"
#include "tests/jit_cpu/support.h"

namespace hloscope {
namespace {

// Runs the only library kernel of the entry's root on random operands and compares. Returns the kernel's description.
std::string CheckRoot(const std::string& body, int threads = 2, bool whole = false) {
  std::unique_ptr<Module> module = ParseEntry(body);
  if (module == nullptr) return "";
  const Instruction& root = *module->entry->root;
  ThreadPool pool(threads);
  std::unique_ptr<LibraryKernel> kernel = MakeLibraryKernel(root, pool);
  EXPECT_NE(kernel, nullptr) << body;
  if (kernel == nullptr) return "";
  std::vector<Value> operands;
  for (size_t k = 0; k < root.operands.size(); ++k) operands.push_back(RandomValue(root.operands[k]->shape, 7 * k + 1, whole));
  std::vector<Value> given = operands;
  absl::StatusOr<Value> result = kernel->Run({}, given);
  EXPECT_TRUE(result.ok()) << result.status();
  absl::StatusOr<Program> program = ElementProgram(root);
  EXPECT_TRUE(program.ok()) << program.status();
  if (!result.ok() || !program.ok()) return "";
  SCOPED_TRACE(body);
  SCOPED_TRACE(kernel->description());
  ExpectMatches(*program, operands, *result,
                {.library_order = kernel->library_order(), .library_wide_accumulation = kernel->wide_accumulation()});
  return kernel->description();
}

std::string Dot(const std::string& lhs, const std::string& rhs, const std::string& result, const std::string& dims) {
  return absl::StrCat("a = ", lhs, " parameter(0)\nb = ", rhs, " parameter(1)\nROOT r = ", result, " dot(a, b), ", dims);
}

// What it takes for a processor that it does not know is four times slower.
TEST(LibraryKernels, ProductsOfDoublesUseTheWidestVectors) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "no vectors of 256 bits";
#endif
  EXPECT_NE(OpenBlas::Get().dgemm, nullptr);
  for (const char* old : {"", "Prescott", "Core2", "Nehalem", "Sandybridge", "Generic"}) EXPECT_NE(OpenBlas::Get().core, old);
}

TEST(LibraryKernels, DotsOfEveryTypeAndOrder) {
  for (const char* type : {"f32", "bf16", "f16", "f64"}) {
    const auto s = [&](const std::string& dims) { return absl::StrCat(type, dims); };
    CheckRoot(Dot(s("[48,40]"), s("[40,56]"), s("[48,56]"), "lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
    CheckRoot(Dot(s("[40,48]"), s("[56,40]"), s("[48,56]"), "lhs_contracting_dims={0}, rhs_contracting_dims={1}"));
    CheckRoot(Dot(s("[3,24,5,16]"), s("[3,16,5,24]"), s("[3,5,24,24]"),
                  "lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={1}"));
    CheckRoot(Dot(s("[4,8,6,10]"), s("[10,4,64]"), s("[8,6,64]"), "lhs_contracting_dims={0,3}, rhs_contracting_dims={1,0}"));
    CheckRoot(Dot(s("[1,512]"), s("[512,700]"), s("[1,700]"), "lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
    CheckRoot(Dot(s("[300,512]"), s("[512]"), s("[300]"), "lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
    if (s("") != "bf16") CheckRoot(Dot(s("[130,1]"), s("[1,140]"), s("[130,140]"), "lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  }
  CheckRoot(Dot("bf16[32,64]", "bf16[64,32]", "f32[32,32]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
}

// Instructions that sum products of bf16 lose denormals; where nothing is summed they stay.
TEST(LibraryKernels, OuterProductsOfBF16KeepDenormals) {
  std::unique_ptr<Module> module = ParseEntry(Dot("bf16[130,1]", "bf16[1,140]", "bf16[130,140]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  std::unique_ptr<Backend> backend = MakeJitCpuBackend({.threads = 1, .cache_directory = ""}).value();
  Value a = Value::Allocate(Shape::Array(ElementType::kBF16, {130, 1})), b = Value::Allocate(Shape::Array(ElementType::kBF16, {1, 140}));
  for (int64_t i = 0; i < 130; ++i) a.mutable_as<uint16_t>()[i] = 0x8008;  // -8 of the least denormals
  for (int64_t i = 0; i < 140; ++i) b.mutable_as<uint16_t>()[i] = 0x3f00;  // a half
  Machine machine(*module, *backend, MachineOptions());
  ASSERT_TRUE(machine.Start({a, b}).ok());
  ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
  for (int64_t i = 0; i < 130 * 140; ++i) ASSERT_EQ(machine.result().as<uint16_t>()[i], 0x8004) << i;
}

TEST(LibraryKernels, LargeDotsAreCutIntoTilesOfRowsAndColumns) {
  const std::string text =
      CheckRoot(Dot("f32[600,300]", "f32[300,1000]", "f32[600,1000]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  EXPECT_EQ(text.find("tiles 600 x"), std::string::npos) << text;
  CheckRoot(Dot("f64[600,70]", "f64[200,70]", "f64[600,200]", "lhs_contracting_dims={1}, rhs_contracting_dims={1}"));
}

TEST(LibraryKernels, SmallDotsAreComputedWhereTheyLie) {
  if (!HasSmallGemm()) GTEST_SKIP() << "this machine has no AVX2";
  for (const auto& [m, n, k] : std::vector<std::array<int, 3>>{{16, 16, 48}, {128, 128, 128}, {23, 49, 100}, {24, 64, 256}, {37, 113, 31}, {61, 250, 60}, {300, 65, 5}, {70, 256, 64}, {40, 96, 160}, {512, 64, 256}, {33, 80, 130}}) {
    const auto f32 = [](int a, int b) { return absl::StrCat("f32[", a, ",", b, "]"); };
    const auto check = [&](const std::string& text) { EXPECT_EQ(text.find("small products"), 0u) << text; };
    check(CheckRoot(Dot(f32(m, k), f32(k, n), f32(m, n), "lhs_contracting_dims={1}, rhs_contracting_dims={0}")));
    check(CheckRoot(Dot(f32(m, k), f32(n, k), f32(m, n), "lhs_contracting_dims={1}, rhs_contracting_dims={1}")));
    check(CheckRoot(Dot(absl::StrCat("f32[", m, ",3,", k, "]"), absl::StrCat("f32[3,", n, ",", k, "]"), absl::StrCat("f32[3,", m, ",", n, "]"),
                        "lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}")));
  }
}

TEST(LibraryKernels, RandomDots) {
  std::mt19937 random(3);
  int one_by_one = 0;
  for (int round = 0; round < 120; ++round) {
    const absl::string_view type = round % 2 == 0 ? "f32" : round % 4 == 1 ? "f16" : "bf16";
    // Dimensions with roles b(atch), f(ree), c(ontracting), in random order on both sides.
    std::vector<std::pair<char, int>> shared, lhs, rhs;
    int64_t flops = 2;
    const auto size = [&] { return 1 + static_cast<int>(random() % 12); };
    for (int i = random() % 3; i > 0; --i) shared.push_back({'b', size()});
    for (int i = 1 + random() % 2; i > 0; --i) shared.push_back({'c', size() * 3});
    struct Dim {
      char role;
      int id, extent;
    };
    std::vector<Dim> l, r;
    for (size_t i = 0; i < shared.size(); ++i) {
      l.push_back({shared[i].first, static_cast<int>(i), shared[i].second});
      r.push_back(l.back());
      flops *= shared[i].second;
    }
    for (int i = 1 + random() % 2; i > 0; --i) l.push_back({'f', 0, size() * 2}), flops *= l.back().extent;
    for (int i = 1 + random() % 2; i > 0; --i) r.push_back({'f', 0, size() * 2}), flops *= r.back().extent;
    if (flops < 20000 || flops > 20000000) continue;
    std::shuffle(l.begin(), l.end(), random);
    std::shuffle(r.begin(), r.end(), random);
    std::vector<int> out;
    const auto list = [&](const std::vector<Dim>& dims, char role) {
      std::vector<int> where;
      for (size_t id = 0; id < shared.size(); ++id) {
        if (shared[id].first != role) continue;
        for (size_t d = 0; d < dims.size(); ++d) {
          if (dims[d].role == role && dims[d].id == static_cast<int>(id)) where.push_back(static_cast<int>(d));
        }
      }
      return absl::StrJoin(where, ",");
    };
    for (const auto& s : shared) {
      if (s.first == 'b') out.push_back(s.second);
    }
    for (const auto* dims : {&l, &r}) {
      for (const Dim& d : *dims) {
        if (d.role == 'f') out.push_back(d.extent);
      }
    }
    const auto shape = [&](const std::vector<Dim>& dims) {
      std::vector<int> extents;
      for (const Dim& d : dims) extents.push_back(d.extent);
      return absl::StrCat(type, "[", absl::StrJoin(extents, ","), "]");
    };
    const absl::string_view sum = round % 8 == 1 ? "f32" : type;  // of the result
    const std::string text = Dot(shape(l), shape(r), absl::StrCat(sum, "[", absl::StrJoin(out, ","), "]"),
                                 absl::StrCat("lhs_batch_dims={", list(l, 'b'), "}, rhs_batch_dims={", list(r, 'b'),
                                              "}, lhs_contracting_dims={", list(l, 'c'), "}, rhs_contracting_dims={", list(r, 'c'), "}"));
    std::unique_ptr<Module> module = ParseEntry(text);
    ASSERT_NE(module, nullptr) << text;
    if (HasLibraryKernel(*module->entry->root)) one_by_one += absl::StrContains(CheckRoot(text), "one by one");
  }
  if (HasSmallGemm()) EXPECT_GT(one_by_one, 3);  // products of f16 in batches; elsewhere several go to the library at once
}

struct ConvCase {
  const char* input;
  const char* kernel;
  const char* output;
  const char* rest;
};

TEST(LibraryKernels, Convolutions) {
  const ConvCase cases[] = {
      {"[2,14,15,16]", "[3,3,16,32]", "[2,14,15,32]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
      {"[2,16,14,15]", "[32,16,3,3]", "[2,32,7,8]", "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"},
      {"[2,16,14,15]", "[3,3,32,16]", "[2,32,12,13]", "window={size=3x3}, dim_labels=bf01_01oi->bf01"},
      {"[2,14,15,16]", "[3,2,32,16]", "[2,12,14,32]", "window={size=3x2 rhs_reversal=1x1}, dim_labels=b01f_01oi->b01f"},
      {"[2,7,9,16]", "[3,3,16,32]", "[2,13,17,32]", "window={size=3x3 pad=1_1x1_1 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
      {"[8,12,12,6]", "[8,10,10,24]", "[3,3,6,24]", "window={size=10x10}, dim_labels=f01b_i01o->01bf"},
      {"[8,9,9,6]", "[8,4,4,24]", "[3,3,6,24]", "window={size=4x4 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf"},
      {"[6,8,12,12]", "[8,24,10,10]", "[3,3,6,24]", "window={size=10x10}, dim_labels=bf01_io01->01bf"},
      {"[2,10,10,32]", "[1,1,32,48]", "[2,10,10,48]", "window={size=1x1}, dim_labels=b01f_01io->b01f"},
      {"[2,10,10,32]", "[1,1,32,48]", "[2,5,5,48]", "window={size=1x1 stride=2x2}, dim_labels=b01f_01io->b01f"},
      {"[2,10,10,32]", "[3,3,8,64]", "[2,8,8,64]", "window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=4"},
      {"[2,10,10,32]", "[1,1,8,64]", "[2,10,10,64]", "window={size=1x1}, dim_labels=b01f_01io->b01f, feature_group_count=4"},
      {"[8,6,6,16]", "[3,3,16,64]", "[2,4,4,64]", "window={size=3x3}, dim_labels=b01f_01io->b01f, batch_group_count=4"},
      {"[3,40,16]", "[5,16,64]", "[3,34,64]", "window={size=5 pad=-1_-1}, dim_labels=b0f_0io->b0f"},
      {"[1,6,7,8,4]", "[2,3,2,4,32]", "[1,5,5,7,32]", "window={size=2x3x2}, dim_labels=b012f_012io->b012f"},
      {"[64,100]", "[100,80]", "[64,80]", "dim_labels=bf_io->bf"},
      {"[1,40,40,3]", "[7,7,3,32]", "[1,20,20,32]", "window={size=7x7 stride=2x2 pad=3_2x3_2}, dim_labels=b01f_01io->b01f"},
      {"[14,15,2,16]", "[3,3,16,32]", "[12,32,2,13]", "window={size=3x3}, dim_labels=01bf_01io->0fb1"},
  };
  for (const char* type : {"f32", "bf16", "f16", "f64"}) {
    for (const ConvCase& c : cases) {
      CheckRoot(absl::StrCat("a = ", type, c.input, " parameter(0)\nb = ", type, c.kernel, " parameter(1)\nROOT r = ", type, c.output,
                             " convolution(a, b), ", c.rest));
    }
  }
}

// Lines of every length, of which tiles are cut; windows that reach into padding or beyond it; features that are no multiple of a vector.
TEST(LibraryKernels, ConvolutionsWithFeaturesInnermost) {
  if (!HasSmallGemm()) GTEST_SKIP() << "needs AVX2";
  std::vector<ConvCase> cases = {
      {"[2,14,15,16]", "[3,3,16,32]", "[2,14,15,32]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
      {"[2,14,15,16]", "[16,32,3,3]", "[2,14,15,32]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_io01->b01f"},
      {"[2,14,45,5]", "[83,5,3,3]", "[2,7,23,83]", "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_oi01->b01f"},
      {"[2,14,19,16]", "[3,3,16,17]", "[2,10,15,17]", "window={size=3x3 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
      {"[2,14,19,16]", "[3,3,16,48]", "[2,14,19,48]", "window={size=3x3 pad=2_2x2_2 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
      {"[1,40,40,3]", "[7,7,3,32]", "[1,20,20,32]", "window={size=7x7 stride=2x2 pad=3_2x3_2}, dim_labels=b01f_01io->b01f"},
      {"[3,40,16]", "[5,16,64]", "[3,34,64]", "window={size=5 pad=-1_-1}, dim_labels=b0f_0io->b0f"},
      {"[3,40,16]", "[5,16,64]", "[3,60,64]", "window={size=5 pad=12_12}, dim_labels=b0f_0io->b0f"},
      {"[1,6,7,8,4]", "[2,3,2,4,32]", "[1,5,5,7,32]", "window={size=2x3x2}, dim_labels=b012f_012io->b012f"},
      {"[9,6,10,8]", "[3,3,8,32]", "[9,6,10,32]", "window={size=3x3 pad=1_1x1_1}, dim_labels=0b1f_01io->0b1f"},
      {"[9,6,10,8]", "[3,3,8,32]", "[10,6,9,32]", "window={size=3x3 pad=1_1x1_1}, dim_labels=1b0f_01io->0b1f"},
      {"[1,30,30,128]", "[3,3,128,160]", "[1,28,28,160]", "window={size=3x3}, dim_labels=b01f_01io->b01f"},
  };
  std::deque<std::string> texts;
  for (int width = 4; width <= 30; ++width) {
    texts.push_back(absl::StrCat("[2,4,", width, ",8]"));
    texts.push_back(absl::StrCat("[2,4,", width, ",32]"));
    cases.push_back({texts[texts.size() - 2].c_str(), "[3,3,8,32]", texts.back().c_str(), "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"});
  }
  for (const ConvCase& c : cases) {
    const std::string text = CheckRoot(absl::StrCat("a = f32", c.input, " parameter(0)\nb = f32", c.kernel, " parameter(1)\nROOT r = f32", c.output, " convolution(a, b), ", c.rest));
    EXPECT_EQ(text.find("convolution, windows read where they lie"), 0u) << text;
  }
}

TEST(LibraryKernels, ChannelsFirstConvolutions) {
  const ConvCase cases[] = {
      {"[3,16,14,15]", "[32,16,3,3]", "[3,32,14,15]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"},
      {"[3,16,14,15]", "[3,3,32,16]", "[3,32,7,8]",
       "window={size=3x3 stride=2x2 pad=1_1x1_1 rhs_reversal=1x1}, dim_labels=bf01_01oi->bf01"},
      {"[3,16,7,8]", "[16,32,3,3]", "[3,32,14,16]", "window={size=3x3 pad=1_2x1_2 lhs_dilate=2x2}, dim_labels=bf01_io01->bf01"},
      {"[3,16,14,15]", "[32,16,1,1]", "[3,32,14,15]", "window={size=1x1}, dim_labels=bf01_oi01->bf01"},
      {"[3,16,14,15]", "[1,1,32,16]", "[3,32,14,15]", "window={size=1x1}, dim_labels=bf01_01oi->bf01"},
      {"[3,16,14,15]", "[32,4,3,3]", "[3,32,12,13]", "window={size=3x3}, dim_labels=bf01_oi01->bf01, feature_group_count=4"},
      {"[4,16,14,15]", "[32,16,3,3]", "[2,32,10,13]", "window={size=3x3 rhs_dilate=2x1}, dim_labels=bf01_oi01->bf01, batch_group_count=2"},
      {"[2,8,6,7,9]", "[16,8,2,3,2]", "[2,16,5,5,8]", "window={size=2x3x2}, dim_labels=bf012_oi012->bf012"},
      {"[2,8,60]", "[16,8,5]", "[2,16,58]", "window={size=5 pad=1_1}, dim_labels=bf0_oi0->bf0"},
      {"[6,24,12,20]", "[6,32,12,20]", "[3,3,24,32]", "window={size=12x20 pad=1_1x1_1}, dim_labels=fb01_io01->01bf"},
      {"[20,24,12,20]", "[20,32,12,20]", "[1,1,24,32]", "window={size=12x20}, dim_labels=fb01_io01->01bf"},
      {"[6,24,12,20]", "[6,32,6,10]", "[3,3,24,32]", "window={size=6x10 pad=1_0x1_0 rhs_dilate=2x2}, dim_labels=fb01_io01->01bf"},
      {"[6,64,12,20]", "[6,32,12,20]", "[3,3,64,32]", "window={size=12x20 pad=1_1x1_1}, dim_labels=fb01_io01->01bf"},
  };
  for (const char* type : {"f32", "bf16", "f64"}) {
    for (const ConvCase& c : cases) {
      const std::string text = CheckRoot(absl::StrCat("a = ", type, c.input, " parameter(0)\nb = ", type, c.kernel,
                                                      " parameter(1)\nROOT r = ", type, c.output, " convolution(a, b), ", c.rest));
      // A processor that cannot multiply bf16 widens it, which lays the windows out anyway.
      if (absl::string_view(type) == "bf16" && !Gemm::Supports(ElementType::kBF16, ElementType::kF32)) continue;
      EXPECT_NE(text.find("channels first"), std::string::npos) << text;
    }
  }
}

TEST(LibraryKernels, DepthwiseConvolutionsWithSpatialDimensionsInnermost) {
  const ConvCase cases[] = {
      {"[2,24,14,15]", "[24,1,3,3]", "[2,24,14,15]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, feature_group_count=24"},
      {"[4,24,14,15]", "[24,1,3,3]", "[4,24,7,8]",
       "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, feature_group_count=24"},
      {"[2,24,7,8]", "[3,3,24,1]", "[2,24,14,16]",
       "window={size=3x3 pad=1_2x1_2 lhs_dilate=2x2}, dim_labels=bf01_01oi->bf01, feature_group_count=24"},
      {"[2,24,14,15]", "[48,2,3,2]", "[2,48,8,12]",
       "window={size=3x2 pad=-1_-1x-1_-1 rhs_dilate=2x1 rhs_reversal=1x0}, dim_labels=bf01_oi01->bf01, feature_group_count=12"},
      {"[6,24,12,20]", "[6,24,12,20]", "[3,3,1,24]", "window={size=12x20 pad=1_1x1_1}, dim_labels=fb01_io01->01bf, batch_group_count=24"},
      {"[6,24,12,20]", "[6,24,6,10]", "[3,3,1,24]",
       "window={size=6x10 pad=1_0x1_0 rhs_dilate=2x2}, dim_labels=fb01_io01->01bf, batch_group_count=24"},
  };
  for (const char* type : {"f32", "bf16", "f16"}) {
    for (const ConvCase& c : cases) {
      const std::string text = CheckRoot(absl::StrCat("a = ", type, c.input, " parameter(0)\nb = ", type, c.kernel,
                                                      " parameter(1)\nROOT r = ", type, c.output, " convolution(a, b), ", c.rest));
      EXPECT_EQ(text.find("convolution plane by plane"), 0u) << text;
    }
  }
}

TEST(LibraryKernels, DepthwiseConvolutionsWithFeaturesInnermost) {
  const ConvCase cases[] = {
      {"[2,14,15,24]", "[3,3,1,24]", "[2,14,15,24]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=24"},
      {"[2,14,15,83]", "[3,3,1,83]", "[2,7,8,83]", "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=83"},
      {"[2,14,15,64]", "[64,1,3,2]", "[2,12,14,64]", "window={size=3x2 rhs_reversal=1x1}, dim_labels=b01f_oi01->b01f, feature_group_count=64"},
      {"[2,7,8,33]", "[3,3,1,33]", "[2,14,16,33]", "window={size=3x3 pad=1_2x1_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f, feature_group_count=33"},
      {"[2,14,15,40]", "[3,2,1,40]", "[2,8,12,40]", "window={size=3x2 pad=-1_-1x-1_-1 rhs_dilate=2x1}, dim_labels=b01f_01io->b01f, feature_group_count=40"},
      {"[3,31,29,64]", "[3,3,1,64]", "[3,31,29,64]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=64"},
      {"[3,31,29,64]", "[5,5,1,64]", "[3,31,29,64]", "window={size=5x5 pad=2_2x2_2}, dim_labels=b01f_01io->b01f, feature_group_count=64"},
      {"[3,200,17]", "[5,1,17]", "[3,200,17]", "window={size=5 pad=4_0}, dim_labels=b0f_0io->b0f, feature_group_count=17"},
      {"[9,2,10,32]", "[3,3,1,32]", "[9,2,10,32]", "window={size=3x3 pad=1_1x9_-7}, dim_labels=0b1f_01io->0b1f, feature_group_count=32"},
      {"[2,5,6,7,32]", "[2,3,2,1,32]", "[2,4,6,6,32]", "window={size=2x3x2 pad=0_0x1_1x0_0}, dim_labels=b012f_012io->b012f, feature_group_count=32"},
  };
  for (const char* type : {"f32", "bf16", "f16"}) {
    for (const ConvCase& c : cases) {
      const std::string text = CheckRoot(absl::StrCat("a = ", type, c.input, " parameter(0)\nb = ", type, c.kernel,
                                                      " parameter(1)\nROOT r = ", type, c.output, " convolution(a, b), ", c.rest));
      EXPECT_EQ(text.find("depthwise convolution, features innermost"), 0u) << text;
    }
  }
}

TEST(LibraryKernels, ConvolutionsOfFewFeaturesAGroupAreLeftToLowering) {
  std::unique_ptr<Module> module = ParseEntry(
      "a = f32[1,20,20,64] parameter(0)\nb = f32[3,3,1,128] parameter(1)\n"
      "ROOT r = f32[1,18,18,128] convolution(a, b), window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=64");
  ASSERT_NE(module, nullptr);
  EXPECT_FALSE(HasLibraryKernel(*module->entry->root));
}

TEST(LibraryKernels, CopiesOfBlocks) {
  for (const char* type : {"s8", "bf16", "f32", "f64", "c128"}) {
    const auto body = [&](const std::string& text) {
      std::string result = text;
      for (size_t at; (at = result.find("T[")) != std::string::npos;) result.replace(at, 1, type);
      return result;
    };
    CheckRoot(
        body("a = T[3,4,5] parameter(0)\nb = T[3,1,5] parameter(1)\nc = T[3,0,5] parameter(2)\nROOT r = T[3,5,5] concatenate(a, b, c), "
             "dimensions={1}"));
    CheckRoot(body("a = T[3,4] parameter(0)\nb = T[3,2] parameter(1)\nROOT r = T[3,6] concatenate(a, b), dimensions={1}"));
    CheckRoot(body("a = T[3,4] parameter(0)\nb = T[] parameter(1)\nROOT r = T[8,5] pad(a, b), padding=2_3x1_0"));
    CheckRoot(body("a = T[5,4] parameter(0)\nb = T[] parameter(1)\nROOT r = T[15,2] pad(a, b), padding=-1_3_2x-1_-1"));
    CheckRoot(body("a = T[5,4] parameter(0)\nb = T[] parameter(1)\nROOT r = T[3,4] pad(a, b), padding=-4_2x0_0"));
    CheckRoot(body("a = T[33,70] parameter(0)\nROOT r = T[70,33] transpose(a), dimensions={1,0}"));
    CheckRoot(body("a = T[131,1091] parameter(0)\nROOT r = T[1091,131] transpose(a), dimensions={1,0}"));
    CheckRoot(body("a = T[5,33,3,20] parameter(0)\nROOT r = T[20,5,3,33] transpose(a), dimensions={3,0,2,1}"));
    CheckRoot(body("a = T[2,3,4,16] parameter(0)\nROOT r = T[2,4,3,16] transpose(a), dimensions={0,2,1,3}"));
  }
}

TEST(LibraryKernels, LargeTransposesPassTheCaches) {
  for (const char* type : {"bf16", "f32"}) {
    CheckRoot(absl::StrCat("a = ", type, "[2080,4128] parameter(0)\nROOT r = ", type, "[4128,2080] transpose(a), dimensions={1,0}"));
    CheckRoot(absl::StrCat("a = ", type, "[2051,4097] parameter(0)\nROOT r = ", type, "[4097,2051] transpose(a), dimensions={1,0}"));
  }
}

TEST(LibraryKernels, DynamicUpdateSliceClampsAndWorksInPlace) {
  for (const ElementType type : {ElementType::kS32, ElementType::kU64}) {
    std::unique_ptr<Module> module = ParseEntry(absl::StrCat("a = f32[6,8] parameter(0)\nu = f32[2,3] parameter(1)\ni = ", Name(type),
                                                             "[] parameter(2)\nj = ", Name(type),
                                                             "[] parameter(3)\nROOT r = f32[6,8] dynamic-update-slice(a, u, i, j)"));
    ASSERT_NE(module, nullptr);
    const Instruction& root = *module->entry->root;
    ThreadPool pool(2);
    std::unique_ptr<LibraryKernel> kernel = MakeLibraryKernel(root, pool);
    ASSERT_NE(kernel, nullptr);
    absl::StatusOr<Program> program = ElementProgram(root);
    ASSERT_TRUE(program.ok());
    const auto index = [&](int64_t v) {
      Value value = Value::Allocate(Shape::Scalar(type));
      StoreScalar(Scalar::Int(type, v), value.mutable_data());
      return value;
    };
    for (int64_t i : {-3, 0, 2, 5, 100}) {
      for (int64_t j : {0, 4, 7, -1}) {
        const std::vector<Value> operands = {RandomValue(root.shape, 1), RandomValue(root.operands[1]->shape, 2), index(i), index(j)};
        std::vector<Value> shared = operands;
        absl::StatusOr<Value> result = kernel->Run({}, shared);
        ASSERT_TRUE(result.ok());
        EXPECT_NE(result->data(), operands[0].data()) << "the operand is still held";
        ExpectMatches(*program, operands, *result, {});
        Value own = RandomValue(root.shape, 1);
        const std::byte* bytes = own.data();
        std::vector<Value> given = {std::move(own), operands[1], operands[2], operands[3]};
        absl::StatusOr<Value> in_place = kernel->Run({}, given);
        ASSERT_TRUE(in_place.ok());
        EXPECT_EQ(in_place->data(), bytes);
        EXPECT_TRUE(Value::BitEqual(*in_place, *result));
      }
    }
  }
}

std::string Prefix(const std::string& type, const std::string& op, const std::string& dims, const std::string& window) {
  return absl::StrCat("a = ", type, dims, " parameter(0)\nb = ", type, "[] parameter(1)\nROOT r = ", type, dims,
                      " reduce-window(a, b), window={", window, "}, to_apply=f");
}

// Bit for bit what the interpreter's folds give, of every element: lines in memory and across it, ends within sixteen, windows longer than the line.
TEST(LibraryKernels, CumulativeSumsKeepTheOrderOfTheFold) {
  struct Case {
    const char *dims, *window;
    std::vector<int64_t> extents;
  };
  const Case cases[] = {{"[3,64]", "size=1x64 pad=0_0x63_0", {3, 64}},          {"[2,83]", "size=1x83 pad=0_0x82_0", {2, 83}},
                        {"[5,7]", "size=1x16 pad=0_0x15_0", {5, 7}},            {"[2,33]", "size=1x50 pad=0_0x49_0", {2, 33}},
                        {"[50,3]", "size=50x1 pad=49_0x0_0", {50, 3}},          {"[2,40,70]", "size=1x40x1 pad=0_0x39_0x0_0", {2, 40, 70}},
                        {"[2,17,128]", "size=1x31x1 pad=0_0x30_0x0_0", {2, 17, 128}}, {"[48]", "size=48 pad=47_0", {48}}};
  for (const char* name : {"f32", "f64", "bf16", "s32", "s64", "u32", "u64"}) {
    for (const char* op : {"add", "multiply", "maximum", "minimum"}) {
      const std::string type = name, combiner = op;
      if (type[0] == 'u' && combiner[0] == 'm' && combiner[1] != 'u') continue;
      for (const Case& c : cases) {
        std::unique_ptr<Module> module =
            ParseEntry(Prefix(type, op, c.dims, c.window), absl::StrCat("f {\n  x = ", type, "[] parameter(0)\n  y = ", type,
                                                                        "[] parameter(1)\n  ROOT r = ", type, "[] ", op, "(x, y)\n}\n"));
        ASSERT_NE(module, nullptr);
        const Instruction& root = *module->entry->root;
        SCOPED_TRACE(absl::StrCat(type, " ", op, " ", c.dims, " ", c.window));
        std::vector<Value> operands = {RandomValue(root.shape, 5), RandomValue(root.operands[1]->shape, 6)};
        const int64_t bytes = StorageBytes(root.shape.element_type());
        if (IsFloat(root.shape.element_type())) {  // zeros of both signs, a NaN and an infinity late in a line
          for (int64_t e = 0; e < operands[0].element_count(); e += 7)
            StoreScalar(Scalar::Float(root.shape.element_type(), e % 2 ? 0.0 : -0.0), operands[0].mutable_data() + e * bytes);
          const int64_t last = operands[0].element_count() - 1;
          StoreScalar(Scalar::Float(root.shape.element_type(), std::nan("")), operands[0].mutable_data() + last * bytes);
          StoreScalar(Scalar::Float(root.shape.element_type(), HUGE_VAL), operands[0].mutable_data() + (last - 2) * bytes);
        }
        ThreadPool pool(2);
        std::unique_ptr<LibraryKernel> kernel = MakeLibraryKernel(root, pool);
        ASSERT_NE(kernel, nullptr);
        EXPECT_FALSE(kernel->library_order());
        std::vector<Value> given = operands;
        absl::StatusOr<Value> result = kernel->Run({}, given);
        ASSERT_TRUE(result.ok()) << result.status();
        absl::StatusOr<Program> program = ElementProgram(root);
        ASSERT_TRUE(program.ok());
        Interpreter interpreter(*program, {.bounds = false});
        absl::StatusOr<std::vector<Value>> expected = interpreter.All({&operands[0], &operands[1]});
        ASSERT_TRUE(expected.ok());
        for (int64_t e = 0; e < result->element_count(); ++e) {
          const Scalar got = LoadScalar(root.shape.element_type(), result->data() + e * bytes);
          if (IsFloat(got.type) && std::isnan(got.re)) {
            EXPECT_TRUE(std::isnan(LoadScalar(got.type, (*expected)[0].data() + e * bytes).re)) << e;
            continue;
          }
          ASSERT_EQ(std::memcmp(result->data() + e * bytes, (*expected)[0].data() + e * bytes, bytes), 0) << e << ": " << ToText(got);
        }
      }
    }
  }
}

// What is no running fold from the left stays with the compiler.
TEST(LibraryKernels, OtherWindowsAreLeftToLowering) {
  const std::string add = "f {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT r = f32[] add(x, y)\n}\n";
  for (const char* window : {"size=1x64 pad=0_0x0_63", "size=1x63 pad=0_0x62_0", "size=4x64 pad=3_0x63_0", "size=1x64 pad=0_0x63_0 rhs_reversal=0x1"}) {
    std::unique_ptr<Module> module = ParseEntry(Prefix("f32", "add", "[4,64]", window), add);
    ASSERT_NE(module, nullptr);
    EXPECT_FALSE(HasLibraryKernel(*module->entry->root)) << window;
  }
}

TEST(LibraryKernels, ThreadsDoNotChangeABit) {
  const std::string bodies[] = {
      Dot("bf16[700,300]", "bf16[300,500]", "bf16[700,500]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
      Dot("f32[3,200,300]", "f32[3,300,500]", "f32[3,200,500]",
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"),
      Dot("f16[9,64,5,50]", "f16[9,5,70,50]", "f16[9,5,64,70]",
          "lhs_batch_dims={0,2}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={3}"),
      "a = f32[2,30,30,16] parameter(0)\nb = f32[3,3,16,32] parameter(1)\n"
      "ROOT r = f32[2,30,30,32] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
      "a = f32[1,30,30,128] parameter(0)\nb = f32[3,3,128,160] parameter(1)\n"
      "ROOT r = f32[1,30,30,160] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
      "a = bf16[2,30,30,16] parameter(0)\nb = bf16[3,3,16,32] parameter(1)\n"
      "ROOT r = bf16[2,30,30,32] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"};
  for (const std::string& body : bodies) {
    std::unique_ptr<Module> module = ParseEntry(body);
    ASSERT_NE(module, nullptr);
    const Instruction& root = *module->entry->root;
    Value first;
    for (int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      std::unique_ptr<LibraryKernel> kernel = MakeLibraryKernel(root, pool);
      ASSERT_NE(kernel, nullptr);
      for (int repeat = 0; repeat < 3; ++repeat) {
        std::vector<Value> operands = {RandomValue(root.operands[0]->shape, 1), RandomValue(root.operands[1]->shape, 2)};
        absl::StatusOr<Value> result = kernel->Run({}, operands);
        ASSERT_TRUE(result.ok());
        if (!first.has_value()) first = *result;
        EXPECT_TRUE(Value::BitEqual(first, *result)) << body << " with " << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace hloscope
