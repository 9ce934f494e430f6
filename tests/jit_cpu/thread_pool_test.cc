#include "backends/jit_cpu/runtime/thread_pool.h"

#include <sched.h>

#include <chrono>
#include <set>

#include "gtest/gtest.h"

namespace hloscope {
namespace {

TEST(ThreadPool, CoversTheRangeOnceInPiecesOfTheGrain) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t n : {0, 1, 7, 64, 1000}) {
      for (int64_t grain : {1, 3, 64, 5000}) {
        std::vector<std::atomic<int>> hits(n);
        pool.ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
          EXPECT_EQ(begin % grain, 0);
          EXPECT_TRUE(end == n || end - begin == grain);
          for (int64_t i = begin; i < end; ++i) hits[i].fetch_add(1);
        });
        for (int64_t i = 0; i < n; ++i) EXPECT_EQ(hits[i].load(), 1) << i << " of " << n;
      }
    }
  }
}

TEST(ThreadPool, ManyShortLoopsAfterSleep) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  for (int round = 0; round < 2000; ++round) {
    pool.ParallelFor(16, 1, [&](int64_t begin, int64_t) { sum.fetch_add(begin); });
    if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(sum.load(), 2000 * 120);
}

TEST(ThreadPool, WorkersLeaveTheProcessorOfTheCaller) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one processor";
  ThreadPool pool(2);
  for (int cpu = 0, moves = 0; cpu < CPU_SETSIZE && moves < 4; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    ++moves;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    const std::thread::id caller = std::this_thread::get_id();
    // Each piece waits for both to be there.
    std::atomic<int> arrived{0}, beside{-1};
    pool.ParallelFor(2, 1, [&](int64_t, int64_t) {
      arrived.fetch_add(1);
      while (arrived.load() < 2) std::this_thread::yield();
      if (std::this_thread::get_id() != caller) beside = sched_getcpu();
    });
    EXPECT_NE(beside.load(), -1);
    EXPECT_NE(beside.load(), cpu);
  }
  sched_setaffinity(0, sizeof(all), &all);
}

TEST(ThreadPool, LoopsInsideLoopsAndFromSeveralThreads) {
  ThreadPool pool(2);
  std::atomic<int64_t> count{0};
  const auto work = [&] {
    for (int i = 0; i < 50; ++i) {
      pool.ParallelFor(8, 1, [&](int64_t, int64_t) { pool.ParallelFor(4, 1, [&](int64_t, int64_t) { count.fetch_add(1); }); });
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(count.load(), 2 * 50 * 8 * 4);
}

}  // namespace
}  // namespace hloscope
