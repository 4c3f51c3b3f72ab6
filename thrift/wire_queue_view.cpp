// Queues: figures, users, claims, held slots, kills.
#include <utility>

#include "thrift/wire_optional.h"
#include "thrift/wire_views.h"

namespace weir {
namespace {

wire::SlotFigures slots_to_wire(const QueueView::Slots& slots) {
  wire::SlotFigures out;
  out.guaranteed = slots.guaranteed;
  out.allocated = slots.allocated;
  out.running = slots.running;
  out.pending = slots.pending;
  if (slots.maximum) out.__set_maximum(*slots.maximum);
  if (slots.lends) out.__set_lends(*slots.lends);
  if (slots.borrows) out.__set_borrows(*slots.borrows);
  if (slots.copying) out.__set_copying(*slots.copying);
  if (slots.share_thousandths) out.__set_share_thousandths(*slots.share_thousandths);
  return out;
}

QueueView::Slots slots_from_wire(const wire::SlotFigures& slots) {
  const auto& set = slots.__isset;
  QueueView::Slots out;
  out.guaranteed = slots.guaranteed;
  out.allocated = slots.allocated;
  out.running = slots.running;
  out.pending = slots.pending;
  out.maximum = if_set(set.maximum, slots.maximum);
  out.lends = if_set(set.lends, slots.lends);
  out.borrows = if_set(set.borrows, slots.borrows);
  out.copying = if_set(set.copying, slots.copying);
  out.share_thousandths = if_set(set.share_thousandths, slots.share_thousandths);
  return out;
}

wire::SlotTime time_to_wire(const QueueView::SlotTime& time) {
  wire::SlotTime out;
  out.used_ms = time.used_ms;
  out.lent_ms = time.lent_ms;
  out.borrowed_ms = time.borrowed_ms;
  out.lost_ms = time.lost_ms;
  return out;
}

QueueView::SlotTime time_from_wire(const wire::SlotTime& time) {
  return {time.used_ms, time.lent_ms, time.borrowed_ms, time.lost_ms};
}

wire::UserFigures user_to_wire(const QueueView::User& user) {
  wire::UserFigures out;
  out.user = user.user;
  out.running_maps = user.running_maps;
  out.running_reduces = user.running_reduces;
  out.jobs = user.jobs;
  if (user.limit_maps) out.__set_limit_maps(*user.limit_maps);
  if (user.limit_reduces) out.__set_limit_reduces(*user.limit_reduces);
  if (user.jobs_waiting) out.__set_jobs_waiting(*user.jobs_waiting);
  if (user.jobs_pending) out.__set_jobs_pending(*user.jobs_pending);
  if (user.jobs_running) out.__set_jobs_running(*user.jobs_running);
  if (user.jobs_succeeded) out.__set_jobs_succeeded(*user.jobs_succeeded);
  if (user.jobs_failed) out.__set_jobs_failed(*user.jobs_failed);
  if (user.jobs_killed) out.__set_jobs_killed(*user.jobs_killed);
  if (user.used_map_slot_ms) out.__set_used_map_slot_ms(*user.used_map_slot_ms);
  if (user.used_reduce_slot_ms) out.__set_used_reduce_slot_ms(*user.used_reduce_slot_ms);
  if (user.lost_map_slot_ms) out.__set_lost_map_slot_ms(*user.lost_map_slot_ms);
  if (user.lost_reduce_slot_ms) out.__set_lost_reduce_slot_ms(*user.lost_reduce_slot_ms);
  for (const QueueView::UserAmounts& each : user.amounts) {
    wire::UserAmounts& amounts = out.amounts.emplace_back();
    amounts.dimension = each.dimension;
    amounts.running = each.running;
    if (each.limit) amounts.__set_limit(*each.limit);
    amounts.used_ms = each.used_ms;
    amounts.lost_ms = each.lost_ms;
    out.__isset.amounts = true;
  }
  return out;
}

QueueView::User user_from_wire(const wire::UserFigures& user) {
  const auto& set = user.__isset;
  QueueView::User out;
  out.user = user.user;
  out.running_maps = user.running_maps;
  out.running_reduces = user.running_reduces;
  out.jobs = user.jobs;
  out.limit_maps = if_set(set.limit_maps, user.limit_maps);
  out.limit_reduces = if_set(set.limit_reduces, user.limit_reduces);
  out.jobs_waiting = if_set(set.jobs_waiting, user.jobs_waiting);
  out.jobs_pending = if_set(set.jobs_pending, user.jobs_pending);
  out.jobs_running = if_set(set.jobs_running, user.jobs_running);
  out.jobs_succeeded = if_set(set.jobs_succeeded, user.jobs_succeeded);
  out.jobs_failed = if_set(set.jobs_failed, user.jobs_failed);
  out.jobs_killed = if_set(set.jobs_killed, user.jobs_killed);
  out.used_map_slot_ms = if_set(set.used_map_slot_ms, user.used_map_slot_ms);
  out.used_reduce_slot_ms = if_set(set.used_reduce_slot_ms, user.used_reduce_slot_ms);
  out.lost_map_slot_ms = if_set(set.lost_map_slot_ms, user.lost_map_slot_ms);
  out.lost_reduce_slot_ms = if_set(set.lost_reduce_slot_ms, user.lost_reduce_slot_ms);
  for (const wire::UserAmounts& each : user.amounts)
    out.amounts.push_back({each.dimension, each.running, if_set(each.__isset.limit, each.limit),
                           each.used_ms, each.lost_ms});
  return out;
}

wire::ClaimInfo claim_to_wire(const QueueView::Claim& claim) {
  wire::ClaimInfo out;
  out.kind = kind_to_wire(claim.kind);
  out.slots = claim.slots;
  out.milliseconds_left = claim.milliseconds_left;
  if (claim.claim) out.__set_claim(*claim.claim);
  if (claim.opened_at_ms) out.__set_opened_at_ms(*claim.opened_at_ms);
  if (claim.owed_ms) out.__set_owed_ms(*claim.owed_ms);
  if (claim.deadline_ms) out.__set_deadline_ms(*claim.deadline_ms);
  if (claim.overdue_ms) out.__set_overdue_ms(*claim.overdue_ms);
  if (claim.state) out.__set_state(*claim.state);
  if (claim.width) out.__set_width(*claim.width);
  if (claim.dimension) out.__set_dimension(*claim.dimension);
  return out;
}

QueueView::Claim claim_from_wire(const wire::ClaimInfo& claim) {
  const auto& set = claim.__isset;
  QueueView::Claim out;
  out.kind = kind_of(claim.kind);
  out.slots = claim.slots;
  out.milliseconds_left = claim.milliseconds_left;
  out.claim = if_set(set.claim, claim.claim);
  out.opened_at_ms = if_set(set.opened_at_ms, claim.opened_at_ms);
  out.owed_ms = if_set(set.owed_ms, claim.owed_ms);
  out.deadline_ms = if_set(set.deadline_ms, claim.deadline_ms);
  out.overdue_ms = if_set(set.overdue_ms, claim.overdue_ms);
  out.state = if_set(set.state, claim.state);
  out.width = if_set(set.width, claim.width);
  out.dimension = if_set(set.dimension, claim.dimension);
  return out;
}

wire::HoldInfo hold_to_wire(const QueueView::Hold& hold) {
  wire::HoldInfo out;
  out.kind = kind_to_wire(hold.kind);
  out.tracker = hold.tracker;
  out.slots = hold.slots;
  out.claim = hold.claim;
  out.dying = hold.dying;
  if (hold.room) out.__set_room(*hold.room);
  return out;
}

QueueView::Hold hold_from_wire(const wire::HoldInfo& hold) {
  return {kind_of(hold.kind), hold.tracker, hold.slots, hold.claim, hold.dying,
          if_set(hold.__isset.room, hold.room)};
}

wire::KillInfo kill_to_wire(const QueueView::Kill& kill) {
  wire::KillInfo out;
  out.at_ms = kill.at_ms;
  out.claim = kill.claim;
  out.claimant = kill.claimant;
  out.owed_ms = kill.owed_ms;
  out.victim = kill.victim;
  out.user = kill.user;
  out.job_name = kill.job_name;
  out.attempt = kill.attempt;
  out.tracker = kill.tracker;
  out.slots = kill.slots;
  out.ran_ms = kill.ran_ms;
  out.outcome = kill.outcome;
  for (const Amount& each : kill.container) {
    wire::Amount& amount = out.container.emplace_back();
    amount.dimension = each.dimension;
    amount.amount = each.amount;
    out.__isset.container = true;
  }
  return out;
}

QueueView::Kill kill_from_wire(const wire::KillInfo& kill) {
  std::vector<Amount> container;
  for (const wire::Amount& each : kill.container)
    container.push_back({each.dimension, each.amount});
  return {.at_ms = kill.at_ms,
          .claim = kill.claim,
          .claimant = kill.claimant,
          .owed_ms = kill.owed_ms,
          .victim = kill.victim,
          .user = kill.user,
          .job_name = kill.job_name,
          .attempt = kill.attempt,
          .tracker = kill.tracker,
          .slots = kill.slots,
          .container = std::move(container),
          .ran_ms = kill.ran_ms,
          .outcome = kill.outcome};
}

}  // namespace

wire::QueueStatus to_wire(const QueueView& queue) {
  wire::QueueStatus out;
  out.name = queue.name;
  out.leaf = queue.leaf;
  out.state = queue.state;
  out.maps = slots_to_wire(queue.maps);
  out.reduces = slots_to_wire(queue.reduces);
  for (const QueueView::Amounts& each : queue.amounts) {
    wire::AmountFigures& amounts = out.amounts.emplace_back();
    amounts.dimension = each.dimension;
    amounts.figures = slots_to_wire(each.figures);
    amounts.__set_reserved(each.reserved);
    if (each.kept) amounts.__set_kept(*each.kept);
    if (each.min_share) amounts.__set_min_share(*each.min_share);
    amounts.__set_time(time_to_wire(each.time));
    out.__isset.amounts = true;
  }
  if (queue.dominant_thousandths) out.__set_dominant_thousandths(*queue.dominant_thousandths);
  out.jobs_waiting = queue.jobs_waiting;
  out.__set_jobs_pending(queue.jobs_pending);
  out.jobs_running = queue.jobs_running;
  out.jobs_succeeded = queue.jobs_succeeded;
  out.jobs_failed = queue.jobs_failed;
  out.jobs_killed = queue.jobs_killed;
  out.__set_totals_since_ms(queue.totals_since_ms);
  for (const auto& user : queue.users) out.users.push_back(user_to_wire(user));
  for (const auto& claim : queue.claims) out.claims.push_back(claim_to_wire(claim));
  out.guaranteed = queue.guaranteed;
  if (queue.submit) out.__set_submit(*queue.submit);
  if (queue.administer) out.__set_administer(*queue.administer);
  if (queue.map_time) out.__set_map_time(time_to_wire(*queue.map_time));
  if (queue.reduce_time) out.__set_reduce_time(time_to_wire(*queue.reduce_time));
  for (const auto& hold : queue.holds) out.holds.push_back(hold_to_wire(hold));
  for (const auto& kill : queue.kills) out.kills.push_back(kill_to_wire(kill));
  out.__isset.holds = out.__isset.kills = true;
  if (queue.reclaim_after_map_ms) out.__set_reclaim_after_map_ms(*queue.reclaim_after_map_ms);
  if (queue.reclaim_after_reduce_ms)
    out.__set_reclaim_after_reduce_ms(*queue.reclaim_after_reduce_ms);
  if (queue.kill_budget) out.__set_kill_budget(*queue.kill_budget);
  if (queue.priorities) out.__set_priorities(*queue.priorities);
  return out;
}

QueueView from_wire(const wire::QueueStatus& queue) {
  const auto& set = queue.__isset;
  QueueView out;
  out.name = queue.name;
  out.leaf = queue.leaf;
  out.state = queue.state;
  out.maps = slots_from_wire(queue.maps);
  out.reduces = slots_from_wire(queue.reduces);
  for (const wire::AmountFigures& each : queue.amounts)
    out.amounts.push_back({each.dimension, slots_from_wire(each.figures), each.reserved,
                           if_set(each.__isset.kept, each.kept),
                           if_set(each.__isset.min_share, each.min_share),
                           time_from_wire(each.time)});
  out.dominant_thousandths = if_set(set.dominant_thousandths, queue.dominant_thousandths);
  out.jobs_waiting = queue.jobs_waiting;
  out.jobs_pending = queue.jobs_pending;
  out.jobs_running = queue.jobs_running;
  out.jobs_succeeded = queue.jobs_succeeded;
  out.jobs_failed = queue.jobs_failed;
  out.jobs_killed = queue.jobs_killed;
  out.totals_since_ms = set.totals_since_ms ? queue.totals_since_ms : 0;
  for (const auto& user : queue.users) out.users.push_back(user_from_wire(user));
  for (const auto& claim : queue.claims) out.claims.push_back(claim_from_wire(claim));
  out.guaranteed = queue.guaranteed;
  out.submit = if_set(set.submit, queue.submit);
  out.administer = if_set(set.administer, queue.administer);
  if (set.map_time) out.map_time = time_from_wire(queue.map_time);
  if (set.reduce_time) out.reduce_time = time_from_wire(queue.reduce_time);
  for (const auto& hold : queue.holds) out.holds.push_back(hold_from_wire(hold));
  for (const auto& kill : queue.kills) out.kills.push_back(kill_from_wire(kill));
  out.reclaim_after_map_ms = if_set(set.reclaim_after_map_ms, queue.reclaim_after_map_ms);
  out.reclaim_after_reduce_ms = if_set(set.reclaim_after_reduce_ms, queue.reclaim_after_reduce_ms);
  out.kill_budget = if_set(set.kill_budget, queue.kill_budget);
  out.priorities = if_set(set.priorities, queue.priorities);
  return out;
}

}  // namespace weir
