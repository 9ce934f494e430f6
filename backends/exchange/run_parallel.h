// StableHLO's interpreter.run_parallel: programs of a grid of devices, run together. StableHLO interpreter, run_parallel.
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_RUN_PARALLEL_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_RUN_PARALLEL_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "core/exec/backend.h"
#include "core/exec/machine.h"

namespace hloscope {

// Called with each device's Machine before it runs, one after the other.
using ParallelWatch = std::function<void(const std::string& device, Machine& machine)>;

// The value of a custom call interpreter.run_parallel: its called computations are the programs, replica by replica; each takes its parameters
// from the operands in turn, and their results follow each other. `options`: of the Machine that runs the call; each device has an infeed of its own,
// with what the call brings for it unless the options have another. Errors name the device and the instruction.
absl::StatusOr<Value> RunParallel(const Instruction& call, absl::Span<const Value> operands, Backend& backend, const MachineOptions& options, int threads,
                                  const ParallelWatch& watch = nullptr);
// Lets Machines with these options run such calls.
void AllowRunParallel(MachineOptions& options, Backend& backend, int threads, ParallelWatch watch = nullptr);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_RUN_PARALLEL_H_
