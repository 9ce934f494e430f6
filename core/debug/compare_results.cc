#include "core/debug/compare_results.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

// About the square root of a thousand units in the last place: what sums in another order may be off by.
double Tolerance(ElementType type) {
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128: return 1e-9;
    case ElementType::kF32:
    case ElementType::kC64: return 1e-4;
    case ElementType::kF16: return 1e-2;
    case ElementType::kBF16: return 4e-2;
    default: return 0.25;  // of eight bits and fewer
  }
}

bool Agree(double got, double expected, double bound) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) == std::isnan(expected);
  if (std::isinf(got) || std::isinf(expected)) return got == expected;
  return std::fabs(got - expected) <= bound;
}

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
    const ElementType type = got.shape().element_type();
    const bool number = IsFloat(type) || IsComplex(type);
    const double tolerance = number ? Tolerance(type) : 0;
    const int64_t count = got.element_count();
    double largest = 0;
    for (int64_t i = 0; number && i < count; ++i) {
      const Scalar x = ElementOf(expected, i);
      for (double part : {x.re, x.im}) {
        if (std::isfinite(part)) largest = std::max(largest, std::fabs(part));
      }
    }
    ResultDifference d;
    d.output = Place();
    d.elements = count;
    for (int64_t i = 0; i < count; ++i) {
      const Scalar a = ElementOf(got, i), b = ElementOf(expected, i);
      const double size = IsComplex(type) ? std::hypot(b.re, b.im) : std::fabs(b.re);
      const double bound = tolerance * std::max(std::isfinite(size) ? size : 0, 0.01 * largest);
      const bool same = !number ? a.i == b.i : Agree(a.re, b.re, bound) && (!IsComplex(type) || Agree(a.im, b.im, bound));
      if (same || ++d.differing > 1) continue;
      d.index.resize(got.shape().rank());
      DelinearizeIndex(got.shape().dimensions(), i, absl::MakeSpan(d.index));
      d.got = a;
      d.expected = b;
      d.bound = bound;
    }
    if (d.differing > 0) differences_.push_back(std::move(d));
  }

  static Scalar ElementOf(const Value& value, int64_t i) {
    return LoadScalar(value.shape().element_type(), value.data() + i * StorageBytes(value.shape().element_type()));
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
