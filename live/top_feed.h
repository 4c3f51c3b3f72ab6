// Keeps the model of `weir top` current: reads all once, then follows the stream of events, and
// begins anew when the server goes away or says so. What is asked for (why a job waits, to kill it)
// is done on a second thread, over a connection of its own, one thing after another. Both threads
// end with the feed, whatever they wait for. `changed` is called from them, without the lock.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "live/http_client.h"
#include "live/top_model.h"
#include "live/top_view.h"

namespace weir::live {

// What came of an action: a line to show, or a text to read.
struct TopOutcome {
  std::string message;
  std::vector<std::string> text;
};

class TopFeed {
 public:
  TopFeed(const std::string& host, std::uint16_t port, std::string user,
          std::function<void()> changed);
  ~TopFeed();

  // The model must not be kept beyond the call.
  template <class Use>
  auto with_model(Use use) {
    const std::lock_guard lock(mutex_);
    return use(model_);
  }
  // One at a time: while one is under way, others are passed over.
  void ask(const TopAction& action);
  std::optional<TopOutcome> take_outcome();

 private:
  void follow();
  void read_all();
  void read_jobs();
  bool take(const std::string& topic, const std::string& data);
  void say_trouble(const std::string& what);
  void act();
  TopOutcome outcome_of(const TopAction& action);
  bool pause(std::int64_t milliseconds);

  const std::string user_;
  const std::function<void()> changed_;
  HttpClient reader_, stream_, doer_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  TopModel model_;
  std::int64_t jobs_read_ms_ = 0;  // of the first thread
  std::optional<TopAction> wanted_;
  std::optional<TopOutcome> outcome_;
  std::thread follower_, actor_;
};

std::int64_t steady_now_ms();

}  // namespace weir::live
