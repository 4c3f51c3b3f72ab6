// An ordered set over a fixed number of places, each of which holds a key or nothing: a tournament
// in rounds of four, whose inner nodes repeat the smallest key below them, with its place.
// Replacing a key replays its matches upwards only as far as they can come out otherwise; the four
// who meet lie side by side, so that a match looks at two or three lines of memory, which are known
// before any match is played. Walking in order costs nothing for the first and O(log n) for each
// further one. Derived state, on the engine's thread.
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
    first_leaf_ = places < 2 ? 0 : (places - 2) / (kMeet - 1) + 1;
    nodes_.assign(kMargin + first_leaf_ + places, Node{});
  }

  std::size_t places() const { return places_; }
  // Null: nothing.
  const Key* at(std::size_t place) const { return node(first_leaf_ + place).key(); }

  // The smallest; null: there is none.
  const Key* first() const { return places_ == 0 ? nullptr : node(0).key(); }

  // Hints that the place will get another key.
  void prefetch(std::size_t place) const {
    for (std::size_t at = first_leaf_ + place; at > 0; at = above(at)) {
      const Node* group = &node(kMeet * above(at) + 1);
      for (std::size_t i = 0; i < kMeet * sizeof(Node); i += 64) {
        __builtin_prefetch(reinterpret_cast<const char*>(group) + i);
      }
    }
  }

  void set(std::uint32_t place, const Key& key) {
    Node& leaf = nodes_[kMargin + first_leaf_ + place];
    static_cast<Key&>(leaf) = key;
    leaf.holder = place;
    replay(place);
  }
  void set(std::uint32_t place, const std::optional<Key>& key) {
    key ? set(place, *key) : clear(place);
  }
  void clear(std::uint32_t place) {
    nodes_[kMargin + first_leaf_ + place].holder = kNone;
    replay(place);
  }

  // Walks the keys in order. The tree must not change meanwhile.
  class Walk {
   public:
    explicit Walk(const WinnerTree& tree) : tree_(&tree) {}

    // The next key; null at the end.
    const Key* next() {
      if (tree_->places_ == 0 || tree_->node(0).holder == kNone) return nullptr;
      if (won_ == kNone) return tree_->node(won_ = 0).key();
      const auto later = [this](std::uint32_t a, std::uint32_t b) {
        return tree_->node(b) < tree_->node(a);
      };
      // Whom the last winner beat on its way up to `won_` comes into question now.
      for (std::size_t at = tree_->first_leaf_ + tree_->node(won_).holder; at != won_;
           at = above(at)) {
        const std::size_t first = kMeet * above(at) + 1;
        const std::size_t end = std::min(first + kMeet, tree_->nodes_.size() - kMargin);
        for (std::size_t other = first; other < end; ++other) {
          if (other == at || tree_->node(other).holder == kNone) continue;
          open_.push_back(static_cast<std::uint32_t>(other));
          std::push_heap(open_.begin(), open_.end(), later);
        }
      }
      if (open_.empty()) return nullptr;
      std::pop_heap(open_.begin(), open_.end(), later);
      won_ = open_.back();
      open_.pop_back();
      return tree_->node(won_).key();
    }

   private:
    const WinnerTree* tree_;
    std::vector<std::uint32_t> open_;  // a heap of nodes: what they name has not been visited
    std::uint32_t won_ = kNone;        // the node that named the last key; kNone: none yet
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
    const Key* key() const { return holder == kNone ? nullptr : this; }
    std::uint32_t holder = kNone;  // the place whose key it is
  };

  static bool beats(const Node& a, const Node& b) {
    if (a.holder == kNone || b.holder == kNone) return b.holder == kNone;
    return static_cast<const Key&>(a) < static_cast<const Key&>(b);
  }

  static constexpr std::size_t kMeet = 4;    // in one match
  static constexpr std::size_t kMargin = 3;  // so that those who meet begin where a line does
  static std::size_t above(std::size_t at) { return (at - 1) / kMeet; }
  const Node& node(std::size_t at) const { return nodes_[kMargin + at]; }

  // The place holds something else. The best so far stays where it is: a copy of it would be put
  // together in pieces, and what was written in pieces is slow to read as a whole.
  void replay(std::uint32_t place) {
    std::size_t at = first_leaf_ + place;
    Node* nodes = nodes_.data() + kMargin;
    const std::size_t size = nodes_.size() - kMargin;
    const Node* best = &nodes[at];
    while (at > 0) {
      const std::size_t up = above(at);
      const std::size_t end = std::min(kMeet * up + 1 + kMeet, size);
      for (std::size_t other = kMeet * up + 1; other < end; ++other) {
        if (other != at && beats(nodes[other], *best)) best = &nodes[other];
      }
      at = up;
      const std::uint32_t before = nodes[at].holder;
      nodes[at] = *best;
      if (best->holder == before && before != place) return;  // it neither won nor wins here
    }
  }

  std::vector<Node> nodes_;     // after the margin: of node i the children are 4i + 1 to 4i + 4
  std::size_t first_leaf_ = 0;  // leaves by place
  std::size_t places_ = 0;
};

}  // namespace weir
