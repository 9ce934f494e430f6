// Comparator: flattens the inlined computation into steps, evaluates one-sided steps by column and the others on demand.
#include "core/ops/comparator.h"

#include <cmath>
#include <cstring>
#include <functional>

#include "core/ops/typed.h"

namespace hloscope {
namespace {

bool Supported(ElementType t) { return IsPred(t) || IsInteger(t) || IsFloat(t); }

bool SupportedOp(ScalarOp op) {
  switch (op) {
    case ScalarOp::kEq:
    case ScalarOp::kNe:
    case ScalarOp::kLt:
    case ScalarOp::kLe:
    case ScalarOp::kGt:
    case ScalarOp::kGe:
    case ScalarOp::kEqTotal:
    case ScalarOp::kNeTotal:
    case ScalarOp::kLtTotal:
    case ScalarOp::kLeTotal:
    case ScalarOp::kGtTotal:
    case ScalarOp::kGeTotal:
    case ScalarOp::kAnd:
    case ScalarOp::kOr:
    case ScalarOp::kXor:
    case ScalarOp::kNot:
    case ScalarOp::kAdd:
    case ScalarOp::kSubtract:
    case ScalarOp::kMultiply:
    case ScalarOp::kNegate:
    case ScalarOp::kAbs:
    case ScalarOp::kMaximum:
    case ScalarOp::kMinimum:
    case ScalarOp::kConvert:
    case ScalarOp::kBitcast:
    case ScalarOp::kIsFinite:
    case ScalarOp::kReal: return true;
    default: return false;
  }
}

uint64_t Bits(double v) {
  uint64_t b;
  std::memcpy(&b, &v, 8);
  return b;
}

double Round(ElementType t, double v) {
  if (t == ElementType::kF64) return v;
  if (t == ElementType::kF32) return static_cast<float>(v);
  return Scalar::Float(t, v).re;
}

int64_t Wrap(ElementType t, int64_t v) { return Scalar::Int(t, v).i; }

// -1, 0, 1; floats that are unordered give 2.
int Order(ElementType t, int64_t a, int64_t b) {
  if (IsSigned(t)) return a < b ? -1 : a > b;
  return static_cast<uint64_t>(a) < static_cast<uint64_t>(b) ? -1 : static_cast<uint64_t>(a) > static_cast<uint64_t>(b);
}

bool Holds(ScalarOp op, int order) {  // order 2: unordered
  switch (op) {
    case ScalarOp::kEq:
    case ScalarOp::kEqTotal: return order == 0;
    case ScalarOp::kNe:
    case ScalarOp::kNeTotal: return order != 0;
    case ScalarOp::kLt:
    case ScalarOp::kLtTotal: return order == -1;
    case ScalarOp::kLe:
    case ScalarOp::kLeTotal: return order == -1 || order == 0;
    case ScalarOp::kGt:
    case ScalarOp::kGtTotal: return order == 1;
    case ScalarOp::kGe:
    case ScalarOp::kGeTotal: return order == 1 || order == 0;
    default: return false;
  }
}

bool IsComparison(ScalarOp op) { return op >= ScalarOp::kEq && op <= ScalarOp::kGeTotal; }
bool IsTotal(ScalarOp op) { return op >= ScalarOp::kEqTotal && op <= ScalarOp::kGeTotal; }

}  // namespace

uint64_t TotalOrderKey(double v) {
  const uint64_t b = Bits(v);
  return b >> 63 ? ~b : b | (uint64_t{1} << 63);
}

uint32_t TotalOrderKey(float v) {
  uint32_t b;
  std::memcpy(&b, &v, 4);
  return b >> 31 ? ~b : b | (uint32_t{1} << 31);
}

std::optional<Comparator> Comparator::Make(const Computation& computation, absl::Span<const ElementType> types) {
  if (computation.root == nullptr || computation.parameters.size() != 2 * types.size()) return std::nullopt;
  ExprGraph g;
  const int32_t id = g.NewFoldId();
  std::vector<NodeId> arguments;
  for (size_t p = 0; p < computation.parameters.size(); ++p) {
    // An operand that only rides along may be of any type: only what is computed from is looked at.
    arguments.push_back(g.Accumulator(id, static_cast<int>(p), types[p / 2]));
  }
  auto inlined = InlineScalarComputation(g, computation, arguments);
  if (!inlined.ok() || inlined->size() != 1) return std::nullopt;
  Comparator c;
  c.types_.assign(types.begin(), types.end());
  absl::flat_hash_map<NodeId, int> number;
  bool ok = true;
  std::function<int(NodeId)> visit = [&](NodeId id) -> int {
    if (auto it = number.find(id); it != number.end()) return it->second;
    const Node& n = g.node(id);
    Step s;
    s.kind = n.kind;
    s.op = n.op;
    s.type = s.from = n.type;
    s.side = Side::kConstant;
    if (!Supported(n.type)) return ok = false, -1;
    switch (n.kind) {
      case NodeKind::kAccumulator:
        s.operand = n.part / 2;
        s.side = n.part % 2 == 0 ? Side::kLeft : Side::kRight;
        break;
      case NodeKind::kConstant:
        if (IsFloat(n.type)) {
          s.constant.f = n.constant.re;
        } else {
          s.constant.i = n.constant.i;
        }
        break;
      case NodeKind::kScalarOp:
      case NodeKind::kSelect:
        if (n.kind == NodeKind::kScalarOp && !SupportedOp(n.op)) return ok = false, -1;
        for (size_t k = 0; k < n.inputs.size(); ++k) {
          s.in[k] = visit(n.inputs[k]);
          if (!ok) return -1;
          const Side other = c.steps_[s.in[k]].side;
          if (s.side == Side::kConstant) {
            s.side = other;
          } else if (other != Side::kConstant && other != s.side) {
            s.side = Side::kBoth;
          }
        }
        s.from = c.steps_[s.in[0]].type;
        break;
      case NodeKind::kIndex:
      case NodeKind::kLoad:
      case NodeKind::kFold:
      case NodeKind::kFoldResult: return ok = false, -1;
    }
    c.steps_.push_back(std::move(s));
    return number[id] = static_cast<int>(c.steps_.size()) - 1;
  };
  c.root_ = visit((*inlined)[0]);
  if (!ok || !IsPred(c.steps_[c.root_].type)) return std::nullopt;
  for (size_t k = 0; k < c.steps_.size(); ++k) {
    if (c.steps_[k].side == Side::kBoth) c.both_.push_back(static_cast<int>(k));
    if (c.steps_[k].side == Side::kConstant && c.steps_[k].kind != NodeKind::kConstant) {
      const Step& s = c.steps_[k];
      Cell in[3] = {};
      for (int j = 0; j < 3; ++j) {
        if (s.in[j] >= 0) in[j] = c.steps_[s.in[j]].constant;
      }
      c.steps_[k].constant = c.Apply(s, in[0], in[1], in[2]);
    }
  }
  c.now_.resize(c.steps_.size());
  return c;
}

Comparator::Cell Comparator::Apply(const Step& s, Cell a, Cell b, Cell c) const {
  Cell r;
  r.i = 0;
  if (s.kind == NodeKind::kSelect) return a.i ? b : c;
  const bool f = IsFloat(s.from);
  if (IsComparison(s.op)) {
    int order;
    if (f && IsTotal(s.op)) {
      const uint64_t x = TotalOrderKey(a.f), y = TotalOrderKey(b.f);
      order = x < y ? -1 : x > y;
    } else if (f) {
      order = a.f < b.f ? -1 : a.f > b.f ? 1 : a.f == b.f ? 0 : 2;
    } else {
      order = Order(s.from, a.i, b.i);
    }
    r.i = Holds(s.op, order);
    return r;
  }
  switch (s.op) {
    case ScalarOp::kAnd: r.i = a.i & b.i; break;
    case ScalarOp::kOr: r.i = a.i | b.i; break;
    case ScalarOp::kXor: r.i = a.i ^ b.i; break;
    case ScalarOp::kNot: r.i = IsPred(s.type) ? !a.i : Wrap(s.type, ~a.i); break;
    case ScalarOp::kAdd:
      if (f)
        r.f = Round(s.type, a.f + b.f);
      else
        r.i = IsPred(s.type) ? (a.i | b.i) : Wrap(s.type, static_cast<int64_t>(static_cast<uint64_t>(a.i) + static_cast<uint64_t>(b.i)));
      break;
    case ScalarOp::kSubtract:
      if (f)
        r.f = Round(s.type, a.f - b.f);
      else
        r.i = Wrap(s.type, static_cast<int64_t>(static_cast<uint64_t>(a.i) - static_cast<uint64_t>(b.i)));
      break;
    case ScalarOp::kMultiply:
      if (f)
        r.f = Round(s.type, a.f * b.f);
      else
        r.i = IsPred(s.type) ? (a.i & b.i) : Wrap(s.type, static_cast<int64_t>(static_cast<uint64_t>(a.i) * static_cast<uint64_t>(b.i)));
      break;
    case ScalarOp::kNegate:
      if (f)
        r.f = -a.f;
      else
        r.i = Wrap(s.type, static_cast<int64_t>(-static_cast<uint64_t>(a.i)));
      break;
    case ScalarOp::kAbs:
      if (f)
        r.f = std::fabs(a.f);
      else
        r.i = IsSigned(s.type) && a.i < 0 ? Wrap(s.type, static_cast<int64_t>(-static_cast<uint64_t>(a.i))) : a.i;
      break;
    case ScalarOp::kMaximum:
    case ScalarOp::kMinimum: {
      const bool max = s.op == ScalarOp::kMaximum;
      if (f) {
        if (std::isnan(a.f) || std::isnan(b.f))
          r.f = std::isnan(a.f) ? a.f : b.f;
        else
          r.f = (TotalOrderKey(a.f) > TotalOrderKey(b.f)) == max ? a.f : b.f;
      } else {
        r.i = (Order(s.type, a.i, b.i) > 0) == max ? a.i : b.i;
      }
      break;
    }
    case ScalarOp::kIsFinite: r.i = f ? std::isfinite(a.f) : 1; break;
    case ScalarOp::kReal: r = a; break;
    case ScalarOp::kConvert:
    case ScalarOp::kBitcast: {
      Scalar x;
      x.type = s.from;
      if (f)
        x.re = a.f;
      else
        x.i = a.i;
      Scalar y;
      if (s.op == ScalarOp::kConvert) {
        y = ConvertScalar(x, s.type);
      } else {
        alignas(16) std::byte storage[16] = {};
        if (f)
          StoreFloatAt(s.from, storage, 0, a.f);
        else
          StoreScalar(x, storage);
        if (IsFloat(s.type)) {
          r.f = LoadFloatAt(s.type, storage, 0);
          return r;
        }
        y = LoadScalar(s.type, storage);
      }
      if (IsFloat(s.type))
        r.f = y.re;
      else
        r.i = y.i;
      break;
    }
    default: break;
  }
  return r;
}

std::optional<Comparator::Plain> Comparator::plain() const {
  const Step& root = steps_[root_];
  if (root.kind != NodeKind::kScalarOp || !IsComparison(root.op)) return std::nullopt;
  const Step &a = steps_[root.in[0]], &b = steps_[root.in[1]];
  if (a.kind != NodeKind::kAccumulator || b.kind != NodeKind::kAccumulator || a.operand != b.operand || a.side == b.side) return std::nullopt;
  const bool less = root.op == ScalarOp::kLt || root.op == ScalarOp::kLtTotal, greater = root.op == ScalarOp::kGt || root.op == ScalarOp::kGtTotal;
  if (!less && !greater) return std::nullopt;
  return Plain{a.operand, less == (a.side == Side::kLeft), IsTotal(root.op)};
}

void Comparator::Load(absl::Span<const std::byte* const> data, int64_t n, int64_t stride) {
  n_ = n;
  for (Step& s : steps_) {
    if (s.side != Side::kLeft && s.side != Side::kRight) continue;
    s.column.resize(n);
    if (s.kind == NodeKind::kAccumulator) {
      const std::byte* p = data[s.operand];
      if (IsFloat(s.type)) {
        if (s.type == ElementType::kF32) {
          const float* f = reinterpret_cast<const float*>(p);
          for (int64_t e = 0; e < n; ++e) s.column[e].f = f[e * stride];
        } else {
          for (int64_t e = 0; e < n; ++e) s.column[e].f = LoadFloatAt(s.type, p, e * stride);
        }
      } else {
        for (int64_t e = 0; e < n; ++e) s.column[e].i = LoadIntAt(s.type, p, e * stride);
      }
      continue;
    }
    FillColumn(s);
  }
}

// Each input as a pointer and a stride: 0 for a constant.
void Comparator::FillColumn(Step& s) const {
  static constexpr Cell kNone{};
  const Cell* in[3] = {&kNone, &kNone, &kNone};
  int64_t step[3] = {0, 0, 0};
  for (int j = 0; j < 3; ++j) {
    if (s.in[j] < 0) continue;
    const Step& t = steps_[s.in[j]];
    in[j] = t.side == Side::kConstant ? &t.constant : t.column.data();
    step[j] = t.side == Side::kConstant ? 0 : 1;
  }
  const auto fill = [&](auto f) {
    for (int64_t e = 0; e < n_; ++e) s.column[e] = f(in[0][e * step[0]], in[1][e * step[1]], in[2][e * step[2]]);
  };
  const auto truth = [](bool b) {
    Cell c;
    c.i = b;
    return c;
  };
  // The forms that comparators of floats are made of; everything else one by one.
  if (s.kind == NodeKind::kSelect) return fill([](Cell a, Cell b, Cell c) { return a.i ? b : c; });
  if (s.op == ScalarOp::kEq && IsFloat(s.from)) return fill([&](Cell a, Cell b, Cell) { return truth(a.f == b.f); });
  if (s.op == ScalarOp::kNe && IsFloat(s.from)) return fill([&](Cell a, Cell b, Cell) { return truth(a.f != b.f); });
  fill([&](Cell a, Cell b, Cell c) { return Apply(s, a, b, c); });
}

Comparator::Cell Comparator::At(int step, int64_t left, int64_t right) const {
  const Step& s = steps_[step];
  switch (s.side) {
    case Side::kConstant: return s.constant;
    case Side::kLeft: return s.column[left];
    case Side::kRight: return s.column[right];
    case Side::kBoth: return now_[step];
  }
  return {};
}

bool Comparator::Less(int64_t a, int64_t b) {
  for (int k : both_) {
    const Step& s = steps_[k];
    Cell in[3] = {};
    for (int j = 0; j < 3; ++j) {
      if (s.in[j] >= 0) in[j] = At(s.in[j], a, b);
    }
    now_[k] = Apply(s, in[0], in[1], in[2]);
  }
  return At(root_, a, b).i != 0;
}

// The keys of one comparison `key(left) < key(right)` (or >, or with the sides exchanged). `strict_zeros`: -0 among floats is refused,
// because another comparison of the same keys tells it from +0 or does not.
bool Comparator::KeysOf(const Step& comparison, bool strict_zeros, std::vector<uint64_t>* keys) const {
  bool less;
  switch (comparison.op) {
    case ScalarOp::kLt:
    case ScalarOp::kLtTotal: less = true; break;
    case ScalarOp::kGt:
    case ScalarOp::kGtTotal: less = false; break;
    default: return false;
  }
  const Step* left = &steps_[comparison.in[0]];
  const Step* right = &steps_[comparison.in[1]];
  if (left->side == Side::kRight && right->side == Side::kLeft) {
    std::swap(left, right);
    less = !less;
  }
  if (left->side != Side::kLeft || right->side != Side::kRight) return false;
  const bool f = IsFloat(comparison.from);
  const bool total = IsTotal(comparison.op);
  const bool wide = BitWidth(comparison.from) > 32;  // else keys have 32 bits
  const uint64_t mask = wide ? ~uint64_t{0} : 0xffffffffu;
  keys->resize(n_);
  for (int64_t e = 0; e < n_; ++e) {
    const Cell x = left->column[e];
    if (x.i != right->column[e].i) return false;  // not the same key on both sides
    uint64_t key;
    if (f) {
      if ((!total || strict_zeros) && std::isnan(x.f)) return false;  // unordered: the comparator's own answers decide
      if (strict_zeros && x.f == 0 && std::signbit(x.f)) return false;
      const double v = !total && x.f == 0 ? 0.0 : x.f;
      key = wide ? TotalOrderKey(v) : TotalOrderKey(static_cast<float>(v));
    } else if (IsSigned(comparison.from)) {
      key = static_cast<uint64_t>(x.i) + (uint64_t{1} << (BitWidth(comparison.from) - 1));
    } else {
      key = static_cast<uint64_t>(x.i);
    }
    (*keys)[e] = (less ? key : ~key) & mask;
  }
  return true;
}

bool Comparator::Keys(std::vector<uint64_t>* keys, bool* whole) const {
  const Step& root = steps_[root_];
  *whole = true;
  if (root.kind == NodeKind::kScalarOp) return KeysOf(root, false, keys);
  // select(a == b, others, a < b): by a first, then by others.
  if (root.kind != NodeKind::kSelect) return false;
  const Step& equal = steps_[root.in[0]];
  const Step& order = steps_[root.in[2]];
  if (equal.kind != NodeKind::kScalarOp || order.kind != NodeKind::kScalarOp ||
      (equal.op != ScalarOp::kEq && equal.op != ScalarOp::kEqTotal))
    return false;
  const bool same = equal.in[0] == order.in[0] && equal.in[1] == order.in[1];
  const bool crossed = equal.in[0] == order.in[1] && equal.in[1] == order.in[0];
  if (!same && !crossed) return false;
  *whole = false;
  return KeysOf(order, IsTotal(equal.op) != IsTotal(order.op), keys);
}

}  // namespace hloscope
