// Questions about jobs that are over for long: a thread of its own reads the store's history, so
// that neither the engine's thread, nor the store's writer, nor an io thread ever waits for a read
// from the disk. A bounded number of questions wait; further ones are refused at once with BUSY.
#pragma once

#include <functional>
#include <memory>

#include "jobqueue/store/store.h"
#include "tracker/jobtracker/worker.h"

namespace weir {

class HistoryReader {
 public:
  // The pointer is good until the question returns.
  using Question = std::function<void(Result<History*>)>;

  explicit HistoryReader(Store& store) : store_(store) {}

  // Any thread. The question runs on the reader's thread, or with an error on the caller's.
  void ask(Question question);
  void stop() { worker_.stop(); }  // answers what is asked already

 private:
  Result<History*> history();

  Store& store_;
  std::unique_ptr<History> history_;  // the reader's thread only; made at the first question
  Worker worker_;
};

}  // namespace weir
