#include "visualizer/pictures/fold_story.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/element/scalar_eval.h"
#include "core/element/visit.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// The fold that an output is made of: the first that is met from its value down.
const Node* FoldOf(const Program& program, int output) {
  const Node* fold = nullptr;
  VisitNodes(*program.graph, {program.outputs[output].value}, [&](NodeId, const Node& node) {
    if (node.kind != NodeKind::kFold) return Visit::kInto;
    fold = &node;
    return Visit::kEnd;
  });
  return fold;
}

Scalar Combine(ScalarOp op, const Scalar& a, const Scalar& b) {
  const Scalar in[] = {a, b};
  return EvalScalarOp(op, a.type, 0, in);
}

constexpr int kLanes = 16;

}  // namespace

std::string FoldWord(ScalarOp op) {
  switch (op) {
    case ScalarOp::kAdd: return HLO_CAPTION("sum");
    case ScalarOp::kMultiply: return HLO_CAPTION("product");
    case ScalarOp::kMaximum: return HLO_CAPTION("maximum");
    case ScalarOp::kMinimum: return HLO_CAPTION("minimum");
    case ScalarOp::kAnd: return HLO_CAPTION("and");
    case ScalarOp::kOr: return HLO_CAPTION("or");
    default: return std::string(Name(op));
  }
}

std::optional<FoldStory> TellFold(const PictureScene& scene, const Relation& relation, int leaf, absl::Span<const int64_t> index, int64_t most) {
  ElementTracer* tracer = relation.tracer();
  if (tracer == nullptr || tracer->program().is_push || leaf >= static_cast<int>(tracer->program().outputs.size())) return std::nullopt;
  const Program& program = tracer->program();
  const Node* node = FoldOf(program, leaf);
  if (node == nullptr) return std::nullopt;
  const FoldInfo& info = program.graph->fold(*node);
  FoldStory story;
  story.extents = info.extents;
  story.total = 1;
  for (int64_t e : info.extents) story.total *= e;
  story.lanes = info.order == FoldOrder::kInterleaved16;
  const std::optional<ElementTracer::Terms> terms = tracer->TermsAt(leaf, index);
  bool complete = true;  // all values are there
  const ElementLoader load = [&](int operand, int64_t linear) -> absl::StatusOr<Scalar> {
    const PictureArray* array = scene.Find(OperandArray(operand));
    if (array == nullptr || !array->At(linear)) complete = false;
    return relation.loader()(operand, linear);
  };
  // What the fold starts from, and one term, as programs of their own.
  const auto make = [&](NodeId root, absl::Span<const int64_t> at) -> std::optional<TracedElement> {
    Program one;
    one.operands = program.operands;
    ExprGraph& graph = *one.graph;
    ExprGraph::Substitution substitution;
    substitution.index_map.assign(program.graph->var_count(), kNoNode);
    for (size_t d = 0; d < index.size(); ++d) substitution.index_map[d] = graph.IndexConstant(index[d]);
    for (size_t d = 0; d < at.size(); ++d) substitution.index_map[info.vars[d]] = graph.IndexConstant(at[d]);
    one.outputs.push_back({Shape::Scalar(program.graph->node(root).type), graph.Substitute(*program.graph, root, substitution)});
    ElementTracer once(one);
    absl::StatusOr<TracedElement> element = once.At(0, {}, load, 4096);
    if (!element.ok()) return std::nullopt;
    return *std::move(element);
  };
  const size_t own = static_cast<size_t>(leaf) < info.inits.size() ? static_cast<size_t>(leaf) : 0;
  if (const std::optional<TracedElement> init = make(info.inits[own], {}); init && complete) story.init = init->value;
  complete = true;
  story.single_op = terms.has_value();
  if (terms) story.op = terms->op;
  // Terms with values and reads. Where the body is more than one operation, what it reads is taken from the fold's bodies with nothing before.
  std::optional<ElementTracer> of_terms;
  if (terms) of_terms.emplace(terms->program);
  std::vector<std::optional<Scalar>> lanes(story.lanes ? kLanes : 1);
  if (!story.lanes) lanes[0] = story.init;
  std::vector<int64_t> at(info.extents.size());
  for (int64_t t = 0; t < std::min(story.total, most); ++t) {
    DelinearizeIndex(info.extents, t, absl::MakeSpan(at));
    FoldTerm term;
    term.at = at;
    complete = true;
    std::vector<TracedLoad> loads;
    if (of_terms) {
      const absl::StatusOr<TracedElement> element = of_terms->At(0, at, load, 4096);
      if (element.ok()) {
        loads = element->loads;
        if (complete) term.value = element->value;
      }
    } else {
      // The accumulator's part reads nothing: any value of it leads to the loads of this turn's elements, but for arms not taken.
      for (NodeId body : info.bodies) {
        ExprGraph::Substitution substitution;
        Program one;
        one.operands = program.operands;
        ExprGraph& graph = *one.graph;
        substitution.index_map.assign(program.graph->var_count(), kNoNode);
        for (size_t d = 0; d < index.size(); ++d) substitution.index_map[d] = graph.IndexConstant(index[d]);
        for (size_t d = 0; d < at.size(); ++d) substitution.index_map[info.vars[d]] = graph.IndexConstant(at[d]);
        one.outputs.push_back({Shape::Scalar(program.graph->node(body).type), graph.Substitute(*program.graph, body, substitution)});
        ElementTracer once(one);
        const absl::StatusOr<TracedElement> element = once.At(0, {}, load, 4096);
        if (!element.ok()) continue;
        for (const TracedLoad& l : element->loads) loads.push_back(l);
      }
    }
    for (const TracedLoad& l : loads) {
      const PictureArray* array = scene.Find(OperandArray(l.operand));
      if (array == nullptr) continue;
      Cell cell{array->id, std::vector<int64_t>(array->shape.rank())};
      DelinearizeIndex(array->shape.dimensions(), l.linear, absl::MakeSpan(cell.index));
      if (std::find(term.reads.begin(), term.reads.end(), cell) == term.reads.end()) term.reads.push_back(std::move(cell));
    }
    if (!of_terms && term.reads.size() == 1 && complete && !loads.empty()) term.value = loads[0].value;
    // What reads nothing at all, or only the initial value, lies on padding.
    bool array_read = false;
    for (const Cell& cell : term.reads) array_read = array_read || !cell.index.empty() || scene.operands().size() <= 2;
    term.passed_over = term.reads.empty() || !array_read;
    if (story.single_op && term.value) {
      std::optional<Scalar>& lane = lanes[story.lanes ? at.back() % kLanes : 0];
      if (lane) {
        lane = Combine(story.op, *lane, *term.value);
      } else if (story.lanes) {
        lane = *term.value;
      }
      term.running = lane;
    } else {
      lanes.assign(lanes.size(), std::nullopt);
    }
    story.terms.push_back(std::move(term));
  }
  if (story.lanes && story.total <= most && story.single_op) {
    story.joins.push_back(lanes);
    for (int half = kLanes / 2; half >= 1; half /= 2) {
      std::vector<std::optional<Scalar>> next;
      for (int l = 0; l < half; ++l) {
        const auto &a = story.joins.back()[l], &b = story.joins.back()[l + half];
        next.push_back(a && b ? std::optional<Scalar>(Combine(story.op, *a, *b)) : std::nullopt);
      }
      story.joins.push_back(std::move(next));
    }
  }
  return story;
}

void RunReducer(const PictureScene& scene, const Computation& reducer, int arrays, const std::function<std::optional<std::vector<int64_t>>(const FoldTerm&)>& element,
                FoldStory* story) {
  const size_t n = static_cast<size_t>(arrays);
  if (story->lanes || n == 0 || reducer.parameters.size() != 2 * n || scene.operands().size() < 2 * n) return;
  Program program;
  std::vector<NodeId> arguments;
  for (const Instruction* parameter : reducer.parameters) {
    if (!parameter->shape.IsScalar()) return;
    const ElementType type = parameter->shape.element_type();
    arguments.push_back(program.graph->Load(static_cast<int32_t>(program.operands.size()), type, {}));
    program.operands.push_back(Shape::Scalar(type));
  }
  const absl::StatusOr<std::vector<NodeId>> roots = InlineScalarComputation(*program.graph, reducer, arguments);
  if (!roots.ok() || roots->size() != n) return;
  for (NodeId root : *roots) program.outputs.push_back({Shape::Scalar(program.graph->node(root).type), root});
  ElementTracer tracer(program);
  std::vector<Scalar> in(2 * n), next(n);
  const ElementLoader load = [&in](int operand, int64_t) -> absl::StatusOr<Scalar> { return in[static_cast<size_t>(operand)]; };
  const auto take = [&](size_t argument, int array, absl::Span<const int64_t> index) {
    const std::optional<Scalar> s = scene.operand(array).At(index);
    if (s) in[argument] = ConvertScalar(*s, program.operands[argument].element_type());
    return s.has_value();
  };
  bool known = true;
  for (size_t k = 0; k < n; ++k) known = known && take(k, arrays + static_cast<int>(k), {});
  for (FoldTerm& term : story->terms) {
    const std::optional<std::vector<int64_t>> at = element(term);
    term.reads.clear();
    term.passed_over = !at;
    if (at) {
      for (size_t k = 0; k < n; ++k) {
        term.reads.push_back({OperandArray(static_cast<int>(k)), *at});
        known = take(n + k, static_cast<int>(k), *at) && known;
      }
      for (size_t k = 0; known && k < n; ++k) next[k] = ConvertScalar(tracer.Start(static_cast<int>(k), {}, load), program.operands[k].element_type());
      for (size_t k = 0; known && k < n; ++k) in[k] = next[k];
    }
    if (known) term.parts.assign(in.begin(), in.begin() + arrays);
  }
}

GridSpec FoldStrip(const FoldStory& story, int array, std::vector<FoldRow> rows, int step, std::function<std::string(const FoldTerm&)> label) {
  GridSpec spec;
  spec.array = array;
  spec.dims = {static_cast<int64_t>(rows.size()), static_cast<int64_t>(story.terms.size())};
  spec.axes = {{"", Ink::kDim}, {"", Ink::kDim}};
  spec.rows = 0;
  spec.columns = 1;
  spec.only_numbers = true;
  spec.label = [rows, &story, label](int dim, int64_t i) {
    if (dim == 0) return rows[i].name;
    return i < static_cast<int64_t>(story.terms.size()) ? label(story.terms[i]) : std::string();
  };
  const auto counted = std::find_if(story.terms.begin(), story.terms.end(), [](const FoldTerm& t) { return !t.passed_over; });
  if (step >= 0) spec.focus = {0, step};
  else if (counted != story.terms.end()) spec.focus = {0, counted - story.terms.begin()};  // what is only passed over comes before it
  spec.cell = [rows, &story, array, step](absl::Span<const int64_t> index) {
    GridCell cell;
    cell.cell = {array, {index[0], index[1]}};
    const FoldTerm& term = story.terms[index[1]];
    const bool later = step >= 0 && index[1] > step;
    if (const std::optional<Scalar> s = rows[index[0]].number(term); s && !later) {
      cell.Take(*s);
      cell.hint = absl::StrCat(rows[index[0]].name, " = ", ToText(*s));
    }
    if (term.passed_over) cell.state = CellState::kPadding;
    if (step >= 0 && index[1] == step) cell.mark = CellMark::kNow;
    if (step >= 0 && index[1] < step) cell.mark = CellMark::kDone;
    return cell;
  };
  return spec;
}

FoldRow RunningRow(const Captions& tr, const FoldStory& story) {
  const std::string word = tr(FoldWord(story.op));
  return {story.lanes ? tr("lane's $0", word) : word, [](const FoldTerm& t) { return t.running; }};
}

GridSpec FoldJoins(const Captions& tr, const FoldStory& story, int array) {
  GridSpec spec;
  spec.array = array;
  spec.title = tr("the sixteen lanes, joined pairwise");
  spec.dims = {static_cast<int64_t>(story.joins.size()), 16};
  spec.axes = {{"", Ink::kDim}, {tr("lane"), Ink::kDim}};
  spec.only_numbers = true;
  spec.label = [&tr](int dim, int64_t i) {
    static constexpr const char* kRows[] = {HLO_CAPTION("total"), "l + 8", "l + 4", "l + 2", "l + 1"};
    return dim == 0 ? tr(kRows[std::min<int64_t>(i, 4)]) : absl::StrCat(i);
  };
  spec.cell = [&tr, &story, array](absl::Span<const int64_t> index) {
    GridCell cell;
    cell.cell = {array, {index[0], index[1]}};
    const auto& row = story.joins[index[0]];
    if (index[1] >= static_cast<int64_t>(row.size())) {
      cell.state = CellState::kAbsent;
      return cell;
    }
    cell.tint = Paint(GroupInk(static_cast<int>(index[1])), 0.2f);
    if (const auto& s = row[index[1]]) {
      cell.Take(*s);
      cell.hint = index[0] == 0 ? tr("lane $0 in all: $1", index[1], ToText(*s))
                                : tr("lanes $0 and $1 of the row above: $2", index[1], index[1] + (16 >> index[0]), ToText(*s));
    }
    return cell;
  };
  return spec;
}

std::string JoinsText(const Captions& tr) {
  return tr("The first row is what each lane comes to; in each row below, lane l takes the lane that the row names. Lane 0 of the last then takes the initial value.");
}

bool AddsInItsOwnOrder(const PictureScene& scene) {
  const ElementType type = scene.result().shape.element_type();
  return (IsFloat(type) || IsComplex(type)) && scene.data().library_order != nullptr && scene.data().library_order();
}

std::string OwnOrderText(const Captions& tr) {
  return tr("The sum is told in the order as written; the library has its own, so the result may differ from the last sum.");
}

}  // namespace hloscope
