#include "core/debug/hand_sets.h"

#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/travel.h"
#include "core/literal/relayout.h"
#include "core/ops/leaf_flow.h"
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

// The same elements of the same frame's value.
bool SameElements(const HandSet& a, const HandSet& b) {
  if (a.depth != b.depth || a.instruction != b.instruction || a.path != b.path || a.places != b.places) return false;
  for (int k = 0; k <= a.depth; ++k) {
    Mark::Level x = a.mark.levels[k], y = b.mark.levels[k];
    if (k == a.depth) x.position = y.position = 0;
    if (!(x == y)) return false;
  }
  return true;
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

int LeafNumber(const Shape& whole, absl::Span<const int64_t> path) {
  const Shape* shape = &whole;
  int leaf = 0;
  for (int64_t k : path) {
    leaf += FirstLeafOf(*shape, static_cast<int>(k));
    shape = &shape->tuple_shapes()[static_cast<size_t>(k)];
  }
  return leaf;
}

Value WithLeaf(const Value& whole, absl::Span<const int64_t> path, Value leaf) {
  if (path.empty()) return leaf;
  std::vector<Value> elements(whole.elements().begin(), whole.elements().end());
  elements[path[0]] = WithLeaf(whole.elements()[path[0]], path.subspan(1), std::move(leaf));
  return Value::Tuple(whole.shape(), std::move(elements));
}

bool StillSet(Session::State& s, absl::Span<const HandSet> sets, size_t which) {
  const HandSet& set = sets[which];
  if (set.handed) return true;
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr) return false;
  bool kept = false;
  for (const Timeline::Moment& moment : timeline->moments()) kept |= moment.kept && moment.mark == set.mark;
  if (!kept || timeline->Seek(set.mark) != StopReason::kStep) return false;
  timeline->TakeUpEdit();
  Value whole, leaf;
  if (FindSet(s, set, &whole, &leaf) == nullptr) return false;
  absl::flat_hash_set<int64_t> anew;  // byte offsets
  for (const HandSet& later : sets.subspan(which + 1)) {
    if (later.mark == set.mark && later.depth == set.depth && later.instruction == set.instruction && later.path == set.path) {
      ForEachPlace(later, [&](int64_t at, int64_t) { anew.insert(at); });
    }
  }
  bool same = true, any = false;
  ForEachPlace(set, [&](int64_t at, int64_t bytes) {
    if (anew.contains(at)) return;
    any = true;
    same = same && std::memcmp(leaf.data() + at, set.leaf.data() + at, static_cast<size_t>(bytes)) == 0;
  });
  return same && any;
}

absl::Status SetAgain(Session::State& s, const HandSet& set) {
  Value whole, leaf;
  const Instruction* instruction = FindSet(s, set, &whole, &leaf);
  if (instruction == nullptr) return absl::NotFoundError("it is not there any more");
  Value after = Value::Allocate(leaf.shape(), &s.machine->account());
  if (!after.has_value()) return absl::ResourceExhaustedError("there is no memory for the value");
  if (after.byte_size() > 0) std::memcpy(after.mutable_data(), leaf.data(), static_cast<size_t>(after.byte_size()));
  ForEachPlace(set, [&](int64_t at, int64_t bytes) { std::memcpy(after.mutable_data() + at, set.leaf.data() + at, static_cast<size_t>(bytes)); });
  if (absl::Status status = s.machine->SetValue(set.depth, instruction->index, WithLeaf(whole, set.path, std::move(after)),
                                                LeafNumber(instruction->shape, set.path), set.places);
      !status.ok())
    return status;
  NoteEdit(s);
  return absl::OkStatus();
}

std::vector<HandSet> LaterSets(Session::State& s) {
  std::vector<HandSet> later;
  const Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr) return later;
  const Mark now = s.machine->Where();
  for (const HandSet& set : s.Extension<HandSets>().of[s.machine.get()]) {
    const bool kept = std::any_of(timeline->moments().begin(), timeline->moments().end(), [&](const Timeline::Moment& moment) { return moment.kept && moment.mark == set.mark; });
    if (!set.handed && kept && now < set.mark) later.push_back(set);
  }
  std::stable_sort(later.begin(), later.end(), [](const HandSet& a, const HandSet& b) { return a.mark < b.mark; });
  return later;
}

void SetLaterAgain(Session::State& s, const HandSet& made, const std::vector<HandSet>& later) {
  if (later.empty()) return;
  std::vector<HandSet>& sets = s.Extension<HandSets>().of[s.machine.get()];
  std::erase_if(sets, [&](const HandSet& set) { return !set.handed && made.mark < set.mark; });
  std::vector<std::string> again, gone, replaced;
  (void)LookAround(s, [&] {
    for (const HandSet& set : later) {
      const std::string inside = InsideText(*s.module, set.mark);
      const std::string text = absl::StrCat(set.name, inside.empty() ? "" : " in ", inside);
      if (SameElements(made, set)) {
        replaced.push_back(text);
      } else if (s.Extension<Travel>().timeline->Seek(set.mark) == StopReason::kStep && SetAgain(s, set).ok()) {
        sets.push_back(set);
        again.push_back(text);
      } else {
        gone.push_back(text);
      }
    }
    return absl::OkStatus();
  });
  if (!again.empty()) s.Say("  Set later, as before: ", absl::StrJoin(again, "; "), "\n");
  if (!replaced.empty()) s.Say("  Not set again later: ", absl::StrJoin(replaced, "; "), "\n");
  if (!gone.empty()) s.Say("  What was set later is gone, the program does not come there any more: ", absl::StrJoin(gone, "; "), "\n");
}

std::string InsideText(const Module& module, const Mark& mark) {
  std::vector<std::string> parts;
  const Computation* computation = module.entry;
  for (size_t k = 1; k < mark.levels.size() && computation != nullptr; ++k) {
    const Instruction& caller = *computation->schedule[mark.levels[k - 1].position];
    const Mark::Level& level = mark.levels[k];
    const std::vector<Computation*> called = caller.CalledComputations();
    const bool body = level.kind == FrameKind::kWhileBody, condition = level.kind == FrameKind::kWhileCondition;
    const size_t which = level.kind == FrameKind::kBranch ? static_cast<size_t>(level.branch) : 0;
    parts.push_back(absl::StrCat(body ? absl::StrCat("iteration ", level.iteration, " of %") : condition ? absl::StrCat("condition ", level.iteration, " of %") : "%", caller.name));
    computation = body ? caller.Called(AttrId::kBody) : condition ? caller.Called(AttrId::kCondition) : which < called.size() ? called[which] : nullptr;
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace hloscope
