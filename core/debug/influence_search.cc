// A part of the result that certainly reads the set is taken whole, one that cannot is dropped, any other is halved. Single elements that
// are left open are evaluated and watched, as long as that costs little.
#include "core/debug/influence_search.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kMostParts = 300000;        // of one search
constexpr int64_t kMostBlindParts = 200;      // where the run's values are not asked for, looking closer tells little
constexpr int64_t kMostPoints = 20 << 20;     // of folds walked in one search
constexpr int64_t kMostUpdates = 4 << 20;
constexpr int64_t kMostChoices = 128;         // of places in a window

using Box = ElementSet::Box;

// Every output element of the part reads some element of the set.
bool CertainlyReads(const ElementTracer::Reach& reach, const ElementSet& set) {
  if (!reach.certain) return false;
  const std::vector<Box>& boxes = set.Boxes();
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
    for (size_t d = 0; d < reach.dims.size(); ++d) {
      const ElementTracer::Dim& dim = reach.dims[d];
      if (dim.free) {
        if (dim.high < box.low[d] || dim.low > box.high[d]) return false;
      } else if (dim.low < box.low[d] || dim.high > box.high[d]) {
        return false;
      }
    }
    return true;
  });
}

bool MayRead(const ElementTracer::Reach& reach, const ElementSet& set) {
  Box box;
  for (const ElementTracer::Dim& dim : reach.dims) {
    box.low.push_back(dim.low);
    box.high.push_back(dim.high);
  }
  return set.Touches(box);
}

// Output dimensions that leave it open whether the part reads the set: where an index reaches beyond it. None: all that the load has.
uint64_t OpenDimensions(const ElementTracer::Reach& reach, const ElementSet& set) {
  const Box bounds = set.Bounds();
  uint64_t open = 0, all = 0;
  for (size_t d = 0; d < reach.dims.size(); ++d) {
    const ElementTracer::Dim& dim = reach.dims[d];
    all |= dim.vars;
    if (!dim.free && (dim.low < bounds.low[d] || dim.high > bounds.high[d])) open |= dim.vars;
  }
  return open != 0 ? open : all;
}

}  // namespace

void SearchReaders(ElementReader& reader, int frame, const Instruction& instruction, int output, int operand, const ElementSet& set, ElementSet* result, SearchState* state) {
  const ElementReader::Prepared* prepared = reader.ProgramOf(instruction);
  const Shape& shape = prepared->program.outputs[output].shape;
  if (shape.ElementCount() == 0) return;
  ElementTracer& tracer = *prepared->tracer;
  const ElementLoader plain = reader.LoaderOf(frame, instruction);
  const ElementLoader load = [&](int k, int64_t linear) -> absl::StatusOr<Scalar> {
    if (state->blind && instruction.operands[k]->literal == nullptr) return absl::UnavailableError("not this time");
    state->looked = true;
    return plain(k, linear);
  };
  const int64_t most_parts = state->blind ? kMostBlindParts : kMostParts;
  Box whole;
  for (int64_t extent : shape.dimensions()) {
    whole.low.push_back(0);
    whole.high.push_back(extent - 1);
  }
  // A window's places are looked at one by one: at its border a part of it is padding, and that leaves open what is read in the others.
  const std::vector<ElementTracer::FixedVars> choices = tracer.FoldChoices(output, kMostChoices);
  std::vector<Box> parts = {whole};
  int64_t looked_at = 0, points = 0;
  while (!parts.empty()) {
    const Box part = std::move(parts.back());
    parts.pop_back();
    const std::vector<ElementTracer::Reach> reaches = tracer.ReachOf(output, part.low, part.high, operand, load);
    bool may = false, certain = false;
    uint64_t open = 0;
    for (const ElementTracer::Reach& reach : reaches) {
      const bool touches = MayRead(reach, set);
      may = may || touches;
      certain = certain || (touches && CertainlyReads(reach, set));
      if (touches && !certain) open |= OpenDimensions(reach, set);
    }
    if (!may) continue;
    bool in_some = choices.empty();
    for (size_t c = 0; c < choices.size() && !certain; ++c) {
      for (const ElementTracer::Reach& reach : tracer.ReachOf(output, part.low, part.high, operand, load, choices[c])) {
        const bool touches = MayRead(reach, set);
        in_some = in_some || touches;
        certain = certain || (touches && CertainlyReads(reach, set));
      }
    }
    if (!certain && !in_some) continue;
    if (certain) {
      result->AddBox(part.low, part.high);
      continue;
    }
    if (++looked_at > most_parts) {
      result->exact = false;
      result->AddBox(part.low, part.high);
      continue;
    }
    if (auto halves = Halves(part, open)) {
      parts.push_back(std::move(halves->second));
      parts.push_back(std::move(halves->first));
      continue;
    }
    // One element: see what it loads. The initial value of a push program alone is meant here.
    bool reads = true;
    if (!prepared->program.is_push && points < kMostPoints && !state->blind) {
      const absl::StatusOr<TracedElement> element = tracer.At(output, part.low, load, kMostPoints - points);
      if (element.ok()) {
        points += static_cast<int64_t>(element->loads.size()) + 1;
        reads = std::any_of(element->loads.begin(), element->loads.end(), [&](const TracedLoad& l) { return l.operand == operand && set.Contains(l.linear); });
        state->looked = true;
      } else {
        result->exact = false;
      }
    } else {
      result->exact = false;
    }
    if (reads) result->AddBox(part.low, part.high);
  }
}

void SearchUpdates(ElementReader& reader, int frame, const Instruction& instruction, absl::Span<const ElementSet* const> operands, std::vector<ElementSet>* results,
                   SearchState* state) {
  const ElementReader::Prepared* prepared = reader.ProgramOf(instruction);
  ElementTracer& tracer = *prepared->tracer;
  const Program& program = prepared->program;
  state->looked = true;
  const int outputs = static_cast<int>(program.outputs.size());
  bool in_updates = false, anywhere = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] == nullptr || operands[k]->empty()) continue;
    for (int o = 0; o < outputs; ++o) SearchReaders(reader, frame, instruction, o, static_cast<int>(k), *operands[k], &(*results)[o], state);
    if (!tracer.LoadsInPush(static_cast<int>(k))) continue;
    in_updates = true;
    // Another place would be anywhere.
    for (NodeId id = 0; id < program.graph->size(); ++id) {
      const Node& node = program.graph->node(id);
      if (node.kind == NodeKind::kLoad && node.operand == static_cast<int>(k) && tracer.PlacesUpdates(id)) anywhere = true;
    }
  }
  bool uses_old = false;
  for (NodeId combined : program.push.combined) {
    for (int32_t v : program.graph->FreeVars(combined)) uses_old = uses_old || v < 0;
  }
  if (anywhere || (in_updates && (state->blind || tracer.push_points() > kMostUpdates))) {
    for (int o = 0; o < outputs; ++o) {
      (*results)[o] = ElementSet::All(program.outputs[o].shape);
      (*results)[o].exact = false;
    }
    return;
  }
  if (state->blind || tracer.push_points() > kMostUpdates) {
    for (ElementSet& set : *results) set.exact = false;
    return;
  }
  const ElementLoader load = reader.LoaderOf(frame, instruction);
  absl::flat_hash_map<int64_t, bool> touched;
  for (int64_t t = 0; t < tracer.push_points(); ++t) {
    std::vector<TracedLoad> loads;
    const absl::StatusOr<int64_t> target = tracer.PushPoint(t, load, &loads);
    if (!target.ok()) {
      for (ElementSet& set : *results) set.exact = false;
      return;
    }
    if (*target < 0) continue;
    const bool reads = std::any_of(loads.begin(), loads.end(), [&](const TracedLoad& l) {
      return operands[l.operand] != nullptr && operands[l.operand]->Contains(l.linear);
    });
    if (reads) {
      touched[*target] = true;
    } else if (!uses_old) {
      touched[*target] = false;  // overwritten
    }
  }
  for (ElementSet& set : *results) {
    for (const auto& [target, reads] : touched) {
      if (reads) {
        set.Add(target, target + 1);
      } else {
        set.Remove(target);
      }
    }
  }
}

void SearchOpaque(const Instruction& instruction, int leaf, int operand, int operand_leaf, const ElementSet& set, ElementSet* result) {
  const std::optional<OpaqueReach> reach = ReachOfOpaque(instruction, leaf, operand, operand_leaf);
  if (!reach) return;
  const Shape& to = LeafShape(instruction.shape, leaf);
  if (reach->linear) {
    result->AddAll(set.WithShape(to));
    return;
  }
  // What the dimensions that are shared leave open is influenced whole.
  const auto add = [&](absl::Span<const int64_t> low, absl::Span<const int64_t> high) {
    Box box;
    for (int e = 0; e < to.rank(); ++e) {
      box.low.push_back(0);
      box.high.push_back(to.dim(e) - 1);
    }
    for (size_t d = 0; d < reach->same.size(); ++d) {
      if (reach->same[d] < 0) continue;
      box.low[reach->same[d]] = low[d];
      box.high[reach->same[d]] = high[d];
    }
    result->AddBox(box.low, box.high);
  };
  if (to.ElementCount() == 0) return;
  const std::vector<Box>& boxes = set.Boxes();
  if (!boxes.empty()) {
    for (const Box& box : boxes) add(box.low, box.high);
    return;
  }
  const Box bounds = set.Bounds();
  result->exact = false;
  add(bounds.low, bounds.high);
}

}  // namespace hloscope
