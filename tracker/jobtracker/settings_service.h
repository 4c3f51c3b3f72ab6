// What administrators ask of settings and policy (see job_service.h). Settings that somebody sends
// are read on the worker, because a large file takes its time; who finds too many waiting there is
// told BUSY. Any thread; nothing waits.
//
// Settings have a number, under which settings_history has them too. Whoever applies settings may
// name the number of those that were changed: if others have come into force since, or are on their
// way, nothing happens (SETTINGS_CHANGED, which says by whom and when).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/caller.h"
#include "tracker/jobtracker/answer.h"
#include "tracker/jobtracker/engine_loop.h"
#include "tracker/jobtracker/followed_file.h"
#include "tracker/jobtracker/history_reader.h"
#include "tracker/jobtracker/server_facts.h"
#include "tracker/jobtracker/worker.h"
#include "views/policy_view.h"
#include "views/settings_view.h"

namespace weir {

// A file of settings as it is sent. The name is for messages only.
struct SentSettings {
  std::string name;
  std::string text;
};

class SettingsService {
 public:
  SettingsService(EngineLoop& loop, Worker& worker, HistoryReader& history,
                  const ServerFacts& facts, const Notices& notices, const FollowedFile& file)
      : loop_(loop),
        worker_(worker),
        history_(history),
        facts_(facts),
        notices_(notices),
        file_(file) {}

  void policy(Answer<PolicyView> answer);
  // And how jobs stand under the one that rules (job_standings.h).
  void policy_with_standings(Answer<PolicyView> answer);
  // What the ruling policy gives, without the others, which take much longer to ask.
  void ruling_policy(Answer<OutlookView> answer);
  void set_policy(const Caller& caller, const std::string& policy, Answer<Version> answer);

  // Checked whole against the live state, then applied in one step, or refused with every error.
  // `expected`: only if these are in force still.
  void apply(const Caller& caller, SentSettings sent, std::optional<std::int64_t> expected,
             Answer<Version> answer);
  // Every finding, and nothing more: what the live state would say is in diff.
  void check(SentSettings sent, Answer<SettingsCheckView> answer);
  // What it would change, and why it would be refused now.
  void diff(SentSettings sent, Answer<SettingsDiffView> answer);

  // Those in force, whole.
  SettingsTextView text() const;
  // The file that is followed, beside them.
  void file(Answer<SettingsFileView> answer);
  // Those of a record, by its number.
  void text_of(std::int64_t number, Answer<std::string> answer);
  // The newest first.
  void history(Answer<std::vector<SettingsRecordView>> answer);
  void in_force(Answer<std::vector<SettingView>> answer);

 private:
  EngineLoop& loop_;
  Worker& worker_;
  HistoryReader& history_;
  const ServerFacts& facts_;
  const Notices& notices_;
  const FollowedFile& file_;
};

}  // namespace weir
