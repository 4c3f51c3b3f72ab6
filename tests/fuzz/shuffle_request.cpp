// What a peer sends to a tracker's shuffle port: a real server with a map output and logs, one
// connection an input, and answers taken until the server closes it. The first byte is the size of
// the pieces that are sent.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "fuzz/scratch.h"
#include "fuzz/target.h"
#include "jobqueue/model/check.h"
#include "tracker/tasktracker/run_file.h"
#include "tracker/tasktracker/shuffle_server.h"

using namespace weir::tasktracker;

namespace {

class Server {
 public:
  Server() : server_(options()) {
    const WorkDirs dirs{scratch_.path()};
    const weir::AttemptKey key{weir::TaskKey{weir::JobId(std::size_t{7}), weir::TaskKind::kMap, 0},
                               0};
    WEIR_CHECK(make_directories(dirs.output(key)).ok() && make_directories(dirs.log(key)).ok(),
               "directories");
    WEIR_CHECK(write_whole_file(dirs.log(key) + "/stderr", "one\ntwo\n").ok(), "a log");
    auto writer = RunWriter::create(dirs.output(key) + "/file.out", 3, true);
    WEIR_CHECK(writer.ok() && writer->append(0, "a\t1\n").ok() && writer->append(2, "b\n").ok(),
               "a map output");
    const auto run = writer->finish();
    WEIR_CHECK(run.ok() && write_index(*run, dirs.output(key) + "/file.idx").ok(), "an index");
    const auto port = server_.start();
    WEIR_CHECK(port.ok(), "a port");
    address_.sin_family = AF_INET;
    address_.sin_port = htons(*port);
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }

  // From 127.0.1.1 to 127.0.1.200 in turn: a thousand connections a second, each of which keeps its
  // port for a minute, would be too many for one address.
  UniqueFd connect() {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    ::setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    sockaddr_in from{};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 256 + ++connections_ % 200);
    const auto* to = reinterpret_cast<const sockaddr*>(&address_);
    const bool bound = ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0;
    WEIR_CHECK(bound, std::strerror(errno));
    // libFuzzer's alarm interrupts calls; a connection goes on being made all the same.
    int done;
    do {
      done = ::connect(fd.get(), to, sizeof address_);
    } while (done != 0 && (errno == EINTR || errno == EALREADY));
    WEIR_CHECK(done == 0 || errno == EISCONN, std::strerror(errno));
    return fd;
  }

 private:
  ShuffleServerOptions options() const {
    ShuffleServerOptions options;
    options.dirs.root = scratch_.path();
    options.idle_ms = 2000;
    return options;
  }

  weir::fuzz::Scratch scratch_;
  ShuffleServer server_;
  sockaddr_in address_{};
  std::uint32_t connections_ = 0;
};

// Takes what is there, or everything until the server closes the connection.
void take_answers(int fd, bool all) {
  char bytes[16 * 1024];
  while (::recv(fd, bytes, sizeof bytes, all ? 0 : MSG_DONTWAIT) > 0) continue;
}

}  // namespace

void weir::fuzz::run(std::string_view input) {
  static Server server;
  const std::size_t piece = (take_choice(input, 255) + 1) * 64;
  const UniqueFd fd = server.connect();
  for (; !input.empty(); input.remove_prefix(std::min(piece, input.size()))) {
    const std::string_view part = input.substr(0, piece);
    if (::send(fd.get(), part.data(), part.size(), MSG_NOSIGNAL) < 0) break;  // it was dropped
    take_answers(fd.get(), false);
  }
  ::shutdown(fd.get(), SHUT_WR);
  take_answers(fd.get(), true);
}
