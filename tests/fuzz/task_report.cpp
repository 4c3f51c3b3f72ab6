// What an attempt's process writes into its report pipe, which a user's program may have found. An
// even first byte: the bytes as they are; an odd one: as the body of a frame whose length and
// checksum are right, which is the way to the struct behind them.
#include "tracker/tasktracker/task_report.h"

#include "fuzz/target.h"
#include "jobqueue/model/check.h"
#include "tracker/tasktracker/run_file.h"

using namespace weir::tasktracker;

namespace {

std::string framed(std::string_view body) {
  std::string frame;
  for (const std::uint64_t number : {std::uint64_t{body.size()}, std::uint64_t{crc_of(0, body)}}) {
    for (int shift = 0; shift < 32; shift += 8) frame.push_back(static_cast<char>(number >> shift));
  }
  return frame.append(body);
}

}  // namespace

void weir::fuzz::run(std::string_view input) {
  const bool as_body = take_choice(input, 2) == 1;
  ReportDecoder decoder;
  decoder.feed(as_body ? framed(input) : std::string(input));
  for (;;) {
    const auto report = decoder.next();
    if (!report || !*report) return;
    const std::string written = encode_report(**report);
    ReportDecoder again;
    again.feed(written);
    const auto copy = again.next();
    WEIR_CHECK(copy.ok() && copy->has_value() && encode_report(**copy) == written,
               "a report that was read can be written and read");
  }
}
