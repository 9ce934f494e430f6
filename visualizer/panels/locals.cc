// The values of the selected frame that have been computed: name, shape, range, first numbers. Only what is seen is asked for.
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/set_readers.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/value_note.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

class LocalsPanel : public Panel {
 public:
  float padding() const override { return 8; }

  void Draw(PanelContext& context) override {
    const Snapshot& now = context.now;
    const FrameRow* frame = now.frame();
    if (frame == nullptr) {
      ui::EmptyHint(ui::Icon::kTable, "The values of the selected frame: shape, range, first numbers.", "Start the program with F5 or Step (F11).");
      return;
    }
    ui::SearchField("filter", &filter_, "filter by name, operation or shape", 0);
    List(now, *frame);
    DrawHead();
    ImGui::BeginChild("rows", {0, ui::WholeRows(22)}, false);
    DrawRows(context, *frame);
    ImGui::EndChild();
    ui::TagFact("count", absl::StrCat(rows_.size()));
    ui::TagFact("first", rows_.empty() ? "" : rows_.front()->name);
  }

  void Save(nlohmann::json& to) const override { to["sort"] = sort_; }
  void Load(const nlohmann::json& from) override {
    if (from.contains("sort") && from["sort"].is_number_integer()) sort_ = std::clamp<int>(from["sort"].get<int>(), kNewest, kSize);
  }

 private:
  enum Sort : int { kNewest, kOrder, kName, kSize };
  struct Known {
    uint64_t moment = 0;
    ValueNote note;
  };
  using Notes = std::vector<std::pair<const Instruction*, ValueNote>>;
  struct Answer {
    uint64_t moment = 0;
    const Module* module = nullptr;
    Notes notes;
  };

  // What is listed, in which order; anew when the frame has gone on.
  void List(const Snapshot& now, const FrameRow& frame) {
    const std::string key = absl::StrCat(now.program_generation, "|", reinterpret_cast<uintptr_t>(frame.computation), "|", frame.position, "|", filter_, "|", sort_);
    if (now.program_generation != program_ || frame.computation != computation_) {
      program_ = now.program_generation;
      computation_ = frame.computation;
      known_.clear();
      longest_name_ = longest_shape_ = 0;
      for (const Instruction* i : frame.computation->schedule) {
        longest_name_ = std::max(longest_name_, NameInText(*i).size());
        longest_shape_ = std::max(longest_shape_, ShapeText(i->shape).size());
      }
    }
    if (key == key_) return;
    key_ = key;
    rows_.clear();
    const std::string wanted = absl::AsciiStrToLower(absl::StripAsciiWhitespace(filter_));
    const int end = std::min<int>(frame.position, static_cast<int>(frame.computation->schedule.size()));
    for (int k = 0; k < end; ++k) {
      const Instruction* i = frame.computation->schedule[k];
      if (!wanted.empty() && !absl::StrContains(absl::AsciiStrToLower(i->name), wanted) && !absl::StrContains(absl::AsciiStrToLower(NameInText(*i)), wanted) && !absl::StrContains(Name(i->opcode), wanted) && !absl::StrContains(i->shape.ToString(false), wanted)) continue;
      rows_.push_back(i);
    }
    switch (sort_) {
      case kNewest: std::reverse(rows_.begin(), rows_.end()); break;
      case kName: std::stable_sort(rows_.begin(), rows_.end(), [](const Instruction* a, const Instruction* b) { return NameInText(*a) < NameInText(*b); }); break;
      case kSize: std::stable_sort(rows_.begin(), rows_.end(), [](const Instruction* a, const Instruction* b) { return a->shape.ByteSize() > b->shape.ByteSize(); }); break;
      default: break;
    }
  }

  struct Columns {
    float name = 0, shape = 0, range = 0, text = 0, end = 0;  // where each begins; shape == range: no shapes
  };
  // By what the names and shapes of the whole computation need: nothing moves as one steps.
  Columns ColumnsIn(float left, float width) const {
    const float letter = ui::Measure(ui::Type().mono, "0").x;
    const auto needs = [&](size_t letters, float least, float most) { return std::clamp(letter * static_cast<float>(letters) + ui::Px(24), width * least, width * most); };
    Columns at;
    at.name = left + ui::Px(8);
    at.text = at.end = left + width - ui::Px(6);
    if (width < ui::Px(360)) {
      at.shape = at.range = left + width * 0.46f;
      return at;
    }
    const bool wide = width >= ui::Px(560);
    const float heading = std::min(ui::Measure(ui::Type().small, "name, newest first").x + ui::Px(12), width * 0.35f);
    at.shape = at.name + std::max(heading, needs(longest_name_, 0.16f, wide ? 0.28f : 0.35f));
    at.range = at.shape + needs(longest_shape_, 0.12f, wide ? 0.26f : 0.36f);
    // A range has its room before a long shape has.
    if (!wide) at.range = std::clamp(at.text - letter * 19, at.shape + width * 0.12f, at.range);
    if (wide) at.text = at.range + std::max(ui::Px(160), width * 0.2f);
    return at;
  }

  void DrawHead() {
    const ui::Palette& c = ui::Colors();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, height = ui::Px(22);
    const Columns columns = ColumnsIn(at.x, row_width_ > 0 ? std::min(row_width_, width) : width);
    ImFont* font = ui::Type().small;
    // The name's heading goes through three orders.
    ImGui::SetCursorScreenPos({columns.name, at.y});
    if (ImGui::InvisibleButton("sort:name", {std::max(1.0f, columns.shape - columns.name - ui::Px(4)), height})) sort_ = sort_ == kNewest ? kOrder : sort_ == kOrder ? kName : kNewest;
    ui::Tag("sort:name");
    const bool on = sort_ != kSize;
    ui::DrawTextIn({columns.name, at.y + std::floor((height - font->FontSize) / 2)}, columns.shape - columns.name - ui::Px(4), ImGui::IsItemHovered() ? c.text : on ? c.dim : c.faint, font,
                   absl::StrCat("name", sort_ == kNewest ? ", newest first" : sort_ == kOrder ? ", in order" : sort_ == kName ? ", a to z" : ""));
    if (columns.range > columns.shape) {
      ImGui::SetCursorScreenPos({columns.shape, at.y});
      if (ImGui::InvisibleButton("sort:shape", {columns.range - columns.shape - ui::Px(4), height})) sort_ = sort_ == kSize ? kNewest : kSize;
      ui::Tag("sort:shape");
      ui::DrawTextIn({columns.shape, at.y + std::floor((height - font->FontSize) / 2)}, columns.range - columns.shape - ui::Px(4), ImGui::IsItemHovered() ? c.text : on ? c.faint : c.dim, font,
                     on ? "shape" : "shape, largest first");
    }
    ui::DrawTextIn({columns.range, at.y + std::floor((height - font->FontSize) / 2)}, columns.text - columns.range, c.faint, font, "range");
    if (columns.text < columns.end) ui::DrawTextIn({columns.text, at.y + std::floor((height - font->FontSize) / 2)}, columns.end - columns.text, c.faint, font, "first numbers");
    ImGui::SetCursorScreenPos({at.x, at.y + height});
    ImGui::GetWindowDrawList()->AddLine({at.x, at.y + height - 1}, {at.x + width, at.y + height - 1}, c.border);
    ImGui::Dummy({1, 1});
  }

  void DrawRows(PanelContext& context, const FrameRow& frame) {
    if (rows_.empty()) {
      ui::EmptyHint(ui::Icon::kTable, filter_.empty() ? "Nothing of this frame has been computed yet." : "Nothing computed so far has this in its name, operation or shape.", filter_.empty() ? "Step with F10." : "");
      return;
    }
    const uint64_t moment = context.now.moment_generation;
    std::vector<const Instruction*> missing;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows_.size()), ui::Px(22));
    while (clipper.Step()) {
      for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
        const auto known = known_.find(rows_[k]);
        if (known == known_.end() || known->second.moment != moment || known->second.note.partial) missing.push_back(rows_[k]);
        DrawRow(context, *rows_[k], known == known_.end() ? nullptr : &known->second.note);
      }
    }
    ImGui::PopStyleVar();
    Ask(context, frame, moment, std::move(missing));
  }

  // A part at a time, so that commands get their turn.
  void Ask(PanelContext& context, const FrameRow& frame, uint64_t moment, std::vector<const Instruction*> missing) {
    if (missing.empty()) return;
    {
      std::stable_sort(missing.begin(), missing.end(), [](const Instruction* a, const Instruction* b) { return a->shape.ByteSize() < b->shape.ByteSize(); });
      std::string key = absl::StrCat(moment, "|", context.now.selected_frame, "|", round_);
      for (const Instruction* i : missing) absl::StrAppend(&key, ",", i->index);
      answer_ = answers_.Get(context.engine, key, [missing, moment, module = context.now.module, depth = context.now.selected_frame](Session::State& s) -> absl::StatusOr<Answer> {
        Answer answer{moment, module, {}};
        if (s.module.get() != module) return answer;
        const KnowUntil until = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
        const SetMarks marks = MarksOfSets(s, depth);
        for (const Instruction* i : missing) {
          answer.notes.emplace_back(i, NoteOf(s, depth, *i, until));
          if (const auto mark = marks.find(i); mark != marks.end()) answer.notes.back().second.by_hand = SetMarkText(mark->second);
          if (std::chrono::steady_clock::now() > until) break;
        }
        return answer;
      });
    }
    if (answer_ == nullptr || answer_ == taken_) return;
    taken_ = answer_;
    if (answer_->module != context.now.module) return;
    for (const auto& [instruction, note] : answer_->notes) {
      if (instruction->parent == computation_) known_[instruction] = {answer_->moment, note};
    }
    const auto partial = [](const Notes::value_type& n) { return n.second.partial; };
    if (std::any_of(answer_->notes.begin(), answer_->notes.end(), partial)) ++round_;
    ui::WantFrame();
  }

  void DrawRow(PanelContext& context, const Instruction& i, const ValueNote* note) {
    const ui::Palette& c = ui::Colors();
    const Selection& selection = context.selection;
    ImGui::PushID(i.index);
    const ui::RowState row = ui::Row(absl::StrCat("row:", i.name), 22, selection.instruction == &i, selection.hovered == &i ? c.hover : 0);
    ImGui::PopID();
    if (row.hovered) context.selection.hover_next = &i;
    if (row.clicked) context.select(&i, {});
    row_width_ = row.max.x - row.min.x;
    const Columns at = ColumnsIn(row.min.x, row_width_);
    ImFont* font = ui::Type().mono;
    const float y = row.min.y + std::floor((row.max.y - row.min.y - font->FontSize) / 2), gap = ui::Px(10);
    // Before the range there is room for a sign.
    const float sign = ui::Px(20), name_gap = at.range > at.shape ? gap : sign;
    bool cut = false, any = false;
    const bool stale = IsOfBeforeEdit(context, i);
    ui::DrawNameIn({at.name, y}, at.shape - at.name - name_gap, c.text, font, NameInText(i), &cut);
    any |= cut;
    if (at.range > at.shape) {
      ui::DrawTextIn({at.shape, y}, at.range - at.shape - sign, c.teal, font, note != nullptr ? note->shape : ShapeText(i.shape), &cut);
      any |= cut;
    }
    if (note != nullptr && !note->error.empty()) {
      ui::DrawTextIn({at.range, y}, at.end - at.range, c.faint, ui::Type().ui, note->error, &cut);
    } else if (note != nullptr && stale) {
      ui::DrawTextIn({at.range, y}, at.end - at.range - gap, c.faint, font,
                     absl::StrCat(kBeforeEdit, note->range.empty() ? note->text : note->range), &cut);
    } else if (note != nullptr) {
      // A scalar has no range: its number stands there.
      const bool alone = note->range.empty();
      const ImU32 ink = note->trouble() ? c.pink : c.text;
      if (note->trouble()) {
        ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kWarning, {at.range - ui::Px(15), y}, ui::Px(12), c.pink);
      } else if (!note->by_hand.empty()) {
        ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kEdit, {at.range - ui::Px(15), y}, ui::Px(12), c.dim);
      }
      ui::DrawTextIn({at.range, y}, (alone ? at.end : at.text) - at.range - gap, alone ? ink : note->trouble() ? c.pink : c.dim, font, alone ? note->text : note->range, &cut);
      any |= cut;
      if (!alone && at.text < at.end) ui::DrawTextIn({at.text, y}, at.end - at.text, c.dim, font, note->text, &cut);
    }
    if (row.hovered && stale) {
      ImGui::SetTooltip("%s",
                        absl::StrCat(ShownName(i), " of the program as it ran: it, or what it is computed from, was changed since").c_str());
    } else if (row.hovered && note != nullptr && (any || cut || !note->by_hand.empty())) {
      ImGui::SetTooltip("%s", absl::StrCat(ShownName(i), "  ", note->shape, note->range.empty() ? "" : absl::StrCat("\n", note->range), note->trouble() ? absl::StrCat("\n", TroubleText(*note)) : "", "\n", note->text, note->error, note->by_hand.empty() ? "" : "\n", note->by_hand).c_str());
    }
    if (note != nullptr)
      ui::TagFact(
          absl::StrCat("value:", i.name),
          !note->error.empty() ? note->error : absl::StrCat(stale ? kBeforeEdit : "", note->range.empty() ? note->text : note->range, stale || note->by_hand.empty() ? "" : ", ", stale ? "" : note->by_hand));
  }

  std::string filter_, key_;
  int sort_ = kNewest;
  float row_width_ = 0;  // beside the scroll bar, where there is one
  std::vector<const Instruction*> rows_;
  uint64_t program_ = 0;
  const Computation* computation_ = nullptr;
  size_t longest_name_ = 0, longest_shape_ = 0;  // in it
  absl::flat_hash_map<const Instruction*, Known> known_;
  Live<Answer> answers_;
  uint64_t round_ = 0;  // of asking on for what is large
  std::shared_ptr<const Answer> answer_, taken_;
};

}  // namespace

std::unique_ptr<Panel> MakeLocalsPanel() { return std::make_unique<LocalsPanel>(); }

}  // namespace hloscope
