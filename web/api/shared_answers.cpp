#include "web/api/shared_answers.h"

#include <algorithm>
#include <utility>

namespace weir::web {

void SharedAnswers::get(const std::string& key, const Reply& reply, const Make& make) {
  std::optional<HttpAnswer> ready;
  std::shared_ptr<Entry> mine;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Entry>& entry = entries_[key];
    if (!entry || entry->round != round_) {
      // Who waits for the one before is answered by it all the same.
      entry = std::make_shared<Entry>();
      entry->round = round_;
    }
    if (entry->answer && Clock::now() < entry->until) {
      ready = entry->answer;
    } else {
      entry->waiting.push_back(reply);
      if (std::exchange(entry->making, true)) return;
      entry->begun = Clock::now();
      mine = entry;
    }
  }
  if (ready) return reply.give(std::move(*ready));
  make([this, mine](Result<HttpAnswer> answer) { made(*mine, std::move(answer)); });
}

void SharedAnswers::made(Entry& entry, Result<HttpAnswer> answer) {
  // In both forms, once: who asks for it next need not have it compressed.
  if (answer && answer->body && answer->body->size() >= HttpLimits{}.gzip_from_bytes)
    answer->gzipped = gzip(*answer->body);
  std::vector<Reply> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(entry.waiting);
    entry.making = false;
    if (answer) {
      entry.answer = *answer;
      const auto now = Clock::now();
      entry.until = now + std::max<Clock::duration>(kGood, kTimesItsCost * (now - entry.begun));
    }
  }
  for (const Reply& reply : waiting) {
    if (answer) {
      reply.give(*answer);
    } else {
      reply.refuse(answer.error());
    }
  }
}

void SharedAnswers::drop() {
  const std::lock_guard lock(mutex_);
  ++round_;
}

}  // namespace weir::web
