// Targets, tags and requests in pieces, without a socket.
#include <gtest/gtest.h>

#include "web/server/answer.h"
#include "web/server/request_reader.h"
#include "web/server/target.h"

namespace weir::web {
namespace {

using Strings = std::vector<std::string>;

TEST(TargetTest, PathsAreCutBeforeTheyAreDecoded) {
  std::string problem;
  const auto path = [&](std::string_view target) { return parse_target(target, &problem)->path; };
  EXPECT_EQ(path("/"), Strings{});
  EXPECT_EQ(path("/a/b%20c"), (Strings{"a", "b c"}));
  EXPECT_EQ(path("/a%2Fb/c+d"), (Strings{"a/b", "c+d"}));
  EXPECT_EQ(path("/a/"), (Strings{"a", ""}));
  EXPECT_EQ(path("//a"), (Strings{"", "a"}));
  EXPECT_EQ(path("http://host:1/a?b"), Strings{"a"});
  EXPECT_EQ(path("http://host"), Strings{});
  EXPECT_EQ(path("/%E2%82%AC"), Strings{"\xE2\x82\xAC"});
}

TEST(TargetTest, QueriesAreNamesAndValues) {
  std::string problem;
  const auto query = parse_target("/a?x=1&y=a+b%26c&&z&x=2#part", &problem)->query;
  EXPECT_EQ(query, (NamesAndValues{{"x", "1"}, {"y", "a b&c"}, {"z", ""}, {"x", "2"}}));
  EXPECT_EQ(percent_encoded("a b&c/\xC3\xA4~"), "a%20b%26c%2F%C3%A4~");
}

TEST(TargetTest, WhatIsNotUtf8IsRefused) {
  for (const char* good : {"", "abc", "\xC3\xA4", "\xEF\xBF\xBD", "\xF0\x9F\x98\x80"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad : {"\x80", "\xC0\xAF", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80",
                          "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"})
    EXPECT_FALSE(is_utf8(bad)) << bad;
}

TEST(AnswerTest, TagsMatchWeakOrNot) {
  EXPECT_TRUE(names_etag("\"7\"", "\"7\""));
  EXPECT_TRUE(names_etag("W/\"7\"", "\"7\""));
  EXPECT_TRUE(names_etag("\"1\" , \"7\"", "W/\"7\""));
  EXPECT_TRUE(names_etag("*", "\"7\""));
  EXPECT_TRUE(names_etag("\"7-gzip\"", "\"7\""));
  EXPECT_EQ(without_gzip("\"7-gzip\""), "\"7\"");
  EXPECT_EQ(without_gzip("\"7\""), "\"7\"");
  EXPECT_FALSE(names_etag("\"77\"", "\"7\""));
  EXPECT_FALSE(names_etag("7", "\"7\""));
  EXPECT_FALSE(names_etag("", ""));
}

// A header's value comes from names of users: it must not become a header.
TEST(AnswerTest, AHeaderStaysOneLine) {
  HttpAnswer answer = text_answer(200, "text/plain", "x");
  answer.with("Link", "a\r\nSet-Cookie: b");
  const Outgoing out = outgoing(answer, nullptr, true);
  EXPECT_EQ(out.head.find("\r\nSet-Cookie"), std::string::npos);
}

// In pieces of any size a request is the same request.
TEST(RequestReaderTest, PiecesMakeNoDifference) {
  const std::string text =
      "POST /jobs?a=b HTTP/1.1\r\nHost: here\r\nX-One: 1\r\nx-one: 2\r\n"
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
  const HttpLimits limits;
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    RequestReader reader(limits);
    std::string kept;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      kept += text.substr(at, piece);
      kept.erase(0, reader.take(kept));
    }
    ASSERT_EQ(reader.state(), RequestReader::State::kComplete) << piece;
    EXPECT_EQ(kept, "");
    const HttpRequest& request = reader.request();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, Strings{"jobs"});
    EXPECT_EQ(request.body, "hello world");
    EXPECT_EQ(request.header("x-one"), "1, 2");
    EXPECT_EQ(request.header("x-two"), std::nullopt);
  }
}

// However they come: Beast alone bounds what it has not taken yet.
TEST(RequestReaderTest, HeadersWithoutEndAreRefusedInPiecesOfAnySize) {
  HttpLimits limits;
  limits.max_header_bytes = 500;
  std::string text = "GET / HTTP/1.1\r\nHost: here\r\n";
  for (int i = 0; i < 100; ++i) text += "X-A: b\r\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    RequestReader reader(limits);
    std::string kept;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      kept += text.substr(at, piece);
      kept.erase(0, reader.take(kept));
    }
    ASSERT_EQ(reader.state(), RequestReader::State::kRefused) << piece;
    EXPECT_EQ(reader.problem().status, 431);
  }
}

TEST(RequestReaderTest, ATrailerIsNoHeader) {
  const HttpLimits limits;
  RequestReader reader(limits);
  reader.take(
      "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\nX-Weir-User: root\r\n\r\n");
  ASSERT_EQ(reader.state(), RequestReader::State::kComplete);
  EXPECT_EQ(reader.request().header("x-weir-user"), std::nullopt);
}

}  // namespace
}  // namespace weir::web
