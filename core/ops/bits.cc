// See bits.h. Both sides are seen as rows of real numbers ("atoms"); one result atom is a piece of an operand's atom or several of them.
#include "core/ops/bits.h"

namespace hloscope {

bool WidthsFit(ElementType a, ElementType b) {
  const int x = BitWidth(a), y = BitWidth(b);
  const auto power_of_two = [](int n) { return (n & (n - 1)) == 0; };
  return x == y || (power_of_two(x) && power_of_two(y));
}

ElementType UnsignedOf(int bits) {
  switch (bits) {
    case 1: return ElementType::kU1;
    case 2: return ElementType::kU2;
    case 4: return ElementType::kU4;
    case 6:  // there is none of 6 bits; they lie in a byte
    case 8: return ElementType::kU8;
    case 16: return ElementType::kU16;
    case 32: return ElementType::kU32;
    default: return ElementType::kU64;
  }
}

NodeId ReadBitsAs(ExprGraph& graph, ElementType to, NodeId linear, ElementType from, const std::function<NodeId(NodeId n)>& load) {
  const ElementType to_real = RealTypeOf(to), from_real = RealTypeOf(from);
  const int to_bits = BitWidth(to_real), from_bits = BitWidth(from_real);
  const ElementType to_unsigned = UnsignedOf(to_bits), from_unsigned = UnsignedOf(from_bits);
  const auto atom = [&](NodeId n) {
    if (!IsComplex(from)) return graph.Bitcast(from_unsigned, load(n));
    const NodeId element = load(graph.FloorDiv(n, 2));
    const NodeId first = graph.Binary(ScalarOp::kEq, graph.Mod(n, 2), graph.IndexConstant(0));
    return graph.Bitcast(from_unsigned, graph.Select(first, graph.Unary(ScalarOp::kReal, element), graph.Unary(ScalarOp::kImag, element)));
  };
  const auto result_atom = [&](NodeId n) {
    if (to_bits == from_bits) return graph.Bitcast(to_real, atom(n));
    if (to_bits < from_bits) {
      const int64_t ratio = from_bits / to_bits;
      const NodeId shift = graph.Convert(from_unsigned, graph.Mul(graph.Mod(n, ratio), graph.IndexConstant(to_bits)));
      const NodeId piece = graph.Binary(ScalarOp::kShiftRightLogical, atom(graph.FloorDiv(n, ratio)), shift);
      return graph.Bitcast(to_real, graph.Convert(to_unsigned, piece));
    }
    const int64_t ratio = to_bits / from_bits;
    NodeId all = kNoNode;
    for (int64_t k = 0; k < ratio; ++k) {
      NodeId part = graph.Convert(to_unsigned, atom(graph.Add(graph.Mul(n, graph.IndexConstant(ratio)), graph.IndexConstant(k))));
      part = graph.Binary(ScalarOp::kShiftLeft, part, graph.Constant(Scalar::Int(to_unsigned, k * from_bits)));
      all = all == kNoNode ? part : graph.Binary(ScalarOp::kOr, all, part);
    }
    return graph.Bitcast(to_real, all);
  };
  if (!IsComplex(to)) return result_atom(linear);
  const NodeId first = graph.Mul(linear, graph.IndexConstant(2));
  return graph.Binary(ScalarOp::kComplex, result_atom(first), result_atom(graph.Add(first, graph.IndexConstant(1))));
}

}  // namespace hloscope
