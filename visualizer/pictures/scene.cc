#include "visualizer/pictures/scene.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {
namespace {

constexpr int kMostArrays = 400;  // of a side; more are counted

bool IsDynamic(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() && shape.has_dynamic_dimension();
  for (const Shape& element : shape.tuple_shapes()) {
    if (IsDynamic(element)) return true;
  }
  return false;
}

// Without dimensions that only the run knows: the value's, where there is one; else the bounds.
Shape SizesOf(const Shape& written, const Value& value) {
  if (!written.IsArray()) return value.has_value() ? value.shape() : written;
  if (written.has_dynamic_dimension() && value.has_value()) return value.shape();
  std::vector<int64_t> dims;
  for (int64_t d : written.dimensions()) dims.push_back(d < 0 ? 0 : d);
  return Shape::Array(written.element_type(), dims);
}

void AddLeaves(const Shape& shape, const Value& value, const std::string& name, const std::function<int(int)>& id, std::vector<PictureArray>* arrays) {
  const int leaves = LeafCountOf(shape);
  for (int leaf = 0; leaf < leaves && static_cast<int>(arrays->size()) < kMostArrays; ++leaf) {
    const Shape& written = LeafShape(shape, leaf);
    if (!written.IsArray()) continue;
    const Value of_leaf = value.has_value() ? LeafOf(value, leaf) : Value();
    arrays->emplace_back(id(leaf), absl::StrCat(name, LeafPathText(shape, leaf)), SizesOf(written, of_leaf), of_leaf);
  }
}

}  // namespace

PictureArray::PictureArray(int id, std::string name, Shape shape, Value value) : id(id), result(id >= kResultArray && id < kOwnArray), name(std::move(name)), shape(std::move(shape)), value_(std::move(value)) {
  if (value_.has_value() && !value_.IsDense()) map_ = std::make_shared<const LayoutMap>(value_.shape());
}

std::optional<Scalar> PictureArray::At(int64_t linear) const {
  if (!value_.has_value() || linear < 0 || linear >= shape.ElementCount()) return std::nullopt;
  std::vector<int64_t> index(shape.rank());
  if (map_ != nullptr || value_.shape().dimensions() != shape.dimensions()) {
    DelinearizeIndex(shape.dimensions(), linear, absl::MakeSpan(index));
    for (int d = 0; d < shape.rank(); ++d) {
      if (d >= value_.shape().rank() || index[d] >= value_.shape().dim(d)) return std::nullopt;
    }
    if (map_ != nullptr) return PhysicalElement(value_, map_->PhysicalOf(index));
    linear = LinearIndex(value_.shape().dimensions(), index);
  }
  const ElementType type = value_.shape().element_type();
  return LoadScalar(type, value_.data() + linear * StorageBytes(type));
}

absl::StatusOr<PictureScene> PictureScene::Make(const PictureData& data, Captions captions) {
  if (data.instruction == nullptr) return absl::InvalidArgumentError("there is no instruction to draw");
  PictureScene scene;
  scene.captions_ = std::move(captions);
  scene.data_ = &data;
  scene.instruction_ = data.instruction;
  const Instruction& i = *data.instruction;
  const auto value_of = [&](size_t k) { return k < data.operands.size() ? data.operands[k] : Value(); };
  bool dynamic = IsDynamic(i.shape), all = true;
  std::vector<Shape> shapes;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    dynamic = dynamic || IsDynamic(i.operands[k]->shape);
    all = all && value_of(k).has_value();
    shapes.push_back(SizesOf(i.operands[k]->shape, value_of(k)).WithoutLayouts());
  }
  // The operation with the sizes that the operands have in this run. Where they are not known, or nothing follows, the bounds are drawn.
  if (dynamic && all && !i.operands.empty()) {
    absl::StatusOr<std::unique_ptr<ConcreteInstruction>> concrete = MakeConcrete(i, shapes, data.result.has_value() ? &data.result.shape() : nullptr);
    if (concrete.ok()) {
      scene.concrete_ = *std::move(concrete);
      scene.instruction_ = scene.concrete_->instruction;
    }
  }
  for (size_t k = 0; k < i.operands.size(); ++k) {
    const int operand = static_cast<int>(k);
    if (static_cast<int>(scene.operands_.size()) >= kMostArrays || operand >= kResultArray) {
      ++scene.unseen_operands;
      continue;
    }
    AddLeaves(scene.instruction_->operands[k]->shape, value_of(k), ShownName(*i.operands[k]), [&](int leaf) { return OperandArray(operand, leaf); },
              &scene.operands_);
  }
  AddLeaves(scene.instruction_->shape, data.result, ShownName(i), [](int leaf) { return kResultArray + leaf; }, &scene.results_);
  return scene;
}

const PictureArray* PictureScene::Find(int id) const {
  for (const std::vector<PictureArray>* side : {&operands_, &results_}) {
    for (const PictureArray& array : *side) {
      if (array.id == id) return &array;
    }
  }
  return nullptr;
}

bool PictureScene::Has(const Cell& cell) const {
  const PictureArray* array = Find(cell.array);
  if (array == nullptr || static_cast<int>(cell.index.size()) != array->shape.rank()) return false;
  for (size_t d = 0; d < cell.index.size(); ++d) {
    if (cell.index[d] < 0 || cell.index[d] >= array->shape.dim(static_cast<int>(d))) return false;
  }
  return true;
}

std::string PictureScene::NameOf(const Cell& cell) const {
  const PictureArray* array = Find(cell.array);
  return absl::StrCat(array != nullptr ? array->name : "?", IndexText(cell.index));
}

std::vector<std::string> PictureScene::OperandNames() const {
  std::vector<std::string> names;
  for (const Instruction* operand : data_->instruction->operands) names.push_back(ShownName(*operand));
  return names;
}

std::string IndexText(absl::Span<const int64_t> index) { return index.empty() ? "" : absl::StrCat("[", absl::StrJoin(index, ","), "]"); }

std::string SignedText(const Scalar& s) { return HasSignedNan(s) ? "-nan" : ToText(s); }

bool HasSignedNan(const Scalar& s) {
  if (!IsFloat(s.type) || !std::isnan(s.re) || !std::signbit(s.re)) return false;
  // Where the sign alone is the code of the NaN it is no sign.
  return s.type != ElementType::kF8E4M3FNUZ && s.type != ElementType::kF8E5M2FNUZ && s.type != ElementType::kF8E4M3B11FNUZ;
}

std::optional<double> HeatOf(const Scalar& s) {
  double x = 0;
  if (IsFloat(s.type)) {
    x = s.re;
  } else if (IsComplex(s.type)) {
    x = std::abs(s.c());
  } else {
    x = IsUnsigned(s.type) ? static_cast<double>(s.u()) : static_cast<double>(s.i);
  }
  if (std::isnan(x)) return std::nullopt;
  return x;
}

}  // namespace hloscope
