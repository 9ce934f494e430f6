// Are two modules the same text, but for places, comments and white space?
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/text/attribute_text.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

bool Differ(std::string* why, std::string reason) {
  if (why != nullptr) *why = std::move(reason);
  return false;
}

std::string Place(const Instruction& i) {
  return absl::StrCat(i.parent == nullptr ? absl::string_view() : i.parent->name, "/", i.name, ": ");
}

bool SameNames(absl::Span<Instruction* const> a, absl::Span<Instruction* const> b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const Instruction* x, const Instruction* y) { return x->name == y->name; });
}

// The order in which attributes are written says nothing.
bool SameAttributes(const std::vector<Attribute>& a, const std::vector<Attribute>& b, const std::string& place, std::string* why) {
  if (a.size() != b.size()) return Differ(why, absl::StrCat(place, a.size(), " attributes against ", b.size()));
  auto name = [](const Attribute& x) { return x.name.empty() ? Info(x.id).name : x.name; };
  for (size_t k = 0; k < a.size(); ++k) {
    auto same_name = [&](const Attribute& x) { return x.id == a[k].id && name(x) == name(a[k]); };
    const Attribute* other = same_name(b[k]) ? &b[k] : nullptr;
    for (size_t j = 0; j < b.size() && other == nullptr; ++j) {
      if (same_name(b[j])) other = &b[j];
    }
    if (other == nullptr) return Differ(why, absl::StrCat(place, "attribute ", name(a[k]), " is on one side only"));
    if (!SameAttributeValue(a[k].value, other->value)) return Differ(why, absl::StrCat(place, "attribute ", name(a[k]), " differs"));
  }
  return true;
}

bool SameLiteral(const ConstantLiteral* a, const ConstantLiteral* b) {
  if (a == nullptr || b == nullptr) return a == b;
  if (a->elided || b->elided) return a->elided == b->elided;
  if (!a->value.has_value() || !b->value.has_value()) return a->value.has_value() == b->value.has_value();
  return Shape::Compatible(a->value.shape(), b->value.shape()) && Value::BitEqual(a->value, b->value);
}

bool SameInstruction(const Instruction& a, const Instruction& b, std::string* why) {
  if (a.name != b.name) return Differ(why, absl::StrCat(Place(a), "the name is ", b.name, " on the other side"));
  if (a.opcode != b.opcode) return Differ(why, absl::StrCat(Place(a), "opcode ", Name(a.opcode), " against ", Name(b.opcode)));
  // An omitted shape is the shape that was inferred for it, if any was.
  const bool both_omitted = a.shape_omitted && b.shape_omitted;
  if (!both_omitted && a.shape != b.shape)
    return Differ(why, absl::StrCat(Place(a), "shape ", a.shape.ToString(), " against ", b.shape.ToString()));
  if (!SameNames(a.operands, b.operands)) return Differ(why, absl::StrCat(Place(a), "operands differ"));
  if (!SameNames(a.control_predecessors, b.control_predecessors)) return Differ(why, absl::StrCat(Place(a), "control predecessors differ"));
  if (a.parameter_number != b.parameter_number) return Differ(why, absl::StrCat(Place(a), "parameter number differs"));
  if (!SameLiteral(a.literal.get(), b.literal.get())) return Differ(why, absl::StrCat(Place(a), "literal differs"));
  struct RawField {
    absl::string_view name, a, b;
  };
  const RawField raws[] = {{"metadata", a.metadata.raw, b.metadata.raw},
                           {"sharding", a.sharding, b.sharding},
                           {"backend_config", a.backend_config, b.backend_config},
                           {"frontend_attributes", a.frontend_attributes, b.frontend_attributes},
                           {"statistics", a.statistics, b.statistics}};
  for (const RawField& raw : raws) {
    if (!SameRawText(raw.a, raw.b)) return Differ(why, absl::StrCat(Place(a), raw.name, " differs: ", raw.a, " against ", raw.b));
  }
  return SameAttributes(a.attributes, b.attributes, Place(a), why);
}

bool SameComputation(const Computation& a, const Computation& b, std::string* why) {
  const std::string place = absl::StrCat(a.name, ": ");
  if (a.name != b.name) return Differ(why, absl::StrCat(place, "the name is ", b.name, " on the other side"));
  if (a.is_entry != b.is_entry) return Differ(why, absl::StrCat(place, "is the entry on one side only"));
  if (a.execution_thread != b.execution_thread) return Differ(why, absl::StrCat(place, "execution_thread differs"));
  if (a.instructions.size() != b.instructions.size()) {
    return Differ(why, absl::StrCat(place, a.instructions.size(), " instructions against ", b.instructions.size()));
  }
  if ((a.root == nullptr) != (b.root == nullptr) || (a.root != nullptr && a.root->name != b.root->name)) {
    return Differ(why, absl::StrCat(place, "roots differ"));
  }
  for (size_t k = 0; k < a.instructions.size(); ++k) {
    if (!SameInstruction(*a.instructions[k], *b.instructions[k], why)) return false;
  }
  return SameAttributes(a.attributes, b.attributes, place, why);
}

bool SameFrames(const SourceFrames& a, const SourceFrames& b, std::string* why) {
  if (a.file_names != b.file_names) return Differ(why, "FileNames differ");
  if (a.function_names != b.function_names) return Differ(why, "FunctionNames differ");
  auto same_location = [](const FileLocation& x, const FileLocation& y) {
    return x.file_name_id == y.file_name_id && x.function_name_id == y.function_name_id && x.line == y.line && x.end_line == y.end_line &&
           x.column == y.column && x.end_column == y.end_column;
  };
  auto same_frame = [](const StackFrame& x, const StackFrame& y) {
    return x.file_location_id == y.file_location_id && x.parent_frame_id == y.parent_frame_id;
  };
  if (!std::equal(a.file_locations.begin(), a.file_locations.end(), b.file_locations.begin(), b.file_locations.end(), same_location)) {
    return Differ(why, "FileLocations differ");
  }
  if (!std::equal(a.stack_frames.begin(), a.stack_frames.end(), b.stack_frames.begin(), b.stack_frames.end(), same_frame)) {
    return Differ(why, "StackFrames differ");
  }
  return true;
}

// The `number`-th of that name, from 0; null: there are not so many.
const std::string* HeaderOf(const Module& m, absl::string_view name, int number) {
  for (const auto& [key, value] : m.header) {
    if (key == name && number-- == 0) return &value;
  }
  return nullptr;
}

}  // namespace

bool ModulesEqual(const Module& a, const Module& b, std::string* why) {
  if (a.name != b.name) return Differ(why, absl::StrCat("module name ", a.name, " against ", b.name));
  if (a.header.size() != b.header.size()) return Differ(why, absl::StrCat(a.header.size(), " header attributes against ", b.header.size()));
  absl::flat_hash_map<absl::string_view, int> seen;
  for (const auto& [key, value] : a.header) {
    // A text may have one twice.
    const std::string* other = HeaderOf(b, key, seen[key]++);
    if (other == nullptr || !SameRawText(value, *other)) return Differ(why, absl::StrCat("header attribute ", key, " differs"));
  }
  if (!SameFrames(a.frames, b.frames, why)) return false;
  if (a.computations.size() != b.computations.size()) {
    return Differ(why, absl::StrCat(a.computations.size(), " computations against ", b.computations.size()));
  }
  for (size_t k = 0; k < a.computations.size(); ++k) {
    if (!SameComputation(*a.computations[k], *b.computations[k], why)) return false;
  }
  return true;
}

}  // namespace hloscope
