// Values at run time: immutable arrays (dense, row-major, storage as in element_types.def), tuples and tokens, by reference count.
// Not for formatting (format.h), statistics (statistics.h) or files (npy.h).
#ifndef HLOSCOPE_CORE_LITERAL_VALUE_H_
#define HLOSCOPE_CORE_LITERAL_VALUE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "core/shape/shape.h"

namespace hloscope {

// Counts bytes of live buffers and their high-water mark. One for each process use; Buffers made with none go uncounted.
class MemoryAccount {
 public:
  void Add(int64_t bytes);
  void Subtract(int64_t bytes) { live_.fetch_sub(bytes, std::memory_order_relaxed); }
  int64_t live() const { return live_.load(std::memory_order_relaxed); }
  int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  void ResetPeak() { peak_.store(live(), std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> peak_{0};
};

// 64-byte aligned bytes, with at least 64 readable (not writable) bytes after the end, so that vector loads may overrun.
// Freed blocks are kept in a process-wide free list of size classes (buffer_pool in value.cc) so that loops do not fault pages anew.
class Buffer {
 public:
  static std::shared_ptr<Buffer> Allocate(int64_t size, MemoryAccount* account);  // uninitialised
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::byte* data() const { return data_; }
  int64_t size() const { return size_; }

 private:
  Buffer() = default;
  std::byte* data_ = nullptr;
  int64_t size_ = 0;
  int64_t capacity_ = 0;
  MemoryAccount* account_ = nullptr;
};

// An array value views a whole Buffer. Treat as immutable once shared: mutable_data() is for whoever just allocated it, and for
// kernels that were given the last reference (see `unique`).
class Value {
 public:
  Value() = default;  // no value
  static Value Allocate(const Shape& array_shape, MemoryAccount* account = nullptr);
  static Value FromBytes(const Shape& array_shape, absl::Span<const std::byte> bytes, MemoryAccount* account = nullptr);
  static Value Tuple(const Shape& shape, std::vector<Value> elements);
  static Value Token();
  template <typename T>
  static Value Scalar(ElementType type, T x) {  // T must be the storage type
    return FromBytes(Shape::Scalar(type), absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&x), sizeof(T)));
  }

  bool has_value() const { return has_value_; }
  const Shape& shape() const { return shape_; }
  const std::byte* data() const { return buffer_ ? buffer_->data() : nullptr; }
  std::byte* mutable_data() { return buffer_ ? buffer_->data() : nullptr; }
  template <typename T>
  const T* as() const { return reinterpret_cast<const T*>(data()); }
  template <typename T>
  T* mutable_as() { return reinterpret_cast<T*>(mutable_data()); }
  int64_t element_count() const { return shape_.ElementCount(); }
  int64_t byte_size() const { return shape_.ByteSize(); }
  absl::Span<const Value> elements() const { return elements_ ? absl::Span<const Value>(*elements_) : absl::Span<const Value>(); }
  // True when this array Value is the only holder of its buffer, so a kernel may overwrite it.
  bool unique() const { return buffer_ != nullptr && buffer_.use_count() == 1; }
  const Buffer* buffer() const { return buffer_.get(); }
  // The same bytes under another shape with as many storage bytes (reshape, bitcast). Shares the buffer.
  Value WithShape(const Shape& shape) const;
  // Moves a tuple's elements out if this is their only holder, else copies the handles.
  std::vector<Value> TakeElements() &&;
  // Bit for bit, tuples too; shapes must be Compatible.
  static bool BitEqual(const Value& a, const Value& b);

 private:
  Shape shape_;
  std::shared_ptr<Buffer> buffer_;
  std::shared_ptr<std::vector<Value>> elements_;
  bool has_value_ = false;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_VALUE_H_
