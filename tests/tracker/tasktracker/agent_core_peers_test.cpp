// Members of a gang have their ports before they start, and start when all are known.
#include <gtest/gtest.h>

#include "core_harness.h"

namespace weir::tasktracker {
namespace {

class MembersOfAGang : public testing::Test {
 protected:
  void SetUp() override {
    h.quiet();
    h.at(1000);
    EXPECT_EQ(h.reply(launch({"t0.0"})), "job");
    EXPECT_EQ(h.describe(), "ports t0.0x2 peers@0");
  }
  static HeartbeatReply launch(std::initializer_list<const char*> attempts) {
    auto reply = CoreHarness::launch(attempts);
    for (Launch& each : reply.launch) {
      auto grant = std::make_shared<Grant>();
      grant->ports = 2;
      grant->peers = true;
      each.grant = std::move(grant);
    }
    return reply;
  }
  std::string ports(const char* attempt, std::uint16_t first) {
    h.core.on_ports(CoreHarness::key(attempt), {first, static_cast<std::uint16_t>(first + 1)});
    h.core.poll(h.now());
    return h.actions();
  }
  std::string peers(bool complete, std::uint32_t members = 2, std::uint32_t next = 2) {
    GangPeers told;
    told.complete = complete;
    told.members = members;
    told.next = next;
    if (complete) told.peers = {{"w", next - 1, "h", {1, 2}}};
    h.core.on_peers(JobId(7), told, h.now());
    h.core.poll(h.now());
    return h.actions();
  }

  CoreHarness h;
};

TEST_F(MembersOfAGang, StartWhenAllAreKnown) {
  EXPECT_EQ(ports("t0.0", 4000), "heartbeat");  // early: the others wait for it
  ASSERT_EQ(h.beat.attempts.size(), 1u);
  EXPECT_EQ(h.beat.attempts[0].state, ReportedState::kRunning);
  EXPECT_EQ(*h.beat.attempts[0].ports, (std::vector<std::uint16_t>{4000, 4001}));
  EXPECT_EQ(peers(false), "");
  h.reply(CoreHarness::every(1000));
  EXPECT_EQ(h.at(1099), "");
  EXPECT_EQ(h.at(1100), "peers@0");
  EXPECT_EQ(peers(true, 2, 1), "peers@1");
  EXPECT_EQ(peers(true, 2, 2), "start t0.0");
  ASSERT_NE(h.peers, nullptr);
  EXPECT_EQ(h.peers->size(), 2u);
  h.report("t0.0", ReportedState::kRunning);
  EXPECT_EQ(h.at(2000), "heartbeat");
  EXPECT_NE(h.beat.attempts[0].ports, nullptr);  // another JobTracker may have to be told
}

TEST_F(MembersOfAGang, WhatWasAskedWithoutOneOfThemIsAskedAgain) {
  ports("t0.0", 4000);
  EXPECT_EQ(h.reply(launch({"t1.0"})), "ports t1.0x2");
  ports("t1.0", 5000);
  EXPECT_EQ(peers(true), "");
  EXPECT_EQ(h.at(1100), "peers@0 heartbeat");
  EXPECT_EQ(peers(true, 2, 2), "start t0.0 start t1.0");
}

TEST_F(MembersOfAGang, AreKilledWhileTheyWaitAndGiveTheirPortsBack) {
  ports("t0.0", 4000);
  auto kill = CoreHarness::every(1000);
  kill.kill = {CoreHarness::key("t0.0")};
  EXPECT_EQ(h.reply(kill), "give back t0.0");
  EXPECT_EQ(h.at(1010), "heartbeat");
  EXPECT_EQ(h.states(), "t0.0=KILLED");
  EXPECT_EQ(peers(true), "");
}

TEST_F(MembersOfAGang, WithoutPortsHaveFailed) {
  h.core.on_start_failed(CoreHarness::key("t0.0"), "no port is free", h.now());
  h.core.poll(h.now());
  EXPECT_EQ(h.actions(), "give back t0.0 heartbeat");
  EXPECT_EQ(h.states(), "t0.0=FAILED");
}

TEST_F(MembersOfAGang, AskAgainWhenTheJobTrackerDoesNotAnswer) {
  ports("t0.0", 4000);
  h.reply(CoreHarness::every(10'000));
  h.core.on_peers_failed(JobId(7), h.now());
  EXPECT_EQ(h.at(1199), "");
  EXPECT_EQ(h.at(1200), "peers@0");
}

}  // namespace
}  // namespace weir::tasktracker
