#include "jobqueue/model/submission_checks.h"

#include <algorithm>
#include <utility>

#include "jobqueue/model/submission_limits.h"

namespace weir {
namespace {

using Limits = SubmissionLimits;

// The name of a user or a group, which must not read as an entry of an access list that stands for
// others.
Status check_name(const std::string& field, const std::string& name) {
  if (Status s = check_text(field, name, {SubmissionLimits::kNameBytes}); !s) return s;
  if (name != "*" && !name.starts_with('@')) return Ok{};
  return bad_request(field + ": '" + name + "' is no name",
                     "names that are not * and do not begin with @");
}

}  // namespace

Error bad_request(std::string message, std::string hint) {
  return Error{ErrorCode::kBadRequest, std::move(message), std::move(hint), {}};
}

Status check_caller(const Caller& caller) {
  if (Status s = check_name("caller.user", caller.user); !s) return s.error();
  if (caller.groups.size() > Limits::kGroups) {
    return out_of_range("caller.groups: number of groups",
                        static_cast<std::int64_t>(caller.groups.size()), 0, Limits::kGroups);
  }
  for (const std::string& group : caller.groups) {
    if (Status s = check_name("caller.groups", group); !s) return s.error();
  }
  return Ok{};
}

Status check_range(const std::string& field, std::int64_t value, std::int64_t least,
                   std::int64_t most) {
  if (value < least || value > most) return out_of_range(field, value, least, most);
  return Ok{};
}

Status check_path(const std::string& field, const std::string& path) {
  if (Status s = check_text(field, path, {.max_bytes = Limits::kPathBytes}); !s) return s;
  if (path.front() != '/') {
    return bad_request(field + ": '" + path + "' is a relative path",
                       "an absolute path, as the trackers see it");
  }
  return Ok{};
}

Status check_reduces(std::int64_t reduces) {
  return check_range("reduces", reduces, 0, Limits::kReduces);
}

Status check_max_attempts(std::int64_t attempts) {
  return check_range("max_attempts", attempts, 1, Limits::kAttemptsPerTask);
}

Status check_file_count(std::size_t files) {
  if (files <= Limits::kFiles) return Ok{};
  return out_of_range("files: number of files", static_cast<std::int64_t>(files), 0,
                      Limits::kFiles, "ship an archive of them");
}

Status check_file_bytes(std::size_t place, const std::string& name, std::int64_t bytes) {
  if (bytes <= static_cast<std::int64_t>(Limits::kFileBytes)) return Ok{};
  return bad_request("files[" + std::to_string(place) + "]: '" + name + "' has " +
                         std::to_string(bytes) + " bytes",
                     "at most " + std::to_string(Limits::kFileBytes) +
                         " a file; put it where the trackers see it");
}

Status check_input_files(const std::vector<std::string>& paths) {
  if (paths.empty()) {
    return bad_request("input_files: none given", "absolute paths, at least one");
  }
  return check_paths("input_files", paths);
}

Status check_paths(const std::string& field, const std::vector<std::string>& paths) {
  if (paths.size() > Limits::kInputFiles) {
    return out_of_range(field + ": number of files", static_cast<std::int64_t>(paths.size()), 1,
                        Limits::kInputFiles, "join small files first");
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (Status s = check_path(field + "[" + std::to_string(i) + "]", paths[i]); !s) return s;
    bytes += paths[i].size();
  }
  if (bytes > Limits::kInputPathBytes) {
    return bad_request(field + ": " + std::to_string(bytes) + " bytes of paths",
                       "at most " + std::to_string(Limits::kInputPathBytes) +
                           " in all; join small files first");
  }
  return Ok{};
}

Status check_pieces(std::size_t splits, std::size_t pieces) {
  if (splits == 0) {
    return bad_request("splits: none given, so there is nothing to map", "one a map, at least one");
  }
  if (pieces <= Limits::kPieces) return Ok{};
  return out_of_range(
      pieces == splits ? "splits: number of splits" : "splits: number of pieces",
      static_cast<std::int64_t>(pieces), 1, Limits::kPieces, "use larger splits");
}

Error out_of_range(const std::string& field, std::int64_t value, std::int64_t least,
                   std::int64_t most, const std::string& advice) {
  return bad_request(field + ": " + std::to_string(value) + " is out of range",
                     std::to_string(least) + " to " + std::to_string(most) +
                         (advice.empty() ? "" : "; " + advice));
}

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

Status check_entries(const std::string& field,
                     const std::map<std::string, std::string>& entries) {
  if (entries.size() > Limits::kMapEntries) {
    return out_of_range(field + ": number of entries",
                        static_cast<std::int64_t>(entries.size()), 0, Limits::kMapEntries);
  }
  std::size_t bytes = 0;
  for (const auto& [key, value] : entries) {
    const std::string where = field + "[" + key.substr(0, 64) + "]";
    if (Status s = check_text(where, key, {}); !s) return s;
    if (key.find('=') != std::string::npos) {
      return bad_request(where + ": a key with `=` in it", "key and value given apart");
    }
    const TextRule rule{Limits::kMapBytes, true, true};
    if (Status s = check_text(where, value, rule); !s) return s;
    bytes += key.size() + value.size();
  }
  if (bytes > Limits::kMapBytes) {
    return bad_request(field + ": " + std::to_string(bytes) + " bytes",
                       "at most " + std::to_string(Limits::kMapBytes) + " bytes in all");
  }
  return Ok{};
}

}  // namespace weir
