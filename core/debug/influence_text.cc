// A forward slice as text, JSON and a Graphviz graph, and the command influence.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/influence.h"
#include "core/debug/locations.h"
#include "core/debug/session_state.h"
#include "core/debug/slice_command.h"
#include "core/debug/slice_text.h"
#include "core/debug/text_util.h"

namespace hloscope {
namespace {

constexpr int64_t kLines = 60;

std::string NameOf(const InfluenceNode& node) { return absl::StrCat("%", node.instruction->name, LeafPathText(node.instruction->shape, node.leaf)); }

// "iteration 3 of %w", "iterations 0, 2 to 5 of %w".
std::string LoopText(const InfluenceLoop& around) {
  constexpr size_t kSpans = 8;
  std::vector<std::string> parts;
  for (const InfluenceLoop::Span& span : around.spans) {
    if (parts.size() == kSpans && around.spans.size() > kSpans + 1) {
      parts.push_back(absl::StrCat("... ", around.spans.back().last));
      break;
    }
    parts.push_back(span.first == span.last ? absl::StrCat(span.first) : absl::StrCat(span.first, " to ", span.last));
  }
  const bool one = around.spans.size() == 1 && around.spans[0].first == around.spans[0].last;
  return absl::StrCat(around.condition ? "condition" : "iteration", one ? " " : "s ", absl::StrJoin(parts, ", "), " of %", around.loop->name);
}

std::string WhereOf(const FrameHistory& history, const InfluenceNode& node) {
  const FrameHistory::Place& p = history.place(node.frame);
  std::vector<std::string> parts;
  switch (p.kind) {
    case FrameKind::kEntry: return "";
    case FrameKind::kCall: parts.push_back(absl::StrCat("call of %", p.caller->name)); break;
    case FrameKind::kFusion: parts.push_back(absl::StrCat("fusion %", p.caller->name)); break;
    case FrameKind::kBranch: parts.push_back(absl::StrCat("branch ", p.branch, " of %", p.caller->name)); break;
    case FrameKind::kElement: parts.push_back(absl::StrCat("call ", p.iteration, " for %", p.caller->name)); break;
    case FrameKind::kWhileBody:
    case FrameKind::kWhileCondition: break;
  }
  for (const InfluenceLoop& around : node.loops) parts.push_back(LoopText(around));
  return absl::StrCat(p.computation->name, ", ", absl::StrJoin(parts, ", "));
}

}  // namespace

std::string InfluenceText(const Module& module, const FrameHistory& history, const Influence& influence, bool all) {
  std::string text;
  int64_t lines = 0, left_out = 0, instructions = 0;
  for (size_t n = 1; n < influence.nodes.size(); ++n) {
    const InfluenceNode& node = influence.nodes[n];
    if (node.moves && !all && node.instruction != module.entry->root) continue;
    ++instructions;
    if (!all && lines >= kLines) {
      ++left_out;
      continue;
    }
    ++lines;
    const Shape& shape = LeafShape(node.instruction->shape, node.leaf);
    absl::StrAppend(&text, "  ", NameOf(node), "  ", shape.ToString(false), ": ", Describe(node.set, shape));
    std::vector<std::string> more = {std::string(Name(node.instruction->opcode))};
    if (const std::string where = WhereOf(history, node); !where.empty()) more.push_back(absl::StrCat("in ", where));
    if (const int line = LineOf(module, *node.instruction); line > 0) more.push_back(absl::StrCat(Basename(module.source->name()), ":", line));
    absl::StrAppend(&text, "   (", absl::StrJoin(more, "; "), ")\n");
  }
  std::string head = absl::StrCat(PlaceText(influence.place), instructions == 0 ? " influences nothing that was executed" : absl::StrCat(" influences ", Count(instructions, "value"), ":"), "\n");
  if (left_out > 0) absl::StrAppend(&text, "  ... ", Count(left_out, "more line"), " (/all shows them)\n");
  for (const std::string& note : influence.notes) absl::StrAppend(&text, "note: ", note, "\n");
  if (influence.reaches_result) text += "It reaches the program's result.\n";
  else if (influence.notes.empty()) text += "It does not reach the program's result.\n";
  return head + text;
}

std::string InfluenceJson(const Module& module, const FrameHistory& history, const Influence& influence) {
  std::vector<std::string> nodes, notes;
  for (size_t n = 0; n < influence.nodes.size(); ++n) {
    const InfluenceNode& node = influence.nodes[n];
    const ElementSet::Box bounds = node.set.Bounds();
    std::vector<std::string> first;
    const Shape& shape = LeafShape(node.instruction->shape, node.leaf);
    for (const ElementSet::Run& run : node.set.runs()) {
      for (int64_t e = run.begin; e < run.end && first.size() < 8; ++e) first.push_back(absl::StrCat("[", absl::StrJoin(IndexOfPlace(shape, e), ","), "]"));
    }
    std::string text = absl::StrCat("{\"id\": ", n, ", \"instruction\": ", JsonQuoted(node.instruction->name), ", \"operation\": ", JsonQuoted(Name(node.instruction->opcode)),
                                    ", \"computation\": ", JsonQuoted(history.place(node.frame).computation->name), ", \"leaf\": ", node.leaf, ", \"elements\": ", node.set.count(),
                                    ", \"of\": ", node.set.total(), ", \"exact\": ", node.set.exact ? "true" : "false", ", \"low\": [", absl::StrJoin(bounds.low, ","), "], \"high\": [",
                                    absl::StrJoin(bounds.high, ","), "], \"first\": [", absl::StrJoin(first, ", "), "], \"from\": [", absl::StrJoin(node.from, ", "), "]");
    if (!node.loops.empty()) {  // from the first to the last of the innermost loop, and all of them by loop
      std::vector<std::string> loops;
      for (const InfluenceLoop& around : node.loops) {
        std::vector<std::string> spans;
        for (const InfluenceLoop::Span& span : around.spans) spans.push_back(absl::StrCat("[", span.first, ", ", span.last, "]"));
        loops.push_back(absl::StrCat("{\"loop\": ", JsonQuoted(around.loop->name), ", \"part\": \"", around.condition ? "condition" : "body", "\", \"spans\": [", absl::StrJoin(spans, ", "), "]}"));
      }
      absl::StrAppend(&text, ", \"iterations\": [", node.loops[0].spans.front().first, ", ", node.loops[0].spans.back().last, "], \"loops\": [", absl::StrJoin(loops, ", "), "]");
    }
    nodes.push_back(text + "}");
  }
  for (const std::string& note : influence.notes) notes.push_back(JsonQuoted(note));
  return absl::StrCat("{\"module\": ", JsonQuoted(module.name), ", \"element\": ", JsonQuoted(PlaceText(influence.place)), ", \"reaches_result\": ", influence.reaches_result ? "true" : "false",
                      ", \"notes\": [", absl::StrJoin(notes, ", "), "],\n \"nodes\": [\n  ", absl::StrJoin(nodes, ",\n  "), "]}\n");
}

std::string InfluenceDot(const Module& module, const FrameHistory& history, const Influence& influence) {
  std::string text = "digraph influence {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n";
  for (size_t n = 0; n < influence.nodes.size(); ++n) {
    const InfluenceNode& node = influence.nodes[n];
    const std::string where = WhereOf(history, node);
    absl::StrAppend(&text, "  n", n, " [label=", JsonQuoted(absl::StrCat(NameOf(node), "\n", Describe(node.set, LeafShape(node.instruction->shape, node.leaf)), where.empty() ? "" : absl::StrCat("\n", where))),
                    n == 0 ? ", penwidth=2" : "", "];\n");
    for (int from : node.from) absl::StrAppend(&text, "  n", from, " -> n", n, ";\n");
  }
  return text + "}\n";
}

absl::Status CommandInfluence(Session::State& s, absl::string_view args) {
  absl::StatusOr<SliceRequest> request = ParseSliceRequest(s, "influence", args);
  if (!request.ok()) return request.status();
  s.machine->interrupt().store(false);
  ElementReader reader(*s.machine, s.options.retain_bytes, PastOf(s));
  absl::StatusOr<Influence> influence = BuildInfluence(reader, *s.machine, request->place, request->all ? 0 : kInfluenceSteps);
  if (!influence.ok()) return influence.status();
  if (!request->json.empty()) {
    absl::Status status = WriteSlice(s, request->json, InfluenceJson(*s.module, reader.history(), *influence));
    if (!status.ok()) return status;
  }
  if (!request->graph.empty()) {
    absl::Status status = WriteSlice(s, request->graph, InfluenceDot(*s.module, reader.history(), *influence));
    if (!status.ok()) return status;
  }
  if (request->json.empty() && request->graph.empty()) s.Say(InfluenceText(*s.module, reader.history(), *influence, request->all));
  return absl::OkStatus();
}

}  // namespace hloscope
