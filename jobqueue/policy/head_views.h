// Which child of a queue, or of a pool, stands first where containers count, kept for offers that
// come again and again. What children would give on a tracker depends, but for few of them, on no
// more than which sizes fit there: so each family has an order of its children for each set of
// sizes that trackers with room have come with. A child that has changed stands where it could come
// at best, and is asked when that is the first place. Children whose answers depend on the very
// tracker (their first task has failed on one, or requires a label) stand apart and are asked at
// each offer. Derived state, on the engine's thread.
#pragma once

#include <algorithm>
#include <boost/container/flat_set.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "jobqueue/policy/size_masks.h"
#include "jobqueue/policy/winner_tree.h"

namespace weir {

// Where a child stands among its siblings: by step, below 16, then by key; ties go to the earlier
// one. Most are told apart by one number, of the step and of what `coarse(key)` says of the key.
template <class Key>
class HeadRank {
 public:
  HeadRank() = default;
  HeadRank(int step, const Key& key, std::uint32_t child = 0)
      : first_((static_cast<std::uint64_t>(step) << 60) | coarse(key)), key_(key), child_(child) {}
  std::uint32_t child() const { return child_; }
  void set_child(std::uint32_t child) { child_ = child; }
  friend bool operator<(const HeadRank& a, const HeadRank& b) {
    if (a.first_ != b.first_) return a.first_ < b.first_;
    if (const auto order = a.key_ <=> b.key_; order != 0) return order < 0;
    return a.child_ < b.child_;
  }
  friend bool operator==(const HeadRank& a, const HeadRank& b) {
    return a.first_ == b.first_ && a.child_ == b.child_ && (a.key_ <=> b.key_) == 0;
  }

 private:
  std::uint64_t first_ = 0;
  Key key_{};
  std::uint32_t child_ = 0;  // at the end, so that the place in a tournament fits behind it
};

// The heads of one family's children as they are asked for, and the best of them so far.
template <class Head>
struct HeadContest {
  using Rank = HeadRank<decltype(Head::key)>;
  std::function<bool(const Head&)> gives_way = {};  // to who waits below the parent
  std::optional<Head> best = std::nullopt;
  Rank rank;  // the best one's
  bool is_won_by(const Rank& other) const { return !best || other < rank; }
  void enter(std::uint32_t child, const std::optional<Head>& head) {
    if (head) enter(*head, {head->step, head->key, child});
  }
  void enter(const Head& head, const Rank& its) {
    if (!is_won_by(its) || (gives_way && gives_way(head))) return;
    best = head;
    rank = its;
  }
};

// A head has a `step` and, among those of one step, a `key`.
template <class Head>
class HeadViews {
 public:
  using Rank = HeadRank<decltype(Head::key)>;
  using Children = boost::container::flat_set<std::uint32_t>;
  struct Answer {
    std::optional<Head> head;
    bool depends = false;  // on the very tracker
  };

  class View {
   public:
    // The first child; null: there is none. `ask(child)` tells what one would give.
    template <class Ask>
    const Rank* first(Ask ask) {
      for (;;) {
        const Rank* found = order_.first();
        if (found == nullptr || known_[found->child()] != 0) return found;
        const std::uint32_t child = found->child();
        set(child, ask(child));
      }
    }
    const Head& head(std::uint32_t child) const { return heads_[child]; }
    // Out of the order, until all that were hidden come back.
    void hide(std::uint32_t child) {
      if (const Rank* rank = order_.at(child)) {
        hidden_.push_back(*rank);
        order_.clear(child);
      }
    }
    void show_all() {
      for (const Rank& rank : hidden_) order_.set(rank.child(), rank);
      hidden_.clear();
    }
    // Its head; null: it gives nothing, or its answer depends on the tracker.
    template <class Ask>
    std::optional<Head> known(std::uint32_t child, Ask ask) {
      if (order_.at(child) == nullptr) return std::nullopt;
      if (known_[child] == 0) set(child, ask(child));
      return order_.at(child) == nullptr ? std::nullopt : std::optional(heads_[child]);
    }
    const Children& depending() const { return depending_; }

   private:
    friend class HeadViews;
    void has_changed(std::uint32_t child, const std::optional<Rank>& at_best) {
      if (!depending_.empty()) depending_.erase(child);
      known_[child] = 0;
      if (at_best) {
        order_.set(child, *at_best);
      } else if (order_.at(child) != nullptr) {
        order_.clear(child);
      }
    }
    void set(std::uint32_t child, const Answer& answer) {
      if (answer.depends) depending_.insert(child);
      if (answer.depends || !answer.head) return order_.clear(child);
      heads_[child] = *answer.head;
      known_[child] = 1;
      const Rank rank(answer.head->step, answer.head->key, child);
      const Rank* at_best = order_.at(child);
      if (at_best == nullptr || !(*at_best == rank)) order_.set(child, rank);
    }

    WinnerTree<Rank> order_;
    std::vector<Head> heads_;
    std::vector<std::uint8_t> known_;  // whether it is; else the child comes there at best
    Children depending_;
    std::vector<Rank> hidden_;
    std::uint64_t seen_ = 0;  // of the family's changes
  };

  // Families by number, of so many children each.
  explicit HeadViews(const std::vector<std::size_t>& children) {
    for (const std::size_t count : children) families_.push_back(Family(count));
  }

  // The family has so many children now, others than before.
  void reset(std::size_t family, std::size_t children) {
    while (families_.size() <= family) families_.push_back(Family(0));
    families_[family] = Family(children);
  }
  // Any of its children may have changed.
  void forget(std::size_t family) {
    Family& here = families_[family];
    here.forgotten += here.changes.size() + 1;
    here.changes.clear();
  }
  void mark(std::size_t family, std::uint32_t child) {
    Family& here = families_[family];
    if (here.views.empty()) return;
    here.changes.push_back(child);
    if (here.changes.size() <= 8 * here.children + 64) return;
    // Who has not seen the older half asks all; others go on.
    const std::size_t half = here.changes.size() / 2;
    here.changes.erase(here.changes.begin(), here.changes.begin() + half);
    here.forgotten += half;
  }

  // The order of the family where these masks hold; `at_best(child)` tells where a child may stand,
  // if it could give anything.
  template <class AtBest>
  View& at(std::size_t family, const SizeMasks& masks, AtBest at_best) {
    Family& here = families_[family];
    View& view = here.of(masks);
    const std::uint64_t now = here.forgotten + here.changes.size();
    if (view.seen_ < here.forgotten) {
      for (std::uint32_t child = 0; child < here.children; ++child)
        view.has_changed(child, at_best(child));
    } else if (view.seen_ < now) {
      ++here.rounds;
      for (std::size_t i = view.seen_ - here.forgotten; i < here.changes.size(); ++i) {
        const std::uint32_t child = here.changes[i];
        if (here.asked[child] == here.rounds) continue;
        here.asked[child] = here.rounds;
        view.has_changed(child, at_best(child));
      }
    }
    view.seen_ = now;
    return view;
  }

 private:
  static constexpr std::size_t kViews = 16;  // of a family: that used longest ago goes

  struct Family {
    explicit Family(std::size_t count) : children(count), asked(count, 0) {}
    View& of(const SizeMasks& masks) {
      ++uses;
      const auto found = std::find_if(views.begin(), views.end(),
                                      [&](const Kept& each) { return each.masks == masks; });
      if (found != views.end()) {
        found->used = uses;
        return *found->view;
      }
      if (forgotten == 0) forgotten = 1;  // a new one has seen nothing
      Kept& kept = views.size() < kViews
                       ? views.emplace_back()
                       : *std::min_element(views.begin(), views.end(),
                                           [](const Kept& a, const Kept& b) {
                                             return a.used < b.used;
                                           });
      kept = {masks, uses, std::make_unique<View>()};
      View& view = *kept.view;
      view.order_.resize(children);
      view.heads_.resize(children);
      view.known_.resize(children);
      return view;
    }
    struct Kept {
      SizeMasks masks;
      std::uint64_t used = 0;
      std::unique_ptr<View> view;
    };
    std::size_t children;
    std::vector<Kept> views;
    std::vector<std::uint32_t> changes;  // since `forgotten`
    std::uint64_t forgotten = 0;
    std::uint64_t uses = 0, rounds = 0;
    std::vector<std::uint64_t> asked;  // by child, in which round
  };

  std::vector<Family> families_;
};

}  // namespace weir
