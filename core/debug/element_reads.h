// What one element of a value reads, across the operations and frames of a run: the step that why and influence are made of.
#ifndef HLOSCOPE_CORE_DEBUG_ELEMENT_READS_H_
#define HLOSCOPE_CORE_DEBUG_ELEMENT_READS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/debug/slice.h"
#include "core/element/interpret.h"
#include "core/element/trace.h"
#include "core/exec/dynamic.h"
#include "core/exec/frame_history.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {

struct ElementRead {
  ElementPlace place;
  ReadRole role = ReadRole::kValue;
  const Instruction* reader = nullptr;  // that brought it to an exchange, in the place's frame; null: the one whose reads these are
};

// What an element reads.
struct ElementReads {
  SliceNode::Kind kind = SliceNode::kComputed;
  std::vector<ElementRead> reads;
  int moved = -1;          // it is this read's number, and nothing was computed (conversions count as movement)
  int64_t total = 0;       // reads, also those beyond `limit`
  std::string note;
};

struct ReadLimits {
  int64_t points = int64_t{1} << 22;  // of folds and scatters that are walked
  int64_t reads = int64_t{1} << 20;
};

class ElementReader {
 public:
  ElementReader(Machine& machine, int64_t budget, FrameHistory::Past past = {}) : history_(machine, budget, std::move(past)) {}
  ~ElementReader();

  FrameHistory& history() { return history_; }
  // The program runs on several devices, and this one is `device`, which all places that are given and taken have. `reads` says what an
  // element of what was exchanged reads, on whatever device.
  using ExchangedReads = std::function<absl::StatusOr<ElementReads>(const ElementPlace& place)>;
  void SetDevice(int device, ExchangedReads reads) {
    device_ = device;
    exchanged_ = std::move(reads);
  }
  absl::StatusOr<Scalar> Element(const ElementPlace& place);
  // What it was when `reader`, of its frame, read it; none where nobody has set it since.
  std::optional<Scalar> Before(const ElementPlace& place, const Instruction& reader);
  absl::StatusOr<ElementReads> Reads(const ElementPlace& place, const ReadLimits& limits);

  // The whole value so.
  absl::StatusOr<Value> SeenBy(const Instruction& reader, int frame, const Instruction& instruction);

  // The instruction's program, prepared; null for those without one.
  struct Prepared {
    Program program;
    std::unique_ptr<ElementTracer> tracer;
    std::vector<bool> cheap;  // by output
    std::vector<bool> alone;  // by output: an element may be computed by itself, and is what the run has to the bit
    std::vector<std::optional<LoadRole>> roles;  // by operand
    std::unique_ptr<ConcreteInstruction> sized;  // of a run whose sizes differ from the written ones: the program's shapes are its
    // Places in an operand as it is written, of places in the program's.
    int64_t Written(const Instruction& instruction, int operand, int64_t linear) const;
  };
  const Prepared* ProgramOf(const Instruction& instruction);
  // With the sizes that its operands have in that frame.
  absl::StatusOr<const Prepared*> ProgramIn(int frame, const Instruction& instruction);
  const std::vector<LeafSource>& LeavesOf(const Instruction& instruction);
  // `prepared`: of which program, of ProgramIn.
  ElementLoader LoaderOf(int frame, const Instruction& instruction, const Prepared& prepared);
  // Of an operation that orders: where the result's elements come from (core/ops/reach.h).
  absl::StatusOr<std::vector<int64_t>> CopiedFrom(int frame, const Instruction& instruction, int operand, int leaf, absl::Span<const int64_t> from, absl::Span<const int64_t> to);

  // The terms of an element's fold: the largest (or the winner), and their loads. Of a scatter: what the element was before, and the updates.
  struct TermList {
    std::optional<ScalarOp> op;  // none: each update makes of what is there what its computation says
    int64_t count = 0;
    double other = 0;
    int64_t padding = 0;  // terms that read nothing
    std::vector<SliceTerm> terms;
    std::vector<std::vector<TracedLoad>> loads;  // of each term; places as they are written
    std::string formula, numbers;                // of a scatter: the element by its updates in their order
  };
  absl::StatusOr<std::optional<TermList>> Terms(const ElementPlace& place, int most);

  // What a leaf's bounded dimension has its size from in this run, as the operation says; kept.
  const std::vector<SizeOrigin>& SizesOf(const Instruction& instruction, int leaf, int dimension);

  // Where a leaf that a loop hands round unchanged comes from: the loop's operand has the same leaf.
  bool IsPassedThrough(const Instruction& loop, int leaf);

 private:
  absl::StatusOr<ElementReads> ReadsHere(const ElementPlace& place, const ReadLimits& limits);
  // What it gives is not what its program says for one device.
  bool IsExchanged(const Instruction& instruction) const;
  absl::StatusOr<ElementReads> ReadsOfParameter(const ElementPlace& place);
  absl::StatusOr<ElementReads> ReadsOfControl(const ElementPlace& place);
  absl::StatusOr<ElementReads> ReadsOfProgram(const ElementPlace& place, const Prepared& prepared, const ReadLimits& limits);
  absl::StatusOr<ElementReads> ReadsOfSize(const ElementPlace& place);
  absl::StatusOr<ElementReads> ReadsOfOpaque(const ElementPlace& place, const ReadLimits& limits);
  absl::StatusOr<Scalar> Lazy(const ElementPlace& place, int depth);
  bool HasSizes(const Instruction& instruction);  // the program has, that are known at run time only
  std::unique_ptr<Prepared> Prepare(const Instruction& instruction) const;
  absl::StatusOr<std::vector<Value>> OperandsOf(const ElementPlace& place, const Prepared& prepared);
  absl::StatusOr<std::optional<TermList>> UpdatesInOrder(const ElementPlace& place, const Prepared& prepared, int most);

  FrameHistory history_;
  int device_ = 0;
  ExchangedReads exchanged_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Prepared>> programs_;
  absl::flat_hash_map<std::pair<const Instruction*, std::string>, std::unique_ptr<Prepared>> sized_;  // by the operands' shapes
  std::optional<bool> has_sizes_;
  absl::flat_hash_map<const Instruction*, std::vector<LeafSource>> leaves_;
  absl::flat_hash_map<std::pair<const Instruction*, int>, bool> passed_;
  absl::flat_hash_map<std::pair<const Instruction*, std::pair<int, int>>, std::unique_ptr<std::vector<SizeOrigin>>> size_origins_;
  struct PlaceHash {
    size_t operator()(const ElementPlace& p) const { return absl::HashOf(p.frame, p.instruction, p.leaf, p.linear); }
  };
  absl::flat_hash_map<ElementPlace, Scalar, PlaceHash> lazy_;
  absl::flat_hash_map<std::pair<const Instruction*, int>, std::unique_ptr<ElementTracer>> spare_;  // by how deep it is asked for
};

// "[2,1]".
std::vector<int64_t> IndexOfPlace(const Shape& array, int64_t linear);
// The place that an element of one array has in another of the same rank and other sizes; nullopt: it is beyond them.
std::optional<int64_t> PlaceInSizes(const Shape& from, int64_t place, const Shape& to);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_ELEMENT_READS_H_
