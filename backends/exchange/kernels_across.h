// A debugger's session in one process, the devices' kernels and values in several: the first process has the console, the frames and the past of
// all devices, as in one process, and hands each kernel to the process of the device that runs it. What a kernel makes stays there; its bytes come
// when somebody here looks at them, or another device gets them. So every command works on every device, and says the same to the bit.
// Not for running without a debugger, where each process has Machines of its own (across.h).
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_KERNELS_ACROSS_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_KERNELS_ACROSS_H_

#include <memory>
#include <string>
#include <vector>

#include "backends/exchange/process_link.h"
#include "core/exec/backend.h"

namespace hloscope {

// What a process has done for the session, and keeps.
struct ProcessFigures {
  int64_t kernels = 0, value_bytes = 0;
  absl::Status status;  // it has left: why
};

class KernelsAcross {
 public:
  explicit KernelsAcross(ProcessLink& link);
  // The other processes end.
  ~KernelsAcross();
  // The same kernels, each in the process that its RunContext says; what is for no device in particular runs here. May outlive this, but nothing
  // can be run elsewhere any more then.
  std::unique_ptr<Backend> Over(std::unique_ptr<Backend> backend);
  // `live_bytes`: of values that the session counts here; those of which the bytes are elsewhere alone are not this process's.
  std::vector<ProcessFigures> Figures(int64_t live_bytes = 0);

 private:
  class Others;
  class Program;
  class Copies;
  class Across;
  class OverBackend;
  class OverWatchingBackend;
  std::shared_ptr<Others> others_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_KERNELS_ACROSS_H_
