#include "core/debug/formula_in_run.h"

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/debug/explain.h"
#include "core/element/program.h"
#include "core/exec/dynamic.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"

namespace hloscope {

std::string FormulaInRun(const Session::State& s, const Instruction& instruction) {
  const OpClass op_class = Def(instruction).op_class;
  if ((op_class != OpClass::kPull && op_class != OpClass::kPush) || !HasDynamicSizes(*s.module)) return "";
  std::vector<Shape> sizes;
  std::vector<std::string> names;
  for (const Instruction* operand : instruction.operands) {
    // Of a frame in which the name means this operand.
    const absl::StatusOr<std::pair<int, const Instruction*>> found = s.FindValue(operand->name);
    if (!found.ok() || found->second != operand) return "";
    const absl::StatusOr<Value> value = s.ValueOf(operand->name);
    if (!value.ok()) return "";
    sizes.push_back(value->shape());
    names.push_back(ShownName(*operand));
  }
  const absl::StatusOr<std::unique_ptr<ConcreteInstruction>> concrete = MakeConcrete(instruction, sizes);
  if (!concrete.ok()) return "";
  const absl::StatusOr<Program> program = ElementProgram(*(*concrete)->instruction);
  if (!program.ok()) return "";
  std::string formula = ToFormula(*program, names);
  const absl::StatusOr<std::string> bounds = FormulaOf(instruction);
  return bounds.ok() && *bounds == formula ? "" : formula;
}

}  // namespace hloscope
