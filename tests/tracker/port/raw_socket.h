// A client without manners, for the tests of every port: it says any bytes, from any address of
// 127/8, and waits at most a minute for anything.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace weir {

class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port, int receive_buffer_bytes = 0,
                     const char* source = "127.0.0.1") {
    descriptor_ = ::socket(AF_INET, SOCK_STREAM, 0);
    if (receive_buffer_bytes > 0) {
      ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof(int));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    EXPECT_EQ(::inet_pton(AF_INET, source, &address.sin_addr), 1);
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  RawSocket(RawSocket&& other) noexcept
      : input_(std::move(other.input_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~RawSocket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(descriptor_, SHUT_WR); }
  // Reads what is there; false at the end of the connection.
  bool read_more() {
    pollfd waiting{descriptor_, POLLIN, 0};
    if (::poll(&waiting, 1, 60'000) <= 0) {
      ADD_FAILURE() << "nothing came for a minute; before: " << input_;
      return false;
    }
    char buffer[65536];
    const ssize_t count = ::recv(descriptor_, buffer, sizeof(buffer), 0);
    if (count <= 0) return false;
    input_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }
  // Whether the server has closed the connection, and nothing is left to read.
  bool has_ended() {
    char byte;
    return ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
  bool has_more() {
    char byte;
    return ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }
  const std::string& received() const { return input_; }  // and not taken yet
  // Everything until the server closes the connection.
  std::string read_to_end() {
    while (read_more()) {
    }
    return std::exchange(input_, {});
  }

 protected:
  std::string input_;

 private:
  int descriptor_ = -1;
};

// Waits until a condition that another thread brings about holds.
template <class Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace weir
