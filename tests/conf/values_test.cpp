// The small values: what is read, what is not, and that writing and reading are inverse.
#include "conf/values.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Values, Durations) {
  EXPECT_EQ(parse_duration("300ms"), 300);
  EXPECT_EQ(parse_duration("5s"), 5000);
  EXPECT_EQ(parse_duration("2m"), 120'000);
  EXPECT_EQ(parse_duration("1h"), 3'600'000);
  EXPECT_EQ(parse_duration("never"), kNever);
  for (const char* bad : {"", "5", "s", "-5s", "5 s", "1.5s", "5S", "1d", "1m30s",
                          "99999999999999999h", "+5s", "5s "}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
  for (const DurationMs value :
       {0L, 1L, 1000L, 1500L, 60'000L, 90'000L, 3'600'000L, 86'400'000L, kNever}) {
    EXPECT_EQ(parse_duration(format_duration(value)), value) << format_duration(value);
  }
}

TEST(Values, Percentages) {
  EXPECT_EQ(parse_percent("40%"), 4000);
  EXPECT_EQ(parse_percent("33.33%"), 3333);
  EXPECT_EQ(parse_percent("0.5%"), 50);
  EXPECT_EQ(parse_percent("101%"), 10'100);
  for (const char* bad :
       {"", "%", "40", "40 %", "-1%", "1.%", ".5%", "1.234%", "4e1%", "99999999999999999999%"}) {
    EXPECT_FALSE(parse_percent(bad)) << bad;
  }
  for (std::int64_t value = 0; value <= 10'000; ++value)
    EXPECT_EQ(parse_percent(format_percent(value)), value);
  EXPECT_EQ(format_percent(4000), "40%");
  EXPECT_EQ(format_percent(50), "0.5%");
}

TEST(Values, SizesNumbersAndAddresses) {
  EXPECT_EQ(parse_byte_size("64KiB"), 65'536);
  EXPECT_EQ(parse_byte_size("100"), 100);
  EXPECT_EQ(parse_byte_size("100MB"), 100'000'000);
  EXPECT_EQ(format_byte_size(100'000'000), "100MB");
  EXPECT_FALSE(parse_byte_size("1kB"));
  for (const std::int64_t value : {0LL, 1LL, 1024LL, 1536LL, 1LL << 20, 1LL << 40}) {
    EXPECT_EQ(parse_byte_size(format_byte_size(value)), value);
  }
  EXPECT_EQ(parse_millionths("1.5"), 1'500'000);
  EXPECT_EQ(format_millionths(1'500'000), "1.5");
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_FALSE(parse_integer("--1"));
  EXPECT_FALSE(parse_integer("9223372036854775808"));
  EXPECT_EQ(parse_address("[::1]:0"), (HostPort{"::1", 0}));
  for (const char* bad :
       {"", "h", ":1", "h:", "h:65536", "h:-1", "::1:5", "h h:1", "[]:1", "h:1:2", "h/x:1"}) {
    EXPECT_FALSE(parse_address(bad)) << bad;
  }
  for (const char* good : {"127.0.0.1:9090", "[::1]:0", "jt.example.org:65535"}) {
    EXPECT_EQ(format_address(*parse_address(good)), good);
  }
}

TEST(Values, NearestWord) {
  constexpr std::string_view kKnown[] = {"guaranteed", "maximum", "submit"};
  EXPECT_EQ(nearest("guarantied", kKnown), "guaranteed");
  EXPECT_EQ(nearest("Maximum", kKnown), "maximum");
  EXPECT_EQ(nearest("sumbit", kKnown), "submit");
  constexpr std::string_view kAlike[] = {"maps", "caps"};
  EXPECT_EQ(nearest("taps", kAlike), "maps");  // the first of those that are as near
  EXPECT_FALSE(nearest("colour", kKnown));
  EXPECT_FALSE(nearest("", kKnown));
}

}  // namespace
}  // namespace weir
