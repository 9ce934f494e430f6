// Bytes assembled by hand from the documented field numbers, so that reader and writer cannot agree on a wrong number; damaged bytes; and
// how the four kinds of message are told apart.
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "core/text/proto/hlo_proto.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A message under construction.
class M {
 public:
  M& Int(int field, uint64_t value) {
    Varint(field << 3 | 0);
    Varint(value);
    return *this;
  }
  M& Text(int field, absl::string_view bytes) {
    Varint(field << 3 | 2);
    Varint(bytes.size());
    bytes_.append(bytes.data(), bytes.size());
    return *this;
  }
  M& Sub(int field, const M& message) { return Text(field, message.bytes_); }
  M& Ints(int field, const std::vector<int64_t>& values) {  // packed
    M packed;
    for (int64_t v : values) packed.Varint(static_cast<uint64_t>(v));
    return Text(field, packed.bytes_);
  }
  M& Loose(int field, const std::vector<int64_t>& values) {  // one by one
    for (int64_t v : values) Int(field, static_cast<uint64_t>(v));
    return *this;
  }
  template <typename T>
  M& Fixed(int field, T value) {
    Varint(field << 3 | (sizeof(T) == 8 ? 1 : 5));
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  template <typename T>
  M& FixedList(int field, const std::vector<T>& values) {
    return Text(field, absl::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_.push_back(static_cast<char>(v | 0x80));
    bytes_.push_back(static_cast<char>(v));
  }
  std::string bytes_;
};

constexpr int kF32 = 11, kS32 = 4, kPred = 1, kTuple = 13;

M ArrayShape(int type, const std::vector<int64_t>& dimensions) {
  std::vector<int64_t> order;
  for (size_t i = dimensions.size(); i-- > 0;) order.push_back(static_cast<int64_t>(i));
  M shape;
  shape.Int(2, type);
  if (!dimensions.empty()) shape.Ints(3, dimensions);
  return shape.Sub(5, order.empty() ? M() : M().Ints(1, order));
}
M Instruction(absl::string_view name, absl::string_view opcode, const M& shape, int64_t id, const std::vector<int64_t>& operands = {}) {
  M i;
  i.Text(1, name).Text(2, opcode).Sub(3, shape).Int(35, id);
  if (!operands.empty()) i.Ints(36, operands);
  return i;
}
M Parameter(absl::string_view name, int64_t number, const M& shape, int64_t id) { return Instruction(name, "parameter", shape, id).Int(9, number); }
M Computation(absl::string_view name, int64_t id, int64_t root, const std::vector<M>& instructions) {
  M c;
  c.Text(1, name);
  for (const M& i : instructions) c.Sub(2, i);
  return c.Int(5, id).Int(6, root);
}
M ModuleOf(const std::vector<M>& computations, int64_t entry) {
  M m;
  m.Text(1, "byhand");
  for (const M& c : computations) m.Sub(3, c);
  return m.Int(6, entry);
}
M Adder() {
  const M s = ArrayShape(kF32, {});
  return Computation("adder", 7, 3, {Parameter("a", 0, s, 1), Parameter("b", 1, s, 2), Instruction("s", "add", s, 3, {1, 2})});
}

std::string Messages(const DiagnosticSink& sink) {
  std::string text;
  for (const Diagnostic& d : sink.diagnostics()) absl::StrAppend(&text, d.label, ": ", d.message, "\n");
  return text;
}

std::string ReadBack(const M& module) {
  DiagnosticSink sink;
  const ProtoProgram program = ReadHloProto(M().Sub(1, module).bytes(), "byhand", sink);
  EXPECT_EQ(Messages(sink), "");
  if (program.module == nullptr) return "";
  EXPECT_EQ(program.format, "hlo proto");
  return PrintHloText(*program.module);
}

// One instruction `i` of parameters x: f32[2,3] and y: s32[2,3], with its own fields, as the line that it is in text.
std::string Line(M i, const std::vector<M>& computations = {}) {
  const M x = Parameter("x", 0, ArrayShape(kF32, {2, 3}), 100), y = Parameter("y", 1, ArrayShape(kS32, {2, 3}), 101);
  std::vector<M> all = computations;
  all.push_back(Computation("main", 50, 102, {x, y, i}));
  const std::string text = ReadBack(ModuleOf(all, 50));
  const size_t at = text.find("ROOT i = ");
  if (at == std::string::npos) return text;
  return text.substr(at + 9, text.find('\n', at) - at - 9);
}
M I(absl::string_view opcode, const M& shape, const std::vector<int64_t>& operands) { return Instruction("i", opcode, shape, 102, operands); }

TEST(Wire, ModuleComputationsAndOperands) {
  const M s = ArrayShape(kF32, {2});
  M main = Computation("main", 9, 6, {Parameter("x", 0, s, 5), Instruction("y", "add", s, 6, {5, 5}).Ints(37, {5})});
  M module = ModuleOf({Adder(), main}, 9);
  module.Sub(4, M().Sub(1, s).Sub(2, s));  // host_program_shape
  EXPECT_EQ(ReadBack(module),
            "HloModule byhand, entry_computation_layout={(f32[2]{0})->f32[2]{0}}\n\n"
            "adder (a: f32[], b: f32[]) -> f32[] {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n\n"
            "ENTRY main (x: f32[2]) -> f32[2] {\n  x = f32[2]{0} parameter(0)\n  ROOT y = f32[2]{0} add(x, x), control-predecessors={x}\n}\n\n");
}

TEST(Wire, Shapes) {
  const std::pair<int, absl::string_view> types[] = {
      {1, "pred"}, {2, "s8"}, {3, "s16"}, {4, "s32"}, {5, "s64"}, {6, "u8"}, {7, "u16"}, {8, "u32"}, {9, "u64"}, {10, "f16"}, {11, "f32"},
      {12, "f64"}, {15, "c64"}, {16, "bf16"}, {18, "c128"}, {19, "f8e5m2"}, {20, "f8e4m3fn"}, {21, "s4"}, {22, "u4"}, {23, "f8e4m3b11fnuz"},
      {24, "f8e5m2fnuz"}, {25, "f8e4m3fnuz"}, {26, "s2"}, {27, "u2"}, {28, "f8e4m3"}, {29, "f8e3m4"}, {30, "s1"}, {31, "u1"},
      {32, "f4e2m1fn"}, {33, "f8e8m0fnu"}};
  for (const auto& [number, name] : types) EXPECT_EQ(Line(I("custom", ArrayShape(number, {2}), {}).Text(2, "iota").Ints(14, {0})), absl::StrCat(name, "[2]{0} iota(), iota_dimension=0"));
  M layout;
  layout.Ints(1, {0, 1}).Sub(6, M().Ints(1, {8, 128})).Int(7, 64).Int(8, 5);
  EXPECT_EQ(Line(I("copy", M().Int(2, kF32).Ints(3, {2, 3}).Sub(5, layout), {100})), "f32[2,3]{0,1:T(8,128)E(64)S(5)} copy(x)");
  EXPECT_EQ(Line(I("copy", M().Int(2, kF32).Loose(3, {2, 3}).Ints(6, {0, 1}), {100})), "f32[2,<=3] copy(x)");
  const M tuple = M().Int(2, kTuple).Sub(4, ArrayShape(kF32, {2, 3})).Sub(4, M().Int(2, 17)).Sub(4, M().Int(2, kTuple));
  EXPECT_EQ(Line(I("tuple", tuple, {100})), "(f32[2,3]{1,0}, token[], ()) tuple(x)");
}

TEST(Wire, Literals) {
  const auto constant = [](const M& shape, M literal) {
    return Line(I("constant", shape, {}).Sub(8, literal.Sub(1, shape)));
  };
  EXPECT_EQ(constant(ArrayShape(kF32, {3}), M().FixedList<float>(8, {1.5f, -2, 0})), "f32[3]{0} constant({1.5, -2, 0})");
  EXPECT_EQ(constant(ArrayShape(kPred, {2}), M().Ints(2, {1, 0})), "pred[2]{0} constant({1, 0})");
  EXPECT_EQ(constant(ArrayShape(6, {2}), M().Text(3, "\x07\xff")), "u8[2]{0} constant({7, 255})");
  EXPECT_EQ(constant(ArrayShape(kS32, {2}), M().Ints(4, {-1, 7})), "s32[2]{0} constant({-1, 7})");
  EXPECT_EQ(constant(ArrayShape(5, {2}), M().Loose(5, {-1, 7})), "s64[2]{0} constant({-1, 7})");
  EXPECT_EQ(constant(ArrayShape(8, {1}), M().Ints(6, {4294967295})), "u32[1]{0} constant({4294967295})");
  EXPECT_EQ(constant(ArrayShape(9, {1}), M().Ints(7, {-1})), "u64[1]{0} constant({18446744073709551615})");
  EXPECT_EQ(constant(ArrayShape(12, {1}), M().FixedList<double>(9, {0.1})), "f64[1]{0} constant({0.1})");
  EXPECT_EQ(constant(ArrayShape(10, {1}), M().Text(11, absl::string_view("\x00\x3e", 2))), "f16[1]{0} constant({1.5})");
  EXPECT_EQ(constant(ArrayShape(15, {1}), M().FixedList<float>(12, {1, 2})), "c64[1]{0} constant({(1, 2)})");
  EXPECT_EQ(constant(ArrayShape(16, {1}), M().Text(13, absl::string_view("\xc0\x3f", 2))), "bf16[1]{0} constant({1.5})");
  EXPECT_EQ(constant(ArrayShape(2, {1}), M().Text(15, "\xfe")), "s8[1]{0} constant({-2})");
  EXPECT_EQ(constant(ArrayShape(7, {1}), M().Text(16, "\x02\x01")), "u16[1]{0} constant({258})");
  EXPECT_EQ(constant(ArrayShape(3, {1}), M().Text(17, "\xfe\xff")), "s16[1]{0} constant({-2})");
  EXPECT_EQ(constant(ArrayShape(18, {1}), M().FixedList<double>(18, {1, 2})), "c128[1]{0} constant({(1, 2)})");
  EXPECT_EQ(constant(ArrayShape(19, {1}), M().Text(19, "\x3e")), "f8e5m2[1]{0} constant({1.5})");
  EXPECT_EQ(constant(ArrayShape(20, {1}), M().Text(20, "\x3c")), "f8e4m3fn[1]{0} constant({1.5})");
  EXPECT_EQ(constant(ArrayShape(28, {1}), M().Text(28, "\x3c")), "f8e4m3[1]{0} constant({1.5})");
  // Below a byte: an element a byte, or packed from the low bits up.
  EXPECT_EQ(constant(ArrayShape(21, {3}), M().Text(21, absl::string_view("\x01\x0f\x08", 3))), "s4[3]{0} constant({1, -1, -8})");
  EXPECT_EQ(constant(ArrayShape(21, {3}), M().Text(21, absl::string_view("\xf1\x08", 2))), "s4[3]{0} constant({1, -1, -8})");
  EXPECT_EQ(constant(ArrayShape(22, {4}), M().Text(22, absl::string_view("\x21\x43", 2))), "u4[4]{0} constant({1, 2, 3, 4})");
  EXPECT_EQ(constant(ArrayShape(27, {4}), M().Text(27, "\xe4")), "u2[4]{0} constant({0, 1, 2, 3})");
  // In the order of the layout: column by column.
  const M columns = M().Int(2, kS32).Ints(3, {2, 3}).Sub(5, M().Ints(1, {0, 1}));
  EXPECT_EQ(constant(columns, M().Ints(4, {1, 4, 2, 5, 3, 6})), "s32[2,3]{0,1} constant({ {1, 2, 3}, {4, 5, 6} })");
  // A literal without elements is one that was left out.
  EXPECT_EQ(constant(ArrayShape(kF32, {3}), M()), "f32[3]{0} constant({...})");
}

TEST(Wire, AttributesOfOperations) {
  const M x = ArrayShape(kF32, {2, 3}), v = ArrayShape(kF32, {2});
  EXPECT_EQ(Line(I("get-tuple-element", v, {100})), "f32[2]{0} get-tuple-element(x), index=0");
  EXPECT_EQ(Line(I("get-tuple-element", v, {100}).Int(13, 2)), "f32[2]{0} get-tuple-element(x), index=2");
  EXPECT_EQ(Line(I("transpose", x, {100}).Ints(14, {1, 0})), "f32[2,3]{1,0} transpose(x), dimensions={1,0}");
  EXPECT_EQ(Line(I("reduce", v, {100, 100}).Ints(14, {1}).Ints(38, {7}), {Adder()}), "f32[2]{0} reduce(x, x), dimensions={1}, to_apply=adder");
  const M window = M().Sub(1, M().Int(1, 2).Int(2, 3).Int(3, 4).Int(4, 5).Int(5, 6).Int(6, 7).Int(7, 1)).Sub(1, M().Int(1, 1));
  EXPECT_EQ(Line(I("reduce-window", x, {100, 100}).Sub(15, window).Ints(38, {7}), {Adder()}),
            "f32[2,3]{1,0} reduce-window(x, x), window={size=2x1 stride=3x1 pad=4_5x0_0 lhs_dilate=7x1 rhs_dilate=6x1 rhs_reversal=1x0}, to_apply=adder");
  const M labels = M().Int(7, 0).Int(8, 1).Ints(11, {2, 3}).Int(3, 2).Int(4, 3).Ints(6, {0, 1}).Int(9, 3).Int(10, 0).Ints(12, {1, 2});
  EXPECT_EQ(Line(I("convolution", x, {100, 100}).Sub(15, M().Sub(1, M().Int(1, 1)).Sub(1, M().Int(1, 1))).Sub(16, labels).Int(50, 3).Int(58, 2)
                     .Sub(51, M().Ints(1, {1, 2}))),
            "f32[2,3]{1,0} convolution(x, x), window={size=1x1}, dim_labels=bf01_01io->f01b, feature_group_count=3, batch_group_count=2, "
            "operand_precision={high,highest}");
  EXPECT_EQ(Line(I("slice", v, {100}).Sub(17, M().Int(1, 1).Int(2, 4).Int(3, 2)).Sub(17, M().Int(2, 2).Int(3, 1))), "f32[2]{0} slice(x), slice={[1:4:2], [0:2]}");
  EXPECT_EQ(Line(I("reduce-precision", x, {100}).Int(18, 5).Int(19, 10)), "f32[2,3]{1,0} reduce-precision(x), exponent_bits=5, mantissa_bits=10");
  EXPECT_EQ(Line(I("dynamic-slice", v, {100}).Ints(20, {2, 1})), "f32[2]{0} dynamic-slice(x), dynamic_slice_sizes={2,1}");
  EXPECT_EQ(Line(I("pad", x, {100, 100}).Sub(21, M().Sub(1, M().Int(1, 1).Int(2, -2).Int(3, 3)).Sub(1, M()))), "f32[2,3]{1,0} pad(x, x), padding=1_-2_3x0_0");
  EXPECT_EQ(Line(I("rng", x, {100, 100}).Int(23, 2)), "f32[2,3]{1,0} rng(x, x), distribution=rng_normal");
  EXPECT_EQ(Line(I("batch-norm-inference", x, {100}).Fixed<float>(24, 0.001f).Int(25, 1)), "f32[2,3]{1,0} batch-norm-inference(x), epsilon=0.001, feature_index=1");
  EXPECT_EQ(Line(I("dot", x, {100, 100}).Sub(30, M().Ints(1, {1}).Ints(2, {2}).Ints(3, {0}).Ints(4, {3})).Sub(51, M().Int(2, 6))),
            "f32[2,3]{1,0} dot(x, x), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={3}, rhs_contracting_dims={2}, algorithm=dot_bf16_bf16_f32");
  EXPECT_EQ(Line(I("ragged-dot", x, {100, 100}).Sub(90, M().Sub(1, M().Ints(1, {1}).Ints(2, {0})).Ints(2, {0}).Ints(3, {2}))),
            "f32[2,3]{1,0} ragged-dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={0}, rhs_group_dims={2}");
  EXPECT_EQ(Line(I("fft", x, {100}).Int(31, 3).Ints(32, {4, 5})), "f32[2,3]{1,0} fft(x), fft_type=IRFFT, fft_length={4,5}");
  EXPECT_EQ(Line(I("gather", x, {100, 101}).Sub(33, M().Ints(1, {1}).Ints(2, {0}).Ints(3, {2}).Int(4, 1).Ints(5, {3}).Ints(6, {4})).Ints(34, {1, 3}).Int(67, 1)),
            "f32[2,3]{1,0} gather(x, y), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={2}, operand_batching_dims={3}, "
            "start_indices_batching_dims={4}, index_vector_dim=1, slice_sizes={1,3}, indices_are_sorted=true");
  EXPECT_EQ(Line(I("scatter", x, {100, 101, 100}).Sub(48, M().Ints(1, {1}).Ints(2, {0}).Ints(3, {2}).Int(4, 1).Ints(5, {3}).Ints(6, {4})).Int(69, 1).Ints(38, {7}),
                 {Adder()}),
            "f32[2,3]{1,0} scatter(x, y, x), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={2}, input_batching_dims={3}, "
            "scatter_indices_batching_dims={4}, index_vector_dim=1, unique_indices=true, to_apply=adder");
  EXPECT_EQ(Line(I("compare", ArrayShape(kPred, {2, 3}), {100, 100}).Text(63, "GE").Text(72, "TOTALORDER")),
            "pred[2,3]{1,0} compare(x, x), direction=GE, type=TOTALORDER");
  EXPECT_EQ(Line(I("compare", ArrayShape(kPred, {2, 3}), {100, 100}).Text(63, "LT").Text(72, "FLOAT")), "pred[2,3]{1,0} compare(x, x), direction=LT");
  EXPECT_EQ(Line(I("compare", ArrayShape(kPred, {2, 3}), {101, 101}).Text(63, "LT").Text(72, "SIGNED")), "pred[2,3]{1,0} compare(y, y), direction=LT");
  EXPECT_EQ(Line(I("sort", x, {100}).Ints(14, {1}).Int(60, 1).Ints(38, {7}), {Adder()}), "f32[2,3]{1,0} sort(x), dimensions={1}, is_stable=true, to_apply=adder");
  EXPECT_EQ(Line(I("triangular-solve", x, {100, 100}).Sub(59, M().Int(1, 1).Int(3, 1).Int(4, 2))),
            "f32[2,3]{1,0} triangular-solve(x, x), left_side=true, lower=false, unit_diagonal=true, transpose_a=TRANSPOSE");
  EXPECT_EQ(Line(I("cholesky", x, {100}).Sub(62, M().Int(1, 1))), "f32[2,3]{1,0} cholesky(x), lower=true");
  EXPECT_EQ(Line(I("rng-bit-generator", x, {100}).Int(70, 2)), "f32[2,3]{1,0} rng-bit-generator(x), algorithm=rng_philox");
  EXPECT_EQ(Line(I("rng-get-and-update-state", x, {}).Int(66, 9)), "f32[2,3]{1,0} rng-get-and-update-state(), delta=9");
  EXPECT_EQ(Line(I("topk", x, {100}).Int(81, 3).Int(85, 1)), "f32[2,3]{1,0} topk(x), k=3, largest=true");
  EXPECT_EQ(Line(I("while", x, {100}).Ints(38, {7, 8}), {Adder(), Computation("second", 8, 1, {Parameter("p", 0, v, 1)})}),
            "f32[2,3]{1,0} while(x), condition=second, body=adder");
  EXPECT_EQ(Line(I("fusion", x, {100}).Text(11, "kInput").Ints(38, {7}).Sub(74, M().Ints(1, {1}).Int(2, 0).Ints(3, {2})), {Adder()}),
            "f32[2,3]{1,0} fusion(x), kind=kInput, output_to_operand_aliasing={{1}: (0, {2})}, calls=adder");
  EXPECT_EQ(Line(I("custom-call", x, {100}).Text(28, "target").Int(65, 1).Int(56, 1).Sub(57, x).Int(76, 2).Int(77, 4).Text(43, "opaque\n")),
            "f32[2,3]{1,0} custom-call(x), custom_call_target=\"target\", custom_call_has_side_effect=true, operand_layout_constraints={f32[2,3]{1,0}}, "
            "schedule=SCHEDULE_EARLIEST, api_version=API_VERSION_TYPED_FFI, backend_config=\"opaque\\n\"");
  EXPECT_EQ(Line(I("recv", x, {100}).Int(26, 4).Int(47, 1)), "f32[2,3]{1,0} recv(x), channel_id=4, is_host_transfer=true");
  EXPECT_EQ(Line(I("infeed", x, {100}).Text(27, "c")), "f32[2,3]{1,0} infeed(x), infeed_config=\"c\"");
  EXPECT_EQ(Line(I("outfeed", x, {100}).Text(22, "c").Sub(29, x)), "f32[2,3]{1,0} outfeed(x), outfeed_shape=f32[2,3]{1,0}, outfeed_config=\"c\"");
  EXPECT_EQ(Line(I("async-start", x, {100}).Text(79, "side").Ints(38, {7}), {Adder()}), "f32[2,3]{1,0} async-start(x), async_execution_thread=\"side\", calls=adder");
  EXPECT_EQ(Line(I("copy-start", x, {100}).Int(80, 3)), "f32[2,3]{1,0} copy-start(x), cross_program_prefetch_index=3");
  EXPECT_EQ(Line(I("call", x, {100}).Int(89, 1).Ints(38, {7}), {Adder()}), "f32[2,3]{1,0} call(x), is_composite=true, to_apply=adder");
  EXPECT_EQ(Line(I("exponential", x, {100}).Sub(91, M().Sub(2, M().Fixed<double>(1, 0.5).Fixed<double>(2, 0.25).Int(3, 4)))),
            "f32[2,3]{1,0} exponential(x), result_accuracy={tolerance={atol=0.5,rtol=0.25,ulps=4}}");
}

TEST(Wire, CollectivesAndShardings) {
  const M x = ArrayShape(kF32, {2, 3});
  const auto groups = [&](int field, const M& m) {
    const std::string line = Line(I("all-reduce", x, {100}).Ints(38, {7}).Sub(field, m), {Adder()});
    const size_t at = line.find("replica_groups=");
    return at == std::string::npos ? line : line.substr(at + 15, line.find(", to_apply") - at - 15);
  };
  const M iota = M().Int(1, 2).Int(2, 4).Ints(3, {4, 2}).Ints(4, {1, 0});
  EXPECT_EQ(groups(49, M().Ints(1, {0, 2})), "{{0,2}}");
  EXPECT_EQ(groups(87, M().Sub(1, M().Ints(1, {0, 1})).Sub(1, M().Ints(1, {2, 3}))), "{{0,1},{2,3}}");
  EXPECT_EQ(groups(87, M().Sub(2, iota)), "[2,4]<=[4,2]T(1,0)");
  EXPECT_EQ(groups(92, iota), "[2,4]<=[4,2]T(1,0)");
  const M mesh = M().Sub(1, M().Text(1, "x").Int(2, 2)).Sub(1, M().Text(1, "y").Int(2, 4));
  EXPECT_EQ(groups(93, M().Sub(1, mesh).Sub(2, M().Int(1, 1).Sub(2, M().Int(1, 1).Int(2, 2)))), "mesh['x'=2,'y'=4] {'y':(1)2}");
  EXPECT_EQ(Line(I("collective-permute", x, {100}).Int(26, 5).Sub(52, M().Int(1, 0).Int(2, 1)).Sub(52, M().Int(1, 1))),
            "f32[2,3]{1,0} collective-permute(x), channel_id=5, source_target_pairs={{0,1},{1,0}}");

  const auto sharding = [&](const M& s) {
    const std::string line = Line(I("copy", x, {100}).Sub(40, s));
    const size_t at = line.find("sharding=");
    return at == std::string::npos ? line : line.substr(at + 9);
  };
  EXPECT_EQ(sharding(M()), "{replicated}");
  EXPECT_EQ(sharding(M().Int(1, 1).Ints(3, {1}).Ints(4, {3})), "{maximal device=3}");
  EXPECT_EQ(sharding(M().Int(1, 4)), "{manual}");
  EXPECT_EQ(sharding(M().Int(1, 3).Ints(3, {2, 1, 2}).Ints(4, {0, 2, 1, 3}).Int(6, 1)), "{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}");
  EXPECT_EQ(sharding(M().Int(1, 3).Ints(3, {2, 2}).Ints(9, {4}).Ints(10, {0}).Ints(8, {4, 0}).Int(11, 1).Int(12, 7).Int(13, 1)),
            "{devices=[2,2]<=[4] last_tile_dims={manual, replicated} shard_like 7}");
  EXPECT_EQ(sharding(M().Int(1, 2).Sub(5, M().Int(1, 4)).Sub(5, M())), "{{manual}, {replicated}}");
  EXPECT_EQ(sharding(M().Sub(7, M().Text(2, "n"))), "{replicated metadata={op_name=\"n\"}}");
  const M axis = M().Sub(1, M().Int(1, 0)).Int(2, 1), open = M();
  EXPECT_EQ(sharding(M().Sub(14, M().Sub(2, mesh).Sub(3, axis).Sub(3, open).Sub(4, M().Int(1, 1)))),
            "{mesh['x'=2,'y'=4], [{'x'}, {?}], replicated={'y'}}");
}

TEST(Wire, MetadataAndFrames) {
  const M x = ArrayShape(kF32, {2, 3});
  const M metadata = M().Text(1, "type").Text(2, "it's").Text(3, "f.py").Int(4, 12).Int(15, 2);
  EXPECT_EQ(Line(I("copy", x, {100}).Sub(7, metadata)),
            "f32[2,3]{1,0} copy(x), metadata={op_type=\"type\" op_name=\"it\\'s\" source_file=\"f.py\" source_line=12 stack_frame_id=2}");
  EXPECT_EQ(Line(I("copy", x, {100}).Sub(68, M().Sub(1, M().Text(1, "b").Text(2, "{x}")).Sub(1, M().Text(1, "a").Text(2, "1")))),
            "f32[2,3]{1,0} copy(x), frontend_attributes={a=\"1\",b={x}}");
  EXPECT_EQ(Line(I("copy", x, {100}).Sub(82, M().Int(1, 1).Sub(2, M().Text(1, "s").Fixed<double>(2, 2.5)))),
            "f32[2,3]{1,0} copy(x), statistics={visualizing_index=1,s=2.5}");
  EXPECT_EQ(Line(I("copy", x, {100}).Sub(88, M().Sub(1, M().Sub(2, M().Text(1, "from").Ints(2, {3}))))), "f32[2,3]{1,0} copy(x), origin={{\"from\" {3}}}");
  EXPECT_EQ(Line(I("copy", x, {100}).Sub(99, M().Text(1, "{\"k\":1}"))), "f32[2,3]{1,0} copy(x), backend_config={\"k\":1}");

  M module = ModuleOf({Computation("main", 1, 1, {Parameter("p", 0, x, 1).Sub(7, M().Int(15, 2))})}, 1);
  M frames;
  frames.Text(1, "model.py").Text(2, "forward").Text(2, "loss");
  frames.Sub(3, M().Int(1, 1).Int(2, 2).Int(3, 10).Int(4, 5).Int(5, 11).Int(6, 7)).Sub(3, M().Int(1, 1).Int(2, 1).Int(3, 20).Int(4, 3));
  frames.Sub(4, M().Int(1, 1)).Sub(4, M().Int(1, 2).Int(2, 1));
  module.Sub(17, frames);
  DiagnosticSink sink;
  const ProtoProgram program = ReadHloProto(M().Sub(1, module).bytes(), "byhand", sink);
  ASSERT_NE(program.module, nullptr);
  const std::vector<PythonFrame> python = program.module->PythonFrames(*program.module->entry->root);
  ASSERT_EQ(python.size(), 2u);
  EXPECT_EQ(python[0].function, "forward");
  EXPECT_EQ(python[0].line, 20);
  EXPECT_EQ(python[1].function, "loss");
  EXPECT_EQ(python[1].column, 5);
  EXPECT_EQ(program.module->frames.file_locations[0].end_line, 11);
  EXPECT_EQ(program.module->frames.file_locations[0].end_column, 7);
}

TEST(Wire, HeaderAndSchedule) {
  const M s = ArrayShape(kF32, {});
  M main = Computation("main", 1, 4, {Parameter("x", 0, s, 2), Instruction("n", "negate", s, 3, {2}), Instruction("r", "add", s, 4, {2, 2}),
                                      Instruction("e", "exponential", s, 5, {2})});
  M module = ModuleOf({main}, 1);
  module.Sub(7, M().Sub(1, M().Int(1, 1).Sub(2, M().Ints(1, {2, 5, 3, 4}))));
  module.Sub(8, M().Sub(1, M().Ints(1, {0}).Int(2, 1).Ints(3, {2}).Int(4, 2)));
  module.Sub(18, M().Sub(1, M().Int(1, 3).Ints(2, {1})));
  const std::string text = ReadBack(module);
  EXPECT_THAT(text, HasSubstr("HloModule byhand, is_scheduled=true, input_output_alias={ {0}: (1, {2}, must-alias) }, buffer_donor={ (3, {1}) }\n"));
  EXPECT_LT(text.find("e = "), text.find("n = "));  // in the order of the schedule
}

// Field numbers of what the writer makes, by a decoder that knows none of them: path -> raw bytes, "1.3.2.36".
void Decode(absl::string_view bytes, const std::string& path, const std::set<std::string>& inner, std::multimap<std::string, std::string>& out) {
  size_t at = 0;
  const auto varint = [&] {
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t b = static_cast<uint8_t>(bytes[at++]);
      v |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
  };
  while (at < bytes.size()) {
    const uint64_t tag = varint();
    const std::string here = absl::StrCat(path, path.empty() ? "" : ".", tag >> 3);
    const int wire = static_cast<int>(tag & 7);
    if (wire == 0) {
      out.emplace(here, absl::StrCat(varint()));
      continue;
    }
    const size_t size = wire == 2 ? varint() : wire == 1 ? 8 : 4;
    const absl::string_view value = bytes.substr(at, size);
    at += size;
    if (inner.count(here) > 0) Decode(value, here, inner, out);
    else out.emplace(here, std::string(value));
  }
}

TEST(Wire, TheWriterUsesTheDocumentedNumbers) {
  DiagnosticSink sink;
  auto source = std::make_shared<SourceText>("w", R"(HloModule w
ENTRY main {
  x = f32[2,<=3]{0,1} parameter(0), sharding={devices=[2,1]<=[2]}, metadata={op_name="n" stack_frame_id=4}
  i = s32[2]{0} constant({ -1, 7 })
  d = f32[2,2]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT c = pred[2,2]{1,0} compare(d, d), direction=EQ
})");
  const std::unique_ptr<Module> module = ReadHloText(source, sink);
  std::multimap<std::string, std::string> fields;
  const std::set<std::string> inner = {"1", "1.3", "1.3.2", "1.3.2.3", "1.3.2.3.5", "1.3.2.7", "1.3.2.8", "1.3.2.30", "1.3.2.40"};
  Decode(WriteHloProto(*module), "", inner, fields);
  const auto all = [&](const std::string& path) {
    std::vector<std::string> values;
    for (auto [it, end] = fields.equal_range(path); it != end; ++it) values.push_back(it->second);
    return values;
  };
  EXPECT_THAT(all("1.1"), ElementsAre("w"));
  EXPECT_THAT(all("1.2"), ElementsAre("main"));
  EXPECT_THAT(all("1.6"), ElementsAre("1"));
  EXPECT_THAT(all("1.3.1"), ElementsAre("main"));
  EXPECT_THAT(all("1.3.5"), ElementsAre("1"));
  EXPECT_THAT(all("1.3.6"), ElementsAre("4"));
  EXPECT_THAT(all("1.3.2.1"), ElementsAre("x", "i", "d", "c"));
  EXPECT_THAT(all("1.3.2.2"), ElementsAre("parameter", "constant", "dot", "compare"));
  EXPECT_THAT(all("1.3.2.35"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(all("1.3.2.36"), ElementsAre("\x01\x01", "\x03\x03"));
  EXPECT_THAT(all("1.3.2.3.2"), ElementsAre("11", "4", "11", "1"));
  EXPECT_THAT(all("1.3.2.3.3"), Contains("\x02\x03"));
  EXPECT_THAT(all("1.3.2.3.6"), Contains(std::string("\x00\x01", 2)));
  EXPECT_THAT(all("1.3.2.3.5.1"), Contains(std::string("\x00\x01", 2)));
  EXPECT_THAT(all("1.3.2.8.4"), ElementsAre("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x07"));
  EXPECT_THAT(all("1.3.2.30.1"), ElementsAre("\x01"));
  EXPECT_THAT(all("1.3.2.63"), ElementsAre("EQ"));
  EXPECT_THAT(all("1.3.2.72"), ElementsAre("FLOAT"));
  EXPECT_THAT(all("1.3.2.40.1"), ElementsAre("3"));
  EXPECT_THAT(all("1.3.2.40.9"), ElementsAre("\x02"));
  EXPECT_THAT(all("1.3.2.7.2"), ElementsAre("n"));
  EXPECT_THAT(all("1.3.2.7.15"), ElementsAre("4"));
}

M SmallModule() {
  const M s = ArrayShape(kF32, {2});
  return ModuleOf({Computation("main", 1, 3, {Parameter("x", 0, s, 2), Instruction("y", "add", s, 3, {2, 2})})}, 1);
}
M Vector(const std::vector<float>& values) { return M().Sub(1, ArrayShape(kF32, {static_cast<int64_t>(values.size())})).FixedList(8, values); }

TEST(Kinds, AreToldApart) {
  const auto format = [](const M& m) {
    EXPECT_TRUE(IsHloProto(m.bytes()));
    DiagnosticSink sink;
    ProtoProgram program = ReadHloProto(m.bytes(), "k", sink);
    EXPECT_EQ(Messages(sink), "");
    return absl::StrCat(program.format, " ", program.arguments.size(), program.result.has_value() ? " result" : "");
  };
  EXPECT_EQ(format(SmallModule()), "hlo module proto 0");
  EXPECT_EQ(format(M().Sub(1, SmallModule())), "hlo proto 0");
  EXPECT_EQ(format(M().Sub(1, SmallModule()).Sub(3, M().Int(1, 5))), "hlo proto 0");  // with a buffer assignment
  EXPECT_EQ(format(M().Sub(1, M().Sub(1, SmallModule())).Sub(2, Vector({1, 2})).Sub(3, Vector({2, 4})).Text(4, "CPU")), "hlo snapshot 1 result");
  EXPECT_EQ(format(M().Sub(1, SmallModule()).Sub(2, M().Sub(1, Vector({1, 2})))), "hlo unoptimized snapshot 1");
  // Fields that nobody has yet are passed over.
  EXPECT_EQ(format(M().Sub(1, SmallModule().Text(4000, "future"))), "hlo proto 0");
}

TEST(Kinds, TextIsNot) {
  EXPECT_FALSE(IsHloProto(""));
  EXPECT_FALSE(IsHloProto("HloModule m\n\nENTRY e {\n}\n"));
  EXPECT_FALSE(IsHloProto("\nHloModule m"));
  EXPECT_FALSE(IsHloProto("module @m {\x01}"));
}

TEST(Kinds, SnapshotsBringTheirValues) {
  DiagnosticSink sink;
  const ProtoProgram program = ReadHloProto(M().Sub(1, M().Sub(1, SmallModule())).Sub(2, Vector({1, 2})).Sub(3, Vector({2, 4})).bytes(), "s", sink);
  ASSERT_EQ(program.arguments.size(), 1u);
  EXPECT_EQ(program.arguments[0].as<float>()[1], 2);
  EXPECT_EQ(program.result.as<float>()[1], 4);
  const std::string written = WriteHloSnapshot(*program.module, program.arguments, program.result);
  const ProtoProgram again = ReadHloProto(written, "s", sink);
  EXPECT_EQ(again.format, "hlo snapshot");
  ASSERT_EQ(again.arguments.size(), 1u);
  EXPECT_TRUE(Value::BitEqual(again.arguments[0], program.arguments[0]));
  EXPECT_TRUE(Value::BitEqual(again.result, program.result));
}

std::string FirstProblem(const M& m) {
  DiagnosticSink sink;
  ReadHloProto(m.bytes(), "d", sink);
  return sink.diagnostics().empty() ? "" : absl::StrCat("[", sink.diagnostics()[0].label, "] ", sink.diagnostics()[0].message);
}

TEST(Damage, SnapshotsThatDoNotFit) {
  const M program = M().Sub(1, SmallModule());
  EXPECT_THAT(FirstProblem(M().Sub(1, program).Sub(2, Vector({1, 2, 3}))), HasSubstr("[proto.snapshot-arguments] argument 0 of the snapshot does not fit"));
  EXPECT_THAT(FirstProblem(M().Sub(1, program).Sub(2, Vector({1, 2})).Sub(2, Vector({1, 2}))),
              HasSubstr("[proto.snapshot-arguments] the snapshot has 2 arguments for a program of 1 parameters"));
  EXPECT_THAT(FirstProblem(M().Sub(1, program).Sub(2, Vector({1, 2})).Sub(3, Vector({1}))), HasSubstr("[proto.snapshot-result]"));
}

TEST(Damage, WhatTheFieldsMayNotSay) {
  const M s = ArrayShape(kF32, {2});
  const auto problem = [&](const M& i, int64_t root = 2) { return FirstProblem(M().Sub(1, ModuleOf({Computation("main", 1, root, {Parameter("x", 0, s, 1), i})}, 1))); };
  EXPECT_THAT(problem(Instruction("y", "add", s, 2, {1, 9})), HasSubstr("[proto.operand-id] %y in main uses instruction 9"));
  EXPECT_THAT(problem(Instruction("y", "add", ArrayShape(99, {2}), 2, {1, 1})), HasSubstr("[proto.shape] the shape of %y in main is damaged: no element type has the number 99"));
  EXPECT_THAT(problem(Instruction("y", "add", ArrayShape(kF32, {-2}), 2, {1, 1})), HasSubstr("a shape has the size -2 in dimension 0"));
  EXPECT_THAT(problem(Instruction("y", "add", M().Int(2, kF32).Ints(3, {2}).Sub(5, M().Ints(1, {1})), 2, {1, 1})), HasSubstr("the layout {1} is no order of 1 dimensions"));
  EXPECT_THAT(problem(Instruction("y", "add", s, 2, {1, 1}), 77), HasSubstr("[proto.root] the root of main, 77"));
  EXPECT_THAT(problem(Instruction("y", "(", s, 2, {1, 1})), HasSubstr("[proto.opcode]"));
  EXPECT_THAT(problem(Instruction("y", "call", s, 2, {1}).Ints(38, {5})), HasSubstr("[proto.computation-id] %y in main calls computation 5"));
  EXPECT_THAT(problem(Instruction("y", "frobnicate", s, 2, {1})), HasSubstr("[text."));
  EXPECT_THAT(FirstProblem(M().Sub(1, ModuleOf({Computation("main", 1, 1, {Parameter("x", 0, s, 1)})}, 8))), HasSubstr("[proto.entry] no computation has the id of the entry, 8"));
  const M many = ArrayShape(kF32, {100});
  EXPECT_THAT(problem(Instruction("y", "constant", many, 2).Sub(8, M().Sub(1, many).FixedList<float>(8, {1, 2}))),
              HasSubstr("[proto.literal] the literal of %y is damaged: a literal of f32[100] has 2 elements"));
}

TEST(Damage, NamesTheByte) {
  // field 1 (6 bytes long, though 3 are there)
  EXPECT_EQ(FirstProblem(M().Text(1, absl::string_view("\x1a\x06\x0a\x01m", 5))),
            "[proto.damaged] byte 3, in hlo_module.computations[0]: a field of 6 bytes begins where 3 are left");
  const std::string good = M().Sub(1, SmallModule()).bytes();
  for (size_t cut = 1; cut < good.size(); ++cut) {
    DiagnosticSink sink;
    ReadHloProto(absl::string_view(good).substr(0, cut), "cut", sink);
    ASSERT_GT(sink.error_count(), 0) << cut;
    EXPECT_EQ(sink.diagnostics()[0].label, "proto.damaged");
    EXPECT_TRUE(absl::StartsWith(sink.diagnostics()[0].message, "byte ")) << sink.diagnostics()[0].message;
  }
}

// Whatever the bytes: no crash, and an error wherever there is no module.
TEST(Damage, RandomChanges) {
  DiagnosticSink sink;
  auto source = std::make_shared<SourceText>("f", R"(HloModule f, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{1,0}}
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[2,3]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}
  c = s4[3]{0} constant({ 1, 2, 3 })
  z = f32[] constant(0)
  k = f32[1,1,2,2]{3,2,1,0} constant({ { { { 1, 2 }, { 3, 4 } } } })
  v = f32[1,1,1,1]{3,2,1,0} convolution(k, k), window={size=2x2}, dim_labels=bf01_oi01->bf01
  r = f32[2]{0} reduce(x, z), dimensions={1}, to_apply=add
  ROOT y = f32[2,3]{1,0} all-reduce(x), replica_groups=[1,2]<=[2], to_apply=add, metadata={op_name="n"}
})");
  const std::unique_ptr<Module> module = ReadHloText(source, sink);
  ASSERT_EQ(sink.error_count(), 0);
  const std::string good = WriteHloSnapshot(*module, {}, Value());
  std::mt19937 random(1);
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    for (int n = static_cast<int>(random() % 4) + 1; n > 0; --n) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8)); break;
        case 2: bytes.erase(at, random() % 5); break;
        default: bytes.insert(at, 1, static_cast<char>(random())); break;
      }
      if (bytes.empty()) bytes = good;
    }
    DiagnosticSink problems;
    IsHloProto(bytes);
    ProtoProgram program = ReadHloProto(bytes, "fuzz", problems);
    ASSERT_NE(program.source, nullptr);
    if (program.module == nullptr) {
      EXPECT_GT(problems.error_count(), 0) << round;
      continue;
    }
    ++read;
    Verify(*program.module, problems);
    PrintHloText(*program.module);
    if (problems.error_count() == 0) WriteHloProto(*program.module);
  }
  EXPECT_GT(read, 10);
}

}  // namespace
}  // namespace hloscope
