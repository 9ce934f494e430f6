// An element of a function's result has the same bits wherever it lies: alone, in arrays of every small length, at the start or the end of a
// vector, in a slice whose neighbours are anything, in rows and columns, fused with what comes before and after, inside a fold, in single
// steps and in one run. Not for the accuracy of the functions (tests/numerics).
#include <algorithm>
#include <bit>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "backends/reference/backend.h"
#include "core/exec/machine.h"
#include "tests/jit_cpu/support.h"

namespace hloscope {
namespace {

using T = ElementType;
constexpr int64_t kPool = 64;  // elements of the parameters

struct Function {
  const char* name;
  int arity;
  bool real_only;  // no complex numbers
  bool wide = false;  // no floats below 16 bits
};
const Function kFunctions[] = {
    {"exponential", 1, false}, {"exponential-minus-one", 1, false}, {"log", 1, false},   {"log-plus-one", 1, false}, {"logistic", 1, false},
    {"sqrt", 1, false},        {"rsqrt", 1, false},                 {"cbrt", 1, true},   {"sine", 1, false},         {"cosine", 1, false},
    {"tan", 1, false},         {"tanh", 1, false},                  {"erf", 1, true},     {"asin", 1, true, true},    {"acos", 1, true, true},
    {"sinh", 1, true, true},   {"cosh", 1, true, true},             {"asinh", 1, true, true}, {"acosh", 1, true, true}, {"atanh", 1, true, true},
    {"power", 2, false},       {"atan2", 2, true, true},                 {"divide", 2, false}, {"remainder", 2, true},    {"multiply", 2, false}};

std::vector<Function> FunctionsOf(T type) {
  std::vector<Function> result;
  for (const Function& f : kFunctions) {
    if ((!IsComplex(type) || !f.real_only) && (BitWidth(type) >= 16 || !f.wide)) result.push_back(f);
  }
  return result;
}

// Ordinary numbers among those that code has branches for: huge, tiny, special ones, the ends of the ranges of polynomials.
Value Pool(T type, uint64_t seed) {
  std::mt19937_64 random(seed);
  const T real = RealTypeOf(type);
  const auto one = [&] {
    static constexpr double kEdges[] = {0,     -0.0,   1,    -1,   0.5,   -0.5, 1e-40, -1e-40, 1e30,  -1e30,   3e38, 70999,  71001, -71001, 1e5,
                                        65504, 88.72, 89.5, -104, -87.5, 0.6,  0.92,  0.25,   -0.25, 0.34657, 20,   -20.01, 1e10,  INFINITY, -INFINITY,
                                        NAN};
    if (random() % 3 == 0) return kEdges[random() % std::size(kEdges)];
    return (static_cast<double>(random() % 200001) / 100000 - 1) * (random() % 4 == 0 ? 60 : 3);
  };
  Value value = Value::Allocate(Shape::Array(type, {kPool}));
  for (int64_t i = 0; i < kPool; ++i) {
    Scalar s = Scalar::Float(real, one());
    if (IsComplex(type)) s = Scalar::Complex(type, {s.re, Scalar::Float(real, one()).re});
    StoreScalar(s, value.mutable_data() + i * StorageBytes(type));
  }
  return value;
}

Scalar Element(const Value& v, int64_t i) { return LoadScalar(v.shape().element_type(), v.data() + i * StorageBytes(v.shape().element_type())); }
// Which NaN a NaN is is left open.
bool SamePart(double a, double b) { return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }
bool Same(const Scalar& a, const Scalar& b) { return SamePart(a.re, b.re) && SamePart(a.im, b.im); }

class SameBitsAnywhere : public testing::TestWithParam<T> {
 protected:
  void SetUp() override {
    jit_ = MakeJitCpuBackend({.threads = 1, .cache_directory = ""}).value();
    for (uint64_t k = 0; k < 2; ++k) pools_.push_back(Pool(type_, 17 + k));
  }
  std::string Name1() const { return std::string(hloscope::Name(type_).data(), hloscope::Name(type_).size()); }
  std::string Of(absl::string_view sizes) const { return absl::StrCat(Name1(), "[", sizes, "]"); }

  // The elements of the result's tuple.
  std::vector<Value> Run(const std::string& text, std::vector<Value> inputs, bool steps) {
    std::unique_ptr<Module> module = Parse(text);
    if (module == nullptr) return {};
    Machine machine(*module, *jit_, MachineOptions());
    EXPECT_TRUE(machine.Start(std::move(inputs)).ok());
    StopReason reason = StopReason::kStep;
    while (reason == StopReason::kStep) reason = steps ? machine.Step(false) : machine.Run();
    EXPECT_EQ(reason, StopReason::kFinished) << machine.status();
    std::vector<Value> copies;
    for (const Value& v : machine.result().elements()) copies.push_back(Value::FromBytes(v.shape(), absl::MakeConstSpan(v.data(), v.byte_size())));
    return copies;
  }

  // results[f][i]: the function of element i of the first pool and element (i + shift) of the second, each computed in a module of scalars.
  std::vector<std::vector<Scalar>> Alone(const std::vector<Function>& functions) {
    std::string text = absl::StrCat("HloModule alone\n\nENTRY main {\n  x = ", Of(""), " parameter(0)\n  y = ", Of(""), " parameter(1)\n");
    std::vector<std::string> names, types;
    for (size_t f = 0; f < functions.size(); ++f) {
      names.push_back(absl::StrCat("f", f));
      types.push_back(Of(""));
      absl::StrAppend(&text, "  f", f, " = ", Of(""), " ", functions[f].name, functions[f].arity == 1 ? "(x)" : "(x, y)", "\n");
    }
    absl::StrAppend(&text, "  ROOT t = (", absl::StrJoin(types, ", "), ") tuple(", absl::StrJoin(names, ", "), ")\n}\n");
    std::unique_ptr<Module> module = Parse(text);
    std::vector<std::vector<Scalar>> results(functions.size());
    const int bytes = StorageBytes(type_);
    for (int64_t i = 0; i < kPool; ++i) {
      Machine machine(*module, *jit_, MachineOptions());
      std::vector<Value> inputs;
      for (const Value& pool : pools_) inputs.push_back(Value::FromBytes(Shape::Scalar(type_), absl::MakeConstSpan(pool.data() + i * bytes, bytes)));
      EXPECT_TRUE(machine.Start(std::move(inputs)).ok());
      EXPECT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
      for (size_t f = 0; f < functions.size(); ++f) results[f].push_back(Element(machine.result().elements()[f], 0));
    }
    return results;
  }

  const T type_ = GetParam();
  std::unique_ptr<Backend> jit_;
  std::vector<Value> pools_;
};

TEST_P(SameBitsAnywhere, OfEveryFunctionWhereverAnElementLies) {
  const std::vector<Function> functions = FunctionsOf(type_);
  const std::vector<std::vector<Scalar>> alone = Alone(functions);
  std::mt19937_64 random(5);
  std::vector<int64_t> lengths;
  for (int64_t n = 1; n <= 40; n += type_ == T::kF32 ? 1 : n < 3 ? 1 : 6 + n % 3) lengths.push_back(n);
  int wrong = 0;
  for (int64_t n : lengths) {
    const int64_t start = static_cast<int64_t>(random() % (kPool - n + 1)), rows = n % 3 == 0 ? 3 : n % 2 == 0 ? 2 : 1;
    std::string text = absl::StrCat("HloModule t\n\nmost { a = ", Of(""), " parameter(0) b = ", Of(""), " parameter(1) ROOT m = ", Of(""),
                                    IsComplex(type_) ? " add" : " maximum", "(a, b) }\n\nENTRY main {\n");
    const std::string flat = Of(absl::StrCat(n)), grid = Of(absl::StrCat(rows, ",", n / rows)), turned = Of(absl::StrCat(n / rows, ",", rows));
    for (const char* p : {"x", "y"}) {
      absl::StrAppend(&text, "  ", p, " = ", Of(absl::StrCat(kPool)), " parameter(", p[0] - 'x', ")\n");
      absl::StrAppend(&text, "  ", p, "s = ", flat, " slice(", p, "), slice={[", start, ":", start + n, "]}\n");
      absl::StrAppend(&text, "  ", p, "r = ", flat, " reverse(", p, "s), dimensions={0}\n");
      absl::StrAppend(&text, "  ", p, "g = ", grid, " reshape(", p, "s)\n");
      absl::StrAppend(&text, "  ", p, "t = ", turned, " transpose(", p, "g), dimensions={1,0}\n");
    }
    const std::string zero = IsComplex(type_) ? "(0, 0)" : BitWidth(type_) < 16 ? "-448" : "-inf";
    absl::StrAppend(&text, "  z = ", Of(""), " constant(", zero, ")\n");
    // Five ways to each function: as it is; its argument reversed and its result negated; in rows; in columns, negated; and in a fold.
    std::vector<std::string> names, types;
    const auto add = [&](const std::string& name, const std::string& type) { names.push_back(name), types.push_back(type); };
    for (size_t f = 0; f < functions.size(); ++f) {
      const auto call = [&](absl::string_view suffix) {
        return absl::StrCat(functions[f].name, "(x", suffix, functions[f].arity == 1 ? "" : absl::StrCat(", y", suffix), ")\n");
      };
      absl::StrAppend(&text, "  a", f, " = ", flat, " ", call("s"));
      absl::StrAppend(&text, "  b", f, " = ", flat, " ", call("r"), "  c", f, " = ", flat, " negate(b", f, ")\n");
      absl::StrAppend(&text, "  d", f, " = ", grid, " ", call("g"));
      absl::StrAppend(&text, "  e", f, " = ", turned, " ", call("t"), "  h", f, " = ", turned, " negate(e", f, ")\n");
      absl::StrAppend(&text, "  i", f, " = ", flat, " ", call("s"), "  j", f, " = ", Of(""), " reduce(i", f, ", z), dimensions={0}, to_apply=most\n");
      add(absl::StrCat("a", f), flat), add(absl::StrCat("c", f), flat), add(absl::StrCat("d", f), grid), add(absl::StrCat("h", f), turned);
      add(absl::StrCat("j", f), Of(""));
    }
    absl::StrAppend(&text, "  ROOT t = (", absl::StrJoin(types, ", "), ") tuple(", absl::StrJoin(names, ", "), ")\n}\n");
    for (bool steps : {false, true}) {
      const std::vector<Value> results = Run(text, pools_, steps);
      ASSERT_EQ(results.size(), names.size());
      for (size_t f = 0; f < functions.size() && wrong < 10; ++f) {
        for (int way = 0; way < 4; ++way) {
          for (int64_t i = 0; i < n; ++i) {
            const int64_t from = way == 1 ? n - 1 - i : way == 3 ? i % rows * (n / rows) + i / rows : i;
            Scalar want = alone[f][start + from];
            const Scalar got = Element(results[5 * f + way], i), x = Element(pools_[0], start + from);
            if (way % 2 == 1) want.re = -want.re, want.im = IsComplex(type_) ? -want.im : 0;
            if (Same(got, want)) continue;
            ++wrong;
            ADD_FAILURE() << functions[f].name << " of " << ToText(x) << ", " << ToText(Element(pools_[1], start + from)) << ", element " << i << " of "
                          << n << " from " << start << ", way " << way << (steps ? ", in steps" : "") << ": " << ToText(got) << ", alone "
                          << ToText(want);
          }
        }
        if (IsComplex(type_)) continue;
        double most = -INFINITY;
        for (int64_t i = 0; i < n; ++i) {
          const double v = alone[f][start + i].re;
          most = std::isnan(most) || std::isnan(v) ? NAN : v > most || (v == most && !std::signbit(v)) ? v : most;
        }
        EXPECT_TRUE(SamePart(Element(results[5 * f + 4], 0).re, most)) << functions[f].name << ", the greatest of " << n << " from " << start;
      }
    }
    if (wrong >= 10) return;
  }
}
// Folds of rows with what is made of the row: extrema whose order matters, quotients that are not computed by dividing, values kept for the row.
TEST_P(SameBitsAnywhere, OfRowsOfUnusualNumbers) {
  if (IsComplex(type_) || BitWidth(type_) < 16) return;
  constexpr int64_t kRows = 264;
  std::mt19937_64 random(9);
  for (const int64_t length : {192, 200}) {
    const Shape shape = Shape::Array(type_, {kRows, length});
    Value x = Value::Allocate(shape);
    for (int64_t i = 0; i < kRows * length; ++i) {
      const int kind = static_cast<int>(i / length % 5);
      const double plain = static_cast<double>(random() % 200001) / 100000 - 1;
      double v = plain;
      if (kind == 0) v = Element(pools_[0], static_cast<int64_t>(random() % kPool)).re;
      if (kind == 1) v = random() % 3 == 0 ? -0.0 : random() % 2 == 0 ? 0.0 : -std::abs(plain);
      if (kind == 2) v = std::ldexp(plain, static_cast<int>(random() % 260) - 140);
      if (kind == 3) v = std::abs(plain) * 100;
      StoreScalar(Scalar::Float(type_, v), x.mutable_data() + i * StorageBytes(type_));
    }
    const std::string all = Of(absl::StrCat(kRows, ",", length)), row = Of(absl::StrCat(kRows)), one = Of("");
    std::string start = "HloModule t\n\n";
    for (const char* op : {"maximum", "minimum", "add"}) {
      absl::StrAppend(&start, op, "s { a = ", one, " parameter(0) b = ", one, " parameter(1) ROOT m = ", one, " ", op, "(a, b) }\n");
    }
    absl::StrAppend(&start, "\nENTRY main {\n  x = ", all, " parameter(0)\n  low = ", one, " constant(-inf)\n  high = ", one, " constant(inf)\n  zero = ", one,
                    " constant(0)\n");
    const auto fold = [&](const char* to, const char* from, const char* init, const char* op) {
      return absl::StrCat("  ", to, " = ", row, " reduce(", from, ", ", init, "), dimensions={1}, to_apply=", op, "s\n  ", to, "b = ", all, " broadcast(", to,
                          "), dimensions={0}\n");
    };
    const auto each = [&](const char* to, const std::string& what) { return absl::StrCat("  ", to, " = ", all, " ", what, "\n"); };
    const auto ends = [&](const char* value, const std::string& type) { return absl::StrCat("  ROOT t = (", type, ") tuple(", value, ")\n}\n"); };
    const struct {
      std::string body;
      bool exact;  // the interpreter rounds as the code does
    } programs[] = {
        {fold("m", "x", "low", "maximum") + ends("m", row), true},
        {fold("m", "x", "high", "minimum") + ends("m", row), true},
        {fold("s", "x", "zero", "add") + each("q", "divide(x, sb)") + ends("q", all), true},
        {fold("m", "x", "low", "maximum") + each("d", "subtract(x, mb)") + each("e", "exponential(d)") + fold("s", "e", "zero", "add") + each("q", "divide(e, sb)") +
             ends("q", all), false},
        {each("e", "tanh(x)") + fold("m", "e", "high", "minimum") + each("q", "divide(e, mb)") + ends("q", all), false},
    };
    const std::unique_ptr<Backend> reference = MakeReferenceBackend();
    for (const auto& [body, exact] : programs) {
      SCOPED_TRACE(body);
      const std::vector<Value> fused = Run(start + body, {x}, false), stepped = Run(start + body, {x}, true);
      ASSERT_EQ(fused.size(), 1);
      ASSERT_EQ(stepped.size(), 1);
      Value expected = stepped[0];
      std::unique_ptr<Module> module = Parse(start + body);
      Machine machine(*module, *reference, MachineOptions());
      if (exact) {
        ASSERT_TRUE(machine.Start({x}).ok());
        ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
        expected = machine.result().elements()[0];
      }
      int wrong = 0;
      for (int64_t i = 0; i < expected.element_count() && wrong < 5; ++i) {
        const Scalar want = Element(expected, i), got = Element(fused[0], i), step = Element(stepped[0], i);
        if (Same(got, want) && Same(step, want)) continue;
        ++wrong;
        ADD_FAILURE() << "element " << i << ": " << ToText(got) << ", in steps " << ToText(step) << ", expected " << ToText(want);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Types, SameBitsAnywhere, testing::Values(T::kF32, T::kF64, T::kF16, T::kBF16, T::kF8E4M3FN, T::kC64, T::kC128),
                         [](const auto& info) { return std::string(Name(info.param).data(), Name(info.param).size()); });

}  // namespace
}  // namespace hloscope
