#include "tracker/jobtracker/engine_loop.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "tracker/jobtracker/engine_counting.h"
#include "tracker/jobtracker/free_memory.h"

namespace weir {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::int64_t kWorthGivingBack = 32 << 20;

EngineLoop::EngineLoop(std::unique_ptr<Engine> engine, Store& store, TimeSource time,
                       ViewPublisher::Executor executor, Options options, StoredPast past)
    : time_(std::move(time)),
      options_(options),
      executor_(std::move(executor)),
      publisher_(executor_, time_.wall(), Past(time_.wall_now(), std::move(past.queues))),
      engine_(std::move(engine)),
      registrations_(options.max_trackers),
      event_file_(options.store_path),
      decisions_(first_decision(*engine_), std::move(past.decisions)),
      requests_(options.queue_limit) {
  decisions_.note_start(time_.started(), "Weir " WEIR_VERSION, past.killed);
  counters_.recovery_ms.set(-1);
  publisher_.publish_all(*engine_);
  published_at_ = steady_clock::now();
  settings_seen_ = engine_->state().settings_ptr();
  event_file_.follow(*settings_seen_);
  GroupWriterCallbacks callbacks;
  callbacks.on_durable = [this](std::uint64_t seq) { enqueue_answer(Durable{seq}); };
  callbacks.on_failed = [this](std::uint64_t seq, const std::string& message) {
    enqueue_answer(StoreFailed{seq, message});
  };
  callbacks.wrote = [this](std::size_t events, steady_clock::duration took, bool ok) {
    counters_.store_commit_seconds.observe(took);
    counters_.store_group_size.observe(static_cast<double>(events));
    if (!ok) counters_.store_failures.add();
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
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "engine");
    run();
  });
}

std::int64_t EngineLoop::first_decision(const Engine& engine) {
  return (std::int64_t{engine.state().epoch()} << 32) + 1;
}

EngineLoop::~EngineLoop() {
  stop();
}

// --- Any thread: see also engine_loop_inputs.cpp ---

void EngineLoop::enqueue_answer(Body body) {
  const std::lock_guard lock(mutex_);
  queue_.push_back({std::move(body), nullptr, nullptr, ""});
  if (sleeps_until_ && !turn_taken_) work_.notify_one();  // else he looks once more
}

std::optional<std::string> EngineLoop::store_error() const {
  const std::lock_guard lock(mutex_);
  if (store_error_.empty()) return std::nullopt;
  return store_error_;
}

EngineLoop::Waiting EngineLoop::waiting() const {
  Waiting out;
  out.store_events = committer_->waiting_events();
  out.store_bytes = committer_->waiting_bytes();
  const std::lock_guard lock(mutex_);
  out.tracker_inputs = queue_.size();
  out.client_requests = requests_.size();
  return out;
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
    while (!requests_.empty()) rest.push_back(requests_.pop());
  }
  work(rest);
  const Error leaving{ErrorCode::kShuttingDown,
                      "the JobTracker is shutting down",
                      "look for what became of it once it is back",
                      {}};
  publisher_.publish_changes(*engine_);
  for (ToBeShown& shown : to_be_shown_) shown.seq = 0;
  give_shown();
  for (auto& [token, callback] : outstanding_) give(callback, leaving, 0);
  outstanding_.clear();
  publisher_.expire(steady_clock::now(), true);
}

// --- Whoever has the turn ---

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

// One at least, and more for as long as they take little.
void EngineLoop::work_on_requests() {
  const auto end = steady_clock::now() + milliseconds(options_.requests_ms);
  std::optional<Item> item;
  do {
    {
      const std::lock_guard lock(mutex_);
      if (requests_.empty()) break;
      item = requests_.pop();
    }
    step(*item);
  } while (steady_clock::now() < end);
  if (item) after_slice();
}

void EngineLoop::step(Item& item) {
  if (item.query) {
    item.query(Inside{engine_.get(), &history_});
    return;
  }
  if (note_registration(item)) return;
  if (const auto* report = std::get_if<Heartbeat>(&item.body)) {
    if (auto noted = registrations_.take(report->name, report->incarnation, report->key,
                                         item.address)) {
      Item registration{std::move(*noted), nullptr, nullptr, ""};
      handle(registration);
    }
  }
  if (item.callback) return handle_timed(item);
  handle(item);
}

void EngineLoop::handle_timed(Item& item) {
  const auto begun = steady_clock::now();
  const bool heartbeat = std::holds_alternative<Heartbeat>(item.body);
  if (heartbeat) counters_.wait_seconds.observe(begun - item.posted_at);
  handle(item);
  const auto took = steady_clock::now() - begun;
  (heartbeat ? counters_.heartbeat_seconds : counters_.request_seconds).observe(took);
}

// A tracker that is not there, nor awaited, is one from its first heartbeat on.
bool EngineLoop::note_registration(Item& item) {
  const auto* registration = std::get_if<RegisterTracker>(&item.body);
  if (registration == nullptr) return false;
  const ClusterState& state = engine_->state();
  const TrackerState* known = state.find_tracker(registration->name);
  if (known != nullptr && known->state != TrackerState::State::kLost) return false;
  const Status noted = registrations_.note(
      *registration, item.address, state.live_trackers() + state.awaited_trackers(), time_.now());
  const ReplyBody reply =
      noted ? ReplyBody(Registered{engine_->heartbeat_interval_ms()}) : ReplyBody(noted.error());
  if (item.callback) give(item.callback, reply, publisher_.version());
  return true;
}

void EngineLoop::tell(const Event& event) {
  log_.on(event, *engine_);
  event_file_.on(event, *engine_);
  count_event(counters_, event, *engine_, decisions_.on(event, *engine_));
}

// The store's answer says which commands there were; those that it refused there were not.
void EngineLoop::tell_commands(const Body& body) {
  if (const auto* failed = std::get_if<StoreFailed>(&body)) {
    while (!commands_.empty() && commands_.front().seq <= failed->seq) commands_.pop_front();
  }
  const auto* durable = std::get_if<Durable>(&body);
  while (durable != nullptr && !commands_.empty() && commands_.front().seq <= durable->seq) {
    Event command = std::move(commands_.front());
    commands_.pop_front();
    command.at = time_.now();  // lines are in the order of their times
    tell(command);
  }
}

void EngineLoop::handle(Item& item) {
  tell_commands(item.body);
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
    if (event.seq > 0 && std::holds_alternative<Command>(event.fact)) {
      commands_.push_back(event);
    } else {
      tell(event);
    }
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
    give(callback, reply.body, publisher_.version());
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
  if (later != to_be_shown_.begin()) told_.fetch_add(1, std::memory_order_release);
  for (auto s = to_be_shown_.begin(); s != later; ++s)
    give(s->callback, s->reply, publisher_.version());
  to_be_shown_.erase(to_be_shown_.begin(), later);
}

void EngineLoop::after_slice() {
  const TimeMs now = time_.now();
  if (now >= engine_->next_tick()) {
    Item tick{Tick{}, nullptr, nullptr, ""};
    handle(tick);
  }
  push_durable(now);
  if (now >= touched_at_ + options_.touch_gap_ms) {
    committer_->touch_time(now);
    touched_at_ = now;
  }
  tidy_if_due(now);
  give_memory_back();
  count_recovery();
}

void EngineLoop::push_durable(TimeMs now) {
  if (durable_.empty()) return;
  committer_->push(std::move(durable_), !outstanding_.empty() || !to_be_shown_.empty());
  durable_.clear();
  touched_at_ = now;  // events carry the time
}

void EngineLoop::count_recovery() {
  if (counters_.recovery_ms.get() >= 0 || engine_->recovering()) return;
  counters_.recovery_ms.set(time_.now() - time_.started());
}

// The splits of a job are many small pieces, which the allocator would keep once they are free.
void EngineLoop::give_memory_back() {
  const std::int64_t held = engine_->job_bytes().in_all();
  counters_.job_bytes.set(held);
  most_job_bytes_ = std::max(most_job_bytes_, held);
  if (most_job_bytes_ - held < kWorthGivingBack) return;
  most_job_bytes_ = held;
  executor_(release_free_memory);
}

// What the engine forgets the store may forget, too, but for a record.
void EngineLoop::tidy_if_due(TimeMs now) {
  if (now < tidied_at_ + options_.tidy_gap_ms) return;
  tidied_at_ = now;
  const Settings& settings = engine_->state().settings();
  registrations_.forget_before(now - settings.heartbeat.expiry_ms);
  Retention retention;
  retention.finished_before = now - std::min(settings.finished_jobs_kept_ms, now);
  retention.finished_at_most = static_cast<std::size_t>(settings.finished_jobs_at_most);
  retention.history_before = now - std::min(settings.history.keep_ms, now);
  retention.history_at_most = static_cast<std::size_t>(settings.history.at_most);
  committer_->tidy(retention);
}

// Under load publishing takes at most a tenth of the time, with an answer waiting a third. A quiet
// cluster's heartbeats change no more than when its trackers reported: where nobody reads, that
// waits.
steady_clock::time_point EngineLoop::publish_due() const {
  if (any_to_show()) return published_at_ + publish_cost_ * 2;
  const bool read = publisher_.read_lately(steady_clock::now());
  const milliseconds gap(read ? options_.publish_gap_ms : options_.unread_gap_ms);
  return published_at_ + std::max<steady_clock::duration>(gap, publish_cost_ * 9);
}

void EngineLoop::publish_if_due() {
  const auto now = steady_clock::now();
  if (now < publish_due()) return;
  for (const JobId id : engine_->changes().jobs) {
    if (engine_->state().find_job(id) == nullptr) history_.forget(id);
  }
  if (publisher_.publish_changes(*engine_)) {
    published_at_ = steady_clock::now();
    publish_cost_ = published_at_ - now;
    counters_.publish_seconds.observe(publish_cost_);
  }
  give_shown();
}

}  // namespace weir
