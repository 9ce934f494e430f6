// Sorting by counting: entries ordered by some bits of theirs, stably, in passes over 8 or 11 bits at a time. Large arrays in chunks side by
// side. Not for what an order is (comparator.h) nor for which way a sort goes (sort.cc).
#ifndef HLOSCOPE_CORE_OPS_RADIX_H_
#define HLOSCOPE_CORE_OPS_RADIX_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/ops/op.h"

namespace hloscope {

// Scratch of one thread, kept from line to line.
template <typename Entry>
struct RadixScratch {
  Value a, b;  // not vectors: fresh pages would cost as much as a pass
  std::vector<uint32_t> counts;
  std::vector<uint32_t> starts;
  static Entry* Room(Value& v, int64_t n) {
    if (!v.has_value() || v.element_count() < n) v = Value::Allocate(Shape::Array(sizeof(Entry) == 8 ? ElementType::kU64 : ElementType::kU32, {n}));
    return v.template mutable_as<Entry>();  // null: no memory
  }
};

inline constexpr int kCountCopies = 4;  // of each count: neighbours are often equal, and each increment would wait for the one before

// The smallest n for which passes pay; below, sort the entries otherwise.
inline constexpr int64_t kLeastRadix = 256;

// All by value: what is read by reference would be read again after each store.
template <typename Source, typename Digit>
void CountDigits(uint32_t* counts, int64_t values, int64_t begin, int64_t end, const Source at, const Digit digit) {
  int64_t i = begin;
  for (; i + kCountCopies <= end; i += kCountCopies) {
    for (int k = 0; k < kCountCopies; ++k) ++counts[k * values + digit(at(i + k))];
  }
  for (; i < end; ++i) ++counts[digit(at(i))];
}
template <typename Source, typename Digit, typename Sink>
void PutByDigit(uint32_t* starts, int64_t begin, int64_t end, const Source at, const Digit digit, const Sink put) {
  for (int64_t i = begin; i < end; ++i) {
    const auto e = at(i);
    put(starts[digit(e)]++, e);
  }
}

// Orders source(0), ..., source(n - 1) by the bits of `mask` (the others are along for the ride) and calls sink(place, entry) once for each
// place. n is below 2^32. Entries are unsigned words; source may be asked several times, sink is called from several threads.
// False, with nothing given to sink: no memory.
template <typename Entry, typename Source, typename Sink>
bool RadixSort(const EvalContext& context, int64_t n, Entry mask, RadixScratch<Entry>& s, Source source, Sink sink) {
  constexpr int64_t kChunk = int64_t{1} << 18;
  constexpr int kCopies = kCountCopies;
  const int64_t chunks = (n + kChunk - 1) / kChunk;
  const auto each_chunk = [&](auto body) {
    context.ParallelFor(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) body(c, c * kChunk, std::min(n, (c + 1) * kChunk));
    });
  };
  // The bits in which entries differ at all.
  std::vector<Entry> differs(chunks, 0);
  const Entry first = source(0);
  each_chunk([&](int64_t c, int64_t begin, int64_t end) {
    Entry any = 0;
    for (int64_t i = begin; i < end; ++i) any |= source(i) ^ first;
    differs[c] = any & mask;
  });
  Entry varying = 0;
  for (Entry d : differs) varying |= d;
  if (varying == 0) {
    for (int64_t i = 0; i < n; ++i) sink(i, source(i));
    return true;
  }
  const int low = std::countr_zero(varying), bits = std::bit_width(varying) - low;
  const int most = n >= (1 << 14) ? 11 : 8;
  const int passes = (bits + most - 1) / most, width = (bits + passes - 1) / passes;
  const int64_t values = int64_t{1} << width;
  Entry* const a = passes > 1 ? s.Room(s.a, n) : nullptr;
  Entry* const b = passes > 2 ? s.Room(s.b, n) : nullptr;
  if ((passes > 1 && a == nullptr) || (passes > 2 && b == nullptr)) return false;
  s.counts.resize(chunks * kCopies * values);
  s.starts.resize(chunks * values);
  const Entry* from = nullptr;  // the first pass reads the source
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = low + pass * width;
    const auto digit = [shift, low_bits = static_cast<uint32_t>(values - 1)](Entry e) { return static_cast<uint32_t>(e >> shift) & low_bits; };
    const auto one_pass = [&](const auto at, const auto put) {
      each_chunk([&](int64_t c, int64_t begin, int64_t end) {
        uint32_t* count = s.counts.data() + c * kCopies * values;
        std::fill(count, count + kCopies * values, 0);
        CountDigits(count, values, begin, end, at, digit);
      });
      uint32_t place = 0;
      for (int64_t v = 0; v < values; ++v) {
        for (int64_t c = 0; c < chunks; ++c) {
          s.starts[c * values + v] = place;
          for (int k = 0; k < kCopies; ++k) place += s.counts[(c * kCopies + k) * values + v];
        }
      }
      each_chunk([&](int64_t c, int64_t begin, int64_t end) { PutByDigit(s.starts.data() + c * values, begin, end, at, digit, put); });
    };
    Entry* to = pass + 1 == passes ? nullptr : pass % 2 == 0 ? a : b;
    const auto store = [to](int64_t place, Entry e) { to[place] = e; };
    const auto load = [from](int64_t i) { return from[i]; };
    if (from == nullptr && to == nullptr) one_pass(source, sink);
    else if (from == nullptr) one_pass(source, store);
    else if (to == nullptr) one_pass(load, sink);
    else one_pass(load, store);
    from = to;
  }
  return true;
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_RADIX_H_
