// Threads that compute what a port answers, so that its I/O threads only read and write. What waits
// for them stands in lines by address, which take turns and of which none is longer than leaves
// room for others (request_lines.h): more is refused at once. What waits for a client that has left
// is taken out of its line, and costs nothing. Any thread; asking never waits.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tracker/port/request_lines.h"

namespace weir::web {

class Workers {
 public:
  using Work = std::function<void()>;
  enum class Room { kEnough, kAllFull, kAddressFull };

  // `name` is the subject of log lines.
  Workers(std::string name, int threads, std::size_t most_waiting);
  ~Workers();  // as stop()
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // `owner` is whose it is for drop(), null: nobody's. Nothing is kept where there is no room, nor
  // after stop().
  Room add(const std::string& address, const void* owner, Work work);
  // What waits there of this owner is never run.
  void drop(const std::string& address, const void* owner);
  // Whether this thread is one of them: it need not hand on what it could do itself.
  bool runs_here() const;
  std::size_t waiting() const;
  // Drops what waits, and waits for what is being run. Not from a worker.
  void stop();

 private:
  struct Item {
    const void* owner;
    Work work;
  };

  void run();

  const std::string name_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  RequestLines<Item> lines_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace weir::web
