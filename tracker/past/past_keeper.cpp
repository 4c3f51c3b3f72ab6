#include "tracker/past/past_keeper.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "jobqueue/model/cluster_state.h"
#include "tracker/past/past_codec.h"

namespace weir {
namespace {

// It is gone, and another queue has its past by now (Past::follow).
bool handed_over(const std::string& path, const Settings& settings, const QueueTree& tree) {
  return !tree.find_path(path) && totals_after(settings, tree, path, true).to.valid();
}

// What the store says of a JobTracker until its end, and from then on.
constexpr const char *kRuns = "runs", *kEnded = "ended";

// The decisions of one ring, as they are read.
class Filled {
 public:
  explicit Filled(std::int64_t before) : before_(before) {}

  void take(const SeriesRow& row, DecisionLog::Segments& out) {
    const auto segment = decode_decisions(row.data);
    if (segment == nullptr || segment->at(0).number <= last_) return;
    if (segment->at(segment->size() - 1).number >= before_) return;
    last_ = segment->at(segment->size() - 1).number;
    // Each start began a segment of its own: they are filled, so that many starts keep as much.
    for (std::size_t place = 0; place < segment->size();) {
      if (filling_ == nullptr || filling_->full()) {
        filling_ = std::make_shared<DecisionSegment>();
        out.push_back(filling_);
      }
      place = append(*segment, place, *filling_);
    }
  }

 private:
  const std::int64_t before_;
  std::int64_t last_ = 0;
  std::shared_ptr<DecisionSegment> filling_;
};

}  // namespace

Result<StoredPast> load_past(Store& store, std::int64_t before) {
  StoredPast out;
  const auto history = store.history();
  if (!history) return history.error();
  Filled rare(before), jobs(before);
  const Status read = (*history)->past([&](const SeriesRow& row) {
    if (row.step == kPastOfQueues) {
      if (auto past = decode_queue(row.data)) out.queues[row.series] = std::move(*past);
    } else if (row.step == kPastDecisions) {
      rare.take(row, out.decisions.rare);
    } else if (row.step == kPastOfJobs) {
      jobs.take(row, out.decisions.jobs);
    } else if (row.step == kPastRun) {
      out.killed = row.data == kRuns;
    }
  });
  if (!read) return read.error();
  return out;
}

PastKeeper::PastKeeper(Parts parts, Past::Queues stored)
    : parts_(std::move(parts)),
      written_(std::move(stored)),
      rare_written_(parts_.decisions->first() - 1),
      jobs_written_(rare_written_),
      thread_([this] { run(); }) {}

PastKeeper::~PastKeeper() {
  stop();
}

void PastKeeper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void PastKeeper::run() {
  ::pthread_setname_np(::pthread_self(), "past jobs");
  hand_over(kRuns);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(parts_.gap_ms),
                         [this] { return stopped_; })) {
    lock.unlock();
    if (parts_.room()) hand_over(kRuns);
    lock.lock();
  }
  lock.unlock();
  hand_over(kEnded);
}

void PastKeeper::hand_over(const char* how) {
  SeriesWrite write;
  put_queues(write);
  const DecisionLog::Kept kept = parts_.decisions->kept();
  put_decisions(kept.rare, kPastDecisions, rare_written_, write);
  put_decisions(kept.jobs, kPastOfJobs, jobs_written_, write);
  // Behind what it is true of.
  if (how != run_written_) write.rows.push_back({kPastRun, 0, "", how});
  run_written_ = how;
  if (!write.empty()) parts_.write(std::move(write));
}

void PastKeeper::put_queues(SeriesWrite& write) {
  const PublishedViewsPtr views = parts_.views->glance();
  const auto put = [&](const std::string& path, std::string data) {
    write.rows.push_back({kPastOfQueues, 0, path, std::move(data)});
  };
  const auto tree = QueueTree::build(views->settings->queues);
  std::vector<std::string> gone;
  for (const auto& [path, past] : written_) {
    if (tree && handed_over(path, *views->settings, *tree)) gone.push_back(path);
  }
  for (const std::string& path : gone) {
    written_.erase(path);
    put(path, "");
  }
  for (auto& [path, past] : pasts_of(*views->queues, written_)) {
    QueuePast& known = written_[path];
    if (past == known) continue;
    put(path, encode(past));
    known = std::move(past);
  }
}

void PastKeeper::put_decisions(const DecisionLog::Segments& segments, DurationMs step,
                               std::int64_t& written_up_to, SeriesWrite& write) {
  for (const auto& segment : segments) {
    const std::size_t size = segment->size();
    if (size == 0 || segment->at(size - 1).number <= written_up_to) continue;
    written_up_to = segment->at(size - 1).number;
    write.rows.push_back({step, segment->at(0).number, "", encode(*segment)});
    std::erase_if(write.keep, [&](const auto& keep) { return keep.step == step; });
    write.keep.push_back({step, segments.front()->at(0).number});
  }
}

}  // namespace weir
