// What the store's tests share: a codec that keeps a few fields, events in one line each, a store
// that fails, and a directory of their own.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "jobqueue/store/sqlite_store.h"

namespace weir::store_test {

inline SpecCodec trivial_codec() {
  return {[](const JobSpec& spec) {
            return spec.name + "\n" + spec.user + "\n" +
                   std::to_string(static_cast<int>(spec.priority));
          },
          [](std::string_view bytes) -> Result<JobSpec> {
            const auto first = bytes.find('\n');
            const auto second = bytes.find('\n', first + 1);
            if (first == bytes.npos || second == bytes.npos) {
              return Error{ErrorCode::kInternal, "not a spec", "", {}};
            }
            JobSpec spec;
            spec.name = bytes.substr(0, first);
            spec.user = bytes.substr(first + 1, second - first - 1);
            spec.priority = static_cast<Priority>(bytes[second + 1] - '0');
            return spec;
          }};
}

inline JobId job(std::uint32_t number) {
  return JobId(number);
}

inline AttemptKey attempt(std::uint32_t number, TaskKind kind, std::uint32_t task,
                          std::uint32_t attempt) {
  return {{job(number), kind, task}, attempt};
}

inline JobSubmitted submitted(std::uint32_t number, std::string queue = "org.a") {
  auto spec = std::make_shared<JobSpec>();
  spec->name = "job number " + std::to_string(number);
  spec->user = "ann";
  spec->priority = Priority::kHigh;
  return {job(number), std::move(spec), std::move(queue)};
}

inline TaskSucceeded succeeded(AttemptKey key, std::shared_ptr<const Counters> counters = nullptr) {
  return {key, "tt1", 77, 5, std::move(counters)};
}

// Gives events their numbers and times: the n-th is at 1000 * n.
class EventMaker {
 public:
  Event operator()(Fact fact) {
    ++seq_;
    return {seq_, static_cast<TimeMs>(1000 * seq_), std::move(fact)};
  }

 private:
  std::uint64_t seq_ = 0;
};

// In memory; its next writes can be told to fail.
class FailingStore : public Store {
 public:
  void fail_next(std::size_t writes, std::string message) {
    failures_left_ = writes;
    message_ = std::move(message);
  }

  Result<Snapshot> load() override { return inner_->load(); }
  Result<std::optional<std::string>> get_meta(std::string_view key) override {
    return inner_->get_meta(key);
  }
  Result<std::unique_ptr<History>> history() override { return inner_->history(); }
  Status append(std::span<const Event> events) override {
    return fails() ? failure() : inner_->append(events);
  }
  Status touch_time(TimeMs at) override { return fails() ? failure() : inner_->touch_time(at); }
  Status set_meta(std::string_view key, std::string_view value) override {
    return fails() ? failure() : inner_->set_meta(key, value);
  }
  Result<bool> tidy(const Retention& retention) override {
    return fails() ? Result<bool>(failure().error()) : inner_->tidy(retention);
  }
  Status put_series(std::span<const SeriesRow> rows,
                    std::span<const SeriesRetention> keep) override {
    return fails() ? failure() : inner_->put_series(rows, keep);
  }

 private:
  bool fails() { return failures_left_ > 0 && failures_left_-- > 0; }
  Status failure() const { return Error{ErrorCode::kStoreFailed, message_, "", {}}; }

  const std::unique_ptr<Store> inner_ = make_memory_store(trivial_codec());
  std::size_t failures_left_ = 0;
  std::string message_;
};

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weir_store_XXXXXX").string();
    WEIR_CHECK(mkdtemp(pattern.data()) != nullptr, "a temporary directory can be made");
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& leaf) const { return (path_ / leaf).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace weir::store_test
