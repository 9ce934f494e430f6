// Hazards of single operations: overflow, denormals, cancellation, integers. Where one may be is found by a program made from the instruction's
// own (core/element/hazard_program.h), which runs as fast as the instruction; only the elements that it finds are evaluated and watched.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/debug/catch_elements.h"
#include "core/element/element_trace.h"
#include "core/element/hazard_program.h"
#include "core/element/interpret.h"
#include "core/element/magnitudes.h"
#include "core/exec/fuse.h"
#include "core/exec/watch.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/ops/hazards.h"
#include "core/ops/inner_birth.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kMostTraced = 20000;  // suspects that are looked at one by one when one of them was right already

// Positions where a pred holds.
std::vector<int64_t> TruesOf(const Value& preds) {
  std::vector<int64_t> found;
  const char* data = reinterpret_cast<const char*>(preds.data());
  const int64_t n = preds.element_count();
  for (int64_t at = 0; at < n;) {
    const void* next = std::memchr(data + at, 1, static_cast<size_t>(n - at));
    if (next == nullptr) break;
    at = static_cast<const char*>(next) - data;
    found.push_back(at++);
  }
  return found;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<int64_t>>> CatchFinder::RunSuspects(Suspects& suspects, absl::Span<const Value> operands) {
  std::vector<Value> preds;
  if (WatchingBackend* native = dynamic_cast<WatchingBackend*>(&backend_)) {
    if (suspects.kernel == nullptr) {
      absl::StatusOr<std::shared_ptr<const Kernel>> kernel = native->KernelOf(*suspects.program);
      if (!kernel.ok()) return kernel.status();
      suspects.kernel = *std::move(kernel);
    }
    absl::StatusOr<Value> made = suspects.kernel->Run(RunContext(), std::vector<Value>(operands.begin(), operands.end()));
    if (!made.ok()) return made.status();
    preds = ArraysOf(*made);
  } else {
    InterpretOptions options;
    options.bounds = false;
    std::vector<const Value*> pointers;
    for (const Value& operand : operands) pointers.push_back(&operand);
    absl::StatusOr<std::vector<Value>> made = Interpreter(*suspects.program, options).All(pointers);
    if (!made.ok()) return made.status();
    preds = *std::move(made);
  }
  std::vector<std::vector<int64_t>> found;
  for (const Value& pred : preds) found.push_back(TruesOf(pred));
  return found;
}

CatchFinder::Suspects& CatchFinder::SuspectsOf(const Instruction& instruction, const Program& program, const HazardQuery& query) {
  const int key = (query.hazard.has_value() ? static_cast<int>(*query.hazard) + 2 : query.infinity ? 1 : 0) * 1000 + query.bits * 2 + (query.result_is_given ? 1 : 0);
  auto [at, fresh] = Of(instruction).suspects.try_emplace(key);
  if (fresh) at->second.program = HazardProgram(program, query, &at->second.never);
  return at->second;
}

// By output, the elements that may have it; nothing: all of them.
std::optional<std::vector<std::vector<int64_t>>> CatchFinder::Suspicious(const CatchRequest& request, const Instruction& instruction, const Program& program,
                                                                         absl::Span<const Value> operands, absl::Span<const Value> results) {
  for (const Value& operand : operands) {
    if (!operand.has_value()) return std::nullopt;
  }
  HazardQuery query = QueryOf(request);
  std::vector<Value> given(operands.begin(), operands.end());
  if (HasFold(program)) {
    if (*query.hazard == ScalarHazard::kDenormal) {
      if (NormalProof().Holds(program, operands)) return std::vector<std::vector<int64_t>>(results.size());
      if (instruction.CalledComputations().empty()) return std::nullopt;
    }
    const bool outside = *query.hazard == ScalarHazard::kCancellation || (*query.hazard == ScalarHazard::kConversionOverflow && !MayHaveInFolds(query, program));
    query.result_is_given = outside && results.size() == 1;
    if (query.result_is_given) given.push_back(results[0]);
  }
  Suspects* suspects = &SuspectsOf(instruction, program, query);
  if (suspects->never) return std::vector<std::vector<int64_t>>(results.size());
  if (!suspects->program.has_value() && query.result_is_given) {
    query.result_is_given = false;
    given.pop_back();
    suspects = &SuspectsOf(instruction, program, query);
    if (suspects->never) return std::vector<std::vector<int64_t>>(results.size());
  }
  if (!suspects->program.has_value()) return std::nullopt;
  absl::StatusOr<std::vector<std::vector<int64_t>>> found = RunSuspects(*suspects, given);
  if (!found.ok()) return std::nullopt;
  for (std::vector<int64_t>& places : *found) DropLastOfLines(instruction, places);
  return *std::move(found);
}

std::optional<Finding> CatchFinder::FindByOperations(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands,
                                                     const Value& result) {
  const Program* program = ProgramWithCalls(instruction);
  if (program == nullptr) return std::nullopt;
  const ScalarHazard hazard = HazardOf(request.kind);
  std::vector<Value> leaves = ArraysOf(result);
  const std::vector<Value> sorted = leaves;
  const bool compares = program != ProgramOf(instruction);  // a sort: its neighbours were compared, whatever the algorithm
  if (compares) {
    operands = sorted;
    leaves.resize(1);
  }
  ElementTrace trace(*program, operands);
  bool hit = false;
  std::string why;
  trace.set_on_op([&](const Node& node, absl::Span<const Scalar> in, const Scalar& out, bool in_fold) {
    if (hit || (in_fold && hazard == ScalarHazard::kCancellation)) return;
    hit = Has(hazard, node.op, node.type, node.aux, in, out, request.bits, &why);
  });
  std::optional<Finding> found;
  const auto note = [&](size_t o, int64_t linear) {
    if (found.has_value()) {
      ++found->further;
      return;
    }
    found.emplace();
    found->output = result.shape().IsTuple() ? static_cast<int>(o) : -1;
    found->index = IndexIn(leaves[o].shape(), linear);
    found->value = ElementAt(leaves[o], linear);
    found->has_value = true;
    found->why = why;
    if (!compares) Show(instruction, LoadsOf(*program, operands, static_cast<int>(o), linear), operands, *found);
  };
  if (program->is_push) {
    trace.Updates([&](int64_t target) {
      if (hit) note(0, target);
      hit = false;
      return true;
    });
    return found;
  }
  const std::optional<std::vector<std::vector<int64_t>>> suspects = Suspicious(request, instruction, *program, operands, leaves);
  for (size_t o = 0; o < leaves.size(); ++o) {
    const int64_t n = suspects.has_value() ? static_cast<int64_t>((*suspects)[o].size()) : leaves[o].element_count();
    std::vector<int64_t> index(leaves[o].shape().rank());
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = suspects.has_value() ? (*suspects)[o][k] : k;
      if (found.has_value() && suspects.has_value() && k > kMostTraced) {
        absl::StrAppend(&found->why, found->why.empty() ? "" : "; ", n - k, " more candidates were not looked at");
        break;
      }
      hit = false;
      if (!suspects.has_value() && hazard == ScalarHazard::kDenormal && instruction.CalledComputations().empty() && Floats(leaves[o].shape())) {  // what is not small in the end was not lost
        const Scalar out = ElementAt(leaves[o], i);
        const bool zero = out.re == 0 || (IsComplex(out.type) && out.im == 0);
        if (!zero && !IsDenormal(out)) continue;
      }
      DelinearizeIndex(leaves[o].shape().dimensions(), i, absl::MakeSpan(index));
      trace.At(static_cast<int>(o), index);
      if (hit) note(o, i);
    }
  }
  return found;
}

std::vector<int> CatchFinder::PartlyRead(const Computation& computation, const Region& region) {
  std::set<int> found;
  for (int member : region.members) {
    const Instruction& i = *computation.schedule[member];
    const Program* program = ProgramOf(i);
    bool chooses = program == nullptr;
    for (NodeId id = 0; !chooses && id < program->graph->size(); ++id) chooses = program->graph->node(id).kind == NodeKind::kSelect;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const int from = i.operands[k]->index;
      const bool inside = std::binary_search(region.members.begin(), region.members.end(), from) && i.operands[k]->literal == nullptr;
      if (inside && (chooses || MayLeaveUnread(i, static_cast<int>(k)))) found.insert(from);
    }
  }
  found.erase(region.root);
  return std::vector<int>(found.begin(), found.end());
}

CatchFinder::RegionSuspects CatchFinder::SuspectsUpTo(int root, const HazardQuery& query, const Computation& computation, const Region& region) {
  RegionSuspects made;
  Region up_to;
  up_to.root = root;
  std::set<int> needed = {root};
  for (auto member = region.members.rbegin(); member != region.members.rend(); ++member) {
    if (!needed.contains(*member)) continue;
    up_to.members.insert(up_to.members.begin(), *member);
    for (const Instruction* operand : computation.schedule[*member]->operands) needed.insert(operand->index);
  }
  for (size_t k = 0; k < region.inputs.size(); ++k) {
    if (!needed.contains(region.inputs[k])) continue;
    up_to.inputs.push_back(region.inputs[k]);
    made.inputs.push_back(static_cast<int>(k));
  }
  // Constants are inputs here: what follows from them alone would be folded, and what it does on the way forgotten.
  for (int member : up_to.members) {
    const Instruction& i = *computation.schedule[member];
    if (i.literal == nullptr || !i.literal->value.has_value() || std::find(up_to.inputs.begin(), up_to.inputs.end(), member) != up_to.inputs.end()) continue;
    up_to.inputs.push_back(member);
    made.constants.push_back(ToDense(i.literal->value));
  }
  absl::StatusOr<Program> fused = FuseRegion(computation, up_to);
  if (!fused.ok() || fused->is_push) return made;
  // With folds the fused loop order is another one, and a library may have been at work: those are looked at one by one, unless nothing can be
  // there in any order.
  if (!HasFold(*fused)) {
    made.suspects.program = HazardProgram(*fused, query, &made.suspects.never);
  } else if (*query.hazard == ScalarHazard::kDenormal) {
    made.folding = *std::move(fused);
  }
  return made;
}

bool CatchFinder::IsClean(const CatchRequest& request, const Computation& computation, const Region& region, absl::Span<const Value> inputs) {
  for (const Value& input : inputs) {
    if (!input.has_value() || !input.shape().IsArray() || !input.IsDense()) return false;
  }
  const int key = static_cast<int>(request.kind) * 1000 + request.bits;
  const auto [at, fresh] = regions_.try_emplace({computation.schedule[region.root], region.members.size(), key});
  std::vector<RegionSuspects>& all = at->second;
  if (fresh) {
    const HazardQuery query = QueryOf(request);
    std::vector<int> roots = PartlyRead(computation, region);
    roots.push_back(region.root);
    for (int root : roots) {
      RegionSuspects one = SuspectsUpTo(root, query, computation, region);
      if (one.suspects.never) continue;
      const bool known = one.known();
      all.push_back(std::move(one));
      if (!known) break;  // then all is looked at one by one
    }
  }
  if (!all.empty() && !all.back().known()) return false;
  NormalProof proof;
  for (RegionSuspects& one : all) {
    std::vector<Value> given;
    for (int k : one.inputs) given.push_back(inputs[k]);
    given.insert(given.end(), one.constants.begin(), one.constants.end());
    if (one.folding.has_value()) {
      if (!proof.Holds(*one.folding, given)) return false;
      continue;
    }
    const absl::StatusOr<std::vector<std::vector<int64_t>>> found = RunSuspects(one.suspects, given);
    if (!found.ok()) return false;
    if (std::any_of(found->begin(), found->end(), [](const std::vector<int64_t>& some) { return !some.empty(); })) return false;
  }
  return true;
}

static int64_t Updates(const Program& push) {
  int64_t count = 1;
  for (int32_t v : push.push.vars) count *= push.graph->VarExtent(v);
  return count;
}

// Of an instruction whose calls are looked at one by one: all elements of the result, those first that have what is looked for.
std::vector<int64_t> CatchFinder::AllCalled(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands, const Value& result) {
  if (!CallsMayHave(instruction, QueryOf(request))) return {};
  std::vector<int64_t> all(ArraysOf(result)[0].element_count());
  std::iota(all.begin(), all.end(), 0);
  DropLastOfLines(instruction, all);
  const bool nonfinite = request.kind == CatchKind::kNan || request.kind == CatchKind::kInf;
  const Value first = ArraysOf(result)[0];
  if (nonfinite && Floats(first.shape())) std::stable_partition(all.begin(), all.end(), [&](int64_t element) { return IsSource(request.kind, ElementAt(first, element)); });
  return all;
}

// Elements of the result in whose calls a NaN (an infinity) may have been made and lost again. `*rough`: more than those in which one was.
std::vector<int64_t> CatchFinder::HiddenSuspects(const CatchRequest& request, const Instruction& instruction,
                                                 absl::Span<const Value> operands, const Value& result, bool* rough) {
  if (ByCalls(instruction)) {
    *rough = true;
    return AllCalled(request, instruction, operands, result);
  }
  if (!MayHide(request, instruction)) {
    // A step after the one that made an infinity may have made it a NaN.
    if (request.kind != CatchKind::kInf || instruction.CalledComputations().empty() || !HasAny(CatchKind::kNan, result)) return {};
  }
  *rough = CallsBranch(instruction);
  const HazardQuery query = QueryOf(request);
  const Program* program = ProgramWithCalls(instruction);
  if (program == nullptr) return {};
  std::vector<Value> given(operands.begin(), operands.end());
  if (program != ProgramOf(instruction)) given = ArraysOf(result);  // a sort
  for (const Value& v : given) {
    if (!v.has_value()) return {};
  }
  if (program->is_push) {
    std::vector<int64_t> found;
    ElementTrace trace(*program, operands);
    std::vector<int64_t> all;
    bool hit = false;
    trace.set_on_op([&](const Node& node, absl::Span<const Scalar> in, const Scalar& out, bool) {
      bool inherited = false;
      const bool floats = IsFloat(out.type) || IsComplex(out.type);
      for (const Scalar& s : in) inherited = inherited || ((IsFloat(s.type) || IsComplex(s.type)) && (query.infinity ? !s.IsFinite() : s.IsNaN()));
      hit = hit || (!inherited && floats && MayHave(query, node.op, node.type, in.empty() ? node.type : in[0].type) && (query.infinity ? !out.IsFinite() && !out.IsNaN() : out.IsNaN()));
    });
    trace.Updates([&](int64_t target) {
      if (hit) found.push_back(target);
      all.push_back(target);
      hit = false;
      return true;
    });
    // The trace goes where the selects go; where they may pass one over and the updates are few, the calls of all are looked at.
    constexpr int64_t kFew = 20000;
    const int64_t updates = Updates(*program);
    *rough = found.empty() && CallsChoose(instruction) && updates <= kFew;
    if (found.empty() && CallsChoose(instruction) && updates > kFew && said_.emplace(&instruction, request.kind, true).second) {
      notices_.push_back(absl::StrCat("catch ", Name(request.kind), " looked into the ", updates, " updates of ", ShownName(instruction),
                                      " along what their selects take: what a select passes over is looked at where there are at most ",
                                      kFew));
    }
    if (!*rough) return found;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  Suspects& suspects = SuspectsOf(instruction, *program, query);
  if (!suspects.program.has_value()) return {};
  absl::StatusOr<std::vector<std::vector<int64_t>>> found = RunSuspects(suspects, given);
  if (!found.ok()) return {};
  for (size_t o = 1; o < found->size(); ++o) (*found)[0].insert((*found)[0].end(), (*found)[o].begin(), (*found)[o].end());
  DropLastOfLines(instruction, (*found)[0]);
  return std::move((*found)[0]);
}

void CatchFinder::SayGaveUp(const CatchRequest& request, const Instruction& instruction, int64_t looked_at, size_t of) {
  if (!said_.emplace(&instruction, request.kind, false).second) return;
  notices_.push_back(NotAllCallsText(request, instruction, looked_at, static_cast<int64_t>(of)));
}

// What the instruction's own computation made: names where. In `found`, which the result has, or else what the calls alone tell: hidden from
// the result (nan, inf), or of calls that no program says anything about. `operations`: how many are made again at most, beyond the first elements.
void CatchFinder::LookInside(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands, const Value& result, int64_t operations,
                             std::optional<Finding>* found) {
  const HazardQuery query = QueryOf(request);
  if (found->has_value()) {
    const Value leaf = (*found)->output >= 0 ? ArraysOf(result)[(*found)->output] : result;
    (*found)->inner = InnerBirths(query).In(instruction, operands, result, LinearIndex(leaf.shape().dimensions(), (*found)->index));
    return;
  }
  bool rough = false;
  const std::vector<int64_t> suspects = HiddenSuspects(request, instruction, operands, result, &rough);
  InnerBirths births(query);
  int64_t looked_at = 0;
  for (int64_t element : suspects) {
    if (++looked_at > kMostLookedInto && births.operations() > operations) {
      if (!found->has_value()) SayGaveUp(request, instruction, looked_at - 1, suspects.size());
      return;
    }
    std::optional<InnerBirth> birth = births.In(instruction, operands, result, element);
    if (!birth.has_value()) continue;
    if (found->has_value()) {
      ++(*found)->further;
      continue;
    }
    Finding f;
    const Value first = ArraysOf(result)[0];
    f.output = result.shape().IsTuple() ? 0 : -1;
    f.index = IndexIn(first.shape(), element);
    f.value = ElementAt(first, element);
    f.has_value = true;
    f.why = birth->why;
    f.hidden = !query.hazard.has_value() && !IsBad(request.kind, f.value);
    f.inner = std::move(birth);
    *found = std::move(f);
    if (rough) continue;  // of the others it is counted how many they are
    (*found)->further = static_cast<int64_t>(suspects.size()) - looked_at;
    return;
  }
}

}  // namespace hloscope
