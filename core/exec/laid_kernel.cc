#include "core/exec/laid_kernel.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/literal/relayout.h"
#include "core/shape/layout_util.h"

namespace hloscope {
namespace {

class LaidKernel : public Kernel {
 public:
  LaidKernel(std::shared_ptr<const Kernel> inner, std::vector<Shape> inputs, Shape result)
      : inner_(std::move(inner)), inputs_(std::move(inputs)), result_(std::move(result)) {}

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override {
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (IsInLayoutOf(inputs[k], inputs_[k])) continue;
      inputs[k] = ToLayout(inputs[k], inputs_[k], context.account);
      if (!inputs[k].has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for ", inputs_[k].ToString()));
    }
    absl::StatusOr<Value> result = inner_->Run(context, std::move(inputs));
    if (!result.ok() || !result->has_value()) return result;
    return ToLayout(*result, result_, context.account);
  }
  bool library_order() const override { return inner_->library_order(); }
  bool library_wide_accumulation() const override { return inner_->library_wide_accumulation(); }
  std::string description() const override { return absl::StrCat(inner_->description(), ", on values in layouts"); }

 private:
  const std::shared_ptr<const Kernel> inner_;
  const std::vector<Shape> inputs_;
  const Shape result_;
};

void AddLeaves(const Shape& shape, std::vector<Shape>& leaves) {
  if (!shape.IsTuple()) return leaves.push_back(shape);
  for (const Shape& element : shape.tuple_shapes()) AddLeaves(element, leaves);
}

}  // namespace

bool HasLayouts(const Computation& computation, const Region& region) {
  if (!computation.schedule[region.root]->shape.IsStoredDense()) return true;
  for (int input : region.inputs) {
    if (!computation.schedule[input]->shape.IsStoredDense()) return true;
  }
  return false;
}

std::vector<Shape> DenseInputs(const Computation& computation, const Region& region) {
  std::vector<Shape> shapes;
  for (int input : region.inputs) shapes.push_back(DenseShape(computation.schedule[input]->shape));
  return shapes;
}

PhysicalProgram LaidProgram(const Program& program, const Shape& root) {
  std::vector<Shape> leaves;
  AddLeaves(root, leaves);
  return ThroughLayouts(program, leaves);
}

std::shared_ptr<const Kernel> MakeLaidKernel(std::shared_ptr<const Kernel> inner, std::vector<Shape> inputs, Shape result) {
  return std::make_shared<LaidKernel>(std::move(inner), std::move(inputs), std::move(result));
}

}  // namespace hloscope
