// The files of the event log: one that is appended to, and full ones beside it (events.1.jsonl is
// the newest). Who changes settings says where they are, so they are nothing else's: what is there
// and does not begin as an event log is neither written to nor renamed, nor is what belongs to the
// store. One thread.
#pragma once

#include <string>
#include <string_view>

#include "jobqueue/model/result.h"
#include "jobqueue/model/settings.h"

namespace weir {

class EventFiles {
 public:
  // `store`: the path of the store's file.
  EventFiles(EventLogSettings place, std::string store);
  ~EventFiles();
  EventFiles(const EventFiles&) = delete;
  EventFiles& operator=(const EventFiles&) = delete;

  // Makes the file, and its directory, if there is none.
  Status open();
  // Whole lines: what cannot be written as a whole leaves nothing behind. Opened before.
  Status write(std::string_view lines);

 private:
  std::string name(std::int64_t number) const;  // 0: the one that is appended to
  Status check(const std::string& path) const;
  Result<std::int64_t> check_full() const;
  Status append_to();
  Status rotate();
  bool is_stores(const std::string& path) const;

  const EventLogSettings place_;
  const std::string store_;
  int file_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace weir
