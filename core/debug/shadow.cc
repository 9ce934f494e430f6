// Measuring; see the header. Every instruction is looked at once. What is looked at beyond that, in loops, and how many elements where they
// are made of very many others, is a matter of steps: nodes of element programs, of which the interpreter evaluates one while compiled code
// does kNativeSpeed. Steps are counted, not timed, so that every run of a program looks at the same elements.
#include "core/debug/shadow.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "absl/strings/str_cat.h"
#include "core/debug/instruction_figures.h"
#include "core/debug/interruption.h"
#include "core/debug/member_walk.h"
#include "core/debug/shadow_region.h"
#include "core/exec/error_place.h"
#include "core/ir/written_names.h"
#include "core/ops/element_calls.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kNativeSpeed = 50;
constexpr double kStepsOfRegion = 50;        // what the machine does around a kernel
constexpr double kStepsOfInstruction = 500;  // what a look does around the elements
constexpr double kFreeSteps = 5e4;           // of looking that is never held against the program: short programs are looked at whole
constexpr size_t kMostCalls = 1000;          // of a region, that are told apart
constexpr double kLeastOfLook = 2e4;         // steps that a look at a region may take however little the region does

double Seconds(Clock::time_point from, Clock::time_point to) { return std::chrono::duration<double>(to - from).count(); }

}  // namespace

int ErrorBin(double ulp) {
  if (!(ulp < HUGE_VAL)) return kErrorBins - 1;
  if (ulp == 0) return 0;
  int bin = 1;
  for (double edge = 0.5; ulp > edge && bin < kErrorBins - 2; edge *= 2) ++bin;
  return bin;
}

bool AddError(ErrorStatistics& s, const Scalar& got, const Scalar& exact, const Shape& shape, int64_t linear, double* error) {
  const ElementType type = RealTypeOf(got.type);
  double ulp = 0;
  const Scalar rounded = IsComplex(got.type) ? Scalar::Complex(got.type, exact.c()) : Scalar::Float(got.type, exact.re);
  if (!got.IsFinite() || !exact.IsFinite() || !rounded.IsFinite()) {
    // An overflow of the type is an error without measure, even where the format rounds so: the exact number is finite.
    const bool same = (got.IsNaN() && exact.IsNaN()) || (!exact.IsFinite() && SameBits(got, rounded));
    ulp = same ? 0 : HUGE_VAL;
  } else {
    const double distance = IsComplex(got.type) ? std::abs(got.c() - exact.c()) : std::fabs(got.re - exact.re);
    const double magnitude = IsComplex(got.type) ? std::abs(exact.c()) : std::fabs(exact.re);
    ulp = distance / UlpAt(type, magnitude);
  }
  if (error != nullptr) *error = ulp;
  ++s.elements;
  ++s.bins[ErrorBin(ulp)];
  if (std::isfinite(ulp)) s.sum_ulp += ulp;
  if (s.elements > 1 && !(ulp > s.worst_ulp)) return false;
  s.worst_ulp = ulp;
  s.worst_index = IndexOf(shape, linear);
  s.worst_got = got;
  s.worst_exact = exact;
  return true;
}

struct ShadowWatcher::Entry {
  std::shared_ptr<RegionShadow> shadow;
  std::vector<std::shared_ptr<RegionShadow>> members;  // one by one, where all elements are looked at
  bool known = false, nothing = false;                 // nothing: to look at
  double steps_of_run = 0, steps_of_look = 0, most = 0;
  int64_t executions = 0, looks = 0;
  absl::flat_hash_set<int> calls;  // that it was looked at in
};

namespace {

bool HasRoundedFloats(const Shape& shape) {
  if (shape.IsTuple()) return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), HasRoundedFloats);
  if (!shape.IsArray()) return false;
  const ElementType type = RealTypeOf(shape.element_type());
  return IsFloat(type) && type != ElementType::kF64;
}

}  // namespace

ShadowPrograms::ShadowPrograms(Backend& backend) : functions_(std::make_unique<NativeFunctions>(backend)) {}
ShadowPrograms::~ShadowPrograms() = default;

ShadowWatcher::ShadowWatcher(const Machine& machine, Backend& backend, ShadowOptions options, ShadowPrograms* kept)
    : machine_(machine),
      backend_(backend),
      options_(options),
      own_(kept == nullptr ? std::make_unique<ShadowPrograms>(backend) : nullptr),
      kept_(kept),
      functions_(kept == nullptr ? *own_->functions_ : *kept->functions_),
      compiled_before_(functions_.compile_seconds()) {
  if (options_.threads <= 0) options_.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
ShadowWatcher::~ShadowWatcher() = default;

ShadowReport ShadowWatcher::TakeReport() {
  const double compiled = functions_.compile_seconds() - compiled_before_;
  report_.compile_seconds += compiled;
  report_.seconds = spent_ - compiled;
  return std::move(report_);
}

ShadowRow& ShadowWatcher::Row(const Instruction& looked_at) {
  const Computation& home = *machine_.top().computation;
  const Instruction* written = looked_at.parent == &home ? nullptr : home.FindInstruction(looked_at.name);
  const Instruction& instruction = written != nullptr ? *written : looked_at;
  const auto [entry, fresh] = rows_.try_emplace(&instruction, report_.rows.size());
  if (fresh) report_.rows.emplace_back().instruction = &instruction;
  return report_.rows[entry->second];
}

void ShadowWatcher::Failed(const Instruction& instruction, absl::string_view why) {
  if (!failed_.insert(&instruction).second) return;
  report_.unmeasured.emplace_back(&instruction, why);
}

absl::Status ShadowWatcher::Observe(const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
  const Instruction& root = *frame.computation->schedule[region.root];
  if (kernel == nullptr) {
    if (Def(root).op_class == OpClass::kOpaque && HasRoundedFloats(result.shape())) {
      Failed(root, absl::StrCat(Name(root.opcode),
                                " is not computed element by element, so it has no error of its own here; what accumulates counts it"));
    } else if (!CallsAreExpressions(root) && HasRoundedFloats(result.shape())) {
      Failed(root, absl::StrCat("what ", Name(root.opcode), " calls cannot be written as an expression, so it has no error of its own here; what accumulates counts it"));
    }
    return absl::OkStatus();
  }
  const Clock::time_point begin = Clock::now();
  std::unique_ptr<Entry>& entry = entries_[&root];
  if (entry == nullptr) entry = std::make_unique<Entry>();
  run_steps_ += kStepsOfRegion + entry->steps_of_run / kNativeSpeed;
  if (entry->nothing) return absl::OkStatus();
  const int64_t turn = entry->executions++;
  // In a loop errors may begin late: besides what the steps allow, executions 0, 1, 4, 16, ... are looked at, and the first in each call.
  const bool milestone = (turn & (turn - 1)) == 0 && (turn & 0x5555555555555555) == turn;
  const bool affordable =
      options_.samples < 0 || look_steps_ + entry->steps_of_look <= std::max(kFreeSteps, options_.most_times * run_steps_);
  const int call = CallOfFrame();
  const bool first_of_call = entry->calls.size() < kMostCalls && entry->calls.insert(call).second;
  if (!milestone && !affordable && !first_of_call) {
    ++report_.executions;
    return absl::OkStatus();
  }
  if (options_.samples < 0 && region.members.size() > 1) {
    LookAtMembers(*entry, frame, region, inputs);
  } else {
    Look(*entry, entry->shadow, frame, region, inputs, result);
  }
  look_steps_ += entry->steps_of_look;
  ++entry->looks;
  report_.executions += !entry->nothing;
  report_.looks += !entry->nothing;
  // What the entry computation does comes once: there is no need to keep what has been prepared.
  if (frame.kind == FrameKind::kEntry) {
    entry->shadow = nullptr;
    entry->members.clear();
  }
  spent_ += Seconds(begin, Clock::now());
  return Cancelled() ? Interruption() : absl::OkStatus();
}

int ShadowWatcher::CallOfFrame() {
  const std::vector<Frame>& frames = machine_.frames();
  if (const uint64_t serial = frames.empty() ? 0 : frames.back().serial; serial != serial_) {
    serial_ = serial;
    call_ = CallOf(frames, &report_.calls);
  }
  return call_;
}

// Every element of every member: then it is cheapest to make the values whole.
void ShadowWatcher::LookAtMembers(Entry& entry, const Frame& frame, const Region& region, absl::Span<const Value> inputs) {
  size_t k = 0;
  const auto visit = [&](int, const Region& single, const Kernel* ran, absl::Span<const Value> operands, const Value& value) {
    if (ran == nullptr) return true;
    if (entry.members.size() <= k) entry.members.emplace_back();
    Look(entry, entry.members[k++], frame, single, operands, value);
    return !Cancelled();
  };
  const absl::Status walked = WalkMembers(backend_, *frame.computation, region, inputs, visit);
  if (!walked.ok()) Failed(*frame.computation->schedule[region.root], walked.message());
}

std::shared_ptr<RegionShadow> ShadowWatcher::ShadowOf(const Frame& frame, const Region& region) {
  // A copy that runs with the sizes of now is the machine's, and ends with it.
  const bool keeps = kept_ != nullptr && frame.computation == machine_.top().computation;
  std::shared_ptr<RegionShadow> fresh;
  std::shared_ptr<RegionShadow>& shadow = keeps ? kept_->regions_[{frame.computation->schedule[region.root], region.members}] : fresh;
  if (shadow == nullptr) shadow = std::make_shared<RegionShadow>(functions_, *frame.computation, region);
  return shadow;
}

void ShadowWatcher::Look(Entry& entry, std::shared_ptr<RegionShadow>& shadow, const Frame& frame, const Region& region,
                         absl::Span<const Value> inputs, const Value& result) {
  if (shadow == nullptr) {
    const Clock::time_point begin = Clock::now();
    const double compiled = functions_.compile_seconds();
    shadow = ShadowOf(frame, region);
    report_.prepare_seconds += Seconds(begin, Clock::now()) - (functions_.compile_seconds() - compiled);
    for (const auto& [instruction, why] : shadow->failures()) Failed(*instruction, why);
  }
  if (!entry.known) {
    entry.known = true;
    entry.nothing = options_.samples >= 0 && shadow->instructions().empty();
    entry.steps_of_run = shadow->steps_of_run();
    run_steps_ += entry.steps_of_run / kNativeSpeed;
    entry.most = std::max(kLeastOfLook, options_.most_times * entry.steps_of_run / kNativeSpeed);
    entry.steps_of_look =
        shadow->StepsOfLook(options_.samples, entry.most) + kStepsOfInstruction * static_cast<double>(shadow->instructions().size());
    const Instruction* first = nullptr;
    int64_t taken = 0;
    const int64_t fewer = shadow->Fewer(options_.samples, entry.most, &first, &taken);
    if (fewer > 0 && report_.fewer == 0) report_.first_fewer = absl::StrCat(ShownName(*first), ": ", taken);
    report_.fewer += fewer;
  }
  for (const Instruction* instruction : shadow->instructions()) {
    if (!failed_.contains(instruction)) ++Row(*instruction).times;
  }
  const RegionShadow::Look look = {
      options_.samples, entry.most, static_cast<uint64_t>(region.root) * 131 + static_cast<uint64_t>(entry.looks) + 1,
      options_.threads, inputs,     &result,
      options_.cancel};
  const int call = CallOfFrame();
  const absl::Status looked = shadow->At(look, [&](const ShadowElement& element) {
    ShadowRow& row = Row(*element.instruction);
    double ulp = 0;
    if (AddError(row.own, element.got, element.exact, *element.shape, element.linear, &ulp))
      row.own.worst_frames = PastFramesOf(machine_.frames());
    double& worst = row.worst_by_call[call];
    worst = std::max(worst, ulp);
    ++report_.elements;
  });
  if (!looked.ok() && !Cancelled()) Failed(*frame.computation->schedule[region.root], looked.message());
}

absl::StatusOr<ShadowReport> RunShadow(WatchedRun run, ShadowOptions options, ShadowPrograms* kept) {
  Machine machine(run.module, run.backend, std::move(run.options));
  std::vector<Value> parameters;  // made before, so that making them is not the program's time
  for (int i = 0; i < run.inputs.parameter_count(); ++i) {
    absl::StatusOr<Value> value = run.inputs.Parameter(i, &machine.account());
    if (!value.ok()) return value.status();
    parameters.push_back(*std::move(value));
  }
  machine.PrepareAll();
  const Clock::time_point compiling = Clock::now();
  if (options.samples < 0) PrepareMembers(run.backend, run.module);
  const double compile_seconds = Seconds(compiling, Clock::now());
  const absl::Status started = machine.Start(std::move(parameters));
  if (!started.ok()) return started;
  options.cancel = &machine.interrupt();
  ShadowWatcher watcher(machine, run.backend, options, kept);
  machine.set_region_observer([&](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
    return watcher.Observe(frame, region, kernel, inputs, result);
  });
  if (run.interrupt != nullptr) run.interrupt->store(&machine.interrupt());
  const Clock::time_point begin = Clock::now();
  const StopReason reason = machine.Run();
  const double all = Seconds(begin, Clock::now());
  if (run.interrupt != nullptr) run.interrupt->store(nullptr);
  if (reason == StopReason::kInterrupted) return absl::AbortedError(InterruptedText());
  ShadowReport report = watcher.TakeReport();
  if (reason != StopReason::kFinished) {
    report.ended = absl::Status(machine.status().code(), absl::StrCat("the program stopped with an error", ErrorText(machine)));
    if (report.rows.empty()) return report.ended;
  }
  report.run_seconds = all - report.seconds - report.compile_seconds;
  report.compile_seconds += compile_seconds;
  NameMoments(run.module, report);
  return report;
}

void NameMoments(const Module& module, ShadowReport& report) {
  const CallGraph calls = MakeCallGraph(module);
  for (ShadowRow& row : report.rows) {
    for (ErrorStatistics* s : {&row.own, &row.accumulated}) s->worst_where = MomentName(module, calls, s->worst_frames);
  }
}

}  // namespace hloscope
