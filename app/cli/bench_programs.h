// The programs that `hloscope bench` measures when it is given none: the shapes of work that models are made of, small enough for a minute.
#ifndef HLOSCOPE_APP_CLI_BENCH_PROGRAMS_H_
#define HLOSCOPE_APP_CLI_BENCH_PROGRAMS_H_

#include <string>
#include <vector>

namespace hloscope::cli {

struct BenchProgram {
  std::string name;
  std::string text;  // HLO
};
std::vector<BenchProgram> BenchPrograms();

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_BENCH_PROGRAMS_H_
