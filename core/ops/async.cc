// async-start / update / done and copy-start / done: operations that a schedule has split in two. Run here, they are done at the start.
#include "core/ir/written_names.h"
#include "core/ops/rules.h"
#include "core/ops/zeros.h"

namespace hloscope {
namespace {

std::optional<Shape> InferAsyncStart(ShapeContext& c) {
  const Computation* f = c.instruction().Called(AttrId::kCalls);
  if (f == nullptr || f->root == nullptr)
    return c.FailAttribute(AttrId::kCalls, HLO_LABEL("async-start.computation"), "calls= must name the wrapped computation");
  if (static_cast<int>(f->parameters.size()) != c.operand_count()) {
    return c.FailAttribute(
        AttrId::kCalls, HLO_LABEL("async-start.parameters"),
        absl::StrCat("the computation takes ", f->parameters.size(), " parameters, there are ", c.operand_count(), " operands"));
  }
  std::vector<Shape> operands;
  for (int k = 0; k < c.operand_count(); ++k) {
    if (!Shape::Compatible(f->parameters[k]->shape, c.operand(k))) {
      return c.FailOperand(k, HLO_LABEL("async-start.parameters"),
                           absl::StrCat("the computation's parameter ", k, " is ", TypeText(f->parameters[k]->shape), ", the operand is ",
                                        TypeText(c.operand(k))));
    }
    operands.push_back(c.operand(k).WithoutLayouts());
  }
  std::vector<Shape> shapes = {Shape::Tuple(operands), f->root->shape.WithoutLayouts()};
  if (c.written().IsTuple()) {
    for (size_t k = 2; k < c.written().tuple_shapes().size(); ++k) shapes.push_back(c.written().tuple_shapes()[k].WithoutLayouts());
  }
  return Shape::Tuple(shapes);
}

bool IsStarted(const Shape& s, size_t least) { return s.IsTuple() && s.tuple_shapes().size() >= least; }

std::optional<Shape> InferAsyncUpdate(ShapeContext& c) {
  if (!IsStarted(c.operand(0), 2)) {
    return c.FailOperand(0, HLO_LABEL("async-update.operand"),
                         absl::StrCat("the operand must be what async-start gave, it is ", TypeText(c.operand(0))));
  }
  return c.operand(0).WithoutLayouts();
}

std::optional<Shape> InferAsyncDone(ShapeContext& c) {
  if (!IsStarted(c.operand(0), 2)) {
    return c.FailOperand(0, HLO_LABEL("async-done.operand"),
                         absl::StrCat("the operand must be what async-start gave, it is ", TypeText(c.operand(0))));
  }
  return c.operand(0).tuple_shapes()[1].WithoutLayouts();
}

std::optional<Shape> InferCopyStart(ShapeContext& c) {
  const Shape s = c.operand(0).WithoutLayouts();
  return Shape::Tuple({s, s, Shape::Scalar(ElementType::kU32)});
}

std::optional<Shape> InferCopyDone(ShapeContext& c) {
  if (!IsStarted(c.operand(0), 3)) {
    return c.FailOperand(0, HLO_LABEL("copy-done.operand"),
                         absl::StrCat("the operand must be what copy-start gave, it is ", TypeText(c.operand(0))));
  }
  return c.operand(0).tuple_shapes()[0].WithoutLayouts();
}

absl::StatusOr<Value> EvaluateAsyncStart(const EvalContext& c) {
  const Instruction& i = c.instruction;
  if (!c.call) return absl::UnimplementedError(absl::StrCat("async-start ", ShownName(i), ": nothing can call its computation here"));
  auto result = c.call(*i.Called(AttrId::kCalls), c.operands);
  if (!result.ok()) return result.status();
  const auto shapes = i.shape.tuple_shapes();
  std::vector<Value> elements = {Value::Tuple(shapes[0], std::vector<Value>(c.operands.begin(), c.operands.end())), *result};
  for (size_t k = 2; k < shapes.size(); ++k) elements.push_back(Zeros(shapes[k], c.account));
  return Value::Tuple(i.shape, std::move(elements));
}

absl::StatusOr<Value> EvaluateCopyStart(const EvalContext& c) {
  return Value::Tuple(c.instruction.shape, {c.operands[0], c.operands[0], Value::Scalar<uint32_t>(ElementType::kU32, 0)});
}
absl::StatusOr<Value> EvaluateSame(const EvalContext& c) { return c.operands[0]; }
absl::StatusOr<Value> EvaluateFirst(const EvalContext& c) { return c.operands[0].elements()[0]; }
absl::StatusOr<Value> EvaluateSecond(const EvalContext& c) { return c.operands[0].elements()[1]; }

}  // namespace

void DefineAsync(OpRegistry& r) {
  OpDef& start = r.Define(Opcode::kAsyncStart);
  start.op_class = OpClass::kOpaque;
  start.control = ControlKind::kCall;  // a call whose result evaluate makes a part of the value
  start.min_operands = 0;
  start.max_operands = -1;
  start.attributes = {{AttrId::kCalls, true}};
  start.infer = InferAsyncStart;
  start.evaluate = EvaluateAsyncStart;
  start.opaque_reason = "it runs a whole computation";
  start.summary = "begins to run a computation beside the program";
  start.doc = "Gives ((operands...), result, contexts...). Here the computation runs to its end at once; a collective that is all of it goes on until its value is read.";
  start.spec = "operations.md: Control, tuples, calls";
  struct Row {
    Opcode opcode;
    std::optional<Shape> (*infer)(ShapeContext&);
    absl::StatusOr<Value> (*evaluate)(const EvalContext&);
    absl::string_view summary, doc;
  };
  const Row rows[] = {
      {Opcode::kAsyncUpdate, InferAsyncUpdate, EvaluateSame, "a point in time between start and done", "Passes on what it is given."},
      {Opcode::kAsyncDone, InferAsyncDone, EvaluateSecond, "waits for the computation that async-start began",
       "Gives the computation's result."},
      {Opcode::kCopyStart, InferCopyStart, EvaluateCopyStart, "begins a copy between memories", "Gives (destination, source, context)."},
      {Opcode::kCopyDone, InferCopyDone, EvaluateFirst, "waits for a copy", "Gives the destination of the copy that copy-start began."},
  };
  for (const Row& row : rows) {
    OpDef& d = r.Define(row.opcode);
    d.op_class = OpClass::kStructural;
    d.movement = Movement::kMove;
    d.min_operands = d.max_operands = 1;
    d.attributes = {{AttrId::kCalls}, {AttrId::kIsCrossProgramPrefetch}, {AttrId::kCrossProgramPrefetchIndex}};
    d.infer = row.infer;
    d.evaluate = row.evaluate;
    d.summary = row.summary;
    d.doc = row.doc;
    d.spec = "operations.md: Control, tuples, calls";
  }
}

}  // namespace hloscope
