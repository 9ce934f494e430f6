// For the tests of operations: read a small module, verify it, run its entry with the interpreter alone, compare with a literal.
// Control flow is not run here (tests/exec does that).
#ifndef HLOSCOPE_TESTS_OPS_TESTING_H_
#define HLOSCOPE_TESTS_OPS_TESTING_H_

#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/element/interpret.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {

struct CheckedModule {
  std::shared_ptr<const SourceText> source;
  std::unique_ptr<Module> module;
  DiagnosticSink sink;

  std::string Problems() const {
    std::string text;
    for (const Diagnostic& d : sink.diagnostics()) text += Render(d, *source);
    return text;
  }
};

// `text` is a whole module, or, when it has no ENTRY, the instructions of the entry.
inline CheckedModule CheckText(const std::string& text) {
  CheckedModule checked;
  std::string whole = text.find("ENTRY") == std::string::npos ? "ENTRY main {\n" + text + "\n}\n" : text;
  if (whole.find("HloModule") == std::string::npos) whole = "HloModule test\n\n" + whole;
  checked.source = std::make_shared<const SourceText>("<test>", whole);
  checked.module = ReadHloText(checked.source, checked.sink);
  if (checked.sink.error_count() == 0) Verify(*checked.module, checked.sink);
  return checked;
}

// The text has exactly one error, and it has this label.
inline void ExpectError(const std::string& text, const std::string& label) {
  const CheckedModule checked = CheckText(text);
  ASSERT_EQ(checked.sink.error_count(), 1) << "expected one error " << label << " of\n" << text << "\nbut got\n" << checked.Problems();
  for (const Diagnostic& d : checked.sink.diagnostics()) {
    if (d.severity == Severity::kError) {
      EXPECT_EQ(d.label, label) << text << "\n" << checked.Problems();
    }
  }
}

inline void ExpectAccepted(const std::string& text) {
  const CheckedModule checked = CheckText(text);
  EXPECT_TRUE(checked.sink.diagnostics().empty()) << text << "\n" << checked.Problems();
}

inline absl::StatusOr<Value> EvaluateInstruction(const Instruction& instruction, absl::Span<const Value> operands) {
  const OpDef& def = Def(instruction);
  if (def.op_class == OpClass::kPull || def.op_class == OpClass::kPush) {
    absl::StatusOr<Program> program = ElementProgram(instruction);
    if (!program.ok()) return program.status();
    Interpreter interpreter(*program);
    std::vector<const Value*> pointers;
    for (const Value& operand : operands) pointers.push_back(&operand);
    absl::StatusOr<std::vector<Value>> results = interpreter.All(pointers);
    if (!results.ok()) return results.status();
    return instruction.shape.IsTuple() ? Value::Tuple(instruction.shape, *std::move(results)) : (*results)[0];
  }
  if (def.evaluate == nullptr) return absl::UnimplementedError(std::string(Name(instruction.opcode)));
  return def.evaluate(EvalContext{instruction, operands});
}

inline absl::StatusOr<Value> EvaluateComputation(const Computation& computation, absl::Span<const Value> arguments) {
  std::vector<Value> values(computation.schedule.size());
  for (const Instruction* instruction : computation.schedule) {
    if (instruction->parameter_number >= 0) {
      values[instruction->index] = arguments[instruction->parameter_number];
      continue;
    }
    std::vector<Value> operands;
    for (const Instruction* operand : instruction->operands) operands.push_back(values[operand->index]);
    absl::StatusOr<Value> value = EvaluateInstruction(*instruction, operands);
    if (!value.ok()) return value.status();
    values[instruction->index] = *std::move(value);
  }
  return values[computation.root->index];
}

inline absl::StatusOr<Value> EvaluateText(const std::string& text) {
  const CheckedModule checked = CheckText(text);
  if (checked.sink.error_count() != 0) return absl::InvalidArgumentError(checked.Problems());
  return EvaluateComputation(*checked.module->entry, {});
}

// The entry's root is, bit for bit, this: "s32[2] constant({1, 2})", or any other instructions.
inline void ExpectValue(const std::string& text, const std::string& expected) {
  const absl::StatusOr<Value> value = EvaluateText(text);
  ASSERT_TRUE(value.ok()) << value.status() << "\n" << text;
  const absl::StatusOr<Value> wanted = EvaluateText("ROOT expected = " + expected);
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  ASSERT_TRUE(Shape::Compatible(value->shape(), wanted->shape())) << value->shape().ToString() << " is not " << wanted->shape().ToString();
  EXPECT_TRUE(Value::BitEqual(*value, *wanted)) << text << "\ngives " << PrintLiteral(*value) << "\nnot " << PrintLiteral(*wanted);
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_OPS_TESTING_H_
