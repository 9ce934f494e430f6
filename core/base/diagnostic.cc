#include "core/base/diagnostic.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

// A source line is shown through a window of this many bytes when it is longer (dumps have lines of 100 kB).
constexpr int kWindow = 132;

absl::string_view Word(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kNote: return "note";
  }
  return "";
}

// Tabs would shift the caret line against the source line; control bytes would disturb the terminal.
std::string Printable(absl::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return out;
}

// Bytes of a binary file show nothing to whoever reads a diagnostic.
bool IsText(absl::string_view line) {
  int following = 0;  // bytes of a UTF-8 sequence that are still to come
  for (char c : line) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (u < 0x09 || (following > 0) != ((u & 0xc0) == 0x80)) return false;
    following = following > 0 ? following - 1 : u >= 0xf0 ? 3 : u >= 0xe0 ? 2 : u >= 0xc0 ? 1 : 0;
  }
  return true;
}

}  // namespace

// The same thing said again of the same place is dropped. It comes soon after the first time (two attributes that name one computation).
void DiagnosticSink::Add(Diagnostic d) {
  constexpr size_t kLookBack = 64;
  for (size_t i = diagnostics_.size(), end = i > kLookBack ? i - kLookBack : 0; d.range.valid() && i-- > end;) {
    const Diagnostic& said = diagnostics_[i];
    if (said.range.begin == d.range.begin && said.range.end == d.range.end && said.label == d.label && said.message == d.message) return;
  }
  if (d.severity == Severity::kError) ++errors_;
  diagnostics_.push_back(std::move(d));
}

void DiagnosticSink::Error(SourceRange range, absl::string_view label, std::string message, std::string hint) {
  Add({Severity::kError, std::string(label), std::move(message), range, std::move(hint)});
}

void DiagnosticSink::Warning(SourceRange range, absl::string_view label, std::string message, std::string hint) {
  Add({Severity::kWarning, std::string(label), std::move(message), range, std::move(hint)});
}

void DiagnosticSink::Note(SourceRange range, absl::string_view label, std::string message, std::string hint) {
  Add({Severity::kNote, std::string(label), std::move(message), range, std::move(hint)});
}

void DiagnosticSink::SortByPlace() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.range.begin < b.range.begin; });
}

std::string Render(const Diagnostic& d, const SourceText& source) {
  std::string out = source.name();
  LineColumn at = source.Locate(d.range.begin);
  if (at.line > 0) absl::StrAppend(&out, ":", at.line, ":", at.column);
  absl::StrAppend(&out, ": ", Word(d.severity), ": ", d.message);
  if (!d.label.empty()) absl::StrAppend(&out, " [", d.label, "]");
  out += "\n";
  if (at.line > 0 && IsText(source.Line(at.line).substr(0, 4096))) {
    absl::string_view line = source.Line(at.line);
    int caret = at.column - 1;
    int length = std::max(1, d.range.end - d.range.begin);
    int begin = 0;
    std::string before, after;
    if (static_cast<int>(line.size()) > kWindow) {
      begin = std::max(0, caret - kWindow / 2);
      if (begin > 0) before = "...";
      if (begin + kWindow < static_cast<int>(line.size())) after = "...";
    }
    std::string shown = Printable(line.substr(std::min<size_t>(begin, line.size()), kWindow));
    int column = caret - begin + static_cast<int>(before.size());
    length = std::min<int>(length, std::max<int>(1, static_cast<int>(shown.size()) - (caret - begin)));
    absl::StrAppend(&out, "  ", before, shown, after, "\n  ", std::string(column, ' '), "^", std::string(length - 1, '~'), "\n");
  }
  if (!d.hint.empty()) absl::StrAppend(&out, "  help: ", d.hint, "\n");
  return out;
}

}  // namespace hloscope
