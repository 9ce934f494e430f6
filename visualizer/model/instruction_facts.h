// What the inspector shows of an instruction, as plain data: made on the engine's thread, drawn by the window.
#ifndef HLOSCOPE_VISUALIZER_MODEL_INSTRUCTION_FACTS_H_
#define HLOSCOPE_VISUALIZER_MODEL_INSTRUCTION_FACTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/session.h"

namespace hloscope {

// A piece of text with what it means.
struct CodePiece {
  enum Kind : uint8_t { kPlain, kName, kFunction, kNumber, kIndex } kind = kPlain;
  std::string text;
  const Instruction* instruction = nullptr;  // of a name that is an operand
};
// Cuts a formula ("out[i,j] = %a[i,k] * 2") into pieces; names of operands are linked to them.
std::vector<CodePiece> CutFormula(absl::string_view formula, const Instruction& of);

struct SourceFrame {
  std::string file, function, text;  // text: the line itself, where the file is found
  int line = 0;
};

struct InstructionFacts {
  const Instruction* of = nullptr;
  std::string opcode, kind, summary;  // "divide", "pointwise", ...
  std::vector<CodePiece> formula;     // empty: `no_formula` says why
  std::string no_formula;
  std::string text;                   // the instruction's line
  std::string shape, layout;          // "bf16[1,12]", "{1,0} row-major"
  std::string bytes;
  std::vector<const Instruction*> operands, users;
  int64_t more_users = 0;
  std::vector<const Computation*> result_of;
  std::vector<const Computation*> calls;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string time, time_share;       // of the last profile; empty: none was taken
  std::string error, error_against;   // of the last shadow
  std::string kernel, kernel_members; // how the backend runs it
  std::vector<const Instruction*> fused;
  std::string scope;
  std::vector<SourceFrame> source;    // innermost first
  std::vector<std::string> requirements;
  std::vector<std::pair<std::string, std::string>> metadata;  // sharding, backend_config, ...
  std::string not_executed;
  std::string by_hand;                // of its value, as it stands: "from %x[0], set by hand"
};
// What needs no session, only the module: at once, in any thread. Without what was measured, the kernel, lines of source files, and literals.
InstructionFacts FactsOfModule(const Module& module, const Instruction& instruction);
InstructionFacts FactsOfInstruction(Session::State& s, const Instruction& instruction);

// What each element is made of, with the operands' names: "out[i,j] = %a[i,k] * 2". An error where the operation has no such formula.
absl::StatusOr<std::string> ShownFormula(const Instruction& instruction);

// What one word says of how the operation works: "pointwise", "reduction", "movement", ...
std::string KindOf(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_INSTRUCTION_FACTS_H_
