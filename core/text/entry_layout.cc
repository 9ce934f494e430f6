// See entry_layout.h.
#include "core/text/entry_layout.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
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

}  // namespace

void CheckEntryLayout(Module& module, DiagnosticSink& sink) {
  const std::string* header = module.FindHeader("entry_computation_layout");
  const Computation* entry = module.entry;
  if (header == nullptr || entry == nullptr || entry->in_error || entry->root == nullptr) return;
  absl::string_view text = absl::StripAsciiWhitespace(*header);
  if (!absl::ConsumePrefix(&text, "{") || !absl::ConsumeSuffix(&text, "}")) return;
  const size_t arrow = FindArrow(text);
  if (arrow == absl::string_view::npos) return;
  const absl::StatusOr<Shape> parameters = ParseShape(text.substr(0, arrow)), result = ParseShape(text.substr(arrow + 2));
  if (!parameters.ok() || !result.ok() || !parameters->IsTuple()) return;
  const absl::Span<const Shape> promised = parameters->tuple_shapes();
  if (promised.size() != entry->parameters.size()) {
    sink.Error(entry->name_range, HLO_LABEL("text.entry-layout-parameters"),
               absl::StrCat("entry_computation_layout promises ", promised.size(), " parameters, the entry ", entry->name, " takes ", entry->parameters.size()));
    return;
  }
  for (size_t k = 0; k < promised.size(); ++k) {
    const Instruction& parameter = *entry->parameters[k];
    if (parameter.in_error || parameter.shape_omitted || Same(promised[k], parameter.shape)) continue;
    sink.Error(parameter.name_range, HLO_LABEL("text.entry-layout-parameter"),
               absl::StrCat("entry_computation_layout promises ", promised[k].ToString(false), " for parameter ", k, ", %", parameter.name, " is ",
                            parameter.shape.ToString(false)));
  }
  const Instruction& root = *entry->root;
  if (Shape::Compatible(*result, root.shape)) module.entry_result = *result;
  if (root.in_error || root.shape_omitted || Same(*result, root.shape)) return;
  sink.Error(root.name_range, HLO_LABEL("text.entry-layout-result"),
             absl::StrCat("entry_computation_layout promises the result ", result->ToString(false), ", the root %", root.name, " is ", root.shape.ToString(false)));
}

}  // namespace hloscope
