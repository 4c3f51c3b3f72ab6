// An ordered set whose members come and go and change their keys often: a WinnerTree that grows,
// with places given out to members. A member keeps its place while it is in the set, with a key or
// without one. Derived state, on the engine's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "jobqueue/policy/winner_tree.h"

namespace weir {

template <class Key>
class RankedSet {
 public:
  using Place = std::uint32_t;

  Place join() {
    if (free_.empty()) grow();
    const Place place = free_.back();
    free_.pop_back();
    return place;
  }
  void leave(Place place) {
    clear(place);
    free_.push_back(place);
  }
  void set(Place place, const std::optional<Key>& key) { key ? set(place, *key) : clear(place); }
  void set(Place place, const Key& key) {
    const Key* old = tree_.at(place);
    if (old == nullptr || !(*old == key)) tree_.set(place, key);
  }
  void clear(Place place) {
    if (tree_.at(place) != nullptr) tree_.clear(place);
  }
  void prefetch(Place place) const { tree_.prefetch(place); }
  // For a change of what keys compare by: no key may stand there while it happens.
  void clear_keys() {
    const std::size_t places = tree_.places();
    tree_.resize(places);
  }

  // Null if nobody has a key.
  const Key* first() const { return typename WinnerTree<Key>::Walk(tree_).next(); }
  template <class Take>
  bool visit(Take take) const {
    return tree_.visit(take);
  }
  const WinnerTree<Key>& tree() const { return tree_; }

 private:
  void grow() {
    const std::size_t places = tree_.places();
    WinnerTree<Key> larger;
    larger.resize(places == 0 ? 4 : 2 * places);
    for (Place i = 0; i < places; ++i) {
      if (const Key* key = tree_.at(i)) larger.set(i, *key);
    }
    for (std::size_t i = larger.places(); i-- > places;) free_.push_back(static_cast<Place>(i));
    tree_ = std::move(larger);
  }

  WinnerTree<Key> tree_;
  std::vector<Place> free_;
};

}  // namespace weir
