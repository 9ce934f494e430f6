// For the tests of pictures: every instruction of the entries of random programs.
#ifndef HLOSCOPE_TESTS_PICTURES_RANDOM_PROGRAMS_H_
#define HLOSCOPE_TESTS_PICTURES_RANDOM_PROGRAMS_H_

#include "tests/pictures/making.h"
#include "tests/random/generate.h"

namespace hloscope {

// Calls each(run, instruction, "seed N") for the programs of seeds 1 to `seeds`; ends with the first fatal failure.
template <typename Each>
void ForRandomPrograms(uint64_t seeds, Each each) {
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const Prog program = Generate(seed);
    std::string problems;
    const std::string text = hloscope::Text(program);
    const std::unique_ptr<Module> module = ReadProgram(text, &problems);
    ASSERT_NE(module, nullptr) << problems;
    RunProgram run(text, ArgumentsOf(program, *module));
    if (!run.problems().empty()) continue;  // what the world outside would give
    for (const Instruction* i : run.module().entry->schedule) {
      SCOPED_TRACE(absl::StrCat("seed ", seed));
      each(run, *i, absl::StrCat("seed ", seed));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_PICTURES_RANDOM_PROGRAMS_H_
