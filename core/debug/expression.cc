// A recursive-descent evaluator: there is no tree, each rule returns its value. Nesting is bounded, so no text overflows the stack.
#include "core/debug/expression.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/expression_functions.h"
#include "core/debug/expression_integers.h"
#include "core/debug/instruction_names.h"
#include "core/debug/subscript.h"
#include "core/literal/format.h"
#include "core/literal/scalar.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

using expression::AreIntegers;
using expression::At;
using expression::Complex;
using expression::Function;
using expression::Functions;
using expression::Integer;
using expression::IsNameChar;
using expression::Number;
using expression::Result;
using expression::Size;
using expression::ToNumbers;
using expression::Unknown;
using expression::WideOp;

constexpr int kMaxDepth = 200;

struct Comparison {
  std::string op;
  Result left, right;
  double tolerance = 0;
  Result outcome;
};

bool Compare(absl::string_view op, Complex a, Complex b, double tolerance) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a.real() < b.real();  // of real numbers only
  if (op == "<=") return a.real() <= b.real();
  if (op == ">") return a.real() > b.real();
  if (op == ">=") return a.real() >= b.real();
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));  // ~=
}

// -- The parser --

class Parser {
 public:
  Parser(absl::string_view text, const ExpressionHost& host) : text_(text), rest_(text), host_(host) {}

  absl::StatusOr<Result> Whole() {
    absl::StatusOr<Result> r = Or();
    if (!r.ok()) return r;
    Skip();
    if (!rest_.empty()) return Bad(absl::StrCat("'", rest_, "' is left over", rest_[0] == '=' && !absl::StartsWith(rest_, "==") ? " (equal is written ==)" : ""));
    return r;
  }
  // The comparison whose outcome is the whole result, if there is one.
  const std::optional<Comparison>& last_comparison() const { return last_; }
  // The comparisons that are false, each with what it found; those inside of a function's parentheses are left out.
  std::vector<std::string> FalseComparisons() const;

 private:
  void Skip() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool Take(absl::string_view token) {
    Skip();
    return absl::ConsumePrefix(&rest_, token);
  }
  bool TakeWordIf(absl::string_view word) {
    Skip();
    if (!absl::StartsWith(rest_, word) || (rest_.size() > word.size() && IsNameChar(rest_[word.size()]))) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  absl::Status Bad(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(what, ", at column ", text_.size() - rest_.size() + 1, " of: ", text_));
  }

  absl::StatusOr<Result> Or() {
    return Chain([this] { return And(); }, {"||"}, {"or"}, [](Complex a, Complex b, absl::string_view) { return Complex(a != 0.0 || b != 0.0); }, true);
  }
  absl::StatusOr<Result> And() {
    return Chain([this] { return Not(); }, {"&&"}, {"and"}, [](Complex a, Complex b, absl::string_view) { return Complex(a != 0.0 && b != 0.0); }, true);
  }
  absl::StatusOr<Result> Not() {
    Skip();
    const bool bang = !rest_.empty() && rest_[0] == '!' && !absl::StartsWith(rest_, "!=");
    if (!bang && !TakeWordIf("not")) return Relation();
    if (bang) rest_.remove_prefix(1);
    if (++depth_ > kMaxDepth) return Bad("too deeply nested");
    absl::StatusOr<Result> r = Not();
    --depth_;
    if (!r.ok()) return r;
    last_.reset();
    return Map(*std::move(r), [](Complex x) { return Complex(x == 0.0); }, true, false);
  }

  absl::StatusOr<Result> Relation() {
    Skip();
    const absl::string_view from = rest_;
    absl::StatusOr<Result> left = Additive();
    if (!left.ok()) return left;
    Skip();
    for (absl::string_view op : {"==", "!=", "~=", "<=", ">=", "<", ">"}) {
      if (!absl::ConsumePrefix(&rest_, op)) continue;
      absl::StatusOr<Result> right = Additive();
      if (!right.ok()) return right;
      absl::StatusOr<Result> outcome = CompareResults(*std::move(left), *std::move(right), op);
      if (outcome.ok() && last_.has_value() && skipping_ == 0 && calls_ == 0 && !outcome->unknown) {
        const absl::string_view text = absl::StripAsciiWhitespace(from.substr(0, from.size() - rest_.size()));
        if (std::find(outcome->re.begin(), outcome->re.end(), 0.0) != outcome->re.end()) false_.push_back({std::string(text), *last_});
      }
      return outcome;
    }
    return left;
  }

  absl::StatusOr<Result> CompareResults(Result left, Result right, absl::string_view op) {
    if (left.kind == Result::kShape || right.kind == Result::kShape) {
      if (left.kind != right.kind || (op != "==" && op != "!=")) return Bad("a shape is compared with a shape, by == or !=");
      const bool same = Shape::Compatible(left.shape, right.shape);
      Result outcome = Number(same == (op == "=="), true);
      last_ = Comparison{std::string(op), std::move(left), std::move(right), 0, outcome};
      return outcome;
    }
    Comparison comparison;
    comparison.op = std::string(op);
    if (op == "~=") {
      comparison.tolerance = 1e-6;
      Skip();
      if (!rest_.empty() && (absl::ascii_isdigit(rest_[0]) || rest_[0] == '.')) {
        absl::StatusOr<Result> tolerance = NumberLiteral();
        if (!tolerance.ok()) return tolerance;
        comparison.tolerance = tolerance->re[0];
      }
    }
    absl::StatusOr<Result> a = ToNumbers(std::move(left)), b = ToNumbers(std::move(right));
    if (!a.ok()) return a;
    if (!b.ok()) return b;
    if (const absl::string_view why = expression::WhyNotOfComplex(op, *a, *b); !why.empty()) return Bad(why);
    const double tolerance = comparison.tolerance;
    absl::StatusOr<Result> outcome = Combine(*a, *b, [&](Complex x, Complex y) { return Complex(Compare(op, x, y, tolerance)); }, true);
    if (!outcome.ok() || outcome->unknown) return outcome;
    if (op != "~=" && AreIntegers(*a) && AreIntegers(*b)) expression::CompareIntegers(op, *a, *b, &*outcome);
    comparison.left = *std::move(a);
    comparison.right = *std::move(b);
    comparison.outcome = *outcome;
    last_ = std::move(comparison);
    return outcome;
  }

  absl::StatusOr<Result> Additive() {
    return Chain([this] { return Product(); }, {"+", "-"}, {},
                 [](Complex a, Complex b, absl::string_view op) { return op == "+" ? a + b : a - b; }, false);
  }
  absl::StatusOr<Result> Product() {
    return Chain([this] { return Unary(); }, {"*", "/", "%"}, {},
                 [](Complex a, Complex b, absl::string_view op) {
                   if (op == "%") return Complex(std::fmod(a.real(), b.real()));
                   if (a.imag() == 0 && b.imag() == 0) return Complex(op == "*" ? a.real() * b.real() : a.real() / b.real());
                   return op == "*" ? a * b : a / b;
                 },
                 false);
  }
  absl::StatusOr<Result> Unary() {
    if (++depth_ > kMaxDepth) return Bad("too deeply nested");
    Skip();
    absl::StatusOr<Result> r;
    if (Take("-")) {
      r = Unary();
      if (r.ok()) r = Negated(*std::move(r));
    } else {
      r = Primary();
    }
    --depth_;
    return r;
  }

  absl::StatusOr<Result> Primary() {
    Skip();
    if (rest_.empty()) return Bad("something is missing");
    if (Take("(")) {
      absl::StatusOr<Result> r = Or();
      if (r.ok() && Take(",")) r = ComplexLiteral(*std::move(r));
      if (r.ok() && !Take(")")) return Bad("the closing ) is missing");
      return r;
    }
    if (absl::ascii_isdigit(rest_[0]) || rest_[0] == '.') return NumberLiteral();
    if (rest_[0] == '%' || rest_[0] == '$') return Ref();
    if (!absl::ascii_isalpha(rest_[0]) && rest_[0] != '_') return Bad(absl::StrCat("'", rest_.substr(0, 1), "' is not expected"));
    if (TakeWordIf("stopped")) return Stopped();
    if (TakeWordIf("finished")) return Number(host_.Finished(), true);
    if (TakeWordIf("true")) return Number(1, true);
    if (TakeWordIf("false")) return Number(0, true);
    size_t end = 0;
    while (end < rest_.size() && (absl::ascii_isalnum(rest_[end]) || rest_[end] == '_')) ++end;
    const absl::string_view word = rest_.substr(0, end);
    const absl::string_view after = absl::StripLeadingAsciiWhitespace(rest_.substr(end));
    if (IsFact(word, end)) return Fact(word, after);
    if (absl::StartsWith(after, "(")) {
      ++calls_;
      absl::StatusOr<Result> result = Call(word);
      --calls_;
      return result;
    }
    if (word == "inf" || word == "nan") {
      rest_.remove_prefix(end);
      return Number(word == "inf" ? HUGE_VAL : std::nan(""));
    }
    if (absl::StartsWith(after, "[") && ElementTypeFromName(word) && !host_.IsName(word)) return ShapeLiteral();
    return Ref();
  }

  // The rest of (1, -2).
  absl::StatusOr<Result> ComplexLiteral(Result left) {
    absl::StatusOr<Result> right = Or();
    if (!right.ok()) return right;
    absl::StatusOr<Result> re = ToNumbers(std::move(left)), im = ToNumbers(*std::move(right));
    if (!re.ok()) return re;
    if (!im.ok()) return im;
    last_.reset();
    if (re->unknown || im->unknown) return Unknown();
    if (Size(*re) != 1 || Size(*im) != 1 || !re->im.empty() || !im->im.empty()) return Bad("a complex number is made of two real ones, as (1, -2)");
    Result r = Number(re->re[0]);
    r.im = {im->re[0]};
    return r;
  }

  absl::StatusOr<Result> Negated(Result r) {
    absl::StatusOr<Result> numbers = ToNumbers(std::move(r));
    if (!numbers.ok()) return numbers;
    const bool zero = !numbers->unknown && Size(*numbers) == 1 && numbers->re[0] == 0;  // -0 is a float
    if (AreIntegers(*numbers) && !zero) {
      last_.reset();
      if (std::optional<Result> exact = expression::CombineIntegers(Integer(0), *numbers, numbers->dimensions, expression::WideOpOf("-"))) return *std::move(exact);
    }
    return Map(*std::move(numbers), [](Complex x) { return -x; }, false, true);
  }

  // iteration, depth, hits, replica and partition, unless an instruction is meant whose name goes on, as iteration.5.
  bool IsFact(absl::string_view word, size_t end) const {
    if (word != "iteration" && word != "depth" && word != "hits" && word != "replica" && word != "partition") return false;
    size_t whole = end;
    while (whole < rest_.size() && IsNameChar(rest_[whole])) ++whole;
    for (; whole > end; --whole) {
      if (host_.IsName(rest_.substr(0, whole))) return false;
    }
    return true;
  }
  absl::StatusOr<Result> Fact(absl::string_view word, absl::string_view after) {
    rest_.remove_prefix(word.size());
    absl::string_view argument;
    if (word == "iteration" && absl::StartsWith(after, "(")) {
      const size_t open = rest_.find('('), close = rest_.find(')');
      if (close == absl::string_view::npos) return Bad("the closing ) is missing");
      argument = absl::StripPrefix(absl::StripAsciiWhitespace(rest_.substr(open + 1, close - open - 1)), "%");
      if (argument.empty()) return Bad("iteration() takes the name of a loop or of its body");
      rest_.remove_prefix(close + 1);
    }
    if (skipping_) return Integer(0);
    const absl::StatusOr<double> fact = host_.Fact(word, argument);
    if (!fact.ok()) return fact.status();
    if (!host_.form_only()) return Integer(static_cast<int64_t>(*fact));
    Result r = Unknown();
    r.any_dimensions = false;
    return r;
  }

  absl::StatusOr<Result> NumberLiteral() {
    const std::string digits(rest_.substr(0, 64));
    char* end = nullptr;
    const double x = std::strtod(digits.c_str(), &end);
    if (end == digits.c_str()) return Bad("a number is expected");
    const absl::string_view read = rest_.substr(0, end - digits.c_str());
    rest_.remove_prefix(read.size());
    uint64_t whole = 0;
    if (read.find_first_not_of("0123456789") == absl::string_view::npos && absl::SimpleAtoi(read, &whole)) return Integer(whole);
    return Number(x);
  }

  absl::StatusOr<Result> ShapeLiteral() {
    const size_t close = rest_.find(']');
    if (close == absl::string_view::npos) return Bad("the closing ] is missing");
    size_t end = close + 1;
    if (end < rest_.size() && rest_[end] == '{') end = std::min(rest_.find('}', end), rest_.size() - 1) + 1;
    absl::StatusOr<Shape> shape = ParseShape(rest_.substr(0, end));
    if (!shape.ok()) return shape.status();
    rest_.remove_prefix(end);
    Result r;
    r.kind = Result::kShape;
    r.shape = *shape;
    return r;
  }

  absl::StatusOr<Result> Stopped() {
    if (!TakeWordIf("at")) return Bad("'at' is expected after 'stopped'");
    Skip();
    size_t end = 0;
    while (end < rest_.size() && !absl::ascii_isspace(rest_[end]) && rest_[end] != ')') ++end;
    const absl::string_view location = rest_.substr(0, end);
    rest_.remove_prefix(end);
    absl::StatusOr<bool> at = host_.StoppedAt(location);
    if (!at.ok()) return at.status();
    return Number(*at, true);
  }

  absl::StatusOr<Result> Ref() {
    absl::StatusOr<Reference> reference = ParseReference(rest_, host_);
    if (!reference.ok()) return reference.status();
    if (skipping_ || host_.form_only()) return Form(*reference);
    absl::StatusOr<Value> value = host_.ValueOf(reference->name);
    if (!value.ok()) return value.status();
    for (absl::string_view text : reference->subscripts) {
      absl::StatusOr<Subscript> subscript = ParseSubscript(text);
      if (!subscript.ok()) return subscript.status();
      value = ApplySubscript(*value, *subscript);
      if (!value.ok()) return value.status();
    }
    Result r;
    r.kind = Result::kValue;
    r.value = *std::move(value);
    return r;
  }

  // What is known of a reference without its value.
  absl::StatusOr<Result> Form(const Reference& reference) {
    absl::StatusOr<Shape> shape = host_.FormOf(reference.name);
    if (absl::IsUnavailable(shape.status())) return Unknown();
    if (!shape.ok()) return shape.status();
    for (absl::string_view text : reference.subscripts) {
      absl::StatusOr<Subscript> subscript = ParseSubscript(text);
      if (!subscript.ok()) return subscript.status();
      shape = ApplySubscript(*shape, *subscript);
      if (!shape.ok()) return shape.status();
    }
    Result r;
    r.kind = Result::kValue;
    r.unknown = true;
    r.shape = *std::move(shape);
    return r;
  }

  absl::StatusOr<Result> Call(absl::string_view name) {
    const Function* function = nullptr;
    for (const Function& f : Functions()) {
      if (name == f.name) function = &f;
    }
    if (function == nullptr && name != "shape") {
      return Bad(absl::StrCat("there is no function ", name, " (see: help expressions)"));
    }
    rest_ = absl::StripLeadingAsciiWhitespace(rest_.substr(name.size()));
    rest_.remove_prefix(1);  // (
    if (++depth_ > kMaxDepth) return Bad("too deeply nested");
    absl::StatusOr<Result> argument = function == nullptr ? ShapeArgument() : Or();
    --depth_;
    if (!argument.ok()) return argument;
    if (!Take(")")) return Bad(absl::StrCat(name, " takes one argument, and its closing ) is missing"));
    if (function == nullptr) return argument;
    absl::StatusOr<Result> numbers = ToNumbers(*std::move(argument));
    if (!numbers.ok()) return numbers;
    const bool complex = function->complex && !numbers->im.empty();
    if (function->reduce != nullptr && numbers->unknown) {
      Result r = Unknown();
      r.any_dimensions = false;
      if (complex) r.im = {0};
      return r;
    }
    if (AreIntegers(*numbers)) {
      last_.reset();
      if (std::optional<Result> exact = expression::CallWithIntegers(function->name, *numbers)) return *std::move(exact);
    }
    if (function->reduce == nullptr) return Map(*std::move(numbers), function->map, false, function->complex);
    const Complex made = function->reduce(*numbers);
    if (function->counts) return Integer(static_cast<int64_t>(made.real()));
    Result r = Number(made.real(), absl::string_view(function->name) == "any" || absl::string_view(function->name) == "all");
    if (complex) r.im = {made.imag()};
    return r;
  }

  // shape(%x) needs no value.
  absl::StatusOr<Result> ShapeArgument() {
    absl::StatusOr<Reference> reference = ParseReference(rest_, host_);
    if (!reference.ok()) return reference.status();
    Result r;
    r.kind = Result::kShape;
    absl::StatusOr<Shape> shape = host_.ShapeOf(reference->name);
    if (!shape.ok()) return shape.status();
    r.shape = *shape;
    for (absl::string_view text : reference->subscripts) {
      absl::StatusOr<Subscript> subscript = ParseSubscript(text);
      if (!subscript.ok()) return subscript.status();
      if (!r.shape.IsTuple() || subscript->size() != 1 || (*subscript)[0].index < 0 ||
          (*subscript)[0].index >= static_cast<int64_t>(r.shape.tuple_shapes().size())) {
        return Bad("shape takes a name, or an element of a tuple as %t[0]");
      }
      r.shape = Shape(r.shape.tuple_shapes()[(*subscript)[0].index]);
    }
    return r;
  }

  // operand (op operand)*, from the left.
  absl::StatusOr<Result> Chain(const std::function<absl::StatusOr<Result>()>& operand, std::initializer_list<absl::string_view> signs,
                               std::initializer_list<absl::string_view> words, Complex (*f)(Complex, Complex, absl::string_view), bool to_bool) {
    absl::StatusOr<Result> left = operand();
    while (left.ok()) {
      absl::string_view found;
      for (absl::string_view sign : signs) {
        if (found.empty() && Take(sign)) found = sign;
      }
      for (absl::string_view word : words) {
        if (found.empty() && TakeWordIf(word)) found = word;
      }
      if (found.empty()) break;
      absl::StatusOr<Result> a = ToNumbers(*std::move(left));
      if (!a.ok()) return a;
      // What cannot matter any more is read for its form only, so that `iteration > 0 and %old > 1` says nothing wrong.
      const bool conjunction = found == "&&" || found == "and", logical = conjunction || found == "||" || found == "or";
      const bool decided = logical && !a->unknown && Size(*a) == 1 && (At(*a, 0) == 0.0) == conjunction;
      skipping_ += decided;
      absl::StatusOr<Result> right = operand();
      skipping_ -= decided;
      if (!right.ok()) return right;
      if (decided) {
        last_.reset();
        left = Number(conjunction ? 0 : 1, true);
        continue;
      }
      absl::StatusOr<Result> b = ToNumbers(*std::move(right));
      if (!b.ok()) return b;
      last_.reset();
      if (const absl::string_view why = expression::WhyNotOfComplex(found, *a, *b); !why.empty()) return Bad(why);
      left = Combine(*a, *b, [&](Complex x, Complex y) { return f(x, y, found); }, to_bool, to_bool ? nullptr : expression::WideOpOf(found));
    }
    return left;
  }

  template <typename F>
  absl::StatusOr<Result> Combine(const Result& a, const Result& b, F f, bool to_bool, WideOp exact = nullptr) {
    if (a.any_dimensions || b.any_dimensions) return Unknown();
    if (Size(a) != 1 && Size(b) != 1 && a.dimensions != b.dimensions) {
      return Bad(absl::StrCat("arrays of sizes [", absl::StrJoin(a.dimensions, ","), "] and [", absl::StrJoin(b.dimensions, ","), "] do not go together"));
    }
    const Result& larger = a.dimensions.size() >= b.dimensions.size() && !(Size(a) == 1 && Size(b) != 1) ? a : b;
    Result r;
    r.dimensions = larger.dimensions;
    r.is_bool = to_bool;
    r.unknown = a.unknown || b.unknown;
    const bool complex = !to_bool && (!a.im.empty() || !b.im.empty());
    if (complex) r.im = {0};
    if (r.unknown) return r;
    if (exact != nullptr && AreIntegers(a) && AreIntegers(b)) {
      if (std::optional<Result> integers = expression::CombineIntegers(a, b, larger.dimensions, exact)) return *std::move(integers);
    }
    const int64_t n = Size(larger);
    r.re.resize(n);
    if (complex) r.im.resize(n);
    for (int64_t i = 0; i < n; ++i) {
      const Complex x = f(At(a, i), At(b, i));
      r.re[i] = x.real();
      if (complex) r.im[i] = x.imag();
    }
    return r;
  }

  absl::StatusOr<Result> Map(Result r, Complex (*f)(Complex), bool to_bool, bool complex) {
    absl::StatusOr<Result> n = ToNumbers(std::move(r));
    if (!n.ok()) return n;
    last_.reset();
    n->is_bool = to_bool;
    n->value = Value();
    for (int64_t i = 0; !n->unknown && i < Size(*n); ++i) {
      const Complex x = f(At(*n, i));
      n->re[i] = x.real();
      if (!n->im.empty()) n->im[i] = x.imag();
    }
    if (!complex) n->im.clear();
    return n;
  }

  absl::string_view text_, rest_;
  const ExpressionHost& host_;
  std::optional<Comparison> last_;
  std::vector<std::pair<std::string, Comparison>> false_;
  int calls_ = 0;  // functions around the place that is read
  int depth_ = 0;
  int skipping_ = 0;  // more than 0: values are not asked for
};

std::string ElementText(const Result& r, int64_t i) {
  if (Size(r) == 1) i = 0;
  if (r.is_bool) return r.re[i] != 0 ? "true" : "false";
  if (r.value.has_value()) return expression::IntegerText(r, i);
  if (!r.im.empty()) return absl::StrCat("(", FormatDouble(r.re[i], 9), ", ", FormatDouble(r.im[i], 9), ")");
  return FormatDouble(r.re[i], 9);
}

std::string FailureDetail(const Comparison& c) {
  if (c.left.kind == Result::kShape) return absl::StrCat("the shape is ", c.left.shape.ToString(false));
  int64_t failed = 0, first = -1;
  for (int64_t i = 0; i < Size(c.outcome); ++i) {
    if (c.outcome.re[i] != 0) continue;
    if (first < 0) first = i;
    ++failed;
  }
  std::string text = absl::StrCat("found ", ElementText(c.left, first), ", wanted ", c.op, " ", ElementText(c.right, first));
  if (c.op == "~=") absl::StrAppend(&text, " within ", FormatDouble(c.tolerance));
  if (Size(c.outcome) == 1) return text;
  std::vector<int64_t> index(c.outcome.dimensions.size());
  DelinearizeIndex(c.outcome.dimensions, first, absl::MakeSpan(index));
  return absl::StrCat("at [", absl::StrJoin(index, ","), "]: ", text, " (", failed, " of ", Size(c.outcome), " elements differ)");
}

std::vector<std::string> Parser::FalseComparisons() const {
  std::vector<std::string> texts;
  for (const auto& [text, comparison] : false_) texts.push_back(absl::StrCat(text, ": ", FailureDetail(comparison)));
  return texts;
}

}  // namespace

absl::StatusOr<double> ExpressionHost::Fact(absl::string_view name, absl::string_view argument) const {
  return absl::FailedPreconditionError(absl::StrCat("nothing is known of '", name, "' here"));
}

absl::StatusOr<ExpressionResult> EvaluateExpression(absl::string_view text, const ExpressionHost& host) { return Parser(text, host).Whole(); }

absl::StatusOr<Claim> EvaluateClaim(absl::string_view text, const ExpressionHost& host) {
  Parser parser(text, host);
  absl::StatusOr<Result> result = parser.Whole();
  if (!result.ok()) return result.status();
  if (result->kind == Result::kShape) return absl::InvalidArgumentError("a shape alone says nothing; compare it, as shape(%x) == f32[2,3]");
  result = ToNumbers(*std::move(result));
  if (!result.ok()) return result.status();
  const bool same = parser.last_comparison() && (parser.last_comparison()->op == "==" || parser.last_comparison()->op == "~=");
  if (!same && !result->unknown && !result->dimensions.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("this is an array of ", Size(*result), " truth values; say whether all or any of them are meant: all(", text, ") or any(", text, ")"));
  }
  Claim claim;
  claim.holds = true;
  for (size_t i = 0; i < result->re.size(); ++i) claim.holds = claim.holds && At(*result, static_cast<int64_t>(i)) != 0.0;
  if (!claim.holds && parser.last_comparison()) claim.detail = FailureDetail(*parser.last_comparison());
  if (!claim.holds && claim.detail.empty()) claim.detail = absl::StrJoin(parser.FalseComparisons(), "; ");
  return claim;
}

absl::StatusOr<Value> ToValue(ExpressionResult r) {
  if (r.kind == Result::kShape) return absl::InvalidArgumentError("a shape is no value");
  if (r.unknown) return absl::UnavailableError("the value is not known");
  if (r.kind == Result::kValue || r.value.has_value()) return r.value;
  const ElementType type = r.is_bool ? ElementType::kPred : r.im.empty() ? ElementType::kF64 : ElementType::kC128;
  Value array = Value::Allocate(Shape::Array(type, r.dimensions));
  for (int64_t i = 0; i < Size(r); ++i) {
    Scalar s;
    s.type = type;
    s.i = r.re[i] != 0;
    s.re = r.re[i];
    s.im = r.im.empty() ? 0 : r.im[i];
    StoreScalar(s, array.mutable_data() + i * StorageBytes(type));
  }
  return array;
}

std::string ToText(const ExpressionResult& r, int64_t max_elements) {
  if (r.kind == Result::kShape) return r.shape.ToString(false);
  if (r.kind == Result::kValue) return FormatValue(r.value, {.elements = max_elements});
  if (r.dimensions.empty()) return ElementText(r, 0);
  const absl::StatusOr<Value> array = ToValue(r);
  return array.ok() ? FormatValue(*array, {.elements = max_elements, .digits = 9}) : std::string(array.status().message());
}

}  // namespace hloscope
