// The dialog that opens files and saves as one: a folder's programs and folders, a field for a path.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/debug/file_words.h"
#include "core/debug/text_util.h"
#include "visualizer/shell/shell.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"
#include "visualizer/widgets/match.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string name;
  bool folder = false;
  int64_t size = 0;
};

bool LooksLikeProgram(const std::string& name) {
  for (const char* ending : {".hlo", ".txt", ".mlir", ".pb", ".stablehlo", ".hlo_proto", ".hlosnapshot"}) {
    if (absl::EndsWithIgnoreCase(name, ending)) return true;
  }
  return false;
}

std::vector<Entry> List(const std::string& folder, bool all) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end; !error && it != end; it.increment(error)) {
    Entry entry;
    entry.name = it->path().filename().string();
    std::error_code ignored;
    entry.folder = it->is_directory(ignored);
    if (!entry.name.empty() && entry.name[0] == '.') continue;
    if (!entry.folder && !all && !LooksLikeProgram(entry.name)) continue;
    if (!entry.folder) entry.size = static_cast<int64_t>(it->file_size(ignored));
    entries.push_back(std::move(entry));
    if (entries.size() >= 5000) break;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.folder != b.folder ? a.folder : a.name < b.name; });
  return entries;
}

// As a person would write it: from the root, without . and .., unless a link on the way makes that another place.
std::string Clean(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error), clean = whole.lexically_normal();
  if (fs::exists(whole, error) && !fs::equivalent(whole, clean, error)) return whole.string();
  return (clean.has_filename() || clean == clean.root_path() ? clean : clean.parent_path()).string();
}

}  // namespace

void Shell::AskWhereToSave(const std::string& name, const std::string& command) {
  dialog_wanted_ = dialog_saves_ = true;
  dialog_name_ = name;
  dialog_command_ = command;
  question_ = {};
}

void Shell::DrawFileDialog() {
  constexpr char kId[] = "file dialog";
  const bool saves = dialog_saves_, programs = !saves || dialog_command_ == "window save";
  std::error_code error;
  if (dialog_wanted_) {
    dialog_wanted_ = false;
    // Beside the program; what is in no file goes beside what was open before, or where the program was started.
    const std::string& home = document_.file().path().empty() && options_.kept->IsDraft(document_.name()) ? "" : document_.name();
    const fs::path beside = fs::absolute(home, error).parent_path();
    if (open_folder_.empty() || (saves && !home.empty()))
      open_folder_ = Clean(home.empty() || !fs::is_directory(beside, error) ? fs::current_path(error) : beside);
    open_text_ = saves ? fs::path(dialog_name_).filename().string() : "";
    ImGui::OpenPopup(kId);
    open_listed_.clear();
  }
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowSize({std::min(ui::Px(640), screen.x - ui::Px(32)), std::min(ui::Px(480), screen.y - ui::Px(64))}, ImGuiCond_Always);
  ImGui::SetNextWindowPos({std::floor(screen.x / 2), std::floor(screen.y / 2)}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(16), ui::Px(16)});
  const bool open = ImGui::BeginPopupModal(kId, nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  if (!open) return;
  ui::TagScope scope(saves ? "save" : "open");
  const ui::Palette& c = ui::Colors();
  ui::Text(!saves ? "Open a program" : programs ? "Save the program" : "Save", c.text, ui::Type().title);
  ui::TextCut(open_folder_, c.dim, ui::Type().mono_small);
  ui::TagFact("folder", open_folder_);
  ui::Gap(4);
  bool entered = false;
  if (ImGui::IsWindowAppearing() || std::exchange(open_focus_, false)) ui::FocusNext();
  ui::Field("path", &open_text_, saves ? "A name here, or a whole path" : "A name here, or a whole path; letters narrow the list", 0, &entered, true);
  const bool all = open_all_ || !programs;
  if (open_listed_ != open_folder_ || all != open_listed_all_) {
    open_listed_ = open_folder_;
    open_listed_all_ = all;
    open_names_.clear();
    for (const Entry& e : List(open_folder_, all)) open_names_.push_back({e.name, e.folder, e.folder ? "" : FormatByteCount(e.size)});
  }
  const auto path_of = [&](const std::string& text) {
    return absl::StartsWith(text, "/") || absl::StartsWith(text, "~/") ? text : Clean(fs::path(open_folder_) / text);
  };
  // What the field names, to be written.
  std::string target = path_of(open_text_);
  if (saves && !open_text_.empty() && !fs::is_directory(target, error) && fs::path(target).extension().empty()) target += programs ? ".hlo" : fs::path(dialog_name_).extension().string();
  std::string chosen;
  const float below = ImGui::GetCursorPosY() + ImGui::GetContentRegionAvail().y - ui::Px(28);  // where the buttons stand
  ImGui::BeginChild("list", {0, ui::WholeRows(26, 40)}, false);
  if (fs::path(open_folder_).has_parent_path() && fs::path(open_folder_) != fs::path(open_folder_).root_path()) {
    const ui::RowState row = ui::Row("up", 26);
    ui::DrawText({row.min.x + ui::Px(30), row.min.y + ui::Px(5)}, c.dim, ui::Type().ui, "..");
    if (row.clicked) chosen = fs::path(open_folder_).parent_path().string();
  }
  bool any = false;
  for (const OpenName& e : open_names_) {
    if (!saves && !open_text_.empty() && !absl::StartsWith(open_text_, "/") && !absl::StartsWith(open_text_, "~/") && !ui::ContainsLetters(e.name, open_text_)) continue;
    any = true;
    const ui::RowState row = ui::Row(absl::StrCat(e.folder ? "folder:" : "file:", e.name), 26);
    ui::DrawIcon(ImGui::GetWindowDrawList(), e.folder ? ui::Icon::kOpen : ui::Icon::kFile, {row.min.x + ui::Px(8), row.min.y + ui::Px(6)}, ui::Px(14), e.folder ? c.amber : c.dim);
    const float size_width = ui::Measure(ui::Type().small, e.size).x;
    ui::DrawText({row.max.x - ui::Px(8) - size_width, row.min.y + ui::Px(6)}, c.faint, ui::Type().small, e.size);
    ui::DrawTextIn({row.min.x + ui::Px(30), row.min.y + ui::Px(5)}, row.max.x - row.min.x - size_width - ui::Px(54), c.text, ui::Type().ui, e.name);
    if (!row.clicked) continue;
    if (saves && !e.folder) open_text_ = e.name;  // which may be changed before it is written
    else chosen = path_of(e.name);
  }
  if (!any) ui::Text(all ? saves ? "No files here." : "Nothing here has these letters." : "No programs here (.hlo, .txt, .mlir, .pb).", c.faint);
  ImGui::EndChild();
  ImGui::SetCursorPosY(below);
  if (programs) {
    ui::Toggle("all", "All files", &open_all_, "Also those whose names do not look like programs");
  } else {
    ui::Text(" ");
  }
  const char* accept_label = saves ? "Save" : "Open";
  const float buttons = ui::Measure(ui::Type().ui, "Cancel").x + ui::Measure(ui::Type().ui, accept_label).x + ui::Px(20 + 20 + 8);
  ImGui::SameLine(ImGui::GetWindowWidth() - buttons - ui::Px(16));
  const bool cancel = ui::Button("cancel", "Cancel") || ui::Pressed("Escape");
  ImGui::SameLine();
  const bool accept = (ui::Button("accept", accept_label, ui::Icon::kNone, ui::ButtonKind::kPrimary, "", !open_text_.empty()) || entered) && !open_text_.empty();
  if (accept && saves) {
    chosen = target;
  } else if (accept) {
    chosen = path_of(open_text_);
    // Letters that only one file has.
    if (!fs::exists(chosen, error)) {
      std::vector<std::string> fitting;
      for (const OpenName& e : open_names_) {
        if (ui::ContainsLetters(e.name, open_text_)) fitting.push_back(e.name);
      }
      if (fitting.size() == 1) chosen = path_of(fitting[0]);
    }
  }
  if (!chosen.empty() && fs::is_directory(chosen, error)) {
    open_folder_ = Clean(chosen);
    if (accept) open_text_ = saves ? fs::path(dialog_name_).filename().string() : "";
    else if (!saves) open_text_.clear();
    open_focus_ = true;
    ui::WantFrame();
  } else if (!chosen.empty()) {
    ImGui::CloseCurrentPopup();
    Run(absl::StrCat(saves ? dialog_command_ : "window open", " ", FileWord(chosen)));
  } else if (cancel) {
    if (saves) leaving_ = nullptr;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace hloscope
