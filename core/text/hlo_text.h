// HLO text, both ways. Also recognises what a file is (format.h does the choosing).
#ifndef HLOSCOPE_CORE_TEXT_HLO_TEXT_H_
#define HLOSCOPE_CORE_TEXT_HLO_TEXT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/diagnostic.h"
#include "core/ir/module.h"

namespace hloscope {

// Reads the whole text, recovering after each problem, so `sink` has all of them. Always returns a module with what could be read and
// has called Finalize on it (not Verify). Never fails otherwise, whatever the bytes. Linear time; nesting depth is bounded by a
// diagnostic, not by the stack.
std::unique_ptr<Module> ReadHloText(std::shared_ptr<const SourceText> source, DiagnosticSink& sink);

struct PrintOptions {
  bool metadata = true;
  bool percent = false;  // names with %
  bool operand_shapes = false;
  bool layouts = true;
  int64_t max_literal_elements = -1;  // beyond it `{...}`; -1: never elide
};
// Text that ReadHloText reads back to an equal module (ModulesEqual).
std::string PrintHloText(const Module& module, const PrintOptions& options = {});
std::string PrintInstruction(const Instruction& instruction, const PrintOptions& options = {});
std::string PrintLiteral(const Value& value, int64_t max_elements = -1);

// Structural equality: everything that the text can say except places, comments and white space. On inequality `why` says where.
bool ModulesEqual(const Module& a, const Module& b, std::string* why);

// "f32[2,3]{1,0}": a shape alone, for commands. InvalidArgument with the column on errors.
absl::StatusOr<Shape> ParseShape(absl::string_view text);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_HLO_TEXT_H_
