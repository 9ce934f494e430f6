// From an element over data movement (copies, tuples, calls, iterations that hand a number on) to the one that was computed, given or made,
// in one walk. Not for what a computed element reads (element_reads.h).
//
// A number may be handed on through every iteration of a long loop, and be asked for from each of them. So stretches between iterations are
// walked once and kept: of 16 iterations, of 256, and so on; a walk is put together from them.
#ifndef HLOSCOPE_CORE_DEBUG_ELEMENT_WALK_H_
#define HLOSCOPE_CORE_DEBUG_ELEMENT_WALK_H_

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/status/statusor.h"
#include "core/debug/element_reads.h"
#include "core/debug/slice.h"

namespace hloscope {

// ", clamped to 1" for a start index of the instruction at `of` that lies outside, by the sizes of this run.
std::string DisplacedText(ElementReader& reader, const ElementPlace& of, const ElementPlace& index, const Scalar& value);

struct Walked {
  ElementPlace place;
  std::optional<Scalar> was;  // when it was read; set by hand since
  SliceEdge edge;             // without its end and role
  // Read on the way to know where to go: of what every iteration reads anew, the one met first.
  struct Side {
    ElementRead read;
    std::string further;  // "and so 9998 further times, down to iteration 0 of %while.3", or nothing
  };
  std::vector<Side> sides;
};

class ElementWalker {
 public:
  // `sides`: whether what was read on the way is wanted.
  ElementWalker(ElementReader& reader, bool sides) : reader_(reader), wants_sides_(sides) {}

  // `past`: `start` is what it was before it was set by hand.
  absl::StatusOr<Walked> Walk(const ElementPlace& start, bool past = false);
  // What the read element was then, where it was set since. `at`: which reads it, in its frame or, as a parameter, in one that its frame calls.
  // Of the walker of the read's device.
  std::optional<Scalar> WasFor(const ElementPlace& at, const ElementRead& read);
  // Of the element where the last walk ended, if it had to find out.
  const ElementReads* KnownReads(const ElementPlace& place) const { return known_.has_value() && known_->first == place ? &known_->second : nullptr; }

 private:
  using SideKey = std::tuple<uint64_t, const Instruction*, int, int64_t, ReadRole>;
  struct Side {
    SideKey key;
    ElementRead read;
    int64_t further = 0;
    int last_frame = -1;
  };
  struct Loop {
    const Instruction* loop;
    size_t depth;  // how many are around it
    int64_t first, last;
  };
  // A part of a walk.
  struct Stretch {
    ElementPlace place;  // where it leads
    std::optional<Scalar> was;
    bool ends = false;  // the walk ends there
    int64_t moves = 0;
    std::vector<const Instruction*> through;  // the first few
    std::vector<std::string> notes;
    std::vector<Side> sides;
    absl::flat_hash_map<SideKey, size_t> side_by_key;
    std::vector<Loop> loops;
  };

  bool MayMove(const Instruction& i, int leaf);
  absl::Status Step(Stretch* stretch, bool past);
  // Each text once: iterations say the same again and again.
  static void AddNote(std::string note, Stretch* stretch);
  void NoteMove(const ElementPlace& at, const ElementReads& reads, Stretch* stretch);
  void NoteLoops(int frame, Stretch* stretch);
  void NoteSide(const ElementRead& read, Stretch* stretch);
  void AddSide(const Side& side, Stretch* stretch);
  void Append(const Stretch& more, Stretch* stretch);
  // Stretches of level n, from 1, lead from one boundary of at least that level to the next; -1: not a boundary.
  int LevelOf(const ElementPlace& place) const;
  absl::Status Extend(Stretch* stretch, int level);
  absl::StatusOr<const Stretch*> Kept(const ElementPlace& place, int level);
  std::string FurtherText(const Side& side);

  ElementReader& reader_;
  const bool wants_sides_;
  const ReadLimits limits_;
  struct Hash {
    size_t operator()(const std::pair<ElementPlace, int>& p) const { return absl::HashOf(p.first.frame, p.first.instruction, p.first.leaf, p.first.linear, p.second); }
  };
  absl::flat_hash_map<std::pair<ElementPlace, int>, std::unique_ptr<Stretch>, Hash> kept_;
  std::optional<std::pair<ElementPlace, ElementReads>> known_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_ELEMENT_WALK_H_
