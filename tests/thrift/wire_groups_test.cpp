// Applications on the wire: there and back, and refused where something of them cannot be.
#include "thrift/wire_groups.h"

#include <gtest/gtest.h>

#include "thrift/convert.h"
#include "thrift/wire_views.h"

namespace weir {
namespace {

// Nothing in it is as it would be of itself.
JobSpec application() {
  JobSpec spec;
  spec.name = "train";
  spec.user = "ann";
  spec.queue = "vision";
  spec.reduces = 0;
  spec.task_timeout_ms = 0;
  spec.service = true;
  TaskGroupSpec& ps = spec.task_groups.emplace_back();
  ps.name = "ps";
  ps.count = 2;
  ps.command = "./ps.sh\n./more.sh";
  ps.asked = {2048, 3, {{"gpu", 2}}};
  ps.replace = true;
  ps.require = {{"disk", {"ssd"}, false}, {"rack", {"r8", "r9"}, true}};
  ps.spread = Spread{"zone", 4};
  ps.retries = 7;
  ps.ports = 5;
  ps.environment = {{"MODE", "a b"}};
  TaskGroupSpec& worker = spec.task_groups.emplace_back();
  worker.name = "worker";
  worker.command = "true";
  return spec;
}

TEST(WireGroups, AnApplicationComesBackAsItWas) {
  const JobSpec sent = application();
  const auto back = from_wire(to_wire(sent), Caller{"ann", {}});
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->task_groups, sent.task_groups);
  EXPECT_TRUE(back->service);
  EXPECT_EQ(back->reduces, 0u);
  EXPECT_EQ(back->task_timeout_ms, 0);
  EXPECT_EQ(back->output, "");
  EXPECT_EQ(to_wire(*back), to_wire(sent));
}

TEST(WireGroups, TheStoreKeepsIt) {
  const auto back = decode_job_spec(encode_job_spec(application()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->task_groups, application().task_groups);
}

TEST(WireGroups, WithoutANameItIsCalledByItsFirstGroup) {
  wire::JobSpec sent = to_wire(application());
  sent.name.clear();
  EXPECT_EQ(from_wire(sent, Caller{"ann", {}})->name, "ps");
}

// The field that is told, of a spec that `change` has spoilt.
template <class Change>
std::string refusal(Change change) {
  wire::JobSpec sent = to_wire(application());
  change(sent);
  const auto read = from_wire(sent, Caller{"ann", {}});
  return read.ok() ? "taken" : read.error().message;
}

TEST(WireGroups, WhatCannotBeIsRefusedByItsGroup) {
  using Spec = wire::JobSpec;
  EXPECT_EQ(refusal([](Spec&) {}), "taken");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[0].count = -1; }),
            "group ps: count: -1 is out of range");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[1].command.clear(); }),
            "group worker: command: is empty");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[1].name = "ps"; }),
            "groups: there are two named ps");
  for (const char* name : {"", "m", "r", "Ps", "0a", "a.b"}) {
    EXPECT_EQ(refusal([&](Spec& s) { s.task_groups[1].name = name; }),
              "groups: '" + std::string(name) + "' is no name of a group");
  }
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[0].resources.memory_mb = -5; }),
            "group ps: resources: memory_mb: -5 is out of range");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[0].resources.named["gpu"] = -1; }),
            "group ps: resources: gpu: -1 is out of range");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[0].ports = 101; }),
            "group ps: ports: 101 is out of range");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[0].__set_gang(100); }),
            "group ps: gang: 100 is out of range");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[0].require[0].values.clear(); }),
            "group ps: require disk: number of values: 0 is out of range");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[0].spread.max_skew = 0; }),
            "group ps: spread: max_skew: 0 is out of range");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[1].__set_time_limit_ms(5); }),
            "group worker: time_limit: the job is a service, which runs until it is killed");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups[1].environment["a=b"] = ""; }),
            "group worker: environment[a=b]: a key with `=` in it");
  EXPECT_EQ(refusal([](Spec& s) { s.task_groups.resize(65, s.task_groups[0]); }),
            "groups: number of groups: 65 is out of range");
  EXPECT_EQ(refusal([](Spec& s) { s.mapper = "cat"; }), "mapper: belongs to maps and reduces");
  EXPECT_EQ(refusal([](Spec& s) { s.output = "/out"; }), "output: belongs to maps and reduces");
}

TEST(WireGroups, AServiceIsAnApplication) {
  JobSpec spec;
  spec.name = "count";
  spec.queue = "a";
  spec.input_files = {"/in"};
  spec.splits.resize(1);
  spec.output = "/out";
  spec.mapper = spec.reducer = "cat";
  wire::JobSpec sent = to_wire(spec);
  ASSERT_TRUE(from_wire(sent, Caller{"ann", {}}).ok());
  sent.__set_is_service(true);
  EXPECT_EQ(from_wire(sent, Caller{"ann", {}}).error().message,
            "is_service: the job has no task_groups");
}

TEST(WireGroups, AttemptsOfGroupsHaveTheirNumber) {
  const AttemptKey key{{JobId(7), group_kind(3), 4}, 5};
  wire::AttemptId id = to_wire(key);
  EXPECT_EQ(id.kind, wire::TaskKind::TASK);
  EXPECT_EQ(id.group, 3);
  EXPECT_EQ(*from_wire(id), key);
  for (const int group : {-1, 64}) {
    id.__set_group(group);
    EXPECT_EQ(from_wire(id).error().message,
              "attempt.group: " + std::to_string(group) + " is none");
  }
}

TEST(WireGroups, WhatATrackerOffersAndGrants) {
  RegisterTracker sent;
  sent.name = "tt1";
  sent.host = "here";
  sent.total = Resources{{1, 2, 3, 4}};
  sent.named = {{"gpu", 2}};
  sent.labels = {{"disk", "ssd"}};
  sent.port_count = 9;
  wire::Registration registration = to_wire(sent);
  const auto back = from_wire(registration);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->named, sent.named);
  EXPECT_EQ(back->labels, sent.labels);
  EXPECT_EQ(back->port_count, 9u);
  registration.labels["rack"] = "r1";
  EXPECT_EQ(from_wire(registration).error().message, "labels[rack]: every tracker has it");
  registration.labels.clear();
  registration.total.named["gpu"] = -1;
  EXPECT_EQ(from_wire(registration).error().message, "total.named[gpu]: -1 is out of range");

  HeartbeatReply reply;
  auto grant = std::make_shared<Grant>();
  grant->container = Resources{{0, 0, 512, 2}};
  grant->units = {{"gpu", {0, 3}}};
  grant->ports = 2;
  reply.launch.push_back({{{JobId(1), group_kind(0), 0}, 1}, {}, true, grant});
  const HeartbeatReply told = from_wire(to_wire(reply));
  ASSERT_EQ(told.launch.size(), 1u);
  ASSERT_NE(told.launch[0].grant, nullptr);
  EXPECT_EQ(told.launch[0].grant->container, grant->container);
  EXPECT_EQ(told.launch[0].grant->units, grant->units);
  EXPECT_EQ(told.launch[0].grant->ports, 2u);

  AttemptReport report;
  report.attempt = reply.launch[0].attempt;
  report.units = std::make_shared<const Units>(grant->units);
  const auto read = from_wire(to_wire(report));
  ASSERT_TRUE(read.ok());
  ASSERT_NE(read->units, nullptr);
  EXPECT_EQ(*read->units, grant->units);
}

TEST(WireGroups, AQueuesAmountsComeBackAsTheyWere) {
  QueueView queue;
  queue.name = "a";
  queue.amounts = {{"memory_mb", {.running = 1, .pending = 2, .maximum = 3}},
                   {"gpu", {.guaranteed = 4, .allocated = 5, .lends = 6, .borrows = 7}}};
  EXPECT_EQ(from_wire(to_wire(queue)), queue);
}

}  // namespace
}  // namespace weir
