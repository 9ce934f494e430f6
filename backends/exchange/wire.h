// Values and numbers as bytes, for messages between processes of one program on machines of one kind. Not a file format.
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_WIRE_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_WIRE_H_

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/literal/value.h"

namespace hloscope {

class WireWriter {
 public:
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  WireWriter& Put(const T& x) {
    bytes_.append(reinterpret_cast<const char*>(&x), sizeof(T));
    return *this;
  }
  WireWriter& Text(absl::string_view text);
  WireWriter& Bytes(const void* bytes, int64_t size);
  WireWriter& Status(const absl::Status& status);
  WireWriter& Put(const Value& value);  // dense, or none
  WireWriter& Put(const std::vector<Value>& values);
  std::string Take() { return std::move(bytes_); }
  // Larger arrays do not go into the bytes: they go beside them, in the order in which they were put.
  std::vector<Value> TakeArrays() { return std::move(arrays_); }

 private:
  std::string bytes_;
  std::vector<Value> arrays_;
};

// Reads what was written, in the same order. Beyond the end everything is zero and ok() is false.
class WireReader {
 public:
  // `arrays`: those beside, taken from there.
  explicit WireReader(absl::string_view bytes, std::vector<std::shared_ptr<Buffer>>* arrays = nullptr) : bytes_(bytes), arrays_(arrays) {}
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  T Get() {
    T x{};
    if (Has(sizeof(T))) {
      std::memcpy(&x, bytes_.data(), sizeof(T));
      bytes_.remove_prefix(sizeof(T));
    }
    return x;
  }
  std::string Text();
  absl::string_view Bytes();  // as long as the message lives
  absl::Status Status();
  Value GetValue(MemoryAccount* account);
  std::vector<Value> Values(MemoryAccount* account);
  bool ok() const { return ok_; }

 private:
  bool Has(size_t bytes);
  absl::string_view bytes_;
  std::vector<std::shared_ptr<Buffer>>* const arrays_;
  size_t next_array_ = 0;
  bool ok_ = true;
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_WIRE_H_
