// An element is introduced if it is bad and no element that it was made from is. Where some operand has bad elements, the instruction is
// executed once more with those replaced by ones: what is still bad then are the candidates, and the trace of each candidate decides.
#include "core/debug/catch_find.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/clones.h"
#include "core/debug/catch_elements.h"
#include "core/element/element_trace.h"
#include "core/element/hazard_program.h"
#include "core/element/scalar_hazards.h"
#include "core/literal/relayout.h"
#include "core/ops/element_calls.h"
#include "core/ops/hazards.h"
#include "core/ops/inner_birth.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr absl::string_view kNames[] = {"nan",       "inf",      "overflow",         "denormal", "cancellation", "index",
                                        "duplicate", "unsorted", "integer-overflow", "unsigned-wrap", "division"};
constexpr int64_t kMostTraced = 20000;  // candidates whose origin is looked at one by one

void SayPassedOver(int64_t count, Finding& finding) {
  if (count > 0) absl::StrAppend(&finding.why, finding.why.empty() ? "" : "; ", count, " more candidates were not looked at");
}

template <typename Word>
HLOSCOPE_INLINE bool AnyAboveOf(const Word* data, int64_t n, Word mask, Word limit) {
  for (int64_t i = 0; i < n; i += 4096) {
    const int64_t end = std::min(n, i + 4096);
    Word most = 0;
    for (int64_t j = i; j < end; ++j) {
      const Word w = data[j] & mask;
      most = w > most ? w : most;
    }
    if (most >= limit) return true;
  }
  return false;
}
HLOSCOPE_CLONES bool AnyAbove(const uint16_t* data, int64_t n, uint16_t mask, uint16_t limit) { return AnyAboveOf(data, n, mask, limit); }
HLOSCOPE_CLONES bool AnyAbove(const uint32_t* data, int64_t n, uint32_t mask, uint32_t limit) { return AnyAboveOf(data, n, mask, limit); }
HLOSCOPE_CLONES bool AnyAbove(const uint64_t* data, int64_t n, uint64_t mask, uint64_t limit) { return AnyAboveOf(data, n, mask, limit); }

// Quick, over the bytes as they lie; may be true for an infinity where a NaN is asked for, padding counts. False is certain.
bool MayHaveAny(CatchKind kind, const Value& value) {
  const int64_t bytes = value.byte_size();
  const std::byte* data = value.physical_data();
  const int nan = kind == CatchKind::kNan ? 1 : 0;
  switch (value.shape().element_type()) {
    case ElementType::kF32:
    case ElementType::kC64:
      return AnyAbove(reinterpret_cast<const uint32_t*>(data), bytes / 4, 0x7fffffffu, 0x7f800000u + nan);
    case ElementType::kF64:
    case ElementType::kC128:
      return AnyAbove(reinterpret_cast<const uint64_t*>(data), bytes / 8, ~uint64_t{0} >> 1, (uint64_t{0x7ff} << 52) + nan);
    case ElementType::kBF16: return AnyAbove(reinterpret_cast<const uint16_t*>(data), bytes / 2, 0x7fff, 0x7f80 + nan);
    case ElementType::kF16: return AnyAbove(reinterpret_cast<const uint16_t*>(data), bytes / 2, 0x7fff, 0x7c00 + nan);
    default: return true;
  }
}

}  // namespace

// What counts as inherited: an infinity may also come of a NaN's other part, never the other way round.
bool IsSource(CatchKind kind, const Scalar& s) { return kind == CatchKind::kNan ? s.IsNaN() : (IsFloat(s.type) || IsComplex(s.type)) && !s.IsFinite(); }

std::vector<int64_t> AllBad(CatchKind kind, const Value& array) {
  std::vector<int64_t> found;
  if (!array.has_value() || !Floats(array.shape()) || !MayHaveAny(kind, array)) return found;
  const int64_t n = array.element_count();
  for (int64_t i = 0; i < n; ++i) {
    if (IsBad(kind, ElementAt(array, i))) found.push_back(i);
  }
  return found;
}

absl::string_view Name(CatchKind kind) { return kNames[static_cast<int>(kind)]; }

std::optional<CatchKind> CatchKindOf(absl::string_view name) {
  std::optional<CatchKind> found;
  for (size_t k = 0; k < std::size(kNames); ++k) {
    if (kNames[k] == name) return static_cast<CatchKind>(k);
    if (name.size() < 3 || !absl::StartsWith(kNames[k], name)) continue;
    if (found.has_value()) return std::nullopt;
    found = static_cast<CatchKind>(k);
  }
  return found;
}

bool IsBad(CatchKind kind, const Scalar& s) {
  if (kind == CatchKind::kNan) return s.IsNaN();
  if (IsComplex(s.type)) return std::isinf(s.re) || std::isinf(s.im);
  return IsFloat(s.type) && std::isinf(s.re);
}

std::string CatchKindNames() { return absl::StrJoin(kNames, ", "); }

bool HasAny(CatchKind kind, const Value& value) {
  if (!value.has_value()) return false;
  if (value.shape().IsTuple()) {
    return std::any_of(value.elements().begin(), value.elements().end(), [&](const Value& v) { return HasAny(kind, v); });
  }
  if (!Floats(value.shape()) || !MayHaveAny(kind, value)) return false;
  const Value dense = ToDense(value);
  const int64_t n = dense.element_count();
  for (int64_t i = 0; i < n; ++i) {
    if (IsBad(kind, ElementAt(dense, i))) return true;
  }
  return false;
}

CatchFinder::Known& CatchFinder::Of(const Instruction& instruction) {
  std::unique_ptr<Known>& known = known_[&instruction];
  if (known == nullptr) known = std::make_unique<Known>();
  return *known;
}

const Program* CatchFinder::ProgramOf(const Instruction& instruction) {
  Known& known = Of(instruction);
  if (!known.program_made) {
    const OpClass op_class = Def(instruction).op_class;
    if (op_class == OpClass::kPull || op_class == OpClass::kPush) known.program = ElementProgram(instruction);
    known.program_made = true;
  }
  return known.program.ok() ? &*known.program : nullptr;
}

const Program* CatchFinder::ProgramWithCalls(const Instruction& instruction) {
  if (const Program* program = ProgramOf(instruction)) return program;
  Known& known = Of(instruction);
  if (!known.neighbours.has_value()) known.neighbours = NeighbourProgram(instruction);
  return known.neighbours->has_value() ? &**known.neighbours : nullptr;
}

bool CatchFinder::ByCalls(const Instruction& instruction) {
  int& by_calls = Of(instruction).by_calls;
  if (by_calls < 0) by_calls = CallsAreExpressions(instruction) ? 0 : 1;
  return by_calls == 1;
}

ConstantFlow& CatchFinder::FlowOf(CatchKind kind) {
  std::unique_ptr<ConstantFlow>& flow = flows_[kind];
  if (flow == nullptr) flow = std::make_unique<ConstantFlow>(module_, [kind](const Value& literal) { return HasAny(kind, literal); });
  return *flow;
}

// The constant that an operand was moved from, where somebody has set what is looked for into it: it has come without having been written.
// Its frame may be gone; but what was set on the way is no constant's.
static const Instruction* SetConstant(CatchKind kind, ConstantFlow& flow, const Instruction& operand, absl::Span<const Frame> frames) {
  if (std::none_of(frames.begin(), frames.end(), [](const Frame& frame) { return frame.changed; })) return nullptr;  // nothing was set
  const Instruction* constant = flow.Behind(frames, operand, 0);
  if (constant == nullptr || !constant->literal->value.has_value()) return nullptr;
  const Value written = ToDense(constant->literal->value);
  if (HasAny(kind, written) || HasAny(kind, ConvertValue(written, operand.shape.element_type()))) return nullptr;
  bool elsewhere = false;
  for (const Frame& frame : frames) {
    for (const SetByHand& set : frame.set_by_hand) {
      const Instruction* at = frame.computation->schedule[set.position];
      if (at == constant) return constant;
      elsewhere |= at->literal == nullptr;
    }
  }
  return elsewhere ? nullptr : constant;
}

std::vector<const Instruction*> CatchFinder::ConstantsOf(CatchKind kind, const Instruction& instruction, absl::Span<const Value> operands,
                                                         absl::Span<const Frame> frames, bool clean) {
  std::vector<const Instruction*> constants(instruction.operands.size(), nullptr);
  ConstantFlow& flow = FlowOf(kind);
  bool any = false;
  for (size_t k = 0; k < constants.size(); ++k) {
    const Instruction& operand = *instruction.operands[k];
    if (!Floats(operand.shape)) continue;
    if (k < operands.size() && operands[k].has_value() && HasAny(kind, operands[k]))
      constants[k] = SetConstant(kind, flow, operand, frames);
    any = any || constants[k] != nullptr;
    if (constants[k] != nullptr || flow.MayBring(operand, 0) == nullptr) continue;
    const ConstantFlow::Source source = flow.Of(frames, operand, 0);
    // Whichever way it went: as long as nothing else has come up, it can come from nowhere else.
    if (source.certain || clean) constants[k] = source.constant;
    any = any || constants[k] != nullptr;
  }
  if (any && flow.HandsOn(instruction)) constants.assign(constants.size(), nullptr);
  return constants;
}

bool CatchFinder::MayHaveByProgram(const CatchRequest& request, const Instruction& instruction) {
  if (ByCalls(instruction)) return CallsMayHave(instruction, QueryOf(request));
  const Program* program = ProgramWithCalls(instruction);
  if (program == nullptr || (Def(instruction).movement == Movement::kMove && instruction.CalledComputations().empty())) return false;
  const ExprGraph& graph = *program->graph;
  const ScalarHazard hazard = HazardOf(request.kind);
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& n = graph.node(id);
    if (n.kind == NodeKind::kScalarOp && MayHave(hazard, n.op, n.type, graph.node(n.inputs[0]).type)) return true;
  }
  return false;
}

bool CatchFinder::MayHide(const CatchRequest& request, const Instruction& instruction) {
  if (request.kind != CatchKind::kNan && request.kind != CatchKind::kInf) return false;
  const HazardQuery query = QueryOf(request);
  int& hides = Of(instruction).hides[query.infinity ? 1 : 0];
  if (hides < 0) hides = CallsMayHide(instruction, query) ? 1 : 0;
  return hides == 1;
}

bool CatchFinder::Concerns(const CatchRequest& request, const Instruction& instruction) {
  int8_t& known = Of(instruction).concerns[static_cast<int>(request.kind)];
  if (known >= 0) return known == 1;
  bool concerns = false;
  const OpDef& def = Def(instruction);
  switch (request.kind) {
    case CatchKind::kNan:
    case CatchKind::kInf: {
      std::vector<const Shape*> shapes = {&instruction.shape};
      for (size_t k = 0; k < shapes.size(); ++k) {
        concerns |= Floats(*shapes[k]);
        if (shapes[k]->IsTuple()) {
          for (const Shape& part : shapes[k]->tuple_shapes()) shapes.push_back(&part);
        }
      }
      concerns = concerns || MayHide(request, instruction);
      concerns = concerns && def.op_class != OpClass::kStructural && def.op_class != OpClass::kControl;
      if (concerns && def.movement == Movement::kMove && !MayHide(request, instruction)) {  // may bring a constant's NaN among data
        concerns = false;
        ConstantFlow& flow = FlowOf(request.kind);
        for (const Instruction* operand : instruction.operands) concerns |= Floats(operand->shape) && flow.MayBring(*operand, 0) != nullptr;
        concerns = concerns && !flow.HandsOn(instruction);
      }
      break;
    }
    case CatchKind::kIndex: concerns = IndexedAccessOf(instruction).has_value(); break;
    case CatchKind::kDuplicate:
    case CatchKind::kUnsorted: {
      const std::optional<IndexedAccess> access = IndexedAccessOf(instruction);
      concerns = access.has_value() && (request.kind == CatchKind::kDuplicate ? access->unique : access->sorted);
      break;
    }
    case CatchKind::kOverflow:
    case CatchKind::kDenormal:
    case CatchKind::kCancellation:
    case CatchKind::kIntegerOverflow:
    case CatchKind::kUnsignedWrap:
    case CatchKind::kDivision:
      concerns = MayHaveByProgram(request, instruction);
      break;
  }
  Of(instruction).concerns[static_cast<int>(request.kind)] = concerns ? 1 : 0;
  return concerns;
}

std::optional<Finding> CatchFinder::Find(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands, const Value& result,
                                         absl::Span<const Frame> frames, bool clean) {
  switch (request.kind) {
    case CatchKind::kNan:
    case CatchKind::kInf: {
      std::optional<Finding> found = FindNonFinite(request, instruction, operands, result, frames, clean);
      if (!found.has_value() || found->constant == nullptr) LookInside(request, instruction, operands, result, OperationsLookedInto(frames), &found);
      return found;
    }
    case CatchKind::kIndex:
    case CatchKind::kDuplicate:
    case CatchKind::kUnsorted: return FindByIndices(request, instruction, operands);
    case CatchKind::kOverflow:
    case CatchKind::kDenormal:
    case CatchKind::kCancellation:
    case CatchKind::kIntegerOverflow:
    case CatchKind::kUnsignedWrap:
    case CatchKind::kDivision: break;
  }
  std::optional<Finding> found = FindByOperations(request, instruction, operands, result);
  if (found.has_value() || ByCalls(instruction)) LookInside(request, instruction, operands, result, OperationsLookedInto(frames), &found);
  return found;
}

// By element of the result: still bad after every bad element of the data was replaced by 1. Empty: it cannot be said.
std::vector<bool> CatchFinder::Cleaned(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands,
                                       absl::Span<const Instruction* const> constants, int output) {
  std::vector<Value> cleaned(operands.begin(), operands.end());
  for (size_t k = 0; k < cleaned.size(); ++k) {
    if (!cleaned[k].has_value()) return {};
    if (!Floats(cleaned[k].shape()) || constants[k] != nullptr) continue;
    const ElementType type = cleaned[k].shape().element_type();
    Value copy = Value::FromBytes(cleaned[k].shape(), absl::MakeConstSpan(cleaned[k].data(), cleaned[k].byte_size()));
    Scalar one = IsComplex(type) ? Scalar::Complex(type, 1) : Scalar::Float(type, 1);
    bool any = false;
    for (int64_t i = 0; i < copy.element_count(); ++i) {
      if (!IsSource(request.kind, ElementAt(copy, i))) continue;
      StoreScalar(one, copy.mutable_data() + i * StorageBytes(type));
      any = true;
    }
    if (any) cleaned[k] = std::move(copy);
  }
  const Region single = SingleRegion(*instruction.parent, instruction.index);
  absl::StatusOr<std::shared_ptr<const Kernel>> kernel = backend_.GetKernel(*instruction.parent, single);
  if (!kernel.ok()) return {};
  std::vector<Value> inputs;
  for (int position : single.inputs) {
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      if (instruction.operands[k]->index != position) continue;
      inputs.push_back(ToLayout(cleaned[k], instruction.operands[k]->shape));
      break;
    }
  }
  absl::StatusOr<Value> again = (*kernel)->Run(RunContext(), std::move(inputs));
  if (!again.ok()) return {};
  const Value leaf = ToDense(ArraysOf(*again)[output]);
  std::vector<bool> bad(leaf.element_count());
  for (int64_t i = 0; i < leaf.element_count(); ++i) bad[i] = IsBad(request.kind, ElementAt(leaf, i));
  return bad;
}

std::optional<Finding> CatchFinder::FindNonFinite(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands,
                                                  const Value& result, absl::Span<const Frame> frames, bool clean) {
  const CatchKind kind = request.kind;
  const std::vector<const Instruction*> constants = ConstantsOf(kind, instruction, operands, frames, clean);
  bool data_bad = false, constants_bad = false, gone = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].has_value()) {
      gone = true;
      data_bad |= !clean;
      continue;
    }
    bool bad = HasAny(CatchKind::kNan, operands[k]);
    if (kind == CatchKind::kInf) bad = bad || HasAny(CatchKind::kInf, operands[k]);
    if (!bad) continue;
    (constants[k] != nullptr ? constants_bad : data_bad) = true;
  }
  const Program* program = ProgramOf(instruction);
  const std::vector<Value> leaves = ArraysOf(result);
  std::optional<Finding> found;
  for (size_t o = 0; o < leaves.size(); ++o) {
    const std::vector<int64_t> bad = AllBad(kind, leaves[o]);
    if (bad.empty()) continue;
    std::vector<int64_t> introduced;
    int64_t passed_over = 0;
    if (!data_bad) {
      introduced = bad;
    } else if (program != nullptr && !gone) {
      const std::vector<bool> still = Cleaned(request, instruction, operands, constants, static_cast<int>(o));
      if (program->is_push) {  // one walk over all updates says for every element whether it read something bad
        std::set<int64_t> candidates;
        for (int64_t i : bad) {
          if (still.empty() || still[i]) candidates.insert(i);
        }
        std::set<int64_t> inherits;
        bool source = false;
        ElementTrace trace(*program, operands);
        trace.set_on_load([&](int k, int64_t, const Scalar& s) { source |= IsSource(kind, s) && constants[k] == nullptr; });
        if (!candidates.empty()) {
          trace.Updates([&](int64_t target) {
            if (source) inherits.insert(target);
            source = false;
            return true;
          });
        }
        for (int64_t i : candidates) {
          source = false;
          trace.At(static_cast<int>(o), IndexIn(leaves[o].shape(), i));
          if (!source && !inherits.contains(i)) introduced.push_back(i);
        }
      } else {
        ElementTrace trace(*program, operands);
        bool source = false;
        trace.set_on_load([&](int k, int64_t, const Scalar& s) { source |= IsSource(kind, s) && constants[k] == nullptr; });
        int64_t traced = 0;
        for (int64_t i : bad) {
          if (!still.empty() && !still[i]) continue;
          if (++traced > kMostTraced && !introduced.empty()) {
            ++passed_over;
            continue;
          }
          source = false;
          trace.At(static_cast<int>(o), IndexIn(leaves[o].shape(), i));
          if (!source) introduced.push_back(i);
        }
      }
    } else if (Def(instruction).op_class == OpClass::kOpaque && !gone) {
      const std::vector<bool> inherited = OfBadOperands(instruction, operands, static_cast<int>(o), leaves[o].shape(), bad,
                                                        [&](int k, const Scalar& s) { return constants[k] == nullptr && IsSource(kind, s); });
      for (size_t i = 0; i < bad.size(); ++i) {
        if (!inherited[i]) introduced.push_back(bad[i]);
      }
    }
    if (found.has_value()) {
      found->further += static_cast<int64_t>(introduced.size());
      found->inherited += static_cast<int64_t>(bad.size() - introduced.size()) - passed_over;
      SayPassedOver(passed_over, *found);
      continue;
    }
    if (introduced.empty()) continue;
    Finding f;
    f.output = result.shape().IsTuple() ? static_cast<int>(o) : -1;
    f.index = IndexIn(leaves[o].shape(), introduced[0]);
    f.value = ElementAt(leaves[o], introduced[0]);
    f.has_value = true;
    f.further = static_cast<int64_t>(introduced.size()) - 1;
    f.inherited = static_cast<int64_t>(bad.size() - introduced.size()) - passed_over;
    SayPassedOver(passed_over, f);
    if (program != nullptr) {
      std::vector<std::pair<int, int64_t>> loads = LoadsOf(*program, operands, static_cast<int>(o), introduced[0]);
      if (constants_bad) {
        for (const auto& [k, linear] : loads) {
          if (constants[k] != nullptr && IsSource(kind, ElementAt(operands[k], linear))) f.constant = constants[k];
        }
      }
      Show(instruction, loads, operands, f);
    } else if (Def(instruction).op_class == OpClass::kOpaque && !gone) {
      Show(instruction, ReadsOfOpaque(instruction, operands, static_cast<int>(o), leaves[o].shape(), introduced[0]), operands, f, true);
    }
    if (program == nullptr && constants_bad) {
      for (size_t k = 0; k < constants.size(); ++k) {
        if (constants[k] != nullptr && operands[k].has_value() && HasAny(kind, operands[k])) f.constant = constants[k];
      }
    }
    if (f.constant != nullptr) {  // a maximum begins with -inf, and its other infinity does not come from there
      const std::vector<const Instruction*> none(constants.size(), nullptr);
      const std::vector<bool> still = Cleaned(request, instruction, operands, none, static_cast<int>(o));
      if (!still.empty() && still[introduced[0]]) f.constant = nullptr;
    }
    found = std::move(f);
  }
  return found;
}

namespace {

// Windows of one size in an array; finds those that have an element in common. Places that are read from may overlap: only the same one is
// found again.
class Windows {
 public:
  Windows(const IndexedAccess& access, const Shape& array) : size_(access.window), array_(array) {
    if (access.clamps) std::fill(size_.begin(), size_.end(), 1);
    for (int64_t& size : size_) size = std::max<int64_t>(size, 1);
    for (int d : access.map) {
      if (size_[d] > 1) near_.push_back(d);
    }
  }

  // One of before that overlaps it; null: none, and it is kept.
  const IndexVector* Overlapped(const IndexVector& v) {
    if (!Within(v.place, v.place)) return nullptr;  // nothing of it is written
    std::vector<int64_t> cell(v.place.size());
    for (size_t d = 0; d < cell.size(); ++d) cell[d] = v.place[d] >= 0 ? v.place[d] / size_[d] : (v.place[d] + 1) / size_[d] - 1;
    const IndexVector* found = Search(v, cell, 0);
    if (found == nullptr) cells_[cell].push_back(v);
    return found;
  }

 private:
  // Some element that both windows have lies in the array.
  bool Within(const std::vector<int64_t>& a, const std::vector<int64_t>& b) const {
    for (size_t d = 0; d < a.size(); ++d) {
      const int64_t first = std::max<int64_t>({a[d], b[d], 0}), end = std::min(std::min(a[d], b[d]) + size_[d], array_.dim(static_cast<int>(d)));
      if (first >= end) return false;
    }
    return true;
  }
  // In cells as large as a window only neighbours can overlap.
  const IndexVector* Search(const IndexVector& v, std::vector<int64_t>& cell, size_t dimension) const {
    if (dimension < near_.size()) {
      int64_t& at = cell[near_[dimension]];
      const int64_t here = at;
      const IndexVector* found = nullptr;
      for (int64_t step : {0, -1, 1}) {
        at = here + step;
        if (found == nullptr) found = Search(v, cell, dimension + 1);
      }
      at = here;
      return found;
    }
    const auto near = cells_.find(cell);
    if (near == cells_.end()) return nullptr;
    const auto found = std::find_if(near->second.begin(), near->second.end(), [&](const IndexVector& other) { return Within(v.place, other.place); });
    return found == near->second.end() ? nullptr : &*found;
  }

  std::vector<int64_t> size_;
  const Shape& array_;
  std::vector<int> near_;  // dimensions in which windows may overlap without beginning at one place
  std::map<std::vector<int64_t>, std::vector<IndexVector>> cells_;
};

}  // namespace

std::optional<Finding> CatchFinder::FindByIndices(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands) {
  const std::optional<IndexedAccess> access = IndexedAccessOf(instruction);
  if (!access.has_value()) return std::nullopt;
  std::optional<Finding> found;
  const auto elements = [&](const IndexVector& v, Finding& f) {
    for (const IndexComponent& c : v.components) {
      f.read.push_back({instruction.operands[c.operand], IndexIn(operands[c.operand].shape(), c.linear), ElementAt(operands[c.operand], c.linear)});
    }
  };
  const auto note = [&](const IndexVector& v, std::string why) {
    if (found.has_value()) {
      ++found->further;
      return;
    }
    found.emplace();
    found->why = std::move(why);
    if (!v.components.empty()) found->index = IndexIn(operands[v.components[0].operand].shape(), v.components[0].linear);
    elements(v, *found);
  };
  Windows windows(*access, instruction.operands[access->array]->shape);
  std::vector<int64_t> last;
  ForEachIndexVector(instruction, *access, operands, [&](const IndexVector& v) {
    const auto outside = std::find_if(v.components.begin(), v.components.end(), [](const IndexComponent& c) { return c.outside(); });
    if (request.kind == CatchKind::kIndex) {
      if (outside == v.components.end()) return true;
      const std::string bounds = absl::StrCat("start ", outside->value, " in dimension ", outside->dimension, " lies outside 0..", outside->last);
      note(v, access->clamps ? absl::StrCat(bounds, " and is clamped to ", outside->value < 0 ? 0 : outside->last) : absl::StrCat(bounds, ", so the update is skipped or cut"));
    } else if (request.kind == CatchKind::kDuplicate) {
      if (access->clamps && outside != v.components.end()) return true;
      const IndexVector* before = windows.Overlapped(v);
      if (before == nullptr) return true;
      const bool first = !found.has_value();
      const std::string place = absl::StrCat("[", absl::StrJoin(v.place, ", "), "]");
      const std::string twice = before->place == v.place ? absl::StrCat("place ", place, " comes twice")
                                                         : absl::StrCat("the window at ", place, " overlaps the one at [", absl::StrJoin(before->place, ", "), "]");
      note(v, absl::StrCat(twice, ", but unique_indices=true was promised"));
      if (first) elements(*before, *found);
    } else {
      if (!last.empty() && v.place < last) {
        note(v, absl::StrCat("place [", absl::StrJoin(v.place, ", "), "] comes after [", absl::StrJoin(last, ", "), "], but indices_are_sorted=true was promised"));
      }
      last = v.place;
    }
    return true;
  });
  return found;
}

}  // namespace hloscope
