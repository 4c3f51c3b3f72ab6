#include "tracker/series/series_keeper.h"

#include <chrono>
#include <unordered_map>
#include <utility>

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

// The queue's own and those above it, up to the cluster.
class Family {
 public:
  explicit Family(std::vector<SeriesSample>& samples) : samples_(samples) {
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
  std::vector<SeriesSample>& samples_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

}  // namespace

std::vector<SeriesSample> sample_of(const PublishedViews& views, const KillCounts& kills) {
  std::vector<SeriesSample> out;
  out.reserve(views.queues->size() + 1);
  SeriesSample cluster;
  cluster.queue = "root";
  for (const TaskKind kind : kTaskKinds)
    cluster.of[index(kind)].guaranteed = views.total.slots(kind);
  out.push_back(std::move(cluster));
  for (const QueueView& queue : *views.queues) {
    SeriesSample sample;
    sample.queue = queue.name;
    sample.of = {figures_of(queue.maps), figures_of(queue.reduces)};
    if (queue.leaf) {
      for (const TaskKind kind : kTaskKinds) {
        const SeriesFigures& leaf = sample.of[index(kind)];
        SeriesFigures& all = out[0].of[index(kind)];
        all.allocated += leaf.allocated;
        all.running += leaf.running;
        all.pending += leaf.pending;
      }
    }
    out.push_back(std::move(sample));
  }
  Family family(out);
  for (const QueueView& queue : *views.queues) {
    for (const QueueView::Claim& claim : queue.claims) {
      if (claim.dimension) continue;  // the series are of slots
      family.each(queue.name, [&](SeriesSample& of) {
        of.of[index(claim.kind)].claims += claim.slots;
      });
    }
  }
  for (const auto& [queue, count] : kills) {
    family.each(queue, [&count = count](SeriesSample& of) {
      for (const TaskKind kind : kTaskKinds) of.of[index(kind)].kills += count[index(kind)];
    });
  }
  return out;
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
  const std::lock_guard lock(mutex_);
  return book_.read(query, now);
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
