// The engine and who runs it. Inputs are posted and answered through a callback; whoever has the
// turn takes what has gathered, stamps it with the time and hands it to the engine, input by input.
// Durable events of a turn go to the GroupCommitter in one push, whose answers come back as inputs,
// so nothing here waits for the disk.
//
// One thread at a time has the turn (engine_loop_turns.cpp). The thread that brings a tracker's
// input takes it if it is free, so that a heartbeat costs no hand-over between threads, each of
// which wakes a sleeping core. All else (clients' requests, ticks, publishing, what gathered while
// somebody had the turn) is for the engine's own thread; while that one waits for the turn, nobody
// else takes it.
//
// There are two queues. What trackers say comes first, so that no request of a client holds up a
// heartbeat for longer than the engine works on one and `requests_ms`; clients' requests wait in
// the lines of those who ask (request_lines.h). Both are bounded for those who ask (a full one
// answers BUSY at once, nobody is made to wait), and the first is open for those who answer (the
// committer): a promise that is on disk must never be turned away.
//
// Every callback runs exactly once: with the engine's reply, or with an error. It runs on a thread
// that has the turn, which may be the caller's, or on the caller's when refused at once; it must
// neither wait nor take long. "The engine's thread" elsewhere is whoever has the turn.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "jobqueue/engine/engine.h"
#include "jobqueue/store/group_committer.h"
#include "jobqueue/store/store.h"
#include "tracker/jobtracker/event_file.h"
#include "tracker/jobtracker/event_log.h"
#include "tracker/jobtracker/registrations.h"
#include "tracker/port/request_lines.h"
#include "tracker/jobtracker/time_source.h"
#include "tracker/metrics/engine_counters.h"
#include "tracker/past/past_keeper.h"
#include "tracker/published/attempt_history.h"
#include "tracker/published/decision_log.h"
#include "tracker/published/view_publisher.h"

namespace weir {

class EngineLoop {
 public:
  using Body = decltype(Input::body);
  using ReplyBody = decltype(Reply::body);
  // `version` is that of the published views that show what the reply tells of.
  using Callback = std::function<void(const ReplyBody& reply, std::int64_t version)>;
  // What a query may look at, only for as long as it runs.
  struct Inside {
    const Engine* engine = nullptr;
    const AttemptHistory* history = nullptr;
  };
  using Query = std::function<void(Result<Inside>)>;

  struct Options {
    std::size_t queue_limit = 20'000;  // of trackers' inputs, and again of clients' requests
    DurationMs requests_ms = 5;        // of clients, between two looks at what trackers say
    std::size_t slice = 1'000;  // inputs between two looks at the clock, timers and publishing
    std::size_t max_trackers = 50'000;
    DurationMs publish_gap_ms = 20;
    DurationMs unread_gap_ms = 250;   // while nobody reads what is published
    DurationMs touch_gap_ms = 5'000;  // so that a restart knows the time of a quiet cluster
    DurationMs tidy_gap_ms = 10'000;  // the store is rid of what may leave it
    GroupCommitterLimits store = {};  // beyond them new jobs are refused
    std::string store_path = {};      // which the event log may not have
  };

  // From here until stop() the store belongs to the committer.
  EngineLoop(std::unique_ptr<Engine> engine, Store& store, TimeSource time,
             ViewPublisher::Executor executor, Options options, StoredPast past = {});
  // The number of an engine's first decision: greater than those of all starts before.
  static std::int64_t first_decision(const Engine& engine);
  ~EngineLoop();  // as stop()
  EngineLoop(const EngineLoop&) = delete;
  EngineLoop& operator=(const EngineLoop&) = delete;

  void post(Body body, Callback callback);
  // `asker`: for whom, if not for the caller of this thread.
  void query(Query query, std::optional<Asker> asker = std::nullopt);
  // What readers see.
  ViewPublisher& views() { return publisher_; }
  // Counts the moments at which somebody was told that a change is done: what is read after one of
  // them shows it. Any thread.
  std::uint64_t told() const { return told_.load(std::memory_order_acquire); }
  // Runs `work` where nobody waits for it: queries leave it what they need not have the engine for.
  void hand_over(std::function<void()> work) { executor_(std::move(work)); }
  const TimeSource& time() const { return time_; }
  // Set while the store refuses writes.
  std::optional<std::string> store_error() const;
  // Set while the event log is not written as the settings want it.
  std::optional<std::string> event_log_error() const { return event_file_.error(); }
  // What was decided lately, and what was counted; any thread.
  const DecisionLog& decisions() const { return decisions_; }
  const EngineCounters& counters() const { return counters_; }
  struct Waiting {
    std::size_t tracker_inputs = 0;
    std::size_t client_requests = 0;
    std::size_t store_events = 0;
    std::size_t store_bytes = 0;
  };
  Waiting waiting() const;
  // Pieces of series and of the past, by way of the store's writer (GroupCommitter).
  bool room_for_series() const { return committer_->room_for_series(); }
  void put_series(SeriesWrite write) { committer_->put_series(std::move(write)); }

  // Takes nothing more, writes what was promised, answers everybody, ends the thread. Once; not
  // from a callback.
  void stop();

 private:
  struct Item {
    Body body;
    Callback callback;
    Query query;
    std::string address;                                // of whoever registers
    std::chrono::steady_clock::time_point posted_at{};  // a heartbeat
  };

  // The next three need mutex_.
  std::optional<Error> refusal(const Item& item, const Asker& asker) const;
  std::optional<Error> no_room(const Asker& asker) const;
  std::optional<Error> take_in(Item& item, const Asker& asker);
  void enqueue_answer(Body body);
  // Turns: see engine_loop_turns.cpp.
  void run();
  bool take_turn();
  void give_turn();
  void take_turn_here() noexcept;
  bool free_for_trackers() const;
  std::chrono::steady_clock::time_point next_duty() const;
  void work(std::vector<Item>& batch);
  void work_on_requests();
  void step(Item& item);
  bool note_registration(Item& item);
  void tell(const Event& event);
  void tell_commands(const Body& body);
  void handle(Item& item);
  void handle_timed(Item& item);
  void count_recovery();
  void deliver(const Reply& reply);
  void after_slice();
  void tidy_if_due(TimeMs now);
  void give_memory_back();
  void publish_if_due();
  std::chrono::steady_clock::time_point publish_due() const;
  void push_durable(TimeMs now);
  void give(const Callback& callback, const ReplyBody& reply, std::int64_t version);
  void give_shown();
  bool any_to_show() const;

  const TimeSource time_;
  const Options options_;
  const ViewPublisher::Executor executor_;
  ViewPublisher publisher_;

  // Whose turn it is, only.
  std::unique_ptr<Engine> engine_;
  Registrations registrations_;
  AttemptHistory history_;
  EventLog log_;
  EventFile event_file_;
  DecisionLog decisions_;
  EngineCounters counters_;
  std::shared_ptr<const Settings> settings_seen_;  // by the event file
  Input input_;
  Output output_;
  std::vector<Event> durable_;
  std::deque<Event> commands_;  // not durable yet: they may be refused, and are in no log
  std::unordered_map<Token, Callback> outstanding_;
  // Done, but not published yet. What a command set going (the end of a killed job) is shown
  // once it is durable, which `seq` waits for.
  struct ToBeShown {
    Callback callback;
    ReplyBody reply;
    std::uint64_t seq = 0;
  };
  std::vector<ToBeShown> to_be_shown_;
  std::atomic<std::uint64_t> told_{0};
  Token last_token_ = 0;
  Token current_token_ = 0;  // of the input being handled
  Callback* current_callback_ = nullptr;
  std::chrono::steady_clock::time_point published_at_{};
  std::chrono::steady_clock::duration publish_cost_{};
  TimeMs touched_at_ = 0;
  TimeMs tidied_at_ = 0;
  std::int64_t most_job_bytes_ = 0;  // since memory was last given back
  std::vector<Item> batch_;

  mutable std::mutex mutex_;           // guards what follows
  std::condition_variable work_;       // the engine's own thread sleeps
  std::condition_variable turn_free_;  // it waits for the turn
  std::vector<Item> queue_;            // of trackers and the committer
  RequestLines<Item> requests_;
  bool turn_taken_ = false;
  bool own_thread_waits_ = false;  // for the turn
  // When the engine's own thread goes on by itself; only while it sleeps.
  std::optional<std::chrono::steady_clock::time_point> sleeps_until_;
  bool closed_ = false;
  std::string store_error_;

  std::unique_ptr<GroupCommitter> committer_;
  std::thread thread_;
};

}  // namespace weir
