// Copying a module with wider types; see the header.
#include "core/debug/twin.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/debug/lockstep_reads.h"
#include "core/exec/inputs.h"
#include "core/ir/opcode.h"
#include "core/literal/relayout.h"
#include "core/ops/op.h"
#include "core/ops/transfers.h"
#include "core/ops/verifier.h"

namespace hloscope {
namespace {

ElementType Wide(ElementType type) { return IsFloat(type) ? ElementType::kF64 : IsComplex(type) ? ElementType::kC128 : type; }

Shape WideShape(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(WideShape(element));
    return Shape::Tuple(std::move(elements));
  }
  return shape.IsArray() ? shape.WithElementType(Wide(shape.element_type())) : shape;
}

bool Changes(const Shape& shape) { return !Shape::Compatible(shape, WideShape(shape)); }

// Reads or writes bits of a type, or is somebody else's code. What is sent is received by the twin of who receives it.
bool NeedsItsTypes(const Instruction& i) {
  const bool of_devices = IsTransfer(i) && !TransferStart(i).Bool(AttrId::kIsHostTransfer);
  if (i.Has(AttrId::kCustomCallTarget) || (Def(i).host != HostService::kNone && !of_devices)) return true;
  if (Def(i).op_class != OpClass::kPull || i.operands.size() != 1 || !i.shape.IsArray()) return false;
  const absl::StatusOr<Program> program = ElementProgram(i);
  if (!program.ok()) return false;
  for (NodeId node = 0; node < program->graph->size(); ++node) {
    const Node& n = program->graph->node(node);
    if (n.kind == NodeKind::kScalarOp && n.op == ScalarOp::kBitcast) return true;
  }
  return false;
}

class TwinMaker {
 public:
  explicit TwinMaker(const Module& from) : from_(from), twin_(std::make_unique<Module>()) {}

  absl::StatusOr<std::unique_ptr<Module>> Make() {
    twin_->name = from_.name;
    for (const auto& [key, value] : from_.header) {
      if (key == "replica_count" || key == "num_partitions") twin_->header.emplace_back(key, value);
    }
    twin_->source = from_.source;
    twin_->frames = from_.frames;
    const std::vector<const Computation*> reached = Reached();
    for (const Computation* c : reached) {
      Computation* copy = twin_->AddComputation(c->name);
      copy->is_entry = c == from_.entry;
      copy->execution_thread = c->execution_thread;
      copy->range = c->range;
      copy->name_range = c->name_range;
      computations_[c] = copy;
    }
    for (const Computation* c : reached) {
      const absl::Status copied = Copy(*c, *computations_[c]);
      if (!copied.ok()) return copied;
    }
    twin_->entry = computations_[from_.entry];
    DiagnosticSink sink;
    twin_->Finalize(sink);
    if (sink.error_count() == 0) Verify(*twin_, sink);
    for (const Diagnostic& d : sink.diagnostics()) {
      if (d.severity == Severity::kError) return absl::UnimplementedError(absl::StrCat("the program cannot be widened to f64: ", d.message));
    }
    return std::move(twin_);
  }

 private:
  // What the entry comes to, in the order of the text: functions of other devices need not fit any more.
  std::vector<const Computation*> Reached() const {
    absl::flat_hash_set<const Computation*> seen = {from_.entry};
    std::vector<const Computation*> todo = {from_.entry}, reached;
    while (!todo.empty()) {
      const Computation* c = todo.back();
      todo.pop_back();
      for (const Instruction* i : c->instructions) {
        for (const Computation* called : i->CalledComputations()) {
          if (seen.insert(called).second) todo.push_back(called);
        }
      }
    }
    for (const Computation* c : from_.computations) {
      if (seen.contains(c)) reached.push_back(c);
    }
    return reached;
  }

  Instruction* Add(Computation& to, absl::string_view name, Opcode opcode, const Shape& shape) {
    Instruction* i = twin_->AddInstruction(&to);
    i->name = name;
    i->opcode = opcode;
    i->shape = shape;
    return i;
  }

  Instruction* Convert(Computation& to, const Instruction& like, Instruction* operand, const Shape& shape, absl::string_view what) {
    Instruction* i = Add(to, twin_->Intern(absl::StrCat(like.name, ".", what, ".", ++added_)), *OpcodeFromName("convert"), shape);
    i->operands.push_back(operand);
    i->metadata = like.metadata;
    i->range = like.range;
    return i;
  }

  // `operand` in the types of `wanted`: arrays are converted, tuples taken apart and made again.
  Instruction* ConvertTree(Computation& to, const Instruction& like, Instruction* operand, const Shape& wanted, absl::string_view what) {
    if (Shape::Compatible(operand->shape, wanted)) return operand;
    if (!wanted.IsTuple()) return Convert(to, like, operand, wanted, what);
    std::vector<Instruction*> elements;
    const std::vector<Shape> shapes(operand->shape.tuple_shapes().begin(), operand->shape.tuple_shapes().end());
    for (size_t k = 0; k < shapes.size(); ++k) {
      Instruction* element = Add(to, twin_->Intern(absl::StrCat(like.name, ".", what, ".", ++added_)), *OpcodeFromName("get-tuple-element"), shapes[k]);
      element->operands.push_back(operand);
      element->range = like.range;
      Attribute index;
      index.id = AttrId::kIndex;
      index.value = static_cast<int64_t>(k);
      element->attributes.push_back(std::move(index));
      elements.push_back(ConvertTree(to, like, element, wanted.tuple_shapes()[k], what));
    }
    Instruction* tuple = Add(to, twin_->Intern(absl::StrCat(like.name, ".", what, ".", ++added_)), *OpcodeFromName("tuple"), wanted);
    tuple->operands.assign(elements.begin(), elements.end());
    tuple->range = like.range;
    return tuple;
  }

  absl::Status Copy(const Computation& from, Computation& to) {
    absl::flat_hash_map<const Instruction*, Instruction*> made;
    for (const Instruction* i : from.schedule) {
      const bool kept = NeedsItsTypes(*i) && (Changes(i->shape) || std::any_of(i->operands.begin(), i->operands.end(), [](const Instruction* o) { return Changes(o->shape); }));
      std::vector<Instruction*> operands;
      for (const Instruction* o : i->operands) {
        Instruction* operand = made[o];
        if (kept && Changes(o->shape)) operand = ConvertTree(to, *i, operand, o->shape.WithoutLayouts(), "narrow");
        operands.push_back(operand);
      }
      const bool widened = kept && Changes(i->shape);
      Instruction* copy = Add(to, widened ? twin_->Intern(absl::StrCat(i->name, ".narrow")) : i->name, i->opcode, kept ? i->shape : WideShape(i->shape));
      copy->operands.assign(operands.begin(), operands.end());
      Fill(*i, *copy);
      for (const Instruction* before : i->control_predecessors) {
        if (const auto found = made.find(before); found != made.end()) copy->control_predecessors.push_back(found->second);
      }
      made[i] = widened ? ConvertTree(to, *i, copy, WideShape(i->shape), "wide") : copy;
      if (widened) made[i]->name = i->name;
      if (i == from.root) to.root = made[i];
    }
    return absl::OkStatus();
  }

  void Fill(const Instruction& i, Instruction& copy) {
    copy.metadata = i.metadata;
    copy.sharding = i.sharding;
    copy.backend_config = i.backend_config;
    copy.frontend_attributes = i.frontend_attributes;
    copy.parameter_number = i.parameter_number;
    copy.range = i.range;
    copy.name_range = i.name_range;
    for (const Attribute& attribute : i.attributes) {
      Attribute a = attribute;
      if (auto* one = std::get_if<Computation*>(&a.value)) *one = computations_[*one];
      if (auto* list = std::get_if<std::vector<Computation*>>(&a.value)) {
        for (Computation*& c : *list) c = computations_[c];
      }
      copy.attributes.push_back(std::move(a));
    }
    if (i.literal == nullptr) return;
    copy.literal = std::make_unique<ConstantLiteral>();
    if (!i.literal->value.has_value()) {
      copy.literal->elided = true;
      return;
    }
    const Value dense = ToDense(i.literal->value);
    copy.literal->value = dense.shape().IsArray() ? ToLayout(ConvertValue(dense, Wide(dense.shape().element_type())), copy.shape) : i.literal->value;
  }

  const Module& from_;
  std::unique_ptr<Module> twin_;
  absl::flat_hash_map<const Computation*, Computation*> computations_;
  int added_ = 0;
};

// A stack of the program or its twin, as the program's, down to the frame of `home`.
std::vector<PastFrame> FramesOf(const Module& module, absl::Span<const Frame> frames, const Computation& home) {
  std::vector<PastFrame> past = PastFramesOf(frames);
  const Computation* at = module.entry;
  size_t depth = 0;
  for (size_t k = 0; k < past.size(); ++k) {
    past[k].caller = at->FindInstruction(past[k].caller->name);
    past[k].computation = at = module.FindComputation(past[k].computation->name);
    if (past[k].caller == nullptr || at == nullptr) break;
    if (at == &home) depth = k + 1;
  }
  past.resize(depth);
  return past;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> MakeTwin(const Module& module, const Fill& fill) {
  for (const Computation* c : module.computations) {
    for (const Instruction* i : c->instructions) {
      if (i->literal == nullptr || !i->literal->elided) continue;
      const absl::Status filled = FillElidedConstant(*i, fill, nullptr);
      if (!filled.ok()) return filled;
    }
  }
  return TwinMaker(module).Make();
}

Value WideParameter(const Module& twin, int number, const Value& value) {
  const Shape& wide = twin.entry->parameters[number]->shape;
  return ToLayout(ConvertThrough(ToDense(value), wide, wide), wide);
}

absl::Status AddAccumulatedErrors(const Module& module, const Module& twin, Backend& backend, const ProgramInputs& inputs, const MachineOptions& options, ShadowReport& report,
                                  ExchangePort* exchange) {
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  absl::flat_hash_map<const Instruction*, size_t> rows;
  const size_t measured = report.rows.size();
  for (size_t k = 0; k < measured; ++k) rows[report.rows[k].instruction] = k;
  LockstepOptions lockstep;
  lockstep.machine = options;
  lockstep.exchange_b = exchange;
  lockstep.keep_going = true;
  lockstep.keep = 1;
  lockstep.on_values = [&](const Instruction& a, const Value& narrow, const Value& wide, absl::Span<const Frame> frames) {
    const ElementType type = narrow.shape().element_type();
    if (!(IsFloat(type) || IsComplex(type)) || Wide(type) == type || Wide(type) != wide.shape().element_type()) return;
    if (Def(a).movement != Movement::kCompute || a.literal != nullptr || a.parameter_number >= 0) return;
    const auto [entry, fresh] = rows.try_emplace(&a, report.rows.size());
    if (fresh) report.rows.emplace_back().instruction = &a;
    ErrorStatistics& statistics = report.rows[entry->second].accumulated;
    const int bytes = StorageBytes(type), wide_bytes = StorageBytes(wide.shape().element_type());
    for (int64_t i = 0; i < narrow.element_count(); ++i) {
      const bool worst = AddError(statistics, LoadScalar(type, narrow.data() + i * bytes),
                                  LoadScalar(wide.shape().element_type(), wide.data() + i * wide_bytes), narrow.shape(), i);
      if (worst) statistics.worst_frames = FramesOf(module, frames, *a.parent);
    }
  };
  const ProgramMatch match = MatchPrograms(module, twin);
  const absl::StatusOr<LockstepReport> ran = RunLockstep(module, twin, match, inputs, inputs, backend, backend, std::move(lockstep));
  if (!ran.ok()) return ran.status();
  if (!ran->error_a.empty()) return absl::InternalError(absl::StrCat("the program stopped with an error ", ran->error_a));
  if (!ran->error_b.empty()) return absl::InternalError(absl::StrCat("the program in f64 stopped with an error ", ran->error_b));
  // Which pair completes first may hang on when other devices come to an exchange.
  absl::flat_hash_map<const Computation*, size_t> order;
  for (const Computation* c : module.computations) order.emplace(c, order.size());
  std::sort(report.rows.begin() + static_cast<int64_t>(measured), report.rows.end(), [&](const ShadowRow& x, const ShadowRow& y) {
    return std::make_pair(order[x.instruction->parent], x.instruction->index) < std::make_pair(order[y.instruction->parent], y.instruction->index);
  });
  report.accumulated = true;
  report.accumulate_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  NameMoments(module, report);
  return absl::OkStatus();
}

}  // namespace hloscope
