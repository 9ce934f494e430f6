#include "backends/jit_cpu/runtime/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "core/base/threads.h"

extern "C" void omp_set_num_threads(int);  // of the OpenMP runtime that oneDNN brings along

namespace hloscope {
namespace {

// About 30 microseconds of pauses: handing work over costs 0.3 us while the worker spins and 2 to 80 us after it has gone to sleep.
constexpr int kSpins = 1000;

thread_local bool inside_loop = false;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

int AvailableThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

// Moves the calling thread to the `number`-th available processor that is not `taken`, then lets it roam again. A thread that was
// started on its maker's processor can stay there for its first hundred milliseconds, and the pool would run as if it had one thread less.
void MoveAwayFrom(int taken, int number) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof(all), &all) != 0) return;
  std::vector<int> others;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &all) && cpu != taken) others.push_back(cpu);
  }
  if (others.empty()) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(others[number % others.size()], &one);
  if (sched_setaffinity(0, sizeof(one), &one) == 0) sched_setaffinity(0, sizeof(all), &all);
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  if (threads <= 0) threads = AvailableThreads();
  const int here = sched_getcpu();
  for (int i = 1; i < threads; ++i) {
    std::thread worker;
    const auto work = [this, here, i] {
      MoveAwayFrom(here, i - 1);
      Work();
    };
    if (!TryStartThread(worker, work)) break;  // fewer do as well
    workers_.push_back(std::move(worker));
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  wake_.fetch_add(1);
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::RunPieces() {
  while (true) {
    const int64_t begin = job_.next.fetch_add(job_.grain, std::memory_order_relaxed);
    if (begin >= job_.n) return;
    (*job_.body)(begin, std::min(job_.n, begin + job_.grain));
  }
}

void ThreadPool::Work() {
  omp_set_num_threads(1);  // library kernels run on one thread each: the pool is what runs in parallel
  inside_loop = true;
  uint64_t seen = 0;  // the last epoch worked on
  while (true) {
    int spins = 0;
    uint64_t gate;
    while (true) {
      const uint32_t wake = wake_.load(std::memory_order_acquire);
      if (stop_.load(std::memory_order_relaxed)) return;
      gate = gate_.load(std::memory_order_acquire);
      if ((gate & kClosed) == 0 && (gate >> 32) != seen) {
        if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) break;
        continue;
      }
      if (++spins < kSpins) {
        Pause();
        continue;
      }
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      wake_.wait(wake, std::memory_order_acquire);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      spins = 0;
    }
    seen = gate >> 32;
    RunPieces();
    gate_.fetch_sub(1, std::memory_order_release);
  }
}

void ThreadPool::ParallelFor(int64_t n, int64_t grain, absl::FunctionRef<void(int64_t, int64_t)> body) {
  if (n <= 0) return;
  grain = std::max<int64_t>(1, grain);
  std::unique_lock<std::mutex> lock(busy_, std::defer_lock);
  if (workers_.empty() || n <= grain || inside_loop || !lock.try_lock()) {
    for (int64_t begin = 0; begin < n; begin += grain) body(begin, std::min(n, begin + grain));
    return;
  }
  inside_loop = true;
  job_.n = n;
  job_.grain = grain;
  job_.body = &body;
  job_.next.store(0, std::memory_order_relaxed);
  const uint64_t epoch = (gate_.load(std::memory_order_relaxed) >> 32) + 1;
  gate_.store((epoch & 0xffffffff) << 32, std::memory_order_seq_cst);
  wake_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) wake_.notify_all();
  RunPieces();
  gate_.fetch_or(kClosed, std::memory_order_acq_rel);
  for (int spins = 0; (gate_.load(std::memory_order_acquire) & (kClosed - 1)) != 0; ++spins) {
    if (spins < kSpins) {
      Pause();
    } else {
      sched_yield();  // the worker may have lost its processor to somebody else
    }
  }
  inside_loop = false;
}

}  // namespace hloscope
