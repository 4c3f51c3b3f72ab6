// The engine and its trackers in a property run. Trackers speak the whole protocol (input.h): they
// report what they hold, take on what the reply says, ask before they publish, do last duties, and
// may drain, shrink, vanish and come back. The store is virtual and answers at once, unless it is
// told to lag or to fail. Observers see every step. Deterministic; one thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "jobqueue/engine/engine.h"
#include "lab/kit/tracker_side.h"
#include "sim/observer.h"

namespace weir {

inline constexpr const char* kUnits = "gpu";  // the resource that settings name

struct FuzzTracker : TrackerSide {
  std::string name;
  std::string rack;
  Resources total;
  std::map<std::string, std::string> labels;
  std::uint32_t port_count = 0;
  bool live = false;
  bool draining = false;
  bool slow = false;  // what runs there gets on badly
  bool ends_in_order = false;  // when it is restarted: no task is to blame
  std::map<std::string, std::int64_t> named() const;  // what of `total` has a name
};

class FuzzCluster {
 public:
  FuzzCluster(std::shared_ptr<const Settings> settings, PolicyFactory factory);

  void watch(Observer& observer) { observers_.push_back(&observer); }
  const Engine& engine() const { return *engine_; }
  const ClusterState& state() const { return engine_->state(); }
  TimeMs now() const { return now_; }
  std::uint64_t inputs() const { return inputs_; }

  // One input now, and what the store says to it. The last reply is returned.
  template <class Body>
  Reply step(Body body) {
    return handle(Input{now_, ++token_, std::move(body)});
  }
  // The clock moves, and the periodic update runs.
  void advance(DurationMs ms);

  std::vector<FuzzTracker>& trackers() { return trackers_; }
  FuzzTracker& add_tracker(const Resources& total, const std::string& rack,
                           std::map<std::string, std::string> labels = {},
                           std::uint32_t port_count = 0);
  void connect(FuzzTracker& tracker, bool restarted);
  void heartbeat(FuzzTracker& tracker, bool asks_for_tasks = true);
  // The attempt ends, to be told with the next heartbeat; a reduce without slots has copied.
  void end(AttemptReport& attempt, bool well);

  // While it lags, nothing becomes durable; catch_up() makes all of it so, or loses the commands.
  void set_lagging(bool lagging) { lagging_ = lagging; }
  void catch_up(bool failed = false);

 private:
  Reply handle(const Input& input);
  void run(const Input& input, Reply& answer);
  void obey(FuzzTracker& tracker, const HeartbeatReply& reply);
  void leave(FuzzTracker& tracker);

  std::unique_ptr<Engine> engine_;
  std::vector<Observer*> observers_;
  std::vector<FuzzTracker> trackers_;
  std::map<Token, std::size_t> parked_;  // heartbeats whose reply waits for the store
  TimeMs now_ = 1'000'000;
  Token token_ = 0;
  std::uint64_t inputs_ = 0;
  std::int64_t incarnations_ = 0;
  bool lagging_ = false;
};

}  // namespace weir
