// Values at run time: immutable arrays, tuples and tokens, by reference count.
// An array's bytes lie in the layout of its shape. Most are dense (row-major, nothing packed or padded, storage as in
// element_types.def), and whoever reads elements directly asks for that with ToDense (relayout.h), which costs nothing then.
// Not for formatting (format.h), statistics (statistics.h) or files (npy.h).
#ifndef HLOSCOPE_CORE_LITERAL_VALUE_H_
#define HLOSCOPE_CORE_LITERAL_VALUE_H_

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "core/shape/shape.h"

namespace hloscope {

// Counts bytes of live buffers and their high-water mark. One for each process use; Buffers made with none go uncounted.
// Buffers share the figures, so a Value may outlive the account that it is booked on (and the Machine that it comes from).
class MemoryAccount {
 public:
  MemoryAccount() : figures_(std::make_shared<Figures>()) {}
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;
  int64_t live() const { return figures_->live.load(std::memory_order_relaxed); }
  int64_t peak() const { return figures_->peak.load(std::memory_order_relaxed); }
  void ResetPeak() { figures_->peak.store(live(), std::memory_order_relaxed); }

 private:
  friend class Buffer;
  struct Figures {
    void Add(int64_t bytes);
    void Subtract(int64_t bytes) { live.fetch_sub(bytes, std::memory_order_relaxed); }
    std::atomic<int64_t> live{0};
    std::atomic<int64_t> peak{0};
  };
  const std::shared_ptr<Figures> figures_;
};

// Where a buffer's bytes are besides here, or instead: in another process, say.
class Elsewhere {
 public:
  virtual ~Elsewhere() = default;
  virtual void Fetch(std::byte* to, int64_t size) = 0;
};

// 64-byte aligned bytes, with at least 64 readable (not writable) bytes after the end, so that vector loads may overrun.
// Freed blocks are kept in a process-wide free list of size classes (buffer_pool in value.cc) so that loops do not fault pages anew.
class Buffer {
 public:
  static std::shared_ptr<Buffer> Allocate(int64_t size, MemoryAccount* account);  // uninitialised
  // Bytes that are elsewhere until somebody here looks at them; booked from now on.
  static std::shared_ptr<Buffer> Of(int64_t size, std::unique_ptr<Elsewhere> elsewhere, MemoryAccount* account);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::byte* data() const {
    std::byte* data = data_.load(std::memory_order_acquire);
    return data != nullptr ? data : Fetched();
  }
  // For who writes: what is elsewhere is not the same any more.
  std::byte* mutable_data() {
    std::byte* data = this->data();
    if (elsewhere_ != nullptr) elsewhere_.reset();
    return data;
  }
  int64_t size() const { return size_; }
  // Null: the bytes are only here. For one thread at a time.
  Elsewhere* elsewhere() const { return elsewhere_.get(); }
  void AlsoAt(std::unique_ptr<Elsewhere> elsewhere) const { elsewhere_ = std::move(elsewhere); }

 private:
  Buffer() = default;
  std::byte* Fetched() const;
  mutable std::atomic<std::byte*> data_{nullptr};
  int64_t size_ = 0;
  mutable int64_t capacity_ = 0;
  mutable std::unique_ptr<Elsewhere> elsewhere_;
  std::shared_ptr<MemoryAccount::Figures> account_;  // null: uncounted
};

// An array value views a whole Buffer. Treat as immutable once shared: mutable_data() is for whoever just allocated it, and for
// kernels that were given the last reference (see `unique`).
class Value {
 public:
  Value() = default;  // no value
  // A dense array, to be filled in row-major order: the shape's layout is dropped where it says otherwise.
  static Value Allocate(const Shape& array_shape, MemoryAccount* account = nullptr);
  // An array in the layout of its shape; whoever fills it knows where elements and padding go.
  static Value AllocateInLayout(const Shape& array_shape, MemoryAccount* account = nullptr);
  // Dense, like Allocate: the bytes are in row-major order.
  static Value FromBytes(const Shape& array_shape, absl::Span<const std::byte> bytes, MemoryAccount* account = nullptr);
  // An array in the layout of its shape, whose bytes are the buffer's.
  static Value OfBuffer(const Shape& array_shape, std::shared_ptr<Buffer> buffer);
  static Value Tuple(const Shape& shape, std::vector<Value> elements);
  static Value Token();
  template <typename T>
  static Value Scalar(ElementType type, T x) {  // T must be the storage type
    return FromBytes(Shape::Scalar(type), absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&x), sizeof(T)));
  }

  bool has_value() const { return has_value_; }
  const Shape& shape() const { return shape_; }
  // Row-major, nothing packed or padded; true for tuples when it is for all elements, and for tokens.
  bool IsDense() const { return elements_ != nullptr ? ElementsAreDense() : shape_.IsStoredDense(); }
  // Of dense arrays only.
  const std::byte* data() const {
    assert(shape_.IsStoredDense() || shape_.IsTuple());
    return buffer_ ? buffer_->data() : nullptr;
  }
  std::byte* mutable_data() {
    assert(shape_.IsStoredDense() || shape_.IsTuple());
    return buffer_ ? buffer_->mutable_data() : nullptr;
  }
  // The bytes as they lie, whatever the layout.
  const std::byte* physical_data() const { return buffer_ ? buffer_->data() : nullptr; }
  std::byte* mutable_physical_data() { return buffer_ ? buffer_->mutable_data() : nullptr; }
  template <typename T>
  const T* as() const { return reinterpret_cast<const T*>(data()); }
  template <typename T>
  T* mutable_as() { return reinterpret_cast<T*>(mutable_data()); }
  int64_t element_count() const { return shape_.ElementCount(); }
  // As it is held, padding counted; for a tuple the sum over its leaves.
  int64_t byte_size() const { return shape_.IsTuple() ? TupleByteSize() : shape_.ByteSize(); }
  absl::Span<const Value> elements() const { return elements_ ? absl::Span<const Value>(*elements_) : absl::Span<const Value>(); }
  // True when this array Value is the only holder of its buffer, so a kernel may overwrite it.
  bool unique() const {
    if (buffer_ == nullptr || buffer_.use_count() != 1) return false;
    std::atomic_thread_fence(std::memory_order_acquire);  // what others read before they let go of it happened before we write
    return true;
  }
  const Buffer* buffer() const { return buffer_.get(); }
  // The same dense bytes under another shape with as many (reshape, bitcast); its layout is dropped where it is not dense. Shares the
  // buffer. Of dense arrays only.
  Value WithShape(const Shape& shape) const;
  // The bytes as they lie under another shape whose layout takes as many. Shares the buffer.
  Value PhysicalAs(const Shape& shape) const&;
  Value PhysicalAs(const Shape& shape) &&;  // keeps its only holder the only one
  // Moves a tuple's elements out if this is their only holder, else copies the handles.
  std::vector<Value> TakeElements() &&;
  // Element for element and bit for bit, tuples too, whatever the layouts; shapes must be Compatible.
  static bool BitEqual(const Value& a, const Value& b);

 private:
  bool ElementsAreDense() const;
  int64_t TupleByteSize() const;
  Shape shape_;
  std::shared_ptr<Buffer> buffer_;
  std::shared_ptr<std::vector<Value>> elements_;
  bool has_value_ = false;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_VALUE_H_
