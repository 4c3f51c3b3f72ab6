// The stderr of a user's command: what is counted, reported and kept of it must not depend on the
// pieces in which the pipe delivers it. The first byte is the size of the pieces.
#include <unistd.h>

#include <string>
#include <vector>

#include "fuzz/scratch.h"
#include "fuzz/target.h"
#include "jobqueue/model/check.h"
#include "tracker/tasktracker/counters.h"
#include "tracker/tasktracker/stderr_sink.h"

namespace {

using namespace weir::tasktracker;

struct Seen {
  weir::Counters counters;
  std::vector<std::string> statuses;
  std::string last_lines;
  bool operator==(const Seen&) const = default;
};

Seen feed(std::string_view bytes, std::size_t piece) {
  static const weir::fuzz::Scratch scratch;
  const std::string log = scratch.path() + "/stderr";
  Seen seen;
  TaskCounters counters;
  {
    StderrSink sink(log, 16 * 1024,
                    {.counter = [&](std::string_view group, std::string_view name,
                                    std::int64_t amount) { counters.add(group, name, amount); },
                     .status =
                         [&](std::string_view text) {
                           seen.statuses.push_back(printable(text, 1024));
                           WEIR_CHECK(seen.statuses.back().size() <= 1024, "a status is bounded");
                         }});
    for (std::size_t at = 0; at < bytes.size(); at += piece) sink.consume(bytes.substr(at, piece));
    sink.finish();
    seen.last_lines = sink.last_lines();
  }
  ::unlink(log.c_str());
  seen.counters = counters.all();
  return seen;
}

}  // namespace

void weir::fuzz::run(std::string_view input) {
  const std::size_t piece = take_choice(input, 255) + 1;
  WEIR_CHECK(feed(input, piece) == feed(input, input.size() + 1), "pieces make no difference");
}
