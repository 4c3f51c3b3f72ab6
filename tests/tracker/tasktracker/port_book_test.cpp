// Ports that tasks are given: each once, the one that was free for longest first, none where
// somebody listens.
#include "tracker/tasktracker/port_book.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

AttemptKey attempt(std::uint32_t index) {
  return {{JobId(1), group_kind(0), index}, 0};
}

// A socket that listens on a port of 127.0.0.1 that the system chose.
struct Listener {
  Listener() : socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket.get(), 1), 0);
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
  }
  UniqueFd socket;
  std::uint16_t port = 0;
};

// Where three in a row are free, below those that the system gives to whoever asks for any.
std::uint16_t three_free() {
  const auto free = [](int port) { return is_free_port(static_cast<std::uint16_t>(port)); };
  int first = 10'000 + static_cast<int>(::getpid()) % 15'000;
  while (!free(first) || !free(first + 1) || !free(first + 2)) ++first;
  return static_cast<std::uint16_t>(first);
}

TEST(PortBook, EachIsGivenOnceAndComesBackLast) {
  const std::uint16_t first = three_free();
  PortBook book(PortRange{first, static_cast<std::uint16_t>(first + 2)});
  const auto two = book.take(attempt(0), 2);
  ASSERT_TRUE(two.ok()) << two.error().message;
  const auto one = book.take(attempt(1), 1);
  ASSERT_TRUE(one.ok());
  std::set<std::uint16_t> all(two->begin(), two->end());
  all.insert(one->begin(), one->end());
  EXPECT_EQ(all.size(), 3u);
  const auto none = book.take(attempt(2), 1);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message,
            "ports: 1 are asked for, and 0 of the tracker's are free (tracker.port_range)");
  book.give_back(attempt(1));
  book.give_back(attempt(0));
  EXPECT_EQ(book.take(attempt(3), 1)->front(), one->front());
}

TEST(PortBook, WhereSomebodyListensIsPassedOver) {
  const Listener there;
  EXPECT_FALSE(is_free_port(there.port));
  PortBook book(PortRange{there.port, there.port});
  EXPECT_FALSE(book.take(attempt(0), 1).ok());
  EXPECT_TRUE(book.take(attempt(0), 0).ok());
}

TEST(PortBook, WhoSetsNoneAsideHasNone) {
  PortBook book{PortRange{}};
  EXPECT_FALSE(book.take(attempt(0), 1).ok());
}

}  // namespace
}  // namespace weir::tasktracker
