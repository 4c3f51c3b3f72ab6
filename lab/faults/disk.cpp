#include "lab/faults/disk.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "jobqueue/store/sqlite_store.h"
#include "lab/faults/sqlite_files.h"
#include "lab/kit/dice.h"
#include "thrift/spec_codec.h"

namespace weir::faults {

// Between the JobTracker and the contents.
class Disk::Front final : public Store {
 public:
  Front(Disk& disk, std::unique_ptr<Store> contents)
      : disk_(disk), contents_(std::move(contents)) {}

  Result<Snapshot> load() override { return contents_->load(); }
  Status append(std::span<const Event> events) override {
    if (disk_.fails_ > 0) {
      --disk_.fails_;
      last_failed_ = events.back().seq;
      return Error{ErrorCode::kStoreFailed, "store: the disk is full (simulated)", "", {}};
    }
    if (disk_.plant_.is(Planted::kNone)) return in_order(events);
    std::vector<Event> kept;
    for (const Event& event : events) {
      if (!swallowed(event.fact)) kept.push_back(event);
    }
    if (disk_.plant_.is(Planted::kFactsReordered)) {
      std::reverse(kept.begin(), std::find_if(kept.begin(), kept.end(), [this](const Event& event) {
                     return event.seq > last_failed_;
                   }));
    }
    return kept.empty() ? Status(Ok{}) : in_order(kept);
  }
  Status touch_time(TimeMs at) override { return contents_->touch_time(at); }
  Status set_meta(std::string_view key, std::string_view value) override {
    return contents_->set_meta(key, value);
  }
  Result<std::optional<std::string>> get_meta(std::string_view key) override {
    return contents_->get_meta(key);
  }
  Result<bool> tidy(const Retention& retention) override { return contents_->tidy(retention); }
  Status put_series(std::span<const SeriesRow> rows,
                    std::span<const SeriesRetention> keep) override {
    return contents_->put_series(rows, keep);
  }
  Result<std::unique_ptr<History>> history() override { return contents_->history(); }

 private:
  Status in_order(std::span<const Event> events) {
    for (const Event& event : events) {
      if (event.seq <= last_written_ && disk_.on_wrong) {
        disk_.on_wrong("the store is given event " + std::to_string(event.seq) + " after event " +
                       std::to_string(last_written_));
      }
      last_written_ = event.seq;
    }
    return contents_->append(events);
  }

  bool swallowed(const Fact& fact) const {
    const Plant& plant = disk_.plant_;
    return (plant.is(Planted::kLostKill) && fact_as<JobKillRequested>(fact) != nullptr) ||
           (plant.is(Planted::kLostFinish) && fact_as<TaskSucceeded>(fact) != nullptr) ||
           (plant.is(Planted::kLostSubmission) && fact_as<JobSubmitted>(fact) != nullptr) ||
           (plant.is(Planted::kLostSettings) && fact_as<SettingsChanged>(fact) != nullptr);
  }

  Disk& disk_;
  std::unique_ptr<Store> contents_;
  std::uint64_t last_written_ = 0, last_failed_ = 0;
};

Result<std::unique_ptr<Store>> Disk::open() {
  auto contents = open_contents();
  if (!contents) return contents.error();
  return std::unique_ptr<Store>(std::make_unique<Front>(*this, std::move(*contents)));
}

namespace {

// Lends the contents to one life after the other.
class Lent final : public Store {
 public:
  explicit Lent(Store& owned) : owned_(owned) {}
  Result<Snapshot> load() override { return owned_.load(); }
  Status append(std::span<const Event> events) override { return owned_.append(events); }
  Status touch_time(TimeMs at) override { return owned_.touch_time(at); }
  Status set_meta(std::string_view key, std::string_view value) override {
    return owned_.set_meta(key, value);
  }
  Result<std::optional<std::string>> get_meta(std::string_view key) override {
    return owned_.get_meta(key);
  }
  Result<bool> tidy(const Retention& retention) override { return owned_.tidy(retention); }
  Status put_series(std::span<const SeriesRow> rows,
                    std::span<const SeriesRetention> keep) override {
    return owned_.put_series(rows, keep);
  }
  Result<std::unique_ptr<History>> history() override { return owned_.history(); }

 private:
  Store& owned_;
};

class MemoryDisk final : public Disk {
 public:
  using Disk::Disk;

 protected:
  Result<std::unique_ptr<Store>> open_contents() override {
    return std::unique_ptr<Store>(std::make_unique<Lent>(*store_));
  }

 private:
  const std::unique_ptr<Store> store_ = make_memory_store({encode_job_spec, decode_job_spec});
};

// Its chance is its own: the story goes on as it does with a store in memory.
class SqliteDisk final : public Disk {
 public:
  SqliteDisk(const Plant& plant, std::uint64_t seed) : Disk(plant), dice_(seed) {
    if (plant.is(Planted::kLogNotSynced)) files_.ignore_log_syncs();
    options_.vfs = files_.name();
    options_.log_pages = static_cast<std::uint32_t>(dice_.between(1, 100));
  }

  void die() override { files_.die(); }
  void lose_power() override {
    const int kept = static_cast<int>(dice_.between(0, 3) * 30);
    files_.lose_power([&] { return dice_.chance(kept); });
  }

 protected:
  Result<std::unique_ptr<Store>> open_contents() override {
    files_.restart();
    return open_sqlite_store("/weir.db", {encode_job_spec, decode_job_spec}, options_);
  }

 private:
  Dice dice_;
  SqliteFiles files_;
  SqliteStoreOptions options_;
};

}  // namespace

std::unique_ptr<Disk> make_memory_disk(const Plant& plant) {
  return std::make_unique<MemoryDisk>(plant);
}

std::unique_ptr<Disk> make_sqlite_disk(const Plant& plant, std::uint64_t seed) {
  return std::make_unique<SqliteDisk>(plant, seed);
}

}  // namespace weir::faults
