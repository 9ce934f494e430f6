// dot: dimension numbers become batches of one matrix product. Operands are read where they lie whenever each of their three groups of
// dimensions (batch, free, contracting) steps evenly through memory; otherwise a dense copy is made first. f16, and bf16 where the host
// has no instructions for it, are widened to f32 and the sums rounded once: small products of a batch each on the thread that computes it.
#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/kernels/convert.h"
#include "backends/jit_cpu/kernels/gemm.h"
#include "backends/jit_cpu/kernels/packed_operands.h"
#include "backends/jit_cpu/kernels/rows.h"
#include "core/shape/layout_util.h"

namespace hloscope {
namespace {

constexpr int64_t kSmallFlops = 16384;  // below: a generic loop costs less than the call
constexpr int64_t kNearBytes = int64_t{1} << 20;  // of widened operands: they stay in a core's own cache

// Extents and strides of one group of dimensions, and the single stride that walks them all in order, if there is one.
struct Group {
  std::vector<int64_t> extents, strides;
  int64_t count = 1;
  void Add(int64_t extent, int64_t stride) {
    extents.push_back(extent);
    strides.push_back(stride);
    count *= extent;
  }
  std::optional<int64_t> Step() const {
    int64_t step = 1, covered = 1;
    bool any = false;
    for (size_t i = extents.size(); i-- > 0;) {
      if (extents[i] == 1) continue;
      if (!any) {
        step = strides[i];
        any = true;
      } else if (strides[i] != step * covered) {
        return std::nullopt;
      }
      covered *= extents[i];
    }
    return step;
  }
};

struct Side {
  Group batch, free, contracting;
  bool copy = false;
  int64_t free_step = 0, contracting_step = 0;
};

struct Problem {
  Side lhs, rhs;
  ElementType in, out, compute;  // compute: what the library is given
  int64_t batch = 1, m = 1, n = 1, k = 1;
};

bool Contains(absl::Span<const int64_t> list, int64_t x) { return std::find(list.begin(), list.end(), x) != list.end(); }

Side MakeSide(const Shape& shape, absl::Span<const int64_t> batch, absl::Span<const int64_t> contracting) {
  const std::vector<int64_t> strides = MemoryStrides(shape).value_or(RowMajorStrides(shape.dimensions()));
  Side side;
  for (int64_t d : batch) side.batch.Add(shape.dim(d), strides[d]);
  for (int64_t d : contracting) side.contracting.Add(shape.dim(d), strides[d]);
  for (int d = 0; d < shape.rank(); ++d) {
    if (!Contains(batch, d) && !Contains(contracting, d)) side.free.Add(shape.dim(d), strides[d]);
  }
  return side;
}

// What the library computes in; nullopt: not for the library.
std::optional<ElementType> ComputeType(ElementType in, ElementType out) {
  if (Gemm::Supports(in, out)) return in;
  const bool narrow_in = in == ElementType::kF16 || in == ElementType::kBF16;
  if (narrow_in && (out == in || out == ElementType::kF32)) return ElementType::kF32;
  return std::nullopt;
}

std::optional<Problem> Match(const Instruction& i) {
  if (!i.shape.IsArray() || i.operands.size() != 2 || i.Has(AttrId::kLhsRaggedDims)) return std::nullopt;
  const Shape& lhs = i.operands[0]->shape;
  const Shape& rhs = i.operands[1]->shape;
  if (!lhs.IsArray() || !rhs.IsArray() || lhs.element_type() != rhs.element_type()) return std::nullopt;
  const std::optional<ElementType> compute = ComputeType(lhs.element_type(), i.shape.element_type());
  if (!compute) return std::nullopt;
  std::vector<int64_t> lc(i.Ints(AttrId::kLhsContractingDims).begin(), i.Ints(AttrId::kLhsContractingDims).end());
  std::vector<int64_t> rc(i.Ints(AttrId::kRhsContractingDims).begin(), i.Ints(AttrId::kRhsContractingDims).end());
  if (lc.size() != rc.size()) return std::nullopt;
  // The order in which contracting dimensions are walked is free: take the lhs's memory order, which merges most often.
  std::vector<size_t> order(lc.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lc[a] < lc[b]; });
  std::vector<int64_t> lhs_contracting, rhs_contracting;
  for (size_t d : order) lhs_contracting.push_back(lc[d]), rhs_contracting.push_back(rc[d]);
  Problem p;
  p.in = lhs.element_type();
  p.out = i.shape.element_type();
  p.compute = *compute;
  p.lhs = MakeSide(lhs, i.Ints(AttrId::kLhsBatchDims), lhs_contracting);
  p.rhs = MakeSide(rhs, i.Ints(AttrId::kRhsBatchDims), rhs_contracting);
  p.batch = p.lhs.batch.count;
  p.m = p.lhs.free.count;
  p.n = p.rhs.free.count;
  p.k = p.lhs.contracting.count;
  if (p.batch * p.m * p.n * p.k == 0 || 2 * p.batch * p.m * p.n * p.k < kSmallFlops) return std::nullopt;
  // Nothing to sum: a loop over pairs is as fast, and keeps denormals, which the instructions for bf16 take as zeros.
  if (p.k == 1 && p.compute == ElementType::kBF16) return std::nullopt;
  // Many tiny products: the call costs more than the product.
  if (2 * p.m * p.n * p.k < 256) return std::nullopt;
  for (Side* side : {&p.lhs, &p.rhs}) {
    const std::optional<int64_t> free = side->free.Step(), contracting = side->contracting.Step();
    if (free && contracting && (*free == 1 || *contracting == 1 || side->free.count == 1 || side->contracting.count == 1) &&
        p.compute == p.in) {
      side->free_step = *free;
      side->contracting_step = *contracting;
      // A stride along an extent of 1 is whatever the copy-free form needs.
      if (side->contracting.count == 1) side->contracting_step = 1;
      if (side->free.count == 1 && side->contracting_step != 1) side->free_step = 1;
    } else {
      side->copy = true;
    }
  }
  // Dense copies: [batch, free, contracting] for the left, [batch, contracting, free] for the right.
  if (p.lhs.copy) p.lhs.free_step = p.k, p.lhs.contracting_step = 1;
  if (p.rhs.copy) p.rhs.free_step = 1, p.rhs.contracting_step = p.n;
  return p;
}

class DotKernel : public LibraryKernel {
 public:
  static std::unique_ptr<LibraryKernel> Make(const Instruction& i, ThreadPool& pool) {
    std::optional<Problem> problem = Match(i);
    if (!problem) return nullptr;
    const Problem& p = *problem;
    GemmShape shape;
    shape.m = p.m, shape.n = p.n, shape.k = p.k, shape.batch = p.batch;
    shape.a_row = p.lhs.free_step, shape.a_column = p.lhs.contracting_step;
    shape.b_row = p.rhs.contracting_step, shape.b_column = p.rhs.free_step;
    shape.c_row = p.n;
    shape.in = p.compute;
    shape.out = p.compute == p.in ? p.out : ElementType::kF32;
    Even(p, &shape);
    std::unique_ptr<Gemm> gemm = Gemm::Make(shape);
    if (gemm == nullptr) return nullptr;
    return std::unique_ptr<LibraryKernel>(new DotKernel(i.shape, *std::move(problem), shape, std::move(gemm), pool));
  }

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    Value result = Value::Allocate(result_, context.account);
    if (!result.has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for ", result_.ToString(false)));
    if (OneByOne()) {
      RunOneByOne(context, operands, result.mutable_data());
      return result;
    }
    const bool widen_out = shape_.out != p_.out;
    absl::StatusOr<Value> lhs = Ready(context, p_.lhs, operands[0], true);
    if (!lhs.ok()) return lhs.status();
    const int64_t rows = gemm_->row_tiles(), columns = gemm_->column_tiles();
    const int64_t in_bytes = StorageBytes(shape_.in), out_bytes = StorageBytes(shape_.out), packed_bytes = gemm_->packed_bytes();
    const std::vector<int64_t> lhs_batch = Offsets(p_.lhs, p_.m * p_.k), rhs_batch = Offsets(p_.rhs, p_.k * p_.n);
    absl::StatusOr<Value> rhs = packed_bytes == 0 && !p_.rhs.copy ? operands[1] : packed_.Get(operands[1], context.account, [&](MemoryAccount* account) {
      return PackRhs({.account = account}, operands[1], rhs_batch);
    });
    if (!rhs.ok()) return rhs.status();
    Value wide = result;
    if (widen_out) wide = Value::Allocate(result_.WithElementType(shape_.out), context.account);
    if (!wide.has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for ", result_.ToString(false)));
    const std::byte* b = rhs->physical_data();
    if (gemm_->group() > 1) {
      const int64_t even = shape_.even, groups = (even + gemm_->group() - 1) / gemm_->group();
      pool_.ParallelFor(p_.batch / even * groups, 1, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) {
          const int64_t batch = t / groups * even;
          gemm_->RunBatch(t % groups * gemm_->group(), lhs->physical_data() + lhs_batch[batch] * in_bytes, b + rhs_batch[batch] * in_bytes,
                          wide.mutable_data() + batch * p_.m * p_.n * out_bytes);
        }
      });
      if (widen_out) ConvertFloats(shape_.out, wide.data(), p_.out, result.mutable_data(), result.element_count(), pool_);
      return result;
    }
    const double tile_flops = 2.0 * p_.batch * p_.m * p_.n * p_.k / (p_.batch * rows * columns);
    const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>((1 << 19) / tile_flops));
    const std::byte* a = lhs->physical_data();
    std::byte* c = wide.mutable_data();
    pool_.ParallelFor(p_.batch * rows * columns, grain, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed)) return;
        // Columns outermost within a batch: neighbours share the slice of B.
        const int64_t batch = t / (rows * columns), column = t % (rows * columns) / rows, row = t % rows;
        gemm_->RunTile(row, column, a + (lhs_batch[batch] + row * gemm_->row_tile() * shape_.a_row) * in_bytes,
                       b + (packed_bytes > 0 ? batch * packed_bytes : rhs_batch[batch] * in_bytes),
                       c + batch * p_.m * p_.n * out_bytes);
      }
    });
    if (widen_out) ConvertFloats(shape_.out, wide.data(), p_.out, result.mutable_data(), result.element_count(), pool_);
    return result;
  }

  bool library_order() const override { return true; }
  bool takes_strides() const override { return true; }
  bool wide_accumulation() const override { return p_.in == ElementType::kBF16 || p_.in == ElementType::kF16; }
  std::string description() const override {
    std::string text = gemm_->description();
    if (p_.batch > 1) absl::StrAppend(&text, ", batch ", p_.batch);
    if (OneByOne()) absl::StrAppend(&text, ", one by one");
    else if (p_.lhs.copy) absl::StrAppend(&text, ", lhs copied");
    if (p_.rhs.copy && !OneByOne()) absl::StrAppend(&text, ", rhs copied");
    if (p_.compute != p_.in) absl::StrAppend(&text, ", ", Name(p_.in), " through f32");
    return text;
  }

 private:
  DotKernel(Shape result, Problem p, GemmShape shape, std::unique_ptr<Gemm> gemm, ThreadPool& pool)
      : result_(std::move(result)), p_(std::move(p)), shape_(shape), gemm_(std::move(gemm)), pool_(pool) {}

  // How many of the innermost batches lie evenly on both sides (the result is dense).
  static void Even(const Problem& p, GemmShape* shape) {
    const std::vector<int64_t>& extents = p.lhs.batch.extents;
    shape->even = 1;
    shape->c_batch = p.m * p.n;
    if (p.lhs.copy) shape->a_batch = p.m * p.k;
    if (p.rhs.copy) shape->b_batch = p.k * p.n;
    bool any = false;
    for (size_t d = extents.size(); d-- > 0;) {
      if (extents[d] == 1) continue;
      if (!any) {
        if (!p.lhs.copy) shape->a_batch = p.lhs.batch.strides[d];
        if (!p.rhs.copy) shape->b_batch = p.rhs.batch.strides[d];
        any = true;
      } else if ((!p.lhs.copy && p.lhs.batch.strides[d] != shape->a_batch * shape->even) ||
                 (!p.rhs.copy && p.rhs.batch.strides[d] != shape->b_batch * shape->even)) {
        return;
      }
      shape->even *= extents[d];
    }
  }

  // Element offset of each batch in the operand as the library reads it.
  std::vector<int64_t> Offsets(const Side& side, int64_t dense) const {
    if (!side.copy) return OwnOffsets(side);
    std::vector<int64_t> offsets(p_.batch);
    for (int64_t i = 0; i < p_.batch; ++i) offsets[i] = i * dense;
    return offsets;
  }

  // And in the operand as it lies.
  std::vector<int64_t> OwnOffsets(const Side& side) const {
    std::vector<int64_t> offsets(p_.batch), index(side.batch.extents.size());
    for (int64_t i = 0; i < p_.batch; ++i) {
      DelinearizeIndex(side.batch.extents, i, absl::MakeSpan(index));
      for (size_t d = 0; d < index.size(); ++d) offsets[i] += index[d] * side.batch.strides[d];
    }
    return offsets;
  }

  // One matrix of an operand, in rows as the library wants them, from an operand as it lies.
  struct Matrix {
    std::vector<int64_t> extents, strides;
    int64_t count;
    bool dense;
  };

  static Matrix MakeMatrix(const Side& side, bool lhs) {
    Matrix matrix;
    for (const Group* group : {lhs ? &side.free : &side.contracting, lhs ? &side.contracting : &side.free}) {
      matrix.extents.insert(matrix.extents.end(), group->extents.begin(), group->extents.end());
      matrix.strides.insert(matrix.strides.end(), group->strides.begin(), group->strides.end());
    }
    matrix.count = side.free.count * side.contracting.count;
    matrix.dense = matrix.strides == RowMajorStrides(matrix.extents);
    return matrix;
  }

  // Bytes of one product with all its matrices widened, and of one narrow matrix brought in order.
  int64_t WideBytes() const { return (p_.m * p_.k + p_.k * p_.n + p_.m * p_.n) * 4 + gemm_->packed_bytes(); }
  int64_t NarrowBytes() const { return std::max(p_.m * p_.k, p_.k * p_.n) * StorageBytes(p_.in); }

  bool OneByOne() const {
    return p_.compute != p_.in && p_.batch > 1 && gemm_->group() == 1 && gemm_->row_tiles() * gemm_->column_tiles() == 1 &&
           WideBytes() + NarrowBytes() <= kNearBytes;
  }

  // Each product on one thread, from its narrow operands to its narrow result.
  void RunOneByOne(const RunContext& context, const std::vector<Value>& operands, std::byte* result) const {
    const std::vector<int64_t> lhs_batch = OwnOffsets(p_.lhs), rhs_batch = OwnOffsets(p_.rhs);
    const Matrix lhs = MakeMatrix(p_.lhs, true), rhs = MakeMatrix(p_.rhs, false);
    const int64_t in_bytes = StorageBytes(p_.in), out_bytes = StorageBytes(p_.out), packed_bytes = gemm_->packed_bytes(), product = p_.m * p_.n;
    const auto up = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
    const int64_t a_bytes = up(p_.m * p_.k * 4), b_bytes = up(p_.k * p_.n * 4), c_bytes = up(product * 4);
    const bool narrow_out = shape_.out != p_.out;
    const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>((1 << 19) / (2.0 * p_.m * p_.n * p_.k)));
    pool_.ParallelFor(p_.batch, grain, [&](int64_t begin, int64_t end) {
      std::byte* a = ThreadScratch(1, a_bytes + b_bytes + c_bytes + up(packed_bytes) + NarrowBytes());
      std::byte *b = a + a_bytes, *c = b + b_bytes, *packed = c + c_bytes, *narrow = packed + up(packed_bytes);
      const auto widen = [&](const Matrix& matrix, const std::byte* source, std::byte* wide) {
        if (!matrix.dense) {
          GatherStrided(source, narrow, matrix.extents, matrix.strides, in_bytes, pool_);
          source = narrow;
        }
        ConvertFloats(p_.in, source, ElementType::kF32, wide, matrix.count, pool_);
      };
      for (int64_t i = begin; i < end; ++i) {
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed)) return;
        widen(lhs, operands[0].physical_data() + lhs_batch[i] * in_bytes, a);
        widen(rhs, operands[1].physical_data() + rhs_batch[i] * in_bytes, b);
        for (int64_t piece = 0; packed_bytes > 0 && piece < gemm_->pack_pieces(); ++piece) gemm_->Pack(piece, b, packed);
        std::byte* to = result + i * product * out_bytes;
        gemm_->RunTile(0, 0, a, packed_bytes > 0 ? packed : b, narrow_out ? c : to);
        if (narrow_out) ConvertFloats(ElementType::kF32, c, p_.out, to, product, pool_);
      }
    });
  }

  absl::StatusOr<Value> Ready(const RunContext& context, const Side& side, const Value& operand, bool lhs) const {
    if (!side.copy) return operand;
    Value source = operand;
    if (p_.compute != p_.in) {
      const int64_t count = operand.byte_size() / StorageBytes(p_.in);  // padding, where there is some, is widened too
      source = Value::Allocate(Shape::Array(p_.compute, {count}), context.account);
      if (!source.has_value()) return absl::ResourceExhaustedError("no memory for a widened operand");
      ConvertFloats(p_.in, operand.physical_data(), p_.compute, source.mutable_data(), count, pool_);
    }
    std::vector<int64_t> extents, strides;
    for (const Group* group : {&side.batch, lhs ? &side.free : &side.contracting, lhs ? &side.contracting : &side.free}) {
      extents.insert(extents.end(), group->extents.begin(), group->extents.end());
      strides.insert(strides.end(), group->strides.begin(), group->strides.end());
    }
    if (strides == RowMajorStrides(extents)) return source;  // only widened
    Value dense = Value::Allocate(Shape::Array(p_.compute, extents), context.account);
    if (!dense.has_value()) return absl::ResourceExhaustedError("no memory for a transposed operand");
    GatherStrided(source.physical_data(), dense.mutable_data(), extents, strides, StorageBytes(p_.compute), pool_);
    return dense;
  }

  // The right operand as tiles want it: dense, in the library's own layout.
  absl::StatusOr<Value> PackRhs(const RunContext& context, const Value& operand, const std::vector<int64_t>& batches) const {
    absl::StatusOr<Value> rhs = Ready(context, p_.rhs, operand, false);
    const int64_t packed_bytes = gemm_->packed_bytes(), pieces = packed_bytes > 0 ? gemm_->pack_pieces() : 0;
    if (!rhs.ok() || packed_bytes == 0) return rhs;
    Value packed = Value::Allocate(Shape::Array(ElementType::kU8, {p_.batch, packed_bytes}), context.account);
    if (!packed.has_value()) return absl::ResourceExhaustedError("no memory for a packed operand");
    const std::byte* b = rhs->physical_data();
    pool_.ParallelFor(p_.batch * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t)
        gemm_->Pack(t % pieces, b + batches[t / pieces] * StorageBytes(shape_.in), packed.mutable_data() + t / pieces * packed_bytes);
    });
    return packed;
  }

  const Shape result_;
  const Problem p_;
  const GemmShape shape_;
  const std::unique_ptr<Gemm> gemm_;
  ThreadPool& pool_;
  PackedOperands packed_;
};

}  // namespace

bool MatchDot(const Instruction& i) { return Match(i).has_value(); }
std::unique_ptr<LibraryKernel> MakeDot(const Instruction& i, ThreadPool& pool) { return DotKernel::Make(i, pool); }

}  // namespace hloscope
