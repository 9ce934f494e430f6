// One row a kind of attribute: how its value is read from text, how it is printed, when two values say the same.
// Which attribute is of which kind stands in core/ir/attributes.def; which operation takes it, in its OpDef.
#ifndef HLOSCOPE_CORE_TEXT_ATTRIBUTE_TEXT_H_
#define HLOSCOPE_CORE_TEXT_ATTRIBUTE_TEXT_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/ir/attributes.h"
#include "core/ir/module.h"
#include "core/text/hlo_text.h"
#include "core/text/scanner.h"

namespace hloscope {

// A computation named in an attribute; found when the whole module is there.
struct ComputationReference {
  Instruction* instruction = nullptr;
  int attribute = -1;  // index in instruction->attributes
  int element = -1;    // index in its list; -1: the attribute is one computation
  absl::string_view name;
  SourceRange range;
};

// What readers of attributes need: the place, and where to note computations.
struct AttributeReading {
  Scanner& s;
  absl::string_view name;  // of the attribute, for messages
  std::vector<ComputationReference>& references;
  absl::FunctionRef<Computation*(int element)> read_inline;  // at the '{' of a computation without a name; null: reported
};

// Do the scanner's braces hold a computation, rather than names of computations? In inline_reader.cc.
bool AtInlineBody(Scanner& s);

struct AttrKindText {
  AttrKind kind;
  bool (*read)(AttributeReading& reading, AttrValue& value);  // at the value, white space skipped; false: reported
  void (*print)(const AttrValue& value, const PrintOptions& options, std::string* out);
};
const AttrKindText& TextOf(AttrKind kind);

// Equal values; raw texts but for white space, computations by name.
bool SameAttributeValue(const AttrValue& a, const AttrValue& b);
// Equal but for white space and comments outside strings.
bool SameRawText(absl::string_view a, absl::string_view b);
// A name as the reader takes it back: quoted where it has odd characters.
void AppendName(absl::string_view name, bool percent, std::string* out);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_ATTRIBUTE_TEXT_H_
