// A set of dense ids that have changed: a bit each, so that noting one again costs nothing, and a
// list of them in the order in which they were first noted. Engine's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir {

template <class Id>
class ChangedIds {
 public:
  void insert(Id id) {
    const std::size_t word = id.index() / 64;
    const std::uint64_t bit = std::uint64_t{1} << (id.index() % 64);
    if (word >= noted_.size()) grow(word);
    if ((noted_[word] & bit) != 0) return;
    noted_[word] |= bit;
    ids_.push_back(id);
  }
  bool empty() const { return ids_.empty(); }
  std::size_t size() const { return ids_.size(); }
  bool contains(Id id) const {
    return id.index() / 64 < noted_.size() && (noted_[id.index() / 64] >> (id.index() % 64) & 1);
  }
  auto begin() const { return ids_.begin(); }
  auto end() const { return ids_.end(); }
  void clear() {
    for (const Id id : ids_) noted_[id.index() / 64] = 0;
    ids_.clear();
  }

 private:
  [[gnu::noinline]] void grow(std::size_t word) { noted_.resize(word + 1, 0); }

  std::vector<std::uint64_t> noted_;
  std::vector<Id> ids_;
};

}  // namespace weir
