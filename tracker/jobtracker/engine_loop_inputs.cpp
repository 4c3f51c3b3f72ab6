// What comes into the engine's two queues, and what is refused.
#include <utility>

#include "tracker/jobtracker/engine_loop.h"
#include "tracker/port/peers.h"

namespace weir {

namespace {

bool of_a_tracker(const EngineLoop::Body& body) {
  return std::holds_alternative<Heartbeat>(body) || std::holds_alternative<RegisterTracker>(body) ||
         std::holds_alternative<DescribeJob>(body) ||
         std::holds_alternative<QueryMapOutputs>(body) || std::holds_alternative<QueryPeers>(body);
}

// Who is asking on this thread, and the user whom the request names.
Asker asker_of(const EngineLoop::Body& body) {
  Asker asker{calling_peer(), ""};
  std::visit(
      [&asker](const auto& input) {
        if constexpr (requires { input.caller; }) asker.user = input.caller.user;
      },
      body);
  return asker;
}

Error busy(const std::string& whose, std::size_t waiting) {
  return Error{ErrorCode::kBusy,
               "the JobTracker has " + std::to_string(waiting) + " requests" + whose + " waiting",
               "try again after a while",
               {}};
}

}  // namespace

std::optional<Error> EngineLoop::no_room(const Asker& asker) const {
  using Room = RequestLines<Item>::Room;
  switch (requests_.room(asker)) {
    case Room::kEnough:
      return std::nullopt;
    case Room::kAllFull:
      return busy("", requests_.size());
    case Room::kAddressFull:
      return busy(" from " + asker.address, requests_.waiting(asker.address));
    case Room::kUserFull:
      return busy(asker.user.empty() ? " from " + asker.address
                                     : " of " + asker.user + " from " + asker.address,
                  requests_.waiting(asker));
  }
  return std::nullopt;
}

std::optional<Error> EngineLoop::refusal(const Item& item, const Asker& asker) const {
  if (closed_) {
    return Error{ErrorCode::kShuttingDown,
                 "the JobTracker is shutting down",
                 "try again once it is back",
                 {}};
  }
  if (!item.query && of_a_tracker(item.body)) {
    if (queue_.size() >= options_.queue_limit) return busy("", queue_.size());
    return std::nullopt;
  }
  if (std::holds_alternative<SubmitJob>(item.body) && committer_->overloaded()) {
    return Error{ErrorCode::kBusy,
                 "the store is behind and takes no new jobs for now",
                 "try again after a while",
                 {}};
  }
  return no_room(asker);
}

// Into its queue, or why not.
std::optional<Error> EngineLoop::take_in(Item& item, const Asker& asker) {
  {
    const std::lock_guard lock(mutex_);
    if (auto no = refusal(item, asker)) return no;
    if (item.query || !of_a_tracker(item.body)) {
      requests_.push(asker, std::move(item));
      if (sleeps_until_) work_.notify_one();
      return std::nullopt;
    }
    item.address = asker.address;
    item.posted_at = std::chrono::steady_clock::now();
    queue_.push_back(std::move(item));
    if (!free_for_trackers()) {
      // Whoever has the turn, or waits for it, looks at the queue once more.
      if (!turn_taken_ && !own_thread_waits_ && sleeps_until_) work_.notify_one();
      return std::nullopt;
    }
    turn_taken_ = true;
  }
  take_turn_here();
  return std::nullopt;
}

void EngineLoop::post(Body body, Callback callback) {
  const Asker asker = asker_of(body);
  if (!asker.user.empty()) note_calling_user(asker.user);
  Item item{std::move(body), std::move(callback), nullptr, ""};
  if (const auto no = take_in(item, asker); no && item.callback) item.callback(*no, 0);
}

void EngineLoop::query(Query query, std::optional<Asker> asker) {
  Item item{Tick{}, nullptr, std::move(query), ""};
  if (const auto no = take_in(item, asker ? *asker : asker_of(item.body))) item.query(*no);
}

}  // namespace weir
