// Forwards from the constants that matter, over the whole program, once: most programs have none, and then nothing is asked again. Backwards
// from one value when a catch looks closer: through its computation as written, and from there along the frames that are running.
#include "core/debug/constant_flow.h"

#include <algorithm>

#include "core/debug/catch_elements.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// Conversions between floats count as movement: what only changes the type.
bool Moves(const Instruction& i) {
  if (Def(i).movement == Movement::kMove) return true;
  if (Def(i).op_class != OpClass::kPull || i.operands.size() != 1 || !Floats(i.shape) || !Floats(i.operands[0]->shape)) return false;
  const ElementType from = i.operands[0]->shape.element_type(), to = i.shape.element_type();
  return from != to && IsComplex(from) == IsComplex(to) && Shape::SameDimensions(i.shape, i.operands[0]->shape);
}

// The operands whose elements a moving instruction brings together, each once.
std::vector<const Instruction*> Moved(const Instruction& i) {
  std::vector<const Instruction*> moved;
  for (const Instruction* operand : i.operands) {
    if (Floats(operand->shape) && std::find(moved.begin(), moved.end(), operand) == moved.end()) moved.push_back(operand);
  }
  return moved;
}

}  // namespace

const std::vector<LeafSource>& ConstantFlow::LeavesOf(const Instruction& instruction) {
  const auto [entry, fresh] = leaves_.try_emplace(&instruction);
  if (fresh) entry->second = SourcesOfLeaves(instruction);
  return entry->second;
}

bool ConstantFlow::Matters(const Instruction& constant) {
  const auto [entry, fresh] = literals_.try_emplace(&constant, false);
  if (fresh) entry->second = matters_(constant.literal->value);
  return entry->second;
}

ConstantFlow::Origin ConstantFlow::OriginOf(const Instruction& instruction, int leaf) {
  const auto known = origins_.find({&instruction, leaf});
  if (known != origins_.end()) return known->second;
  const Origin found = Find(instruction, leaf);
  origins_[{&instruction, leaf}] = found;
  return found;
}

ConstantFlow::Origin ConstantFlow::Find(const Instruction& instruction, int leaf) {
  const Instruction* at = &instruction;
  while (true) {  // along what has one source
    const Instruction& i = *at;
    if (i.literal != nullptr) return {Origin::kConstant, at, leaf};
    if (i.parameter_number >= 0) return {Origin::kParameter, at, leaf};
    const OpDef& def = Def(i);
    const std::vector<LeafSource>& leaves = LeavesOf(i);
    if (!leaves.empty() && leaves[leaf].operand != LeafSource::kCalled) {
      if (leaves[leaf].operand < 0) return {};
      at = i.operands[leaves[leaf].operand];
      leaf = leaves[leaf].leaf;
      continue;
    }
    switch (def.control) {
      case ControlKind::kCall: {
        const Origin inside = OriginOf(*i.CalledComputations()[0]->root, leaves.empty() ? leaf : leaves[leaf].leaf);
        if (inside.kind != Origin::kParameter) return inside;
        at = i.operands[inside.at->parameter_number];
        leaf = inside.leaf;
        continue;
      }
      case ControlKind::kWhile: {
        const Origin inside = OriginOf(*i.Called(AttrId::kBody)->root, leaf);
        if (inside.kind != Origin::kParameter || inside.leaf != leaf) return {Origin::kMaybe, at, leaf};
        at = i.operands[0];
        continue;
      }
      case ControlKind::kConditional: return {Origin::kMaybe, at, leaf};
      case ControlKind::kNone: break;
    }
    if (!i.shape.IsArray() || !Moves(i)) return {};
    Origin all;
    bool several = false;
    for (const Instruction* operand : Moved(i)) {
      const Origin one = operand->shape.IsArray() ? OriginOf(*operand, 0) : Origin();
      if (one.kind == Origin::kConstant && !Matters(*one.at) && Moved(i).size() > 1) continue;  // zeros that pad
      if (several && (one.kind != Origin::kConstant || all.kind != Origin::kConstant)) return {};
      if (!several) all = one;
      several = true;
    }
    return all;
  }
}

bool ConstantFlow::HandsOn(const Instruction& instruction) { return OriginOf(instruction, 0).kind != Origin::kMade; }

void ConstantFlow::Flood() {
  flooded_ = true;
  std::vector<std::pair<const Instruction*, int>> todo;
  const auto reach = [&](const Instruction& to, int leaf, const Instruction* constant) {
    if (brought_.try_emplace({&to, leaf}, constant).second) todo.emplace_back(&to, leaf);
  };
  for (const Computation* computation : module_.computations) {
    for (const Instruction* i : computation->schedule) {
      if (i->literal != nullptr && Matters(*i)) reach(*i, 0, i);
    }
  }
  if (todo.empty()) return;
  absl::flat_hash_map<const Instruction*, std::vector<std::pair<const Instruction*, int>>> users;
  absl::flat_hash_map<const Computation*, std::vector<const Instruction*>> callers;
  for (const Computation* computation : module_.computations) {
    for (const Instruction* i : computation->schedule) {
      for (size_t k = 0; k < i->operands.size(); ++k) users[i->operands[k]].emplace_back(i, static_cast<int>(k));
      if (Def(*i).control == ControlKind::kNone) continue;
      for (const Computation* called : i->CalledComputations()) callers[called].push_back(i);
    }
  }
  while (!todo.empty()) {
    const auto [from, leaf] = todo.back();
    todo.pop_back();
    const Instruction* constant = brought_.at({from, leaf});
    for (const auto& [user, k] : users[from]) {
      const std::vector<LeafSource>& leaves = LeavesOf(*user);
      for (size_t l = 0; l < leaves.size(); ++l) {
        if (leaves[l].operand == k && leaves[l].leaf == leaf) reach(*user, static_cast<int>(l), constant);
      }
      switch (Def(*user).control) {
        case ControlKind::kCall:
          if (const Computation& called = *user->CalledComputations()[0]; k < static_cast<int>(called.parameters.size())) reach(*called.parameters[k], leaf, constant);
          break;
        case ControlKind::kWhile:
          for (const Computation* called : user->CalledComputations()) reach(*called->parameters[0], leaf, constant);
          reach(*user, leaf, constant);
          break;
        case ControlKind::kConditional:
          for (const Computation* called : user->CalledComputations()) {
            if (k > 0 && user->operands[k]->shape == called->parameters[0]->shape) reach(*called->parameters[0], leaf, constant);
          }
          break;
        case ControlKind::kNone:
          if (leaves.empty() && user->shape.IsArray() && from->shape.IsArray() && Moves(*user) && HandsOn(*user)) reach(*user, 0, constant);
          break;
      }
    }
    if (from != from->parent->root) continue;
    for (const Instruction* caller : callers[from->parent]) {
      const std::vector<LeafSource>& leaves = LeavesOf(*caller);
      for (size_t l = 0; l < leaves.size(); ++l) {
        if (leaves[l].operand == LeafSource::kCalled && leaves[l].leaf == leaf) reach(*caller, static_cast<int>(l), constant);
      }
      if (!leaves.empty()) continue;
      if (Def(*caller).control == ControlKind::kWhile) {
        if (from->parent != caller->Called(AttrId::kBody)) continue;
        for (const Computation* called : caller->CalledComputations()) reach(*called->parameters[0], leaf, constant);
      }
      reach(*caller, leaf, constant);
    }
  }
}

const Instruction* ConstantFlow::MayBring(const Instruction& instruction, int leaf) {
  if (!flooded_) Flood();
  const auto known = brought_.find({&instruction, leaf});
  return known == brought_.end() ? nullptr : known->second;
}

ConstantFlow::Origin ConstantFlow::Taken(const Frame& frame, Origin origin) {
  while (origin.kind == Origin::kMaybe && origin.at->parent == frame.computation && Def(*origin.at).control == ControlKind::kConditional) {
    const Instruction& conditional = *origin.at;
    const Value& choice = frame.values[conditional.operands[0]->index];
    const Value& known = conditional.operands[0]->literal != nullptr ? conditional.operands[0]->literal->value : choice;
    if (!known.has_value()) break;
    const ElementType type = known.shape().element_type();
    const int64_t number = LoadScalar(type, ToDense(known).data()).i;
    const std::vector<Computation*> branches = conditional.CalledComputations();
    const int64_t last = static_cast<int64_t>(branches.size()) - 1;
    const int64_t taken = IsPred(type) ? (number != 0 ? 0 : 1) : number < 0 || number > last ? last : number;
    const Origin inside = OriginOf(*branches[taken]->root, origin.leaf);
    origin = inside.kind == Origin::kParameter ? OriginOf(*conditional.operands[taken + 1], inside.leaf) : inside;
  }
  return origin;
}

ConstantFlow::Origin ConstantFlow::OriginIn(absl::Span<const Frame> frames, const Instruction& instruction, int leaf) {
  Origin origin = OriginOf(instruction, leaf);
  for (size_t depth = frames.size(); depth-- > 0;) {
    const Frame& frame = frames[depth];
    origin = Taken(frame, origin);
    if (origin.kind != Origin::kParameter) break;
    const Instruction* operand = nullptr;
    int from = origin.leaf;
    switch (frame.kind) {
      case FrameKind::kEntry:
      case FrameKind::kElement: return {};
      case FrameKind::kCall:
      case FrameKind::kFusion: operand = frame.caller->operands[origin.at->parameter_number]; break;
      case FrameKind::kBranch: operand = frame.caller->operands[static_cast<size_t>(frame.branch) + 1]; break;
      case FrameKind::kWhileCondition:
      case FrameKind::kWhileBody: {
        // Back through the iterations, leaf by leaf; after as many as there are leaves they repeat.
        const Instruction& root = *frame.caller->Called(AttrId::kBody)->root;
        std::vector<int> way;
        int64_t iteration = frame.iteration;
        Origin last{Origin::kParameter, origin.at, from};
        while (iteration > 0 && last.kind == Origin::kParameter) {
          const auto again = std::find(way.begin(), way.end(), last.leaf);
          if (again != way.end()) {
            iteration %= way.end() - again;
            way.clear();
            if (iteration == 0) break;
          }
          way.push_back(last.leaf);
          last = OriginOf(root, last.leaf);
          --iteration;
        }
        if (last.kind != Origin::kParameter) {
          origin = last;
          continue;
        }
        operand = frame.caller->operands[0];
        from = last.leaf;
        break;
      }
    }
    origin = OriginOf(*operand, from);
  }
  return origin;
}

const Instruction* ConstantFlow::Behind(absl::Span<const Frame> frames, const Instruction& instruction, int leaf) {
  const Origin origin = OriginIn(frames, instruction, leaf);
  return origin.kind == Origin::kConstant ? origin.at : nullptr;
}

ConstantFlow::Source ConstantFlow::Of(absl::Span<const Frame> frames, const Instruction& instruction, int leaf) {
  const Instruction* may = MayBring(instruction, leaf);
  if (may == nullptr) return {};
  const Origin origin = OriginIn(frames, instruction, leaf);
  switch (origin.kind) {
    case Origin::kConstant: return {Matters(*origin.at) ? origin.at : nullptr, true};
    case Origin::kMaybe: return {may, false};
    case Origin::kMade:
    case Origin::kParameter: break;
  }
  return {};
}

}  // namespace hloscope
