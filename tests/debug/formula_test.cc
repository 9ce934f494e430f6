// The formula that why prints of an element, read back and evaluated with the values that it prints, gives the element: on instances of
// every operation. What is written beside it in numbers is the same formula; terms make up the fold; what is only moved is what it was
// moved from.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backends/reference/backend.h"
#include "core/debug/why.h"
#include "core/element/interpret.h"
#include "core/element/scalar_eval.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"
#include "core/ops/reducer.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"
#include "tests/random/instances.h"

namespace hloscope {
namespace {

struct Term {
  enum Kind { kLiteral, kName, kCall, kFold } kind = kLiteral;
  std::string text;                                     // of a literal, a name, an operation
  std::vector<Term> inputs;                             // of a fold: inits, then bodies
  std::vector<std::pair<std::string, int64_t>> domain;  // of a fold
  int part = 0;
};

// The grammar of core/element/print.cc.
class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}
  std::optional<Term> Read() {
    std::optional<Term> term = Binary(1);
    return at_ == text_.size() && !failed_ ? term : std::nullopt;
  }

 private:
  static int Precedence(absl::string_view op) {
    static const auto& table = *new std::map<absl::string_view, int>{
        {"or", 1}, {"xor", 1}, {"and", 2}, {"==", 3},  {"!=", 3}, {"<", 3}, {"<=", 3}, {">", 3}, {">=", 3},       {"==t", 3}, {"!=t", 3},
        {"<t", 3}, {"<=t", 3}, {">t", 3},  {">=t", 3}, {"+", 4},  {"-", 4}, {"*", 5},  {"/", 5}, {"floordiv", 5}, {"mod", 5}, {"rem", 5}};
    const auto found = table.find(op);
    return found == table.end() ? 0 : found->second;
  }
  static bool InName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }
  bool Take(absl::string_view what) {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  void Need(absl::string_view what) { failed_ = failed_ || !Take(what); }
  std::string Word() {
    const size_t begin = at_;
    while (at_ < text_.size() && InName(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Term Binary(int precedence) {
    Term left = Primary();
    while (!failed_ && at_ < text_.size() && text_[at_] == ' ') {
      const size_t end = text_.find(' ', at_ + 1);
      const absl::string_view op = text_.substr(at_ + 1, end == absl::string_view::npos ? 0 : end - at_ - 1);
      const int own = Precedence(op);
      if (own == 0 || own < precedence) break;
      at_ = end + 1;
      Term term{Term::kCall, std::string(op)};
      term.inputs.push_back(std::move(left));
      term.inputs.push_back(Binary(own + 1));
      left = std::move(term);
    }
    return left;
  }

  Term Primary() {
    if (failed_ || at_ >= text_.size()) {
      failed_ = true;
      return {};
    }
    if (Take("(")) {
      Term inner = Binary(1);
      if (Take(", ")) {  // a complex number
        const Term imaginary = Binary(1);
        inner = {Term::kLiteral, absl::StrCat("(", inner.text, ", ", imaginary.text, ")")};
      }
      Need(")");
      return inner;
    }
    if (text_.substr(at_, 2) == "-(") {
      at_ += 1;
      Term term{Term::kCall, "neg"};
      Need("(");
      term.inputs.push_back(Binary(1));
      Need(")");
      return term;
    }
    if (text_[at_] == '%') return Name();
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' || text_.substr(at_, 3) == "nan" ||
        text_.substr(at_, 3) == "inf") {
      const size_t begin = at_;
      ++at_;
      while (at_ < text_.size() && (InName(text_[at_]) || ((text_[at_] == '+' || text_[at_] == '-') && text_[at_ - 1] == 'e'))) ++at_;
      return {Term::kLiteral, std::string(text_.substr(begin, at_ - begin))};
    }
    return Call();
  }

  Term Name() {
    const size_t begin = at_;
    while (at_ < text_.size() && (InName(text_[at_]) || text_[at_] == '%' || text_[at_] == '-')) ++at_;
    Term term{Term::kName, std::string(text_.substr(begin, at_ - begin))};
    if (!Take("[")) return term;
    while (!failed_ && !Take("]")) {
      term.inputs.push_back(Binary(1));
      if (Take(",")) Take(" ");
    }
    return term;
  }

  Term Call() {
    std::string word = Word();
    if (word == "true" || word == "false") return {Term::kLiteral, word};
    if (word == "bitcast" && Take("<")) {
      word = absl::StrCat("bitcast ", Word());
      Need(">");
    }
    if (!Take("(")) {
      if (word.empty()) failed_ = true;
      return {Term::kName, word};  // a variable
    }
    Term term{Term::kCall, word};
    if (ReadDomain(&term)) return term;
    while (!failed_ && !Take(")")) {
      term.inputs.push_back(Binary(1));
      Take(", ");
    }
    return term;
  }

  // "k < 3, l < 2: body)".
  bool ReadDomain(Term* term) {
    const size_t begin = at_;
    std::vector<std::pair<std::string, int64_t>> domain;
    const bool once = term->text == "fold" && text_.substr(at_, 6) == "acc = ";
    if (!once) do {
        const std::string variable = Word();
        int64_t extent = 0;
        if (variable.empty() || !Take(" < ") || !absl::SimpleAtoi(Word(), &extent)) {
          at_ = begin;
          return false;
        }
        domain.push_back({variable, extent});
      } while (Take(", "));
    if (!once && !Take(": ")) {
      at_ = begin;
      return false;
    }
    term->kind = Term::kFold;
    term->domain = std::move(domain);
    if (term->text != "fold") {
      term->inputs.push_back(Binary(1));
      Need(")");
      return true;
    }
    std::vector<Term> inits, bodies;
    do {
      Word();
      Need(" = ");
      inits.push_back(Binary(1));
      Need(" then ");
      bodies.push_back(Binary(1));
    } while (Take("; "));
    Need(")");
    if (bodies.size() > 1) {
      Need(".");
      if (!absl::SimpleAtoi(Word(), &term->part)) failed_ = true;
    }
    term->inputs = std::move(inits);
    term->inputs.insert(term->inputs.end(), bodies.begin(), bodies.end());
    return true;
  }

  absl::string_view text_;
  size_t at_ = 0;
  bool failed_ = false;
};

std::optional<ElementType> TypeNamed(absl::string_view name) {
  for (int t = 0; t < kElementTypeCount; ++t) {
    if (Name(static_cast<ElementType>(t)) == name) return static_cast<ElementType>(t);
  }
  return std::nullopt;
}
std::optional<ScalarOp> OpNamed(absl::string_view name) {
  for (int op = 0; op <= static_cast<int>(ScalarOp::kReducePrecision); ++op) {
    if (Name(static_cast<ScalarOp>(op)) == name) return static_cast<ScalarOp>(op);
  }
  return std::nullopt;
}

using ValueNamed = std::function<std::optional<Scalar>(absl::string_view name, absl::Span<const int64_t> index)>;

class Evaluator {
 public:
  Evaluator(const Instruction& instruction, ValueNamed value) : instruction_(instruction), value_(std::move(value)) {}
  double slack = 0;  // what sums in another order may differ by
  bool folds = false;

  std::optional<Scalar> Evaluate(const Term& term, std::optional<ElementType> wanted) {
    const std::optional<ElementType> own = TypeOf(term);
    const std::optional<ElementType> type = own.has_value() ? own : wanted;
    if (!type.has_value()) return std::nullopt;
    switch (term.kind) {
      case Term::kLiteral: return Literal(term.text, *type);
      case Term::kName: return NameValue(term);
      case Term::kCall: return CallValue(term, *type);
      case Term::kFold: return FoldValue(term, *type);
    }
    return std::nullopt;
  }

  static std::optional<Scalar> Literal(absl::string_view text, ElementType type) {
    if (text == "true" || text == "false") return Scalar::Int(type, text == "true");
    if (IsInteger(type) || IsPred(type)) {
      int64_t i = 0;
      uint64_t u = 0;
      if (absl::SimpleAtoi(text, &i)) return Scalar::Int(type, i);
      if (absl::SimpleAtoi(text, &u)) return Scalar::Int(type, static_cast<int64_t>(u));
      return std::nullopt;
    }
    double re = 0, im = 0;
    if (!text.empty() && text[0] == '(') {
      const size_t comma = text.find(", ");
      if (!absl::SimpleAtod(text.substr(1, comma - 1), &re) || !absl::SimpleAtod(text.substr(comma + 2, text.size() - comma - 3), &im))
        return std::nullopt;
    } else if (!absl::SimpleAtod(text, &re)) {
      return std::nullopt;
    }
    return IsComplex(type) ? Scalar::Complex(type, {re, im}) : Scalar::Float(type, re);
  }

 private:
  std::optional<ElementType> TypeOf(const Term& term) {
    switch (term.kind) {
      case Term::kLiteral: return std::nullopt;
      case Term::kName: {
        if (term.text[0] != '%') {
          const auto known = accumulators_.find(term.text);
          return known == accumulators_.end() ? ElementType::kS64 : known->second.type;
        }
        for (const Instruction* operand : instruction_.operands) {
          if (absl::StrCat("%", operand->name) == term.text) return operand->shape.element_type();
        }
        return std::nullopt;
      }
      case Term::kFold: return term.text == "fold" ? std::nullopt : TypeOf(term.inputs[0]);
      case Term::kCall: break;
    }
    if (const std::optional<ElementType> type = TypeNamed(term.text)) return type;
    if (term.text.rfind("bitcast ", 0) == 0) return TypeNamed(absl::string_view(term.text).substr(8));
    if (term.text == "select") return Either(term.inputs[1], term.inputs[2]);
    const std::optional<ScalarOp> op = OpNamed(term.text);
    if (!op.has_value()) return std::nullopt;
    if (IsComparison(*op) || *op == ScalarOp::kIsFinite) return ElementType::kPred;
    const std::optional<ElementType> inner = term.inputs.size() == 2 ? Either(term.inputs[0], term.inputs[1]) : TypeOf(term.inputs[0]);
    if (!inner.has_value()) return inner;
    if (*op == ScalarOp::kComplex) return *inner == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
    if (*op == ScalarOp::kReal || *op == ScalarOp::kImag || *op == ScalarOp::kAbs) return IsComplex(*inner) ? RealTypeOf(*inner) : *inner;
    return inner;
  }
  std::optional<ElementType> Either(const Term& a, const Term& b) {
    const std::optional<ElementType> first = TypeOf(a);
    return first.has_value() ? first : TypeOf(b);
  }

  std::optional<Scalar> NameValue(const Term& term) {
    if (term.text[0] != '%') {
      if (const auto known = accumulators_.find(term.text); known != accumulators_.end()) return known->second;
      const auto known = variables_.find(term.text);
      return known == variables_.end() ? std::nullopt : std::make_optional(Scalar::Int(ElementType::kS64, known->second));
    }
    std::vector<int64_t> index;
    for (const Term& input : term.inputs) {
      const std::optional<Scalar> i = Evaluate(input, ElementType::kS64);
      if (!i.has_value()) return std::nullopt;
      index.push_back(i->i);
    }
    return value_(term.text, index);
  }

  std::optional<Scalar> CallValue(const Term& term, ElementType type) {
    if (term.text == "select") {
      const std::optional<Scalar> chooses = Evaluate(term.inputs[0], ElementType::kPred);
      if (!chooses.has_value()) return std::nullopt;
      return Evaluate(term.inputs[chooses->i != 0 ? 1 : 2], type);
    }
    ScalarOp op = ScalarOp::kConvert;
    int64_t aux = 0;
    std::optional<ElementType> inner = type;
    if (TypeNamed(term.text).has_value() || term.text.rfind("bitcast ", 0) == 0) {
      if (term.text.rfind("bitcast ", 0) == 0) op = ScalarOp::kBitcast;
      inner = TypeOf(term.inputs[0]);
      if (!inner.has_value() && op == ScalarOp::kConvert) inner = ElementType::kS64;
    } else {
      op = OpNamed(term.text).value_or(ScalarOp::kConvert);
      if (IsComparison(op)) inner = Either(term.inputs[0], term.inputs[1]).value_or(ElementType::kS64);
      if (op == ScalarOp::kIsFinite || op == ScalarOp::kReal || op == ScalarOp::kImag || op == ScalarOp::kAbs)
        inner = TypeOf(term.inputs[0]).has_value() ? TypeOf(term.inputs[0]) : inner;
      if (op == ScalarOp::kComplex) inner = RealTypeOf(type);
    }
    if (!inner.has_value()) return std::nullopt;
    std::vector<Scalar> in;
    for (const Term& input : term.inputs) {
      if (op == ScalarOp::kReducePrecision && in.size() == 1) {  // "e5m10"
        const size_t m = input.text.find('m');
        int e = 0, bits = 0;
        if (!absl::SimpleAtoi(input.text.substr(1, m - 1), &e) || !absl::SimpleAtoi(input.text.substr(m + 1), &bits)) return std::nullopt;
        aux = e << 8 | bits;
        break;
      }
      const std::optional<Scalar> value = Evaluate(input, *inner);
      if (!value.has_value()) return std::nullopt;
      in.push_back(*value);
    }
    return EvalScalarOp(op, type, aux, in);
  }

  std::optional<Scalar> FoldValue(const Term& term, ElementType type) {
    const bool general = term.text == "fold";
    folds = true;
    const size_t parts = general ? term.inputs.size() / 2 : 1;
    static const auto& words =
        *new std::map<absl::string_view, ScalarOp>{{"sum", ScalarOp::kAdd}, {"product", ScalarOp::kMultiply}, {"all", ScalarOp::kAnd},
                                                   {"any", ScalarOp::kOr},  {"max", ScalarOp::kMaximum},      {"min", ScalarOp::kMinimum}};
    if (!general && !words.contains(term.text)) return std::nullopt;
    std::vector<Scalar> running(parts);
    for (size_t p = 0; general && p < parts; ++p) {
      if (parts > 1 && !TypeOf(term.inputs[p]).has_value()) return std::nullopt;  // of each part its own, which is not written
      const std::optional<Scalar> init = Evaluate(term.inputs[p], type);
      if (!init.has_value()) return std::nullopt;
      running[p] = *init;
    }
    int64_t total = 1, terms = 0;
    for (const auto& [name, extent] : term.domain) total *= extent;
    double magnitude = 0;
    std::optional<Scalar> folded;
    for (int64_t t = 0; t < total; ++t) {
      int64_t rest = t;
      for (size_t d = term.domain.size(); d-- > 0;) {
        variables_[term.domain[d].first] = rest % term.domain[d].second;
        rest /= term.domain[d].second;
      }
      if (general) {
        for (size_t p = 0; p < parts; ++p) accumulators_[p == 0 ? "acc" : absl::StrCat("acc.", p)] = running[p];
        std::vector<Scalar> next;
        for (size_t p = 0; p < parts; ++p) {
          const std::optional<Scalar> value = Evaluate(term.inputs[parts + p], running[p].type);
          if (!value.has_value()) return std::nullopt;
          next.push_back(*value);
        }
        running = std::move(next);
        continue;
      }
      const std::optional<Scalar> value = Evaluate(term.inputs[0], type);
      if (!value.has_value()) return std::nullopt;
      magnitude += std::abs(value->c());
      ++terms;
      const ScalarOp op = words.at(term.text);
      folded = folded.has_value() ? EvalScalarOp(op, type, 0, {*folded, *value}) : *value;
    }
    if (general) return running[term.part];
    const bool rounds = (IsFloat(type) || IsComplex(type)) && (term.text == "sum" || term.text == "product");
    if (rounds && folded.has_value())
      slack += 4 * static_cast<double>(terms + 1) * UnitRoundoff(IsComplex(type) ? RealTypeOf(type) : type) *
               (term.text == "sum" ? magnitude : std::abs(folded->c()));
    if (folded.has_value()) return folded;
    return words.at(term.text) == ScalarOp::kAdd || words.at(term.text) == ScalarOp::kMultiply
               ? Literal(term.text == "sum" ? "0" : "1", type)
               : IdentityOf(words.at(term.text), type);
  }

  const Instruction& instruction_;
  const ValueNamed value_;
  std::map<std::string, int64_t> variables_;
  std::map<std::string, Scalar> accumulators_;
};

struct Counts {
  int64_t formulas = 0, terms = 0, moves = 0, unread = 0;
};

class FormulaChecker {
 public:
  explicit FormulaChecker(Counts* counts) : counts_(*counts), backend_(MakeReferenceBackend()) {}

  void Check(const Instance& instance) {
    SCOPED_TRACE(absl::StrCat(instance.origin, "\n", PrintHloText(*instance.module)));
    root_ = instance.module->entry->root;
    Machine machine(*instance.module, *backend_, MachineOptions{.retain_bytes = int64_t{1} << 26, .max_iterations = 100});
    if (!machine.Start(instance.parameters).ok() || machine.Run() != StopReason::kFinished) return;
    ElementReader reader(machine, int64_t{1} << 26);
    reader_ = &reader;
    for (int leaf = 0; leaf < LeafCountOf(root_->shape); ++leaf) {
      const Shape& shape = LeafShape(root_->shape, leaf);
      for (int64_t e = 0; shape.IsArray() && e < shape.ElementCount(); ++e) {
        const absl::StatusOr<Slice> slice = BuildWhy(reader, {0, root_, leaf, e}, {.depth = 1, .terms = 10000, .births = false});
        if (!slice.ok()) continue;  // beyond the sizes of the run
        CheckNode(*slice, shape.element_type());
      }
    }
  }

 private:
  std::optional<Scalar> ValueOf(absl::string_view name, absl::Span<const int64_t> index) {
    for (const Instruction* operand : root_->operands) {
      if (absl::StrCat("%", operand->name) != name || !operand->shape.IsArray() || operand->shape.rank() != static_cast<int>(index.size()))
        continue;
      for (int d = 0; d < operand->shape.rank(); ++d) {
        if (index[d] < 0 || index[d] >= operand->shape.dim(d)) return std::nullopt;
      }
      const absl::StatusOr<Scalar> value = reader_->Element({0, operand, 0, LinearIndex(operand->shape.dimensions(), index)});
      return value.ok() ? std::make_optional(*value) : std::nullopt;
    }
    return std::nullopt;
  }

  void CheckNode(const Slice& slice, ElementType type) {
    const SliceNode& node = slice.nodes[0];
    if (!node.known) return;
    if (node.formula.empty()) {
      if (node.kind != SliceNode::kComputed || node.edges.size() != 1) return;
      const SliceNode& from = slice.nodes[node.edges[0].to];
      const Scalar moved = IsComplex(from.value.type) && !IsComplex(type) ? node.value : ConvertScalar(from.value, type);
      EXPECT_EQ(ToText(node.value), ToText(moved)) << "moved from %" << from.place.instruction->name;
      ++counts_.moves;
      return;
    }
    if (absl::string_view along = node.formula; absl::ConsumePrefix(&along, "the index in dimension ")) {  // of an iota
      size_t dimension = 0;
      ASSERT_TRUE(absl::SimpleAtoi(along, &dimension) && dimension < node.index.size()) << node.formula;
      EXPECT_EQ(ToText(node.value), ToText(ConvertScalar(Scalar::Int(ElementType::kS64, node.index[dimension]), type)));
      ++counts_.formulas;
      return;
    }
    CheckFormula(node.formula, node.numbers, node.value, type);
    if (node.terms.empty()) return;
    double sum = 0, shares = 0, magnitude = 0;
    bool finite = true;
    for (const SliceTerm& term : node.terms) {
      CheckFormula(term.formula, term.numbers, term.value, term.value.type);
      ++counts_.terms;
      finite = finite && term.value.IsFinite();
      sum += IsInteger(term.value.type) ? static_cast<double>(term.value.i) : term.value.re;
      magnitude += std::abs(term.value.c());
      shares += term.share;
    }
    if (node.fold != "maximum" && node.fold != "minimum")
      EXPECT_EQ(node.term_count - node.padding_terms, static_cast<int64_t>(node.terms.size()));
    if (node.fold != "sum" || !IsFloat(type) || !finite || !node.value.IsFinite()) return;
    const Scalar& first = node.terms[0].value;
    EXPECT_NEAR(
        sum, node.value.re,
        4 * UnitRoundoff(std::min(first.type, type) == type ? type : first.type) * static_cast<double>(node.terms.size() + 1) * magnitude +
            2 * UlpAt(type, node.value.re))
        << node.formula;
    if (magnitude > 0) EXPECT_NEAR(shares, 1, 1e-6);
  }

  void CheckFormula(const std::string& formula, const std::string& numbers, const Scalar& value, ElementType type) {
    const std::optional<Term> term = Reader(formula).Read();
    ASSERT_TRUE(term.has_value()) << "cannot be read: " << formula;
    Evaluator evaluator(*root_, [&](absl::string_view name, absl::Span<const int64_t> index) { return ValueOf(name, index); });
    const std::optional<Scalar> found = evaluator.Evaluate(*term, type);
    if (!found.has_value()) {
      ++counts_.unread;
      return;
    }
    ++counts_.formulas;
    if (found->IsNaN() && value.IsNaN()) return;
    const bool near = evaluator.folds && std::abs(found->c() - value.c()) <= evaluator.slack;
    const bool overflows = evaluator.slack > 0 && (!found->IsFinite() || !value.IsFinite());
    EXPECT_TRUE(near || overflows || ToText(*found) == ToText(value))
        << formula << " = " << ToText(*found) << ", and the element is " << ToText(value);
    if (numbers.empty()) return;
    const std::optional<Term> in_numbers = Reader(numbers).Read();
    ASSERT_TRUE(in_numbers.has_value()) << "cannot be read: " << numbers;
    EXPECT_TRUE(Same(*term, *in_numbers)) << formula << " in numbers: " << numbers;
  }

  // `numbers` is the formula with names replaced.
  bool Same(const Term& formula, const Term& numbers) {
    if (formula.kind == Term::kName && formula.text[0] == '%' && numbers.kind != Term::kName) {
      std::vector<int64_t> index;
      for (const Term& input : formula.inputs) {
        int64_t i = 0;
        if (!absl::SimpleAtoi(input.text, &i)) return false;
        index.push_back(i);
      }
      const std::optional<Scalar> value = ValueOf(formula.text, index);
      return value.has_value() && numbers.kind == Term::kLiteral && numbers.text == ToText(*value);
    }
    if (formula.kind != numbers.kind || formula.text != numbers.text || formula.inputs.size() != numbers.inputs.size()) return false;
    for (size_t k = 0; k < formula.inputs.size(); ++k) {
      if (!Same(formula.inputs[k], numbers.inputs[k])) return false;
    }
    return true;
  }

  Counts& counts_;
  std::unique_ptr<Backend> backend_;
  const Instruction* root_ = nullptr;
  ElementReader* reader_ = nullptr;
};

TEST(FormulaTest, WhatWhyPrintsIsTheValue) {
  std::map<Opcode, Counts> counts;
  InstanceOptions options;
  options.per_pointwise = 6;
  EachInstance(options, "assets/samples/ops",
               [&](const Instance& instance) { FormulaChecker(&counts[instance.operation]).Check(instance); });
  int64_t formulas = 0, unread = 0;
  for (int k = 0; k < kOpcodeCount; ++k) {
    const Opcode opcode = static_cast<Opcode>(k);
    const OpDef& def = Def(opcode);
    const Counts& c = counts[opcode];
    formulas += c.formulas;
    unread += c.unread;
    if (c.unread > 0) std::cout << Name(opcode) << ": " << c.unread << " formulas leave a type open, " << c.formulas << " do not\n";
    if (c.formulas + c.moves > 0) continue;
    // Only what has no element program has no formula: it hands on, calls, walks over updates, or says why it is opaque.
    EXPECT_NE(def.op_class, OpClass::kPull) << Name(opcode) << " has no formula that was checked";
    const absl::string_view reason = def.op_class == OpClass::kOpaque    ? def.opaque_reason
                                     : def.op_class == OpClass::kPush    ? "updates, one after the other"
                                     : def.op_class == OpClass::kControl ? "what is in the called computation"
                                                                         : "hands on";
    std::cout << Name(opcode) << ": no formula (" << reason << ")\n";
  }
  EXPECT_GT(formulas, 1500);
  EXPECT_LT(unread, formulas / 10);
}

}  // namespace
}  // namespace hloscope
