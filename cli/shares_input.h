// What both forms of `weir shares` read alike from standard input: a list of objects as JSON, and
// refusals that say where, what, and what is allowed, in one line (CliFailure, exit code 2).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json.h"

namespace weir::cli {

Json read_list(std::string_view example, std::size_t most);

// `which` is the entry: "entry 3 (production)".
[[noreturn]] void refuse(const std::string& which, std::string_view key, const Json& value,
                         std::string_view allowed);
[[noreturn]] void refuse_key(const std::string& which, const std::string& key,
                             std::span<const std::string_view> allowed);

// 46.0 is 46.
std::int64_t whole_number(const std::string& which, std::string_view key, const Json& value,
                          std::string_view allowed);
double read_weight(const std::string& which, const Json& value);

// Weights are in any unit that all share: the heaviest becomes 2^49 to 2^50, so that the others
// lose nothing that a share of many millions of slots would show.
std::vector<std::int64_t> scaled_weights(const std::vector<double>& weights);

}  // namespace weir::cli
