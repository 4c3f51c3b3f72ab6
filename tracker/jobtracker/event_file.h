// `event_log:` every decision of the engine as a line of JSON in a file that is rotated
// (events.jsonl, events.1.jsonl, ...). The fields are those of docs/scenarios.md, with jobs by
// their numbers and times in ms since the epoch. Lines are made on the engine's thread; a thread of
// the file's own opens it, writes, and closes it: a disk that is slow, or hangs, makes nobody wait.
// What it cannot keep up with is left out, counted, and told in a line `lost` and in the daemon's
// log. The engine's thread, but for error().
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>

#include "eventlog/event_lines.h"
#include "jobqueue/engine/engine.h"
#include "jobqueue/model/settings.h"

namespace spdlog {
class logger;
namespace details {
class thread_pool;
}
}  // namespace spdlog

namespace weir {

class EventFile {
 public:
  explicit EventFile(std::string store = "");  // its file's path, which no log may have
  ~EventFile();  // what has been told is written, unless the disk hangs
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  // Opens, changes or closes the file as these settings want it.
  void follow(const Settings& settings);
  void on(const Event& event, const Engine& engine);

  // Why nothing, or not everything, is being written; for `weir policy show`. Any thread.
  std::optional<std::string> error() const;

 private:
  void open(const EventLogSettings& place);
  void close();
  void tell_lost(TimeMs now);
  void send();

  class Writers;
  class Trouble;
  class Sink;
  const std::string store_;
  std::optional<EventLogSettings> place_;
  std::string job_name_;  // the answer to the lines' latest question
  std::ostringstream text_;
  EventLines lines_;
  std::shared_ptr<spdlog::details::thread_pool> writer_;
  std::shared_ptr<spdlog::logger> file_;
  std::uint64_t told_lost_ = 0;
  bool losing_ = false;                      // more than it keeps up with was told, and waits still
  std::uint64_t number_ = 0;                 // of the writer
  const std::shared_ptr<Writers> writers_;   // those that were told to end, too
  mutable std::mutex mutex_;                 // guards the pointer
  std::shared_ptr<Trouble> trouble_;         // of the writer
};

}  // namespace weir
