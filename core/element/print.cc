// Texts of element programs: a canonical one for caches, and formulas for people.
#include <algorithm>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/element/index_letter.h"
#include "core/element/program.h"
#include "core/element/scalar_eval.h"

namespace hloscope {

Program Program::Pull(std::vector<Shape> operands, const Shape& output) {
  Program program;
  program.operands = std::move(operands);
  program.outputs.push_back({output, kNoNode});
  for (int64_t extent : output.dimensions()) program.graph->NewVar(extent);
  return program;
}

namespace {

// Numbers nodes, variables and folds in the order of a post-order walk, so that texts do not depend on how a graph was built.
class CanonicalPrinter {
 public:
  explicit CanonicalPrinter(const ExprGraph& graph) : graph_(graph) {}

  // An output's or a domain's variable gets its number before any other.
  void Declare(int32_t var) { Var(var); }
  int FoldId(int32_t id) { return fold_ids_.try_emplace(id, static_cast<int>(fold_ids_.size())).first->second; }

  int Print(NodeId id) {
    if (auto it = numbers_.find(id); it != numbers_.end()) return it->second;
    const Node& n = graph_.node(id);
    std::string line;
    if (n.kind == NodeKind::kFold) {
      line = PrintFold(n);
    } else {
      std::vector<int> inputs;
      for (NodeId input : n.inputs) inputs.push_back(Print(input));
      line = absl::StrCat(Head(n), "(", absl::StrJoin(inputs, ","), ")");
    }
    const int number = static_cast<int>(numbers_.size());
    numbers_[id] = number;
    absl::StrAppend(&text_, number, "=", absl::string_view(Name(n.type)), " ", line, "\n");
    return number;
  }
  std::string& text() { return text_; }

 private:
  std::string Var(int32_t var) {
    const auto [it, added] = vars_.try_emplace(var, static_cast<int>(vars_.size()));
    return absl::StrCat("i", it->second, "<", graph_.VarExtent(var));
  }

  std::string Head(const Node& n) {
    switch (n.kind) {
      case NodeKind::kIndex: return Var(n.var);
      case NodeKind::kConstant: {
        // Bits, not text: all NaNs read the same.
        std::byte storage[16] = {};
        StoreScalar(n.constant, storage);
        std::string hex = "#";
        for (int i = 0; i < StorageBytes(n.type); ++i) absl::StrAppend(&hex, absl::Hex(static_cast<uint8_t>(storage[i]), absl::kZeroPad2));
        return hex;
      }
      case NodeKind::kScalarOp: return n.aux != 0 ? absl::StrCat(Name(n.op), ":", n.aux) : std::string(Name(n.op));
      case NodeKind::kLoad: return absl::StrCat("load", n.operand);
      case NodeKind::kSelect: return "select";
      case NodeKind::kFold: return "fold";
      case NodeKind::kFoldResult: return absl::StrCat("part", n.part);
      case NodeKind::kAccumulator: return absl::StrCat("acc", FoldId(n.var), ".", n.part);
    }
    return "";
  }

  std::string PrintFold(const Node& n) {
    const FoldInfo& info = graph_.fold(n);
    std::vector<int> inits, bodies;
    for (NodeId init : info.inits) inits.push_back(Print(init));
    const int id = FoldId(info.id);
    std::vector<std::string> vars;
    for (int32_t v : info.vars) vars.push_back(Var(v));
    for (NodeId body : info.bodies) bodies.push_back(Print(body));
    return absl::StrCat("fold", id, info.order == FoldOrder::kInterleaved16 ? absl::StrCat("~", Name(info.combiner)) : std::string(), "[",
                        absl::StrJoin(vars, ","), "](", absl::StrJoin(inits, ","), ";", absl::StrJoin(bodies, ","), ")");
  }

  const ExprGraph& graph_;
  std::string text_;
  absl::flat_hash_map<NodeId, int> numbers_;
  absl::flat_hash_map<int32_t, int> vars_, fold_ids_;
};

// Infix text. Subexpressions that stand in several places and are not short become named lines.
class FormulaPrinter {
 public:
  FormulaPrinter(const ExprGraph& graph, absl::Span<const std::string> names) : graph_(graph), names_(names) {}

  void NameVar(int32_t var, std::string name) { vars_[var] = std::move(name); }
  void NameAccumulator(int32_t id, std::string name) { accumulators_[id] = std::move(name); }
  std::string VarName(int32_t var) {
    auto it = vars_.find(var);
    if (it != vars_.end()) return it->second;
    std::string name;
    do name = IndexLetter(fresh_++);
    while (std::any_of(vars_.begin(), vars_.end(), [&](const auto& other) { return other.second == name; }));
    return vars_[var] = name;
  }

  // Lines "t0 = ..." for shared parts of `root`; call before Text(root).
  void NameShared(NodeId root, std::string* lines) {
    absl::flat_hash_map<NodeId, int> uses;
    CountUses(root, uses);
    std::vector<NodeId> order;
    for (const auto& [id, count] : uses) {
      if (count > 1 && Weight(id) > 8 && !graph_.FreeVars(id).empty() && IsOpen(id) && graph_.node(id).kind != NodeKind::kFold)
        order.push_back(id);
    }
    std::sort(order.begin(), order.end());
    for (NodeId id : order) {
      const std::string text = Text(id);
      const std::string name = absl::StrCat("t", temporaries_++);
      absl::StrAppend(lines, name, " = ", text, "\n");
      named_[id] = name;
    }
  }

  // `precedence`: of the surrounding operator; parentheses where ours is lower.
  std::string Text(NodeId id, int precedence = 0) {
    if (auto it = named_.find(id); it != named_.end()) return it->second;
    const Node& n = graph_.node(id);
    switch (n.kind) {
      case NodeKind::kIndex: return VarName(n.var);
      case NodeKind::kConstant: return ToText(n.constant);
      case NodeKind::kLoad: {
        const std::string name = n.operand < static_cast<int>(names_.size()) ? names_[n.operand] : absl::StrCat("operand", n.operand);
        const std::string text = absl::StrCat(name, "[", Join(n.inputs), "]");
        // A number that stands in for what is loaded.
        return precedence > 0 && text[0] == '-' ? absl::StrCat("(", text, ")") : text;
      }
      case NodeKind::kSelect: return absl::StrCat("select(", Join(n.inputs), ")");
      case NodeKind::kFold: return FoldText(n, 0, precedence);
      case NodeKind::kFoldResult: return FoldText(graph_.node(n.inputs[0]), n.part, precedence);
      case NodeKind::kAccumulator: {
        auto it = accumulators_.find(n.var);
        const std::string name = it == accumulators_.end() ? "acc" : it->second;
        return n.part == 0 ? name : absl::StrCat(name, ".", n.part);
      }
      case NodeKind::kScalarOp: return OpText(n, precedence);
    }
    return "";
  }

  std::string Join(absl::Span<const NodeId> nodes) {
    std::vector<std::string> texts;
    for (NodeId n : nodes) texts.push_back(Text(n));
    return absl::StrJoin(texts, ", ");
  }

 private:
  static int Precedence(ScalarOp op) {
    switch (op) {
      case ScalarOp::kMultiply:
      case ScalarOp::kDivide:
      case ScalarOp::kFloorDiv:
      case ScalarOp::kMod:
      case ScalarOp::kRemainder: return 5;
      case ScalarOp::kAdd:
      case ScalarOp::kSubtract: return 4;
      case ScalarOp::kAnd: return 2;
      case ScalarOp::kOr:
      case ScalarOp::kXor: return 1;
      default: return IsComparison(op) ? 3 : 0;
    }
  }

  void CountUses(NodeId id, absl::flat_hash_map<NodeId, int>& uses) {
    if (++uses[id] > 1) return;
    const Node& n = graph_.node(id);
    for (NodeId input : n.inputs) CountUses(input, uses);
    if (n.kind == NodeKind::kFold) {
      for (NodeId body : graph_.fold(n).bodies) CountUses(body, uses);
    }
  }
  // Nodes of the tree below, saturated.
  int Weight(NodeId id) {
    if (auto it = weights_.find(id); it != weights_.end()) return it->second;
    const Node& n = graph_.node(id);
    int w = 1;
    for (NodeId input : n.inputs) w = std::min(w + Weight(input), 1000);
    if (n.kind == NodeKind::kFold) {
      for (NodeId body : graph_.fold(n).bodies) w = std::min(w + Weight(body), 1000);
    }
    return weights_[id] = w;
  }
  // All its variables are the output's, so that it can stand on a line of its own.
  bool IsOpen(NodeId id) {
    for (int32_t v : graph_.FreeVars(id)) {
      if (v < 0 || vars_.find(v) == vars_.end()) return false;
    }
    return true;
  }

  std::string OpText(const Node& n, int precedence) {
    if (n.op == ScalarOp::kConvert) return absl::StrCat(absl::string_view(Name(n.type)), "(", Text(n.inputs[0]), ")");
    if (n.op == ScalarOp::kBitcast) return absl::StrCat("bitcast<", absl::string_view(Name(n.type)), ">(", Text(n.inputs[0]), ")");
    if (n.op == ScalarOp::kReducePrecision)
      return absl::StrCat("reduce_precision(", Text(n.inputs[0]), ", e", n.aux >> 8, "m", n.aux & 255, ")");
    const int own = Precedence(n.op);
    if (n.inputs.size() != 2 || own == 0) return absl::StrCat(n.op == ScalarOp::kNegate ? "-" : Name(n.op), "(", Join(n.inputs), ")");
    const bool wrap = own < precedence;
    std::string text;
    if (const Node& b = graph_.node(n.inputs[1]);
        n.op == ScalarOp::kAdd && b.kind == NodeKind::kConstant && IsSigned(b.type) && b.constant.i < 0 && b.constant.i > INT64_MIN) {
      text = absl::StrCat(Text(n.inputs[0], own), " - ", -b.constant.i);
    } else if (n.op == ScalarOp::kAdd && IsNegated(n.inputs[0])) {
      // "2 - i" of i * -1 + 2.
      text = absl::StrCat(Text(n.inputs[1], own), " - ", Text(graph_.node(n.inputs[0]).inputs[0], own + 1));
    } else {
      text = absl::StrCat(Text(n.inputs[0], IsComparison(n.op) ? own + 1 : own), " ", Name(n.op), " ", Text(n.inputs[1], own + 1));
    }
    return wrap ? absl::StrCat("(", text, ")") : text;
  }

  // x * -1, of integers.
  bool IsNegated(NodeId id) {
    const Node& n = graph_.node(id);
    if (n.kind != NodeKind::kScalarOp || n.op != ScalarOp::kMultiply || !IsSigned(n.type)) return false;
    const Node& b = graph_.node(n.inputs[1]);
    return b.kind == NodeKind::kConstant && b.constant.i == -1;
  }

  bool IsIdentity(ScalarOp op, NodeId init) {
    const Node& n = graph_.node(init);
    if (n.kind != NodeKind::kConstant) return false;
    const bool is_float = IsFloat(n.type) || IsComplex(n.type);
    if (op == ScalarOp::kAdd || op == ScalarOp::kOr) return is_float ? n.constant.re == 0 && n.constant.im == 0 : n.constant.i == 0;
    if (op == ScalarOp::kMultiply) return is_float ? n.constant.re == 1 && n.constant.im == 0 : n.constant.i == 1;
    if (op == ScalarOp::kAnd) return n.constant.i == (IsPred(n.type) ? 1 : -1);
    if (op == ScalarOp::kMaximum) return is_float && n.constant.re < 0 && !n.constant.IsFinite();
    if (op == ScalarOp::kMinimum) return is_float && n.constant.re > 0 && !n.constant.IsFinite();
    return false;
  }

  std::string FoldText(const Node& fold, int part, int precedence) {
    const FoldInfo& info = graph_.fold(fold);
    std::vector<std::string> domain;
    for (size_t i = 0; i < info.vars.size(); ++i) domain.push_back(absl::StrCat(VarName(info.vars[i]), " < ", info.extents[i]));
    const std::string over = domain.empty() ? "" : absl::StrCat(absl::StrJoin(domain, ", "), ": ");
    const Node& body = graph_.node(info.bodies[0]);
    if (info.bodies.size() == 1 && body.kind == NodeKind::kScalarOp && body.inputs.size() == 2 && IsReassociable(body.op)) {
      const auto is_accumulator = [&](NodeId id) {
        return graph_.node(id).kind == NodeKind::kAccumulator && graph_.node(id).var == info.id;
      };
      const int side = is_accumulator(body.inputs[0]) ? 0 : is_accumulator(body.inputs[1]) ? 1 : -1;
      if (side >= 0) {
        const absl::string_view word = body.op == ScalarOp::kAdd        ? "sum"
                                       : body.op == ScalarOp::kMultiply ? "product"
                                       : body.op == ScalarOp::kAnd      ? "all"
                                       : body.op == ScalarOp::kOr       ? "any"
                                                                        : Name(body.op);
        const bool once = domain.empty() && IsIdentity(body.op, info.inits[0]);  // a sum of one term
        if (once) return Text(body.inputs[1 - side], precedence);
        const std::string text = domain.empty() ? Text(body.inputs[1 - side], Precedence(body.op) == 0 ? 0 : Precedence(body.op) + 1)
                                                : absl::StrCat(word, "(", over, Text(body.inputs[1 - side]), ")");
        if (IsIdentity(body.op, info.inits[0])) return text;
        if (Precedence(body.op) == 0) return absl::StrCat(Name(body.op), "(", Text(info.inits[0]), ", ", text, ")");
        const std::string sum = absl::StrCat(Text(info.inits[0], Precedence(body.op)), " ", Name(body.op), " ", text);
        return Precedence(body.op) < precedence ? absl::StrCat("(", sum, ")") : sum;
      }
    }
    if (accumulators_.find(info.id) == accumulators_.end()) {
      const size_t n = accumulators_.size();
      accumulators_[info.id] = n == 0 ? "acc" : absl::StrCat("acc", n);
    }
    const std::string& acc = accumulators_[info.id];
    std::vector<std::string> steps;
    for (size_t i = 0; i < info.bodies.size(); ++i) {
      steps.push_back(absl::StrCat(i == 0 ? acc : absl::StrCat(acc, ".", i), " = ", Text(info.inits[i]), " then ", Text(info.bodies[i])));
    }
    std::string text = absl::StrCat("fold(", over, absl::StrJoin(steps, "; "), ")");
    return info.bodies.size() == 1 ? text : absl::StrCat(text, ".", part);
  }

  const ExprGraph& graph_;
  absl::Span<const std::string> names_;
  absl::flat_hash_map<int32_t, std::string> vars_, accumulators_;
  absl::flat_hash_map<NodeId, std::string> named_;
  absl::flat_hash_map<NodeId, int> weights_;
  int fresh_ = 2, temporaries_ = 0;  // what is summed over begins with k
};

}  // namespace

std::string CanonicalText(const Program& program) {
  CanonicalPrinter printer(*program.graph);
  std::string head;
  for (const Shape& s : program.operands) absl::StrAppend(&head, s.ToString(false), ";");
  absl::StrAppend(&head, "->");
  for (const auto& output : program.outputs) absl::StrAppend(&head, output.shape.ToString(false), ";");
  absl::StrAppend(&head, "\n");
  for (int d = 0; d < program.rank(); ++d) printer.Declare(d);
  std::vector<int> roots;
  for (const auto& output : program.outputs) roots.push_back(output.value == kNoNode ? -1 : printer.Print(output.value));
  std::string tail = absl::StrCat("outputs ", absl::StrJoin(roots, ","));
  if (program.is_push) {
    const Program::Push& push = program.push;
    for (int32_t v : push.vars) printer.Declare(v);
    const int id = printer.FoldId(push.accumulator_id);
    const int in_bounds = push.in_bounds == kNoNode ? -1 : printer.Print(push.in_bounds);
    std::vector<int> target, combined;
    for (NodeId n : push.target) target.push_back(printer.Print(n));
    for (NodeId n : push.combined) combined.push_back(printer.Print(n));
    std::vector<int64_t> extents;
    for (int32_t v : push.vars) extents.push_back(program.graph->VarExtent(v));
    absl::StrAppend(&tail, "\npush", id, "[", absl::StrJoin(extents, ","), "] if ", in_bounds, " at ", absl::StrJoin(target, ","), " = ",
                    absl::StrJoin(combined, ","), push.order_free ? " free" : "");
  }
  return absl::StrCat(head, printer.text(), tail, "\n");
}

std::string IndexLetter(int n) {
  static constexpr absl::string_view kLetters = "ijklmnpqrs";
  return n < static_cast<int>(kLetters.size()) ? std::string(1, kLetters[n]) : absl::StrCat("i", n);
}

std::string ToFormula(const Program& program, absl::Span<const std::string> operand_names) {
  const ExprGraph& graph = *program.graph;
  FormulaPrinter printer(graph, operand_names);
  std::vector<std::string> index;
  for (int d = 0; d < program.rank(); ++d) {
    index.push_back(IndexLetter(d));
    printer.NameVar(d, index.back());
  }
  std::string made = "out";
  const auto output_name = [&](size_t o) { return program.outputs.size() == 1 ? made : absl::StrCat(made, o); };
  // Not what an operand is called.
  for (const char* other : {"result", "made"}) {
    for (size_t o = 0; o < program.outputs.size(); ++o) {
      if (absl::c_any_of(operand_names, [&](absl::string_view name) { return absl::StripPrefix(name, "%") == output_name(o); })) made = other;
    }
  }
  std::string text;
  for (size_t o = 0; o < program.outputs.size(); ++o) {
    if (program.outputs[o].value == kNoNode) continue;
    printer.NameShared(program.outputs[o].value, &text);
    absl::StrAppend(&text, output_name(o), "[", absl::StrJoin(index, ", "), "] = ", printer.Text(program.outputs[o].value), "\n");
  }
  if (program.is_push) {
    const Program::Push& push = program.push;
    std::vector<std::string> domain;
    for (size_t i = 0; i < push.vars.size(); ++i) {
      printer.NameVar(push.vars[i], absl::StrCat("u", i));
      domain.push_back(absl::StrCat("u", i, " < ", graph.VarExtent(push.vars[i])));
    }
    printer.NameAccumulator(push.accumulator_id, "current");
    // A single update is no loop.
    std::vector<std::string> head;
    if (!domain.empty()) head.push_back(absl::StrCat("for ", absl::StrJoin(domain, ", ")));
    if (push.in_bounds != kNoNode && graph.node(push.in_bounds).kind != NodeKind::kConstant) head.push_back(absl::StrCat("if ", printer.Text(push.in_bounds)));
    if (!head.empty()) absl::StrAppend(&text, absl::StrJoin(head, " "), ":\n");
    const absl::string_view indent = head.empty() ? "" : "  ";
    for (size_t o = 0; o < push.combined.size(); ++o) {
      absl::StrAppend(&text, indent, output_name(o), "[", printer.Join(push.target), "] = ", printer.Text(push.combined[o]), "\n");
    }
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace hloscope
