// Operations with regions: reductions, windows, sort, scatter, map, and control flow.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/literal/scalar.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {
namespace {

Attribute WindowAttribute(Window window) {
  Attribute a;
  a.id = AttrId::kWindow;
  a.name = Info(AttrId::kWindow).name;
  a.value = std::move(window);
  return a;
}

// Operands converted to the types that the region computes in, where it is wider than theirs.
Operands Promoted(OpContext& c, Operands operands, int first_parameter) {
  for (size_t k = 0; k < operands.size(); ++k) {
    const auto type = c.RegionType(static_cast<int>(c.op.regions.size()) - 1, first_parameter + static_cast<int>(k));
    if (type && operands[k] != nullptr && operands[k]->shape.IsArray()) operands[k] = c.e.Convert(operands[k], *type);
  }
  return operands;
}

// A result per input; null: inferred.
std::optional<Shape> WrittenAll(const OpContext& c) {
  std::vector<Shape> shapes;
  for (int i = 0; i < c.result_count(); ++i) {
    const std::optional<Shape> shape = c.Written(i);
    if (!shape) return std::nullopt;
    shapes.push_back(*shape);
  }
  return shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
}

// `more`: results of captured values stand behind those that are written.
void AddAll(OpContext& c, Opcode opcode, Operands operands, Attributes attributes, bool more = false) {
  const std::optional<Shape> shape = more ? std::nullopt : WrittenAll(c);
  c.SetAll(c.e.Add(opcode, std::move(operands), std::move(attributes), shape ? &*shape : nullptr, c.result_count() == 1 ? c.name() : ""));
}

// Captured scalars as arrays of the dimensions of `like`.
void AddSplats(OpContext& c, const Operands& captured, Instruction* like, Operands& operands) {
  for (Instruction* scalar : captured) operands.push_back(like == nullptr ? nullptr : c.e.Splat(scalar, like->shape));
}

// The operands of a fold of `n` arrays: arrays, those of captured scalars, then where each starts.
Operands FoldOperands(OpContext& c, int n, const Operands& captured) {
  for (int i = 0; i < n; ++i) {
    const Instruction* array = c.in(i);
    const Instruction* init = c.in(n + i);
    if (array == nullptr || init == nullptr || array->shape.element_type() == init->shape.element_type()) continue;
    c.Error(HLO_LABEL("stablehlo.init-type"), absl::StrCat("the initial value of ", c.op.name, " has the element type of what is folded, ", Name(array->shape.element_type()), ", not ",
                                                           Name(init->shape.element_type())));
  }
  Operands operands = Promoted(c, c.ins(0, n), 0);
  AddSplats(c, captured, c.in(0), operands);
  for (Instruction* init : Promoted(c, c.ins(n, n), 0)) operands.push_back(init);
  operands.insert(operands.end(), captured.begin(), captured.end());
  return operands;
}

void Reduce(OpContext& c) {
  if (c.Need("dimensions") == nullptr) return;
  Operands captured;
  Computation* reducer = c.ScalarRegion(0, "reducer", OpContext::Captures::kHalves, &captured);
  if (reducer == nullptr) return;
  AddAll(c, Opcode::kReduce, FoldOperands(c, c.operand_count() / 2, captured),
         {IntsAttribute(AttrId::kDimensions, c.Ints("dimensions")), ComputationAttribute(AttrId::kToApply, reducer)}, !captured.empty());
}

// The window from the lists of reduce_window, select_and_scatter (and their absent ones).
std::optional<Window> ReadWindow(OpContext& c, int64_t rank) {
  Window window(rank);
  const auto lists = {std::make_pair("window_dimensions", &WindowDimension::size), std::make_pair("window_strides", &WindowDimension::stride),
                      std::make_pair("base_dilations", &WindowDimension::base_dilation), std::make_pair("window_dilations", &WindowDimension::window_dilation)};
  for (const auto& [name, field] : lists) {
    const std::vector<int64_t> values = c.Ints(name, rank, 1);
    if (static_cast<int64_t>(values.size()) != rank) {
      c.Error(HLO_LABEL("stablehlo.window-lists"), absl::StrCat(name, " must have ", rank, " entries, one a dimension; it has ", values.size()));
      return std::nullopt;
    }
    for (int64_t d = 0; d < rank; ++d) window[d].*field = values[d];
  }
  if (const mlir::Attr* padding = c.attr("padding")) {
    const auto rows = RowsOf(*padding);
    const bool fits = rows && static_cast<int64_t>(rows->size()) == rank && std::all_of(rows->begin(), rows->end(), [](const auto& row) { return row.size() == 2; });
    if (!fits) {
      c.Error(HLO_LABEL("stablehlo.window-padding"), absl::StrCat("padding must be ", rank, " pairs (low, high)"));
      return std::nullopt;
    }
    for (int64_t d = 0; d < rank; ++d) {
      window[d].padding_low = (*rows)[d][0];
      window[d].padding_high = (*rows)[d][1];
    }
  }
  return window;
}

// Whether it makes no difference how often the initial value is folded in, once at least.
bool FoldsAway(OpContext& c, const Computation& reducer, const Instruction* init) {
  const Instruction* root = reducer.root;
  if (root->operands.size() != 2 || root->operands[0] == root->operands[1] || root->operands[0]->parameter_number < 0 || root->operands[1]->parameter_number < 0) return false;
  double neutral = 0;
  switch (root->opcode) {
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr: return true;
    case Opcode::kAdd:
    case Opcode::kXor: break;
    case Opcode::kMultiply: neutral = 1; break;
    default: return false;
  }
  const Value* value = c.c.folder().Fold(init);
  if (value == nullptr || !value->shape().IsScalar()) return false;
  const Scalar s = LoadScalar(value->shape().element_type(), value->data());
  return IsFloat(s.type) || IsComplex(s.type) ? s.re == neutral && s.im == 0 : s.i == static_cast<int64_t>(neutral);
}

// StableHLO fills the padding and the holes of the dilated input with the initial value and folds them like elements (reduce_window); HLO
// passes over them. Where that can be told apart, they are made with pad.
void FillPadding(OpContext& c, Operands& operands, Window& window) {
  std::vector<PaddingDimension> dimensions;
  for (WindowDimension& d : window) {
    dimensions.push_back({d.padding_low, d.padding_high, d.base_dilation - 1});
    d.padding_low = d.padding_high = 0;
    d.base_dilation = 1;
  }
  const Attribute padding = PaddingAttribute(std::move(dimensions));
  const size_t half = operands.size() / 2;
  for (size_t k = 0; k < half; ++k) operands[k] = c.e.Add(Opcode::kPad, {operands[k], operands[half + k]}, {padding});
}

void ReduceWindow(OpContext& c) {
  if (c.in(0) == nullptr) return;
  auto window = ReadWindow(c, c.in(0)->shape.rank());
  if (!window) return;
  Operands captured;
  Computation* reducer = c.ScalarRegion(0, "reducer", OpContext::Captures::kHalves, &captured);
  if (reducer == nullptr || reducer->root == nullptr) return;
  Operands operands = FoldOperands(c, c.operand_count() / 2, captured);
  const bool filled = std::any_of(window->begin(), window->end(), [](const WindowDimension& d) { return d.padding_low > 0 || d.padding_high > 0 || d.base_dilation > 1; });
  if (filled && !(operands.size() == 2 && FoldsAway(c, *reducer, operands[1]))) FillPadding(c, operands, *window);
  AddAll(c, Opcode::kReduceWindow, std::move(operands), {WindowAttribute(*window), ComputationAttribute(AttrId::kToApply, reducer)}, !captured.empty());
}

// The operation of HLO takes one array, so where its computations take scalars from outside it is done in two steps: a fold over the windows
// keeps the selected element and its place, then a scatter combines each source element into its place.
void SelectThenScatter(OpContext& c, const Operands& operands, const Window& window) {
  Emitter& e = c.e;
  const Shape shape = operands[0]->shape.WithoutLayouts(), source = operands[1]->shape.WithoutLayouts();
  const ElementType type = shape.element_type();
  Operands captured, of_scatter;
  Computation* select = c.ScalarRegion(0, "select", OpContext::Captures::kLast, &captured);
  Computation* scatter = c.ScalarRegion(1, "scatter", OpContext::Captures::kHalves, &of_scatter);
  if (select == nullptr || scatter == nullptr) return;
  // Fold (value, place, captured...): the first element of a window is taken as it is, padding (place -1) never.
  const ElementType index = ElementType::kS64;
  std::vector<Shape> parts = {Shape::Scalar(type), Shape::Scalar(index)};
  for (const Instruction* k : captured) parts.push_back(k->shape.WithoutLayouts());
  Computation* keep = c.c.Helper(absl::StrCat("select of ", select->name), "selected", [&](Emitter& f, Computation*) {
    Operands left, right, call;
    for (const Shape& part : parts) left.push_back(f.Parameter(part, "kept"));
    for (const Shape& part : parts) right.push_back(f.Parameter(part, "next"));
    call = {left[0], right[0]};
    call.insert(call.end(), left.begin() + 2, left.end());
    const Shape pred = Shape::Scalar(ElementType::kPred);
    Instruction* selected = f.Add(Opcode::kCall, call, {ComputationAttribute(AttrId::kToApply, select)}, &pred);
    Instruction* none = f.ScalarInt(index, -1);
    Instruction* empty = f.Compare("EQ", left[1], none);
    Instruction* padding = f.Compare("EQ", right[1], none);
    Instruction* stay = f.Add(Opcode::kOr, {padding, f.Add(Opcode::kAnd, {f.Add(Opcode::kNot, {empty}), selected})});
    Operands results = {f.Add(Opcode::kSelect, {stay, left[0], right[0]}), f.Add(Opcode::kSelect, {stay, left[1], right[1]})};
    results.insert(results.end(), left.begin() + 2, left.end());
    return f.Tuple(results);
  });
  const int64_t count = shape.ElementCount();
  const std::vector<int64_t> dims(shape.dimensions().begin(), shape.dimensions().end());
  const Shape flat = Shape::Array(index, {count});
  Instruction* places = e.Reshape(e.Add(Opcode::kIota, {}, {IntAttribute(AttrId::kIotaDimension, 0)}, &flat), dims);
  Operands fold = {operands[0], places};
  AddSplats(c, captured, operands[0], fold);
  fold.push_back(operands[2]);
  fold.push_back(e.ScalarInt(index, -1));
  fold.insert(fold.end(), captured.begin(), captured.end());
  Instruction* chosen = e.Add(Opcode::kReduceWindow, fold, {WindowAttribute(window), ComputationAttribute(AttrId::kToApply, keep)});
  if (chosen == nullptr) return;
  if (chosen->shape.tuple_shapes()[1].dimensions() != source.dimensions()) {
    return c.Error(HLO_LABEL("stablehlo.select-source"), absl::StrCat("the source must have one element a window: ", chosen->shape.tuple_shapes()[0].ToString(false), ", not ", source.ToString(false)));
  }
  const int64_t windows = source.ElementCount();
  Operands into = {e.Splat(operands[2], Shape::Array(type, {count}))};
  AddSplats(c, of_scatter, into[0], into);
  into.push_back(e.Reshape(e.Element(chosen, 1), {windows, 1}));
  Instruction* updates = e.Reshape(operands[1], {windows});
  into.push_back(updates);
  AddSplats(c, of_scatter, updates, into);
  Instruction* all = e.Add(Opcode::kScatter, into,
                           {IntsAttribute(AttrId::kUpdateWindowDims, {}), IntsAttribute(AttrId::kInsertedWindowDims, {0}), IntsAttribute(AttrId::kScatterDimsToOperandDims, {0}),
                            IntAttribute(AttrId::kIndexVectorDim, 1), ComputationAttribute(AttrId::kToApply, scatter)});
  if (all != nullptr && all->shape.IsTuple()) all = e.Element(all, 0);
  c.Set(0, e.Reshape(all, dims));
}

// Whether a region uses what only a run knows.
bool CapturesFromOutside(OpContext& c) {
  for (const mlir::SsaValue* value : FreeValues(c.op)) {
    Instruction* outside = c.Lookup(value);
    if (outside != nullptr && !(outside->shape.IsArray() && c.c.folder().Fold(outside) != nullptr)) return true;
  }
  return false;
}

void SelectAndScatter(OpContext& c) {
  if (c.in(0) == nullptr) return;
  const auto window = ReadWindow(c, c.in(0)->shape.rank());
  if (!window) return;
  Operands operands = c.ins();
  if (const auto type = c.RegionType(1, 0)) {
    for (size_t k = 0; k < operands.size(); ++k) operands[k] = c.e.Convert(operands[k], *type);
  }
  if (CapturesFromOutside(c)) {
    if (std::find(operands.begin(), operands.end(), nullptr) == operands.end()) SelectThenScatter(c, operands, *window);
    return;
  }
  Computation* select = c.ScalarRegion(0, "select");
  Computation* scatter = c.ScalarRegion(1, "scatter");
  if (select == nullptr || scatter == nullptr) return;
  c.Simple(Opcode::kSelectAndScatter, std::move(operands), {WindowAttribute(*window), ComputationAttribute(AttrId::kSelect, select), ComputationAttribute(AttrId::kScatter, scatter)});
}

void Sort(OpContext& c) {
  if (c.in(0) == nullptr) return;
  int64_t dimension = c.Int("dimension", -1);
  if (dimension < 0) dimension += c.in(0)->shape.rank();
  Operands operands = c.ins(), captured;
  Computation* comparator = c.ScalarRegion(0, "comparator", OpContext::Captures::kPairs, &captured);
  if (comparator == nullptr) return;
  AddSplats(c, captured, c.in(0), operands);
  Attributes attributes = {IntsAttribute(AttrId::kDimensions, {dimension})};
  if (c.Bool("is_stable", false)) attributes.push_back(IntAttribute(AttrId::kIsStable, 1));
  attributes.push_back(ComputationAttribute(AttrId::kToApply, comparator));
  AddAll(c, Opcode::kSort, std::move(operands), std::move(attributes), !captured.empty());
}

void Scatter(OpContext& c) {
  const mlir::Attr* n = c.Need("scatter_dimension_numbers");
  if (n == nullptr) return;
  const int inputs = (c.operand_count() - 1) / 2;
  Operands captured;
  Computation* combine = c.ScalarRegion(0, "update", OpContext::Captures::kHalves, &captured);
  if (combine == nullptr) return;
  Operands operands = Promoted(c, c.ins(0, inputs), 0);
  AddSplats(c, captured, c.in(0), operands);
  operands.push_back(c.in(inputs));
  for (Instruction* update : Promoted(c, c.ins(inputs + 1, inputs), inputs)) operands.push_back(update);
  AddSplats(c, captured, c.in(inputs + 1), operands);
  Attributes attributes = {IntsAttribute(AttrId::kUpdateWindowDims, IntsField(*n, "update_window_dims")),
                           IntsAttribute(AttrId::kInsertedWindowDims, IntsField(*n, "inserted_window_dims")),
                           IntsAttribute(AttrId::kScatterDimsToOperandDims, IntsField(*n, "scatter_dims_to_operand_dims"))};
  const std::vector<int64_t> batching = IntsField(*n, "input_batching_dims"), of_indices = IntsField(*n, "scatter_indices_batching_dims");
  if (!batching.empty() || !of_indices.empty()) {
    attributes.push_back(IntsAttribute(AttrId::kInputBatchingDims, batching));
    attributes.push_back(IntsAttribute(AttrId::kScatterIndicesBatchingDims, of_indices));
  }
  attributes.push_back(IntAttribute(AttrId::kIndexVectorDim, IntField(*n, "index_vector_dim", 0)));
  if (c.Bool("indices_are_sorted", false)) attributes.push_back(IntAttribute(AttrId::kIndicesAreSorted, 1));
  if (c.Bool("unique_indices", false)) attributes.push_back(IntAttribute(AttrId::kUniqueIndices, 1));
  attributes.push_back(ComputationAttribute(AttrId::kToApply, combine));
  AddAll(c, Opcode::kScatter, std::move(operands), std::move(attributes), !captured.empty());
}

void Map(OpContext& c) {
  if (c.Need("dimensions") == nullptr) return;
  Operands operands = c.ins(), captured;
  Computation* f = c.ScalarRegion(0, "map", OpContext::Captures::kLast, &captured);
  if (f == nullptr) return;
  AddSplats(c, captured, c.in(0), operands);
  c.Simple(Opcode::kMap, std::move(operands), {IntsAttribute(AttrId::kDimensions, c.Ints("dimensions")), ComputationAttribute(AttrId::kToApply, f)});
}

// -- Control flow --

void While(OpContext& c) {
  const mlir::Region& condition = *c.op.regions[0];
  const mlir::Region& body = *c.op.regions[1];
  const RegionCaptures captures = FindCaptures(c);
  Operands carried = c.ins();
  const size_t own = carried.size();
  for (const mlir::SsaValue* value : captures.passed) carried.push_back(c.Lookup(value));
  if (!captures.ok || std::find(carried.begin(), carried.end(), nullptr) != carried.end()) return;
  if (condition.arguments.size() != own || body.arguments.size() != own) {
    return c.Error(HLO_LABEL("stablehlo.while-arguments"), absl::StrCat("the loop carries ", own, " values, its condition takes ", condition.arguments.size(), " and its body ",
                                                                        body.arguments.size()));
  }
  const bool single = carried.size() == 1;
  Instruction* init = single ? carried[0] : c.e.Tuple(carried);
  if (init == nullptr) return;
  const Shape state = init->shape.WithoutLayouts();
  std::vector<Instruction*> inside;  // of the region being filled: the carried values
  const auto bind = [&](const mlir::Region& region) {
    return [&](Scope& inner) {
      Instruction* parameter = inner.emit.Parameter(state, single ? CleanName(region.arguments.empty() ? captures.passed[0]->name : region.arguments[0]->name) : "carried");
      inside.clear();
      for (size_t i = 0; i < carried.size(); ++i) {
        const mlir::SsaValue* value = i < own ? region.arguments[i].get() : captures.passed[i - own];
        Instruction* element = single ? parameter : inner.emit.Element(parameter, static_cast<int64_t>(i), CleanName(value->name));
        inner.values[value] = element;
        inside.push_back(element);
      }
      Repeat(inner, captures);
    };
  };
  Computation* condition_computation = c.c.ConvertRegion(condition, "while_condition", bind(condition),
                                                         [](Scope&, const Operands& results) { return results.size() == 1 ? results[0] : nullptr; });
  Computation* body_computation = c.c.ConvertRegion(body, "while_body", bind(body), [&](Scope& inner, const Operands& results) -> Instruction* {
    if (results.size() != own) {
      c.Error(HLO_LABEL("stablehlo.while-results"), absl::StrCat("the loop's body must return the ", own, " values that it carries, it returns ", results.size()));
      return nullptr;
    }
    Operands next = results;
    for (size_t i = own; i < inside.size(); ++i) next.push_back(inside[i]);
    return single ? next[0] : inner.emit.Tuple(next);
  });
  Instruction* loop = c.e.Add(Opcode::kWhile, {init}, {ComputationAttribute(AttrId::kCondition, condition_computation), ComputationAttribute(AttrId::kBody, body_computation)},
                              &state, single ? c.name() : "");
  if (single) {
    if (own == 1) c.Set(0, loop);
    return;
  }
  for (int i = 0; i < c.result_count(); ++i) c.Set(i, c.e.Element(loop, i, CleanName(c.op.results[i]->name)));
}

// The branches of `if` and `case`: each takes one operand, what it uses from outside.
void Branches(OpContext& c, Instruction* selector, absl::string_view name, ElementType wanted) {
  if (selector == nullptr) return;
  if (selector->shape.IsTuple() || selector->shape.element_type() != wanted || selector->shape.rank() != 0) {
    return c.Error(HLO_LABEL("stablehlo.branch-selector"), absl::StrCat(c.op.name, " is decided by a ", Name(wanted), "[], not by ", selector->shape.ToString(false)));
  }
  for (const auto& region : c.op.regions) {
    if (!region->arguments.empty()) return c.Error(HLO_LABEL("stablehlo.branch-arguments"), absl::StrCat("a branch of ", c.op.name, " takes no arguments: it sees the values around it"));
  }
  const RegionCaptures captures = FindCaptures(c);
  Operands passed;
  for (const mlir::SsaValue* value : captures.passed) passed.push_back(c.Lookup(value));
  if (!captures.ok) return;
  const bool single = passed.size() == 1;
  Instruction* operand = single ? passed[0] : c.e.Tuple(passed);
  if (operand == nullptr) return;
  const Shape shape = operand->shape.WithoutLayouts();
  std::vector<Computation*> branches;
  for (size_t k = 0; k < c.op.regions.size(); ++k) {
    branches.push_back(c.c.ConvertRegion(
        *c.op.regions[k], name,
        [&](Scope& inner) {
          Instruction* parameter = inner.emit.Parameter(shape, single ? CleanName(captures.passed[0]->name) : "captured");
          for (size_t i = 0; i < passed.size(); ++i) {
            const mlir::SsaValue* value = captures.passed[i];
            inner.values[value] = single ? parameter : inner.emit.Element(parameter, static_cast<int64_t>(i), CleanName(value->name));
          }
          Repeat(inner, captures);
        },
        [&](Scope& inner, const Operands& results) { return results.size() == 1 && c.result_count() == 1 ? results[0] : inner.emit.Tuple(results); }));
  }
  Operands operands = {selector};
  Attributes attributes;
  for (size_t k = 0; k < branches.size(); ++k) operands.push_back(operand);
  const bool two = selector->shape.IsArray() && IsPred(selector->shape.element_type());
  if (two && branches.size() == 2) {
    attributes = {ComputationAttribute(AttrId::kTrueComputation, branches[0]), ComputationAttribute(AttrId::kFalseComputation, branches[1])};
  } else {
    Attribute all;
    all.id = AttrId::kBranchComputations;
    all.name = Info(AttrId::kBranchComputations).name;
    all.value = branches;
    attributes = {all};
  }
  if (std::any_of(branches.begin(), branches.end(), [](const Computation* b) { return b->root == nullptr; })) {
    c.e.computation()->in_error = true;
    return;
  }
  const Shape result = branches[0]->root->shape.WithoutLayouts();
  c.SetAll(c.e.Add(Opcode::kConditional, operands, attributes, &result, c.result_count() == 1 ? c.name() : ""));
}

// chlo.scan: a loop over one dimension. Each turn the body takes a slice of every input (without that dimension) and the carried values, and
// gives a slice of every output and the next carried values. Results: the outputs, then what is carried at the end.
void Scan(OpContext& c) {
  const mlir::Region& body = *c.op.regions[0];
  const RegionCaptures captures = FindCaptures(c);
  const Operands operands = c.ins();
  if (!captures.ok || std::find(operands.begin(), operands.end(), nullptr) != operands.end()) return;
  const int64_t dimension = c.Int("dimension", 0);
  const bool reverse = c.Bool("is_reverse", false);
  size_t inputs = 0;
  if (const std::vector<int64_t> segments = c.Ints("operandSegmentSizes"); segments.size() == 2) {
    inputs = static_cast<size_t>(segments[0]);
  } else {
    while (inputs < operands.size() && inputs < body.arguments.size() && body.arguments[inputs]->type.shape.rank() < operands[inputs]->shape.rank()) ++inputs;
  }
  const size_t carries = operands.size() - std::min(inputs, operands.size());
  if (body.arguments.size() != operands.size() || inputs > operands.size() || c.op.results.size() < carries) {
    return c.Error(HLO_LABEL("chlo.scan-arguments"), absl::StrCat("the body must take ", operands.size(), " arguments, a slice of each input and each carried value"));
  }
  const size_t outputs = c.op.results.size() - carries;
  int64_t length = -1;
  for (size_t i = 0; i < inputs + outputs; ++i) {
    const std::optional<Shape> shape = i < inputs ? std::optional<Shape>(operands[i]->shape) : c.Written(static_cast<int>(i - inputs));
    if (!shape || !shape->IsArray()) continue;
    const bool fits = dimension >= 0 && dimension < shape->rank() && (length < 0 || shape->dim(static_cast<int>(dimension)) == length);
    if (!fits) return c.Error(HLO_LABEL("chlo.scan-dimension"), absl::StrCat("inputs and outputs must agree in the size of dimension ", dimension));
    length = shape->dim(static_cast<int>(dimension));
  }
  if (length < 0) return c.Error(HLO_LABEL("chlo.scan-dimension"), "a scan needs an input or an output of known size");

  // State: turn, inputs, carried values, outputs, captured values.
  const ElementType counter = ElementType::kS32;
  Operands state = {c.e.ScalarInt(counter, 0)};
  state.insert(state.end(), operands.begin(), operands.end());
  std::vector<Shape> made;
  for (size_t i = 0; i < outputs; ++i) {
    // The slice that the body returns says what an output is, where its type does not.
    std::optional<Shape> shape = c.Written(static_cast<int>(i));
    if (!shape) {
      const mlir::Op* end = body.ops.empty() ? nullptr : body.ops.back().get();
      const auto slice = end != nullptr && i < end->operands.size() ? StaticShape(end->operands[i]->type) : std::nullopt;
      if (!slice) return c.Error(HLO_LABEL("stablehlo.unknown-sizes"), absl::StrCat(c.op.name, " needs result types of known sizes"));
      std::vector<int64_t> dims(slice->dimensions().begin(), slice->dimensions().end());
      dims.insert(dims.begin() + std::min<int64_t>(dimension, dims.size()), length);
      shape = Shape::Array(slice->element_type(), dims);
    }
    made.push_back(*shape);
    state.push_back(c.e.Splat(c.e.Scalar(shape->element_type(), 0), *shape));
  }
  for (const mlir::SsaValue* value : captures.passed) state.push_back(c.Lookup(value));
  Instruction* init = c.e.Tuple(state);
  if (init == nullptr) return;
  const Shape state_shape = init->shape.WithoutLayouts();
  Computation* condition = c.c.Helper(absl::StrCat("scan condition ", length, state_shape.ToString(false)), "scan_condition", [&](Emitter& e, Computation*) {
    e.set_origin(c.e.origin());
    return e.Compare("LT", e.Element(e.Parameter(state_shape, "state"), 0), e.ScalarInt(counter, length));
  });
  Operands inside;
  Instruction* at = nullptr;
  const auto starts = [&](Emitter& e, int rank, Instruction* x) {
    Operands all = {x};
    for (int d = 0; d < rank; ++d) all.push_back(d == dimension ? at : e.ScalarInt(counter, 0));
    return all;
  };
  Computation* step = c.c.ConvertRegion(
      body, "scan_body",
      [&](Scope& inner) {
        Emitter& e = inner.emit;
        Instruction* parameter = e.Parameter(state_shape, "state");
        for (size_t i = 0; i < state.size(); ++i) inside.push_back(e.Element(parameter, static_cast<int64_t>(i)));
        at = reverse ? e.Add(Opcode::kSubtract, {e.ScalarInt(counter, length - 1), inside[0]}) : inside[0];
        for (size_t i = 0; i < operands.size(); ++i) {
          Instruction* x = inside[1 + i];
          if (i < inputs) {
            std::vector<int64_t> sizes(x->shape.dimensions().begin(), x->shape.dimensions().end()), slice = sizes;
            sizes[dimension] = 1;
            slice.erase(slice.begin() + dimension);
            x = e.Add(Opcode::kDynamicSlice, starts(e, x->shape.rank(), x), {IntsAttribute(AttrId::kDynamicSliceSizes, sizes)});
            x = e.Reshape(x, slice);
          }
          inner.values[body.arguments[i].get()] = x;
        }
        for (size_t i = 0; i < captures.passed.size(); ++i) inner.values[captures.passed[i]] = inside[1 + operands.size() + outputs + i];
        Repeat(inner, captures);
      },
      [&](Scope& inner, const Operands& results) -> Instruction* {
        Emitter& e = inner.emit;
        if (results.size() != outputs + carries) {
          c.Error(HLO_LABEL("chlo.scan-results"), absl::StrCat("the body must return ", outputs + carries, " values, it returns ", results.size()));
          return nullptr;
        }
        Operands next = {e.Add(Opcode::kAdd, {inside[0], e.ScalarInt(counter, 1)})};
        next.insert(next.end(), inside.begin() + 1, inside.begin() + 1 + static_cast<int64_t>(inputs));
        next.insert(next.end(), results.begin() + static_cast<int64_t>(outputs), results.end());
        for (size_t i = 0; i < outputs; ++i) {
          Instruction* whole = inside[1 + operands.size() + i];
          std::vector<int64_t> sizes(made[i].dimensions().begin(), made[i].dimensions().end());
          sizes[dimension] = 1;
          Operands update = starts(e, whole->shape.rank(), whole);
          update.insert(update.begin() + 1, e.Reshape(results[i], sizes));
          next.push_back(e.Add(Opcode::kDynamicUpdateSlice, update));
        }
        next.insert(next.end(), inside.begin() + static_cast<int64_t>(1 + operands.size() + outputs), inside.end());
        return e.Tuple(next);
      });
  Instruction* loop = c.e.Add(Opcode::kWhile, {init}, {ComputationAttribute(AttrId::kCondition, condition), ComputationAttribute(AttrId::kBody, step)}, &state_shape);
  for (size_t i = 0; i < c.op.results.size(); ++i) {
    const size_t place = i < outputs ? 1 + operands.size() + i : 1 + inputs + (i - outputs);
    c.Set(static_cast<int>(i), c.e.Element(loop, static_cast<int64_t>(place), CleanName(c.op.results[i]->name)));
  }
}

void If(OpContext& c) { Branches(c, c.in(0), "if_branch", ElementType::kPred); }
void Case(OpContext& c) { Branches(c, c.in(0), "case_branch", ElementType::kS32); }

constexpr Row kRows[] = {
    {"stablehlo.reduce", Reduce, 2, -1, 1},
    {"stablehlo.reduce_window", ReduceWindow, 2, -1, 1},
    {"stablehlo.select_and_scatter", SelectAndScatter, 3, 3, 2},
    {"stablehlo.sort", Sort, 1, -1, 1},
    {"stablehlo.scatter", Scatter, 3, -1, 1},
    {"stablehlo.map", Map, 1, -1, 1},
    {"stablehlo.while", While, 0, -1, 2},
    {"stablehlo.if", If, 1, 1, 2},
    {"stablehlo.case", Case, 1, 1, 1},
    {"chlo.scan", Scan, 1, -1, 1},
};

}  // namespace

absl::Span<const Row> RegionRows() { return kRows; }

}  // namespace hloscope::stablehlo
