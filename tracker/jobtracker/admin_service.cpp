#include "tracker/jobtracker/admin_service.h"

#include <algorithm>
#include <map>
#include <utility>

#include "conf/describe.h"
#include "conf/diff.h"
#include "conf/live_notices.h"
#include "conf/load.h"
#include "conf/policies.h"
#include "conf/values.h"
#include "jobqueue/model/submission_limits.h"
#include "thrift/convert.h"
#include "thrift/wire_views.h"
#include "tracker/jobtracker/answering.h"
#include "tracker/jobtracker/commands.h"
#include "tracker/jobtracker/settings_file.h"
#include "tracker/published/policy_outlook.h"
#include "tracker/published/settings_diff.h"

namespace weir {
namespace {

Error worker_busy() {
  return Error{
      ErrorCode::kBusy, "too many settings files wait to be read", "try again after a while", {}};
}

void count_jobs(const ClusterState& state, SettingsDiffView::Queue* change) {
  const auto queue = state.tree().find_path(change->queue);
  if (!queue || !state.tree().node(*queue).leaf()) return;
  change->jobs = static_cast<std::int32_t>(state.queue(*queue).unfinished.size());
}

// The engine would refuse it, too, but does not look for what was meant.
Status check_trackers(const PublishedViews& views, const std::vector<std::string>& trackers) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < views.trackers.end(); ++i) {
    if (const auto& record = views.trackers.get(i)) known.push_back(record->view.name);
  }
  std::vector<std::string> findings;
  for (const std::string& name : trackers) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known);
    findings.push_back("there is no tracker '" + name.substr(0, 100) + "'" +
                       (near ? ", did you mean '" + std::string(*near) + "'?" : ""));
  }
  if (findings.empty()) return Ok{};
  std::string all;
  for (std::size_t i = 0; i < findings.size() && i < 10; ++i)
    all += (all.empty() ? "" : "; ") + findings[i];
  return Error{ErrorCode::kBadRequest, all, "see `weir tracker list`; nothing was changed", {}};
}

// A name is for messages only; it comes from a client and goes into the log.
std::string file_name(const wire::SettingsFile& file) {
  const Status fits = check_text("file.name", file.name, {SubmissionLimits::kPathBytes});
  return fits ? file.name : "settings";
}

using Commands = std::map<std::string, std::string>;  // setting, value

Result<std::vector<SettingView>> settings_and_commands(const Settings& settings,
                                                       const Commands& commands) {
  const auto nothing_said = load_owned("defaults", "policy: capacity");
  if (!nothing_said) return nothing_said.error();
  std::vector<SettingView> out;
  for (SettingValue& setting : list_settings(settings, nothing_said->settings)) {
    SettingView row;
    row.name = std::move(setting.name);
    row.value = std::move(setting.value);
    row.origin = setting.is_default ? "default" : "settings";
    const auto command = commands.find(row.name);
    if (command != commands.end() && command->second != row.value) {
      row.value = command->second;
      row.origin = "command";
    }
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

void AdminService::set_queue_state(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                   const std::string& queue, const bool running) {
  const Answering<wire::Done> answering(std::move(give), std::move(refuse));
  const auto who = from_wire(caller);
  if (!who) return answering.refuse(who.error());
  loop_.post(SetQueueState{*who, queue, !running}, answer_done(answering));
}

void AdminService::order_trackers(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                  const std::vector<std::string>& trackers,
                                  const wire::TrackerOrder::type order,
                                  const std::string& reason) {
  const Answering<wire::Done> answering(std::move(give), std::move(refuse));
  const auto who = check_order(caller, trackers, reason);
  if (!who) return answering.refuse(who.error());
  const auto number = static_cast<int>(order);
  if (number < 0 || number > static_cast<int>(TrackerOrder::kStopNow)) {
    return answering.refuse(Error{ErrorCode::kBadRequest,
                                  "order: " + std::to_string(number) + " is none",
                                  "0 resume, 1 drain, 2 stop, 3 stop now",
                                  {}});
  }
  loop_.post(OrderTrackers{*who, trackers, static_cast<TrackerOrder>(number), reason},
             answer_done(answering));
}

void AdminService::lose_trackers(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                 const std::vector<std::string>& trackers,
                                 const std::string& reason) {
  const Answering<wire::Done> answering(std::move(give), std::move(refuse));
  const auto who = check_order(caller, trackers, reason);
  if (!who) return answering.refuse(who.error());
  loop_.post(DeclareLost{*who, trackers, reason}, answer_done(answering));
}

void AdminService::forget_trackers(Give<wire::Done> give, Refuse refuse,
                                   const wire::Caller& caller,
                                   const std::vector<std::string>& trackers) {
  const Answering<wire::Done> answering(std::move(give), std::move(refuse));
  const auto who = check_order(caller, trackers, "");
  if (!who) return answering.refuse(who.error());
  loop_.post(ForgetTrackers{*who, trackers}, answer_done(answering));
}

// Who asks, if what is asked of trackers makes sense.
Result<Caller> AdminService::check_order(const wire::Caller& caller,
                                         const std::vector<std::string>& trackers,
                                         const std::string& reason) const {
  const auto who = from_wire(caller);
  if (!who) return who.error();
  if (Status fits = check_text("reason", reason, {.may_be_empty = true}); !fits)
    return fits.error();
  if (const Status known = check_trackers(*loop_.views().latest(), trackers); !known)
    return known.error();
  return *who;
}

void AdminService::policy(Give<wire::PolicyInfo> give, Refuse refuse) {
  const Answering<wire::PolicyInfo> answering(std::move(give), std::move(refuse));
  const PublishedViewsPtr views = loop_.views().latest();
  PolicyView out{views->policy, policy_names(), views->policy_since, views->settings->notices, {}};
  for (std::string& line : live_notices(*views->settings, views->policy, views->total))
    out.notices.push_back(std::move(line));
  for (std::string& line : notices_.get()) out.notices.push_back(std::move(line));
  if (auto error = loop_.event_log_error()) out.notices.push_back(std::move(*error));
  loop_.query([answering, &loop = loop_, out = std::make_shared<PolicyView>(std::move(out))](
                  const Result<EngineLoop::Inside>& inside) {
    if (!inside) return answering.refuse(inside.error());
    out->outlooks = policy_outlooks(*inside->engine);
    loop.hand_over([answering, out] { answering.give(to_wire(*out)); });
  });
}

void AdminService::set_policy(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                              const std::string& policy) {
  const Answering<wire::Done> answering(std::move(give), std::move(refuse));
  const auto who = from_wire(caller);
  if (!who) return answering.refuse(who.error());
  if (find_policy(policy) == nullptr) {
    std::string known;
    for (const std::string& name : policy_names()) known += (known.empty() ? "" : ", ") + name;
    return answering.refuse(Error{ErrorCode::kUnknownPolicy,
                                  "there is no policy '" + policy.substr(0, 64) + "'",
                                  "policies: " + known,
                                  {}});
  }
  loop_.post(SetPolicy{*who, policy}, answer_done(answering));
}

void AdminService::apply_settings(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                  const wire::SettingsFile& file) {
  const Answering<wire::Done> answering(std::move(give), std::move(refuse));
  auto who = from_wire(caller);
  if (!who) return answering.refuse(who.error());
  const bool taken = worker_.try_run([this, answering, who = *who, file] {
    auto loaded = load_owned(file_name(file), file.text);
    if (!loaded) return answering.refuse(loaded.error());
    auto settings = std::make_shared<const Settings>(std::move(loaded->settings));
    loop_.post(ApplySettings{who, std::move(settings)}, answer_done(answering));
  });
  if (!taken) answering.refuse(worker_busy());
}

void AdminService::diff_settings(Give<wire::SettingsDiff> give, Refuse refuse,
                                 const wire::SettingsFile& file) {
  const Answering<wire::SettingsDiff> answering(std::move(give), std::move(refuse));
  const bool taken = worker_.try_run([this, answering, file] {
    auto loaded = load_owned(file_name(file), file.text);
    if (!loaded) return answering.refuse(loaded.error());
    const PublishedViewsPtr views = loop_.views().latest();
    auto diff = diff_of_settings(*views->settings, loaded->settings, views->policy, views->total);
    if (!diff) return answering.refuse(diff.error());
    diff->at_restart = diff_daemon(facts_.daemon, loaded->daemon, loaded->daemon_sections);
    // Whether it would be taken only the live state knows.
    auto settings = std::make_shared<const Settings>(std::move(loaded->settings));
    loop_.query([answering, settings, &loop = loop_,
                 out = std::make_shared<SettingsDiffView>(std::move(*diff))](
                    const Result<EngineLoop::Inside>& inside) {
      if (!inside) return answering.refuse(inside.error());
      if (const Status fits = inside->engine->check_settings(*settings); !fits) {
        out->refusals = fits.error().diagnostics;
        if (out->refusals.empty()) out->refusals.push_back(fits.error().message);
      }
      for (SettingsDiffView::Queue& queue : out->queues)
        count_jobs(inside->engine->state(), &queue);
      loop.hand_over([answering, out] { answering.give(to_wire(*out)); });
    });
  });
  if (!taken) answering.refuse(worker_busy());
}

void AdminService::settings_text(Give<std::string> give, Refuse) {
  give(loop_.views().latest()->settings->text);
}

void AdminService::settings_of(Give<std::string> give, Refuse refuse, const std::int64_t number) {
  const Answering<std::string> answering(std::move(give), std::move(refuse));
  history_.ask([answering, number](const Result<History*>& history) {
    if (!history) return answering.refuse(history.error());
    const auto text = (*history)->settings_text(static_cast<std::uint64_t>(number));
    if (!text) return answering.refuse(text.error());
    if (*text) return answering.give(**text);
    answering.refuse(Error{ErrorCode::kBadRequest,
                           "there are no settings of number " + std::to_string(number),
                           "see `weir conf history`",
                           {}});
  });
}

void AdminService::settings_history(Give<std::vector<wire::SettingsRecord>> give, Refuse refuse) {
  const Answering<std::vector<wire::SettingsRecord>> answering(std::move(give),
                                                               std::move(refuse));
  history_.ask([answering, &time = loop_.time()](const Result<History*>& history) {
    if (!history) return answering.refuse(history.error());
    const auto records = (*history)->settings();
    if (!records) return answering.refuse(records.error());
    std::vector<wire::SettingsRecord> out;
    for (const SettingsRecord& record : *records) {
      out.push_back(to_wire(SettingsRecordView{static_cast<std::int64_t>(record.number),
                                               time.wall().at(record.at), record.by, record.policy,
                                               record.source}));
    }
    answering.give(out);
  });
}

void AdminService::settings_in_force(Give<std::vector<wire::Setting>> give, Refuse refuse) {
  const Answering<std::vector<wire::Setting>> answering(std::move(give), std::move(refuse));
  loop_.query([this, answering](const Result<EngineLoop::Inside>& inside) {
    if (!inside) return answering.refuse(inside.error());
    const ClusterState& state = inside->engine->state();
    Commands commands{{"policy", std::string(inside->engine->policy().name())}};
    for (std::size_t q = 0; q < state.tree().size(); ++q) {
      if (state.queue(QueueId(q)).stopped_by_command)
        commands.emplace("queues." + state.tree().nodes()[q].path + ".state", "stopped");
    }
    // There may be thousands of queues: written out where nobody waits for it.
    const bool taken = worker_.try_run([answering, commands = std::move(commands),
                                        settings = loop_.views().latest()->settings] {
      const auto in_force = settings_and_commands(*settings, commands);
      if (!in_force) return answering.refuse(in_force.error());
      answering.give(list_to_wire(*in_force));
    });
    if (!taken) answering.refuse(worker_busy());
  });
}

void AdminService::info(Give<wire::ServerInfo> give, Refuse) {
  const PublishedViewsPtr views = loop_.views().latest();
  ServerView out;
  out.version = facts_.version;
  out.started_at_ms = facts_.started_at;
  out.now_ms = loop_.time().wall_now();
  out.trackers = views->live_trackers;
  out.jobs_unfinished = views->jobs_unfinished;
  out.frames_refused = facts_.frames_refused();
  out.store = facts_.store;
  out.store_error = loop_.store_error();
  out.tracker_port = facts_.tracker_port();
  out.client_port = facts_.client_port();
  give(to_wire(out));
}

}  // namespace weir
