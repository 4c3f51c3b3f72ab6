#include "cli/server_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/connection.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/table.h"
#include "conf/values.h"
#include "tracker/port/sendable_host.h"

namespace weir::cli {
namespace {

int version(Context& context) {
  if (context.json()) {
    print_json(context.out, {{"version", WEIR_VERSION}});
  } else {
    context.out << "weir " << WEIR_VERSION << "\n";
  }
  return kExitDone;
}

// Of one that listens on all addresses: the name or address by which it was asked, if that is good
// elsewhere, too.
std::string sendable_address(const std::string& http, const std::string& asked) {
  const auto listens = parse_address(http);
  if (!listens || !is_any_host(listens->host)) return http;
  const auto by = parse_address(asked);
  const bool here = !by || is_loopback_host(by->host);
  return format_address({here ? sendable_host(listens->host) : by->host, listens->port});
}

int info(Context& context) {
  JobTracker jobtracker(context);
  ServerView server = jobtracker.server();
  if (server.http) server.http = sendable_address(*server.http, jobtracker.address());
  if (context.json()) {
    print_json(context.out, to_json(server));
    return kExitDone;
  }
  context.out << property_lines(
      {{"JobTracker", jobtracker.address()},
       {"version", server.version},
       {"started", fmt::format("{} ({} ago)", local_time(server.started_at_ms),
                               short_duration(server.now_ms - server.started_at_ms))},
       {"ports", fmt::format("clients {}, trackers {}", server.client_port, server.tracker_port)},
       {"web page", server.http ? "http://" + *server.http + "/" : "none (listen.http)"},
       {"trackers", std::to_string(server.trackers)},
       {"unfinished jobs", std::to_string(server.jobs_unfinished)},
       {"store",
        server.store_error ? fmt::format("{}: {}", server.store, *server.store_error)
                           : server.store},
       {"refused frames", std::to_string(server.frames_refused)}});
  return kExitDone;
}

}  // namespace

void add_server_commands(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("version", "of this binary");
  command->group("Cluster");
  add_output_option(*command, context);
  command->footer("Examples:\n  weir version");
  command->callback([&context] { context.action = [&context] { return version(context); }; });

  command =
      app.add_subcommand("info", "the JobTracker itself: version, ports, store, refused frames");
  command->group("Cluster");
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer("Examples:\n  weir info -o json");
  command->callback([&context] { context.action = [&context] { return info(context); }; });
}

}  // namespace weir::cli
