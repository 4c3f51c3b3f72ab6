#include "report/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/counted.h"
#include "report/markup.h"
#include "report/percentile.h"

namespace weir::report {
namespace {

constexpr std::size_t kMostRows = 100;

std::vector<DurationMs> sorted(std::vector<DurationMs> times) {
  std::sort(times.begin(), times.end());
  return times;
}

std::string at_percent(const std::vector<DurationMs>& times, std::size_t part) {
  return times.empty() ? "–" : short_duration(percentile(times, part));
}

std::string card(const std::string& value, const std::string& what, const std::string& more) {
  return fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", what, value, more);
}

std::string jobs(std::uint64_t number) {
  return count(number) + (number == 1 ? " job" : " jobs");
}

std::string or_dash(const Report& report, const QueueTotals::Times& times) {
  return times_of(report, times).value_or("–");
}

double of_class(const std::vector<double>& by_class, std::size_t i) {
  return i < by_class.size() ? by_class[i] : 0;
}

QueueTotals sum_of(const Report& report) {
  QueueTotals all;
  all.queue = "all";
  all.used_slot_s.resize(report.classes.size());
  all.lent_slot_s.resize(report.classes.size());
  all.borrowed_slot_s.resize(report.classes.size());
  for (const QueueTotals& queue : report.totals) {
    all.succeeded += queue.succeeded;
    all.failed += queue.failed;
    all.killed += queue.killed;
    all.unfinished += queue.unfinished;
    all.waits.insert(all.waits.end(), queue.waits.begin(), queue.waits.end());
    all.responses.insert(all.responses.end(), queue.responses.begin(), queue.responses.end());
    for (std::size_t kind = 0; kind < report.classes.size(); ++kind) {
      all.used_slot_s[kind] += of_class(queue.used_slot_s, kind);
      const auto add = [kind](auto& sum, const auto& part) {
        if (kind < part.size() && part[kind]) sum[kind] = sum[kind].value_or(0) + *part[kind];
      };
      add(all.lent_slot_s, queue.lent_slot_s);
      add(all.borrowed_slot_s, queue.borrowed_slot_s);
    }
    all.lost += queue.lost;
    add_up(all.wasted_slot_s, queue.wasted_slot_s);
    all.gained += queue.gained;
  }
  return all;
}

std::string totals_row(const Report& report, const QueueTotals& totals, const char* look) {
  const auto waits = sorted(totals.waits);
  const auto responses = sorted(totals.responses);
  std::string use;
  for (std::size_t i = 0; i < report.classes.size(); ++i) {
    const double used = of_class(totals.used_slot_s, i), all = of_class(report.slot_s, i);
    const std::string part =
        all > 0 ? percent(used, all) : time_of(used, report.classes[i].one);
    use += "<td>" + part + "</td>";
  }
  return fmt::format(
      "<tr{}><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>{}"
      "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
      look, escaped(totals.queue), count(totals.jobs()), count(totals.failed + totals.killed),
      count(totals.unfinished), use, or_dash(report, totals.lent_slot_s),
      or_dash(report, totals.borrowed_slot_s), count(totals.lost),
      times_of(report, totals.wasted_slot_s),
      at_percent(waits, 50) + " / " + at_percent(waits, 95),
      at_percent(responses, 50) + " / " + at_percent(responses, 95));
}

std::string more_rows(std::size_t rows) {
  if (rows <= kMostRows) return "";
  return fmt::format("<p class=\"none\">and {} more</p>\n", rows - kMostRows);
}

// The upper ends of the bars of waits; the last bar has none.
struct Edge {
  DurationMs below_ms;
  const char* text;  // of what is at least that long
};
constexpr Edge kEdges[] = {
    {0, "0"},           {1'000, "1s"},      {2'000, "2s"},       {5'000, "5s"},
    {10'000, "10s"},    {20'000, "20s"},    {60'000, "1m"},      {120'000, "2m"},
    {300'000, "5m"},    {600'000, "10m"},   {1'200'000, "20m"},  {3'600'000, "1h"},
    {7'200'000, "2h"},  {18'000'000, "5h"}, {43'200'000, "12h"}, {86'400'000, "1d"}};
constexpr std::size_t kBars = std::size(kEdges);

std::size_t bar_of(DurationMs wait) {
  std::size_t bar = 0;
  while (bar + 1 < kBars && wait >= kEdges[bar + 1].below_ms) ++bar;
  return bar;
}

using Bars = std::array<std::uint64_t, kBars>;

Bars bars_of(const std::vector<DurationMs>& waits) {
  Bars bars{};
  for (const DurationMs wait : waits) ++bars[bar_of(wait)];
  return bars;
}

std::string histogram(const Bars& bars, std::size_t first, std::size_t last, std::uint64_t all) {
  const auto most = static_cast<double>(*std::max_element(bars.begin(), bars.end()));
  std::string rects;
  for (std::size_t i = first; i <= last; ++i) {
    const double high = 100 * static_cast<double>(bars[i]) / most;
    const double least = bars[i] > 0 ? std::max(high, 3.0) : 0;
    const std::string range = i + 1 < kBars
                                  ? fmt::format("{} to {}", kEdges[i].text, kEdges[i + 1].text)
                                  : fmt::format("{} or longer", kEdges[i].text);
    rects += fmt::format(
        "<rect class=\"wait\" x=\"{}\" y=\"{}\" width=\"92\" height=\"{}\"/><rect class=\"hover\" "
        "x=\"{}\" y=\"0\" width=\"100\" height=\"100\"><title>{}: {}, {}</title></rect>",
        100 * (i - first) + 4, number(100 - least), number(least), 100 * (i - first), range,
        jobs(bars[i]), percent(static_cast<double>(bars[i]), static_cast<double>(all)));
  }
  return fmt::format("<svg class=\"bars\" aria-hidden=\"true\" viewBox=\"0 0 {} 100\" "
                     "preserveAspectRatio=\"none\">{}</svg>",
                     100 * (last - first + 1), rects);
}

std::string wait_axis(std::size_t first, std::size_t last) {
  std::string marks;
  const auto bars = static_cast<double>(last - first + 1);
  // On a narrow screen every second is left out.
  for (std::size_t i = first; i <= last; ++i) {
    marks += fmt::format("<span{} style=\"left:{}%\">{}</span>",
                         (i - first) % 2 == 1   ? " class=\"odd\""
                         : i == first ? " class=\"first\""
                                      : "",
                         number(100 * static_cast<double>(i - first) / bars), kEdges[i].text);
  }
  return "<div class=\"waits axis\"><div></div><div class=\"x\">" + marks + "</div></div>\n";
}

std::string thrown_away(const Report& report, const QueueTotals& all) {
  const std::string sum = times_of(report, all.wasted_slot_s) + " thrown away";
  if (!report.slots()) return sum;
  const double used = all.used_slot_s[0] + all.used_slot_s[1];
  const double wasted = in_all(all.wasted_slot_s);
  const double seen = report.wasted_seen_slot_s.value_or(wasted);
  // Use is known by the second: of little use the part can come out as more than all of it.
  if (used <= 0 || seen > used) return sum;
  const bool in_part = report.wasted_seen_slot_s && seen < 0.999 * wasted;
  return fmt::format("{}, {} of what was used{}", sum, percent(seen, used),
                     in_part ? ", where use is known" : "");
}

std::string use_heads(const Report& report) {
  constexpr const char* kUse[] = {"Map", "Reduce"};
  std::string heads;
  for (std::size_t i = 0; i < report.classes.size(); ++i) {
    heads += fmt::format("<th scope=\"col\" title=\"Part of the cluster's {}-time\">{} use</th>",
                         escaped(report.classes[i].one),
                         report.slots() ? kUse[i] : escaped(report.classes[i].name));
  }
  return heads;
}

}  // namespace

std::string headline(const Report& report) {
  const QueueTotals all = sum_of(report);
  const auto waits = sorted(all.waits);
  std::string cards;
  cards += card(count(all.jobs()), "jobs ended",
                fmt::format("{} failed, {} killed, {} not over", count(all.failed),
                            count(all.killed), count(all.unfinished)));
  constexpr const char* kUse[] = {"map slots", "reduce slots"};
  for (std::size_t i = 0; i < report.classes.size(); ++i) {
    const double had = of_class(report.slot_s, i);
    if (had <= 0) continue;
    const Counted& counted = report.classes[i];
    const std::string what = report.slots() ? kUse[i] : counted.name;
    cards += card(percent(all.used_slot_s[i], had), "of the " + escaped(what) + " used",
                  time_of(all.used_slot_s[i], counted.one) + " of " + time_of(had, counted.one));
  }
  cards += card(at_percent(waits, 50), "median wait of a job",
                fmt::format("95% within {}, all within {}", at_percent(waits, 95),
                            at_percent(waits, 100)));
  if (const auto lent = times_of(report, all.lent_slot_s)) {
    const std::string borrowed = or_dash(report, all.borrowed_slot_s) + " borrowed";
    const std::string memory = time_of(all.lent_slot_s[0].value_or(0), report.classes[0].one);
    cards += report.slots() ? card(*lent, "lent by queues", borrowed)
                            : card(memory, "lent by queues", "in all " + *lent + "; " + borrowed);
  }
  cards += card(count(all.lost), "tasks killed for other queues", thrown_away(report, all));
  return "<dl class=\"cards\">" + cards + "</dl>\n";
}

std::string totals_table(const Report& report) {
  std::string rows;
  std::size_t shown = 0;
  for (const QueueTotals& totals : report.totals) {
    if (++shown <= kMostRows) rows += totals_row(report, totals, "");
  }
  rows += totals_row(report, sum_of(report), " class=\"sum\"");
  return "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Totals by queue\">"
         "<table><thead><tr><th scope=\"col\">Queue</th>"
         "<th scope=\"col\" title=\"Jobs that ended\">Jobs</th>"
         "<th scope=\"col\">Failed, killed</th><th scope=\"col\">Not over</th>" +
         use_heads(report) +
         "<th scope=\"col\" title=\"Of its guarantee, allocated to others\">Lent</th>"
         "<th scope=\"col\" title=\"Running beyond its guarantee\">Borrowed</th>"
         "<th scope=\"col\" title=\"Killed for other queues\">Tasks lost</th>"
         "<th scope=\"col\" title=\"Slot-time of the tasks lost\">Thrown away</th>"
         "<th scope=\"col\" title=\"Submission to first launch: half of the jobs, and 95%\">"
         "Wait 50 / 95%</th>"
         "<th scope=\"col\" title=\"Submission to end: half of the jobs, and 95%\">"
         "Response 50 / 95%</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n" + more_rows(report.totals.size());
}

std::string wait_charts(const Report& report) {
  std::size_t first = kBars, last = 0, rows = 0;
  std::string text;
  for (const QueueTotals& totals : report.totals) {
    for (const DurationMs wait : totals.waits) {
      first = std::min(first, bar_of(wait));
      last = std::max(last, bar_of(wait));
    }
  }
  if (first > last) return "<p class=\"none\">No job was launched in this time.</p>\n";
  // Bars of a few classes only would be as wide as the page.
  while (last - first < 7 && last + 1 < kBars) ++last;
  for (const QueueTotals& totals : report.totals) {
    if (totals.waits.empty() || ++rows > kMostRows) continue;
    const auto waits = sorted(totals.waits);
    text += fmt::format(
        "<div class=\"waits\"><div><b>{}</b><small>{} · 50% {} · 95% {} · longest {}</small>"
        "</div>{}</div>\n",
        escaped(totals.queue), jobs(waits.size()), at_percent(waits, 50), at_percent(waits, 95),
        at_percent(waits, 100), histogram(bars_of(waits), first, last, waits.size()));
  }
  return text + wait_axis(first, last) + more_rows(rows);
}

std::string kill_table(const Report& report) {
  if (report.kills.empty()) return "<p class=\"none\">No task was killed for another queue.</p>\n";
  std::string rows;
  std::size_t shown = 0;
  for (const Kills& kills : report.kills) {
    if (++shown > kMostRows) break;
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"text\">{}</td><td "
                        "class=\"text\">{}</td><td>{}</td><td>{}</td></tr>\n",
                        escaped(kills.victim), escaped(kills.claimant), escaped(kills.reason),
                        count(kills.count), times_of(report, kills.wasted_slot_s));
  }
  return "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Tasks killed\"><table>"
         "<thead><tr><th scope=\"col\">Lost by</th><th scope=\"col\" class=\"text\">For</th>"
         "<th scope=\"col\" class=\"text\">Why</th><th scope=\"col\">Tasks</th>"
         "<th scope=\"col\">Thrown away</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n" + more_rows(report.kills.size());
}

std::string slow_jobs(const Report& report) {
  if (report.slowest.empty()) return "<p class=\"none\">No job ended in this time.</p>\n";
  const auto longest = static_cast<double>(std::max<DurationMs>(report.slowest[0].response_ms, 1));
  std::string rows;
  for (const SlowJob& job : report.slowest) {
    const double wait = static_cast<double>(job.wait_ms.value_or(job.response_ms));
    const double run = static_cast<double>(job.response_ms) - wait;
    rows += fmt::format(
        "<tr><th scope=\"row\">{}<small>{}</small></th><td class=\"text\">{}<small>{}</small></td>"
        "<td class=\"text\">{}</td><td class=\"bar\"><svg aria-hidden=\"true\" viewBox=\"0 0 1000 "
        "10\" preserveAspectRatio=\"none\"><rect class=\"waited\" width=\"{}\" height=\"10\"/>"
        "<rect class=\"ran\" x=\"{}\" width=\"{}\" height=\"10\"/></svg></td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td></tr>\n",
        escaped(job.id), job.name == job.id ? "" : escaped(job.name), escaped(job.queue),
        escaped(job.user), escaped(job.state), number(1000 * wait / longest),
        number(1000 * wait / longest), number(1000 * run / longest),
        short_duration(job.response_ms), job.wait_ms ? short_duration(*job.wait_ms) : "never ran",
        escaped(moment(job.submitted_at, report.wall_clock)),
        fmt::format("{} + {}", count(job.maps), count(job.reduces)), count(job.lost_attempts));
  }
  return "<ul class=\"legend\"><li><i class=\"waited\"></i>until its first task was launched</li>"
         "<li><i class=\"ran\"></i>from then to its end</li></ul>\n"
         "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Slowest jobs\">"
         "<table class=\"slow\"><thead><tr><th scope=\"col\">Job</th>"
         "<th scope=\"col\" class=\"text\">Queue, user</th>"
         "<th scope=\"col\" class=\"text\">End</th>"
         "<th scope=\"col\" class=\"bar\"></th><th scope=\"col\">Response</th>"
         "<th scope=\"col\">Wait</th><th scope=\"col\">Submitted</th>"
         "<th scope=\"col\" title=\"Maps and reduces\">Tasks</th>"
         "<th scope=\"col\" title=\"Attempts that failed or were killed\">Attempts lost</th></tr>"
         "</thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

}  // namespace weir::report
