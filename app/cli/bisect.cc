// hloscope bisect: which compiler pass of a dump folder first changes a value.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "app/cli/arguments.h"
#include "app/cli/difference_text.h"
#include "app/cli/load.h"
#include "app/cli/progress.h"
#include "app/cli/verb.h"
#include "core/debug/bisect.h"
#include "core/debug/lockstep.h"
#include "core/debug/match.h"
#include "core/debug/program_inputs.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

struct BisectOptions {
  std::string folder, module;
  std::vector<std::string> budgets;
  bool all = false, json = false, verbose = false;
  ProgramOptions program;
};

// A module of the dump, ready to run.
struct Stage {
  DumpFile dump;
  Loaded loaded;
  std::unique_ptr<Module> module;
  std::string error;  // why it cannot be used
};

// What became of a program from one stage to the next.
struct Transition {
  DumpFile before, after;
  std::vector<std::string> with;  // passes between them whose dumps could not be compared
  std::string outcome;  // "equal", "changed", "not compared"
  std::string why;      // of one that was not compared
  bool ran = false;     // the program after it runs to its end, though its results are no match for those before
  std::vector<std::string> not_judged;  // passes before it that could not be held against what was before them
  int64_t changes = 0;  // of the structure
  double worst_ulp = 0;
  std::string text;     // of the divergence
  ordered_json divergence;
};

int Refuse(const BisectOptions& o, const absl::Status& why) {
  if (o.json) std::printf("%s\n", ordered_json({{"error", {{"message", std::string(why.message())}}}}).dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
  return UsageError(std::string(why.message()));
}

std::string PassText(const DumpFile& dump) {
  const std::string pass = dump.pass.empty() ? absl::StrCat("the step to ", dump.file) : dump.pass;
  return dump.pipeline.empty() || dump.pipeline == dump.pass ? pass : absl::StrCat(pass, " (of ", dump.pipeline, ")");
}

// ", or before it dce, whose dump could not be compared".
std::string BeforeIt(const Transition& t) {
  if (t.with.empty()) return "";
  return absl::StrCat(", or before it ", absl::StrJoin(t.with, ", "), t.with.size() == 1 ? ", whose dump" : ", whose dumps", " could not be compared");
}

// "could not be judged: spmd-partitioner, whose results are others in number, type or shape".
std::string NotJudged(const std::vector<std::string>& passes) {
  return absl::StrCat("could not be judged: ", absl::StrJoin(passes, ", "), ", before and after ", passes.size() == 1 ? "which" : "each of which", " the results are no match for each other");
}

class Bisector {
 public:
  Bisector(BisectOptions& o, SessionOptions session, BudgetTable budgets) : o_(o), session_(std::move(session)), budgets_(std::move(budgets)) {}

  absl::Status Find() {
    std::error_code error;
    std::vector<std::string> files;
    for (fs::directory_iterator at(o_.folder, error), end; !error && at != end; at.increment(error)) {
      if (at->is_regular_file(error)) files.push_back(at->path().filename().string());
    }
    if (error) return absl::NotFoundError(absl::StrCat("cannot read the folder ", o_.folder, ": ", error.message()));
    std::sort(files.begin(), files.end());
    std::map<std::string, std::vector<DumpFile>> modules;
    for (DumpFile& dump : OrderDumps(files)) modules[dump.module].push_back(std::move(dump));
    if (modules.empty()) return absl::NotFoundError(absl::StrCat(o_.folder, " holds no dumped modules (module_0001.NAME.0003.PIPELINE.after_PASS.before_PASS.txt)"));
    // Files without a module's name count as steps of one program only where there are no dumps.
    if (modules.size() > 1) modules.erase("");
    const std::string* chosen = nullptr;
    for (const auto& [name, dumps] : modules) {
      if (!o_.module.empty() && !absl::StrContains(name, o_.module)) continue;
      if (chosen == nullptr || dumps.size() > modules[*chosen].size()) chosen = &name;
    }
    if (chosen == nullptr) return absl::NotFoundError(absl::StrCat("no dumped module's name contains ", o_.module));
    dumps_ = modules[*chosen];
    if (modules.size() > 1 && o_.module.empty()) {
      std::vector<std::string> others;
      for (const auto& [name, dumps] : modules) {
        if (name != *chosen) others.push_back(name);
      }
      std::fprintf(stderr, "note: %s; %s is taken, of which there are the most dumps (--module NAME takes another of: %s)\n", Count(static_cast<int64_t>(modules.size()), "module").c_str(), chosen->c_str(),
                   Cut(absl::StrJoin(others, ", "), 200).c_str());
    }
    if (dumps_.size() < 2) return absl::NotFoundError(chosen->empty() ? absl::StrCat(o_.folder, " holds one program only (", dumps_[0].file, "): there is nothing to compare")
                                                                           : absl::StrCat(*chosen, " was dumped only once: there is nothing to compare"));
    return absl::OkStatus();
  }

  absl::Status Run(Progress& progress) {
    for (size_t k = 0; k < dumps_.size(); ++k) {
      progress.Set(absl::StrCat("comparing, ", k + 1, " of ", dumps_.size(), ": ", dumps_[k].file));
      std::unique_ptr<Stage> stage = Read(dumps_[k]);
      if (!stage->error.empty()) {
        skipped_.push_back(absl::StrCat(stage->dump.file, ": ", stage->error));
        if (previous_ != nullptr) between_.push_back(PassText(stage->dump));
        continue;
      }
      if (previous_ == nullptr) {
        session_.arguments = stage->loaded.arguments;
        absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = ProgramInputs::Open(*stage->module, session_);
        if (!inputs.ok()) return inputs.status();
        inputs_ = *std::move(inputs);
        std::fputs(ElidedWarning(CountElidedConstants(*stage->module)).c_str(), stderr);
        first_ = std::move(stage);
        previous_ = first_.get();
        continue;
      }
      Compare(*previous_, *stage);
      if (transitions_.back().outcome == "not compared") {
        between_.push_back(PassText(stage->dump));
        // One that stops with an error of its own is passed over. Where the results are others, the next passes are held against it.
        if (!transitions_.back().ran) continue;
        not_judged_.insert(not_judged_.end(), between_.begin(), between_.end());
        between_.clear();
        last_ = std::move(stage);
        previous_ = last_.get();
        continue;
      }
      transitions_.back().with = std::exchange(between_, {});
      transitions_.back().not_judged = not_judged_;
      const bool changed = transitions_.back().outcome == "changed";
      last_ = std::move(stage);
      previous_ = last_.get();
      if (changed && !o_.all) break;
    }
    return absl::OkStatus();
  }

  const Transition* Culprit() const {
    for (const Transition& t : transitions_) {
      if (t.outcome == "changed") return &t;
    }
    return nullptr;
  }

  int Report() const {
    const Transition* culprit = Culprit();
    const bool compared = std::any_of(transitions_.begin(), transitions_.end(), [](const Transition& t) { return t.outcome != "not compared"; });
    // Behind the last dump that could be compared a pass may change what it likes: that is no answer.
    const bool open = culprit == nullptr && compared && !(between_.empty() && not_judged_.empty());
    if (o_.json) {
      ordered_json j = {{"folder", o_.folder}, {"module", dumps_[0].module}, {"dumps", dumps_.size()}, {"equal", culprit == nullptr && compared}};
      if (open) j["equal"] = nullptr;
      j["first"] = culprit == nullptr ? ordered_json() : Json(*culprit);
      j["pass"] = culprit == nullptr ? ordered_json() : ordered_json(culprit->after.pass);
      if (const std::string gaps = culprit == nullptr ? "" : GapsIn(*culprit); !gaps.empty()) j["between"] = gaps;
      j["transitions"] = ordered_json::array();
      for (const Transition& t : transitions_) j["transitions"].push_back(Json(t));
      j["skipped"] = skipped_;
      j["not_judged"] = not_judged_;
      std::printf("%s\n", j.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
    } else {
      std::printf("%s: %s of %s\n", o_.folder.c_str(), Count(static_cast<int64_t>(dumps_.size()), "dump").c_str(), dumps_[0].module.empty() ? "a module" : dumps_[0].module.c_str());
      for (const Transition& t : transitions_) {
        std::printf("  %-12s %s: %s%s%s\n", t.outcome.c_str(), PassText(t.after).c_str(), Count(t.changes, "change").c_str(), t.worst_ulp > 0 ? absl::StrCat(", up to ", FormatDouble(t.worst_ulp, 4), " ulp within the budget").c_str() : "",
                    t.why.empty() ? "" : absl::StrCat(": ", t.why).c_str());
      }
      for (const std::string& text : skipped_) std::printf("  %-12s %s\n", "skipped", text.c_str());
      if (open) {
        std::printf("no pass changes a value as far as could be compared");
        if (!not_judged_.empty()) std::printf("; %s", NotJudged(not_judged_).c_str());
        if (!between_.empty()) std::printf("; what comes behind %s could not: %s", PassText(previous_->dump).c_str(), absl::StrJoin(between_, ", ").c_str());
        std::printf("\n");
      }
      else if (culprit == nullptr) std::printf("%s\n", compared ? "no pass changes a value" : "nothing could be compared");
      else std::printf("first pass that changes a value: %s%s\n  before: %s\n  after: %s\nfirst divergence: %s", PassText(culprit->after).c_str(), BeforeIt(*culprit).c_str(), culprit->before.file.c_str(), culprit->after.file.c_str(), culprit->text.c_str());
      if (const std::string gaps = culprit == nullptr ? "" : GapsIn(*culprit); !gaps.empty()) {
        std::printf("between the two dumps: %s\n", gaps.c_str());
      }
      if (culprit != nullptr && !culprit->not_judged.empty()) std::printf("%s\n", NotJudged(culprit->not_judged).c_str());
    }
    return open ? kUsage : culprit == nullptr && compared ? kOk : kFailed;
  }

 private:
  // From one dump of the folder to the next.
  std::string GapsIn(const Transition& t) const {
    std::vector<std::string> gaps;
    bool within = false;
    for (size_t k = 0; k + 1 < dumps_.size() && dumps_[k].file != t.after.file; ++k) {
      within |= dumps_[k].file == t.before.file;
      const std::string gap = within ? GapBetween(dumps_[k], dumps_[k + 1]) : "";
      if (!gap.empty()) gaps.push_back(gap);
    }
    return absl::StrJoin(gaps, "; ");
  }

  std::unique_ptr<Stage> Read(const DumpFile& dump) const {
    auto stage = std::make_unique<Stage>();
    stage->dump = dump;
    stage->loaded = Load((fs::path(o_.folder) / dump.file).string());
    if (!stage->loaded.open.ok()) {
      stage->error = std::string(stage->loaded.open.message());
    } else if (!stage->loaded.ok()) {
      for (const Diagnostic& d : stage->loaded.sink.diagnostics()) {
        if (d.severity == Severity::kError && stage->error.empty()) stage->error = d.message;
      }
      if (stage->error.empty()) stage->error = "it holds no program";
    } else if (stage->loaded.module->entry == nullptr) {
      stage->error = "it has no computation to run";
    } else {
      stage->module = std::move(stage->loaded.module);
    }
    return stage;
  }

  static bool SameParameters(const Module& a, const Module& b) {
    if (a.entry->parameters.size() != b.entry->parameters.size()) return false;
    for (size_t k = 0; k < a.entry->parameters.size(); ++k) {
      if (!Shape::Compatible(a.entry->parameters[k]->shape, b.entry->parameters[k]->shape)) return false;
    }
    return true;
  }

  void Compare(Stage& a, Stage& b) {
    Transition t;
    t.before = a.dump;
    t.after = b.dump;
    const ProgramMatch match = MatchPrograms(*a.module, *b.module);
    t.changes = match.Count(StructuralChange::kRemoved) + match.Count(StructuralChange::kAdded) + match.Count(StructuralChange::kChanged);
    absl::StatusOr<std::unique_ptr<ProgramInputs>> own = ProgramInputs::Open(*b.module, WithoutFiles());
    std::unique_ptr<ProgramInputs> own_a;
    const ProgramInputs* inputs = inputs_.get();
    if (!SameParameters(*first_->module, *a.module)) {  // the inputs of the first are not this one's
      absl::StatusOr<std::unique_ptr<ProgramInputs>> opened = ProgramInputs::Open(*a.module, session_);
      if (opened.ok()) {
        own_a = *std::move(opened);
        inputs = own_a.get();
      }
    }
    if (!own.ok()) {
      t.outcome = "not compared";
      t.why = std::string(own.status().message());
      transitions_.push_back(std::move(t));
      return;
    }
    // A backend may keep what it knows of a computation, and modules come and go here.
    absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(o_.program);
    if (!backend.ok()) {
      t.outcome = "not compared";
      t.why = std::string(backend.status().message());
      transitions_.push_back(std::move(t));
      return;
    }
    LockstepOptions lockstep;
    lockstep.budgets = budgets_;
    lockstep.machine = MachineOptionsOf(session_, *inputs_);
    const absl::StatusOr<LockstepReport> report = RunLockstep(*a.module, *b.module, match, *inputs, **own, **backend, **backend, std::move(lockstep));
    if (!report.ok()) {
      t.outcome = "not compared";
      t.why = std::string(report.status().message());
    } else if (!report->divergences.empty()) {
      const DifferenceText text{*a.module, *b.module, a.dump.file, b.dump.file, o_.verbose};
      t.outcome = "changed";
      t.text = text.Text(report->divergences[0]);
      t.divergence = text.Json(report->divergences[0]);
    } else if (!report->error_b.empty() || !report->error_a.empty()) {
      t.outcome = "not compared";
      t.why = absl::StrCat("the program ", report->error_b.empty() ? "before" : "after", " it stopped with an error ", report->error_b.empty() ? report->error_a : report->error_b);
    } else if (!report->results_compared) {
      t.outcome = "not compared";
      t.why = report->results_why;
      t.ran = true;
    } else {
      t.outcome = "equal";
      t.worst_ulp = report->worst_ulp;
    }
    transitions_.push_back(std::move(t));
  }

  SessionOptions WithoutFiles() const {
    SessionOptions options;
    options.fill = session_.fill;
    return options;
  }

  static ordered_json Json(const Transition& t) {
    ordered_json j = {{"before", t.before.file}, {"after", t.after.file}, {"step", t.after.step}, {"pipeline", t.after.pipeline}, {"pass", t.after.pass}, {"outcome", t.outcome}, {"changes", t.changes}};
    if (!t.with.empty()) j["not_compared_between"] = t.with;
    if (!t.not_judged.empty()) j["not_judged_before"] = t.not_judged;
    if (!t.why.empty()) j["why"] = t.why;
    if (!t.divergence.is_null()) j["first_divergence"] = t.divergence;
    return j;
  }

  BisectOptions& o_;
  SessionOptions session_;
  BudgetTable budgets_;
  std::vector<DumpFile> dumps_;
  std::unique_ptr<ProgramInputs> inputs_;  // of the first module
  std::unique_ptr<Stage> first_, last_;
  Stage* previous_ = nullptr;
  std::vector<Transition> transitions_;
  std::vector<std::string> skipped_;
  std::vector<std::string> between_;  // since previous_
  std::vector<std::string> not_judged_;
};

}  // namespace

int Run_bisect(const std::vector<std::string>& args) {
  OptionParser app("Orders the modules that a compiler dumped before and after its passes (--xla_dump_to, --xla_dump_hlo_pass_re), runs neighbours on the same inputs, and names the first pass that changes a value.",
               "hloscope bisect");
  BisectOptions o;
  app.add_option("DUMP_DIR", o.folder, "the folder of the dump")->required();
  app.add_option("--module", o.module, "of several modules the one whose name contains this (default: the one with the most dumps)")->type_name("NAME");
  app.add_option("--budget", o.budgets, "how far values may differ, as for diff (see there what it is without one)")
      ->type_name("[WHICH=]BUDGET")
      ->repeated();
  app.add_flag("--all", o.all, "compares all neighbours, past the first pass that changes a value");
  app.add_flag("-v,--verbose", o.verbose, "everything without limits");
  app.add_flag("--json", o.json, "one JSON object on standard output");
  o.program.AddTo(app, false);
  if (const auto status = app.Parse(args)) return *status;
  BudgetTable budgets;
  for (const std::string& budget : o.budgets) {
    const absl::Status added = budgets.Add(budget);
    if (!added.ok()) return Refuse(o, absl::InvalidArgumentError(absl::StrCat("--budget: ", added.message())));
  }
  absl::StatusOr<SessionOptions> session = o.program.ToSession();
  if (!session.ok()) return Refuse(o, session.status());
  Bisector bisector(o, *std::move(session), std::move(budgets));
  const absl::Status found = bisector.Find();
  if (!found.ok()) return Refuse(o, found);
  Progress progress;
  const absl::Status ran = bisector.Run(progress);
  progress.Set("");
  if (!ran.ok()) return Refuse(o, ran);
  return bisector.Report();
}

}  // namespace hloscope::cli
