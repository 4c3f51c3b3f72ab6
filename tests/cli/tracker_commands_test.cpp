// `weir tracker`: what is shown of trackers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands_fixture.h"

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class TrackerCommands : public Commands {};

TEST_F(TrackerCommands, ATrackerThatIsAwaitedHasNotBeenHeardOf) {
  wire::TrackerStatus tracker;
  tracker.name = "tt1";
  tracker.last_heartbeat_ms_ago = 1200;
  for (const char* state : {"AWAITED", "RETURNING"}) {
    tracker.state = state;
    fake.tracker_list = {tracker};
    EXPECT_THAT(weir({"tracker", "list"}).out, Not(HasSubstr("ago"))) << state;
    EXPECT_THAT(weir({"tracker", "show", "tt1"}).out,
                HasSubstr("since the JobTracker started, 1.2s ago"));
    EXPECT_EQ(json({"tracker", "list"})[0]["last_heartbeat_ms_ago"], nullptr);
  }
  fake.tracker_list[0].state = "LIVE";
  EXPECT_THAT(weir({"tracker", "list"}).out, HasSubstr("1.2s ago"));
  EXPECT_EQ(json({"tracker", "list"})[0]["last_heartbeat_ms_ago"], 1200);
}

TEST_F(TrackerCommands, ATrackerShowsHowItsTasksAreProtected) {
  wire::TrackerStatus tracker;
  tracker.name = "tt1";
  tracker.state = "LIVE";
  tracker.__set_protections({"cgroup: v1 memory, pids, cpu", "mounts: none: \033[2Jnot root"});
  fake.tracker_list = {tracker};
  EXPECT_THAT(weir({"tracker", "show", "tt1"}).out,
              AllOf(ContainsRegex("protection: +cgroup: v1 memory, pids, cpu\n"),
                    ContainsRegex("protection: +mounts: none: .*not root\n"),
                    Not(HasSubstr("\033"))));
  EXPECT_EQ(json({"tracker", "list"})[0]["protections"][0], "cgroup: v1 memory, pids, cpu");
}

TEST_F(TrackerCommands, ATrackerShowsItsPortsWhereContainersCount) {
  wire::TrackerStatus tracker;
  tracker.name = "tt1";
  tracker.state = "LIVE";
  fake.tracker_list = {tracker};
  EXPECT_THAT(weir({"tracker", "show", "tt1"}).out, Not(HasSubstr("ports")));
  EXPECT_EQ(json({"tracker", "list"})[0]["ports"], nullptr);
  wire::OfferInfo memory, ports;
  memory.dimension = "memory_mb";
  memory.total = 4096;
  ports.total = 64;
  ports.used = 3;
  fake.tracker_list[0].__set_offer({memory});
  fake.tracker_list[0].__set_ports(ports);
  EXPECT_THAT(weir({"tracker", "show", "tt1"}).out, ContainsRegex("ports: +3/64\n"));
  EXPECT_EQ(json({"tracker", "list"})[0]["ports"]["used"], 3);
  EXPECT_EQ(json({"tracker", "list"})[0]["ports"]["free"], 61);
}

TEST_F(TrackerCommands, ATrackerShowsForWhomItHasRoom) {
  wire::TrackerStatus tracker;
  tracker.name = "tt1";
  tracker.state = "LIVE";
  fake.tracker_list = {tracker};
  EXPECT_THAT(weir({"tracker", "show", "tt1"}).out,
              AllOf(Not(HasSubstr("reserved for")), Not(HasSubstr("room for"))));
  fake.tracker_list[0].__set_reserved_for(22);
  fake.tracker_list[0].__set_room_for(8);
  fake.tracker_list[0].__set_rooms(2);
  EXPECT_THAT(weir({"tracker", "show", "tt1"}).out,
              AllOf(ContainsRegex("reserved for: +job_0022\n"),
                    ContainsRegex("room for: +2 of job_0008\n")));
}

}  // namespace
}  // namespace weir::cli
