// Files of Hadoop's in other shapes than those of its manuals: what it makes of them is made of
// them here, and no right and no limit of theirs is lost without a word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "conf/hadoop_encoding.h"
#include "conf/hadoop_texts.h"

namespace weir {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::string kCapacity = "yarn.scheduler.capacity.";
const std::string kRoot = kCapacity + "root.";

using Properties = std::vector<std::pair<std::string, std::string>>;

HadoopImport shape(const std::string& xml) {
  return imported_texts({{"f.xml", xml}});
}

// Two queues of a half each, and what else is said.
HadoopImport halves(const Properties& more) {
  Properties all = {{kRoot + "queues", "a,b"}, {kRoot + "a.capacity", "50"},
                    {kRoot + "b.capacity", "50"}};
  all.insert(all.end(), more.begin(), more.end());
  return shape(properties(all));
}

TEST(HadoopShapes, AStateIsSaidInLettersOfAnySize) {
  const HadoopImport result =
      halves({{kRoot + "a.state", "running"}, {kRoot + "b.state", "Stopped"}});
  EXPECT_THAT(result.warnings, IsEmpty());
  const auto queues = good(result.yaml).settings.queues;
  EXPECT_FALSE(queue_named(queues, "a").stopped);
  EXPECT_TRUE(queue_named(queues, "b").stopped);
}

TEST(HadoopShapes, ANumberMaySayItsTypeAsJavaHasIt) {
  const HadoopImport result = shape(properties({{kRoot + "queues", "a,b"},
                                                {kRoot + "a.capacity", "25.5f"},
                                                {kRoot + "b.capacity", " 74.5D "},
                                                {kRoot + "a.user-limit-factor", "1.5f"}}));
  EXPECT_EQ(good(result.yaml).settings.queues.at(0).guaranteed[0].amount, 25'50);
  EXPECT_THAT(result.yaml, HasSubstr("user_limit: {factor: 1.5, mode: hard}"));
  for (const char* none : {"f", "2ff", "2g", "0x1f"})
    EXPECT_THAT(refusals_of({{"f.xml", properties({{kRoot + "queues", "a"},
                                                   {kRoot + "a.capacity", none}})}}),
                ElementsAre(HasSubstr("allowed: a number")))
        << none;
}

TEST(HadoopShapes, AmountsAreOfContainers) {
  const HadoopImport result =
      shape(properties({{kRoot + "queues", "a,b"},
                        {kRoot + "a.capacity", "[memory=10Gi, vcores=12]"},
                        {kRoot + "a.maximum-capacity", "[memory=15360,vcores=16]"},
                        {kRoot + "b.capacity", "[memory-mb=20480,vcores=4,yarn.io/gpu=2]"},
                        {kRoot + "b.queues", "c,d"},
                        {kRoot + "b.c.capacity", "25"},
                        {kRoot + "b.d.capacity", "75"}}));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("a tracker offers nothing")));
  EXPECT_THAT(result.yaml, HasSubstr("resources: containers\ncontainers:\n  resources: [gpu]\n"));
  EXPECT_THAT(result.yaml, HasSubstr("guaranteed: {memory_mb: 10240, vcores: 12, gpu: 0}"));
  EXPECT_THAT(result.yaml, HasSubstr("maximum: {memory_mb: 15360, vcores: 16}"));
  const Settings settings = good(result.yaml).settings;
  const QueueSettings& b = queue_named(settings.queues, "b");
  EXPECT_EQ(b.guaranteed[Dimension::named(0).place()].amount, 2);
  EXPECT_EQ(b.queues.at(0).guaranteed[Dimension(Dimension::kVcores).place()].amount, 25'00);
}

TEST(HadoopShapes, AmountsHaveTheUnitsOfYarn) {
  const std::pair<const char*, int> kCases[] = {
      {"20G", 19073}, {"1048576k", 1000}, {"5Gi", 5120},   {"1T", 953674},
      {"2048Ki", 2},  {"700Mi", 700},     {"1Ti", 1 << 20}, {"9P", 1'000'000'000}};
  for (const auto& [text, mb] : kCases) {
    const HadoopImport result =
        shape(properties({{kRoot + "queues", "a,b"},
                          {kRoot + "a.capacity", fmt::format("[memory={},vcores=12]", text)},
                          {kRoot + "b.capacity", "[memory=5120,vcores=6]"}}));
    EXPECT_THAT(result.yaml,
                HasSubstr(fmt::format("guaranteed: {{memory_mb: {}, vcores: 12}}", mb)));
  }
}

TEST(HadoopShapes, CapacitiesThatYarnCouldNotReadAreRefused) {
  for (const char* none :
       {"[memory=1024", "[]", "[memory=x]", "[vcores=2Gi]", "[memory=1,memory=2]", "[memory=-1]",
        "[m$=1]", "[memory=99999999999999999999]", "[memory=5g]", "[memory=50%,vcores=40%]", "-5",
        "105", "-1w"}) {
    EXPECT_THAT(refusals_of({{"f.xml", properties({{kRoot + "queues", "a,b"},
                                                   {kRoot + "a.capacity", none},
                                                   {kRoot + "b.capacity", "40"}})}}),
                ElementsAre(AllOf(HasSubstr("f.xml:3:"), HasSubstr("a.capacity "),
                                  HasSubstr(", allowed: "))))
        << none;
  }
  const std::string many =
      properties({{kRoot + "queues", "a"}, {kCapacity + "maximum-applications", "3000000000"}});
  EXPECT_THAT(refusals_of({{"f.xml", many}}),
              ElementsAre(HasSubstr("allowed: an integer from -2147483648 to 2147483647")));
}

TEST(HadoopShapes, OnContainersThereIsNoLocalityDelay) {
  const HadoopImport result = shape(properties({{kRoot + "queues", "a"},
                                                {kRoot + "a.capacity", "[memory=1024,vcores=1]"},
                                                {kCapacity + "node-locality-delay", "40"}}));
  EXPECT_THAT(result.warnings, Contains(HasSubstr("node-locality-delay = \"40\" is not taken over: "
                                                  "capacity.locality_delay has no effect")));
  EXPECT_THAT(result.yaml, testing::Not(HasSubstr("locality_delay:")));
}

TEST(HadoopShapes, AmountsAreOfAllSiblingsOrOfNone) {
  const HadoopImport mixed = shape(properties({{kRoot + "queues", "a,b"},
                                               {kRoot + "a.capacity", "[memory=1024,vcores=1]"},
                                               {kRoot + "b.capacity", "40"}}));
  EXPECT_THAT(mixed.warnings, ElementsAre(HasSubstr("some of its siblings have no amounts")));
  EXPECT_EQ(queue_named(good(mixed.yaml).settings.queues, "b").guaranteed[0].amount, 40'00);
}

TEST(HadoopShapes, WhatMayRunAtATimeIsOfEachLeaf) {
  const HadoopImport result = shape(properties({{kRoot + "queues", "a,b"},
                                                {kRoot + "a.capacity", "60"},
                                                {kRoot + "b.capacity", "40"},
                                                {kRoot + "a.queues", "x,y"},
                                                {kRoot + "a.x.capacity", "50"},
                                                {kRoot + "a.y.capacity", "50"},
                                                {kRoot + "a.max-parallel-apps", "30"},
                                                {kRoot + "a.y.max-parallel-apps", "7"},
                                                {kCapacity + "max-parallel-apps", "20"},
                                                {kCapacity + "user.max-parallel-apps", "3"},
                                                {kCapacity + "user.ann.max-parallel-apps", "9"}}));
  const auto queues = good(result.yaml).settings.queues;
  const auto& below = queue_named(queues, "a").queues;
  EXPECT_EQ(queue_named(below, "x").max_running_jobs, 20);
  EXPECT_EQ(queue_named(below, "y").max_running_jobs, 7);
  EXPECT_EQ(queue_named(queues, "b").max_running_jobs, 20);
  EXPECT_THAT(
      result.warnings,
      UnorderedElementsAre(
          HasSubstr(":8:72: warning: yarn.scheduler.capacity.root.a.max-parallel-apps = \"30\" is "
                    "not taken over: max_running_jobs is of queues without queues"),
          HasSubstr("max-parallel-apps = 20 is of each queue without queues here"),
          HasSubstr("user.max-parallel-apps = \"3\" is not taken over: say "
                    "max_running_jobs_per_user"),
          HasSubstr("user.ann.max-parallel-apps = \"9\" is not taken over: say "
                    "max_running_jobs_per_user")));
}

TEST(HadoopShapes, WhatIsSaidOfAQueueInNoListIsToldSo) {
  const HadoopImport result = halves({{kRoot + "old.capacity", "20"},
                                      {kRoot + "a.sub.acl_submit_applications", "ann"},
                                      {kRoot + "maximum-capacity", "60"},
                                      {kRoot + "a.leaf-queue-template.capacity", "5"},
                                      {kRoot + "a.accessible-node-labels.gpu.capacity", "70"}});
  EXPECT_THAT(
      result.warnings,
      UnorderedElementsAre(
          HasSubstr("root.old.capacity = \"20\" is not taken over: no list of queues names that"),
          HasSubstr("root.a.sub.acl_submit_applications = \"ann\" is not taken over: no list of"),
          HasSubstr("root.maximum-capacity = \"60\" is not taken over: what is above all queues "
                    "has no settings"),
          HasSubstr("template.capacity = \"5\" is not taken over: queues do not come to be on"),
          HasSubstr("gpu.capacity = \"70\" is not taken over: trackers have labels")));
}

TEST(HadoopShapes, AMaximumBelowTheCapacityIsToldAsHadoopRefusesIt) {
  EXPECT_THAT(halves({{kRoot + "a.maximum-capacity", "40"}, {kRoot + "b.maximum-capacity", "50"}})
                  .warnings,
              ElementsAre(HasSubstr("root.a.maximum-capacity is 40%, below its capacity of 50%, "
                                    "which Hadoop refuses; here the guarantee is the maximum "
                                    "then")));
  const std::string queue = "mapred.capacity-scheduler.queue.a.";
  EXPECT_THAT(
      shape(properties({{queue + "capacity", "100"}, {queue + "maximum-capacity", "70"}})).warnings,
      ElementsAre(HasSubstr("a.maximum-capacity is 70%, below its capacity of 100%")));
  // A weight is no part of the parent's yet.
  EXPECT_THAT(shape(properties({{kRoot + "queues", "a,b"},
                                {kRoot + "a.capacity", "60w"},
                                {kRoot + "a.maximum-capacity", "50"},
                                {kRoot + "b.capacity", "90w"}}))
                  .warnings,
              IsEmpty());
}

TEST(HadoopShapes, WeightsAmongPercentagesAreRefusedAsInHadoop) {
  const auto mixed = [](const char* a, const char* b) {
    return refusals_of({{"f.xml", properties({{kRoot + "queues", "a,b"},
                                              {kRoot + "a.capacity", a},
                                              {kRoot + "b.capacity", b}})}});
  };
  const std::string told = "b.capacity is \"40\", allowed: a weight, as \"2w\" of a is one";
  EXPECT_THAT(mixed("2w", "40"), ElementsAre(HasSubstr(told)));
  EXPECT_THAT(mixed("40", "2w"), ElementsAre(HasSubstr("as \"2w\" of b is one")));
}

TEST(HadoopShapes, WhatIsIncludedIsNotOpenedAndToldSo) {
  const HadoopImport result = shape(
      "<configuration xmlns:xi='x'>\n<xi:include href='queues.xml'/><property><name>" + kRoot +
      "queues</name><value>a</value></property>\n<property><name>" + kRoot +
      "a.acl_submit_applications</name></property></configuration>");
  EXPECT_THAT(result.warnings,
              ElementsAre("f.xml:2:1: warning: <xi:include> is not taken over: nothing that a file "
                          "names is opened; import that file with this one",
                          "f.xml:3:1: warning: \"yarn.scheduler.capacity.root.a.acl_submit_"
                          "applications\" has no value, and Hadoop passes over it"));
}

TEST(HadoopShapes, RightsAndLimitsThatAreNoSchedulersAreToldAsWell) {
  const HadoopImport result =
      shape(properties({{"mapred.queue.names", "a"},
                        {"mapred.jobtracker.maxtasks.per.job", "5000"},
                        {"mapred.cluster.max.map.memory.mb", "4096"},
                        {"mapred.tasktracker.map.tasks.maximum", "8"},
                        {"mapreduce.job.acl-view-job", "ann"},
                        {"mapred.hosts.exclude", "/x"},
                        {"mapred.job.queue.name", "a"},
                        {"mapred.permissions.supergroup", "ops"},
                        {"hadoop.proxyuser.oozie.hosts", "*"},
                        {"yarn.cluster.max-application-priority", "9"},
                        {"mapred.local.dir", "/y"}}));
  EXPECT_THAT(
      result.warnings,
      ElementsAre(
          "f.xml: warning: 1 other property is not the scheduler's",
          HasSubstr("maxtasks.per.job = \"5000\" is not taken over: say max_tasks_per_job of each"),
          HasSubstr("max.map.memory.mb = \"4096\" is not taken over: what a task may ask for"),
          HasSubstr("map.tasks.maximum = \"8\" is not taken over: say tracker.map_slots"),
          HasSubstr("acl-view-job = \"ann\" is not taken over: everybody sees jobs here"),
          HasSubstr("mapred.hosts.exclude = \"/x\" is not taken over: whoever reaches"),
          HasSubstr("mapred.job.queue.name = \"a\" is not taken over: every job names its queue"),
          HasSubstr("permissions.supergroup = \"ops\" is not taken over: say administrators"),
          HasSubstr("oozie.hosts = \"*\" is not taken over: whoever asks is believed"),
          HasSubstr("max-application-priority = \"9\" is not taken over: a job's priority is")));
}

TEST(HadoopShapes, WhatOtherSettingsOfOursSayIsNamed) {
  const HadoopImport result =
      shape(properties({{"mapred.queue.names", "a"},
                        {"mapred.tasktracker.expiry.interval", "120000"},
                        {"mapred.max.tracker.blacklists", "2"},
                        {"mapred.map.tasks.speculative.execution", "false"},
                        {"mapred.reduce.tasks.speculative.execution", "false"},
                        {"mapred.jobtracker.completeuserjobs.maximum", "50"},
                        {"mapred.jobtracker.retirejob.interval", "86400000"}}));
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("f.xml:3:58: warning: mapred.tasktracker.expiry.interval = "
                                    "\"120000\" is not taken over: say heartbeat.expiry"),
                          HasSubstr("\"2\" is not taken over: say tracker_faults.at_most"),
                          HasSubstr("\"false\" is not taken over: say speculation.maps"),
                          HasSubstr("\"false\" is not taken over: say speculation.reduces"),
                          HasSubstr("\"50\" is not taken over: say history.at_most"),
                          HasSubstr("\"86400000\" is not taken over: say history.keep")));
}

TEST(HadoopShapes, AQueueWhoseValuesReferToNothingIsKept) {
  const std::string queue = "mapred.capacity-scheduler.queue.";
  const HadoopImport result = shape(properties({{queue + "a.capacity", "60"},
                                                {queue + "etl.capacity", "${etl.cap}"},
                                                {queue + "b.capacity", "10"}}));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("etl.capacity = \"${etl.cap}\" is not taken "
                                                     "over: it refers to what is in none of")));
  const auto queues = good(result.yaml).settings.queues;
  EXPECT_THAT(leaves(queues), ElementsAre("a", "etl", "b"));
  EXPECT_EQ(queue_named(queues, "etl").guaranteed[0].unit, Guarantee::Unit::kUnset);
}

TEST(HadoopShapes, TasksOfAUserBecomeThoseOfAJobAndThatIsTold) {
  const std::string prefix = "mapred.capacity-scheduler.";
  const HadoopImport result =
      shape(properties({{prefix + "queue.a.capacity", "50"},
                        {prefix + "queue.b.capacity", "40"},
                        {prefix + "queue.c.capacity", "10"},
                        {prefix + "default-maximum-active-tasks-per-user", "100"},
                        {prefix + "queue.c.maximum-initialized-active-tasks-per-user", "7"}}));
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("f.xml:5:"), HasSubstr("f.xml:6:")));
  EXPECT_THAT(result.warnings,
              testing::Each(HasSubstr("-tasks-per-user is of all active jobs of a user together; "
                                      "here it is max_tasks_per_job, of each job alone")));
  const auto queues = good(result.yaml).settings.queues;
  EXPECT_EQ(queues.at(0).max_tasks_per_job, 100);
  EXPECT_EQ(queues.at(2).max_tasks_per_job, 7);
}

TEST(HadoopShapes, ATimeoutThatIsRaisedIsToldWhereItStands) {
  const HadoopImport result = shape(
      "<allocations>\n<pool name='a'/>\n"
      "<defaultMinSharePreemptionTimeout>60</defaultMinSharePreemptionTimeout>\n"
      "<fairSharePreemptionTimeout>30</fairSharePreemptionTimeout></allocations>");
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("f.xml:4:1: warning: the defaults: the fair "
                                                     "share timeout of 30s is shorter")));
}

TEST(HadoopShapes, AQueueBesideRootIsToldAsYarnRefusesIt) {
  const HadoopImport result = shape(
      "<allocations><queue name='root'><queue name='a'/></queue>\n<queue name='b'/></allocations>");
  EXPECT_THAT(result.warnings, ElementsAre("f.xml:2:1: warning: queue \"b\" stands beside root, "
                                           "which YARN refuses; it is taken over as one within"));
  EXPECT_THAT(leaves(good(result.yaml).settings.queues), ElementsAre("a", "b", "default"));
  EXPECT_THAT(shape("<allocations><queue name='a'/><queue name='b'/></allocations>").warnings,
              IsEmpty());
}

TEST(HadoopShapes, MapReducesNamesInYarnsFileAreTold) {
  const std::string yarn =
      "<allocations><queue name='a'><maxRunningJobs>3</maxRunningJobs>"
      "<poolMaxJobsDefault>2</poolMaxJobsDefault></queue>\n"
      "<user name='ben'><maxRunningJobs>9</maxRunningJobs></user>\n"
      "<userMaxJobsDefault>5</userMaxJobsDefault></allocations>";
  const std::string told = " is taken over, though YARN passes over MapReduce's names";
  EXPECT_THAT(shape(yarn).warnings,
              UnorderedElementsAre(HasSubstr("poolMaxJobsDefault of pool a = \"2\" is not taken"),
                                   "f.xml:1:30: warning: maxRunningJobs of pool a" + told,
                                   HasSubstr(":2:18: warning: maxRunningJobs of user ben" + told),
                                   HasSubstr(":3:1: warning: userMaxJobsDefault" + told)));
  EXPECT_THAT(shape("<allocations><pool name='a'><maxRunningJobs>3</maxRunningJobs></pool>"
                    "</allocations>")
                  .warnings,
              IsEmpty());
}

// Which takes pool for queue.
TEST(HadoopShapes, PoolsWithWhatOnlyYarnHasAreYarns) {
  for (const char* part :
       {"<aclSubmitApps>ann</aclSubmitApps>", "<maxRunningApps>3</maxRunningApps>",
        "<minResources>1 mb, 1 vcores</minResources>", "<pool name='b'/>"}) {
    const HadoopImport result =
        shape("<allocations><pool name='a'>" + std::string(part) + "</pool></allocations>");
    EXPECT_THAT(result.yaml, HasSubstr("pool_name_property: queue\n")) << part;
    EXPECT_THAT(result.yaml, HasSubstr("the settings of YARN's fair scheduler")) << part;
  }
  for (const char* file :
       {"<pool name='a'><weight>2</weight></pool>",
        "<pool name='a'><aclSubmitApps>ann</aclSubmitApps><minMaps>1</minMaps></pool>",
        "<pool name='a'><maxRunningApps>3</maxRunningApps></pool>"
        "<poolMaxJobsDefault>2</poolMaxJobsDefault>"}) {
    EXPECT_THAT(shape("<allocations>" + std::string(file) + "</allocations>").yaml,
                HasSubstr("the settings of MapReduce's fair scheduler"))
        << file;
  }
}

TEST(HadoopShapes, ALimitBelowNoughtLetsNothingRun) {
  const HadoopImport result = shape(
      "<allocations><pool name='a'><maxRunningJobs>-1</maxRunningJobs>\n"
      "<maxMaps>-5</maxMaps></pool>\n"
      "<user name='ann'><maxRunningJobs>-1</maxRunningJobs></user></allocations>");
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr(":1:29: warning: maxRunningJobs of pool a is -1, with which "
                                    "nothing runs in Hadoop; it is 0 here"),
                          HasSubstr("maxMaps of pool a is -5, with which"),
                          HasSubstr("maxRunningJobs of user ann is -1, with which")));
  EXPECT_THAT(result.yaml, HasSubstr("max_running_jobs: 0\n"));
  EXPECT_THAT(result.yaml, HasSubstr("max_share: {map: 0}"));
  EXPECT_THAT(result.yaml, HasSubstr("{name: ann, max_running_jobs: 0}"));
}

std::string utf16(std::u16string_view text, bool big_end_first) {
  std::string bytes;
  const auto put = [&](char16_t unit) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    bytes += big_end_first ? high : low;
    bytes += big_end_first ? low : high;
  };
  put(0xFEFF);
  for (const char16_t unit : text) put(unit);
  return bytes;
}

TEST(HadoopShapes, TextIsReadInTheEncodingsThatItSays) {
  for (const bool big : {true, false}) {
    EXPECT_EQ(utf8_of_xml(utf16(u"<a>\n\u00e4\u20ac\U0001F600</a>", big)),
              "<a>\n\u00e4\u20ac\U0001F600</a>");
    // Half a pair, or half a character, is left as it is and refused.
    for (const std::string& broken : {utf16(u"\xD83D", big), utf16(u"\xDE00", big),
                                      utf16(u"\xD83Dx", big), utf16(u"x", big) + "y"}) {
      EXPECT_EQ(utf8_of_xml(broken), broken);
      EXPECT_THAT(refusals_of({{"f.xml", broken}}),
                  ElementsAre(HasSubstr("allowed: XML in UTF-8, UTF-16 or ISO-8859-1")));
    }
  }
  const std::string latin1 = "<?xml version=\"1.0\" encoding='ISO-8859-1'?><!-- gr\xFC\xDF -->";
  EXPECT_EQ(utf8_of_xml(latin1).substr(latin1.find("<!")), "<!-- gr\u00fc\u00df -->");
  for (const std::string& other :
       {std::string("<?xml version='1.0' encoding='ISO-8859-15'?>\xFC"), std::string("\xFC"),
        std::string("<?xml version='1.0'?>\n<!-- encoding='iso-8859-1' \xFC -->")})
    EXPECT_EQ(utf8_of_xml(other), other);
  EXPECT_EQ(utf8_of_xml("\xEF\xBB\xBF<a/>"), "<a/>");
}

TEST(HadoopShapes, PlacesAreThoseOfTheTextAsItIsRead) {
  std::u16string text = u"<allocations>\n<!-- \u00e4\u00f6 --><b/></allocations>";
  EXPECT_THAT(shape(utf16(text, false)).warnings,
              ElementsAre(HasSubstr("f.xml:2:12: warning: b = \"\" is not taken over")));
}

}  // namespace
}  // namespace weir
