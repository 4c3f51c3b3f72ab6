#include "tracker/tasktracker/shuffle_client.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "tracker/tasktracker/shuffle_intake.h"

namespace weir::tasktracker {
namespace {

Status connect_within(int fd, const sockaddr* address, socklen_t length, int timeout_ms,
                      const std::string& name) {
  if (::connect(fd, address, length) == 0) return Ok{};
  if (errno != EINPROGRESS) return system_error(name);
  pollfd waiting{fd, POLLOUT, 0};
  int ready;
  do {
    ready = ::poll(&waiting, 1, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0)
    return data_error(name + ": no connection within " + std::to_string(timeout_ms) + " ms");
  int problem = 0;
  socklen_t size = sizeof problem;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0) return system_error(name);
  if (problem != 0) return system_error(name, problem);
  return Ok{};
}

}  // namespace

Result<ShuffleConnection> ShuffleConnection::open(const std::string& host, std::uint16_t port,
                                                  int timeout_ms) {
  const std::string name = host + ":" + std::to_string(port);
  addrinfo hints{}, *list = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  if (const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
      code != 0) {
    return data_error(name + ": " + ::gai_strerror(code));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, ::freeaddrinfo);
  Error last = data_error(name + ": no address");
  for (const addrinfo* at = list; at; at = at->ai_next) {
    UniqueFd fd(::socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd.valid()) {
      last = system_error(name);
      continue;
    }
    auto connected = connect_within(fd.get(), at->ai_addr, at->ai_addrlen, timeout_ms, name);
    if (!connected) {
      last = connected.error();
      continue;
    }
    const int flags = ::fcntl(fd.get(), F_GETFL);
    ::fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK);
    const timeval limit{timeout_ms / 1000, timeout_ms % 1000 * 1000};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return ShuffleConnection(name, std::move(fd), timeout_ms);
  }
  return last;
}

void ShuffleConnection::allow(std::int64_t bytes) {
  deadline_ms_ = steady_now_ms() + transfer_ms(bytes, timeout_ms_);
}

Result<std::size_t> ShuffleConnection::receive(std::span<char> into) {
  for (;;) {
    const std::int64_t left_ms = deadline_ms_ - steady_now_ms();
    if (left_ms <= 0) return data_error(name_ + ": too slow, given up");
    pollfd waiting{fd_.get(), POLLIN, 0};
    const int ready =
        ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left_ms, timeout_ms_)));
    if (ready < 0 && errno != EINTR) return system_error(name_);
    if (ready < 0) continue;
    if (ready == 0 && left_ms < timeout_ms_) continue;  // the deadline has passed
    if (ready == 0) return data_error(name_ + ": silent for too long");
    const ssize_t n = ::recv(fd_.get(), into.data(), into.size(), 0);
    if (n > 0) return static_cast<std::size_t>(n);
    if (n == 0) return data_error(name_ + ": closed the connection");
    if (errno != EINTR) return system_error(name_);
  }
}

Result<ShuffleAnswer> ShuffleConnection::ask(const ShuffleRequest& request) {
  allow(0);
  std::string line = encode(request);
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t n = ::send(fd_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(name_);
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  std::size_t newline;
  while ((newline = ahead_.find('\n')) == std::string::npos) {
    if (ahead_.size() > kMaxShuffleAnswer)
      return data_error(name_ + ": not a shuffle server's answer");
    char bytes[4096];
    auto n = receive(bytes);
    if (!n) return n.error();
    ahead_.append(bytes, *n);
  }
  const auto answer = parse_shuffle_answer(std::string_view(ahead_).substr(0, newline));
  ahead_.erase(0, newline + 1);
  if (!answer) return data_error(name_ + ": not a shuffle server's answer");
  if (!answer->ok) return data_error(name_ + ": " + answer->reason);
  allow(answer->bytes);
  return *answer;
}

Status ShuffleConnection::read_body(std::span<char> into) {
  const std::size_t known = std::min(ahead_.size(), into.size());
  std::memcpy(into.data(), ahead_.data(), known);
  ahead_.erase(0, known);
  into = into.subspan(known);
  while (!into.empty()) {
    auto n = receive(into);
    if (!n) return n.error();
    into = into.subspan(*n);
  }
  return Ok{};
}

Result<std::string> fetch_map_output(const std::string& host, std::uint16_t port,
                                     const AttemptKey& attempt, std::uint32_t partition,
                                     std::int64_t most_bytes) {
  auto connection = ShuffleConnection::open(host, port);
  if (!connection) return connection.error();
  ShuffleRequest request;
  request.attempt = attempt;
  request.partition = partition;
  auto answer = connection->ask(request);
  if (!answer) return answer.error();
  if (answer->bytes > most_bytes || answer->size.value_or(0) > most_bytes)
    return data_error(attempt_name(attempt) + ": larger than " + std::to_string(most_bytes) +
                      " bytes");
  std::string bytes;
  ShuffleIntake intake;
  const auto add = [&bytes](std::string_view, std::string_view lines) -> Status {
    bytes += lines;
    return Ok{};
  };
  if (auto taken = intake.take(*connection, *answer, add); !taken)
    return data_error(attempt_name(attempt) + ": " + taken.error().message);
  return bytes;
}

Result<LogPiece> fetch_log(const std::string& host, std::uint16_t port, const AttemptKey& attempt,
                           const std::string& log, std::int64_t most_bytes, std::int64_t from) {
  auto connection = ShuffleConnection::open(host, port);
  if (!connection) return connection.error();
  ShuffleRequest request;
  request.kind = ShuffleRequest::Kind::kLog;
  request.attempt = attempt;
  request.log = log;
  request.most_bytes = most_bytes;
  request.from = from;
  auto answer = connection->ask(request);
  if (!answer) return answer.error();
  if (answer->bytes > most_bytes) return data_error(host + ": sent more of the log than asked for");
  LogPiece piece{std::string(static_cast<std::size_t>(answer->bytes), 0), answer->lines};
  if (auto read = connection->read_body(piece.text); !read) return read.error();
  return piece;
}

}  // namespace weir::tasktracker
