#include "live/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <thread>

#include "live/api_json.h"
#include "live/report_reader.h"

namespace weir::live {
namespace {

using boost::asio::ip::tcp;
using testing::HasSubstr;

// Each connection gets one text after its first request, and is closed or kept open then.
class CannedServer {
 public:
  struct Reply {
    std::string text;
    bool keep_open = false;
  };
  explicit CannedServer(std::vector<Reply> replies)
      : acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}),
        thread_([this, replies = std::move(replies)] { serve(replies); }) {}
  ~CannedServer() { thread_.join(); }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  const std::vector<std::string>& requests() const { return requests_; }
  void join() {
    thread_.join();
    thread_ = std::thread([] {});
  }

 private:
  void serve(const std::vector<Reply>& replies) {
    for (const Reply& reply : replies) {
      tcp::socket socket(io_);
      boost::system::error_code code;
      acceptor_.accept(socket, code);
      std::string request;
      boost::asio::read_until(socket, boost::asio::dynamic_buffer(request), "\r\n\r\n", code);
      requests_.push_back(request);
      boost::asio::write(socket, boost::asio::buffer(reply.text), code);
      if (!reply.keep_open) continue;
      char more = 0;  // until the client goes
      while (!code) boost::asio::read(socket, boost::asio::buffer(&more, 1), code);
    }
  }

  boost::asio::io_context io_;
  tcp::acceptor acceptor_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

std::string answer(const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

TEST(HttpClient, AsksAndReadsWhatIsAnswered) {
  CannedServer server({{answer("[1]", "X-Weir-Next-Cursor: 7\r\nX-Weir-Version: 12\r\n")}});
  HttpClient client("127.0.0.1", server.port());
  const HttpReply reply = client.get("/api/v1/jobs?limit=1");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "[1]");
  EXPECT_EQ(reply.next_cursor, "7");
  EXPECT_EQ(reply.version, "12");
  server.join();
  EXPECT_THAT(server.requests()[0], HasSubstr("GET /api/v1/jobs?limit=1 HTTP/1.1"));
}

TEST(HttpClient, AConnectionThatWasClosedIsMadeAgainForAGet) {
  CannedServer server({{answer("a")}, {answer("b")}});
  HttpClient client("127.0.0.1", server.port());
  EXPECT_EQ(client.get("/").body, "a");
  EXPECT_EQ(client.get("/").body, "b");
}

TEST(HttpClient, ACommandIsNeverRepeated) {
  CannedServer server({{answer("a")}, {answer("b")}});
  HttpClient client("127.0.0.1", server.port());
  EXPECT_EQ(client.get("/").body, "a");
  EXPECT_THROW(client.ask({.method = "DELETE", .target = "/x", .body = "", .headers = {}}),
               HttpTrouble);
  EXPECT_EQ(client.get("/").body, "b");
}

TEST(HttpClient, NoAnswerIsTakenThatIsTooLargeOrNeverComes) {
  CannedServer server({{answer(std::string(5000, 'x'))},
                       {"HTTP/1.1 200 OK\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n"},
                       {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", true},
                       {"no HTTP at all\r\n\r\n"}});
  HttpClient client("127.0.0.1", server.port(),
                    {.answer = std::chrono::milliseconds(300), .body_bytes = 4096});
  for (int i = 0; i < 4; ++i) EXPECT_THROW(client.get("/"), HttpTrouble) << i;
}

TEST(HttpClient, NobodyThereIsTrouble) {
  std::uint16_t port = 0;
  {
    CannedServer gone({});
    port = gone.port();
  }
  HttpClient client("127.0.0.1", port);
  EXPECT_THROW(client.get("/"), HttpTrouble);
}

TEST(HttpClient, AStreamComesPieceByPiece) {
  CannedServer server({{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"},
                       {"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy"}});
  HttpClient client("127.0.0.1", server.port());
  std::string got;
  const auto take = [&](std::string_view piece) {
    got += piece;
    return true;
  };
  EXPECT_EQ(client.stream("/events", take).status, 200);
  EXPECT_EQ(got, "abcde");
  const HttpReply refused = client.stream("/events", take);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body, "busy");
  EXPECT_EQ(got, "abcde");
}

TEST(HttpClient, WhoeverWaitsCanBeCalledOff) {
  CannedServer server({{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true}});
  HttpClient client("127.0.0.1", server.port());
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    client.stop();
  });
  EXPECT_THROW(client.stream("/events", [](std::string_view) { return true; }), HttpTrouble);
  other.join();
  EXPECT_THROW(client.get("/"), HttpTrouble);
}

// A task that was killed had run since before the first figures.
TEST(ReportReader, WhatWasThrownAwayIsComparedWithTheUseOfItsTime) {
  const std::string series = R"({"step_ms":10000,"points":[{"t":50000,"map":{"running":2}}]})";
  CannedServer server({{answer("{\"policy\":\"capacity\"}")},
                       {answer(R"([{"name":"a","leaf":true}])")},
                       {answer(series)},
                       {answer(series)},
                       {answer(series)},
                       {answer("[]")},
                       {answer("[]")},
                       {answer(R"([{"t":58000,"reason":"reclaim","queue":"a","for":"b",)"
                               R"("ran_ms":28000,"slots":2}])")}});
  HttpClient client("127.0.0.1", server.port());
  const report::Report report = read_report(client, 10'000, 100'000);
  EXPECT_EQ(report.wasted_seen_slot_s, 16);
  EXPECT_THAT(report.kills.at(0).wasted_slot_s, testing::ElementsAre(56, 0));
  EXPECT_THAT(report.notes.back(), HasSubstr("where it was killed, the last seconds before"));
}

// Of a cluster whose only queue has these points.
report::Report report_of(const std::string& points) {
  CannedServer server({{answer("{\"policy\":\"capacity\"}")},
                       {answer(R"([{"name":"a","leaf":true}])")},
                       {answer(points)},
                       {answer(points)},
                       {answer(points)},
                       {answer("[]")},
                       {answer("[]")},
                       {answer("[]")}});
  HttpClient client("127.0.0.1", server.port());
  return read_report(client, 10'000, 100'000);
}

TEST(ReportReader, WhereNobodyIsGuaranteedAnythingNobodyBorrows) {
  const std::string points =
      R"({"step_ms":10000,"points":[{"t":50000,"map":{"running":2}},)"
      R"({"t":60000,"map":{"guaranteed":1,"allocated":2,"running":2}}]})";
  const report::Report report = report_of(points);
  EXPECT_EQ(report.totals.at(0).used_slot_s[0], 40);
  EXPECT_EQ(report.totals.at(0).borrowed_slot_s[0], 10);
}

// A mean that is rounded to whole slots says that 0.4 of one are none. The queue was guaranteed
// something for less than half of the step.
TEST(ReportReader, AreasOfLongStepsAreNotRoundedToSlots) {
  const std::string points =
      R"({"step_ms":10000,"points":[{"t":50000,"map":{"running":1,"running_thousandths":1400,)"
      R"("lent_thousandths":300,"borrowed_thousandths":400}}]})";
  const report::Report report = report_of(points);
  EXPECT_DOUBLE_EQ(report.totals.at(0).used_slot_s[0], 14);
  EXPECT_DOUBLE_EQ(report.totals.at(0).lent_slot_s[0].value_or(-1), 3);
  EXPECT_DOUBLE_EQ(report.totals.at(0).borrowed_slot_s[0].value_or(-1), 4);
}

TEST(ApiJson, WhatTheServerRefusesIsSaidInItsWords) {
  CannedServer server({{"HTTP/1.1 404 Not Found\r\nContent-Length: 57\r\n\r\n"
                        R"({"code":"UNKNOWN_JOB","message":"no job 7","hint":"look"})"},
                       {answer("<html>")}});
  HttpClient client("127.0.0.1", server.port());
  try {
    get_json(client, "/api/v1/jobs/7");
    FAIL() << "was taken";
  } catch (const ApiRefused& refused) {
    EXPECT_EQ(refused.status(), 404);
    EXPECT_STREQ(refused.what(), "no job 7; look");
  }
  EXPECT_THROW(get_json(client, "/"), ApiRefused);
}

}  // namespace
}  // namespace weir::live
