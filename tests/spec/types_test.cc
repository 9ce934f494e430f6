// Every operation on every element type that it takes: both backends give the same bits. What a type does not fit, the verifier must
// refuse with a diagnostic; nothing may fail at run time. Shapes include zero-sized dimensions and rank 0.
#include <cmath>
#include <random>

#include "core/ops/op.h"
#include "tests/spec/spec.h"

namespace hloscope {
namespace {

constexpr ElementType kTypes[] = {
#define X(enumerator, text, bits, bytes, kind) ElementType::enumerator,
#include "core/shape/element_types.def"
#undef X
};

std::vector<std::string> ArrayTypes() {
  std::vector<std::string> names;
  for (ElementType t : kTypes) {
    if (IsArrayType(t)) names.push_back(std::string(Name(t)));
  }
  return names;
}

// Small numbers, edges of the type now and then.
Value RandomOf(const Shape& shape, uint64_t seed, bool edges) {
  std::mt19937_64 random(seed);
  const ElementType type = shape.element_type();
  Value v = Value::Allocate(shape);
  const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e30, -1e-30, 448, 0.5, 2.5, -1.5};
  for (int64_t i = 0; i < v.element_count(); ++i) {
    Scalar s;
    const bool edge = edges && random() % 5 == 0;
    const auto number = [&] { return edge ? specials[random() % 11] : static_cast<double>(static_cast<int64_t>(random() % 33) - 16) / 4; };
    if (IsFloat(type)) {
      s = Scalar::Float(type, number());
    } else if (IsComplex(type)) {
      const double re = number(), im = number();
      s = Scalar::Complex(type, {re, im});
    } else {
      s = Scalar::Int(type, static_cast<int64_t>(edge ? random() : random() % 9 - 4));
    }
    StoreScalar(s, v.mutable_data() + i * StorageBytes(type));
  }
  return v;
}

std::string Replace(std::string text, const std::string& type) {
  static const std::regex placeholder("\\bT\\b");
  return std::regex_replace(text, placeholder, type);
}

struct Sweep {
  int ran = 0, refused = 0;
};

// `text` has T for the element type; results may differ by `units` in the last place. Runs each type with random parameters; a refusal must be a diagnostic of a shape rule.
void RunTypes(const std::string& text, Sweep& sweep, bool edges = true, double units = 0) {
  const std::vector<std::string> types = Replace(text, "") == text ? std::vector<std::string>{"f32"} : ArrayTypes();
  for (const std::string& type : types) {
    const std::string whole = Replace(text, type);
    ReadModule read = ReadAndVerify(whole);
    if (!read.problems.empty()) {
      ++sweep.refused;
      continue;
    }
    ++sweep.ran;
    std::vector<Value> parameters;
    for (const Instruction* p : read.module->entry->parameters) {
      parameters.push_back(RandomOf(p->shape, 77 + parameters.size(), edges));
    }
    auto reference = RunOn(ReferenceForTests(), *read.module, parameters);
    EXPECT_TRUE(reference.ok()) << "reference: " << reference.status() << "\n" << whole;
    auto jit = RunOn(JitForTests(), *read.module, parameters);
    EXPECT_TRUE(jit.ok()) << "jit: " << jit.status() << "\n" << whole;
    if (!reference.ok() || !jit.ok()) continue;
    std::string operands;
    for (const Value& p : parameters) operands += PrintLiteral(p) + "\n";
    Closeness close;
    const ElementType real = RealTypeOf(*ElementTypeFromName(type));
    if (units > 0 && IsFloat(real)) close = {IsComplex(*ElementTypeFromName(type)) ? 64 * UnitRoundoff(real) : 0, 2 * units * UnitRoundoff(real)};
    EXPECT_EQ(Difference(*jit, *reference, close), "") << whole << "\n" << operands;
  }
}

std::string Fold(const std::string& op) { return "f {\n a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = T[] " + op + "(a, b)\n}\n"; }

TEST(Types, Pointwise) {
  Sweep sweep;
  for (int o = 0; o < kOpcodeCount; ++o) {
    const Opcode opcode = static_cast<Opcode>(o);
    const OpDef& def = Def(opcode);
    if (def.spec != "operations.md: Elementwise" || def.min_operands != def.max_operands || !def.attributes.empty()) continue;
    const std::string name(Name(opcode));
    if (name == "convert" || name == "bitcast-convert" || name == "stochastic-convert" || name == "select" || name == "clamp") continue;
    for (const char* dims : {"[37]", "[]", "[3,0]"}) {
      std::string text = std::string("x = T") + dims + " parameter(0)\n";
      if (def.max_operands == 2) text += std::string("y = T") + dims + " parameter(1)\n";
      RunTypes(text + "ROOT r = " + name + (def.max_operands == 2 ? "(x, y)" : "(x)"), sweep, true, 4);
    }
  }
  EXPECT_GT(sweep.ran, 1500);
  EXPECT_GT(sweep.refused, 100);
}

TEST(Types, CompareClampSelect) {
  Sweep sweep;
  const std::string xy = "x = T[37] parameter(0)\ny = T[37] parameter(1)\n";
  for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
    RunTypes(xy + "ROOT r = pred[37] compare(x, y), direction=" + direction, sweep);
    RunTypes(xy + "ROOT r = pred[37] compare(x, y), type=TOTALORDER, direction=" + direction, sweep);
  }
  RunTypes(xy + "z = T[37] parameter(2)\nROOT r = T[37] clamp(x, y, z)", sweep);
  RunTypes("x = T[] parameter(0)\ny = T[3,5] parameter(1)\nz = T[] parameter(2)\nROOT r = T[3,5] clamp(x, y, z)", sweep);
  RunTypes(xy + "p = pred[37] parameter(2)\nROOT r = T[37] select(p, x, y)", sweep);
  RunTypes(xy + "p = pred[] parameter(2)\nROOT r = T[37] select(p, x, y)", sweep);
  RunTypes("x = T[37] parameter(0)\nROOT r = T[37] reduce-precision(x), exponent_bits=4, mantissa_bits=2", sweep);
  EXPECT_GT(sweep.ran, 250);
}

TEST(Types, ConvertAndBitcastBetweenAll) {
  Sweep sweep;
  for (const std::string& to : ArrayTypes()) RunTypes("x = T[40] parameter(0)\nROOT r = " + to + "[40] convert(x)", sweep);
  const std::vector<std::string> widths = {"pred", "u1", "s2", "u4", "f4e2m1fn", "s8", "f8e5m2", "u16", "f16", "bf16", "f32", "u64", "f64", "c64", "c128"};
  for (const std::string& to : widths) {
    const ElementType t = *ElementTypeFromName(to);
    for (const std::string& from : widths) {
      const int a = BitWidth(*ElementTypeFromName(from)), b = BitWidth(t);
      std::string in = from + "[5,4]", out = to + "[5,4]";
      if (a > b) out = to + "[5,4," + std::to_string(a / b) + "]";
      if (a < b) in = from + "[5,4," + std::to_string(b / a) + "]";
      RunTypes("x = " + in + " parameter(0)\nROOT r = " + out + " bitcast-convert(x)", sweep);
      RunTypes("x = " + from + "[" + std::to_string(20 * b) + "] parameter(0)\nROOT r = " + to + "[" + std::to_string(20 * a) + "] bitcast(x)", sweep);
    }
  }
  EXPECT_GT(sweep.ran, 1000);
  for (const char* to : {"f6e2m3fn", "f6e3m2fn"}) RunTypes(std::string("x = T[4] parameter(0)\nROOT r = ") + to + "[4] bitcast-convert(x)", sweep);
}

TEST(Types, Movement) {
  Sweep sweep;
  const std::string m = "x = T[3,4] parameter(0)\n", c = "x = T[2,3,4] parameter(0)\n";
  RunTypes(m + "ROOT r = T[2,3,4] broadcast(x), dimensions={1,2}", sweep);
  RunTypes(m + "ROOT r = T[2,6] reshape(x)", sweep);
  RunTypes(c + "ROOT r = T[4,2,3] transpose(x), dimensions={2,0,1}", sweep);
  RunTypes(m + "ROOT r = T[3,4] reverse(x), dimensions={0,1}", sweep);
  RunTypes(m + "ROOT r = T[2,2] slice(x), slice={[1:3],[0:4:2]}", sweep);
  RunTypes(m + "i = s32[] parameter(1)\nj = s32[] parameter(2)\nROOT r = T[2,2] dynamic-slice(x, i, j), dynamic_slice_sizes={2,2}", sweep);
  RunTypes(m + "u = T[2,2] parameter(1)\ni = s64[] parameter(2)\nj = s64[] parameter(3)\nROOT r = T[3,4] dynamic-update-slice(x, u, i, j)", sweep);
  RunTypes(m + "y = T[3,2] parameter(1)\nROOT r = T[3,6] concatenate(x, y), dimensions={1}", sweep);
  RunTypes(m + "p = T[] parameter(1)\nROOT r = T[6,6] pad(x, p), padding=1_0_1x-1_3", sweep);
  RunTypes(m + "i = s32[5,2] parameter(1)\nROOT r = T[5,2,2] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, "
               "index_vector_dim=1, slice_sizes={2,2}", sweep);
  RunTypes(m + "ROOT r = T[3,4] copy(x)", sweep);
  RunTypes("ROOT r = T[3,40] iota(), iota_dimension=1", sweep);
  RunTypes("ROOT r = T[40,3] iota(), iota_dimension=0", sweep);
  RunTypes("x = T[3,0] parameter(0)\np = T[] parameter(1)\nROOT r = T[3,2] pad(x, p), padding=0_0x1_1_3", sweep);
  RunTypes("x = T[0] parameter(0)\ny = T[2] parameter(1)\nROOT r = T[2] concatenate(x, y), dimensions={0}", sweep);
  RunTypes("x = T[0,4] parameter(0)\ni = s32[] parameter(1)\nROOT r = T[0,2] dynamic-slice(x, i, i), dynamic_slice_sizes={0,2}", sweep);
  EXPECT_GT(sweep.ran, 16 * 25);
}

TEST(Types, IndicesOfEveryIntegerType) {
  Sweep sweep;
  const std::string m = "x = f32[9,4] parameter(0)\n";
  RunTypes(m + "i = T[] parameter(1)\nROOT r = f32[2,2] dynamic-slice(x, i, i), dynamic_slice_sizes={2,2}", sweep);
  RunTypes(m + "u = f32[2,2] parameter(1)\ni = T[] parameter(2)\nROOT r = f32[9,4] dynamic-update-slice(x, u, i, i)", sweep);
  RunTypes(m + "i = T[5,1] parameter(1)\nROOT r = f32[5,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
               "index_vector_dim=1, slice_sizes={1,4}", sweep);
  RunTypes("f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b)\n}\n" +
               Entry(m + "i = T[5,1] parameter(1)\nu = f32[5,4] parameter(2)\nROOT r = f32[9,4] scatter(x, i, u), update_window_dims={1}, "
                         "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f"), sweep);
  RunTypes("l = f32[6,2] parameter(0)\nr = f32[3,2,4] parameter(1)\ng = T[3] parameter(2)\nROOT o = f32[6,4] ragged-dot(l, r, g), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}", sweep, false);
  // Offsets and sizes that fit, as others are refused.
  RunTypes("x = f32[6,2] parameter(0)\ny = f32[5,2] parameter(1)\ni = T[2] constant({1,0})\nn = T[2] constant({1,1})\no = T[2] constant({0,1})\n"
           "ROOT r = f32[5,2] ragged-all-to-all(x, y, i, n, o, n), replica_groups={{0}}", sweep);
  EXPECT_GT(sweep.ran, 6 * 10);
}

TEST(Types, Folds) {
  Sweep sweep;
  for (const char* op : {"add", "multiply", "maximum", "minimum", "and", "or", "xor", "subtract"}) {
    const std::string f = Fold(op);
    const std::string m = "x = T[5,37] parameter(0)\nz = T[] parameter(1)\n";
    RunTypes(f + Entry(m + "ROOT r = T[5] reduce(x, z), dimensions={1}, to_apply=f"), sweep);
    RunTypes(f + Entry(m + "ROOT r = T[37] reduce(x, z), dimensions={0}, to_apply=f"), sweep);
    RunTypes(f + Entry(m + "ROOT r = T[] reduce(x, z), dimensions={0,1}, to_apply=f"), sweep);
    RunTypes(f + Entry("x = T[5,0] parameter(0)\nz = T[] parameter(1)\nROOT r = T[5] reduce(x, z), dimensions={1}, to_apply=f"), sweep);
    RunTypes(f + Entry("x = T[] parameter(0)\nz = T[] parameter(1)\nROOT r = T[] reduce(x, z), dimensions={}, to_apply=f"), sweep);
    RunTypes(f + Entry("x = T[9] parameter(0)\nz = T[] parameter(1)\nROOT r = T[5] reduce-window(x, z), window={size=3 stride=2 pad=1_1}, to_apply=f"), sweep);
    RunTypes(f + Entry("x = T[4,6] parameter(0)\nz = T[] parameter(1)\nROOT r = T[5,6] reduce-window(x, z), "
                       "window={size=2x3 pad=0_0x1_1 lhs_dilate=2x1 rhs_dilate=2x1}, to_apply=f"), sweep);
    RunTypes(f + Entry("x = T[7,2] parameter(0)\ni = s32[5,1] parameter(1)\nu = T[5,2] parameter(2)\nROOT r = T[7,2] scatter(x, i, u), "
                       "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f"), sweep);
    RunTypes(f + "g {\n a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=GE\n}\n" +
                 Entry("x = T[4,5] parameter(0)\ns = T[2,2] parameter(1)\nz = T[] parameter(2)\nROOT r = T[4,5] select-and-scatter(x, s, z), "
                       "window={size=2x3 stride=2x2}, select=g, scatter=f"), sweep);
    RunTypes(f + Entry("x = T[3,4] parameter(0)\nROOT r = T[3,4] map(x, x), dimensions={0,1}, to_apply=f"), sweep);
    RunTypes("s {\n a = T[] parameter(0)\n b = T[] parameter(1)\n c = T[] " + std::string(op) + "(a, b)\n ROOT t = (T[], T[]) tuple(c, c)\n}\n" +
                 Entry("x = T[3,4] parameter(0)\nz = T[3] parameter(1)\nROOT r = (T[3,4], T[3]) scan(x, z), dimensions={1}, to_apply=s"), sweep);
    RunTypes(f + Entry("x = T[4] parameter(0)\nROOT r = T[4] all-reduce(x), replica_groups={}, to_apply=f"), sweep);
  }
  EXPECT_GT(sweep.ran, 1200);
}

TEST(Types, SortAndTopK) {
  Sweep sweep;
  for (const char* direction : {"LT", "GT", "GE", "NE"}) {
    for (const char* type : {"", ", type=TOTALORDER"}) {
      const std::string f = std::string("c {\n a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=") + direction + type + "\n}\n";
      RunTypes(f + Entry("x = T[3,33] parameter(0)\nROOT r = T[3,33] sort(x), dimensions={1}, is_stable=true, to_apply=c"), sweep);
      RunTypes(f + Entry("x = T[17,2] parameter(0)\nROOT r = T[17,2] sort(x), dimensions={0}, to_apply=c"), sweep);
    }
  }
  RunTypes("c {\n a = s32[] parameter(0)\n b = s32[] parameter(1)\n d = T[] parameter(2)\n e = T[] parameter(3)\n ROOT r = pred[] compare(a, b), direction=LT\n}\n" +
               Entry("k = s32[20] parameter(0)\nx = T[20] parameter(1)\nROOT r = (s32[20], T[20]) sort(k, x), dimensions={0}, to_apply=c"), sweep);
  RunTypes("c {\n a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=EQ\n}\n" +
               Entry("x = T[0] parameter(0)\nROOT r = T[0] sort(x), dimensions={0}, to_apply=c"), sweep);
  RunTypes("x = T[3,20] parameter(0)\nROOT r = (T[3,4], s32[3,4]) topk(x), k=4, largest=true", sweep);
  RunTypes("x = T[3,20] parameter(0)\nROOT r = (T[3,20], s32[3,20]) topk(x), k=20, largest=false", sweep);
  RunTypes("x = T[3,20] parameter(0)\nROOT r = (T[3,4], s32[3,4]) custom-call(x), custom_call_target=\"TopK\"", sweep);
  EXPECT_GT(sweep.ran, 300);
}

TEST(Types, ProductsOfMatrices) {
  Sweep sweep;
  for (bool edges : {false, true}) {
    RunTypes("x = T[7,9] parameter(0)\ny = T[9,5] parameter(1)\nROOT r = T[7,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}", sweep, edges);
    RunTypes("x = T[2,7,9] parameter(0)\ny = T[2,5,9] parameter(1)\nROOT r = T[2,7,5] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
             "lhs_contracting_dims={2}, rhs_contracting_dims={2}", sweep, edges);
    RunTypes("x = T[9] parameter(0)\ny = T[9] parameter(1)\nROOT r = T[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}", sweep, edges);
    RunTypes("x = T[4,0] parameter(0)\ny = T[0,5] parameter(1)\nROOT r = T[4,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}", sweep, edges);
    RunTypes("x = T[3,4] parameter(0)\ny = T[5] parameter(1)\nROOT r = T[3,4,5] dot(x, y)", sweep, edges);
    RunTypes("x = T[2,6,5,3] parameter(0)\nk = T[3,2,3,4] parameter(1)\nROOT r = T[2,4,4,4] convolution(x, k), window={size=3x2}, dim_labels=b01f_01io->b01f",
             sweep, edges, 8);
    RunTypes("x = T[2,7,4] parameter(0)\nk = T[3,2,6] parameter(1)\nROOT r = T[2,5,6] convolution(x, k), window={size=3 stride=2 pad=2_1 lhs_dilate=2 "
             "rhs_dilate=2 rhs_reversal=1}, dim_labels=b0f_0io->b0f, feature_group_count=2", sweep, edges);
    RunTypes("x = T[4,7,2] parameter(0)\nk = T[3,2,6] parameter(1)\nROOT r = T[2,5,6] convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f, "
             "batch_group_count=2", sweep, edges);
    RunTypes("l = T[6,2] parameter(0)\nr = T[3,2,4] parameter(1)\ng = s32[3] constant({2,0,3})\nROOT o = T[6,4] ragged-dot(l, r, g), "
             "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}", sweep, edges);
    RunTypes("l = T[6,2] parameter(0)\nr = T[6,4] parameter(1)\ng = s32[3] constant({2,0,3})\nROOT o = T[3,2,4] ragged-dot(l, r, g), "
             "lhs_contracting_dims={0}, rhs_contracting_dims={0}, lhs_ragged_dims={0}", sweep, edges);
  }
  EXPECT_GT(sweep.ran, 300);
}

// Small factors, wide results, and mixed sides.
TEST(Types, ProductsIntoOtherTypes) {
  Sweep sweep;
  for (const char* to : {"s32", "f32", "f64", "bf16", "s64", "u8"}) {
    const std::string t = to;
    RunTypes("x = T[7,19] parameter(0)\ny = T[19,5] parameter(1)\nROOT r = " + t + "[7,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}", sweep, false);
    RunTypes("x = T[7,19] parameter(0)\ny = " + t + "[19,5] parameter(1)\nROOT r = " + t + "[7,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
             sweep, false);
    RunTypes("x = T[2,6,5,3] parameter(0)\nk = T[3,2,3,4] parameter(1)\nROOT r = " + t + "[2,4,4,4] convolution(x, k), window={size=3x2}, dim_labels=b01f_01io->b01f",
             sweep, false);
  }
  EXPECT_GT(sweep.ran, 100);
}

TEST(Types, LinearAlgebraAndNormalisation) {
  Sweep sweep;
  for (const char* lower : {"true", "false"}) {
    RunTypes(std::string("x = T[2,3,3] parameter(0)\nROOT r = T[2,3,3] cholesky(x), lower=") + lower, sweep);
    for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
      RunTypes(std::string("x = T[2,3,3] parameter(0)\ny = T[2,3,4] parameter(1)\nROOT r = T[2,3,4] triangular-solve(x, y), left_side=true, "
                           "unit_diagonal=true, lower=") + lower + ", transpose_a=" + transpose, sweep, false);
      RunTypes(std::string("x = T[3,3] parameter(0)\ny = T[4,3] parameter(1)\nROOT r = T[4,3] triangular-solve(x, y), left_side=false, "
                           "unit_diagonal=false, lower=") + lower + ", transpose_a=" + transpose, sweep, false);
    }
  }
  RunTypes("x = T[0,0] parameter(0)\nROOT r = T[0,0] cholesky(x), lower=true", sweep);
  for (const char* kind : {"FFT", "IFFT"}) RunTypes(std::string("x = T[2,6] parameter(0)\nROOT r = T[2,6] fft(x), fft_length={6}, fft_type=") + kind, sweep);
  RunTypes("x = T[2,6] parameter(0)\nROOT r = c64[2,4] fft(x), fft_length={6}, fft_type=RFFT", sweep);
  RunTypes("x = T[2,4] parameter(0)\nROOT r = f64[2,7] fft(x), fft_length={7}, fft_type=IRFFT", sweep);
  const std::string x = "x = T[3,4,2] parameter(0)\ns = T[4] parameter(1)\no = T[4] parameter(2)\n";
  for (bool edges : {false, true}) {
    RunTypes(x + "ROOT r = (T[3,4,2], T[4], T[4]) batch-norm-training(x, s, o), epsilon=0.5, feature_index=1", sweep, edges);
    RunTypes(x + "m = T[4] parameter(3)\nv = T[4] parameter(4)\nROOT r = T[3,4,2] batch-norm-inference(x, s, o, m, v), epsilon=0.5, feature_index=1", sweep, edges);
    RunTypes(x + "m = T[4] parameter(3)\ng = T[3,4,2] parameter(4)\nROOT r = (T[3,4,2], T[4], T[4]) batch-norm-grad(x, s, o, m, g), epsilon=0.5, feature_index=1",
             sweep, edges);
  }
  RunTypes("x = T[0,4] parameter(0)\ns = T[4] parameter(1)\nROOT r = (T[0,4], T[4], T[4]) batch-norm-training(x, s, s), epsilon=0.5, feature_index=1", sweep);
  EXPECT_GT(sweep.ran, 100);
}

TEST(Types, Random) {
  Sweep sweep;
  RunTypes("a = T[] parameter(0)\nb = T[] parameter(1)\nROOT r = T[33] rng(a, b), distribution=rng_uniform", sweep);
  RunTypes("a = T[] parameter(0)\nb = T[] parameter(1)\nROOT r = T[33] rng(a, b), distribution=rng_normal", sweep);
  for (const char* algorithm : {"rng_default", "rng_three_fry", "rng_philox"}) {
    RunTypes(std::string("s = u64[2] constant({1,2})\nROOT r = (u64[2], T[5,3]) rng-bit-generator(s), algorithm=") + algorithm, sweep);
    RunTypes(std::string("s = u64[2] constant({1,2})\nROOT r = (u64[2], T[0]) rng-bit-generator(s), algorithm=") + algorithm, sweep);
  }
  EXPECT_GT(sweep.ran, 50);
}

}  // namespace
}  // namespace hloscope
