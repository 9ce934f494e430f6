#include "core/debug/expression_claim.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/expression_integers.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"
#include "core/literal/scalar.h"
#include "core/shape/shape.h"

namespace hloscope::expression {
namespace {

constexpr size_t kMost = 4;  // parts that are told

bool TrueAt(const Result& r, int64_t i) { return At(r, i) != 0.0; }

std::string PlaceText(const Result& r, int64_t i) {
  if (r.dimensions.empty()) return "";
  std::vector<int64_t> index(r.dimensions.size());
  DelinearizeIndex(r.dimensions, i, absl::MakeSpan(index));
  return absl::StrCat("at [", absl::StrJoin(index, ","), "]: ");
}

// `whole`: with all digits that it takes to read the number back.
std::string NumberText(Complex x, bool complex, bool whole) {
  const auto text = [&](double part) { return whole ? ToText(Scalar::Float(ElementType::kF64, part)) : FormatDouble(part, 9); };
  return complex ? absl::StrCat("(", text(x.real()), ", ", text(x.imag()), ")") : text(x.real());
}

// Of one element: what is there and what was wanted of it.
std::string Found(const Comparison& c, int64_t i, bool negated) {
  if (c.left.kind == Result::kShape) return absl::StrCat("the shape is ", c.left.shape.ToString(false));
  std::string found = ElementText(c.left, i), wanted = ElementText(c.right, i);
  if (found == wanted && At(c.left, i) != At(c.right, i)) {  // what sets them apart is beyond the digits that are usual
    found = NumberText(At(c.left, i), !c.left.im.empty(), true);
    wanted = NumberText(At(c.right, i), !c.right.im.empty(), true);
  }
  std::string text = absl::StrCat("found ", found, ", wanted ", negated ? "not " : "", c.op, " ", wanted);
  if (c.op == "~=") absl::StrAppend(&text, " within ", FormatDouble(c.tolerance));
  return text;
}

// The first element that is `wanted`, and how many there are.
struct Elements {
  int64_t first = -1, count = 0;
};
Elements Those(const Result& r, bool wanted) {
  Elements found;
  for (int64_t i = 0; i < Size(r); ++i) {
    if (TrueAt(r, i) != wanted) continue;
    if (found.first < 0) found.first = i;
    ++found.count;
  }
  return found;
}

std::string OfAll(const Elements& those, const Result& r, absl::string_view what) { return absl::StrCat(" (", those.count, " of ", Size(r), " elements ", what, ")"); }

std::string WhyComparison(const Part& part) {
  const Comparison& c = *part.comparison;
  const Elements those = Those(part.outcome, part.negated);
  if (c.left.kind == Result::kShape || Size(part.outcome) == 1) return Found(c, 0, part.negated);
  return absl::StrCat(PlaceText(part.outcome, those.first), Found(c, those.first, part.negated), OfAll(those, part.outcome, part.negated ? "are so" : "differ"));
}

// What stands at an element of what any or all is given: by the comparisons in it that made it so.
std::string AtElement(const Part& part, int64_t i, bool holds) {
  std::vector<std::string> texts;
  const bool several = part.inner.size() > 1;
  for (const Part& inner : part.inner) {
    const int64_t at = Size(inner.outcome) == 1 ? 0 : i;
    if (at >= Size(inner.outcome) || (Size(inner.outcome) != 1 && inner.outcome.dimensions != part.outcome.dimensions)) continue;
    if (TrueAt(inner.outcome, at) != (holds != inner.negated)) continue;
    const std::string found = inner.comparison.has_value() ? Found(*inner.comparison, at, holds != inner.negated) : absl::StrCat("found ", ElementText(inner.outcome, at));
    texts.push_back(several ? absl::StrCat(inner.text, ": ", found) : found);
    if (texts.size() == kMost) break;
  }
  return texts.empty() ? absl::StrCat("found ", ElementText(part.outcome, i)) : absl::StrJoin(texts, "; ");
}

// Of a comparison that no element (or each) fulfils: the element that is the nearest to doing so.
std::string NearestText(const Part& part) {
  if (part.inner.size() != 1 || !part.inner[0].comparison.has_value()) return "";
  const Comparison& c = *part.inner[0].comparison;
  if (c.left.kind == Result::kShape) return "";
  int64_t nearest = -1;
  double least = HUGE_VAL;
  for (int64_t i = 0; i < Size(part.outcome); ++i) {
    const double distance = std::abs(At(c.left, i) - At(c.right, i));
    if (std::isnan(distance) || (nearest >= 0 && distance >= least)) continue;
    nearest = i;
    least = distance;
  }
  if (nearest < 0) return "; all are nan";
  return absl::StrCat("; the nearest ", PlaceText(part.outcome, nearest), Found(c, nearest, part.inner[0].negated));
}

std::string Why(const Part& part) {
  switch (part.kind) {
    case Part::kValue: return absl::StrCat("found ", ElementText(part.outcome, 0));
    case Part::kComparison: return WhyComparison(part);
    case Part::kAny:
    case Part::kAll: break;
  }
  const bool holds = part.negated;  // what it says is true, and was not wanted to be
  if ((part.kind == Part::kAll) != holds) {  // some elements decided it
    const Elements those = Those(part.outcome, holds);
    return absl::StrCat(PlaceText(part.outcome, those.first), AtElement(part, those.first, holds), OfAll(those, part.outcome, absl::StrCat(those.count == 1 ? "is " : "are ", holds ? "true" : "false")));
  }
  const int64_t n = Size(part.outcome);
  if (n == 0) return "there are no elements";
  return absl::StrCat(holds ? "all " : "none of ", Count(n, "element"), holds ? " are true" : " is true", holds ? "" : NearestText(part));
}

bool Decides(const Part& part) {
  bool holds = true;
  switch (part.kind) {
    case Part::kValue:
    case Part::kComparison:
    case Part::kAll: holds = Those(part.outcome, false).count == 0; break;
    case Part::kAny: holds = Those(part.outcome, true).count > 0; break;
  }
  return holds == part.negated;
}

}  // namespace

std::string WhyFalse(absl::string_view text, absl::Span<const Part> parts) {
  std::vector<std::string> texts;
  size_t more = 0;
  for (const Part& part : parts) {
    if (!Decides(part)) continue;
    if (texts.size() == kMost) {
      ++more;
      continue;
    }
    const bool whole = part.text == absl::StripAsciiWhitespace(text);
    if (whole && part.kind == Part::kValue && part.outcome.is_bool) return "";  // that it is false is all there is to say
    texts.push_back(whole ? Why(part) : absl::StrCat(part.text, ": ", Why(part)));
  }
  if (more > 0) texts.push_back(absl::StrCat("and ", Count(static_cast<int64_t>(more), "more part")));
  return absl::StrJoin(texts, "; ");
}

std::string ElementText(const Result& r, int64_t i) {
  if (Size(r) == 1) i = 0;
  if (r.is_bool) return r.re[i] != 0 ? "true" : "false";
  const bool whole = r.value.has_value();
  if (!r.integers.empty() || (whole && IsInteger(r.value.shape().element_type()))) return IntegerText(r, i);
  return NumberText(At(r, i), !r.im.empty(), whole);
}

}  // namespace hloscope::expression
