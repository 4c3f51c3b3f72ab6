// All parts of the engine, each with what it keeps: what happens is in the one that it is named
// for.
#pragma once

#include "jobqueue/engine/administration.h"
#include "jobqueue/engine/attempt_life.h"
#include "jobqueue/engine/claim_keeper.h"
#include "jobqueue/engine/copies.h"
#include "jobqueue/engine/core.h"
#include "jobqueue/engine/duties.h"
#include "jobqueue/engine/explanations.h"
#include "jobqueue/engine/gangs.h"
#include "jobqueue/engine/heartbeats.h"
#include "jobqueue/engine/holds.h"
#include "jobqueue/engine/job_commands.h"
#include "jobqueue/engine/job_life.h"
#include "jobqueue/engine/launches.h"
#include "jobqueue/engine/own_maps.h"
#include "jobqueue/engine/promises.h"
#include "jobqueue/engine/questions.h"
#include "jobqueue/engine/recovery.h"
#include "jobqueue/engine/replies.h"
#include "jobqueue/engine/stragglers.h"
#include "jobqueue/engine/submissions.h"
#include "jobqueue/engine/tracker_faults.h"
#include "jobqueue/engine/tracker_losses.h"
#include "jobqueue/engine/tracker_orders.h"
#include "jobqueue/engine/trackers.h"

namespace weir {

struct Parts {
  explicit Parts(Core& core) : core(core) {}

  Core& core;
  // Commands, and what they wait for.
  Promises promises{core, *this};
  Submissions submissions{core, *this};
  JobCommands job_commands{core, *this};
  Administration administration{core, *this};
  // Jobs.
  JobLife jobs{core, *this};
  AttemptLife attempts{core, *this};
  OwnMaps own_maps{core, *this};
  Duties duties{core, *this};
  // A heartbeat, in the order of its way.
  Heartbeats heartbeats{core, *this};
  Launches launches{core, *this};
  Gangs gangs{core, *this};
  Stragglers stragglers{core, *this};
  Copies copies{core, *this};
  Replies replies{core, *this};
  // What is owed, and kept.
  ClaimKeeper claims{core, *this};
  Holds holds{core, *this};
  // Trackers.
  Trackers trackers{core, *this};
  TrackerOrders orders{core, *this};
  TrackerFaults faults{core, *this};
  TrackerLosses losses{core, *this};
  Questions questions{core, *this};
  // A start; why something waits.
  Recovery recovery{core, *this};
  Explanations explanations{core, *this};
};

inline void Part::pending_changed(Job& job, TaskKind kind) {
  core_.pending_changed(job, kind);
  if (job.has_gang()) parts_.gangs.follow(job);
  if (state_.space().containers()) parts_.own_maps.watch(job);
}

}  // namespace weir
