#include "tracker/port/peers.h"

#include <algorithm>

namespace weir {

namespace {
thread_local CallingPeerScope* current = nullptr;
}  // namespace

std::string peer_name(const boost::asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  const auto v6 = address.to_v6();
  if (v6.is_v4_mapped())
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return boost::asio::ip::address_v6(bytes).to_string() + "/64";
}

std::shared_ptr<Peer> PeerTable::find_or_add(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (peers_.size() >= tidy_at_) {
    std::erase_if(peers_, [](const auto& entry) { return entry.second.expired(); });
    tidy_at_ = std::max<size_t>(64, 2 * peers_.size());
  }
  std::weak_ptr<Peer>& entry = peers_[name];
  auto peer = entry.lock();
  if (!peer) {
    peer = std::make_shared<Peer>(name, times_);
    entry = peer;
  }
  return peer;
}

std::shared_ptr<Peer> PeerTable::largest() {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Peer> most;
  for (const auto& [name, entry] : peers_) {
    auto peer = entry.lock();
    if (peer && peer->connections > (most ? most->connections.load() : 0)) most = std::move(peer);
  }
  return most;
}

size_t PeerTable::size() {
  const std::lock_guard lock(mutex_);
  return peers_.size();
}

bool gives_way(const Peer& most, const Peer& newcomer) {
  return most.connections > newcomer.connections + 1;
}

bool user_gives_way(const Peer& user, size_t max_connections) {
  const size_t his = user.connections;
  return his <= max_connections && his > PeerTable::kTimesOfUsers * (max_connections - his);
}

const std::string& calling_peer() {
  static const std::string nobody;
  return current == nullptr ? nobody : current->peer_.name;
}

const std::shared_ptr<Speakers>& calling_speakers() {
  static const std::shared_ptr<Speakers> nobody;
  return current == nullptr ? nobody : current->speakers_;
}

void note_calling_user(const std::string& user) {
  if (current != nullptr) current->user_ = user;
}

CallingPeerScope::CallingPeerScope(const Peer& peer, std::shared_ptr<Speakers> speakers)
    : outer_(current), peer_(peer), speakers_(std::move(speakers)) {
  current = this;
}

CallingPeerScope::~CallingPeerScope() {
  current = outer_;
}

}  // namespace weir
