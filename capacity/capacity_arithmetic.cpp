#include "capacity/capacity_arithmetic.h"

#include <algorithm>
#include <numeric>

#include "jobqueue/model/check.h"

namespace weir {
namespace {

// Fills the takers at `members`, all of one rank and with weight; returns what is left.
std::int64_t fill_rank(std::int64_t amount, const std::vector<Taker>& takers,
                       std::vector<std::size_t> members, std::vector<std::int64_t>& filled) {
  // Who is full first as the level rises comes first: smallest cap / weight.
  const auto full_before = [&](std::size_t a, std::size_t b) {
    return Int128(takers[a].cap) * takers[b].weight < Int128(takers[b].cap) * takers[a].weight;
  };
  std::stable_sort(members.begin(), members.end(), full_before);
  Int128 weights = 0;
  for (const std::size_t i : members) weights += takers[i].weight;
  auto open = members.begin();
  for (; open != members.end(); ++open) {
    const Taker& taker = takers[*open];
    if (Int128(taker.cap) * weights > Int128(taker.weight) * amount) break;
    filled[*open] = taker.cap;
    amount -= taker.cap;
    weights -= taker.weight;
  }
  if (open == members.end()) return amount;
  std::vector<std::size_t> unfilled(open, members.end());
  std::sort(unfilled.begin(), unfilled.end());
  std::vector<std::int64_t> ratios;
  for (const std::size_t i : unfilled) ratios.push_back(takers[i].weight);
  const auto parts = largest_remainder(amount, ratios);
  for (std::size_t k = 0; k < unfilled.size(); ++k) filled[unfilled[k]] = parts[k];
  return 0;
}

// How a queue that wants more than its guarantee takes part in sharing out the excess.
Taker taker_of(const QueueNeed& queue, CapacitySettings::RedistributeBy by) {
  Taker taker{.cap = std::max<std::int64_t>(queue.demand - queue.guaranteed, 0)};
  if (queue.weight == 0) {
    taker.weight = 1;
    taker.rank = 2;
    return taker;
  }
  switch (by) {
    case CapacitySettings::RedistributeBy::kGuaranteed:
      taker.weight = queue.weight;
      break;
    case CapacitySettings::RedistributeBy::kWaitingJobs:
      taker.weight = queue.waiting_jobs;
      break;
    case CapacitySettings::RedistributeBy::kDemand:
      taker.weight = taker.cap;
      break;
  }
  if (taker.weight == 0) {
    taker.weight = 1;
    taker.rank = 1;
  }
  return taker;
}

}  // namespace

std::vector<std::int64_t> water_fill(std::int64_t amount, const std::vector<Taker>& takers) {
  std::vector<std::int64_t> filled(takers.size(), 0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < takers.size(); ++i) {
    if (takers[i].weight > 0 && takers[i].cap > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return takers[a].rank < takers[b].rank; });
  for (auto first = order.begin(); first != order.end() && amount > 0;) {
    const auto last = std::find_if(
        first, order.end(), [&](std::size_t i) { return takers[i].rank != takers[*first].rank; });
    amount = fill_rank(amount, takers, {first, last}, filled);
    first = last;
  }
  return filled;
}

std::vector<std::int64_t> allocate(std::int64_t total, const std::vector<QueueNeed>& siblings,
                                   CapacitySettings::RedistributeBy by) {
  std::vector<std::int64_t> allocated;
  std::vector<Taker> takers;
  std::vector<std::int64_t> excess;
  std::int64_t rest = total;
  std::int64_t excess_sum = 0;
  for (const QueueNeed& queue : siblings) {
    const std::int64_t kept = std::min(queue.guaranteed, queue.demand);
    allocated.push_back(kept);
    takers.push_back(taker_of(queue, by));
    excess.push_back(queue.guaranteed - kept);
    rest -= kept;
    excess_sum += excess.back();
  }
  WEIR_CHECK(rest >= 0, "a family has at least what its members may keep");
  const auto taken = water_fill(rest, takers);
  for (std::size_t i = 0; i < siblings.size(); ++i) {
    allocated[i] += taken[i];
    rest -= taken[i];
  }
  if (rest == 0) return allocated;
  WEIR_CHECK(rest <= excess_sum, "what nobody wants is somebody's excess");
  const auto back = largest_remainder(rest, excess);
  for (std::size_t i = 0; i < siblings.size(); ++i) allocated[i] += back[i];
  return allocated;
}

}  // namespace weir
