// Starting threads where the system may refuse: work then goes on with those that there are. Not a pool (backends/jit_cpu/runtime).
#ifndef HLOSCOPE_CORE_BASE_THREADS_H_
#define HLOSCOPE_CORE_BASE_THREADS_H_

#include <functional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

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

// work(0) ... work(threads - 1), each on a thread of its own, the first (and what no thread could be made for) on the caller's.
inline void OnThreads(int threads, const std::function<void(int)>& work) {
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) {
    std::thread other;
    if (TryStartThread(other, [&work, t] { work(t); }))
      others.push_back(std::move(other));
    else
      work(t);
  }
  work(0);
  for (std::thread& other : others) other.join();
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_THREADS_H_
