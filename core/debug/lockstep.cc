// Two machines, a thread each, of which one runs at a time: a machine hands over when it is some instructions or bytes ahead. Which pair
// completes first depends on the programs alone, so every run says the same.
//
// A pair's value is known by a key: the frame (which loop, which iteration, as matched) and the node in the first program. Results of loops
// and parameters of their bodies pass no kernel; they are compared where they are first read.
#include "core/debug/lockstep.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "core/base/hash.h"
#include "core/base/threads.h"
#include "core/debug/frame_kinds.h"
#include "core/debug/locations.h"
#include "core/debug/lockstep_carried.h"
#include "core/debug/lockstep_inputs.h"
#include "core/debug/lockstep_loops.h"
#include "core/debug/lockstep_reads.h"
#include "core/debug/lockstep_verdict.h"
#include "core/debug/single_step.h"
#include "core/debug/spill.h"
#include "core/literal/relayout.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kAhead = 256;  // instructions that a machine runs before it hands over
constexpr int64_t kWorthSharing = 4096;  // bytes; of smaller values each machine keeps its own

class Lockstep {
 public:
  Lockstep(const Module& a, const Module& b, const ProgramMatch& match, const ProgramInputs& inputs_a, const ProgramInputs& inputs_b, Backend& backend_a, Backend& backend_b,
           LockstepOptions options)
      : a_(a), b_(b), match_(match), given_(a, b, match, inputs_a, inputs_b), options_(std::move(options)), single_a_(backend_a), single_b_(backend_b) {
    for (int side : {0, 1}) {
      MachineOptions machine = options_.machine;
      if (side == 1 && options_.exchange_b != nullptr) machine.exchange = options_.exchange_b;
      sides_[side] = std::make_unique<Side>(Module_(side), side == 0 ? static_cast<Backend&>(single_a_) : single_b_, machine, options_.waiting_bytes);
    }
  }

  absl::StatusOr<LockstepReport> Run() {
    given_.ShareElidedConstants(options_.machine.fill);
    std::thread other;
    const bool threads = TryStartThread(other, [this] { RunSide(1); });
    alone_ = !threads;
    RunSide(0);
    if (threads) other.join();
    else RunSide(1);
    if (!failure_.ok()) return failure_;
    report_.cancelled = Cancelled();
    report_.spilled_bytes = sides_[0]->waiting.spilled() + sides_[1]->waiting.spilled();
    if (!stop_) Finish();
    return std::move(report_);
  }

 private:
  struct Side {
    Side(const Module& module, Backend& backend, const MachineOptions& options, int64_t waiting_bytes) : machine(module, backend, options), waiting(waiting_bytes) {}
    Machine machine;
    Spill waiting;
    std::vector<LockstepFrame> frames;
    int64_t since = 0;
    bool done = false;
    bool finished = false;
  };

  const Module& Module_(int side) const { return side == 0 ? a_ : b_; }
  const FlatComputation& Flat(int side, int match) const { return side == 0 ? match_.scopes[match]->a : match_.scopes[match]->b; }
  int Partner(int side, int match, int node) const { return side == 0 ? match_.scopes[match]->to_b[node] : match_.scopes[match]->to_a[node]; }
  bool Cancelled() const { return options_.cancel != nullptr && options_.cancel->load(); }

  // ---- Taking turns ----

  void RunSide(int side) {
    if (!alone_) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return turn_ == side || sides_[1 - side]->done; });
      turn_ = side;
    }
    Side& s = *sides_[side];
    if (!stop_) {
      s.machine.set_region_observer([this, side](const Frame& frame, const Region& region, const Kernel*, absl::Span<const Value> inputs, const Value& result) {
        return Observe(side, frame, region, inputs, result);
      });
      const absl::Status started = s.machine.Start([this, side](int number) { return given_.Parameter(side, number, &sides_[side]->machine.account()); });
      if (!options_.on_values) ArmRedirected(side);
      StopReason reason = started.ok() ? s.machine.Run() : StopReason::kError;
      while (reason == StopReason::kBreakpoint && !stop_ && PostRedirected(side).ok()) reason = s.machine.Run();
      s.finished = reason == StopReason::kFinished;
      if (s.finished && !stop_) UpdateFrames(side);  // the loops that nothing came after
      if (!s.finished && !stop_) (side == 0 ? report_.error_a : report_.error_b) = StopText(side, started);
      for (const std::string& notice : s.machine.TakeNotices()) {
        if (std::find(report_.notes.begin(), report_.notes.end(), notice) == report_.notes.end()) report_.notes.push_back(notice);
      }
    }
    std::unique_lock<std::mutex> lock(mutex_);
    s.done = true;
    turn_ = 1 - side;
    changed_.notify_all();
  }

  std::string StopText(int side, const absl::Status& started) const {
    const Machine& machine = sides_[side]->machine;
    if (!started.ok()) return std::string(started.message());
    const Instruction* at = machine.next_instruction();
    const std::string where = at == nullptr ? "" : absl::StrCat("at ", Describe(Module_(side), {at->parent, at->index}), ": ");
    return absl::StrCat(where, machine.status().message());
  }

  void HandOver(int side) {
    Side& s = *sides_[side];
    const bool full = s.waiting.bytes() > options_.waiting_bytes / 4;
    if (alone_ || (++s.since < kAhead && !full)) return;
    s.since = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    if (sides_[1 - side]->done) return;
    turn_ = 1 - side;
    changed_.notify_all();
    changed_.wait(lock, [&] { return turn_ == side || sides_[1 - side]->done; });
    turn_ = side;
  }

  // ---- Frames ----

  // Brings what is known of the stack up to date.
  void UpdateFrames(int side) {
    Side& s = *sides_[side];
    const std::vector<Frame>& frames = s.machine.frames();
    size_t same = 0;
    while (same < frames.size() && same < s.frames.size() && s.frames[same].serial == frames[same].serial) ++same;
    for (size_t k = s.frames.size(); k > std::max<size_t>(same, 1); --k) {
      const RecordLevel& gone = s.frames[k - 1].level;
      const bool goes_on = k - 1 == same && frames.size() > same && IsLoop(frames[same].kind) && frames[same].caller == gone.caller;
      if (IsLoop(gone.kind) && !goes_on) LoopOver(side, k - 2, *gone.caller, IterationsSeen(gone));
    }
    s.frames.resize(same);
    for (size_t k = same; k < frames.size(); ++k) {
      LockstepFrame info;
      info.serial = frames[k].serial;
      info.owner = static_cast<int>(k);
      if (k == 0) {
        info.match = 0;
        info.key = 1;
      } else {
        info.level = {frames[k].kind, frames[k].caller, frames[k].computation, frames[k].iteration, frames[k].branch};
        Enter(side, s.frames[k - 1], frames[k], info);
      }
      s.frames.push_back(std::move(info));
    }
  }

  // A run of a loop in the frame at `depth` has ended. Where nothing differs before it and the other program's ran another number of iterations, that
  // is where the two part.
  void LoopOver(int side, size_t depth, const Instruction& loop, int64_t iterations) {
    const LockstepFrame& info = sides_[side]->frames[depth];
    if (info.match < 0 || options_.on_values) return;
    const ScopeMatch& m = *match_.scopes[info.match];
    const int node = Flat(side, info.match).scopes[info.scope].base + loop.index, partner = Partner(side, info.match, node);
    if (partner < 0) return;
    const int in_a = side == 0 ? node : partner;
    Divergence d;
    d.a = m.a.nodes[in_a].instruction;
    d.b = m.b.nodes[m.to_b[in_a]].instruction;
    if (Def(*d.a).control != Def(*d.b).control) return;
    const uint64_t key = PairKey(info.key, in_a);
    const auto both = loops_.Over(side, key, iterations);
    if (!both.has_value()) return;
    if (both->first == both->second) {
      if (carried_.IsWrong(key)) stop_ |= verdict_.ConvictLoop(key) && !options_.keep_going;
      return;
    }
    d.where = Where(side, info, m.a, in_a);
    d.where_b = Where(side, info, m.b, m.to_b[in_a]);
    TellUnequal({d.a, d.b, d.where, both->first, both->second}, report_);
    if (verdict_.any()) return;
    ++report_.other_bits;
    diverged_.insert(key);
    d.own = true;
    d.shape = d.a->shape;
    d.sizes = IterationsText(both->first, both->second);
    d.changed = ChangedAt(match_, info.match, in_a);
    if (verdict_.waits() || InLoopWrittenOtherwise(match_, info.match, in_a)) return verdict_.Doubt(std::move(d), info.loops);
    stop_ |= verdict_.Convict(std::move(d), info.loops) && !options_.keep_going;
  }

  void Enter(int side, const LockstepFrame& caller, const Frame& frame, LockstepFrame& info) const {
    if (caller.match < 0 || frame.caller == nullptr) return;
    const FlatScope& scope = Flat(side, caller.match).scopes[caller.scope];
    const auto call = scope.calls.find(frame.caller->index);
    info.loops = caller.loops;
    if (call != scope.calls.end()) {
      info.match = caller.match;
      info.scope = call->second;
      info.key = caller.key;
      info.owner = caller.owner;
      info.from = caller.from;
      info.from_node = caller.from_node;
      info.first = caller.first;
      return;
    }
    const int node = scope.base + frame.caller->index;
    const int partner = Partner(side, caller.match, node);
    if (partner < 0) return;
    const int in_a = side == 0 ? node : partner;
    const std::vector<Computation*> called = frame.caller->CalledComputations();
    for (size_t k = 0; k < called.size(); ++k) {
      if (called[k] != frame.computation || (frame.kind == FrameKind::kBranch && frame.branch >= 0 && static_cast<int>(k) != frame.branch)) continue;
      const auto inner = match_.scopes[caller.match]->called.find({in_a, static_cast<int>(k)});
      if (inner == match_.scopes[caller.match]->called.end()) return;
      info.match = inner->second;
      info.key = InnerKey(caller.key, in_a, frame.iteration, frame.branch, frame.kind);
      info.from = caller.match;
      info.from_node = in_a;
      info.first = frame.iteration == 0;
      if (IsLoop(frame.kind)) info.loops.push_back(PairKey(caller.key, in_a));
      return;
    }
  }

  // ---- Values ----

  absl::Status Observe(int side, const Frame& shown, const Region& region, absl::Span<const Value> inputs, const Value& result) {
    if (stop_ || Cancelled()) return absl::CancelledError("stopped");
    Side& s = *sides_[side];
    UpdateFrames(side);
    const Frame& frame = s.machine.frames().back();
    LockstepFrame& info = s.frames.back();
    if (info.match < 0) return Next(side);
    // Of sizes known only now, it is a copy that runs.
    const Instruction* instruction = shown.computation->schedule[region.root];
    if (shown.computation != frame.computation) instruction = frame.computation->FindInstruction(instruction->name);
    if (instruction == nullptr) return Next(side);
    const FlatComputation& flat = Flat(side, info.match);
    const int base = flat.scopes[info.scope].base;
    const int node = base + instruction->index;
    if (flat.nodes[node].alias >= 0) return Next(side);
    const bool paired = Partner(side, info.match, node) >= 0;
    if (SeenWhereRead(*instruction) && (!paired || !HandsOnOthers(*match_.scopes[info.match], side == 0 ? node : Partner(side, info.match, node), info.match == 0))) return Next(side);
    for (size_t k = 0; k < region.inputs.size() && k < inputs.size(); ++k) {
      const Instruction* operand = shown.computation->schedule[region.inputs[k]];
      if (shown.computation != frame.computation) {  // a copy's operands stand for the instruction's, in their order
        if (k >= instruction->operands.size()) break;
        operand = instruction->operands[k];
      }
      const int read = flat.Resolve(base + operand->index);
      if (!SeenWhereRead(*flat.nodes[read].instruction) || Partner(side, info.match, read) < 0 || !inputs[k].shape().IsArray()) continue;
      if (!s.frames[info.owner].operands.insert(read).second) continue;
      if (absl::Status status = Post(side, info, read, inputs[k], true); !status.ok()) return status;
    }
    // What one program alone computes is no pair; what it reads has been compared for those who read it in the other program.
    if (!paired) {
      ++(side == 0 ? report_.only_a : report_.only_b);
      return Next(side);
    }
    if (absl::Status status = PostReadByPartner(side, info, node); !status.ok()) return status;
    const Value& compared = side == 0 ? result : InOrderOfA(*match_.scopes[info.match], Partner(side, info.match, node), result, &report_.without_partner);
    if (absl::Status status = Post(side, info, node, compared, false); !status.ok()) return status;
    return Next(side);
  }

  // Calls, branches and loops that are given another function than their partners: compared as soon as they are done, before anything
  // reads them, so that what differs first is told of them.
  void ArmRedirected(int side) {
    for (const auto& scope : match_.scopes) {
      for (const int in_a : scope->redirected) {
        const Instruction& i = *(side == 0 ? scope->a.nodes[in_a] : scope->b.nodes[scope->to_b[in_a]]).instruction;
        if (Def(i).control != ControlKind::kNone) sides_[side]->machine.Arm(*i.parent, i.index + 1);
      }
    }
  }

  absl::Status PostRedirected(int side) {
    Side& s = *sides_[side];
    UpdateFrames(side);
    LockstepFrame& info = s.frames.back();
    const Frame& frame = s.machine.top();
    const Instruction& i = *frame.computation->schedule[frame.position - 1];
    if (info.match < 0) return absl::OkStatus();
    const int node = Flat(side, info.match).scopes[info.scope].base + i.index, partner = Partner(side, info.match, node);
    if (partner < 0 || !match_.scopes[info.match]->redirected.contains(side == 0 ? node : partner)) return absl::OkStatus();
    for (const Instruction* operand : i.operands) {
      if (absl::Status status = PostRead(side, *operand); !status.ok()) return status;
    }
    const absl::StatusOr<Value> value = s.machine.ValueOf(static_cast<int>(s.frames.size()) - 1, i.index);
    if (!value.ok()) return absl::OkStatus();
    s.frames[info.owner].operands.insert(node);
    if (absl::Status status = Post(side, info, node, *value, false); !status.ok()) return status;
    return Next(side);
  }

  // What the call in the innermost frame reads and no kernel has made; of a tuple its parts.
  absl::Status PostRead(int side, const Instruction& operand) {
    Side& s = *sides_[side];
    LockstepFrame& info = s.frames.back();
    const FlatComputation& flat = Flat(side, info.match);
    const int read = flat.Resolve(flat.scopes[info.scope].base + operand.index);
    const Instruction& i = *flat.nodes[read].instruction;
    if (!SeenWhereRead(i) || Partner(side, info.match, read) < 0 || !s.frames[info.owner].operands.insert(read).second)
      return absl::OkStatus();
    if (operand.shape.IsTuple() && operand.parameter_number < 0 && Def(operand).op_class == OpClass::kStructural) {
      for (const Instruction* part : operand.operands) {
        if (absl::Status status = PostRead(side, *part); !status.ok()) return status;
      }
      return absl::OkStatus();
    }
    const absl::StatusOr<Value> value = s.machine.ValueOf(static_cast<int>(s.frames.size()) - 1, operand.index);
    return value.ok() && value->shape().IsArray() ? Post(side, info, read, *value, true) : absl::OkStatus();
  }

  // What the node's partner reads, also through what its program alone has, and nobody has read here so far.
  absl::Status PostReadByPartner(int side, const LockstepFrame& info, int node) {
    Side& s = *sides_[side];
    const FlatComputation &flat = Flat(side, info.match), &others = Flat(1 - side, info.match);
    const int partner = Partner(side, info.match, node);
    absl::InlinedVector<int, 8> todo(others.nodes[partner].operands.begin(), others.nodes[partner].operands.end());
    for (size_t k = 0; k < todo.size() && todo.size() < 64; ++k) {
      const int read = Partner(1 - side, info.match, todo[k]);
      if (read < 0) {
        const auto& operands = others.nodes[todo[k]].operands;
        todo.insert(todo.end(), operands.begin(), operands.end());
        continue;
      }
      const FlatNode& n = flat.nodes[read];
      if (n.alias >= 0 || !SeenWhereRead(*n.instruction) || s.frames[info.owner].operands.contains(read)) continue;
      for (size_t depth = info.owner; depth < s.frames.size(); ++depth) {
        if (s.frames[depth].owner != info.owner || s.frames[depth].scope != n.scope) continue;
        const Value value = Held(s.machine.frames()[depth], *n.instruction);
        if (!value.has_value() || !value.shape().IsArray()) break;
        s.frames[info.owner].operands.insert(read);
        if (absl::Status status = Post(side, info, read, ToDense(value), true); !status.ok()) return status;
        break;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Next(int side) {
    if (!stop_) HandOver(side);
    return stop_ ? absl::CancelledError("stopped") : absl::OkStatus();
  }

  absl::Status Post(int side, const LockstepFrame& info, int node, const Value& value, bool operand) {
    const int partner = Partner(side, info.match, node);
    const int in_a = side == 0 ? node : partner;
    const uint64_t key = PairKey(info.key, in_a);
    Side& other = *sides_[1 - side];
    report_.peak_bytes = std::max(report_.peak_bytes, sides_[0]->machine.account().live() + sides_[1]->machine.account().live());
    if (!other.waiting.Has(key)) {
      if (other.done && !alone_) return absl::OkStatus();
      const absl::Status put = sides_[side]->waiting.Put(key, value);
      if (!put.ok()) Fail(put);
      return put;
    }
    absl::StatusOr<Value> waited = other.waiting.Take(key);
    if (!waited.ok()) {
      Fail(waited.status());
      return waited.status();
    }
    Divergence d;
    d.a = match_.scopes[info.match]->a.nodes[in_a].instruction;
    d.b = match_.scopes[info.match]->b.nodes[side == 0 ? partner : node].instruction;
    d.operand = operand;
    const Value& a = side == 0 ? value : *waited;
    const Value& b = side == 0 ? *waited : value;
    const bool same = !options_.on_values && SameBytes(a, b);
    std::vector<Value> leaves;
    if (same) Leaves(a, leaves);
    for (const Value& leaf : leaves) {
      report_.elements += leaf.element_count();
      if (options_.on_pair) options_.on_pair(*d.a, *d.b, SameArrays(leaf.element_count()));
    }
    // One of the two is enough for both machines, so that programs that agree need the memory of one.
    const bool reordered = match_.scopes[info.match]->reordered.contains(in_a);
    if (same && !operand && !reordered && value.byte_size() >= kWorthSharing) sides_[side]->machine.ShareResult(*waited);
    const int64_t unlike = report_.unlike;
    if (!same && Compare(side, a, b, d)) Diverged(side, info, in_a, key, std::move(d));
    else if (verdict_.rewrites().waits() && report_.unlike == unlike) verdict_.rewrites().Agrees(info.key, in_a);
    ++report_.pairs;
    if (options_.progress && report_.pairs % 64 == 0) options_.progress(report_.pairs);
    return stop_ ? absl::CancelledError("stopped") : absl::OkStatus();
  }

  // Of what has the same bounds in both programs, another size of the run is another value.
  static bool OtherSizes(const Shape& a, const Shape& b, Divergence& d) {
    const auto written = [&d](const Instruction* i) { return d.output >= 0 && i->shape.IsTuple() ? LeafOfElement(i->shape, d.output) : i->shape; };
    if (a.dimensions() == b.dimensions() || d.result) return false;
    const Shape of_a = written(d.a), of_b = written(d.b);
    if (!of_a.IsArray() || !of_b.IsArray() || of_a.dimensions() != of_b.dimensions()) return false;
    if (!of_a.has_dynamic_dimension() && !of_b.has_dynamic_dimension()) return false;
    d.shape = a;
    d.sizes = absl::StrCat("it is ", b.ToString(false), ", expected ", a.ToString(false), ": other sizes in this run");
    d.difference.elements = std::max(a.ElementCount(), b.ElementCount());
    d.difference.beyond = d.difference.other_bits = d.difference.elements - std::min(a.ElementCount(), b.ElementCount());
    return true;
  }
  static Shape LeafOfElement(const Shape& tuple, int element) {
    return static_cast<size_t>(element) < tuple.tuple_shapes().size() ? tuple.tuple_shapes()[element] : tuple;
  }

  static ArrayDifference SameArrays(int64_t elements) { return {.elements = elements}; }

  void Fail(const absl::Status& status) {
    if (failure_.ok()) failure_ = status;
    stop_ = true;
  }

  // The first leaf that differs by more than its budget.
  bool Compare(int side, const Value& a, const Value& b, Divergence& d) {
    if (a.shape().IsTuple() && b.shape().IsTuple()) {
      const size_t count = std::min(a.elements().size(), b.elements().size());
      for (const Value* longer : {&a, &b}) {
        for (size_t k = count; k < longer->elements().size(); ++k) report_.without_partner += LeafCountOf(longer->elements()[k].shape());
      }
      for (size_t k = 0; k < count; ++k) {
        Divergence leaf = d;
        leaf.output = static_cast<int>(k);
        if (!Compare(side, a.elements()[k], b.elements()[k], leaf)) continue;
        d = std::move(leaf);
        return true;
      }
      return false;
    }
    if (!a.shape().IsArray() || !b.shape().IsArray()) return false;
    if (OtherSizes(a.shape(), b.shape(), d)) return true;
    const bool like = AreLikeTypes(a.shape().element_type(), b.shape().element_type());
    if (a.shape().dimensions() != b.shape().dimensions() || (!like && !d.result)) {
      ++report_.unlike;
      return false;
    }
    if (options_.on_values) {
      options_.on_values(*d.a, ToDense(a), ToDense(b), sides_[side]->machine.frames());
      return false;
    }
    Budget budget;
    const Budget* given = options_.budgets.Find(*d.a);
    if (given == nullptr && d.b != nullptr) given = options_.budgets.Find(*d.b);
    const ElementType type = a.shape().element_type(), other = b.shape().element_type();
    if (given != nullptr) budget = *given;
    else if (type != other || narrow_ != ElementType::kF64) budget = ReorderingBudget(NarrowerType(NarrowerType(type, other), narrow_));
    if (!IsFloat(type) && !IsComplex(type) && given == nullptr) budget = Budget();
    if (type != other && (IsFloat(type) || IsComplex(type)) && (IsFloat(other) || IsComplex(other))) narrow_ = NarrowerType(narrow_, NarrowerType(type, other));
    const bool constants = given == nullptr && !d.result && d.a->literal != nullptr && d.b->literal != nullptr;
    const ArrayDifference difference = constants ? CompareConstants(b, a, narrow_) : CompareArrays(b, a, budget);
    report_.elements += difference.elements;
    report_.other_bits += difference.other_bits > 0;
    if (options_.on_pair) options_.on_pair(*d.a, *d.b, difference);
    if (difference.beyond == 0) {
      if (difference.worst_ulp > report_.worst_ulp && std::isfinite(difference.worst_ulp)) {
        report_.worst_ulp = difference.worst_ulp;
        report_.worst = d.a;
      }
      return false;
    }
    d.shape = a.shape();
    d.difference = difference;
    return true;
  }

  // ---- Divergences ----

  void Diverged(int side, const LockstepFrame& info, int in_a, uint64_t key, Divergence d) {
    diverged_.insert(key);
    const ScopeMatch& m = *match_.scopes[info.match];
    bool inherited = false;
    const bool any = verdict_.any();
    if (d.operand) {
      inherited = any;
    } else {
      inherited = Inherits(m, 0, info.match == 0, info.key, in_a, diverged_, any, d.only_a);
      inherited |= Inherits(m, 1, info.match == 0, info.key, m.to_b[in_a], diverged_, any, d.only_b);
      inherited |= BranchDiverged(match_, m, info.key, in_a, diverged_);
    }
    d.own = !inherited;
    // What a loop or a branch executes was told where it was executed.
    const bool told = !d.own && Def(*d.a).control != ControlKind::kNone && !m.changed.contains(in_a);
    if (!told) d.changed = ChangedAt(match_, info.match, in_a);
    if (d.operand) carried_.OperandDiffers(sides_[side]->frames, info.owner, in_a);
    else if (!d.own && d.changed.empty()) carried_.ResultDiffers(info, in_a, diverged_);
    if (d.own && d.operand && d.changed.empty()) d.changed = GivenOtherwise(m.a, in_a, info.from < 0 || !info.first ? nullptr : match_.scopes[info.from].get(), info.from_node);
    if (d.own || d.besides() || verdict_.waits() || report_.divergences.size() < options_.keep) {
      d.where = Where(side, info, m.a, in_a);
      d.where_b = Where(side, info, m.b, m.to_b[in_a]);
    }
    Rewrites& rewrites = verdict_.rewrites();
    if (d.own ? !d.operand && rewrites.Hold(m, info.match == 0, info.key, in_a, d) : rewrites.HoldInherited(info.key, in_a, d)) return;
    // What only reads something else than its partner may be no partner, and what is in a loop that is written otherwise may be of another iteration: the
    // results say whether it is.
    const bool no_partner = m.rewired.contains(in_a) || (d.operand && !m.names_kept && !m.changed.contains(in_a));
    if (d.own ? no_partner || InLoopWrittenOtherwise(match_, info.match, in_a) : verdict_.doubts()) return verdict_.Doubt(std::move(d), info.loops);
    stop_ |= verdict_.Convict(std::move(d), info.loops) && !options_.keep_going;
  }

  // The frames up to the computation that is laid flat, and the calls from there to one of its nodes.
  std::string Where(int side, const LockstepFrame& info, const FlatComputation& flat, int node) const {
    std::vector<RecordLevel> calls;
    for (int scope = flat.nodes[node].scope; flat.scopes[scope].caller >= 0; scope = flat.nodes[flat.scopes[scope].caller].scope) {
      const Computation* computation = flat.scopes[scope].computation;
      const FrameKind kind = computation->is_fusion ? FrameKind::kFusion : FrameKind::kCall;
      calls.push_back({kind, flat.nodes[flat.scopes[scope].caller].instruction, computation});
    }
    std::vector<RecordLevel> levels;
    for (int k = 1; k <= info.owner; ++k) levels.push_back(sides_[side]->frames[k].level);
    levels.insert(levels.end(), calls.rbegin(), calls.rend());
    return WhereText(levels);
  }

  void Finish() {
    absl::flat_hash_set<int> differing;
    std::vector<Divergence> results = CompareResults(differing);
    verdict_.Decide(std::move(results), differing, report_.results_compared);
    report_.results_agree = report_.results_compared && differing.empty();
  }

  // Where they differ; `differing`: these leaves.
  std::vector<Divergence> CompareResults(absl::flat_hash_set<int>& differing) {
    std::vector<Divergence> found;
    if (!sides_[0]->finished || !sides_[1]->finished) {
      report_.results_why = "a program did not come to its end";
      return found;
    }
    if (options_.on_values) return found;  // it has had them as the root's
    std::vector<Value> a, b;
    Leaves(sides_[0]->machine.result(), a);
    Leaves(sides_[1]->machine.result(), b);
    if (a.size() != b.size()) {
      report_.results_why = absl::StrCat("one program gives ", a.size(), " arrays, the other ", b.size());
      return found;
    }
    report_.results_compared = true;
    const bool first = report_.diverging == 0 && !verdict_.waits();
    for (size_t k = 0; k < a.size(); ++k) {
      if (a[k].shape().dimensions() != b[k].shape().dimensions() && found.empty() && first) {
        report_.results_compared = false;
        report_.results_why = absl::StrCat("output ", k, " is ", a[k].shape().ToString(false), " in one program and ", b[k].shape().ToString(false), " in the other");
        return found;
      }
      Divergence d;
      d.a = a_.entry->root;
      d.b = b_.entry->root;
      d.result = true;
      ++report_.pairs;
      const int64_t unlike = report_.unlike;
      const bool differs = Compare(0, a[k], b[k], d);
      if (differs || report_.unlike > unlike) differing.insert(static_cast<int>(k));
      if (!differs) continue;
      d.output = a.size() > 1 ? static_cast<int>(k) : -1;
      d.changed = ChangedAt(match_, 0, a_.entry->root->index);
      found.push_back(std::move(d));
      if (!options_.keep_going && first) return found;
    }
    return found;
  }

  const Module &a_, &b_;
  const ProgramMatch& match_;
  LockstepInputs given_;
  LockstepOptions options_;
  SingleStepBackend single_a_, single_b_;
  std::unique_ptr<Side> sides_[2];
  absl::flat_hash_set<uint64_t> diverged_;
  LoopCounts loops_;
  CarriedValues carried_{match_};
  ElementType narrow_ = ElementType::kF64;  // the narrowest type that one program computes in and the other does not, so far
  LockstepReport report_;
  Verdict verdict_{report_, options_};
  absl::Status failure_;
  bool stop_ = false, alone_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  int turn_ = 0;
};

}  // namespace

absl::StatusOr<LockstepReport> RunLockstep(const Module& a, const Module& b, const ProgramMatch& match, const ProgramInputs& inputs_a, const ProgramInputs& inputs_b,
                                           Backend& backend_a, Backend& backend_b, LockstepOptions options) {
  return Lockstep(a, b, match, inputs_a, inputs_b, backend_a, backend_b, std::move(options)).Run();
}

}  // namespace hloscope
