#include "tracker/tasktracker/shuffle_copier.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace weir::tasktracker {
namespace {

constexpr std::size_t kFetchers = 5;
constexpr int kFailuresToReport = 4;
constexpr std::int64_t kFirstPauseMs = 250;
constexpr int kMostDoublings = 5;
constexpr std::int32_t kShuffleShare = 333333;  // of the progress of a reduce

// Set apart from failures of the source, which are retried.
constexpr ErrorCode kLocalFailure = ErrorCode::kStoreFailed;

}  // namespace

ShuffleCopier::ShuffleCopier(const TaskSpec& spec, TaskControl& control)
    : spec_(spec),
      control_(control),
      memory_budget_(spec.sort_memory_mb << 20),
      sources_(spec.maps),
      pieces_(spec.maps),
      scatter_(spec.id.task.index + 1) {
  for (std::size_t i = 0; i < std::min<std::size_t>(kFetchers, spec.maps); ++i)
    workers_.emplace_back([this] { work(); });
}

ShuffleCopier::~ShuffleCopier() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ShuffleCopier::news(const OutputNews& news) {
  const std::lock_guard lock(mutex_);
  if (news.map >= sources_.size()) return;
  Source& source = sources_[news.map];
  if (source.state == State::kDone) return;
  if (news.obsolete) {
    if (source.state == State::kUnknown || source.attempt != news.attempt) return;
    control_.drop_fetch_failures(news.map);
    source.replaced = source.state == State::kFetching;
    source.state = source.state == State::kFetching ? State::kFetching : State::kUnknown;
    source.host.clear();
    return;
  }
  source.attempt = news.attempt;
  source.host = news.host;
  source.port = news.port;
  source.failures = 0;
  if (source.state == State::kFetching) {
    source.replaced = true;
  } else if (source.state == State::kUnknown) {
    source.state = State::kReady;
    ready_.push_back(news.map);
    work_changed_.notify_one();
  }
}

std::optional<std::uint32_t> ShuffleCopier::next_map(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    if (stopping_ || local_failure_) return std::nullopt;
    const std::int64_t now_ms = steady_now_ms();
    while (!delayed_.empty() && delayed_.begin()->first <= now_ms) {
      ready_.push_back(delayed_.begin()->second);
      delayed_.erase(delayed_.begin());
    }
    while (!ready_.empty()) {
      scatter_ = scatter_ * 6364136223846793005ull + 1442695040888963407ull;
      std::swap(ready_.front(), ready_[(scatter_ >> 33) % ready_.size()]);
      const std::uint32_t map = ready_.front();
      ready_.pop_front();
      // An entry of an output that became obsolete meanwhile means nothing.
      if (sources_[map].state == State::kReady) return map;
    }
    if (delayed_.empty()) {
      work_changed_.wait(lock);
    } else {
      work_changed_.wait_for(lock, std::chrono::milliseconds(delayed_.begin()->first - now_ms));
    }
  }
}

void ShuffleCopier::work() {
  Link link;
  std::unique_lock lock(mutex_);
  while (const auto map = next_map(lock)) {
    Source& source = sources_[*map];
    source.state = State::kFetching;
    source.replaced = false;
    const Source copy = source;
    lock.unlock();
    auto piece = fetch(link, *map, copy);
    lock.lock();
    fetched(*map, std::move(piece));
  }
}

Result<ShuffleAnswer> ShuffleCopier::ask(Link& link, std::uint32_t map, const Source& source) {
  ShuffleRequest request;
  request.attempt = AttemptKey{TaskKey{spec_.id.task.job, TaskKind::kMap, map}, source.attempt};
  request.partition = spec_.id.task.index;
  if (link.connection && link.host == source.host && link.port == source.port) {
    if (auto answer = link.connection->ask(request); answer.ok()) return answer;
    // The server may have closed an idle connection: not a failure of the output.
  }
  link.connection.reset();
  auto opened = ShuffleConnection::open(source.host, source.port);
  if (!opened) return opened.error();
  link.host = source.host;
  link.port = source.port;
  link.connection.emplace(std::move(*opened));
  return link.connection->ask(request);
}

Result<CopiedPiece> ShuffleCopier::fetch(Link& link, std::uint32_t map, const Source& source) {
  auto answer = ask(link, map, source);
  if (!answer) {
    link.connection.reset();
    return answer.error();
  }
  auto piece = take_body(link, *answer, map);
  if (!piece) link.connection.reset();
  return piece;
}

bool ShuffleCopier::reserve_memory(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > memory_budget_ / 4 || memory_used_ + bytes > memory_budget_) return false;
  memory_used_ += bytes;
  return true;
}

Result<CopiedPiece> ShuffleCopier::take_body(Link& link, const ShuffleAnswer& answer,
                                             std::uint32_t map) {
  CopiedPiece piece;
  piece.stored_bytes = answer.bytes;
  piece.in_blocks = answer.in_blocks;
  piece.bytes = answer.in_blocks ? answer.size.value_or(0) : answer.bytes;
  const bool in_memory = reserve_memory(piece.bytes);
  const Status taken =
      in_memory ? take_to_memory(link, answer, piece) : take_to_file(link, answer, map, piece);
  if (taken) {
    control_.moved();
    return piece;
  }
  if (in_memory) {
    const std::lock_guard lock(mutex_);
    memory_used_ -= piece.bytes;
  }
  return taken.error();
}

Status ShuffleCopier::take_to_memory(Link& link, const ShuffleAnswer& answer, CopiedPiece& piece) {
  piece.memory.reserve(static_cast<std::size_t>(piece.bytes));
  return link.intake.take(*link.connection, answer,
                          [&piece](std::string_view, std::string_view lines) -> Status {
                            piece.memory += lines;
                            return Ok{};
                          });
}

Status ShuffleCopier::take_to_file(Link& link, const ShuffleAnswer& answer, std::uint32_t map,
                                   CopiedPiece& piece) {
  const auto local = [](Error error) {
    error.code = kLocalFailure;
    return error;
  };
  piece.path = spec_.attempt_dir + "/copied_" + std::to_string(map);
  auto fd = open_file(piece.path, O_WRONLY | O_CREAT | O_TRUNC);
  if (!fd) return local(fd.error());
  return link.intake.take(*link.connection, answer,
                          [&](std::string_view stored, std::string_view) -> Status {
                            auto written = write_all(fd->get(), stored, piece.path);
                            if (!written) return local(written.error());
                            control_.moved();
                            return Ok{};
                          });
}

void ShuffleCopier::fetched(std::uint32_t map, Result<CopiedPiece> piece) {
  Source& source = sources_[map];
  if (!piece.ok()) {
    if (piece.error().code == kLocalFailure) {
      local_failure_ = piece.error();
      all_done_.notify_all();
      work_changed_.notify_all();
      return;
    }
    retry_later(map);
    return;
  }
  source.state = State::kDone;
  bytes_copied_ += piece->stored_bytes;
  pieces_[map] = std::move(*piece);
  control_.drop_fetch_failures(map);
  ++done_;
  control_.set_progress(static_cast<std::int64_t>(done_),
                        static_cast<std::int64_t>(sources_.size()), 0, kShuffleShare);
  if (done_ == sources_.size()) all_done_.notify_all();
}

void ShuffleCopier::retry_later(std::uint32_t map) {
  Source& source = sources_[map];
  if (source.host.empty()) {
    source.state = State::kUnknown;  // became obsolete while it was fetched
    return;
  }
  source.state = State::kReady;
  if (source.replaced) {
    ready_.push_back(map);
    return;
  }
  ++source.failures;
  if (source.failures >= kFailuresToReport) control_.add_fetch_failure(map, source.attempt);
  const std::int64_t pause_ms = kFirstPauseMs << std::min(source.failures, kMostDoublings);
  delayed_.emplace(steady_now_ms() + pause_ms, map);
}

Result<std::vector<CopiedPiece>> ShuffleCopier::wait_for_all() {
  std::unique_lock lock(mutex_);
  all_done_.wait(lock, [this] { return local_failure_ || done_ == sources_.size(); });
  if (local_failure_) return *local_failure_;
  control_.set_counter("SHUFFLE_BYTES", bytes_copied_);
  return std::move(pieces_);
}

}  // namespace weir::tasktracker
