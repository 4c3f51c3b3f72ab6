#include "jobqueue/store/group_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weir {

GroupWriter::GroupWriter(Store& store, GroupWriterCallbacks callbacks,
                         std::function<void(std::span<const Event>)> released)
    : store_(store), callbacks_(std::move(callbacks)), released_(std::move(released)) {}

void GroupWriter::take(WriteGroup& queued) {
  if (!queued.events.empty()) {
    fresh_ = true;
    last_seq_taken_ = queued.events.back().seq;
  }
  if (group_.events.empty()) {
    group_.events.swap(queued.events);  // the two buffers take turns
  } else {
    std::move(queued.events.begin(), queued.events.end(), std::back_inserter(group_.events));
  }
  if (queued.time) group_.time = std::max(group_.time.value_or(*queued.time), *queued.time);
  for (auto& [key, value] : queued.meta) group_.meta.insert_or_assign(key, std::move(value));
  queued.events.clear();
  queued.time.reset();
  queued.meta.clear();
}

void GroupWriter::write() {
  if (group_.empty()) return;
  Status written = Ok{};
  if (!group_.events.empty()) write_events(written);
  while (written.ok() && !group_.meta.empty()) {
    const auto first = group_.meta.begin();
    written = store_.set_meta(first->first, first->second);
    if (written.ok()) group_.meta.erase(first);
  }
  if (written.ok() && group_.time) {
    written = store_.touch_time(*group_.time);
    if (written.ok()) group_.time.reset();
  }
  note(written);
}

void GroupWriter::write_events(Status& written) {
  const bool fresh = std::exchange(fresh_, false);
  const auto begun = std::chrono::steady_clock::now();
  written = store_.append(group_.events);
  if (callbacks_.wrote) {
    callbacks_.wrote(group_.events.size(), std::chrono::steady_clock::now() - begun,
                     written.ok());
  }
  if (written.ok()) {
    release(0);
    return callbacks_.on_durable(last_seq_taken_);
  }
  const auto facts_end =
      std::stable_partition(group_.events.begin(), group_.events.end(),
                            [](const Event& event) {
                              return !std::holds_alternative<Command>(event.fact);
                            });
  release(static_cast<std::size_t>(facts_end - group_.events.begin()));
  note(written);  // before anybody is refused because of it
  if (fresh) callbacks_.on_failed(last_seq_taken_, written.error().message);
}

bool GroupWriter::tidy(const Retention& retention) {
  const Result<bool> more = store_.tidy(retention);
  // That it could free pages does not say that a full store takes events again.
  if (!more.ok()) note(more.error());
  return more.ok() && *more;
}

void GroupWriter::put_series(std::span<const SeriesRow> rows,
                             std::span<const SeriesRetention> keep) {
  const Status written = store_.put_series(rows, keep);
  if (!written.ok()) note(written);
}

void GroupWriter::release(std::size_t kept) {
  if (released_) released_(std::span<const Event>(group_.events).subspan(kept));
  group_.events.resize(kept);
}

void GroupWriter::note(const Status& written) {
  const bool failing = !written.ok();
  if (failing == failing_) return;
  failing_ = failing;
  if (!callbacks_.log) return;
  if (failing) {
    const Error& error = written.error();
    callbacks_.log(true, error.message + (error.hint.empty() ? "" : "; " + error.hint));
  } else {
    callbacks_.log(false, "store: writes again");
  }
}

}  // namespace weir
