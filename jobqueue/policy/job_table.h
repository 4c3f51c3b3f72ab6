// What somebody keeps of each job. Ids are given out in order, and every free slot asks for many
// jobs, so the table is dense, and finds without hashing; an entry stays where it is in memory. A
// job that has gone leaves a pointer's room. Engine's thread.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "jobqueue/model/ids.h"

namespace weir {

template <class Entry>
class JobTable {
 public:
  // Null: it has none. An entry of a constant table may be changed: policies settle what was marked
  // when they are asked, a cache.
  Entry* find(JobId job) const {
    return job.index() < entries_.size() ? entries_[job.index()].get() : nullptr;
  }
  // Made if there is none yet.
  Entry& operator[](JobId job) {
    if (job.index() >= entries_.size()) entries_.resize(job.index() + 1);
    auto& entry = entries_[job.index()];
    if (entry == nullptr) entry = std::make_unique<Entry>();
    return *entry;
  }
  void erase(JobId job) {
    if (job.index() < entries_.size()) entries_[job.index()].reset();
  }
  // `visit(id, entry)` in the order of ids; it makes and erases none.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i] != nullptr) visit(JobId(i), *entries_[i]);
    }
  }
  // Hints that the job will be looked for.
  void prefetch(JobId job) const {
    if (job.index() < entries_.size()) __builtin_prefetch(&entries_[job.index()]);
  }

 private:
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace weir
