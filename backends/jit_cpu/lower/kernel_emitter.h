// IR of whole kernels: loop nests, loads, folds, stores. One emitter makes one kernel.
//
// Code is placed by level. A level is the body of a loop (or the whole function); each node of the program is computed once, in the
// outermost level that knows all variables it depends on, just before the loop that is inside that level. So nothing is left for LLVM to
// hoist. At most one level of a chain has lanes: there its variable stands for sixteen neighbouring values at once, and what depends
// on it is a vector; everything else stays scalar. Below a lazy select, loads that may lie outside their operand belong to a mask level.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_LOWER_KERNEL_EMITTER_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_LOWER_KERNEL_EMITTER_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/functional/function_ref.h"
#include "backends/jit_cpu/lower/lower.h"
#include "backends/jit_cpu/lower/prepare.h"
#include "backends/jit_cpu/lower/scalar_emitter.h"
#include "backends/jit_cpu/lower/watch.h"

namespace hloscope {

constexpr double kManyNanoseconds = 100000;             // of a kernel: worth code that is longer
// Vectors at once where functions are computed: half as many where registers are half as large, and half as many.
inline int SideBySideCount() { return HostHasAvx512() ? 4 : 2; }
constexpr int64_t kNearBytes = int64_t{256} << 10;   // of an output that a unit begins and its updates go on with
constexpr int64_t kFetchedBytes = int64_t{1} << 20;  // operands smaller than this are near anyway

class KernelEmitter {
 public:
  // A kernel that watches finds one more pointer among its outputs, the last: to a byte that it sets to 1 when something came up.
  KernelEmitter(const LoopProgram& program, llvm::Module& module, std::string symbol, Watch watch = Watch::kNone);
  // Makes the functions and fills in what is known of them.
  KernelInfo Emit();
  double total_cost() const { return total_cost_; }  // nanoseconds of one run on one thread, roughly

 private:
  // Of a divisor, see DivideByInvariant; each a vector.
  struct Reciprocal {
    llvm::Value *divisor = nullptr, *negative = nullptr, *value = nullptr, *unusable = nullptr;
  };
  struct Level {
    Level* parent = nullptr;
    Level* real = nullptr;            // the level whose `at` says where code goes: itself but for masks
    bool takes_guarded = false;       // guarded loads stay here (masks, branches)
    bool takes_folds = false;         // so do folds (branches)
    llvm::Instruction* at = nullptr;  // code of a real level goes before this
    llvm::BitVector defines;
    llvm::BitVector lanes;            // bits whose values differ by lane, here and below
    int lane_var = -1;
    llvm::Value* lane_base = nullptr;   // of the first lane
    llvm::Value* lane_index = nullptr;  // vector, clamped to the extent so that idle lanes repeat a valid one
    llvm::Value* tail = nullptr;        // active lanes, or null: all
    llvm::Value* mask = nullptr;        // with the conditions of selects; null: all
    absl::flat_hash_map<NodeId, LaneValue> memo;
    absl::flat_hash_map<NodeId, std::vector<LaneValue>> folds;
    absl::flat_hash_map<int, llvm::Value*> vars;
    std::vector<LaneValue> accumulators;  // of the fold that this level defines
    std::map<std::pair<llvm::Value*, bool>, std::unique_ptr<Level>> masks;
    absl::flat_hash_map<NodeId, Reciprocal> reciprocals;
  };
  struct Loop {
    Level level;
    Level* outer = nullptr;
    llvm::Instruction* saved_at = nullptr;
    llvm::BasicBlock* header = nullptr;
    llvm::BasicBlock* exit = nullptr;
    llvm::PHINode* index = nullptr;
    llvm::Value* end = nullptr;
    int64_t step = 1;
    std::vector<llvm::PHINode*> carried;
  };

  Level MakeChild(Level* parent);
  std::unique_ptr<Loop> Open(Level* outer, llvm::Value* begin, llvm::Value* end, int64_t step, absl::Span<llvm::Value* const> carried = {});
  void Close(Loop& loop, absl::Span<llvm::Value* const> next = {});
  void DefineScalar(Level& level, int var, llvm::Value* value);
  // `base`: the first lane's value; lanes at `limit` and beyond are idle (null: none can be).
  void DefineLanes(Level& level, int var, llvm::Value* base, llvm::Value* limit);
  void At(Level* level) { b_.SetInsertPoint(level->real->at); }
  llvm::Value* I64(int64_t v) { return b_.getInt64(v); }

  Level* Target(NodeId id, Level* level);
  LaneValue Value(NodeId id, Level* level);
  LaneValue Compute(NodeId id, const Node& node, Level* level);
  void LookAt(const LaneValue& v, ElementType type, Level* level);
  void ReportSeen();
  LaneValue Select(const Node& node, Level* level);
  LaneValue Branch(const Node& node, llvm::Value* condition, Level* level);
  Level* Masked(Level* level, llvm::Value* condition, bool polarity);
  bool HasLanes(NodeId id, Level* level) { return facts_.depends[id].anyCommon(level->lanes); }

  LaneValue Load(NodeId id, const Node& node, Level* level);
  llvm::Value* LoadPart(ElementType type, llvm::Value* address, llvm::Value* mask, bool lanes, bool reversed);
  llvm::Value* Gather(ElementType type, llvm::Value* addresses, llvm::Value* mask);
  LaneValue LoadContiguous(ElementType type, llvm::Value* address, llvm::Value* mask, bool reversed);
  void Prefetch(llvm::Value* address, int64_t bytes, bool write);
  llvm::Value* LinearSum(const std::vector<std::pair<NodeId, int64_t>>& terms, int64_t constant, Level* level);
  llvm::Value* Operand(int k);
  void Store(int output, llvm::Value* linear, LaneValue v, Level* level);

  const std::vector<LaneValue>& Fold(NodeId id, Level* level);
  std::vector<LaneValue> SequentialFold(NodeId id, const FoldInfo& f, Level* level);
  std::vector<LaneValue> FoldAcrossLanes(NodeId id, const FoldInfo& f, Level* level);
  LaneValue AcrossLanes(NodeId id, const FoldInfo& f, Level* level);
  int FoldedSideBySide(const FoldInfo& f) const;
  std::vector<LaneValue> ElementsSideBySide(NodeId id, const FoldInfo& f, Level* level, Loop& loop, NodeId element, int count);
  LaneValue FoldSideBySide(NodeId id, const FoldInfo& f, Level* level, Loop& loop, LaneValue acc);
  NodeId FoldedElement(const FoldInfo& f, bool* second) const;
  std::vector<LaneValue> FoldInterleaved(NodeId id, const FoldInfo& f, Level* level);

  // rows.cc: kernels that fold a row and then make its elements (softmax, normalisation).
  struct RowValue {
    NodeId fold = kNoNode, result = kNoNode;  // and the node that takes its result
    NodeId inside = kNoNode;                  // of an element of the row, where it is folded
    NodeId outside = kNoNode;                 // the same of an element of the output
    llvm::Value* memory = nullptr;            // of the row at hand, once the fold is emitted
  };
  void FindRowValues();
  bool SameOfElement(NodeId inside, int fold_var, NodeId outside, int lane_var, absl::flat_hash_map<NodeId, NodeId>& known) const;
  NodeId OutsideOf(NodeId inside, int fold_var) const;
  void KeepRowValues(NodeId fold, Level* loop, llvm::Value* index);
  std::optional<LaneValue> KeptRowValue(NodeId id, Level* level);
  void FetchRows(NodeId fold, const FoldInfo& f, Level* level, Level* loop, llvm::Value* index);
  bool FoldsAnyExtremum(const FoldInfo& f) const;
  LaneValue ExtremumAcrossLanes(NodeId id, const FoldInfo& f, Level* level);
  LaneValue DivideByInvariant(LaneValue numerator, NodeId divisor, Level* level);

  // strips.cc: folds down columns, a strip of neighbouring outputs at a time, so that memory is read along its rows.
  struct Strip {
    std::vector<llvm::Value*> memory;  // one for each register of the accumulators
    std::vector<llvm::Type*> types;    // of one lane of it in memory
    llvm::Value* begin = nullptr;      // first output of the strip
    int64_t size = 0;                  // outputs
  };
  std::vector<NodeId> StripFolds() const;
  int64_t StripSize() const;
  void FillStrip(NodeId id, Level* level, llvm::Value* begin, llvm::Value* end, bool whole);
  void AddToStrip(const Strip& strip, const FoldInfo& f, Level* level, llvm::Value* slot, llvm::Value* first, int64_t rows, llvm::Value* end, bool whole);
  std::vector<LaneValue> TakeFromStrip(NodeId id, const FoldInfo& f, Level* level);
  std::vector<LaneValue> LoadStrip(const Strip& strip, const FoldInfo& f, Level* level, llvm::Value* slot);
  void StoreStrip(const Strip& strip, const FoldInfo& f, Level* level, llvm::Value* slot, absl::Span<const LaneValue> values);

  llvm::Function* Begin(const std::string& name);
  void Units();
  void Rows(Level* level, size_t dim, std::function<void(Level*)> body);
  void Innermost(Level* level, llvm::Value* begin, llvm::Value* end, bool whole);
  void LaneLoop(Level* level, llvm::Value* begin, llvm::Value* end, bool whole, const std::function<void(Level*)>& body);
  void InTurns(llvm::Instruction* anchor, int count, absl::FunctionRef<void(int)> emit);
  // `count` vectors of the variable's values a turn of the loop, whose step is that of all of them.
  void SideBySide(Loop& loop, int var, int count, const std::function<void(Level*)>& body);
  int SideBySideVectors(int64_t block) const;
  void StoreOutputs(Level* level);

  // far_rows.cc: rows that are found through indices (gather, scatter).
  bool IsFar(absl::Span<const std::pair<NodeId, int64_t>> terms) const;
  bool HasFarLoad() const;
  static int64_t StepsAhead(int64_t row_bytes);

  // updates.cc
  Level Hit(Level* level, llvm::Instruction** rest);
  void Update();
  void Targets();
  int64_t TargetStep() const;
  bool TargetIsFar() const;
  int64_t ListedRow() const;
  int64_t UpdateBlocks() const;
  void UpdateBody(Level* level, bool hit);

  const LoopProgram& p_;
  ExprGraph& g_;
  NodeFacts facts_;
  llvm::Module& m_;
  llvm::LLVMContext& c_;
  llvm::IRBuilder<> b_;
  ScalarEmitter s_;
  std::string symbol_;
  KernelInfo info_;
  double total_cost_ = 0;
  const Watch watch_;
  std::vector<bool> watched_;            // by node
  llvm::Value* seen_lanes_ = nullptr;    // what came up so far, by lane and in scalars
  llvm::Value* seen_scalar_ = nullptr;
  llvm::Value* seen_out_ = nullptr;
  int64_t listed_row_ = 0;    // elements of the rows that listed updates touch one of each; 0: updates are not listed
  int64_t unit_elements_ = 0; // neighbouring elements that a unit makes, the last one perhaps fewer; 0: it is otherwise
  bool whole_rows_ = false;  // a unit makes rows from their first element to the last
  bool streams_ = false;  // outputs are written past the caches
  int side_by_side_ = 1;  // vectors of outputs that a turn of the innermost loop computes
  llvm::Function* function_ = nullptr;
  Level root_;
  std::vector<NodeId> output_linear_;  // linear index of the element being written (one)
  std::vector<llvm::Value*> operands_, outputs_;
  std::vector<NodeId> strip_folds_;
  int32_t prefetch_var_ = -1;  // contiguous loads that move with this variable are fetched some of its steps ahead
  int64_t prefetch_steps_ = 0;
  absl::flat_hash_map<NodeId, Strip> strips_;  // of the strip at hand
  std::vector<RowValue> row_values_;
  NodeId last_row_fold_ = kNoNode;  // of those over one row of the output
  bool row_folds_ = false;       // folds across lanes, with lanes over the outputs after them
  bool fetches_ahead_ = false;   // contiguous loads fetch what comes kRowAheadBytes later
  NodeId fetching_fold_ = kNoNode;  // the one in which they do: the kernel's first
  Level* later_ = nullptr;          // what a step some steps later reads or changes, as far as it is found through indices
  int32_t listed_var_ = -1;         // comes from a list: what moves with it is found through that
  bool in_order_ = false;           // a fold is done once more, see ExtremumAcrossLanes
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_LOWER_KERNEL_EMITTER_H_
