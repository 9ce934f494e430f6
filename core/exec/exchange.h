// The seam between a Machine and the other devices of a run: the Machine says what it brings to an exchange and gets what that makes, or is told
// to wait. Who the others are, and where they run, is the exchange's business (backends/exchange). Not for what the operations mean (core/ops).
#ifndef HLOSCOPE_CORE_EXEC_EXCHANGE_H_
#define HLOSCOPE_CORE_EXEC_EXCHANGE_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "core/ops/device_groups.h"

namespace hloscope {

// One device's place in a loop, for diagnostics.
struct LoopPlace {
  const Instruction* loop = nullptr;
  int64_t iteration = 0;
  bool condition = false;
};

// What a device brings when it executes an instruction with an ExchangeRole.
struct ExchangeCall {
  const Instruction& instruction;
  absl::Span<const Value> operands;  // dense
  std::vector<LoopPlace> loops;      // around it, the outermost first
};

// One device's end of the exchange. Used by one Machine, on one thread at a time.
class ExchangePort {
 public:
  virtual ~ExchangePort() = default;
  virtual Device device() const = 0;
  // What the instruction gives, dense. Nothing: the others have not come yet; the same call is to be made again when they have. InvalidArgument
  // or FailedPrecondition: the exchange cannot be, with who disagrees about what.
  virtual absl::StatusOr<std::optional<Value>> Exchange(const ExchangeCall& call) = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_EXCHANGE_H_
