// The API over a real JobTracker: what tests of processes (tests/e2e/http_test.py) do not reach.
#include "web/api/api.h"

#include "web/api/api_fixture.h"
#include "web/api/handlers.h"

namespace weir::web {
namespace {

using ::testing::HasSubstr;

Json parsed(const RawHttp::Answer& answer) {
  return Json::parse(answer.body);
}

// One rule book: what Thrift's caller is refused, the web's is, in the same words.
TEST_F(ApiTest, ARefusalIsThatOfTheServices) {
  const std::int64_t job = submit();
  const std::string path = "/api/v1/jobs/" + std::to_string(job);
  const auto refused = call("PATCH", path, R"({"priority": "HIGH"})", "mallory");
  EXPECT_EQ(refused.status, 403);
  auto client = connect(tracker_->client_port())->client<wire::ClientServiceClient>();
  wire::Caller mallory;
  mallory.user = "mallory";
  std::string words;
  try {
    client.call([&](auto& c) {
      wire::Done done;
      c.set_priority(done, mallory, job, "HIGH");
      return 0;
    });
  } catch (const wire::WeirError& error) {
    words = error.message;
  }
  EXPECT_EQ(parsed(refused)["message"], words);
  EXPECT_EQ(parsed(refused)["code"], "NOT_PERMITTED");
}

TEST_F(ApiTest, AChangeIsSeenAtItsVersion) {
  const std::int64_t job = submit();
  const std::string path = "/api/v1/jobs/" + std::to_string(job);
  const Json done = parsed(call("PATCH", path, R"({"priority": "HIGH"})"));
  const auto version = done["version"].get<std::int64_t>();
  const Json seen = parsed(get(path + "?min_version=" + std::to_string(version)));
  EXPECT_EQ(seen["priority"], "HIGH");
  EXPECT_EQ(seen["number"], job);
}

// What is made once for many is dropped by a change that comes this way.
TEST_F(ApiTest, WhoChangedSomethingNeverReadsWhatWasBefore) {
  for (const char* state : {"STOPPED", "RUNNING", "STOPPED"}) {
    EXPECT_THAT(get("/api/v1/queues").body, HasSubstr("small"));
    const auto done =
        call("PATCH", "/api/v1/queues/small", std::string(R"({"state": ")") + state + "\"}");
    ASSERT_EQ(done.status, 200) << done.body;
    bool found = false;
    for (const Json& queue : parsed(get("/api/v1/queues"))) {
      if (queue["name"] != "small") continue;
      found = true;
      EXPECT_EQ(queue["state"], state);
    }
    EXPECT_TRUE(found);
  }
}

TEST_F(ApiTest, ADocumentedPathForEveryRoute) {
  const Json document = parsed(get("/api/v1/openapi.json"));
  std::size_t operations = 0;
  for (const auto& [path, of] : document["paths"].items()) operations += of.size();
  EXPECT_EQ(operations, routes().size());
}

TEST_F(ApiTest, AStreamEndsWithAWordWhenTheJobTrackerDoes) {
  client_->send("GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  client_->read_until("retry: 2000\n\n");
  tracker_->stop();
  EXPECT_THAT(client_->read_to_end(), HasSubstr("event: bye\ndata: {\"reason\""));
}

TEST_F(ApiTest, ProbesAreForReading) {
  for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
    EXPECT_EQ(get(path).status, 200) << path;
    const auto wrong = call("POST", path, "");
    EXPECT_EQ(wrong.status, 405) << path;
    EXPECT_EQ(wrong.header("Allow"), "GET, HEAD") << path;
  }
}

TEST(HostCheckTest, NamesOfThisServer) {
  const HostCheck check({"weir.example.org"}, "node7.cluster");
  for (const char* own : {"127.0.0.1:80", "[::1]:9080", "localhost:1", "LOCALHOST", "10.1.2.3",
                          "node7", "node7.cluster:9080", "Node7.other", "weir.example.org",
                          "a.localhost"})
    EXPECT_TRUE(check.is_own(own)) << own;
  for (const char* other : {"evil.example", "127.0.0.1.evil.example", "node70",
                            "weir.example.org.evil", "localhost.evil.example"})
    EXPECT_FALSE(check.is_own(other)) << other;
}

}  // namespace
}  // namespace weir::web
