#include "thrift/wire_job.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "thrift/wire_error.h"

namespace weir {
namespace {

Error out_of_range(const std::string& field, std::int64_t value, std::int64_t least,
                   std::int64_t most) {
  return bad_request(field + ": " + std::to_string(value) + " is out of range",
                     std::to_string(least) + " to " + std::to_string(most));
}

Status check_range(const std::string& field, std::int64_t value, std::int64_t least,
                   std::int64_t most) {
  if (value < least || value > most) return out_of_range(field, value, least, most);
  return Ok{};
}

Status check_path(const std::string& field, const std::string& path) {
  if (Status s = check_text(field, path, {.max_bytes = JobLimits::kPathBytes}); !s) return s;
  if (path.front() != '/') {
    return bad_request(field + ": '" + path + "' is a relative path",
                       "an absolute path, as the trackers see it");
  }
  return Ok{};
}

Status check_commands(const wire::JobSpec& spec) {
  const TextRule required{.max_bytes = JobLimits::kCommandBytes, .may_have_newlines = true};
  const TextRule optional{
      .max_bytes = JobLimits::kCommandBytes, .may_be_empty = true, .may_have_newlines = true};
  if (spec.mapper.empty()) {
    return bad_request("mapper: is empty", "a command for `sh -c`, for example `cat`");
  }
  if (Status s = check_text("mapper", spec.mapper, required); !s) return s;
  if (Status s = check_text("reducer", spec.reducer, optional); !s) return s;
  if (Status s = check_text("combiner", spec.combiner, optional); !s) return s;
  if (Status s = check_range("reduces", spec.reduces, 0, JobLimits::kReduces); !s) return s;
  if (spec.reduces > 0 && spec.reducer.empty()) {
    return bad_request("reducer: is missing, but reduces is " + std::to_string(spec.reduces),
                       "a command for `sh -c`, or reduces 0 for a map-only job");
  }
  return Ok{};
}

Status check_input_files(const wire::JobSpec& spec) {
  if (spec.input_files.empty()) {
    return bad_request("input_files: none given", "absolute paths, at least one");
  }
  if (spec.input_files.size() > JobLimits::kInputFiles) {
    return out_of_range("input_files: number of files",
                        static_cast<std::int64_t>(spec.input_files.size()), 1,
                        JobLimits::kInputFiles);
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < spec.input_files.size(); ++i) {
    const std::string field = "input_files[" + std::to_string(i) + "]";
    if (Status s = check_path(field, spec.input_files[i]); !s) return s;
    bytes += spec.input_files[i].size();
  }
  if (bytes > JobLimits::kInputFileBytes) {
    return bad_request("input_files: " + std::to_string(bytes) + " bytes of paths",
                       "at most " + std::to_string(JobLimits::kInputFileBytes) + " in all");
  }
  return Ok{};
}

// Of a split, or a further piece of one: `field` says which.
template <class Piece, class Field>
Status check_piece(const Piece& piece, std::size_t files, Field field) {
  if (piece.file < 0 || static_cast<std::size_t>(piece.file) >= files) {
    return bad_request(
        field("file") + ": there is no input file number " + std::to_string(piece.file),
        "0 to " + std::to_string(files - 1) + ", an index into input_files");
  }
  const bool below = piece.offset < 0 || piece.length < 0;
  if (below || piece.offset > INT64_MAX - piece.length) {
    return bad_request(field(piece.offset < 0 ? "offset" : "length") + ": offset " +
                           std::to_string(piece.offset) + ", length " +
                           std::to_string(piece.length) + " is no range of bytes",
                       "numbers from 0 on");
  }
  return Ok{};
}

Result<std::vector<FilePiece>> more_from_wire(const wire::Split& split, std::size_t place,
                                              std::size_t files) {
  const std::string list = "splits[" + std::to_string(place) + "].more";
  if (split.more.size() >= JobLimits::kPiecesPerSplit) {
    return out_of_range(list + ": number of pieces", static_cast<std::int64_t>(split.more.size()),
                        0, JobLimits::kPiecesPerSplit - 1);
  }
  std::vector<FilePiece> out;
  out.reserve(split.more.size());
  std::int64_t total = split.length;
  for (std::size_t i = 0; i < split.more.size(); ++i) {
    const wire::FilePiece& piece = split.more[i];
    const auto field = [&](const char* name) {
      return list + "[" + std::to_string(i) + "]." + name;
    };
    if (Status s = check_piece(piece, files, field); !s) return s.error();
    if (__builtin_add_overflow(total, piece.length, &total)) {
      return bad_request(field("length") + ": " + std::to_string(piece.length) +
                             " makes the split longer than any input",
                         "the length of a piece of a file");
    }
    out.push_back({static_cast<std::uint32_t>(piece.file), piece.offset, piece.length});
  }
  return out;
}

Result<Split> split_from_wire(const wire::Split& split, std::size_t place, std::size_t files) {
  const auto field = [&](const char* name) {
    return "splits[" + std::to_string(place) + "]." + name;
  };
  if (Status s = check_piece(split, files, field); !s) return s.error();
  if (split.hosts.size() > JobLimits::kHostsPerSplit) {
    return out_of_range(field("hosts") + ": number of hosts",
                        static_cast<std::int64_t>(split.hosts.size()), 0,
                        JobLimits::kHostsPerSplit);
  }
  for (const std::string& host : split.hosts) {
    if (Status s = check_text(field("hosts"), host, {.max_bytes = JobLimits::kNameBytes}); !s) {
      return s.error();
    }
  }
  auto more = more_from_wire(split, place, files);
  if (!more) return more.error();
  return Split{static_cast<std::uint32_t>(split.file), split.offset, split.length, split.hosts,
               std::move(*more)};
}

std::size_t pieces_in(const std::vector<wire::Split>& splits) {
  std::size_t pieces = splits.size();
  for (const wire::Split& split : splits) pieces += split.more.size();
  return pieces;
}

Status check_map(const char* field, const std::map<std::string, std::string>& entries) {
  if (entries.size() > JobLimits::kMapEntries) {
    return out_of_range(std::string(field) + ": number of entries",
                        static_cast<std::int64_t>(entries.size()), 0, JobLimits::kMapEntries);
  }
  std::size_t bytes = 0;
  for (const auto& [key, value] : entries) {
    const std::string where = std::string(field) + "[" + key.substr(0, 64) + "]";
    if (Status s = check_text(where, key, {}); !s) return s;
    if (key.find('=') != std::string::npos) {
      return bad_request(where + ": a key with `=` in it", "key and value given apart");
    }
    const TextRule rule{JobLimits::kMapBytes, true, true};
    if (Status s = check_text(where, value, rule); !s) return s;
    bytes += key.size() + value.size();
  }
  if (bytes > JobLimits::kMapBytes) {
    return bad_request(std::string(field) + ": " + std::to_string(bytes) + " bytes",
                       "at most " + std::to_string(JobLimits::kMapBytes) + " bytes in all");
  }
  return Ok{};
}

Status check_numbers(const wire::JobSpec& spec) {
  const struct {
    const char* field;
    std::int64_t value, least, most;
  } numbers[] = {
      {"max_attempts", spec.max_attempts, 1, JobLimits::kAttempts},
      {"task_timeout_ms", spec.task_timeout_ms, 0, 1000LL * 3600 * 24 * 365},
      {"slowstart_millionths", spec.slowstart_millionths, 0, 1'000'000},
      {"slots_per_map", spec.slots_per_map, 1, JobLimits::kSlotsPerTask},
      {"slots_per_reduce", spec.slots_per_reduce, 1, JobLimits::kSlotsPerTask},
      {"map_memory_mb", spec.map_memory_mb, 0, JobLimits::kMemoryMb},
      {"reduce_memory_mb", spec.reduce_memory_mb, 0, JobLimits::kMemoryMb},
      {"sort_memory_mb", spec.sort_memory_mb, 1, 65536},
      {"time_limit_ms", spec.time_limit_ms, 0, JobLimits::kTimeLimitMs},
  };
  for (const auto& n : numbers) {
    if (Status s = check_range(n.field, n.value, n.least, n.most); !s) return s;
  }
  return Ok{};
}

Status check_file(const std::string& field, const wire::JobFile& file) {
  const TextRule rule{.max_bytes = JobLimits::kFileNameBytes};
  if (Status s = check_text(field + ".name", file.name, rule); !s) return s;
  if (file.name.find('/') != std::string::npos || file.name == "." || file.name == "..") {
    return bad_request(field + ".name: '" + file.name + "' is no name of a file",
                       "a name without `/`, and neither `.` nor `..`");
  }
  if (file.content.size() > JobLimits::kFileBytes) {
    return bad_request(field + ": '" + file.name + "' has " + std::to_string(file.content.size()) +
                           " bytes",
                       "at most " + std::to_string(JobLimits::kFileBytes) + " a file");
  }
  return Ok{};
}

// What travels with the job.
Status check_files(const wire::JobSpec& spec) {
  if (spec.files.empty()) return Ok{};
  if (spec.files.size() > JobLimits::kFiles) {
    return out_of_range("files: number of files", static_cast<std::int64_t>(spec.files.size()), 0,
                        JobLimits::kFiles);
  }
  if (!spec.working_directory.empty()) {
    return bad_request("files: the job has a working_directory",
                       "files without it: they go into each attempt's own directory");
  }
  std::size_t bytes = 0;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < spec.files.size(); ++i) {
    const wire::JobFile& file = spec.files[i];
    const std::string field = "files[" + std::to_string(i) + "]";
    if (Status s = check_file(field, file); !s) return s;
    if (!names.insert(file.name).second) {
      return bad_request(field + ".name: '" + file.name + "' is there already",
                         "files of different names");
    }
    bytes += file.content.size();
  }
  if (bytes > JobLimits::kFilesBytes) {
    return bad_request("files: have " + std::to_string(bytes) + " bytes",
                       "at most " + std::to_string(JobLimits::kFilesBytes) + " in all");
  }
  return Ok{};
}

Status check_spec(const wire::JobSpec& spec) {
  if (Status s = check_text("name", spec.name, {JobLimits::kNameBytes, true}); !s) return s;
  if (Status s = check_text("queue", spec.queue, {JobLimits::kPathBytes}); !s) return s;
  if (Status s = check_commands(spec); !s) return s;
  if (Status s = check_path("output", spec.output); !s) return s;
  if (Status s = check_input_files(spec); !s) return s;
  if (!spec.working_directory.empty()) {
    if (Status s = check_path("working_directory", spec.working_directory); !s) return s;
  }
  if (Status s = check_files(spec); !s) return s;
  if (Status s = check_map("conf", spec.conf); !s) return s;
  if (Status s = check_map("environment", spec.environment); !s) return s;
  if (spec.splits.empty()) {
    return bad_request("splits: none given, so there is nothing to map", "one a map, at least one");
  }
  if (const std::size_t pieces = pieces_in(spec.splits); pieces > JobLimits::kSplits) {
    const bool splits = pieces == spec.splits.size();
    return out_of_range(splits ? "splits: number of splits" : "splits: number of pieces",
                        static_cast<std::int64_t>(pieces), 1, JobLimits::kSplits);
  }
  return check_numbers(spec);
}

// `/out/` and `/out/x/..` are `/out`: two jobs must not publish into one directory under two names.
std::string normal_path(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  if (normal.starts_with("//")) normal.erase(0, normal.find_first_not_of('/') - 1);
  return normal;
}

}  // namespace

Status check_text(const std::string& field, const std::string& text, const TextRule& rule) {
  if (text.empty() && !rule.may_be_empty) {
    return bad_request(field + ": is empty",
                       "1 to " + std::to_string(rule.max_bytes) + " bytes of text");
  }
  if (text.size() > rule.max_bytes) {
    return bad_request(field + ": is " + std::to_string(text.size()) + " bytes long",
                       "at most " + std::to_string(rule.max_bytes) + " bytes");
  }
  const bool bad = std::any_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (rule.may_have_newlines) return byte == 0;
    return byte < 0x20 || byte == 0x7f;
  });
  if (bad) {
    return bad_request(field + ": has a control character in it",
                       rule.may_have_newlines ? "text without NUL bytes" : "one line of text");
  }
  return Ok{};
}

namespace {

// The name of a user or a group, which must not read as an entry of an access list that stands for
// others.
Status check_name(const std::string& field, const std::string& name) {
  if (Status s = check_text(field, name, {JobLimits::kNameBytes}); !s) return s;
  if (name != "*" && !name.starts_with('@')) return Ok{};
  return bad_request(field + ": '" + name + "' is no name",
                     "names that are not * and do not begin with @");
}

}  // namespace

Result<Caller> from_wire(const wire::Caller& caller) {
  if (Status s = check_name("caller.user", caller.user); !s) return s.error();
  if (caller.groups.size() > JobLimits::kGroups) {
    return out_of_range("caller.groups: number of groups",
                        static_cast<std::int64_t>(caller.groups.size()), 0, JobLimits::kGroups);
  }
  for (const std::string& group : caller.groups) {
    if (Status s = check_name("caller.groups", group); !s) return s.error();
  }
  return Caller{caller.user, caller.groups};
}

wire::Caller to_wire(const Caller& caller) {
  wire::Caller out;
  out.user = caller.user;
  if (!caller.groups.empty()) out.__set_groups(caller.groups);
  return out;
}

Result<Priority> priority_from_wire(const std::string& text) {
  if (const auto priority = parse_priority(text)) return *priority;
  return bad_request("priority: '" + text.substr(0, 64) + "' is none",
                     "VERY_HIGH, HIGH, NORMAL, LOW, VERY_LOW");
}

Result<JobSpec> from_wire(const wire::JobSpec& spec, const Caller& caller) {
  if (Status s = check_spec(spec); !s) return s.error();
  JobSpec out = from_wire_without_splits(spec);
  if (!spec.priority.empty()) {
    const auto priority = priority_from_wire(spec.priority);
    if (!priority) return priority.error();
    out.priority = *priority;
  }
  out.splits.reserve(spec.splits.size());
  for (std::size_t i = 0; i < spec.splits.size(); ++i) {
    auto split = split_from_wire(spec.splits[i], i, spec.input_files.size());
    if (!split) return split.error();
    out.splits.push_back(std::move(*split));
  }
  out.output = normal_path(spec.output);
  if (out.output == "/") {
    return bad_request("output: is the root directory", "a directory that does not exist yet");
  }
  out.name = spec.name.empty() ? out.output.substr(out.output.rfind('/') + 1) : spec.name;
  out.name.resize(std::min(out.name.size(), JobLimits::kNameBytes));
  out.user = caller.user;
  out.groups = caller.groups;
  return out;
}

}  // namespace weir
