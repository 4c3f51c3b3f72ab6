#include "tracker/series/series_keeper.h"

#include <pthread.h>

#include <chrono>
#include <map>
#include <unordered_map>
#include <utility>

#include "jobqueue/model/space.h"

namespace weir {
namespace {

constexpr DurationMs kSampleMs = kSeriesSteps[0].ms;

SeriesFigures figures_of(const QueueView::Slots& slots) {
  SeriesFigures out;
  out.guaranteed = slots.guaranteed;
  out.allocated = slots.allocated;
  out.running = slots.running;
  out.pending = slots.pending;
  out.share = slots.share_thousandths.value_or(-1);
  return out;
}

// Of everything that is counted.
struct Sample {
  std::string queue;
  std::vector<SeriesFigures> of;
};

// The queue's own and those above it, up to the cluster.
class Family {
 public:
  explicit Family(std::vector<Sample>& samples) : samples_(samples) {
    for (std::size_t i = 0; i < samples.size(); ++i) places_.emplace(samples[i].queue, i);
  }
  template <class Change>
  void each(std::string_view path, const Change& change) {
    for (;;) {
      if (const auto found = places_.find(path); found != places_.end())
        change(samples_[found->second]);
      const auto dot = path.rfind('.');
      if (dot == std::string_view::npos) break;
      path = path.substr(0, dot);
    }
    change(samples_[0]);
  }

 private:
  std::vector<Sample>& samples_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

// What is counted: both classes of slots, or the dimensions of containers.
class Counted {
 public:
  explicit Counted(const PublishedViews& views) : views_(views) {
    if (views.queues->empty()) return;
    for (const QueueView::Amounts& each : views.queues->front().amounts)
      dimensions_.push_back(each.dimension);
  }

  bool slots() const { return dimensions_.empty(); }
  const std::vector<std::string>& dimensions() const { return dimensions_; }
  std::size_t size() const { return slots() ? kTaskKindCount : dimensions_.size(); }
  const QueueView::Slots& of(const QueueView& queue, std::size_t i) const {
    if (!slots()) return queue.amounts[i].figures;
    return i == 0 ? queue.maps : queue.reduces;
  }
  std::int64_t total(std::size_t i) const {
    if (slots()) return views_.total.slots(kTaskKinds[i]);
    const Space space(views_.settings->resources);
    const auto dimension = space.find(dimensions_[i]);
    return dimension ? views_.total[*dimension] : 0;
  }
  bool owed(const QueueView::Claim& claim, std::size_t i) const {
    return slots() ? index(claim.kind) == i : claim.dimension == dimensions_[i];
  }

 private:
  const PublishedViews& views_;
  std::vector<std::string> dimensions_;
};

// A series has room for two classes, so those of containers have one for each two dimensions. The
// names are part of its own: what is named anew begins anew. No queue's path has a slash.
std::string series_of(const std::string& queue, const std::vector<std::string>& dimensions,
                      std::size_t first) {
  std::string name = queue + "/" + dimensions[first];
  if (first + 1 < dimensions.size()) name += "," + dimensions[first + 1];
  return name;
}

std::vector<SeriesSample> in_pairs(const std::vector<Sample>& samples, const Counted& counted) {
  std::vector<SeriesSample> out;
  for (const Sample& sample : samples) {
    for (std::size_t i = 0; i < counted.size(); i += kTaskKindCount) {
      SeriesSample& pair = out.emplace_back();
      pair.queue =
          counted.slots() ? sample.queue : series_of(sample.queue, counted.dimensions(), i);
      for (std::size_t k = 0; k < kTaskKindCount && i + k < counted.size(); ++k)
        pair.of[k] = sample.of[i + k];
    }
  }
  return out;
}

}  // namespace

namespace {

constexpr std::int64_t kOfASlot = 1000;  // thousandths

// Whether a queue is guaranteed anything: otherwise nobody lends and nobody borrows.
std::vector<bool> guarantees_in(const PublishedViews& views, const Counted& counted) {
  std::vector<bool> out(counted.size());
  for (const QueueView& queue : *views.queues) {
    for (std::size_t i = 0; i < counted.size(); ++i)
      if (counted.of(queue, i).guaranteed > 0) out[i] = true;
  }
  return out;
}

SeriesFigures figures_of(const QueueView::Slots& slots, bool guarantees) {
  SeriesFigures out = figures_of(slots);
  const auto beyond = [guarantees](std::int64_t what, std::int64_t of) {
    return guarantees ? kOfASlot * std::max<std::int64_t>(0, what - of) : 0;
  };
  out.running_thousandths = kOfASlot * slots.running;
  out.lent_thousandths = beyond(slots.guaranteed, slots.allocated);
  out.borrowed_thousandths = beyond(slots.running, slots.guaranteed);
  return out;
}

void add_leaf(const SeriesFigures& leaf, SeriesFigures& all) {
  all.allocated += leaf.allocated;
  all.running += leaf.running;
  all.pending += leaf.pending;
  all.running_thousandths += leaf.running_thousandths;
  all.lent_thousandths += leaf.lent_thousandths;
  all.borrowed_thousandths += leaf.borrowed_thousandths;
}

}  // namespace

std::vector<SeriesSample> sample_of(const PublishedViews& views, const KillCounts& kills) {
  if (views.recovering) return {};  // it would say that nothing runs
  const Counted counted(views);
  const std::vector<bool> guarantees = guarantees_in(views, counted);
  std::vector<Sample> out;
  out.reserve(views.queues->size() + 1);
  Sample& cluster = out.emplace_back(Sample{"root", {counted.size(), SeriesFigures{}}});
  for (std::size_t i = 0; i < counted.size(); ++i) {
    cluster.of[i] = figures_of(QueueView::Slots{}, false);
    cluster.of[i].guaranteed = counted.total(i);
  }
  for (const QueueView& queue : *views.queues) {
    Sample& sample = out.emplace_back(Sample{queue.name, {}});
    for (std::size_t i = 0; i < counted.size(); ++i) {
      const SeriesFigures& figures =
          sample.of.emplace_back(figures_of(counted.of(queue, i), guarantees[i]));
      if (queue.leaf) add_leaf(figures, out[0].of[i]);
    }
  }
  Family family(out);
  for (const QueueView& queue : *views.queues) {
    for (const QueueView::Claim& claim : queue.claims) {
      family.each(queue.name, [&](Sample& sample) {
        for (std::size_t i = 0; i < counted.size(); ++i)
          if (counted.owed(claim, i)) sample.of[i].claims += claim.slots;
      });
    }
  }
  for (const auto& [queue, count] : kills) {
    family.each(queue, [&, &count = count](Sample& sample) {
      for (std::size_t i = 0; i < counted.size(); ++i)
        sample.of[i].kills += counted.slots() ? count[i] : count[0] + count[1];
    });
  }
  return in_pairs(out, counted);
}

SeriesKeeper::SeriesKeeper(Parts parts)
    : parts_(std::move(parts)),
      told_(parts_.decisions->first() - 1),  // those before are counted in what the store has
      thread_([this] { run(); }) {}

SeriesKeeper::~SeriesKeeper() {
  stop();
}

Result<SeriesView> SeriesKeeper::read(const SeriesQuery& query) const {
  const TimeMs now = parts_.now();
  const std::vector<std::string> dimensions = Counted(*parts_.views->glance()).dimensions();
  const std::lock_guard lock(mutex_);
  if (dimensions.empty()) return book_.read(query, now);
  return read_amounts(query, dimensions, now);
}

Result<SeriesView> SeriesKeeper::read_amounts(const SeriesQuery& query,
                                              const std::vector<std::string>& dimensions,
                                              TimeMs now) const {
  SeriesView out;
  std::map<std::int64_t, SeriesView::Point> points;
  for (std::size_t i = 0; i < dimensions.size(); i += kTaskKindCount) {
    SeriesQuery pair = query;
    pair.queue = series_of(query.queue, dimensions, i);
    const auto read = book_.read(pair, now);
    if (!read) return book_.read(query, now);  // says what is wrong
    out.step_ms = read->step_ms;
    for (const SeriesView::Point& from : read->points) {
      SeriesView::Point& point = points[from.at_ms];
      point.at_ms = from.at_ms;
      point.amounts.push_back({dimensions[i], from.maps});
      if (i + 1 < dimensions.size()) point.amounts.push_back({dimensions[i + 1], from.reduces});
    }
  }
  out.queue = query.queue;
  for (auto& [at, point] : points) out.points.push_back(std::move(point));
  return out;
}

void SeriesKeeper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void SeriesKeeper::run() {
  ::pthread_setname_np(::pthread_self(), "series");
  restore();
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    const TimeMs now = parts_.now();
    const auto until_next = std::chrono::milliseconds(kSampleMs - now % kSampleMs);
    if (wake_.wait_for(lock, until_next, [this] { return stopped_; })) break;
    lock.unlock();
    sample();
    hand_over(false);
    lock.lock();
  }
  lock.unlock();
  hand_over(true);
}

// Read aside: who asks meanwhile is not made to wait for the disk.
void SeriesKeeper::restore() {
  SeriesBook book;
  const TimeMs now = parts_.now();
  written_at_ = now;
  const auto stored = parts_.store->history();
  if (!stored) return;
  const Status read = (*stored)->series([&](const SeriesRow& row) { book.restore(row, now); });
  if (!read) return;  // the store says what is wrong with it to whoever needs it more
  book.restored(now);
  const std::lock_guard lock(mutex_);
  book_ = std::move(book);
}

void SeriesKeeper::sample() {
  const PublishedViewsPtr views = parts_.views->glance();
  KillCounts kills;
  const std::int64_t told = parts_.decisions->count_kills(told_, kills);
  const std::vector<SeriesSample> queues = sample_of(*views, kills);
  if (queues.empty()) return;
  const std::lock_guard lock(mutex_);
  if (book_.sample(parts_.now(), queues)) told_ = told;
}

void SeriesKeeper::hand_over(bool all) {
  const TimeMs now = parts_.now();
  if (!all && !writing_ && now < written_at_ + kWriteGapMs) return;
  do {
    if (!all && !parts_.room()) return;
    SeriesWrite write;
    {
      const std::lock_guard lock(mutex_);
      write = book_.changed(now, kPiecesAtOnce);
    }
    if (!writing_) written_at_ = now;
    writing_ = write.rows.size() == kPiecesAtOnce;
    const bool last = write.rows.empty();  // a round begins where the one before has ended
    parts_.write(std::move(write));
    if (last) return;
  } while (all);
}

}  // namespace weir
