#include "jobqueue/model/locality.h"

#include <algorithm>

#include "jobqueue/model/job.h"
#include "jobqueue/model/prefetch.h"

namespace weir {

// --- Lists ---

void LocalityIndex::Lists::finish() {
  std::sort(said.begin(), said.end());
  said.erase(std::unique(said.begin(), said.end()), said.end());
  for (const auto& [place, index] : said) {
    if (keys.empty() || keys.back() != place) {
      keys.push_back(place);
      begins.push_back(static_cast<std::uint32_t>(indexes.size()));
    }
    indexes.push_back(index);
  }
  begins.push_back(static_cast<std::uint32_t>(indexes.size()));
  said = std::vector<std::pair<std::uint32_t, std::uint32_t>>();  // `= {}` would keep its room
  finish_long();
}

void LocalityIndex::Lists::finish_long() {
  const auto is_long = [this](std::size_t k) { return begins[k + 1] - begins[k] > kShort; };
  std::uint32_t last = 0;  // of the maps in long lists
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (is_long(k)) last = std::max(last, indexes[begins[k + 1] - 1] + 1);
  }
  if (last == 0) return;
  next.assign(begins.begin(), begins.end() - 1);
  begins_of.assign(last + std::size_t{1}, 0);
  const auto each = [&](auto&& visit) {
    for (std::uint32_t k = 0; k < keys.size(); ++k) {
      if (!is_long(k)) continue;
      for (std::uint32_t at = begins[k]; at < begins[k + 1]; ++at) visit(k, at);
    }
  };
  each([&](std::uint32_t, std::uint32_t at) { ++begins_of[indexes[at] + 1]; });
  for (std::size_t i = 1; i < begins_of.size(); ++i) begins_of[i] += begins_of[i - 1];
  positions.resize(begins_of.back());
  std::vector<std::uint32_t> free = begins_of;
  each([&](std::uint32_t k, std::uint32_t at) { positions[free[indexes[at]]++] = {k, at}; });
}

std::optional<std::size_t> LocalityIndex::Lists::find(std::uint32_t place) const {
  const auto at = std::lower_bound(keys.begin(), keys.end(), place);
  if (at == keys.end() || *at != place) return std::nullopt;
  return static_cast<std::size_t>(at - keys.begin());
}

void LocalityIndex::Lists::rewind(std::uint32_t index) {
  if (index + std::size_t{1} >= begins_of.size()) return;
  for (std::uint32_t i = begins_of[index]; i < begins_of[index + 1]; ++i) {
    const auto& [k, at] = positions[i];
    next[k] = std::min(next[k], at);
  }
}

bool LocalityIndex::Lists::holds(std::uint32_t place, std::uint32_t index) const {
  const auto k = find(place);
  return k &&
         std::binary_search(indexes.begin() + begins[*k], indexes.begin() + begins[*k + 1], index);
}

std::optional<std::uint32_t> LocalityIndex::Lists::first_pending(std::uint32_t place,
                                                                 const TaskGroup& maps) {
  const auto k = find(place);
  if (!k) return std::nullopt;
  const std::uint32_t end = begins[*k + 1];
  const bool is_short = end - begins[*k] <= kShort;
  std::uint32_t at = is_short ? begins[*k] : next[*k];
  while (at < end && !maps.fresh.contains(indexes[at])) ++at;
  if (!is_short) next[*k] = at;
  if (at == end) return std::nullopt;
  return indexes[at];
}

// --- The index ---

void LocalityIndex::clear() {
  *this = {};
}

void LocalityIndex::add(std::uint32_t index, TrackerId tracker, RackId rack) {
  by_tracker_.said.emplace_back(tracker.value, index);
  by_rack_.said.emplace_back(rack.value, index);
}

void LocalityIndex::add_unlocated(std::uint32_t index) {
  unlocated_.said.emplace_back(0, index);
}

void LocalityIndex::finish() {
  if (by_tracker_.said.empty()) return clear();  // then there is nothing to choose
  for (Lists* lists : {&by_tracker_, &by_rack_, &unlocated_}) lists->finish();
}

void LocalityIndex::prefetch(std::uint32_t index) const {
  for (const Lists* lists : {&by_tracker_, &by_rack_}) {
    if (index + std::size_t{1} >= lists->begins_of.size()) continue;
    __builtin_prefetch(&lists->begins_of[index]);
    prefetch_few(lists->positions);
    prefetch_few(lists->next);
  }
}

bool LocalityIndex::located(std::uint32_t index) const {
  return !unlocated_.holds(0, index);
}

void LocalityIndex::rewind(std::uint32_t index) {
  for (Lists* lists : {&by_tracker_, &by_rack_, &unlocated_}) lists->rewind(index);
}

Locality LocalityIndex::of(std::uint32_t index, TrackerId tracker, RackId rack) const {
  if (by_tracker_.holds(tracker.value, index)) return Locality::kNode;
  return by_rack_.holds(rack.value, index) ? Locality::kRack : Locality::kAny;
}

std::optional<LocalityIndex::Found> LocalityIndex::nearest(const TaskGroup& maps, TrackerId tracker,
                                                           RackId rack, Locality allowed) {
  if (const auto found = by_tracker_.first_pending(tracker.value, maps)) {
    return Found{*found, Locality::kNode};
  }
  if (allowed >= Locality::kRack) {
    if (const auto found = by_rack_.first_pending(rack.value, maps)) {
      return Found{*found, Locality::kRack};
    }
  }
  const auto any =
      allowed == Locality::kAny ? maps.fresh.first() : unlocated_.first_pending(0, maps);
  if (any) return Found{*any, Locality::kAny};
  return std::nullopt;
}

}  // namespace weir
