#include "core/debug/minimize_loops.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "core/element/interpret.h"
#include "core/literal/relayout.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"
#include "core/ops/transfers.h"

namespace hloscope {
namespace {

// Whether all readers of `value` in its computation take one part, which are then added to `read`.
bool OnlyParts(const Instruction& value, std::set<int64_t>* read) {
  if (value.parent->root == &value) return value.parent->is_entry;  // the program's own result may lose parts
  for (const Instruction* i : value.parent->schedule) {
    for (const Instruction* operand : i->operands) {
      if (operand != &value) continue;
      if (!TakesPart(*i)) return false;
      read->insert(i->Int(AttrId::kIndex));
    }
  }
  return true;
}

constexpr int64_t kFewElements = 1 << 12;

// What the instruction gives in every run, as far as constants say it; of the condition of `loop` (null: of no loop's), before the first iteration.
// `budget`: instructions that are still looked at.
std::optional<Value> FromConstants(const Instruction& i, const Instruction* loop, int* budget) {
  if (--*budget < 0) return std::nullopt;
  if (i.literal != nullptr) return i.literal->value.has_value() ? std::optional<Value>(i.literal->value) : std::nullopt;
  if (i.parameter_number >= 0) return loop == nullptr ? std::nullopt : FromConstants(*loop->operands[0], nullptr, budget);
  if (TakesPart(i) && loop != nullptr && i.operands[0]->parameter_number >= 0) {
    const Instruction& initial = *loop->operands[0];
    return MakesTuple(initial) ? FromConstants(*initial.operands[static_cast<size_t>(i.Int(AttrId::kIndex))], nullptr, budget) : std::nullopt;
  }
  if (const Instruction* maker = MakerOfPart(i)) return FromConstants(*maker, loop, budget);
  if (Def(i).op_class != OpClass::kPull || !i.shape.IsArray() || i.shape.ElementCount() > kFewElements) return std::nullopt;
  std::vector<Value> values;
  std::vector<const Value*> operands;
  for (const Instruction* operand : i.operands) {
    std::optional<Value> value = FromConstants(*operand, loop, budget);
    if (!value.has_value() || !value->shape().IsArray() || value->element_count() > kFewElements) return std::nullopt;
    values.push_back(ToDense(*value));
  }
  for (const Value& value : values) operands.push_back(&value);
  const absl::StatusOr<Program> program = ElementProgram(i);
  if (!program.ok() || program->outputs.size() != 1 || program->operands.size() != operands.size()) return std::nullopt;
  InterpretOptions options;
  options.bounds = false;
  absl::StatusOr<std::vector<Value>> made = Interpreter(*program, options).All(operands);
  if (!made.ok()) return std::nullopt;
  return (*made)[0];
}

}  // namespace

bool IsNeverEntered(const Instruction& loop) {
  int budget = 1000;
  const std::optional<Value> enters = FromConstants(*loop.Called(AttrId::kCondition)->root, &loop, &budget);
  return enters.has_value() && *enters->data() == std::byte{0};
}

bool TakesPart(const Instruction& i) { return i.operands.size() == 1 && i.operands[0]->shape.IsTuple() && i.Has(AttrId::kIndex); }

bool MakesTuple(const Instruction& i) {
  return i.shape.IsTuple() && Def(i).op_class == OpClass::kStructural && i.parameter_number < 0 && i.literal == nullptr && i.operands.size() == i.shape.tuple_shapes().size() &&
         i.operands.size() > 1;
}

const Instruction* MakerOfPart(const Instruction& i) {
  if (!TakesPart(i)) return nullptr;
  const Instruction& tuple = *i.operands[0];
  const size_t part = static_cast<size_t>(i.Int(AttrId::kIndex));
  if (Def(tuple).op_class != OpClass::kStructural || tuple.operands.size() != tuple.shape.tuple_shapes().size()) return nullptr;
  return tuple.operands[part]->shape == i.shape ? tuple.operands[part] : nullptr;
}

const Instruction* PartInBody(const Instruction& loop, const Instruction& part) {
  const Instruction* i = &part;
  std::vector<int64_t> path;  // the innermost first
  for (; TakesPart(*i); i = i->operands[0]) path.push_back(i->Int(AttrId::kIndex));
  if (i != &loop) return nullptr;
  for (i = loop.Called(AttrId::kBody)->root; !path.empty(); path.pop_back()) {
    if (!MakesTuple(*i)) return nullptr;
    i = i->operands[path.back()];
  }
  return i->shape == part.shape ? i : nullptr;
}

int64_t FirstFailing(int64_t last, const std::function<bool(int64_t iteration)>& fails) {
  int64_t before = 0, after = last;
  if (last <= 0 || fails(0)) return last;
  while (after - before > 1) {
    const int64_t middle = before + (after - before) / 2;
    (fails(middle) ? after : before) = middle;
  }
  return after;
}

void AddUnread(const Instruction& i, absl::flat_hash_set<const Instruction*>* dropped) {
  if (!MustRun(i) || &i == i.parent->root) return;
  for (const Instruction* other : i.parent->schedule) {
    const bool reads = std::find(other->operands.begin(), other->operands.end(), &i) != other->operands.end();
    if (reads && !dropped->contains(other)) return;
  }
  dropped->insert(&i);
  for (const Instruction* operand : i.operands) AddUnread(*operand, dropped);
}

void KeepExchanges(const Module& module, Rewrite* rewrite) {
  rewrite->stays = MustRun;
  absl::flat_hash_set<const Instruction*> gone = rewrite->dropped;
  gone.insert(rewrite->inputs.begin(), rewrite->inputs.end());
  for (const auto& [i, value] : rewrite->constants) gone.insert(i);
  for (const auto& [i, other] : rewrite->replaced) gone.insert(i);
  std::set<int64_t> channels;
  for (const Instruction* i : absl::flat_hash_set<const Instruction*>(gone)) {
    const ExchangeRole role = ExchangeOf(*i).role;
    if (role == ExchangeRole::kSendDone || role == ExchangeRole::kReceiveDone) channels.insert(ChannelOf(*i));
    if (ReadsBegun(*i)) AddUnread(*i->operands[0], &gone);
  }
  if (!channels.empty()) {
    for (const Computation* c : module.computations) {
      for (auto i = c->schedule.rbegin(); i != c->schedule.rend(); ++i) {
        if (IsTransfer(**i) && channels.contains(ChannelOf(**i))) AddUnread(**i, &gone);
      }
    }
  }
  rewrite->dropped = std::move(gone);
}

bool DeadParts(const Instruction& loop, int64_t only, Rewrite* rewrite) {
  if (Def(loop).control != ControlKind::kWhile || !loop.shape.IsTuple()) return false;
  const Computation &body = *loop.Called(AttrId::kBody), &condition = *loop.Called(AttrId::kCondition);
  const Instruction &initial = *loop.operands[0], &carried = *body.root;
  if (!MakesTuple(initial) || !MakesTuple(carried) || initial.parent->root == &initial || body.parameters.size() != 1 || condition.parameters.size() != 1) return false;
  const int parts = static_cast<int>(loop.shape.tuple_shapes().size());
  std::set<int64_t> live, ignored;
  if (!OnlyParts(loop, &live) || !OnlyParts(*condition.parameters[0], &live) || !OnlyParts(*body.parameters[0], &ignored)) return false;
  for (const Instruction* i : initial.parent->schedule) {  // nobody else may read the initial tuple
    if (i != &loop && std::find(i->operands.begin(), i->operands.end(), &initial) != i->operands.end()) return false;
  }
  if (only >= 0 && live.contains(only)) return false;
  for (int64_t k = 0; only >= 0 && k < parts; ++k) {
    if (k != only) live.insert(k);
  }
  // What the parts that live are made from in the body lives.
  for (bool grown = true; grown;) {
    grown = false;
    std::vector<bool> needed(body.schedule.size(), false);
    for (int64_t k : live) needed[carried.operands[k]->index] = true;
    for (int p = static_cast<int>(body.schedule.size()) - 1; p >= 0; --p) {
      const Instruction& i = *body.schedule[p];
      if (!needed[p]) continue;
      if (TakesPart(i) && i.operands[0] == body.parameters[0]) {
        grown |= live.insert(i.Int(AttrId::kIndex)).second;
        continue;
      }
      for (const Instruction* operand : i.operands) needed[operand->index] = true;
    }
  }
  if (live.empty()) live.insert(0);
  if (static_cast<int>(live.size()) == parts) return false;
  const std::vector<int64_t> kept(live.begin(), live.end());
  for (const Instruction* i : {&loop, &initial, &carried, static_cast<const Instruction*>(body.parameters[0]), static_cast<const Instruction*>(condition.parameters[0])}) {
    rewrite->parts.emplace(i, kept);
  }
  return true;
}

}  // namespace hloscope
