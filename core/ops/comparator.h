// A sort's comparator made fast: its expression, split into what depends on one side only (computed once an element) and the rest.
// Not for computations outside this class (complex numbers, calls that do not inline): those return nothing here.
#ifndef HLOSCOPE_CORE_OPS_COMPARATOR_H_
#define HLOSCOPE_CORE_OPS_COMPARATOR_H_

#include <memory>
#include <optional>
#include <vector>

#include "core/ops/op.h"

namespace hloscope {

class Comparator {
 public:
  // Parameters 2k and 2k+1 of `computation` are the left and right element of operand k, of type `types[k]`.
  static std::optional<Comparator> Make(const Computation& computation, absl::Span<const ElementType> types);

  // The order when it is one comparison of an operand's own elements, as they are: less or greater, of all bit patterns or of numbers.
  struct Plain {
    int operand;
    bool less, total;
  };
  std::optional<Plain> plain() const;

  // Loads one line of n elements: operand k's element e is at data[k] + e * stride elements.
  void Load(absl::Span<const std::byte* const> data, int64_t n, int64_t stride);
  // "Element a of the line stands before element b", after Load.
  bool Less(int64_t a, int64_t b);
  // When the comparator orders this line first by one key (the same function of both elements): fills `keys` so that ascending unsigned
  // order is that order (and below 2^32 for types of up to 32 bits). `*whole` says that elements of equal keys are equal to the comparator;
  // else Less decides among them. False when the comparator is of another form or the line's keys are not ordered by it (NaNs under a plain
  // <).
  bool Keys(std::vector<uint64_t>* keys, bool* whole) const;

 private:
  enum class Side : uint8_t { kConstant, kLeft, kRight, kBoth };
  union Cell {
    int64_t i;
    double f;
  };
  struct Step {
    NodeKind kind;
    ScalarOp op;
    ElementType type;  // of the result
    ElementType from;  // of the first input
    Side side;
    int operand = -1;  // argument: which
    int in[3] = {-1, -1, -1};
    Cell constant{};
    std::vector<Cell> column;  // kLeft, kRight: by element, after Load
  };
  Cell Apply(const Step& s, Cell a, Cell b, Cell c) const;
  void FillColumn(Step& s) const;
  Cell At(int step, int64_t left, int64_t right) const;
  bool KeysOf(const Step& comparison, bool strict_zeros, std::vector<uint64_t>* keys) const;

  std::vector<Step> steps_;
  std::vector<int> both_;  // steps of both sides, in order
  std::vector<Cell> now_;  // their values
  std::vector<ElementType> types_;
  int root_ = -1;
  int64_t n_ = 0;
};

// Bits of a total order: ascending unsigned order is -NaN < -inf < ... < -0 < +0 < ... < +NaN.
uint64_t TotalOrderKey(double v);
uint32_t TotalOrderKey(float v);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_COMPARATOR_H_
