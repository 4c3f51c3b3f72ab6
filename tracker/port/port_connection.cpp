#include "tracker/port/port_connection.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <sstream>

namespace weir {

namespace asio = boost::asio;
namespace {

std::string client_name(const TcpSocket& socket) {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return "a client that is gone";
  std::ostringstream text;
  text << endpoint;
  return text.str();
}

}  // namespace

PortConnection::PortConnection(TcpSocket socket, std::shared_ptr<Peer> peer,
                               std::shared_ptr<PortShared> port)
    : strand_(socket.get_executor()),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      name_(client_name(socket_)),
      port_(std::move(port)) {
  ++port_->connections;
  ++peer_->connections;
}

PortConnection::~PortConnection() {
  leave_count();
}

PortConnection::ReadBuffer& PortConnection::read_buffer() {
  thread_local auto buffer = std::make_unique<ReadBuffer>();
  return *buffer;
}

// ---- its place

bool PortConnection::leave_count() {
  const std::lock_guard lock(count_mutex_);
  if (!counted_) return false;
  counted_ = false;
  --port_->connections;
  --peer_->connections;
  if (counted_user_) --counted_user_->connections;
  counted_user_.reset();
  return true;
}

bool PortConnection::counts_for(const Peer& user) const {
  const std::lock_guard lock(count_mutex_);
  return counted_user_.get() == &user;
}

void PortConnection::count_for(const std::string& user) {
  if (user_ && user_->name == user) return;
  user_ = port_->users.find_or_add(user);
  const std::lock_guard lock(count_mutex_);
  if (!counted_) return;
  if (counted_user_) --counted_user_->connections;
  ++user_->connections;
  counted_user_ = user_;
}

bool PortConnection::give_way(std::string_view whose) {
  if (!leave_count()) return false;
  asio::post(strand_, [self = shared_from_this(), whose = std::string(whose)] {
    self->refuse(RefusalCause::kTooManyConnections,
                 fmt::format("there are {} connections, the most allowed, and most of them are of "
                             "{}: it gives way to another",
                             self->port_->max_connections, whose));
  });
  return true;
}

// ---- beginning and end

void PortConnection::start() {
  if (closed()) return;
  boost::system::error_code error;
  socket_.non_blocking(true, error);
  if (!error) socket_.set_option(asio::ip::tcp::no_delay(true), error);
  if (error) return close();
  started();
}

void PortConnection::close() {
  if (closed_.exchange(true)) return;
  leave_count();
  read_deadline_.clear();
  write_deadline_.clear();
  boost::system::error_code ignored;
  socket_.close(ignored);
  let_go();
}

void PortConnection::refuse(RefusalCause cause, std::string_view what) {
  if (closed()) return;
  port_->refusals.refuse(cause, name_, what);
  close();
}

std::string PortConnection::no_room(std::string_view what, size_t bytes) const {
  const ByteBudget& budget = *port_->budget;
  const std::string of_user =
      user_ ? fmt::format(", {} {}", user_->name, budget.held(*user_->account)) : "";
  return fmt::format(
      "no room for {} of {} bytes: its address holds {}{}, all together {}; at most {} are "
      "buffered, of an address no more than it leaves for others, of a user no more than {} times "
      "that",
      what, bytes, budget.held(*peer_->account), of_user, budget.used(), budget.limit(),
      PeerTable::kTimesOfUsers);
}

// ---- deadlines

bool PortConnection::due(Deadline::Clock::time_point now) const {
  return read_deadline_.passed(now) || write_deadline_.passed(now);
}

void PortConnection::expire_if_due(Deadline::Clock::time_point now) {
  if (!due(now)) return;
  asio::post(strand_, [self = shared_from_this()] {
    if (!self->closed()) self->check_deadlines();
  });
}

}  // namespace weir
