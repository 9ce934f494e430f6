// Single elements of an instruction's operands and results, for the files that look for what it introduced.
#ifndef HLOSCOPE_CORE_DEBUG_CATCH_ELEMENTS_H_
#define HLOSCOPE_CORE_DEBUG_CATCH_ELEMENTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/debug/catch_find.h"
#include "core/element/scalar_hazards.h"
#include "core/literal/element_at.h"

namespace hloscope {

bool Floats(const Shape& shape);
// The calls of an instruction are looked into one by one, of which each takes its time; a program may say yes where the calls, one by one, do
// not. In each of its runs so many elements are looked into, and beyond them as many as so many operations allow: ordinary arrays wholly. In
// loops fewer with every iteration, by its number, so that what is found does not hang on what was looked at before. And what is said where
// these are not all and none was found.
constexpr int64_t kMostLookedInto = 1000;
int64_t OperationsLookedInto(absl::Span<const Frame> frames);
std::string NotAllCallsText(const CatchRequest& request, const Instruction& instruction, int64_t looked_at, int64_t of);
std::vector<int64_t> IndexIn(const Shape& shape, int64_t linear);
bool IsBad(CatchKind kind, const Scalar& s);  // it is what nan or inf is about
std::vector<Value> ArraysOf(const Value& value);  // of a tuple, also of those in it; or the array itself

// Of the kinds that single operations have.
ScalarHazard HazardOf(CatchKind kind);
// Also of nan and inf. Cancellation is not looked for in folds.
HazardQuery QueryOf(const CatchRequest& request);

// Loads of one element; of push programs those of every update that hits it.
std::vector<std::pair<int, int64_t>> LoadsOf(const Program& program, absl::Span<const Value> operands, int output, int64_t linear);
// Of an operation without program: what an element of its result may be made from, a thousand of each operand at most (core/ops/reach.h).
std::vector<std::pair<int, int64_t>> ReadsOfOpaque(const Instruction& instruction, absl::Span<const Value> operands, int leaf, const Shape& result, int64_t linear);
// Of each of these elements of its result: whether `bad` holds of an element that it may be made from.
std::vector<bool> OfBadOperands(const Instruction& instruction, absl::Span<const Value> operands, int leaf, const Shape& result, absl::Span<const int64_t> elements,
                                const std::function<bool(int operand, const Scalar& value)>& bad);
// The elements that made one: all if they are few, else those that tell most: not finite, large, and zeros where something may be divided by them.
void Show(const Instruction& instruction, const std::vector<std::pair<int, int64_t>>& loads, absl::Span<const Value> operands, Finding& finding, bool zeros_tell = false);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_CATCH_ELEMENTS_H_
