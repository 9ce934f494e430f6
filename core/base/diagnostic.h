// Problems as values: a label that names the requirement, a message, a place, and what to do about it.
// Readers, verifier and debugger all report through a DiagnosticSink; only the command line and the panels render them.
#ifndef HLOSCOPE_CORE_BASE_DIAGNOSTIC_H_
#define HLOSCOPE_CORE_BASE_DIAGNOSTIC_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/source.h"

namespace hloscope {

enum class Severity : uint8_t { kError, kWarning, kNote };

// `label` is a stable kebab-case name "room-or-opcode.requirement" ("dot.contracting-sizes"). tests/ checks that each label that
// stands in the sources has a case that provokes it, so a label is always one string literal: HLO_LABEL("dot.contracting-sizes").
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string label;
  std::string message;  // one sentence, no trailing period; names values found and values expected
  SourceRange range;
  std::string hint;  // what to do; may be empty
};

#define HLO_LABEL(text) (text)

class DiagnosticSink {
 public:
  void Error(SourceRange range, absl::string_view label, std::string message, std::string hint = "");
  void Warning(SourceRange range, absl::string_view label, std::string message, std::string hint = "");
  void Note(SourceRange range, absl::string_view label, std::string message, std::string hint = "");
  int error_count() const { return errors_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  // Stable sort by place.
  void SortByPlace();

 private:
  void Add(Diagnostic d);
  std::vector<Diagnostic> diagnostics_;
  int errors_ = 0;
};

// "FILE:LINE:COLUMN: error: message [label]\n<source line>\n   ^~~~\n  help: hint\n". Long lines are windowed round the caret.
std::string Render(const Diagnostic& diagnostic, const SourceText& source);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_DIAGNOSTIC_H_
