#include "tracker/jobtracker/event_file.h"

#include <fcntl.h>
#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace weir {
namespace {

constexpr std::size_t kWaitingLines = 32'768;

// The engine's thread opens it: a pipe that nobody reads would hold up everybody.
bool is_waited_for(const std::string& path) {
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0644);
  if (file < 0) return errno == ENXIO;  // other errors are found, and told, below
  struct stat there {};
  const bool regular = ::fstat(file, &there) == 0 && S_ISREG(there.st_mode);
  ::close(file);
  return !regular;
}

}  // namespace

EventFile::EventFile()
    : lines_(
          text_, [this](JobId job) -> std::string_view { return job_name_ = job_name(job); }, 0) {}

EventFile::~EventFile() {
  close();
}

void EventFile::follow(const Settings& settings) {
  const std::optional<EventLogSettings>& wanted = settings.event_log;
  if (wanted == place_ && (file_ != nullptr) == wanted.has_value()) return;
  close();
  place_ = wanted;
  if (wanted) open(*wanted);
}

void EventFile::open(const EventLogSettings& place) {
  if (is_waited_for(place.path)) return fail("is no regular file");
  try {
    auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
        place.path, static_cast<std::size_t>(place.rotate_bytes),
        static_cast<std::size_t>(place.keep));
    sink->set_formatter(
        std::make_unique<spdlog::pattern_formatter>("%v", spdlog::pattern_time_type::local, ""));
    writer_ = std::make_shared<spdlog::details::thread_pool>(kWaitingLines, 1);
    file_ = std::make_shared<spdlog::async_logger>("events", std::move(sink), writer_,
                                                   spdlog::async_overflow_policy::overrun_oldest);
    file_->flush_on(spdlog::level::info);
    file_->set_error_handler([this](const std::string& why) { fail(why); });
    told_lost_ = 0;
    spdlog::info("event log: writes {}", place.path);
  } catch (const spdlog::spdlog_ex& e) {
    writer_.reset();
    file_.reset();
    fail(e.what());
  }
}

void EventFile::close() {
  file_.reset();
  writer_.reset();  // waits until all is written
  const std::lock_guard lock(mutex_);
  error_.clear();
}

void EventFile::on(const Event& event, const Engine& engine) {
  if (file_ == nullptr) return;
  if (writer_->overrun_counter() > told_lost_) tell_lost(event.at);
  lines_.write(event, engine);
  send();
}

void EventFile::tell_lost(TimeMs now) {
  const std::uint64_t lost = writer_->overrun_counter();
  fail(std::to_string(lost) + " lines lost: the disk is too slow");
  lines_.lost(now, lost - told_lost_);
  told_lost_ = lost;
}

void EventFile::send() {
  const std::string_view lines = text_.view();
  if (!lines.empty()) file_->info("{}", lines);
  text_.str({});
}

// Once for each cause, not for each line.
void EventFile::fail(std::string message) {
  const std::lock_guard lock(mutex_);
  const bool new_trouble = error_.empty();
  error_ = "event log " + place_->path + ": " + message;
  if (new_trouble) spdlog::error("{}", error_);
}

std::optional<std::string> EventFile::error() const {
  const std::lock_guard lock(mutex_);
  if (error_.empty()) return std::nullopt;
  return error_;
}

}  // namespace weir
