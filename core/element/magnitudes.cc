// Of each node two exponents are known: no value other than zero is smaller than 2^least, and all are multiples of 2^grain. A sum of such numbers
// is one too: whatever cancels, what is left is zero or at least a grain.
#include "core/element/magnitudes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "core/base/clones.h"

namespace hloscope {
namespace {

constexpr int kHuge = 1 << 20;  // of what is always zero

struct Size {
  int least = kHuge, grain = kHuge;
  friend bool operator==(const Size&, const Size&) = default;
};

Size Either(const Size& a, const Size& b) { return {std::min(a.least, b.least), std::min(a.grain, b.grain)}; }

int Digits(ElementType type) { return static_cast<int>(std::lround(-std::log2(UnitRoundoff(type)))); }  // 24 of f32
int LeastNormal(ElementType type) { return std::ilogb(UlpAt(type, 0) / (2 * UnitRoundoff(type))); }

template <typename Word>
HLOSCOPE_INLINE Word LeastBitsOf(const std::byte* data, int64_t n, Word mask) {
  const Word* words = reinterpret_cast<const Word*>(data);
  Word least = ~Word{0};
  for (int64_t i = 0; i < n; ++i) {
    const Word w = static_cast<Word>((words[i] & mask) - 1);  // zero becomes the largest
    least = w < least ? w : least;
  }
  return least;
}
HLOSCOPE_CLONES uint16_t LeastBits(const std::byte* data, int64_t n, uint16_t mask) { return LeastBitsOf(data, n, mask); }
HLOSCOPE_CLONES uint32_t LeastBits(const std::byte* data, int64_t n, uint32_t mask) { return LeastBitsOf(data, n, mask); }
HLOSCOPE_CLONES uint64_t LeastBits(const std::byte* data, int64_t n, uint64_t mask) { return LeastBitsOf(data, n, mask); }

// The smallest magnitude other than zero; 0: none.
std::optional<double> LeastOf(const Value& array) {
  const ElementType type = array.shape().element_type();
  const int64_t n = array.element_count();
  const auto decode = [&](uint64_t bits, bool none) { return none ? 0.0 : DecodeFloat(type, bits + 1); };
  switch (type) {
    case ElementType::kF32: {
      const uint32_t bits = LeastBits(array.data(), n, uint32_t{0x7fffffff});
      return decode(bits, bits == ~uint32_t{0});
    }
    case ElementType::kF64: {
      const uint64_t bits = LeastBits(array.data(), n, ~uint64_t{0} >> 1);
      return decode(bits, bits == ~uint64_t{0});
    }
    case ElementType::kBF16:
    case ElementType::kF16: {
      const uint16_t bits = LeastBits(array.data(), n, uint16_t{0x7fff});
      return decode(bits, bits == 0xffff);
    }
    default: return std::nullopt;
  }
}

class Prover {
 public:
  Prover(const Program& program, absl::Span<const Value> operands) : program_(program), graph_(*program.graph), operands_(operands), sizes_(graph_.size()) {}

  bool Prove() {
    for (const Program::Output& output : program_.outputs) Visit(output.value);
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
  void Visit(NodeId root) {
    std::vector<NodeId> todo = {root};
    std::vector<bool> seen(graph_.size(), false);
    while (!todo.empty()) {
      const NodeId id = todo.back();
      todo.pop_back();
      if (seen[id]) continue;
      seen[id] = true;
      order_.push_back(id);
      const Node& node = graph_.node(id);
      if (node.kind != NodeKind::kLoad) todo.insert(todo.end(), node.inputs.begin(), node.inputs.end());
      if (node.kind != NodeKind::kFold) continue;
      const FoldInfo& fold = graph_.fold(node);
      todo.insert(todo.end(), fold.inits.begin(), fold.inits.end());
      todo.insert(todo.end(), fold.bodies.begin(), fold.bodies.end());
    }
  }

  static int64_t Key(int32_t fold_id, int part) { return (static_cast<int64_t>(fold_id) << 16) | part; }

  bool Weigh(NodeId id) {
    const Node& node = graph_.node(id);
    Size& size = sizes_[id];
    if (node.kind == NodeKind::kFold) {
      const FoldInfo& fold = graph_.fold(node);
      for (size_t p = 0; p < fold.inits.size(); ++p) {
        Size& running = accumulators_[Key(fold.id, static_cast<int>(p))];
        running = Either(running, Either(sizes_[fold.inits[p]], sizes_[fold.bodies[p]]));
      }
      return true;
    }
    if (IsComplex(node.type)) return false;
    if (!IsFloat(node.type)) return true;
    switch (node.kind) {
      case NodeKind::kIndex:
      case NodeKind::kFold: return true;
      case NodeKind::kConstant: size = SizeOf(std::fabs(node.constant.re), node.type); return true;
      case NodeKind::kLoad: {
        const auto [known, fresh] = loads_.try_emplace(node.operand);
        if (fresh) {
          if (!operands_[node.operand].has_value()) return false;
          const std::optional<double> least = LeastOf(operands_[node.operand]);
          if (!least.has_value()) return false;
          known->second = SizeOf(*least, node.type);
        }
        size = known->second;
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

  static Size SizeOf(double least, ElementType type) {
    if (least == 0 || !std::isfinite(least)) return {};
    return {std::ilogb(least), std::ilogb(least) - Digits(type) + 1};
  }

  bool WeighOp(const Node& node, Size& size) {
    const Size& a = sizes_[node.inputs[0]];
    switch (node.op) {
      case ScalarOp::kAdd:
      case ScalarOp::kSubtract: {
        const int grain = std::min(a.grain, sizes_[node.inputs[1]].grain);
        size = {grain, grain};
        break;
      }
      case ScalarOp::kMultiply: {
        const Size& b = sizes_[node.inputs[1]];
        if (a.least >= kHuge || b.least >= kHuge) {
          size = Size();
          break;
        }
        size.least = a.least + b.least;
        size.grain = std::max(a.grain + b.grain, size.least - Digits(node.type) + 1);
        break;
      }
      case ScalarOp::kMaximum:
      case ScalarOp::kMinimum: size = Either(a, sizes_[node.inputs[1]]); break;
      case ScalarOp::kNegate:
      case ScalarOp::kAbs: size = a; break;
      case ScalarOp::kConvert:
        if (!IsFloat(graph_.node(node.inputs[0]).type)) return false;
        size = a;
        break;
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
  absl::flat_hash_map<int32_t, Size> loads_;
};

}  // namespace

bool StaysNormal(const Program& program, absl::Span<const Value> operands) { return !program.is_push && Prover(program, operands).Prove(); }

}  // namespace hloscope
