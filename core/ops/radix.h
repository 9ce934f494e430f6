// Sorting by counting: entries ordered by some bits of theirs, stably, in passes over 8 or 11 bits at a time. Large arrays in chunks side by
// side. Not for what an order is (comparator.h) nor for which way a sort goes (sort.cc).
#ifndef HLOSCOPE_CORE_OPS_RADIX_H_
#define HLOSCOPE_CORE_OPS_RADIX_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
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

// Where sorted entries go: to[place * stride] = make(entry). Stride: int64_t, or kDense.
template <typename T, typename Stride, typename Make>
struct SortedInto {
  T* to;
  Stride stride;
  Make make;
  void operator()(int64_t place, auto entry) const { to[place * stride] = make(entry); }
  const T* Address(int64_t place) const { return to + place * stride; }
};
template <typename T, typename Stride, typename Make>
SortedInto(T*, Stride, Make) -> SortedInto<T, Stride, Make>;
inline constexpr std::integral_constant<int64_t, 1> kDense{};

inline constexpr int kCountCopies = 2;  // of each count: neighbours are often equal, and each increment would wait for the one before

// The smallest n for which passes pay; below, sort the entries otherwise.
inline constexpr int64_t kLeastRadix = 256;

// Counts kDigits digits of the entries shifted right by `low`, kWidth bits each, into counts[copy][digit][value]. Neither this nor the next is
// inlined, and all is passed by value: what is kept elsewhere would be read again after each store.
template <int kWidth, int kDigits, typename Source>
[[gnu::noinline]] void CountDigits(uint32_t* counts, int64_t copy, int low, int64_t begin, int64_t end, const Source at) {
  constexpr int64_t kValues = int64_t{1} << kWidth;
  const auto count = [low](auto entry, uint32_t* into) {
    entry >>= low;
    for (int d = 0; d < kDigits; ++d) ++into[d * kValues + static_cast<int64_t>((entry >> (d * kWidth)) & (kValues - 1))];
  };
  int64_t i = begin;
  for (; i + kCountCopies <= end; i += kCountCopies) {
    for (int k = 0; k < kCountCopies; ++k) count(at(i + k), counts + k * copy);
  }
  for (; i < end; ++i) count(at(i), counts);
}
// kFar: the places are too many for the nearest cache. Then the line that an entry goes to is fetched some entries before: about where it will
// be, as others of its digit may come in between.
template <bool kFar, typename Source, typename Sink>
[[gnu::noinline]] void PutByDigit(uint32_t* starts, int shift, uint32_t digit, int64_t begin, int64_t end, const Source at, const Sink put) {
  constexpr int64_t kAhead = 32, kUnrolled = 4;
  const auto move = [=](int64_t i) {
    const auto e = at(i);
    put(starts[static_cast<uint32_t>(e >> shift) & digit]++, e);
  };
  int64_t i = begin;
  for (; kFar && i + kUnrolled + kAhead <= end; i += kUnrolled) {
    for (int64_t k = i; k < i + kUnrolled; ++k) {
      move(k);
      __builtin_prefetch(put.Address(starts[static_cast<uint32_t>(at(k + kAhead) >> shift) & digit]), 1);
    }
  }
  for (; i < end; ++i) move(i);
}

enum class RadixEnd { kSorted, kUnusual, kNoMemory };  // but for kSorted, what was given to sink means nothing

// Orders source(0), ..., source(n - 1) by the bits of `mask`, which are side by side (the others are along for the ride, or equal in all), and
// calls sink(place, entry), a SortedInto, once for each place. n is below 2^32. Entries are unsigned words; source may be asked several times, sink is called from
// several threads. Each part of the entries is first shown to usual(begin, end): where that is false, nothing is sorted. In digits of kWidth bits.
template <int kWidth, typename Entry, typename Usual, typename Source, typename Sink>
RadixEnd SortByDigits(const EvalContext& context, int64_t n, Entry mask, RadixScratch<Entry>& s, Usual usual, Source source, Sink sink) {
  constexpr int64_t kBlock = int64_t{1} << 12;  // looked at twice while it lies near
  const int64_t chunk = context.parallel ? int64_t{1} << 18 : n;  // the order does not depend on it
  const int64_t chunks = (n + chunk - 1) / chunk;
  const auto each_chunk = [&](auto body) {
    context.ParallelFor(chunks, 1, [&](int64_t first, int64_t last) {
      for (int64_t c = first; c < last; ++c) body(c, c * chunk, std::min(n, (c + 1) * chunk));
    });
  };
  constexpr int64_t kValues = int64_t{1} << kWidth;
  const int low = std::countr_zero(mask), digits = (std::bit_width(mask) - low + kWidth - 1) / kWidth;
  const int64_t copy = digits * kValues, each = kCountCopies * copy;
  s.counts.assign(chunks * each, 0);
  s.starts.resize(chunks * kValues);
  const auto count = [&](int64_t c, int first, int last, int64_t begin, int64_t end, const auto at) {
    for (int d = first; d < last; d += 3) {
      uint32_t* counts = s.counts.data() + c * each + d * kValues;
      if (last - d == 1) CountDigits<kWidth, 1>(counts, copy, low + d * kWidth, begin, end, at);
      if (last - d == 2) CountDigits<kWidth, 2>(counts, copy, low + d * kWidth, begin, end, at);
      if (last - d >= 3) CountDigits<kWidth, 3>(counts, copy, low + d * kWidth, begin, end, at);
    }
  };
  // The first walk counts the first digit and finds the bits in which entries differ at all. In one chunk it counts all digits, whose counts do not
  // depend there on how far things are sorted, and tell which of them differ.
  std::vector<Entry> differs(chunks, 0);
  std::vector<uint8_t> unusual(chunks, 0);
  const Entry example = source(0);
  each_chunk([&](int64_t c, int64_t begin, int64_t end) {
    Entry any = 0;
    for (int64_t from = begin; from < end && !unusual[c]; from += kBlock) {
      const int64_t to = std::min(end, from + kBlock);
      unusual[c] = !usual(from, to);
      for (int64_t i = from; chunks > 1 && i < to; ++i) any |= source(i) ^ example;
      count(c, 0, chunks == 1 ? digits : 1, from, to, source);
    }
    differs[c] = any & mask;
  });
  if (std::find(unusual.begin(), unusual.end(), 1) != unusual.end()) return RadixEnd::kUnusual;
  Entry varying = 0;
  for (const Entry d : differs) varying |= d;
  std::vector<int> passes;  // those in which anything moves
  for (int d = 0; d < digits; ++d) {
    const auto digit = [&](Entry e) { return static_cast<int64_t>(e >> (low + d * kWidth) & (kValues - 1)); };
    bool moves = digit(varying) != 0;
    if (chunks == 1) {
      int64_t alike = 0;
      for (int k = 0; k < kCountCopies; ++k) alike += s.counts[k * copy + d * kValues + digit(example)];
      moves = alike < n;
    }
    if (moves) passes.push_back(d);
  }
  if (passes.empty()) {
    for (int64_t i = 0; i < n; ++i) sink(i, source(i));
    return RadixEnd::kSorted;
  }
  Entry* const a = passes.size() > 1 ? s.Room(s.a, n) : nullptr;
  Entry* const b = passes.size() > 2 ? s.Room(s.b, n) : nullptr;
  if ((passes.size() > 1 && a == nullptr) || (passes.size() > 2 && b == nullptr)) return RadixEnd::kNoMemory;
  const Entry* from = nullptr;  // the first pass reads the source
  for (const int pass : passes) {
    const auto one_pass = [&](const auto at, const auto put) {
      if (pass > 0 && chunks > 1) {
        each_chunk([&](int64_t c, int64_t begin, int64_t end) { count(c, pass, pass + 1, begin, end, at); });
      }
      uint32_t place = 0;
      const uint32_t* counts = s.counts.data() + pass * kValues;
      uint32_t* starts = s.starts.data();
      if (chunks == 1) {
        for (int64_t v = 0; v < kValues; ++v) {
          starts[v] = place;
          for (int k = 0; k < kCountCopies; ++k) place += counts[k * copy + v];
        }
      }
      for (int64_t v = 0; chunks > 1 && v < kValues; ++v) {
        for (int64_t c = 0; c < chunks; ++c) {
          starts[c * kValues + v] = place;
          for (int k = 0; k < kCountCopies; ++k) place += counts[c * each + k * copy + v];
        }
      }
      each_chunk([&](int64_t c, int64_t begin, int64_t end) { PutByDigit<(kWidth > 8)>(s.starts.data() + c * kValues, low + pass * kWidth, kValues - 1, begin, end, at, put); });
    };
    Entry* to = pass == passes.back() ? nullptr : from == a ? b : a;
    const SortedInto store{to, kDense, [](Entry e) { return e; }};
    const auto load = [from](int64_t i) { return from[i]; };
    if (from == nullptr && to == nullptr) one_pass(source, sink);
    else if (from == nullptr) one_pass(source, store);
    else if (to == nullptr) one_pass(load, sink);
    else one_pass(load, store);
    from = to;
  }
  return RadixEnd::kSorted;
}

// The same in digits of a width that is good for so many entries and bits.
template <typename Entry, typename Usual, typename Source, typename Sink>
RadixEnd RadixSort(const EvalContext& context, int64_t n, Entry mask, RadixScratch<Entry>& s, Usual usual, Source source, Sink sink) {
  constexpr int64_t kSample = int64_t{1} << 12, kChunk = int64_t{1} << 18;
  const auto differing = [source, example = source(0)](int64_t begin, int64_t end) {
    Entry any = 0;
    for (int64_t i = begin; i < end; ++i) any |= source(i) ^ example;
    return any;
  };
  // Where some entries differ all over, no bit can be left out. Else all are asked.
  const auto whole = [mask](Entry varying) { return std::bit_width(varying & mask) + 11 > std::bit_width(mask) && std::countr_zero(varying & mask) < std::countr_zero(mask) + 11; };
  Entry varying = differing(0, std::min(n, kSample));
  if (n > kSample && !whole(varying)) {
    std::vector<Entry> of_chunk((n + kChunk - 1) / kChunk, 0);
    context.ParallelFor(static_cast<int64_t>(of_chunk.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) of_chunk[c] = differing(c * kChunk, std::min(n, (c + 1) * kChunk));
    });
    for (const Entry d : of_chunk) varying |= d;
  }
  varying &= mask;
  if (varying == 0) varying = mask;
  if (n <= kSample || !whole(varying)) {  // from the lowest to the highest of these bits
    const Entry from_low = static_cast<Entry>(~Entry{0}) << std::countr_zero(varying);
    mask &= from_low & static_cast<Entry>(~Entry{0}) >> std::countl_zero(varying);
  }
  const int bits = std::popcount(mask);
  const bool narrow = n < (1 << 14) || (bits > 11 && bits <= 16);
  return narrow ? SortByDigits<8>(context, n, mask, s, usual, source, sink) : SortByDigits<11>(context, n, mask, s, usual, source, sink);
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_RADIX_H_
