// One open event stream, as whoever feeds it sees it: texts go in, on any thread and never waiting,
// and leave as fast as the client takes them. A reader that is too slow (more than so many bytes
// wait for it, or the port's budget has no room for them) gets nothing any more but the stream's
// last words, and is dropped. When nothing was sent for a while, the server sends a comment.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "tracker/port/byte_budget.h"
#include "web/server/answer.h"

namespace weir::web {

struct StreamStart {
  std::string content_type = "text/event-stream";
  SharedText too_slow;  // the last words for a reader that is too slow
};

class EventStream {
 public:
  // `wake` has the connection take what is there; called without the lock.
  EventStream(std::shared_ptr<ByteBudget> budget, BudgetShare share, std::size_t most_bytes,
              SharedText too_slow, std::function<void()> wake);

  // False when the stream is over: whoever feeds it may forget it.
  bool send(SharedText text);
  // The last text; the stream ends when it is written.
  void finish(SharedText text);
  bool over() const { return over_.load(std::memory_order_relaxed); }

  // For the connection. The next text to write, null if there is none; it is given back by
  // written() when all of it is.
  SharedText next();
  void written(std::size_t bytes);
  bool finished() const;  // nothing comes any more, and nothing is left
  void close();           // the connection is gone

 private:
  void end_with(SharedText text);  // needs mutex_

  mutable std::mutex mutex_;
  const std::shared_ptr<ByteBudget> budget_;  // a feeder may outlive the server
  BudgetShare share_;
  const std::size_t most_bytes_;
  const SharedText too_slow_;
  const std::function<void()> wake_;
  std::deque<SharedText> waiting_;
  std::size_t unsent_ = 0;
  std::atomic<bool> over_{false};
};

}  // namespace weir::web
