#include "visualizer/export/page_data.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/debug/explain.h"
#include "core/debug/locations.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"
#include "visualizer/export/graph_choice.h"
#include "visualizer/export/graph_drawing.h"
#include "visualizer/graph/tint.h"

namespace hloscope {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostText = 600;      // of an instruction
constexpr int kMostFrames = 4;         // of Python
constexpr int kMostFormulas = 6000;    // instructions of a program whose formulas are printed
constexpr size_t kMostOpened = 600;    // boxes, for what is marked
constexpr int kMostLeaves = 8;         // of a tuple's values

// Texts that many have: each once, in the order first met.
class Texts {
 public:
  int operator()(absl::string_view text) {
    const auto [it, fresh] = known_.try_emplace(std::string(text), static_cast<int>(list_.size()));
    if (fresh) list_.push_back(std::string(text));
    return it->second;
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  absl::flat_hash_map<std::string, int> known_;
  std::vector<std::string> list_;
};

std::string Hex(const TintColor& color, PaletteScheme scheme) { return absl::StrFormat("#%06x", Rgb(color, scheme)); }

ordered_json LegendJson(const std::vector<TintLegendRow>& rows) {
  ordered_json out = ordered_json::array();
  for (const TintLegendRow& row : rows) out.push_back({row.text, Hex(row.color, PaletteScheme::kDark), Hex(row.color, PaletteScheme::kLight)});
  return out;
}

ordered_json NumberJson(double x) { return std::isfinite(x) ? ordered_json::parse(absl::StrFormat("%.6g", x)) : ordered_json(FormatDouble(x)); }

class PageWriter {
 public:
  explicit PageWriter(const GraphPageInput& input) : in_(input), h_(*input.hierarchy), module_(h_.module()) {}

  std::string Write() {
    out_["version"] = in_.version;
    out_["module"] = module_.name;
    out_["file"] = in_.file;
    out_["color"] = in_.color;
    out_["classes"] = LegendJson(ClassLegend());
    out_["families"] = LegendJson(FamilyLegend());
    PutInstructions();
    PutComputations();
    PutNodes();
    PutRun();
    PutStart();
    PutMarked();
    PutScene();
    out_["notes"] = in_.notes;
    if (hurried_)
      out_["notes"].push_back(absl::StrCat("Laying out took more than ", in_.layout_seconds,
                                           " s: the rest of the levels is laid out the fast way, with more crossings."));
    return out_.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

 private:
  std::string TextOf(const Instruction& i) const {
    if (module_.source == nullptr || !i.range.valid()) return "";
    const absl::string_view text = module_.source->text();
    if (i.range.end <= i.range.begin || static_cast<size_t>(i.range.end) > text.size()) return "";
    return Cut(text.substr(i.range.begin, std::min<size_t>(i.range.end - i.range.begin, kMostText * 2)), kMostText);
  }

  // "model.py:12 (attend)", innermost first, and the line's text where the file was found.
  int SourceOf(const Instruction& i) {
    std::string places;
    int frames = 0;
    for (const PythonFrame& frame : module_.PythonFrames(i)) {
      if (++frames > kMostFrames) break;
      absl::StrAppend(&places, places.empty() ? "" : "\n", frame.file, ":", frame.line, frame.function.empty() ? "" : absl::StrCat("  ", frame.function));
    }
    if (places.empty()) return -1;
    const int number = sources_(places);
    if (number == static_cast<int>(source_lines_.size())) source_lines_.push_back(in_.sources == nullptr ? "" : in_.sources->TextOf(module_, SourceLineOf(module_, i)));
    return number;
  }

  void PutInstructions() {
    std::string names, classes, families, texts;
    ordered_json op = ordered_json::array(), shape = op, scope = op, source = op, operands = op, lines = op, cut = op;
    ordered_json called = ordered_json::object(), after = called, formulas = called;
    Texts ops, shapes, scopes;
    const bool with_formulas = h_.instruction_count() <= kMostFormulas;
    for (int k = 0; k < h_.instruction_count(); ++k) {
      const Instruction& i = h_.At(k);
      absl::StrAppend(&names, k > 0 ? "\n" : "", NameInText(i));
      absl::StrAppend(&texts, k > 0 ? "\n" : "", TextOf(i));
      classes += static_cast<char>('0' + ClassOf(i));
      families += static_cast<char>('0' + FamilyOf(i.shape));
      op.push_back(ops(Name(i.opcode)));
      const int shape_number = shapes(i.shape.ToString(true));
      if (shape_number == static_cast<int>(shape_bytes_.size())) shape_bytes_.push_back(i.shape.ByteSize());
      shape.push_back(shape_number);
      scope.push_back(scopes(i.metadata.op_name));
      source.push_back(SourceOf(i));
      lines.push_back(LineOf(module_, i));
      ordered_json read = ordered_json::array();
      for (const Instruction* operand : i.operands) {
        if (operand != nullptr && operand->index >= 0) read.push_back(k - h_.Number(*operand));  // small numbers pack well
      }
      operands.push_back(std::move(read));
      for (const Instruction* before : i.control_predecessors) {
        if (before != nullptr && before->index >= 0) after[std::to_string(k)].push_back(h_.Number(*before));
      }
      const std::vector<const Computation*> calls = Hierarchy::Called(i);
      if (!calls.empty()) {
        const ControlKind control = Def(i).control;
        ordered_json entry = {control == ControlKind::kWhile ? 1 : control == ControlKind::kConditional ? 2 : 0};
        for (const Computation* c : calls) entry.push_back(c->id);
        called[std::to_string(k)] = std::move(entry);
      }
      if (with_formulas) {
        if (std::string formula = InstructionFormula(i); !formula.empty()) formulas[std::to_string(k)] = std::move(formula);
      }
    }
    out_["ops"] = ops.list();
    out_["shapes"] = shapes.list();
    out_["shapeBytes"] = shape_bytes_;
    out_["scopes"] = scopes.list();
    out_["sources"] = sources_.list();
    out_["sourceLines"] = source_lines_;
    out_["names"] = names;
    out_["texts"] = texts;
    out_["classOf"] = classes;
    out_["familyOf"] = families;
    out_["op"] = std::move(op);
    out_["shape"] = std::move(shape);
    out_["scope"] = std::move(scope);
    out_["source"] = std::move(source);
    out_["line"] = std::move(lines);
    out_["operands"] = std::move(operands);
    out_["called"] = std::move(called);
    out_["after"] = std::move(after);
    out_["formulas"] = std::move(formulas);
  }

  void PutComputations() {
    ordered_json list = ordered_json::array();
    for (const Computation* c : module_.computations) {
      ordered_json parameters = ordered_json::array();
      for (const Instruction* p : c->parameters) parameters.push_back(p != nullptr ? h_.Number(*p) : -1);
      const int first = c->schedule.empty() ? 0 : h_.Number(*c->schedule[0]);
      list.push_back({{"name", c->name}, {"first", first}, {"count", c->schedule.size()}, {"root", c->root != nullptr ? h_.Number(*c->root) : -1}, {"node", h_.NodeOf(*c)}, {"parameters", std::move(parameters)}});
    }
    out_["computations"] = std::move(list);
    out_["entry"] = module_.entry != nullptr ? module_.entry->id : 0;
  }

  static int Round(float x) { return static_cast<int>(std::lround(x)); }

  void PutNodes() {
    SceneWish wish;
    wish.spell_counts = true;
    MeasureLetters(&wish);
    std::vector<SceneBox> boxes;
    std::string kinds;
    ordered_json parent = ordered_json::array(), what = parent, children = parent, title = parent, detail = parent, below = parent, level = parent, path = parent, count = parent;
    for (int node = 0; node < h_.size(); ++node) {
      const GraphNode& n = h_.node(node);
      boxes.push_back(MakeSceneBox(h_, node, wish));
      kinds += "csni"[n.kind];
      parent.push_back(n.parent);
      // Instructions by their numbers, all else by the computation.
      what.push_back(n.instruction != nullptr ? h_.Number(*n.instruction) : n.computation->id);
      ordered_json inside = ordered_json::array();
      for (const int child : n.children) inside.push_back(child - node);
      children.push_back(std::move(inside));
      title.push_back(boxes.back().title);
      detail.push_back(boxes.back().detail);
      below.push_back(boxes.back().below);
      path.push_back(n.instruction != nullptr ? "" : boxes.back().name);
      count.push_back(n.count);
    }
    GraphLevels levels = MakeLevels(h_, boxes, in_.layout_seconds);
    hurried_ = levels.hurried;
    for (const int l : levels.of_node) level.push_back(l);
    ordered_json sizes = ordered_json::array();
    for (const SceneBox& box : boxes) {
      sizes.push_back(Round(box.width));
      sizes.push_back(Round(box.height));
    }
    out_["nodes"] = {{"kind", kinds}, {"parent", std::move(parent)}, {"what", std::move(what)}, {"children", std::move(children)}, {"title", std::move(title)}, {"detail", std::move(detail)},
                     {"below", std::move(below)}, {"path", std::move(path)}, {"count", std::move(count)}, {"level", std::move(level)}, {"size", std::move(sizes)}};
    ordered_json list = ordered_json::array();
    for (const GraphLevel& l : levels.levels) {
      ordered_json places = ordered_json::array(), arrows = places;
      for (const Point& p : l.layout.boxes) {
        places.push_back(Round(p.x));
        places.push_back(Round(p.y));
      }
      for (size_t e = 0; e < l.graph.arrows.size(); ++e) {
        ordered_json arrow = {l.graph.arrows[e].from, l.graph.arrows[e].to, l.minor[e] ? 1 : 0};
        for (const Point& p : l.layout.curves[e]) {
          arrow.push_back(Round(p.x));
          arrow.push_back(Round(p.y));
        }
        arrows.push_back(std::move(arrow));
      }
      list.push_back({{"w", Round(l.layout.width)}, {"h", Round(l.layout.height)}, {"b", std::move(places)}, {"a", std::move(arrows)}});
    }
    out_["levels"] = std::move(list);
  }

  static ordered_json SummaryJson(const ValueSummary& v, const std::string& leaf) {
    const Statistics& s = v.last;
    ordered_json out = {{"leaf", leaf}, {"n", s.count}, {"finite", s.finite}};
    if (s.finite > 0) out.update({{"min", NumberJson(s.min)}, {"max", NumberJson(s.max)}, {"mean", NumberJson(s.mean)}});
    if (s.nan > 0) out["nan"] = s.nan;
    if (s.inf > 0) out["inf"] = s.inf;
    if (s.zeros > 0) out["zeros"] = s.zeros;
    if (v.nan_times > 0) out["nanTimes"] = v.nan_times;
    if (v.inf_times > 0) out["infTimes"] = v.inf_times;
    bool any = false;
    for (const int64_t bin : v.bins) any = any || bin > 0;
    if (any) out["bins"] = v.bins;
    out["first"] = v.first;
    return out;
  }

  // Of each call that something is known of: [the call around it, the caller, which of its computations, {place in the computation:
  // figure}].
  ordered_json CallsJson(const CallFigures& figures) const {
    ordered_json list = ordered_json::array();
    for (int call = 0; call < figures.tree.size(); ++call) {
      const CallTree::Call& at = figures.tree.call(call);
      const Computation* computation = call == CallTree::kEntry ? module_.entry : at.computation;
      ordered_json of = ordered_json::object();
      for (int k = 0; computation != nullptr && k < static_cast<int>(computation->schedule.size()); ++k) {
        if (const std::optional<double> figure = figures.In({call}, *computation->schedule[k])) of[std::to_string(k)] = NumberJson(*figure);
      }
      list.push_back({at.parent, at.caller != nullptr ? h_.Number(*at.caller) : -1, at.which, std::move(of)});
    }
    return list;
  }

  void PutRun() {
    if (in_.values == nullptr) return;
    ordered_json run = {{"inputs", in_.values->inputs}, {"backend", in_.values->backend}, {"error", in_.values->error}};
    if (in_.times != nullptr) run["total"] = in_.times->total;
    if (in_.errors != nullptr) run["worst_of"] = in_.errors->worst_of;
    ordered_json list = ordered_json::object();
    for (int k = 0; k < h_.instruction_count(); ++k) {
      const Instruction& i = h_.At(k);
      ordered_json entry;
      ordered_json leaves = ordered_json::array();
      const int count = std::min(LeafCountOf(i.shape), kMostLeaves);
      for (int leaf = 0; leaf < count; ++leaf) {
        if (const ValueSummary* v = in_.values->Find(i, leaf)) leaves.push_back(SummaryJson(*v, LeafPathText(i.shape, leaf)));
      }
      if (!leaves.empty()) entry["v"] = std::move(leaves);
      if (const auto it = in_.values->of.find(&i); it != in_.values->of.end() && it->second.times > 1) entry["times"] = it->second.times;
      if (in_.times != nullptr) {
        if (const auto it = in_.times->of.find(&i); it != in_.times->of.end()) entry["t"] = NumberJson(it->second);
      }
      if (!entry.is_null()) list[std::to_string(k)] = std::move(entry);
    }
    run["of"] = std::move(list);
    run["health"] = CallsJson(in_.values->Health(module_).by_call);
    if (in_.errors != nullptr) run["errors"] = CallsJson(in_.errors->by_call);
    out_["run"] = std::move(run);
  }

  void PutStart() {
    if (in_.start.empty()) return;
    const absl::StatusOr<std::vector<Location>> found = ResolveLocations(module_, in_.start, module_.entry);
    if (found.ok()) out_["start"] = h_.Number(found->front().instruction());
  }

  // Calls that lead to what is marked, each way once: the outermost first, [caller, which of its computations].
  int NumberOf(const CallPath& path) {
    ordered_json calls = ordered_json::array();
    for (const CalledBy& call : path) calls.push_back({h_.Number(*call.caller), call.which});
    const auto [it, fresh] = path_number_.try_emplace(calls.dump(), static_cast<int>(paths_.size()));
    if (fresh) paths_.push_back(std::move(calls));
    return it->second;
  }

  void PutMarked() {
    if (in_.marked.empty()) return;
    ordered_json of = ordered_json::array();
    for (const MarkedPlace& place : in_.marked) of.push_back({h_.Number(*place.instruction), NumberOf(place.path)});
    out_["marked"] = {{"text", in_.marked_text}, {"of", std::move(of)}, {"asked", in_.asked}};
    ordered_json hops = ordered_json::array();
    for (const SceneHop& hop : in_.hops) hops.push_back({h_.Number(*hop.from), h_.Number(*hop.to), hop.to->parameter_number >= 0 ? 1 : 0});
    if (!hops.empty()) out_["marked"]["hops"] = std::move(hops);
    if (in_.slice != nullptr) {
      PutParts();
      PutMarkedArrows();
    }
    out_["marked"]["paths"] = std::move(paths_);
  }

  // From place to place, by their numbers.
  void PutMarkedArrows() {
    std::map<BoxKey, size_t> number;
    for (size_t k = 0; k < in_.marked.size(); ++k) number.emplace(KeyOf(h_, in_.marked[k]), k);
    ordered_json arrows = ordered_json::array();
    for (const auto& [from, to] : in_.arrows) {
      const auto a = number.find(from), b = number.find(to);
      if (a != number.end() && b != number.end()) arrows.push_back({a->second, b->second});
    }
    out_["marked"]["arrows"] = std::move(arrows);
  }

  // What each run of a computation made, in the direction of the data: [instruction, run, value, health, calls].
  void PutParts() {
    Texts runs;
    ordered_json parts = ordered_json::array();
    const size_t all = in_.slice->parts.size();
    for (size_t k = 0; k < all; ++k) {
      const SlicePart& part = in_.slice->parts[in_.slice_from_causes ? all - 1 - k : k];
      parts.push_back({h_.Number(*part.instruction), runs(part.where), PartText(part), static_cast<int>(part.health), NumberOf(PathOf(part))});
    }
    out_["marked"]["parts"] = std::move(parts);
    out_["marked"]["runs"] = runs.list();
  }

  // What the page shows first, laid out as the window does; the page lays out by levels what is opened then.
  void PutScene() {
    if (module_.entry == nullptr) return;
    SceneWish wish;
    wish.hierarchy = in_.hierarchy;
    wish.spell_counts = true;
    MeasureLetters(&wish);
    wish.hops = in_.hops;
    wish.expanded = FirstExpansion(h_);
    for (const MarkedPlace& place : in_.marked) {
      if (wish.expanded.size() >= kMostOpened) break;
      std::vector<BoxKey> keys = KeysTo(h_, place.path, *place.instruction);
      keys.pop_back();
      wish.expanded.insert(keys.begin(), keys.end());
    }
    SceneMaker maker;
    const std::shared_ptr<const Scene> scene = maker.Make(wish);
    if (!scene->at_once) return;
    ordered_json nodes = ordered_json::array(), boxes = nodes, arrows = nodes;
    for (const SceneBox& box : scene->boxes) {
      nodes.push_back(box.node);
      for (const float x : {box.x, box.y, box.width, box.height}) boxes.push_back(Round(x));
    }
    for (const SceneArrow& a : scene->arrows) {
      // 1: one that is drawn only when somebody points at its ends.
      ordered_json arrow = {a.from, a.to, a.minor ? ordered_json(1) : a.labelled ? ordered_json{Round(a.label_at.x), Round(a.label_at.y)} : ordered_json(0)};
      for (const Point& p : a.curve) {
        arrow.push_back(Round(p.x));
        arrow.push_back(Round(p.y));
      }
      arrows.push_back(std::move(arrow));
    }
    out_["scene"] = {{"nodes", std::move(nodes)}, {"boxes", std::move(boxes)}, {"arrows", std::move(arrows)}};
  }

  const GraphPageInput& in_;
  const Hierarchy& h_;
  const Module& module_;
  ordered_json out_;
  ordered_json paths_ = ordered_json::array();
  std::map<std::string, int> path_number_;
  Texts sources_;
  std::vector<std::string> source_lines_;
  std::vector<int64_t> shape_bytes_;
  bool hurried_ = false;
};

}  // namespace

std::string PageJson(const GraphPageInput& input) { return PageWriter(input).Write(); }

}  // namespace hloscope
