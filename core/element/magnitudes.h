// How small the numbers of a program can get: a proof, from its operands' smallest and largest elements, that nothing in it comes near the
// smallest normal number. For programs with folds, where looking at every operation costs far more than the operation.
#ifndef HLOSCOPE_CORE_ELEMENT_MAGNITUDES_H_
#define HLOSCOPE_CORE_ELEMENT_MAGNITUDES_H_

#include <cstddef>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/element/program.h"
#include "core/literal/value.h"

namespace hloscope {

// Exponents of two. Infinities and NaN are left out.
struct Magnitudes {
  static constexpr int kHuge = 1 << 20;
  int least = kHuge;    // none other than zero is smaller than 2^least; kHuge: all are zero
  int grain = kHuge;    // all are multiples of 2^grain
  int most = -kHuge;    // none is larger than 2^most
  bool positive = true;  // none is below zero
  friend bool operator==(const Magnitudes&, const Magnitudes&) = default;
};

// Remembers what it has seen of arrays, so let none of them go while it lives.
class NormalProof {
 public:
  // True: no operation of the pull program makes a denormal number, or loses one to zero. False: it cannot be said. `operands` are dense.
  bool Holds(const Program& program, absl::Span<const Value> operands);

 private:
  absl::flat_hash_map<const std::byte*, std::optional<Magnitudes>> known_;  // by their first byte; none: of a type that nothing is known of
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_MAGNITUDES_H_
