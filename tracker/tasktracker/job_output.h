// A job's last step on its output, once all its attempts have ended: `_SUCCESS`, which names the
// job, or everything of the job removed. Both leave alone what is another's (output_directory.h).
#pragma once

#include <cstdint>

#include "tracker/tasktracker/output_directory.h"

namespace weir::tasktracker {

// Idempotent, also when it was cut off anywhere, or is done by two trackers at once; `parts` is how
// many files the job may have published. Fails if the directory is another's, or gone: one that
// comes late, after the job was killed and cleaned up after, makes none anew.
Status complete_job_output(const JobOutput& output, std::int64_t parts,
                           FileSystem& files = posix_files());
// What the job has published goes, too. Removes nothing of a directory that is another's.
Status abort_job_output(const JobOutput& output, std::int64_t parts,
                        FileSystem& files = posix_files());
// After that: what attempts that were still being killed then have written aside since.
void remove_late_output(const JobOutput& output, FileSystem& files = posix_files());

}  // namespace weir::tasktracker
