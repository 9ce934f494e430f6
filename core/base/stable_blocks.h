// Many objects of one type at addresses that never change, in a few large blocks: for what is made by the ten thousand and lives as
// long as its owner. Small at first, each block twice the one before; large blocks ask the system for large pages, because touching
// memory for the first time would cost more than filling it.
#ifndef HLOSCOPE_CORE_BASE_STABLE_BLOCKS_H_
#define HLOSCOPE_CORE_BASE_STABLE_BLOCKS_H_

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace hloscope {

template <typename T>
class StableBlocks {
 public:
  StableBlocks() = default;
  StableBlocks(const StableBlocks&) = delete;
  StableBlocks& operator=(const StableBlocks&) = delete;
  ~StableBlocks() {
    for (Block& block : blocks_) {
      std::destroy_n(block.items, block.used);
      std::free(block.items);
    }
  }

  T& Add() {
    if (blocks_.empty() || blocks_.back().used == blocks_.back().capacity) Grow();
    Block& block = blocks_.back();
    T* item = new (block.items + block.used) T();
    ++block.used;
    return *item;
  }

 private:
  static constexpr size_t kLargePage = size_t{1} << 21;
  struct Block {
    T* items;
    size_t capacity, used;
  };

  void Grow() {
    size_t bytes = std::max(sizeof(T), blocks_.empty() ? size_t{4096} : 2 * blocks_.back().capacity * sizeof(T));
    const bool large = bytes >= kLargePage / 4;
    if (large) bytes = kLargePage;
    blocks_.reserve(blocks_.size() + 1);
    const size_t alignment = large ? kLargePage : std::max<size_t>(64, alignof(T));
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: without it all works as well
#endif
    blocks_.push_back({static_cast<T*>(memory), bytes / sizeof(T), 0});
  }

  std::vector<Block> blocks_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_STABLE_BLOCKS_H_
