// What an operation is: its row's OpDef says attributes, arity, shape rule, element program, evaluation where it is opaque, and doc.
// Everybody (verifier, interpreter, JIT, pictures, explain) asks here and nowhere names an opcode.
#ifndef HLOSCOPE_CORE_OPS_OP_H_
#define HLOSCOPE_CORE_OPS_OP_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/diagnostic.h"
#include "core/element/program.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "core/ops/reach.h"

namespace hloscope {

enum class OpClass : uint8_t {
  kPull,     // has an element program: each output element is an expression over operand elements
  kPush,     // has an element program that walks updates (scatter, select-and-scatter)
  kOpaque,   // a function over whole values (`evaluate`): sort, fft, cholesky, ...
  kControl,  // runs other computations; the exec Machine knows what to do (`control`)
  kStructural,  // tuple, get-tuple-element, parameter, constant, opt-barrier, tokens: handles only, no element is touched (`evaluate`)
};

enum class ControlKind : uint8_t { kNone, kCall, kWhile, kConditional };

// Where the size of a dynamic dimension comes from: an operand whose value it is, or whose same dimension has it.
struct SizeSource {
  int operand = -1;  // -1: that is not to be seen
  bool is_value = false;
};

// What an instruction needs from whoever runs the program, beyond its operands. The Machine provides it.
enum class HostService : uint8_t {
  kNone,
  kInfeed,
  kOutfeed,
  kSend,     // keeps operand 0 for whoever receives on its channel, and is evaluated
  kReceive,  // takes what was sent on the channel of its operand: the first leaf of its result
};

// How an instruction walks over data, for slices, fusion and pictures.
enum class Movement : uint8_t {
  kCompute,  // makes new numbers
  kMove,     // each output element is a copy of one operand element (reshape, transpose, slice, broadcast, copy, ...)
  kCreate,   // no operand is read (iota, constant, rng)
};

struct AttrSpec {
  AttrId id;
  bool required = false;
};

// Handed to a shape rule. A rule reports every violated requirement through Fail / FailAt, with a label of its own, and returns the
// inferred shape, or nothing when it cannot be inferred. Layouts play no part: inferred shapes carry none.
class ShapeContext {
 public:
  ShapeContext(const Instruction& instruction, DiagnosticSink& sink) : instruction_(instruction), sink_(sink) {}
  const Instruction& instruction() const { return instruction_; }
  int operand_count() const { return static_cast<int>(instruction_.operands.size()); }
  const Shape& operand(int i) const { return instruction_.operands[i]->shape; }
  // The written result shape: what a rule falls back on where the operands do not determine it (custom-call, iota, rng, convert's type).
  const Shape& written() const { return instruction_.shape; }
  // At the whole instruction / at operand i / at an attribute. Returns nullopt so that a rule can `return c.Fail(...)`.
  std::nullopt_t Fail(absl::string_view label, std::string message, std::string hint = "");
  std::nullopt_t FailOperand(int i, absl::string_view label, std::string message, std::string hint = "");
  std::nullopt_t FailAttribute(AttrId id, absl::string_view label, std::string message, std::string hint = "");
  // At a part of the program's text, of frontend_attributes for instance; at the whole instruction where it is none.
  std::nullopt_t FailText(absl::string_view part, absl::string_view label, std::string message, std::string hint = "");

 private:
  const Instruction& instruction_;
  DiagnosticSink& sink_;
};

// Calls a computation on values: for opaque operations that need one (sort's comparator). Backends pass a fast one.
using ComputationCaller = std::function<absl::StatusOr<Value>(const Computation&, absl::Span<const Value>)>;

// Handed to `evaluate` of opaque and structural operations.
struct EvalContext {
  const Instruction& instruction;
  absl::Span<const Value> operands;
  MemoryAccount* account = nullptr;
  ComputationCaller call;
  uint64_t stream_seed = 0;  // for rng: a pure function of (session seed, dynamic position), so that a replay is exact
  // Runs body(begin, end) for pieces of [0, n) cut at multiples of `grain`, side by side where the backend has threads for it. What a
  // piece computes must depend on the piece alone.
  std::function<void(int64_t n, int64_t grain, absl::FunctionRef<void(int64_t begin, int64_t end)> body)> parallel;
  void ParallelFor(int64_t n, int64_t grain, absl::FunctionRef<void(int64_t begin, int64_t end)> body) const {
    if (parallel) return parallel(n, grain, body);
    for (int64_t begin = 0; begin < n; begin += grain) body(begin, begin + grain < n ? begin + grain : n);
  }
};

struct OpDef {
  Opcode opcode{};
  OpClass op_class = OpClass::kPull;
  ControlKind control = ControlKind::kNone;
  Movement movement = Movement::kCompute;
  bool has_side_effect = false;  // never removed, never run twice without its log (infeed, send, ...)
  int min_operands = 0;
  int max_operands = 0;  // -1: any number
  std::vector<AttrSpec> attributes;
  std::optional<Shape> (*infer)(ShapeContext&) = nullptr;                          // required
  absl::StatusOr<Program> (*program)(const Instruction&) = nullptr;                // kPull, kPush
  absl::StatusOr<Value> (*evaluate)(const EvalContext&) = nullptr;                 // kOpaque, kStructural
  std::vector<Reach> (*reach)(const ReachQuestion&) = nullptr;                     // kOpaque: what its elements depend on (reach.h); null: on everything
  // Of a dynamic dimension of the result: what its size comes from. Null: an operand of the same sizes, of operations element by element.
  SizeSource (*size_source)(const Instruction&, int dimension) = nullptr;
  bool gives_size = false;  // the result is the size of operand 0's dimension that `dimensions` names, and follows from none of its elements
  HostService host = HostService::kNone;
  // Its rounding is small beside the size of the whole result, not beside each element: elements are long sums that may cancel.
  bool normwise_error = false;
  // Whether the instruction's two operands may change places and the result stays the same (but for which NaN it is). Null: never.
  bool (*commutes)(const Instruction&) = nullptr;
  bool sizes_from_values = false;  // `evaluate` gives a result whose sizes are values of the program, within the bounds that are written
  // For operations that are not executed (yet, or on one replica): the sentence that says so. Empty: executed.
  absl::string_view not_executed;
  absl::string_view opaque_reason;  // kOpaque: why there is no element program
  absl::string_view summary;        // one line
  absl::string_view doc;            // Markdown, a paragraph or more, own words
  absl::string_view formula;        // of one result element, from reference.def
  absl::string_view requirements;   // in sentences, from reference.def
  absl::string_view spec;           // the section, "operations.md: Dot"
};

class OpRegistry {
 public:
  static const OpRegistry& Get();
  const OpDef& operator[](Opcode opcode) const { return defs_[static_cast<int>(opcode)]; }
  OpDef& Define(Opcode opcode);  // for the Define<...> functions only

 private:
  OpRegistry();
  std::vector<OpDef> defs_;
};

inline const OpDef& Def(Opcode opcode) { return OpRegistry::Get()[opcode]; }
inline const OpDef& Def(const Instruction& i) { return Def(i.opcode); }

// Whether an instruction does something outside of the program: by its operation, by custom_call_has_side_effect, or because a computation
// that it calls has such an instruction.
bool HasSideEffect(const Instruction& instruction);
// Whether it must run though nobody reads its result: for its side effect, as it exchanges something with other devices, which count on
// it, or as it waits for what they give.
bool MustRun(const Instruction& instruction);

// Whether op(a, b) is op(b, a).
inline bool Commutes(const Instruction& i) { return i.operands.size() == 2 && Def(i).commutes != nullptr && Def(i).commutes(i); }

// The element program of a kPull / kPush instruction: its OpDef's, checked for internal consistency. The module must be verified.
absl::StatusOr<Program> ElementProgram(const Instruction& instruction);

// Inlines a computation of scalars (a reducer, a comparator, a map body) as expressions: `arguments` are nodes of `graph`, one a
// parameter; returns one node for each leaf of the root's shape. Nested calls, fusions and tuples are inlined; anything with an
// OpClass other than kPull/kStructural/kCall inside is an UnimplementedError that names the instruction.
absl::StatusOr<std::vector<NodeId>> InlineScalarComputation(ExprGraph& graph, const Computation& computation, absl::Span<const NodeId> arguments);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_OP_H_
