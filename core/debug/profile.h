// Where a run spends its time, bytes and arithmetic, and what memory held: gathered by watching a Machine's regions, told by instruction,
// operation, scope, source line and loop iteration. The tables, JSON and trace are made in profile_text.cc and profile_json.cc.
// Not for how fast a machine can be (roofline.h).
#ifndef HLOSCOPE_CORE_DEBUG_PROFILE_H_
#define HLOSCOPE_CORE_DEBUG_PROFILE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/exec/machine.h"

namespace hloscope {

struct Work {
  int64_t times = 0;
  double seconds = 0, flops = 0, transcendentals = 0;
  double bytes = 0;         // of the values that kernels took and made
  double roof_seconds = 0;  // what the machine needs at least for that
  void Add(const Work& other, double share = 1);
};

// One region: a kernel, or an instruction that ran alone. Where its members are several, they ran fused, as one.
struct RegionWork {
  const Instruction* root = nullptr;
  std::vector<const Instruction*> members;
  std::vector<double> shares;  // of the members, by their estimated work; sum 1
  double flops = 0, transcendentals = 0;  // of one execution
  double peak_flops = 0;                  // a second, in its type
  Work work;
};

struct LoopWork {
  struct Iteration {
    std::vector<int64_t> of;  // of the loops around it, outer before inner, and its own
    Work work;
  };
  const Instruction* loop = nullptr;
  std::vector<Iteration> iterations;  // in order of time; what comes after kMostIterations is in the last
};

struct MemoryOwner {
  std::string name;   // "%x in body (iteration 3)"
  std::string shape;
  int64_t bytes = 0;
};

struct ProfileData {
  std::string module, backend;
  const Module* program = nullptr;
  double run_seconds = 0;  // wall
  Work total;
  std::vector<RegionWork> regions;  // that ran, longest first
  std::vector<LoopWork> loops;      // in program order
  std::vector<std::pair<const Instruction*, int64_t>> calls;  // how often each call, loop and conditional ran
  // Live bytes of values and scratch after each region ran, as (seconds from the start, bytes); thinned out, keeping what is highest.
  std::vector<std::pair<double, int64_t>> memory;
  int64_t peak_bytes = 0;    // of the whole run, scratch included
  int64_t owned_bytes = 0;   // live when `owners` was taken: the highest of a region while it ran
  const Instruction* peak_at = nullptr;
  std::vector<MemoryOwner> owners;  // largest first
  // For the trace: what ran when, in order of their ends.
  struct Event {
    const Instruction* instruction = nullptr;
    double begin = 0, seconds = 0;
    int64_t iteration = -1;  // of the innermost loop
    double flops = 0, bytes = 0;
    bool is_frame = false;   // a call, loop or iteration, which holds others
    std::string label;       // of a frame
  };
  std::vector<Event> events;
  int64_t events_dropped = 0;
  double memory_rate = 0, cache_rate = 0;  // bytes a second, measured
  std::map<std::string, double> flop_rates;  // by type, measured
  // Executions that were faster than that: the machine was busy when it was measured, or they stay closer in the cache. They count as 100%.
  int64_t beyond_roof = 0;
  const Instruction* furthest_beyond = nullptr;
  double furthest = 0;  // how many times as fast
};

// Said with the profile of one of several devices.
constexpr absl::string_view kExchangeTimes = "What is exchanged takes the time that making it takes, and the bytes that the device brings and gets; nobody's waiting is counted.\n";

// Watches one run. The machine must have been made with time_instructions.
class Profiler {
 public:
  static constexpr int64_t kMostIterations = 100000;
  Profiler(Machine& machine, Backend& backend, const Module& module);
  // Sets the machine's (light) observer; call after Start and before Run.
  void Begin();
  // Seconds since Begin that something else ran, which is not the program's time.
  void set_elsewhere(std::function<double()> elsewhere) { elsewhere_ = std::move(elsewhere); }
  // Takes the observer away and gives what was seen.
  std::unique_ptr<ProfileData> End();

 private:
  struct OpenFrame {
    uint64_t serial = 0;
    const Instruction* caller = nullptr;
    std::string label;
    double begin = 0;
  };
  double SecondsSinceBegin() const;  // of the program and of looking at it
  absl::Status Observe(const Frame& frame, const Region& region, const Value& result);
  RegionWork& Find(const Frame& frame, const Region& region);
  void AddToLoops(const Work& work);
  void FollowFrames(double now);
  void NoteMemory(double now, const Frame& frame, const Region& region, const Value& result);
  void TakeOwners(const Frame& frame, const Region& region, const Value& result);
  const absl::flat_hash_set<const Buffer*>& Constants();

  Machine& machine_;
  Backend& backend_;
  std::unique_ptr<ProfileData> data_;
  absl::flat_hash_map<const Instruction*, size_t> known_;      // by root
  struct KnownLoop {
    size_t at = 0;  // in the data
    absl::flat_hash_map<std::vector<int64_t>, size_t> iterations;
  };
  absl::flat_hash_map<const Instruction*, KnownLoop> loops_;
  std::optional<absl::flat_hash_set<const Buffer*>> constants_;  // the program's own: no run's memory
  // The buffer that each instruction's array was made in last, and its bytes: only to be compared, it may be gone.
  absl::flat_hash_map<const Instruction*, std::pair<const Buffer*, int64_t>> made_;
  std::vector<OpenFrame> open_;
  double last_end_ = 0;
  double overhead_ = 0;  // seconds spent here
  std::function<double()> elsewhere_;
  int64_t memory_step_ = 1, memory_count_ = 0;
  int64_t peak_ = 0;  // of memory, of the regions so far
  std::chrono::steady_clock::time_point start_;
};

enum class ProfileBy : uint8_t { kInstruction, kOperation, kScope, kLine, kIteration };
// "instruction", "op", "scope", "line", "iteration" and what they begin.
absl::StatusOr<ProfileBy> ParseProfileBy(absl::string_view text);

// A row of a table, longest first.
struct ProfileRow {
  std::string what;
  Work work;
};
std::vector<ProfileRow> ProfileRows(const ProfileData& data, ProfileBy by);
// The heading and at most `most` rows.
std::string ProfileTable(const ProfileData& data, ProfileBy by, size_t most);
std::string ProfileSummary(const ProfileData& data);  // a few lines: the whole, and the machine's figures
std::string MemoryText(const ProfileData& data);      // live memory over time, and the peak's owners
std::string ProfileJson(const ProfileData& data);
// The JSON that Perfetto and chrome://tracing open.
std::string TraceJson(const ProfileData& data);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PROFILE_H_
