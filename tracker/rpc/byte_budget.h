// ByteBudget bounds the bytes that all connections of a port hold together: frames being read,
// requests being worked on, replies waiting to be written. Whoever wants to keep bytes takes them
// first and gives them back when they are gone; when there are none left the taker is refused, so
// memory cannot grow with the number of clients.
//
// Each taker has an account, one for each peer address, and no account may hold more than it leaves
// free for all others: alone it gets half of the budget, beside one that has its half a quarter.
// So an address that hoards is refused, however many connections it has, while there is room for
// whoever comes, and nobody has to be told how many addresses there will be.
// Invariant: 0 <= used() <= limit(), the sum of the accounts. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace weir {

class ByteBudget {
 public:
  class Account {
    friend class ByteBudget;
    size_t held_ = 0;  // guarded by the budget
  };

  explicit ByteBudget(size_t limit_bytes) : limit_(limit_bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  bool try_take(Account& account, size_t bytes) {
    const std::lock_guard lock(mutex_);
    const size_t left = limit_ - used_;
    if (bytes > left || account.held_ + bytes > left - bytes) return false;
    used_ += bytes;
    account.held_ += bytes;
    return true;
  }
  void give_back(Account& account, size_t bytes) {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
    account.held_ -= bytes;
  }
  size_t held(const Account& account) const {
    const std::lock_guard lock(mutex_);
    return account.held_;
  }
  size_t used() const {
    const std::lock_guard lock(mutex_);
    return used_;
  }
  size_t limit() const { return limit_; }

 private:
  const size_t limit_;
  mutable std::mutex mutex_;
  size_t used_ = 0;
};

// What a holder has of an account; it is given back when the holder goes. One thread at a time.
class BudgetShare {
 public:
  BudgetShare(ByteBudget& budget, std::shared_ptr<ByteBudget::Account> account)
      : budget_(&budget), account_(std::move(account)) {}
  BudgetShare(BudgetShare&& other) noexcept
      : budget_(other.budget_),
        account_(other.account_),
        held_(std::exchange(other.held_, 0)) {}
  BudgetShare& operator=(BudgetShare&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(account_, other.account_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~BudgetShare() { resize(0); }

  // Makes this share `bytes` large; false, and unchanged, when that is more than its account may
  // have.
  bool resize(size_t bytes) {
    if (bytes > held_ && !budget_->try_take(*account_, bytes - held_)) return false;
    if (bytes < held_) budget_->give_back(*account_, held_ - bytes);
    held_ = bytes;
    return true;
  }
  size_t held() const { return held_; }

 private:
  ByteBudget* budget_;
  std::shared_ptr<ByteBudget::Account> account_;
  size_t held_ = 0;
};

}  // namespace weir
