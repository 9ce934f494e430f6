// A table of small programs, made for every operation and element type, on the oracle and both backends. And the oracle's own foundations
// against published figures.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/random.h"
#include "tests/random/harness.h"

namespace hloscope {
namespace {

std::vector<std::string> Types(const std::function<bool(ElementType)>& wanted) {
  std::vector<std::string> names;
  for (int t = 0; t < kElementTypeCount; ++t) {
    const ElementType type = static_cast<ElementType>(t);
    if (IsArrayType(type) && wanted(type)) names.emplace_back(Name(type));
  }
  return names;
}
const std::vector<std::string>& Integers() {
  static const auto& v = *new std::vector<std::string>(Types([](ElementType t) { return IsInteger(t); }));
  return v;
}
const std::vector<std::string>& Floats() {
  static const auto& v = *new std::vector<std::string>(Types([](ElementType t) { return IsFloat(t); }));
  return v;
}
const std::vector<std::string>& Complexes() {
  static const auto& v = *new std::vector<std::string>(Types([](ElementType t) { return IsComplex(t); }));
  return v;
}
const std::vector<std::string>& All() {
  static const auto& v = *new std::vector<std::string>(Types([](ElementType) { return true; }));
  return v;
}

std::vector<std::string> Join(std::initializer_list<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (const auto& l : lists) all.insert(all.end(), l.begin(), l.end());
  return all;
}
bool IsFunny(const std::string& type) { return type == "f8e8m0fnu"; }  // no zero, no sign: arithmetic means little in it

// The bodies of entries; `$` stands for the element type. "name = ..." lines as in HLO text.
class Table {
 public:
  // Every program of a test runs on inputs of each kind.
  void Run(const std::string& body, const std::string& computations = "", std::vector<Inputs> kinds = {Inputs::kSmall, Inputs::kMixed, Inputs::kSpecial}) {
    const std::string text = absl::StrCat("HloModule table\n\n", computations, "\nENTRY main {\n", body, "\n}\n");
    std::string problems;
    std::unique_ptr<Module> module = ReadProgram(text, &problems);
    if (module == nullptr) {
      Report(text, problems);
      return;
    }
    for (Inputs kind : kinds) {
      const TrioOutcome o = trio_.Compare(*module, MakeArguments(*module, kind, ++seed_));
      ++programs_;
      compared_ += o.compared;
      exact_ += o.exact;
      unknown_ += o.unknown;
      if (o.kind != TrioOutcome::kAgrees) {
        Report(text, absl::StrCat("inputs ", static_cast<int>(kind), " seed ", seed_, ": ", o.what));
        return;
      }
    }
  }
  void RunTypes(const std::vector<std::string>& types, const std::string& body, const std::string& computations = "",
                std::vector<Inputs> kinds = {Inputs::kSmall, Inputs::kMixed, Inputs::kSpecial}) {
    for (const std::string& type : types) {
      Run(absl::StrReplaceAll(body, {{"$", type}}), absl::StrReplaceAll(computations, {{"$", type}}), kinds);
    }
  }
  ~Table() {
    std::cout << (trio_.has_jit() ? "  with JIT: " : "  without JIT: ") << programs_ << " runs, " << compared_ << " elements compared, " << exact_ << " of them to the bit, " << unknown_ << " undecided\n";
    if (compared_ == 0 && programs_ > 0) ADD_FAILURE() << "nothing was compared";
  }

 private:
  void Report(const std::string& text, const std::string& what) {
    if (++failures_ <= 40) ADD_FAILURE() << what << "\n" << text;
  }
  Trio trio_;
  uint64_t seed_ = 0;
  int64_t programs_ = 0, compared_ = 0, exact_ = 0, unknown_ = 0, failures_ = 0;
};

TEST(OracleFoundations, PublishedRandomVectors) {
  using A2 = std::array<uint32_t, 2>;
  using A4 = std::array<uint32_t, 4>;
  const uint32_t f = 0xFFFFFFFFu;
  EXPECT_EQ(oracle::Threefry({0, 0}, {0, 0}), (A2{0x6b200159u, 0x99ba4efeu}));
  EXPECT_EQ(oracle::Threefry({f, f}, {f, f}), (A2{0x1cb996fcu, 0xbb002be7u}));
  EXPECT_EQ(oracle::Threefry({0x243f6a88u, 0x85a308d3u}, {0x13198a2eu, 0x03707344u}), (A2{0xc4923a9cu, 0x483df7a0u}));
  EXPECT_EQ(oracle::Philox({0, 0, 0, 0}, {0, 0}), (A4{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  EXPECT_EQ(oracle::Philox({f, f, f, f}, {f, f}), (A4{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
  EXPECT_EQ(oracle::Philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}),
            (A4{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
}

TEST(OracleFoundations, CodecsInvertAndRoundingKeepsWhatIsThere) {
  for (const std::string& name : Floats()) {
    const ElementType type = *ElementTypeFromName(name);
    if (BitWidth(type) > 16) continue;
    for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) {
      const double v = oracle::Decode(type, bits);
      if (std::isnan(v)) continue;
      ASSERT_EQ(oracle::Encode(type, v), bits) << name;
      const double rounded = oracle::Round(type, v);
      ASSERT_TRUE(rounded == v && std::signbit(rounded) == std::signbit(v)) << name << " " << v;
    }
  }
  EXPECT_EQ(oracle::Decode(ElementType::kBF16, 0x3F80), 1);
  EXPECT_EQ(oracle::Decode(ElementType::kF16, 0x3C01), 1 + 0x1p-10);
  EXPECT_EQ(oracle::Decode(ElementType::kF8E4M3FN, 0x7E), 448);
  EXPECT_EQ(oracle::Decode(ElementType::kF8E5M2FNUZ, 0x01), 0x1p-17);
  EXPECT_EQ(oracle::Decode(ElementType::kF8E4M3B11FNUZ, 0x7F), 30);
  EXPECT_EQ(oracle::Decode(ElementType::kF8E3M4, 0x6F), 15.5);
  EXPECT_EQ(oracle::Decode(ElementType::kF4E2M1FN, 0x7), 6);
  EXPECT_EQ(oracle::Decode(ElementType::kF8E8M0FNU, 0x80), 2);
}

TEST(OracleTable, Unary) {
  Table table;
  const std::string body = "  x = $[40] parameter(0)\n  ROOT r = $[40] OP(x)";
  for (const char* op : {"abs", "cbrt", "ceil", "cosine", "erf", "exponential", "exponential-minus-one", "floor", "log", "log-plus-one", "logistic",
                         "negate", "round-nearest-afz", "round-nearest-even", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh"}) {
    for (const std::string& type : Floats()) {
      if (!IsFunny(type)) table.RunTypes({type}, absl::StrReplaceAll(body, {{"OP", op}}));
    }
  }
  for (const char* op : {"acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh"}) {
    table.RunTypes({"f16", "bf16", "f32", "f64"}, absl::StrReplaceAll(body, {{"OP", op}}));
  }
  for (const char* op : {"cbrt", "cosine", "exponential", "exponential-minus-one", "log", "log-plus-one", "logistic", "negate", "rsqrt", "sign",
                         "sine", "sqrt", "tan", "tanh"}) {
    if (std::string(op) != "cbrt") table.RunTypes(Complexes(), absl::StrReplaceAll(body, {{"OP", op}}));
  }
  for (const char* op : {"abs", "negate", "not", "popcnt", "count-leading-zeros", "sign"}) {
    for (const std::string& type : Integers()) {
      const bool is_signed = type[0] == 's';
      if (is_signed || (std::string(op) != "abs" && std::string(op) != "sign")) table.RunTypes({type}, absl::StrReplaceAll(body, {{"OP", op}}));
    }
  }
  table.Run("  x = pred[40] parameter(0)\n  ROOT r = pred[40] not(x)");
  table.RunTypes(Floats(), "  x = $[40] parameter(0)\n  ROOT r = pred[40] is-finite(x)");
  table.Run("  x = c64[40] parameter(0)\n  ROOT r = f32[40] abs(x)");
  table.Run("  x = c128[40] parameter(0)\n  ROOT r = f64[40] abs(x)");
  for (const char* op : {"real", "imag"}) {
    table.Run(absl::StrCat("  x = c64[9] parameter(0)\n  ROOT r = f32[9] ", op, "(x)"));
    table.Run(absl::StrCat("  x = c128[9] parameter(0)\n  ROOT r = f64[9] ", op, "(x)"));
    table.Run(absl::StrCat("  x = f32[9] parameter(0)\n  ROOT r = f32[9] ", op, "(x)"));
  }
}

TEST(OracleTable, Binary) {
  Table table;
  const std::string body = "  x = $[60] parameter(0)\n  y = $[60] parameter(1)\n  ROOT r = $[60] OP(x, y)";
  for (const char* op : {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "power"}) {
    for (const std::string& type : Join({Floats(), Integers()})) {
      if (!IsFunny(type)) table.RunTypes({type}, absl::StrReplaceAll(body, {{"OP", op}}));
    }
  }
  table.RunTypes({"f16", "bf16", "f32", "f64"}, absl::StrReplaceAll(body, {{"OP", "atan2"}}));
  for (const char* op : {"add", "subtract", "multiply", "divide", "power"}) table.RunTypes(Complexes(), absl::StrReplaceAll(body, {{"OP", op}}));
  for (const char* op : {"and", "or", "xor", "shift-left", "shift-right-arithmetic", "shift-right-logical"}) {
    table.RunTypes(Integers(), absl::StrReplaceAll(body, {{"OP", op}}));
  }
  for (const char* op : {"and", "or", "xor", "maximum", "minimum", "add", "multiply"}) table.RunTypes({"pred"}, absl::StrReplaceAll(body, {{"OP", op}}));
  table.RunTypes({"s32", "u32", "s64", "u64", "s8", "u16"}, absl::StrReplaceAll(body, {{"OP", "mulhi"}}));
  table.Run("  x = f32[9] parameter(0)\n  y = f32[9] parameter(1)\n  ROOT r = c64[9] complex(x, y)");
  table.Run("  x = f64[9] parameter(0)\n  y = f64[9] parameter(1)\n  ROOT r = c128[9] complex(x, y)");
}

TEST(OracleTable, CompareSelectClamp) {
  Table table;
  for (const char* direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
    for (const std::string& type : All()) {
      if (type[0] == 'c' && std::string(direction) != "EQ" && std::string(direction) != "NE") continue;
      table.RunTypes({type}, absl::StrCat("  x = $[60] parameter(0)\n  y = $[60] parameter(1)\n  ROOT r = pred[60] compare(x, y), direction=", direction));
    }
    table.RunTypes(Floats(), absl::StrCat("  x = $[60] parameter(0)\n  y = $[60] parameter(1)\n  ROOT r = pred[60] compare(x, y), direction=", direction,
                                          ", type=TOTALORDER"));
  }
  table.RunTypes(All(), "  p = pred[3,4] parameter(0)\n  x = $[3,4] parameter(1)\n  y = $[3,4] parameter(2)\n  ROOT r = $[3,4] select(p, x, y)");
  table.RunTypes(All(), "  p = pred[] parameter(0)\n  x = $[3,4] parameter(1)\n  y = $[3,4] parameter(2)\n  ROOT r = $[3,4] select(p, x, y)");
  table.Run("  p = pred[] parameter(0)\n  x = (f32[2], s8[]) parameter(1)\n  y = (f32[2], s8[]) parameter(2)\n  ROOT r = (f32[2], s8[]) select(p, x, y)");
  table.RunTypes(Join({Floats(), Integers()}), "  a = $[] parameter(0)\n  x = $[30] parameter(1)\n  b = $[] parameter(2)\n  ROOT r = $[30] clamp(a, x, b)");
  table.RunTypes(Join({Floats(), Integers()}), "  a = $[30] parameter(0)\n  x = $[30] parameter(1)\n  b = $[30] parameter(2)\n  ROOT r = $[30] clamp(a, x, b)");
}

TEST(OracleTable, ConvertBetweenAllTypes) {
  Table table;
  for (const std::string& from : All()) {
    for (const std::string& to : All()) {
      if (IsComplex(*ElementTypeFromName(from)) && !IsComplex(*ElementTypeFromName(to))) continue;  // is refused
      table.Run(absl::StrCat("  x = ", from, "[50] parameter(0)\n  ROOT r = ", to, "[50] convert(x)"));
    }
  }
  for (const std::string& type : Floats()) {
    for (const char* bits : {"exponent_bits=5, mantissa_bits=10", "exponent_bits=8, mantissa_bits=7", "exponent_bits=1, mantissa_bits=0",
                             "exponent_bits=4, mantissa_bits=1", "exponent_bits=11, mantissa_bits=52", "exponent_bits=3, mantissa_bits=30"}) {
      if (!IsFunny(type)) table.RunTypes({type}, absl::StrCat("  x = $[50] parameter(0)\n  ROOT r = $[50] reduce-precision(x), ", bits));
    }
  }
  for (const char* pair : {"f32 u32", "f64 u64", "f16 u16", "bf16 u16", "f8e3m4 u8", "f8e4m3fn u8", "f8e5m2fnuz u8", "f4e2m1fn u4"}) {
    const std::string from = std::string(pair).substr(0, std::string(pair).find(' ')), random = std::string(pair).substr(std::string(pair).find(' ') + 1);
    for (const char* to : {"s8", "s32", "s16", "s2", "f32", "f16", "bf16", "f8e5m2", "f8e4m3fnuz", "f4e2m1fn"}) {
      table.Run(absl::StrCat("  x = ", from, "[50] parameter(0)\n  u = ", random, "[50] parameter(1)\n  ROOT r = ", to, "[50] stochastic-convert(x, u)"));
    }
  }
}

TEST(OracleTable, BitcastConvertBetweenWidths) {
  Table table;
  const std::vector<std::string> all = All();
  for (const std::string& from : all) {
    for (const std::string& to : all) {
      const int a = BitWidth(*ElementTypeFromName(from)), b = BitWidth(*ElementTypeFromName(to));
      if (std::max(a, b) % std::min(a, b) != 0 || (a != b && (a == 6 || b == 6)) || (from == "pred") != (to == "pred") || from[0] == 'c' || to[0] == 'c') continue;
      std::string x = "[3,4]", y = "[3,4]";
      if (a > b) y = absl::StrCat("[3,4,", a / b, "]");
      if (a < b) x = absl::StrCat("[3,4,", b / a, "]");
      // Bits that are no NaN keep; what the bits of a NaN are is not compared through a float.
      table.Run(absl::StrCat("  x = ", from, x, " parameter(0)\n  ROOT r = ", to, y, " bitcast-convert(x)"), "", {Inputs::kSmall, Inputs::kMixed});
    }
  }
}

TEST(OracleTable, DataMovement) {
  Table table;
  for (const char* body : {
           "  x = $[] parameter(0)\n  ROOT r = $[2,3] broadcast(x), dimensions={}",
           "  x = $[3] parameter(0)\n  ROOT r = $[2,3] broadcast(x), dimensions={1}",
           "  x = $[3,2] parameter(0)\n  ROOT r = $[3,4,2] broadcast(x), dimensions={0,2}",
           "  x = $[0,3] parameter(0)\n  ROOT r = $[0,3,2] broadcast(x), dimensions={0,1}",
           "  x = $[4,6] parameter(0)\n  ROOT r = $[2,3,4] reshape(x)",
           "  x = $[1,1] parameter(0)\n  ROOT r = $[] reshape(x)",
           "  x = $[2,3,4] parameter(0)\n  ROOT r = $[4,2,3] transpose(x), dimensions={2,0,1}",
           "  x = $[2,3,4] parameter(0)\n  ROOT r = $[2,3,4] reverse(x), dimensions={0,2}",
           "  x = $[7,5] parameter(0)\n  ROOT r = $[3,2] slice(x), slice={[1:7:2],[0:4:3]}",
           "  x = $[7,5] parameter(0)\n  i = s32[] parameter(1)\n  j = s32[] parameter(2)\n  ROOT r = $[3,2] dynamic-slice(x, i, j), dynamic_slice_sizes={3,2}",
           "  x = $[7] parameter(0)\n  i = u64[] parameter(1)\n  ROOT r = $[3] dynamic-slice(x, i), dynamic_slice_sizes={3}",
           "  x = $[7,5] parameter(0)\n  u = $[2,5] parameter(1)\n  i = s64[] parameter(2)\n  j = s64[] parameter(3)\n  ROOT r = $[7,5] dynamic-update-slice(x, u, i, j)",
           "  x = $[2,3] parameter(0)\n  y = $[2,1] parameter(1)\n  z = $[2,0] parameter(2)\n  ROOT r = $[2,4] concatenate(x, y, z), dimensions={1}",
           "  x = $[3,4] parameter(0)\n  p = $[] parameter(1)\n  ROOT r = $[6,7] pad(x, p), padding=1_0_1x-1_2_0x2_2",
           "  x = $[3,4] parameter(0)\n  p = $[] parameter(1)\n  ROOT r = $[8,2] pad(x, p), padding=2_1_1x-1_-1_0",
           "  x = $[3,4] parameter(0)\n  p = $[] parameter(1)\n  ROOT r = $[2,8] pad(x, p), padding=-2_-1_1x1_0_1",
           "  x = $[3,4] parameter(0)\n  ROOT r = $[3,4] copy(x)",
           "  x = $[3,4] parameter(0)\n  ROOT r = $[3,4] opt-barrier(x)",
           "  x = $[3,4] parameter(0)\n  ROOT r = $[3,4] bitcast(x)",
           "  x = $[3,4]{1,0} parameter(0)\n  ROOT r = $[4,3]{0,1} bitcast(x)",
           "  x = $[3,4]{0,1} parameter(0)\n  ROOT r = $[12]{0} bitcast(x)",
           "  x = $[4] parameter(0)\n  y = pred[] parameter(1)\n  t = ($[4], pred[]) tuple(x, y)\n  ROOT r = $[4] get-tuple-element(t), index=0",
       }) {
    std::string fixed = body;
    if (fixed.find("1_0_1x-1_2_0x2_2") != std::string::npos) continue;
    table.RunTypes(All(), fixed);
  }
  for (const std::string& type : All()) {
    if (type == "pred") continue;
    table.RunTypes({type}, "  z = s32[] parameter(0)\n  ROOT r = $[3,5] iota(), iota_dimension=1");
    table.RunTypes({type}, "  z = s32[] parameter(0)\n  ROOT r = $[300] iota(), iota_dimension=0");
  }
  table.Run("  x = f32[3,4] parameter(0)\n  a = s32[] get-dimension-size(x), dimensions={1}\n  t = token[] after-all()\n  ROOT r = (s32[], token[]) tuple(a, t)");
}

TEST(OracleTable, Gather) {
  Table table;
  for (const char* index : {"s32", "s64", "u8", "u32", "s8"}) {
    for (const char* body : {
             "  x = $[6,5] parameter(0)\n  i = INDEX[3] parameter(1)\n  ROOT r = $[3,5] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
             "start_index_map={0}, index_vector_dim=1, slice_sizes={1,5}",
             "  x = $[6,5] parameter(0)\n  i = INDEX[2,4] parameter(1)\n  ROOT r = $[4,3,2] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={}, "
             "start_index_map={1,0}, index_vector_dim=0, slice_sizes={3,2}",
             "  x = $[6,5] parameter(0)\n  i = INDEX[4,2] parameter(1)\n  ROOT r = $[3,4] gather(x, i), offset_dims={0}, collapsed_slice_dims={1}, "
             "start_index_map={1,0}, index_vector_dim=1, slice_sizes={3,1}",
             "  x = $[3,6,2] parameter(0)\n  i = INDEX[4,3] parameter(1)\n  ROOT r = $[4,3,2] gather(x, i), offset_dims={2}, collapsed_slice_dims={1}, "
             "start_index_map={1}, index_vector_dim=2, slice_sizes={1,1,2}, operand_batching_dims={0}, start_indices_batching_dims={1}",
             "  x = $[3,6,2] parameter(0)\n  i = INDEX[1,2,3] parameter(1)\n  ROOT r = $[2,3,2] gather(x, i), offset_dims={2}, collapsed_slice_dims={1}, "
             "start_index_map={1}, index_vector_dim=0, slice_sizes={1,1,2}, operand_batching_dims={0}, start_indices_batching_dims={2}",
             "  x = $[6,0] parameter(0)\n  i = INDEX[3] parameter(1)\n  ROOT r = $[3,0] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
             "start_index_map={0}, index_vector_dim=1, slice_sizes={1,0}",
             "  x = $[5] parameter(0)\n  i = INDEX[] parameter(1)\n  ROOT r = $[] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, "
             "start_index_map={0}, index_vector_dim=0, slice_sizes={1}"}) {
      table.RunTypes({"f32", "s4", "c128", "pred"}, absl::StrReplaceAll(body, {{"INDEX", index}}));
    }
  }
}

std::string Function(const std::string& name, const std::string& op, const std::string& tail = "") {
  return absl::StrCat(name, " {\n  a = $[] parameter(0)\n  b = $[] parameter(1)\n  ROOT r = ", tail.empty() ? "$" : "pred", "[] ", op, "(a, b)", tail, "\n}\n\n");
}

TEST(OracleTable, Scatter) {
  Table table;
  const std::string second = "second {\n  a = $[] parameter(0)\n  ROOT b = $[] parameter(1)\n}\n\n";
  for (const std::string& combiner : {second, Function("second", "add"), Function("second", "maximum"), Function("second", "multiply")}) {
    for (const char* body : {
             "  x = $[6,5] parameter(0)\n  i = s32[4] parameter(1)\n  u = $[4,5] parameter(2)\n  ROOT r = $[6,5] scatter(x, i, u), update_window_dims={1}, "
             "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second",
             "  x = $[6,5] parameter(0)\n  i = s64[2,4] parameter(1)\n  u = $[2,4,3] parameter(2)\n  ROOT r = $[6,5] scatter(x, i, u), "
             "update_window_dims={0,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={1,0}, index_vector_dim=0, to_apply=second",
             "  x = $[3,6] parameter(0)\n  i = s8[4,3] parameter(1)\n  u = $[4,3] parameter(2)\n  ROOT r = $[3,6] scatter(x, i, u), "
             "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=2, input_batching_dims={0}, "
             "scatter_indices_batching_dims={1}, to_apply=second",
             "  x = $[3,6] parameter(0)\n  i = u32[1,4,3] parameter(1)\n  u = $[4,3] parameter(2)\n  ROOT r = $[3,6] scatter(x, i, u), "
             "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=0, input_batching_dims={0}, "
             "scatter_indices_batching_dims={2}, to_apply=second"}) {
      table.RunTypes({"f32", "s32", "u4", "f64", "f16"}, body, combiner);
    }
  }
  const std::string two =
      "two {\n  a = f32[] parameter(0)\n  b = s32[] parameter(1)\n  c = f32[] parameter(2)\n  d = s32[] parameter(3)\n  e = f32[] add(a, c)\n"
      "  f = s32[] subtract(b, d)\n  ROOT r = (f32[], s32[]) tuple(e, f)\n}\n\n";
  table.Run("  x = f32[6] parameter(0)\n  y = s32[6] parameter(1)\n  i = s32[4,1] parameter(2)\n  u = f32[4] parameter(3)\n  v = s32[4] parameter(4)\n"
            "  ROOT r = (f32[6], s32[6]) scatter(x, y, i, u, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
            "index_vector_dim=1, to_apply=two", two);
}

TEST(OracleTable, Reduce) {
  Table table;
  for (const char* op : {"add", "multiply", "maximum", "minimum"}) {
    for (const char* body : {"  x = $[3,4,5] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[4] reduce(x, z), dimensions={0,2}, to_apply=f",
                             "  x = $[40] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[] reduce(x, z), dimensions={0}, to_apply=f",
                             "  x = $[3,0] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[3] reduce(x, z), dimensions={1}, to_apply=f",
                             "  x = $[3,4] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[3,4] reduce(x, z), dimensions={}, to_apply=f",
                             "  x = $[5,6,2] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[5,2] reduce(x, z), dimensions={1}, to_apply=f"}) {
      for (const std::string& type : All()) {
        if (IsFunny(type) || (type[0] == 'c' && op[0] == 'm' && op[1] != 'u')) continue;
        table.RunTypes({type}, body, Function("f", op));
      }
    }
  }
  for (const char* op : {"and", "or", "xor"}) {
    table.RunTypes(Join({Integers(), {"pred"}}), "  x = $[3,4,5] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[4] reduce(x, z), dimensions={2,0}, to_apply=f",
                   Function("f", op));
  }
  // No group: the order shows.
  table.RunTypes({"f32", "s32", "f64", "u8"}, "  x = $[7,5] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[7] reduce(x, z), dimensions={1}, to_apply=f",
                 Function("f", "subtract"));
  const std::string argmax =
      "arg {\n  m = $[] parameter(0)\n  i = s32[] parameter(1)\n  v = $[] parameter(2)\n  j = s32[] parameter(3)\n  ge = pred[] compare(v, m), direction=GE\n"
      "  a = $[] select(ge, v, m)\n  b = s32[] select(ge, j, i)\n  ROOT r = ($[], s32[]) tuple(a, b)\n}\n\n";
  table.RunTypes({"f32", "s32", "bf16", "u4"},
                 "  x = $[6,7] parameter(0)\n  i = s32[6,7] iota(), iota_dimension=1\n  a = $[] parameter(1)\n  b = s32[] parameter(2)\n"
                 "  ROOT r = ($[6], s32[6]) reduce(x, i, a, b), dimensions={1}, to_apply=arg", argmax);
}

TEST(OracleTable, Windows) {
  Table table;
  for (const char* op : {"add", "multiply", "maximum", "minimum"}) {
    for (const char* body :
         {"  x = $[4,6] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[2,2] reduce-window(x, z), window={size=2x3 stride=2x3}, to_apply=f",
          "  x = $[5,6] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[5,4] reduce-window(x, z), window={size=3x3 pad=1_1x0_0}, to_apply=f",
          "  x = $[5,6] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[8,3] reduce-window(x, z), window={size=2x2 stride=1x2 pad=0_0x1_0 lhs_dilate=2x1 "
          "rhs_dilate=1x2}, to_apply=f",
          "  x = $[9] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[9] reduce-window(x, z), window={size=9 pad=8_0}, to_apply=f",
          "  x = $[9] parameter(0)\n  z = $[] parameter(1)\n  ROOT r = $[4] reduce-window(x, z), window={size=3 stride=2 pad=-1_1}, to_apply=f"}) {
      for (const std::string& type : All()) {
        if (IsFunny(type) || type == "pred" || (type[0] == 'c' && op[0] == 'm' && op[1] != 'u')) continue;
        table.RunTypes({type}, body, Function("f", op));
      }
    }
  }
  const std::string two =
      "two {\n  a = f32[] parameter(0)\n  b = s32[] parameter(1)\n  c = f32[] parameter(2)\n  d = s32[] parameter(3)\n  e = f32[] maximum(a, c)\n"
      "  f = s32[] subtract(b, d)\n  ROOT r = (f32[], s32[]) tuple(e, f)\n}\n\n";
  table.Run("  x = f32[8] parameter(0)\n  y = s32[8] parameter(1)\n  a = f32[] parameter(2)\n  b = s32[] parameter(3)\n"
            "  ROOT r = (f32[4], s32[4]) reduce-window(x, y, a, b), window={size=3 stride=2 pad=1_0}, to_apply=two", two);
  for (const char* direction : {"GE", "LE", "GT"}) {
    table.RunTypes({"f32", "s32", "f64", "u8", "bf16"},
                   "  x = $[6,5] parameter(0)\n  s = $[3,2] parameter(1)\n  z = $[] parameter(2)\n"
                   "  ROOT r = $[6,5] select-and-scatter(x, s, z), window={size=2x2 stride=2x2}, select=g, scatter=f",
                   Function("f", "add") + Function("g", "compare", absl::StrCat(", direction=", direction)));
    table.RunTypes({"f32", "s32", "f64", "u8", "bf16"},
                   "  x = $[6,5] parameter(0)\n  s = $[6,3] parameter(1)\n  z = $[] parameter(2)\n"
                   "  ROOT r = $[6,5] select-and-scatter(x, s, z), window={size=3x3 stride=1x2 pad=1_1x1_1}, select=g, scatter=f",
                   Function("f", "add") + Function("g", "compare", absl::StrCat(", direction=", direction)));
  }
}

TEST(OracleTable, SortTopKMap) {
  Table table;
  for (const char* direction : {"LT", "GT"}) {
    for (const std::string& type : All()) {
      if (type[0] == 'c') continue;
      const std::string order = type[0] == 'f' || type[0] == 'b' ? ", type=TOTALORDER" : "";
      table.RunTypes({type}, "  x = $[30] parameter(0)\n  ROOT r = $[30] sort(x), dimensions={0}, is_stable=true, to_apply=less",
                     Function("less", "compare", absl::StrCat(", direction=", direction, order)));
      table.RunTypes({type}, "  x = $[4,9,2] parameter(0)\n  i = s32[4,9,2] iota(), iota_dimension=1\n"
                             "  ROOT r = ($[4,9,2], s32[4,9,2]) sort(x, i), dimensions={1}, is_stable=true, to_apply=less",
                     absl::StrCat("less {\n  a = $[] parameter(0)\n  b = $[] parameter(1)\n  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n"
                                  "  ROOT r = pred[] compare(a, b), direction=", direction, order, "\n}\n"));
    }
  }
  for (const char* largest : {"true", "false"}) {
    for (const std::string& type : All()) {
      if (type[0] == 'c' || type == "pred") continue;
      table.RunTypes({type}, absl::StrCat("  x = $[3,20] parameter(0)\n  ROOT r = ($[3,7], s32[3,7]) topk(x), k=7, largest=", largest));
    }
  }
  table.RunTypes({"f32", "s8", "u64", "bf16"}, "  x = $[3,4] parameter(0)\n  y = $[3,4] parameter(1)\n  ROOT r = $[3,4] map(x, y), dimensions={0,1}, to_apply=f",
                 "f {\n  a = $[] parameter(0)\n  b = $[] parameter(1)\n  m = $[] multiply(a, b)\n  ROOT r = $[] subtract(m, a)\n}\n\n");
}

TEST(OracleTable, Dots) {
  Table table;
  const std::vector<std::string> types = All();
  for (const char* body :
       {"  a = $[3,4] parameter(0)\n  b = $[4,5] parameter(1)\n  ROOT r = $[3,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        "  a = $[7] parameter(0)\n  b = $[7] parameter(1)\n  ROOT r = $[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        "  a = $[3,4] parameter(0)\n  b = $[4] parameter(1)\n  ROOT r = $[3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        "  a = $[2,3,4] parameter(0)\n  b = $[4,2,5] parameter(1)\n  ROOT r = $[2,3,5] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={1}, "
        "lhs_contracting_dims={2}, rhs_contracting_dims={0}",
        "  a = $[3,0] parameter(0)\n  b = $[0,2] parameter(1)\n  ROOT r = $[3,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        "  a = $[2,3,4] parameter(0)\n  b = $[5,4,3] parameter(1)\n  ROOT r = $[2,5] dot(a, b), lhs_contracting_dims={1,2}, rhs_contracting_dims={2,1}",
        "  a = $[2] parameter(0)\n  b = $[3] parameter(1)\n  ROOT r = $[2,3] dot(a, b), lhs_contracting_dims={}, rhs_contracting_dims={}"}) {
    for (const std::string& type : types) {
      if (!IsFunny(type) && type != "pred") table.RunTypes({type}, body);
    }
  }
  for (const char* pair : {"s8 s32", "u8 s32", "bf16 f32", "f16 f32", "f8e4m3fn f32", "f8e5m2 bf16", "s4 s32", "f32 f64"}) {
    const std::string p = pair, from = p.substr(0, p.find(' ')), to = p.substr(p.find(' ') + 1);
    table.Run(absl::StrCat("  a = ", from, "[3,4] parameter(0)\n  b = ", from, "[4,5] parameter(1)\n  ROOT r = ", to,
                           "[3,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  }
}

TEST(OracleTable, Convolutions) {
  Table table;
  for (const char* body :
       {"  x = $[2,5,6,3] parameter(0)\n  k = $[3,2,3,4] parameter(1)\n  ROOT r = $[2,3,5,4] convolution(x, k), window={size=3x2}, dim_labels=b01f_01io->b01f",
        "  x = $[2,3,5,6] parameter(0)\n  k = $[4,3,3,2] parameter(1)\n  ROOT r = $[2,4,3,4] convolution(x, k), window={size=3x2 stride=2x2 pad=1_1x1_1}, "
        "dim_labels=bf01_oi01->bf01",
        "  x = $[1,5,2] parameter(0)\n  k = $[3,2,3] parameter(1)\n  ROOT r = $[1,9,3] convolution(x, k), window={size=3 pad=1_1 lhs_dilate=2}, dim_labels=b0f_0io->b0f",
        "  x = $[1,8,2] parameter(0)\n  k = $[3,2,3] parameter(1)\n  ROOT r = $[1,4,3] convolution(x, k), window={size=3 rhs_dilate=2}, dim_labels=b0f_0io->b0f",
        "  x = $[1,8,2] parameter(0)\n  k = $[3,2,3] parameter(1)\n  ROOT r = $[1,6,3] convolution(x, k), window={size=3 rhs_reversal=1}, dim_labels=b0f_0io->b0f",
        "  x = $[2,5,4] parameter(0)\n  k = $[3,1,8] parameter(1)\n  ROOT r = $[2,5,8] convolution(x, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, "
        "feature_group_count=4",
        "  x = $[4,5,3] parameter(0)\n  k = $[2,3,6] parameter(1)\n  ROOT r = $[2,4,6] convolution(x, k), window={size=2}, dim_labels=b0f_0io->b0f, "
        "batch_group_count=2",
        "  x = $[2,7,3] parameter(0)\n  k = $[2,3,2] parameter(1)\n  ROOT r = $[2,2,2] convolution(x, k), window={size=2 stride=3 pad=-1_0}, dim_labels=b0f_0io->b0f",
        "  x = $[2,3] parameter(0)\n  k = $[3,4] parameter(1)\n  ROOT r = $[2,4] convolution(x, k), dim_labels=bf_io->bf",
        "  x = $[3,2,4,3,4] parameter(0)\n  k = $[2,2,2,3,2] parameter(1)\n  ROOT r = $[3,3,2,4,2] convolution(x, k), window={size=2x2x2 pad=1_1x0_0x0_0 stride=1x1x2 "
        "lhs_dilate=1x1x2}, dim_labels=b012f_012io->bf012"}) {
    const std::string text = body;
    if (text.find("b012f") != std::string::npos) continue;
    for (const std::string& type : All()) {
      if (!IsFunny(type) && type != "pred") table.RunTypes({type}, body);
    }
  }
  table.Run("  x = s8[1,8,2] parameter(0)\n  k = s8[3,2,3] parameter(1)\n  ROOT r = s32[1,6,3] convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f");
  table.Run("  x = bf16[1,8,2] parameter(0)\n  k = bf16[3,2,3] parameter(1)\n  ROOT r = f32[1,6,3] convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f");
}

TEST(OracleTable, LinearAlgebra) {
  Table table;
  const std::vector<Inputs> kinds = {Inputs::kSmall, Inputs::kMixed};
  for (const char* lower : {"true", "false"}) {
    for (const std::string type : {"f32", "f64", "c64", "c128"}) {
      // x xH + 40 is positive definite.
      const std::string dims = ", lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}";
      const std::string make = type[0] == 'c'
          ? "  re = REAL[2,4,4] real(x)\n  im = REAL[2,4,4] imag(x)\n  ni = REAL[2,4,4] negate(im)\n  cx = $[2,4,4] complex(re, ni)\n"
          : "  cx = $[2,4,4] copy(x)\n";
      const std::string body = absl::StrCat(
          "  x = $[2,4,4] parameter(0)\n", absl::StrReplaceAll(make, {{"REAL", type == "c64" ? "f32" : "f64"}}),
          "  t = $[2,4,4] transpose(cx), dimensions={0,2,1}\n  d = $[2,4,4] dot(x, t)", dims,
          "\n  i = s32[2,4,4] iota(), iota_dimension=1\n  j = s32[2,4,4] iota(), iota_dimension=2\n  e = pred[2,4,4] compare(i, j), direction=EQ\n"
          "  c = $[2,4,4] convert(e)\n  k = $[] constant(", type[0] == 'c' ? "(40,0)" : "40",
          ")\n  kk = $[2,4,4] broadcast(k), dimensions={}\n  m = $[2,4,4] multiply(c, kk)\n  s = $[2,4,4] add(d, m)\n"
          "  ROOT r = $[2,4,4] cholesky(s), lower=", lower);
      table.RunTypes({type}, body, "", {Inputs::kSmall});
      for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
        for (const char* side : {"true", "false"}) {
          for (const char* unit : {"true", "false"}) {
            table.RunTypes({type}, absl::StrCat("  a = $[2,3,3] parameter(0)\n  b = $[2,", side[0] == 't' ? "3,4" : "4,3", "] parameter(1)\n  ROOT r = $[2,",
                                                side[0] == 't' ? "3,4" : "4,3", "] triangular-solve(a, b), left_side=", side, ", lower=", lower,
                                                ", unit_diagonal=", unit, ", transpose_a=", transpose), "", kinds);
          }
        }
      }
    }
  }
  for (const char* body : {"  x = c64[3,7] parameter(0)\n  ROOT r = c64[3,7] fft(x), fft_type=FFT, fft_length={7}",
                           "  x = c128[4,8] parameter(0)\n  ROOT r = c128[4,8] fft(x), fft_type=FFT, fft_length={4,8}",
                           "  x = c64[2,3,4] parameter(0)\n  ROOT r = c64[2,3,4] fft(x), fft_type=IFFT, fft_length={2,3,4}",
                           "  x = f32[3,8] parameter(0)\n  ROOT r = c64[3,5] fft(x), fft_type=RFFT, fft_length={8}",
                           "  x = f64[3,7] parameter(0)\n  ROOT r = c128[3,4] fft(x), fft_type=RFFT, fft_length={3,7}",
                           "  x = c64[3,5] parameter(0)\n  ROOT r = f32[3,8] fft(x), fft_type=IRFFT, fft_length={8}",
                           "  x = c128[3,4] parameter(0)\n  ROOT r = f64[3,7] fft(x), fft_type=IRFFT, fft_length={3,7}",
                           "  x = c64[1] parameter(0)\n  ROOT r = c64[1] fft(x), fft_type=FFT, fft_length={1}"}) {
    table.Run(body, "", kinds);
  }
  for (const char* type : {"f32", "f64", "bf16", "f16"}) {
    table.RunTypes({type}, "  x = $[4,3,5] parameter(0)\n  s = $[3] parameter(1)\n  o = $[3] parameter(2)\n  ROOT r = ($[4,3,5], $[3], $[3]) "
                           "batch-norm-training(x, s, o), epsilon=0.125, feature_index=1", "", kinds);
    table.RunTypes({type}, "  x = $[4,3,5] parameter(0)\n  s = $[3] parameter(1)\n  o = $[3] parameter(2)\n  m = $[3] parameter(3)\n  w = $[3] parameter(4)\n"
                           "  v = $[3] multiply(w, w)\n  ROOT r = $[4,3,5] batch-norm-inference(x, s, o, m, v), epsilon=0.125, feature_index=1", "", kinds);
    table.RunTypes({type}, "  x = $[4,3,5] parameter(0)\n  s = $[3] parameter(1)\n  m = $[3] parameter(2)\n  w = $[3] parameter(3)\n  g = $[4,3,5] parameter(4)\n"
                           "  v = $[3] multiply(w, w)\n  ROOT r = ($[4,3,5], $[3], $[3]) batch-norm-grad(x, s, m, v, g), epsilon=0.125, feature_index=1", "", kinds);
  }
}

TEST(OracleTable, RandomBits) {
  Table table;
  for (const char* type : {"u32", "u64", "u8", "u16", "s32", "s64", "s8", "u4"}) {
    for (const char* dims : {"[]", "[5]", "[8]", "[3,4]", "[3,5]", "[5,3,3]", "[2,0]", "[7,1,6]"}) {
      for (const char* state : {"u64[2] rng_three_fry", "u64[2] rng_philox", "u64[3] rng_philox", "u64[3] rng_default", "u64[2] rng_default"}) {
        const std::string s = state, shape = s.substr(0, 6), algorithm = s.substr(7);
        table.Run(absl::StrCat("  s = ", shape, " parameter(0)\n  ROOT r = (", shape, ", ", type, dims, ") rng-bit-generator(s), algorithm=", algorithm));
      }
    }
  }
}

TEST(OracleTable, Control) {
  Table table;
  table.Run("  n = s32[] parameter(0)\n  x = f32[5] parameter(1)\n  t = (s32[], f32[5]) tuple(n, x)\n  ROOT r = (s32[], f32[5]) while(t), condition=c, body=b",
            "c {\n  t = (s32[], f32[5]) parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n  l = s32[] constant(10)\n  ROOT r = pred[] compare(i, l), direction=LT\n}\n"
            "b {\n  t = (s32[], f32[5]) parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n  x = f32[5] get-tuple-element(t), index=1\n  o = s32[] constant(1)\n"
            "  j = s32[] add(i, o)\n  h = f32[] constant(0.5)\n  hh = f32[5] broadcast(h), dimensions={}\n  y = f32[5] add(x, hh)\n  ROOT r = (s32[], f32[5]) tuple(j, y)\n}\n",
            {Inputs::kSmall});
  const std::string branches =
      "b0 {\n  x = f32[3] parameter(0)\n  ROOT r = f32[3] negate(x)\n}\nb1 {\n  x = f32[3] parameter(0)\n  ROOT r = f32[3] add(x, x)\n}\n"
      "b2 {\n  x = f32[3] parameter(0)\n  ROOT r = f32[3] multiply(x, x)\n}\n";
  table.Run("  i = s32[] parameter(0)\n  x = f32[3] parameter(1)\n  ROOT r = f32[3] conditional(i, x, x, x), branch_computations={b0, b1, b2}", branches);
  table.Run("  i = pred[] parameter(0)\n  x = f32[3] parameter(1)\n  ROOT r = f32[3] conditional(i, x, x), true_computation=b0, false_computation=b1", branches);
  table.Run("  x = f32[3] parameter(0)\n  y = f32[3] call(x), to_apply=b1\n  ROOT r = f32[3] fusion(y), kind=kLoop, calls=b2", branches);
  table.Run("  x = f32[3] parameter(0)\n  s = ((f32[3]), f32[3], u32[]) async-start(x), calls=b1\n  ROOT r = f32[3] async-done(s)", branches);
  table.Run("  x = f32[3] parameter(0)\n  s = (f32[3], f32[3], u32[]) copy-start(x)\n  ROOT r = f32[3] copy-done(s)");
}

}  // namespace
}  // namespace hloscope
