// Persistent worker threads for the loops of kernels: spin shortly, then wait. The caller works too.
// Not a task system: one loop at a time; a loop started from inside a loop, or while another thread's loop runs, runs on its caller alone.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_RUNTIME_THREAD_POOL_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_RUNTIME_THREAD_POOL_H_

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"

namespace hloscope {

class ThreadPool {
 public:
  // `threads` in all, the caller of ParallelFor among them; 0: as many as the process may use.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(begin, end) for [0, n) cut at multiples of `grain` (the last piece may be shorter), each piece exactly once. How the
  // range is cut depends on n and grain alone, never on the number of threads: whatever a piece computes on its own is reproducible.
  void ParallelFor(int64_t n, int64_t grain, absl::FunctionRef<void(int64_t begin, int64_t end)> body);

 private:
  struct Job {
    int64_t n = 0, grain = 1;
    const absl::FunctionRef<void(int64_t, int64_t)>* body = nullptr;
  };
  // Each thread begins with pieces of its own, side by side and the same ones for loops of the same size: what it wrote in one loop lies
  // near it in the next. Who has none left takes those of others.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};  // piece
    int64_t end = 0;
  };
  void Work(int self);
  void RunPieces(int self);
  void KeepAwayFromCaller();

  // gate_ = epoch << 32 | closed << 31 | workers inside. A worker enters only while its epoch is open; the caller closes it when the
  // pieces have run out and waits until nobody is inside, so a late worker never touches a finished job.
  static constexpr uint64_t kClosed = uint64_t{1} << 31;
  std::atomic<uint64_t> gate_{kClosed};
  std::atomic<uint32_t> wake_{0};
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stop_{false};
  std::mutex busy_;
  Job job_;
  std::unique_ptr<Share[]> shares_;  // by thread, the caller's first
  cpu_set_t allowed_;   // of the thread that made the pool
  int kept_from_ = -1;  // the processor that the workers leave to the caller
  std::vector<std::thread> workers_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_RUNTIME_THREAD_POOL_H_
