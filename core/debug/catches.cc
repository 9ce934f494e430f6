// How it stays cheap: for nan and inf, fused kernels watch themselves (core/exec/watch.h) and results of others are scanned once; only when
// something came up is the region executed again one instruction at a time. The other kinds look at the instructions that can have them.
#include "core/debug/catches.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/calls.h"
#include "core/debug/catch_elements.h"
#include "core/debug/locations.h"
#include "core/debug/member_walk.h"
#include "core/debug/source_view.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/ops/element_calls.h"
#include "core/ops/exchange_def.h"
#include "core/ops/hazards.h"
#include "core/ops/inner_birth.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

bool NonFinite(const CatchRequest& r) { return r.kind == CatchKind::kNan || r.kind == CatchKind::kInf; }

}  // namespace

Catches::Catches(const Module& module, Backend& backend)
    : module_(module), backend_(backend), watching_(dynamic_cast<WatchingBackend*>(&backend)), finder_(module, backend) {}

Catches::~Catches() {
  if (watching_ != nullptr) watching_->SetWatch(Watch::kNone);
}

void Catches::Attach(Machine& machine) {
  facts_.clear();
  nonfinite_wanted_ = others_wanted_ = false;
  bool inf = false, whole = false;
  for (const CatchRequest& r : requests_) {
    if (!r.enabled) continue;
    (NonFinite(r) ? nonfinite_wanted_ : others_wanted_) = true;
    inf |= r.kind == CatchKind::kInf;
    whole |= !NonFinite(r);
  }
  if (!nonfinite_wanted_ && !others_wanted_) return Detach(machine);
  machine_ = &machine;
  if (watching_ != nullptr) {
    watching_->SetWatch(!nonfinite_wanted_ ? Watch::kNone : inf ? Watch::kNonFinite : Watch::kNan);
    watching_->TakeSeen();
  }
  const auto observe = [this](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
    return Observe(frame, region, kernel, inputs, result);
  };
  // Updates in place keep nothing of what they update. That matters to who looks at single operations, and where a nan has come up.
  if (whole || dirty_) {
    machine.set_region_observer(observe);
  } else {
    machine.set_light_region_observer(observe, true);
  }
  machine.set_look_ahead([this](const Instruction& instruction) {
    return std::any_of(requests_.begin(), requests_.end(), [&](const CatchRequest& r) { return r.enabled && finder_.Concerns(r, instruction); });
  });
}

void Catches::Detach(Machine& machine) {
  if (machine_ == &machine) machine.set_region_observer(nullptr);
  machine_ = nullptr;
  if (watching_ != nullptr) watching_->SetWatch(Watch::kNone);
}

void Catches::Restarted() {
  caught_.reset();
  parameters_.clear();
  given_.clear();
  said_not_all_.clear();
  finder_.Restarted();
  dirty_ = false;
}

std::vector<std::string> Catches::TakeNotices() {
  std::vector<std::string> taken;
  std::swap(taken, notices_);
  for (std::string& notice : finder_.TakeNotices()) taken.push_back(std::move(notice));
  return taken;
}

const Catches::RegionFacts& Catches::FactsOf(const Computation& computation, const Region& region) {
  std::map<size_t, RegionFacts>& by_size = facts_[computation.schedule[region.root]];
  auto [at, fresh] = by_size.try_emplace(region.members.size());
  RegionFacts& facts = at->second;
  if (!fresh) return facts;
  absl::flat_hash_set<int> of_constants;  // alone: the kernel has their values only, and looks at one where it is chosen
  absl::flat_hash_set<int> computed;  // members that may have made one, or move what such a member made
  for (int member : region.members) {
    const Instruction& i = *computation.schedule[member];
    bool concerns = false;
    for (const CatchRequest& r : requests_) {
      if (!r.enabled || !finder_.Concerns(r, i)) continue;
      concerns = true;
      facts.only_nonfinite &= NonFinite(r);
      facts.always_look |= NonFinite(r) && Def(i).movement == Movement::kMove;
      // Kernels of programs watch what their folds do; a sort's comparator is nobody's program.
      // Nor does a program watch what it need not make.
      facts.always_look |= (watching_ == nullptr || Def(i).op_class == OpClass::kOpaque || CallsChoose(i) || !CallsAreExpressions(i)) && finder_.MayHide(r, i);
      facts.calls |= !i.CalledComputations().empty();
    }
    facts.concerns |= concerns;
    const bool fixed = i.literal != nullptr || (!i.operands.empty() && std::all_of(i.operands.begin(), i.operands.end(), [&](const Instruction* operand) {
                                                  return of_constants.contains(operand->index) || operand->literal != nullptr;
                                                }));
    if (fixed) of_constants.insert(member);
    facts.always_look |= fixed && concerns && i.literal == nullptr && facts.only_nonfinite;
    if (concerns && member != region.root) facts.hides = true;
    if (concerns) computed.insert(member);
    for (size_t k = 0; k < i.operands.size(); ++k) {
      if (!computed.contains(i.operands[k]->index)) continue;
      computed.insert(member);
      facts.always_look |= MayLeaveUnread(i, static_cast<int>(k));
    }
  }
  return facts;
}

bool Catches::Flagged(const RegionFacts& facts, const Kernel* kernel, const Value& result) {
  WatchingBackend::Seen seen;
  if (watching_ != nullptr && nonfinite_wanted_) seen = watching_->TakeSeen();
  if (!facts.concerns) return false;
  if (!facts.only_nonfinite || facts.always_look) return true;
  if (seen.watched) return seen.found;
  if (facts.hides) return true;
  for (const CatchRequest& r : requests_) {
    if (!r.enabled) continue;
    if (HasAny(r.kind, result) || (facts.calls && r.kind == CatchKind::kInf && HasAny(CatchKind::kNan, result))) return true;
  }
  return false;
}

// Nothing that is looked for is anywhere in a fused region: then its members need not run one by one.
bool Catches::IsClean(const Computation& computation, const Region& region, absl::Span<const Value> inputs) {
  for (const CatchRequest& r : requests_) {
    if (!r.enabled) continue;
    bool concerned = false;
    for (int member : region.members) concerned = concerned || finder_.Concerns(r, *computation.schedule[member]);
    if (!concerned) continue;
    switch (r.kind) {
      case CatchKind::kOverflow:
      case CatchKind::kDenormal:
      case CatchKind::kCancellation:
      case CatchKind::kIntegerOverflow:
      case CatchKind::kUnsignedWrap:
      case CatchKind::kDivision:
        if (!finder_.IsClean(r, computation, region, inputs)) return false;
        break;
      case CatchKind::kNan:
      case CatchKind::kInf:
      case CatchKind::kIndex:
      case CatchKind::kDuplicate:
      case CatchKind::kUnsorted: return false;
    }
  }
  return true;
}

absl::Status Catches::Observe(const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
  if (!frame.counted) return absl::OkStatus();  // what element computations make their caller is asked about
  const Computation& computation = *frame.computation;
  if (const Instruction& root = *computation.schedule[region.root]; exchanged_ != nullptr && ExchangeOf(root).role != ExchangeRole::kNone) {
    if (ExamineExchange(root, result)) machine_->StopAfter(region.root);
    return absl::OkStatus();
  }
  if (!Flagged(FactsOf(computation, region), kernel, result)) return absl::OkStatus();
  const int looked = frame.looked;
  int stop = -1;
  const auto visit = [&](int position, const Region& single, const Kernel*, absl::Span<const Value> values, const Value& value) {
    if (stop >= 0) return false;
    // It was looked at, or in a copy of a region before.
    const int first = frame.plan->first_region[position];
    if (position < looked || (region.members.size() > 1 && first >= 0 && frame.plan->regions[first].root != region.root)) return true;
    const Instruction& instruction = *computation.schedule[position];
    std::vector<Value> operands;
    for (const Instruction* operand : instruction.operands) {
      const auto at = std::find(single.inputs.begin(), single.inputs.end(), operand->index);
      operands.push_back(values[at - single.inputs.begin()]);
    }
    if (Examine(instruction, operands, value)) stop = position;
    return true;
  };
  if (watching_ != nullptr) watching_->SetWatch(Watch::kNone);  // single instructions need none, and their code is there or quickly made
  absl::Status status;
  if (region.members.size() == 1) {
    const Region single = SingleRegion(computation, region.root);
    std::vector<Value> dense;
    for (int position : single.inputs) {
      const auto at = std::find(region.inputs.begin(), region.inputs.end(), position);
      const Value input = at == region.inputs.end() ? Value() : inputs[at - region.inputs.begin()];
      dense.push_back(input.has_value() ? ToDense(input) : Value());
    }
    visit(region.root, single, kernel, dense, ToDense(result));
  } else if (!IsClean(computation, region, inputs)) {
    status = WalkMembers(backend_, computation, region, inputs, visit, &result);
  }
  if (watching_ != nullptr && nonfinite_wanted_) {
    bool inf = false;
    for (const CatchRequest& r : requests_) inf |= r.enabled && r.kind == CatchKind::kInf;
    watching_->SetWatch(inf ? Watch::kNonFinite : Watch::kNan);
    watching_->TakeSeen();
  }
  if (!status.ok()) return status;
  if (dirty_) LookAtParameters(*machine_);
  if (stop >= 0) machine_->StopAfter(stop);
  return absl::OkStatus();
}

bool Catches::Examine(const Instruction& instruction, absl::Span<const Value> operands, const Value& value) {
  bool any = false;
  for (const CatchRequest& r : requests_) {
    if (!r.enabled || !finder_.Concerns(r, instruction)) continue;
    std::optional<Finding> finding = finder_.Find(r, instruction, operands, value, machine_->frames(), !dirty_);
    if (!finding.has_value()) {
      if (NonFinite(r) && !dirty_) dirty_ = HasAny(r.kind, value);
      continue;
    }
    Note(r, instruction, *std::move(finding));
    any = true;
  }
  if (any) caught_ = fresh_[0];
  return any;
}

// Of what was reduced over devices: an element that has it, of elements that have none on any of them; and what the reducer makes on the way,
// also where it hides it again.
bool Catches::ExamineExchange(const Instruction& instruction, const Value& value) {
  if (instruction.Called(AttrId::kToApply) == nullptr) return false;  // it only moves
  bool any = false;
  for (const CatchRequest& r : requests_) {
    if (!r.enabled) continue;
    std::optional<Finding> found;
    const std::vector<Value> leaves = ArraysOf(value);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) ExamineExchanged(r, instruction, value.shape().IsTuple() ? static_cast<int>(leaf) : -1, leaves[leaf], &found);
    if (!found.has_value()) continue;
    Note(r, instruction, *std::move(found));
    any = true;
  }
  if (any) caught_ = fresh_[0];
  return any;
}

void Catches::ExamineExchanged(const CatchRequest& r, const Instruction& instruction, int output, const Value& leaf, std::optional<Finding>* found) {
  std::vector<int64_t> elements = NonFinite(r) ? AllBad(r.kind, leaf) : std::vector<int64_t>();
  const size_t bad = elements.size();
  const HazardQuery query = QueryOf(r);
  const bool may_hide = NonFinite(r) ? finder_.MayHide(r, instruction) || (r.kind == CatchKind::kInf && HasAny(CatchKind::kNan, leaf)) : CallsMayHave(instruction, query);
  const int64_t count = leaf.element_count();
  const int64_t operations = OperationsLookedInto(machine_->frames());
  const size_t most = bad + static_cast<size_t>(kMostLookedInto + operations);
  for (int64_t k = 0; may_hide && k < count && elements.size() < most; ++k) {
    if (!std::binary_search(elements.begin(), elements.begin() + static_cast<ptrdiff_t>(bad), k)) elements.push_back(k);
  }
  int64_t inherited = 0;
  InnerBirths births(query);
  int64_t read = 0;
  std::vector<std::vector<CaughtRead>> all;  // of some of them: what the devices bring is not held whole
  size_t looked_at = 0;
  for (; looked_at < elements.size(); ++looked_at) {
    const size_t k = looked_at;
    if (k % kMostLookedInto == 0) {
      if (k > 0 && births.operations() + read > operations) break;
      all = exchanged_(instruction, std::max(output, 0), absl::MakeConstSpan(elements).subspan(k, kMostLookedInto));
    }
    if (k % kMostLookedInto >= all.size()) break;
    const std::vector<CaughtRead>& reads = all[k % kMostLookedInto];
    read += static_cast<int64_t>(reads.size());
    const bool is_bad = k < bad;
    if (reads.empty() || (NonFinite(r) && std::any_of(reads.begin(), reads.end(), [&](const CaughtRead& of) { return IsSource(r.kind, of.value); }))) {
      if (is_bad) ++inherited;
      continue;
    }
    std::vector<Scalar> scalars;
    for (const CaughtRead& of : reads) scalars.push_back(of.value);
    std::optional<InnerBirth> birth = births.InFold(*instruction.Called(AttrId::kToApply), scalars);
    if (!is_bad && !birth.has_value()) continue;
    if (found->has_value()) {
      ++(*found)->further;
      continue;
    }
    Finding f;
    f.output = output;
    f.index = IndexIn(leaf.shape(), elements[k]);
    f.value = ElementAt(leaf, elements[k]);
    f.has_value = true;
    f.read = reads;
    if (birth.has_value()) f.why = birth->why;
    f.hidden = NonFinite(r) && !is_bad;
    f.inner = std::move(birth);
    *found = std::move(f);
  }
  if (found->has_value()) (*found)->inherited += inherited;
  if (found->has_value() || !may_hide || static_cast<int64_t>(looked_at) >= count || !said_not_all_.emplace(&instruction, r.kind).second) return;
  notices_.push_back(NotAllCallsText(r, instruction, static_cast<int64_t>(looked_at), count));
}

// What the observer is shown may stand for an instruction of the program, with the sizes of this run: that one.
const Instruction& Catches::InProgram(const Instruction& shown) const {
  const Computation& computation = *machine_->top().computation;
  return shown.parent == &computation ? shown : *computation.FindInstruction(shown.name);
}

void Catches::Note(const CatchRequest& r, const Instruction& instruction, Finding finding) {
  if (NonFinite(r)) dirty_ = true;
  const std::pair<uint64_t, int> at = {machine_->top().serial, InProgram(instruction).index};
  if (fresh_at_ != at) fresh_.clear();
  fresh_at_ = at;
  Caught caught;
  caught.kind = r.kind;
  caught.number = r.number;
  caught.instruction = &instruction;
  for (const Frame& f : machine_->frames()) caught.frames.push_back({f.kind, f.caller, f.iteration});
  caught.finding = std::move(finding);
  // Of a walk that ended here, which nobody asked for.
  fresh_.erase(std::remove_if(fresh_.begin(), fresh_.end(), [&](const Caught& c) { return c.instruction == &instruction && c.number == r.number; }), fresh_.end());
  fresh_.push_back(std::move(caught));
}

void Catches::LookAtParameters(const Machine& machine) {
  if (!nonfinite_wanted_ || machine.frames().empty()) return;
  const Frame& entry = machine.frames()[0];
  const std::vector<Instruction*>& parameters = entry.computation->parameters;
  if (parameters_.size() == parameters.size()) return;
  for (const Instruction* parameter : parameters) {
    const Value& value = entry.values[parameter->index];
    if (!value.has_value() || !parameters_.insert(parameter).second) continue;
    const size_t before = given_.size();
    FindGiven(requests_, *parameter, value, &given_);
    for (size_t k = before; k < given_.size(); ++k) notices_.push_back(absl::StrCat(ToText(given_[k]), "; what follows from it counts as inherited"));
  }
}

// ---- Words ----

namespace {

std::string Indexed(const Instruction& instruction, int output, const std::vector<int64_t>& index) {
  std::string text = ShownName(instruction);
  if (output >= 0) absl::StrAppend(&text, "{", output, "}");
  if (!index.empty()) absl::StrAppend(&text, "[", absl::StrJoin(index, ","), "]");
  return text;
}

// Whether other instructions call the computation that this one calls, too.
bool IsOneOfSeveral(const Module& module, const Instruction& call) {
  const std::vector<Computation*> called = call.CalledComputations();
  const auto calls = [&called](const Instruction& i) {
    const std::vector<Computation*> by_it = i.CalledComputations();
    return !called.empty() && std::find(by_it.begin(), by_it.end(), called[0]) != by_it.end();
  };
  int callers = 0;
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      const bool ends = i->operands.size() == 1 && calls(*i->operands[0]) && i->operands[0]->shape.IsTuple();  // what another one has begun: async-done
      callers += calls(*i) && !ends;
    }
  }
  return callers > 1;
}

// The loops' iterations, and the calls where only they say which one it is: "iteration 3 of %l, call of %b".
std::string FramesText(const Module& module, const Caught& caught) {
  std::string text;
  std::vector<const Instruction*> callers;
  for (const CaughtFrame& f : caught.frames) callers.push_back(f.caller);
  for (size_t k = caught.frames.size(); k-- > 0;) {
    const CaughtFrame& f = caught.frames[k];
    if (f.caller == nullptr) continue;
    const std::string name = NameAmong(*f.caller, callers);
    if (IsLoop(f.kind)) {
      absl::StrAppend(&text, text.empty() ? "" : ", ", f.kind == FrameKind::kWhileCondition ? "condition of iteration " : "iteration ", f.iteration, " of %", name);
    } else if (f.kind == FrameKind::kCall && IsOneOfSeveral(module, *f.caller)) {
      absl::StrAppend(&text, text.empty() ? "" : ", ", "call of %", name);
    }
  }
  return text;
}

std::string Made(const Module& module, const Caught& caught) {
  const Finding& f = caught.finding;
  std::string inside;
  if (f.inner.has_value()) {
    const Instruction& inner = *f.inner->instruction;
    const int line = LineOf(module, inner);
    inside = absl::StrCat(" in ", inner.parent->name, ", at ", ShownName(inner), line > 0 ? absl::StrCat(" (line ", line, ")") : "");
    for (const auto& [loop, iteration] : f.inner->loops) absl::StrAppend(&inside, ", iteration ", iteration, " of ", ShownName(*loop));
  }
  switch (caught.kind) {
    case CatchKind::kNan:
    case CatchKind::kInf:
      if (f.inner.has_value()) return absl::StrCat(" makes it", inside, f.hidden ? ", and hides it again" : "");
      if (f.constant != nullptr) {
        const bool written = HasAny(caught.kind, f.constant->literal->value);
        return absl::StrCat(" takes it from the constant ", ShownName(*f.constant), written ? "" : ", set by hand");
      }
      return Def(*caught.instruction).host == HostService::kInfeed ? " brings it from the infeed" : " makes it from operands that have none";
    case CatchKind::kOverflow:
    case CatchKind::kDenormal:
    case CatchKind::kCancellation:
    case CatchKind::kIndex:
    case CatchKind::kDuplicate:
    case CatchKind::kUnsorted:
    case CatchKind::kIntegerOverflow:
    case CatchKind::kUnsignedWrap:
    case CatchKind::kDivision:
      break;
  }
  return absl::StrCat(inside, ": ", f.why);
}

// "%l = nan, made from %b = -3, in call 2 for %r[0] (%a = 0, %b = %x[2] = -3)".
std::string InnerText(const Caught& caught) {
  const InnerBirth& birth = *caught.finding.inner;
  std::vector<std::string> read, arguments;
  for (const auto& [from, value] : birth.read) read.push_back(absl::StrCat(ShownName(*from), " = ", ToText(value)));
  for (const InnerBirth::Argument& a : birth.arguments) {
    std::string from;
    if (a.operand >= 0) {
      const Instruction& operand = *caught.instruction->operands[a.operand];
      std::vector<int64_t> index(operand.shape.rank());
      DelinearizeIndex(operand.shape.dimensions(), a.linear, absl::MakeSpan(index));
      from = absl::StrCat(Indexed(operand, -1, index), " = ");
    }
    arguments.push_back(absl::StrCat(ShownName(*a.parameter), " = ", from, ToText(a.value)));
  }
  return absl::StrCat(ShownName(*birth.instruction), " = ", ToText(birth.value), ", made from ", absl::StrJoin(read, ", "), "; called with ", absl::StrJoin(arguments, ", "));
}

}  // namespace

std::string ToText(const CaughtRead& read) { return absl::StrCat(read.device, read.device.empty() ? "" : " ", Indexed(*read.instruction, -1, read.index), " = ", ToText(read.value)); }

std::string CaughtHeadline(const Module& module, const Caught& caught) {
  const std::string frames = FramesText(module, caught);
  return absl::StrCat("caught ", Name(caught.kind), ": ", Describe(module, {caught.instruction->parent, caught.instruction->index}),
                      frames.empty() ? "" : absl::StrCat(" (", frames, ")"), Made(module, caught));
}

std::pair<std::string, int> CaughtSource(const Module& module, const Caught& caught) {
  const SourceLine source = SourceLineOf(module, *caught.instruction);
  return source.known() ? std::make_pair(std::string(source.file), source.line) : std::make_pair(std::string(), 0);
}

std::string CaughtText(const Module& module, const Caught& caught) {
  const Finding& f = caught.finding;
  std::string text = CaughtHeadline(module, caught);
  if (f.inner.has_value()) absl::StrAppend(&text, "\n  ", InnerText(caught));
  if (f.has_value) absl::StrAppend(&text, "\n  ", Indexed(*caught.instruction, f.output, f.index), " = ", ToText(f.value));
  if (!f.read.empty()) {
    absl::StrAppend(&text, f.has_value ? ", made from " : "\n  ",
                    absl::StrJoin(f.read, ", ", [](std::string* out, const CaughtRead& r) { out->append(ToText(r)); }));
    if (f.read_more > 0) absl::StrAppend(&text, " and ", Count(f.read_more, "other element"));
  }
  if (f.further > 0) absl::StrAppend(&text, "\n  and ", Count(f.further, f.has_value ? "further element" : "further index vector"), " in the same way");
  if (f.inherited > 0) absl::StrAppend(&text, "\n  ", Count(f.inherited, "element"), f.inherited == 1 ? " inherits it" : " inherit it");
  if ((caught.kind == CatchKind::kNan || caught.kind == CatchKind::kInf) && !f.why.empty()) absl::StrAppend(&text, "\n  ", f.why);
  const SourceLine source = SourceLineOf(module, *caught.instruction);
  if (source.known()) absl::StrAppend(&text, "\n  ", ToText(source));
  return text;
}

}  // namespace hloscope
