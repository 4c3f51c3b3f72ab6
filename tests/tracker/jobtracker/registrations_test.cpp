// A tracker is one from its first heartbeat on, and there are at most so many.
#include "tracker/jobtracker/registrations.h"

#include <gtest/gtest.h>

#include "harness.h"
#include "tracker/jobtracker/wire_pages.h"

namespace weir {
namespace {

RegisterTracker tracker_named(const std::string& name, std::int64_t incarnation = 1) {
  RegisterTracker registration;
  registration.name = name;
  registration.incarnation = incarnation;
  registration.host = "host";
  registration.total = Resources{{2, 2, 0, 0}};
  return registration;
}

TEST(Registrations, AreTakenByTheHeartbeatOfTheSameLife) {
  Registrations noted(10);
  ASSERT_TRUE(noted.note(tracker_named("tt1", 5), "a", 0, 0));
  EXPECT_FALSE(noted.take("tt1", 4, "", "a").has_value());
  EXPECT_FALSE(noted.take("tt2", 5, "", "a").has_value());
  ASSERT_TRUE(noted.note(tracker_named("tt1", 6), "a", 0, 0));  // restarted meanwhile
  EXPECT_EQ(noted.places(), 1u);
  EXPECT_FALSE(noted.take("tt1", 5, "", "a").has_value());
  EXPECT_EQ(noted.take("tt1", 6, "", "a")->name, "tt1");
  EXPECT_FALSE(noted.take("tt1", 6, "", "a").has_value());
  EXPECT_EQ(noted.places(), 0u);
}

TEST(Registrations, AreBoundedWithTheTrackersThatAreThere) {
  Registrations noted(3);
  EXPECT_TRUE(noted.note(tracker_named("tt1"), "a", 2, 0));
  const Status refused = noted.note(tracker_named("tt2"), "b", 2, 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_EQ(refused.error().message, "there are 3 trackers, the most allowed");
  EXPECT_EQ(refused.error().hint, "limits.max_trackers of weir.yaml is 3");
  EXPECT_TRUE(noted.note(tracker_named("tt1"), "a", 2, 0));  // the same again
}

// How many forged ones of an address are taken.
std::size_t flood(Registrations& noted, const std::string& address, std::size_t paths = 0) {
  for (std::size_t n = 0;; ++n) {
    RegisterTracker forged = tracker_named(address + std::to_string(n));
    forged.local_paths.assign(paths, std::string(4000, 'p'));
    if (!noted.note(forged, address, 0, 0)) return n;
  }
}

TEST(Registrations, OfOneAddressLeaveRoomForOthers) {
  Registrations noted(100);
  EXPECT_EQ(flood(noted, "eve"), 50u);
  EXPECT_EQ(flood(noted, "mallory"), 25u);
  EXPECT_TRUE(noted.note(tracker_named("tt1"), "bob", 0, 0));
}

// A forger who registers in another's name, in what would be its very life, replaces nothing.
TEST(Registrations, OfAnotherAddressReplaceNothing) {
  Registrations noted(10);
  RegisterTracker own = tracker_named("tt1", 5), forged = own;
  own.host = "own";
  forged.host = "forged";
  ASSERT_TRUE(noted.note(own, "a", 0, 0));
  ASSERT_TRUE(noted.note(forged, "eve", 0, 0));
  forged.incarnation = 6;
  ASSERT_TRUE(noted.note(forged, "mallory", 0, 0));
  EXPECT_EQ(noted.places(), 3u);
  EXPECT_EQ(noted.take("tt1", 5, "", "a")->host, "own");
  EXPECT_EQ(noted.places(), 0u);  // the name is somebody's now
}

TEST(Registrations, AreTakenWithTheirKey) {
  Registrations noted(10);
  RegisterTracker own = tracker_named("tt1", 5);
  own.key = "secret";
  ASSERT_TRUE(noted.note(own, "a", 0, 0));
  EXPECT_FALSE(noted.take("tt1", 5, "", "a").has_value());
  EXPECT_FALSE(noted.take("tt1", 5, "guessed", "a").has_value());
  EXPECT_TRUE(noted.take("tt1", 5, "secret", "a").has_value());
}

// One that has several addresses and registers from one, reports from another.
TEST(Registrations, AreTakenFromAnotherAddressWhereNoneIsOfThis) {
  Registrations noted(10);
  ASSERT_TRUE(noted.note(tracker_named("tt1", 5), "a", 0, 0));
  EXPECT_FALSE(noted.take("tt1", 4, "", "b").has_value());
  EXPECT_TRUE(noted.take("tt1", 5, "", "b").has_value());
}

TEST(Registrations, LargeOnesCountForMore) {
  Registrations noted(100);
  EXPECT_EQ(flood(noted, "eve", 10), 5u);
  EXPECT_EQ(noted.places(), 50u);
  EXPECT_TRUE(noted.take("eve0", 1, "", "eve").has_value());
  EXPECT_EQ(noted.places(), 40u);
}

TEST(Registrations, LeaveWhenTheyAreOld) {
  Registrations noted(10);
  ASSERT_TRUE(noted.note(tracker_named("tt1"), "a", 0, 1000));
  ASSERT_TRUE(noted.note(tracker_named("tt2"), "a", 0, 2000));
  noted.forget_before(1001);
  EXPECT_FALSE(noted.take("tt1", 1, "", "a").has_value());
  EXPECT_TRUE(noted.take("tt2", 1, "", "a").has_value());
}

// --- In a JobTracker ---

using TrackerCalls = RpcClient<wire::TrackerServiceClient>;

wire::RegistrationReply register_as(TrackerCalls& calls, const std::string& name) {
  wire::Registration registration;
  registration.name = name;
  registration.incarnation = 1;
  registration.host = "127.0.0.1";
  registration.total.__set_map_slots(2);
  wire::RegistrationReply reply;
  calls.call([&](auto& c) { c.register_tracker(reply, registration); });
  return reply;
}

wire::HeartbeatReply beat_as(TrackerCalls& calls, const std::string& name, std::int64_t sequence) {
  wire::Heartbeat report;
  report.name = name;
  report.incarnation = 1;
  report.sequence = sequence;
  wire::HeartbeatReply reply;
  calls.call([&](auto& c) { c.heartbeat(reply, report); });
  return reply;
}

// As soon as there is one, none after so long.
std::vector<wire::TrackerStatus> trackers_of(JobTracker& jobtracker,
                                             std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::vector<wire::TrackerStatus> all;
  do {
    all = all_trackers(*jobtracker.loop().views().latest(), jobtracker.loop().time().now());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  } while (all.empty() && std::chrono::steady_clock::now() < end);
  return all;
}

TEST(RegisteredTrackers, CountFromTheirFirstHeartbeat) {
  const auto jobtracker = start_tracker(memory_store());
  auto calls = connect(jobtracker->tracker_port())->client<wire::TrackerServiceClient>();
  // Enough to stretch the interval from 300 ms (1,000 heartbeats a second).
  for (int n = 0; n < 700; ++n) {
    ASSERT_EQ(register_as(calls, "forged" + std::to_string(n)).interval_ms, 300) << n;
  }
  EXPECT_TRUE(trackers_of(*jobtracker, std::chrono::milliseconds(300)).empty());
  register_as(calls, "tt1");
  EXPECT_EQ(beat_as(calls, "tt1", 1).interval_ms, 300);
  const auto all = trackers_of(*jobtracker, std::chrono::minutes(1));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "tt1");
  EXPECT_EQ(all[0].state, "LIVE");
}

TEST(RegisteredTrackers, NoMoreThanTheSettingsSay) {
  const auto jobtracker = start_tracker(memory_store(), {}, "limits: {max_trackers: 2}\n");
  auto calls = connect(jobtracker->tracker_port())->client<wire::TrackerServiceClient>();
  for (const char* name : {"tt1", "tt2"}) {
    register_as(calls, name);
    beat_as(calls, name, 1);
  }
  try {
    register_as(calls, "tt3");
    ADD_FAILURE() << "three trackers";
  } catch (const wire::WeirError& error) {
    EXPECT_EQ(error.code, wire::ErrorCode::BUSY);
    EXPECT_EQ(error.message, "there are 2 trackers, the most allowed");
  }
  register_as(calls, "tt2");  // it is one of them
  beat_as(calls, "tt2", 2);
}

}  // namespace
}  // namespace weir
