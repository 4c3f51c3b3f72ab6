// Trackers in the order in which they were last heard of, the most silent first. Time is monotone,
// so whoever reports goes to the end: a doubly linked list over dense ids, O(1) for everything.
// Engine's thread.
#pragma once

#include <vector>

#include "jobqueue/ids.h"

namespace weir {

class SilenceList {
 public:
  // The tracker was heard of just now; it need not be in the list yet.
  void heard(TrackerId id) {
    if (id.index() >= links_.size()) links_.resize(id.index() + 1);
    erase(id);
    Link& link = links_[id.index()];
    link.before = last_;
    link.listed = true;
    (last_.valid() ? links_[last_.index()].after : first_) = id;
    last_ = id;
  }
  void erase(TrackerId id) {
    if (id.index() >= links_.size() || !links_[id.index()].listed) return;
    const Link link = links_[id.index()];
    (link.before.valid() ? links_[link.before.index()].after : first_) = link.after;
    (link.after.valid() ? links_[link.after.index()].before : last_) = link.before;
    links_[id.index()] = Link{};
  }
  TrackerId first() const { return first_; }  // invalid: nobody is listed
  TrackerId after(TrackerId id) const { return links_[id.index()].after; }

 private:
  struct Link {
    TrackerId before, after;
    bool listed = false;
  };
  std::vector<Link> links_;
  TrackerId first_, last_;
};

}  // namespace weir
