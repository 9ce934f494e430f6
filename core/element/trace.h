// One element of a program, watched: which elements it reads, what for, and where the winner of a maximum or a choice came from. And what
// it reads at all, as intervals. Loads ask whoever calls, so no whole operand is needed. Not for results that count (interpret.h): a
// fold is walked in row-major order here.
#ifndef HLOSCOPE_CORE_ELEMENT_TRACE_H_
#define HLOSCOPE_CORE_ELEMENT_TRACE_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/element/program.h"
#include "core/literal/scalar.h"
#include "core/shape/index_box.h"

namespace hloscope {

// What a load is for, the strongest where it is for several.
enum class LoadRole : uint8_t { kIndex, kPredicate, kValue };

struct TracedLoad {
  int operand = 0;
  int64_t linear = 0;
  Scalar value;
  LoadRole role = LoadRole::kValue;
  bool places = false;  // of a push program: it decides where an update goes, or whether
};

struct TracedElement {
  Scalar value;
  std::vector<TracedLoad> loads;  // in the order of evaluation, without repeats
  // The load whose number this is, through conversions, choices between arms and winners of maxima; -1: the number was computed here.
  int origin = -1;
  bool compared = false;   // it won a comparison on the way (maximum, minimum): the losers count too
  bool chosen = false;     // a choice on the way to it read data
  bool converted = false;  // its type changed on the way
};

// Asked for an element of an operand (row-major place).
using ElementLoader = std::function<absl::StatusOr<Scalar>(int operand, int64_t linear)>;

// By part of a fold: whether the running values of `part` are made from it, over any number of steps. Reducers may fold things that have
// nothing to do with each other, or (as an argmax does) one that decides about another.
std::vector<bool> PartsNeededFor(const ExprGraph& graph, const FoldInfo& info, int part);

class ElementTracer {
 public:
  explicit ElementTracer(const Program& program);
  ElementTracer(const ElementTracer&) = delete;

  // Element `index` of an output. Push programs: with every update that hits it (a pass over the domain); what was overwritten is not among
  // the loads. ResourceExhausted beyond `max_points` of folds and domains.
  // `updated`: told of each update that hits it, in order, and of what it is then.
  using OnUpdate = std::function<void(int64_t point, const Scalar& now)>;
  absl::StatusOr<TracedElement> At(int output, absl::Span<const int64_t> index, const ElementLoader& load, int64_t max_points = int64_t{1} << 22,
                                   const OnUpdate& updated = nullptr);

  // Told of every operation that is evaluated from now on. `in_fold`: it turns with a fold.
  using OnOp = std::function<void(const Node& node, absl::Span<const Scalar> in, const Scalar& out, bool in_fold)>;
  void set_on_op(OnOp f) { on_op_ = std::move(f); }
  // Of push programs: what the element is before any update. Of pull programs: the element. Loads are told to `load` alone.
  Scalar Start(int output, absl::Span<const int64_t> index, const ElementLoader& load);
  // Push programs: every update in order, with the running values that it finds. `each` is told the target's row-major index after the
  // update's loads and operations were; false from it ends the walk.
  void Updates(const ElementLoader& load, const std::function<bool(int64_t target)>& each);

  // True when no fold and no push has to be walked: an element costs a few operations.
  bool IsCheap(int output) const;
  // Whoever evaluates the element gets the same bits: no function whose implementations may differ is in it.
  bool IsExact(int output) const;

  // The fold of one operation over terms that an output is made of, if it is made of one alone (besides what is done with it afterwards).
  // Its terms as a program: one output over the fold's domain, of the same operands. Of a push program whose updates one operation combines:
  // over the domain of its updates, of which those count that land at the element.
  struct Terms {
    ScalarOp op{};
    std::vector<int64_t> extents;
    Program program;
    Program init;  // what the fold starts from: one scalar of the same operands
    std::optional<Program> lands;  // of updates: whether each goes to the element, as a pred
    std::vector<int64_t> fixed;    // of updates, by dimension of the domain: where alone an update may go there (its extent is 1 then); -1: any
  };
  std::optional<Terms> TermsAt(int output, absl::Span<const int64_t> index) const;

  // The formula of one element, with its indices filled in; `numbers`: loads as their values. Loads inside folds stay as they are. Empty
  // for push programs.
  std::string Formula(int output, absl::Span<const int64_t> index, absl::Span<const std::string> operand_names, bool numbers, const ElementLoader& load) const;

  const Program& program() const { return program_; }
  // What an operand is loaded for; nullopt: it is not loaded.
  std::optional<LoadRole> RoleOf(int operand) const;
  bool LoadsInPush(int operand) const;  // by updates; else only by what is there before

  // ---- Push programs: point by point of the domain ----
  int64_t push_points() const;
  // The row-major target of a point (-1: skipped), and what is loaded for it.
  // `needed`: the outputs whose updates are meant; null: all.
  absl::StatusOr<int64_t> PushPoint(int64_t point, const ElementLoader& load, std::vector<TracedLoad>* loads, const std::vector<bool>* needed = nullptr);

  // Where the point's update can go if the elements that `changes` names were any others: within the box, if anywhere. Nothing of a target outside.
  std::optional<IndexBox> TargetsOf(int64_t point, const ElementLoader& load, const std::function<bool(int operand, int64_t linear)>& changes);
  // By output of a push program: whether its updates' results depend on what was there before, of any output.
  bool UsesOld(int output) const;
  // By output: whether `output` is made from it, through updates that read each other's elements.
  std::vector<bool> OutputsNeededFor(int output) const;

  // ---- What can be read, as intervals ----
  struct Dim {
    int64_t low = 0, high = 0;  // inclusive, of the operand's index; within the operand
    uint64_t vars = 0;          // output dimensions (bits, the first 64) that it depends on
    bool free = false;          // every value between is read for each output element, whatever the other dimensions' indices are
  };
  // One load of an operand, for output elements in a box: the operand elements that it may read.
  struct Reach {
    std::vector<Dim> dims;
    bool certain = false;  // no choice was left open: every output element of the box makes it
  };
  // Loads of `operand` that some output element between `low` and `high` (inclusive) may make. `load` serves indices that are data.
  // `fixed`: variables of folds that are looked at for one value alone; what an output element then certainly loads, it loads.
  using FixedVars = std::vector<std::pair<int32_t, int64_t>>;
  std::vector<Reach> ReachOf(int output, absl::Span<const int64_t> low, absl::Span<const int64_t> high, int operand, const ElementLoader& load,
                             const FixedVars& fixed = {});
  // Every choice of values for the variables of folds with the smallest extents (windows), at most `most` choices.
  std::vector<FixedVars> FoldChoices(int output, int64_t most) const;

 private:
  std::optional<Terms> UpdateTermsAt(int output, absl::Span<const int64_t> index) const;
  // The folds that an output is made of, without those inside of others. Of a program that pulls.
  std::vector<NodeId> OutermostFolds(int output) const;
  struct Traced {
    Scalar value;
    int origin = -1;
    bool compared = false, chosen = false, converted = false;
  };
  struct Interval {
    int64_t low = 0, high = 0;
    bool point() const { return low == high; }
  };
  void FindRoles();
  const Traced& Eval(NodeId id);
  Traced EvalOp(const Node& node);
  Traced EvalSelect(const Node& node);
  Traced EvalLoad(const Node& node);
  void EvalFold(NodeId id, const Node& result);
  void NewTurn() { turn_ = ++counter_; }
  bool SetPoint(int64_t point);
  Interval IntervalOf(NodeId id);
  Interval IntervalOfNode(const Node& node);
  Interval IntervalOfOp(const Node& node);
  bool IsFreeDim(const Node& load, size_t d) const;
  void Collect(NodeId id, int operand, bool certain, std::vector<uint8_t>* seen, std::vector<Reach>* out);

  Program program_;
  const ExprGraph& graph_;
  std::vector<uint8_t> roles_;    // by node: bits of LoadRole
  std::vector<bool> has_load_;    // by node: itself or below
  std::vector<bool> in_push_;     // by node: below the combined values or targets of updates
  std::vector<bool> of_element_;  // by node: depends on output variables at most
  std::vector<Traced> slots_;
  std::vector<uint64_t> stamps_;
  uint64_t element_turn_ = 0, turn_ = 0, counter_ = 0;
  std::vector<int64_t> vars_;
  absl::flat_hash_map<int64_t, Traced> accumulators_;
  absl::flat_hash_map<NodeId, std::vector<Traced>> fold_parts_;
  const ElementLoader* load_ = nullptr;
  OnOp on_op_;
  int fold_depth_ = 0;
  std::vector<TracedLoad>* recorded_ = nullptr;
  absl::flat_hash_map<std::pair<int, int64_t>, int> numbers_;
  absl::Status status_;
  int64_t points_left_ = 0;
  std::vector<Interval> ranges_;
  std::vector<Interval> intervals_;
  std::vector<uint64_t> interval_stamps_;
  uint64_t interval_turn_ = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_TRACE_H_
