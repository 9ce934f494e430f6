// What a part of a program is known to compute before it runs: values that follow from constants alone. Shapes of StableHLO programs
// with `?` in their types are found so. Not an optimisation: nothing is replaced.
#ifndef HLOSCOPE_CORE_TEXT_STABLEHLO_FOLD_H_
#define HLOSCOPE_CORE_TEXT_STABLEHLO_FOLD_H_

#include "absl/container/flat_hash_map.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope::stablehlo {

class Folder {
 public:
  // The value of an instruction of an unfinished module; null when it depends on parameters, is large, or cannot be computed.
  const Value* Fold(const Instruction* instruction);
  // Says what a parameter is known to be.
  void Assume(const Instruction* parameter, Value value);

 private:
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Value>> known_;
};

}  // namespace hloscope::stablehlo

#endif  // HLOSCOPE_CORE_TEXT_STABLEHLO_FOLD_H_
