// A reader is found by halving the result as long as a part may read the element; the program's intervals decide, and where they leave a
// single element open it is evaluated and watched.
#include "visualizer/pictures/relation.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/element/visit.h"
#include "core/literal/relayout.h"
#include "core/ops/op.h"
#include "core/ops/reach.h"
#include "core/shape/index_box.h"

namespace hloscope {

// ---- Related ----

int64_t Related::Box::count() const {
  int64_t n = 1;
  for (size_t d = 0; d < low.size(); ++d) n *= std::max<int64_t>(0, high[d] - low[d] + 1);
  return n;
}

void Related::Add(const PictureArray& array, int64_t linear, LoadRole role) {
  const auto [entry, fresh] = roles_.try_emplace(CellKey{array.id, linear}, role);
  if (!fresh) {
    entry->second = std::max(entry->second, role);
    return;
  }
  dims_.try_emplace(array.id, std::vector<int64_t>(array.shape.dimensions().begin(), array.shape.dimensions().end()));
  std::vector<int64_t> index(array.shape.rank());
  DelinearizeIndex(array.shape.dimensions(), linear, absl::MakeSpan(index));
  cells_.push_back({{array.id, std::move(index)}, role});
}

std::optional<LoadRole> Related::RoleOf(const Cell& cell) const {
  if (const auto dims = dims_.find(cell.array); dims != dims_.end() && dims->second.size() == cell.index.size()) {
    const auto entry = roles_.find(CellKey{cell.array, LinearIndex(dims->second, cell.index)});
    if (entry != roles_.end()) return entry->second;
  }
  for (const Box& box : boxes_) {
    if (box.array != cell.array || box.low.size() != cell.index.size()) continue;
    bool inside = true;
    for (size_t d = 0; d < box.low.size(); ++d) inside = inside && cell.index[d] >= box.low[d] && cell.index[d] <= box.high[d];
    if (inside) return box.role;
  }
  return std::nullopt;
}

int64_t Related::total() const {
  int64_t total = static_cast<int64_t>(cells_.size());
  for (const Box& box : boxes_) total += box.count();
  return total;
}

std::vector<Cell> Related::List(size_t most) const {
  std::vector<Cell> list;
  for (const Single& s : cells_) {
    if (list.size() >= most) return list;
    list.push_back(s.cell);
  }
  for (const Box& box : boxes_) {
    std::vector<int64_t> index = box.low;
    for (int64_t n = box.count(); n > 0; --n) {
      if (list.size() >= most) return list;
      list.push_back({box.array, index});
      for (size_t d = index.size(); d-- > 0;) {
        if (++index[d] <= box.high[d]) break;
        index[d] = box.low[d];
      }
    }
  }
  return list;
}

std::optional<std::vector<int64_t>> Related::FirstOf(int array) const {
  for (const Single& s : cells_) {
    if (s.cell.array == array) return s.cell.index;
  }
  for (const Box& box : boxes_) {
    if (box.array == array) return box.low;
  }
  return std::nullopt;
}

// ---- Relation ----

Relation::Relation(const PictureScene& scene, Limits limits) : scene_(scene), limits_(limits) {
  const Instruction& i = scene.instruction();
  const OpDef& def = Def(i);
  const bool of_tuples = def.op_class == OpClass::kPull && def.evaluate != nullptr && !i.shape.IsArray();
  if ((def.op_class == OpClass::kPull || def.op_class == OpClass::kPush) && !of_tuples) {
    if (absl::StatusOr<Program> program = ElementProgram(i); program.ok()) tracer_ = std::make_unique<ElementTracer>(*program);
  }
  if (tracer_ == nullptr) leaves_ = SourcesOfLeaves(i);
  load_ = [this](int operand, int64_t linear) -> absl::StatusOr<Scalar> {
    const PictureArray* array = scene_.Find(OperandArray(operand));
    if (array != nullptr) {
      if (const std::optional<Scalar> s = array->At(linear)) return *s;
    }
    // Values that are not there yet count as zero where they only are numbers; where they decide, nothing can be said.
    missing_ = true;
    if (tracer_->RoleOf(operand) == LoadRole::kIndex) return absl::UnavailableError(scene_.captions()("the values of $0 are not there yet", array != nullptr ? array->name : scene_.captions()("an operand")));
    Scalar zero;
    zero.type = tracer_->program().operands[operand].element_type();
    return zero;
  };
}

std::vector<int> Relation::MovedTo(int leaf) const {
  std::vector<int> moved;
  if (tracer_ == nullptr || tracer_->program().is_push || leaf >= static_cast<int>(tracer_->program().outputs.size())) return {};
  const ExprGraph& graph = *tracer_->program().graph;
  std::vector<NodeId> open = {tracer_->program().outputs[static_cast<size_t>(leaf)].value};
  while (!open.empty()) {
    const Node& node = graph.node(open.back());
    open.pop_back();
    if (node.kind == NodeKind::kLoad) {
      moved.push_back(node.operand);
    } else if (node.kind == NodeKind::kSelect) {
      open.insert(open.end(), node.inputs.begin() + 1, node.inputs.end());
    } else if (node.kind != NodeKind::kConstant) {
      return {};
    }
  }
  return moved;
}

bool Relation::ChoosesByOld() const {
  const ExprGraph& graph = *tracer_->program().graph;
  return !VisitNodes(graph, tracer_->program().push.combined, [&](NodeId, const Node& node) {
    if (node.kind != NodeKind::kSelect) return Visit::kInto;
    const absl::Span<const int32_t> free = graph.FreeVars(node.inputs[0]);
    return std::any_of(free.begin(), free.end(), [](int32_t v) { return v < 0; }) ? Visit::kEnd : Visit::kInto;
  });
}

void Relation::ReadsOfProgram(int output, absl::Span<const int64_t> index, Related* found) const {
  const Program& program = tracer_->program();
  const absl::StatusOr<TracedElement> element = tracer_->At(output, index, load_, limits_.points);
  if (element.ok()) {
    for (const TracedLoad& load : element->loads) {
      if (const PictureArray* array = scene_.Find(OperandArray(load.operand))) found->Add(*array, load.linear, load.role);
    }
    return;
  }
  found->exact = false;
  if (!absl::IsResourceExhausted(element.status()) || program.is_push) {
    found->note = scene_.captions()(element.status().message());
    return;
  }
  // Too many terms to walk: the ranges that it reads.
  found->note = scene_.captions()("it is made from more than $0 terms: their ranges are shown", limits_.points);
  for (size_t k = 0; k < program.operands.size(); ++k) {
    const std::optional<LoadRole> role = tracer_->RoleOf(static_cast<int>(k));
    if (!role) continue;
    for (const ElementTracer::Reach& reach : tracer_->ReachOf(output, index, index, static_cast<int>(k), load_)) {
      Related::Box box;
      box.array = OperandArray(static_cast<int>(k));
      box.role = *role;
      for (const ElementTracer::Dim& dim : reach.dims) {
        box.low.push_back(dim.low);
        box.high.push_back(dim.high);
      }
      found->AddBox(std::move(box));
    }
  }
}

Related Relation::Reads(int leaf, absl::Span<const int64_t> index) const {
  Related found;
  const Instruction& i = scene_.instruction();
  missing_ = false;
  if (tracer_ != nullptr) {
    ReadsOfProgram(leaf, index, &found);
    if (missing_ && found.note.empty()) found.note = scene_.captions()("some operands have no values yet");
    return found;
  }
  const PictureArray* result = scene_.Find(kResultArray + leaf);
  if (result == nullptr) return found;
  const int64_t linear = LinearIndex(result->shape.dimensions(), index);
  if (!leaves_.empty()) {
    const LeafSource source = leaves_[leaf];
    const PictureArray* array = source.operand < 0 ? nullptr : scene_.Find(OperandArray(source.operand, source.leaf));
    if (array != nullptr) found.Add(*array, linear, LoadRole::kValue);
    return found;
  }
  const OpDef& def = Def(i);
  if (def.control != ControlKind::kNone) {
    found.exact = false;
    found.note = scene_.captions()("what its elements read is decided in the computations that it runs: step into them");
    return found;
  }
  if (def.op_class == OpClass::kPull && def.evaluate != nullptr) {  // tuples, copied or chosen between
    for (size_t k = i.operands.size() == 3 ? 1 : 0; k < i.operands.size(); ++k) {
      if (i.operands.size() == 3 && k > 0) {
        const std::optional<Scalar> pred = scene_.operand(0).At(0);
        if (k == 1) found.Add(scene_.operand(0), 0, LoadRole::kPredicate);
        if (!pred || (pred->i != 0) != (k == 1)) continue;
      }
      if (const PictureArray* array = scene_.Find(OperandArray(static_cast<int>(k), leaf))) found.Add(*array, linear, LoadRole::kValue);
    }
    return found;
  }
  OpaqueReads(*result, index, &found);
  return found;
}

namespace {

LoadRole RoleOf(const Reach& reach) { return reach.kind == Reach::Kind::kDecides ? LoadRole::kIndex : LoadRole::kValue; }

bool IsCopy(const Reach& reach) { return reach.kind == Reach::Kind::kCopy || reach.kind == Reach::Kind::kOrdered; }

}  // namespace

// For each of `to` in the result's leaf the one of `from` that it is a copy of; none where values are not there.
std::optional<std::vector<int64_t>> Relation::Copies(int operand, int leaf, absl::Span<const int64_t> from, absl::Span<const int64_t> to) const {
  std::vector<Value> operands;
  for (const Value& v : scene_.data().operands) {
    if (!v.has_value()) return std::nullopt;
    operands.push_back(ToDense(v));
  }
  if (!scene_.data().result.has_value()) return std::nullopt;
  const Value result = scene_.data().result.shape().IsArray() ? ToDense(scene_.data().result) : scene_.data().result;
  return CopiedFrom(scene_.instruction(), operands, result, operand, leaf, from, to);
}

void Relation::OpaqueReads(const PictureArray& result, absl::Span<const int64_t> index, Related* found) const {
  const int leaf = result.id - kResultArray;
  const int64_t linear = LinearIndex(result.shape.dimensions(), index);
  for (const PictureArray& operand : scene_.operands()) {
    const int k = operand.id % kOperandLeaf;
    for (const Reach& reach : ReachOf(scene_.instruction(), leaf, k, operand.id / kOperandLeaf)) {
      if (!reach.exact) {
        found->exact = false;
        found->note = scene_.captions()("the operation works on the whole: these are the elements that it may read");
      }
      if (reach.linear) {
        if (linear < operand.shape.ElementCount()) found->Add(operand, linear, RoleOf(reach));
        continue;
      }
      const std::vector<IndexBox> boxes = reach.relation.FromOf(PointBox(index));
      const std::vector<int64_t> places = PlacesIn(operand.shape, boxes, limits_.points);
      int64_t source = -1;
      if (IsCopy(reach) && places.size() > 1) {
        const std::vector<int64_t> line = PlacesIn(result.shape, reach.relation.ToOf(PointBox(boxes[0].low)), limits_.points);
        const auto copies = Copies(k, leaf, places, line);
        const auto at = std::find(line.begin(), line.end(), linear);
        if (copies && at != line.end()) source = (*copies)[at - line.begin()];
      }
      if (source >= 0) found->Add(operand, source, LoadRole::kValue);
      if (reach.kind == Reach::Kind::kCopy && source >= 0) continue;
      if (reach.kind == Reach::Kind::kCopy && places.size() > 1) {
        found->exact = false;
        found->note = scene_.captions()("the operation works on the whole: these are the elements that it may read");
      }
      for (int64_t place : places) found->Add(operand, place, source >= 0 ? LoadRole::kIndex : RoleOf(reach));
    }
  }
}

void Relation::OpaqueReaders(const PictureArray& from, const PictureArray& result, int operand, int operand_leaf, absl::Span<const int64_t> index, Related* found) const {
  const int leaf = result.id - kResultArray;
  const int64_t linear = LinearIndex(from.shape.dimensions(), index);
  for (const Reach& reach : ReachOf(scene_.instruction(), leaf, operand, operand_leaf)) {
    if (!reach.exact) {
      found->exact = false;
      found->note = scene_.captions()("the operation works on the whole: these are the elements that may read it");
    }
    if (reach.linear) {
      if (linear < result.shape.ElementCount()) found->Add(result, linear, RoleOf(reach));
      continue;
    }
    const std::vector<IndexBox> boxes = reach.relation.ToOf(PointBox(index));
    if (boxes.empty()) continue;
    const std::vector<int64_t> places = PlacesIn(result.shape, boxes, limits_.points);
    std::optional<std::vector<int64_t>> copies;
    if (IsCopy(reach)) {
      const std::vector<int64_t> line = PlacesIn(from.shape, reach.relation.FromOf(PointBox(boxes[0].low)), limits_.points);
      if (line.size() > 1) copies = Copies(operand, leaf, line, places);
      if (line.size() > 1 && !copies && reach.kind == Reach::Kind::kCopy) {
        found->exact = false;
        found->note = scene_.captions()("the operation works on the whole: these are the elements that may read it");
      }
    }
    for (size_t p = 0; p < places.size(); ++p) {
      const bool known = copies && (*copies)[p] >= 0, own = known && (*copies)[p] == linear;
      if (known && !own && reach.kind == Reach::Kind::kCopy) continue;
      found->Add(result, places[p], known && !own ? LoadRole::kIndex : RoleOf(reach));
    }
  }
}

void Relation::AddReaders(int output, int operand, absl::Span<const int64_t> index, Search* search, Related* found) const {
  const Program& program = tracer_->program();
  const Shape& shape = program.outputs[output].shape;
  const int64_t linear = LinearIndex(program.operands[operand].dimensions(), index);
  if (shape.ElementCount() == 0 || !tracer_->RoleOf(operand)) return;
  const auto touches = [&](const ElementTracer::Reach& reach) {
    for (size_t d = 0; d < reach.dims.size(); ++d) {
      if (index[d] < reach.dims[d].low || index[d] > reach.dims[d].high) return false;
    }
    return true;
  };
  // All of the part's elements read it, whatever else they read.
  const auto certain = [&](const ElementTracer::Reach& reach) {
    if (!reach.certain) return false;
    for (const ElementTracer::Dim& dim : reach.dims) {
      if (!dim.free && dim.low != dim.high) return false;
    }
    return true;
  };
  // A window's places are looked at one by one: at its border a part of it is padding, and that leaves open what is read in the others.
  const std::vector<ElementTracer::FixedVars> choices = tracer_->FoldChoices(output, 64);
  IndexBox whole;
  for (int64_t extent : shape.dimensions()) {
    whole.low.push_back(0);
    whole.high.push_back(extent - 1);
  }
  const LoadRole role = *tracer_->RoleOf(operand);
  std::vector<IndexBox> parts = {whole};
  while (!parts.empty()) {
    const IndexBox part = std::move(parts.back());
    parts.pop_back();
    bool may = false, all = false;
    uint64_t open = 0;
    for (const ElementTracer::Reach& reach : tracer_->ReachOf(output, part.low, part.high, operand, load_)) {
      if (!touches(reach)) continue;
      may = true;
      all = all || certain(reach);
      for (const ElementTracer::Dim& dim : reach.dims) {
        if (!dim.free && dim.low != dim.high) open |= dim.vars;
      }
    }
    if (!may) continue;
    bool in_some = choices.empty();
    for (size_t c = 0; c < choices.size() && !all; ++c) {
      for (const ElementTracer::Reach& reach : tracer_->ReachOf(output, part.low, part.high, operand, load_, choices[c])) {
        if (!touches(reach)) continue;
        in_some = true;
        all = all || certain(reach);
      }
    }
    if (!all && !in_some) continue;
    if (all || ++search->parts > limits_.parts) {
      if (!all) {
        found->exact = false;
        found->note = scene_.captions()("there are too many parts to look at: some of these may not read it");
      }
      found->AddBox({kResultArray + output, part.low, part.high, role});
      continue;
    }
    if (auto halves = Halves(part, open)) {
      parts.push_back(std::move(halves->second));
      parts.push_back(std::move(halves->first));
      continue;
    }
    // One element: see what it loads. Of programs with updates only what it starts as is meant.
    bool reads = true;
    LoadRole as = role;
    if (program.is_push) {
      reads = false;
      const ElementLoader watch = [&](int k, int64_t at) -> absl::StatusOr<Scalar> {
        reads = reads || (k == operand && at == linear);
        return load_(k, at);
      };
      tracer_->Start(output, part.low, watch);
    } else if (search->points < 8 * limits_.points) {
      const absl::StatusOr<TracedElement> element = tracer_->At(output, part.low, load_, limits_.points);
      if (element.ok()) {
        search->points += static_cast<int64_t>(element->loads.size()) + 1;
        reads = false;
        for (const TracedLoad& l : element->loads) {
          if (l.operand != operand || l.linear != linear) continue;
          reads = true;
          as = l.role;
        }
      } else {
        found->exact = false;
        found->note = scene_.captions()(element.status().message());
      }
    } else {
      found->exact = false;
      found->note = scene_.captions()("there are too many elements to look at: some of these may not read it");
    }
    if (reads) found->AddBox({kResultArray + output, part.low, part.high, as});
  }
}

// What an update overwrites without reading it is not influenced by what was there before.
void Relation::UpdatedReaders(int output, int operand, absl::Span<const int64_t> index, Related* found) const {
  const Program& program = tracer_->program();
  const int64_t linear = LinearIndex(program.operands[operand].dimensions(), index);
  Search search;
  // Updates of several outputs may read each other's elements, and what they start as.
  Related started;
  const std::vector<bool> needed = tracer_->OutputsNeededFor(output);
  for (size_t o = 0; o < program.outputs.size(); ++o) {
    if (!needed[o]) continue;
    Related of_output;
    AddReaders(static_cast<int>(o), operand, index, &search, &of_output);
    started.exact = started.exact && of_output.exact;
    for (const Cell& cell : of_output.List(static_cast<size_t>(limits_.points))) {
      started.Add(*scene_.Find(kResultArray), LinearIndex(program.outputs[0].shape.dimensions(), cell.index), LoadRole::kValue);
    }
    if (of_output.total() > limits_.points) started.exact = false;
  }
  const PictureArray* result = scene_.Find(kResultArray + output);
  if (result == nullptr) return;
  found->exact = started.exact;
  if (tracer_->push_points() > limits_.points) {
    found->exact = false;
    found->note = scene_.captions()("there are $0 updates, too many to look at", tracer_->push_points());
    for (const Cell& cell : started.List(static_cast<size_t>(limits_.points))) found->Add(*result, LinearIndex(result->shape.dimensions(), cell.index), LoadRole::kValue);
    return;
  }
  const bool uses_old = tracer_->UsesOld(output);
  absl::flat_hash_map<int64_t, std::optional<LoadRole>> touched;  // by target
  for (int64_t t = 0; t < tracer_->push_points(); ++t) {
    std::vector<TracedLoad> loads;
    const absl::StatusOr<int64_t> target = tracer_->PushPoint(t, load_, &loads, &needed);
    if (!target.ok()) {
      found->exact = false;
      found->note = scene_.captions()(target.status().message());
      return;
    }
    if (*target < 0) continue;
    std::optional<LoadRole> role;
    for (const TracedLoad& l : loads) {
      if (l.operand == operand && l.linear == linear) role = l.role;
    }
    std::optional<LoadRole>& now = touched[*target];
    if (!uses_old) {
      now = role;
    } else if (role) {
      now = now ? std::max(*now, *role) : *role;
    }
  }
  if (ChoosesByOld()) {
    // What is loaded depends on what was there before: each element that is hit is walked through.
    if (static_cast<int64_t>(touched.size()) * tracer_->push_points() > 8 * limits_.points) {
      found->exact = false;
      found->note = scene_.captions()("which updates are read depends on what was there before");
    } else {
      for (auto& [at, role] : touched) {
        std::vector<int64_t> target(result->shape.rank());
        DelinearizeIndex(result->shape.dimensions(), at, absl::MakeSpan(target));
        role.reset();
        const absl::StatusOr<TracedElement> element = tracer_->At(output, target, load_, limits_.points);
        if (!element.ok()) continue;
        for (const TracedLoad& l : element->loads) {
          if (l.operand == operand && l.linear == linear) role = l.role;
        }
      }
    }
  }
  std::vector<std::pair<int64_t, LoadRole>> all;
  for (const Cell& cell : started.List(static_cast<size_t>(limits_.points))) {
    const int64_t at = LinearIndex(result->shape.dimensions(), cell.index);
    if (uses_old || !touched.contains(at)) all.push_back({at, LoadRole::kValue});
  }
  for (const auto& [at, role] : touched) {
    if (role) all.push_back({at, *role});
  }
  std::sort(all.begin(), all.end());
  for (const auto& [at, role] : all) found->Add(*result, at, role);
}

Related Relation::Readers(int operand, int operand_leaf, absl::Span<const int64_t> index) const {
  Related found;
  const Instruction& i = scene_.instruction();
  const PictureArray* from = scene_.Find(OperandArray(operand, operand_leaf));
  if (from == nullptr) return found;
  missing_ = false;
  if (tracer_ != nullptr) {
    Search search;
    for (size_t o = 0; o < tracer_->program().outputs.size(); ++o) {
      if (tracer_->program().is_push) {
        UpdatedReaders(static_cast<int>(o), operand, index, &found);
      } else {
        AddReaders(static_cast<int>(o), operand, index, &search, &found);
      }
    }
    if (missing_ && found.note.empty()) found.note = scene_.captions()("some operands have no values yet");
    return found;
  }
  const int64_t linear = LinearIndex(from->shape.dimensions(), index);
  if (!leaves_.empty()) {
    for (size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      const PictureArray* to = scene_.Find(kResultArray + static_cast<int>(leaf));
      if (to != nullptr && leaves_[leaf].operand == operand && leaves_[leaf].leaf == operand_leaf) found.Add(*to, linear, LoadRole::kValue);
    }
    return found;
  }
  const OpDef& def = Def(i);
  if (def.control != ControlKind::kNone) {
    found.exact = false;
    found.note = scene_.captions()("what reads it is decided in the computations that it runs: step into them");
    return found;
  }
  for (const PictureArray& result : scene_.results()) {
    const int leaf = result.id - kResultArray;
    if (def.op_class == OpClass::kPull && def.evaluate != nullptr) {
      const bool chooses = i.operands.size() == 3;
      const std::optional<Scalar> pred = chooses ? scene_.operand(0).At(0) : std::nullopt;
      if (chooses && operand == 0) {
        Related::Box box{result.id, std::vector<int64_t>(result.shape.rank(), 0), {}, LoadRole::kPredicate};
        for (int64_t d : result.shape.dimensions()) box.high.push_back(d - 1);
        found.AddBox(std::move(box));
      } else if (operand_leaf == leaf && (!chooses || (pred && (pred->i != 0) == (operand == 1)))) {
        found.Add(result, linear, LoadRole::kValue);
      }
      continue;
    }
    OpaqueReaders(*from, result, operand, operand_leaf, index, &found);
  }
  return found;
}

Related Relation::Of(const Cell& cell) const {
  if (!scene_.Has(cell)) return Related();
  if (const int leaf = cell.array - kResultArray; leaf >= 0 && leaf < kOwnArray - kResultArray) return Reads(leaf, cell.index);
  return Readers(cell.array % kOperandLeaf, cell.array / kOperandLeaf, cell.index);
}

std::string Relation::Formula(int leaf, absl::Span<const int64_t> index, bool numbers) const {
  if (tracer_ == nullptr || leaf >= static_cast<int>(tracer_->program().outputs.size())) return "";
  return tracer_->Formula(leaf, index, scene_.OperandNames(), numbers, load_);
}

std::string Relation::BoundsFormula() const {
  const Instruction& written = *scene_.data().instruction;
  if (tracer_ == nullptr || &written == &scene_.instruction()) return "";
  const absl::StatusOr<Program> program = ElementProgram(written);
  if (!program.ok()) return "";
  std::string formula = ToFormula(*program, scene_.OperandNames());
  return formula == GeneralFormula() ? "" : formula;
}

std::string Relation::GeneralFormula() const { return tracer_ == nullptr ? "" : ToFormula(tracer_->program(), scene_.OperandNames()); }

}  // namespace hloscope
