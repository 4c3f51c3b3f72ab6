#include "cli/queue_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/connection.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/queue_tables.h"

namespace weir::cli {
namespace {

// The pool may have other jobs than the queue that is shown beside its share.
std::string note_of_shares(const std::vector<QueueView>& queues) {
  const bool shares = std::any_of(queues.begin(), queues.end(), [](const auto& queue) {
    return queue.maps.share_thousandths ||
           std::any_of(queue.amounts.begin(), queue.amounts.end(),
                       [](const auto& of) { return of.figures.share_thousandths.has_value(); });
  });
  return shares ? "SHARE: of the pool of that name; all pools: weir policy show\n" : "";
}

int list(Context& context, const std::string&) {
  JobTracker jobtracker(context);
  const auto queues = jobtracker.queues();
  if (context.json()) {
    print_json(context.out, to_json(queues));
  } else {
    context.out << queue_table(queues).render(context.columns()) << lending_lines(queues)
                << maximum_lines(queues);
    context.out << note_of_shares(queues);
  }
  return kExitDone;
}

int show(Context& context, const std::string& name) {
  JobTracker jobtracker(context);
  const auto queues = jobtracker.queue(name);
  const ServerView server = jobtracker.server();  // ages are by the JobTracker's time
  if (queues.empty())
    throw CliFailure(kExitRefused,
                     fmt::format("there is no queue '{}'; see `weir queue list`", name));
  if (context.json()) {
    print_json(context.out, to_json(queues.front()));
  } else {
    context.out << queue_details(queues.front(), server.now_ms, context.columns())
                << note_of_shares({queues.front()});
  }
  return kExitDone;
}

// The dotted path of a queue that may be named by its last part. What was asked for is done: where
// nobody can say more, the name is what it was called.
std::string path_of(JobTracker& jobtracker, const std::string& name) {
  try {
    const auto queues = jobtracker.queue(name);
    return queues.empty() ? name : queues.front().name;
  } catch (const Refused&) {
    return name;
  } catch (const RpcUnreachable&) {
    return name;
  }
}

int set_state(Context& context, const std::string& typed, bool running) {
  JobTracker jobtracker(context);
  const auto version = jobtracker.set_queue_state(caller(context), typed, running);
  const std::string name = path_of(jobtracker, typed);
  if (context.json()) {
    print_json(
        context.out,
        {{"queue", name}, {"state", running ? "RUNNING" : "STOPPED"}, {"version", version}});
  } else if (running) {
    context.out << fmt::format("queue {} started: it takes new jobs\n", printable(name));
  } else {
    context.out << fmt::format(
        "queue {} stopped: it takes no new jobs and runs those it has to their end\n",
        printable(name));
  }
  return kExitDone;
}
int stop(Context& context, const std::string& name) {
  return set_state(context, name, false);
}
int start(Context& context, const std::string& name) {
  return set_state(context, name, true);
}

}  // namespace

void add_queue_commands(CLI::App& app, Context& context) {
  auto* group = app.add_subcommand("queue", "see the queues, stop and start them");
  group->group("Cluster")->require_subcommand(1);
  const auto name = std::make_shared<std::string>();
  struct Entry {
    const char* name;
    const char* what;
    int (*run)(Context&, const std::string&);
    bool changes;
    const char* example;
  };
  static constexpr Entry kEntries[] = {
      {"list", "guaranteed, allocated, running and pending slots, users, claims", list, false,
       "weir queue list -o json"},
      {"show", "everything about one queue", show, false, "weir queue show research"},
      {"stop", "no new jobs; those it has run to their end", stop, true,
       "weir queue stop research"},
      {"start", "new jobs again", start, true, "weir queue start research"}};
  for (const auto& entry : kEntries) {
    auto* command = group->add_subcommand(entry.name, entry.what);
    if (entry.run != list)
      command->add_option("QUEUE", *name, "dotted path, or an unambiguous last part")->required();
    if (entry.changes) add_caller_option(*command, context);
    add_output_option(*command, context);
    add_connection_options(*command, context);
    command->footer(std::string("Examples:\n  ") + entry.example);
    command->callback([&context, name, run = entry.run] {
      context.action = [&context, name, run] { return run(context, *name); };
    });
  }
}

}  // namespace weir::cli
