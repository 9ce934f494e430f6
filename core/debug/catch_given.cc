#include "core/debug/catch_given.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/catch_elements.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {

void FindGiven(absl::Span<const CatchRequest> requests, const Instruction& parameter, const Value& value, std::vector<GivenBad>* given) {
  for (int leaf = 0; leaf < LeafCountOf(value.shape()); ++leaf) {
    const Value& array = LeafOf(value, leaf);
    if (!array.has_value() || !Floats(array.shape())) continue;
    for (const CatchRequest& r : requests) {
      if (!r.enabled || (r.kind != CatchKind::kNan && r.kind != CatchKind::kInf) || !HasAny(r.kind, array)) continue;
      const std::vector<int64_t> bad = AllBad(r.kind, ToDense(array));
      const bool again = std::any_of(given->begin(), given->end(), [&](const GivenBad& g) { return g.kind == r.kind && g.parameter == &parameter && g.leaf == leaf; });
      if (!bad.empty() && !again) given->push_back({r.kind, &parameter, leaf, IndexIn(array.shape(), bad[0]), static_cast<int64_t>(bad.size()), array.element_count()});
    }
  }
}

std::string ToText(const GivenBad& g) {
  std::string text = absl::StrCat("parameter ", ShownName(*g.parameter), LeafPathText(g.parameter->shape, g.leaf), " comes with ", Name(g.kind));
  if (g.index.empty()) return text;
  return absl::StrCat(text, " at [", absl::StrJoin(g.index, ","), "] (", g.count, " of ", Count(g.elements, "element"), ")");
}

std::string GivenText(absl::Span<const GivenBad> given) {
  constexpr size_t kMost = 4;
  std::vector<std::string> texts;
  for (size_t k = 0; k < given.size() && k < kMost; ++k) texts.push_back(ToText(given[k]));
  if (given.size() > kMost) texts.push_back(absl::StrCat(given.size() - kMost, " more"));
  return absl::StrJoin(texts, ", ");
}

}  // namespace hloscope
