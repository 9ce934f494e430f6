// The counter-based generators of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): Threefry2x32-20, Philox4x32-10.
#ifndef HLOSCOPE_TESTS_ORACLE_RANDOM_H_
#define HLOSCOPE_TESTS_ORACLE_RANDOM_H_

#include <array>
#include <cstdint>

namespace hloscope::oracle {

std::array<uint32_t, 2> Threefry(std::array<uint32_t, 2> counter, std::array<uint32_t, 2> key);
std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

}  // namespace hloscope::oracle

#endif  // HLOSCOPE_TESTS_ORACLE_RANDOM_H_
