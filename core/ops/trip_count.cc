#include "core/ops/trip_count.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/literal/statistics.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr double kMost = 9e15;  // whole numbers up to here are exact

// Copies and whole conversions in between change nothing.
const Instruction& Behind(const Instruction& i) {
  const Instruction* at = &i;
  for (int k = 0; k < 16; ++k) {
    const bool hands_on = at->opcode == Opcode::kCopy || at->opcode == Opcode::kConvert || at->opcode == Opcode::kReshape || at->opcode == Opcode::kBitcast;
    if (!hands_on || at->operands.size() != 1 || !at->shape.IsScalar() || !IsInteger(at->shape.element_type())) break;
    at = at->operands[0];
  }
  return *at;
}

std::optional<double> ConstantOf(const Instruction& i) {
  const Instruction& at = Behind(i);
  if (at.opcode != Opcode::kConstant || at.literal == nullptr || at.literal->elided || !at.literal->value.has_value()) return std::nullopt;
  if (!at.shape.IsScalar() || !IsInteger(at.shape.element_type())) return std::nullopt;
  return ElementAsDouble(at.literal->value, 0);
}

// Which element of the computation's only parameter this is; -1: none. A state that is no tuple is its element 0.
int64_t StateElement(const Instruction& i) {
  const Instruction& at = Behind(i);
  if (at.opcode == Opcode::kParameter) return at.shape.IsTuple() ? -1 : 0;
  if (at.opcode == Opcode::kGetTupleElement && at.operands[0]->opcode == Opcode::kParameter) return at.Int(AttrId::kIndex);
  return -1;
}

const Instruction* ElementOf(const Instruction& state, int64_t index) {
  if (!state.shape.IsTuple()) return &state;
  if (state.opcode != Opcode::kTuple || index >= static_cast<int64_t>(state.operands.size())) return nullptr;
  return state.operands[index];
}

// The constant that the body adds to element `index` of the state.
std::optional<double> StepOf(const Computation& body, int64_t index) {
  const Instruction* next = ElementOf(*body.root, index);
  if (next == nullptr) return std::nullopt;
  const Instruction& sum = Behind(*next);
  if (sum.operands.size() != 2) return std::nullopt;
  if (sum.opcode == Opcode::kAdd) {
    for (const int k : {0, 1}) {
      if (StateElement(*sum.operands[k]) == index) return ConstantOf(*sum.operands[1 - k]);
    }
  }
  if (sum.opcode == Opcode::kSubtract && StateElement(*sum.operands[0]) == index) {
    const std::optional<double> step = ConstantOf(*sum.operands[1]);
    return step.has_value() ? std::optional<double>(-*step) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> StaticTripCount(const Instruction& loop) {
  const Computation* body = loop.Called(AttrId::kBody);
  const Computation* condition = loop.Called(AttrId::kCondition);
  if (body == nullptr || condition == nullptr || body->root == nullptr || condition->root == nullptr || loop.operands.size() != 1) return std::nullopt;
  const Instruction& more = Behind(*condition->root);
  if (more.opcode != Opcode::kCompare || more.operands.size() != 2) return std::nullopt;
  // Counter on the left: else everything is turned round.
  std::string direction(more.Text(AttrId::kDirection));
  const Instruction *counter = more.operands[0], *end = more.operands[1];
  if (StateElement(*counter) < 0) {
    std::swap(counter, end);
    constexpr std::pair<const char*, const char*> kTurned[] = {{"LT", "GT"}, {"GT", "LT"}, {"LE", "GE"}, {"GE", "LE"}};
    for (const auto& [from, to] : kTurned) {
      if (direction == from) {
        direction = to;
        break;
      }
    }
  }
  const int64_t index = StateElement(*counter);
  if (index < 0) return std::nullopt;
  const Instruction* first = ElementOf(*loop.operands[0], index);
  const std::optional<double> limit = ConstantOf(*end), step = StepOf(*body, index);
  const std::optional<double> begin = first != nullptr ? ConstantOf(*first) : std::nullopt;
  if (!limit.has_value() || !begin.has_value() || !step.has_value() || *step == 0) return std::nullopt;
  double trips = 0;
  const double way = *limit - *begin;
  if (direction == "LT" || direction == "GT") {
    if ((direction == "LT") != (*step > 0)) return way == 0 ? std::optional<int64_t>(0) : std::nullopt;
    trips = std::ceil(way / *step);
  } else if (direction == "LE" || direction == "GE") {
    if ((direction == "LE") != (*step > 0)) return std::nullopt;
    trips = std::floor(way / *step) + 1;
  } else if (direction == "NE") {
    trips = way / *step;
    if (trips < 0 || trips != std::floor(trips)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  if (!(trips < kMost)) return std::nullopt;
  return static_cast<int64_t>(std::max(0.0, trips));
}

}  // namespace hloscope
