#include "tracker/jobtracker/engine_loop.h"

#include <malloc.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

// There where the program is linked with tcmalloc.
extern "C" void MallocExtension_ReleaseFreeMemory() __attribute__((weak));

namespace weir {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::int64_t kWorthGivingBack = 32 << 20;

EngineLoop::EngineLoop(std::unique_ptr<Engine> engine, Store& store, TimeSource time,
                       Board::Executor executor, Options options)
    : time_(std::move(time)),
      options_(options),
      executor_(std::move(executor)),
      board_(executor_, time_.wall()),
      engine_(std::move(engine)) {
  board_.publish_all(*engine_);
  settings_seen_ = engine_->state().settings_ptr();
  event_file_.follow(*settings_seen_);
  GroupWriterCallbacks callbacks;
  callbacks.on_durable = [this](std::uint64_t seq) { enqueue_answer(Durable{seq}); };
  callbacks.on_failed = [this](std::uint64_t seq, const std::string& message) {
    enqueue_answer(StoreFailed{seq, message});
  };
  callbacks.log = [this](bool failing, const std::string& message) {
    {
      const std::lock_guard lock(mutex_);
      store_error_ = failing ? message : "";
    }
    if (failing) {
      spdlog::error("store: {}", message);
    } else {
      spdlog::info("store: {}", message);
    }
  };
  committer_ = std::make_unique<GroupCommitter>(store, std::move(callbacks), options_.store);
  thread_ = std::thread([this] { run(); });
}

EngineLoop::~EngineLoop() {
  stop();
}

// --- Any thread ---

std::optional<Error> EngineLoop::refusal(const Body* body) const {
  if (closed_) {
    return Error{ErrorCode::kShuttingDown,
                 "the JobTracker is shutting down",
                 "try again once it is back",
                 {}};
  }
  if (queue_.size() >= options_.queue_limit) {
    return Error{ErrorCode::kBusy,
                 "the JobTracker has " + std::to_string(queue_.size()) + " requests waiting",
                 "try again after a while",
                 {}};
  }
  if (body != nullptr && std::holds_alternative<SubmitJob>(*body) && committer_->overloaded()) {
    return Error{ErrorCode::kBusy,
                 "the store is behind and takes no new jobs for now",
                 "try again after a while",
                 {}};
  }
  return std::nullopt;
}

void EngineLoop::post(Body body, Callback callback) {
  std::optional<Error> no;
  {
    const std::lock_guard lock(mutex_);
    no = refusal(&body);
    if (!no) {
      queue_.push_back({std::move(body), std::move(callback), nullptr});
      if (sleeping_) work_.notify_one();
    }
  }
  if (no && callback) callback(*no, 0);
}

void EngineLoop::query(Query query) {
  std::optional<Error> no;
  {
    const std::lock_guard lock(mutex_);
    no = refusal(nullptr);
    if (!no) {
      queue_.push_back({Tick{}, nullptr, std::move(query)});
      if (sleeping_) work_.notify_one();
    }
  }
  if (no) query(*no);
}

void EngineLoop::enqueue_answer(Body body) {
  const std::lock_guard lock(mutex_);
  queue_.push_back({std::move(body), nullptr, nullptr});
  if (sleeping_) work_.notify_one();
}

std::optional<std::string> EngineLoop::store_error() const {
  const std::lock_guard lock(mutex_);
  if (store_error_.empty()) return std::nullopt;
  return store_error_;
}

void EngineLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = true;
    work_.notify_one();
  }
  thread_.join();
  committer_->stop();
  // The committer's last answers: what is on disk is acknowledged even now.
  std::vector<Item> rest;
  {
    const std::lock_guard lock(mutex_);
    rest.swap(queue_);
  }
  work(rest);
  const Error leaving{ErrorCode::kShuttingDown,
                      "the JobTracker is shutting down",
                      "look for what became of it once it is back",
                      {}};
  board_.publish_changes(*engine_);
  for (ToBeShown& shown : to_be_shown_) shown.seq = 0;
  give_shown();
  for (auto& [token, callback] : outstanding_) give(callback, leaving, 0);
  outstanding_.clear();
  board_.expire(steady_clock::now(), true);
}

// --- The engine's thread ---

void EngineLoop::run() {
  std::vector<Item> batch;
  while (wait_for_work(&batch)) {
    work(batch);
    batch.clear();
    publish_if_due();
    board_.expire(steady_clock::now());
  }
}

bool EngineLoop::wait_for_work(std::vector<Item>* batch) {
  std::unique_lock lock(mutex_);
  if (queue_.empty() && !closed_) {
    sleeping_ = true;
    work_.wait_for(lock, time_to_sleep(), [this] { return !queue_.empty() || closed_; });
    sleeping_ = false;
  }
  if (queue_.empty() && closed_) return false;
  batch->swap(queue_);
  return true;
}

milliseconds EngineLoop::time_to_sleep() const {
  if (any_to_show()) return milliseconds(1);
  const TimeMs now = time_.now();
  TimeMs until = std::min(engine_->next_tick(), touched_at_ + options_.touch_gap_ms);
  const Changes& changes = engine_->changes();
  if (!changes.jobs.empty() || !changes.trackers.empty() || changes.queues) {
    until = std::min(until, now + options_.publish_gap_ms);
  }
  return milliseconds(std::clamp<TimeMs>(until - now, 1, 1'000));
}

void EngineLoop::work(std::vector<Item>& batch) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    step(batch[i]);
    if ((i + 1) % options_.slice == 0) {
      after_slice();
      publish_if_due();
    }
  }
  after_slice();
}

void EngineLoop::step(Item& item) {
  if (item.query) {
    item.query(Inside{engine_.get(), &history_});
    return;
  }
  if (std::holds_alternative<StoreFailed>(item.body)) {
    // The command itself is durable; what followed from it is being retried and not waited for.
    for (ToBeShown& shown : to_be_shown_) shown.seq = 0;
  }
  input_.at = time_.now();
  input_.token = item.callback ? ++last_token_ : 0;
  input_.body = std::move(item.body);
  current_token_ = input_.token;
  current_callback_ = &item.callback;
  output_.clear();
  engine_->handle(input_, output_);
  for (Event& event : output_.events) {
    history_.on(event, engine_->state());
    log_.on(event, *engine_);
    event_file_.on(event, *engine_);
    if (event.seq > 0) durable_.push_back(std::move(event));
  }
  if (&engine_->state().settings() != settings_seen_.get()) {
    settings_seen_ = engine_->state().settings_ptr();
    event_file_.follow(*settings_seen_);
  }
  for (const Reply& reply : output_.replies) deliver(reply);
  // Not answered in this step: it waits for the store.
  if (item.callback) outstanding_.emplace(current_token_, std::move(item.callback));
  current_token_ = 0;
  current_callback_ = nullptr;
}

void EngineLoop::deliver(const Reply& reply) {
  Callback callback;
  if (reply.token == current_token_) {
    callback.swap(*current_callback_);
  } else if (const auto found = outstanding_.find(reply.token); found != outstanding_.end()) {
    callback = std::move(found->second);
    outstanding_.erase(found);
  }
  if (!callback) return;
  if (std::holds_alternative<Submitted>(reply.body)) {
    to_be_shown_.push_back({std::move(callback), reply.body, 0});
  } else if (std::holds_alternative<Done>(reply.body)) {
    to_be_shown_.push_back({std::move(callback), reply.body, engine_->last_seq()});
  } else {
    give(callback, reply.body, board_.version());
  }
}

void EngineLoop::give(const Callback& callback, const ReplyBody& reply, std::int64_t version) {
  try {
    callback(reply, version);
  } catch (const std::exception& e) {
    spdlog::error("reply: could not be written: {}", e.what());
  }
}

bool EngineLoop::any_to_show() const {
  return std::any_of(to_be_shown_.begin(), to_be_shown_.end(),
                     [this](const ToBeShown& s) { return s.seq <= engine_->durable_seq(); });
}

void EngineLoop::give_shown() {
  const auto later =
      std::stable_partition(to_be_shown_.begin(), to_be_shown_.end(),
                            [this](const ToBeShown& s) { return s.seq <= engine_->durable_seq(); });
  for (auto s = to_be_shown_.begin(); s != later; ++s)
    give(s->callback, s->reply, board_.version());
  to_be_shown_.erase(to_be_shown_.begin(), later);
}

void EngineLoop::after_slice() {
  const TimeMs now = time_.now();
  if (now >= engine_->next_tick()) {
    Item tick{Tick{}, nullptr, nullptr};
    step(tick);
  }
  if (!durable_.empty()) {
    committer_->push(std::move(durable_));
    durable_.clear();
    touched_at_ = now;  // events carry the time
  } else if (now >= touched_at_ + options_.touch_gap_ms) {
    committer_->touch_time(now);
    touched_at_ = now;
  }
  tidy_if_due(now);
  give_memory_back();
}

// The splits of a job are many small pieces, which the allocator would keep once they are free.
void EngineLoop::give_memory_back() {
  const std::int64_t held = engine_->job_bytes().in_all();
  most_job_bytes_ = std::max(most_job_bytes_, held);
  if (most_job_bytes_ - held < kWorthGivingBack) return;
  most_job_bytes_ = held;
  executor_([] {
    if (MallocExtension_ReleaseFreeMemory != nullptr) return MallocExtension_ReleaseFreeMemory();
    ::malloc_trim(0);
  });
}

// What the engine forgets the store may forget, too, but for a record.
void EngineLoop::tidy_if_due(TimeMs now) {
  if (now < tidied_at_ + options_.tidy_gap_ms) return;
  tidied_at_ = now;
  const Settings& settings = engine_->state().settings();
  Retention retention;
  retention.finished_before = now - std::min(settings.finished_jobs_kept_ms, now);
  retention.finished_at_most = static_cast<std::size_t>(settings.finished_jobs_at_most);
  retention.history_before = now - std::min(settings.history.keep_ms, now);
  retention.history_at_most = static_cast<std::size_t>(settings.history.at_most);
  committer_->tidy(retention);
}

void EngineLoop::publish_if_due() {
  const auto now = steady_clock::now();
  // Under load publishing takes at most a tenth of this thread, with an answer waiting a third.
  const steady_clock::duration gap =
      any_to_show() ? publish_cost_ * 2
                    : std::max<steady_clock::duration>(milliseconds(options_.publish_gap_ms),
                                                       publish_cost_ * 9);
  if (now < published_at_ + gap) return;
  for (const JobId id : engine_->changes().jobs) {
    if (engine_->state().find_job(id) == nullptr) history_.forget(id);
  }
  if (board_.publish_changes(*engine_)) {
    published_at_ = steady_clock::now();
    publish_cost_ = published_at_ - now;
  }
  give_shown();
}

}  // namespace weir
