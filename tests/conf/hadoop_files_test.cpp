// Whole files of Hadoop's, alone and those of one cluster together (tests/conf/hadoop): each gives
// settings that pass the check and have queues that take jobs, and what has no counterpart is named
// with its line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "conf/hadoop_texts.h"

namespace weir {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(HadoopFiles, MapReducesAllocationsHaveItsOneQueue) {
  const HadoopImport result = imported_files({"mr1-fair/fair-scheduler.xml"});
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("fair-scheduler.xml:18:3: warning: pool \"ad hoc\" is called"),
                          HasSubstr("fair-scheduler.xml:20:5: warning: priority of pool ad_hoc")));
  const Loaded loaded = good(result.yaml);
  EXPECT_EQ(loaded.settings.policy, "fair");
  EXPECT_THAT(leaves(loaded.settings.queues), ElementsAre("default"));
  EXPECT_EQ(fair_of(loaded).pool_name_property, "user");
  EXPECT_EQ(fair_of(loaded).pools.size(), 3u);
}

TEST(HadoopFiles, MapReducesFairSchedulerWithItsSite) {
  const HadoopImport result =
      imported_files({"mr1-fair/fair-scheduler.xml", "mr1-fair/mapred-site.xml"});
  EXPECT_THAT(
      result.warnings,
      ElementsAre(
          HasSubstr("fair-scheduler.xml:18:3: "), HasSubstr("fair-scheduler.xml:20:5: "),
          "mapred-site.xml: warning: 1 other property is not the scheduler's",
          HasSubstr("mapred-site.xml:13:5: warning: mapred.fairscheduler.allocation.file"),
          HasSubstr("mapred-site.xml:29:5: warning: mapred.fairscheduler.eventlog.enabled"),
          "mapred-site.xml:53:5: warning: mapred.queue.nightly.acl-submit-job = \"etl\" is not "
          "taken over: mapred.queue.names has no such queue"));
  const Loaded loaded = good(result.yaml);
  EXPECT_THAT(loaded.settings.notices, IsEmpty());
  EXPECT_THAT(loaded.settings.administrators, ElementsAre("hadoop", "@admins"));
  const auto& queues = loaded.settings.queues;
  EXPECT_THAT(leaves(queues), ElementsAre("default", "production", "adhoc"));
  EXPECT_EQ(queue_named(queues, "default").submit, std::nullopt);
  EXPECT_THAT(*queue_named(queues, "default").administer, ElementsAre("*"));
  EXPECT_THAT(*queue_named(queues, "production").submit, ElementsAre("etl", "root", "@ops"));
  EXPECT_THAT(*queue_named(queues, "production").administer, ElementsAre("@ops"));
  EXPECT_TRUE(queue_named(queues, "adhoc").stopped);
  const FairSettings& fair = fair_of(loaded);
  EXPECT_EQ(fair.preemption, FairSettings::Preemption::kOn);
  EXPECT_EQ(fair.preemption_interval_ms, 20'000);
  EXPECT_TRUE(fair.size_based_weight);
  EXPECT_THAT(pool_named(fair.pools, "production").min_share, ElementsAre(40, 20));
}

TEST(HadoopFiles, WhereMapReducesPoolsAreQueuesEachHasOne) {
  const std::string site =
      properties({{"mapred.fairscheduler.poolnameproperty", "mapred.job.queue.name"}});
  const std::string pools = "<allocations><pool name='a b'/><pool name='etl'/></allocations>";
  const Loaded loaded = good(imported_texts({{"site.xml", site}, {"fair.xml", pools}}).yaml);
  EXPECT_THAT(leaves(loaded.settings.queues), ElementsAre("a_b", "etl", "default"));
  EXPECT_EQ(fair_of(loaded).pool_name_property, "queue");
  EXPECT_EQ(fair_of(loaded).pools[0].name, "a_b");
}

TEST(HadoopFiles, YarnsFairSchedulerHasAQueueForEachPool) {
  const HadoopImport result = imported_files({"yarn-fair/fair-scheduler.xml"});
  const Loaded loaded = good(result.yaml);
  const auto& queues = loaded.settings.queues;
  EXPECT_THAT(leaves(queues),
              ElementsAre("production", "research.vision", "research.speech", "ad_hoc", "default"));
  // Root's lists hold for all.
  EXPECT_THAT(*queue_named(queues, "production").submit, ElementsAre("etl", "root", "@ops"));
  EXPECT_THAT(*queue_named(queues, "production").administer,
              ElementsAre("@ops", "yarn", "@admins"));
  EXPECT_THAT(*queue_named(queues, "ad_hoc").submit, ElementsAre("*"));
  EXPECT_THAT(*queue_named(queues, "default").submit, IsEmpty());
  // 40% of the cluster, and of that the half.
  EXPECT_THAT(result.yaml, HasSubstr("    maximum: {memory_mb: 50%, vcores: 40%}\n"));
  EXPECT_THAT(result.yaml, HasSubstr("        maximum: {memory_mb: 40%, vcores: 50%}\n"));
  const FairSettings& fair = fair_of(loaded);
  EXPECT_EQ(fair.pool_name_property, "queue");
  EXPECT_FALSE(fair.undeclared_pools_allowed);
  EXPECT_EQ(pool_named(fair.pools, "production").kill_budget, 0);
  EXPECT_EQ(pool_named(fair.pools, "ad_hoc").kill_budget, std::nullopt);
  EXPECT_EQ(pool_named(fair.pools, "default").max_running_jobs, 40);
  // Root's timeout holds for all queues.
  EXPECT_EQ(pool_named(fair.pools, "default").fair_share_timeout_ms, 120'000);
  EXPECT_EQ(pool_named(fair.pools, "production").min_share_timeout_ms, 60'000);
  EXPECT_EQ(fair.default_user_max_running_jobs, 10);
  EXPECT_THAT(
      result.warnings,
      ElementsAre(
          HasSubstr("fair-scheduler.xml: warning: a tracker offers nothing"),
          HasSubstr(":7:5: warning: schedulingPolicy of root = \"fair\" is not taken over"),
          HasSubstr(":25:9: warning: maxAMShare of pool vision = \"0.3\" is not taken over: jobs"),
          HasSubstr(":29:9: warning: fairSharePreemptionThreshold of pool speech = \"0.8\""),
          HasSubstr(":32:5: warning: pool \"ad hoc\" is called ad_hoc here"),
          HasSubstr(":43:3: warning: queueMaxAMShareDefault = \"0.5\" is not taken over"),
          HasSubstr(":50:5: warning: rule of queuePlacementPolicy = \"nestedUserQueue\""),
          HasSubstr(":53:5: warning: rule of queuePlacementPolicy = \"default\" is not taken over: "
                    "a job that names no pool is in default, not in \"root.ad hoc\"")));
}

TEST(HadoopFiles, YarnsSiteSaysHowItsFairSchedulerWorks) {
  const HadoopImport result =
      imported_files({"yarn-fair/yarn-site.xml", "yarn-fair/fair-scheduler.xml"});
  const Loaded loaded = good(result.yaml);
  const FairSettings& fair = fair_of(loaded);
  EXPECT_EQ(fair.preemption, FairSettings::Preemption::kOn);
  EXPECT_TRUE(fair.assign_multiple);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("max.assign = \"3\" is not taken over")));
  EXPECT_EQ(fair.locality_delay,
            (LocalityDelaySettings{LocalityDelaySettings::Mode::kFixed, 500, 1000}));
  EXPECT_THAT(loaded.settings.administrators, ElementsAre("yarn", "root"));
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("yarn-site.xml:29:5: warning: yarn.scheduler.fair.preemption."
                                 "cluster-utilization-threshold = \"0.8\" is not taken over")));
  EXPECT_THAT(result.warnings, Each(Not(HasSubstr("user-as-default-queue"))));  // it is false
  // Alone it has the queue that is always there.
  EXPECT_THAT(leaves(good(imported_files({"yarn-fair/yarn-site.xml"}).yaml).settings.queues),
              ElementsAre("default"));
}

TEST(HadoopFiles, YarnsCapacitySchedulerAlone) {
  const HadoopImport result = imported_files({"yarn-capacity/capacity-scheduler.xml"});
  const Loaded loaded = good(result.yaml);
  EXPECT_EQ(capacity_of(loaded).preemption, CapacitySettings::Preemption::kOff);
  EXPECT_EQ(capacity_of(loaded).locality_delay.mode, LocalityDelaySettings::Mode::kAuto);
  const auto& queues = loaded.settings.queues;
  EXPECT_THAT(leaves(queues),
              ElementsAre("default", "production", "research.vision", "research.speech"));
  const QueueSettings& first = queue_named(queues, "default");
  EXPECT_THAT(*first.submit, ElementsAre("*"));
  EXPECT_THAT(*first.administer, ElementsAre("hadoop", "@admins"));
  EXPECT_EQ(first.max_jobs, 1000);  // a tenth of maximum-applications
  EXPECT_EQ(first.max_jobs_per_user, 500);
  const QueueSettings& production = queue_named(queues, "production");
  EXPECT_THAT(*production.submit, ElementsAre("etl", "@ops", "hadoop"));
  EXPECT_EQ(production.max_jobs, 200);
  EXPECT_EQ(production.max_jobs_per_user, std::nullopt);
  EXPECT_EQ(production.kill_budget, 0);
  const QueueSettings& research = queue_named(queues, "research");
  EXPECT_EQ(research.maximum_hundredths, 7500);
  // Weights of 2 and 1.
  const QueueSettings& vision = queue_named(research.queues, "vision");
  EXPECT_EQ(vision.guaranteed[0], (Guarantee{Guarantee::Unit::kPercent, 6667}));
  EXPECT_EQ(vision.max_jobs, 2666);
  EXPECT_EQ(vision.max_jobs_per_user, 666);
  EXPECT_TRUE(queue_named(research.queues, "speech").stopped);
  EXPECT_THAT(
      result.warnings,
      ElementsAre(
          HasSubstr(":9:5: warning: yarn.scheduler.capacity.maximum-am-resource-percent = \"0.1\" "
                    "is not taken over: jobs have no masters here"),
          HasSubstr(":13:5: warning: yarn.scheduler.capacity.resource-calculator"),
          HasSubstr(":17:5: warning: yarn.scheduler.capacity.node-locality-delay = 40 is a number "
                    "of offers"),
          HasSubstr(":21:5: warning: yarn.scheduler.capacity.rack-locality-additional-delay"),
          HasSubstr(":25:5: warning: yarn.scheduler.capacity.queue-mappings = "),
          HasSubstr(":29:5: warning: yarn.scheduler.capacity.queue-mappings-override.enable"),
          HasSubstr(":77:5: warning: yarn.scheduler.capacity.root.production.priority = \"10\" is "
                    "not taken over: queues have no priority"),
          HasSubstr(":101:5: warning: yarn.scheduler.capacity.root.research.vision.ordering-"
                    "policy = \"fair\""),
          HasSubstr(":113:5: warning: yarn.scheduler.capacity.root.research.speech.accessible-"
                    "node-labels = \"gpu\" is not taken over: trackers have labels")));
}

TEST(HadoopFiles, YarnsSiteSaysWhetherItsCapacitySchedulerKills) {
  const HadoopImport result =
      imported_files({"yarn-capacity/capacity-scheduler.xml", "yarn-capacity/yarn-site.xml"});
  const Loaded loaded = good(result.yaml);
  EXPECT_EQ(capacity_of(loaded).preemption, CapacitySettings::Preemption::kOn);
  EXPECT_EQ(capacity_of(loaded).interval_ms, 3000);
  EXPECT_EQ(loaded.settings.queues[2].reclaim_after_ms[0], 30'000);
  EXPECT_THAT(loaded.settings.administrators, IsEmpty());
  EXPECT_THAT(result.warnings, Contains(HasSubstr("yarn.admin.acl is *: everybody may")));
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("yarn-site.xml:21:5: warning: yarn.resourcemanager.monitor."
                                 "capacity.preemption.total_preemption_per_round = \"0.1\" is not "
                                 "taken over")));
  EXPECT_EQ(result.warnings.size(), 11u);
}

TEST(HadoopFiles, MapReducesCapacityQueuesAreInTheirOrder) {
  const HadoopImport alone = imported_files({"mr1-capacity/capacity-scheduler.xml"});
  EXPECT_THAT(leaves(good(alone.yaml).settings.queues),
              ElementsAre("batch", "analytics", "default", "retired"));
  const HadoopImport result =
      imported_files({"mr1-capacity/capacity-scheduler.xml", "mr1-capacity/mapred-site.xml",
                      "mr1-capacity/mapred-queue-acls.xml"});
  EXPECT_THAT(
      result.warnings,
      ElementsAre(
          HasSubstr(":17:5: warning: queue analytics has no list for administering"),
          "capacity-scheduler.xml:37:5: warning: mapred.capacity-scheduler.queue.retired.capacity "
          "= \"10\" is not taken over: there is no such queue in the list of queues",
          HasSubstr(":41:5: warning: mapred.capacity-scheduler.default-maximum-active-tasks-per-"),
          HasSubstr(":45:5: warning: mapred.capacity-scheduler.init-poll-interval"),
          HasSubstr(":49:5: warning: mapred.capacity-scheduler.init-worker-threads"),
          "mapred-site.xml: warning: 1 other property is not the scheduler's",
          HasSubstr("mapred-site.xml:21:5: warning: mapred.tasktracker.map.tasks.maximum"),
          HasSubstr("acls.xml:5:5: warning: queue default has no list for administering"),
          HasSubstr("acls.xml:13:5: warning: mapred.queue.batch.acl-administer-jobs has @admins, "
                    "who may not submit there in Hadoop")));
  const auto queues = good(result.yaml).settings.queues;
  EXPECT_THAT(leaves(queues), ElementsAre("default", "batch", "analytics"));
  EXPECT_EQ(queues[0].guaranteed[0], (Guarantee{Guarantee::Unit::kPercent, 2000}));
  EXPECT_THAT(*queues[1].submit, ElementsAre("etl", "root", "@loaders"));
  EXPECT_THAT(*queues[1].administer, ElementsAre("@admins"));
  EXPECT_TRUE(queues[2].priorities);
  EXPECT_EQ(queues[2].max_running_jobs_per_user, 338);
}

TEST(HadoopFiles, TheTreeOfMapredQueues) {
  const HadoopImport result = imported_files({"mr1-queues/mapred-queues.xml"});
  EXPECT_THAT(result.warnings,
              ElementsAre("mapred-queues.xml:18:9: warning: cost-centre of queue vision = \"4711\" "
                          "is not taken over: it has no counterpart",
                          HasSubstr(":25:7: warning: acl-administer-jobs of queue speech has "
                                    "@speech, who may not submit there in Hadoop")));
  const Loaded loaded = good(result.yaml);
  EXPECT_EQ(loaded.settings.policy, "capacity");
  const auto& queues = loaded.settings.queues;
  EXPECT_THAT(leaves(queues), ElementsAre("research.vision", "research.speech", "default"));
  const QueueSettings& vision = queues[0].queues[0];
  EXPECT_EQ(vision.guaranteed[0], (Guarantee{Guarantee::Unit::kPercent, 7000}));
  EXPECT_THAT(*vision.submit, ElementsAre("ann", "root", "@vision"));
  EXPECT_EQ(vision.user_limit, (UserLimit{2000, std::nullopt, UserLimit::Mode::kSoft}));
  EXPECT_TRUE(vision.priorities);
  const QueueSettings& speech = queues[0].queues[1];
  EXPECT_THAT(*speech.submit, IsEmpty());
  EXPECT_THAT(*speech.administer, ElementsAre("@speech"));  // a blank before it: no users
  EXPECT_TRUE(speech.stopped);
  EXPECT_EQ(queues[1].maximum_hundredths, 8000);
}

TEST(HadoopFiles, QueuesThatAreNotPreemptedHandItDown) {
  const std::string root = "yarn.scheduler.capacity.root.";
  const auto queues =
      good(imported_texts({{"s.xml", properties({{root + "queues", "a,b"},
                                                 {root + "disable_preemption", "true"},
                                                 {root + "a.queues", "x,y"},
                                                 {root + "a.y.disable_preemption", "false"},
                                                 {root + "b.disable_preemption", "false"}})}})
               .yaml)
          .settings.queues;
  EXPECT_EQ(queues[0].queues[0].kill_budget, 0);
  EXPECT_EQ(queues[0].queues[1].kill_budget, std::nullopt);
  EXPECT_EQ(queues[1].kill_budget, std::nullopt);
  const FairSettings fair =
      fair_of(good(imported_texts({{"f.xml",
                                    "<allocations><queue name='a'><allowPreemptionFrom>false"
                                    "</allowPreemptionFrom><queue name='x'/></queue>"
                                    "<queue name='b'/></allocations>"}})
                       .yaml));
  EXPECT_EQ(fair.pools[0].pools[0].kill_budget, 0);
  EXPECT_EQ(fair.pools[1].kill_budget, std::nullopt);
}

TEST(HadoopFiles, FilesOfTwoSchedulersAreRefusedUnlessOneRules) {
  const std::string capacity = properties({{"yarn.scheduler.capacity.root.queues", "a"},
                                           {"yarn.scheduler.capacity.root.a.capacity", "100"}});
  const std::string pools = "<allocations><queue name='b'/></allocations>";
  EXPECT_THAT(refusals_of({{"c.xml", capacity}, {"f.xml", pools}}),
              ElementsAre("f.xml: settings of YARN's capacity scheduler and of YARN's fair "
                          "scheduler, allowed: those of one scheduler, or the property that says "
                          "which one rules"));
  const std::string site =
      properties({{"yarn.resourcemanager.scheduler.class", "org.x.capacity.CapacityScheduler"},
                  {"yarn.scheduler.fair.preemption", "true"}});
  const HadoopImport result =
      imported_texts({{"s.xml", site}, {"c.xml", capacity}, {"f.xml", pools}});
  EXPECT_THAT(result.warnings,
              ElementsAre("s.xml:3:54: warning: yarn.scheduler.fair.preemption = \"true\" is not "
                          "taken over: the settings are those of YARN's capacity scheduler",
                          "f.xml:1:1: warning: this file is not taken over: the settings are those "
                          "of YARN's capacity scheduler"));
  EXPECT_THAT(leaves(good(result.yaml).settings.queues), ElementsAre("a"));
  EXPECT_THAT(refusals_of({{"f.xml", pools}, {"g.xml", pools}}),
              ElementsAre(HasSubstr("g.xml:1:1: a second file with <allocations>, after f.xml")));
  EXPECT_THAT(refusals_of({{"s.xml", site}}),
              Contains(HasSubstr("s.xml: no queues, allowed: yarn.scheduler.capacity.root.")));
}

TEST(HadoopFiles, OfTwoValuesTheLaterCountsUnlessTheFirstIsFinal) {
  const std::string site =
      "<configuration><property><name>mapred.queue.names</name><value>a</value><final>true</final>"
      "</property>\n<property><name>mapred.acls.enabled</name><value>true</value></property>"
      "</configuration>";
  const std::string other = properties({{"mapred.queue.names", "b"}, {"mapred.acls.enabled", "x"}});
  EXPECT_THAT(
      refusals_of({{"s.xml", site}, {"o.xml", other}}),
      Contains(HasSubstr("o.xml:3:43: mapred.acls.enabled is \"x\", allowed: true, false")));
  const HadoopImport result =
      imported_texts({{"s.xml", site}, {"o.xml", properties({{"mapred.queue.names", "b"}})}});
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("s.xml:1:57: warning: queue a has no list for administering"),
                          HasSubstr("o.xml:2:42: warning: mapred.queue.names is set a second time; "
                                    "the first one is final")));
  EXPECT_THAT(leaves(good(result.yaml).settings.queues), ElementsAre("a"));
}

TEST(HadoopFiles, BrokenQueuesAreRefusedAllAtOnce) {
  EXPECT_THAT(refusals_of({{"q.xml",
                            "<queues>\n<queue><state>on</state></queue>\n"
                            "<queue><name>a</name><state>on</state></queue>\n"
                            "<queue><name>a</name></queue>\n</queues>"}}),
              ElementsAre("q.xml:2:1: a queue without a name, allowed: <name>",
                          "q.xml:3:22: state of queue a is \"on\", allowed: running, stopped",
                          "q.xml:4:1: queue a is there twice, allowed: each queue once"));
  // Each file's errors.
  EXPECT_THAT(refusals_of({{"a.xml", "<allocations>"}, {"b.xml", "<project/>"}}),
              ElementsAre(HasSubstr("a.xml:1:"), HasSubstr("b.xml:1:1: the root element is")));
  std::string deep = "<queues>";
  for (int i = 0; i < 40; ++i) deep += "<queue><name>a</name>";
  for (int i = 0; i < 40; ++i) deep += "</queue>";
  EXPECT_THAT(refusals_of({{"q.xml", deep + "</queues>"}}),
              ElementsAre(HasSubstr("is one too many, allowed: 32 levels of queues")));
}

TEST(HadoopFiles, MoreQueuesThanWeTakeAreRefusedOnce) {
  std::string names, elements;
  for (int i = 0; i < 20'000; ++i) {
    names += fmt::format("q{},", i);
    elements += fmt::format("<queue><name>q{}</name></queue>", i);
  }
  EXPECT_THAT(refusals_of({{"s.xml", properties({{"mapred.queue.names", names}})}}),
              ElementsAre(HasSubstr("mapred.queue.names has more queues than 10000, allowed:")));
  EXPECT_THAT(
      refusals_of({{"c.xml", properties({{"yarn.scheduler.capacity.root.queues", names}})}}),
      ElementsAre(HasSubstr("c.xml:2:59: more queues than 10000, allowed: at most that many")));
  EXPECT_THAT(refusals_of({{"q.xml", "<queues>" + elements + "</queues>"}}),
              ElementsAre(HasSubstr("queue \"q10000\" is one too many, allowed: 10000 queues")));
}

TEST(HadoopFiles, AnyChangeOfGoodFilesIsTakenOrRefused) {
  std::mt19937 random(11);
  const std::vector<std::string> clusters[] = {
      {"mr1-fair/fair-scheduler.xml", "mr1-fair/mapred-site.xml"},
      {"mr1-capacity/mapred-site.xml", "mr1-capacity/capacity-scheduler.xml"},
      {"mr1-queues/mapred-queues.xml"},
      {"yarn-fair/fair-scheduler.xml", "yarn-fair/yarn-site.xml"},
      {"yarn-capacity/capacity-scheduler.xml", "yarn-capacity/yarn-site.xml"}};
  constexpr std::string_view kBytes = "<>/&'\"=-!. \n0123456789aQ*,@%w";
  for (int i = 0; i < 400; ++i) {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const std::string& name : clusters[random() % std::size(clusters)]) {
      std::string text = file_text(name);
      for (int change = 0; change < 3; ++change) {
        const std::size_t at = random() % text.size();
        if (random() % 3 != 0) {
          text[at] = kBytes[random() % kBytes.size()];
        } else {
          text.erase(at, random() % 20);
        }
      }
      texts.emplace_back(name, std::move(text));
    }
    std::vector<HadoopFile> files;
    for (const auto& [name, text] : texts) files.push_back({name, text});
    const auto result = import_hadoop(files);
    if (!result) {
      EXPECT_FALSE(result.error().diagnostics.empty());
      continue;
    }
    EXPECT_TRUE(load_settings_text("f", result->yaml).ok());
    EXPECT_THAT(leaves(good(result->yaml).settings.queues), Not(IsEmpty()));
  }
}

TEST(HadoopFiles, AQueueTreeIsNotReadBesideAListOfQueues) {
  const HadoopImport result =
      imported_texts({{"s.xml", properties({{"mapred.queue.names", "a"}})},
                      {"q.xml", "<queues><queue><name>b</name></queue></queues>"}});
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("q.xml:1:1: warning: this file is not taken "
                                                     "over: mapred.queue.names is set")));
  EXPECT_THAT(leaves(good(result.yaml).settings.queues), ElementsAre("a"));
}

}  // namespace
}  // namespace weir
