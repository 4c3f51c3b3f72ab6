#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "conf/policies.h"
#include "sim/cluster_model.h"
#include "sim/fairness.h"
#include "sim/job_names.h"
#include "sim/scenario.h"
#include "sim/trace.h"
#include "sim/virtual_cluster.h"

namespace weir {
namespace {

using testing::AllOf;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Fairness, WaterFillsByWeightUpToDemand) {
  EXPECT_THAT(water_fill({{10, 1, 0}, {2, 1, 0}, {10, 2, 0}}, 14),
              ElementsAre(DoubleEq(4), DoubleEq(2), DoubleEq(8)));
  EXPECT_THAT(water_fill({}, 5), IsEmpty());
}

TEST(Fairness, JainIsOneWhenEachHasItsShareWhateverItsDemand) {
  EXPECT_DOUBLE_EQ(jain_index({{100, 1, 8}, {2, 1, 2}}), 1);
  EXPECT_DOUBLE_EQ(jain_index({{100, 1, 10}, {100, 1, 0}}), 0.5);
  EXPECT_DOUBLE_EQ(jain_index({{100, 3, 6}, {100, 1, 2}}), 1);
  EXPECT_DOUBLE_EQ(jain_index({{100, 1, 6}}), 1);
}

TEST(ClusterModel, BlocksLieAsTheyShouldWhateverTheOrder) {
  std::vector<VirtualTrackerSpec> trackers;
  for (int i = 0; i < 20; ++i) {
    trackers.push_back({"tt" + std::to_string(i), "r" + std::to_string(i / 5), {}});
  }
  const auto rack = [&](const std::string& name) {
    return trackers[static_cast<std::size_t>(std::stoi(name.substr(2)))].rack;
  };
  ClusterModel model{.replicas = 3, .seed = 7};
  JobSpec spec;
  spec.name = "J1";
  spec.splits.resize(200);
  JobSpec again = spec;
  place_blocks(model, trackers, "J1", spec);
  place_blocks(model, trackers, "J1", again);
  std::set<std::string> used;
  for (std::size_t i = 0; i < spec.splits.size(); ++i) {
    const auto& hosts = spec.splits[i].hosts;
    ASSERT_THAT(hosts, SizeIs(3));
    EXPECT_NE(rack(hosts[0]), rack(hosts[1]));
    EXPECT_EQ(rack(hosts[1]), rack(hosts[2]));
    EXPECT_NE(hosts[1], hosts[2]);
    EXPECT_EQ(hosts, again.splits[i].hosts);
    used.insert(hosts.begin(), hosts.end());
  }
  EXPECT_EQ(used.size(), trackers.size());
  JobSpec small;
  small.splits.resize(1);
  place_blocks(model, {{"a", "r", {}}, {"b", "r", {}}}, "J1", small);
  EXPECT_THAT(small.splits[0].hosts, testing::UnorderedElementsAre("a", "b"));
}

TEST(ClusterModel, ThePhaseOfATrackerFollowsFromItsNameAndTheSeed) {
  const ClusterModel model{.seed = 7};
  const ClusterModel other{.seed = 8};
  std::set<DurationMs> phases;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "tt" + std::to_string(i);
    const DurationMs phase = random_phase(model, name, 3000);
    EXPECT_GE(phase, 0);
    EXPECT_LT(phase, 3000);
    EXPECT_EQ(phase, random_phase(model, name, 3000));
    phases.insert(phase);
  }
  EXPECT_GT(phases.size(), 150u);
  EXPECT_LT(*phases.begin(), 150);
  EXPECT_GT(*phases.rbegin(), 2850);
  EXPECT_NE(random_phase(model, "tt1", 3000), random_phase(other, "tt1", 3000));
}

TEST(ClusterModel, TimesScatterWithinTheirSpread) {
  const ClusterModel model{.remote_factor = 2, .task_launch_ms = 100, .spread = 0.1, .seed = 1};
  JobSpec spec;
  spec.name = "J1";
  std::set<DurationMs> times;
  for (std::uint32_t map = 0; map < 100; ++map) {
    const DurationMs time = map_time(model, spec, map, 10'000, true, Locality::kAny);
    EXPECT_GE(time, 18'100);
    EXPECT_LE(time, 22'100);
    EXPECT_EQ(time, map_time(model, spec, map, 10'000, true, Locality::kAny));
    times.insert(time);
  }
  EXPECT_GT(times.size(), 90u);
  EXPECT_LE(map_time(model, spec, 0, 10'000, false, Locality::kAny), 11'100);
}

TEST(JobNames, TasksAreReadAsTheyAreWritten) {
  const auto task = parse_task_name("J1/m12");
  ASSERT_TRUE(task);
  EXPECT_EQ(task->job, "J1");
  EXPECT_EQ(task->index, 12u);
  EXPECT_EQ(parse_task_name("J1/r3/2")->attempt, 2u);
  EXPECT_EQ(parse_task_name("J1/r3/2")->kind, TaskKind::kReduce);
  for (const char* wrong : {"J1", "J1/", "J1/x1", "J1/m", "/m1", "J1/m-1", "J1/m1/", "J1/2"}) {
    EXPECT_FALSE(parse_task_name(wrong)) << wrong;
  }
}

class TraceTest : public testing::Test {
 protected:
  ~TraceTest() override { std::remove(file_.c_str()); }
  std::vector<JobPlan> load(const std::string& text, TraceOptions options = {}) {
    std::ofstream(file_) << text;
    errors_ = Diagnostics(file_);
    return load_trace(file_, options, errors_);
  }
  std::string file_ = testing::TempDir() + "/weir-trace-test.jsonl";
  Diagnostics errors_{"none"};
};

TEST_F(TraceTest, JobsComeInOrderOfSubmission) {
  const auto jobs = load(
      "{\"job\":\"b\",\"submit_s\":2.5,\"maps\":3,\"reduces\":2,\"map_s\":[1,-1,3],\"queue\":\"q\"}"
      "\n\n{\"job\":\"a\",\"submit_s\":1,\"user\":\"u\",\"map_s\":0.5,\"x\":null}\n");
  EXPECT_THAT(errors_.errors(), IsEmpty());
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(jobs[0].spec->name, "a");
  EXPECT_EQ(jobs[0].times.map_ms, std::vector<DurationMs>{500});
  EXPECT_EQ(jobs[1].submit_at, 2500);
  EXPECT_EQ(jobs[1].spec->queue, "q");
  EXPECT_EQ(jobs[1].spec->tasks(TaskKind::kMap), 3u);
  EXPECT_THAT(jobs[1].times.map_ms, ElementsAre(1000, 2000, 3000));
}

TEST_F(TraceTest, EveryWrongLineIsNamed) {
  load("{\"job\":\"a\",\"maps\":-1}\nnonsense\n{\"job\":\"a\",\"map_s\":\"x\",\"submit_s\":-2}\n");
  EXPECT_THAT(errors_.errors(),
              ElementsAre(HasSubstr(":1:1: maps is -1"), HasSubstr(":2:2: this is no JSON"),
                          HasSubstr(":3:1: map_s has \"x\""), HasSubstr(":3:1: submit_s is -2"),
                          HasSubstr(":3:1: a second job \"a\"")));
}

TEST_F(TraceTest, ALineThatIsNoJobMakesNone) {
  const std::string good = "{\"job\":\"a\"}\n";
  for (const char* line :
       {"{", "[]", "\"x\"", "{\"job\":\"x\",}", "{\"job\":\"x\",\"maps\":2"}) {
    EXPECT_THAT(load(good + line), SizeIs(1)) << line;
    EXPECT_THAT(errors_.errors(), ElementsAre(AllOf(HasSubstr(".jsonl:2:"), HasSubstr("allowed"))));
  }
  load("{\"job\":\"x\"\n");
  EXPECT_THAT(errors_.errors(), ElementsAre(HasSubstr(":1:11: the line ends too early")));
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  load("{\"job\":\"a\",\"map_s\":" + deep + "}");
  EXPECT_THAT(errors_.errors(), ElementsAre(HasSubstr(":1:1: map_s has an array")));
  load("[]");
  EXPECT_FALSE(load_scenario_text("s.yaml", "jobs: " + file_));
}

TEST_F(TraceTest, ACutArchiveIsToldOfOnceWithTheLine) {
  std::string text;
  for (int i = 0; i < 9000; ++i)
    text += "{\"job\":\"" + std::to_string(i * 7919 % 9001) + "\"}\n";
  gzFile out = gzopen(file_.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
  load_trace(file_, {}, errors_ = Diagnostics(file_));
  EXPECT_THAT(errors_.errors(), ElementsAre(HasSubstr(": cannot be read further: ")));
}

TEST_F(TraceTest, CompressedAndDividedForASmallerCluster) {
  const std::string text = "{\"job\":\"a\",\"maps\":13,\"reduces\":1}\n{\"job\":\"b\"}\n";
  gzFile out = gzopen(file_.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  const auto jobs = load_trace(file_, {.divide = 6, .limit = 1}, errors_);
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].spec->tasks(TaskKind::kMap), 3u);
  EXPECT_EQ(jobs[0].spec->tasks(TaskKind::kReduce), 1u);
}

// Two trackers with a slot of each kind, and a job on them.
class VirtualClusterTest : public testing::Test {
 protected:
  VirtualClusterTest() {
    auto settings = std::make_shared<Settings>();
    settings->policy = "fifo";
    settings->queues.emplace_back().name = "default";
    engine_ = SimEngine::create(settings, policy_factory()).value();
    cluster_ = std::make_unique<VirtualCluster>(*engine_);
    engine_->watch(names_);
    for (const char* name : {"tt1", "tt2"}) {
      EXPECT_TRUE(cluster_->add_tracker({name, "r1", Resources{{1, 1, 0, 0}}}).ok());
    }
  }
  JobId submit(std::uint32_t maps, std::uint32_t reduces) {
    auto spec = std::make_shared<JobSpec>();
    spec->name = "J" + std::to_string(names_.size());
    spec->user = "u";
    spec->queue = "default";
    spec->output = "/out/" + spec->name;
    spec->splits.resize(maps);
    spec->reduces = reduces;
    spec->slowstart_millionths = 0;
    return std::get<Submitted>(engine_->step(SubmitJob{{"u", {}}, spec}).body).job;
  }
  JobState state(JobId job) { return engine_->state().job(job).state; }

  JobNames names_;
  std::unique_ptr<SimEngine> engine_;
  std::unique_ptr<VirtualCluster> cluster_;
};

TEST_F(VirtualClusterTest, AJobEndsWithItsLastTaskWithoutFurtherHeartbeats) {
  const JobId job = submit(1, 1);
  const auto launched = cluster_->heartbeat(TrackerId(0));
  ASSERT_THAT(launched, SizeIs(2));
  EXPECT_TRUE(cluster_->finish(launched[0]).ok());
  EXPECT_EQ(state(job), JobState::kRunning);
  EXPECT_TRUE(cluster_->finish(launched[1]).ok());
  EXPECT_EQ(state(job), JobState::kSucceeded);
  EXPECT_THAT(cluster_->held(TrackerId(0)), IsEmpty());
  EXPECT_FALSE(cluster_->finish(launched[1]).ok());
}

TEST_F(VirtualClusterTest, AKillIsConfirmedWithTheNextHeartbeatNotBefore) {
  const JobId job = submit(1, 0);
  const auto launched = cluster_->heartbeat(TrackerId(0));
  engine_->step(KillJob{{"u", {}}, job});
  EXPECT_THAT(cluster_->held(TrackerId(0)), SizeIs(1));
  EXPECT_EQ(engine_->state().tracker(TrackerId(0)).used.slots(TaskKind::kMap), 1);
  const JobId next = submit(1, 0);
  EXPECT_THAT(cluster_->heartbeat(TrackerId(0)), SizeIs(1));
  EXPECT_EQ(cluster_->running({next, TaskKind::kMap, 0})->task.job, next);
}

TEST_F(VirtualClusterTest, AnEndIsReportedAtOnceAndAsksForNothing) {
  submit(3, 0);
  const auto launched = cluster_->heartbeat(TrackerId(0));
  EXPECT_TRUE(cluster_->fail(launched[0], "why not").ok());
  EXPECT_THAT(cluster_->held(TrackerId(0)), IsEmpty());
  EXPECT_THAT(cluster_->heartbeat(TrackerId(0)), SizeIs(1));
}

TEST_F(VirtualClusterTest, ALostTrackerComesBackEmpty) {
  submit(1, 0);
  cluster_->heartbeat(TrackerId(0));
  EXPECT_TRUE(cluster_->lose(TrackerId(0)).ok());
  EXPECT_FALSE(cluster_->lose(TrackerId(0)).ok());
  EXPECT_FALSE(cluster_->live(TrackerId(0)));
  EXPECT_EQ(engine_->state().total_slots(TaskKind::kMap), 1);
  EXPECT_TRUE(cluster_->add_tracker({"tt1", "r1", Resources{{3, 0, 0, 0}}}).ok());
  EXPECT_FALSE(cluster_->add_tracker({"tt1", "r1", Resources{{3, 0, 0, 0}}}).ok());
  EXPECT_EQ(engine_->state().total_slots(TaskKind::kMap), 4);
  EXPECT_THAT(cluster_->heartbeat(TrackerId(0)), SizeIs(1));
  EXPECT_EQ(*cluster_->find("tt1"), TrackerId(0));
}

}  // namespace
}  // namespace weir
