#include "cli/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/format.h"

namespace weir::cli {
namespace {

constexpr std::size_t kWidestBar = 24;
constexpr std::size_t kNarrowestBar = 4;

std::string bar(std::int64_t progress_millionths, std::size_t cells, bool colours) {
  const auto progress = std::clamp<std::int64_t>(progress_millionths, 0, 1'000'000);
  const auto full =
      static_cast<std::size_t>(progress * static_cast<std::int64_t>(cells) / 1'000'000);
  const std::string done(full, '#');
  const std::string open(cells - full, '-');
  if (!colours) return "[" + done + open + "]";
  return "[\x1b[32m" + done + "\x1b[0m" + open + "]";
}

std::string tail(const JobView& job) {
  std::string text = fmt::format("{} running  {}", job.all_tasks().running,
                                 short_duration(elapsed_ms(job)));
  const auto left = milliseconds_left(job);
  if (left) text += fmt::format(", about {} left", short_duration(*left));
  return text;
}

}  // namespace

std::int64_t elapsed_ms(const JobView& job) {
  const std::int64_t until = job.finished_at_ms.value_or(job.now_ms.value_or(0));
  return std::max<std::int64_t>(0, until - job.submitted_at_ms);
}

std::optional<std::int64_t> milliseconds_left(const JobView& job) {
  const JobView::Tasks all = job.all_tasks();
  const std::int64_t done = all.succeeded;
  const std::int64_t open = all.total - done;
  const std::int64_t ran_ms = job.now_ms.value_or(0) - job.started_at_ms.value_or(0);
  if (job.over() || !job.started_at_ms || done == 0 || ran_ms <= 0) return std::nullopt;
  const double left =
      static_cast<double>(ran_ms) * static_cast<double>(open) / static_cast<double>(done);
  return static_cast<std::int64_t>(left) / 1000 * 1000;
}

static std::string progress_of_groups(const JobView& job) {
  std::string text = fmt::format("{} {}:", job_name(job.id), job.state);
  for (const JobView::Group& group : job.groups) {
    text += fmt::format("{} {} {}/{}", &group == &job.groups.front() ? "" : ",", group.name,
                        group.tasks.succeeded, group.tasks.total);
  }
  return text + fmt::format(", {} running, {}", job.all_tasks().running,
                            short_duration(elapsed_ms(job)));
}

std::string progress_bar(const JobView& job, const ProgressStyle& style) {
  const bool reduces = job.reduces.total > 0;
  const auto compose = [&](std::size_t cells, bool colours) {
    const std::int32_t first =
        job.groups.empty() ? job.maps.progress_millionths : job.all_tasks().progress_millionths;
    std::string text = fmt::format("{} {}  {} {} {:>4}", job_name(job.id), job.state,
                                   job.groups.empty() ? "maps" : "tasks",
                                   bar(first, cells, colours), percent(first));
    if (reduces) {
      const std::int32_t progress = job.reduces.progress_millionths;
      text += fmt::format("  reduces {} {:>4}", bar(progress, cells, colours), percent(progress));
    }
    return text + "  " + tail(job);
  };
  std::size_t cells = kWidestBar;
  while (cells > kNarrowestBar && compose(cells, false).size() > style.columns) --cells;
  const std::string plain = compose(cells, false);
  if (plain.size() > style.columns) return truncated(plain, style.columns);
  return style.colours ? compose(cells, true) : plain;
}

std::string progress_line(const JobView& job) {
  if (!job.groups.empty()) return progress_of_groups(job);
  std::string text =
      fmt::format("{} {}: maps {} ({}/{})", job_name(job.id), job.state,
                  percent(job.maps.progress_millionths), job.maps.succeeded, job.maps.total);
  if (job.reduces.total > 0) {
    text += fmt::format(", reduces {} ({}/{})", percent(job.reduces.progress_millionths),
                        job.reduces.succeeded, job.reduces.total);
  }
  return text + fmt::format(", {} running, {}", job.maps.running + job.reduces.running,
                            short_duration(elapsed_ms(job)));
}

}  // namespace weir::cli
