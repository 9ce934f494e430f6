// Lists of breakpoints, watches and displays: info break, info watch, and stop save and load, which write and read them as commands.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/debug/catch_commands.h"
#include "core/debug/file_words.h"
#include "core/debug/stop_check.h"
#include "core/debug/stop_walk.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

// A name alone means other places in other frames, with its computation it does not; nor does it in another text, where a line's number does.
std::string PlaceText(const Module& module, const Breakpoint& b) {
  const Location& first = b.locations[0];
  const absl::string_view name = absl::StripPrefix(b.spec, "%");
  const bool of_text = b.elsewhere || TextLineOf(module, b.spec).has_value();
  if (!of_text && (b.locations.size() > 1 || (name != first.instruction().name && b.spec != ShownName(first.instruction())))) return b.spec;
  return absl::StrJoin(b.locations, ",", [](std::string* out, const Location& each) {
    absl::StrAppend(out, "%", each.computation->name, ":", ShownName(each.instruction()).substr(1));
  });
}

}  // namespace

void ShowBreakpoint(Session::State& s, const Breakpoint& b) {
  const StopFigures figures = FiguresOf(s, b);
  const StopCounts& counts = figures.counts;
  const std::string places = b.locations.size() == 1 ? absl::StrCat(": ", b.stops_after(0) && b.kind != Breakpoint::kWatch ? "after " : "", Describe(*s.module, b.locations[0]))
                                                     : absl::StrCat(", ", b.locations.size(), " places");
  if (b.kind == Breakpoint::kWatch) {
    s.Say(absl::StrFormat("%-3d watch %s", b.number, b.expression), b.becomes && b.condition != b.expression ? absl::StrCat(" when ", b.condition) : "",
          b.becomes && b.condition == b.expression ? ", when it becomes true" : "", b.locations.size() == 1 ? places : absl::StrCat(" in ", b.home->name, places));
  } else if (b.kind == Breakpoint::kCatch) {
    s.Say(absl::StrFormat("%-3d catch %s", b.number, CatchDescription(b)));
  } else {
    s.Say(absl::StrFormat("%-3d %s%s", b.number, b.kind == Breakpoint::kLog ? "logpoint " : "", b.shown_spec()), places);
  }
  s.Say(b.temporary ? ", temporary" : "", b.from_program ? ", from the program" : "", figures.awake ? "" : ", disabled",
        figures.awake && figures.stops_left > 0 ? absl::StrCat(", sleeps after ", Count(figures.stops_left, "more stop")) : "", "\n");
  if (!b.condition.empty() && !b.becomes) s.Say("    only if ", b.condition, "\n");
  if (b.kind == Breakpoint::kLog) s.Say("    writes \"", absl::StrReplaceAll(b.text, {{"\n", "\\n"}}), "\"", b.file.empty() ? "" : absl::StrCat(b.file_only ? " into " : " to ", FileWord(b.file)), "\n");
  if (counts.reached > 0) {
    const bool watch = b.kind == Breakpoint::kWatch;
    const absl::string_view wanted = !watch                 ? ", its condition true "
                                     : b.becomes           ? ", became true "
                                     : b.condition.empty() ? ", changed "
                                                           : ", changed with its condition true ";
    s.Say("    ", watch ? "computed " : b.kind == Breakpoint::kCatch ? "caught " : "reached ", Count(counts.reached, "time"),
          watch || !b.condition.empty() ? absl::StrCat(wanted, Count(counts.hits - counts.unknown, "time")) : "",
          counts.unknown > 0 ? absl::StrCat(", not to be evaluated ", Count(counts.unknown, "time")) : "", "\n");
  }
  if (figures.passed > 0) s.Say("    passed ", Count(figures.passed, "more time"), "\n");
  for (const Breakpoint::Command& command : b.commands) s.Say("        ", command.text, "\n");
}

namespace {

std::string AsCommands(Session::State& s, const Breakpoint& b) {
  const StopFigures figures = FiguresOf(s, b);
  std::string text;
  const std::string condition = b.condition.empty() ? "" : absl::StrCat(" if ", b.condition);
  // The program's own come with it, under the numbers that they have here.
  const std::string which = b.from_program ? absl::StrCat(b.number) : "last";
  switch (b.kind) {
    case Breakpoint::kBreak:
      if (b.from_program) text = b.condition.empty() ? "" : absl::StrCat("condition ", which, " ", b.condition, "\n");
      else text = absl::StrCat(b.temporary ? "tbreak " : "break ", PlaceText(*s.module, b), condition, "\n");
      break;
    case Breakpoint::kLog:
      text = absl::StrCat("logpoint ", PlaceText(*s.module, b), b.file.empty() ? "" : absl::StrCat(b.file_only ? " into " : " to ", FileWord(b.file)), " ", InQuotes(b.text), condition, "\n");
      break;
    case Breakpoint::kWatch:
      text = absl::StrCat("watch ", b.becomes && b.condition == b.expression ? "-if " : "", b.expression, " in ", b.home->name,
                          !b.becomes ? condition : b.condition == b.expression ? "" : absl::StrCat(" when ", b.condition), "\n");
      break;
    case Breakpoint::kCatch:
      text = absl::StrCat("catch ", CatchText(b), condition, "\n");
      break;
  }
  if ((b.kind != Breakpoint::kBreak || b.from_program) && b.temporary) absl::StrAppend(&text, "enable delete ", which, "\n");
  if (figures.passed > 0) absl::StrAppend(&text, "ignore ", which, " ", figures.passed, "\n");
  if (figures.stops_left > 0) absl::StrAppend(&text, "enable count ", figures.stops_left, " ", which, "\n");
  if (!b.commands.empty()) {
    const auto add = [](std::string* out, const Breakpoint::Command& command) { absl::StrAppend(out, "  ", command.text, "\n"); };
    absl::StrAppend(&text, "commands ", which, "\n", absl::StrJoin(b.commands, "", add), "end\n");
  }
  if (!figures.awake) absl::StrAppend(&text, "disable ", which, "\n");
  return text;
}

absl::StatusOr<bool> All(const absl::Status& known) { return known.ok() ? absl::StatusOr<bool>(true) : known; }

}  // namespace

absl::Status InfoBreak(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  if (!args.empty() && args != "/all") return absl::InvalidArgumentError("info break takes /all, which counts over the whole run however long that takes");
  if (s.breakpoints.empty()) s.Say("There are no breakpoints.\n");
  const absl::StatusOr<bool> known = args == "/all" ? All(KnowCounts(s, Need::kAll)) : KnowCountsSoon(s);
  if (!known.ok()) return known.status();
  for (const auto& b : s.breakpoints) ShowBreakpoint(s, *b);
  if (!*known) s.Say("How often some were reached is not known here: counting goes through the run up to here once more, and that is long; info break /all does it.\n");
  return absl::OkStatus();
}

absl::Status InfoWatch(Session::State& s, absl::string_view args) {
  if (absl::Status known = KnowCounts(s, Need::kAll); !known.ok()) return known;
  bool any = false;
  for (const auto& b : s.breakpoints) {
    if (b->kind != Breakpoint::kWatch) continue;
    any = true;
    ShowBreakpoint(s, *b);
    const auto seen = PresentMemory(s).watches.find(b->number);
    if (seen == PresentMemory(s).watches.end() || !seen->second.known) continue;
    const ExpressionResult& value = seen->second.value;
    const bool tuple = value.kind == ExpressionResult::kValue && !value.value.shape().IsArray();
    s.Say("    it is ", tuple ? ShapeText(value.value.shape()) : Cut(ToText(value, 16), 120), "\n");
  }
  if (!any) s.Say("There are no watches.\n");
  return absl::OkStatus();
}

std::vector<std::string> StopsAsCommands(Session::State& s) {
  std::vector<std::string> stops;
  for (const auto& b : s.breakpoints) {
    if (std::string text = AsCommands(s, *b); !text.empty()) stops.push_back(std::move(text));
  }
  for (int number = 1; number <= static_cast<int>(StopsOfProgram(*s.module).size()); ++number) {
    const bool there = std::any_of(s.breakpoints.begin(), s.breakpoints.end(), [number](const auto& b) { return b->number == number; });
    if (!there) stops.push_back(absl::StrCat("delete ", number, "\n"));
  }
  for (const DisplayItem& item : s.displays) stops.push_back(absl::StrCat("display ", item.expression, "\n"));
  return stops;
}

absl::Status CommandStop(Session::State& s, absl::string_view args) {
  const absl::string_view word = TakeWord(args);
  args = absl::StripAsciiWhitespace(args);
  if (word == "list" || (word.empty() && args.empty())) return InfoBreak(s, "");
  if ((word != "save" && word != "load") || args.empty()) return absl::InvalidArgumentError("stop takes save FILE, load FILE or list");
  const absl::StatusOr<std::string> file_name = WholeFile(args);
  if (!file_name.ok()) return file_name.status();
  const std::string& path = *file_name;
  if (word == "load") {
    const CommandResult result = s.session->ExecuteFile(path);
    return result.ok ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrCat("stop load ", path, " did not get to its end"));
  }
  if (absl::Status known = KnowCounts(s, Need::kAll); !known.ok()) return known;
  std::ofstream file(path);
  if (!file) return absl::InvalidArgumentError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
  file << "# Breakpoints, watches, catches and displays of " << s.module->name << ": hloscope debug FILE -x THIS, or: stop load THIS\n"
       << absl::StrJoin(StopsAsCommands(s), "");
  file.close();
  if (!file) return absl::InvalidArgumentError(absl::StrCat("cannot write ", path));
  const int64_t saved = std::count_if(s.breakpoints.begin(), s.breakpoints.end(), [](const auto& b) { return !b->from_program; });
  s.Say("Wrote ", Count(saved, "breakpoint"), " and ", Count(static_cast<int64_t>(s.displays.size()), "display"), " to ", path, "\n");
  return absl::OkStatus();
}

}  // namespace hloscope
