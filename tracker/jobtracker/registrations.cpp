#include "tracker/jobtracker/registrations.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir {

namespace {

std::size_t places_of(const RegisterTracker& registration) {
  constexpr std::size_t kBytesAPlace = 4096;
  std::size_t bytes = registration.name.size() + registration.host.size() +
                      registration.rack.size() + registration.home.size() +
                      registration.key.size();
  for (const std::string& path : registration.local_paths) bytes += sizeof path + path.size();
  return 1 + bytes / kBytesAPlace;
}

}  // namespace

Status Registrations::note(const RegisterTracker& registration, const std::string& address,
                           std::size_t known, TimeMs now) {
  const auto [first, last] = noted_.equal_range(registration.name);
  const auto old = std::find_if(
      first, last, [&](const auto& entry) { return entry.second.address == address; });
  if (old != last) forget(old);
  const std::size_t all = known + places_;
  const std::size_t places = places_of(registration);
  if (all + places > most_) {
    return Error{ErrorCode::kBusy,
                 fmt::format("there are {} trackers, the most allowed", all),
                 fmt::format("limits.max_trackers of weir.yaml is {}", most_),
                 {}};
  }
  const auto held = by_address_.find(address);
  const std::size_t of_address = held == by_address_.end() ? 0 : held->second;
  if (of_address > 0 && of_address + places > most_ - all - places) {
    return Error{ErrorCode::kBusy,
                 fmt::format("{} trackers of {} have registered and sent no heartbeat yet",
                             of_address, address),
                 fmt::format("limits.max_trackers of weir.yaml is {}, and others have to have room",
                             most_),
                 {}};
  }
  noted_.emplace(registration.name, Noted{registration, address, places, now});
  by_address_[address] += places;
  places_ += places;
  return Ok{};
}

std::optional<RegisterTracker> Registrations::take(const std::string& name,
                                                   std::int64_t incarnation,
                                                   const std::string& key,
                                                   const std::string& address) {
  const auto [first, last] = noted_.equal_range(name);
  auto of_this_life = last;
  for (auto entry = first; entry != last; ++entry) {
    const RegisterTracker& registration = entry->second.registration;
    if (registration.incarnation != incarnation || registration.key != key) continue;
    if (of_this_life == last || entry->second.address == address) of_this_life = entry;
  }
  if (of_this_life == last) return std::nullopt;
  RegisterTracker registration = std::move(of_this_life->second.registration);
  for (auto entry = first; entry != last;) entry = forget(entry);
  return registration;
}

void Registrations::forget_before(TimeMs time) {
  for (auto entry = noted_.begin(); entry != noted_.end();) {
    entry = entry->second.at < time ? forget(entry) : std::next(entry);
  }
}

Registrations::Entries::iterator Registrations::forget(Entries::iterator entry) {
  const Noted& noted = entry->second;
  places_ -= noted.places;
  const auto held = by_address_.find(noted.address);
  held->second -= noted.places;
  if (held->second == 0) by_address_.erase(held);
  return noted_.erase(entry);
}

}  // namespace weir
