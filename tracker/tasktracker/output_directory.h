// Whose a job's output directory is. The job's first task makes it aside (in the directory above,
// by a name of the job), with a mark in it that names the job and the directory's inode, and moves
// it into place in one step, which never replaces what is there. So each directory with that mark
// was made by that job, whatever path leads to it; what existed before, or was copied, carries
// none. Once the job has succeeded `_SUCCESS` names it, and the mark goes. Nobody writes to, or
// removes from, a directory that names another job or none. One thread.
#pragma once

#include <memory>
#include <string>

#include "tracker/tasktracker/file_system.h"

namespace weir::tasktracker {

inline constexpr const char* kOwnerMark = "_owner";
inline constexpr const char* kSuccessMark = "_SUCCESS";
inline constexpr const char* kAside = "_temporary";

// What a job knows of its output. Owners are "job_0007 1763881200000".
struct JobOutput {
  std::string path, owner;
};

struct TakenOutput {
  DirectoryPtr directory;
  bool made = false;  // by this call, with `_temporary` in it, all for good
};

// Made and taken, if nothing is there yet; an error, if it is not the job's. `who` of the job asks:
// a name that nobody else has at the time.
Result<TakenOutput> take_output(const JobOutput& output, const std::string& who, FileSystem& files);
// The same for those of the job who write there later: its first task takes the place.
Status keep_output_place(const JobOutput& output, const std::string& who, FileSystem& files);
// Null: nothing is there, or it is not the job's.
Result<DirectoryPtr> find_output(const JobOutput& output, FileSystem& files);

bool is_marked(Directory& directory, const std::string& owner);      // being written by this job
bool has_succeeded(Directory& directory, const std::string& owner);  // `_SUCCESS` names it

Status mark_output(Directory& directory, const std::string& owner, const std::string& who);
Status remove_mark(Directory& directory);
// The directory itself, unless something but the mark is in it: then the mark only. For good.
bool only_mark_left(Directory& directory);
Status give_up_output(const JobOutput& output, Directory& directory, FileSystem& files);
// What an attempt or an end may have left aside of it that died on its way. `removed_before`:
// something beside it that is to be gone for good, too.
Status remove_rests(const JobOutput& output, FileSystem& files, bool removed_before = true);

}  // namespace weir::tasktracker
