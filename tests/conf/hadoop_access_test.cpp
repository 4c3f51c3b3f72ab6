// Who may use a queue that comes from Hadoop's files, and whose queue a job goes to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conf/hadoop_texts.h"

namespace weir {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(HadoopAccess, ListsCountWhereHadoopLooksAtThem) {
  // As shipped: nobody is listed, and nobody looks.
  const std::string shipped =
      "<queues><queue><name>default</name><properties/><state>running</state>\n"
      "<acl-submit-job> </acl-submit-job>\n"
      "<acl-administer-jobs> </acl-administer-jobs></queue></queues>";
  const HadoopImport open = imported_texts({{"q.xml", shipped}});
  EXPECT_THAT(open.warnings,
              ElementsAre("q.xml:2:1: warning: acl-submit-job of queue default = \"\" is not taken "
                          "over: lists do not count in these files, as acls are not enabled",
                          HasSubstr("q.xml:3:1: warning: acl-administer-jobs of queue default")));
  const Loaded loaded = good(open.yaml);
  EXPECT_EQ(loaded.settings.policy, "fifo");
  EXPECT_EQ(loaded.settings.queues[0].submit, std::nullopt);
  // The property does the same as the attribute.
  const std::string site = properties({{"mapreduce.cluster.acls.enabled", "true"}});
  EXPECT_THAT(
      *good(imported_texts({{"q.xml", shipped}, {"s.xml", site}}).yaml).settings.queues[0].submit,
      IsEmpty());
  // Lists alone are for a cluster that looks at them.
  const HadoopImport lists = imported_texts(
      {{"acls.xml", properties({{"mapred.queue.b.acl-submit-job", "ann"},
                                {"mapred.queue.a.acl-submit-job", "bob, @x,* crew"}})}});
  EXPECT_THAT(
      lists.warnings,
      ElementsAre(HasSubstr("acls.xml:2:53: warning: mapred.queue.b.acl-submit-job is taken "
                            "over; Hadoop looks at lists only where"),
                  HasSubstr("acls.xml:2:53: warning: queue b has no list for administering"),
                  HasSubstr("acls.xml:3:53: warning: mapred.queue.a.acl-submit-job names "
                            "\"@x\" among others"),
                  HasSubstr("names \"*\" among others"),
                  HasSubstr("acls.xml:3:53: warning: queue a has no list for administering")));
  const auto queues = good(lists.yaml).settings.queues;
  EXPECT_THAT(leaves(queues), ElementsAre("b", "a"));
  EXPECT_THAT(*queues[1].submit, ElementsAre("bob", "@crew"));
  const std::string off = properties({{"mapred.acls.enabled", "false"},
                                      {"mapred.queue.names", "a,a"},
                                      {"mapred.queue.a.acl-submit-job", "ann"},
                                      {"mapred.queue.a.weight", "3"}});
  const HadoopImport ignored = imported_texts({{"s.xml", off}});
  EXPECT_THAT(
      ignored.warnings,
      ElementsAre(HasSubstr("s.xml:3:42: warning: mapred.queue.names names \"a\" twice"),
                  HasSubstr("s.xml:4:53: warning: mapred.queue.a.acl-submit-job = \"ann\" "
                            "is not taken over: lists do not count"),
                  HasSubstr("s.xml:5:45: warning: mapred.queue.a.weight = \"3\" is not taken "
                            "over: it has no counterpart")));
  EXPECT_EQ(good(ignored.yaml).settings.queues[0].submit, std::nullopt);
}

TEST(HadoopAccess, YarnsListsCountUnlessItSaysNo) {
  const std::string off = properties({{"yarn.acl.enable", "false"}});
  const std::string queues =
      "<allocations><queue name='a'>\n<aclSubmitApps>ann</aclSubmitApps></queue></allocations>";
  const HadoopImport fair = imported_texts({{"s.xml", off}, {"f.xml", queues}});
  EXPECT_THAT(fair.warnings,
              ElementsAre("f.xml:2:1: warning: aclSubmitApps of pool a = \"ann\" is not taken "
                          "over: yarn.acl.enable is false, and everybody may"));
  EXPECT_EQ(good(fair.yaml).settings.queues[0].submit, std::nullopt);
  EXPECT_THAT(imported_texts({{"f.xml", queues}}).warnings,
              ElementsAre(HasSubstr("aclSubmitApps of pool a is taken over; in YARN it had no "
                                    "effect, as root's list, which is *")));
  const std::string root = "yarn.scheduler.capacity.root.";
  const HadoopImport capacity =
      imported_texts({{"s.xml", properties({{"yarn.acl.enable", "false"},
                                            {root + "queues", "a"},
                                            {root + "a.acl_administer_queue", "ann"}})}});
  EXPECT_THAT(capacity.warnings, ElementsAre(HasSubstr("a.acl_administer_queue = \"ann\" is not "
                                                       "taken over: yarn.acl.enable is false")));
}

// Absent lists for administering are administrators' alone here: what Hadoop says is said.
TEST(HadoopAccess, WhereEverybodyAdministersItIsSaid) {
  const std::string acls = properties({{"yarn.acl.enable", "true"}});
  const std::string pools =
      "<allocations><queue name='root'><aclAdministerApps>*</aclAdministerApps>\n"
      "<queue name='a'><queue name='c'/></queue>\n"
      "<queue name='b'><aclAdministerApps>ann</aclAdministerApps></queue></queue></allocations>";
  const HadoopImport fair = imported_texts({{"s.xml", acls}, {"f.xml", pools}});
  const auto queues = good(fair.yaml).settings.queues;
  EXPECT_THAT(*queues[0].administer, ElementsAre("*"));
  EXPECT_THAT(*queues[1].administer, Not(Contains("*")));  // its own is kept, and that is told
  EXPECT_THAT(fair.warnings, ElementsAre(HasSubstr("aclAdministerApps of pool b is taken over; in "
                                                   "YARN it had no effect")));
  const std::string root = "yarn.scheduler.capacity.root.";
  const HadoopImport capacity = imported_texts(
      {{"s.xml", properties({{"yarn.acl.enable", "true"},
                             {root + "queues", "a"},
                             {root + "acl_administer_queue", "*"}})}});
  EXPECT_THAT(*good(capacity.yaml).settings.queues[0].administer, ElementsAre("*"));
  const HadoopImport admins = imported_texts({{"s.xml", properties({{"yarn.admin.acl", "*"},
                                                                    {root + "queues", "a"}})}});
  EXPECT_THAT(admins.warnings,
              ElementsAre(HasSubstr("yarn.admin.acl is *: everybody may administer the queues")));
  EXPECT_THAT(*good(admins.yaml).settings.queues[0].administer, ElementsAre("*"));
}

// mapred.acls.enabled stands where mapred.queue.names does, and is off unless it is set.
TEST(HadoopAccess, ListsBesideTheNamesOfTheQueuesAreOffUnlessSwitchedOn) {
  const std::string lists = properties({{"mapred.queue.default.acl-submit-job", " "}});
  const std::string names = properties({{"mapred.queue.names", "default,load"}});
  const HadoopImport off = imported_texts({{"acls.xml", lists}, {"s.xml", names}});
  EXPECT_THAT(off.warnings,
              ElementsAre(HasSubstr("acls.xml:2:59: warning: mapred.queue.default.acl-submit-job = "
                                    "\"\" is not taken over: lists do not count")));
  EXPECT_EQ(good(off.yaml).settings.queues[0].submit, std::nullopt);
  const std::string on =
      properties({{"mapred.queue.names", "default,load"}, {"mapred.acls.enabled", "true"}});
  const HadoopImport counted = imported_texts({{"acls.xml", lists}, {"s.xml", on}});
  EXPECT_THAT(counted.warnings,
              ElementsAre(HasSubstr("queue default has no list for administering"),
                          HasSubstr("queue load has no list for administering")));
  EXPECT_THAT(*good(counted.yaml).settings.queues[0].submit, IsEmpty());
}

// Who may administer a queue may submit to it here, so an absent list does not open it to all.
TEST(HadoopAccess, NobodySubmitsToAMapReduceQueueByAnAbsentListForAdministering) {
  const std::string queue = "mapred.queue.";
  const HadoopImport result =
      imported_texts({{"s.xml", properties({{"mapred.acls.enabled", "true"},
                                            {"mapred.queue.names", "prod,free,ops"},
                                            {queue + "prod.acl-submit-job", "alice"},
                                            {queue + "ops.acl-submit-job", "alice"},
                                            {queue + "ops.acl-administer-jobs", "alice,bob crew"},
                                            {"mapreduce.cluster.administrators", "mapred"}})}});
  const auto queues = good(result.yaml).settings.queues;
  EXPECT_EQ(queue_named(queues, "prod").administer, std::nullopt);
  EXPECT_THAT(*queue_named(queues, "free").administer, ElementsAre("*"));
  EXPECT_THAT(*queue_named(queues, "ops").administer, ElementsAre("alice", "bob", "@crew"));
  EXPECT_THAT(
      result.warnings,
      ElementsAre("s.xml:4:56: warning: queue prod has no list for administering, which is "
                  "everybody in Hadoop; here that is left to the administrators, as who may "
                  "administer a queue may submit to it",
                  "s.xml:6:60: warning: mapred.queue.ops.acl-administer-jobs has bob, @crew, who "
                  "may not submit there in Hadoop; here who may administer a queue may submit to "
                  "it as well"));
}

TEST(HadoopAccess, AnInnerQueueIsNotOpenedOverItsChildrensLists) {
  const std::string tree =
      "<queues aclsEnabled='true'><queue><name>a</name><queue><name>b</name>\n"
      "<acl-submit-job>ann</acl-submit-job></queue></queue></queues>";
  const std::string site = properties({{"mapreduce.cluster.administrators", "mapred"}});
  const auto queues = good(imported_texts({{"q.xml", tree}, {"s.xml", site}}).yaml).settings.queues;
  EXPECT_EQ(queues.at(0).administer, std::nullopt);
  EXPECT_THAT(*queues.at(0).queues.at(0).administer, IsEmpty());
}

TEST(HadoopAccess, WhereAnAbsentListForAdministeringIsTheAdministratorsItIsSaid) {
  const auto with = [](const std::string& enabled) {
    return imported_texts({{"s.xml", properties({{"mapred.acls.enabled", enabled},
                                                 {"mapred.queue.names", "a"}})}});
  };
  EXPECT_THAT(with("true").warnings,
              ElementsAre("s.xml:3:42: warning: queue a has no list for administering, which is "
                          "everybody in Hadoop; here that is left to the administrators"));
  EXPECT_THAT(with("false").warnings, IsEmpty());  // nobody looks at lists
}

struct PlacementCase {
  const char* rules;
  const char* property;
  bool refuse;
  std::vector<const char*> named;
};

TEST(HadoopAccess, PlacementSaysWhoseThePoolIs) {
  const PlacementCase cases[] = {
      {"<rule name='specified'/><rule name='user'/><rule name='default'/>",
       "queue",
       false,
       {"makes queues on demand", "= \"user\" is not taken over"}},
      {"<rule name='specified' create='false'/><rule name='reject'/>", "queue", true, {}},
      {"<rule name='user'/>", "user", false, {}},
      {"<rule name='primaryGroup' create='true'/><rule name='default'/>", "group", false, {}},
      {"<rule name='user' create='false'/><rule name='default'/>",
       "queue",
       false,
       {"= \"user\" is not taken over", "= \"default\" is not taken over"}},
      {"<rule name='secondaryGroupExistingQueue'/><rule name='reject'/><x/>",
       "queue",
       false,
       {"= \"secondaryGroupExistingQueue\" is not", "= \"reject\" is not", "x of queuePlacement"}},
  };
  for (const PlacementCase& test : cases) {
    SCOPED_TRACE(test.rules);
    const HadoopImport result =
        imported_texts({{"f.xml", std::string("<allocations><queuePlacementPolicy>") + test.rules +
                                      "</queuePlacementPolicy><queue name='a'/></allocations>"}});
    ASSERT_EQ(result.warnings.size(), test.named.size());
    for (std::size_t i = 0; i < test.named.size(); ++i)
      EXPECT_THAT(result.warnings[i], HasSubstr(test.named[i]));
    const Loaded loaded = good(result.yaml);
    EXPECT_EQ(fair_of(loaded).pool_name_property, test.property);
    EXPECT_EQ(fair_of(loaded).undeclared_pools_allowed, !test.refuse);
    EXPECT_THAT(leaves(loaded.settings.queues), ElementsAre("a", "default"));
  }
  EXPECT_THAT(refusals_of({{"f.xml",
                            "<allocations><queuePlacementPolicy>\n<rule name='best'/>"
                            "</queuePlacementPolicy></allocations>"}}),
              ElementsAre(HasSubstr("f.xml:2:1: rule of queuePlacementPolicy is \"best\", allowed: "
                                    "specified, user, ")));
}

TEST(HadoopAccess, WhatYarnsSiteSaysOfUndeclaredQueues) {
  const std::string site = properties({{"yarn.scheduler.fair.allow-undeclared-pools", "false"},
                                       {"yarn.scheduler.fair.user-as-default-queue", "true"},
                                       {"yarn.scheduler.fair.locality.threshold.node", "-1.0"},
                                       {"yarn.scheduler.fair.max.assign", "-1"},
                                       {"yarn.scheduler.fair.preemptionInterval", "99999999"}});
  const std::string pools = "<allocations><pool name='root.a'/></allocations>";
  const HadoopImport result = imported_texts({{"s.xml", site}, {"f.xml", pools}});
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("user-as-default-queue = \"true\" is not taken over: every"),
                          HasSubstr("preemptionInterval is 99999999; it is 1h here")));
  const Loaded loaded = good(result.yaml);
  EXPECT_THAT(loaded.settings.notices, IsEmpty());  // default is declared
  EXPECT_FALSE(fair_of(loaded).undeclared_pools_allowed);
  EXPECT_EQ(fair_of(loaded).locality_delay.mode, LocalityDelaySettings::Mode::kOff);
  EXPECT_THAT(leaves(loaded.settings.queues), ElementsAre("a", "default"));
  const std::string policy =
      "<allocations><queuePlacementPolicy><rule name='user'/></queuePlacementPolicy></allocations>";
  EXPECT_THAT(imported_texts({{"s.xml", site}, {"f.xml", policy}}).warnings,
              Contains(HasSubstr("allow-undeclared-pools = \"false\" is not taken over: "
                                 "queuePlacementPolicy decides instead")));
}

}  // namespace
}  // namespace weir
