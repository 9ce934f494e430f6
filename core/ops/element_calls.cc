// The orders of calls, by operation.
#include "core/ops/element_calls.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/element/interpret.h"
#include "core/ops/comparator.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kMostElements = 1024;  // result elements that are walked; nobody steps further
constexpr int64_t kMostCompared = 32 * kMostElements;
constexpr int64_t kAccumulator = 100;    // the slot of a fold's state

Value ElementOf(const Value& array, int64_t linear) {
  const int bytes = StorageBytes(array.shape().element_type());
  return Value::FromBytes(Shape::Scalar(array.shape().element_type()), absl::MakeConstSpan(array.data() + linear * bytes, bytes));
}

bool HasInterleavedFold(const Instruction& instruction) {
  absl::StatusOr<Program> program = ElementProgram(instruction);
  if (!program.ok()) return false;
  for (NodeId id = 0; id < program->graph->size(); ++id) {
    const Node& node = program->graph->node(id);
    if (node.kind == NodeKind::kFold && program->graph->fold(node).order == FoldOrder::kInterleaved16) return true;
  }
  return false;
}

// One update after the other, whatever result element it goes to.
bool GoesByUpdate(const Instruction& instruction) { return instruction.opcode == Opcode::kScatter || instruction.opcode == Opcode::kSelectAndScatter; }

bool In(absl::Span<const int64_t> list, int64_t x) { return std::find(list.begin(), list.end(), x) != list.end(); }

int64_t IntegerAt(const Value& v, int64_t linear) {
  const std::byte* at = v.data() + linear * StorageBytes(v.shape().element_type());
  switch (v.shape().element_type()) {
    case ElementType::kS8: return *reinterpret_cast<const int8_t*>(at);
    case ElementType::kS16: return *reinterpret_cast<const int16_t*>(at);
    case ElementType::kS32: return *reinterpret_cast<const int32_t*>(at);
    case ElementType::kU8: return *reinterpret_cast<const uint8_t*>(at);
    case ElementType::kU16: return *reinterpret_cast<const uint16_t*>(at);
    case ElementType::kU32: return *reinterpret_cast<const uint32_t*>(at);
    default: return *reinterpret_cast<const int64_t*>(at);
  }
}

int SortedDimension(const Instruction& sort, const Shape& operand) {
  return sort.Ints(AttrId::kDimensions).empty() ? operand.rank() - 1 : static_cast<int>(sort.Ints(AttrId::kDimensions)[0]);
}

}  // namespace

ElementCalls::ElementCalls(const Instruction& instruction, std::vector<Value> operands)
    : instruction_(instruction), operands_(std::move(operands)), limit_(kMostElements) {}

std::unique_ptr<ElementCalls> ElementCalls::Make(const Instruction& instruction, std::vector<Value> operands) {
  std::unique_ptr<ElementCalls> calls(new ElementCalls(instruction, std::move(operands)));
  switch (instruction.opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      calls->interleaved_ = HasInterleavedFold(instruction);
      break;
    case Opcode::kMap:
    case Opcode::kSort:
    case Opcode::kScatter:
      break;
    case Opcode::kSelectAndScatter:
      calls->computation_ = instruction.Called(AttrId::kSelect);
      return calls->computation_ == nullptr || instruction.Called(AttrId::kScatter) == nullptr ? nullptr : std::move(calls);
    case Opcode::kScan: {
      calls->computation_ = instruction.Called(AttrId::kToApply);
      calls->scan_ = std::make_unique<ScanForm>();
      if (calls->computation_ == nullptr || !FindScanForm(instruction, *calls->computation_, calls->scan_.get()).empty()) return nullptr;
      return calls;
    }
    default:
      return nullptr;
  }
  calls->computation_ = instruction.Called(AttrId::kToApply);
  if (calls->computation_ == nullptr) return nullptr;
  return calls;
}

int64_t ElementCalls::updates_seen() const { return GoesByUpdate(instruction_) ? next_ : 0; }

std::unique_ptr<ElementCalls> ElementCalls::MakeFor(const Instruction& instruction, std::vector<Value> operands, int64_t output) {
  std::unique_ptr<ElementCalls> calls = Make(instruction, std::move(operands));
  if (calls == nullptr || calls->scan_ != nullptr || instruction.opcode == Opcode::kSort) return nullptr;
  calls->BeginFor(output);
  return calls;
}

void ElementCalls::BeginFor(int64_t output) {
  only_ = output;
  next_ = GoesByUpdate(instruction_) ? 0 : output;
  limit_ = GoesByUpdate(instruction_) ? INT64_MAX : output + 1;
  DropPending();
  slots_.clear();
  window_.clear();
  compared_ = 0;
  selecting_ = false;
  if (instruction_.opcode == Opcode::kSelectAndScatter) computation_ = instruction_.Called(AttrId::kSelect);
}

std::optional<std::vector<Value>> ElementCalls::Next(const Value* previous) {
  sources_.clear();
  if (instruction_.opcode == Opcode::kSelectAndScatter) return NextOfWindows(previous);
  if (scan_ != nullptr) return NextOfScan(previous);
  if (instruction_.opcode == Opcode::kSort) return NextOfSort(previous);
  if (previous != nullptr) {
    std::vector<Value>& parts = slots_[slot_];
    if (previous->shape().IsTuple()) {
      parts.assign(previous->elements().begin(), previous->elements().end());
    } else {
      parts = {*previous};
    }
  }
  while (pending() == 0) {
    if (!Fill()) return std::nullopt;
  }
  Call call;
  if (calls_.empty()) {
    call = CallOfFold(fold_.next++);
  } else {
    call = std::move(calls_.front());
    calls_.pop_front();
  }
  slot_ = call.slot;
  std::vector<Value> arguments;
  for (const Argument& argument : call.arguments) {
    auto slot = argument.slot < 0 ? slots_.end() : slots_.find(argument.slot);
    sources_.push_back(slot == slots_.end() ? std::make_pair(argument.operand, argument.linear) : std::make_pair(-1, int64_t{0}));
    arguments.push_back(slot == slots_.end() ? ElementOf(operands_[argument.operand], argument.linear) : slot->second[argument.part]);
  }
  return arguments;
}

// ---- How many there are ----

int64_t ElementCalls::Outputs() const {
  const Shape& result = instruction_.shape.IsTuple() ? instruction_.shape.tuple_shapes()[0] : instruction_.shape;
  switch (instruction_.opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kMap: return std::min(result.ElementCount(), limit_);
    default: return -1;
  }
}

int64_t ElementCalls::CallsOf(int64_t output) const {
  const Shape& result = instruction_.shape.IsTuple() ? instruction_.shape.tuple_shapes()[0] : instruction_.shape;
  if (instruction_.opcode == Opcode::kReduceWindow) return static_cast<int64_t>(InsideOfWindow(output, result).size());
  if (instruction_.opcode != Opcode::kReduce) return 1;
  return result.ElementCount() == 0 ? 0 : operands_[0].shape().ElementCount() / result.ElementCount();
}

ElementCalls::Length ElementCalls::Count() const {
  Length length;
  if (const int64_t outputs = Outputs(); outputs >= 0) {
    for (int64_t k = 0; k < outputs; ++k) {
      const int64_t calls = CallsOf(k);
      length.calls += calls;
      if (calls > 0) length.to_last = calls;
    }
    return length;
  }
  if (instruction_.opcode == Opcode::kSort) {
    length.calls = CountComparisons();
  } else if (scan_ != nullptr) {
    length.calls = std::min(scan_->steps * (scan_->scalar ? scan_->slice.ElementCount() : 1), limit_);
  } else if (instruction_.opcode == Opcode::kSelectAndScatter) {
    const Shape& places = operands_[1].shape();
    for (int64_t k = 0; k < std::min(places.ElementCount(), limit_); ++k)
      length.calls += static_cast<int64_t>(InsideOfWindow(k, places).size());
  } else {
    ElementCalls walk(instruction_, operands_);
    walk.limit_ = limit_;
    while (walk.Fill()) {
      length.calls += walk.pending();
      walk.DropPending();
    }
  }
  length.to_last = length.calls;
  return length;
}

int64_t ElementCalls::Skip(int64_t most) {
  const int64_t outputs = Outputs();
  int64_t passed = pending() + 1;
  if (outputs < 0 || passed > most) return 0;
  DropPending();
  for (; next_ < outputs; ++next_) {
    const int64_t calls = CallsOf(next_);
    if (passed + calls > most) break;
    passed += calls;
  }
  return passed;
}

// ---- By operation ----

bool ElementCalls::Fill() {
  const Shape& result = instruction_.shape.IsTuple() ? instruction_.shape.tuple_shapes()[0] : instruction_.shape;
  const int64_t at = next_++;
  switch (instruction_.opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      if (at > 0) Keep(kAccumulator, at - 1);
      if (at >= std::min(result.ElementCount(), limit_)) return false;
      slots_.clear();
      instruction_.opcode == Opcode::kReduce ? FillReduce(at) : FillWindow(at);
      return true;
    case Opcode::kMap: {
      if (at > 0) Keep(0, at - 1);
      if (at >= std::min(result.ElementCount(), limit_)) return false;
      Call call;
      for (size_t k = 0; k < operands_.size(); ++k) call.arguments.push_back({-1, 0, static_cast<int>(k), at});
      calls_.push_back(std::move(call));
      return true;
    }
    case Opcode::kScatter:
      return FillScatter(at);
    default:
      return false;
  }
}

// ---- Sorting: which two are compared next follows from what the comparator said of others ----

bool ElementCalls::BeginLine() {
  const Shape& shape = operands_[0].shape();
  const int d = shape.rank() == 0 ? 0 : SortedDimension(instruction_, shape);
  const int64_t extent = shape.rank() == 0 ? 0 : shape.dim(d);
  const int64_t line = next_++;
  if (extent < 2 || line >= shape.ElementCount() / extent) return false;
  stride_ = RowMajorStrides(shape.dimensions())[d];
  base_ = line / stride_ * stride_ * extent + line % stride_;
  order_.resize(extent);
  std::iota(order_.begin(), order_.end(), 0);
  merge_ = std::make_unique<MergeSteps>(absl::MakeSpan(order_));
  return true;
}

std::optional<std::vector<Value>> ElementCalls::NextOfSort(const Value* previous) {
  if (previous != nullptr) merge_->Answer(*previous->as<uint8_t>() != 0);
  if (asked_ >= kMostCompared || (merge_ == nullptr && !BeginLine())) return std::nullopt;
  std::optional<std::pair<int64_t, int64_t>> asked;
  while (!(asked = merge_->Next()).has_value()) {
    if (!BeginLine()) return std::nullopt;
  }
  ++asked_;
  std::vector<Value> arguments;
  for (size_t k = 0; k < operands_.size(); ++k) {
    for (const int64_t place : {asked->first, asked->second}) {
      sources_.emplace_back(static_cast<int>(k), base_ + place * stride_);
      arguments.push_back(ElementOf(operands_[k], sources_.back().second));
    }
  }
  return arguments;
}

// With the comparator as native code where it has one, else interpreted.
int64_t ElementCalls::CountComparisons() const {
  std::vector<ElementType> types;
  for (const Value& operand : operands_) types.push_back(operand.shape().element_type());
  std::optional<Comparator> comparator = Comparator::Make(*computation_, types);
  if (!comparator.has_value()) return CountInterpreted();
  ElementCalls walk(instruction_, operands_);
  while (walk.asked_ < kMostCompared && walk.BeginLine()) {
    std::vector<const std::byte*> data;
    for (size_t k = 0; k < operands_.size(); ++k) data.push_back(operands_[k].data() + walk.base_ * StorageBytes(types[k]));
    comparator->Load(data, static_cast<int64_t>(walk.order_.size()), walk.stride_);
    for (; walk.asked_ < kMostCompared; ++walk.asked_) {
      const auto asked = walk.merge_->Next();
      if (!asked.has_value()) break;
      walk.merge_->Answer(comparator->Less(asked->first, asked->second));
    }
  }
  return walk.asked_;
}

int64_t ElementCalls::CountInterpreted() const {
  Program program = Program::Pull({}, Shape::Scalar(ElementType::kPred));
  std::vector<NodeId> arguments;
  for (const Instruction* parameter : computation_->parameters) {
    program.operands.push_back(parameter->shape);
    arguments.push_back(program.graph->Load(static_cast<int32_t>(arguments.size()), parameter->shape.element_type(), {}));
  }
  const absl::StatusOr<std::vector<NodeId>> root = InlineScalarComputation(*program.graph, *computation_, arguments);
  if (!root.ok() || root->size() != 1) return INT64_MAX;  // nobody counts the calls before they are made
  program.outputs[0].value = (*root)[0];
  InterpretOptions options;
  options.bounds = false;
  Interpreter interpreter(program, options);
  ElementCalls walk(instruction_, operands_);
  std::optional<Value> answer;
  while (const std::optional<std::vector<Value>> compared = walk.NextOfSort(answer.has_value() ? &*answer : nullptr)) {
    std::vector<const Value*> operands;
    for (const Value& value : *compared) operands.push_back(&value);
    bool less = false;
    const absl::Status made = interpreter.ForRange(operands, 0, 1, [&](int64_t, absl::Span<const BoundedScalar> element) { less = element[0].value.i != 0; });
    if (!made.ok()) return INT64_MAX;
    const std::byte bit{static_cast<uint8_t>(less)};
    answer = Value::FromBytes(Shape::Scalar(ElementType::kPred), absl::MakeConstSpan(&bit, 1));
    walk.sources_.clear();
  }
  return walk.asked_;
}

int64_t ElementCalls::FoldOf::ElementAt(int64_t e) const {
  if (!elements.empty()) return elements[static_cast<size_t>(e)];
  int64_t at = base;
  for (size_t d = extents.size(); d-- > 0;) {
    at += e % extents[d] * steps[d];
    e /= extents[d];
  }
  return at;
}

void ElementCalls::DropPending() {
  calls_.clear();
  fold_ = {};
}

// In the order of core/element/expr.h; of no elements there is none, and the initial value stands.
ElementCalls::Call ElementCalls::CallOfFold(int64_t number) const {
  const int n = static_cast<int>(operands_.size()) / 2;
  auto element = [&](int k, int64_t e) { return Argument{-1, 0, k, fold_.ElementAt(e)}; };
  auto init = [&](int k) { return Argument{-1, 0, n + k, 0}; };
  Call call;
  call.slot = kAccumulator;
  if (!interleaved_ || fold_.innermost < 16) {
    for (int k = 0; k < n; ++k) call.arguments.push_back(number == 0 ? init(k) : Argument{kAccumulator, k});
    for (int k = 0; k < n; ++k) call.arguments.push_back(element(k, number));
    return call;
  }
  // Sixteen lanes that start from their first elements, joined pairwise, then the initial value.
  const auto lane = [&](int64_t l) { return Argument{l, 0, 0, fold_.ElementAt(l)}; };
  if (const int64_t e = number + 16; e < fold_.count) {
    call.slot = e % fold_.innermost % 16;
    call.arguments = {lane(call.slot), element(0, e)};
    return call;
  }
  int64_t join = number - (fold_.count - 16);
  for (int64_t half = 8; half > 0; join -= half, half /= 2) {
    if (join >= half) continue;
    call.slot = join;
    call.arguments = {lane(join), lane(join + half)};
    return call;
  }
  call.arguments = {init(0), lane(0)};
  return call;
}

void ElementCalls::FillReduce(int64_t output) {
  const Shape& shape = operands_[0].shape();
  const std::vector<int64_t> strides = RowMajorStrides(shape.dimensions());
  std::vector<int64_t> kept, extents, steps;
  for (int d = 0; d < shape.rank(); ++d) {
    if (In(instruction_.Ints(AttrId::kDimensions), d)) {
      if (shape.dim(d) == 1) continue;
      extents.push_back(shape.dim(d));
      steps.push_back(strides[d]);
    } else {
      kept.push_back(d);
    }
  }
  int64_t base = 0;
  for (auto d = kept.rbegin(); d != kept.rend(); ++d) {
    base += output % shape.dim(static_cast<int>(*d)) * strides[*d];
    output /= shape.dim(static_cast<int>(*d));
  }
  int64_t count = 1;
  for (int64_t e : extents) count *= e;
  const int64_t innermost = extents.empty() ? 1 : extents.back();
  fold_ = {.count = count, .innermost = innermost, .elements = {}, .base = base, .extents = std::move(extents), .steps = std::move(steps)};
}

std::vector<int64_t> ElementCalls::InsideOfWindow(int64_t place_number, const Shape& places) const {
  const Shape& shape = operands_[0].shape();
  const Window* window = instruction_.GetWindow();
  std::vector<int64_t> place(shape.rank()), extents, index(shape.rank()), at(shape.rank()), elements;
  DelinearizeIndex(places.dimensions(), place_number, absl::MakeSpan(place));
  int64_t count = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    extents.push_back(window == nullptr ? 1 : (*window)[d].size);
    count *= extents.back();
  }
  for (int64_t k = 0; k < count; ++k) {
    DelinearizeIndex(extents, k, absl::MakeSpan(index));
    bool inside = true;
    for (int d = 0; d < shape.rank() && inside; ++d) {
      const WindowDimension w = window == nullptr ? WindowDimension() : (*window)[d];
      const int64_t step = w.reversal ? w.size - 1 - index[d] : index[d];
      const int64_t spread = place[d] * w.stride + step * w.window_dilation - w.padding_low;
      inside = spread >= 0 && spread % w.base_dilation == 0 && spread / w.base_dilation < shape.dim(d);
      at[d] = spread / w.base_dilation;
    }
    if (inside) elements.push_back(LinearIndex(shape.dimensions(), at));
  }
  return elements;
}

void ElementCalls::FillWindow(int64_t output) {
  interleaved_ = false;  // a fold with bounds is row-major
  fold_ = {};
  fold_.elements = InsideOfWindow(output, instruction_.shape.IsTuple() ? instruction_.shape.tuple_shapes()[0] : instruction_.shape);
  fold_.count = static_cast<int64_t>(fold_.elements.size());
}

// Each window: select(kept, next) for its elements after the first, then scatter(what is there, the source's element).
std::optional<std::vector<Value>> ElementCalls::NextOfWindows(const Value* previous) {
  if (previous != nullptr && selecting_) {
    if (*previous->as<uint8_t>() == 0) kept_ = window_[compared_];
    ++compared_;
  } else if (previous != nullptr) {
    slots_[kept_] = {*previous};
    window_.clear();
  }
  while (window_.empty()) {
    source_ = next_++;
    if (source_ >= std::min(operands_[1].shape().ElementCount(), limit_)) return std::nullopt;
    window_ = InsideOfWindow(source_, operands_[1].shape());
    if (only_ >= 0 && !In(window_, only_)) window_.clear();
    compared_ = 1;
    if (!window_.empty()) kept_ = window_[0];
  }
  selecting_ = compared_ < window_.size();
  computation_ = instruction_.Called(selecting_ ? AttrId::kSelect : AttrId::kScatter);
  if (selecting_) sources_ = {{0, kept_}, {0, window_[compared_]}};
  if (selecting_) return std::vector<Value>{ElementOf(operands_[0], kept_), ElementOf(operands_[0], window_[compared_])};
  auto before = slots_.find(kept_);
  sources_ = {before == slots_.end() ? std::make_pair(2, int64_t{0}) : std::make_pair(-1, int64_t{0}), {1, source_}};
  return std::vector<Value>{before == slots_.end() ? ElementOf(operands_[2], 0) : before->second[0], ElementOf(operands_[1], source_)};
}

std::optional<std::vector<Value>> ElementCalls::NextOfScan(const Value* previous) {
  const ScanForm& form = *scan_;
  const int64_t elements = form.scalar ? form.slice.ElementCount() : 1;
  if (states_.empty()) states_.resize(elements);
  if (previous != nullptr) {
    std::vector<Value>& states = states_[(next_ - 1) % elements];
    states.clear();
    for (int k = 0; k < form.states; ++k) {
      states.push_back(previous->shape().IsTuple() ? previous->elements()[form.outputs + k] : *previous);
    }
  }
  if (next_ >= std::min(form.steps * elements, limit_)) return std::nullopt;
  const int64_t step = next_ / elements, element = next_ % elements;
  ++next_;
  const int64_t at = form.reverse ? form.steps - 1 - step : step;
  std::vector<Value> arguments;
  const auto part = [&](const Value& v) { return form.scalar ? ElementOf(v, element) : v; };
  for (int k = 0; k < form.inputs; ++k) arguments.push_back(part(SliceAt(operands_[k], form.dimension, at)));
  for (int k = 0; k < form.states; ++k) {
    arguments.push_back(step == 0 ? part(operands_[form.inputs + k]) : states_[element][k]);
  }
  return arguments;
}

bool ElementCalls::FillScatter(int64_t update) {
  const int n = static_cast<int>(operands_.size()) / 2;
  const Shape& operand = operands_[0].shape();
  const Value& indices = operands_[n];
  const Shape& updates = operands_[n + 1].shape();
  if (update >= std::min(updates.ElementCount(), limit_)) return false;
  const int64_t vector_dim = instruction_.Int(AttrId::kIndexVectorDim, indices.shape().rank());
  const bool has_vector = vector_dim < indices.shape().rank();
  std::vector<int64_t> point(updates.rank()), batch, window, target(operand.rank(), 0);
  DelinearizeIndex(updates.dimensions(), update, absl::MakeSpan(point));
  for (int d = 0; d < updates.rank(); ++d) (In(instruction_.Ints(AttrId::kUpdateWindowDims), d) ? window : batch).push_back(point[d]);
  absl::Span<const int64_t> map = instruction_.Ints(AttrId::kScatterDimsToOperandDims);
  std::vector<int64_t> at = batch;
  if (has_vector) at.insert(at.begin() + vector_dim, 0);
  for (size_t k = 0; k < map.size(); ++k) {
    if (has_vector) at[vector_dim] = static_cast<int64_t>(k);
    target[map[k]] = IntegerAt(indices, LinearIndex(indices.shape().dimensions(), at));
  }
  absl::Span<const int64_t> batching = instruction_.Ints(AttrId::kInputBatchingDims);
  for (size_t k = 0; k < batching.size(); ++k) {
    const int64_t e = instruction_.Ints(AttrId::kScatterIndicesBatchingDims)[k];
    target[batching[k]] = batch[has_vector && e > vector_dim ? e - 1 : e];
  }
  size_t next = 0;
  for (int d = 0; d < operand.rank(); ++d) {
    if (!In(instruction_.Ints(AttrId::kInsertedWindowDims), d) && !In(batching, d)) target[d] += window[next++];
    if (target[d] < 0 || target[d] >= operand.dim(d)) return true;  // passed over
  }
  const int64_t linear = LinearIndex(operand.dimensions(), target);
  if (only_ >= 0 && linear != only_) return true;
  Call call;
  for (int k = 0; k < n; ++k) call.arguments.push_back({linear, k, k, linear});
  for (int k = 0; k < n; ++k) call.arguments.push_back({-1, 0, n + 1 + k, update});
  call.slot = linear;
  calls_.push_back(std::move(call));
  return true;
}

}  // namespace hloscope
