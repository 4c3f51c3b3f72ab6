#include "cli/job_selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "cli/ask.h"
#include "cli/format.h"
#include "cli/job_tables.h"
#include "conf/values.h"

namespace weir::cli {
namespace {

constexpr std::string_view kStates[] = {"HELD",      "WAITING", "PENDING", "RUNNING",
                                        "SUCCEEDED", "FAILED",  "KILLED"};
constexpr std::ptrdiff_t kUnfinished = 4;  // the first ones
constexpr std::int32_t kMostSelected = 10'000;  // what one answer of the JobTracker may list
constexpr std::size_t kMostListed = 50;

// "of user alice, in queue research, whose name is like 'etl-*', in state RUNNING"
std::string in_words(const JobSelection& selection) {
  std::vector<std::string> parts;
  if (!selection.user.empty()) parts.push_back("of user " + printable(selection.user));
  if (!selection.queue.empty()) parts.push_back("in queue " + printable(selection.queue));
  if (!selection.name.empty())
    parts.push_back(fmt::format("whose name is like '{}'", printable(selection.name)));
  if (!selection.states.empty()) parts.push_back("in state " + printable(selection.states));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void add_selection_options(CLI::App& command, JobSelection& selection) {
  command
      .add_option("--name", selection.name,
                  "jobs whose name is like this: * any text, ? any letter, [a-z]; in quotes")
      ->type_name("PATTERN");
  command
      .add_option("--state", selection.states,
                  "jobs in any of these states, with commas: HELD, WAITING, PENDING, RUNNING")
      ->type_name("STATE,...");
}

std::vector<std::string> states_of(const std::string& text, JobStates among) {
  const auto* first = std::begin(kStates) + (among == JobStates::kOver ? kUnfinished : 0);
  const auto* last = among == JobStates::kUnfinished ? first + kUnfinished : std::end(kStates);
  const std::vector<std::string_view> allowed(first, last);
  const char* none = among == JobStates::kUnfinished ? "is no state of an unfinished job"
                     : among == JobStates::kOver     ? "is no state of a job that is over"
                                                     : "is no state of a job";
  std::vector<std::string> states;
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    std::string state = upper_case(word);
    if (std::find(allowed.begin(), allowed.end(), state) == allowed.end()) {
      const auto near = nearest(state, allowed);
      throw wrong_use(fmt::format(
          "--state '{}': {}; write one or more of {}, with commas", printable(word),
          near ? fmt::format("did you mean {}?", *near)
               : std::string(none),
          fmt::join(allowed, ", ")));
    }
    states.push_back(state);
  }
  if (states.empty()) {
    throw wrong_use(fmt::format("--state is empty; write one or more of {}, with commas",
                                fmt::join(allowed, ", ")));
  }
  return states;
}

std::vector<std::int64_t> numbers_given(const JobSelection& selection) {
  if (!selection.ids.empty() && selection.selects()) {
    throw wrong_use(fmt::format(
        "{} is given as well as a selection ({}); give IDs or a selection, not both",
        printable(selection.ids.front()), in_words(selection)));
  }
  if (selection.ids.empty() && !selection.selects()) {
    throw wrong_use(
        "no job is named; give IDs (job_0007 or 7), or say which by --user, --queue, --name or "
        "--state");
  }
  std::vector<std::int64_t> numbers;
  for (const std::string& id : selection.ids) {
    const std::int64_t number = job_argument(id).value;
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
      numbers.push_back(number);
  }
  return numbers;
}

std::vector<JobView> find_selected(JobTracker& jobtracker, const JobSelection& selection) {
  JobsWanted wanted{.queue = selection.queue,
                    .user = selection.user,
                    .name = selection.name,
                    .limit = kMostSelected};
  if (!selection.states.empty())
    wanted.states = states_of(selection.states, JobStates::kUnfinished);
  auto jobs = jobtracker.jobs(wanted);
  if (jobs.empty()) {
    throw CliFailure(kExitNotSo, fmt::format("there is no unfinished job {}; see `weir job list`",
                                             in_words(selection)));
  }
  if (jobs.size() == kMostSelected) {
    throw wrong_use(fmt::format("{} jobs or more are {}; say more narrowly which",
                                kMostSelected, in_words(selection)));
  }
  std::reverse(jobs.begin(), jobs.end());
  return jobs;
}

bool agreed(Context& context, const JobSelection& selection, const std::string& verb,
            const std::vector<JobView>& jobs) {
  const std::size_t listed = std::min(jobs.size(), kMostListed);
  const std::string what =
      fmt::format("{} {} job{}", verb, jobs.size(), jobs.size() == 1 ? "" : "s");
  context.err << what << ":\n"
              << job_table({jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(listed)})
                     .render(context.columns());
  if (listed < jobs.size()) context.err << fmt::format("and {} more\n", jobs.size() - listed);
  if (selection.yes || !context.terminal.in) return true;
  return says_yes(context, what);
}

}  // namespace weir::cli
