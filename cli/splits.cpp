#include "cli/splits.h"

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "jobqueue/model/submission_limits.h"
#include "thrift/spec_check.h"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_input(const std::string& path, const std::string& cause) {
  throw wrong_use(fmt::format("input {}: {}", printable(path), cause));
}

InputFile input_file(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) {
    refuse_input(path, fmt::format("cannot be read ({})", std::strerror(errno)));
  }
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) refuse_input(path, error.message());
  return {path, static_cast<std::int64_t>(bytes)};
}

// What a pattern stands for. Like a folder, it leaves out what begins with "_" (or "."), unless it
// says so itself.
std::vector<std::string> matches_of(const std::string& pattern) {
  struct Matches : glob_t {
    Matches() : glob_t{} {}
    ~Matches() { globfree(this); }
  } matches;
  const int failed = glob(pattern.c_str(), GLOB_NOSORT | GLOB_BRACE, nullptr, &matches);
  if (failed == GLOB_NOSPACE) refuse_input(pattern, "matches too much");
  const auto hidden = [](const std::string& path) { return path[path.rfind('/') + 1] == '_'; };
  std::vector<std::string> paths;
  for (std::size_t i = 0; failed == 0 && i < matches.gl_pathc; ++i) {
    std::string path = matches.gl_pathv[i];
    if (!hidden(path) || hidden(pattern)) paths.push_back(std::move(path));
  }
  if (paths.empty()) refuse_input(pattern, "matches nothing; name files or directories that exist");
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

// Paths that are there, and patterns.
std::vector<std::string> expand(const std::vector<std::string>& given) {
  std::vector<std::string> paths;
  for (const std::string& one : given) {
    const std::string path = absolute_path(one);
    std::error_code ignored;
    const bool there = fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
    if (there || path.find_first_of("*?[{") == std::string::npos) {
      paths.push_back(path);
    } else {
      const auto matches = matches_of(path);
      paths.insert(paths.end(), matches.begin(), matches.end());
    }
  }
  return paths;
}

// Who names it, or the directory that it is in, means what it once led to.
void refuse_dangling_link(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_symlink(fs::symlink_status(path, ignored)) || fs::exists(path, ignored)) return;
  const std::string target = fs::read_symlink(path, ignored).string();
  refuse_input(path, fmt::format("is a link to {}, which does not exist; mend or remove it",
                                 printable(target)));
}

std::vector<InputFile> files_in(const std::string& directory) {
  std::error_code error;
  fs::directory_iterator entries(directory, error);
  std::vector<std::string> paths;
  while (!error && entries != fs::directory_iterator()) {
    const std::string name = entries->path().filename().string();
    const bool visible = name[0] != '_' && name[0] != '.';
    if (visible) refuse_dangling_link(entries->path().string());
    std::error_code ignored;
    if (visible && fs::is_regular_file(entries->path(), ignored)) {
      paths.push_back(entries->path().string());
    }
    entries.increment(error);
  }
  if (error) refuse_input(directory, fmt::format("cannot be listed ({})", error.message()));
  std::sort(paths.begin(), paths.end());
  std::vector<InputFile> files;
  for (const auto& path : paths) files.push_back(input_file(path));
  return files;
}

struct Pieces {
  std::size_t count = 0;  // of an empty file none
  std::int64_t bytes = 0;  // of each but the last, which may be shorter
};

Pieces pieces_of(const InputFile& file, std::int64_t split_bytes) {
  if (file.bytes == 0) return {};
  const bool whole = file.path.ends_with(".gz");
  const std::int64_t step = whole ? file.bytes : split_bytes;
  return {static_cast<std::size_t>((file.bytes - 1) / step + 1), step};
}

}  // namespace

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) throw wrong_use(fmt::format("path '{}': {}", printable(path), error.message()));
  std::string normal = absolute.lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

std::vector<InputFile> list_inputs(const std::vector<std::string>& given) {
  std::vector<InputFile> files;
  std::string looked_at;
  for (const std::string& path : expand(given)) {
    refuse_dangling_link(path);
    std::error_code error;
    const auto status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
      refuse_input(path, "does not exist; name a file or a directory");
    if (error) refuse_input(path, error.message());
    if (fs::is_directory(status)) {
      const auto found = files_in(path);
      files.insert(files.end(), found.begin(), found.end());
    } else if (fs::is_regular_file(status)) {
      files.push_back(input_file(path));
    } else {
      refuse_input(path, "is neither a file nor a directory");
    }
    looked_at += (looked_at.empty() ? "" : ", ") + path;
  }
  const bool all_empty =
      std::all_of(files.begin(), files.end(), [](const InputFile& f) { return f.bytes == 0; });
  if (files.empty()) {
    refuse_input(truncated(looked_at, 300),
                 "has no files; directories are read without their subdirectories and names that "
                 "begin with _ or .");
  }
  if (all_empty) refuse_input(truncated(looked_at, 300), "is empty; there is nothing to map");
  return files;
}

InputSplits compute_splits(const std::vector<InputFile>& files, std::int64_t split_bytes) {
  if (split_bytes < 1) throw wrong_use("--split-size must be at least 1 byte");
  InputSplits result;
  std::size_t splits = 0;
  for (const InputFile& file : files) {
    if (file.bytes == 0) continue;
    result.files.push_back(file.path);
    // Sums saturate: files may be as large as they say.
    if (__builtin_add_overflow(result.bytes, file.bytes, &result.bytes)) result.bytes = INT64_MAX;
    const std::size_t pieces = pieces_of(file, split_bytes).count;
    if (__builtin_add_overflow(splits, pieces, &splits)) splits = SIZE_MAX;
  }
  require(check_input_files(result.files));
  require(check_pieces(splits, splits));  // before any is made: no memory may hold as many
  std::int32_t index = 0;
  for (const InputFile& file : files) {
    const Pieces pieces = pieces_of(file, split_bytes);
    for (std::size_t piece = 0; piece < pieces.count; ++piece) {
      wire::Split split;
      split.file = index;
      split.offset = static_cast<std::int64_t>(piece) * pieces.bytes;
      split.length = std::min(pieces.bytes, file.bytes - split.offset);
      result.splits.push_back(split);
    }
    if (pieces.count > 0) ++index;
  }
  return result;
}

void combine_splits(InputSplits& input, std::int64_t most_bytes) {
  std::vector<wire::Split> combined;
  std::int64_t bytes = 0;  // of the last one
  for (wire::Split& split : input.splits) {
    const bool fits = !combined.empty() && split.length <= most_bytes - bytes &&
                      combined.back().more.size() + 1 < SubmissionLimits::kPiecesPerSplit;
    if (!fits) {
      bytes = split.length;
      combined.push_back(std::move(split));
      continue;
    }
    bytes += split.length;
    wire::FilePiece piece;
    piece.file = split.file;
    piece.offset = split.offset;
    piece.length = split.length;
    combined.back().more.push_back(piece);
    combined.back().__isset.more = true;
  }
  input.splits = std::move(combined);
}

std::size_t count_pieces(const std::vector<wire::Split>& splits) {
  std::size_t pieces = splits.size();
  for (const wire::Split& split : splits) pieces += split.more.size();
  return pieces;
}

}  // namespace weir::cli
