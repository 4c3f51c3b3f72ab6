// The policy, the settings, the JobTracker itself.
#include "thrift/wire_optional.h"
#include "thrift/wire_views.h"

namespace weir {
namespace {

wire::ShareFigures figures_to_wire(const OutlookView::Figures& figures) {
  wire::ShareFigures out;
  out.running = figures.running;
  out.pending = figures.pending;
  if (figures.guaranteed) out.__set_guaranteed(*figures.guaranteed);
  if (figures.allocated) out.__set_allocated(*figures.allocated);
  if (figures.share_thousandths) out.__set_share_thousandths(*figures.share_thousandths);
  if (figures.min_share) out.__set_min_share(*figures.min_share);
  if (figures.maximum) out.__set_maximum(*figures.maximum);
  if (figures.copying) out.__set_copying(*figures.copying);
  if (figures.unmet) out.__set_unmet(*figures.unmet);
  if (figures.demand) out.__set_demand(*figures.demand);
  if (figures.below_min_share_ms) out.__set_below_min_share_ms(*figures.below_min_share_ms);
  if (figures.below_half_share_ms) out.__set_below_half_share_ms(*figures.below_half_share_ms);
  return out;
}

OutlookView::Figures figures_from_wire(const wire::ShareFigures& figures) {
  const auto& set = figures.__isset;
  OutlookView::Figures out;
  out.running = figures.running;
  out.pending = figures.pending;
  out.guaranteed = if_set(set.guaranteed, figures.guaranteed);
  out.allocated = if_set(set.allocated, figures.allocated);
  out.share_thousandths = if_set(set.share_thousandths, figures.share_thousandths);
  out.min_share = if_set(set.min_share, figures.min_share);
  out.maximum = if_set(set.maximum, figures.maximum);
  out.copying = if_set(set.copying, figures.copying);
  out.unmet = if_set(set.unmet, figures.unmet);
  out.demand = if_set(set.demand, figures.demand);
  out.below_min_share_ms = if_set(set.below_min_share_ms, figures.below_min_share_ms);
  out.below_half_share_ms = if_set(set.below_half_share_ms, figures.below_half_share_ms);
  return out;
}

wire::PolicyOutlook outlook_to_wire(const OutlookView& outlook) {
  wire::PolicyOutlook out;
  out.policy = outlook.policy;
  out.pools = outlook.pools;
  for (const OutlookView::Share& share : outlook.shares) {
    wire::PolicyShare& line = out.shares.emplace_back();
    line.name = share.name;
    line.maps = figures_to_wire(share.maps);
    line.reduces = figures_to_wire(share.reduces);
    if (share.weight_millionths) line.__set_weight_millionths(*share.weight_millionths);
    if (share.mode) line.__set_mode(*share.mode);
    if (share.jobs_running) line.__set_jobs_running(*share.jobs_running);
    if (share.jobs_waiting) line.__set_jobs_waiting(*share.jobs_waiting);
    if (share.amounts.empty()) continue;
    line.__isset.amounts = true;
    for (const OutlookView::Amounts& each : share.amounts) {
      wire::ShareAmounts& amounts = line.amounts.emplace_back();
      amounts.dimension = each.dimension;
      amounts.figures = figures_to_wire(each.figures);
    }
  }
  return out;
}

OutlookView outlook_from_wire(const wire::PolicyOutlook& outlook) {
  OutlookView out{outlook.policy, outlook.pools, {}};
  for (const wire::PolicyShare& share : outlook.shares) {
    const auto& set = share.__isset;
    out.shares.push_back({share.name, figures_from_wire(share.maps),
                          figures_from_wire(share.reduces),
                          if_set(set.weight_millionths, share.weight_millionths),
                          if_set(set.mode, share.mode),
                          if_set(set.jobs_running, share.jobs_running),
                          if_set(set.jobs_waiting, share.jobs_waiting),
                          {}});
    for (const wire::ShareAmounts& each : share.amounts)
      out.shares.back().amounts.push_back({each.dimension, figures_from_wire(each.figures)});
  }
  return out;
}

wire::QueueChange change_to_wire(const SettingsDiffView::Queue& queue) {
  wire::QueueChange out;
  out.queue = queue.queue;
  out.change = queue.change;
  out.maps_before = queue.maps_before;
  out.maps_after = queue.maps_after;
  out.reduces_before = queue.reduces_before;
  out.reduces_after = queue.reduces_after;
  if (queue.maps_maximum_before) out.__set_maps_maximum_before(*queue.maps_maximum_before);
  if (queue.maps_maximum_after) out.__set_maps_maximum_after(*queue.maps_maximum_after);
  if (queue.reduces_maximum_before) out.__set_reduces_maximum_before(*queue.reduces_maximum_before);
  if (queue.reduces_maximum_after) out.__set_reduces_maximum_after(*queue.reduces_maximum_after);
  if (queue.jobs) out.__set_jobs(*queue.jobs);
  if (queue.moves_to) out.__set_moves_to(*queue.moves_to);
  for (const SettingsDiffView::Amounts& of : queue.amounts) {
    wire::AmountsChange amounts;
    amounts.dimension = of.dimension;
    amounts.guaranteed_before = of.guaranteed_before;
    amounts.guaranteed_after = of.guaranteed_after;
    amounts.maximum_before = of.maximum_before;
    amounts.maximum_after = of.maximum_after;
    out.amounts.push_back(amounts);
    out.__isset.amounts = true;
  }
  return out;
}

SettingsDiffView::Queue change_from_wire(const wire::QueueChange& queue) {
  const auto& set = queue.__isset;
  SettingsDiffView::Queue out;
  out.queue = queue.queue;
  out.change = queue.change;
  out.maps_before = queue.maps_before;
  out.maps_after = queue.maps_after;
  out.reduces_before = queue.reduces_before;
  out.reduces_after = queue.reduces_after;
  out.maps_maximum_before = if_set(set.maps_maximum_before, queue.maps_maximum_before);
  out.maps_maximum_after = if_set(set.maps_maximum_after, queue.maps_maximum_after);
  out.reduces_maximum_before = if_set(set.reduces_maximum_before, queue.reduces_maximum_before);
  out.reduces_maximum_after = if_set(set.reduces_maximum_after, queue.reduces_maximum_after);
  out.jobs = if_set(set.jobs, queue.jobs);
  out.moves_to = if_set(set.moves_to, queue.moves_to);
  for (const wire::AmountsChange& of : queue.amounts) {
    out.amounts.push_back({of.dimension, of.guaranteed_before, of.guaranteed_after,
                           of.maximum_before, of.maximum_after});
  }
  return out;
}

wire::SettingsPreview preview_to_wire(const SettingsDiffView::Preview& preview) {
  wire::SettingsPreview out;
  out.now = outlook_to_wire(preview.now);
  out.then_given = outlook_to_wire(preview.then);
  for (const SettingsDiffView::Preview::Claim& claim : preview.claims) {
    wire::ClaimForeseen& line = out.claims.emplace_back();
    line.queue = claim.queue;
    line.kind = claim.kind;
    line.slots = claim.slots;
    line.open = claim.open;
    line.left_ms = claim.left_ms;
  }
  return out;
}

SettingsDiffView::Preview preview_from_wire(const wire::SettingsPreview& preview) {
  SettingsDiffView::Preview out{outlook_from_wire(preview.now),
                                outlook_from_wire(preview.then_given),
                                {}};
  for (const wire::ClaimForeseen& claim : preview.claims)
    out.claims.push_back({claim.queue, claim.kind, claim.slots, claim.open, claim.left_ms});
  return out;
}

}  // namespace

wire::PolicyInfo to_wire(const PolicyView& policy) {
  wire::PolicyInfo out;
  out.current = policy.current;
  out.available = policy.available;
  out.since_ms = policy.since_ms;
  if (!policy.notices.empty()) out.__set_notices(policy.notices);
  for (const OutlookView& outlook : policy.outlooks)
    out.outlooks.push_back(outlook_to_wire(outlook));
  out.__isset.outlooks = true;
  return out;
}

PolicyView from_wire(const wire::PolicyInfo& policy) {
  PolicyView out{policy.current, policy.available, policy.since_ms, policy.notices, {}};
  for (const wire::PolicyOutlook& outlook : policy.outlooks)
    out.outlooks.push_back(outlook_from_wire(outlook));
  return out;
}

wire::Setting to_wire(const SettingView& setting) {
  wire::Setting out;
  out.name = setting.name;
  out.value = setting.value;
  out.origin = setting.origin;
  return out;
}

SettingView from_wire(const wire::Setting& setting) {
  return {setting.name, setting.value, setting.origin};
}

wire::FollowedFile to_wire(const SettingsFileView& file) {
  wire::FollowedFile out;
  out.file = file.file;
  out.source = file.source;
  out.says = file.says;
  out.changes = file.changes;
  out.sound = file.sound;
  return out;
}

SettingsFileView from_wire(const wire::FollowedFile& file) {
  return {file.file, file.source, file.says, file.changes, file.sound};
}

wire::SettingsRecord to_wire(const SettingsRecordView& record) {
  wire::SettingsRecord out;
  out.number = record.number;
  out.at_ms = record.at_ms;
  out.by = record.by;
  out.policy = record.policy;
  out.source = record.source;
  return out;
}

SettingsRecordView from_wire(const wire::SettingsRecord& record) {
  return {record.number, record.at_ms, record.by, record.policy, record.source};
}

wire::SettingsDiff to_wire(const SettingsDiffView& diff) {
  wire::SettingsDiff out;
  for (const SettingsDiffView::Queue& queue : diff.queues)
    out.queues.push_back(change_to_wire(queue));
  out.changes = diff.changes;
  out.warnings = diff.warnings;
  out.__set_refusals(diff.refusals);
  out.__set_at_restart(diff.at_restart);
  if (diff.map_slots) out.__set_map_slots(*diff.map_slots);
  if (diff.reduce_slots) out.__set_reduce_slots(*diff.reduce_slots);
  if (diff.preview) out.__set_preview(preview_to_wire(*diff.preview));
  return out;
}

SettingsDiffView from_wire(const wire::SettingsDiff& diff) {
  SettingsDiffView out;
  for (const wire::QueueChange& queue : diff.queues) out.queues.push_back(change_from_wire(queue));
  out.changes = diff.changes;
  out.warnings = diff.warnings;
  out.refusals = diff.refusals;
  out.at_restart = diff.at_restart;
  out.map_slots = if_set(diff.__isset.map_slots, diff.map_slots);
  out.reduce_slots = if_set(diff.__isset.reduce_slots, diff.reduce_slots);
  if (diff.__isset.preview) out.preview = preview_from_wire(diff.preview);
  return out;
}

wire::ServerInfo to_wire(const ServerView& server) {
  wire::ServerInfo out;
  out.version = server.version;
  out.started_at_ms = server.started_at_ms;
  out.now_ms = server.now_ms;
  out.trackers = server.trackers;
  out.jobs_unfinished = server.jobs_unfinished;
  out.frames_refused = server.frames_refused;
  out.store = server.store;
  if (server.store_error) out.__set_store_error(*server.store_error);
  out.tracker_port = server.tracker_port;
  out.client_port = server.client_port;
  if (server.http) out.__set_http(*server.http);
  return out;
}

ServerView from_wire(const wire::ServerInfo& server) {
  return {.version = server.version,
          .started_at_ms = server.started_at_ms,
          .now_ms = server.now_ms,
          .trackers = server.trackers,
          .jobs_unfinished = server.jobs_unfinished,
          .frames_refused = server.frames_refused,
          .store = server.store,
          .store_error = if_set(server.__isset.store_error, server.store_error),
          .tracker_port = server.tracker_port,
          .client_port = server.client_port,
          .http = if_set(server.__isset.http, server.http)};
}

}  // namespace weir
