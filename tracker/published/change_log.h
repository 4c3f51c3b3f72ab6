// What changed lately, as texts that were made once for all who are told of it. Whoever owns the
// log shows it the published views now and then; at most once a second it makes a batch of what is
// new in them. The batches of the last minutes stay, bounded by bytes too, so that a reader who was
// away for a moment is told of what he missed; one who was away for longer is to read all anew.
// What the texts are, the encoder says. Time is an argument. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracker/published/changes.h"

namespace weir {

struct ChangeBatch {
  struct Part {
    std::string topic;  // queues, jobs, trackers, policy, settings, cluster
    std::string text;
  };
  std::int64_t from = 0;     // the version it follows on
  std::int64_t version = 0;  // the one it leads to
  std::vector<Part> parts;   // may be empty: nothing that anybody is told of

  std::size_t bytes() const {
    std::size_t sum = sizeof(ChangeBatch);
    for (const Part& part : parts) sum += sizeof(Part) + part.text.size();
    return sum;
  }
};
using ChangeBatchPtr = std::shared_ptr<const ChangeBatch>;

struct ChangeLogLimits {
  std::chrono::milliseconds gap{1'000};     // between two batches
  std::chrono::milliseconds keep{180'000};  // of a batch
  std::size_t bytes = 16 << 20;             // of all batches that are kept
};

class ChangeLog {
 public:
  using Clock = std::chrono::steady_clock;
  using Encoder = std::function<std::vector<ChangeBatch::Part>(const ViewChanges&)>;

  explicit ChangeLog(Encoder encoder, ChangeLogLimits limits = {})
      : encoder_(std::move(encoder)), limits_(limits) {}

  struct News {
    ChangeBatchPtr batch;  // null: none is due
    ViewChanges changes;   // those of the batch
  };
  // In one: what is done when views are looked at. The first ones are what later ones are compared
  // with, and make no batch.
  News look(Clock::time_point now, const PublishedViewsPtr& views);

  // Piece by piece, for who must not hold a lock while changes are looked for and encoded: make()
  // is const and uses nothing that the others change.
  void begin(PublishedViewsPtr views) { seen_ = std::move(views); }
  bool due(Clock::time_point now, std::int64_t version) const;
  News make(PublishedViewsPtr before, PublishedViewsPtr views) const;
  void keep(Clock::time_point now, const News& news);
  const PublishedViewsPtr& seen() const { return seen_; }  // null: nothing was looked at yet
  // Forgets all: whoever comes afterwards reads anew.
  void clear();

  // What follows on that version, oldest first; none: it is not known any more (or was never), and
  // its reader must read all anew.
  std::optional<std::vector<ChangeBatchPtr>> since(std::int64_t version) const;
  std::size_t bytes() const { return bytes_; }

 private:
  struct Kept {
    Clock::time_point at;
    ChangeBatchPtr batch;
  };

  const Encoder encoder_;
  const ChangeLogLimits limits_;
  PublishedViewsPtr seen_;
  Clock::time_point last_{};
  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;
};

}  // namespace weir
