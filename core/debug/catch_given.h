// What a catch of nan or inf looks for and the program's parameters bring: nothing has made it, so it is not caught, and what follows from it is
// inherited. Not for what constants bring (constant_flow.h).
#ifndef HLOSCOPE_CORE_DEBUG_CATCH_GIVEN_H_
#define HLOSCOPE_CORE_DEBUG_CATCH_GIVEN_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/debug/catch_find.h"

namespace hloscope {

struct GivenBad {
  CatchKind kind{};
  const Instruction* parameter = nullptr;
  int leaf = 0;
  std::vector<int64_t> index;  // of the first element that has it
  int64_t count = 0, elements = 0;
};
// Adds what `value` of the parameter has of what is asked for.
void FindGiven(absl::Span<const CatchRequest> requests, const Instruction& parameter, const Value& value, std::vector<GivenBad>* given);
// "parameter %x comes with nan at [5,1] (1 of 12 elements)".
std::string ToText(const GivenBad& given);
// The first of them, and how many more there are; "": none.
std::string GivenText(absl::Span<const GivenBad> given);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_CATCH_GIVEN_H_
