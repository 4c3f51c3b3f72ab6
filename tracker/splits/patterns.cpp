#include "tracker/splits/patterns.h"

#include <dirent.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "jobqueue/model/plain_text.h"
#include "jobqueue/model/submission_checks.h"

namespace weir {
namespace {

// glob() hands nothing on to the functions that it reads directories by.
thread_local LookAccount* reading_for = nullptr;

void* open_directory(const char* path) {
  if (!reading_for->take(path)) return nullptr;
  return ::opendir(path);
}

dirent* read_directory(void* directory) {
  if (!reading_for->take("")) return nullptr;
  return ::readdir(static_cast<DIR*>(directory));
}

void close_directory(void* directory) {
  ::closedir(static_cast<DIR*>(directory));
}

struct Matches : glob_t {
  Matches() : glob_t{} {
    gl_opendir = open_directory;
    gl_readdir = read_directory;
    gl_closedir = close_directory;
    gl_stat = [](const char* path, struct stat* info) { return ::stat(path, info); };
    gl_lstat = [](const char* path, struct stat* info) { return ::lstat(path, info); };
  }
  ~Matches() { globfree(this); }
  Matches(const Matches&) = delete;
  Matches& operator=(const Matches&) = delete;
};

bool hidden(const std::string& path) {
  return path[path.rfind('/') + 1] == '_';
}

}  // namespace

Status LookAccount::take(const std::string& path) {
  ++taken_;
  if (ended()) return bad_request("input: nobody waits for it any more", "");
  if (taken_ <= limits_.entries) return Ok{};
  return wrong_input(path, fmt::format("too much to look at: more than {} entries of directories",
                                       limits_.entries));
}

Error wrong_input(const std::string& path, const std::string& cause) {
  return bad_request(fmt::format("input {}: {}", plain_text(path), cause), "");
}

std::size_t alternatives_of(std::string_view pattern) {
  std::size_t all = 1;
  std::vector<std::size_t> open;  // alternatives of each brace that is open
  const auto close = [&all, &open] {
    if (__builtin_mul_overflow(all, open.back(), &all)) all = SIZE_MAX;
    open.pop_back();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') ++i;
    else if (pattern[i] == '{') open.push_back(1);
    else if (pattern[i] == ',' && !open.empty()) ++open.back();
    else if (pattern[i] == '}' && !open.empty()) close();
  }
  while (!open.empty()) close();
  return all;
}

Result<std::vector<std::string>> matches_of(const std::string& pattern, LookAccount& account) {
  if (alternatives_of(pattern) > account.limits().alternatives) {
    return wrong_input(pattern, fmt::format("its braces stand for more than {} paths",
                                            account.limits().alternatives));
  }
  Matches matches;
  reading_for = &account;
  const int failed =
      glob(pattern.c_str(), GLOB_NOSORT | GLOB_BRACE | GLOB_ALTDIRFUNC, nullptr, &matches);
  reading_for = nullptr;
  if (account.exhausted()) return account.take(pattern).error();
  if (failed == GLOB_NOSPACE) return wrong_input(pattern, "matches too much");
  std::vector<std::string> paths;
  for (std::size_t i = 0; failed == 0 && i < matches.gl_pathc; ++i) {
    std::string path = matches.gl_pathv[i];
    if (!hidden(path) || hidden(pattern)) paths.push_back(std::move(path));
  }
  if (paths.empty())
    return wrong_input(pattern, "matches nothing; name files or directories that exist");
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace weir
