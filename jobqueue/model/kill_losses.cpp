#include "jobqueue/model/kill_losses.h"

#include <algorithm>

namespace weir {

std::int64_t KillLosses::of_queue(std::string_view path, TimeMs now) const {
  return sum_of(queues_, path, now);
}

std::int64_t KillLosses::of_pool(std::string_view path, TimeMs now) const {
  return sum_of(pools_, path, now);
}

std::int64_t KillLosses::sum_of(const ByPath& losses, std::string_view path, TimeMs now) {
  std::int64_t lost = 0;
  const auto found = losses.find(path);
  if (found == losses.end()) return lost;
  for (const Loss& loss : found->second) {
    if (now - loss.at < kWindowMs) lost += loss.slot_ms;
  }
  return lost;
}

// Once an hour, so that neither names nor losses pile up.
void KillLosses::forget_before(TimeMs now) {
  if (now - forgotten_at_ < kWindowMs) return;
  forgotten_at_ = now;
  for (ByPath* losses : {&queues_, &pools_}) {
    for (auto& [path, of] : *losses)
      std::erase_if(of, [now](const Loss& loss) { return now - loss.at >= kWindowMs; });
    std::erase_if(*losses, [](const auto& each) { return each.second.empty(); });
  }
}

void KillLosses::add(const KillLoss& loss) {
  forget_before(loss.at);
  queues_[loss.queue].push_back({loss.at, loss.slot_ms});
  if (!loss.pool.empty()) pools_[loss.pool].push_back({loss.at, loss.slot_ms});
}

void KillLosses::take_back(const KillLoss& loss) {
  const auto take = [&loss](ByPath& losses, const std::string& path) {
    const auto of = losses.find(path);
    if (of == losses.end()) return;
    const auto found =
        std::find(of->second.begin(), of->second.end(), Loss{loss.at, loss.slot_ms});
    if (found != of->second.end()) of->second.erase(found);
  };
  take(queues_, loss.queue);
  take(pools_, loss.pool);
}

}  // namespace weir
