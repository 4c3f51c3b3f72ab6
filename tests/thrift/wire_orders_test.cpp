// What the JobTracker answers, there and back: each field set to what it is not of itself.
#include <gtest/gtest.h>

#include "thrift/wire_job.h"
#include "thrift/wire_tracker.h"

namespace weir {
namespace {

wire::AttemptId attempt(std::int32_t number) {
  return to_wire(AttemptKey{{JobId(7), TaskKind::kReduce, 3}, static_cast<std::uint32_t>(number)});
}

wire::HeartbeatReply full_orders() {
  wire::HeartbeatReply orders;
  orders.interval_ms = 300;
  orders.launch.resize(2);
  orders.launch[0].id = attempt(1);
  orders.launch[0].__set_compute_granted(false);
  wire::Split split;
  split.file = 2;
  split.offset = 5;
  split.length = 6;
  split.more.resize(1);
  split.more[0].file = 1;
  split.more[0].offset = 8;
  split.more[0].length = 9;
  split.__isset.more = true;
  orders.launch[0].__set_split(split);
  orders.launch[1].id = attempt(2);
  orders.launch[1].__set_compute_granted(true);
  orders.kill = {attempt(3)};
  orders.commit = {attempt(4)};
  orders.acknowledged = {attempt(5), attempt(6)};
  orders.drop_jobs = {8};
  orders.duties.resize(1);
  orders.duties[0].job = 9;
  orders.duties[0].succeed = true;
  orders.duties[0].output = "/out";
  orders.duties[0].__set_owner("job_0009 1");
  orders.duties[0].__set_parts(3);
  orders.duties[0].__set_user("ann");
  orders.__set_compute_granted({attempt(7)});
  orders.__set_out_of_band_gap_ms(50);
  orders.__set_leave("stopped by root");
  return orders;
}

TEST(WireOrders, ComeBackAsTheyWere) {
  const wire::HeartbeatReply sent = full_orders();
  EXPECT_EQ(to_wire(from_wire(sent)), sent);
  wire::RegistrationReply registered;
  registered.interval_ms = 4;
  EXPECT_EQ(to_wire(from_wire(registered)), registered);
}

TEST(WireOrders, AbsentFieldsHaveTheirMeaning) {
  wire::HeartbeatReply sent;
  sent.launch.resize(1);
  sent.launch[0].id = attempt(0);
  sent.duties.resize(1);
  sent.duties[0].job = 1;
  const HeartbeatReply orders = from_wire(sent);
  EXPECT_TRUE(orders.launch.at(0).compute_granted);
  EXPECT_FALSE(orders.launch[0].split);
  EXPECT_EQ(orders.duties.at(0).owner, "");
  EXPECT_EQ(orders.duties[0].parts, 0);
  EXPECT_EQ(orders.leave, "");
}

// One that cannot be meant spoils none of the others.
TEST(WireOrders, WhatNoTrackerCanHoldIsLeftOut) {
  wire::HeartbeatReply sent = full_orders();
  for (auto* list : {&sent.kill, &sent.commit, &sent.acknowledged, &sent.compute_granted}) {
    list->insert(list->begin(), 3, attempt(0));
    (*list)[0].job = -1;
    (*list)[1].index = -1;
    (*list)[2].kind = wire::TaskKind::type(9);
  }
  sent.launch.insert(sent.launch.begin(), sent.launch[1]);
  sent.launch[0].id.job = INT64_MAX;
  sent.drop_jobs = {0, 8, -5};
  sent.duties.insert(sent.duties.begin(), sent.duties[0]);
  sent.duties[0].job = 0;
  EXPECT_EQ(to_wire(from_wire(sent)), full_orders());
}

wire::JobDescription full_description() {
  wire::JobDescription job;
  job.job = 7;
  job.job_name = "job_0007";
  job.user = "alice";
  job.maps = 12;
  job.__set_owner("job_0007 1");
  wire::JobSpec& spec = job.spec;
  spec.name = "a job";
  spec.queue = "q";
  spec.input_files = {"/a", "/b"};
  spec.output = "/out";
  spec.mapper = "m";
  spec.__set_reducer("r");
  spec.__set_combiner("c");
  spec.__set_reduces(4);
  spec.__set_priority("HIGH");
  spec.__set_conf({{"k", "v"}});
  spec.__set_max_attempts(5);
  spec.__set_task_timeout_ms(6);
  spec.__set_slowstart_millionths(7);
  spec.__set_slots_per_map(2);
  spec.__set_slots_per_reduce(3);
  spec.__set_map_memory_mb(8);
  spec.__set_reduce_memory_mb(9);
  spec.__set_sort_memory_mb(10);
  spec.__set_environment({{"e", "f"}});
  spec.__set_working_directory("/w");
  spec.__set_hold(true);
  spec.__set_time_limit_ms(11);
  spec.files.resize(1);
  spec.files[0].name = "f";
  spec.files[0].content = "content";
  spec.files[0].__set_executable(true);
  spec.__isset.files = true;
  return job;
}

TEST(WireOrders, DescriptionsComeBackAsTheyWere) {
  const wire::JobDescription sent = full_description();
  const auto job = from_wire(sent);
  ASSERT_TRUE(job.ok()) << job.error().message;
  EXPECT_EQ(to_wire(*job), sent);
  EXPECT_EQ(job->spec->tasks(TaskKind::kMap), 12u);
}

TEST(WireOrders, RefusesDescriptionsOfNoJob) {
  const auto refused = [](auto spoil) {
    wire::JobDescription job = full_description();
    spoil(job);
    return !from_wire(job).ok();
  };
  EXPECT_TRUE(refused([](auto& job) { job.job = 0; }));
  EXPECT_TRUE(refused([](auto& job) { job.maps = -1; }));
  EXPECT_TRUE(refused([](auto& job) { job.spec.reduces = -1; }));
  EXPECT_FALSE(refused([](auto& job) { job.spec.priority = "of a newer JobTracker"; }));
}

TEST(WireOrders, MapOutputsComeBackAsTheyWere) {
  wire::MapOutputs sent;
  sent.outputs.resize(1);
  sent.outputs[0].map_index = 1;
  sent.outputs[0].attempt = 2;
  sent.outputs[0].obsolete = true;
  sent.outputs[0].host = "tt1";
  sent.outputs[0].port = 4000;
  sent.next_from = 3;
  sent.maps = 4;
  sent.__set_list_id(5);
  EXPECT_EQ(to_wire(from_wire(sent)), sent);
  wire::MapOutputs odd = sent;
  odd.outputs.insert(odd.outputs.begin(), 2, sent.outputs[0]);
  odd.outputs[0].map_index = odd.outputs[1].attempt = -1;
  EXPECT_EQ(to_wire(from_wire(odd)), sent);
}

}  // namespace
}  // namespace weir
