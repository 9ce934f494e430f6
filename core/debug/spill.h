// Values that wait for their like: in memory up to a limit (a single one of any size), beyond it in an unnamed temporary file.
#ifndef HLOSCOPE_CORE_DEBUG_SPILL_H_
#define HLOSCOPE_CORE_DEBUG_SPILL_H_

#include <cstdint>
#include <cstdio>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/literal/value.h"

namespace hloscope {

class Spill {
 public:
  explicit Spill(int64_t limit) : limit_(limit) {}
  ~Spill();
  Spill(const Spill&) = delete;
  // Replaces what waits under the key. Arrays and tuples of arrays.
  absl::Status Put(uint64_t key, const Value& value);
  bool Has(uint64_t key) const { return waiting_.contains(key); }
  absl::StatusOr<Value> Take(uint64_t key);
  int64_t bytes() const { return bytes_; }        // in memory
  int64_t spilled() const { return spilled_; }    // written to the file so far
  size_t size() const { return waiting_.size(); }

 private:
  struct Entry {
    Value value;
    Shape shape;         // of one that lies in the file
    int64_t offset = -1;
  };
  absl::Status Write(const Value& value);
  absl::StatusOr<Value> Read(const Shape& shape);
  int64_t limit_, bytes_ = 0, spilled_ = 0, end_ = 0;
  std::FILE* file_ = nullptr;
  absl::flat_hash_map<uint64_t, Entry> waiting_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SPILL_H_
