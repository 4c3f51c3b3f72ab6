#include "live/top_view.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include <fmt/format.h>

namespace weir::live {
namespace {

constexpr const char* kPriorities[] = {"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"};
constexpr std::size_t kMostFilter = 64;
constexpr std::size_t kMostPath = 1000;

bool has(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

int state_rank(const TopJob& job) {
  constexpr const char* kOrder[] = {"WAITING", "HELD", "PENDING", "RUNNING"};
  int rank = 0;
  for (const char* state : kOrder) {
    if (job.state == state) return rank;
    ++rank;
  }
  return rank;
}

std::int64_t progress(const TopJob& job) {
  return job.of[0].progress_millionths + job.of[1].progress_millionths;
}

bool before(const TopJob& a, const TopJob& b, JobOrder order) {
  const auto by = [&](const auto& left, const auto& right) {
    return std::tuple(left, -a.number) < std::tuple(right, -b.number);
  };
  switch (order) {
    case JobOrder::kNewest: return a.number > b.number;
    case JobOrder::kState: return by(state_rank(a), state_rank(b));
    case JobOrder::kQueue: return by(a.queue, b.queue);
    case JobOrder::kUser: return by(a.user, b.user);
    case JobOrder::kProgress: return by(-progress(a), -progress(b));
  }
  return false;
}

std::size_t moved(std::size_t from, std::size_t rows, Key key, std::size_t page) {
  if (rows == 0) return 0;
  switch (key.what) {
    case Key::What::kUp: return from - (from > 0);
    case Key::What::kDown: return std::min(rows - 1, from + 1);
    case Key::What::kPageUp: return from - std::min(from, page);
    case Key::What::kPageDown: return std::min(rows - 1, from + page);
    case Key::What::kHome: return 0;
    case Key::What::kEnd: return rows - 1;
    default: return from;
  }
}

void move(TopView& view, const TopModel& model, Key key) {
  if (view.pane == Pane::kJobs) {
    const auto jobs = shown_jobs(model, view);
    if (!jobs.empty()) {
      view.job = jobs[moved(chosen_job(jobs, view), jobs.size(), key, view.page)]->number;
    }
  } else {
    const auto queues = shown_queues(model, view);
    if (!queues.empty()) {
      view.queue = queues[moved(chosen_queue(queues, view), queues.size(), key, view.page)]->name;
    }
  }
}

const TopJob* job_at(const TopModel& model, TopView& view) {
  if (view.pane != Pane::kJobs) {
    view.message = "choose a job first: Tab goes to the jobs";
    return nullptr;
  }
  const auto jobs = shown_jobs(model, view);
  if (jobs.empty()) {
    view.message = "there is no job here";
    return nullptr;
  }
  const TopJob* job = jobs[chosen_job(jobs, view)];
  view.job = job->number;
  return job;
}

void type(std::string& text, std::size_t most, Key key) {
  if (key.what == Key::What::kCharacter && text.size() < most) text += key.character;
  if (key.what != Key::What::kBackspace) return;
  // A whole character of UTF-8.
  while (!text.empty() && (text.back() & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

void type_filter(TopView& view, Key key) {
  switch (key.what) {
    case Key::What::kDown:
    case Key::What::kEnter: view.mode = TopMode::kPlain; break;
    case Key::What::kEscape:
      view.filter.clear();
      view.mode = TopMode::kPlain;
      break;
    default: type(view.filter, kMostFilter, key);
  }
}

TopAction type_queue(TopView& view, Key key) {
  if (key.what != Key::What::kEnter && key.what != Key::What::kEscape) {
    type(view.move_to, kMostPath, key);
    return {};
  }
  view.mode = TopMode::kPlain;
  if (key.what == Key::What::kEnter && !view.move_to.empty())
    return {TopAction::What::kMove, view.job, view.move_to};
  view.message = "nothing was done";
  return {};
}

TopAction answer_question(TopView& view, Key key) {
  const TopMode mode = view.mode;
  view.mode = TopMode::kPlain;
  if (key.what != Key::What::kCharacter) return {};
  const bool yes = key.character == 'y' || key.character == 'Y';
  if (mode == TopMode::kKill && yes) return {TopAction::What::kKill, view.job, ""};
  if (mode == TopMode::kRelease && yes) return {TopAction::What::kRelease, view.job, ""};
  if (mode == TopMode::kPriority && key.character >= '1' && key.character <= '5') {
    return {TopAction::What::kPriority, view.job, kPriorities[key.character - '1']};
  }
  view.message = "nothing was done";
  return {};
}

void read_text(TopView& view, Key key) {
  const std::size_t last = view.text.empty() ? 0 : view.text.size() - 1;
  switch (key.what) {
    case Key::What::kUp:
    case Key::What::kDown:
    case Key::What::kPageUp:
    case Key::What::kPageDown:
    case Key::What::kHome:
    case Key::What::kEnd:
      view.text_from = moved(std::min(view.text_from, last), view.text.size(), key, view.page);
      break;
    default: view.mode = TopMode::kPlain;
  }
}

TopAction press_letter(TopView& view, const TopModel& model, char letter) {
  switch (letter) {
    case 'q': return {TopAction::What::kQuit, 0, ""};
    case 'h':
    case '?': view.mode = TopMode::kHelp; break;
    case '/': view.mode = TopMode::kFilter; break;
    case 's': view.order = static_cast<JobOrder>((static_cast<int>(view.order) + 1) % 5); break;
    case 'j': move(view, model, {Key::What::kDown}); break;
    case 'k': move(view, model, {Key::What::kUp}); break;
    case 'x':
      if (job_at(model, view) != nullptr) view.mode = TopMode::kKill;
      break;
    case 'm':
      view.move_to.clear();
      if (job_at(model, view) != nullptr) view.mode = TopMode::kMove;
      break;
    case 'r':
      if (const TopJob* job = job_at(model, view); job != nullptr && job->state == "HELD")
        view.mode = TopMode::kRelease;
      else if (job != nullptr)
        view.message = "it is not held";
      break;
    case 'p':
      if (job_at(model, view) != nullptr) view.mode = TopMode::kPriority;
      break;
    default: break;
  }
  return {};
}

}  // namespace

const char* name(JobOrder order) {
  constexpr const char* kNames[] = {"newest", "state", "queue", "user", "progress"};
  return kNames[static_cast<std::size_t>(order)];
}

std::vector<const TopJob*> shown_jobs(const TopModel& model, const TopView& view) {
  std::vector<const TopJob*> jobs;
  for (const TopJob& job : model.jobs) {
    if (view.filter.empty() || has(job.name, view.filter) || has(job.user, view.filter) ||
        has(job.queue, view.filter) || has(job.state, view.filter) ||
        has(fmt::format("job_{:04}", job.number), view.filter)) {
      jobs.push_back(&job);
    }
  }
  std::sort(jobs.begin(), jobs.end(), [&](const TopJob* a, const TopJob* b) {
    return before(*a, *b, view.order);
  });
  return jobs;
}

std::vector<const TopQueue*> shown_queues(const TopModel& model, const TopView& view) {
  std::vector<const TopQueue*> queues;
  const bool any = std::any_of(model.queues.begin(), model.queues.end(), [&](const auto& queue) {
    return has(queue.name, view.filter);
  });
  for (const TopQueue& queue : model.queues) {
    // A filter that is about jobs leaves the queues alone.
    if (!any || has(queue.name, view.filter)) queues.push_back(&queue);
  }
  return queues;
}

std::size_t chosen_job(const std::vector<const TopJob*>& jobs, const TopView& view) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i]->number == view.job) return i;
  }
  return 0;
}

std::size_t chosen_queue(const std::vector<const TopQueue*>& queues, const TopView& view) {
  for (std::size_t i = 0; i < queues.size(); ++i) {
    if (queues[i]->name == view.queue) return i;
  }
  return 0;
}

TopAction press(TopView& view, const TopModel& model, Key key) {
  switch (view.mode) {
    case TopMode::kFilter: type_filter(view, key); return {};
    case TopMode::kHelp: view.mode = TopMode::kPlain; return {};
    case TopMode::kText: read_text(view, key); return {};
    case TopMode::kMove: return type_queue(view, key);
    case TopMode::kKill:
    case TopMode::kRelease:
    case TopMode::kPriority: return answer_question(view, key);
    case TopMode::kPlain: break;
  }
  view.message.clear();
  switch (key.what) {
    case Key::What::kCharacter: return press_letter(view, model, key.character);
    case Key::What::kTab:
      view.pane = view.pane == Pane::kJobs ? Pane::kQueues : Pane::kJobs;
      break;
    case Key::What::kEnter:
      if (const TopJob* job = job_at(model, view)) {
        return {TopAction::What::kExplain, job->number, ""};
      }
      break;
    case Key::What::kEscape: view.filter.clear(); break;
    default: move(view, model, key);
  }
  return {};
}

}  // namespace weir::live
