// Which elements belong together: what a result element reads, and which result elements an operand's element influences. From the element
// program where there is one; from what an opaque operation states of its reads elsewhere. The two directions agree element for element.
// Not for what happens in called computations.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_RELATION_H_
#define HLOSCOPE_VISUALIZER_PICTURES_RELATION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/element/trace.h"
#include "core/ops/leaf_flow.h"
#include "visualizer/pictures/scene.h"

namespace hloscope {

// Elements of operands and results that belong to one element.
class Related {
 public:
  struct Box {
    int array = 0;
    std::vector<int64_t> low, high;  // inclusive
    LoadRole role = LoadRole::kValue;
    int64_t count() const;
  };
  void Add(const PictureArray& array, int64_t linear, LoadRole role);
  void AddBox(Box box) {
    if (box.count() == 0) return;
    boxes_.push_back(std::move(box));
  }
  // What the element is for; nothing of one that does not belong.
  std::optional<LoadRole> RoleOf(const Cell& cell) const;
  int64_t total() const;
  bool empty() const { return cells_.empty() && boxes_.empty(); }
  // At most so many, in the order in which they are read (or row-major).
  std::vector<Cell> List(size_t most) const;
  // The first of an array, for windows that follow.
  std::optional<std::vector<int64_t>> FirstOf(int array) const;

  bool exact = true;   // false: there may be others, or fewer
  std::string note;    // why

 private:
  struct Single {
    Cell cell;
    LoadRole role;
  };
  struct CellKey {
    int array;
    int64_t linear;
    bool operator==(const CellKey& o) const { return array == o.array && linear == o.linear; }
    template <typename H>
    friend H AbslHashValue(H h, const CellKey& k) {
      return H::combine(std::move(h), k.array, k.linear);
    }
  };
  std::vector<Single> cells_;
  std::vector<Box> boxes_;
  absl::flat_hash_map<CellKey, LoadRole> roles_;
  absl::flat_hash_map<int, std::vector<int64_t>> dims_;  // of arrays with single cells
};

struct RelationLimits {
  int64_t points = int64_t{1} << 17;  // of folds and updates that are walked for one question
  int64_t parts = 4000;               // of a result that are looked at in a search
};

class Relation {
 public:
  using Limits = RelationLimits;
  // The scene outlives it.
  explicit Relation(const PictureScene& scene, Limits limits = {});
  Relation(const Relation&) = delete;

  // The element program, prepared; null where there is none.
  ElementTracer* tracer() const { return tracer_.get(); }
  const ElementLoader& loader() const { return load_; }
  // What element `index` of result leaf `leaf` reads.
  Related Reads(int leaf, absl::Span<const int64_t> index) const;
  // Elements of result leaf `leaf` that read an element of an operand.
  Related Readers(int operand, int operand_leaf, absl::Span<const int64_t> index) const;
  // The other side of an operand's or a result's element; nothing for other cells.
  Related Of(const Cell& cell) const;
  // "%x[1,2] * 2", and the same with numbers; "" where there is no formula.
  std::string Formula(int leaf, absl::Span<const int64_t> index, bool numbers) const;
  // Operands whose elements result leaf `leaf` has just as they are, wherever they stand (beside constants); none where it computes.
  std::vector<int> MovedTo(int leaf) const;
  // The program's formula for every element, one line an output; "" where there is none.
  std::string GeneralFormula() const;
  // The same with the bounds as they are written, where the sizes of the run are others; else empty.
  std::string BoundsFormula() const;

 private:
  struct Search {
    int64_t parts = 0, points = 0;
  };
  void OpaqueReads(const PictureArray& result, absl::Span<const int64_t> index, Related* found) const;
  void OpaqueReaders(const PictureArray& from, const PictureArray& result, int operand, int operand_leaf, absl::Span<const int64_t> index, Related* found) const;
  std::optional<std::vector<int64_t>> Copies(int operand, int leaf, absl::Span<const int64_t> from, absl::Span<const int64_t> to) const;
  void ReadsOfProgram(int output, absl::Span<const int64_t> index, Related* found) const;
  void AddReaders(int output, int operand, absl::Span<const int64_t> index, Search* search, Related* found) const;
  void UpdatedReaders(int output, int operand, absl::Span<const int64_t> index, Related* found) const;
  bool ChoosesByOld() const;  // which elements an update loads depends on what was there before

  const PictureScene& scene_;
  Limits limits_;
  std::unique_ptr<ElementTracer> tracer_;
  std::vector<LeafSource> leaves_;
  ElementLoader load_;
  mutable bool missing_ = false;  // a value was asked for that is not there
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_RELATION_H_
