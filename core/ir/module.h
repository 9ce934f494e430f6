// Module, Computation, Instruction: a tensor program as data. Made by the readers (core/text) or the Builder, checked by the verifier
// (core/ops/verifier.h), never run by itself.
//
// Ownership: a Module owns everything. Instructions and computations are plain structs at stable addresses; names and other texts are
// string_views into the SourceText that was read or into the Module's own arena (Intern). After Finalize() nothing changes any more.
#ifndef HLOSCOPE_CORE_IR_MODULE_H_
#define HLOSCOPE_CORE_IR_MODULE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "core/base/diagnostic.h"
#include "core/base/name_map.h"
#include "core/base/source.h"
#include "core/base/stable_blocks.h"
#include "core/ir/attributes.h"
#include "core/ir/opcode.h"
#include "core/literal/value.h"
#include "core/shape/shape.h"

namespace hloscope {

struct Module;

// metadata={op_type=".." op_name=".." source_file=".." source_line=N stack_frame_id=N ...}
struct Metadata {
  absl::string_view op_name, op_type, source_file;
  int32_t source_line = 0;
  int32_t stack_frame_id = 0;  // index into Module::stack_frames, 1-based; 0: none. May point past the table: tolerate.
  absl::string_view raw;       // everything between the braces, verbatim; empty: no metadata
};

// A constant's literal. `elided`: the text was `{...}`; then `value` is empty until somebody fills it (core/exec/inputs.h).
struct ConstantLiteral {
  Value value;
  bool elided = false;
};

struct Instruction {
  Opcode opcode{};
  absl::string_view name;  // without %
  Shape shape;
  absl::InlinedVector<Instruction*, 3> operands;
  std::vector<Attribute> attributes;  // in the order written, without the ones below
  Metadata metadata;
  absl::string_view sharding;             // raw, with braces; empty: none
  absl::string_view backend_config;       // raw as written (quoted or braces); empty: none
  absl::string_view frontend_attributes;  // raw, with braces; empty: none
  absl::string_view statistics;           // raw, with braces
  std::vector<Instruction*> control_predecessors;
  std::unique_ptr<ConstantLiteral> literal;  // of a constant
  int64_t parameter_number = -1;             // of a parameter
  Computation* parent = nullptr;
  int32_t index = -1;  // position in parent->schedule
  bool shape_omitted = false;  // the text gave no shape; the verifier inferred it
  bool in_error = false;       // the reader reported something about it: operands or attributes may be missing
  SourceRange range;       // the whole instruction
  SourceRange name_range;  // its name at the definition
  absl::InlinedVector<SourceRange, 3> operand_ranges;

  const Attribute* Find(AttrId id) const;
  bool Has(AttrId id) const { return Find(id) != nullptr; }
  int64_t Int(AttrId id, int64_t otherwise = 0) const;
  bool Bool(AttrId id, bool otherwise = false) const { return Int(id, otherwise) != 0; }
  double Float(AttrId id, double otherwise = 0) const;
  absl::string_view Text(AttrId id) const;  // String, Word, Raw; "" when absent
  absl::Span<const int64_t> Ints(AttrId id) const;  // empty when absent
  const Window* GetWindow() const;
  const ConvDimensionNumbers* GetDimLabels() const;
  absl::Span<const PaddingDimension> GetPadding() const;
  absl::Span<const SliceDimension> GetSlices() const;
  Computation* Called(AttrId id) const;  // null when absent
  // All computations named by attributes, in attribute order.
  std::vector<Computation*> CalledComputations() const;
};

struct Computation {
  absl::string_view name;
  Module* module = nullptr;
  std::vector<Instruction*> instructions;  // in text order
  std::vector<Instruction*> schedule;      // program order: topological by operands and control predecessors, text order where free
  std::vector<Instruction*> parameters;    // by parameter number
  Instruction* root = nullptr;
  bool is_entry = false;   // is marked as the entry; whether a module runs from it, Module::entry says (WithEntry)
  bool is_fusion = false;  // is the `calls` of a fusion
  bool in_error = false;   // the reader could not read some instruction at all: parameters or the root may be missing
  absl::string_view execution_thread;      // attribute after the closing brace; empty: none
  std::vector<Attribute> attributes;       // other attributes after the closing brace or in the header, raw
  SourceRange range;
  SourceRange name_range;
  int32_t id = -1;  // position in module->computations

  Instruction* FindInstruction(absl::string_view name) const;  // by name without %; null when absent. O(1) after Finalize.
  NameMap<Instruction*> by_name;
};

// The tables of a dump: FileNames, FunctionNames, FileLocations, StackFrames; all ids 1-based as written.
struct FileLocation {
  int32_t file_name_id = 0, function_name_id = 0, line = 0, end_line = 0, column = 0, end_column = 0;
};
struct StackFrame {
  int32_t file_location_id = 0;
  int32_t parent_frame_id = 0;  // as written: the parent's id plus one; 1 (or 0) means none
};
struct SourceFrames {
  std::vector<std::string> file_names, function_names;
  std::vector<FileLocation> file_locations;
  std::vector<StackFrame> stack_frames;
  bool empty() const { return file_names.empty() && function_names.empty() && file_locations.empty() && stack_frames.empty(); }
};
// One Python frame of an instruction, innermost first in lists.
struct PythonFrame {
  absl::string_view file, function;
  int line = 0, column = 0;
};

struct Module {
  Module();
  ~Module();  // not where it is used: what it takes apart is much code
  // The same program begun at another of its computations, for a device that runs that one: a module of the same computations and
  // instructions, which it keeps alive. Their `module` is still `program`.
  static std::shared_ptr<Module> WithEntry(std::shared_ptr<const Module> program, Computation* entry);
  // Of a module made by WithEntry the one it was made of; of others the module itself.
  const Module& program() const { return program_ != nullptr ? *program_ : *this; }
  const uint64_t serial;  // no other module of this process has the same, not even one that is gone
  std::string name;
  std::shared_ptr<const SourceText> source;  // null for built modules
  // Header attributes in the order written: {name, raw text of the value}. Also entry_computation_layout (raw).
  std::vector<std::pair<std::string, std::string>> header;
  SourceFrames frames;
  std::vector<Computation*> computations;  // in text order
  Computation* entry = nullptr;
  // What entry_computation_layout promises of the result, layouts included, where it was written and fits the root.
  std::optional<Shape> entry_result;

  Computation* AddComputation(absl::string_view name);
  Instruction* AddInstruction(Computation* parent);
  absl::string_view Intern(absl::string_view text);  // a copy that lives as long as the module
  Computation* FindComputation(absl::string_view name) const;  // without %
  int64_t instruction_count() const;
  // "HeaderAttr" lookup; null when absent.
  const std::string* FindHeader(absl::string_view key) const;

  // Fills schedule, index, parameters, by_name, ids, is_fusion; picks an entry where none was marked (the last computation).
  // Reports cycles (label ir.operand-cycle, ir.call-cycle), duplicate names, and missing or duplicate parameter numbers. On errors the
  // module may be printed, listed and verified (what is in error is passed over) but not run.
  void Finalize(DiagnosticSink& sink);

  // The Python frames of an instruction, innermost first, from stack_frame_id and the tables, or from source_file/source_line.
  std::vector<PythonFrame> PythonFrames(const Instruction& instruction) const;

 private:
  StableBlocks<Computation> computation_storage_;
  StableBlocks<Instruction> instruction_storage_;
  std::deque<std::string> strings_;
  NameMap<Computation*> computation_by_name_;
  std::shared_ptr<const Module> program_;  // of WithEntry: what owns the computations
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_IR_MODULE_H_
