// The devices that the program runs on, by instruction: those that stand at the same place are under one heading, in the order of the text.
// Selecting one is the command `replica`. Not for what they exchange (the picture of a
// collective, info exchange).
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/ascii.h"
#include "core/debug/devices.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr float kLine = 22, kRow = 26;

struct DeviceRow {
  int number = 0;
  std::string name;                    // "replica 0, partition 1"
  std::string command;                 // that selects it: "replica 0 partition 1"
  DeviceStanding standing;
  bool selected = false;
};
using Devices = std::vector<DeviceRow>;

Devices AskDevices(Session::State& s) {
  Devices devices;
  if (!Several(s)) return devices;
  const SessionDevices& all = s.options.devices;
  for (int d = 0; d < all.count(); ++d) {
    DeviceRow row{d, all.Name(d), absl::StrCat("replica ", d / all.partitions, all.partitions > 1 ? absl::StrCat(" partition ", d % all.partitions) : ""), StandingOf(s, d), d == DevicesOf(s).selected};
    row.standing.what = std::string(absl::StripAsciiWhitespace(row.standing.what));
    devices.push_back(std::move(row));
  }
  return devices;
}

// Devices that stand at one place.
struct Place {
  const Instruction* at = nullptr;  // null: they have ended, or have not begun
  std::string iteration;  // "2,0": of the loops that run there, the outermost first; empty: none
  std::vector<const DeviceRow*> devices;
};

class ReplicasPanel : public Panel {
 public:
  float padding() const override { return 8; }

  void Draw(PanelContext& context) override {
    if (context.now.session != nullptr) {
      devices_ = answers_.Get(context.engine, absl::StrCat(context.now.program_generation, "|", context.now.moment_generation), [](Session::State& s) -> absl::StatusOr<Devices> { return AskDevices(s); });
    } else {
      devices_ = nullptr;
    }
    if (devices_ == nullptr || devices_->empty()) {
      ui::EmptyHint(ui::Icon::kStack, "The devices of a program that runs on several: where each stands, and for whom it waits.", "This one runs on one device; hloscope FILE --replicas 4 gives it several.");
      return;
    }
    const Devices& devices = *devices_;
    DrawSummary(devices);
    const std::vector<Place> places = PlacesOf(devices);
    ImGui::BeginChild("rows", {0, 0}, false);
    for (const Place& place : places) {
      DrawHeading(context, place);
      for (const DeviceRow* device : place.devices) DrawDevice(context, *device);
      ImGui::Dummy({1, ui::Px(4)});
    }
    ImGui::EndChild();
    ui::TagFact("devices", absl::StrCat(devices.size()));
    ui::TagFact("places", absl::StrCat(places.size()));
  }

 private:
  // By what they execute next; behind them those that have ended.
  static std::vector<Place> PlacesOf(const Devices& devices) {
    using Key = std::tuple<int, int, int, std::vector<int64_t>>;
    std::map<Key, Place> places;
    for (const DeviceRow& device : devices) {
      const Instruction* at = device.standing.instruction;
      const int last = device.standing.state == DeviceStanding::kNotStarted ? 0 : at != nullptr ? 1 : 2;
      Place& place = places[{last, at != nullptr ? at->parent->id : 0, at != nullptr ? at->index : 0, at != nullptr ? device.standing.iterations : std::vector<int64_t>()}];
      place.at = at;
      if (at != nullptr) place.iteration = absl::StrJoin(device.standing.iterations, ",");
      place.devices.push_back(&device);
    }
    std::vector<Place> ordered;
    for (auto& [key, place] : places) ordered.push_back(std::move(place));
    return ordered;
  }

  static void DrawSummary(const Devices& devices) {
    int waiting = 0, for_ever = 0, ended = 0, failed = 0;
    for (const DeviceRow& device : devices) {
      waiting += device.standing.state == DeviceStanding::kWaiting;
      for_ever += device.standing.for_ever;
      ended += device.standing.state == DeviceStanding::kEnded;
      failed += device.standing.state == DeviceStanding::kError;
    }
    std::string text = absl::StrCat(devices.size(), " devices");
    if (waiting > 0) absl::StrAppend(&text, ", ", waiting, waiting == 1 ? " waits" : " wait");
    if (for_ever > 0) absl::StrAppend(&text, for_ever < waiting ? absl::StrCat(", ", for_ever, " of them") : "", " for ever", for_ever + ended + failed == static_cast<int>(devices.size()) ? ": none can go on" : "");
    if (ended > 0) absl::StrAppend(&text, ", ", ended, ended == 1 ? " has ended" : " have ended");
    if (failed > 0) absl::StrAppend(&text, ", ", failed, failed == 1 ? " has failed" : " have failed");
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::DrawTextIn({at.x + ui::Px(4), at.y + ui::Px(2)}, ImGui::GetContentRegionAvail().x - ui::Px(8), ui::Colors().dim, ui::Type().small, text);
    ImGui::Dummy({1, ui::Px(20)});
  }

  static void DrawHeading(PanelContext& context, const Place& place) {
    const ui::Palette& c = ui::Colors();
    const DeviceRow& one = *place.devices.front();
    const std::string name = place.at != nullptr ? ShownName(*place.at) : one.standing.state == DeviceStanding::kNotStarted ? "not started" : "ended";
    ImGui::PushID(place.at);
    ImGui::PushID(place.iteration.c_str());
    const ui::RowState row = ui::Row(absl::StrCat("place:", name, place.iteration.empty() ? "" : absl::StrCat("@", place.iteration)), kLine, place.at != nullptr && place.at == context.selection.instruction);
    ImGui::PopID();
    ImGui::PopID();
    const float y = row.min.y + ui::Px(4);
    float x = row.min.x + ui::Px(4);
    x += ui::DrawTextIn({x, y}, row.max.x - x - ui::Px(6), place.at != nullptr ? c.text : c.dim, place.at != nullptr ? ui::Type().mono_strong : ui::Type().strong, name) + ui::Px(8);
    if (place.at != nullptr && row.max.x - x > ui::Px(30)) {
      const std::string where = absl::StrCat(Name(place.at->opcode), " in ", place.at->parent->name, place.iteration.empty() ? "" : absl::StrCat(", iteration ", place.iteration));
      ui::DrawTextIn({x, y + ui::Px(1)}, row.max.x - x - ui::Px(6), c.dim, ui::Type().small, where);
    }
    if (row.hovered && place.at != nullptr) context.selection.hover_next = place.at;
    if (row.clicked && place.at != nullptr) context.select(place.at, {});
  }

  void DrawDevice(PanelContext& context, const DeviceRow& device) {
    const ui::Palette& c = ui::Colors();
    const ui::RowState row = ui::Row(absl::StrCat("device:", device.number), kRow, device.selected);
    if (device.selected && std::exchange(shown_, {device.number, device.standing.place}) != std::make_pair(device.number, device.standing.place)) ImGui::SetScrollHereY(0.5f);
    float x = row.min.x + ui::Px(14);
    const float y = row.min.y + ui::Px(5);
    if (device.selected) ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kHere, {x, row.min.y + ui::Px(7)}, ui::Px(12), c.amber);
    x += ui::Px(18);
    bool cut = false;
    x += ui::DrawTextIn({x, y}, row.max.x - x - ui::Px(6), c.text, ui::Type().ui, device.name, &cut) + ui::Px(10);
    const auto [text, ink] = StateOf(device, c);
    if (row.max.x - x > ui::Px(24)) ui::DrawTextIn({x, y + ui::Px(1)}, row.max.x - x - ui::Px(6), ink, ui::Type().small, text, &cut);
    ui::TagFact(absl::StrCat("device:", device.number), absl::StrCat(text, " ", device.standing.place));
    if (row.hovered && device.standing.instruction != nullptr) context.selection.hover_next = device.standing.instruction;
    if (cut && row.hovered) ui::Tooltip(absl::StrCat(device.name, " ", text, device.standing.place.empty() ? "" : absl::StrCat("\nat ", device.standing.place)));
    if (!row.clicked) return;
    if (!device.selected && device.standing.state != DeviceStanding::kNotStarted) context.run(device.command);
    if (device.standing.instruction != nullptr) context.select(device.standing.instruction, {});
  }

  static std::pair<std::string, ImU32> StateOf(const DeviceRow& device, const ui::Palette& c) {
    switch (device.standing.state) {
      case DeviceStanding::kNotStarted: return {"not started", c.faint};
      case DeviceStanding::kStopped: return {"stopped", c.dim};
      case DeviceStanding::kWaiting: return {absl::StrCat(device.standing.for_ever ? "waits for ever " : "waits ", device.standing.what), device.standing.for_ever ? c.red : c.blue};
      case DeviceStanding::kHeld: return {"held", c.violet};
      case DeviceStanding::kEnded: return {"has finished", c.green};
      case DeviceStanding::kError: return {device.standing.what.substr(0, device.standing.what.find('\n')), c.red};
    }
    return {"", c.dim};
  }

  std::pair<int, std::string> shown_ = {-1, ""};  // the selected device that was scrolled to, and where it stood
  Live<Devices> answers_;
  std::shared_ptr<const Devices> devices_;
};

}  // namespace

std::unique_ptr<Panel> MakeReplicasPanel() { return std::make_unique<ReplicasPanel>(); }

}  // namespace hloscope
