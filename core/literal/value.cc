#include "core/literal/value.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/literal/relayout.h"

namespace hloscope {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kSlack = 64;                    // readable bytes after the end
constexpr int64_t kHugePage = int64_t{2} << 20;   // blocks from here on are aligned to and advised as huge pages
// Free blocks kept for reuse. Touching fresh pages costs more than most kernels do, so a training step must find the buffers of the one
// before; but blocks are only kept while blocks in use and kept ones together take less than half of the machine.
constexpr int64_t kKeepBytes = int64_t{3} << 30;

int64_t HalfOfMemory() {
  static const int64_t half = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / 2;
  return half;
}

// Free blocks by size class: four classes an octave, so at most a quarter is wasted and a loop finds its own blocks again.
class BufferPool {
 public:
  static BufferPool& Get() {
    static BufferPool* pool = new BufferPool;
    return *pool;
  }

  std::byte* Take(int64_t size, int64_t* capacity) {
    int bucket = BucketOf(size + kSlack, capacity);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      // A large request also takes a block of up to twice its size: fresh pages cost more than idle ones.
      const int last = *capacity >= 2 * kHugePage ? bucket + 4 : bucket;
      for (int b = bucket; b <= last; ++b) {
        std::vector<std::byte*>& free = free_[b];
        if (free.empty()) continue;
        std::byte* block = free.back();
        free.pop_back();
        if (b != bucket) *capacity = CapacityOf(b);
        kept_ -= *capacity;
        return block;
      }
      total_ += *capacity;
      if (kept_ > 0 && total_ > HalfOfMemory()) Release();
    }
    const bool huge = *capacity >= kHugePage;
    void* block = std::aligned_alloc(huge ? kHugePage : kAlignment, huge ? (*capacity + kHugePage - 1) / kHugePage * kHugePage : *capacity);
    if (block != nullptr && huge) madvise(block, *capacity, MADV_HUGEPAGE);
    if (block == nullptr) Forget(*capacity);
    return static_cast<std::byte*>(block);
  }

  void Give(std::byte* block, int64_t capacity) {
    int64_t rounded;
    int bucket = BucketOf(capacity, &rounded);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (kept_ + capacity <= kKeepBytes && total_ <= HalfOfMemory()) {
        free_[bucket].push_back(block);
        kept_ += capacity;
        return;
      }
      total_ -= capacity;
    }
    std::free(block);
  }

 private:
  void Forget(int64_t capacity) {
    std::lock_guard<std::mutex> lock(mutex_);
    total_ -= capacity;
  }

  // Rounds up to (4 + k) / 4 * 2^n, k in 0..3, and returns the class's number. Sizes that are classes map to themselves.
  static int BucketOf(int64_t size, int64_t* capacity) {
    if (size <= 256) {
      *capacity = (size + 63) / 64 * 64;
      return static_cast<int>(*capacity / 64);
    }
    int octave = 63 - __builtin_clzll(static_cast<uint64_t>(size - 1));
    int64_t quarter = int64_t{1} << (octave - 2);
    *capacity = (size + quarter - 1) / quarter * quarter;
    return 8 + octave * 4 + static_cast<int>(*capacity / quarter) - 5;
  }

  // The size of the blocks of a class above the smallest ones.
  static int64_t CapacityOf(int bucket) { return static_cast<int64_t>((bucket - 8) % 4 + 5) << ((bucket - 8) / 4 - 2); }

  // Hands all kept blocks back to the system. The mutex is held.
  void Release() {
    for (std::vector<std::byte*>& blocks : free_) {
      for (std::byte* block : blocks) std::free(block);
      blocks.clear();
    }
    total_ -= kept_;
    kept_ = 0;
  }

  std::mutex mutex_;
  std::vector<std::byte*> free_[8 + 64 * 4 + 4];
  int64_t kept_ = 0;
  int64_t total_ = 0;  // of blocks in use and kept
};

}  // namespace

void MemoryAccount::Figures::Add(int64_t bytes) {
  const int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t highest = peak.load(std::memory_order_relaxed);
  while (now > highest && !peak.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {
  }
}

std::shared_ptr<Buffer> Buffer::Allocate(int64_t size, MemoryAccount* account) {
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->size_ = size;
  std::byte* data = BufferPool::Get().Take(size, &buffer->capacity_);
  if (data == nullptr) return nullptr;
  buffer->data_.store(data, std::memory_order_relaxed);
  if (account != nullptr) {
    buffer->account_ = account->figures_;
    buffer->account_->Add(size);
  }
  return buffer;
}

std::shared_ptr<Buffer> Buffer::Of(int64_t size, std::unique_ptr<Elsewhere> elsewhere, MemoryAccount* account) {
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->size_ = size;
  buffer->elsewhere_ = std::move(elsewhere);
  if (account != nullptr) {
    buffer->account_ = account->figures_;
    buffer->account_->Add(size);
  }
  return buffer;
}

std::byte* Buffer::Fetched() const {
  static std::mutex fetching;
  std::lock_guard<std::mutex> lock(fetching);
  std::byte* data = data_.load(std::memory_order_acquire);
  if (data != nullptr || elsewhere_ == nullptr) return data;
  data = BufferPool::Get().Take(size_, &capacity_);
  if (data == nullptr) {
    std::fprintf(stderr, "hloscope: no memory for %lld bytes of a value that is in another process\n", static_cast<long long>(size_));
    std::exit(1);
  }
  elsewhere_->Fetch(data, size_);
  data_.store(data, std::memory_order_release);
  return data;
}

Buffer::~Buffer() {
  std::byte* data = data_.load(std::memory_order_acquire);
  if (data != nullptr) BufferPool::Get().Give(data, capacity_);
  if (account_ != nullptr) account_->Subtract(size_);
}

Value Value::Allocate(const Shape& shape, MemoryAccount* account) {
  return AllocateInLayout(shape.IsStoredDense() ? shape : shape.WithLayout(std::nullopt), account);
}

Value Value::AllocateInLayout(const Shape& shape, MemoryAccount* account) {
  Value value;
  value.shape_ = shape;
  value.buffer_ = Buffer::Allocate(shape.ByteSize(), account);
  value.has_value_ = value.buffer_ != nullptr;  // no value: out of memory
  return value;
}

Value Value::OfBuffer(const Shape& shape, std::shared_ptr<Buffer> buffer) {
  assert(shape.ByteSize() == buffer->size());
  Value value;
  value.shape_ = shape;
  value.buffer_ = std::move(buffer);
  value.has_value_ = true;
  return value;
}

Value Value::FromBytes(const Shape& shape, absl::Span<const std::byte> bytes, MemoryAccount* account) {
  assert(static_cast<int64_t>(bytes.size()) == shape.DenseByteSize());
  Value value = Allocate(shape, account);
  if (value.has_value_ && !bytes.empty()) memcpy(value.mutable_data(), bytes.data(), bytes.size());
  return value;
}

Value Value::Tuple(const Shape& shape, std::vector<Value> elements) {
  assert(shape.IsTuple() && shape.tuple_shapes().size() == elements.size());
  Value value;
  value.shape_ = shape;
  value.elements_ = std::make_shared<std::vector<Value>>(std::move(elements));
  value.has_value_ = true;
  return value;
}

Value Value::Token() {
  Value value;
  value.shape_ = Shape::Token();
  value.has_value_ = true;
  return value;
}

Value Value::WithShape(const Shape& shape) const {
  assert(shape_.IsStoredDense() && shape.DenseByteSize() == shape_.ByteSize());
  Value value = *this;
  value.shape_ = shape.IsStoredDense() ? shape : shape.WithLayout(std::nullopt);
  return value;
}

Value Value::PhysicalAs(const Shape& shape) const& { return Value(*this).PhysicalAs(shape); }

Value Value::PhysicalAs(const Shape& shape) && {
  assert(shape.ByteSize() == shape_.ByteSize());
  Value value = std::move(*this);
  value.shape_ = shape;
  return value;
}

bool Value::ElementsAreDense() const {
  for (const Value& element : *elements_) {
    if (!element.IsDense()) return false;
  }
  return true;
}

int64_t Value::TupleByteSize() const {
  int64_t sum = 0;
  for (const Value& element : elements()) sum += element.byte_size();
  return sum;
}

std::vector<Value> Value::TakeElements() && {
  if (elements_ == nullptr) return {};
  std::shared_ptr<std::vector<Value>> elements = std::move(elements_);
  has_value_ = false;
  if (elements.use_count() == 1) return std::move(*elements);
  return *elements;
}

bool Value::BitEqual(const Value& a, const Value& b) {
  if (a.has_value_ != b.has_value_ || !Shape::Compatible(a.shape_, b.shape_)) return false;
  if (a.shape_.IsTuple()) {
    for (size_t i = 0; i < a.elements().size(); ++i) {
      if (!BitEqual(a.elements()[i], b.elements()[i])) return false;
    }
    return true;
  }
  if (!a.shape_.IsArray() || a.element_count() == 0) return true;
  if (!a.IsDense() || !b.IsDense()) return BitEqual(ToDense(a), ToDense(b));
  return a.data() == b.data() || memcmp(a.data(), b.data(), a.byte_size()) == 0;
}

}  // namespace hloscope
