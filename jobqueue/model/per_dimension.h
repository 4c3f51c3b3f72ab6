// A value for each dimension that counts. Two stand here, which is all that slots, or memory and
// virtual cores, need; values of named resources stand apart, and are made when they are written.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "jobqueue/model/dimension.h"

namespace weir {

template <class T>
class PerDimension {
 public:
  PerDimension() = default;
  PerDimension(const PerDimension& other) : first_(other.first_) {
    if (other.more_ != nullptr) more_ = std::make_unique<More>(*other.more_);
  }
  PerDimension(PerDimension&&) noexcept = default;
  PerDimension& operator=(const PerDimension& other) {
    return *this = PerDimension(other);
  }
  PerDimension& operator=(PerDimension&&) noexcept = default;

  T& operator[](Dimension d) {
    const std::size_t place = d.place();
    if (place < first_.size()) [[likely]] return first_[place];
    if (more_ == nullptr) more_ = std::make_unique<More>();
    return (*more_)[place - first_.size()];
  }
  T operator[](Dimension d) const {
    const std::size_t place = d.place();
    if (place < first_.size()) [[likely]] return first_[place];
    return more_ == nullptr ? T{} : (*more_)[place - first_.size()];
  }
  template <class Is>
  bool any(Is is) const {
    return std::any_of(first_.begin(), first_.end(), is) ||
           (more_ != nullptr && std::any_of(more_->begin(), more_->end(), is));
  }
  bool all_zero() const {
    return !any([](const T& value) { return value != T{}; });
  }
  // `change(T& ours, const T& theirs)` for each dimension of which either says anything.
  template <class Change>
  void join(const PerDimension& other, Change change) {
    for (std::size_t i = 0; i < first_.size(); ++i) change(first_[i], other.first_[i]);
    if (other.more_ == nullptr) return;
    if (more_ == nullptr) more_ = std::make_unique<More>();
    for (std::size_t i = 0; i < more_->size(); ++i) change((*more_)[i], (*other.more_)[i]);
  }
  PerDimension& operator+=(const PerDimension& other) {
    join(other, [](T& ours, const T& theirs) { ours += theirs; });
    return *this;
  }

 private:
  using More = std::array<T, kPlaceCount - 2>;
  std::array<T, 2> first_{};
  std::unique_ptr<More> more_;
};

}  // namespace weir
