// The JSON of views: every key there always, null where there is nothing, and text that is safe to
// print.
#include "views/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/sample_views.h"

namespace weir {
namespace {

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

// The values of a full view, and of its parts: all are there, and no two numbers are the same.
void expect_all_there(const Json& json, std::set<double>* numbers) {
  for (const auto& [key, value] : json.items()) {
    EXPECT_FALSE(value.is_null()) << key;
    EXPECT_FALSE(value.is_structured() && value.empty()) << key;
    if (value.is_number() && key != "lost_slot_ms") {
      EXPECT_TRUE(numbers->insert(value.get<double>()).second) << key << " is " << value;
    }
    if (value.is_structured()) expect_all_there(value, numbers);
  }
}

template <class View>
void expect_complete(const View& full) {
  std::set<double> numbers;
  expect_all_there(to_json(full), &numbers);
  EXPECT_EQ(keys_of(to_json(full)), keys_of(to_json(View())));
}

TEST(ViewsJson, HasEveryFieldAndTheSameKeysWithoutThem) {
  expect_complete(full_job());
  expect_complete(full_attempt());
  expect_complete(full_tracker());
  expect_complete(full_policy());
  expect_complete(full_diff());
  expect_complete(full_server());
  expect_complete(SubmittedView{JobId(7), "research.ml", 1, {"a warning"}});
  expect_complete(SettingsTextView{1, 2, "ann", "fair", "weir.yaml", "policy: fair"});
  const SettingsCheckView check{
      "weir.yaml", false, {{"weir.yaml", 1, 2, true, "wrong"}}, {"an error"}, {"a warning"}};
  expect_complete(check);
  EXPECT_EQ(to_json(check)["findings"][0]["severity"], "warning");
  EXPECT_EQ(keys_of(to_json(full_queue())), keys_of(to_json(QueueView())));
  for (const Json& part : {to_json(full_queue())["users"][0], to_json(full_queue())["claims"][0],
                           to_json(full_queue())["kills"][0], to_json(full_queue())["maps"]}) {
    std::set<double> numbers;
    expect_all_there(part, &numbers);
  }
}

TEST(ViewsJson, WhatIsAbsentIsNull) {
  const Json job = to_json(JobView());
  for (const char* key : {"started_at_ms", "reason", "pool", "diagnostics", "counters", "now_ms"})
    EXPECT_TRUE(job[key].is_null()) << key;
  EXPECT_EQ(job["from_history"], false);
  const Json queue = to_json(QueueView());
  for (const char* key : {"submit", "administer", "map_slot_time", "kill_budget", "priorities"})
    EXPECT_TRUE(queue[key].is_null()) << key;
  EXPECT_EQ(queue["users"], Json::array());
  EXPECT_TRUE(to_json(TrackerView())["order"].is_null());
  QueueView of_slots;
  of_slots.kills = {{.slots = 2, .ran_ms = 3, .outcome = "used"}};
  of_slots.users = {{.user = "bob"}};
  const Json kill = to_json(of_slots)["kills"][0];
  EXPECT_EQ(kill["lost_slot_ms"], 6);
  EXPECT_TRUE(kill["container"].is_null());
  EXPECT_TRUE(kill["lost_ms"].is_null());
  EXPECT_EQ(to_json(of_slots)["users"][0]["dimensions"], Json::object());
}

TEST(ViewsJson, WhatAContainerLostGoesByDimension) {
  QueueView queue = full_queue();
  Json kill = to_json(queue)["kills"][0];
  EXPECT_EQ(kill["container"].dump(), R"({"memory_mb":2048,"vcores":2})");
  EXPECT_EQ(kill["lost_ms"].dump(), R"({"memory_mb":51200,"vcores":50})");
  queue.kills[0].outcome = "finished_first";
  kill = to_json(queue)["kills"][0];
  EXPECT_EQ(kill["lost_ms"].dump(), R"({"memory_mb":0,"vcores":0})");
  EXPECT_EQ(kill["lost_slot_ms"], 0);
  EXPECT_EQ(to_json(queue)["dimensions"]["gpu"]["time"]["borrowed_ms"], 27);
  EXPECT_EQ(to_json(queue)["users"][0]["dimensions"].dump(),
            R"({"gpu":{"running":16,"limit":17,"used_ms":18,"lost_ms":19}})");
}

TEST(ViewsJson, NamesAndNumbersSayWho) {
  const Json job = to_json(full_job());
  EXPECT_EQ(job["job"], "job_0007");
  EXPECT_EQ(job["number"], 7);
  EXPECT_EQ(job["maps"]["progress_millionths"], 106);
  EXPECT_EQ(job["counters"]["group"]["name"], 4);
  const Json attempt = to_json(full_attempt());
  EXPECT_EQ(attempt["attempt"], "attempt_0007_r_000012_3");
  EXPECT_EQ(attempt["kind"], "reduce");
  EXPECT_EQ(attempt["index"], 12);
  EXPECT_EQ(attempt["number"], 3);
}

// Of tasks that do not copy and have no second attempts nothing is said of it.
TEST(ViewsJson, SeldomCountsAreLeftOut) {
  const Json tasks = to_json(JobView())["maps"];
  EXPECT_FALSE(tasks.contains("copying"));
  EXPECT_FALSE(tasks.contains("speculative"));
  EXPECT_EQ(to_json(full_job())["maps"]["speculative_won"], 110);
}

TEST(ViewsJson, AHeartbeatThatNeverCameHasNoAge) {
  TrackerView tracker = full_tracker();
  EXPECT_EQ(to_json(tracker)["last_heartbeat_ms_ago"], 10);
  for (const char* state : {"AWAITED", "RETURNING"}) {
    tracker.state = state;
    EXPECT_TRUE(to_json(tracker)["last_heartbeat_ms_ago"].is_null()) << state;
  }
}

TEST(ViewsJson, TextIsSafeToPrint) {
  EXPECT_EQ(json_text({{"a", "\x1b[2J\u202E\xff"}}),
            "{\n  \"a\": \"\\u001b[2J\\u202e\xEF\xBF\xBD\"\n}\n");
}

// As the event log's lines, which have keys only for what the event has.
TEST(ViewsJson, ADecisionHasTheKeysOfItsLine) {
  DecisionView kill;
  kill.number = 7;
  kill.at_ms = 1'000;
  kill.event = "kill";
  kill.job = JobId(3);
  kill.task = "m0";
  kill.resource_class = "map";
  kill.reason = "job_killed";
  EXPECT_EQ(keys_of(to_json(kill)),
            (std::vector<std::string>{"number", "t", "event", "job", "job_number", "task", "class",
                                      "reason", "for"}));
  EXPECT_TRUE(to_json(kill)["for"].is_null());
  kill.for_whom = "prod";
  EXPECT_EQ(to_json(kill)["for"], "prod");
  EXPECT_EQ(to_json(kill)["job"], "job_0003");
  DecisionView settings;
  settings.event = "settings";
  EXPECT_EQ(keys_of(to_json(settings)), (std::vector<std::string>{"number", "t", "event"}));
}

TEST(ViewsJson, ASeriesHasItsPointsByClass) {
  SeriesView series;
  series.queue = "a.b";
  series.step_ms = 10'000;
  series.points.push_back({1'000, {1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, std::nullopt, 12, 13}});
  series.points[0].maps.running_thousandths = 3'100;
  series.points[0].maps.lent_thousandths = 200;
  series.points[0].maps.borrowed_thousandths = 0;
  EXPECT_EQ(to_json(series).dump(),
            R"({"queue":"a.b","step_ms":10000,"points":[{"t":1000,)"
            R"("map":{"guaranteed":1,"allocated":2,"running":3,"pending":4,)"
            R"("share_thousandths":5,"claims":6,"kills":7,"running_thousandths":3100,)"
            R"("lent_thousandths":200,"borrowed_thousandths":0},)"
            R"("reduce":{"guaranteed":8,"allocated":9,"running":10,"pending":11,)"
            R"("share_thousandths":null,"claims":12,"kills":13,"running_thousandths":null,)"
            R"("lent_thousandths":null,"borrowed_thousandths":null}}]})");
  series.points[0].amounts = {{"memory_mb", {512}}, {"gpu", {1}}};
  const Json point = to_json(series).at("points").at(0);
  EXPECT_EQ(point.at("dimensions").at("memory_mb").at("guaranteed"), 512);
  EXPECT_EQ(point.at("dimensions").at("gpu").at("share_thousandths"), nullptr);
}

TEST(ViewsJson, JobsOfAPolicyAreThereIfTheyWereAskedFor) {
  PolicyView policy = full_policy();
  EXPECT_FALSE(to_json(policy).contains("jobs"));
  policy.standings.emplace();
  EXPECT_EQ(to_json(policy)["jobs"], Json::array());
  JobStandingsView::Job& job = policy.standings->jobs.emplace_back();
  job = {.id = JobId(7), .name = "count", .user = "ann", .pool = "research"};
  job.maps = {.running = 2, .share_thousandths = 2500, .weight_millionths = 4'000'000};
  Json json = to_json(policy)["jobs"][0];
  EXPECT_EQ(json["job"], "job_0007");
  EXPECT_EQ(json["maps"], Json::parse(R"({"running": 2, "share": 2.5, "weight": 4.0})"));
  EXPECT_FALSE(json.contains("may_run"));
  job.maps.deficit_ms = -1500;
  job.may_run = "rack";
  job.locality_left_ms = 300;
  json = to_json(policy)["jobs"][0];
  EXPECT_EQ(json["maps"]["deficit_slot_ms"], -1500);
  EXPECT_EQ(json["may_run"], "rack");
  EXPECT_EQ(json["locality_left_ms"], 300);
  EXPECT_FALSE(json.contains("weight"));
  job.amounts = {{"memory_mb", 2048, 1365333}};
  job.weight_millionths = 2'000'000;
  json = to_json(policy)["jobs"][0];
  EXPECT_EQ(json["dimensions"]["memory_mb"],
            Json::parse(R"({"running": 2048, "share": 1365.333})"));
  EXPECT_EQ(json["weight"], 2.0);
}

}  // namespace
}  // namespace weir
