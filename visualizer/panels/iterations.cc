// A value in each iteration of a loop: its range, mean, NaN and infinities, as a chart and as rows. A click goes there.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"
#include "core/literal/place_in_range.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/iteration_rows.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/value_note.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr int64_t kRowsAtFirst = 2000;  // more on request

constexpr size_t kMostOffered = 16;

std::string TextOf(const Statistics& s) {
  std::string text = s.finite == 0 ? "no finite element" : absl::StrCat(ShortText(s.min), " .. ", ShortText(s.max), ", mean ", ShortText(s.mean));
  if (s.nan > 0) absl::StrAppend(&text, ", ", s.nan, " NaN");
  if (s.inf > 0) absl::StrAppend(&text, ", ", s.inf, " inf");
  return absl::StrCat(text, " (of ", s.count, ")");
}

class IterationsPanel : public Panel {
 public:
  float padding() const override { return 8; }

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override {
    const absl::string_view word = TakeWord(args);
    if (loop_ == nullptr || offered_.empty()) {
      *error = "Iterations shows no loop; window panel iterations opens it, and it needs a program with one that has begun";
      return false;
    }
    if (word == "value") {
      std::vector<std::string> names;
      for (const LoopValue& offer : offered_) {
        names.push_back(absl::StrCat("%", offer.name()));
        if (offer.name() != absl::StripPrefix(args, "%")) continue;
        value_ = offer;
        return true;
      }
      *error = absl::StrCat(args.empty() ? "" : absl::StrCat(args, " is not offered; "), "there are ", absl::StrJoin(names, ", "), ", and window select takes any other value of the loop's body");
      return false;
    }
    std::vector<int64_t> outer;
    if (args != "now") {
      for (const absl::string_view part : absl::StrSplit(args, ',')) {
        int64_t iteration = 0;
        if (!absl::SimpleAtoi(part, &iteration) || iteration < 0) {
          *error = "window iterations outer takes an iteration of the loop around, from 0 (3,17: of several, outer before inner), or now";
          return false;
        }
        outer.push_back(iteration);
      }
    }
    if (outer.size() >= std::max<size_t>(1, loops_.size())) {
      *error = loops_.size() < 2 ? absl::StrCat(ShownLoop(*loop_), " is in no other loop") : absl::StrCat(ShownLoop(*loop_), " is in ", Count(static_cast<int64_t>(loops_.size()) - 1, "loop"));
      return false;
    }
    outer_ = std::move(outer);
    return true;
  }

  void Draw(PanelContext& context) override {
    const Snapshot& now = context.now;
    FindLoop(context);
    if (loop_ == nullptr || now.frames.empty()) {
      const bool any = loop_ != nullptr;
      ui::EmptyHint(ui::Icon::kChart, "A value in each iteration of a loop: range, mean, NaN.", any ? "Start the program with F5 or Step (F11)." : now.module == nullptr ? "Open a program with a loop." : "This program has no loop.");
      ui::TagFact("loop", "");
      return;
    }
    ChooseValue(context);
    DrawHead(context);
    if (value_.instruction == nullptr) {
      ui::EmptyHint(ui::Icon::kChart, "The loop's body has no arrays.", "");
      return;
    }
    Follow(context);
    DrawChart(context);
    DrawTable(context);
    ui::TagFact("loop", loop_->name);
    ui::TagFact("value", value_.name());
    ui::TagFact("rows", absl::StrCat(rows_.size()));
    ui::TagFact("whole", whole_ ? "yes" : "no");
  }

 private:
  // The loop around the selection, or around the selected frame, or the program's first.
  void FindLoop(PanelContext& context) {
    const Snapshot& now = context.now;
    if (program_ != now.program_generation) {
      program_ = now.program_generation;
      around_.clear();
      first_loop_ = chosen_ = nullptr;
      value_ = LoopValue();
      selected_generation_ = 0;
      loop_ = nullptr;
      if (now.module != nullptr) {
        for (const Computation* computation : now.module->computations) {
          for (const Instruction* i : computation->instructions) {
            if (Def(*i).control != ControlKind::kWhile || i->Called(AttrId::kBody) == nullptr) continue;
            around_[i->Called(AttrId::kBody)] = i;
            around_[i->Called(AttrId::kCondition)] = i;
            if (first_loop_ == nullptr || computation == now.module->entry) first_loop_ = first_loop_ != nullptr && first_loop_->parent == now.module->entry ? first_loop_ : i;
          }
        }
        FindCalled(*now.module);
      }
    }
    const Instruction* found = nullptr;
    if (const Instruction* selected = context.selection.instruction) {
      if (const auto around = around_.find(selected->parent); around != around_.end()) found = around->second;
      if (Def(*selected).control == ControlKind::kWhile) found = selected;
    }
    for (int k = std::min<int>(now.selected_frame, static_cast<int>(now.frames.size()) - 1); found == nullptr && k >= 0; --k) {
      if (const auto around = around_.find(now.frames[k].computation); around != around_.end()) found = around->second;
    }
    if (found == nullptr) found = loop_ != nullptr ? loop_ : first_loop_;
    if (found != loop_) {
      chosen_ = nullptr;
      value_ = LoopValue();
      outer_.clear();
      loops_.clear();
    }
    loop_ = found;
  }

  // What a loop's body runs (branches, functions) is in the loop as well.
  void FindCalled(const Module& module) {
    for (bool more = true; more;) {
      more = false;
      for (const Computation* computation : module.computations) {
        const auto around = around_.find(computation);
        if (around == around_.end()) continue;
        const Instruction* loop = around->second;
        for (const Instruction* i : computation->instructions) {
          if (Def(*i).control == ControlKind::kNone || Def(*i).control == ControlKind::kWhile) continue;
          for (const Computation* called : i->CalledComputations()) more |= around_.try_emplace(called, loop).second;
        }
      }
    }
  }

  // What is selected where the loop runs it; else the first that the body hands on and that has numbers.
  void ChooseValue(PanelContext& context) {
    const Computation& body = *loop_->Called(AttrId::kBody);
    const Instruction* selected = context.selection.instruction;
    if (context.selection.generation != selected_generation_) {
      selected_generation_ = context.selection.generation;
      // The stop moves the selection along: only what a person selected counts.
      const auto around = selected != nullptr && selected != context.now.here() ? around_.find(selected->parent) : around_.end();
      if (around != around_.end() && around->second == loop_) chosen_ = selected;
    }
    offered_.clear();
    const auto offer = [&](const LoopValue& one) {
      if (one.shape().IsArray() && std::find(offered_.begin(), offered_.end(), one) == offered_.end() && offered_.size() < kMostOffered) offered_.push_back(one);
    };
    // Floats first: counters say little.
    const auto offer_leaves = [&](const Instruction& of, bool made) {
      for (const bool floats : {true, false}) {
        for (int leaf = 0; leaf < LeafCountOf(of.shape); ++leaf) {
          const LoopValue one = made ? MadeBy(of, leaf) : LoopValue{&of, leaf};
          const bool constant = made && one.instruction != &of && one.instruction->literal != nullptr;
          if (one.shape().IsArray() && IsFloat(one.shape().element_type()) == floats && !constant) offer(one);
        }
      }
    };
    if (chosen_ != nullptr) offer_leaves(*chosen_, false);
    const bool has_chosen = !offered_.empty();
    if (body.root != nullptr) offer_leaves(*body.root, true);
    if (std::find(offered_.begin(), offered_.end(), value_) == offered_.end()) value_ = offered_.empty() ? LoopValue() : offered_.front();
    if (has_chosen && chosen_ != last_chosen_) value_ = offered_.front();
    last_chosen_ = chosen_;
  }

  void DrawHead(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    const Snapshot& now = context.now;
    std::vector<std::string> labels;
    int at = 0;
    for (size_t k = 0; k < offered_.size(); ++k) {
      labels.push_back(absl::StrCat("%", offered_[k].name()));
      if (offered_[k] == value_) at = static_cast<int>(k);
    }
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    float x = begin.x;
    if (!labels.empty()) {
      const float combo = std::min(width * 0.5f, ui::Px(190));
      ImGui::PushFont(ui::Type().mono);
      if (ui::Combo("value", labels, &at, combo / ui::TheLook().scale)) context.run(absl::StrCat("window iterations value ", labels[static_cast<size_t>(at)]));
      ImGui::PopFont();
      x += combo + ui::Px(10);
    }
    const Computation* home = value_.instruction != nullptr ? value_.instruction->parent : nullptr;
    const bool everywhere = home == loop_->Called(AttrId::kBody) || home == loop_->Called(AttrId::kCondition);  // not a branch, which is taken in some
    const std::string loop = absl::StrCat(ShownLoop(*loop_), whole_ ? absl::StrCat(" \u00b7 ", everywhere ? "" : "in ", Count(static_cast<int64_t>(rows_.size()), "iteration")) : "",
                                          now.device_name.empty() ? "" : absl::StrCat(" \u00b7 ", now.device_name));
    const std::string text = absl::StrCat("in each iteration of ", loop);
    const float font_y = begin.y + ui::Px(5);
    float right = begin.x + width;
    const bool wants = !whole_ && stopped_ && error_.empty();
    if (wants) {
      const float button = ui::Measure(ui::Type().ui, "Go on").x + ui::Px(22);
      right -= button;
      ImGui::SetCursorScreenPos({right, begin.y});
      if (ui::Button("go-on", "Go on", ui::Icon::kNone, ui::ButtonKind::kPlain, "runs on to look at later iterations; where the program stands does not change")) {
        stopped_ = false;
        limit_ = static_cast<int64_t>(rows_.size()) + (rows_.size() >= kRowsAtFirst ? 10 * kRowsAtFirst : kRowsAtFirst);
        patient_ = true;
      }
      right -= ui::Px(8);
    }
    // Where there is no room for all of it, which loop it is says most.
    const bool narrow = ui::Measure(ui::Type().ui, text).x > right - x;
    bool cut = false;
    ImGui::SetCursorScreenPos({x, font_y});
    ImGui::Dummy({std::max(1.0f, DrawCode({x, font_y}, right - x, c.dim, ui::Type().ui, narrow ? loop : text, &cut)), ui::Px(16)});
    if (narrow) ui::Tooltip(text);
    ui::TagFact("head", cut ? absl::StrCat(loop, " (cut)") : narrow ? loop : text);
    ImGui::SetCursorScreenPos({begin.x, begin.y + ui::Px(32)});
    ImGui::Dummy({1, 1});
    ImGui::SetCursorScreenPos({begin.x, begin.y + ui::Px(32)});
    if (loops_.size() < 2) return;
    // Beside it where that has room, so that there is more of the rows.
    const float beside = x + ui::Measure(ui::Type().ui, text).x + ui::Px(24);
    if (!narrow && beside + OuterWidth() <= right) {
      DrawOuter(context, {beside, begin.y - ui::Px(2)});
      ImGui::SetCursorScreenPos({begin.x, begin.y + ui::Px(32)});
    } else {
      DrawOuter(context, {begin.x, begin.y + ui::Px(32)});
      ImGui::SetCursorScreenPos({begin.x, begin.y + ui::Px(62)});
    }
    const ImVec2 below = ImGui::GetCursorScreenPos();
    ImGui::Dummy({1, 1});
    ImGui::SetCursorScreenPos(below);
  }

  static constexpr absl::string_view kInIteration = "in iteration ";

  float OuterWidth() const {
    float width = 0;
    for (size_t k = 0; k + 1 < loops_.size(); ++k) {
      width += ui::Measure(ui::Type().ui, absl::StrCat(kInIteration, "of ", ShownLoop(*loops_[k]))).x + ui::Measure(ui::Type().mono, absl::StrCat(OuterAt(k))).x + ui::Px(64);
    }
    return width;
  }

  // Of a loop in loops: of which of their iterations the rows are, to be stepped through.
  void DrawOuter(PanelContext& context, ImVec2 begin) {
    const ui::Palette& c = ui::Colors();
    const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x, height = ui::Px(28);  // of a button
    float x = begin.x;
    std::vector<std::string> told;
    const auto word = [&](absl::string_view text, ImU32 color, ImFont* font) {
      x += ui::DrawTextIn({x, begin.y + std::floor((height - font->FontSize) / 2)}, std::max(1.0f, right - x), color, font, text);
    };
    for (size_t k = loops_.size() - 1; k-- > 0;) {
      const Instruction& loop = *loops_[k];
      const std::string called = ShownLoop(loop);
      const int64_t at = OuterAt(k), last = LastOf(context.now, loop);
      const auto step = [&](absl::string_view name, absl::string_view sign, int64_t to, bool enabled) {
        ImGui::SetCursorScreenPos({x, begin.y});
        if (ui::Button(name, sign, ui::Icon::kNone, ui::ButtonKind::kQuiet, absl::StrCat("the rows of iteration ", to, " of ", called), enabled)) ChooseOuter(context, k, to);
        x += ImGui::GetItemRectSize().x;
      };
      ui::TagScope scope(absl::StrCat("outer:", loop.name));
      word(kInIteration, c.dim, ui::Type().ui);
      step("previous", "\u2039", at - 1, at > 0);
      word(absl::StrCat(at), c.text, ui::Type().mono);
      step("next", "\u203a", at + 1, last < 0 || at < last);
      word(absl::StrCat("of ", called), c.dim, ui::Type().ui);
      x += ui::Px(16);
      told.push_back(absl::StrCat("iteration ", at, " of ", called));
    }
    ui::TagFact("outer", absl::StrJoin(told, ", "));
  }

  int64_t OuterAt(size_t k) const { return k < outer_.size() ? outer_[k] : k < around_iterations_.size() ? around_iterations_[k] : 0; }

  // The last iteration that the loop has had in this run; -1: that is not known.
  static int64_t LastOf(const Snapshot& now, const Instruction& loop) {
    for (const TripRow& row : now.trips) {
      if (row.loop == &loop && row.whole) return row.trips - 1;
    }
    return -1;
  }

  void ChooseOuter(PanelContext& context, size_t at, int64_t iteration) const {
    std::vector<int64_t> all;
    for (size_t k = 0; k + 1 < loops_.size(); ++k) all.push_back(k == at ? iteration : OuterAt(k));
    context.run(absl::StrCat("window iterations outer ", absl::StrJoin(all, ",")));
  }

  // Some iterations at a time, so that commands get their turn. Values of iterations do not change as the program goes on, only when
  // something is set, or in another iteration of a loop around.
  void Follow(PanelContext& context) {
    const Snapshot& now = context.now;
    const auto kept = std::count_if(now.moments.begin(), now.moments.end(), [](const MomentRow& m) { return m.kind == MomentRow::kKept; });
    std::string key = absl::StrCat(now.program_generation, "|", now.device, "|", kept, "|", reinterpret_cast<uintptr_t>(value_.instruction), "|", value_.leaf, "|", absl::StrJoin(outer_, ","));
    for (const FrameRow& frame : now.frames) {
      if (frame.caller == loop_) break;
      if (frame.kind == FrameKind::kWhileBody) absl::StrAppend(&key, "|", frame.iteration);
    }
    // Inside a reducer nothing of other moments can be looked at: asked again when that is left.
    if (!now.frames.empty() && now.frames.back().kind == FrameKind::kElement) key += "|element";
    if (key != key_) {
      key_ = key;
      rows_.clear();
      shown_present_ = -1;
      whole_ = stopped_ = patient_ = false;
      limit_ = kRowsAtFirst;
      number_letters_ = mean_letters_ = trouble_letters_ = 0;
      error_.clear();
      moment_.clear();
      around_iterations_.clear();
      next_ = 0;
      lowest_ = std::numeric_limits<double>::infinity();
      highest_ = -lowest_;
    }
    if (whole_ || stopped_) return;
    const int64_t first = next_;
    const std::string question = absl::StrCat(key_, "|from ", first, patient_ ? "!" : "");
    const std::shared_ptr<const IterationRows> answer =
        live_.Get(context.engine, question, [question, first, value = value_, module = now.module, loop = loop_, outer = outer_, limit = limit_](Session::State& s) -> absl::StatusOr<IterationRows> {
          IterationRows made;
          made.key = question;
          if (s.module.get() != module || !s.visible()) return made;
          LookAtRows(s, value, {loop, value.instruction->parent, outer}, first, limit, &made);
          return made;
        });
    if (answer == nullptr || answer->key != question) return;
    for (const IterationRow& row : answer->rows) {
      rows_.push_back(row);
      Measure(row.stats);
      if (row.stats.finite == 0) continue;
      lowest_ = std::min(lowest_, row.stats.min);
      highest_ = std::max(highest_, row.stats.max);
    }
    whole_ = answer->whole;
    error_ = answer->error;
    if (!answer->loops.empty()) loops_ = answer->loops;
    if (!answer->around.empty()) around_iterations_ = answer->around;
    if (!answer->moment.empty()) moment_ = answer->moment;
    next_ = answer->next;
    stopped_ = !error_.empty() || (answer->slow && !patient_) || static_cast<int64_t>(rows_.size()) >= limit_ || (answer->rows.empty() && !whole_);
    ui::WantFrame();
  }

  // The iteration in which the program stands, where that is one of the rows; else -1.
  int64_t Present(const Snapshot& now) const {
    for (const FrameRow& frame : now.frames) {
      if (frame.caller == loop_) return frame.iteration;
      const auto outer = std::find(loops_.begin(), loops_.end(), frame.caller);
      if (outer != loops_.end() && OuterAt(static_cast<size_t>(outer - loops_.begin())) != frame.iteration) return -1;
    }
    return -1;
  }

  // A branch is not run in each iteration. -1: there is no row of it.
  int64_t RowOf(int64_t iteration) const {
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), iteration, [](const IterationRow& row, int64_t k) { return row.iteration < k; });
    return at != rows_.end() && at->iteration == iteration ? at - rows_.begin() : -1;
  }

  void Go(PanelContext& context, int64_t iteration) {
    // What `goto iteration` means by itself: the innermost loop around the selected frame.
    const Snapshot& now = context.now;
    const Instruction* innermost = nullptr;
    for (int k = std::min<int>(now.selected_frame, static_cast<int>(now.frames.size()) - 1); k >= 0 && innermost == nullptr; --k) {
      if (IsLoop(now.frames[k].kind)) innermost = now.frames[k].caller;
    }
    outer_.clear();  // there they are the present ones
    if (innermost == loop_ && Present(now) >= 0) return context.run(absl::StrCat("goto iteration ", iteration));
    // The first row's "iteration 3,0 call 2 in w", with this row's number as the last.
    const size_t space = moment_.find(' '), end = std::min(moment_.find(' ', space + 1), moment_.size());
    const size_t number = std::max(space, moment_.rfind(',', end - 1) == std::string::npos ? space : moment_.rfind(',', end - 1)) + 1;
    if (space == std::string::npos) return context.run(absl::StrCat("goto iteration ", iteration, " in ", CommandName(now, *loop_)));
    context.run(absl::StrCat("goto ", moment_.substr(0, number), iteration, moment_.substr(end)));
  }

  // The band from the least to the greatest, the mean in it; iterations with NaN or infinities stand out.
  void DrawChart(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    const float width = ImGui::GetContentRegionAvail().x, height = std::min(ui::Px(72), ImGui::GetContentRegionAvail().y * 0.3f);
    if (height < ui::Px(24) || rows_.empty()) return;
    const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + width, min.y + height};
    ImGui::InvisibleButton("chart", {width, height});
    ui::Tag("chart");
    const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(min, max, c.sunken, ui::Px(3));
    const auto y_of = [&](double v) { return max.y - ui::Px(4) - static_cast<float>(PlaceInRange(v, lowest_, highest_)) * (height - ui::Px(8)); };
    const auto count = static_cast<float>(rows_.size());
    const auto x_of = [&](double k) { return min.x + ui::Px(2) + static_cast<float>(k) / count * (width - ui::Px(4)); };
    const auto columns = std::min<size_t>(rows_.size(), static_cast<size_t>(std::max(1.0f, width - ui::Px(4))));
    ImVec2 before;
    bool has_before = false;
    for (size_t column = 0; column < columns; ++column) {
      const size_t from = column * rows_.size() / columns, to = std::max(from + 1, (column + 1) * rows_.size() / columns);
      double low = std::numeric_limits<double>::infinity(), high = -low, mean = 0;
      int64_t finite = 0;
      bool trouble = false;
      for (size_t k = from; k < to; ++k) {
        const Statistics& s = rows_[k].stats;
        trouble |= s.nan + s.inf > 0;
        if (s.finite == 0) continue;
        low = std::min(low, s.min);
        high = std::max(high, s.max);
        mean += s.mean;
        ++finite;
      }
      const float x0 = x_of(static_cast<double>(from)), x1 = std::max(x0 + 1, x_of(static_cast<double>(to)) - (width / count > 3 ? 1.0f : 0.0f));
      if (trouble) list->AddRectFilled({x0, min.y}, {x1, max.y}, ui::Fade(c.pink, 0.35f));
      if (finite == 0) {
        has_before = false;
        continue;
      }
      list->AddRectFilled({x0, y_of(high)}, {x1, std::max(y_of(low), y_of(high) + 1)}, ui::Fade(c.blue, 0.3f));
      const ImVec2 at = {(x0 + x1) / 2, y_of(mean / static_cast<double>(finite))};
      if (has_before) list->AddLine(before, at, c.blue, ui::Px(1.5f));
      if (rows_.size() < 60) list->AddCircleFilled(at, ui::Px(1.8f), c.blue);
      before = at;
      has_before = true;
    }
    if (const int64_t present = RowOf(Present(context.now)); present >= 0) {
      const float x = x_of(static_cast<double>(present) + 0.5);
      list->AddLine({x, min.y}, {x, max.y}, c.amber, ui::Px(2));
    }
    if (hovered) {
      const auto k = std::clamp<int64_t>(static_cast<int64_t>((ImGui::GetIO().MousePos.x - min.x) / width * count), 0, static_cast<int64_t>(rows_.size()) - 1);
      const IterationRow& row = rows_[static_cast<size_t>(k)];
      list->AddLine({x_of(static_cast<double>(k) + 0.5), min.y}, {x_of(static_cast<double>(k) + 0.5), max.y}, c.dim);
      ImGui::SetTooltip("%s", absl::StrCat("iteration ", row.iteration, "\n", TextOf(row.stats), "\nclick: go there").c_str());
      if (clicked) Go(context, row.iteration);
    }
    ImGui::Dummy({1, ui::Px(2)});
  }

  static std::string TroubleOf(const Statistics& s) {
    ValueNote note;
    note.nan = s.nan;
    note.inf = s.inf;
    return TroubleText(note);
  }

  // The longest of each column, for their widths.
  void Measure(const Statistics& s) {
    const auto letters = [](size_t most, double x) { return std::max(most, ShortText(x).size()); };
    if (s.finite > 0) {
      number_letters_ = letters(letters(number_letters_, s.min), s.max);
      mean_letters_ = letters(mean_letters_, s.mean);
    }
    trouble_letters_ = std::max(trouble_letters_, TroubleOf(s).size());
  }

  void DrawTable(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    const float width = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize - ui::Px(4);  // rows stand beside a scroll bar
    const int64_t present = Present(context.now);
    ImFont* font = ui::Type().mono;
    const float letter = ui::Measure(font, "0").x, between = ui::Px(10);
    const float trouble = trouble_letters_ == 0 ? 0 : std::min(static_cast<float>(trouble_letters_) * letter + between, width * 0.35f);
    const float number = std::max(ui::Px(40), letter * static_cast<float>(absl::StrCat(rows_.empty() ? 0 : rows_.back().iteration).size()) + between);
    // The mean goes first where there is little room.
    const float wide = static_cast<float>(std::max(number_letters_, mean_letters_)) * letter + between;
    const bool has_mean = width - number - trouble >= std::max(3 * wide, ui::Px(180));
    const float each = (width - number - trouble) / (has_mean ? 3 : 2);
    // What has no room has fewer digits.
    const auto most = static_cast<size_t>(std::max(1.0f, (each - ui::Px(4)) / letter));
    bool shortened = false, any_shortened = false;
    const auto number_text = [&](const Statistics& s, double x) -> std::string {
      const std::string text = s.finite > 0 ? ShortText(x) : "-";
      if (text.size() <= most) return text;
      shortened = true;
      const std::string less = TextThatFits(x, most);
      return less.empty() ? "\u2026" : less;
    };
    const auto put = [](float right, float y, ImU32 color, ImFont* face, const std::string& text) { ui::DrawText({right - ui::Measure(face, text).x, y}, color, face, text); };
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImFont* small = ui::Type().small;
    put(at.x + number - ui::Px(8), at.y, c.faint, small, "iter.");
    put(at.x + number + each - ui::Px(8), at.y, c.faint, small, "min");
    put(at.x + number + 2 * each - ui::Px(8), at.y, c.faint, small, "max");
    if (has_mean) put(at.x + number + 3 * each - ui::Px(8), at.y, c.faint, small, "mean");
    ImGui::SetCursorScreenPos({at.x, at.y + ui::Px(17)});
    ImGui::BeginChild("rows", {0, ui::WholeRows(22)}, false);
    if (!error_.empty()) ui::TextWrapped(error_, c.dim);
    if (rows_.empty() && error_.empty()) {
      const bool branch = value_.instruction->parent != loop_->Called(AttrId::kBody);
      if (whole_) ui::TextWrapped(absl::StrCat(ShownLoop(*loop_), loops_.size() > 1 ? " is not entered there" : " is not entered", branch ? absl::StrCat(", or comes to no ", value_.instruction->parent->name) : "", "."), c.dim);
      if (!whole_) ui::Text("\u2026", c.faint);
      ImGui::EndChild();
      return;
    }
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows_.size()), ui::Px(22));
    while (clipper.Step()) {
      for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
        const IterationRow& r = rows_[static_cast<size_t>(k)];
        const bool here = r.iteration == present;
        const ui::RowState row = ui::Row(absl::StrCat("row:", r.iteration), 22, false, here ? c.amber_fill : 0);
        const float y = row.min.y + std::floor((ui::Px(22) - font->FontSize) / 2);
        put(row.min.x + number - ui::Px(8), y, here ? c.amber : c.dim, font, absl::StrCat(r.iteration));
        shortened = false;
        put(row.min.x + number + each - ui::Px(8), y, c.text, font, number_text(r.stats, r.stats.min));
        put(row.min.x + number + 2 * each - ui::Px(8), y, c.text, font, number_text(r.stats, r.stats.max));
        if (has_mean) put(row.min.x + number + 3 * each - ui::Px(8), y, c.dim, font, number_text(r.stats, r.stats.mean));
        bool cut = false;
        if (r.stats.nan + r.stats.inf > 0) ui::DrawTextIn({row.max.x - trouble, y}, trouble - ui::Px(4), c.pink, font, TroubleOf(r.stats), &cut);
        shortened |= cut;
        any_shortened |= shortened;
        if (shortened) ui::Tooltip(TextOf(r.stats));
        if (row.clicked) Go(context, r.iteration);
      }
    }
    ImGui::PopStyleVar();
    // The present comes into view when the program has moved, and in other rows as soon as they have come so far.
    const int64_t present_row = present >= 0 ? RowOf(present) : -1;
    if (present != shown_present_ && present_row >= 0) {
      shown_present_ = present;
      const float target = static_cast<float>(present_row) * ui::Px(22), view = ImGui::GetWindowHeight();
      if (target < ImGui::GetScrollY() || target + ui::Px(22) > ImGui::GetScrollY() + view) ImGui::SetScrollY(std::max(0.0f, target - view / 2));
    }
    ImGui::EndChild();
    ui::TagFact("columns", absl::StrCat("min max", has_mean ? " mean" : "", trouble > 0 ? " trouble" : "", any_shortened ? " (shortened)" : ""));
  }

  uint64_t program_ = 0, selected_generation_ = 0;
  absl::flat_hash_map<const Computation*, const Instruction*> around_;  // the loop by its body
  const Instruction *loop_ = nullptr, *first_loop_ = nullptr, *chosen_ = nullptr, *last_chosen_ = nullptr;
  LoopValue value_;
  std::vector<LoopValue> offered_;
  std::vector<int64_t> outer_;                 // iterations of the loops around that were chosen; empty: as the program stands
  std::vector<const Instruction*> loops_;      // around, the outermost first, and loop_
  std::vector<int64_t> around_iterations_;     // theirs, of what is shown
  int64_t next_ = 0;                           // the iteration to go on with
  std::string key_, error_, moment_;
  std::vector<IterationRow> rows_;
  double lowest_ = 0, highest_ = 0;
  size_t number_letters_ = 0, mean_letters_ = 0, trouble_letters_ = 0;
  bool whole_ = false, stopped_ = false, patient_ = false;
  int64_t limit_ = kRowsAtFirst, shown_present_ = -1;
  Live<IterationRows> live_;
};

}  // namespace

std::unique_ptr<Panel> MakeIterationsPanel() { return std::make_unique<IterationsPanel>(); }

}  // namespace hloscope
