#include "backends/exchange/run_parallel.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/exchange/replicas.h"
#include "core/ops/parallel_call.h"

namespace hloscope {
namespace {

// The results of the functions of the call's infeed, which take nothing.
absl::StatusOr<std::vector<Value>> ItemsOf(const Module& module, const std::vector<Computation*>& functions, Backend& backend, const MachineOptions& options) {
  std::vector<Value> items;
  for (const Computation* function : functions) {
    MachineOptions alone;
    alone.entry = function;
    alone.memory_limit = options.memory_limit;
    alone.max_iterations = options.max_iterations;
    Machine machine(module, backend, std::move(alone));
    if (const absl::Status started = machine.Start(std::vector<Value>()); !started.ok()) return started;
    if (machine.Run() != StopReason::kFinished) {
      const absl::Status why = machine.status().ok() ? absl::CancelledError("interrupted") : machine.status();
      return absl::Status(why.code(), absl::StrCat(function->name, ", whose result the infeed has: ", why.message()));
    }
    items.push_back(machine.result());
  }
  return items;
}

// Given by who runs the program: what its own header names is for main.
bool InfeedGiven(const Module& module, const MachineOptions& options) { return !options.infeed.empty() && module.program().FindHeader("infeed") == nullptr; }

}  // namespace

absl::StatusOr<Value> RunParallel(const Instruction& call, absl::Span<const Value> operands, Backend& backend, const MachineOptions& options, int threads,
                                  const ParallelWatch& watch) {
  const absl::StatusOr<ParallelCall> parallel = ParallelCallOf(call);
  if (!parallel.ok()) return parallel.status();
  ReplicasOptions all;
  all.programs.assign(parallel->functions.begin(), parallel->functions.end());
  all.replicas = parallel->replicas;
  all.partitions = parallel->partitions;
  all.threads = threads;
  all.machine = options;
  all.machine.run_parallel = nullptr;
  if (!parallel->infeed.empty() && !InfeedGiven(*call.parent->module, options)) {
    absl::StatusOr<std::vector<Value>> items = ItemsOf(*call.parent->module, parallel->infeed, backend, options);
    if (!items.ok()) return items.status();
    all.machine.infeed = *std::move(items);
  }
  const auto made = Replicas::Create(*call.parent->module, backend, std::move(all));
  if (!made.ok()) return made.status();
  Replicas& replicas = **made;
  const int devices = static_cast<int>(parallel->functions.size());
  for (int d = 0; d < devices; ++d) {
    const auto first = operands.begin() + parallel->first_operand[d];
    const absl::Status started = replicas.machine(d).Start(std::vector<Value>(first, first + parallel->functions[d]->parameters.size()));
    if (!started.ok()) return absl::Status(started.code(), absl::StrCat(replicas.Name(d), ": ", started.message()));
    if (watch) watch(replicas.Name(d), replicas.machine(d));
  }
  const Replicas::Outcome outcome = replicas.Run();
  if (!outcome.finished) {
    const std::string at = outcome.at.Text();
    return absl::Status(outcome.status.code(), absl::StrCat(at.empty() ? "" : absl::StrCat(replicas.Name(outcome.device), " at ", at, ": "),
                                                            outcome.status.message()));
  }
  std::vector<Value> results;
  for (int d = 0; d < devices; ++d) {
    const Value& result = replicas.machine(d).result();
    if (!result.shape().IsTuple()) results.push_back(result);
    for (const Value& element : result.elements()) results.push_back(element);
  }
  return call.shape.IsTuple() ? Value::Tuple(call.shape, std::move(results)) : results[0];
}

void AllowRunParallel(MachineOptions& options, Backend& backend, int threads, ParallelWatch watch) {
  options.run_parallel = [&backend, base = options, threads, watch = std::move(watch)](const Instruction& call, absl::Span<const Value> operands) {
    return RunParallel(call, operands, backend, base, threads, watch);
  };
}

}  // namespace hloscope
