// What stands in a session's report, and the page's HTML.
#include "core/debug/report.h"

#include <algorithm>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/base/markup.h"
#include "core/debug/catch_commands.h"
#include "core/debug/catches.h"
#include "core/debug/compare_replicas.h"
#include "core/debug/devices.h"
#include "core/debug/explain.h"
#include "core/debug/file_words.h"
#include "core/debug/formula_in_run.h"
#include "core/debug/profile_commands.h"
#include "core/debug/session_state.h"
#include "core/debug/source_view.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/literal/statistics.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr size_t kMostValues = 24;
constexpr size_t kMostDeviceRows = 64;  // of the table of all devices
constexpr int kAround = 12;
constexpr size_t kShortCell = 24;  // of a table: stays in one line

void AddStop(Session::State& s, Report* r) {
  if (s.machine == nullptr) {
    r->stop = "The program was not started.";
    return;
  }
  if (s.machine->finished()) {
    r->stop = absl::StrCat("The program has finished after ", Count(s.machine->executed(), "instruction"), s.error_stop ? ", with an error." : ".");
    r->error = std::string(s.stop_status().message());
    return;
  }
  if (!s.machine->frames().empty()) {
    const int top = static_cast<int>(s.machine->frames().size()) - 1;
    if (const Caught* caught = CaughtHere(s)) r->caught = CaughtText(*s.module, *caught);
    r->stop = absl::StrCat(s.stop_status().ok() ? "Stopped at " : "Stopped with an error at ", s.DescribeFrame(top));
    for (int depth = top; depth >= 0; --depth) {
      const Frame& f = s.machine->frames()[depth];
      absl::StrAppend(&r->backtrace, "#", top - depth, "  ", s.DescribeFrame(depth), "\n");
      if (f.position < static_cast<int>(f.computation->schedule.size())) absl::StrAppend(&r->backtrace, PythonFramesWithSource(s, *f.computation->schedule[f.position], "      "));
    }
  }
  r->error = std::string(s.stop_status().message());
}

void AddInstruction(Session::State& s, const Instruction& stop, Report* r) {
  r->instruction = ExplainInstruction(*s.module, stop, FormulaInRun(s, stop));
  if (s.module->source != nullptr) {
    if (const int line = LineOf(*s.module, stop); line > 0) r->listings.push_back(ListingAround(*s.module->source, line, kAround));
  }
  SourceView& view = s.Extension<SourceView>();
  const SourceLine at = SourceLineOf(*s.module, stop);
  if (const SourceText* source = at.known() ? view.Find(*s.module, at.file) : nullptr) {
    r->listings.push_back(ListingAround(*source, at.line, kAround));
    r->listings.back().title = std::string(at.file);
  }
}

void AddValue(Session::State& s, int depth, const Instruction& i, const std::string& note, Report* r) {
  const std::string name = ShownName(i);
  for (const ReportValue& known : r->values) {
    if (known.name == name) return;
  }
  if (r->values.size() >= kMostValues) return;
  const absl::StatusOr<Value> value = s.machine->ValueOf(depth, i.index);
  if (!value.ok()) {
    r->values.push_back({name, note, Value(), std::string(value.status().message())});
  } else {
    AddLeaves(name, note, *value, kMostValues - r->values.size(), &r->values);
  }
}

void AddValues(Session::State& s, Report* r) {
  if (s.machine == nullptr) return;
  if (s.machine->finished()) {
    AddLeaves("$result", "the result", s.machine->result(), kMostValues, &r->values);
    return;
  }
  if (s.machine->frames().empty()) return;
  const int depth = static_cast<int>(s.machine->frames().size()) - 1;
  const Frame& f = s.machine->frames()[depth];
  const std::vector<Instruction*>& schedule = f.computation->schedule;
  if (const Caught* caught = CaughtHere(s)) {
    AddValue(s, depth, *caught->instruction, "caught", r);
    const auto& operands = caught->instruction->operands;
    for (size_t k = 0; k < operands.size(); ++k) AddValue(s, depth, *operands[k], absl::StrCat("operand ", k, " of ", ShownName(*caught->instruction)), r);
  }
  if (f.position < static_cast<int>(schedule.size())) {
    const Instruction& stop = *schedule[f.position];
    for (size_t k = 0; k < stop.operands.size(); ++k) AddValue(s, depth, *stop.operands[k], absl::StrCat("operand ", k, " of ", ShownName(stop)), r);
  }
  // What was computed last.
  int before = 0;
  for (int p = std::min<int>(f.position, static_cast<int>(schedule.size())) - 1; p >= 0 && before < 4; --p) {
    if (Def(*schedule[p]).op_class == OpClass::kStructural) continue;
    AddValue(s, depth, *schedule[p], "computed just before", r);
    ++before;
  }
}

// "0 .. 3, mean 1.5", "7".
std::string RangeText(const Value& value) {
  if (value.element_count() == 1) return FormatValue(value, {.elements = 1});
  const Statistics s = Summarize(value);
  if (s.finite > 0 && s.min == s.max) return absl::StrCat(s.finite == s.count ? "all " : "", FormatDouble(s.min, 6));
  return s.finite > 0 ? absl::StrCat(FormatDouble(s.min, 6), " .. ", FormatDouble(s.max, 6), ", mean ", FormatDouble(s.mean, 6))
                      : "none is finite";
}

void AddDeviceRow(const std::string& name, const std::string& device, const Value& value, size_t most,
                  std::vector<std::vector<std::string>>* rows) {
  if (value.shape().IsTuple()) {
    for (size_t k = 0; k < value.elements().size() && rows->size() < most; ++k)
      AddDeviceRow(absl::StrCat(name, "[", k, "]"), device, value.elements()[k], most, rows);
    return;
  }
  if (!value.shape().IsArray() || rows->size() >= most) return;
  const Statistics s = Summarize(value);
  rows->push_back({name, device, value.shape().ToString(false), RangeText(value), absl::StrCat(s.nan), absl::StrCat(s.inf),
                   Cut(FormatValue(value, {.elements = 8}), 60)});
}

// The values of the stop on every device.
void AddDevices(Session::State& s, Report* r) {
  std::vector<const Instruction*> wanted;
  const Caught* caught = CaughtHere(s);
  const Instruction* stop = s.started() ? s.machine->next_instruction() : nullptr;
  if (caught != nullptr) wanted.push_back(caught->instruction);
  if (caught == nullptr && stop != nullptr) wanted.assign(stop->operands.begin(), stop->operands.end());
  const bool results = stop == nullptr && s.machine->finished();
  if (results) wanted.push_back(s.module->entry->root);
  ReportTable table;
  std::string iterations;  // of the selected device, in which the others are shown too
  table.title = "On all devices";
  table.head = {"value", "device", "shape", "range", "NaN", "inf", "elements"};
  const size_t all = wanted.size() * static_cast<size_t>(s.options.devices.count());
  for (const Instruction* i : wanted) {
    if (table.rows.size() >= kMostDeviceRows) break;
    const std::string name = results ? "$result" : ShownName(*i);
    const std::string text = results ? "$result" : absl::StrCat(i->parent->name, ":", i->name);  // each device has its own function's result
    const ValuesMeant meant = ForEachDeviceValue(s, text, "", [&](int device, const absl::StatusOr<Value>& value) {
      const std::string where = DevicesOf(s).room->Name(device);
      if (value.ok())
        AddDeviceRow(name, where, *value, kMostDeviceRows, &table.rows);
      else
        table.rows.push_back({name, where, "", std::string(value.status().message()), "", "", ""});
      return table.rows.size() < kMostDeviceRows;
    });
    if (!meant.iterations.empty()) iterations = meant.iterations;
  }
  if (!iterations.empty()) absl::StrAppend(&table.title, " (", iterations, ")");
  if (table.rows.size() >= kMostDeviceRows && all > 1) table.note = absl::StrCat("the first ", kMostDeviceRows, " rows");
  if (!table.rows.empty()) r->tables.push_back(std::move(table));
}

// What a command would write.
std::string Written(Session::State& s, absl::Status (*command)(Session::State&, absl::string_view)) {
  std::string text;
  const std::function<void(absl::string_view)> out = s.out;
  s.out = [&text](absl::string_view more) { absl::StrAppend(&text, more); };
  const absl::Status status = command(s, "");
  s.out = out;
  return status.ok() ? text : "";
}

void AppendValue(const ReportValue& v, std::string* out) {
  absl::StrAppend(out, "<article class=\"value\"><h3><code>", EscapeMarkup(v.name), "</code>");
  if (!v.note.empty()) absl::StrAppend(out, " <span class=\"note\">", EscapeMarkup(v.note), "</span>");
  *out += "</h3>\n";
  if (!v.value.has_value() || !v.value.shape().IsArray()) {
    absl::StrAppend(out, "<p class=\"note\">", EscapeMarkup(!v.why.empty() ? v.why : v.value.shape().ToString(false)), "</p></article>\n");
    return;
  }
  absl::StrAppend(out, "<p><code>", EscapeMarkup(v.value.shape().ToString(false)), "</code></p>\n");
  if (v.value.element_count() == 1) {  // statistics of one number are that number
    absl::StrAppend(out, "<pre>", EscapeMarkup(FormatValue(v.value, {.elements = 64})), "</pre></article>\n");
    return;
  }
  const Statistics s = Summarize(v.value);
  absl::StrAppend(out, "<table class=\"statistics\"><tr><th>min</th><th>max</th><th>mean</th><th>zeros</th><th>NaN</th><th>inf</th>",
                  "<th>elements</th></tr><tr>");
  for (const double x : {s.min, s.max, s.mean}) absl::StrAppend(out, "<td>", s.finite > 0 ? FormatDouble(x) : "-", "</td>");
  absl::StrAppend(out, "<td>", s.zeros, "</td><td", s.nan > 0 ? " class=\"bad\"" : "", ">", s.nan, "</td><td", s.inf > 0 ? " class=\"bad\"" : "", ">", s.inf, "</td><td>", s.count,
                  "</td></tr></table>\n");
  std::string caption;
  const std::string heat = HeatMapSvg(v.value, &caption), histogram = HistogramSvg(v.value);
  if (!heat.empty() || !histogram.empty()) {
    *out += "<div class=\"pictures\">";
    if (!heat.empty()) absl::StrAppend(out, "<figure>", heat, "<figcaption>", EscapeMarkup(caption.empty() ? "values" : caption), "</figcaption></figure>");
    if (!histogram.empty()) {
      absl::StrAppend(out, "<figure>", histogram, "<figcaption>how often, from ", FormatDouble(s.min, 4), " to ", FormatDouble(s.max, 4), "</figcaption></figure>");
    }
    *out += "</div>\n";
  }
  absl::StrAppend(out, "<details", v.value.element_count() <= 64 ? " open" : "", "><summary>elements</summary><pre>", EscapeMarkup(FormatValue(v.value, {.elements = 64})), "</pre></details></article>\n");
}

void AppendListing(const ReportListing& listing, std::string* out) {
  absl::StrAppend(out, "<h3>", EscapeMarkup(listing.title), "</h3>\n<pre class=\"listing\">");
  for (size_t k = 0; k < listing.lines.size(); ++k) {
    const int number = listing.first + static_cast<int>(k);
    absl::StrAppend(out, "<span class=\"line", number == listing.marked ? " here" : "", "\"><span class=\"number\">", number, "</span>", EscapeMarkup(Cut(listing.lines[k], 400)), "</span>\n");
  }
  *out += "</pre>\n";
}

void AppendSection(absl::string_view title, const std::string& text, std::string* out) {
  if (!text.empty()) absl::StrAppend(out, "<section><h2>", title, "</h2>\n<pre>", EscapeMarkup(text), "</pre></section>\n");
}

void AppendTable(const ReportTable& table, std::string* out) {
  absl::StrAppend(out, "<section><h2>", EscapeMarkup(table.title), "</h2>\n", table.note.empty() ? "" : absl::StrCat("<p class=\"note\">", EscapeMarkup(table.note), "</p>\n"), "<div class=\"wide\"><table>\n<tr>");
  for (const std::string& cell : table.head) absl::StrAppend(out, "<th>", EscapeMarkup(cell), "</th>");
  *out += "</tr>\n";
  for (const std::vector<std::string>& row : table.rows) {
    *out += "<tr>";
    for (const std::string& cell : row) absl::StrAppend(out, cell.size() <= kShortCell ? "<td class=\"short\">" : "<td>", EscapeMarkup(cell), "</td>");
    *out += "</tr>\n";
  }
  *out += "</table></div></section>\n";
}

void AppendPicture(const ReportPicture& picture, std::string* out) {
  absl::StrAppend(out, "<section><h2>", EscapeMarkup(picture.title), "</h2>\n<figure class=\"drawing\"><div class=\"wide\"><div class=\"drawn\">", picture.svg,
                  picture.middle.has_value() ? absl::StrFormat("<i style=\"left:%.1f%%\"></i>", *picture.middle * 100) : "", "</div></div>",
                  picture.caption.empty() ? "" : absl::StrCat("<figcaption>", EscapeMarkup(picture.caption), "</figcaption>"), "</figure></section>\n");
}

constexpr char kStyle[] = R"(
:root { color-scheme: light dark; --page: #fbfaf7; --card: #ffffff; --ink: #1e2126; --soft: #666c75; --line: #dedcd5; --accent: #21529c; --good: #1c7a46; --bad: #b2282e; --here: #fff1c9; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181c; --card: #1e2126; --ink: #e6e4de; --soft: #979da6; --line: #34383f; --accent: #86aef0; --good: #5fc78c; --bad: #f0767b; --here: #4a4020; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: .95rem; margin: .9rem 0 .4rem; font-weight: 600; }
pre, code { font: .84rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; overflow-x: auto; margin: .4rem 0; }
p { margin: .4rem 0; } h1, h2, h3, p, figcaption { overflow-wrap: anywhere; }
.verdict { display: inline-block; padding: .15rem .7rem; border-radius: 999px; font-weight: 600; border: 1.5px solid currentColor; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; } .note, figcaption { color: var(--soft); font-weight: 400; font-size: .85rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; } .statistics td { overflow-wrap: normal; } .short { white-space: nowrap; }
th { color: var(--soft); font-weight: 500; font-size: .85rem; }
.statistics td, .statistics th { text-align: right; }
.listing { padding: .5rem 0; } .listing .line { display: inline-block; min-width: 100%; padding: 0 .9rem; }
.listing .number { display: inline-block; width: 3.5rem; color: var(--soft); user-select: none; }
.listing .here { background: var(--here); font-weight: 600; }
.values { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 34rem), 1fr)); gap: 1rem; }
.value { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .6rem 1rem 1rem; min-width: 0; overflow-x: auto; }
.value > h3 { overflow-wrap: anywhere; margin-top: .3rem; } .caught { border-left: 4px solid var(--bad); }
.value pre { max-height: 18rem; } .value table { font-size: .85rem; }
.pictures { display: flex; flex-wrap: wrap; gap: 1.2rem; margin: .8rem 0 .2rem; } figure { margin: 0; } svg { display: block; }
.heat { border: 1px solid var(--line); } .bar { fill: var(--accent); } .axis { stroke: var(--soft); stroke-width: 1; }
.wide { overflow-x: auto; } .drawing > .wide { background: var(--hls-panel); border: 1px solid var(--line); border-radius: 8px; padding: .6rem; }
.drawn { position: relative; width: max-content; } .drawn > i { position: absolute; top: 0; height: 1px; }
.drawing > .wide:has(i) { animation: begin .3s; } .drawing > .wide:has(i) i { animation: middle .3s; }
@keyframes begin { from, to { scroll-snap-type: x mandatory; } } @keyframes middle { from, to { scroll-snap-align: center; } }
summary { cursor: pointer; color: var(--soft); font-size: .85rem; }
)";

std::string Colors(const Report& r) {
  if (r.pictures.empty()) return "";
  return absl::StrCat(":root { ", r.light_colors, " }\n@media (prefers-color-scheme: dark) { :root { ", r.dark_colors, " } }\n");
}

}  // namespace

void Transcript::Add(absl::string_view more) {
  constexpr size_t kMost = 512 << 10;
  absl::StrAppend(&text, more);
  if (text.size() > 2 * kMost) text = absl::StrCat(text.substr(0, kMost / 2), "\n(...)\n", text.substr(text.size() - kMost / 2));
}

ReportListing ListingAround(const SourceText& source, int line, int around) {
  ReportListing listing;
  listing.title = source.name();
  listing.marked = line;
  listing.first = std::max(1, line - around);
  int last = std::min(source.line_count(), line + around);
  if (last > 1 && last == source.line_count() && source.Line(last).empty()) --last;
  for (int k = listing.first; k <= last; ++k) listing.lines.emplace_back(source.Line(k));
  return listing;
}

void AddLeaves(const std::string& name, const std::string& note, const Value& value, size_t most, std::vector<ReportValue>* values) {
  if (!value.shape().IsTuple()) {
    if (values->size() < most) values->push_back({name, note, value, ""});
    return;
  }
  for (size_t k = 0; k < value.elements().size() && values->size() < most; ++k) AddLeaves(absl::StrCat(name, "[", k, "]"), note, value.elements()[k], most, values);
}

const Instruction* ReportedInstruction(Session::State& s) {
  if (!s.started()) return nullptr;
  if (const Caught* caught = CaughtHere(s)) return caught->instruction;
  if (const Instruction* next = s.machine->next_instruction()) return next;
  return s.machine->frames().empty() ? nullptr : s.machine->top().caller;
}

Report MakeReport(Session::State& s) {
  Report r;
  r.title = s.module->name;
  int failed = 0;
  for (const ExpectRecord& expect : s.expects) {
    const std::string place = expect.passed ? "" : expect.Place();
    r.checks.push_back({absl::StrCat("expect ", expect.text), expect.passed, absl::StrCat(expect.detail, expect.detail.empty() || place.empty() ? "" : "; ", place)});
    failed += !expect.passed;
  }
  const std::vector<DeviceError> errors = ErrorsOfRuns(s);
  const auto error = std::find_if(errors.begin(), errors.end(), [](const DeviceError& e) { return !e.expected; });
  const bool stopped = error != errors.end(), here = stopped && error->device == DevicesOf(s).selected;
  r.passed = failed == 0 && !stopped;
  r.verdict = stopped             ? absl::StrCat("stopped with an error", here ? "" : absl::StrCat(" on ", s.options.devices.Name(error->device)))
              : failed > 0        ? absl::StrCat(failed, " of ", Count(static_cast<int64_t>(s.expects.size()), "expectation"), " failed")
              : s.expects.empty() ? "no expectations"
                                  : absl::StrCat(Count(static_cast<int64_t>(s.expects.size()), "expectation"), " passed");
  r.facts = {{"program", absl::StrCat(s.module->name, s.module->source != nullptr ? absl::StrCat(" (", s.module->source->name(), ")") : "")},
             {"size", absl::StrCat(Count(s.module->instruction_count(), "instruction"), " in ", Count(static_cast<int64_t>(s.module->computations.size()), "computation"))},
             {"backend", std::string(s.backend->name())}};
  if (s.inputs != nullptr) r.facts.emplace_back("inputs", s.inputs->Summary());
  if (s.machine != nullptr) r.facts.emplace_back("executed", Count(s.machine->executed(), "instruction"));
  if (const int elided = CountElidedConstants(*s.module); elided > 0) r.facts.emplace_back("note", absl::StrCat(Count(elided, "constant"), " elided in the text and made up: this is no reproduction"));
  if (stopped && !here) r.facts.emplace_back(absl::StrCat("error of ", s.options.devices.Name(error->device)), error->why);
  AddStop(s, &r);
  if (const Instruction* stop = ReportedInstruction(s)) AddInstruction(s, *stop, &r);
  AddValues(s, &r);
  if (Several(s) && s.machine != nullptr) {
    r.facts.emplace_back("devices", absl::StrCat(Count(s.options.devices.count(), "device"), "; the page is about ", SelectedName(s)));
    r.texts.emplace_back("Replicas", Written(s, InfoReplicas));
    AddDevices(s, &r);
  }
  r.catches = Written(s, InfoCatch);
  if (absl::StartsWith(r.catches, "There are no")) r.catches.clear();
  r.notices = s.notices;
  if (const ProfileData* profile = LastProfile(s)) r.profile = absl::StrCat(ProfileSummary(*profile), ProfileTable(*profile, ProfileBy::kInstruction, 12));
  r.transcript = s.Extension<Transcript>().text;
  return r;
}

std::string RenderHtml(const Report& r) {
  std::string out = absl::StrCat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", EscapeMarkup(r.title),
                                 ": ", EscapeMarkup(r.verdict), "</title>\n<style>", kStyle, Colors(r), "</style>\n</head>\n<body>\n<main>\n<h1>", EscapeMarkup(r.title), "</h1>\n<p><span class=\"verdict ",
                                 r.passed ? "good" : "bad", "\">", EscapeMarkup(r.verdict), "</span></p>\n<table>\n");
  for (const auto& [what, text] : r.facts) absl::StrAppend(&out, "<tr><th>", EscapeMarkup(what), "</th><td>", EscapeMarkup(text), "</td></tr>\n");
  absl::StrAppend(&out, "</table>\n<section><h2>", r.stop_title, "</h2>\n");
  absl::StrAppend(&out, "<p>", EscapeMarkup(r.stop), "</p>\n");
  if (!r.caught.empty()) absl::StrAppend(&out, "<pre class=\"caught\">", EscapeMarkup(r.caught), "</pre>\n");
  if (!r.error.empty()) absl::StrAppend(&out, "<pre class=\"bad\">", EscapeMarkup(r.error), "</pre>\n");
  out += "</section>\n";
  if (!r.checks.empty()) {
    out += "<section><h2>Checks</h2>\n<table>\n";
    for (const ReportCheck& check : r.checks) {
      absl::StrAppend(&out, "<tr><td class=\"", check.passed ? "good\">passed" : "bad\">FAILED", "</td><td><code>", EscapeMarkup(check.what), "</code>",
                      check.detail.empty() ? "" : absl::StrCat("<br><span class=\"note\">", EscapeMarkup(check.detail), "</span>"), "</td></tr>\n");
    }
    out += "</table></section>\n";
  }
  AppendSection("Catches", r.catches, &out);
  AppendSection("Backtrace", r.backtrace, &out);
  if (!r.listings.empty()) {
    out += "<section><h2>Where it stands</h2>\n";
    for (const ReportListing& listing : r.listings) AppendListing(listing, &out);
    out += "</section>\n";
  }
  AppendSection("The instruction", r.instruction, &out);
  for (const auto& [title, text] : r.texts) AppendSection(EscapeMarkup(title), text, &out);
  for (const ReportTable& table : r.tables) AppendTable(table, &out);
  for (const ReportPicture& picture : r.pictures) AppendPicture(picture, &out);
  if (!r.values.empty()) {
    out +=
        "<section><h2>Values</h2>\n<p class=\"note\">In pictures, pink is NaN, magenta an infinity and purple a negative one, wherever one "
        "is among the elements of a cell.</p>\n<div class=\"values\">\n";
    for (const ReportValue& value : r.values) AppendValue(value, &out);
    out += "</div></section>\n";
  }
  AppendSection("Profile", r.profile, &out);
  std::string notices;
  for (const std::string& notice : r.notices) absl::StrAppend(&notices, notice, "\n");
  AppendSection("Notices", notices, &out);
  if (!r.transcript.empty()) absl::StrAppend(&out, "<section><h2>Console</h2>\n<details><summary>what it wrote</summary><pre>", EscapeMarkup(r.transcript), "</pre></details></section>\n");
  return absl::StrCat(out, "</main>\n</body>\n</html>\n");
}

absl::Status WriteReport(const Report& report, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << RenderHtml(report);
  file.close();
  return file ? absl::OkStatus() : absl::UnavailableError(absl::StrCat("cannot write ", path));
}

absl::Status CommandReport(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  if (args.empty()) return absl::InvalidArgumentError("report takes a file to write, as: report stop.html");
  absl::StatusOr<std::string> file = WholeFile(args);
  if (!file.ok()) return file.status();
  *file = FileOfRun(s, *file);
  const absl::Status written = WriteReport(MakeReport(s), *file);
  if (written.ok()) s.Say("Wrote a report to ", *file, ".\n");
  return written;
}

}  // namespace hloscope
