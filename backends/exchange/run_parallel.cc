#include "backends/exchange/run_parallel.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backends/exchange/replicas.h"

namespace hloscope {

absl::StatusOr<Value> RunParallel(const Instruction& call, absl::Span<const Value> operands, Backend& backend, const MachineOptions& options, int threads) {
  ReplicasOptions all;
  for (const Computation* program : call.CalledComputations()) all.programs.push_back(program);
  const int64_t devices = static_cast<int64_t>(all.programs.size());
  // The grid's other side: as many partitions as a row has programs.
  absl::string_view config = call.backend_config;
  if (absl::ConsumePrefix(&config, "\"partitions=") && absl::ConsumeSuffix(&config, "\"") && (!absl::SimpleAtoi(config, &all.partitions) || all.partitions < 1)) all.partitions = 1;
  if (devices == 0 || devices % all.partitions != 0) {
    return absl::InvalidArgumentError(absl::StrCat("rows of ", all.partitions, " programs are needed, there are ", devices, " programs"));
  }
  all.replicas = devices / all.partitions;
  all.threads = threads;
  all.machine = options;
  all.machine.run_parallel = nullptr;
  const auto made = Replicas::Create(*call.parent->module, backend, std::move(all));
  if (!made.ok()) return made.status();
  Replicas& replicas = **made;
  size_t next = 0;
  for (int d = 0; d < devices; ++d) {
    const size_t wanted = call.CalledComputations()[d]->parameters.size();
    if (next + wanted > operands.size()) return absl::InvalidArgumentError(absl::StrCat("the programs take more than the ", operands.size(), " operands that there are"));
    std::vector<Value> parameters(operands.begin() + next, operands.begin() + next + wanted);
    next += wanted;
    const absl::Status started = replicas.machine(d).Start(std::move(parameters));
    if (!started.ok()) return absl::Status(started.code(), absl::StrCat(replicas.Name(d), ": ", started.message()));
  }
  if (next != operands.size()) return absl::InvalidArgumentError(absl::StrCat("the programs take ", next, " operands, there are ", operands.size()));
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
  if (!call.shape.IsTuple() && results.size() == 1) return results[0];
  if (!call.shape.IsTuple() || results.size() != call.shape.tuple_shapes().size()) {
    return absl::InvalidArgumentError(absl::StrCat("the programs give ", results.size(), " results, ", call.shape.IsTuple() ? call.shape.tuple_shapes().size() : 1, " are written"));
  }
  return Value::Tuple(call.shape, std::move(results));
}

void AllowRunParallel(MachineOptions& options, Backend& backend, int threads) {
  options.run_parallel = [&backend, base = options, threads](const Instruction& call, absl::Span<const Value> operands) { return RunParallel(call, operands, backend, base, threads); };
}

}  // namespace hloscope
