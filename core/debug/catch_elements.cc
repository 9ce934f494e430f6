#include "core/debug/catch_elements.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/element/element_trace.h"
#include "core/shape/layout.h"

namespace hloscope {

namespace {

constexpr size_t kShown = 4;

}  // namespace

bool Floats(const Shape& shape) { return shape.IsArray() && (IsFloat(shape.element_type()) || IsComplex(shape.element_type())); }

Scalar ElementAt(const Value& array, int64_t linear) {
  const ElementType type = array.shape().element_type();
  return LoadScalar(type, array.data() + linear * StorageBytes(type));
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
  if (request.kind == CatchKind::kNan || request.kind == CatchKind::kInf) return query;
  query.hazard = HazardOf(request.kind);
  query.bits = request.bits;
  query.in_folds = request.kind != CatchKind::kCancellation;
  return query;
}

std::vector<Value> ArraysOf(const Value& value) {
  if (!value.shape().IsTuple()) return {value};
  return std::vector<Value>(value.elements().begin(), value.elements().end());
}

// The elements that made one: all if they are few, else those that tell most.
void Show(const Instruction& instruction, const std::vector<std::pair<int, int64_t>>& loads, absl::Span<const Value> operands, Finding& finding) {
  std::vector<CaughtRead> all;
  std::set<std::pair<const Instruction*, int64_t>> seen;
  for (const auto& [operand, linear] : loads) {
    const Instruction* from = instruction.operands[operand];
    if (!seen.insert({from, linear}).second) continue;
    all.push_back({from, IndexIn(operands[operand].shape(), linear), ElementAt(operands[operand], linear)});
  }
  if (all.size() > kShown) {
    std::stable_sort(all.begin(), all.end(), [](const CaughtRead& a, const CaughtRead& b) {
      const auto weight = [](const CaughtRead& r) { return r.value.IsNaN() ? HUGE_VAL : std::fabs(IsFloat(r.value.type) || IsComplex(r.value.type) ? r.value.re : static_cast<double>(r.value.i)); };
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
