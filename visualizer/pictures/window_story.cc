#include "visualizer/pictures/window_story.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hloscope {
namespace {

// Vectors and moved elements that are counted, and frames that are drawn.
constexpr int64_t kMostVectors = 1 << 15, kMostElements = 1 << 17, kMostFrames = 48, kMostSteps = 4096;

}  // namespace

std::string AndText(const std::vector<std::string>& words) {
  std::string text;
  for (size_t k = 0; k < words.size(); ++k) absl::StrAppend(&text, k == 0 ? "" : k + 1 == words.size() ? " and " : ", ", words[k]);
  return text;
}

std::string LettersText(const std::vector<GridAxis>& axes, absl::Span<const int64_t> dims) {
  std::vector<std::string> words;
  for (int64_t d : dims) words.push_back(axes[d].letter);
  return AndText(words);
}

void ExplainIndexVectors(Board& board, const IndexWindows& w, absl::string_view starts_name, absl::Span<const int64_t> starts) {
  const PictureArray& indices = *w.indices[0];
  const int64_t dim = board.scene().instruction().Int(AttrId::kIndexVectorDim);
  board.Explain(absl::StrCat("index_vector_dim=", dim), PaintOf(WindowDim::kVector),
                dim == indices.shape.rank() ? absl::StrCat("this is the rank of ", indices.name, ": every single number of it is an index vector. There are ", w.count(), ".")
                                            : absl::StrCat("the numbers of one index vector stand along dimension ", dim, " (n) of ", indices.name, "; the others walk over the ", w.count(), " vectors."));
  const std::vector<GridAxis> axes = w.WindowedAxes();
  std::vector<std::string> words;
  for (size_t k = 0; k < starts.size(); ++k) words.push_back(absl::StrCat("number ", k, " is the start along ", axes[starts[k]].letter));
  board.Explain(absl::StrCat(starts_name, "=", ListText(starts)), PaintOf(WindowDim::kVector),
                words.empty() ? "vectors have no numbers: every window starts at 0." : absl::StrCat("of a vector ", absl::StrJoin(words, ", "), starts.size() < w.sizes.size() ? "; elsewhere windows start at 0." : "."));
}

void ExplainBatching(Board& board, const IndexWindows& w, absl::string_view name, absl::Span<const int64_t> dims, absl::string_view indices_name,
                     absl::Span<const int64_t> of_indices) {
  if (dims.empty()) return;
  const std::vector<GridAxis> axes = w.WindowedAxes();
  std::vector<std::string> pairs;
  for (size_t k = 0; k < dims.size(); ++k) pairs.push_back(absl::StrCat("dimension ", dims[k], " of ", w.windowed->name, " goes along with dimension ", of_indices[k], " of ", w.indices[0]->name, " (", axes[dims[k]].letter, ")"));
  board.Explain(absl::StrCat(name, "=", ListText(dims), ", ", indices_name, "=", ListText(of_indices)), PaintOf(WindowDim::kTogether),
                absl::StrCat(absl::StrJoin(pairs, ", "), ": the same index on both sides."));
}

WindowStory::WindowStory(Board& board, IndexWindows windows) : board_(board), w_(std::move(windows)) {
  const int64_t count = w_.count();
  if (count > 1) board_.set_steps(static_cast<int>(std::min(count, kMostSteps)));
  if (board_.step() >= 0) {
    subject_ = board_.step();
  } else if (const Cell* cell = board_.cell(); cell != nullptr && board_.scene().Has(*cell)) {
    subject_ = w_.VectorOfCell(*cell);
    const PictureArray* of = board_.scene().Find(cell->array);
    // Also of other updates and results that have the same places.
    const bool moved = of != nullptr && (of->id >= kResultArray) == (w_.moved->id >= kResultArray) && (of->id >= kResultArray || of->id >= w_.moved->id) &&
                       of->shape.dimensions() == w_.moved->shape.dimensions();
    if (subject_ < 0 && moved) subject_ = w_.VectorOfMoved(cell->index);
  }
  if (count == 1 && subject_ < 0) subject_ = 0;
  Count();
}

const StartVector& WindowStory::Cached(int64_t vector) const {
  const auto found = cache_.find(vector);
  if (found != cache_.end()) return found->second;
  if (cache_.size() > 4096) cache_.clear();
  return cache_.emplace(vector, w_.At(vector)).first->second;
}

void WindowStory::Count() {
  const int64_t count = w_.count();
  int64_t elements = 0;
  if (w_.moved->shape.ElementCount() == 0) return;
  for (; looked_at_ < std::min(count, kMostVectors) && elements < kMostElements; ++looked_at_) {
    const StartVector v = w_.At(looked_at_);
    unknown_ += !v.known;
    if (!v.known) continue;
    clamped_ += v.clamped;
    outside_ += v.outside;
    if ((v.clamped || v.outside) && examples_.size() < 3) examples_.push_back(looked_at_);
    if (w_.clamps) continue;
    std::vector<int64_t> low, high;
    w_.MovedBox(looked_at_, &low, &high);
    std::vector<int64_t> at = low;
    for (bool more = true; more; ++elements) {
      if (const auto place = w_.PlaceOf(v, at)) {
        std::vector<int64_t>& of_place = hits_[LinearIndex(w_.windowed->shape.dimensions(), *place)];
        of_place.push_back(looked_at_);
        met_ += of_place.size() == 2;
      } else {
        ++left_out_;
      }
      more = false;
      for (size_t d = at.size(); d-- > 0 && !more;) {
        more = ++at[d] <= high[d];
        if (!more) at[d] = low[d];
      }
    }
  }
}

std::string WindowStory::VectorName(int64_t vector) const {
  if (w_.batch.empty()) return w_.indices.size() == 1 && !w_.indices_dims.empty() ? w_.indices[0]->name : "the start";
  std::vector<std::string> parts;
  for (int64_t i : w_.BatchIndex(vector)) parts.push_back(absl::StrCat(i));
  if (w_.index_vector_dim < w_.indices[0]->shape.rank()) parts.insert(parts.begin() + w_.index_vector_dim, ":");
  return absl::StrCat(w_.indices[0]->name, "[", absl::StrJoin(parts, ","), "]");
}

std::string WindowStory::Clamping(const StartVector& v) const {
  const std::vector<GridAxis> axes = w_.WindowedAxes();
  std::vector<std::string> parts;
  for (size_t k = 0; k < v.dims.size() && k < v.asked.size(); ++k) {
    const int d = v.dims[k];
    if (!v.asked[k] || *v.asked[k] == v.start[d]) continue;
    parts.push_back(absl::StrCat("asks for ", axes[d].letter, " = ", *v.asked[k], ", but a window of ", w_.sizes[d], " in ", w_.windowed->shape.dim(d), " starts at ", v.start[d], " at the ",
                                 v.start[d] == 0 && *v.asked[k] < 0 ? "earliest" : "latest"));
  }
  return absl::StrJoin(parts, "; ");
}

void WindowStory::SayCounts() {
  const int64_t count = w_.count();
  const std::string of = looked_at_ < count ? absl::StrCat("the first ", looked_at_, " of ", count) : absl::StrCat(count);
  if (clamped_ > 0) {
    std::string text = count == 1 ? "Clamped: the window would not fit where it was asked for:" : absl::StrCat("Clamped: ", clamped_, " of ", of, " windows would not fit where they were asked for.");
    for (int64_t e : examples_) absl::StrAppend(&text, " ", count == 1 ? "it" : VectorName(e), " ", Clamping(Cached(e)), ".");
    board_.Explain("!", Ink::kOrange, text);
  }
  if (outside_ > 0 || left_out_ > 0) {
    std::vector<std::string> names;
    for (int64_t e : examples_) names.push_back(absl::StrCat(VectorName(e), " = ", w_.AskedText(Cached(e))));
    const bool more = outside_ > static_cast<int64_t>(examples_.size());
    board_.Explain("x", Ink::kPink,
                   absl::StrCat("Left out: ", Counted(left_out_, "update"), " of ", Counted(w_.moved->shape.ElementCount(), "element"), " would lie outside of ", w_.windowed->name,
                                names.empty() ? "" : absl::StrCat(outside_ == 1 ? "; the window of " : "; the windows of ", absl::StrJoin(names, ", "), more ? " and others reach out" : outside_ == 1 ? " reaches out" : " reach out"), "."));
  }
  if (met_ > 0) {
    size_t most = 0;
    for (const auto& [at, vectors] : hits_) most = std::max(most, vectors.size());
    board_.Explain("2x", Ink::kAmber,
                   absl::StrCat("Met: ", met_ == 1 ? "on one element several updates meet" : absl::StrCat("on ", met_, " elements several updates meet"), ", up to ", most,
                                "; they are combined in row-major order of the updates, on which a program should not depend."));
  }
  if (looked_at_ < count && w_.moved->shape.ElementCount() > 0) board_.Say(absl::StrCat("Looked at: the first ", looked_at_, " of ", count, " index vectors."));
}

std::vector<Board::Piece> WindowStory::Indices() const {
  std::vector<Board::Piece> pieces;
  const std::vector<GridAxis> axes = w_.IndicesAxes();
  for (const PictureArray* array : w_.indices) {
    GridSpec spec = board_.SpecOf(*array);
    if (w_.indices.size() == 1) spec.axes = axes;
    const int64_t vectors = w_.count();
    spec.cell = [this, inner = std::move(spec.cell), vectors](absl::Span<const int64_t> index) {
      GridCell cell = inner(index);
      const int64_t vector = w_.VectorOfCell(cell.cell);
      if (vector < 0) return cell;
      if (vectors > 1) cell.tint = Paint(GroupInk(static_cast<int>(vector % kGroupInks)), 0.24f);
      const StartVector& v = Cached(vector);
      for (size_t k = 0; k < v.cells.size() && k < v.asked.size(); ++k) {
        if (!(v.cells[k] == cell.cell) || !v.asked[k]) continue;
        const std::string letter = w_.WindowedAxes()[v.dims[k]].letter;
        absl::StrAppend(&cell.hint, "\nwhere its window starts along ", letter);
        const int64_t last = w_.windowed->shape.dim(v.dims[k]) - w_.sizes[v.dims[k]];
        if (*v.asked[k] >= 0 && *v.asked[k] <= last) continue;
        cell.state = w_.clamps ? CellState::kClamped : CellState::kSkipped;
        absl::StrAppend(&cell.hint, w_.clamps ? absl::StrCat("\nclamped to ", v.start[v.dims[k]]) : std::string("\nits window reaches outside: what lies there is left out"));
      }
      if (step() >= 0 && vector == subject_) cell.mark = CellMark::kNow;
      return cell;
    };
    const bool shown_focus = spec.focus.has_value() && step() < 0;
    if (!shown_focus && subject_ >= 0 && !Cached(subject_).cells.empty() && Cached(subject_).cells[0].array == array->id) spec.focus = Cached(subject_).cells[0].index;
    if (!pieces.empty()) pieces.push_back(std::string());
    pieces.push_back(std::move(spec));
  }
  return pieces;
}

GridSpec WindowStory::Windowed(const PictureArray& array) const {
  GridSpec spec = board_.SpecOf(array);
  spec.axes = w_.WindowedAxes();
  if (subject_ >= 0 && (!spec.focus || step() >= 0)) {
    const StartVector& v = Cached(subject_);
    if (v.known) {
      spec.focus = v.start;
      for (size_t d = 0; d < v.start.size(); ++d) (*spec.focus)[d] = std::clamp<int64_t>(v.start[d], 0, std::max<int64_t>(array.shape.dim(static_cast<int>(d)) - 1, 0));
    }
  }
  spec.cell = [this, inner = std::move(spec.cell), dims = array.shape.dimensions()](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    if (const auto hits = hits_.find(LinearIndex(dims, index)); hits != hits_.end()) {
      absl::StrAppend(&cell.hint, "\n", hits->second.size() == 1 ? "one update goes here" : absl::StrCat(hits->second.size(), " updates meet here"));
    }
    return cell;
  };
  return spec;
}

GridSpec WindowStory::Moved(const PictureArray& array) const {
  GridSpec spec = board_.SpecOf(array);
  spec.axes = w_.MovedAxes();
  if (step() >= 0) {
    std::vector<int64_t> low, high;
    w_.MovedBox(subject_, &low, &high);
    spec.focus = low;
  }
  spec.cell = [this, inner = std::move(spec.cell), made = array.id >= kResultArray, tinted = array.shape.ElementCount() <= 160](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    const int64_t vector = w_.VectorOfMoved(index);
    if (w_.count() > 1 && tinted) cell.tint = Paint(GroupInk(static_cast<int>(vector % kGroupInks)), 0.24f);
    const StartVector& v = Cached(vector);
    if (v.known) {
      const auto place = w_.PlaceOf(v, index);
      absl::StrAppend(&cell.hint, "\nof ", VectorName(vector), " = ", w_.AskedText(v), made ? ": from " : ": to ", place ? absl::StrCat(w_.windowed->name, IndexText(*place)) : std::string("nowhere"));
      if (!place) cell.state = CellState::kSkipped;
      if (v.clamped) absl::StrAppend(&cell.hint, "\nclamped");
    }
    if (step() >= 0 && vector > subject_ && made) {
      cell.text.clear();
      cell.number.reset();
      cell.tint = Paint();
    }
    return cell;
  };
  return spec;
}

void WindowStory::MovedFrames(const PictureArray& array) const {
  const Grid* grid = board_.GridOfArray(array.id);
  const int64_t count = w_.count();
  if (grid == nullptr || count < 2 || w_.moved->shape.ElementCount() == 0) return;
  const auto frame = [&](int64_t vector, Paint paint, float width) {
    std::vector<int64_t> low, high;
    w_.MovedBox(vector, &low, &high);
    const std::vector<Box> boxes = grid->BoxesOf(low, high);
    for (const Box& b : boxes) board_.drawing().AddBox({b.x + 1, b.y + 1, b.width - 2, b.height - 2}, Paint(), paint, 1, width);
    return boxes.empty() ? 0 : 1;
  };
  int64_t drawn = 0;
  for (int64_t v = 0; v < std::min<int64_t>(count, 4096) && drawn < kMostFrames; ++v) {
    if (v != subject_) drawn += frame(v, Paint(GroupInk(static_cast<int>(v % kGroupInks)), subject_ >= 0 ? 0.5f : 0.9f), 1.2f);
  }
  if (subject_ >= 0) frame(subject_, Ink::kAmber, 2.5f);
}

void WindowStory::Frames(const PictureArray& array) const {
  const Grid* grid = board_.GridOfArray(array.id);
  if (grid == nullptr || w_.moved->shape.ElementCount() == 0) return;
  Drawing& drawing = board_.drawing();
  const int64_t count = w_.count();
  const auto frame = [&](int64_t vector, Paint paint, float width, float inset, bool tag, bool asked) {
    const StartVector& v = Cached(vector);
    if (!v.known) return false;
    std::vector<int64_t> low = v.start, high;
    if (asked) {
      for (size_t k = 0; k < v.dims.size(); ++k) low[v.dims[k]] = std::clamp<int64_t>(*v.asked[k], -w_.sizes[v.dims[k]], w_.windowed->shape.dim(v.dims[k]));
    }
    bool inside = true;
    for (size_t d = 0; d < low.size(); ++d) {
      const int64_t n = w_.windowed->shape.dim(static_cast<int>(d));
      inside = inside && low[d] < n && low[d] > -w_.sizes[d];
      high.push_back(inside ? std::min(low[d] + w_.sizes[d], n) - 1 : 0);
      low[d] = std::max<int64_t>(low[d], 0);
    }
    if (!inside) return false;
    bool any = false;
    for (const Box& box : grid->BoxesOf(low, high)) {
      const float by = std::min({inset, box.width / 4, box.height / 4});
      const Box b{box.x + by, box.y + by, box.width - 2 * by, box.height - 2 * by};
      if (asked) {
        drawing.AddPath({{b.x, b.y}, {b.right(), b.y}, {b.right(), b.bottom()}, {b.x, b.bottom()}, {b.x, b.y}}, {paint, width, LineKind::kDashed});
      } else {
        drawing.AddBox(b, Paint(), paint, 2, width);
      }
      if (tag && !any) {
        const std::string name = w_.batch.size() == 1 ? absl::StrCat(vector) : absl::StrJoin(w_.BatchIndex(vector), ",");
        const float w = TextWidth(name, Face::kStrong, 9) + 5;
        // In the corner, above what the cell says.
        drawing.AddBox({b.x - 3, b.y - 5, w, 10}, paint, Paint(), 2);
        drawing.AddText({b.x - 3 + w / 2, b.y + 3}, name, {9, Face::kStrong, Ink::kWindow, Align::kCenter});
      }
      any = true;
    }
    return any;
  };
  int64_t drawn = 0;
  for (int64_t v = 0; v < std::min<int64_t>(count, 4096) && drawn < kMostFrames; ++v) {
    if (v == subject_ || (step() >= 0 && v > subject_)) continue;
    const bool quiet = subject_ >= 0;
    drawn += frame(v, Paint(GroupInk(static_cast<int>(v % kGroupInks)), quiet ? 0.45f : 1), quiet ? 1.2f : 2, static_cast<float>(v % 4) * 1.5f, count > 1 && !quiet, false);
  }
  if (subject_ >= 0) {
    if (Cached(subject_).clamped) frame(subject_, Ink::kOrange, 1.5f, 0, false, true);
    frame(subject_, count > 1 ? Ink::kAmber : Paint(GroupInk(3)), 2.5f, 0, count > 1, false);
  }
}

void WindowStory::SaySubject() {
  if (subject_ < 0 || w_.moved->shape.ElementCount() == 0) return;
  const StartVector& v = Cached(subject_);
  std::string text;
  if (w_.count() > 1) text = absl::StrCat("Index vector ", subject_ + 1, " of ", w_.count(), ": ", VectorName(subject_), " = ", w_.AskedText(v));
  else text = absl::StrCat("The start: ", w_.AskedText(v));
  if (!v.known) {
    absl::StrAppend(&text, ", not computed yet.");
  } else {
    absl::StrAppend(&text, ". Window: ", w_.WindowText(v), ".");
    if (v.clamped && w_.count() > 1) absl::StrAppend(&text, " It ", Clamping(v), ".");
    if (v.outside) absl::StrAppend(&text, " What lies outside is left out.");
    std::vector<int64_t> low, high;
    w_.MovedBox(subject_, &low, &high);
    std::vector<std::string> parts;
    for (size_t d = 0; d < low.size(); ++d) parts.push_back(low[d] == high[d] ? absl::StrCat(low[d]) : absl::StrCat(low[d], ":", high[d] + 1));
    const std::string place = parts.empty() ? w_.moved->name : absl::StrCat(w_.moved->name, "[", absl::StrJoin(parts, ","), "]");
    absl::StrAppend(&text, w_.moved->id >= kResultArray ? " It becomes " : " It takes ", place, ".");
  }
  if (step() >= 0) {
    board_.set_step_text(text);
  } else {
    board_.Say(text);
  }
}

}  // namespace hloscope
