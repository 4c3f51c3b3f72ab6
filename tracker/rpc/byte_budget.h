// ByteBudget bounds the bytes that all connections of all servers hold together: frames being read,
// requests being worked on, replies waiting to be written. Whoever wants to keep bytes takes them
// first and gives them back when they are gone; when the budget is spent the taker is refused, so
// memory cannot grow with the number of clients. Invariant: 0 <= used() <= limit(). Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace weir {

class ByteBudget {
 public:
  explicit ByteBudget(size_t limit_bytes) : limit_(limit_bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  bool try_take(size_t bytes) {
    size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_ - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  size_t limit() const { return limit_; }

 private:
  const size_t limit_;
  std::atomic<size_t> used_{0};
};

// A holder's share of the budget; what it holds is given back when it goes. One thread at a time.
class BudgetShare {
 public:
  explicit BudgetShare(ByteBudget& budget) : budget_(&budget) {}
  BudgetShare(BudgetShare&& other) noexcept
      : budget_(other.budget_), held_(std::exchange(other.held_, 0)) {}
  BudgetShare& operator=(BudgetShare&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~BudgetShare() { budget_->give_back(held_); }

  // Makes this share `bytes` large; false, and unchanged, when that is more than the budget has
  // left.
  bool resize(size_t bytes) {
    if (bytes > held_ && !budget_->try_take(bytes - held_)) return false;
    if (bytes < held_) budget_->give_back(held_ - bytes);
    held_ = bytes;
    return true;
  }
  size_t held() const { return held_; }

 private:
  ByteBudget* budget_;
  size_t held_ = 0;
};

}  // namespace weir
