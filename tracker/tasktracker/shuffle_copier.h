// Copies one partition of every map's output to a reduce attempt: five fetching threads, small
// pieces kept in memory up to a budget, the others in files as they came; all of them checked
// (shuffle_intake.h); failures retried with growing pauses. Where outputs are is learned piece by
// piece (news()), also that one is obsolete. After four failures of the same output the attempt
// reports it and goes on trying. A piece once copied is kept whatever happens to its source. news()
// may be called from any thread; the rest belongs to the attempt's main thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tracker/tasktracker/shuffle_client.h"
#include "tracker/tasktracker/shuffle_intake.h"
#include "tracker/tasktracker/task_control.h"
#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

struct CopiedPiece {
  std::string memory;             // the lines, or
  std::string path;               // the file that holds them,
  std::int64_t bytes = 0;         // of the lines
  std::int64_t stored_bytes = 0;  // of the file
  bool in_blocks = false;         // it
};

class ShuffleCopier {
 public:
  ShuffleCopier(const TaskSpec& spec, TaskControl& control);
  ~ShuffleCopier();

  void news(const OutputNews& news);
  // Blocks until every map's piece is here, then gives them in map order. Fails only for local
  // reasons (disk).
  Result<std::vector<CopiedPiece>> wait_for_all();

 private:
  enum class State { kUnknown, kReady, kFetching, kDone };
  struct Source {
    State state = State::kUnknown;
    std::uint32_t attempt = 0;
    std::string host;
    std::uint16_t port = 0;
    int failures = 0;
    bool replaced = false;  // the news changed while it was being fetched
  };
  struct Link {  // a worker's open connection
    std::string host;
    std::uint16_t port = 0;
    std::optional<ShuffleConnection> connection;
    ShuffleIntake intake;
  };

  void work();
  std::optional<std::uint32_t> next_map(std::unique_lock<std::mutex>& lock);
  Result<CopiedPiece> fetch(Link& link, std::uint32_t map, const Source& source);
  Result<ShuffleAnswer> ask(Link& link, std::uint32_t map, const Source& source);
  Result<CopiedPiece> take_body(Link& link, const ShuffleAnswer& answer, std::uint32_t map);
  Status take_to_memory(Link& link, const ShuffleAnswer& answer, CopiedPiece& piece);
  Status take_to_file(Link& link, const ShuffleAnswer& answer, std::uint32_t map,
                      CopiedPiece& piece);
  bool reserve_memory(std::int64_t bytes);
  void fetched(std::uint32_t map, Result<CopiedPiece> piece);
  void retry_later(std::uint32_t map);

  const TaskSpec& spec_;
  TaskControl& control_;
  const std::int64_t memory_budget_;
  std::mutex mutex_;
  std::condition_variable work_changed_, all_done_;
  std::vector<Source> sources_;
  std::vector<CopiedPiece> pieces_;
  std::deque<std::uint32_t> ready_;
  std::multimap<std::int64_t, std::uint32_t> delayed_;  // by the time of the next try
  std::uint64_t
      scatter_;  // reduces ask in different orders, so that they do not all meet at one tracker
  std::size_t done_ = 0;
  std::int64_t memory_used_ = 0, bytes_copied_ = 0;
  std::optional<Error> local_failure_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace weir::tasktracker
