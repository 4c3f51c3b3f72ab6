// A set of task indexes that gives the lowest first: a bitmap with a summary bitmap per level,
// 64-way. Insert, erase and first() take a handful of word operations whatever the size, and a task
// costs about one bit.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace weir {

class TaskSet {
 public:
  TaskSet() = default;
  explicit TaskSet(std::uint32_t capacity) { reset(capacity); }

  // Empties the set and makes room for indexes below `capacity`.
  void reset(std::uint32_t capacity) {
    levels_.clear();
    count_ = 0;
    std::uint32_t words = (capacity + 63) / 64;
    do {
      if (words == 0) words = 1;
      levels_.emplace_back(words, 0);
      words = words == 1 ? 0 : (words + 63) / 64;
    } while (words != 0);
  }

  void fill(std::uint32_t capacity) {
    reset(capacity);
    for (std::uint32_t i = 0; i < capacity; ++i) insert(i);
  }

  std::uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

  bool contains(std::uint32_t i) const {
    return !levels_.empty() && i / 64 < levels_[0].size() &&
           (levels_[0][i / 64] >> (i % 64) & 1) != 0;
  }

  bool insert(std::uint32_t i) {
    if (contains(i)) return false;
    for (auto& level : levels_) {
      level[i / 64] |= std::uint64_t{1} << (i % 64);
      i /= 64;
    }
    ++count_;
    return true;
  }

  bool erase(std::uint32_t i) {
    if (!contains(i)) return false;
    for (auto& level : levels_) {
      level[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      if (level[i / 64] != 0) break;
      i /= 64;
    }
    --count_;
    return true;
  }

  std::optional<std::uint32_t> first() const {
    if (count_ == 0) return std::nullopt;
    std::uint32_t i = 0;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      i = i * 64 + static_cast<std::uint32_t>(std::countr_zero((*level)[i]));
    }
    return i;
  }

  // The lowest member >= i.
  std::optional<std::uint32_t> at_or_after(std::uint32_t i) const {
    for (std::size_t level = 0; level < levels_.size(); ++level, i = i / 64 + 1) {
      if (i / 64 >= levels_[level].size()) return std::nullopt;
      const std::uint64_t rest = levels_[level][i / 64] & (~std::uint64_t{0} << (i % 64));
      if (rest == 0) continue;
      std::uint32_t found = i / 64 * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
      for (std::size_t down = level; down-- > 0;) {
        found = found * 64 + static_cast<std::uint32_t>(std::countr_zero(levels_[down][found]));
      }
      return found;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  // [0] the members, then summaries
  std::uint32_t count_ = 0;
};

}  // namespace weir
