// A program in f64: the same instructions under the same names, with every float type replaced. For the accumulated error of a run.
#ifndef HLOSCOPE_CORE_DEBUG_TWIN_H_
#define HLOSCOPE_CORE_DEBUG_TWIN_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/debug/shadow.h"
#include "core/debug/lockstep.h"
#include "core/exec/inputs.h"
#include "core/ir/module.h"

namespace hloscope {

// Verified. Where an operation needs the very bits of its type (bitcast-convert, custom calls), it keeps it, with conversions around it.
// Unimplemented where that is not possible, naming the instruction. Elided constants are filled first.
absl::StatusOr<std::unique_ptr<Module>> MakeTwin(const Module& module, const Fill& fill);

// A parameter of the program as its twin takes it.
Value WideParameter(const Module& twin, int number, const Value& value);

// Runs the program and its twin in lockstep and adds the accumulated errors to the report. The twin must live as long as the backend, which
// may keep what it knows of a computation. `exchange`: the other devices of the twin, where there are several.
absl::Status AddAccumulatedErrors(const Module& module, const Module& twin, Backend& backend, const ProgramInputs& inputs, const MachineOptions& options, ShadowReport& report,
                                  ExchangePort* exchange = nullptr);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_TWIN_H_
