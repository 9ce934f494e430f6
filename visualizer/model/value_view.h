// What the value panel shows of a value, as plain data: made on the engine's thread from the session, drawn by the window.
#ifndef HLOSCOPE_VISUALIZER_MODEL_VALUE_VIEW_H_
#define HLOSCOPE_VISUALIZER_MODEL_VALUE_VIEW_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/plane.h"
#include "core/debug/session.h"
#include "core/debug/slice_parts.h"
#include "core/literal/place_in_range.h"
#include "core/literal/statistics.h"

namespace hloscope {

// A value, or one leaf of a tuple (core/ops/leaf_flow.h).
struct ValueName {
  const Instruction* instruction = nullptr;
  int leaf = 0;
  bool ahead = false;  // what it will be, where it is not executed yet: computed for the asker alone
  std::string moment;  // "iteration 3 in %while.2": then, in a frame that has ended; empty: now
  friend bool operator==(const ValueName&, const ValueName&) = default;
};

// The leaf's value, dense, in the selected frame or the nearest one around it that runs the instruction's computation; constants also when
// nothing runs. FailedPrecondition: not executed there (yet).
absl::StatusOr<Value> ValueOfLeaf(Session::State& s, const ValueName& name);

// Of a value that ValueOfLeaf has just given: what of it was set by hand, or which sets it comes from; empty: none (core/debug/set_readers.h).
std::string ValueSetMark(Session::State& s, const ValueName& name);

// Whether the value of an instruction can be had, at no cost.
struct Standing {
  const Instruction* of = nullptr;
  bool there = false;
  std::string iteration;             // of the loops that its frame is in: "iteration 3 of %while.2"; empty: outside of loops
  std::string why;                   // not: "not executed yet"
  bool ended = false;                // its computation does not run now
  const Instruction* loop = nullptr;  // ended: the loop around it whose iterations can be looked at; null: none
  int64_t iterations = -1;           // of that loop, as far as it is known; -1: not
  std::vector<bool> operands_there;  // one an operand
};
Standing StandingOf(const Session::State& s, const Instruction& instruction);

// How many elements have a number in which range.
struct Histogram {
  double low = 0, high = 0;         // of the bins together
  std::vector<int64_t> bins;
  int64_t looked = 0;               // elements; fewer than there are where `sampled`
  bool sampled = false;
  bool whole = false;               // a bin is one whole number
  double BinLow(size_t bin) const { return NumberInRange(low, high, static_cast<double>(bin), static_cast<double>(bins.size())); }
};
// Of the finite elements, between the least and the greatest of them. Whole numbers have a bin each where `most` are enough.
Histogram MakeHistogram(const Value& array, double low, double high, int most);

// The bits of a number, most significant first, in named groups.
struct BitGroup {
  enum Kind : uint8_t { kSign, kExponent, kMantissa, kWhole } kind = kWhole;
  std::string bits;     // "01111101"
  std::string meaning;  // "+", "2^-2", "1.25"
};
struct NumberBits {
  std::vector<BitGroup> groups;  // of a complex number the real part's and then the imaginary part's
  std::string hex;               // "0x3ea00000"
  std::string kind;              // "normal", "denormal", "zero", "infinity", "NaN"; of whole numbers ""
};
NumberBits BitsOf(ElementType type, const std::byte* storage);

// One element.
struct ElementFacts {
  ValueName of;
  std::vector<int64_t> index;
  std::string text;            // "0.3125"
  double number = 0;
  int64_t linear = 0;          // row-major
  int64_t physical = 0;        // in elements, in the layout of the instruction's shape
  int64_t byte = 0, bit = 0;   // where it begins in memory
  NumberBits bits;
};
ElementFacts FactsOfElement(const ValueName& name, const Value& array, const std::vector<int64_t>& index);

// The whole of a value.
struct ValueFacts {
  ValueName of;
  Shape shape;  // of the leaf, with its layout
  Statistics statistics;
  Histogram histogram;
  int64_t bytes = 0;
  ComplexPart part = ComplexPart::kMagnitude;  // of complex numbers: what the figures are of
  double least_size = 0;             // the smallest size of a finite element that is not zero: where a logarithmic scale begins
  int64_t nan = 0, inf = 0;          // elements; a complex number with one part of each is in both, whatever `part` is
  int64_t first_nan = -1, first_inf = -1;  // linear
  std::string by_hand;               // "from %x[0], set by hand"; empty: it has nothing to do with what was set
};
// Without `by_hand`, which ValueSetMark says.
ValueFacts FactsOfValue(const ValueName& name, const Value& array, ComplexPart part = ComplexPart::kMagnitude);

// A value beside another one.
struct ComparisonFacts {
  std::string with;
  bool exact_type = true;
  int64_t elements = 0, different = 0, zero_signs = 0;  // the last of those that differ by nothing else
  double worst_ulp = 0, largest = 0;
  std::vector<int64_t> worst;        // index of the element that is off by most; empty: none
  std::string worst_here, worst_there;
  // Of the largest difference, where another element has it.
  std::vector<int64_t> largest_at;
  std::string largest_here, largest_there;
};
// `text`: an expression. InvalidArgument where it has not the same dimensions.
absl::StatusOr<Value> ValueOfExpression(Session::State& s, const std::string& text);
absl::StatusOr<ComparisonFacts> CompareWith(const Value& array, const Value& other, const std::string& text);

// Rows by tabs, for the clipboard: at most `most` elements of the plane.
std::string PlaneText(const Value& array, const PlaneAxes& axes, int64_t most);
// Texts of the elements of a window whose steps are 1, row by row.
std::vector<std::string> WindowTexts(const Value& array, const PlaneAxes& axes, const PlaneWindow& window);

// Rows of the answer to `why`, the asked element first; deeper ones are further in.
struct WhyRow {
  const Instruction* instruction = nullptr;
  std::vector<int64_t> index;
  std::string place, value, formula, note;
  int depth = 0;
  bool birth = false;  // where a NaN or an infinity first appears
};
struct WhyRows {
  std::vector<WhyRow> rows;
  std::vector<const Instruction*> slice;  // without repeats
  std::shared_ptr<const SliceParts> parts;
  bool cut = false;
};
absl::StatusOr<WhyRows> AskWhy(Session::State& s, const ValueName& name, const std::vector<int64_t>& index);

// "[0,4,15]"; "" of a scalar.
std::string IndexText(const std::vector<int64_t>& index);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_VALUE_VIEW_H_
