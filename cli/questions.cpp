// What the JobTracker is asked: answers become views as soon as they are there.
#include <iterator>
#include <utility>

#include "cli/calls.h"
#include "cli/connection.h"
#include "thrift/wire_job.h"
#include "thrift/wire_views.h"

namespace weir::cli {
namespace {

constexpr std::int32_t kListed = 1'000;

// `ask` fills a page; `next` says to the filter where the one after this record begins.
template <class Record, class Ask, class Next>
auto all_pages(Ask ask, Next next) {
  std::vector<decltype(from_wire(Record()))> all;
  for (bool more = true; more;) {
    std::vector<Record> page;
    ask(page);
    more = !page.empty() && page.back().__isset.more && page.back().more;
    for (const Record& record : page) all.push_back(from_wire(record));
    if (more) more = next(all);
  }
  return all;
}

// As many as the filter's limit says, kListed if it says none.
template <class Filter, class Find>
std::vector<JobView> all_jobs(Calls& calls, Filter filter, const Find& find) {
  filter.__set_before_job(0);
  const std::int32_t wanted = filter.limit > 0 ? filter.limit : kListed;
  return all_pages<wire::JobStatus>(
      [&](auto& page) { calls.client([&](auto& client) { find(client, page, filter); }); },
      [&](const std::vector<JobView>& all) {
        const auto have = static_cast<std::int32_t>(all.size());
        if (have >= wanted) return false;
        filter.__set_before_job(to_wire(all.back().id));
        filter.__set_limit(wanted - have);
        return true;
      });
}

// Of lists that go on after the last name of a page.
template <class Record, class Filter, class Find>
auto all_by_name(Calls& calls, const Find& find) {
  Filter filter;
  return all_pages<Record>(
      [&](auto& page) { calls.client([&](auto& client) { find(client, page, filter); }); },
      [&](const auto& all) {
        filter.__set_after(all.back().name);
        return true;
      });
}

// What queues and users, of both kinds of list, have in common.
template <class Wanted, class Filter>
Filter filter_of(const Wanted& wanted) {
  Filter filter;
  if (!wanted.queue.empty()) filter.__set_queue(wanted.queue);
  if (!wanted.user.empty()) filter.__set_user(wanted.user);
  if (wanted.limit > 0) filter.__set_limit(wanted.limit);
  return filter;
}

}  // namespace

JobView JobTracker::job(std::int64_t job, Version at_least) {
  wire::JobStatus status;
  calls_->client([&](auto& client) { client.job_status(status, job, at_least); });
  return from_wire(status);
}

AskedView JobTracker::asked(const std::string& user, std::int64_t job) {
  wire::AskedJob asked;
  calls_->client([&](auto& client) { client.job_submission(asked, user, job); });
  return from_wire(asked);
}

ExplanationView JobTracker::explain(std::int64_t job) {
  wire::JobExplanation explanation;
  calls_->client([&](auto& client) { client.explain(explanation, job); });
  return from_wire(explanation);
}

std::vector<AttemptView> JobTracker::attempts(std::int64_t job) {
  std::vector<wire::AttemptInfo> attempts;
  calls_->client([&](auto& client) { client.attempts(attempts, job); });
  return list_from_wire(attempts);
}

std::vector<JobView> JobTracker::unfinished_jobs() {
  std::vector<wire::JobStatus> jobs;
  calls_->client([&](auto& client) { client.list_jobs(jobs, "", "", true, 0, 0); });
  return list_from_wire(jobs);
}

std::vector<JobView> JobTracker::jobs(const JobsWanted& wanted) {
  auto filter = filter_of<JobsWanted, wire::JobFilter>(wanted);
  filter.__set_unfinished_only(wanted.unfinished_only);
  if (!wanted.name.empty()) filter.__set_name(wanted.name);
  if (!wanted.states.empty()) filter.__set_states(wanted.states);
  return all_jobs(*calls_, std::move(filter), [](auto& client, auto& page, const auto& asked) {
    client.find_jobs(page, asked);
  });
}

std::vector<JobView> JobTracker::history(const HistoryWanted& wanted) {
  auto filter = filter_of<HistoryWanted, wire::HistoryFilter>(wanted);
  if (!wanted.name.empty()) filter.__set_name(wanted.name);
  if (!wanted.states.empty()) filter.__set_states(wanted.states);
  if (wanted.since_ms) filter.__set_since_ms(*wanted.since_ms);
  if (wanted.before_ms) filter.__set_before_ms(*wanted.before_ms);
  return all_jobs(*calls_, std::move(filter), [](auto& client, auto& page, const auto& asked) {
    client.list_history(page, asked);
  });
}

std::vector<QueueView> JobTracker::queues() {
  return all_by_name<wire::QueueStatus, wire::QueueFilter>(
      *calls_,
      [](auto& client, auto& page, const auto& filter) { client.find_queues(page, filter); });
}

std::vector<QueueView> JobTracker::queue(const std::string& name) {
  std::vector<wire::QueueStatus> queues;
  calls_->client([&](auto& client) { client.queues(queues, name, 0); });
  return list_from_wire(queues);
}

std::vector<TrackerView> JobTracker::trackers() {
  return all_by_name<wire::TrackerStatus, wire::TrackerFilter>(
      *calls_,
      [](auto& client, auto& page, const auto& filter) { client.find_trackers(page, filter); });
}

PolicyView JobTracker::policy() {
  wire::PolicyInfo policy;
  calls_->admin([&](auto& admin) { admin.policy(policy); });
  return from_wire(policy);
}

ServerView JobTracker::server() {
  wire::ServerInfo server;
  calls_->admin([&](auto& admin) { admin.info(server); });
  return from_wire(server);
}

SettingsDiffView JobTracker::diff(const NamedSettings& settings) {
  wire::SettingsFile file;
  file.name = settings.name;
  file.text = settings.text;
  wire::SettingsDiff diff;
  calls_->admin([&](auto& admin) { admin.diff_settings(diff, file); });
  return from_wire(diff);
}

std::string JobTracker::settings_text() {
  std::string text;
  calls_->admin([&](auto& admin) { admin.settings_text(text); });
  return text;
}

std::string JobTracker::settings_of(std::int64_t number) {
  std::string text;
  calls_->admin([&](auto& admin) { admin.settings_of(text, number); });
  return text;
}

std::vector<SettingsRecordView> JobTracker::settings_history() {
  std::vector<wire::SettingsRecord> records;
  calls_->admin([&](auto& admin) { admin.settings_history(records); });
  return list_from_wire(records);
}

SettingsFileView JobTracker::followed_file() {
  wire::FollowedFile file;
  calls_->admin([&](auto& admin) { admin.followed_file(file); });
  return from_wire(file);
}

std::vector<SettingView> JobTracker::settings_in_force() {
  std::vector<wire::Setting> settings;
  calls_->admin([&](auto& admin) { admin.settings_in_force(settings); });
  return list_from_wire(settings);
}

}  // namespace weir::cli
