// sort: the specification's vector, stability, NaNs, every element type, comparators of several kinds, and each requirement.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/ops/comparator.h"
#include "tests/ops/running.h"

namespace hloscope {
namespace {

std::string Compare(const std::string& type, const std::string& direction, const std::string& more = "") {
  return ScalarFunction("less", type, "compare", "pred", ", direction=" + direction + more);
}

TEST(Sort, Vector) {
  const std::string less =
      "less {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n  e = f32[] "
      "parameter(4)\n  f = f32[] parameter(5)\n"
      "  ROOT r = pred[] compare(a, b), direction=LT\n}\n";
  const std::string entry =
      "  x = s32[2] constant({3,1})\n  y = s32[2] constant({42,50})\n  z = f32[2] constant({-3.0,1.1})\n  s = (s32[2], s32[2], f32[2]) "
      "sort(x, y, z), dimensions={0}, to_apply=less\n";
  ExpectValue(ModuleText(less, entry + "  ROOT g = s32[2] get-tuple-element(s), index=0"), "s32[2] constant({1,3})");
  ExpectValue(ModuleText(less, entry + "  ROOT g = s32[2] get-tuple-element(s), index=1"), "s32[2] constant({50,42})");
  ExpectValue(ModuleText(less, entry + "  ROOT g = f32[2] get-tuple-element(s), index=2"), "f32[2] constant({1.1,-3.0})");
}

TEST(Sort, DimensionsAndDirections) {
  ExpectValue(ModuleText(Compare("s32", "LT"),
                         "  x = s32[3,2] constant({{5,1},{3,9},{4,0}})\n  ROOT r = s32[3,2] sort(x), dimensions={0}, to_apply=less"),
              "s32[3,2] constant({{3,0},{4,1},{5,9}})");
  ExpectValue(ModuleText(Compare("s32", "GT"),
                         "  x = s32[3,2] constant({{1,5},{9,3},{0,4}})\n  ROOT r = s32[3,2] sort(x), dimensions={1}, to_apply=less"),
              "s32[3,2] constant({{5,1},{9,3},{4,0}})");
  ExpectValue(ModuleText(Compare("s32", "LT"), "  x = s32[0] constant({})\n  ROOT r = s32[0] sort(x), dimensions={0}, to_apply=less"),
              "s32[0] constant({})");
}

TEST(Sort, TypesAtTheirEnds) {
  ExpectValue(ModuleText(Compare("u8", "LT"), "  x = u8[3] constant({200,0,255})\n  ROOT r = u8[3] sort(x), dimensions={0}, to_apply=less"),
              "u8[3] constant({0,200,255})");
  ExpectValue(
      ModuleText(Compare("s8", "LT"), "  x = s8[3] constant({127,-128,-1})\n  ROOT r = s8[3] sort(x), dimensions={0}, to_apply=less"),
      "s8[3] constant({-128,-1,127})");
  ExpectValue(ModuleText(Compare("u64", "GT"),
                         "  x = u64[3] constant({1,18446744073709551615,2})\n  ROOT r = u64[3] sort(x), dimensions={0}, to_apply=less"),
              "u64[3] constant({18446744073709551615,2,1})");
  ExpectValue(
      ModuleText(
          Compare("s64", "LT"),
          "  x = s64[3] constant({1,-9223372036854775808,9223372036854775807})\n  ROOT r = s64[3] sort(x), dimensions={0}, to_apply=less"),
      "s64[3] constant({-9223372036854775808,1,9223372036854775807})");
  ExpectValue(
      ModuleText(Compare("bf16", "LT"), "  x = bf16[3] constant({2,-inf,-1})\n  ROOT r = bf16[3] sort(x), dimensions={0}, to_apply=less"),
      "bf16[3] constant({-inf,-1,2})");
  ExpectValue(
      ModuleText(Compare("pred", "LT"), "  x = pred[3] constant({1,0,1})\n  ROOT r = pred[3] sort(x), dimensions={0}, to_apply=less"),
      "pred[3] constant({0,1,1})");
}

// Keys with many equals; the second array tells the order in which they came.
TEST(Sort, StableWhateverTheLengthAndTheComparator) {
  const char* kinds[] = {
      "  ROOT r = pred[] compare(a, b), direction=LT\n",                                                // keys
      "  n = f32[] negate(a)\n  m = f32[] negate(b)\n  ROOT r = pred[] compare(m, n), direction=LT\n",  // the same through a key function
      "  x = pred[] compare(a, b), direction=LE\n  y = pred[] compare(a, b), direction=NE\n  ROOT r = pred[] and(x, y)\n"};  // merges
  for (int n : {5, 100, 1000}) {
    for (const char* kind : kinds) {
      std::mt19937 random(n);
      std::vector<float> keys(n);
      std::vector<std::pair<float, int>> wanted;
      for (int k = 0; k < n; ++k) {
        keys[k] = static_cast<float>(random() % 7) - 3;
        if (keys[k] == 0 && random() % 2) keys[k] = -0.0f;  // equal to +0 under <
        wanted.push_back({keys[k], k});
      }
      std::stable_sort(wanted.begin(), wanted.end(), [](auto& x, auto& y) { return x.first < y.first; });
      const std::string less =
          std::string("less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n") +
          kind + "}\n";
      auto r = RunText(
          ModuleText(less, absl::StrCat("  x = f32[", n, "] parameter(0)\n  k = s32[", n, "] iota(), iota_dimension=0\n  ROOT s = (f32[", n,
                                        "], s32[", n, "]) sort(x, k), dimensions={0}, is_stable=true, to_apply=less")),
          {FromVector<float>(ElementType::kF32, {n}, keys)});
      ASSERT_TRUE(r.ok()) << r.status();
      for (int k = 0; k < n; ++k) ASSERT_EQ(r->elements()[1].as<int32_t>()[k], wanted[k].second) << n << " " << k << kind;
    }
  }
}

// Plain comparisons sort by the elements' bits: every width, length, direction and order, single arrays and arrays that go along, along lines and
// across them, against the library's stable sort with the comparison itself.
TEST(Sort, PlainComparisonsOfEveryTypeAndLength) {
  std::mt19937_64 random(9);
  for (const char* name : {"f32", "f64", "bf16", "f16", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}) {
    for (int round = 0; round < 24; ++round) {
      const std::string type = name;
      const bool total = type.find('f') != std::string::npos && round % 2, up = round / 2 % 2 == 0, pair = round / 4 % 2, across = round / 8 % 3 == 1;
      const int64_t n = std::vector<int64_t>{3, 200, 256, 1000, 20000}[random() % 5], lines = n > 5000 ? 1 : 3;
      const std::vector<int64_t> dims = across ? std::vector<int64_t>{n, lines} : std::vector<int64_t>{lines, n};
      const std::string shape = absl::StrCat("[", absl::StrJoin(dims, ","), "]");
      const CheckedModule checked = CheckText(ModuleText(
          absl::StrCat("less {\n  a = ", type, "[] parameter(0)\n  b = ", type, "[] parameter(1)\n",
                       pair ? "  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n" : "", "  ROOT r = pred[] compare(a, b), direction=", up ? "LT" : "GT",
                       total ? ", type=TOTALORDER" : "", "\n}\n"),
          absl::StrCat("  x = ", type, shape, " parameter(0)\n", pair ? absl::StrCat("  k = s32", shape, " parameter(1)\n") : "", "  ROOT s = ",
                       pair ? absl::StrCat("(", type, shape, ", s32", shape, ")") : type + shape, " sort(x", pair ? ", k" : "",
                       "), dimensions={", across ? 0 : 1, "}, to_apply=less")));
      ASSERT_EQ(checked.sink.error_count(), 0) << checked.Problems();
      const ElementType t = checked.module->entry->parameters[0]->shape.element_type();
      const int64_t bytes = StorageBytes(t), count = n * lines;
      Value x = Value::Allocate(Shape::Array(t, dims)), k = Value::Allocate(Shape::Array(ElementType::kS32, dims));
      for (int64_t e = 0; e < count; ++e) {
        const int64_t few = static_cast<int64_t>(random() % 9) - 4;
        Scalar s = IsFloat(t) ? Scalar::Float(t, round % 3 ? std::ldexp(static_cast<double>(random() % 2000) - 1000, static_cast<int>(random() % 9) - 6) : few)
                              : Scalar::Int(t, static_cast<int64_t>(round % 3 ? random() : few));
        if (IsFloat(t) && s.re == 0 && random() % 2) s = Scalar::Float(t, -0.0);
        if (total && random() % 50 == 0) s = Scalar::Float(t, std::nan(""));
        StoreScalar(s, x.mutable_data() + e * bytes);
        k.mutable_as<int32_t>()[e] = static_cast<int32_t>(e);
      }
      std::vector<Value> operands = {x};
      if (pair) operands.push_back(k);
      const Instruction& sort = *checked.module->entry->root;
      absl::StatusOr<Value> result = Def(sort).evaluate(EvalContext{sort, operands});
      ASSERT_TRUE(result.ok()) << result.status();
      const Value& sorted = pair ? result->elements()[0] : *result;
      const auto key = [&](int64_t e) { return LoadScalar(t, x.data() + e * bytes); };
      const auto before = [&](int64_t l, int64_t r) {
        const Scalar a = key(up ? l : r), b = key(up ? r : l);
        if (IsFloat(t) && total) return TotalOrderKey(a.re) < TotalOrderKey(b.re);
        if (IsFloat(t)) return a.re < b.re;
        return IsSigned(t) ? a.i < b.i : static_cast<uint64_t>(a.i) < static_cast<uint64_t>(b.i);
      };
      for (int64_t line = 0; line < lines; ++line) {
        const auto at = [&](int64_t e) { return across ? e * lines + line : line * n + e; };
        std::vector<int64_t> order(n);
        for (int64_t e = 0; e < n; ++e) order[e] = at(e);
        std::stable_sort(order.begin(), order.end(), before);
        for (int64_t e = 0; e < n; ++e) {
          ASSERT_EQ(std::memcmp(sorted.data() + at(e) * bytes, x.data() + order[e] * bytes, bytes), 0) << type << " round " << round << " place " << e;
          if (pair) ASSERT_EQ(result->elements()[1].as<int32_t>()[at(e)], order[e]) << type << " round " << round << " place " << e;
        }
      }
    }
  }
}

// Chunks side by side, in any order, with the same result as one walk; and zeros of both signs, equal where one does not ask for more, far in.
TEST(Sort, LongLinesInChunks) {
  const int64_t n = 700000;
  const CheckedModule checked = CheckText(ModuleText(Compare("f32", "LT"), absl::StrCat("  x = f32[", n, "] parameter(0)\n  ROOT r = f32[", n,
                                                                                       "] sort(x), dimensions={0}, to_apply=less")));
  std::vector<float> x(n);
  std::mt19937 random(2);
  for (float& v : x) v = std::ldexp(static_cast<float>(random()) - 2e9f, static_cast<int>(random() % 40) - 20);
  const Instruction& sort = *checked.module->entry->root;
  const auto backwards = [](int64_t count, int64_t grain, absl::FunctionRef<void(int64_t, int64_t)> body) {
    for (int64_t end = count; end > 0;) {  // the last piece first
      const int64_t begin = (end - 1) / grain * grain;
      body(begin, end);
      end = begin;
    }
  };
  for (const bool zeros : {false, true}) {
    if (zeros) x[n - 9] = x[n - 20] = 0, x[n - 10] = -0.0f;
    const std::vector<Value> operands = {FromVector<float>(ElementType::kF32, {n}, x)};
    std::vector<float> wanted = x;
    std::stable_sort(wanted.begin(), wanted.end());
    for (const bool parallel : {false, true}) {
      EvalContext context{sort, operands};
      if (parallel) context.parallel = backwards;
      absl::StatusOr<Value> result = Def(sort).evaluate(context);
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(std::memcmp(result->data(), wanted.data(), n * sizeof(float)), 0) << zeros << parallel;
    }
  }
}

// Numbers far from zero and near each other: the bits in which they do not differ are left out.
TEST(Sort, NumbersThatDifferInFewBits) {
  std::mt19937 random(5);
  for (const int64_t n : {1000, 20000, 300000}) {
    for (const int64_t range : {7, 300, 5000, 100000}) {
      const CheckedModule checked = CheckText(ModuleText(Compare("s64", "LT"), absl::StrCat("  x = s64[", n, "] parameter(0)\n  ROOT r = s64[", n,
                                                                                           "] sort(x), dimensions={0}, to_apply=less")));
      std::vector<int64_t> x(n, -123456789012345);
      for (size_t e = n == 300000 ? 9000 : 0; e < x.size(); ++e) x[e] += static_cast<int64_t>(random() % range) * 16;
      const std::vector<Value> operands = {FromVector<int64_t>(ElementType::kS64, {n}, x)};
      const Instruction& sort = *checked.module->entry->root;
      absl::StatusOr<Value> result = Def(sort).evaluate(EvalContext{sort, operands});
      ASSERT_TRUE(result.ok()) << result.status();
      std::sort(x.begin(), x.end());
      EXPECT_EQ(std::memcmp(result->data(), x.data(), n * sizeof(int64_t)), 0) << n << " within " << range;
    }
  }
}

TEST(Sort, TotalOrderPutsNaNsAtTheEnds) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  auto r = RunText(ModuleText(Compare("f32", "LT", ", type=TOTALORDER"),
                              "  x = f32[7] parameter(0)\n  ROOT r = f32[7] sort(x), dimensions={0}, to_apply=less"),
                   {FromVector<float>(ElementType::kF32, {7}, {nan, 0.0f, 1, -0.0f, -inf, std::copysign(nan, -1.0f), inf})});
  ASSERT_TRUE(r.ok()) << r.status();
  const float* x = r->as<float>();
  EXPECT_TRUE(std::isnan(x[0]) && std::signbit(x[0]));
  EXPECT_EQ(x[1], -inf);
  EXPECT_TRUE(x[2] == 0 && std::signbit(x[2]));
  EXPECT_TRUE(x[3] == 0 && !std::signbit(x[3]));
  EXPECT_EQ(x[4], 1);
  EXPECT_EQ(x[5], inf);
  EXPECT_TRUE(std::isnan(x[6]) && !std::signbit(x[6]));
}

TEST(Sort, PlainLessWithNaNsKeepsAllElements) {
  std::vector<float> x;
  for (int k = 0; k < 300; ++k) x.push_back(k % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(300 - k));
  auto r =
      RunText(ModuleText(Compare("f32", "LT"), "  x = f32[300] parameter(0)\n  ROOT r = f32[300] sort(x), dimensions={0}, to_apply=less"),
              {FromVector<float>(ElementType::kF32, {300}, x)});
  ASSERT_TRUE(r.ok()) << r.status();
  double sum = 0;
  int nans = 0;
  for (int k = 0; k < 300; ++k) {
    if (std::isnan(r->as<float>()[k])) {
      ++nans;
    } else {
      sum += r->as<float>()[k];
    }
  }
  double wanted = 0;
  for (float v : x) wanted += std::isnan(v) ? 0 : v;
  EXPECT_EQ(nans, 100);
  EXPECT_EQ(sum, wanted);
}

TEST(Sort, LexicographicComparator) {
  const std::string less =
      "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n  e = pred[] "
      "compare(a, b), direction=EQ, type=TOTALORDER\n"
      "  l = pred[] compare(c, d), direction=LT\n  g = pred[] compare(a, b), direction=GT\n  ROOT r = pred[] select(e, l, g)\n}\n";
  ExpectValue(ModuleText(less,
                         "  x = f32[5] constant({1,2,1,2,3})\n  y = s32[5] constant({9,8,7,6,5})\n  s = (f32[5], s32[5]) sort(x, y), "
                         "dimensions={0}, to_apply=less\n"
                         "  ROOT g = s32[5] get-tuple-element(s), index=1"),
              "s32[5] constant({5,6,8,7,9})");
}

// A first key with many equals and zeros of both signs, then a second one: keys and runs must agree with the comparator itself.
TEST(Sort, TwoKeysLikeTheComparatorItself) {
  for (const char* total : {"", ", type=TOTALORDER"}) {
    for (const char* direction : {"LT", "GT"}) {
      const int n = 700;
      std::mt19937 random(n);
      std::vector<float> a(n);
      std::vector<int32_t> b(n);
      for (int k = 0; k < n; ++k) {
        a[k] = static_cast<float>(random() % 5) - 2;
        if (a[k] == 0 && random() % 2) a[k] = -0.0f;
        b[k] = static_cast<int32_t>(random() % 20);
      }
      const bool up = direction[0] == 'L', apart = total[0] != 0;  // does EQ tell -0 from +0? GT and LT never do
      const auto less = [&](int x, int y) {
        const bool equal = a[x] == a[y] && (!apart || std::signbit(a[x]) == std::signbit(a[y]));
        return equal ? b[x] < b[y] : up ? a[x] < a[y] : a[x] > a[y];
      };
      const std::string f = absl::StrCat(
          "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n  e = pred[] "
          "compare(a, b), direction=EQ",
          total, "\n  l = pred[] compare(c, d), direction=LT\n  g = pred[] compare(a, b), direction=", direction,
          "\n  ROOT r = pred[] select(e, l, g)\n}\n");
      auto r = RunText(ModuleText(f,
                                  "  x = f32[700] parameter(0)\n  y = s32[700] parameter(1)\n"
                                  "  ROOT s = (f32[700], s32[700]) sort(x, y), dimensions={0}, to_apply=less"),
                       {FromVector<float>(ElementType::kF32, {n}, a), FromVector<int32_t>(ElementType::kS32, {n}, b)});
      ASSERT_TRUE(r.ok()) << r.status();
      const float* x = r->elements()[0].as<float>();
      const int32_t* y = r->elements()[1].as<int32_t>();
      for (int k = 1; k < n; ++k) {
        ASSERT_TRUE(up ? x[k - 1] <= x[k] : x[k - 1] >= x[k]) << k;
        if (!apart && x[k - 1] == x[k]) ASSERT_LE(y[k - 1], y[k]) << k;
      }
      if (apart) continue;
      std::vector<int> order(n);
      for (int k = 0; k < n; ++k) order[k] = k;
      std::stable_sort(order.begin(), order.end(), less);
      for (int k = 0; k < n; ++k) ASSERT_TRUE(std::signbit(x[k]) == std::signbit(a[order[k]]) && y[k] == b[order[k]]) << k;
    }
  }
}

// A logarithm is not among the quick comparator's operations: the computation is called for each comparison.
TEST(Sort, ComparatorsThatMustBeCalled) {
  const std::string less =
      "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  x = f32[] log(a)\n  y = f32[] log(b)\n  ROOT r = pred[] compare(x, "
      "y), direction=GT\n}\n";
  const std::string text = ModuleText(less, "  x = f32[4] constant({3,1,4,2})\n  ROOT r = f32[4] sort(x), dimensions={0}, to_apply=less");
  auto r = RunText(text);
  ASSERT_TRUE(r.ok()) << r.status();
  ExpectNear(*r, {4, 3, 2, 1}, 0);
  const CheckedModule checked = CheckText(text);
  const Instruction& sort = *checked.module->entry->root;
  const std::vector<Value> operands = {FromVector<float>(ElementType::kF32, {4}, {3, 1, 4, 2})};
  EXPECT_EQ(Def(sort).evaluate(EvalContext{sort, operands}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(Sort, QuickComparatorAgreesWithTheInterpreter) {
  const std::string less =
      "less {\n  a = f16[] parameter(0)\n  b = f16[] parameter(1)\n  c = s8[] parameter(2)\n  d = s8[] parameter(3)\n  x = f16[] add(a, "
      "b)\n  y = f32[] convert(x)\n  z = f32[] convert(c)\n"
      "  p = pred[] compare(y, z), direction=LE\n  q = s8[] subtract(c, d)\n  k = s8[] constant(3)\n  m = s8[] multiply(q, k)\n  n = s8[] "
      "abs(m)\n  o = pred[] compare(n, d), direction=GT\n"
      "  nn = pred[] not(p)\n  ROOT r = pred[] xor(nn, o)\n}\n";
  const CheckedModule checked = CheckText(ModuleText(
      less, "  x = f16[4] parameter(0)\n  y = s8[4] parameter(1)\n  ROOT r = (f16[4], s8[4]) sort(x, y), dimensions={0}, to_apply=less"));
  ASSERT_EQ(checked.sink.error_count(), 0) << checked.Problems();
  const Computation& f = *checked.module->entry->root->Called(AttrId::kToApply);
  const std::vector<ElementType> types = {ElementType::kF16, ElementType::kS8};
  auto quick = Comparator::Make(f, types);
  ASSERT_TRUE(quick.has_value());
  const int n = 40;
  std::mt19937 random(1);
  Value x = Value::Allocate(Shape::Array(ElementType::kF16, {n})), y = Value::Allocate(Shape::Array(ElementType::kS8, {n}));
  for (int k = 0; k < n; ++k) {
    StoreScalar(Scalar::Float(ElementType::kF16, static_cast<double>(random() % 4001) / 10 - 200), x.mutable_data() + 2 * k);
    StoreScalar(Scalar::Int(ElementType::kS8, random()), y.mutable_data() + k);
  }
  const std::vector<const std::byte*> data = {x.data(), y.data()};
  quick->Load(data, n, 1);
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      const auto one = [](const Value& v, int k) {
        const int bytes = StorageBytes(v.shape().element_type());
        return Value::FromBytes(Shape::Scalar(v.shape().element_type()), absl::MakeConstSpan(v.data() + k * bytes, bytes));
      };
      auto r = RunComputation(f, {one(x, a), one(x, b), one(y, a), one(y, b)});
      ASSERT_TRUE(r.ok()) << r.status();
      ASSERT_EQ(quick->Less(a, b), *r->as<uint8_t>() != 0) << a << " " << b;
    }
  }
}

TEST(Sort, Requirements) {
  const std::string x = "  x = f32[4] parameter(0)\n  y = f32[5] parameter(1)\n  t = (f32[4]) parameter(2)\n  ROOT r = ";
  const std::string less = Compare("f32", "LT");
  ExpectError(ModuleText(less, x + "f32[4] sort(t), dimensions={0}, to_apply=less"), "sort.operand-arrays");
  const std::string four =
      "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n  d = f32[] parameter(3)\n  ROOT r = pred[] "
      "compare(a, b), direction=LT\n}\n";
  ExpectError(ModuleText(four, x + "(f32[4], f32[5]) sort(x, y), dimensions={0}, to_apply=less"), "sort.same-dimensions");
  ExpectError(ModuleText(less, x + "f32[4] sort(x), dimensions={1}, to_apply=less"), "sort.dimension");
  ExpectError(ModuleText(four, x + "f32[4] sort(x), dimensions={0}, to_apply=less"), "sort.comparator-signature");
  ExpectError(ModuleText(Compare("s32", "LT"), x + "f32[4] sort(x), dimensions={0}, to_apply=less"), "sort.comparator-signature");
  ExpectError(ModuleText(ScalarFunction("less", "f32", "add"), x + "f32[4] sort(x), dimensions={0}, to_apply=less"),
              "sort.comparator-signature");
}

}  // namespace
}  // namespace hloscope
