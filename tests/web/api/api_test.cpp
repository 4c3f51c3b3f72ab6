// The API over a real JobTracker: what tests of processes (tests/e2e/http_test.py) do not reach.
#include "web/api/api.h"

#include "web/api/api_fixture.h"
#include "web/api/handlers.h"

namespace weir::web {
namespace {

using ::testing::ElementsAre;
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

// What is made once for many is made anew after a change.
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

TEST_F(ApiTest, NorWhoChangedItByAnotherPort) {
  for (const char* path : {"/api/v1/jobs?limit=10", "/api/v1/jobs"}) {
    const std::size_t before = parsed(get(path)).size();
    for (std::size_t more = 1; more <= 3; ++more) {
      submit();  // over Thrift
      EXPECT_EQ(parsed(get(path)).size(), before + more) << path;
    }
  }
}

std::vector<std::int64_t> numbers(const Json& jobs) {
  std::vector<std::int64_t> all;
  for (const Json& job : jobs) all.push_back(job["number"].get<std::int64_t>());
  return all;
}

// Under every policy: the one that has a slot next stands first.
TEST_F(ApiTest, AQueuesJobsInTheOrderInWhichTheyAreServed) {
  const std::int64_t first = submit(), second = submit(), third = submit();
  call("PATCH", "/api/v1/jobs/" + std::to_string(third), R"({"priority": "HIGH"})");
  const std::string path = "/api/v1/jobs?sort=service&queue=default";
  for (const char* policy : {"fifo", "fair"}) {
    const Json done =
        parsed(call("PUT", "/api/v1/policy", R"({"name": ")" + std::string(policy) + "\"}"));
    const std::string version =
        "&min_version=" + std::to_string(done["version"].get<std::int64_t>());
    const Json jobs = parsed(get(path + version));
    if (policy == std::string("fifo")) {
      EXPECT_THAT(numbers(jobs), ElementsAre(third, first, second));
    } else {  // nothing runs, so by submission
      EXPECT_THAT(numbers(jobs), ElementsAre(first, second, third));
    }
  }
  FakeTracker worker(tracker_->tracker_port(), "tt1");
  worker.join();
  worker.beat();  // two maps start: of the first two jobs
  EXPECT_EQ(numbers(parsed(get(path)))[0], third);
  EXPECT_THAT(numbers(parsed(get(path + "&limit=1"))), ElementsAre(third));
  EXPECT_EQ(numbers(parsed(get("/api/v1/jobs?sort=service&class=reduce&pool=default"))).size(), 3u);
  EXPECT_TRUE(parsed(get("/api/v1/jobs?sort=service&queue=small")).empty());
  EXPECT_TRUE(parsed(get("/api/v1/jobs?pool=none")).empty());
  for (const char* wrong : {"sort=service", "sort=service&queue=default&cursor=7", "class=map",
                            "sort=service&queue=default&class=cpu"})
    EXPECT_EQ(get("/api/v1/jobs?" + std::string(wrong)).status, 400) << wrong;
  EXPECT_EQ(get("/api/v1/jobs?sort=service&queue=none").status, 404);
}

TEST_F(ApiTest, JobsOfAPolicyThatDealsSharesToThem) {
  const std::int64_t job = submit();
  EXPECT_FALSE(parsed(get("/api/v1/policy?advanced=1")).contains("jobs")) << "fifo deals none";
  ASSERT_EQ(call("PUT", "/api/v1/policy", R"({"name": "fair"})").status, 200);
  FakeTracker worker(tracker_->tracker_port(), "tt1");
  worker.join();
  worker.beat();
  EXPECT_FALSE(parsed(get("/api/v1/policy")).contains("jobs")) << "who does not ask, pays nothing";
  const Json policy = parsed(get("/api/v1/policy?advanced=1"));
  ASSERT_EQ(policy["jobs"].size(), 1u);
  EXPECT_EQ(policy["more_jobs"], false);
  const Json& one = policy["jobs"][0];
  EXPECT_EQ(one["number"], job);
  EXPECT_EQ(one["maps"]["running"], 2);
  EXPECT_EQ(one["maps"]["share"], 2.0);
  EXPECT_EQ(one["maps"]["weight"], 1.0);
}

TEST_F(ApiTest, WhoseAttemptsHoldATrackersSlots) {
  EXPECT_EQ(get("/api/v1/slots").body, "[\n]\n");
  submit();
  FakeTracker worker(tracker_->tracker_port(), "tt1");
  worker.join();
  worker.beat();
  call("PATCH", "/api/v1/queues/small", R"({"state": "STOPPED"})");  // nothing old is shown
  EXPECT_EQ(parsed(get("/api/v1/slots")), Json::parse(R"([{"tracker": "tt1", "queues": [
      {"queue": "default", "maps": 2, "reduces": 0, "dimensions": {}}]}])"));
}

TEST_F(ApiTest, TheClusterCountsTrackersAsTheListShowsThem) {
  FakeTracker worker(tracker_->tracker_port(), "tt1");
  worker.join();
  worker.beat();
  call("PATCH", "/api/v1/queues/small", R"({"state": "STOPPED"})");  // from then on it is listed
  const auto drained = call("PATCH", "/api/v1/trackers/tt1", R"({"order": "drain"})");
  ASSERT_EQ(drained.status, 200) << drained.body;
  const Json cluster = parsed(get("/api/v1/cluster"));
  EXPECT_EQ(cluster["trackers"], 1);
  EXPECT_EQ(cluster["trackers_live"], 0);
  EXPECT_EQ(cluster["kills_last_hour"],
            Json::parse(R"({"attempts": 0, "waste_slot_ms": 0, "waste_ms": null})"));
  EXPECT_EQ(cluster["slots"]["maps"], Json::parse(R"({
      "total": 2, "used": 0, "free": 0, "withheld": 2, "lost": 0, "awaited": 0})"));
}

TEST_F(ApiTest, CallsAreCountedByRouteAndStatus) {
  get("/api/v1/jobs/77");
  get("/api/v1/jobs/78?nonsense=1");
  get("/api/v1/nowhere");
  get("/nowhere/at/all");
  const std::string metrics = get("/metrics").body;
  for (const char* labels :
       {R"(method="GET",route="/api/v1/jobs/{}",code="404")",
        R"(method="GET",route="/api/v1/jobs/{}",code="400")",
        R"(method="any",route="/api",code="404")", R"(method="any",route="pages",code="404")"})
    EXPECT_THAT(metrics, HasSubstr("weir_http_request_duration_seconds_count{" +
                                   std::string(labels) + "} 1\n"));
  EXPECT_EQ(metrics.find("nowhere"), std::string::npos);
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

// Changes of named jobs are not kept, so a stream that comes back has missed some.
TEST_F(ApiTest, AStreamThatNamesJobsIsToldToReadThemAgainWhenItComesBack) {
  client_->send("GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  client_->read_until("retry: 2000\n\n");
  client_->read_until("id: ");
  const std::string seen = client_->read_until("\n");
  const auto first_of = [&](const std::string& query, const std::string& header) {
    RawHttp client(static_cast<std::uint16_t>(tracker_->front_port()));
    client.send("GET /api/v1/events" + query + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + header +
                "\r\n");
    client.read_until("retry: 2000\n\n");
    return client.read_until("id: ");
  };
  const std::string back = "Last-Event-ID: " + seen.substr(0, seen.size() - 1) + "\r\n";
  EXPECT_THAT(first_of("?jobs=1", back), HasSubstr("event: reload"));
  EXPECT_THAT(first_of("?jobs=1", ""), ::testing::Not(HasSubstr("reload")));
  EXPECT_THAT(first_of("", back), ::testing::Not(HasSubstr("reload")));
}

TEST_F(ApiTest, StatesAreKnownInAnyCase) {
  submit();
  for (const char* path : {"jobs?state=waiting,Pending,HELD", "jobs?state=PENDING"})
    EXPECT_EQ(parsed(get("/api/v1/" + std::string(path))).size(), 1u) << path;
  EXPECT_EQ(get("/api/v1/history?state=failed").status, 200);
  EXPECT_EQ(get("/api/v1/jobs?state=happy").status, 400);
}

// What cannot be right is refused with its place, in time that grows with its length alone.
TEST_F(ApiTest, BodiesOfJsonAreReadInOnePass) {
  const auto refusal = [&](const std::string& body) {
    const auto answer = call("POST", "/api/v1/settings/check", body);
    EXPECT_EQ(answer.status, 400) << body.substr(0, 40);
    return parsed(answer)["message"].get<std::string>();
  };
  EXPECT_THAT(refusal("{\n \"text\": 1e999}"), HasSubstr("line 2, column"));
  EXPECT_THAT(refusal("{\"text\": " + std::string(100'000, '9') + "}"), HasSubstr("too large"));
  EXPECT_EQ(refusal("{\"a\": 1, \"b\": {}, \"a\": 2}"),
            "the body, line 1, column 19, says 'a' twice");
  EXPECT_EQ(refusal("{\"a\": [{\"x\": 1}, {\"\\\"\": 1,\n  \"\\\"\" : 1}], \"b\": 1}"),
            "the body, line 2, column 3, says '\"' twice");
  EXPECT_THAT(refusal("{\"a\": " + std::string(40, '[')), HasSubstr("more than 32 levels"));
  EXPECT_THAT(refusal("{\"a\": [" + std::string(50'000, ',')), HasSubstr("no JSON: line 1"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("no object"));
  std::string keys = "{";
  for (int i = 0; i < 100'000; ++i) keys += "\"k" + std::to_string(i) + "\": 1, ";
  EXPECT_EQ(refusal(keys + "\"text\": \"\"}"), "k0: is no field here");
}

TEST_F(ApiTest, SettingsWithoutQueuesReplaceNone) {
  const auto put = [&](const std::string& text, const std::string& tag = "*") {
    const Json body = {{"text", text}};
    return call("PUT", "/api/v1/settings", body.dump(), "root", "If-Match: " + tag + "\r\n");
  };
  for (const char* text : {"{}", "policy: fifo", "", "# none"}) {
    EXPECT_EQ(put(text).status, 400) << text;
    const Json body = {{"text", text}};
    const auto check = parsed(call("POST", "/api/v1/settings/check", body.dump()));
    EXPECT_FALSE(check["ok"]) << text;
    EXPECT_EQ(check["findings"][0]["line"], 1) << text;
    EXPECT_EQ(check["findings"][0]["column"], 1) << text;
  }
  const std::string tag = get("/api/v1/settings").header("ETag");
  const std::string number = tag.substr(0, tag.find('-'));
  for (const std::string& other : {std::string("\"foreign\""), std::string("\"a,b\""), "W/" + tag,
                                   number + "-5f\"", number + "-\""})
    EXPECT_EQ(put("queues: [{name: one}]", other).status, 412) << other;
  for (const char* none : {"1", "", "\"1", "\"1\" \"2\"", "*, \"1\"", ","})
    EXPECT_EQ(put("queues: [{name: one}]", none).status, 400) << none;
  EXPECT_EQ(put("queues: [{name: one}]", "\"foreign\", \"9,99\",  " + tag).status, 200);
  const std::string now = get("/api/v1/settings").header("ETag");
  const std::string gzipped = now.substr(0, now.size() - 1) + "-gzip\"";
  EXPECT_EQ(put("queues: [{name: one}]", gzipped).status, 200);
  const auto newest = parsed(get("/api/v1/settings"))["number"].get<std::int64_t>();
  EXPECT_EQ(put("queues: [{name: one}]", "\"" + std::to_string(newest) + "\"").status, 200);
  EXPECT_EQ(get("/api/v1/settings/history/999999").status, 404);
  for (const char* list : {"queues", "trackers"})
    EXPECT_EQ(get("/api/v1/" + std::string(list) + "?cursor=forged").status, 400) << list;
  for (const char* list : {"queues", "jobs", "trackers", "history", "decisions"})
    EXPECT_EQ(get("/api/v1/" + std::string(list) + "?limit=0").status, 400) << list;
}

// The policy that rules is in the body, and is no part of the text that PUT replaces.
TEST_F(ApiTest, ASwitchOfThePolicyChangesTheTagOfSettings) {
  const std::string tag = get("/api/v1/settings").header("ETag");
  const auto again = [&] { return get("/api/v1/settings", "If-None-Match: " + tag + "\r\n"); };
  EXPECT_EQ(again().status, 304);
  ASSERT_EQ(call("PUT", "/api/v1/policy", R"({"name": "fair"})").status, 200);
  const auto now = again();
  EXPECT_EQ(now.status, 200);
  EXPECT_EQ(parsed(now)["policy"], "fair");
  const std::string body = Json{{"text", "queues: [{name: one}]"}}.dump();
  const auto put = call("PUT", "/api/v1/settings", body, "root", "If-Match: " + tag + "\r\n");
  EXPECT_EQ(put.status, 200);
}

// The headers of a GET, whose stream has no length; and the connection ends, as with the stream.
TEST_F(ApiTest, AHeadOfTheEventsIsWhatAGetBeginsWith) {
  const std::string rest = " /api/v1/events HTTP/1.1\r\nHost: here\r\n\r\n";
  client_->send("HEAD" + rest);
  const auto head = client_->read_answer(true);
  EXPECT_EQ(client_->read_to_end(), "");
  RawHttp other(static_cast<std::uint16_t>(tracker_->front_port()));
  other.send("GET" + rest);
  const auto get = other.read_answer(true);
  EXPECT_EQ(head.status, get.status);
  for (const char* name : {"Content-Type", "Cache-Control", "X-Accel-Buffering", "Connection",
                           "Content-Length", "Vary"})
    EXPECT_EQ(head.header(name), get.header(name)) << name;
}

TEST_F(ApiTest, MethodsAreAsHttpHasThem) {
  const auto by = [&](const std::string& method, const std::string& path) {
    client_->send(method + " " + path + " HTTP/1.1\r\nHost: here\r\n\r\n");
    return client_->read_answer(method == "HEAD");
  };
  EXPECT_EQ(by("TRACE", "/api/v1/jobs").status, 405);
  EXPECT_EQ(by("TRACE", "/").header("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(by("OPTIONS", "/queues").status, 204);
  EXPECT_EQ(by("OPTIONS", "*").status, 204);
  EXPECT_EQ(by("QUERY", "/api/v1/jobs").status, 405);
  EXPECT_EQ(by("QUERY", "/api/v1/jobs").header("Allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(by("BREW", "/").header("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(by("BREW", "/healthz").status, 405);
  EXPECT_EQ(by("BREW", "/api/v1/teapot").status, 404);
  const auto without_gzip = get("/api/v1/openapi.json", "Accept-Encoding: GZIP;q=0, *\r\n");
  EXPECT_EQ(without_gzip.header("Content-Encoding"), "");
}

// What a path does not have is said before what a body lacks.
TEST_F(ApiTest, ABodyWithoutLengthIsMissedWhereOneIsWanted) {
  const auto by = [&](const std::string& method, const std::string& path) {
    RawHttp client(static_cast<std::uint16_t>(tracker_->front_port()));
    client.send(method + " " + path + " HTTP/1.1\r\nHost: here\r\n\r\n");
    return client.read_answer().status;
  };
  EXPECT_EQ(by("POST", "/api/v1/jobs"), 411);
  EXPECT_EQ(by("PUT", "/api/v1/jobs"), 405);
  EXPECT_EQ(by("POST", "/"), 405);
  EXPECT_EQ(by("PATCH", "/jobs/1"), 405);
  EXPECT_EQ(by("PUT", "/metrics"), 405);
  EXPECT_EQ(by("POST", "/nowhere"), 404);
}

TEST_F(ApiTest, ANumberThatNoJobCanHaveIsThatOfNoJob) {
  for (const char* job : {"4294967295", "job_99999999999999999999", "77"})
    EXPECT_EQ(get("/api/v1/jobs/" + std::string(job)).status, 404) << job;
  for (const char* job : {"x", "job_", "-1", "1x"})
    EXPECT_EQ(get("/api/v1/jobs/" + std::string(job)).status, 400) << job;
}

TEST_F(ApiTest, ADecisionSaysSinceWhenNothingIsMissing) {
  submit();
  const auto decisions = get("/api/v1/decisions");
  const auto first = parsed(decisions).back();
  EXPECT_EQ(first["event"], "start");
  EXPECT_THAT(first["what"].get<std::string>(), HasSubstr("Weir "));
  EXPECT_EQ(decisions.header("X-Weir-Complete-Since"), std::to_string(first["t"].get<long>()));
}

// What could be right at another time is a conflict.
TEST_F(ApiTest, WhatIsNotHeldIsNotReleasedNow) {
  submit();
  const auto answer = call("PATCH", "/api/v1/jobs/1", "{\"held\": false}");
  EXPECT_EQ(answer.status, 409);
  EXPECT_THAT(answer.body, HasSubstr("is not held"));
}

TEST_F(ApiTest, OfAGroupSpacesAndTabsAroundItAreNoPart) {
  submit();
  const auto with = [&](const char* groups) {
    return call("PATCH", "/api/v1/jobs/1", "{\"priority\": \"LOW\"}", "root",
                "X-Weir-Groups: " + std::string(groups) + "\r\n")
        .status;
  };
  EXPECT_EQ(with("a,\tb\t, c"), 200);
  EXPECT_EQ(with("a,b\tc"), 400);
}

TEST_F(ApiTest, ProbesAreForReading) {
  for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
    EXPECT_EQ(get(path).status, 200) << path;
    const auto wrong = call("POST", path, "");
    EXPECT_EQ(wrong.status, 405) << path;
    EXPECT_EQ(wrong.header("Allow"), "GET, HEAD, OPTIONS") << path;
    client_->send("OPTIONS " + std::string(path) + " HTTP/1.1\r\nHost: here\r\n\r\n");
    EXPECT_EQ(client_->read_answer().status, 204) << path;
    EXPECT_THAT(wrong.body, HasSubstr("\"code\": \"BAD_REQUEST\"")) << path;
  }
}

TEST(HostCheckTest, NamesOfThisServer) {
  const HostCheck check({"weir.example.org", "Node7.cluster", "node7"});
  for (const char* own : {"127.0.0.1", "127.0.1.1", "::1", "localhost", "10.1.2.3", "node7",
                          "node7.cluster", "weir.example.org", "a.localhost", ""})
    EXPECT_TRUE(check.is_own(own, "10.1.2.3")) << own;
  for (const char* other :
       {"evil.example", "127.0.0.1.evil.example", "node70", "weir.example.org.evil",
        "localhost.evil.example", "node7.evil.example", "node7.other"})
    EXPECT_FALSE(check.is_own(other, "10.1.2.3")) << other;
}

TEST(HostCheckTest, AddressesOfThisServer) {
  const HostCheck check({"192.0.2.7", "2001:DB8::7", "0.0.0.0", "::"});
  EXPECT_TRUE(check.is_own("192.0.2.7", "10.1.2.3"));
  EXPECT_TRUE(check.is_own("2001:db8:0::7", "10.1.2.3"));
  EXPECT_TRUE(check.is_own("10.1.2.3", "::ffff:10.1.2.3"));  // a socket for both
  EXPECT_TRUE(check.is_own("fe80::1", "fe80::1%2"));
  for (const char* other : {"1.2.3.4", "10.0.0.1", "10.1.2.4", "0.0.0.0", "::", "2001:db8::8"})
    EXPECT_FALSE(check.is_own(other, "10.1.2.3")) << other;
}

// A name of somebody else's that points here: what a page there asks for looks like ours.
TEST_F(ApiTest, NothingIsAnsweredByAnotherName) {
  for (const char* path : {"/", "/api/v1/jobs", "/metrics", "/healthz"}) {
    const auto by = [&](const std::string& target, const std::string& host) {
      client_->send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
      return client_->read_answer().status;
    };
    EXPECT_EQ(by(path, "here.evil.example"), 421) << path;
    EXPECT_EQ(by("http://evil.example" + std::string(path), "here"), 421) << path;
    EXPECT_EQ(by("http://here" + std::string(path), "evil.example"), 200) << path;
    EXPECT_EQ(by(path, "HERE:80"), 200) << path;
    EXPECT_EQ(by(path, "127.0.0.1"), 200) << path;
    EXPECT_EQ(by(path, "10.9.9.9"), 421) << path;
  }
}

}  // namespace
}  // namespace weir::web
