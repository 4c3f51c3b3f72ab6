// A line of the log is one line, and nothing in it steers who reads it.
#include "tracker/rpc/log_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

namespace weir {
namespace {

TEST(LogLines, ShowWhatUsersSayAsPlainText) {
  std::ostringstream out;
  spdlog::logger log("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
  log.set_formatter(log_line_formatter());
  log.warn("job_0001: '{}'",
           "a\x1b[2J\xc2\x9b"
           "2J\x9b\u202E\u200B\uFEFF\n[forged] é");
  EXPECT_THAT(out.str(), testing::EndsWith("] [warning] job_0001: 'a?[2J?2J?????[forged] é'\n"));
  EXPECT_THAT(out.str(), testing::StartsWith("[20"));
}

}  // namespace
}  // namespace weir
