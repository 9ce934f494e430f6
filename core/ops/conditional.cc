// Conditional: runs one of several computations. Two forms: a pred with true_computation and false_computation, or an index with
// branch_computations (a pred works there as well: its true branch is the first).
#include "absl/strings/str_cat.h"
#include "core/literal/relayout.h"
#include "core/ops/branches.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

bool CheckBranch(ShapeContext& c, AttrId attribute, const Computation& branch, int operand) {
  const Shape argument[] = {c.operand(operand)};
  return CheckParameters(c, attribute, branch, argument, HLO_LABEL("conditional.branch-parameters"), HLO_LABEL("conditional.branch-type"));
}

std::optional<Shape> Infer(ShapeContext& c) {
  const Shape& index = c.operand(0);
  const bool pred = index.IsScalar() && index.element_type() == ElementType::kPred;
  if (!pred && !(index.IsScalar() && index.element_type() == ElementType::kS32)) {
    return c.FailOperand(0, HLO_LABEL("conditional.index"), absl::StrCat("what decides must be pred[] or s32[], not ", index.ToString(false)));
  }
  std::vector<std::pair<AttrId, const Computation*>> branches;
  const Attribute* many = c.instruction().Find(AttrId::kBranchComputations);
  if (many != nullptr && (c.instruction().Has(AttrId::kTrueComputation) || c.instruction().Has(AttrId::kFalseComputation))) {
    return c.FailAttribute(AttrId::kBranchComputations, HLO_LABEL("conditional.both-forms"),
                           "a conditional has branch_computations, or true_computation and false_computation, not both: leave one form out");
  }
  if (many != nullptr) {
    if (const auto* list = std::get_if<std::vector<Computation*>>(&many->value)) {
      for (const Computation* branch : *list) branches.push_back({AttrId::kBranchComputations, branch});
    }
  } else {
    for (AttrId id : {AttrId::kTrueComputation, AttrId::kFalseComputation}) {
      if (!c.instruction().Has(id)) {
        return c.Fail(HLO_LABEL("conditional.branches"), "a conditional needs branch_computations, or true_computation and false_computation");
      }
      branches.push_back({id, c.instruction().Called(id)});
    }
    if (!pred) return c.FailOperand(0, HLO_LABEL("conditional.pred"), "with true_computation and false_computation, what decides must be pred[], not s32[]");
  }
  for (const auto& [id, branch] : branches) {
    if (branch == nullptr || branch->root == nullptr) return std::nullopt;
  }
  if (branches.empty() || (pred && branches.size() != 2)) {
    return c.FailAttribute(AttrId::kBranchComputations, HLO_LABEL("conditional.branch-count"),
                           absl::StrCat("a conditional on ", pred ? "a pred needs two branches" : "an index needs a branch", ", not ", branches.size()));
  }
  if (c.operand_count() != static_cast<int>(branches.size()) + 1) {
    return c.Fail(HLO_LABEL("conditional.operand-count"),
                  absl::StrCat("each of the ", branches.size(), " branches takes one operand, but there are ", c.operand_count() - 1));
  }
  for (size_t b = 0; b < branches.size(); ++b) CheckBranch(c, branches[b].first, *branches[b].second, static_cast<int>(b) + 1);
  for (size_t b = 1; b < branches.size(); ++b) {
    CheckResult(c, branches[b].first, *branches[b].second, branches[0].second->root->shape, HLO_LABEL("conditional.same-results"));
  }
  return branches[0].second->root->shape;
}

}  // namespace

std::vector<Computation*> BranchesOf(const Instruction& conditional) {
  if (const Attribute* list = conditional.Find(AttrId::kBranchComputations)) return std::get<std::vector<Computation*>>(list->value);
  return {conditional.Called(AttrId::kTrueComputation), conditional.Called(AttrId::kFalseComputation)};
}

int TakenBranch(const Instruction& conditional, const Value& selector) {
  const Value chosen = ToDense(selector);
  if (chosen.shape().element_type() == ElementType::kPred) return *chosen.as<uint8_t>() != 0 ? 0 : 1;
  const int32_t branch = *chosen.as<int32_t>(), last = static_cast<int32_t>(BranchesOf(conditional).size()) - 1;
  return branch < 0 || branch > last ? last : branch;
}

void DefineConditional(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kConditional);
  def.op_class = OpClass::kControl;
  def.control = ControlKind::kConditional;
  def.min_operands = 2;
  def.max_operands = -1;
  def.attributes = {{AttrId::kTrueComputation}, {AttrId::kFalseComputation}, {AttrId::kBranchComputations}};
  def.infer = Infer;
  def.summary = "runs one of several branches";
  def.doc =
      "On a pred, the true or the false computation; on an s32 index, that branch, and the last one for an index that is negative or too large. "
      "Each branch has an operand of its own, only the chosen one runs, and all return one shape.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
