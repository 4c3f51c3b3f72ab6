// Where the stderr of a user's commands goes: lines `reporter:counter:group,name,n` and
// `reporter:status:text` are taken out, all else, and counters without a name or of Weir's own
// group, goes to the attempt's log, which keeps its
// beginning and its end. The last bytes are kept to explain a failure. Lines are bounded: a longer
// one goes to the log in pieces. One thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tracker/tasktracker/bounded_log.h"

namespace weir::tasktracker {

class StderrSink {
 public:
  struct Handlers {
    std::function<void(std::string_view group, std::string_view name, std::int64_t amount)> counter;
    std::function<void(std::string_view text)> status;
  };
  StderrSink(std::string log_path, std::int64_t log_limit_bytes, Handlers handlers);

  void consume(std::string_view bytes);
  void finish();  // the stream is over: an unfinished line counts as one
  std::string last_lines() const;
  bool has_logged() const { return log_.has_begun(); }

 private:
  void take_line(std::string_view line);
  bool take_report(std::string_view line);

  BoundedLog log_;
  Handlers handlers_;
  std::string line_;  // unfinished
  std::string tail_;
};

}  // namespace weir::tasktracker
