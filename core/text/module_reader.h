// The reader of HLO text: one pass, from the header to the last computation. Private to core/text; callers use hlo_text.h.
//
// A statement that cannot be read is reported, and reading goes on at the next line or attribute that looks like a beginning
// (module_reader.cc, RecoverStatement). Names of operands are looked up as they are read; those that stand further down are noted and
// found at the end of their computation, names of computations at the end of the module.
#ifndef HLOSCOPE_CORE_TEXT_MODULE_READER_H_
#define HLOSCOPE_CORE_TEXT_MODULE_READER_H_

#include <bitset>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/base/name_map.h"
#include "core/ir/module.h"
#include "core/text/attribute_text.h"
#include "core/text/scanner.h"
#include "core/text/shape_reader.h"

namespace hloscope {

class ModuleReader {
 public:
  ModuleReader(std::shared_ptr<const SourceText> source, DiagnosticSink& sink, const TextLimits& limits);
  std::unique_ptr<Module> Read();

 private:
  enum class Outcome { kRead, kFailed, kHeader };  // kHeader: not an instruction but the beginning of a computation

  // A shape that the text gives again at a use, or a name further down: settled at the end of the computation.
  struct PendingOperand {
    Instruction* user;
    int operand;  // -1: a control predecessor
    absl::string_view name;
    SourceRange range;
    Shape shape;
    bool typed;
  };
  // What the header of a computation says about its shape.
  struct Signature {
    bool present = false;
    Shape result;
    SourceRange result_range;
    std::vector<std::pair<Shape, SourceRange>> parameters;
  };

  // module_reader.cc
  void ReadTopLevel();
  void ReadHeader();
  void ReadComputation(bool is_entry, const char* start);
  bool ReadSignature(Signature& signature);
  void ReadBody(Computation* computation, bool bare);
  bool BeginsBeyondBody();
  void ReadTrailer(Computation* computation);
  void ReserveNames(const Computation& computation);
  void FinishComputation(Computation* computation);
  Instruction* AddImpliedParameter(absl::string_view name, const Shape& shape, SourceRange range);
  void MoveImpliedParameters();
  void CheckSignature(const Computation& computation, const Signature& signature);
  void ResolveComputations();
  bool AtComputationHeader(absl::string_view name);
  void RecoverStatement(const char* start);
  bool SkipBracketed();
  bool EndsWithStatement(const char* start);
  void SkipLine();

  // frames_reader.cc
  bool ReadTable(absl::string_view name);
  bool ReadTableRow(int table);

  // inline_reader.cc
  bool AtNamelessInstruction(const char* start);
  Computation* ReadInlineComputation(const Instruction& user, absl::string_view attribute, int element);
  void ReadInlineTrailer(Computation* computation);
  Instruction* ReadNested(Computation* computation, Shape* shape, absl::string_view opcode);
  void NameLater(Instruction* instruction, absl::string_view opcode);
  void SumLater(Instruction* instruction, const Computation* in);
  void AddSums();
  void NameGenerated(const Computation& computation, const std::vector<Instruction*>& generated);
  void PlaceGeneratedComputations();
  void CheckControlBytes();

  // instruction_reader.cc
  Outcome ReadInstruction(Computation* computation);
  bool ReadShapeAndOpcode(Instruction* instruction, absl::string_view* sugar);
  bool ReadOpcode(Instruction* instruction, absl::string_view* sugar);
  bool ReadParentheses(Instruction* instruction);
  bool ReadOperands(Instruction* instruction);
  void AddOperand(Instruction* instruction, absl::string_view name, SourceRange range, const Shape* shape);
  void CheckOperandShape(SourceRange range, const Shape& written, const Instruction& operand);
  bool ReadAttributes(Instruction* instruction);
  bool BeginsLine(const char* line) const;
  bool StatementBegins(bool apart = false);
  bool ReadAttribute(Instruction* instruction);
  bool ReadAttributeValue(Instruction* instruction, absl::string_view name, const char* name_start);
  bool ReadRaw(absl::string_view* value);
  bool ReadControlPredecessors(Instruction* instruction);
  bool ReadMetadata(Metadata& metadata);
  void WrapAsync(Instruction* start, absl::string_view opcode);
  bool AttributeFollows();
  bool SkipStrayBracket();
  void ReportOutside(const char* start, absl::string_view why);
  bool MayBeBody();

  std::shared_ptr<const SourceText> source_;
  DiagnosticSink& sink_;
  Scanner s_;
  ShapeReader shapes_;
  std::unique_ptr<Module> module_;
  Computation* fragment_ = nullptr;  // of instructions that stand outside computations
  // Operands of the fragment that are written with their shapes but defined nowhere are its parameters: "x = f32[2] negate(f32[2] y)".
  std::vector<Instruction*> implied_parameters_;
  bool headless_ = false;  // the fragment has been told to be a computation whose header is missing
  bool seen_header_ = false;
  bool seen_outfeed_shape_ = false;
  bool in_garbage_ = false;  // one report for consecutive lines that mean nothing
  int64_t suggestion_budget_ = 50'000'000;

  // Of the computation that is being read, and of its instruction. Put aside while a computation inside an attribute is read.
  struct Scope {
    NameMap<Instruction*> names;
    absl::flat_hash_set<absl::string_view> broken_names;  // defined by statements that could not be read: uses are not reported again
    std::vector<PendingOperand> pending;
    std::vector<Instruction*> generated;  // instructions without a name in the text
    std::vector<Attribute> attributes;
    std::bitset<512> seen_attributes;
    std::vector<ComputationReference> references;
  };
  Scope scope_;
  static constexpr size_t kManyNames = 100;  // of a computation
  bool literal_of_unknown_ = false;  // the parentheses behind an unknown opcode hold no operands
  // Braces of computations that are open, and for those inside attributes the statements that have them.
  int open_bodies_ = 0;
  std::vector<int32_t> holders_;
  const char* closed_until_ = nullptr;  // up to there they are known to be closed
  int nesting_ = 0;  // of instructions that are written as operands, and of computations inside attributes

  std::vector<ComputationReference> settled_references_;  // of computations inside attributes
  std::vector<Instruction*> fragment_generated_;          // its names are only known at the end of the text
  // Computations without a name in the text, and the computation of the text in which they stand.
  std::vector<std::pair<Computation*, const Computation*>> generated_computations_;
  const Computation* anchor_ = nullptr;  // while a computation inside an attribute is read: the one of the text around it
  // Parameters of wrapped asynchronous computations whose shapes are their operands': {parameter, start instruction, operand number}.
  struct WrappedParameter {
    Instruction* parameter;
    Instruction* start;
    int operand;
  };
  std::vector<WrappedParameter> wrapped_;
  // Of the old name that means a sum, and the computation of the text in which each stands.
  std::vector<std::pair<Instruction*, const Computation*>> sums_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_MODULE_READER_H_
