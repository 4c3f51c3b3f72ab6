#include "report/timeline.h"

#include <algorithm>

#include "report/counted.h"

namespace weir::report {

void Timeline::Sums::add(const Figures& figures, double ms) {
  running += figures.running * ms;
  pending += figures.pending * ms;
  if (figures.guaranteed) {
    guaranteed += *figures.guaranteed * ms;
    allocated += figures.allocated.value_or(0) * ms;
    lent += figures.lent.value_or(0) * ms;
    borrowed += figures.borrowed.value_or(0) * ms;
    guarantee_ms += ms;
  }
  if (figures.share) {
    share += *figures.share * ms;
    share_ms += ms;
  }
}

void Timeline::Sums::add(const Sums& other) {
  running += other.running;
  pending += other.pending;
  guaranteed += other.guaranteed;
  allocated += other.allocated;
  lent += other.lent;
  borrowed += other.borrowed;
  guarantee_ms += other.guarantee_ms;
  share += other.share;
  share_ms += other.share_ms;
}

void Timeline::Span::add(const Span& other) {
  if (of.size() < other.of.size()) of.resize(other.of.size());
  for (std::size_t i = 0; i < other.of.size(); ++i) of[i].add(other.of[i]);
  kills += other.kills;
  add_up(wasted_slot_s, other.wasted_slot_s);
}

void Timeline::halve() {
  span_ms_ *= 2;
  for (auto& [queue, spans] : queues_) {
    const std::size_t half = (spans.size() + 1) / 2;
    for (std::size_t i = 0; i < half; ++i) {
      if (i > 0) spans[i] = spans[2 * i];
      if (2 * i + 1 < spans.size()) spans[i].add(spans[2 * i + 1]);
    }
    spans.resize(half);
    spans.shrink_to_fit();
  }
}

void Timeline::fit(TimeMs at) {
  while (at > start_ + span_ms_ * static_cast<DurationMs>(most_)) halve();
}

Timeline::Spans& Timeline::spans_of(const std::string& queue) {
  if (const auto found = queues_.find(queue); found != queues_.end()) return found->second;
  while (most_ / 2 >= kLeastPoints && (queues_.size() + 1) * most_ > kMostPointsInAll) {
    most_ /= 2;
    halve();
  }
  return queues_[queue];
}

Timeline::Span& Timeline::span(Spans& spans, std::size_t place) {
  if (place >= spans.size()) spans.resize(place + 1);
  return spans[place];
}

void Timeline::add(const std::string& queue, std::size_t of, TimeMs from, TimeMs to,
                   const Figures& figures) {
  from = std::max(from, start_);
  if (to <= from) return;
  classes_ = std::max(classes_, of + 1);
  fit(to);
  Spans& spans = spans_of(queue);
  while (from < to) {
    const DurationMs place = (from - start_) / span_ms_;
    const TimeMs until = std::min(to, start_ + (place + 1) * span_ms_);
    Span& here = span(spans, static_cast<std::size_t>(place));
    if (here.of.size() <= of) here.of.resize(of + 1);
    here.of[of].add(figures, static_cast<double>(until - from));
    from = until;
  }
}

void Timeline::add_kill(const std::string& queue, TimeMs at,
                        const std::vector<double>& wasted_slot_s) {
  at = std::max(at, start_);
  fit(at + 1);
  Spans& spans = spans_of(queue);
  Span& found = span(spans, static_cast<std::size_t>((at - start_) / span_ms_));
  ++found.kills;
  add_up(found.wasted_slot_s, wasted_slot_s);
}

Series Timeline::series(const std::string& queue, TimeMs end) const {
  Series series;
  series.queue = queue;
  const auto found = queues_.find(queue);
  for (TimeMs from = start_; from < end; from += span_ms_) {
    Point point;
    point.of.resize(classes_);
    point.from = from;
    point.to = std::min(end, from + span_ms_);
    const auto ms = static_cast<double>(point.to - point.from);
    const std::size_t place = series.points.size();
    if (found != queues_.end() && place < found->second.size()) {
      const Span& span = found->second[place];
      point.kills = span.kills;
      point.wasted_slot_s = span.wasted_slot_s;
      for (std::size_t i = 0; i < span.of.size(); ++i) {
        const Sums& sums = span.of[i];
        Figures& figures = point.of[i];
        figures.running = sums.running / ms;
        figures.pending = sums.pending / ms;
        if (sums.guarantee_ms > 0) {
          figures.guaranteed = sums.guaranteed / sums.guarantee_ms;
          figures.allocated = sums.allocated / sums.guarantee_ms;
          figures.lent = sums.lent / sums.guarantee_ms;
          figures.borrowed = sums.borrowed / sums.guarantee_ms;
        }
        if (sums.share_ms > 0) figures.share = sums.share / sums.share_ms;
      }
    }
    series.points.push_back(point);
  }
  return series;
}

std::vector<std::string> Timeline::queues() const {
  std::vector<std::string> names;
  for (const auto& [queue, spans] : queues_) names.push_back(queue);
  return names;
}

std::vector<Timeline::Sums> Timeline::sum(const std::string& queue) const {
  Span all;
  if (const auto found = queues_.find(queue); found != queues_.end()) {
    for (const Span& span : found->second) all.add(span);
  }
  return all.of;
}

QueueTotals::Times Timeline::lent_slot_s(const std::string& queue) const {
  QueueTotals::Times times;
  for (const Sums& sums : sum(queue))
    times.push_back(sums.guarantee_ms > 0 ? std::optional(sums.lent / 1000) : std::nullopt);
  return times;
}

QueueTotals::Times Timeline::borrowed_slot_s(const std::string& queue) const {
  QueueTotals::Times times;
  for (const Sums& sums : sum(queue))
    times.push_back(sums.guarantee_ms > 0 ? std::optional(sums.borrowed / 1000) : std::nullopt);
  return times;
}

}  // namespace weir::report
