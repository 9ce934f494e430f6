// Makes a failing program small: nodes are cut away or replaced, sizes, types, layouts and inputs made simple, as long as it still fails.
#ifndef HLOSCOPE_TESTS_RANDOM_SHRINK_H_
#define HLOSCOPE_TESTS_RANDOM_SHRINK_H_

#include <functional>

#include "tests/random/program.h"

namespace hloscope {

// `fails` must be true of `program`. At most `attempts` calls of it.
Prog Shrink(Prog program, const std::function<bool(const Prog&)>& fails, int attempts = 3000);
int NodeCount(const Prog& program);

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_RANDOM_SHRINK_H_
