// Operations that move blocks: concatenate, pad, transpose, dynamic-update-slice. They copy rows of memory, whatever the element type;
// an element-by-element select would cost ten times as much.
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/kernels/rows.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

absl::Status NoMemory(const Shape& shape) { return absl::ResourceExhaustedError(absl::StrCat("no memory for ", shape.ToString(false))); }

class ConcatenateKernel : public LibraryKernel {
 public:
  ConcatenateKernel(Shape shape, int dimension, ThreadPool& pool) : shape_(std::move(shape)), dimension_(dimension), pool_(pool) {}
  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    Value result = Value::Allocate(shape_, context.account);
    if (!result.has_value()) return NoMemory(shape_);
    const std::vector<int64_t> strides = RowMajorStrides(shape_.dimensions());
    const int64_t bytes = StorageBytes(shape_.element_type());
    int64_t at = 0;
    for (const Value& operand : operands) {
      const absl::Span<const int64_t> extents = operand.shape().dimensions();
      CopyBlock(operand.data(), RowMajorStrides(extents), result.mutable_data() + at * strides[dimension_] * bytes, strides, extents, bytes,
                pool_);
      at += extents[dimension_];
    }
    return result;
  }
  std::string description() const override { return "copy of blocks (concatenate)"; }

 private:
  const Shape shape_;
  const int dimension_;
  ThreadPool& pool_;
};

void Fill(std::byte* target, int64_t count, const std::byte* element, int64_t bytes, ThreadPool& pool) {
  pool.ParallelFor(count, (int64_t{256} << 10) / bytes, [&](int64_t begin, int64_t end) {
    std::byte* at = target + begin * bytes;
    const int64_t size = (end - begin) * bytes;
    std::memcpy(at, element, bytes);
    for (int64_t done = bytes; done < size; done *= 2) std::memcpy(at + done, at, std::min(done, size - done));
  });
}

class PadKernel : public LibraryKernel {
 public:
  PadKernel(Shape shape, std::vector<PaddingDimension> padding, ThreadPool& pool)
      : shape_(std::move(shape)), padding_(std::move(padding)), pool_(pool) {}
  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    Value result = Value::Allocate(shape_, context.account);
    if (!result.has_value()) return NoMemory(shape_);
    if (result.element_count() == 0) return result;
    const int64_t bytes = StorageBytes(shape_.element_type());
    Fill(result.mutable_data(), result.element_count(), operands[1].data(), bytes, pool_);
    const Shape& from = operands[0].shape();
    std::vector<int64_t> source = RowMajorStrides(from.dimensions()), target = RowMajorStrides(shape_.dimensions()), extents;
    int64_t source_offset = 0, target_offset = 0;
    for (int d = 0; d < shape_.rank(); ++d) {
      const int64_t step = padding_[d].interior + 1, low = padding_[d].low;
      const int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
      const int64_t room = shape_.dim(d) - 1 - low;  // last operand index with low + i * step inside
      const int64_t last = room < 0 ? -1 : std::min(from.dim(d) - 1, room / step);
      extents.push_back(std::max<int64_t>(0, last - first + 1));
      source_offset += first * source[d];
      target_offset += (low + first * step) * target[d];
      target[d] *= step;
    }
    for (int64_t e : extents) {
      if (e == 0) return result;
    }
    CopyBlock(operands[0].data() + source_offset * bytes, source, result.mutable_data() + target_offset * bytes, target, extents, bytes,
              pool_);
    return result;
  }
  std::string description() const override { return "copy of blocks (pad)"; }

 private:
  const Shape shape_;
  const std::vector<PaddingDimension> padding_;
  ThreadPool& pool_;
};

class TransposeKernel : public LibraryKernel {
 public:
  TransposeKernel(Shape shape, std::vector<int64_t> permutation, ThreadPool& pool)
      : shape_(std::move(shape)), permutation_(std::move(permutation)), pool_(pool) {}
  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    Value result = Value::Allocate(shape_, context.account);
    if (!result.has_value()) return NoMemory(shape_);
    const std::vector<int64_t> from = RowMajorStrides(operands[0].shape().dimensions());
    std::vector<int64_t> strides;
    for (int64_t d : permutation_) strides.push_back(from[d]);
    GatherStrided(operands[0].data(), result.mutable_data(), shape_.dimensions(), strides, StorageBytes(shape_.element_type()), pool_);
    return result;
  }
  std::string description() const override { return "tiled transpose"; }

 private:
  const Shape shape_;
  const std::vector<int64_t> permutation_;
  ThreadPool& pool_;
};

class UpdateKernel : public LibraryKernel {
 public:
  UpdateKernel(Shape shape, ThreadPool& pool) : shape_(std::move(shape)), pool_(pool) {}
  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    const int64_t bytes = StorageBytes(shape_.element_type());
    const Value update = operands[1];
    const absl::Span<const int64_t> extents = update.shape().dimensions();
    const std::vector<int64_t> strides = RowMajorStrides(shape_.dimensions());
    int64_t offset = 0;
    for (int d = 0; d < shape_.rank(); ++d) {
      const Scalar s = LoadScalar(operands[2 + d].shape().element_type(), operands[2 + d].data());
      const int64_t room = shape_.dim(d) - extents[d];
      const bool beyond = s.type == ElementType::kU64 && s.i < 0;
      offset += (beyond ? room : std::clamp<int64_t>(s.i, 0, room)) * strides[d];
    }
    Value result;
    if (operands[0].unique()) {
      result = std::move(operands[0]).WithShape(shape_);
      operands[0] = Value();
    } else {
      result = Value::Allocate(shape_, context.account);
      if (!result.has_value()) return NoMemory(shape_);
      constexpr int64_t kRow = int64_t{256} << 10;
      pool_.ParallelFor(result.byte_size(), kRow, [&](int64_t begin, int64_t end) {
        std::memcpy(result.mutable_data() + begin, operands[0].data() + begin, end - begin);
      });
    }
    CopyBlock(update.data(), RowMajorStrides(extents), result.mutable_data() + offset * bytes, strides, extents, bytes, pool_);
    return result;
  }
  std::string description() const override {
    return "copy of a block (dynamic-update-slice, in place when the operand is not needed again)";
  }

 private:
  const Shape shape_;
  ThreadPool& pool_;
};

bool PlainArray(const Shape& shape) { return shape.IsArray() && !shape.has_dynamic_dimension(); }

}  // namespace

bool MatchConcatenate(const Instruction& i) {
  for (const Instruction* operand : i.operands) {
    if (!PlainArray(operand->shape)) return false;
  }
  return PlainArray(i.shape) && i.Ints(AttrId::kDimensions).size() == 1;
}
std::unique_ptr<LibraryKernel> MakeConcatenate(const Instruction& i, ThreadPool& pool) {
  return std::make_unique<ConcatenateKernel>(i.shape, static_cast<int>(i.Ints(AttrId::kDimensions)[0]), pool);
}

bool MatchPad(const Instruction& i) {
  if (!PlainArray(i.shape) || !PlainArray(i.operands[0]->shape) || static_cast<int>(i.GetPadding().size()) != i.shape.rank()) return false;
  for (const PaddingDimension& p : i.GetPadding()) {
    if (p.interior < 0) return false;
  }
  return true;
}
std::unique_ptr<LibraryKernel> MakePad(const Instruction& i, ThreadPool& pool) {
  return std::make_unique<PadKernel>(i.shape, std::vector<PaddingDimension>(i.GetPadding().begin(), i.GetPadding().end()), pool);
}

bool MatchTranspose(const Instruction& i) {
  return PlainArray(i.shape) && static_cast<int>(i.Ints(AttrId::kDimensions).size()) == i.shape.rank();
}
std::unique_ptr<LibraryKernel> MakeTranspose(const Instruction& i, ThreadPool& pool) {
  const absl::Span<const int64_t> permutation = i.Ints(AttrId::kDimensions);
  return std::make_unique<TransposeKernel>(i.shape, std::vector<int64_t>(permutation.begin(), permutation.end()), pool);
}

std::unique_ptr<LibraryKernel> MakePermutation(const Shape& result, std::vector<int64_t> permutation, ThreadPool& pool) {
  return std::make_unique<TransposeKernel>(result, std::move(permutation), pool);
}

bool MatchDynamicUpdateSlice(const Instruction& i) {
  if (!PlainArray(i.shape) || !PlainArray(i.operands[1]->shape) || static_cast<int>(i.operands.size()) != 2 + i.shape.rank()) return false;
  for (size_t k = 2; k < i.operands.size(); ++k) {
    if (!i.operands[k]->shape.IsScalar()) return false;
  }
  return true;
}
std::unique_ptr<LibraryKernel> MakeDynamicUpdateSlice(const Instruction& i, ThreadPool& pool) {
  return std::make_unique<UpdateKernel>(i.shape, pool);
}

}  // namespace hloscope
