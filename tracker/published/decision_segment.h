// A piece of the decision log (decision_log.h): 512 records, and the names and texts that they
// need, each once. Written by the engine's thread, in place, while others read what is published
// already: records and names never move nor change, and `published` says how many records may be
// read, whose names then stand, too.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/time.h"
#include "views/amount.h"

namespace weir {

// Of the event log, in its words (decision_kinds()).
enum class DecisionKind : std::uint8_t {
  kLaunch,
  kCompute,
  kFinish,
  kFail,
  kKill,
  kReopen,
  kDutyPassedOn,
  kSubmit,
  kJob,
  kMove,
  kRelease,
  kPriority,
  kClaim,
  kClaimMet,
  kClaimDropped,
  kClaimResumed,
  kTracker,
  kQueue,
  kPolicy,
  kSettings,
  kRefused,
  kStart,
  kAdopt,
  kReserve,
  kUnreserve,
  kGangHold,
  kGangRelease,
  kGangStart,
};
inline constexpr const char* kDecisionKinds[] = {
    "launch",        "compute",       "finish",  "fail",  "kill",   "reopen",   "duty_passed_on",
    "submit",        "job",           "move",    "release", "priority", "claim", "claim_met",
    "claim_dropped", "claim_resumed", "tracker", "queue", "policy", "settings", "refused",
    "start",         "adopt",         "reserve", "unreserve", "gang_hold", "gang_release",
    "gang_start"};
inline constexpr std::size_t kDecisionKindCount = std::size(kDecisionKinds);

struct DecisionRecord {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::int64_t number = 0;
  TimeMs at = 0;                // engine time
  std::int64_t amount = 0;      // ran_ms; slots of a claim, map slots of a tracker, tasks of a gang
  std::int64_t more = 0;        // deadline of a claim, reduce slots of a tracker, slots of a kill
  std::int64_t claim = 0;
  std::uint32_t job = kNone;
  std::uint32_t task = kNone;   // of the class in `task_kind`
  std::uint32_t attempt = kNone;
  std::uint16_t tracker = 0;    // names: 0 is none
  std::uint16_t queue = 0;
  std::uint16_t user = 0;
  std::uint16_t text = 0;       // reason, state, priority, policy
  std::uint16_t other = 0;      // for whom, pool, what, source, version
  std::uint16_t by = 0;         // of a kill: what its container had (container_text())
  std::uint16_t leaf = 0;       // of a kill: the queue of the task, also where `queue` is a pool
  std::uint16_t group = 0;      // of a task of an application
  DecisionKind kind = DecisionKind::kLaunch;
  std::uint8_t task_kind = 0;
  bool flag = false;            // speculative; a task of it
};

class DecisionSegment {
 public:
  static constexpr std::size_t kRecords = 512;
  static constexpr std::size_t kNames = 1024;
  static constexpr std::size_t kMostOfARecord = 8;  // names
  static constexpr std::size_t kTextBytes = 400;    // of one name; longer ones are cut
  static constexpr std::size_t kBytes = 256 << 10;  // and no more records

  // --- The engine's thread ---
  bool full() const {
    return written_ == kRecords || named_ + kMostOfARecord > kNames || bytes() > kBytes;
  }
  std::uint16_t name(std::string_view text);  // its number; 0 for an empty one
  DecisionRecord& next() { return records_[written_]; }
  void publish() { published_.store(++written_, std::memory_order_release); }
  std::size_t bytes() const { return sizeof(*this) + text_bytes_; }

  // --- Any thread ---
  std::size_t size() const { return published_.load(std::memory_order_acquire); }
  const DecisionRecord& at(std::size_t i) const { return records_[i]; }
  const std::string& name_at(std::uint16_t name) const { return names_[name]; }

 private:
  static constexpr std::size_t kPlaces = 2 * kNames;  // of names by their hashes; a power of two

  std::array<DecisionRecord, kRecords> records_{};
  std::array<std::string, kNames> names_;  // [0] is empty
  std::atomic<std::size_t> published_{0};

  std::array<std::uint16_t, kPlaces> places_{};  // the engine's thread only, as what follows
  std::size_t written_ = 0;
  std::size_t named_ = 1;
  std::size_t text_bytes_ = 0;
};

// What a container had, as a name: "memory_mb=2048,vcores=2".
std::string container_text(const std::vector<Amount>& container);
std::vector<Amount> container_of(std::string_view text);

inline std::uint16_t DecisionSegment::name(std::string_view text) {
  if (text.empty()) return 0;
  text = text.substr(0, kTextBytes);
  std::size_t place = std::hash<std::string_view>{}(text) % kPlaces;
  for (; places_[place] != 0; place = (place + 1) % kPlaces) {
    if (names_[places_[place]] == text) return places_[place];
  }
  const auto number = static_cast<std::uint16_t>(named_++);
  names_[number] = text;
  places_[place] = number;
  if (text.size() > 15) text_bytes_ += text.size() + 16;  // shorter ones lie in the string itself
  return number;
}

}  // namespace weir
