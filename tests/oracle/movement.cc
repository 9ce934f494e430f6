// Operations of the oracle that move elements and do not compute: each is one loop over the result (or the operand).
#include <algorithm>
#include <cmath>

#include "tests/oracle/arrays.h"

namespace hloscope::oracle {
namespace {

Array Broadcast(const Instruction& instruction, const Array& operand) {
  Array out(instruction.shape);
  const auto dimensions = instruction.Ints(AttrId::kDimensions);
  ForEach(out.shape.dimensions(), [&](const Index& o) {
    Index from(operand.shape.rank());
    for (size_t d = 0; d < from.size(); ++d) from[d] = operand.shape.dim(static_cast<int>(d)) == 1 ? 0 : o[dimensions[d]];
    out.at(o) = operand.at(from);
  });
  return out;
}

// Positions in memory order of a shape: the layout's minor-to-major order, row-major when none is written.
std::vector<int64_t> MemoryOrder(const Shape& shape) {
  Index minor_to_major;
  for (int d = shape.rank() - 1; d >= 0; --d) minor_to_major.push_back(d);
  if (shape.layout() != nullptr && static_cast<int>(shape.layout()->minor_to_major.size()) == shape.rank()) {
    minor_to_major.assign(shape.layout()->minor_to_major.begin(), shape.layout()->minor_to_major.end());
  }
  Index sizes;  // most major first
  for (auto it = minor_to_major.rbegin(); it != minor_to_major.rend(); ++it) sizes.push_back(shape.dim(static_cast<int>(*it)));
  std::vector<int64_t> order;
  ForEach(sizes, [&](const Index& m) {
    Index logical(shape.rank());
    for (size_t k = 0; k < m.size(); ++k) logical[minor_to_major[shape.rank() - 1 - k]] = m[k];
    int64_t position = 0;
    for (int d = 0; d < shape.rank(); ++d) position = position * shape.dim(d) + logical[d];
    order.push_back(position);
  });
  return order;
}

// Bits of `operand` in the given order, cut anew into elements of the result's width.
std::vector<Number> Recut(const Array& operand, const std::vector<Number>& in, ElementType to, size_t count) {
  const ElementType from = operand.type();
  const int from_bits = BitWidth(from), to_bits = BitWidth(to);
  std::vector<Number> out(count);
  for (size_t k = 0; k < count; ++k) {
    unsigned __int128 bits = 0;
    bool unknown = false;
    if (to_bits >= from_bits) {
      const size_t ratio = to_bits / from_bits;
      for (size_t r = 0; r < ratio; ++r) {
        const Number& x = in[k * ratio + r];
        unknown |= x.error != 0;
        bits |= Bits(from, x) << (r * from_bits);
      }
    } else {
      const size_t ratio = from_bits / to_bits;
      const Number& x = in[k / ratio];
      unknown = x.error != 0;
      bits = Bits(from, x) >> (k % ratio * to_bits);
    }
    out[k] = unknown ? Unknown() : FromBits(to, bits);
    if (std::isnan(out[k].re) || std::isnan(out[k].im)) out[k].error = 0x1p-1074;  // which NaN is not kept apart
  }
  return out;
}

Array BitcastConvert(const Instruction& instruction, const Array& operand) {
  Array out(instruction.shape);
  out.elements = Recut(operand, operand.elements, out.type(), out.elements.size());
  return out;
}

Array Bitcast(const Instruction& instruction, const Array& operand) {
  Array out(instruction.shape);
  const std::vector<int64_t> from = MemoryOrder(instruction.operands[0]->shape), to = MemoryOrder(out.shape);
  std::vector<Number> memory;
  for (int64_t position : from) memory.push_back(operand.elements[position]);
  if (operand.type() != out.type()) memory = Recut(operand, memory, out.type(), out.elements.size());
  for (size_t k = 0; k < to.size(); ++k) out.elements[to[k]] = memory[k];
  return out;
}

Array Transpose(const Instruction& instruction, const Array& operand) {
  Array out(instruction.shape);
  const auto permutation = instruction.Ints(AttrId::kDimensions);
  ForEach(out.shape.dimensions(), [&](const Index& o) {
    Index from(o.size());
    for (size_t d = 0; d < o.size(); ++d) from[permutation[d]] = o[d];
    out.at(o) = operand.at(from);
  });
  return out;
}

Array Reverse(const Instruction& instruction, const Array& operand) {
  Array out(instruction.shape);
  ForEach(out.shape.dimensions(), [&](const Index& o) {
    Index from = o;
    for (int64_t d : instruction.Ints(AttrId::kDimensions)) from[d] = out.shape.dim(static_cast<int>(d)) - 1 - o[d];
    out.at(o) = operand.at(from);
  });
  return out;
}

Array Slice(const Instruction& instruction, const Array& operand) {
  Array out(instruction.shape);
  const auto slices = instruction.GetSlices();
  ForEach(out.shape.dimensions(), [&](const Index& o) {
    Index from(o.size());
    for (size_t d = 0; d < o.size(); ++d) from[d] = slices[d].start + o[d] * slices[d].stride;
    out.at(o) = operand.at(from);
  });
  return out;
}

// The start of a slice of `sizes`, clamped; false when an index is not known.
bool Start(const Array& operand, absl::Span<const int64_t> sizes, Operands indices, Index& start) {
  start.assign(sizes.size(), 0);
  for (size_t d = 0; d < sizes.size(); ++d) {
    // Either one scalar a dimension, or (as it used to be) one vector of them.
    const bool vector = indices.size() == 1 && indices[0]->shape.rank() == 1;
    const Array& a = vector ? *indices[0] : *indices[d];
    const Number& x = a.elements[vector ? d : 0];
    if (x.unknown()) return false;
    const int64_t room = operand.shape.dim(static_cast<int>(d)) - sizes[d];
    const bool huge = !IsSigned(a.type()) && x.i < 0;  // beyond INT64_MAX
    start[d] = huge ? room : std::max<int64_t>(0, std::min(x.i, room));
  }
  return true;
}

Array DynamicSlice(const Instruction& instruction, Operands operands) {
  Array out(instruction.shape);
  Index start;
  if (!Start(*operands[0], out.shape.dimensions(), operands.subspan(1), start)) {
    SetUnknown(out);
    return out;
  }
  ForEach(out.shape.dimensions(), [&](const Index& o) {
    Index from(o.size());
    for (size_t d = 0; d < o.size(); ++d) from[d] = start[d] + o[d];
    out.at(o) = operands[0]->at(from);
  });
  return out;
}

Array DynamicUpdateSlice(const Instruction& instruction, Operands operands) {
  Array out = *operands[0];
  out.shape = instruction.shape;
  Index start;
  if (!Start(*operands[0], operands[1]->shape.dimensions(), operands.subspan(2), start)) {
    SetUnknown(out);
    return out;
  }
  ForEach(operands[1]->shape.dimensions(), [&](const Index& u) {
    Index to(u.size());
    for (size_t d = 0; d < u.size(); ++d) to[d] = start[d] + u[d];
    out.at(to) = operands[1]->at(u);
  });
  return out;
}

Array Concatenate(const Instruction& instruction, Operands operands) {
  Array out(instruction.shape);
  const int64_t dimension = instruction.Ints(AttrId::kDimensions)[0];
  int64_t offset = 0;
  for (const Array* operand : operands) {
    ForEach(operand->shape.dimensions(), [&](const Index& i) {
      Index to = i;
      to[dimension] += offset;
      out.at(to) = operand->at(i);
    });
    offset += operand->shape.dim(static_cast<int>(dimension));
  }
  return out;
}

Array Pad(const Instruction& instruction, const Array& operand, const Array& value) {
  Array out(instruction.shape);
  std::fill(out.elements.begin(), out.elements.end(), value.elements[0]);
  const auto padding = instruction.GetPadding();
  ForEach(operand.shape.dimensions(), [&](const Index& i) {
    Index to(i.size());
    for (size_t d = 0; d < i.size(); ++d) {
      to[d] = padding[d].low + i[d] * (padding[d].interior + 1);
      if (to[d] < 0 || to[d] >= out.shape.dim(static_cast<int>(d))) return;
    }
    out.at(to) = operand.at(i);
  });
  return out;
}

Array Iota(const Instruction& instruction) {
  Array out(instruction.shape);
  const int64_t dimension = instruction.Int(AttrId::kIotaDimension);
  ForEach(out.shape.dimensions(), [&](const Index& o) { out.at(o) = Convert(ElementType::kS64, out.type(), Int(o[dimension])); });
  return out;
}

}  // namespace

absl::StatusOr<Array> MoveData(const Instruction& instruction, Operands operands, Caller& caller) {
  switch (instruction.opcode) {
    case Opcode::kBroadcast: return Broadcast(instruction, *operands[0]);
    case Opcode::kReshape: {
      Array out = *operands[0];
      out.shape = instruction.shape;
      return out;
    }
    case Opcode::kBitcast: return Bitcast(instruction, *operands[0]);
    case Opcode::kBitcastConvert: return BitcastConvert(instruction, *operands[0]);
    case Opcode::kTranspose: return Transpose(instruction, *operands[0]);
    case Opcode::kReverse: return Reverse(instruction, *operands[0]);
    case Opcode::kSlice: return Slice(instruction, *operands[0]);
    case Opcode::kDynamicSlice: return DynamicSlice(instruction, operands);
    case Opcode::kDynamicUpdateSlice: return DynamicUpdateSlice(instruction, operands);
    case Opcode::kConcatenate: return Concatenate(instruction, operands);
    case Opcode::kPad: return Pad(instruction, *operands[0], *operands[1]);
    case Opcode::kIota: return Iota(instruction);
    case Opcode::kGather:
    case Opcode::kScatter: return GatherOrScatter(instruction, operands, caller);
    default: return absl::NotFoundError("no data movement");
  }
}

}  // namespace hloscope::oracle
