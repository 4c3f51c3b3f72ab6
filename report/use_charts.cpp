#include "report/use_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/counted.h"
#include "report/markup.h"
#include "report/plot.h"

namespace weir::report {
namespace {

constexpr std::size_t kColours = 9;     // queues with a colour of their own; the others share one
constexpr std::size_t kMostQueues = 40;  // with charts of their own

double used_slot_s(const Series& series, std::size_t kind) {
  double sum = 0;
  for (const Point& point : series.points) {
    sum += point.of[kind].running * static_cast<double>(point.to - point.from) / 1000;
  }
  return sum;
}
// Of all classes; of containers, which are of many units, parts of what the cluster had.
double used_slot_s(const Report& report, const Series& series) {
  double sum = 0;
  for (std::size_t i = 0; i < report.classes.size(); ++i) {
    const double all = i < report.slot_s.size() ? report.slot_s[i] : 0;
    sum += used_slot_s(series, i) / (report.slots() ? 1 : std::max(all, 1.0));
  }
  return sum;
}

double highest(const std::vector<Point>& points, const ValueOf& value) {
  double most = 0;
  for (const Point& point : points) most = std::max(most, value(point));
  return most;
}

// The mean of a figure over some points, as long as they have it.
std::optional<double> mean(const std::vector<Point>& points, const MaybeOf& value) {
  double sum = 0, ms = 0;
  for (const Point& point : points) {
    if (const auto here = value(point)) {
      sum += *here * static_cast<double>(point.to - point.from);
      ms += static_cast<double>(point.to - point.from);
    }
  }
  if (ms <= 0) return std::nullopt;
  return sum / ms;
}

// Queues that ran or wanted something, the largest users first.
std::vector<const Series*> by_use(const Report& report) {
  std::vector<const Series*> queues;
  for (const Series& series : report.queues) queues.push_back(&series);
  std::stable_sort(queues.begin(), queues.end(), [&](const Series* a, const Series* b) {
    return used_slot_s(report, *a) > used_slot_s(report, *b);
  });
  return queues;
}

Plot::Frame frame_of(const Report& report, double top, const char* height, std::string text) {
  Plot::Frame frame;
  frame.from = report.from;
  frame.to = report.to;
  frame.wall_clock = report.wall_clock;
  frame.top = round_above(top);
  frame.height = height;
  frame.description = std::move(text);
  return frame;
}

// The running slots of queues one above the other. All series have the same points.
class Stack {
 public:
  Stack(const std::vector<const Series*>& queues, std::size_t kind) {
    for (std::size_t q = 0; q < queues.size(); ++q) {
      const std::size_t layer = std::min(q, kColours);
      if (layer == layers_.size()) layers_.emplace_back(queues[q]->points.size(), 0.0);
      for (std::size_t i = 0; i < queues[q]->points.size(); ++i) {
        layers_[layer][i] += queues[q]->points[i].of[kind].running;
      }
    }
    for (std::size_t layer = 1; layer < layers_.size(); ++layer) {
      for (std::size_t i = 0; i < layers_[layer].size(); ++i) {
        layers_[layer][i] += layers_[layer - 1][i];
      }
    }
  }
  std::size_t size() const { return layers_.size(); }
  double up_to(std::size_t layer, std::size_t point) const { return layers_[layer][point]; }
  double highest() const {
    double most = 0;
    if (!layers_.empty()) {
      for (const double value : layers_.back()) most = std::max(most, value);
    }
    return most;
  }

 private:
  std::vector<std::vector<double>> layers_;
};

std::string shown_name(const std::string& queue) {
  return queue.empty() ? "(no name)" : escaped(queue);
}

std::string legend(const Report& report, const std::vector<const Series*>& queues) {
  std::string items;
  for (std::size_t q = 0; q < std::min(queues.size(), kColours); ++q) {
    items += fmt::format("<li><i class=\"c{}\"></i>{}</li>", q, shown_name(queues[q]->queue));
  }
  if (queues.size() > kColours) {
    items += fmt::format("<li><i class=\"c{}\"></i>{} more queues</li>", kColours,
                         queues.size() - kColours);
  }
  items += fmt::format("<li><i class=\"total\"></i>{}</li>",
                       report.slots() ? "slots of the cluster" : "what the trackers offer");
  return "<ul class=\"legend\">" + items + "</ul>\n";
}

std::string cluster_chart(const Report& report, const std::vector<const Series*>& queues,
                          std::size_t kind) {
  const auto& points = report.cluster.points;
  const Counted& counted = report.classes[kind];
  const Stack stack(queues, kind);
  const auto total = [&](const Point& point) { return point.of[kind].guaranteed; };
  const double slots = highest(points, [&](const Point& p) { return total(p).value_or(0); });
  if (slots <= 0 && stack.highest() <= 0) return "";
  Plot plot(frame_of(report, std::max(slots, stack.highest()), "tall",
                     fmt::format("{}: {} used by each queue over time", counted.name,
                                 counted.many)));
  const auto layer_of = [&](std::size_t layer) {
    return [&stack, &points, layer](const Point& point) {
      return stack.up_to(layer, static_cast<std::size_t>(&point - points.data()));
    };
  };
  for (std::size_t layer = 0; layer < stack.size(); ++layer) {
    const auto none = [](const Point&) { return 0.0; };
    const ValueOf low = layer == 0 ? ValueOf(none) : ValueOf(layer_of(layer - 1));
    plot.area(points, low, layer_of(layer), fmt::format("c{}", layer));
  }
  plot.line(points, total, "total");
  plot.say(points, 48, [&](const std::vector<Point>& piece) {
    std::string text = fmt::format(
        "{} of {} {} used on average",
        amount(mean(piece, [&](const Point& p) { return p.of[kind].running; }).value_or(0)),
        amount(mean(piece, total).value_or(0)), counted.many);
    for (std::size_t q = 0; q < std::min(queues.size(), kColours); ++q) {
      std::vector<Point> same;
      for (const Point& point : queues[q]->points) {
        if (point.from >= piece.front().from && point.to <= piece.back().to) same.push_back(point);
      }
      const auto used = mean(same, [&](const Point& p) { return p.of[kind].running; });
      if (used && *used > 0.05) text += fmt::format("\n{}: {}", queues[q]->queue, amount(*used));
    }
    return text;
  });
  double used = 0;
  for (const QueueTotals& totals : report.totals)
    used += kind < totals.used_slot_s.size() ? totals.used_slot_s[kind] : 0;
  return fmt::format("<h3>{} <small>{} of {} used, {}</small></h3>\n", escaped(counted.name),
                     time_of(used, counted.one), time_of(report.slot_s[kind], counted.one),
                     percent(used, report.slot_s[kind])) +
         plot.html();
}

std::string queue_saying(const std::vector<Point>& piece, std::size_t kind) {
  const auto figure = [&](const char* what, const MaybeOf& value) {
    const auto is = mean(piece, value);
    return is ? fmt::format("\n{}: {}", what, amount(*is)) : std::string();
  };
  return fmt::format("running: {}", amount(mean(piece, [&](const Point& p) {
                                             return p.of[kind].running;
                                           }).value_or(0))) +
         figure("guaranteed", [&](const Point& p) { return p.of[kind].guaranteed; }) +
         figure("fair share", [&](const Point& p) { return p.of[kind].share; }) +
         figure("lent", [&](const Point& p) { return p.of[kind].lent; }) +
         figure("borrowed", [&](const Point& p) { return p.of[kind].borrowed; }) +
         figure("waiting", [&](const Point& p) { return p.of[kind].pending; });
}

std::string queue_chart(const Report& report, const Series& series, std::size_t kind) {
  const auto& points = series.points;
  const Counted& counted = report.classes[kind];
  const auto running = [&](const Point& p) { return p.of[kind].running; };
  const auto guaranteed = [&](const Point& p) { return p.of[kind].guaranteed; };
  const auto own = [&](const Point& p) {
    return p.of[kind].running - p.of[kind].borrowed.value_or(0);
  };
  const double pending = highest(points, [&](const Point& p) { return p.of[kind].pending; });
  const double top = std::max({highest(points, running),
                               highest(points, [&](const Point& p) {
                                 return p.of[kind].guaranteed.value_or(0);
                               }),
                               highest(points, [&](const Point& p) {
                                 return p.of[kind].share.value_or(0);
                               })});
  if (highest(points, running) <= 0 && pending <= 0) return "";
  Plot plot(frame_of(report, top, "middle",
                     fmt::format("{} of queue {}: {} used against its guarantee over time",
                                 counted.name, series.queue, counted.many)));
  plot.area(
      points,
      [&](const Point& p) {
        return p.of[kind].guaranteed.value_or(0) - p.of[kind].lent.value_or(0);
      },
      [&](const Point& p) { return p.of[kind].guaranteed.value_or(0); }, "lent");
  plot.area(points, [](const Point&) { return 0.0; }, own, "own");
  plot.area(points, own, running, "borrowed");
  plot.line(points, [&](const Point& p) { return p.of[kind].share; }, "share");
  plot.line(points, guaranteed, "guarantee");
  plot.say(points, 40, [&](const auto& piece) { return queue_saying(piece, kind); });
  std::string text = fmt::format("<h4>{}</h4>\n", escaped(counted.name));
  if (pending > 0) {
    Plot::Frame frame =
        frame_of(report, pending, "strip",
                 fmt::format("{} of queue {} that wait", counted.name, series.queue));
    frame.times = 0;
    Plot waiting(std::move(frame));
    waiting.area(
        points, [](const Point&) { return 0.0; },
        [&](const Point& p) { return p.of[kind].pending; }, "pending");
    text += waiting.html();
  }
  return text + plot.html();
}

const QueueTotals* totals_of(const Report& report, const std::string& queue) {
  for (const QueueTotals& totals : report.totals) {
    if (totals.queue == queue) return &totals;
  }
  return nullptr;
}

std::string queue_card(const Report& report, const Series& series) {
  std::string charts;
  for (std::size_t i = 0; i < report.classes.size(); ++i) charts += queue_chart(report, series, i);
  if (charts.empty()) return "";
  std::string line;
  if (const QueueTotals* totals = totals_of(report, series.queue)) {
    line = times_of(report, totals->used_slot_s) + " used";
    if (const auto lent = times_of(report, totals->lent_slot_s)) {
      line += fmt::format(" · {} lent · {} borrowed", *lent,
                          times_of(report, totals->borrowed_slot_s).value_or("–"));
    }
    if (totals->lost > 0) {
      line += fmt::format(" · {} tasks lost to others", count(totals->lost));
    }
  }
  return fmt::format("<figure class=\"queue\"><figcaption><b>{}</b><span>{}</span></figcaption>{}"
                     "</figure>\n",
                     shown_name(series.queue), line, charts);
}

}  // namespace

std::string cluster_charts(const Report& report) {
  const auto queues = by_use(report);
  std::string charts;
  for (std::size_t i = 0; i < report.classes.size(); ++i)
    charts += cluster_chart(report, queues, i);
  if (charts.empty())
    return fmt::format("<p class=\"none\">No {} in this time.</p>\n",
                       report.slots() ? "slots" : "trackers");
  return legend(report, queues) + charts;
}

std::string queue_charts(const Report& report) {
  std::string cards;
  std::size_t shown = 0, left_out = 0;
  bool guarantees = false, shares = false;
  for (const Series* series : by_use(report)) {
    if (shown == kMostQueues) {
      left_out += used_slot_s(report, *series) > 0;
      continue;
    }
    const std::string card = queue_card(report, *series);
    shown += !card.empty();
    cards += card;
    for (const Point& point : series->points) {
      for (const Figures& of : point.of) {
        guarantees = guarantees || of.guaranteed;
        shares = shares || of.share;
      }
    }
  }
  if (cards.empty()) return "<p class=\"none\">No queue ran or wanted anything.</p>\n";
  std::string key = "<li><i class=\"own\"></i>running</li>";
  if (guarantees) {
    key =
        "<li><i class=\"own\"></i>running, within the guarantee</li><li><i class=\"borrowed\"></i>"
        "borrowed: running beyond it</li><li><i class=\"lent\"></i>lent: guaranteed, allocated to "
        "others</li><li><i class=\"guarantee\"></i>guaranteed</li>";
  }
  if (shares) key += "<li><i class=\"share\"></i>fair share</li>";
  key += fmt::format(
      "<li><i class=\"pending\"></i>waiting for {} (the strip above, own scale)</li>",
      report.slots() ? "a slot" : "room");
  if (left_out > 0) {
    cards += fmt::format("<p class=\"none\">{} more queues are in the table of totals.</p>\n",
                         left_out);
  }
  return "<ul class=\"legend\">" + key + "</ul>\n<div class=\"queues\">" + cards + "</div>\n";
}

std::string kill_chart(const Report& report) {
  Series sum = report.cluster;
  for (const Series& series : report.queues) {
    for (std::size_t i = 0; i < std::min(sum.points.size(), series.points.size()); ++i) {
      sum.points[i].kills += series.points[i].kills;
      add_up(sum.points[i].wasted_slot_s, series.points[i].wasted_slot_s);
    }
  }
  const auto kills = [](const Point& p) { return p.kills; };
  const double most = highest(sum.points, kills);
  if (most <= 0) return "";
  Plot plot(frame_of(report, most, "middle", "Tasks killed for other queues over time"));
  plot.bars(sum.points, kills, "kill");
  plot.say(sum.points, 48, [&](const std::vector<Point>& piece) {
    double count = 0;
    std::vector<double> wasted;
    for (const Point& point : piece) {
      count += point.kills;
      add_up(wasted, point.wasted_slot_s);
    }
    return fmt::format("{} tasks killed, {} thrown away", amount(count),
                       times_of(report, wasted));
  });
  return plot.html();
}

}  // namespace weir::report
