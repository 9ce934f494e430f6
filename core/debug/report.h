// One self-contained HTML page about a run: the stop, the backtrace, the program and the model's source around it, values with their
// statistics and pictures, expectations and catches; or about a comparison. No script, nothing from outside. Drawings of the graph and of
// operations are the window's to add. Not for the console (inspect.cc) and not for
// interactive pictures (visualizer).
#ifndef HLOSCOPE_CORE_DEBUG_REPORT_H_
#define HLOSCOPE_CORE_DEBUG_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/debug/session.h"
#include "core/literal/value.h"

namespace hloscope {

struct ReportCheck {
  std::string what;
  bool passed = true;
  std::string detail;
};

struct ReportListing {
  std::string title;
  int first = 1;    // number of the first line
  int marked = 0;   // number of the line where the program stands; 0: none
  std::vector<std::string> lines;
};

struct ReportValue {
  std::string name;  // "%x"
  std::string note;  // "operand 0", "output 1"
  Value value;       // empty: `why` says why
  std::string why;
};

// A drawing, as an SVG element with colours of CSS variables.
struct ReportPicture {
  std::string title, caption, svg;
  std::optional<double> middle;  // what the picture is about, as a part of its width: where it is wider than the page, that is seen first
};

struct ReportTable {
  std::string title, note;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

struct Report {
  std::string title;
  bool passed = true;
  std::string verdict;  // one sentence
  std::vector<std::pair<std::string, std::string>> facts;
  std::string stop_title = "The stop";
  std::string stop, error;  // where it stands, and what it says there
  std::string backtrace;
  std::vector<ReportListing> listings;
  std::string instruction;  // a page about it
  std::vector<ReportValue> values;
  std::vector<ReportCheck> checks;
  std::vector<std::string> notices;
  std::string caught;      // what a catch stopped for just now; empty: another stop
  std::string catches;
  std::string profile;
  std::string transcript;
  std::vector<std::pair<std::string, std::string>> texts;  // of a comparison: titles, and what is said under them as it stands
  std::vector<ReportTable> tables;
  std::vector<ReportPicture> pictures;
  std::string dark_colors, light_colors;  // "--name: #hex; ...": for pictures
};

// What the console wrote, for the report; filled by whoever shows it.
struct Transcript {
  std::string text;
  void Add(absl::string_view more);  // keeps the first and the last part of a long one
};

Report MakeReport(Session::State& s);
// Where it stands, or what a catch stopped for; null: nowhere.
const Instruction* ReportedInstruction(Session::State& s);
std::string RenderHtml(const Report& report);
absl::Status WriteReport(const Report& report, const std::string& path);
// The lines `around` places before and after `line` of a text.
ReportListing ListingAround(const SourceText& source, int line, int around);
// Arrays of a result: `name`, or `name`[0][1] for the parts of a tuple; at most `most`.
void AddLeaves(const std::string& name, const std::string& note, const Value& value, size_t most, std::vector<ReportValue>* values);

// Pictures of an array, as SVG elements (report_svg.cc). Empty where there is nothing to see.
std::string HeatMapSvg(const Value& array, std::string* caption);
std::string HistogramSvg(const Value& array);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_REPORT_H_
