#include "live/report_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "live/api_json.h"
#include "report/tally.h"

namespace weir::live {
namespace {

constexpr std::size_t kMostQueues = 500;
constexpr std::size_t kMostPages = 100;  // of a list, 1,000 a page
constexpr const char* kClasses[] = {"map", "reduce"};

struct Step {
  DurationMs up_to_ms;  // spans for which it is right
  DurationMs step_ms;
  const char* text;
};
constexpr Step kSteps[] = {{600'000, 1'000, "1s"},
                           {3 * 3'600'000, 10'000, "10s"},
                           {2 * 86'400'000LL, 60'000, "1m"},
                           {INT64_MAX, 900'000, "15m"}};

const Step& step_for(DurationMs span) {
  const Step* step = std::begin(kSteps);
  while (span > step->up_to_ms) ++step;
  return *step;
}

class Reader {
 public:
  Reader(HttpClient& client, std::int64_t since_ms, std::int64_t now_ms)
      : client_(client),
        since_(since_ms),
        now_(now_ms),
        step_(step_for(now_ms - since_ms)),
        tally_(since_ms, step_.step_ms) {}

  report::Report read() {
    read_cluster();
    read_series();
    read_jobs("/api/v1/history");
    read_jobs("/api/v1/jobs");
    read_kills();
    return finish();
  }

 private:
  void read_cluster() {
    const Json cluster = get_json(client_, "/api/v1/cluster");
    made_.made_from.emplace_back("policy", text_of(cluster, "policy") + " (now)");
    dimensions_ = dimensions_of(cluster);
    if (!dimensions_.empty()) {
      made_.classes = report::container_classes(dimensions_);
      made_.slot_s.assign(dimensions_.size(), 0);
    }
    for (const Json& queue : get_json(client_, "/api/v1/queues")) {
      if (!part_of(queue, "leaf").is_boolean() || !part_of(queue, "leaf").get<bool>()) continue;
      if (leaves_.size() == kMostQueues) {
        made_.notes.push_back(
            fmt::format("Of the queues the first {} are shown over time.", kMostQueues));
        break;
      }
      leaves_.push_back(text_of(queue, "name"));
    }
  }

  // Of a queue, or `root` for the cluster, whose guarantee is its slots.
  // False: there is none.
  bool each_point(const std::string& queue,
                  const std::function<void(const Json& point, TimeMs from, TimeMs to)>& take) {
    Json series;
    try {
      series = get_json(client_, fmt::format("/api/v1/series?queue={}&since={}&step={}",
                                             percent_encoded(queue), since_, step_.text));
    } catch (const ApiRefused& refused) {
      if (refused.status() != 404) throw;
      if (made_.notes.size() < 20) made_.notes.push_back("There is no series of " + queue + ".");
      return false;
    }
    const DurationMs step = std::max<DurationMs>(number_of(series, "step_ms", 1000), 1000);
    const Json& points = part_of(series, "points");
    if (!points.is_array()) return true;
    for (const Json& point : points) {
      const TimeMs from = std::max(number_of(point, "t"), since_);
      const TimeMs to = std::min(number_of(point, "t") + step, now_);
      if (to > from) take(point, from, to);
    }
    return true;
  }

  // Of a point, in one of what is counted.
  const Json& figures_of(const Json& point, std::size_t i) const {
    if (dimensions_.empty()) return part_of(point, kClasses[i]);
    return part_of(part_of(point, "dimensions"), dimensions_[i].c_str());
  }

  void read_series() {
    const bool any = each_point("root", [&](const Json& point, TimeMs from, TimeMs to) {
      seen_times_.emplace_back(from, to);
      for (std::size_t i = 0; i < made_.classes.size(); ++i) {
        const Json& of = figures_of(point, i);
        report::Figures all;
        all.running = running_of(of);
        all.pending = static_cast<double>(number_of(of, "pending"));
        all.guaranteed = static_cast<double>(number_of(of, "guaranteed"));
        tally_.add_cluster(i, from, to, all);
        made_.slot_s[i] += *all.guaranteed * static_cast<double>(to - from) / 1000;
      }
    });
    // Where no queue is guaranteed anything another policy ruled, and nobody lent or borrowed.
    for (const std::string& queue : leaves_) {
      if (!any) break;
      each_point(queue, [&](const Json& point, TimeMs from, TimeMs) {
        for (std::size_t i = 0; i < made_.classes.size(); ++i) {
          if (has_guarantees(figures_of(point, i))) guaranteed_at_.insert(from);
        }
      });
    }
    for (const std::string& queue : leaves_) {
      tally_.totals(queue);
      if (!any) continue;  // a JobTracker without series: said once
      each_point(queue, [&](const Json& point, TimeMs from, TimeMs to) {
        for (std::size_t i = 0; i < made_.classes.size(); ++i)
          take_figures(queue, i, figures_of(point, i), from, to);
      });
    }
  }

  static double slots_of(std::int64_t thousandths) {
    return static_cast<double>(thousandths) / 1000;
  }

  // An earlier version knew whole slots alone, of which the mean of a long step was one, too.
  static double running_of(const Json& of) {
    const auto exact = maybe_number_of(of, "running_thousandths");
    return exact ? slots_of(*exact) : static_cast<double>(number_of(of, "running"));
  }

  // A step may be of two policies: then some queue lent or borrowed for a while.
  bool has_guarantees(const Json& of) const {
    return number_of(of, "guaranteed") > 0 || number_of(of, "lent_thousandths") > 0 ||
           number_of(of, "borrowed_thousandths") > 0;
  }

  void take_figures(const std::string& queue, std::size_t kind, const Json& of, TimeMs from,
                    TimeMs to) {
    report::Figures figures;
    figures.running = running_of(of);
    figures.pending = static_cast<double>(number_of(of, "pending"));
    if (const auto share = maybe_number_of(of, "share_thousandths")) {
      figures.share = static_cast<double>(*share) / 1000;
    } else if (guaranteed_at_.contains(from)) {
      const auto guaranteed = static_cast<double>(number_of(of, "guaranteed"));
      const auto allocated = static_cast<double>(number_of(of, "allocated"));
      figures.guaranteed = guaranteed;
      figures.allocated = allocated;
      const auto lent = maybe_number_of(of, "lent_thousandths");
      const auto borrowed = maybe_number_of(of, "borrowed_thousandths");
      figures.lent = lent ? slots_of(*lent) : std::max(0.0, guaranteed - allocated);
      const double beyond = std::max(0.0, figures.running - guaranteed);
      figures.borrowed = borrowed ? slots_of(*borrowed) : beyond;
    }
    tally_.timeline().add(queue, kind, from, to, figures);
    tally_.add_use(queue, kind, figures.running * static_cast<double>(to - from) / 1000);
  }

  // How much of it there are figures of.
  DurationMs seen_of(TimeMs from, TimeMs to) const {
    DurationMs seen = 0;
    for (const auto& [begin, end] : seen_times_)
      seen += std::max<DurationMs>(0, std::min(end, to) - std::max(begin, from));
    return seen;
  }

  // Every page, up to a bound that is said.
  template <class Take>
  void each(const std::string& target, const char* what, Take take) {
    std::string cursor;
    for (std::size_t page = 0; page < kMostPages; ++page) {
      const std::string from = cursor.empty() ? "" : "&cursor=" + percent_encoded(cursor);
      const Json list = get_json(client_, target + from, &cursor);
      if (!list.is_array()) return;
      for (const Json& entry : list) take(entry);
      if (cursor.empty() || list.empty()) return;
    }
    made_.notes.push_back(fmt::format("Only the newest {},000 {} are counted.", kMostPages, what));
  }

  void read_jobs(const std::string& path) {
    each(fmt::format("{}?since={}&limit=1000", path, since_), "jobs", [&](const Json& job) {
      if (seen_.insert(number_of(job, "number")).second) take_job(job);
    });
  }

  void take_job(const Json& json) {
    report::SlowJob job;
    job.id = text_of(json, "job");
    job.name = text_of(json, "name");
    job.user = text_of(json, "user");
    job.queue = text_of(json, "pool");
    if (job.queue.empty()) job.queue = text_of(json, "queue");
    job.state = text_of(json, "state");
    job.submitted_at = number_of(json, "submitted_at_ms");
    if (const auto started = maybe_number_of(json, "started_at_ms")) {
      job.wait_ms = std::max<std::int64_t>(0, *started - job.submitted_at);
    }
    for (const char* kind : {"maps", "reduces"}) {
      const Json& tasks = part_of(json, kind);
      job.lost_attempts += static_cast<std::uint64_t>(number_of(tasks, "failed_attempts") +
                                                      number_of(tasks, "killed_attempts"));
    }
    job.maps = static_cast<std::uint64_t>(number_of(part_of(json, "maps"), "total"));
    for (const Json& group : part_of(json, "groups")) {  // of an application
      const Json& tasks = part_of(group, "tasks");
      job.maps += static_cast<std::uint64_t>(number_of(tasks, "total"));
      job.lost_attempts += static_cast<std::uint64_t>(number_of(tasks, "failed_attempts") +
                                                      number_of(tasks, "killed_attempts"));
    }
    job.reduces = static_cast<std::uint64_t>(number_of(part_of(json, "reduces"), "total"));
    const auto finished = maybe_number_of(json, "finished_at_ms");
    if (finished && *finished < since_) return;
    report::QueueTotals& queue = tally_.totals(job.queue);
    if (job.wait_ms) queue.waits.push_back(*job.wait_ms);
    if (!finished) {
      ++queue.unfinished;
      return;
    }
    job.response_ms = std::max<std::int64_t>(0, *finished - job.submitted_at);
    tally_.add_end(job);
  }

  void read_kills() {
    try {
      each(fmt::format("/api/v1/decisions?kind=kill&since={}&limit=1000", since_), "kills",
           [&](const Json& kill) { take_kill(kill); });
    } catch (const ApiRefused& refused) {
      if (refused.status() != 404) throw;
      made_.notes.emplace_back("This JobTracker does not tell its decisions: kills are not known.");
    }
  }

  void take_kill(const Json& kill) {
    const std::string reason = text_of(kill, "reason");
    if (reason != "reclaim" && reason != "min_share" && reason != "fair_share") return;
    const std::int64_t at = number_of(kill, "t"), ran = number_of(kill, "ran_ms");
    const std::int64_t slots = number_of(kill, "slots", 1);
    made_.wasted_seen_slot_s = made_.wasted_seen_slot_s.value_or(0) +
                               static_cast<double>(seen_of(at - ran, at) * slots) / 1000;
    tally_.add_kill({.victim = text_of(kill, "queue"),
                     .claimant = text_of(kill, "for"),
                     .reason = reason,
                     .at = std::min(at, now_ - 1),
                     .wasted_slot_s = had_by(kill, ran)});
  }

  // What it had had of each class, or of each dimension.
  std::vector<double> had_by(const Json& kill, std::int64_t ran) const {
    const auto time = [ran](std::int64_t of) { return static_cast<double>(ran * of) / 1000; };
    std::vector<double> had;
    if (dimensions_.empty()) {
      had.resize(kTaskKindCount);
      const TaskKind kind =
          text_of(kill, "class") == name(TaskKind::kReduce) ? TaskKind::kReduce : TaskKind::kMap;
      had[index(kind)] = time(number_of(kill, "slots", 1));
    }
    for (const std::string& dimension : dimensions_)
      had.push_back(time(number_of(part_of(kill, "container"), dimension.c_str())));
    return had;
  }

  report::Report finish() {
    made_.from = since_;
    made_.to = now_;
    made_.wall_clock = true;
    tally_.hand_over(now_, made_);
    made_.notes.emplace_back(
        "Times without figures are those in which the JobTracker did not run, the seconds after a "
        "start in which it waited for its trackers and, where it was killed, the last seconds "
        "before.");
    return std::move(made_);
  }

  HttpClient& client_;
  std::int64_t since_, now_;
  const Step& step_;
  report::Tally tally_;
  report::Report made_;
  std::vector<std::string> dimensions_;  // empty: slots count
  std::vector<std::string> leaves_;
  std::set<TimeMs> guaranteed_at_;  // some queue was guaranteed something then
  std::set<std::int64_t> seen_;  // jobs
  std::vector<std::pair<TimeMs, TimeMs>> seen_times_;
};

}  // namespace

report::Report read_report(HttpClient& client, std::int64_t since_ms, std::int64_t now_ms) {
  return Reader(client, since_ms, now_ms).read();
}

}  // namespace weir::live
