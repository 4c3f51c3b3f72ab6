// Who is on a port, by address: how many connections an address has, and the account of the bytes
// that it holds. Budgets go by address because that is what a client cannot have many of at will:
// of an IPv6 address only the network part (/64) counts, whose rest its owner chooses. Who has many
// addresses (a tenant's tasks have those of all trackers) is bounded by user as well, from the
// first call of a connection on that names one.
//
// A Peer lives as long as a connection of its address. calling_peer() tells a handler on whose
// behalf it runs: the requests that it passes on wait in that address's line. Any thread.
#pragma once

#include <atomic>
#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracker/port/byte_budget.h"

namespace weir {

struct Peer {
  explicit Peer(std::string peer_name, size_t times = 1)
      : name(std::move(peer_name)), account(std::make_shared<ByteBudget::Account>(times)) {}
  const std::string name;  // an address, or a user
  const std::shared_ptr<ByteBudget::Account> account;
  std::atomic<size_t> connections{0};  // of an address, or whose latest call named the user
};

// What stands for the address in budgets.
std::string peer_name(const boost::asio::ip::address& address);

// Whether a connection of `most` is to make room for one of `newcomer` on a port that is full: if
// `most` then still has as many as the newcomer's address.
bool gives_way(const Peer& most, const Peer& newcomer);

// Whether connections of this user are to make room on a port that is full: if he has more than
// three quarters of it, that is more than PeerTable::kTimesOfUsers times what he leaves.
bool user_gives_way(const Peer& user, size_t max_connections);

class PeerTable {
 public:
  static constexpr size_t kTimesOfUsers = 3;  // see byte_budget.h

  explicit PeerTable(size_t times = 1) : times_(times) {}
  std::shared_ptr<Peer> find_or_add(const std::string& name);
  // The one with most connections, null if nobody has any.
  std::shared_ptr<Peer> largest();
  size_t size();  // with some that have left

 private:
  const size_t times_;  // of each one's account
  std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<Peer>> peers_;
  size_t tidy_at_ = 64;  // so many entries, and those of peers that have left go
};

// Who have shown on a connection to be whom, for later calls on it: the latest, because several
// may share one.
class Speakers {
 public:
  static constexpr std::size_t kMost = 64;

  void note(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (!names_.empty() && names_.back() == name) return;
    std::erase(names_, name);
    if (names_.size() == kMost) names_.erase(names_.begin());
    names_.push_back(name);
  }
  std::vector<std::string> names() const {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
};

// The address whose call runs on this thread; empty outside of calls.
const std::string& calling_peer();
// Of the connection whose call it is; null outside of calls.
const std::shared_ptr<Speakers>& calling_speakers();
// The call names this user: its bytes, and those of later calls of its connection, are his too.
void note_calling_user(const std::string& user);

// While it lives, the calls on this thread are of that peer.
class CallingPeerScope {
 public:
  CallingPeerScope(const Peer& peer, std::shared_ptr<Speakers> speakers);
  ~CallingPeerScope();
  CallingPeerScope(const CallingPeerScope&) = delete;
  CallingPeerScope& operator=(const CallingPeerScope&) = delete;
  const std::string& user() const { return user_; }  // empty if none was named

 private:
  friend const std::string& calling_peer();
  friend const std::shared_ptr<Speakers>& calling_speakers();
  friend void note_calling_user(const std::string& user);

  CallingPeerScope* const outer_;
  const Peer& peer_;
  const std::shared_ptr<Speakers> speakers_;
  std::string user_;
};

}  // namespace weir
