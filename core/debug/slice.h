// A slice of a run: elements of values and which other elements they were made from. Data only: made by why.h, shown by slice_text.h and
// by whoever draws it.
#ifndef HLOSCOPE_CORE_DEBUG_SLICE_H_
#define HLOSCOPE_CORE_DEBUG_SLICE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/exec/frame_history.h"
#include "core/ir/module.h"
#include "core/literal/scalar.h"

namespace hloscope {

// One element of a value in a frame (a number of FrameHistory).
struct ElementPlace {
  int frame = 0;
  const Instruction* instruction = nullptr;
  int leaf = 0;        // of a tuple, in the order of core/ops/leaf_flow.h
  int64_t linear = 0;  // row-major
  int device = 0;      // whose frame; where the program runs on several
  friend bool operator==(const ElementPlace&, const ElementPlace&) = default;
};

enum class ReadRole : uint8_t {
  kValue,      // the number goes into the result
  kPredicate,  // chooses between values
  kIndex,      // says where
  kOrder,      // decides an order (sort) or sizes
  kControl,    // chooses a branch or ends a loop
};

// The frames that the places of a slice are in: of one device's history, or of each device's.
struct SliceFrames {
  SliceFrames(const FrameHistory& only) : of([&only](int) -> const FrameHistory& { return only; }) {}  // NOLINT: as if it were the only one
  SliceFrames(std::function<const FrameHistory&(int)> each, std::function<std::string(int)> names) : of(std::move(each)), name(std::move(names)) {}
  std::function<const FrameHistory&(int device)> of;
  std::function<std::string(int device)> name;  // null: there is one
};

struct SliceEdge {
  int to = -1;   // node
  ReadRole role = ReadRole::kValue;
  int term = -1;  // of the node's terms that it belongs to
  // The data movement between, walked over in one hop: from the reading instruction towards `to`.
  std::vector<std::string> through;  // names, the first few and the last ones
  int64_t moves = 0;                 // how many instructions
  int64_t iterations_first = -1, iterations_last = -1;  // passed through, of `loop`; -1: none
  const Instruction* loop = nullptr;                    // the outermost whose iterations change on the way; else the innermost
  std::string loop_name;                                // where loops around it or inside of it were passed through too: which it is
  std::vector<std::string> notes;    // "at index %i[0] = 3"
};

struct SliceTerm {
  std::vector<int64_t> at;  // in the fold's domain
  bool initial = false;     // what the fold starts from: where that is not the neutral element; the first term
  Scalar value;
  double share = 0;         // of the sum of magnitudes; 0 where there is no such sum
  std::string formula, numbers;
};

struct SliceNode {
  enum Kind : uint8_t { kComputed, kParameter, kConstant, kCreated, kOpaque, kUnknown } kind = kComputed;
  ElementPlace place;
  std::vector<int64_t> index;
  Scalar value;
  bool known = false;  // the value could be had
  std::string formula, numbers;
  std::vector<SliceTerm> terms;  // the largest ones, after the initial value
  int64_t term_count = 0;        // of all
  double other_terms = 0;        // sum of those that are not among `terms`
  int64_t padding_terms = 0;     // of all: of a window's padding, which read nothing; never among `terms`
  std::string fold;              // "sum", "maximum", ...
  std::vector<SliceEdge> edges;
  int64_t reads = 0;      // elements read, as far as they were counted
  bool expanded = false;  // edges are there; else the slice ends here for its depth or size
  std::string note;       // "reads all 1024 elements of ..."
  int depth = 0;
};

// How a NaN or an infinity came to be: from the element asked for back to where it first appears.
struct SliceBirth {
  bool nan = false;
  std::vector<int> path;          // nodes, the first is the one asked for, the last is the birth
  int64_t hops = 0;
  bool given = false;             // it came with a parameter or a constant
};

struct Slice {
  std::vector<SliceNode> nodes;  // node 0 is what was asked for
  std::vector<SliceBirth> births;
  bool cut = false;               // there were more nodes than wanted
  std::vector<std::string> notes;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SLICE_H_
