// One pass over the schedule from its end. When an instruction is reached, all its readers already belong to regions, so it is known
// whether exactly one region reads it and how: at which index map, and whether each element is wanted once. It then either joins that
// region (its own operands become demands of the region), or is made anew in every region that reads it (constants, iota, broadcasts),
// or becomes the root of a region of its own. What nobody demands is dead.
//
// A fold of the last dimensions (softmax's and normalisation's) joins the region that wants its result once a row: the row lies in the nearest cache
// when the elements that are made with it are computed. What is wanted once a row is computed outside of the row's loop.
#include "backends/jit_cpu/plan.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/kernels/traits.h"
#include "backends/jit_cpu/lower/lower.h"
#include "core/ir/written_names.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int kMaxMembers = 300;                   // code generation is linear up to here, then worse
constexpr int kMaxFreeCost = 8;                    // operations of an index-only chain that is made anew for each reader
constexpr int64_t kLeastRows = 256;                // of a region with folds by row: enough for all threads
constexpr int64_t kLeastRow = 128;                 // elements
constexpr int64_t kMostRow = 1 << 16;
constexpr uint64_t kRowMap = 0x526f7773;
constexpr int kMostMaps = 3;                       // at which a cheap operation is computed anew
constexpr int64_t kSlackBytes = int64_t{4} << 20;  // how much longer-lived input a region may cause without a second thought

// One region's demand for an instruction's elements.
struct Demand {
  int region;
  uint64_t map;   // names the index map from the region's root; equal maps ask for the same elements
  bool repeated;  // an element may be asked for more than once
  bool fusable;   // false: the region wants the whole value
  int next;       // next demand of the same instruction
  int rows = 0;         // so many first indices are the root's own
  bool by_row = false;  // all indices are, and the root has more: wanted once a row
  bool folded = false;  // for a fold by row
};

struct Draft {
  int root;
  std::vector<int> members;  // descending until the end
  int64_t extra_bytes = 0;   // by how much its inputs outweigh the values they replaced
  int64_t allocated = 0;     // bytes of values rooted from this region's root on
};

uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u + (a << 6));
  return x ^ (x >> 29);
}

class Planner {
 public:
  explicit Planner(const Computation& computation)
      : computation_(computation), n_(static_cast<int>(computation.schedule.size())), traits_(n_), free_cost_(n_), head_(n_, -1) {}

  std::unique_ptr<Plan> Make() {
    for (int i = 0; i < n_; ++i) Classify(i);
    demands_.reserve(static_cast<size_t>(n_) * 2);
    for (int i = n_ - 1; i >= 0; --i) Place(i);
    return Finish();
  }

 private:
  const Instruction& At(int i) const { return *computation_.schedule[i]; }

  void Classify(int i) {
    const Instruction& instruction = At(i);
    FusionTraits& traits = traits_[i] = TraitsOf(instruction);
    int cost = kMaxFreeCost + 1;
    if (traits.kind == FusionKind::kConstant || traits.kind == FusionKind::kIndexOnly) cost = 0;
    if (traits.kind == FusionKind::kElementwise || traits.kind == FusionKind::kMovement) {
      cost = traits.kind == FusionKind::kElementwise ? 1 : 0;
      for (const Instruction* operand : instruction.operands) cost += free_cost_[operand->index];
      if (cost <= kMaxFreeCost) traits.duplicable = true;
    }
    free_cost_[i] = std::min(cost, kMaxFreeCost + 1);
  }

  // Costly, but computed once where it is wanted in a fold of a row and again for the row's elements: code keeps the row (lower/rows.cc).
  bool IsKeptForRow(int i) const {
    if (traits_[i].kind != FusionKind::kElementwise || !traits_[i].same_index || At(i).shape.rank() == 0) return false;
    const ElementType type = At(i).shape.element_type();
    const int64_t row = At(i).shape.dim(At(i).shape.rank() - 1);
    return (type == ElementType::kF32 || type == ElementType::kBF16 || type == ElementType::kF16) && row >= kLeastRow && row <= kMostKeptRow;
  }

  bool Needed(int i) const { return &At(i) == computation_.root || MustRun(At(i)); }

  void Place(int i) {
    if (head_[i] < 0 && !Needed(i)) return;  // dead
    const FusionTraits& traits = traits_[i];
    const bool inlinable = traits.kind != FusionKind::kAlone && (traits.kind != FusionKind::kRoot || traits.row_fold) && At(i).shape.IsArray();
    bool root = Needed(i);
    if (!inlinable) {
      root = true;
    } else if (traits.duplicable) {
      for (int d = head_[i]; d >= 0; d = demands_[d].next) {
        if (!demands_[d].fusable || drafts_[demands_[d].region].members.size() >= kMaxMembers) root = true;
      }
    } else {
      root = root || !MayJoin(i);
    }
    if (inlinable && (!root || traits.duplicable)) Join(i);
    if (root) MakeRoot(i);
  }

  // Whether all demands come from one region which may take this instruction in.
  bool MayJoin(int i) const {
    const Demand& first = demands_[head_[i]];
    bool repeated = first.repeated, anew = traits_[i].cheap || IsKeptForRow(i), folded = false;
    const int most = traits_[i].cheap ? kMostMaps : 2;
    int count = 0;
    for (int d = head_[i]; d >= 0; d = demands_[d].next) {
      const Demand& demand = demands_[d];
      if (!demand.fusable || demand.region != first.region || (traits_[i].row_fold && !demand.by_row)) return false;
      repeated |= demand.repeated || demand.map != first.map;
      anew = anew && !demand.repeated && ++count <= most;
      folded |= demand.folded;
    }
    if (repeated && traits_[i].kind != FusionKind::kMovement && !(anew && folded)) return false;
    const Draft& draft = drafts_[first.region];
    if (draft.members.size() >= kMaxMembers) return false;
    const int64_t extra = ExtraBytes(i);
    const bool far = allocated_ - draft.allocated > kSlackBytes;
    return !far || extra <= 0 || draft.extra_bytes + extra <= kSlackBytes;
  }

  // Bytes that must live until the region's root in place of this instruction's result, less that result.
  int64_t ExtraBytes(int i) const {
    int64_t bytes = -At(i).shape.ByteSize();
    for (const Instruction* operand : At(i).operands) {
      if (Def(*operand).op_class != OpClass::kStructural && !traits_[operand->index].duplicable) bytes += operand->shape.ByteSize();
    }
    return bytes;
  }

  void Join(int i) {
    const bool duplicable = traits_[i].duplicable;
    const int end = head_[i];
    for (int d = end; d >= 0; d = demands_[d].next) {
      const Demand demand = demands_[d];
      if (!demand.fusable) continue;
      Draft& draft = drafts_[demand.region];
      const bool member = !draft.members.empty() && draft.members.back() == i;
      if (!member && draft.members.size() >= kMaxMembers) continue;  // reads it as an input
      if (!member) {
        draft.members.push_back(i);
        if (!duplicable) draft.extra_bytes += std::max<int64_t>(0, ExtraBytes(i));
      }
      // A second demand of one region differs in its map, so the operands are wanted more than once.
      DemandOperands(i, demand.region, demand.map, demand.repeated || (member && !traits_[i].cheap && !IsKeptForRow(i)), true, demand.rows, demand.folded || traits_[i].row_fold);
    }
  }

  void MakeRoot(int i) {
    const int region = static_cast<int>(drafts_.size());
    const OpClass op_class = Def(At(i)).op_class;
    if (op_class != OpClass::kStructural) allocated_ += At(i).shape.ByteSize();
    drafts_.push_back({i, {i}, 0, allocated_});
    DemandOperands(i, region, 1, false, traits_[i].kind != FusionKind::kAlone, traits_[i].row_fold ? 0 : At(i).shape.IsArray() ? At(i).shape.rank() : 0, false);
  }

  // Whether a region's elements come in rows of what its root's first `rank` indices pick: many, and long.
  bool HasRows(int region, int rank) const {
    const Shape& shape = At(drafts_[region].root).shape;
    if (!shape.IsArray() || rank >= shape.rank() || shape.ElementCount() == 0) return false;
    int64_t rows = 1;
    for (int d = 0; d < rank; ++d) rows *= shape.dim(d);
    const int64_t row = shape.ElementCount() / rows;
    return rows >= kLeastRows && row >= kLeastRow && row <= kMostRow;
  }

  // The result is demanded at an index whose first `rows` parts are the root's.
  void DemandOperands(int i, int region, uint64_t map, bool repeated, bool fusable, int rows, bool folded) {
    const FusionTraits& traits = traits_[i];
    const int64_t count = At(i).shape.ElementCount();
    const uint64_t inner = traits.same_index ? map : Mix(map, static_cast<uint64_t>(i) + 2);
    for (const Instruction* operand : At(i).operands) {
      const int64_t operand_count = operand->shape.ElementCount();
      const bool again =
          (traits.repeats && (traits.kind == FusionKind::kRoot || operand_count < count)) || (operand_count == 1 && count > 1);
      Demand demand{region, inner, repeated || again, fusable, -1};
      demand.folded = folded;
      const int rank = operand->shape.IsArray() ? operand->shape.rank() : 0;
      if (traits.same_index && rank == At(i).shape.rank()) demand.rows = rows;
      else if (traits.leading >= 0) demand.rows = std::min(rows, traits.leading);
      else if (traits.row_fold) demand.rows = std::min(rows, At(i).shape.rank());
      if (fusable && rank >= 1 && demand.rows >= rank && HasRows(region, rank)) {
        demand.by_row = true;
        demand.repeated = false;
        demand.map = Mix(kRowMap, static_cast<uint64_t>(rank));
      }
      AddDemand(operand->index, demand);
    }
  }

  // Keeps one demand for each (region, map) of the regions seen last, so that a value that is read often stays cheap.
  void AddDemand(int i, Demand demand) {
    int looked = 0;
    for (int d = head_[i]; d >= 0 && looked < 4; d = demands_[d].next, ++looked) {
      Demand& other = demands_[d];
      if (other.region == demand.region && other.map == demand.map && other.fusable == demand.fusable) {
        other.repeated |= demand.repeated;
        other.folded |= demand.folded;
        return;
      }
    }
    demand.next = head_[i];
    head_[i] = static_cast<int>(demands_.size());
    demands_.push_back(demand);
  }

  std::unique_ptr<Plan> Finish() {
    auto plan = std::make_unique<Plan>();
    plan->computation = &computation_;
    plan->region_at.assign(n_, -1);
    plan->use_count.assign(n_, 0);
    plan->regions.resize(drafts_.size());
    std::vector<int> member_of(n_, -1), input_of(n_, -1);
    // Drafts were made from the last root to the first.
    for (size_t d = drafts_.size(); d-- > 0;) {
      const int at = static_cast<int>(drafts_.size() - 1 - d);
      Region& region = plan->regions[at];
      region.root = drafts_[d].root;
      region.members.assign(drafts_[d].members.rbegin(), drafts_[d].members.rend());
      plan->region_at[region.root] = at;
      for (int m : region.members) member_of[m] = at;
      for (int m : region.members) {
        for (const Instruction* operand : At(m).operands) {
          const int o = operand->index;
          if (member_of[o] == at || input_of[o] == at) continue;
          input_of[o] = at;
          region.inputs.push_back(o);
          ++plan->use_count[o];
        }
      }
    }
    if (computation_.root != nullptr) ++plan->use_count[computation_.root->index];
    return plan;
  }

  const Computation& computation_;
  const int n_;
  std::vector<FusionTraits> traits_;
  std::vector<int> free_cost_;
  std::vector<int> head_;  // of each instruction's list of demands
  std::vector<Demand> demands_;
  std::vector<Draft> drafts_;
  int64_t allocated_ = 0;
};

}  // namespace

std::unique_ptr<Plan> MakeFusedPlan(const Computation& computation) { return Planner(computation).Make(); }

std::string DescribeRegion(const Computation& computation, const Region& region) {
  const Instruction& root = *computation.schedule[region.root];
  std::string text = absl::StrCat(ShownName(root), " = ", root.shape.ToString(false), " ", Name(root.opcode));
  if (region.members.size() > 1) {
    absl::StrAppend(&text, ": fuses ");
    for (size_t i = 0; i + 1 < region.members.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ", ", NameInText(*computation.schedule[region.members[i]]));
    }
  }
  if (!region.inputs.empty()) absl::StrAppend(&text, region.members.size() > 1 ? "; reads " : ": reads ");
  for (size_t i = 0; i < region.inputs.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", NameInText(*computation.schedule[region.inputs[i]]));
  }
  return text;
}

}  // namespace hloscope
