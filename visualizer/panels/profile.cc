// Where a run spends its time, and what its memory held: tables, a flame graph by scope, memory over time; of the last `profile run`.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/base/seconds_text.h"
#include "core/debug/profile_commands.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/steady.h"

namespace hloscope {
namespace {

// A box of the flame graph: a scope, or an instruction in one.
struct Flame {
  std::string name;
  double seconds = 0;
  const Instruction* instruction = nullptr;
  int parent = -1;
  std::vector<int> children;  // the longest first
};

// What the panel shows of a profile, made once for each.
struct ProfileView {
  const Module* module = nullptr;
  std::string summary;
  double seconds = 0, run_seconds = 0;
  struct Row {
    ProfileRow row;
    const Instruction* instruction = nullptr;  // of a region's row
  };
  std::vector<std::vector<Row>> tables;  // by ProfileBy
  std::vector<Flame> flames;             // the first is the whole
  std::vector<std::pair<double, int64_t>> memory;
  int64_t peak = 0;
  const Instruction* peak_at = nullptr;
  std::vector<MemoryOwner> owners;
};

constexpr const char* kWays[] = {"Instruction", "Operation", "Scope", "Line", "Iteration"};

int ChildOf(std::vector<Flame>& flames, std::map<std::pair<int, std::string>, int>& known, int parent, absl::string_view name) {
  const auto [entry, fresh] = known.try_emplace({parent, std::string(name)}, static_cast<int>(flames.size()));
  if (fresh) {
    flames.push_back({std::string(name), 0, nullptr, parent, {}});
    flames[parent].children.push_back(entry->second);
  }
  return entry->second;
}

void AddFlames(const ProfileData& data, ProfileView& view) {
  std::vector<Flame>& flames = view.flames;
  flames.push_back({"run", 0, nullptr, -1, {}});
  std::map<std::pair<int, std::string>, int> known;
  for (const RegionWork& region : data.regions) {
    const size_t members = std::max<size_t>(1, region.members.size());
    for (size_t m = 0; m < members; ++m) {
      const Instruction& i = region.members.empty() ? *region.root : *region.members[m];
      const double seconds = region.work.seconds * (region.members.empty() ? 1 : region.shares[m]);
      int at = 0;
      flames[0].seconds += seconds;
      std::vector<absl::string_view> scopes = absl::StrSplit(i.metadata.op_name, '/', absl::SkipEmpty());
      if (!scopes.empty()) scopes.pop_back();  // the operation's own
      for (const absl::string_view scope : scopes) {
        at = ChildOf(flames, known, at, scope);
        flames[at].seconds += seconds;
      }
      at = ChildOf(flames, known, at, ShownName(i));
      flames[at].seconds += seconds;
      flames[at].instruction = &i;
    }
  }
  for (Flame& flame : flames) {
    std::stable_sort(flame.children.begin(), flame.children.end(), [&](int a, int b) { return flames[a].seconds > flames[b].seconds; });
  }
}

std::shared_ptr<const ProfileView> MakeView(const ProfileData& data) {
  auto view = std::make_shared<ProfileView>();
  view->module = data.program;
  view->seconds = data.total.seconds;
  view->run_seconds = data.run_seconds;
  const double seconds = data.total.seconds, a_second = seconds > 0 ? 1e-9 / seconds : 0;
  view->summary = absl::StrCat(SecondsText(seconds), " of kernels in a run of ", SecondsText(data.run_seconds),
                               absl::StrFormat("  \u00b7  %.3g GFLOP/s  \u00b7  %.3g GB/s  \u00b7  %.0f%% of the roofline", data.total.flops * a_second, data.total.bytes * a_second,
                                               seconds > 0 ? 100 * data.total.roof_seconds / seconds : 0));
  for (int by = 0; by < 5; ++by) {
    std::vector<ProfileView::Row>& table = view->tables.emplace_back();
    size_t k = 0;
    for (ProfileRow& row : ProfileRows(data, static_cast<ProfileBy>(by))) {
      table.push_back({std::move(row), by == 0 && k < data.regions.size() ? data.regions[k].root : nullptr});
      ++k;
    }
  }
  AddFlames(data, *view);
  view->memory = data.memory;
  view->peak = data.peak_bytes;
  view->peak_at = data.peak_at;
  view->owners = data.owners;
  return view;
}

// The view of the session's last profile is kept with the session, so that asking again costs nothing.
struct LastView {
  const ProfileData* of = nullptr;
  double run_seconds = -1;
  std::shared_ptr<const ProfileView> view;
};

// One unit for all of a column.
struct TimeUnit {
  const char* name;
  double seconds;
};
TimeUnit UnitFor(double longest) {
  return longest < 1e-3 ? TimeUnit{"\u00b5s", 1e-6} : longest < 1 ? TimeUnit{"ms", 1e-3} : TimeUnit{"s", 1};
}

class ProfilePanel : public Panel {
 public:
  float padding() const override { return 8; }

  void Draw(PanelContext& context) override {
    const Snapshot& now = context.now;
    using Shared = std::shared_ptr<const ProfileView>;
    const auto answer = live_.Get(context.engine, absl::StrCat(now.moment_generation, "|", now.program_generation), [](Session::State& s) -> absl::StatusOr<Shared> {
      const ProfileData* data = LastProfile(s);
      if (data == nullptr || data->program != s.module.get()) return Shared();
      LastView& last = s.Extension<LastView>();
      if (last.of != data || last.run_seconds != data->run_seconds) last = {data, data->run_seconds, MakeView(*data)};
      return last.view;
    });
    if (answer != nullptr) view_ = *answer;
    if (view_ != nullptr && view_->module != now.module) view_ = nullptr;
    if (view_ != shown_) {
      shown_ = view_;
      root_ = 0;
    }
    DrawHead(context);
    ui::TagFact("taken", view_ != nullptr ? "yes" : "no");
    if (view_ == nullptr) {
      ui::EmptyHint(ui::Icon::kChart, "Where a run spends its time: by instruction, operation, scope and line, as a flame graph, and memory over time.", "Press Profile a run, or type profile run.");
      return;
    }
    ImGui::BeginChild("content", {0, 0}, false);
    // Order, widths and numbers are by the clock.
    ui::Varies(ImGui::GetWindowPos(), {ImGui::GetWindowPos().x + ImGui::GetWindowSize().x, ImGui::GetWindowPos().y + ImGui::GetWindowSize().y});
    if (way_ < 5) {
      DrawTable(context);
    } else if (way_ == 5) {
      DrawFlames(context);
    } else {
      DrawMemory(context);
    }
    ImGui::EndChild();
  }

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override {
    for (size_t k = 0; k < Ways().size(); ++k) {
      if (!absl::EqualsIgnoreCase(Ways()[k], args)) continue;
      way_ = static_cast<int>(k);
      return true;
    }
    return false;
  }
  void Save(nlohmann::json& to) const override { to["way"] = way_; }
  void Load(const nlohmann::json& from) override {
    if (from.contains("way") && from["way"].is_number_integer()) way_ = std::clamp<int>(from["way"].get<int>(), 0, 6);
  }

 private:
  static const std::vector<std::string>& Ways() {
    static const auto& ways = *new std::vector<std::string>{kWays[0], kWays[1], kWays[2], kWays[3], kWays[4], "Flame", "Memory"};
    return ways;
  }

  void DrawHead(PanelContext& context) {
    const float width = ImGui::GetContentRegionAvail().x;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    float x = at.x;
    float bottom = at.y + ui::Px(28);
    if (view_ != nullptr) {
      ImGui::SetCursorScreenPos({at.x, at.y + ui::Px(2)});  // in a line with the button
      if (width > ui::Px(620)) {
        ui::Segments("way", Ways(), &way_);
      } else {
        ui::Combo("way", Ways(), &way_, 120);
      }
      x = ImGui::GetItemRectMax().x + ui::Px(8);
    }
    const bool can = context.now.session != nullptr && context.engine.activity().what.empty();
    const float button = ui::Measure(ui::Type().ui, "Profile a run").x + ui::Px(2 * 10 + 6 + 14);
    ImGui::SetCursorScreenPos({std::max(x, at.x + width - button), at.y});
    if (ui::Button("run", width - (x - at.x) > button ? "Profile a run" : "", ui::Icon::kClock, ui::ButtonKind::kPlain, "profile run: times a whole run of its own; where the program stands does not change", can)) {
      context.run("profile run");
    }
    if (view_ != nullptr) {
      ui::DrawTextIn({at.x, bottom + ui::Px(5)}, width, ui::Colors().dim, ui::Type().small, view_->summary);
      bottom += ui::Px(22);
    }
    ImGui::SetCursorScreenPos({at.x, bottom + ui::Px(2)});
    ImGui::Dummy({1, 1});
  }

  void DrawTable(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    const std::vector<ProfileView::Row>& rows = view_->tables[way_];
    ui::TagFact("rows", absl::StrCat(rows.size()));
    if (rows.empty()) {
      ui::EmptyHint(ui::Icon::kChart, way_ == 4 ? "No loop ran." : "Nothing ran.", "");
      return;
    }
    // Numbers do not run under the bar that scrolls.
    const float width = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
    // Columns from the right; what has no room is left out.
    struct Column {
      const char* title;
      float width;
    };
    const double longest = std::max(1e-12, rows.front().row.work.seconds);
    const TimeUnit unit = UnitFor(longest);
    const bool with_bars = width >= ui::Px(340);  // else names need the room
    const Column columns[] = {{unit.name, 70}, {"share", with_bars ? 110.0f : 58.0f}, {"times", 60}, {"GFLOP/s", 66}, {"GB/s", 60}, {"of roof", 60}};
    size_t shown = 2;
    float used = ui::Px(columns[0].width + columns[1].width);
    while (shown < 6 && used + ui::Px(columns[shown].width) < width - ui::Px(260)) used += ui::Px(columns[shown++].width);
    const auto left_of = [&](float left, size_t k) {
      float x = left + width - used;
      for (size_t j = 0; j < k; ++j) x += ui::Px(columns[j].width);
      return x;
    };
    const auto put = [&](float left, float y, size_t k, ImU32 color, ImFont* font, absl::string_view text) {
      const float right = left_of(left, k) + ui::Px(columns[k].width) - ui::Px(8);
      ui::DrawText({right - ui::Measure(font, text).x, y}, color, font, text);
    };
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float name_width = width - used - ui::Px(16);
    const std::string way = absl::AsciiStrToLower(kWays[way_]), more = absl::StrCat(way, " (what ran as one)");
    const std::string& title = way_ == 0 && ui::Measure(ui::Type().small, more).x <= name_width ? more : way;
    ui::DrawTextIn({at.x + ui::Px(8), at.y}, name_width, c.faint, ui::Type().small, title);
    ui::TagFact("header", title);
    for (size_t k = 0; k < shown; ++k) put(at.x, at.y, k, c.faint, ui::Type().small, columns[k].title);
    ImGui::SetCursorScreenPos({at.x, at.y + ui::Px(18)});
    ImGui::BeginChild("table", {0, ui::WholeRows(22)}, false);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows.size()), ui::Px(22));
    while (clipper.Step()) {
      for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
        const ProfileView::Row& r = rows[k];
        const Work& work = r.row.work;
        ImGui::PushID(k);
        const bool lit = r.instruction != nullptr && r.instruction == context.selection.hovered;
        const ui::RowState row = ui::Row(absl::StrCat("row:", k), 22, r.instruction != nullptr && r.instruction == context.selection.instruction, lit ? c.hover : 0);
        ImGui::PopID();
        ImFont* font = ui::Type().mono;
        const float y = row.min.y + std::floor((ui::Px(22) - font->FontSize) / 2);
        bool cut = false;
        DrawWhat({row.min.x + ui::Px(8), y}, name_width, r.row.what, r.instruction != nullptr, &cut);
        put(row.min.x, y, 0, c.text, font, absl::StrFormat("%.2f", work.seconds / unit.seconds));
        const double share = view_->seconds > 0 ? work.seconds / view_->seconds : 0;
        const float bar = left_of(row.min.x, 1) + ui::Px(4);
        if (with_bars) ImGui::GetWindowDrawList()->AddRectFilled({bar, row.min.y + ui::Px(7)}, {bar + std::max(1.0f, static_cast<float>(work.seconds / longest) * ui::Px(48)), row.max.y - ui::Px(7)}, c.orange, ui::Px(2));
        put(row.min.x, y, 1, c.dim, font, absl::StrFormat("%.1f%%", share * 100));
        if (shown > 2) put(row.min.x, y, 2, c.dim, font, absl::StrCat(work.times));
        if (shown > 3) put(row.min.x, y, 3, c.dim, font, work.seconds > 0 && work.flops > 0 ? absl::StrFormat("%.2f", work.flops / work.seconds * 1e-9) : "");
        if (shown > 4) put(row.min.x, y, 4, c.dim, font, work.seconds > 0 ? absl::StrFormat("%.2f", work.bytes / work.seconds * 1e-9) : "");
        if (shown > 5) put(row.min.x, y, 5, c.dim, font, work.seconds > 0 ? absl::StrFormat("%.0f%%", std::min(999.0, 100 * work.roof_seconds / work.seconds)) : "");
        if (cut && row.hovered) ImGui::SetTooltip("%s", r.row.what.c_str());
        if (row.hovered && r.instruction != nullptr) context.selection.hover_next = r.instruction;
        if (row.clicked && r.instruction != nullptr) context.select(r.instruction, {});
        ui::TagFact(absl::StrCat("text:", k), r.row.what);
      }
    }
    ImGui::PopStyleVar();
    ImGui::EndChild();
  }

  // "%dot.5 dot f32[4]": where there is no room for all of it, the name goes first.
  static void DrawWhat(ImVec2 at, float width, const std::string& what, bool named, bool* cut) {
    ImFont* font = ui::Type().mono;
    const size_t name = named ? std::min(what.find(' '), what.size()) : 0;
    if (ui::Measure(font, what).x <= width || ui::Measure(font, what.substr(0, name)).x + ui::Measure(font, " \u2026").x <= width) {
      ui::DrawTextIn(at, width, ui::Colors().text, font, what, cut);
      return;
    }
    *cut = true;
    ui::DrawNameIn(at, width, ui::Colors().text, font, named ? what.substr(0, name) : what);
  }

  // -- Flame graph: the whole on top, what is in it below --
  void DrawFlames(PanelContext& context) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    if (root_ >= static_cast<int>(view_->flames.size())) root_ = 0;
    // Back to what is around it, as a path.
    std::vector<int> path;
    for (int k = root_; k >= 0; k = view_->flames[k].parent) path.push_back(k);
    const float row = ui::Px(20);
    float y = at.y;
    lowest_ = y;
    for (size_t k = path.size(); k-- > 1;) {
      DrawBox(context, path[k], at.x, width, y, row, true);
      y += row + 1;
    }
    DrawFlame(context, root_, at.x, width, y, row, 0);
    ImGui::SetCursorScreenPos({at.x, lowest_ + row});
    ImGui::Dummy({1, 1});
    ui::TagFact("flame", view_->flames[root_].name);
  }

  void DrawFlame(PanelContext& context, int index, float x, float width, float y, float row, int depth) {
    DrawBox(context, index, x, width, y, row, false);
    lowest_ = std::max(lowest_, y);
    const Flame& flame = view_->flames[index];
    if (flame.seconds <= 0 || depth > 60) return;
    float left = x;
    for (const int child : flame.children) {
      const auto part = static_cast<float>(width * view_->flames[child].seconds / flame.seconds);
      if (part < 1) break;  // the rest is smaller
      DrawFlame(context, child, left, part, y + row + 1, row, depth + 1);
      left += part;
    }
  }

  void DrawBox(PanelContext& context, int index, float x, float width, float y, float row, bool around) {
    const ui::Palette& c = ui::Colors();
    const Flame& flame = view_->flames[index];
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 min = {std::floor(x), y}, max = {std::max(std::floor(x) + 1, std::floor(x + width) - 1), y + row};
    const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, max);
    size_t hash = 5;
    for (const char ch : flame.name) hash = hash * 31 + static_cast<unsigned char>(ch);
    const float tone = 0.22f + 0.3f * static_cast<float>(hash % 16) / 16;
    const bool picked = flame.instruction != nullptr && (flame.instruction == context.selection.instruction || flame.instruction == context.selection.hovered);
    ImU32 fill = flame.instruction != nullptr ? ui::Mix(c.raised, c.orange, tone * 0.6f) : ui::Mix(c.raised, c.orange, tone);
    if (around) fill = c.raised;
    if (picked) fill = c.blue_fill;
    if (hovered) fill = ui::Mix(fill, c.text, 0.12f);
    list->AddRectFilled(min, max, fill, ui::Px(2));
    if (picked) list->AddRect(min, max, c.blue, ui::Px(2));
    if (max.x - min.x > ui::Px(24)) {
      const double share = view_->seconds > 0 ? flame.seconds / view_->seconds * 100 : 0;
      ImFont* font = flame.instruction != nullptr ? ui::Type().mono_small : ui::Type().small;
      ui::DrawTextIn({min.x + ui::Px(5), y + std::floor((row - font->FontSize) / 2)}, max.x - min.x - ui::Px(8), around ? c.dim : c.text, font,
                     max.x - min.x > ui::Px(140) ? absl::StrFormat("%s  %.1f%%", flame.name, share) : flame.name);
    }
    ui::Tag(absl::StrCat("box:", flame.name), min, max);
    if (!hovered) return;
    ImGui::SetTooltip("%s", absl::StrFormat("%s\n%s, %.1f%% of the run%s", flame.name, SecondsText(flame.seconds),
                                            view_->seconds > 0 ? flame.seconds / view_->seconds * 100 : 0,
                                            flame.instruction != nullptr ? absl::StrCat("\n", Name(flame.instruction->opcode), " ",
                                                                                        ShapeText(flame.instruction->shape))
                                                                         : "\nclick: this scope alone")
                                .c_str());
    if (flame.instruction != nullptr) context.selection.hover_next = flame.instruction;
    if (!ImGui::IsMouseClicked(0)) return;
    if (flame.instruction != nullptr) {
      context.select(flame.instruction, {});
    } else {
      root_ = index;
    }
  }

  // -- Memory: live bytes over the time of the run, the peak and who held it --
  void DrawMemory(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const float owners_height = view_->owners.empty() ? 0 : std::min(room.y * 0.45f, ui::Px(20) + ui::Px(20) * static_cast<float>(std::min<size_t>(view_->owners.size(), 8)));
    const ImVec2 min = {at.x + ui::Px(64), at.y + ui::Px(4)}, max = {at.x + room.x - ui::Px(8), at.y + std::max(ui::Px(50), room.y - owners_height - ui::Px(22))};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(min, max, c.sunken, ui::Px(3));
    ui::TagFact("peak", FormatByteCount(view_->peak));
    const double end = view_->memory.empty() ? 0 : view_->memory.back().first;
    const int64_t top = std::max<int64_t>(1, view_->peak);
    const auto height_of = [&](int64_t bytes) { return max.y - static_cast<float>(static_cast<double>(bytes) / static_cast<double>(top)) * (max.y - min.y) * 0.94f; };
    for (const double part : {0.5, 1.0}) {
      const float y = height_of(static_cast<int64_t>(static_cast<double>(top) * part));
      list->AddLine({min.x, y}, {max.x, y}, c.border);
      const std::string text = FormatByteCount(static_cast<int64_t>(static_cast<double>(top) * part));
      ui::DrawTextIn({at.x, y - ui::Type().mono_small->FontSize / 2}, ui::Px(60), c.dim, ui::Type().mono_small, text);
    }
    // One column a pixel, the highest in it.
    const int columns = std::max(1, static_cast<int>(max.x - min.x));
    std::vector<int64_t> highest(columns, -1);
    for (const auto& [seconds, bytes] : view_->memory) {
      int64_t& slot = highest[std::clamp(end > 0 ? static_cast<int>(seconds / end * columns) : 0, 0, columns - 1)];
      slot = std::max(slot, bytes);
    }
    int64_t last = 0;
    for (int k = 0; k < columns; ++k) {
      if (highest[k] >= 0) last = highest[k];
      const float x = min.x + static_cast<float>(k);
      list->AddRectFilled({x, height_of(last)}, {x + 1, max.y}, ui::Fade(c.teal, 0.35f));
      list->AddRectFilled({x, height_of(last)}, {x + 1, height_of(last) + ui::Px(1.5f)}, c.teal);
    }
    ui::DrawText({min.x, max.y + ui::Px(3)}, c.faint, ui::Type().small, "0");
    const std::string end_text = SecondsText(end);
    ui::DrawText({max.x - ui::Measure(ui::Type().small, end_text).x, max.y + ui::Px(3)}, c.faint, ui::Type().small, end_text);
    ImGui::SetCursorScreenPos(min);
    ImGui::InvisibleButton("chart", {std::max(1.0f, max.x - min.x), std::max(1.0f, max.y - min.y)});
    ui::Tag("chart");
    if (ImGui::IsItemHovered()) {
      const int k = std::clamp(static_cast<int>(ImGui::GetIO().MousePos.x - min.x), 0, columns - 1);
      int64_t bytes = 0;
      for (int j = 0; j <= k; ++j) bytes = highest[j] >= 0 ? highest[j] : bytes;
      list->AddLine({min.x + static_cast<float>(k), min.y}, {min.x + static_cast<float>(k), max.y}, c.dim);
      ImGui::SetTooltip("%s", absl::StrCat(FormatByteCount(bytes), " at ", SecondsText(end * k / columns)).c_str());
    }
    if (view_->owners.empty()) return;
    ImGui::SetCursorScreenPos({at.x, max.y + ui::Px(20)});
    ImGui::BeginChild("owners", {0, 0}, false);
    ui::TextCut(absl::StrCat("peak ", FormatByteCount(view_->peak), view_->peak_at != nullptr ? absl::StrCat(", after ", ShownName(*view_->peak_at)) : "", "; held then:"), c.dim, ui::Type().small);
    for (const MemoryOwner& owner : view_->owners) {
      const ImVec2 line = ImGui::GetCursorScreenPos();
      const std::string bytes = FormatByteCount(owner.bytes);
      ui::DrawText({line.x + ui::Px(80) - ui::Measure(ui::Type().mono, bytes).x, line.y}, c.text, ui::Type().mono, bytes);
      const float drawn = ui::DrawNameIn({line.x + ui::Px(92), line.y}, room.x * 0.55f, c.blue, ui::Type().mono, owner.name);
      ui::DrawTextIn({line.x + ui::Px(104) + drawn, line.y}, room.x - drawn - ui::Px(112), c.teal, ui::Type().mono, owner.shape);
      ImGui::Dummy({1, ui::Px(16)});
    }
    ImGui::EndChild();
  }

  Live<std::shared_ptr<const ProfileView>> live_;
  std::shared_ptr<const ProfileView> view_, shown_;
  int way_ = 0, root_ = 0;
  float lowest_ = 0;
};

}  // namespace

std::unique_ptr<Panel> MakeProfilePanel() { return std::make_unique<ProfilePanel>(); }

}  // namespace hloscope
