// One pass over each computation, callees first, with values as lists of leaf buffers so that tuples alias their elements.
#include "core/exec/live.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

int LeafCount(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  int count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += LeafCount(element);
  return count;
}

void LeafBytes(const Shape& shape, std::vector<int64_t>& bytes) {
  if (!shape.IsTuple()) {
    bytes.push_back(shape.ByteSize());
    return;
  }
  for (const Shape& element : shape.tuple_shapes()) LeafBytes(element, bytes);
}

// A literal of one repeated element.
bool IsSplat(const ConstantLiteral& literal) {
  const Value& value = literal.value;
  if (!value.has_value() || !value.shape().IsArray()) return false;
  const int64_t width = StorageBytes(value.shape().element_type()), size = value.byte_size();
  return size <= width || std::equal(value.data() + width, value.data() + size, value.data());
}

// Nothing is stored for these: a reader makes their elements.
bool CountsNothing(const Instruction& i) {
  if (i.literal != nullptr) return IsSplat(*i.literal);
  const OpDef& def = Def(i);
  if (def.op_class != OpClass::kPull) return false;
  if (def.movement == Movement::kCreate) return i.operands.empty();
  // Each element of the operand comes out many times: a broadcast.
  return def.movement == Movement::kMove && i.operands.size() == 1 && i.Has(AttrId::kDimensions) && i.shape.ElementCount() > i.operands[0]->shape.ElementCount();
}

class Pass {
 public:
  LiveSet Run(const Module& module) {
    LiveSet result;
    if (module.entry == nullptr) return result;
    for (const Instruction* parameter : module.entry->parameters) result.parameter_bytes += parameter->shape.ByteSize();
    result.largest_bytes = Largest(*module.entry, &result.where);
    return result;
  }

 private:
  // Depth of the recursion is the depth of calls.
  int64_t Largest(const Computation& computation, const Instruction** where) {
    if (auto known = known_.find(&computation); known != known_.end()) return known->second;
    constexpr int kFree = -1;  // external, or counts nothing
    const int size = static_cast<int>(computation.schedule.size());
    std::vector<std::vector<int>> buffers(size);  // by position: a buffer for each leaf
    std::vector<int64_t> bytes;                   // by buffer
    std::vector<int> last_use;
    for (int p = 0; p < size; ++p) {
      const Instruction& i = *computation.schedule[p];
      buffers[p] = Leaves(i, buffers);
      if (buffers[p].empty()) {
        if (i.parameter_number >= 0 || CountsNothing(i)) {
          buffers[p].assign(LeafCount(i.shape), kFree);
        } else {
          std::vector<int64_t> leaves;
          LeafBytes(i.shape, leaves);
          for (int64_t leaf : leaves) {
            buffers[p].push_back(static_cast<int>(bytes.size()));
            bytes.push_back(leaf);
            last_use.push_back(p);
          }
        }
      }
      for (const Instruction* operand : i.operands) {
        for (int b : buffers[operand->index]) {
          if (b != kFree) last_use[b] = p;
        }
      }
    }
    if (computation.root != nullptr) {
      for (int b : buffers[computation.root->index]) {
        if (b != kFree) last_use[b] = size;
      }
    }
    std::vector<int64_t> freed(size + 1, 0);  // after the instruction at this position
    for (size_t b = 0; b < bytes.size(); ++b) freed[last_use[b]] += bytes[b];
    std::vector<bool> born(bytes.size(), false);
    int64_t live = 0, largest = 0;
    for (int p = 0; p < size; ++p) {
      const Instruction& i = *computation.schedule[p];
      int64_t result = 0, inside = 0;
      for (int b : buffers[p]) {
        if (b == kFree || born[b]) continue;
        born[b] = true;
        result += bytes[b];
      }
      if (Def(i).control != ControlKind::kNone) {
        for (const Computation* called : i.CalledComputations()) inside = std::max(inside, Largest(*called, nullptr));
      }
      if (int64_t now = live + std::max(result, inside); now > largest) {
        largest = now;
        if (where != nullptr) *where = &i;
      }
      live += result - freed[p];
    }
    known_[&computation] = largest;
    return largest;
  }

  // Buffers of an instruction that only passes handles on; empty: it makes its own.
  static std::vector<int> Leaves(const Instruction& i, const std::vector<std::vector<int>>& buffers) {
    if (Def(i).op_class != OpClass::kStructural || i.operands.empty()) return {};
    const int wanted = LeafCount(i.shape);
    if (i.operands.size() == 1 && i.operands[0]->shape.IsTuple() && i.Has(AttrId::kIndex)) {
      int first = 0;
      for (int64_t k = 0; k < i.Int(AttrId::kIndex); ++k) first += LeafCount(i.operands[0]->shape.tuple_shapes()[k]);
      const std::vector<int>& all = buffers[i.operands[0]->index];
      return std::vector<int>(all.begin() + first, all.begin() + first + wanted);
    }
    std::vector<int> all;
    for (const Instruction* operand : i.operands) all.insert(all.end(), buffers[operand->index].begin(), buffers[operand->index].end());
    if (static_cast<int>(all.size()) == wanted) return all;
    return {};
  }

  absl::flat_hash_map<const Computation*, int64_t> known_;
};

}  // namespace

LiveSet LargestLiveSet(const Module& module) { return Pass().Run(module); }

}  // namespace hloscope
