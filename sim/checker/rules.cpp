#include "sim/checker/rules.h"

#include <algorithm>
#include <iterator>

namespace weir::check {

namespace {

constexpr Rule kRules[] = {
    {"negative-counter", "no counter of a queue, user, job or tracker is ever negative"},
    {"cluster-total", "the cluster's slots are those of the trackers in the pool"},
    {"double-run", "no task runs twice unless speculatively"},
    {"speculative-excess", "no task has more than two attempts that are not to die"},
    {"speculative-tracker", "no tracker runs two attempts of one task"},
    {"speculative-early",
     "no second attempt but of a task that has run and lagged for long enough"},
    {"speculative-loser", "of a task that is done no attempt goes on"},
    {"held", "running and dying tasks never need more than their tracker has"},
    {"tracker-used", "what a tracker's attempts need is what it is said to use"},
    {"copies", "reduces that copy are as counted one by one, on each tracker within its limit"},
    {"job-counts", "jobs and tasks by state are as counted one by one"},
    {"user-sums", "a user's slots and jobs in a queue are as counted one by one"},
    {"running", "RUN of every queue is its running tasks counted one by one"},
    {"policy-choice", "the policy never chooses what the engine must refuse"},
    {"launch-ended-job", "no task is launched for a job that is killed, over or not admitted"},
    {"launch-out-of-pool", "no tracker gets tasks that drains, stops, is faulty or takes none"},
    {"launch-slow-start", "no reduce is launched before its job's slow-start is met"},
    {"maximum", "no launch takes a queue above its maximum"},
    {"user-limit", "no launch takes a user above a hard limit"},
    {"lend-after", "a queue lends only after it was idle for lend_after"},
    {"kill-forbidden", "nobody is preempted unless preemption is on"},
    {"kill-without-claim", "no kill but for an open claim of the queue that gains"},
    {"kill-early", "no kill before the claim is due, nor soon after a kill that was wasted"},
    {"kill-below-allocated", "no kill takes a queue below AC"},
    {"kill-budget", "no queue loses more slot-seconds an hour than its kill_budget"},
    {"kill-useless", "what a kill frees could start a task of the claimant on that tracker"},
    {"kill-excess", "no more is freed for a queue than it is owed"},
    {"kill-outcome", "every kill is followed by a launch of the claimant or recorded as wasted"},
    {"guaranteed-sum", "GC of the leaf queues add up to the cluster's slots"},
    {"guaranteed", "GC of every queue is as recomputed from the settings"},
    {"pending", "PEND of every queue is as recomputed from its jobs, limits and trackers"},
    {"allocated-sum", "AC of the leaf queues add up to the cluster's slots"},
    {"allocated-floor", "AC is at least min(GC, DEM)"},
    {"allocated-ceiling", "AC is at most max(MAX, GC)"},
    {"allocated", "AC of every queue is as recomputed from GC, DEM, MAX and the weights"},
    {"idle-slot", "no slot stays idle while a permitted task wants it"},
    {"claim-deadline", "a claim is due reclaim_after after its birth"},
    {"hold-without-claim", "slots are held only for open claims, and not for long"},
    {"reservation", "at most one reservation per job and per tracker, for a job that waits"},
    {"claim-excess", "claims never exceed the shortfall min(GC, DEM) - RUN in whole tasks"},
    {"claim-missing", "what a queue is short of and free slots do not cover is claimed at once"},
    {"claim-unfounded", "no claim arises for what free slots cover, nor where none may"},
    {"claim-met", "launches meet claims, not those that fill again what the queue itself left"},
    {"claim-dropped", "claims are dropped only for what is no longer wanted, the latest first"},
    {"claim-book", "the claims there are follow from what was told of them"},
    {"claim-resumed", "when its policy comes back each claim is told again"},
    {"claim-unserved", "no overdue claim waits while a permitted victim exists"},
    {"pool-figures", "pools, and what they run and want, are as recomputed"},
    {"pool-share", "the fair share of every pool is as recomputed, to 0.01 slots"},
    {"job-share", "and that of every job"},
    {"deficit", "what a job is owed is as integrated step by step"},
    {"pool-order", "a slot goes to the first in the order of pools and jobs who could use it"},
    {"deficit-order", "under deficits a slot goes to a job to whom no other comes before"},
    {"locality-early", "no map starts further from its input than its job's wait allows"},
    {"locality-passed", "no job is passed over that has a map near enough to the tracker"},
    {"kind-turn", "maps and reduces take turns on a tracker"},
    {"pool-maximum", "no launch takes a pool above its max_share"},
    {"heartbeat-limit", "no heartbeat brings more launches than are allowed"},
    {"load-cap", "no tracker is filled further than the whole cluster is to be"},
    {"running-jobs", "under running-job limits those jobs run whose turn it is"},
    {"pool-kill-forbidden", "nobody is preempted for a pool unless preemption is on"},
    {"pool-kill-early", "no kill but for a pool that was short for longer than its timeout"},
    {"pool-kill-excess", "what is freed for a pool is held for it, and no more than it lacks"},
    {"pool-kill-poor", "only pools above their shares lose tasks, and they keep what they must"},
    {"pool-kill-order", "whose job keeps its share goes first, and of those the latest launched"},
    {"pool-kill-budget", "no pool loses more slot-seconds an hour than its kill_budget"},
    {"pool-kill-useless", "what a kill frees could start a task of the pool on that tracker"},
    {"pool-kill-missing", "no pool stays short for too long while somebody may die for it"},
    {"units", "each attempt has the numbered units it asks for, and none is of two", true},
    {"kept", "what queues do not lend is left free for them by each launch", true},
    {"labels", "no task of a group starts on a tracker whose labels do not let it", true},
    {"fresh-policy", "the ruling policy says what one made from the same state says"},
    {"job-unended", "every job ends when the run is driven to its end"},
};

}  // namespace

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all(std::begin(kRules), std::end(kRules));
  return all;
}

const Rule* find_rule(std::string_view name) {
  const auto found =
      std::find_if(rules().begin(), rules().end(), [&](const Rule& r) { return r.name == name; });
  return found == rules().end() ? nullptr : &*found;
}

std::string to_string(const Breach& breach) {
  return "rule " + breach.rule + " is broken at " + std::to_string(breach.at) + " ms (input " +
         std::to_string(breach.step) + ", " + breach.input + "): " + breach.message;
}

}  // namespace weir::check
