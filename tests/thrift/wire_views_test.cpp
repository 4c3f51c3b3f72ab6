// What readers are shown comes back from the wire as it was: with every field set, and with all
// that may be absent absent.
#include "thrift/wire_views.h"

#include <gtest/gtest.h>

#include "support/sample_views.h"

namespace weir {
namespace {

template <class View>
void expect_comes_back(const View& full) {
  EXPECT_EQ(from_wire(to_wire(full)), full);
  // JobId() is no number of a job, and comes back as it is, too.
  EXPECT_EQ(from_wire(to_wire(View())), View());
  EXPECT_FALSE(full == View());
}

TEST(WireViews, ComeBackAsTheyWere) {
  expect_comes_back(full_job());
  expect_comes_back(ExplanationView{full_job(), {{"CODE", "because", {{"have", 3}}}}});
  expect_comes_back(full_attempt());
  expect_comes_back(full_queue());
  expect_comes_back(full_tracker());
  expect_comes_back(full_policy());
  expect_comes_back(SettingView{"name", "value", "default"});
  expect_comes_back(SettingsRecordView{1, 2, "root", "fair", "weir.yaml"});
  expect_comes_back(full_diff());
  expect_comes_back(full_server());
}

TEST(WireViews, PartsMayBeThereWithoutTheirOptionalFields) {
  QueueView queue = full_queue();
  queue.users = {{.user = "bob"}};
  queue.users.push_back({.user = "ann", .amounts = {{.dimension = "vcores", .running = 2}}});
  queue.claims = {{.slots = 3}};
  queue.kills.push_back({.victim = "a", .slots = 1});  // of slots
  queue.priorities = true;
  queue.submit->clear();  // nobody may, which is not everybody
  EXPECT_EQ(from_wire(to_wire(queue)), queue);
  TrackerView tracker = full_tracker();
  tracker.order->reason.reset();
  EXPECT_EQ(from_wire(to_wire(tracker)), tracker);
  PolicyView policy = full_policy();
  policy.outlooks[0].shares[0].maps = {.running = 1, .pending = 2};
  EXPECT_EQ(from_wire(to_wire(policy)), policy);
}

// Others than the command line read them, too.
TEST(WireViews, CarryTheNamesThatFollowFromIds) {
  EXPECT_EQ(to_wire(full_job()).job_name, "job_0007");
  EXPECT_EQ(to_wire(full_attempt()).name, "attempt_0007_r_000012_3");
}

TEST(WireViews, FlagsAndListsAreSentWhereThereIsSomethingToSay) {
  EXPECT_FALSE(to_wire(JobView()).__isset.from_history);
  EXPECT_FALSE(to_wire(AttemptView()).__isset.speculative);
  EXPECT_FALSE(to_wire(TrackerView()).__isset.faults);
  EXPECT_FALSE(to_wire(TrackerView()).__isset.order);
  EXPECT_TRUE(to_wire(QueueView()).__isset.kills);
  QueueView queue;
  queue.users.resize(1);
  queue.kills.resize(1);
  EXPECT_FALSE(to_wire(queue).users[0].__isset.amounts);
  EXPECT_FALSE(to_wire(queue).kills[0].__isset.container);
  EXPECT_TRUE(to_wire(PolicyView()).__isset.outlooks);
}

TEST(WireViews, ListsKeepTheirOrder) {
  const std::vector<SettingView> settings = {{"b", "1", ""}, {"a", "2", ""}};
  EXPECT_EQ(list_from_wire(list_to_wire(settings)), settings);
}

}  // namespace
}  // namespace weir
