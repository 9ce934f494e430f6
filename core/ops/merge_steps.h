// A merge sort one comparison at a time, so that whoever compares may take as long as a debugger's user does: which two are asked about next follows
// from the answers. Right before left only where less(right, left): stable, and safe for comparators that are no order at all.
#ifndef HLOSCOPE_CORE_OPS_MERGE_STEPS_H_
#define HLOSCOPE_CORE_OPS_MERGE_STEPS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace hloscope {

class MergeSteps {
 public:
  // Sorts `order`, which stays with the caller and is what it will be once Next gives nothing.
  explicit MergeSteps(absl::Span<int64_t> order) : order_(order), n_(static_cast<int64_t>(order.size())) { BeginRun(0); }

  // "Does the first stand before the second?" Nothing: they are sorted. Each question wants an Answer before the next one.
  std::optional<std::pair<int64_t, int64_t>> Next() {
    while (width_ == 0) {  // runs of a few by insertion
      if (at_ < end_ && to_ > begin_) return std::make_pair(moved_, order_[to_ - 1]);
      if (at_ < end_) Insert();
      else if (end_ < n_) BeginRun(end_);
      else if (n_ <= kRun) return std::nullopt;
      else BeginMerges();
    }
    while (width_ < n_) {
      if (left_ < middle_ && right_ < end_) return std::make_pair(order_[right_], order_[left_]);
      EndMerge();
    }
    return std::nullopt;
  }

  void Answer(bool before) {
    if (width_ > 0) {
      other_[out_++] = before ? order_[right_++] : order_[left_++];
    } else if (before) {
      order_[to_] = order_[to_ - 1];
      --to_;
    } else {
      Insert();
    }
  }

 private:
  static constexpr int64_t kRun = 8;

  void BeginRun(int64_t begin) {
    begin_ = begin;
    end_ = std::min(begin + kRun, n_);
    Take(begin + 1);
  }
  void Take(int64_t at) {
    at_ = to_ = at;
    if (at < end_) moved_ = order_[at];
  }
  void Insert() {
    order_[to_] = moved_;
    Take(at_ + 1);
  }
  void BeginMerges() {
    other_.resize(n_);
    width_ = kRun;
    BeginMerge(0);
  }
  void BeginMerge(int64_t begin) {
    begin_ = left_ = out_ = begin;
    middle_ = right_ = std::min(begin + width_, n_);
    end_ = std::min(begin + 2 * width_, n_);
  }
  void EndMerge() {
    while (left_ < middle_) other_[out_++] = order_[left_++];
    while (right_ < end_) other_[out_++] = order_[right_++];
    if (end_ < n_) return BeginMerge(end_);
    std::copy(other_.begin(), other_.end(), order_.begin());
    width_ *= 2;
    BeginMerge(0);
  }

  absl::Span<int64_t> order_;
  std::vector<int64_t> other_;
  int64_t n_, width_ = 0;  // of the runs that are merged; 0: they are still made
  int64_t begin_ = 0, end_ = 0;
  int64_t at_ = 0, to_ = 0, moved_ = 0;  // insertion: the element that is taken, and the place that it has come to
  int64_t left_ = 0, middle_ = 0, right_ = 0, out_ = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_MERGE_STEPS_H_
