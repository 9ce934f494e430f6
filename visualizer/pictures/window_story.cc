#include "visualizer/pictures/window_story.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hloscope {
namespace {

// Vectors and moved elements that are counted, and frames that are drawn.
constexpr int64_t kMostVectors = 1 << 15, kMostElements = 1 << 17, kMostFrames = 48, kMostSteps = 4096;

// Where windows start: `words` say along which dimensions the vectors tell it.
std::string StartsText(const Captions& tr, const IndexWindows& w, const std::vector<std::string>& words) {
  const std::string told = absl::StrJoin(words, ", ");
  const auto together = static_cast<size_t>(std::count(w.windowed_dims.begin(), w.windowed_dims.end(), WindowDim::kTogether));
  if (together > 0) {
    if (words.empty()) return tr("vectors have no numbers: every window starts at 0, but along batching dimensions at the index of its vector there.");
    if (words.size() + together < w.sizes.size()) return tr("of a vector $0; along batching dimensions windows start at the index of the vector there, elsewhere at 0.", told);
    return tr("of a vector $0; along batching dimensions windows start at the index of the vector there.", told);
  }
  if (words.empty()) return tr("vectors have no numbers: every window starts at 0.");
  return words.size() < w.sizes.size() ? tr("of a vector $0; elsewhere windows start at 0.", told) : tr("of a vector $0.", told);
}

bool Meet(const Box& a, const Box& b) { return a.x < b.right() + 1 && b.x < a.right() + 1 && a.y < b.bottom() && b.y < a.bottom(); }

}  // namespace

std::string LettersText(const Captions& tr, const std::vector<GridAxis>& axes, absl::Span<const int64_t> dims) {
  std::vector<std::string> words;
  for (int64_t d : dims) words.push_back(axes[d].letter);
  return tr.And(words);
}

void ExplainIndexVectors(Board& board, const IndexWindows& w, absl::string_view starts_name, absl::Span<const int64_t> starts) {
  const Captions& tr = board.captions();
  const PictureArray& indices = *w.indices[0];
  const int64_t dim = board.scene().instruction().Int(AttrId::kIndexVectorDim);
  board.Explain(absl::StrCat("index_vector_dim=", dim), PaintOf(WindowDim::kVector),
                indices.shape.rank() == 0     ? tr("$0 is a single number, and that is the index vector.", indices.name)
                : dim == indices.shape.rank() ? tr("this is the rank of $0: every single number of it is an index vector. There are $1.", indices.name, w.count())
                                            : tr("the numbers of one index vector stand along dimension $0 (n) of $1; the others walk over the $2 vectors.", dim, indices.name, w.count()));
  const std::vector<GridAxis> axes = w.WindowedAxes();
  std::vector<std::string> words;
  for (size_t k = 0; k < starts.size(); ++k) words.push_back(tr("number $0 is the start along $1", k, axes[starts[k]].letter));
  board.Explain(absl::StrCat(starts_name, "=", ListText(starts)), PaintOf(WindowDim::kVector), StartsText(tr, w, words));
}

void ExplainBatching(Board& board, const IndexWindows& w, absl::string_view name, absl::Span<const int64_t> dims, absl::string_view indices_name,
                     absl::Span<const int64_t> of_indices) {
  if (dims.empty()) return;
  const Captions& tr = board.captions();
  const std::vector<GridAxis> axes = w.WindowedAxes();
  std::vector<std::string> pairs;
  for (size_t k = 0; k < dims.size(); ++k) pairs.push_back(tr("dimension $0 of $1 goes along with dimension $2 of $3 ($4)", dims[k], w.windowed->name, of_indices[k], w.indices[0]->name, axes[dims[k]].letter));
  board.Explain(absl::StrCat(name, "=", ListText(dims), ", ", indices_name, "=", ListText(of_indices)), PaintOf(WindowDim::kTogether),
                tr("$0: the same index on both sides.", absl::StrJoin(pairs, ", ")));
}

WindowStory::WindowStory(Board& board, IndexWindows windows) : board_(board), tr_(board.captions()), w_(std::move(windows)) {
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
  if (w_.batch.empty()) return w_.indices.size() == 1 && !w_.indices_dims.empty() ? w_.indices[0]->name : tr_("the start");
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
    parts.push_back(v.start[d] == 0 && *v.asked[k] < 0
                        ? tr_("asks for $0 = $1, but a window of $2 in $3 starts at $4 at the earliest", axes[d].letter, v.said[k],
                              w_.sizes[d], w_.windowed->shape.dim(d), v.start[d])
                        : tr_("asks for $0 = $1, but a window of $2 in $3 starts at $4 at the latest", axes[d].letter, v.said[k],
                              w_.sizes[d], w_.windowed->shape.dim(d), v.start[d]));
  }
  return absl::StrJoin(parts, "; ");
}

void WindowStory::SayCounts() {
  const int64_t count = w_.count();
  const std::string of = looked_at_ < count ? tr_("the first $0 of $1", looked_at_, count) : absl::StrCat(count);
  if (clamped_ > 0) {
    std::string text = count == 1 ? tr_("Clamped: the window would not fit where it was asked for:") : tr_("Clamped: $0 of $1 windows would not fit where they were asked for.", clamped_, of);
    for (int64_t e : examples_) absl::StrAppend(&text, " ", count == 1 ? tr_("it") : VectorName(e), " ", Clamping(Cached(e)), ".");
    board_.Explain("!", Ink::kOrange, text);
  }
  if (outside_ > 0 || left_out_ > 0) {
    std::vector<std::string> names;
    for (int64_t e : examples_) names.push_back(absl::StrCat(VectorName(e), " = ", w_.AskedText(Cached(e))));
    const bool more = outside_ > static_cast<int64_t>(examples_.size());
    board_.Explain("x", Ink::kPink,
                   absl::StrCat(tr_.Counted(left_out_, "Left out: $0 of $1 updates would lie outside of $2", "Left out: $0 of $1 updates would lie outside of $2", w_.moved->shape.ElementCount(), w_.windowed->name), names.empty() ? "" : "; ",
                                names.empty() ? "" : more ? tr_("the windows of $0 and others reach out", absl::StrJoin(names, ", ")) : outside_ == 1 ? tr_("the window of $0 reaches out", absl::StrJoin(names, ", ")) : tr_("the windows of $0 reach out", absl::StrJoin(names, ", ")), "."));
  }
  if (met_ > 0) {
    size_t most = 0;
    for (const auto& [at, vectors] : hits_) most = std::max(most, vectors.size());
    board_.Explain("2x", Ink::kAmber,
                   tr_.Counted(met_, "Met: on one element several updates meet, up to $1; they are combined in row-major order of the updates, on which a program should not depend.",
                               "Met: on $0 elements several updates meet, up to $1; they are combined in row-major order of the updates, on which a program should not depend.", most));
  }
  if (looked_at_ < count && w_.moved->shape.ElementCount() > 0) board_.Say(tr_("Looked at: the first $0 of $1 index vectors.", looked_at_, count));
}

std::vector<Board::Piece> WindowStory::Indices() const {
  std::vector<Board::Piece> pieces;
  const std::vector<GridAxis> axes = w_.IndicesAxes();
  for (const PictureArray* array : w_.indices) {
    GridSpec spec = board_.SpecOf(*array);
    if (w_.indices.size() == 1) spec.axes = axes;
    spec.only_numbers = spec.numbers;  // which ones they are is what they are for
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
        absl::StrAppend(&cell.hint, "\n", tr_("where its window starts along $0", letter));
        const int64_t last = w_.windowed->shape.dim(v.dims[k]) - w_.sizes[v.dims[k]];
        if (*v.asked[k] >= 0 && *v.asked[k] <= last) continue;
        const bool some_inside = *v.asked[k] > -w_.sizes[v.dims[k]] && *v.asked[k] < w_.windowed->shape.dim(v.dims[k]);
        cell.state = w_.clamps ? CellState::kClamped : some_inside ? CellState::kPartly : CellState::kSkipped;
        absl::StrAppend(&cell.hint, "\n", w_.clamps ? tr_("clamped to $0", v.start[v.dims[k]]) : tr_("its window reaches outside: what lies there is left out"));
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
  spec.tagged = w_.count() > 1;
  spec.axes = w_.WindowedAxes();
  if (subject_ >= 0 && (!spec.focus || step() >= 0)) {
    const StartVector& v = Cached(subject_);
    if (v.known) {
      spec.focus = v.start;
      for (size_t d = 0; d < v.start.size(); ++d) (*spec.focus)[d] = std::clamp<int64_t>(v.start[d], 0, std::max<int64_t>(array.shape.dim(static_cast<int>(d)) - 1, 0));
      spec.focus_last = spec.focus;
      for (size_t d = 0; d < w_.sizes.size() && d < spec.focus_last->size(); ++d) (*spec.focus_last)[d] += std::max<int64_t>(w_.sizes[d] - 1, 0);
    }
  }
  spec.cell = [this, inner = std::move(spec.cell), dims = array.shape.dimensions()](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    if (const auto hits = hits_.find(LinearIndex(dims, index)); hits != hits_.end()) {
      absl::StrAppend(&cell.hint, "\n", tr_.Counted(static_cast<int64_t>(hits->second.size()), "one update goes here", "$0 updates meet here"));
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
    spec.focus_last = high;
  }
  spec.cell = [this, inner = std::move(spec.cell), made = array.id >= kResultArray, tinted = array.shape.ElementCount() <= kMostTinted](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    const int64_t vector = w_.VectorOfMoved(index);
    if (w_.count() > 1 && tinted) cell.tint = Paint(GroupInk(static_cast<int>(vector % kGroupInks)), 0.24f);
    const StartVector& v = Cached(vector);
    if (v.known) {
      const auto place = w_.PlaceOf(v, index);
      const std::string of = absl::StrCat(VectorName(vector), " = ", w_.AskedText(v)), where = place ? absl::StrCat(w_.windowed->name, IndexText(*place)) : tr_("nowhere");
      absl::StrAppend(&cell.hint, "\n", made ? tr_("of $0: from $1", of, where) : tr_("of $0: to $1", of, where));
      if (!place) cell.state = CellState::kSkipped;
      if (v.clamped) absl::StrAppend(&cell.hint, "\n", tr_("clamped"));
    }
    if (step() >= 0 && vector > subject_ && made) {
      cell.Empty();
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
  struct Tag {
    Box place;
    Paint paint;
    std::string name;
  };
  constexpr float kStandsOff = 7, kTagHeight = 10;
  const bool one_row = grid->spec().rows < 0;  // there is room for names above it (GridSpec::tagged)
  std::vector<Tag> tags;   // drawn last, over all frames
  std::vector<Tag> small;  // the same of windows that their names would cover; `place`: the window
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
        // In the corner, above what the cell says; in another one where other windows begin there, too.
        // Narrow enough, it hangs over the corner: numbers of cells and columns, in the middle of these, stay free.
        const std::optional<Box> cell = grid->BoxOf(low);
        const float over = !grid->has_numbers() ? 2.0f : std::max(3.0f, w - std::max(0.0f, (cell ? cell->width : box.width) / 2 - 5));
        const float left = box.x - over, right = std::max(left + w + 1, box.right() - w + over), top = box.y - 5, bottom = box.bottom() - 5;
        // A cell that the name would cover stays free: it stands off, with a line to the cell, where there are rows that have room for it.
        if (!grid->has_numbers() && box.width < 2 * w && box.height < 20 && (one_row || grid->body().height >= 2 * (box.height + kStandsOff + kTagHeight))) {
          small.push_back({box, paint, name});
          any = true;
          continue;
        }
        // Corners first, then along the upper and lower edges from cell to cell; where there is no room at all, cells say it when hovered.
        std::vector<Place> places = {{left, top}, {right, top}, {left, bottom}, {right, bottom}};
        for (const float y : {top, bottom}) {
          for (float x = left + (cell ? cell->width : box.width); cell && x + w < box.right(); x += cell->width) places.push_back({x, y});
        }
        for (const Place& at : places) {
          const Box place{at.x, at.y, w, kTagHeight};
          if (std::any_of(tags.begin(), tags.end(), [&place](const Tag& tag) { return Meet(place, tag.place); })) continue;
          tags.push_back({place, paint, name});
          break;
        }
      }
      any = true;
    }
    return any;
  };
  // Frames that meet lie in each other, as little as they must; single cells have no room for that where they need not.
  const bool single = std::all_of(w_.sizes.begin(), w_.sizes.end(), [](int64_t n) { return n == 1; });
  struct Nested {
    std::vector<int64_t> start;
    int depth;
  };
  std::vector<Nested> nested;
  constexpr int kDepths = 4;
  const auto beside = [grid](int d) { return d == grid->spec().rows || d == grid->spec().columns; };  // windows that end where others begin meet there
  const auto depth_of = [&](const std::vector<int64_t>& start) {
    std::array<bool, kDepths> taken{};
    for (const Nested& other : nested) {
      bool meet = true;
      for (size_t d = 0; d < start.size() && meet; ++d) meet = std::abs(start[d] - other.start[d]) < w_.sizes[d] + (single || !beside(static_cast<int>(d)) ? 0 : 1);
      if (meet) taken[other.depth] = true;
    }
    const auto free = std::find(taken.begin(), taken.end(), false);
    return free != taken.end() ? static_cast<int>(free - taken.begin()) : static_cast<int>(nested.size() % kDepths);
  };
  int64_t drawn = 0;
  for (int64_t v = 0; v < std::min<int64_t>(count, 4096) && drawn < kMostFrames; ++v) {
    if (v == subject_ || (step() >= 0 && v > subject_) || !Cached(v).known) continue;
    const bool quiet = subject_ >= 0;
    const int depth = depth_of(Cached(v).start);
    if (!frame(v, Paint(GroupInk(static_cast<int>(v % kGroupInks)), quiet ? 0.45f : 1), quiet ? 1.2f : 2, static_cast<float>(depth) * 1.5f, count > 1 && !quiet, false)) continue;
    nested.push_back({Cached(v).start, depth});
    ++drawn;
  }
  if (subject_ >= 0) {
    if (Cached(subject_).clamped) frame(subject_, Ink::kOrange, 1.5f, 0, false, true);
    frame(subject_, count > 1 ? Ink::kAmber : Paint(GroupInk(3)), 2.5f, 0, count > 1, false);
  }
  // They meet neither each other nor any of the windows, nor what stands above and below the cells; where there is no room for one, the cell
  // says it when hovered.
  const Box body = grid->body();
  for (const Tag& of : small) {
    const float w = TextWidth(of.name, Face::kStrong, 9) + 5;
    for (const auto& [right, below] : {std::pair(true, false), std::pair(false, false), std::pair(true, true), std::pair(false, true)}) {
      const Place corner{right ? of.place.right() : of.place.x, below ? of.place.bottom() : of.place.y};
      const Box place{right ? corner.x + kStandsOff : corner.x - kStandsOff - w, below ? corner.y + kStandsOff : corner.y - kStandsOff - kTagHeight, w, kTagHeight};
      const auto meets = [&place](const Tag& other) { return Meet(place, other.place); };
      if (place.x < body.x || place.right() > grid->right() || place.y < body.y - (one_row ? kStandsOff + kTagHeight : 4) || place.bottom() > body.bottom() + 4) continue;
      if (std::any_of(tags.begin(), tags.end(), meets) || std::any_of(small.begin(), small.end(), meets)) continue;
      drawing.AddLine(corner, {right ? place.x : place.right(), below ? place.y : place.bottom()}, {of.paint, 1.5f});
      tags.push_back({place, of.paint, of.name});
      break;
    }
  }
  for (const Tag& tag : tags) {
    drawing.AddBox(tag.place, tag.paint, Paint(), 2);
    drawing.AddText({tag.place.middle().x, tag.place.y + 8}, tag.name, {9, Face::kStrong, Ink::kWindow, Align::kCenter});
  }
}

void WindowStory::SaySubject() {
  if (subject_ < 0 || w_.moved->shape.ElementCount() == 0) return;
  const StartVector& v = Cached(subject_);
  std::string text;
  if (w_.count() > 1) text = tr_("Index vector $0 (of 0 to $1): $2 = $3", subject_, w_.count() - 1, VectorName(subject_), w_.AskedText(v));
  else text = tr_("The start: $0", w_.AskedText(v));
  if (!v.known) {
    absl::StrAppend(&text, ", ", tr_("not computed yet."));
  } else {
    absl::StrAppend(&text, ". ", tr_("Window: $0.", w_.WindowText(tr_, v)));
    if (v.clamped && w_.count() > 1) absl::StrAppend(&text, " ", tr_("It $0.", Clamping(v)));
    if (v.outside) absl::StrAppend(&text, " ", tr_("What lies outside is left out."));
    std::vector<int64_t> low, high;
    w_.MovedBox(subject_, &low, &high);
    std::vector<std::string> parts;
    for (size_t d = 0; d < low.size(); ++d) parts.push_back(low[d] == high[d] ? absl::StrCat(low[d]) : absl::StrCat(low[d], ":", high[d] + 1));
    // Of several arrays that move alike the one that is selected.
    const PictureArray* moved = board_.cell() != nullptr && step() < 0 ? board_.scene().Find(board_.cell()->array) : nullptr;
    const bool alike = moved != nullptr && (moved->id >= kResultArray) == (w_.moved->id >= kResultArray) && moved->id > w_.moved->id && moved->shape.dimensions() == w_.moved->shape.dimensions();
    const std::string& name = alike ? moved->name : w_.moved->name;
    const std::string place = parts.empty() ? name : absl::StrCat(name, "[", absl::StrJoin(parts, ","), "]");
    absl::StrAppend(&text, " ", w_.moved->id >= kResultArray ? tr_("It becomes $0.", place) : tr_("It takes $0.", place));
  }
  if (step() >= 0) {
    board_.set_step_text(text);
  } else {
    board_.Say(text);
  }
}

}  // namespace hloscope
