#include "tracker/tasktracker/task_control.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "tracker/tasktracker/command.h"

namespace weir::tasktracker {
namespace {

constexpr int kReportIntervalMs = 300;

template <class Integer>
bool take_number(std::string_view& text, Integer& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  return true;
}

}  // namespace

TaskControl::TaskControl(const AttemptKey& id, TaskLine line, bool compute_granted, Served served)
    : line_(std::move(line)), granted_(compute_granted) {
  report_.status.attempt = id;
  // The first report is due when a while has passed: a short task is over by then.
  sent_ms_ = steady_now_ms();
  take_commands();  // that came with the task
  if (served == Served::kByCaller) return;
  if (auto pipe = make_pipe(); pipe.ok()) {
    stop_read_ = std::move(pipe->read_end);
    stop_write_ = std::move(pipe->write_end);
  }
  thread_ = std::thread([this] { serve(); });
}

TaskControl::~TaskControl() {
  stop_write_.reset();
  if (thread_.joinable()) thread_.join();
}

void TaskControl::set_progress(std::int64_t done, std::int64_t total, std::int32_t from,
                               std::int32_t to) {
  const double part =
      total <= 0 ? 1.0
                 : std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
  const auto value = from + static_cast<std::int32_t>(part * (to - from));
  progress_.store(std::max(value, progress_.load(std::memory_order_relaxed)),
                  std::memory_order_relaxed);
}

void TaskControl::set_phase(TaskPhase phase) {
  const std::lock_guard lock(mutex_);
  report_.status.phase = phase;
  changed_since_sent_ = true;
}

void TaskControl::set_waiting(bool waiting) {
  const std::lock_guard lock(mutex_);
  changed_since_sent_ |= report_.waiting != waiting;
  report_.waiting = waiting;
}

void TaskControl::set_status(std::string_view text) {
  const std::lock_guard lock(mutex_);
  report_.status.status = printable(text, kMaxStatusText);
  changed_since_sent_ = true;
}

void TaskControl::add_counter(std::string_view group, std::string_view name, std::int64_t amount) {
  const std::lock_guard lock(mutex_);
  counters_.add(group, name, amount);
  changed_since_sent_ = true;
}

void TaskControl::set_counter(std::string_view name, std::int64_t value) {
  const std::lock_guard lock(mutex_);
  counters_.set(name, value);
}

void TaskControl::add_fetch_failure(std::uint32_t map, std::uint32_t attempt) {
  const std::lock_guard lock(mutex_);
  const FetchFailure failure{map, attempt};
  auto& failures = report_.status.fetch_failures;
  if (failures.size() >= kMaxFetchFailures) return;  // it will fail again
  if (std::find(failures.begin(), failures.end(), failure) != failures.end()) return;
  failures.push_back(failure);
  changed_since_sent_ = true;
}

void TaskControl::drop_fetch_failures(std::uint32_t map) {
  const std::lock_guard lock(mutex_);
  const auto dropped =
      std::erase_if(report_.status.fetch_failures,
                    [map](const FetchFailure& failure) { return failure.map == map; });
  changed_since_sent_ |= dropped > 0;
}

void TaskControl::on_output_news(std::function<void(const OutputNews&)> handler) {
  const std::lock_guard lock(news_mutex_);
  on_news_ = std::move(handler);
  for (const OutputNews& news : early_news_) on_news_(news);
  early_news_.clear();
}

void TaskControl::wait_for_grant() {
  std::unique_lock lock(mutex_);
  if (granted_) return;
  report_.waiting = true;
  changed_since_sent_ = true;
  changed_.wait(lock, [this] { return granted_; });
  report_.waiting = false;
  changed_since_sent_ = true;
}

std::int64_t TaskControl::wait_for_commit() {
  {
    const std::lock_guard lock(mutex_);
    report_.status.state = ReportedState::kCommitPending;
    report_.status.phase = TaskPhase::kCommit;
    commit_until_ms_.reset();
    progress_ = 1000000;
  }
  send();
  while (served_by_caller() && !commit_until_ms_) {
    wait_for_line(kReportIntervalMs);
    serve_now();
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return commit_until_ms_.has_value(); });
  return *commit_until_ms_;
}

void TaskControl::report_end(ReportedState state, std::string_view diagnostics, After after) {
  {
    const std::lock_guard lock(mutex_);
    report_.status.state = state;
    report_.goes_on = after == After::kGoesOn;
    if (!diagnostics.empty())
      report_.status.diagnostics = printable(diagnostics, kMaxDiagnostics, true);
    if (state == ReportedState::kSucceeded) progress_ = 1000000;
  }
  send();
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

void TaskControl::send() {
  const std::lock_guard one_at_a_time(send_mutex_);
  std::string frame;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    const std::uint64_t movement = movement_.load(std::memory_order_relaxed);
    report_.active = movement != movement_sent_;
    movement_sent_ = movement;
    progress_sent_ = progress_.load(std::memory_order_relaxed);
    report_.status.progress_millionths = progress_sent_;
    report_.status.counters = std::make_shared<const Counters>(counters_.all());
    changed_since_sent_ = false;
    frame = encode_report(report_);
  }
  // A failure shows as the end of the command pipe, which is handled there.
  (void)write_all(line_.reports.get(), frame, "report pipe").ok();
}

void TaskControl::serve() {
  for (;;) {
    pollfd fds[2] = {{line_.commands.get(), POLLIN, 0}, {stop_read_.get(), POLLIN, 0}};
    if (::poll(fds, 2, kReportIntervalMs) < 0 && errno != EINTR) agent_is_gone();
    if (fds[1].revents != 0) return;
    if (fds[0].revents != 0) {
      read_commands();
    } else {
      report_news();
    }
  }
}

void TaskControl::wait_for_line(int milliseconds) {
  pollfd line = {line_.commands.get(), POLLIN, 0};
  const int ready = ::poll(&line, 1, milliseconds);
  if (ready < 0 && errno != EINTR) agent_is_gone();
}

void TaskControl::serve_now() {
  pollfd line = {line_.commands.get(), POLLIN, 0};
  if (::poll(&line, 1, 0) > 0) read_commands();
  const std::int64_t now_ms = steady_now_ms();
  if (now_ms - sent_ms_ < kReportIntervalMs) return;
  sent_ms_ = now_ms;
  report_news();
}

void TaskControl::read_commands() {
  char bytes[16384];
  const ssize_t n = ::read(line_.commands.get(), bytes, sizeof bytes);
  if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) agent_is_gone();
  if (n > 0) line_.unread.append(bytes, static_cast<std::size_t>(n));
  take_commands();
}

void TaskControl::take_commands() {
  std::size_t start = 0, newline;
  while ((newline = line_.unread.find('\n', start)) != std::string::npos) {
    take_command(std::string_view(line_.unread).substr(start, newline - start));
    start = newline + 1;
  }
  line_.unread.erase(0, start);
  if (line_.unread.size() > kLongestCommand) agent_is_gone();
}

void TaskControl::report_news() {
  bool due;
  {
    const std::lock_guard lock(mutex_);
    due = changed_since_sent_ || movement_.load(std::memory_order_relaxed) != movement_sent_ ||
          progress_.load(std::memory_order_relaxed) != progress_sent_;
  }
  if (due) send();
}

void TaskControl::take_command(std::string_view line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view verb = line.substr(0, space);
  std::string_view rest = line.substr(std::min(space + 1, line.size()));
  if (verb == "grant") {
    const std::lock_guard lock(mutex_);
    granted_ = true;
  } else if (verb == "commit") {
    std::int64_t until_ms = 0;
    const std::lock_guard lock(mutex_);
    if (take_number(rest, until_ms)) commit_until_ms_ = until_ms;
  } else if (verb == "output") {
    OutputNews news;
    int obsolete = 0;
    if (take_number(rest, news.map) && take_number(rest, news.attempt) &&
        take_number(rest, obsolete) && take_number(rest, news.port)) {
      news.obsolete = obsolete != 0;
      news.host = rest;
      const std::lock_guard lock(news_mutex_);
      if (on_news_) {
        on_news_(news);
      } else {
        early_news_.push_back(std::move(news));
      }
    }
  }
  changed_.notify_all();
}

void TaskControl::agent_is_gone() {
  end_all_commands();
  ::_exit(1);
}

}  // namespace weir::tasktracker
