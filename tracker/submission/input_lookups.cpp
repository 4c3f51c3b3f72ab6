#include "tracker/submission/input_lookups.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace weir {
namespace {

using Clock = std::chrono::steady_clock;

Error busy(const std::string& what) {
  return Error{ErrorCode::kBusy, what, "try again after a while", {}};
}

Error leaving() {
  return Error{ErrorCode::kShuttingDown,
               "the JobTracker is shutting down",
               "try again once it is back",
               {}};
}

}  // namespace

// One question, whose answer whoever ends it first gives.
struct InputQuestion {
  std::string address;
  InputLookups::Wanted wanted;
  Clock::time_point until;
  std::atomic<bool> ended{false};
  InputLookups::Answer answer;

  void give(Result<InputSplits> found) {
    if (ended.exchange(true)) return;
    // What it holds on to goes with it, though a thread may have the question for long.
    const InputLookups::Answer to = std::move(answer);
    to(std::move(found));
  }
};
using InputQuestionPtr = std::shared_ptr<InputQuestion>;

struct InputLookups::State {
  State(Limits the_limits, Look the_look)
      : limits(the_limits), look_at(std::move(the_look)) {}

  const Limits limits;
  const Look look_at;
  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::condition_variable late;
  std::deque<InputQuestionPtr> waiting;
  std::vector<InputQuestionPtr> looked_at;  // one a thread that is at work
  std::size_t threads = 0;
  std::size_t answering = 0;  // threads that have looked and give what they found
  bool stopped = false;

  std::size_t at_work_for(const std::string& address) const {
    return static_cast<std::size_t>(
        std::count_if(looked_at.begin(), looked_at.end(),
                      [&](const InputQuestionPtr& q) { return q->address == address; }));
  }
  std::size_t waiting_of(const std::string& address) const {
    return static_cast<std::size_t>(
        std::count_if(waiting.begin(), waiting.end(),
                      [&](const InputQuestionPtr& q) { return q->address == address; }));
  }

  // The first whose address has not its part of the threads already. Needs the mutex.
  InputQuestionPtr next() {
    const std::size_t most = std::max<std::size_t>(limits.threads / 2, 1);
    for (auto place = waiting.begin(); place != waiting.end(); ++place) {
      if (at_work_for((*place)->address) >= most) continue;
      InputQuestionPtr question = std::move(*place);
      waiting.erase(place);
      return question;
    }
    return nullptr;
  }

  static void work(const std::shared_ptr<State>& state) {
    std::unique_lock lock(state->mutex);
    for (;;) {
      InputQuestionPtr question;
      state->changed.wait(lock, [&] { return state->stopped || (question = state->next()); });
      if (state->stopped && !question) return;
      state->looked_at.push_back(question);
      lock.unlock();
      auto found = state->look_at(
          question->wanted, {.entries = state->limits.entries, .ended = &question->ended});
      lock.lock();
      ++state->answering;
      lock.unlock();
      question->give(std::move(found));
      lock.lock();
      --state->answering;
      std::erase(state->looked_at, question);
      state->changed.notify_all();  // its address may have another
    }
  }

  // Answers those whose time is over, and says when the next one's is.
  static void keep_time(const std::shared_ptr<State>& state) {
    std::unique_lock lock(state->mutex);
    while (!state->stopped) {
      const auto now = Clock::now();
      auto next = now + std::chrono::hours(1);
      std::vector<InputQuestionPtr> over;
      const auto look = [&](const InputQuestionPtr& question) {
        if (question->ended) return;
        if (question->until <= now) over.push_back(question);
        else next = std::min(next, question->until);
      };
      for (const InputQuestionPtr& question : state->waiting) look(question);
      for (const InputQuestionPtr& question : state->looked_at) look(question);
      std::erase_if(state->waiting, [&](const InputQuestionPtr& q) { return q->until <= now; });
      if (over.empty()) {
        state->late.wait_until(lock, next);
        continue;
      }
      lock.unlock();
      for (const InputQuestionPtr& question : over)
        question->give(busy("input: the file system has not answered in time"));
      lock.lock();
    }
  }
};

InputLookups::InputLookups() : InputLookups(Limits{}) {}

InputLookups::InputLookups(Limits limits, Look look)
    : state_(std::make_shared<State>(limits, std::move(look))),
      clock_([state = state_] { State::keep_time(state); }) {}

InputLookups::~InputLookups() {
  stop();
}

void InputLookups::look(const std::string& address, Wanted wanted, Answer answer) {
  const auto question = std::make_shared<InputQuestion>();
  question->address = address;
  question->wanted = std::move(wanted);
  question->until = Clock::now() + state_->limits.patience;
  question->answer = std::move(answer);
  std::optional<Error> no;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopped) {
      no = leaving();
    } else if (state_->waiting.size() >= state_->limits.waiting) {
      no = busy("too many submissions wait for a look at their input");
    } else if (state_->waiting_of(address) >= state_->limits.waiting_of_address) {
      no = busy("too many submissions from " + address + " wait for a look at their input");
    } else {
      state_->waiting.push_back(question);
      if (state_->threads < state_->limits.threads) {
        ++state_->threads;
        std::thread([state = state_] { State::work(state); }).detach();
      }
      state_->changed.notify_one();
      state_->late.notify_one();
    }
  }
  if (no) question->give(std::move(*no));
}

void InputLookups::stop() {
  std::vector<InputQuestionPtr> rest;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopped) return;
    state_->stopped = true;
    rest.assign(state_->waiting.begin(), state_->waiting.end());
    rest.insert(rest.end(), state_->looked_at.begin(), state_->looked_at.end());
    state_->waiting.clear();
    state_->changed.notify_all();
    state_->late.notify_all();
  }
  for (const InputQuestionPtr& question : rest) question->give(leaving());
  clock_.join();
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return state_->answering == 0; });
}

Result<InputSplits> InputLookups::look_at_disk(const Wanted& wanted, const LookLimits& limits) {
  const auto files = list_inputs(wanted.paths, limits);
  if (!files) return files.error();
  auto splits = compute_splits(*files, wanted.split_bytes);
  if (splits && wanted.combine_bytes) combine_splits(*splits, *wanted.combine_bytes);
  return splits;
}

}  // namespace weir
