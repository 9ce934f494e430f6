// A random program as data that can be cut and simplified: computations of nodes, printed as HLO text. Not a Module: nothing here is checked,
// so that the shrinker may try what does not hold together.
#ifndef HLOSCOPE_TESTS_RANDOM_PROGRAM_H_
#define HLOSCOPE_TESTS_RANDOM_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/shape/shape.h"
#include "tests/random/harness.h"

namespace hloscope {

struct ProgNode {
  std::string op;             // as in HLO text
  Shape shape;                // with the layout to print
  std::vector<int> operands;  // positions in the computation
  std::string attributes;     // ", dimensions={0}, to_apply=f3"
  std::string literal;        // of a constant: its text; of a parameter of a called computation: its number
  int id = 0;                 // of a parameter of the entry: what its values are made from
};

struct Comp {
  std::string name;
  std::vector<ProgNode> nodes;
  int root = -1;
};

struct Prog {
  std::vector<Comp> computations;  // callees first, the entry last
  uint64_t seed = 0;
  Inputs inputs = Inputs::kSmall;
  bool large = false;  // some sizes beyond what small loops and vectors take
  Comp& entry() { return computations.back(); }
  const Comp& entry() const { return computations.back(); }
};

std::string Text(const Prog& program);
// Without nodes that the root does not need and computations that nobody calls. Parameters of called computations stay.
Prog WithoutDeadCode(const Prog& program);
// The values of the entry's parameters, each from its node's id.
std::vector<Value> ArgumentsOf(const Prog& program, const Module& module);

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_RANDOM_PROGRAM_H_
