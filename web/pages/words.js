// What every figure means, each in one sentence with its unit. The words of the glossary.

export const WORDS = {
  guaranteed: 'Guaranteed slots (GC): what the queue can have whenever it wants them.',
  allocated:
    'Allocated slots (AC): its part of the cluster as it is now. What others leave idle ' +
    'comes on top, what it leaves idle goes.',
  served:
    'As the policy that rules would give them their next slot: first those that may run, then ' +
    'those that wait for a place among the running jobs, then held ones.',
  running: 'Running slots: held by attempts that run now and are not to die.',
  pending:
    'Pending slots: of tasks that could be launched now if there were slots for them. What a ' +
    'maximum of the queue forbids is not pending: at max.',
  maximum: 'Maximum slots: the queue never has more, whichever policy rules.',
  borrows:
    'Borrowed slots: running above the guarantee, lent by queues that do not need theirs ' +
    'now. They are taken back when those want them.',
  dominant:
    'Dominant share: the largest part of the cluster, over all dimensions, that the queue runs.',
  reserved:
    'Kept free on trackers for large tasks of the queue, or held for its gangs: nobody else ' +
    'gets it meanwhile.',
  jobs:
    'Jobs: running / pending (no task has started yet) / waiting (over a limit on ' +
    'running jobs).',
  users: 'Users that have jobs in the queue now.',
  claims:
    'Open claims: slots that the queue is owed, and the seconds until tasks of others are ' +
    'killed for them.',
  queueState:
    'RUNNING takes new jobs; STOPPED refuses new ones and runs those it has to their end.',
  maps: 'Maps: done of all, with those that run. The bar: done, running, and what is left.',
  reduces: 'Reduces: done of all, with those that run. The bar: done, running, and what is left.',
  reason:
    "The first reason why the job, or some tasks of it, wait. The job's page has all of them.",
  priority:
    "Priority: under fair a job's weight (VERY_HIGH 4 to VERY_LOW 0.25); under fifo, and in " +
    'queues with priorities, who comes first.',
  weight:
    'Weight: a pool of weight 2 gets twice the slots of one of weight 1, where neither ' +
    'demand nor minimum decides.',
  minShare: 'Minimum share in slots: what the pool gets first while it wants them.',
  fairShare: 'Fair share in slots: what the pool would have if all slots were dealt by weight now.',
  demand: 'Demand in slots: what it runs, and what it could launch.',
  starved:
    'How long the pool has been below its minimum share, or below half its fair share. ' +
    'Beyond its timeout it may preempt.',
  jobShare: "Fair share of the job in slots: its part of what its pool has. Of a fifo pool's: 0.",
  jobWeight:
    'Weight of the job among those of its pool: by its priority, and by size and boosts where ' +
    'the settings say so.',
  deficit:
    'Deficit in slot-time: what the job was due and did not run. Where the algorithm is deficit ' +
    'the highest is served first.',
  localityWait:
    'How far from its input its next map may run now, and how long it waits until that is ' +
    'further out.',
  heard: 'How long ago the tracker was heard of by its heartbeat.',
  disk: "Free space on the disk of the tracker's work directory.",
  attemptProgress: 'How much of its work the attempt has done, in percent of it.',
  attemptLaunched: "When the attempt was launched, by this browser's clock.",
  attemptRan: 'How long the attempt has run, or ran until its end.',
  counter:
    "Sum over the job's tasks: of those that are done what counted, of the others what their " +
    'running attempts have said.',
  owed: 'Slots that the queue lacks of its guarantee and has tasks for.',
  opened: "When the claim arose, by this browser's clock.",
  killsIn:
    'How long until tasks of other queues are killed for what is still owed then; never: it ' +
    'waits for tasks to end.',
  killed: 'Slots of the attempts that were killed, or how many containers.',
  killedAt: "When they were killed, by this browser's clock.",
  slotTime:
    'One slot for one second is a slot-second, one MB for one second an MB-second. Used: by ' +
    'attempts that have ended; lent: of its guarantee, to others; borrowed: above its guarantee.',
  version: 'Settings are numbered in the order in which they came in force.',
  waste: 'What the attempts had run: of those that were killed it is lost.',
  outcome:
    'What became of the slot: used by the claimant, pending (held for it), wasted (taken by ' +
    'nobody), logged_only (nothing was killed), finished_first (the task succeeded before its ' +
    'tracker killed it: nothing was lost), unknown (the JobTracker ended first).',
};

/** What a job's first reason means to do: code -> advice. `{queue}` is the job's queue. */
export const MENDS = {
  queue_at_capacity:
    'Its queue has what it is allocated. Move the job to a queue with room, or wait for its turn.',
  queue_at_maximum:
    'Its queue has its maximum, which no policy passes. Move the job, or raise the maximum ' +
    'in the settings.',
  wider_than_maximum:
    'A task of it takes more than its queue may ever run. Move the job, or raise the maximum ' +
    'in the settings.',
  queue_is_owed:
    "Its queue is owed slots and gets them when the claim's time is over. Nothing needs to " +
    'be done.',
  claim_comes_first:
    "Another queue is owed slots first. It gets them when its claim's time is over; until " +
    'then free slots go there.',
  jobs_before: 'It comes after others: it waits for its turn, or goes to another queue.',
  running_jobs_limit:
    'Its queue, pool or user runs as many jobs as may be at a time. Move it, or raise the ' +
    'limit in the settings.',
  user_at_limit:
    'Its user has what one user may have of the queue. Move the job to another queue, or wait.',
  slow_start: 'Reduces wait until enough maps are done. Nothing needs to be done.',
  own_maps: 'Its maps must run again first. Nothing needs to be done.',
  stragglers: 'Second attempts start when a slot is free that nobody else may use.',
  recovering: 'Trackers report first what they run, then tasks start. Nothing needs to be done.',
  waiting_for_locality: 'It waits a little for a slot near its input. Nothing needs to be done.',
  no_free_slot: 'It starts when a slot is free, or a claim takes one back.',
  no_trackers: 'There are no trackers. Start one with `weir tracker --jobtracker HOST:PORT`.',
  no_tracker_accepts_tasks:
    'No tracker takes tasks now. Resume a drained one, or look at their health.',
  no_tracker_large_enough: 'No tracker is large enough for one of its tasks.',
  pool_at_share:
    "Its pool has its fair share. Another queue may have room.",
  pool_at_maximum: 'Its pool has its maximum share. Move the job to another pool.',
  pool_below_share: 'Its pool is among the next that get slots. Nothing needs to be done.',
  need_unmet:
    'Its pool is due more, and gets it as tasks of others end. Preemption in the settings ' +
    'would take it back sooner.',
  no_place_to_copy:
    'As many reduces copy their input as may at a time. It goes on as others are done copying.',
  waiting_to_compute:
    'Its reduces have their input and start when a slot is free on their trackers.',
  reservation: 'A tracker is kept for it. It starts once enough of what runs there has ended.',
  reserved_for_other: 'Trackers with room are kept for larger tasks that wait for longer.',
  backfill: 'With a time limit as short as that it could run meanwhile.',
  fragmented: 'Enough is free, but not on one tracker. Ask for less per task, or wait.',
  kept: 'What is free is guaranteed to others that do not lend it.',
  constraint: 'No tracker with the labels that it requires has room.',
  spread: 'It may not run more tasks there than elsewhere, or no ports are left.',
  gang: 'Its tasks start together, once there is room for all. Nothing needs to be done.',
  resting: 'What has ended starts again soon.',
  held: 'It was submitted held. It takes its place in the queue once somebody releases it.',
};

export const MEND_ACTIONS = {
  queue_at_capacity: ['move', 'owners'],
  queue_at_maximum: ['move', 'settings'],
  wider_than_maximum: ['move', 'settings'],
  queue_is_owed: ['owners'],
  claim_comes_first: ['move', 'owners'],
  jobs_before: ['priority', 'move'],
  running_jobs_limit: ['move', 'priority', 'settings'],
  user_at_limit: ['move'],
  no_free_slot: ['owners', 'trackers'],
  fragmented: ['trackers'],
  constraint: ['trackers'],
  no_tracker_accepts_tasks: ['trackers'],
  no_tracker_large_enough: ['trackers'],
  no_trackers: ['trackers'],
  pool_at_share: ['priority', 'move'],
  pool_at_maximum: ['move'],
  need_unmet: ['move', 'owners', 'settings'],
  held: ['release'],
};

export const POLICIES = {
  capacity:
    'Queues have guaranteed slots. What one does not use others borrow, and give back when ' +
    "it is wanted: at first as tasks end, after the queue's reclaim time by kills.",
  fair:
    'Slots are dealt to pools by weight, minimum shares first; within a pool its jobs ' +
    'share likewise. Preemption only where the settings switch it on.',
  fifo:
    'Jobs one after another, by priority and submit time, over all queues; each queue ' +
    'within its maximum.',
};

/** What is said of slots, where containers count. */
export function ofAmounts(text) {
  return text
    .replace(' in slots', '')
    .replace('slots for them', 'room for them')
    .replace('Slots are', 'Containers are')
    .replace(/\bslots\b/g, 'amounts');
}
