#include "tracker/past/past_keeper.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "jobqueue/model/cluster_state.h"
#include "tracker/past/past_codec.h"

namespace weir {
namespace {

// Its jobs have gone to another queue, which has its past by now (Past::follow).
bool handed_over(const std::string& path, const Settings& settings, const QueueTree& tree) {
  return !tree.find_path(path) && queue_after(settings, tree, path).valid();
}

}  // namespace

Result<StoredPast> load_past(Store& store, std::int64_t before) {
  StoredPast out;
  const auto history = store.history();
  if (!history) return history.error();
  std::int64_t last = 0;
  std::shared_ptr<DecisionSegment> filling;
  const Status read = (*history)->past([&](const SeriesRow& row) {
    if (row.step == kPastOfQueues) {
      if (auto past = decode_queue(row.data)) out.queues[row.series] = std::move(*past);
      return;
    }
    const auto segment = row.step == kPastDecisions ? decode_decisions(row.data) : nullptr;
    if (segment == nullptr || segment->at(0).number <= last) return;
    if (segment->at(segment->size() - 1).number >= before) return;
    last = segment->at(segment->size() - 1).number;
    // Each start began a segment of its own: they are filled, so that many starts keep as much.
    for (std::size_t place = 0; place < segment->size();) {
      if (filling == nullptr || filling->full()) {
        filling = std::make_shared<DecisionSegment>();
        out.decisions.push_back(filling);
      }
      place = append(*segment, place, *filling);
    }
  });
  if (!read) return read.error();
  return out;
}

PastKeeper::PastKeeper(Parts parts, Past::Queues stored)
    : parts_(std::move(parts)),
      written_(std::move(stored)),
      decisions_written_(parts_.decisions->first() - 1),
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
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(parts_.gap_ms),
                         [this] { return stopped_; })) {
    lock.unlock();
    if (parts_.room()) hand_over();
    lock.lock();
  }
  lock.unlock();
  hand_over();
}

void PastKeeper::hand_over() {
  SeriesWrite write;
  put_queues(write);
  put_decisions(write);
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
  for (const QueueView& queue : *views->queues) {
    QueuePast& known = written_[queue.name];
    QueuePast past = past_of(queue, known);
    if (past == known) continue;
    put(queue.name, encode(past));
    known = std::move(past);
  }
}

void PastKeeper::put_decisions(SeriesWrite& write) {
  const auto segments = parts_.decisions->rare_segments();
  for (const auto& segment : segments) {
    const std::size_t size = segment->size();
    if (size == 0 || segment->at(size - 1).number <= decisions_written_) continue;
    decisions_written_ = segment->at(size - 1).number;
    write.rows.push_back({kPastDecisions, segment->at(0).number, "", encode(*segment)});
    write.keep = {{kPastDecisions, segments.front()->at(0).number}};
  }
}

}  // namespace weir
