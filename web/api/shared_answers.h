// Answers that many ask for at once and that are the same for all of them (all queues, the
// policy's outlook): made once for everybody who asks while it is made, and good for a moment
// afterwards: at least kGood, and twenty times what it took to make, so that no answer, however
// dear, takes more than a twentieth of anybody's time. So two hundred pages that poll cost the
// engine, and the threads of the web port, what one costs. A change that comes by this port drops
// what is there: who has changed something never reads what was before. Any thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tracker/jobtracker/answer.h"
#include "web/api/call.h"

namespace weir::web {

class SharedAnswers {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kGood{500};
  static constexpr int kTimesItsCost = 20;

  // `make` is called if there is none, on this thread, and gives its answer to the callback, once.
  using Make = std::function<void(Answer<HttpAnswer>)>;
  void get(const std::string& key, const Reply& reply, const Make& make);
  void drop();

 private:
  struct Entry {
    std::optional<HttpAnswer> answer;
    Clock::time_point begun{};  // its making
    Clock::time_point until{};
    std::vector<Reply> waiting;  // for the answer that is being made
    bool making = false;
    std::uint64_t round = 0;  // of drops
  };
  void made(Entry& entry, Result<HttpAnswer> answer);

  std::mutex mutex_;
  std::uint64_t round_ = 0;
  std::map<std::string, std::shared_ptr<Entry>> entries_;  // keys are paths: few
};

}  // namespace weir::web
