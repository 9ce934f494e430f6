// A node for each dimension, joined by what the element programs load: operand k's dimension j at the plain index variable v is of one size
// with all that v runs over. What no program says is taken from the places and the sizes of an instruction's dimensions.
#include "core/debug/dimension_classes.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/element/visit.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

int DimensionCount(const Shape& shape) {
  if (!shape.IsTuple()) return shape.rank();
  int count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += DimensionCount(element);
  return count;
}

void AddSizes(const Shape& shape, std::vector<int64_t>* sizes) {
  for (const Shape& element : shape.tuple_shapes()) AddSizes(element, sizes);
  if (shape.IsArray()) sizes->insert(sizes->end(), shape.dimensions().begin(), shape.dimensions().end());
}

}  // namespace

DimensionClasses::DimensionClasses(const Module& module) {
  for (const Computation* c : module.computations) {
    for (const Instruction* i : c->schedule) {
      first_[i] = static_cast<int>(sizes_.size());
      AddSizes(i->shape, &sizes_);
    }
  }
  parent_.resize(sizes_.size());
  for (size_t node = 0; node < parent_.size(); ++node) parent_[node] = static_cast<int>(node);
  for (const Computation* c : module.computations) {
    for (const Instruction* i : c->schedule) Relate(*i);
  }
  for (int& parent : parent_) parent = parent_[parent];  // the class itself: its number is not larger than the node's
}

int DimensionClasses::Of(const Instruction& instruction, int dimension) const { return parent_[first_.at(&instruction) + dimension]; }

bool DimensionClasses::Meets(const Instruction& instruction, int of_class) const {
  const auto in = [&](const Instruction& i) {
    const Range range = Whole(i);
    for (int d = 0; d < range.count; ++d) {
      if (parent_[range.first + d] == of_class) return true;
    }
    return false;
  };
  return in(instruction) || std::any_of(instruction.operands.begin(), instruction.operands.end(), [&](const Instruction* o) { return in(*o); });
}

bool DimensionClasses::MeetsAt(const Instruction& instruction, int dimension, int of_class) const {
  const auto in = [&](const Instruction& i) { return i.shape.IsArray() && dimension < i.shape.rank() && Of(i, dimension) == of_class; };
  return in(instruction) || (!instruction.operands.empty() && in(*instruction.operands[0]));
}

std::vector<std::pair<int, int64_t>> DimensionClasses::All(bool shared) const {
  std::map<int64_t, std::set<int>> by_size;
  for (size_t node = 0; node < sizes_.size(); ++node) {
    if (sizes_[node] > 1) by_size[sizes_[node]].insert(parent_[node]);
  }
  std::vector<std::pair<int, int64_t>> found;
  for (const auto& [size, classes] : by_size) {
    for (const int of_class : classes) {
      if (classes.size() > 1 || !shared) found.emplace_back(of_class, size);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// ---- Joining ----

DimensionClasses::Range DimensionClasses::Whole(const Instruction& instruction) const {
  return {first_.at(&instruction), DimensionCount(instruction.shape), &instruction.shape};
}

DimensionClasses::Range DimensionClasses::Part(const Range& tuple, int64_t k) {
  int first = tuple.first;
  for (int64_t before = 0; before < k; ++before) first += DimensionCount(tuple.shape->tuple_shapes()[before]);
  const Shape& shape = tuple.shape->tuple_shapes()[k];
  return {first, DimensionCount(shape), &shape};
}

int DimensionClasses::AddNode() {
  parent_.push_back(static_cast<int>(parent_.size()));
  sizes_.push_back(0);
  return parent_.back();
}

int DimensionClasses::Find(int node) {
  for (; parent_[node] != node; node = parent_[node]) parent_[node] = parent_[parent_[node]];
  return node;
}

// The first one stands for all, so that a class has the number of its first dimension in the program.
void DimensionClasses::Join(int a, int b) {
  a = Find(a);
  b = Find(b);
  parent_[std::max(a, b)] = std::min(a, b);
}

void DimensionClasses::JoinAll(const Range& a, const Range& b) {
  if (!Shape::SameTreeDimensions(*a.shape, *b.shape)) return;
  for (int d = 0; d < a.count; ++d) Join(a.first + d, b.first + d);
}

void DimensionClasses::Relate(const Instruction& instruction) {
  RelateCalled(instruction);
  if (RelateTuple(instruction)) return;
  int nodes = Whole(instruction).count;
  for (const Instruction* operand : instruction.operands) nodes += Whole(*operand).count;
  std::vector<bool> related(nodes, false);
  RelateProgram(instruction, &related);
  RelateRest(instruction, related);
}

void DimensionClasses::RelateCalled(const Instruction& instruction) {
  const ControlKind control = Def(instruction).control;
  if (control == ControlKind::kNone) return;
  const std::vector<Computation*> called = instruction.CalledComputations();
  for (size_t c = 0; c < called.size(); ++c) {
    // Of a loop the condition's result is no part of its value.
    if (first_.contains(called[c]->root) && Shape::SameTreeDimensions(called[c]->root->shape, instruction.shape)) {
      JoinAll(Whole(*called[c]->root), Whole(instruction));
    }
    for (size_t k = 0; k < called[c]->parameters.size(); ++k) {
      const size_t operand = control == ControlKind::kConditional ? c + 1 : k;
      if (operand < instruction.operands.size()) JoinAll(Whole(*called[c]->parameters[k]), Whole(*instruction.operands[operand]));
    }
  }
  if (control == ControlKind::kWhile) JoinAll(Whole(instruction), Whole(*instruction.operands[0]));
}

// Tuples made and taken apart, and handed on as they are.
bool DimensionClasses::RelateTuple(const Instruction& instruction) {
  const Shape& shape = instruction.shape;
  if (Def(instruction).op_class == OpClass::kControl) return true;
  if (Def(instruction).op_class != OpClass::kStructural) return false;
  if (instruction.Has(AttrId::kIndex) && instruction.operands.size() == 1 && instruction.operands[0]->shape.IsTuple()) {
    JoinAll(Whole(instruction), Part(Whole(*instruction.operands[0]), instruction.Int(AttrId::kIndex)));
    return true;
  }
  if (instruction.operands.size() == 1 && Shape::SameTreeDimensions(shape, instruction.operands[0]->shape)) {
    JoinAll(Whole(instruction), Whole(*instruction.operands[0]));
    return true;
  }
  if (!shape.IsTuple() || shape.tuple_shapes().size() != instruction.operands.size()) return false;
  for (size_t k = 0; k < instruction.operands.size(); ++k) JoinAll(Part(Whole(instruction), static_cast<int64_t>(k)), Whole(*instruction.operands[k]));
  return true;
}

// `related`: of the result's dimensions, then of each operand's.
void DimensionClasses::RelateProgram(const Instruction& instruction, std::vector<bool>* related) {
  const absl::StatusOr<Program> program = ElementProgram(instruction);
  if (!program.ok()) return;
  const ExprGraph& graph = *program->graph;
  std::vector<int> nodes(graph.var_count(), -1);  // of the program's variables
  const auto relate = [&](NodeId index, int64_t size, int node, int place) {
    const Node& n = graph.node(index);
    if (n.kind != NodeKind::kIndex || graph.VarExtent(n.var) != size) return;
    if (nodes[n.var] < 0) nodes[n.var] = AddNode();
    Join(node, nodes[n.var]);
    (*related)[place] = true;
  };
  const Range result = Whole(instruction);
  for (int d = 0; d < result.count && program->rank() > 0 && !program->is_push; ++d) {
    int& node = nodes[d % program->rank()];
    if (node < 0) node = AddNode();
    Join(result.first + d, node);
  }
  std::vector<int> places = {result.count};
  for (const Instruction* operand : instruction.operands) places.push_back(places.back() + Whole(*operand).count);
  std::vector<bool> loaded(graph.var_count(), false);
  VisitNodes(graph, RootsOf(*program), [&](NodeId, const Node& node) {
    if (node.kind != NodeKind::kLoad) return Visit::kInto;
    const Range operand = Whole(*instruction.operands[node.operand]);
    for (size_t j = 0; j < node.inputs.size(); ++j) {
      relate(node.inputs[j], program->operands[node.operand].dim(static_cast<int>(j)), operand.first + static_cast<int>(j), places[node.operand] + static_cast<int>(j));
      const Node& index = graph.node(node.inputs[j]);
      if (index.kind == NodeKind::kIndex) loaded[index.var] = true;
    }
    return Visit::kInto;
  });
  for (int d = 0; d < result.count && program->rank() > 0; ++d) {
    const int dimension = d % program->rank();
    if (!program->is_push) (*related)[d] = loaded[dimension];
    if (program->is_push) relate(program->push.target[dimension], program->outputs[0].shape.dim(dimension), result.first + d, d);
  }
}

// What is left goes with what has its place and size, or at least its size.
void DimensionClasses::RelateRest(const Instruction& instruction, const std::vector<bool>& related) {
  struct Left {
    int node, place;
    int64_t size;
  };
  std::vector<std::vector<Left>> left;  // of the result and of each operand
  int at = 0;
  const auto add = [&](const Range& range) {
    left.emplace_back();
    for (int d = 0; d < range.count; ++d, ++at) {
      if (!related[at]) left.back().push_back({range.first + d, d, sizes_[range.first + d]});
    }
  };
  add(Whole(instruction));
  for (const Instruction* operand : instruction.operands) add(Whole(*operand));
  for (size_t k = 1; k < left.size(); ++k) {
    for (const Left& of_operand : left[k]) {
      const auto same_size = [&](const Left& x) { return x.size == of_operand.size; };
      auto found = std::find_if(left[0].begin(), left[0].end(), [&](const Left& x) { return same_size(x) && x.place == of_operand.place; });
      if (found == left[0].end()) found = std::find_if(left[0].begin(), left[0].end(), same_size);
      if (found != left[0].end()) Join(found->node, of_operand.node);
    }
  }
}

}  // namespace hloscope
