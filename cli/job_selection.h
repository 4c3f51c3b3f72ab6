// Which jobs a command is about: those whose IDs are given, or those that a selection names
// (--user, --queue, --name, --state, which must all fit), never both. What a selection has found is
// listed on stderr, and somebody at a terminal is asked before anything is changed. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/connection.h"
#include "cli/context.h"

namespace weir::cli {

struct JobSelection {
  std::vector<std::string> ids;  // as typed
  std::string user, queue, name, states;
  bool yes = false;  // not to be asked

  bool selects() const {
    return !user.empty() || !queue.empty() || !name.empty() || !states.empty();
  }
};

// --name, --state, and --user as a selection; --queue is left to the command.
void add_selection_options(CLI::App& command, JobSelection& selection);

// "running,pending" as states have their names; refused (exit code 2) if one is none of those.
enum class JobStates { kUnfinished, kOver, kAny };
std::vector<std::string> states_of(const std::string& text, JobStates among);

// The numbers of the IDs, each once, in the order given. Refused (exit code 2) if one is none, if
// there are none and no selection, or both. Asks nobody.
std::vector<std::int64_t> numbers_given(const JobSelection& selection);

// The unfinished jobs it names, oldest first. If there are none, that is a failure (exit code 1).
std::vector<JobView> find_selected(JobTracker& jobtracker, const JobSelection& selection);

// Lists what is going to be done ("kill") on stderr; false: whoever was asked did not agree.
bool agreed(Context& context, const JobSelection& selection, const std::string& verb,
            const std::vector<JobView>& jobs);

}  // namespace weir::cli
