// Watching a run; see the header. The Machine books the time of each region; what is new since the region ran before is this execution's.
#include "core/debug/profile.h"

#include <algorithm>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/debug/roofline.h"
#include "core/ir/written_names.h"
#include "core/ops/cost.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr size_t kMostEvents = 200000;
constexpr size_t kMostMemorySamples = 4096;
constexpr size_t kMostOwners = 50;


// The type that decides which peak counts: the first operand's where there is one (a product of bf16 may be written in f32).
ElementType TypeOf(const Instruction& i) {
  for (const Instruction* operand : i.operands) {
    if (operand->shape.IsArray() && IsFloat(operand->shape.element_type())) return operand->shape.element_type();
  }
  return i.shape.IsArray() ? i.shape.element_type() : ElementType::kF32;
}

std::string FrameLabel(const Frame& f) {
  const std::string name = f.caller != nullptr ? ShownName(*f.caller) : std::string(f.computation->name);
  switch (f.kind) {
    case FrameKind::kWhileBody: return absl::StrCat(name, " iteration ", f.iteration);
    case FrameKind::kWhileCondition: return absl::StrCat(name, " condition ", f.iteration);
    case FrameKind::kBranch: return absl::StrCat(name, " branch ", f.branch);
    case FrameKind::kEntry:
    case FrameKind::kCall:
    case FrameKind::kFusion:
    case FrameKind::kElement: return name;
  }
  return name;
}

}  // namespace

void Work::Add(const Work& other, double share) {
  times += other.times;
  seconds += share * other.seconds;
  flops += share * other.flops;
  transcendentals += share * other.transcendentals;
  bytes += share * other.bytes;
  roof_seconds += share * other.roof_seconds;
}

Profiler::Profiler(Machine& machine, Backend& backend, const Module& module) : machine_(machine), backend_(backend), data_(std::make_unique<ProfileData>()) {
  data_->module = module.name;
  data_->program = &module;
  data_->backend = std::string(backend.name());
  data_->memory_rate = PeakBytes().memory_bytes;
  data_->cache_rate = PeakBytes().cache_bytes;
}

void Profiler::Begin() {
  machine_.set_light_region_observer([this](const Frame& frame, const Region& region, const Kernel*, absl::Span<const Value>, const Value& result) {
    return Observe(frame, region, result);
  });
  start_ = std::chrono::steady_clock::now();
}

RegionWork& Profiler::Find(const Frame& frame, const Region& region) {
  const Instruction& root = *frame.computation->schedule[region.root];
  const auto [entry, fresh] = known_.try_emplace(&root, data_->regions.size());
  if (!fresh) return data_->regions[entry->second];
  RegionWork& made = data_->regions.emplace_back();
  made.root = &root;
  double heaviest = -1;
  const Instruction* main = &root;
  for (int member : region.members) {
    const Instruction& i = *frame.computation->schedule[member];
    if (Def(i).op_class == OpClass::kStructural && &i != &root) continue;
    const Cost cost = CostOf(i);
    made.members.push_back(&i);
    made.flops += cost.flops;
    made.transcendentals += cost.transcendentals;
    const double elements = i.shape.IsArray() ? static_cast<double>(i.shape.ElementCount()) : 0;
    made.shares.push_back(std::max(1.0, cost.flops + 8 * cost.transcendentals + elements));
    if (cost.flops > heaviest) {
      heaviest = cost.flops;
      main = &i;
    }
  }
  double sum = 0;
  for (double share : made.shares) sum += share;
  for (double& share : made.shares) share /= sum;
  if (made.flops > 0) {
    const ElementType type = TypeOf(*main);
    made.peak_flops = PeakFlops(backend_, type);
    data_->flop_rates[std::string(Name(type))] = made.peak_flops;
  }
  return made;
}

double Profiler::SecondsSinceBegin() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() - (elsewhere_ ? elsewhere_() : 0);
}

absl::Status Profiler::Observe(const Frame& frame, const Region& region, const Value& result) {
  const Instruction& root = *frame.computation->schedule[region.root];
  if (result.buffer() != nullptr) made_[&root] = {result.buffer(), result.buffer()->size()};
  const auto booked = machine_.profile().find(&root);
  if (booked == machine_.profile().end()) return absl::OkStatus();
  if (Def(root).op_class == OpClass::kStructural) return absl::OkStatus();  // a handle
  const double now = SecondsSinceBegin() - overhead_;
  struct Overhead {
    Profiler& p;
    double now;
    ~Overhead() { p.overhead_ = p.SecondsSinceBegin() - now; }
  } overhead{*this, now};
  RegionWork& known = Find(frame, region);
  Work work;
  work.times = 1;
  work.seconds = booked->second.seconds - known.work.seconds;
  work.bytes = std::max(0.0, static_cast<double>(booked->second.bytes) - known.work.bytes);
  work.flops = known.flops;
  work.transcendentals = known.transcendentals;
  const double rate = work.bytes <= kCacheBytes ? std::max(data_->cache_rate, data_->memory_rate) : data_->memory_rate;
  work.roof_seconds = std::max(rate > 0 ? work.bytes / rate : 0, known.peak_flops > 0 ? work.flops / known.peak_flops : 0);
  if (ExchangeOf(root).role != ExchangeRole::kNone) {  // buffers may be handed over without a byte moved
    work.roof_seconds = std::min(work.roof_seconds, work.seconds);
  } else if (work.roof_seconds > work.seconds) {
    const double times = work.roof_seconds / std::max(work.seconds, 1e-9);
    ++data_->beyond_roof;
    if (times > data_->furthest) data_->furthest_beyond = &root;
    data_->furthest = std::max(data_->furthest, times);
    work.roof_seconds = work.seconds;
  }
  known.work.Add(work);
  data_->total.Add(work);
  FollowFrames(now - work.seconds);
  AddToLoops(work);
  int64_t innermost = -1;
  for (const Frame& f : machine_.frames()) {
    if (IsLoop(f.kind)) innermost = f.iteration;
  }
  if (data_->events.size() < kMostEvents) {
    data_->events.push_back({&root, std::max(0.0, now - work.seconds), work.seconds, innermost, work.flops, work.bytes, false, ""});
  } else {
    ++data_->events_dropped;
  }
  last_end_ = now;
  NoteMemory(now, frame, region, result);
  return absl::OkStatus();
}

void Profiler::AddToLoops(const Work& work) {
  std::vector<int64_t> of;
  const Instruction* before = nullptr;
  for (const Frame& f : machine_.frames()) {
    if (!IsLoop(f.kind) || f.caller == nullptr || f.caller == before) continue;
    before = f.caller;
    of.push_back(f.iteration);
    const auto [loop, fresh] = loops_.try_emplace(f.caller);
    if (fresh) {
      loop->second.at = data_->loops.size();
      data_->loops.emplace_back().loop = f.caller;
    }
    std::vector<LoopWork::Iteration>& iterations = data_->loops[loop->second.at].iterations;
    if (static_cast<int64_t>(iterations.size()) < kMostIterations) {
      const auto [known, added] = loop->second.iterations.try_emplace(of, iterations.size());
      if (added) iterations.push_back({of, Work()});
      iterations[known->second].work.Add(work);
    } else {
      const auto known = loop->second.iterations.find(of);
      iterations[known == loop->second.iterations.end() ? iterations.size() - 1 : known->second].work.Add(work);
    }
  }
}

// Frames that are gone since the last region end where it ended; new ones begin with this region.
void Profiler::FollowFrames(double begin) {
  const std::vector<Frame>& frames = machine_.frames();
  size_t same = 0;
  while (same < open_.size() && same < frames.size() && open_[same].serial == frames[same].serial) ++same;
  while (open_.size() > same) {
    const OpenFrame& ended = open_.back();
    if (data_->events.size() < kMostEvents) {
      data_->events.push_back({ended.caller, ended.begin, std::max(0.0, last_end_ - ended.begin), -1, 0, 0, true, ended.label});
    } else {
      ++data_->events_dropped;
    }
    open_.pop_back();
  }
  for (size_t k = same; k < frames.size(); ++k) open_.push_back({frames[k].serial, frames[k].caller, FrameLabel(frames[k]), std::max(0.0, begin)});
}

void Profiler::NoteMemory(double now, const Frame& frame, const Region& region, const Value& result) {
  const int64_t live = machine_.account().peak();  // since the last region: while this one ran, before what only it read was let go
  machine_.account().ResetPeak();
  peak_ = std::max(peak_, live);
  std::vector<std::pair<double, int64_t>>& samples = data_->memory;
  if (++memory_count_ % memory_step_ == 0 || samples.empty()) {
    samples.emplace_back(now, live);
  } else if (live > samples.back().second) {
    samples.back() = {now, live};
  }
  if (samples.size() > kMostMemorySamples) {
    for (size_t k = 0; 2 * k + 1 < samples.size(); ++k) samples[k] = std::max(samples[2 * k], samples[2 * k + 1], [](const auto& a, const auto& b) { return a.second < b.second; });
    samples.resize(samples.size() / 2);
    memory_step_ *= 2;
  }
  size_t held = 0;
  for (const Frame& f : machine_.frames()) held += f.values.size();
  // Looking at every value costs; in large programs only where the peak grows by more than a hundredth.
  const int64_t grown = held < 2000 ? 0 : data_->owned_bytes / 100;
  if (live > data_->owned_bytes + grown) {
    data_->owned_bytes = live;
    TakeOwners(frame, region, result);
  }
}

const absl::flat_hash_set<const Buffer*>& Profiler::Constants() {
  if (constants_.has_value()) return *constants_;
  constants_.emplace();
  const std::function<void(const Value&)> note = [&](const Value& value) {
    for (const Value& element : value.elements()) note(element);
    if (value.buffer() != nullptr) constants_->insert(value.buffer());
  };
  const Frame& entry = machine_.frames().front();
  for (const Computation* computation : entry.computation->module->computations) {
    for (const Instruction* i : computation->instructions) {
      if (i->literal != nullptr) note(i->literal->value);
    }
  }
  return *constants_;
}

namespace {

std::string IterationOf(const Frame& frame) { return IsLoop(frame.kind) ? absl::StrCat(" (iteration ", frame.iteration, ")") : ""; }

}  // namespace

void Profiler::TakeOwners(const Frame& frame, const Region& region, const Value& result) {
  const Instruction& root = *frame.computation->schedule[region.root];
  int64_t named = 0;
  data_->owners.clear();
  data_->peak_at = &root;
  absl::flat_hash_set<const Buffer*> seen;
  const absl::flat_hash_set<const Buffer*>& constants = Constants();  // which loops and calls hand on
  const std::function<int64_t(const Value&)> count = [&](const Value& value) -> int64_t {
    int64_t bytes = 0;
    for (const Value& element : value.elements()) bytes += count(element);
    if (value.buffer() != nullptr && !constants.contains(value.buffer()) && seen.insert(value.buffer()).second)
      bytes += value.buffer()->size();
    return bytes;
  };
  const auto add = [&](const Instruction& i, const Frame& frame, const Value& value) {
    const int64_t bytes = value.has_value() && i.literal == nullptr ? count(value) : 0;
    if (bytes == 0) return;
    named += bytes;
    data_->owners.push_back(
        {absl::StrCat(ShownName(i), " in ", frame.computation->name, IterationOf(frame)), value.shape().ToString(false), bytes});
  };
  for (const Frame& f : machine_.frames()) {
    if (f.carried.has_value() && f.caller != nullptr) add(*f.caller, f, f.carried);
    for (size_t p = 0; p < f.values.size(); ++p) {
      if (f.values[p].has_value()) add(*f.computation->schedule[p], f, f.values[p]);
    }
  }
  add(root, frame, result);
  // What it read last is gone by now, but was there while it ran; not what the result was written over.
  for (const int p : region.inputs) {
    const Instruction& i = *frame.computation->schedule[p];
    if (frame.values[p].has_value() || i.literal != nullptr || !i.shape.IsArray()) continue;
    int64_t bytes = i.shape.ByteSize();
    if (const auto made = made_.find(&i); made != made_.end()) {
      if (constants.contains(made->second.first) || !seen.insert(made->second.first).second) continue;  // it shared what is named already
      bytes = made->second.second;
    }
    if (bytes == 0 || named + bytes > data_->owned_bytes) continue;
    named += bytes;
    data_->owners.push_back(
        {absl::StrCat(ShownName(i), " in ", frame.computation->name, IterationOf(frame)), i.shape.ToString(false), bytes});
  }
  if (const int64_t rest = data_->owned_bytes - named; rest > 0)
    data_->owners.push_back({absl::StrCat("scratch of ", ShownName(root), " and what is in no frame"), "", rest});
  std::stable_sort(data_->owners.begin(), data_->owners.end(), [](const MemoryOwner& a, const MemoryOwner& b) { return a.bytes > b.bytes; });
  if (data_->owners.size() > kMostOwners) data_->owners.resize(kMostOwners);
}

std::unique_ptr<ProfileData> Profiler::End() {
  machine_.set_region_observer(nullptr);
  data_->run_seconds = SecondsSinceBegin() - overhead_;
  while (!open_.empty()) {
    data_->events.push_back({open_.back().caller, open_.back().begin, std::max(0.0, last_end_ - open_.back().begin), -1, 0, 0, true, open_.back().label});
    open_.pop_back();
  }
  data_->peak_bytes = std::max(peak_, machine_.account().peak());
  for (const auto& [instruction, entry] : machine_.profile()) {
    if (Def(*instruction).control != ControlKind::kNone && entry.count > 0) data_->calls.emplace_back(instruction, entry.count);
  }
  std::stable_sort(data_->regions.begin(), data_->regions.end(), [](const RegionWork& a, const RegionWork& b) {
    if (a.work.seconds != b.work.seconds) return a.work.seconds > b.work.seconds;
    return a.root->index < b.root->index;
  });
  known_.clear();
  std::stable_sort(data_->loops.begin(), data_->loops.end(), [](const LoopWork& a, const LoopWork& b) {
    return std::make_pair(a.loop->parent->id, a.loop->index) < std::make_pair(b.loop->parent->id, b.loop->index);
  });
  return std::move(data_);
}

}  // namespace hloscope
