// Appends HLO instructions to a computation: names made unique, shapes inferred by the operations' own rules where none is given.
// Not for deciding what a StableHLO operation becomes (see convert.h), nor for checking: the verifier does that afterwards.
#ifndef HLOSCOPE_CORE_TEXT_STABLEHLO_EMIT_H_
#define HLOSCOPE_CORE_TEXT_STABLEHLO_EMIT_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "core/base/diagnostic.h"
#include "core/ir/module.h"

namespace hloscope::stablehlo {

using Operands = std::vector<Instruction*>;
using Attributes = std::vector<Attribute>;

Attribute IntAttribute(AttrId id, int64_t value);
Attribute IntsAttribute(AttrId id, std::vector<int64_t> values);
Attribute FloatAttribute(AttrId id, double value);
Attribute TextAttribute(Module& module, AttrId id, absl::string_view text);  // String, Word, Raw
Attribute ComputationAttribute(AttrId id, Computation* computation);
Attribute PaddingAttribute(std::vector<PaddingDimension> dimensions);

// A name that HLO text can spell, from an SSA name or anything else.
std::string CleanName(absl::string_view name);

// Where instructions come from: what they get as range and metadata.
struct Origin {
  SourceRange range, name_range;
  Metadata metadata;
};

// A computation under construction. A null operand means that it was in error: then nothing is emitted and the result is null.
class Emitter {
 public:
  Emitter(Module& module, Computation* computation, DiagnosticSink& sink) : module_(module), computation_(computation), sink_(sink) {}
  Module& module() { return module_; }
  Computation* computation() { return computation_; }
  void set_origin(const Origin& origin) { origin_ = origin; }
  const Origin& origin() const { return origin_; }

  // `shape` null: inferred; a failed rule is reported. `name` empty: the opcode's.
  Instruction* Add(Opcode opcode, Operands operands, Attributes attributes = {}, const Shape* shape = nullptr, absl::string_view name = {});
  Instruction* Parameter(const Shape& shape, absl::string_view name);
  Instruction* Constant(Value value, absl::string_view name = {});
  // A scalar of a type; integers from `v` exactly up to 2^53.
  Instruction* Scalar(ElementType type, double v);
  Instruction* ScalarInt(ElementType type, int64_t v);
  Instruction* Element(Instruction* tuple, int64_t index, absl::string_view name = {});
  Instruction* Tuple(Operands elements, absl::string_view name = {});
  Instruction* Convert(Instruction* x, ElementType type);  // itself where it has the type
  Instruction* Reshape(Instruction* x, std::vector<int64_t> dimensions);
  // Operand dimension i becomes dimension dims[i]; a size 1 may be repeated.
  Instruction* Broadcast(Instruction* x, const Shape& to, std::vector<int64_t> dims);
  Instruction* Splat(Instruction* scalar, const Shape& like);  // the scalar in the dimensions of `like`
  Instruction* Compare(absl::string_view direction, Instruction* a, Instruction* b, absl::string_view type = {});
  void SetRoot(Instruction* root);
  std::string UniqueName(absl::string_view name);
  // The text names something so: what has no name of its own is called otherwise.
  void Reserve(std::string name) { reserved_.insert(std::move(name)); }

 private:
  Module& module_;
  Computation* computation_;
  DiagnosticSink& sink_;
  Origin origin_;
  absl::flat_hash_map<std::string, int> names_;
  absl::flat_hash_set<std::string> reserved_;
};

// The shape that an operation's rule gives an instruction; reports to `sink`. Arity is checked first.
std::optional<Shape> InferShape(const Instruction& instruction, DiagnosticSink& sink);

}  // namespace hloscope::stablehlo

#endif  // HLOSCOPE_CORE_TEXT_STABLEHLO_EMIT_H_
