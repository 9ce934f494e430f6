// Parts of the messages and what they are here: shapes, literals, shardings, lists of devices, metadata. Private to core/text/proto.
// "Parse" functions take text as HLO writes it and fill a message; they return false where the text says something that the message has no
// field for. "Text" functions give the text of a message.
#ifndef HLOSCOPE_CORE_TEXT_PROTO_CONVERT_H_
#define HLOSCOPE_CORE_TEXT_PROTO_CONVERT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "core/shape/shape.h"
#include "core/text/proto/hloscope.pb.h"

namespace hloscope {

inline absl::string_view View(const std::string& text) { return text; }
inline void Set(std::string* field, absl::string_view text) { field->assign(text.data(), text.size()); }

// {1,2}
template <typename Ints>
std::string ListText(const Ints& ints) {
  return absl::StrCat("{", absl::StrJoin(ints, ","), "}");
}

// shapes.cc
int PrimitiveType(ElementType type);  // the number in XLA's messages
absl::StatusOr<ElementType> ElementTypeOf(int primitive_type);
absl::StatusOr<Shape> ShapeOf(const pb::ShapeProto& proto, int depth = 0);
void FillShape(const Shape& shape, pb::ShapeProto* proto);

// literals.cc. The elements of a literal lie in the order of its layout.
absl::StatusOr<Value> LiteralOf(const pb::LiteralProto& proto, const Shape& shape, int depth = 0);
// False: the literal of an array with elements has no elements at all, as where a dump left them out.
bool HasElements(const pb::LiteralProto& proto);
void FillLiteral(const Value& value, pb::LiteralProto* proto);

// sharding.cc
std::string ShardingText(const pb::OpSharding& sharding, int depth = 0);
bool ParseSharding(absl::string_view text, pb::OpSharding* sharding);

// devices.cc
std::string DevicesText(const pb::HloInstructionProto& proto);
bool ParseDevices(absl::string_view text, pb::HloInstructionProto* proto);
std::string MeshText(const pb::MeshProto& mesh);
std::string AxesText(const google::protobuf::RepeatedPtrField<pb::AxisRefProto>& axes, const pb::MeshProto& mesh);

// metadata.cc. With the braces.
std::string MetadataText(const pb::OpMetadata& metadata);
bool ParseMetadata(absl::string_view inside, pb::OpMetadata* metadata);
std::string FrontendAttributesText(const pb::FrontendAttributes& attributes);
bool ParseFrontendAttributes(absl::string_view text, pb::FrontendAttributes* attributes);
std::string StatisticsText(const pb::StatisticsViz& statistics);
bool ParseStatistics(absl::string_view text, pb::StatisticsViz* statistics);
// A configuration as it is (a dictionary) or in quotes.
std::string ConfigText(absl::string_view bytes);
bool ParseConfig(absl::string_view text, std::string* bytes);

// name, text of the value
using AttributeTexts = std::vector<std::pair<std::string, std::string>>;

// instruction_text.cc: what HLO text says of an instruction behind its operands, without its control predecessors.
struct InstructionContext {
  const Shape* shape = nullptr;
  const Shape* first_operand = nullptr;                     // null: none
  std::vector<absl::string_view> called;                    // names of the called computations
  const google::protobuf::RepeatedPtrField<std::string>* payloads = nullptr;
};
AttributeTexts TextsOf(const pb::HloInstructionProto& proto, Opcode opcode, const InstructionContext& context);

// instruction_fields.cc: the fields of an instruction's attributes; those without a field are left out.
void FillAttributes(const Instruction& instruction, pb::HloInstructionProto* proto);
// The attributes as text prints them, in the form of TextsOf.
AttributeTexts TextsOf(const Instruction& instruction);
// Do the two say the same, whatever the order?
bool SameTexts(AttributeTexts a, AttributeTexts b);
std::string JoinTexts(const AttributeTexts& texts);

// header.cc
AttributeTexts HeaderTexts(const pb::HloModuleProto& proto);
void FillHeader(const Module& module, pb::HloModuleProto* proto);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_PROTO_CONVERT_H_
