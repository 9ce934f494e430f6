// What the comparison of two forks is made of: rows of values that differ, and where inside of loops and calls two forks part. For
// compare_forks*.cc only.
#ifndef HLOSCOPE_CORE_DEBUG_COMPARE_FORKS_H_
#define HLOSCOPE_CORE_DEBUG_COMPARE_FORKS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/debug/compare_values.h"
#include "core/debug/fork.h"

namespace hloscope {

struct ForkRow {
  std::string name;
  Shape shape;
  ArrayDifference difference;
  int64_t more = 0;  // leaves of the same tuple that differ
};
// Of arrays, and the leaves of tuples; no rows: the same bits. False: they cannot be compared.
bool CompareLeaves(const std::string& name, const Value& a, const Value& b, std::vector<ForkRow>& rows);
std::string ToText(const ForkRow& row);

// Where the programs of two forks hand on the same values side by side in another order: by computation and instruction of fork a, which b has under
// the same names, the place in b of each element of a's tuple; -1: b has none, or it cannot be told which.
class ForkOrders {
 public:
  ForkOrders() = default;  // one program
  ForkOrders(const Module& a, const Module& b);
  // Puts the elements of `b` where `a` has them; what cannot be compared is left out of both, and counted.
  void BringInOrder(const Computation& computation, absl::string_view name, Value& a, Value& b) const;
  // Everything has the order that it has there.
  bool same() const;
  // So many arrays were left out so far, by the same names.
  int64_t left_out() const;

 private:
  using Key = std::pair<const Computation*, std::string>;
  std::map<Key, std::vector<int>> orders_;
  mutable std::map<Key, int64_t> left_out_;
};

// A frame by names, so that it is found in both forks' programs.
struct ForkFrame {
  FrameKind kind = FrameKind::kEntry;
  int64_t iteration = 0;
  int branch = -1;
  std::string caller;  // the instruction around that runs it
};
using ForkPath = std::vector<ForkFrame>;

// A place of a frame in a program, before %`at` or (empty) at its end, and the computation that runs there; nothing: it has no such place.
std::optional<std::pair<Mark, const Computation*>> PlaceOf(const Module& module, const ForkPath& path, absl::string_view at);

// The first value in time that differs inside of what %`caller` in the frame of `path` ran in both forks, up to its iteration `last` (-1:
// all of them).
struct InnerDifference {
  std::string where;  // "%x in body, iteration 1 of %outer, 3 of %inner"
  std::string text;   // how
  ForkPath path;      // of its frame
  std::string name;   // "x"
};
absl::StatusOr<std::optional<InnerDifference>> FirstInside(Session::State& s, const std::string& a, const std::string& b, const ForkOrders& orders,
                                                           ForkPath path, const std::string& caller, int64_t last);

// Of several devices, an iteration of a loop as numbers that are the same where all bits are (compare_forks_walk.cc).
struct LoopIteration {
  uint64_t carried = 0;          // to its condition
  uint64_t condition = 0;        // what the selected device brought to exchanges there and got, at any depth
  std::optional<uint64_t> body;  // the same of its body; nothing: it was not run, or not to its end
};
struct WalkedLoop {
  const Module* module = nullptr;  // the fork's
  std::vector<LoopIteration> iterations;
};
// Its walks in both programs look at values of the same names and shapes, one after the other.
bool LoopsWalkAlike(const Module& a, const Module& b, const ForkPath& path, const std::string& caller);
// What %`caller` in the frame of `path` ran, up to its iteration `last` (-1: all), once from the first to the last.
absl::StatusOr<WalkedLoop> WalkLoop(Session::State& s, const std::string& fork, const ForkPath& path, const std::string& caller, int64_t last);

// What an instruction runs, in the frame of `path`.
struct InnerCaller {
  ForkPath path;
  std::string caller;
  std::optional<ForkFrame> until;  // of a loop that is not over: up to this condition or body, which is left out
};
// The same where what these instructions gave is the same in both: a loop may have made what it did not carry on. Frame by frame, in at most
// `most` iterations, calls and branches.
struct ThroughResult {
  std::optional<InnerDifference> first;
  bool before = false;  // it is in an iteration of a loop that is not over, which may have handed it on
  int64_t frames = 0;   // looked into
  bool more = false;    // others were not
};
absl::StatusOr<ThroughResult> FirstThrough(Session::State& s, const std::string& a, const std::string& b, const ForkOrders& orders,
                                           absl::Span<const InnerCaller> callers, int64_t most);
// Of several devices, where they exchange inside of these: what one has given to others, or got and not kept, may differ where what it goes on
// with is the same. `frames` and `more` are not counted.
absl::StatusOr<ThroughResult> FirstExchanged(Session::State& s, const std::string& a, const std::string& b, const ForkOrders& orders,
                                             absl::Span<const InnerCaller> callers);

// An instruction at a moment of the program of a fork.
struct ForkPlace {
  Mark mark;  // before it is executed
  const Instruction* instruction = nullptr;
};

// All values of an instruction, in every iteration and call, side by side; the first that differs is told, and its place in `a` returned.
absl::StatusOr<std::optional<ForkPlace>> CompareEverywhere(Session::State& s, const std::string& a, const std::string& b, const ForkOrders& orders, absl::string_view name, absl::string_view device);

// Of several devices, by device: where the first value differs on it, in fork `a`. Says on which devices that begins, and which have got it
// from others by an exchange (compare_forks_devices.cc).
absl::Status SayWhereItBegins(Session::State& s, const std::string& a, const std::string& b, const std::vector<std::optional<ForkPlace>>& first);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_COMPARE_FORKS_H_
