#include "tracker/tasktracker/shuffle_server.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "tracker/tasktracker/run_file.h"
#include "tracker/tasktracker/shuffle_protocol.h"

namespace weir::tasktracker {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// What a session sends: a part of an open file.
struct ShuffleBody {
  UniqueFd fd;
  std::string path;
  std::int64_t offset = 0;
  ShuffleAnswer answer;
};

namespace {

constexpr std::size_t kSendBytes = 128 * 1024;
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

ShuffleBody refuse(std::string reason) {
  ShuffleBody body;
  body.answer.reason = std::move(reason);
  return body;
}

ShuffleBody open_map_output(const WorkDirs& dirs, const ShuffleRequest& request) {
  const std::string directory = dirs.output(request.attempt);
  auto segment = read_index_entry(directory + "/file.idx", request.partition);
  if (!segment) return refuse("no output of " + attempt_name(request.attempt) + " here");
  ShuffleBody body;
  body.path = directory + "/file.out";
  auto fd = open_untrusted(body.path, O_RDONLY);
  if (!fd) return refuse(fd.error().message);
  body.fd = std::move(*fd);
  body.offset = segment->offset;
  body.answer = {
      true, {}, segment->bytes, static_cast<std::uint32_t>(segment->crc), segment->lines};
  body.answer.in_blocks = segment->in_blocks;
  if (segment->in_blocks) body.answer.size = segment->raw_bytes;
  return body;
}

ShuffleBody open_log(const WorkDirs& dirs, const ShuffleRequest& request) {
  const std::string directory = dirs.log(request.attempt);
  struct stat info {};
  // A directory that was left empty is another attempt's by now (scratch.h).
  if (::stat(directory.c_str(), &info) != 0 &&
      ::stat(directory.substr(0, directory.rfind('/')).c_str(), &info) != 0)
    return refuse("no logs of " + attempt_name(request.attempt) + " here");
  ShuffleBody body;
  body.answer.ok = true;
  body.path = directory + "/" + request.log;
  auto fd = open_untrusted(body.path, O_RDONLY);
  if (!fd || ::fstat(fd->get(), &info) != 0) return body;  // nothing was logged: an empty log
  const std::int64_t size = info.st_size;
  const std::int64_t to = request.to > 0 ? std::min(request.to, size) : size;
  const std::int64_t from = std::min(request.from, to);
  body.answer.bytes = std::min(to - from, request.most_bytes);
  body.offset = body.answer.lines = to - body.answer.bytes;
  if (request.to > 0) body.answer.size = size;
  body.fd = std::move(*fd);
  return body;
}

}  // namespace

class ShuffleServer::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(ShuffleServer& server, tcp::socket socket, std::shared_ptr<Peer> peer)
      : server_(server),
        socket_(std::move(socket)),
        peer_(std::move(peer)),
        timer_(server.io_),
        chunk_(kSendBytes) {
    server_.sessions_.push_back(this);
    ++peer_->connections;
  }
  ~Session() { leave(); }

  const Peer& peer() const { return *peer_; }
  bool waits() const { return waits_; }
  std::uint64_t since() const { return since_; }

  // Ends the connection; its place is free at once.
  void close() {
    leave();
    error_code ignored;
    socket_.close(ignored);
  }

  void read_request() {
    take_step(true);
    guard(server_.options_.idle_ms);
    asio::async_read_until(socket_, asio::dynamic_buffer(request_, kMaxShuffleRequest), '\n',
                           [self = shared_from_this()](error_code error, std::size_t size) {
                             self->timer_.cancel();
                             self->requested(error, size);
                           });
  }

 private:
  void leave() {
    if (std::erase(server_.sessions_, this) > 0) --peer_->connections;
  }

  void take_step(bool waits) {
    waits_ = waits;
    since_ = ++server_.steps_;
  }

  // Closes the connection if the next step takes too long.
  void guard(std::int64_t most_ms) {
    timer_.expires_after(std::chrono::milliseconds(std::max<std::int64_t>(most_ms, 0)));
    timer_.async_wait([weak = weak_from_this()](error_code error) {
      if (const auto self = weak.lock(); self && !error) self->close();
    });
  }

  void requested(error_code error, std::size_t size) {
    if (error == asio::error::not_found) return drop();  // too long for a request
    if (error) return;
    const auto request = parse_shuffle_request(std::string_view(request_).substr(0, size - 1));
    request_.erase(0, size);
    if (!request) return drop();
    body_ = request->kind == ShuffleRequest::Kind::kMapOutput
                ? open_map_output(server_.options_.dirs, *request)
                : open_log(server_.options_.dirs, *request);
    left_ = body_.answer.bytes;
    take_step(false);
    const ShuffleServerOptions& options = server_.options_;
    deadline_ms_ =
        steady_now_ms() + transfer_ms(left_, options.idle_ms, options.slowest_bytes_per_second);
    line_ = encode(body_.answer);
    send({line_.data(), line_.size()});
  }

  void drop() {
    if (server_.dropped_.fetch_add(1) == 0)
      spdlog::warn("shuffle: dropped a connection that does not speak the protocol");
    close();
  }

  void send(std::string_view bytes) {
    guard(std::min(server_.options_.idle_ms, deadline_ms_ - steady_now_ms()));
    asio::async_write(socket_, asio::buffer(bytes.data(), bytes.size()),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        self->timer_.cancel();
                        if (!error) self->send_more();
                      });
  }

  void send_more() {
    if (left_ == 0) {
      body_ = {};
      return read_request();
    }
    const std::span<char> part(chunk_.data(),
                               static_cast<std::size_t>(std::min<std::int64_t>(left_, kSendBytes)));
    // A file that became shorter cannot be answered any more: the peer sees the connection end, and
    // tries again.
    if (!read_exactly_at(body_.fd.get(), part, body_.offset, body_.path).ok()) return;
    body_.offset += static_cast<std::int64_t>(part.size());
    left_ -= static_cast<std::int64_t>(part.size());
    send({part.data(), part.size()});
  }

  ShuffleServer& server_;
  tcp::socket socket_;
  const std::shared_ptr<Peer> peer_;
  bool waits_ = true;             // for a request
  std::uint64_t since_ = 0;       // the server's step in which it began to wait, or was asked
  std::int64_t deadline_ms_ = 0;  // for the answer
  asio::steady_timer timer_;
  std::string request_, line_;
  std::vector<char> chunk_;
  ShuffleBody body_;
  std::int64_t left_ = 0;
};

ShuffleServer::ShuffleServer(ShuffleServerOptions options) : options_(std::move(options)) {}

ShuffleServer::~ShuffleServer() {
  stop();
}

Result<std::uint16_t> ShuffleServer::start() {
  const std::string where = options_.address + ":" + std::to_string(options_.port);
  error_code error;
  const auto address = asio::ip::make_address(options_.address, error);
  if (error)
    return data_error("shuffle address " + options_.address +
                      ": must be an IP address to listen on");
  const tcp::endpoint endpoint(address, options_.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(1024, error);
  if (error) return data_error("shuffle server on " + where + ": " + error.message());
  ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
  const std::uint16_t port = acceptor_.local_endpoint().port();
  accept();
  thread_ = std::thread([this] { io_.run(); });
  return port;
}

void ShuffleServer::stop() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

void ShuffleServer::accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (error) {  // out of descriptors, say: the loop does not spin
      accept_pause_.expires_after(kAcceptPause);
      accept_pause_.async_wait([this](error_code stopped) {
        if (!stopped) accept();
      });
      return;
    }
    accepted(std::move(socket));
    accept();
  });
}

void ShuffleServer::accepted(tcp::socket socket) {
  error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return;  // it has left already
  auto peer = peers_.find_or_add(peer_name(remote.address()));
  if (sessions_.size() >= options_.max_connections) {
    if (crowded_out_.fetch_add(1) == 0)
      spdlog::warn("shuffle: {} connections, the most allowed: some are closed", sessions_.size());
    if (!make_room(*peer)) return;
  }
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  socket.set_option(tcp::no_delay(true), error);
  std::make_shared<Session>(*this, std::move(socket), std::move(peer))->read_request();
}

bool ShuffleServer::make_room(const Peer& newcomer) {
  const auto most = peers_.largest();
  Session* oldest = nullptr;
  const auto look = [&](bool waits) {
    for (Session* session : sessions_) {
      if (&session->peer() != most.get() || session->waits() != waits) continue;
      if (oldest == nullptr || session->since() < oldest->since()) oldest = session;
    }
  };
  look(true);
  if (oldest == nullptr && most && gives_way(*most, newcomer)) look(false);
  if (oldest == nullptr) return false;
  oldest->close();
  return true;
}

}  // namespace weir::tasktracker
