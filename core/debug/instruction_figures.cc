#include "core/debug/instruction_figures.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/debug/known_values.h"
#include "core/debug/profile_commands.h"
#include "core/debug/shadow_commands.h"
#include "core/debug/text_util.h"
#include "core/literal/statistics.h"

namespace hloscope {
namespace {

constexpr int64_t kHealthBytes = 32 << 20;  // of values looked through at one stop
constexpr int64_t kLookedOnBytes = 4 << 20;  // of an array that is looked through a part at a time
constexpr int64_t kSmallBytes = 256 << 10;  // of a value and what it is made from
constexpr double kHealthSeconds = 0.1;      // spent on making values again

// Which of the computations that its caller calls a frame is of.
int WhichOf(const Frame& frame) {
  if (frame.kind == FrameKind::kBranch) return frame.branch;
  const std::vector<Computation*> called = frame.caller->CalledComputations();
  const auto at = std::find(called.begin(), called.end(), frame.computation);
  return at == called.end() ? 0 : static_cast<int>(at - called.begin());
}

}  // namespace

int CallOf(absl::Span<const Frame> frames, CallTree* tree) {
  int call = CallTree::kEntry;
  for (const Frame& frame : frames) {
    if (frame.caller != nullptr) call = tree->Add(call, *frame.caller, WhichOf(frame));
  }
  return call;
}

InstructionFigures TimeFigures(Session::State& s) {
  InstructionFigures figures;
  const ProfileData* profile = LastProfile(s);
  if (profile == nullptr || profile->program != s.module.get()) {
    figures.missing = "No times yet: they come from a profile of a run.";
    figures.command = "profile run";
    return figures;
  }
  figures.calls.insert(profile->calls.begin(), profile->calls.end());
  for (const RegionWork& region : profile->regions) {
    for (size_t k = 0; k < region.members.size(); ++k) figures.of[region.members[k]] += region.work.seconds * (k < region.shares.size() ? region.shares[k] : 0);
    if (region.members.empty() && region.root != nullptr) figures.of[region.root] += region.work.seconds;
  }
  for (const auto& [instruction, seconds] : figures.of) {
    figures.total += seconds;
    figures.most = std::max(figures.most, seconds);
  }
  return figures;
}

InstructionFigures HealthFigures(Session::State& s) {
  InstructionFigures figures;
  if (!s.visible()) {
    figures.missing = "No values yet: start the program to see which are finite.";
    figures.command = "start";
    return figures;
  }
  int64_t room = kHealthBytes;
  std::vector<std::pair<int, int>> big;  // depth and position
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > kHealthSeconds; };
  const auto small = [](const Instruction& i) {
    int64_t bytes = i.shape.ByteSize();
    for (const Instruction* operand : i.operands) bytes += operand->shape.ByteSize();
    return bytes <= kSmallBytes;
  };
  const std::vector<Frame>& frames = s.machine->frames();
  bool kept = false, left = false;  // of what was made again; of what there was no time for
  for (int depth = static_cast<int>(frames.size()) - 1; depth >= 0; --depth) {
    const Frame& frame = frames[depth];
    const int call = CallOf(absl::MakeConstSpan(frames).first(static_cast<size_t>(depth) + 1), &figures.by_call.tree);
    const std::vector<Instruction*>& schedule = frame.computation->schedule;
    const bool innermost = depth + 1 == static_cast<int>(frames.size()) && frame.kind != FrameKind::kElement;
    for (int k = std::min(static_cast<int>(std::min(frame.values.size(), schedule.size())), frame.position) - 1; k >= 0 && room > 0; --k) {
      Value value = frame.values[k];
      if (!value.has_value() && innermost && small(*schedule[k])) {
        if (spent()) {
          left = true;
        } else if (absl::StatusOr<Value> made = s.machine->ValueOf(depth, k); made.ok()) {
          value = *std::move(made);
          kept = kept || frame.values[k].has_value();
        }
      }
      if (!value.has_value() || !value.IsDense()) continue;
      if (value.shape().IsArray() && value.byte_size() > kLookedOnBytes) {
        big.emplace_back(depth, k);
        continue;
      }
      if (value.byte_size() > room) continue;
      room -= value.byte_size() + 64;
      const NonFinite found = FindNonFinite(value);
      figures.by_call.of[{call, schedule[k]}] = found.nan ? kNotANumber : found.inf ? kInfinite : kFine;
    }
  }
  // The next time goes on from there, as long as what is made is held.
  figures.more = left && kept;
  // What is big is looked through a part at a time, and known afterwards to all that ask. What is found so far is said.
  const KnowUntil until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  for (const auto& [depth, k] : big) {
    const Instruction* instruction = frames[depth].computation->schedule[k];
    const KnownValue known = LookOn(s, depth, *instruction, frames[depth].values[k], until);
    if (known.whole || known.statistics.nan > 0) {
      const int call = CallOf(absl::MakeConstSpan(frames).first(static_cast<size_t>(depth) + 1), &figures.by_call.tree);
      figures.by_call.of[{call, instruction}] = known.statistics.nan > 0 ? kNotANumber : known.statistics.inf > 0 ? kInfinite : kFine;
    }
    figures.more |= !known.whole;
    if (figures.more) break;  // the time is up
  }
  return figures;
}

InstructionFigures ErrorFigures(Session::State& s) {
  InstructionFigures figures;
  const ShadowReport* report = LastShadowReport(s);
  if (report == nullptr) {
    figures.missing = "No errors measured yet: shadow compares a run with f64.";
    figures.command = "shadow";
    return figures;
  }
  figures.by_call.tree = report->calls;
  bool sampled = false;
  for (const ShadowRow& row : report->rows) {
    if (row.own.elements == 0 || row.instruction == nullptr) continue;
    for (const auto& [call, worst] : row.worst_by_call) figures.by_call.of[{call, row.instruction}] = worst;
    sampled = sampled || row.own.elements < row.instruction->shape.ElementCount();
    figures.most = std::max(figures.most, row.own.worst_ulp);
  }
  if (sampled) figures.worst_of = "a sample of each result's elements";
  if (report->looks < report->executions)
    absl::StrAppend(&figures.worst_of, sampled ? ", in " : "", report->looks, " of ", Count(report->executions, "execution"));
  return figures;
}

}  // namespace hloscope
