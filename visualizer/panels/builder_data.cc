#include "visualizer/panels/builder_data.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/file_words.h"
#include "core/debug/session_state.h"
#include "core/exec/inputs.h"
#include "core/literal/npy.h"
#include "core/text/hlo_text.h"
#include "imgui.h"
#include "visualizer/model/build_edit.h"
#include "visualizer/panels/builder_form.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr int64_t kMostElements = 16384;

std::string CellName(const std::vector<int64_t>& dimensions, int64_t linear) {
  std::vector<int64_t> index(dimensions.size());
  DelinearizeIndex(dimensions, linear, absl::MakeSpan(index));
  return absl::StrJoin(index, ",");
}

}  // namespace

void BuilderData::Draw(BuilderScene& scene) {
  DrawNew(scene);
  if (scene.home == nullptr) return;
  DrawList(scene);
  const Instruction* of = chosen_.empty() ? nullptr : scene.home->FindInstruction(chosen_);
  if (of == nullptr) return;
  ui::Separator();
  ui::Text(of->name, 0, ui::Type().title);
  ImGui::SameLine(0, ui::Px(10));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ui::Px(4));
  ui::TextCut(of->shape.ToString(false), ui::Colors().teal, ui::Type().mono);
  if (of->literal != nullptr) DrawConstant(scene, *of);
  if (of->parameter_number >= 0) DrawInput(scene, *of);
}

void BuilderData::Choose(const std::string& name) {
  chosen_ = name;
  active_cell_ = -1;
}

void BuilderData::DrawNew(BuilderScene& scene) {
  ui::Heading("new value");
  const float wide = ImGui::GetContentRegionAvail().x / ui::TheLook().scale;
  ui::Field("shape", &shape_, "shape: f32[2,2]", wide * 0.5f - 4, nullptr, true);
  const absl::StatusOr<Shape> parsed = ParseShape(shape_);
  if (!parsed.ok() && !shape_.empty()) {
    ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), ui::Colors().red, ui::Px(4));
    ui::Tooltip(parsed.status().message());
  }
  ImGui::SameLine(0, ui::Px(8));
  ui::Field("name", &name_, "name: a free one", wide * 0.5f - 4, nullptr, true);
  const bool named = DrawNameMistake(scene.home, name_);
  ui::Gap(4);
  const std::string name = name_.empty() ? "" : absl::StrCat(" ", name_);
  const auto make = [&](const std::string& command) {
    scene.context.run("window builder " + command);
    name_.clear();
  };
  if (ui::Button("parameter", "Parameter", ui::Icon::kPlus, ui::ButtonKind::kPlain, "an input of the program", named && parsed.ok()))
    make(absl::StrCat("parameter ", shape_, name));
  ImGui::SameLine(0, ui::Px(8));
  if (ui::Button("constant", "Constant", ui::Icon::kPlus, ui::ButtonKind::kPlain, "of zeros, to be filled below",
                 named && parsed.ok() && parsed->IsArray()))
    make(absl::StrCat("constant ", shape_, " zeros", name));
}

void BuilderData::DrawList(BuilderScene& scene) {
  ui::Heading("constants and parameters");
  std::vector<const Instruction*> values;
  for (const Instruction* i : scene.home->instructions) {
    if (i->literal != nullptr || i->parameter_number >= 0) values.push_back(i);
    if (values.size() == 1000) break;
  }
  ui::TagFact("values", absl::StrCat(values.size()));
  if (values.empty()) {
    ui::TextWrapped("There is none yet.", ui::Colors().faint);
    return;
  }
  const float height = ui::Px(22) * static_cast<float>(std::clamp<size_t>(values.size(), 1, ImGui::GetWindowHeight() > ui::Px(420) ? 7 : 3));
  ImGui::BeginChild("list", {0, height}, false);
  // What is chosen is seen, also where it was made just now.
  const auto at = std::find_if(values.begin(), values.end(), [this](const Instruction* i) { return i->name == chosen_; });
  if (at != values.end() && seen_ != chosen_) {
    const float top = ui::Px(22) * static_cast<float>(at - values.begin()), from = ImGui::GetScrollY();
    if (top < from || top + ui::Px(22) > from + height) ImGui::SetScrollY(std::max(0.0f, top + ui::Px(22) - height));
    seen_ = chosen_;
  }
  ImGuiListClipper clipper;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  clipper.Begin(static_cast<int>(values.size()), ui::Px(22));
  while (clipper.Step()) {
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
      const Instruction& i = *values[k];
      const std::string name(i.name);
      const ui::RowState row = ui::Row(absl::StrCat("data:", name), 22, chosen_ == name);
      const float room = row.max.x - row.min.x - ui::Px(16), y = row.min.y + ui::Px(3);
      ui::DrawNameIn({row.min.x + ui::Px(8), y}, room * 0.4f - ui::Px(6), ui::Colors().text, ui::Type().mono, name);
      ui::DrawTextIn({row.min.x + ui::Px(8) + room * 0.4f, y}, room * 0.35f - ui::Px(6), ui::Colors().teal, ui::Type().mono, i.shape.ToString(false));
      ui::DrawTextIn({row.min.x + ui::Px(8) + room * 0.75f, y}, room * 0.25f, ui::Colors().dim, ui::Type().ui, i.literal != nullptr ? "constant" : absl::StrCat("parameter ", i.parameter_number));
      if (row.clicked) Choose(name);
    }
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

// From a file or made up; `command` takes what stands behind it.
void BuilderData::DrawSources(BuilderScene& scene, const std::string& command) {
  bool first = true;
  for (const char* how : {"zeros", "ones", "iota", "random"}) {
    if (!first) ImGui::SameLine(0, ui::Px(12));
    first = false;
    if (!ui::Link(absl::StrCat("fill:", how), how)) continue;
    scene.context.run(absl::StrCat(command, how, absl::string_view(how) == "random" ? absl::StrCat(":", seed_++) : ""));
  }
  bool entered = false;
  ui::Gap(4);
  ui::Field("npy", &npy_, "a file: values.npy, and Enter", 0, &entered, true);
  if (entered && !npy_.empty()) scene.context.run(absl::StrCat(command, FileWord(npy_)));
}

void BuilderData::DrawConstant(BuilderScene& scene, const Instruction& constant) {
  const std::string of = absl::StrCat(scene.reading.version, "|", scene.home->name, "|", constant.name);
  if (of != table_of_) {
    table_of_ = of;
    table_ = Table();
    if (constant.shape.IsArray()) {
      table_.dimensions.assign(constant.shape.dimensions().begin(), constant.shape.dimensions().end());
      table_.too_large = constant.shape.ElementCount() > kMostElements;
      if (!table_.too_large && !constant.literal->elided) table_.elements = build::ElementTexts(constant.literal->value);
    }
  }
  const std::string self = absl::StrCat(scene.home == scene.reading.module->entry ? "%" : absl::StrCat(scene.home->name, ":"), constant.name);
  ui::Gap(4);
  DrawSources(scene, absl::StrCat("window builder literal ", self, " "));
  ui::Gap(8);
  if (constant.literal->elided) {
    ui::TextWrapped("The text leaves its elements out ({...}); fill it, or give it a file.", ui::Colors().dim);
    return;
  }
  std::string changed;
  const int64_t cell = DrawTable(table_, &changed);
  if (cell < 0) return;
  std::vector<std::string> elements = table_.elements;
  elements[cell] = changed;
  scene.context.run(absl::StrCat("window builder literal ", self, " ", build::LiteralText(table_.dimensions, elements)));
}

void BuilderData::DrawInput(BuilderScene& scene, const Instruction& parameter) {
  const Snapshot& now = scene.context.now;
  const Instruction* same = now.session != nullptr && now.module != nullptr && now.module->entry != nullptr && scene.home == scene.reading.module->entry ? now.module->entry->FindInstruction(parameter.name) : nullptr;
  if (same == nullptr || !Shape::Compatible(same->shape, parameter.shape)) {
    ui::TextWrapped(scene.home == scene.reading.module->entry ? "It has values once the program runs (Run, above)." : "Its values are those that the caller gives.", ui::Colors().dim);
    return;
  }
  const std::string name = absl::StrCat("%", parameter.name);
  const int number = static_cast<int>(parameter.parameter_number);
  const bool started = now.phase != Phase::kReady;
  const std::string key = absl::StrCat(now.program_generation, "|", now.moment_generation, "|", name);
  const std::shared_ptr<const Table> table = input_.Get(scene.context.engine, key, [bare = std::string(parameter.name), number](Session::State& s) -> absl::StatusOr<Table> {
    Table made;
    const Shape shape = s.module->entry->parameters[number]->shape;
    if (!shape.IsArray()) return absl::FailedPreconditionError("only arrays have a table");
    made.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
    made.too_large = shape.ElementCount() > kMostElements;
    if (made.too_large) return made;
    const absl::StatusOr<Value> value = s.visible() ? s.ValueOf(bare) : s.inputs != nullptr ? s.inputs->Parameter(number, nullptr) : absl::StatusOr<Value>(absl::NotFoundError("it has no value yet"));
    if (!value.ok()) return value.status();
    made.elements = build::ElementTexts(*value);
    return made;
  });
  ui::Gap(4);
  if (!started) {
    ui::TextWrapped("The values that it will have. They can be changed when the program has started.", ui::Colors().dim);
    ui::Gap(4);
    if (ui::Button("start", "Start", ui::Icon::kContinue, ui::ButtonKind::kPlain, "stops before the first instruction")) scene.context.run("start");
  } else {
    bool first = true;
    for (const char* how : {"zeros", "ones", "iota", "random"}) {
      if (!first) ImGui::SameLine(0, ui::Px(12));
      first = false;
      if (!ui::Link(absl::StrCat("fill:", how), how)) continue;
      // Made up as the session makes inputs up (positive under a root, indices in range), into a file for `set`.
      const std::string file = (std::filesystem::temp_directory_path() / absl::StrCat("hloscope-", getpid(), "-", parameter.name, ".npy")).string();
      const absl::StatusOr<Fill> fill = ParseFill(absl::string_view(how) == "random" ? absl::StrCat("random:", seed_++) : how);
      if (!fill.ok()) continue;
      scene.context.engine.Ask("", [engine = &scene.context.engine, number, fill = *fill, file, name](Session::State& s) {
        const absl::StatusOr<Value> value = MakeInput(*s.module, number, fill, nullptr);
        const absl::Status written = value.ok() ? WriteNpy(file, *value) : value.status();
        if (!written.ok()) return engine->AddConsole(ConsoleLine::kError, written.message());
        engine->Execute(absl::StrCat("set ", name, " = ", FileWord(file)));
      });
    }
    bool entered = false;
    ui::Gap(4);
    ui::Field("npy", &npy_, "a file: values.npy, and Enter", 0, &entered, true);
    if (entered && !npy_.empty()) scene.context.run(absl::StrCat("set ", name, " = ", FileWord(npy_)));
  }
  ui::Gap(8);
  if (table == nullptr) {
    ui::TextWrapped(input_.fresh() ? std::string(input_.status().message()) : "", ui::Colors().dim);
    return;
  }
  std::string changed;
  const int64_t cell = DrawTable(*table, &changed);
  if (cell >= 0 && started) scene.context.run(absl::StrCat("set ", name, table->dimensions.empty() ? "" : absl::StrCat("[", CellName(table->dimensions, cell), "]"), " = ", changed));
}

// The last two dimensions as rows and columns; the others are chosen above. A cell is a field while it is typed into.
int64_t BuilderData::DrawTable(const Table& table, std::string* changed) {
  if (table.too_large) {
    ui::TextWrapped("Too many elements for a table here; the value panel shows them.", ui::Colors().dim);
    return -1;
  }
  if (table.elements.empty()) return -1;
  const std::vector<int64_t>& d = table.dimensions;
  const int rank = static_cast<int>(d.size());
  const int64_t columns = rank > 0 ? d[rank - 1] : 1, rows = rank > 1 ? d[rank - 2] : 1;
  slice_.resize(std::max(0, rank - 2), 0);
  int64_t base = 0;
  for (int k = 0; k + 2 < rank; ++k) {
    slice_[k] = std::clamp<int64_t>(slice_[k], 0, d[k] - 1);
    if (k > 0) ImGui::SameLine(0, ui::Px(12));
    ImGui::PushID(k);
    ui::Text(absl::StrCat("dim ", k, ": ", slice_[k], " of ", d[k]), ui::Colors().dim, ui::Type().mono_small);
    ImGui::SameLine(0, ui::Px(4));
    if (ui::IconButton(absl::StrCat("slice-down:", k), ui::Icon::kMinus, "the one before", false, slice_[k] > 0)) --slice_[k];
    ImGui::SameLine(0, 0);
    if (ui::IconButton(absl::StrCat("slice-up:", k), ui::Icon::kPlus, "the next one", false, slice_[k] + 1 < d[k])) ++slice_[k];
    ImGui::PopID();
    base = base * d[k] + slice_[k];
  }
  base *= rows * columns;
  if (rows * columns == 0) return -1;
  ImFont* font = ui::Type().mono;
  const float height = ui::Px(24), cell_width = ui::Px(72), label = ui::Px(34);
  const ui::Palette& c = ui::Colors();
  const float shown = std::min(static_cast<float>(rows + 1) * height + ui::Px(14), std::max(ui::Px(110), ImGui::GetContentRegionAvail().y));
  ImGui::BeginChild("cells", {0, shown}, false, ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float left = ImGui::GetScrollX(), wide = ImGui::GetWindowWidth();
  const int64_t first_column = std::max<int64_t>(0, static_cast<int64_t>((left - label) / cell_width)), last_column = std::min<int64_t>(columns, static_cast<int64_t>((left + wide) / cell_width) + 1);
  for (int64_t column = first_column; column < last_column; ++column) {
    ui::DrawTextIn({origin.x + label + static_cast<float>(column) * cell_width + ui::Px(6), origin.y + ui::Px(5)}, cell_width - ui::Px(8), c.faint, ui::Type().mono_small, absl::StrCat(column));
  }
  ImGui::Dummy({label + static_cast<float>(columns) * cell_width, height});
  int64_t result = -1;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows), height);
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ui::DrawTextIn({at.x + ui::Px(4), at.y + ui::Px(5)}, label - ui::Px(6), c.faint, ui::Type().mono_small, absl::StrCat(row));
      for (int64_t column = first_column; column < last_column; ++column) {
        const int64_t linear = base + row * columns + column;
        if (linear >= static_cast<int64_t>(table.elements.size())) break;
        const ImVec2 min = {at.x + label + static_cast<float>(column) * cell_width, at.y}, max = {min.x + cell_width - ui::Px(2), min.y + height - ui::Px(2)};
        const std::string tag = absl::StrCat("cell:", CellName(d, linear));
        ImGui::SetCursorScreenPos(min);
        if (active_cell_ == linear) {
          bool entered = false;
          if (focus_cell_) ui::FocusNext();
          ui::Field(tag, &editing_, "", (cell_width - ui::Px(2)) / ui::TheLook().scale, &entered, true);
          const bool left_it = ImGui::IsItemDeactivated();
          if (entered || (left_it && !ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)))) {
            if (editing_ != table.elements[linear] && !editing_.empty()) {
              result = linear;
              *changed = editing_;
            }
            // Enter goes on to the next one.
            active_cell_ = entered && linear + 1 < base + rows * columns ? linear + 1 : -1;
            focus_cell_ = active_cell_ >= 0;
            if (active_cell_ >= 0) editing_ = table.elements[active_cell_];
          } else if (left_it) {
            active_cell_ = -1;
          } else {
            focus_cell_ = false;
          }
          continue;
        }
        ImGui::PushID(static_cast<int>(linear));
        if (ImGui::InvisibleButton("cell", {cell_width - ui::Px(2), height - ui::Px(2)})) {
          active_cell_ = linear;
          focus_cell_ = true;
          editing_ = table.elements[linear];
        }
        ImGui::PopID();
        ImGui::GetWindowDrawList()->AddRectFilled(min, max, ImGui::IsItemHovered() ? c.hover : c.sunken, ui::Px(2));
        ui::DrawTextIn({min.x + ui::Px(6), min.y + (height - font->FontSize) / 2 - ui::Px(1)}, cell_width - ui::Px(12), c.text, font, table.elements[linear]);
        ui::Tag(tag, min, max);
        ui::TagFact(tag, table.elements[linear]);
      }
      ImGui::SetCursorScreenPos(at);
      ImGui::Dummy({label + static_cast<float>(columns) * cell_width, height});
    }
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  return result;
}

}  // namespace hloscope
