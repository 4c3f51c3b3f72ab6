// ByteBudget bounds the bytes that all connections of a port hold together: frames being read,
// requests being worked on, replies waiting to be written. Whoever wants to keep bytes takes them
// first and gives them back when they are gone; when there are none left the taker is refused, so
// memory cannot grow with the number of clients.
//
// Each taker has an account, one for each peer address, and no account may hold more than it leaves
// free for all others: alone it gets half of the budget, beside one that has its half a quarter.
// So an address that hoards is refused, however many connections it has, while there is room for
// whoever comes, and nobody has to be told how many addresses there will be.
//
// A user has an account too, beside those of the addresses that he calls from, and may hold three
// times what he leaves: however many addresses he has, a quarter is left for others, and one
// address, which may call itself by anybody's name, never fills anybody's account.
// Invariant: 0 <= used() <= limit(), the sum of the addresses' accounts. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace weir {

class ByteBudget {
 public:
  class Account {
   public:
    // It may hold as many times what it leaves free.
    explicit Account(size_t times = 1) : times_(times) {}

   private:
    friend class ByteBudget;
    const size_t times_;
    size_t held_ = 0;  // guarded by the budget
  };

  explicit ByteBudget(size_t limit_bytes) : limit_(limit_bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // For an address, and the user who calls from there if one is known.
  bool try_take(Account& address, Account* user, size_t bytes) {
    const std::lock_guard lock(mutex_);
    const size_t left = limit_ - used_;
    if (bytes > left) return false;
    const auto has_room = [after = left - bytes, bytes](const Account& account) {
      return account.held_ + bytes <= account.times_ * after;
    };
    if (!has_room(address) || (user != nullptr && !has_room(*user))) return false;
    used_ += bytes;
    address.held_ += bytes;
    if (user != nullptr) user->held_ += bytes;
    return true;
  }
  void give_back(Account& address, Account* user, size_t bytes) {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
    address.held_ -= bytes;
    if (user != nullptr) user->held_ -= bytes;
  }
  // What an address holds already is another user's; null: of nobody known.
  void pass_on(Account* from, Account* to, size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (from != nullptr) from->held_ -= bytes;
    if (to != nullptr) to->held_ += bytes;
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

// What a holder has of its accounts; it is given back when the holder goes. One thread at a time.
class BudgetShare {
 public:
  using Account = std::shared_ptr<ByteBudget::Account>;

  BudgetShare(ByteBudget& budget, Account address, Account user = nullptr)
      : budget_(&budget), address_(std::move(address)), user_(std::move(user)) {}
  BudgetShare(BudgetShare&& other) noexcept
      : budget_(other.budget_),
        address_(other.address_),
        user_(other.user_),
        held_(std::exchange(other.held_, 0)) {}
  BudgetShare& operator=(BudgetShare&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(address_, other.address_);
    std::swap(user_, other.user_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~BudgetShare() { resize(0); }

  // Makes this share `bytes` large; false, and unchanged, when that is more than its accounts may
  // have.
  bool resize(size_t bytes) {
    if (bytes > held_ && !budget_->try_take(*address_, user_.get(), bytes - held_)) return false;
    if (bytes < held_) budget_->give_back(*address_, user_.get(), held_ - bytes);
    held_ = bytes;
    return true;
  }
  // From here on it is this user's too; what it holds stays, even if that is more than he may have.
  void count_for(Account user) {
    budget_->pass_on(user_.get(), user.get(), held_);
    user_ = std::move(user);
  }
  size_t held() const { return held_; }

 private:
  ByteBudget* budget_;
  Account address_;
  Account user_;  // null until one is known
  size_t held_ = 0;
};

}  // namespace weir
