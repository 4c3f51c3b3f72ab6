#include "cli/format.h"

#include <gtest/gtest.h>

#include "cli/exit_code.h"

namespace weir::cli {
namespace {

TEST(Format, DurationsInTheUnitThatMatters) {
  EXPECT_EQ(short_duration(0), "0ms");
  EXPECT_EQ(short_duration(350), "350ms");
  EXPECT_EQ(short_duration(4250), "4.2s");
  EXPECT_EQ(short_duration(9'999), "9.9s");
  EXPECT_EQ(short_duration(10'000), "10s");
  EXPECT_EQ(short_duration(59'999), "59s");
  EXPECT_EQ(short_duration(200'000), "3m20s");
  EXPECT_EQ(short_duration(7'500'000), "2h05m");
  EXPECT_EQ(short_duration(273'600'000), "3d04h");
  EXPECT_EQ(short_duration(-5), "0ms");
}

TEST(Format, BytesAndPercent) {
  EXPECT_EQ(short_bytes(512), "512 B");
  EXPECT_EQ(short_bytes(1536), "1.5 KiB");
  EXPECT_EQ(short_bytes(64LL << 20), "64.0 MiB");
  EXPECT_EQ(percent(999'999), "99%");  // not done is never 100%
  EXPECT_EQ(percent(1'000'000), "100%");
  EXPECT_EQ(percent(-1), "0%");
}

TEST(Format, PointsInTimeAreDatesOrSpansBeforeNow) {
  const auto now = [] { return std::int64_t{1'700'000'000'000}; };
  EXPECT_EQ(point_in_time("--since", "30m", now), 1'700'000'000'000 - 1'800'000);
  EXPECT_EQ(point_in_time("--since", "2d", now), 1'700'000'000'000 - 172'800'000);
  EXPECT_EQ(point_in_time("--since", "1w", now), 1'700'000'000'000 - 604'800'000);
  const std::int64_t noon = point_in_time("--since", "2024-11-21 12:00", now);
  EXPECT_EQ(local_time(noon), "2024-11-21 12:00:00");
  EXPECT_EQ(point_in_time("--since", "2024-11-21", now), noon - 12 * 3'600'000);
  for (const char* wrong :
       {"", "d", "2x", "-3d", "yesterday", "2024-13-01", "2024-11-21x", "99999999999d"}) {
    EXPECT_THROW(point_in_time("--since", wrong, now), CliFailure) << wrong;
  }
}

TEST(Format, Sizes) {
  EXPECT_EQ(size_in_bytes("--x", "65536", 1), 65'536);
  EXPECT_EQ(size_in_bytes("--x", "512k", 1), 512 << 10);
  EXPECT_EQ(size_in_bytes("--x", "64M", 1), 64 << 20);
  EXPECT_EQ(size_in_bytes("--x", "1G", 1), 1 << 30);
  EXPECT_EQ(size_in_bytes("--x", "64MiB", 1), 64 << 20);
  EXPECT_EQ(size_in_bytes("--x", "100MB", 1), 100'000'000);
  for (const char* wrong : {"", "k", "-1k", "1.5M", "1 M", "9999999999T", "0", "M64", "64Mi"})
    EXPECT_THROW(size_in_bytes("--x", wrong, 1), CliFailure) << wrong;
  EXPECT_EQ(size_in_mb("--x", "512"), 512);
  EXPECT_EQ(size_in_mb("--x", "2G"), 2048);
  EXPECT_EQ(size_in_mb("--x", "1"), 1);
  EXPECT_EQ(size_in_mb("--x", "1k"), 1);
  EXPECT_THROW(size_in_mb("--x", "lots"), CliFailure);
}

TEST(Format, ForeignTextCannotSteerTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\nc\td"), "a?[31mb?c?d");
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(printable("\xC3"), "?");
  EXPECT_EQ(printable("\xC2\x9B"), "?");        // CSI as one character
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");  // a surrogate
  EXPECT_EQ(printable("\xE6\xB0\xB4"), "\xE6\xB0\xB4");
}

TEST(Format, TextFromAJobStaysInItsLineAndDirection) {
  EXPECT_EQ(printable("a\u202Ecod.exe"), "a?cod.exe");
  EXPECT_EQ(printable("a\u200Bb\uFEFF"), "a?b?");
  EXPECT_EQ(printable("a\u2028b\u2067c\u200Fd\u061Ce"), "a?b?c?d?e");
  EXPECT_EQ(printable("\u2027\u202F\u2065\u206A\u200D"), "\u2027\u202F\u2065\u206A\u200D");
  EXPECT_EQ(printable("שלום"), "שלום");
}

TEST(Format, CutsAtCharactersAndShowsIt) {
  EXPECT_EQ(truncated("production", 10), "production");
  EXPECT_EQ(truncated("production", 6), "produ…");
  EXPECT_EQ(truncated("übergröße", 4), "übe…");
  EXPECT_EQ(display_width("übe…"), 4u);
  EXPECT_EQ(display_width("研究部"), 6u);
  EXPECT_EQ(display_width("연구 ｶﾅ 🚀"), 10u);  // half-width kana are narrow
  EXPECT_EQ(display_width("e\u0301\u200b"), 1u);
  EXPECT_EQ(display_width("हिन्दी"), 5u);  // a virama is a mark, vowel signs have a place
  EXPECT_EQ(truncated("研究部", 5), "研究…");
  EXPECT_EQ(truncated("研究部", 4), "研…");  // half a character does not fit
  EXPECT_EQ(truncated("abc", 0), "");
}

TEST(Format, OfAPathTheEndIsKept) {
  EXPECT_EQ(truncated_path("research.speech", 15), "research.speech");
  EXPECT_EQ(truncated_path("research.speech", 14), "…speech");
  EXPECT_EQ(truncated_path("a.research.speech", 16), "…research.speech");
  EXPECT_EQ(truncated_path("research.speech", 5), "…spe…");
  EXPECT_EQ(truncated_path("production", 6), "produ…");
  EXPECT_EQ(truncated_path("research.", 4), "…");
  EXPECT_EQ(truncated_path("research.speech", 0), "");
  EXPECT_EQ(truncated_middle("speech", 6), "speech");
  EXPECT_EQ(truncated_middle("language-understanding", 15), "languag…tanding");
  EXPECT_EQ(truncated_middle("名前名前名前", 5), "名…前");
  EXPECT_EQ(truncated_middle("speech", 1), "…");
  EXPECT_EQ(truncated_middle("speech", 0), "");
}

TEST(Format, TextIsWrappedAtSpaces) {
  EXPECT_EQ(wrapped("", 10), std::vector<std::string>{""});
  EXPECT_EQ(wrapped("one two", 10), std::vector<std::string>{"one two"});
  EXPECT_EQ(wrapped("one two three", 8), (std::vector<std::string>{"one two", "  three"}));
  EXPECT_EQ(wrapped("  ab cd ef", 7), (std::vector<std::string>{"  ab cd", "   ef"}));
  EXPECT_EQ(wrapped("abcdefghij", 4), (std::vector<std::string>{"abcd", "  ef", "  gh", "  ij"}));
  for (const std::string& line : wrapped("研究部 研究部研究部 a", 5)) EXPECT_LE(display_width(line), 5u);
}

TEST(Format, JobsByNameOrNumber) {
  EXPECT_EQ(job_argument("job_0007").value, 7u);
  EXPECT_EQ(job_argument("7").value, 7u);
  EXPECT_EQ(job_argument("job_123456").value, 123456u);
  for (const char* wrong : {"", "job_", "job_x", "-1", "7x", "99999999999"}) {
    try {
      job_argument(wrong);
      ADD_FAILURE() << wrong;
    } catch (const CliFailure& failure) {
      EXPECT_EQ(failure.exit_code(), kExitRefused);
    }
  }
}

TEST(ExitCode, EveryCodeOfTheWireHasOne) {
  using Code = ErrorCode;
  for (const auto code :
       {Code::kUnknownJob, Code::kJobOver, Code::kStoreFailed, Code::kBusy, Code::kInternal}) {
    EXPECT_EQ(exit_code_of(code), 1) << static_cast<int>(code);
  }
  for (const auto code : {Code::kBadRequest, Code::kUnknownQueue, Code::kQueueNotLeaf,
                          Code::kQueueStopped, Code::kNotPermitted, Code::kLimitReached,
                          Code::kOutputInUse, Code::kSettingsRefused, Code::kUnknownPolicy}) {
    EXPECT_EQ(exit_code_of(code), 2) << static_cast<int>(code);
  }
  EXPECT_EQ(exit_code_of(Code::kShuttingDown), 3);
  EXPECT_EQ(exit_code_of(static_cast<Code>(99)), 1);
}

TEST(ExitCode, FindingsStandAlone) {
  const Error error{
      ErrorCode::kSettingsRefused, "2 errors", "", {"a.yaml:1:2: x", "a.yaml:3:4: y"}};
  const auto failure = CliFailure::of(error);
  EXPECT_TRUE(failure.raw());
  EXPECT_EQ(failure.lines(), error.diagnostics);
}

}  // namespace
}  // namespace weir::cli
