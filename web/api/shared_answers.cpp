#include "web/api/shared_answers.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "tracker/port/peers.h"

namespace weir::web {
namespace {

std::size_t size_of(const SharedText& text) {
  return text ? text->size() : 0;
}
std::size_t size_of(const HttpAnswer& answer) {
  return size_of(answer.body) + size_of(answer.gzipped);
}

Answer<HttpAnswer> answer_to(const Reply& reply) {
  return [reply](Result<HttpAnswer> answer) {
    if (!answer) return reply.refuse(answer.error());
    reply.give(std::move(*answer));
  };
}

}  // namespace

SharedAnswers::SharedAnswers(boost::asio::io_context& io, Run run,
                             std::function<std::uint64_t()> told)
    : io_(io), run_(std::move(run)), told_(std::move(told)) {}

void SharedAnswers::get(const std::string& key, const Reply& reply, Make make) {
  Lock lock(mutex_);
  const auto entry = find_or_add(key);
  if (!entry) {
    lock.unlock();
    return make(answer_to(reply), [reply] { return reply.wanted(); });
  }
  const bool current = entry->told == told_();
  if (current && entry->answer && Clock::now() < entry->until) {
    HttpAnswer answer = *entry->answer;
    lock.unlock();
    compress(*entry, answer);  // the first who asked may have been the only one
    return reply.give(std::move(answer));
  }
  if (current && entry->making) {
    entry->served.push_back(reply);
    return;
  }
  entry->waiting.push_back(reply);
  entry->make = std::move(make);
  go_on(entry, std::move(lock));
}

std::shared_ptr<SharedAnswers::Entry> SharedAnswers::find_or_add(const std::string& key) {
  const auto found = entries_.find(key);
  if (found != entries_.end()) return found->second;
  if (entries_.size() >= kMostKeys) forget_what_is_over();
  if (entries_.size() >= kMostKeys) return nullptr;
  return entries_[key] = std::make_shared<Entry>();
}

// Begins what is to be made, if its time has come.
void SharedAnswers::go_on(const std::shared_ptr<Entry>& entry, Lock lock) {
  std::erase_if(entry->waiting, [](const Reply& reply) { return !reply.wanted(); });
  if (entry->making || entry->planned || entry->waiting.empty()) return;
  const auto now = Clock::now();
  entry->early = now < entry->until;
  if (now < entry->not_before) return plan(entry);
  forget(*entry);
  entry->making = true;
  entry->begun = now;
  entry->told = told_();
  entry->served.swap(entry->waiting);
  const Make make = entry->make;
  lock.unlock();
  static const Peer nobody("");
  const CallingPeerScope calling(nobody, nullptr);
  make([this, entry](Result<HttpAnswer> answer) { made(entry, std::move(answer)); },
       [this, entry] { return still_wanted(entry); });
}

// If not, it is as if it had not been begun.
bool SharedAnswers::still_wanted(const std::shared_ptr<Entry>& entry) {
  Lock lock(mutex_);
  std::erase_if(entry->served, [](const Reply& reply) { return !reply.wanted(); });
  if (!entry->served.empty()) return true;
  entry->making = false;
  go_on(entry, std::move(lock));
  return false;
}

void SharedAnswers::plan(const std::shared_ptr<Entry>& entry) {
  entry->planned = true;
  const auto timer = std::make_shared<boost::asio::steady_timer>(io_, entry->not_before);
  timer->async_wait([this, entry, timer](const boost::system::error_code& cancelled) {
    if (!cancelled) go_on_as_planned(entry);
  });
}

void SharedAnswers::go_on_as_planned(const std::shared_ptr<Entry>& entry) {
  const bool taken = run_([this, entry] {
    Lock lock(mutex_);
    entry->planned = false;
    go_on(entry, std::move(lock));
  });
  if (taken) return;
  std::vector<Reply> refused;
  {
    const Lock lock(mutex_);
    entry->planned = false;
    refused.swap(entry->waiting);
  }
  for (const Reply& reply : refused) reply.refuse(no_worker());
}

void SharedAnswers::made(const std::shared_ptr<Entry>& entry, Result<HttpAnswer> answer) {
  std::vector<Reply> served;
  Lock lock(mutex_);
  const auto now = Clock::now();
  const auto cost = kTimesItsCost * (now - entry->begun);
  if (entry->early) entry->not_before = entry->begun + cost;
  entry->until = now + std::max<Clock::duration>(kGood, cost);
  served.swap(entry->served);
  if (answer) keep(*entry, *answer);
  entry->making = false;
  go_on(entry, std::move(lock));
  if (answer && served.size() > 1) compress(*entry, *answer);
  for (const Reply& reply : served) answer_to(reply)(answer);
}

void SharedAnswers::keep(Entry& entry, HttpAnswer answer) {
  const std::size_t size = size_of(answer);
  if (bytes_ + size > kMostBytes) forget_what_is_over();
  if (bytes_ + size > kMostBytes) return;
  bytes_ += size;
  entry.answer = std::move(answer);
}

void SharedAnswers::forget(Entry& entry) {
  if (!entry.answer) return;
  bytes_ -= size_of(*entry.answer);
  entry.answer.reset();
}

void SharedAnswers::forget_what_is_over() {
  const auto now = Clock::now();
  const std::uint64_t told = told_();
  std::erase_if(entries_, [&](const auto& each) {
    Entry& entry = *each.second;
    if (entry.making || entry.planned || now < entry.not_before) return false;
    if (entry.answer && entry.told == told && now < entry.until) return false;
    forget(entry);
    return true;
  });
}

// Once for all who get it.
void SharedAnswers::compress(Entry& entry, HttpAnswer& answer) {
  if (answer.gzipped || size_of(answer.body) < HttpLimits{}.gzip_from_bytes) return;
  answer.gzipped = gzip(*answer.body);
  const Lock lock(mutex_);
  const bool kept = entry.answer && entry.answer->body == answer.body;
  const std::size_t bytes = bytes_ + size_of(answer.gzipped);
  if (!kept || entry.answer->gzipped || bytes > kMostBytes) return;
  bytes_ = bytes;
  entry.answer->gzipped = answer.gzipped;
}

}  // namespace weir::web
