// What a kernel made of operands that come again (weights in a library's layout), kept from their second use on: programs that run once need no
// more memory for it, loops and repeated runs pack once. An operand is held as long as what was made of it, so its bytes cannot be written over
// in the meantime; one that nobody else holds any more is let go at the next call. Thread-safe.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_PACKED_OPERANDS_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_PACKED_OPERANDS_H_

#include <deque>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/literal/value.h"

namespace hloscope {

class PackedOperands {
 public:
  PackedOperands() = default;
  PackedOperands(const PackedOperands&) = delete;
  ~PackedOperands();
  // `pack` books what it makes on the account that it is given: `account` for what lives as long as the call, none for what is kept. All
  // kernels together keep at most an eighth of the machine's memory.
  absl::StatusOr<Value> Get(const Value& operand, MemoryAccount* account, absl::FunctionRef<absl::StatusOr<Value>(MemoryAccount*)> pack) const;

 private:
  struct Entry {
    Value operand, packed;
  };
  void Release() const;

  mutable std::mutex mutex_;
  mutable std::vector<Entry> kept_;
  mutable std::deque<const Buffer*> seen_;  // of operands that were packed for one call; only compared, never followed
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_PACKED_OPERANDS_H_
