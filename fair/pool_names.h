// Which pool a job is in, by name: the one it was moved into, else its property `pool`, else what
// `pool_name_property` says (its queue, its user, its first group, or a property), else `default`.
// Names are dotted paths; blanks around them and a leading `root.` are dropped. A dot in the name
// of a user or a group makes no nested pool: it is spelled `_dot_`. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"

namespace weir {

inline constexpr std::string_view kDefaultPool = "default";

// Of a pool, without those above it: as settings can declare it.
inline constexpr std::string_view kPoolNameAllowed =
    "1 to 100 printable characters without spaces, commas and slashes; dots part the names of "
    "nested pools";
bool is_pool_name(std::string_view name);
// Of a path that a job asks for. Not asked of jobs that were stored with another: they go on.
Status check_pool_asked(std::string_view path);

// The path that a user's text names, or why it names none.
Result<std::string> parse_pool_name(std::string_view text);

// The pool of a job in that queue. `moved_to`: the pool that it was moved into, or empty.
Result<std::string> pool_name_of(const JobSpec& spec, std::string_view queue_path,
                                 std::string_view moved_to, const std::string& pool_name_property);
// Where it had been moved nowhere and named none.
Result<std::string> unnamed_pool_of(const JobSpec& spec, std::string_view queue_path,
                                    const std::string& pool_name_property);
// Whether the job names it: by its property `pool`, or the one that names pools.
bool names_its_pool(const JobSpec& spec, const std::string& pool_name_property);

}  // namespace weir
