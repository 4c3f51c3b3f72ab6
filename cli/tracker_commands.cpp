#include "cli/tracker_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/connection.h"
#include "cli/container_tables.h"
#include "cli/format.h"
#include "cli/json.h"
#include "conf/values.h"
#include "jobqueue/model/counted.h"

namespace weir::cli {
namespace {

std::string used_of(const TrackerView& tracker, Dimension what) {
  return fmt::format("{}/{}", tracker.used[what], tracker.total[what]);
}

std::vector<TrackerView> ask_for_trackers(JobTracker& jobtracker) {
  auto trackers = jobtracker.trackers();
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
std::string remaining(const TrackerView& tracker) {
  std::string text;
  if (tracker.attempts > 0) {
    text = fmt::format("{} attempt{} {} here", tracker.attempts, tracker.attempts == 1 ? "" : "s",
                       tracker.attempts == 1 ? "runs" : "run");
  }
  if (const auto& order = tracker.order; order && order->outputs > 0) {
    text += fmt::format("{}{} map output{} needed by", text.empty() ? "" : ", ", order->outputs,
                        order->outputs == 1 ? " is" : "s are");
    for (const std::string& job : order->outputs_for) text += " " + job;
  }
  return text.empty() ? "nothing" : text;
}

std::string why_out(const TrackerView& tracker, std::int64_t now_ms) {
  if (tracker.state == "LOST") {
    return tracker.lost_why.value_or("is not there") +
           (tracker.order ? "; " + tracker.order->what + " ordered for when it comes back" : "");
  }
  if (tracker.state == "AWAITED") return "it has not reported since the JobTracker started";
  if (tracker.state == "RETURNING") return "it reports, and is to register again first";
  if (const auto& order = tracker.order) {
    return fmt::format("{} ordered by {} {} ago{}", order->what, order->by,
                       short_duration(now_ms - order->at_ms),
                       order->reason ? ": " + *order->reason : "");
  }
  if (tracker.state == "SILENT") return "no heartbeat for a few intervals";
  if (tracker.state == "FAULTY") {
    const std::string back =
        tracker.back_at_ms
            ? fmt::format("; back in {}", short_duration(*tracker.back_at_ms - now_ms))
            : "";
    return fmt::format("{} succeeded that it had failed{}",
                       counted(std::ssize(tracker.faults), "job"), back);
  }
  return tracker.health.value_or("");
}

std::string heard_text(const TrackerView& tracker) {
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
  const ServerView server = jobtracker.server();  // ages are by the JobTracker's time
  const TrackerView& tracker = *found;
  std::vector<std::pair<std::string, std::string>> lines = {{"tracker", tracker.name},
                                                            {"state", tracker.state}};
  if (const std::string why = why_out(tracker, server.now_ms); !why.empty())
    lines.emplace_back("why", why);
  if (tracker.order) lines.emplace_back("remaining", remaining(tracker));
  const bool known = !tracker.host.empty();  // it has registered since the JobTracker started
  lines.emplace_back("host",
                     known ? fmt::format("{}:{}", tracker.host, tracker.shuffle_port) : "-");
  lines.emplace_back("rack", known ? tracker.rack : "-");
  if (tracker.offer.empty()) {
    lines.emplace_back("maps", used_of(tracker, Dimension::kMapSlots));
    lines.emplace_back("reduces", used_of(tracker, Dimension::kReduceSlots));
    if (tracker.total[Dimension::kMemoryMb] > 0)
      lines.emplace_back("memory MB", used_of(tracker, Dimension::kMemoryMb));
  } else {
    lines.emplace_back("offer", offer_text(tracker));
    if (tracker.ports)
      lines.emplace_back("ports", fmt::format("{}/{}", tracker.ports->used, tracker.ports->total));
  }
  if (tracker.reserved_for) lines.emplace_back("reserved for", job_name(*tracker.reserved_for));
  if (const std::string room = room_text(tracker); !room.empty())
    lines.emplace_back("room for", room);
  if (!tracker.labels.empty()) lines.emplace_back("labels", printable(labels_text(tracker)));
  lines.emplace_back("attempts", std::to_string(tracker.attempts));
  lines.emplace_back("heard", heard_text(tracker));
  if (tracker.free_disk_mb)
    lines.emplace_back("free disk", short_bytes(*tracker.free_disk_mb << 20));
  for (const std::int64_t fault : tracker.faults)
    lines.emplace_back("fault", short_duration(server.now_ms - fault) + " ago");
  for (const std::string& protection : tracker.protections)
    lines.emplace_back("protection", printable(protection));
  context.out << property_lines(lines);
  return kExitDone;
}

const char* done_text(TrackerOrder order) {
  switch (order) {
    case TrackerOrder::kNone:
      return "takes tasks again";
    case TrackerOrder::kDrain:
      return "drains: it gets no new tasks; what runs goes on and its outputs are served";
    case TrackerOrder::kStop:
      return "stops: it leaves when nothing runs there and no output it holds is needed";
    case TrackerOrder::kStopNow:
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
  const auto version = ask(jobtracker);
  if (context.json()) {
    print_json(context.out, {{"trackers", names}, {"version", version}});
    return kExitDone;
  }
  const auto trackers = ask_for_trackers(jobtracker);
  for (const std::string& name : names) {
    const bool awaited = std::any_of(trackers.begin(), trackers.end(), [&](const auto& tracker) {
      return tracker.name == name && tracker.state == "LOST" && tracker.order;
    });
    context.out << fmt::format("tracker {} {}\n", printable(name),
                               awaited ? "is lost; this is for when it comes back" : then);
  }
  return kExitDone;
}

int order_trackers(Context& context, const OrderCommand& typed, TrackerOrder order) {
  return ask_about(context, typed.names, done_text(order), [&](JobTracker& jobtracker) {
    return jobtracker.order_trackers(caller(context), typed.names, order, typed.reason);
  });
}

int lose_trackers(Context& context, const OrderCommand& typed) {
  return ask_about(context, typed.names, "is lost: what it ran starts elsewhere",
                   [&](JobTracker& jobtracker) {
                     return jobtracker.lose_trackers(caller(context), typed.names, typed.reason);
                   });
}

int forget_trackers(Context& context, const OrderCommand& typed) {
  return ask_about(context, typed.names, "is forgotten", [&](JobTracker& jobtracker) {
    return jobtracker.forget_trackers(caller(context), typed.names);
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
      [](Context& c, const OrderCommand& t) {
        return order_trackers(c, t, TrackerOrder::kDrain);
      });
  add_reason(*command, typed);

  typed = std::make_shared<OrderCommand>();
  command = add_order(group, context, "stop",
                      "drains, and ends the tracker once nobody needs it; started again it is "
                      "welcome",
                      typed, "weir tracker stop tt1\n  weir tracker stop --now tt1",
                      [](Context& c, const OrderCommand& t) {
                        return order_trackers(
                            c, t, t.now ? TrackerOrder::kStopNow : TrackerOrder::kStop);
                      });
  command->add_flag("--now", typed->now,
                    "at once: what it runs is killed, and maps whose output is needed run again");
  add_reason(*command, typed);

  add_order(group, context, "resume", "takes back drain and stop, and forgives faults",
            std::make_shared<OrderCommand>(), "weir tracker resume tt1",
            [](Context& c, const OrderCommand& t) {
              return order_trackers(c, t, TrackerOrder::kNone);
            });

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

std::string health_of(const TrackerView& tracker) {
  if (tracker.state == "LOST" && tracker.lost_why) {
    if (!tracker.order) return *tracker.lost_why;
    return fmt::format("{}; {} ordered by {}, for when it comes back", *tracker.lost_why,
                       tracker.order->what, tracker.order->by);
  }
  if (tracker.order && tracker.order->reason) return *tracker.order->reason;
  if (tracker.health && !tracker.health->empty()) return *tracker.health;
  return tracker.back() ? "ok" : "-";
}

Table tracker_table(const std::vector<TrackerView>& trackers) {
  if (offer_containers(trackers)) return tracker_offer_table(trackers);
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
    const bool measured = tracker.total[Dimension::kMemoryMb] > 0;
    table.add({tracker.name, tracker.state, known ? tracker.host : "-", known ? tracker.rack : "-",
               used_of(tracker, Dimension::kMapSlots),
               used_of(tracker, Dimension::kReduceSlots) +
                   (tracker.copying > 0 ? fmt::format(" +{} copying", *tracker.copying) : ""),
               measured ? used_of(tracker, Dimension::kMemoryMb) : "-",
               tracker.back() ? short_duration(tracker.last_heartbeat_ms_ago) + " ago" : "-",
               tracker.free_disk_mb ? short_bytes(*tracker.free_disk_mb << 20) : "-",
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
