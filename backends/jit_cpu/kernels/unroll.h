// For loops over a handful of registers: unrolled whole, or what they hold would lie in memory. Goes before the loop.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_UNROLL_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_UNROLL_H_

#define HLOSCOPE_UNROLL _Pragma("GCC unroll 16")

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_UNROLL_H_
