// Lists longer than a frame come page by page: all of them, once, in order, and no page much longer
// than it may be.
#include <gtest/gtest.h>

#include "tracker/jobtracker/wire_pages.h"

namespace weir {
namespace {

constexpr std::size_t kFrame = 16 << 20;

template <class Record>
std::size_t bytes_of(const std::vector<Record>& records) {
  using apache::thrift::transport::TNullTransport;
  apache::thrift::protocol::TBinaryProtocol nowhere{std::make_shared<TNullTransport>()};
  std::size_t bytes = 0;
  for (const Record& record : records) bytes += record.write(&nowhere);
  return bytes;
}

template <class Record>
bool more(const std::vector<Record>& page) {
  return !page.empty() && page.back().__isset.more && page.back().more;
}

TEST(Paging, TwentyFiveThousandTrackersWithLongNames) {
  constexpr std::size_t kTrackers = 25'000;
  RecordTable<TrackerRecord> table;
  for (std::size_t i = 0; i < kTrackers; ++i) {
    auto record = std::make_shared<TrackerRecord>();
    record->view.name = std::to_string(100'000 + kTrackers - i) + std::string(200, 'n');
    record->view.host = std::string(200, 'h');
    record->view.rack = std::string(200, 'r');
    record->view.state = "LIVE";
    table.set(i, std::move(record));
  }
  PublishedViews views;
  views.trackers = table.snapshot();
  views.heartbeat_interval = 1'000;
  EXPECT_GT(bytes_of(all_trackers(views, 0)), kFrame);
  std::vector<std::string> names;
  std::string after;
  std::size_t pages = 0;
  for (bool goes_on = true; goes_on; ++pages) {
    const auto page = page_of_trackers(views, 0, after);
    ASSERT_FALSE(page.empty());
    EXPECT_LT(bytes_of(page), kPageBytes + 2'000);
    for (const auto& tracker : page) names.push_back(tracker.name);
    goes_on = more(page);
    after = names.back();
  }
  EXPECT_EQ(names.size(), kTrackers);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_GT(pages, 10u);
  EXPECT_TRUE(page_of_trackers(views, 0, after).empty());
}

TEST(Paging, JobsGoOnBelowTheLastOfThePageBefore) {
  RecordTable<JobView> table;
  for (std::size_t i = 1; i <= 3'000; ++i) {
    auto job = std::make_shared<JobView>();
    job->id = JobId(i);
    job->user = i % 2 == 0 ? "ann" : "bob";
    job->state = "RUNNING";
    job->output = std::string(4'000, 'o');
    table.set(i, std::move(job));
  }
  PublishedViews views;
  views.jobs = table.snapshot();
  JobFilter filter{.user = "ann", .limit = 1'000, .page_bytes = kPageBytes};
  std::vector<std::int64_t> seen;
  for (bool goes_on = true; goes_on;) {
    const auto found = page_of_jobs(views, filter);
    ASSERT_TRUE(found.ok());
    const auto page = list_to_wire(*found);
    EXPECT_LT(bytes_of(page), kPageBytes + 8'000);
    for (const auto& job : page) seen.push_back(job.job);
    goes_on = more(page);
    filter.from = static_cast<std::size_t>(seen.back());
    filter.limit = 1'000 - std::min<std::size_t>(seen.size(), 1'000);
  }
  ASSERT_EQ(seen.size(), 1'000u);  // as many as were wanted
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(seen[i], 3'000 - 2 * static_cast<std::int64_t>(i));
  filter.from = 0;
  filter.limit = 1'500;
  filter.page_bytes = 0;
  EXPECT_EQ(page_of_jobs(views, filter)->jobs.size(), 1'500u);  // in one piece, as ever
}

TEST(Paging, QueuesComeInTheirOwnOrder) {
  std::vector<QueueView> queues(2'000);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    queues[i].name = "q" + std::to_string(7'919 * i % 2'000);
    queues[i].submit = {std::string(2'000, 'u')};
  }
  PublishedViews views;
  views.queues = std::make_shared<const std::vector<QueueView>>(queues);
  std::vector<std::string> names;
  for (bool goes_on = true; goes_on;) {
    const auto page = page_of_queues(views, names.empty() ? "" : names.back());
    ASSERT_TRUE(page.ok());
    EXPECT_LT(bytes_of(*page), kPageBytes + 4'000);
    for (const auto& queue : *page) names.push_back(queue.name);
    goes_on = more(*page);
  }
  ASSERT_EQ(names.size(), queues.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], queues[i].name);
  EXPECT_EQ(page_of_queues(views, "gone").error().code, ErrorCode::kBusy);
}

}  // namespace
}  // namespace weir
