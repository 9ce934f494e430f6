// The fuzzer of the HLO text reader as a program: fuzz_hlo_text [--minutes N] [--seed N] [--out DIRECTORY] [FILE...].
// With FILEs: checks just those. With -DHLOSCOPE_LIBFUZZER (clang, -fsanitize=fuzzer): a libFuzzer target instead.
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/text/fuzzing.h"

#ifdef HLOSCOPE_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string problem = hloscope::CheckHloText(std::string(reinterpret_cast<const char*>(data), size));
  if (!problem.empty()) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    std::abort();
  }
  return 0;
}

#else

namespace {

const hloscope::HloTextFuzzer* running = nullptr;
std::string crash_path;

// The reader died: keeps what it was reading. (Not safe in a handler by the book; good enough for a tool that is dying.)
void KeepAndDie(int signal) {
  if (running != nullptr) std::ofstream(crash_path, std::ios::binary) << running->last();
  std::fprintf(stderr, "signal %d; the text is kept as %s\n", signal, crash_path.c_str());
  std::_Exit(2);
}

void CatchSignals() {
  static char stack[1 << 16];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = KeepAndDie;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  double minutes = 1;
  uint64_t seed = 1;
  std::string out = ".";
  int files = 0, failures = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--minutes") == 0 && i + 1 < argc) {
      minutes = std::atof(argv[++i]);
    } else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (std::strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
      out = argv[++i];
    } else {
      ++files;
      std::ifstream in(argv[i], std::ios::binary);
      std::string problem = hloscope::CheckHloText({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
      std::printf("%s: %s\n", argv[i], problem.empty() ? "sound" : problem.c_str());
      failures += !problem.empty();
    }
  }
  if (files > 0) return failures > 0;
  hloscope::HloTextFuzzer fuzzer(hloscope::LoadHloSeeds(), seed);
  running = &fuzzer;
  crash_path = out + "/crash.hlo";
  CatchSignals();
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(minutes * 60);
  int64_t steps = 0;
  double slowest = 0;
  for (; Clock::now() < end; ++steps) {
    std::clock_t before = std::clock();  // processor time: the machine may be busy with other things
    std::string problem = fuzzer.Step();
    double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    if (seconds > 2) problem = "took " + std::to_string(seconds) + " seconds";
    slowest = std::max(slowest, seconds);
    if (problem.empty()) continue;
    std::string path = out + "/finding-" + std::to_string(++failures) + ".hlo";
    std::ofstream(path, std::ios::binary) << fuzzer.last();
    std::printf("step %lld: %s\n  kept as %s\n", static_cast<long long>(steps), problem.c_str(), path.c_str());
    std::fflush(stdout);
    if (failures >= 20) break;
  }
  std::printf("%lld texts (%lld without errors), %d findings, %zu kept as seeds, slowest %.3f s\n", static_cast<long long>(steps),
              static_cast<long long>(fuzzer.clean_steps()), failures, fuzzer.pool_size(), slowest);
  return failures > 0;
}

#endif  // HLOSCOPE_LIBFUZZER
