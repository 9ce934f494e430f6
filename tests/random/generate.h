// Makes a random well-typed program from a seed: every operation that is executed, every element type, dimensions of size 0 and 1, random
// layouts, control flow, tuples, reducers with several results, sizes known only at run time, infeed and outfeed. The same seed makes the
// same program for ever after.
#ifndef HLOSCOPE_TESTS_RANDOM_GENERATE_H_
#define HLOSCOPE_TESTS_RANDOM_GENERATE_H_

#include <cstdint>

#include "tests/random/program.h"

namespace hloscope {

Prog Generate(uint64_t seed);

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_RANDOM_GENERATE_H_
