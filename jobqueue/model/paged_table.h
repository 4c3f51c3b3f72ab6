// Values by dense number, for numbers that are given out once and in order, such as those of jobs:
// pages of values, each of which goes when the last of its places has been given up. So the table
// is as large as what lives, but for two pointers a page, however much there has been. A value
// stays where it is in memory. Engine's thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir {

template <class Value>
class PagedTable {
 public:
  // Null, or a Value{}: the place is not taken.
  const Value* find(std::size_t i) const {
    return i / kPage < values_.size() ? &values_[i / kPage][i % kPage] : nullptr;
  }
  // The place is taken.
  Value& operator[](std::size_t i) { return pages_[i / kPage]->values[i % kPage]; }
  // Takes a place that is not taken.
  Value& take(std::size_t i) {
    if (i / kPage >= pages_.size()) {
      pages_.resize(i / kPage + 1);
      values_.resize(pages_.size(), kNothing.data());
    }
    std::unique_ptr<Page>& page = pages_[i / kPage];
    if (page == nullptr) {
      page = std::make_unique<Page>();
      values_[i / kPage] = page->values.data();
    }
    ++page->taken;
    return page->values[i % kPage];
  }
  // Gives up a place that is taken.
  void give_up(std::size_t i) {
    std::unique_ptr<Page>& page = pages_[i / kPage];
    page->values[i % kPage] = Value{};
    if (--page->taken > 0) return;
    page.reset();
    values_[i / kPage] = kNothing.data();
  }
  // `visit(number, value)` in order, of taken places and of Value{}s beside them.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t page = 0; page < pages_.size(); ++page) {
      if (pages_[page] == nullptr) continue;
      for (std::size_t i = 0; i < kPage; ++i) visit(page * kPage + i, pages_[page]->values[i]);
    }
  }
  // Hints that the value will be looked for.
  void prefetch(std::size_t i) const {
    if (const Value* value = find(i)) __builtin_prefetch(value);
  }
  // That are there, for tests.
  std::size_t pages() const {
    std::size_t count = 0;
    for (const auto& page : pages_) count += page != nullptr ? 1 : 0;
    return count;
  }

 private:
  static constexpr std::size_t kPage = 512;
  using Values = std::array<Value, kPage>;
  struct Page {
    Values values{};
    std::uint32_t taken = 0;
  };
  static inline const Values kNothing{};

  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<const Value*> values_;  // of each page; of one that is not there kNothing
};

}  // namespace weir
