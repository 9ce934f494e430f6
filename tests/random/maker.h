// The generator's hands: picks random types, sizes and operands, and adds nodes to a computation. Which operations there are to choose from
// stands in generate_*.cc.
#ifndef HLOSCOPE_TESTS_RANDOM_MAKER_H_
#define HLOSCOPE_TESTS_RANDOM_MAKER_H_

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/random/program.h"

namespace hloscope {

using Sizes = std::vector<int64_t>;
inline Sizes SizesOf(const Shape& s) { return Sizes(s.dimensions().begin(), s.dimensions().end()); }

struct Dice {
  std::mt19937_64 engine;
  explicit Dice(uint64_t seed) : engine(seed * 0x9E3779B97F4A7C15u + 12345) {}
  int64_t Below(int64_t n) { return n <= 0 ? 0 : static_cast<int64_t>(engine() % static_cast<uint64_t>(n)); }
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  bool One(int64_t n) { return Below(n) == 0; }  // one in n
  template <typename T>
  const T& Of(const std::vector<T>& list) { return list[Below(static_cast<int64_t>(list.size()))]; }
};

class Maker {
 public:
  Maker(Prog& program, Dice& dice, std::string name, int depth) : program_(program), dice_(dice), depth_(depth) { comp_.name = std::move(name); }

  // Adds `count` random operations after what is there.
  void Grow(int count);
  int Parameter(const Shape& shape);  // of the entry: with an id; else the next number
  int Add(std::string op, const Shape& shape, std::vector<int> operands, std::string attributes = "");
  int Constant(ElementType type, const std::string& scalar_text);
  Comp Finish(int root) {
    comp_.root = root;
    return std::move(comp_);
  }
  const Shape& shape(int k) const { return comp_.nodes[k].shape; }
  void Begin();  // a parameter of random type and sizes
  // A root of the last arrays that nobody has used.
  int MakeRoot();
  // Some node of the type and sizes: one that is there, or made of what is there, or a new source.
  int Make(ElementType type, const Sizes& sizes);
  int SomeArray();                                        // any array node, the recent more often
  int SomeArray(const std::function<bool(const Shape&)>& wanted);  // -1: none found
  bool is_entry() const { return depth_ == 0; }

 private:
  friend class Operations;
  Sizes RandomSizes(int max_rank);
  ElementType RandomType();
  Shape Dressed(const Shape& shape);  // with random layouts
  int Source(ElementType type, const Sizes& sizes);
  void UnpackTuple(int k);

  // generate_elementwise.cc
  bool Elementwise();
  bool Comparing();
  bool Converting();
  // generate_movement.cc
  bool Movement();
  bool Indexed();
  // generate_folds.cc
  bool Folding();
  bool Windowed();
  bool Ordering();
  bool Scanning();
  // generate_products.cc
  bool Products();
  bool Linear();
  bool Ragged();
  // generate_control.cc
  bool Control();
  bool Plumbing();
  // generate_outside.cc
  bool Outside();
  // generate_bounded.cc
  bool Bounded();
  int BoundedStep(int x);  // something made of a bounded array: another one, or -1

  // A computation of scalars: name of one that is made for it. `types` are those of its parameters.
  std::string Reducer(const std::vector<ElementType>& types);  // (a0.., b0..) -> (r0..)
  std::string Comparator(const std::vector<ElementType>& types);
  std::string ScalarFunction(const std::vector<ElementType>& parameters, ElementType result);
  std::string NewName(const std::string& what);
  // A computation of arrays with these parameters and this result.
  std::string SubComputation(const std::vector<Shape>& parameters, const Shape& result, int operations, bool feeds = true);
  int Coerced(const Shape& result);  // in this computation; tuples too

  Prog& program_;
  Dice& dice_;
  int depth_;
  Comp comp_;
  int parameters_ = 0;
  bool feeds_ = true;  // infeed and outfeed may stand here: items come and go in the order of the program
  std::vector<char> used_;
};

std::string Braces(const std::vector<int64_t>& list);
bool IsFunnyType(ElementType type);  // no zero and no sign: arithmetic means little
std::vector<ElementType> TypesWhere(bool (*wanted)(ElementType));

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_RANDOM_MAKER_H_
