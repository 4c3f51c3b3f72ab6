// Trackers that have registered and not sent a heartbeat yet. To register costs nothing, so it
// gives nothing: no slots, no place in the lists, no part in the heartbeat interval, which grows
// with the cluster. The engine hears of a tracker with its first heartbeat; of one that sends none
// nothing is left when heartbeat.expiry is over.
//
// There are at most `limits.max_trackers` of both kinds together; of the places that are left an
// address may take no more by registrations alone than it leaves for others (the rule of
// ByteBudget), and one that is large takes a place for each 4 KiB. What one address says of a name
// does not replace what another said of it: the heartbeat shows whose word it was. Trackers that
// are there, or awaited after a restart, register with the engine at once.
// The engine's thread only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "jobqueue/model/input.h"
#include "jobqueue/model/time.h"

namespace weir {

class Registrations {
 public:
  explicit Registrations(std::size_t most) : most_(most) {}

  // Notes it, or says why not. `known`: trackers that the engine counts; `address`: whose it is.
  Status note(const RegisterTracker& registration, const std::string& address, std::size_t known,
              TimeMs now);
  // Of the tracker whose heartbeat has come from `address` (if it registered from another, of any
  // that does); all that was said of the name is forgotten here.
  std::optional<RegisterTracker> take(const std::string& name, std::int64_t incarnation,
                                      const std::string& key, const std::string& address);
  void forget_before(TimeMs time);
  std::size_t places() const { return places_; }

 private:
  struct Noted {
    RegisterTracker registration;
    std::string address;
    std::size_t places = 0;
    TimeMs at = 0;
  };
  using Entries = std::unordered_multimap<std::string, Noted>;  // by the tracker's name
  Entries::iterator forget(Entries::iterator entry);

  const std::size_t most_;
  Entries noted_;
  std::unordered_map<std::string, std::size_t> by_address_;  // places
  std::size_t places_ = 0;
};

}  // namespace weir
