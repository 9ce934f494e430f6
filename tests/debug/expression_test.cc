// Expressions and subscripts, without a program: values by name from a table.
#include "core/debug/expression.h"

#include <cmath>
#include <complex>
#include <map>

#include "core/debug/subscript.h"
#include "core/literal/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using ::testing::HasSubstr;

template <typename T>
Value Array(ElementType type, std::vector<int64_t> dims, std::vector<T> elements) {
  return Value::FromBytes(Shape::Array(type, dims), absl::MakeConstSpan(reinterpret_cast<const std::byte*>(elements.data()), elements.size() * sizeof(T)));
}

class Table : public ExpressionHost {
 public:
  Table() {
    values_["x"] = Array<float>(ElementType::kF32, {2, 3}, {1, -2, 3, 4, 5, -6});
    values_["x.1"] = Array<int32_t>(ElementType::kS32, {3}, {1, 2, 3});
    values_["big"] = Array<uint64_t>(ElementType::kU64, {1}, {~uint64_t{0}});
    values_["n"] = Array<float>(ElementType::kF32, {3}, {NAN, INFINITY, 1});
    values_["z"] = Array<std::complex<float>>(ElementType::kC64, {2}, {{3, 4}, {0, -1}});
    values_["empty"] = Array<float>(ElementType::kF32, {0}, {});
    values_["t"] = Value::Tuple(Shape::Tuple({values_["x"].shape(), values_["x.1"].shape()}), {values_["x"], values_["x.1"]});
  }
  bool IsName(absl::string_view name) const override { return values_.count(std::string(name)) > 0; }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override {
    const auto found = values_.find(std::string(name));
    if (found == values_.end()) return absl::NotFoundError("no such value");
    return found->second;
  }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override {
    const absl::StatusOr<Value> value = ValueOf(name);
    if (!value.ok()) return value.status();
    return value->shape();
  }
  absl::StatusOr<bool> StoppedAt(absl::string_view location) const override { return location == "%here"; }
  bool Finished() const override { return false; }

 private:
  std::map<std::string, Value> values_;
};

std::string Evaluate(const std::string& text) {
  const absl::StatusOr<ExpressionResult> result = EvaluateExpression(text, Table());
  return result.ok() ? ToText(*result, 100) : "error: " + std::string(result.status().message());
}

bool Holds(const std::string& text) {
  const absl::StatusOr<Claim> claim = EvaluateClaim(text, Table());
  EXPECT_TRUE(claim.ok()) << text << ": " << claim.status();
  return claim.ok() && claim->holds;
}

TEST(Expression, ArithmeticAndPrecedence) {
  EXPECT_EQ(Evaluate("1 + 2 * 3 - 4 / 2"), "5");
  EXPECT_EQ(Evaluate("-(1 + 2) * -3"), "9");
  EXPECT_EQ(Evaluate("1 - 2 - 3"), "-4");
  EXPECT_EQ(Evaluate("1e3 + .5"), "1000.5");
  EXPECT_EQ(Evaluate("1 < 2 == true"), "error: '== true' is left over, at column 7 of: 1 < 2 == true");
  EXPECT_EQ(Evaluate("not 1 < 2 or 2 < 3 and false"), "false");
  EXPECT_EQ(Evaluate("!(1 == 2) && true || false"), "true");
  EXPECT_EQ(Evaluate("1 / 0"), "inf");
}

TEST(Expression, NamesMayHoldDotsAndMinus) {
  EXPECT_EQ(Evaluate("x.1"), "[1, 2, 3]");
  EXPECT_EQ(Evaluate("%x.1-1"), "[0, 1, 2]");
  EXPECT_EQ(Evaluate("%x.2"), "error: no such value");
  EXPECT_EQ(Evaluate("%x.1[0] - %x[0,0]"), "0");
}

TEST(Expression, Functions) {
  EXPECT_EQ(Evaluate("max(x)"), "5");
  EXPECT_EQ(Evaluate("min(x)"), "-6");
  EXPECT_EQ(Evaluate("max(abs(x))"), "6");
  EXPECT_EQ(Evaluate("sum(x.1) * mean(x.1)"), "12");
  EXPECT_EQ(Evaluate("count(x)"), "6");
  EXPECT_EQ(Evaluate("count(x > 0)"), "4");
  EXPECT_EQ(Evaluate("nan(n)"), "1");
  EXPECT_EQ(Evaluate("inf(n)"), "1");
  EXPECT_EQ(Evaluate("max(n)"), "nan") << "a NaN must not hide behind a maximum";
  EXPECT_EQ(Evaluate("any(x > 4)"), "true");
  EXPECT_EQ(Evaluate("all(x > 4)"), "false");
  EXPECT_EQ(Evaluate("all(empty > 4)"), "true");
  EXPECT_EQ(Evaluate("max(empty)"), "-inf");
  EXPECT_EQ(Evaluate("min(empty)"), "inf");
  EXPECT_EQ(Evaluate("sum(z)"), "(3, 3)");
  EXPECT_EQ(Evaluate("mean(z)"), "(1.5, 1.5)");
  EXPECT_EQ(Evaluate("rank(x)"), "2");
  EXPECT_EQ(Evaluate("abs(z)"), "[5, 1]");
  EXPECT_EQ(Evaluate("imag(z) + real(z)"), "[7, -1]");
  EXPECT_EQ(Evaluate("z * z"), "[(-7, 24), (-1, -0)]");
  EXPECT_EQ(Evaluate("big > 1e19"), "[true]") << "unsigned values are not negative";
}

TEST(Expression, RemaindersAndDecidedOperands) {
  EXPECT_EQ(Evaluate("17 % 5"), "2");
  EXPECT_EQ(Evaluate("-1 % 5"), "-1") << "as the operation remainder";
  EXPECT_EQ(Evaluate("7 %x.1[1]"), "1") << "after an operand % is the remainder";
  EXPECT_EQ(Evaluate("false and x[0,0] > 1 or true"), "true");
  EXPECT_EQ(Evaluate("true or %x.2 > 1"), "error: no such value") << "names are looked at even where values do not matter";
  EXPECT_EQ(Evaluate("std(x.1) > 0.8 && norm(x.1[0:2]) < 2.3"), "true");
  EXPECT_THAT(Evaluate("iteration"), HasSubstr("nothing is known of 'iteration'"));
  EXPECT_EQ(Evaluate("false and iteration > 3"), "false");
}

// The same table where only the form is looked at.
class Form : public Table {
 public:
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override {
    if (asked_for_values) ADD_FAILURE() << "a value was asked for: " << name;
    return Table::ValueOf(name);
  }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override {
    asked_for_values = false;
    const absl::StatusOr<Shape> shape = Table::ShapeOf(name);
    asked_for_values = true;
    return shape;
  }
  absl::StatusOr<Shape> FormOf(absl::string_view name) const override { return name == "$_" ? absl::StatusOr<Shape>(absl::UnavailableError("")) : ShapeOf(name); }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override { return 0; }
  bool IsName(absl::string_view name) const override { return name == "$_" || Table::IsName(name); }
  bool form_only() const override { return true; }
  mutable bool asked_for_values = true;
};

TEST(Expression, MistakesAreFoundFromTheFormAlone) {
  for (const char* good : {"max(abs(x)) > 1e4", "x + x[0, 0] ~= 3 1e-3", "$_ > 3 and max($_[0]) < 1", "shape(x) == f32[2,3]", "iteration % 10 == 0 or hits > 3 and depth == 1", "t[0] + x > 1",
                           "not (x > 1) && all(n < 2)", "x[1] * x.1 - -1", "x.1 == x.1[0]"}) {
    EXPECT_TRUE(EvaluateExpression(good, Form()).ok()) << good << ": " << EvaluateExpression(good, Form()).status();
  }
  for (const auto& [bad, part] : std::map<std::string, std::string>{{"max(x) > foo(1)", "no function foo"},
                                                                    {"x + x.1 > 1", "do not go together"},
                                                                    {"x[2,0] > 1", "outside of dimension 0"},
                                                                    {"t > 1", "no array"},
                                                                    {"t[2] > 1", "outside of the tuple"},
                                                                    {"x > 1 and", "something is missing"},
                                                                    {"x > 1 and %nothing", "no such value"},
                                                                    {"shape(x) > 1", "compared with a shape"},
                                                                    {"iteration(", "closing )"}}) {
    EXPECT_THAT(std::string(EvaluateExpression(bad, Form()).status().message()), HasSubstr(part)) << bad;
  }
}

TEST(Expression, Claims) {
  EXPECT_TRUE(Holds("x[0,0] == 1"));
  EXPECT_TRUE(Holds("x ~= x"));
  EXPECT_TRUE(Holds("x.1 ~= 2 1"));
  EXPECT_FALSE(Holds("x.1 ~= 2 0.4"));
  EXPECT_TRUE(Holds("shape(x) == f32[2,3]"));
  EXPECT_TRUE(Holds("shape(x) == f32[2,3]{0,1}")) << "layouts do not count";
  EXPECT_TRUE(Holds("shape(x) != f32[3,2]"));
  EXPECT_TRUE(Holds("shape(t[1]) == s32[3]"));
  EXPECT_TRUE(Holds("stopped at %here"));
  EXPECT_FALSE(Holds("stopped at %there"));
  EXPECT_TRUE(Holds("not finished"));
  EXPECT_FALSE(Holds("n == n")) << "a NaN equals nothing";
}

TEST(Expression, FailedClaimsSayWhatWasFound) {
  EXPECT_EQ(EvaluateClaim("x == 1", Table())->detail, "at [0,1]: found -2, wanted == 1 (5 of 6 elements differ)");
  EXPECT_EQ(EvaluateClaim("x[1,2] > 0", Table())->detail, "found -6, wanted > 0");
  EXPECT_EQ(EvaluateClaim("shape(x) == f32[2]", Table())->detail, "the shape is f32[2,3]");
  EXPECT_EQ(EvaluateClaim("x ~= 1 0.5", Table())->detail, "at [0,1]: found -2, wanted ~= 1 within 0.5 (5 of 6 elements differ)");
}

TEST(Expression, ErrorsNameThePlace) {
  for (const auto& [text, part] : std::map<std::string, std::string>{{"", "something is missing"},
                                                                     {"(1", "closing )"},
                                                                     {"1 +", "something is missing"},
                                                                     {"foo(1)", "no function foo"},
                                                                     {"max(x, 1)", "takes one argument"},
                                                                     {"x + x.1", "[2,3] and [3] do not go together"},
                                                                     {"t + 1", "no array"},
                                                                     {"shape(x) + 1", "no number"},
                                                                     {"shape(x) < f32[1]", "== or !="},
                                                                     {"f32[2", "closing ]"},
                                                                     {"stopped here", "'at' is expected"},
                                                                     {"x[0", "closing ]"},
                                                                     {"#", "not expected"}}) {
    EXPECT_THAT(Evaluate(text), HasSubstr(part)) << text;
  }
  EXPECT_FALSE(EvaluateClaim("shape(x)", Table()).ok());
}

TEST(Expression, DeepNestingIsAnErrorNotACrash) {
  EXPECT_THAT(Evaluate(std::string(100000, '(')), HasSubstr("nested"));
  EXPECT_THAT(Evaluate(std::string(100000, '-') + "1"), HasSubstr("nested"));
  EXPECT_THAT(Evaluate(std::string(100000, '!') + "1"), HasSubstr("nested"));
}

std::string Sliced(const std::string& text) { return Evaluate("x" + text); }

TEST(Subscript, AsInPython) {
  EXPECT_EQ(Sliced("[0]"), "[1, -2, 3]");
  EXPECT_EQ(Sliced("[-1, -1]"), "-6");
  EXPECT_EQ(Sliced("[:, 1]"), "[-2, 5]");
  EXPECT_EQ(Sliced("[..., 0]"), "[1, 4]");
  EXPECT_EQ(Sliced("[1:, :2]"), "[[4, 5]]");
  EXPECT_EQ(Sliced("[::-1, ::2]"), "[[4, -6],\n [1, 3]]");
  EXPECT_EQ(Sliced("[0][1:3][0]"), "-2");
  EXPECT_EQ(Sliced("[0:100, 5:]"), "[[],\n []]");
  EXPECT_EQ(Sliced("[0, -2:]"), "[-2, 3]");
  EXPECT_EQ(Sliced("[0, 2:0:-1]"), "[3, -2]");
  EXPECT_EQ(Evaluate("t[-1]"), "[1, 2, 3]");
}

TEST(Subscript, Errors) {
  EXPECT_THAT(Sliced("[2]"), HasSubstr("index 2 is outside of dimension 0, which has size 2"));
  EXPECT_THAT(Sliced("[0, -4]"), HasSubstr("dimension 1, which has size 3"));
  EXPECT_THAT(Sliced("[0,0,0]"), HasSubstr("3 entries"));
  EXPECT_THAT(Sliced("[a]"), HasSubstr("'a' is no index"));
  EXPECT_THAT(Sliced("[1:2:3:4]"), HasSubstr("too many colons"));
  EXPECT_THAT(Sliced("[::0]"), HasSubstr("step of 0"));
  EXPECT_THAT(Sliced("[...,...]"), HasSubstr("more than one ..."));
  EXPECT_THAT(Evaluate("t[0:1]"), HasSubstr("a tuple takes one index"));
  EXPECT_THAT(Evaluate("t[2]"), HasSubstr("outside of the tuple"));
}

}  // namespace
}  // namespace hloscope
