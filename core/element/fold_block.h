// What a fold takes in, at many points of its domain at once: each node of the element runs over a row of points before the next node does,
// so that choosing what to do costs once a row. The same arithmetic as a point at a time (interpret.cc), which stays the way for everything
// that is not of this kind: folds inside of folds, complex numbers, functions whose bounds are asked for. Inside of the interpreter.
#ifndef HLOSCOPE_CORE_ELEMENT_FOLD_BLOCK_H_
#define HLOSCOPE_CORE_ELEMENT_FOLD_BLOCK_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/element/tape.h"

namespace hloscope::tape {

class FoldBlock {
 public:
  static constexpr int64_t kPoints = 256;
  // Null where the element is not of the kind. `bounds`: they are asked for, and are 0 for everything that this computes.
  static std::unique_ptr<FoldBlock> Make(const Tape& tape, const FoldStep& fold, bool bounds);

  // Nodes that do not turn with the fold: their slots must be valid before Begin.
  absl::Span<const NodeId> outside() const { return outside_; }
  // To the first point of the domain.
  void Begin(absl::Span<const Slot> slots);
  // The next `n` points (at most kPoints). False: a load is out of bounds, as failure() says.
  bool Next(int64_t n, absl::Span<const std::byte* const> data);

  // Of the points of the last Next: the element as a number (floating point types) or an integer (others), and the innermost index.
  bool real() const { return real_; }
  const double* reals() const { return Reals(element_); }
  const int64_t* integers() const { return Integers(element_); }
  const int64_t* innermost() const { return Integers(var_rows_.back()); }
  const std::string& failure() const { return failure_; }

 private:
  struct Guard {
    int row;
    bool taken;  // the arm that is wanted where the row is true
    friend bool operator==(const Guard&, const Guard&) = default;
  };
  struct Work {
    const Step* step;
    int out, a, b, c;
    const LoadStep* load = nullptr;
    std::vector<int> indices;   // rows of a load that is not proven in bounds
    std::vector<Guard> guards;  // it is wanted only where all hold
  };

  FoldBlock(const Tape& tape, const FoldStep& fold) : tape_(tape), fold_(fold) {}
  bool Add(NodeId id, const std::vector<Guard>& guards, bool bounds);
  bool AddLoad(NodeId id, const std::vector<Guard>& guards, bool bounds);
  bool IsSafe(NodeId id) const;
  bool IsReal(NodeId id) const;
  int NewRow(NodeId id);
  void Run(const Work& w, int64_t n);
  bool RunLoad(const Work& w, int64_t n, const std::byte* base);
  bool FindLinear(const Work& w, int64_t n, int64_t* linear);
  double* Reals(int row) { return &reals_[row * kPoints]; }
  const double* Reals(int row) const { return &reals_[row * kPoints]; }
  int64_t* Integers(int row) { return &integers_[row * kPoints]; }
  const int64_t* Integers(int row) const { return &integers_[row * kPoints]; }

  const Tape& tape_;
  const FoldStep& fold_;
  absl::flat_hash_map<NodeId, int> rows_;
  absl::flat_hash_map<NodeId, std::vector<Guard>> guards_;  // of loads that are not proven in bounds
  std::vector<Work> work_;
  std::vector<NodeId> outside_;
  std::vector<int> outside_rows_, var_rows_;
  std::vector<double> reals_;      // rows of kPoints, of which each node uses one or the other
  std::vector<int64_t> integers_;
  std::vector<int64_t> index_;  // of the next point
  int row_count_ = 0, element_ = 0;
  bool real_ = false;
  std::string failure_;
};

}  // namespace hloscope::tape

#endif  // HLOSCOPE_CORE_ELEMENT_FOLD_BLOCK_H_
