// The streams of server-sent events: what changes in the published views, at most once a second. A
// change is encoded once for all streams (change_feed.h), and what streams with the same topics get
// is put together once. A stream that names jobs is told of these alone. One that
// comes back says which version it has seen (Last-Event-ID) and gets what it missed, or is told to
// read all anew. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobqueue/model/ids.h"
#include "tracker/jobtracker/daemon.h"
#include "tracker/published/change_feed.h"
#include "web/server/event_stream.h"
#include "web/server/responder.h"

namespace weir::web {

struct StreamWish {
  std::set<std::string> topics;   // empty: all
  std::vector<JobId> jobs;        // empty: all
  std::optional<std::int64_t> seen;
};

class EventStreams {
 public:
  static constexpr std::size_t kMostJobs = 100;  // that a stream may name
  static const std::vector<std::string>& topics();

  explicit EventStreams(JobTracker& tracker);
  ~EventStreams();

  void open(StreamWish wish, const HttpResponder& responder);
  void stop();  // says so to all streams

 private:
  class Listener;
  struct Made;  // texts for one batch, by what is wished
  bool add(const std::shared_ptr<Listener>& listener);
  SharedText text_for(const ChangeBatchPtr& batch, const StreamWish& wish);

  JobTracker& tracker_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Listener>> listeners_;
  bool stopped_ = false;
  std::shared_ptr<Made> made_;
  std::unique_ptr<ChangeFeed> feed_;
};

}  // namespace weir::web
