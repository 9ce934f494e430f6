// The reader behind ReadMlir: one pass over the tokens, with recovery. Private to this room.
//
// Rules of all its functions: false means that a problem was reported (or, while quiet_ > 0, kept silent) and the caller gives up too,
// until ReadStatement, which looks for the next statement. On true the current token is the first one after what was read.
#ifndef HLOSCOPE_CORE_TEXT_MLIR_READER_H_
#define HLOSCOPE_CORE_TEXT_MLIR_READER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "core/base/diagnostic.h"
#include "core/base/source.h"
#include "core/text/mlir/mlir.h"
#include "core/text/mlir/pretty_forms.h"
#include "core/text/mlir/scanner.h"

namespace hloscope::mlir {

class Reader {
 public:
  Reader(std::shared_ptr<const SourceText> source, DiagnosticSink& sink);
  File Read();

 private:
  // What the short spelling of one operation has said so far.
  struct Draft {
    const PrettyForm* form = nullptr;
    int written_operands = 0;
    std::vector<bool> filled;  // one a field of the form
    int constant = -1;         // which of the attributes is the kConstant field
    int parens = 0;
  };
  struct Written {  // an operand as written
    absl::string_view name;
    SourceRange range;
  };
  struct ResultName {
    absl::string_view name;  // with %
    int count = 1;
    SourceRange range;
  };
  using Scope = absl::flat_hash_map<absl::string_view, SsaValue*>;

  // --- reader.cc: tokens, problems, parts ---
  void Advance() { token_ = scanner_.Next(); }
  void Seek(int32_t position);
  absl::string_view Text(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }
  absl::string_view Text(int32_t begin, int32_t end) const { return text_.substr(begin, end - begin); }
  absl::string_view TokenText() const { return Text(token_); }
  SourceRange TokenRange() const { return {token_.begin, token_.end}; }
  SourceRange RangeFrom(int32_t begin) const { return {begin, last_end_ > begin ? last_end_ : begin}; }
  bool Is(char punctuation) const { return token_.kind == TokenKind::kPunctuation && token_.punctuation == punctuation; }
  bool IsWord(absl::string_view word) const { return token_.kind == TokenKind::kIdentifier && TokenText() == word; }
  bool Take(char punctuation);
  bool TakeWord(absl::string_view word);
  bool Expect(char punctuation, absl::string_view where);
  bool ExpectArrow(absl::string_view where);
  bool Error(SourceRange range, absl::string_view label, std::string message, std::string hint = "");
  bool Unexpected(absl::string_view wanted, absl::string_view where);
  std::string Shown(const Token& token) const;
  bool Enter();  // one level deeper; false (with a problem) when too deep. Pair with Leave().
  void Leave() { --depth_; }
  void ReadPart(int32_t begin, int32_t end, File* file);
  void ReadTopLevel(Region* region);
  bool ReadAliasDefinition();
  bool ReadResources();
  std::string Unescape(absl::string_view quoted) const;
  int32_t SkipBalanced(int32_t position, char close) const;  // of the bracket that closes, or -1
  void IndexAliases();

  // --- types.cc ---
  bool ReadType(Type* type);
  bool ReadTypeInner(Type* type);
  bool ReadTypeList(char close, std::vector<Type>* types);  // after the opening bracket; takes the closing one
  bool ReadTensor(Type* type);
  bool ReadBounds(const Attr& encoding, SourceRange range, std::vector<int64_t>* dimensions, std::vector<bool>* dynamic);
  bool ReadFunctionType(Type* type);
  bool ReadDialectType(Type* type);
  bool ReadRawType(Type* type);
  bool ScalarType(absl::string_view name, SourceRange range, Type* type, bool* known);

  // --- attributes.cc ---
  enum Typed : bool { kUntyped = false, kTyped = true };
  bool ReadAttr(Attr* attr, Typed typed = kTyped);
  bool ReadAttrInner(Attr* attr, Typed typed);
  bool ReadNumber(Attr* attr, Typed typed);
  bool ReadArray(Attr* attr);
  bool ReadDictionary(std::vector<NamedAttr>* fields);  // at '{'
  bool ReadDictionaryUntil(char close, std::vector<NamedAttr>* fields);
  bool ReadNamedAttr(NamedAttr* named);
  bool ReadSymbol(Attr* attr);
  bool ReadDenseArray(Attr* attr);
  bool ReadDialectAttr(Attr* attr);
  bool ReadDialectBody(Attr* attr);  // at '<': raw, fields, words
  bool ReadRawAttr(Attr* attr, int32_t begin);
  bool ReadAliasAttr(Attr* attr, absl::string_view name, SourceRange range);
  bool LooksLikeDictionary();
  static int64_t SizeOf(const Attr& attr);  // in nodes, so that aliases inside aliases cannot grow without end
  static int64_t SizeOf(const Type& type);

  // --- elements.cc ---
  bool ReadDense(Attr* attr);
  bool ReadDenseResource(Attr* attr);
  bool ReadSparseElements(int32_t begin, int32_t end, const Type& type, Attr* attr);  // sparse_elements.cc
  bool ReadElements(int32_t begin, int32_t end, const Type& type, Attr* attr);
  bool ReadElementLists(int32_t begin, int32_t end, const Type& type, Attr* attr);
  bool ReadElement(int32_t* at, int32_t end, ElementType type, std::byte* to);
  bool ReadElementNumber(int32_t* at, int32_t end, ElementType type, std::byte* to);
  bool ReadHexString(int32_t begin, int32_t end, const Type& type, Attr* attr);
  bool ShapeProblem(SourceRange range, std::string message, const Type& type);
  int32_t AfterSpace(int32_t from, int32_t end) const;
  bool ReadHexElements(SourceRange range, const Type& type, const std::string& bytes, bool resource, Attr* attr);
  bool ParseNumberIn(absl::string_view text, SourceRange range, ElementType type, int64_t* integer, double* number);
  bool CheckElementsType(const Type& type, SourceRange range);

  // --- locations.cc ---
  bool ReadLocation(Location* location);  // at `loc`
  bool ReadLocationBody(Location* location);
  bool ReadTrailingLocation(Location* location);
  bool ReadLocationAlias(Location* location, absl::string_view name, SourceRange range);
  bool ReadLaterAliases(absl::string_view name);
  std::vector<absl::string_view> LaterAliasesIn(absl::string_view name);
  bool ReadCallSite(Location* location, SourceRange range);       // behind `callsite`
  void Called(Location* location, Location caller, SourceRange range);
  bool ReadFusedLocations(Location* location, SourceRange range);  // behind `fused`
  bool ReadFilePlace(Location* location, std::string file);       // behind "file":
  int32_t AddFrame(CallFrame frame);
  void NameFunction(Location* location);
  bool TakeFrames(SourceRange range, int32_t frame);

  // --- operations.cc ---
  void ReadStatement(Region* region);
  void Recover(int32_t begin);
  bool StartsStatement(int32_t position) const;
  int32_t AfterResultNames(int32_t position) const;
  bool ReadOp(Region* region);
  bool ReadResultNames(std::vector<ResultName>* names);
  void DefineResults(Op* op, const std::vector<ResultName>& names);
  void ReportVhlo(absl::string_view name);
  bool ReadGeneric(Op* op);
  bool ReadRegion(Op* op, bool isolated, std::vector<std::pair<Written, Type>> arguments = {}, bool may_have_label = true);
  bool ReadBody(Region* region, bool may_have_label);
  bool ReadBlockLabel(Region* region);
  bool ReadOperand(Op* op);
  void Define(absl::string_view name, SsaValue* value, SourceRange range);
  SsaValue* Lookup(absl::string_view name);
  SsaValue* AddArgument(Region* region, absl::string_view name, Type type, SourceRange range);
  void SetResultTypes(Op* op, std::vector<Type> types);
  bool CheckResultCount(Op* op, const std::vector<ResultName>& names, SourceRange range);
  bool ApplyFunctionType(Op* op, int written_operands, const std::vector<Type>& operands, const std::vector<Type>& results,
                         SourceRange range);
  bool CheckOperandTypes(Op* op, const std::vector<Type>& types, SourceRange range);

  // --- pretty.cc ---
  bool ReadPretty(Op* op);
  bool ReadItems(Op* op, Draft* draft);
  bool ReadItem(Op* op, Draft* draft, bool* stop);
  bool ReadBracket(Op* op, Draft* draft);
  bool ReadKeyword(Op* op, Draft* draft);
  int FindPositional(const Draft& draft) const;  // the field that the current token can be, or -1
  bool ReadSignature(Op* op, const Draft& draft);
  bool SpreadTypes(Op* op, const Draft& draft, std::vector<Type> types, SourceRange range);
  bool ReadOptionalDictionary(Op* op);

  // --- fields.cc ---
  bool ReadField(Op* op, Draft* draft, int field);
  bool ReadIntegers(Attr* attr);
  bool ReadPrecisions(const FieldForm& form, Attr* attr);
  bool ReadDimensionPair(Op* op, bool batching);
  bool ReadSliceRanges(Op* op);
  bool ReadEnum(const FieldForm& form, Attr* attr);
  bool ReadExponentMantissa(Op* op);
  bool ReadConvolutionDimensions(const FieldForm& form, Attr* attr);
  bool ReadWindow(Op* op);
  bool ReadSignedInteger(int64_t* value);

  // --- special_forms.cc ---
  bool ReadSpecial(Op* op, const PrettyForm& form);
  bool ReadConstant(Op* op, const PrettyForm& form);
  bool ReadWhile(Op* op);
  bool ReadReduce(Op* op);
  bool ReadReducerArguments(int count, std::vector<std::pair<Written, Type>>* arguments, std::vector<Location>* locations);
  bool ReadScan(Op* op);
  bool ReadFunction(Op* op);
  bool ReadFunctionParameters(std::vector<std::pair<Written, Type>>* parameters, std::vector<Attr>* attributes,
                              std::vector<Location>* locations);
  bool ReadFunctionResults(std::vector<Type>* types, std::vector<Attr>* attributes);
  bool ReadModule(Op* op);
  bool ReadMesh(Op* op);
  bool ReadManualComputation(Op* op);

  void AddAttribute(Op* op, absl::string_view name, Attr attr) { op->attributes.push_back({std::string(name), std::move(attr)}); }

  std::shared_ptr<const SourceText> source_;
  absl::string_view text_;
  DiagnosticSink& sink_;
  Scanner scanner_;
  Token token_;
  int32_t last_end_ = 0;  // of the token before the current one
  int quiet_ = 0;         // > 0: trying; problems are not reported
  int words_ = 0;         // > 0: unknown words are values (inside dialect attributes)
  int depth_ = 0;
  int pending_results_ = 0;  // how many results the operation being read must have
  bool problem_in_op_ = false;
  int64_t alias_budget_ = 0;
  int64_t frame_budget_ = 0;
  bool frames_reported_ = false;
  int64_t constant_budget_ = 0;

  std::vector<CallFrame> frames_;  // of the whole file
  absl::flat_hash_map<CallFrame, int32_t> frame_numbers_;

  // One `// -----` part's names.
  int32_t part_begin_ = 0, part_end_ = 0;
  absl::flat_hash_map<absl::string_view, Attr> attr_aliases_;
  absl::flat_hash_map<absl::string_view, int64_t> alias_sizes_;
  absl::flat_hash_map<absl::string_view, Type> type_aliases_;
  absl::flat_hash_map<absl::string_view, Location> location_aliases_;
  absl::flat_hash_map<absl::string_view, int32_t> alias_places_;  // where `#name` of a definition begins; made when one is used too early
  absl::flat_hash_set<absl::string_view> aliases_in_progress_;
  bool aliases_indexed_ = false;
  absl::flat_hash_map<std::string, SourceRange> resources_;  // the quoted blob of each name
  bool resources_indexed_ = false;
  bool unclosed_reported_ = false;
  bool vhlo_reported_ = false;  // of the whole file

  Scope scope_;
  std::vector<absl::string_view> defined_;  // in the order of definition, to be forgotten at the end of their region
  absl::flat_hash_set<absl::string_view> reported_undefined_;
  int64_t suggestion_budget_ = 0;
};

}  // namespace hloscope::mlir

#endif  // HLOSCOPE_CORE_TEXT_MLIR_READER_H_
