#include "cli/daemon_commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/paths.h"
#include "cli/tracker_commands.h"
#include "conf/load.h"
#include "conf/offer_section.h"
#include "conf/values.h"
#include "jobqueue/model/tracker_name.h"
#include "tracker/jobtracker/main.h"
#include "tracker/tasktracker/tasktracker.h"
#include "web/front.h"

namespace weir::cli {
namespace {

constexpr std::int64_t kMostAmount = std::int64_t{1} << 40;  // MB of memory, or cores

void add_jobtracker(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("jobtracker", "the daemon that schedules; one a cluster");
  command->group("Daemons");
  const auto options = std::make_shared<JobTrackerOptions>();
  command->add_option("--conf", options->conf_file, "settings (default: built in)")
      ->type_name("FILE");
  command
      ->add_option(
          "--port-file", options->port_file,
          "gets 'CLIENT_PORT TRACKER_PORT HTTP_PORT' once they listen, for ports chosen by the "
          "system")
      ->type_name("FILE");
  command->add_option("--store", options->store_path, "instead of the settings' store.sqlite")
      ->type_name("FILE");
  command->add_option("--port", options->client_port,
                      "for clients, instead of the settings' listen.thrift");
  command->add_option("--tracker-port", options->tracker_port,
                      "for trackers, instead of the settings' listen.trackers");
  command->add_option("--http-port", options->http_port,
                      "for web pages and the HTTP API, instead of the settings' listen.http");
  options->make_front = web::open_front;
  command->footer(
      "Logs to stderr. SIGTERM ends it cleanly, SIGHUP reads the settings again.\n"
      "Users are self-declared: whoever can reach its ports can act as anybody.\n\n"
      "Examples:\n  weir jobtracker --conf weir.yaml");
  command->callback(
      [&context, options] { context.action = [options] { return run_jobtracker(*options); }; });
}

// As typed; what is absent is the settings'.
struct TrackerCommand {
  std::string conf, rack, host, work_dir, name;
  std::optional<std::int64_t> map_slots, reduce_slots, vcores;
  std::string memory, offer, ports;
  std::vector<std::string> labels;
  std::optional<std::uint16_t> shuffle_port;
  std::vector<std::string> local_paths;
};

TrackerSettings tracker_settings(const std::string& conf) {
  if (conf.empty()) return {};
  auto loaded = load_settings(conf);
  if (loaded) return loaded->tracker;
  const Error& error = loaded.error();
  throw CliFailure::findings(kExitRefused, error.diagnostics.empty()
                                               ? std::vector<std::string>{error.message}
                                               : error.diagnostics);
}

std::string own_work_dir(const std::string& name) {
  return fmt::format("/tmp/weir-tracker-{}-{}", geteuid(),
                     name.empty() ? std::to_string(getpid()) : name);
}

// What it offers where containers count.
void set_offer(const TrackerCommand& command, TaskTrackerOptions& options) {
  if (!command.offer.empty()) {
    auto offer = parse_offer(command.offer);
    if (!offer) {
      throw wrong_use(fmt::format("--offer: {}, allowed: {}", printable(offer.error().message),
                                  offer.error().hint));
    }
    options.offer = std::move(*offer);
  }
  auto labels = parse_labels(command.labels);
  if (!labels) {
    throw wrong_use(fmt::format("--label: {}, allowed: {}", printable(labels.error().message),
                                labels.error().hint));
  }
  labels->merge(options.labels);  // those of the settings count where the line says none
  options.labels = std::move(*labels);
  if (command.ports.empty()) return;
  const auto ports = parse_port_range(command.ports);
  if (!ports) {
    throw wrong_use(
        fmt::format("--port-range '{}': write {}", printable(command.ports), kPortRangeAllowed));
  }
  options.ports = *ports;
}

TaskTrackerOptions tracker_options(const Context& context, const TrackerCommand& command) {
  const auto jobtracker = parse_address(jobtracker_address(context));
  if (!jobtracker || jobtracker->port == 0) {
    throw wrong_use(fmt::format("--jobtracker '{}': write HOST:PORT, like 127.0.0.1:9090",
                                printable(jobtracker_address(context))));
  }
  const TrackerSettings settings = tracker_settings(command.conf);
  TaskTrackerOptions options;
  options.jobtracker_host = jobtracker->host;
  options.jobtracker_port = jobtracker->port;
  options.name = command.name.empty() ? settings.name : command.name;
  if (!command.name.empty()) require(check_tracker_name("--name", command.name));
  options.map_slots = command.map_slots.value_or(settings.map_slots);
  options.reduce_slots = command.reduce_slots.value_or(settings.reduce_slots);
  options.memory_mb = settings.memory_mb;
  if (!command.memory.empty()) {
    options.memory_mb = size_in_mb("--memory", command.memory);
    if (options.memory_mb < 0 || options.memory_mb > kMostAmount) {
      throw wrong_use(fmt::format("--memory {}: must be 0 to {} MB", options.memory_mb,
                                  kMostAmount));
    }
  }
  options.vcores = command.vcores.value_or(settings.vcores);
  options.offer = settings.offer;
  options.labels = settings.labels;
  options.ports = settings.ports;
  set_offer(command, options);
  options.rack = command.rack.empty() ? settings.rack : command.rack;
  options.local_paths = command.local_paths.empty() ? settings.hosts : command.local_paths;
  options.min_free_disk_mb = settings.min_free_disk_mb;
  options.job_disk_mb = settings.job_disk_mb;
  options.task = settings.task;
  options.log = settings.log;
  options.shuffle_address = settings.listen.host;
  options.shuffle_port = command.shuffle_port.value_or(settings.listen.port);
  options.host = command.host.empty() ? settings.listen.host : command.host;
  options.work_dir = command.work_dir.empty() ? settings.work_dir : command.work_dir;
  if (options.work_dir.empty()) options.work_dir = own_work_dir(options.name);
  options.work_dir = absolute_path(options.work_dir);
  return options;
}

void add_tracker_options(CLI::App& command, TrackerCommand& options) {
  const auto slots = CLI::Range(0, 10000);
  const auto amount = CLI::Range(std::int64_t{0}, kMostAmount);
  command.add_option("--conf", options.conf, "settings, of which `tracker:` counts")
      ->type_name("FILE");
  command.add_option("--name", options.name, "unique in the cluster (default: host and pid)");
  command.add_option("--map-slots", options.map_slots, "maps at a time (default 2)")
      ->type_name("N")
      ->check(slots);
  command.add_option("--reduce-slots", options.reduce_slots, "reduces at a time (default 2)")
      ->type_name("N")
      ->check(slots);
  command
      .add_option("--memory", options.memory,
                  "memory to offer, like 4G, 512M (512 is in MB; default: not offered)")
      ->type_name("SIZE");
  command.add_option("--vcores", options.vcores, "cores to offer (default: not offered)")
      ->type_name("N")
      ->check(amount);
  command
      .add_option("--offer", options.offer,
                  "where containers count: auto, or like memory_mb=4096,vcores=auto,gpu=2")
      ->type_name("AMOUNTS");
  command.add_option("--label", options.labels, "what jobs may require, like disk=ssd; repeatable")
      ->type_name("LABEL=VALUE");
  command
      .add_option("--port-range", options.ports, "ports that tasks may be given, like 20000-20099")
      ->type_name("FIRST-LAST");
  command.add_option("--work-dir", options.work_dir, "this tracker's alone; made if missing")
      ->type_name("DIR");
  command.add_option("--rack", options.rack, "where it stands in the network");
  command.add_option("--host", options.host,
                     "where others reach it (default: the address it listens on)");
  command
      .add_option("--shuffle-port", options.shuffle_port,
                  "for map outputs and logs (default: a free one)")
      ->type_name("PORT");
  command.add_option("--local-path", options.local_paths, "prefixes of paths whose files are near")
      ->type_name("PATH...");
}

void add_tracker(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "tracker", "the daemon that runs tasks; its subcommands are about all of them");
  command->group("Daemons");
  const auto options = std::make_shared<TrackerCommand>();
  add_connection_options(*command, context);
  add_tracker_options(*command, *options);
  command->footer(
      "Logs to stderr. SIGTERM ends it cleanly, with all it runs. It waits for a JobTracker that "
      "is not there.\n\n"
      "Examples:\n"
      "  weir tracker --jobtracker 127.0.0.1:9090 --name tt1 --map-slots 4 --work-dir "
      "/var/tmp/weir-tt1\n"
      "  weir tracker list\n"
      "  weir tracker drain tt1");
  command->callback([&context, command, options] {
    if (!command->get_subcommands().empty()) return;
    context.action = [&context, options] {
      return run_tasktracker(tracker_options(context, *options));
    };
  });
  add_tracker_commands(*command, context);
}

}  // namespace

void add_daemon_commands(CLI::App& app, Context& context) {
  add_jobtracker(app, context);
  add_tracker(app, context);
}

}  // namespace weir::cli
