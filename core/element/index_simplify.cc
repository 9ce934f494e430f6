// Simplification of s64 index arithmetic: affine sums, floordiv and mod, ranges, comparisons.
//
// Every sum is kept as constant + sum c_i * atom_i. A row-major delinearisation makes digits of a number x: (x floordiv step) mod count.
// Two neighbouring digits that a sum joins again, c * digit(step, count) + c * count * digit(step * count, m), are one wider digit; so
// any chain of reshapes ends in the simplest index. Identities of sums hold modulo 2^64; floordiv and mod take their arguments to be
// true integers, which indices are.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "core/element/expr.h"
#include "core/element/scalar_eval.h"

namespace hloscope {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr std::pair<int64_t, int64_t> kUnknown{kMin, kMax};
// Longer sums are left as written: they are data, not indices.
constexpr size_t kMaxTerms = 24;

using Bounds = std::pair<int64_t, int64_t>;

int64_t WrapAdd(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
int64_t WrapMul(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }
int64_t DivFloor(int64_t a, int64_t d) { return a / d - (a % d < 0); }  // d > 0
int64_t ModFloor(int64_t a, int64_t d) { return a % d < 0 ? a % d + d : a % d; }

Bounds AddBounds(Bounds a, Bounds b) {
  Bounds r;
  if (a == kUnknown || b == kUnknown || __builtin_add_overflow(a.first, b.first, &r.first) ||
      __builtin_add_overflow(a.second, b.second, &r.second)) {
    return kUnknown;
  }
  return r;
}

Bounds MulBounds(Bounds a, Bounds b) {
  if (a == kUnknown || b == kUnknown) return kUnknown;
  Bounds r{kMax, kMin};
  for (int64_t x : {a.first, a.second}) {
    for (int64_t y : {b.first, b.second}) {
      int64_t p;
      if (__builtin_mul_overflow(x, y, &p)) return kUnknown;
      r.first = std::min(r.first, p);
      r.second = std::max(r.second, p);
    }
  }
  return r;
}

Bounds TypeBounds(ElementType t) {
  if (IsPred(t)) return {0, 1};
  if (!IsInteger(t) || BitWidth(t) == 64) return kUnknown;
  if (IsUnsigned(t)) return {0, (int64_t{1} << BitWidth(t)) - 1};
  return {-(int64_t{1} << (BitWidth(t) - 1)), (int64_t{1} << (BitWidth(t) - 1)) - 1};
}

}  // namespace

std::pair<int64_t, int64_t> ExprGraph::ComputeRange(const Node& n) const {
  const Bounds type = TypeBounds(n.type);
  switch (n.kind) {
    case NodeKind::kIndex: return {0, std::max<int64_t>(var_extents_[n.var] - 1, 0)};
    case NodeKind::kConstant:
      if (IsInteger(n.type) || IsPred(n.type)) return {n.constant.i, n.constant.i};
      return kUnknown;
    case NodeKind::kSelect: {
      const Bounds a = ranges_[n.inputs[1]], b = ranges_[n.inputs[2]];
      return {std::min(a.first, b.first), std::max(a.second, b.second)};
    }
    case NodeKind::kLoad:
    case NodeKind::kFold:
    case NodeKind::kFoldResult:
    case NodeKind::kAccumulator: return type;
    case NodeKind::kScalarOp: break;
  }
  if (n.op == ScalarOp::kConvert) {
    const Bounds a = ranges_[n.inputs[0]];
    if (!IsInteger(nodes_[n.inputs[0]].type) && !IsPred(nodes_[n.inputs[0]].type)) return type;
    if (type == kUnknown) return n.type == ElementType::kU64 && a.first < 0 ? kUnknown : a;
    return a.first >= type.first && a.second <= type.second ? a : type;
  }
  if (n.type != ElementType::kS64 || n.inputs.size() != 2) return type;
  const Bounds a = ranges_[n.inputs[0]], b = ranges_[n.inputs[1]];
  switch (n.op) {
    case ScalarOp::kAdd: return AddBounds(a, b);
    case ScalarOp::kSubtract: return AddBounds(a, MulBounds(b, {-1, -1}));
    case ScalarOp::kMultiply: return MulBounds(a, b);
    case ScalarOp::kMaximum: return {std::max(a.first, b.first), std::max(a.second, b.second)};
    case ScalarOp::kMinimum: return {std::min(a.first, b.first), std::min(a.second, b.second)};
    case ScalarOp::kFloorDiv:
      if (b.first != b.second || b.first <= 0 || a == kUnknown) return kUnknown;
      return {DivFloor(a.first, b.first), DivFloor(a.second, b.first)};
    case ScalarOp::kMod:
      if (b.first != b.second || b.first <= 0) return kUnknown;
      if (a.first >= 0 && a.second < b.first) return a;
      return {0, b.first - 1};
    default: return kUnknown;
  }
}

std::pair<int64_t, int64_t> ExprGraph::AffineRange(const Affine& affine) const {
  Bounds r{affine.constant, affine.constant};
  for (const auto& [node, c] : affine.terms) r = AddBounds(r, MulBounds(ranges_[node], {c, c}));
  return r;
}

// Adds factor * node; false when the sum gets too long.
bool ExprGraph::AddToAffine(NodeId id, int64_t factor, Affine& affine) const {
  const Node& n = nodes_[id];
  if (n.kind == NodeKind::kConstant) {
    affine.constant = WrapAdd(affine.constant, WrapMul(factor, n.constant.i));
    return true;
  }
  if (n.kind == NodeKind::kScalarOp && n.inputs.size() == 2 && !HasAccumulator(id)) {
    const NodeId a = n.inputs[0], b = n.inputs[1];
    if (n.op == ScalarOp::kAdd) return AddToAffine(a, factor, affine) && AddToAffine(b, factor, affine);
    if (n.op == ScalarOp::kSubtract) return AddToAffine(a, factor, affine) && AddToAffine(b, WrapMul(factor, -1), affine);
    if (n.op == ScalarOp::kMultiply && nodes_[b].kind == NodeKind::kConstant)
      return AddToAffine(a, WrapMul(factor, nodes_[b].constant.i), affine);
    if (n.op == ScalarOp::kMultiply && nodes_[a].kind == NodeKind::kConstant)
      return AddToAffine(b, WrapMul(factor, nodes_[a].constant.i), affine);
  }
  auto it = std::lower_bound(affine.terms.begin(), affine.terms.end(), id, [](const auto& term, NodeId node) { return term.first < node; });
  if (it != affine.terms.end() && it->first == id) {
    it->second = WrapAdd(it->second, factor);
    if (it->second == 0) affine.terms.erase(it);
    return true;
  }
  if (affine.terms.size() >= kMaxTerms) return false;
  if (factor != 0) affine.terms.insert(it, {id, factor});
  return true;
}

ExprGraph::Affine ExprGraph::ToAffine(NodeId id) const {
  Affine affine;
  if (AddToAffine(id, 1, affine)) return affine;
  return {0, {{id, 1}}};
}

ExprGraph::Digit ExprGraph::ToDigit(NodeId id) const {
  Digit digit{id, 1, 0};
  const auto is = [&](NodeId n, ScalarOp op) {
    return nodes_[n].kind == NodeKind::kScalarOp && nodes_[n].op == op && nodes_[nodes_[n].inputs[1]].kind == NodeKind::kConstant;
  };
  if (is(digit.x, ScalarOp::kMod)) {
    if (nodes_[nodes_[digit.x].inputs[1]].constant.i <= 0) return digit;
    digit.count = nodes_[nodes_[digit.x].inputs[1]].constant.i;
    digit.x = nodes_[digit.x].inputs[0];
  }
  if (is(digit.x, ScalarOp::kFloorDiv)) {
    digit.step = nodes_[nodes_[digit.x].inputs[1]].constant.i;
    digit.x = nodes_[digit.x].inputs[0];
  }
  return digit;
}

// The number y with y mod low.count == low and y floordiv low.count == high, or kNoNode. `step` is low.step * low.count. With z the number
// x floordiv low.step, high is z floordiv count itself, or (r + z floordiv count) mod m, which makes y = (r count + z) mod (count m).
NodeId ExprGraph::JoinDigits(const Digit& low, NodeId high, int64_t step) {
  const Digit digit = ToDigit(high);
  if (digit.x == low.x && digit.step == step && digit.count == 0) return FloorDiv(low.x, low.step);
  const Node& n = nodes_[high];
  int64_t count;
  if (n.kind != NodeKind::kScalarOp || n.op != ScalarOp::kMod || nodes_[n.inputs[1]].kind != NodeKind::kConstant ||
      __builtin_mul_overflow(low.count, nodes_[n.inputs[1]].constant.i, &count) || count <= 0) {
    return kNoNode;
  }
  const Affine argument = ToAffine(n.inputs[0]);
  for (const auto& [node, c] : argument.terms) {
    const Digit inner = ToDigit(node);
    if (c != 1 || inner.x != low.x || inner.step != step || inner.count != 0) continue;
    Affine number;
    if (__builtin_mul_overflow(argument.constant, low.count, &number.constant)) return kNoNode;
    for (const auto& [other, factor] : argument.terms) {
      int64_t product;
      if (__builtin_mul_overflow(factor, low.count, &product)) return kNoNode;
      if (other != node) number.terms.push_back({other, product});
    }
    if (!AddToAffine(FloorDiv(low.x, low.step), 1, number)) return kNoNode;
    return Mod(FromAffine(number), count);
  }
  return kNoNode;
}

// Joins one pair of neighbouring digits; true when it found one.
bool ExprGraph::CombineDigits(Affine& affine) {
  for (size_t i = 0; i < affine.terms.size(); ++i) {
    const auto [low_node, low_factor] = affine.terms[i];
    const Digit low = ToDigit(low_node);
    if (low.count <= 0) continue;
    for (size_t j = 0; j < affine.terms.size(); ++j) {
      const auto [high_node, high_factor] = affine.terms[j];
      int64_t expected_factor, expected_step;
      if (i == j || __builtin_mul_overflow(low_factor, low.count, &expected_factor) || expected_factor != high_factor ||
          __builtin_mul_overflow(low.step, low.count, &expected_step)) {
        continue;
      }
      Affine rest;
      rest.constant = affine.constant;
      for (size_t k = 0; k < affine.terms.size(); ++k) {
        if (k != i && k != j) rest.terms.push_back(affine.terms[k]);
      }
      const NodeId joined = JoinDigits(low, high_node, expected_step);
      if (joined == kNoNode) continue;
      if (!AddToAffine(joined, low_factor, rest)) return false;
      affine = std::move(rest);
      return true;
    }
  }
  return false;
}

NodeId ExprGraph::FromAffine(const Affine& input) {
  Affine affine = input;
  while (affine.terms.size() > 1 && CombineDigits(affine)) {
  }
  NodeId sum = kNoNode;
  const auto add = [&](NodeId n) { sum = sum == kNoNode ? n : PlainOp(ScalarOp::kAdd, ElementType::kS64, 0, {sum, n}); };
  for (const auto& [node, c] : affine.terms) {
    add(c == 1 ? node : PlainOp(ScalarOp::kMultiply, ElementType::kS64, 0, {node, IndexConstant(c)}));
  }
  if (affine.constant != 0 || sum == kNoNode) add(IndexConstant(affine.constant));
  return sum;
}

NodeId ExprGraph::SimplifyIndexOp(ScalarOp op, NodeId a, NodeId b) {
  // Numbers without bounds are data: their sums stay as they are written, whose overflows somebody may ask for.
  const bool sum = op == ScalarOp::kAdd || op == ScalarOp::kSubtract || op == ScalarOp::kMultiply;
  if (sum && (Range(a) == kUnknown || Range(b) == kUnknown)) return kNoNode;
  const bool a_constant = nodes_[a].kind == NodeKind::kConstant, b_constant = nodes_[b].kind == NodeKind::kConstant;
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kSubtract: {
      Affine affine = ToAffine(a);
      if (!AddToAffine(b, op == ScalarOp::kAdd ? 1 : -1, affine)) return kNoNode;
      return FromAffine(affine);
    }
    case ScalarOp::kMultiply: {
      if (!a_constant && !b_constant) return kNoNode;
      Affine affine;
      if (!AddToAffine(a_constant ? b : a, nodes_[a_constant ? a : b].constant.i, affine)) return kNoNode;
      return FromAffine(affine);
    }
    case ScalarOp::kFloorDiv: return b_constant && nodes_[b].constant.i > 0 ? FloorDiv(a, nodes_[b].constant.i) : kNoNode;
    case ScalarOp::kMod: return b_constant && nodes_[b].constant.i > 0 ? Mod(a, nodes_[b].constant.i) : kNoNode;
    case ScalarOp::kMaximum:
    case ScalarOp::kMinimum: {
      const Bounds x = Range(a), y = Range(b);
      const bool max = op == ScalarOp::kMaximum;
      if (x.first >= y.second) return max ? a : b;
      if (y.first >= x.second) return max ? b : a;
      return kNoNode;
    }
    default: return kNoNode;
  }
}

namespace {

// Splits affine = g * high + low with low in [0, g), for the largest g > 1 that divides `divisor` and some coefficients.
template <typename RangeOf>
bool SplitByFactor(const ExprGraph::Affine& affine, int64_t divisor, const RangeOf& range_of, int64_t* g, ExprGraph::Affine* high,
                   ExprGraph::Affine* low) {
  std::vector<int64_t> candidates;
  for (const auto& [node, c] : affine.terms) candidates.push_back(std::gcd(c, divisor));
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  for (int64_t candidate : candidates) {
    if (candidate <= 1) break;
    *high = {DivFloor(affine.constant, candidate), {}};
    *low = {ModFloor(affine.constant, candidate), {}};
    for (const auto& [node, c] : affine.terms) {
      if (c % candidate == 0) {
        high->terms.push_back({node, c / candidate});
      } else {
        low->terms.push_back({node, c});
      }
    }
    const Bounds r = range_of(*low);
    if (r != kUnknown && r.first >= 0 && r.second < candidate) {
      *g = candidate;
      return true;
    }
  }
  return false;
}

// affine = divisor * quotient + affine', with every coefficient of affine' smaller than the divisor.
ExprGraph::Affine ExtractMultiples(ExprGraph::Affine& affine, int64_t divisor) {
  ExprGraph::Affine quotient, rest;
  quotient.constant = DivFloor(affine.constant, divisor);
  rest.constant = ModFloor(affine.constant, divisor);
  for (const auto& [node, c] : affine.terms) {
    const int64_t kept = c % divisor == 0 ? 0 : c >= divisor || c <= -divisor ? ModFloor(c, divisor) : c;
    if (c != kept) quotient.terms.push_back({node, (c - kept) / divisor});
    if (kept != 0) rest.terms.push_back({node, kept});
  }
  affine = std::move(rest);
  return quotient;
}

}  // namespace

// Floors of floors: ((x floordiv p) + r) floordiv d == (x + r p) floordiv (p d); (x mod (d m)) floordiv d == (x floordiv d) mod m.
NodeId ExprGraph::FloorDivOfDigit(const Affine& sum, int64_t divisor) {
  for (const auto& [node, c] : sum.terms) {
    const Digit digit = ToDigit(node);
    if (c != 1) continue;
    if (digit.count > 0 && digit.count % divisor == 0 && sum.terms.size() == 1 && sum.constant == 0) {
      return Mod(FloorDiv(nodes_[node].inputs[0], divisor), digit.count / divisor);
    }
    if (digit.count != 0 || digit.step <= 1) continue;
    int64_t step;
    Affine number;
    bool overflow =
        __builtin_mul_overflow(digit.step, divisor, &step) || __builtin_mul_overflow(sum.constant, digit.step, &number.constant);
    for (const auto& [other, factor] : sum.terms) {
      int64_t product = 0;
      overflow = overflow || __builtin_mul_overflow(factor, digit.step, &product);
      if (other != node) number.terms.push_back({other, product});
    }
    if (overflow || !AddToAffine(digit.x, 1, number)) return kNoNode;
    return FloorDiv(FromAffine(number), step);
  }
  return kNoNode;
}

NodeId ExprGraph::FloorDiv(NodeId a, int64_t divisor) {
  if (divisor == 1) return a;
  Affine rest = ToAffine(a);
  Affine quotient = ExtractMultiples(rest, divisor);
  const auto range_of = [this](const Affine& x) { return AffineRange(x); };
  NodeId tail = kNoNode;
  const Bounds r = AffineRange(rest);
  int64_t g;
  Affine high, low;
  if (r != kUnknown && DivFloor(r.first, divisor) == DivFloor(r.second, divisor)) {
    quotient.constant = WrapAdd(quotient.constant, DivFloor(r.first, divisor));
    return FromAffine(quotient);
  }
  if (SplitByFactor(rest, divisor, range_of, &g, &high, &low)) {
    tail = FloorDiv(FromAffine(high), divisor / g);
  } else {
    tail = FloorDivOfDigit(rest, divisor);
  }
  if (tail == kNoNode) {
    const NodeId joined = FromAffine(rest);
    // Joining digits of what is left may have opened a way.
    tail = ToAffine(joined).terms != rest.terms ? FloorDiv(joined, divisor)
                                                : PlainOp(ScalarOp::kFloorDiv, ElementType::kS64, 0, {joined, IndexConstant(divisor)});
  }
  if (quotient.terms.empty() && quotient.constant == 0) return tail;
  if (!AddToAffine(tail, 1, quotient)) return PlainOp(ScalarOp::kFloorDiv, ElementType::kS64, 0, {a, IndexConstant(divisor)});
  return FromAffine(quotient);
}

NodeId ExprGraph::Mod(NodeId a, int64_t divisor) {
  if (divisor == 1) return IndexConstant(0);
  Affine rest = ToAffine(a);
  ExtractMultiples(rest, divisor);
  const auto range_of = [this](const Affine& x) { return AffineRange(x); };
  const Bounds r = AffineRange(rest);
  if (r != kUnknown && DivFloor(r.first, divisor) == DivFloor(r.second, divisor)) {
    rest.constant -= DivFloor(r.first, divisor) * divisor;
    return FromAffine(rest);
  }
  int64_t g;
  Affine high, low;
  if (SplitByFactor(rest, divisor, range_of, &g, &high, &low)) {
    Affine sum = low;
    if (AddToAffine(Mod(FromAffine(high), divisor / g), g, sum)) return FromAffine(sum);
  }
  // c (x mod m) is c x up to multiples of c m: drop the inner mod where those are multiples of the divisor.
  for (const auto& [node, c] : rest.terms) {
    const Node& n = nodes_[node];
    if (n.kind != NodeKind::kScalarOp || n.op != ScalarOp::kMod) continue;
    const int64_t m = nodes_[n.inputs[1]].constant.i;
    int64_t product;
    if (nodes_[n.inputs[1]].kind != NodeKind::kConstant || __builtin_mul_overflow(m, c, &product) || product % divisor != 0) continue;
    Affine opened{rest.constant, {}};
    for (const auto& term : rest.terms) {
      if (term.first != node) opened.terms.push_back(term);
    }
    if (AddToAffine(n.inputs[0], c, opened)) return Mod(FromAffine(opened), divisor);
  }
  const NodeId joined = FromAffine(rest);
  if (ToAffine(joined).terms != rest.terms) return Mod(joined, divisor);
  return PlainOp(ScalarOp::kMod, ElementType::kS64, 0, {joined, IndexConstant(divisor)});
}

NodeId ExprGraph::Clamp(NodeId a, int64_t low, int64_t high) {
  return Binary(ScalarOp::kMinimum, Binary(ScalarOp::kMaximum, a, IndexConstant(low)), IndexConstant(high));
}

NodeId ExprGraph::InRange(NodeId a, int64_t low, int64_t high) {
  return And(Binary(ScalarOp::kLe, IndexConstant(low), a), Binary(ScalarOp::kLt, a, IndexConstant(high)));
}

// Decides comparisons of s64 nodes whose ranges settle them.
NodeId ExprGraph::SimplifyComparison(ScalarOp op, NodeId a, NodeId b) {
  if (Range(a) == kUnknown || Range(b) == kUnknown) return kNoNode;
  Affine difference = ToAffine(a);
  if (!AddToAffine(b, -1, difference)) return kNoNode;
  const Bounds d = AffineRange(difference);
  if (d == kUnknown) return kNoNode;
  const auto known = [this](bool v) { return Constant(Scalar::Int(ElementType::kPred, v)); };
  switch (op) {
    case ScalarOp::kLt:
    case ScalarOp::kLtTotal: return d.second < 0 ? known(true) : d.first >= 0 ? known(false) : kNoNode;
    case ScalarOp::kLe:
    case ScalarOp::kLeTotal: return d.second <= 0 ? known(true) : d.first > 0 ? known(false) : kNoNode;
    case ScalarOp::kGt:
    case ScalarOp::kGtTotal: return d.first > 0 ? known(true) : d.second <= 0 ? known(false) : kNoNode;
    case ScalarOp::kGe:
    case ScalarOp::kGeTotal: return d.first >= 0 ? known(true) : d.second < 0 ? known(false) : kNoNode;
    case ScalarOp::kEq:
    case ScalarOp::kEqTotal: return d.first == 0 && d.second == 0 ? known(true) : d.first > 0 || d.second < 0 ? known(false) : kNoNode;
    case ScalarOp::kNe:
    case ScalarOp::kNeTotal: return d.first == 0 && d.second == 0 ? known(false) : d.first > 0 || d.second < 0 ? known(true) : kNoNode;
    default: return kNoNode;
  }
}

}  // namespace hloscope
