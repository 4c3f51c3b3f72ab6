// Calls on the file systems that jobs name, any of which may hang: some threads, so that one that
// waits for ever stops no other, and nobody waits for them at the end. A user gets one only while
// he has fewer than are free, and users take turns, so one whose file system hangs stops nobody
// else. What would have to wait behind calls that hang is not taken, unless nobody is told of its
// end. A call's `then` runs on its thread, and not once stop() has returned. begin() and stop() on
// any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weir::tasktracker {

class OutputWork {
 public:
  static constexpr std::size_t kThreads = 16;
  static constexpr std::size_t kThreadsAlone = kThreads / 2;  // for a user beside whom nobody is
  static constexpr std::int64_t kHangsAfterMs = 10'000;
  static constexpr std::size_t kMostWaiting = 10'000;  // of a user, behind calls that hang

  explicit OutputWork(std::int64_t hangs_after_ms = kHangsAfterMs);
  ~OutputWork() { stop(); }
  OutputWork(const OutputWork&) = delete;
  OutputWork& operator=(const OutputWork&) = delete;

  // False: all threads that the user may have are at calls that hang. `what` says for people what
  // it is.
  bool begin(const std::string& user, std::string what, std::function<void()> call,
             std::function<void()> then = nullptr);
  // What is being done now: "completing the output of job_0007".
  std::vector<std::string> running() const;
  // Whether nothing runs any more, at most so long after.
  bool wait(std::chrono::milliseconds most);
  // Begins nothing more. Calls that run go on, and tell nobody.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;  // the threads' too
};

}  // namespace weir::tasktracker
