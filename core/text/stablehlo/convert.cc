#include "core/text/stablehlo/convert.h"

#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/literal/scalar.h"
#include "core/ops/op.h"
#include "core/text/stablehlo/operation_names.h"

namespace hloscope::stablehlo {

using mlir::Attr;
using mlir::Op;
using mlir::Region;
using mlir::SsaValue;
using mlir::Type;

namespace {

constexpr size_t kMaxCallDepth = 200;
constexpr int64_t kMaxKnownElements = 64;  // of an argument whose value decides shapes in the function called

bool HasUnknownSize(const Type& type) {
  if (type.kind == Type::Kind::kUnranked) return true;
  for (const Type& element : type.elements) {
    if (HasUnknownSize(element)) return true;
  }
  if (type.kind != Type::Kind::kTensor && type.kind != Type::Kind::kQuantized) return false;
  const auto dims = type.shape.dimensions();
  return std::find(dims.begin(), dims.end(), Shape::kUnbounded) != dims.end();
}

// Whether a type with `?` stands anywhere in a function.
bool HasUnknownSize(const Region& region) {
  for (const auto& argument : region.arguments) {
    if (HasUnknownSize(argument->type)) return true;
  }
  for (const auto& op : region.ops) {
    for (const auto& result : op->results) {
      if (HasUnknownSize(result->type)) return true;
    }
    for (const auto& inner : op->regions) {
      if (HasUnknownSize(*inner)) return true;
    }
  }
  return false;
}

bool InsideOf(const SsaValue& value, const Op& op, const Region* only) {
  const Region* region = value.op != nullptr ? value.op->parent : value.region;
  while (region != nullptr) {
    if (region == only || (only == nullptr && region->parent == &op)) return true;
    region = region->parent != nullptr ? region->parent->parent : nullptr;
  }
  return false;
}

void CollectFree(const Op& owner, const Region* only, const Region& region, absl::flat_hash_set<const SsaValue*>& seen, std::vector<const SsaValue*>& free) {
  for (const auto& op : region.ops) {
    for (const SsaValue* operand : op->operands) {
      if (operand != nullptr && seen.insert(operand).second && !InsideOf(*operand, owner, only)) free.push_back(operand);
    }
    for (const auto& inner : op->regions) CollectFree(owner, only, *inner, seen, free);
  }
}

}  // namespace

SourceRange PlaceOf(const Op& op) { return op.name_range.valid() ? op.name_range : op.range; }

std::string SymbolOf(const Op& op) {
  const Attr* name = op.Find("sym_name");
  return name == nullptr ? "" : name->text;
}

bool IsReturn(const Op& op) { return absl::EndsWith(op.name, ".return"); }

bool IsQuantized(const Type& type) {
  if (type.kind == Type::Kind::kQuantized) return true;
  return std::any_of(type.elements.begin(), type.elements.end(), [](const Type& t) { return IsQuantized(t); });
}

std::optional<Shape> StaticShape(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kTensor:
    case Type::Kind::kScalar:
    case Type::Kind::kQuantized:
      if (!type.shape.IsArray() || HasUnknownSize(type)) return std::nullopt;
      return type.shape.WithoutLayouts();
    case Type::Kind::kToken: return Shape::Token();
    case Type::Kind::kTuple: {
      std::vector<Shape> elements;
      for (const Type& element : type.elements) {
        std::optional<Shape> shape = StaticShape(element);
        if (!shape) return std::nullopt;
        elements.push_back(*std::move(shape));
      }
      return Shape::Tuple(std::move(elements));
    }
    default: return std::nullopt;
  }
}

std::vector<const SsaValue*> FreeValues(const Op& op) {
  absl::flat_hash_set<const SsaValue*> seen;
  std::vector<const SsaValue*> free;
  for (const auto& region : op.regions) CollectFree(op, nullptr, *region, seen, free);
  return free;
}

std::vector<const SsaValue*> FreeValues(const Op& op, const Region& region) {
  absl::flat_hash_set<const SsaValue*> seen;
  std::vector<const SsaValue*> free;
  CollectFree(op, &region, region, seen, free);
  return free;
}

namespace {

const absl::flat_hash_map<absl::string_view, Row>& AllRows() {
  static const auto* const kRows = [] {
    auto* rows = new absl::flat_hash_map<absl::string_view, Row>();
    for (absl::Span<const Row> part : {ElementwiseRows(), ShapeRows(), DynamicRows(), RegionRows(), LinearRows(), EinsumRows(), DistributionRows(), CallRows(), CheckRows(), ChloRows()}) {
      for (const Row& row : part) rows->emplace(row.name, row);
    }
    return rows;
  }();
  return *kRows;
}

}  // namespace

const Row* FindRow(absl::string_view name) {
  const auto found = AllRows().find(name);
  return found == AllRows().end() ? nullptr : &found->second;
}

// -- Converter --

Converter::Converter(const mlir::File& file, const Op& root, Module& module, DiagnosticSink& sink) : file_(file), module_(module), sink_(sink), frames_(file.frames, module.frames) {
  std::vector<std::pair<const Op*, std::string>> open = {{&root, ""}};
  for (size_t at = 0; at < open.size(); ++at) {
    const auto [op, prefix] = open[at];
    for (const auto& region : op->regions) {
      for (const auto& inner : region->ops) {
        const std::string symbol = SymbolOf(*inner);
        if (inner->name == "builtin.module") {
          open.push_back({inner.get(), symbol.empty() ? prefix : absl::StrCat(prefix, symbol, "::")});
        } else if (inner->name == "func.func" && !inner->regions.empty()) {
          functions_.push_back(inner.get());
          by_name_.emplace(prefix + symbol, inner.get());
          by_name_.emplace(symbol, inner.get());
        }
      }
    }
  }
  const std::string name = SymbolOf(root);
  module_.name = name.empty() ? "module" : CleanName(name);
  if (const Attr* n = root.Find("mhlo.num_replicas")) {
    if (IntOf(*n).value_or(1) > 1) module_.header.emplace_back("replica_count", absl::StrCat(*IntOf(*n)));
  }
  if (const Attr* n = root.Find("mhlo.num_partitions")) {
    if (IntOf(*n).value_or(1) > 1) module_.header.emplace_back("num_partitions", absl::StrCat(*IntOf(*n)));
  }
}

const Op* Converter::FindFunction(absl::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : found->second;
}

std::string Converter::UniqueComputation(absl::string_view wanted) {
  std::string name(wanted);
  for (int number = 1; !computation_names_.try_emplace(name, 1).second; ++number) name = absl::StrCat(wanted, ".", number);
  return name;
}

Origin Converter::OriginOf(const Op& op) {
  Origin origin;
  origin.range = op.range;
  origin.name_range = op.name_range;
  const mlir::Location& l = op.location;
  std::string raw;
  if (!l.name.empty()) {
    origin.metadata.op_name = module_.Intern(l.name);
    absl::StrAppend(&raw, "op_name=", Quoted(l.name));
  }
  if (!l.file.empty()) {
    origin.metadata.source_file = module_.Intern(l.file);
    origin.metadata.source_line = l.line;
    absl::StrAppend(&raw, raw.empty() ? "" : " ", "source_file=", Quoted(l.file), " source_line=", l.line);
  }
  if (const int32_t frame = frames_.IdOf(l); frame != 0) {
    origin.metadata.stack_frame_id = frame;
    absl::StrAppend(&raw, raw.empty() ? "" : " ", "stack_frame_id=", frame);
  }
  if (!raw.empty()) origin.metadata.raw = module_.Intern(raw);
  return origin;
}

Computation* Converter::ConvertEntry(const Op& function) {
  std::vector<Shape> shapes;
  for (const auto& argument : function.regions[0]->arguments) {
    const std::optional<Shape> shape = StaticShape(argument->type);
    if (!shape) {
      if (argument->type.kind == Type::Kind::kNone) return nullptr;
      sink_.Error(PlaceOf(function), HLO_LABEL("stablehlo.dynamic-argument"),
                  absl::StrCat("the program's argument ", argument->name, " has the type ", argument->type.text, ", whose sizes are not known"),
                  "write a static type for it: the sizes inside the program follow from those of its arguments");
      return nullptr;
    }
    shapes.push_back(*shape);
  }
  return ConvertFunction(function, shapes, std::vector<Value>(shapes.size()), true);
}

Computation* Converter::ConvertCallee(const Op& function, const Operands& arguments, SourceRange place) {
  std::vector<Shape> shapes;
  std::vector<Value> known(arguments.size());
  const bool dynamic = HasUnknownSize(*function.regions[0]);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == nullptr) return nullptr;
    shapes.push_back(arguments[i]->shape.WithoutLayouts());
    if (!dynamic || !arguments[i]->shape.IsArray() || arguments[i]->shape.ElementCount() > kMaxKnownElements) continue;
    if (const Value* value = folder_.Fold(arguments[i])) known[i] = *value;
  }
  if (shapes.size() != function.regions[0]->arguments.size()) {
    sink_.Error(place, HLO_LABEL("stablehlo.call-arguments"),
                absl::StrCat("the function takes ", function.regions[0]->arguments.size(), " arguments, the call has ", shapes.size()));
    return nullptr;
  }
  if (std::find(open_functions_.begin(), open_functions_.end(), &function) != open_functions_.end()) {
    sink_.Error(place, HLO_LABEL("stablehlo.recursive-call"), "a function cannot call itself, not through others either",
                "a loop is written as stablehlo.while");
    return nullptr;
  }
  if (open_functions_.size() >= kMaxCallDepth) {
    sink_.Error(place, HLO_LABEL("stablehlo.call-depth"), absl::StrCat("calls nest deeper than ", kMaxCallDepth, " functions"));
    return nullptr;
  }
  return ConvertFunction(function, shapes, known, false);
}

void Converter::DescribeArgument(const Op& function, int number, Instruction& parameter) {
  const Region& body = *function.regions[0];
  if (number < static_cast<int>(body.argument_locations.size())) {
    const mlir::Location& l = body.argument_locations[number];
    if (!l.name.empty()) {
      parameter.metadata.op_name = module_.Intern(l.name);
      parameter.metadata.raw = module_.Intern(absl::StrCat("op_name=", Quoted(l.name)));
    }
  }
  const Attr* all = function.Find("arg_attrs");
  if (all == nullptr || number >= static_cast<int>(all->array.size())) return;
  std::string frontend;
  for (const mlir::NamedAttr& a : all->array[number].fields) {
    if (a.name == "mhlo.sharding" && a.value.kind == Attr::Kind::kString) parameter.sharding = module_.Intern(a.value.text);
    if ((a.name == "jax.arg_info" || a.name == "jax.result_info") && a.value.kind == Attr::Kind::kString && !a.value.text.empty()) {
      absl::StrAppend(&frontend, frontend.empty() ? "" : ",", a.name, "=", Quoted(a.value.text));
    }
    if (a.name == "mhlo.frontend_attributes") {
      const std::string more = FrontendAttributes(a.value, source());
      if (more.size() > 2) absl::StrAppend(&frontend, frontend.empty() ? "" : ",", more.substr(1, more.size() - 2));
    }
  }
  if (!frontend.empty()) parameter.frontend_attributes = module_.Intern(absl::StrCat("{", frontend, "}"));
}

Computation* Converter::ConvertFunction(const Op& function, const std::vector<Shape>& shapes, const std::vector<Value>& known, bool entry) {
  const Region& body = *function.regions[0];
  std::string key = absl::StrCat(reinterpret_cast<uintptr_t>(&function));
  for (size_t i = 0; i < shapes.size(); ++i) {
    absl::StrAppend(&key, ";", shapes[i].ToString(false));
    if (known[i].has_value()) absl::StrAppend(&key, "=", absl::string_view(reinterpret_cast<const char*>(known[i].data()), known[i].byte_size()));
  }
  const auto [memo, fresh] = converted_.try_emplace(key, nullptr);
  if (!fresh) return memo->second;

  const Attr* symbol = function.Find("sym_name");
  Computation* computation = module_.AddComputation(module_.Intern(UniqueComputation(CleanName(symbol == nullptr ? "function" : symbol->text))));
  computation->range = function.range;
  computation->name_range = function.name_range;
  converted_[key] = computation;
  if (open_functions_.empty()) outermost_ = computation;
  open_functions_.push_back(&function);
  Scope scope(module_, computation, sink_);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const SsaValue& argument = *body.arguments[i];
    scope.emit.set_origin({PlaceOf(function), function.name_range, {}});
    Instruction* parameter = scope.emit.Parameter(shapes[i], CleanName(argument.name));
    DescribeArgument(function, static_cast<int>(i), *parameter);
    if (known[i].has_value()) folder_.Assume(parameter, known[i]);
    scope.values[&argument] = parameter;
  }
  const Operands results = ConvertBody(scope, body);
  Instruction* root = results.size() == 1 ? results[0] : scope.emit.Tuple(results);
  scope.emit.SetRoot(root);
  if (root != nullptr && entry) {
    std::string info;
    if (const Attr* all = function.Find("res_attrs")) {
      for (const Attr& one : all->array) {
        const Attr* text = one.Field("jax.result_info");
        if (text != nullptr && text->kind == Attr::Kind::kString && !text->text.empty()) absl::StrAppend(&info, info.empty() ? "" : " ", text->text);
      }
    }
    if (!info.empty() && root->frontend_attributes.empty()) root->frontend_attributes = module_.Intern(absl::StrCat("{jax.result_info=", Quoted(info), "}"));
  }
  KeepWrittenNames(scope);
  open_functions_.pop_back();
  order_.push_back(computation);
  return computation;
}

void Converter::NameResults(Scope& scope, const Op& op, size_t first) {
  const std::vector<Instruction*>& all = scope.emit.computation()->instructions;
  for (const auto& result : op.results) {
    const auto bound = scope.values.find(result.get());
    Instruction* made = bound == scope.values.end() ? nullptr : bound->second;
    if (made == nullptr || made->parameter_number >= 0 || std::find(all.begin() + static_cast<ptrdiff_t>(first), all.end(), made) == all.end()) continue;
    const std::string wanted = CleanName(result->name);
    if (made->name == wanted || (absl::StartsWith(made->name, wanted) && made->name.substr(wanted.size(), 1) == ".")) continue;
    const bool named = std::any_of(op.results.begin(), op.results.end(), [&](const auto& other) { return CleanName(other->name) == made->name; });
    if (!named) made->name = module_.Intern(scope.emit.UniqueName(wanted));
  }
  // A pack as a whole, %r of %r:2, is the tuple that its results are elements of.
  if (op.results.size() < 2) return;
  const auto bound = scope.values.find(op.results[0].get());
  const Instruction* made = bound == scope.values.end() ? nullptr : bound->second;
  if (made == nullptr || made->opcode != Opcode::kGetTupleElement || made->operands.empty()) return;
  const absl::string_view pack = absl::StripPrefix(absl::string_view(op.results[0]->name).substr(0, op.results[0]->name.find('#')), "%");
  if (!pack.empty()) written_names_.emplace_back(made->operands[0], module_.Intern(pack));
}

void Converter::KeepWrittenNames(const Scope& scope) {
  for (const auto& [value, instruction] : scope.values) {
    if (instruction == nullptr || instruction->parent != const_cast<Scope&>(scope).emit.computation()) continue;
    const absl::string_view written = absl::StripPrefix(value->name, "%");
    if (!written.empty() && written != instruction->name) written_names_.emplace_back(instruction, module_.Intern(written));
  }
}

Operands Converter::ConvertBody(Scope& scope, const Region& region) {
  for (const auto& op : region.ops) {
    for (const auto& result : op->results) scope.emit.Reserve(CleanName(result->name));
  }
  for (const auto& op : region.ops) {
    if (IsReturn(*op)) {
      scope.emit.set_origin(OriginOf(*op));
      Operands results;
      for (const SsaValue* operand : op->operands) {
        const auto found = scope.values.find(operand);
        results.push_back(found == scope.values.end() ? nullptr : found->second);
      }
      return results;
    }
    ConvertOp(scope, *op);
  }
  return {};
}

Computation* Converter::ConvertRegion(const Region& region, absl::string_view name, const std::function<void(Scope&)>& bind,
                                      const std::function<Instruction*(Scope&, const Operands&)>& finish) {
  Computation* computation = module_.AddComputation(module_.Intern(UniqueComputation(name)));
  if (region.parent != nullptr) {
    computation->range = region.parent->range;
    computation->name_range = region.parent->name_range;
  }
  Scope scope(module_, computation, sink_);
  if (region.parent != nullptr) scope.emit.set_origin(OriginOf(*region.parent));
  bind(scope);
  const Operands results = ConvertBody(scope, region);
  scope.emit.SetRoot(finish(scope, results));
  KeepWrittenNames(scope);
  order_.push_back(computation);
  return computation;
}

Computation* Converter::Helper(const std::string& key, absl::string_view name, const std::function<Instruction*(Emitter&, Computation*)>& fill) {
  const auto found = helpers_.find(key);
  if (found != helpers_.end()) return found->second;
  Computation* computation = module_.AddComputation(module_.Intern(UniqueComputation(CleanName(name))));
  Emitter emit(module_, computation, sink_);
  emit.SetRoot(fill(emit, computation));
  order_.push_back(computation);
  helpers_[key] = computation;
  return computation;
}

void Converter::ConvertOp(Scope& scope, const Op& op) {
  const Origin outer = scope.emit.origin();
  scope.emit.set_origin(OriginOf(op));
  for (const auto& result : op.results) scope.values[result.get()] = nullptr;
  OpContext context(*this, scope, op);
  const size_t first = scope.emit.computation()->instructions.size();
  const Row* row = FindRow(op.name);
  const bool quantized = std::any_of(op.operands.begin(), op.operands.end(), [](const SsaValue* v) { return v != nullptr && IsQuantized(v->type); }) ||
                         std::any_of(op.results.begin(), op.results.end(), [](const auto& v) { return IsQuantized(v->type); });
  if (op.in_error) {
    scope.emit.computation()->in_error = true;
  } else if (row == nullptr) {
    scope.emit.computation()->in_error = true;
    ReportUnknown(op);
  } else if (static_cast<int>(op.operands.size()) < row->min_operands || (row->max_operands >= 0 && static_cast<int>(op.operands.size()) > row->max_operands)) {
    context.Error(HLO_LABEL("stablehlo.operands"), absl::StrCat(op.name, " cannot take ", op.operands.size(), " operands"));
  } else if (static_cast<int>(op.regions.size()) < row->regions) {
    context.Error(HLO_LABEL("stablehlo.regions"), absl::StrCat(op.name, " needs ", row->regions, row->regions == 1 ? " region" : " regions", ", it has ", op.regions.size()));
  } else {
    const int errors = sink_.error_count();
    (quantized ? FindRow("stablehlo.quantized")->handler : row->handler)(context);
    if (sink_.error_count() == errors) context.TellMisspelt();  // else it may have asked for some of them only
  }
  CheckResultTypes(scope, op);
  NameResults(scope, op, first);
  // What an operation says about itself goes to the instruction that stands for it.
  const auto& instructions = scope.emit.computation()->instructions;
  if (instructions.size() > first && !op.attributes.empty()) {
    Instruction& last = *instructions.back();
    if (const Attr* a = op.Find("mhlo.sharding"); a != nullptr && a->kind == Attr::Kind::kString) last.sharding = module_.Intern(a->text);
    if (const Attr* a = op.Find("mhlo.frontend_attributes"); a != nullptr && last.frontend_attributes.empty()) {
      last.frontend_attributes = module_.Intern(FrontendAttributes(*a, source()));
    }
  }
  scope.emit.set_origin(outer);
}

void Converter::Finish(Computation* entry) {
  // Whatever was begun and not completed stands first; the entry last.
  absl::flat_hash_set<const Computation*> placed(order_.begin(), order_.end());
  std::vector<Computation*> all;
  for (Computation* c : module_.computations) {
    if (!placed.contains(c)) all.push_back(c);
  }
  for (Computation* c : order_) {
    if (c != entry) all.push_back(c);
  }
  if (entry != nullptr && std::find(all.begin(), all.end(), entry) == all.end()) all.push_back(entry);
  module_.computations = std::move(all);
  if (entry != nullptr) {
    entry->is_entry = true;
    module_.entry = entry;
  }
  for (Computation* c : module_.computations) {
    c->in_error |= c->root == nullptr;
  }
  module_.Finalize(sink_);
  for (const auto& [instruction, written] : written_names_) instruction->parent->by_name.emplace(written, instruction);
}

// -- OpContext --

Instruction* OpContext::Lookup(const SsaValue* value) const {
  const auto found = scope.values.find(value);
  return found == scope.values.end() ? nullptr : found->second;
}

Instruction* OpContext::in(int i) const { return i >= 0 && i < operand_count() ? Lookup(op.operands[i]) : nullptr; }

Operands OpContext::ins(int first, int count) const {
  Operands operands;
  const int end = count < 0 ? operand_count() : std::min(operand_count(), first + count);
  for (int i = first; i < end; ++i) operands.push_back(in(i));
  return operands;
}

int64_t OpContext::Int(absl::string_view name, int64_t otherwise) const {
  const Attr* a = attr(name);
  return a == nullptr ? otherwise : IntOf(*a).value_or(otherwise);
}

std::vector<int64_t> OpContext::Ints(absl::string_view name) const {
  const Attr* a = attr(name);
  return a == nullptr ? std::vector<int64_t>() : IntsOf(*a).value_or(std::vector<int64_t>());
}

std::vector<int64_t> OpContext::Ints(absl::string_view name, int64_t count, int64_t otherwise) const {
  std::vector<int64_t> ints = Ints(name);
  if (attr(name) == nullptr) ints.assign(count, otherwise);
  if (static_cast<int64_t>(ints.size()) == 1 && count > 1 && attr(name)->kind == Attr::Kind::kElements) ints.assign(count, ints[0]);
  return ints;
}

std::string OpContext::Word(absl::string_view name, absl::string_view otherwise) const {
  const Attr* a = attr(name);
  return a == nullptr ? std::string(otherwise) : WordOf(*a);
}

void OpContext::Among(absl::string_view attribute, std::initializer_list<absl::string_view> words) const {
  const Attr* a = attr(attribute);
  if (a == nullptr) return;
  for (const std::string& word : a->kind == Attr::Kind::kArray ? WordsOf(*a) : std::vector<std::string>{WordOf(*a)}) {
    if (std::find(words.begin(), words.end(), word) != words.end()) continue;
    Error(HLO_LABEL("stablehlo.attribute-word"), absl::StrCat(attribute, " of ", op.name, " is one of ", absl::StrJoin(words, ", "), "; it is not ", word));
  }
}

std::optional<Shape> OpContext::Written(int result) const {
  if (result >= result_count()) return std::nullopt;
  return StaticShape(op.results[result]->type);
}

Shape OpContext::WrittenOrLike(const Shape& like, int result) const {
  if (const std::optional<Shape> shape = Written(result)) return *shape;
  return like.WithoutLayouts().WithElementType(WrittenElement(result));
}

std::optional<std::vector<int64_t>> OpContext::TryKnownInts(int operand) const {
  const Instruction* i = in(operand);
  const Value* value = i == nullptr || !i->shape.IsArray() ? nullptr : c.folder().Fold(i);
  if (value == nullptr) return std::nullopt;
  const ElementType type = value->shape().element_type();
  if (!IsInteger(type) && !IsPred(type)) return std::nullopt;
  std::vector<int64_t> ints(value->element_count());
  for (size_t k = 0; k < ints.size(); ++k) ints[k] = LoadScalar(type, value->data() + k * StorageBytes(type)).i;
  return ints;
}

std::optional<std::vector<int64_t>> OpContext::KnownInts(int operand, absl::string_view what) const {
  if (in(operand) == nullptr) return std::nullopt;  // reported where it was made
  auto ints = TryKnownInts(operand);
  if (!ints) {
    Error(HLO_LABEL("stablehlo.dynamic-shape"), absl::StrCat(what, " of ", op.name, " must follow from constants, but it is computed from what only a run knows"),
          "give the arguments static types, so that all sizes are known before the run");
  }
  return ints;
}

std::string OpContext::name() const { return op.results.empty() ? std::string() : CleanName(op.results[0]->name); }

void OpContext::Simple(Opcode opcode, Operands operands, Attributes attributes) {
  if (result_count() != 1) return Error(HLO_LABEL("stablehlo.results"), absl::StrCat(op.name, " has one result, not ", result_count()));
  const std::optional<Shape> shape = Written();
  Set(0, e.Add(opcode, std::move(operands), std::move(attributes), shape ? &*shape : nullptr, name()));
}

void OpContext::SetAll(Instruction* value) {
  if (value == nullptr) return;
  if (result_count() == 1 && !value->shape.IsTuple()) return Set(0, value);
  if (result_count() == 1 && op.results[0]->type.kind == Type::Kind::kTuple) return Set(0, value);
  for (int i = 0; i < result_count(); ++i) {
    std::string element = CleanName(op.results[i]->name);
    Set(i, e.Element(value, i, element));
  }
}

void OpContext::Error(absl::string_view label, std::string message, std::string hint) const {
  scope.emit.computation()->in_error = true;
  c.sink().Error(PlaceOf(op), label, std::move(message), std::move(hint));
}

std::optional<ElementType> OpContext::RegionType(int region, int i) const {
  if (region >= static_cast<int>(op.regions.size()) || i >= static_cast<int>(op.regions[region]->arguments.size())) return std::nullopt;
  const Type& type = op.regions[region]->arguments[i]->type;
  if (type.kind != Type::Kind::kTensor && type.kind != Type::Kind::kScalar) return std::nullopt;
  return type.shape.element_type();
}

}  // namespace hloscope::stablehlo

namespace hloscope {

const std::vector<std::string>& StableHloOperationNames() {
  static const auto& names = *[] {
    auto* made = new std::vector<std::string>;
    for (const auto& [name, row] : stablehlo::AllRows()) made->emplace_back(name);
    std::sort(made->begin(), made->end());
    return made;
  }();
  return names;
}

}  // namespace hloscope
