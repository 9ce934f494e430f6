// Which loops run an instruction, and where a Machine has stopped with an error, for diagnostics. Not for the text of the program around
// it.
#ifndef HLOSCOPE_CORE_EXEC_ERROR_PLACE_H_
#define HLOSCOPE_CORE_EXEC_ERROR_PLACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/ir/module.h"

namespace hloscope {

struct Frame;
class Machine;

// One device's place in a loop.
struct LoopPlace {
  const Instruction* loop = nullptr;
  int64_t iteration = 0;
  bool condition = false;
};
// Around the innermost of these frames, the outermost first.
std::vector<LoopPlace> LoopsAround(absl::Span<const Frame> frames);
// "iteration 2 of %inner in condition of iteration 0 of %outer"; "" outside of loops.
std::string LoopsText(absl::Span<const LoopPlace> loops);

struct ErrorPlace {
  const Instruction* instruction = nullptr;  // null: nowhere
  std::vector<LoopPlace> loops;
  // "%rag in body, iteration 2 of %w"; "" where it is nowhere.
  std::string Text() const;
};
// Of a loop whose condition may not go on, the loop.
ErrorPlace PlaceOfError(const Machine& machine);
// The same of a stack of frames: of a run inside of an instruction.
ErrorPlace PlaceOfError(absl::Span<const Frame> frames);
// " at %rag in body, iteration 2 of %w: the indices ...": for behind "stopped with an error".
std::string ErrorText(const Machine& machine);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_ERROR_PLACE_H_
