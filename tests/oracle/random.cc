// rng-bit-generator of the oracle: the published generators, and how XLA deals their words out to elements.
#include "tests/oracle/random.h"

#include <vector>

#include "tests/oracle/arrays.h"

namespace hloscope::oracle {

std::array<uint32_t, 2> Threefry(std::array<uint32_t, 2> x, std::array<uint32_t, 2> key) {
  const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[3] = {key[0], key[1], 0x1BD11BDAu ^ key[0] ^ key[1]};
  x[0] += keys[0];
  x[1] += keys[1];
  for (uint32_t round = 0; round < 20; ++round) {
    const int by = rotations[round % 8];
    x[0] += x[1];
    x[1] = (x[1] << by | x[1] >> (32 - by)) ^ x[0];
    if (round % 4 == 3) {
      const uint32_t injection = round / 4 + 1;
      x[0] += keys[injection % 3];
      x[1] += keys[(injection + 1) % 3] + injection;
    }
  }
  return x;
}

std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> x, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * x[0], b = uint64_t{0xCD9E8D57u} * x[2];
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ key[0], static_cast<uint32_t>(b), static_cast<uint32_t>(a >> 32) ^ x[3] ^ key[1],
         static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return x;
}

namespace {

std::array<uint32_t, 2> Halves(uint64_t v) { return {static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32)}; }
Number FromWord(ElementType type, uint64_t bits) { return FromBits(type, bits); }

void FillPhilox(const Array& state, Array& new_state, Array& bits) {
  const uint64_t key = state.elements[0].i;
  unsigned __int128 counter = static_cast<uint64_t>(state.elements[1].i);
  if (state.size() > 2) counter |= static_cast<unsigned __int128>(static_cast<uint64_t>(state.elements[2].i)) << 64;
  const int words_each = BitWidth(bits.type()) > 32 ? 2 : 1;
  const int64_t words = bits.size() * words_each, blocks = (words + 3) / 4;
  std::vector<uint32_t> stream;
  for (int64_t b = 0; b < blocks; ++b) {
    const unsigned __int128 c = counter + static_cast<uint64_t>(b);
    const auto low = Halves(static_cast<uint64_t>(c)), high = Halves(static_cast<uint64_t>(c >> 64));
    for (uint32_t w : Philox({low[0], low[1], high[0], high[1]}, Halves(key))) stream.push_back(w);
  }
  for (int64_t e = 0; e < bits.size(); ++e) {
    const uint64_t v = words_each == 1 ? stream[e] : stream[2 * e] | static_cast<uint64_t>(stream[2 * e + 1]) << 32;
    bits.elements[e] = FromWord(bits.type(), v);
  }
  new_state = state;
  counter += static_cast<uint64_t>(blocks);
  new_state.elements[1] = Int(static_cast<int64_t>(static_cast<uint64_t>(counter)));
  if (state.size() > 2) new_state.elements[2] = Int(static_cast<int64_t>(static_cast<uint64_t>(counter >> 64)));
}

// A block makes two words. Words of 32 bits lie next to each other along one dimension: the first even one, else the longest.
void FillThreefry(const Array& state, Array& new_state, Array& bits) {
  const auto key = Halves(state.elements[0].i);
  const uint64_t counter = static_cast<uint64_t>(state.elements[1].i);
  uint64_t blocks = 0;
  if (BitWidth(bits.type()) > 32) {
    blocks = bits.elements.size();
    for (int64_t e = 0; e < bits.size(); ++e) {
      const auto x = Threefry(Halves(counter + static_cast<uint64_t>(e)), key);
      bits.elements[e] = FromWord(bits.type(), x[0] | static_cast<uint64_t>(x[1]) << 32);
    }
  } else if (bits.shape.rank() == 0) {
    blocks = 1;
    bits.elements[0] = FromWord(bits.type(), Threefry(Halves(counter), key)[0]);
  } else {
    int split = -1;
    for (int d = 0; d < bits.shape.rank() && split < 0; ++d) {
      if (bits.shape.dim(d) % 2 == 0) split = d;
    }
    for (int d = 0; split < 0 && d < bits.shape.rank(); ++d) {
      bool longest = true;
      for (int e = 0; e < bits.shape.rank(); ++e) longest &= bits.shape.dim(e) < bits.shape.dim(d) || (bits.shape.dim(e) == bits.shape.dim(d) && e >= d);
      if (longest) split = d;
    }
    Index half = Dims(bits.shape);
    half[split] = (half[split] + 1) / 2;
    ForEach(half, [&](const Index& h) {
      const auto x = Threefry(Halves(counter + blocks), key);
      ++blocks;
      for (int w = 0; w < 2; ++w) {
        Index at = h;
        at[split] = 2 * h[split] + w;
        if (at[split] < bits.shape.dim(split)) bits.at(at) = FromWord(bits.type(), x[w]);
      }
    });
  }
  new_state = state;
  new_state.elements[1] = Int(static_cast<int64_t>(counter + blocks));
}

}  // namespace

absl::StatusOr<Array> RandomBits(const Instruction& instruction, Operands operands) {
  if (instruction.opcode == Opcode::kRng || instruction.opcode == Opcode::kRngGetAndUpdateState) {
    Array out(instruction.shape);
    SetUnknown(out);  // seeded by the run, not by the program
    return out;
  }
  if (instruction.opcode != Opcode::kRngBitGenerator) return absl::NotFoundError("no random numbers");
  Array out(instruction.shape);
  if (HasUnknown(*operands[0])) {
    SetUnknown(out);
    return out;
  }
  Array state = *operands[0];
  if (instruction.Text(AttrId::kAlgorithm) == "rng_three_fry") {
    FillThreefry(state, out.parts[0], out.parts[1]);
  } else {
    FillPhilox(state, out.parts[0], out.parts[1]);
  }
  return out;
}

}  // namespace hloscope::oracle
