#include "live/top_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/event_parser.h"

namespace weir::live {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

Json job_json(int number, const char* state, const char* reason = nullptr) {
  Json json = {{"number", number}, {"state", state}, {"name", "n"}};
  if (reason != nullptr) json["reason"] = reason;
  return json;
}

Json delta(Json changed, Json removed = Json::array()) {
  return {{"version", 9}, {"changed", std::move(changed)}, {"removed", std::move(removed)}};
}

TEST(TopModel, JobsComeChangeAndGoByEvents) {
  TopModel model;
  take_jobs(model, {job_json(5, "WAITING", "no slot"), job_json(2, "RUNNING"),
                    job_json(1, "KILLED")});
  EXPECT_THAT(model.jobs, SizeIs(2));
  EXPECT_TRUE(take_event(
      model, "jobs", delta({job_json(3, "PENDING"), job_json(2, "SUCCEEDED")}), 0));
  ASSERT_THAT(model.jobs, SizeIs(2));
  EXPECT_EQ(model.jobs[0].number, 3);
  EXPECT_TRUE(take_event(model, "jobs", delta({job_json(5, "WAITING")}, {3}), 0));
  ASSERT_THAT(model.jobs, SizeIs(1));
  EXPECT_EQ(model.jobs[0].reason, "no slot");  // the stream does not tell it again
  take_event(model, "jobs", delta({job_json(5, "RUNNING")}), 0);
  EXPECT_EQ(model.jobs[0].reason, "");
  EXPECT_EQ(model.version, 9);
}

TEST(TopModel, WhatIsTooMuchOrUnknownIsReadAnew) {
  TopModel model;
  take_queues(model, {{{"name", "a"}, {"leaf", true}}});
  EXPECT_FALSE(take_event(model, "jobs", {{"version", 3}, {"many", true}}, 0));
  EXPECT_FALSE(take_event(model, "reload", {{"version", 3}}, 0));
  EXPECT_FALSE(take_event(model, "queues", delta({{{"name", "b"}}}), 0));
  EXPECT_FALSE(take_event(model, "queues", delta(Json::array(), {"a"}), 0));
  EXPECT_FALSE(take_event(model, "policy", delta({{{"current", "fair"}}}), 0));
  EXPECT_TRUE(take_event(
      model, "queues", delta({{{"name", "a"}, {"maps", {{"running", 7}, {"lends", 0}}}}}), 0));
  EXPECT_EQ(model.queues[0].of[0].running, 7);
  EXPECT_TRUE(model.queues[0].of[0].guarantees);
  EXPECT_FALSE(model.queues[0].of[1].guarantees);
}

TEST(TopModel, AnswersOfAnotherKindAreNoDisaster) {
  TopModel model;
  for (const Json& odd : {Json(), Json(7), Json("x"), Json::array({1, "x", nullptr}),
                          Json{{"slots", 3}, {"claims", "x"}, {"changed", {3, "x"}},
                               {"removed", {"x"}}, {"version", "x"}}}) {
    take_cluster(model, odd, 0);
    take_queues(model, odd);
    take_jobs(model, odd);
    for (const char* topic : {"cluster", "queues", "jobs", "trackers"}) {
      take_event(model, topic, odd, 0);
    }
  }
  EXPECT_EQ(model.slots[0].total, 0);
}

TEST(TopModel, CountsContainersByDimensionAndAnApplicationsGroupsTogether) {
  TopModel model;
  const Json memory = {{"total", 12288}, {"used", 10240}, {"free", 1024}, {"lost", 0},
                       {"withheld", 768}, {"awaited", 256}};
  const Json offer = {{"gpu", {{"total", 6}}}, {"memory_mb", memory}, {"vcores", {}}};
  take_cluster(model, {{"dimensions", offer}}, 0);
  EXPECT_THAT(model.kinds, ElementsAre("memory_mb", "vcores", "gpu"));
  EXPECT_EQ(model.slots[0].used, 10240);
  EXPECT_EQ(model.slots[0].withheld, 768);
  EXPECT_EQ(model.slots[0].awaited, 256);
  EXPECT_EQ(model.slots[2].total, 6);
  const Json of = {{"running", 6144}, {"lends", 0}, {"reserved", 512}};
  take_queues(model, {{{"name", "a"},
                       {"dominant_thousandths", 500},
                       {"dimensions", {{"gpu", {{"running", 3}}}, {"memory_mb", of}}}}});
  ASSERT_THAT(model.queues[0].of, SizeIs(2));
  EXPECT_EQ(model.queues[0].of[0].running, 6144);
  EXPECT_EQ(model.queues[0].of[0].reserved, 512);
  EXPECT_TRUE(model.queues[0].of[0].guarantees);
  EXPECT_EQ(model.queues[0].of[1].running, 3);
  EXPECT_EQ(model.queues[0].dominant_thousandths, 500);
  const auto group = [](int total, int succeeded, int progress) {
    return Json{{"name", "g"},
                {"tasks",
                 {{"total", total}, {"succeeded", succeeded}, {"progress_millionths", progress}}}};
  };
  Json job = job_json(1, "RUNNING");
  job["groups"] = Json::array({group(1, 1, 1'000'000), group(3, 0, 200'000)});
  take_jobs(model, Json::array({job}));
  EXPECT_EQ(model.jobs[0].of[0].total, 4);
  EXPECT_EQ(model.jobs[0].of[0].succeeded, 1);
  EXPECT_EQ(model.jobs[0].of[0].progress_millionths, 400'000);
  take_cluster(model, Json::object(), 0);
  EXPECT_THAT(model.kinds, ElementsAre("map", "reduce"));
}

TEST(TopModel, KnowsHowManyTrackersAreNotLive) {
  TopModel model;
  const Json states = {{"LIVE", 2}, {"SILENT", 1}, {"LOST", 3}, {"DRAINED", 0}};
  take_cluster(model, Json{{"trackers_live", 2}, {"trackers_by_state", states}}, 0);
  EXPECT_EQ(model.trackers, 2);
  EXPECT_EQ(model.away, "3 lost, 1 silent");
  take_cluster(model, Json{{"trackers_by_state", {{"LIVE", 2}}}}, 0);
  EXPECT_EQ(model.away, "");
}

TEST(TopModel, WhatKillsLostGoesByDimensionWhereContainersCount) {
  TopModel model;
  const auto take = [&model](const Json& lost) {
    take_cluster(model, Json{{"kills_last_hour", {{"attempts", 1}, {"waste_ms", lost}}}}, 0);
    return model.waste_ms;
  };
  EXPECT_EQ(take({{"memory_mb", 5}, {"vcores", "x"}}),
            (std::vector<Amount>{{"memory_mb", 5}, {"vcores", 0}}));
  EXPECT_TRUE(take(nullptr).empty());
  EXPECT_TRUE(take(7).empty());
}

TEST(EventParser, EventsComeOutHoweverTheStreamIsCut) {
  const std::string stream =
      "retry: 2000\n\n: heartbeat\n\nevent: jobs\r\ndata: {\"a\":\ndata: 1}\nid: 7\n\n"
      "data: x\n\nevent: lost\n\n";
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    EventParser parser;
    std::vector<std::string> got;
    for (std::size_t at = 0; at < stream.size(); at += size) {
      EXPECT_TRUE(parser.feed(stream.substr(at, size), [&](const ServerEvent& event) {
        got.push_back(event.name + "|" + event.data + "|" + event.id);
      }));
    }
    EXPECT_THAT(got, ElementsAre("jobs|{\"a\":\n1}|7", "message|x|7")) << size;
  }
}

TEST(EventParser, AnEventWithoutEndIsGivenUp) {
  EventParser parser;
  const std::string piece(1 << 20, 'x');
  bool fits = true;
  int pieces = 0;
  while (fits && pieces < 100) {
    fits = parser.feed(piece, [](const ServerEvent&) {});
    ++pieces;
  }
  EXPECT_EQ(pieces, 33);
}

}  // namespace
}  // namespace weir::live
