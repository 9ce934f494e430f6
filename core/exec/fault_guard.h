// Turns SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT raised inside native code into a Status, for the calling thread.
// Not for our own bugs outside kernels: a fault with no guard on the faulting thread goes to whoever handled it before.
#ifndef HLOSCOPE_CORE_EXEC_FAULT_GUARD_H_
#define HLOSCOPE_CORE_EXEC_FAULT_GUARD_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace hloscope {

// Runs `body` and returns OK, or InternalError naming the signal. A fault abandons the body where it stood: its frames are not unwound,
// so what they owned leaks. Guards nest. Costs some nanoseconds.
absl::Status RunGuarded(absl::FunctionRef<void()> body);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_FAULT_GUARD_H_
