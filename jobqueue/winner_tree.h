// An ordered set over a fixed number of places, each of which holds a key or nothing: a tournament
// whose inner nodes name the place with the smallest key below them. Replacing a key replays its
// matches upwards only as far as they can come out otherwise, which for most keys is a step or two;
// all of it lies in two blocks of memory. Walking in order costs nothing for the first and
// O(log n) for each further one. Derived state, on the engine's thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weir {

// Keys are compared by `<`; two that are equal must not be in it at the same time.
template <class Key>
class WinnerTree {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void resize(std::size_t places) {
    first_leaf_ = 1;
    while (first_leaf_ < places) first_leaf_ *= 2;
    keys_.assign(places, std::nullopt);
    winners_.assign(2 * first_leaf_, kNone);
  }

  std::size_t places() const { return keys_.size(); }
  const std::optional<Key>& at(std::size_t place) const { return keys_[place]; }

  void prefetch(std::size_t place) const {
    __builtin_prefetch(&keys_[place]);
    __builtin_prefetch(&winners_[first_leaf_ + place]);
  }

  void set(std::uint32_t place, const std::optional<Key>& key) {
    keys_[place] = key;
    std::size_t node = first_leaf_ + place;
    winners_[node] = key ? place : kNone;
    while (node > 1) {
      node /= 2;
      const std::uint32_t before = winners_[node];
      const std::uint32_t now = better(winners_[2 * node], winners_[2 * node + 1]);
      winners_[node] = now;
      if (now == before && now != place) return;  // it neither won nor wins here
    }
  }

  // Walks the keys in order. The tree must not change meanwhile.
  class Walk {
   public:
    explicit Walk(const WinnerTree& tree) : tree_(&tree) {}

    // The next key; null at the end.
    const Key* next() {
      if (tree_->winners_.empty() || tree_->winners_[1] == kNone) return nullptr;
      if (won_ == 0) return at(won_ = 1);
      const auto later = [this](std::uint32_t a, std::uint32_t b) { return *at(b) < *at(a); };
      // Whom the last winner beat on its way up to `won_` comes into question now.
      for (auto node = static_cast<std::uint32_t>(tree_->first_leaf_) + tree_->winners_[won_];
           node != won_; node /= 2) {
        if (tree_->winners_[node ^ 1] == kNone) continue;
        open_.push_back(node ^ 1);
        std::push_heap(open_.begin(), open_.end(), later);
      }
      if (open_.empty()) return nullptr;
      std::pop_heap(open_.begin(), open_.end(), later);
      won_ = open_.back();
      open_.pop_back();
      return at(won_);
    }

   private:
    const Key* at(std::uint32_t node) const { return &*tree_->keys_[tree_->winners_[node]]; }

    const WinnerTree* tree_;
    std::vector<std::uint32_t> open_;  // a heap of nodes: what they name has not been visited
    std::uint32_t won_ = 0;            // the node that named the last key; 0: none yet
  };

  // Visits keys in order until `take(key)` says true; tells whether one did.
  template <class Take>
  bool visit(Take take) const {
    Walk walk(*this);
    while (const Key* key = walk.next()) {
      if (take(*key)) return true;
    }
    return false;
  }

 private:
  std::uint32_t better(std::uint32_t a, std::uint32_t b) const {
    if (a == kNone || b == kNone) return a == kNone ? b : a;
    return *keys_[b] < *keys_[a] ? b : a;
  }

  std::vector<std::optional<Key>> keys_;  // by place
  std::vector<std::uint32_t> winners_;    // of node i the children are 2i and 2i + 1
  std::size_t first_leaf_ = 0;
};

}  // namespace weir
