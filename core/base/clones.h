// HLOSCOPE_CLONES before a function: it is compiled for AVX-512, AVX2 and the plain machine, and the loader takes the best one the machine has.
// Contraction is off, so all give the same bits. Not for templates (Clang has no clones of those): put the body into a template that is marked
// HLOSCOPE_INLINE and call it from a function of each type.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HLOSCOPE_NO_CLONES
#endif
#endif
// The sanitizer is not ready yet when the loader asks which clone to take.
#if defined(__SANITIZE_ADDRESS__)
#define HLOSCOPE_NO_CLONES
#endif

#if defined(__x86_64__) && defined(__GNUC__) && !defined(HLOSCOPE_NO_CLONES)
#if defined(__clang__)
#define HLOSCOPE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HLOSCOPE_CLONES __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#endif
#else
#define HLOSCOPE_CLONES
#endif
#define HLOSCOPE_INLINE inline __attribute__((always_inline))
