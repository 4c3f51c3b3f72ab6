#include "tracker/tasktracker/job_files.h"

#include <fcntl.h>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

Status write_job_files(const std::string& directory, const std::vector<JobFile>& files) {
  if (files.empty()) return Ok{};
  auto folder = open_file(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!folder) return folder.error();
  for (const JobFile& file : files) {
    if (file.name.empty() || file.name == "." || file.name == ".." ||
        file.name.find_first_of(std::string_view("/\0", 2)) != std::string::npos) {
      return data_error("file '" + file.name + "' of the job: its name could lead elsewhere");
    }
    const std::string path = directory + "/" + file.name;
    const UniqueFd written(::openat(folder->get(), file.name.c_str(),
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                    file.executable ? 0755 : 0644));
    if (!written.valid()) return system_error(path);
    if (auto done = write_all(written.get(), file.content, path); !done) return done;
  }
  return Ok{};
}

}  // namespace weir::tasktracker
