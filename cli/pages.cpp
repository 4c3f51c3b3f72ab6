#include "cli/pages.h"

#include <iterator>
#include <utility>

namespace weir::cli {
namespace {

constexpr std::int32_t kListed = 1'000;

// `ask` fills a page; `next` says to the filter where the one after this record begins.
template <class Record, class Ask, class Next>
std::vector<Record> all_pages(Ask ask, Next next) {
  std::vector<Record> all;
  for (bool more = true; more;) {
    std::vector<Record> page;
    ask(page);
    more = !page.empty() && page.back().__isset.more && page.back().more;
    all.insert(all.end(), std::make_move_iterator(page.begin()),
               std::make_move_iterator(page.end()));
    if (more) more = next(all);
  }
  return all;
}

// The next page of jobs: as many as are still wanted. False: there are enough.
template <class Filter>
bool next_jobs(Filter& filter, std::int32_t wanted, const std::vector<wire::JobStatus>& all) {
  const auto have = static_cast<std::int32_t>(all.size());
  if (have >= wanted) return false;
  filter.__set_before_job(all.back().job);
  filter.__set_limit(wanted - have);
  return true;
}

}  // namespace

std::vector<wire::JobStatus> listed_jobs(JobTracker& jobtracker, wire::JobFilter filter) {
  filter.__set_before_job(0);
  const std::int32_t wanted = filter.limit > 0 ? filter.limit : kListed;
  return all_pages<wire::JobStatus>(
      [&](auto& page) {
        jobtracker.client([&](auto& client) { client.find_jobs(page, filter); });
      },
      [&](const auto& all) { return next_jobs(filter, wanted, all); });
}

std::vector<wire::JobStatus> listed_history(JobTracker& jobtracker, wire::HistoryFilter filter) {
  filter.__set_before_job(0);
  const std::int32_t wanted = filter.limit > 0 ? filter.limit : kListed;
  return all_pages<wire::JobStatus>(
      [&](auto& page) {
        jobtracker.client([&](auto& client) { client.list_history(page, filter); });
      },
      [&](const auto& all) { return next_jobs(filter, wanted, all); });
}

namespace {

// Of lists that go on after the last name of a page.
template <class Status, class Filter, class Find>
std::vector<Status> all_by_name(JobTracker& jobtracker, const Find& find) {
  Filter filter;
  return all_pages<Status>(
      [&](auto& page) {
        jobtracker.client([&](auto& client) { find(client, page, filter); });
      },
      [&](const auto& all) {
        filter.__set_after(all.back().name);
        return true;
      });
}

}  // namespace

std::vector<wire::QueueStatus> listed_queues(JobTracker& jobtracker) {
  return all_by_name<wire::QueueStatus, wire::QueueFilter>(
      jobtracker, [](auto& client, auto& page, const auto& filter) {
        client.find_queues(page, filter);
      });
}

std::vector<wire::TrackerStatus> listed_trackers(JobTracker& jobtracker) {
  return all_by_name<wire::TrackerStatus, wire::TrackerFilter>(
      jobtracker, [](auto& client, auto& page, const auto& filter) {
        client.find_trackers(page, filter);
      });
}

}  // namespace weir::cli
