// How many event streams are open, in all and of each address: an address may have as many as it
// leaves for others, so alone half of all. Any thread.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace weir::web {

class StreamCount {
 public:
  explicit StreamCount(std::size_t most) : most_(most) {}

  bool try_add(const std::string& address) {
    const std::lock_guard lock(mutex_);
    const auto found = of_address_.find(address);
    const std::size_t after = (found == of_address_.end() ? 0 : found->second) + 1;
    if (total_ + 1 > most_ || after > most_ - (total_ + 1)) return false;
    of_address_[address] = after;
    ++total_;
    return true;
  }
  void remove(const std::string& address) {
    const std::lock_guard lock(mutex_);
    const auto found = of_address_.find(address);
    if (found == of_address_.end()) return;
    if (--found->second == 0) of_address_.erase(found);
    --total_;
  }
  std::size_t total() const {
    const std::lock_guard lock(mutex_);
    return total_;
  }

 private:
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::size_t total_ = 0;
  std::unordered_map<std::string, std::size_t> of_address_;
};

}  // namespace weir::web
