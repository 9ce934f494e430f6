// Which vector instructions code for this machine is made of.
#ifndef HLOSCOPE_CORE_BASE_VECTOR_SET_H_
#define HLOSCOPE_CORE_BASE_VECTOR_SET_H_

namespace hloscope {

// The width in bits of the widest set that the machine has: 512 (AVX-512), 256 (AVX2 with FMA), or 0 for neither. HLOSCOPE_VECTORS=256 in the
// environment keeps to AVX2, so that a machine that has more can try what the others run.
int VectorSet();

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_VECTOR_SET_H_
