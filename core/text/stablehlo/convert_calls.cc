// Calls: of functions, composites, custom calls with all their attributes; and operations on quantized types, which are kept by name.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {
namespace {

const mlir::Op* Callee(OpContext& c, const mlir::Attr* symbol) {
  if (symbol == nullptr) return nullptr;
  const mlir::Op* function = c.c.FindFunction(symbol->text);
  if (function == nullptr) {
    c.scope.emit.computation()->in_error = true;
    c.c.sink().Error(symbol->range.valid() ? symbol->range : PlaceOf(c.op), HLO_LABEL("stablehlo.unknown-function"), absl::StrCat("there is no function @", symbol->text, " with a body"),
                     c.c.HintForFunction(symbol->text));
  }
  return function;
}

Instruction* AddCall(OpContext& c, const mlir::Op& function, Operands operands, Attributes attributes) {
  Computation* computation = c.c.ConvertCallee(function, operands, PlaceOf(c.op));
  if (computation == nullptr || computation->root == nullptr) {
    c.e.computation()->in_error = true;
    return nullptr;
  }
  attributes.insert(attributes.begin(), ComputationAttribute(AttrId::kToApply, computation));
  const Shape shape = computation->root->shape.WithoutLayouts();
  return c.e.Add(Opcode::kCall, std::move(operands), std::move(attributes), &shape, c.result_count() == 1 ? c.name() : "");
}

// One result of a function is its root, several are the elements of its root.
void Call(OpContext& c) {
  const mlir::Op* function = Callee(c, c.Need("callee"));
  if (function != nullptr) c.SetAll(AddCall(c, *function, c.ins(), {}));
}

void Composite(OpContext& c) {
  const mlir::Attr* name = c.Need("name");
  const mlir::Op* function = name == nullptr ? nullptr : Callee(c, c.Need("decomposition"));
  if (function == nullptr) return;
  Instruction* call = AddCall(c, *function, c.ins(), {IntAttribute(AttrId::kIsComposite, 1)});
  if (call == nullptr) return;
  const mlir::Attr* attributes = c.attr("composite_attributes");
  std::string text = absl::StrCat("{composite.name=", Quoted(name->text));
  absl::StrAppend(&text, ",composite.attributes=", attributes == nullptr ? std::string("{}") : WrittenText(*attributes, c.c.source()));
  absl::StrAppend(&text, ",composite.version=\"", c.Int("version", 0), "\"}");
  call->frontend_attributes = c.c.module().Intern(text);
  c.SetAll(call);
}

// -- custom_call --

// "{1,0}" for dense<[1, 0]>.
std::string LayoutText(const mlir::Attr& a) { return absl::StrCat("{", absl::StrJoin(IntsOf(a).value_or(std::vector<int64_t>()), ","), "}"); }

std::optional<Shape> WithLayout(const Shape& shape, const mlir::Attr& a) {
  const auto order = IntsOf(a);
  if (!shape.IsArray() || !order || static_cast<int>(order->size()) != shape.rank()) return shape;
  std::vector<int64_t> sorted = *order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t k = 0; k < sorted.size(); ++k) {
    if (sorted[k] != static_cast<int64_t>(k)) return std::nullopt;
  }
  Layout layout;
  layout.minor_to_major.assign(order->begin(), order->end());
  return shape.WithLayout(std::move(layout));
}

// `mhlo.attributes` of a custom call that stands for an operation of another dialect.
const mlir::Attr* InnerAttributes(const OpContext& c) { return c.attr("mhlo.attributes"); }

// Custom calls that JAX writes for operations which StableHLO lacks: the same operation by another name.
bool AsOperation(OpContext& c, absl::string_view target) {
  absl::string_view name = target;
  if (!absl::ConsumePrefix(&name, "mhlo.") && !absl::ConsumePrefix(&name, "chlo.")) return false;
  const Row* row = FindRow(absl::StrCat("chlo.", name));
  if (row == nullptr || c.operand_count() < row->min_operands || (row->max_operands >= 0 && c.operand_count() > row->max_operands) || row->regions > 0) return false;
  (void)InnerAttributes(c);
  row->handler(c);
  return true;
}

// What shape polymorphism leaves behind: a value with its shape beside it, and requirements on sizes.
bool ShapeCall(OpContext& c, absl::string_view target) {
  if (target == "stablehlo.shape_refinement_operand_wrapper") {
    c.Set(0, c.in(0));
    return true;
  }
  if (target == "shape_assertion") {
    const auto holds = c.TryKnownInts(0);
    if (holds && !holds->empty() && (*holds)[0] == 0) {
      const mlir::Attr* message = c.attr("error_message");
      c.Error(HLO_LABEL("stablehlo.shape-assertion"), absl::StrCat("a requirement on sizes does not hold", message == nullptr ? "" : ": ", message == nullptr ? "" : message->text));
    }
    return true;
  }
  return false;
}

std::string AliasText(const mlir::Attr& aliases) {
  std::vector<std::string> parts;
  for (const mlir::Attr& alias : aliases.array) {
    parts.push_back(absl::StrCat("{", absl::StrJoin(IntsField(alias, "output_tuple_indices"), ","), "}: (", IntField(alias, "operand_index", 0), ", {",
                                 absl::StrJoin(IntsField(alias, "operand_tuple_indices"), ","), "})"));
  }
  return absl::StrCat("{", absl::StrJoin(parts, ", "), "}");
}

void CustomCall(OpContext& c) {
  const mlir::Attr* target = c.Need("call_target_name");
  if (target == nullptr) return;
  const Operands operands = c.ins();
  if (AsOperation(c, target->text) || ShapeCall(c, target->text) || ConvertDynamicCall(c, target->text)) return;

  if (absl::StartsWith(target->text, "check.expect_") && operands.size() > 1 && !ComparesLike(c)) return;

  // The result has the written types; one of them with an operand's layout where result_layouts says so.
  std::vector<Shape> shapes;
  const mlir::Attr* result_layouts = c.attr("result_layouts");
  for (int i = 0; i < c.result_count(); ++i) {
    std::optional<Shape> shape = c.Written(i);
    if (!shape) {
      // indices_of_shape_operands names the operands that hold the sizes.
      const mlir::Attr* where = c.attr("indices_of_shape_operands");
      const auto at = where == nullptr ? std::nullopt : IntsOf(*where);
      const auto sizes = at && i < static_cast<int>(at->size()) ? c.KnownInts(static_cast<int>((*at)[i]), "a result's shape") : std::nullopt;
      if (sizes && std::none_of(sizes->begin(), sizes->end(), [](int64_t n) { return n < 0; })) shape = Shape::Array(c.WrittenElement(i), *sizes);
    }
    if (!shape && c.operand_count() == 1 && c.result_count() == 1 && operands[0] != nullptr) shape = c.WrittenOrLike(operands[0]->shape);
    if (!shape) return c.Error(HLO_LABEL("stablehlo.unknown-sizes"), absl::StrCat("the custom call ", target->text, " needs result types of known sizes"));
    if (result_layouts != nullptr && i < static_cast<int>(result_layouts->array.size())) {
      shape = WithLayout(*shape, result_layouts->array[i]);
      if (!shape) return c.Error(HLO_LABEL("stablehlo.layout"), absl::StrCat("result_layouts must be permutations, not ", LayoutText(result_layouts->array[i])));
    }
    shapes.push_back(*shape);
  }
  const Shape shape = shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);

  Attributes attributes = {c.Text(AttrId::kCustomCallTarget, target->text)};
  if (c.Bool("has_side_effect", false)) attributes.push_back(IntAttribute(AttrId::kCustomCallHasSideEffect, 1));
  if (const mlir::Attr* layouts = c.attr("operand_layouts"); layouts != nullptr && layouts->array.size() == operands.size()) {
    std::vector<std::string> texts;
    for (size_t k = 0; k < operands.size(); ++k) {
      const std::optional<Shape> one = operands[k] == nullptr ? std::nullopt : WithLayout(operands[k]->shape.WithoutLayouts(), layouts->array[k]);
      if (!one) return operands[k] == nullptr ? void() : c.Error(HLO_LABEL("stablehlo.layout"), absl::StrCat("operand_layouts must be permutations, not ", LayoutText(layouts->array[k])));
      texts.push_back(one->ToString());
    }
    attributes.push_back(c.Text(AttrId::kOperandLayoutConstraints, absl::StrCat("{", absl::StrJoin(texts, ", "), "}")));
  }
  if (const mlir::Attr* aliases = c.attr("output_operand_aliases"); aliases != nullptr && !aliases->array.empty()) {
    attributes.push_back(c.Text(AttrId::kOutputToOperandAliasing, AliasText(*aliases)));
  }
  const int64_t version = c.Int("api_version", 1);
  const mlir::Attr* config = c.attr("backend_config");
  const mlir::Attr* mhlo_config = c.attr("mhlo.backend_config");
  if (version == 2) attributes.push_back(c.Text(AttrId::kApiVersion, "API_VERSION_STATUS_RETURNING"));
  if (version == 3) attributes.push_back(c.Text(AttrId::kApiVersion, "API_VERSION_STATUS_RETURNING_UNIFIED"));
  if (version == 4) attributes.push_back(c.Text(AttrId::kApiVersion, "API_VERSION_TYPED_FFI"));
  if (const mlir::Attr* called = c.attr("called_computations"); called != nullptr && !called->array.empty()) {
    Attribute all;
    all.id = AttrId::kCalledComputations;
    all.name = Info(AttrId::kCalledComputations).name;
    std::vector<Computation*> computations;
    for (const mlir::Attr& symbol : called->array) {
      const mlir::Op* function = Callee(c, &symbol);
      if (function == nullptr) return;
      Computation* computation = c.c.ConvertEntry(*function);
      if (computation == nullptr) return;
      computations.push_back(computation);
    }
    all.value = std::move(computations);
    attributes.push_back(all);
  }
  Instruction* call = c.e.Add(Opcode::kCustomCall, operands, std::move(attributes), &shape, c.result_count() == 1 ? c.name() : "");
  if (call == nullptr) return;
  if (config == nullptr) config = mhlo_config;
  if (config != nullptr) {
    std::string text;
    if (config->kind == mlir::Attr::Kind::kString) {
      if (!config->text.empty()) text = Quoted(config->text);
    } else if (config->kind == mlir::Attr::Kind::kDictionary) {
      text = version == 4 ? WrittenText(*config, c.c.source()) : Quoted(WrittenText(*config, c.c.source()));
    }
    if (!text.empty()) call->backend_config = c.c.module().Intern(text);
  }
  c.SetAll(call);
}

// An operation on quantized types: kept with its name and the storage types, refused when a run reaches it.
void Quantized(OpContext& c) {
  const bool structural = c.op.name == "func.call" || absl::EndsWith(c.op.name, ".constant") || c.op.name == "stablehlo.tuple" || c.op.name == "stablehlo.get_tuple_element" ||
                          c.op.name == "stablehlo.while" || c.op.name == "stablehlo.if" || c.op.name == "stablehlo.case" || c.op.name == "stablehlo.custom_call" ||
                          c.op.name == "stablehlo.optimization_barrier" || absl::StartsWith(c.op.name, "check.");
  if (structural) return FindRow(c.op.name)->handler(c);
  std::vector<Shape> shapes;
  for (int i = 0; i < c.result_count(); ++i) {
    const std::optional<Shape> shape = c.Written(i);
    if (!shape) return c.Error(HLO_LABEL("stablehlo.unknown-sizes"), absl::StrCat(c.op.name, " on quantized types needs result types of known sizes"));
    shapes.push_back(*shape);
  }
  const Shape shape = shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
  Instruction* call = c.e.Add(Opcode::kCustomCall, c.ins(), {c.Text(AttrId::kCustomCallTarget, absl::StrCat("quantized:", c.op.name))}, &shape, c.result_count() == 1 ? c.name() : "");
  if (call == nullptr) return;
  std::vector<std::string> types;
  for (const auto& result : c.op.results) types.push_back(result->type.text);
  call->backend_config = c.c.module().Intern(Quoted(absl::StrJoin(types, ", ")));
  c.SetAll(call);
}

// The functions that the symbols of an attribute name, row by row; nothing where one of them is not there.
bool AddCallees(OpContext& c, const mlir::Attr& symbols, std::vector<const mlir::Op*>& functions) {
  bool known = true;
  if (symbols.kind == mlir::Attr::Kind::kSymbol) {
    functions.push_back(Callee(c, &symbols));
    known = functions.back() != nullptr;
  }
  for (const mlir::Attr& one : symbols.array) known = AddCallees(c, one, functions) && known;
  return known;
}

// Whether a program of one device can be a call of its function, with what it finds in its infeed that of the whole program: nothing else finds
// that, and it is run once.
bool TakesInfeedOfMain(OpContext& c, const std::vector<const mlir::Op*>& infeed) {
  if (infeed.empty()) return true;
  if (!c.c.infeed().empty() || c.e.computation() != c.c.outermost()) return false;
  for (const mlir::Op* function : infeed) c.c.infeed().push_back(SymbolOf(*function));
  return true;
}

// Programs of several devices: one program a device, all results in order. One alone is a call. Each has an infeed of its own, which the functions
// named by `infeed` fill; these follow the programs.
void RunParallel(OpContext& c) {
  const mlir::Attr* programs = c.Need("programs");
  if (programs == nullptr) return;
  std::vector<const mlir::Op*> all, infeed;
  if (const mlir::Attr* names = c.attr("infeed"); names != nullptr && !AddCallees(c, *names, infeed)) return;
  const bool even = std::all_of(programs->array.begin(), programs->array.end(), [&](const mlir::Attr& row) { return row.array.size() == programs->array[0].array.size(); });
  if (!even) return c.Error(HLO_LABEL("stablehlo.run-parallel"), "each replica needs as many programs as the others, one a partition", "programs = [[@f, @g], [@f, @g]]: two replicas of two partitions");
  if (!AddCallees(c, *programs, all)) return;
  if (all.size() == 1 && TakesInfeedOfMain(c, infeed)) return c.SetAll(AddCall(c, *all[0], c.ins(), {}));
  std::vector<Computation*> computations;
  all.insert(all.end(), infeed.begin(), infeed.end());
  for (const mlir::Op* function : all) {
    Computation* computation = c.c.ConvertEntry(*function);
    if (computation == nullptr) return;
    computations.push_back(computation);
  }
  std::vector<Shape> shapes;
  for (int i = 0; i < c.result_count(); ++i) {
    const std::optional<Shape> shape = c.Written(i);
    if (!shape) return c.Error(HLO_LABEL("stablehlo.unknown-sizes"), absl::StrCat(c.op.name, " needs result types of known sizes"));
    shapes.push_back(*shape);
  }
  const Shape shape = shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
  Attribute called;
  called.id = AttrId::kCalledComputations;
  called.name = Info(AttrId::kCalledComputations).name;
  called.value = std::move(computations);
  Instruction* call = c.e.Add(Opcode::kCustomCall, c.ins(), {c.Text(AttrId::kCustomCallTarget, c.op.name), called}, &shape, c.result_count() == 1 ? c.name() : "");
  if (call == nullptr) return;
  // Programs stand replica by replica, so many in each row.
  const size_t partitions = programs->array.empty() ? 1 : std::max<size_t>(1, programs->array[0].array.size());
  call->backend_config = c.c.module().Intern(Quoted(absl::StrCat("partitions=", partitions, infeed.empty() ? "" : absl::StrCat(",infeed=", infeed.size()))));
  c.SetAll(call);
}

// Looks at a value from outside; the program goes on with it.
void Probe(OpContext& c) {
  if (c.result_count() > 0) c.Set(0, c.in(0));
}

constexpr Row kRows[] = {
    {"func.call", Call, 0, -1},
    {"call", Call, 0, -1},
    {"stablehlo.composite", Composite, 0, -1},
    {"stablehlo.custom_call", CustomCall, 0, -1},
    {"stablehlo.uniform_quantize", Quantized, 1, 1},
    {"stablehlo.uniform_dequantize", Quantized, 1, 1},
    {"stablehlo.quantized", Quantized, 0, -1},  // what ConvertOp takes for any operation on quantized types
    {"interpreter.run_parallel", RunParallel, 0, -1},
    {"interpreter.probe", Probe, 1, 1},
    {"interpreter.print", Probe, 0, -1},
};

}  // namespace

absl::Span<const Row> CallRows() { return kRows; }

}  // namespace hloscope::stablehlo
