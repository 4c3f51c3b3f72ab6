#include "cli/tracker_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/connection.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/pages.h"
#include "conf/values.h"

namespace weir::cli {
namespace {

using Order = wire::TrackerOrder;

std::string slots_used(std::int64_t used, std::int64_t total) {
  return fmt::format("{}/{}", used, total);
}

std::vector<wire::TrackerStatus> ask_for_trackers(JobTracker& jobtracker) {
  auto trackers = listed_trackers(jobtracker);
  std::sort(trackers.begin(), trackers.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return trackers;
}

int list_trackers(Context& context) {
  JobTracker jobtracker(context);
  const auto trackers = ask_for_trackers(jobtracker);
  if (context.json()) {
    print_json(context.out, to_json(trackers));
  } else if (trackers.empty()) {
    context.out << "no trackers; start one with `weir tracker --jobtracker HOST:PORT`\n";
  } else {
    context.out << tracker_table(trackers).render(context.columns());
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

// In a list: what is wrong with it, or was said with an order.
std::string health_of(const wire::TrackerStatus& tracker) {
  if (tracker.__isset.order_reason) return tracker.order_reason;
  if (tracker.state == "LOST" && tracker.__isset.lost_why) return tracker.lost_why;
  if (tracker.__isset.health && !tracker.health.empty()) return tracker.health;
  return is_back(tracker) ? "ok" : "-";
}

std::string why_out(const wire::TrackerStatus& tracker, std::int64_t now_ms) {
  if (tracker.state == "LOST") {
    return (tracker.__isset.lost_why ? tracker.lost_why : "is not there") +
           (tracker.__isset.order ? "; " + tracker.order + " ordered for when it comes back" : "");
  }
  if (tracker.state == "AWAITED") return "it has not reported since the JobTracker started";
  if (tracker.state == "RETURNING") return "it reports, and is to register again first";
  if (tracker.__isset.order) {
    return fmt::format("{} ordered by {} {} ago{}", tracker.order, tracker.ordered_by,
                       short_duration(now_ms - tracker.ordered_at_ms),
                       tracker.__isset.order_reason ? ": " + tracker.order_reason : "");
  }
  if (tracker.state == "SILENT") return "no heartbeat for a few intervals";
  if (tracker.state == "FAULTY") {
    const std::string back =
        tracker.__isset.back_at_ms
            ? fmt::format("; back in {}", short_duration(tracker.back_at_ms - now_ms))
            : "";
    return fmt::format("{} jobs succeeded that it had failed{}", tracker.faults.size(), back);
  }
  return tracker.__isset.health && !tracker.health.empty() ? tracker.health : "";
}

std::string heard_text(const wire::TrackerStatus& tracker) {
  const std::string ago = short_duration(tracker.last_heartbeat_ms_ago) + " ago";
  if (tracker.state == "AWAITED") return "not since the JobTracker started, " + ago;
  if (tracker.state == "RETURNING") return "since the JobTracker started, " + ago;
  return ago;
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
        fmt::format("there is no tracker '{}'{}; see `weir tracker list`", printable(name),
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
  const bool known = !tracker.host.empty();  // it has registered since the JobTracker started
  lines.emplace_back("host",
                     known ? fmt::format("{}:{}", tracker.host, tracker.shuffle_port) : "-");
  lines.emplace_back("rack", known ? tracker.rack : "-");
  lines.emplace_back("maps", slots_used(tracker.used.map_slots, tracker.total.map_slots));
  lines.emplace_back("reduces", slots_used(tracker.used.reduce_slots, tracker.total.reduce_slots));
  if (tracker.total.memory_mb > 0) {
    lines.emplace_back("memory MB", slots_used(tracker.used.memory_mb, tracker.total.memory_mb));
  }
  lines.emplace_back("attempts", std::to_string(tracker.attempts));
  lines.emplace_back("heard", heard_text(tracker));
  if (tracker.__isset.free_disk_mb)
    lines.emplace_back("free disk", short_bytes(tracker.free_disk_mb << 20));
  for (const std::int64_t fault : tracker.faults)
    lines.emplace_back("fault", short_duration(server.now_ms - fault) + " ago");
  for (const std::string& protection : tracker.protections)
    lines.emplace_back("protection", printable(protection));
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

struct OrderCommand {
  std::vector<std::string> names;
  bool now = false;
  std::string reason;
};

// Asks for something about the trackers that are named, and says what is so then.
template <class Ask>
int ask_about(Context& context, const std::vector<std::string>& names, const char* then, Ask ask) {
  JobTracker jobtracker(context);
  wire::Done done;
  jobtracker.admin([&](auto& admin) { ask(admin, done); });
  if (context.json()) {
    print_json(context.out, {{"trackers", names}, {"version", done.version}});
    return kExitDone;
  }
  const auto trackers = ask_for_trackers(jobtracker);
  for (const std::string& name : names) {
    const bool awaited = std::any_of(trackers.begin(), trackers.end(), [&](const auto& tracker) {
      return tracker.name == name && tracker.state == "LOST" && tracker.__isset.order;
    });
    context.out << fmt::format("tracker {} {}\n", printable(name),
                               awaited ? "is lost; this is for when it comes back" : then);
  }
  return kExitDone;
}

int order_trackers(Context& context, const OrderCommand& typed, Order::type order) {
  return ask_about(context, typed.names, done_text(order), [&](auto& admin, auto& done) {
    admin.order_trackers(done, caller(context), typed.names, order, typed.reason);
  });
}

int lose_trackers(Context& context, const OrderCommand& typed) {
  return ask_about(context, typed.names, "is lost: what it ran starts elsewhere",
                   [&](auto& admin, auto& done) {
                     admin.lose_trackers(done, caller(context), typed.names, typed.reason);
                   });
}

int forget_trackers(Context& context, const OrderCommand& typed) {
  return ask_about(context, typed.names, "is forgotten", [&](auto& admin, auto& done) {
    admin.forget_trackers(done, caller(context), typed.names);
  });
}

using OrderAction = std::function<int(Context&, const OrderCommand&)>;

// A command that takes the names of trackers; those who must say why may.
CLI::App* add_order(CLI::App& group, Context& context, const char* name, const char* what,
                    const std::shared_ptr<OrderCommand>& typed, const char* example,
                    OrderAction action) {
  auto* command = group.add_subcommand(name, what);
  command->add_option("NAME", typed->names, "as in `weir tracker list`")->required();
  add_caller_option(*command, context);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(std::string("Administrators only. All names are looked at before anything is "
                              "done.\n\nExamples:\n  ") +
                  example);
  command->callback([&context, typed, action = std::move(action)] {
    context.action = [&context, typed, action] { return action(context, *typed); };
  });
  return command;
}

void add_reason(CLI::App& command, const std::shared_ptr<OrderCommand>& typed) {
  command.add_option("--reason", typed->reason, "shown by `weir tracker list` and 'show'");
}

void add_orders(CLI::App& group, Context& context) {
  auto typed = std::make_shared<OrderCommand>();
  auto* command = add_order(
      group, context, "drain",
      "no new tasks; what runs goes on, map outputs are served; until 'resume'", typed,
      "weir tracker drain tt1 tt2 --reason 'new disks'",
      [](Context& c, const OrderCommand& t) { return order_trackers(c, t, Order::DRAIN); });
  add_reason(*command, typed);

  typed = std::make_shared<OrderCommand>();
  command = add_order(group, context, "stop",
                      "drains, and ends the tracker once nobody needs it; started again it is "
                      "welcome",
                      typed, "weir tracker stop tt1\n  weir tracker stop --now tt1",
                      [](Context& c, const OrderCommand& t) {
                        return order_trackers(c, t, t.now ? Order::STOP_NOW : Order::STOP);
                      });
  command->add_flag("--now", typed->now,
                    "at once: what it runs is killed, and maps whose output is needed run again");
  add_reason(*command, typed);

  add_order(group, context, "resume", "takes back drain and stop, and forgives faults",
            std::make_shared<OrderCommand>(), "weir tracker resume tt1",
            [](Context& c, const OrderCommand& t) { return order_trackers(c, t, Order::RESUME); });

  typed = std::make_shared<OrderCommand>();
  command = add_order(group, context, "lost",
                      "a SILENT or AWAITED tracker is dead: what it ran starts elsewhere at once, "
                      "not after heartbeat.expiry",
                      typed, "weir tracker lost tt1 --reason 'power supply'", lose_trackers);
  add_reason(*command, typed);

  add_order(group, context, "forget",
            "a LOST tracker leaves the list, with what was ordered of it; if it comes back, it is "
            "welcome",
            std::make_shared<OrderCommand>(), "weir tracker forget tt1", forget_trackers);
}

}  // namespace

bool is_back(const wire::TrackerStatus& tracker) {
  return tracker.state != "AWAITED" && tracker.state != "RETURNING";
}

Table tracker_table(const std::vector<wire::TrackerStatus>& trackers) {
  Table table({{.header = "TRACKER", .least_width = 8},
               {"STATE"},
               {.header = "HOST", .least_width = 9, .rank = 2},
               {.header = "RACK", .least_width = 6, .rank = 3},
               {.header = "MAPS", .right = true},
               {.header = "REDUCES", .right = true},
               {.header = "MEMORY MB", .right = true, .rank = 5},
               {.header = "HEARD", .right = true, .rank = 1},
               {.header = "FREE DISK", .right = true, .rank = 4},
               {.header = "HEALTH", .least_width = 12}});
  for (const auto& tracker : trackers) {
    const bool known = !tracker.host.empty();
    table.add({tracker.name, tracker.state, known ? tracker.host : "-", known ? tracker.rack : "-",
               slots_used(tracker.used.map_slots, tracker.total.map_slots),
               slots_used(tracker.used.reduce_slots, tracker.total.reduce_slots) +
                   (tracker.copying > 0 ? fmt::format(" +{} copying", tracker.copying) : ""),
               tracker.total.memory_mb > 0
                   ? slots_used(tracker.used.memory_mb, tracker.total.memory_mb)
                   : "-",
               is_back(tracker) ? short_duration(tracker.last_heartbeat_ms_ago) + " ago" : "-",
               tracker.__isset.free_disk_mb ? short_bytes(tracker.free_disk_mb << 20) : "-",
               health_of(tracker)});
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
  command->add_option("NAME", *name, "as in `weir tracker list`")->required();
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer("Examples:\n  weir tracker show tt1");
  command->callback([&context, name] {
    context.action = [&context, name] { return show_tracker(context, *name); };
  });

  add_orders(tracker_command, context);
}

}  // namespace weir::cli
