// What the code of one attempt shares: its spec, its line to the agent, its stderr sink and
// environment; and the small adapter that turns a stream of lines into the chunks a command's stdin
// is fed with. Belongs to the attempt's main thread.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tracker/tasktracker/command.h"
#include "tracker/tasktracker/line_stream.h"
#include "tracker/tasktracker/task_control.h"
#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

struct TaskContext {
  const TaskSpec& spec;
  TaskControl& control;
  StderrSink& errors;
  std::vector<std::string> environment;

  CommandOptions command(const std::string& what, const std::string& text) const {
    const auto ok_exits = OkExits::of(spec.conf);  // the JobTracker has looked at it
    return {what, text, spec.command_dir(), environment, spec.memory_mb, spec.settings,
            ok_exits.ok() ? *ok_exits : OkExits(),
            !spec.of_application()};  // of these the output is a log
  }
};

class LineFeeder {
 public:
  explicit LineFeeder(LineStream& lines) : lines_(lines) {}

  // As many bytes of lines as fit, a line may be continued in the next call; 0 = over.
  Result<std::size_t> fill(std::span<char> into) {
    std::size_t filled = 0;
    while (filled < into.size()) {
      if (rest_.empty()) {
        const Line* line = lines_.next();
        if (!line) {
          if (auto status = lines_.status(); !status) return status.error();
          break;
        }
        rest_ = line->bytes();
        ++lines_fed_;
      }
      const std::size_t part = std::min(rest_.size(), into.size() - filled);
      std::memcpy(into.data() + filled, rest_.data(), part);
      rest_.remove_prefix(part);
      filled += part;
    }
    return filled;
  }
  std::int64_t lines_fed() const { return lines_fed_; }

 private:
  LineStream& lines_;
  std::string_view rest_;
  std::int64_t lines_fed_ = 0;
};

Status run_map(TaskContext& task);
Status run_reduce(TaskContext& task);
Status run_application(TaskContext& task);

}  // namespace weir::tasktracker
