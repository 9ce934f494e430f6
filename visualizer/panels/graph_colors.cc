#include "visualizer/panels/graph_colors.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/debug/profile_commands.h"
#include "core/debug/session_state.h"
#include "core/debug/shadow_commands.h"
#include "core/literal/statistics.h"
#include "core/ops/op.h"
#include "visualizer/widgets/theme.h"

namespace hloscope {
namespace {

constexpr int64_t kHealthBytes = 32 << 20;  // of values looked through at one stop
constexpr int64_t kSmallBytes = 256 << 10;  // of a value and what it is made from
constexpr double kHealthSeconds = 0.1;      // spent on making values again

enum Class { kPointwise, kCombining, kMoving, kCalling, kWhole, kParameter, kCreating, kHandling, kClasses };
constexpr const char* kClassNames[] = {"element by element", "combines elements", "moves elements", "control flow", "whole values", "parameter", "creates", "tuples"};

bool Combines(const OpDef& def) {
  for (const AttrSpec& a : def.attributes) {
    if (a.id == AttrId::kToApply || a.id == AttrId::kWindow || a.id == AttrId::kLhsContractingDims || a.id == AttrId::kDimLabels) return true;
  }
  return false;
}

// What is called says what a fusion or call is.
Class ClassOf(const Instruction& i, int depth = 0) {
  const OpDef& def = Def(i);
  if (i.parameter_number >= 0) return kParameter;
  if (def.control == ControlKind::kCall && depth < 8) {
    const std::vector<Computation*> called = i.CalledComputations();
    if (called.size() == 1 && called[0] != nullptr) {
      std::array<bool, kClasses> seen{};
      size_t looked = 0;
      for (const Instruction* inside : called[0]->schedule) {
        if (++looked > 200) break;
        seen[ClassOf(*inside, depth + 1)] = true;
      }
      for (const Class c : {kCombining, kWhole, kPointwise, kMoving}) {
        if (seen[c]) return c;
      }
    }
  }
  if (def.op_class == OpClass::kControl) return kCalling;
  if (def.op_class == OpClass::kStructural) return i.operands.empty() ? kCreating : kHandling;
  if (def.movement == Movement::kCreate) return kCreating;
  if (def.movement == Movement::kMove) return kMoving;
  if (Combines(def) || def.op_class == OpClass::kPush) return kCombining;
  return def.op_class == OpClass::kOpaque ? kWhole : kPointwise;
}

ImU32 ColourOf(Class c) {
  const ui::Palette& p = ui::Colors();
  switch (c) {
    case kPointwise: return p.blue;
    case kCombining: return p.orange;
    case kMoving: return p.teal;
    case kCalling: return p.text;
    case kWhole: return ui::Mix(p.orange, p.violet, 0.6f);
    case kParameter: return p.violet;
    case kCreating: return p.dim;
    default: return p.faint;
  }
}

enum Family { kWide, kSingle, kHalf, kTiny, kInteger, kTruth, kComplex, kOther, kFamilies };
constexpr const char* kFamilyNames[] = {"f64", "f32", "16 bits", "8 bits or less", "integers", "pred", "complex", "tuples, tokens"};

Family FamilyOf(const Shape& shape) {
  const ElementType t = shape.element_type();
  if (IsFloat(t)) return BitWidth(t) > 32 ? kWide : BitWidth(t) > 16 ? kSingle : BitWidth(t) > 8 ? kHalf : kTiny;
  if (IsInteger(t)) return kInteger;
  return IsPred(t) ? kTruth : IsComplex(t) ? kComplex : kOther;
}

ImU32 ColourOf(Family f) {
  const ui::Palette& p = ui::Colors();
  const std::array<ImU32, kFamilies> colours = {p.violet, p.blue, p.teal, ui::Mix(p.teal, p.green, 0.7f), p.orange, p.dim, ui::Mix(p.violet, p.blue, 0.5f), p.faint};
  return colours[f];
}

// From calm to hot.
ImU32 Heat(double share) {
  const ui::Palette& p = ui::Colors();
  return ui::Mix(ui::Mix(p.faint, p.border, 0.4f), p.orange, static_cast<float>(std::clamp(share, 0.0, 1.0)));
}

std::string SecondsText(double s) {
  if (s >= 1) return absl::StrFormat("%.3g s", s);
  if (s >= 1e-3) return absl::StrFormat("%.3g ms", s * 1e3);
  return absl::StrFormat("%.3g \u00b5s", s * 1e6);
}

GraphFigures Times(Session::State& s) {
  GraphFigures figures;
  const ProfileData* profile = LastProfile(s);
  if (profile == nullptr || profile->program != s.module.get()) {
    figures.missing = "No times yet: they come from a profile of a run.";
    figures.command = "profile run";
    return figures;
  }
  for (const RegionWork& region : profile->regions) {
    for (size_t k = 0; k < region.members.size(); ++k) figures.of[region.members[k]] += region.work.seconds * (k < region.shares.size() ? region.shares[k] : 0);
    if (region.members.empty() && region.root != nullptr) figures.of[region.root] += region.work.seconds;
  }
  for (const auto& [instruction, seconds] : figures.of) {
    figures.total += seconds;
    figures.most = std::max(figures.most, seconds);
  }
  return figures;
}

// Looks through values that are held, the newest first, no more than kHealthBytes; and through small ones of the innermost frame that can be
// made again soon (what ran fused is not held).
GraphFigures Health(Session::State& s) {
  GraphFigures figures;
  if (!s.visible()) {
    figures.missing = "No values yet: start the program to see which are finite.";
    figures.command = "start";
    return figures;
  }
  int64_t room = kHealthBytes;
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > kHealthSeconds; };
  const auto small = [](const Instruction& i) {
    int64_t bytes = i.shape.ByteSize();
    for (const Instruction* operand : i.operands) bytes += operand->shape.ByteSize();
    return bytes <= kSmallBytes;
  };
  const std::vector<Frame>& frames = s.machine->frames();
  for (int depth = static_cast<int>(frames.size()) - 1; depth >= 0; --depth) {
    const Frame& frame = frames[depth];
    const std::vector<Instruction*>& schedule = frame.computation->schedule;
    const bool innermost = depth + 1 == static_cast<int>(frames.size()) && frame.kind != FrameKind::kElement;
    for (int k = std::min(static_cast<int>(std::min(frame.values.size(), schedule.size())), frame.position) - 1; k >= 0 && room > 0; --k) {
      Value value = frame.values[k];
      if (!value.has_value() && innermost && small(*schedule[k]) && !spent()) {
        if (absl::StatusOr<Value> made = s.machine->ValueOf(depth, k); made.ok()) value = *std::move(made);
      }
      if (!value.has_value() || !value.IsDense() || value.byte_size() > room) continue;
      room -= value.byte_size() + 64;
      const NonFinite found = FindNonFinite(value);
      figures.of.try_emplace(schedule[k], found.nan ? 3 : found.inf ? 2 : 1);
    }
  }
  return figures;
}

GraphFigures Errors(Session::State& s) {
  GraphFigures figures;
  const ShadowReport* report = LastShadowReport(s);
  if (report == nullptr) {
    figures.missing = "No errors measured yet: shadow compares a run with f64.";
    figures.command = "shadow";
    return figures;
  }
  for (const ShadowRow& row : report->rows) {
    if (row.own.elements == 0 || row.instruction == nullptr) continue;
    figures.of[row.instruction] = row.own.worst_ulp;
    figures.most = std::max(figures.most, row.own.worst_ulp);
  }
  return figures;
}

// Of a box, by how many of its instructions have made what.
GraphTint HealthTint(int nan, int inf, int fine) {
  const ui::Palette& p = ui::Colors();
  if (nan > 0) return {p.pink, absl::StrCat("NaN", nan > 1 ? absl::StrCat(" in ", nan) : "")};
  if (inf > 0) return {ui::Mix(p.pink, p.violet, 0.5f), absl::StrCat("infinite", inf > 1 ? absl::StrCat(" in ", inf) : "")};
  if (fine > 0) return {p.green, "finite"};
  return {p.border, ""};
}

// All that may be met.
std::vector<std::pair<ImU32, std::string>> WholeLegend(GraphColour by) {
  const ui::Palette& p = ui::Colors();
  std::vector<std::pair<ImU32, std::string>> rows;
  switch (by) {
    case GraphColour::kClass:
      for (int c = 0; c < kClasses; ++c) rows.push_back({ColourOf(static_cast<Class>(c)), kClassNames[c]});
      break;
    case GraphColour::kType:
      for (int f = 0; f < kFamilies; ++f) rows.push_back({ColourOf(static_cast<Family>(f)), kFamilyNames[f]});
      break;
    case GraphColour::kTime: return {{Heat(1), "most time"}, {Heat(0.5), "some"}, {Heat(0), "none"}};
    case GraphColour::kMemory: return {{Heat(1), "largest values"}, {Heat(0.5), "smaller"}, {Heat(0), "smallest"}};
    case GraphColour::kHealth: return {{p.pink, "NaN"}, {ui::Mix(p.pink, p.violet, 0.5f), "infinite"}, {p.green, "finite"}, {p.border, "not held"}};
    case GraphColour::kError: return {{Heat(1), "many ULP"}, {Heat(0.4), "few"}, {p.green, "up to 1/2 ULP"}, {p.border, "not measured"}};
  }
  return rows;
}

}  // namespace

const std::vector<std::string>& GraphColourNames() {
  static const auto& names = *new std::vector<std::string>{"class", "type", "time", "memory", "health", "error"};
  return names;
}

std::optional<GraphColour> ParseGraphColour(absl::string_view name) {
  for (size_t k = 0; k < GraphColourNames().size(); ++k) {
    if (name == GraphColourNames()[k]) return static_cast<GraphColour>(k);
  }
  return std::nullopt;
}

const std::vector<GraphTint>& GraphColours::Tints(Engine& engine, const Snapshot& now, const std::shared_ptr<const Scene>& scene, GraphColour by) {
  figures_ = nullptr;
  Live<GraphFigures>& live = live_[static_cast<int>(by)];
  if (now.session != nullptr) {
    // Times and errors change with commands, health with the moment too.
    const std::string key = absl::StrCat(now.program_generation, " ", by == GraphColour::kHealth ? now.moment_generation : now.generation);
    const auto ask = [&](GraphFigures (*make)(Session::State&)) {
      figures_ = live.Get(engine, key, [make](Session::State& s) -> absl::StatusOr<GraphFigures> { return make(s); });
    };
    if (by == GraphColour::kTime) ask(Times);
    if (by == GraphColour::kHealth) ask(Health);
    if (by == GraphColour::kError) ask(Errors);
  }
  if (scene != painted_scene_ || by != painted_by_ || figures_ != painted_figures_ || painted_text_ != ui::Colors().text || tints_.size() != scene->boxes.size()) {
    painted_scene_ = scene;
    painted_by_ = by;
    painted_figures_ = figures_;
    painted_text_ = ui::Colors().text;
    Paint(*scene, by);
  }
  return tints_;
}

std::string GraphColours::Marked(const Scene& scene, absl::string_view note) const {
  std::string names;
  for (size_t k = 0; k < tints_.size() && k < scene.boxes.size(); ++k) {
    if (absl::StartsWith(tints_[k].note, note)) absl::StrAppend(&names, names.empty() ? "" : " ", scene.boxes[k].name);
  }
  return names;
}

void GraphColours::Paint(const Scene& scene, GraphColour by) {
  tints_.assign(scene.boxes.size(), GraphTint{ui::Colors().faint, ""});
  const Hierarchy& h = *scene.hierarchy;
  std::vector<double> amount(scene.boxes.size(), 0);
  double most = 0;
  for (size_t k = 0; k < scene.boxes.size(); ++k) {
    const SceneBox& box = scene.boxes[k];
    if (box.node < 0) continue;
    GraphTint& tint = tints_[k];
    std::array<int64_t, 8> counts{};
    int nan = 0, inf = 0, fine = 0;
    double sum = 0, worst = -1;
    const auto look = [&](const Instruction& i) {
      switch (by) {
        case GraphColour::kClass: ++counts[ClassOf(i)]; break;
        case GraphColour::kType: ++counts[FamilyOf(i.shape)]; break;
        case GraphColour::kMemory: sum = std::max(sum, static_cast<double>(i.shape.ByteSize())); break;
        default: {
          if (figures_ == nullptr) break;
          const auto it = figures_->of.find(&i);
          if (it == figures_->of.end()) break;
          sum += it->second;
          worst = std::max(worst, it->second);
          if (by == GraphColour::kHealth) ++(it->second == 3 ? nan : it->second == 2 ? inf : fine);
        }
      }
    };
    // Figures of what is called are the caller's too.
    if (by == GraphColour::kTime || by == GraphColour::kHealth || by == GraphColour::kError) {
      if (figures_ != nullptr && !figures_->of.empty()) h.ForEachInside(box.node, look);
    } else {
      h.ForEachInstruction(box.node, look);
    }
    // Of many, what is most of the work.
    if (by == GraphColour::kClass) {
      int best = kHandling;
      for (int c = 0; c < kParameter; ++c) {
        if (counts[c] > 0 && (best >= kParameter || counts[c] > counts[best])) best = c;
      }
      if (best == kHandling) best = counts[kParameter] > 0 ? kParameter : counts[kCreating] > 0 ? kCreating : kHandling;
      tint.bar = ColourOf(static_cast<Class>(best));
    } else if (by == GraphColour::kType) {
      tint.bar = ColourOf(static_cast<Family>(std::max_element(counts.begin(), counts.begin() + kFamilies) - counts.begin()));
    } else if (by == GraphColour::kHealth) {
      tint = HealthTint(nan, inf, fine);
    } else if (by == GraphColour::kError) {
      tint.bar = ui::Colors().border;
      if (worst >= 0) {
        tint.bar = worst <= 0.5 ? ui::Colors().green : Heat(0.25 + std::log2(1 + worst) / 12);
        tint.note = std::isfinite(worst) ? absl::StrFormat("%.3g ULP", worst) : "not finite";
      }
    } else {
      amount[k] = sum;
      if (!box.expanded) most = std::max(most, sum);
      if (by == GraphColour::kMemory) tint.note = BytesText(static_cast<int64_t>(sum));
      if (by == GraphColour::kTime && figures_ != nullptr && figures_->total > 0 && sum > 0) {
        tint.note = absl::StrCat(SecondsText(sum), absl::StrFormat("  %.1f %%", 100 * sum / figures_->total));
      }
    }
  }
  legend_ = WholeLegend(by);
  if (by == GraphColour::kClass || by == GraphColour::kType) {
    // Only what is seen.
    const auto unseen = [&](const auto& row) {
      for (size_t k = 0; k < tints_.size(); ++k) {
        if (scene.boxes[k].node >= 0 && !scene.boxes[k].expanded && tints_[k].bar == row.first) return false;
      }
      return true;
    };
    legend_.erase(std::remove_if(legend_.begin(), legend_.end(), unseen), legend_.end());
  }
  if (by != GraphColour::kTime && by != GraphColour::kMemory) return;
  for (size_t k = 0; k < amount.size(); ++k) {
    // Sizes differ by orders of magnitude, times by shares.
    const double share = most <= 0 || amount[k] <= 0 ? 0 : by == GraphColour::kMemory ? 1 + std::log2(amount[k] / most) / 16 : std::sqrt(amount[k] / most);
    tints_[k].bar = Heat(share);
  }
}

}  // namespace hloscope
