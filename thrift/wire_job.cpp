#include "thrift/wire_job.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "jobqueue/model/submission_limits.h"
#include "thrift/spec_check.h"
#include "thrift/wire_error.h"

namespace weir {
namespace {

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
  if (split.more.size() >= SubmissionLimits::kPiecesPerSplit) {
    return out_of_range(list + ": number of pieces", static_cast<std::int64_t>(split.more.size()),
                        0, SubmissionLimits::kPiecesPerSplit - 1);
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
  if (split.hosts.size() > SubmissionLimits::kHostsPerSplit) {
    return out_of_range(field("hosts") + ": number of hosts",
                        static_cast<std::int64_t>(split.hosts.size()), 0,
                        SubmissionLimits::kHostsPerSplit);
  }
  for (const std::string& host : split.hosts) {
    const TextRule rule{.max_bytes = SubmissionLimits::kNameBytes};
    if (Status s = check_text(field("hosts"), host, rule); !s) return s.error();
  }
  auto more = more_from_wire(split, place, files);
  if (!more) return more.error();
  return Split{static_cast<std::uint32_t>(split.file), split.offset, split.length, split.hosts,
               std::move(*more)};
}

// `/out/` and `/out/x/..` are `/out`: two jobs must not publish into one directory under two names.
std::string normal_path(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  if (normal.starts_with("//")) normal.erase(0, normal.find_first_not_of('/') - 1);
  return normal;
}

}  // namespace

Result<Caller> from_wire(const wire::Caller& caller) {
  Caller out{caller.user, caller.groups};
  if (Status s = check_caller(out); !s) return s.error();
  return out;
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
  out.origin = origin_from_wire(spec);
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
  if (!out.application()) out.output = normal_path(spec.output);
  if (out.output == "/") {
    return bad_request("output: is the root directory", "a directory that does not exist yet");
  }
  const std::string called = out.application() ? out.task_groups.front().name
                                               : out.output.substr(out.output.rfind('/') + 1);
  out.name = spec.name.empty() ? called : spec.name;
  out.name.resize(std::min(out.name.size(), SubmissionLimits::kNameBytes));
  out.user = caller.user;
  out.groups = caller.groups;
  return out;
}

}  // namespace weir
