// A small program for each operation, made with the builder: what the operation pages show and run, what assets/samples/ops holds as
// text, and what the tests of the builder build, run and compare. Not for programs worth stepping through: assets/samples.
#ifndef HLOSCOPE_APP_REFERENCE_EXAMPLES_H_
#define HLOSCOPE_APP_REFERENCE_EXAMPLES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/ops/builder/constants.h"

namespace hloscope {

struct Example {
  const char* operation;  // as HLO text spells it
  const char* note;       // what is to be seen, for a comment
  hlo::Op (*build)(hlo::Builder* b);
  const char* result;  // its value as ResultText gives it; empty: it needs what one run alone has not (see `needs`)
  const char* needs = "";
};

// In the order of the operation table.
const std::vector<Example>& Examples();
// Those of the specification, for assets/samples/spec; `operation` is the name of the file.
std::vector<Example> SpecificationExamples();
const Example* FindExample(absl::string_view operation);  // null when there is none

// The verified module; an error only if the example is wrong.
absl::StatusOr<std::unique_ptr<Module>> BuildExample(const Example& example);
// "f32[2,3] [[1, 2, 3],\n [4, 5, 6]]", floats with five digits.
std::string ResultText(const Value& value);
// The text of assets/samples/ops/OPERATION.hlo (or spec/NAME.hlo): a comment, then the module.
std::string SampleText(const Example& example);

// The parts of Examples(), one a file.
std::vector<Example> ElementwiseExamples();
std::vector<Example> MovementExamples();
std::vector<Example> NumericExamples();
std::vector<Example> ControlExamples();

}  // namespace hloscope

#endif  // HLOSCOPE_APP_REFERENCE_EXAMPLES_H_
