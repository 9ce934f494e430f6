// Kernels that take and make values in layouts: conversions around one that wants others. Not for moving elements (literal/relayout.h).
#ifndef HLOSCOPE_CORE_EXEC_LAID_KERNEL_H_
#define HLOSCOPE_CORE_EXEC_LAID_KERNEL_H_

#include <memory>
#include <vector>

#include "core/element/layout_index.h"
#include "core/exec/backend.h"

namespace hloscope {

// Some input of the region or its result is stored in a layout that is not dense.
bool HasLayouts(const Computation& computation, const Region& region);
// Shapes of the region's inputs, all dense.
std::vector<Shape> DenseInputs(const Computation& computation, const Region& region);
// The program of a region over memory; its outputs in the layouts of the root's leaves.
PhysicalProgram LaidProgram(const Program& program, const Shape& root);
// `inner` gets its inputs in the layouts of `inputs`, and what it makes is brought into the layout of `result`.
std::shared_ptr<const Kernel> MakeLaidKernel(std::shared_ptr<const Kernel> inner, std::vector<Shape> inputs, Shape result);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_LAID_KERNEL_H_
