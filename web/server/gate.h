// The way back to the server's threads for answers that come from others: open until the server
// stops, after which nothing goes through any more, so that a late answer meets no connection and
// no io_context that is gone. Any thread.
#pragma once

#include <mutex>

namespace weir::web {

class Gate {
 public:
  // `work` only posts something, or looks: the others wait meanwhile.
  template <class Work>
  void pass(Work work) {
    const std::lock_guard lock(mutex_);
    if (open_) work();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }

 private:
  std::mutex mutex_;
  bool open_ = true;
};

}  // namespace weir::web
