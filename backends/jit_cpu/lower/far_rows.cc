// Rows that are found through indices (gather, scatter): no processor guesses where the next one is, so what later steps of the loop read or change is
// fetched while the step at hand is computed.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "backends/jit_cpu/lower/kernel_emitter.h"

namespace hloscope {
namespace {

constexpr size_t kIndexNodes = 48;            // more than an index is worth to be computed twice for
constexpr int64_t kBytesAhead = 8 << 10;      // of rows between the step that fetches and the one that needs it
constexpr int64_t kMinStepsAhead = 2, kMaxStepsAhead = 32;

}  // namespace

int64_t KernelEmitter::StepsAhead(int64_t row_bytes) { return std::clamp(kBytesAhead / std::max<int64_t>(1, row_bytes), kMinStepsAhead, kMaxStepsAhead); }

// A term is of an index that was loaded or listed, and all of them can be computed for another step at little cost.
bool KernelEmitter::IsFar(absl::Span<const std::pair<NodeId, int64_t>> terms) const {
  std::vector<NodeId> open;
  absl::flat_hash_set<NodeId> seen;
  bool loads = false;
  for (const auto& [atom, factor] : terms) open.push_back(atom);
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const Node& node = g_.node(id);
    if (node.kind == NodeKind::kFold || node.kind == NodeKind::kFoldResult || facts_.guarded[id] || seen.size() > kIndexNodes) return false;
    loads |= node.kind == NodeKind::kLoad || (node.kind == NodeKind::kIndex && node.var == listed_var_);
    open.insert(open.end(), node.inputs.begin(), node.inputs.end());
  }
  return loads;
}

// Elements of rows of a large operand that an index has chosen.
bool KernelEmitter::HasFarLoad() const {
  if (p_.extents.empty()) return false;
  const int32_t inner = static_cast<int32_t>(p_.extents.size()) - 1;
  for (NodeId id = 0; id < g_.size(); ++id) {
    const Node& node = g_.node(id);
    if (!facts_.reachable[id] || node.kind != NodeKind::kLoad || p_.operands[node.operand].ByteSize() < kFetchedBytes) continue;
    std::vector<std::pair<NodeId, int64_t>> fixed;
    int moving = 0;
    for (const auto& term : g_.ToAffine(node.inputs[0]).terms) {
      if (!facts_.depends[term.first].test(inner)) fixed.push_back(term);
      else moving += g_.node(term.first).kind == NodeKind::kIndex && term.second == 1 ? 1 : 2;
    }
    if (moving == 1 && IsFar(fixed)) return true;
  }
  return false;
}

}  // namespace hloscope
