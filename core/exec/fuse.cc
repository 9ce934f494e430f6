// Fusion by substitution. The result's graph starts as a copy of the root's, so that its variables and the accumulator of a push keep
// their numbers; members are copied in at the indices where they are loaded, once for each distinct list of indices.
#include "core/exec/fuse.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// The element that all elements of `value` equal bit for bit; false when they differ or there are none.
bool RepeatedElement(const Value& value, Scalar* element) {
  if (!value.has_value() || !value.shape().IsArray() || value.element_count() == 0) return false;
  const int64_t size = StorageBytes(value.shape().element_type());
  const std::byte* data = value.data();
  // All equal exactly when the bytes equal themselves shifted by one element.
  if (value.element_count() > 1 && std::memcmp(data, data + size, (value.element_count() - 1) * size) != 0) return false;
  *element = LoadScalar(value.shape().element_type(), data);
  return true;
}

class Fuser {
 public:
  Fuser(const Computation& computation, const Region& region) : computation_(computation), region_(region) {
    for (size_t k = 0; k < region.inputs.size(); ++k) input_of_[region.inputs[k]] = static_cast<int>(k);
    for (int member : region.members) {
      if (!input_of_.contains(member)) members_[member] = Member();
    }
  }

  absl::StatusOr<Program> Fuse() {
    const Instruction& root = *computation_.schedule[region_.root];
    absl::StatusOr<Program> program = ElementProgram(root);
    if (!program.ok()) return program.status();
    const Program& from = *program;
    Program result;
    result.graph = std::make_shared<ExprGraph>(*from.graph);
    graph_ = result.graph.get();
    for (int input : region_.inputs) result.operands.push_back(computation_.schedule[input]->shape);
    std::vector<NodeId> same;
    for (int v = 0; v < from.graph->var_count(); ++v) same.push_back(graph_->Index(v));
    const auto copy = [&](NodeId node) { return node == kNoNode ? kNoNode : Copy(root, from, node, same); };
    for (const Program::Output& output : from.outputs) result.outputs.push_back({output.shape, copy(output.value)});
    result.is_push = from.is_push;
    if (from.is_push) {
      result.push = from.push;
      result.push.in_bounds = copy(from.push.in_bounds);
      for (NodeId& node : result.push.target) node = copy(node);
      for (NodeId& node : result.push.combined) node = copy(node);
    }
    if (!status_.ok()) return status_;
    return result;
  }

 private:
  struct Member {
    bool ready = false;
    Program program;
    bool is_constant = false;
    Scalar constant;
    absl::flat_hash_map<std::vector<NodeId>, NodeId> made;
  };

  // Copies `node` of the program of `owner` into the result with its variables replaced and its loads resolved.
  NodeId Copy(const Instruction& owner, const Program& program, NodeId node, std::vector<NodeId> index_map) {
    ExprGraph::Substitution substitution;
    substitution.index_map = std::move(index_map);
    substitution.load = [this, &owner](int32_t operand, ElementType type, absl::Span<const NodeId> indices) {
      return Load(*owner.operands[operand], type, std::vector<NodeId>(indices.begin(), indices.end()));
    };
    return graph_->Substitute(*program.graph, node, substitution);
  }

  NodeId Load(const Instruction& producer, ElementType type, std::vector<NodeId> indices) {
    const auto input = input_of_.find(producer.index);
    if (input != input_of_.end()) return graph_->Load(input->second, type, indices);
    const auto found = members_.find(producer.index);
    if (found == members_.end()) {
      return Fail(absl::InternalError(absl::StrCat("the region reads ", producer.name, ", which is neither a member nor an input")), type);
    }
    Member& member = found->second;
    if (!member.ready) {
      const absl::Status status = Prepare(producer, member);
      if (!status.ok()) return Fail(status, type);
    }
    if (member.is_constant) return graph_->Constant(member.constant);
    const auto made = member.made.find(indices);
    if (made != member.made.end()) return made->second;
    std::vector<NodeId> index_map = indices;
    index_map.resize(member.program.graph->var_count(), kNoNode);
    const NodeId node = Copy(producer, member.program, member.program.outputs[0].value, std::move(index_map));
    member.made[std::move(indices)] = node;
    return node;
  }

  absl::Status Prepare(const Instruction& instruction, Member& member) {
    member.ready = true;
    if (instruction.literal != nullptr) {
      member.is_constant = RepeatedElement(instruction.literal->value, &member.constant);
      if (member.is_constant) return absl::OkStatus();
      return absl::UnimplementedError(absl::StrCat("the constant ", instruction.name, " has different elements, so it must be an input of the region"));
    }
    absl::StatusOr<Program> program = ElementProgram(instruction);
    if (!program.ok()) return program.status();
    if (program->is_push || program->outputs.size() != 1) {
      return absl::UnimplementedError(absl::StrCat(instruction.name, " (", Name(instruction.opcode), ") can only be the root of a region"));
    }
    member.program = *std::move(program);
    return absl::OkStatus();
  }

  // Keeps the first problem; the node that is returned only lets the walk go on.
  NodeId Fail(absl::Status status, ElementType type) {
    if (status_.ok()) status_ = std::move(status);
    Scalar zero;
    zero.type = type;
    return graph_->Constant(zero);
  }

  const Computation& computation_;
  const Region& region_;
  ExprGraph* graph_ = nullptr;
  absl::flat_hash_map<int, int> input_of_;
  absl::flat_hash_map<int, Member> members_;  // never grows after construction, so references stay
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Program> FuseRegion(const Computation& computation, const Region& region) { return Fuser(computation, region).Fuse(); }

}  // namespace hloscope
