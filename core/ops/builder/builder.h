// Builder: programs made in C++, call by call, in the manner of XLA's client library: `Op` is a value that stands for an instruction's
// result, functions of operations.h make further ones, Build() gives the verified Module. Not for reading text (core/text) nor for running.
//
//   hlo::Builder b("axpy");
//   hlo::Op x = hlo::Parameter(&b, 0, Shape::Array(hlo::F32, {4}), "x");
//   hlo::Op y = 2.0f * x + hlo::ConstantR1<float>(&b, {1, 2, 3, 4});
//   absl::StatusOr<std::unique_ptr<Module>> module = b.Build();
//
// Errors stick: the first one is kept with the place of the C++ call that caused it; every call after it does nothing and gives an Op
// without an instruction; Build() returns it. So a program is written without a check at each line.
#ifndef HLOSCOPE_CORE_OPS_BUILDER_BUILDER_H_
#define HLOSCOPE_CORE_OPS_BUILDER_BUILDER_H_

#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/base/diagnostic.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope::hlo {

class Builder;
using Place = std::source_location;

// An instruction's result. Copy freely; lives as long as its builder or the module that was built.
class Op {
 public:
  Op() = default;
  bool valid() const { return instruction_ != nullptr; }
  Builder* builder() const { return builder_; }
  Instruction* instruction() const { return instruction_; }  // null after an error
  const Shape& shape() const;                                // the empty tuple after an error
  absl::string_view name() const;
  // Gives the instruction this name (with a number behind it where it is taken).
  Op Named(absl::string_view name) const;

 private:
  friend class Builder;
  Op(Builder* builder, Instruction* instruction) : builder_(builder), instruction_(instruction) {}
  Builder* builder_ = nullptr;
  Instruction* instruction_ = nullptr;
};

// What goes into `metadata={...}` of the instructions made while it is set.
struct OpMetadata {
  std::string op_type, op_name, source_file;
  int source_line = 0;
};

// One computation in the making. The first Builder makes the module and its entry; computations that are called come from
// CreateSubBuilder or Sub, which share the module and the first error.
class Builder {
 public:
  explicit Builder(absl::string_view module_name);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  // A builder of another computation of the same module. Its name gets a number where it is taken.
  std::unique_ptr<Builder> CreateSubBuilder(absl::string_view name);
  // The whole of it in one go: a computation with parameters of these shapes whose root is what `body` returns. Null after an error.
  Computation* Sub(absl::string_view name, absl::Span<const Shape> parameters,
                   const std::function<Op(Builder* b, absl::Span<const Op> parameters)>& body, Place place = Place::current());
  // Copies a module that was built (or read and verified) by itself into this one: its entry, ready to be called. Null after an error.
  Computation* Import(const Module& module, Place place = Place::current());
  // Ends a sub-builder: the root is `root`, or the last instruction made. Null after an error.
  Computation* BuildComputation(Op root = {}, Place place = Place::current());
  // Ends the entry and the module; it is finalized and verified. The builder and its Ops must not be used to make more after it.
  absl::StatusOr<std::unique_ptr<Module>> Build(Op root = {}, Place place = Place::current());
  // As Build, for readers of other formats: the module comes in any case, finalized and not verified, problems go to `sink`.
  std::unique_ptr<Module> Finish(DiagnosticSink& sink, Op root = {});

  // The first error, "FILE:LINE: operation: message [label]", and the call that caused it. Shared by all builders of the module.
  const absl::Status& status() const;
  bool ok() const { return status().ok(); }
  Place error_place() const;
  const std::string& error_label() const;
  // Everything the shape rules said, with the ranges set by SetRange.
  const DiagnosticSink& diagnostics() const;
  // Forgets the first error, so that a reader can go on and find more problems.
  void ClearError();
  // Makes this the first error, if there is none yet. Gives an Op without an instruction.
  Op Error(absl::string_view label, std::string message, Place place = Place::current());

  // The shape of an Op, or the first error.
  absl::StatusOr<Shape> GetShape(Op op) const;
  Module* module() const;
  Computation* computation() const { return computation_; }

  // What following instructions are marked with. Names of nested ScopedOpName are joined with "/".
  void SetOpMetadata(OpMetadata metadata);
  void ClearOpMetadata();
  const OpMetadata& op_metadata() const;
  void SetSharding(absl::string_view sharding);  // with or without braces; "" ends it
  const std::string& sharding() const;
  void SetFrontendAttributes(std::vector<std::pair<std::string, std::string>> attributes);
  // The same for one instruction that exists already.
  void SetInstructionSharding(Op op, absl::string_view sharding);
  void SetInstructionFrontendAttribute(Op op, absl::string_view key, absl::string_view value);
  void AddControlDependency(Op before, Op after);
  // Marks each instruction with the C++ place that made it, as source_file and source_line: `break FILE:LINE` then works on it.
  void RecordPlaces(bool on);
  // Where following instructions lie in the text that they are read from.
  void SetRange(SourceRange range);
  void AddHeader(absl::string_view key, absl::string_view value);  // `replica_count`, ... of the HloModule line

  // The one way to an instruction; the functions of operations.h all end here. `shape` where the operands don't determine it (iota,
  // parameter, ...) or where a reader wants to hold the rule to what is written. Attributes of text kinds are copied.
  Op Add(Opcode opcode, absl::Span<const Op> operands, std::vector<Attribute> attributes = {}, std::optional<Shape> shape = std::nullopt,
         Place place = Place::current());
  // As Add without a shape, for the rules that take the result's element type from what is written (dot, convolution, bitcast-convert).
  Op AddTyped(Opcode opcode, absl::Span<const Op> operands, std::vector<Attribute> attributes, ElementType type,
              Place place = Place::current());
  Op AddParameter(int64_t number, const Shape& shape, absl::string_view name, Place place = Place::current());
  Op AddConstant(Value value, Place place = Place::current());

 private:
  struct State;  // what the builders of one module share
  Builder(std::shared_ptr<State> state, Computation* computation);
  bool CheckOperands(Opcode opcode, absl::Span<const Op> operands, Place place);
  Instruction* NewInstruction(Opcode opcode, absl::Span<const Op> operands, std::vector<Attribute> attributes, Place place);
  bool CheckInstruction(Instruction& instruction, bool infer, Place place);
  Op Checked(Instruction* instruction, bool infer, Place place);
  absl::string_view UniqueName(absl::string_view wanted);
  void Mark(Instruction& instruction, Place place);
  bool SetRoot(Op root, Place place);
  void Completed(Computation* computation);  // it stands behind those completed before
  friend class Op;
  friend class ScopedOpName;

  std::shared_ptr<State> state_;
  Computation* computation_;
};

// Instructions made while it lives have `op_name` "outer/name/...".
class ScopedOpName {
 public:
  ScopedOpName(Builder* builder, absl::string_view name);
  ~ScopedOpName();
  ScopedOpName(const ScopedOpName&) = delete;
  ScopedOpName& operator=(const ScopedOpName&) = delete;

 private:
  Builder* builder_;
  std::string before_;
};

class ScopedSharding {
 public:
  ScopedSharding(Builder* builder, absl::string_view sharding);
  ~ScopedSharding();
  ScopedSharding(const ScopedSharding&) = delete;
  ScopedSharding& operator=(const ScopedSharding&) = delete;

 private:
  Builder* builder_;
  std::string before_;
};

}  // namespace hloscope::hlo

#endif  // HLOSCOPE_CORE_OPS_BUILDER_BUILDER_H_
