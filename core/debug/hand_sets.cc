#include "core/debug/hand_sets.h"

#include <cstring>

#include "core/debug/travel.h"
#include "core/literal/relayout.h"
#include "core/shape/element_type.h"

namespace hloscope {
namespace {

// Calls `each` with the byte offset of every element that was set.
template <typename Each>
void ForEachPlace(const HandSet& set, Each each) {
  const int64_t bytes = StorageBytes(set.leaf.shape().element_type());
  if (set.places.empty()) {
    for (int64_t k = 0; k < set.leaf.element_count(); ++k) each(k * bytes, bytes);
  } else {
    for (int64_t place : set.places) each(place * bytes, bytes);
  }
}

// The frame's instruction and its value there; null: it is not there, or of another shape.
const Instruction* FindSet(Session::State& s, const HandSet& set, Value* whole, Value* leaf) {
  const std::vector<Frame>& frames = s.machine->frames();
  if (set.depth >= static_cast<int>(frames.size())) return nullptr;
  const Instruction* instruction = frames[set.depth].computation->FindInstruction(set.instruction);
  if (instruction == nullptr) return nullptr;
  absl::StatusOr<Value> value = s.machine->ValueOf(set.depth, instruction->index);
  if (!value.ok()) return nullptr;
  *whole = *std::move(value);
  *leaf = LeafAt(*whole, set.path);
  if (!leaf->has_value() || !Shape::Compatible(leaf->shape(), set.leaf.shape())) return nullptr;
  return instruction;
}

}  // namespace

Value LeafAt(const Value& whole, absl::Span<const int64_t> path) {
  Value leaf = whole;
  for (int64_t k : path) {
    if (!leaf.shape().IsTuple() || k < 0 || k >= static_cast<int64_t>(leaf.elements().size())) return Value();
    leaf = Value(leaf.elements()[k]);
  }
  return leaf;
}

Value WithLeaf(const Value& whole, absl::Span<const int64_t> path, Value leaf) {
  if (path.empty()) return leaf;
  std::vector<Value> elements(whole.elements().begin(), whole.elements().end());
  elements[path[0]] = WithLeaf(whole.elements()[path[0]], path.subspan(1), std::move(leaf));
  return Value::Tuple(whole.shape(), std::move(elements));
}

bool StillSet(Session::State& s, const HandSet& set) {
  if (set.handed) return true;
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr) return false;
  bool kept = false;
  for (const Timeline::Moment& moment : timeline->moments()) kept |= moment.kept && moment.mark == set.mark;
  if (!kept || timeline->Seek(set.mark) != StopReason::kStep) return false;
  timeline->TakeUpEdit();
  Value whole, leaf;
  if (FindSet(s, set, &whole, &leaf) == nullptr) return false;
  bool same = true;
  ForEachPlace(set, [&](int64_t at, int64_t bytes) { same = same && std::memcmp(leaf.data() + at, set.leaf.data() + at, static_cast<size_t>(bytes)) == 0; });
  return same;
}

absl::Status SetAgain(Session::State& s, const HandSet& set) {
  Value whole, leaf;
  const Instruction* instruction = FindSet(s, set, &whole, &leaf);
  if (instruction == nullptr) return absl::NotFoundError("it is not there any more");
  Value after = Value::Allocate(leaf.shape(), &s.machine->account());
  if (!after.has_value()) return absl::ResourceExhaustedError("there is no memory for the value");
  if (after.byte_size() > 0) std::memcpy(after.mutable_data(), leaf.data(), static_cast<size_t>(after.byte_size()));
  ForEachPlace(set, [&](int64_t at, int64_t bytes) { std::memcpy(after.mutable_data() + at, set.leaf.data() + at, static_cast<size_t>(bytes)); });
  if (absl::Status status = s.machine->SetValue(set.depth, instruction->index, WithLeaf(whole, set.path, std::move(after))); !status.ok()) return status;
  NoteEdit(s);
  return absl::OkStatus();
}

}  // namespace hloscope
