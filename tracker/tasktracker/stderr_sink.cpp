#include "tracker/tasktracker/stderr_sink.h"

#include <charconv>

#include "jobqueue/model/own_counters.h"
#include "tracker/tasktracker/text.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kTailBytes = 2048;
constexpr std::string_view kCounter = "reporter:counter:";
constexpr std::string_view kStatus = "reporter:status:";

}  // namespace

StderrSink::StderrSink(std::string log_path, std::int64_t log_limit_bytes, Handlers handlers)
    : log_(std::move(log_path), log_limit_bytes), handlers_(std::move(handlers)) {}

void StderrSink::consume(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::size_t end = newline == std::string_view::npos ? bytes.size() : newline + 1;
    if (line_.empty() && newline != std::string_view::npos && end <= kLongestLine) {
      take_line(bytes.substr(0, end));
      bytes.remove_prefix(end);
      continue;
    }
    const std::size_t part = std::min(end, kLongestLine - line_.size());
    line_.append(bytes.substr(0, part));
    bytes.remove_prefix(part);
    if (line_.back() == '\n' || line_.size() >= kLongestLine) {
      take_line(line_);
      line_.clear();
    }
  }
}

void StderrSink::finish() {
  if (!line_.empty()) take_line(line_ + '\n');
  line_.clear();
}

void StderrSink::take_line(std::string_view line) {
  if (take_report(line)) return;
  log_.append(line);
  tail_.append(line);
  if (tail_.size() > 2 * kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
}

bool StderrSink::take_report(std::string_view line) {
  if (!line.starts_with("reporter:")) return false;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (line.starts_with(kStatus)) {
    handlers_.status(line.substr(kStatus.size()));
    return true;
  }
  if (!line.starts_with(kCounter)) return false;
  line.remove_prefix(kCounter.size());
  const std::size_t first = line.find(','), last = line.rfind(',');
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view number = line.substr(last + 1);
  std::int64_t amount = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), amount);
  if (error != std::errc() || end != number.data() + number.size()) return false;
  const std::string_view group = line.substr(0, first);
  const std::string_view name = line.substr(first + 1, last - first - 1);
  if (group.empty() || name.empty() || group == kOwnCounters) return false;
  handlers_.counter(group, name, amount);
  return true;
}

std::string StderrSink::last_lines() const {
  std::string_view tail = tail_;
  if (tail.size() > kTailBytes) {
    tail.remove_prefix(tail.size() - kTailBytes);
    const std::size_t newline = tail.find('\n');
    if (newline != std::string_view::npos && newline + 1 < tail.size())
      tail.remove_prefix(newline + 1);
  }
  while (!tail.empty() && tail.back() == '\n') tail.remove_suffix(1);
  return printable(tail, kTailBytes, true);
}

}  // namespace weir::tasktracker
