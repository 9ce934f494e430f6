#include "core/debug/element_walk.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/hash.h"
#include "core/debug/calls.h"
#include "core/debug/slice_text.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/ops/hazards.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kMostMoves = 5000000;  // of one walk
constexpr size_t kNamedMoves = 12;
constexpr size_t kNotes = 4;
constexpr int kLevels = 5;
constexpr int64_t kIterations = 16;  // of a stretch of level 1; of level n its power

}  // namespace

std::string DisplacedText(ElementReader& reader, const ElementPlace& of, const ElementPlace& index, const Scalar& value) {
  const Instruction& instruction = *of.instruction;
  const absl::StatusOr<const ElementReader::Prepared*> prepared = reader.ProgramIn(of.frame, instruction);
  const Instruction* sized = prepared.ok() && *prepared != nullptr && (*prepared)->sized != nullptr ? (*prepared)->sized->instruction : nullptr;
  for (size_t k = 0; k < instruction.operands.size(); ++k) {
    if (instruction.operands[k] != index.instruction) continue;
    std::optional<IndexComponent> c = IndexComponentAt(instruction, static_cast<int>(k), index.linear, value);
    if (c.has_value() && sized != nullptr) c->last = LastStart(*sized, *IndexedAccessOf(*sized), c->dimension);
    if (!c.has_value() || !c->outside()) continue;
    if (!IndexedAccessOf(instruction)->clamps) return ", which is outside, so its update is skipped or cut";
    return absl::StrCat(", clamped to ", c->value < 0 ? 0 : c->last);
  }
  return "";
}

std::optional<Scalar> ElementWalker::WasFor(const ElementPlace& at, const ElementRead& of) {
  const ElementPlace& read = of.place;
  if (of.reader != nullptr) return reader_.Before(read, *of.reader);
  if (at.device != read.device) return std::nullopt;
  if (at.frame == read.frame) return reader_.Before(read, *at.instruction);
  const FrameHistory::Place& p = reader_.history().place(at.frame);
  return p.parent == read.frame && at.instruction->parameter_number >= 0 ? reader_.Before(read, *p.caller) : std::nullopt;
}

// Whether finding out what it reads can show that it only moves a number.
bool ElementWalker::MayMove(const Instruction& i, int leaf) {
  const ElementReader::Prepared* prepared = reader_.ProgramOf(i);
  return prepared == nullptr || prepared->program.is_push || prepared->cheap[leaf];
}

// ---- Stretches ----

absl::Status ElementWalker::Step(Stretch* stretch, bool past) {
  const ElementPlace at = stretch->place;
  stretch->ends = true;
  const bool set = reader_.history().SetByHand(at.frame, *at.instruction, at.leaf, at.linear) && !past;
  if (set || stretch->moves >= kMostMoves || !MayMove(*at.instruction, at.leaf)) return absl::OkStatus();
  absl::StatusOr<ElementReads> reads = reader_.Reads(at, limits_);
  if (!reads.ok()) return absl::IsResourceExhausted(reads.status()) ? absl::OkStatus() : reads.status();
  if (reads->moved < 0) {
    known_ = std::make_pair(at, *std::move(reads));
    return absl::OkStatus();
  }
  NoteMove(at, *reads, stretch);
  stretch->place = reads->reads[reads->moved].place;
  stretch->was = WasFor(at, reads->reads[reads->moved]);
  stretch->ends = stretch->was.has_value();
  return absl::OkStatus();
}

// An iteration that is the first of its loop counts on in the loop around it.
int ElementWalker::LevelOf(const ElementPlace& place) const {
  if (place.instruction->parameter_number < 0 || reader_.history().place(place.frame).kind != FrameKind::kWhileBody) return -1;
  int level = 0;
  for (int f = place.frame; f >= 0 && level < kLevels; f = reader_.history().place(f).parent) {
    const FrameHistory::Place& p = reader_.history().place(f);
    if (p.kind != FrameKind::kWhileBody) continue;
    for (int64_t k = p.iteration; k > 0; k /= kIterations, ++level) {
      if (k % kIterations != 0) return std::min(level, kLevels);
    }
    ++level;
  }
  return kLevels;
}

absl::Status ElementWalker::Extend(Stretch* stretch, int level) {
  do {
    if (level <= 1) {
      if (absl::Status status = Step(stretch, false); !status.ok()) return status;
    } else {
      absl::StatusOr<const Stretch*> more = Kept(stretch->place, level - 1);
      if (!more.ok()) return more.status();
      Append(**more, stretch);
    }
    if (stretch->moves >= kMostMoves) stretch->ends = true;
  } while (!stretch->ends && LevelOf(stretch->place) < level);
  return absl::OkStatus();
}

absl::StatusOr<const ElementWalker::Stretch*> ElementWalker::Kept(const ElementPlace& place, int level) {
  std::unique_ptr<Stretch>& known = kept_[{place, level}];
  if (known != nullptr) return known.get();
  auto made = std::make_unique<Stretch>();
  made->place = place;
  if (absl::Status status = Extend(made.get(), level); !status.ok()) return status;
  return (kept_[{place, level}] = std::move(made)).get();
}

absl::StatusOr<Walked> ElementWalker::Walk(const ElementPlace& start, bool past) {
  Stretch whole;
  whole.place = start;
  absl::Status status = Step(&whole, past);
  while (status.ok() && !whole.ends) {
    const int level = LevelOf(whole.place);
    if (level <= 0) {
      status = Step(&whole, false);
      continue;
    }
    const absl::StatusOr<const Stretch*> more = Kept(whole.place, level);
    if (!more.ok()) return more.status();
    Append(**more, &whole);
    whole.ends = whole.ends || whole.moves >= kMostMoves;
  }
  if (!status.ok()) return status;

  Walked walked{whole.place, whole.was};
  SliceEdge& edge = walked.edge;
  edge.moves = whole.moves;
  for (const Instruction* i : whole.through) edge.through.push_back(ShownName(*i));
  edge.notes = std::move(whole.notes);
  for (const Side& side : whole.sides) walked.sides.push_back({side.read, side.further > 0 ? FurtherText(side) : ""});
  // Of an inner loop the iterations would be those of several runs where the outer one's change: then the outer one is told.
  const Loop* told = nullptr;
  for (const Loop& loop : whole.loops) {
    const bool changes = loop.first != loop.last, told_changes = told != nullptr && told->first != told->last;
    const bool better = changes == told_changes ? (changes ? loop.depth < told->depth : told == nullptr || loop.depth > told->depth) : changes;
    if (better) told = &loop;
  }
  if (told != nullptr) {
    edge.iterations_first = told->first;
    edge.iterations_last = told->last;
    edge.loop = told->loop;
    std::vector<const Instruction*> loops;
    for (const Loop& loop : whole.loops) loops.push_back(loop.loop);
    if (loops.size() > 1) edge.loop_name = NameAmong(*told->loop, loops);
  }
  return walked;
}

// ---- What is told of them ----

void ElementWalker::AddNote(std::string note, Stretch* stretch) {
  if (stretch->notes.size() >= kNotes || std::find(stretch->notes.begin(), stretch->notes.end(), note) != stretch->notes.end()) return;
  stretch->notes.push_back(std::move(note));
}

void ElementWalker::NoteMove(const ElementPlace& at, const ElementReads& reads, Stretch* stretch) {
  if (reader_.history().place(at.frame).kind == FrameKind::kWhileBody) NoteLoops(at.frame, stretch);
  ++stretch->moves;
  if (stretch->through.size() < kNamedMoves && (stretch->through.empty() || stretch->through.back()->name != at.instruction->name)) stretch->through.push_back(at.instruction);
  if (!reads.note.empty()) AddNote(absl::StrCat(ShownName(*at.instruction), ": ", reads.note), stretch);
  const ElementPlace& from = reads.reads[reads.moved].place;
  if (stretch->notes.size() < kNotes && LeafShape(from.instruction->shape, from.leaf).element_type() != LeafShape(at.instruction->shape, at.leaf).element_type()) {
    const absl::StatusOr<Scalar> before = reader_.Element(from), after = reader_.Element(at);
    const bool other = before.ok() && after.ok() && !IsComplex(after->type) && ToText(ConvertScalar(*after, before->type)) != ToText(*before);
    if (other) AddNote(absl::StrCat(ShownName(*at.instruction), ": ", ToText(*before), " becomes ", ToText(*after)), stretch);
  }
  for (size_t k = 0; k < reads.reads.size(); ++k) {
    if (static_cast<int>(k) == reads.moved) continue;
    const ElementRead& side = reads.reads[k];
    if (wants_sides_) NoteSide(side, stretch);
    if (side.role == ReadRole::kIndex && stretch->notes.size() < kNotes) {
      absl::StatusOr<Scalar> value = reader_.Element(side.place);
      if (value.ok()) AddNote(absl::StrCat("index ", PlaceText(side.place), " = ", ToText(*value), DisplacedText(reader_, at, side.place, *value)), stretch);
    }
  }
}

void ElementWalker::NoteLoops(int frame, Stretch* stretch) {
  const FrameHistory& history = reader_.history();
  size_t depth = 0;
  for (int f = history.place(frame).parent; f >= 0; f = history.place(f).parent) depth += history.place(f).kind == FrameKind::kWhileBody ? 1 : 0;
  for (int f = frame; f >= 0; f = history.place(f).parent) {
    const FrameHistory::Place& p = history.place(f);
    if (p.kind != FrameKind::kWhileBody) continue;
    auto known = std::find_if(stretch->loops.begin(), stretch->loops.end(), [&](const Loop& loop) { return loop.loop == p.caller; });
    if (known == stretch->loops.end()) known = stretch->loops.insert(known, {p.caller, depth, p.iteration, p.iteration});
    known->last = p.iteration;
    --depth;
  }
}

void ElementWalker::NoteSide(const ElementRead& read, Stretch* stretch) {
  const FrameHistory& history = reader_.history();
  uint64_t calls = 0;  // what called what, whatever the iteration
  for (int f = read.place.frame; f >= 0; f = history.place(f).parent) {
    const FrameHistory::Place& p = history.place(f);
    calls = MixHash(calls, reinterpret_cast<uintptr_t>(p.caller) + static_cast<uint64_t>(p.kind) + (static_cast<uint64_t>(p.branch + 1) << 4));
  }
  AddSide({{calls, read.place.instruction, read.place.leaf, read.place.linear, read.role}, read}, stretch);
}

void ElementWalker::AddSide(const Side& side, Stretch* stretch) {
  const auto [at, fresh] = stretch->side_by_key.try_emplace(side.key, stretch->sides.size());
  if (fresh) {
    stretch->sides.push_back(side);
    return;
  }
  Side& known = stretch->sides[at->second];
  const bool again = known.read.place.frame == side.read.place.frame;
  known.further += side.further + (again ? 0 : 1);
  if (side.further > 0) {
    known.last_frame = side.last_frame;
  } else if (!again) {
    known.last_frame = side.read.place.frame;
  }
}

void ElementWalker::Append(const Stretch& more, Stretch* stretch) {
  stretch->place = more.place;
  stretch->was = more.was;
  stretch->ends = more.ends;
  stretch->moves += more.moves;
  for (const Instruction* i : more.through) {
    if (stretch->through.size() < kNamedMoves && (stretch->through.empty() || stretch->through.back()->name != i->name)) stretch->through.push_back(i);
  }
  for (const std::string& note : more.notes) {
    AddNote(note, stretch);
  }
  for (const Side& side : more.sides) AddSide(side, stretch);
  for (const Loop& loop : more.loops) {
    const auto known = std::find_if(stretch->loops.begin(), stretch->loops.end(), [&](const Loop& l) { return l.loop == loop.loop; });
    if (known == stretch->loops.end()) {
      stretch->loops.push_back(loop);
    } else {
      known->last = loop.last;
    }
  }
}

std::string ElementWalker::FurtherText(const Side& side) {
  const FrameHistory& history = reader_.history();
  const Instruction* loop = nullptr;
  int64_t last = 0;
  for (int f = side.read.place.frame, g = side.last_frame; f >= 0 && g >= 0; f = history.place(f).parent, g = history.place(g).parent) {
    if (history.place(f).iteration == history.place(g).iteration) continue;
    loop = history.place(f).caller;
    last = history.place(g).iteration;
  }
  return absl::StrCat("and so ", Count(side.further, "further time"),
                      loop != nullptr
                          ? absl::StrCat(", down to iteration ", last, " of %", NameAmong(*loop, CallersOf(history, side.read.place.frame)))
                          : "");
}

}  // namespace hloscope
