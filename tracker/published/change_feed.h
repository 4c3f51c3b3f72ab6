// Tells listeners what changes, one batch a second at most. A thread of its own looks at the
// publisher's version four times a second, compares what is new with what it saw before, has it
// encoded once and hands it to every listener: the engine's thread does not know of it, and no io
// thread compares or encodes anything. While nobody listens, and nobody has for a minute, it does
// nothing at all and keeps no views.
//
// What a batch may hold is bounded by changes.h (500 jobs, then it says "many"), what is kept by
// change_log.h (3 minutes, 16 MiB). Listeners are called on the feed's thread, must not wait, and
// may be called once more while unsubscribe() is under way on another thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tracker/published/change_log.h"
#include "tracker/published/view_publisher.h"

namespace weir {

class ChangeFeed {
 public:
  static constexpr std::chrono::milliseconds kLook{250};
  static constexpr std::chrono::milliseconds kLinger{60'000};  // after the last listener has left

  // `changes` has the views before and after, for listeners who are told of a few jobs alone; good
  // for as long as the call.
  using Listener = std::function<void(const ChangeBatchPtr& batch, const ViewChanges& changes)>;

  struct Subscription {
    std::uint64_t token = 0;
    std::int64_t version = 0;            // from which on the listener is told
    bool reload = false;                 // what he has seen is too old: read all anew
    std::vector<ChangeBatchPtr> missed;  // since what he has seen, oldest first
  };

  ChangeFeed(const ViewPublisher& publisher, ChangeLog::Encoder encoder,
             ChangeLogLimits limits = {});
  ~ChangeFeed();  // as stop()
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

  // Any thread. `seen`: the version that he has seen last, if he was here before. The listener is
  // told of every batch behind `missed`, and of none twice.
  Subscription subscribe(std::optional<std::int64_t> seen, Listener listener);
  void unsubscribe(std::uint64_t token);
  std::size_t listeners() const;
  // Calls nobody any more once it returns. Not from a listener.
  void stop();

 private:
  void run();
  void tell(PublishedViewsPtr before);

  const ViewPublisher& publisher_;
  mutable std::mutex mutex_;  // guards what follows; not held while anything is encoded or told
  std::condition_variable wake_;
  std::map<std::uint64_t, std::shared_ptr<const Listener>> listeners_;
  std::uint64_t last_token_ = 0;
  ChangeLog::Clock::time_point left_at_{};
  bool stopped_ = false;
  ChangeLog log_;

  std::thread thread_;
};

}  // namespace weir
