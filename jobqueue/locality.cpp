#include "jobqueue/locality.h"

#include <algorithm>

#include "jobqueue/job.h"
#include "jobqueue/prefetch.h"

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
  next = begins;
  begins.push_back(static_cast<std::uint32_t>(indexes.size()));
  said = {};
  finish_backwards();
}

void LocalityIndex::Lists::finish_backwards() {
  if (indexes.empty()) return;
  begins_of.assign(*std::max_element(indexes.begin(), indexes.end()) + std::size_t{2}, 0);
  for (const std::uint32_t index : indexes) ++begins_of[index + 1];
  for (std::size_t i = 1; i < begins_of.size(); ++i) begins_of[i] += begins_of[i - 1];
  lists_of.resize(indexes.size());
  std::vector<std::uint32_t> at = begins_of;
  for (std::uint32_t k = 0; k < keys.size(); ++k) {
    for (std::uint32_t i = begins[k]; i < begins[k + 1]; ++i) lists_of[at[indexes[i]]++] = k;
  }
}

std::optional<std::size_t> LocalityIndex::Lists::find(std::uint32_t place) const {
  const auto at = std::lower_bound(keys.begin(), keys.end(), place);
  if (at == keys.end() || *at != place) return std::nullopt;
  return static_cast<std::size_t>(at - keys.begin());
}

void LocalityIndex::Lists::rewind(std::uint32_t index) {
  if (index + std::size_t{1} >= begins_of.size()) return;
  for (std::uint32_t i = begins_of[index]; i < begins_of[index + 1]; ++i) {
    const std::uint32_t k = lists_of[i];
    const auto at =
        std::lower_bound(indexes.begin() + begins[k], indexes.begin() + begins[k + 1], index);
    next[k] = std::min(next[k], static_cast<std::uint32_t>(at - indexes.begin()));
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
  std::uint32_t& at = next[*k];
  while (at < begins[*k + 1] && !maps.fresh.contains(indexes[at])) ++at;
  if (at == begins[*k + 1]) return std::nullopt;
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
  for (Lists* lists : {&by_tracker_, &by_rack_, &unlocated_}) lists->finish();
}

void LocalityIndex::prefetch(std::uint32_t index) const {
  for (const Lists* lists : {&by_tracker_, &by_rack_}) {
    if (index < lists->begins_of.size()) __builtin_prefetch(&lists->begins_of[index]);
    prefetch_few(lists->lists_of);
    prefetch_few(lists->begins);
    prefetch_few(lists->next);
    prefetch_few(lists->indexes);
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
