// What the tests of this folder share: a real JobTracker in this process with the front before it,
// and a client of its web port.
#pragma once

#include <optional>
#include <string>

#include "tracker/jobtracker/harness.h"
#include "views/json/json.h"
#include "web/front.h"
#include "web/server/http_fixture.h"

namespace weir::web {

class ApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Loaded loaded = make_loaded();
    loaded.daemon.listen_trackers = {"127.0.0.1", 0};
    loaded.daemon.listen_http = HostPort{"127.0.0.1", 0};
    loaded.daemon.http_names = {"here"};  // as RawHttp calls it
    auto store = memory_store();
    auto snapshot = store->load();
    ASSERT_TRUE(snapshot.ok());
    auto tracker = JobTracker::start(
        {.store = std::move(store),
         .snapshot = std::move(*snapshot),
         .settings = std::make_shared<Settings>(loaded.settings),
         .daemon = loaded.daemon,
         .make_front = [daemon = loaded.daemon](JobTracker& made) {
           return open_front(made, daemon);
         }});
    ASSERT_TRUE(tracker.ok()) << tracker.error().message;
    tracker_ = std::move(*tracker);
    client_.emplace(static_cast<std::uint16_t>(tracker_->front_port()));
  }

  RawHttp::Answer get(const std::string& path, const std::string& headers = "") {
    return client_->get(path, headers);
  }
  // As `user`; with a body as JSON.
  RawHttp::Answer call(const std::string& method, const std::string& path, const std::string& body,
                       const std::string& user = "root", const std::string& headers = "") {
    client_->send(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
                  (user.empty() ? "" : "X-Weir-User: " + user + "\r\n") +
                  "Content-Type: application/json\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body);
    return client_->read_answer();
  }
  // A job that waits, by way of the Thrift port.
  std::int64_t submit() {
    auto client = connect(tracker_->client_port())->client<wire::ClientServiceClient>();
    wire::SubmitRequest request = make_request(3, 0, "/out" + std::to_string(++jobs_));
    request.spec.__set_reducer("");
    return client
        .call([&](auto& c) {
          wire::SubmitReply reply;
          c.submit(reply, request);
          return reply;
        })
        .job;
  }

  std::unique_ptr<JobTracker> tracker_;
  std::optional<RawHttp> client_;
  int jobs_ = 0;
};

}  // namespace weir::web
