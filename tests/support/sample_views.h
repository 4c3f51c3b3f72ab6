// A view of each kind with every field set, to what it is not of itself and no other field is; for
// tests of what views become.
#pragma once

#include "views/attempt_view.h"
#include "views/job_view.h"
#include "views/policy_view.h"
#include "views/queue_view.h"
#include "views/server_view.h"
#include "views/settings_view.h"
#include "views/tracker_view.h"

namespace weir {

inline JobView::Tasks full_tasks(std::int32_t from) {
  return {.total = from,
          .pending = from + 1,
          .running = from + 2,
          .succeeded = from + 3,
          .failed_attempts = from + 4,
          .killed_attempts = from + 5,
          .progress_millionths = from + 6,
          .copying = from + 7,
          .copied = from + 8,
          .speculative = from + 9,
          .speculative_won = from + 10};
}

inline JobView full_job() {
  return {.id = JobId(7),
          .name = "count",
          .user = "alice",
          .queue = "research.ml",
          .priority = "HIGH",
          .state = "RUNNING",
          .maps = full_tasks(100),
          .reduces = full_tasks(200),
          .groups = {{"main", full_tasks(300)}},
          .submitted_at_ms = 1,
          .started_at_ms = 2,
          .finished_at_ms = 3,
          .output = "/out",
          .diagnostics = "why",
          .counters = Counters{{"group", {{"name", 4}}}},
          .status = "at line 5",
          .from_history = true,
          .now_ms = 6,
          .reason = "it waits",
          .pool = "alice's",
          .time_limit_ms = 8,
          .deadline_ms = 9};
}

inline AttemptView full_attempt() {
  return {.id = {{JobId(7), TaskKind::kReduce, 12}, 3},
          .state = "FAILED",
          .tracker = "tt1",
          .launched_at_ms = 1,
          .ended_at_ms = 2,
          .ran_ms = 4,
          .diagnostics = "exit code 5",
          .log_host = "host6",
          .log_port = 8,
          .progress_millionths = 9,
          .speculative = true};
}

inline QueueView::Slots full_slots(std::int64_t from) {
  return {.guaranteed = from,
          .allocated = from + 1,
          .running = from + 2,
          .pending = from + 3,
          .maximum = from + 4,
          .lends = from + 5,
          .borrows = from + 6,
          .copying = from + 7,
          .share_thousandths = from + 8};
}

inline QueueView::User full_user() {
  return {.user = "bob",
          .running_maps = 1,
          .running_reduces = 2,
          .jobs = 3,
          .limit_maps = 4,
          .limit_reduces = 5,
          .jobs_waiting = 6,
          .jobs_pending = 7,
          .jobs_running = 8,
          .jobs_succeeded = 9,
          .jobs_failed = 10,
          .jobs_killed = 11,
          .used_map_slot_ms = 12,
          .used_reduce_slot_ms = 13,
          .lost_map_slot_ms = 14,
          .lost_reduce_slot_ms = 15,
          .amounts = {{"gpu", 16, 17, 18, 19}}};
}

inline QueueView full_queue() {
  return {.name = "research",
          .leaf = true,
          .state = "STOPPED",
          .maps = full_slots(100),
          .reduces = full_slots(200),
          .amounts = {{"gpu", full_slots(300), 21, 22, 23, {25, 26, 27, 28}}},
          .dominant_thousandths = 24,
          .jobs_waiting = 1,
          .jobs_pending = 2,
          .jobs_running = 3,
          .jobs_succeeded = 4,
          .jobs_failed = 5,
          .jobs_killed = 6,
          .totals_since_ms = 1'732'163'138'000,
          .users = {full_user()},
          .claims = {{.kind = TaskKind::kReduce,
                      .slots = 1,
                      .dimension = "memory_mb",
                      .milliseconds_left = 2,
                      .claim = 3,
                      .opened_at_ms = 4,
                      .owed_ms = 8,
                      .deadline_ms = 5,
                      .overdue_ms = 6,
                      .state = "unservable",
                      .width = 7}},
          .guaranteed = "40%",
          .submit = std::vector<std::string>{"alice"},
          .administer = std::vector<std::string>{"root"},
          .map_time = QueueView::SlotTime{10, 11, 12, 13},
          .reduce_time = QueueView::SlotTime{14, 15, 16, 17},
          .holds = {{TaskKind::kReduce, "tt2", 18, 19, 20, "3072 MB, 1 vcore"}},
          .kills = {{.at_ms = 21,
                     .claim = 22,
                     .claimant = "production",
                     .owed_ms = 23,
                     .victim = "research",
                     .user = "carol",
                     .job_name = "job_0009",
                     .attempt = "attempt_0009_m_000000_0",
                     .tracker = "tt3",
                     .slots = 24,
                     .container = {{"memory_mb", 2048}, {"vcores", 2}},
                     .ran_ms = 25,
                     .outcome = "used"}},
          .reclaim_after_map_ms = 26,
          .reclaim_after_reduce_ms = 27,
          .kill_budget = 28,
          .priorities = false};
}

inline TrackerView full_tracker() {
  return {.name = "tt1",
          .state = "DRAINING",
          .host = "host1",
          .rack = "/r1",
          .shuffle_port = 1,
          .total = {{2, 3, 4, 5}},
          .used = {{6, 7, 8, 9}},
          .offer = {{"gpu", 20, 21}},
          .ports = TrackerView::Offer{"ports", 64, 22},
          .reserved_for = JobId(30),
          .room_for = JobId(31),
          .rooms = 4711,
          .labels = {{"disk", "ssd"}},
          .last_heartbeat_ms_ago = 10,
          .attempts = 11,
          .free_disk_mb = 12,
          .health = "disk full",
          .copying = 13,
          .copied = 14,
          .order = TrackerView::Order{"drain", "root", "new disks", 15, 16, {"job_0007"}},
          .faults = {17, 18},
          .back_at_ms = 19,
          .lost_why = "was silent",
          .protections = {"cgroup: v2"}};
}

inline OutlookView::Figures full_figures(std::int64_t from) {
  return {.running = from,
          .pending = from + 1,
          .guaranteed = from + 2,
          .allocated = from + 3,
          .share_thousandths = from + 4,
          .min_share = from + 5,
          .maximum = from + 6,
          .copying = from + 7,
          .unmet = from + 8,
          .demand = from + 9,
          .below_min_share_ms = from + 10,
          .below_half_share_ms = from + 11};
}

inline OutlookView::Share full_share(std::int64_t from) {
  OutlookView::Share share;
  share.name = "a";
  share.maps = full_figures(from);
  share.reduces = full_figures(from + 100);
  share.amounts = {{"memory_mb", full_figures(from + 1'000)}, {"gpu", full_figures(from + 2'000)}};
  return share;
}

inline PolicyView full_policy() {
  return {.current = "fair",
          .available = {"capacity", "fair"},
          .since_ms = 1,
          .notices = {"a notice"},
          .outlooks = {{"fair",
                        true,
                        {{"alice", full_figures(100), full_figures(200), 2'000'000, "fifo", 3, 4,
                          {{"gpu", full_figures(500)}}}}}}};
}

inline SettingsDiffView full_diff() {
  return {.queues = {{.queue = "research",
                      .change = "removed",
                      .maps_before = 1,
                      .maps_after = 2,
                      .reduces_before = 3,
                      .reduces_after = 4,
                      .maps_maximum_before = 5,
                      .maps_maximum_after = 6,
                      .reduces_maximum_before = 7,
                      .reduces_maximum_after = 8,
                      .jobs = 9,
                      .moves_to = "production",
                      .amounts = {{"memory_mb", 20, 21, 22, 23}}}},
          .changes = {"changed"},
          .warnings = {"warned"},
          .refusals = {"refused"},
          .at_restart = {"later"},
          .preview = SettingsDiffView::Preview{{"capacity", false, {full_share(100)}},
                                               {"fair", true, {full_share(300)}},
                                               {{"a", "map", 35, 32, 30'000}}},
          .map_slots = 10,
          .reduce_slots = 11};
}

inline ServerView full_server() {
  return {.version = "0.1",
          .started_at_ms = 1,
          .now_ms = 2,
          .trackers = 3,
          .jobs_unfinished = 4,
          .frames_refused = 5,
          .store = "/store",
          .store_error = "disk full",
          .tracker_port = 6,
          .client_port = 7,
          .http = "127.0.0.1:8"};
}

}  // namespace weir
