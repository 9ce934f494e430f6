// The timeline: the run as a line, the present on it as a handle that can be dragged, and what happened where.
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "visualizer/model/line_values.h"
#include "visualizer/model/live.h"
#include "visualizer/model/run_progress_text.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/timeline_axis.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

class TimelinePanel : public Panel {
 public:
  float padding() const override { return 0; }

  void Draw(PanelContext& context) override {
    const Snapshot& now = context.now;
    const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    left_ = at.x + ui::Px(16);
    right_ = at.x + room.x - ui::Px(16);
    line_ = std::floor(at.y + room.y * 0.5f + ui::Px(4));
    top_ = at.y;
    bottom_ = at.y + room.y;
    if (now.module == nullptr || now.phase == Phase::kBroken || right_ - left_ < ui::Px(40)) {
      ui::DrawTextIn({left_, line_ - ui::Px(10)}, right_ - left_, ui::Colors().faint, ui::Type().ui, "The run as a line, once a program can be run: drag the handle to go to a moment.");
      return;
    }
    Prepare(now);
    labels_.clear();
    const Engine::Activity activity = context.engine.activity();
    running_ = RunningText();
    if (!activity.mark.levels.empty()) running_ = TextOfRun(now, activity, TotalNow(now));
    running_at_ = activity.mark.levels.empty() ? -1 : axis_.At(activity.mark);
    DrawTrack(now);
    DrawLoops();
    DrawMarks(now);
    const bool offered = OfferCatch(context);
    if (!offered) Interact(context);
  }

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override {
    if (args == "all") {
      view_begin_ = 0;
      view_end_ = 1;
      return true;
    }
    if (args == "iteration next" || args == "iteration previous") return GoIteration(context, args == "iteration next" ? 1 : -1, error);
    *error = "window timeline iteration takes next or previous";
    return false;
  }

 private:
  // Of the innermost loop that the program stands in.
  static bool GoIteration(PanelContext& context, int by, std::string* error) {
    const std::vector<FrameRow>& frames = context.now.frames;
    const auto loop = std::find_if(frames.rbegin(), frames.rend(), [](const FrameRow& f) { return IsLoop(f.kind); });
    if (loop == frames.rend() || loop->caller == nullptr) {
      *error = "the program stands in no loop";
      return false;
    }
    if (loop->iteration + by < 0) {
      *error = absl::StrCat("this is the first iteration of ", ShownLoop(*loop->caller));
      return false;
    }
    context.run(absl::StrCat("goto iteration ", loop->iteration + by, " in ", CommandName(context.now, *loop->caller)));
    return true;
  }

  struct Marker {
    enum Kind : uint8_t { kPlace, kStop, kNumeric, kBookmark, kEdit } kind = kStop;
    double x = 0;
    std::string name;   // for tests
    std::string label;  // above; may be empty
    std::string text;   // when hovered
    bool enabled = true;
    // Where it is: a command, an instruction, or a moment.
    std::string command;
    const Instruction* at = nullptr;
    Mark mark;
  };

  float X(double x) const { return left_ + static_cast<float>((x - view_begin_) / (view_end_ - view_begin_)) * (right_ - left_); }
  double At(float x) const { return view_begin_ + (x - left_) / (right_ - left_) * (view_end_ - view_begin_); }
  bool Visible(double x) const { return x >= view_begin_ - 1e-9 && x <= view_end_ + 1e-9; }

  // The axis changes with the program and with what is known of its loops; places of stops with these and the stops.
  void Prepare(const Snapshot& now) {
    if (placed_ != now.generation) {
      placed_ = now.generation;
      PlaceAll(now);
    }
    // The present stays in view as one steps.
    if (seen_moment_ != now.moment_generation) {
      seen_moment_ = now.moment_generation;
      if (!Visible(present_)) Show(present_ - (view_end_ - view_begin_) / 2, view_end_ - view_begin_);
    }
  }

  void PlaceAll(const Snapshot& now) {
    std::string key = absl::StrCat(now.program_generation, "|", now.module->entry != nullptr ? now.module->entry->id : -1);
    for (const TripRow& row : now.trips) absl::StrAppend(&key, ",", reinterpret_cast<uintptr_t>(row.loop), ":", row.trips, row.whole ? "!" : "");
    if (key != axis_key_) {
      axis_key_ = std::move(key);
      axis_.Build(*now.module, now.trips);
      if (program_ != now.program_generation) view_begin_ = 0, view_end_ = 1;
      program_ = now.program_generation;
    }
    present_ = now.phase == Phase::kFinished ? 1 : now.mark.levels.empty() ? 0 : axis_.At(now.mark);
    marks_.clear();
    for (const StopRow& stop : now.stops) {
      if (stop.kind != StopRow::kBreak) continue;
      double last = -1;
      for (const Instruction* i : stop.at) {
        const double x = axis_.At(*i);
        if (x < 0 || std::abs(x - last) < 2e-4) continue;
        last = x;
        marks_.push_back({Marker::kPlace, x, absl::StrCat("break:", stop.number), "", absl::StrCat("Breakpoint ", stop.number, " at ", ShownName(*i)), stop.enabled, "", i, {}});
      }
    }
    CollectMarks(now);
  }

  void Show(double begin, double width) {
    width = std::clamp(width, 1e-5, 1.0);
    view_begin_ = std::clamp(begin, 0.0, 1.0 - width);
    view_end_ = view_begin_ + width;
  }

  void DrawTrack(const Snapshot& now) {
    const ui::Palette& c = ui::Colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float half = ui::Px(2.5f);
    list->AddRectFilled({left_, line_ - half}, {right_, line_ + half}, c.hover, half);
    const float x = std::clamp(X(running_at_ >= 0 ? running_at_ : present_), left_, right_);
    if (x > left_) list->AddRectFilled({left_, line_ - half}, {x, line_ + half}, ui::Mix(c.blue, c.panel, 0.4f), half);
    if (view_end_ - view_begin_ < 0.999) {
      ImFont* font = ui::Type().small;
      const std::string text = absl::StrFormat("%.3g%% of the run", (view_end_ - view_begin_) * 100);
      ui::DrawText({right_ - ui::Measure(font, text).x, bottom_ - font->FontSize - ui::Px(3)}, c.faint, font, text);
    }
    ui::TagFact("present", absl::StrFormat("%.3f", present_));
    ui::TagFact("view", absl::StrFormat("%.4f", view_end_ - view_begin_));
    ImFont* font = ui::Type().small;
    const ImVec2 below = {left_, bottom_ - font->FontSize - ui::Px(3)};
    below_ = running_at_ >= 0 || now.phase == Phase::kReady;
    if (running_at_ >= 0) {
      ui::DrawTextIn(below, right_ - left_, c.dim, font, absl::StrCat("running: ", running_.whole));
    } else if (now.phase == Phase::kReady) {
      ui::DrawTextIn(below, right_ - left_, c.faint, font, "not started; click a place to run up to there");
    }
    ui::TagFact("running", running_at_ >= 0 ? running_.whole : "");
  }

  // Ticks of iterations, and a label.
  void DrawLoops() {
    const ui::Palette& c = ui::Colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    std::string fact;
    for (const TimelineAxis::Loop& loop : axis_.loops()) {
      const float begin = X(loop.span.begin), end = X(loop.span.end);
      absl::StrAppend(&fact, fact.empty() ? "" : " ", loop.loop->name, ":", loop.known ? absl::StrCat(loop.trips) : absl::StrCat(loop.trips, "?"));
      if (end < left_ || begin > right_ || end - begin < 1) continue;
      const double each = (end - begin) / static_cast<double>(loop.trips);
      int64_t every = 1;
      while (each * static_cast<double>(every) < ui::Px(5)) every *= every % 3 == 0 || every == 1 ? 2 : 5;
      const float tall = ui::Px(8);
      const auto first = static_cast<int64_t>(std::max(0.0, std::floor(static_cast<double>(left_ - begin) / each)));
      for (int64_t k = first - first % every; k <= loop.trips; k += every) {
        const float x = std::floor(begin + static_cast<float>(each * static_cast<double>(k)));
        if (x > right_ + 1) break;
        if (x < left_ - 1) continue;
        const bool edge = k == 0 || k == loop.trips;
        list->AddLine({x, line_ - tall}, {x, line_ + (below_ ? ui::Px(2.5f) : edge ? tall : ui::Px(5))}, edge ? c.faint : ui::Fade(c.faint, 0.7f));
      }
      const float from = std::max(begin, left_), to = std::min(end, right_);
      ui::Tag(absl::StrCat("loop:", loop.loop->name), {from, line_ - tall}, {std::max(to, from + 2), line_ + tall});
      const Computation* body = loop.loop->Called(AttrId::kBody);
      const std::string name(body != nullptr ? body->name : loop.loop->name);
      const std::string trips = absl::StrCat(GroupedCount(loop.trips), loop.trips == 1 ? " iteration" : " iterations");
      Label(from, c.faint, loop.known ? absl::StrCat(name, ", ", trips) : loop.trips > 1 ? absl::StrCat(name, ", ", trips, " so far") : name, to - from);
    }
    ui::TagFact("loops", fact);
  }

  // Above the line, where there is room: the first that asks has it. `most`: no longer than that.
  bool Label(float x, ImU32 color, const std::string& text, float most = 0) {
    ImFont* font = ui::Type().small;
    float width = ui::Measure(font, text).x;
    if (most > 0 && most < ui::Px(24)) return false;
    if (most > 0) width = std::min(width, std::max(most, ui::Px(60)));
    x = std::clamp(x, left_, std::max(left_, right_ - width));
    for (const auto& [begin, end] : labels_) {
      if (x < end + ui::Px(8) && x + width > begin - ui::Px(8)) return false;
    }
    labels_.emplace_back(x, x + width);
    ui::DrawTextIn({x, line_ - ui::Px(12) - font->FontSize}, width + 1, color, font, text);
    return true;
  }

  void CollectMarks(const Snapshot& now) {
    std::vector<int> labelled;
    for (size_t k = 0; k < now.events.size(); ++k) {
      const EventRow& event = now.events[k];
      const bool numeric = event.kind == StopRow::kCatch;
      Marker marker{numeric ? Marker::kNumeric : Marker::kStop, axis_.At(event.mark), absl::StrCat(numeric ? "catch:" : "stop:", event.number), "", event.text, true, "", nullptr, event.mark};
      if (numeric && std::find(labelled.begin(), labelled.end(), event.number) == labelled.end()) {
        labelled.push_back(event.number);
        for (const StopRow& stop : now.stops) {
          if (stop.number == event.number) marker.label = absl::StrCat("first ", stop.what);
        }
      }
      marks_.push_back(std::move(marker));
    }
    bool beginning = true;
    for (const MomentRow& moment : now.moments) {
      if (moment.kind == MomentRow::kKept && std::exchange(beginning, false)) continue;  // where every run begins
      const double x = axis_.At(moment.mark);
      if (moment.kind == MomentRow::kBookmark) {
        marks_.push_back({Marker::kBookmark, x, absl::StrCat("bookmark:", moment.name), moment.name, absl::StrCat("Bookmark ", moment.name), true, absl::StrCat("goto ", moment.name), nullptr, {}});
      } else {
        marks_.push_back({Marker::kEdit, x, "edit", "edited", "A value was set here", true, "", nullptr, moment.mark});
      }
    }
  }

  void DrawMarks(const Snapshot& now) {
    const ui::Palette& c = ui::Colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    float drawn_to = -1, ring = -1e9f;
    Marker::Kind drawn_kind = Marker::kPlace;
    for (const Marker& m : marks_) {
      if (!Visible(m.x)) continue;
      const float x = X(m.x), r = ui::Px(4.5f);
      if (m.kind == drawn_kind && std::abs(x - drawn_to) < 1 && m.kind != Marker::kBookmark) continue;  // thousands of them on a few pixels
      drawn_to = x;
      drawn_kind = m.kind;
      switch (m.kind) {
        case Marker::kPlace:
          if (x - ring < 3 * r) {  // crowded: a tick is enough
            list->AddRectFilled({x, line_ - ui::Px(3)}, {x + 1, line_ + ui::Px(3)}, ui::Fade(c.red, m.enabled ? 0.8f : 0.4f));
            break;
          }
          ring = x;
          list->AddCircleFilled({x, line_}, r, c.panel);
          list->AddCircle({x, line_}, r - ui::Px(0.5f), m.enabled ? c.red : ui::Fade(c.red, 0.5f), 0, ui::Px(1.5f));
          break;
        case Marker::kStop: list->AddCircleFilled({x, line_}, r + ui::Px(0.5f), c.red); break;
        case Marker::kNumeric:
          list->AddQuadFilled({x - r - 1, line_}, {x, line_ - r - 1}, {x + r + 1, line_}, {x, line_ + r + 1}, c.pink);
          Label(x - ui::Px(4), c.pink, m.label.empty() ? " " : m.label);
          break;
        case Marker::kBookmark:
          list->AddRectFilled({x - ui::Px(1), line_ - ui::Px(9)}, {x + ui::Px(1), line_ + ui::Px(4)}, c.blue);
          list->AddTriangleFilled({x + ui::Px(1), line_ - ui::Px(9)}, {x + ui::Px(8), line_ - ui::Px(6)}, {x + ui::Px(1), line_ - ui::Px(3)}, c.blue);
          Label(x, c.blue, m.label);
          break;
        case Marker::kEdit:
          list->AddTriangleFilled({x - r, line_ + ui::Px(12)}, {x, line_ + ui::Px(4)}, {x + r, line_ + ui::Px(12)}, c.text);
          break;
      }
      ui::Tag(m.name, {x - r, line_ - r}, {x + r, line_ + r});
    }
    if (running_at_ >= 0) {
      if (Visible(running_at_)) Handle(X(running_at_), ui::Colors().green);
      return;  // where it was before it ran on is old
    }
    if (now.mark.levels.empty() && now.phase != Phase::kFinished) return;
    if (!Visible(present_)) return;
    const float x = X(present_);
    Handle(x, now.phase == Phase::kError ? c.red : c.amber);
    ui::Tag("handle", {x - ui::Px(5), line_ - ui::Px(11)}, {x + ui::Px(5), line_ + ui::Px(11)});
  }

  void Handle(float x, ImU32 color) const {
    ImGui::GetWindowDrawList()->AddRectFilled({x - ui::Px(4), line_ - ui::Px(11)}, {x + ui::Px(4), line_ + ui::Px(11)}, color, ui::Px(2.5f));
  }

  // Arrays that would take long to look through are passed over.
  static bool HoldsNan(const Value& value) {
    constexpr int64_t kMost = 1 << 22;
    if (!value.has_value()) return false;
    if (value.shape().IsTuple()) return std::any_of(value.elements().begin(), value.elements().end(), HoldsNan);
    return value.shape().IsArray() && value.element_count() <= kMost && Summary(value).nan;
  }
  // A run that came to a NaN without anybody looking out for it: where it comes from is a click away. True: the mouse is on that.
  bool OfferCatch(PanelContext& context) {
    const Snapshot& now = context.now;
    const bool caught = std::any_of(now.stops.begin(), now.stops.end(), [](const StopRow& stop) { return stop.kind == StopRow::kCatch; });
    ui::TagFact("offers", "");
    if (now.phase != Phase::kFinished || caught || running_at_ >= 0 || now.module->entry == nullptr) return false;
    const Instruction* root = now.module->entry->root;
    const std::shared_ptr<const bool> nan = result_nan_.Get(context.engine, absl::StrCat(now.moment_generation), [root](Session::State& s) -> absl::StatusOr<bool> {
      if (!s.visible()) return false;
      const absl::StatusOr<Value> value = s.machine->ValueOf(0, root->index);
      return value.ok() && HoldsNan(*value);
    });
    if (nan == nullptr || !*nan || !result_nan_.fresh()) return false;
    ImFont* font = ui::Type().small;
    const std::string told = "the result has NaN: ", label = "go to the first one";
    const float y = bottom_ - font->FontSize - ui::Px(3), wide = ui::Measure(font, told).x;
    const float x = right_ - ui::Px(10) - wide - ui::Measure(font, label).x;  // beside the handle, which stands at the end
    if (x < left_) return false;
    ui::DrawText({x, y}, ui::Colors().pink, font, told);
    ImGui::SetCursorScreenPos({x + wide, y});
    ui::TagFact("offers", label);
    if (ui::Link("first-nan", label, font)) {
      context.run("catch nan");
      context.run("run");
    }
    const bool over = ImGui::IsItemHovered();
    ui::Tooltip("catch nan, and the program is run again: it stops where the first one is made");
    return over;
  }

  // The mark under the mouse, the nearest; null: none.
  const Marker* Near(float x) const {
    const Marker* best = nullptr;
    float distance = ui::Px(6);
    for (const Marker& m : marks_) {
      if (!Visible(m.x)) continue;
      const float d = std::abs(X(m.x) - x);
      if (d < distance || (d == distance && best != nullptr && m.kind > best->kind)) {
        distance = d;
        best = &m;
      }
    }
    return best;
  }

  static std::string Describe(const TimelineAxis::Place& place) {
    std::string text = place.at == nullptr ? "the end" : absl::StrCat(ShownName(*place.at), "  ", Name(place.at->opcode));
    for (size_t k = place.loops.size(); k > 0; --k) absl::StrAppend(&text, k == place.loops.size() ? "\n" : ", ", "iteration ", place.iterations[k - 1], " of ", ShownLoop(*place.loops[k - 1]));
    return text;
  }

  void Interact(PanelContext& context) {
    const Snapshot& now = context.now;
    const ui::Palette& c = ui::Colors();
    ImGui::SetCursorScreenPos({left_ - ui::Px(8), top_});
    ImGui::InvisibleButton("track", {right_ - left_ + ui::Px(16), bottom_ - top_}, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
    ui::Tag("track", {left_, line_ - ui::Px(6)}, {right_, line_ + ui::Px(6)});
    const ImGuiIO& io = ImGui::GetIO();
    const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
    const float mouse = std::clamp(io.MousePos.x, left_, right_);
    if (hovered && io.MouseWheel != 0) {
      const double x = At(mouse), width = (view_end_ - view_begin_) * std::pow(1.25, -io.MouseWheel);
      Show(x - (mouse - left_) / (right_ - left_) * std::min(1.0, width), width);
    }
    if (active && ImGui::IsMouseDragging(2, 0)) {
      Show(view_begin_ - io.MouseDelta.x / (right_ - left_) * (view_end_ - view_begin_), view_end_ - view_begin_);
      return;
    }
    if (ImGui::IsItemActivated() && io.MouseDown[0]) {
      pressed_ = mouse;
      dragging_ = false;
    }
    if (active && io.MouseDown[0] && std::abs(mouse - pressed_) > ui::Px(3)) dragging_ = true;
    if (!hovered && !active && !ImGui::IsItemDeactivated()) {
      under_.clear();
      return;
    }
    const Marker* near = dragging_ ? nullptr : Near(mouse);
    const double resolution = (view_end_ - view_begin_) / (right_ - left_) * 2;
    const TimelineAxis::Place place = axis_.Under(At(mouse), resolution);
    under_ = near != nullptr ? near->text : Describe(place);
    ui::TagFact("under", under_);
    if (place.at != nullptr) context.selection.hover_next = place.at;
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (near == nullptr) {
      const float x = dragging_ ? mouse : std::clamp(X(place.span.begin), left_, right_), end = std::clamp(X(place.span.end), x + 1, right_ + 1);
      if (dragging_) Handle(mouse, ui::Fade(c.amber, 0.6f));
      list->AddRectFilled({x, line_ - ui::Px(3)}, {end, line_ + ui::Px(3)}, ui::Fade(c.text, 0.25f));
    }
    Bubble(mouse, near != nullptr ? near->text : absl::StrCat(Describe(place), dragging_ ? "\nrelease to go there" : ""));
    if (!ImGui::IsItemDeactivated() || !hovered) {
      if (ImGui::IsItemDeactivated()) dragging_ = false;
      return;
    }
    // Released over the line: goes there.
    if (io.MouseReleased[0]) {
      for (const std::string& command : near != nullptr ? CommandsOf(now, *near) : CommandsTo(now, place)) context.run(command);
    }
    dragging_ = false;
  }

  std::vector<std::string> CommandsOf(const Snapshot& now, const Marker& marker) const {
    if (marker.command.empty() && marker.at == nullptr) return CommandsTo(now, axis_.PlaceOf(marker.mark));
    std::vector<std::string> commands;
    if (now.phase == Phase::kReady) commands.push_back("start");
    commands.push_back(marker.at != nullptr ? absl::StrCat("goto before ", CommandName(now, *marker.at)) : marker.command);
    return commands;
  }

  // Above the timeline, over everything.
  void Bubble(float x, const std::string& text) const {
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().ui;
    const ImVec2 size = ui::Measure(font, Cut(text));
    const float left = std::clamp(x - size.x / 2 - ui::Px(8), left_ - ui::Px(8), std::max(left_ - ui::Px(8), right_ - size.x - ui::Px(8)));
    const ImVec2 min = {left, top_ - size.y - ui::Px(16)}, max = {left + size.x + ui::Px(16), top_ - ui::Px(4)};
    ImDrawList* list = ImGui::GetForegroundDrawList();
    list->AddRectFilled(min, max, c.raised, ui::Px(5));
    list->AddRect(min, max, c.border, ui::Px(5));
    ui::AddText(list, font, {min.x + ui::Px(8), min.y + ui::Px(6)}, c.text, Cut(text));
  }
  // Lines no longer than the bubble may be.
  static std::string Cut(const std::string& text) {
    std::string cut;
    size_t column = 0;
    for (const char ch : text) {
      column = ch == '\n' ? 0 : column + 1;
      if (column == 100) cut += "\u2026";
      if (column < 100) cut += ch;
    }
    return cut;
  }

  // Of the program as it is known; it takes a walk through all of it.
  const RunTotal& TotalNow(const Snapshot& now) {
    if (total_of_ != now.generation) total_ = TotalOf(*now.module, now.trips);
    total_of_ = now.generation;
    return total_;
  }

  Live<bool> result_nan_;
  TimelineAxis axis_;
  std::string axis_key_;
  RunTotal total_;
  uint64_t total_of_ = 0;
  RunningText running_;    // while the program runs
  double running_at_ = -1;  // where it has come to; -1: it does not run, or nothing is known
  bool below_ = false;      // a text stands below the line
  uint64_t program_ = 0, placed_ = 0, seen_moment_ = 0;
  double present_ = 0, view_begin_ = 0, view_end_ = 1;
  float left_ = 0, right_ = 0, line_ = 0, top_ = 0, bottom_ = 0;
  float pressed_ = 0;
  bool dragging_ = false;
  std::string under_;
  std::vector<Marker> marks_;
  std::vector<std::pair<float, float>> labels_;
};

}  // namespace

std::unique_ptr<Panel> MakeTimelinePanel() { return std::make_unique<TimelinePanel>(); }

}  // namespace hloscope
