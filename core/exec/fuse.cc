// Fusion by substitution. The result's graph starts as a copy of the root's, so that its variables and the accumulator of a push keep
// their numbers; members are copied in at the indices where they are loaded, once for each distinct list of indices.
#include "core/exec/fuse.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
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
    sources_.reserve(region.inputs.size() + region.members.size());
    // An input first, so that a member that is one too is loaded.
    for (size_t k = 0; k < region.inputs.size(); ++k) sources_.emplace_back(region.inputs[k], static_cast<int>(k));
    for (const int member : region.members) sources_.emplace_back(member, Source::kMember);
    std::stable_sort(sources_.begin(), sources_.end(), [](const Source& x, const Source& y) { return x.position < y.position; });
  }

  // Copies `node` of a program about the operands of `owner` into the graph with its variables replaced and its loads resolved.
  NodeId Copy(const Instruction& owner, const Program& program, NodeId node, absl::Span<const NodeId> index) {
    return graph_->Substitute(*program.graph, node, Substituted(owner, program, index));
  }

  absl::StatusOr<std::vector<NodeId>> Outputs(const Instruction& member, const Program& program, absl::Span<const NodeId> index) {
    std::vector<NodeId> roots;
    for (const Program::Output& output : program.outputs) roots.push_back(output.value);
    roots = graph_->SubstituteAll(*program.graph, roots, Substituted(member, program, index));
    if (const absl::Status problem = TakeProblem(); !problem.ok()) return problem;
    return roots;
  }

  absl::StatusOr<NodeId> Element(const Instruction& of, absl::Span<const NodeId> index) {
    const NodeId node = Load(of, of.shape.element_type(), index);
    if (const absl::Status problem = TakeProblem(); !problem.ok()) return problem;
    return node;
  }

  const absl::Status& status() const { return status_; }

 private:
  using Indices = absl::InlinedVector<NodeId, 6>;

  // Where the values at a position of the schedule come from.
  struct Source {
    static constexpr int kMember = -1;
    Source(int position, int input) : position(position), input(input) {}
    int position, input;
    // Of a member:
    bool ready = false;
    absl::Status problem;
    const Program* program = nullptr;
    bool is_constant = false;
    Scalar constant;
    // Most are read at the same indices by all.
    Indices first_indices;
    NodeId first_made = kNoNode;
    absl::flat_hash_map<Indices, NodeId> made;
  };

  ExprGraph::Substitution Substituted(const Instruction& owner, const Program& program, absl::Span<const NodeId> index) {
    ExprGraph::Substitution substitution;
    substitution.index_map.reserve(program.graph->var_count());
    substitution.index_map.assign(index.begin(), index.end());
    substitution.index_map.resize(program.graph->var_count(), kNoNode);
    substitution.load = [this, &owner](int32_t operand, ElementType type, absl::Span<const NodeId> indices) {
      return Load(*owner.operands[operand], type, indices);
    };
    return substitution;
  }

  absl::Status TakeProblem() { return std::exchange(status_, absl::OkStatus()); }

  NodeId Load(const Instruction& producer, ElementType type, absl::Span<const NodeId> indices) {
    const auto found = std::lower_bound(sources_.begin(), sources_.end(), producer.index, [](const Source& s, int at) { return s.position < at; });
    if (found == sources_.end() || found->position != producer.index) {
      return Fail(absl::InternalError(absl::StrCat("the region reads ", producer.name, ", which is neither a member nor an input")), type);
    }
    if (found->input != Source::kMember) return graph_->Load(found->input, type, indices);
    Source& member = *found;
    if (!member.ready) member.problem = Prepare(producer, member);
    if (!member.problem.ok()) return Fail(member.problem, type);
    if (member.is_constant) return graph_->Constant(member.constant);
    if (member.first_made != kNoNode && absl::MakeConstSpan(member.first_indices) == indices) return member.first_made;
    const Indices key(indices.begin(), indices.end());
    if (const auto made = member.made.find(key); made != member.made.end()) return made->second;
    const NodeId node = Copy(producer, *member.program, member.program->outputs[0].value, key);
    if (!status_.ok()) return node;
    if (member.first_made == kNoNode) {
      member.first_indices = key;
      member.first_made = node;
    } else {
      member.made[key] = node;
    }
    return node;
  }

  absl::Status Prepare(const Instruction& instruction, Source& member) {
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
  std::vector<Source> sources_;  // by position; never grows after construction, so references stay
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

absl::StatusOr<std::vector<NodeId>> MemberFuser::Outputs(const Instruction& member, const Program& program, absl::Span<const NodeId> index) {
  return impl_->Outputs(member, program, index);
}

absl::StatusOr<NodeId> MemberFuser::Element(const Instruction& of, absl::Span<const NodeId> index) { return impl_->Element(of, index); }

}  // namespace hloscope
