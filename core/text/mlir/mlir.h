// MLIR text as a tree: operations with operands, attributes, regions and types, the pretty forms already turned into the generic one.
// Knows syntax alone; what an operation means is the business of core/text/stablehlo. Not for MLIR bytecode.
//
// Contract between the two: whatever the spelling was, an Op looks as its generic form would: the full name ("stablehlo.dot_general"),
// all operands in ODS order, attributes under their ODS names and in the generic form's kinds (`dimensions = array<i64: 0, 1>` is a
// kDenseArray, `dot_dimension_numbers` a kDialect attribute), `reduce ... applies stablehlo.add` a region with two arguments, the
// operation and a return. Types that the pretty form leaves out (`%a, %b : tensor<..>`) are spread over operands and results.
#ifndef HLOSCOPE_CORE_TEXT_MLIR_MLIR_H_
#define HLOSCOPE_CORE_TEXT_MLIR_MLIR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/diagnostic.h"
#include "core/base/source.h"
#include "core/literal/value.h"
#include "core/shape/shape.h"

namespace hloscope::mlir {

struct Type {
  enum class Kind : uint8_t {
    kNone,       // missing, or an error was reported
    kTensor,     // shape (dimensions of Shape::kUnbounded for `?`, dynamic bounds from #stablehlo.bounds)
    kUnranked,   // tensor<*xf32>: `shape` is a scalar of the element type
    kScalar,     // i32, f32, complex<f32>, index: `shape` is a scalar; `is_index` for index
    kQuantized,  // tensor<..x!quant.uniform<..>> or the element alone: `shape` has the storage type, `text` the whole type
    kToken,      // !stablehlo.token
    kTuple,      // tuple<...>: `elements`
    kFunction,   // (elements) -> (results)
    kOther,      // any other dialect type: `text`
  };
  Kind kind = Kind::kNone;
  Shape shape;
  bool is_index = false;
  std::vector<Type> elements, results;
  std::string text;  // as written
  SourceRange range = {};  // where it is written; of an alias, where that is used
};

// The same type, however it is spelled. Of quantized types the storage alone is compared.
bool SameType(const Type& a, const Type& b);
// As written, for messages.
std::string TypeText(const Type& type);
// How the type of an array of known sizes is written, "tensor<2x3xf32>"; empty: it is none, or its elements have no name.
std::string TypeText(const Shape& shape);

struct Attr;
struct NamedAttr;
struct Region;

struct Attr {
  enum class Kind : uint8_t {
    kUnit,        // unit, or a bare name
    kBool,        // integer
    kInteger,     // integer (the 64 bits), type
    kFloat,       // number, type
    kString,      // text, unescaped bytes
    kSymbol,      // @name, text without @ (nested: "a::b")
    kType,        // type
    kArray,       // array: [a, b]
    kDenseArray,  // integers or numbers: array<i64: 1, 2>, type is the element's; i1 as 0/1
    kDictionary,  // fields
    kElements,    // dense<...> / dense_resource<...>: `value` of shape `type.shape` (splats are expanded; sub-byte types one a byte)
    kDialect,     // #stablehlo.dot<lhs_batching_dimensions = [0], ...>: text = "stablehlo.dot", `fields`; `#stablehlo<comparison_direction LT>`:
                  // text "stablehlo.comparison_direction", `words` = {"LT"}; `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`: raw has it
    kOther,       // affine maps and whatever else: raw
  };
  Kind kind = Kind::kUnit;
  int64_t integer = 0;
  double number = 0;
  std::string text;
  std::string raw;  // the characters between < and > of a dialect attribute, or the whole attribute
  std::vector<std::string> words;
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  std::vector<Attr> array;
  std::vector<NamedAttr> fields;
  Type type;
  Value value;
  Value splat;  // of kElements that were written as one element: that element, a scalar (`value` is expanded all the same)
  SourceRange range;

  const Attr* Field(absl::string_view name) const;  // of kDictionary and kDialect; null when absent
};

struct NamedAttr {
  std::string name;
  Attr value;
  SourceRange name_range = {};  // where it was written
};

// One place of a stack of calls.
struct CallFrame {
  std::string file, function;  // the function that is written around the place, or none
  int line = 0, column = 0, end_line = 0, end_column = 0;
  int32_t caller = -1;  // in File::frames, before this one; -1: none is written
  bool another = false;  // of fused places: it begins a further one, and does not call what is before it

  friend bool operator==(const CallFrame& a, const CallFrame& b) = default;
  template <typename H>
  friend H AbslHashValue(H h, const CallFrame& f) {
    return H::combine(std::move(h), f.file, f.function, f.line, f.column, f.end_line, f.end_column, f.caller, f.another);
  }
};

// Where an operation came from, from loc(...): the innermost file location and the outermost name.
struct Location {
  std::string file, name;
  int line = 0, column = 0;
  int32_t frame = -1;  // of the file location, in File::frames, and so its callers; of fused places the further ones follow
  // The name stands right around one file location. It is the operation's own, or, where the location turns out to be part of a stack of calls
  // or to have an operation's name around it, that of the place's function.
  bool names_place = false;
};

struct Op;

// An SSA value: result `number` of `op`, or argument `number` of a block (then op is null).
struct SsaValue {
  std::string name;  // with %, "%0#1" for the second of a pack
  Type type;
  Op* op = nullptr;
  Region* region = nullptr;  // of a block argument: the region whose (only) block it belongs to
  int number = 0;
};

// StableHLO has regions of one block.
struct Region {
  std::vector<std::unique_ptr<SsaValue>> arguments;
  std::vector<Location> argument_locations;
  std::vector<std::unique_ptr<Op>> ops;
  Op* parent = nullptr;
};

struct Op {
  std::string name;
  std::vector<SsaValue*> operands;
  std::vector<SourceRange> operand_ranges;
  std::vector<std::unique_ptr<SsaValue>> results;
  std::vector<NamedAttr> attributes;  // discardable ones and properties (<{...}>) together
  std::vector<std::unique_ptr<Region>> regions;
  // Of func.func: attributes "sym_name" (kString), "function_type" (kType), "sym_visibility", "arg_attrs" and "res_attrs" (kArray of
  // kDictionary, one a parameter / result, empty where none); the body's arguments are regions[0]->arguments (no region: a declaration).
  Location location;
  SourceRange range;       // the whole operation
  SourceRange name_range;  // its name
  Region* parent = nullptr;
  bool in_error = false;  // something about it was reported: operands or attributes may be missing

  const Attr* Find(absl::string_view attribute) const;  // null when absent
};

// A file: the top-level operations of each of its `// -----` parts. A part without an explicit `module` gets one around its operations.
struct File {
  std::shared_ptr<const SourceText> source;
  std::vector<std::unique_ptr<Op>> modules;  // builtin.module, one a part (nested modules are ops inside)
  std::vector<CallFrame> frames;             // of all locations, each once
};

// Reads the whole text, recovering after each problem. Never fails otherwise, whatever the bytes; nesting is bounded by a diagnostic.
// Linear time. Labels begin with "mlir.".
File ReadMlir(std::shared_ptr<const SourceText> source, DiagnosticSink& sink);

// Whether a text looks like MLIR rather than HLO text (its first tokens are `module`, `func.func`, `#alias =`, `"builtin.module"`, ...).
bool LooksLikeMlir(absl::string_view text);

// Whether it is MLIR bytecode (also a StableHLO portable artifact), which stablehlo-translate --deserialize or stablehlo-opt turn into text.
bool LooksLikeMlirBytecode(absl::string_view bytes);

// The integers of an attribute in any of the spellings a list of them has had: array<i64: 1, 2>, dense<[1, 2]> : tensor<2xi64> (row-major,
// of any rank), [1, 2], or one integer. Empty when it is something else.
std::optional<std::vector<int64_t>> AsIntegers(const Attr& attr);

}  // namespace hloscope::mlir

#endif  // HLOSCOPE_CORE_TEXT_MLIR_MLIR_H_
