// Fusion: a computation that a compiler wants run as one kernel. To us it is a call.
#include "absl/strings/str_cat.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const absl::string_view kind = c.instruction().Text(AttrId::kKind);
  if (!kind.empty() && kind != "kLoop" && kind != "kInput" && kind != "kOutput" && kind != "kCustom") {
    c.FailAttribute(AttrId::kKind, HLO_LABEL("fusion.kind"), absl::StrCat("the kind of a fusion is kLoop, kInput, kOutput or kCustom, not ", kind));
  }
  const Computation* callee = c.instruction().Called(AttrId::kCalls);
  if (callee == nullptr || callee->root == nullptr) return std::nullopt;
  std::vector<Shape> arguments;
  for (int i = 0; i < c.operand_count(); ++i) arguments.push_back(c.operand(i));
  if (!CheckParameters(c, AttrId::kCalls, *callee, arguments, HLO_LABEL("fusion.argument-count"), HLO_LABEL("fusion.argument-type"))) return std::nullopt;
  return callee->root->shape;
}

}  // namespace

void DefineFusion(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kFusion);
  def.op_class = OpClass::kControl;
  def.control = ControlKind::kCall;
  def.max_operands = -1;
  def.attributes = {{AttrId::kCalls, true}, {AttrId::kKind}, {AttrId::kOutputToOperandAliasing}};
  def.infer = Infer;
  def.summary = "runs a computation that was meant to be one kernel";
  def.doc = "Means the same as a call of its computation. `kind` records how the compiler that made it meant to emit it.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
