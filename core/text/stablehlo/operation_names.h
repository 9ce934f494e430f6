// What operations of StableHLO text are called, for who offers them.
#ifndef HLOSCOPE_CORE_TEXT_STABLEHLO_OPERATION_NAMES_H_
#define HLOSCOPE_CORE_TEXT_STABLEHLO_OPERATION_NAMES_H_

#include <string>
#include <vector>

namespace hloscope {

// Operations that are read, by their full names ("stablehlo.add"), in order of the alphabet.
const std::vector<std::string>& StableHloOperationNames();

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_STABLEHLO_OPERATION_NAMES_H_
