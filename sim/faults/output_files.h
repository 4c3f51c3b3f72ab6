// The file system that all trackers share, as far as jobs write to it: `_temporary/<attempt>` of
// attempts at work, parts, and the mark of success. The same few operations as the trackers' own
// (task_output.h): publishing never replaces what is there. It keeps who published what, for the
// world to judge. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "jobqueue/ids.h"

namespace weir::faults {

class OutputFiles {
 public:
  struct Directory {
    std::set<AttemptKey> temporary;
    std::set<AttemptKey> abandoned;             // likewise aside
    std::map<std::uint32_t, AttemptKey> parts;  // by the index of the task
    bool success = false;
  };

  void write_aside(const std::string& output, const AttemptKey& attempt) {
    of_[output].temporary.insert(attempt);
  }
  // Whether its part is there now: its own, or an earlier attempt's of the same task. Without its
  // own file beside (a clean-up took it) there is nothing to publish.
  bool publish(const std::string& output, const AttemptKey& attempt) {
    Directory& directory = of_[output];
    if (directory.parts.contains(attempt.task.index)) return true;
    if (!directory.temporary.contains(attempt)) return false;
    directory.parts.emplace(attempt.task.index, attempt);
    if (on_published) on_published(output, attempt, nullptr);
    return true;
  }
  // A planted error: the newest wins.
  void publish_over(const std::string& output, const AttemptKey& attempt) {
    auto& parts = of_[output].parts;
    const auto there = parts.find(attempt.task.index);
    const bool replaces = there != parts.end() && there->second != attempt;
    if (on_published) on_published(output, attempt, replaces ? &there->second : nullptr);
    parts.insert_or_assign(attempt.task.index, attempt);
  }
  void finish(const std::string& output, bool succeed) {
    Directory& directory = of_[output];
    directory.temporary.clear();
    directory.abandoned.clear();
    directory.success = succeed;
  }
  // The attempt has ended: what it wrote aside goes, unless it is what stands published.
  void remove_unpublished(const std::string& output, const AttemptKey& attempt) {
    Directory& directory = of_[output];
    const auto part = directory.parts.find(attempt.task.index);
    if (part == directory.parts.end() || part->second != attempt)
      directory.temporary.erase(attempt);
  }
  // Its tracker died in the midst of it: only its job's last step, if still to come, removes it.
  void abandon(const std::string& output, const AttemptKey& attempt) {
    of_[output].temporary.erase(attempt);
    of_[output].abandoned.insert(attempt);
  }
  void remove_late(const std::string& output, JobId job) {
    std::erase_if(of_[output].temporary,
                  [job](const AttemptKey& attempt) { return attempt.task.job == job; });
  }
  const Directory& at(const std::string& output) const {
    static const Directory kNothing;
    const auto found = of_.find(output);
    return found == of_.end() ? kNothing : found->second;
  }

  // Is told of each part that comes to stand there, and of what it replaces (null: nothing).
  std::function<void(const std::string& output, const AttemptKey& attempt,
                     const AttemptKey* replaced)>
      on_published;

 private:
  std::map<std::string, Directory> of_;
};

}  // namespace weir::faults
