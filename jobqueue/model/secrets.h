// What of a job others do not read: values of variables and settings whose names speak of secrets
// (DB_PASSWORD, api.token), what commands give such names (`--token X`, `PASSWORD=X`), and
// passwords in addresses (`//user:X@host`). A help against eyes, not a vault: it goes by names.
// Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/job_spec.h"

namespace weir {

inline constexpr std::string_view kMasked = "***";

bool names_secret(std::string_view name);
std::string without_secrets(std::string_view text);
// In place; the fields that are others now: `environment.DB_PASSWORD`, `mapper`.
std::vector<std::string> mask_secrets(JobSpec& spec);

}  // namespace weir
