// A node is evaluated once for each combination of the index variables that it depends on; what depends on a fold's accumulator, once for
// each step of the fold.
#include "core/ops/cost.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/element/visit.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// What one evaluation takes, in operations on reals.
struct Work {
  double on_reals, on_complex;
  bool is_function = false;
};
namespace work {
constexpr Work form = {0, 0};  // only changes how a number is held
constexpr Work arithmetic = {1, 2};
constexpr Work product = {1, 6};
constexpr Work quotient = {1, 11};
constexpr Work function = {1, 2, true};  // exp, sin, power, ...
}  // namespace work

const Work& WorkOf(ScalarOp op) {
  static constexpr Work kWork[] = {
#define X(enumerator, text, arity, kind) work::kind,
#include "core/element/scalar_ops.def"
#undef X
  };
  return kWork[static_cast<int>(op)];
}

double FlopsOf(ScalarOp op, ElementType type) { return IsComplex(type) ? WorkOf(op).on_complex : IsFloat(type) ? WorkOf(op).on_reals : 0; }

class Counter {
 public:
  explicit Counter(const Program& program) : program_(program), graph_(*program.graph) {}

  Cost Count() {
    std::vector<bool> seen(graph_.size(), false);
    VisitNodes(graph_, RootsOf(program_), [&](NodeId id, const Node& node) {
      seen[id] = true;
      if (node.kind == NodeKind::kFold) folds_[graph_.fold(node).id] = {&graph_.fold(node), id};
      return Visit::kInto;
    });
    Cost cost;
    for (size_t id = 0; id < seen.size(); ++id) {
      if (!seen[id]) continue;
      const Node& node = graph_.node(static_cast<NodeId>(id));
      if (node.kind != NodeKind::kScalarOp) continue;
      const double flops = FlopsOf(node.op, node.inputs.empty() ? node.type : graph_.node(node.inputs[0]).type);
      if (flops == 0) continue;
      const double times = Evaluations(static_cast<NodeId>(id));
      cost.flops += flops * times;
      if (WorkOf(node.op).is_function) cost.transcendentals += times;
    }
    return cost;
  }

 private:
  void AddVars(NodeId id, std::set<int32_t>& vars, std::set<int32_t>& accumulators) const {
    for (int32_t free : graph_.FreeVars(id)) {
      if (free >= 0) {
        vars.insert(free);
        continue;
      }
      const int32_t fold_id = ~free;
      if (!accumulators.insert(fold_id).second) continue;
      if (program_.is_push && fold_id == program_.push.accumulator_id) vars.insert(program_.push.vars.begin(), program_.push.vars.end());
      const auto fold = folds_.find(fold_id);
      if (fold == folds_.end()) continue;
      vars.insert(fold->second.first->vars.begin(), fold->second.first->vars.end());
      AddVars(fold->second.second, vars, accumulators);
    }
  }

  double Evaluations(NodeId id) const {
    std::set<int32_t> vars, accumulators;
    AddVars(id, vars, accumulators);
    double times = 1;
    for (int32_t var : vars) times *= static_cast<double>(graph_.VarExtent(var));
    return times;
  }

  const Program& program_;
  const ExprGraph& graph_;
  absl::flat_hash_map<int32_t, std::pair<const FoldInfo*, NodeId>> folds_;
};

double Last(const Shape& shape, int back) { return shape.rank() >= back ? static_cast<double>(shape.dim(shape.rank() - back)) : 1; }

const Shape& FirstLeaf(const Shape& shape) {
  const Shape* s = &shape;
  while (s->IsTuple() && !s->tuple_shapes().empty()) s = &s->tuple_shapes()[0];
  return *s;
}

// Operations without an element program: the usual counts of their usual algorithms.
double OpaqueFlops(const Instruction& i) {
  const Shape& result = FirstLeaf(i.shape);
  const Shape& operand = i.operands.empty() ? result : FirstLeaf(i.operands[0]->shape);
  if (!result.IsArray() || !operand.IsArray()) return 0;
  const ElementType type = operand.element_type();
  const double complex = IsComplex(type) ? 4 : 1;
  const double n = static_cast<double>(operand.ElementCount());
  switch (i.opcode) {
    case Opcode::kCholesky: return complex * n * Last(operand, 1) / 3;
    case Opcode::kTriangularSolve: return complex * static_cast<double>(result.ElementCount()) * Last(operand, 1);
    case Opcode::kFft: {
      double points = 1;
      for (int64_t length : i.Ints(AttrId::kFftLength)) points *= static_cast<double>(length);
      const double most = std::max(n, static_cast<double>(result.ElementCount()));
      return points > 1 ? 5 * most * std::log2(points) : 0;
    }
    case Opcode::kSort: {
      if (!IsFloat(type)) return 0;
      const absl::Span<const int64_t> dims = i.Ints(AttrId::kDimensions);
      const double length = dims.empty() || dims[0] >= operand.rank() ? Last(operand, 1) : static_cast<double>(operand.dim(static_cast<int>(dims[0])));
      return length > 1 ? n * std::log2(length) : 0;
    }
    case Opcode::kTopk: return IsFloat(type) ? n : 0;
    case Opcode::kBatchNormTraining: return 6 * n;
    case Opcode::kBatchNormGrad: return 12 * n;
    default: return 0;
  }
}

}  // namespace

Cost CostOf(const Program& program) { return Counter(program).Count(); }

Cost CostOf(const Instruction& instruction) {
  switch (Def(instruction).op_class) {
    case OpClass::kPull:
    case OpClass::kPush: {
      const absl::StatusOr<Program> program = ElementProgram(instruction);
      return program.ok() ? CostOf(*program) : Cost();
    }
    case OpClass::kOpaque: return {OpaqueFlops(instruction), 0};
    case OpClass::kControl:
    case OpClass::kStructural: return {};
  }
  return {};
}

double StepsOf(const ExprGraph& graph, absl::Span<const NodeId> roots, int first_var) {
  double steps = 0;
  VisitNodes(graph, roots, [&](NodeId id, const Node&) {
    double points = 1;
    for (int32_t v : graph.FreeVars(id)) {
      if (v >= first_var) points *= static_cast<double>(graph.VarExtent(v));
    }
    steps += points;
    return Visit::kInto;
  });
  return steps;
}

double StepsOfElement(const Program& program) { return StepsOf(*program.graph, RootsOf(program), program.rank()); }

double StepsOfAll(const Program& program) { return StepsOf(*program.graph, RootsOf(program), 0); }

}  // namespace hloscope
