// Cutting out the smallest program that gives one value again: the instruction alone, with what lies a few hops before it, or with all that
// it follows from. What is cut off comes as constants (small) or as parameters with their values in an archive.
#ifndef HLOSCOPE_CORE_DEBUG_EXTRACT_H_
#define HLOSCOPE_CORE_DEBUG_EXTRACT_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/debug/session.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

struct Extract {
  std::unique_ptr<Module> module;
  std::vector<Value> parameters;
  int64_t kept = 0;               // instructions of the original in the entry
  std::vector<std::string> notes; // what does not come out the same, and why
};

// `value` gives what an instruction of the computation of `target` has computed. `hops` 0: the instruction alone; negative: everything
// before it in its computation. `of_several`: the value is of a run on several devices, and what they exchanged is given to the program.
// `given`: instructions whose value must be given wherever it is needed, as something was set by hand in it or in what it read.
absl::StatusOr<Extract> ExtractProgram(const Module& module, const Instruction& target, int64_t hops,
                                       const std::function<absl::StatusOr<Value>(const Instruction&)>& value, bool of_several = false,
                                       const absl::flat_hash_set<const Instruction*>& given = {});

// Writes the program as HLO text at `path`, and where it has parameters their values as an archive beside it (`archive`, empty
// otherwise: FILE.npz for FILE.hlo).
absl::Status WriteProgram(const Module& module, absl::Span<const Value> parameters, const std::string& path, std::string* archive);
// A word of a command line, quoted where a shell needs it.
std::string ShellWord(absl::string_view word);
// "--inputs FILE.npz --backend reference ..." as they are needed to run such a program in the way that the session does; begins with a space.
std::string RunArguments(const std::string& archive, absl::string_view backend, const SessionOptions& options);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_EXTRACT_H_
