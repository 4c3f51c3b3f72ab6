// Groups without the thread: what a store that fails keeps, and what is said of it.
#include "jobqueue/store/group_writer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "store_fixture.h"

namespace weir {
namespace {

using namespace store_test;
using testing::ElementsAre;
using testing::IsEmpty;

struct WriterOfGroups : testing::Test {
  void take(WriteGroup group) { writer.take(group); }

  FailingStore store;
  EventMaker make;
  std::vector<std::string> said;
  const GroupWriterCallbacks callbacks = {
      [this](std::uint64_t seq) { said.push_back("durable " + std::to_string(seq)); },
      [this](std::uint64_t seq, const std::string& why) {
        said.push_back("failed " + std::to_string(seq) + ": " + why);
      },
      nullptr};
  GroupWriter writer{store, callbacks};
};

// Who finds the time or the value in the store may rely on what was said before it.
TEST_F(WriterOfGroups, WritesNothingBehindEventsThatCouldNotBeWritten) {
  const JobStateChanged fact{job(1), JobState::kRunning, ""};
  take({.events = {make(fact)}, .time = 77'000, .meta = {{"of the daemon", "value"}}});
  store.fail_next(1, "disk full");
  writer.write();
  EXPECT_EQ(store.get_meta("of the daemon").value(), std::nullopt);
  EXPECT_EQ(store.load().value().last_time, 0);
  writer.write();
  EXPECT_EQ(store.get_meta("of the daemon").value(), "value");
  EXPECT_EQ(store.load().value().last_time, 77'000);
  EXPECT_TRUE(writer.kept().empty());
}

TEST_F(WriterOfGroups, SaysOnceThatAGroupFailedHoweverOftenItsFactsAreTried) {
  take({.events = {make(submitted(1)), make(JobStateChanged{job(7), JobState::kRunning, ""})}});
  store.fail_next(3, "disk full");
  for (int tries = 0; tries < 3; ++tries) writer.write();
  EXPECT_EQ(writer.kept().events.size(), 1u);
  writer.write();
  EXPECT_THAT(said, ElementsAre("failed 2: disk full", "durable 2"));
  EXPECT_THAT(store.load().value().jobs, IsEmpty());  // the command was refused for good
}

}  // namespace
}  // namespace weir
