#include "backends/jit_cpu/kernels/blas.h"

#include <dlfcn.h>

#include <cstdlib>

#include "core/base/vector_set.h"

namespace hloscope {
namespace {

// The name by which OpenBLAS calls the newest kernels that this processor can run; null: it may choose for itself.
const char* CoreType() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (VectorSet() == 512 && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) return "SkylakeX";
  if (VectorSet() == 256) return "Haswell";
#endif
  return nullptr;
}

// Before there is a second thread: the environment is shared by all. What the user says goes first.
const bool told = [] {
  const char* core = CoreType();
  return core != nullptr && setenv("OPENBLAS_CORETYPE", core, /*overwrite=*/0) == 0;
}();

OpenBlas Load() {
  (void)told;
  OpenBlas blas;
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return blas;
  if (const auto threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads")); threads != nullptr) threads(1);
  if (const auto core = reinterpret_cast<char* (*)()>(dlsym(library, "openblas_get_corename")); core != nullptr) blas.core = core();
  blas.dgemm = reinterpret_cast<decltype(&cblas_dgemm)>(dlsym(library, "cblas_dgemm"));
  blas.sgemm = reinterpret_cast<decltype(&cblas_sgemm)>(dlsym(library, "cblas_sgemm"));
  return blas;
}

}  // namespace

const OpenBlas& OpenBlas::Get() {
  static const OpenBlas& blas = *new OpenBlas(Load());
  return blas;
}

}  // namespace hloscope
