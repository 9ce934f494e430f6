// The registry of operations, the reporting side of shape rules, and what every element program goes through: the consistency check
// and the inlining of scalar computations. What a single operation means stands in its own file.
#include "core/ops/op.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/exchange_def.h"

namespace hloscope {

#define X(Definition) void Define##Definition(OpRegistry&);
#include "core/ops/definitions.def"
#undef X

OpRegistry::OpRegistry() : defs_(kOpcodeCount) {
  for (int i = 0; i < kOpcodeCount; ++i) defs_[i].opcode = static_cast<Opcode>(i);
#define X(Definition) Define##Definition(*this);
#include "core/ops/definitions.def"
#undef X
#define X(opcode, formula_text, requirements_text)               \
  defs_[static_cast<int>(Opcode::opcode)].formula = formula_text; \
  defs_[static_cast<int>(Opcode::opcode)].requirements = requirements_text;
#include "core/ops/reference.def"
#undef X
}

const OpRegistry& OpRegistry::Get() {
  static const OpRegistry* registry = new OpRegistry();
  return *registry;
}

namespace {

// Of it, or of an instruction that it comes to call.
template <typename Own>
bool HoldsOne(const Instruction& instruction, const Own& own) {
  if (own(instruction)) return true;
  std::vector<Computation*> open = instruction.CalledComputations();
  std::set<const Computation*> seen(open.begin(), open.end());
  while (!open.empty()) {
    const Computation* computation = open.back();
    open.pop_back();
    for (const Instruction* i : computation->instructions) {
      if (own(*i)) return true;
      if (i->attributes.empty()) continue;
      for (Computation* called : i->CalledComputations()) {
        if (seen.insert(called).second) open.push_back(called);
      }
    }
  }
  return false;
}

bool HasOwnEffect(const Instruction& i) { return Def(i).has_side_effect || i.Bool(AttrId::kCustomCallHasSideEffect); }

}  // namespace

bool HasSideEffect(const Instruction& instruction) { return HoldsOne(instruction, HasOwnEffect); }

bool MustRun(const Instruction& instruction) {
  return HoldsOne(instruction,
                  [](const Instruction& i) { return HasOwnEffect(i) || ExchangeOf(i).role == ExchangeRole::kCollective || ReadsBegun(i); });
}

OpDef& OpRegistry::Define(Opcode opcode) { return defs_[static_cast<int>(opcode)]; }

std::nullopt_t ShapeContext::Fail(absl::string_view label, std::string message, std::string hint) {
  sink_.Error(instruction_.range, label, std::move(message), std::move(hint));
  return std::nullopt;
}

std::nullopt_t ShapeContext::FailOperand(int i, absl::string_view label, std::string message, std::string hint) {
  SourceRange range = instruction_.range;
  if (i >= 0 && i < static_cast<int>(instruction_.operand_ranges.size()) && instruction_.operand_ranges[i].valid()) {
    range = instruction_.operand_ranges[i];
  }
  sink_.Error(range, label, std::move(message), std::move(hint));
  return std::nullopt;
}

std::nullopt_t ShapeContext::FailAttribute(AttrId id, absl::string_view label, std::string message, std::string hint) {
  const Attribute* attribute = instruction_.Find(id);
  sink_.Error(attribute != nullptr && attribute->range.valid() ? attribute->range : instruction_.range, label, std::move(message),
              std::move(hint));
  return std::nullopt;
}
std::nullopt_t ShapeContext::FailText(absl::string_view part, absl::string_view label, std::string message, std::string hint) {
  const Module* module = instruction_.parent != nullptr ? instruction_.parent->module : nullptr;
  const absl::string_view all = module != nullptr && module->source != nullptr ? module->source->text() : absl::string_view();
  const std::less_equal<const char*> before;
  SourceRange range = instruction_.range;
  if (!all.empty() && before(all.data(), part.data()) && before(part.data() + part.size(), all.data() + all.size())) {
    const auto begin = static_cast<int32_t>(part.data() - all.data());
    range = {begin, begin + static_cast<int32_t>(part.size())};
  }
  sink_.Error(range, label, std::move(message), std::move(hint));
  return std::nullopt;
}

namespace {

// What every reader of programs relies on. Anything wrong here is a mistake of an operation's definition.
absl::Status CheckProgram(const Instruction& instruction, const Program& program) {
  auto wrong = [&](absl::string_view what) {
    return absl::InternalError(absl::StrCat("the element program of ", Name(instruction.opcode), " ", ShownName(instruction), " is inconsistent: ", what));
  };
  const ExprGraph& graph = *program.graph;
  if (program.outputs.empty()) return wrong("no output");
  if (program.operands.size() != instruction.operands.size()) return wrong("operand count");
  for (const Program::Output& output : program.outputs) {
    if (output.value < 0 || output.value >= graph.size()) return wrong("an output without a value");
    if (graph.node(output.value).type != output.shape.element_type()) return wrong("an output's type");
    if (output.shape.dimensions() != program.outputs[0].shape.dimensions()) return wrong("outputs of different dimensions");
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    for (NodeId input : node.inputs) {
      if (input < 0 || input >= graph.size()) return wrong("a node without an input");
    }
    if (node.kind != NodeKind::kLoad) continue;
    if (node.operand < 0 || node.operand >= static_cast<int>(program.operands.size())) return wrong("a load from no operand");
    const Shape& operand = program.operands[node.operand];
    if (static_cast<int>(node.inputs.size()) != operand.rank()) return wrong("the index count of a load");
    if (node.type != operand.element_type()) return wrong("the type of a load");
  }
  if (!program.is_push) return absl::OkStatus();
  if (program.push.target.size() != static_cast<size_t>(program.rank())) return wrong("the target of a push");
  if (program.push.combined.size() != program.outputs.size()) return wrong("the combined values of a push");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Program> ElementProgram(const Instruction& instruction) {
  const OpDef& def = Def(instruction);
  if (def.program == nullptr) {
    return absl::UnimplementedError(absl::StrCat(Name(instruction.opcode), " ", ShownName(instruction), " has no element program",
                                                 def.opaque_reason.empty() ? "" : ": ", def.opaque_reason));
  }
  absl::StatusOr<Program> program = def.program(instruction);
  if (!program.ok()) return program;
  if (absl::Status s = CheckProgram(instruction, *program); !s.ok()) return s;
  return program;
}

// -- Inlining of scalar computations --
//
// Each instruction of the computation becomes a list of leaves (several for a tuple). A scalar leaf is a node, made at once, so that a
// long computation needs no deep recursion. A leaf with dimensions is a function from indices to a node, asked for what is needed of it.

namespace {

struct Leaf {
  Shape shape;
  NodeId scalar = kNoNode;
  std::function<NodeId(absl::Span<const NodeId>)> at;  // rank > 0
  std::map<std::vector<NodeId>, NodeId> known;         // rank > 0: the answers given
};
using Leaves = std::vector<std::shared_ptr<Leaf>>;

int LeafCount(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  int count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += LeafCount(element);
  return count;
}

class ScalarInliner {
 public:
  explicit ScalarInliner(ExprGraph& graph) : graph_(graph) {}

  absl::StatusOr<Leaves> Inline(const Computation& computation, const Leaves& arguments, int depth) {
    if (depth > 200) return absl::UnimplementedError(absl::StrCat("calls nested too deeply at computation %", computation.name));
    absl::flat_hash_map<const Instruction*, Leaves> values;
    size_t next = 0;
    for (const Instruction* parameter : computation.parameters) {
      const size_t count = LeafCount(parameter->shape);
      if (next + count > arguments.size()) return absl::InternalError(absl::StrCat("too few arguments for %", computation.name));
      values[parameter] = Leaves(arguments.begin() + next, arguments.begin() + next + count);
      next += count;
    }
    for (const Instruction* instruction : computation.schedule) {
      if (values.contains(instruction)) continue;
      std::vector<const Leaves*> operands;
      for (const Instruction* operand : instruction->operands) operands.push_back(&values.at(operand));
      absl::StatusOr<Leaves> leaves = Make(*instruction, operands, depth);
      if (!leaves.ok()) return leaves.status();
      values[instruction] = *std::move(leaves);
    }
    return values.at(computation.root);
  }

  NodeId At(Leaf& leaf, absl::Span<const NodeId> indices) {
    if (leaf.shape.rank() == 0) return leaf.scalar;
    std::vector<NodeId> key(indices.begin(), indices.end());
    auto found = leaf.known.find(key);
    if (found != leaf.known.end()) return found->second;
    const NodeId node = leaf.at(indices);
    leaf.known[std::move(key)] = node;
    return node;
  }

  const absl::Status& status() const { return status_; }

 private:
  absl::Status Unsupported(const Instruction& instruction, absl::string_view why) {
    return absl::UnimplementedError(absl::StrCat(Name(instruction.opcode), " ", ShownName(instruction), " in the scalar computation %",
                                                 instruction.parent->name, " ", why));
  }

  absl::StatusOr<Leaves> Make(const Instruction& instruction, absl::Span<const Leaves* const> operands, int depth) {
    const OpDef& def = Def(instruction);
    switch (def.op_class) {
      case OpClass::kPull: return MakePull(instruction, operands);
      case OpClass::kStructural: return MakeStructural(instruction, operands);
      case OpClass::kControl: {
        if (def.control == ControlKind::kConditional) return MakeConditional(instruction, operands, depth);
        if (def.control != ControlKind::kCall) break;
        const std::vector<Computation*> called = instruction.CalledComputations();
        if (called.size() != 1 || called[0] == nullptr) break;
        Leaves arguments;
        for (const Leaves* operand : operands) arguments.insert(arguments.end(), operand->begin(), operand->end());
        return Inline(*called[0], arguments, depth + 1);
      }
      case OpClass::kPush:
      case OpClass::kOpaque: break;
    }
    return Unsupported(instruction, "cannot be written as an expression");
  }

  // Tuples are handed on (copy), or chosen between leaf by leaf (select).
  absl::StatusOr<Leaves> MakeOfTuples(const Instruction& instruction, absl::Span<const Leaves* const> operands) {
    if (operands.size() == 1) return *operands[0];
    if (operands.size() != 3 || (*operands[0])[0]->shape.rank() != 0) return Unsupported(instruction, "takes a tuple");
    Leaves result;
    for (size_t k = 0; k < operands[1]->size(); ++k) {
      result.push_back(Choose((*operands[0])[0]->scalar, (*operands[1])[k], (*operands[2])[k]));
    }
    return result;
  }

  absl::StatusOr<Leaves> MakePull(const Instruction& instruction, absl::Span<const Leaves* const> operands) {
    if (!instruction.shape.IsArray() && Def(instruction).evaluate != nullptr) return MakeOfTuples(instruction, operands);
    absl::StatusOr<Program> made = ElementProgram(instruction);
    if (!made.ok()) return made.status();
    auto program = std::make_shared<const Program>(*std::move(made));
    auto sources = std::make_shared<Leaves>();
    for (const Leaves* operand : operands) {
      if (operand->size() != 1) return Unsupported(instruction, "takes a tuple");
      sources->push_back((*operand)[0]);
    }
    Leaves result;
    for (const Program::Output& output : program->outputs) {
      auto leaf = std::make_shared<Leaf>();
      leaf->shape = output.shape;
      const NodeId root = output.value;
      leaf->at = [this, program, sources, root](absl::Span<const NodeId> indices) {
        ExprGraph::Substitution substitution;
        substitution.index_map.assign(indices.begin(), indices.end());
        substitution.index_map.resize(std::max<int>(program->graph->var_count(), indices.size()), kNoNode);
        substitution.load = [this, sources](int32_t operand, ElementType, absl::Span<const NodeId> at) { return At(*(*sources)[operand], at); };
        return graph_.Substitute(*program->graph, root, substitution);
      };
      if (output.shape.rank() == 0) leaf->scalar = leaf->at({});
      if (!status_.ok()) return status_;
      result.push_back(std::move(leaf));
    }
    return result;
  }

  // Every branch, and the choice between them leaf by leaf; an index out of range means the last branch.
  absl::StatusOr<Leaves> MakeConditional(const Instruction& instruction, absl::Span<const Leaves* const> operands, int depth) {
    const std::vector<Computation*> branches = instruction.CalledComputations();
    if (branches.size() + 1 != operands.size() || operands[0]->size() != 1 || (*operands[0])[0]->shape.rank() != 0) {
      return Unsupported(instruction, "cannot be written as an expression");
    }
    const NodeId index = (*operands[0])[0]->scalar;
    const bool pred = IsPred(instruction.operands[0]->shape.element_type());
    std::vector<Leaves> results;
    for (size_t b = 0; b < branches.size(); ++b) {
      absl::StatusOr<Leaves> result = Inline(*branches[b], *operands[b + 1], depth + 1);
      if (!result.ok()) return result.status();
      results.push_back(*std::move(result));
    }
    Leaves chosen = results.back();
    for (size_t b = results.size() - 1; b-- > 0;) {
      const NodeId here = pred ? index : graph_.Binary(ScalarOp::kEq, index, graph_.Constant(Scalar::Int(graph_.node(index).type, static_cast<int64_t>(b))));
      for (size_t k = 0; k < chosen.size(); ++k) chosen[k] = Choose(here, results[b][k], chosen[k]);
    }
    return chosen;
  }

  std::shared_ptr<Leaf> Choose(NodeId choice, const std::shared_ptr<Leaf>& yes, const std::shared_ptr<Leaf>& no) {
    auto leaf = std::make_shared<Leaf>();
    leaf->shape = yes->shape;
    if (!yes->shape.IsArray()) return leaf;
    if (yes->shape.rank() == 0) {
      leaf->scalar = graph_.Select(choice, yes->scalar, no->scalar);
    } else {
      leaf->at = [this, choice, yes, no](absl::Span<const NodeId> at) { return graph_.Select(choice, At(*yes, at), At(*no, at)); };
    }
    return leaf;
  }

  absl::StatusOr<Leaves> MakeStructural(const Instruction& instruction, absl::Span<const Leaves* const> operands) {
    switch (instruction.opcode) {
      case Opcode::kConstant: return MakeConstant(instruction);
      case Opcode::kGetTupleElement: {
        const Shape& tuple = instruction.operands[0]->shape;
        const int64_t index = instruction.Int(AttrId::kIndex, -1);
        if (index < 0 || index >= static_cast<int64_t>(tuple.tuple_shapes().size())) break;
        int first = 0;
        for (int64_t i = 0; i < index; ++i) first += LeafCount(tuple.tuple_shapes()[i]);
        const int count = LeafCount(tuple.tuple_shapes()[index]);
        return Leaves(operands[0]->begin() + first, operands[0]->begin() + first + count);
      }
      case Opcode::kTuple: {
        Leaves all;
        for (const Leaves* operand : operands) all.insert(all.end(), operand->begin(), operand->end());
        return all;
      }
      case Opcode::kOptBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
        if (!operands.empty()) return *operands[0];
        break;
      default:
        if (instruction.shape.IsToken()) {
          auto leaf = std::make_shared<Leaf>();
          leaf->shape = instruction.shape;
          return Leaves{std::move(leaf)};
        }
        break;
    }
    return Unsupported(instruction, "cannot be written as an expression");
  }

  absl::StatusOr<Leaves> MakeConstant(const Instruction& instruction) {
    if (instruction.literal == nullptr || !instruction.literal->value.has_value() || !instruction.shape.IsArray()) {
      return Unsupported(instruction, "has no value");
    }
    const Value value = instruction.literal->value;
    auto leaf = std::make_shared<Leaf>();
    leaf->shape = instruction.shape;
    const ElementType type = instruction.shape.element_type();
    if (instruction.shape.rank() == 0) {
      leaf->scalar = graph_.Constant(LoadScalar(type, value.data()));
      return Leaves{std::move(leaf)};
    }
    const Instruction* self = &instruction;
    leaf->at = [this, value, type, self](absl::Span<const NodeId> indices) {
      int64_t linear = 0;
      for (size_t d = 0; d < indices.size(); ++d) {
        const Node& node = graph_.node(indices[d]);
        if (node.kind != NodeKind::kConstant) {
          status_ = Unsupported(*self, "is an array that is read at an index not known beforehand");
          return graph_.Constant(Scalar::Int(type, 0));
        }
        linear = linear * value.shape().dim(d) + node.constant.i;
      }
      return graph_.Constant(LoadScalar(type, value.data() + linear * StorageBytes(type)));
    };
    return Leaves{std::move(leaf)};
  }

  ExprGraph& graph_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::vector<NodeId>> InlineScalarComputation(ExprGraph& graph, const Computation& computation, absl::Span<const NodeId> arguments) {
  if (arguments.size() != computation.parameters.size()) {
    return absl::InternalError(absl::StrCat("%", computation.name, " takes ", computation.parameters.size(), " parameters, not ", arguments.size()));
  }
  ScalarInliner inliner(graph);
  Leaves leaves;
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto leaf = std::make_shared<Leaf>();
    leaf->shape = computation.parameters[i]->shape;
    if (!leaf->shape.IsScalar()) {
      return absl::UnimplementedError(absl::StrCat("parameter ", ShownName(*computation.parameters[i]), " of the scalar computation %", computation.name,
                                                   " is not a scalar"));
    }
    leaf->scalar = arguments[i];
    leaves.push_back(std::move(leaf));
  }
  absl::StatusOr<Leaves> result = inliner.Inline(computation, leaves, 0);
  if (!result.ok()) return result.status();
  std::vector<NodeId> nodes;
  for (const std::shared_ptr<Leaf>& leaf : *result) {
    if (!leaf->shape.IsScalar()) {
      return absl::UnimplementedError(absl::StrCat("the result of the scalar computation %", computation.name, " is not scalar"));
    }
    nodes.push_back(leaf->scalar);
  }
  if (!inliner.status().ok()) return inliner.status();
  return nodes;
}

}  // namespace hloscope
