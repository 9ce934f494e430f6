// A profile is taken by a run of its own, on a machine of its own: where the session stands does not change, and stops do not count.
#include "core/debug/profile_commands.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/debug/begin.h"
#include "core/debug/beside.h"
#include "core/debug/devices.h"
#include "core/debug/file_words.h"
#include "core/debug/interruption.h"
#include "core/debug/text_util.h"
#include "core/exec/error_place.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

constexpr size_t kRows = 20;

struct ProfileState {
  std::map<int, std::unique_ptr<ProfileData>> last;  // by device
};

absl::Status TakeProfile(Session::State& s, int64_t runs) {
  absl::StatusOr<std::shared_ptr<Beside>> others = Beside::Open(s);
  if (!others.ok()) return others.status();
  if (s.inputs == nullptr) {
    absl::StatusOr<std::unique_ptr<ProgramInputs>> opened = ProgramInputs::Open(*s.module, s.options);
    if (!opened.ok()) return opened.status();
    s.inputs = *std::move(opened);
  }
  MachineOptions options;
  options.memory_limit = s.options.memory_limit;
  options.max_iterations = s.options.max_iterations;
  options.seed = s.options.fill.seed;
  options.fill = s.options.fill;
  options.custom_calls = &s.inputs->custom_calls();
  options.infeed = s.inputs->infeed();
  AllowParallel(s, options);
  options.time_instructions = true;
  if (*others != nullptr) options.exchange = (*others)->port();
  Machine machine(*s.module, *s.backend, std::move(options));
  std::atomic<std::atomic<bool>*> before{s.interrupt.exchange(&machine.interrupt())};
  std::unique_ptr<ProfileData> best;
  absl::Status status;
  // The first run of a kernel pays for pages and for what libraries prepare: where that is cheap, a second run is the one to look at.
  constexpr double kShort = 1;
  for (int64_t run = 0; status.ok() && (run < runs || (run == 1 && best->run_seconds < kShort)); ++run) {
    std::vector<Value> parameters;
    for (int k = 0; k < s.inputs->parameter_count() && status.ok(); ++k) {
      absl::StatusOr<Value> value = s.inputs->Parameter(k, &machine.account());
      status = value.status();
      if (value.ok()) parameters.push_back(*std::move(value));
    }
    if (!status.ok()) break;
    if (run == 0) machine.PrepareAll();
    if (run > 0 && *others != nullptr) status = (*others)->Restart();
    if (!status.ok()) break;
    status = machine.Start(std::move(parameters));
    if (!status.ok()) break;
    machine.account().ResetPeak();
    Profiler profiler(machine, *s.backend, *s.module);
    if (*others != nullptr) profiler.set_elsewhere([&others] { return (*others)->seconds(); });
    profiler.Begin();
    const StopReason reason = machine.Run();
    std::unique_ptr<ProfileData> data = profiler.End();
    if (reason == StopReason::kInterrupted) status = Interruption("nothing is kept of this profile");
    if (reason == StopReason::kError)
      status = absl::Status(machine.status().code(),
                            absl::StrCat("the program stopped with an error while it was profiled", ErrorText(machine)));
    if (status.ok() && (best == nullptr || data->total.seconds < best->total.seconds)) best = std::move(data);
  }
  s.interrupt.store(before.load());
  if (!status.ok()) return status;
  s.Extension<ProfileState>().last[DevicesOf(s).selected] = std::move(best);
  return absl::OkStatus();
}

absl::Status Need(Session::State& s) {
  return LastProfile(s) != nullptr ? absl::OkStatus() : TakeProfile(s, 1);
}

absl::Status WriteText(absl::string_view path, const std::string& text) {
  std::ofstream file(std::string(path), std::ios::binary);
  file << text;
  file.close();
  return file ? absl::OkStatus() : absl::UnavailableError(absl::StrCat("cannot write ", path));
}

}  // namespace

const ProfileData* LastProfile(Session::State& s) { return s.Extension<ProfileState>().last[DevicesOf(s).selected].get(); }

absl::Status CommandProfile(Session::State& s, absl::string_view args) {
  absl::string_view rest = args;
  const absl::string_view word = TakeWord(rest);
  rest = absl::StripAsciiWhitespace(rest);
  if (word.empty() || word == "run") {
    const absl::StatusOr<int64_t> runs = ParseCount(rest, 1);
    if (!runs.ok()) return runs.status();
    const absl::Status taken = TakeProfile(s, std::max<int64_t>(1, *runs));
    if (!taken.ok()) return taken;
    const ProfileData& data = *LastProfile(s);
    if (Several(s)) s.Say("Of ", SelectedName(s), "; the others ran beside it, and what they took is not in its time. ", kExchangeTimes);
    s.Say(ProfileSummary(data), ProfileTable(data, ProfileBy::kInstruction, kRows));
    return absl::OkStatus();
  }
  const bool json = word == "json", trace = word == "trace";
  if (!json && !trace) return absl::InvalidArgumentError(absl::StrCat("profile takes run [N], json OUT.json or trace OUT.json, not '", word, "'; info hot and info memory show more"));
  if (rest.empty()) return absl::InvalidArgumentError(absl::StrCat("profile ", word, " takes a file to write"));
  const absl::Status there = Need(s);
  if (!there.ok()) return there;
  const ProfileData& data = *LastProfile(s);
  absl::StatusOr<std::string> file = WholeFile(rest);
  if (!file.ok()) return file.status();
  *file = FileOfRun(s, *file);
  const absl::Status written = WriteText(*file, json ? ProfileJson(data) : TraceJson(data));
  if (!written.ok()) return written;
  if (json) s.Say("Wrote the profile to ", *file, ".\n");
  if (trace) s.Say("Wrote ", Count(static_cast<int64_t>(data.events.size()), "event"), " to ", *file, " (open it in ui.perfetto.dev)",
                   data.events_dropped > 0 ? absl::StrCat("; ", data.events_dropped, " later ones were left out") : "", ".\n");
  return absl::OkStatus();
}

absl::Status InfoHot(Session::State& s, absl::string_view args) {
  int64_t most = kRows;
  ProfileBy by = ProfileBy::kInstruction;
  for (absl::string_view word = TakeWord(args); !word.empty(); word = TakeWord(args)) {
    if (int64_t number = 0; absl::SimpleAtoi(word, &number)) {
      if (number < 1) return absl::InvalidArgumentError(absl::StrCat("info hot shows a number of lines of at least 1, not ", word));
      most = number;
      continue;
    }
    if (word == "by") word = TakeWord(args);
    const absl::StatusOr<ProfileBy> parsed = ParseProfileBy(word);
    if (!parsed.ok()) return absl::InvalidArgumentError(absl::StrCat("info hot takes [N] [by instruction|op|scope|line|iteration]; ", parsed.status().message()));
    by = *parsed;
  }
  const absl::Status there = Need(s);
  if (!there.ok()) return there;
  s.Say(ProfileSummary(*LastProfile(s)), ProfileTable(*LastProfile(s), by, static_cast<size_t>(most)));
  return absl::OkStatus();
}

std::string HeldNowText(const Session::State& s, size_t most) {
  if (s.machine == nullptr) return "";
  struct Held {
    int64_t bytes;
    std::string name;
  };
  std::vector<Held> held;
  absl::flat_hash_set<const Buffer*> seen;
  const std::function<int64_t(const Value&)> count = [&](const Value& value) -> int64_t {
    int64_t bytes = 0;
    for (const Value& element : value.elements()) bytes += count(element);
    if (value.buffer() != nullptr && seen.insert(value.buffer()).second) bytes += value.buffer()->size();
    return bytes;
  };
  for (const Frame& frame : s.machine->frames()) {
    for (size_t p = 0; p < frame.values.size(); ++p) {
      const Instruction& i = *frame.computation->schedule[p];
      if (!frame.values[p].has_value() || i.literal != nullptr) continue;
      if (const int64_t bytes = count(frame.values[p]); bytes > 0) held.push_back({bytes, absl::StrCat(ShownName(i), " in ", frame.computation->name, " ", ShapeText(i.shape))});
    }
  }
  std::stable_sort(held.begin(), held.end(), [](const Held& a, const Held& b) { return a.bytes > b.bytes; });
  std::string text;
  for (size_t k = 0; k < std::min(most, held.size()); ++k) absl::StrAppendFormat(&text, "%12s  %s\n", FormatByteCount(held[k].bytes), held[k].name);
  if (held.size() > most) absl::StrAppend(&text, "  (", held.size() - most, " smaller ones)\n");
  return text;
}

}  // namespace hloscope
