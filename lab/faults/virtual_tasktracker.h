// A tracker that can be killed, stalled and cut off: the trackers' very agent core, with virtual
// processes and a virtual disk. What the agent does with the core's actions (agent.cpp) is done
// here without threads, and every message goes through the same conversions as on the wire. One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "lab/faults/virtual_process.h"
#include "lab/faults/world.h"
#include "tracker/tasktracker/agent_core.h"

namespace weir::faults {

class VirtualTaskTracker {
 public:
  // `offer` is what it registers with, but for what changes with each life.
  VirtualTaskTracker(World& world, RegisterTracker offer);
  VirtualTaskTracker(const VirtualTaskTracker&) = delete;
  VirtualTaskTracker& operator=(const VirtualTaskTracker&) = delete;

  void start();
  void kill();
  bool up() const { return core_ != nullptr; }
  const std::string& name() const { return offer_.name; }
  // Nothing happens in the agent until then; tasks go on.
  void stall(DurationMs ms);
  void cut_off(DurationMs ms);
  void jump_clock(std::int64_t ms) { wall_skew_ms_ += ms; }
  void fill_disk(bool full) { disk_full_ = full; }
  // When it was last down, stalled or cut off.
  TimeMs disturbed_at() const { return disturbed_at_; }

  bool serves(JobId job, std::uint32_t map, std::uint32_t attempt) const;
  void lose_an_output();
  // Finished maps' outputs that it holds.
  const std::set<AttemptKey>& outputs() const { return outputs_; }
  const std::map<AttemptKey, std::unique_ptr<VirtualProcess>>& processes() const {
    return processes_;
  }

 private:
  tasktracker::Now now() const;
  bool connected() const;
  // Something happens to the agent: now, or when it has woken up.
  void happen(std::function<void()> event);
  void turn();
  void arm_timer();
  World::Answer answered(std::function<void(VirtualJobTracker::ReplyBody)> reply,
                         std::function<void(const Error*)> failed);

  void do_action(tasktracker::action::Register& action);
  void do_action(tasktracker::action::SendHeartbeat& action);
  void do_action(tasktracker::action::FetchJob& action);
  void do_action(tasktracker::action::FetchOutputs& action);
  void do_action(tasktracker::action::TakePorts& action);
  void do_action(tasktracker::action::GivePortsBack&) {}
  void do_action(tasktracker::action::FetchPeers& action);
  void do_action(tasktracker::action::StartAttempt& action);
  void do_action(tasktracker::action::KillAttempt& action);
  void do_action(tasktracker::action::CommitAttempt& action);
  void do_action(tasktracker::action::GrantAttempt& action);
  void do_action(tasktracker::action::PushOutputs& action);
  void do_action(tasktracker::action::RunDuty& action);
  void do_action(tasktracker::action::DropJob& action);
  void do_action(tasktracker::action::Leave&);
  VirtualProcess* process(const AttemptKey& key);
  void check_units(const Launch& launch) const;
  void check_peers(const tasktracker::action::StartAttempt& start) const;

  World& world_;
  const RegisterTracker offer_;
  std::unique_ptr<tasktracker::AgentCore> core_;
  std::map<AttemptKey, std::unique_ptr<VirtualProcess>> processes_;
  std::set<AttemptKey> outputs_;  // of finished maps
  std::set<JobId> dropped_;       // in this life
  std::int32_t port_ = 0;
  std::uint64_t life_ = 0;
  std::uint64_t timer_ = 0;
  TimeMs awake_at_ = 0;
  TimeMs connected_at_ = 0;
  TimeMs disturbed_at_ = 0;
  std::int64_t wall_skew_ms_ = 0;
  std::int64_t reports_sent_ = 0;
  bool disk_full_ = false;
};

}  // namespace weir::faults
