// What was killed in the last hour, in all places that say it.
#include "views/json/json.h"
#include "web/api/api_fixture.h"

namespace weir::web {
namespace {

constexpr const char* kOwed = R"(
policy: capacity
administrators: [root]
queues:
  - {name: default, guaranteed: 90%, reclaim_after: 1s}
  - {name: small, guaranteed: 10%}
)";

class KillsTest : public ApiTest {
 protected:
  void submit_to(const std::string& queue) {
    auto client = connect(tracker_->client_port())->client<wire::ClientServiceClient>();
    wire::SubmitRequest request = make_request(14, 0, "/out-" + queue);
    request.caller.user = "root";
    request.spec.queue = queue;
    client.call([&](auto& c) {
      wire::SubmitReply reply;
      c.submit(reply, request);
      return 0;
    });
  }
};

// A queue's list ends after ten of them; here one queue takes thirteen slots at once.
TEST_F(KillsTest, MoreThanAQueueListsAreCountedAlikeEverywhere) {
  const auto taken = call("PUT", "/api/v1/settings", Json{{"text", kOwed}}.dump(), "root",
                          "If-Match: *\r\n");
  ASSERT_EQ(taken.status, 200) << taken.body;
  ASSERT_EQ(call("PUT", "/api/v1/policy", R"({"name": "capacity"})").status, 200);
  submit_to("small");
  std::vector<std::unique_ptr<FakeTracker>> workers;
  for (int i = 0; i < 7; ++i) {
    workers.push_back(std::make_unique<FakeTracker>(tracker_->tracker_port(), std::to_string(i)));
    workers.back()->join();
    workers.back()->beat();
  }
  submit_to("default");
  Json kills;
  for (int i = 0; i < 3000 && kills.size() < 13; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kills = Json::parse(get("/api/v1/decisions?kind=kill").body);
  }
  ASSERT_EQ(kills.size(), 13u);
  std::int64_t lost_ms = 0;
  for (const Json& kill : kills) {
    EXPECT_EQ(kill["slots"], 1);
    lost_ms += kill["ran_ms"].get<std::int64_t>();
  }
  // Made anew: a shared answer may be of the moment before.
  Json hour;
  for (int i = 0; i < 300 && hour["attempts"] != 13; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    hour = Json::parse(get("/api/v1/cluster").body)["kills_last_hour"];
  }
  EXPECT_EQ(hour["attempts"], 13);
  EXPECT_EQ(hour["waste_slot_ms"], lost_ms);
  const std::string metrics = get("/metrics").body;
  EXPECT_NE(metrics.find("weir_kills_total{class=\"map\",reason=\"reclaim\"} 13\n"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::web
