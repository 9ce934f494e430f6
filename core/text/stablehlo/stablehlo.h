// StableHLO, CHLO, func and check operations (read by core/text/mlir) as HLO modules.
// Each `func.func` that stands alone can be an entry: a file of tests gives one Module a function with assertions.
#ifndef HLOSCOPE_CORE_TEXT_STABLEHLO_STABLEHLO_H_
#define HLOSCOPE_CORE_TEXT_STABLEHLO_STABLEHLO_H_

#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/source.h"
#include "core/ir/module.h"
#include "core/text/mlir/mlir.h"

namespace hloscope {

// Whole file to one Module: the entry is @main of the (first) module, else its only public function, else the first one. Functions become
// computations; calls `call`; regions computations of their own. Sink gets every problem, with ranges into the text. The Module is
// finalized (not verified), with `source` the MLIR text, so that each instruction's range points into it.
std::unique_ptr<Module> ReadStableHlo(std::shared_ptr<const SourceText> source, DiagnosticSink& sink);

// One test: a function whose assertions are to be run, as a module with that function as entry.
// Assertions (`check.*` and `stablehlo.custom_call @check.*`) are custom-call instructions with side effects and targets "check.expect_eq", ...
struct StableHloTest {
  std::string name;       // "main", "dynamic_conv_op_test_si64"; with the part's number where a file has several and names repeat
  int part = 0;           // which `// -----` part, from 0
  std::unique_ptr<Module> module;
  SourceRange range;       // where the function stands
  bool asserts = true;     // false: it has no assertions and only has to run
  std::vector<Value> infeed;  // of what main itself runs (interpreter.run_parallel of one device), in order
  bool reached = true;        // false: a function that no test calls; it is here, with arguments or not, because of its errors
  int num_replicas = 1, num_partitions = 1;  // what its interpreter.run_parallel runs on, at most
};
std::vector<StableHloTest> ReadStableHloTests(std::shared_ptr<const SourceText> source, DiagnosticSink& sink);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_STABLEHLO_STABLEHLO_H_
