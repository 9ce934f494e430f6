#include "core/ops/exchange_origin.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "core/ops/collective_exchange.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {
namespace {

constexpr int64_t kMostLabels = int64_t{1} << 25;

// How many operands hold what is exchanged; those behind them say where it goes.
int ArrayOperands(const Instruction& i) {
  const int all = static_cast<int>(i.operands.size());
  if (ExchangeOf(i).results == ExchangeRaggedAllToAll) return std::min(all, 2);
  return HasDynamicRoot(i) ? all - 1 : all;
}

Value Labels(const Shape& shape, int64_t base) {
  Value labels = Value::Allocate(Shape::Array(ElementType::kS64, shape.dimensions()));
  if (labels.has_value()) std::iota(reinterpret_cast<int64_t*>(labels.mutable_data()), reinterpret_cast<int64_t*>(labels.mutable_data()) + labels.element_count(), base);
  return labels;
}

}  // namespace

bool ExchangeOrigins::IsFixed(const Instruction& i) {
  const auto dynamic = [](const Instruction* operand) { return operand->shape.has_dynamic_dimension(); };
  return ArrayOperands(i) == static_cast<int>(i.operands.size()) && std::none_of(i.operands.begin(), i.operands.end(), dynamic);
}

absl::StatusOr<std::shared_ptr<const ExchangeOrigins>> ExchangeOrigins::Of(const Instruction& instruction, int members, int member, absl::Span<const std::pair<int, int>> sends,
                                                                           const std::function<absl::StatusOr<Value>(int member, int operand)>& value) {
  auto made = std::make_shared<ExchangeOrigins>();
  const int operands = static_cast<int>(instruction.operands.size()), arrays = ArrayOperands(instruction);
  int64_t all = 0;
  for (int k = 0; k < arrays; ++k) all += instruction.operands[k]->shape.ElementCount();
  if (all > kMostLabels / members) return absl::ResourceExhaustedError("too many elements are exchanged to say where one comes from");
  std::vector<std::vector<Value>> brought(members);
  int64_t next = 1;  // 0 is no element: a zero
  for (int m = 0; m < members; ++m) {
    made->bases_.emplace_back();
    for (int k = 0; k < operands; ++k) {
      Shape shape = instruction.operands[k]->shape;
      if (k >= arrays || shape.has_dynamic_dimension()) {
        absl::StatusOr<Value> given = value(m, k);
        if (!given.ok()) return given.status();
        shape = given->shape();
        if (k >= arrays) {
          brought[m].push_back(*std::move(given));
          continue;
        }
      }
      made->bases_[m].push_back(next);
      brought[m].push_back(Labels(shape, next));
      if (!brought[m].back().has_value()) return absl::ResourceExhaustedError("no memory to say where an element comes from");
      next += shape.ElementCount();
    }
  }
  const auto reduce = [&](const Computation&, std::vector<Value> all) -> absl::StatusOr<Value> {
    const Shape shape = all[0].shape();
    made->reductions_.push_back({next, std::move(all)});
    next += shape.ElementCount();
    Value labels = Labels(shape, made->reductions_.back().base);
    if (!labels.has_value()) return absl::ResourceExhaustedError("no memory to say where an element comes from");
    return labels;
  };
  if (member < 0) {
    absl::StatusOr<Value> outside = OutsiderValue(instruction, brought[0], nullptr);
    if (!outside.ok()) return outside.status();
    made->labels_ = *std::move(outside);
    return std::shared_ptr<const ExchangeOrigins>(std::move(made));
  }
  absl::StatusOr<std::vector<Value>> results = ExchangeOf(instruction).results({instruction, brought, sends, nullptr, reduce});
  if (!results.ok()) return results.status();
  made->labels_ = std::move((*results)[member]);
  return std::shared_ptr<const ExchangeOrigins>(std::move(made));
}

ExchangeOrigin ExchangeOrigins::Decode(int64_t label) const {
  ExchangeOrigin origin;
  while (origin.member + 1 < static_cast<int>(bases_.size()) && !bases_[origin.member + 1].empty() && bases_[origin.member + 1][0] <= label) ++origin.member;
  const std::vector<int64_t>& bases = bases_[origin.member];
  while (origin.operand + 1 < static_cast<int>(bases.size()) && bases[origin.operand + 1] <= label) ++origin.operand;
  origin.linear = label - bases[origin.operand];
  return origin;
}

std::vector<ExchangeOrigin> ExchangeOrigins::DecidedBy(const Instruction& i, int members, int member, int leaf, absl::Span<const ExchangeOrigin> made_from) {
  constexpr int kRows = 0, kFirstRow = 2, kCount = 3, kTarget = 4;  // operands of a ragged exchange
  std::vector<ExchangeOrigin> all;
  if (member < 0 || members <= 0) return all;
  if (HasDynamicRoot(i)) {
    for (int m = 0; m < members; ++m) all.push_back({m, static_cast<int>(i.operands.size()) - 1, leaf});
    return all;
  }
  if (ExchangeOf(i).results != ExchangeRaggedAllToAll || static_cast<int>(i.operands.size()) <= kTarget || i.operands[kCount]->shape.has_dynamic_dimension()) return all;
  const int64_t entries = i.operands[kCount]->shape.ElementCount() / members;
  const bool written = made_from.size() == 1 && made_from[0].operand == kRows;
  for (int from = 0; from < members; ++from) {
    if (written && made_from[0].member != from) continue;
    for (int64_t e = member * entries; e < (member + 1) * entries; ++e) {
      if (written) all.push_back({from, kFirstRow, e});
      all.push_back({from, kCount, e});
      all.push_back({from, kTarget, e});
    }
  }
  return all;
}

std::vector<ExchangeOrigin> ExchangeOrigins::At(int leaf, int64_t linear) const {
  std::vector<ExchangeOrigin> origins;
  const Value& array = LeafOf(labels_, leaf);
  if (!array.shape().IsArray() || array.shape().element_type() != ElementType::kS64 || linear < 0 || linear >= array.element_count()) return origins;
  const int64_t label = array.as<int64_t>()[linear];
  if (label <= 0) return origins;
  const auto after = std::upper_bound(reductions_.begin(), reductions_.end(), label, [](int64_t l, const Reduction& r) { return l < r.base; });
  if (after == reductions_.begin()) return {Decode(label)};
  const Reduction& reduction = *std::prev(after);
  for (const Value& one : reduction.arrays) origins.push_back(Decode(one.as<int64_t>()[label - reduction.base]));
  return origins;
}

}  // namespace hloscope
