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

  // Visits keys in order until `take(key)` says true; tells whether one did.
  template <class Take>
  bool visit(Take take) const {
    if (winners_.empty() || winners_[1] == kNone) return false;
    if (take(*keys_[winners_[1]])) return true;
    const auto later = [this](std::uint32_t a, std::uint32_t b) {
      return *keys_[winners_[b]] < *keys_[winners_[a]];
    };
    std::vector<std::uint32_t> open;  // a heap of nodes: what they name has not been visited
    std::uint32_t won = 1;
    while (true) {
      // Whom the last winner beat on its way up to `won` comes into question now.
      for (auto node = static_cast<std::uint32_t>(first_leaf_) + winners_[won]; node != won;
           node /= 2) {
        if (winners_[node ^ 1] == kNone) continue;
        open.push_back(node ^ 1);
        std::push_heap(open.begin(), open.end(), later);
      }
      if (open.empty()) return false;
      std::pop_heap(open.begin(), open.end(), later);
      won = open.back();
      open.pop_back();
      if (take(*keys_[winners_[won]])) return true;
    }
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
