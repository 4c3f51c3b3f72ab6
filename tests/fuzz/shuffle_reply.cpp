// What a reducer, or `weir job logs`, is sent by whatever listens where a tracker should: every
// connection gets the input and is closed. Asked for are a map output as a whole, three pieces over
// one connection as the copier takes them, and a log.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "fuzz/target.h"
#include "jobqueue/model/check.h"
#include "tracker/tasktracker/shuffle_client.h"

using namespace weir::tasktracker;

namespace {

constexpr std::int64_t kMostBytes = 1 << 20;
const weir::AttemptKey kAttempt{weir::TaskKey{weir::JobId(std::size_t{7}), weir::TaskKind::kMap, 0},
                                0};

// Lives until the process ends: its thread waits in accept().
class Impostor {
 public:
  Impostor() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    WEIR_CHECK(::bind(listener_.get(), generic, size) == 0 && ::listen(listener_.get(), 16) == 0 &&
                   ::getsockname(listener_.get(), generic, &size) == 0,
               "a port");
    port = ntohs(address.sin_port);
    std::thread([this] { serve(); }).detach();
  }

  void say(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ = bytes;
  }

  std::uint16_t port = 0;

 private:
  void serve() {
    for (;;) {
      const UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd.valid()) continue;
      std::string bytes;
      {
        const std::lock_guard lock(mutex_);
        bytes = bytes_;
      }
      if (!bytes.empty()) (void)!::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ::shutdown(fd.get(), SHUT_WR);
      char request[4096];  // until the client has gone: a close before that would lose bytes
      while (::recv(fd.get(), request, sizeof request, 0) > 0) continue;
    }
  }

  UniqueFd listener_;
  std::mutex mutex_;
  std::string bytes_;
};

void take_three_pieces(std::uint16_t port) {
  auto connection = ShuffleConnection::open("127.0.0.1", port);
  if (!connection) return;
  for (std::uint32_t partition = 0; partition < 3; ++partition) {
    ShuffleRequest request;
    request.attempt = kAttempt;
    request.partition = partition;
    const auto answer = connection->ask(request);
    if (!answer || answer->bytes > kMostBytes) return;
    std::string body(static_cast<std::size_t>(answer->bytes), 0);
    if (!connection->read_body(body)) return;
  }
}

}  // namespace

void weir::fuzz::run(std::string_view input) {
  static Impostor& impostor = *new Impostor;
  impostor.say(input);
  take_three_pieces(impostor.port);
  (void)fetch_map_output("127.0.0.1", impostor.port, kAttempt, 0, kMostBytes);
  (void)fetch_log("127.0.0.1", impostor.port, kAttempt, "stderr", kMostBytes);
}
