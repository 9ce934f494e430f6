// Runs are collected and put in order when somebody looks.
#include "core/debug/element_set.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/subscript.h"

namespace hloscope {
namespace {

constexpr size_t kMostBoxes = 64;
constexpr int64_t kRowsLookedAt = 256;

}  // namespace

ElementSet::ElementSet(const Shape& array) : dims_(array.dimensions().begin(), array.dimensions().end()), total_(array.ElementCount()) {}

ElementSet ElementSet::All(const Shape& array) {
  ElementSet set(array);
  set.Add(0, set.total_);
  return set;
}

ElementSet ElementSet::WithShape(const Shape& array) const {
  ElementSet set(array);
  set.exact = exact;
  for (const Run& run : runs()) set.Add(std::min(run.begin, set.total_), std::min(run.end, set.total_));
  return set;
}

ElementSet ElementSet::WithSizes(const Shape& array) const {
  ElementSet set(array);
  set.exact = exact;
  if (dims_.empty()) return WithShape(array);
  // Row by row of the last dimension.
  const int64_t row = dims_.back(), to_row = set.dims_.back();
  std::vector<int64_t> index(dims_.size());
  for (const Run& run : runs()) {
    for (int64_t at = run.begin; at < run.end;) {
      const int64_t next = std::min(run.end, (at / row + 1) * row);
      DelinearizeIndex(dims_, at, absl::MakeSpan(index));
      bool inside = true;
      for (size_t d = 0; d < index.size(); ++d) inside = inside && index[d] < set.dims_[d];
      if (inside) {
        const int64_t to = LinearIndex(set.dims_, index);
        set.Add(to, to + std::min(next - at, to_row - index.back()));
      }
      at = next;
    }
  }
  return set;
}

void ElementSet::AddBox(absl::Span<const int64_t> low, absl::Span<const int64_t> high) {
  // The last dimensions that are covered whole make one run of a row.
  int inner = static_cast<int>(dims_.size());
  int64_t length = 1;
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (low[d] > high[d]) return;
  }
  while (inner > 0 && low[inner - 1] == 0 && high[inner - 1] == dims_[inner - 1] - 1) length *= dims_[--inner];
  if (inner == 0) return Add(0, length);
  length *= high[inner - 1] - low[inner - 1] + 1;
  std::vector<int64_t> at(low.begin(), low.end());
  while (true) {
    const int64_t begin = LinearIndex(dims_, at);
    Add(begin, begin + length);
    int d = inner - 2;
    for (; d >= 0; --d) {
      if (++at[d] <= high[d]) break;
      at[d] = low[d];
    }
    if (d < 0) return;
    if (pending_.size() > (size_t{1} << 20)) Normalize();
  }
}

void ElementSet::AddAll(const ElementSet& other) {
  for (const Run& run : other.runs()) Add(run.begin, run.end);
  exact = exact && other.exact;
}

void ElementSet::Remove(int64_t element) {
  Normalize();
  auto it = std::upper_bound(runs_.begin(), runs_.end(), element, [](int64_t e, const Run& r) { return e < r.end; });
  if (it == runs_.end() || it->begin > element) return;
  const Run after{element + 1, it->end};
  it->end = element;
  if (it->begin == it->end) it = runs_.erase(it);
  else ++it;
  if (after.begin < after.end) runs_.insert(it, after);
  boxed_ = bounded_ = false;
}

void ElementSet::Normalize() const {
  if (pending_.empty()) return;
  boxed_ = bounded_ = false;
  // What is there is in order: sets that grow by a little each time are merged, not sorted anew.
  const auto earlier = [](const Run& a, const Run& b) { return a.begin < b.begin; };
  if (!std::is_sorted(pending_.begin(), pending_.end(), earlier)) std::sort(pending_.begin(), pending_.end(), earlier);
  const ptrdiff_t before = static_cast<ptrdiff_t>(runs_.size());
  runs_.insert(runs_.end(), pending_.begin(), pending_.end());
  pending_.clear();
  if (before > 0 && runs_[before].begin < runs_[before - 1].begin) std::inplace_merge(runs_.begin(), runs_.begin() + before, runs_.end(), earlier);
  size_t out = 0;
  for (const Run& run : runs_) {
    if (out > 0 && run.begin <= runs_[out - 1].end) {
      runs_[out - 1].end = std::max(runs_[out - 1].end, run.end);
    } else {
      runs_[out++] = run;
    }
  }
  runs_.resize(out);
}

const std::vector<ElementSet::Run>& ElementSet::runs() const {
  Normalize();
  return runs_;
}

int64_t ElementSet::count() const {
  int64_t n = 0;
  for (const Run& run : runs()) n += run.end - run.begin;
  return n;
}

bool ElementSet::Contains(int64_t element) const {
  const std::vector<Run>& r = runs();
  const auto it = std::upper_bound(r.begin(), r.end(), element, [](int64_t e, const Run& run) { return e < run.end; });
  return it != r.end() && it->begin <= element;
}

bool ElementSet::Touches(const Box& box) const {
  const std::vector<Run>& r = runs();
  const auto touches = [&](int64_t first, int64_t last) {
    const auto it = std::upper_bound(r.begin(), r.end(), first, [](int64_t e, const Run& run) { return e < run.end; });
    return it != r.end() && it->begin <= last;
  };
  if (dims_.empty()) return !r.empty();
  if (!touches(LinearIndex(dims_, box.low), LinearIndex(dims_, box.high))) return false;
  if (const std::vector<Box>& boxes = Boxes(); !boxes.empty()) {
    return std::any_of(boxes.begin(), boxes.end(), [&](const Box& b) {
      for (size_t d = 0; d < dims_.size(); ++d) {
        if (b.high[d] < box.low[d] || b.low[d] > box.high[d]) return false;
      }
      return true;
    });
  }
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < dims_.size(); ++d) {
    rows *= box.high[d] - box.low[d] + 1;
    if (rows > kRowsLookedAt) return true;
  }
  std::vector<int64_t> at = box.low;
  for (int64_t n = 0; n < rows; ++n) {
    const int64_t first = LinearIndex(dims_, at);
    if (touches(first, first + box.high.back() - box.low.back())) return true;
    for (int d = static_cast<int>(dims_.size()) - 2; d >= 0; --d) {
      if (++at[d] <= box.high[d]) break;
      at[d] = box.low[d];
    }
  }
  return false;
}

bool ElementSet::Covers(const Box& box) const {
  const auto inside = [&](const Box& b) {
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (box.low[d] < b.low[d] || box.high[d] > b.high[d]) return false;
    }
    return true;
  };
  if (const std::vector<Box>& boxes = Boxes(); std::any_of(boxes.begin(), boxes.end(), inside)) return true;
  const std::vector<Run>& r = runs();
  const int64_t first = LinearIndex(dims_, box.low), last = LinearIndex(dims_, box.high);  // a run between them has all of the box
  const auto it = std::upper_bound(r.begin(), r.end(), first, [](int64_t e, const Run& run) { return e < run.end; });
  return it != r.end() && it->begin <= first && last < it->end;
}

namespace {

// A run as boxes: rows of the outermost dimension that it covers whole, and what is left at both ends.
void BoxesOfRun(absl::Span<const int64_t> dims, std::vector<int64_t> prefix, int64_t begin, int64_t end, std::vector<ElementSet::Box>* out) {
  if (out->size() > kMostBoxes || begin >= end) return;
  if (dims.empty()) {
    out->push_back({prefix, prefix});
    return;
  }
  int64_t row = 1;
  for (size_t d = 1; d < dims.size(); ++d) row *= dims[d];
  const auto part = [&](int64_t index, int64_t from, int64_t to) {
    std::vector<int64_t> inner = prefix;
    inner.push_back(index);
    BoxesOfRun(dims.subspan(1), std::move(inner), from, to, out);
  };
  int64_t first = begin / row, last = (end - 1) / row;
  if (first == last && end - begin < row) return part(first, begin - first * row, end - first * row);
  if (begin % row != 0) {
    part(first, begin - first * row, row);
    ++first;
  }
  const bool rest = end % row != 0;
  const int64_t whole_last = rest ? last - 1 : last;
  if (first <= whole_last) {
    ElementSet::Box box{prefix, prefix};
    box.low.push_back(first);
    box.high.push_back(whole_last);
    for (size_t d = 1; d < dims.size(); ++d) {
      box.low.push_back(0);
      box.high.push_back(dims[d] - 1);
    }
    out->push_back(std::move(box));
  }
  if (rest) part(last, 0, end - last * row);
}

// Joins a run within one row with the box before, where that has the same part of the rows just before.
bool Follows(absl::Span<const int64_t> dims, const ElementSet::Run& run, ElementSet::Box* box) {
  int64_t first = run.begin, last = run.end - 1;
  int differs = -1;
  for (int d = static_cast<int>(dims.size()) - 1; d >= 0; --d) {
    const int64_t low = first % dims[d], high = last % dims[d];
    first /= dims[d];
    last /= dims[d];
    if (box->low[d] == low && box->high[d] == high) continue;
    if (differs >= 0 || low != high || low != box->high[d] + 1) return false;
    differs = d;
  }
  if (differs < 0) return false;
  // Between its ends the run goes through everything below the first dimension where they differ: there must be none above the last one.
  for (size_t d = 0; d + 1 < dims.size(); ++d) {
    if (static_cast<int>(d) != differs && box->low[d] != box->high[d]) return false;
  }
  ++box->high[differs];
  return true;
}

// Joins a box with the one before where they differ in one dimension and follow each other there.
bool Join(ElementSet::Box* a, const ElementSet::Box& b) {
  int differs = -1;
  for (size_t d = 0; d < a->low.size(); ++d) {
    if (a->low[d] == b.low[d] && a->high[d] == b.high[d]) continue;
    if (differs >= 0 || b.low[d] != a->high[d] + 1) return false;
    differs = static_cast<int>(d);
  }
  if (differs < 0) return false;
  a->high[differs] = b.high[differs];
  return true;
}

// The last box with those before it, as far as they follow each other: rows that are complete make a plane, planes a block.
void JoinLast(std::vector<ElementSet::Box>* boxes) {
  while (boxes->size() > 1 && Join(&(*boxes)[boxes->size() - 2], boxes->back())) boxes->pop_back();
}

}  // namespace

const std::vector<ElementSet::Box>& ElementSet::Boxes() const {
  Normalize();
  if (boxed_) return boxes_;
  boxed_ = true;
  boxes_.clear();
  for (const Run& run : runs_) {
    if (!boxes_.empty() && Follows(dims_, run, &boxes_.back())) continue;
    std::vector<Box> parts;
    BoxesOfRun(dims_, {}, run.begin, run.end, &parts);
    for (Box& part : parts) {
      JoinLast(&boxes_);
      if (boxes_.empty() || !Join(&boxes_.back(), part)) boxes_.push_back(std::move(part));
    }
    if (boxes_.size() > kMostBoxes) {
      boxes_.clear();
      break;
    }
  }
  JoinLast(&boxes_);
  return boxes_;
}

const ElementSet::Box& ElementSet::Bounds() const {
  Normalize();
  if (bounded_) return bounds_;
  bounded_ = true;
  Box& bounds = bounds_ = {};
  const auto add = [&](absl::Span<const int64_t> low, absl::Span<const int64_t> high) {
    if (bounds.low.empty()) {
      bounds = {{low.begin(), low.end()}, {high.begin(), high.end()}};
      return;
    }
    for (size_t d = 0; d < low.size(); ++d) {
      bounds.low[d] = std::min(bounds.low[d], low[d]);
      bounds.high[d] = std::max(bounds.high[d], high[d]);
    }
  };
  if (const std::vector<Box>& boxes = Boxes(); !boxes.empty()) {
    for (const Box& box : boxes) add(box.low, box.high);
    return bounds;
  }
  const size_t rank = dims_.size();
  std::vector<int64_t> low(rank), high(rank);
  for (const Run& run : runs_) {
    DelinearizeIndex(dims_, run.begin, absl::MakeSpan(low));
    DelinearizeIndex(dims_, run.end - 1, absl::MakeSpan(high));
    // Below the first dimension in which the ends differ, the run goes through everything.
    bool differs = false;
    for (size_t d = 0; d < rank; ++d) {
      if (differs) {
        low[d] = 0;
        high[d] = dims_[d] - 1;
      }
      differs = differs || low[d] != high[d];
    }
    add(low, high);
  }
  return bounds;
}

std::string Describe(const ElementSet& set, const Shape& array) {
  const int64_t count = set.count();
  if (array.rank() == 0) return count > 0 ? "the scalar" : "nothing";
  const std::string most = set.exact ? "" : "at most ";
  if (count == set.total()) return absl::StrCat(most, "all ", count);
  std::string text = absl::StrCat(most, count, " of ", set.total());
  if (count == 1) return absl::StrCat(text, ", ", IndexText(array, set.runs()[0].begin));
  const ElementSet::Box bounds = set.Bounds();
  int64_t inside = 1;
  for (int d = 0; d < array.rank(); ++d) inside *= bounds.high[d] - bounds.low[d] + 1;
  absl::StrAppend(&text, inside == count ? ", [" : ", within [", absl::StrJoin(bounds.low, ","), "] to [", absl::StrJoin(bounds.high, ","), "]");
  if (inside == count) return text;
  constexpr int kFew = 4;
  int shown = 0;
  for (const ElementSet::Run& run : set.runs()) {
    for (int64_t e = run.begin; e < run.end && shown < kFew; ++e, ++shown) absl::StrAppend(&text, shown == 0 ? ": " : ", ", IndexText(array, e));
  }
  if (count > kFew) text += ", ...";
  return text;
}

}  // namespace hloscope
