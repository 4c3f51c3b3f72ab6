// The tracker that runs nothing reports as a real one would: what ended is told until it is
// acknowledged, what is launched once is held once.
#include "bench/wire/wire_tracker.h"

#include <gtest/gtest.h>

namespace weir::bench {
namespace {

wire::AttemptId map(std::int32_t index) {
  wire::AttemptId id;
  id.job = 7;
  id.index = index;
  return id;
}

wire::HeartbeatReply launching(std::int32_t first, std::int32_t last) {
  wire::HeartbeatReply reply;
  for (std::int32_t index = first; index <= last; ++index)
    reply.launch.emplace_back().id = map(index);
  return reply;
}

std::size_t succeeded(const wire::Heartbeat& report) {
  std::size_t count = 0;
  for (const auto& attempt : report.attempts)
    count += attempt.state == wire::AttemptState::SUCCEEDED;
  return count;
}

TEST(WireTracker, HoldsALaunchThatIsRepeatedOnce) {
  WireTracker tracker("tt1", 4);
  EXPECT_EQ(tracker.obey(launching(0, 2)), 3u);
  EXPECT_EQ(tracker.obey(launching(2, 3)), 1u);
  EXPECT_EQ(tracker.held(), 4u);
}

TEST(WireTracker, TellsWhatIsDoneUntilItIsAcknowledged) {
  WireTracker tracker("tt1", 4);
  tracker.obey(launching(0, 3));
  EXPECT_EQ(succeeded(tracker.report(3)), 3u);
  tracker.obey({});
  EXPECT_EQ(succeeded(tracker.report(0)), 3u);
  wire::HeartbeatReply reply = launching(4, 4);
  reply.acknowledged = {map(0), map(3)};  // the last one runs: nothing to acknowledge
  tracker.obey(reply);
  const wire::Heartbeat& report = tracker.report(0);
  EXPECT_EQ(report.sequence, 3);
  EXPECT_EQ(succeeded(report), 2u);
  EXPECT_EQ(tracker.held(), 4u);
  EXPECT_EQ(succeeded(tracker.report(9)), 4u);  // no more than there are
}

TEST(WireTracker, SaysOfAKilledAttemptThatItIs) {
  WireTracker tracker("tt1", 2);
  tracker.obey(launching(0, 1));
  wire::HeartbeatReply reply;
  reply.kill = {map(1)};
  tracker.obey(reply);
  EXPECT_EQ(tracker.report(0).attempts[1].state, wire::AttemptState::KILLED);
  EXPECT_EQ(tracker.report(0).attempts[0].state, wire::AttemptState::RUNNING);
}

}  // namespace
}  // namespace weir::bench
