// A table of immutable records by dense index that is cheap to publish again and again: pages of
// 256 shared pointers, of which a new version copies only those that were written to, and none once
// its last record has gone. A copy of the table is a snapshot that readers may walk without a lock
// while its owner goes on writing to its own. Writing is for one thread; reading a copy for any.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir {

template <class Record>
class RecordTable {
 public:
  // Null where there is none.
  const std::shared_ptr<const Record>& get(std::size_t i) const {
    static const std::shared_ptr<const Record> none;
    const std::size_t page = i / kPage;
    return page < pages_.size() && pages_[page] ? pages_[page]->records[i % kPage] : none;
  }
  // One past the highest index that may have a record.
  std::size_t end() const { return pages_.size() * kPage; }
  // Whether the whole page of index i is empty, so that walkers may skip it.
  bool page_empty(std::size_t i) const { return !pages_[i / kPage]; }
  static constexpr std::size_t page_begin(std::size_t i) { return i / kPage * kPage; }
  static constexpr std::size_t page_end(std::size_t i) { return page_begin(i) + kPage; }

  // Calls visit(index, before, after) for every index whose record is another one; false: no more.
  // Pages that both tables share are not looked into.
  template <class Visit>
  static void each_difference(const RecordTable& before, const RecordTable& after,
                              const Visit& visit) {
    const std::size_t pages = std::max(before.pages_.size(), after.pages_.size());
    for (std::size_t page = 0; page < pages; ++page) {
      if (before.page(page) == after.page(page)) continue;
      for (std::size_t i = page * kPage; i < (page + 1) * kPage; ++i) {
        const auto& old = before.get(i);
        const auto& now = after.get(i);
        if (old != now && !visit(i, old, now)) return;
      }
    }
  }

  void set(std::size_t i, std::shared_ptr<const Record> record) {
    const std::size_t page = i / kPage;
    if (!record && (page >= pages_.size() || !pages_[page])) return;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (own_.size() < pages_.size()) own_.resize(pages_.size());
    if (!own_[page]) {
      own_[page] = pages_[page] ? std::make_shared<Page>(*pages_[page]) : std::make_shared<Page>();
      pages_[page] = own_[page];
    }
    auto& place = own_[page]->records[i % kPage];
    if (place != nullptr) --own_[page]->held;
    place = std::move(record);
    if (place != nullptr) ++own_[page]->held;
    if (own_[page]->held > 0) return;
    own_[page] = nullptr;
    pages_[page] = nullptr;
  }

  // For readers. From here on every page is shared, so the next write to it copies it first.
  RecordTable snapshot() {
    own_.assign(own_.size(), nullptr);
    RecordTable copy;
    copy.pages_ = pages_;
    return copy;
  }

 private:
  static constexpr std::size_t kPage = 256;
  struct Page {
    std::array<std::shared_ptr<const Record>, kPage> records;
    std::uint32_t held = 0;  // records
  };
  const Page* page(std::size_t i) const { return i < pages_.size() ? pages_[i].get() : nullptr; }

  std::vector<std::shared_ptr<const Page>> pages_;
  std::vector<std::shared_ptr<Page>> own_;  // pages written since the last snapshot
};

}  // namespace weir
