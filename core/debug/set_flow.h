// Where what was set by hand goes, leaf by leaf, through a computation and the loops, calls and branches that it runs. By what the program says,
// not by what it computed: what can be in a leaf, without the elements. Which values of a frame come from a set: set_readers.h.
#ifndef HLOSCOPE_CORE_DEBUG_SET_FLOW_H_
#define HLOSCOPE_CORE_DEBUG_SET_FLOW_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/debug/timeline.h"
#include "core/ir/module.h"

namespace hloscope {

// Since when something is in a value: the iterations of the frames around (0 of those that are no loops), the outermost first, without zeros at
// the end; compared one after the other. What goes round a loop is there from its next iteration on.
using Since = std::vector<int64_t>;
// Of a moment, in its frame at `level`.
Since SinceOf(const Mark& mark, size_t level);
// The same for who looks from the frame at `level` around.
Since SeenFrom(Since since, size_t level);

// Numbers of sets, by leaf of a value.
using SetNumbers = std::map<int, Since>;
using LeafNumbers = std::vector<SetNumbers>;

class SetFlow {
 public:
  // A set and its number.
  using Numbered = std::pair<HandSet, int>;
  // What comes by exchanges with other devices.
  class Exchanges {
   public:
    virtual ~Exchanges() = default;
    // The device brings what has these sets in it; the sets that are in what it gets.
    virtual SetNumbers Exchange(const Instruction& exchange, const SetNumbers& brought) = 0;
  };
  // Of one run of `computation` as the frame at `level` of their moments, in which, and inside of which, `sets` were made. Parameters bring nothing
  // but what is said with Bring. `exchanges`: null on one device.
  SetFlow(const Computation& computation, size_t level, absl::Span<const Numbered> sets, Exchanges* exchanges = nullptr);

  void Bring(int parameter, LeafNumbers leaves);
  // Follows the whole computation.
  void Follow();

  // What was set of the value itself.
  SetNumbers Own(const Instruction& value) const;
  bool HasOwn(const Instruction& value) const { return own_.contains(&value); }
  // What is in the value as it is read at the end of the computation.
  SetNumbers In(const Instruction& value) const { return ReadWhole(value, end_); }
  LeafNumbers Result() const { return Leaves(*computation_.root, end_); }

 private:
  struct OwnSet {
    int leaf = 0;
    int read_from = 0;   // position
    bool whole = false;  // all elements of the leaf
    int number = 0;
    Since since;
  };

  void Read(const Instruction& value, int leaf, int position, SetNumbers* out) const;
  SetNumbers ReadWhole(const Instruction& value, int position) const;
  LeafNumbers Leaves(const Instruction& value, int position) const;
  void FollowInstruction(const Instruction& i);
  LeafNumbers OfLoop(const Instruction& loop, absl::Span<const Numbered> inside) const;
  LeafNumbers OfCall(const Instruction& call, absl::Span<const Numbered> inside) const;
  LeafNumbers OfConditional(const Instruction& conditional, absl::Span<const Numbered> inside) const;

  bool Exchanging(const Instruction& i) const;  // inside of what it calls
  LeafNumbers ResultOf(const Computation& computation, absl::Span<const Numbered> sets, absl::Span<const LeafNumbers> parameters) const;
  LeafNumbers Outside(LeafNumbers inside) const;

  const Computation& computation_;
  Exchanges* const exchanges_;
  const size_t level_;
  const int end_;
  absl::flat_hash_map<const Instruction*, std::vector<OwnSet>> own_;
  absl::flat_hash_map<const Instruction*, std::vector<Numbered>> inside_;
  absl::flat_hash_map<const Instruction*, LeafNumbers> made_;  // as the instruction made it
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SET_FLOW_H_
