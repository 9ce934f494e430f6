// Matrix products of OpenBLAS, of doubles and, without AVX-512, of f32. The library is loaded when it is first wanted: it chooses its kernels while it is loaded,
// by a list of processors it knows by name, and takes those of 2004 for one that is newer than the list. It is told what the processor can do.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_BLAS_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_BLAS_H_

#include <cblas.h>

#include <string>

namespace hloscope {

struct OpenBlas {
  decltype(&cblas_dgemm) dgemm = nullptr;  // on the caller's thread alone; null: the library is not to be had
  decltype(&cblas_sgemm) sgemm = nullptr;  // likewise
  std::string core;                        // whose kernels it chose: "SkylakeX"

  // The first call loads the library.
  static const OpenBlas& Get();
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_BLAS_H_
