// Numbers for what instructions compute from parameters, by operations, shapes, attributes and constants, without names: equal numbers are equal
// values. Neither the order in which a loop, a branch, a reducer is handed its values counts, nor whether a constant goes into a loop or
// stands in it. For comparing programs (match.h).
#ifndef HLOSCOPE_CORE_DEBUG_VALUE_NUMBERS_H_
#define HLOSCOPE_CORE_DEBUG_VALUE_NUMBERS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/debug/flatten.h"
#include "core/ir/module.h"

namespace hloscope {

struct ValueNumber {
  uint64_t exact = 0;
  uint64_t loose = 0;  // the same with all float types alike
  bool operator==(const ValueNumber& other) const { return exact == other.exact; }
};

// What a computation is given, by parameter: the numbers of a tuple's elements, or the one of an array. Empty: as its number says.
using GivenNumbers = std::vector<std::vector<ValueNumber>>;

// What is handed side by side to what an instruction calls: a loop's elements, the arrays of a reduction. What they are found by in
// another program, from the surest to the weakest.
struct HandedNumbers {
  std::vector<ValueNumber> whole;                   // equal ones are equal values, whatever is made of them
  std::vector<std::vector<ValueNumber>> rounds;     // by round: what it begins with and what is made of it in so many steps
  std::vector<std::vector<ValueNumber>> updates;    // the same without what it begins with
  std::vector<bool> fixed;                          // of a loop: it stays what it begins with
};

// Of one program.
class ValueNumbers {
 public:
  // Fills FlatNode::hash and loose. `given`: of the parameters; null: they are told apart by their numbers.
  void Fill(FlatComputation& flat, const GivenNumbers* given = nullptr);
  // Of a computation that is filled: a loop's elements, or arrays side by side.
  HandedNumbers HandedBy(const FlatComputation& flat, int node);
  // Of the elements of a tuple (of an array its own), of a computation that is filled.
  std::vector<ValueNumber> ElementsOf(const FlatComputation& flat, int node);
  // What the parameters of computation number `called` of an instruction side by side get of `handed`.
  static GivenNumbers GivenSideBySide(const Instruction& instruction, const std::vector<ValueNumber>& handed);

 private:
  struct View;
  // What a loop's body does with the elements of its tuple.
  struct Carried {
    std::vector<bool> fixed;  // handed on as it is
    std::vector<int> steps;   // by element: how many tell it apart from all others
    int steps_of_condition = 0;
    bool known = false;       // else there is too much of it
  };
  std::vector<ValueNumber> Evaluate(const FlatComputation& flat, const GivenNumbers* given, std::vector<ValueNumber>* results);
  ValueNumber Number(View& view, int node);
  ValueNumber Plain(const View& view, int node, bool with_operands);
  const std::vector<ValueNumber>* Elements(View& view, int node);
  std::vector<ValueNumber> AllElements(View& view, int node);
  HandedNumbers Loop(View& view, int node, std::vector<ValueNumber>* results);
  HandedNumbers SideBySideNumbers(View& view, int node, std::vector<ValueNumber>* results);
  std::vector<ValueNumber> Branches(View& view, int node);
  std::pair<uint64_t, uint64_t> HashOf(const Computation& computation);
  const FlatComputation& Flat(const Computation& computation);
  const Carried& CarriedBy(const Instruction& loop);

  absl::flat_hash_map<const Computation*, std::unique_ptr<FlatComputation>> flats_;
  absl::flat_hash_map<const Computation*, std::pair<uint64_t, uint64_t>> hashes_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Carried>> carried_;
  absl::flat_hash_map<const Instruction*, std::pair<uint64_t, uint64_t>> plain_;
  int depth_ = 0;
  int64_t work_ = 0;  // instructions looked at
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_VALUE_NUMBERS_H_
