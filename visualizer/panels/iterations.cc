// A value in each iteration of a loop: its range, mean, NaN and infinities, as a chart and as rows. A click goes there.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/debug/places.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"
#include "core/literal/place_in_range.h"
#include "core/literal/statistics.h"
#include "core/ops/op.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/value_note.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr int64_t kRowsAtFirst = 2000;  // more on request

struct IterationRow {
  int64_t iteration = 0;
  Statistics stats;
};

std::string TextOf(const Statistics& s) {
  std::string text = s.finite == 0 ? "no finite element" : absl::StrCat(ShortText(s.min), " .. ", ShortText(s.max), ", mean ", ShortText(s.mean));
  if (s.nan > 0) absl::StrAppend(&text, ", ", s.nan, " NaN");
  if (s.inf > 0) absl::StrAppend(&text, ", ", s.inf, " inf");
  return absl::StrCat(text, " (of ", s.count, ")");
}

class IterationsPanel : public Panel {
 public:
  float padding() const override { return 8; }

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
    if (value_ == nullptr) {
      ui::EmptyHint(ui::Icon::kChart, "The loop's body has no arrays.", "");
      return;
    }
    Follow(context);
    DrawChart(context);
    DrawTable(context);
    ui::TagFact("loop", loop_->name);
    ui::TagFact("value", value_->name);
    ui::TagFact("rows", absl::StrCat(rows_.size()));
    ui::TagFact("whole", whole_ ? "yes" : "no");
  }

 private:
  struct Answer {
    std::string key;
    std::vector<IterationRow> rows;
    bool whole = false, slow = false;
    std::string error;
  };

  // The loop around the selection, or around the selected frame, or the program's first.
  void FindLoop(PanelContext& context) {
    const Snapshot& now = context.now;
    if (program_ != now.program_generation) {
      program_ = now.program_generation;
      around_.clear();
      first_loop_ = chosen_ = value_ = nullptr;
      selected_generation_ = 0;
      loop_ = nullptr;
      if (now.module != nullptr) {
        for (const Computation* computation : now.module->computations) {
          for (const Instruction* i : computation->instructions) {
            if (Def(*i).control != ControlKind::kWhile || i->Called(AttrId::kBody) == nullptr) continue;
            around_[i->Called(AttrId::kBody)] = i;
            if (first_loop_ == nullptr || computation == now.module->entry) first_loop_ = first_loop_ != nullptr && first_loop_->parent == now.module->entry ? first_loop_ : i;
          }
        }
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
    if (found != loop_) value_ = chosen_ = nullptr;
    loop_ = found;
  }

  // The selected one where it is an array of the body; else the first that the body hands on and that has numbers.
  void ChooseValue(PanelContext& context) {
    const Computation& body = *loop_->Called(AttrId::kBody);
    const Instruction* selected = context.selection.instruction;
    if (context.selection.generation != selected_generation_) {
      selected_generation_ = context.selection.generation;
      // The stop moves the selection along: only what a person selected counts.
      if (selected != nullptr && selected->parent == &body && selected->shape.IsArray() && selected != context.now.here()) chosen_ = selected;
    }
    offered_.clear();
    if (chosen_ != nullptr) offered_.push_back(chosen_);
    if (body.root != nullptr) {
      const auto offer = [&](const Instruction* i) {
        if (i->shape.IsArray() && std::find(offered_.begin(), offered_.end(), i) == offered_.end() && offered_.size() < 16) offered_.push_back(i);
      };
      offer(body.root);
      // Floats first: counters say little.
      for (const bool floats : {true, false}) {
        for (const Instruction* operand : body.root->operands) {
          if (operand->shape.IsArray() && IsFloat(operand->shape.element_type()) == floats && operand->literal == nullptr) offer(operand);
        }
      }
    }
    if (std::find(offered_.begin(), offered_.end(), value_) == offered_.end()) value_ = offered_.empty() ? nullptr : offered_.front();
    if (chosen_ != nullptr && chosen_ != last_chosen_) value_ = chosen_;
    last_chosen_ = chosen_;
  }

  void DrawHead(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    std::vector<std::string> labels;
    int at = 0;
    for (size_t k = 0; k < offered_.size(); ++k) {
      labels.push_back(absl::StrCat("%", offered_[k]->name));
      if (offered_[k] == value_) at = static_cast<int>(k);
    }
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    float x = begin.x;
    if (!labels.empty()) {
      const float combo = std::min(width * 0.5f, ui::Px(190));
      ImGui::PushFont(ui::Type().mono);
      if (ui::Combo("value", labels, &at, combo / ui::TheLook().scale)) value_ = offered_[at];
      ImGui::PopFont();
      x += combo + ui::Px(10);
    }
    const std::string loop = absl::StrCat("%", loop_->name, whole_ ? absl::StrCat(" \u00b7 ", Count(static_cast<int64_t>(rows_.size()), "iteration")) : "");
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
  }

  // Some iterations at a time, so that commands get their turn. Values of iterations do not change as the program goes on, only when
  // something is set, or in another iteration of a loop around.
  void Follow(PanelContext& context) {
    const Snapshot& now = context.now;
    const auto kept = std::count_if(now.moments.begin(), now.moments.end(), [](const MomentRow& m) { return m.kind == MomentRow::kKept; });
    std::string key = absl::StrCat(now.program_generation, "|", kept, "|", reinterpret_cast<uintptr_t>(value_));
    for (const FrameRow& frame : now.frames) {
      if (frame.caller == loop_) break;
      if (frame.kind == FrameKind::kWhileBody) absl::StrAppend(&key, "|", frame.iteration);
    }
    // Inside a reducer nothing of other moments can be looked at: asked again when that is left.
    if (!now.frames.empty() && now.frames.back().kind == FrameKind::kElement) key += "|element";
    if (key != key_) {
      key_ = key;
      rows_.clear();
      whole_ = stopped_ = patient_ = false;
      limit_ = kRowsAtFirst;
      number_letters_ = mean_letters_ = trouble_letters_ = 0;
      error_.clear();
      lowest_ = std::numeric_limits<double>::infinity();
      highest_ = -lowest_;
    }
    if (whole_ || stopped_) return;
    const auto first = static_cast<int64_t>(rows_.size());
    const std::string question = absl::StrCat(key_, "|from ", first, patient_ ? "!" : "");
    const std::shared_ptr<const Answer> answer =
        live_.Get(context.engine, question, [question, first, value = value_, module = now.module, body = loop_->Called(AttrId::kBody), limit = limit_](Session::State& s) -> absl::StatusOr<Answer> {
          Answer made;
          made.key = question;
          if (s.module.get() != module || !s.visible()) return made;
          Look(s, *value, *body, first, limit, &made);
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
    stopped_ = !error_.empty() || (answer->slow && !patient_) || static_cast<int64_t>(rows_.size()) >= limit_ || (answer->rows.empty() && !whole_);
    ui::WantFrame();
  }

  static void Look(Session::State& s, const Instruction& value, const Computation& body, int64_t first, int64_t limit, Answer* made) {
    // What only this looks at is not a stop, and does not count.
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    bool enough = false;
    const absl::Status looked = AtIterations(s, body, first, limit - 1, [&](int64_t k) -> absl::Status {
      const absl::StatusOr<Value> there = s.machine->ValueAhead(static_cast<int>(s.machine->frames().size()) - 1, value.index);
      if (!there.ok()) return there.status();
      made->rows.push_back({k, Summarize(*there)});
      if (made->rows.size() == 1 && seconds() > 0.6) made->slow = true;
      enough = seconds() > 0.08 && k + 1 < limit;
      return enough ? absl::OutOfRangeError("enough for now") : absl::OkStatus();
    });
    if (enough) return;
    if (looked.ok()) {
      made->whole = first + static_cast<int64_t>(made->rows.size()) < limit;
    } else if (absl::IsNotFound(looked)) {
      made->whole = true;  // the loop has ended just before
    } else {
      made->error = std::string(looked.message());
    }
  }

  int64_t Present(const Snapshot& now) const {
    for (const FrameRow& frame : now.frames) {
      if (frame.caller == loop_) return frame.iteration;
    }
    return -1;
  }

  void Go(PanelContext& context, int64_t iteration) const {
    // What `goto iteration` means by itself: the innermost loop around the selected frame.
    const Snapshot& now = context.now;
    const Instruction* innermost = nullptr;
    for (int k = std::min<int>(now.selected_frame, static_cast<int>(now.frames.size()) - 1); k >= 0 && innermost == nullptr; --k) {
      if (IsLoop(now.frames[k].kind)) innermost = now.frames[k].caller;
    }
    context.run(absl::StrCat("goto iteration ", iteration, innermost == loop_ ? "" : absl::StrCat(" in ", CommandName(now, *loop_))));
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
    const int64_t present = Present(context.now);
    if (present >= 0 && present < static_cast<int64_t>(rows_.size())) {
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
      ui::Text("\u2026", c.faint);
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
    // The present comes into view when the program has moved.
    if (present != shown_present_ && present >= 0) {
      shown_present_ = present;
      const float target = static_cast<float>(present) * ui::Px(22), view = ImGui::GetWindowHeight();
      if (target < ImGui::GetScrollY() || target + ui::Px(22) > ImGui::GetScrollY() + view) ImGui::SetScrollY(std::max(0.0f, target - view / 2));
    }
    ImGui::EndChild();
    ui::TagFact("columns", absl::StrCat("min max", has_mean ? " mean" : "", trouble > 0 ? " trouble" : "", any_shortened ? " (shortened)" : ""));
  }

  uint64_t program_ = 0, selected_generation_ = 0;
  absl::flat_hash_map<const Computation*, const Instruction*> around_;  // the loop by its body
  const Instruction *loop_ = nullptr, *first_loop_ = nullptr, *value_ = nullptr, *chosen_ = nullptr, *last_chosen_ = nullptr;
  std::vector<const Instruction*> offered_;
  std::string key_, error_;
  std::vector<IterationRow> rows_;
  double lowest_ = 0, highest_ = 0;
  size_t number_letters_ = 0, mean_letters_ = 0, trouble_letters_ = 0;
  bool whole_ = false, stopped_ = false, patient_ = false;
  int64_t limit_ = kRowsAtFirst, shown_present_ = -1;
  Live<Answer> live_;
};

}  // namespace

std::unique_ptr<Panel> MakeIterationsPanel() { return std::make_unique<IterationsPanel>(); }

}  // namespace hloscope
