// TaskTrackers that exist as numbers: what each holds, reported as the protocol asks (input.h).
// They are faithful and quick: an end is reported in the same moment, output that must be published
// goes through COMMIT_PENDING and its grant at once, and last duties of jobs are done silently by
// whoever gets them. An attempt that the engine wants dead is reported as killed with the
// tracker's next heartbeat, not before. A tracker's index is its TrackerId in the engine. One
// thread; time is the engine's.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/input.h"
#include "jobqueue/model/result.h"
#include "sim/sim_engine.h"

namespace weir {

struct VirtualTrackerSpec {
  std::string name;
  std::string rack = "r1";
  Resources total{{2, 2, 0, 0}};
  double slowdown = 1;  // its tasks take so many times as long
  std::map<std::string, std::int64_t> named;  // what more it offers
  std::map<std::string, std::string> labels;
};

class VirtualCluster {
 public:
  explicit VirtualCluster(SimEngine& engine) : engine_(engine) {}

  // A new tracker, or a lost one that comes back with nothing running. Refused if it is there.
  Status add_tracker(const VirtualTrackerSpec& spec);
  Status lose(TrackerId tracker);  // it is gone, with all that ran on it
  // The tracker stays and offers other totals from its next report on, which is made at once.
  Status set_total(TrackerId tracker, const Resources& total);
  Status set_offer(TrackerId tracker, const Resources& total,
                   const std::map<std::string, std::int64_t>& named);

  std::size_t size() const { return trackers_.size(); }
  std::optional<TrackerId> find(const std::string& name) const;
  const VirtualTrackerSpec& spec(TrackerId tracker) const { return at(tracker).spec; }
  bool live(TrackerId tracker) const { return at(tracker).live; }
  // What the tracker holds and reports.
  const std::vector<AttemptReport>& held(TrackerId tracker) const {
    return report_of(at(tracker)).attempts;
  }

  // Reports what is true, kills confirmed; returns the launches in order. The tracker lives.
  std::vector<AttemptKey> heartbeat(TrackerId tracker);
  // The attempt ends well, or not, now; the tracker reports it at once without asking for tasks,
  // or, if `asks_for_tasks`, as a whole heartbeat that also starts what it is given.
  Status finish(const AttemptKey& attempt, bool asks_for_tasks = false);
  Status fail(const AttemptKey& attempt, const std::string& diagnostics);
  // Ends well, to be reported with the tracker's next heartbeat. False if it runs no more.
  bool finish_later(TrackerId tracker, const AttemptKey& attempt);
  // A reduce that may not compute yet has copied its input, to be reported with the tracker's next
  // heartbeat. False if it does not copy.
  bool copied(TrackerId tracker, const AttemptKey& attempt);
  // Of the attempt at that place in held().
  void set_progress(TrackerId tracker, std::size_t place, std::int32_t millionths) {
    report_of(at(tracker)).attempts[place].progress_millionths = millionths;
  }

  // Whether the last heartbeat() or finish() was told of kills that are not confirmed yet.
  bool heard_of_kills() const { return heard_of_kills_; }
  // The attempt that now runs this task, if one does.
  std::optional<AttemptKey> running(const TaskKey& task) const;

 private:
  struct Tracker {
    VirtualTrackerSpec spec;
    std::int64_t incarnation = 0;
    bool live = false;
    std::size_t unpublished = 0;  // attempts that wait for the grant of their commit
    Input input;  // a Heartbeat, used again and again; its attempts are what it holds
  };
  Tracker& at(TrackerId tracker) { return trackers_[tracker.index()]; }
  const Tracker& at(TrackerId tracker) const { return trackers_[tracker.index()]; }
  static Heartbeat& report_of(Tracker& tracker) { return std::get<Heartbeat>(tracker.input.body); }
  static const Heartbeat& report_of(const Tracker& tracker) {
    return std::get<Heartbeat>(tracker.input.body);
  }
  static AttemptReport* find_held(Tracker& tracker, const AttemptKey& attempt);
  Reply connect(Tracker& tracker);
  void note_kills(Tracker& tracker);
  std::vector<AttemptKey> beat(Tracker& tracker, bool asks_for_tasks);
  void exchange(Tracker& tracker, bool asks_for_tasks, std::vector<AttemptKey>& launched);
  void leave(Tracker& tracker);
  void obey(Tracker& tracker, const HeartbeatReply& reply, std::vector<AttemptKey>& launched);
  Status end(const AttemptKey& attempt, ReportedState state, const std::string& diagnostics,
             bool asks_for_tasks);
  void set_end(Tracker& tracker, AttemptReport& attempt, ReportedState state);

  SimEngine& engine_;
  std::vector<Tracker> trackers_;
  std::map<std::string, TrackerId> by_name_;
  bool heard_of_kills_ = false;
};

}  // namespace weir
