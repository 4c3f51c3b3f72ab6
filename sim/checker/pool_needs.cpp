#include "sim/checker/pool_needs.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::check {
namespace {


std::int64_t whole(const Rational& share) {
  return floor_of(share + kHair);
}

std::int64_t lost_in(const std::string& pool, const JobPools& where,
                     const std::map<JobId, std::int64_t>& gone) {
  std::int64_t lost = 0;
  for (const auto& [job, slots] : gone) {
    if (within(pool, where.at(job))) lost += slots;
  }
  return lost;
}

}  // namespace

Due due_of(const std::string& pool, TaskKind kind, const PoolRules& rules, const PoolMemory& memory,
           TimeMs now) {
  const auto beyond = [&](const std::map<PoolMemory::Key, TimeMs>& stamps, DurationMs timeout) {
    const auto stamp = stamps.find({pool, kind});
    return stamp != stamps.end() && timeout != kNever && now - stamp->second > timeout;
  };
  Due due;
  due.minimum = beyond(memory.at_minimum, rules.min_timeout);
  due.fair = beyond(memory.at_half, rules.fair_timeout);
  return due;
}

Due due_of(const Pools& pools, const std::string& pool, const PoolMemory& memory, TimeMs now) {
  const PoolLine& line = pools.line(pool);
  Due due = due_of(pool, pools.kind, *line.rules, memory, now);
  if (due.minimum) due.minimum_slots = owed_minimum(line) - line.running;
  if (due.fair) due.fair_slots = std::min(whole(line.share), line.demand) - line.running;
  return due;
}

std::int64_t owed_minimum(const PoolLine& line) {
  return whole(line.scaled_minimum);
}

// Each pool from the leaf up to below those that the needy one is in, too.
std::optional<std::string> must_keep(const Pools& pools, const JobPools& where, const Loss& loss,
                                     const Gain& gain, const std::map<JobId, std::int64_t>& gone) {
  const PoolLine& needy = pools.line(gain.needy);
  for (std::string p = loss.pool; !within(p, gain.needy); p = parent_of(p)) {
    const PoolLine& line = pools.line(p);
    const std::int64_t running = line.running - lost_in(p, where, gone);
    const std::int64_t left = running - loss.slots;
    if (running <= line.share + kHair) {
      return fmt::format("pool {} runs {} and no more than its fair share of {:.6f}", p, running,
                         line.share.convert_to<double>());
    }
    if (left < owed_minimum(line)) {
      return fmt::format("pool {} would run {} of its minimum of {}", p, left, owed_minimum(line));
    }
    if (gain.for_minimum || left >= whole(line.share)) continue;
    const std::int64_t has = needy.running + gain.coming;
    if (needy.share * left > line.share * has) continue;
    return fmt::format("pool {} would run {} of its fair share of {:.6f}, and {} runs {} of {:.6f}",
                       p, left, line.share.convert_to<double>(), gain.needy, has,
                       needy.share.convert_to<double>());
  }
  return std::nullopt;
}

bool stays_at_share(const Pools& pools, const FairRules& rules, const Loss& loss,
                    const std::map<JobId, std::int64_t>& gone) {
  const PoolJob* own = pools.find(loss.job);
  const bool alone = pools.line(loss.pool).rules->fifo && !rules.deficit;  // no share of its own
  if (own == nullptr || !own->runnable || alone) return true;
  const auto lost = gone.find(loss.job);
  const std::int64_t left = own->running - loss.slots - (lost == gone.end() ? 0 : lost->second);
  return left + kHair >= own->share;
}

}  // namespace weir::check
