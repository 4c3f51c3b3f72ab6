#include "tracker/jobtracker/settings_service.h"

#include <map>
#include <memory>
#include <utility>

#include "conf/describe.h"
#include "conf/diff.h"
#include "conf/live_notices.h"
#include "conf/named_settings.h"
#include "conf/policies.h"
#include "conf/settings_text.h"
#include "jobqueue/model/submission_checks.h"
#include "jobqueue/model/submission_limits.h"
#include "tracker/jobtracker/commands.h"
#include "tracker/jobtracker/job_standings.h"
#include "tracker/jobtracker/look_in_pieces.h"
#include "tracker/jobtracker/settings_file.h"
#include "tracker/port/peers.h"
#include "tracker/published/policy_outlook.h"
#include "tracker/published/settings_check.h"
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

// It comes from a client and goes into the log.
std::string name_of(const SentSettings& sent) {
  const Status fits = check_text("file.name", sent.name, {SubmissionLimits::kPathBytes});
  return fits ? sent.name : "settings";
}

// A sound file that is not taken as the cluster is: its differences, and why.
SettingsFileView refused(SettingsFileView file, const Error& error) {
  std::vector<std::string> why = error.diagnostics;
  if (why.empty()) why.push_back(error.message);
  file.changes.insert(file.changes.end(), why.begin(), why.end());
  file.says = file.file + " is refused as the cluster is now: the settings in force stay";
  file.sound = false;
  return file;
}

using Commands = std::map<std::string, std::string>;  // setting, value

Result<std::vector<SettingView>> settings_and_commands(const Settings& settings,
                                                       const Commands& commands) {
  const auto nothing_said = load_owned("defaults", "policy: capacity");
  if (!nothing_said) return nothing_said.error();
  Diagnostics unread("settings");  // they were read before
  const YamlNode::Ptr document = parse_yaml(SettingsText::split(settings.text).text, unread);
  std::vector<SettingView> out;
  for (SettingValue& setting : list_settings(settings, nothing_said->settings)) {
    SettingView row;
    row.name = std::move(setting.name);
    row.value = std::move(setting.value);
    const bool named = document != nullptr && names_setting(*document, row.name);
    row.origin = setting.is_default && !named ? "default" : "settings";
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

// --- The policy ---

void SettingsService::policy(Answer<PolicyView> answer) {
  const PublishedViewsPtr views = loop_.views().latest();
  PolicyView out{views->policy, policy_names(), views->policy_since, views->settings->notices, {}};
  for (std::string& line : live_notices(*views->settings, views->policy, views->total))
    out.notices.push_back(std::move(line));
  for (std::string& line : notices_.get()) out.notices.push_back(std::move(line));
  if (std::string line = file_.said(views->settings); !line.empty())
    out.notices.push_back(std::move(line));
  if (auto error = loop_.event_log_error()) out.notices.push_back(std::move(*error));
  struct Work {
    PolicyView out;
    std::size_t next = 0;  // of out.available
  };
  const auto work = std::make_shared<Work>(Work{std::move(out)});
  // Each of the others is built anew from all jobs: heartbeats come in between.
  const auto piece = [work](const Engine& engine) {
    if (auto outlook = policy_outlook(engine, work->out.available[work->next]))
      work->out.outlooks.push_back(std::move(*outlook));
    return ++work->next < work->out.available.size();
  };
  look_in_pieces(loop_, Asker{calling_peer(), ""}, piece,
                 [work, answer = std::move(answer)](const Status& whole) {
                   if (!whole) return answer(whole.error());
                   answer(std::move(work->out));
                 });
}

void SettingsService::policy_with_standings(Answer<PolicyView> answer) {
  policy([answer = std::move(answer), &loop = loop_,
          asker = Asker{calling_peer(), ""}](const Result<PolicyView>& policy) {
    if (!policy) return answer(policy.error());
    ask_job_standings(loop, asker,
                      [answer, out = *policy](std::optional<JobStandingsView> standings) mutable {
                        out.standings = std::move(standings);
                        answer(std::move(out));
                      });
  });
}

void SettingsService::ruling_policy(Answer<OutlookView> answer) {
  loop_.query(
      [answer = std::move(answer), &loop = loop_](const Result<EngineLoop::Inside>& inside) {
        if (!inside) return answer(inside.error());
        loop.hand_over([answer, out = ruling_outlook(*inside->engine)] { answer(out); });
      });
}

void SettingsService::set_policy(const Caller& caller, const std::string& policy,
                                 Answer<Version> answer) {
  if (find_policy(policy) == nullptr) {
    std::string known;
    for (const std::string& name : policy_names()) known += (known.empty() ? "" : ", ") + name;
    return answer(Error{ErrorCode::kUnknownPolicy,
                        "there is no policy '" + policy.substr(0, 64) + "'",
                        "policies: " + known,
                        {}});
  }
  loop_.post(SetPolicy{caller, policy}, answer_done(std::move(answer)));
}

// --- Settings that somebody sends: read on the worker ---

void SettingsService::apply(const Caller& caller, SentSettings sent,
                            std::optional<std::int64_t> expected, Answer<Version> answer) {
  if (expected && *expected < 0) {
    return answer(
        bad_request("expected: " + std::to_string(*expected) + " is no number of settings",
                    "the number of those that are in force"));
  }
  const bool taken = worker_.try_run([this, answer, caller, expected, sent = std::move(sent)] {
    auto loaded = load_replacing(name_of(sent), SettingsText::split(sent.text),
                                 *loop_.views().latest()->settings);
    if (!loaded) return answer(loaded.error());
    const Status taken = may_apply(*file_.get(), *loop_.views().latest()->settings);
    if (!taken) return answer(taken.error());
    auto settings = std::make_shared<const Settings>(std::move(loaded->settings));
    ApplySettings command{caller, std::move(settings)};
    if (expected) command.expected = static_cast<std::uint64_t>(*expected);
    loop_.post(std::move(command), answer_done(answer));
  });
  if (!taken) answer(worker_busy());
}

void SettingsService::check(SentSettings sent, Answer<SettingsCheckView> answer) {
  const bool taken = worker_.try_run([this, answer, sent = std::move(sent)] {
    const std::string name = name_of(sent);
    const SettingsText text = SettingsText::split(sent.text);
    SettingsCheckView out = check_of_settings(name, text);
    if (!out.ok) return answer(std::move(out));
    const auto loaded = load_replacing(name, text, *loop_.views().latest()->settings);
    if (!loaded) {
      out.ok = false;
      out.findings.push_back({name, 1, 1, false, loaded.error().message});
      out.errors = loaded.error().diagnostics;
    }
    answer(std::move(out));
  });
  if (!taken) answer(worker_busy());
}

void SettingsService::diff(SentSettings sent, Answer<SettingsDiffView> answer) {
  const bool taken = worker_.try_run([this, answer, sent = std::move(sent)] {
    auto loaded = load_replacing(name_of(sent), SettingsText::split(sent.text),
                                 *loop_.views().latest()->settings);
    if (!loaded) return answer(loaded.error());
    const PublishedViewsPtr views = loop_.views().latest();
    auto diff = diff_of_settings(*views->settings, loaded->settings, views->policy, views->total);
    if (!diff) return answer(diff.error());
    diff->at_restart = diff_daemon(facts_.daemon, loaded->daemon, loaded->daemon_sections);
    if (const Status taken = may_apply(*file_.get(), *views->settings); !taken)
      diff->refusals.push_back(taken.error().message);
    // Whether it would be taken only the live state knows.
    auto settings = std::make_shared<const Settings>(std::move(loaded->settings));
    loop_.query([answer, settings, &loop = loop_,
                 out = std::make_shared<SettingsDiffView>(std::move(*diff))](
                    const Result<EngineLoop::Inside>& inside) {
      if (!inside) return answer(inside.error());
      if (const Status fits = inside->engine->check_settings(*settings); !fits) {
        const std::vector<std::string>& why = fits.error().diagnostics;
        out->refusals.insert(out->refusals.end(), why.begin(), why.end());
        if (why.empty()) out->refusals.push_back(fits.error().message);
      } else {
        out->preview = preview_of(*inside->engine, settings);
      }
      for (SettingsDiffView::Queue& queue : out->queues)
        count_jobs(inside->engine->state(), &queue);
      loop.hand_over([answer, out] { answer(std::move(*out)); });
    });
  });
  if (!taken) answer(worker_busy());
}

// --- Those in force, and former ones ---

SettingsTextView SettingsService::text() const {
  const PublishedViewsPtr views = loop_.views().latest();
  const SettingsStamp& stamp = views->settings_stamp;
  const Settings& settings = *views->settings;
  return {static_cast<std::int64_t>(stamp.number),
          loop_.time().wall().at(stamp.at),
          stamp.by,
          views->policy,
          settings.source,
          settings.text};
}

void SettingsService::file(Answer<SettingsFileView> answer) {
  const bool taken = worker_.try_run([this, answer] {
    const PublishedViewsPtr views = loop_.views().latest();
    const auto file = file_.get();
    const auto out = std::make_shared<SettingsFileView>(
        standing_of(*file, *views->settings, views->settings_stamp));
    if (!out->sound || out->changes.empty()) return answer(*out);
    auto loaded = load_replacing(file->path, file->text, *views->settings);
    if (!loaded) return answer(refused(*out, loaded.error()));
    // Whether it would be taken only the live state knows.
    const auto settings = std::make_shared<const Settings>(std::move(loaded->settings));
    loop_.query([answer, settings, out, &loop = loop_](const Result<EngineLoop::Inside>& inside) {
      if (!inside) return answer(inside.error());
      if (const Status fits = inside->engine->check_settings(*settings); !fits)
        *out = refused(*out, fits.error());
      loop.hand_over([answer, out] { answer(*out); });
    });
  });
  if (!taken) answer(worker_busy());
}

void SettingsService::text_of(std::int64_t number, Answer<std::string> answer) {
  history_.ask([answer = std::move(answer), number](const Result<History*>& history) {
    if (!history) return answer(history.error());
    const auto text = (*history)->settings_text(static_cast<std::uint64_t>(number));
    if (!text) return answer(text.error());
    if (*text) return answer(**text);
    answer(bad_request("there are no settings of number " + std::to_string(number),
                       "see `weir conf history`"));
  });
}

void SettingsService::history(Answer<std::vector<SettingsRecordView>> answer) {
  history_.ask([answer = std::move(answer), &time = loop_.time()](const Result<History*>& history) {
    if (!history) return answer(history.error());
    const auto records = (*history)->settings();
    if (!records) return answer(records.error());
    std::vector<SettingsRecordView> out;
    for (const SettingsRecord& record : *records) {
      out.push_back({static_cast<std::int64_t>(record.number), time.wall().at(record.at), record.by,
                     record.policy, record.source});
    }
    answer(std::move(out));
  });
}

void SettingsService::in_force(Answer<std::vector<SettingView>> answer) {
  loop_.query([this, answer = std::move(answer)](const Result<EngineLoop::Inside>& inside) {
    if (!inside) return answer(inside.error());
    const ClusterState& state = inside->engine->state();
    Commands commands{{"policy", std::string(inside->engine->policy().name())}};
    for (std::size_t q = 0; q < state.tree().size(); ++q) {
      if (state.queue(QueueId(q)).stopped_by_command)
        commands.emplace("queues." + state.tree().nodes()[q].path + ".state", "stopped");
    }
    // There may be thousands of queues: written out where nobody waits for it.
    const bool taken = worker_.try_run(
        [answer, commands = std::move(commands), settings = loop_.views().latest()->settings] {
          answer(settings_and_commands(*settings, commands));
        });
    if (!taken) answer(worker_busy());
  });
}

}  // namespace weir
