// What stands beside a line: a short look at the last value of an instruction. Made on the engine's thread, within a time limit, from
// values that are held or cheap to make again; what is left over is for the next question.
#ifndef HLOSCOPE_VISUALIZER_MODEL_LINE_VALUES_H_
#define HLOSCOPE_VISUALIZER_MODEL_LINE_VALUES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/debug/known_values.h"
#include "core/debug/session_state.h"
#include "core/ir/module.h"

namespace hloscope {

struct LineValue {
  std::string text;          // "-14.2 .. 0", "3", "true"; empty: nothing to say
  std::string detail;        // "mean 0.01, 2 of 64 are NaN", "looked at 65536 of 4194304 elements so far"
  std::vector<float> bins;   // of the finite elements; empty for scalars and constant arrays
  bool nan = false, inf = false;
  bool partial = false;      // not yet looked through whole: "≈ -1 .. 1"
  std::string by_hand;       // "from %x[0], set by hand"; empty: it has nothing to do with what was set
  int64_t iteration = -1;    // of the loop whose body or condition it was computed in
};

struct LineValues {
  std::vector<std::pair<const Instruction*, LineValue>> values;
  bool more = false;  // time was up: some are missing or partial
};

// The values of those of `wanted` that the frames on the stack have computed; all others have an empty text.
LineValues LookAtLines(Session::State& s, const std::vector<const Instruction*>& wanted, double seconds);
// The same at another moment of the run, "iteration 4" of the loop that `body` belongs to. Takes as long as going there.
absl::StatusOr<LineValues> LookAtIteration(Session::State& s, const std::vector<const Instruction*>& wanted, const Computation& body, const std::string& moment);
LineValue Summary(const Value& value);
LineValue Summary(const Value& value, const KnownValue& known);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_LINE_VALUES_H_
