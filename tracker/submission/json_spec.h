// A submission as a JSON object: the fields of JobSpec (thrift/common.thrift), by their names, but
// for `splits`, which the JobTracker makes of what lies at `input_files` (paths, directories,
// patterns). Besides these `split_bytes` (of one map, 64 MiB), `combine_bytes` (small files are
// read by one map, several up to so many bytes together) and `submission` (drawn by the client, to
// be known again by). A field that is not known, or of another type, is refused by its name.
// Checked as any other submission (thrift/spec_check.h). Pure functions, any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common_types.h"
#include "jobqueue/model/caller.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"
#include "tracker/splits/splits.h"

namespace weir {

struct Submission {
  wire::JobSpec spec;  // checked, but for the input; input_files as they were named
  std::string id;      // the client's; may be empty
  std::string address;  // that it came from
  std::int64_t split_bytes = kDefaultSplitBytes;
  std::optional<std::int64_t> combine_bytes;
};

Result<Submission> read_submission(const nlohmann::ordered_json& body);

// With its input found.
Result<std::shared_ptr<const JobSpec>> complete(Submission submission, InputSplits input,
                                                const Caller& caller);

}  // namespace weir
