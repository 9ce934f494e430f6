#include "core/debug/hand_sets.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/calls.h"
#include "core/debug/devices.h"
#include "core/debug/element_reads.h"
#include "core/debug/set_devices.h"
#include "core/debug/travel.h"
#include "core/ir/written_names.h"
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

// The set in an array that has other sizes in this run than in the one in which it was made (bounded dimensions); nullopt: an element is not there.
std::optional<HandSet> InSizes(const HandSet& set, const Shape& shape) {
  const Shape& made = set.leaf.shape();
  if (set.places.empty() || !made.IsArray() || !shape.IsArray() || made.rank() != shape.rank() || made.element_type() != shape.element_type()) return std::nullopt;
  HandSet now = set;
  now.leaf = Value::Allocate(shape);
  if (!now.leaf.has_value()) return std::nullopt;
  const int64_t bytes = StorageBytes(shape.element_type());
  for (int64_t& place : now.places) {
    const std::optional<int64_t> there = PlaceInSizes(made, place, shape);
    if (!there.has_value()) return std::nullopt;
    std::memcpy(now.leaf.mutable_data() + *there * bytes, set.leaf.data() + place * bytes, static_cast<size_t>(bytes));
    place = *there;
  }
  return now;
}

// The frame's instruction and its value there; null: it is not there, or of another shape.
const Instruction* FindSet(Session::State& s, const HandSet& set, Value* whole, Value* leaf, bool any_sizes = false) {
  const std::vector<Frame>& frames = s.machine->frames();
  if (set.depth >= static_cast<int>(frames.size())) return nullptr;
  const Instruction* instruction = frames[set.depth].computation->FindInstruction(set.instruction);
  if (instruction == nullptr) return nullptr;
  absl::StatusOr<Value> value = s.machine->ValueOf(set.depth, instruction->index);
  if (!value.ok()) return nullptr;
  *whole = *std::move(value);
  *leaf = LeafAt(*whole, set.path);
  if (!leaf->has_value() || (!any_sizes && !Shape::Compatible(leaf->shape(), set.leaf.shape()))) return nullptr;
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

absl::Status SetAgain(Session::State& s, const HandSet& set, bool known) {
  Value whole, leaf;
  const Instruction* instruction = FindSet(s, set, &whole, &leaf, true);
  if (instruction == nullptr) return absl::NotFoundError("it is not there any more");
  if (!Shape::Compatible(leaf.shape(), set.leaf.shape())) {
    const std::optional<HandSet> sized = InSizes(set, leaf.shape());
    return sized.has_value() ? SetAgain(s, *sized, known) : absl::NotFoundError("it is not there any more");
  }
  Value after = Value::Allocate(leaf.shape(), &s.machine->account());
  if (!after.has_value()) return absl::ResourceExhaustedError("there is no memory for the value");
  if (after.byte_size() > 0) std::memcpy(after.mutable_data(), leaf.data(), static_cast<size_t>(after.byte_size()));
  ForEachPlace(set, [&](int64_t at, int64_t bytes) { std::memcpy(after.mutable_data() + at, set.leaf.data() + at, static_cast<size_t>(bytes)); });
  if (absl::Status status = s.machine->SetValue(set.depth, instruction->index, WithLeaf(whole, set.path, std::move(after)),
                                                LeafNumber(instruction->shape, set.path), set.places, known);
      !status.ok())
    return status;
  NoteEdit(s, set);
  return absl::OkStatus();
}

bool Reads(const Instruction& reader, const Instruction& value, absl::Span<const int64_t> path) {
  if (std::find(reader.operands.begin(), reader.operands.end(), &value) == reader.operands.end()) return false;
  const bool part = !path.empty() && reader.operands.size() == 1 && value.shape.IsTuple() && reader.Has(AttrId::kIndex);
  return !part || reader.Int(AttrId::kIndex) == path[0];
}

int ReadFrom(const HandSet& set) {
  const bool inner = set.mark.levels.size() > static_cast<size_t>(set.depth) + 1;  // what is being executed has read its operands
  return set.mark.levels[set.depth].position + (inner ? 1 : 0);
}

std::string ReadBeforeText(Session::State& s, const HandSet& made) {
  constexpr size_t kNamed = 3;
  const Computation& computation = *s.machine->frames()[made.depth].computation;
  const Instruction& value = *computation.FindInstruction(made.instruction);
  const int from = ReadFrom(made);
  std::vector<std::string> had;
  bool to_come = computation.root == &value;
  for (const Instruction* reader : computation.schedule) {
    if (!Reads(*reader, value, made.path)) continue;
    if (reader->index < from) had.push_back(ShownName(*reader));
    else to_come = true;
  }
  if (had.empty()) return "";
  const bool one = had.size() == 1;
  const std::string first = had[0];
  std::string names = had[0];
  const size_t named = std::min(had.size(), kNamed);
  for (size_t k = 1; k < named; ++k) absl::StrAppend(&names, k + 1 == had.size() ? " and " : ", ", had[k]);
  if (named < had.size()) absl::StrAppend(&names, " and ", had.size() - named, " more");
  return absl::StrCat("  ", names, one ? " has" : " have", " read it before, as it was", to_come ? "" : ", and nothing else reads it", "; to change what ", one ? "that makes" : "they make",
                      ", go back to ", first, " first\n");
}

std::vector<HandSet> AllSets(Session::State& s) {
  std::vector<HandSet> all;
  if (const Timeline* timeline = s.Extension<Travel>().timeline.get()) {
    for (const Timeline::Moment& moment : timeline->moments()) all.insert(all.end(), moment.sets.begin(), moment.sets.end());
    all.insert(all.end(), timeline->awaited().begin(), timeline->awaited().end());
  }
  return all;
}

std::vector<HandSet> LaterSets(Session::State& s) {
  std::vector<HandSet> later = AllSets(s);
  const Mark now = s.machine->Where();
  std::erase_if(later, [&](const HandSet& set) { return !(now < set.mark); });
  return later;
}

bool IsOfFrame(const HandSet& set, const Mark& now, int depth) {
  if (now < set.mark || set.depth < depth) return false;
  for (int k = 0; k < depth; ++k) {
    if (!(set.mark.levels[k] == now.levels[k])) return false;
  }
  const Mark::Level &at = set.mark.levels[depth], &here = now.levels[depth];
  return at.kind == here.kind && at.iteration == here.iteration && at.branch == here.branch;
}

std::vector<HandSet> SetsOfFrame(Session::State& s, int depth, const Instruction* inside) {
  std::vector<HandSet> sets = AllSets(s);
  const Mark now = s.machine->Where();
  std::erase_if(sets, [&](const HandSet& set) {
    if (!IsOfFrame(set, now, depth)) return true;
    return inside != nullptr ? set.depth == depth || set.mark.levels[depth].position != inside->index : set.depth != depth;
  });
  return sets;
}

void SetLaterAgain(Session::State& s, const HandSet& made, const std::vector<HandSet>& later) {
  if (later.empty()) return;
  std::vector<std::string> again, gone, replaced, awaited;
  s.Extension<Travel>().timeline->ForgetAwaited();  // they are among the later ones
  std::vector<HandSet> waiting;  // behind exchanges that are not made yet
  (void)LookAround(s, [&] {
    for (const HandSet& set : later) {
      const std::string text = SetText(*s.module, set);
      if (SameElements(made, set)) {
        replaced.push_back(text);
        continue;
      }
      const StopReason reason = s.Extension<Travel>().timeline->Seek(set.mark);
      if (reason == StopReason::kWaiting) {
        awaited.push_back(text);
        waiting.push_back(set);
      } else if (reason == StopReason::kStep && SetAgain(s, set).ok()) {
        again.push_back(text);
      } else {
        gone.push_back(text);
      }
    }
    return absl::OkStatus();
  });
  if (!again.empty()) s.Say("  Set later, as before: ", absl::StrJoin(again, "; "), "\n");
  AwaitSets(s, std::move(waiting));
  if (!awaited.empty()) s.Say("  Set again where ", SelectedName(s), " comes there: ", absl::StrJoin(awaited, "; "), "\n");
  if (!replaced.empty()) s.Say("  Not set again later: ", absl::StrJoin(replaced, "; "), "\n");
  if (!gone.empty()) s.Say("  What was set later is gone, the program does not come there any more: ", absl::StrJoin(gone, "; "), "\n");
}

const Computation* RunBy(const Instruction& caller, const Mark::Level& level) {
  if (level.kind == FrameKind::kWhileBody) return caller.Called(AttrId::kBody);
  if (level.kind == FrameKind::kWhileCondition) return caller.Called(AttrId::kCondition);
  const std::vector<Computation*> called = caller.CalledComputations();
  const size_t which = level.kind == FrameKind::kBranch ? static_cast<size_t>(level.branch) : 0;
  return which < called.size() ? called[which] : nullptr;
}

const Computation* ComputationAt(const Module& module, const Mark& mark) {
  const Computation* computation = module.entry;
  for (size_t k = 1; k < mark.levels.size() && computation != nullptr; ++k) {
    const int position = mark.levels[k - 1].position;
    const bool there = position < static_cast<int>(computation->schedule.size());
    computation = there ? RunBy(*computation->schedule[position], mark.levels[k]) : nullptr;
  }
  return computation;
}

namespace {

// What runs the frames of a moment, the outermost first, without the entry's; as far as the program has it.
std::vector<const Instruction*> CallersOf(const Module& module, const Mark& mark) {
  std::vector<const Instruction*> callers;
  const Computation* computation = module.entry;
  for (size_t k = 1; k < mark.levels.size() && computation != nullptr; ++k) {
    const int position = mark.levels[k - 1].position;
    if (position >= static_cast<int>(computation->schedule.size())) break;
    callers.push_back(computation->schedule[position]);
    computation = RunBy(*callers.back(), mark.levels[k]);
  }
  return callers;
}

}  // namespace

std::string LoopText(const Module& module, const Mark& mark) {
  const std::vector<const Instruction*> callers = CallersOf(module, mark);
  std::string text;
  int around = 0;
  for (size_t k = callers.size(); k-- > 0;) {
    const Mark::Level& level = mark.levels[k + 1];
    if (!IsLoop(level.kind)) continue;
    const std::string name = absl::StrCat("%", NameAmong(*callers[k], callers));
    if (text.empty()) text = absl::StrCat("the loop ", name);
    else absl::StrAppend(&text, around++ == 0 ? ", in iteration " : " in iteration ", level.iteration, " of ", name);
  }
  return around > 0 ? text + "," : text;
}

std::string InsideText(const Module& module, const Mark& mark) {
  const std::vector<const Instruction*> callers = CallersOf(module, mark);
  std::vector<std::string> parts;
  for (size_t k = 0; k < callers.size(); ++k) {
    const Mark::Level& level = mark.levels[k + 1];
    const bool body = level.kind == FrameKind::kWhileBody, condition = level.kind == FrameKind::kWhileCondition;
    parts.push_back(absl::StrCat(body        ? absl::StrCat("iteration ", level.iteration, " of %")
                                 : condition ? absl::StrCat("condition ", level.iteration, " of %")
                                             : "%",
                                 NameAmong(*callers[k], callers)));
  }
  return absl::StrJoin(parts, ", ");
}

std::string SetText(const Module& module, const HandSet& set) {
  const std::string inside = InsideText(module, set.mark);
  return absl::StrCat(set.name, inside.empty() ? "" : " in ", inside);
}

}  // namespace hloscope
