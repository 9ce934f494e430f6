#include "core/debug/catch_elements.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "core/element/element_trace.h"
#include "core/ir/written_names.h"
#include "core/ops/reach.h"
#include "core/shape/index_relation.h"
#include "core/shape/layout.h"

namespace hloscope {

namespace {

constexpr size_t kShown = 4;
constexpr int64_t kOperationsLookedInto = 4'000'000;

}  // namespace

bool Floats(const Shape& shape) { return shape.IsArray() && (IsFloat(shape.element_type()) || IsComplex(shape.element_type())); }

int64_t OperationsLookedInto(absl::Span<const Frame> frames) {
  int64_t operations = kOperationsLookedInto;
  for (const Frame& frame : frames) operations /= std::max<int64_t>(0, frame.iteration) + 1;
  return operations;
}

std::string NotAllCallsText(const CatchRequest& request, const Instruction& instruction, int64_t looked_at, int64_t of) {
  return absl::StrCat("catch ", Name(request.kind), " looked into the calls of ", looked_at, " of the ", of, " elements of ", ShownName(instruction),
                      " in which one may be made and lost again, and found none; the others were not looked into");
}

std::vector<int64_t> IndexIn(const Shape& shape, int64_t linear) {
  std::vector<int64_t> index(shape.rank());
  DelinearizeIndex(shape.dimensions(), linear, absl::MakeSpan(index));
  return index;
}

// Of the kinds that single operations have.
ScalarHazard HazardOf(CatchKind kind) {
  switch (kind) {
    case CatchKind::kOverflow: return ScalarHazard::kConversionOverflow;
    case CatchKind::kDenormal: return ScalarHazard::kDenormal;
    case CatchKind::kCancellation: return ScalarHazard::kCancellation;
    case CatchKind::kIntegerOverflow: return ScalarHazard::kIntegerOverflow;
    case CatchKind::kUnsignedWrap: return ScalarHazard::kUnsignedWrap;
    case CatchKind::kDivision:
    case CatchKind::kNan:
    case CatchKind::kInf:
    case CatchKind::kIndex:
    case CatchKind::kDuplicate:
    case CatchKind::kUnsorted: break;
  }
  return ScalarHazard::kIntegerDivision;
}

HazardQuery QueryOf(const CatchRequest& request) {
  HazardQuery query;
  query.infinity = request.kind == CatchKind::kInf;
  query.both_arms = request.kind == CatchKind::kNan || request.kind == CatchKind::kInf;
  if (query.both_arms) return query;
  query.hazard = HazardOf(request.kind);
  query.bits = request.bits;
  query.in_folds = request.kind != CatchKind::kCancellation;
  return query;
}

std::vector<Value> ArraysOf(const Value& value) {
  if (!value.shape().IsTuple()) return {value};
  std::vector<Value> arrays;
  for (const Value& element : value.elements()) {
    for (Value& array : ArraysOf(element)) arrays.push_back(std::move(array));
  }
  return arrays;
}

namespace {

constexpr int64_t kMostOfOne = 1000;

// The boxes of an operand that an element of the result may be made from.
std::vector<IndexBox> BoxesOf(const Reach& reach, const Shape& from, const Shape& result, int64_t linear) {
  if (!reach.linear) return reach.relation.FromOf(PointBox(IndexIn(result, linear)));
  if (linear >= from.ElementCount()) return {};
  return {PointBox(IndexIn(from, linear))};
}

}  // namespace

std::vector<std::pair<int, int64_t>> ReadsOfOpaque(const Instruction& instruction, absl::Span<const Value> operands, int leaf, const Shape& result, int64_t linear) {
  std::vector<std::pair<int, int64_t>> reads;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Shape& from = operands[k].shape();
    if (!from.IsArray() || from.dimensions() != instruction.operands[k]->shape.dimensions()) continue;  // a size that this run has
    for (const Reach& reach : ReachOf(instruction, leaf, static_cast<int>(k), 0)) {
      for (int64_t place : PlacesIn(from, BoxesOf(reach, from, result, linear), kMostOfOne)) reads.push_back({static_cast<int>(k), place});
    }
  }
  return reads;
}

std::vector<bool> OfBadOperands(const Instruction& instruction, absl::Span<const Value> operands, int leaf, const Shape& result, absl::Span<const int64_t> elements,
                                const std::function<bool(int operand, const Scalar& value)>& bad) {
  std::vector<bool> found(elements.size(), false);
  for (size_t k = 0; k < operands.size(); ++k) {
    const Shape& from = operands[k].shape();
    const auto is_bad = [&](int64_t place) { return bad(static_cast<int>(k), ElementAt(operands[k], place)); };
    if (!Floats(from)) continue;
    if (from.dimensions() != instruction.operands[k]->shape.dimensions()) return std::vector<bool>(elements.size(), true);
    for (const Reach& reach : ReachOf(instruction, leaf, static_cast<int>(k), 0)) {
      std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, bool> known;  // many elements are made from the same
      for (size_t e = 0; e < elements.size(); ++e) {
        if (found[e]) continue;
        for (const IndexBox& box : BoxesOf(reach, from, result, elements[e])) {
          const auto [at, fresh] = known.try_emplace({box.low, box.high}, false);
          if (fresh) {
            const std::vector<int64_t> places = PlacesIn(from, {box});
            at->second = std::any_of(places.begin(), places.end(), is_bad);
          }
          found[e] = found[e] || at->second;
        }
      }
    }
  }
  return found;
}

void Show(const Instruction& instruction, const std::vector<std::pair<int, int64_t>>& loads, absl::Span<const Value> operands, Finding& finding, bool zeros_tell) {
  std::vector<CaughtRead> all;
  std::set<std::pair<const Instruction*, int64_t>> seen;
  for (const auto& [operand, linear] : loads) {
    const Instruction* from = instruction.operands[operand];
    if (!seen.insert({from, linear}).second) continue;
    all.push_back({from, IndexIn(operands[operand].shape(), linear), ElementAt(operands[operand], linear)});
  }
  if (all.size() > kShown) {
    std::stable_sort(all.begin(), all.end(), [zeros_tell](const CaughtRead& a, const CaughtRead& b) {
      const auto weight = [zeros_tell](const CaughtRead& r) {
        if (r.value.IsNaN()) return HUGE_VAL;
        const double size = std::fabs(IsFloat(r.value.type) || IsComplex(r.value.type) ? r.value.re : static_cast<double>(r.value.i));
        return size == 0 && zeros_tell ? DBL_MAX : size;
      };
      return weight(a) > weight(b);
    });
    finding.read_more = static_cast<int64_t>(all.size() - kShown);
    all.resize(kShown);
  }
  finding.read = std::move(all);
}

// Loads of one element; of push programs those of every update that hits it.
std::vector<std::pair<int, int64_t>> LoadsOf(const Program& program, absl::Span<const Value> operands, int output, int64_t linear) {
  std::vector<std::pair<int, int64_t>> loads;
  ElementTrace trace(program, operands);
  const auto note = [&](int operand, int64_t at, const Scalar&) { loads.push_back({operand, at}); };
  trace.set_on_load(note);
  trace.At(output, IndexIn(program.outputs[output].shape, linear));
  if (!program.is_push) return loads;
  std::vector<std::pair<int, int64_t>> mine;
  trace.set_on_load([&](int operand, int64_t at, const Scalar&) { mine.push_back({operand, at}); });
  trace.Updates([&](int64_t target) {
    if (target == linear) loads.insert(loads.end(), mine.begin(), mine.end());
    mine.clear();
    return true;
  });
  return loads;
}

}  // namespace hloscope
