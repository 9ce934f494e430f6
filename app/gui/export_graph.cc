// hloscope export of drawings: which part of the graph, what must be run for it, and the file. What a graph looks like is said in
// visualizer/export.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "app/cli/device_run.h"
#include "app/cli/export.h"
#include "app/cli/load.h"
#include "app/cli/progress.h"
#include "app/cli/verb.h"
#include "core/debug/devices.h"
#include "core/debug/locations.h"
#include "core/debug/program_inputs.h"
#include "core/debug/run_values.h"
#include "core/debug/slice_instructions.h"
#include "core/debug/source_view.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/ops/collectives.h"
#include "visualizer/canvas/paged.h"
#include "visualizer/export/chosen_file.h"
#include "visualizer/export/dot.h"
#include "visualizer/export/graph_choice.h"
#include "visualizer/export/graph_page.h"
#include "visualizer/graph/marked_places.h"

namespace hloscope::cli {
namespace {

constexpr int64_t kMostParameterBytes = int64_t{1} << 30;  // of a program that is run without being asked to
constexpr RunLimits kByTheWay = {3, int64_t{1} << 30};   // of such a run
constexpr int kMostMarked = 100000;                        // instructions of a way or a slice on a page: all of them
constexpr int kNoteLetters = 16;       // "18.5 ms  100.0 %", "largest 12.4 MiB"

bool NeedsRun(GraphColour by) { return by == GraphColour::kTime || by == GraphColour::kHealth || by == GraphColour::kError; }

class GraphExport {
 public:
  explicit GraphExport(const DrawRequest& request) : r_(request) {}

  int Run() {
    const std::optional<GraphColour> by = ParseGraphColour(r_.color);
    if (!by.has_value()) return UsageError(absl::StrCat("--color takes class, type, time, memory, health or error, not ", r_.color));
    const bool sliced = !r_.why.empty() || !r_.influence.empty();  // and --depth says how far
    if (const int chosen = !r_.around.empty() + !r_.path.empty() + !r_.why.empty() + !r_.influence.empty() + (!r_.computation.empty() || (r_.depth >= 0 && !sliced)); chosen > 1) {
      if (r_.depth >= 0 && r_.computation.empty() && chosen == 2 && !sliced)
        return UsageError("--depth says how far the whole program or a --computation is opened, and of --slice and --influence how many hops are drawn; how far --around goes --hops says, and --path is drawn whole, in all the calls that it lies in; --boxes N limits both");
      return UsageError("--computation with --depth, --around, --path, --slice and --influence each choose what is drawn: give one of them");
    }
    if (sliced && r_.depth == 0) return UsageError("--depth takes a number of hops from 1 with --slice and --influence");
    if (absl::EndsWith(r_.out, ".html") && ((r_.depth >= 0 && !sliced) || r_.boxes > 0)) {
      return UsageError("a page has the whole graph: --around and --computation choose what it shows first, --path, --slice and --influence what it opens and marks; --depth and --boxes go with .dot, .svg, .png and .pdf");
    }
    choice_.path = r_.path;
    Loaded loaded;
    int status = kOk;
    std::unique_ptr<Module> module = LoadOrReport(r_.file, loaded, status);
    if (module == nullptr) return status;
    runs_ = NeedsRun(*by) || !r_.why.empty() || !r_.influence.empty() || (absl::EndsWith(r_.out, ".html") && !r_.no_run);
    if (!runs_ && !r_.device.empty())
      return UsageError(
          "--device says of which device a run is drawn, and this needs no run: --color time, health and error, --slice, --influence and "
          "pages do");
    if (const int opened = Open(std::move(module), std::move(loaded)); opened != kOk) return opened;
    if (const int found = Slice(); found != kOk) return found;
    if (absl::EndsWith(r_.out, ".html")) return WritePage(*by);
    if (const int figured = Figures(*by); figured != kOk) return figured;
    progress_.Set("laying out");
    const std::shared_ptr<const Hierarchy> hierarchy = Hierarchy::Make(*session_->state().module, session_);
    if (r_.boxes > 0) choice_.boxes = r_.boxes;
    choice_.computation = r_.computation;
    choice_.depth = sliced ? -1 : r_.depth;
    choice_.around = r_.around;
    choice_.hops = r_.hops;
    absl::StatusOr<ChosenGraph> chosen = ChooseGraph(hierarchy, choice_);
    if (!chosen.ok()) return Refuse(chosen.status());
    if (*by != GraphColour::kClass && *by != GraphColour::kType && chosen->wish.parts.empty()) chosen->wish.note_letters = kNoteLetters;
    SceneMaker maker;
    const std::shared_ptr<const Scene> scene = maker.Make(chosen->wish);
    if (chosen->wish.root != nullptr) chosen->subject = SubjectOf(*scene, *chosen->wish.root);
    if (scene->not_drawn > 0) {
      absl::StrAppend(&chosen->note, chosen->note.empty() ? "" : "; ", Count(scene->not_drawn, "instruction"), scene->not_drawn == 1 ? " is" : " are", " not drawn, for boxes lie at most ",
                      kMostSceneDepth, " deep in boxes; ask from further inside for these");
    }
    if (scene->one_call && chosen->note.find("opened in one call only") == std::string::npos)
      absl::StrAppend(&chosen->note, chosen->note.empty() ? "" : "; ", "a computation that several of the calls share is shown in one of them");
    SayNote(*chosen);
    if (NeedsRun(*by) && choice_.slice.parts.empty() && Several(session_->state()))
      absl::StrAppend(&chosen->subject, ", on ", SelectedName(session_->state()));
    const TintFigures figures = {&figures_.of, figures_.total, &figures_.calls, &figures_.by_call, figures_.worst_of};
    const SceneTints tints = PaintScene(*scene, *by, figures);
    return Write(*scene, tints, *chosen);
  }

 private:
  int Refuse(const absl::Status& why, int status = kUsage) {
    progress_.Set("");
    UsageError(std::string(why.message()));
    return status;
  }

  void SayNote(const ChosenGraph& chosen) {
    progress_.Set("");
    if (!chosen.note.empty()) std::fprintf(stderr, "note: %s\n", chosen.note.c_str());
  }

  // A program that is only looked at has a session too: it owns the module.
  int Open(std::unique_ptr<Module> module, Loaded loaded) {
    absl::StatusOr<SessionOptions> options = r_.program.ToSession(/*several=*/true);
    if (!options.ok()) return Refuse(options.status());
    options->arguments = std::move(loaded.arguments);
    DeviceCounts counts;
    if (runs_) {
      counts = CountSessionDevices(r_.program, *module);
      if (const absl::Status given = GiveDevices(r_.program, *module, &*options); !given.ok()) return Refuse(given);
    }
    absl::StatusOr<int> device = r_.device.empty() ? 0 : ParseDevice(r_.device, counts);
    if (!device.ok()) return Refuse(device.status());
    absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(r_.program);
    if (!backend.ok()) return Refuse(backend.status());
    session_ = std::make_shared<Session>(std::move(module), *std::move(backend), *std::move(options), [this](absl::string_view text) { absl::StrAppend(&said_, text); });
    LetRunParallel(r_.program, *session_);
    if (Several(session_->state())) BeginWith(session_->state(), device_ = *device);
    return kOk;
  }

  // Before a run: whether there is what it is fed with.
  int Inputs() {
    Session::State& s = session_->state();
    if (s.inputs != nullptr) return kOk;
    if (Several(s)) {
      const absl::Status opened = OpenDevices(s);
      return opened.ok() ? kOk : Refuse(opened);
    }
    absl::StatusOr<std::unique_ptr<ProgramInputs>> opened = ProgramInputs::Open(*s.module, s.options);
    if (!opened.ok()) return Refuse(opened.status());
    s.inputs = *std::move(opened);
    return kOk;
  }

  // What a command says is shown only where it fails.
  int Execute(absl::string_view command, absl::string_view what) {
    progress_.Set(std::string(what));
    said_.clear();
    const CommandResult result = session_->Execute(command);
    if (result.ok) return kOk;
    progress_.Set("");
    std::fputs(said_.c_str(), stderr);
    return kFailed;
  }

  // Before a run that gives nothing where it does not come to its end: whether there are the devices that it needs. Inputs alone may take
  // minutes to make.
  int EnoughDevices(absl::string_view what) {
    const Instruction* exchange = Several(session_->state()) ? nullptr : FirstExchange(*session_->state().module);
    if (exchange == nullptr) return kOk;
    return Refuse(absl::InvalidArgumentError(
        absl::StrCat(what, " needs a whole run, and ", ShownName(*exchange), " exchanges data among ", ParticipantCount(*exchange),
                     " devices; --replicas and --partitions say how many there are, --device which of them is drawn")));
  }

  int Slice() {
    if (r_.why.empty() && r_.influence.empty()) return kOk;
    const std::string option = r_.why.empty() ? "--influence" : "--slice";
    if (r_.no_run) return UsageError(absl::StrCat(option, " needs a run; leave --no-run away"));
    if (const int enough = EnoughDevices(option); enough != kOk) return enough;
    if (const int fed = Inputs(); fed != kOk) return fed;
    if (const int ran = Execute("run", "running"); ran != kOk) return ran;
    progress_.Set("following the element");
    Session::State& s = session_->state();
    if (Several(s)) SelectDevice(s, device_);  // another one may have stopped with an error
    absl::StatusOr<SliceParts> found = r_.why.empty() ? PartsOfInfluence(s, ToDepth(r_.influence)) : PartsOfWhy(s, ToDepth(r_.why));
    if (!found.ok()) return Refuse(found.status());
    choice_.slice = *std::move(found);
    const std::string of = absl::StrCat(r_.why.empty() ? r_.influence : r_.why, Several(s) ? absl::StrCat(" on ", SelectedName(s)) : "");
    choice_.slice_text = r_.why.empty() ? absl::StrCat("what ", of, " influences") : absl::StrCat("why ", of);
    return kOk;
  }

  // An element as the commands why and influence take it, as far as --depth says.
  std::string ToDepth(const std::string& element) const { return r_.depth > 0 ? absl::StrCat("/depth ", r_.depth, " ", element) : element; }

  int Figures(GraphColour by) {
    Session::State& s = session_->state();
    if (!NeedsRun(by)) return kOk;
    if (r_.no_run) return UsageError(absl::StrCat("--color ", r_.color, " needs a run; leave --no-run away"));
    if (by != GraphColour::kHealth) {
      if (const int enough = EnoughDevices(absl::StrCat("--color ", r_.color)); enough != kOk) return enough;
    }
    if (const int fed = Inputs(); fed != kOk) return fed;
    if (by == GraphColour::kTime) {
      if (const int ran = Execute("profile run", "profiling"); ran != kOk) return ran;
      figures_ = TimeFigures(s);
    } else if (by == GraphColour::kError) {
      if (const int ran = Execute("shadow", "measuring errors"); ran != kOk) return ran;
      figures_ = ErrorFigures(s);
    } else if (by == GraphColour::kHealth) {
      progress_.Set("running");
      absl::StatusOr<RunValues> values = WatchValues(s, {});
      if (!values.ok()) return Refuse(values.status(), kFailed);
      if (!values->error.empty()) std::fprintf(stderr, "note: %s\n", values->error.c_str());
      figures_ = values->Health(*s.module);
    }
    return kOk;
  }

  // Whether a run can be had by the way: how much it would take is seen from its parameters.
  bool RunsByTheWay(std::vector<std::string>* notes) const {
    if (r_.no_run) return false;
    if (r_.values) return true;
    int64_t bytes = 0;
    for (const Instruction* p : session_->state().module->entry->parameters) bytes += p->shape.ByteSize();
    if (bytes <= kMostParameterBytes) return true;
    notes->push_back(absl::StrCat("Without the values of a run: the parameters take ", FormatByteCount(bytes), ". hloscope export --values runs it all the same."));
    std::fprintf(stderr, "note: not run, for the parameters take %s; --values runs it all the same\n", FormatByteCount(bytes).c_str());
    return false;
  }

  int WritePage(GraphColour by) {
    Session::State& s = session_->state();
    GraphPageInput input;
    RunValues values;
    InstructionFigures times, errors;
    if (!r_.no_run && (by == GraphColour::kTime || by == GraphColour::kError)) {
      if (const int enough = EnoughDevices(absl::StrCat("--color ", r_.color)); enough != kOk) return enough;
    }
    if (RunsByTheWay(&input.notes)) {
      if (const int fed = Inputs(); fed != kOk) return fed;
      progress_.Set("running");
      const bool asked = r_.values || by == GraphColour::kHealth;
      absl::StatusOr<RunValues> watched = WatchValues(s, asked ? RunLimits() : kByTheWay);
      if (!watched.ok()) return Refuse(watched.status(), kFailed);
      values = *std::move(watched);
      input.values = &values;
      if (Several(s))
        input.notes.push_back(absl::StrCat("Values, times and errors are of ", SelectedName(s), ", one of ", s.options.devices.count(),
                                           " devices. hloscope export --device chooses another."));
      if (values.ended)
        input.notes.push_back(absl::StrCat(by == GraphColour::kTime ? "Values up to there: " : "Values up to there, and no times: ",
                                           values.error, ". hloscope export --values runs it to its end."));
      if (!values.error.empty()) std::fprintf(stderr, "note: %s%s\n", values.error.c_str(), values.ended ? "; --values runs it to its end" : "");
    }
    // A run for the values executes one instruction at a time and compiles as it goes: its times would be others than those of a graph.
    if (by == GraphColour::kTime && input.values != nullptr) {
      if (const int ran = Figures(by); ran != kOk) return ran;
      times = std::move(figures_);
      input.times = &times;
    } else if (input.values != nullptr && values.error.empty() && Execute("profile run", "profiling") == kOk) {
      times = TimeFigures(s);
      input.times = &times;
    }
    if (by == GraphColour::kError) {
      if (const int ran = Figures(by); ran != kOk) return ran;
      errors = std::move(figures_);
      input.errors = &errors;
    }
    if (input.values == nullptr && NeedsRun(by)) {
      return UsageError(absl::StrCat("--color ", r_.color, " needs a run; leave --no-run away, or give --values"));
    }
    if (const int elided = CountElidedConstants(*s.module); elided > 0 && input.values != nullptr) input.notes.push_back(absl::StrCat(Count(elided, "constant"), " elided in the text and made up: the values are no reproduction."));
    input.color = GraphColourNames()[static_cast<size_t>(by)];
    input.start = !r_.around.empty() ? r_.around : r_.computation;
    if (!input.start.empty()) {
      const absl::StatusOr<std::vector<Location>> found = ResolveLocations(*s.module, input.start, s.module->entry);
      if (!found.ok()) return Refuse(found.status());
    }
    progress_.Set("laying out");
    input.hierarchy = Hierarchy::Make(*s.module, session_);
    if (!choice_.path.empty() || !choice_.slice.parts.empty()) {
      choice_.boxes = kMostMarked;
      absl::StatusOr<ChosenGraph> chosen = ChooseGraph(input.hierarchy, choice_);
      if (!chosen.ok()) return Refuse(chosen.status());
      SayNote(*chosen);
      MarkChosen(*input.hierarchy, choice_, *chosen, !r_.why.empty(), &input);
    }
    input.file = r_.file == "-" ? "standard input" : std::string(Basename(r_.file));  // the page is for others, too
    input.version = HLOSCOPE_VERSION;
    input.sources = &s.Extension<SourceView>();
    std::optional<PaletteScheme> scheme;
    if (r_.light || r_.dark) scheme = r_.light ? PaletteScheme::kLight : PaletteScheme::kDark;
    const std::string page = WriteGraphPage(input, scheme);
    progress_.Set("");
    return WriteText(page);
  }

  int Write(const Scene& scene, const SceneTints& tints, const ChosenGraph& chosen) {
    const PaletteScheme scheme = r_.dark ? PaletteScheme::kDark : PaletteScheme::kLight;
    const std::string heading = session_->state().module->name;
    if (absl::EndsWith(r_.out, ".dot")) return WriteText(WriteDot(scene, tints, scheme, absl::StrCat(heading, ": ", chosen.subject)));
    PageOptions page;
    page.scheme = scheme;
    page.scale = static_cast<float>(r_.scale);
    const absl::StatusOr<float> scale = WriteChosen(scene, tints, chosen, heading, r_.out, page);
    if (!scale.ok()) return UsageError(std::string(scale.status().message()));
    if (r_.scale == 0 && absl::EndsWith(r_.out, ".png") && *scale < 1) std::fprintf(stderr, "note: the picture is made smaller, %.2f of its size; .svg and .pdf have no limit\n", static_cast<double>(*scale));
    return kOk;
  }

  int WriteText(const std::string& text) {
    std::ofstream file(r_.out, std::ios::binary);
    file << text;
    file.close();
    return file ? kOk : UsageError(absl::StrCat("cannot write ", r_.out));
  }

  const DrawRequest& r_;
  std::shared_ptr<Session> session_;
  std::string said_;
  bool runs_ = false;  // the program is run for it
  int device_ = 0;     // of several, whose run is drawn
  GraphChoice choice_;
  InstructionFigures figures_;
  Progress progress_;
};

}  // namespace

int Draw(const DrawRequest& request) {
  return GraphExport(request).Run();
}

}  // namespace hloscope::cli
