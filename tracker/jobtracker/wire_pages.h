// Lists of what is published, on the wire. Long ones go page by page, so that none needs a frame
// that is too large: a page ends when it holds kPageBytes; its last record says so, and the next
// question names it. Any thread.
#pragma once

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TTransportUtils.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client_types.h"
#include "tracker/published/job_page.h"
#include "tracker/published/listing.h"

namespace weir {

inline constexpr std::size_t kPageBytes = 1 << 20;

enum class Paged { kNo, kYes };
inline Paged paged_if(bool asked) {
  return asked ? Paged::kYes : Paged::kNo;
}

template <class Record>
class Page {
 public:
  explicit Page(Paged paged = Paged::kYes) : paged_(paged) {}

  // False: it is full. The first record is always taken.
  bool add(Record record) {
    if (paged_ == Paged::kYes) {
      const std::size_t size = record.write(&nowhere_);
      if (!records_.empty() && bytes_ + size > kPageBytes) {
        records_.back().__set_more(true);
        return false;
      }
      bytes_ += size;
    }
    records_.push_back(std::move(record));
    return true;
  }
  std::vector<Record> take() { return std::move(records_); }

 private:
  using Nothing = apache::thrift::transport::TNullTransport;
  apache::thrift::protocol::TBinaryProtocol nowhere_{std::make_shared<Nothing>()};
  Paged paged_;
  std::size_t bytes_ = 0;
  std::vector<Record> records_;
};

// A page that ended because of its bytes says so.
std::vector<wire::JobStatus> list_to_wire(const JobPage& page);
// The former in their order, the latter by name.
Result<std::vector<wire::QueueStatus>> page_of_queues(const PublishedViews& views,
                                                      const std::string& after);
std::vector<wire::TrackerStatus> page_of_trackers(const PublishedViews& views, TimeMs now,
                                                  const std::string& after);
std::vector<wire::TrackerStatus> all_trackers(const PublishedViews& views, TimeMs now);

}  // namespace weir
