// What `weir policy` says about each queue and pool: what it has, and what each policy would give
// it right now.
#pragma once

#include <string>

#include "views/policy_view.h"

namespace weir::cli {

// A line a queue or pool and class; empty if the JobTracker says nothing about it.
std::string outlook_table(const PolicyView& policy, std::size_t width);

// Who would run more or less under another policy as things are, and how many running attempts may
// die for that at most; as the page of the policy says it.
std::string change_text(const PolicyView& policy, const std::string& to, std::size_t width);
// Likewise from one outlook to another, as of the settings now and then.
std::string change_text(const OutlookView& now, const OutlookView& then, std::size_t width);

}  // namespace weir::cli
