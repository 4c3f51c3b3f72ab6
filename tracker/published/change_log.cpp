#include "tracker/published/change_log.h"

#include <algorithm>
#include <utility>

namespace weir {

bool ChangeLog::due(Clock::time_point now, std::int64_t version) const {
  return seen_ && version != seen_->version && now >= last_ + limits_.gap;
}

ChangeLog::News ChangeLog::make(PublishedViewsPtr before, PublishedViewsPtr views) const {
  News news;
  news.changes = changes_between(std::move(before), std::move(views));
  auto batch = std::make_shared<ChangeBatch>();
  batch->from = news.changes.before->version;
  batch->version = news.changes.after->version;
  if (!news.changes.empty()) batch->parts = encoder_(news.changes);
  news.batch = std::move(batch);
  return news;
}

void ChangeLog::keep(Clock::time_point now, const News& news) {
  seen_ = news.changes.after;
  last_ = now;
  bytes_ += news.batch->bytes();
  kept_.push_back({now, news.batch});
  while (!kept_.empty() && (bytes_ > limits_.bytes || now - kept_.front().at > limits_.keep)) {
    bytes_ -= kept_.front().batch->bytes();
    kept_.pop_front();
  }
}

ChangeLog::News ChangeLog::look(Clock::time_point now, const PublishedViewsPtr& views) {
  if (!seen_) begin(views);
  if (!due(now, views->version)) return {};
  News news = make(seen_, views);
  keep(now, news);
  return news;
}

void ChangeLog::clear() {
  seen_ = nullptr;
  kept_.clear();
  bytes_ = 0;
  last_ = {};
}

std::optional<std::vector<ChangeBatchPtr>> ChangeLog::since(std::int64_t version) const {
  std::vector<ChangeBatchPtr> out;
  if (!seen_) return std::nullopt;
  // Replies to commands carry versions that lie between those of two batches.
  // So a reader may know a version from between two batches: what he has seen of the later one, he
  // is told once more.
  const auto first = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) {
    return version < kept.batch->version;
  });
  if (first == kept_.end()) {
    if (version == seen_->version) return out;
    return std::nullopt;  // of another JobTracker, or too old
  }
  if (version < first->batch->from) return std::nullopt;
  for (auto kept = first; kept != kept_.end(); ++kept) out.push_back(kept->batch);
  return out;
}

}  // namespace weir
