#include "tracker/series/series_book.h"

#include <algorithm>
#include <utility>

namespace weir {
namespace {

constexpr DurationMs kClockMayStepBack = 120'000;
constexpr DurationMs kTidyGap = 60'000;

DurationMs kept_ms(const SeriesStep& step) {
  return step.ms * step.points;
}

constexpr std::int64_t SeriesFigures::*kThousandths[] = {&SeriesFigures::running_thousandths,
                                                        &SeriesFigures::lent_thousandths,
                                                        &SeriesFigures::borrowed_thousandths};

void add(const SeriesFigures& from, SeriesFigures& to) {
  to.guaranteed += from.guaranteed;
  to.allocated += from.allocated;
  to.running += from.running;
  to.pending += from.pending;
  to.share = from.share < 0 ? to.share : std::max<std::int64_t>(to.share, 0) + from.share;
  to.claims = std::max(to.claims, from.claims);
  to.kills += from.kills;
  for (const auto of : kThousandths)  // of all points, or of none
    to.*of = from.*of < 0 || to.*of < 0 ? -1 : to.*of + from.*of;
}

std::int64_t rounded(std::int64_t sum, std::int64_t of) {
  return (sum + of / 2) / of;
}

SeriesView::Figures figures_of(const SeriesFigures& figures) {
  SeriesView::Figures out{figures.guaranteed, figures.allocated, figures.running, figures.pending,
                          std::nullopt,       figures.claims,    figures.kills};
  const auto known = [](std::int64_t figure) {
    return figure < 0 ? std::nullopt : std::optional(figure);
  };
  out.share_thousandths = known(figures.share);
  out.running_thousandths = known(figures.running_thousandths);
  out.lent_thousandths = known(figures.lent_thousandths);
  out.borrowed_thousandths = known(figures.borrowed_thousandths);
  return out;
}

SeriesView::Point point_of(const SeriesPoint& point) {
  return {point.at, figures_of(point.of[index(TaskKind::kMap)]),
          figures_of(point.of[index(TaskKind::kReduce)])};
}

}  // namespace

SeriesPoint SeriesBook::mean(const Open& open) {
  SeriesPoint out = open.sum;
  out.at = open.start;
  for (std::size_t kind = 0; kind < kTaskKindCount; ++kind) {
    SeriesFigures& figures = out.of[kind];
    figures.guaranteed = rounded(figures.guaranteed, open.points);
    figures.allocated = rounded(figures.allocated, open.points);
    figures.running = rounded(figures.running, open.points);
    figures.pending = rounded(figures.pending, open.points);
    if (figures.share >= 0) figures.share = rounded(figures.share, open.shares[kind]);
    for (const auto of : kThousandths)
      if (figures.*of >= 0) figures.*of = rounded(figures.*of, open.points);
  }
  return out;
}

// --- Writing ---

bool SeriesBook::sample(TimeMs now, const std::vector<SeriesSample>& queues) {
  if (now + kClockMayStepBack < last_sample_) forget_future(now);
  const TimeMs at = now - now % kSeriesSteps[0].ms;
  if (at <= last_sample_) return false;
  last_sample_ = at;
  for (const SeriesSample& sample : queues) {
    Queue* queue = find_or_add(sample.queue, now);
    if (queue == nullptr) continue;
    queue->seen = now;
    SeriesPoint point{at, sample.of};
    append(queue->rings[0], 0, point);
    gather(*queue, 1, point, true);
  }
  if (now >= tidied_ + kTidyGap) {
    tidied_ = now;
    forget_old(now);
  }
  keep_within_bytes();
  return true;
}

SeriesBook::Queue* SeriesBook::find_or_add(const std::string& name, TimeMs now) {
  if (const auto found = queues_.find(name); found != queues_.end()) return &found->second;
  if (queues_.size() >= limits_.queues) {
    const auto oldest =
        std::min_element(queues_.begin(), queues_.end(), [](const auto& a, const auto& b) {
          return a.second.seen < b.second.seen;
        });
    if (oldest->second.seen + 2 * kSeriesSteps[0].ms >= now) return nullptr;  // all are there
    for (Ring& ring : oldest->second.rings) {
      while (!ring.chunks.empty()) drop_front(ring);
    }
    queues_.erase(oldest);
  }
  return &queues_[name];
}

void SeriesBook::append(Ring& ring, std::size_t step, const SeriesPoint& point) {
  if (point.at <= ring.last) return;
  const DurationMs ms = kSeriesSteps[step].ms;
  if (ring.chunks.empty() || point.at >= ring.chunks.back().end()) {
    if (!ring.chunks.empty()) ring.chunks.back().seal();
    ring.chunks.emplace_back(ms, SeriesChunk::start_of(ms, point.at));
    bytes_ += sizeof(SeriesChunk);
  }
  SeriesChunk& chunk = ring.chunks.back();
  const std::size_t before = chunk.bytes().size();
  chunk.add(point);
  bytes_ += chunk.bytes().size() - before;
  ring.last = point.at;
}

// A point of the next finer step. When the step that it does not belong to any more is closed, the
// next coarser one gathers that, if `further`.
void SeriesBook::gather(Queue& queue, std::size_t step, const SeriesPoint& point, bool further) {
  const DurationMs ms = kSeriesSteps[step].ms;
  const TimeMs start = point.at - point.at % ms;
  Open& open = queue.rings[step].open;
  if (open.points > 0 && open.start != start) close(queue, step, further);
  if (open.points == 0) {
    open = Open{.start = start};
    for (SeriesFigures& sum : open.sum.of)
      for (const auto of : kThousandths) sum.*of = 0;
  }
  ++open.points;
  for (std::size_t kind = 0; kind < kTaskKindCount; ++kind) {
    add(point.of[kind], open.sum.of[kind]);
    open.shares[kind] += point.of[kind].share >= 0 ? 1 : 0;
  }
}

void SeriesBook::close(Queue& queue, std::size_t step, bool further) {
  const SeriesPoint closed = mean(queue.rings[step].open);
  queue.rings[step].open.points = 0;
  append(queue.rings[step], step, closed);
  if (further && step + 1 < kSeriesStepCount) gather(queue, step + 1, closed, true);
}

void SeriesBook::drop_front(Ring& ring) {
  bytes_ -= sizeof(SeriesChunk) + ring.chunks.front().bytes().size();
  ring.chunks.pop_front();
}

// A piece leaves when all of it is too old; a queue that is gone has no step that goes on.
void SeriesBook::forget_old(TimeMs now) {
  for (auto queue = queues_.begin(); queue != queues_.end();) {
    bool empty = true;
    for (std::size_t step = 1; step < kSeriesStepCount; ++step) {
      const bool gone = queue->second.seen + kTidyGap < now;
      if (gone && queue->second.rings[step].open.points > 0) close(queue->second, step, true);
    }
    for (std::size_t step = 0; step < kSeriesStepCount; ++step) {
      Ring& ring = queue->second.rings[step];
      const TimeMs before = now - kept_ms(kSeriesSteps[step]);
      while (!ring.chunks.empty() && ring.chunks.front().end() <= before) drop_front(ring);
      empty = empty && ring.chunks.empty();
    }
    queue = empty ? queues_.erase(queue) : std::next(queue);
  }
}

void SeriesBook::forget_future(TimeMs now) {
  last_sample_ = 0;
  for (auto& [name, queue] : queues_) {
    queue.seen = std::min(queue.seen, now);
    for (Ring& ring : queue.rings) {
      while (!ring.chunks.empty() && ring.chunks.back().last() > now) {
        bytes_ -= sizeof(SeriesChunk) + ring.chunks.back().bytes().size();
        ring.chunks.pop_back();
      }
      ring.last = ring.chunks.empty() ? 0 : ring.chunks.back().last();
      ring.open.points = 0;
    }
  }
}

// The oldest pieces first: those of the coarsest step that is there.
void SeriesBook::keep_within_bytes() {
  for (std::size_t step = kSeriesStepCount; step-- > 0 && bytes_ > limits_.bytes;) {
    while (bytes_ > limits_.bytes) {
      TimeMs oldest = kNever;
      for (const auto& [name, queue] : queues_) {
        const auto& chunks = queue.rings[step].chunks;
        if (chunks.size() > 1) oldest = std::min(oldest, chunks.front().start());
      }
      if (oldest == kNever) break;
      for (auto& [name, queue] : queues_) {
        Ring& ring = queue.rings[step];
        if (ring.chunks.size() > 1 && ring.chunks.front().start() == oldest) drop_front(ring);
      }
    }
  }
}

// --- Reading ---

std::vector<std::string> SeriesBook::queues() const {
  std::vector<std::string> out;
  for (const auto& [name, queue] : queues_) out.push_back(name);
  return out;
}

Result<SeriesView> SeriesBook::read(const SeriesQuery& query, TimeMs now) const {
  std::size_t step = 0;
  if (query.step.empty()) {
    while (step + 1 < kSeriesStepCount && now - kept_ms(kSeriesSteps[step]) > query.since) ++step;
  } else {
    while (step < kSeriesStepCount && query.step != kSeriesSteps[step].name) ++step;
  }
  if (step == kSeriesStepCount) {
    return Error{ErrorCode::kBadRequest, "no series has the step '" + query.step + "'",
                 "1s, 10s, 1m or 15m", {}};
  }
  const auto found = queues_.find(query.queue);
  // Of the cluster there are figures, if none yet.
  if (found == queues_.end() && query.queue == "root")
    return SeriesView{"root", kSeriesSteps[step].ms, {}};
  if (found == queues_.end()) {
    return Error{ErrorCode::kUnknownQueue, "there are no figures of a queue '" + query.queue + "'",
                 "a queue that there is, or was in the last 60 days, by its whole path; or root",
                 {}};
  }
  SeriesView out;
  out.queue = query.queue;
  out.step_ms = kSeriesSteps[step].ms;
  const Ring& ring = found->second.rings[step];
  for (const SeriesChunk& chunk : ring.chunks) {
    if (chunk.end() <= query.since) continue;
    chunk.each([&](const SeriesPoint& point) {
      if (point.at + out.step_ms > query.since) out.points.push_back(point_of(point));
    });
  }
  if (ring.open.points > 0 && ring.open.start > ring.last &&
      ring.open.start + out.step_ms > query.since)
    out.points.push_back(point_of(mean(ring.open)));
  return out;
}

// --- The store ---

SeriesWrite SeriesBook::changed(TimeMs now, std::size_t most) {
  SeriesWrite out;
  for (const SeriesStep& step : kSeriesSteps)
    out.keep.push_back({step.ms, now - kept_ms(step) - step.ms * SeriesChunk::kSteps});
  for (auto at = queues_.upper_bound(handed_over_); at != queues_.end(); ++at) {
    for (Ring& ring : at->second.rings) {
      auto chunk = ring.chunks.end();  // those that changed are the last
      while (chunk != ring.chunks.begin() && std::prev(chunk)->changed()) --chunk;
      for (; chunk != ring.chunks.end(); ++chunk) {
        if (out.rows.size() == most) return out;
        const auto step = (chunk->end() - chunk->start()) / SeriesChunk::kSteps;
        out.rows.push_back({step, chunk->start(), at->first, chunk->bytes()});
        chunk->written();
      }
    }
    handed_over_ = at->first;
  }
  handed_over_.clear();
  return out;
}

void SeriesBook::restore(const SeriesRow& row, TimeMs now) {
  const auto step = std::find_if(std::begin(kSeriesSteps), std::end(kSeriesSteps),
                                 [&](const SeriesStep& s) { return s.ms == row.step; });
  if (step == std::end(kSeriesSteps) || row.start % (row.step * SeriesChunk::kSteps) != 0) return;
  if (row.start > now || row.start + kept_ms(*step) + row.step * SeriesChunk::kSteps < now) return;
  SeriesChunk chunk = SeriesChunk::read(row.step, row.start, row.data);
  if (chunk.last() == 0 || chunk.last() > now + kClockMayStepBack) return;
  if (!queues_.contains(row.series) && queues_.size() >= limits_.queues) return;
  Queue& queue = queues_[row.series];
  queue.seen = std::max(queue.seen, chunk.last());
  last_sample_ = std::max(last_sample_, chunk.last());
  auto& chunks = queue.rings[static_cast<std::size_t>(step - kSeriesSteps)].chunks;
  const auto place = std::lower_bound(chunks.begin(), chunks.end(), row.start,
                                      [](const SeriesChunk& piece, TimeMs start) {
                                        return piece.start() < start;
                                      });
  if (place != chunks.end() && place->start() == row.start) return;
  bytes_ += sizeof(SeriesChunk) + chunk.bytes().size();
  chunks.insert(place, std::move(chunk));
}

// A step that was not over when the JobTracker ended is made of the finer one's points once more.
void SeriesBook::restored(TimeMs now) {
  for (auto& [name, queue] : queues_) {
    for (Ring& ring : queue.rings) ring.last = ring.chunks.empty() ? 0 : ring.chunks.back().last();
    for (std::size_t step = 1; step < kSeriesStepCount; ++step) {
      const Ring& ring = queue.rings[step];
      const TimeMs from = ring.last == 0 ? 0 : ring.last + kSeriesSteps[step].ms;
      std::vector<SeriesPoint> finer;
      for (const SeriesChunk& chunk : queue.rings[step - 1].chunks) {
        if (chunk.end() <= from) continue;
        chunk.each([&](const SeriesPoint& point) {
          if (point.at >= from) finer.push_back(point);
        });
      }
      Open& open = queue.rings[step].open;
      open = Open{};
      for (const SeriesPoint& point : finer) gather(queue, step, point, false);
      if (open.points > 0 && open.start + kSeriesSteps[step].ms <= now) close(queue, step, false);
    }
  }
  keep_within_bytes();
}

}  // namespace weir
