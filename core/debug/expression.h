// Expressions over values, for `expect`, `print`, `display` and conditions of breakpoints:
//   max(abs(%y)) < 1e3      %x[0,1] == 2.5      %x ~= 3.0 1e-5      shape(%x) == f32[2,3]      nan(%y) == 0 && all(%m > 0)
//   iteration % 10 == 0     iteration(outer) == 17 && hits > 2      $_ (what has just been computed)
// Computed in f64, integers exactly (up to 128 bits; what is beyond is refused), element by element; a scalar goes with any array. Not for running anything: values come from the host.
#ifndef HLOSCOPE_CORE_DEBUG_EXPRESSION_H_
#define HLOSCOPE_CORE_DEBUG_EXPRESSION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/literal/value.h"

namespace hloscope {

class ExpressionHost {
 public:
  virtual ~ExpressionHost() = default;
  virtual bool IsName(absl::string_view name) const = 0;                        // of an instruction, without %; or "$result"
  virtual absl::StatusOr<Value> ValueOf(absl::string_view name) const = 0;
  virtual absl::StatusOr<Shape> ShapeOf(absl::string_view name) const = 0;      // also of what has not run yet
  virtual absl::StatusOr<bool> StoppedAt(absl::string_view location) const = 0;
  virtual bool Finished() const = 0;
  // "iteration" (`argument`: a loop's name, empty for the innermost), "depth", "hits". By default nothing is known.
  virtual absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const;
  // Calls `look` where the names of `expression` mean what they meant at the moment, "iteration 3". By default that is nothing to be asked for.
  virtual absl::Status AtMoment(absl::string_view moment, absl::string_view expression, const std::function<absl::Status()>& look) const;
  // Only the form is looked at, to find mistakes before anything runs: then FormOf is asked instead of ValueOf. Unavailable from FormOf:
  // the shape is not known either.
  virtual bool form_only() const { return false; }
  virtual absl::StatusOr<Shape> FormOf(absl::string_view name) const { return ShapeOf(name); }
};

namespace expression {
__extension__ typedef __int128 Wide;
}

struct ExpressionResult {
  enum Kind : uint8_t { kValue, kNumbers, kShape } kind = kNumbers;
  Value value;                     // kValue: as it is, nothing was computed; kNumbers: integers that are known exactly; as f64 what was
                                   // computed from f64 or from integers of 32 bits and more, which is shown so that it reads back; or none
  std::vector<int64_t> dimensions; // kNumbers
  std::vector<double> re, im;      // kNumbers; im empty: real (of unknown ones too, where the type is known)
  std::vector<expression::Wide> integers;  // kNumbers: all of them, where they are integers and 64 bits do not hold each; then there is no value
  bool is_bool = false;            // kNumbers
  Shape shape;                     // kShape
  bool unknown = false;            // only the form was looked at: dimensions (kNumbers) or shape (kValue) are all there is
  bool any_dimensions = false;     // with `unknown`: not even those
};

absl::StatusOr<ExpressionResult> EvaluateExpression(absl::string_view text, const ExpressionHost& host);
// "3.5", "[1, 2]", "true", "f32[2,3]".
std::string ToText(const ExpressionResult& result, int64_t max_elements);
// The result as a value: what it is already, or its numbers as f64, c128 or pred. A shape is none, and integers of more than 64 bits are none.
absl::StatusOr<Value> ToValue(ExpressionResult result);

// The expression as a claim: true where every element is true (not zero). `detail` says for a false one which parts of it decided and what was
// found there, if that is wanted (`explain`: it is evaluated again for it). Of a host that knows only forms nothing but mistakes is found.
struct Claim {
  bool holds = false;
  std::string detail;
};
absl::StatusOr<Claim> EvaluateClaim(absl::string_view text, const ExpressionHost& host, bool explain = true);

// A name with subscripts: "%x[0,1]", "x", "$result[2][0:3]"; of one computation "body:x[0]" or "%x[0] in body". Takes it off `text`.
struct Reference {
  std::string name;  // with its computation as "body:x", see core/debug/instruction_names.h
  std::vector<absl::string_view> subscripts;  // views into the text given
};
absl::StatusOr<Reference> ParseReference(absl::string_view& text, const ExpressionHost& host);

// One line for each function, for `help expressions`.
std::string ExpressionHelp();

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_EXPRESSION_H_
