// Enumerations of the messages by number, as HLO text writes them. The place in the list is the number.
#ifndef HLOSCOPE_CORE_TEXT_PROTO_NAMES_H_
#define HLOSCOPE_CORE_TEXT_PROTO_NAMES_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace hloscope::proto_names {

inline constexpr absl::string_view kPrecisions[] = {"default", "high", "highest"};
inline constexpr absl::string_view kAlgorithms[] = {
    "dot_unset",            "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum", "dot_f16_f16_f16",      "dot_f16_f16_f32",
    "dot_bf16_bf16_bf16",   "dot_bf16_bf16_f32",     "dot_bf16_bf16_f32_x3",             "dot_bf16_bf16_f32_x6", "dot_tf32_tf32_f32",
    "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32",       "dot_f64_f64_f64",                  "dot_bf16_bf16_f32_x9"};
inline constexpr absl::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
inline constexpr absl::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
inline constexpr absl::string_view kDistributions[] = {"rng_invalid", "rng_uniform", "rng_normal"};
inline constexpr absl::string_view kRandomAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
inline constexpr absl::string_view kSchedules[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
inline constexpr absl::string_view kApiVersions[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
                                                     "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};

// The name of number `i`; of a number without a name, the first.
template <size_t N>
absl::string_view NameAt(const absl::string_view (&names)[N], int64_t i) {
  return i >= 0 && i < static_cast<int64_t>(N) ? names[i] : names[0];
}
// The number of a name; 0 where it is none of them.
template <size_t N>
int NumberOf(const absl::string_view (&names)[N], absl::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  return 0;
}

}  // namespace hloscope::proto_names

#endif  // HLOSCOPE_CORE_TEXT_PROTO_NAMES_H_
