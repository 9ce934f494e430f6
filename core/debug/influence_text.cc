// A forward slice as text, JSON and a Graphviz graph, and the command influence.
#include <functional>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/debug/ahead_together.h"
#include "core/debug/device_readers.h"
#include "core/debug/devices.h"
#include "core/debug/devices_at_end.h"
#include "core/debug/influence.h"
#include "core/debug/influence_across.h"
#include "core/debug/influence_depth.h"
#include "core/debug/interruption.h"
#include "core/debug/last_slice.h"
#include "core/debug/locations.h"
#include "core/debug/session_state.h"
#include "core/debug/slice_command.h"
#include "core/debug/slice_instructions.h"
#include "core/debug/slice_text.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

constexpr int64_t kLines = 60;

std::string NameOf(const InfluenceNode& node) { return absl::StrCat(ShownName(*node.instruction), LeafPathText(node.instruction->shape, node.leaf)); }

// "iteration 3 of %w", "iterations 0, 2 to 5 of %w".
std::string LoopText(const InfluenceLoop& around, const std::string& name) {
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
  return absl::StrCat(around.condition ? "condition" : "iteration", one ? " " : "s ", absl::StrJoin(parts, ", "), " of %", name);
}

}  // namespace

std::string InfluenceWhere(const FrameHistory& history, const InfluenceNode& node) {
  size_t level = 0;
  return FrameText(history, node.frame, [&](int frame, const std::string& caller) -> std::string {
    const FrameKind kind = history.place(frame).kind;
    const bool loops = IsLoop(kind);
    return loops && level < node.loops.size() ? LoopText(node.loops[level++], caller) : "";
  });
}

std::string InfluenceLines(const Module& module, const FrameHistory& history, const Influence& influence, size_t first, bool all,
                           int64_t* values) {
  std::string text;
  int64_t lines = 0, left_out = 0;
  for (size_t n = first; n < influence.nodes.size(); ++n) {
    const InfluenceNode& node = influence.nodes[n];
    if (node.moves && !all && node.instruction != module.entry->root) continue;
    ++*values;
    if (!all && lines >= kLines) {
      ++left_out;
      continue;
    }
    ++lines;
    const Shape& shape = LeafShape(node.instruction->shape, node.leaf);
    absl::StrAppend(&text, "  ", NameOf(node), "  ", shape.ToString(false), ": ", Describe(node.set, shape));
    std::vector<std::string> more = {std::string(Name(node.instruction->opcode))};
    if (const std::string where = InfluenceWhere(history, node); !where.empty()) more.push_back(absl::StrCat("in ", where));
    if (const int line = LineOf(module, *node.instruction); line > 0) more.push_back(absl::StrCat(Basename(module.source->name()), ":", line));
    absl::StrAppend(&text, "   (", absl::StrJoin(more, "; "), ")\n");
  }
  if (left_out > 0) absl::StrAppend(&text, "  ... ", Count(left_out, "more line"), " (/all shows them)\n");
  return text;
}

std::string InfluenceText(const Module& module, const FrameHistory& history, const Influence& influence, bool all) {
  int64_t instructions = 0;
  std::string text = InfluenceLines(module, history, influence, 1, all, &instructions);
  std::string head = absl::StrCat(
      PlaceText(influence.place),
      instructions == 0 ? " influences nothing that was executed" : absl::StrCat(" influences ", Count(instructions, "value"), ":"), "\n");
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
    std::string text = absl::StrCat("{\"id\": ", n, ", \"instruction\": ", JsonQuoted(NameInText(*node.instruction)), ", \"operation\": ", JsonQuoted(Name(node.instruction->opcode)),
                                    ", \"computation\": ", JsonQuoted(history.place(node.frame).computation->name), ", \"leaf\": ", node.leaf, ", \"elements\": ", node.set.count(),
                                    ", \"of\": ", node.set.total(), ", \"exact\": ", node.set.exact ? "true" : "false", ", \"low\": [", absl::StrJoin(bounds.low, ","), "], \"high\": [",
                                    absl::StrJoin(bounds.high, ","), "], \"first\": [", absl::StrJoin(first, ", "), "], \"from\": [", absl::StrJoin(node.from, ", "), "]");
    if (!node.received.empty()) {
      const auto one = [](std::string* out, const std::pair<int, int>& r) { absl::StrAppend(out, "{\"device\": ", r.first, ", \"node\": ", r.second, "}"); };
      absl::StrAppend(&text, ", \"received\": [", absl::StrJoin(node.received, ", ", one), "]");
    }
    if (const std::string where = InfluenceWhere(history, node); !where.empty()) absl::StrAppend(&text, ", \"frame\": ", JsonQuoted(where));
    if (!node.loops.empty()) {  // from the first to the last of the innermost loop, and all of them by loop
      std::vector<std::string> loops;
      for (const InfluenceLoop& around : node.loops) {
        std::vector<std::string> spans;
        for (const InfluenceLoop::Span& span : around.spans) spans.push_back(absl::StrCat("[", span.first, ", ", span.last, "]"));
        loops.push_back(absl::StrCat("{\"loop\": ", JsonQuoted(NameInText(*around.loop)), ", \"part\": \"", around.condition ? "condition" : "body", "\", \"spans\": [", absl::StrJoin(spans, ", "), "]}"));
      }
      absl::StrAppend(&text, ", \"iterations\": [", node.loops[0].spans.front().first, ", ", node.loops[0].spans.back().last, "], \"loops\": [", absl::StrJoin(loops, ", "), "]");
    }
    nodes.push_back(text + "}");
  }
  for (const std::string& note : influence.notes) notes.push_back(JsonQuoted(note));
  return absl::StrCat("{\"module\": ", JsonQuoted(module.name), ", \"element\": ", JsonQuoted(PlaceText(influence.place)), ", \"reaches_result\": ", influence.reaches_result ? "true" : "false",
                      ", \"notes\": [", absl::StrJoin(notes, ", "), "],\n \"nodes\": [\n  ", absl::StrJoin(nodes, ",\n  "), "]}\n");
}

std::string InfluenceDotNodes(const FrameHistory& history, const Influence& influence, absl::string_view name, bool asked) {
  std::string text;
  for (size_t n = 0; n < influence.nodes.size(); ++n) {
    const InfluenceNode& node = influence.nodes[n];
    const std::string where = InfluenceWhere(history, node);
    const std::string label = absl::StrCat(NameOf(node), "\n", Describe(node.set, LeafShape(node.instruction->shape, node.leaf)),
                                           where.empty() ? "" : "\n", where);
    absl::StrAppend(&text, "  ", name, n, " [label=", JsonQuoted(label), n == 0 && asked ? ", penwidth=2" : "", "];\n");
    for (int from : node.from) absl::StrAppend(&text, "  ", name, from, " -> ", name, n, ";\n");
  }
  return text;
}

std::string InfluenceDot(const FrameHistory& history, const Influence& influence) {
  return absl::StrCat("digraph influence {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n",
                      InfluenceDotNodes(history, influence, "n", true), "}\n");
}

namespace {

// The number of a frame that a moment is in: on the stack, or ended.
absl::StatusOr<int> FrameAt(const Machine& machine, FrameHistory& history, const Mark& mark) {
  int frame = 0;
  for (size_t k = 1; k < mark.levels.size(); ++k) {
    const Mark::Level& level = mark.levels[k];
    const FrameHistory::Place p = history.place(frame);
    const Instruction& caller = *p.computation->schedule[mark.levels[k - 1].position];
    if (p.live && k < machine.frames().size()) {
      const Frame& inner = machine.frames()[k];
      if (inner.caller == &caller && inner.kind == level.kind && inner.iteration == level.iteration && inner.branch == level.branch) {
        frame = static_cast<int>(k);
        continue;
      }
    }
    switch (level.kind) {
      case FrameKind::kCall:
      case FrameKind::kFusion: frame = history.EnterCall(frame, caller); break;
      case FrameKind::kWhileBody: frame = history.EnterBody(frame, caller, level.iteration); break;
      case FrameKind::kWhileCondition: frame = history.EnterCondition(frame, caller, level.iteration); break;
      case FrameKind::kBranch: {
        absl::StatusOr<int> branch = history.EnterBranch(frame, caller);
        if (!branch.ok()) return branch;
        frame = *branch;
        break;
      }
      case FrameKind::kEntry:
      case FrameKind::kElement: return absl::FailedPreconditionError("element computations have no history");
    }
  }
  return frame;
}

absl::Status ShowInfluence(Session::State& s, const SliceRequest& request, const Mark* mark);

// The program is run on to its end, or to the error that it stops with, on all devices, and comes back.
absl::Status ShowInfluenceAtEnd(Session::State& s, const SliceRequest& request, const Mark& mark) {
  if (Several(s)) return LookAtEndOfAll(s, [&] { return ShowInfluence(s, request, &mark); });
  return LookAround(s, [&]() -> absl::Status {
    Mark end;
    end.levels.push_back({FrameKind::kEntry, 0, -1, static_cast<int>(s.module->entry->schedule.size())});
    const StopReason reason = s.Extension<Travel>().timeline->Seek(end);
    if (reason == StopReason::kInterrupted) return Interruption();
    if (reason == StopReason::kError) {
      s.Say("The program does not come to its end, it stops at ", s.DescribeFrame(static_cast<int>(s.machine->frames().size()) - 1), ": ", s.machine->status().message(), "\n");
    }
    return ShowInfluence(s, request, &mark);
  });
}

// The arguments without /to-end; nothing: they do not have it.
std::optional<std::string> WithoutToEnd(absl::string_view args) {
  std::vector<absl::string_view> words = absl::StrSplit(args, ' ', absl::SkipEmpty());
  if (std::erase(words, "/to-end") == 0) return std::nullopt;
  return absl::StrJoin(words, " ");
}

// From an element of another moment, in all that has been executed up to the present.
absl::Status InfluenceOfMoment(Session::State& s, absl::string_view command, absl::string_view expression, absl::string_view moment) {
  const Mark now = s.visible() ? s.machine->Where() : Mark();
  struct Asked {
    SliceRequest request;
    Mark mark;  // after it
    std::string label;
  };
  std::vector<Asked> asked;
  std::string said;  // what tells several moments apart is shown with each
  const std::function<void(absl::string_view)> out = s.out;
  s.out = [&](absl::string_view text) { absl::StrAppend(&said, text); };
  bool to_end = false;
  const AheadTogether together(s);
  absl::Status status = LookBack(s, moment, ElementOf(expression), [&](absl::string_view) -> absl::Status {
    absl::StatusOr<SliceRequest> request = ParseSliceRequest(s, command, expression);
    if (!request.ok()) return request.status();
    Asked each{*std::move(request), s.machine->Where(), std::move(said)};
    said.clear();
    to_end = each.request.to_end;
    each.mark.levels.resize(each.request.place.frame + 1);
    each.mark.levels.back().position = each.request.place.instruction->index + 1;
    asked.push_back(std::move(each));
    return absl::OkStatus();
  });
  s.out = out;
  // Of several devices that may be a moment to which they have to come together.
  const std::optional<std::string> args = Several(s) && !status.ok() && !absl::IsInvalidArgument(status) ? WithoutToEnd(expression) : std::nullopt;
  if (args.has_value())
    return LookAtEndOfAll(s, [&] { return InfluenceOfMoment(s, command, *args, moment); });
  if (!status.ok()) return status;
  const OneAnswer one(s.Extension<LastSlice>());
  for (Asked& each : asked) {
    if (!each.label.empty()) s.Say(each.label);
    if (now < each.mark && !to_end) {
      return absl::FailedPreconditionError(absl::StrCat("the program has not come to ", moment, " yet: nothing was influenced there; ",
                                                        AsTyped(command, absl::StrCat("/to-end ", expression, " @ ", moment)),
                                                        " runs it to its end first"));
    }
    status = to_end ? ShowInfluenceAtEnd(s, each.request, each.mark) : ShowInfluence(s, each.request, &each.mark);
    if (!status.ok()) return status;
  }
  if (!said.empty()) s.Say(said);
  return absl::OkStatus();
}

}  // namespace

absl::Status CommandInfluence(Session::State& s, absl::string_view args) { return ShowInfluenceAs(s, "influence", args); }

absl::Status ShowInfluenceAs(Session::State& s, absl::string_view command, absl::string_view args) {
  if (absl::string_view expression, moment; SplitMoment(args, &expression, &moment))
    return InfluenceOfMoment(s, command, expression, moment);
  absl::StatusOr<SliceRequest> request = ParseSliceRequest(s, command, args);
  if (!request.ok()) return request.status();
  if (!request->to_end) return ShowInfluence(s, *request, nullptr);
  Mark mark = s.machine->Where();
  mark.levels.resize(request->place.frame + 1);
  mark.levels.back().position = request->place.instruction->index + 1;
  return ShowInfluenceAtEnd(s, *request, mark);
}

namespace {

// On all devices: what each has executed.
absl::Status ShowInfluenceAcross(Session::State& s, SliceRequest request, const Mark* mark) {
  DeviceReaders readers(s);
  request.place.device = readers.selected();
  if (mark != nullptr) {
    absl::StatusOr<int> frame = FrameAt(*s.machine, readers.of(readers.selected()).history(), *mark);
    if (!frame.ok()) return frame.status();
    request.place.frame = *frame;
  }
  absl::StatusOr<std::vector<Influence>> influence = BuildInfluenceAcross(s, readers, request.place);
  if (!influence.ok()) return influence.status();
  if (request.depth > 0) KeepHops(absl::MakeSpan(*influence), readers.selected(), request.depth);
  LastSlice& last = s.Extension<LastSlice>();
  last.Begin(*s.module);
  last.Add(request.place.instruction, CallsTo(readers.of(readers.selected()).history(), request.place.frame));
  last.AddOn(readers.selected(), request.place.instruction);
  for (int d = 0; d < static_cast<int>(influence->size()); ++d) {
    for (const InfluenceNode& node : (*influence)[static_cast<size_t>(d)].nodes) {
      last.Add(node.instruction, CallsTo(readers.of(d).history(), node.frame));
      last.AddOn(d, node.instruction);
    }
  }
  AddInfluenceParts(s, readers, *influence, &last.parts);
  absl::Status status;
  if (!request.json.empty()) status = WriteSlice(s, request.json, InfluenceJsonAcross(s, readers, *influence));
  if (status.ok() && !request.graph.empty()) {
    SliceParts parts;  // of this moment
    AddInfluenceParts(s, readers, *influence, &parts);
    status = WriteSliceGraph(s, request.graph, parts, request.place, false, [&] { return InfluenceDotAcross(s, readers, *influence); });
  }
  if (request.json.empty() && request.graph.empty()) s.Say(InfluenceTextAcross(s, readers, *influence, request.all));
  return status;
}

absl::Status ShowInfluence(Session::State& s, const SliceRequest& asked, const Mark* mark) {
  s.machine->interrupt().store(false);
  if (Several(s)) return ShowInfluenceAcross(s, asked, mark);
  ElementReader reader(*s.machine, s.options.retain_bytes, PastOf(s));
  SliceRequest copy = asked;
  const SliceRequest* request = &copy;
  if (mark != nullptr) {
    absl::StatusOr<int> frame = FrameAt(*s.machine, reader.history(), *mark);
    if (!frame.ok()) return frame.status();
    copy.place.frame = *frame;
  }
  absl::StatusOr<Influence> influence = BuildInfluence(reader, *s.machine, request->place, request->all ? 0 : kInfluenceSteps);
  if (!influence.ok()) return influence.status();
  if (request->depth > 0) KeepHops(absl::MakeSpan(&*influence, 1), 0, request->depth);
  const auto tell = [&](LastSlice& last) {
    last.Begin(*s.module);
    last.Add(request->place.instruction, CallsTo(reader.history(), request->place.frame));
    for (const InfluenceNode& node : influence->nodes) last.Add(node.instruction, CallsTo(reader.history(), node.frame));
  };
  tell(s.Extension<LastSlice>());
  if (!request->json.empty()) {
    absl::Status status = WriteSlice(s, request->json, InfluenceJson(*s.module, reader.history(), *influence));
    if (!status.ok()) return status;
  }
  if (!request->graph.empty()) {
    LastSlice alone;  // this moment
    tell(alone);
    absl::Status status = WriteSliceGraph(s, request->graph, *PartsOf(alone), request->place, false, [&] { return InfluenceDot(reader.history(), *influence); });
    if (!status.ok()) return status;
  }
  if (request->json.empty() && request->graph.empty()) s.Say(InfluenceText(*s.module, reader.history(), *influence, request->all));
  return absl::OkStatus();
}

}  // namespace
}  // namespace hloscope
