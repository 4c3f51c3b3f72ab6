#include "jobqueue/model/reservations.h"

#include <algorithm>

namespace weir {
namespace {

template <class Index, class Key>
void erase(Index& index, Key key, std::uint64_t number) {
  const auto found = index.find(key);
  auto& numbers = found->second;
  numbers.erase(std::find(numbers.begin(), numbers.end(), number));
  if (numbers.empty()) index.erase(found);
}

}  // namespace

std::size_t Reservations::place(Number number) const {
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  return static_cast<std::size_t>(found - numbers_.begin());
}

void Reservations::add(const Reservation& reservation) {
  all_.push_back(reservation);
  numbers_.push_back(next_++);
  enter(all_.size() - 1);
}

void Reservations::remove(std::size_t place) {
  const Reservation& over = all_[place];
  const Number number = numbers_[place];
  erase(by_job_, over.job, number);
  erase(by_tracker_, over.tracker, number);
  erase(by_leaf_, over.queue, number);
  if (const auto found = by_size_.find(over.size); found != by_size_.end()) {
    found->second.erase({over.least, number});
    if (found->second.empty()) by_size_.erase(found);
  }
  const auto at = static_cast<std::ptrdiff_t>(place);
  all_.erase(all_.begin() + at);
  numbers_.erase(numbers_.begin() + at);
}

void Reservations::enter(std::size_t place) {
  const Reservation& entered = all_[place];
  const Number number = numbers_[place];
  by_job_[entered.job].push_back(number);
  by_tracker_[entered.tracker].push_back(number);
  by_leaf_[entered.queue].push_back(number);
  if (entered.size != nullptr) by_size_[entered.size].insert({entered.least, number});
}

void Reservations::index_all() {
  by_job_.clear();
  by_tracker_.clear();
  by_leaf_.clear();
  by_size_.clear();
  for (std::size_t place = 0; place < all_.size(); ++place) enter(place);
}

}  // namespace weir
