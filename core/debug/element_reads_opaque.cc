// What elements of operations without element program read: from what the operations say, and from the values where these tell which of several
// elements one is a copy of.
#include <algorithm>
#include <set>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/element_reads.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "core/ops/reach.h"

namespace hloscope {

namespace {

// Of places as the shape is written, those that a run has, or their places in the shape of the run.
std::vector<int64_t> InRun(const Shape& written, const Shape& run, absl::Span<const int64_t> places, bool in_run) {
  if (!run.IsArray() || run.dimensions() == written.dimensions() || run.rank() != written.rank()) return {places.begin(), places.end()};
  std::vector<int64_t> kept;
  for (const int64_t place : places) {
    const std::optional<int64_t> there = PlaceInSizes(written, place, run);
    if (there.has_value()) kept.push_back(in_run ? *there : place);
  }
  return kept;
}

}  // namespace

const std::vector<SizeOrigin>& ElementReader::SizesOf(const Instruction& instruction, int leaf, int dimension) {
  std::unique_ptr<std::vector<SizeOrigin>>& origins = size_origins_[{&instruction, {leaf, dimension}}];
  if (origins == nullptr) origins = std::make_unique<std::vector<SizeOrigin>>(SizeOriginsOf(instruction, leaf, dimension));
  return *origins;
}

// The size of an array's dimension is followed as an element is through what hands values on, and through all else as the operations say,
// to the values that it was given as.
absl::StatusOr<ElementReads> ElementReader::ReadsOfSize(const ElementPlace& place) {
  const Instruction& i = *place.instruction;
  struct At {
    ElementPlace place;
    int dimension;
  };
  ElementReads result;
  result.kind = SliceNode::kOpaque;
  const int asked = static_cast<int>(i.Ints(AttrId::kDimensions)[0]);
  result.note = absl::StrCat("the size of dimension ", asked, " of ", ShownName(*i.operands[0]));
  std::vector<At> todo = {{{place.frame, i.operands[0], 0, 0}, asked}};
  std::set<std::tuple<int, const Instruction*, int, int>> seen;
  std::set<std::pair<int, const Instruction*>> read;
  int values = 0;
  const auto add = [&](const ElementPlace& from, ReadRole role) {
    if (!read.insert({from.frame, from.instruction}).second) return;
    values += role == ReadRole::kValue;
    if (role == ReadRole::kValue) result.moved = static_cast<int>(result.reads.size());
    result.reads.push_back({from, role});
    ++result.total;
  };
  while (!todo.empty()) {
    const At at = todo.back();
    todo.pop_back();
    const Instruction& here = *at.place.instruction;
    if (!seen.insert({at.place.frame, &here, at.place.leaf, at.dimension}).second || IsExchanged(here)) continue;
    const bool chosen = Def(here).op_class == OpClass::kPull && Def(here).evaluate != nullptr;
    if (here.parameter_number >= 0 || Def(here).control != ControlKind::kNone || !LeavesOf(here).empty() || chosen) {
      absl::StatusOr<ElementReads> reads = ReadsHere(at.place, ReadLimits());
      if (!reads.ok()) return reads;
      for (const ElementRead& each : reads->reads) {
        if (each.role == ReadRole::kValue) todo.push_back({each.place, at.dimension});
        else add(each.place, each.role);
      }
      continue;
    }
    for (const SizeOrigin& origin : SizesOf(here, at.place.leaf, at.dimension)) {
      const ElementPlace from{at.place.frame, here.operands[origin.operand], 0, 0};
      if (origin.is_value) add(from, ReadRole::kValue);
      else todo.push_back({from, origin.dimension});
    }
  }
  if (values != 1) result.moved = -1;
  if (result.reads.empty()) result.kind = SliceNode::kCreated;
  return result;
}

absl::StatusOr<std::vector<int64_t>> ElementReader::CopiedFrom(int frame, const Instruction& i, int operand, int leaf, absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  absl::StatusOr<Value> result = history_.ValueOf(frame, i);
  if (!result.ok()) return result.status();
  std::vector<Value> operands;
  for (const Instruction* each : i.operands) {
    absl::StatusOr<Value> value = SeenBy(i, frame, *each);
    if (!value.ok()) return value.status();
    operands.push_back(*std::move(value));
  }
  if (!HasSizes(i)) return hloscope::CopiedFrom(i, operands, *result, operand, leaf, from, to);
  // Bounded dimensions: the values have places of their own. What is beyond them is a copy of nothing.
  const Shape &written = i.operands[operand]->shape, &written_to = LeafShape(i.shape, leaf);
  const std::vector<int64_t> sources = InRun(written, operands[operand].shape(), from, false), targets = InRun(written_to, LeafOf(*result, leaf).shape(), to, false);
  const std::vector<int64_t> in_run = InRun(written, operands[operand].shape(), sources, true);
  const std::vector<int64_t> found = hloscope::CopiedFrom(i, operands, *result, operand, leaf, in_run, InRun(written_to, LeafOf(*result, leaf).shape(), targets, true));
  std::vector<int64_t> copied(to.size(), -1);
  for (size_t t = 0, at = 0; t < to.size() && at < targets.size(); ++t) {
    if (to[t] != targets[at]) continue;
    const auto source = std::find(in_run.begin(), in_run.end(), found[at++]);
    if (source != in_run.end()) copied[t] = sources[source - in_run.begin()];
  }
  return copied;
}

absl::StatusOr<ElementReads> ElementReader::ReadsOfOpaque(const ElementPlace& place, const ReadLimits& limits) {
  const Instruction& i = *place.instruction;
  const Shape& output = LeafShape(i.shape, place.leaf);
  const IndexBox here = PointBox(IndexOfPlace(output, place.linear));
  ElementReads result;
  result.kind = SliceNode::kOpaque;
  std::vector<std::string> notes;
  std::string said;  // "depends on ", of the note before
  if (Def(i).gives_size) return ReadsOfSize(place);
  for (size_t k = 0; k < i.operands.size(); ++k) {
    Shape run;  // of the operand, where sizes are those of the run
    if (HasSizes(i) && i.operands[k]->shape.IsArray()) {
      const absl::StatusOr<Value> value = SeenBy(i, place.frame, *i.operands[k]);
      if (value.ok()) run = value->shape();
    }
    for (int leaf = 0; leaf < LeafCountOf(i.operands[k]->shape); ++leaf) {
      const Shape& shape = LeafShape(i.operands[k]->shape, leaf);
      absl::flat_hash_map<int64_t, size_t> known;
      const auto add = [&](int64_t linear, ReadRole role) {
        if (!known.try_emplace(linear, result.reads.size()).second) return false;
        ++result.total;
        if (static_cast<int64_t>(result.reads.size()) < limits.reads) result.reads.push_back({{place.frame, i.operands[k], leaf, linear}, role});
        return true;
      };
      int64_t values = 0;
      bool exact = true;
      for (const Reach& reach : ReachOf(i, place.leaf, static_cast<int>(k), leaf)) {
        exact = exact && reach.exact;
        std::vector<int64_t> places;
        if (!reach.linear) {
          places = PlacesIn(shape, reach.relation.FromOf(here), limits.reads);
        } else if (place.linear < shape.ElementCount()) {
          places = {place.linear};
        }
        if (run.IsArray()) places = InRun(shape, run, places, false);
        const bool copies = reach.kind == Reach::Kind::kCopy || reach.kind == Reach::Kind::kOrdered;
        if (copies) {
          int64_t source = places.size() == 1 ? places[0] : -1;
          if (places.size() > 1) {
            // Equal ones are told apart by their order in the whole line.
            const std::vector<int64_t> line = PlacesIn(output, reach.relation.ToOf(PointBox(IndexOfPlace(shape, places[0]))), limits.reads);
            const absl::StatusOr<std::vector<int64_t>> sources = CopiedFrom(place.frame, i, static_cast<int>(k), place.leaf, places, line);
            if (!sources.ok()) return sources.status();
            const auto at = std::find(line.begin(), line.end(), place.linear);
            if (at != line.end()) source = (*sources)[at - line.begin()];
          }
          if (source >= 0) {
            if (reach.exact) result.moved = static_cast<int>(result.reads.size());
            add(source, ReadRole::kValue);
          }
          if (reach.kind == Reach::Kind::kCopy && source >= 0) continue;
        }
        const bool decides = copies || reach.kind == Reach::Kind::kDecides;
        for (int64_t linear : places) values += add(linear, decides ? ReadRole::kOrder : ReadRole::kValue) && !decides;
        if (copies && places.size() > 1) notes.push_back(absl::StrCat("placed by the order of ", places.size(), " elements of ", ShownName(*i.operands[k])));
      }
      if (values == 0) continue;
      const std::string verb = exact ? "depends on " : "depends at most on ";
      notes.push_back(absl::StrCat(verb == said ? "" : verb, Count(values, "element"), " of ", ShownName(*i.operands[k])));
      said = verb;
    }
  }
  result.note = absl::StrJoin(notes, ", ");
  if (result.reads.empty()) result.kind = SliceNode::kCreated;
  return result;
}

}  // namespace hloscope
