// A program prepared for evaluation: a private copy of its graph with one step and one slot for every node, and the loops they turn in.
// Inside of the interpreter; interpret.cc opens with how it works.
#ifndef HLOSCOPE_CORE_ELEMENT_TAPE_H_
#define HLOSCOPE_CORE_ELEMENT_TAPE_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/element/program.h"
#include "core/literal/scalar.h"

namespace hloscope::tape {

struct Slot {
  int64_t i = 0;
  double re = 0;
  double im = 0;
  double bound = 0;
  uint64_t stamp = 0;
  const uint64_t* epoch = nullptr;  // of the node's loop: the slot is valid when stamp == *epoch
};

// What to do, with the type folded in for the common ones.
enum class Code : uint8_t {
  kFixed,  // constants, index variables, accumulators: set from outside
  kAddI64,
  kSubI64,
  kMulI64,
  kFloorDivI64,
  kModI64,
  kMaxI64,
  kMinI64,
  kEqI64,
  kNeI64,
  kLtI64,
  kLeI64,
  kGtI64,
  kGeI64,
  kAddF32,
  kSubF32,
  kMulF32,
  kDivF32,
  kAddF64,
  kSubF64,
  kMulF64,
  kDivF64,
  kMaxFloat,
  kMinFloat,
  kNegFloat,
  kEqFloat,
  kNeFloat,
  kLtFloat,
  kLeFloat,
  kGtFloat,
  kGeFloat,
  kAddS32,
  kSubS32,
  kMulS32,
  kAndBits,
  kOrBits,
  kXorBits,
  kWidenFloat,
  kToF32,
  kWidenInteger,
  kUnary,
  kBinary,  // any other: EvalScalarOp
  kLoad,
  kSelect,
  kFold,
  kFoldResult,
};

struct Step {
  Code code = Code::kFixed;
  ElementType type = ElementType::kS64;
  ElementType input_type = ElementType::kS64;
  ScalarOp op{};
  bool ulps = false;  // implementations may differ even on exact inputs
  int32_t a = kNoNode, b = kNoNode, c = kNoNode;
  int32_t extra = 0;  // operand of a load, number of a fold, part of a fold result
  int64_t aux = 0;    // reduce-precision's bits, divisor of floordiv and mod
};

struct LoadStep {
  int32_t operand = 0;
  ElementType type = ElementType::kF32;
  NodeId linear = kNoNode;      // proven in bounds
  std::vector<NodeId> indices;  // else checked one by one
  std::vector<int64_t> dims, strides;
};

struct FoldStep {
  FoldInfo info;
  std::vector<NodeId> var_nodes, accumulators;  // kNoNode where the bodies do not use them
  NodeId element = kNoNode;                     // of a one-part op(acc, x)
  uint64_t epoch = 0;
  int64_t total = 1;
  std::vector<Slot> running, next;
  std::vector<int64_t> index;
};

inline Slot ToSlot(const Scalar& s) {
  Slot r;
  r.i = s.i;
  r.re = s.re;
  r.im = s.im;
  return r;
}

struct Tape {
  explicit Tape(const Program& p) : program(p) { Prepare(); }
  Tape(const Tape&) = delete;

  Program program;  // the caller's, its graph shared
  ExprGraph graph;  // our copy
  std::vector<NodeId> values, targets, combined;
  NodeId in_bounds = kNoNode;
  std::vector<int32_t> push_vars;
  std::vector<NodeId> output_index, push_index, push_accumulators;  // nodes, kNoNode where unused
  std::vector<int64_t> output_dims, output_strides, push_extents;

  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<LoadStep> loads;
  std::deque<FoldStep> folds;
  uint64_t always = 1, run = 0;
  std::vector<uint64_t> output_epochs, push_epochs;  // one a dimension, and one more for the push accumulators
  uint64_t counter = 1;

 private:
  void Prepare();
  void PrepareLoads();
  void PrepareFolds();
  NodeId ElementOf(const FoldInfo& info) const;
  const uint64_t* EpochOf(NodeId id, const std::vector<int32_t>& output_vars);
  void PrepareNode(NodeId id, const std::vector<int32_t>& output_vars);
  void PrepareOp(Step& s);

  // Load nodes keep their place in the graph; LoadStep k belongs to load_of[node] == k.
  absl::flat_hash_map<NodeId, int> load_of;
  absl::flat_hash_map<NodeId, int> fold_of;
  absl::flat_hash_map<int32_t, int> fold_of_var;  // index variable v -> fold; accumulators of fold id f as ~f
  std::vector<int> fold_depth;
};

}  // namespace hloscope::tape

#endif  // HLOSCOPE_CORE_ELEMENT_TAPE_H_
