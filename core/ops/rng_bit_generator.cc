// rng-bit-generator: random bits from an explicit state, and the state that follows.
#include "core/ops/counter_rng.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

enum class Algorithm : uint8_t { kNone, kPhilox, kThreeFry };
Algorithm AlgorithmOf(const Instruction& i) {
  const absl::string_view name = i.Text(AttrId::kAlgorithm);
  if (name == "rng_three_fry") return Algorithm::kThreeFry;
  if (name == "rng_philox" || name == "rng_default") return Algorithm::kPhilox;
  return Algorithm::kNone;
}

std::optional<Shape> Infer(ShapeContext& c) {
  const Algorithm algorithm = AlgorithmOf(c.instruction());
  if (algorithm == Algorithm::kNone) {
    return c.FailAttribute(
        AttrId::kAlgorithm, HLO_LABEL("rng-bit-generator.algorithm"),
        absl::StrCat("the algorithm must be rng_default, rng_three_fry or rng_philox, not ", c.instruction().Text(AttrId::kAlgorithm)));
  }
  const Shape& state = c.operand(0);
  const bool length_fits =
      state.IsArray() && state.rank() == 1 && (state.dim(0) == 2 || (state.dim(0) == 3 && algorithm == Algorithm::kPhilox));
  if (!length_fits || state.element_type() != ElementType::kU64) {
    return c.FailOperand(
        0, HLO_LABEL("rng-bit-generator.state"),
        absl::StrCat("the state must be u64[2]", algorithm == Algorithm::kPhilox ? " or u64[3]" : "", ", it is ", TypeText(state)));
  }
  const Shape& w = c.written();
  const Shape bits = w.IsTuple() && w.tuple_shapes().size() == 2 ? w.tuple_shapes()[1] : Shape();
  if (!bits.IsArray() || (!IsInteger(bits.element_type()) && !IsFloat(bits.element_type()))) {
    return c.Fail(HLO_LABEL("rng-bit-generator.shape"),
                  absl::StrCat("the result must be written as (state, bits) with an array of numbers as bits, it is ", TypeText(w)));
  }
  return Shape::Tuple({state.WithoutLayouts(), bits.WithoutLayouts()});
}

// Writes the low bits of `v` as element e.
void StoreBits(ElementType type, Value& out, int64_t e, uint64_t v) {
  switch (StorageBytes(type)) {
    case 8: out.mutable_as<uint64_t>()[e] = v; return;
    case 4: out.mutable_as<uint32_t>()[e] = static_cast<uint32_t>(v); return;
    case 2: out.mutable_as<uint16_t>()[e] = static_cast<uint16_t>(v); return;
    default:
      if (BitWidth(type) < 8) {
        StoreScalar(Scalar::Int(type, static_cast<int64_t>(v)), out.mutable_data() + e);
      } else {
        out.mutable_as<uint8_t>()[e] = static_cast<uint8_t>(v);
      }
  }
}

// The 128-bit counter runs up by one for each block of four words; an element takes one word, or two when it is 64 bits wide.
void Philox(const uint64_t* state, bool wide_state, Value& bits, uint64_t* next) {
  const ElementType type = bits.shape().element_type();
  const int words = StorageBytes(type) == 8 ? 2 : 1;
  const int64_t n = bits.element_count(), per_block = 4 / words;
  const int64_t blocks = (n + per_block - 1) / per_block;
  const uint64_t low = state[1], high = wide_state ? state[2] : 0;
  for (int64_t b = 0; b < blocks; ++b) {
    const uint64_t at = low + static_cast<uint64_t>(b);
    const auto l = Halves(at), h = Halves(high + (at < low ? 1 : 0));
    const auto w = Philox4x32({l[0], l[1], h[0], h[1]}, Halves(state[0]));
    for (int64_t k = 0; k < per_block && b * per_block + k < n; ++k) {
      StoreBits(type, bits, b * per_block + k, words == 2 ? Joined(w[2 * k], w[2 * k + 1]) : w[k]);
    }
  }
  next[0] = state[0];
  next[1] = low + static_cast<uint64_t>(blocks);
  if (wide_state) next[2] = high + (next[1] < low ? 1 : 0);
}

// 32-bit (and narrower) elements come in pairs along one dimension, the first even one (else the largest): the block at the pair's place in
// the halved array gives the even and the odd element. 64-bit elements take a block each.
void ThreeFry(const uint64_t* state, Value& bits, uint64_t* next) {
  const ElementType type = bits.shape().element_type();
  const Shape& s = bits.shape();
  const int64_t n = bits.element_count();
  const auto key = Halves(state[0]);
  next[0] = state[0];
  if (StorageBytes(type) == 8) {
    for (int64_t e = 0; e < n; ++e) {
      const auto w = Threefry2x32(Halves(state[1] + static_cast<uint64_t>(e)), key);
      StoreBits(type, bits, e, Joined(w[0], w[1]));
    }
    next[1] = state[1] + static_cast<uint64_t>(n);
    return;
  }
  int split = -1;
  for (int d = 0; d < s.rank() && split < 0; ++d) {
    if (s.dim(d) % 2 == 0) split = d;
  }
  for (int d = 0; d < s.rank() && split < 0; ++d) {
    bool largest = true;
    for (int e = 0; e < s.rank(); ++e) largest = largest && (s.dim(e) < s.dim(d) || (s.dim(e) == s.dim(d) && e >= d));
    if (largest) split = d;
  }
  const int64_t size = split < 0 ? 1 : s.dim(split), half = (size + 1) / 2;
  int64_t inner = 1;
  for (int d = split + 1; split >= 0 && d < s.rank(); ++d) inner *= s.dim(d);
  const int64_t outer = size == 0 || inner == 0 ? 0 : n / (size * inner);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t h = 0; h < half; ++h) {
      for (int64_t i = 0; i < inner; ++i) {
        const auto w = Threefry2x32(Halves(state[1] + static_cast<uint64_t>((o * half + h) * inner + i)), key);
        StoreBits(type, bits, (o * size + 2 * h) * inner + i, w[0]);
        if (2 * h + 1 < size) StoreBits(type, bits, (o * size + 2 * h + 1) * inner + i, w[1]);
      }
    }
  }
  next[1] = state[1] + static_cast<uint64_t>(outer * half * inner);
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) {
  const Shape& shape = c.instruction.shape;
  Value state = Value::Allocate(shape.tuple_shapes()[0], c.account);
  Value bits = Value::Allocate(shape.tuple_shapes()[1], c.account);
  const uint64_t* before = c.operands[0].as<uint64_t>();
  if (AlgorithmOf(c.instruction) == Algorithm::kThreeFry) {
    ThreeFry(before, bits, state.mutable_as<uint64_t>());
  } else {
    Philox(before, c.operands[0].element_count() == 3, bits, state.mutable_as<uint64_t>());
  }
  return Value::Tuple(shape, {std::move(state), std::move(bits)});
}

// The key stays; the counter runs on, and its low word may carry into the high one.
std::vector<Reach> ReachOfBits(const ReachQuestion& q) {
  if (q.leaf == 1) return {q.Whole()};
  Reach own = q.Same(Reach::Kind::kValue);
  if (q.from.dim(0) != 3) return {own};
  Reach carry = q.Whole(Reach::Kind::kDecides);
  carry.relation.Is(IndexRelation::From(0), 1).Is(IndexRelation::To(0), 2);
  return {own, carry};
}

}  // namespace

void DefineRngBitGenerator(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kRngBitGenerator);
  d.op_class = OpClass::kOpaque;
  d.movement = Movement::kCreate;
  d.min_operands = d.max_operands = 1;
  d.attributes = {{AttrId::kAlgorithm, true}};
  d.infer = Infer;
  d.evaluate = Evaluate;
  d.reach = ReachOfBits;
  d.opaque_reason = "its bits come from a block cipher that makes several elements at once";
  d.summary = "random bits from a state, and the next state";
  d.doc =
      "The state's first word is the key, the rest the counter. `rng_philox` is Philox4x32-10 (state u64[3], or u64[2] with an upper "
      "counter "
      "of zero), `rng_three_fry` is Threefry2x32-20 (state u64[2]); `rng_default` is Philox. The same state always gives the same bits.";
  d.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
