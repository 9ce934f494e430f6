// The other side of kernels_across.h: a process that keeps the values of its devices and runs their kernels, as the first process says.
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_KERNEL_SERVICE_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_KERNEL_SERVICE_H_

#include "backends/exchange/process_link.h"
#include "core/exec/backend.h"
#include "core/exec/inputs.h"

namespace hloscope {

// Until the first process ends it. `fill`: of elided constants, as in the session. False: the first process has left with it, so nothing
// follows.
bool ServeKernels(ProcessLink& link, Backend& backend, const Fill& fill);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_KERNEL_SERVICE_H_
