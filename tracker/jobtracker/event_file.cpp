#include "tracker/jobtracker/event_file.h"

#include <spdlog/async.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <thread>

#include "tracker/jobtracker/event_files.h"

namespace weir {
namespace {

constexpr std::size_t kWaitingLines = 32'768;
constexpr std::chrono::seconds kEndPatience{3};  // for a disk, when the process ends
// A disk that is full line by line, now and then, is in one trouble.
constexpr std::chrono::seconds kWellAgain{1};

}  // namespace

// Where a disk hangs, writers that were told to end are there for as long as it does. Nobody waits
// for them but the next writer of the same file, and, for a moment, the end of the process.
class EventFile::Writers {
 public:
  std::uint64_t add(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.emplace(++last_, path);
    return last_;
  }
  void remove(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    paths_.erase(number);
    changed_.notify_all();
  }
  // Until those before it have closed its file.
  void wait_for_turn(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      const std::string& path = paths_.at(number);
      return std::none_of(paths_.begin(), paths_.find(number),
                          [&](const auto& earlier) { return earlier.second == path; });
    });
  }
  bool wait_for_all(std::chrono::seconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return paths_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::string> paths_;
  std::uint64_t last_ = 0;
};

// Of one writer; any thread.
class EventFile::Trouble {
 public:
  // Logged once for each cause, not for each line.
  void fail(const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (failed_.empty()) spdlog::error("event log {}", message);
    failed_ = "event log " + message;
  }
  void written() {
    const std::lock_guard lock(mutex_);
    if (!failed_.empty()) spdlog::info("event log: is written again");
    failed_.clear();
  }
  void lose(const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (slow_.empty()) spdlog::error("event log {}", message);
    slow_ = "event log " + message;
  }
  void keep_up() {
    const std::lock_guard lock(mutex_);
    slow_.clear();
  }
  std::string error() const {
    const std::lock_guard lock(mutex_);
    return failed_.empty() ? slow_ : failed_;
  }
  std::atomic<bool> unopened = false;  // for good: there is no file

 private:
  mutable std::mutex mutex_;
  std::string failed_, slow_;
};

// What the writer's thread does.
class EventFile::Sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  Sink(const EventLogSettings& place, const std::string& store, std::uint64_t number,
       std::shared_ptr<Writers> writers, std::shared_ptr<Trouble> trouble)
      : files_(place, store),
        path_(place.path),
        number_(number),
        writers_(std::move(writers)),
        trouble_(std::move(trouble)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!begun_) begin();
    if (trouble_->unopened || message.payload.size() == 0) return;
    const Status written = files_.write({message.payload.data(), message.payload.size()});
    if (!written) {
      trouble_->fail(written.error().message);
      well_from_ = message.time + kWellAgain;
    } else if (well_from_ && message.time >= *well_from_) {
      trouble_->written();
      well_from_.reset();
    }
  }
  void flush_() override {}

  void begin() {
    begun_ = true;
    writers_->wait_for_turn(number_);
    if (const Status opened = files_.open(); !opened) {
      trouble_->unopened = true;
      return trouble_->fail(opened.error().message);
    }
    spdlog::info("event log: writes {}", path_);
  }

  EventFiles files_;
  const std::string path_;
  const std::uint64_t number_;
  const std::shared_ptr<Writers> writers_;
  const std::shared_ptr<Trouble> trouble_;
  bool begun_ = false;
  // After a write that failed, if no other does.
  std::optional<spdlog::log_clock::time_point> well_from_;
};

EventFile::EventFile(std::string store)
    : store_(std::move(store)),
      lines_(
          text_, [this](JobId job) -> std::string_view { return job_name_ = job_name(job); }, 0),
      writers_(std::make_shared<Writers>()) {}

EventFile::~EventFile() {
  close();
  if (!writers_->wait_for_all(kEndPatience))
    spdlog::warn("event log: its disk hangs; what was told last is not written");
}

// One that could not be opened is tried again.
void EventFile::follow(const Settings& settings) {
  const std::optional<EventLogSettings>& wanted = settings.event_log;
  const bool runs = file_ != nullptr && !trouble_->unopened;
  if (wanted == place_ && runs == wanted.has_value()) return;
  close();
  place_ = wanted;
  if (wanted) open(*wanted);
}

void EventFile::open(const EventLogSettings& place) {
  auto trouble = std::make_shared<Trouble>();
  {
    const std::lock_guard lock(mutex_);
    trouble_ = trouble;
  }
  number_ = writers_->add(place.path);
  writer_ = std::make_shared<spdlog::details::thread_pool>(kWaitingLines, 1);
  file_ = std::make_shared<spdlog::async_logger>(
      "events", std::make_shared<Sink>(place, store_, number_, writers_, std::move(trouble)),
      writer_, spdlog::async_overflow_policy::overrun_oldest);
  told_lost_ = 0;
  losing_ = false;
  file_->info("");  // so it is opened, and it shows whether it can be
}

// The end of the writer's thread is waited for, until all is written, by a thread that has nothing
// else to do.
void EventFile::close() {
  if (file_ == nullptr) return;
  std::thread([file = std::move(file_), writer = std::move(writer_), writers = writers_,
               number = number_]() mutable {
    file.reset();
    writer.reset();
    writers->remove(number);
  }).detach();
  const std::lock_guard lock(mutex_);
  trouble_ = nullptr;
}

void EventFile::on(const Event& event, const Engine& engine) {
  if (file_ == nullptr || trouble_->unopened) return;
  if (writer_->overrun_counter() > told_lost_) {
    tell_lost(event.at);
  } else if (losing_ && writer_->queue_size() == 0) {
    trouble_->keep_up();
    losing_ = false;
  }
  lines_.write(event, engine);
  send();
}

void EventFile::tell_lost(TimeMs now) {
  const std::uint64_t lost = writer_->overrun_counter();
  trouble_->lose(place_->path + ": " + std::to_string(lost) +
                 " lines lost: the disk is too slow");
  losing_ = true;
  lines_.lost(now, lost - told_lost_);
  told_lost_ = lost;
}

void EventFile::send() {
  const std::string_view lines = text_.view();
  if (!lines.empty()) file_->info("{}", lines);
  text_.str({});
}

std::optional<std::string> EventFile::error() const {
  const std::lock_guard lock(mutex_);
  const std::string error = trouble_ ? trouble_->error() : "";
  if (error.empty()) return std::nullopt;
  return error;
}

}  // namespace weir
