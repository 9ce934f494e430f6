// Starting threads where the system may refuse: work then goes on with those that there are. Not a pool (backends/jit_cpu/runtime).
#ifndef HLOSCOPE_CORE_BASE_THREADS_H_
#define HLOSCOPE_CORE_BASE_THREADS_H_

#include <system_error>
#include <thread>
#include <utility>

namespace hloscope {

// False when no thread could be made; `work` has not been called then.
template <typename Work>
bool TryStartThread(std::thread& thread, Work&& work) {
  try {
    thread = std::thread(std::forward<Work>(work));
    return true;
  } catch (const std::system_error&) {  // the library has no other way to say so
    return false;
  }
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_THREADS_H_
