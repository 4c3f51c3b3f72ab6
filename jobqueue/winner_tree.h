// An ordered set over a fixed number of places, each of which holds a key or nothing: a tournament
// whose inner nodes repeat the smallest key below them, with its place. Replacing a key replays its
// matches upwards only as far as they can come out otherwise; those who meet lie side by side, so a
// match looks at a line or two of memory, which are known before any match is played. Walking in
// order costs nothing for the first and O(log n) for each further one. Derived state, on the
// engine's thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weir {

// Keys are classes, compared by `<`; two that are equal must not be in it at the same time.
template <class Key>
class WinnerTree {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void resize(std::size_t places) {
    places_ = places;
    first_leaf_ = 1;
    while (first_leaf_ < places) first_leaf_ *= 2;
    nodes_.assign(2 * first_leaf_, Node{});
  }

  std::size_t places() const { return places_; }
  // Null: nothing.
  const Key* at(std::size_t place) const { return nodes_[first_leaf_ + place].key(); }

  // Hints that the place will get another key.
  void prefetch(std::size_t place) const {
    for (std::size_t node = first_leaf_ + place; node > 1; node /= 2) {
      __builtin_prefetch(&nodes_[node]);
      __builtin_prefetch(&nodes_[node ^ 1]);
    }
  }

  void set(std::uint32_t place, const Key& key) { replay(place, Node{key, place}); }
  void set(std::uint32_t place, const std::optional<Key>& key) {
    key ? set(place, *key) : clear(place);
  }
  void clear(std::uint32_t place) { replay(place, Node{}); }

  // Walks the keys in order. The tree must not change meanwhile.
  class Walk {
   public:
    explicit Walk(const WinnerTree& tree) : tree_(&tree) {}

    // The next key; null at the end.
    const Key* next() {
      const auto& nodes = tree_->nodes_;
      if (nodes.empty() || nodes[1].holder == kNone) return nullptr;
      if (won_ == 0) return nodes[won_ = 1].key();
      const auto later = [&nodes](std::uint32_t a, std::uint32_t b) { return nodes[b] < nodes[a]; };
      // Whom the last winner beat on its way up to `won_` comes into question now.
      for (auto node = static_cast<std::uint32_t>(tree_->first_leaf_) + nodes[won_].holder;
           node != won_; node /= 2) {
        if (nodes[node ^ 1].holder == kNone) continue;
        open_.push_back(node ^ 1);
        std::push_heap(open_.begin(), open_.end(), later);
      }
      if (open_.empty()) return nullptr;
      std::pop_heap(open_.begin(), open_.end(), later);
      won_ = open_.back();
      open_.pop_back();
      return nodes[won_].key();
    }

   private:
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
  // A base class, so that the place may stand in the padding at the key's end.
  struct Node : Key {
    Node() = default;
    Node(const Key& key, std::uint32_t place) : Key(key), holder(place) {}
    const Key* key() const { return holder == kNone ? nullptr : this; }
    std::uint32_t holder = kNone;  // the place whose key it is
  };

  static bool beats(const Node& a, const Node& b) {
    if (a.holder == kNone || b.holder == kNone) return b.holder == kNone;
    return static_cast<const Key&>(a) < static_cast<const Key&>(b);
  }

  // `best` is what the place holds from now on. It stays in registers: what has just been written
  // is slow to read in other pieces.
  void replay(std::uint32_t place, Node best) {
    std::size_t at = first_leaf_ + place;
    nodes_[at] = best;
    while (at > 1) {
      const Node& other = nodes_[at ^ 1];
      if (beats(other, best)) best = other;
      at /= 2;
      const std::uint32_t before = nodes_[at].holder;
      nodes_[at] = best;
      if (best.holder == before && before != place) return;  // it neither won nor wins here
    }
  }

  std::vector<Node> nodes_;  // of node i the children are 2i and 2i + 1; leaves by place
  std::size_t first_leaf_ = 0;
  std::size_t places_ = 0;
};

}  // namespace weir
