// What is refused of a submission, whatever its queue allows: each field that cannot be right or is
// beyond SubmissionLimits. The first thing wrong is the refusal; its message names the field and
// the value, its hint what is allowed. The JobTracker checks what it is sent; a client that checks
// each part as soon as it has it refuses early, with the same words. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common_types.h"
#include "jobqueue/model/result.h"

namespace weir {

// All of it, but for what each single split says.
Status check_spec(const wire::JobSpec& spec);

// Its parts.
Status check_description(const wire::JobSpec& spec);  // all but the input
Status check_reduces(std::int64_t reduces);           // before it is cut to the 32 bits of the wire
Status check_max_attempts(std::int64_t attempts);     // likewise
Status check_file_count(std::size_t files);           // that travel with the job
Status check_file_bytes(std::size_t place, const std::string& name, std::int64_t bytes);
Status check_input_files(const std::vector<std::string>& paths);
// `pieces`: the splits, and the further pieces in them.
Status check_pieces(std::size_t splits, std::size_t pieces);

// A field's value that is not within its limits.
Error out_of_range(const std::string& field, std::int64_t value, std::int64_t least,
                   std::int64_t most, const std::string& advice = "");

// The refusal of a text field that is empty (where it must not be), too long, or has control
// characters in it.
struct TextRule {
  std::size_t max_bytes = 256;
  bool may_be_empty = false;
  bool may_have_newlines = false;
};
Status check_text(const std::string& field, const std::string& text, const TextRule& rule);

}  // namespace weir
