#include "tracker/tasktracker/job_disk.h"

#include <sys/statvfs.h>

#include <algorithm>

namespace weir::tasktracker {
namespace {

std::string megabytes(std::int64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MB";
}

}  // namespace

std::string JobDisk::text() const {
  if (!bounded()) return "none: off (tracker.job_disk_mb)";
  return "a job may take " + std::to_string(bound_mb_) + " MB here";
}

std::vector<JobDisk::Over> JobDisk::judge(const std::map<AttemptKey, TreeSize>& running) const {
  std::vector<Over> over;
  if (!bounded()) return over;
  struct Use {
    std::int64_t bytes = 0;
    AttemptKey largest;
    std::int64_t largest_bytes = -1;
  };
  std::map<JobId, Use> jobs;
  for (const auto& [key, size] : running) {
    if (size.entries > kMostEntries) {
      over.push_back({key, "the attempt has more than " + std::to_string(kMostEntries) +
                               " files in its directories, which is more than can be measured"});
      continue;
    }
    Use& use = jobs[key.task.job];
    use.bytes += size.bytes;
    if (size.bytes > use.largest_bytes) use.largest = key, use.largest_bytes = size.bytes;
  }
  for (auto& [job, use] : jobs) {
    if (const auto kept = kept_.find(job); kept != kept_.end()) use.bytes += kept->second;
    if (use.bytes <= bound_mb_ << 20) continue;
    over.push_back({use.largest, job_name(job) + " takes " + megabytes(use.bytes) +
                                     " of this tracker's disk, allowed are " +
                                     std::to_string(bound_mb_) +
                                     " MB (tracker.job_disk_mb); this attempt takes " +
                                     megabytes(use.largest_bytes) + " of it"});
  }
  return over;
}

std::int64_t half_of_disk_mb(const std::string& directory) {
  struct statvfs disk {};
  if (::statvfs(directory.c_str(), &disk) != 0) return 0;
  const auto mb = static_cast<std::int64_t>(
      static_cast<unsigned long long>(disk.f_blocks) * disk.f_frsize >> 20);
  return std::max<std::int64_t>(mb / 2, 1);
}

}  // namespace weir::tasktracker
