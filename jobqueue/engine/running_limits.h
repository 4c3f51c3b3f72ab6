// Which jobs run and which wait: a job counts in groups, each with a limit on how many of it run at
// a time. Its queue is one (max_running_jobs), its user in that queue another
// (max_running_jobs_per_user), and a policy with pools has more, which reach across queues
// (Pools::running_groups). Who may run is a walk over the unfinished jobs in order of priority,
// submit time, name and id: a job runs if there is room in all its groups, and takes a place in
// each. Places are not for ever: a more urgent job takes that of a less urgent one, whose running
// tasks go on; a job with running reduces and maps left keeps its own, so that such jobs come first
// in the walk.
//
// Two rules differ. Where groups reach across queues, one that has come to be over its limit sheds
// jobs, and there is one walk for all (plan). Where they do not, a queue over its limit keeps what
// runs there, as if it had so many places, until jobs end; its own order counts, in which
// priorities may mean nothing and names do not; and one job at a time is let in (turn).
//
// The walk itself is never made: it is known how many jobs run in each group, who of them would
// yield, and who waits, in order. At a job's turn a group that is full has room for it exactly if
// one that yields comes after it there. Jobs of the same groups are a class, and of a class the
// first that waits is the one to ask. A plan asks the classes of those groups where a place came
// free since the last plan, or that a job has come to, and goes on from what it changes: the rest
// of the walk would find what it found before. In a group without a limit, as most queues are,
// nobody is counted: jobs whose reduces come and go cost nothing there. Derived state: follow()
// reads it anew.
// Engine's thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/paged_table.h"
#include "jobqueue/policy/job_table.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {

struct AdmissionPlan {
  std::vector<JobId> demote;  // RUNNING, to wait
  std::vector<JobId> admit;   // WAITING, to run
};

class RunningLimits {
 public:
  explicit RunningLimits(const ClusterState& state) : state_(state) {}

  // This policy rules from now on, or the settings are others: everything is read anew. The policy
  // is kept until the next call.
  void follow(const Policy& policy);
  bool across() const { return pools_ != nullptr; }  // groups reach across queues
  // The job has come, has gone, or may stand otherwise than before. Asked at each change of a job:
  // of one that runs where nobody is counted there is nothing to see.
  void update(const Job& job) {
    const Stand before = stand_of(job.id);
    const bool uncounted = before.standing == Standing::kYields && !before.limited;
    if (!uncounted || job.state != JobState::kRunning) update_stand(job);
  }
  // Likewise, and its groups or its priority may be others.
  void regroup(const Job& job);

  // What the walk would change, in its order; taken as done from now on.
  AdmissionPlan plan();
  // Likewise of one queue, up to the first job that is let in.
  AdmissionPlan turn(QueueId leaf);
  // Whether nothing has happened since the last plan for which another may find something to do.
  bool settled() const { return touched_.empty() && asked_.empty(); }
  // The groups that are full and keep a waiting job from running. None of a job that is not
  // waiting or running.
  std::vector<Reason> full_groups(JobId job) const;

  struct Figures {
    std::int64_t running = 0;
    std::size_t yielding = 0;  // of them
    std::size_t waiting = 0;
    friend bool operator==(const Figures&, const Figures&) = default;
  };
  std::map<std::string, Figures> figures() const;  // by group

 private:
  struct Turn {  // sorts as the walk goes
    Priority priority = Priority::kNormal;
    TimeMs submitted_at = 0;
    std::string_view name;  // in the job's spec; empty: names do not count
    JobId id;
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };
  struct Class;
  struct Group {
    std::string name;
    std::int64_t limit = 0;
    std::int64_t places = 0;  // the limit, or more
    std::int64_t running = 0;
    std::set<Turn> yielding;  // who runs and does not keep his place
    std::vector<Class*> classes;
    bool touched = false;
    std::int64_t excess() const { return running - places; }
  };
  struct Class {
    std::vector<Group*> groups;
    std::vector<Group*> limited;  // of them, where jobs are counted
    std::set<Turn> waiting;
    std::uint64_t jobs = 0;
    bool asked = false;
  };
  enum class Standing : std::uint8_t { kNone, kWaits, kYields, kKeeps };
  struct Stand {
    Standing standing = Standing::kNone;
    bool limited = false;  // it is in a group that has a limit
  };
  struct Entry {
    Turn turn;
    Class* in = nullptr;
  };
  // A plan in the making.
  struct Sweep {
    std::map<Turn, Class*> next;  // of each class that is asked, who waits first
    std::set<Class*> asked;       // these classes; looked up, never walked
    std::vector<Group*> crowded;  // over their limits, with jobs that yield
    AdmissionPlan plan;
  };

  Stand stand_of(JobId job) const {
    const Stand* stand = stands_.find(job.index());
    return stand != nullptr ? *stand : Stand{};
  }
  Standing standing_of(const Job& job) const;  // as it is; else as it was
  Standing standing(JobId job) const { return stand_of(job).standing; }
  void update_stand(const Job& job);
  Turn turn_of(const Job& job) const;
  void enter(const Job& job);
  void leave(JobId job);
  void stand(const Entry& entry, Standing now);  // enters the sets and counts
  void unstand(const Entry& entry);  // leaves them
  void count(Group& group, std::int64_t by) const;
  std::vector<RunningGroup> groups_of(const Job& job) const;
  Class& class_of(const Job& job);
  void drop_class(Class& unused);
  void touch(Group& group);
  void ask(Class& jobs);

  static void ask_from(Class& jobs, std::set<Turn>::const_iterator first, Sweep& sweep);
  static bool has_room(const Class& jobs, const Turn& turn);
  static const Turn* first_to_yield(const Sweep& sweep);
  void admit_next(Sweep& sweep);
  void demote(const Turn& turn, Sweep& sweep);

  const ClusterState& state_;
  const Pools* pools_ = nullptr;  // of the policy; null: its groups do not reach across queues
  std::map<std::string, Group> groups_;
  std::map<std::vector<std::string>, Class> classes_;  // by the names of their groups
  JobTable<Entry> jobs_;  // unfinished durable ones
  // Theirs, by JobId; small, for it is looked at with all that they do.
  PagedTable<Stand> stands_;
  std::vector<Group*> touched_;  // a place came free there, or there are too many
  std::vector<Class*> asked_;    // a job has come to wait there
};

// Whether the job keeps its place whoever comes: what runs of it would wait for ever for what may
// not (reduces for maps), or it is being completed.
bool keeps_place(const Job& job);

// By priority, submit time, name, id.
bool runs_before(const Job& a, const Job& b);

}  // namespace weir
