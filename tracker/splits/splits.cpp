#include "tracker/splits/splits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "jobqueue/model/plain_text.h"
#include "jobqueue/model/submission_checks.h"
#include "jobqueue/model/submission_limits.h"
#include "tracker/splits/packed_files.h"
#include "tracker/splits/patterns.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

Result<InputFile> input_file(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) {
    return wrong_input(path, fmt::format("cannot be read ({})", std::strerror(errno)));
  }
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) return wrong_input(path, error.message());
  return InputFile{path, static_cast<std::int64_t>(bytes)};
}

// Paths that are there, and patterns.
Result<std::vector<std::string>> expand(const std::vector<std::string>& given,
                                        LookAccount& account) {
  std::vector<std::string> paths;
  for (const std::string& one : given) {
    if (const Status goes_on = account.take(one); !goes_on) return goes_on.error();
    const auto path = absolute_path(one);
    if (!path) return path.error();
    std::error_code ignored;
    const bool there = fs::symlink_status(*path, ignored).type() != fs::file_type::not_found;
    if (there || path->find_first_of("*?[{") == std::string::npos) {
      paths.push_back(*path);
      continue;
    }
    const auto matches = matches_of(*path, account);
    if (!matches) return matches.error();
    paths.insert(paths.end(), matches->begin(), matches->end());
  }
  return paths;
}

// Who names it, or the directory that it is in, means what it once led to.
Status check_link(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_symlink(fs::symlink_status(path, ignored)) || fs::exists(path, ignored)) return Ok{};
  const std::string target = fs::read_symlink(path, ignored).string();
  return wrong_input(path, fmt::format("is a link to {}, which does not exist; mend or remove it",
                                       plain_text(target)));
}

Status add_files_in(const std::string& directory, LookAccount& account,
                    std::vector<InputFile>& files) {
  std::error_code error;
  fs::directory_iterator entries(directory, error);
  std::vector<std::string> paths;
  while (!error && entries != fs::directory_iterator()) {
    if (Status goes_on = account.take(directory); !goes_on) return goes_on;
    const std::string name = entries->path().filename().string();
    const bool visible = name[0] != '_' && name[0] != '.';
    if (visible) {
      if (Status good = check_link(entries->path().string()); !good) return good;
    }
    std::error_code ignored;
    if (visible && fs::is_regular_file(entries->path(), ignored)) {
      paths.push_back(entries->path().string());
    }
    entries.increment(error);
  }
  if (error) {
    return wrong_input(directory, fmt::format("cannot be listed ({})", error.message()));
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    const auto file = input_file(path);
    if (!file) return file.error();
    files.push_back(*file);
  }
  return Ok{};
}

// A file, or the files of a directory.
Status add_input(const std::string& path, LookAccount& account, std::vector<InputFile>& files) {
  if (Status good = check_link(path); !good) return good;
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return wrong_input(path, "does not exist; name a file or a directory");
  if (error) return wrong_input(path, error.message());
  if (fs::is_directory(status)) return add_files_in(path, account, files);
  if (!fs::is_regular_file(status))
    return wrong_input(path, "is neither a file nor a directory");
  const auto file = input_file(path);
  if (!file) return file.error();
  files.push_back(*file);
  return Ok{};
}

struct Pieces {
  std::size_t count = 0;   // of an empty file none
  std::int64_t bytes = 0;  // of each but the last, which may be shorter
};

Pieces pieces_of(const InputFile& file, std::int64_t split_bytes) {
  if (file.bytes == 0) return {};
  const bool whole = is_packed(file.path);
  const std::int64_t step = whole ? file.bytes : split_bytes;
  return {static_cast<std::size_t>((file.bytes - 1) / step + 1), step};
}

}  // namespace

Result<std::string> absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error)
    return bad_request(fmt::format("path '{}': {}", plain_text(path), error.message()), "");
  std::string normal = absolute.lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

Result<std::vector<InputFile>> list_inputs(const std::vector<std::string>& given,
                                           const LookLimits& limits) {
  LookAccount account(limits);
  const auto paths = expand(given, account);
  if (!paths) return paths.error();
  std::vector<InputFile> files;
  std::string looked_at;
  for (const std::string& path : *paths) {
    if (const Status goes_on = account.take(path); !goes_on) return goes_on.error();
    if (const Status added = add_input(path, account, files); !added) return added.error();
    if (looked_at.size() < 400) looked_at += (looked_at.empty() ? "" : ", ") + path;
  }
  const bool all_empty =
      std::all_of(files.begin(), files.end(), [](const InputFile& f) { return f.bytes == 0; });
  if (looked_at.size() > 300) looked_at = looked_at.substr(0, 297) + "...";
  if (files.empty()) {
    return wrong_input(looked_at,
                       "has no files; directories are read without their subdirectories and names "
                       "that begin with _ or .");
  }
  if (all_empty) return wrong_input(looked_at, "is empty; there is nothing to map");
  return files;
}

Result<InputSplits> compute_splits(const std::vector<InputFile>& files, std::int64_t split_bytes) {
  if (split_bytes < 1) return bad_request("split size: must be at least 1 byte", "");
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
  if (const Status good = check_input_files(result.files); !good) return good.error();
  // Before any is made: no memory may hold as many.
  if (const Status good = check_pieces(splits, splits); !good) return good.error();
  std::uint32_t index = 0;
  for (const InputFile& file : files) {
    const Pieces pieces = pieces_of(file, split_bytes);
    for (std::size_t piece = 0; piece < pieces.count; ++piece) {
      const std::int64_t offset = static_cast<std::int64_t>(piece) * pieces.bytes;
      result.splits.push_back(
          {index, offset, std::min(pieces.bytes, file.bytes - offset), {}, {}});
    }
    if (pieces.count > 0) ++index;
  }
  return result;
}

void combine_splits(InputSplits& input, std::int64_t most_bytes) {
  std::vector<Split> combined;
  std::int64_t bytes = 0;  // of the last one
  for (Split& split : input.splits) {
    const bool fits = !combined.empty() && split.length <= most_bytes - bytes &&
                      combined.back().more.size() + 1 < SubmissionLimits::kPiecesPerSplit;
    if (!fits) {
      bytes = split.length;
      combined.push_back(std::move(split));
      continue;
    }
    bytes += split.length;
    combined.back().more.push_back({split.file, split.offset, split.length});
  }
  input.splits = std::move(combined);
}

}  // namespace weir
