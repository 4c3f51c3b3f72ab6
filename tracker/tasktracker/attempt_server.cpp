#include "tracker/tasktracker/attempt_server.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "tracker/tasktracker/run_task.h"

namespace weir::tasktracker {
namespace {

// The C library keeps the number of each thread beside it and would go on with this process' own.
// Where the kernel does not say where (it does on every distribution's), nothing is lost: only
// locks that look who holds them read it.
void tell_library_its_thread() {
  int* place = nullptr;
  if (::prctl(PR_GET_TID_ADDRESS, &place, 0, 0, 0) == 0 && place != nullptr)
    *place = static_cast<int>(::syscall(SYS_gettid));
}

// A fork whose child belongs to this process' parent. There is one thread here, and no lock is
// held.
pid_t fork_for_parent() {
  const auto child = static_cast<pid_t>(
      ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, 0));
  if (child == 0) tell_library_its_thread();
  return child;
}

struct Request {
  bool over = false;  // the tracker is gone
  std::optional<TaskDescriptors> descriptors;
};

Request receive(int socket) {
  char byte = 0;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kRequestDescriptors)> space{};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got < 0 && errno == EINTR) return {};
  if (got <= 0) return {.over = true, .descriptors = std::nullopt};
  std::array<int, kRequestDescriptors> numbers;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof numbers))
    return {.over = true, .descriptors = std::nullopt};
  std::memcpy(numbers.data(), CMSG_DATA(header), sizeof numbers);
  return {.over = false,
          .descriptors = TaskDescriptors{UniqueFd(numbers[0]), UniqueFd(numbers[1]),
                                         UniqueFd(numbers[2])}};
}

// What comes through the line must not get the number of one of these: an attempt writes there what
// it has to say.
void keep_standard_descriptors() {
  for (const int number : {0, 1, 2}) {
    while (::fcntl(number, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) >= 0) {
    }
  }
}

[[noreturn]] void become_attempt(TaskDescriptors descriptors) {
  ::close(kAttemptSocket);
  // Its own files in /proc are its user's again, so that it can enter groups and mounts.
  ::prctl(PR_SET_DUMPABLE, 1);
  run_task(std::move(descriptors));
}

}  // namespace
}  // namespace weir::tasktracker

namespace weir {

int serve_attempts_main() {
  using namespace tasktracker;
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(kAttemptSocket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      type != SOCK_SEQPACKET || ::fcntl(kAttemptSocket, F_SETFD, FD_CLOEXEC) != 0) {
    std::fprintf(stderr, "serve-attempts: is started by a tracker; not meant for people\n");
    return 2;
  }
  ::unsetenv("LD_BIND_NOW");  // has had its effect (AttemptStarter), and is no task's
  keep_standard_descriptors();
  ::prctl(PR_SET_DUMPABLE, 0);
  // The line's end is not seen by one that was stopped, and a later life of the tracker may not
  // read its environment, by which leftovers are found.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "weir-attempts");
  for (;;) {
    Request request = receive(kAttemptSocket);
    if (request.over) return 0;
    if (!request.descriptors) continue;
    AttemptServerReply reply;
    reply.process = fork_for_parent();
    if (reply.process == 0) become_attempt(std::move(*request.descriptors));
    if (reply.process < 0) reply.error_number = errno;
    request.descriptors.reset();  // before the answer: nobody else holds them then
    if (::send(kAttemptSocket, &reply, sizeof reply, MSG_NOSIGNAL) < 0) return 0;
  }
}

}  // namespace weir
