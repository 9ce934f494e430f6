// A computation that an instruction calls (a reducer, a comparator, a map's body) run again, instruction by instruction with each one's own
// program, to look for the first that has what is asked for, or for a value to compare with. Slow: for few calls. Not for the value of the
// program: the Machine runs that.
#ifndef HLOSCOPE_CORE_OPS_CALLED_RUN_H_
#define HLOSCOPE_CORE_OPS_CALLED_RUN_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/element/hazard_program.h"
#include "core/element/interpret.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "core/ops/inner_birth.h"

namespace hloscope {

class CalledRun {
 public:
  // Without a query nothing is looked for: it only runs.
  explicit CalledRun(std::optional<HazardQuery> query);
  ~CalledRun();
  // What follows may take its own time.
  void Begin();
  // That were executed since it was made, by element of what they make.
  int64_t operations() const;
  // What it returns. Nothing: an instruction has what is looked for, in it or in what it runs; or something in it is not run here (what gives
  // random numbers or asks others than its operands), or it takes too long.
  std::optional<Value> Run(const Computation& computation, absl::Span<const Value> arguments);
  // Of the last Run that gave nothing, without its arguments. None: it could not be followed.
  std::optional<InnerBirth> TakeBirth();

 private:
  struct Search;    // what all that run inside each other share
  struct Prepared;  // how one instruction is made
  explicit CalledRun(std::shared_ptr<Search> search);
  std::optional<Value> Make(const Instruction& i, absl::Span<const Value> operands);
  std::optional<Value> Control(const Instruction& i, absl::Span<const Value> operands);
  std::optional<Value> Inside(const Instruction& caller, const Computation& computation, absl::Span<const Value> arguments);
  std::optional<Value> InsideLoop(const Instruction& loop, const Computation& computation, int64_t iteration, const Value& carried);
  bool Found(const Instruction& i, absl::Span<const Value> operands, const Value& value);
  int64_t FirstHazard(const Instruction& i, absl::Span<const Value> operands, const Value& value, std::string* why);

  std::shared_ptr<Search> search_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Prepared>> prepared_;
  absl::flat_hash_map<std::pair<const Instruction*, const Computation*>, std::unique_ptr<CalledRun>> inside_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_CALLED_RUN_H_
