// hloscope export of pictures: runs the program up to the instruction, and draws what it does with its numbers.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "app/cli/device_run.h"
#include "app/cli/export.h"
#include "app/cli/load.h"
#include "app/cli/progress.h"
#include "app/cli/verb.h"
#include "app/gui/wiring.h"
#include "core/debug/devices.h"
#include "core/debug/expression.h"
#include "core/debug/locations.h"
#include "core/debug/program_inputs.h"
#include "core/debug/session_state.h"
#include "core/debug/travel.h"
#include "core/ir/written_names.h"
#include "core/ops/transfers.h"
#include "visualizer/model/picture_view.h"
#include "visualizer/model/value_view.h"

namespace hloscope::cli {
namespace {

constexpr int kMostMoments = 1000;  // at which a condition may say nothing

// Whether a call comes to the computation, in whatever it calls.
bool Reaches(const Instruction& call, const Computation& computation) {
  std::vector<const Computation*> open;
  std::set<const Computation*> seen;
  const auto add = [&](const Instruction& i) {
    if (i.attributes.empty()) return;
    for (const Computation* called : i.CalledComputations()) {
      if (called != nullptr && seen.insert(called).second) open.push_back(called);
    }
  };
  for (add(call); !open.empty();) {
    const Computation* next = open.back();
    open.pop_back();
    for (const Instruction* i : next->instructions) add(*i);
  }
  return seen.count(&computation) > 0;
}

// Makes the instruction, or the one call that leads to it, the program's result: what it does not need is not executed then. Programs that
// call it from several places stay as they are.
void RunOnlyFor(const Instruction& instruction, Module* module) {
  Instruction* result = nullptr;
  for (Instruction* i : module->entry->instructions) {
    if (i != &instruction && (instruction.parent->is_entry || !Reaches(*i, *instruction.parent))) continue;
    if (result != nullptr) return;
    result = i;
  }
  if (result == nullptr) return;
  module->entry->root = result;
  module->entry_result.reset();
}

// What a session said, without where it began, which device it turned to and lines of the program, whose result is another one than in the file.
std::string WhatWentWrong(absl::string_view said) {
  std::string text;
  for (const absl::string_view line : absl::StrSplit(said, '\n', absl::SkipEmpty())) {
    const size_t tab = line.find('\t');
    const bool listed = tab != absl::string_view::npos && line.substr(0, tab).find_first_not_of("0123456789") == absl::string_view::npos;
    if (!listed && !absl::StartsWith(line, "Starting ") && !absl::StartsWith(line, "Temporary breakpoint ") && !absl::StartsWith(line, "Switched to ")) absl::StrAppend(&text, line, "\n");
  }
  return text;
}

class PictureExport {
 public:
  explicit PictureExport(const DrawRequest& request) : r_(request) {}

  int Run() {
    Loaded loaded;
    int status = kOk;
    std::unique_ptr<Module> module = LoadOrReport(r_.file, loaded, status);
    if (module == nullptr) return status;
    const Module& m = *module;
    std::string at = r_.at, cell;
    if (const size_t word = at.find(" if "); word != std::string::npos) {
      condition_ = at.substr(word + 4);
      at = at.substr(0, word);
    }
    // "%x[0,1]": with that element selected.
    if (const size_t bracket = at.find('['); bracket != std::string::npos && at.find(':') == std::string::npos) {
      cell = at.substr(bracket);
      at = at.substr(0, bracket);
    }
    if (const int found = Find(m, at); found != kOk) return found;
    reach_ = instruction_;
    if (r_.picture == "list") {
      for (const PictureRow* row : PicturesFor(*instruction_)) std::printf("%-16s %s\n", row->id, row->help);
      return kOk;
    }
    PictureFileOptions options;
    if (const int taken = Options(cell, &options); taken != kOk) return taken;
    if (condition_.empty()) RunOnlyFor(*instruction_, module.get());  // it may read anything
    absl::StatusOr<SessionOptions> session_options = r_.program.ToSession(/*several=*/true);
    if (!session_options.ok()) return UsageError(std::string(session_options.status().message()));
    session_options->arguments = std::move(loaded.arguments);
    if (const absl::Status given = GiveDevices(r_.program, *module, &*session_options); !given.ok()) return UsageError(std::string(given.message()));
    absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(r_.program);
    if (!backend.ok()) return UsageError(std::string(backend.status().message()));
    Session session(std::move(module), *std::move(backend), *std::move(session_options), [this](absl::string_view text) { absl::StrAppend(&said_, text); });
    LetRunParallel(r_.program, session);
    if (!condition_.empty() && r_.no_run) return UsageError(absl::StrCat("--at ... if ", condition_, ": a condition goes with a run"));
    if (!r_.no_run && !Several(session.state())) {
      const auto inputs = ProgramInputs::Open(*session.state().module, session.state().options);
      if (!inputs.ok()) return UsageError(std::string(inputs.status().message()));
    }
    const bool ran = r_.no_run || RunTo(session);
    if (!wrong_.empty()) said_ = wrong_;
    options.ahead = !r_.no_run;
    progress_.Set("drawing");
    const absl::Status written = WritePicture(session.state(), *instruction_, r_.picture, options, r_.out);
    progress_.Set("");
    if (!written.ok()) return UsageError(std::string(written.message()));
    if (!ran) {
      // Shapes are drawn all the same.
      std::fputs(WhatWentWrong(said_).c_str(), stderr);
      return kFailed;
    }
    return kOk;
  }

 private:
  int Find(const Module& module, const std::string& at) {
    if (at.empty()) {
      // What the program comes to.
      instruction_ = module.entry != nullptr ? module.entry->root : nullptr;
      if (instruction_ != nullptr && PicturesFor(*instruction_).empty() && !instruction_->operands.empty()) instruction_ = instruction_->operands[0];
    } else {
      const absl::StatusOr<std::vector<Location>> found = ResolveLocations(module, at, module.entry);
      if (!found.ok()) return UsageError(std::string(found.status().message()));
      instruction_ = &found->front().instruction();
    }
    return instruction_ != nullptr ? kOk : UsageError("the program has no instruction to draw");
  }

  int Options(const std::string& cell, PictureFileOptions* options) {
    options->page.scheme = r_.dark ? PaletteScheme::kDark : PaletteScheme::kLight;
    // Pixels are drawn twice as fine as they are shown.
    options->page.scale = r_.scale > 0 ? static_cast<float>(r_.scale) : absl::EndsWith(r_.out, ".png") ? 2.0f : 1.0f;
    options->selection.step = r_.step;
    std::vector<std::string> problems;
    absl::StatusOr<Captions> captions = LoadCaptions(gui::LessonsFolder(), r_.language, &problems);
    for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
    if (!captions.ok()) return UsageError(std::string(captions.status().message()));
    options->selection.captions = *std::move(captions);
    if (r_.width > 0) options->selection.width = static_cast<float>(r_.width);
    for (const std::string& option : r_.picture_options) {
      const std::pair<std::string, std::string> pair = absl::StrSplit(option, absl::MaxSplits('=', 1));
      if (option.find('=') == std::string::npos) return UsageError(absl::StrCat("--option takes NAME=VALUE, not ", option));
      options->selection.options[pair.first] = pair.second;
    }
    const std::string selected = !r_.select.empty() ? r_.select : cell;
    if (selected.empty()) return kOk;
    const absl::StatusOr<Cell> parsed = ParseCell(*instruction_, selected);
    if (!parsed.ok()) return UsageError(std::string(parsed.status().message()));
    options->selection.pinned = *parsed;
    return kOk;
  }

  // False: the program ended with an error, or could not be run; `said_` says why.
  bool RunTo(Session& session) {
    progress_.Set("running");
    Session::State& s = session.state();
    // What a receive takes is there where that is awaited.
    if (Several(s)) {
      if (const Instruction* taken = TakenBy(*instruction_); taken != nullptr) reach_ = taken;
    }
    const std::string name = absl::StrCat(reach_->parent->name, ":", reach_->name);
    // On several devices all go to the end: there each still has what the instruction read and made.
    if (Several(s) && instruction_->parent == s.module->entry && condition_.empty()) return session.Execute("run").ok && (!s.error_stop || s.Finished());
    // Constants and parameters are no stops: there the program is at its beginning.
    const bool stops = session.Execute(absl::StrCat("tbreak ", name, condition_.empty() ? "" : absl::StrCat(" if ", condition_))).ok;
    if (!stops && !condition_.empty()) return false;
    said_.clear();
    const bool started = session.Execute(stops && instruction_->parameter_number < 0 && instruction_->literal == nullptr ? "run" : "start").ok;
    // Where the condition says nothing it has stopped, too: another loop, or none, is around it there.
    for (int k = 0; started && !condition_.empty() && !s.Finished() && !s.error_stop && k < kMostMoments; ++k) {
      const absl::StatusOr<Claim> claim = EvaluateClaim(condition_, s, false);
      if (claim.ok()) break;
      said_ = absl::StrCat("where the program comes to ", ShownName(*instruction_), ", ", condition_, " cannot be evaluated: ", claim.status().message(), "\n");
      const bool again = session.Execute(absl::StrCat("tbreak ", name, " if ", condition_)).ok && session.Execute("continue").ok;
      if (!again || k + 1 == kMostMoments) return false;
    }
    if (started && s.Finished() && !condition_.empty()) {
      said_ = absl::StrCat("the program does not come to ", ShownName(*instruction_), " with ", condition_, "\n");
      return false;
    }
    // What follows it in its frame can still be looked at after it: a loop, whose iterations are drawn, is done as a whole.
    const bool last = instruction_->index + 1 == static_cast<int>(instruction_->parent->schedule.size());
    if (started && !s.Finished() && !s.error_stop && !Several(s) && (instruction_->parent == s.module->entry || !last) && stops)
      session.Execute("next");
    if (started && !s.error_stop && Several(s)) {
      Mark mark = s.machine->Where();
      // A condition that reads its value has stopped behind it.
      const Frame& top = s.machine->top();
      const bool behind = top.computation == reach_->parent && top.position == reach_->index + 1;
      if (behind) mark.levels.back().position = reach_->index;
      const bool there = behind || s.machine->next_instruction() == reach_;
      if (condition_.empty()) {
        BringAll(session, name);
      } else {
        BringAllThere(session, name, mark);
      }
      // Where its frame has ended with it, or the device went on to another iteration because others needed what it gives, the moment before it is
      // come back to: there it is known what all brought and got.
      if (there && !StandsIn(*s.machine, mark) && GoTo(s, mark).ok())
        s.selected = static_cast<int>(s.machine->frames().size()) - 1;
    }
    return started && !s.error_stop && wrong_.empty();
  }

  // In the frame of the moment, at it or behind it.
  static bool StandsIn(const Machine& machine, const Mark& mark) {
    Mark now = machine.Where();
    if (now.levels.size() != mark.levels.size() || now < mark) return false;
    now.levels.back().position = mark.levels.back().position;
    return now == mark;
  }

  static bool Select(Session& session, int device) {
    const int64_t partitions = session.state().options.devices.partitions;
    return session
        .Execute(absl::StrCat("replica ", device / partitions, partitions > 1 ? absl::StrCat(" partition ", device % partitions) : ""))
        .ok;
  }

  // The first error of those that several devices stop with, each as often as it is asked to go on, says what went wrong.
  void Go(Session& session, const std::string& command) {
    const size_t before = said_.size();
    session.Execute(command);
    if (session.state().error_stop && wrong_.empty()) wrong_ = said_.substr(before);
  }

  // The other devices to the moment where the condition has stopped one, whatever it says of them, and all of them past the instruction.
  void BringAllThere(Session& session, const std::string& name, const Mark& mark) {
    Session::State& s = session.state();
    const int first = DevicesOf(s).selected, count = s.options.devices.count();
    const int64_t partitions = s.options.devices.partitions;
    std::string loops;
    for (const Frame& frame : s.machine->frames()) {
      if (frame.kind == FrameKind::kWhileBody || frame.kind == FrameKind::kWhileCondition)
        absl::StrAppend(&loops, " && iteration(", frame.caller->name, ") == ", frame.iteration);
    }
    for (int d = 0; d < count; ++d) {
      if (d == first || !Select(session, d) || s.Finished() || !(s.machine->Where() < mark)) continue;
      session.Execute(absl::StrCat("tbreak ", name, " if replica == ", d / partitions, " && partition == ", d % partitions, loops));
      if (Select(session, d)) Go(session, "continue");
    }
    for (int d = 0; d < count; ++d) {
      if (Select(session, d) && s.machine->Where() == mark) Go(session, "next");
    }
    // Some went past it, because others waited for them. They come back, to the moment at which each came to this exchange, and what they got there
    // is known.
    const std::shared_ptr<const ExchangePast> past = DevicesOf(s).room->PastAt(first, mark);
    const auto moment = [&](int d) {
      if (past == nullptr) return mark;
      const auto member = std::find_if(past->members.begin(), past->members.end(), [&](const ExchangePast::Member& m) { return m.device == d; });
      return member == past->members.end() ? mark : member->mark;
    };
    for (int d = 0; d < count; ++d) {
      const Mark then = moment(d);
      if (!Select(session, d) || s.machine->Where() < then || (StandsIn(*s.machine, then) && !(s.machine->Where() == then))) continue;
      const Mark was = s.machine->Where();
      if (GoTo(s, then).ok() && s.machine->Where() == then) Go(session, "next");
      else (void)GoTo(s, was);
    }
    Select(session, first);
  }

  // The other devices to the same place, and all of them past it. One that does not come there has no numbers in the picture.
  void BringAll(Session& session, const std::string& name) {
    const int count = session.state().options.devices.count();
    const int first = DevicesOf(session.state()).selected;
    for (int d = 0; d < count; ++d) {
      if (d != first && Select(session, d)) Go(session, absl::StrCat("until ", name));
    }
    for (int d = 0; d < count; ++d) {
      if (!Select(session, d) || session.state().Finished()) continue;
      // Some went past it already, because others waited for them.
      Session::State& s = session.state();
      const int depth = s.FrameThatShows(*reach_);
      if (depth >= 0 && s.machine->frames()[depth].position <= reach_->index) Go(session, "next");
    }
    Select(session, first);
  }

  const DrawRequest& r_;
  std::string condition_;  // of --at
  const Instruction* instruction_ = nullptr;
  const Instruction* reach_ = nullptr;  // up to which the program runs: the same, or what gives what it takes
  std::string said_;
  std::string wrong_;  // of what was said: the first error on the way to the others
  Progress progress_;
};

}  // namespace

int DrawPicture(const DrawRequest& request) { return PictureExport(request).Run(); }

}  // namespace hloscope::cli
