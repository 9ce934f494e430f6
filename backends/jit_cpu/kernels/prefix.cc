// A reduce-window over all that came before (cumulative sums, products, maxima) as one walk: linear where the window's own loop is quadratic.
//
// The fold's order is kept bit for bit. Its sixteen lanes are the elements' positions modulo 16, counted from the window's end; the tree that
// joins them pairs lanes a half, a quarter, ... of the circle apart, so turning the circle changes nothing as the operations commute. So there
// is one running value for each position modulo 16, and from one element to the next just one of them and one path of the tree changes.
//
// Lines in memory: sixteen elements at a time. After the running values there are four levels of the tree; each new vector of a level holds the
// sixteen values that these elements bring, older ones come from the vector before. Lines across memory: sixteen lines at a time, one element
// after the other.
//
// Not here: windows from an element to the end (their lanes begin anew at each element), and windows of fewer than 16 (folded in sequence).
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/kernels/rows.h"
#include "core/base/clones.h"
#include "core/ops/reducer.h"

namespace hloscope {
namespace {

constexpr int kLanes = 16;
constexpr int64_t kLeastWindow = 16;    // shorter folds have another order
constexpr int64_t kTaskElements = 1 << 14;
constexpr int64_t kStripColumns = 64;

template <typename T>
struct LanesOf {
  typedef T V __attribute__((vector_size(kLanes * sizeof(T))));
};
template <typename T>
using Lanes = typename LanesOf<T>::V;

// ---- Elements: how they lie in memory, what they are computed in, and rounding after each operation.

template <typename T, typename Unsigned, bool kFloat>
struct Plain {
  using Stored = T;
  using Register = T;
  using Bits = Unsigned;  // as many, of no sign
  static constexpr bool kIsFloat = kFloat;
  static HLOSCOPE_INLINE void Load(const T* p, Lanes<T>& v) { std::memcpy(&v, p, sizeof(v)); }
  static HLOSCOPE_INLINE void Store(const Lanes<T>& v, T* p) { std::memcpy(p, &v, sizeof(v)); }
  static HLOSCOPE_INLINE void Round(Lanes<T>&) {}
};
using F32 = Plain<float, uint32_t, true>;
using F64 = Plain<double, uint64_t, true>;
using S32 = Plain<int32_t, uint32_t, false>;
using S64 = Plain<int64_t, uint64_t, false>;

struct BF16 {
  using Stored = uint16_t;
  using Register = float;
  using Bits = uint32_t;
  static constexpr bool kIsFloat = true;
  static HLOSCOPE_INLINE void Load(const uint16_t* p, Lanes<float>& v) {
    Lanes<uint16_t> narrow;
    std::memcpy(&narrow, p, sizeof(narrow));
    const Lanes<uint32_t> wide = __builtin_convertvector(narrow, Lanes<uint32_t>) << 16;
    std::memcpy(&v, &wide, sizeof(v));
  }
  static HLOSCOPE_INLINE void Store(const Lanes<float>& v, uint16_t* p) {
    Lanes<uint32_t> wide;
    std::memcpy(&wide, &v, sizeof(v));
    const Lanes<uint16_t> narrow = __builtin_convertvector(wide >> 16, Lanes<uint16_t>);
    std::memcpy(p, &narrow, sizeof(narrow));
  }
  static HLOSCOPE_INLINE void Round(Lanes<float>& v) {
    Lanes<uint32_t> u;
    std::memcpy(&u, &v, sizeof(v));
    const Lanes<uint32_t> nearest = u + 0x7fff + (u >> 16 & 1);
    u = (v == v ? nearest : u | 0x400000) & 0xffff0000;
    std::memcpy(&v, &u, sizeof(v));
  }
};

// ---- Operations

template <typename E>
using BitLanes = Lanes<typename E::Bits>;

struct Add {
  template <typename E>
  static HLOSCOPE_INLINE void Apply(const Lanes<typename E::Register>& a, const Lanes<typename E::Register>& b, Lanes<typename E::Register>& r) {
    if constexpr (E::kIsFloat) {
      r = a + b;
      E::Round(r);
    } else {
      r = (Lanes<typename E::Register>)((BitLanes<E>)a + (BitLanes<E>)b);
    }
  }
};
struct Multiply {
  template <typename E>
  static HLOSCOPE_INLINE void Apply(const Lanes<typename E::Register>& a, const Lanes<typename E::Register>& b, Lanes<typename E::Register>& r) {
    if constexpr (E::kIsFloat) {
      r = a * b;
      E::Round(r);
    } else {
      r = (Lanes<typename E::Register>)((BitLanes<E>)a * (BitLanes<E>)b);
    }
  }
};
// A NaN wins; +0 is more than -0.
template <bool kMaximum>
struct Extreme {
  template <typename E>
  static HLOSCOPE_INLINE void Apply(const Lanes<typename E::Register>& a, const Lanes<typename E::Register>& b, Lanes<typename E::Register>& r) {
    using V = Lanes<typename E::Register>;
    if constexpr (E::kIsFloat) {
      const BitLanes<E> x = (BitLanes<E>)a, y = (BitLanes<E>)b;
      const V equal = (V)(kMaximum ? x & y : x | y);
      const V chosen = a == b ? equal : (kMaximum ? a > b : a < b) ? a : b;
      r = a != a ? a : b != b ? b : chosen;
    } else {
      r = (kMaximum ? a > b : a < b) ? a : b;
    }
  }
};
using Maximum = Extreme<true>;
using Minimum = Extreme<false>;

// ---- Lines in memory

// Level `width` of the tree: value (q - 1) * width + r, 1 <= q <= 16 / width, is that of pair (r, r + width) of the level below after q steps
// of `width` elements; q = 0 is the last of the vector before. Floor division: the pair's halves change in turn.
constexpr int HalfStep(int q) { return q < 0 ? (q - 1) / 2 : q / 2; }
constexpr int Below(int width, int state, int r) {  // where the value of the level below lies: 16 and on in the vector before
  return state == 0 ? kLanes + kLanes - 2 * width + r : (state - 1) * 2 * width + r;
}
constexpr int LeftAt(int width, int i) { return Below(width, HalfStep(i / width) + 1, i % width); }
constexpr int RightAt(int width, int i) { return Below(width, HalfStep(i / width - 1) + 1, i % width + width); }

template <typename E, typename Op, int kWidth, int... kAt>
HLOSCOPE_INLINE void Level(const Lanes<typename E::Register>& now, const Lanes<typename E::Register>& before, Lanes<typename E::Register>& joined,
                           std::integer_sequence<int, kAt...>) {
  const Lanes<typename E::Register> left = __builtin_shufflevector(now, before, LeftAt(kWidth, kAt)...);
  const Lanes<typename E::Register> right = __builtin_shufflevector(now, before, RightAt(kWidth, kAt)...);
  Op::template Apply<E>(left, right, joined);
}

// One line of n elements. `lanes`: init, then the operation's identity.
template <typename E, typename Op>
HLOSCOPE_INLINE void Line(const typename E::Stored* in, typename E::Stored* out, int64_t n, const Lanes<typename E::Register>& init,
                          const Lanes<typename E::Register>& identity) {
  using V = Lanes<typename E::Register>;
  constexpr auto all = std::make_integer_sequence<int, kLanes>();
  V before[4] = {identity, identity, identity, identity};  // running values and the first three levels
  typename E::Stored rest[kLanes] = {};
  for (int64_t i = 0; i < n; i += kLanes) {
    const bool whole = i + kLanes <= n;
    if (!whole) std::memcpy(rest, in + i, (n - i) * sizeof(rest[0]));
    V x, result;
    E::Load(whole ? in + i : rest, x);
    V running, eight, four, two;
    Op::template Apply<E>(before[0], x, running);
    Level<E, Op, 8>(running, before[0], eight, all);
    Level<E, Op, 4>(eight, before[1], four, all);
    Level<E, Op, 2>(four, before[2], two, all);
    Level<E, Op, 1>(two, before[3], result, all);
    Op::template Apply<E>(init, result, result);
    before[0] = running, before[1] = eight, before[2] = four, before[3] = two;
    E::Store(result, whole ? out + i : rest);
    if (!whole) std::memcpy(out + i, rest, (n - i) * sizeof(rest[0]));
  }
}

// ---- Lines across memory: `columns` (at most kStripColumns) neighbouring lines of n elements, `step` apart.
template <typename E, typename Op>
HLOSCOPE_INLINE void Strip(const typename E::Stored* in, typename E::Stored* out, int64_t n, int64_t step, int64_t columns,
                           const Lanes<typename E::Register>& init, const Lanes<typename E::Register>& identity) {
  using V = Lanes<typename E::Register>;
  constexpr int kVectors = kStripColumns / kLanes;
  struct Tree {
    V running[16], eight[8], four[4], two[2];
  } trees[kVectors];
  for (Tree& t : trees) {
    for (V& v : t.running) v = identity;
    for (V& v : t.eight) v = identity;
    for (V& v : t.four) v = identity;
    for (V& v : t.two) v = identity;
  }
  typename E::Stored rest[kLanes] = {};
  for (int64_t i = 0; i < n; ++i, in += step, out += step) {
    for (int64_t c = 0; c < columns; c += kLanes) {
      Tree& t = trees[c / kLanes];
      const bool whole = c + kLanes <= columns;
      if (!whole) std::memcpy(rest, in + c, (columns - c) * sizeof(rest[0]));
      V x;
      E::Load(whole ? in + c : rest, x);
      Op::template Apply<E>(t.running[i & 15], x, t.running[i & 15]);
      Op::template Apply<E>(t.running[i & 7], t.running[(i & 7) + 8], t.eight[i & 7]);
      Op::template Apply<E>(t.eight[i & 3], t.eight[(i & 3) + 4], t.four[i & 3]);
      Op::template Apply<E>(t.four[i & 1], t.four[(i & 1) + 2], t.two[i & 1]);
      Op::template Apply<E>(t.two[0], t.two[1], x);
      Op::template Apply<E>(init, x, x);
      E::Store(x, whole ? out + c : rest);
      if (!whole) std::memcpy(out + c, rest, (columns - c) * sizeof(rest[0]));
    }
  }
}

// Lines [first, first + lines) of a block where lines lie `step` apart in steps (1: each line in memory), columns side by side.
template <typename E, typename Op>
HLOSCOPE_INLINE void Block(const void* in, void* out, int64_t n, int64_t step, int64_t columns, const void* init, const void* identity) {
  using Stored = typename E::Stored;
  Stored ends[2][kLanes];
  for (int l = 0; l < kLanes; ++l) std::memcpy(&ends[0][l], init, sizeof(Stored)), std::memcpy(&ends[1][l], identity, sizeof(Stored));
  Lanes<typename E::Register> first, nothing;
  E::Load(ends[0], first);
  E::Load(ends[1], nothing);
  if (step == 1) Line<E, Op>(static_cast<const Stored*>(in), static_cast<Stored*>(out), n, first, nothing);
  else Strip<E, Op>(static_cast<const Stored*>(in), static_cast<Stored*>(out), n, step, columns, first, nothing);
}

using BlockFunction = void (*)(const void* in, void* out, int64_t n, int64_t step, int64_t columns, const void* init, const void* identity);

#define HLOSCOPE_PREFIX(E, Op)                                                                                                                  \
  HLOSCOPE_CLONES void Op##Of##E(const void* in, void* out, int64_t n, int64_t step, int64_t columns, const void* init, const void* identity) { \
    Block<E, Op>(in, out, n, step, columns, init, identity);                                                                                    \
  }
#define HLOSCOPE_PREFIXES(E) HLOSCOPE_PREFIX(E, Add) HLOSCOPE_PREFIX(E, Multiply) HLOSCOPE_PREFIX(E, Maximum) HLOSCOPE_PREFIX(E, Minimum)
HLOSCOPE_PREFIXES(F32)
HLOSCOPE_PREFIXES(F64)
HLOSCOPE_PREFIXES(BF16)
HLOSCOPE_PREFIXES(S32)
HLOSCOPE_PREFIXES(S64)
#undef HLOSCOPE_PREFIXES
#undef HLOSCOPE_PREFIX

BlockFunction FunctionOf(ScalarOp op, ElementType type) {
  const auto choose = [&](BlockFunction add, BlockFunction multiply, BlockFunction maximum, BlockFunction minimum) -> BlockFunction {
    switch (op) {
      case ScalarOp::kAdd: return add;
      case ScalarOp::kMultiply: return multiply;
      case ScalarOp::kMaximum: return maximum;
      case ScalarOp::kMinimum: return minimum;
      default: return nullptr;
    }
  };
  switch (type) {
    case ElementType::kF32: return choose(AddOfF32, MultiplyOfF32, MaximumOfF32, MinimumOfF32);
    case ElementType::kF64: return choose(AddOfF64, MultiplyOfF64, MaximumOfF64, MinimumOfF64);
    case ElementType::kBF16: return choose(AddOfBF16, MultiplyOfBF16, MaximumOfBF16, MinimumOfBF16);
    case ElementType::kS32: return choose(AddOfS32, MultiplyOfS32, MaximumOfS32, MinimumOfS32);
    case ElementType::kS64: return choose(AddOfS64, MultiplyOfS64, MaximumOfS64, MinimumOfS64);
    case ElementType::kU32: return choose(AddOfS32, MultiplyOfS32, nullptr, nullptr);
    case ElementType::kU64: return choose(AddOfS64, MultiplyOfS64, nullptr, nullptr);
    default: return nullptr;
  }
}

struct Problem {
  ScalarOp op;
  int dimension = -1;
  BlockFunction function = nullptr;
};

std::optional<Problem> Match(const Instruction& i) {
  const Window* window = i.GetWindow();
  const Computation* reducer = i.Called(AttrId::kToApply);
  if (window == nullptr || reducer == nullptr || i.operands.size() != 2 || !i.shape.IsArray() || i.shape.has_dynamic_dimension()) return std::nullopt;
  const Shape& in = i.operands[0]->shape;
  const ElementType type = i.shape.element_type();
  if (in.element_type() != type || i.operands[1]->shape.element_type() != type || in.has_dynamic_dimension()) return std::nullopt;
  Problem p;
  for (int d = 0; d < in.rank(); ++d) {
    const WindowDimension& w = (*window)[d];
    if (w == WindowDimension()) continue;
    const bool before = w.size >= std::max(kLeastWindow, in.dim(d)) && w.stride == 1 && w.base_dilation == 1 && w.window_dilation == 1 && !w.reversal &&
                        w.padding_low == w.size - 1 && w.padding_high == 0;
    if (!before || p.dimension >= 0) return std::nullopt;
    p.dimension = d;
  }
  const std::optional<ScalarOp> op = SimpleReducer(*reducer);
  if (p.dimension < 0 || !op || !IdentityOf(*op, type)) return std::nullopt;
  p.op = *op;
  p.function = FunctionOf(p.op, type);
  if (p.function == nullptr) return std::nullopt;
  return p;
}

class PrefixKernel : public LibraryKernel {
 public:
  PrefixKernel(const Problem& problem, const Shape& shape, ThreadPool& pool) : p_(problem), shape_(shape), pool_(pool) {
    StoreScalar(*IdentityOf(p_.op, shape.element_type()), identity_);
  }

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    const Value& in = operands[0];
    Value result = Value::Allocate(shape_, context.account);
    if (!result.has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for ", shape_.ToString(false)));
    const int64_t n = shape_.dim(p_.dimension), bytes = StorageBytes(shape_.element_type());
    if (result.element_count() == 0) return result;
    int64_t step = 1;
    for (int d = p_.dimension + 1; d < shape_.rank(); ++d) step *= shape_.dim(d);
    const int64_t strips = (step + kStripColumns - 1) / kStripColumns, outer = result.element_count() / (n * step);
    pool_.ParallelFor(outer * strips, std::max<int64_t>(1, kTaskElements / (n * std::min(step, kStripColumns))), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed)) return;
        const int64_t column = t % strips * kStripColumns, at = (t / strips * n * step + column) * bytes;
        p_.function(in.data() + at, result.mutable_data() + at, n, step, std::min(kStripColumns, step - column), operands[1].data(), identity_);
      }
    });
    return result;
  }
  std::string description() const override { return absl::StrCat("running ", Name(p_.op), ", in the order of the window's fold"); }

 private:
  const Problem p_;
  const Shape shape_;
  ThreadPool& pool_;
  alignas(16) std::byte identity_[16] = {};
};

}  // namespace

bool MatchPrefix(const Instruction& i) { return Match(i).has_value(); }
std::unique_ptr<LibraryKernel> MakePrefix(const Instruction& i, ThreadPool& pool) {
  return std::make_unique<PrefixKernel>(*Match(i), i.shape, pool);
}

}  // namespace hloscope
