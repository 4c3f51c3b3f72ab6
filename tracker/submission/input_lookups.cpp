#include "tracker/submission/input_lookups.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace weir {
namespace {

using Clock = std::chrono::steady_clock;

Error busy(const std::string& what) {
  return Error{ErrorCode::kBusy, what, "try again after a while", {}};
}

constexpr const char* kLineFull = "too many submissions wait for a look at their input";
constexpr const char* kNoThread =
    "submissions wait for a look at their input: the file systems of others do not answer";

Error leaving() {
  return Error{ErrorCode::kShuttingDown,
               "the JobTracker is shutting down",
               "try again once it is back",
               {}};
}

}  // namespace

// One question, whose answer whoever ends it first gives.
struct InputQuestion {
  Asker asker;
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
  std::deque<Asker> served;                 // whose turns were the last, the newest at the end
  std::size_t threads = 0;
  std::size_t answering = 0;  // threads that have looked and give what they found
  bool stopped = false;

  static std::size_t of_address(const auto& questions, const Asker& asker) {
    return static_cast<std::size_t>(
        std::count_if(questions.begin(), questions.end(), [&](const InputQuestionPtr& q) {
          return q->asker.address == asker.address;
        }));
  }
  static std::size_t of_user(const auto& questions, const Asker& asker) {
    return static_cast<std::size_t>(
        std::count_if(questions.begin(), questions.end(), [&](const InputQuestionPtr& q) {
          return q->asker.user == asker.user;
        }));
  }

  // Address and user have fewer than are free.
  bool may_begin(const Asker& asker) const {
    const std::size_t free = limits.threads - looked_at.size();
    return of_address(looked_at, asker) < free && of_user(looked_at, asker) < free;
  }

  // When the address had its last turn, and the user of it: 0 is longest ago.
  std::pair<std::size_t, std::size_t> last_turns(const Asker& asker) const {
    std::size_t of_address = 0;
    std::size_t of_user = 0;
    for (std::size_t i = 0; i < served.size(); ++i) {
      if (served[i].address != asker.address) continue;
      of_address = i + 1;
      if (served[i].user == asker.user) of_user = i + 1;
    }
    return {of_address, of_user};
  }

  // Of those that may begin, that of whoever has waited longest for a turn. Needs the mutex.
  InputQuestionPtr next() {
    auto best = waiting.end();
    std::pair<std::size_t, std::size_t> best_turns;
    for (auto place = waiting.begin(); place != waiting.end(); ++place) {
      const auto turns = last_turns((*place)->asker);
      if (best != waiting.end() && turns >= best_turns) continue;
      if (!may_begin((*place)->asker)) continue;
      best = place;
      best_turns = turns;
    }
    if (best == waiting.end()) return nullptr;
    InputQuestionPtr question = std::move(*best);
    waiting.erase(best);
    served.push_back(question->asker);
    if (served.size() > 2 * limits.waiting) served.pop_front();
    return question;
  }

  // Why this one may not wait. Needs the mutex.
  std::optional<Error> no_room(const Asker& asker) const {
    if (stopped) return leaving();
    if (waiting.size() >= limits.waiting) return busy(kLineFull);
    if (of_address(waiting, asker) >= limits.waiting_of_address)
      return busy("too many submissions from " + asker.address + " wait for a look at their input");
    if (of_user(waiting, asker) >= limits.waiting_of_user)
      return busy("too many submissions of " + asker.user + " wait for a look at their input");
    return std::nullopt;
  }

  // Why it has waited for too long, or was looked at for too long. Needs the mutex.
  Error too_late(const InputQuestionPtr& question) const {
    const Asker& asker = question->asker;
    if (std::find(looked_at.begin(), looked_at.end(), question) != looked_at.end())
      return busy("input: the file system has not answered in time");
    if (of_address(looked_at, asker) > 0 && !may_begin(asker))
      return busy("the input of other submissions from " + asker.address +
                  " is still looked at: its file system does not answer");
    if (of_user(looked_at, asker) > 0 && !may_begin(asker))
      return busy("the input of other submissions of " + asker.user +
                  " is still looked at: its file system does not answer");
    return busy(kNoThread);
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
      state->changed.notify_all();  // others may have one now
    }
  }

  // Answers those whose time is over, and says when the next one's is.
  static void keep_time(const std::shared_ptr<State>& state) {
    std::unique_lock lock(state->mutex);
    while (!state->stopped) {
      const auto now = Clock::now();
      auto next = now + std::chrono::hours(1);
      std::vector<std::pair<InputQuestionPtr, Error>> over;
      const auto look = [&](const InputQuestionPtr& question) {
        if (question->ended) return;
        if (question->until <= now) over.emplace_back(question, state->too_late(question));
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
      for (auto& [question, why] : over) question->give(std::move(why));
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

void InputLookups::look(const Asker& asker, Wanted wanted, Answer answer) {
  const auto question = std::make_shared<InputQuestion>();
  question->asker = asker;
  question->wanted = std::move(wanted);
  question->until = Clock::now() + state_->limits.patience;
  question->answer = std::move(answer);
  std::optional<Error> no;
  {
    const std::lock_guard lock(state_->mutex);
    no = state_->no_room(asker);
    if (!no) {
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

bool InputLookups::for_everybody(const Error& refusal) {
  return refusal.code == ErrorCode::kBusy &&
         (refusal.message == kLineFull || refusal.message == kNoThread);
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
