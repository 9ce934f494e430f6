// The text is a tree: "|-" and "`-" where it branches, "<-" for the only thing that something is made from, which stays in its column, so that
// a long chain stays at its margin.
#include "core/debug/slice_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/debug/calls.h"
#include "core/debug/locations.h"
#include "core/debug/subscript.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {

std::string PlaceText(const ElementPlace& place) {
  const Shape& shape = LeafShape(place.instruction->shape, place.leaf);
  return absl::StrCat(ShownName(*place.instruction), LeafPathText(place.instruction->shape, place.leaf),
                      shape.IsArray() && shape.rank() > 0 ? IndexText(shape, place.linear) : std::string());
}

namespace {

// The numbers of a formula that is the value alone, in parentheses where it is negative.
bool Says(absl::string_view numbers, absl::string_view value) { return numbers == value || numbers == absl::StrCat("(", value, ")"); }

// "call of %c", "iteration 4 of %loop": which run of its computation a frame is.
std::string RunText(const FrameHistory::Place& p, const std::string& caller) {
  switch (p.kind) {
    case FrameKind::kEntry: return "";
    case FrameKind::kCall: return absl::StrCat("call of %", caller);
    case FrameKind::kFusion: return absl::StrCat("fusion %", caller);
    case FrameKind::kWhileCondition: return absl::StrCat("condition ", p.iteration, " of %", caller);
    case FrameKind::kWhileBody: return absl::StrCat("iteration ", p.iteration, " of %", caller);
    case FrameKind::kBranch: return absl::StrCat("branch ", p.branch, " of %", caller);
    case FrameKind::kElement: return absl::StrCat("call ", p.iteration, " for %", caller);
  }
  return "";
}

}  // namespace

std::vector<const Instruction*> CallersOf(const FrameHistory& history, int frame) {
  std::vector<const Instruction*> callers;
  for (int f = frame; f >= 0; f = history.place(f).parent) callers.push_back(history.place(f).caller);
  return callers;
}

std::vector<SliceCall> CallsTo(const FrameHistory& history, int frame) {
  std::vector<SliceCall> calls;
  for (int f = frame; f >= 0 && history.place(f).caller != nullptr; f = history.place(f).parent) {
    const FrameHistory::Place& p = history.place(f);
    const auto called = p.caller->CalledComputations();
    const auto is = [&](int which) { return which >= 0 && which < static_cast<int>(called.size()) && called[static_cast<size_t>(which)] == p.computation; };
    // A condition may be the body as well, and a branch another one.
    int which = p.kind == FrameKind::kWhileBody ? 1 : p.kind == FrameKind::kBranch ? p.branch : 0;
    if (!is(which)) which = static_cast<int>(std::find(called.begin(), called.end(), p.computation) - called.begin());
    calls.push_back({p.caller, which});
  }
  std::reverse(calls.begin(), calls.end());
  return calls;
}

std::string FrameText(const FrameHistory& history, int frame, const std::function<std::string(int frame, const std::string& caller)>& run) {
  if (history.place(frame).kind == FrameKind::kEntry) return "";
  const std::vector<const Instruction*> callers = CallersOf(history, frame);
  std::vector<std::string> parts = {std::string(history.place(frame).computation->name)};
  for (int f = frame; f >= 0; f = history.place(f).parent) {
    const FrameHistory::Place& p = history.place(f);
    const std::string caller = p.caller == nullptr ? "" : NameAmong(*p.caller, callers);
    std::string text = run ? run(f, caller) : "";
    if (text.empty()) text = RunText(p, caller);
    if (!text.empty()) parts.push_back(std::move(text));
  }
  return absl::StrJoin(parts, ", ");
}

std::string JsonQuoted(absl::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          absl::StrAppendFormat(&out, "\\u%04x", c);
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

namespace {

constexpr size_t kWidth = 220;
constexpr size_t kDeepest = 90;  // a column that nothing is indented beyond

std::string ValueText(const SliceNode& node) { return node.known ? ToText(node.value) : "?"; }

// "model.hlo:12, model.py:142".
std::string SourceOf(const Module& module, const Instruction& instruction) {
  std::vector<std::string> parts;
  if (const int line = LineOf(module, instruction); line > 0) parts.push_back(absl::StrCat(Basename(module.source->name()), ":", line));
  const std::vector<PythonFrame> frames = module.PythonFrames(instruction);
  if (!frames.empty() && frames[0].line > 0) parts.push_back(absl::StrCat(Basename(frames[0].file), ":", frames[0].line));
  return absl::StrJoin(parts, ", ");
}

absl::string_view KindWord(SliceNode::Kind kind) {
  switch (kind) {
    case SliceNode::kComputed: return "computed";
    case SliceNode::kParameter: return "parameter";
    case SliceNode::kConstant: return "constant";
    case SliceNode::kCreated: return "created";
    case SliceNode::kOpaque: return "opaque";
    case SliceNode::kUnknown: return "unknown";
  }
  return "";
}

absl::string_view RoleWord(ReadRole role) {
  switch (role) {
    case ReadRole::kValue: return "value";
    case ReadRole::kPredicate: return "predicate";
    case ReadRole::kIndex: return "index";
    case ReadRole::kOrder: return "order";
    case ReadRole::kControl: return "control";
  }
  return "";
}

// `brief`: where a line has no room for all names.
std::string ThroughText(const SliceEdge& edge, bool brief) {
  if (edge.moves == 0) return absl::StrJoin(edge.notes, "; ");
  brief = brief && edge.through.size() > 3;
  std::string text = absl::StrCat("through ", brief ? absl::StrCat(edge.through[0], ", ", edge.through[1]) : absl::StrJoin(edge.through, ", "));
  if (brief || edge.moves > static_cast<int64_t>(edge.through.size())) absl::StrAppend(&text, " ... (", Count(edge.moves, "hop"), ")");
  if (edge.iterations_first >= 0 && edge.iterations_first != edge.iterations_last) {
    absl::StrAppend(&text, ", iterations ", edge.iterations_first, " to ", edge.iterations_last,
                    !edge.loop_name.empty() ? absl::StrCat(" of %", edge.loop_name) : "");
  }
  for (const std::string& note : edge.notes) absl::StrAppend(&text, "; ", note);
  return text;
}

class TextPrinter {
 public:
  TextPrinter(const Module& module, const SliceFrames& frames, const Slice& slice, const SliceTextOptions& options)
      : module_(module), frames_(frames), slice_(slice), options_(options) {}

  std::string Print() {
    if (!slice_.births.empty()) {
      Births();
    } else {
      Tree(0, "");
    }
    if (slice_.cut) Line("", absl::StrCat("... the slice is larger: ", Count(static_cast<int64_t>(slice_.nodes.size()), "element"), " of it are here; /nodes ", 4 * slice_.nodes.size(), " goes on to more, and why of an element further down starts there"));
    for (const std::string& note : slice_.notes) Line("", absl::StrCat("note: ", note));
    if (left_out_ > 0) absl::StrAppend(&text_, "... ", Count(left_out_, "more line"), " (/all shows them)\n");
    return std::move(text_);
  }

 private:
  void Line(absl::string_view lead, absl::string_view line) {
    if (options_.lines > 0 && lines_ >= options_.lines) {
      ++left_out_;
      return;
    }
    ++lines_;
    absl::StrAppend(&text_, lead, Cut(line, kWidth), "\n");
  }

  // The file's name is said once: in the first line. Not in those that are left out.
  std::string Source(const Instruction& i) {
    const std::string source = SourceOf(module_, i),
                      file = absl::StrCat(module_.source == nullptr ? "" : Basename(module_.source->name()), ":");
    if (!absl::StartsWith(source, file)) return source;
    return std::exchange(file_said_, true) ? absl::StrCat("line ", source.substr(file.size())) : source;
  }

  std::string Head(const SliceNode& node) {
    std::string text = absl::StrCat(PlaceText(node.place), " = ", ValueText(node));
    if (!node.formula.empty() && node.formula != PlaceText(node.place) && node.formula != ValueText(node)) absl::StrAppend(&text, " = ", node.formula);
    if (!node.numbers.empty() && node.numbers != node.formula && !Says(node.numbers, ValueText(node))) absl::StrAppend(&text, " = ", node.numbers);
    return text;
  }

  std::string Tail(const SliceNode& node, const SliceNode* from, double share) {
    std::vector<std::string> parts;
    if (share > 0) parts.push_back(absl::StrFormat("%.1f %%", share * 100));
    const Instruction& i = *node.place.instruction;
    switch (node.kind) {
      case SliceNode::kParameter: parts.push_back(absl::StrCat("parameter ", i.parameter_number)); break;
      case SliceNode::kConstant: parts.push_back("constant"); break;
      case SliceNode::kCreated:
      case SliceNode::kOpaque:
      case SliceNode::kUnknown: parts.push_back(std::string(Name(i.opcode))); break;
      case SliceNode::kComputed:
        if (node.formula.empty()) parts.push_back(std::string(Name(i.opcode)));
    }
    if (from == nullptr || node.place.frame != from->place.frame || node.place.device != from->place.device) {
      const std::string frame = FrameText(frames_.of(node.place.device), node.place.frame);
      parts.push_back(frame.empty() ? absl::StrCat("in ", frames_.of(node.place.device).place(node.place.frame).computation->name) : absl::StrCat("in ", frame));
    }
    if (const std::string source = Source(i); !source.empty()) parts.push_back(source);
    return parts.empty() ? "" : absl::StrCat("   (", absl::StrJoin(parts, "; "), ")");
  }

  // What stands below something: another node, or a line with nodes below.
  struct Branch {
    const SliceEdge* edge = nullptr;
    std::string line;  // where an edge is: what stands before the node, which is a term
    std::vector<const SliceEdge*> below;
    const SliceNode* from = nullptr;
    double share = 0;  // of that term
  };
  struct Todo {
    Branch branch;
    std::string lead, under;  // what stands before it, and before what is below it
  };

  // `below`: what the line has no room for.
  std::string EdgeLine(const Branch& branch, int number, bool again, std::string* below) {
    const SliceNode& node = slice_.nodes[number];
    const SliceEdge* edge = branch.edge;
    const SliceNode* from = branch.from;
    std::string line =
        absl::StrCat(branch.line, edge == nullptr || edge->role == ReadRole::kValue ? "" : absl::StrCat(RoleWord(edge->role), ": "));
    if (frames_.name != nullptr && (from != nullptr ? *from : slice_.nodes[0]).place.device != node.place.device) line = absl::StrCat(frames_.name(node.place.device), ": ", line);
    absl::StrAppend(&line, again ? absl::StrCat(PlaceText(node.place), " = ", ValueText(node))
                                 : absl::StrCat(Head(node), Tail(node, from, branch.share)));
    if (again && branch.share > 0) absl::StrAppendFormat(&line, "   (%.1f %%)", branch.share * 100);
    if (edge != nullptr) {
      std::string through = ThroughText(*edge, false);
      if (line.size() + through.size() > kWidth) through = ThroughText(*edge, true);
      const bool fits = line.size() + through.size() + 2 <= kWidth;
      if (!through.empty() && fits) absl::StrAppend(&line, "  ", through);
      if (!fits) *below = std::move(through);
    }
    if (again && !node.edges.empty()) absl::StrAppend(&line, "  (above)");
    return line;
  }

  // Pushes so that the first comes first.
  static void Push(std::vector<Branch> branches, const std::string& under, std::vector<Todo>* todo) {
    const size_t n = branches.size();
    const std::string deeper = under.size() < kDeepest ? under : under.substr(0, kDeepest);
    for (size_t k = n; k-- > 0;) {
      const bool alone = n == 1 && branches[k].edge != nullptr && branches[k].line.empty();
      todo->push_back({std::move(branches[k]), absl::StrCat(deeper, alone ? "<- " : k + 1 < n ? "|- " : "`- "), alone ? deeper : absl::StrCat(deeper, k + 1 < n ? "|  " : "   ")});
    }
  }

  void Tree(int root, const std::string& margin) {
    std::vector<Todo> todo;
    NodeAt({}, root, margin, margin, &todo);
    while (!todo.empty()) {
      const Todo now = std::move(todo.back());
      todo.pop_back();
      if (now.branch.edge != nullptr) {
        NodeAt(now.branch, now.branch.edge->to, now.lead, now.under, &todo);
        continue;
      }
      Line(now.lead, now.branch.line);
      std::vector<Branch> below;
      for (const SliceEdge* edge : now.branch.below) below.push_back({edge, "", {}, now.branch.from});
      Push(std::move(below), now.under, &todo);
    }
  }

  void NodeAt(const Branch& branch, int number, const std::string& lead, const std::string& under, std::vector<Todo>* todo) {
    const SliceNode& node = slice_.nodes[number];
    const bool again = !printed_.insert(number).second;
    std::string below;
    Line(lead, EdgeLine(branch, number, again, &below));
    if (!below.empty()) Line(absl::StrCat(under, "   "), below);
    if (again) return;
    if (!node.note.empty()) Line(absl::StrCat(under, "   "), node.note);
    std::vector<Branch> branches = Terms(node);
    for (const SliceEdge& each : node.edges) {
      if (each.term < 0) branches.push_back({&each, "", {}, &node});
    }
    Push(std::move(branches), under, todo);
  }

  // A term that is one element, which itself is made of others: that line says all.
  const SliceEdge* Alone(const SliceNode& node, int t) const {
    const SliceEdge* only = nullptr;
    for (const SliceEdge& edge : node.edges) {
      if (edge.term != t) continue;
      if (only != nullptr) return nullptr;
      only = &edge;
    }
    if (only == nullptr || only->role != ReadRole::kValue || only->moves > 0) return nullptr;
    const SliceNode& to = slice_.nodes[only->to];
    const bool more = !to.edges.empty() || to.kind == SliceNode::kParameter || !to.formula.empty() || !to.note.empty();
    return more && node.terms[t].formula == PlaceText(to.place) ? only : nullptr;
  }

  std::vector<Branch> Terms(const SliceNode& node) {
    std::vector<Branch> branches;
    const bool updates = Def(*node.place.instruction).op_class == OpClass::kPush, in_turn = node.fold == "updates";
    for (size_t t = 0; t < node.terms.size(); ++t) {
      const SliceTerm& term = node.terms[t];
      const std::string name = absl::StrCat(term.initial ? "initial value "
                                            : updates    ? "update "
                                                         : "term ",
                                            term.at.empty() ? "" : absl::StrCat("[", absl::StrJoin(term.at, ","), "] "));
      if (const SliceEdge* only = Alone(node, static_cast<int>(t)); only != nullptr && !updates && (term.initial || !in_turn)) {
        branches.push_back({only, name, {}, &node, term.share});
        continue;
      }
      std::string line = absl::StrCat(name, in_turn && !term.initial ? "makes it " : "", ToText(term.value));
      if (!term.formula.empty()) absl::StrAppend(&line, " = ", term.formula);
      if (!term.numbers.empty() && !Says(term.numbers, ToText(term.value)) && term.numbers != term.formula) absl::StrAppend(&line, " = ", term.numbers);
      if (term.share > 0) absl::StrAppendFormat(&line, "   (%.1f %%)", term.share * 100);
      branches.push_back({nullptr, std::move(line), {}, &node});
      for (const SliceEdge& edge : node.edges) {
        if (edge.term != static_cast<int>(t)) continue;
        const SliceNode& to = slice_.nodes[edge.to];
        // The term's formula has named it already.
        if (edge.role == ReadRole::kIndex && updates && to.edges.empty()) {
          absl::StrAppend(&branches.back().line, edge.notes.empty() ? absl::StrCat("; index ", PlaceText(to.place), " = ", ValueText(to)) : absl::StrCat("; ", absl::StrJoin(edge.notes, "; ")));
          continue;
        }
        if (!term.initial && !in_turn && edge.moves == 0 && to.edges.empty() && to.kind != SliceNode::kParameter && to.formula.empty() &&
            to.note.empty())
          continue;
        branches.back().below.push_back(&edge);
      }
    }
    const bool alone = !node.note.empty() && std::all_of(node.terms.begin(), node.terms.end(), [](const SliceTerm& term) { return term.initial; });  // the note says it
    if (node.padding_terms > 0 && !alone) {
      branches.push_back({nullptr, absl::StrCat("and ", Count(node.padding_terms, "term"), node.place.instruction->GetWindow() != nullptr ? " of padding" : " that do not count"), {}, nullptr});
    }
    const int64_t more = node.term_count - node.padding_terms - static_cast<int64_t>(node.terms.size());
    if (more <= 0) return branches;
    std::string line = absl::StrCat("... ", Count(more, updates ? "more update" : "more term"), in_turn ? " before these" : "");
    if (node.fold == "sum" && std::isfinite(node.other_terms)) absl::StrAppendFormat(&line, ", together %.6g", node.other_terms);
    if (node.fold == "maximum" || node.fold == "minimum") absl::StrAppend(&line, ", none beyond it");
    branches.push_back({nullptr, std::move(line), {}, nullptr});
    return branches;
  }

  void Births() {
    for (size_t b = 0; b < slice_.births.size(); ++b) {
      const SliceBirth& birth = slice_.births[b];
      const absl::string_view what = birth.nan ? "NaN" : "infinity";
      const SliceNode& first = slice_.nodes[birth.path.front()];
      if (b == 0) {
        Line("", absl::StrCat(Head(first), Tail(first, nullptr, 0)));
      }
      const SliceNode& last = slice_.nodes[birth.path.back()];
      const absl::string_view verb = birth.given ? "comes with" : "is born at";
      Line("", absl::StrCat(b == 0 ? "the " : "the infinity in it: the ", what, " ", verb, " ", PlaceText(last.place), frames_.name != nullptr && last.place.device != slice_.nodes[0].place.device ? absl::StrCat(" of ", frames_.name(last.place.device)) : "",
                           birth.hops == 0 ? "" : absl::StrCat(", ", Count(birth.hops, "operation"), " before")));
      Path(birth);
      Tree(birth.path.back(), "  ");
    }
  }

  void Path(const SliceBirth& birth) {
    std::vector<std::string> names;
    const size_t n = birth.path.size();
    for (size_t k = 0; k < n; ++k) {
      if (n > 10 && k == 5) {
        names.push_back("...");
        k = n - 5;
      }
      const SliceNode& node = slice_.nodes[birth.path[k]];
      const FrameHistory::Place& frame = frames_.of(node.place.device).place(node.place.frame);
      const bool elsewhere = frames_.name != nullptr && slice_.nodes[k > 0 ? birth.path[k - 1] : 0].place.device != node.place.device;
      names.push_back(absl::StrCat(elsewhere ? absl::StrCat(frames_.name(node.place.device), " ") : "", PlaceText(node.place), frame.kind == FrameKind::kWhileBody ? absl::StrCat(" @", frame.iteration) : ""));
    }
    if (n > 1) Line("  ", absl::StrCat("by way of ", absl::StrJoin(names, " <- ")));
  }

  const Module& module_;
  const SliceFrames& frames_;
  const Slice& slice_;
  const SliceTextOptions& options_;
  std::string text_;
  std::set<int> printed_;
  bool file_said_ = false;
  int64_t lines_ = 0, left_out_ = 0;
};

std::string JsonIndex(absl::Span<const int64_t> index) { return absl::StrCat("[", absl::StrJoin(index, ","), "]"); }

// Numbers that JSON has as numbers, the others as text.
std::string JsonScalar(const Scalar& s) {
  const std::string text = ToText(s);
  const bool plain = !IsComplex(s.type) && s.IsFinite();
  return plain ? text : JsonQuoted(text);
}

std::string JsonTerm(const SliceTerm& term) {
  return absl::StrCat("{\"at\": ", JsonIndex(term.at), term.initial ? ", \"initial\": true" : "", ", \"value\": ", JsonScalar(term.value), absl::StrFormat(", \"share\": %.6g", term.share),
                      ", \"formula\": ", JsonQuoted(term.formula), ", \"numbers\": ", JsonQuoted(term.numbers), "}");
}

std::string JsonEdge(const SliceEdge& edge) {
  std::vector<std::string> through, notes;
  for (const std::string& name : edge.through) through.push_back(JsonQuoted(name));
  for (const std::string& note : edge.notes) notes.push_back(JsonQuoted(note));
  std::string text = absl::StrCat("{\"node\": ", edge.to, ", \"role\": ", JsonQuoted(RoleWord(edge.role)), ", \"moves\": ", edge.moves, ", \"through\": [", absl::StrJoin(through, ", "), "]");
  if (edge.term >= 0) absl::StrAppend(&text, ", \"term\": ", edge.term);
  if (edge.iterations_first >= 0) absl::StrAppend(&text, ", \"iterations\": [", edge.iterations_first, ", ", edge.iterations_last, "], \"loop\": ", JsonQuoted(NameInText(*edge.loop)));
  if (!notes.empty()) absl::StrAppend(&text, ", \"notes\": [", absl::StrJoin(notes, ", "), "]");
  return text + "}";
}

}  // namespace

std::string SliceText(const Module& module, const SliceFrames& frames, const Slice& slice, const SliceTextOptions& options) {
  return TextPrinter(module, frames, slice, options).Print();
}

std::string SliceJson(const Module& module, const SliceFrames& frames, const Slice& slice) {
  std::vector<std::string> nodes;
  for (size_t n = 0; n < slice.nodes.size(); ++n) {
    const SliceNode& node = slice.nodes[n];
    const Instruction& i = *node.place.instruction;
    const FrameHistory::Place& frame = frames.of(node.place.device).place(node.place.frame);
    std::vector<std::string> reads, terms;
    for (const SliceEdge& edge : node.edges) reads.push_back(JsonEdge(edge));
    for (const SliceTerm& term : node.terms) terms.push_back(JsonTerm(term));
    std::string text = absl::StrCat("{\"id\": ", n, ", \"instruction\": ", JsonQuoted(NameInText(i)), ", \"operation\": ", JsonQuoted(Name(i.opcode)), ", \"computation\": ", JsonQuoted(frame.computation->name));
    if (IsLoop(frame.kind)) absl::StrAppend(&text, ", \"iteration\": ", frame.iteration);
    const std::string where = FrameText(frames.of(node.place.device), node.place.frame);
    if (!where.empty()) absl::StrAppend(&text, ", \"frame\": ", JsonQuoted(where));
    absl::StrAppend(&text, frames.name != nullptr ? absl::StrCat(", \"device\": ", JsonQuoted(frames.name(node.place.device))) : "", ", \"leaf\": ", node.place.leaf, ", \"index\": ", JsonIndex(node.index), ", \"kind\": ", JsonQuoted(KindWord(node.kind)));
    absl::StrAppend(&text, ", \"value\": ", node.known ? JsonScalar(node.value) : "null");
    if (!node.formula.empty()) absl::StrAppend(&text, ", \"formula\": ", JsonQuoted(node.formula));
    if (!node.numbers.empty()) absl::StrAppend(&text, ", \"numbers\": ", JsonQuoted(node.numbers));
    if (!node.fold.empty()) absl::StrAppend(&text, ", \"fold\": ", JsonQuoted(node.fold), ", \"term_count\": ", node.term_count, ", \"padding_terms\": ", node.padding_terms, ", \"terms\": [", absl::StrJoin(terms, ", "), "]");
    if (!node.note.empty()) absl::StrAppend(&text, ", \"note\": ", JsonQuoted(node.note));
    if (const std::string source = SourceOf(module, i); !source.empty()) absl::StrAppend(&text, ", \"source\": ", JsonQuoted(source));
    absl::StrAppend(&text, ", \"expanded\": ", node.expanded ? "true" : "false", ", \"reads\": [", absl::StrJoin(reads, ", "), "]}");
    nodes.push_back(std::move(text));
  }
  std::vector<std::string> births;
  for (const SliceBirth& birth : slice.births) {
    births.push_back(absl::StrCat("{\"what\": \"", birth.nan ? "nan" : "inf", "\", \"node\": ", birth.path.back(), ", \"given\": ", birth.given ? "true" : "false",
                                  ", \"operations\": ", birth.hops, ", \"path\": [", absl::StrJoin(birth.path, ", "), "]}"));
  }
  return absl::StrCat("{\"module\": ", JsonQuoted(module.name), ", \"root\": 0, \"cut\": ", slice.cut ? "true" : "false", ", \"births\": [", absl::StrJoin(births, ", "),
                      "],\n \"nodes\": [\n  ", absl::StrJoin(nodes, ",\n  "), "]}\n");
}

std::string SliceDot(const Module& module, const SliceFrames& frames, const Slice& slice) {
  std::string text = "digraph why {\n  rankdir=BT;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n  edge [fontsize=9];\n";
  for (size_t n = 0; n < slice.nodes.size(); ++n) {
    const SliceNode& node = slice.nodes[n];
    std::string label = absl::StrCat(PlaceText(node.place), " = ", ValueText(node));
    if (!node.formula.empty()) absl::StrAppend(&label, "\n", Cut(node.formula, 80));
    const std::string frame = FrameText(frames.of(node.place.device), node.place.frame);
    if (!frame.empty()) absl::StrAppend(&label, "\n", frame);
    if (frames.name != nullptr) absl::StrAppend(&label, "\n", frames.name(node.place.device));
    const bool source = node.kind == SliceNode::kParameter || node.kind == SliceNode::kConstant;
    absl::StrAppend(&text, "  n", n, " [label=", JsonQuoted(label), source ? ", style=rounded" : "", n == 0 ? ", penwidth=2" : "", "];\n");
  }
  for (size_t n = 0; n < slice.nodes.size(); ++n) {
    for (const SliceEdge& edge : slice.nodes[n].edges) {
      std::vector<std::string> label;
      if (edge.role != ReadRole::kValue) label.push_back(std::string(RoleWord(edge.role)));
      if (edge.term >= 0 && slice.nodes[n].terms[edge.term].share > 0) label.push_back(absl::StrFormat("%.1f %%", slice.nodes[n].terms[edge.term].share * 100));
      if (edge.moves > 0) label.push_back(Cut(absl::StrJoin(edge.through, ", "), 40));
      absl::StrAppend(&text, "  n", edge.to, " -> n", n, label.empty() ? "" : absl::StrCat(" [label=", JsonQuoted(absl::StrJoin(label, "; ")), "]"),
                      edge.role == ReadRole::kValue ? "" : " [style=dashed]", ";\n");
    }
  }
  return text + "}\n";
}

}  // namespace hloscope
