// Numbers that sort as their keys do: comparing two numbers stands for comparing two keys, such as
// (submit time, name, id). A new key gets a number between its neighbours'; where there is none
// left, all are dealt out anew, which is rare: keys mostly come in at the end. Derived state, on
// the engine's thread.
#pragma once

#include <cstdint>
#include <map>

namespace weir {

template <class Key>
class OrderLabels {
 public:
  using Label = std::uint64_t;

  // The key must not be there yet. Tells whether other keys have other labels now.
  bool insert(const Key& key) {
    const auto [at, added] = labels_.try_emplace(key, 0);
    if (!added) return false;
    const Label before = at == labels_.begin() ? 0 : std::prev(at)->second;
    const auto after = std::next(at);
    if (after == labels_.end()) {
      at->second = labels_.size() == 1 ? kMiddle : before + kGap;
      if (at->second > before && at->second < UINT64_MAX - kGap) return false;
    } else {
      const Label room = after->second - before;
      at->second = before + (room > 2 * kGap ? room - kGap : room / 2);
      if (at->second > before) return false;
    }
    Label next = kMiddle - kGap * (labels_.size() / 2);
    for (auto& [other, label] : labels_) label = next += kGap;
    return true;
  }
  void erase(const Key& key) { labels_.erase(key); }
  Label at(const Key& key) const { return labels_.at(key); }

  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [key, label] : labels_) visit(key, label);
  }

 private:
  static constexpr Label kMiddle = Label{1} << 63;
  static constexpr Label kGap = Label{1} << 32;

  std::map<Key, Label> labels_;
};

}  // namespace weir
