// A merge sort that can be left off after any number of comparisons and gone on with later, by an
// order that may have changed meanwhile: then the outcome is in no one order, but every value is
// there once. One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace weir {

template <class Value>
class PiecewiseSort {
 public:
  explicit PiecewiseSort(std::vector<Value> values) : from_(std::move(values)) { begin_pass(); }

  // Up to so many comparisons; false: all is sorted. Equal values stay as they stand.
  template <class Before>
  bool go_on(std::size_t comparisons, Before before) {
    while (width_ < from_.size()) {
      while (left_ < left_end_ && right_ < right_end_) {
        if (comparisons-- == 0) return true;
        into_.push_back(before(from_[right_], from_[left_]) ? from_[right_++] : from_[left_++]);
      }
      take_rest();
      if (right_end_ < from_.size()) {
        begin_pair(right_end_);
      } else {
        std::swap(from_, into_);
        width_ *= 2;
        begin_pass();
      }
    }
    return false;
  }

  std::vector<Value> take() {
    if (width_ < from_.size()) {  // left off: what is not merged yet, as it stands
      take_rest();
      into_.insert(into_.end(), from_.begin() + at(right_end_), from_.end());
      std::swap(from_, into_);
    }
    return std::move(from_);
  }

 private:
  static std::ptrdiff_t at(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }
  void begin_pass() {
    into_.clear();
    begin_pair(0);
  }
  void begin_pair(std::size_t place) {
    left_ = place;
    left_end_ = right_ = std::min(place + width_, from_.size());
    right_end_ = std::min(place + 2 * width_, from_.size());
  }
  void take_rest() {
    into_.insert(into_.end(), from_.begin() + at(left_), from_.begin() + at(left_end_));
    into_.insert(into_.end(), from_.begin() + at(right_), from_.begin() + at(right_end_));
    left_ = left_end_;
    right_ = right_end_;
  }

  std::vector<Value> from_, into_;
  std::size_t width_ = 1;  // runs of so many are sorted
  std::size_t left_ = 0, left_end_ = 0, right_ = 0, right_end_ = 0;
};

}  // namespace weir
