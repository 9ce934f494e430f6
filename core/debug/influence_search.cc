// A part of the result that certainly reads the set is taken whole, one that cannot is dropped, any other is halved. Single elements that
// are left open are evaluated and watched, as long as that costs little.
#include "core/debug/influence_search.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/ops/op.h"
#include "core/ops/reach.h"

namespace hloscope {
namespace {

constexpr int64_t kMostParts = 300000;        // of one search
constexpr int64_t kMostBlindParts = 200;      // where the run's values are not asked for, looking closer tells little
constexpr int64_t kMostPoints = 20 << 20;     // of folds walked in one search
constexpr int64_t kMostUpdates = 4 << 20;
constexpr int64_t kMostChoices = 128;         // of places in a window

using Box = ElementSet::Box;

Box BoxOf(const ElementTracer::Reach& reach) {
  Box box;
  for (const ElementTracer::Dim& dim : reach.dims) {
    box.low.push_back(dim.low);
    box.high.push_back(dim.high);
  }
  return box;
}

// Every output element of the part reads some element of the set.
bool CertainlyReads(const ElementTracer::Reach& reach, const ElementSet& set) {
  if (!reach.certain) return false;
  if (set.Covers(BoxOf(reach))) return true;
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

bool MayRead(const ElementTracer::Reach& reach, const ElementSet& set) { return set.Touches(BoxOf(reach)); }

// Output dimensions that leave it open whether the part reads the set: where an index reaches beyond it. None: all that the load has.
uint64_t OpenDimensions(const ElementTracer::Reach& reach, const ElementSet& set) {
  const Box& bounds = set.Bounds();
  uint64_t open = 0, all = 0;
  for (size_t d = 0; d < reach.dims.size(); ++d) {
    const ElementTracer::Dim& dim = reach.dims[d];
    all |= dim.vars;
    if (!dim.free && (dim.low < bounds.low[d] || dim.high > bounds.high[d])) open |= dim.vars;
  }
  return open != 0 ? open : all;
}

}  // namespace

void SearchReaders(ElementReader& reader, int frame, const Instruction& instruction, const ElementReader::Prepared& prepared, int output,
                   int operand, const ElementSet& set, ElementSet* result, SearchState* state) {
  const Shape& shape = prepared.program.outputs[output].shape;
  if (shape.ElementCount() == 0) return;
  ElementTracer& tracer = *prepared.tracer;
  const ElementLoader plain = reader.LoaderOf(frame, instruction, prepared);
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
    if (!prepared.program.is_push && points < kMostPoints && !state->blind) {
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

void SearchUpdates(ElementReader& reader, int frame, const Instruction& instruction, const ElementReader::Prepared& prepared,
                   absl::Span<const ElementSet* const> operands, std::vector<ElementSet>* results, SearchState* state) {
  ElementTracer& tracer = *prepared.tracer;
  const Program& program = prepared.program;
  state->looked = true;
  const int outputs = static_cast<int>(program.outputs.size());
  const auto inexact = [&] {
    for (ElementSet& set : *results) set.exact = false;
  };
  bool in_updates = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] == nullptr || operands[k]->empty()) continue;
    if (!operands[k]->exact) inexact();
    in_updates = in_updates || tracer.LoadsInPush(static_cast<int>(k));
  }
  // What an output starts as, for itself and for those whose updates read it.
  for (int o = 0; o < outputs; ++o) {
    const std::vector<bool> needed = tracer.OutputsNeededFor(o);
    for (int from = 0; from < outputs; ++from) {
      for (size_t k = 0; k < operands.size() && needed[from]; ++k) {
        if (operands[k] != nullptr && !operands[k]->empty())
          SearchReaders(reader, frame, instruction, prepared, from, static_cast<int>(k), *operands[k], &(*results)[o], state);
      }
    }
  }
  if (tracer.push_points() > kMostUpdates || state->blind) {
    for (int o = 0; o < outputs && in_updates; ++o) (*results)[o] = ElementSet::All(program.outputs[o].shape);
    inexact();
    return;
  }
  const ElementLoader load = reader.LoaderOf(frame, instruction, prepared);
  const auto in_set = [&](int operand, int64_t linear) { return operands[operand] != nullptr && operands[operand]->Contains(linear); };
  for (int o = 0; o < outputs; ++o) {
    ElementSet& set = (*results)[o];
    const bool uses_old = tracer.UsesOld(o);
    const std::vector<bool> needed = tracer.OutputsNeededFor(o);
    absl::flat_hash_map<int64_t, bool> touched;
    ElementSet anywhere(program.outputs[o].shape);  // where updates might go
    for (int64_t t = 0; t < tracer.push_points(); ++t) {
      std::vector<TracedLoad> loads;
      const absl::StatusOr<int64_t> target = tracer.PushPoint(t, load, &loads, &needed);
      if (!target.ok()) return inexact();
      bool reads = false, places = false;
      for (const TracedLoad& l : loads) {
        if (!in_set(l.operand, l.linear)) continue;
        reads = true;
        places = places || l.places;
      }
      if (places) {
        if (const std::optional<Box> box = tracer.TargetsOf(t, load, in_set)) anywhere.AddBox(box->low, box->high);
      }
      if (*target < 0) continue;
      if (reads) {
        touched[*target] = true;
      } else if (!uses_old) {
        touched[*target] = false;  // overwritten
      }
    }
    for (const auto& [target, reads] : touched) {
      if (reads) {
        set.Add(target, target + 1);
      } else {
        set.Remove(target);
      }
    }
    if (anywhere.empty()) continue;
    set.AddAll(anywhere);
    set.exact = false;
  }
}

namespace {

constexpr int64_t kMostCopies = 1 << 20;  // places in lines that are looked at one by one

// Which of a line's places an element has gone to: the values tell. False: they are not asked for, or are too many.
bool SearchCopies(ElementReader& reader, int frame, const Instruction& i, int leaf, int operand, const Shape& from, const Reach& reach, const ElementSet& set, ElementSet* result,
                  SearchState* state) {
  const Shape& to = LeafShape(i.shape, leaf);
  if (state->blind) return false;
  ElementSet done(from);
  int64_t looked_at = 0;
  for (const ElementSet::Run& run : set.runs()) {
    for (int64_t e = run.begin; e < run.end; ++e) {
      if (done.Contains(e)) continue;
      const std::vector<IndexBox> line = reach.relation.ToOf(PointBox(IndexOfPlace(from, e)));
      if (line.empty()) continue;
      const std::vector<int64_t> places = PlacesIn(to, line), sources = PlacesIn(from, reach.relation.FromOf(line[0]));
      if ((looked_at += static_cast<int64_t>(places.size() + sources.size())) > kMostCopies) return false;
      const absl::StatusOr<std::vector<int64_t>> source = reader.CopiedFrom(frame, i, operand, leaf, sources, places);
      if (!source.ok()) return false;
      for (size_t p = 0; p < places.size(); ++p) {
        if ((*source)[p] < 0 || set.Contains((*source)[p])) result->Add(places[p], places[p] + 1);
      }
      for (int64_t place : sources) done.Add(place, place + 1);
    }
  }
  state->looked = true;
  return true;
}

}  // namespace

void SearchOpaque(ElementReader& reader, int frame, const Instruction& instruction, int leaf, int operand, int operand_leaf, const ElementSet& set, ElementSet* result,
                  SearchState* state) {
  const Shape& to = LeafShape(instruction.shape, leaf);
  if (to.ElementCount() == 0) return;
  for (const Reach& reach : ReachOf(instruction, leaf, operand, operand_leaf)) {
    if (reach.linear) {
      result->AddAll(set.WithShape(to));
      continue;
    }
    if (reach.kind == Reach::Kind::kCopy) {
      const Shape& from = LeafShape(instruction.operands[operand]->shape, operand_leaf);
      const std::vector<int64_t> sources = PlacesIn(from, reach.relation.FromOf(PointBox(reach.relation.ToOf(set.Bounds())[0].low)), 2);
      const bool several = sources.size() > 1;  // of which an element is a copy
      if (several && SearchCopies(reader, frame, instruction, leaf, operand, from, reach, set, result, state)) continue;
      if (several) result->exact = false;
    }
    if (!reach.exact) result->exact = false;
    std::vector<Box> boxes = set.Boxes();
    if (boxes.empty() && !set.empty()) {
      boxes = {set.Bounds()};
      result->exact = false;
    }
    for (const Box& box : boxes) {
      for (const IndexBox& part : reach.relation.ToOf(box)) result->AddBox(part.low, part.high);
    }
  }
}

}  // namespace hloscope
