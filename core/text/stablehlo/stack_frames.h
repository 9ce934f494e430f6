// The stacks of calls of MLIR's locations, as the tables that an HLO dump has for them.
#ifndef HLOSCOPE_CORE_TEXT_STABLEHLO_STACK_FRAMES_H_
#define HLOSCOPE_CORE_TEXT_STABLEHLO_STACK_FRAMES_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/ir/module.h"
#include "core/text/mlir/mlir.h"

namespace hloscope::stablehlo {

class StackFrames {
 public:
  StackFrames(const std::vector<mlir::CallFrame>& from, SourceFrames& to) : from_(from), to_(to) {}

  // The stack_frame_id of a location, whose frames are added where they are new. 0: it says no more than its file and line.
  int32_t IdOf(const mlir::Location& location);

 private:
  int32_t LocationId(const mlir::CallFrame& frame);

  const std::vector<mlir::CallFrame>& from_;
  SourceFrames& to_;
  absl::flat_hash_map<std::string, int32_t> files_, functions_;
  absl::flat_hash_map<std::tuple<int32_t, int32_t, int, int, int, int>, int32_t> locations_;
  absl::flat_hash_map<int32_t, int32_t> frames_;  // by their number in from_
};

}  // namespace hloscope::stablehlo

#endif  // HLOSCOPE_CORE_TEXT_STABLEHLO_STACK_FRAMES_H_
