// Requests of clients that wait their turn: a line for each user of each peer address.
// Addresses are served in turn, and so are the users of an address, one request at a time: whoever
// asks for little waits for one request of each of the others, not for all that somebody has
// posted.
//
// The lines are bounded together. Of that an address may have no more than it leaves for others
// (the rule of ByteBudget), and a user no more than he leaves of his address's part. What the
// JobTracker asks of itself (no address) is bounded only in all. Not thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weir {

// Whom a request counts against; no address: the JobTracker itself.
struct Asker {
  std::string address;
  std::string user;  // empty where the request names none
};

template <class Item>
class RequestLines {
 public:
  enum class Room { kEnough, kAllFull, kAddressFull, kUserFull };

  explicit RequestLines(std::size_t limit) : limit_(limit) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  Room room(const Asker& asker) const {
    if (size_ >= limit_) return Room::kAllFull;
    if (asker.address.empty()) return Room::kEnough;
    const std::size_t held = waiting(asker.address);
    const std::size_t most = (limit_ - (size_ - held)) / 2;
    if (held >= most) return Room::kAddressFull;
    return waiting(asker) >= most - held ? Room::kUserFull : Room::kEnough;
  }

  std::size_t waiting(const std::string& address) const {
    const auto found = addresses_.find(address);
    return found == addresses_.end() ? 0 : found->second.size;
  }
  std::size_t waiting(const Asker& asker) const {
    const auto address = addresses_.find(asker.address);
    if (address == addresses_.end()) return 0;
    const auto user = address->second.users.find(asker.user);
    return user == address->second.users.end() ? 0 : user->second.size();
  }

  void push(const Asker& asker, Item item) {
    Address& address = addresses_[asker.address];
    if (address.size == 0) turns_.push_back(asker.address);
    auto& line = address.users[asker.user];
    if (line.empty()) address.turns.push_back(asker.user);
    line.push_back(std::move(item));
    ++address.size;
    ++size_;
  }

  // Not empty.
  Item pop() {
    const std::string address_name = std::move(turns_.front());
    turns_.pop_front();
    Address& address = addresses_[address_name];
    const std::string user = std::move(address.turns.front());
    address.turns.pop_front();
    auto& line = address.users[user];
    Item item = std::move(line.front());
    line.pop_front();
    if (line.empty()) {
      address.users.erase(user);
    } else {
      address.turns.push_back(user);
    }
    --size_;
    if (--address.size == 0) {
      addresses_.erase(address_name);
    } else {
      turns_.push_back(address_name);
    }
    return item;
  }

  // Takes out those of the asker for which `wanted` holds.
  template <class Wanted>
  std::vector<Item> take(const Asker& asker, Wanted wanted) {
    std::vector<Item> taken;
    if (waiting(asker) == 0) return taken;
    Address& address = addresses_[asker.address];
    std::deque<Item>& line = address.users[asker.user];
    std::deque<Item> left;
    for (Item& item : line) {
      if (wanted(item)) {
        taken.push_back(std::move(item));
      } else {
        left.push_back(std::move(item));
      }
    }
    line.swap(left);
    size_ -= taken.size();
    address.size -= taken.size();
    if (line.empty()) {
      address.users.erase(asker.user);
      std::erase(address.turns, asker.user);
    }
    if (address.size == 0) {
      addresses_.erase(asker.address);
      std::erase(turns_, asker.address);
    }
    return taken;
  }

 private:
  struct Address {
    std::unordered_map<std::string, std::deque<Item>> users;
    std::deque<std::string> turns;
    std::size_t size = 0;
  };

  const std::size_t limit_;
  std::unordered_map<std::string, Address> addresses_;
  std::deque<std::string> turns_;
  std::size_t size_ = 0;
};

}  // namespace weir
