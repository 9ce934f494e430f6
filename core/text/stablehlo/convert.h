// From the tree of an MLIR file to HLO computations: functions, regions, values. What one operation becomes stands in the tables of
// convert_*.cc and chlo_*.cc, a row an operation. Not for syntax (core/text/mlir) nor for choosing functions (stablehlo.cc).
//
// Every SSA value becomes one instruction of a static shape: types with `?` are refined from the operands, function by function, starting
// with the entry's arguments; where an operation's shape comes from another operand, that operand must follow from constants (fold.h).
#ifndef HLOSCOPE_CORE_TEXT_STABLEHLO_CONVERT_H_
#define HLOSCOPE_CORE_TEXT_STABLEHLO_CONVERT_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/text/mlir/mlir.h"
#include "core/text/stablehlo/attributes.h"
#include "core/text/stablehlo/emit.h"
#include "core/text/stablehlo/fold.h"
#include "core/text/stablehlo/stack_frames.h"

namespace hloscope::stablehlo {

class OpContext;
using Handler = void (*)(OpContext&);

// One operation: its full name, how many operands it takes (-1: any number), how many regions it must have.
struct Row {
  absl::string_view name;
  Handler handler;
  int min_operands = 0, max_operands = -1, regions = 0;
};
// The rows of each file.
absl::Span<const Row> ElementwiseRows();
absl::Span<const Row> ShapeRows();
absl::Span<const Row> DynamicRows();
absl::Span<const Row> RegionRows();
absl::Span<const Row> LinearRows();
absl::Span<const Row> EinsumRows();
absl::Span<const Row> DistributionRows();
absl::Span<const Row> CallRows();
absl::Span<const Row> CheckRows();
absl::Span<const Row> ChloRows();
const Row* FindRow(absl::string_view name);

// Where problems of an operation are told: its name.
SourceRange PlaceOf(const mlir::Op& op);
// Its sym_name; empty where it has none.
std::string SymbolOf(const mlir::Op& op);
// func.return, stablehlo.return.
bool IsReturn(const mlir::Op& op);

// The shape of a type that has no `?`.
std::optional<Shape> StaticShape(const mlir::Type& type);
bool IsQuantized(const mlir::Type& type);

// A computation being filled from a region.
struct Scope {
  Scope(Module& module, Computation* computation, DiagnosticSink& sink) : emit(module, computation, sink) {}
  Emitter emit;
  absl::flat_hash_map<const mlir::SsaValue*, Instruction*> values;  // null: was in error
};

class Converter {
 public:
  // `root` is a builtin.module; its functions and those of the modules inside it can be called.
  Converter(const mlir::File& file, const mlir::Op& root, Module& module, DiagnosticSink& sink);

  const std::vector<const mlir::Op*>& functions() const { return functions_; }  // func.func with a body
  const mlir::Op* FindFunction(absl::string_view name) const;
  // With its own argument types; null when it could not be converted at all.
  Computation* ConvertEntry(const mlir::Op& function);
  // For given operands of a call in `caller`.
  Computation* ConvertCallee(const mlir::Op& function, const Operands& arguments, SourceRange place);
  // Puts callees before callers, and ends the module.
  void Finish(Computation* entry);

  // A computation of a region. `bind` makes parameters and gives the block's arguments their values; `finish` makes the root from what the
  // region returns.
  Computation* ConvertRegion(const mlir::Region& region, absl::string_view name, const std::function<void(Scope&)>& bind,
                             const std::function<Instruction*(Scope&, const Operands&)>& finish);
  // A computation of our own, for decompositions: made once for each key.
  Computation* Helper(const std::string& key, absl::string_view name, const std::function<Instruction*(Emitter&, Computation*)>& fill);
  void ConvertOp(Scope& scope, const mlir::Op& op);

  Folder& folder() { return folder_; }
  Module& module() { return module_; }
  DiagnosticSink& sink() { return sink_; }
  // "did you mean 'stablehlo.tanh'?", of the same dialect where that is known; "": nothing is near. (hints.cc)
  std::string HintForOperation(absl::string_view name);
  std::string HintForFunction(absl::string_view name);
  const SourceText& source() const { return *file_.source; }
  std::string UniqueComputation(absl::string_view name);
  // Of the function that is converted first of those that are being converted now: its own body, not that of a region or callee.
  const Computation* outermost() const { return outermost_; }
  // The functions whose results are the infeed of a program that main runs itself, as a call (interpreter.run_parallel of one device).
  std::vector<std::string>& infeed() { return infeed_; }

 private:
  Operands ConvertBody(Scope& scope, const mlir::Region& region);
  // An operation that no row is for.
  void ReportUnknown(const mlir::Op& op);
  // Results have the types that the text gives them.
  void CheckResultTypes(Scope& scope, const mlir::Op& op);
  // What the handler of an operation made is called as the text calls it: `first` is the number of instructions before it.
  void NameResults(Scope& scope, const mlir::Op& op, size_t first);
  // Names as the text writes them, %0 and %r#1, are found too.
  void KeepWrittenNames(const Scope& scope);
  Computation* ConvertFunction(const mlir::Op& function, const std::vector<Shape>& shapes, const std::vector<Value>& known, bool entry);
  void DescribeArgument(const mlir::Op& function, int number, Instruction& parameter);
  Origin OriginOf(const mlir::Op& op);

  const mlir::File& file_;
  Module& module_;
  DiagnosticSink& sink_;
  StackFrames frames_;
  Folder folder_;
  std::vector<const mlir::Op*> functions_;
  absl::flat_hash_map<std::string, const mlir::Op*> by_name_;
  absl::flat_hash_map<std::string, Computation*> converted_;  // by function and argument shapes
  absl::flat_hash_map<std::string, Computation*> helpers_;
  absl::flat_hash_map<std::string, int> computation_names_;
  std::vector<const mlir::Op*> open_functions_;  // being converted, for recursion
  const Computation* outermost_ = nullptr;
  std::vector<std::string> infeed_;
  std::vector<Computation*> order_;              // callees first
  std::vector<std::pair<Instruction*, absl::string_view>> written_names_;  // where they are not the instruction's own
  int64_t suggestion_budget_ = int64_t{1} << 24;                           // of all searches for what was meant
};

// Values used in the regions of `op` that are defined outside of it, in order of first use.
std::vector<const mlir::SsaValue*> FreeValues(const mlir::Op& op);
std::vector<const mlir::SsaValue*> FreeValues(const mlir::Op& op, const mlir::Region& region);

// What a row's handler sees: the operation, its operands as instructions, and where the results go.
class OpContext {
 public:
  OpContext(Converter& converter, Scope& scope, const mlir::Op& op) : c(converter), scope(scope), e(scope.emit), op(op) {}
  Converter& c;
  Scope& scope;
  Emitter& e;
  const mlir::Op& op;

  int operand_count() const { return static_cast<int>(op.operands.size()); }
  int result_count() const { return static_cast<int>(op.results.size()); }
  // Null when it is missing or was in error (then nothing that uses it is emitted).
  Instruction* in(int i) const;
  Operands ins(int first = 0, int count = -1) const;
  Instruction* Lookup(const mlir::SsaValue* value) const;

  const mlir::Attr* attr(absl::string_view name) const {
    asked_.push_back(name);
    return op.Find(name);
  }
  // Tells of attributes that nobody asked for and that are nearly called like one that was asked for and is not there.
  void TellMisspelt() const;
  int64_t Int(absl::string_view name, int64_t otherwise) const;
  bool Bool(absl::string_view name, bool otherwise) const { return Int(name, otherwise) != 0; }
  std::vector<int64_t> Ints(absl::string_view name) const;  // empty when absent
  std::vector<int64_t> Ints(absl::string_view name, int64_t count, int64_t otherwise) const;
  std::string Word(absl::string_view name, absl::string_view otherwise = {}) const;
  // Reports a word, or words of a list, that are none of these; an absent attribute is as good as any.
  void Among(absl::string_view attribute, std::initializer_list<absl::string_view> words) const;
  // Reports when it is absent.
  const mlir::Attr* Need(absl::string_view name) const;
  std::optional<std::vector<int64_t>> NeedInts(absl::string_view name) const;

  // The written type where it is static.
  std::optional<Shape> Written(int result = 0) const;
  // ... or the dimensions of `like` with the written element type.
  Shape WrittenOrLike(const Shape& like, int result = 0) const;
  ElementType WrittenElement(int result = 0) const { return op.results.empty() ? ElementType::kF32 : op.results[result]->type.shape.element_type(); }
  // What an operand is known to hold; reports when it does not follow from constants.
  std::optional<std::vector<int64_t>> KnownInts(int operand, absl::string_view what) const;
  std::optional<std::vector<int64_t>> TryKnownInts(int operand) const;

  std::string name() const;  // of the first result, clean
  // Emits with the result's written type (inferred when it has `?`) and makes it the only result.
  void Simple(Opcode opcode, Operands operands, Attributes attributes = {});
  void Set(int result, Instruction* value) { scope.values[op.results[result].get()] = value; }
  // One instruction with all results: itself for one, elements of the tuple for several (or none).
  void SetAll(Instruction* value);
  void Error(absl::string_view label, std::string message, std::string hint = "") const;

  Attribute Text(AttrId id, absl::string_view text) const { return TextAttribute(c.module(), id, text); }
  // A reducer, comparator, ...: a computation whose parameters are the block's arguments. Captured constants are repeated inside; other
  // scalars from outside become further parameters in the way that the operation has for them, and are added to `captured`: its caller
  // passes each as one more operand, the same at every index. Without a `captured` they are refused. (convert_captures.cc)
  enum class Captures {
    kLast,    // map: one parameter each, behind the others
    kPairs,   // sort: two parameters each, behind the others
    kHalves,  // folds and scatter: one behind each half of the parameters, and one result each behind the others
  };
  Computation* ScalarRegion(int region, absl::string_view name) const { return ScalarRegion(region, name, Captures::kLast, nullptr); }
  Computation* ScalarRegion(int region, absl::string_view name, Captures form, Operands* captured) const;
  // The element type that parameter `i` of a region has; nothing when it is missing.
  std::optional<ElementType> RegionType(int region, int i) const;

 private:
  mutable std::vector<absl::string_view> asked_;  // names of attributes
};

// What regions take from outside: constants of one element are repeated inside, the rest is passed.
struct RegionCaptures {
  std::vector<const mlir::SsaValue*> passed;
  std::vector<std::pair<const mlir::SsaValue*, const Instruction*>> repeated;
  bool ok = true;
};
// Of all regions of the operation.
RegionCaptures FindCaptures(OpContext& c);
// What is repeated, inside.
void Repeat(Scope& inner, const RegionCaptures& captures);

// Whether the first two operands of an assertion can be compared element by element; reports when not.
bool ComparesLike(OpContext& c);

// A custom call that stands for an operation with its sizes in operands (convert_dynamic_calls.cc); false: it is another one.
bool ConvertDynamicCall(OpContext& c, absl::string_view target);

}  // namespace hloscope::stablehlo

#endif  // HLOSCOPE_CORE_TEXT_STABLEHLO_CONVERT_H_
