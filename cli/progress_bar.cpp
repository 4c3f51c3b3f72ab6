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

std::string tail(const wire::JobStatus& job) {
  std::string text = fmt::format("{} running  {}", job.maps.running + job.reduces.running,
                                 short_duration(elapsed_ms(job)));
  const auto left = milliseconds_left(job);
  if (left) text += fmt::format(", about {} left", short_duration(*left));
  return text;
}

}  // namespace

bool job_over(const wire::JobStatus& job) {
  return job.state == "SUCCEEDED" || job.state == "FAILED" || job.state == "KILLED";
}

std::int64_t elapsed_ms(const wire::JobStatus& job) {
  const std::int64_t until = job.__isset.finished_at_ms ? job.finished_at_ms : job.now_ms;
  return std::max<std::int64_t>(0, until - job.submitted_at_ms);
}

std::optional<std::int64_t> milliseconds_left(const wire::JobStatus& job) {
  const std::int64_t done = job.maps.succeeded + job.reduces.succeeded;
  const std::int64_t open = job.maps.total + job.reduces.total - done;
  const std::int64_t ran_ms = job.now_ms - job.started_at_ms;
  if (job_over(job) || !job.__isset.started_at_ms || done == 0 || ran_ms <= 0) return std::nullopt;
  const double left =
      static_cast<double>(ran_ms) * static_cast<double>(open) / static_cast<double>(done);
  return static_cast<std::int64_t>(left) / 1000 * 1000;
}

std::string progress_bar(const wire::JobStatus& job, const ProgressStyle& style) {
  const bool reduces = job.reduces.total > 0;
  const auto compose = [&](std::size_t cells, bool colours) {
    std::string text = fmt::format("{} {}  maps {} {:>4}", job.job_name, job.state,
                                   bar(job.map_progress_millionths, cells, colours),
                                   percent(job.map_progress_millionths));
    if (reduces) {
      text += fmt::format("  reduces {} {:>4}", bar(job.reduce_progress_millionths, cells, colours),
                          percent(job.reduce_progress_millionths));
    }
    return text + "  " + tail(job);
  };
  std::size_t cells = kWidestBar;
  while (cells > kNarrowestBar && compose(cells, false).size() > style.columns) --cells;
  const std::string plain = compose(cells, false);
  if (plain.size() > style.columns) return truncated(plain, style.columns);
  return style.colours ? compose(cells, true) : plain;
}

std::string progress_line(const wire::JobStatus& job) {
  std::string text =
      fmt::format("{} {}: maps {} ({}/{})", job.job_name, job.state,
                  percent(job.map_progress_millionths), job.maps.succeeded, job.maps.total);
  if (job.reduces.total > 0) {
    text += fmt::format(", reduces {} ({}/{})", percent(job.reduce_progress_millionths),
                        job.reduces.succeeded, job.reduces.total);
  }
  return text + fmt::format(", {} running, {}", job.maps.running + job.reduces.running,
                            short_duration(elapsed_ms(job)));
}

}  // namespace weir::cli
