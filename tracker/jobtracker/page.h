// Long lists go over the wire page by page, so that none needs a frame that is too large. A page
// ends when it holds kPageBytes; its last record says so, and the next question names it.
#pragma once

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TTransportUtils.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace weir {

inline constexpr std::size_t kPageBytes = 1 << 20;

template <class Record>
class Page {
 public:
  // False: it is full. The first record is always taken.
  bool add(Record record) {
    const std::size_t size = record.write(&nowhere_);
    if (!records_.empty() && bytes_ + size > kPageBytes) {
      records_.back().__set_more(true);
      return false;
    }
    bytes_ += size;
    records_.push_back(std::move(record));
    return true;
  }
  std::size_t size() const { return records_.size(); }
  std::vector<Record> take() { return std::move(records_); }

 private:
  using Nothing = apache::thrift::transport::TNullTransport;
  apache::thrift::protocol::TBinaryProtocol nowhere_{std::make_shared<Nothing>()};
  std::size_t bytes_ = 0;
  std::vector<Record> records_;
};

}  // namespace weir
