// Prints modules as HLO text that the reader takes back.
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/text/attribute_text.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

void AppendView(absl::string_view text, std::string* out) { out->append(text.data(), text.size()); }

void AppendAttribute(const Attribute& attribute, const PrintOptions& options, std::string* out) {
  absl::string_view name = attribute.id == AttrId::kUnknown || !attribute.name.empty() ? attribute.name : Info(attribute.id).name;
  out->append(", ");
  AppendName(name, /*percent=*/false, out);
  out->push_back('=');
  TextOf(Info(attribute.id).kind).print(attribute.value, options, out);
}

void AppendRaw(absl::string_view name, absl::string_view value, std::string* out) {
  if (!value.empty()) absl::StrAppend(out, ", ", name, "=", value);
}

void AppendOperands(const Instruction& i, const PrintOptions& options, std::string* out) {
  if (i.opcode == Opcode::kParameter) {
    absl::StrAppend(out, i.parameter_number);
    return;
  }
  if (i.literal != nullptr) {
    if (i.literal->elided || !i.literal->value.has_value()) {
      out->append("{...}");
    } else {
      out->append(PrintLiteral(i.literal->value, options.max_literal_elements));
    }
    return;
  }
  for (size_t k = 0; k < i.operands.size(); ++k) {
    if (k > 0) out->append(", ");
    if (options.operand_shapes && (!i.operands[k]->shape_omitted || i.operands[k]->shape != Shape())) {
      absl::StrAppend(out, i.operands[k]->shape.ToString(options.layouts), " ");
    }
    AppendName(i.operands[k]->name, options.percent, out);
  }
}

void AppendInstruction(const Instruction& i, const PrintOptions& options, std::string* out) {
  if (i.parent != nullptr && i.parent->root == &i) out->append("ROOT ");
  AppendName(i.name, options.percent, out);
  out->append(" = ");
  if (!i.shape_omitted || i.shape != Shape()) absl::StrAppend(out, i.shape.ToString(options.layouts), " ");
  AppendView(Name(i.opcode), out);
  out->push_back('(');
  AppendOperands(i, options, out);
  out->push_back(')');
  for (const Attribute& attribute : i.attributes) AppendAttribute(attribute, options, out);
  AppendRaw("sharding", i.sharding, out);
  AppendRaw("frontend_attributes", i.frontend_attributes, out);
  if (!i.control_predecessors.empty()) {
    out->append(", control-predecessors={");
    for (size_t k = 0; k < i.control_predecessors.size(); ++k) {
      if (k > 0) out->append(", ");
      AppendName(i.control_predecessors[k]->name, options.percent, out);
    }
    out->push_back('}');
  }
  if (options.metadata && !i.metadata.raw.empty()) absl::StrAppend(out, ", metadata={", i.metadata.raw, "}");
  AppendRaw("backend_config", i.backend_config, out);
  AppendRaw("statistics", i.statistics, out);
}

void AppendSignature(const Computation& c, const PrintOptions& options, std::string* out) {
  // Without all the shapes there is nothing true to say.
  if (c.root == nullptr || (c.root->shape_omitted && c.root->shape == Shape())) return;
  for (const Instruction* parameter : c.parameters) {
    if (parameter->shape_omitted) return;
  }
  out->append(" (");
  for (size_t k = 0; k < c.parameters.size(); ++k) {
    if (k > 0) out->append(", ");
    AppendName(c.parameters[k]->name, options.percent, out);
    absl::StrAppend(out, ": ", c.parameters[k]->shape.ToString(false));
  }
  absl::StrAppend(out, ") -> ", c.root->shape.ToString(false));
}

void AppendComputation(const Computation& c, const PrintOptions& options, std::string* out) {
  if (c.is_entry) out->append("ENTRY ");
  AppendName(c.name, options.percent, out);
  AppendSignature(c, options, out);
  out->append(" {\n");
  for (const Instruction* i : c.instructions) {
    out->append("  ");
    AppendInstruction(*i, options, out);
    out->push_back('\n');
  }
  out->push_back('}');
  if (!c.execution_thread.empty()) absl::StrAppend(out, ", execution_thread=\"", c.execution_thread, "\"");
  for (const Attribute& attribute : c.attributes) AppendAttribute(attribute, options, out);
  out->append("\n\n");
}

void AppendStrings(absl::string_view title, const std::vector<std::string>& rows, std::string* out) {
  if (rows.empty()) return;
  absl::StrAppend(out, title, "\n");
  for (size_t k = 0; k < rows.size(); ++k) absl::StrAppend(out, k + 1, " \"", absl::CEscape(rows[k]), "\"\n");
  out->push_back('\n');
}

void AppendFrames(const SourceFrames& f, std::string* out) {
  AppendStrings("FileNames", f.file_names, out);
  AppendStrings("FunctionNames", f.function_names, out);
  if (!f.file_locations.empty()) {
    out->append("FileLocations\n");
    for (size_t k = 0; k < f.file_locations.size(); ++k) {
      const FileLocation& l = f.file_locations[k];
      absl::StrAppend(out, k + 1, " {file_name_id=", l.file_name_id, " function_name_id=", l.function_name_id, " line=", l.line);
      absl::StrAppend(out, " end_line=", l.end_line, " column=", l.column, " end_column=", l.end_column, "}\n");
    }
    out->push_back('\n');
  }
  if (f.stack_frames.empty()) return;
  out->append("StackFrames\n");
  for (size_t k = 0; k < f.stack_frames.size(); ++k) {
    absl::StrAppend(out, k + 1, " {file_location_id=", f.stack_frames[k].file_location_id,
                    " parent_frame_id=", f.stack_frames[k].parent_frame_id, "}\n");
  }
  out->push_back('\n');
}

}  // namespace

std::string PrintInstruction(const Instruction& instruction, const PrintOptions& options) {
  std::string out;
  AppendInstruction(instruction, options, &out);
  return out;
}

std::string PrintHloText(const Module& module, const PrintOptions& options) {
  std::string out;
  if (!module.name.empty() || !module.header.empty()) {
    absl::StrAppend(&out, "HloModule ", module.name);
    for (const auto& [key, value] : module.header) {
      out.append(", ");
      AppendName(key, /*percent=*/false, &out);
      absl::StrAppend(&out, "=", value);
    }
    out.append("\n\n");
  }
  AppendFrames(module.frames, &out);
  for (const Computation* computation : module.computations) AppendComputation(*computation, options, &out);
  return out;
}

}  // namespace hloscope
