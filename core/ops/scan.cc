// scan: steps a computation along one dimension, carrying states, and keeps what each step gives.
//
// Operands are m inputs, then k initial states. A step takes one slice of each input (the dimension left out) and the states, and returns
// n slices of outputs and the k new states. The result is the tuple of n outputs (the slices put together) and the k last states. The
// computation may also be one of scalars; then it runs for each element of a slice by itself.
#include "core/ops/scan.h"

#include <algorithm>
#include <cstring>

#include "core/ir/written_names.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

Shape WithoutDimension(const Shape& s, int64_t d) {
  DimensionList list;
  for (int k = 0; k < s.rank(); ++k) {
    if (k != d) list.AddFrom(s, k);
  }
  return list.Build(s.element_type());
}
Shape WithDimension(const Shape& s, int64_t d, int64_t size) {
  DimensionList list;
  for (int k = 0; k < s.rank(); ++k) {
    if (k == d) list.Add(size);
    list.AddFrom(s, k);
  }
  if (d == s.rank()) list.Add(size);
  return list.Build(s.element_type());
}

std::vector<Shape> Results(const Computation& f) {
  const Shape& root = f.root->shape;
  if (!root.IsTuple()) return {root};
  return std::vector<Shape>(root.tuple_shapes().begin(), root.tuple_shapes().end());
}

int64_t DimensionOf(const Instruction& i) { return i.Ints(AttrId::kDimensions).empty() ? 0 : i.Ints(AttrId::kDimensions)[0]; }

bool Same(const Shape& a, const Shape& b) { return SameUpToDynamic(a.WithoutLayouts(), b.WithoutLayouts()); }

// The form with this many states, or why the operands and the computation do not have it.
std::string FitForm(const Instruction& i, const Computation& f, int states, ScanForm* form) {
  const int operands = static_cast<int>(i.operands.size());
  const int64_t d = DimensionOf(i);
  const std::vector<Shape> results = Results(f);
  form->states = states;
  form->inputs = operands - states;
  form->outputs = static_cast<int>(results.size()) - states;
  if (form->inputs < 1 || form->outputs < 0) {
    return absl::StrCat("with ", states, " states, ", operands, " operands and ", results.size(), " results of the step do not fit");
  }
  const Shape& first = i.operands[0]->shape;
  form->scalar = first.rank() > 1;
  for (const Instruction* p : f.parameters) form->scalar = form->scalar && p->shape.IsScalar();
  for (int k = 0; k < form->inputs; ++k) {
    const Shape& s = i.operands[k]->shape;
    if (d >= s.rank()) return absl::StrCat("input ", k, ", ", TypeText(s), ", has no dimension ", d);
    if (s.dim(static_cast<int>(d)) != first.dim(static_cast<int>(d))) {
      return absl::StrCat("all inputs must have as many steps: ", TypeText(first), " and ", TypeText(s));
    }
    const Shape slice = WithoutDimension(s, d);
    if (form->scalar && !Shape::SameDimensions(slice, WithoutDimension(first, d))) return "all inputs must have equal dimensions";
    const Shape want = form->scalar ? Shape::Scalar(s.element_type()) : slice;
    if (!Same(f.parameters[k]->shape, want)) {
      return absl::StrCat("parameter ", k, " of the step must be ", TypeText(want), ", it is ", TypeText(f.parameters[k]->shape));
    }
  }
  form->steps = first.dim(static_cast<int>(d));
  form->slice = WithoutDimension(first, d);
  for (int k = 0; k < states; ++k) {
    const Shape& state = i.operands[form->inputs + k]->shape;
    if (form->scalar && !Shape::SameDimensions(state, form->slice)) return absl::StrCat("state ", k, " must have the dimensions of a slice, it is ", TypeText(state));
    const Shape want = form->scalar ? Shape::Scalar(state.element_type()) : state;
    if (!Same(f.parameters[form->inputs + k]->shape, want)) {
      return absl::StrCat("parameter ", form->inputs + k, " of the step must be ", TypeText(want), " like the state, it is ",
                          TypeText(f.parameters[form->inputs + k]->shape));
    }
    if (!Same(results[form->outputs + k], want)) {
      return absl::StrCat("result ", form->outputs + k, " of the step must be the next state, ", TypeText(want), ", it is ",
                          TypeText(results[form->outputs + k]));
    }
  }
  for (int k = 0; k < form->outputs; ++k) {
    if (!results[k].IsArray() || d > (form->scalar ? form->slice.rank() : results[k].rank())) {
      return absl::StrCat("result ", k, " of the step must be an array that can be a slice along dimension ", d);
    }
  }
  return "";
}

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("scan.operand-arrays"))) return std::nullopt;
  const Computation* f = c.instruction().Called(AttrId::kToApply);
  if (f == nullptr || f->root == nullptr)
    return c.FailAttribute(AttrId::kToApply, HLO_LABEL("scan.computation"), "to_apply= must name the step's computation");
  if (static_cast<int>(f->parameters.size()) != c.operand_count()) {
    return c.FailAttribute(
        AttrId::kToApply, HLO_LABEL("scan.parameters"),
        absl::StrCat("the computation takes ", f->parameters.size(), " parameters, there are ", c.operand_count(), " operands"));
  }
  const auto dims = c.instruction().Ints(AttrId::kDimensions);
  if (dims.size() != 1 || dims[0] < 0 || dims[0] >= c.operand(0).rank()) {
    return c.FailAttribute(AttrId::kDimensions, HLO_LABEL("scan.dimension"),
                           absl::StrCat("one dimension of ", TypeText(c.operand(0)), " is needed, not ", ListText(dims)));
  }
  ScanForm form;
  const std::string problem = FindScanForm(c.instruction(), *f, &form);
  if (!problem.empty()) return c.FailAttribute(AttrId::kToApply, HLO_LABEL("scan.step-signature"), problem);
  const std::vector<Shape> results = Results(*f);
  std::vector<Shape> shapes;
  for (int k = 0; k < form.outputs; ++k) {
    const Shape slice = form.scalar ? form.slice.WithElementType(results[k].element_type()) : results[k].WithoutLayouts();
    shapes.push_back(WithDimension(slice, dims[0], form.steps));
  }
  for (int k = 0; k < form.states; ++k) shapes.push_back(c.operand(form.inputs + k).WithoutLayouts());
  return f->root->shape.IsTuple() || shapes.size() != 1 ? Shape::Tuple(shapes) : shapes[0];
}

// Bytes of `slice` number `at` along dimension `d` of an array of `shape`: blocks of `inner` bytes, `outer` times.
struct Blocks {
  int64_t outer = 1, inner = 1, steps = 1;
  Blocks(const Shape& shape, int64_t d) : inner(StorageBytes(shape.element_type())), steps(shape.dim(static_cast<int>(d))) {
    for (int k = 0; k < d; ++k) outer *= shape.dim(k);
    for (int k = static_cast<int>(d) + 1; k < shape.rank(); ++k) inner *= shape.dim(k);
  }
  void Read(const std::byte* whole, int64_t at, std::byte* slice) const {
    for (int64_t o = 0; o < outer; ++o) std::memcpy(slice + o * inner, whole + (o * steps + at) * inner, inner);
  }
  void Write(std::byte* whole, int64_t at, const std::byte* slice) const {
    for (int64_t o = 0; o < outer; ++o) std::memcpy(whole + (o * steps + at) * inner, slice + o * inner, inner);
  }
};

// One step: slices and states in, slices and states out.
absl::StatusOr<std::vector<Value>> Step(const EvalContext& c, const Computation& f, const ScanForm& form, const std::vector<Value>& arguments) {
  const auto call = [&](absl::Span<const Value> in) -> absl::StatusOr<std::vector<Value>> {
    auto result = c.call(f, in);
    if (!result.ok()) return result.status();
    if (!result->shape().IsTuple()) return std::vector<Value>{*result};
    return std::vector<Value>(result->elements().begin(), result->elements().end());
  };
  if (!form.scalar) return call(arguments);
  std::vector<Value> results;
  for (const Shape& s : Results(f)) results.push_back(Value::Allocate(form.slice.WithElementType(s.element_type()), c.account));
  for (int64_t e = 0; e < form.slice.ElementCount(); ++e) {
    std::vector<Value> scalars;
    for (const Value& a : arguments) {
      const ElementType type = a.shape().element_type();
      scalars.push_back(Value::FromBytes(Shape::Scalar(type), absl::MakeConstSpan(a.data() + e * StorageBytes(type), StorageBytes(type))));
    }
    auto made = call(scalars);
    if (!made.ok()) return made.status();
    for (size_t k = 0; k < made->size(); ++k) {
      const int bytes = StorageBytes(results[k].shape().element_type());
      std::memcpy(results[k].mutable_data() + e * bytes, (*made)[k].data(), bytes);
    }
  }
  return results;
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) {
  const Instruction& i = c.instruction;
  const Computation& f = *i.Called(AttrId::kToApply);
  if (!c.call) return absl::UnimplementedError(absl::StrCat("scan ", ShownName(i), ": nothing can call its computation here"));
  ScanForm form;
  if (const std::string problem = FindScanForm(i, f, &form); !problem.empty()) return absl::InternalError(problem);
  const auto result_shape = [&](int k) { return i.shape.IsTuple() ? i.shape.tuple_shapes()[k] : i.shape; };
  std::vector<Value> outputs, states;
  for (int k = 0; k < form.outputs; ++k) outputs.push_back(Value::Allocate(result_shape(k), c.account));
  for (int k = 0; k < form.states; ++k) states.push_back(c.operands[form.inputs + k]);
  for (int64_t step = 0; step < form.steps; ++step) {
    const int64_t at = form.reverse ? form.steps - 1 - step : step;
    std::vector<Value> arguments;
    for (int k = 0; k < form.inputs; ++k) {
      arguments.push_back(SliceAt(c.operands[k], form.dimension, at, c.account));
    }
    arguments.insert(arguments.end(), states.begin(), states.end());
    auto results = Step(c, f, form, arguments);
    if (!results.ok()) return results.status();
    for (int k = 0; k < form.outputs; ++k) Blocks(outputs[k].shape(), form.dimension).Write(outputs[k].mutable_data(), at, (*results)[k].data());
    for (int k = 0; k < form.states; ++k) states[k] = (*results)[form.outputs + k];
  }
  outputs.insert(outputs.end(), states.begin(), states.end());
  return i.shape.IsTuple() ? Value::Tuple(i.shape, std::move(outputs)) : outputs[0];
}

// A step reads the slices up to its own. Which state is made from which input, its computation says: not told here.
std::vector<Reach> ReachOfScan(const ReachQuestion& q) {
  ScanForm form;
  Reach reach = q.Whole();
  reach.exact = false;
  if (!FindScanForm(q.instruction, *q.instruction.Called(AttrId::kToApply), &form).empty()) return {reach};
  using R = IndexRelation;
  const int d = static_cast<int>(form.dimension);
  const bool input = q.operand < form.inputs, output = q.leaf < form.outputs;
  if (input && output) form.reverse ? reach.relation.AtLeast(R::From(d), R::To(d)) : reach.relation.AtLeast(R::To(d), R::From(d));
  for (int s = 0; form.scalar && s < form.slice.rank(); ++s) reach.relation.Equal(R::From(input && s >= d ? s + 1 : s), R::To(output && s >= d ? s + 1 : s));
  return {reach};
}

}  // namespace

// num_carries says how many states there are; else the largest number that fits.
std::string FindScanForm(const Instruction& i, const Computation& f, ScanForm* form) {
  form->dimension = DimensionOf(i);
  form->reverse = i.Bool(AttrId::kIsScan);
  if (i.Has(AttrId::kNumCarries)) return FitForm(i, f, static_cast<int>(std::clamp<int64_t>(i.Int(AttrId::kNumCarries), -1, 1 << 20)), form);
  std::string first_problem;
  // As many inputs as states is the usual case and gives the best message.
  std::vector<int> tries = {static_cast<int>(i.operands.size() / 2)};
  for (int k = static_cast<int>(i.operands.size()) - 1; k >= 0; --k) tries.push_back(k);
  for (int states : tries) {
    const std::string problem = FitForm(i, f, states, form);
    if (problem.empty()) return "";
    if (first_problem.empty()) first_problem = problem;
  }
  return first_problem;
}

Value SliceAt(const Value& whole, int64_t d, int64_t at, MemoryAccount* account) {
  Value slice = Value::Allocate(WithoutDimension(whole.shape(), d), account);
  Blocks(whole.shape(), d).Read(whole.data(), at, slice.mutable_data());
  return slice;
}

void DefineScan(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kScan);
  d.op_class = OpClass::kOpaque;
  d.min_operands = 1;
  d.max_operands = -1;
  d.attributes = {{AttrId::kDimensions, true}, {AttrId::kToApply, true}, {AttrId::kIsScan}, {AttrId::kNumCarries}, {AttrId::kIsAssociative}};
  d.infer = Infer;
  d.evaluate = Evaluate;
  d.reach = ReachOfScan;
  d.opaque_reason = "each step reads the state that the step before left";
  d.summary = "steps a computation along one dimension, carrying a state";
  d.doc =
      "Operands: m inputs, then k initial states (`num_carries=k`; where it is left out, what fits the computation). Step t gives the "
      "computation slice t of each input and the states; it returns n slices of outputs and the k new states. The result is the tuple of the "
      "n outputs, slice t from step t, and the k last states. `is_reverse=true` begins at the end. A computation of scalars runs for each "
      "element of a slice. The steps run one after the other, whatever `is_associative` says.";
  d.spec = "operations.md: Reductions, windows, sorting";
}

}  // namespace hloscope
