// The JobTracker over real sockets: a whole job, what is refused and how, restarts, and garbage on
// its ports.
#include <gtest/gtest.h>

#include <boost/asio.hpp>

#include "harness.h"
#include "jobqueue/store/sqlite_store.h"
#include "thrift/convert.h"

namespace weir {
namespace {

std::unique_ptr<Store> open_disk(const std::string& path) {
  auto store = open_sqlite_store(path, SpecCodec{encode_job_spec, decode_job_spec});
  if (!store) ADD_FAILURE() << store.error().message;
  return std::move(*store);
}

class ServicesTest : public ::testing::Test {
 protected:
  void SetUp() override { start(memory_store()); }
  void start(std::unique_ptr<Store> store) {
    client_.reset();
    tracker_.reset();
    tracker_ = start_tracker(std::move(store));
    const auto connection = connect(tracker_->client_port());
    client_ =
        std::make_unique<ClientCalls>(connection->client<wire::ClientServiceClient>("client"));
    admin_ = std::make_unique<AdminCalls>(connection->client<wire::AdminServiceClient>("admin"));
  }

  wire::SubmitReply submit(const wire::SubmitRequest& request) {
    return client_->call([&](auto& c) {
      wire::SubmitReply reply;
      c.submit(reply, request);
      return reply;
    });
  }
  template <class Function>
  wire::WeirError refusal(Function function) {
    try {
      function();
    } catch (const wire::WeirError& error) {
      return error;
    }
    ADD_FAILURE() << "was not refused";
    return {};
  }

  TempDir dir_;
  std::unique_ptr<JobTracker> tracker_;
  std::unique_ptr<ClientCalls> client_;
  std::unique_ptr<AdminCalls> admin_;
};

TEST_F(ServicesTest, WhatAJobWasSubmittedWithIsToldWholeToItsUserAlone) {
  wire::SubmitRequest request = make_request(5, 0, "/out/a");
  request.spec.__set_environment({{"TOKEN", "t"}, {"LANG", "C"}});
  wire::JobFile file;
  file.name = "map.py";
  file.content = "print";
  request.spec.__set_files({file});
  const wire::SubmitReply job = submit(request);
  const auto told = [&](const std::string& user) {
    return client_->call([&](auto& c) {
      wire::AskedJob asked;
      c.job_submission(asked, user, job.job);
      return asked;
    });
  };
  const wire::AskedJob whole = told(request.caller.user);
  EXPECT_EQ(whole.spec.environment.at("TOKEN"), "t");
  EXPECT_EQ(whole.spec.files.at(0).content, "print");
  EXPECT_EQ(whole.maps, 5);
  EXPECT_EQ(whole.address, "127.0.0.1");
  EXPECT_TRUE(whole.masked.empty());
  for (const char* user : {"", "eve"}) {
    const wire::AskedJob seen = told(user);
    EXPECT_EQ(seen.spec.environment.at("TOKEN"), "***");
    EXPECT_EQ(seen.spec.environment.at("LANG"), "C");
    EXPECT_EQ(seen.masked, std::vector<std::string>{"environment.TOKEN"});
    EXPECT_EQ(seen.spec.files.at(0).content, "");
    EXPECT_EQ(seen.left_out.at(0), 5);
  }
  EXPECT_EQ(refusal([&] {
              client_->call([](auto& c) {
                wire::AskedJob asked;
                c.job_submission(asked, "", 999);
                return asked;
              });
            }).code,
            wire::ErrorCode::UNKNOWN_JOB);
}

TEST_F(ServicesTest, RunsAJobToItsEnd) {
  FakeTracker worker(tracker_->tracker_port(), "tt1");
  worker.join();
  const wire::SubmitReply job = submit(make_request(5, 2, "/out/a"));
  EXPECT_EQ(job.job_name, "job_0001");
  EXPECT_EQ(job.queue, "default");
  EXPECT_EQ(status_of(*client_, job.job, job.version).maps.total, 5);
  const wire::JobStatus end = worker.run(*client_, job.job);
  EXPECT_EQ(end.state, "SUCCEEDED");
  EXPECT_EQ(end.maps.succeeded, 5);
  EXPECT_EQ(end.reduces.succeeded, 2);
  EXPECT_EQ(end.map_progress_millionths, 1'000'000);
  std::vector<wire::AttemptInfo> attempts;
  client_->call([&](auto& c) { c.attempts(attempts, job.job); });
  ASSERT_EQ(attempts.size(), 7u);
  EXPECT_EQ(attempts[0].state, "SUCCEEDED");
  EXPECT_EQ(attempts[0].tracker, "tt1");
  EXPECT_EQ(attempts[0].log_port, 4000);
}

TEST_F(ServicesTest, ASubmissionIsToldWhatOfItHasNoEffect) {
  wire::Caller root;
  root.user = "root";
  wire::SettingsFile settings;
  settings.name = "weir.yaml";
  settings.text =
      "policy: fifo\nfair: {pool_name_property: mapred.my.pool}\nqueues: [{name: default}]\n";
  wire::Done done;
  admin_->call([&](auto& c) { c.apply_settings(done, root, settings); });
  auto request = make_request(1, 1, "/out/a");
  request.spec.__set_conf({{"mapred.reduce.tasks", "4"}, {"mapred.my.pool", "a"}, {"own", "1"}});
  const wire::SubmitReply job = submit(request);
  ASSERT_EQ(job.warnings.size(), 1u);
  EXPECT_EQ(job.warnings[0],
            "setting mapred.reduce.tasks has no effect here but in the environment of the tasks: "
            "say --reduces");
  JobSpec application;
  application.name = "app";
  application.queue = "default";
  application.reduces = 0;
  application.task_groups = {{.name = "b", .command = "true", .replace = true}};
  request.spec = to_wire(application);
  EXPECT_EQ(submit(request).warnings,
            (std::vector<std::string>{
                "group b: on_member: replace has no effect: the group has no gang",
                "the cluster schedules slots, and applications ask for containers: it waits until "
                "an administrator sets `resources: containers`"}));
}

TEST_F(ServicesTest, ASubmissionIsToldWhatOfItsInputIsNotUnpacked) {
  auto request = make_request(1, 0, "/out/a");
  request.spec.input_files = {"/in/a.gz", "/in/b.lz4"};
  EXPECT_EQ(submit(request).warnings,
            std::vector<std::string>{"input /in/b.lz4 looks compressed in a way that is not read: "
                                     "the mapper gets raw bytes; .gz, .zst, .bz2 are unpacked"});
}

TEST_F(ServicesTest, MapOnlyJobAndPlainServiceName) {
  FakeTracker worker(tracker_->tracker_port(), "tt1");
  worker.join();
  auto plain = connect(tracker_->client_port())->client<wire::ClientServiceClient>();
  const auto job = submit(make_request(3, 0, "/out/a"));
  EXPECT_EQ(worker.run(plain, job.job).state, "SUCCEEDED");
}

TEST_F(ServicesTest, EveryVersionShowsWhatItsReplyTold) {
  for (int i = 0; i < 50; ++i) {
    const auto job = submit(make_request(1, 0, "/out/" + std::to_string(i)));
    EXPECT_EQ(status_of(*client_, job.job, job.version).job, job.job);
  }
  std::vector<wire::JobStatus> jobs;
  client_->call([&](auto& c) { c.list_jobs(jobs, "", "alice", true, 7, 0); });
  ASSERT_EQ(jobs.size(), 7u);
  EXPECT_EQ(jobs.front().job, 50);
  client_->call([&](auto& c) { c.list_jobs(jobs, "small", "", false, 0, 0); });
  EXPECT_TRUE(jobs.empty());
}

TEST_F(ServicesTest, WhatWaitsSaysWhyAlsoInLists) {
  const auto job = submit(make_request(5, 1, "/out/a"));
  std::vector<wire::JobStatus> jobs;
  client_->call([&](auto& c) { c.list_jobs(jobs, "", "", true, 0, job.version); });
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].state, "PENDING");
  EXPECT_EQ(jobs[0].reason, "no tracker is connected");
  EXPECT_FALSE(jobs[0].__isset.pool);
  std::vector<wire::QueueStatus> queues;
  client_->call([&](auto& c) { c.queues(queues, "default", 0); });
  EXPECT_EQ(queues.at(0).maps.pending, 5);  // although nothing could run it

  FakeTracker worker(tracker_->tracker_port(), "tt1");
  worker.join();
  EXPECT_EQ(worker.run(*client_, job.job).state, "SUCCEEDED");
  client_->call([&](auto& c) { c.list_jobs(jobs, "", "", false, 0, 0); });
  EXPECT_FALSE(jobs.at(0).__isset.reason);
}

// Of jobs that were there before the switch, too.
TEST_F(ServicesTest, UnderAPolicyWithPoolsJobsSayTheirs) {
  const auto job = submit(make_request(5, 1, "/out/a"));
  wire::Caller root;
  root.user = "root";
  wire::Done done;
  const auto rule = [&](const char* policy) {
    admin_->call([&](auto& c) { c.set_policy(done, root, policy); });
    return status_of(*client_, job.job, done.version);
  };
  EXPECT_EQ(rule("fair").pool, "default");
  std::vector<wire::QueueStatus> queues;
  client_->call([&](auto& c) { c.queues(queues, "default", 0); });
  EXPECT_TRUE(queues.at(0).maps.__isset.share_thousandths);
  EXPECT_FALSE(queues.at(0).maps.__isset.lends);
  EXPECT_FALSE(rule("fifo").__isset.pool);
}

TEST_F(ServicesTest, JobsAreFoundByNameAndState) {
  for (int i = 0; i < 4; ++i) {
    auto request = make_request(1, 0, "/out/" + std::to_string(i));
    request.spec.name = i < 2 ? "etl-" + std::to_string(i) : "other";
    submit(request);
  }
  wire::Caller alice;
  alice.user = "alice";
  wire::Done done;
  client_->call([&](auto& c) { c.kill_job(done, alice, 2); });
  const auto found = [&](const std::string& name, const std::vector<std::string>& states) {
    wire::JobFilter filter;
    filter.__set_min_version(done.version);
    filter.__set_name(name);
    filter.__set_states(states);
    std::vector<wire::JobStatus> jobs;
    client_->call([&](auto& c) { c.find_jobs(jobs, filter); });
    std::vector<std::int64_t> numbers;
    for (const auto& job : jobs) numbers.push_back(job.job);
    return numbers;
  };
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(found("etl-*", {}), (Numbers{2, 1}));
  EXPECT_EQ(found("etl-*", {"PENDING", "RUNNING"}), (Numbers{1}));
  EXPECT_EQ(found("", {"KILLED"}), (Numbers{2}));
  EXPECT_EQ(found("", {"WAITING"}), (Numbers{}));
  const auto wrong = refusal([&] { found("", {"HAPPY"}); });
  EXPECT_EQ(wrong.code, wire::ErrorCode::BAD_REQUEST);
  EXPECT_NE(wrong.hint.find("WAITING, PENDING"), std::string::npos);
  EXPECT_EQ(refusal([&] { found(std::string(257, '*'), {}); }).code, wire::ErrorCode::BAD_REQUEST);
}

TEST_F(ServicesTest, AHeldJobIsShownAsHeldUntilItIsReleased) {
  auto request = make_request(1, 0, "/out/a");
  request.spec.__set_hold(true);
  request.spec.__set_time_limit_ms(60'000);
  const auto job = submit(request);
  const wire::JobStatus held = status_of(*client_, job.job, job.version);
  EXPECT_EQ(held.state, "HELD");
  EXPECT_EQ(held.time_limit_ms, 60'000);
  EXPECT_FALSE(held.__isset.deadline_ms);
  wire::JobExplanation why;
  client_->call([&](auto& c) { c.explain(why, job.job); });
  ASSERT_EQ(why.reasons.size(), 1u);
  EXPECT_EQ(why.reasons[0].code, "held");
  std::vector<wire::JobStatus> jobs;
  client_->call([&](auto& c) { c.list_jobs(jobs, "", "", true, 0, 0); });
  EXPECT_EQ(jobs.size(), 1u);  // it is unfinished
  wire::Caller alice;
  alice.user = "alice";
  wire::Done done;
  client_->call([&](auto& c) { c.release_job(done, alice, job.job); });
  EXPECT_EQ(status_of(*client_, job.job, done.version).state, "PENDING");
  EXPECT_EQ(
      refusal([&] { client_->call([&](auto& c) { c.release_job(done, alice, job.job); }); }).code,
      wire::ErrorCode::BAD_REQUEST);
}

TEST_F(ServicesTest, CommandsAndTheirRefusals) {
  const auto job = submit(make_request(4, 1, "/out/a"));
  wire::Caller alice, mallory;
  alice.user = "alice";
  mallory.user = "mallory";
  wire::Done done;
  client_->call([&](auto& c) { c.set_priority(done, alice, job.job, "VERY_HIGH"); });
  EXPECT_EQ(status_of(*client_, job.job, done.version).priority, "VERY_HIGH");

  auto code = [&](auto function) { return refusal([&] { client_->call(function); }).code; };
  EXPECT_EQ(code([&](auto& c) { c.kill_job(done, mallory, 1); }), wire::ErrorCode::NOT_PERMITTED);
  EXPECT_EQ(code([&](auto& c) { c.kill_job(done, alice, 99); }), wire::ErrorCode::UNKNOWN_JOB);
  EXPECT_EQ(code([&](auto& c) { c.kill_job(done, alice, -1); }), wire::ErrorCode::BAD_REQUEST);
  EXPECT_EQ(code([&](auto& c) { c.set_priority(done, alice, 1, "x"); }),
            wire::ErrorCode::BAD_REQUEST);
  EXPECT_EQ(code([&](auto& c) { c.move_job(done, alice, 1, "nowhere"); }),
            wire::ErrorCode::UNKNOWN_QUEUE);
  EXPECT_EQ(code([&](auto& c) { c.move_job(done, alice, 1, "small"); }),
            wire::ErrorCode::NOT_PERMITTED);
  EXPECT_EQ(refusal([&] { submit(make_request(1, 0, "/out/a")); }).code,
            wire::ErrorCode::OUTPUT_IN_USE);
  auto request = make_request(1, 0, "/out/b");
  request.spec.queue = "smal";
  EXPECT_EQ(refusal([&] { submit(request); }).code, wire::ErrorCode::UNKNOWN_QUEUE);

  client_->call([&](auto& c) { c.kill_job(done, alice, job.job); });
  EXPECT_EQ(status_of(*client_, job.job, done.version).state, "KILLED");
  wire::JobExplanation explanation;
  client_->call([&](auto& c) { c.explain(explanation, job.job); });
  EXPECT_EQ(explanation.status.job, job.job);
}

TEST_F(ServicesTest, ExplainSaysThatThereIsNoTracker) {
  const auto job = submit(make_request(4, 1, "/out/a"));
  wire::JobExplanation explanation;
  client_->call([&](auto& c) { c.explain(explanation, job.job); });
  ASSERT_FALSE(explanation.reasons.empty());
  EXPECT_EQ(explanation.reasons[0].code, "no_trackers");
}

TEST_F(ServicesTest, UploadsCarryTheSplits) {
  wire::Caller alice;
  alice.user = "alice";
  std::string upload;
  client_->call([&](auto& c) { c.begin_upload(upload, alice); });
  auto request = make_request(3, 0, "/out/a");
  client_->call([&](auto& c) { c.append_splits(upload, request.spec.splits); });
  client_->call([&](auto& c) { c.append_splits(upload, request.spec.splits); });
  request.spec.splits.clear();
  request.__set_upload(upload);
  const auto job = submit(request);
  EXPECT_EQ(status_of(*client_, job.job, job.version).maps.total, 6);
  EXPECT_EQ(refusal([&] { submit(request); }).code, wire::ErrorCode::BAD_REQUEST);
}

TEST_F(ServicesTest, AdministratorsSteer) {
  wire::Caller root;
  root.user = "root";
  wire::Done done;
  admin_->call([&](auto& c) { c.set_queue_state(done, root, "default", false); });
  EXPECT_EQ(refusal([&] { submit(make_request(1, 0, "/out/a")); }).code,
            wire::ErrorCode::QUEUE_STOPPED);
  std::vector<wire::QueueStatus> queues;
  client_->call([&](auto& c) { c.queues(queues, "default", done.version); });
  ASSERT_EQ(queues.size(), 1u);
  EXPECT_EQ(queues[0].state, "STOPPED");
  EXPECT_EQ(queues[0].guaranteed, "60%");

  EXPECT_EQ(
      refusal([&] { admin_->call([&](auto& c) { c.set_policy(done, root, "lottery"); }); }).code,
      wire::ErrorCode::UNKNOWN_POLICY);
  admin_->call([&](auto& c) { c.set_policy(done, root, "capacity"); });
  client_->call([&](auto& c) { c.queues(queues, "", done.version); });
  wire::PolicyInfo policy;
  admin_->call([&](auto& c) { c.policy(policy); });
  EXPECT_EQ(policy.current, "capacity");
  ASSERT_EQ(policy.outlooks.size(), policy.available.size());
  EXPECT_EQ(policy.outlooks[0].policy, "capacity");
  EXPECT_EQ(policy.outlooks[0].shares.at(0).name, "default");
  EXPECT_TRUE(policy.outlooks[0].shares[0].maps.__isset.guaranteed);

  wire::SettingsFile bad;
  bad.name = "bad.yaml";
  bad.text = "policy: fifo\nqueus: []\nheartbeat: {expiry: soon}\n";
  const auto refused =
      refusal([&] { admin_->call([&](auto& c) { c.apply_settings(done, root, bad); }); });
  EXPECT_EQ(refused.code, wire::ErrorCode::SETTINGS_REFUSED);
  EXPECT_GE(refused.diagnostics.size(), 2u);

  wire::SettingsFile good;
  good.name = "good.yaml";
  good.text = "policy: fifo\nqueues: [{name: default}, {name: other}]\n";
  wire::SettingsDiff diff;
  admin_->call([&](auto& c) { c.diff_settings(diff, good); });
  std::map<std::string, std::string> changes;
  for (const auto& queue : diff.queues) changes[queue.queue] = queue.change;
  EXPECT_EQ(changes["other"], "added");
  EXPECT_EQ(changes["small"], "removed");
  admin_->call([&](auto& c) { c.apply_settings(done, root, good); });
  client_->call([&](auto& c) { c.queues(queues, "", done.version); });
  EXPECT_EQ(queues.size(), 2u);
  std::string text;
  admin_->call([&](auto& c) { c.settings_text(text); });
  EXPECT_EQ(text, good.text);
  good.text = "policy: capacity\nqueues: [{name: default}]\n";
  admin_->call([&](auto& c) { c.set_policy(done, root, "fifo"); });
  admin_->call([&](auto& c) { c.apply_settings(done, root, good); });
  admin_->call([&](auto& c) { c.policy(policy); });
  EXPECT_EQ(policy.current, "capacity");
  wire::ServerInfo info;
  admin_->call([&](auto& c) { c.info(info); });
  EXPECT_EQ(info.tracker_port, tracker_->tracker_port());
}

TEST_F(ServicesTest, RestartKeepsJobsAndFinishesThem) {
  const std::string path = dir_.file("weir.db");
  start(open_disk(path));
  FakeTracker before(tracker_->tracker_port(), "tt1");
  before.join();
  const auto done = submit(make_request(2, 1, "/out/a"));
  EXPECT_EQ(before.run(*client_, done.job).state, "SUCCEEDED");
  const auto open = submit(make_request(3, 1, "/out/b"));
  tracker_.reset();
  start(open_disk(path));
  EXPECT_EQ(status_of(*client_, done.job).state, "SUCCEEDED");
  EXPECT_EQ(status_of(*client_, open.job, open.version).state, "PENDING");
  FakeTracker after(tracker_->tracker_port(), "tt1");
  after.join();
  EXPECT_EQ(after.run(*client_, open.job).state, "SUCCEEDED");
  EXPECT_GT(submit(make_request(1, 0, "/out/c")).job, open.job);
}

TEST_F(ServicesTest, ASubmissionAskedForAgainIsTheSameJobAlsoAfterARestart) {
  const std::string path = dir_.file("weir.db");
  start(open_disk(path));
  auto request = make_request(1, 0, "/out/a");
  request.__set_submission("5eed");
  const auto first = submit(request);
  EXPECT_EQ(submit(request).job, first.job);
  tracker_.reset();
  start(open_disk(path));
  const auto again = submit(request);
  EXPECT_EQ(again.job, first.job);
  EXPECT_EQ(again.queue, "default");
  EXPECT_EQ(status_of(*client_, again.job, again.version).output, "/out/a");
  request.__set_submission(std::string(129, 'x'));
  EXPECT_EQ(refusal([&] { submit(request); }).code, wire::ErrorCode::BAD_REQUEST);
}

TEST_F(ServicesTest, UnregisteredTrackersAreToldSo) {
  FakeTracker stranger(tracker_->tracker_port(), "tt7");
  EXPECT_EQ(refusal([&] { stranger.beat(); }).code, wire::ErrorCode::UNKNOWN_TRACKER);
  stranger.join();
  stranger.beat();
  std::vector<wire::TrackerStatus> trackers;
  client_->call(
      [&](auto& c) { c.queues(*std::make_unique<std::vector<wire::QueueStatus>>(), "", 0); });
  for (int i = 0; i < 30'000 && trackers.empty(); ++i) {
    client_->call([&](auto& c) { c.trackers(trackers); });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ASSERT_EQ(trackers.size(), 1u);
  EXPECT_EQ(trackers[0].name, "tt7");
  EXPECT_EQ(trackers[0].state, "LIVE");
  EXPECT_GE(trackers[0].last_heartbeat_ms_ago, 0);
}

// After a restart: awaited until it is heard of, and there once it has registered.
TEST_F(ServicesTest, ATrackerThatReportsIsNotAwaitedAnyMore) {
  const std::string path = dir_.file("weir.db");
  start(open_disk(path));
  FakeTracker first_life(tracker_->tracker_port(), "tt1");
  first_life.join();
  first_life.beat();
  tracker_.reset();
  start(open_disk(path));
  const auto state_is = [&](const std::string& wanted) {
    std::vector<wire::TrackerStatus> trackers;
    for (int i = 0; i < 30'000; ++i) {
      client_->call([&](auto& c) { c.trackers(trackers); });
      if (trackers.size() == 1 && trackers[0].state == wanted) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  };
  EXPECT_TRUE(state_is("AWAITED"));
  FakeTracker back(tracker_->tracker_port(), "tt1");
  EXPECT_EQ(refusal([&] { back.beat(); }).code, wire::ErrorCode::UNKNOWN_TRACKER);
  EXPECT_TRUE(state_is("RETURNING"));
  back.join();
  EXPECT_TRUE(state_is("LIVE"));
}

TEST_F(ServicesTest, GarbageDoesNotDisturbAJob) {
  FakeTracker worker(tracker_->tracker_port(), "tt1");
  worker.join();
  boost::asio::io_context io;
  std::vector<std::unique_ptr<boost::asio::ip::tcp::socket>> sockets;
  const auto job = submit(make_request(20, 3, "/out/a"));
  for (int i = 0; i < 40; ++i) {
    const int port = i % 2 == 0 ? tracker_->tracker_port() : tracker_->client_port();
    auto socket = std::make_unique<boost::asio::ip::tcp::socket>(io);
    boost::system::error_code ignored;
    socket->connect({boost::asio::ip::make_address("127.0.0.1"), static_cast<std::uint16_t>(port)},
                    ignored);
    const std::string garbage = i % 4 < 2 ? std::string("GET / HTTP/1.1\r\n\r\n")
                                          : std::string("\0\0\0\x20\x80\x01", 6);  // half-open
    boost::asio::write(*socket, boost::asio::buffer(garbage), ignored);
    sockets.push_back(std::move(socket));
  }
  EXPECT_EQ(worker.run(*client_, job.job).state, "SUCCEEDED");
  wire::ServerInfo info;
  admin_->call([&](auto& c) { c.info(info); });
  EXPECT_GT(info.frames_refused, 0);
}

TEST_F(ServicesTest, PortInUseIsOneClearError) {
  Loaded loaded = make_loaded();
  loaded.daemon.listen_thrift = {"127.0.0.1", static_cast<std::uint16_t>(tracker_->client_port())};
  loaded.daemon.listen_trackers = {"127.0.0.1", 0};
  auto store = memory_store();
  auto snapshot = store->load();
  const auto second = JobTracker::start({.store = std::move(store),
                                         .snapshot = std::move(*snapshot),
                                         .settings = std::make_shared<Settings>(loaded.settings),
                                         .daemon = loaded.daemon,
                                         .loop = {}});
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find(std::to_string(tracker_->client_port())), std::string::npos)
      << second.error().message;
}

}  // namespace
}  // namespace weir
