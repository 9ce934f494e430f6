// One oneDNN primitive serves all threads, so its scratchpad must be the caller's: with the default mode two threads would share one
// and the result would be wrong without a word. The library's own threads are switched off on every thread that gets here.
#include "backends/jit_cpu/kernels/gemm.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/kernels/blas.h"
#include "backends/jit_cpu/kernels/small_gemm.h"
#include "core/base/vector_set.h"

extern "C" void omp_set_num_threads(int);

namespace hloscope {
namespace {

using dnnl::memory;

const dnnl::engine& Engine() {
  static const dnnl::engine& engine = []() -> const dnnl::engine& {
    if (VectorSet() == 256) dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2);
    return *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

dnnl::stream& ThreadStream() {
  thread_local dnnl::stream stream(Engine());
  omp_set_num_threads(1);  // each time: a host program may set it for its own use of the library
  return stream;
}

memory::data_type DataType(ElementType type) {
  switch (type) {
    case ElementType::kBF16: return memory::data_type::bf16;
    case ElementType::kF32: return memory::data_type::f32;
    default: return memory::data_type::undef;
  }
}

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

constexpr int64_t kTileFlops = int64_t{4} << 20;  // below this a tile is not worth handing over
constexpr int64_t kPackElements = 4096;
constexpr int64_t kGroupFlops = int64_t{2} << 20;  // of small products in one call
constexpr int64_t kPackRows = 24;                  // from here on reading B three times, once to pack it, pays

}  // namespace

std::byte* ThreadScratch(int slot, size_t bytes) {
  struct Block {
    std::byte* data = nullptr;
    size_t size = 0;
    ~Block() { std::free(data); }
  };
  thread_local Block blocks[3];
  Block& block = blocks[slot];
  if (block.size < bytes) {
    std::free(block.data);
    block.size = (bytes + bytes / 4 + 4095) / 4096 * 4096;
    block.data = static_cast<std::byte*>(std::aligned_alloc(4096, block.size));
  }
  return block.data;
}

struct Gemm::Impl {
  GemmShape shape;
  int64_t row_tile = 0, column_tile = 0;

  struct Primitive {
    dnnl::matmul primitive;
    memory::desc a, b, c, scratch;
    size_t scratch_bytes = 0;
  };
  Primitive primitives[2][2];  // [last row tile][last column tile]
  int64_t group = 1;
  Primitive batches[2];  // [last group of an even batch]
  bool packed = false;   // only where columns are not cut
  int64_t packed_bytes = 0;
  int64_t pack_width = 0;  // columns of a piece that is not the last
  struct Piece {
    dnnl::reorder reorder;
    memory::desc from, to;
  };
  Piece pieces[2];          // [last piece]
  int64_t piece_bytes = 0;  // distance of neighbouring pieces in packed B
  std::string implementation;

  bool small = false;  // SmallGemm's
  bool blas = false;   // OpenBLAS's
  int64_t Rows(bool last) const { return last ? shape.m - (CeilDiv(shape.m, row_tile) - 1) * row_tile : row_tile; }
  int64_t Columns(bool last) const { return last ? shape.n - (CeilDiv(shape.n, column_tile) - 1) * column_tile : column_tile; }

  void ChooseTiles() {
    if (shape.whole) {
      row_tile = shape.m;
      column_tile = shape.n;
      return;
    }
    if (shape.row_tile > 0) {
      row_tile = std::min(shape.row_tile, shape.m);
    } else if (blas && !IsSmallGemm(shape.m, shape.n, shape.k)) {
      return ChooseBlasTiles();
    } else {
      const int64_t many = shape.in == ElementType::kBF16 ? 1024 : 2048;  // of bf16 B is sooner read again than multiplied
      row_tile = shape.m >= many ? 256 : shape.m >= 256 ? 128 : shape.m;
      // Narrow products need more rows to be worth a call.
      row_tile = std::min(shape.m, std::max(row_tile, CeilDiv(kTileFlops / 4, 2 * shape.n * shape.k)));
    }
    const int64_t rows = CeilDiv(shape.m, row_tile);
    row_tile = std::min(shape.m, CeilDiv(CeilDiv(shape.m, rows), 16) * 16);  // no crumbs at the end
    // Few row tiles: cut columns too, while tiles stay wide and worth their while. Four are enough to share: B packed once is worth more then.
    int64_t columns = 1;
    while (rows < 4 && rows * columns * shape.batch < 8 && shape.n / (columns * 2) >= 128 &&
           2 * row_tile * shape.k * (shape.n / (columns * 2)) >= kTileFlops)
      columns *= 2;
    // A single tile left (small sides, a long sum): cut its rows, so that more than one thread has work. Of small products half as much is
    // worth it: nothing is packed for a tile.
    const int64_t worth = IsSmallGemm(shape.m, shape.n, shape.k) ? kTileFlops / 2 : kTileFlops;
    while (CeilDiv(shape.m, row_tile) * columns * shape.batch < 4 && row_tile >= 128 && row_tile * shape.k * (shape.n / columns) >= worth)
      row_tile = CeilDiv(row_tile / 2, 16) * 16;
    column_tile = CeilDiv(CeilDiv(shape.n, columns), 64) * 64;
    column_tile = std::min(column_tile, shape.n);
  }

  // OpenBLAS packs both operands for every call: tiles are wide, and four at least where that leaves each enough to do.
  void ChooseBlasTiles() {
    constexpr int64_t kRows = 512, kLeast = 128;
    const int64_t rows = std::max(CeilDiv(shape.m, kRows), std::clamp<int64_t>(shape.m / kLeast, 1, CeilDiv(4, shape.batch)));
    int64_t columns = 1;
    while (rows * columns * shape.batch < 4 && shape.n / columns >= 2 * kLeast && shape.m / rows * shape.k * (shape.n / columns) >= kTileFlops) columns *= 2;
    row_tile = std::min(shape.m, CeilDiv(CeilDiv(shape.m, rows), 16) * 16);
    column_tile = std::min(shape.n, CeilDiv(CeilDiv(shape.n, columns), 64) * 64);
  }

  // A in rows; B as it lies, or packed once.
  bool MakeSmall() {
    if (shape.in != ElementType::kF32 || shape.out != ElementType::kF32 || shape.accumulate || shape.a_column != 1 ||
        !IsSmallGemm(shape.m, shape.n, shape.k)) return false;
    small = true;
    implementation = "small products";
    packed = PacksSmall(shape.k, shape.b_row, shape.b_column);
    pack_width = packed ? column_tile : shape.n;
    if (packed) packed_bytes = (shape.k * shape.n * 4 + 63) / 64 * 64;
    return true;
  }

  bool MakePrimitives() {
    const bool one_tile = CeilDiv(shape.m, row_tile) == 1 && CeilDiv(shape.n, column_tile) == 1;
    if (one_tile && shape.even > 1 && MakeBatches()) return true;
    packed =
        shape.m >= kPackRows && CeilDiv(shape.m, row_tile) > 1 && CeilDiv(shape.n, column_tile) == 1 && shape.k * shape.n >= kPackElements;
    if (packed && MakeTiles() && implementation.compare(0, 3, "brg") == 0 && MakePieces()) return true;
    packed = false;
    packed_bytes = 0;
    return MakeTiles();
  }

  // Groups of small products as one primitive with a batch dimension.
  bool MakeBatches() {
    const int64_t flops = 2 * shape.m * shape.n * shape.k;
    group = std::max<int64_t>({1, kGroupFlops / flops, std::min(4 * kGroupFlops / flops, CeilDiv(shape.batch, 8))});
    group = std::min(group, shape.even);
    if (group <= 1) return false;
    group = CeilDiv(shape.even, CeilDiv(shape.even, group));
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const int64_t last = shape.even - (CeilDiv(shape.even, group) - 1) * group;
    for (int i = last == group ? 1 : 0; i < 2; ++i) {
      Primitive& p = batches[i];
      const int64_t count = i == 1 ? last : group;
      const auto desc = [&](int64_t rows, int64_t columns, ElementType type, int64_t batch_stride, memory::dims strides) {
        return memory::desc({count, rows, columns}, DataType(type), memory::dims{batch_stride, strides[0], strides[1]});
      };
      p.a = desc(shape.m, shape.k, shape.in, shape.a_batch, Strides(shape.a_row, shape.a_column, shape.m, shape.k));
      p.b = desc(shape.k, shape.n, shape.in, shape.b_batch, Strides(shape.b_row, shape.b_column, shape.k, shape.n));
      p.c = desc(shape.m, shape.n, shape.out, shape.c_batch, {std::max(shape.c_row, shape.n), 1});
      auto pd = dnnl::matmul::primitive_desc(dnnl::matmul::desc(p.a, p.b, p.c), attributes, Engine(), /*allow_empty=*/true);
      if (!pd.get(true)) return group = 1, false;
      implementation = pd.impl_info_str();
      p.scratch = pd.scratchpad_desc();
      p.scratch_bytes = p.scratch.get_size();
      p.primitive = dnnl::matmul(pd);
      if (!p.primitive.get(true)) return group = 1, false;
    }
    if (last == group) batches[0] = batches[1];
    return true;
  }

  void Execute(const Primitive& p, const std::byte* a, const std::byte* b, std::byte* c) const {
    const auto wrap = [](const memory::desc& desc, const void* data) { return memory(desc, Engine(), const_cast<void*>(data)); };
    dnnl::stream& stream = ThreadStream();
    p.primitive.execute(stream,
                        {{DNNL_ARG_SRC, wrap(p.a, a)},
                         {DNNL_ARG_WEIGHTS, wrap(p.b, b)},
                         {DNNL_ARG_DST, wrap(p.c, c)},
                         {DNNL_ARG_SCRATCHPAD, wrap(p.scratch, p.scratch_bytes > 0 ? ThreadScratch(0, p.scratch_bytes) : nullptr)}});
    stream.wait();
  }

  bool MakeTiles() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (shape.accumulate) {
      dnnl::post_ops sum;
      sum.append_sum(1.0f);
      attributes.set_post_ops(sum);
    }
    const bool one_row = CeilDiv(shape.m, row_tile) == 1, one_column = CeilDiv(shape.n, column_tile) == 1;
    for (int c = one_column ? 1 : 0; c < 2; ++c) {
      for (int r = one_row ? 1 : 0; r < 2; ++r) {
        Primitive& p = primitives[r][c];
        const int64_t m = Rows(r == 1), n = Columns(c == 1), k = shape.k;
        p.a = memory::desc({m, k}, DataType(shape.in), Strides(shape.a_row, shape.a_column, m, k));
        p.b = memory::desc({k, n}, DataType(shape.in), Strides(shape.b_row, shape.b_column, k, n));
        // The packed layout is the choice of the full row tile; the last one takes the same bytes.
        if (packed) p.b = r == 1 && !one_row ? primitives[0][c].b : memory::desc({k, n}, DataType(shape.in), memory::format_tag::any);
        p.c = memory::desc({m, n}, DataType(shape.out), memory::dims{std::max(shape.c_row, n), 1});
        auto pd = dnnl::matmul::primitive_desc(dnnl::matmul::desc(p.a, p.b, p.c), attributes, Engine(), /*allow_empty=*/true);
        if (!pd.get(true)) return false;
        if (implementation.empty() || r == 0 || one_row) implementation = pd.impl_info_str();
        p.b = pd.weights_desc();
        p.scratch = pd.scratchpad_desc();
        p.scratch_bytes = p.scratch.get_size();
        p.primitive = dnnl::matmul(pd);
        if (!p.primitive.get(true)) return false;
      }
    }
    return true;
  }

  // A stride along an extent of 1 means nothing; it gets the value of a dense matrix, which the library recognises.
  static memory::dims Strides(int64_t row, int64_t column, int64_t rows, int64_t columns) {
    if (rows == 1 && column == 1) row = std::max(row, columns);
    if (columns == 1 && row == 1) column = std::max(column, rows);
    if (columns == 1 && row != 1 && rows != 1) column = 1;
    if (rows == 1 && column != 1 && columns != 1) row = 1;
    return {row, column};
  }

  // Reorders of ranges of columns, so that packing runs in parallel. The library's layouts keep blocks of 64 columns together.
  bool MakePieces() {
    const memory::desc& whole = primitives[1][1].b;
    packed_bytes = (static_cast<int64_t>(whole.get_size()) + 63) / 64 * 64;
    pack_width = std::min(shape.n, std::max<int64_t>(64, CeilDiv(CeilDiv(shape.n, 16), 64) * 64));
    if (shape.k * shape.n < (1 << 16)) pack_width = shape.n;
    const int64_t count = CeilDiv(shape.n, pack_width), last = shape.n - (count - 1) * pack_width;
    for (int i = count == 1 ? 1 : 0; i < 2; ++i) {
      Piece& piece = pieces[i];
      const int64_t n = i == 1 ? last : pack_width;
      piece.from = memory::desc({shape.k, n}, DataType(shape.in), Strides(shape.b_row, shape.b_column, shape.k, n));
      piece.to = count == 1 ? whole : whole.submemory_desc({shape.k, n}, {0, 0});
      dnnl::reorder::primitive_desc pd(Engine(), piece.from, Engine(), piece.to, dnnl::primitive_attr(), /*allow_empty=*/true);
      if (!pd.get(true) || pd.scratchpad_desc().get_size() != 0) return false;
      piece.reorder = dnnl::reorder(pd);
    }
    if (count > 1) piece_bytes = whole.submemory_desc({shape.k, last}, {0, pack_width}).data.offset0 * StorageBytes(shape.in);
    // Whether all pieces lie evenly.
    for (int64_t i = 1; i < count; ++i) {
      const int64_t n = i == count - 1 ? last : pack_width;
      if (whole.submemory_desc({shape.k, n}, {0, i * pack_width}).data.offset0 * StorageBytes(shape.in) != i * piece_bytes) return false;
    }
    return true;
  }
};

Gemm::Gemm(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Gemm::~Gemm() = default;
int64_t Gemm::row_tile() const { return impl_->row_tile; }
int64_t Gemm::row_tiles() const { return CeilDiv(impl_->shape.m, impl_->row_tile); }
int64_t Gemm::column_tile() const { return impl_->column_tile; }
int64_t Gemm::packed_bytes() const { return impl_->packed_bytes; }
int64_t Gemm::pack_pieces() const { return CeilDiv(impl_->shape.n, impl_->pack_width); }
int64_t Gemm::column_tiles() const { return CeilDiv(impl_->shape.n, impl_->column_tile); }

// Whether oneDNN has no kernels of its own for products of this type here, and falls back to one that packs both operands for every tile.
// Of few rows or columns it does not, and is the faster one.
static bool BlasIsBest(const GemmShape& s) {
  return s.in == ElementType::kF32 && VectorSet() == 256 && s.m >= 16 && s.n >= 24 && OpenBlas::Get().sgemm != nullptr;
}

bool Gemm::Supports(ElementType in, ElementType out) {
  if (in == ElementType::kF64) return out == ElementType::kF64 && OpenBlas::Get().dgemm != nullptr;
  if (in == ElementType::kF32) return out == ElementType::kF32;
  static const bool bf16 = VectorSet() == 512 && dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core_bf16;
  return bf16 && in == ElementType::kBF16 && (out == ElementType::kF32 || out == ElementType::kBF16);
}

std::unique_ptr<Gemm> Gemm::Make(const GemmShape& shape) {
  if (!Supports(shape.in, shape.out) || shape.m <= 0 || shape.n <= 0 || shape.k <= 0) return nullptr;
  ThreadStream();
  auto impl = std::make_unique<Impl>();
  impl->shape = shape;
  impl->blas = shape.in == ElementType::kF64 || BlasIsBest(shape);
  impl->ChooseTiles();
  if (impl->MakeSmall()) {
    impl->blas = false;
  } else if (impl->blas) {
    impl->implementation = absl::StrCat("OpenBLAS ", shape.in == ElementType::kF64 ? "dgemm" : "sgemm", " (", OpenBlas::Get().core, ")");
  } else {
    try {
      if (!impl->MakePrimitives()) return nullptr;
    } catch (const dnnl::error&) {
      return nullptr;
    }
  }
  return std::unique_ptr<Gemm>(new Gemm(std::move(impl)));
}

void Gemm::Pack(int64_t index, const std::byte* b, std::byte* packed) const {
  const Impl& s = *impl_;
  if (s.small) {
    PackSmall(s.shape.k, s.Columns(index == column_tiles() - 1), reinterpret_cast<const float*>(b) + index * s.column_tile * s.shape.b_column, s.shape.b_row,
              s.shape.b_column, reinterpret_cast<float*>(packed) + index * s.column_tile * s.shape.k);
    return;
  }
  const Impl::Piece& piece = s.pieces[index == pack_pieces() - 1];
  b += index * s.pack_width * s.shape.b_column * StorageBytes(s.shape.in);
  dnnl::stream& stream = ThreadStream();
  memory from(piece.from, Engine(), const_cast<std::byte*>(b)), to(piece.to, Engine(), packed + index * s.piece_bytes);
  piece.reorder.execute(stream, from, to);
  stream.wait();
}

void Gemm::RunTile(int64_t row, int64_t column, const std::byte* a, const std::byte* b, std::byte* c) const {
  const Impl& s = *impl_;
  const bool last_row = row == row_tiles() - 1, last_column = column == column_tiles() - 1;
  if (!s.packed) b += column * s.column_tile * s.shape.b_column * StorageBytes(s.shape.in);
  else if (s.small) b += column * s.column_tile * s.shape.k * StorageBytes(s.shape.in);
  c += (row * s.row_tile * s.shape.c_row + column * s.column_tile) * StorageBytes(s.shape.out);
  if (s.small) {
    SmallGemm(s.Rows(last_row), s.Columns(last_column), s.shape.k, reinterpret_cast<const float*>(a), s.shape.a_row, s.shape.a_column,
              reinterpret_cast<const float*>(b), s.packed ? 0 : s.shape.b_row, reinterpret_cast<float*>(c), std::max(s.shape.c_row, s.shape.n));
    return;
  }
  if (s.blas) {
    const GemmShape& g = s.shape;
    const int64_t m = s.Rows(last_row), n = s.Columns(last_column);
    const bool ta = g.a_column != 1 && g.k != 1, tb = g.b_column != 1 && n != 1;
    const int64_t lda = std::max<int64_t>({1, ta ? g.a_column : g.a_row, ta ? m : g.k});
    const int64_t ldb = std::max<int64_t>({1, tb ? g.b_column : g.b_row, tb ? g.k : n});
    const auto call = [&](auto product, auto one) {
      using T = decltype(one);
      product(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, static_cast<int>(m), static_cast<int>(n), static_cast<int>(g.k), one,
              reinterpret_cast<const T*>(a), static_cast<int>(lda), reinterpret_cast<const T*>(b), static_cast<int>(ldb), g.accumulate ? one : T{0},
              reinterpret_cast<T*>(c), static_cast<int>(std::max(g.c_row, n)));
    };
    if (g.in == ElementType::kF64) call(OpenBlas::Get().dgemm, 1.0);
    else call(OpenBlas::Get().sgemm, 1.0f);
    return;
  }
  s.Execute(s.primitives[last_row][last_column], a, b, c);
}

int64_t Gemm::group() const { return impl_->group; }

void Gemm::RunBatch(int64_t first, const std::byte* a, const std::byte* b, std::byte* c) const {
  const Impl& s = *impl_;
  const GemmShape& g = s.shape;
  const bool last = first + s.group >= g.even;
  s.Execute(s.batches[last], a + first * g.a_batch * StorageBytes(g.in), b + first * g.b_batch * StorageBytes(g.in),
            c + first * g.c_batch * StorageBytes(g.out));
}

std::string Gemm::description() const {
  const GemmShape& s = impl_->shape;
  return absl::StrCat(impl_->blas || impl_->small ? "" : "oneDNN matmul (", impl_->implementation, impl_->blas || impl_->small ? "" : ")", ", ", s.m, " x ", s.n, " x ",
                      s.k, " ", Name(s.in), ", tiles ", impl_->row_tile, " x ", impl_->column_tile, impl_->packed ? ", packed" : "",
                      impl_->group > 1 ? absl::StrCat(", ", impl_->group, " a call") : "");
}

}  // namespace hloscope
