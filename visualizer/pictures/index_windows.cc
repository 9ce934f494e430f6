#include "visualizer/pictures/index_windows.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hloscope {
namespace {

bool Contains(absl::Span<const int64_t> list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }

// The attributes of both, under one set of names.
struct Numbers {
  absl::Span<const int64_t> offset, collapsed, map, batching, indices_batching;
};

}  // namespace

Paint PaintOf(WindowDim dim) {
  switch (dim) {
    case WindowDim::kBatch: return GroupInk(0);
    case WindowDim::kOffset: return GroupInk(3);
    case WindowDim::kCollapsed: return Ink::kDim;
    case WindowDim::kTogether: return GroupInk(4);
    case WindowDim::kVector: return Ink::kViolet;
  }
  return Ink::kDim;
}

namespace {

// What the attributes say; windowed, moved, indices and sizes are there.
void FillIn(const Numbers& n, IndexWindows* w, std::vector<int>* starts, std::vector<int>* together) {
  const int windowed_rank = w->windowed->shape.rank(), moved_rank = w->moved->shape.rank(), indices_rank = w->indices[0]->shape.rank();
  together->assign(windowed_rank, -1);
  for (int d = 0; d < indices_rank; ++d) {
    if (d == w->index_vector_dim) {
      w->indices_dims.push_back(WindowDim::kVector);
    } else {
      w->indices_dims.push_back(Contains(n.indices_batching, d) ? WindowDim::kTogether : WindowDim::kBatch);
      w->batch.push_back(w->indices[0]->shape.dim(d));
    }
  }
  for (size_t k = 0; k < n.batching.size() && k < n.indices_batching.size(); ++k) {
    const int64_t e = n.indices_batching[k];
    (*together)[n.batching[k]] = static_cast<int>(e > w->index_vector_dim ? e - 1 : e);
  }
  std::vector<int> spanned;  // dimensions that windows have an extent in
  for (int d = 0; d < windowed_rank; ++d) {
    const bool collapsed = Contains(n.collapsed, d), batching = Contains(n.batching, d);
    w->windowed_dims.push_back(batching ? WindowDim::kTogether : collapsed ? WindowDim::kCollapsed : WindowDim::kOffset);
    if (!collapsed && !batching) spanned.push_back(d);
  }
  size_t next_offset = 0;
  int next_batch = 0;
  for (int d = 0; d < moved_rank; ++d) {
    const bool offset = Contains(n.offset, d);
    w->offset_of.push_back(offset && next_offset < spanned.size() ? spanned[next_offset++] : -1);
    w->batch_of.push_back(offset ? -1 : next_batch++);
    const bool along = !offset && std::find(together->begin(), together->end(), w->batch_of.back()) != together->end();
    w->moved_dims.push_back(offset ? WindowDim::kOffset : along ? WindowDim::kTogether : WindowDim::kBatch);
  }
  for (int64_t d : n.map) starts->push_back(static_cast<int>(d));
}

}  // namespace

IndexWindows IndexWindows::OfGather(const PictureScene& scene) {
  const Instruction& i = scene.instruction();
  IndexWindows w;
  w.windowed = &scene.operand(0);
  w.indices = {&scene.operand(1)};
  w.moved = &scene.result();
  w.index_vector_dim = static_cast<int>(i.Int(AttrId::kIndexVectorDim));
  const auto sizes = i.Ints(AttrId::kSliceSizes);
  w.sizes.assign(sizes.begin(), sizes.end());
  FillIn({i.Ints(AttrId::kOffsetDims), i.Ints(AttrId::kCollapsedSliceDims), i.Ints(AttrId::kStartIndexMap), i.Ints(AttrId::kOperandBatchingDims),
        i.Ints(AttrId::kStartIndicesBatchingDims)},
       &w, &w.starts_, &w.together_);
  return w;
}

IndexWindows IndexWindows::OfScatter(const PictureScene& scene) {
  const Instruction& i = scene.instruction();
  const int count = static_cast<int>(i.operands.size()) / 2;
  IndexWindows w;
  w.windowed = &scene.operand(0);
  w.indices = {&scene.operand(count)};
  w.moved = &scene.operand(count + 1);
  w.clamps = false;
  w.index_vector_dim = static_cast<int>(i.Int(AttrId::kIndexVectorDim));
  FillIn({i.Ints(AttrId::kUpdateWindowDims), i.Ints(AttrId::kInsertedWindowDims), i.Ints(AttrId::kScatterDimsToOperandDims), i.Ints(AttrId::kInputBatchingDims),
        i.Ints(AttrId::kScatterIndicesBatchingDims)},
       &w, &w.starts_, &w.together_);
  w.sizes.assign(w.windowed->shape.rank(), 1);
  for (int d = 0; d < w.moved->shape.rank(); ++d) {
    if (w.offset_of[d] >= 0) w.sizes[w.offset_of[d]] = w.moved->shape.dim(d);
  }
  return w;
}

namespace {

std::vector<const PictureArray*> Starts(const PictureScene& scene, int first) {
  std::vector<const PictureArray*> starts;
  for (int k = first; k < static_cast<int>(scene.instruction().operands.size()); ++k) starts.push_back(&scene.operand(k));
  return starts;
}

// One window of the whole of `moved`.
void FillSlice(IndexWindows* w, std::vector<int>* starts, std::vector<int>* together) {
  const int rank = w->windowed->shape.rank();
  together->assign(rank, -1);
  for (int d = 0; d < rank; ++d) {
    w->windowed_dims.push_back(WindowDim::kOffset);
    w->moved_dims.push_back(WindowDim::kOffset);
    w->offset_of.push_back(d);
    w->batch_of.push_back(-1);
    starts->push_back(d);
  }
  if (w->indices.size() == 1 && w->indices[0]->shape.rank() == 1) w->indices_dims = {WindowDim::kVector};
}

}  // namespace

IndexWindows IndexWindows::OfDynamicSlice(const PictureScene& scene) {
  IndexWindows w;
  w.windowed = &scene.operand(0);
  w.moved = &scene.result();
  w.indices = Starts(scene, 1);
  w.sizes.assign(w.moved->shape.dimensions().begin(), w.moved->shape.dimensions().end());
  FillSlice(&w, &w.starts_, &w.together_);
  return w;
}

IndexWindows IndexWindows::OfDynamicUpdateSlice(const PictureScene& scene) {
  IndexWindows w;
  w.windowed = &scene.operand(0);
  w.moved = &scene.operand(1);
  w.indices = Starts(scene, 2);
  w.sizes.assign(w.moved->shape.dimensions().begin(), w.moved->shape.dimensions().end());
  FillSlice(&w, &w.starts_, &w.together_);
  return w;
}

int64_t IndexWindows::count() const {
  int64_t n = 1;
  for (int64_t b : batch) n *= b;
  return n;
}

std::vector<int64_t> IndexWindows::BatchIndex(int64_t vector) const {
  std::vector<int64_t> index(batch.size());
  for (size_t d = batch.size(); d-- > 0;) {
    index[d] = vector % std::max<int64_t>(batch[d], 1);
    vector /= std::max<int64_t>(batch[d], 1);
  }
  return index;
}

StartVector IndexWindows::At(int64_t vector) const {
  StartVector v;
  v.dims = starts_;
  v.start.assign(windowed->shape.rank(), 0);
  const std::vector<int64_t> of_batch = BatchIndex(vector);
  for (int d = 0; d < windowed->shape.rank(); ++d) {
    if (together_[d] >= 0) v.start[d] = of_batch[together_[d]];
  }
  const bool scalars = indices.size() != 1 || indices_dims.empty();
  for (size_t k = 0; k < starts_.size(); ++k) {
    const PictureArray* from = scalars && k < indices.size() ? indices[k] : indices.empty() ? nullptr : indices[0];
    if (from == nullptr) {
      v.known = false;
      break;
    }
    std::vector<int64_t> at;
    if (from->shape.rank() > 0) {
      at = of_batch;
      if (index_vector_dim < from->shape.rank()) at.insert(at.begin() + index_vector_dim, static_cast<int64_t>(k));
    }
    const std::optional<Scalar> number = from->At(at);
    v.cells.push_back({from->id, std::move(at)});
    const int d = starts_[k];
    v.said.push_back(number ? ToText(*number) : "?");
    if (!number) {
      v.asked.push_back(std::nullopt);
      v.known = false;
      continue;
    }
    // An unsigned number that no s64 holds is beyond every array.
    const int64_t asked = IsUnsigned(number->type) && number->i < 0 ? INT64_MAX : number->i;
    v.asked.push_back(asked);
    v.start[d] = asked;
    const int64_t last = std::max<int64_t>(windowed->shape.dim(d) - sizes[d], 0);
    if (clamps) {
      v.start[d] = std::clamp<int64_t>(asked, 0, last);
      v.clamped = v.clamped || v.start[d] != asked;
    } else {
      v.outside = v.outside || asked < 0 || asked > last;
    }
  }
  return v;
}

int64_t IndexWindows::VectorOfMoved(absl::Span<const int64_t> index) const {
  int64_t vector = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    if (batch_of[d] >= 0) vector = vector * batch[batch_of[d]] + index[d];
  }
  return vector;
}

std::vector<int64_t> IndexWindows::OffsetOfMoved(absl::Span<const int64_t> index) const {
  std::vector<int64_t> offset(windowed->shape.rank(), 0);
  for (size_t d = 0; d < index.size(); ++d) {
    if (offset_of[d] >= 0) offset[offset_of[d]] = index[d];
  }
  return offset;
}

std::optional<std::vector<int64_t>> IndexWindows::PlaceOf(const StartVector& v, absl::Span<const int64_t> moved_index) const {
  if (!v.known) return std::nullopt;
  std::vector<int64_t> place = OffsetOfMoved(moved_index);
  for (size_t d = 0; d < place.size(); ++d) {
    const int64_t n = windowed->shape.dim(static_cast<int>(d));
    if (v.start[d] >= n || v.start[d] < -place[d]) return std::nullopt;
    place[d] += v.start[d];
    if (place[d] >= n) return std::nullopt;
  }
  return place;
}

void IndexWindows::MovedBox(int64_t vector, std::vector<int64_t>* low, std::vector<int64_t>* high) const {
  const std::vector<int64_t> of_batch = BatchIndex(vector);
  for (int d = 0; d < moved->shape.rank(); ++d) {
    low->push_back(batch_of[d] >= 0 ? of_batch[batch_of[d]] : 0);
    high->push_back(batch_of[d] >= 0 ? of_batch[batch_of[d]] : moved->shape.dim(d) - 1);
  }
}

int64_t IndexWindows::VectorOfCell(const Cell& cell) const {
  const bool of_indices = std::any_of(indices.begin(), indices.end(), [&](const PictureArray* a) { return a->id == cell.array; });
  if (!of_indices || cell.index.size() != indices_dims.size()) return -1;
  int64_t vector = 0;
  size_t b = 0;
  for (size_t d = 0; d < cell.index.size(); ++d) {
    if (indices_dims[d] != WindowDim::kVector) vector = vector * batch[b++] + cell.index[d];
  }
  return vector;
}

std::string IndexWindows::BatchLetter(int batch_dim) const {
  static constexpr const char* kLetters[] = {"i", "j", "k", "l"};
  return batch_dim < 4 ? kLetters[batch_dim] : absl::StrCat("i", batch_dim);
}

std::vector<GridAxis> IndexWindows::WindowedAxes() const {
  std::vector<GridAxis> axes = CustomaryAxes(windowed->shape.rank());
  for (size_t d = 0; d < axes.size(); ++d) {
    axes[d].paint = PaintOf(windowed_dims[d]);
    if (together_[d] >= 0) axes[d].letter = BatchLetter(together_[d]);
  }
  return axes;
}

std::vector<GridAxis> IndexWindows::MovedAxes() const {
  const std::vector<GridAxis> of_windowed = WindowedAxes();
  std::vector<GridAxis> axes;
  for (size_t d = 0; d < moved_dims.size(); ++d) {
    axes.push_back({offset_of[d] >= 0 ? of_windowed[offset_of[d]].letter : BatchLetter(batch_of[d]), PaintOf(moved_dims[d])});
  }
  return axes;
}

std::vector<GridAxis> IndexWindows::IndicesAxes() const {
  std::vector<GridAxis> axes;
  int b = 0;
  for (WindowDim d : indices_dims) axes.push_back({d == WindowDim::kVector ? "n" : BatchLetter(b++), PaintOf(d)});
  return axes;
}

std::string IndexWindows::AskedText(const StartVector& v) const { return absl::StrCat("(", absl::StrJoin(v.said, ", "), ")"); }

std::string IndexWindows::WindowText(const Captions& tr, const StartVector& v) const {
  std::vector<std::string> parts;
  const std::vector<GridAxis> axes = WindowedAxes();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return tr("nothing");
    parts.push_back(sizes[d] == 1 ? absl::StrCat(axes[d].letter, " ", v.start[d]) : tr("$0 $1 to $2", axes[d].letter, v.start[d], v.start[d] + sizes[d] - 1));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace hloscope
