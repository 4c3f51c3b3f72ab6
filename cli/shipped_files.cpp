#include "cli/shipped_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "jobqueue/model/submission_limits.h"
#include "thrift/spec_check.h"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_file(const std::string& path, const std::string& cause) {
  throw wrong_use(fmt::format("--files {}: {}", printable(path), cause));
}

// `place` among the job's files, `name` as it is there.
std::string content_of(const std::string& path, std::size_t place, const std::string& name) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) refuse_file(path, "does not exist");
  if (error) refuse_file(path, error.message());
  if (!fs::is_regular_file(status)) refuse_file(path, "is no file; name each file");
  const auto bytes = static_cast<std::int64_t>(fs::file_size(path, error));
  if (!error) require(check_file_bytes(place, name, bytes));
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_file(path, fmt::format("cannot be read ({})", std::strerror(errno)));
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad() || content.size() > SubmissionLimits::kFileBytes)
    refuse_file(path, "cannot be read as it is: it changes");
  return content;
}

}  // namespace

std::vector<std::string> shipped_paths(const std::vector<std::string>& lists) {
  std::vector<std::string> paths;
  for (const std::string& list : lists) {
    std::stringstream stream(list);
    for (std::string path; std::getline(stream, path, ',');) {
      if (path.empty()) throw wrong_use("--files: a name is empty; write a.py,b.txt");
      paths.push_back(path);
    }
  }
  return paths;
}

std::vector<wire::JobFile> read_shipped(const std::vector<std::string>& paths) {
  require(check_file_count(paths.size()));
  std::vector<wire::JobFile> files;
  std::map<std::string, std::string> by_name;
  for (const std::string& path : paths) {
    wire::JobFile& file = files.emplace_back();
    file.name = fs::path(path).filename().string();
    if (file.name.empty() || file.name == "." || file.name == "..")
      refuse_file(path, "is no file; name each file");
    const auto [known, fresh] = by_name.emplace(file.name, path);
    if (!fresh) {
      refuse_file(path, fmt::format("is called {} like {}; all go into one directory",
                                    printable(file.name), printable(known->second)));
    }
    file.content = content_of(path, files.size() - 1, file.name);
    if (access(path.c_str(), X_OK) == 0) file.__set_executable(true);
  }
  return files;
}

}  // namespace weir::cli
