#include "visualizer/model/line_values.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "core/debug/known_values.h"
#include "core/debug/plane.h"
#include "core/debug/set_readers.h"
#include "core/debug/travel.h"
#include "core/literal/format.h"
#include "core/literal/place_in_range.h"
#include "core/literal/scalar.h"
#include "core/literal/statistics.h"
#include "core/ops/exchange_def.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"
#include "visualizer/model/range_text.h"

namespace hloscope {
namespace {

constexpr int64_t kSample = 1 << 16;        // elements of a big array that its picture is made of
constexpr int64_t kWholeUpTo = 1 << 18;     // elements of an array whose picture is made of all
constexpr int64_t kRemakeBudget = 1 << 22;  // elements touched to make a value again
constexpr int kBins = 16;

// Elements touched to make the value again from what the frame holds; more than the budget: too dear.
int64_t CostToMake(const Frame& frame, const Instruction& instruction, int64_t budget, int depth) {
  if (frame.values[instruction.index].has_value()) return 0;
  const OpDef& def = Def(instruction);
  // Opaque, but known to each device.
  if (const ExchangeRole role = ExchangeOf(instruction).role; role == ExchangeRole::kReplicaId || role == ExchangeRole::kPartitionId)
    return 1;
  // What was exchanged is read from the log, and what waits for it hands it on.
  const CollectivePart part = CollectiveOf(instruction);
  const bool read_again = part.collective != nullptr && part.begins != nullptr;
  int64_t cost = 0;
  for (int leaf = 0; leaf < LeafCountOf(instruction.shape); ++leaf) cost += std::max<int64_t>(1, LeafShape(instruction.shape, leaf).ElementCount());
  if (depth > 12 || cost > budget) return budget + 1;
  if (!read_again && (def.control != ControlKind::kNone || def.has_side_effect || def.host != HostService::kNone || def.op_class == OpClass::kOpaque ||
                      def.op_class == OpClass::kPush)) {
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

// A little picture of the finite elements: a sample of a big array is good enough for that, and for nothing else.
std::vector<float> Spark(const Value& array, double min, double max) {
  const int64_t count = array.element_count();
  // A step that shares no factor with the usual sizes, so that a sample does not walk along one column.
  const int64_t step = count <= kWholeUpTo ? 1 : count / kSample | 1, most = (count + step - 1) / step;
  std::vector<float> bins(kBins, 0);
  constexpr int64_t kPiece = 4096;
  double piece[kPiece];
  for (int64_t k = 0; k < most; k += kPiece) {
    const int64_t n = std::min(kPiece, most - k);
    ReadNumbers(array, k * step, step, n, piece);  // of complex numbers the magnitude
    for (int64_t j = 0; j < n; ++j) {
      if (std::isfinite(piece[j])) bins[static_cast<size_t>(BinInRange(piece[j], min, max, kBins))] += 1;
    }
  }
  return bins;
}

}  // namespace

LineValue Summary(const Value& value, const KnownValue& known) {
  LineValue line;
  if (!value.has_value() || !value.shape().IsArray()) return line;
  const ElementType type = value.shape().element_type();
  const int64_t count = value.element_count();
  if (count == 0) {
    line.text = "empty";
    return line;
  }
  const Statistics& stats = known.statistics;
  line.partial = !known.whole;
  line.nan = stats.nan > 0;
  line.inf = stats.inf > 0;
  if (count == 1) {
    line.text = ToText(LoadScalar(type, value.data()));
    line.detail = FormatValue(value);
    return line;
  }
  line.text = RangeText(type, known);
  if (stats.finite > 0 && type != ElementType::kPred && std::isfinite(stats.mean)) line.detail = absl::StrCat(IsComplex(type) ? "|z|: mean " : "mean ", MeanText(type, stats));
  const auto say = [&](const std::string& text) { absl::StrAppend(&line.detail, line.detail.empty() || text.empty() ? "" : ", ", text); };
  say(TroubleText(known));
  if (line.partial) say(absl::StrCat("looked at ", stats.count, " of ", count, " elements so far"));
  if (stats.finite > 1 && stats.min < stats.max) line.bins = Spark(value, stats.min, stats.max);
  return line;
}

LineValue Summary(const Value& value) {
  if (!value.has_value() || !value.shape().IsArray()) return LineValue();
  return Summary(value, KnowAll(value));
}

namespace {

// The frame that shows it: the selected one goes before the ones outside it, and those before the ones inside it. -1: none.
int DepthOf(const Session::State& s, const Instruction& instruction) {
  const std::vector<Frame>& frames = s.machine->frames();
  if (const int outwards = s.FrameThatShows(instruction); outwards >= 0) return outwards;
  for (int d = s.selected + 1; d < static_cast<int>(frames.size()); ++d) {
    if (frames[d].computation == instruction.parent) return d;
  }
  return -1;
}

}  // namespace

LineValues LookAtLines(Session::State& s, const std::vector<const Instruction*>& wanted, double seconds) {
  LineValues result;
  const KnowUntil until = std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6));
  std::vector<const Instruction*> in_order = wanted;
  // Small ones first: what is big may take several questions, and each of them goes on with the smallest that is not done.
  std::stable_sort(in_order.begin(), in_order.end(), [](const Instruction* a, const Instruction* b) { return a->shape.ByteSize() < b->shape.ByteSize(); });
  std::map<int, SetMarks> marks;  // by frame
  for (const Instruction* instruction : in_order) {
    if (!result.values.empty() && std::chrono::steady_clock::now() > until) {
      result.more = true;
      break;
    }
    LineValue line;
    const int depth = s.visible() && instruction->shape.IsArray() && instruction->index >= 0 ? DepthOf(s, *instruction) : -1;
    if (depth >= 0) {
      const Frame& frame = s.machine->frames()[depth];
      const bool walk = frame.kind == FrameKind::kElement;
      const bool known = instruction->index < frame.position || instruction->parameter_number >= 0;
      if (known && (walk || CostToMake(frame, *instruction, kRemakeBudget, 0) <= kRemakeBudget)) {
        absl::StatusOr<Value> value = s.machine->ValueOf(depth, instruction->index);
        if (value.ok()) {
          line = Summary(*value, LookOn(s, depth, *instruction, *value, until));
          if (IsLoop(frame.kind)) line.iteration = frame.iteration;
          const auto [of_frame, fresh] = marks.try_emplace(depth);
          if (fresh) of_frame->second = MarksOfSets(s, depth);
          if (const auto mark = of_frame->second.find(instruction); mark != of_frame->second.end()) line.by_hand = SetMarkText(mark->second);
        }
      }
    }
    result.more |= line.partial;
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
    const SetMarks marks = MarksOfSets(s, s.selected);
    for (const Instruction* instruction : wanted) {
      LineValue line;
      if (instruction->parent == &body && instruction->shape.IsArray() && instruction->shape.ElementCount() <= kRemakeBudget) {
        const absl::StatusOr<Value> value = s.ValueOf(instruction->name);
        if (value.ok()) line = Summary(*value);
        if (const auto by_hand = marks.find(instruction); value.ok() && by_hand != marks.end()) line.by_hand = SetMarkText(by_hand->second);
      }
      result.values.emplace_back(instruction, std::move(line));
    }
    return absl::OkStatus();
  });
  if (!looked.ok()) return looked;
  return result;
}

}  // namespace hloscope
