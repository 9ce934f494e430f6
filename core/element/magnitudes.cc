// Of each node three exponents are known: no value other than zero is smaller than 2^least, all are multiples of 2^grain, and no finite one is
// larger than 2^most. A sum of such numbers is one too: whatever cancels, what is left is zero or at least a grain. Numbers of one sign do not cancel.
#include "core/element/magnitudes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "core/base/clones.h"
#include "core/element/visit.h"

namespace hloscope {
namespace {

using Size = Magnitudes;
constexpr int kHuge = Magnitudes::kHuge;

Size Either(const Size& a, const Size& b) { return {std::min(a.least, b.least), std::min(a.grain, b.grain), std::max(a.most, b.most), a.positive && b.positive}; }

int Digits(ElementType type) { return static_cast<int>(std::lround(-std::log2(UnitRoundoff(type)))); }  // 24 of f32
int LeastNormal(ElementType type) { return std::ilogb(UlpAt(type, 0) / (2 * UnitRoundoff(type))); }

template <typename Word>
struct Bits {
  Word least;  // less one, so that zero is the largest
  Word most;   // of what is below `limit`
  Word any;    // bits that some has
};
template <typename Word>
HLOSCOPE_INLINE Bits<Word> BitsOf(const std::byte* data, int64_t n, Word mask, Word limit) {
  const Word* words = reinterpret_cast<const Word*>(data);
  Word least = std::numeric_limits<Word>::max(), most = 0, any = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Word magnitude = words[i] & mask;
    const Word above = static_cast<Word>(magnitude - 1);
    const Word finite = magnitude < limit ? magnitude : Word{0};
    any |= words[i];
    least = above < least ? above : least;
    most = finite > most ? finite : most;
  }
  return {least, most, any};
}
HLOSCOPE_CLONES Bits<uint16_t> BitsIn(const std::byte* data, int64_t n, uint16_t mask, uint16_t limit) { return BitsOf(data, n, mask, limit); }
HLOSCOPE_CLONES Bits<uint32_t> BitsIn(const std::byte* data, int64_t n, uint32_t mask, uint32_t limit) { return BitsOf(data, n, mask, limit); }
HLOSCOPE_CLONES Bits<uint64_t> BitsIn(const std::byte* data, int64_t n, uint64_t mask, uint64_t limit) { return BitsOf(data, n, mask, limit); }

Size SizeBetween(double least, double most, bool positive, ElementType type) {
  Size size;
  size.positive = positive;
  if (least != 0 && std::isfinite(least)) {
    size.least = std::ilogb(least);
    size.grain = size.least - Digits(type) + 1;
  }
  if (most != 0) size.most = std::ilogb(most) + 1;
  return size;
}

// Of the elements, in one pass; none: of a type that nothing is known of.
template <typename Word>
Size SizeOfWords(const Value& array, Word limit) {
  const ElementType type = array.shape().element_type();
  constexpr Word kMask = std::numeric_limits<Word>::max() >> 1;
  const Bits<Word> bits = BitsIn(array.data(), array.element_count(), kMask, limit);
  return SizeBetween(bits.least == std::numeric_limits<Word>::max() ? 0 : DecodeFloat(type, static_cast<uint64_t>(bits.least) + 1), DecodeFloat(type, bits.most), (bits.any & ~kMask) == 0, type);
}
std::optional<Size> SizeOfArray(const Value& array) {
  switch (array.shape().element_type()) {
    case ElementType::kF32: return SizeOfWords<uint32_t>(array, 0x7f800000u);
    case ElementType::kF64: return SizeOfWords<uint64_t>(array, uint64_t{0x7ff} << 52);
    case ElementType::kBF16: return SizeOfWords<uint16_t>(array, 0x7f80);
    case ElementType::kF16: return SizeOfWords<uint16_t>(array, 0x7c00);
    default: return std::nullopt;
  }
}

class Prover {
 public:
  Prover(const Program& program, absl::Span<const Value> operands, absl::flat_hash_map<const std::byte*, std::optional<Size>>& known)
      : program_(program), graph_(*program.graph), operands_(operands), sizes_(graph_.size()), known_(known) {}

  bool Prove() {
    VisitNodes(graph_, RootsOf(program_), [&](NodeId id, const Node& node) {
      order_.push_back(id);
      return node.kind == NodeKind::kLoad ? Visit::kPast : Visit::kInto;
    });
    std::sort(order_.begin(), order_.end());
    // Twice: what a fold's body makes of its own result must be no smaller than that.
    for (int round = 0; round < 3; ++round) {
      const auto before = accumulators_;
      for (NodeId id : order_) {
        if (!Weigh(id)) return false;
      }
      if (round > 0 && before == accumulators_) return true;
    }
    return false;
  }

 private:
  static int64_t Key(int32_t fold_id, int part) { return (static_cast<int64_t>(fold_id) << 16) | part; }

  bool Weigh(NodeId id) {
    const Node& node = graph_.node(id);
    Size& size = sizes_[id];
    if (node.kind == NodeKind::kFold) {
      const FoldInfo& fold = graph_.fold(node);
      for (size_t p = 0; p < fold.inits.size(); ++p) {
        Size& running = accumulators_[Key(fold.id, static_cast<int>(p))];
        Size body = sizes_[fold.bodies[p]];
        if (const NodeId summand = SummandOf(fold, static_cast<int>(p)); summand != kNoNode) {
          double turns = 1;
          for (int64_t extent : fold.extents) turns *= static_cast<double>(extent);
          // An addition goes no further than twice what is added, however it is rounded; sixteen sums may run side by side and are joined.
          body.most = std::max(sizes_[summand].most, sizes_[fold.inits[p]].most) + std::ilogb(turns + 16) + 4;
        }
        running = Either(running, Either(sizes_[fold.inits[p]], body));
      }
      return true;
    }
    if (IsComplex(node.type)) return false;
    if (!IsFloat(node.type)) return true;
    switch (node.kind) {
      case NodeKind::kIndex:
      case NodeKind::kFold: return true;
      case NodeKind::kConstant: {
        const double magnitude = std::fabs(node.constant.re);
        size = SizeBetween(magnitude, std::isfinite(magnitude) ? magnitude : 0, !std::signbit(node.constant.re), node.type);
        return true;
      }
      case NodeKind::kLoad: {
        const Value& operand = operands_[node.operand];
        if (!operand.has_value()) return false;
        const auto [known, fresh] = known_.try_emplace(operand.data());
        if (fresh) known->second = SizeOfArray(operand);
        if (!known->second.has_value()) return false;
        size = *known->second;
        return true;  // a denormal operand is inherited; what is made of it is looked at
      }
      case NodeKind::kSelect: size = Either(sizes_[node.inputs[1]], sizes_[node.inputs[2]]); return true;
      case NodeKind::kAccumulator: size = accumulators_[Key(node.var, node.part)]; return true;
      case NodeKind::kFoldResult: {
        const FoldInfo& fold = graph_.fold(graph_.node(node.inputs[0]));
        size = accumulators_[Key(fold.id, node.part)];
        return true;
      }
      case NodeKind::kScalarOp: return WeighOp(node, size);
    }
    return false;
  }

  // What a fold's part adds to itself; kNoNode: it is no sum.
  NodeId SummandOf(const FoldInfo& fold, int part) const {
    const Node& body = graph_.node(fold.bodies[part]);
    if (body.kind != NodeKind::kScalarOp || (body.op != ScalarOp::kAdd && body.op != ScalarOp::kSubtract)) return kNoNode;
    for (int side = 0; side < (body.op == ScalarOp::kAdd ? 2 : 1); ++side) {
      const Node& from = graph_.node(body.inputs[side]);
      if (from.kind == NodeKind::kAccumulator && from.var == fold.id && from.part == part) return body.inputs[1 - side];
    }
    return kNoNode;
  }

  // Of numbers between two powers of two, rounded to the type.
  static Size Between(int least, int most, bool positive, ElementType type) { return {least, least - Digits(type) + 1, most, positive}; }

  bool WeighOp(const Node& node, Size& size) {
    const Size& a = sizes_[node.inputs[0]];
    const Size& b = sizes_[node.inputs.back()];
    const auto nothing = [](const Size& s) { return s.least >= kHuge; };  // but zero, infinities and NaN
    const auto half = [](int exponent) { return exponent >> 1; };         // rounded down
    const bool positive = a.positive && b.positive;
    switch (node.op) {
      case ScalarOp::kAdd: {
        const int grain = std::min(a.grain, b.grain);
        size = {positive ? std::min(a.least, b.least) : grain, grain, std::max(a.most, b.most) + 1, positive};
        break;
      }
      case ScalarOp::kSubtract: {
        const int grain = std::min(a.grain, b.grain);
        size = {grain, grain, std::max(a.most, b.most) + 1, false};
        break;
      }
      case ScalarOp::kMultiply: {
        const bool square = node.inputs[0] == node.inputs[1];
        size = Size();
        size.positive = positive || square;
        if (nothing(a) || nothing(b)) break;
        size = Between(a.least + b.least, a.most + b.most, positive || square, node.type);
        size.grain = std::max(a.grain + b.grain, size.grain);
        break;
      }
      case ScalarOp::kDivide:
        size = Size();
        size.positive = positive;
        if (!nothing(a) && !nothing(b)) size = Between(a.least - b.most, a.most - b.least, positive, node.type);
        break;
      case ScalarOp::kSqrt:
        size = Size();
        if (!nothing(a)) size = Between(half(a.least), half(a.most + 1), true, node.type);
        break;
      case ScalarOp::kRsqrt:
        size = Size();
        if (!nothing(a)) size = Between(-half(a.most + 1) - 1, 1 - half(a.least), true, node.type);
        break;
      case ScalarOp::kExp:
      case ScalarOp::kLogistic: {
        if (a.most > 10) return false;
        const int reach = static_cast<int>(std::ldexp(1.4427, a.most)) + 2;
        size = Between(a.positive ? -2 : -reach - 1, node.op == ScalarOp::kExp ? reach : 1, true, node.type);
        break;
      }
      case ScalarOp::kTanh:
        size = Size();
        size.positive = a.positive;
        if (!nothing(a)) size = Between(std::min(a.least, 0) - 1, 1, a.positive, node.type);
        break;
      case ScalarOp::kMaximum:
        size = Either(a, b);
        size.positive = a.positive || b.positive;
        break;
      case ScalarOp::kMinimum: size = Either(a, b); break;
      case ScalarOp::kNegate:
        size = a;
        size.positive = false;
        break;
      case ScalarOp::kAbs:
        size = a;
        size.positive = true;
        break;
      case ScalarOp::kConvert: {
        const ElementType from = graph_.node(node.inputs[0]).type;
        if (IsComplex(from)) return false;
        size = IsFloat(from) ? a : Size{0, 0, BitWidth(from), !IsSigned(from)};
        if (size.least < kHuge) size.grain = std::max(size.grain, size.least - Digits(node.type) + 1);
        break;
      }
      default: return false;
    }
    return size.least >= LeastNormal(node.type);
  }

  const Program& program_;
  const ExprGraph& graph_;
  absl::Span<const Value> operands_;
  std::vector<Size> sizes_;
  std::vector<NodeId> order_;
  absl::flat_hash_map<int64_t, Size> accumulators_;
  absl::flat_hash_map<const std::byte*, std::optional<Size>>& known_;
};

}  // namespace

bool NormalProof::Holds(const Program& program, absl::Span<const Value> operands) { return !program.is_push && Prover(program, operands, known_).Prove(); }

}  // namespace hloscope
