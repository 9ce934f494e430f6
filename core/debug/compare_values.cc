// Comparing arrays and reading budgets; see the header.
#include "core/debug/compare_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <regex>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/instruction_names.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "core/literal/element_at.h"
#include "core/literal/format.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

bool IsNumber(ElementType type) { return IsFloat(type) || IsComplex(type); }

double Magnitude(const Scalar& s) {
  if (IsComplex(s.type)) return std::hypot(s.re, s.im);
  if (IsFloat(s.type)) return std::fabs(s.re);
  return IsUnsigned(s.type) ? static_cast<double>(s.u()) : std::fabs(static_cast<double>(s.i));
}

std::complex<double> AsComplex(const Scalar& s) {
  if (IsNumber(s.type)) return {s.re, IsComplex(s.type) ? s.im : 0};
  return {IsUnsigned(s.type) ? static_cast<double>(s.u()) : static_cast<double>(s.i), 0};
}

// Parts agree where neither is finite, or are within the bound.
bool Agree(double got, double expected, double bound) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) == std::isnan(expected);
  if (std::isinf(got) || std::isinf(expected)) return got == expected;
  return std::fabs(got - expected) <= bound;
}

absl::Status BadBudget(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no budget: write 4ulp, or ABSOLUTE,RELATIVE as 1e-5,1e-6, or exact (the same bits)"));
}

}  // namespace

double Budget::BoundAt(double expected, double largest, ElementType narrower) const {
  if (IsPred(narrower)) return 0;  // the same or not
  const double size = std::isfinite(expected) ? std::fabs(expected) : 0;
  double bound = std::max(absolute + relative * size, of_largest * largest);
  if (ulp > 0 && IsFloat(narrower)) bound = std::max(bound, ulp * UlpAt(narrower, size));
  return bound;
}

absl::StatusOr<Budget> ParseBudget(absl::string_view text) {
  Budget budget;
  text = absl::StripAsciiWhitespace(text);
  if (text == "exact" || text == "0") return budget;
  const auto number = [](absl::string_view word, double& x) { return absl::SimpleAtod(word, &x) && std::isfinite(x) && x >= 0; };
  absl::string_view head = text;
  if (text.find(',') == absl::string_view::npos && (absl::ConsumeSuffix(&head, "ulps") || absl::ConsumeSuffix(&head, "ulp"))) {
    if (!number(absl::StripAsciiWhitespace(head), budget.ulp)) return BadBudget(text);
    return budget;
  }
  int place = 0;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  for (absl::string_view part : parts) {
    part = absl::StripAsciiWhitespace(part);
    bool ok = false;
    if (absl::ConsumePrefix(&part, "abs=")) {
      ok = number(part, budget.absolute);
    } else if (absl::ConsumePrefix(&part, "rel=")) {
      ok = number(part, budget.relative);
    } else if (absl::ConsumeSuffix(&part, "ulp")) {
      ok = number(part, budget.ulp);
    } else if (place == 0) {
      ok = number(part, budget.absolute);
      if (parts.size() == 1) budget.relative = budget.absolute;
      ++place;
    } else if (place == 1) {
      ok = number(part, budget.relative);
      ++place;
    }
    if (!ok) return BadBudget(text);
  }
  return budget;
}

std::string ToText(const Budget& budget) {
  if (budget.exact()) return "exact";
  std::vector<std::string> parts;
  if (budget.ulp > 0) parts.push_back(absl::StrCat(FormatDouble(budget.ulp), "ulp"));
  if (budget.absolute > 0) parts.push_back(absl::StrCat("abs=", FormatDouble(budget.absolute)));
  if (budget.relative > 0) parts.push_back(absl::StrCat("rel=", FormatDouble(budget.relative)));
  if (budget.of_largest > 0) parts.push_back(absl::StrCat(FormatDouble(budget.of_largest), " of the largest"));
  return absl::StrJoin(parts, ",");
}

Budget ReorderingBudget(ElementType type) {
  Budget budget;
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128: budget.relative = 1e-9; break;
    case ElementType::kF32:
    case ElementType::kC64: budget.relative = 1e-4; break;
    case ElementType::kF16: budget.relative = 1e-2; break;
    case ElementType::kBF16: budget.relative = 4e-2; break;
    default: budget.relative = IsFloat(type) ? 0.25 : 0;  // of eight bits and fewer
  }
  // What a sum cancels leaves the roundings of what is summed: two of the largest, where numbers are narrow.
  budget.of_largest = std::max(0.01 * budget.relative, IsFloat(type) && BitWidth(type) <= 16 ? 2 * UnitRoundoff(type) : 0.0);
  return budget;
}

absl::Status BudgetTable::Add(absl::string_view text) {
  Rule rule;
  absl::string_view amount = text;
  text = absl::StripAsciiWhitespace(text);
  const size_t equals = absl::StartsWith(text, "/") ? text.rfind("/=") : text.find('=');
  const absl::string_view head = equals == absl::string_view::npos ? absl::string_view() : text.substr(0, equals);
  if (absl::StartsWith(text, "/")) {
    if (equals == absl::string_view::npos || equals == 0) return absl::InvalidArgumentError(absl::StrCat("'", text, "': a pattern is written /REGEX/=BUDGET"));
    rule.kind = Rule::kPattern;
    rule.text = std::string(text.substr(1, equals - 1));
    try {
      rule.pattern = std::make_shared<std::regex>(rule.text);
    } catch (const std::regex_error& e) {
      return absl::InvalidArgumentError(absl::StrCat("'", rule.text, "' is no regular expression: ", e.what()));
    }
    amount = text.substr(equals + 2);
  } else if (head.empty() || head == "abs" || head == "rel") {
    amount = text;
  } else if (absl::StartsWith(head, "op:")) {
    rule.kind = Rule::kOperation;
    rule.text = std::string(head.substr(3));
    if (!OpcodeFromName(rule.text).has_value()) {
      int64_t effort = 1 << 20;
      NearestName nearest(rule.text, &effort);
      for (int k = 0; k < kOpcodeCount; ++k) nearest.Offer(Name(static_cast<Opcode>(k)));
      const std::string hint = nearest.Hint();
      return absl::NotFoundError(absl::StrCat("a budget is given for op:", rule.text, ", and there is no such operation", hint.empty() ? "" : absl::StrCat("; ", hint)));
    }
    amount = text.substr(equals + 1);
  } else {
    rule.kind = head == "*" ? Rule::kAll : Rule::kName;
    rule.text = std::string(absl::StripPrefix(head, "%"));
    amount = text.substr(equals + 1);
  }
  absl::StatusOr<Budget> budget = ParseBudget(amount);
  if (!budget.ok()) return budget.status();
  rule.budget = *budget;
  rules_.push_back(std::move(rule));
  return absl::OkStatus();
}

namespace {

// Also of a copy of the computation, which has its name.
bool Means(absl::string_view text, const Instruction& instruction) {
  const auto is = [&](absl::string_view name) { return !name.empty() && (instruction.name == name || WrittenName(instruction) == name); };
  const InstructionName name = ParseInstructionName(text);
  return is(text) || (name.computation == instruction.parent->name && is(name.name));
}

}  // namespace

absl::Status BudgetTable::Check(const std::vector<const Module*>& modules) const {
  for (const Rule& rule : rules_) {
    if (rule.kind != Rule::kName) continue;
    int64_t effort = 20 << 20;
    NearestName nearest(rule.text, &effort);
    bool known = false;
    for (const Module* module : modules) {
      for (const Computation* computation : module->computations) {
        for (const Instruction* i : computation->instructions) {
          known = known || Means(rule.text, *i);
          if (!known) OfferName(nearest, *i);
        }
      }
    }
    if (known) continue;
    if (const InstructionName name = ParseInstructionName(rule.text); !name.computation.empty()) {
      return absl::NotFoundError(absl::StrCat("a budget is given for %", rule.text, ": ", NoSuchNamed(*modules[0], name).message()));
    }
    const std::string hint = nearest.Hint();
    return absl::NotFoundError(absl::StrCat("a budget is given for %", rule.text, ", and there is no such instruction", hint.empty() ? "" : absl::StrCat("; ", hint)));
  }
  return absl::OkStatus();
}

const Budget* BudgetTable::Find(const Instruction& instruction) const {
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    bool fits = false;
    switch (rule->kind) {
      case Rule::kAll: fits = true; break;
      case Rule::kName: fits = Means(rule->text, instruction); break;
      case Rule::kOperation: fits = Name(instruction.opcode) == rule->text; break;
      case Rule::kPattern:
        fits = std::regex_search(instruction.name.begin(), instruction.name.end(), *std::static_pointer_cast<std::regex>(rule->pattern));
        break;
    }
    if (fits) return &rule->budget;
  }
  return nullptr;
}

const Budget* BudgetTable::ForAll() const {
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->kind == Rule::kAll) return &rule->budget;
  }
  return nullptr;
}

bool SameBits(const Scalar& a, const Scalar& b) {
  if (IsNumber(a.type)) {
    return a.re == b.re && a.im == b.im && std::signbit(a.re) == std::signbit(b.re) && (!IsComplex(a.type) || std::signbit(a.im) == std::signbit(b.im));
  }
  return a.i == b.i;
}

double Distance(const Scalar& a, const Scalar& b) {
  if (a.type != b.type) return std::abs(AsComplex(a) - AsComplex(b));
  if (IsComplex(a.type)) return std::abs(a.c() - b.c());
  if (IsFloat(a.type)) return std::fabs(a.re - b.re);
  if (IsUnsigned(a.type)) return static_cast<double>(a.u() > b.u() ? a.u() - b.u() : b.u() - a.u());
  return std::fabs(static_cast<double>(a.i) - static_cast<double>(b.i));
}

double UlpDistance(const Scalar& got, const Scalar& expected) { return UlpDistance(got, expected, NarrowerType(got.type, expected.type)); }

double UlpDistance(const Scalar& got, const Scalar& expected, ElementType type) {
  const double distance = Distance(got, expected);
  if (!IsNumber(got.type) || !IsNumber(expected.type)) return distance;
  if (got.IsNaN() && expected.IsNaN()) return 0;
  if (!got.IsFinite() || !expected.IsFinite()) return SameBits(got, expected) ? 0 : HUGE_VAL;
  const double unit = UlpAt(RealTypeOf(type), Magnitude(expected));
  if (std::isfinite(distance)) return distance / unit;
  // Two finite numbers may be farther apart than doubles reach.
  const std::complex<double> half = got.c() / 2.0 - expected.c() / 2.0;
  return std::abs(half) / (unit / 2);
}

ElementType NarrowerType(ElementType a, ElementType b) {
  a = RealTypeOf(a);
  b = RealTypeOf(b);
  if (!IsFloat(a) || !IsFloat(b)) return IsFloat(a) ? a : b;
  return UnitRoundoff(b) > UnitRoundoff(a) ? b : a;
}

ArrayDifference CompareArrays(const Value& got_in, const Value& expected_in, const Budget& budget) {
  const Value got = ToDense(got_in), expected = ToDense(expected_in);
  ArrayDifference d;
  d.elements = expected.element_count();
  const ElementType type = got.shape().element_type(), other = expected.shape().element_type();
  if (type == other) {
    const size_t bytes = static_cast<size_t>(d.elements) * StorageBytes(type);
    if (got.data() == expected.data() || bytes == 0 || std::memcmp(got.data(), expected.data(), bytes) == 0) return d;
  }
  const bool number = IsNumber(type) || IsNumber(other);
  const ElementType narrower = NarrowerType(type, other);
  double largest = 0;
  for (int64_t i = 0; number && budget.of_largest > 0 && i < d.elements; ++i) {
    const std::complex<double> x = AsComplex(ElementAt(expected, i));
    for (double part : {x.real(), x.imag()}) {
      if (std::isfinite(part)) largest = std::max(largest, std::fabs(part));
    }
  }
  for (int64_t i = 0; i < d.elements; ++i) {
    const Scalar a = ElementAt(got, i), b = ElementAt(expected, i);
    if (type == other && SameBits(a, b)) continue;
    const std::complex<double> x = AsComplex(a), y = AsComplex(b);
    if (number ? Agree(x.real(), y.real(), 0) && Agree(x.imag(), y.imag(), 0) && (type != other || a.IsNaN() || !budget.exact()) : type != other && x == y) continue;
    ++d.other_bits;
    if (x == y) ++d.zero_signs;
    const double ulp = UlpDistance(a, b, narrower);
    if (const double distance = std::isfinite(ulp) ? Distance(a, b) : 0; distance > d.largest_absolute) {
      d.largest = i;
      d.largest_absolute = distance;
      d.largest_got = a;
      d.largest_expected = b;
    }
    if (d.worst < 0 || ulp > d.worst_ulp) {
      d.worst = i;
      d.worst_ulp = ulp;
      d.worst_got = a;
      d.worst_expected = b;
    }
    const double bound = budget.exact() ? 0 : budget.BoundAt(Magnitude(b), largest, narrower);
    if (!budget.exact() && Agree(x.real(), y.real(), bound) && Agree(x.imag(), y.imag(), bound)) continue;
    if (d.beyond++ > 0) continue;
    d.first = i;
    d.got = a;
    d.expected = b;
    d.ulp = ulp;
    d.bound = bound;
  }
  return d;
}

ArrayDifference CompareConstants(const Value& got, const Value& expected, ElementType narrower) {
  constexpr double kRounding = 0.501;  // of an ulp; it may have been rounded on the way as well
  const ElementType type = got.shape().element_type(), other = expected.shape().element_type();
  Budget rounding;
  if (IsNumber(type) && IsNumber(other)) {
    if (type != other) rounding.ulp = kRounding;
    if (narrower != ElementType::kF64) rounding.relative = kRounding * UlpAt(NarrowerType(NarrowerType(type, other), narrower), 1);
  }
  return CompareArrays(got, expected, rounding);
}

std::vector<int64_t> IndexOf(const Shape& shape, int64_t linear) {
  std::vector<int64_t> index(shape.rank());
  DelinearizeIndex(shape.dimensions(), linear, absl::MakeSpan(index));
  return index;
}

bool AreLikeTypes(ElementType a, ElementType b) {
  const auto kind = [](ElementType type) { return IsFloat(type) || IsComplex(type) ? 0 : type == ElementType::kPred ? 1 : 2; };
  return kind(a) == kind(b);
}

std::string UlpText(double ulp) { return ulp == 0 ? "other bits: the sign of zero" : absl::StrCat(FormatDouble(ulp, 4), " ulp"); }

std::string ToText(const ArrayDifference& d, const Shape& shape) {
  if (d.beyond == 0) return d.other_bits == 0 ? "the same" : absl::StrCat("within the budget, at most ", FormatDouble(d.worst_ulp, 4), " ulp");
  std::string text = absl::StrCat(d.beyond, " of ", d.elements, d.elements == 1 ? " element differs" : " elements differ", ", first [", absl::StrJoin(IndexOf(shape, d.first), ","),
                                  "] is ", ToText(d.got), ", expected ", ToText(d.expected));
  if (IsNumber(d.expected.type) && std::isfinite(d.ulp)) absl::StrAppend(&text, " (", UlpText(d.ulp), ")");
  if (d.bound > 0) absl::StrAppend(&text, " within ", FormatDouble(d.bound, 3));
  if (d.beyond > 1 && d.worst != d.first) {
    absl::StrAppend(&text, "; worst [", absl::StrJoin(IndexOf(shape, d.worst), ","), "] is ", ToText(d.worst_got), ", expected ", ToText(d.worst_expected));
    if (IsNumber(d.expected.type) && std::isfinite(d.worst_ulp)) absl::StrAppend(&text, " (", UlpText(d.worst_ulp), ")");
  }
  return text;
}

}  // namespace hloscope
