// What a scan's operands and its computation are to each other, for whoever walks its steps. The operation: scan.cc.
#ifndef HLOSCOPE_CORE_OPS_SCAN_H_
#define HLOSCOPE_CORE_OPS_SCAN_H_

#include <string>

#include "core/ops/op.h"

namespace hloscope {

struct ScanForm {
  int inputs = 0, states = 0, outputs = 0;
  bool scalar = false;  // a computation of scalars over slices of some dimensions: it runs for each element of a slice
  int64_t dimension = 0, steps = 0;
  bool reverse = false;
  Shape slice;  // scalar: the dimensions of a slice
};
// Why the operands and `to_apply` do not fit together, or "".
std::string FindScanForm(const Instruction& scan, const Computation& step, ScanForm* form);

// The slice of `whole` at index `at` of dimension `d`, which it has no longer.
Value SliceAt(const Value& whole, int64_t d, int64_t at, MemoryAccount* account = nullptr);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_SCAN_H_
