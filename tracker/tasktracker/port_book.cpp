#include "tracker/tasktracker/port_book.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

bool is_free_port(std::uint16_t port) {
  const UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return true;  // whoever gets it finds out
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  const int on = 1;  // as servers do: what is left of a connection that was closed is no listener
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  return ::bind(socket.get(), any, sizeof address) == 0 || errno != EADDRINUSE;
}

PortBook::PortBook(const PortRange& range) {
  for (std::int64_t i = 0; i < range.count(); ++i)
    free_.push_back(static_cast<std::uint16_t>(range.first + i));
}

Result<std::vector<std::uint16_t>> PortBook::take(const AttemptKey& attempt, std::uint32_t count) {
  std::vector<std::uint16_t> ports;
  std::deque<std::uint16_t> busy;
  while (ports.size() < count && !free_.empty()) {
    const std::uint16_t port = free_.front();
    free_.pop_front();
    is_free_port(port) ? ports.push_back(port) : busy.push_back(port);
  }
  free_.insert(free_.end(), busy.begin(), busy.end());
  if (ports.size() < count) {
    const std::size_t found = ports.size();
    free_.insert(free_.begin(), ports.begin(), ports.end());
    return data_error("ports: " + std::to_string(count) + " are asked for, and " +
                      std::to_string(found) + " of the tracker's are free (tracker.port_range)");
  }
  if (count > 0) taken_[attempt] = ports;
  return ports;
}

void PortBook::give_back(const AttemptKey& attempt) {
  const auto taken = taken_.find(attempt);
  if (taken == taken_.end()) return;
  free_.insert(free_.end(), taken->second.begin(), taken->second.end());
  taken_.erase(taken);
}

}  // namespace weir::tasktracker
