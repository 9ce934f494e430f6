// What is seen before a program is open: recent files, samples as cards with a picture of their shape, and the ways to begin.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/debug/file_words.h"
#include "visualizer/model/samples.h"
#include "visualizer/shell/shell.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/match.h"

namespace hloscope {
namespace {

ImU32 KindColor(int kind) {
  const ui::Palette& c = ui::Colors();
  switch (kind) {
    case 0: return c.faint;
    case 1: return c.blue;
    case 2: return c.teal;
    case 3: return c.orange;
    default: return c.violet;
  }
}

void DrawThumbnail(const Thumbnail& t, ImVec2 min, ImVec2 max) {
  if (t.blocks.empty()) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float w = max.x - min.x, h = max.y - min.y;
  const float block_w = std::min(ui::Px(18), w / 6), block_h = std::clamp(h / static_cast<float>(std::max(1, t.rows)) * 0.45f, 1.5f, ui::Px(6));
  const auto at = [&](const Thumbnail::Block& b) { return ImVec2(min.x + b.x * w, min.y + b.y * h); };
  for (const Thumbnail::Edge& e : t.edges) {
    const ImVec2 a = at(t.blocks[e.from]), b = at(t.blocks[e.to]);
    list->AddBezierCubic(a, {a.x, (a.y + b.y) / 2}, {b.x, (a.y + b.y) / 2}, b, ui::Fade(ui::Colors().faint, 0.45f), 1, 8);
  }
  for (const Thumbnail::Block& b : t.blocks) {
    const ImVec2 p = at(b);
    list->AddRectFilled({p.x - block_w / 2, p.y - block_h / 2}, {p.x + block_w / 2, p.y + block_h / 2}, KindColor(b.kind), 1.5f);
  }
}

// True when clicked.
bool Card(const Sample& sample, ImVec2 size) {
  const ui::Palette& c = ui::Colors();
  const ImVec2 at = ImGui::GetCursorScreenPos(), end = {at.x + size.x, at.y + size.y};
  const bool clicked = ImGui::InvisibleButton(sample.path.c_str(), size);
  const bool hovered = ImGui::IsItemHovered();
  ui::Tag(absl::StrCat("sample:", std::filesystem::path(sample.path).filename().string()));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, end, hovered ? c.hover : c.panel, ui::Px(6));
  list->AddRect(at, end, hovered ? c.blue : c.border, ui::Px(6));
  const float picture = size.y - ui::Px(62), pad = ui::Px(12);
  list->AddRectFilled({at.x + 1, at.y + 1}, {end.x - 1, at.y + picture}, c.sunken, ui::Px(6), ImDrawFlags_RoundCornersTop);
  DrawThumbnail(sample.thumbnail, {at.x + pad, at.y + ui::Px(8)}, {end.x - pad, at.y + picture - ui::Px(8)});
  const std::string count = absl::StrCat(sample.instructions);
  const float count_width = ui::Measure(ui::Type().small, count).x;
  ui::DrawText({end.x - pad - count_width, at.y + picture + ui::Px(9)}, c.faint, ui::Type().small, count);
  ui::DrawTextIn({at.x + pad, at.y + picture + ui::Px(8)}, size.x - 2 * pad - count_width - ui::Px(8), c.text, ui::Type().strong, sample.title);
  // The note in two lines.
  ImFont* font = ui::Type().small;
  const char *first = sample.note.data(), *last = first + sample.note.size();
  const char* wrap = font->CalcWordWrapPositionA(1, first, last, size.x - 2 * pad);
  const ImVec2 note = {at.x + pad, at.y + picture + ui::Px(27)};
  ui::DrawText(note, c.dim, font, absl::string_view(first, wrap - first));
  while (wrap < last && *wrap == ' ') ++wrap;
  ui::DrawTextIn({note.x, note.y + font->FontSize}, size.x - 2 * pad, c.dim, font, absl::string_view(wrap, last - wrap));
  ui::Tooltip(sample.note);
  return clicked;
}

}  // namespace

// The disk is looked at once in a while, not in each frame.
void Shell::LookAtRecent() {
  const double time = ImGui::GetTime();
  if (recent_looked_ >= 0 && time - recent_looked_ < 1) return;
  recent_looked_ = time;
  recent_.clear();
  for (const std::string& path : options_.kept->Drafts()) recent_.push_back({path, /*draft=*/true});
  for (const std::string& path : settings_.recent) {
    std::error_code error;
    const bool kept = options_.kept->Look(path).has_value();
    recent_.push_back({path, false, kept, !kept && !std::filesystem::exists(path, error)});
  }
}

void Shell::DrawWelcome(ImVec2 min, ImVec2 max) {
  const ui::Palette& c = ui::Colors();
  if (samples_ == nullptr) samples_ = std::make_unique<Samples>(options_.samples_folder, engine_.wiring(), [] {});
  ui::TagScope scope("welcome");
  const float left = std::min(ui::Px(380), (max.x - min.x) * 0.4f);
  ImGui::SetCursorScreenPos(min);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(24), ui::Px(16)});
  ImGui::BeginChild("welcome left", {left, max.y - min.y}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ui::Gap(16);
  ui::Text("hloscope", c.text, ui::Type().title);
  ui::TextWrapped("Step through tensor programs, forward and back, and ask any element where it came from.", c.dim);
  ui::Gap(16);
  if (ui::Button("open", "Open...", ui::Icon::kOpen, ui::ButtonKind::kPrimary, "An HLO or StableHLO text, an HloProto, an HloSnapshot (Ctrl+O)")) Run("window open");
  ImGui::SameLine();
  if (ui::Button("new", "New program", ui::Icon::kPlus, ui::ButtonKind::kPlain, "Begins with an empty computation, in the builder (Ctrl+N)")) Run("window new");
  ui::Gap(8);
  if (ui::Button("learn", "Learn", ui::Icon::kBook, ui::ButtonKind::kPlain, "Lessons about shapes, layouts and operations, with live programs, pictures and exercises, in English and Spanish")) Run("window learn");
  if (now_->phase != Phase::kEmpty) {
    ImGui::SameLine();
    if (ui::Button("back", "Back to the program", ui::Icon::kNone)) Run("window welcome");
  }
  ui::Gap(16);
  ui::Heading("RECENT");
  LookAtRecent();
  if (recent_.empty()) ui::TextWrapped("Programs that were opened stand here. Files can be dropped on the window too.", c.faint);
  int number = 0;
  for (const RecentRow& recent : recent_) {
    ImGui::PushID(recent.path.c_str());
    const ui::RowState row = ui::Row(absl::StrCat("recent:", number++), 40);
    const std::filesystem::path file(recent.path);
    const float x = row.min.x + ui::Px(8);
    float width = row.max.x - x - ui::Px(8);
    const ImVec2 after = ImGui::GetCursorScreenPos();
    bool removed = false;
    if (recent.gone && row.hovered) {
      width -= ui::Px(32);
      ImGui::SetItemAllowOverlap();
      ImGui::SetCursorScreenPos({row.max.x - ui::Px(30), row.min.y + ui::Px(8)});
      removed = ui::IconButton("forget", ui::Icon::kClose, "takes it off the list");
      ImGui::SetCursorScreenPos(after);
    }
    ImGui::PopID();
    ui::DrawTextIn({x, row.min.y + ui::Px(4)}, width, recent.gone ? c.faint : c.text, ui::Type().ui, file.filename().string());
    bool cut = false;
    const std::string below = recent.draft ? "not saved yet" : absl::StrCat(recent.gone ? "not there any more: " : recent.kept ? "changes not saved: " : "", file.parent_path().string());
    ui::DrawTextIn({x, row.min.y + ui::Px(22)}, width, recent.draft || recent.kept ? c.amber : c.faint, ui::Type().small, below, &cut);
    ui::TagFact(absl::StrCat("recent:", number - 1), absl::StrCat(file.filename().string(), recent.draft || recent.kept ? ", not saved" : "", recent.gone ? ", gone" : ""));
    if (cut) ui::Tooltip(recent.path);
    if (removed) Run(absl::StrCat("window forget ", FileWord(recent.path)));
    else if (row.clicked) Run(absl::StrCat("window open ", FileWord(recent.path)));
  }
  ui::Gap(16);
  ui::Heading("KEYS");
  for (const auto& [keys, what] : {std::pair("F5", "run, continue"), std::pair("F10", "next"), std::pair("F11", "step into"), std::pair("Shift+F10", "next, back in time"), std::pair("F9", "breakpoint"),
                                   std::pair("Ctrl+P", "go to an instruction"), std::pair("Ctrl+Shift+P", "all commands")}) {
    ui::KeyValue(keys, what, c.dim, nullptr, 110);
  }
  ImGui::EndChild();
  ImGui::SetCursorScreenPos({min.x + left, min.y});
  ImGui::BeginChild("welcome samples", {max.x - min.x - left, max.y - min.y}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ui::Gap(16);
  ui::Text("Samples", c.text, ui::Type().title);
  ImGui::SameLine(0, ui::Px(16));
  ui::SearchField("search", &welcome_text_, "Name or what to look for", 260);
  ui::Gap(8);
  const std::vector<std::shared_ptr<const Sample>> samples = samples_->all();
  if (samples.empty() && !std::filesystem::exists(options_.samples_folder)) {
    ui::TextWrapped(absl::StrCat("No samples are installed. They were looked for in ", options_.samples_folder, ". $HLOSCOPE_ASSETS names the folder that holds samples and lessons."), c.dim);
    ui::TagFact("samples", "none");
  }
  if (options_.samples_folder.empty() || std::filesystem::exists(options_.samples_folder)) {
    const float room = ImGui::GetContentRegionAvail().x - ui::Px(12), gap = ui::Px(12);
    const int columns = std::max(1, static_cast<int>((room + gap) / (ui::Px(200) + gap)));
    const ImVec2 size = {std::floor((room + gap) / static_cast<float>(columns)) - gap, ui::Px(168)};
    std::string group;
    int column = 0;
    for (const auto& sample : samples) {
      if (!welcome_text_.empty() && !ui::ContainsLetters(sample->title, welcome_text_) && !ui::ContainsLetters(sample->note, welcome_text_)) continue;
      if (sample->group != group) {
        group = sample->group;
        column = 0;
        ui::Heading(group == "programs" ? "PROGRAMS" : group == "operations" ? "OPERATIONS, ONE EACH" : "EXAMPLES OF THE SPECIFICATION");
      }
      if (column > 0) ImGui::SameLine(0, gap);
      ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, gap});
      if (!ImGui::IsRectVisible(size)) {
        ImGui::Dummy(size);
      } else if (Card(*sample, size)) {
        Run(absl::StrCat("window open ", FileWord(sample->path)));
      }
      ImGui::PopStyleVar();
      column = (column + 1) % columns;
    }
  }
  ImGui::EndChild();
}

void Shell::Drop(const std::vector<std::string>& paths) {
  if (!paths.empty()) Run(absl::StrCat("window open ", FileWord(paths.front())));
}

}  // namespace hloscope
