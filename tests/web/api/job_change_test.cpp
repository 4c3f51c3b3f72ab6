// What a PATCH of a job changes, and that one which is refused changes nothing.
#include <gmock/gmock.h>

#include "api_fixture.h"

namespace weir::web {
namespace {

using testing::HasSubstr;

class JobChangeTest : public ApiTest {
 protected:
  RawHttp::Answer change(const std::string& body) { return call("PATCH", "/api/v1/jobs/1", body); }
  Json job() { return Json::parse(get("/api/v1/jobs/1").body); }
  void submit_held() {
    wire::SubmitRequest request = make_request(3, 0, "/out");
    request.spec.__set_reducer("");
    request.spec.__set_hold(true);
    auto client = connect(tracker_->client_port())->client<wire::ClientServiceClient>();
    client.call([&](auto& c) {
      wire::SubmitReply reply;
      c.submit(reply, request);
      return reply;
    });
  }
};

TEST_F(JobChangeTest, OneThatCannotBeReleasedIsNotChangedInPart) {
  submit();
  const Json before = job();
  const auto answer = change(R"({"queue": "small", "priority": "VERY_HIGH", "held": false})");
  EXPECT_EQ(answer.status, 409);
  EXPECT_THAT(answer.body, HasSubstr("job_0001 is not held"));
  EXPECT_EQ(job()["queue"], before["queue"]);
  EXPECT_EQ(job()["priority"], before["priority"]);
}

TEST_F(JobChangeTest, OneThatCannotBeMovedIsNotChangedInPart) {
  submit_held();
  const auto answer = change(R"({"queue": "none", "priority": "VERY_HIGH", "held": false})");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(job()["state"], "HELD");
  EXPECT_EQ(job()["priority"], "NORMAL");
}

TEST_F(JobChangeTest, AllAtOnce) {
  submit_held();
  const auto answer = change(R"({"queue": "small", "priority": "VERY_HIGH", "held": false})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(job()["queue"], "small");
  EXPECT_EQ(job()["priority"], "VERY_HIGH");
  EXPECT_NE(job()["state"], "HELD");
}

}  // namespace
}  // namespace weir::web
