// Kernels that look at what they compute: whether a NaN (or an infinity) came up anywhere inside a fused region, also one that a select, a
// comparison or a conversion hides from the result. Not for saying where (core/debug/catch_walk.h does, when something came up).
#ifndef HLOSCOPE_CORE_EXEC_WATCH_H_
#define HLOSCOPE_CORE_EXEC_WATCH_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/element/program.h"
#include "core/exec/backend.h"

namespace hloscope {

enum class Watch : uint8_t {
  kNone,
  kNan,
  kNonFinite,  // NaN and infinities
};

// A Backend may be one of these too. Its fused kernels then look at the values of all instructions in them; copies and constants do not
// count, and elements that nobody demands are not computed.
class WatchingBackend {
 public:
  virtual ~WatchingBackend() = default;
  // Takes effect at the next run of a kernel. Prepare compiles for what is watched at that moment.
  virtual void SetWatch(Watch watch) = 0;
  struct Seen {
    bool watched = false;  // some kernel that ran looked (library calls, functions over whole values and copies do not)
    bool found = false;    // and something came up; it may be in lanes that are masked out later, never the other way round
  };
  // Since it was last asked.
  virtual Seen TakeSeen() = 0;
  // Compiled code of a program that is no instruction's; takes its operands in order, dense, and gives its outputs (a tuple of several).
  virtual absl::StatusOr<std::shared_ptr<const Kernel>> KernelOf(const Program& program) = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_WATCH_H_
