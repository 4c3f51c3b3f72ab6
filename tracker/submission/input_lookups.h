// Looks at the disk for those who submit over HTTP: what lies at the paths that they name, cut into
// splits. A file system may hang, so this has a bounded number of threads of its own, whom nobody
// else waits for: a look that takes longer than `patience` is answered with BUSY, and its thread is
// given up to the file system until that lets go of it. Addresses take turns, and the users of one.
// An address gets a thread only while it has fewer than are free, and a part of what may wait; so
// does a user, from all his addresses. So whoever names paths on a file system that hangs leaves
// threads to others. Any thread; asking never waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "jobqueue/model/result.h"
#include "tracker/port/request_lines.h"
#include "tracker/splits/splits.h"

namespace weir {

class InputLookups {
 public:
  struct Limits {
    std::size_t threads = 8;
    std::size_t waiting = 32;
    std::size_t waiting_of_address = 8;
    std::size_t waiting_of_user = 16;
    std::size_t entries = 500'000;  // of directories, looked at for one submission
    std::chrono::milliseconds patience{30'000};
  };
  struct Wanted {
    std::vector<std::string> paths;
    std::int64_t split_bytes = kDefaultSplitBytes;
    std::optional<std::int64_t> combine_bytes;
  };
  using Answer = std::function<void(Result<InputSplits>)>;
  using Look = std::function<Result<InputSplits>(const Wanted&, const LookLimits&)>;

  InputLookups();
  explicit InputLookups(Limits limits, Look look = look_at_disk);
  ~InputLookups();  // as stop()
  InputLookups(const InputLookups&) = delete;
  InputLookups& operator=(const InputLookups&) = delete;

  // Answered once, on a thread of these, or at once where it is refused.
  void look(const Asker& asker, Wanted wanted, Answer answer);
  // Refuses what waits and what is being looked at; no answer comes after it. Does not wait for the
  // file system. Once; not from an answer.
  void stop();

  // Whether it was refused as anybody would have been, and not for what the asker has there.
  static bool for_everybody(const Error& refusal);

  static Result<InputSplits> look_at_disk(const Wanted& wanted, const LookLimits& limits);

 private:
  struct State;  // which threads that hang share
  const std::shared_ptr<State> state_;
  std::thread clock_;  // answers what takes too long
};

}  // namespace weir
