// Values are asked for element by element: where a value is not at hand and its element costs a few operations, only the element is
// computed, so that walking through the inside of a fused region compiles little. Functions that the backend has its own code for (tanh) are
// left to it: every number is the run's to the bit, and so is the way that a choice takes.
#include "core/debug/element_reads.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/literal/relayout.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"
#include "core/ops/reducer.h"

namespace hloscope {

std::vector<int64_t> IndexOfPlace(const Shape& array, int64_t linear) {
  std::vector<int64_t> index(array.IsArray() ? array.rank() : 0);
  if (array.IsArray()) DelinearizeIndex(array.dimensions(), linear, absl::MakeSpan(index));
  return index;
}

std::optional<int64_t> PlaceInSizes(const Shape& from, int64_t place, const Shape& to) {
  if (from.dimensions() == to.dimensions()) return place;
  const std::vector<int64_t> index = IndexOfPlace(from, place);
  for (int d = 0; d < to.rank(); ++d) {
    if (index[d] >= to.dim(d)) return std::nullopt;
  }
  return LinearIndex(to.dimensions(), index);
}

bool ElementReader::IsExchanged(const Instruction& instruction) const {
  if (exchanged_ == nullptr) return false;
  const ExchangeRole role = ExchangeOf(instruction).role;
  return role == ExchangeRole::kCollective || role == ExchangeRole::kReceiveDone || role == ExchangeRole::kReplicaId || role == ExchangeRole::kPartitionId;
}

std::unique_ptr<ElementReader::Prepared> ElementReader::Prepare(const Instruction& instruction) const {
  const OpDef& def = Def(instruction);
  if (def.op_class != OpClass::kPull && def.op_class != OpClass::kPush) return nullptr;
  if (def.evaluate != nullptr && !instruction.shape.IsArray() && def.op_class == OpClass::kPull) return nullptr;
  absl::StatusOr<Program> program = ElementProgram(instruction);
  if (!program.ok()) return nullptr;
  auto prepared = std::make_unique<Prepared>();
  prepared->program = *std::move(program);
  prepared->tracer = std::make_unique<ElementTracer>(prepared->program);
  for (int o = 0; o < static_cast<int>(prepared->program.outputs.size()); ++o) {
    prepared->cheap.push_back(prepared->tracer->IsCheap(o));
    prepared->alone.push_back(prepared->cheap[o] && prepared->tracer->IsExact(o));
  }
  for (size_t k = 0; k < prepared->program.operands.size(); ++k) prepared->roles.push_back(prepared->tracer->RoleOf(static_cast<int>(k)));
  return prepared;
}

const ElementReader::Prepared* ElementReader::ProgramOf(const Instruction& instruction) {
  if (IsExchanged(instruction)) return nullptr;
  const auto known = programs_.find(&instruction);
  if (known != programs_.end()) return known->second.get();
  return (programs_[&instruction] = Prepare(instruction)).get();
}

bool ElementReader::HasSizes(const Instruction& instruction) {
  if (!has_sizes_.has_value()) has_sizes_ = HasDynamicSizes(*instruction.parent->module);
  return *has_sizes_;
}

absl::StatusOr<const ElementReader::Prepared*> ElementReader::ProgramIn(int frame, const Instruction& instruction) {
  const Prepared* written = ProgramOf(instruction);
  if (written == nullptr || !HasSizes(instruction)) return written;
  std::vector<Shape> shapes;
  bool differ = instruction.shape.IsArray() && instruction.shape.has_dynamic_dimension();
  for (const Instruction* operand : instruction.operands) {
    absl::StatusOr<Value> value = SeenBy(instruction, frame, *operand);
    if (!value.ok()) return value.status();
    shapes.push_back(value->shape());
    differ = differ || (operand->shape.IsArray() && (operand->shape.has_dynamic_dimension() || shapes.back().dimensions() != operand->shape.dimensions()));
  }
  if (!differ) return written;
  const std::string key = absl::StrJoin(shapes, ";", [](std::string* out, const Shape& shape) { out->append(shape.ToString(false)); });
  const auto [entry, fresh] = sized_.try_emplace({&instruction, key});
  if (!fresh) return entry->second != nullptr ? entry->second.get() : written;
  absl::StatusOr<std::unique_ptr<ConcreteInstruction>> concrete = MakeConcrete(instruction, shapes);
  if (!concrete.ok()) return written;
  std::unique_ptr<Prepared> prepared = Prepare(*(*concrete)->instruction);
  if (prepared == nullptr) return written;
  prepared->sized = *std::move(concrete);
  return (sized_[{&instruction, key}] = std::move(prepared)).get();
}

int64_t ElementReader::Prepared::Written(const Instruction& instruction, int operand, int64_t linear) const {
  const Shape& shape = program.operands[operand];
  const Shape& written = instruction.operands[operand]->shape;
  if (sized == nullptr || shape.dimensions() == written.dimensions()) return linear;
  return LinearIndex(written.dimensions(), IndexOfPlace(shape, linear));
}

const std::vector<LeafSource>& ElementReader::LeavesOf(const Instruction& instruction) {
  const auto [entry, fresh] = leaves_.try_emplace(&instruction);
  if (fresh && !IsExchanged(instruction)) entry->second = SourcesOfLeaves(instruction);
  return entry->second;
}

ElementLoader ElementReader::LoaderOf(int frame, const Instruction& instruction, const Prepared& prepared) {
  return [this, frame, &instruction, &prepared](int operand, int64_t linear) -> absl::StatusOr<Scalar> {
    const ElementPlace place{frame, instruction.operands[operand], 0, prepared.Written(instruction, operand, linear)};
    if (const std::optional<Scalar> before = Before(place, instruction)) return *before;
    return Element(place);
  };
}

// ---- Values ----

namespace {

// Places are those of the shape as it is written; a run may have fewer of them.
absl::StatusOr<Scalar> ElementOfValue(const Value& value, const ElementPlace& place) {
  const Value& array = LeafOf(value, place.leaf);
  if (!array.shape().IsArray()) return absl::FailedPreconditionError("a token has no elements");
  const Shape& written = LeafShape(place.instruction->shape, place.leaf);
  const bool inside = place.linear >= 0 && place.linear < written.ElementCount();
  const std::optional<int64_t> linear = inside ? PlaceInSizes(written, place.linear, array.shape()) : std::nullopt;
  if (!linear.has_value()) return absl::OutOfRangeError("the element is beyond the sizes that the value has at run time");
  if (!array.IsDense()) return absl::InternalError("the value is not dense");
  const ElementType type = array.shape().element_type();
  return LoadScalar(type, array.data() + *linear * StorageBytes(type));
}

constexpr int kLazyDepth = 48;

}  // namespace

ElementReader::~ElementReader() = default;

absl::StatusOr<Scalar> ElementReader::Element(const ElementPlace& place) { return Lazy(place, 0); }

std::optional<Scalar> ElementReader::Before(const ElementPlace& place, const Instruction& reader) {
  const Value before = history_.Before(place.frame, *place.instruction, reader.index);
  if (!before.has_value()) return std::nullopt;
  const absl::StatusOr<Scalar> element = ElementOfValue(before, place);
  return element.ok() ? std::make_optional(*element) : std::nullopt;
}

absl::StatusOr<Value> ElementReader::SeenBy(const Instruction& reader, int frame, const Instruction& instruction) {
  Value before = history_.Before(frame, instruction, reader.index);
  if (before.has_value()) return before;
  return history_.ValueOf(frame, instruction);
}

absl::StatusOr<Scalar> ElementReader::Lazy(const ElementPlace& place, int depth) {
  if (const Value held = history_.Held(place.frame, *place.instruction); held.has_value()) return ElementOfValue(held, place);
  if (const ConstantLiteral* literal = place.instruction->literal.get(); literal != nullptr && literal->value.has_value() && literal->value.IsDense()) {
    return ElementOfValue(literal->value, place);
  }
  const FrameHistory::Place frame = history_.place(place.frame);
  const bool executed = !frame.live || place.instruction->index < history_.live_position(place.frame);
  const Prepared* prepared = executed && depth < kLazyDepth && !HasSizes(*place.instruction) ? ProgramOf(*place.instruction) : nullptr;
  if (prepared != nullptr && prepared->alone[place.leaf]) {
    if (const auto known = lazy_.find(place); known != lazy_.end()) return known->second;
    // Its own tracer may be in use further out in this very evaluation: a plain evaluation beside it.
    const Program& program = prepared->program;
    auto& spare = spare_[{place.instruction, depth}];
    if (spare == nullptr) spare = std::make_unique<ElementTracer>(program);
    const ElementLoader load = [this, &place, depth](int operand, int64_t linear) -> absl::StatusOr<Scalar> {
      const ElementPlace from{place.frame, place.instruction->operands[operand], 0, linear};
      if (const std::optional<Scalar> before = Before(from, *place.instruction)) return *before;
      return Lazy(from, depth + 1);
    };
    absl::StatusOr<TracedElement> element = spare->At(place.leaf, IndexOfPlace(program.outputs[place.leaf].shape, place.linear), load);
    if (!element.ok()) return element.status();
    lazy_[place] = element->value;
    return element->value;
  }
  if (depth < kLazyDepth && !LeavesOf(*place.instruction).empty() && Def(*place.instruction).op_class == OpClass::kStructural) {
    const LeafSource source = LeavesOf(*place.instruction)[place.leaf];
    if (source.operand >= 0) {
      const ElementPlace from{place.frame, place.instruction->operands[source.operand], source.leaf, place.linear};
      if (const std::optional<Scalar> before = Before(from, *place.instruction)) return *before;
      return Lazy(from, depth + 1);
    }
  }
  // Of what a loop, a call or a branch returned: where the element comes from in there, so that no loop runs again for it.
  if (!frame.live && depth < kLazyDepth && Def(*place.instruction).control != ControlKind::kNone) {
    absl::StatusOr<ElementReads> reads = ReadsOfControl(place);
    if (!reads.ok()) return reads.status();
    if (reads->moved >= 0) {
      const ElementPlace& from = reads->reads[reads->moved].place;
      const std::optional<Scalar> before = from.frame == place.frame ? Before(from, *place.instruction) : std::nullopt;
      return before.has_value() ? *before : Lazy(from, depth + 1);
    }
  }
  absl::StatusOr<Value> value = history_.ValueOf(place.frame, *place.instruction);
  if (!value.ok()) return value.status();
  return ElementOfValue(*value, place);
}

// ---- Reads ----

absl::StatusOr<ElementReads> ElementReader::Reads(const ElementPlace& place, const ReadLimits& limits) {
  if (IsExchanged(*place.instruction)) return exchanged_(place);
  absl::StatusOr<ElementReads> reads = ReadsHere(place, limits);
  if (reads.ok() && device_ != 0) {
    for (ElementRead& read : reads->reads) read.place.device = device_;
  }
  return reads;
}

absl::StatusOr<ElementReads> ElementReader::ReadsHere(const ElementPlace& place, const ReadLimits& limits) {
  const Instruction& i = *place.instruction;
  const OpDef& def = Def(i);
  ElementReads result;
  if (i.parameter_number >= 0) return ReadsOfParameter(place);
  if (i.literal != nullptr) {
    result.kind = SliceNode::kConstant;
    return result;
  }
  if (def.control != ControlKind::kNone) return ReadsOfControl(place);
  if (const std::vector<LeafSource>& leaves = LeavesOf(i); !leaves.empty()) {
    const LeafSource source = leaves[place.leaf];
    if (source.operand >= 0) {
      result.reads.push_back({{place.frame, i.operands[source.operand], source.leaf, place.linear}, ReadRole::kValue});
      result.moved = 0;
      result.total = 1;
    } else {
      result.kind = SliceNode::kCreated;
    }
    return result;
  }
  if (ProgramOf(i) != nullptr) {
    const absl::StatusOr<const Prepared*> prepared = ProgramIn(place.frame, i);
    return prepared.ok() ? ReadsOfProgram(place, **prepared, limits) : prepared.status();
  }
  if (def.op_class == OpClass::kPull && def.evaluate != nullptr) {  // tuples copied or chosen between
    size_t from = 0;
    if (i.operands.size() == 3) {
      absl::StatusOr<Scalar> pred = Element({place.frame, i.operands[0], 0, 0});
      if (!pred.ok()) return pred.status();
      from = pred->i != 0 ? 1 : 2;
      result.reads.push_back({{place.frame, i.operands[0], 0, 0}, ReadRole::kPredicate});
    }
    result.reads.push_back({{place.frame, i.operands[from], place.leaf, place.linear}, ReadRole::kValue});
    if (from == 0) result.moved = 0;
    result.total = static_cast<int64_t>(result.reads.size());
    return result;
  }
  if (i.operands.empty()) {
    result.kind = SliceNode::kCreated;
    return result;
  }
  return ReadsOfOpaque(place, limits);
}

absl::StatusOr<ElementReads> ElementReader::ReadsOfParameter(const ElementPlace& place) {
  ElementReads result;
  const FrameHistory::Place p = history_.place(place.frame);
  const int number = static_cast<int>(place.instruction->parameter_number);
  const auto from = [&](int frame, const Instruction* instruction) {
    result.reads.push_back({{frame, instruction, place.leaf, place.linear}, ReadRole::kValue});
    result.moved = 0;
    result.total = 1;
    return result;
  };
  switch (p.kind) {
    case FrameKind::kEntry:
    case FrameKind::kElement: result.kind = SliceNode::kParameter; return result;
    case FrameKind::kCall:
    case FrameKind::kFusion: return from(p.parent, p.caller->operands[number]);
    case FrameKind::kBranch: return from(p.parent, p.caller->operands[p.branch + 1]);
    case FrameKind::kWhileCondition:
    case FrameKind::kWhileBody: {
      if (p.iteration == 0 || IsPassedThrough(*p.caller, place.leaf)) return from(p.parent, p.caller->operands[0]);
      const int body = history_.EnterBody(p.parent, *p.caller, p.iteration - 1);
      return from(body, history_.place(body).computation->root);
    }
  }
  return result;
}

bool ElementReader::IsPassedThrough(const Instruction& loop, int leaf) {
  const auto [entry, fresh] = passed_.try_emplace({&loop, leaf}, false);
  if (!fresh) return entry->second;
  const Instruction* at = loop.Called(AttrId::kBody)->root;
  int at_leaf = leaf;
  while (at->parameter_number < 0) {
    const std::vector<LeafSource>& leaves = LeavesOf(*at);
    if (leaves.empty() || leaves[at_leaf].operand < 0) return false;
    const LeafSource source = leaves[at_leaf];
    at = at->operands[source.operand];
    at_leaf = source.leaf;
  }
  return passed_[{&loop, leaf}] = at_leaf == leaf;
}

absl::StatusOr<ElementReads> ElementReader::ReadsOfControl(const ElementPlace& place) {
  const Instruction& i = *place.instruction;
  ElementReads result;
  const auto add = [&](int frame, const Instruction* instruction, int leaf, int64_t linear, ReadRole role) {
    if (role == ReadRole::kValue) result.moved = static_cast<int>(result.reads.size());
    result.reads.push_back({{frame, instruction, leaf, linear}, role});
    ++result.total;
  };
  switch (Def(i).control) {
    case ControlKind::kCall: {
      const int frame = history_.EnterCall(place.frame, i);
      const Instruction* root = history_.place(frame).computation->root;
      const std::vector<LeafSource>& leaves = LeavesOf(i);
      if (leaves.empty()) {
        add(frame, root, place.leaf, place.linear, ReadRole::kValue);
      } else if (leaves[place.leaf].operand == LeafSource::kCalled) {
        add(frame, root, leaves[place.leaf].leaf, place.linear, ReadRole::kValue);
      } else if (leaves[place.leaf].operand >= 0) {
        add(place.frame, i.operands[leaves[place.leaf].operand], leaves[place.leaf].leaf, place.linear, ReadRole::kValue);
      } else {
        result.kind = SliceNode::kCreated;
      }
      return result;
    }
    case ControlKind::kConditional: {
      absl::StatusOr<int> frame = history_.EnterBranch(place.frame, i);
      if (!frame.ok()) return frame.status();
      const FrameHistory::Place& branch = history_.place(*frame);
      result.note = absl::StrCat("branch ", branch.branch, " (", branch.computation->name, ") was taken");
      add(*frame, branch.computation->root, place.leaf, place.linear, ReadRole::kValue);
      add(place.frame, i.operands[0], 0, 0, ReadRole::kControl);
      return result;
    }
    case ControlKind::kWhile: {
      if (IsPassedThrough(i, place.leaf)) {
        add(place.frame, i.operands[0], place.leaf, place.linear, ReadRole::kValue);
        return result;
      }
      absl::StatusOr<int64_t> count = history_.Iterations(place.frame, i);
      if (!count.ok()) return count.status();
      result.note = absl::StrCat("after ", *count, *count == 1 ? " iteration" : " iterations");
      if (*count == 0) {
        add(place.frame, i.operands[0], place.leaf, place.linear, ReadRole::kValue);
      } else {
        const int body = history_.EnterBody(place.frame, i, *count - 1);
        add(body, history_.place(body).computation->root, place.leaf, place.linear, ReadRole::kValue);
      }
      const int condition = history_.EnterCondition(place.frame, i, *count);
      add(condition, history_.place(condition).computation->root, 0, 0, ReadRole::kControl);
      return result;
    }
    case ControlKind::kNone: break;
  }
  return absl::InternalError("not a control instruction");
}

namespace {

ReadRole RoleOf(LoadRole role) {
  switch (role) {
    case LoadRole::kIndex: return ReadRole::kIndex;
    case LoadRole::kPredicate: return ReadRole::kPredicate;
    case LoadRole::kValue: return ReadRole::kValue;
  }
  return ReadRole::kValue;
}

bool HasRepeats(const Instruction& i) {
  for (size_t k = 1; k < i.operands.size(); ++k) {
    if (std::find(i.operands.begin(), i.operands.begin() + static_cast<ptrdiff_t>(k), i.operands[k]) != i.operands.begin() + static_cast<ptrdiff_t>(k)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<ElementReads> ElementReader::ReadsOfProgram(const ElementPlace& place, const Prepared& prepared, const ReadLimits& limits) {
  const Instruction& i = *place.instruction;
  ElementReads result;
  const std::vector<int64_t> index = IndexOfPlace(LeafShape(i.shape, place.leaf), place.linear);
  absl::StatusOr<TracedElement> element = prepared.tracer->At(place.leaf, index, LoaderOf(place.frame, i, prepared), limits.points);
  if (!element.ok()) return element.status();
  result.total = static_cast<int64_t>(element->loads.size());
  // One value may be several operands (x + x): it is read once.
  std::vector<int> read_of(element->loads.size(), -1);
  absl::flat_hash_map<std::pair<const Instruction*, int64_t>, int> known;
  const bool repeats = HasRepeats(i);
  for (size_t l = 0; l < element->loads.size(); ++l) {
    if (static_cast<int64_t>(result.reads.size()) >= limits.reads) break;
    const TracedLoad& load = element->loads[l];
    const Instruction* from = i.operands[load.operand];
    const int64_t linear = prepared.Written(i, load.operand, load.linear);
    read_of[l] = static_cast<int>(result.reads.size());
    if (repeats) {
      const auto [entry, fresh] = known.try_emplace({from, linear}, read_of[l]);
      read_of[l] = entry->second;
      if (!fresh) {
        result.reads[entry->second].role = std::min(result.reads[entry->second].role, RoleOf(load.role));
        --result.total;
        continue;
      }
    }
    result.reads.push_back({{place.frame, from, 0, linear}, RoleOf(load.role)});
  }
  // A choice by data (select) is a step of its own; padding and windows of a copy are not. An update that lands is a copy too.
  const bool moves = Def(i).movement == Movement::kMove || prepared.program.is_push || element->converted;
  if (element->origin >= 0 && !element->compared && (!element->chosen || Def(i).movement == Movement::kMove) && read_of[element->origin] >= 0 &&
      (moves || result.reads.size() == 1)) {
    result.moved = read_of[element->origin];
  }
  if (result.reads.empty()) result.kind = SliceNode::kCreated;
  return result;
}

}  // namespace hloscope
