// The header of a module: entry_computation_layout, input_output_alias, buffer_donor, is_scheduled, frontend_attributes.
#include "core/text/hlo_text.h"
#include "core/text/proto/convert.h"
#include "core/text/proto/raw_cursor.h"

namespace hloscope {
namespace {

std::string LayoutText(const pb::ProgramShapeProto& proto) {
  std::vector<std::string> parameters;
  for (const pb::ShapeProto& parameter : proto.parameters()) {
    const absl::StatusOr<Shape> shape = ShapeOf(parameter);
    if (!shape.ok()) return "";
    parameters.push_back(shape->ToString());
  }
  const absl::StatusOr<Shape> result = ShapeOf(proto.result());
  if (!result.ok()) return "";
  return absl::StrCat("{(", absl::StrJoin(parameters, ", "), ")->", result->ToString(), "}");
}

std::string AliasText(const pb::HloInputOutputAliasProto& proto) {
  std::vector<std::string> entries;
  for (const auto& e : proto.entries()) {
    entries.push_back(absl::StrCat(ListText(e.output_shape_index()), ": (", e.parameter_number(), ", ", ListText(e.parameter_shape_index()), ", ",
                                   e.kind() == 2 ? "must-alias" : "may-alias", ")"));
  }
  return absl::StrCat("{ ", absl::StrJoin(entries, ", "), " }");
}

bool ParseAlias(absl::string_view text, pb::HloInputOutputAliasProto* proto) {
  RawCursor c(text);
  if (!c.Take("{") || c.Take("}")) return false;
  do {
    auto* e = proto->add_entries();
    int64_t parameter;
    if (!c.Integers("{", "}", e->mutable_output_shape_index()) || !c.Take(":") || !c.Take("(") || !c.Integer(&parameter) || !c.Take(",") ||
        !c.Integers("{", "}", e->mutable_parameter_shape_index())) {
      return false;
    }
    e->set_parameter_number(parameter);
    e->set_kind(1);
    if (c.Take(",")) e->set_kind(c.Word() == "must-alias" ? 2 : 1);
    if (!c.Take(")")) return false;
  } while (c.Take(","));
  return c.Take("}") && c.AtEnd();
}

std::string DonorText(const pb::HloBufferDonorProto& proto) {
  std::vector<std::string> entries;
  for (const auto& e : proto.entries()) entries.push_back(absl::StrCat("(", e.parameter_number(), ", ", ListText(e.parameter_shape_index()), ")"));
  return absl::StrCat("{ ", absl::StrJoin(entries, ", "), " }");
}

bool ParseDonor(absl::string_view text, pb::HloBufferDonorProto* proto) {
  RawCursor c(text);
  if (!c.Take("{") || c.Take("}")) return false;
  do {
    auto* e = proto->add_entries();
    int64_t parameter;
    if (!c.Take("(") || !c.Integer(&parameter) || !c.Take(",") || !c.Integers("{", "}", e->mutable_parameter_shape_index()) || !c.Take(")")) {
      return false;
    }
    e->set_parameter_number(parameter);
  } while (c.Take(","));
  return c.Take("}") && c.AtEnd();
}

// {(f32[2]{0}, s32[])->f32[2]{0}}: read as the tuple (parameters) and a shape.
bool ParseProgramShape(absl::string_view text, pb::ProgramShapeProto* proto) {
  const size_t arrow = text.rfind("->");
  if (arrow == absl::string_view::npos || text.size() < 2 || text[0] != '{') return false;
  const absl::StatusOr<Shape> parameters = ParseShape(absl::StripAsciiWhitespace(text.substr(1, arrow - 1)));
  const absl::StatusOr<Shape> result = ParseShape(absl::StripAsciiWhitespace(text.substr(arrow + 2, text.size() - arrow - 3)));
  if (!parameters.ok() || !result.ok() || !parameters->IsTuple()) return false;
  for (const Shape& parameter : parameters->tuple_shapes()) FillShape(parameter, proto->add_parameters());
  FillShape(*result, proto->mutable_result());
  return true;
}

void ShapeOfEntry(const Module& module, pb::ProgramShapeProto* proto) {
  if (module.entry == nullptr || module.entry->root == nullptr) return;
  for (const Instruction* parameter : module.entry->parameters) FillShape(parameter->shape, proto->add_parameters());
  FillShape(module.entry->root->shape, proto->mutable_result());
}

// XLA refuses a program shape that has not as many names as parameters.
void NameParameters(const Module& module, pb::ProgramShapeProto* proto) {
  for (int i = 0; i < proto->parameters_size(); ++i) {
    const bool known = module.entry != nullptr && i < static_cast<int>(module.entry->parameters.size());
    Set(proto->add_parameter_names(), known ? module.entry->parameters[i]->name : "");
  }
}

}  // namespace

AttributeTexts HeaderTexts(const pb::HloModuleProto& p) {
  AttributeTexts texts;
  if (p.schedule().sequences_size() > 0) texts.emplace_back("is_scheduled", "true");
  if (p.input_output_alias().entries_size() > 0) texts.emplace_back("input_output_alias", AliasText(p.input_output_alias()));
  if (p.buffer_donor().entries_size() > 0) texts.emplace_back("buffer_donor", DonorText(p.buffer_donor()));
  if (p.has_host_program_shape()) {
    std::string layout = LayoutText(p.host_program_shape());
    if (!layout.empty()) texts.emplace_back("entry_computation_layout", std::move(layout));
  }
  if (p.frontend_attributes().map_size() > 0) texts.emplace_back("frontend_attributes", FrontendAttributesText(p.frontend_attributes()));
  return texts;
}

// The schedule is left to the writer, who knows the numbers of the instructions.
void FillHeader(const Module& module, pb::HloModuleProto* p) {
  const auto text = [&](absl::string_view key) { return module.FindHeader(key); };
  const std::string* layout = text("entry_computation_layout");
  if (layout == nullptr || !ParseProgramShape(*layout, p->mutable_host_program_shape())) {
    p->clear_host_program_shape();
    ShapeOfEntry(module, p->mutable_host_program_shape());
  }
  NameParameters(module, p->mutable_host_program_shape());
  const std::string* alias = text("input_output_alias");
  if (alias != nullptr && !ParseAlias(*alias, p->mutable_input_output_alias())) p->clear_input_output_alias();
  const std::string* donor = text("buffer_donor");
  if (donor != nullptr && !ParseDonor(*donor, p->mutable_buffer_donor())) p->clear_buffer_donor();
  const std::string* frontend = text("frontend_attributes");
  if (frontend != nullptr && !ParseFrontendAttributes(*frontend, p->mutable_frontend_attributes())) p->clear_frontend_attributes();
}

}  // namespace hloscope
