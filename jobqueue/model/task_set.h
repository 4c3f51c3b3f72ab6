// A set of task indexes that gives the lowest first: a bitmap with a summary bitmap per level,
// 64-way. Insert, erase and first() take a handful of word operations whatever the size, and a task
// costs about one bit. Up to 64 indexes, as most jobs have, stand in the object itself; the levels
// of larger sets lie one after the other in one block, the members first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace weir {

class TaskSet {
 public:
  TaskSet() = default;
  explicit TaskSet(std::uint32_t capacity) { reset(capacity); }

  // The same members. Said in so many words: a large one is a large copy.
  TaskSet copied() const {
    TaskSet out;
    out.capacity_ = capacity_;
    out.count_ = count_;
    out.only_ = only_;
    if (words_ == nullptr) return out;
    const std::size_t words = all_words(capacity_);
    out.words_ = std::make_unique<std::uint64_t[]>(words);
    std::copy_n(words_.get(), words, out.words_.get());
    return out;
  }

  // Empties the set and makes room for indexes below `capacity`.
  void reset(std::uint32_t capacity) {
    capacity_ = capacity;
    count_ = 0;
    only_ = 0;
    words_.reset();
    if (capacity > 64) words_ = std::make_unique<std::uint64_t[]>(all_words(capacity));
  }

  void fill(std::uint32_t capacity) {
    reset(capacity);
    for (std::uint32_t i = 0; i < capacity; ++i) insert(i);
  }

  std::uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

  bool contains(std::uint32_t i) const {
    return i < capacity_ && (members()[i / 64] >> (i % 64) & 1) != 0;
  }

  bool insert(std::uint32_t i) {
    if (i >= capacity_ || contains(i)) return false;
    ++count_;
    std::uint64_t* words = members();
    for (std::uint32_t size = words_in(capacity_);; size = words_in(size)) {
      words[i / 64] |= std::uint64_t{1} << (i % 64);
      if (size == 1) return true;
      words += size;
      i /= 64;
    }
  }

  bool erase(std::uint32_t i) {
    if (!contains(i)) return false;
    --count_;
    std::uint64_t* words = members();
    for (std::uint32_t size = words_in(capacity_);; size = words_in(size)) {
      words[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      if (words[i / 64] != 0 || size == 1) return true;
      words += size;
      i /= 64;
    }
  }

  std::optional<std::uint32_t> first() const {
    if (count_ == 0) return std::nullopt;
    return at_or_after(0);
  }

  // The lowest member >= i.
  std::optional<std::uint32_t> at_or_after(std::uint32_t i) const {
    std::uint32_t sizes[kLevels];
    std::size_t levels = 0;
    const std::uint64_t* words = members();
    for (std::uint32_t size = words_in(capacity_);; size = words_in(size)) {
      sizes[levels++] = size;
      if (i / 64 >= size) return std::nullopt;
      const std::uint64_t rest = words[i / 64] & (~std::uint64_t{0} << (i % 64));
      if (rest != 0) {
        std::uint32_t found = i / 64 * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
        for (std::size_t down = levels - 1; down-- > 0;) {
          words -= sizes[down];
          found = found * 64 + static_cast<std::uint32_t>(std::countr_zero(words[found]));
        }
        return found;
      }
      if (size == 1) return std::nullopt;
      words += size;
      i = i / 64 + 1;
    }
  }

 private:
  // Of all levels of a set too large for one word.
  static std::size_t all_words(std::uint32_t capacity) {
    std::size_t words = 0;
    for (std::uint32_t level = words_in(capacity);; level = words_in(level)) {
      words += level;
      if (level == 1) return words;
    }
  }
  static constexpr std::size_t kLevels = 6;  // 64^6 is more than an index can say
  static constexpr std::uint32_t words_in(std::uint32_t bits) {
    return bits <= 64 ? 1 : (bits - 1) / 64 + 1;
  }
  std::uint64_t* members() { return words_ == nullptr ? &only_ : words_.get(); }
  const std::uint64_t* members() const { return words_ == nullptr ? &only_ : words_.get(); }

  std::uint64_t only_ = 0;                  // capacity <= 64
  std::unique_ptr<std::uint64_t[]> words_;  // of larger sets
  std::uint32_t capacity_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace weir
