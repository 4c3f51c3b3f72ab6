#include "cli/tracker_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/connection.h"
#include "cli/format.h"
#include "cli/json.h"
#include "conf/values.h"

namespace weir::cli {
namespace {

using Order = wire::TrackerOrder;

std::string slots_used(std::int64_t used, std::int64_t total) {
  return fmt::format("{}/{}", used, total);
}

std::vector<wire::TrackerStatus> ask_for_trackers(JobTracker& jobtracker) {
  std::vector<wire::TrackerStatus> trackers;
  jobtracker.client([&](auto& client) { client.trackers(trackers); });
  return trackers;
}

int list_trackers(Context& context) {
  JobTracker jobtracker(context);
  const auto trackers = ask_for_trackers(jobtracker);
  if (context.json()) {
    print_json(context.out, to_json(trackers));
  } else if (trackers.empty()) {
    context.out << "no trackers; start one with 'weir tracker --jobtracker HOST:PORT'\n";
  } else {
    context.out << tracker_table(trackers).render();
  }
  return kExitDone;
}

// What is to happen before the machine is not needed any more.
std::string remaining(const wire::TrackerStatus& tracker) {
  std::string text;
  if (tracker.attempts > 0) {
    text = fmt::format("{} attempt{} {} here", tracker.attempts, tracker.attempts == 1 ? "" : "s",
                       tracker.attempts == 1 ? "runs" : "run");
  }
  if (tracker.outputs > 0) {
    text += fmt::format("{}{} map output{} needed by", text.empty() ? "" : ", ", tracker.outputs,
                        tracker.outputs == 1 ? " is" : "s are");
    for (const std::string& job : tracker.outputs_for) text += " " + job;
  }
  return text.empty() ? "nothing" : text;
}

std::string why_out(const wire::TrackerStatus& tracker, std::int64_t now_ms) {
  if (tracker.state == "LOST") return tracker.__isset.lost_why ? tracker.lost_why : "is not there";
  if (tracker.state == "AWAITED") return "it has not reported since the JobTracker started";
  if (tracker.__isset.order) {
    return fmt::format("{} ordered by {} {} ago", tracker.order, tracker.ordered_by,
                       short_duration(now_ms - tracker.ordered_at_ms));
  }
  if (tracker.state == "FAULTY") {
    const std::string back =
        tracker.__isset.back_at_ms
            ? fmt::format("; back in {}", short_duration(tracker.back_at_ms - now_ms))
            : "";
    return fmt::format("{} jobs succeeded that it had failed{}", tracker.faults.size(), back);
  }
  return tracker.__isset.health && !tracker.health.empty() ? tracker.health : "";
}

int show_tracker(Context& context, const std::string& name) {
  JobTracker jobtracker(context);
  const auto trackers = ask_for_trackers(jobtracker);
  const auto found = std::find_if(trackers.begin(), trackers.end(),
                                  [&](const auto& tracker) { return tracker.name == name; });
  if (found == trackers.end()) {
    std::vector<std::string_view> known;
    for (const auto& tracker : trackers) known.push_back(tracker.name);
    const auto near = nearest(name, known);
    throw CliFailure(
        kExitRefused,
        fmt::format("there is no tracker '{}'{}; see 'weir tracker list'", printable(name),
                    near ? fmt::format(", did you mean '{}'?", *near) : ""));
  }
  if (context.json()) {
    print_json(context.out, to_json(*found));
    return kExitDone;
  }
  wire::ServerInfo server;  // ages are by the JobTracker's time
  jobtracker.admin([&](auto& admin) { admin.info(server); });
  const wire::TrackerStatus& tracker = *found;
  std::vector<std::pair<std::string, std::string>> lines = {{"tracker", tracker.name},
                                                            {"state", tracker.state}};
  if (const std::string why = why_out(tracker, server.now_ms); !why.empty())
    lines.emplace_back("why", why);
  if (tracker.__isset.order) lines.emplace_back("remaining", remaining(tracker));
  lines.emplace_back("host", fmt::format("{}:{}", tracker.host, tracker.shuffle_port));
  lines.emplace_back("rack", tracker.rack);
  lines.emplace_back("maps", slots_used(tracker.used.map_slots, tracker.total.map_slots));
  lines.emplace_back("reduces", slots_used(tracker.used.reduce_slots, tracker.total.reduce_slots));
  if (tracker.total.memory_mb > 0) {
    lines.emplace_back("memory MB", slots_used(tracker.used.memory_mb, tracker.total.memory_mb));
  }
  lines.emplace_back("attempts", std::to_string(tracker.attempts));
  lines.emplace_back("heard", short_duration(tracker.last_heartbeat_ms_ago) + " ago");
  if (tracker.__isset.free_disk_mb)
    lines.emplace_back("free disk", short_bytes(tracker.free_disk_mb << 20));
  for (const std::int64_t fault : tracker.faults)
    lines.emplace_back("fault", short_duration(server.now_ms - fault) + " ago");
  context.out << property_lines(lines);
  return kExitDone;
}

const char* done_text(Order::type order) {
  switch (order) {
    case Order::RESUME:
      return "takes tasks again";
    case Order::DRAIN:
      return "drains: it gets no new tasks; what runs goes on and its outputs are served";
    case Order::STOP:
      return "stops: it leaves when nothing runs there and no output it holds is needed";
    case Order::STOP_NOW:
      return "stops now: what it runs is killed and runs elsewhere";
  }
  return "";
}

int order_trackers(Context& context, const std::vector<std::string>& names, Order::type order) {
  JobTracker jobtracker(context);
  wire::Done done;
  jobtracker.admin([&](auto& admin) { admin.order_trackers(done, caller(context), names, order); });
  if (context.json()) {
    print_json(context.out, {{"trackers", names}, {"version", done.version}});
    return kExitDone;
  }
  for (const std::string& name : names)
    context.out << fmt::format("tracker {} {}\n", printable(name), done_text(order));
  return kExitDone;
}

struct OrderCommand {
  std::vector<std::string> names;
  bool now = false;
};

void add_order(CLI::App& group, Context& context, const char* name, const char* what,
               Order::type order, const char* example) {
  const auto typed = std::make_shared<OrderCommand>();
  auto* command = group.add_subcommand(name, what);
  command->add_option("NAME", typed->names, "as in 'weir tracker list'")->required();
  if (order == Order::STOP) {
    command->add_flag("--now", typed->now,
                      "at once: what it runs is killed, and maps whose output is needed run again");
  }
  add_caller_option(*command, context);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(std::string("Administrators only. All names are looked at before anything is "
                              "done.\n\nExamples:\n  ") +
                  example);
  command->callback([&context, typed, order] {
    context.action = [&context, typed, order] {
      return order_trackers(context, typed->names, typed->now ? Order::STOP_NOW : order);
    };
  });
}

}  // namespace

Table tracker_table(const std::vector<wire::TrackerStatus>& trackers) {
  Table table({{"TRACKER", false, 8},
               {"STATE"},
               {"HOST", false, 9},
               {"RACK", false, 6},
               {"MAPS", true},
               {"REDUCES", true},
               {"MEMORY MB", true},
               {"HEARD", true},
               {"FREE DISK", true},
               {"HEALTH", false, 8}});
  for (const auto& tracker : trackers) {
    table.add({tracker.name, tracker.state, tracker.host, tracker.rack,
               slots_used(tracker.used.map_slots, tracker.total.map_slots),
               slots_used(tracker.used.reduce_slots, tracker.total.reduce_slots) +
                   (tracker.copying > 0 ? fmt::format(" +{} copying", tracker.copying) : ""),
               tracker.total.memory_mb > 0
                   ? slots_used(tracker.used.memory_mb, tracker.total.memory_mb)
                   : "-",
               short_duration(tracker.last_heartbeat_ms_ago) + " ago",
               tracker.__isset.free_disk_mb ? short_bytes(tracker.free_disk_mb << 20) : "-",
               tracker.__isset.health && !tracker.health.empty() ? tracker.health : "ok"});
  }
  return table;
}

void add_tracker_commands(CLI::App& tracker_command, Context& context) {
  auto* command =
      tracker_command.add_subcommand("list", "the cluster's trackers, their slots and health");
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer("Examples:\n  weir tracker list\n  weir tracker list -o json");
  command->callback([&context] { context.action = [&context] { return list_trackers(context); }; });

  const auto name = std::make_shared<std::string>();
  command = tracker_command.add_subcommand(
      "show", "one tracker: how it is and why, and what is left to do before it may go");
  command->add_option("NAME", *name, "as in 'weir tracker list'")->required();
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer("Examples:\n  weir tracker show tt1");
  command->callback([&context, name] {
    context.action = [&context, name] { return show_tracker(context, *name); };
  });

  add_order(tracker_command, context, "drain",
            "no new tasks; what runs goes on, map outputs are served; until 'resume'", Order::DRAIN,
            "weir tracker drain tt1 tt2");
  add_order(tracker_command, context, "stop",
            "drains, and ends the tracker once nobody needs it; started again it is welcome",
            Order::STOP, "weir tracker stop tt1\n  weir tracker stop --now tt1");
  add_order(tracker_command, context, "resume", "takes back drain and stop, and forgives faults",
            Order::RESUME, "weir tracker resume tt1");
}

}  // namespace weir::cli
