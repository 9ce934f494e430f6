#include "backends/jit_cpu/kernels/packed_operands.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"

namespace hloscope {
namespace {

constexpr size_t kMostSeen = 256;

std::atomic<int64_t> kept_bytes{0};

bool Reserve(int64_t bytes) {
  static const int64_t most = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / 8;
  if (kept_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes <= most) return true;
  kept_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

}  // namespace

PackedOperands::~PackedOperands() {
  for (const Entry& entry : kept_) kept_bytes.fetch_sub(entry.packed.byte_size(), std::memory_order_relaxed);
}

// Lets go of operands that only this cache still holds. The mutex is held.
void PackedOperands::Release() const {
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(),
                             [](const Entry& entry) {
                               if (!entry.operand.unique()) return false;
                               kept_bytes.fetch_sub(entry.packed.byte_size(), std::memory_order_relaxed);
                               return true;
                             }),
              kept_.end());
}

absl::StatusOr<Value> PackedOperands::Get(const Value& operand, MemoryAccount* account,
                                          absl::FunctionRef<absl::StatusOr<Value>(MemoryAccount*)> pack) const {
  // What nobody else holds will not come again.
  if (operand.unique()) return pack(account);
  const auto find = [&] { return absl::c_find_if(kept_, [&](const Entry& entry) { return entry.operand.buffer() == operand.buffer(); }); };
  bool again = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (const auto at = find(); at != kept_.end()) return at->packed;
    Release();
    again = absl::c_linear_search(seen_, operand.buffer());
    if (!again) {
      seen_.push_back(operand.buffer());
      if (seen_.size() > kMostSeen) seen_.pop_front();
    }
  }
  if (!again) return pack(account);
  absl::StatusOr<Value> packed = pack(nullptr);
  if (!packed.ok()) return packed;
  std::lock_guard<std::mutex> lock(mutex_);
  if (find() == kept_.end() && Reserve(packed->byte_size())) kept_.push_back({operand, *packed});
  return packed;
}

}  // namespace hloscope
