// The policy, the settings, the JobTracker itself.
#include "views/json/json.h"
#include "views/json/or_null.h"

namespace weir {
namespace {

Json figures_json(const OutlookView::Figures& of) {
  Json json = {{"running", of.running}, {"pending", of.pending}};
  if (of.guaranteed) json["guaranteed"] = *of.guaranteed;
  if (of.allocated) json["allocated"] = *of.allocated;
  if (of.share_thousandths) json["share"] = static_cast<double>(*of.share_thousandths) / 1000;
  if (of.min_share) json["min_share"] = *of.min_share;
  if (of.maximum) json["maximum"] = *of.maximum;
  if (of.copying) json["copying"] = *of.copying;
  if (of.unmet) json["unmet"] = *of.unmet;
  if (of.demand) json["demand"] = *of.demand;
  if (of.below_min_share_ms) json["below_min_share_ms"] = *of.below_min_share_ms;
  if (of.below_half_share_ms) json["below_half_share_ms"] = *of.below_half_share_ms;
  return json;
}

Json share_json(const OutlookView::Share& share) {
  Json json = {{"name", share.name},
               {"maps", figures_json(share.maps)},
               {"reduces", figures_json(share.reduces)}};
  Json& dimensions = json["dimensions"] = Json::object();
  for (const OutlookView::Amounts& each : share.amounts)
    dimensions[each.dimension] = figures_json(each.figures);
  if (share.weight_millionths)
    json["weight"] = static_cast<double>(*share.weight_millionths) / 1'000'000;
  if (share.mode) json["mode"] = *share.mode;
  if (share.below_min_share_ms) json["below_min_share_ms"] = *share.below_min_share_ms;
  if (share.below_half_share_ms) json["below_half_share_ms"] = *share.below_half_share_ms;
  if (share.jobs_running) json["jobs_running"] = *share.jobs_running;
  if (share.jobs_waiting) json["jobs_waiting"] = *share.jobs_waiting;
  return json;
}

Json standing_json(const JobStandingsView::Figures& of) {
  Json json = {{"running", of.running},
               {"share", static_cast<double>(of.share_thousandths) / 1000},
               {"weight", static_cast<double>(of.weight_millionths) / 1'000'000}};
  if (of.deficit_ms) json["deficit_slot_ms"] = *of.deficit_ms;
  return json;
}

Json standing_json(const JobStandingsView::Job& job) {
  Json json = {{"job", job_name(job.id)},
               {"number", job.id.value},
               {"name", job.name},
               {"user", job.user},
               {"pool", job.pool},
               {"maps", standing_json(job.maps)},
               {"reduces", standing_json(job.reduces)}};
  Json& dimensions = json["dimensions"] = Json::object();
  for (const JobStandingsView::Amount& each : job.amounts) {
    dimensions[each.dimension] = {{"running", each.running},
                                  {"share", static_cast<double>(each.share_thousandths) / 1000}};
  }
  if (job.weight_millionths)
    json["weight"] = static_cast<double>(*job.weight_millionths) / 1'000'000;
  if (job.may_run) json["may_run"] = *job.may_run;
  if (job.locality_left_ms) json["locality_left_ms"] = *job.locality_left_ms;
  return json;
}

}  // namespace

Json to_json(const OutlookView& outlook) {
  Json shares = Json::array();
  for (const OutlookView::Share& share : outlook.shares) shares.push_back(share_json(share));
  return {{"policy", outlook.policy},
          {"of", outlook.pools ? "pools" : "queues"},
          {"shares", std::move(shares)}};
}

Json to_json(const PolicyView& policy) {
  Json json = {{"current", policy.current},
               {"available", policy.available},
               {"since_ms", policy.since_ms},
               {"notices", policy.notices},
               {"outlooks", to_json(policy.outlooks)}};
  if (policy.standings) {
    json["jobs"] = Json::array();
    for (const JobStandingsView::Job& job : policy.standings->jobs)
      json["jobs"].push_back(standing_json(job));
    json["more_jobs"] = policy.standings->more;
  }
  return json;
}

Json to_json(const SettingsRecordView& record) {
  return {{"number", record.number},
          {"at_ms", record.at_ms},
          {"by", record.by},
          {"policy", record.policy},
          {"source", record.source}};
}

Json to_json(const SettingView& setting) {
  return {{"name", setting.name}, {"value", setting.value}, {"origin", setting.origin}};
}

Json to_json(const SettingsTextView& settings) {
  return {{"number", settings.number}, {"at_ms", settings.at_ms},   {"by", settings.by},
          {"policy", settings.policy}, {"source", settings.source}, {"text", settings.text}};
}

Json to_json(const SettingsFileView& file) {
  return {{"file", file.file},
          {"source", file.source},
          {"says", file.says},
          {"sound", file.sound},
          {"changes", file.changes}};
}

Json to_json(const SettingsCheckView& check) {
  Json findings = Json::array();
  for (const SettingsCheckView::Finding& finding : check.findings) {
    findings.push_back({{"file", finding.file},
                        {"line", finding.line},
                        {"column", finding.column},
                        {"severity", finding.warning ? "warning" : "error"},
                        {"message", finding.message}});
  }
  return {{"file", check.file},
          {"ok", check.ok},
          {"errors", check.errors},
          {"warnings", check.warnings},
          {"findings", findings}};
}

namespace {

Json preview_json(const SettingsDiffView::Preview& preview) {
  Json claims = Json::array();
  for (const SettingsDiffView::Preview::Claim& claim : preview.claims) {
    claims.push_back({{"queue", claim.queue},
                      {"kind", claim.kind},
                      {"slots", claim.slots},
                      {"open", claim.open},
                      {"milliseconds_left", claim.left_ms}});
  }
  return {{"now", to_json(preview.now)}, {"then", to_json(preview.then)}, {"claims", claims}};
}

}  // namespace

Json to_json(const SettingsDiffView& diff) {
  Json queues = Json::array();
  for (const SettingsDiffView::Queue& queue : diff.queues) {
    Json amounts = Json::array();
    for (const SettingsDiffView::Amounts& of : queue.amounts) {
      amounts.push_back({{"dimension", of.dimension},
                         {"guaranteed_before", of.guaranteed_before},
                         {"guaranteed_after", of.guaranteed_after},
                         {"maximum_before", of.maximum_before},
                         {"maximum_after", of.maximum_after}});
    }
    queues.push_back({{"queue", queue.queue},
                      {"change", queue.change},
                      {"maps_before", queue.maps_before},
                      {"maps_after", queue.maps_after},
                      {"reduces_before", queue.reduces_before},
                      {"reduces_after", queue.reduces_after},
                      {"maps_maximum_before", or_null(queue.maps_maximum_before)},
                      {"maps_maximum_after", or_null(queue.maps_maximum_after)},
                      {"reduces_maximum_before", or_null(queue.reduces_maximum_before)},
                      {"reduces_maximum_after", or_null(queue.reduces_maximum_after)},
                      {"jobs", or_null(queue.jobs)},
                      {"moves_to", or_null(queue.moves_to)},
                      {"amounts", std::move(amounts)}});
  }
  return {{"queues", queues},
          {"changes", diff.changes},
          {"warnings", diff.warnings},
          {"refusals", diff.refusals},
          {"at_restart", diff.at_restart},
          {"preview", diff.preview ? preview_json(*diff.preview) : Json()},
          {"map_slots", or_null(diff.map_slots)},
          {"reduce_slots", or_null(diff.reduce_slots)}};
}

Json to_json(const ServerView& server) {
  return {{"version", server.version},
          {"started_at_ms", server.started_at_ms},
          {"now_ms", server.now_ms},
          {"trackers", server.trackers},
          {"jobs_unfinished", server.jobs_unfinished},
          {"frames_refused", server.frames_refused},
          {"store", server.store},
          {"store_error", or_null(server.store_error)},
          {"tracker_port", server.tracker_port},
          {"client_port", server.client_port},
          {"http", or_null(server.http)}};
}

}  // namespace weir
