#include "core/base/vector_set.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/string_view.h"

namespace hloscope {
namespace {

int OfTheMachine() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return 512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 256;
#endif
  return 0;
}

}  // namespace

int VectorSet() {
  static const int set = [] {
    const char* told = std::getenv("HLOSCOPE_VECTORS");
    return told != nullptr && absl::string_view(told) == "256" ? std::min(256, OfTheMachine()) : OfTheMachine();
  }();
  return set;
}

}  // namespace hloscope
