// Counts and logs what a server refused: connections that were dropped because of what they sent,
// how slowly they sent it, or because a limit of the server was reached. Every refusal is counted
// by its cause; at most kLinesPerSecond are logged, the rest is summed up in one "and N more" line,
// so that a flood of garbage cannot become a flood of log. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace weir {

enum class RefusalCause { kOversize, kMalformed, kTimeout, kOverBudget, kTooManyConnections };

// Connections dropped since the start, by cause.
struct Refusals {
  std::atomic<int64_t> oversize{0};     // a frame longer than the limit of the port
  std::atomic<int64_t> malformed{0};    // not a Thrift message, or one that cannot be parsed
  std::atomic<int64_t> timeout{0};      // a frame not finished, or a reply not read, in time
  std::atomic<int64_t> over_budget{0};  // the budget of buffered bytes was spent
  std::atomic<int64_t> too_many_connections{0};  // closed as soon as accepted

  std::atomic<int64_t>& of(RefusalCause cause);
  int64_t total() const;
};

class RefusalLog {
 public:
  static constexpr int kLinesPerSecond = 10;

  explicit RefusalLog(std::string server_name) : server_name_(std::move(server_name)) {}
  ~RefusalLog();

  // `peer` is the client's address, `what` a sentence with the limit in it.
  void refuse(RefusalCause cause, std::string_view peer, std::string_view what);
  // Logs the pending "and N more" once its second is over; called now and then by the server.
  void flush();
  const Refusals& counts() const { return counts_; }

 private:
  void roll_window(std::chrono::steady_clock::time_point now);

  const std::string server_name_;
  Refusals counts_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point window_start_{};
  int lines_in_window_ = 0;
  int64_t unlogged_ = 0;
};

}  // namespace weir
