// See entry_layout.h.
#include "core/text/entry_layout.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/ir/written_names.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

// Where "->" stands outside of all brackets; npos: nowhere.
size_t FindArrow(absl::string_view text) {
  int depth = 0;
  for (size_t k = 0; k + 1 < text.size(); ++k) {
    const char c = text[k];
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (depth == 0 && c == '-' && text[k + 1] == '>') return k;
  }
  return absl::string_view::npos;
}

// Dynamic flags do not count: a bound is a promise to the caller either way.
bool Same(const Shape& a, const Shape& b) {
  if (a.element_type() != b.element_type() || a.dimensions() != b.dimensions() || a.tuple_shapes().size() != b.tuple_shapes().size()) return false;
  for (size_t k = 0; k < a.tuple_shapes().size(); ++k) {
    if (!Same(a.tuple_shapes()[k], b.tuple_shapes()[k])) return false;
  }
  return true;
}

// The two sides of "{(parameters)->result}", the first one a tuple.
bool ReadHeader(const Module& module, Shape* parameters, Shape* result) {
  const std::string* header = module.FindHeader("entry_computation_layout");
  if (header == nullptr) return false;
  absl::string_view text = absl::StripAsciiWhitespace(*header);
  if (!absl::ConsumePrefix(&text, "{") || !absl::ConsumeSuffix(&text, "}")) return false;
  const size_t arrow = FindArrow(text);
  if (arrow == absl::string_view::npos) return false;
  const absl::StatusOr<Shape> left = ParseShape(text.substr(0, arrow)), right = ParseShape(text.substr(arrow + 2));
  if (!left.ok() || !right.ok() || !left->IsTuple()) return false;
  *parameters = *left;
  *result = *right;
  return true;
}

}  // namespace

std::optional<Shape> PromisedParameter(const Module& module, int64_t number) {
  Shape parameters, result;
  if (!ReadHeader(module, &parameters, &result) || number < 0 || number >= static_cast<int64_t>(parameters.tuple_shapes().size())) return std::nullopt;
  return parameters.tuple_shapes()[number];
}

void CheckEntryLayout(Module& module, DiagnosticSink& sink) {
  const Computation* entry = module.entry;
  Shape parameters, result;
  if (entry == nullptr || entry->in_error || entry->root == nullptr || !ReadHeader(module, &parameters, &result)) return;
  const absl::Span<const Shape> promised = parameters.tuple_shapes();
  if (promised.size() != entry->parameters.size()) {
    sink.Error(entry->name_range, HLO_LABEL("text.entry-layout-parameters"),
               absl::StrCat("entry_computation_layout promises ", promised.size(), " parameters, the entry ", entry->name, " takes ", entry->parameters.size()));
    return;
  }
  for (size_t k = 0; k < promised.size(); ++k) {
    const Instruction& parameter = *entry->parameters[k];
    if (parameter.in_error || parameter.shape_omitted || Same(promised[k], parameter.shape)) continue;
    sink.Error(parameter.name_range, HLO_LABEL("text.entry-layout-parameter"),
               absl::StrCat("entry_computation_layout promises ", promised[k].ToString(false), " for parameter ", k, ", ", ShownName(parameter), " is ",
                            parameter.shape.ToString(false)));
  }
  const Instruction& root = *entry->root;
  if (Shape::Compatible(result, root.shape)) module.entry_result = result;
  if (root.in_error || root.shape_omitted || Same(result, root.shape)) return;
  sink.Error(root.name_range, HLO_LABEL("text.entry-layout-result"),
             absl::StrCat("entry_computation_layout promises the result ", result.ToString(false), ", the root ", ShownName(root), " is ", root.shape.ToString(false)));
}

}  // namespace hloscope
