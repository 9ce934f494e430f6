#include "core/debug/compare_results.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/compare_values.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

class Comparison {
 public:
  std::vector<ResultDifference> Run(const Value& got, const Value& expected) {
    Walk(got, expected);
    return std::move(differences_);
  }

 private:
  std::string Place() const { return at_.empty() ? "output" : absl::StrCat("output {", absl::StrJoin(at_, ","), "}"); }

  void Walk(const Value& got, const Value& expected) {
    if (got.shape().IsTuple() && expected.shape().IsTuple() && got.elements().size() == expected.elements().size()) {
      for (size_t i = 0; i < got.elements().size(); ++i) {
        at_.push_back(static_cast<int64_t>(i));
        Walk(got.elements()[i], expected.elements()[i]);
        at_.pop_back();
      }
      return;
    }
    if (!Shape::Compatible(got.shape(), expected.shape())) {
      ResultDifference d;
      d.output = Place();
      d.shapes = absl::StrCat("has the shape ", got.shape().ToString(false), ", expected ", expected.shape().ToString(false));
      differences_.push_back(std::move(d));
      return;
    }
    if (got.shape().IsArray()) Leaf(got, expected);
  }

  void Leaf(const Value& got, const Value& expected) {
    const ArrayDifference found = CompareArrays(got, expected, ReorderingBudget(got.shape().element_type()));
    if (found.beyond == 0) return;
    ResultDifference d;
    d.output = Place();
    d.elements = found.elements;
    d.differing = found.beyond;
    d.index = IndexOf(got.shape(), found.first);
    d.got = found.got;
    d.expected = found.expected;
    d.bound = found.bound;
    differences_.push_back(std::move(d));
  }

  std::vector<int64_t> at_;
  std::vector<ResultDifference> differences_;
};

}  // namespace

std::vector<ResultDifference> CompareResults(const Value& got, const Value& expected) { return Comparison().Run(ToDense(got), ToDense(expected)); }

std::string ToText(const ResultDifference& d) {
  if (!d.shapes.empty()) return absl::StrCat(d.output, " ", d.shapes);
  std::string text = absl::StrCat(d.output, ": ", d.differing, " of ", d.elements, d.elements == 1 ? " element differs" : " elements differ", ", first [",
                                  absl::StrJoin(d.index, ","), "] is ", ToText(d.got), ", expected ", ToText(d.expected));
  if (d.bound > 0) absl::StrAppend(&text, " within ", FormatDouble(d.bound, 3));
  return text;
}

}  // namespace hloscope
