// The builder's edits of a program of HLO text: each action becomes one replacement in the text, which the document applies as one step of
// undo. Nothing is kept here: what there is to edit is what the reader made of the text (Reading), and the result is text again.
// Not for StableHLO, and not for changing values of a running program (the console's `set` and `edit`).
#ifndef HLOSCOPE_VISUALIZER_MODEL_BUILD_EDIT_H_
#define HLOSCOPE_VISUALIZER_MODEL_BUILD_EDIT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/ir/module.h"
#include "visualizer/model/document.h"

namespace hloscope::build {

// Replace [begin, end) of the text that was read with `text`.
struct TextEdit {
  int64_t begin = 0, end = 0;
  std::string text;
  int64_t cursor = 0;   // afterwards: at the instruction that it is about
  std::string name;     // of that instruction, or of the computation that was made
};

// One instruction as a form has it: texts as they stand in the program.
struct Draft {
  std::string name;    // without %; empty: a free one is chosen
  std::string opcode;  // "dot"
  std::string shape;   // empty: as it follows from operands and attributes
  std::vector<std::string> operands;  // names without %; an instruction written in place is kept as it is
  std::string literal;                // what stands in the parentheses of a constant (its literal) or a parameter (its number)
  std::vector<std::pair<std::string, std::string>> attributes;  // in the order of the text, metadata and its like included

  const std::string* Find(absl::string_view attribute) const;
  void Set(absl::string_view attribute, absl::string_view value);  // an empty value takes it out
  // A constant whose literal says how to fill it: zeros, ones, iota, random:SEED, FILE.npy.
  bool Fills() const;
  bool operator==(const Draft&) const = default;
};

// Is the text HLO, which the builder writes (not StableHLO)?
bool IsHloText(absl::string_view text);
// A new program: an empty computation.
std::string NewProgramText();

// What the text says of an instruction; an instruction that the reader could not read to its end is taken as far as it goes.
Draft DraftOf(const Reading& reading, const Instruction& instruction);
// As it would be written, on one line. `percent`: names with %.
std::string ToText(const Draft& draft, bool percent);

// What shape inference and the verifier say of a draft, as an instruction of `computation`: it alone is checked, with its operands as they
// are, so this is quick in a program of any size. `self`: the instruction that the draft is to stand for; null: a new one.
struct Finding {
  Severity severity = Severity::kError;
  std::string message, hint, label;
  int operand = -1;       // the operand that it is about; -1: none
  std::string attribute;  // or the attribute
};
struct Verdict {
  bool ok = false;
  bool shape_needed = false;  // the shape does not follow from the rest, and must be written
  Shape shape;                // of the result, where ok
  std::vector<Finding> findings;
};
Verdict Check(const Reading& reading, const Computation& computation, const Draft& draft, const Instruction* self = nullptr);
// Gives the required attributes that the draft does not have yet a first value, one that the verifier takes where there is one.
void Suggest(const Reading& reading, const Computation& computation, Draft* draft, const Instruction* self = nullptr);
// What a word attribute may say: {"EQ", "NE", ...}; empty: anything.
std::vector<std::string> ChoicesOf(absl::string_view attribute);
// Shows how an attribute is written: "{0,1}".
std::string ExampleOf(absl::string_view attribute);

// Instructions of the same computation that read it, in program order; those that only wait for it at the end.
std::vector<const Instruction*> UsersOf(const Instruction& instruction);

// -- Edits --
enum class Rooting : uint8_t {
  kAuto,  // the new instruction is the result where it reads the present one, or where that is only a parameter or a constant
  kYes,
  kNo,
};
// `after`: stands right behind it; null: at the end of the computation. `computation` null: the program's entry, made where there is none.
absl::StatusOr<TextEdit> InsertInstruction(const Reading& reading, const Computation* computation, const Draft& draft, Rooting rooting = Rooting::kAuto,
                                           const Instruction* after = nullptr);
// Writes an instruction as the draft says: operation, operands, attributes, shape and name, with its uses. Where its shape becomes another
// one, those of the instructions that depend on it follow as far as they can be inferred, and the computation's header.
absl::StatusOr<TextEdit> ChangeInstruction(const Reading& reading, const Instruction& instruction, Draft draft);
absl::StatusOr<TextEdit> ChangeOperand(const Reading& reading, const Instruction& instruction, int operand, absl::string_view name);
absl::StatusOr<TextEdit> SetAttribute(const Reading& reading, const Instruction& instruction, absl::string_view attribute, absl::string_view value);
// `instead`: what its users read from now on; null: it must have none.
absl::StatusOr<TextEdit> DeleteInstruction(const Reading& reading, const Instruction& instruction, const Instruction* instead = nullptr);
// What is wrong with a name that was typed; a percent sign before it is not part of it.
absl::Status CheckName(absl::string_view name);
absl::StatusOr<TextEdit> Rename(const Reading& reading, const Instruction& instruction, absl::string_view name);
absl::StatusOr<TextEdit> RenameComputation(const Reading& reading, const Computation& computation, absl::string_view name);
absl::StatusOr<TextEdit> MakeRoot(const Reading& reading, const Instruction& instruction);
absl::StatusOr<TextEdit> AddParameter(const Reading& reading, const Computation* computation, absl::string_view shape, absl::string_view name = "");
absl::StatusOr<TextEdit> AddConstant(const Reading& reading, const Computation* computation, absl::string_view shape, absl::string_view literal, absl::string_view name = "");
// The literal of a constant, perhaps with another shape ("": the same).
absl::StatusOr<TextEdit> SetConstant(const Reading& reading, const Instruction& constant, absl::string_view literal, absl::string_view shape = "");
// A computation of scalars before the entry: `operation` of two operands of the element type ("add", "maximum"), or a comparison for sort
// ("LT", "GT", ...). "": one with only a parameter.
absl::StatusOr<TextEdit> AddComputation(const Reading& reading, absl::string_view operation, absl::string_view element_type, absl::string_view name = "");

// -- Literals --
// Elements in row-major order as the text of an array: "{{1, 2}, {3, 4}}".
std::string LiteralText(absl::Span<const int64_t> dimensions, const std::vector<std::string>& elements);
// The elements of a dense array as texts.
std::vector<std::string> ElementTexts(const Value& value);
// "zeros", "ones", "iota", "random" or "random:SEED" for an array shape.
absl::StatusOr<std::string> MadeUpLiteral(const Shape& shape, absl::string_view how);
// From a .npy file; `shape` is filled in where it is empty, and must fit the file otherwise.
absl::StatusOr<std::string> LiteralFromFile(const std::string& path, std::string* shape);

}  // namespace hloscope::build

#endif  // HLOSCOPE_VISUALIZER_MODEL_BUILD_EDIT_H_
