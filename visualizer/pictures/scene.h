// What a picture draws, made ready: the instruction with the sizes of its run, its operands and results as arrays with numbers of their own,
// and elements of values in whatever layout they lie. Not for what belongs together (relation.h) and not for drawing (grid.h).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_SCENE_H_
#define HLOSCOPE_VISUALIZER_PICTURES_SCENE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/exec/dynamic.h"
#include "core/literal/scalar.h"
#include "core/shape/layout_map.h"
#include "visualizer/pictures/number_text.h"
#include "visualizer/pictures/picture.h"

namespace hloscope {

// An array of a picture. Elements by their row-major place.
class PictureArray {
 public:
  PictureArray() = default;
  PictureArray(int id, std::string name, Shape shape, Value value);
  int id = 0;         // Cell::array
  bool result = false;  // what the instruction gives, not what it reads; by the number where a picture says nothing else
  std::string name;   // "%x", "%loop[1]"
  Shape shape;        // with the sizes of the run
  bool has_value() const { return value_.has_value(); }
  // Nothing where there is no value yet, or none so large.
  std::optional<Scalar> At(int64_t linear) const;
  std::optional<Scalar> At(absl::Span<const int64_t> index) const { return At(LinearIndex(shape.dimensions(), index)); }
  const Value& value() const { return value_; }

 private:
  Value value_;
  std::shared_ptr<const LayoutMap> map_;  // of what is not dense
};

// Leaves of tuple operands: leaf l of operand i.
inline constexpr int kOperandLeaf = 1 << 16;
inline int OperandArray(int operand, int leaf = 0) { return operand + leaf * kOperandLeaf; }

class PictureScene {
 public:
  // The data outlives the scene. An error says what keeps the instruction from being drawn.
  static absl::StatusOr<PictureScene> Make(const PictureData& data, Captions captions = {});

  const PictureData& data() const { return *data_; }
  const Captions& captions() const { return captions_; }
  const Instruction& instruction() const { return *instruction_; }  // alone, with static sizes, where the program's has others
  const std::vector<PictureArray>& operands() const { return operands_; }  // leaves that are arrays
  const std::vector<PictureArray>& results() const { return results_; }
  const PictureArray* Find(int id) const;
  const PictureArray& operand(int i) const { return *Find(OperandArray(i)); }
  const PictureArray& result(int leaf = 0) const { return *Find(kResultArray + leaf); }
  // The cell names an element of an operand or result.
  bool Has(const Cell& cell) const;
  // "%x[1,2]".
  std::string NameOf(const Cell& cell) const;
  std::vector<std::string> OperandNames() const;  // one an operand, with %
  int64_t unseen_operands = 0;  // beyond those that are drawn

 private:
  const PictureData* data_ = nullptr;
  Captions captions_;
  std::shared_ptr<ConcreteInstruction> concrete_;
  const Instruction* instruction_ = nullptr;
  std::vector<PictureArray> operands_, results_;
};

// "[1,2]", "" of a scalar.
std::string IndexText(absl::Span<const int64_t> index);
// Exact, and with the sign of a NaN, which elsewhere is left out: most operations say nothing about it.
std::string SignedText(const Scalar& s);
bool HasSignedNan(const Scalar& s);  // a NaN of a type that gives it a sign, with a minus
// Its place on a colour scale: complex numbers by their size; nothing of NaN.
std::optional<double> HeatOf(const Scalar& s);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_SCENE_H_
