// Ids in the order in which they last came, the one that came first at the front. Time is monotone,
// so the list is ordered by time too: trackers by when they were last heard of, attempts by their
// launch. Doubly linked over dense ids, O(1) for everything. Engine's thread.
#pragma once

#include <vector>

#include "jobqueue/model/ids.h"

namespace weir {

template <class I>
class ArrivalList {
 public:
  // It goes to the end; it need not be in the list yet.
  void arrive(I id) {
    if (id.index() >= links_.size()) links_.resize(id.index() + 1);
    erase(id);
    Link& link = links_[id.index()];
    link.before = last_;
    link.listed = true;
    (last_.valid() ? links_[last_.index()].after : first_) = id;
    last_ = id;
  }
  void erase(I id) {
    if (id.index() >= links_.size() || !links_[id.index()].listed) return;
    const Link link = links_[id.index()];
    (link.before.valid() ? links_[link.before.index()].after : first_) = link.after;
    (link.after.valid() ? links_[link.after.index()].before : last_) = link.before;
    links_[id.index()] = Link{};
  }
  I first() const { return first_; }  // invalid: nobody is listed
  I after(I id) const { return links_[id.index()].after; }

 private:
  struct Link {
    I before, after;
    bool listed = false;
  };
  std::vector<Link> links_;
  I first_, last_;
};

}  // namespace weir
