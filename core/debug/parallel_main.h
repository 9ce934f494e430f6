// A test's main that runs one program on several devices (interpreter.run_parallel of StableHLO's tests), seen as that program on these
// devices: so that a session can follow them. Not for executing the call inside of main (backends/exchange/run_parallel.h).
#ifndef HLOSCOPE_CORE_DEBUG_PARALLEL_MAIN_H_
#define HLOSCOPE_CORE_DEBUG_PARALLEL_MAIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/debug/session.h"
#include "core/exec/backend.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

struct ParallelMain {
  const Instruction* call = nullptr;  // null: there is none
  int64_t replicas = 1, partitions = 1;
  Computation* program = nullptr;  // null: the devices run different ones, or main does more than one such call
  std::string why;                 // then
};
// Whoever is the entry.
ParallelMain FindParallelMain(const Module& module);
// The program has been made the entry.
bool IsEntered(const Module& module, const ParallelMain& main);
// Makes the program the module's entry; main stays beside it. The module must have been verified.
void EnterParallel(Module& module, const ParallelMain& main);
// What main gives each device's program, by device and parameter: what stands before the call is executed for it. Errors: main takes
// parameters, or stops with an error.
absl::StatusOr<std::vector<std::vector<Value>>> ArgumentsOfParallel(const Module& module, const ParallelMain& main, Backend& backend);
// The same for a module whose entry is that program: each device's own inputs in `devices` have them. Nothing happens to others.
absl::Status GiveParallelArguments(const Module& module, Backend& backend, SessionDevices& devices);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PARALLEL_MAIN_H_
