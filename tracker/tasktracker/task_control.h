// The attempt process's line to its agent. Reports (progress, status, counters, state) are merged
// here and sent at most a few times a second, at once when the state changes; commands (grant,
// commit, map outputs) arrive as lines on another pipe. When that pipe closes the agent is dead:
// everything of the attempt is killed and the process ends, so no orphan survives its tracker. Who
// serves the pipes is a thread inside, and then all methods may be called from any thread; or, for
// a task that does nothing but run one command, the only thread there is, while it waits for that:
// to make a thread costs a tenth of a short task.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "tracker/tasktracker/counters.h"
#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/task_line.h"
#include "tracker/tasktracker/task_report.h"

namespace weir::tasktracker {

// News about one map's output, as the agent passes it on.
struct OutputNews {
  std::uint32_t map = 0, attempt = 0;
  bool obsolete = false;
  std::string host;
  std::uint16_t port = 0;
};

class TaskControl {
 public:
  enum class Served { kByThread, kByCaller };

  TaskControl(const AttemptKey& id, TaskLine line, bool compute_granted,
              Served served = Served::kByThread);
  ~TaskControl();

  // kByCaller: when there is something to be read from the line, and from time to time. The thread
  // that does it is the only one.
  bool served_by_caller() const { return !thread_.joinable(); }
  int line() const { return line_.commands.get(); }
  void serve_now();

  void moved() { movement_.fetch_add(1, std::memory_order_relaxed); }
  void set_progress(std::int64_t done, std::int64_t total, std::int32_t from = 0,
                    std::int32_t to = 1000000);
  void set_phase(TaskPhase phase);
  void set_waiting(bool waiting);
  void set_status(std::string_view text);
  void add_counter(std::string_view group, std::string_view name, std::int64_t amount);
  void set_counter(std::string_view name, std::int64_t value);
  void add_fetch_failure(std::uint32_t map, std::uint32_t attempt);
  void drop_fetch_failures(std::uint32_t map);

  // Called on the control thread, for news that came before too.
  void on_output_news(std::function<void(const OutputNews&)> handler);
  void wait_for_grant();
  // Says that the output is complete and waits for the order to publish it, valid until the
  // returned steady time.
  std::int64_t wait_for_commit();
  // What the process does after its task.
  enum class After { kEnds, kGoesOn };
  // The last report of the attempt.
  void report_end(ReportedState state, std::string_view diagnostics, After after = After::kEnds);
  // After that, where the caller serves the line.
  TaskLine give_line() { return std::move(line_); }

 private:
  void serve();
  void wait_for_line(int milliseconds);
  void read_commands();
  void take_commands();
  void report_news();
  void take_command(std::string_view line);
  void send();
  [[noreturn]] void agent_is_gone();

  TaskLine line_;
  UniqueFd stop_read_, stop_write_;
  std::atomic<std::uint64_t> movement_{0};
  std::atomic<std::int32_t> progress_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  TaskReport report_;
  TaskCounters counters_;
  bool granted_;
  std::optional<std::int64_t> commit_until_ms_;
  std::mutex news_mutex_;  // held while the handler runs, which may take mutex_
  std::function<void(const OutputNews&)> on_news_;
  std::vector<OutputNews> early_news_;
  std::mutex send_mutex_;
  std::uint64_t movement_sent_ = 0;
  std::int32_t progress_sent_ = 0;
  std::int64_t sent_ms_ = 0;  // kByCaller
  bool changed_since_sent_ = true, ended_ = false;
  std::thread thread_;
};

}  // namespace weir::tasktracker
