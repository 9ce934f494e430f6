// custom_call @stablehlo.dynamic_*: operations whose sizes stand in operands, as programs of symbolic shapes write them. The operands must
// follow from constants; then they are the ordinary operations.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {
namespace {

// arrays..., initial values..., then window sizes, strides, base dilations, window dilations, padding; the function called is the reducer.
void ReduceWindow(OpContext& c) {
  const int n = (c.operand_count() - 5) / 2;
  const mlir::Attr* called = c.Need("called_computations");
  if (called == nullptr) return;
  const mlir::Op* body = called->array.size() == 1 ? c.c.FindFunction(called->array[0].text) : nullptr;
  if (n < 1 || c.operand_count() != 2 * n + 5 || body == nullptr) {
    return c.Error(HLO_LABEL("stablehlo.dynamic-call"), "dynamic_reduce_window takes arrays, as many initial values and five lists of numbers, and calls one function");
  }
  Instruction* first = c.in(0);
  if (first == nullptr) return;
  constexpr absl::string_view kLists[] = {"the window's sizes", "the strides", "the base dilations", "the window dilations", "the padding"};
  std::vector<std::vector<int64_t>> lists;
  const size_t rank = static_cast<size_t>(first->shape.rank());
  for (int k = 0; k < 5; ++k) {
    const auto list = c.KnownInts(2 * n + k, kLists[k]);
    if (!list) return;
    if (list->size() != (k == 4 ? 2 * rank : rank)) {
      return c.Error(HLO_LABEL("stablehlo.dynamic-call"), absl::StrCat(kLists[k], " must have ", k == 4 ? 2 * rank : rank, " numbers, there are ", list->size()));
    }
    lists.push_back(*list);
  }
  Window window(rank);
  for (size_t d = 0; d < rank; ++d) window[d] = {lists[0][d], lists[1][d], lists[4][2 * d], lists[4][2 * d + 1], lists[2][d], lists[3][d], false};
  Computation* reducer = c.c.ConvertEntry(*body);
  if (reducer == nullptr || reducer->root == nullptr) {
    c.e.computation()->in_error = true;
    return;
  }
  Operands operands = c.ins(0, 2 * n);
  for (size_t k = 0; k < operands.size(); ++k) {
    if (k < reducer->parameters.size() && reducer->parameters[k]->shape.IsArray()) operands[k] = c.e.Convert(operands[k], reducer->parameters[k]->shape.element_type());
  }
  Attribute w;
  w.id = AttrId::kWindow;
  w.name = Info(AttrId::kWindow).name;
  w.value = std::move(window);
  c.SetAll(c.e.Add(Opcode::kReduceWindow, std::move(operands), {w, ComputationAttribute(AttrId::kToApply, reducer)}, nullptr, c.result_count() == 1 ? c.name() : ""));
}

// The state and the sizes of the bits.
void RngBits(OpContext& c) {
  Instruction* state = c.in(0);
  if (c.operand_count() != 2 || c.result_count() != 2) return c.Error(HLO_LABEL("stablehlo.dynamic-call"), "dynamic_rng_bit_generator takes a state and a list of sizes, and has two results");
  if (state == nullptr) return;
  std::optional<Shape> bits = c.Written(1);
  if (!bits) {
    const auto sizes = c.KnownInts(1, "the shape");
    if (!sizes) return;
    if (std::any_of(sizes->begin(), sizes->end(), [](int64_t n) { return n < 0; })) return c.Error(HLO_LABEL("stablehlo.negative-size"), "a size of the result is negative");
    bits = Shape::Array(c.WrittenElement(1), *sizes);
  }
  const std::string word = c.Word("rng_algorithm", "DEFAULT");
  const Shape shape = Shape::Tuple({state->shape.WithoutLayouts(), *bits});
  c.SetAll(c.e.Add(Opcode::kRngBitGenerator, {state}, {c.Text(AttrId::kAlgorithm, word == "PHILOX" ? "rng_philox" : word == "THREE_FRY" ? "rng_three_fry" : "rng_default")}, &shape));
}

// The array and how many of the largest.
void TopK(OpContext& c) {
  Instruction* x = c.in(0);
  if (c.operand_count() != 2 || c.result_count() != 2) return c.Error(HLO_LABEL("stablehlo.dynamic-call"), "dynamic_top_k takes an array and a number, and has two results");
  const auto k = c.KnownInts(1, "the number of elements");
  if (x == nullptr || !k) return;
  if (k->size() != 1) return c.Error(HLO_LABEL("stablehlo.dynamic-call"), absl::StrCat("the number of elements of dynamic_top_k must be one number, there are ", k->size()));
  Instruction* top = c.e.Add(Opcode::kTopk, {x}, {IntAttribute(AttrId::kK, (*k)[0]), IntAttribute(AttrId::kLargest, 1)});
  if (top == nullptr) return;
  c.Set(0, c.e.Element(top, 0, CleanName(c.op.results[0]->name)));
  c.Set(1, c.e.Convert(c.e.Element(top, 1, CleanName(c.op.results[1]->name)), c.WrittenElement(1)));
}

}  // namespace

bool ConvertDynamicCall(OpContext& c, absl::string_view target) {
  if (target == "stablehlo.dynamic_reduce_window") return ReduceWindow(c), true;
  if (target == "stablehlo.dynamic_rng_bit_generator") return RngBits(c), true;
  if (target == "stablehlo.dynamic_top_k") return TopK(c), true;
  // Those that have an operation of the same name since.
  const Row* row = target.substr(0, 18) == "stablehlo.dynamic_" ? FindRow(target) : nullptr;
  if (row == nullptr || row->regions > 0 || c.operand_count() < row->min_operands || (row->max_operands >= 0 && c.operand_count() > row->max_operands)) return false;
  row->handler(c);
  return true;
}

}  // namespace hloscope::stablehlo
