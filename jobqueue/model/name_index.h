// From names to dense ids: a hash table of ids alone. The names stay where they are, and looking
// one up makes no copy of it. Never walked, so its order reaches no decision. Engine's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace weir {

template <class Id>
class NameIndex {
 public:
  // `name_of(id)` gives the name of an id that was added.
  template <class NameOf>
  Id find(std::string_view name, NameOf name_of) const {
    if (table_.empty()) return Id{};
    const auto hash = hash_of(name);
    for (std::size_t i = hash & mask();; i = (i + 1) & mask()) {
      const Entry& entry = table_[i];
      if (!entry.id.valid()) return Id{};
      if (entry.hash == hash && name_of(entry.id) == name) return entry.id;
    }
  }
  // The name must not be there yet.
  void add(std::string_view name, Id id) {
    if (2 * (count_ + 1) > table_.size()) grow();
    place({hash_of(name), id});
    ++count_;
  }

 private:
  struct Entry {
    std::uint32_t hash = 0;
    Id id;
  };
  static std::uint32_t hash_of(std::string_view name) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(name));
  }
  std::size_t mask() const { return table_.size() - 1; }
  void place(Entry entry) {
    std::size_t i = entry.hash & mask();
    while (table_[i].id.valid()) i = (i + 1) & mask();
    table_[i] = entry;
  }
  void grow() {
    std::vector<Entry> old(table_.empty() ? 16 : table_.size() * 2);
    old.swap(table_);
    for (const Entry& entry : old) {
      if (entry.id.valid()) place(entry);
    }
  }

  std::vector<Entry> table_;  // a power of two, at most half full
  std::size_t count_ = 0;
};

}  // namespace weir
