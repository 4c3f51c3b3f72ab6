// What somebody keeps of each job. Ids are given out in order, and every free slot asks for many
// jobs, so the table finds without hashing; an entry stays where it is in memory, and what is left
// of jobs that have gone goes page by page (paged_table.h). Engine's thread.
#pragma once

#include <cstddef>
#include <memory>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/paged_table.h"

namespace weir {

template <class Entry>
class JobTable {
 public:
  // Null: it has none. An entry of a constant table may be changed: policies settle what was marked
  // when they are asked, a cache.
  Entry* find(JobId job) const {
    const auto* entry = entries_.find(job.index());
    return entry != nullptr ? entry->get() : nullptr;
  }
  // Made if there is none yet.
  Entry& operator[](JobId job) {
    if (Entry* entry = find(job)) return *entry;
    return *(entries_.take(job.index()) = std::make_unique<Entry>());
  }
  void erase(JobId job) {
    if (find(job) != nullptr) entries_.give_up(job.index());
  }
  // `visit(id, entry)` in the order of ids; it makes and erases none.
  template <class Visit>
  void each(Visit visit) const {
    entries_.each([&](std::size_t i, const std::unique_ptr<Entry>& entry) {
      if (entry != nullptr) visit(JobId(i), *entry);
    });
  }
  // Hints that the job will be looked for.
  void prefetch(JobId job) const { entries_.prefetch(job.index()); }

 private:
  PagedTable<std::unique_ptr<Entry>> entries_;
};

}  // namespace weir
