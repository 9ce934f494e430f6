// Commands that look: backtrace, frames, the program's text, facts. Nothing here changes the program's state, only what is selected.
#include <algorithm>
#include <chrono>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/explain.h"
#include "core/debug/formula_in_run.h"
#include "core/debug/parallel_main.h"
#include "core/debug/profile_commands.h"
#include "core/debug/session_state.h"
#include "core/debug/set_readers.h"
#include "core/debug/source_view.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/ops/op.h"
#include "core/shape/layout_map.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

// gdb's number of a frame: 0 is the innermost.
int NumberOf(const Session::State& s, int depth) { return static_cast<int>(s.machine->frames().size()) - 1 - depth; }

std::string FrameText(Session::State& s, int depth, bool python) {
  const Frame& f = s.machine->frames()[depth];
  std::string text = absl::StrFormat("#%-3d%s\n", NumberOf(s, depth), s.DescribeFrame(depth));
  if (python && f.position < static_cast<int>(f.computation->schedule.size())) {
    text += PythonFramesWithSource(s, *f.computation->schedule[f.position], "        ");
  }
  return text;
}

absl::Status Select(Session::State& s, int depth) {
  s.selected = depth;
  s.list_first = s.list_last = 0;
  s.Say(FrameText(s, depth, false));
  const Frame& f = s.machine->frames()[depth];
  if (f.position < static_cast<int>(f.computation->schedule.size())) s.ShowInstruction(*f.computation->schedule[f.position]);
  return absl::OkStatus();
}

}  // namespace

absl::Status CommandBacktrace(Session::State& s, absl::string_view args) {
  const absl::StatusOr<int64_t> most = ParseCount(args, INT64_MAX);
  if (!most.ok()) return most.status();
  const absl::Status running = s.NeedFrames();
  if (!running.ok()) return running;
  int64_t shown = 0;
  for (int depth = static_cast<int>(s.machine->frames().size()) - 1; depth >= 0; --depth) {
    if (++shown > *most) {
      s.Say("(more frames follow)\n");
      break;
    }
    s.Say(FrameText(s, depth, true));
  }
  return absl::OkStatus();
}

absl::Status CommandSelectFrame(Session::State& s, absl::string_view args) {
  const absl::Status running = s.NeedFrames();
  if (!running.ok()) return running;
  const absl::StatusOr<int64_t> number = ParseCount(args, NumberOf(s, s.selected));
  if (!number.ok()) return number.status();
  const int64_t frames = static_cast<int64_t>(s.machine->frames().size());
  if (*number >= frames) return absl::OutOfRangeError(absl::StrCat("there is no frame ", *number, "; the outermost is ", frames - 1));
  return Select(s, static_cast<int>(frames - 1 - *number));
}

absl::Status CommandUp(Session::State& s, absl::string_view args) {
  const absl::StatusOr<int64_t> n = ParseCount(args, 1);
  if (!n.ok()) return n.status();
  const absl::Status running = s.NeedFrames();
  if (!running.ok()) return running;
  if (s.selected == 0 && *n > 0) return absl::OutOfRangeError("this is the outermost frame; no other called it");
  return Select(s, static_cast<int>(std::max<int64_t>(0, s.selected - *n)));
}

absl::Status CommandDown(Session::State& s, absl::string_view args) {
  const absl::StatusOr<int64_t> n = ParseCount(args, 1);
  if (!n.ok()) return n.status();
  const absl::Status running = s.NeedFrames();
  if (!running.ok()) return running;
  const int64_t top = static_cast<int64_t>(s.machine->frames().size()) - 1;
  if (s.selected == top && *n > 0) return absl::OutOfRangeError("this is the innermost frame; it has called no other");
  return Select(s, static_cast<int>(std::min<int64_t>(top, s.selected + *n)));
}

// -- list --

namespace {

// Without the empty line after a last line break.
int LineCount(const SourceText& source) {
  const int lines = source.line_count();
  return lines > 1 && source.Line(lines).empty() ? lines - 1 : lines;
}

void ListLines(Session::State& s, int first, int last) {
  const SourceText& source = *s.module->source;
  first = std::max(first, 1);
  last = std::min(last, LineCount(source));
  const Frame* frame = s.frame();
  int stop = 0;
  if (frame != nullptr && frame->position < static_cast<int>(frame->computation->schedule.size())) {
    stop = LineOf(*s.module, *frame->computation->schedule[frame->position]);
  }
  absl::flat_hash_set<int> marked;
  for (const auto& b : s.breakpoints) {
    for (const Location& location : b->locations) {
      if (b->enabled && b->kind != Breakpoint::kWatch) marked.insert(LineOf(*s.module, location.instruction()));
    }
  }
  std::string text;
  for (int line = first; line <= last; ++line) {
    absl::StrAppend(&text, line == stop ? "=>" : "  ", marked.contains(line) ? "*" : " ", absl::StrFormat("%-5d ", line),
                    Cut(absl::StripTrailingAsciiWhitespace(source.Line(line)), 160), "\n");
  }
  s.Say(text);
  s.list_first = first;
  s.list_last = last;
}

void ListAround(Session::State& s, int line) {
  const int first = std::max<int>(1, line - static_cast<int>(s.list_size) / 2);
  ListLines(s, first, first + static_cast<int>(s.list_size) - 1);
}

}  // namespace

absl::Status CommandList(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  if (absl::Status listed; ListSource(s, args, &listed)) return listed;
  if (args == "text") {
    args = "";
    s.list_first = s.list_last = 0;
  }
  if (s.module->source == nullptr) return absl::FailedPreconditionError("this program was not read from a text");
  const int size = static_cast<int>(s.list_size), lines = LineCount(*s.module->source);
  int first = 0, last = 0;
  if (args == "-") {
    if (s.list_first <= 1) return absl::OutOfRangeError("the text begins here");
    ListLines(s, s.list_first - size, s.list_first - 1);
    return absl::OkStatus();
  }
  if (args.empty() && s.list_last > 0) {
    if (s.list_last >= lines) return absl::OutOfRangeError(absl::StrCat("the text ends here; it has ", Count(lines, "line")));
    ListLines(s, s.list_last + 1, s.list_last + size);
    return absl::OkStatus();
  }
  if (args.empty()) {
    const Frame* frame = s.frame();
    int line = 0;
    if (frame != nullptr) line = LineOf(*s.module, *frame->computation->schedule[std::min<size_t>(frame->position, frame->computation->schedule.size() - 1)]);
    if (line == 0 && s.module->entry->range.valid()) line = s.module->source->Locate(s.module->entry->range.begin).line + size / 2;
    ListAround(s, std::max(line, 1));
    return absl::OkStatus();
  }
  const std::vector<absl::string_view> ends = absl::StrSplit(args, ',');
  if (ends.size() == 2 && absl::SimpleAtoi(ends[0], &first) && absl::SimpleAtoi(ends[1], &last)) {
    if (first < 1 || last < first || first > lines) return absl::OutOfRangeError(absl::StrCat("the text has lines 1 to ", lines));
    ListLines(s, first, last);
    return absl::OkStatus();
  }
  if (absl::SimpleAtoi(args, &first)) {
    if (first < 1 || first > lines) return absl::OutOfRangeError(absl::StrCat("the text has lines 1 to ", lines));
    ListAround(s, first);
    return absl::OkStatus();
  }
  if (const Computation* computation = s.module->FindComputation(absl::StripPrefix(args, "%")); computation != nullptr && computation->range.valid()) {
    first = s.module->source->Locate(computation->range.begin).line;
    ListLines(s, first, first + size - 1);
    return absl::OkStatus();
  }
  const absl::StatusOr<std::vector<Location>> found = ResolveLocations(*s.module, args, s.current_computation());
  if (!found.ok()) return found.status();
  ListAround(s, LineOf(*s.module, found->front().instruction()));
  return absl::OkStatus();
}

// -- info --


absl::Status InfoDisplay(Session::State& s, absl::string_view) {
  if (s.displays.empty()) s.Say("There are no displays.\n");
  for (const DisplayItem& item : s.displays) s.Say(absl::StrFormat("%-3d %s\n", item.number, item.expression));
  return absl::OkStatus();
}

absl::Status InfoFrame(Session::State& s, absl::string_view) {
  const absl::Status running = s.NeedFrames();
  if (!running.ok()) return running;
  const Frame& f = *s.frame();
  s.Say(FrameText(s, s.selected, true), "    instruction ", f.position, " of ", f.computation->schedule.size(), " in ", f.computation->name, "\n");
  if (f.plan != nullptr) s.Say("    ", Count(static_cast<int64_t>(f.plan->regions.size()), "region"), " in its plan\n");
  int64_t held = 0, bytes = 0;
  for (const Value& value : f.values) {
    held += value.has_value();
    if (value.has_value()) bytes += value.byte_size();
  }
  s.Say("    ", Count(held, "value"), " held (", FormatByteCount(bytes), ")\n");
  return absl::OkStatus();
}

absl::Status InfoOp(Session::State& s, absl::string_view args) {
  const absl::StatusOr<const Instruction*> found = s.FindInstruction(args);
  if (!found.ok()) return found.status();
  s.Say(ExplainInstruction(*s.module, **found, FormulaInRun(s, **found)));
  for (int depth = s.machine == nullptr ? -1 : static_cast<int>(s.machine->frames().size()) - 1; depth >= 0; --depth) {
    if (s.machine->frames()[static_cast<size_t>(depth)].computation != (*found)->parent) continue;
    if (const std::string mark = SetMarkOf(s, depth, **found); !mark.empty()) s.Say("  ", mark, "\n");
    break;
  }
  return absl::OkStatus();
}

absl::Status InfoSource(Session::State& s, absl::string_view args) {
  const absl::StatusOr<const Instruction*> found = s.FindInstruction(args);
  if (!found.ok()) return found.status();
  const std::string frames = PythonFramesWithSource(s, **found, "  ");
  s.Say(Describe(*s.module, {(*found)->parent, (*found)->index}), "\n", frames.empty() ? "  the text names no source for it\n" : frames);
  if (!(*found)->metadata.op_name.empty()) s.Say("  op_name: ", (*found)->metadata.op_name, "\n");
  return absl::OkStatus();
}

absl::Status InfoLocals(Session::State& s, absl::string_view args) {
  const absl::Status running = s.NeedFrames();
  if (!running.ok()) return running;
  const Frame& f = *s.frame();
  const int64_t most = absl::StripAsciiWhitespace(args) == "all" ? INT64_MAX : 20;
  constexpr int64_t kSmall = 8;      // elements of a value that is shown
  constexpr double kSeconds = 2;     // for making such values again, all together
  const int first = static_cast<int>(std::max<int64_t>(0, f.position - most));
  const auto begin = std::chrono::steady_clock::now();
  if (first > 0) s.Say("(", Count(first, "earlier instruction"), "; info locals all shows them)\n");
  const SetMarks marks = MarksOfSets(s, s.selected);
  for (int position = first; position < f.position; ++position) {
    const Instruction& i = *f.computation->schedule[position];
    s.Say(ShownName(i), " = ", i.shape.ToString(false));
    if (i.shape.IsArray() && i.shape.ElementCount() <= kSmall) {
      Value value = i.literal != nullptr ? i.literal->value : f.values[position];
      const bool late = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > kSeconds;
      if (!value.has_value() && i.literal == nullptr && !late) value = s.machine->ValueOf(s.selected, position).value_or(Value());
      s.Say(" ", value.has_value() ? Cut(FormatValue(value), 100) : "(not held; print computes it)");
    }
    const auto mark = marks.find(&i);
    s.Say(mark == marks.end() ? "" : absl::StrCat("  (", SetMarkText(mark->second), ")"), "\n");
  }
  if (f.position == 0) s.Say("Nothing has been computed in this frame.\n");
  return absl::OkStatus();
}

absl::Status InfoProgram(Session::State& s, absl::string_view) {
  const Module& m = *s.module;
  s.Say("module ", m.name, m.source != nullptr ? absl::StrCat(" (", m.source->name(), ")") : "", ": ", Count(m.instruction_count(), "instruction"), " in ",
        Count(static_cast<int64_t>(m.computations.size()), "computation"), ", entry ", m.entry->name, "\n");
  for (const Instruction* parameter : m.entry->parameters) {
    if (parameter->parameter_number >= 8) {
      s.Say("  ... and ", Count(static_cast<int64_t>(m.entry->parameters.size()) - 8, "more parameter"), "\n");
      break;
    }
    s.Say("  parameter ", parameter->parameter_number, ": ", ShownName(*parameter), " ", parameter->shape.ToString(false), "\n");
  }
  s.Say("  result: ", Cut(m.entry->root->shape.ToString(false), 200), "\n");
  const int elided = CountElidedConstants(m);
  if (elided > 0) s.Say("  ", Count(elided, "elided constant"), ", made up: runs are no reproduction\n");
  if (s.machine == nullptr) {
    s.Say("not started\n");
  } else if (s.machine->finished()) {
    s.Say("finished after ", Count(s.machine->executed(), "instruction"), "\n");
  } else if (s.error_stop) {
    s.Say("stopped with an error: ", s.stop_status().message(), "\n");
  } else {
    s.Say("stopped at ", s.DescribeFrame(static_cast<int>(s.machine->frames().size()) - 1), " after ", Count(s.machine->executed(), "instruction"), "\n");
  }
  return absl::OkStatus();
}

// The bytes of a value in the order of memory: a line for each run of the most minor dimension (of a tile, where there are tiles), padding in
// parentheses.
std::string LayoutText(const Value& value, int64_t most) {
  const LayoutMap map(value.shape());
  std::string text = absl::StrCat(value.shape().ToString(), ": ", map.PhysicalSize(), " positions of ", map.ElementBits(), " bits, ",
                                  FormatByteCount(value.byte_size()), map.HasPadding() ? ", padding in parentheses" : "", "\n");
  const std::vector<int64_t>& dims = map.physical_dimensions();
  const int64_t run = dims.empty() ? 1 : std::max<int64_t>(1, dims.back());
  for (int64_t p = 0; p < std::min(most, map.PhysicalSize()); ++p) {
    const std::string element = ToText(PhysicalElement(value, p));
    absl::StrAppend(&text, p % run == 0 ? (p > 0 ? "\n  " : "  ") : " ", map.LogicalOfPhysical(p).has_value() ? element : absl::StrCat("(", element, ")"));
  }
  if (map.PhysicalSize() > most) absl::StrAppend(&text, " ...");
  return map.PhysicalSize() > 0 ? text + "\n" : text;
}

absl::Status InfoMemory(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  if (!args.empty()) {
    const absl::StatusOr<Value> value = s.StoredValueOf(args);
    if (!value.ok()) return value.status();
    if (!value->shape().IsArray()) return absl::InvalidArgumentError(absl::StrCat(args, " is not an array"));
    s.Say(LayoutText(*value, 512));
    return absl::OkStatus();
  }
  const ProfileData* profile = LastProfile(s);
  if (s.machine == nullptr && profile != nullptr) {
    s.Say("the profiled run: ", MemoryText(*profile));
    return absl::OkStatus();
  }
  if (s.machine == nullptr) return absl::FailedPreconditionError("the program has not been started; profile run shows the memory of a whole run");
  const MemoryAccount& account = s.machine->account();
  s.Say("values and scratch: ", FormatByteCount(account.live()), " now, ", FormatByteCount(account.peak()), " at most\nretained for looking back: up to ",
        FormatByteCount(s.options.retain_bytes), "\nlimit: ", s.options.memory_limit == 0 ? "none" : FormatByteCount(s.options.memory_limit), "\n");
  if (const std::string held = HeldNowText(s, 8); !held.empty()) s.Say("held now:\n", held);
  if (profile != nullptr) s.Say("the profiled run: ", MemoryText(*profile));
  return absl::OkStatus();
}

absl::Status InfoNotices(Session::State& s, absl::string_view) {
  if (s.notices.empty()) s.Say("There are no notices.\n");
  for (const std::string& notice : s.notices) s.Say("note: ", notice, "\n");
  return absl::OkStatus();
}

absl::Status InfoOutfeed(Session::State& s, absl::string_view) {
  if (s.machine == nullptr) return absl::FailedPreconditionError("the program has not been started");
  const std::vector<Value>& items = s.machine->outfeed();
  const bool unfollowed = !s.options.devices.of_main && FindParallelMain(*s.module).call != nullptr;
  if (items.empty()) s.Say("Nothing has gone to the outfeed", unfollowed ? " of main; what the devices put there that it runs is not kept, as they are not followed" : "", ".\n");
  for (size_t k = 0; k < items.size(); ++k) s.Say(k, ": ", items[k].shape().ToString(false), " ", FormatValue(items[k]), "\n");
  return absl::OkStatus();
}

absl::Status CommandExplain(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  if (const std::optional<Opcode> opcode = OpcodeFromAnyName(args); opcode && !s.IsName(args)) {
    s.Say(ExplainOperation(*opcode));
    return absl::OkStatus();
  }
  return InfoOp(s, args);
}

}  // namespace hloscope
