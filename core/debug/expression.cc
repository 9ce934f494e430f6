// A recursive-descent evaluator: there is no tree, each rule returns its value. Nesting is bounded, so no text overflows the stack.
#include "core/debug/expression.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/expression_arithmetic.h"
#include "core/debug/expression_claim.h"
#include "core/debug/expression_functions.h"
#include "core/debug/expression_integers.h"
#include "core/debug/expression_literals.h"
#include "core/debug/expression_moment.h"
#include "core/debug/instruction_names.h"
#include "core/debug/subscript.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"
#include "core/literal/scalar.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

using expression::AreIntegers;
using expression::At;
using expression::Comparison;
using expression::Complex;
using expression::Function;
using expression::Functions;
using expression::Integer;
using expression::IsNameChar;
using expression::Number;
using expression::Part;
using expression::Result;
using expression::Size;
using expression::ToNumbers;
using expression::Unknown;
using expression::WideOp;

constexpr int kMaxDepth = 200;

// -- The parser --

class Parser {
 public:
  // `explain`: the parts that a claim is made of are noted.
  Parser(absl::string_view text, const ExpressionHost& host, bool explain = false) : text_(text), rest_(text), host_(host), explain_(explain) {}

  absl::StatusOr<Result> Whole() {
    absl::StatusOr<Result> r = Or();
    if (!r.ok()) return r;
    Skip();
    if (!rest_.empty()) return Bad(absl::StrCat("'", rest_, "' is left over", rest_[0] == '=' && !absl::StartsWith(rest_, "==") ? " (equal is written ==)" : ""));
    return r;
  }
  // The comparison whose outcome is the whole result, if there is one.
  const std::optional<Comparison>& last_comparison() const { return last_; }
  const std::vector<Part>& parts() const { return parts_; }
  // Something of f64 or of integers of 32 bits and more has been read.
  bool wide() const { return wide_; }

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
    if (OfMomentAhead().has_value()) return LogicalOperand();
    const bool bang = !rest_.empty() && rest_[0] == '!' && !absl::StartsWith(rest_, "!=");
    if (!bang && !TakeWordIf("not")) return LogicalOperand();
    if (bang) rest_.remove_prefix(1);
    if (++depth_ > kMaxDepth) return Bad("too deeply nested");
    negated_ = !negated_;
    absl::StatusOr<Result> r = Not();
    negated_ = !negated_;
    --depth_;
    if (!r.ok()) return r;
    last_.reset();
    return Map(*std::move(r), [](Complex x) { return Complex(x == 0.0); }, true, false);
  }

  // What stands for its truth: noted, unless what it is made of has been.
  absl::StatusOr<Result> LogicalOperand() {
    const absl::string_view from = rest_;
    const size_t before = parts_.size();
    absl::StatusOr<Result> r = Relation();
    if (!explain_ || skipping_ > 0 || !r.ok() || parts_.size() > before || r->kind == Result::kShape) return r;
    absl::StatusOr<Result> numbers = ToNumbers(*r);
    if (numbers.ok() && !numbers->unknown) Note(Part::kValue, from, *std::move(numbers));
    return r;
  }
  Part* Note(Part::Kind kind, absl::string_view from, Result outcome) {
    if (!explain_ || skipping_ > 0) return nullptr;
    parts_.push_back({kind, std::string(absl::StripAsciiWhitespace(from.substr(0, from.size() - rest_.size()))), negated_, std::move(outcome), std::nullopt, {}});
    return &parts_.back();
  }

  absl::StatusOr<Result> Relation() {
    Skip();
    const absl::string_view from = rest_;
    const size_t before = parts_.size();
    begins_ = true;
    absl::StatusOr<Result> left = Additive();
    if (!left.ok()) return left;
    const absl::string_view left_text = from.substr(0, from.size() - rest_.size());
    Skip();
    for (absl::string_view op : {"==", "!=", "~=", "<=", ">=", "<", ">"}) {
      if (!absl::ConsumePrefix(&rest_, op)) continue;
      begins_ = true;
      const absl::string_view behind = rest_;
      absl::StatusOr<Result> right = Additive();
      if (!right.ok()) return right;
      if (op == "==" || op == "!=") {
        expression::TakeAsPrinted(left_text, *right, &*left);
        expression::TakeAsPrinted(behind.substr(0, behind.size() - rest_.size()), *left, &*right);
      }
      absl::StatusOr<Result> outcome = CompareResults(*std::move(left), *std::move(right), op);
      if (!outcome.ok() || outcome->unknown) return outcome;
      parts_.resize(before);  // of its sides
      if (Part* part = Note(Part::kComparison, from, *outcome); part != nullptr) part->comparison = *last_;
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
    absl::StatusOr<Result> outcome = Combine(*a, *b, [&](Complex x, Complex y) { return Complex(expression::Compare(op, x, y, tolerance)); }, true);
    if (!outcome.ok()) return outcome;
    if (outcome->unknown) {
      last_ = std::move(comparison);  // of which the operator is known
      return outcome;
    }
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
    if (!OfMomentAhead().has_value() && Take("-")) {
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
    if (const std::optional<expression::OfMoment> part = OfMomentAhead(); part.has_value()) return OfMoment(*part);
    whole_begins_ = begins_ = false;
    if (Take("(")) {
      absl::StatusOr<Result> r = Inner();
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
    if (absl::StartsWith(after, "(")) return Call(word);
    if (word == "inf" || word == "nan") {
      rest_.remove_prefix(end);
      return Number(word == "inf" ? HUGE_VAL : std::nan(""));
    }
    if (absl::StartsWith(after, "[") && ElementTypeFromName(word) && !host_.IsName(word)) return ShapeLiteral();
    return Ref();
  }

  // Between parentheses.
  absl::StatusOr<Result> Inner() {
    whole_begins_ = true;
    absl::StatusOr<Result> r = Or();
    whole_begins_ = begins_ = false;
    return r;
  }
  // What is before an @ is of the moment behind it: all of the expression, or of what is between parentheses, where it stands at their end; else
  // back to a comparison, and, or, not, or the operator behind another moment.
  std::optional<expression::OfMoment> OfMomentAhead() const {
    if (!whole_begins_ && !begins_) return std::nullopt;
    std::optional<expression::OfMoment> part = expression::FirstMoment(rest_);
    if (part.has_value() && !(whole_begins_ && part->is_all) && (!begins_ || part->compares)) part.reset();
    return part;
  }
  absl::StatusOr<Result> OfMoment(const expression::OfMoment& part) {
    if (part.expression.find_first_of("%$") == absl::string_view::npos && std::none_of(part.expression.begin(), part.expression.end(), absl::ascii_isalpha)) {
      return Bad(absl::StrCat(part.expression, " is the same at every moment; put into parentheses what is meant to be of it, as (%x > 5 @ iteration 3)"));
    }
    rest_.remove_prefix(part.length);
    whole_begins_ = false;
    begins_ = true;
    if (skipping_ > 0) return Unknown();
    Parser inner(part.expression, host_, explain_);
    inner.depth_ = depth_ + 1;
    inner.negated_ = negated_;
    absl::StatusOr<Result> result = Unknown();
    const absl::Status looked = host_.AtMoment(part.moment, part.expression, [&] {
      result = inner.Whole();
      return result.status();
    });
    if (!looked.ok()) return looked;
    last_ = std::move(inner.last_);
    wide_ |= inner.wide_;
    parts_.insert(parts_.end(), inner.parts_.begin(), inner.parts_.end());
    return result;
  }

  // The rest of (1, -2).
  absl::StatusOr<Result> ComplexLiteral(Result left) {
    absl::StatusOr<Result> right = Inner();
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
      absl::StatusOr<std::optional<Result>> exact = expression::CombineIntegers(Integer(0), *numbers, numbers->dimensions, expression::WideOpOf("-"));
      if (!exact.ok()) return Bad(exact.status().message());
      if (exact->has_value()) return **std::move(exact);
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
    expression::Wide whole = 0;
    if (expression::ReadInteger(read, &whole)) return Integer(whole);
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
    wide_ |= expression::NeedsAllDigits(r.value.shape().element_type());
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
    const absl::string_view from = rest_;
    rest_ = absl::StripLeadingAsciiWhitespace(rest_.substr(name.size()));
    rest_.remove_prefix(1);  // (
    if (++depth_ > kMaxDepth) return Bad("too deeply nested");
    std::vector<Part> inner = std::exchange(parts_, {});  // those of before, and then those of the argument
    const bool negated = std::exchange(negated_, false);
    absl::StatusOr<Result> argument = function == nullptr ? ShapeArgument() : Inner();
    inner.swap(parts_);
    negated_ = negated;
    --depth_;
    if (!argument.ok()) return argument;
    if (!Take(")")) return Bad(absl::StrCat(name, " takes one argument, and its closing ) is missing"));
    if (function == nullptr) return argument;
    absl::StatusOr<Result> numbers = ToNumbers(*std::move(argument));
    if (!numbers.ok()) return numbers;
    const bool any = name == "any", all = name == "all";
    if ((any || all) && !numbers->unknown) {
      if (Part* part = Note(any ? Part::kAny : Part::kAll, from, *numbers); part != nullptr) part->inner = std::move(inner);
    }
    const bool complex = function->complex && !numbers->im.empty();
    if (function->reduce != nullptr && numbers->unknown) {
      Result r = Unknown();
      r.any_dimensions = false;
      if (complex) r.im = {0};
      return r;
    }
    if (AreIntegers(*numbers)) {
      last_.reset();
      absl::StatusOr<std::optional<Result>> exact = expression::CallWithIntegers(function->name, *numbers);
      if (!exact.ok()) return Bad(exact.status().message());
      if (exact->has_value()) return **std::move(exact);
    }
    if (function->reduce == nullptr) return Map(*std::move(numbers), function->map, false, function->complex);
    const Complex made = function->reduce(*numbers);
    if (function->counts) return Integer(static_cast<int64_t>(made.real()));
    Result r = Number(made.real(), any || all);
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
    const size_t before = parts_.size();
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
      if (!to_bool) parts_.resize(before);  // numbers are no claims
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
  absl::StatusOr<Result> Combine(const Result& a, const Result& b, F f, bool to_bool, WideOp exact = nullptr) const {
    absl::StatusOr<Result> r = expression::Combine(a, b, f, to_bool, exact);
    if (!r.ok()) return Bad(r.status().message());
    return r;
  }

  absl::StatusOr<Result> Map(Result r, Complex (*f)(Complex), bool to_bool, bool complex) {
    absl::StatusOr<Result> n = ToNumbers(std::move(r));
    if (!n.ok()) return n;
    last_.reset();
    return expression::Map(*std::move(n), f, to_bool, complex);
  }

  absl::string_view text_, rest_;
  const ExpressionHost& host_;
  std::optional<Comparison> last_;
  const bool explain_;
  std::vector<Part> parts_;
  bool wide_ = false;
  bool negated_ = false;  // an odd number of nots is around the place that is read
  bool whole_begins_ = true;  // nothing has been read of the expression, or of what is between parentheses
  bool begins_ = true;        // nor of the side of a comparison, or of what follows a moment
  int depth_ = 0;
  int skipping_ = 0;  // more than 0: values are not asked for
};

}  // namespace

absl::StatusOr<double> ExpressionHost::Fact(absl::string_view name, absl::string_view argument) const {
  return absl::FailedPreconditionError(absl::StrCat("nothing is known of '", name, "' here"));
}

absl::Status ExpressionHost::AtMoment(absl::string_view moment, absl::string_view, const std::function<absl::Status()>&) const {
  return absl::InvalidArgumentError(absl::StrCat("@ ", moment, " is another moment, and only the present is looked at here; print, expect, set and save can be asked for others"));
}

absl::StatusOr<ExpressionResult> EvaluateExpression(absl::string_view text, const ExpressionHost& host) {
  Parser parser(text, host);
  absl::StatusOr<Result> result = parser.Whole();
  if (!result.ok() || !parser.wide() || result->kind != Result::kNumbers || result->unknown || result->is_bool || result->value.has_value() || !result->integers.empty()) return result;
  if (absl::StatusOr<Value> numbers = ToValue(*result); numbers.ok()) result->value = *std::move(numbers);
  return result;
}

absl::StatusOr<Claim> EvaluateClaim(absl::string_view text, const ExpressionHost& host, bool explain) {
  Parser parser(text, host);
  absl::StatusOr<Result> result = parser.Whole();
  if (!result.ok()) return result.status();
  if (result->kind == Result::kShape) return absl::InvalidArgumentError("a shape alone says nothing; compare it, as shape(%x) == f32[2,3]");
  result = ToNumbers(*std::move(result));
  if (!result.ok()) return result.status();
  const bool same = parser.last_comparison() && (parser.last_comparison()->op == "==" || parser.last_comparison()->op == "~=");
  if (!same && !result->any_dimensions && Size(*result) != 1) {
    return absl::InvalidArgumentError(absl::StrCat("this is an array of ", Count(Size(*result), "truth value"), "; say whether all or any of them are meant: all(", text, ") or any(", text, ")"));
  }
  Claim claim;
  if (result->unknown) return claim;
  claim.holds = true;
  for (size_t i = 0; i < result->re.size(); ++i) claim.holds = claim.holds && At(*result, static_cast<int64_t>(i)) != 0.0;
  if (claim.holds || !explain) return claim;
  Parser again(text, host, true);
  if (again.Whole().ok()) claim.detail = expression::WhyFalse(text, again.parts());
  return claim;
}

}  // namespace hloscope
