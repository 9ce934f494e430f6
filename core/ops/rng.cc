// rng: uniform and normal numbers from the session's seed; rng-get-and-update-state: a state from the same source.
#include <cmath>

#include "core/ops/counter_rng.h"
#include "core/ops/rules.h"
#include "core/ops/typed.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("rng.operand-arrays"))) return std::nullopt;
  const absl::string_view distribution = c.instruction().Text(AttrId::kDistribution);
  bool ok = true;
  if (distribution != "rng_uniform" && distribution != "rng_normal") {
    c.FailAttribute(AttrId::kDistribution, HLO_LABEL("rng.distribution"),
                    absl::StrCat("the distribution must be rng_uniform or rng_normal, not ", distribution));
    ok = false;
  }
  for (int k = 0; k < 2; ++k) {
    if (c.operand(k).rank() == 0 && c.operand(k).element_type() == c.operand(0).element_type()) continue;
    c.FailOperand(k, HLO_LABEL("rng.operand-scalars"),
                  absl::StrCat("both operands must be scalars of one type, operand ", k, " is ", TypeText(c.operand(k))));
    ok = false;
  }
  const ElementType type = c.operand(0).element_type();
  if (IsComplex(type) || (distribution == "rng_normal" && !IsFloat(type))) {
    c.Fail(HLO_LABEL("rng.element-type"), absl::StrCat(distribution, " makes no ", Name(type)));
    ok = false;
  }
  if (!c.written().IsArray() || c.written().element_type() != type) {
    c.Fail(HLO_LABEL("rng.shape"),
           absl::StrCat("the result must be written as an array of ", Name(type), ", it is ", TypeText(c.written())));
    ok = false;
  }
  if (!ok) return std::nullopt;
  return c.written().WithoutLayouts();
}

// Two 64-bit words for element e.
std::array<uint64_t, 2> Words(uint64_t seed, int64_t e) {
  const auto counter = Halves(static_cast<uint64_t>(e));
  const auto w = Philox4x32({counter[0], counter[1], 0, 0}, Halves(seed));
  return {Joined(w[0], w[1]), Joined(w[2], w[3])};
}
double Unit(uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }  // [0, 1)

absl::StatusOr<Value> Evaluate(const EvalContext& c) {
  const Shape& shape = c.instruction.shape;
  const ElementType type = shape.element_type();
  Value out = Value::Allocate(shape, c.account);
  std::byte* data = out.mutable_data();
  const int64_t n = out.element_count();
  if (!IsFloat(type)) {
    const int64_t a = LoadIntAt(type, c.operands[0].data(), 0), b = LoadIntAt(type, c.operands[1].data(), 0);
    const uint64_t range = IsPred(type) ? 2 : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
    for (int64_t e = 0; e < n; ++e) {
      const uint64_t word = Words(c.stream_seed, e)[0];
      const uint64_t v = IsPred(type) ? word & 1 : static_cast<uint64_t>(a) + (range == 0 ? 0 : word % range);
      StoreScalar(Scalar::Int(type, static_cast<int64_t>(v)), data + e * StorageBytes(type));
    }
    return out;
  }
  const double a = LoadFloatAt(type, c.operands[0].data(), 0), b = LoadFloatAt(type, c.operands[1].data(), 0);
  const bool normal = c.instruction.Text(AttrId::kDistribution) == "rng_normal";
  for (int64_t e = 0; e < n; ++e) {
    const auto w = Words(c.stream_seed, e);
    if (normal) {  // Box and Muller; 1 - u keeps the logarithm finite
      const double radius = std::sqrt(-2 * std::log(1 - Unit(w[0])));
      StoreFloatAt(type, data, e, a + b * radius * std::cos(6.283185307179586 * Unit(w[1])));
      continue;
    }
    StoreFloatAt(type, data, e, a + (b - a) * Unit(w[0]));
    if (LoadFloatAt(type, data, e) >= b && a < b) StoreFloatAt(type, data, e, a);  // rounding must not reach b
  }
  return out;
}

std::optional<Shape> InferState(ShapeContext& c) {
  const Shape& w = c.written();
  if (!w.IsArray() || w.element_type() != ElementType::kU64 || w.rank() != 1) {
    return c.Fail(HLO_LABEL("rng-get-and-update-state.shape"),
                  absl::StrCat("the result must be written as a vector of u64, it is ", TypeText(w)));
  }
  return w.WithoutLayouts();
}

absl::StatusOr<Value> EvaluateState(const EvalContext& c) {
  Value out = Value::Allocate(c.instruction.shape, c.account);
  for (int64_t e = 0; e < out.element_count(); ++e) out.mutable_as<uint64_t>()[e] = Words(c.stream_seed, e)[0];
  return out;
}

std::vector<Reach> ReachOfRng(const ReachQuestion& q) { return {q.Whole()}; }

}  // namespace

void DefineRng(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kRng);
  d.op_class = OpClass::kOpaque;
  d.movement = Movement::kCreate;
  d.min_operands = d.max_operands = 2;
  d.attributes = {{AttrId::kDistribution, true}};
  d.infer = Infer;
  d.evaluate = Evaluate;
  d.reach = ReachOfRng;
  d.opaque_reason = "its numbers come from the session's seed and the place of the run";
  d.summary = "random numbers, uniform in [a, b) or normal with mean and deviation";
  d.doc =
      "`rng_uniform(a, b)` is uniform in [a, b), `rng_normal(mu, sigma)` is normal. Element e is a pure function (Philox4x32-10) of the "
      "session's seed, the place in the run and e, so a replay gives the same numbers.";
  d.spec = "operations.md: Linear algebra and others";
  OpDef& s = r.Define(Opcode::kRngGetAndUpdateState);
  s.op_class = OpClass::kOpaque;
  s.movement = Movement::kCreate;
  s.has_side_effect = true;
  s.min_operands = s.max_operands = 0;
  s.attributes = {{AttrId::kDelta}};
  s.infer = InferState;
  s.evaluate = EvaluateState;
  s.opaque_reason = "it reads the session's random state";
  s.summary = "a random state for a generator";
  s.doc = "Gives words that differ at each place of a run and are the same in each replay; `delta` is accepted and changes nothing.";
  s.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
