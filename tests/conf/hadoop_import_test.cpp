// Hadoop's scheduler files to our settings: what each value becomes, what is said about the rest,
// and that nothing hostile gets through. Every result has passed the check of `weir conf check`.
#include "conf/hadoop_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "conf/hadoop_texts.h"
#include "conf/hadoop_xml.h"

namespace weir {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

HadoopImport imported(const std::string& xml) {
  return imported_texts({{"f.xml", xml}});
}

std::vector<std::string> refusals(const std::string& xml) {
  return refusals_of({{"f.xml", xml}});
}

FairSettings imported_fair(const std::string& xml) {
  const Loaded loaded = good(imported(xml).yaml);
  return dynamic_cast<const FairSettings&>(*loaded.settings.policies.at("fair"));
}

const PoolSettings& pool(const FairSettings& settings, const std::string& name) {
  return pool_named(settings.pools, name);
}

constexpr const char* kMapReduceFair = R"(<?xml version="1.0"?>
<!-- The file of the old scheduler's own test, and a little more. -->
<allocations>
  <pool name="poolA"><minMaps>1</minMaps><minReduces>2</minReduces></pool>
  <pool name="poolB"><minMaps>2</minMaps><minReduces>1</minReduces><weight>2.5</weight></pool>
  <pool name="poolC"><minMaps>2</minMaps><maxMaps>20</maxMaps></pool>
  <pool name="poolD"><maxRunningJobs>3</maxRunningJobs><schedulingMode>FIFO</schedulingMode></pool>
  <pool name="poolE"><minSharePreemptionTimeout>60</minSharePreemptionTimeout></pool>
  <poolMaxJobsDefault>15</poolMaxJobsDefault>
  <userMaxJobsDefault>5</userMaxJobsDefault>
  <defaultMinSharePreemptionTimeout>120</defaultMinSharePreemptionTimeout>
  <fairSharePreemptionTimeout>300</fairSharePreemptionTimeout>
  <defaultPoolSchedulingMode>fair</defaultPoolSchedulingMode>
  <user name="user1"><maxRunningJobs>10</maxRunningJobs></user>
</allocations>
)";

TEST(HadoopFair, AllOfMapReducesElementsAreTakenOver) {
  EXPECT_THAT(imported(kMapReduceFair).warnings, IsEmpty());
  const FairSettings settings = imported_fair(kMapReduceFair);
  EXPECT_EQ(settings.pools.size(), 5u);
  EXPECT_EQ(settings.pool_name_property, "user");
  EXPECT_THAT(pool(settings, "poolA").min_share, ElementsAre(1, 2));
  EXPECT_EQ(pool(settings, "poolB").weight, 2'500'000);
  EXPECT_EQ(pool(settings, "poolC").max_share[0], 20);
  EXPECT_EQ(pool(settings, "poolC").max_share[1], std::nullopt);
  EXPECT_EQ(pool(settings, "poolC").max_running_jobs, 15);
  EXPECT_EQ(pool(settings, "poolD").max_running_jobs, 3);
  EXPECT_EQ(pool(settings, "poolD").mode, PoolSettings::Mode::kFifo);
  EXPECT_EQ(pool(settings, "poolE").min_share_timeout_ms, 60'000);
  EXPECT_EQ(pool(settings, "poolA").min_share_timeout_ms, 120'000);
  EXPECT_EQ(pool(settings, "poolA").fair_share_timeout_ms, 300'000);
  EXPECT_EQ(settings.user_max_running_jobs.at("user1"), 10);
  EXPECT_EQ(settings.default_user_max_running_jobs, 5);
}

TEST(HadoopFair, WhatHadoopLetsPassIsMendedAndSaid) {
  const std::string xml =
      "<allocations>\n"
      "<pool name='a'><weight>0</weight><minMaps>5</minMaps><maxMaps>3</maxMaps></pool>\n"
      "<pool name='b'><weight>-1</weight><minReduces>-4</minReduces></pool>\n"
      "<pool name='c'><minSharePreemptionTimeout>600</minSharePreemptionTimeout></pool>\n"
      "<pool name='a'><minReduces>7</minReduces></pool>\n"
      "<pool name='john.smith'/><pool name='my pool'/><pool/>\n"
      "<pool name='d'><colour>red</colour></pool>\n"
      "<fairSharePreemptionTimeout>300</fairSharePreemptionTimeout>\n"
      "</allocations>\n";
  EXPECT_THAT(
      imported(xml).warnings,
      ElementsAre(
          "f.xml:2:1: warning: pool a has a minimum of 5 maps above its maximum of 3; it is 3, as "
          "Hadoop would have it",
          "f.xml:2:16: warning: weight of pool a = \"0\" is not taken over: a weight is above 0 "
          "and at most 1000000 here; it counts as 1",
          HasSubstr("f.xml:3:16: warning: weight of pool b = \"-1\" is not taken over"),
          HasSubstr("f.xml:3:35: warning: minReduces of pool b = \"-4\" is not taken over"),
          "f.xml:4:1: warning: pool c: the fair share timeout of 5m is shorter than the min share "
          "timeout, which is not allowed here; it is 10m",
          HasSubstr("f.xml:5:1: warning: a second pool a is merged with the first"),
          HasSubstr("f.xml:6:1: warning: pool \"john.smith\" is called john_dot_smith here"),
          HasSubstr("f.xml:6:26: warning: pool \"my pool\" is called my_pool here"),
          "f.xml:6:48: warning: a pool without a name is not taken over",
          HasSubstr("f.xml:7:16: warning: colour of pool d = \"red\" is not taken over")));
  const FairSettings settings = imported_fair(xml);
  EXPECT_THAT(pool(settings, "a").min_share, ElementsAre(3, 7));
  EXPECT_EQ(pool(settings, "c").fair_share_timeout_ms, 600'000);
  EXPECT_EQ(pool(settings, "b").weight, kWeightOne);
  // The warnings stand in the YAML, too.
  EXPECT_THAT(imported(xml).yaml, HasSubstr("\n#   f.xml:7:16: warning: colour of pool d"));
}

TEST(HadoopFair, QueuesOfYarnNest) {
  const std::string xml =
      "<allocations>\n"
      "<queue name='root'><queue name='research' type='parent'>\n"
      "  <weight>3</weight><minResources>10000 mb,0vcores</minResources>\n"
      "  <fairSharePreemptionTimeout>90</fairSharePreemptionTimeout>\n"
      "  <queue name='vision'><schedulingPolicy>drf</schedulingPolicy></queue>\n"
      "  <queue name='speech'><maxRunningApps>4</maxRunningApps></queue>\n"
      "</queue></queue>\n"
      "<queueMaxAppsDefault>50</queueMaxAppsDefault>\n"
      "</allocations>\n";
  EXPECT_THAT(imported(xml).warnings, ElementsAre(HasSubstr("a tracker offers nothing")));
  const FairSettings settings = imported_fair(xml);
  const PoolSettings& research = pool(settings, "research");
  EXPECT_EQ(research.weight, 3 * kWeightOne);
  ASSERT_EQ(research.pools.size(), 2u);
  EXPECT_EQ(research.pools[0].fair_share_timeout_ms, 90'000);
  EXPECT_EQ(research.pools[1].max_running_jobs, 4);
  EXPECT_EQ(research.pools[0].max_running_jobs, 50);
  EXPECT_EQ(research.minimum[Dimension(Dimension::kMemoryMb).value()], 10000);
  EXPECT_EQ(research.minimum[Dimension(Dimension::kVcores).value()], 0);
  EXPECT_EQ(research.sharing, PoolSettings::Sharing::kFair);  // YARN's default
  EXPECT_EQ(research.pools[0].sharing, PoolSettings::Sharing::kDrf);
}

std::string configuration(const std::vector<std::pair<std::string, std::string>>& properties) {
  std::string xml = "<configuration>\n";
  for (const auto& [name, value] : properties) {
    xml += "<property><name>" + name + "</name><value>" + value + "</value></property>\n";
  }
  return xml + "</configuration>\n";
}

TEST(HadoopFair, WhatMapredSiteSays) {
  const std::string prefix = "mapred.fairscheduler.";
  const std::string xml = configuration({{prefix + "poolnameproperty", "mapred.job.queue.name"},
                                         {prefix + "preemption", "true"},
                                         {prefix + "preemption.only.log", "true"},
                                         {prefix + "update.interval", "1500"},
                                         {prefix + "assignmultiple", "false"},
                                         {prefix + "assignmultiple.maps", "-1"},
                                         {prefix + "allow.undeclared.pools", "false"},
                                         {prefix + "weightadjuster", "org.x.NewJobWeightBooster"},
                                         {"mapred.newjobweightbooster.factor", "2.5"},
                                         {prefix + "locality.delay", "5000"},
                                         {prefix + "locality.delay.rack", "0"},
                                         {prefix + "loadmanager", "org.x.MyLoadManager"},
                                         {prefix + "allocation.file", "/etc/fair-scheduler.xml"},
                                         {"fs.default.name", "hdfs://x"}});
  EXPECT_THAT(imported(xml).warnings,
              UnorderedElementsAre(HasSubstr("1 other property is not the scheduler's"),
                                   HasSubstr("loadmanager = \"org.x.MyLoadManager\" is not taken"),
                                   HasSubstr("allocation.file = \"/etc/fair-scheduler.xml\"")));
  const FairSettings settings = imported_fair(xml);
  EXPECT_EQ(settings.pool_name_property, "queue");
  EXPECT_EQ(settings.preemption, FairSettings::Preemption::kLogOnly);
  EXPECT_EQ(settings.update_interval_ms, 1500);
  EXPECT_FALSE(settings.assign_multiple);
  EXPECT_FALSE(settings.undeclared_pools_allowed);
  EXPECT_EQ(settings.new_job_booster, (FairSettings::Booster{.factor = 2'500'000}));
  EXPECT_EQ(settings.locality_delay,
            (LocalityDelaySettings{LocalityDelaySettings::Mode::kFixed, 5000, 0}));
  EXPECT_EQ(imported_fair(configuration({{prefix + "preemption", "false"}})).pool_name_property,
            "user");
}

std::string mr1(const std::vector<std::pair<std::string, std::string>>& properties) {
  auto named = properties;
  for (auto& [name, value] : named) name = "mapred.capacity-scheduler." + name;
  return configuration(named);
}

TEST(HadoopCapacity, MapReducesQueues) {
  const std::string xml = mr1({{"queue.research.capacity", "60"},
                               {"queue.research.maximum-capacity", "80.5"},
                               {"queue.research.supports-priority", "true"},
                               {"queue.research.minimum-user-limit-percent", "25"},
                               {"queue.research.user-limit-factor", "2.5"},
                               {"queue.prod.uction.capacity", "40"},
                               {"queue.prod.uction.maximum-capacity", "-1"},
                               {"queue.prod.uction.maximum-initialized-active-tasks", "9"},
                               {"default-maximum-active-tasks-per-user", "1000"},
                               {"maximum-system-jobs", "100"},
                               {"queue.research.init-accept-jobs-factor", "3"},
                               {"init-worker-threads", "5"}});
  const HadoopImport result = imported(xml);
  EXPECT_THAT(
      result.warnings,
      UnorderedElementsAre(
          HasSubstr("queue \"prod.uction\" is called prod_dot_uction here"),
          HasSubstr("queue.prod.uction.maximum-initialized-active-tasks = \"9\" is not taken over"),
          HasSubstr("f.xml:10:87: warning: mapred.capacity-scheduler.default-maximum-active-"
                    "tasks-per-user is of all active jobs of a user together"),
          HasSubstr("f.xml:13:69: warning: mapred.capacity-scheduler.init-worker-threads = \"5\" "
                    "is not taken over")));
  const Loaded loaded = good(result.yaml);
  EXPECT_EQ(loaded.settings.policy, "capacity");
  const auto& capacity =
      dynamic_cast<const CapacitySettings&>(*loaded.settings.policies.at("capacity"));
  EXPECT_EQ(capacity.preemption, CapacitySettings::Preemption::kOff);
  ASSERT_EQ(loaded.settings.queues.size(), 2u);
  const QueueSettings& research = loaded.settings.queues[0];  // in the order of the file
  EXPECT_EQ(research.name, "research");
  EXPECT_EQ(research.guaranteed[0], (Guarantee{Guarantee::Unit::kPercent, 6000}));
  EXPECT_EQ(research.maximum_hundredths, 8050);
  EXPECT_TRUE(research.priorities);
  EXPECT_EQ(research.user_limit, (UserLimit{2500, 2'500'000, UserLimit::Mode::kHard}));
  EXPECT_EQ(research.max_tasks_per_job, 1000);
  EXPECT_EQ(research.max_running_jobs, 60);
  EXPECT_EQ(research.max_running_jobs_per_user, 15);
  EXPECT_EQ(research.max_jobs, 180);
  EXPECT_EQ(research.max_jobs_per_user, 45);
  const QueueSettings& production = loaded.settings.queues[1];
  EXPECT_EQ(production.maximum_hundredths, std::nullopt);
  EXPECT_EQ(production.user_limit.factor_millionths, 1'000'000);
  EXPECT_EQ(production.max_jobs, 400);
}

TEST(HadoopCapacity, TheFirstOnesReclaimTimes) {
  const Loaded loaded = good(imported(mr1({{"queue.default.guaranteed-capacity", "100"},
                                           {"queue.default.reclaim-time-limit", "300"},
                                           {"reclaimCapacity.interval", "5"}}))
                                 .yaml);
  const QueueSettings& queue = loaded.settings.queues[0];
  EXPECT_EQ(queue.reclaim_after_ms[0], 300'000);
  EXPECT_EQ(queue.user_limit, UserLimit{});
  const auto& capacity =
      dynamic_cast<const CapacitySettings&>(*loaded.settings.policies.at("capacity"));
  EXPECT_EQ(capacity.preemption, CapacitySettings::Preemption::kOn);
  EXPECT_EQ(capacity.interval_ms, 5000);
}

TEST(HadoopCapacity, SumsThatHadoopTookAreMadeExact) {
  const HadoopImport result = imported(mr1(
      {{"queue.a.capacity", "33.4"}, {"queue.b.capacity", "33.4"}, {"queue.c.capacity", "33.4"}}));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("total 100.2%; they are scaled to 100%")));
  const auto queues = good(result.yaml).settings.queues;
  EXPECT_EQ(queues[0].guaranteed[0].amount + queues[1].guaranteed[0].amount +
                queues[2].guaranteed[0].amount,
            10'000);
}

TEST(HadoopCapacity, WhatTotalsAHundredAsItIsSaidIsNotScaled) {
  const std::string root = "yarn.scheduler.capacity.root.";
  const HadoopImport thirds = imported(properties({{root + "queues", "a,b,c"},
                                                   {root + "a.capacity", "33.333"},
                                                   {root + "b.capacity", "33.333"},
                                                   {root + "c.capacity", "33.334"}}));
  EXPECT_THAT(thirds.warnings, Each(HasSubstr("rounded to two places")));
  std::vector<std::int64_t> parts;
  for (const QueueSettings& queue : good(thirds.yaml).settings.queues)
    parts.push_back(queue.guaranteed[0].amount);
  EXPECT_THAT(parts, ElementsAre(3333, 3333, 3334));  // the most goes to who lost the most
}

TEST(HadoopCapacity, AMaximumOfNothingStopsTheQueue) {
  const std::string root = "yarn.scheduler.capacity.root.";
  const HadoopImport result = imported(properties({{root + "queues", "default,work"},
                                                   {root + "default.capacity", "0"},
                                                   {root + "default.maximum-capacity", "0"},
                                                   {root + "work.capacity", "100"}}));
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("default.maximum-capacity is 0: what is submitted there never "
                                    "runs in YARN; here the queue is stopped")));
  const auto queues = good(result.yaml).settings.queues;
  EXPECT_TRUE(queues[0].stopped);
  EXPECT_FALSE(queues[1].stopped);
}

TEST(HadoopCapacity, EachPriorityHasAReasonOfItsOwn) {
  const std::string prefix = "yarn.scheduler.capacity.";
  const HadoopImport result =
      imported(properties({{prefix + "root.queues", "a"},
                           {prefix + "root.a.acl_application_max_priority", "[user=u]"},
                           {prefix + "workflow-priority-mappings", "w:a:1"},
                           {prefix + "root.a.priority", "3"}}));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("who may submit to a queue may say any"),
                                           HasSubstr("a job says its own priority"),
                                           HasSubstr("queues have no priority over others")));
}

TEST(HadoopFair, AMaximumOfNothingIsOne) {
  for (const char* nothing : {"0 mb, 0 vcores", "0mb,0vcores", "0%", "0"}) {
    SCOPED_TRACE(nothing);
    const FairSettings settings =
        imported_fair(std::string("<allocations><queue name='a'><maxResources>") + nothing +
                      "</maxResources></queue><queueMaxAppsDefault>9</queueMaxAppsDefault>"
                      "</allocations>");
    for (const TaskKind kind : kTaskKinds)
      EXPECT_EQ(pool(settings, "a").max_share[index(kind)], 0);
  }
}

TEST(HadoopImports, AConfigurationWithinAnotherIsRead) {
  const HadoopImport result = imported(
      "<configuration><configuration><property><name>mapred.queue.names</name>"
      "<value>day,night</value></property></configuration><property><name>mapred.acls.enabled"
      "</name><value>false</value></property></configuration>");
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_THAT(leaves(good(result.yaml).settings.queues), ElementsAre("day", "night"));
}

TEST(HadoopImports, APropertysPartsMayBeAttributes) {
  const std::string root = "yarn.scheduler.capacity.root.";
  const HadoopImport result = imported_texts(
      {{"c.xml", "<configuration><property name='" + root +
                     "queues' value='a,b'/>\n<property name='" + root +
                     "a.capacity' value='25' final='true'/><property name='" + root +
                     "a.capacity' value='30'/>\n<property name='" + root +
                     "b.capacity'><value>75</value></property></configuration>"}});
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("is set a second time; the first one is final and counts")));
  const auto queues = good(result.yaml).settings.queues;
  EXPECT_EQ(queues.at(0).guaranteed[0].amount, 25'00);
  EXPECT_EQ(queues.at(1).guaranteed[0].amount, 75'00);
}

TEST(HadoopImports, APropertyWithoutANameIsPassedOver) {
  const HadoopImport result =
      imported_texts({{"c.xml", "<configuration><property><name>yarn.scheduler.capacity.root.queues"
                                "</name><value>a</value></property>\n<property><value>x</value>"
                                "</property></configuration>"}});
  EXPECT_THAT(result.warnings, ElementsAre("c.xml:2:1: warning: a property without a name, which "
                                           "Hadoop passes over"));
}

TEST(HadoopImports, PropertiesMayReferToOthers) {
  const std::string root = "yarn.scheduler.capacity.root.";
  const HadoopImport result = imported_texts(
      {{"c.xml", properties({{root + "queues", "a,b,c"},
                             {root + "a.capacity", "${part}"},
                             {root + "b.capacity", "7${nought}"},
                             {root + "c.capacity", "${env.CAP:-10}"},
                             {root + "c.state", "${round}"}})},
       {"s.xml", properties({{"part", "2${nought}"}, {"nought", "0"}, {"round", "${round}"}})}});
  const auto queues = good(result.yaml).settings.queues;
  EXPECT_EQ(queues.at(0).guaranteed[0].amount, 20'00);
  EXPECT_EQ(queues.at(1).guaranteed[0].amount, 70'00);
  EXPECT_THAT(result.warnings,
              testing::IsSupersetOf(
                  {HasSubstr("c.capacity = \"${env.CAP:-10}\" is not taken over: it refers to what "
                             "is in none of these files"),
                   HasSubstr("c.state = \"${round}\" is not taken over: it refers to what is in "
                             "none of these files")}));
}

TEST(HadoopImports, AnElementThatIsNotClosedIsNamed) {
  EXPECT_THAT(refusals("<configuration>\n  <!-- <x> --><a b='>'/><c><![CDATA[<y>]]></c>\n"),
              ElementsAre(HasSubstr("f.xml:1:2: not XML: <configuration> is not closed where the "
                                    "file ends, allowed:")));
  EXPECT_THAT(refusals("<a>\n <b>\n </a>"),
              ElementsAre(HasSubstr("f.xml:2:3: not XML: <b> is not closed where </a> at 3:4 "
                                    "closes another one")));
}

TEST(HadoopCapacity, YarnsTree) {
  const std::string root = "yarn.scheduler.capacity.root.";
  const HadoopImport result =
      imported(configuration({{root + "queues", "research, production"},
                              {root + "acl_submit_applications", " "},
                              {root + "research.capacity", "60"},
                              {root + "research.queues", "vision,speech"},
                              {root + "research.vision.capacity", "50"},
                              {root + "research.vision.acl_submit_applications", "al,bob staff"},
                              {root + "research.vision.user-limit-factor", "2"},
                              {root + "research.speech.capacity", "50"},
                              {root + "research.speech.state", "STOPPED"},
                              {root + "production.capacity", "40"},
                              {root + "production.maximum-capacity", "90"},
                              {root + "production.maximum-applications", "77"},
                              {root + "production.priority", "4"},
                              {"yarn.scheduler.capacity.node-locality-delay", "40"}}));
  EXPECT_THAT(result.warnings,
              UnorderedElementsAre(HasSubstr("root.production.priority = \"4\" is not taken over"),
                                   HasSubstr("node-locality-delay = 40 is a number of offers")));
  const auto queues = good(result.yaml).settings.queues;
  ASSERT_EQ(queues.size(), 2u);
  ASSERT_EQ(queues[0].queues.size(), 2u);
  const QueueSettings& vision = queues[0].queues[0];
  EXPECT_THAT(*vision.submit, ElementsAre("al", "bob", "@staff"));
  EXPECT_THAT(*queues[0].submit, IsEmpty());  // as root's, which is nobody's
  EXPECT_EQ(vision.user_limit.factor_millionths, 2'000'000);
  EXPECT_TRUE(queues[0].queues[1].stopped);
  EXPECT_EQ(queues[1].maximum_hundredths, 9000);
  EXPECT_EQ(queues[1].max_jobs, 77);
}

TEST(HadoopImports, WhatIsNoneIsRefusedWithItsPlace) {
  EXPECT_THAT(refusals("<allocations>\n  <pool name='a'>\n</allocations>\n"),
              ElementsAre(HasSubstr("f.xml:2:4: not XML: <pool> is not closed where </allocations> "
                                    "at 3:3 closes another one, allowed:")));
  EXPECT_THAT(refusals(""),
              ElementsAre(HasSubstr("f.xml:1:1: not XML: No document element found")));
  EXPECT_THAT(refusals("policy: capacity\n"), ElementsAre(HasSubstr("not XML")));
  EXPECT_THAT(refusals("<allocations/><allocations/>"),
              ElementsAre(HasSubstr("f.xml:1:15: not XML: a second root element <allocations>")));
  EXPECT_THAT(refusals("<project/>"),
              ElementsAre(HasSubstr("f.xml:1:1: the root element is <project>, allowed: a fair-")));
  EXPECT_THAT(refusals(configuration({{"fs.default.name", "x"}})),
              ElementsAre(HasSubstr("f.xml:1:1: none of its properties is a scheduler's")));
  // All at once.
  EXPECT_THAT(refusals("<allocations>\n<pool name='a'><minMaps>x</minMaps>\n"
                       "<schedulingMode>best</schedulingMode><weight></weight></pool>\n"
                       "<userMaxJobsDefault>1.5</userMaxJobsDefault></allocations>"),
              ElementsAre("f.xml:2:16: minMaps of pool a is \"x\", allowed: an integer",
                          "f.xml:3:1: schedulingMode of pool a is \"best\", allowed: fair, fifo",
                          "f.xml:3:38: weight of pool a is \"\", allowed: a number",
                          "f.xml:4:1: userMaxJobsDefault is \"1.5\", allowed: an integer"));
}

TEST(HadoopImports, HostileFilesAreRefused) {
  EXPECT_THAT(
      refusals("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n"
               "<allocations><pool name='&x;'/></allocations>"),
      ElementsAre(HasSubstr("a document type with declarations of its own, allowed: none")));
  EXPECT_THAT(refusals(std::string(kMaxXmlBytes + 1, ' ')),
              ElementsAre(HasSubstr("f.xml: is larger than 4194304 bytes")));
  EXPECT_THAT(refusals("<allocations>\n\x1b[2J</allocations>"),
              ElementsAre(HasSubstr("f.xml:2:1: text that is not UTF-8, or a control character")));
  EXPECT_THAT(refusals("<allocations><pool name='&#27;[2J'/></allocations>"),
              ElementsAre(HasSubstr("an attribute has control characters")));
  std::string many = "<allocations>";
  for (int i = 0; i < 150'000; ++i) many += "<pool name='p" + std::to_string(i) + "'/>";
  EXPECT_THAT(refusals(many + "</allocations>"),
              ElementsAre(HasSubstr("more pools than 10000, allowed: at most that many")));
  std::string deep = "<allocations>";
  for (int i = 0; i < 100'000; ++i) deep += "<queue name='a'>";
  EXPECT_FALSE(refusals(deep).empty());
  for (int i = 0; i < 100'000; ++i) deep += "</queue>";
  EXPECT_THAT(refusals(deep + "</allocations>"), ElementsAre(HasSubstr("nested too deeply")));
}

TEST(HadoopImports, AnyChangeOfAGoodFileIsTakenOrRefused) {
  std::mt19937 random(7);
  const std::string sources[] = {
      kMapReduceFair, mr1({{"queue.a.capacity", "50"}, {"queue.b.capacity", "50"}}),
      configuration({{"yarn.scheduler.capacity.root.queues", "a,b"},
                     {"yarn.scheduler.capacity.root.a.capacity", "50"}})};
  constexpr std::string_view kBytes = "<>/&'\"=-!. \n0123456789aQ";
  for (int i = 0; i < 1500; ++i) {
    std::string text = sources[random() % 3];
    for (int change = 0; change < 3; ++change) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text[at] = kBytes[random() % kBytes.size()];
      } else {
        text.erase(at, random() % 20);
      }
    }
    const auto result = import_hadoop("f.xml", text);
    if (result) {
      EXPECT_TRUE(load_settings_text("f", result->yaml).ok()) << text;
    } else {
      EXPECT_FALSE(result.error().diagnostics.empty());
      EXPECT_THAT(result.error().diagnostics.front(), ::testing::StartsWith("f.xml")) << text;
    }
  }
}

}  // namespace
}  // namespace weir
