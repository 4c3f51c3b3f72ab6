#include "live/top_draw.h"

#include <fmt/format.h>

#include <algorithm>

#include "jobqueue/model/counted.h"
#include "jobqueue/model/plain_text.h"
#include "jobqueue/model/time.h"
#include "live/screen_text.h"
#include "live/top_queues.h"
#include "views/amount_text.h"
#include "views/claim_text.h"
#include "views/text_width.h"

namespace weir::live {
namespace {

constexpr std::size_t kHeaderLines = 2;  // and one for each that is counted

class Painter : ScreenText {
 public:
  Painter(const TopModel& model, const TopView& view, ScreenSize size, std::int64_t now_ms)
      : ScreenText(size), model_(model), view_(view), now_(now_ms) {}

  std::vector<ScreenLine> paint();

 private:
  void add(ScreenLine line) { lines_.push_back(std::move(line)); }

  void header();
  ScreenLine class_line(std::size_t kind) const;
  void claims(std::size_t rows);
  void queues(std::size_t rows);
  void jobs(std::size_t rows);
  void job(const TopJob& job, bool chosen);
  ScreenLine detail() const;
  ScreenLine footer() const;
  void text(const std::vector<std::string>& lines, std::size_t from);
  void fit();

  const TopModel& model_;
  const TopView& view_;
  std::int64_t now_;
  std::vector<ScreenLine> lines_;
};

ScreenLine Painter::class_line(std::size_t kind) const {
  const TopModel::Slots& slots = model_.slots[kind];
  const std::string& name = model_.kinds[kind];
  ScreenLine line = {{left(head_of(name), 8), Look::kBold}};
  const std::size_t columns = std::min<std::size_t>(size_.columns / 3, 60);
  BarFigures figures;
  figures.running = static_cast<double>(slots.used);
  figures.whole = static_cast<double>(std::max<std::int64_t>(slots.total, 1));
  line.push_back({"["});
  for (Piece& piece : bar(figures, columns, size_.ascii)) line.push_back(std::move(piece));
  const std::string total = is_slots(name) ? counted(slots.total, "slot")
                                           : shown(amount_text(name, slots.total));
  line.push_back({fmt::format("] {} of {} used, {} free", slots.used, total, slots.free)});
  const auto others = [&line](std::int64_t count, const char* what, Look look) {
    if (count > 0) line.push_back({fmt::format(", {} {}", count, what), look});
  };
  others(slots.withheld, "withheld", Look::kWarn);
  others(slots.awaited, "awaited", Look::kWarn);
  others(slots.lost, "lost", Look::kBad);
  return line;
}

void Painter::header() {
  ScreenLine first = {{"weir top  " + shown(model_.address), Look::kBold}};
  if (model_.complete && model_.trouble.empty()) {
    const std::string live = counted(model_.trackers, "tracker");
    first.push_back({"  policy " + shown(model_.policy) + ", " + live});
    if (!model_.away.empty()) first.push_back({" live, " + shown(model_.away), Look::kBad});
  }
  if (!model_.trouble.empty()) {
    const std::int64_t since = std::max<std::int64_t>(0, now_ - model_.trouble_since_ms) / 1000;
    first.push_back({fmt::format("  no answer for {} s, trying again: {}", since,
                                 shown(model_.trouble)),
                     Look::kBad});
  } else if (!model_.complete) {
    first.push_back({"  reading...", Look::kDim});
  }
  add(std::move(first));
  for (std::size_t kind = 0; kind < std::min(model_.kinds.size(), model_.slots.size()); ++kind)
    add(class_line(kind));
  ScreenLine line = {{left("Jobs", 8), Look::kBold},
                     {fmt::format("{} running, {} pending, {} waiting", model_.running,
                                  model_.pending, model_.waiting)}};
  std::string kills = fmt::format("; kills in the last hour: {}", model_.kills);
  if (model_.kills > 0) {
    kills += ", " + (model_.waste_ms.empty()
                         ? fmt::format("{} slot-s", model_.waste_slot_ms / 1000)
                         : shown(amount_times_text(model_.waste_ms))) + " lost";
  }
  line.push_back({kills, model_.kills > 0 ? Look::kWarn : Look::kDim});
  add(std::move(line));
}

void Painter::claims(std::size_t rows) {
  if (rows < 2) return;
  add({{left(fmt::format("CLAIMS ({}): owed to queues", model_.claims.size()), size_.columns),
        Look::kHead}});
  const std::int64_t passed = now_ - model_.claims_came_ms;
  for (std::size_t i = 0; i < std::min(rows - 1, model_.claims.size()); ++i) {
    const TopClaim& claim = model_.claims[i];
    const std::int64_t left_ms = std::max<std::int64_t>(0, claim.left_ms - passed);
    std::string when = claim.left_ms < 0 ? "never kills"
                       : left_ms > 0     ? fmt::format("kills in {} s", (left_ms + 999) / 1000)
                                         : "due now";
    if (const std::string why = held_back_text(claim.state); !why.empty()) when = why;
    const std::size_t columns = std::clamp<std::size_t>(size_.columns / 4, 16, 40);
    add({{"  " + path(claim.queue, columns - 2)},
         {left(" " + claim.owed(), 20)},
         {shown(when), left_ms > 0 && claim.left_ms >= 0 ? Look::kPlain : Look::kWarn}});
  }
}

// The first row to show, so that the chosen one is in the middle, as far as there are rows.
std::size_t first_row(std::size_t chosen, std::size_t all, std::size_t rows) {
  if (all <= rows) return 0;
  return std::min(chosen - std::min(chosen, rows / 2), all - rows);
}

void Painter::queues(std::size_t rows) {
  if (rows < 2) return;
  const auto all = shown_queues(model_, view_);
  const bool here = view_.pane == Pane::kQueues;
  const QueueRows paint(model_, size_);
  add(paint.head(all.size(), here));
  const std::size_t chosen = chosen_queue(all, view_);
  const std::size_t shown = std::max<std::size_t>(1, (rows - 1) / queue_lines(model_));
  const std::size_t first = first_row(chosen, all.size(), shown);
  for (std::size_t i = first; i < std::min(all.size(), first + shown); ++i) {
    for (ScreenLine& line : paint.rows(*all[i], here && i == chosen)) add(std::move(line));
  }
  if (all.empty()) add({{" no queues", Look::kDim}});
}

void Painter::job(const TopJob& job, bool chosen) {
  const bool wide = size_.columns >= 110;
  const std::int64_t done = job.of[0].succeeded + job.of[1].succeeded;
  const std::int64_t total = job.of[0].total + job.of[1].total;
  std::string id = fmt::format(" job_{:04}", job.number);
  const Look look = job.state == "RUNNING"  ? Look::kGood
                    : job.state == "PENDING" ? Look::kPlain
                                             : Look::kWarn;
  ScreenLine line = {{left(id, 10) + " ", chosen ? Look::kChosen : Look::kPlain},
                     {left(job.state, 8), look},
                     {path(job.queue, wide ? 24 : 14) + " "},
                     {left(job.user, wide ? 14 : 8) + " "}};
  if (wide) line.push_back({left(job.priority, 10)});
  line.push_back({right(fmt::format("{}/{}", done, total), 11) + "  "});
  std::size_t used = 0;
  for (const Piece& piece : line) used += display_width(piece.text);
  const std::size_t rest = size_.columns - std::min(size_.columns, used);
  std::string text = job.name;
  if (!job.reason.empty()) text += ": " + job.reason;
  line.push_back({left(text, rest)});
  add(std::move(line));
}

void Painter::jobs(std::size_t rows) {
  if (rows < 2) return;
  const bool wide = size_.columns >= 110;
  const auto all = shown_jobs(model_, view_);
  const bool here = view_.pane == Pane::kJobs;
  const std::string filter =
      view_.filter.empty() ? "" : fmt::format(", with '{}'", shown(view_.filter));
  std::string head = left(fmt::format("{}JOBS", here ? ">" : " "), 11) + left("STATE", 8) +
                     left("QUEUE", wide ? 25 : 15) + left("USER", wide ? 15 : 9);
  if (wide) head += left("PRIORITY", 10);
  head += right("TASKS", 11) + "  " +
          fmt::format("{} by {}{}", counted(std::ssize(all), "job"), name(view_.order), filter);
  add({{left(head, size_.columns), Look::kHead}});
  const std::size_t chosen = chosen_job(all, view_);
  const std::size_t first = first_row(chosen, all.size(), rows - 1);
  for (std::size_t i = first; i < std::min(all.size(), first + rows - 1); ++i) {
    job(*all[i], here && i == chosen);
  }
  if (all.empty()) {
    const char* none = !model_.complete       ? ""
                       : view_.filter.empty() ? " no unfinished jobs"
                                              : " no job has that; Esc shows all";
    add({{none, Look::kDim}});
  }
}

// What is chosen, in full.
ScreenLine Painter::detail() const {
  if (view_.pane == Pane::kJobs) {
    const auto all = shown_jobs(model_, view_);
    if (all.empty()) return {};
    const TopJob& job = *all[chosen_job(all, view_)];
    if (job.reason.empty()) return {};
    return {{left(fmt::format(" job_{:04} waits: {}", job.number, job.reason), size_.columns),
             Look::kWarn}};
  }
  const auto all = shown_queues(model_, view_);
  if (all.empty()) return {};
  const TopQueue& queue = *all[chosen_queue(all, view_)];
  return {{left(queue_text(model_, queue), size_.columns), Look::kPlain}};
}

ScreenLine Painter::footer() const {
  const auto question = [&](const std::string& text) {
    return ScreenLine{{left(text, size_.columns), Look::kChosen}};
  };
  switch (view_.mode) {
    case TopMode::kFilter:
      return question(fmt::format(" show what has: {}_  (Enter keeps it, Esc shows all)",
                                  shown(view_.filter)));
    case TopMode::kKill:
      return question(fmt::format(" kill job_{:04}? y kills it, any other key does not",
                                  view_.job));
    case TopMode::kRelease:
      return question(fmt::format(" release job_{:04}? y lets it start, any other key does not",
                                  view_.job));
    case TopMode::kMove:
      return question(fmt::format(" move job_{:04} to queue: {}_  (Enter moves it, Esc does not)",
                                  view_.job, shown(view_.move_to)));
    case TopMode::kPriority:
      return question(fmt::format(" priority of job_{:04}: 1 very high, 2 high, 3 normal, 4 low, "
                                  "5 very low; any other key leaves it",
                                  view_.job));
    default: break;
  }
  if (!view_.message.empty()) return {{left(" " + view_.message, size_.columns), Look::kBold}};
  return {{left(" q quit  h help  Tab pane  Enter why  / filter  s sort  m move  p prio  x kill",
                size_.columns),
           Look::kDim}};
}

void Painter::text(const std::vector<std::string>& lines, std::size_t from) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    for (const std::string& line : wrapped(plain_text(lines[i]), size_.columns)) {
      if (lines_.size() + 1 >= size_.rows) return;
      add({{left(line, size_.columns)}});
    }
  }
}

// As many lines and columns as there are.
void Painter::fit() {
  if (lines_.size() > size_.rows) lines_.resize(size_.rows);
  for (ScreenLine& line : lines_) {
    std::size_t rest = size_.columns;
    for (Piece& piece : line) {
      const std::size_t width = display_width(piece.text);
      if (width > rest) piece.text = left(piece.text, rest);
      rest -= std::min(rest, width);
    }
  }
}

std::vector<ScreenLine> Painter::paint() {
  if (view_.mode == TopMode::kHelp || view_.mode == TopMode::kText) {
    text(view_.mode == TopMode::kHelp ? top_help() : view_.text,
         view_.mode == TopMode::kHelp ? 0 : view_.text_from);
    fit();
    return std::move(lines_);
  }
  header();
  // A line for what is chosen and one for the keys.
  std::size_t rest = size_.rows - std::min(size_.rows, kHeaderLines + model_.kinds.size() + 2);
  const std::size_t most_claims = size_.rows >= 40 ? 8 : 3;
  const std::size_t claim_rows =
      model_.claims.empty() ? 0 : 1 + std::min(model_.claims.size(), most_claims);
  if (claim_rows <= rest) {
    claims(claim_rows);
    rest -= claim_rows;
  }
  // Half of it; where a queue has several lines, also what the jobs leave.
  const std::size_t lines = queue_lines(model_);
  std::size_t most = std::max<std::size_t>(rest / 2, 1 + lines);
  if (lines > 1) most = std::max(most, rest - std::min(rest, model_.jobs.size() + 2));
  const std::size_t all = 1 + lines * std::max<std::size_t>(model_.queues.size(), 1);
  const std::size_t queue_rows = std::min({rest, all, most});
  queues(queue_rows);
  jobs(rest - queue_rows);
  if (size_.rows >= 2) {
    if (lines_.size() > size_.rows - 2) lines_.resize(size_.rows - 2);
    while (lines_.size() < size_.rows - 2) add({});
    add(detail());
  }
  add(footer());
  fit();
  return std::move(lines_);
}

}  // namespace

std::vector<ScreenLine> draw(const TopModel& model, const TopView& view, ScreenSize size,
                             std::int64_t now_ms) {
  return Painter(model, view, size, now_ms).paint();
}

}  // namespace weir::live
