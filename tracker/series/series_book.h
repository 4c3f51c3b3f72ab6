// The figures of all queues over time, at four steps: 1 s for 10 minutes, 10 s for 3 hours, 1 min
// for 2 days, 15 min for 60 days. A point of a coarse step is made of those of the finer one: the
// mean of guaranteed, allocated, running, pending and share, the most slots that claims were owed,
// the sum of kills; of running, lent and borrowed also in thousandths, so that what is short or
// small is not rounded away. Where nothing was seen there is no point.
//
// A queue at rest takes 25 KiB when its 60 days are full, one whose figures change with every point
// 220 KiB; 1,000 queues, of which a fifth is busy, about 65 MiB. All together take at most
// SeriesLimits::bytes: beyond that the oldest pieces go first, so the 60 days become fewer. At most
// SeriesLimits::queues are there, of which those that are gone for longest make room; what no
// queue has had for 60 days leaves. `root` stands for the cluster: guaranteed are its slots, the
// rest is summed up over the leaves.
//
// Time is the wall clock, as an argument. Set back by a little, nothing is noted until it has
// caught up; by more than two minutes, what lies in its future is forgotten. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/result.h"
#include "jobqueue/store/series_rows.h"
#include "tracker/series/series_chunk.h"
#include "views/series_view.h"

namespace weir {

struct SeriesStep {
  const char* name;
  DurationMs ms;
  std::int64_t points;  // that are kept
};
inline constexpr SeriesStep kSeriesSteps[] = {
    {"1s", 1'000, 600}, {"10s", 10'000, 1'080}, {"1m", 60'000, 2'880}, {"15m", 900'000, 5'760}};
inline constexpr std::size_t kSeriesStepCount = 4;

struct SeriesLimits {
  std::size_t queues = 8'000;  // series of them: of containers each has one for two dimensions
  std::size_t bytes = 96 << 20;
};

struct SeriesSample {
  std::string queue;
  std::array<SeriesFigures, kTaskKindCount> of{};
};

struct SeriesQuery {
  std::string queue;  // dotted path, or root
  TimeMs since = 0;
  std::string step;  // 1s 10s 1m 15m; empty: the finest that goes back as far as `since`
};

class SeriesBook {
 public:
  explicit SeriesBook(SeriesLimits limits = {}) : limits_(limits) {}

  // All queues there are, at one moment; false: this second has been noted already.
  bool sample(TimeMs now, const std::vector<SeriesSample>& queues);

  // BAD_REQUEST: no such step. UNKNOWN_QUEUE: no such queue has, or had, a series.
  Result<SeriesView> read(const SeriesQuery& query, TimeMs now) const;
  std::vector<std::string> queues() const;

  // What the store is to know, at most so many pieces: those that changed since they were last
  // asked for, of the queues behind the one where the last call ended, so that all have their turn.
  // Fewer: the round is over. `keep` says what of the store may go.
  SeriesWrite changed(TimeMs now, std::size_t most);
  // Rows of the store, in any order, before the first sample; then what of coarser steps is missing
  // is made of the finer ones.
  void restore(const SeriesRow& row, TimeMs now);
  void restored(TimeMs now);

  std::size_t bytes() const { return bytes_; }

 private:
  // A step that is not over yet.
  struct Open {
    TimeMs start = 0;
    std::int64_t points = 0;
    std::int64_t shares[kTaskKindCount] = {0, 0};  // of the points those that have one
    SeriesPoint sum;
  };
  struct Ring {
    std::deque<SeriesChunk> chunks;  // by time
    Open open;
    TimeMs last = 0;  // of its points
  };
  struct Queue {
    std::array<Ring, kSeriesStepCount> rings;
    TimeMs seen = 0;
  };

  static SeriesPoint mean(const Open& open);
  Queue* find_or_add(const std::string& name, TimeMs now);
  void gather(Queue& queue, std::size_t step, const SeriesPoint& point, bool further);
  void close(Queue& queue, std::size_t step, bool further);
  void append(Ring& ring, std::size_t step, const SeriesPoint& point);
  void forget_old(TimeMs now);
  void forget_future(TimeMs now);
  void keep_within_bytes();
  void drop_front(Ring& ring);

  SeriesLimits limits_;
  std::map<std::string, Queue, std::less<>> queues_;
  std::size_t bytes_ = 0;
  TimeMs last_sample_ = 0;
  TimeMs tidied_ = 0;
  std::string handed_over_;  // up to this queue; empty: a round begins
};

}  // namespace weir
