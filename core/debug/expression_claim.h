// Why a claim is false: the parts of an expression that decide, as the evaluation noted them, and what is said of them. For expression*.cc only.
#ifndef HLOSCOPE_CORE_DEBUG_EXPRESSION_CLAIM_H_
#define HLOSCOPE_CORE_DEBUG_EXPRESSION_CLAIM_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/debug/expression_functions.h"

namespace hloscope::expression {

struct Comparison {
  std::string op;
  Result left, right;
  double tolerance = 0;
  Result outcome;
};

// What was true or false by itself: a comparison, any(...) or all(...), or a value that stands for its truth.
struct Part {
  enum Kind : uint8_t { kValue, kComparison, kAny, kAll } kind = kValue;
  std::string text;
  bool negated = false;  // an odd number of nots is around it
  Result outcome;        // of any and all: of what they are given, element by element
  std::optional<Comparison> comparison;
  std::vector<Part> inner;  // of any and all
};

// "found 3, wanted < 1"; each part that made the claim false, with its text where it is not the whole one.
std::string WhyFalse(absl::string_view text, absl::Span<const Part> parts);

// An element as print shows it.
std::string ElementText(const Result& r, int64_t i);

}  // namespace hloscope::expression

#endif  // HLOSCOPE_CORE_DEBUG_EXPRESSION_CLAIM_H_
