// Runs one program on the oracle, the reference backend and the JIT, and compares the three. Shared by the oracle's table of small programs
// (tests/oracle) and the generator of random ones (random_programs.cc). Not for making programs.
#ifndef HLOSCOPE_TESTS_RANDOM_HARNESS_H_
#define HLOSCOPE_TESTS_RANDOM_HARNESS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/exec/backend.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

// Null, with the problems as text, when it does not read or verify.
std::unique_ptr<Module> ReadProgram(const std::string& text, std::string* problems);

// What the elements of made-up inputs are like.
enum class Inputs {
  kSmall,    // small whole numbers and halves: sums and products stay exact
  kMixed,    // reals about one, now and then a special value
  kSpecial,  // zeros of both signs, infinities, NaNs, denormals, the greatest; extreme integers
};
Value MakeValue(const Shape& shape, Inputs inputs, uint64_t seed);
std::vector<Value> MakeArguments(const Module& module, Inputs inputs, uint64_t seed);

// What comes from the world outside, and what went there.
struct Feeds {
  std::vector<Value> in, out;
};
absl::StatusOr<Value> RunOnBackend(const Module& module, Backend& backend, const std::vector<Value>& arguments, bool steps = false,
                                   Feeds* feeds = nullptr);

struct TrioOutcome {
  // How it ended. kFailed: somebody could not run it; kSkipped: the oracle has no meaning for it, and the others agree as far as they must.
  enum Kind { kAgrees, kSkipped, kMismatch, kFailed } kind = kAgrees;
  std::string what;  // of a mismatch or failure: who, where, how
  int64_t compared = 0, exact = 0, unknown = 0;
};
class Trio {
 public:
  explicit Trio(int threads = 1);
  ~Trio();
  bool has_jit() const { return jit_ != nullptr; }
  // `steps`: the JIT runs once more, one instruction at a time; every bit must be the same.
  TrioOutcome Compare(const Module& module, const std::vector<Value>& arguments, bool steps = false);

 private:
  std::unique_ptr<Backend> reference_, jit_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_RANDOM_HARNESS_H_
