#include "tracker/jobtracker/history_reader.h"

#include <utility>

namespace weir {

void HistoryReader::ask(Question question) {
  const bool taken = worker_.try_run([this, question] { question(history()); });
  if (taken) return;
  question(Error{ErrorCode::kBusy,
                 "too many questions about the history wait already",
                 "try again after a while",
                 {}});
}

Result<History*> HistoryReader::history() {
  if (!history_) {
    auto opened = store_.history();
    if (!opened) return opened.error();
    history_ = std::move(*opened);
  }
  return history_.get();
}

}  // namespace weir
