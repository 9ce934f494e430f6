#include "visualizer/model/line_values.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/debug/travel.h"
#include "core/literal/format.h"
#include "core/literal/statistics.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kSample = 1 << 16;        // elements looked at in a big array
constexpr int64_t kWholeUpTo = 1 << 18;     // elements of an array that is looked at whole
constexpr int64_t kRemakeBudget = 1 << 22;  // elements touched to make a value again
constexpr int kBins = 16;

// Elements touched to make the value again from what the frame holds; more than the budget: too dear.
int64_t CostToMake(const Frame& frame, const Instruction& instruction, int64_t budget, int depth) {
  if (frame.values[instruction.index].has_value()) return 0;
  const OpDef& def = Def(instruction);
  int64_t cost = std::max<int64_t>(1, instruction.shape.ElementCount());
  if (depth > 12 || cost > budget || def.control != ControlKind::kNone || def.has_side_effect || def.host != HostService::kNone || def.op_class == OpClass::kOpaque ||
      def.op_class == OpClass::kPush) {
    return budget + 1;
  }
  // A parameter of the entry that was never read would have to be made; others are held.
  if (instruction.parameter_number >= 0) return cost;
  for (const Instruction* operand : instruction.operands) {
    cost += operand->shape.ElementCount();
    if (cost > budget) return cost;
    cost += CostToMake(frame, *operand, budget - cost, depth + 1);
    if (cost > budget) return cost;
  }
  return cost;
}

std::string Number(double x, ElementType type) {
  if (type == ElementType::kPred) return x != 0 ? "true" : "false";
  if (x == std::floor(x) && std::abs(x) < 1e7) return absl::StrFormat("%.0f", x);
  return FormatDouble(x, 3);
}

struct Ranged {
  double min = 0, max = 0, sum = 0;
  int64_t looked = 0, finite = 0, nan = 0, inf = 0;
  std::vector<float> sample;
};

Ranged Look(const Value& array) {
  Ranged r;
  const int64_t count = array.element_count();
  // A step that shares no factor with the usual sizes, so that a sample does not walk along one column.
  int64_t step = count <= kWholeUpTo ? 1 : count / kSample | 1;
  for (int64_t k = 0; k < count; k += step) {
    const double x = ElementAsDouble(array, k);
    ++r.looked;
    if (std::isnan(x)) {
      ++r.nan;
    } else if (std::isinf(x)) {
      ++r.inf;
    } else {
      if (r.finite == 0 || x < r.min) r.min = x;
      if (r.finite == 0 || x > r.max) r.max = x;
      ++r.finite;
      r.sum += x;
      r.sample.push_back(static_cast<float>(x));
    }
  }
  return r;
}

}  // namespace

LineValue Summary(const Value& value) {
  LineValue line;
  if (!value.has_value() || !value.shape().IsArray()) return line;
  const ElementType type = value.shape().element_type();
  const int64_t count = value.element_count();
  if (count == 0) {
    line.text = "empty";
    return line;
  }
  const Ranged r = Look(value);
  line.nan = r.nan > 0;
  line.inf = r.inf > 0;
  if (count == 1) {
    const double x = ElementAsDouble(value, 0);
    line.text = std::isfinite(x) ? Number(x, type) : std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
    line.detail = FormatValue(value);
    return line;
  }
  const bool sampled = r.looked < count;
  if (r.finite == 0) {
    line.text = r.inf == 0 ? "nan" : r.nan == 0 ? "inf" : "nan, inf";
  } else if (r.min == r.max) {
    line.text = absl::StrCat("all ", Number(r.min, type));
    if (r.nan + r.inf > 0) line.text = Number(r.min, type);
  } else if (type == ElementType::kPred) {
    line.text = absl::StrFormat("%.0f%% true", 100 * r.sum / static_cast<double>(r.finite));
  } else {
    line.text = absl::StrCat(Number(r.min, type), " .. ", Number(r.max, type));
  }
  if (r.finite > 0) line.detail = absl::StrCat("mean ", FormatDouble(r.sum / static_cast<double>(r.finite), 4));
  if (r.nan > 0) absl::StrAppend(&line.detail, line.detail.empty() ? "" : ", ", r.nan, " NaN");
  if (r.inf > 0) absl::StrAppend(&line.detail, line.detail.empty() ? "" : ", ", r.inf, " inf");
  if (sampled) absl::StrAppend(&line.detail, ", from ", r.looked, " of ", count, " elements");
  if (r.finite > 1 && r.min < r.max) {
    line.bins.assign(kBins, 0);
    const double scale = kBins / (r.max - r.min);
    for (float x : r.sample) line.bins[std::clamp(static_cast<int>((x - r.min) * scale), 0, kBins - 1)] += 1;
  }
  return line;
}

LineValues LookAtLines(Session::State& s, const std::vector<const Instruction*>& wanted, double seconds) {
  LineValues result;
  const auto begin = std::chrono::steady_clock::now();
  for (const Instruction* instruction : wanted) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds) {
      result.more = true;
      break;
    }
    LineValue line;
    if (s.visible() && instruction->shape.IsArray() && instruction->index >= 0) {
      const std::vector<Frame>& frames = s.machine->frames();
      // The selected frame goes before the ones outside it, and those before the ones inside it.
      int depth = -1;
      const int selected = std::min<int>(s.selected, static_cast<int>(frames.size()) - 1);
      for (int d = selected; d >= 0 && depth < 0; --d) {
        if (frames[d].computation == instruction->parent) depth = d;
      }
      for (int d = selected + 1; d < static_cast<int>(frames.size()) && depth < 0; ++d) {
        if (frames[d].computation == instruction->parent) depth = d;
      }
      if (depth >= 0) {
        const Frame& frame = frames[depth];
        const bool walk = frame.kind == FrameKind::kElement;
        const bool known = instruction->index < frame.position || instruction->parameter_number >= 0;
        if (known && (walk || CostToMake(frame, *instruction, kRemakeBudget, 0) <= kRemakeBudget)) {
          absl::StatusOr<Value> value = s.machine->ValueOf(depth, instruction->index);
          if (value.ok()) {
            line = Summary(*value);
            if (frame.kind == FrameKind::kWhileBody || frame.kind == FrameKind::kWhileCondition) line.iteration = frame.iteration;
          }
        }
      }
    }
    result.values.emplace_back(instruction, std::move(line));
  }
  return result;
}

absl::StatusOr<LineValues> LookAtIteration(Session::State& s, const std::vector<const Instruction*>& wanted, const Computation& body, const std::string& moment) {
  if (body.instructions.empty()) return LineValues();
  const absl::StatusOr<Mark> mark = ParseMoment(s, moment, absl::StrCat("%", body.root != nullptr ? body.root->name : body.instructions[0]->name));
  if (!mark.ok()) return mark.status();
  LineValues result;
  const absl::Status looked = LookAt(s, *mark, [&] {
    for (const Instruction* instruction : wanted) {
      LineValue line;
      if (instruction->parent == &body && instruction->shape.IsArray() && instruction->shape.ElementCount() <= kRemakeBudget) {
        const absl::StatusOr<Value> value = s.ValueOf(instruction->name);
        if (value.ok()) line = Summary(*value);
      }
      result.values.emplace_back(instruction, std::move(line));
    }
    return absl::OkStatus();
  });
  if (!looked.ok()) return looked;
  return result;
}

}  // namespace hloscope
