// The Machine's commands: start, run, step, finish; and what is worked out once about a computation.
#include "core/exec/machine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/exec/custom_call.h"
#include "core/exec/machine_impl.h"
#include "core/literal/relayout.h"
#include "core/ops/element_calls.h"
#include "core/ops/exchange_def.h"
#include "core/ops/transfers.h"

namespace hloscope {
namespace {

// Of the sends, or the receives, of its channel in its computation the how manieth a transfer is: the k-th that is sent goes to the k-th receive. Of
// what completes one that was begun elsewhere, among those.
int64_t NumberOnChannel(const Instruction& transfer) {
  const Instruction& begin = TransferStart(transfer);
  const auto alike = [&](const Instruction* i) { return ExchangeOf(*i).role == ExchangeOf(begin).role && ChannelOf(*i) == ChannelOf(begin); };
  const auto schedule = absl::MakeConstSpan(begin.parent->schedule).first(static_cast<size_t>(begin.index));
  return std::count_if(schedule.begin(), schedule.end(), alike);
}

StepInfo Classify(const Instruction& instruction, const MachineOptions& options) {
  const OpDef& def = Def(instruction);
  StepInfo step;
  step.control = def.control;
  step.beside = RunsBeside(instruction);
  step.hands_on = HandsOnBegun(instruction);
  bool scalar = false, called_with_arguments = false;
  for (const Computation* called : instruction.CalledComputations()) {
    scalar = called_with_arguments = !called->parameters.empty();
    for (const Instruction* parameter : called->parameters) scalar &= parameter->shape.IsScalar();
  }
  step.elements = called_with_arguments && def.control == ControlKind::kNone;  // ElementCalls knows for which
  if (instruction.parameter_number >= 0) {
    step.kind = StepKind::kParameter;
  } else if (instruction.literal != nullptr) {
    step.kind = StepKind::kConstant;
  } else if (options.exchange != nullptr && (ExchangeOf(instruction).role == ExchangeRole::kReplicaId || ExchangeOf(instruction).role == ExchangeRole::kPartitionId)) {
    step.kind = StepKind::kDevice;
  } else if (options.exchange != nullptr && ExchangeOf(instruction).role != ExchangeRole::kNone) {
    step.kind = StepKind::kExchange;
  } else if (def.host == HostService::kInfeed) {
    step.kind = StepKind::kInfeed;
    step.sticky = true;
  } else if (def.host == HostService::kOutfeed) {
    step.kind = StepKind::kOutfeed;
  } else if (def.host == HostService::kSend) {
    step.kind = StepKind::kSend;
    step.on_channel = NumberOnChannel(instruction);
    step.taken = HasTransfer(*instruction.parent, ExchangeRole::kReceiveDone, ChannelOf(instruction));
    step.stuck = CompletedBeforeReceive(instruction);
  } else if (def.host == HostService::kReceive) {
    step.kind = StepKind::kReceive;
    step.on_channel = NumberOnChannel(instruction);
    step.sticky = true;
  } else if (instruction.Has(AttrId::kCustomCallTarget)) {
    step.kind = StepKind::kCustomCall;
    step.sticky = options.custom_calls != nullptr && options.custom_calls->Find(instruction.Text(AttrId::kCustomCallTarget)) != nullptr;
  } else if (!def.not_executed.empty()) {
    step.kind = StepKind::kNotExecuted;
  } else if (def.control != ControlKind::kNone) {
    step.kind = StepKind::kControl;
  } else if (def.op_class == OpClass::kStructural || def.op_class == OpClass::kControl) {
    const bool takes_element = instruction.operands.size() == 1 && instruction.operands[0]->shape.IsTuple() && instruction.Has(AttrId::kIndex);
    step.kind = takes_element ? StepKind::kTupleElement : def.evaluate != nullptr ? StepKind::kEvaluate : StepKind::kNotExecuted;
  } else if (def.op_class == OpClass::kPull && def.evaluate != nullptr && !instruction.shape.IsArray()) {
    step.kind = StepKind::kEvaluate;  // a select or copy of tuples hands values on
  } else if (def.op_class == OpClass::kOpaque && def.evaluate == nullptr) {
    step.kind = StepKind::kNotExecuted;
  } else if (!CallsAreExpressions(instruction)) {
    step.kind = StepKind::kEvaluate;  // call by call
  } else if (def.op_class == OpClass::kOpaque && !scalar && !instruction.CalledComputations().empty()) {
    step.kind = StepKind::kEvaluate;  // calls whole computations: frames are needed, kernels have none
  }
  return step;
}

// Tuples whose every reader takes one element out of them.
void FindParts(Code& code) {
  const std::vector<Instruction*>& schedule = code.computation->schedule;
  absl::flat_hash_set<int> excluded;
  if (code.computation->root != nullptr) excluded.insert(code.computation->root->index);
  for (const Region& region : code.plan->regions) {
    const bool takes_element = code.steps[region.root].kind == StepKind::kTupleElement;
    for (int input : region.inputs) {
      if (!schedule[input]->shape.IsTuple()) continue;
      if (takes_element) {
        code.parts[input].push_back({region.root, schedule[region.root]->Int(AttrId::kIndex), false});
      } else {
        excluded.insert(input);
      }
    }
  }
  for (int position : excluded) code.parts.erase(position);
  for (auto& [position, parts] : code.parts) {
    absl::flat_hash_set<int64_t> later;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) part->last = later.insert(part->element).second;
  }
}

}  // namespace

absl::StatusOr<Code*> Machine::Impl::Get(const Computation& computation) {
  std::unique_ptr<Code>& slot = codes[computation.id];
  if (slot != nullptr) return slot.get();
  auto code = std::make_unique<Code>();
  code->computation = &computation;
  absl::StatusOr<std::unique_ptr<Plan>> plan = dynamic ? SingleStepPlan(computation) : m.backend_.MakePlan(computation);
  if (!plan.ok()) return plan.status();
  code->plan = *std::move(plan);
  const int size = static_cast<int>(computation.schedule.size());
  code->kernels.resize(code->plan->regions.size());
  code->steps.reserve(size);
  for (const Instruction* instruction : computation.schedule) code->steps.push_back(Classify(*instruction, m.options_));
  code->next_region.assign(size + 1, static_cast<int>(code->plan->regions.size()));
  code->last_root.assign(size, -1);
  code->plan->first_region.assign(size, -1);
  for (int r = static_cast<int>(code->plan->regions.size()) - 1; r >= 0; --r) {
    const Region& region = code->plan->regions[r];
    code->next_region[region.root] = r;
    for (int member : region.members) {
      code->plan->first_region[member] = r;
      if (member != region.root) code->last_root[member] = std::max(code->last_root[member], region.root);
    }
  }
  for (int p = size - 1; p >= 0; --p) {
    if (code->plan->region_at[p] < 0) code->next_region[p] = code->next_region[p + 1];
  }
  FindParts(*code);
  slot = std::move(code);
  return slot.get();
}

// Frames that a stop may find on the stack keep their parameters, so that what they computed can be made again at little cost.
void Machine::Impl::UpdateArmedWithin() {
  armed_changed = false;
  const std::vector<Computation*>& computations = m.module_.computations;
  std::vector<std::vector<int>> callers(computations.size());
  bool any = false;
  for (const std::vector<int>& positions : armed) any |= !positions.empty();
  armed_within.assign(computations.size(), false);
  if (!any) return;
  for (const Computation* computation : computations) {
    for (const Instruction* instruction : computation->instructions) {
      if (instruction->attributes.empty()) continue;
      for (const Computation* called : instruction->CalledComputations()) callers[called->id].push_back(computation->id);
    }
  }
  std::vector<int> work;
  for (size_t id = 0; id < armed.size(); ++id) {
    if (armed[id].empty()) continue;
    armed_within[id] = true;
    work.push_back(static_cast<int>(id));
  }
  while (!work.empty()) {
    int id = work.back();
    work.pop_back();
    for (int caller : callers[id]) {
      if (armed_within[caller]) continue;
      armed_within[caller] = true;
      work.push_back(caller);
    }
  }
}

void Machine::Impl::Say(std::string notice) {
  if (said.insert(notice).second) notices.push_back(std::move(notice));
}

absl::Status Machine::Impl::SetResult(Value value) {
  result = written_result.has_value() ? ToLayout(value, *written_result, &m.account_) : std::move(value);
  if (!result.has_value()) return MemoryError(written_result->ByteSize(), *m.entry()->root);
  dense_result = ToDense(result, &m.account_);
  if (!dense_result.has_value()) return MemoryError(result.shape().DenseByteSize(), *m.entry()->root);
  return absl::OkStatus();
}

absl::Status Machine::Impl::Begin() {
  started = finished = false;
  Stack stack{m.frames_, true};
  while (!m.frames_.empty()) PopFrame(stack);
  retained.clear();
  retained_bytes = 0;
  result = dense_result = returned = Value();
  infeed_log.clear();
  outfeed_log.clear();
  outfeed.clear();
  channels.clear();
  log = MachineLog();
  histories = {RunHistory()};
  known.clear();
  adopted = 0;
  outfeed_executed.clear();
  frames_begun.assign(codes.size(), 0);
  infeed_next = 0;
  said.clear();
  notices.clear();
  m.status_ = absl::OkStatus();
  m.executed_ = 0;
  m.profile_.clear();
  pin_depth = -1;
  if (m.entry() == nullptr) return absl::FailedPreconditionError("the module has no entry computation");
  // What is begun at another function than the program's entry has paths of its own: devices tell their exchanges apart by them.
  const uint64_t begins = m.entry() == m.module_.program().entry ? 0 : static_cast<uint64_t>(m.entry()->id) + 1;
  absl::Status status = PushFrame(stack, FrameKind::kEntry, nullptr, begins, *m.entry(), parameters, 0, -1);
  started = status.ok();
  return status;
}

StopReason Machine::Impl::Advance(const Until& until) {
  m.status_ = absl::OkStatus();
  if (finished) return StopReason::kFinished;
  if (!started) {
    m.status_ = absl::FailedPreconditionError("the program has not been started");
    return StopReason::kError;
  }
  if (finishing == 0) returned = Value();
  exempt_serial = m.frames_.back().serial;
  exempt_position = m.frames_.back().position;
  if (std::exchange(beyond_serial, 0) == exempt_serial && beyond_position == exempt_position) exempt_position = -1;
  Stack stack{m.frames_, true};
  StopReason reason = RunLoop(stack, until);
  if (reason == StopReason::kFinished) {
    finished = true;
    if (absl::Status status = SetResult(std::move(stack.result)); !status.ok()) return Fail(stack, std::move(status));
  }
  return reason == StopReason::kStep && WalkIsOver() ? StepOnce(false) : reason;
}

StopReason Machine::Impl::StepOnce(bool into) {
  m.status_ = absl::OkStatus();
  if (finished) return StopReason::kFinished;
  if (!started) return Advance(Until());
  Stack stack{m.frames_, true};
  if (m.interrupt_.load(std::memory_order_relaxed)) return Fail(stack, absl::CancelledError("interrupted"));
  const int depth = static_cast<int>(m.frames_.size()) - 1;
  Frame& frame = m.frames_.back();
  Code& code = CodeOf(frame);
  const int position = frame.position;
  if (position == static_cast<int>(frame.values.size())) return ReturnEnded(stack, true);  // it was stopped there, or failed to return
  const Instruction& instruction = *code.computation->schedule[position];
  const StepInfo& step = code.steps[position];
  const int region = code.plan->region_at[position];
  struct PinReset {
    Impl* impl;
    ~PinReset() { impl->pin_depth = -1; }
  } reset{this};
  pin_depth = into ? depth + 1 : depth;

  Outcome outcome = LookBefore(stack, position);
  if (outcome == Outcome::kDone && !frame.begun.empty()) outcome = AwaitBegun(stack, SingleRegion(*code.computation, position).inputs, position);
  if (outcome == Outcome::kFailed) return m.status_.ok() ? StopReason::kInterrupted : StopReason::kError;
  if (outcome == Outcome::kCaught) return StopReason::kCaught;
  if (outcome == Outcome::kWaiting) return StopReason::kWaiting;
  if (step.kind == StepKind::kControl) {
    absl::StatusOr<std::vector<Value>> operands = GatherOperands(stack, depth, instruction, !into);
    if (!operands.ok()) return Fail(stack, operands.status());
    NoteEntered(frame, position);
    if (absl::Status status = PushControl(stack, frame.path, instruction, *std::move(operands)); !status.ok()) return Fail(stack, std::move(status));
    if (into) return StopReason::kStep;
    exempt_serial = 0;
    StopReason reason = RunLoop(stack, Until{.depth_gone = depth + 1});
    if (reason == StopReason::kFinished) {
      finished = true;
      if (absl::Status status = SetResult(std::move(stack.result)); !status.ok()) return Fail(stack, std::move(status));
    }
    return reason;
  }
  const bool walked = WalkIsOver();
  walked_serial = 0;
  if (into && step.elements && !walked) {
    absl::StatusOr<std::vector<Value>> operands = GatherOperands(stack, depth, instruction, false);
    if (!operands.ok()) return Fail(stack, operands.status());
    const Instruction* of_run = &instruction;  // with the sizes of this run
    if (dynamic && SizesDiffer(instruction, *operands)) {
      const absl::StatusOr<const ConcreteInstruction*> concrete = WithActualSizes(code, instruction, *operands);
      if (!concrete.ok()) return Fail(stack, concrete.status());
      of_run = (*concrete)->instruction;
    }
    absl::StatusOr<bool> entered = PushElements(stack, instruction, *of_run, *std::move(operands));
    if (!entered.ok()) return Fail(stack, entered.status());
    if (*entered) return StopReason::kStep;
  }
  if (region >= 0 && code.plan->regions[region].members.size() == 1) {
    outcome = RunRegion(stack, region);
  } else if (!frame.values[position].has_value() && (region >= 0 || code.last_root[position] >= 0)) {
    outcome = StepInterior(stack, position);
  } else if (region >= 0) {
    Value value = std::move(frame.values[position]);
    Consume(frame, code.plan->regions[region]);
    if (absl::Status stored = Store(frame, position, std::move(value)); !stored.ok()) return Fail(stack, std::move(stored));
  }  // else nobody reads it: made when asked for
  if (outcome == Outcome::kWaiting) return StopReason::kWaiting;
  if (outcome == Outcome::kFailed) return m.status_.ok() ? StopReason::kInterrupted : StopReason::kError;
  frame.looked = position + 1;
  if (outcome == Outcome::kCaught) {
    Caught(stack, position + 1, position + 1, false);
    return StopReason::kCaught;
  }
  MoveTo(stack, frame, position + 1);
  return ReturnEnded(stack);
}

StopReason Machine::Impl::ReturnEnded(Stack& stack, bool leave) {
  bool at_end = leave;
  while (m.frames_.back().position == static_cast<int>(m.frames_.back().values.size())) {
    if (!at_end && StopsAtEnd(stack)) break;
    at_end = false;
    if (absl::Status status = Return(stack); !status.ok()) return Fail(stack, std::move(status));
    if (stack.done) {
      finished = true;
      if (absl::Status status = SetResult(std::move(stack.result)); !status.ok()) return Fail(stack, std::move(status));
      return StopReason::kFinished;
    }
  }
  // As where a call returns: what was called for is there, and the next instruction is next. Else this moment would be that before the
  // walk.
  return WalkIsOver() ? StepOnce(false) : StopReason::kStep;
}

// ---- The interface ----

Machine::Machine(const Module& module, Backend& backend, MachineOptions options)
    : module_(module), backend_(backend), options_(std::move(options)), account_(options_.account != nullptr ? *options_.account : own_account_), impl_(std::make_unique<Impl>(*this)) {
  const size_t count = module.computations.size();
  impl_->codes.resize(count);
  impl_->armed.resize(count);
  impl_->armed_within.assign(count, false);
  impl_->frames_begun.assign(count, 0);
  if (entry() == module.entry) impl_->written_result = module.entry_result;
  impl_->dynamic = HasDynamicSizes(module);
}

Machine::~Machine() {
  // Values die before the account they are booked on.
  frames_.clear();
  impl_.reset();
  options_.infeed.clear();
}

absl::Status Machine::Start(std::vector<Value> parameters, absl::Span<const int> donated) {
  if (entry() == nullptr) return absl::FailedPreconditionError("the module has no entry computation");
  const std::vector<Instruction*>& wanted = entry()->parameters;
  if (parameters.size() != wanted.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the entry computation takes ", wanted.size(), " parameters, ", parameters.size(), " were given"));
  }
  for (int number : donated) {
    if (number < 0 || number >= static_cast<int>(wanted.size())) return absl::InvalidArgumentError(absl::StrCat("there is no parameter ", number, " to donate"));
  }
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (!parameters[k].has_value() || !FitsDeclared(parameters[k].shape(), wanted[k]->shape)) {
      return absl::InvalidArgumentError(absl::StrCat("parameter ", k, " has shape ", parameters[k].has_value() ? parameters[k].shape().ToString(false) : std::string("none"),
                                                     ", wanted is ", wanted[k]->shape.ToString(false)));
    }
  }
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (IsInLayoutOf(parameters[k], wanted[k]->shape)) continue;
    parameters[k] = ToLayout(parameters[k], wanted[k]->shape, &account_);
    if (!parameters[k].has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for parameter ", k));
  }
  impl_->parameters = std::move(parameters);
  impl_->donated.assign(donated.begin(), donated.end());
  impl_->provider = nullptr;
  absl::Status status = impl_->Begin();
  for (int number : donated) impl_->parameters[number] = Value();  // the frame's handle is the only one
  return status;
}

absl::Status Machine::Start(ParameterProvider provider) {
  if (entry() == nullptr) return absl::FailedPreconditionError("the module has no entry computation");
  impl_->parameters.assign(entry()->parameters.size(), Value());
  impl_->donated.clear();
  impl_->provider = std::move(provider);
  return impl_->Begin();
}

bool Machine::running() const { return impl_->started && !impl_->finished; }
bool Machine::finished() const { return impl_->finished; }
const Value& Machine::result() const { return impl_->dense_result; }
const Value& Machine::stored_result() const { return impl_->result; }

const Instruction* Machine::next_instruction() const {
  if (frames_.empty() || impl_->finished) return nullptr;
  const Frame& frame = frames_.back();
  return frame.position < static_cast<int>(frame.values.size()) ? frame.computation->schedule[frame.position] : nullptr;
}

// Armed at -1 nothing stops, but the computation's frames keep what it takes to look into them.
void Machine::Arm(const Computation& computation, int position) {
  std::vector<int>& positions = impl_->armed[computation.id];
  auto at = std::lower_bound(positions.begin(), positions.end(), position);
  if (at == positions.end() || *at != position) positions.insert(at, position);
  impl_->armed_changed = true;
}

void Machine::Disarm(const Computation& computation, int position) {
  std::vector<int>& positions = impl_->armed[computation.id];
  auto at = std::lower_bound(positions.begin(), positions.end(), position);
  if (at != positions.end() && *at == position) positions.erase(at);
  impl_->armed_changed = true;
}

void Machine::DisarmAll() {
  for (std::vector<int>& positions : impl_->armed) positions.clear();
  impl_->armed_changed = true;
}

StopReason Machine::Run() { return impl_->Advance(Until()); }
StopReason Machine::Step(bool into) { return impl_->StepOnce(into); }

StopReason Machine::Finish(int depth) {
  if (depth < 0 || depth >= static_cast<int>(frames_.size())) return StopReason::kStep;
  impl_->returned = Value();
  impl_->finishing = frames_[depth].serial;
  impl_->pin_depth = depth;  // the next iteration is looked at
  StopReason reason = impl_->Advance(Until{.depth_gone = depth, .ended = frames_[depth].serial});
  impl_->finishing = 0;
  impl_->pin_depth = -1;
  return reason;
}

const Value& Machine::returned() const { return impl_->returned; }

StopReason Machine::RunTo(int depth, int position) {
  if (depth < 0 || depth >= static_cast<int>(frames_.size())) return StopReason::kStep;
  if (running() && frames_[depth].position >= position && depth == static_cast<int>(frames_.size()) - 1) return StopReason::kStep;
  return impl_->Advance(Until{.depth_gone = depth, .serial = frames_[depth].serial, .position = position});
}

void Machine::StopAfter(int position) { impl_->stop_after = position; }
void Machine::ShareResult(Value same) { impl_->shared_result = std::move(same); }

const std::vector<Value>& Machine::outfeed() const { return impl_->outfeed; }

std::vector<std::string> Machine::TakeNotices() {
  std::vector<std::string> taken;
  taken.swap(impl_->notices);
  return taken;
}

void Machine::PrepareAll() {
  if (entry() == nullptr) return;
  std::vector<const Computation*> work = {entry()};
  absl::flat_hash_set<const Computation*> seen = {entry()};
  for (size_t k = 0; k < work.size(); ++k) {
    absl::StatusOr<Code*> code = impl_->Get(*work[k]);
    if (!code.ok()) continue;  // said when the computation runs
    std::vector<const Region*> regions;
    for (size_t r = 0; r < (*code)->plan->regions.size(); ++r) {
      const Region& region = (*code)->plan->regions[r];
      const StepInfo& step = (*code)->steps[region.root];
      if (step.kind == StepKind::kControl) {
        for (const Computation* called : work[k]->schedule[region.root]->CalledComputations()) {
          if (seen.insert(called).second) work.push_back(called);
        }
      }
      if (step.kind != StepKind::kKernel || (*code)->kernels[r] != nullptr || impl_->dynamic) continue;
      if (impl_->FillConstants(*work[k], region).ok()) regions.push_back(&region);
    }
    if (!regions.empty()) backend_.Prepare(*work[k], regions);
  }
}

}  // namespace hloscope
