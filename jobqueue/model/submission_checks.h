// What is refused of a submission or of another request, whatever the state of the cluster: single
// fields that cannot be right or are beyond SubmissionLimits. A refusal names the field and the
// value, its hint what is allowed. Whoever checks a part as soon as he has it refuses early, with
// the same words. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobqueue/model/caller.h"
#include "jobqueue/model/result.h"

namespace weir {

// The refusal of a request that cannot be right: `message` says where and what, `hint` what is
// allowed.
Error bad_request(std::string message, std::string hint);

// A field's value that is not within its limits.
Error out_of_range(const std::string& field, std::int64_t value, std::int64_t least,
                   std::int64_t most, const std::string& advice = "");
Status check_range(const std::string& field, std::int64_t value, std::int64_t least,
                   std::int64_t most);

// The refusal of a text field that is empty (where it must not be), too long, or has control
// characters in it.
struct TextRule {
  std::size_t max_bytes = 256;
  bool may_be_empty = false;
  bool may_have_newlines = false;
};
Status check_text(const std::string& field, const std::string& text, const TextRule& rule);
Status check_path(const std::string& field, const std::string& path);  // absolute
// Of a conf, or an environment.
Status check_entries(const std::string& field, const std::map<std::string, std::string>& entries);

Status check_caller(const Caller& caller);
Status check_reduces(std::int64_t reduces);        // before it is cut to the 32 bits of the wire
Status check_max_attempts(std::int64_t attempts);  // likewise
Status check_file_count(std::size_t files);        // that travel with the job
Status check_file_bytes(std::size_t place, const std::string& name, std::int64_t bytes);
Status check_input_files(const std::vector<std::string>& paths);
Status check_paths(const std::string& field, const std::vector<std::string>& paths);
// `pieces`: the splits, and the further pieces in them.
Status check_pieces(std::size_t splits, std::size_t pieces);

}  // namespace weir
