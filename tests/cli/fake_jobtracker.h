// A JobTracker of a few jobs and queues behind a real Thrift port, for tests of commands from their
// arguments to their exit code. Handlers are the generated synchronous ones; what a test wants
// answered it puts into the public fields, what was asked it finds in `asked`. Fields are set
// before the command runs, or under `mutex`.
#pragma once

#include <thrift/processor/TMultiplexedProcessor.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/server/TThreadedServer.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TServerSocket.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "AdminService.h"
#include "ClientService.h"
#include "cli/run_weir.h"
#include "jobqueue/model/ids.h"

namespace weir::cli {

inline wire::WeirError refusal(wire::ErrorCode::type code, const std::string& message,
                               const std::string& hint = "") {
  wire::WeirError error;
  error.code = code;
  error.message = message;
  if (!hint.empty()) error.__set_hint(hint);
  return error;
}

inline wire::TaskCounts task_counts(int total, int succeeded = 0, int running = 0) {
  wire::TaskCounts counts;
  counts.total = total;
  counts.succeeded = succeeded;
  counts.running = running;
  counts.pending = total - succeeded - running;
  counts.failed_attempts = counts.killed_attempts = 0;
  return counts;
}

inline wire::JobStatus job_status(int number, const std::string& state, int maps = 10,
                                  int maps_done = 0) {
  wire::JobStatus job;
  job.job = number;
  job.job_name = job_name(JobId(static_cast<std::size_t>(number)));
  job.name = "count";
  job.user = "alice";
  job.queue = "research";
  job.priority = "NORMAL";
  job.state = state;
  job.maps = task_counts(maps, maps_done, state == "RUNNING" ? 1 : 0);
  job.reduces = task_counts(2, state == "SUCCEEDED" ? 2 : 0);
  job.map_progress_millionths = maps_done * 1'000'000 / maps;
  job.reduce_progress_millionths = state == "SUCCEEDED" ? 1'000'000 : 0;
  job.submitted_at_ms = 1'700'000'000'000;
  if (state != "WAITING") job.__set_started_at_ms(1'700'000'001'000);
  if (state == "SUCCEEDED" || state == "FAILED") job.__set_finished_at_ms(1'700'000'061'000);
  job.output = "/data/out";
  return job;
}

inline wire::SlotFigures slot_figures(int guaranteed, int allocated, int running, int pending) {
  wire::SlotFigures figures;
  figures.guaranteed = guaranteed;
  figures.allocated = allocated;
  figures.running = running;
  figures.pending = pending;
  figures.__set_lends(0);  // under a policy with guarantees
  figures.__set_borrows(0);
  return figures;
}

inline wire::QueueStatus queue_status(const std::string& name) {
  wire::QueueStatus queue;
  queue.name = name;
  queue.leaf = true;
  queue.state = "RUNNING";
  queue.maps = slot_figures(6, 8, 7, 12);
  queue.reduces = slot_figures(4, 2, 1, 3);
  queue.jobs_waiting = queue.jobs_running = 1;
  queue.jobs_succeeded = queue.jobs_failed = queue.jobs_killed = 0;
  queue.guaranteed = "60%";
  return queue;
}

class FakeJobTracker : public wire::ClientServiceNull, public wire::AdminServiceNull {
 public:
  FakeJobTracker() {
    using namespace apache::thrift;
    const auto self = std::shared_ptr<FakeJobTracker>(this, [](FakeJobTracker*) {});
    auto processor = std::make_shared<TMultiplexedProcessor>();
    processor->registerProcessor("client", std::make_shared<wire::ClientServiceProcessor>(self));
    processor->registerProcessor("admin", std::make_shared<wire::AdminServiceProcessor>(self));
    socket_ = std::make_shared<transport::TServerSocket>("127.0.0.1", 0);
    server_ = std::make_unique<server::TThreadedServer>(
        processor, socket_, std::make_shared<transport::TFramedTransportFactory>(),
        std::make_shared<protocol::TBinaryProtocolFactory>());
    struct Listening : server::TServerEventHandler {
      void preServe() override { up.set_value(); }
      std::promise<void> up;
    };
    auto listening = std::make_shared<Listening>();
    server_->setServerEventHandler(listening);
    thread_ = std::thread([this] { server_->serve(); });
    listening->up.get_future().wait();
  }
  ~FakeJobTracker() override {
    server_->stop();
    thread_.join();
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(socket_->getPort()); }

  // All from the one after that which `is_last` finds, cut after `page_size`.
  template <class Record, class IsLast>
  std::vector<Record> page(const std::vector<Record>& all, IsLast is_last) const {
    auto from = std::find_if(all.begin(), all.end(), is_last);
    from = from == all.end() ? all.begin() : from + 1;
    const auto left = static_cast<std::size_t>(all.end() - from);
    std::vector<Record> out(from, from + static_cast<std::ptrdiff_t>(std::min(left, page_size)));
    if (left > page_size) out.back().__set_more(true);
    return out;
  }

  // --- What it answers ---
  std::size_t page_size = SIZE_MAX;
  std::mutex mutex;
  std::optional<wire::WeirError> refuse;  // every call
  std::map<std::string, wire::WeirError> refuse_call;  // the one that is asked like this
  std::vector<std::string> warnings;  // of each submission
  int lost_answers = 0;  // of so many submissions: taken, but the caller hears nothing
  int busy_answers = 0;  // so many submissions are put off
  std::vector<std::string> submissions;  // the ids of all that came
  std::deque<wire::JobStatus> statuses;  // of successive job_status calls; the last one stays
  std::vector<wire::JobStatus> jobs;
  std::vector<wire::QueueStatus> queue_list;
  std::vector<wire::TrackerStatus> tracker_list;
  std::vector<wire::PolicyOutlook> outlooks;
  wire::SettingsDiff settings_diff;
  std::map<std::int64_t, std::string> settings_texts;
  std::vector<wire::SettingsRecord> settings_records;
  std::vector<wire::Setting> settings_list;
  std::int64_t server_now_ms = 1'700'000'001'000;
  std::string web;  // where the HTTP port listens; empty: there is none
  std::vector<wire::AttemptInfo> attempt_list;
  std::optional<wire::AskedJob> submission;
  wire::FollowedFile settings_file;
  std::function<void()> on_status;
  // --- What it was asked ---
  std::vector<std::string> asked;
  wire::SubmitRequest submitted;
  std::vector<std::size_t> chunks;
  std::string submission_for;
  wire::Caller last_caller;

  void submit(wire::SubmitReply& reply, const wire::SubmitRequest& request) override {
    note("submit");
    submitted = request;
    submissions.push_back(request.submission);
    if (busy_answers-- > 0) throw refusal(wire::ErrorCode::BUSY, "many requests wait");
    if (lost_answers-- > 0) throw std::runtime_error("lost");
    reply.job = 7;
    reply.job_name = "job_0007";
    reply.queue = request.spec.queue;
    reply.version = 41;
    if (!warnings.empty()) reply.__set_warnings(warnings);
  }
  void begin_upload(std::string& upload, const wire::Caller&) override {
    note("begin_upload");
    upload = "u1";
  }
  void append_splits(const std::string&, const std::vector<wire::Split>& splits) override {
    note("append_splits");
    chunks.push_back(splits.size());
  }
  void job_status(wire::JobStatus& reply, const std::int64_t job,
                  const std::int64_t version) override {
    note("job_status " + std::to_string(job) + " " + std::to_string(version));
    if (on_status) on_status();
    if (statuses.empty()) throw refusal(wire::ErrorCode::UNKNOWN_JOB, "there is no such job");
    reply = statuses.front();
    if (statuses.size() > 1) statuses.pop_front();
  }
  void list_jobs(std::vector<wire::JobStatus>& reply, const std::string& queue,
                 const std::string& user, const bool unfinished, const std::int32_t limit,
                 const std::int64_t) override {
    note("list_jobs " + queue + "," + user + "," + (unfinished ? "unfinished" : "all") + "," +
         std::to_string(limit));
    reply = jobs;
  }
  void find_jobs(std::vector<wire::JobStatus>& reply, const wire::JobFilter& filter) override {
    std::string states;
    for (const std::string& state : filter.states) states += (states.empty() ? "" : "|") + state;
    note("find_jobs " + filter.queue + "," + filter.user + "," + filter.name + "," + states + "," +
         (filter.unfinished_only ? "unfinished" : "all") + "," + std::to_string(filter.limit));
    reply = page(jobs, [&](const auto& job) { return job.job == filter.before_job; });
  }
  void list_history(std::vector<wire::JobStatus>& reply,
                    const wire::HistoryFilter& filter) override {
    std::string states;
    for (const std::string& state : filter.states) states += (states.empty() ? "" : "|") + state;
    note("list_history " + filter.queue + "," + filter.user + "," + filter.name + "," + states +
         "," + std::to_string(filter.since_ms) + "," + std::to_string(filter.before_ms) + "," +
         std::to_string(filter.limit));
    reply = page(jobs, [&](const auto& job) { return job.job == filter.before_job; });
  }
  void job_submission(wire::AskedJob& reply, const std::string& user,
                      const std::int64_t job) override {
    if (!submission) throw refusal(wire::ErrorCode::UNKNOWN_JOB, "it is not kept any more");
    reply = *submission;
    reply.job = job;
    submission_for = user;
  }
  void followed_file(wire::FollowedFile& reply) override {
    reply = settings_file;
  }
  void attempts(std::vector<wire::AttemptInfo>& reply, const std::int64_t) override {
    note("attempts");
    reply = attempt_list;
  }
  void explain(wire::JobExplanation& reply, const std::int64_t job) override {
    note("explain");
    reply.status = statuses.empty() ? weir::cli::job_status(static_cast<int>(job), "WAITING")
                                    : statuses.front();
    wire::Reason reason;
    reason.code = "QUEUE_AT_LIMIT";
    reason.message = "queue research runs 8 of 8 slots";
    reason.__set_numbers({{"have", 8}});
    reply.reasons.push_back(reason);
  }
  void kill_job(wire::Done& done, const wire::Caller& caller, const std::int64_t job) override {
    change(done, caller, "kill_job " + std::to_string(job));
  }
  void set_priority(wire::Done& done, const wire::Caller& caller, const std::int64_t job,
                    const std::string& priority) override {
    change(done, caller, "set_priority " + std::to_string(job) + " " + priority);
  }
  void move_job(wire::Done& done, const wire::Caller& caller, const std::int64_t job,
                const std::string& queue) override {
    change(done, caller, "move_job " + std::to_string(job) + " " + queue);
  }
  void release_job(wire::Done& done, const wire::Caller& caller, const std::int64_t job) override {
    change(done, caller, "release_job " + std::to_string(job));
  }
  void queues(std::vector<wire::QueueStatus>& reply, const std::string& name,
              const std::int64_t) override {
    note("queues " + name);
    reply = queue_list;
  }
  void trackers(std::vector<wire::TrackerStatus>& reply) override {
    note("trackers");
    reply = tracker_list;
  }
  void find_queues(std::vector<wire::QueueStatus>& reply,
                   const wire::QueueFilter& filter) override {
    note("queues " + filter.after);
    reply = page(queue_list, [&](const auto& q) { return q.name == filter.after; });
  }
  void find_trackers(std::vector<wire::TrackerStatus>& reply,
                     const wire::TrackerFilter& filter) override {
    note("trackers" + (filter.after.empty() ? "" : " " + filter.after));
    reply = page(tracker_list, [&](const auto& t) { return t.name == filter.after; });
  }
  void set_queue_state(wire::Done& done, const wire::Caller& caller, const std::string& queue,
                       const bool running) override {
    change(done, caller, "set_queue_state " + queue + (running ? " running" : " stopped"));
  }
  void policy(wire::PolicyInfo& reply) override {
    note("policy");
    reply.current = "capacity";
    reply.available = {"capacity", "fifo"};
    reply.since_ms = 1'700'000'000'000;
    if (!outlooks.empty()) reply.__set_outlooks(outlooks);
  }
  void set_policy(wire::Done& done, const wire::Caller& caller, const std::string& name) override {
    change(done, caller, "set_policy " + name);
  }
  void apply_settings(wire::Done& done, const wire::Caller& caller,
                      const wire::SettingsFile& file) override {
    const std::string replaces =
        file.__isset.replaces ? "replaces " + std::to_string(file.replaces) : "";
    change(done, caller, "apply_settings " + file.text + replaces);
  }
  void diff_settings(wire::SettingsDiff& diff, const wire::SettingsFile& file) override {
    note("diff_settings " + file.text);
    diff = settings_diff;
    diff.changes = {"heartbeat.expiry: 10m -> 5m"};
  }
  void settings_text(std::string& text) override {
    note("settings_text");
    text = settings_texts[0];
  }
  void settings_of(std::string& text, const std::int64_t number) override {
    note("settings_of " + std::to_string(number));
    text = settings_texts[number];
  }
  void settings_history(std::vector<wire::SettingsRecord>& records) override {
    note("settings_history");
    records = settings_records;
  }
  void settings_in_force(std::vector<wire::Setting>& settings) override {
    note("settings_in_force");
    settings = settings_list;
  }
  void info(wire::ServerInfo& reply) override {
    note("info");
    reply.version = "0.1.0";
    reply.store = "sqlite";
    reply.started_at_ms = 1'700'000'000'000;
    reply.now_ms = server_now_ms;
    reply.trackers = 3;
    reply.jobs_unfinished = 0;
    reply.frames_refused = 2;
    reply.tracker_port = 9091;
    reply.client_port = 9090;
    if (!web.empty()) reply.__set_http(web);
  }

 private:
  void note(const std::string& what) {
    const std::lock_guard lock(mutex);
    asked.push_back(what);
    if (refuse) throw *refuse;
    if (const auto found = refuse_call.find(what); found != refuse_call.end()) throw found->second;
  }
  void change(wire::Done& done, const wire::Caller& caller, const std::string& what) {
    note(what);
    last_caller = caller;
    done.version = 42;
  }

  std::shared_ptr<apache::thrift::transport::TServerSocket> socket_;
  std::unique_ptr<apache::thrift::server::TThreadedServer> server_;
  std::thread thread_;
};

}  // namespace weir::cli
