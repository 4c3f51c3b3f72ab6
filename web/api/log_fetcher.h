// Fetches a piece of an attempt's log from the tracker that keeps it, without a thread that waits:
// as the protocol of its shuffle port has it (shuffle_protocol.h). A tracker is not believed: what
// it sends is bounded by what was asked for, has kPatience in all, and is bytes to whoever reads
// them. Of fetches at one time there are few, of one tracker fewer: one that hangs takes only its
// own part, and nobody's once who asked has left. Any thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/result.h"
#include "tracker/jobtracker/answer.h"

namespace weir::web {

struct LogWish {
  std::string host;  // of the published views
  std::uint16_t port = 0;
  AttemptKey attempt;
  std::string log;  // stdout, stderr, syslog
  std::int64_t most_bytes = 0;
  std::int64_t from = 0;  // none before this byte
  std::int64_t to = 0;    // none from this byte on; 0: to the end
};

// The last bytes of the wish, as many as were asked for at most.
struct LogBytes {
  std::int64_t begin = 0;  // place of the first
  std::int64_t size = 0;   // of the whole log
  std::string text;
};

class LogFetcher : public std::enable_shared_from_this<LogFetcher> {
 public:
  static constexpr std::size_t kMost = 64;
  static constexpr std::size_t kMostOfTracker = 4;
  static constexpr std::int64_t kMostBytes = 4 << 20;
  static constexpr std::chrono::milliseconds kPatience{15'000};

  explicit LogFetcher(boost::asio::io_context& io) : io_(io) {}

  // Answered once, on a thread of the io_context, or at once when there are too many. Ends soon
  // after it is no longer wanted.
  void fetch(LogWish wish, std::function<bool()> wanted, Answer<LogBytes> answer);

 private:
  class Fetch;
  bool begin(const std::string& tracker);
  void end(const std::string& tracker);

  boost::asio::io_context& io_;
  std::mutex mutex_;
  std::size_t total_ = 0;
  std::map<std::string, std::size_t> of_tracker_;
};

}  // namespace weir::web
