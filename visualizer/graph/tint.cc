#include "visualizer/graph/tint.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/seconds_text.h"
#include "core/ops/op.h"
#include "visualizer/graph/scene_making.h"

namespace hloscope {
namespace {

enum Class { kPointwise, kCombining, kMoving, kCalling, kWhole, kParameter, kCreating, kHandling, kClasses };
constexpr const char* kClassNames[] = {"element by element", "combines elements", "moves elements", "control flow", "whole values", "parameter", "creates", "tuples"};

bool Combines(const OpDef& def) {
  for (const AttrSpec& a : def.attributes) {
    if (a.id == AttrId::kToApply || a.id == AttrId::kWindow || a.id == AttrId::kLhsContractingDims || a.id == AttrId::kDimLabels) return true;
  }
  return false;
}

// What is called says what a fusion or call is.
Class ClassWithin(const Instruction& i, int depth) {
  const OpDef& def = Def(i);
  if (i.parameter_number >= 0) return kParameter;
  if (def.control == ControlKind::kCall && depth < 8) {
    const std::vector<Computation*> called = i.CalledComputations();
    if (called.size() == 1 && called[0] != nullptr) {
      std::array<bool, kClasses> seen{};
      size_t looked = 0;
      for (const Instruction* inside : called[0]->schedule) {
        if (++looked > 200) break;
        seen[ClassWithin(*inside, depth + 1)] = true;
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

TintColor ColourOf(Class c) {
  switch (c) {
    case kPointwise: return {Ink::kBlue};
    case kCombining: return {Ink::kOrange};
    case kMoving: return {Ink::kTeal};
    case kCalling: return {Ink::kText};
    case kWhole: return {Ink::kOrange, Ink::kViolet, Ink::kNone, 0.6f, 0};
    case kParameter: return {Ink::kViolet};
    case kCreating: return {Ink::kDim};
    default: return {Ink::kFaint};
  }
}

enum Family { kWide, kSingle, kHalf, kTiny, kInteger, kTruth, kComplex, kOther, kFamilies };
constexpr const char* kFamilyNames[] = {"f64", "f32", "16 bits", "8 bits or less", "integers", "pred", "complex", "tuples, tokens"};

Family FamilyWithin(const Shape& shape) {
  const ElementType t = shape.element_type();
  if (IsFloat(t)) return BitWidth(t) > 32 ? kWide : BitWidth(t) > 16 ? kSingle : BitWidth(t) > 8 ? kHalf : kTiny;
  if (IsInteger(t)) return kInteger;
  return IsPred(t) ? kTruth : IsComplex(t) ? kComplex : kOther;
}

TintColor ColourOf(Family f) {
  const std::array<TintColor, kFamilies> colours = {TintColor{Ink::kViolet}, {Ink::kBlue}, {Ink::kTeal}, {Ink::kTeal, Ink::kGreen, Ink::kNone, 0.7f, 0},
                                                    {Ink::kOrange}, {Ink::kDim}, {Ink::kViolet, Ink::kBlue, Ink::kNone, 0.5f, 0}, {Ink::kFaint}};
  return colours[f];
}

constexpr TintColor kInfinitePaint = {Ink::kPink, Ink::kViolet, Ink::kNone, 0.5f, 0};

// Of a box, by how many of its instructions have made what.
GraphTint HealthTint(int nan, int inf, int fine) {
  if (nan > 0) return {{Ink::kPink}, absl::StrCat("NaN", nan > 1 ? absl::StrCat(" in ", nan) : "")};
  if (inf > 0) return {kInfinitePaint, absl::StrCat("infinite", inf > 1 ? absl::StrCat(" in ", inf) : "")};
  if (fine > 0) return {{Ink::kGreen}, "finite"};
  return {{Ink::kBorder}, ""};
}

// Sizes differ by orders of magnitude.
constexpr double kMemoryHalvings = 16;  // from the largest value to what is calm

std::vector<TintLegendRow> MemoryLegend(double most) {
  const auto row = [&](double heat, absl::string_view more) {
    return TintLegendRow{Heat(heat), absl::StrCat(BytesText(static_cast<int64_t>(std::max(1.0, std::exp2((heat - 1) * kMemoryHalvings) * most))), more)};
  };
  const absl::string_view closed = "; of a closed box its largest value counts";
  // Of small ones the steps between would all be a byte.
  if (most < std::exp2(kMemoryHalvings)) return {{Heat(1), absl::StrCat(BytesText(static_cast<int64_t>(most)), ", the largest value", closed)}, {Heat(1 - std::log2(std::max(most, 1.0)) / kMemoryHalvings), "1 B"}};
  return {row(1, ", the largest value"), row(0.5, ""), row(0, absl::StrCat(" and less", closed))};
}

// All that may be met.
std::vector<TintLegendRow> WholeLegend(GraphColour by) {
  switch (by) {
    case GraphColour::kClass: return ClassLegend();
    case GraphColour::kType: return FamilyLegend();
    case GraphColour::kTime: return {{Heat(1), "most time"}, {Heat(0.5), "some"}, {Heat(0), "none"}};
    case GraphColour::kMemory: return MemoryLegend(0);
    case GraphColour::kHealth: return {{{Ink::kPink}, "NaN"}, {kInfinitePaint, "infinite"}, {{Ink::kGreen}, "finite"}, {{Ink::kBorder}, "not held"}};
    case GraphColour::kError: return {{Heat(1), "many ULP"}, {Heat(0.4), "few"}, {{Ink::kGreen}, "up to 1/2 ULP"}, {{Ink::kBorder}, "not measured"}};
  }
  return {};
}

// What the boxes of a scene hold, and what follows for their colours.
class Painter {
 public:
  Painter(const Scene& scene, GraphColour by, const TintFigures& figures) : scene_(scene), h_(*scene.hierarchy), by_(by), figures_(figures) {}

  SceneTints Paint() {
    tints_.boxes.assign(scene_.boxes.size(), GraphTint{});
    amount_.assign(scene_.boxes.size(), 0);
    for (size_t k = 0; k < scene_.boxes.size(); ++k) {
      if (scene_.boxes[k].node >= 0) PaintBox(k);
    }
    if (by_ == GraphColour::kTime || by_ == GraphColour::kMemory) Scale();
    tints_.legend = by_ == GraphColour::kMemory ? MemoryLegend(most_) : WholeLegend(by_);
    if (by_ == GraphColour::kError && !figures_.worst_of.empty())
      absl::StrAppend(&tints_.legend.back().text, "; the worst of ", figures_.worst_of);
    if (shared_) tints_.legend.back().text += "; the time of what several call is divided among its runs";
    if (by_ == GraphColour::kClass || by_ == GraphColour::kType) {
      // Only what is seen.
      const auto unseen = [&](const TintLegendRow& row) {
        for (size_t k = 0; k < tints_.boxes.size(); ++k) {
          const SceneBox& box = scene_.boxes[k];
          if (box.node >= 0 && (!box.expanded || box.parent >= 0) && tints_.boxes[k].bar == row.color)
            return false;  // open ones have theirs beside the title
        }
        return true;
      };
      tints_.legend.erase(std::remove_if(tints_.legend.begin(), tints_.legend.end(), unseen), tints_.legend.end());
    }
    return std::move(tints_);
  }

 private:
  bool ByFigures() const { return by_ == GraphColour::kTime || by_ == GraphColour::kHealth || by_ == GraphColour::kError; }

  void PaintBox(size_t k) {
    GraphTint& tint = tints_.boxes[k];
    std::vector<int64_t> counts(8, 0);
    int nan = 0, inf = 0, fine = 0;
    double sum = 0, worst = -1;
    const auto look = [&](const Instruction& i) {
      switch (by_) {
        case GraphColour::kClass: ++counts[ClassOf(i)]; break;
        case GraphColour::kType: ++counts[FamilyOf(i.shape)]; break;
        default: sum = std::max(sum, static_cast<double>(i.shape.ByteSize())); break;
      }
    };
    const auto add = [&](double figure) {
      worst = std::max(worst, figure);
      ++(figure == 3 ? nan : figure == 2 ? inf : fine);
    };
    // Figures of what is called are the caller's too; of seconds its part of them.
    const int node = scene_.boxes[k].node;
    if (by_ == GraphColour::kTime && figures_.seconds != nullptr) {
      h_.ForEachInstruction(node, [&](const Instruction& i) { sum += SecondsOf(i); });
      sum *= PartOfPath(k);
    } else if (!ByFigures()) {
      h_.ForEachInstruction(node, look);
    } else if (figures_.by_call != nullptr && !figures_.by_call->of.empty()) {
      const std::vector<int> calls = CallsOf(k);
      h_.ForEachInstruction(node, [&](const Instruction& i) { ForEachFigure(i, calls, add); });
    }
    if (by_ == GraphColour::kClass) {
      tint.bar = ColourOf(static_cast<Class>(ClassOfMany(counts)));
    } else if (by_ == GraphColour::kType) {
      tint.bar = ColourOf(static_cast<Family>(std::max_element(counts.begin(), counts.end()) - counts.begin()));
    } else if (by_ == GraphColour::kHealth) {
      tint = HealthTint(nan, inf, fine);
      // A part of a slice has the health of its own elements, and shows them.
      if (const std::optional<int>& own = scene_.boxes[k].health; own.has_value()) tint = {HealthTint(*own == 3, *own == 2, *own == 1).bar, ""};
    } else if (by_ == GraphColour::kError) {
      tint.bar = {Ink::kBorder};
      if (worst >= 0) {
        tint.bar = worst <= 0.5 ? TintColor{Ink::kGreen} : Heat(0.25 + std::log2(1 + worst) / 12);
        tint.note = std::isfinite(worst) ? absl::StrFormat("%.3g ULP", worst) : "not finite";
      }
    } else {
      amount_[k] = sum;
      if (!scene_.boxes[k].expanded) most_ = std::max(most_, sum);
      if (by_ == GraphColour::kMemory) tint.note = absl::StrCat(scene_.boxes[k].instruction == nullptr ? "largest " : "", BytesText(static_cast<int64_t>(sum)));
      if (by_ == GraphColour::kTime && figures_.total > 0 && sum > 0) tint.note = absl::StrCat(SecondsText(sum), absl::StrFormat("  %.1f %%", 100 * sum / figures_.total));
    }
  }

  const Computation& ComputationOf(size_t box) const {
    return scene_.boxes[box].instruction != nullptr ? *scene_.boxes[box].instruction->parent : *h_.node(scene_.boxes[box].node).computation;
  }

  // The calls that a box stands for: those inside of the boxes around it. Where the outermost one is not the entry, all of that
  // computation.
  std::vector<int> CallsOf(size_t k) const {
    const SceneBox& box = scene_.boxes[k];
    if (box.parent < 0 || scene_.boxes[box.parent].node < 0) return figures_.by_call->tree.CallsOf(h_.module(), ComputationOf(k));
    const SceneBox& around = scene_.boxes[box.parent];
    const std::vector<int> outer = CallsOf(static_cast<size_t>(box.parent));
    if (around.instruction == nullptr) return outer;
    return Inside(outer, *around.instruction, WhichOf(around, box));
  }

  // Which of the computations that `around` calls a box right inside is of.
  int WhichOf(const SceneBox& around, const SceneBox& box) const {
    const std::vector<const Computation*> called = Hierarchy::Called(*around.instruction);
    const Computation* computation = &ComputationOf(static_cast<size_t>(&box - scene_.boxes.data()));
    int first = -1;
    for (size_t which = 0; which < called.size(); ++which) {
      if (called[which] != computation) continue;
      if (box.key == KeyOf(hloscope::Inside(around.key, static_cast<int>(which)), box.node)) return static_cast<int>(which);
      if (first < 0) first = static_cast<int>(which);
    }
    return first;
  }

  std::vector<int> Inside(const std::vector<int>& calls, const Instruction& caller, int which) const {
    std::vector<int> inside;
    for (const int call : calls) {
      if (const int there = figures_.by_call->tree.Inside(call, caller, which); there >= 0) inside.push_back(there);
    }
    return inside;
  }

  // Of the instruction in these calls, the worst, and of all that it calls there.
  template <typename Each>
  void ForEachFigure(const Instruction& i, const std::vector<int>& calls, const Each& each) const {
    if (const std::optional<double> figure = figures_.by_call->In(calls, i)) each(*figure);
    const std::vector<const Computation*> called = Hierarchy::Called(i);
    for (size_t which = 0; which < called.size(); ++which) {
      const std::vector<int> inside = Inside(calls, i, static_cast<int>(which));
      if (inside.empty()) continue;
      for (const Instruction* deeper : called[which]->schedule) ForEachFigure(*deeper, inside, each);
    }
  }

  // How much of a computation's time is a caller's: each run of it counts the same.
  double PartOf(const Instruction& caller, const Computation& called) {
    const auto [it, fresh] = runs_.try_emplace(&called);
    std::pair<double, int>& runs = it->second;  // of all callers, and how many these are
    if (fresh) {
      absl::flat_hash_set<const Instruction*> callers;
      for (const CalledBy& by : h_.CallersOf(called)) {
        if (callers.insert(by.caller).second) runs.first += RunsOf(*by.caller);
      }
      runs.second = static_cast<int>(callers.size());
    }
    if (runs.second <= 1) return 1;
    shared_ = true;
    return runs.first > 0 ? RunsOf(caller) / runs.first : 1.0 / runs.second;
  }
  double RunsOf(const Instruction& caller) const {
    if (figures_.calls == nullptr) return 0;
    const auto it = figures_.calls->find(&caller);
    return it == figures_.calls->end() ? 0 : static_cast<double>(it->second);
  }

  // With all that it calls.
  double SecondsOf(const Instruction& i) {
    const auto own = figures_.seconds->find(&i);
    double seconds = own == figures_.seconds->end() ? 0 : own->second;
    absl::flat_hash_set<const Computation*> seen;
    for (const Computation* called : Hierarchy::Called(i)) {
      if (seen.insert(called).second && SecondsOf(*called) > 0) seconds += PartOf(i, *called) * SecondsOf(*called);
    }
    return seconds;
  }
  double SecondsOf(const Computation& computation) {
    if (const auto it = seconds_.find(&computation); it != seconds_.end()) return it->second;
    double seconds = 0;
    for (const Instruction* i : computation.schedule) seconds += SecondsOf(*i);
    return seconds_[&computation] = seconds;
  }

  // Of what lies in opened calls: the part of these calls.
  double PartOfPath(size_t k) {
    double part = 1;
    for (int box = static_cast<int>(k); scene_.boxes[box].parent >= 0 && scene_.boxes[box].node >= 0; box = scene_.boxes[box].parent) {
      const SceneBox& around = scene_.boxes[scene_.boxes[box].parent];
      const Computation& inside = ComputationOf(static_cast<size_t>(box));
      if (around.instruction != nullptr && SecondsOf(inside) > 0) part *= PartOf(*around.instruction, inside);
    }
    return part;
  }

  // Times differ by shares.
  void Scale() {
    for (size_t k = 0; k < amount_.size(); ++k) {
      const double part = most_ > 0 ? amount_[k] / most_ : 0;
      tints_.boxes[k].bar = Heat(part <= 0 ? 0 : by_ == GraphColour::kMemory ? 1 + std::log2(part) / kMemoryHalvings : std::sqrt(part));
    }
  }

  const Scene& scene_;
  const Hierarchy& h_;
  GraphColour by_;
  TintFigures figures_;
  SceneTints tints_;
  std::vector<double> amount_;
  double most_ = 0;
  absl::flat_hash_map<const Computation*, double> seconds_;
  absl::flat_hash_map<const Computation*, std::pair<double, int>> runs_;
  bool shared_ = false;  // several call what took time
};

}  // namespace

const std::vector<std::string>& GraphColourNames() {
  static const auto& names = *new std::vector<std::string>{"class", "type", "time", "memory", "health", "error"};
  return names;
}

std::optional<GraphColour> ParseGraphColour(absl::string_view name) {
  if (name == "opcode") return GraphColour::kClass;
  for (size_t k = 0; k < GraphColourNames().size(); ++k) {
    if (name == GraphColourNames()[k]) return static_cast<GraphColour>(k);
  }
  return std::nullopt;
}

uint32_t MixRgb(uint32_t below, uint32_t above, float share) {
  uint32_t out = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const float x = static_cast<float>((below >> shift) & 0xff), y = static_cast<float>((above >> shift) & 0xff);
    out |= static_cast<uint32_t>(x + (y - x) * share + 0.5f) << shift;
  }
  return out;
}

uint32_t Rgb(const TintColor& color, PaletteScheme scheme) {
  uint32_t rgb = ColorOf(color.ink, scheme);
  if (color.over != Ink::kNone) rgb = MixRgb(rgb, ColorOf(color.over, scheme), color.over_share);
  if (color.top != Ink::kNone) rgb = MixRgb(rgb, ColorOf(color.top, scheme), color.top_share);
  return rgb;
}

int ClassOf(const Instruction& instruction) { return ClassWithin(instruction, 0); }

bool MovesElements(const Instruction& instruction) { return ClassWithin(instruction, 0) == kMoving; }

int FamilyOf(const Shape& shape) { return FamilyWithin(shape); }

std::vector<TintLegendRow> ClassLegend() {
  std::vector<TintLegendRow> rows;
  for (int c = 0; c < kClasses; ++c) rows.push_back({ColourOf(static_cast<Class>(c)), kClassNames[c]});
  return rows;
}

std::vector<TintLegendRow> FamilyLegend() {
  std::vector<TintLegendRow> rows;
  for (int f = 0; f < kFamilies; ++f) rows.push_back({ColourOf(static_cast<Family>(f)), kFamilyNames[f]});
  return rows;
}

int ClassOfMany(const std::vector<int64_t>& counts) {
  int best = kHandling;
  for (int c = 0; c < kParameter; ++c) {
    if (counts[c] > 0 && (best >= kParameter || counts[c] > counts[best])) best = c;
  }
  if (best == kHandling) best = counts[kParameter] > 0 ? kParameter : counts[kCreating] > 0 ? kCreating : kHandling;
  return best;
}

TintColor Heat(double share) { return {Ink::kFaint, Ink::kBorder, Ink::kOrange, 0.4f, static_cast<float>(std::clamp(share, 0.0, 1.0))}; }

SceneTints PaintScene(const Scene& scene, GraphColour by, const TintFigures& figures) { return Painter(scene, by, figures).Paint(); }

}  // namespace hloscope
