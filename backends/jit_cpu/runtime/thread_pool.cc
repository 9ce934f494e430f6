#include "backends/jit_cpu/runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <utility>

#include "core/base/threads.h"

extern "C" void omp_set_num_threads(int);  // of the OpenMP runtime that oneDNN brings along

namespace hloscope {
namespace {

// A worker waits awake for about a millisecond: handing work over costs 0.3 us while it does, and 20 us to a few milliseconds after it
// has gone to sleep. The caller waits for the last piece as long as it takes to tell that its worker has lost its processor.
constexpr int kSpinsOfWorker = 20000;
constexpr int kSpinsOfCaller = 1000;

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

cpu_set_t Without(cpu_set_t set, int processor) {
  if (processor >= 0) CPU_CLR(processor, &set);
  return set;
}

void Allow(std::thread& thread, const cpu_set_t& processors) { pthread_setaffinity_np(thread.native_handle(), sizeof(processors), &processors); }

// Moves a thread to the `number`-th of the processors, then lets it roam over all of them.
void SpreadOver(const cpu_set_t& processors, int number, std::thread& thread) {
  std::vector<int> each;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &processors)) each.push_back(cpu);
  }
  if (each.empty()) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(each[number % each.size()], &one);
  Allow(thread, one);
  Allow(thread, processors);
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  if (threads <= 0) threads = AvailableThreads();
  if (sched_getaffinity(0, sizeof(allowed_), &allowed_) != 0) CPU_ZERO(&allowed_);
  if (CPU_COUNT(&allowed_) > 1) kept_from_ = sched_getcpu();
  shares_ = std::make_unique<Share[]>(threads);
  for (int i = 1; i < threads; ++i) {
    std::thread worker;
    if (!TryStartThread(worker, [this, i] { Work(i); })) break;  // fewer do as well
    SpreadOver(Without(allowed_, kept_from_), i - 1, worker);
    workers_.push_back(std::move(worker));
  }
}

// A worker is woken where it slept or where its waker is. On the caller's processor it would wait for its turn while others are idle,
// for a hundred milliseconds until the system mends it, and the pool run as if it had one thread less.
void ThreadPool::KeepAwayFromCaller() {
  const int here = sched_getcpu();
  if (here == kept_from_ || kept_from_ < 0 || here < 0 || !CPU_ISSET(here, &allowed_)) return;
  kept_from_ = here;
  const cpu_set_t others = Without(allowed_, here);
  for (std::thread& worker : workers_) Allow(worker, others);
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  wake_.fetch_add(1);
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::RunPieces(int self) {
  const int count = threads();
  for (int k = 0; k < count; ++k) {
    Share& share = shares_[(self + k) % count];
    while (true) {
      const int64_t piece = share.next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= share.end) break;
      (*job_.body)(piece * job_.grain, std::min(job_.n, (piece + 1) * job_.grain));
    }
  }
}

void ThreadPool::Work(int self) {
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
      if (++spins < kSpinsOfWorker) {
        Pause();
        continue;
      }
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      wake_.wait(wake, std::memory_order_acquire);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      spins = 0;
    }
    seen = gate >> 32;
    RunPieces(self);
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
  KeepAwayFromCaller();
  job_.n = n;
  job_.grain = grain;
  job_.body = &body;
  const int64_t pieces = (n + grain - 1) / grain, count = threads();
  for (int64_t t = 0; t < count; ++t) {
    shares_[t].next.store(pieces * t / count, std::memory_order_relaxed);
    shares_[t].end = pieces * (t + 1) / count;
  }
  const uint64_t epoch = (gate_.load(std::memory_order_relaxed) >> 32) + 1;
  gate_.store((epoch & 0xffffffff) << 32, std::memory_order_seq_cst);
  wake_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) wake_.notify_all();
  RunPieces(0);
  gate_.fetch_or(kClosed, std::memory_order_acq_rel);
  for (int spins = 0; (gate_.load(std::memory_order_acquire) & (kClosed - 1)) != 0; ++spins) {
    if (spins < kSpinsOfCaller) {
      Pause();
    } else {
      sched_yield();  // the worker may have lost its processor to somebody else
    }
  }
  inside_loop = false;
}

}  // namespace hloscope
