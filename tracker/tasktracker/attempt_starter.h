// The tracker's end of the process that makes the processes of attempts (attempt_server.h): started
// when the first attempt is, asked one thing at a time, and started again when it is gone or does
// not answer. Whoever starts an attempt waits for the answer, a fork's time. Belongs to the agent's
// thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

class AttemptStarter {
 public:
  AttemptStarter() = default;
  // `environment`: all that attempts see of one, besides what their jobs say; NAME=value.
  AttemptStarter(std::string program, std::vector<std::string> environment,
                 std::int64_t answers_within_ms)
      : program_(std::move(program)),
        environment_(std::move(environment)),
        answers_within_ms_(answers_within_ms) {}
  AttemptStarter(const AttemptStarter&) = delete;
  AttemptStarter& operator=(AttemptStarter&& other) noexcept;
  ~AttemptStarter() { stop(); }

  struct Descriptors {
    int commands, reports, log;
  };
  // A child of this process. An error of the server's own leaves pid() at -1: there may be a child
  // then that nobody knows, which ends when it finds its commands' other end closed.
  Result<pid_t> start(const Descriptors& descriptors);
  pid_t pid() const { return server_; }  // -1: there is none
  // When a child has ended: it may have been the server.
  void reap();
  void stop();

 private:
  Status launch();
  Error give_up(const std::string& why);

  std::string program_;
  std::vector<std::string> environment_;
  std::int64_t answers_within_ms_ = 0;
  UniqueFd socket_;
  pid_t server_ = -1;
};

// What of this process' environment attempts are started with: the mark that leftover processes are
// found by, and what tasks may see. `named` besides what always is.
std::vector<std::string> attempt_environment(const std::vector<std::string>& named,
                                             const std::string& work_dir);

}  // namespace weir::tasktracker
