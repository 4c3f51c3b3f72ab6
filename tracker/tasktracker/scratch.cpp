#include "tracker/tasktracker/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <set>

#include "tracker/tasktracker/open_below.h"

namespace weir::tasktracker {
namespace {

constexpr const char* kInside[] = {"work", "tmp"};
constexpr mode_t kMode = 0700;
constexpr off_t kMostDirectoryBytes = 64 * 1024;  // one that had very many entries stays slow

// From a descriptor that nothing has been read of yet; more than two are not told.
std::set<std::string> names_in(int directory) {
  std::set<std::string> names;
  alignas(dirent64) std::array<char, 2048> bytes;
  for (ssize_t size; (size = ::getdents64(directory, bytes.data(), bytes.size())) != 0;) {
    if (size < 0) return {"?"};
    for (ssize_t at = 0; at < size && names.size() <= 2;) {
      const auto* entry = reinterpret_cast<const dirent64*>(bytes.data() + at);
      at += entry->d_reclen;
      const std::string_view name(entry->d_name);
      if (name != "." && name != "..") names.emplace(name);
    }
    if (names.size() > 2) break;
  }
  return names;
}

bool as_made(const struct stat& there) {
  return S_ISDIR(there.st_mode) && (there.st_mode & 07777) == kMode &&
         there.st_uid == ::geteuid() && there.st_size <= kMostDirectoryBytes;
}

bool is_pristine(const std::string& path) {
  const auto top = open_untrusted(path, O_RDONLY | O_DIRECTORY);
  struct stat there {};
  if (!top || ::fstat(top->get(), &there) != 0 || !as_made(there)) return false;
  if (names_in(top->get()) != std::set<std::string>(std::begin(kInside), std::end(kInside)))
    return false;
  for (const char* name : kInside) {
    const UniqueFd inner = open_directory_below(top->get(), name);
    if (!inner.valid() || ::fstat(inner.get(), &there) != 0 || !as_made(there) ||
        !names_in(inner.get()).empty())
      return false;
  }
  return true;
}

bool is_empty_directory(const std::string& path) {
  const auto directory = open_untrusted(path, O_RDONLY | O_DIRECTORY);
  struct stat there {};
  return directory && ::fstat(directory->get(), &there) == 0 && as_made(there) &&
         names_in(directory->get()).empty();
}

bool rename_to_free(const std::string& from, const std::string& to) {
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE
  return ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), kNoReplace) == 0;
}

std::string popped(std::vector<std::string>& from) {
  if (from.empty()) return "";
  std::string last = std::move(from.back());
  from.pop_back();
  return last;
}

}  // namespace

Status Scratch::make(const std::string& path) const {
  // Another task may have been there before: nothing of what it left stays.
  if (auto made = make_fresh_directory(path); !made) return made;
  for (const char* name : kInside) {
    if (::mkdir((path + "/" + name).c_str(), kMode) != 0) return system_error(path);
  }
  return Ok{};
}

Status Scratch::take(const AttemptKey& attempt) {
  Spare& spare = spare_[attempt.task.job];
  if (auto taken = take_scratch(attempt, spare); !taken) return taken;
  return take_log(attempt, spare);
}

// The one that another has become has its name until then; the name of one that is no directory of
// ours any more is removed with what there is.
Status Scratch::take_scratch(const AttemptKey& attempt, Spare& spare) {
  const std::string path = dirs_.attempt(attempt), found = popped(spare.scratch);
  if (found.empty()) return make(path);
  if (is_pristine(found) && rename_to_free(found, path)) return Ok{};
  rejected_.push_back(found);
  return make(path);
}

Status Scratch::take_log(const AttemptKey& attempt, Spare& spare) const {
  const std::string path = dirs_.log(attempt), found = popped(spare.logs);
  if (!found.empty() && is_empty_directory(found) && rename_to_free(found, path)) return Ok{};
  return make_fresh_directory(path);
}

void Scratch::give_back(const AttemptKey& attempt, bool emptied) {
  Spare& spare = spare_[attempt.task.job];
  (emptied ? spare.scratch : rejected_).push_back(dirs_.attempt(attempt));
  spare.logs.push_back(dirs_.log(attempt));
}

bool Scratch::rename(const AttemptKey& from, const AttemptKey& to) const {
  return is_pristine(dirs_.attempt(from)) && is_empty_directory(dirs_.log(from)) &&
         rename_to_free(dirs_.attempt(from), dirs_.attempt(to)) &&
         rename_to_free(dirs_.log(from), dirs_.log(to));
}

std::string Scratch::take_output_dir(JobId job) {
  const auto found = spare_.find(job);
  return found == spare_.end() ? "" : popped(found->second.output_dirs);
}

void Scratch::give_back_output_dir(const AttemptKey& attempt) {
  spare_[attempt.task.job].output_dirs.push_back(attempt_name(attempt));
}

std::vector<std::string> Scratch::drop(JobId job) {
  const auto found = spare_.find(job);
  if (found == spare_.end()) return {};
  auto scratch = std::move(found->second.scratch);
  spare_.erase(found);
  return scratch;
}

bool empty_scratch(const std::string& attempt_dir) {
  if (is_pristine(attempt_dir)) return true;
  const auto top = open_untrusted(attempt_dir, O_RDONLY | O_DIRECTORY);
  if (!top) return false;
  const auto empty = [](int directory, const std::string& shown, auto&& stays) {
    const Listing entries = list_directory(directory);
    if (!entries) return;
    while (const dirent* entry = ::readdir(entries.get())) {
      const std::string name(entry->d_name);
      if (name != "." && name != ".." && !stays(name))
        (void)remove_tree_at(directory, name, shown + "/" + name).ok();
    }
  };
  empty(top->get(), attempt_dir,
        [](const std::string& name) { return name == kInside[0] || name == kInside[1]; });
  for (const char* name : kInside) {
    const UniqueFd inner = open_directory_below(top->get(), name);
    if (inner.valid())
      empty(inner.get(), attempt_dir + "/" + name, [](const auto&) { return false; });
  }
  return is_pristine(attempt_dir);
}

}  // namespace weir::tasktracker
