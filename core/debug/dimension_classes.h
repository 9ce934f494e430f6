// Which dimensions of a program's arrays change their sizes together: those that an operation reads with one index. So a matrix may lose rows
// and keep its columns, though there are as many. Whether the program still fits together with other sizes is for the verifier to say.
#ifndef HLOSCOPE_CORE_DEBUG_DIMENSION_CLASSES_H_
#define HLOSCOPE_CORE_DEBUG_DIMENSION_CLASSES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/ir/module.h"

namespace hloscope {

class DimensionClasses {
 public:
  // Of all computations. Must not outlive the module.
  explicit DimensionClasses(const Module& module);

  // Of a dimension of an instruction; where its result is a tuple, the dimensions of all of its arrays are counted on.
  int Of(const Instruction& instruction, int dimension) const;
  // Whether some dimension that the instruction reads or makes is in the class.
  bool Meets(const Instruction& instruction, int of_class) const;
  // Whether dimension `dimension` of operand 0 or of the result is.
  bool MeetsAt(const Instruction& instruction, int dimension, int of_class) const;

  // Classes of a size above 1, in program order, with that size: all, or (`shared`) those whose size another class has too.
  std::vector<std::pair<int, int64_t>> All(bool shared) const;

 private:
  struct Range {
    int first = 0, count = 0;  // nodes
    const Shape* shape = nullptr;
  };
  Range Whole(const Instruction& instruction) const;
  static Range Part(const Range& tuple, int64_t k);
  int AddNode();
  int Find(int node);
  void Join(int a, int b);
  void JoinAll(const Range& a, const Range& b);
  void Relate(const Instruction& instruction);
  void RelateCalled(const Instruction& instruction);
  bool RelateTuple(const Instruction& instruction);
  void RelateProgram(const Instruction& instruction, std::vector<bool>* related);
  void RelateRest(const Instruction& instruction, const std::vector<bool>& related);

  std::vector<int> parent_;     // by node; the class, once all are joined
  std::vector<int64_t> sizes_;  // by node; 0 of those that stand for an index of a program
  absl::flat_hash_map<const Instruction*, int> first_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_DIMENSION_CLASSES_H_
