// What a well-behaved client gets.
#include <zlib.h>

#include "web/server/http_fixture.h"

namespace weir::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ServerTest : public HttpTest {};

std::string gunzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST_F(ServerTest, AConnectionAsksAgainAndAgain) {
  start();
  auto client = connect();
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.get("/say/hello" + std::to_string(i));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello" + std::to_string(i));
  }
  EXPECT_EQ(server_->connections(), 1u);
  EXPECT_EQ(server_->requests(), 3);
}

TEST_F(ServerTest, EveryAnswerSaysWhatAPageMayDo) {
  start();
  for (const char* path : {"/say/a", "/lose", "/tag", "//%zz"}) {
    auto client = connect();
    const auto answer = client.get(path);
    EXPECT_THAT(answer.header("Content-Security-Policy"), HasSubstr("default-src 'self'")) << path;
    EXPECT_THAT(answer.header("Content-Security-Policy"), HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(answer.header("Content-Security-Policy"), Not(HasSubstr("unsafe")));
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(answer.header("Referrer-Policy"), "no-referrer") << path;
  }
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInTheirOrder) {
  start();
  auto client = connect();
  client.send(
      "GET /park/one HTTP/1.1\r\nHost: here\r\n\r\n"
      "GET /say/two HTTP/1.1\r\nHost: here\r\n\r\n"
      "POST /say/three HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\n\r\n!"
      "GET /later HTTP/1.1\r\nHost: here\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return site_->parked() == 1; }));
  EXPECT_EQ(server_->requests(), 1);
  site_->release("one");
  EXPECT_EQ(client.read_answer().body, "one");
  EXPECT_EQ(client.read_answer().body, "two");
  EXPECT_EQ(client.read_answer().body, "three!");
  EXPECT_EQ(client.read_answer().body, "later");
}

TEST_F(ServerTest, AThousandPipelinedRequestsAreAnswered) {
  start();
  auto client = connect();
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += "GET /say/x HTTP/1.1\r\nHost: here\r\n\r\n";
  std::thread sender([&] { client.send(requests); });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.read_answer().body, "x") << i;
  sender.join();
}

TEST_F(ServerTest, HeadHasNoBody) {
  start();
  auto client = connect();
  client.send("HEAD /say/hello HTTP/1.1\r\nHost: here\r\n\r\n");
  const auto answer = client.read_answer(true);
  EXPECT_EQ(answer.header("Content-Length"), "5");
  EXPECT_EQ(client.get("/say/next").body, "next");
}

TEST_F(ServerTest, WhoHasItAlreadyGets304) {
  start();
  auto client = connect();
  EXPECT_EQ(client.get("/tag").header("ETag"), "\"7\"");
  const auto same = client.get("/tag", "If-None-Match: \"5\", W/\"7\"\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.header("ETag"), "\"7\"");
  EXPECT_EQ(same.header("Content-Length"), "");
  EXPECT_EQ(client.get("/tag", "If-None-Match: \"8\"\r\n").status, 200);
}

// Whether a body is missing there is for the handler to say; what comes behind it is no request.
TEST_F(ServerTest, AfterARequestWithoutLengthTheConnectionEnds) {
  start();
  auto client = connect();
  client.send("POST /say/a HTTP/1.1\r\nHost: here\r\n\r\nGET /say/b HTTP/1.1\r\n\r\n");
  const auto answer = client.read_answer();
  EXPECT_EQ(answer.body, "a");
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_EQ(client.read_answer().status, 0);
}

TEST_F(ServerTest, GzipForWhoTakesItAndWhatIsLongEnough) {
  start();
  auto client = connect();
  const auto zipped = client.get("/tag", "Accept-Encoding: br, gzip;q=0.5\r\n");
  EXPECT_EQ(zipped.header("Content-Encoding"), "gzip");
  EXPECT_EQ(zipped.header("ETag"), "\"7-gzip\"");
  const auto same =
      client.get("/tag", "Accept-Encoding: gzip\r\nIf-None-Match: \"7-gzip\"\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.header("ETag"), "\"7-gzip\"");
  EXPECT_EQ(gunzip(zipped.body), std::string(5000, 'x'));
  EXPECT_LT(zipped.body.size(), 200u);
  EXPECT_EQ(client.get("/tag", "Accept-Encoding: gzip;q=0\r\n").header("Content-Encoding"), "");
  EXPECT_EQ(client.get("/tag").header("Content-Encoding"), "");
  EXPECT_EQ(client.get("/say/short", "Accept-Encoding: gzip\r\n").header("Content-Encoding"), "");
}

TEST_F(ServerTest, TheConnectionEndsWhenTheClientSaysSo) {
  start();
  auto client = connect();
  client.send("GET /say/a HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_to_end(), HasSubstr("Connection: close\r\n"));
  auto old = connect();
  old.send("GET /say/a HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.read_to_end(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ServerTest, WhoEndsItsSideStillGetsItsAnswers) {
  start();
  auto client = connect();
  client.send(
      "GET /later HTTP/1.1\r\nHost: here\r\n\r\n"
      "GET /say/last HTTP/1.1\r\nHost: here\r\n\r\n");
  client.end_sending();
  const std::string all = client.read_to_end();
  EXPECT_THAT(all, HasSubstr("later"));
  EXPECT_THAT(all, HasSubstr("last"));
}

TEST_F(ServerTest, ABodyInChunksOrAfterAGoAhead) {
  start();
  auto client = connect();
  client.send(
      "POST /say/ HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;why=not\r\nde\r\n0\r\nX-Late: header\r\n\r\n");
  EXPECT_EQ(client.read_answer().body, "abcde");
  client.send(
      "POST /say/ HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");
  EXPECT_EQ(client.read_answer().body, "ok");
}

TEST_F(ServerTest, AHandlerThatFailsOrForgetsIsAnsweredFor) {
  start();
  auto client = connect();
  EXPECT_EQ(client.get("/throw").status, 500);
  const auto lost = client.get("/lose");
  EXPECT_EQ(lost.status, 500);
  EXPECT_THAT(lost.body, HasSubstr("\"code\": \"INTERNAL\""));
  EXPECT_EQ(client.get("/twice").body, "once");
  EXPECT_EQ(client.get("/say/on").body, "on");
}

TEST_F(ServerTest, AnAnswerAfterTheEndHasNoEffect) {
  start();
  auto client = connect();
  client.send("GET /park/x HTTP/1.1\r\nHost: here\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return site_->parked() == 1; }));
  server_->stop();
  site_->release("x");
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(ServerTest, APortInUseIsSaid) {
  start();
  const auto second =
      HttpServer::listen(io_, "test port", "127.0.0.1", server_->port(), service(), limits_,
                         budget_);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("cannot listen on 127.0.0.1:"));
}

}  // namespace
}  // namespace weir::web
