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

}  // namespace

class MemberFuser::Impl {
 public:
  Impl(const Computation& computation, const Region& region, ExprGraph& graph, ElementPrograms& programs) : graph_(&graph), programs_(programs) {
    for (size_t k = 0; k < region.inputs.size(); ++k) input_of_[region.inputs[k]] = static_cast<int>(k);
    for (int member : region.members) {
      if (!input_of_.contains(member)) members_[member] = Member();
    }
  }

  // Copies `node` of a program about the operands of `owner` into the graph with its variables replaced and its loads resolved.
  NodeId Copy(const Instruction& owner, const Program& program, NodeId node, std::vector<NodeId> index_map) {
    return graph_->Substitute(*program.graph, node, Substituted(owner, std::move(index_map)));
  }

  absl::StatusOr<std::vector<NodeId>> Outputs(const Instruction& member, const Program& program, std::vector<NodeId> index) {
    index.resize(program.graph->var_count(), kNoNode);
    std::vector<NodeId> roots;
    for (const Program::Output& output : program.outputs) roots.push_back(output.value);
    roots = graph_->SubstituteAll(*program.graph, roots, Substituted(member, std::move(index)));
    if (const absl::Status problem = TakeProblem(); !problem.ok()) return problem;
    return roots;
  }

  absl::StatusOr<NodeId> Element(const Instruction& of, std::vector<NodeId> index) {
    const NodeId node = Load(of, of.shape.element_type(), std::move(index));
    if (const absl::Status problem = TakeProblem(); !problem.ok()) return problem;
    return node;
  }

  const absl::Status& status() const { return status_; }

 private:
  struct Member {
    bool ready = false;
    absl::Status problem;
    const Program* program = nullptr;
    bool is_constant = false;
    Scalar constant;
    absl::flat_hash_map<std::vector<NodeId>, NodeId> made;
  };

  ExprGraph::Substitution Substituted(const Instruction& owner, std::vector<NodeId> index_map) {
    ExprGraph::Substitution substitution;
    substitution.index_map = std::move(index_map);
    substitution.load = [this, &owner](int32_t operand, ElementType type, absl::Span<const NodeId> indices) {
      return Load(*owner.operands[operand], type, std::vector<NodeId>(indices.begin(), indices.end()));
    };
    return substitution;
  }

  absl::Status TakeProblem() { return std::exchange(status_, absl::OkStatus()); }

  NodeId Load(const Instruction& producer, ElementType type, std::vector<NodeId> indices) {
    const auto input = input_of_.find(producer.index);
    if (input != input_of_.end()) return graph_->Load(input->second, type, indices);
    const auto found = members_.find(producer.index);
    if (found == members_.end()) {
      return Fail(absl::InternalError(absl::StrCat("the region reads ", producer.name, ", which is neither a member nor an input")), type);
    }
    Member& member = found->second;
    if (!member.ready) member.problem = Prepare(producer, member);
    if (!member.problem.ok()) return Fail(member.problem, type);
    if (member.is_constant) return graph_->Constant(member.constant);
    const auto made = member.made.find(indices);
    if (made != member.made.end()) return made->second;
    std::vector<NodeId> index_map = indices;
    index_map.resize(member.program->graph->var_count(), kNoNode);
    const NodeId node = Copy(producer, *member.program, member.program->outputs[0].value, std::move(index_map));
    if (status_.ok()) member.made[std::move(indices)] = node;
    return node;
  }

  absl::Status Prepare(const Instruction& instruction, Member& member) {
    member.ready = true;
    if (instruction.literal != nullptr) {
      member.is_constant = RepeatedElement(instruction.literal->value, &member.constant);
      if (member.is_constant) return absl::OkStatus();
      return absl::UnimplementedError(absl::StrCat("the constant ", instruction.name, " has different elements, so it must be an input of the region"));
    }
    const absl::StatusOr<Program>& program = programs_.Of(instruction);
    if (!program.ok()) return program.status();
    if (program->is_push || program->outputs.size() != 1) {
      return absl::UnimplementedError(absl::StrCat(instruction.name, " (", Name(instruction.opcode), ") can only be the root of a region"));
    }
    member.program = &*program;
    return absl::OkStatus();
  }

  // Keeps the first problem; the node that is returned only lets the walk go on.
  NodeId Fail(absl::Status status, ElementType type) {
    if (status_.ok()) status_ = std::move(status);
    Scalar zero;
    zero.type = type;
    return graph_->Constant(zero);
  }

  ExprGraph* graph_;
  ElementPrograms& programs_;
  absl::flat_hash_map<int, int> input_of_;
  absl::flat_hash_map<int, Member> members_;  // never grows after construction, so references stay
  absl::Status status_;
};

const absl::StatusOr<Program>& ElementPrograms::Of(const Instruction& instruction) {
  std::unique_ptr<absl::StatusOr<Program>>& program = programs_[&instruction];
  if (program == nullptr) program = std::make_unique<absl::StatusOr<Program>>(ElementProgram(instruction));
  return *program;
}

absl::StatusOr<Program> FuseRegion(const Computation& computation, const Region& region) {
  ElementPrograms programs;
  const absl::StatusOr<Program>& program = programs.Of(*computation.schedule[region.root]);
  if (!program.ok()) return program.status();
  return FuseRegion(computation, region, *program, programs);
}

absl::StatusOr<Program> FuseRegion(const Computation& computation, const Region& region, const Program& from, ElementPrograms& programs) {
  Program result;
  result.graph = std::make_shared<ExprGraph>(*from.graph);
  for (int input : region.inputs) result.operands.push_back(computation.schedule[input]->shape);
  MemberFuser::Impl fuser(computation, region, *result.graph, programs);
  const Instruction& root = *computation.schedule[region.root];
  std::vector<NodeId> same;
  for (int v = 0; v < from.graph->var_count(); ++v) same.push_back(result.graph->Index(v));
  const auto copy = [&](NodeId node) { return node == kNoNode ? kNoNode : fuser.Copy(root, from, node, same); };
  for (const Program::Output& output : from.outputs) result.outputs.push_back({output.shape, copy(output.value)});
  result.is_push = from.is_push;
  if (from.is_push) {
    result.push = from.push;
    result.push.in_bounds = copy(from.push.in_bounds);
    for (NodeId& node : result.push.target) node = copy(node);
    for (NodeId& node : result.push.combined) node = copy(node);
  }
  if (!fuser.status().ok()) return fuser.status();
  return result;
}

MemberFuser::MemberFuser(const Computation& computation, const Region& region, ExprGraph& graph, ElementPrograms& programs)
    : impl_(std::make_unique<Impl>(computation, region, graph, programs)) {}
MemberFuser::~MemberFuser() = default;

absl::StatusOr<std::vector<NodeId>> MemberFuser::Outputs(const Instruction& member, const Program& program, std::vector<NodeId> index) {
  return impl_->Outputs(member, program, std::move(index));
}

absl::StatusOr<NodeId> MemberFuser::Element(const Instruction& of, std::vector<NodeId> index) {
  return impl_->Element(of, std::move(index));
}

}  // namespace hloscope
