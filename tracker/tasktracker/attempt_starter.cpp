#include "tracker/tasktracker/attempt_starter.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "tracker/tasktracker/attempt_server.h"
#include "tracker/tasktracker/leftovers.h"
#include "tracker/tasktracker/task_environment.h"

namespace weir::tasktracker {
namespace {

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

bool send_request(int socket, const AttemptStarter::Descriptors& descriptors) {
  const std::array<int, kRequestDescriptors> numbers = {descriptors.commands, descriptors.reports,
                                                        descriptors.log};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof numbers)> space{};
  char byte = 1;
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof numbers);
  std::memcpy(CMSG_DATA(header), numbers.data(), sizeof numbers);
  ssize_t sent;
  while ((sent = ::sendmsg(socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  return sent == 1;
}

}  // namespace

std::vector<std::string> attempt_environment(const std::vector<std::string>& named,
                                             const std::string& work_dir) {
  auto entries = passed_on(named);
  std::erase_if(entries, [](const std::string& entry) {
    return entry.starts_with(std::string(kWorkDirVariable) + "=");
  });
  // Sanitizers take their options from there.
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    if (text.substr(0, text.find('=')).ends_with("SAN_OPTIONS")) entries.emplace_back(text);
  }
  entries.push_back(std::string(kWorkDirVariable) + "=" + work_dir);
  return entries;
}

AttemptStarter& AttemptStarter::operator=(AttemptStarter&& other) noexcept {
  stop();
  program_ = std::move(other.program_);
  environment_ = std::move(other.environment_);
  answers_within_ms_ = other.answers_within_ms_;
  socket_ = std::move(other.socket_);
  server_ = std::exchange(other.server_, -1);
  return *this;
}

Status AttemptStarter::launch() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("socket pair");
  UniqueFd ours(ends[0]), low(ends[1]);
  // Above what the new process gets: a tracker may have been started without some of the first.
  const UniqueFd theirs(::fcntl(low.get(), F_DUPFD_CLOEXEC, kAttemptSocket + 1));
  if (!theirs.valid()) return system_error("socket pair");
  low.reset();
  const timeval patience{answers_within_ms_ / 1000, answers_within_ms_ % 1000 * 1000};
  ::setsockopt(ours.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(ours.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  FileActions actions;
  ::posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(actions.get(), theirs.get(), kAttemptSocket);
  ::posix_spawn_file_actions_addclosefrom_np(actions.get(), kAttemptSocket + 1);
  // Every function is looked up at once, and not in each attempt's process again.
  std::vector<std::string> variables = environment_;
  variables.emplace_back("LD_BIND_NOW=1");
  std::vector<char*> environment;
  for (std::string& entry : variables) environment.push_back(entry.data());
  environment.push_back(nullptr);
  const char* arguments[] = {program_.c_str(), "serve-attempts", nullptr};
  const Attributes attributes;
  const int problem = ::posix_spawn(&server_, program_.c_str(), actions.get(), attributes.get(),
                                    const_cast<char* const*>(arguments), environment.data());
  if (problem != 0) {
    server_ = -1;
    return system_error("starting " + program_, problem);
  }
  socket_ = std::move(ours);
  return Ok{};
}

Error AttemptStarter::give_up(const std::string& why) {
  stop();
  return data_error("the process that starts attempts " + why);
}

Result<pid_t> AttemptStarter::start(const Descriptors& descriptors) {
  if (server_ < 0) {
    if (auto launched = launch(); !launched) return launched.error();
  }
  if (!send_request(socket_.get(), descriptors)) return give_up("takes no requests");
  AttemptServerReply reply;
  ssize_t got;
  while ((got = ::recv(socket_.get(), &reply, sizeof reply, 0)) < 0 && errno == EINTR) {
  }
  if (got != sizeof reply) return give_up(got < 0 ? "does not answer" : "has ended");
  if (reply.process < 0) return system_error("fork", reply.error_number);
  return reply.process;
}

void AttemptStarter::reap() {
  if (server_ < 0 || ::waitpid(server_, nullptr, WNOHANG) == 0) return;
  server_ = -1;
  socket_.reset();
}

void AttemptStarter::stop() {
  socket_.reset();
  if (server_ < 0) return;
  ::kill(server_, SIGKILL);
  while (::waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
  }
  server_ = -1;
}

}  // namespace weir::tasktracker
